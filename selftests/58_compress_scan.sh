#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 58_compress_scan.sh - scans of compressed files: one of several steps, many while the collector works
#
# Regression: FIEMAP that begins inside a cluster reports it differently. A step ends after 4096 extents. Three
# clusters with one block each, followed by blocks that are all apart, put that end inside a cluster, and the next
# one as well. The collector moves compressed blocks one by one.
#
# group: features
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 5
B=$PAGE_SIZE
sys=/sys/fs/f2fs/${DISK##*/}
if ! make_special $DISK $MNT compress_algorithm=lz4,compress_log_size=3,mode=fragment:block -O extra_attr,compression; then
	skip_rest "compression" "this kernel or these tools have none"
fi
if ! echo 1 >"$sys/max_fragment_chunk" || ! echo 1 >"$sys/max_fragment_hole"; then
	skip_rest "a fragmented file" "this kernel cannot scatter blocks"
fi
mkdir $MNT/c
f2fs_io setflags compression $MNT/c >/dev/null
for block in 0 8 16; do
	fileop write $MNT/c/a $((block * B)) "$B"
done
dd if=/dev/urandom of=$MNT/c/a bs=$((8 * B)) seek=3 count=1022 conv=notrunc 2>/dev/null
# Three random blocks of eight: such a cluster takes four or five blocks.
block=8200
while [ $block -lt 8400 ]; do
	dd if=/dev/urandom of=$MNT/c/a bs="$B" seek=$block count=3 conv=notrunc 2>/dev/null
	fileop write $MNT/c/a $(((block + 3) * B)) $((5 * B))
	block=$((block + 8))
done
fileop truncate $MNT/c/a $((10240 * B))
sync
check "the file has compressed clusters" test "$(f2fs_io get_cblocks $MNT/c/a)" -gt 0
load path=$MNT
check_exact "maps are exact after load" -u $MNT
fileop write $MNT/c/a 0 "$B"
check_exact "maps are exact after a write" -u $MNT
umount $MNT

make_special $DISK $MNT compress_algorithm=lz4,compress_log_size=2 -O extra_attr,compression || bail "no volume"
await_live
mkdir $MNT/c
f2fs_io setflags compression $MNT/c >/dev/null
fileop many $MNT/c/f 40 $((128 * B)) 0
sync
first=$(sed -n 's/^# volume .* main_blkaddr=\([0-9]*\) .*/\1/p' $DBG/table)
(
	i=0
	while [ $i -lt 8 ]; do
		fileop gc_range $MNT/c/f0 "$first" 4096
		i=$((i + 1))
	done
) &
collector=$!
while kill -0 $collector 2>/dev/null; do
	fileop say $DBG/resync 1 >/dev/null
done
wait $collector
check_exact "maps are exact after scans during garbage collection" -u $MNT
umount $MNT

# Regression: with larger blocks, a step began inside of the largest cluster, of 256 blocks. Two of these take 101 blocks each. FIEMAP
# is ended when it has reported them, after 1024 holes; a processor that looks these up in 5 ms does not show it.
make_special $DISK $MNT compress_algorithm=lz4,compress_log_size=8 -O extra_attr,compression || bail "no large clusters"
await_live
mkdir $MNT/c
f2fs_io setflags compression $MNT/c >/dev/null
for block in 0 256; do
	dd if=/dev/urandom of=$MNT/c/large bs="$B" seek=$block count=100 conv=notrunc 2>/dev/null
	dd if=/dev/zero of=$MNT/c/large bs="$B" seek=$((block + 100)) count=156 conv=notrunc 2>/dev/null
done
fileop write $MNT/c/large $((1536 * B)) $((256 * B))
sync
fileop say $DBG/resync 1 >/dev/null
check_exact "maps of the largest clusters are exact after a scan" -u $MNT
finish
