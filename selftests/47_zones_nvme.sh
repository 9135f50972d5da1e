#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 47_zones_nvme.sh - an NVMe disk with zones: maps, what fragtrace zones says of it, the next mount, and fsck
#
# The device is asked by blkzone, F2FS by segment_info and dump.f2fs, as in 47_zones.sh.
#
# group: texts

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=in_guest/zones.sh
. "$here/in_guest/zones.sh"

# end() - remove the device that the test has made
end() {
	cleanup
	losetup -d /dev/loop7 2>/dev/null || :
	rmmod nvme nvme_core 2>/dev/null || :
}
trap end EXIT

plan 20
ZONED=/dev/nvme0n1 DEVICE=/dev/loop7 NAME=loop7
for program in fragtrace blkzone dump.f2fs fsck.f2fs; do
	command -v $program >/dev/null || skip_rest "zones of an NVMe disk" "$program is not in this guest"
done
await_nvme || skip_rest "zones of an NVMe disk" "this guest has no NVMe disk"
# All its zones are written in order: F2FS's metadata is elsewhere.
modprobe loop
truncate -s 40M /tmp/first
losetup $DEVICE /tmp/first
mkfs.f2fs -q -f -m -c $ZONED $DEVICE >/tmp/mkfs 2>&1 || skip_rest "zones of an NVMe disk" "mkfs.f2fs does not support zones"
mkdir -p $MNT
mount -t f2fs -o mode=lfs $DEVICE $MNT || bail "it cannot be mounted"
load path=$MNT
FIRST=$(first_lba)
expect "the NVMe disk begins where F2FS has it" "$FIRST" "$(f2fs_lba)"
all_agree "NVMe"
echo 1 >/sys/fs/f2fs/$NAME/gc_urgent
fuzz storm --seed "${SEED:-474}" --ops 200 $MNT
fileop random $MNT/a 3072 1500 "${SEED:-475}" every 50
echo 0 >/sys/fs/f2fs/$NAME/gc_urgent
check_exact "maps are exact after F2FS has collected zones in a hurry" $MNT
umount $MNT
check "fsck.f2fs finds nothing" fsck_clean $DEVICE
mount -t f2fs -o mode=lfs $DEVICE $MNT || bail "it cannot be mounted again"
await_live
check_exact "maps are exact after the next mount" $MNT
ask
ours >/tmp/have
reported "$FIRST" >/tmp/want
same "zones are those of blkzone after the next mount"
finish
