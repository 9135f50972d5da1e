#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 85_turns.sh - a long scan is done in steps; other files are scanned in between, and no block is lost between steps
#
# For a sparse file with all its nodes FIEMAP needs one look-up for each block of its holes. In the second part each
# look-up takes so long that the watchdog ends FIEMAP repeatedly, at any place.
#
# kernels: first
# group: hostile
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# map_of(file) - exact or stale
map_of() {
	column files "$MNT/$1" 3
}

# is_exact(file) - is its map exact?
is_exact() {
	[ "$(map_of "$1")" = exact ]
}

plan 7
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
i=0
while [ $i -lt 100 ]; do
	fileop write $MNT/a_sparse $((i * 4))M 4096
	i=$((i + 1))
done
fileop write $MNT/small 0 1M
settle || bail "maps are not exact"
steps=0
for i in 1 2 3; do
	echo 1 >$DBG/resync &
	resync=$!
	loop_until "$PATIENCE" is_exact small
	# The small file was queued together with the large one, and is finished long before it.
	[ "$(map_of a_sparse)" = exact ] || steps=$((steps + 1))
	wait $resync
done
check "a small file does not wait for a large one ($steps of 3)" test $steps -ge 2
check "the large file becomes exact" is_exact a_sparse
check_exact "maps are exact" $MNT

rm $MNT/a_sparse
fileop random $MNT/pieces 1000 400 "${SEED:-85}"
fileop fallocate $MNT/pieces keep 8M 16M
fileop fallocate $MNT/pieces keep 80M 1M
fileop write $MNT/pieces 90M 4096
settle || bail "maps are not exact"
if late function=f2fs_map_blocks before_ms=1; then
	check "in many steps: a file of many extents is scanned" sh -c "echo 1 >$DBG/resync"
	check "in many steps: the map becomes exact" is_exact pieces
	late
	check_exact "in many steps: maps are exact" -u $MNT
	echo 1 >$DBG/audit
	expect "in many steps: an audit finds no difference" "$(awk '!/^#/' $DBG/audit | wc -l)" 0
else
	for what in "a file of many extents is scanned" "the map becomes exact" "maps are exact" "an audit finds no difference"; do
		skip "in many steps: $what" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	done
fi
finish
