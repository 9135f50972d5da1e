#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh - the part of the demonstration that runs inside the guest.
#
# usage: demo.sh SECONDS EVERY, with $OUT, $FRAGTRACE_KO and an empty /dev/vda

set -eu

seconds=$1 every=$2
mnt=/mnt/f2fs
dbg=/sys/kernel/debug/fragtrace

# progress() - print one line about the files of the database
progress() {
	awk -v t="$(($(date +%s) - began))" '
		/^#/ { next }
		$NF ~ /\.sst$/ { files++; fragmented += $6 > 1; extents += $5; blocks += $4 }
		END {
			printf "  %3d s: %d .sst files, %d fragmented, %d extents, %d MB\n", t, files, fragmented, extents,
				blocks / 256
		}' "$dbg/files"
}

# bench(arguments...) - run db_bench with the memtable and files small enough for many .sst files within a minute
bench() {
	db_bench --db="$mnt/db" --threads=2 --value_size=1000 --key_size=16 --num=100000 --compression_type=none \
		--write_buffer_size=8388608 --target_file_size_base=4194304 --max_bytes_for_level_base=33554432 \
		"$@" >>"$OUT/db_bench.log" 2>&1
}

# detached() - say how many .sst files have a detached last block, by the last texts
detached() {
	awk '
		/^#/ || $7 !~ /\.sst$/ { next }
		{ n[$5]++ }
		!($5 in at) || $4 > at[$5] { at[$5] = $4; len[$5] = $3 }
		END {
			for (i in n) {
				files++
				apart += n[i] > 1 && len[i] == 1
			}
			printf "  %d of %d .sst files have their last block apart from the rest\n", apart, files
		}' "$OUT/table"
}

# work() - fill the database, then update it, for the given time
work() {
	bench --benchmarks=fillrandom --duration=$((seconds / 3))
	bench --benchmarks=updaterandom --use_existing_db=1 --duration=$((seconds - seconds / 3))
}

mkdir -p "$mnt"
# The last block of an .sst moves if it is written back after the file was truncated. On a real machine a
# database gets there after half a minute; here files do not live that long.
echo 300 >/proc/sys/vm/dirty_expire_centisecs
echo 100 >/proc/sys/vm/dirty_writeback_centisecs
echo "The flusher of this guest writes back what has been dirty for 3 s, not 30 s, as files do not live that long here"
mkfs.f2fs -q -f /dev/vda >/dev/null
mount -t f2fs /dev/vda "$mnt"
mkdir "$mnt/db"
insmod "$FRAGTRACE_KO" path="$mnt"
began=$(date +%s)
echo "RocksDB works for $seconds seconds; the picture is drawn every $every"
work &
worker=$!
fragtrace view -c rocksdb -i rocksdb -o "$OUT/fragImg.png" -n "$every" >"$OUT/view.log" 2>&1 &
viewer=$!
while kill -0 $worker 2>/dev/null; do
	sleep "$every"
	progress
done
wait $worker
sync
kill $viewer
wait $viewer || :

# The last picture and the last texts are from the same moment: all writing has ended.
for text in table extents files healed by_pair stats snapshot; do
	cat "$dbg/$text" >"$OUT/$text"
done
fragtrace view -t "$OUT/snapshot" -c rocksdb -i rocksdb -o "$OUT/fragImg.png" >/dev/null
progress
detached
fiemap-check -d "$dbg" "$mnt" | sed 's/^#* */  checked against FIEMAP: /'

# RocksDB never changes an .sst again, so what broke one a moment ago (--recent) does not come again.
echo "fragtrace defrag rewrites what costs a reader requests:"
rc=0
fragtrace defrag --all --recent 0 --apply "$mnt/db" >"$OUT/defrag.txt" 2>&1 || rc=$?
grep '^  worth a rewrite\|^  nothing is worth\|^moved\|^  not moved\|^now' "$OUT/defrag.txt" | sed 's/^ */  /'
case $rc in
0 | 3 | 4) ;;
*) cat "$OUT/defrag.txt"; exit 1 ;;
esac
sync
cat "$dbg/table" >"$OUT/table.defrag"
fiemap-check -d "$dbg" "$mnt" | sed 's/^#* */  checked against FIEMAP: /'
umount "$mnt"
rmmod fragtrace
