#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench/reads.sh - the cost of following F2FS for each block read, in instructions.
#
# Runs in the small guest with counted instructions. A file in one fragment is read by 128 KiB with readahead, by 4 KiB
# at random without it, and by 128 KiB and 4 KiB directly; `pieces` is a file of single blocks with holes in between,
# with readahead. Nothing is in the page cache before. Each is repeated $RUNS times with each of $MODES (modes.sh) in turn.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../lib.sh
. /selftests/lib.sh
# shellcheck source=modes.sh
. "$here/modes.sh"

RUNS=${RUNS:-3}
BLOCKS=${BLOCKS:-8192}
MODES=${MODES:-"off tracing heat latency"}

# reads(case, file, blocks, blocks at once, way) - all instructions of the guest, by mode, for each block
reads() {
	local run mode cost

	run=0
	while [ $run -lt "$RUNS" ]; do
		for mode in $MODES; do
			mode_begin $mode
			cost=$(bench-work read "$MNT/$2" "$3" "$4" "$5") || bail "$1: the work failed"
			mode_end
			result reads "$1" $mode $run instructions_per_block "$(quotient "$cost" "$3")"
		done
		run=$((run + 1))
	done
}

plan 1
quiet
ram_disk 20
make_volume /dev/zram0 "$MNT" $BENCH_OPTIONS || bail "no volume"
bench-work seq "$MNT/whole" "$BLOCKS" 256 >/dev/null || bail "no file"
bench-work holes "$MNT/pieces" $((BLOCKS / 2)) >/dev/null || bail "no second file"
reads sequential whole "$BLOCKS" 32 buffered
reads pieces pieces $((BLOCKS - 32)) 32 buffered
reads random whole "$BLOCKS" 1 random
reads direct_128k whole "$BLOCKS" 32 direct
reads direct_4k whole "$BLOCKS" 1 direct
ok "measured"
finish
