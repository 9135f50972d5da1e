#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# varmail.sh - a mail server on F2FS and on ext4, on devices whose flush is cheap or dear; where the time of fsyncs goes.
#
# usage: varmail.sh SECONDS EVERY SEED FS-DEVICE..., such as f2fs-cheap, with $MIB, $FILES and $THREADS
#
# FS is f2fs, ext4, or bare, which is F2FS without fragtrace. A cheap device completes a request after $CHEAP_NS and has no
# cache to be flushed; a dear one after $DEAR_NS, flushes included. Of each case there are CASE.lines, the figures of `fileop
# varmail` each EVERY seconds, and CASE.N.fsync, the module's file fsync at line N.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=common.sh
. "$here/common.sh"

seconds=$1 every=$2 seed=$3
shift 3
NULL=/sys/kernel/config/nullb/nullb0

# device(kind) - make /dev/nullb0, a disk of $MIB in memory
# shellcheck disable=SC2153 # set by the caller
device() {
	local name

	modprobe null_blk nr_devices=0
	[ -d /sys/kernel/config/nullb ] || mount -t configfs none /sys/kernel/config
	mkdir $NULL
	for name in memory_backed=1 irqmode=2 submit_queues=1 hw_queue_depth=64 "size=$MIB" "$@"; do
		echo "${name#*=}" >"$NULL/${name%%=*}"
	done
	echo 1 >$NULL/power
}

# samples(case) - take the lines of the workload, and what the module knows at each of them
samples() {
	local n line

	n=0
	while read -r line; do
		echo "$line" >>"$OUT/$1.lines"
		[ "$fs" != f2fs ] || cat $DBG/fsync >"$OUT/$1.$n.fsync"
		echo "$1: ${line%% *} ms of $seconds s, $(echo "$line" | cut -d ' ' -f 2) rounds"
		n=$((n + 1))
	done
}

# one(case) - run it
one() {
	local fs kind

	fs=${1%-*} kind=${1#*-}
	case $kind in
	cheap) device completion_nsec="$CHEAP_NS" ;;
	dear) device completion_nsec="$DEAR_NS" cache_size="$MIB" ;;
	*) die "device '$kind': expected cheap or dear" ;;
	esac
	mkdir -p $MNT
	case $fs in
	ext4) mkfs.ext4 -q -F /dev/nullb0 && mount -t ext4 /dev/nullb0 $MNT ;;
	f2fs | bare) mkfs.f2fs -q -f /dev/nullb0 >/dev/null && mount -t f2fs /dev/nullb0 $MNT ;;
	*) die "file system '$fs': expected f2fs, ext4 or bare" ;;
	esac
	[ "$fs" != f2fs ] || insmod "$FRAGTRACE_KO" path=$MNT fsync=1 causes=0
	{
		echo "mount_options $(awk -v mnt=$MNT '$2 == mnt { print $4 }' /proc/mounts)"
		echo "write_cache $(cat /sys/block/nullb0/queue/write_cache)"
	} >"$OUT/$1.facts"
	: >"$OUT/$1.lines"
	{ fileop varmail $MNT/mail "$FILES" "$THREADS" "$seconds" "$every" "$seed" || echo failed >"$OUT/$1.failed"; } | samples "$1"
	[ ! -e "$OUT/$1.failed" ] || die "$1: fileop varmail failed"
	[ "$fs" != f2fs ] || rmmod fragtrace
	umount $MNT
	echo 0 >$NULL/power
	rmdir $NULL
}

{
	echo "kernel $(uname -r)"
	echo "clock $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
} >"$OUT/guest.facts"
for case; do
	one "$case"
done
