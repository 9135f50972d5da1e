#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 35_move_range.sh - F2FS_IOC_MOVE_RANGE: addresses exchanged, or blocks copied
#
# __exchange_data_block() copies blocks through the page cache. Blocks that are not part of a checkpoint it
# gives to the target with their addresses. A block is part of one as soon as it is allocated, except with
# checkpoint=disable. Neither way has a tracepoint. F2FS reports addresses that are removed only while
# the file has an extent cache.
#
# group: gc
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# lba_of(file, block) - print the address of a block of a file in fragtrace
lba_of() {
	path=$1 awk -v b="$2" '!/^#/ && $7 == ENVIRON["path"] && $4 <= b && b < $4 + $3 { print $2 + b - $4 }' $DBG/table
}

# prepare(mount options) - a new volume with a contiguous file, a fragmented one, and one with holes
prepare() {
	mounted $MNT && umount $MNT
	make_volume $DISK $MNT "$1" || bail "no volume"
	await_live
	fileop write $MNT/whole 0 2M
	fileop write $MNT/pieces 0 2M
	sync
	# No two blocks are adjacent: runs are too short for F2FS's extent cache, so F2FS disables it.
	fileop random $MNT/pieces 512 1000 "${SEED:-351}" every 5
	fileop random $MNT/holes 512 60 "${SEED:-352}"
	sync
}

# moves(name) - random ranges in both directions, each compared
moves() {
	fileop moves $MNT/whole $MNT/pieces 512 16 "${SEED:-353}"
	check_exact "$1, in one piece and in pieces" -u $MNT
	fileop moves $MNT/holes $MNT/pieces 512 16 "${SEED:-354}"
	check_exact "$1, with holes" -u $MNT
}

# move_one(name) - one range between two files, without a later event that could correct the map;
# sets $went to what F2FS did: exchanged or copied
move_one() {
	local before

	fileop write $MNT/from 0 $((256 * B))
	fileop write $MNT/to 0 $((256 * B))
	sync
	before=$(lba_of $MNT/from 64)
	fileop move $MNT/from $((64 * B)) $MNT/to $((128 * B)) $((32 * B))
	check_exact "$1" $MNT
	went=copied
	[ "$(lba_of $MNT/to 128)" != "$before" ] || went=exchanged
}

plan 24
B=$PAGE_SIZE
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
move_one "maps are exact after one range is moved"
expect "F2FS copied the blocks" "$went" copied
fileop move $MNT/from $((225 * B)) $MNT/to $((768 * B)) $((16 * B))
check_exact "maps are exact after a move beyond the end" $MNT
fileop write $MNT/to 0 64K
fileop move $MNT/to 0 $MNT/to 256K 64K
check_exact "maps are exact after a move within a file" $MNT
fileop fallocate $MNT/reserved default 0 512K
fileop write $MNT/reserved 64K 64K
fileop move $MNT/reserved 0 $MNT/to 1M 256K
check_exact "maps are exact after preallocated blocks are moved" -u $MNT
fileop write $MNT/odd 0 70001
fileop move $MNT/odd 64K $MNT/to 64K 0
check_exact "maps are exact after a move to the end of a file that ends inside a block" $MNT
prepare ""
moves "maps are exact after copies"
prepare noextent_cache
move_one "without extent cache: maps are exact after one range is copied"
moves "without extent cache: maps are exact after copies"
prepare checkpoint=disable
move_one "checkpoint off: maps are exact after one range is moved"
expect "F2FS exchanged the addresses" "$went" exchanged
# The fifth block of 16 goes and comes back: the break behind it has gone.
fileop write $MNT/whole.x 0 $((16 * B))
fileop write $MNT/one.x 0 "$B"
sync
fileop move $MNT/whole.x $((4 * B)) $MNT/one.x 0 "$B"
settle || :
echo reset >$DBG/healed
expect "a file without one of its blocks is in two fragments" "$(column files $MNT/whole.x 6)" 2
fileop move $MNT/one.x 0 $MNT/whole.x $((4 * B)) "$B"
settle || :
expect "the break is healed when the block is back" "$(column files $MNT/whole.x 6) $(grep -v '^#' $DBG/healed | cut -d ' ' -f 2-)" "1 range none moved 1 .x"
moves "maps are exact after exchanges"
prepare checkpoint=disable,noextent_cache
move_one "without extent cache: maps are exact after one range is exchanged"
moves "without extent cache: maps are exact after exchanges"
# Refused after the begin: F2FS restores the addresses that it has removed.
umount $MNT
if make_volume $DISK $MNT checkpoint=disable,mode=lfs 2>/dev/null; then
	await_live
	fileop write $MNT/whole 0 2M
	fileop write $MNT/to 0 64K
	refuse "mode=lfs: the move is refused" fileop move $MNT/whole 0 $MNT/to 0 64K 2>/dev/null
	check_exact "mode=lfs: maps are exact after the refused move" $MNT
else
	skip "mode=lfs: the move is refused" "this kernel always makes checkpoints in this mode"
	skip "mode=lfs: maps are exact after the refused move" "likewise"
fi
prepare ""
fileop many $MNT/junk 60 30000 20000 7
sync
rm $MNT/junk*[1345]
fileop moves $MNT/whole $MNT/pieces 512 12 "${SEED:-356}" busy &
fileop gc $MNT 1 20
wait $!
check_exact "maps are exact after moves during garbage collection" $MNT
echo 3 >/proc/sys/vm/drop_caches
fileop moves $MNT/whole $MNT/pieces 512 12 "${SEED:-357}"
check_exact "maps are exact after moves of evicted inodes" $MNT
finish
