#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 98_remedies.sh - what `fragtrace why` advises helps: the same work without and with it, with free segments and on a nearly full volume
#
# What does not help is not advised: it is tried here, too.
#
# kernels: first
# group: causes

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=before_after.sh
. "$here/before_after.sh"

SEED=${SEED:-98}

# advised(name, file, words) - are these the first words of what is advised for the file?
advised() {
	fragtrace why "$MNT/$2" >/tmp/why
	check "$1: it is advised" grep -q "^What helps against [0-9,]* breaks\?: $3" /tmp/why
}

# unadvised(name, file) - does the file have breaks, but nothing is advised?
unadvised() {
	fragtrace why "$MNT/$2" >/tmp/why
	check "$1: nothing is advised" sh -c "grep -q ' breaks:\$' /tmp/why && ! grep -q '^What helps' /tmp/why"
}

# whole(file), pinned(copy, file) - a file of 1 MiB; a copy of one, pinned while it is empty, and allocated
whole() {
	fileop write "$MNT/$1" 0 1M sync
	remember "$1"
}

pinned() {
	: >"$MNT/$1"
	fileop pin "$MNT/$1" 1
	fileop fallocate "$MNT/$1" default 0 1M
	dd if="$MNT/$2" of="$MNT/$1" bs=1M conv=notrunc,fsync 2>/dev/null
	remember "$1"
}

# rewrite(file, words...) - write some blocks in random order: each synced alone (dsync), or so many at a time (every N)
rewrite() {
	local file

	file=$1
	shift
	fileop random "$MNT/$file" 256 60 "$SEED" "$@" >/dev/null
}

# map(file, words...) - write blocks through a mapping, each with an msync, or not (nosync)
map() {
	local n file

	file=$1
	shift
	for n in 3 7 1 14 9 5 12 11; do
		fileop mmap "$MNT/$file" $((n * 65536)) 4K "$@"
	done
	sync
}

# atomic(file), log(file, words...) - write blocks by atomic writes; into a log first, then all of them
atomic() {
	local n

	for n in 3 7 1 14 9 5 12 11; do
		fileop atomic "$MNT/$1" begin write $((n * 65536)) 4096 commit
	done
}

log() {
	local n file

	file=$1
	shift
	for n in 3 7 1 14 9 5 12 11; do
		fileop append $MNT/log 4096 1 fdatasync
	done
	for n in 3 7 1 14 9 5 12 11; do
		fileop write "$MNT/$file" $((n * 65536)) 4096 "$@"
	done
	sync
}

# one_piece(file) - a file that ends within a block, in one piece; those that are not in one get other names
one_piece() {
	local n=0

	while
		fileop fallocate "$MNT/$1" keep 0 128K
		fileop append "$MNT/$1" 100000 1 fdatasync
		sync
		[ "$(figures "$1")" != "0 0" ]
	do
		n=$((n + 1))
		mv "$MNT/$1" "$MNT/$1.$n"
	done
}

# filled(file...) - files of 128 KiB that have been written
filled() {
	local file

	for file; do
		fileop write "$MNT/$file" 0 128K sync
		remember "$file"
	done
}

# in_turn(operation, bytes, times, file, file, words...) - write to both in turn, from their begin on
in_turn() {
	local n how bytes times a b

	how=$1 bytes=$2 times=$3 a=$4 b=$5 n=0
	shift 5
	while [ $n -lt "$times" ]; do
		fileop "$how" "$MNT/$a" $((n * bytes)) "$bytes" "$@"
		fileop "$how" "$MNT/$b" $((n * bytes)) "$bytes" "$@"
		n=$((n + 1))
	done
}

# advice(volume, words) - the same work without and with what is advised; these words against files that are synced in turn
advice() {
	local file

	whole a
	rewrite a every 20
	whole a.synced
	rewrite a.synced dsync
	helps "$1: rewritten, 20 blocks at a time; each with fdatasync" a a.synced
	advised "$1" a "fdatasync or msync, or fsync after at most 8 blocks"
	refuse "$1: F2FS does not pin the file, as it has blocks" fileop pin $MNT/a 1 2>/dev/null
	pinned a.pinned a
	rewrite a.pinned every 20
	helps "$1: a copy of the file is pinned" a a.pinned
	fileop fallocate $MNT/a.allocated default 0 1M
	whole a.allocated
	rewrite a.allocated every 20
	same "$1: it is only preallocated" a a.allocated

	whole b
	map b nosync
	whole b.synced
	map b.synced
	helps "$1: written through a mapping; each block with msync" b b.synced
	advised "$1" b "fdatasync or msync, or fsync after at most 8 blocks"

	whole c
	atomic c
	whole c.log
	log c.log dsync
	helps "$1: atomic writes; a log, and blocks that are written with fdatasync" c c.log
	advised "$1" c "write ahead into a log instead of using atomic writes, and fdatasync"
	whole c.alone
	log c.alone
	same "$1: a log alone" c c.alone

	in_turn write 4096 32 d d.other sync
	in_turn write 65536 2 d.larger d.other2 sync
	helps "$1: two files in turn, with a sync after each block; after 16 blocks" d d.larger
	advised "$1" d "$2"
	for file in d.allocated d.allocated2; do
		fileop fallocate "$MNT/$file" keep 0 128K
	done
	in_turn write 4096 32 d.allocated d.allocated2 sync
	same "$1: both are only preallocated" d d.allocated
	filled d.filled d.filled2
	in_turn write 4096 32 d.filled d.filled2 sync
	helps "$1: both were filled before" d d.filled

	in_turn write 4096 32 e e.other direct
	in_turn write 65536 2 e.larger e.other2 direct
	helps "$1: two files in turn, directly; 16 blocks at a time" e e.larger
	filled e.filled e.filled2
	in_turn write 4096 32 e.filled e.filled2 direct
	helps "$1: directly, both were filled before" e e.filled
	advised "$1" e "write more before each sync or in each direct write"

	for file in f f.multiple; do
		one_piece $file
	done
	fileop truncate $MNT/f 99000
	fileop truncate $MNT/f.multiple 98304
	fileop append $MNT/f.whole 99000 1 fdatasync
	sync
	settle
	for file in f f.multiple f.whole; do
		breaks=$(awk -v path="$MNT/$file" '!/^#/ && $NF == path && $9 == "tail"' $DBG/extents | wc -l)
		echo "$file $breaks"
	done >/tmp/cut
	expect "$1: cut within its last block; at a multiple; not at all" "$(tr '\n' ' ' </tmp/cut)" "f 1 f.multiple 0 f.whole 0 "
	helps "$1: cut within its last block; at a multiple" f f.multiple 16
	advised "$1" f "cut files at a multiple of the block size"
}

# without_place() - with mode=lfs F2FS neither rewrites in place nor pins
without_place() {
	priced_disk 1024 1
	make_volume $DISK $MNT background_gc=off,mode=lfs || bail "no volume"
	load path=$MNT
	whole a
	rewrite a every 20
	whole a.synced
	rewrite a.synced dsync
	same "mode=lfs: rewritten, 20 blocks at a time; each with fdatasync" a a.synced
	unadvised "mode=lfs" a
	: >$MNT/empty
	refuse "mode=lfs: F2FS does not pin an empty file" fileop pin $MNT/empty 1 2>/dev/null
	whole c
	atomic c
	whole c.log
	log c.log dsync
	same "mode=lfs: atomic writes; a log, and blocks that are written with fdatasync" c c.log
	unadvised "mode=lfs" c
	in_turn write 4096 32 d d.other sync
	in_turn write 65536 2 d.larger d.other2 sync
	helps "mode=lfs: two files in turn, with a sync after each block; after 16 blocks" d d.larger
	advised "mode=lfs" d "write more before each sync"
	filled d.filled d.filled2
	in_turn write 4096 32 d.filled d.filled2 sync
	same "mode=lfs: both were filled before" d d.filled
}

# half(file) - a file of 1 MiB in a compressed folder, of which a half compresses
half() {
	dd if=/dev/urandom of="$MNT/$1" bs=512K count=1 2>/dev/null
	fileop write "$MNT/$1" 512K 512K sync
	remember "$1"
}

# compressed() - of a file with compressed clusters, nothing is advised
compressed() {
	priced_disk 1024 1
	make_special $DISK $MNT background_gc=off,compress_algorithm=lz4,compress_log_size=2 -O extra_attr,compression ||
		bail "this kernel does not compress"
	as_large
	load path=$MNT
	mkdir $MNT/packed
	f2fs_io setflags compression $MNT/packed >/dev/null 2>&1
	half packed/a
	rewrite packed/a every 20
	half packed/synced
	rewrite packed/synced dsync
	same "compressed: rewritten, 20 blocks at a time; each with fdatasync" packed/a packed/synced
	unadvised "compressed" packed/a
}

# no_copy_on_write() - F2FS ignores chattr +C, and says nothing
no_copy_on_write() {
	: >$MNT/a.chattr
	check "chattr +C is no error" chattr +C $MNT/a.chattr
	whole a.chattr
	rewrite a.chattr every 20
	same "rewritten, 20 blocks at a time; after chattr +C" a a.chattr
}

# new_in_mapping() - blocks that are new cannot be in place
new_in_mapping() {
	in_turn mmap 4096 32 m m.other
	in_turn mmap 65536 2 m.larger m.other2
	helps "two files in turn, through mappings, with msync after each block; after 16 blocks" m m.larger
	advised "new in mappings" m "write more before each sync"
}

# urgent() - while gc_urgent is 1, a log that has filled its segment takes one with holes, although many are free
urgent() {
	fileop many $MNT/h 1000 8K 0
	sync
	rm $MNT/h*[13579]
	sync
	# later, this would fill what the other one leaves of its segment
	fileop write $MNT/calm 0 4M sync
	echo 1 >"/sys/fs/f2fs/${DISK##*/}/gc_urgent"
	fileop write $MNT/urgent 0 4M sync
	echo 0 >"/sys/fs/f2fs/${DISK##*/}/gc_urgent"
	helps "gc_urgent is 1; it is 0" urgent calm
	advised "gc_urgent" urgent "keep more segments free.* gc_urgent is 1"
}

plan 62
command -v fragtrace >/dev/null && command -v chattr >/dev/null || skip_rest "remedies" "fragtrace or chattr is not in this guest"
begin
advice "free segments" "write more before each sync"
no_copy_on_write
new_in_mapping
urgent
check_exact "maps are exact" $MNT
judge
fill '[147]'
advice "nearly full" "keep more segments free.* need larger writes"
judge
fill '[147]'
fileop write $MNT/g 0 8M sync
# before collections move it
advised "a file without others" g "keep more segments free"
rm $MNT/x*[25]
fileop gc $MNT 1 200
fileop write $MNT/g.space 0 8M sync
helps "few free segments; more of them" g g.space
check_exact "maps are exact" $MNT
judge
without_place
judge
compressed
judge
finish
