#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 84_stopped.sh - after a shutdown that dropped nodes the module does not ask F2FS, and no process waits for it
#
# F2FS handles a file whose node it has dropped as one hole, and FIEMAP walks through it block by block, for hours.

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

plan 13
make_volume $DISK $MNT || bail "no volume"
fileop write $MNT/old 0 1M
sync
load path=$MNT
settle || bail "not exact"
expect "while F2FS runs, no text says so" "$(head_lines)" "0 0 0 0 0 0"
own_time "synced" sync
own_time "resync returns" sh -c "echo 1 >$DBG/resync"
own_time "an audit returns" sh -c "echo 1 >$DBG/audit"
own_time "a file is closed" sh -c "true >>$MNT/old"
own_time "the module is unloaded" rmmod fragtrace
own_time "unmounted" umount $MNT
mount_volume $DISK $MNT || bail "cannot be mounted"
load path=$MNT
settle || bail "not exact"
fileop many $MNT/new 30 65536 0 >/dev/null
f2fs_io shutdown 2 $MNT >/dev/null
in_time "synced" sync
echo 3 >/proc/sys/vm/drop_caches
check "the directory is said to be stopped" stopped
expect "table, extents, files and snapshot say so" "$(head_lines)" "1 1 1 1 1 1"
in_time "resync returns" sh -c "echo 1 >$DBG/resync"
in_time "an audit returns" sh -c "echo 1 >$DBG/audit"
in_time "a file is closed" sh -c "true >>$MNT/new3 || true"
in_time "the module is unloaded" rmmod fragtrace
load path=$MNT
check "loaded on a stopped volume: said to be" stopped
in_time "unmounted" loop_until 10 umount $MNT
mount_volume $DISK $MNT || bail "cannot be mounted again"
await_live
check "live again" all_live
expect "no text says so any more" "$(head_lines)" "0 0 0 0 0 0"
check_exact "exact again" $MNT
finish
