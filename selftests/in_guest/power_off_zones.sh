#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# power_off_zones.sh - the guest of host/power_off.sh that is reset while it writes to a zoned disk, and boots again
#
# usage: power_off_zones.sh MILLISECONDS...
#
# After each of these times of writing the guest is reset as by its button, once for each. QEMU goes on, and with it what the disk
# knows of its zones. F2FS's metadata is on $DISK2; a third disk has the number of boots.

here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$here/lib.sh"
# shellcheck source=zones.sh
. "$here/in_guest/zones.sh"

ZONED=/dev/nvme0n1 DEVICE=$DISK2 NAME=${DISK2##*/}
COUNTER=/dev/vdc

# mount_zones() - mount the zoned volume
mount_zones() {
	mkdir -p $MNT
	mount -t f2fs -o mode=lfs $DEVICE $MNT
}

# next_blocks() - print the logs by the last checkpoint: their zone, and where the disk writes next there
next_blocks() {
	checkpoint | while read -r zone _; do
		reported "$FIRST" | awk -v zone="$zone" '$1 == zone { print zone, zone + $5 }'
	done
}

# recovered() - mount the volume after the reset while the module waits for it, compare
recovered() {
	check "$1: the disk has kept what is written of its zones" sh -c "blkzone report $ZONED | grep -q 'zcond: [234]\|zcond:14'"
	# an invalid path refuses the load: mount another volume there until the module is loaded
	make_volume $DISK $MNT || bail "no volume"
	load path=$MNT
	umount $MNT
	mount_zones || bail "it cannot be mounted"
	check "$1: F2FS recovers files ($(dmesg | grep -c 'recover_data: ino'))" sh -c \
		"dmesg | grep -q 'recover_data: ino = .*recovered = [1-9]'"
	await_live
	check_exact "$1: maps are exact after the mount" $MNT
	MAIN=$(sed -n 's/^# volume .*main_blkaddr=\([0-9]*\).*/\1/p' $DBG/table)
	FIRST=$(first_lba)
	ask || bail "fragtrace zones fails"
	ours >/tmp/have
	reported "$FIRST" >/tmp/want
	same "$1: zones are those of blkzone"
	check "$1: nothing differs but what F2FS has not reset" awk '/^."lba"/ && /"finding":"(behind|ahead|unwritten|lost)"/ { bad = 1 } END { exit bad }' /tmp/json
	checkpoint >/tmp/have
	next_blocks >/tmp/want
	same "$1: the logs of the last checkpoint are where the disk writes next"
}

# write_on(milliseconds) - sync files one by one, no operation in between needs a checkpoint; then reset the guest
write_on() {
	local log data

	fileop write $MNT/data 0 4M
	fileop write $MNT/log 0 100
	sync
	fileop append $MNT/log 5000 100000 fdatasync &
	log=$!
	fileop random $MNT/data 1024 100000 "$1" every 2 >/dev/null &
	data=$!
	fileop write $MNT/first 0 100K sync
	sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))"
	check "files are written until the reset" kill -0 $log $data
	[ $KTAP_FAILED = 0 ] || finish
	echo b >/proc/sysrq-trigger
}

boots=$(head -n 1 $COUNTER | tr -d '\0')
boots=$((boots + 1))
echo $boots >$COUNTER
sync
plan $((boots == 1 ? 1 : boots > $# ? 8 : 7))
await_nvme || bail "no zoned disk"
if [ $boots = 1 ]; then
	mkfs.f2fs -q -f -m -c $ZONED $DEVICE >/dev/null && mount_zones || bail "no volume"
else
	recovered "reset $((boots - 1))"
fi
if [ $boots -le $# ]; then
	eval "write_on \${$boots}"
fi
fuzz storm --seed "${SEED:-583}" --ops 100 $MNT
check_exact "maps are exact after writes" $MNT
unload
umount $MNT
check "fsck.f2fs finds nothing" fsck_clean $DEVICE
finish
