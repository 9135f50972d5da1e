#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 30_names.sh - names stay correct: rename, replace, exchange, hard links, directories
#
# group: names quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 16
make_volume $DISK $MNT || bail "no volume"
mkdir -p $MNT/dir/sub $MNT/other
fileop write $MNT/dir/sub/old 0 64K
load path=$MNT
fileop write $MNT/a 0 64K
fileop write $MNT/b 0 128K
check_exact "maps are exact before the renames" $MNT
mv $MNT/a $MNT/c
check_at_once "maps are exact after a rename" $MNT
check "the table has the new name" in_table $MNT/c
refuse "the table does not have the old name" in_table $MNT/a
mv -f $MNT/c $MNT/b
check_at_once "maps are exact after a rename over a file" $MNT
fileop write $MNT/d 0 32K
fileop exchange $MNT/d $MNT/b
check_exact "maps are exact after an exchange of names" $MNT
mv $MNT/dir $MNT/other/moved
check_at_once "maps are exact after the rename of a directory" $MNT
check "files below it have the new path" in_table $MNT/other/moved/sub/old
ln $MNT/b $MNT/other/link
check_at_once "maps are exact after a hard link is created" $MNT
expect "a file with two names is listed once" "$(awk -v i="$(stat -c %i $MNT/b)" '!/^#/ && $2 == i' $DBG/files | wc -l)" 1
rm $MNT/b
check_at_once "maps are exact after the first name is removed" $MNT
check "the table has the second name" in_table $MNT/other/link
rm $MNT/other/link
check_at_once "maps are exact after the last name is removed" $MNT
# Names without a dentry in memory.
fileop write $MNT/other/moved/sub/cold 0 64K
sync
mv $MNT/other/moved/sub $MNT/sub2
echo 3 >/proc/sys/vm/drop_caches
check_at_once "maps are exact after the caches are dropped" $MNT
mv $MNT/sub2/cold $MNT/sub2/warm
check_at_once "maps are exact after a rename of an evicted inode" $MNT
i=0
while [ $i -lt 100 ]; do
	fileop write "$MNT/sub2/tmp$i" 0 8K
	mv "$MNT/sub2/tmp$i" "$MNT/sub2/final$((i % 7))"
	i=$((i + 1))
done
check_at_once "maps are exact after files are replaced by write and rename" $MNT
finish
