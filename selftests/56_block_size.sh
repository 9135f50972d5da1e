#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 56_block_size.sh - F2FS with blocks of another size than 4 KiB: refused with a message
#
# F2FS's blocks have the size of the kernel's pages. With pages of 4 KiB the kernel refuses all other volumes
# before the module sees them.

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

plan 5
mkdir -p $MNT
mkfs.f2fs -q -f $DISK >/dev/null
set_log_blocksize 14
if mount -t f2fs $DISK $MNT 2>/dev/null; then
	# On a kernel with larger pages the module refuses.
	expect "16 KiB: the load is refused" "$(fileop insmod "$FRAGTRACE_KO" path=$MNT)" EOPNOTSUPP
	check "16 KiB: the log has the reason" logged "blocks of 16384 bytes are not supported"
	umount $MNT
else
	ok "16 KiB: this kernel does not mount it"
	check "16 KiB: the log has the reason" logged 'log_blocksize (14)'
fi
expect "the load is refused without an F2FS volume" "$(fileop insmod "$FRAGTRACE_KO" path=$MNT)" EOPNOTSUPP
set_log_blocksize 12
mount_volume $DISK $MNT || bail "the volume cannot be mounted with blocks of 4 KiB"
ok "4 KiB: the volume is mounted"
load path=$MNT
fileop write $MNT/a 0 1M
check_exact "4 KiB: maps are exact" $MNT
finish
