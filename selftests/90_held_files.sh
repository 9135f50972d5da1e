#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 90_held_files.sh - while the locks of many files are held, the worker tries a few of them per second, not all
#
# Steps of the worker are counted by kprobes. Per volume and period of 1.28 s 16 of these files are tried; nothing runs when
# no file is stale.
#
# kernels: first
# group: hostile
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

FILES=100
TRACING=/sys/kernel/debug/tracing

# hits(probe) - print how often a function was called since the probe was made
hits() {
	awk -v name="$1" '$1 == name { print $2 }' $TRACING/kprobe_profile
}

# count(seconds) - set RUNS and TRIES to the worker's runs and its tries of locks in this time
count() {
	RUNS=$(hits ft_runs) TRIES=$(hits ft_tries)
	sleep "$1"
	RUNS=$(($(hits ft_runs) - RUNS)) TRIES=$(($(hits ft_tries) - TRIES))
	echo "# $RUNS runs, $TRIES tries in $1 s"
}

# all_held_stale() - is each held file stale?
all_held_stale() {
	[ "$(awk '!/^#/ && $3 == "stale" && $NF ~ /held/' $DBG/files | wc -l)" = $FILES ]
}

# friend_exact() - is the friend's file exact?
friend_exact() {
	[ "$(column files $MNT/friend 3)" = exact ]
}

# await_friend() - return when it is
await_friend() {
	until friend_exact; do
		sleep 0.05
	done
}

# end_all() - remove the probes, too
end_all() {
	cleanup
	[ ! -e $TRACING/events/kprobes/ft_runs/enable ] || echo 0 >$TRACING/events/kprobes/enable
	[ ! -e $TRACING/kprobe_events ] || echo >$TRACING/kprobe_events
}

plan 9
make_volume $DISK $MNT || bail "no volume"
fileop many $MNT/held $FILES 64K 0
fileop write $MNT/friend 0 1M
sync
load path=$MNT
settle || bail "maps are not exact"
{
	echo "p:ft_runs fragtrace:run_worker" >$TRACING/kprobe_events &&
		echo "p:ft_tries fragtrace:ft_step_lock_is_free" >>$TRACING/kprobe_events &&
		echo 1 >$TRACING/events/kprobes/enable
} 2>/dev/null || skip_rest "counted steps" "this kernel has no kprobe events"
trap end_all EXIT

count 3
expect "the worker does not run when nothing is stale" "$RUNS" 0

fileop fallocate $MNT/friend punch 40960 8192
own_time "another stale file becomes exact" await_friend
fileop stuck_many $MNT/held $FILES /tmp/ready 2>/tmp/stuck.err &
holder=$!
loop_until $SOON test -e /tmp/ready || bail "no writers: $(cat /tmp/stuck.err)"
sleep 0.5
[ ! -s /tmp/stuck.err ] || skip_rest "held files" "$(cat /tmp/stuck.err)"
echo 1 >$DBG/resync
check "$FILES held files are stale" all_held_stale
# at first each file is tried eight times, which takes 4 s
sleep 5
count 8
most=$(((800 / 128 + 2) * 16))
check "the worker tries at most $most files" test "$TRIES" -le $most
check "the worker tries some files" test "$TRIES" -gt 0
fileop fallocate $MNT/friend punch 81920 8192
in_time "another stale file becomes exact" await_friend
# it gives up on a file after eight tries, 1.28 s apart
echo >$TRACING/trace
timed 30000 sh -c "echo asked >$TRACING/trace_marker; echo 1 >$DBG/resync"
expect "a resync returns after its tries (${TOOK:-no} ms)" "$STATUS" 0
tries=$(awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) now = $i + 0 }
	/tracing_mark_write: asked/ { end = now + 1 }
	/ft_tries:/ && now < end { n++ }
	END { print n + 0 }' $TRACING/trace)
check "it does not make the worker try all at once ($tries in the first second)" test "$tries" -le 32
kill -9 $holder
wait $holder 2>/dev/null || :
check_exact "maps are exact afterwards" $MNT
count 2
expect "the worker does not run when all files are exact" "$RUNS" 0
echo 0 >$TRACING/events/kprobes/enable
echo >$TRACING/kprobe_events
finish
