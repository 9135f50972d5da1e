#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 83_stuck_writer.sh - a writer that holds the lock of its file for any time delays no other process
#
# Its data is on a page that does not arrive. In the second half FIEMAP begins late, so that the writer takes the
# lock after the module has found it free: the worker itself is stuck then. Each operation first runs without the
# attack. A writer keeps its own volume from being frozen, with or without the module: there, FIEMAP holds the lock.
#
# kernels: first
# group: hostile
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# stuck(operation of fileop) - let a writer, or another operation, hold the lock of a file until release()
stuck() {
	rm -f /tmp/ready
	fileop "$1" $MNT/held /tmp/ready 2>/tmp/stuck.err &
	STUCK=$!
	loop_until 10 test -e /tmp/ready || bail "no writer: $(cat /tmp/stuck.err)"
	# it has the lock, and waits for the page
	loop_until $SOON grep -qs userfault /proc/$STUCK/stack || :
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

# stale_or_scanned() - is the file stale, or has the resync ended? FIEMAP shares the lock on some kernels.
stale_or_scanned() {
	held_stale || ! kill -0 $resync 2>/dev/null
}

# is_late() - does another step wait inside F2FS than the LATE ones before?
is_late() {
	[ "$(stat_of steps_late)" -gt "$LATE" ]
}

# fiemaps() - print how often late.ko has made a FIEMAP wait, since the boot
fiemaps() {
	dmesg | grep -c "late: f2fs_fiemap waits"
}

# fiemap_waits() - is that more than BEFORE?
fiemap_waits() {
	[ "$(fiemaps)" -gt "$BEFORE" ]
}

# waits_inside() - does a process wait in F2FS's FIEMAP?
waits_inside() {
	cat /proc/[0-9]*/stack 2>/dev/null | grep -q f2fs_fiemap
}

# await_friend() - return when the friend's file is exact
await_friend() {
	until friend_exact; do
		sleep 0.05
	done
}

# operations(own_time|in_time, prefix) - what must not wait for the writer; the volume is watched before and afterwards
operations() {
	fileop fallocate $MNT/friend punch $((10 * B)) $((2 * B))
	$1 "$2: another stale file becomes exact" await_friend
	$1 "$2: remount" mount -o remount,noatime $MNT
	$1 "$2: sync" sync
	$1 "$2: a file is created" fileop write $MNT/new 0 "$B"
	$1 "$2: the files of debugfs are opened" cat $DBG/table $DBG/files $DBG/extents $DBG/targets $DBG/stats
	$1 "$2: another directory is watched" sh -c "echo 'add $MNT2' >$DBG/targets"
	$1 "$2: its volume is frozen" fsfreeze --freeze $MNT2
	$1 "$2: its volume is thawed" fsfreeze --unfreeze $MNT2
	$1 "$2: the directory is no longer watched" sh -c "echo 'del $MNT2' >$DBG/targets"
	$1 "$2: its volume is unmounted" umount $MNT2
	$1 "$2: its volume is mounted" mount -t f2fs $DISK2 $MNT2
	$1 "$2: the first directory is no longer watched" sh -c "echo 'del $MNT' >$DBG/targets"
	$1 "$2: the first directory is watched again" sh -c "echo 'add $MNT' >$DBG/targets"
}

# operations_beside_writer(prefix) - the operations take no longer while the writer holds the lock
operations_beside_writer() {
	check "$1: the held file is stale" loop_until $SOON held_stale
	operations in_time "$1"
}

plan 41
B=$PAGE_SIZE
make_volume $DISK $MNT || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
fileop write $MNT/held 0 $((256 * B))
fileop write $MNT/friend 0 $((256 * B))
fileop write $MNT2/file 0 $((256 * B))
sync
load path=$MNT
settle || bail "maps are not exact"
operations own_time alone
own_time "alone: the module is unloaded" rmmod fragtrace
load path=$MNT
settle || bail "maps are not exact"

stuck stuck_fiemap
echo 1 >$DBG/resync &
resync=$!
check "read: the held file is stale, or scanned beside FIEMAP" loop_until $SOON stale_or_scanned
own_time "alone: a volume is frozen" fsfreeze --freeze $MNT2
own_time "alone: a volume is thawed" fsfreeze --unfreeze $MNT2
in_time "read: a volume is frozen" fsfreeze --freeze $MNT
in_time "read: a volume is thawed" fsfreeze --unfreeze $MNT
release
wait $resync 2>/dev/null || :
check_exact "read: maps are exact afterwards" $MNT

stuck stuck
echo 1 >$DBG/resync &
resync=$!
operations_beside_writer "held"
in_time "held: the module is unloaded" rmmod fragtrace
release
wait $resync 2>/dev/null || :
load path=$MNT
check_exact "held: maps are exact afterwards" $MNT

[ -f /tools/late.ko ] || skip_rest "a stuck worker" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
# FIEMAP has found the lock free, and begins when the writer has had it for a while: longer than the operation that
# queues the scan. If the worker did not find it free, repeat.
n=0
until [ $n = 10 ]; do
	late
	settle || bail "maps are not exact"
	sleep 2
	LATE=$(stat_of steps_late)
	BEFORE=$(fiemaps) || :
	late function=f2fs_fiemap before_ms=10000 until_locked=500
	fileop fallocate $MNT/held punch $((n * 4 * B)) $((2 * B))
	loop_until 20 fiemap_waits || :
	stuck stuck
	sleep 2
	! waits_inside || break
	release
	n=$((n + 1))
done
echo "# $((n + 1)). try"
late
check "the worker waits for the lock inside F2FS" waits_inside
loop_until $SOON is_late || :
expect "another worker has replaced it, once" $(($(stat_of steps_late) - LATE)) 1
operations_beside_writer "stuck"
in_time "stuck: the unload is refused" sh -c '! rmmod fragtrace'
release
check "stuck: the module unloads afterwards" loop_until $SOON unload
load path=$MNT
check_exact "stuck: maps are exact afterwards" $MNT

# Each step is late while more files are queued: each worker is replaced once.
# A file that changes all the time is scanned every few seconds only.
# late.ko keeps the timers of its CPU from running with PREEMPT_RT, and on arm64, where a probe of a function is an
# exception; the timer that replaces a worker is among them.
case $(uname -mv) in
*PREEMPT_RT* | *aarch64*) most=8 ;;
*) most=200 ;;
esac
# With KCSAN a step may take ten times as long.
ms=600
[ ! -e /sys/kernel/debug/kcsan ] || ms=3000
late function=f2fs_fiemap before_ms=$ms
i=0
while [ $i -lt 8 ] || { [ $i -lt $most ] && [ "$(stat_of steps_late)" -lt 3 ]; }; do
	fileop fallocate $MNT/friend punch $((i % 8 * 4 * B)) $((2 * B))
	fileop fallocate $MNT/held punch $((i % 8 * 4 * B)) $((2 * B))
	sleep 0.3
	i=$((i + 1))
done
sleep 3
late
if [ $most = 8 ]; then
	skip "late: several workers are replaced" "late.ko keeps the timers of its CPU from running"
else
	check "late: several workers are replaced ($(stat_of steps_late) in all)" test "$(stat_of steps_late)" -ge 3
fi
check_exact "late: maps are exact afterwards" $MNT
finish
