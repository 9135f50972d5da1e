#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 82_double_fetch.sh - F2FS_IOC_MOVE_RANGE while another thread changes the target descriptor
#
# With the checkpoint off F2FS gives moved blocks to the target with their addresses. Without an extent cache it does
# not report that.
#
# group: hostile
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 2
B=$PAGE_SIZE
make_volume $DISK $MNT checkpoint=disable,noextent_cache || bail "no volume"
load path=$MNT
for n in $(seq 0 59); do
	for f in a b c; do
		fileop write $MNT/$n$f 0 $((16 * B))
	done
done
settle
if [ "$(stat_of calls_attached)" != 1 ]; then
	skip_rest "a target that changes" "calls cannot be followed on this kernel"
fi
check "ranges are moved" fileop flip $MNT/ 60
check_exact "maps of all possible targets are exact" -u $MNT
finish
