#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 49_devices.sh - volumes of several devices, and zoned ones: an LBA is counted over all devices
#
# group: features
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# end() - remove the devices that a test has made besides $DISK and $DISK2
end() {
	cleanup
	losetup -d /dev/loop7 2>/dev/null || :
	remove_null_disk
	rmmod null_blk 2>/dev/null || :
}
trap end EXIT

# stir(folder) - all kinds of writes
stir() {
	fileop random "$1/a" 1024 100 "${SEED:-491}" every 3
	fileop random "$1/a" 1024 50 "${SEED:-492}" direct
	fileop write "$1/new" 0 2M direct
	fuzz storm --seed "${SEED:-493}" --ops 200 "$1"
}

plan 11
B=$PAGE_SIZE
modprobe loop
# The first device is small, so that files go to the second one.
FIRST=$((96 << 20))
truncate -s $FIRST /tmp/first
losetup /dev/loop7 /tmp/first
mkfs.f2fs -q -f -t 0 -c $DISK2 /dev/loop7 >/dev/null
mount_volume /dev/loop7 $MNT || bail "no volume of two devices"
load path=$MNT
fileop write $MNT/a 0 4M
fileop write $MNT/big 0 80M
check_exact "maps are exact on two devices" $MNT
check "files have blocks on the second device" awk -v first=$((FIRST / B)) '!/^#/ && $2 > first { n++ } END { exit !n }' $DBG/table
expect "the volume has the size of both devices" "$(sed -n 's/^# volume .* blocks=\([0-9]*\) .*/\1/p' $DBG/table)" \
	"$(((FIRST + $(blockdev --getsize64 $DISK2)) / B))"
# F2FS asks for the blocks of each direct write of 64 KiB twice, and the second time reports their address within their
# device: such a report counts for nothing, the file is scanned.
maps=$(stat_of events_map)
fileop write $MNT/direct 0 1M direct
settle
expect "reports of direct writes to the second device are not taken" \
	"$(awk -v path=$MNT/direct -v first=$((FIRST / B)) '$NF == path { print ($2 > first) }' $DBG/table | sort -u) $(($(stat_of events_map) - maps))" "1 16"
stir $MNT
check_exact "maps are exact after all kinds of writes" $MNT
fileop gc $MNT 1 30
check_exact "maps are exact after garbage collection" $MNT
umount $MNT
losetup -d /dev/loop7
rm /tmp/first

if ! make_zoned_disk 64 4 4 16; then
	skip_rest "zoned: maps are exact" "this kernel has no zoned null_blk"
fi
mkfs.f2fs -q -f -m $NULL_DISK >/tmp/mkfs 2>&1 || {
	sed 's/^/# /' /tmp/mkfs
	skip_rest "zoned: maps are exact" "mkfs.f2fs does not support zones"
}
mkdir -p $MNT
mount -t f2fs -o mode=lfs $NULL_DISK $MNT || skip_rest "zoned: maps are exact" "this kernel does not mount it"
await_live
fileop write $MNT/a 0 4M
stir $MNT
check_exact "zoned: maps are exact" $MNT
fileop many $MNT/f 200 30000 20000 7
sync
rm $MNT/f*[1245780]
fileop gc $MNT 1 30
check_exact "zoned: maps are exact after garbage collection" $MNT
fileop atomic $MNT/a begin write 100K 200K sync commit
fileop fallocate $MNT/a collapse 64K 64K
fileop fallocate $MNT/a insert 1M 128K
check_exact "zoned: maps are exact after ranges are collapsed and inserted" $MNT
fileop write $MNT/rest 0 $((15360 * B))
i=0
while [ $i -lt 4 ]; do
	fileop random $MNT/rest 15360 1500 "$((${SEED:-494} + i))" every 300
	i=$((i + 1))
done
check_exact "zoned: maps are exact after the volume is filled and rewritten" $MNT
umount $MNT
mount -t f2fs -o mode=lfs $NULL_DISK $MNT
await_live
check_exact "zoned: maps are exact after the next mount" $MNT
finish
