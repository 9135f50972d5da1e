#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 84_stopped.sh - after a shutdown that dropped nodes the module does not ask F2FS, and no process waits for it
#
# F2FS handles a file whose node it has dropped as one hole, and FIEMAP walks through it block by block, for hours.
#
# group: hostile quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# stopped() - does the directory's line report that F2FS has stopped?
stopped() {
	[ "$(column targets $MNT 3)" = stopped ]
}

# head_lines() - print how often the texts and the snapshot report that
head_lines() {
	dev=$(column targets $MNT 1)
	for text in table extents files; do
		grep -cx "# stopped $dev" $DBG/$text || :
		snapcat $text $DBG/snapshot | grep -cx "# stopped $dev" || :
	done | xargs
}

TRACING=/sys/kernel/debug/tracing

# runs() - print how often a worker has run since the probe was made
runs() {
	awk '$1 == "ft_runs" { print $2 }' $TRACING/kprobe_profile
}

plan 14
make_volume $DISK $MNT || bail "no volume"
fileop write $MNT/old 0 1M
sync
load path=$MNT
settle || bail "maps are not exact"
expect "no text reports a stopped F2FS before the shutdown" "$(head_lines)" "0 0 0 0 0 0"
own_time "sync returns" sync
own_time "resync returns" sh -c "echo 1 >$DBG/resync"
own_time "an audit returns" sh -c "echo 1 >$DBG/audit"
own_time "a file is closed" sh -c "true >>$MNT/old"
own_time "the module is unloaded" rmmod fragtrace
own_time "the volume is unmounted" umount $MNT
mount_volume $DISK $MNT || bail "cannot be mounted"
load path=$MNT
settle || bail "maps are not exact"
fileop many $MNT/new 30 65536 0 >/dev/null
f2fs_io shutdown 2 $MNT >/dev/null
in_time "sync returns" sync
echo 3 >/proc/sys/vm/drop_caches
check "the target has the state stopped" stopped
expect "table, extents, files and snapshot report the stopped F2FS" "$(head_lines)" "1 1 1 1 1 1"
in_time "resync returns" sh -c "echo 1 >$DBG/resync"
in_time "an audit returns" sh -c "echo 1 >$DBG/audit"
in_time "a file is closed" sh -c "true >>$MNT/new3 || true"
in_time "the module is unloaded" rmmod fragtrace
load path=$MNT
check "the target has the state stopped after a load" stopped
# The folder cannot be read, and will not be.
if { echo "p:ft_runs fragtrace:run_worker" >$TRACING/kprobe_events && echo 1 >$TRACING/events/kprobes/enable; } 2>/dev/null; then
	sleep 3
	expect "the worker does not run for it any more" "$(runs)" 0
	echo 0 >$TRACING/events/kprobes/enable
	echo >$TRACING/kprobe_events
else
	skip "the worker does not run for it any more" "this kernel has no kprobe events"
fi
in_time "the volume is unmounted" loop_until 10 umount $MNT
mount_volume $DISK $MNT || bail "cannot be mounted again"
await_live
check "the target is live after the next mount" all_live
expect "no text reports a stopped F2FS after the next mount" "$(head_lines)" "0 0 0 0 0 0"
check_exact "maps are exact after the next mount" $MNT
finish
