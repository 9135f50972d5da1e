#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench/rate.sh - as many events as F2FS can make: is one lost, are the maps correct afterwards?
#
# Runs in the small guest with counted instructions, so a second is 10^9 of them: a third of those of a core
# of 3 GHz. First $SECONDS_OF_WORK of allocating blocks for a pinned file that is emptied repeatedly: this is
# the work with the fewest instructions per allocated block. Then a sixth of that with direct I/O, where most of
# the instructions copy data on the RAM disk.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../lib.sh
. /selftests/lib.sh
# shellcheck source=modes.sh
. "$here/modes.sh"

SECONDS_OF_WORK=${SECONDS_OF_WORK:-60}
BLOCKS=16384

# events() - print the number of events up to now
events() {
	awk '/^events_/ { n += $2 } END { print n }' $DBG/stats
}

# sustain(work, seconds) - do it for so long
sustain() {
	local cost loops before events name

	# number of repetitions
	cost=$(bench-work "$1" "$MNT/$1" $BLOCKS 2) || bail "$1: cannot write"
	loops=$(($2 * 2000000000 / cost + 1))
	before=$(events)
	cost=$(bench-work "$1" "$MNT/$1" $BLOCKS $loops) || bail "$1: cannot write"
	events=$(($(events) - before))
	result rate "$1" tracing 1 seconds "$(quotient "$cost" 1000000000)"
	result rate "$1" tracing 1 events "$events"
	result rate "$1" tracing 1 events_per_second "$(quotient $events "$(quotient "$cost" 1000000000)")"
	for name in lost mismatches rescans; do
		result rate "$1" tracing 1 $name "$(stat_of $name)"
	done
}

plan 2
quiet
modprobe brd rd_nr=1 rd_size=$((1024 * 1024))
# allocate its memory before the clock runs
dd if=/dev/zero of=/dev/ram0 bs=1M 2>/dev/null || :
make_volume /dev/ram0 "$MNT" $BENCH_OPTIONS || bail "no volume"
mode_begin tracing
sustain pinned "$SECONDS_OF_WORK"
sustain direct $(((SECONDS_OF_WORK + 5) / 6))
expect "no event was lost" "$(stat_of lost)" 0
check_exact "the maps are exact" "$MNT"
finish
