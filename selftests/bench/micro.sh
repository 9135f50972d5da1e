#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench/micro.sh - the cost of following F2FS for each block written, in instructions.
#
# Runs in the small guest with counted instructions. Each work is repeated $RUNS times with
# each mode of modes.sh in turn; then, in modes where fragtrace follows, with event_cost.ko, which counts the probes
# alone. $EXTENTS is the number of extents of overwritten files, $MODES chooses modes.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../lib.sh
. /selftests/lib.sh
# shellcheck source=modes.sh
. "$here/modes.sh"

RUNS=${RUNS:-4}
EXTENTS=${EXTENTS:-"1000 10000 100000 1000000"}
PIECES=${PIECES:-"sequential in_chunks many_files"}
BLOCKS=${BLOCKS:-8192}
MODES=${MODES:-"off idle no_causes tracing events"}
COSTS=/sys/kernel/debug/event_cost

# fresh() - an empty volume
fresh() {
	! mounted "$MNT" || umount "$MNT"
	make_volume /dev/zram0 "$MNT" $BENCH_OPTIONS || bail "no volume"
}

# work(case) - do it once; print the cost
work() {
	case $1 in
	sequential) bench-work seq "$MNT/file" "$BLOCKS" 1 ;;
	in_chunks) bench-work seq "$MNT/file" "$BLOCKS" 256 ;;
	many_files) bench-work many "$MNT" 256 $((BLOCKS / 256)) ;;
	overwrite_*) bench-work over "$MNT/file" "${1#overwrite_}" "$BLOCKS" 256 ;;
	esac
}

# whole(case, prepare) - all instructions of the guest, by mode, for each block written
whole() {
	local run mode cost

	run=0
	while [ $run -lt "$RUNS" ]; do
		for mode in $MODES; do
			$2
			mode_begin $mode
			cost=$(work "$1") || bail "$1: the work failed"
			mode_end
			result micro "$1" $mode $run instructions_per_block "$(quotient "$cost" "$BLOCKS")"
		done
		run=$((run + 1))
	done
}

# probes(case, prepare) - the cost between the first and the last probe of a tracepoint, by mode
probes() {
	local run mode

	for run in 1 2; do
		for mode in $MODES; do
			[ "$mode" != idle ] || continue
			$2
			mode_begin $mode
			insmod /tools/event_cost.ko || bail "cannot load event_cost.ko"
			echo 0 >$COSTS
			work "$1" >/dev/null || bail "$1: the work failed"
			awk -v head="result micro $1 probes_$mode $run" -v blocks="$BLOCKS" '
				!/^#/ && $2 {
					print head, $1 ":instructions_per_block", $3 / blocks
					print head, $1 ":hits_per_block", $2 / blocks
					print head, $1 ":mean", $3 / $2
					print head, $1 ":median", $5
					print head, $1 ":p99", $6
				}' $COSTS
			rmmod event_cost
			mode_end
		done
	done
}

plan 1
quiet
ram_disk 20
result micro two_instructions off 1 instructions "$(spinning)"
for piece in $PIECES; do
	whole "$piece" fresh
	probes "$piece" fresh
done
for n in $EXTENTS; do
	fresh
	bench-work holes "$MNT/file" "$n" >/dev/null || bail "cannot make a file of $n extents"
	whole "overwrite_$n" :
	probes "overwrite_$n" :
done
ok "measured"
finish
