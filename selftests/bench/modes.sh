# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034
#
# bench/modes.sh - functions for the guest's parts of the benchmark: idle machine, volumes, modes, and results.
#
# A result is one line, `result PART CASE MODE RUN MEASURE VALUE`, for report.py. RUN 0 is the
# first of its kind, on cold caches, and is left out of the report.

# No background work happens on the volume.
BENCH_OPTIONS=background_gc=off,nodiscard
TRACEFS=/sys/kernel/tracing
EVENTS=$TRACEFS/events/fragtrace/enable

# result(part, case, mode, run, measure, value) - print a figure
result() {
	echo "result $*"
}

# quotient(a, b) - print a / b
quotient() {
	awk "BEGIN { printf \"%.3f\n\", $1 / $2 }"
}

# spinning() - print the cost of an iteration of a loop of two instructions: 2 if no other process runs
spinning() {
	quotient "$(bench-work spin 20000000)" 20000000
}

# idle_cpu() - does no other process run?
idle_cpu() {
	awk "BEGIN { exit !($(spinning) < 2.1) }"
}

# quiet() - do not depend on clocks, and wait until the kernel is idle after its boot
quiet() {
	echo 0 >/proc/sys/vm/dirty_writeback_centisecs
	echo 80 >/proc/sys/vm/dirty_ratio
	echo 80 >/proc/sys/vm/dirty_background_ratio
	loop_until 60 idle_cpu || bail "something else keeps the CPU busy, or instructions are not counted (guest.sh -I)"
}

# ram_disk(GiB) - an empty /dev/zram0; blocks of zeroes take no memory there
ram_disk() {
	rmmod zram 2>/dev/null || :
	modprobe zram
	echo "${1}G" >/sys/block/zram0/disksize
}

# taken() - print the bytes of memory that are neither free nor on a CPU's list of free pages
taken() {
	awk '
		/^MemTotal:/ { bytes += $2 * 1024 }
		/^MemFree:/ { bytes -= $2 * 1024 }
		/^ *count:/ { bytes -= $2 * 4096 }
		END { printf "%d\n", bytes }' /proc/meminfo /proc/zoneinfo
}

# follow(settings...) - load fragtrace, and wait until it follows the volume
follow() {
	load path="$MNT" "$@"
	await_live
	settle || bail "not all exact after $PATIENCE seconds"
}

# mode_begin(mode) - load what the mode needs during the work
#
#   off        nothing
#   idle       fragtrace without a target
#   no_causes  fragtrace follows the volume, but keeps no causes (causes=0)
#   tracing    and keeps them, as it does by default
#   heat       and counts reads (heat=1)
#   latency    and measures them (latency=1)
#   ledger     and counts writes (ledger=1)
#   gc_runs    and notes collections (gc_runs=1)
#   events     as tracing, and the kernel's tracer records the events of fragtrace's own tracepoints
mode_begin() {
	case $1 in
	off) ;;
	idle) load ;;
	no_causes) follow causes=0 ;;
	tracing) follow ;;
	heat) follow heat=1 ;;
	latency) follow latency=1 ;;
	ledger) follow ledger=1 ;;
	gc_runs) follow gc_runs=1 ;;
	events)
		follow
		mounted $TRACEFS || mount -t tracefs tracefs $TRACEFS
		echo 1 >$EVENTS
		;;
	*) bail "mode '$1': expected off, idle, no_causes, tracing, heat, latency, ledger, gc_runs or events" ;;
	esac
}

# mode_end() - undo mode_begin
mode_end() {
	! [ -e $EVENTS ] || echo 0 >$EVENTS
	! loaded || loop_until 20 unload || bail "fragtrace cannot be unloaded"
}
