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
#
# group: workloads causes
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# apart() - print what is known of the breaks of .sst files, each once: how many, the cause, whether it is the last block
#
# Without breaks of new_segment: their number depends on the volume.
apart() {
	awk '
		function close_file() {
			if (breaks)
				n[breaks " " cause (blocks == 1 ? " last block" : " elsewhere")]++
		}
		/^#/ || $NF !~ /\.sst$/ || $5 == "-" { next }
		$2 != ino { close_file(); breaks = 0 }
		{ ino = $2; blocks = $7 }
		$9 != "-" && $11 != "new_segment" { sub(/:.*/, "", $12); breaks++; cause = $9 " " $10 " " $11 " " $12 }
		END { close_file(); for (i in n) print n[i], i }' $DBG/extents
}

plan 7
make_volume $DISK $MNT background_gc=off || bail "no volume"
# as F2FS sets it itself on a volume that is not small: in place only where fsync wants few blocks
echo 16 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
load path=$MNT
mkdir $MNT/db
fileop rocksdb $MNT/db 10
settle
expect "each of ten files has one break, at its last block" "$(apart)" "10 1 tail sync moved fileop last block"
expect "a fragment of one block begins with each, and none is healed" \
	"$(causes | grep -v new_segment | cut -d ' ' -f 2-) $(grep -vc '^#' $DBG/healed)" "tail sync moved 10 10 10 .sst 0"
expect "by_pair has no pair: truncation freed the blocks, no other file took them" "$(grep -vc '^#' $DBG/by_pair)" 0
check_exact "the maps are exact" -u $MNT

# The database does not request the last flush: mostly the flusher thread does it. A change of its interval would wake it
# immediately, like a request; so the interval is set first.
rm -r $MNT/db
mkdir $MNT/db
cd /proc/sys/vm || exit 1
was="$(cat dirty_writeback_centisecs) $(cat dirty_expire_centisecs)"
echo 50 >dirty_writeback_centisecs
fileop rocksdb $MNT/db 10
echo 20 >dirty_expire_centisecs
all_apart() {
	[ "$(apart)" = "10 1 tail writeback moved fileop last block" ]
}
if loop_until "$PATIENCE" all_apart; then
	ok "writeback causes the same breaks"
else
	not_ok "writeback causes the same breaks" "$(apart)"
fi
echo "${was% *}" >dirty_writeback_centisecs
echo "${was#* }" >dirty_expire_centisecs
cd / || exit 1

# On a small volume F2FS writes in place, so that there are no breaks.
rm -r $MNT/db
mkdir $MNT/db
echo 129 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
fileop rocksdb $MNT/db 10
settle
expect "no last block is apart if F2FS writes in place" "$(apart | grep -c tail)" 0
check_exact "the maps are exact after writes in place" -u $MNT
finish
