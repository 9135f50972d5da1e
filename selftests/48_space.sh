#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 48_space.sh - checkpoint off and on, collection by ioctl and in urgent modes, trim, discard, a volume that shrinks
#
# group: features
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

sys=/sys/fs/f2fs/${DISK##*/}

# age(prefix) - fragmented files, every other one removed: victims for the collector
age() {
	fileop many "$MNT/$1" 120 $((7 * B)) $((5 * B)) 7
	sync
	rm "$MNT/$1"*[1245780]
	sync
}

# volume_blocks() - print the size of the volume as the module reports it
volume_blocks() {
	sed -n 's/^# volume .* blocks=\([0-9]*\) .*/\1/p' $DBG/table
}

# hurry(mode) - run the collector's own thread in one of its urgent modes while files are written
hurry() {
	age "hurry$1"
	if ! echo "$1" >"$sys/gc_urgent" 2>/dev/null; then
		skip "gc_urgent $1" "this kernel does not have it"
		return 0
	fi
	fuzz storm --seed "$1" --ops 100 $MNT
	sleep 0.5
	check_exact "gc_urgent $1" $MNT
	echo 0 >"$sys/gc_urgent"
}

plan 19
B=$PAGE_SIZE
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/a 0 2M
sync
mount -o remount,checkpoint=disable $MNT
fileop random $MNT/a 512 100 "${SEED:-481}" every 3
fuzz storm --seed "${SEED:-482}" --ops 150 $MNT
check_exact "maps are exact while checkpoints are disabled" $MNT
fileop fallocate $MNT/a insert 64K 64K
fileop fallocate $MNT/a collapse 1M 128K
fileop truncate $MNT/a 1500000
check_exact "maps are exact after ranges are collapsed and inserted without checkpoints" $MNT
mount -o remount,checkpoint=enable $MNT
check_exact "maps are exact after checkpoints are enabled" $MNT
# Data written without a checkpoint is lost by an unmount: the files go back to the old state.
mount -o remount,checkpoint=disable $MNT
fileop write $MNT/a 1M 1M
fileop write $MNT/lost 0 1M
umount $MNT
mount_volume $DISK $MNT
await_live
check_exact "maps are exact after an unmount without a checkpoint" $MNT

echo 20 >"$sys/gc_urgent_sleep_time"
hurry 1
hurry 2
hurry 3
age range
first=$(sed -n 's/^# volume .* main_blkaddr=\([0-9]*\) .*/\1/p' $DBG/table)
fileop gc_range $MNT/a "$first" 20000
check_exact "maps are exact after garbage collection of a range" $MNT

fstrim $MNT
check_exact "maps are exact after fstrim" $MNT
mount -o remount,nodiscard $MNT
age nodiscard
check_exact "maps are exact with nodiscard" $MNT
mount -o remount,discard $MNT
age discard
check_exact "maps are exact with discard" $MNT
umount $MNT
if mount_volume $DISK $MNT discard_unit=section 2>/dev/null; then
	await_live
	age section
	fstrim $MNT
	check_exact "maps are exact with discard_unit=section" $MNT
	umount $MNT
else
	skip "maps are exact with discard_unit=section" "this kernel does not know discard_unit"
fi

# Shrinking moves all blocks out of the removed segments. resize.f2fs grows an unmounted volume.
make_volume $DISK $MNT mode=fragment:segment || bail "no volume"
await_live
echo 16 >"$sys/max_fragment_chunk" 2>/dev/null || :
fileop write $MNT/a 0 $((10240 * B))
fileop random $MNT/a 10240 200 "${SEED:-483}" every 50
age shrink
check_exact "maps are exact for files scattered over the volume" $MNT
before=$(volume_blocks)
expect "the size of the volume is right" "$before" "$(($(blockdev --getsize64 $DISK) / B))"
half=$((before / 2 / 512 * 512))
if fileop resize $MNT/a $half; then
	check_exact "maps are exact after the volume is shrunk to half" $MNT
	expect "the table has the new size of the volume" "$(volume_blocks)" $half
	check "no block lies beyond the new end" awk -v end=$half '!/^#/ && $2 + $3 > end { bad = 1 } END { exit bad }' $DBG/table
else
	skip "maps are exact after the volume is shrunk to half" "this kernel refuses it"
	skip "the table has the new size of the volume" "not shrunk"
	skip "no block lies beyond the new end" "not shrunk"
fi
umount $MNT
# An old resize.f2fs damages volumes of a new kernel.
if resize.f2fs $DISK >/dev/null 2>&1 && ! fsck.f2fs --dry-run $DISK 2>/dev/null | grep -q '\[Fail\]'; then
	mount_volume $DISK $MNT
	await_live
	fileop write $MNT/a $((10240 * B)) 10M
	check_exact "maps are exact after the volume is grown" $MNT
	expect "the table has the size after growing" "$(volume_blocks)" "$before"
else
	skip "maps are exact after the volume is grown" "resize.f2fs is missing or does not fit this kernel"
	skip "the table has the size after growing" "not grown"
fi
finish
