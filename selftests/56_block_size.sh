#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 56_block_size.sh - F2FS with blocks of another size than 4 KiB: refused with a message
#
# F2FS's blocks have the size of the kernel's pages. The kernel refuses all other volumes before the module sees
# them. On a kernel with larger pages the module refuses what the kernel mounts.
#
# group: features

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# set_log_blocksize(log2) - write it into both copies of the super block, 16 bytes after their beginning
set_log_blocksize() {
	local copy

	for copy in 1024 5120; do
		printf "\\$(printf %03o "$1")" | dd of=$DISK bs=1 seek=$((copy + 16)) conv=notrunc 2>/dev/null
	done
	sync
	blockdev --flushbufs $DISK
}

# refused(device) - load for a volume with blocks of a page that is larger than 4 KiB, if mkfs.f2fs can make one
refused() {
	if ! mkfs.f2fs -q -f -b "$PAGE" "$1" >/dev/null 2>&1; then
		skip "blocks of $PAGE bytes: the load is refused" "this mkfs.f2fs has no option -b"
		skip "blocks of $PAGE bytes: the log has the reason" "this mkfs.f2fs has no option -b"
		return
	fi
	mount -t f2fs "$1" $MNT || bail "the volume cannot be mounted with blocks of $PAGE bytes"
	expect "blocks of $PAGE bytes: the load is refused" "$(fileop insmod "$FRAGTRACE_KO" path=$MNT)" EOPNOTSUPP
	check "blocks of $PAGE bytes: the log has the reason" logged "blocks of $PAGE bytes are not supported"
	umount $MNT
}

# followed(device) - 4 KiB is the size of a page: the volume is followed
followed() {
	set_log_blocksize 12
	mount_volume "$1" $MNT || bail "the volume cannot be mounted with blocks of 4 KiB"
	load path=$MNT
	fileop write $MNT/a 0 1M
	ok "4 KiB: the volume is mounted"
	check_exact "4 KiB: maps are exact" $MNT
}

plan 5
PAGE=$(page_size)
WRONG=12
[ "$PAGE" != 4096 ] || WRONG=14
mkdir -p $MNT
mkfs.f2fs -q -f $DISK >/dev/null
set_log_blocksize $WRONG
refuse "blocks of 2^$WRONG bytes: this kernel does not mount it" mount -t f2fs $DISK $MNT
check "blocks of 2^$WRONG bytes: the log has the reason" logged "log_blocksize ($WRONG)"
expect "the load is refused without an F2FS volume" "$(fileop insmod "$FRAGTRACE_KO" path=$MNT)" EOPNOTSUPP
if [ "$PAGE" = 4096 ]; then
	followed $DISK
else
	refused $DISK
fi
finish
