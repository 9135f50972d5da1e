#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 44_compress.sh - compressed files: clusters written, rewritten, truncated, released, reserved, decompressed
#
# The addresses of the blocks of a compressed cluster are stored after the first block of the cluster, which has
# none. A cluster that does not compress is written unchanged; random data makes such clusters.
#
# group: features
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# mix(file, blocks) - write blocks of which some are compressible
mix() {
	local i

	i=0
	while [ $i -lt "$2" ]; do
		dd if=/dev/urandom of="$1" bs="$B" seek=$i count=6 conv=notrunc 2>/dev/null
		fileop write "$1" $(((i + 6) * B)) $((40000 * S))
		i=$((i + 16))
	done
}

# tool(arguments of f2fs_io...) - run it quietly
tool() {
	f2fs_io "$@" >/dev/null 2>&1
}

# compressed(algorithm) - all operations on a compressed file
compressed() {
	mix $MNT/c/a 96
	fileop write $MNT/c/b 0 $((128 * B))
	check_exact "$1: maps are exact after compressed files are written" -u $MNT
	check "$1: the file has compressed blocks" test "$(f2fs_io get_cblocks $MNT/c/b)" -gt 0
	fileop write $MNT/c/b 0 $((16 * B))
	fileop write $MNT/c/b $((100001 * S)) 300
	fileop random $MNT/c/a 96 30 "${SEED:-441}" every 4
	mix $MNT/c/b 32
	check_exact "$1: maps are exact after whole and partial clusters are overwritten" -u $MNT
	for size in 380001 300000 262144 262143 20000; do
		fileop truncate $MNT/c/a $((size * S))
		[ $((size % 2)) = 0 ] || sync
	done
	check_exact "$1: maps are exact after truncation inside clusters" -u $MNT
	fileop truncate $MNT/c/a $((400000 * S))
	fileop write $MNT/c/a $((390000 * S)) $((20000 * S))
	fileop mmap $MNT/c/a $((100000 * S)) $((70000 * S))
	fileop write $MNT/c/a $((16 * B)) $((8 * B)) direct
	check_exact "$1: maps are exact after growth, mapped and direct writes" -u $MNT
	fileop fallocate $MNT/c/new default 0 $((75 * B))
	fileop write $MNT/c/new $((70000 * S)) $((100000 * S))
	check_exact "$1: maps are exact after preallocation and writes" -u $MNT
	refuse "$1: F2FS refuses to punch a hole" fileop fallocate $MNT/c/b punch 0 $((16 * B)) 2>/dev/null
	tool release_cblocks $MNT/c/b
	check_exact "$1: maps are exact after saved blocks are released" -u $MNT
	tool reserve_cblocks $MNT/c/b
	fileop write $MNT/c/b "$B" $((25 * B))
	check_exact "$1: maps are exact after saved blocks are reserved" -u $MNT
	fileop gc $MNT 1 20
	check_exact "$1: maps are exact after garbage collection" -u $MNT
	fileop random $MNT/c/b 128 150 "${SEED:-443}" every 3 &
	fileop gc $MNT 1 40
	wait $!
	check_exact "$1: maps are exact after garbage collection during writes" -u $MNT
	rm $MNT/c/a
	check_exact "$1: maps are exact after a file is removed" -u $MNT
}

plan 33
B=$PAGE_SIZE
# Other sizes are given for blocks of 4 KiB.
S=$((B / 4096))
if ! make_special $DISK $MNT compress_algorithm=lz4,compress_log_size=2 -O extra_attr,compression; then
	skip_rest "compression" "this kernel or these tools have none"
fi
load path=$MNT
mkdir $MNT/c
tool setflags compression $MNT/c
compressed lz4
umount $MNT
mount_volume $DISK $MNT compress_algorithm=zstd:6,compress_log_size=4,compress_cache || bail "no zstd"
await_live
rm -r $MNT/c
mkdir $MNT/c
tool setflags compression $MNT/c
compressed zstd
umount $MNT
mount_volume $DISK $MNT compress_mode=user || bail "no compress_mode=user"
await_live
mkdir $MNT/u
tool setflags compression $MNT/u
fileop write $MNT/u/a 0 $((100 * B))
mix $MNT/u/b 64
check_exact "compress_mode=user: maps are exact before compression" $MNT
tool compress $MNT/u/a
tool compress $MNT/u/b
check_exact "compress_mode=user: maps are exact after compression" $MNT
check "compress_mode=user: the file has compressed blocks" test "$(f2fs_io get_cblocks $MNT/u/a)" -gt 0
fileop random $MNT/u/a 100 10 "${SEED:-442}" every 3
check_exact "compress_mode=user: maps are exact after writes to compressed clusters" $MNT
tool decompress $MNT/u/a
tool decompress $MNT/u/b
check_exact "compress_mode=user: maps are exact after decompression" $MNT
expect "compress_mode=user: the file has no compressed blocks" "$(f2fs_io get_cblocks $MNT/u/a)" 0
rm -r $MNT/u
umount $MNT
mount_volume $DISK $MNT compress_algorithm=lz4,compress_extension=x,nocompress_extension=y,compress_chksum ||
	bail "no compress_extension"
await_live
mix $MNT/one.x 64
mix $MNT/two.y 64
check_exact "compress_extension: maps are exact" $MNT
check "compress_extension: the file has compressed blocks" test "$(f2fs_io get_cblocks $MNT/one.x)" -gt 0
fileop atomic $MNT/one.x begin write 0 $((16 * B)) sync commit 2>/dev/null || :
check_exact "compress_extension: maps are exact after a request for an atomic write" $MNT
finish
