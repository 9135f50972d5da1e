#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests fragtrace-view from recorded tables; speaks KTAP. See testlib.sh.
# usage: test_view.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"
# shellcheck source-path=SCRIPTDIR source=picture.sh
. "$here/picture.sh"

# === Helpers ===

# start(args...) - the same in the background; $! is the program itself
start() {
	"$view" -c "$data/plain.color.cnf" -i "$data/plain.img.cnf" -o out.png "$@" &
}

# bad_line(line, message) - a table with this third line is refused at 3
bad_line() {
	printf '%s\n%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m' "$1" >t
	refuses "fragtrace-view: t:3: $2" plain -t t
}

# bad_next(line, message) - a table with a valid record and then this line is refused at 4
bad_next() {
	printf '%s\n%s\n%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m' \
		'254:0 110 4 0 4 contiguous /m/a.sst' "$1" >t
	refuses "fragtrace-view: t:4: $2" plain -t t
}

# bad_volume(line, message) - a table with this second line is refused at 2
bad_volume() {
	printf '%s\n%s\n' '# fragtrace table 1' "$1" >t
	refuses "fragtrace-view: t:2: $2" plain -t t
}

# good_lines(lines) - a table of one volume with these records is drawn
good_lines() {
	printf '%s\n%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m' "$1" >t
	plain -t t
}

# bad_conf(kind, line, message) - a configuration with this second line is refused at 2
bad_conf() {
	printf '# comment\n%s\n' "$2" >my.cnf
	refuses "fragtrace-view: ./my.cnf:2: $3" "$view" -t "$data/small.table" "-$1" ./my.cnf -o out.png
}

# === Pictures ===

test_small_exact_colours() {
	plain -t "$data/small.table"
	boxes '#00aa00' 6
	boxes '#ff8800' 4
	boxes '#aa4400' 2
	boxes '#0000ff' 6
	boxes '#00cccc' 0
	boxes '#006666' 0
	boxes '#c0c0c0' 22
	boxes '#000001' 0
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
	"$view" -t "$data/two.table" -c "$data/redis-like.color.cnf" -i "$data/plain.img.cnf" -o out.png
	boxes '#00aa00' 5
	boxes '#ff8800' 1
	boxes '#aa4400' 1
	boxes '#c0c0c0' 1
	says '.rdb: contiguous files=2 blocks=5, fragmented files=1 blocks=2 fragments=2, folded blocks=0'
	says '254:0 /mnt/a  LBA 100 to 119, 20 blocks (80 KiB), 20 % in watched files'
	says '254:16 /mnt/my disk  LBA 50 to 59, 10 blocks (40 KiB), 40 % in watched files'
	"$peek" out.png text | grep -qx 'Title: fragtrace /mnt/a, /mnt/my disk'
}

test_rocksdb_preset() {
	"$view" -t "$data/rocksdb.table" -c rocksdb -i rocksdb -o out.png
	# boxes of 7 x 7: 3941 and 22 blocks of contiguous files, and their swatches
	pixels '#7fc257' $((3941 * 49 + 280))
	pixels '#3f73d8' $((22 * 49 + 280))
	says '.sst: contiguous files=4 blocks=3941, fragmented files=26 blocks=26178 fragments=52, folded blocks=0'
	says '.log: contiguous files=1 blocks=22, fragmented files=1 blocks=359 fragments=9, folded blocks=0'
	says 'fragments of more than 2,048 blocks are folded (gaps: 256): the rest is a hatched box with the number of its blocks'
}

test_rocksdb_all_boxes_add_up() {
	plain -t "$data/rocksdb.table" -i "$data/small-box.img.cnf"
	# contiguous, both tones, of .sst, .log, default: each block of the volume is one pixel
	"$peek" out.png | awk '
		/^#(00aa00|ff8800|aa4400|0000ff|00cccc|006666|c0c0c0|000001|606060) / { n += $2 - 280 }
		/^#ffffff / { n += $2 - 280 - 97 }
		END { exit n != 257024 }' || fail "the boxes are not 257024"
}

test_header_only() {
	plain -t "$data/header_only.table"
	says 'no directory is watched'
	mentions '0 files, 0 extents, 0 fragmented files'
	says 'no file has blocks: no fragments, no split factor'
}

test_volume_without_files() {
	printf '%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m' >t
	plain -t t
	says 'not watched or free: blocks=64 gaps=1 longest=64, folded blocks=0'
	pixels '#ffffff' $((64 * 64 + 280 + 97))
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
	boxes '#ff8800' 3
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
	printf 'max_length 4\nstub=3\ncell 8\n' >i.cnf
	plain -t "$data/small.table" -i i.cnf
	# a run of 5 is 4 boxes and a mark: a hatched box, and boxes with the number
	pixels '#005500' 32
	says '.sst: contiguous files=2 blocks=6, fragmented files=1 blocks=6 fragments=3, folded blocks=1'
	says 'default: contiguous files=3 blocks=22, fragmented files=0 blocks=0 fragments=0, folded blocks=16'
	says 'all files: contiguous files=6 blocks=34, fragmented files=1 blocks=6 fragments=3, folded blocks=19'
	says 'not watched or free: blocks=24 gaps=4 longest=9, folded blocks=10'
	says 'fragments of more than 4 blocks are folded (gaps: 4): the rest is a hatched box with the number of its blocks'
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
	"$view" -t t -c "$data/plain.color.cnf" -o out.png
	[ "$(count '#aa4400')" -ge "$(count '#ff8800')" ] || fail "1100 blocks are drawn smaller than 1000"
	[ "$(count '#006666')" -ge "$(count '#00cccc')" ] || fail "9000 blocks are drawn smaller than 400"
}

# The left edge is at 42 + 9 * n; the border between two files of one colour is a line.
test_neighbours_of_one_colour_have_a_line_between_them() {
	good_lines '254:0 100 4 0 4 contiguous /m/a.sst
254:0 104 4 0 5 contiguous /m/b.sst'
	boxes '#00aa00' 8
	pixel $((42 + 9 * 4 - 1)) 416 '#202124'
	pixel $((42 + 9 * 3 - 1)) 416 '#ecebe6'
	pixel $((42 + 9 * 8 - 1)) 416 '#ecebe6'
	printf 'max_length 0\ncell 3\nborder 0\n' >i.cnf
	plain -t t -i i.cnf
	pixel $((42 + 3 * 4)) 415 '#202124'
	pixel $((42 + 3 * 4 + 1)) 415 '#00aa00'
}

test_folding_keeps_runs_of_the_limit() {
	printf 'max_length 5\n' >i.cnf
	plain -t "$data/small.table" -i i.cnf
	boxes '#00aa00' 6
}

test_stub_is_never_longer_than_the_limit() {
	printf 'max_length 1\nstub 3\n' >i.cnf
	plain -t "$data/small.table" -i i.cnf
	says '.sst: contiguous files=2 blocks=6, fragmented files=1 blocks=6 fragments=3, folded blocks=7'
	says 'not watched or free: blocks=24 gaps=4 longest=9, folded blocks=20'
}

test_boxes_shrink_for_height() {
	printf 'max_length 0\ncell 8\nheight 2560\n' >i.cnf
	plain -t "$data/rocksdb.table" -i i.cnf
	[ "$(height)" -le 2560 ] || fail "the picture is $(height) pixels high"
	# boxes of 2 x 2, without borders
	pixels '#00aa00' $((3941 * 4 + 280))
}

# big(extents, length, step, blocks) - a table of one file in many pieces
big() {
	awk -v n="$1" -v len="$2" -v step="$3" -v blocks="$4" 'BEGIN {
		print "# fragtrace table 1"
		print "# volume 254:0 main_blkaddr=0 blocks=" blocks " segment_blocks=512 path=/m"
		for (i = 0; i < n; i++)
			print "254:0", i * step, len, i * len, 4, "fragmented", "/m/a.sst"
	}'
}

# small_enough() - out.png has at most 16 megapixels
small_enough() {
	"$peek" out.png | awk '/^size/ { exit $2 * $3 > 16000000 }' || fail "the picture is too big"
}

# Between rows of 136 boxes, too, as far as the files touch there.
test_neighbours_have_a_line_between_rows() {
	printf '%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=0 blocks=400 segment_blocks=32 path=/m' >t
	printf '254:0 %s /m/%s.sst\n' '0 150 0 4 contiguous' a '150 150 0 5 contiguous' b >>t
	plain -t t
	boxes '#00aa00' 300
	pixel $((42 + 9 * 14 + 4)) 423 '#202124'
	pixel $((42 + 9 * 13 + 4)) 423 '#ecebe6'
	pixel $((42 + 9 * 13 + 4)) 432 '#202124'
	pixel $((42 + 9 * 14 + 4)) 432 '#ecebe6'
}

# used() - a table of a volume of 2 GB, half of it in 1000 fragments of 262 blocks on average
used() {
	awk 'BEGIN {
		print "# fragtrace table 1"
		print "# volume 254:0 main_blkaddr=5120 blocks=524288 segment_blocks=512 path=/m"
		for (lba = 5120; i < 1000 && lba < 523000; lba += len + (i % 3) * 257) {
			len = 1 + i * 7919 % 523
			f = i++ % 100
			print "254:0", lba, len, off[f] + 0, f + 4, "fragmented", "/m/" f ".sst"
			off[f] += len
		}
	}'
}

# Boxes keep their borders, at any dpi, and the picture is not higher than requested.
test_boxes_keep_height_and_borders() {
	local dpi
	used >t
	for dpi in 96 300; do
		"$view" -t t -c "$data/plain.color.cnf" -o out.png --dpi $dpi
		[ "$(height)" -le $((2560 * dpi / 96)) ] || fail "$dpi dpi: the picture is $(height) pixels high"
		# the share of borders around boxes of 3 x 3 is 7 of 16, around larger ones less
		"$peek" out.png $((100 * dpi / 96)) $((700 * dpi / 96)) $((400 * dpi / 96)) $((400 * dpi / 96)) | awk '
			/^size/ { all = $2 * $3 }
			/^#ecebe6/ { border = $2 }
			END { exit border < all * 0.2 || border > all * 0.5 }' || fail "$dpi dpi: no borders"
	done
}

test_boxes_shrink_to_a_pixel() {
	big 100000 50 51 5100000 >t
	printf 'max_length 0\nheight 0\n' >i.cnf
	plain -t t -i i.cnf
	small_enough
	pixels '#ff8800' $((2500000 + 280))
	says 'nothing is folded: every block is drawn'
}

test_long_runs_fold_when_needed() {
	big 100000 500 501 50100000 >t
	printf 'max_length 0\nheight 0\n' >i.cnf
	plain -t t -i i.cnf
	small_enough
	says 'fragments of more than 128 blocks are folded (gaps: 32): the rest is a box of another shade (all did not fit)'
	mentions 'fragmented files=1 blocks=50000000 fragments=100000, folded blocks=37200000'
	# boxes of one pixel: half of the fragments in each tone, a mark each, gaps of one
	pixels '#ff8800' $((50000 * 128 + 280))
	pixels '#7f4400' 50000
	pixels '#ffffff' $((100000 + 280 + 97))
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
	pixels '#ffb560' 1150000
	pixels '#ca8a60' 1150000
	pixels '#ff8800' $((1150000 + 280))
	pixels '#ffffff' $((3450000 + 280 + 97))
}

# === Layouts ===

# The first of two rows of 32 begins at 162,425; each has a bar of 36 pixels before it.
test_segments() {
	plain -t "$data/small.table" --layout segments
	boxes '#00aa00' 6
	boxes '#ff8800' 4
	boxes '#aa4400' 2
	boxes '#0000ff' 6
	boxes '#c0c0c0' 22
	says '1 row = 1 segment (128 KiB), 1 cell = 1 block (4 KiB); valid = not white'
	pixel 162 425 '#00aa00'
	pixel $((162 + 31 * 9)) 425 '#00aa00'
	pixel 162 434 '#c0c0c0'
	pixel $((162 + 31 * 9)) 434 '#ffffff'
	pixel $((162 + 32 * 9)) 434 '#ecebe6'
	# 19 of 32 blocks are 21 of 36 pixels, 21 are 24
	pixel $((120 + 20)) 425 '#6b6b68'
	pixel $((120 + 21)) 425 '#d2d1cb'
	pixel $((120 + 23)) 434 '#6b6b68'
	pixel $((120 + 24)) 434 '#d2d1cb'
}

# Empty rows are folded into a line that says how many they are. The grid begins at 162,425.
test_empty_segments_are_folded() {
	printf '%s\n%s\n%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=0 blocks=102400 segment_blocks=512 path=/m' \
		'254:0 0 512 0 4 fragmented /m/a.sst' '254:0 51200 512 512 4 fragmented /m/a.sst' >t
	"$view" -t t -c "$data/plain.color.cnf" -o out.png --layout segments
	[ "$(height)" -lt 500 ] || fail "the picture is $(height) pixels high"
	says 'not watched or free: blocks=101376 gaps=2 longest=50688, folded blocks=101376'
	only 162 425 1024 8 '#ff8800'
	only 900 434 100 8 '#ecebe6' '#6b6b68'
	pixel 1000 438 '#6b6b68'
	only 162 443 1024 8 '#aa4400'
	plain -t t --layout segments
	says 'not watched or free: blocks=101376 gaps=2 longest=50688, folded blocks=0'
}

# Low rows and narrow cells have no borders: colours are those of the legend, without stripes.
test_segments_are_solid() {
	local dpi
	one_file 524288 524288 >t
	for dpi in 96 300; do
		"$view" -t t -c "$data/plain.color.cnf" -o out.png --layout segments --dpi $dpi
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
	says '1 row = 256 segments (512 MiB), 1 cell = 128 blocks (512 KiB); valid = not white'
}

# 8 x 8 cells of 139 x 139 from 84,415; the border of 1 belongs to them
test_hilbert() {
	plain -t "$data/small.table" --layout hilbert
	for cells in '#00aa00 6' '#ff8800 4' '#aa4400 2' '#0000ff 6'; do
		pixels "${cells% *}" $((${cells#* } * 138 * 138 + 280))
	done
	says '1 cell = 1 block (4 KiB); the volume along a Hilbert curve; ticks: not all free there'
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
	"$view" -t t -c "$data/plain.color.cnf" -o out.png --layout hilbert
	cell=$(cell)
	hilbert_is_filled 96
	dpi=300
	"$view" -t t -c "$data/plain.color.cnf" -o out.png --layout hilbert --dpi $dpi
	[ "$(cell)" = "$cell" ] || fail "$dpi dpi: $(cell), at 96 dpi $cell"
	hilbert_is_filled $dpi
	for width in 640 2560; do
		echo "width $width" >i.cnf
		"$view" -t t -c "$data/plain.color.cnf" -o out.png --layout hilbert -i ./i.cnf
		hilbert_is_filled 96
	done
	# 64 MiB
	one_file 5000 16384 >t
	"$view" -t t -c "$data/plain.color.cnf" -o out.png --layout hilbert --dpi 600
	[ "$(cell)" = '1 cell = 1 block (4 KiB)' ] || fail "$(cell)"
	hilbert_is_filled 600
}

# hilbert_is_filled(dpi) - at least a quarter of the room between the labels is in the square
hilbert_is_filled() {
	"$peek" out.png | awk -v dpi="$1" '
		/^size/ { all = ($2 - 168 * dpi / 96) ^ 2 }
		/^#/ && !/^#(ecebe6|202124|6b6b68) / { any += $2 }
		END { exit any < all * 0.25 }' || fail "the square is a small part of the picture"
}

# one_file(length, blocks) - a table of a volume of this length, with a file of one extent
one_file() {
	printf '%s\n%s\n%s\n' '# fragtrace table 1' \
		"# volume 254:0 main_blkaddr=0 blocks=$2 segment_blocks=512 path=/m" \
		"254:0 0 $1 0 4 contiguous /m/a.sst"
}

test_a_lone_block_is_seen() {
	one_file 1 4294967295 >t
	# drawn as 1/4 of its colour
	plain -t t --layout hilbert
	pixels '#bfeabf' 1
	plain -t t --layout segments
	[ "$("$peek" out.png | grep -c '^#bfeabf ')" = 1 ] || fail "the block is not there"
	small_enough
}

test_a_full_volume_is_pure_colour() {
	one_file 4294967295 4294967295 >t
	plain -t t --layout hilbert
	pixels '#00aa00' $((1024 * 1024 + 280))
	one_file 300000 300000 >t
	plain -t t --layout hilbert
	pixels '#00aa00' $((512 * 512 * 4 + 280))
}

test_part_of_a_cell_is_mixed() {
	# 1.144 blocks in a cell; the last of 100000 blocks ends within cell 87381
	one_file 100000 300000 >t
	plain -t t --layout hilbert
	pixels '#00aa00' $((87381 * 4 + 280))
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

test_layouts_with_nothing() {
	local layout
	for layout in boxes segments hilbert; do
		plain -t "$data/header_only.table" --layout $layout
		says 'no directory is watched'
		printf '%s\n%s\n' '# fragtrace table 1' \
			'# volume 254:0 main_blkaddr=5 blocks=6 segment_blocks=32 path=/m' >t
		plain -t t --layout $layout
		says 'not watched or free: blocks=1 gaps=1 longest=1, folded blocks=0'
	done
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
	plain -t t
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
	gzip -1 <t >t.gz
	plain -t t.gz
	cmp out.png file.png
}

# === Tables that are refused ===

test_bad_version() {
	printf '# fragtrace table 2\n' >t
	refuses 't:1: the table has version 2, this program reads version 1' plain -t t
	printf '# fragtrace table 1.5\n' >t
	refuses 't:1: the table has version 1.5, this program reads version 1' plain -t t
	printf '# fragtrace table\n' >t
	refuses 't:1: this is no fragtrace table' plain -t t
}

test_missing_header() {
	sed 1d "$data/small.table" >t
	refuses 't:1: this is no fragtrace table, expected the first line' plain -t t
}

test_empty_file() {
	: >t
	refuses 't:1: the table is empty' plain -t t
	refuses '<stdin>:1: the table is empty' plain -t -
}

test_missing_volume() {
	grep -v '^# volume' "$data/small.table" >t
	refuses 't:3: volume 254:0 is not known' plain -t t
}

test_bad_volume_lines() {
	bad_volume '# volume 254:0 blocks=164 segment_blocks=32 path=/m' 'found "blocks=164'
	bad_volume '# volume 254 main_blkaddr=1 blocks=164 segment_blocks=32 path=/m' 'found " main'
	bad_volume '# volume 254:0 main_blkaddr=x blocks=164 segment_blocks=32 path=/m' \
		'the main_blkaddr is not a number'
	bad_volume '# volume 254:0 main_blkaddr=164 blocks=164 segment_blocks=32 path=/m' \
		'main_blkaddr=164 is not below blocks=164'
	bad_volume '# volume 254:0 main_blkaddr=1 blocks=164 segment_blocks=0 path=/m' \
		'segment_blocks is 0'
	bad_volume '# volume 254:0 main_blkaddr=1 blocks=164 segment_blocks=32 path=' \
		'the line ends before the path'
	bad_volume '# volume 254:0 main_blkaddr=1 blocks=99999999999999999999 segment_blocks=1 path=/m' \
		'the number of blocks is too big'
	bad_line '# volume 254:0 main_blkaddr=1 blocks=164 segment_blocks=32 path=/n' \
		'volume 254:0 comes twice'
}

test_truncated_line() {
	bad_line '# stale x' 'the number of stale files is not a number'
	bad_line '# stale 1 2' 'expected # stale N'
	bad_line '# stopped x' 'the device is not a number'
	bad_line '# stopped 254:0 1' 'expected # stopped DEV'
	bad_line '# stopped 9:9' 'volume 9:9 is not known'
	bad_line '254:0' 'the line ends before the lba'
	bad_line '254:0 110' 'the line ends before the length'
	bad_line '254:0 110 4 0' 'the line ends before the inode number'
	bad_line '254:0 110 4 0 4' 'the line ends before the state'
	bad_line '254:0 110 4 0 4 contiguous' 'the line ends before the path'
	bad_line '254:0 110 4 0 4 contiguous ' 'the line ends before the path'
	bad_line '' 'the line ends before the device'
}

test_table_cut_in_the_last_line() {
	printf '# fragtrace table 1' >t
	refuses 't:1: the table is cut short' plain -t t
	head -c -3 "$data/small.table" >t
	refuses 't:13: the table is cut short' plain -t t
}

test_not_a_number() {
	bad_line 'x:0 110 4 0 4 contiguous /m/a' 'the device is not a number'
	bad_line '254:0 1l0 4 0 4 contiguous /m/a' 'the lba is followed by "l0 4'
	bad_line '254:0 -110 4 0 4 contiguous /m/a' 'the lba is not a number'
	bad_line '254:0 110 0x4 0 4 contiguous /m/a' 'the length is followed by "x4'
	bad_line '254:0  110 4 0 4 contiguous /m/a' 'the lba is not a number'
	bad_line '254:0 110 4 1.5 4 contiguous /m/a' 'the offset is followed by ".5'
}

test_huge_numbers() {
	bad_line '254:0 18446744073709551616 4 0 4 contiguous /m/a' 'the lba is too big'
	bad_line '254:0 110 18446744073709551615 0 4 contiguous /m/a' 'the length is too big'
	bad_line '254:0 110 4 4294967296 4 contiguous /m/a' 'the offset is too big'
	bad_line '254:0 110 4 0 4294967296 contiguous /m/a' 'the inode number is too big'
	bad_line '4294967296:0 110 4 0 4 contiguous /m/a' 'the device is too big'
	good_lines '254:0 110 4 4294967295 4294967295 contiguous /m/a.sst'
}

test_outside_the_volume() {
	bad_line '254:0 99 1 0 4 contiguous /m/a' 'blocks 99 to 99 are outside the volume, expected 100 to 163'
	bad_line '254:0 164 1 0 4 contiguous /m/a' 'blocks 164 to 164 are outside'
	bad_line '254:0 160 5 0 4 contiguous /m/a' 'blocks 160 to 164 are outside'
	bad_line '254:0 110 0 0 4 contiguous /m/a' 'the length is 0'
}

test_order() {
	bad_next '254:0 109 1 0 5 contiguous /m/b' 'not sorted: lba 109 comes after 110'
	bad_next '254:0 110 1 0 5 contiguous /m/b' 'lba 110 overlaps the extent before, expected at least 114'
	bad_next '254:0 113 9 0 5 contiguous /m/b' 'lba 113 overlaps'
	bad_next '254:1 113 9 0 5 contiguous /m/b' 'volume 254:1 is not known'
	{ cat "$data/two.table"; echo '254:0 115 1 0 9 contiguous /mnt/a/z'; } >t
	refuses 't:10: not sorted: volume 254:0 had its lines before' plain -t t
}

test_bad_state() {
	bad_line '254:0 110 4 0 4 Fragmented /m/a' 'unknown state "Fragmented", expected contiguous or fragmented'
	bad_line '254:0 110 4 0 4 /m/a' 'unknown state "/m/a"'
	bad_next '254:0 120 1 4 4 fragmented /m/a.sst' 'inode 4 is fragmented here but was not on line 3'
}

test_bad_escape() {
	bad_line '254:0 110 4 0 4 contiguous /m/a\4' 'bad escape "\4" in the path'
	bad_line '254:0 110 4 0 4 contiguous /m/a\n00' 'bad escape "\n00"'
}

test_nul_byte() {
	{ cat "$data/small.table"; printf '254:0 161 1 0 4\000 contiguous /m/a\n'; } >t
	refuses 't:14: a NUL byte' plain -t t
}

# === Configuration ===

test_bad_colours() {
	bad_conf c '.sst gren black white' 'unknown colour "gren", did you mean green?'
	bad_conf c '.sst light_orange black white' 'unknown colour "light_orange", did you mean light-orange?'
	bad_conf c '.sst #12345 black white' 'colour "#12345" is not #rrggbb'
	bad_conf c '.sst #1234567 black white' 'colour "#1234567" is not #rrggbb'
	bad_conf c '.sst #12345g black white' 'colour "#12345g" is not #rrggbb'
	bad_conf c '.sst green black' '2 colours, expected three: WHAT CONTIGUOUS FRAG_A FRAG_B'
	bad_conf c '.sst green black white red' '4 colours'
	bad_conf c '.sst green # black white' '1 colours'
	bad_conf c 'sst green black white' '"sst" is no extension and no glob, did you mean .sst? Expected'
	bad_conf c '.tar.gz green black white' '".tar.gz" is no extension and no glob, did you mean *.tar.gz?'
	bad_conf c 'a b c d e f g h i' 'more than 8 words in the line'
	printf '.sst green black white\n.sst green black white\n' >my.cnf
	refuses 'my.cnf:2: a second rule for .sst' plain -t "$data/small.table" -c my.cnf
}

test_colours_without_default() {
	printf '.sst #00aa00 #ff8800 #aa4400#\n' >c.cnf
	refuses 'is not #rrggbb' plain -t "$data/small.table" -c c.cnf
	printf '.sst #00AA00 #ff8800 #aa4400' >c.cnf
	"$view" -t "$data/small.table" -c c.cnf -i "$data/plain.img.cnf" -o out.png
	boxes '#00aa00' 6
	boxes '#c1c1c1' 28
}

# colored(colours...) - draw files of one block with these rules; see counted()
colored() {
	printf '%s\n' "$@" >c.cnf
	good_lines '254:0 100 1 0 4 contiguous /m/db/log/a.sst
254:0 101 1 0 5 contiguous /m/db/b.sst
254:0 102 1 0 6 contiguous /m/db/log/c
254:0 103 1 0 7 contiguous /m/log'
	"$view" -t t -c c.cnf -o out.png
}

# counted(rule, number) - out.png must count this number of contiguous files for a rule
counted() {
	mentions "$1: contiguous files=$2 "
}

test_globs() {
	colored '.sst red red red' 'log/* blue blue blue'
	counted .sst 1
	counted 'log/*' 2
	counted default 1
	colored 'log/* blue blue blue' '.sst red red red'
	counted .sst 2
	counted 'log/*' 1
	colored '*.s?t red red red' 'l[no]g blue blue blue'
	counted '*.s?t' 2
	counted 'l[no]g' 1
	colored '/m/*/*.sst red red red' '/m/*.sst blue blue blue' 'x/log/* teal teal teal'
	counted '/m/*/*.sst' 1
	counted '/m/*.sst' 0
	counted 'x/log/*' 0
	colored '*/log/a.sst red red red' '[ blue blue blue' 'm/db/log/c red red red'
	counted '*/log/a.sst' 1
	counted '[' 0
	counted m/db/log/c 1
	counted default 2
}

test_several_rule_files() {
	colored 'log/* #111111 #222222 #333333' '.sst #444444 #555555 #666666'
	printf 'log/* #0000aa red red\ndefault #00bb00 red red\n' >d.cnf
	"$view" -t t -c c.cnf -c d.cnf -i "$data/plain.img.cnf" -o out.png
	counted 'log/*' 2
	counted .sst 1
	boxes '#0000aa' 2
	boxes '#00bb00' 1
	boxes '#444444' 1
	pixels '#111111' 0
	[ "$("$peek" out.png text | grep -c '^log/')" = 1 ] || fail "a rule is there twice"
}

test_color_by_size() {
	"$view" -t "$data/small.table" --color-by size -i "$data/plain.img.cnf" -o out.png
	# each has two swatches
	pixels '#2d0966' $((4 * 64 + 560))
	pixels '#690068' $((5 * 64 + 560))
	pixels '#960664' $((11 * 64 + 560))
	pixels '#ba295c' 560
	pixels '#d64c54' $((20 * 64 + 560))
	says '1 block: contiguous files=0 blocks=3, fragmented files=0 blocks=1 fragments=1, folded blocks=0'
	says '2 to 3: contiguous files=0 blocks=0, fragmented files=0 blocks=5 fragments=2, folded blocks=0'
	says 'all files: contiguous files=6 blocks=34, fragmented files=1 blocks=6 fragments=3, folded blocks=0'
	misused '-c rocksdb: rules are for --color-by kind' \
		"$view" -t "$data/small.table" --color-by size -c rocksdb -o out.png
}

test_color_by_file() {
	for name in 000002.sst f2fs/000002.sst /mnt/f2fs/000002.sst '*2.sst'; do
		"$view" -t "$data/small.table" --color-by "file=$name" -i "$data/plain.img.cnf" -o out.png
		says "$name: contiguous files=0 blocks=0, fragmented files=1 blocks=6 fragments=3, folded blocks=0"
		says 'all others: contiguous files=6 blocks=34, fragmented files=0 blocks=0 fragments=0, folded blocks=0'
	done
	for by in file file= kinds size=1 kind= ''; do
		misused "--color-by $by: expected kind, severity, size, cause, why, process, age, heat or file=PATH" "$view" --color-by "$by"
	done
}

test_color_by_file_without_a_match() {
	"$view" -t "$data/small.table" --color-by file=nosuch -o out.png 2>stderr
	says 'no watched file matches nosuch: all blocks have the colours of the others'
	grep -qF 'fragtrace-view: --color-by file=nosuch: no watched file matches nosuch' stderr || fail "$(cat stderr)"
	# said once
	"$view" -t "$data/small.table" --color-by file=nosuch -o out.png -n 0.01 --count 3 2>stderr
	[ "$(wc -l <stderr)" = 1 ] || fail "$(cat stderr)"
}

# Many fragments are darker than two, and the legend says what they cost.
test_color_by_severity() {
	{
		printf '%s\n%s\n' '# fragtrace table 1' \
			'# volume 254:0 main_blkaddr=0 blocks=4096 segment_blocks=512 path=/m'
		echo '254:0 0 64 0 4 contiguous /m/whole'
		echo '254:0 64 31 0 5 fragmented /m/tail'
		echo '254:0 100 1 31 5 fragmented /m/tail'
		for i in $(seq 0 31); do
			echo "254:0 $((200 + i * 2)) 1 $i 6 fragmented /m/many"
		done
	} >t
	"$view" -t t --color-by severity -i "$data/plain.img.cnf" -o out.png
	says 'none: contiguous files=1 blocks=64, fragmented files=0 blocks=0 fragments=0, folded blocks=0'
	says '1: contiguous files=0 blocks=0, fragmented files=1 blocks=32 fragments=2, folded blocks=0'
	says '8 to 31: contiguous files=0 blocks=0, fragmented files=1 blocks=32 fragments=32, folded blocks=0'
	pixels '#f2e56d' $((32 * 64 + 560))
	pixels '#e9724d' $((32 * 64 + 560))
}

test_legend_says_what_fragments_cost() {
	one_file 32000 100000 >t
	sed -i 's/contiguous/fragmented/; s/^254:0 0 32000/254:0 0 31999/' t
	echo '254:0 40000 1 31999 4 fragmented /m/a.sst' >>t
	plain -t t
	says 'fragmented files have 100 % of the blocks; reading all files takes 0.1 % more requests than without fragments'
}

test_palette() {
	if ! command -v python3 >/dev/null; then
		echo "python3 is not installed"
		exit 4
	fi
	python3 "$here/check_palette.py" "$viewer/src/model" "$viewer"/presets/*.color.cnf
}

# === Texts ===

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
	boxes '#ff8800' 1
	says '254:0 /mnt/f2fs  LBA 105 to 105 of 100 to 163, 1 block (4 KiB), 100 % in watched files'
}

# Both halves of a volume add up to it, wherever it is cut, and have its colours.
test_lba_open_ends() {
	local cut
	for cut in 104 106 121 132 162; do
		plain -t "$data/small.table" --lba -$cut
		"$peek" out.png | grep -E '^#(00aa00|ff8800|aa4400|0000ff|c0c0c0) ' >halves
		plain -t "$data/small.table" --lba $((cut + 1))-
		"$peek" out.png | grep -E '^#(00aa00|ff8800|aa4400|0000ff|c0c0c0) ' >>halves
		# each colour has a swatch in both legends
		awk '{ n[$1] += $2 - 280 } END { for (c in n) print c, n[c] / 64 }' halves | sort >got
		printf '%s\n' '#0000ff 6' '#00aa00 6' '#aa4400 2' '#c0c0c0 22' '#ff8800 4' | diff - got ||
			fail "cut after $cut"
	done
}

test_lba_in_all_layouts() {
	# a row begins where its segment does: block 140 is the ninth of 132 to 163
	plain -t "$data/small.table" --layout segments --lba 140-150
	boxes '#c0c0c0' 11
	pixel 230 452 '#ecebe6'
	pixel 239 452 '#c0c0c0'
	pixel 329 452 '#c0c0c0'
	pixel 338 452 '#ecebe6'
	plain -t "$data/small.table" --layout hilbert --lba 100-115
	mentions '1 cell = 1 block'
	says '.sst: contiguous files=1 blocks=5, fragmented files=1 blocks=6 fragments=3, folded blocks=0'
	plain -t "$data/small.table" --lba 100-115 -o out.svg
	grep -q 'svg' out.svg
	# gaps of a part are folded as those of a volume
	"$view" -t "$data/rocksdb2.table" --layout segments --lba 2760100-2779100 -o out.png
	says 'not watched or free: blocks=3564 gaps=11 longest=3554, folded blocks=3072'
}

# A fragment that is cut has the colour that it has as a whole.
test_lba_cuts_no_fragment() {
	plain -t "$data/small.table" --lba 101-104
	pixel 42 437 '#00aa00'
	"$view" -t "$data/small.table" --color-by size --lba 101-101 -o out.png
	says '4 to 7: contiguous files=0 blocks=1, fragmented files=0 blocks=0 fragments=0, folded blocks=0'
	# the second half of a fragment of two extents
	"$view" -t "$data/small.table" --color-by size --lba 125-125 -o out.png
	says '4 to 7: contiguous files=0 blocks=1, fragmented files=0 blocks=0 fragments=0, folded blocks=0'
}

test_lba_of_several_volumes() {
	"$view" -t "$data/two.table" --lba 55-105 -o out.png
	says '254:0 /mnt/a  LBA 100 to 105 of 100 to 119, 6 blocks (24 KiB), 33.3 % in watched files'
	mentions '254:16 /mnt/my disk  LBA 55 to 59 of 50 to 59, 5 blocks (20 KiB)'
	says 'LBA 55-105 of each volume is drawn, and counted below; the lines above are of the whole volumes'
	"$view" -t "$data/two.table" --lba -59 -o out.png
	mentions '254:16 /mnt/my disk  LBA 50 to 59 of 50 to 59'
	"$peek" out.png text | grep '^254:0 ' && fail "a volume without a block is drawn"
	true
}

test_bad_lba() {
	local bad
	for bad in 5 a-b 9-5 - -- 1-2-3 1K-2K '' ' 1-2' 0x10-0x20 99999999999999999999-; do
		misused "fragtrace-view: --lba $bad: expected block addresses as A-B, A- or -B, with A not above B" \
			"$view" -t "$data/small.table" --lba="$bad" -o out.png
	done
	for bad in 164- -99 50-120 120-164 200-300; do
		misused "--lba $bad: no volume of $data/small.table has these blocks, expected addresses of one: 100 to 163" \
			"$view" -t "$data/small.table" --lba=$bad -o out.png
	done
	misused '--lba 60-99: no volume of' "$view" -t "$data/two.table" --lba 60-99 -o out.png
	misused 'expected addresses of one: 100 to 119, 50 to 59' "$view" -t "$data/two.table" --lba 60-99 -o out.png
	misused 'has no volume' "$view" -t "$data/header_only.table" --lba 5- -o out.png
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
	# a text without a wildcard is a part of the path, as for --filter
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
			"$view" -t alone --color-by "$by" -o out.png -i ./i.cnf
			"$peek" out.png text | grep -E '^[^ ]*: (cont|blocks)|fragment|files' | grep -v '^254:0\|^not watched' >expected
			"$view" -t t --color-by "$by" --only $only -o out.png -i ./i.cnf
			"$peek" out.png text | grep -E '^[^ ]*: (cont|blocks)|fragment|files' |
				grep -v '^254:0\|^not watched\|^only files\|^other files' | diff expected - || fail "$only by $by"
		done
	done
}

test_only_without_a_match() {
	refuses "fragtrace-view: --only no*such: no watched file of $data/small.table matches, expected a part of a path, or a glob" \
		plain -t "$data/small.table" --only 'no*such'
	misused '--only has an empty text' plain -t "$data/small.table" --only ''
	# a file may come later
	plain -t "$data/small.table" --only 'no*such' -n 0.01 --count 2
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
	"$view" "$@"
	sum=$(state_sums)
	! echo "$sum" | grep -qw 0 || fail "no blocks: $sum"
	for cut in 20500 49300 52000; do
		"$view" "$@" --lba -$cut
		part=$(state_sums)
		"$view" "$@" --lba $((cut + 1))-
		part=$(echo "$part $(state_sums)" | awk '{ print $1 + $5, $2 + $6, $3 + $7, $4 + $8 }')
		[ "$part" = "$sum" ] || fail "cut after $cut: $part, expected $sum"
	done
	# files that do not match are not taken for free or for unwatched ones
	"$view" "$@" --only f2.sst
	part="$(block_sum free) $(block_sum nodes) $(block_sum 'other data') $(($(block_sum 'all files') + $(block_sum 'other files')))"
	[ "$part" = "$sum" ] || fail "with --only: $part, expected $sum"
}

test_lens_of_a_page() {
	local layout
	for layout in boxes segments hilbert; do
		"$view" -t "$data/small.table" --layout $layout --only '*.sst' --lba 103-127 --html page.html
		"$python" - <<-'EOF'
			import json, re
			text = open("page.html", encoding="utf-8").read()
			data = json.loads(re.search(r'id="data">\n(.*?)</script>', text, re.S)[1])
			(v,) = data["volumes"]
			assert v["lba"] == 103, v
			assert sum(v["pieces"][1::5]) == 25, v
			assert data["total"]["files"] == 3, data["total"]
			units = v["lead"] + 25 * data["unitsPerBlock"]
			assert -(-units // data["unitsPerCell"]) == v["cells"] <= v["columns"] * v["rows"], v
			# owner, blocks, offset: the first file begins before the range
			at = [(i, v["pieces"][5 * i + 2]) for i in range(len(v["pieces"]) // 5) if v["pieces"][5 * i] >= 0]
			assert at[0] == (0, 3), at
		EOF
	done
}

test_lens_with_other_outputs() {
	local option other
	for option in '--lba 103-109' '--only log'; do
		for other in '--record dir' '--json f' '--csv f' '--prometheus f' '--fail-if split>1' --top --why \
			"--space --f2fs-state $data/f2fs-7"; do
			# shellcheck disable=SC2086 # lists of words
			misused "fragtrace-view: ${option% *} goes with a picture or --html, expected no ${other%% *} beside it" \
				"$view" -t "$data/small.table" $option $other
		done
	done
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
	"$peek" out.png 1100 383 100 20 | grep -q '#202124' || fail "the heading ends with the path"
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
	grep -q '^<svg' out.svg || fail "no SVG"
	plain -t "$data/small.table" -o out.PDF
	[ "$(head -c 5 out.PDF)" = %PDF- ] || fail "no PDF"
	if command -v pdftotext >/dev/null; then
		pdftotext out.PDF - | grep -q 'fragtrace /mnt/f2fs' || fail "the texts of the PDF are no texts"
	fi
	no_rest
	misused 'the picture of a page is a PNG' plain -t "$data/small.table" -o out.svg --html out.html
	refuses 'full.pdf: cannot write the picture: No space left on device' sh -c "ln -s /dev/full full.pdf; '$view' -t '$data/small.table' -o full.pdf"
}

test_automatic_colours() {
	"$view" -t "$data/small.table" -i "$data/plain.img.cnf" -o out.png
	# .sst has most blocks, then .log; LOG.old.1699 gets no colour
	boxes '#98f7c6' 6
	boxes '#0d9a58' 4
	boxes '#003423' 2
	boxes '#9ac5fd' 6
	boxes '#c1c1c1' 22
}

test_bad_image_settings() {
	bad_conf i 'maxlength = 5' 'unknown key "maxlength", did you mean max_length? The keys are'
	bad_conf i 'cell = 0' 'cell is "0", expected a number from 1 to 64'
	bad_conf i 'cell = 65' 'cell is "65"'
	bad_conf i 'cell = 5px' 'cell is "5px"'
	bad_conf i 'cell -1' 'cell is "-1"'
	bad_conf i 'cell' '1 words in the line, expected: key = value'
	bad_conf i 'cell = 5 6' '4 words in the line'
	bad_conf i 'cell =' 'cell is ""'
	bad_conf i 'max_length 99999999999999999999999' 'max_length is "99999999999999999999999"'
	bad_conf i 'layout = hilber' 'layout is "hilber", expected boxes, segments or hilbert'
	printf 'cell 5\ncell 5\n' >my.cnf
	refuses 'my.cnf:2: cell comes twice' plain -t "$data/small.table" -i my.cnf
}

test_presets() {
	local name
	for name in rocksdb redis voltdb; do
		"$view" -t "$data/small.table" -c $name -i $name -o out.png
	done
	refuses 'nosuch: No such file or directory, expected a color.cnf file or a preset' \
		"$view" -t "$data/small.table" -c nosuch -o out.png
	refuses 'expected an img.cnf file or a preset' "$view" -t "$data/small.table" -i nosuch -o out.png
}

# === Files and options ===

test_names_of_other_formats() {
	local name
	for name in x.gif x.JPG dir.d/x.tiff; do
		misused 'a picture is a PNG, SVG or PDF, expected a name that ends with' "$view" -t "$data/small.table" -o $name
		[ ! -e $name ] || fail "$name was written"
	done
	"$view" -t "$data/small.table" -o x.gif.png
}

test_stdin_to_stdout() {
	plain -t - -o - <"$data/small.table" >other.png
	mv other.png out.png
	boxes '#00aa00' 6
	cat "$data/small.table" | plain -t - -o - | cat >out.png
	boxes '#00aa00' 6
}

test_time_of_a_recorded_table() {
	cp "$data/small.table" t
	touch -d '2026-05-04 03:02:01 UTC' t
	plain -t t
	mentions 'Description: 2026-05-04 03:02:01 UTC: 7 files'
}

test_default_output() {
	"$view" -t "$data/small.table"
	mv fragImg.png out.png
	no_rest
}

test_missing_table() {
	refuses 'nosuch: cannot open: No such file or directory' plain -t nosuch
	refuses '.: no fragtrace-SECONDS.mmm.snapshot.zst in it, expected a folder' plain -t .
	[ -e /sys/kernel/debug/fragtrace/table ] ||
		refuses '/sys/kernel/debug/fragtrace/table: cannot open: ' plain
}

test_bad_options() {
	misused 'unexpected argument "y"' "$view" x y
	misused 'unexpected argument "y"' "$view" -t x y
	"$view" -h | cmp - "$("$view" --help >help; echo help)"
	misused 'see fragtrace-view --help' "$view" --nonsense
	misused '-n 0: expected a number of seconds above 0' "$view" -n 0
	misused '-n -1:' "$view" -n -1
	misused '-n nan:' "$view" -n nan
	misused '-n inf:' "$view" -n inf
	misused '-n 1s:' "$view" -n 1s
	misused '--count 0:' "$view" -n 1 --count 0
	misused '--count 1x:' "$view" -n 1 --count 1x
	misused '--count goes with -n' "$view" --count 1
	misused '-n cannot read standard input again' "$view" -n 1 -t -
	misused '--layout box: expected boxes, segments or hilbert' "$view" --layout box
	misused '--dpi 10: expected a number from 48 to 600' "$view" --dpi 10
	misused '--cell x: expected a number from 1 to 64' "$view" --cell x
	misused '-o has an empty name' "$view" -o ''
}

test_help_and_version() {
	"$view" --help | grep -q '^usage: fragtrace-view'
	"$view" --version | grep -q '^fragtrace-view [0-9]'
}

test_unwritable_output() {
	refuses 'nosuch/out.png: cannot write the picture: No such file or directory' \
		plain -t "$data/small.table" -o nosuch/out.png
	mkdir d
	refuses 'd: is a directory' plain -t "$data/small.table" -o d
	refuses '/dev/full: cannot write the picture: No space left on device' \
		plain -t "$data/rocksdb.table" -o /dev/full
	[ -c /dev/full ] || fail "/dev/full was replaced"
}

# A file system of 64 KiB has room for one picture, but not for a second, larger one.
test_full_disk() {
	mkdir disk
	if ! mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
		echo "cannot mount a small tmpfs"
		exit 4
	fi
	trap 'umount disk' EXIT
	plain -t "$data/small.table" -o disk/out.png
	cp disk/out.png good.png
	head -c 32768 /dev/zero >disk/ballast
	refuses 'disk/out.png: cannot write the picture: No space left on device' \
		plain -t "$data/rocksdb.table" -o disk/out.png
	cmp disk/out.png good.png
	[ "$(ls -A disk | wc -l)" = 2 ] || fail "left behind: $(ls -A disk)"
}

test_not_root() {
	if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
		echo "needs root and setpriv"
		exit 4
	fi
	mkdir bin
	cp "$view" bin/view
	cp "$data/small.table" t
	chmod -R a+rx "$tmp" .
	# debugfs may be mounted or not, and the module loaded or not
	refuses '/sys/kernel/debug/fragtrace/table: cannot open: ' \
		setpriv --reuid 65534 --regid 65534 --clear-groups bin/view -o out.png
	grep -qE 'are you root|is not mounted|is the module fragtrace loaded' stderr || fail "$(cat stderr)"
	refuses 'mine.png: cannot write the picture: Permission denied' \
		setpriv --reuid 65534 --regid 65534 --clear-groups bin/view -t t -o mine.png
}

test_full_stdout() {
	refuses 'No space left on device' sh -c \
		"'$view' -t '$data/small.table' -o - >/dev/full"
}

test_picture_mode_follows_umask() {
	umask 027
	plain -t "$data/small.table"
	[ "$(stat -c %a out.png)" = 640 ] || fail "mode $(stat -c %a out.png)"
}

test_last_good_picture_stays() {
	plain -t "$data/small.table"
	cp out.png good.png
	echo broken >t
	! plain -t t 2>stderr || fail "a broken table was drawn"
	cmp out.png good.png
	no_rest
}

test_repeats_count_times() {
	local start end
	start=$(date +%s%N)
	plain -t "$data/small.table" -n 0.2 --count 3
	end=$(date +%s%N)
	boxes '#00aa00' 6
	[ $((end - start)) -ge 400000000 ] || fail "three pictures took less than two intervals"
	plain -t "$data/small.table" -n 0.01 --count 2 -o - >two.png
	[ "$(grep -ac IHDR two.png)" = 2 ] || fail "expected two pictures on stdout"
}

test_repeating_ends_on_a_bad_table() {
	local status=0
	cp "$data/small.table" t
	start -t t -n 0.05 2>stderr
	wait_for test -e out.png
	cp out.png good.png
	echo broken >new
	mv new t
	wait $! || status=$?
	[ $status = 1 ] || fail "status $status"
	grep -q 't:1: this is no fragtrace table' stderr
	cmp out.png good.png
	no_rest
}

# interrupt(signal, seconds) - a repeated drawing must end with status 0 and leave no unfinished file
interrupt() {
	local status=0
	rm -f out.png
	start -t "$data/rocksdb.table" -n 0.001
	# before that it may have no handler yet, and the shell made it ignore SIGINT
	until [ -e out.png ]; do sleep 0.02; done
	sleep "$2"
	kill "-$1" $!
	wait $! || status=$?
	[ $status = 0 ] || fail "status $status after SIG$1"
	no_rest
	"$peek" out.png >/dev/null
}

test_signals_leave_no_rest() {
	local delay
	for delay in 0.01 0.03 0.07 0.09 0.13; do
		interrupt INT $delay
		interrupt TERM $delay
	done
}

# interrupt_once(signal, status) - a single drawing must end by the signal; the last picture stays
interrupt_once() {
	local status=0
	plain -t "$data/small.table"
	cp out.png good.png
	rm -f pipe
	mkfifo pipe
	start -t pipe
	# its handler is set before it opens the table
	exec 3>pipe
	cat "$data/small.table" >&3
	kill "-$1" $!
	wait $! || status=$?
	exec 3>&-
	[ $status = "$2" ] || fail "status $status after SIG$1"
	cmp out.png good.png
	no_rest
}

test_signal_without_repeating() {
	interrupt_once TERM 143
	interrupt_once INT 130
}

# binary(table, file) - convert a text to a binary snapshot
binary() {
	"$python" "$here/to_snapshot.py" "$1" >"$2"
}

test_snapshot() {
	for t in rocksdb two small header_only; do
		sed '1a\
# time 1700000000.123' "$data/$t.table" >text
		"$view" -t text -o text.png
		binary text snapshot
		"$view" -t snapshot -o snapshot.png
		cmp text.png snapshot.png
	done
	sed '1a\
# stale 2' "$data/two.table" >text
	plain -t text
	mentions '1 fragmented file (25 %); 2 stale'
	binary text snapshot
	plain -t snapshot
	mentions '1 fragmented file (25 %); 2 stale'
	"$view" -t - -o - <snapshot >snapshot.png
	"$view" -t snapshot -o - | cmp - snapshot.png
	sed '3a\
# stopped 254:16\
# stale 2' "$data/two.table" >text
	binary text snapshot
	for t in text snapshot; do
		plain -t $t
		mentions '; 2 stale; F2FS has stopped on 1 volume'
	done
}

# Each output of a table is the same if it is made of the binary file.
test_snapshot_everywhere() {
	for t in rocksdb2 two small header_only; do
		sed '1a\
# time 1700000000.123' "$data/$t.table" >text
		binary text snapshot
		for form in text snapshot; do
			"$view" -t $form --json $form.json --csv $form.csv --prometheus $form.prom
			"$view" -t $form --top --count 1 -n 0.01 >$form.top
		done
		for kind in json csv prom top; do
			cmp text.$kind snapshot.$kind
		done
	done
}

test_bad_snapshot() {
	binary "$data/two.table" good
	n=$(wc -c <good)
	head -c 100 good >short
	refuses 'short: the snapshot is cut short' plain -t short
	head -c $((n - 1)) good >short
	refuses 'short: the snapshot is cut short' plain -t short
	"$python" - <<-'EOF'
		import struct
		good = open("good", "rb").read()
		def spoil(name, at, form, *values):
		    with open(name, "wb") as f:
		        f.write(good[:at] + struct.pack(form, *values) + good[at + struct.calcsize(form):])
		arrays = [struct.unpack_from("<QQII", good, 32 + 24 * i) for i in range(5)]
		spoil("future", 8, "<I", 3)
		spoil("outside", 32 + 24 * 2, "<Q", len(good))
		spoil("many", 32 + 24 * 2 + 8, "<Q", 2**61)
		spoil("thin", 32 + 24 * 2 + 16, "<I", 4)
		spoil("index", arrays[3][0], "<I", 2**31)
		spoil("file", arrays[2][0], "<I", 2**31)
		spoil("place", arrays[2][0] + 12, "<I", 0xfffffff0)
		spoil("path", arrays[1][0], "<Q", 2**40)
		spoil("endless", arrays[4][0], f"{arrays[4][1]}s", b"x" * arrays[4][1])
	EOF
	refuses 'future: the snapshot has version 3, this program reads versions 1 to 2' plain -t future
	refuses 'outside: the extents lie outside the file' plain -t outside
	refuses 'many: the extents lie outside the file' plain -t many
	refuses 'thin: records of extents have 4 bytes, expected 20' plain -t thin
	refuses 'index: there is no record 2147483648 among the extents' plain -t index
	refuses 'file: there is no record 2147483648 among the files' plain -t file
	refuses 'place: an extent of' plain -t place
	refuses 'path: a path lies outside the file' plain -t path
	refuses 'endless: a path lies outside the file' plain -t endless
}

test_install() {
	make -s -C "$viewer" install DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
	[ -x root/usr/bin/fragtrace-view ]
	grep -qx '\.It Pa /usr/share/fragtrace' root/usr/share/man/man1/fragtrace-view.1 || fail "the page names another folder"
	[ "$(ls root/usr/share/fragtrace/*.cnf | wc -l)" = 6 ] || fail "expected 6 presets"
	root/usr/bin/fragtrace-view -t "$data/small.table" -c redis -i redis -o out.png
}

test_man_page() {
	if ! command -v mandoc >/dev/null; then
		echo "mandoc is not installed"
		exit 4
	fi
	mandoc -Tlint -Wwarning "$viewer/man/fragtrace-view.1"
}

run_tests
