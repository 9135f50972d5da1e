#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 74_rocksdb_replay.sh - RocksDB's system calls, without RocksDB: why the last block of each .sst file is apart
#
# `fileop rocksdb` replays a compaction of db_bench as recorded by strace: reserve more than the file will need, write,
# fdatasync, cut the reserve off by ftruncate, close; between two files the texts LOG and MANIFEST grow. The file ends
# within a block, and F2FS zeroes the rest of that block during the truncation: the block is dirty again, and the next
# flush writes it elsewhere. `make demo` runs RocksDB itself; the number of files that live long enough to be flushed
# then depends on the speed of the machine.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# apart() - print each kind of break of .sst files once: number, cause, and whether it is the last block
apart() {
	awk '
		function close_file() {
			if (breaks)
				n[breaks " " cause (blocks == 1 ? " last block" : " elsewhere")]++
		}
		/^#/ || $NF !~ /\.sst$/ || $5 == "-" { next }
		$2 != ino { close_file(); breaks = 0 }
		{ ino = $2; blocks = $7 }
		$9 != "-" { sub(/:.*/, "", $12); breaks++; cause = $9 " " $10 " " $11 " " $12 }
		END { close_file(); for (i in n) print n[i], i }' $DBG/extents
}

plan 7
make_volume $DISK $MNT || bail "no volume"
# the default of F2FS on a large volume: in place only if fsync needs few blocks
echo 16 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
load path=$MNT
mkdir $MNT/db
fileop rocksdb $MNT/db 10
settle
expect "each of ten files is broken once, at its last block" "$(apart)" "10 1 tail sync moved fileop last block"
expect "causes says the same, of the process that wrote" "$(awk '!/^#/ { print $2, $3, $4, $5, $6, $7, $8, $9 }' $DBG/causes)" \
	"tail sync moved 10 0 10 10 .sst"
expect "nobody took its place: that was cut off, not lost to another file" "$(grep -vc '^#' $DBG/by_pair)" 0
check_exact "the maps are exact" -u $MNT

# The last flush is not the database's: mostly it is the flusher's.
rm -r $MNT/db
mkdir $MNT/db
cd /proc/sys/vm || exit 1
was="$(cat dirty_writeback_centisecs) $(cat dirty_expire_centisecs)"
echo 20 >dirty_writeback_centisecs
echo 20 >dirty_expire_centisecs
fileop rocksdb $MNT/db 10
all_apart() {
	[ "$(apart)" = "10 1 tail writeback moved fileop last block" ]
}
check "the flusher does it, too" loop_until "$PATIENCE" all_apart
echo "${was% *}" >dirty_writeback_centisecs
echo "${was#* }" >dirty_expire_centisecs
cd / || exit 1

# On a small volume F2FS writes in place, so that there are no breaks.
rm -r $MNT/db
mkdir $MNT/db
echo 129 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
fileop rocksdb $MNT/db 10
settle
expect "where F2FS writes in place no last block is apart" "$(apart | grep -c tail)" 0
check_exact "and the maps are exact" -u $MNT
finish
