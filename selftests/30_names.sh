#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 30_names.sh - names stay correct: rename, replace, exchange, hard links, directories

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
check_exact "before" $MNT
mv $MNT/a $MNT/c
check_exact "rename" $MNT
check "the new name is shown" in_table $MNT/c
refuse "the old one is not" in_table $MNT/a
mv -f $MNT/c $MNT/b
check_exact "rename over a file" $MNT
fileop write $MNT/d 0 32K
fileop exchange $MNT/d $MNT/b
check_exact "exchange" $MNT
mv $MNT/dir $MNT/other/moved
check_exact "a directory renamed" $MNT
check "what is below it has the new path" in_table $MNT/other/moved/sub/old
ln $MNT/b $MNT/other/link
check_exact "a hard link" $MNT
expect "a linked file is there once" "$(awk -v i="$(stat -c %i $MNT/b)" '!/^#/ && $2 == i' $DBG/files | wc -l)" 1
rm $MNT/b
check_exact "the first name removed" $MNT
check "the second one is shown" in_table $MNT/other/link
rm $MNT/other/link
check_exact "the last name removed" $MNT
# Names without a dentry in memory.
fileop write $MNT/other/moved/sub/cold 0 64K
sync
mv $MNT/other/moved/sub $MNT/sub2
echo 3 >/proc/sys/vm/drop_caches
check_exact "with the caches dropped" $MNT
mv $MNT/sub2/cold $MNT/sub2/warm
check_exact "renamed after that" $MNT
i=0
while [ $i -lt 100 ]; do
	fileop write "$MNT/sub2/tmp$i" 0 8K
	mv "$MNT/sub2/tmp$i" "$MNT/sub2/final$((i % 7))"
	i=$((i + 1))
done
check_exact "the write-and-rename habit" $MNT
finish
