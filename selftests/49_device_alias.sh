#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 49_device_alias.sh - a file that is an alias of a whole device: its map, and fragtrace's answers
#
# An mkfs.f2fs newer than 1.16.0 makes it (-c DEVICE@NAME), Linux 6.14 or later mounts it. A guest has the mkfs.f2fs of the host's PATH.
#
# group: features

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# on_second(path) - does a file have blocks on the second device?
on_second() {
	path=$1 awk -v first=$FIRST '!/^#/ && $7 == ENVIRON["path"] && $2 >= first { n++ } END { exit !n }' $DBG/table
}

plan 8
command -v fragtrace >/dev/null || skip_rest "alias of a device" "fragtrace is not in this guest"
mkfs.f2fs -q -f -t 0 -c $DISK2@alias $DISK >/tmp/mkfs 2>&1 || skip_rest "alias of a device" "this mkfs.f2fs makes none"
mount_volume $DISK $MNT 2>/dev/null || skip_rest "alias of a device" "this kernel does not mount it"
load path=$MNT
FIRST=$(($(blockdev --getsize64 $DISK) / 4096)) BLOCKS=$(($(blockdev --getsize64 $DISK2) / 4096))
check_exact "maps are exact with an alias" $MNT
expect "the alias has the whole device in one extent" "$(awk '$NF ~ /alias$/ { print $3, $4, $5, $6 }' $DBG/extents)" \
	"0 $((BLOCKS - 1)) $FIRST $((FIRST + BLOCKS - 1))"
expect "files has it as one fragment" "$(column files $MNT/alias 4) $(column files $MNT/alias 6)" "$BLOCKS 1"
expect "fragtrace why says that it is not fragmented" "$(fragtrace why $MNT/alias | tail -n 1)" \
	"$MNT/alias: $(echo $BLOCKS | sed 's/...$/,&/') blocks in 1 fragment, not fragmented."
check "fragtrace block says whose a block of the device is" sh -c "fragtrace block $((FIRST + BLOCKS / 2)) | grep '$MNT/alias'"
fileop write $MNT/a 0 8M
fileop random $MNT/a 2048 100 "${SEED:-496}" every 5
check_exact "maps are exact beside it" $MNT
refuse "another file has no block there" on_second $MNT/a
umount $MNT
mount_volume $DISK $MNT || bail "it cannot be mounted again"
await_live
check_exact "maps are exact after the next mount" $MNT
finish
