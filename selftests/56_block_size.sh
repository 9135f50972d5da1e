#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 56_block_size.sh - F2FS has blocks as large as the kernel's pages: others are not mounted, these are followed
#
# The kernel refuses all other volumes before the module sees them.
#
# group: features
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# set_log_blocksize(log2) - write it into both copies of the super block, 16 bytes after their beginning
set_log_blocksize() {
	local copy

	for copy in 1024 $((PAGE + 1024)); do
		printf "\\$(printf %03o "$1")" | dd of=$DISK bs=1 seek=$((copy + 16)) conv=notrunc 2>/dev/null
	done
	sync
	blockdev --flushbufs $DISK
}

plan 8
PAGE=$PAGE_SIZE
RIGHT=12 WRONG=14
[ "$PAGE" = 4096 ] || RIGHT=14 WRONG=12
make_volume $DISK $MNT || bail "no volume"
umount $MNT
set_log_blocksize $WRONG
refuse "blocks of 2^$WRONG bytes: this kernel does not mount it" mount -t f2fs $DISK $MNT
check "blocks of 2^$WRONG bytes: the log has the reason" logged "log_blocksize ($WRONG)"
expect "the load is refused without an F2FS volume" "$(fileop insmod "$FRAGTRACE_KO" path=$MNT)" EOPNOTSUPP
set_log_blocksize $RIGHT
mount_volume $DISK $MNT || bail "the volume cannot be mounted with blocks of $PAGE bytes"
load path=$MNT
fileop write $MNT/a 0 1M
ok "blocks of a page: the volume is mounted"
check_exact "blocks of a page: maps are exact" $MNT
# the records of the snapshot say it, the texts where it is not 4096; both are compared
expect "the size of a block in the table" "$(sed -n 's/^# block_bytes //p' $DBG/table)" "$([ "$PAGE" = 4096 ] || echo "$PAGE")"
cat $DBG/snapshot >/tmp/snapshot
snapcat table /tmp/snapshot >/tmp/text
cp $DBG/table /tmp/table
check "the snapshot has the same table" cmp /tmp/text /tmp/table
# 16 KiB: what begins in the middle of a block shares it
fileop write $MNT/b $((PAGE / 2)) "$PAGE"
sync
expect "a write across a border has two blocks" "$(awk -v path=$MNT/b '$NF == path { print $4 }' $DBG/files)" 2
finish
