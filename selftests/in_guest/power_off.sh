#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# power_off.sh - the two guests of host/power_off.sh; the image is $DISK2
#
# usage: power_off.sh write|check

tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$tests/lib.sh"

# write_on() - sync files one by one until the power fails; no operation in between needs a checkpoint
write_on() {
	mount_volume $DISK2 $MNT || exit 1
	fileop write $MNT/data 0 4M
	fileop write $MNT/log 0 100
	sync
	fileop append $MNT/log 5000 100000 fdatasync &
	fileop random $MNT/data 1024 100000 "$(date +%s)" every 2 >/dev/null &
	# Print nothing before a file has been synced.
	fileop write $MNT/first 0 100K sync
	echo writing
	i=0
	while :; do
		fileop write "$MNT/new$((i % 50))" 0 $((10000 + i * 777 % 300000)) sync
		i=$((i + 1))
	done
}

# recovered() - mount the volume after the power failure while the module waits for it
recovered() {
	plan 4
	# An invalid path refuses the load: mount another volume there until the module is loaded.
	make_volume $DISK $MNT || bail "no volume"
	load path=$MNT
	umount $MNT
	mount_volume $DISK2 $MNT || bail "it cannot be mounted"
	check "F2FS recovers files ($(dmesg | grep -c 'recover_data: ino'))" sh -c \
		"dmesg | grep -q 'recover_data: ino = .*recovered = [1-9]'"
	await_live
	check_exact "maps are exact after the mount" $MNT
	fileop random $MNT/data 1024 100 "${SEED:-581}" every 3
	fuzz storm --seed "${SEED:-582}" --ops 100 $MNT
	check_exact "maps are exact after writes" $MNT
	unload
	load path=$MNT
	check_exact "maps are exact after the next load" $MNT
	finish
}

modprobe f2fs
case $1 in
write) write_on ;;
check) recovered ;;
esac
