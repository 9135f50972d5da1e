#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 36_ranges.sh - random ranges for each mode of fallocate, aligned and not, with writes in between
#
# group: write
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# ranges(mode...) - each on a contiguous file, a fragmented one and one with dirty pages
ranges() {
	local mode

	for mode; do
		fileop write $MNT/whole 0 1M
		fileop write $MNT/pieces 0 1M
		sync
		fileop random $MNT/pieces 256 24 "${SEED:-361}" every 2
		fileop ranges $MNT/whole "$mode" 300 16 "${SEED:-362}"
		fileop ranges $MNT/pieces "$mode" 300 16 "${SEED:-363}" aligned
		fileop write $MNT/dirty 0 1M
		fileop ranges $MNT/dirty "$mode" 300 7 "${SEED:-364}"
		check_exact "maps are exact after random ranges with mode $mode" -u $MNT
		rm $MNT/whole $MNT/pieces $MNT/dirty
	done
}

TRACING=/sys/kernel/tracing
plan 15
mounted $TRACING || mount -t tracefs tracefs $TRACING || bail "no tracefs"
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
# A scan of the range begins before F2FS has changed it, and waits for the lock of the file.
for mode in zero punch; do
	fileop write $MNT/$mode 0 1M sync
	if late function=truncate_pagecache_range after_ms=500; then
		fileop fallocate $MNT/$mode $mode 256K 256K
		late
		check_exact "maps are exact after a call that a scan has waited for, with mode $mode" -u $MNT
		rm $MNT/$mode
	else
		skip "maps are exact after a call that a scan has waited for, with mode $mode" \
			"late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	fi
done
# A scan of a part asks F2FS for the extents there, and not for the 200 others.
case "$(uname -v) $(uname -m)" in
*PREEMPT_RT* | *aarch64*) skip "only the part with the range is scanned" "this kernel scans the whole file" ;;
*)
	fileop write $MNT/parts 0 2M sync
	fileop random $MNT/parts 512 100 "${SEED:-365}" every 1
	settle || :
	echo "ino == $(stat -c %i $MNT/parts)" >$TRACING/events/f2fs/f2fs_map_blocks/filter
	scans=$(stat_of rescans)
	echo >$TRACING/trace
	echo 1 >$TRACING/events/f2fs/f2fs_map_blocks/enable
	fileop fallocate $MNT/parts punch 1M 8K
	settle || :
	echo 0 >$TRACING/events/f2fs/f2fs_map_blocks/enable
	echo 0 >$TRACING/events/f2fs/f2fs_map_blocks/filter
	scans=$(($(stat_of rescans) - scans)) lookups=$(grep -c ' f2fs_map_blocks: ' $TRACING/trace || :)
	check "only the part with the range is scanned ($scans scans, $lookups look-ups, $(column files $MNT/parts 6) fragments)" \
		test $scans -gt 0 -a "$lookups" -gt 0 -a "$lookups" -le $((16 * scans)) -a "$(column files $MNT/parts 6)" -gt 100
	rm $MNT/parts
	;;
esac
ranges default keep punch collapse zero zerokeep insert
umount $MNT
make_volume $DISK $MNT noextent_cache || bail "no volume"
await_live
ranges punch collapse insert
umount $MNT
# Blocks that collapse and insert move keep their addresses here; otherwise they are copied.
make_volume $DISK $MNT checkpoint=disable || bail "no volume"
await_live
ranges collapse insert
finish
