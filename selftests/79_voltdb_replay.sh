#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 79_voltdb_replay.sh - VoltDB's system calls, without VoltDB: the fragments of a snapshot
#
# `fileop voltdb` replays a snapshot by two sites as recorded by strace: two tables are written in turn, in pieces that
# do not end with a block. sync_file_range flushes whole pages at intervals, fdatasync flushes all at the end.
# Finally one byte in the header marks the table as complete, with another fdatasync. So
#
# - the flushes of the two tables interleave: each takes the block that the other one's next flush could have used;
# - the block that a flush leaves half full is not written twice, since only whole pages are flushed;
# - the byte in the header moves the first block away, unless fsync may write in place, which is the default.
#
# group: workloads
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# snapshot(ipu_policy) - set the policy, and replay a snapshot of eight writes of each site into a new folder
snapshot() {
	echo "$1" >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
	rm -rf $MNT/snapshot
	sync
	echo reset >$DBG/healed
	mkdir $MNT/snapshot
	fileop voltdb $MNT/snapshot 8
	settle
}

# kinds(pattern) - print number, cause and process of the breaks of the tables at blocks that match, most first
#
# Here and below without breaks of new_segment: their number depends on the volume.
kinds() {
	at=$1 awk '!/^#/ && $NF ~ /\.vpt$/ && $9 != "-" && $3 ~ "^(" ENVIRON["at"] ")$" {
		sub(/:.*/, "", $12)
		print $9, $10, $11, $12
	}' $DBG/extents | sort | uniq -c | sort -rn | sed 's/^ *//'
}

# at(op) - print the blocks of the tables where breaks of an operation are, each once
at() {
	op=$1 awk '!/^#/ && $NF ~ /\.vpt$/ && $9 == ENVIRON["op"] && $11 != "new_segment" { print $3 }' $DBG/extents | sort -un | tr '\n' ' '
}

# block_after(writes) - print the block that is incomplete after the header of 475 bytes and so many writes of 496731
block_after() {
	echo $(((475 + $1 * 496731) / B))
}

plan 10
B=$PAGE_SIZE
# The blocks where flushes of whole pages begin, except the first; 242, 485 and 727 where a block has 4 KiB.
FLUSHES="$(block_after 2)|$(block_after 4)|$(block_after 6)"
LAST=$(block_after 8)
make_volume $DISK $MNT background_gc=off || bail "no volume"
load path=$MNT
snapshot 16
expect "sync_file_range: each flush except the first begins with a break" "$(kinds "$FLUSHES")" "6 append sync interleaved fileop"
expect "each break is at the page that was incomplete before" "$(at append)" "$(echo "$FLUSHES|$LAST" | tr '|' ' ') "
expect "the last flush begins with a break, in the same log or in another" "$(kinds "$LAST" | sed 's/ \(interleaved\|other_log\) / elsewhere /')" \
	"2 append sync elsewhere fileop"
expect "by_pair: each table has taken the next block of the other" "$(awk '!/^#/ { gsub(/:[0-9]+/, ""); print $3, $4, $5, $6 }' $DBG/by_pair)" \
	".vpt fileop .vpt fileop"
expect "no other file has a break" "$(causes | awk '$8 != ".vpt" { n += $5 } END { print n + 0 }')" 0
check_exact "the maps are exact" -u $MNT
snapshot 0
expect "the flag in the header moves the first block if F2FS does not write in place" "$(kinds 1)" "2 overwrite sync moved fileop"
expect "the breaks of the flushes are the same" "$(kinds "$FLUSHES")" "6 append sync interleaved fileop"
expect "each table has five breaks" "$(awk '!/^#/ && $NF ~ /\.vpt$/ && $9 != "-" && $11 != "new_segment" {
	n[$2]++
} END { for (ino in n) printf "%s ", n[ino] }' $DBG/extents)" "5 5 "
check_exact "the maps are exact without writes in place" -u $MNT
finish
