#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 47_zones.sh - fragtrace zones: what the device, F2FS and FIEMAP say of each zone; and where the device differs, a sentence
#
# The device is asked by blkzone, F2FS by segment_info and, for its logs, by dump.f2fs, which reads the last checkpoint.
#
# group: texts

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=in_guest/zones.sh
. "$here/in_guest/zones.sh"

# end() - remove the devices that a test has made
end() {
	cleanup
	losetup -d /dev/loop7 2>/dev/null || :
	remove_null_disk
	rmmod null_blk 2>/dev/null || :
}
trap end EXIT

# zones_now() - print all that fragtrace says of zones, without the time
zones_now() {
	fragtrace zones --json "$@" | sed 's/"time":[0-9.]*//'
}

# record_zones() - begin a recording, keep what it has of zones, and what they were before; false if they have changed meanwhile
record_zones() {
	local recorder rc=0

	sync
	zones_now >/tmp/want
	rm -rf /tmp/run
	fragtrace record --events /tmp/run &
	recorder=$!
	loop_until 30 sh -c 'ls /tmp/run/*.f2fs >/dev/null 2>&1' || rc=1
	kill $recorder
	wait $recorder
	[ $rc = 0 ] || return 1
	zones_now /tmp/run >/tmp/have
	[ "$(zones_now)" = "$(cat /tmp/want)" ]
}

plan 40
command -v fragtrace >/dev/null || skip_rest "zones" "fragtrace is not in this guest"
command -v blkzone >/dev/null || skip_rest "zones" "blkzone is not in this guest"
command -v dump.f2fs >/dev/null || skip_rest "zones" "dump.f2fs is not in this guest"

make_volume $DISK2 $MNT || bail "no volume"
load path=$MNT
expect "a volume without zones is refused with what to take" "$(fragtrace zones 2>&1 || :)" \
	"fragtrace zones: $MNT: none of its devices has zones ($DISK2); its sections are in fragtrace space"
umount $MNT

# zones of 4 MB of which 3 can be written, behind conventional ones of the same device
make_zoned_disk 64 4 3 16 || skip_rest "zones" "this kernel has no zoned null_blk"
mkfs.f2fs -q -f -m $NULL_DISK >/tmp/mkfs 2>&1 || skip_rest "zones" "mkfs.f2fs does not support zones"
mount -t f2fs -o mode=lfs $NULL_DISK $MNT || skip_rest "zones" "this kernel does not mount it"
await_live
ZONED=$NULL_DISK DEVICE=$NULL_DISK NAME=nullb0 FIRST=0
all_agree "one device"
fileop random $MNT/a 3072 4000 "${SEED:-472}" every 5 &
writer=$!
n=0
while kill -0 $writer 2>/dev/null; do
	fragtrace zones --json >/tmp/json || break
	grep -o '"finding":"[a-z_]*"' /tmp/json || :
	n=$((n + 1))
done >/tmp/found
wait $writer || bail "the writer has failed"
sort /tmp/found | uniq -c | sed "s/^/# $n times asked while a file is written: /"
check "zones that are written meanwhile have changed" grep -q changed /tmp/found
check "nothing wrong is said while a file is written" awk '/ahead|lost/ { bad = 1 } END { exit bad }' /tmp/found
echo 1 >/sys/fs/f2fs/nullb0/gc_urgent
fuzz storm --seed "${SEED:-473}" --ops 100 $MNT
sleep 1
check_exact "maps are exact while F2FS collects zones in a hurry" $MNT
echo 0 >/sys/fs/f2fs/nullb0/gc_urgent
fileop pin $MNT/pinned 1 && fileop fallocate $MNT/pinned default 0 3M && fileop write $MNT/pinned 64K 1M || echo "# not pinned"
check_exact "maps are exact with a pinned file" $MNT

# What the device does behind F2FS's back. The volume is given up after that.
ask
full=$(sed -n 's/^{"lba":\([0-9]*\),.*"condition":"full".*"finding":null.*/\1/p' /tmp/json | head -n 1)
empty=$(sed -n 's/^{"lba":\([0-9]*\),.*"condition":"empty".*/\1/p' /tmp/json | tail -n 1)
blkzone reset -f -o $((full * 8)) -l 8192 $NULL_DISK
dd if=/dev/zero of=$NULL_DISK bs=4096 seek="$empty" count=2 oflag=direct conv=notrunc 2>/dev/null
ask
expect "a zone that was reset has valid blocks that were not written" "$(finding "$full")" unwritten
expect "a zone that was written without F2FS has no valid block" "$(finding "$empty")" not_reset
sed -n '/differ:$/,$s/^/# /p' /tmp/text
umount $MNT

# whole zones without conventional ones, behind another device
modprobe loop
truncate -s 40M /tmp/first
losetup /dev/loop7 /tmp/first
make_zoned_disk 64 4 4 0
mkfs.f2fs -q -f -m -c $NULL_DISK /dev/loop7 >/tmp/mkfs 2>&1 || skip_rest "zones" "mkfs.f2fs does not support zones"
mount -t f2fs -o mode=lfs /dev/loop7 $MNT || skip_rest "zones" "this kernel does not mount it"
await_live
DEVICE=/dev/loop7 NAME=loop7
FIRST=$(first_lba)
expect "the second device begins where F2FS has it" "$FIRST" "$(f2fs_lba)"
all_agree "two devices"
check "a recording begins, and F2FS chooses no other zone meanwhile" loop_until "$PATIENCE" record_zones
same "a recording has the same zones"
finish
