#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 83_stuck_writer.sh - a writer that holds the lock of its file for any time delays no other process
#
# Its data is on a page that does not arrive. In the second half FIEMAP begins late, so that the writer takes the
# lock after the module has found it free: the worker itself is stuck then.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# stuck() - let a writer hold the lock of a file until release()
stuck() {
	rm -f /tmp/ready
	fileop stuck $MNT/held /tmp/ready 2>/tmp/stuck.err &
	STUCK=$!
	loop_until 10 test -e /tmp/ready || bail "no writer: $(cat /tmp/stuck.err)"
	sleep 0.5
	[ ! -s /tmp/stuck.err ] || skip_rest "a stuck writer" "$(cat /tmp/stuck.err)"
}

# release() - end the writer
release() {
	kill -9 $STUCK 2>/dev/null
	wait $STUCK 2>/dev/null || :
}

# friend_exact() - is the friend's file exact?
friend_exact() {
	[ "$(column files $MNT/friend 3)" = exact ]
}

# held_stale() - is the file with the held lock stale?
held_stale() {
	[ "$(column files $MNT/held 3)" = stale ]
}

# is_late() - does a step wait inside F2FS?
is_late() {
	[ "$(stat_of steps_late)" -gt 0 ]
}

# waits_inside() - does a process wait in F2FS's FIEMAP?
waits_inside() {
	cat /proc/[0-9]*/stack 2>/dev/null | grep -q f2fs_fiemap
}

# all_goes_on(prefix) - operations that must not wait for the writer
all_goes_on() {
	fileop fallocate $MNT/friend punch 40960 8192
	check "$1: another stale file becomes exact" loop_until $SOON friend_exact
	check "$1: the held one says that it is stale" held_stale
	in_time "$1: remount" mount -o remount,noatime $MNT
	in_time "$1: sync" sync
	in_time "$1: a file is created" fileop write $MNT/new 0 4096
	in_time "$1: the files of debugfs are opened" cat $DBG/table $DBG/files $DBG/extents $DBG/targets $DBG/stats
	in_time "$1: another directory is watched" sh -c "echo 'add $MNT2' >$DBG/targets"
	in_time "$1: and no longer" sh -c "echo 'del $MNT2' >$DBG/targets"
	in_time "$1: another volume is unmounted" umount $MNT2
	in_time "$1: and mounted" mount -t f2fs $DISK2 $MNT2
	in_time "$1: the directory is no longer watched" sh -c "echo 'del $MNT' >$DBG/targets"
	in_time "$1: and watched again" sh -c "echo 'add $MNT' >$DBG/targets"
}

plan 33
make_volume $DISK $MNT || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
fileop write $MNT/held 0 1M
fileop write $MNT/friend 0 1M
fileop write $MNT2/file 0 1M
sync
load path=$MNT
settle || bail "not exact"

stuck
echo 1 >$DBG/resync &
resync=$!
loop_until $SOON held_stale || bail "the held file does not become stale"
all_goes_on "held"
in_time "held: the module is unloaded" rmmod fragtrace
release
wait $resync 2>/dev/null || :
load path=$MNT
check_exact "held: exact afterwards" $MNT

[ -f /tools/late.ko ] || skip_rest "a stuck worker" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
# The writer must begin between two moments of the worker: try until it did.
n=0
until [ $n = 10 ]; do
	late
	settle || bail "not exact"
	sleep 2
	late function=f2fs_fiemap before_ms=1500
	fileop fallocate $MNT/held punch $((n * 16384)) 8192
	stuck
	sleep 2
	! waits_inside || break
	release
	n=$((n + 1))
done
late
check "the worker waits for the lock inside F2FS" waits_inside
check "and another one has taken over" is_late
all_goes_on "stuck"
in_time "stuck: to unload the module is refused" sh -c '! rmmod fragtrace'
release
check "stuck: the module can be unloaded afterwards" loop_until $SOON unload
load path=$MNT
check_exact "stuck: exact afterwards" $MNT

# Each step is late while more is queued: workers are replaced, each of them once.
# A file that changes all the time is scanned every few seconds only.
late function=f2fs_fiemap before_ms=600
case $(uname -v) in
*PREEMPT_RT*) most=8 ;;
*) most=200 ;;
esac
i=0
while [ $i -lt 8 ] || { [ $i -lt $most ] && [ "$(stat_of steps_late)" -lt 3 ]; }; do
	fileop fallocate $MNT/friend punch $((i % 8 * 16384)) 8192
	fileop fallocate $MNT/held punch $((i % 8 * 16384)) 8192
	sleep 0.3
	i=$((i + 1))
done
sleep 3
late
case $(uname -v) in
*PREEMPT_RT*) skip "one worker after another is late" "late.ko keeps the timers of its CPU from running, the watchdog's too" ;;
*) check "one worker after another is late ($(stat_of steps_late) in all)" test "$(stat_of steps_late)" -ge 3 ;;
esac
check_exact "late: exact afterwards" $MNT
finish
