#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 35_deeper.sh - thousands of nested folders of a user, and files below: all of debugfs is readable, and nobody waits
#
# LEVELS is the depth, FILES the number of files in the innermost folder. One of them has a blank in its name.
#
# kernels: first
# group: names
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

LEVELS=${LEVELS:-16500}
FILES=${FILES:-500}
USER=65534

# read_all() - read each file of debugfs that shows maps
read_all() {
	local file

	for file in table extents files snapshot heat gc healed; do
		cat $DBG/$file >/tmp/text || { echo "# $file cannot be read"; return 1; }
	done
}

# create() - what another user does
create() {
	fileop write $MNT/other/new 0 4096 && rm $MNT/other/new
}

plan 12
make_volume $DISK $MNT noinline_data || bail "no volume"
mkdir $MNT/u $MNT/other $MNT/short
fileop write $MNT/short/file 0 64K
chown $USER $MNT/u
load path=$MNT heat=1
settle
own_time "another user creates a file while they are read" create
fileop as $USER 0 fileop deep $MNT/u "$LEVELS" 255 fileop many 'a b' "$FILES" 4096 0
settle || :
echo "# $(stat_of inodes) files, $(stat_of directories) directories, $(stat_of mem_bytes) bytes"
check "the files of debugfs are readable" read_all
refuse "the kernel does not warn" logged "WARNING"
expect "the files in the innermost folder are listed, without their paths" "$(grep -c ' ?$' $DBG/files)" "$FILES"
expect "the other file has its path" "$(grep -c " $MNT/short/file\$" $DBG/files)" 1
check "no line is long" awk 'length > 16 * 1024 { exit 1 }' $DBG/files $DBG/table $DBG/extents
exec 3<$DBG/snapshot
check "a copy takes no more memory than the maps ($(stat_of copies_bytes) and $(stat_of mem_bytes) bytes)" \
	test "$(stat_of copies_bytes)" -le "$(stat_of mem_bytes)"
exec 3<&-
(while :; do cat $DBG/files $DBG/table >/dev/null; done) &
reader=$!
n=0
while [ $n -lt 5 ]; do
	in_time "another user creates a file while they are read" create
	n=$((n + 1))
done
check "they were read all the time" kill $reader
wait
finish
