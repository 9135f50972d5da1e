#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the pictures of fragtrace view from recorded tables: blocks, fragments, extensions, folding; speaks KTAP. See testlib.sh.
# usage: test_view.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"
# shellcheck source-path=SCRIPTDIR source=picture.sh
. "$here/picture.sh"

# === Helpers ===

# good_lines(lines) - a table of one volume with these records is drawn
good_lines() {
	printf '%s\n%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m' "$1" >t
	plain -t t
}

# === Pictures ===

test_small_exact_colours() {
	plain -t "$data/small.table"
	boxes '#00aa00' 6
	boxes '#ff8800' 4
	boxes '#aa4400' 2
	boxes '#0000ff' 6
	pixels '#00cccc' 280
	pixels '#006666' 280
	boxes '#c0c0c0' 22
	pixels '#000001' 280
}

test_small_counts() {
	plain -t "$data/small.table"
	says '.sst: contiguous files=2 blocks=6, fragmented files=1 blocks=6 fragments=3, folded blocks=0'
	says '.log: contiguous files=1 blocks=6, fragmented files=0 blocks=0 fragments=0, folded blocks=0'
	says 'default: contiguous files=3 blocks=22, fragmented files=0 blocks=0 fragments=0, folded blocks=0'
	says 'all files: contiguous files=6 blocks=34, fragmented files=1 blocks=6 fragments=3, folded blocks=0'
	says 'not watched or free: blocks=24 gaps=4 longest=9, folded blocks=0'
	says '254:0 /mnt/f2fs  LBA 100 to 163, 64 blocks (256 KiB), 62.5 % in watched files'
	says '1 box = one 4 KiB block; left to right, then down, by block address (LBA)'
	says 'nothing is folded: every block is drawn'
}

# First row of small.table: positions of boxes. The left edge is at 42 + 9 * n, the top at 415.
test_small_positions() {
	plain -t "$data/small.table"
	pixel 42 415 '#00aa00'
	pixel 49 422 '#00aa00'
	pixel 50 415 '#ecebe6'
	pixel 42 423 '#ecebe6'
	pixel $((42 + 9 * 5)) 418 '#ff8800'
	pixel $((42 + 9 * 8)) 418 '#aa4400'
	pixel $((42 + 9 * 10)) 418 '#ff8800'
	pixel $((42 + 9 * 11)) 418 '#ffffff'
	pixel $((42 + 9 * 20)) 418 '#0000ff'
	pixel $((42 + 9 * 25)) 418 '#0000ff'
	pixel $((42 + 9 * 26)) 418 '#ffffff'
	pixel $((42 + 9 * 31)) 418 '#00aa00'
	pixel $((42 + 9 * 63)) 418 '#ffffff'
	pixel $((42 + 9 * 64)) 418 '#ecebe6'
}

test_two_volumes() {
	"$fragtrace" view -t "$data/two.table" -c "$data/redis-like.color.cnf" -i "$data/plain.img.cnf" -o out.png
	boxes '#00aa00' 5
	# two are alone among free ones, with a frame
	pixels '#ff8800' $((36 + 280))
	boxes '#aa4400' 1
	pixels '#c0c0c0' $((36 + 280))
	says '.rdb: contiguous files=2 blocks=5, fragmented files=1 blocks=2 fragments=2, folded blocks=0'
	says '254:0 /mnt/a  LBA 100 to 119, 20 blocks (80 KiB), 20 % in watched files'
	says '254:16 /mnt/my disk  LBA 50 to 59, 10 blocks (40 KiB), 40 % in watched files'
	"$peek" out.png text | grep -qx 'Title: fragtrace /mnt/a, /mnt/my disk'
}

test_rocksdb_preset() {
	"$fragtrace" view -t "$data/rocksdb.table" -c rocksdb -i rocksdb -o out.png
	# boxes of 7 x 7: 3941 and 22 blocks of contiguous files, and their swatches
	pixels '#7fc257' $((3941 * 49 + 280))
	pixels '#3f73d8' $((22 * 49 + 280))
	says '.sst: contiguous files=4 blocks=3941, fragmented files=26 blocks=26178 fragments=52, folded blocks=0'
	says '.log: contiguous files=1 blocks=22, fragmented files=1 blocks=359 fragments=9, folded blocks=0'
	says 'fragments of more than 2,304 blocks are folded (gaps: 256): the rest is a hatched box with the number of its blocks'
}

test_rocksdb_all_boxes_add_up() {
	plain -t "$data/rocksdb.table" -i "$data/small-box.img.cnf"
	# contiguous, both tones, of .sst, .log, default: each block of the volume is one pixel; a few are darker, see test_drawn.py
	"$peek" out.png | awk '
		/^#(00aa00|ff8800|aa4400|0000ff|00cccc|006666|c0c0c0|000001|606060) / { n += $2 - 280 }
		# and pale, where no break is near
		/^#(f5d9c0|c0e6e6|cccccc) / { n += $2 - 280 }
		/^#ffffff / { n += $2 - 280 - 97 }
		END { exit n < 256600 || n > 257024 }' || fail "the boxes are not 257024"
}

test_header_only() {
	refuses "header_only.table: no directory is watched, so there is nothing to draw; watch one: echo 'add DIR' >/sys/kernel/debug/fragtrace/targets" \
		plain -t "$data/header_only.table"
	# one may come
	plain -t "$data/header_only.table" -n 0.01 --count 1
	says 'no directory is watched'
	mentions '0 files, 0 extents, 0 fragmented files'
	says 'no file has blocks: no fragments, no split factor'
}

test_volume_without_files() {
	printf '%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m' >t
	plain -t t
	says 'not watched or free: blocks=64 gaps=1 longest=64, folded blocks=0'
	pixels '#ffffff' $((64 * 64 + 280))
}

test_full_volume() {
	good_lines '254:0 100 64 0 4 contiguous /m/a.sst'
	boxes '#00aa00' 64
	says 'not watched or free: blocks=0 gaps=0 longest=0, folded blocks=0'
}

test_unknown_comments_are_skipped() {
	good_lines '# anything
#
#!x
254:0 100 1 0 4 contiguous /m/a.sst'
	boxes '#00aa00' 1
}

# === Fragments ===

test_touching_extents_are_one_fragment() {
	good_lines '254:0 100 2 0 4 fragmented /m/a.sst
254:0 102 2 2 4 fragmented /m/a.sst
254:0 110 1 4 4 fragmented /m/a.sst'
	boxes '#ff8800' 4
	boxes '#aa4400' 1
	mentions 'fragmented files=1 blocks=5 fragments=2'
}

test_hole_does_not_end_a_fragment() {
	good_lines '254:0 100 2 0 4 fragmented /m/a.sst
254:0 102 2 7 4 fragmented /m/a.sst
254:0 110 1 20 4 fragmented /m/a.sst'
	boxes '#ff8800' 4
	boxes '#aa4400' 1
}

test_block_elsewhere_ends_a_fragment() {
	good_lines '254:0 100 2 0 4 fragmented /m/a.sst
254:0 102 2 7 4 fragmented /m/a.sst
254:0 110 1 3 4 fragmented /m/a.sst'
	# one is alone, with a frame
	pixels '#ff8800' $((2 * 64 + 36 + 280))
	boxes '#aa4400' 2
	mentions 'fragments=3'
}

test_backwards_offsets_are_fragments() {
	good_lines '254:0 100 1 2 4 fragmented /m/a.sst
254:0 101 1 1 4 fragmented /m/a.sst
254:0 102 1 0 4 fragmented /m/a.sst'
	boxes '#ff8800' 2
	boxes '#aa4400' 1
}

test_tones_alternate_per_extension() {
	good_lines '254:0 100 1 0 4 fragmented /m/a.sst
254:0 101 1 0 5 fragmented /m/a.log
254:0 102 1 9 4 fragmented /m/a.sst
254:0 103 1 9 5 fragmented /m/a.log'
	boxes '#ff8800' 1
	boxes '#aa4400' 1
	boxes '#00cccc' 1
	boxes '#006666' 1
}

test_same_inode_on_two_volumes_is_two_files() {
	plain -t "$data/two.table"
	mentions '4 files, 5 extents, 1 fragmented file (25 %)'
}

# pieces(length, distance) - a file of 32 blocks in pieces
pieces() {
	awk -v len="$1" -v step="$2" 'BEGIN {
		print "# fragtrace table 1"
		print "# volume 254:0 main_blkaddr=0 blocks=4096 segment_blocks=512 path=/m"
		for (i = 0; i * len < 32; i++)
			print "254:0", i * step, len, i * len, 4, "fragmented", "/m/a.sst"
	}' >t
	plain -t t
}

test_split_factor() {
	pieces 1 2
	says '32 fragments; split factor 32.000: to read all by 128 KiB takes 32 requests, ideally 1'
	pieces 8 9
	says '4 fragments; split factor 4.000: to read all by 128 KiB takes 4 requests, ideally 1'
	# extents that touch are one fragment
	pieces 8 8
	says '1 fragment; split factor 1.000: to read all by 128 KiB takes 1 request, ideally 1'
	# blocks 30 to 33, 100 and 101, and 34: three windows, two fragments are in 32 to 63
	good_lines '254:0 100 4 30 4 fragmented /m/a.sst
254:0 104 2 100 4 fragmented /m/a.sst
254:0 110 1 34 4 fragmented /m/a.sst'
	says '3 fragments; split factor 1.333: to read all by 128 KiB takes 4 requests, ideally 3'
}

# === Extensions ===

# class(path, rule) - a file of this name must be counted under a rule
class() {
	good_lines "254:0 100 1 0 4 contiguous $1"
	says "$2: contiguous files=1 blocks=1, fragmented files=0 blocks=0 fragments=0, folded blocks=0"
}

test_extension_of_names() {
	class '/m/a.sst' .sst
	class '/m/a.log.sst' .sst
	class '/m/a.sst\040(deleted)' .sst
	class '/m/a.sst\040(hidden)' default
	class '/m/LOG.old.1699' default
	class '/m/dir.sst/LOG' default
	class '/m/.sst' default
	class '/m/a.' default
	class '/m/a.SST' default
	class '/m/a.sst2' default
	class '/m/with\134040space.sst' .sst
	class '/m/new\012line.sst' .sst
	class '(unreachable)/a.sst' .sst
}

# === Folding and fitting ===

test_folding() {
	printf 'max_length 2\nstub=3\ncell 8\n' >i.cnf
	plain -t "$data/small.table" -i i.cnf
	# a run of 5 is 2 boxes and a mark: a hatched box, and a box with the number
	pixels '#005500' 32
	says '.sst: contiguous files=2 blocks=6, fragmented files=1 blocks=6 fragments=3, folded blocks=3'
	says 'default: contiguous files=3 blocks=22, fragmented files=0 blocks=0 fragments=0, folded blocks=18'
	says 'all files: contiguous files=6 blocks=34, fragmented files=1 blocks=6 fragments=3, folded blocks=25'
	# of the gaps of 9, 4, 7 and 4 blocks, two are
	says 'not watched or free: blocks=24 gaps=4 longest=9, folded blocks=12'
	says 'fragments of more than 4 blocks are folded (gaps: 4): the rest is a hatched box with the number of its blocks'
}

# What is folded hides more than an eighth of the limit: 1,152 blocks are drawn, of 1,153 a row and a box are hidden.
test_folding_gains_a_row() {
	local height n
	for n in 1025 1152 1153; do
		one_file $n $((n + 1)) >t
		"$fragtrace" view -t t -c "$data/plain.color.cnf" -o out.png --layout boxes
		says 'fragments of more than 1,152 blocks are folded (gaps: 128): the rest is a hatched box with the number of its blocks'
		says "all files: contiguous files=1 blocks=$n, fragmented files=0 blocks=0 fragments=0, folded blocks=$((n > 1152 ? n - 1024 : 0))"
		[ $n != 1152 ] || height=$(height)
	done
	# without folding, there is no strip of 20 pixels
	[ $(($(height) - 20 + 9)) = "$height" ] || fail "$height and $(height) pixels"
	# a stub that is nearly as long as a gap may be hides nothing worth it
	printf 'stub 127\n' >i.cnf
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=0 blocks=300 segment_blocks=512 path=/m' \
		'254:0 0 1 0 4 contiguous /m/a.sst' '254:0 145 1 0 5 contiguous /m/b.sst' '254:0 291 1 0 6 contiguous /m/c.sst' >t
	"$fragtrace" view -t t -o out.png --layout boxes -i ./i.cnf
	says 'not watched or free: blocks=297 gaps=3 longest=145, folded blocks=18'
}

# A fragment that is folded must not look smaller than one that is not.
test_larger_fragments_are_not_drawn_smaller() {
	good_big() {
		printf '%s\n%s\n' '# fragtrace table 1' \
			'# volume 254:0 main_blkaddr=0 blocks=20000 segment_blocks=512 path=/m'
		echo '254:0 0 1000 0 4 fragmented /m/a.sst'
		echo '254:0 2000 1100 1000 4 fragmented /m/a.sst'
		echo '254:0 4000 400 0 5 fragmented /m/a.log'
		echo '254:0 6000 9000 400 5 fragmented /m/a.log'
	}
	good_big >t
	"$fragtrace" view -t t -c "$data/plain.color.cnf" -o out.png
	[ "$(count '#aa4400')" -ge "$(count '#ff8800')" ] || fail "1100 blocks are drawn smaller than 1000"
	[ "$(count '#006666')" -ge "$(count '#00cccc')" ] || fail "9000 blocks are drawn smaller than 400"
}

# The left edge is at 42 + 9 * n; the border between two files of one colour is a line.
test_neighbours_of_one_colour_have_a_line_between_them() {
	good_lines '254:0 100 4 0 4 contiguous /m/a.sst
254:0 104 4 0 5 contiguous /m/b.sst'
	boxes '#00aa00' 8
	pixel $((42 + 9 * 4 - 1)) 372 '#202124'
	pixel $((42 + 9 * 3 - 1)) 372 '#ecebe6'
	pixel $((42 + 9 * 8 - 1)) 372 '#ecebe6'
	printf 'max_length 0\ncell 3\nborder 0\n' >i.cnf
	plain -t t -i i.cnf
	pixel $((42 + 3 * 4)) 371 '#202124'
	pixel $((42 + 3 * 4 + 1)) 371 '#00aa00'
}

test_folding_keeps_runs_of_the_limit() {
	printf 'max_length 5\n' >i.cnf
	plain -t "$data/small.table" -i i.cnf
	boxes '#00aa00' 6
}

test_stub_is_never_longer_than_the_limit() {
	printf 'max_length 1\nstub 3\n' >i.cnf
	plain -t "$data/small.table" -i i.cnf
	says '.sst: contiguous files=2 blocks=6, fragmented files=1 blocks=6 fragments=3, folded blocks=4'
	says 'not watched or free: blocks=24 gaps=4 longest=9, folded blocks=20'
}

test_boxes_shrink_for_height() {
	printf 'max_length 0\ncell 8\nheight 2560\n' >i.cnf
	plain -t "$data/rocksdb.table" -i i.cnf
	[ "$(height)" -le 2560 ] || fail "the picture is $(height) pixels high"
	# boxes of 2 x 2, without borders
	pixels '#00aa00' $((3941 * 4 + 280))
}

# Between rows of 136 boxes, too, as far as the files touch there.
test_neighbours_have_a_line_between_rows() {
	printf '%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=0 blocks=400 segment_blocks=32 path=/m' >t
	printf '254:0 %s /m/%s.sst\n' '0 150 0 4 contiguous' a '150 150 0 5 contiguous' b >>t
	plain -t t
	boxes '#00aa00' 300
	pixel $((42 + 9 * 14 + 4)) 379 '#202124'
	pixel $((42 + 9 * 13 + 4)) 379 '#ecebe6'
	pixel $((42 + 9 * 13 + 4)) 388 '#202124'
	pixel $((42 + 9 * 14 + 4)) 388 '#ecebe6'
}

# Boxes keep their borders, at any dpi, and the picture is not higher than requested.
test_boxes_keep_height_and_borders() {
	local dpi
	used >t
	for dpi in 96 300; do
		"$fragtrace" view -t t -c "$data/plain.color.cnf" -o out.png --layout boxes --dpi $dpi
		[ "$(height)" -le $((2560 * dpi / 96)) ] || fail "$dpi dpi: the picture is $(height) pixels high"
		# the share of borders around boxes of 3 x 3 is 7 of 16, around larger ones less
		"$peek" out.png $((100 * dpi / 96)) $((700 * dpi / 96)) $((400 * dpi / 96)) $((400 * dpi / 96)) | awk '
			/^size/ { all = $2 * $3 }
			/^#ecebe6/ { border = $2 }
			END { exit border < all * 0.2 || border > all * 0.5 }' || fail "$dpi dpi: no borders"
	done
}

# Strong within 8 blocks of a break, pale elsewhere; a fragment of up to 16 blocks is strong as a whole. The grid begins at
# 42,371; a box takes 9 pixels, a row has 136 boxes.
test_blocks_near_a_break_are_strong() {
	printf '%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=0 blocks=400 segment_blocks=32 path=/m' >t
	# 0 to 29, apart at 40: one block, apart at 50: 17 blocks, apart at 70: 16 blocks
	printf '254:0 %s 4 fragmented /m/a.sst\n' '0 30 0' '40 1 30' '50 17 31' '70 16 48' >>t
	plain -t t
	# a: 22 pale and 8 strong; b: 1; a: 8 strong, 1 pale, 8 strong; b: 16
	boxes '#ff8800' $((8 + 16))
	boxes '#aa4400' $((1 + 16))
	boxes '#f5d9c0' $((22 + 1))
	pixel 42 371 '#f5d9c0'
	pixel $((42 + 21 * 9)) 371 '#f5d9c0'
	pixel $((42 + 22 * 9)) 371 '#ff8800'
	pixel $((42 + 29 * 9)) 371 '#ff8800'
	pixel $((42 + 40 * 9)) 371 '#aa4400'
	pixel $((42 + 57 * 9)) 371 '#ff8800'
	pixel $((42 + 58 * 9)) 371 '#f5d9c0'
	pixel $((42 + 59 * 9)) 371 '#ff8800'
	pixel $((42 + 85 * 9)) 371 '#aa4400'
	says 'fragmented files: strong within 8 blocks (32 KiB) of a break, two tones in turn; pale elsewhere'
}

# Boxes would fold more than half: drawn to scale, with the reason; who names a layout or max_length gets it.
test_what_folding_would_hide() {
	one_file 3000 4096 >t
	"$fragtrace" view -t t -o out.png
	says 'drawn by segments: boxes (--layout boxes) would fold 65.8 % of the blocks of files'
	one_file 2000 4096 >t
	"$fragtrace" view -t t -o out.png
	mentions '1 box = one 4 KiB block'
	one_file 3000 4096 >t
	"$fragtrace" view -t t -o out.png --layout boxes
	mentions '1 box = one 4 KiB block'
	echo 'max_length 1024' >i.cnf
	"$fragtrace" view -t t -o out.png -i i.cnf
	mentions '1 box = one 4 KiB block'
}

# The strip shows the volume to scale: a file at its first half. Half of the strip is dark; a half of that is drawn, not folded.
test_strip_is_to_scale() {
	local y
	one_file 2048 4096 >t
	"$fragtrace" view -t t -c "$data/plain.color.cnf" -o out.png --layout boxes
	says 'strip above the boxes: the volume to scale, dark where watched files are; underlined: not folded'
	# 136 boxes of 9 pixels; the boxes begin 20 pixels below the strip
	y=$(strip_y)
	only 42 $y 612 10 '#202124'
	only 655 $y 611 10 '#ffffff'
	only 42 $((y + 11)) 306 2 '#202124'
	only 349 $((y + 11)) 900 2 '#ecebe6'
	plain -t t
	! "$peek" out.png text | grep -q '^strip' || fail "a strip where nothing is folded"
}

test_boxes_shrink_to_a_pixel() {
	big 100000 50 51 5100000 >t
	printf 'max_length 0\nheight 0\n' >i.cnf
	plain -t t -i i.cnf
	small_enough
	# half of the fragments, 8 strong blocks at each end that is a break: all but the first one of the file
	pixels '#ff8800' $((50000 * 16 - 8 + 280))
	says 'nothing is folded: every block is drawn'
}

test_long_runs_fold_when_needed() {
	big 100000 500 501 50100000 >t
	printf 'max_length 0\nheight 0\n' >i.cnf
	plain -t t -i i.cnf
	small_enough
	says 'fragments of more than 72 blocks are folded (gaps: 32): the rest is a box of another shade (all did not fit)'
	# 8 blocks at each break are drawn in any case; of the pale ones between them 64
	mentions 'fragmented files=1 blocks=50000000 fragments=100000, folded blocks=42000016'
	# boxes of one pixel: half of the fragments in each tone, a mark each, gaps of one
	pixels '#ff8800' $((50000 * 16 - 8 + 280))
	pixels '#f5d9c0' $((100000 * 64 + 280))
}

test_boxes_stand_for_several_blocks() {
	big 200000 100 200 40000000 >t
	printf 'max_length 0\nwidth 8192\n' >i.cnf
	plain -t t -i i.cnf
	small_enough
	mentions 'fragmented files=1 blocks=20000000 fragments=200000'
	mentions 'not watched or free: blocks=20000000 gaps=200000 longest=100'
	big 1 4294967000 4294967000 4294967295 >t
	plain -t t -i i.cnf
	small_enough
}

test_mixed_boxes() {
	# fragment A, free, fragment B, free ... of 3 and 4 blocks: one mixed box at every other edge;
	# half of it is drawn as 1/4 + 1/2 * 3/4
	big 2300000 3 7 16100000 >t
	printf 'max_length 0\nheight 0\n' >i.cnf
	plain -t t -i i.cnf
	small_enough
	says '1 box = 2 blocks (8 KiB), their colours mixed; left to right, then down, by LBA'
	# but for a few at the ends of rows, which have little beside them; the key has some shares of the first colour
	for colour in ffb560 ca8a60; do
		n=$("$peek" out.png | awk "/^#$colour / { print \$2 }")
		[ "$n" -gt 1148000 ] && [ "$n" -le 1150300 ] || fail "$n mixed boxes"
	done
	pixels '#ff8800' $((1150000 + 280 + 280))
	pixels '#ffffff' $((3450000 + 280))
}

run_tests
