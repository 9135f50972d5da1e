#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 26_fallocate.sh - fallocate in all its modes
#
# group: write quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# both(mode, offset, length) - the same on a contiguous file and on a fragmented one
both() {
	fileop fallocate $MNT/whole "$1" "$2" "$3"
	fileop fallocate $MNT/pieces "$1" "$2" "$3"
}

plan 15
B=$PAGE_SIZE
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/whole 0 4M
fileop write $MNT/pieces 0 4M
fileop random $MNT/pieces 1024 500 "${SEED:-51}" every 2
sync
settle
rescans=$(stat_of rescans)
both default 3M 3M
check_at_once "maps are exact after preallocation" -u $MNT
if [ "$(stat_of calls_attached)" = 1 ]; then
	expect "preallocation causes no scan" "$(stat_of rescans)" "$rescans"
else
	skip "preallocation causes no scan" "calls cannot be followed on this kernel"
fi
both keep 6M 2M
check_at_once "maps are exact after preallocation beyond the end" -u $MNT
both punch 1M 512K
both punch 2000001 300003
both punch 100 200
check_exact "maps are exact after holes are punched" -u $MNT
both collapse 64K 128K
both collapse 1M "$B"
check_exact "maps are exact after ranges are collapsed" -u $MNT
both zero 300K 300K
both zero 777777 77777
check_exact "maps are exact after ranges are zeroed" -u $MNT
both zerokeep 5M 4M
check_exact "maps are exact after a range beyond the end is zeroed" -u $MNT
both insert 128K 256K
both insert 0 "$B"
check_exact "maps are exact after ranges are inserted" -u $MNT
fileop write $MNT/whole 1M 3M
fileop random $MNT/pieces 1024 200 "${SEED:-52}" every 9
check_at_once "maps are exact after later writes" -u $MNT
# No write-back in between.
fileop write $MNT/hot 0 2M
fileop fallocate $MNT/hot punch 512K 512K
fileop write $MNT/hot 600K 100K
fileop fallocate $MNT/hot insert 256K 256K
fileop write $MNT/hot 0 300K
fileop fallocate $MNT/hot collapse 1M 64K
check_exact "maps are exact after the same on dirty pages" -u $MNT
fileop truncate $MNT/whole 1M
fileop fallocate $MNT/whole default 0 2M
fileop write $MNT/whole 512K 1M
check_exact "maps are exact after truncation and preallocation" -u $MNT
# A file of many more extents than an event reads, with holes between them and after them: a scan finds the rest.
fileop write $MNT/extents 0 $((5120 * B))
fileop random $MNT/extents 5120 4000 "${SEED:-52}" every 400
fileop write $MNT/extents $((5632 * B)) 64K
settle
fileop fallocate $MNT/extents default 0 $((6144 * B))
check_exact "maps are exact after preallocation between and after $(column files $MNT/extents 5) extents" -u $MNT
# The file is truncated before the module handles the event of the reservation.
if late function=probe_fallocate before_ms=50; then
	for n in 1 2 3 4 5; do
		: >$MNT/cut$n
		fileop fallocate $MNT/cut$n default 0 1M &
		sleep 0.02
		fileop truncate $MNT/cut$n 64K
		wait $!
	done
	late
	check_exact "maps are exact after preallocation and immediate truncation" -u $MNT
	# The worker has seen the hole before the module handles the event of the reservation.
	late function=probe_fallocate before_ms=800
	for n in 1 2 3; do
		fileop fallocate $MNT/cut$n default 0 1M &
		sleep 0.05
		fileop fallocate $MNT/cut$n punch 256K 256K
		wait $!
	done
	late
	check_exact "maps are exact after preallocation and immediate punching" -u $MNT
	# There are too many holes for one event, and the worker cannot scan a frozen volume.
	fileop random $MNT/holes 20000 1500 "${SEED:-53}"
	settle
	late function=run_worker before_ms=1500
	fileop fallocate $MNT/holes default 0 $((20480 * B))
	fsfreeze --freeze $MNT
	sleep 3
	fsfreeze --unfreeze $MNT
	late
	check_exact "maps are exact after preallocation and immediate freezing" -u $MNT
else
	for what in truncation punching freezing; do
		skip "maps are exact after preallocation and immediate $what" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	done
fi
finish
