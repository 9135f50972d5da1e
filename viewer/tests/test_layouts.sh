#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the layouts of fragtrace view, and pictures of a part of the blocks; speaks KTAP. See testlib.sh.
# usage: test_layouts.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"
# shellcheck source-path=SCRIPTDIR source=picture.sh
. "$here/picture.sh"

# === Layouts ===

# The first of two rows of 32 begins at 162,425; each has a bar of 36 pixels before it.
test_segments() {
	plain -t "$data/small.table" --layout segments
	boxes '#00aa00' 6
	boxes '#ff8800' 4
	boxes '#aa4400' 2
	boxes '#0000ff' 6
	boxes '#c0c0c0' 22
	says '1 row = 1 segment (128 KiB), 1 cell = 1 block (4 KiB)'
	pixel 162 425 '#00aa00'
	pixel $((162 + 31 * 9)) 425 '#00aa00'
	pixel 162 434 '#c0c0c0'
	pixel $((162 + 31 * 9)) 434 '#ffffff'
	pixel $((162 + 32 * 9)) 434 '#ecebe6'
	# 19 of 32 blocks are 21 of 36 pixels, 21 are 24
	pixel $((120 + 20)) 425 '#6a6a67'
	pixel $((120 + 21)) 425 '#d2d1cb'
	pixel $((120 + 23)) 434 '#6a6a67'
	pixel $((120 + 24)) 434 '#d2d1cb'
}

# Empty rows are folded into a line that says how many they are. The grid begins at 162,381.
test_empty_segments_are_folded() {
	printf '%s\n%s\n%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=0 blocks=102400 segment_blocks=512 path=/m' \
		'254:0 0 512 0 4 fragmented /m/a.sst' '254:0 51200 512 512 4 fragmented /m/a.sst' >t
	"$fragtrace" view -t t -c "$data/plain.color.cnf" -o out.png --layout segments
	[ "$(height)" -lt 500 ] || fail "the picture is $(height) pixels high"
	says 'not watched or free: blocks=101376 gaps=2 longest=50688, folded blocks=101376'
	# the last 8 blocks are near the break, the others pale
	only 162 381 $((504 * 2)) 8 '#f5d9c0'
	only $((162 + 504 * 2)) 381 16 8 '#ff8800'
	only 900 390 100 8 '#ecebe6' '#6a6a67'
	pixel 1000 394 '#6a6a67'
	only 162 399 16 8 '#aa4400'
	only $((162 + 16)) 399 $((504 * 2)) 8 '#f5d9c0'
	plain -t t --layout segments
	says 'not watched or free: blocks=101376 gaps=2 longest=50688, folded blocks=0'
}

# Low rows and narrow cells have no borders: colours are those of the legend, without stripes.
test_segments_are_solid() {
	local dpi
	one_file 524288 524288 >t
	for dpi in 96 300; do
		"$fragtrace" view -t t -c "$data/plain.color.cnf" -o out.png --layout segments --dpi $dpi
		only $((200 * dpi / 96)) $((500 * dpi / 96)) $((400 * dpi / 96)) $((400 * dpi / 96)) '#00aa00'
	done
}

test_sections_are_ruled_off() {
	sed 's/segment_blocks=32/segment_blocks=4/' "$data/small.table" >t
	plain -t t --layout segments --section 4
	for row in 0 4 8 12; do
		pixel 162 $((424 + row * 9)) '#202124'
	done
	# not through the numbers
	only 12 460 90 1 '#ecebe6'
	for row in 1 2 3 5 15; do
		pixel 162 $((424 + row * 9)) '#ecebe6'
	done
	plain -t t --layout segments
	pixel 162 $((424 + 4 * 9)) '#ecebe6'
}

test_several_segments_in_a_row() {
	big 1 1000 1000 50000000 >t
	plain -t t --layout segments
	small_enough
	says '1 row = 256 segments (512 MiB), 1 cell = 128 blocks (512 KiB)'
}

# 8 x 8 cells of 139 x 139 from 84,415; the border of 1 belongs to them
test_hilbert() {
	plain -t "$data/small.table" --layout hilbert
	for cells in '#00aa00 6' '#ff8800 4' '#aa4400 2' '#0000ff 6'; do
		pixels "${cells% *}" $((${cells#* } * 138 * 138 + 280))
	done
	says '1 cell = 1 block (4 KiB); the volume along a Hilbert curve; ticks: rows and columns with something drawn'
	# blocks 0 to 11 are at 0,0 0,1 1,1 1,0 2,0 3,0 3,1 2,1 2,2 3,2 3,3 2,3 (column, row)
	for at in 0,0 0,1 1,1 1,0 2,0; do
		pixel $((84 + ${at%,*} * 139)) $((415 + ${at#*,} * 139)) '#00aa00'
	done
	for at in 3,0 3,1 2,1 3,3; do
		pixel $((84 + ${at%,*} * 139)) $((415 + ${at#*,} * 139)) '#ff8800'
	done
	pixel $((84 + 2 * 139)) $((415 + 2 * 139)) '#aa4400'
	pixel $((84 + 2 * 139)) $((415 + 3 * 139)) '#ffffff'
	# the last block is in the upper right corner
	pixel $((84 + 7 * 139)) 415 '#ffffff'
	pixel $((84 + 8 * 139)) 415 '#ecebe6'
}

# More pixels show the same cells larger, or more cells; never fewer cells, never a small corner.
test_hilbert_uses_its_area() {
	local dpi cell width
	used >t
	"$fragtrace" view -t t -c "$data/plain.color.cnf" -o out.png --layout hilbert
	cell=$(cell)
	hilbert_is_filled 96
	dpi=300
	"$fragtrace" view -t t -c "$data/plain.color.cnf" -o out.png --layout hilbert --dpi $dpi
	[ "$(cell)" = "$cell" ] || fail "$dpi dpi: $(cell), at 96 dpi $cell"
	hilbert_is_filled $dpi
	for width in 640 2560; do
		echo "width $width" >i.cnf
		"$fragtrace" view -t t -c "$data/plain.color.cnf" -o out.png --layout hilbert -i ./i.cnf
		hilbert_is_filled 96
	done
	# 64 MiB
	one_file 5000 16384 >t
	"$fragtrace" view -t t -c "$data/plain.color.cnf" -o out.png --layout hilbert --dpi 600
	[ "$(cell)" = '1 cell = 1 block (4 KiB)' ] || fail "$(cell)"
	hilbert_is_filled 600
}

# hilbert_is_filled(dpi) - at least a quarter of the room between the labels is in the square
hilbert_is_filled() {
	"$peek" out.png | awk -v dpi="$1" '
		/^size/ { all = ($2 - 168 * dpi / 96) ^ 2 }
		/^#/ && !/^#(ecebe6|202124|6a6a67) / { any += $2 }
		END { exit any < all * 0.25 }' || fail "the square is a small part of the picture"
}

test_a_lone_block_is_seen() {
	one_file 1 4294967295 >t
	# 1/4 of its colour would be #bfeabf, and hardly seen
	plain -t t --layout hilbert
	pixels '#7f9981' 1
	plain -t t --layout segments
	[ "$("$peek" out.png | grep -c '^#7f9981 ')" = 1 ] || fail "the block is not there"
	small_enough
}

test_a_full_volume_is_pure_colour() {
	one_file 4294967295 4294967295 >t
	plain -t t --layout hilbert
	pixels '#00aa00' $((1024 * 1024 + 280))
	# the volume is a block short of 2^32
	[ "$(cell)" = '1 cell = 4,096 blocks (16.0 MiB)' ] || fail "$(cell)"
	one_file 300000 300000 >t
	plain -t t --layout hilbert
	pixels '#00aa00' $((512 * 512 * 4 + 280))
}

test_part_of_a_cell_is_mixed() {
	# 1.144 blocks in a cell; the last of 109375 blocks ends within cell 95573
	one_file 109375 300000 >t
	plain -t t --layout hilbert
	pixels '#00aa00' $((95573 * 4 + 280))
	# 0.3333 of it is full: 1/4 + 3/4 of that is half of the colour
	pixels '#80d580' 4
}

test_two_volumes_have_one_scale() {
	printf '%s\n%s\n%s\n%s\n%s\n' '# fragtrace table 1' \
		"# volume 254:0 main_blkaddr=0 blocks=4194304 segment_blocks=512 path=/a" \
		"# volume 254:1 main_blkaddr=0 blocks=1048576 segment_blocks=512 path=/b" \
		"254:0 0 4194304 0 4 contiguous /a/a.sst" \
		"254:1 0 1048576 0 4 contiguous /b/a.log" >t
	plain -t t --layout hilbert
	pixels '#00aa00' $((1024 * 1024 + 280))
	pixels '#0000ff' $((512 * 512 + 280))
}

# Twelve volumes of one size: each of them is seen whole, and the picture is not twelve pages long.
test_many_volumes_are_smaller() {
	{
		echo '# fragtrace table 1'
		for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
			echo "# volume 254:$i main_blkaddr=0 blocks=16384 segment_blocks=512 path=/$i"
		done
		for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
			echo "254:$i 0 16384 0 4 contiguous /$i/a.sst"
		done
	} >t
	plain -t t --layout hilbert
	[ "$(height)" -lt 5000 ] || fail "$(height) pixels high"
	# 128 times 128 cells of two pixels, without a border; and the legend
	pixels '#00aa00' $((12 * 256 * 256 + 280))
}

test_layouts_with_nothing() {
	local layout
	for layout in boxes segments hilbert; do
		plain -t "$data/header_only.table" --layout $layout -n 0.01 --count 1
		says 'no directory is watched'
		printf '%s\n%s\n' '# fragtrace table 1' \
			'# volume 254:0 main_blkaddr=5 blocks=6 segment_blocks=32 path=/m' >t
		plain -t t --layout $layout
		says 'not watched or free: blocks=1 gaps=1 longest=1, folded blocks=0'
	done
}

# Free space is black, inks are light; colours stay unless they are dark: half of what they have less than 61 is added.
test_dark() {
	plain -t "$data/small.table" --theme dark
	boxes '#00aa00' 6
	boxes '#ff8800' 4
	# 32 % of #f5d9c0, away from breaks
	[ "$(count '#4e453d')" = 280 ] || fail "no dim swatch"
	# of blue, 0.072 * 255 is 18
	boxes '#1515ff' 6
	pixels '#ffffff' 0
	[ "$(count '#000000')" -gt 24 ] || fail "no free space"
	only 0 0 12 "$(height)" '#1b1c1f'
	plain -t "$data/small.table" --theme dark -o out.svg
	grep -qx '<rect x="0" y="0" width="1280" height="[0-9]*" fill="#1b1c1f"/>' out.svg
	echo 'theme dark' >i.cnf
	"$fragtrace" view -t "$data/small.table" -i ./i.cnf -o out.png --theme light
	only 0 0 12 "$(height)" '#ecebe6'
	misused '--theme grey: expected light or dark' plain -t "$data/small.table" --theme grey
}

test_dpi() {
	plain -t "$data/small.table" --dpi 192
	pixels '#00aa00' $((6 * 256 + 4 * 280))
	"$peek" out.png text >texts
	grep -qx 'dpi: 192' texts
	plain -t "$data/small.table"
	"$peek" out.png text | grep -qx 'dpi: 96'
}

# A large file is read in pieces, standard input as a whole.
test_pieces() {
	big 600000 3 7 4200000 | sed '1a\
# time 1700000000.123' >t
	[ "$(wc -c <t)" -gt 20000000 ] || fail "the table is too small"
	# the second time it is in memory as a whole
	plain -t t -n 0.01 --count 2
	mentions '2023-11-14 22:13:20 UTC: 1 file, 600,000 extents'
	mv out.png file.png
	plain -t - <t
	cmp out.png file.png
	head -c 19999999 t >short
	refuses 'short:' plain -t short
	grep -q 'the table is cut short' stderr || fail "$(cat stderr)"
	awk '{ print } NR == 500000 { print "254:0 x" }' t >bad
	refuses 'bad:500001: the lba is not a number' plain -t bad
	{ cat t; head -c 40000 /dev/zero | tr '\0' x; } >long
	refuses 'long:600004: the line is longer than 32768 bytes' plain -t long
	{ cat t; printf '#%32767s\n' x; } >longest
	plain -t longest
	zstd -q t
	plain -t t.zst
	cmp out.png file.png
}

# However many empty segments are between two files, they are drawn as few.
test_gaps_are_as_high() {
	local n
	for n in 20 63 64 65 200; do
		printf '%s\n' '# fragtrace table 1' "# volume 254:0 main_blkaddr=0 blocks=$(((n + 2) * 512)) segment_blocks=512 path=/m" \
			"254:0 0 512 0 4 contiguous /m/a" "254:0 $(((n + 1) * 512)) 512 0 5 contiguous /m/b" >t
		"$fragtrace" view -t t -o out.png --layout segments
		"$peek" out.png | head -n 1 >size.$n
		cmp size.20 size.$n || fail "$n segments: $(cat size.20 size.$n)"
	done
}

# An inode number is of one volume, and others share a place in the list of them.
test_many_files_are_told_apart() {
	awk 'BEGIN {
		print "# fragtrace table 1\n# time 1700000000.000"
		for (v = 0; v < 2; v++)
			print "# volume 254:" v * 16 " main_blkaddr=0 blocks=4096 segment_blocks=512 path=/m" v
		for (v = 0; v < 2; v++)
			for (i = 0; i < 1200; i++)
				print "254:" v * 16, i, 1, int(i / 600), (i % 600) * (i % 600) * 7919 % 999983 + 4, "fragmented", "/m" v "/f" i % 600
	}' >t
	plain -t t
	mentions '2023-11-14 22:13:20 UTC: 1,200 files, 2,400 extents'
}

# === A part of the picture ===

# block_sum(name) - of all lines of the legend in out.png that begin with a name, the blocks
block_sum() {
	"$peek" out.png text | sed -n "s/, folded.*//; s/^$1: //p" | grep -o 'blocks=[0-9]*' | head -n 2 |
		awk -F= '{ n += $2 } END { print n + 0 }'
}

test_lba() {
	plain -t "$data/small.table" --lba 103-109
	boxes '#00aa00' 2
	boxes '#ff8800' 3
	boxes '#aa4400' 2
	boxes '#c0c0c0' 0
	says '.sst: contiguous files=1 blocks=2, fragmented files=1 blocks=5 fragments=2, folded blocks=0'
	says 'all files: contiguous files=1 blocks=2, fragmented files=1 blocks=5 fragments=2, folded blocks=0'
	says 'not watched or free: blocks=0 gaps=0 longest=0, folded blocks=0'
	says '254:0 /mnt/f2fs  LBA 103 to 109 of 100 to 163, 7 blocks (28 KiB), 100 % in watched files'
	says 'LBA 103 to 109 is drawn, and counted below; the lines above are of the whole volume'
	# files keep their numbers
	mentions ': 7 files, 10 extents, 1 fragmented file (14.3 %)'
	mentions '9 fragments; split factor 1.286'
	plain -t "$data/small.table" --lba 105-105
	pixels '#ff8800' $((36 + 280))
	says '254:0 /mnt/f2fs  LBA 105 to 105 of 100 to 163, 1 block (4 KiB), 100 % in watched files'
}

# Both halves of a volume add up to it, wherever it is cut, and have its colours.
test_lba_open_ends() {
	local cut
	for cut in 104 106 121 132 162; do
		plain -t "$data/small.table" --lba -$cut
		"$peek" out.png | grep -E '^#(00aa00|ff8800|aa4400|0000ff|c0c0c0) ' >halves
		plain -t "$data/small.table" --lba $((cut + 1))-
		"$peek" out.png | grep -E '^#(00aa00|ff8800|aa4400|0000ff|c0c0c0) ' >>halves || :
		# a colour that is in a half has a swatch in its legend
		awk '{ n[$1] += $2 - 280 } END { for (c in n) print c, n[c] / 64 }' halves | sort >got
		printf '%s\n' '#0000ff 6' '#00aa00 6' '#aa4400 2' '#c0c0c0 22' '#ff8800 4' | diff - got ||
			fail "cut after $cut"
	done
}

test_lba_in_all_layouts() {
	# a row begins where its segment does: block 140 is the ninth of 132 to 163
	plain -t "$data/small.table" --layout segments --lba 140-150
	boxes '#c0c0c0' 11
	pixel 230 408 '#ecebe6'
	pixel 239 408 '#c0c0c0'
	pixel 329 408 '#c0c0c0'
	pixel 338 408 '#ecebe6'
	plain -t "$data/small.table" --layout hilbert --lba 100-115
	mentions '1 cell = 1 block'
	says '.sst: contiguous files=1 blocks=5, fragmented files=1 blocks=6 fragments=3, folded blocks=0'
	plain -t "$data/small.table" --lba 100-115 -o out.svg
	grep -q 'svg' out.svg
	# gaps of a part are folded as those of a volume
	"$fragtrace" view -t "$data/rocksdb2.table" --layout segments --lba 2760100-2779100 -o out.png
	says 'not watched or free: blocks=3564 gaps=11 longest=3554, folded blocks=3072'
}

# A fragment that is cut has the colour that it has as a whole.
test_lba_cuts_no_fragment() {
	plain -t "$data/small.table" --lba 101-104
	pixel 42 393 '#00aa00'
	"$fragtrace" view -t "$data/small.table" --color-by size --lba 106-106 -o out.png
	says '2 to 3: fragments=1 blocks=1, folded blocks=0'
	# the second half of a fragment of two extents
	printf '%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m' >t
	printf '254:0 %s 4 fragmented /m/a\n' '100 2 0' '102 2 5' '110 1 8' >>t
	"$fragtrace" view -t t --color-by size --lba 103-103 -o out.png
	says '4 to 7: fragments=1 blocks=1, folded blocks=0'
}

test_lba_of_several_volumes() {
	"$fragtrace" view -t "$data/two.table" --lba 55-105 -o out.png
	says '254:0 /mnt/a  LBA 100 to 105 of 100 to 119, 6 blocks (24 KiB), 33.3 % in watched files'
	mentions '254:16 /mnt/my disk  LBA 55 to 59 of 50 to 59, 5 blocks (20 KiB)'
	says 'LBA 55-105 of each volume is drawn, and counted below; the lines above are of the whole volumes'
	"$fragtrace" view -t "$data/two.table" --lba -59 -o out.png
	mentions '254:16 /mnt/my disk  LBA 50 to 59 of 50 to 59'
	"$peek" out.png text | grep '^254:0 ' && fail "a volume without a block is drawn"
	true
}

test_bad_lba() {
	local bad
	for bad in 5 a-b 9-5 - -- 1-2-3 1K-2K ' 1-2' 0x10-0x20 99999999999999999999-; do
		misused "fragtrace view: --lba $bad: not valid; give block addresses as A-B, A- or -B, with A not above B" \
			"$fragtrace" view -t "$data/small.table" --lba="$bad" -o out.png
	done
	for bad in 164- -99 50-120 120-164 200-300; do
		misused "--lba $bad: no volume of $data/small.table has these blocks; expected addresses of one: 100 to 163" \
			"$fragtrace" view -t "$data/small.table" --lba=$bad -o out.png
	done
	misused '--lba 60-99: no volume of' "$fragtrace" view -t "$data/two.table" --lba 60-99 -o out.png
	misused 'expected addresses of one: 100 to 119, 50 to 59' "$fragtrace" view -t "$data/two.table" --lba 60-99 -o out.png
	misused 'has no volume' "$fragtrace" view -t "$data/header_only.table" --lba 5- -o out.png -n 1 --count 1
}

test_only() {
	local layout
	plain -t "$data/small.table" --only '*.log'
	boxes '#0000ff' 6
	boxes '#d8e2f2' 34
	boxes '#00aa00' 0
	mentions ': 1 file, 2 extents, 0 fragmented files'
	says 'only files that match *.log: 1 of 7; all numbers of files are theirs'
	says '.log: contiguous files=1 blocks=6, fragmented files=0 blocks=0 fragments=0, folded blocks=0'
	says 'all files: contiguous files=1 blocks=6, fragmented files=0 blocks=0 fragments=0, folded blocks=0'
	says 'other files: blocks=34, folded blocks=0'
	says 'not watched or free: blocks=24 gaps=4 longest=9, folded blocks=0'
	says '254:0 /mnt/f2fs  LBA 100 to 163, 64 blocks (256 KiB), 9.4 % in matching files'
	# a text without a wildcard is a part of the path, as in top
	for layout in boxes segments hilbert; do
		plain -t "$data/small.table" --layout $layout --only 'f2fs/my '
		says 'other files: blocks=34, folded blocks=0'
		mentions ': 1 file, 2 extents'
	done
	plain -t "$data/small.table" --only '*.log' --lba 124-131
	boxes '#0000ff' 2
	boxes '#d8e2f2' 2
	says 'other files: blocks=2, folded blocks=0'
}

# The numbers are those of a table that has only these files.
test_only_has_the_numbers_of_its_files() {
	local by only
	printf '254:0 %s fragmented /mnt/f2fs/back.sst\n' '9000000 4 8 900' '9000010 4 4 900' '9000020 4 0 900' |
		cat "$data/rocksdb2.table" - >t
	sed -i 's/blocks=5242880/blocks=10000000/' t
	# only texts are compared
	printf 'layout hilbert\nwidth 640\n' >i.cnf
	for only in 00012 back; do
		grep -E "^#|$only" t >alone
		touch -d @1700000000 t alone
		for by in kind severity size cause file="*$only*"; do
			"$fragtrace" view -t alone --color-by "$by" -o out.png -i ./i.cnf
			"$peek" out.png text | grep -E '^[^ ]*: (cont|blocks)|fragment|files' | grep -v '^254:0\|^not watched' >expected
			"$fragtrace" view -t t --color-by "$by" --only $only -o out.png -i ./i.cnf
			"$peek" out.png text | grep -E '^[^ ]*: (cont|blocks)|fragment|files' |
				grep -v '^254:0\|^not watched\|^only files\|^other files' | diff expected - || fail "$only by $by"
		done
	done
}

test_only_without_a_match() {
	refuses "fragtrace view: --only no*such: no watched file of $data/small.table matches; give a part of a path, or a glob" \
		plain -t "$data/small.table" --only 'no*such'
	misused "--only '': not valid; give a part of paths, or a glob" plain -t "$data/small.table" --only ''
	refuses "fragtrace serve: --only no*such: no watched file of $data/small.table matches; give a part of a path, or a glob" \
		"$fragtrace" serve "$data/small.table" --only 'no*such' -l 0
	# a file may come later: this is said once
	plain -t "$data/small.table" --only 'no*such' -n 0.01 --count 2 2>err
	[ "$(cat err)" = "fragtrace view: --only no*such: no watched file of $data/small.table matches; give a part of a path, or a glob" ] ||
		fail "$(cat err)"
	says 'only files that match no*such: 0 of 7; all numbers of files are theirs'
}

# state_sums() - print the blocks of out.png that are free, of nodes, of other data and of all files
state_sums() {
	echo "$(block_sum free) $(block_sum nodes) $(block_sum 'other data') $(block_sum 'all files')"
}

# F2FS's state of the parts adds up to that of the whole.
test_lens_with_the_state() {
	local sum part cut
	set -- -t "$data/f2fs-7/table" --f2fs-state "$data/f2fs-7" -o out.png
	"$fragtrace" view "$@"
	sum=$(state_sums)
	! echo "$sum" | grep -qw 0 || fail "no blocks: $sum"
	for cut in 20500 49300 52000; do
		"$fragtrace" view "$@" --lba -$cut
		part=$(state_sums)
		"$fragtrace" view "$@" --lba $((cut + 1))-
		part=$(echo "$part $(state_sums)" | awk '{ print $1 + $5, $2 + $6, $3 + $7, $4 + $8 }')
		[ "$part" = "$sum" ] || fail "cut after $cut: $part; expected $sum"
	done
	# files that do not match are not taken for free or for unwatched ones
	"$fragtrace" view "$@" --only f2.sst
	part="$(block_sum free) $(block_sum nodes) $(block_sum 'other data') $(($(block_sum 'all files') + $(block_sum 'other files')))"
	[ "$part" = "$sum" ] || fail "with --only: $part; expected $sum"
}

test_lens_is_for_pictures_alone() {
	local option other
	for option in '--lba 103-109' '--only log'; do
		for other in 'record dir' table files metrics 'check split>1' why 'block 1' space; do
			# shellcheck disable=SC2086 # lists of words
			misused "not an option here; see fragtrace ${other%% *} --help" "$fragtrace" $other -t "$data/small.table" $option
		done
	done
	misused 'not an option here; see fragtrace top --help' "$fragtrace" top "$data/small.table" --lba 103-109
}

test_stale_is_in_the_title() {
	sed '1a\
# stale 2' "$data/two.table" >t
	plain -t t
	"$peek" out.png text | grep -qx 'Title: fragtrace /mnt/a, /mnt/my disk (2 files stale)'
}

# The picture of a big volume with a long path: no text in the margin, and the heading says all.
test_texts_stay_inside() {
	path=/mnt/$(printf 'a-very-long-name/%.0s' 1 2 3 4 5 6 7 8 9 10 11 12)f2fs
	{
		printf '%s\n' '# fragtrace table 1' '# stale 1000000'
		echo "# volume 254:0 main_blkaddr=0 blocks=4294967295 segment_blocks=512 path=$path"
		echo "254:0 0 1000 0 4 contiguous $path/a.sst"
	} >t
	plain -t t
	only $(($(width) - 12)) 0 12 "$(height)" '#ecebe6'
	mentions '4,294,967,295 blocks (16.0 TiB), <0.1 % in watched files'
	# the size of the volume is at the right of its heading
	"$peek" out.png 1100 339 100 20 | grep -q '#202124' || fail "the heading ends with the path"
	for width in 640 2560; do
		echo "width $width" >i.cnf
		plain -t t -i ./i.cnf
		only $(($(width) - 12)) 0 12 "$(height)" '#ecebe6'
	done
}

# Names in other scripts are not rows of the same box.
test_scripts() {
	for name in 漢字 かな; do
		printf '%s\n%s\n' '# fragtrace table 1' \
			"# volume 254:0 main_blkaddr=5 blocks=6 segment_blocks=32 path=/$name" >$name
		touch -d '2026-05-04 03:02:01 UTC' $name
		plain -t $name
		mv out.png $name.png
	done
	! cmp -s 漢字.png かな.png || fail "two names look the same"
}

test_svg_and_pdf() {
	plain -t "$data/small.table" -o out.svg
	# texts can be searched
	grep -q '^<svg' out.svg && grep -q '<title>fragtrace /mnt/f2fs</title>' out.svg && grep -q '>.sst</text>' out.svg
	plain -t "$data/small.table" -o out.PDF
	[ "$(head -c 5 out.PDF)" = %PDF- ] || fail "no PDF"
	if command -v pdftotext >/dev/null; then
		pdftotext out.PDF - | grep -q 'fragtrace /mnt/f2fs' || fail "the texts of the PDF are no texts"
	fi
	no_rest
	refuses 'full.pdf: cannot write the picture: No space left on device' sh -c "ln -s /dev/full full.pdf; '$fragtrace' view -t '$data/small.table' -o full.pdf"
}

test_automatic_colours() {
	"$fragtrace" view -t "$data/small.table" -i "$data/plain.img.cnf" -o out.png
	# .sst has most blocks, then .log; LOG.old.1699 gets no colour
	boxes '#98f7c6' 6
	boxes '#0d9a58' 4
	boxes '#003423' 2
	boxes '#9ac5fd' 6
	boxes '#c1c1c1' 22
}

run_tests
