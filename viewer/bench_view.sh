#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Times one picture of a million extents; prints, does not judge.
# usage: bench_view.sh PROGRAM [EXTENTS]
set -eu

view=$1
extents=${2:-1000000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# make_table(extents) - 1000 files whose fragments of 1 to 8 blocks alternate, with gaps between
make_table() {
	awk -v n="$1" 'BEGIN {
		print "# fragtrace table 1"
		printf "# volume 254:0 main_blkaddr=5120 blocks=%d segment_blocks=512 path=/mnt/f2fs\n",
			5120 + n * 10
		split("sst log rdb vpt hash", ext, " ")
		srand(1)
		lba = 5120
		for (i = 0; i < n; i++) {
			f = i % 1000
			len = int(rand() * 8) + 1
			printf "254:0 %d %d %d %d fragmented /mnt/f2fs/db/%06d.%s\n",
				lba, len, off[f], f + 4, f, ext[f % 5 + 1]
			off[f] += len
			lba += len + int(rand() * 3)
		}
	}'
}

make_table "$extents" >"$dir/table"
echo "$extents extents, $(($(wc -c <"$dir/table") / 1000000)) MB of text"
for round in 1 2 3; do
	start=$(date +%s%N)
	"$view" -t "$dir/table" -o "$dir/out.png"
	end=$(date +%s%N)
	echo "round $round: $(((end - start) / 1000000)) ms"
done
