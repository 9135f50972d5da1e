#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 27_unlink_open.sh - unlink, also while the file is open and written to
#
# group: write
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 7
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/keep 0 1M
fileop write $MNT/gone 0 1M
sync
rm $MNT/gone
check_at_once "maps are exact after a file is removed" $MNT
refuse "the removed file is not in the table" in_table $MNT/gone
fileop hold $MNT/held 512K /tmp/ready /tmp/go &
loop_until $PATIENCE test -e /tmp/ready || bail "the holder did not start"
check_at_once "maps are exact after an open file is removed" $MNT
touch /tmp/go
loop_until $PATIENCE test -e /tmp/ready.2 || bail "the holder did not write"
fileop write $MNT/other 0 1M
check_at_once "maps are exact after the removed file is written" $MNT
rm /tmp/go
wait
check_at_once "maps are exact after the removed file is closed" $MNT
expect "no deleted file is listed after the close" "$(grep -c 'deleted' $DBG/files)" 0
# The path of a deleted file is charged by what the allocator takes for its length. The module warns in the end if its sums differ.
name=a
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
	name=a$name
	: >$MNT/$name
	exec 9<$MNT/$name
	rm $MNT/$name
	exec 9<&-
done
rm $MNT/keep $MNT/other
settle
expect "the table of an empty volume has no record" "$(grep -vc '^#' $DBG/table)" 0
finish
