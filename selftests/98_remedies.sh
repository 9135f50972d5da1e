#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 98_remedies.sh - what `fragtrace why` advises helps: the same work without and with it, on a large and on a nearly full volume
#
# What does not help is not advised: it is tried here, too. Each check names the fragments and the requests of 128 KiB that reading
# the file takes, of the least that it could take.
#
# kernels: first
# group: causes

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

SEED=${SEED:-98}

# fragments(file), cost(file) - print how many fragments it has; with the requests that reading it takes
fragments() {
	column files "$MNT/$1" 6
}

cost() {
	echo "$(fragments "$1"): $(column files "$MNT/$1" 9) of $(column files "$MNT/$1" 10)"
}

# helps(name, file, file, words) - has the second file, with what is advised against the breaks of the first one, a fourth of its fragments?
helps() {
	settle
	check "$1 ($(cost "$2"); $(cost "$3"))" test "$(fragments "$2")" -ge $((4 * $(fragments "$3")))
	fragtrace why "$MNT/$2" >/tmp/why
	check "$1: it is advised" grep -q "^What helps against [0-9,]* breaks\?: $4" /tmp/why
}

# same(name, file, file) - have both as many fragments, within a tenth?
same() {
	settle
	check "$1 ($(cost "$2"); $(cost "$3"))" test $((10 * $(fragments "$3"))) -ge $((9 * $(fragments "$2")))
}

# whole(file), pinned(file) - a file of 1 MiB; pinned while it is empty, and allocated
whole() {
	fileop write "$MNT/$1" 0 1M sync
}

pinned() {
	: >"$MNT/$1"
	fileop pin "$MNT/$1" 1
	fileop fallocate "$MNT/$1" default 0 1M
	whole "$1"
}

# rewrite(file), map(file), atomic(file), log(file) - write some of its blocks: in random order; through a mapping; by atomic
# writes; into a log first, then all of them
rewrite() {
	fileop random "$MNT/$1" 256 50 "$SEED" every 4 >/dev/null
}

map() {
	local n

	for n in 3 7 1 14 9 5 12 11; do
		fileop mmap "$MNT/$1" $((n * 65536)) 4K
	done
}

atomic() {
	local n

	for n in 3 7 1 14 9 5 12 11; do
		fileop atomic "$MNT/$1" begin write $((n * 65536)) 4096 commit
	done
}

log() {
	local n

	for n in 3 7 1 14 9 5 12 11; do
		fileop append $MNT/log 4096 1 fdatasync
	done
	for n in 3 7 1 14 9 5 12 11; do
		fileop write "$MNT/$1" $((n * 65536)) 4096
	done
	sync
}

# in_turn(bytes, times, file, file, words...) - write to both in turn, from their begin on
in_turn() {
	local n bytes times a b

	bytes=$1 times=$2 a=$3 b=$4 n=0
	shift 4
	while [ $n -lt "$times" ]; do
		fileop write "$MNT/$a" $((n * bytes)) "$bytes" "$@"
		fileop write "$MNT/$b" $((n * bytes)) "$bytes" "$@"
		n=$((n + 1))
	done
}

# preallocated(file...) - allocate their size, nothing else
preallocated() {
	local file

	for file in "$@"; do
		fileop fallocate "$MNT/$file" keep 0 128K
	done
}

# advice(volume, words) - the same work without and with what is advised; these words against files that are synced in turn
advice() {
	local file n

	whole a
	rewrite a
	pinned a.pinned
	rewrite a.pinned
	helps "$1: blocks are rewritten; the file is pinned" a a.pinned "pin files"
	fileop fallocate $MNT/a.allocated default 0 1M
	whole a.allocated
	rewrite a.allocated
	same "$1: it is only preallocated" a a.allocated

	whole b
	map b
	pinned b.pinned
	map b.pinned
	helps "$1: blocks are written through a mapping; the file is pinned" b b.pinned "pin files"

	whole c
	atomic c
	pinned c.pinned
	log c.pinned
	helps "$1: atomic writes; a log, and the file is pinned" c c.pinned "pin files .* write ahead into a log"
	whole c.log
	log c.log
	same "$1: a log alone" c c.log

	in_turn 4096 32 d d.other sync
	in_turn 65536 2 d.larger d.other2 sync
	helps "$1: two files in turn, with a sync after each block; after 16 blocks" d d.larger "$2"
	pinned d.pinned
	pinned d.pinned2
	in_turn 4096 32 d.pinned d.pinned2 sync
	helps "$1: both are pinned" d d.pinned "$2.* pin"
	preallocated d.allocated d.allocated2
	in_turn 4096 32 d.allocated d.allocated2 sync
	same "$1: both are only preallocated" d d.allocated

	in_turn 4096 32 e e.other direct
	in_turn 65536 2 e.larger e.other2 direct
	helps "$1: two files in turn, directly; 16 blocks at a time" e e.larger "write more before each sync or in each direct write"

	fileop fallocate $MNT/f keep 0 1M
	fileop append $MNT/f 100000 1 fdatasync
	fileop truncate $MNT/f 99000
	fileop append $MNT/f.cut 98304 1 fdatasync
	sync
	settle
	expect "$1: a file that is cut within its last block; at its end ($(cost f); $(cost f.cut))" "$(fragments f) $(fragments f.cut)" "2 1"
	fragtrace why $MNT/f >/tmp/why
	check "$1: it is advised" grep -q "^What helps against 1 break: cut files at a multiple of the block size" /tmp/why
}

# fill() - a small volume with many holes and few free segments
fill() {
	umount $MNT
	mkfs.f2fs -q -f $DISK $((160 << 11)) >/dev/null
	mount_volume $DISK $MNT || bail "no volume"
	fileop many $MNT/x 3000 40000 5000 9 2>/dev/null || :
	sync
	rm $MNT/x*[147]
	sync
	await_live
}

plan 38
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
advice "large volume" "write more before each sync"
check_exact "maps are exact" $MNT
fill
advice "nearly full volume" "keep more segments free.* need larger writes"
fill
fileop write $MNT/g 0 8M sync
rm $MNT/x*[25]
fileop gc $MNT 1 200
fileop write $MNT/g.space 0 8M sync
helps "few free segments; more of them" g g.space "keep more segments free"
check_exact "maps are exact" $MNT
finish
