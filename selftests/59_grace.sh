#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 59_grace.sh - a scan does not rely on a grace period that another worker is still waiting for
#
# A scan that found a block elsewhere than events had put it is made once more, after a grace period. Here another worker, which
# has become late in an audit, begins to wait for one in between, and late.ko makes that wait long: the scan must come after it.
# That the audit and the scan find differences, addresses are exchanged on the disk.
#
# kernels: first
# group: hostile
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# How long a grace period takes, in milliseconds.
GRACE=$((4000 * SLOW))

# is_late() - does a step wait inside F2FS, and has another worker taken over?
is_late() {
	[ "$(stat_of steps_late)" -gt 0 ]
}

# scanned_more(count) - were there more scans of files than that?
scanned_more() {
	[ "$(stat_of rescans)" -gt "$1" ]
}

# is_exact() - is the map of the file exact that is scanned?
is_exact() {
	[ "$(column files $MNT/scanned 3)" = exact ]
}

plan 4
B=$PAGE_SIZE
make_volume $DISK $MNT noextent_cache || bail "no volume"
load path=$MNT sample_secs=0
# A CPU that a probe keeps for more than 20 s is a soft lockup to the kernel.
kprobes_use_ftrace || [ $GRACE -le 12000 ] || GRACE=12000
fileop write $MNT/audited 0 256K
settle || bail "maps are not exact"
tolerate audit_differences "addresses are exchanged on the disk"
misplace $MNT/audited || bail "no addresses are exchanged"

# The writer takes the lock when FIEMAP has begun.
late function=f2fs_fiemap before_ms=10000 until_locked=500 || skip_rest "a long grace period" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
echo 1 >$DBG/audit &
# without a sleep: where probes are exceptions, late.ko keeps the timers of its CPU from running
n=0
until logged "late: f2fs_fiemap waits" || [ $n = 1000 ]; do
	n=$((n + 1))
done
fileop stuck $MNT/audited /tmp/ready 2>/tmp/stuck.err &
stuck=$!
check "the worker that audits is late" loop_until "$SOON" is_late
[ ! -s /tmp/stuck.err ] || skip_rest "a stuck writer" "$(cat /tmp/stuck.err)"
late

# A file that was scanned often is scanned again after a second only.
fileop write $MNT/scanned 0 256K
fileop write $MNT/scanned 64M 1M
loop_until $PATIENCE is_exact || bail "the map is not exact"
# Where no probe tells of a range, each of the next scans reads all of the file: then the addresses are exchanged after them.
! kprobes_use_ftrace || misplace $MNT/scanned || bail "no addresses are exchanged"
# where the kernel has no preemption, the one is the other
late function="$(grep -q ' T synchronize_rcu_tasks$' /proc/kallsyms && echo synchronize_rcu_tasks || echo synchronize_rcu)" before_ms=$GRACE
i=0
while [ $i -lt 7 ]; do
	fileop fallocate $MNT/scanned punch $((64 * 1048576 + i * 65536)) "$B"
	loop_until $PATIENCE is_exact || bail "the map is not exact"
	i=$((i + 1))
done
kprobes_use_ftrace || misplace $MNT/scanned || bail "no addresses are exchanged"
# Two holes: all of the file between them is scanned.
scans=$(stat_of rescans)
fileop fallocate $MNT/scanned punch $((64 * 1048576 + 15 * 65536)) "$B"
fileop fallocate $MNT/scanned punch 128K "$B"
check "a scan finds the exchanged blocks" loop_until $PATIENCE scanned_more "$scans"
begin=$(uptime_ms)
kill -9 $stuck
wait $stuck 2>/dev/null || :
loop_until $PATIENCE is_exact || bail "the map is not exact"
took=$(($(uptime_ms) - begin))
check "the next scan comes after the grace period ($took ms)" test "$took" -ge "$GRACE"
late
# its audit may have been given up
rm $MNT/audited
check_exact "the map is exact" $MNT
finish
