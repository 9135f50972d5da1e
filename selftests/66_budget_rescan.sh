#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 66_budget_rescan.sh - a rescan needs a second map for a while, but drops no file because of that; a file that was too large comes back
# when it has become small
#
# Regression: both maps were charged, and a file of more than half the budget was left out. One that was left out was not tried again
# until there was room for all that its map had taken, also if it was truncated.
#
# kernels: first
# group: memory quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# back() - is the large file followed?
back() {
	[ "$(stat_of left_out)" = 0 ]
}

plan 8
make_volume $DISK $MNT || bail "no volume"
load path=$MNT max_mem_mb=1
# blocks with holes between them
fileop random $MNT/big 400000 40000 "${SEED:-66}"
check_exact "maps are exact for a file that takes more than half the budget" $MNT
check "the map of this file takes more than half the budget" test "$(stat_of mem_bytes)" -gt 524288
# not a part of it only, as after a punched block
fileop say $DBG/resync 1
check "all of it is scanned again" test "$(stat_of rescans)" -gt 0
check_exact "maps are exact after that" $MNT
expect "no file is left out" "$(stat_of refused)" 0
n=0
while back && [ $n -lt 20 ]; do
	fileop random $MNT/big 400000 10000 $n
	sync
	n=$((n + 1))
done
expect "when it is as large as the budget it is left out" "$(stat_of left_out)" 1
fileop truncate $MNT/big 4K
check "when it is small it comes back" loop_until "$PATIENCE" back
check_exact "its map is exact" $MNT
finish
