#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 57_shutdown.sh - F2FS_IOC_SHUTDOWN in each mode during writes; after the mount the map is correct
#
# Roll-forward recovery inside mount(2) restores data that was synced after the last checkpoint. This happens
# before the module knows of the volume.
#
# group: targets quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# writers() - files synced one by one until the file system is shut down; no operation in between needs a checkpoint
writers() {
	fileop append $MNT/log 5000 100000 fdatasync 2>/dev/null &
	fileop random $MNT/data 1024 100000 "$1" every 2 >/dev/null 2>&1 &
	(
		i=0
		while fileop write "$MNT/new$i" 0 $((10000 + i * 777)) sync; do
			i=$((i + 1))
		done
	) >/dev/null 2>&1 &
}

# fresh() - make the volume, and mount it
fresh() {
	if [ -n "${ZONES:-}" ]; then
		mkfs.f2fs -q -f -m $DISK >/dev/null && again
	else
		make_volume $DISK $MNT
	fi
}

# again() - mount it again
again() {
	if [ -n "${ZONES:-}" ]; then
		mkdir -p $MNT
		mount -t f2fs -o mode=lfs $DISK $MNT
	else
		mount_volume $DISK $MNT
	fi
}

# recovered() - did the last mount recover files?
recovered() {
	log_since | grep -q 'recover_data: ino = .*recovered = [1-9]'
}

# down(number, name) - shut down in one mode, mount again with the module loaded, then with one loaded afterwards
down() {
	local job

	loaded || load path=$MNT
	fileop write $MNT/data 0 4M
	fileop write $MNT/log 0 100
	sync
	writers "${SEED:-571}"
	sleep 1
	MARK="shutdown $1 of this mount"
	echo "$MARK" >/dev/kmsg
	f2fs_io shutdown "$1" $MNT >/dev/null
	# The last mode only requests fsck: the file system continues.
	sleep 0.3
	for job in $(jobs -p); do
		kill "$job" 2>/dev/null || :
	done
	wait
	check "$2: the volume is unmounted" loop_until 10 umount $MNT 2>/dev/null
	[ "$1" != 4 ] || fsck.f2fs -a $DISK >/dev/null 2>&1 || :
	again || bail "$2: cannot be mounted again"
	await_live
	case $1 in
	# Data of the checkpoint needs no recovery, and nothing is synced after it.
	2 | 3) check "$2: F2FS recovers files" recovered ;;
	esac
	check_exact "$2: maps are exact after the mount" $MNT
	unload
	load path=$MNT
	fileop random $MNT/data 1024 50 "${SEED:-572}" every 5
	check_exact "$2: maps are exact after the next load" $MNT
	umount $MNT
	fresh || bail "no volume"
	await_live
}

plan 17
if [ -n "${ZONES:-}" ]; then
	trap 'cleanup; remove_null_disk' EXIT
	make_zoned_disk 80 4 3 16 || skip_rest "zoned: maps are exact" "this kernel has no zoned null_blk"
	DISK=$NULL_DISK
fi
fresh || bail "no volume"
down 0 "full sync"
down 1 "checkpoint"
down 2 "no sync"
down 3 "metadata flushed"
down 4 "needs fsck"
finish
