#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Times pictures of synthetic tables, and of a plain matplotlib script. Prints figures without a verdict.
# usage: bench_view.sh PROGRAM [EXTENTS...]
#
# Each figure is the minimum, the median and the maximum of five rounds. Compared programs run alternately.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
fragtrace=$1
shift
[ $# -gt 0 ] || set -- 1000000 10000000
rounds=5
# a smaller table for matplotlib
small=100000
dir=$(mktemp -d)
# Debian's Python finds Debian's packages
python=/usr/bin/python3
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

# make_table(extents) - 1000 files whose fragments of 1 to 8 blocks alternate, with gaps between
make_table() {
	awk -v n="$1" 'BEGIN {
		print "# fragtrace table 1"
		printf "# volume 254:0 main_blkaddr=5120 blocks=%d segment_blocks=512 path=/mnt/f2fs\n",
			5120 + n * 6.7108864
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

# timed(name, command...) - add "milliseconds KiB" of a command to the figures of a name
timed() {
	local name=$1

	shift
	/usr/bin/time -f '%e %M' -o "$dir/time" "$@" >/dev/null
	awk '{ print $1 * 1000, $2 }' "$dir/time" >>"$dir/$name.figures"
}

# summary(name) - print the figures of a name
summary() {
	sort -n "$dir/$1.figures" | awk -v name="$1" '
		{ ms[NR] = $1; if ($2 > kib) kib = $2 }
		END { printf "%-24s %6d %6d %6d ms, at most %d MiB\n", name, ms[1], ms[int((NR + 1) / 2)], ms[NR], kib / 1024 }'
}

# middle(name) - print the median time of a name
middle() {
	sort -n "$dir/$1.figures" | awk '{ ms[NR] = $1 } END { print ms[int((NR + 1) / 2)] }'
}

for extents; do
	make_table "$extents" >"$dir/table"
	echo "# $extents extents, $(($(wc -c <"$dir/table") / 1000000)) MB of text: least, middle, most"
	for _ in $(seq $rounds); do
		for layout in boxes segments hilbert; do
			timed "$extents.$layout" "$fragtrace" view -t "$dir/table" -o "$dir/out.png" --layout $layout
		done
	done
	for layout in boxes segments hilbert; do
		summary "$extents.$layout"
	done
done
if ! $python -c 'import matplotlib' 2>/dev/null; then
	echo "# matplotlib is not installed: nothing to compare with"
	exit 0
fi
make_table $small >"$dir/table"
echo "# $small extents: this program and matplotlib"
for _ in $(seq $rounds); do
	timed ours "$fragtrace" view -t "$dir/table" -o "$dir/out.png" --layout segments
	timed matplotlib $python "$here/bench_plain.py" "$dir/table" "$dir/plain.png"
done
summary ours
summary matplotlib
echo "ratio of the middle ones: $(awk -v a="$(middle matplotlib)" -v b="$(middle ours)" 'BEGIN { printf "%.0f", a / b }')"
