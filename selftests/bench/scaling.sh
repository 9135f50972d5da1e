#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench/scaling.sh - do writers wait for each other, or for a reader?
#
# Runs in the small guest, with as many writers as it has CPUs, each with its own file. Time is the
# host's and noisy. The important figures are the number of waits for locks inside fragtrace, and the longest
# time of a probe: alone, beside a program that only computes (the effect of the host's scheduler on the
# emulated CPUs), beside a reader, and while $FILES files are read for the first time.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../lib.sh
. /selftests/lib.sh
# shellcheck source=modes.sh
. "$here/modes.sh"

RUNS=${RUNS:-6}
BLOCKS=${BLOCKS:-4096}
COSTS=/sys/kernel/debug/event_cost
CONTENTION=/sys/kernel/tracing/events/lock/contention_begin
cpus=$(grep -c ^processor /proc/cpuinfo)
name=${cpus}_writers_on_${cpus}_CPUs

# fresh() - an empty volume
fresh() {
	! mounted "$MNT" || umount "$MNT"
	make_volume /dev/zram0 "$MNT" $BENCH_OPTIONS || bail "no volume"
}

# race() - the time of the writers, with fragtrace and without, in turn
race() {
	local run off

	run=0
	while [ $run -lt "$RUNS" ]; do
		fresh
		off=$(bench-work parallel "$MNT" "$cpus" "$BLOCKS")
		fresh
		mode_begin tracing
		result scaling "$name" time_with_and_without $run ratio \
			"$(quotient "$(bench-work parallel "$MNT" "$cpus" "$BLOCKS")" "$off")"
		mode_end
		run=$((run + 1))
	done
}

# waits(case, arguments of bench-work...) - number of waits for locks inside functions of fragtrace
waits() {
	local case

	case=$1
	shift
	fresh
	mode_begin tracing
	echo 'hist:keys=common_stacktrace:size=8192' >$CONTENTION/trigger 2>/dev/null ||
		echo 'hist:keys=stacktrace:size=8192' >$CONTENTION/trigger
	bench-work "$@" >/dev/null
	awk -v head="result scaling $case locks_waited_for 1" '
		/^[{]/ { ours = 0 }
		/\[fragtrace\]/ { ours = 1 }
		/hitcount:/ { all += $NF; if (ours) mine += $NF }
		END { print head, "in_all", all + 0; print head, "in_fragtrace", mine + 0 }' $CONTENTION/hist
	echo '!hist:keys=common_stacktrace:size=8192' >$CONTENTION/trigger 2>/dev/null ||
		echo '!hist:keys=stacktrace:size=8192' >$CONTENTION/trigger
	mode_end
}

# compute() - keep another CPU busy without files
compute() {
	while :; do bench-work spin 20000000 >/dev/null; done
}

# read_on() - read all maps, without a pause
read_on() {
	while :; do cat $DBG/table >/dev/null; done
}

# learn() - let all files be read again, repeatedly
learn() {
	while :; do echo 1 >$DBG/resync; done
}

# longest(mode, run) - the longest time of a write event in our probes, alone or beside one of the above
longest() {
	local other

	echo 0 >$COSTS
	other=
	if [ "$1" != alone ]; then
		"$1" &
		other=$!
	fi
	bench-work over "$MNT/large" "$EXTENTS" $((BLOCKS * 4)) 256 >/dev/null
	if [ -n "$other" ]; then
		kill $other
		wait $other 2>/dev/null || :
	fi
	awk -v head="result scaling write_event $1 $2" '
		/kHz/ { khz = $2 }
		/^f2fs_submit_(page|folio)_write/ {
			print head, "median_us", 1000 * $5 / khz
			print head, "p999_us", 1000 * $7 / khz
			print head, "longest_us", 1000 * $8 / khz
		}' $COSTS
}

# many_files(number) - files of one block, a thousand in a folder
many_files() {
	local i

	i=0
	while [ $i -lt $(($1 / 1000)) ]; do
		mkdir "$MNT/$i"
		fileop many "$MNT/$i/" 1000 4096 0
		i=$((i + 1))
	done
	sync
}

plan 1
EXTENTS=${EXTENTS:-100000}
FILES=${FILES:-100000}
ram_disk 20
mounted /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
race
waits "$name" parallel "$MNT" "$cpus" "$BLOCKS"
waits "churn_on_${cpus}_CPUs" churn "$MNT" 64 64
if [ "$cpus" = 2 ]; then
	fresh
	bench-work holes "$MNT/large" "$EXTENTS" >/dev/null
	mode_begin tracing
	insmod /tools/event_cost.ko
	run=0
	while [ $run -lt "$RUNS" ]; do
		longest alone $run
		longest compute $run
		longest read_on $run
		run=$((run + 1))
	done
	many_files "$FILES"
	run=0
	while [ $run -lt "$RUNS" ]; do
		longest learn $run
		run=$((run + 1))
	done
	rmmod event_cost
	mode_end
	# the speed of this guest, compared with the host
	result scaling emulation guest 1 ns_per_loop "$(quotient "$(bench-work nanoseconds 100000000)" 100000000)"
fi
ok "measured"
finish
