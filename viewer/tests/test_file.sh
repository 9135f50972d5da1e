#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the picture of one file, fragtrace file; speaks KTAP. See testlib.sh.
# usage: test_file.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"
# shellcheck source-path=SCRIPTDIR source=picture.sh
. "$here/picture.sh"

# binary(table) - convert a text to the binary snapshot s
binary() {
	$python -IS "$here/to_snapshot.py" "$1" >s
}

# one(args...) - draw the file of file.table that has three fragments
one() {
	binary "$data/file.table"
	"$fragtrace" file db/000007.sst -t s -o out.png "$@"
}

# In file.table: 24 blocks from 42 to 1172, 47 pixels each; LBA 1050 to 1243 from 856 up to 408, the lowest one drawn below that.
test_positions() {
	one
	# the first fragment, the second one, and the two extents of the third one
	pixel 100 834 '#c8c8c8'
	pixel 300 694 '#1332fb'
	pixel 440 393 '#45ef66'
	pixel 1000 391 '#45ef66'
	# nothing else is there
	pixel 100 697 '#ffffff'
	pixel 300 836 '#ffffff'
	only 100 398 100 400 '#ffffff' '#e6e6e6'
	# a line to each fragment but the first
	only 230 708 1 100 '#1332fb'
	only 418 408 1 270 '#45ef66'
}

test_holes_and_unwritten_blocks() {
	one
	# blocks 9 to 11, 15 to 19; 12 to 14, 22 and 23
	only 467 386 138 452 '#d9d7ce'
	only 750 386 232 452 '#d9d7ce'
	only 608 386 140 452 '#bcd2ee'
	only 1084 386 88 452 '#bcd2ee'
	says 'hole: 8 blocks'
	says 'allocated, not written: 5 blocks'
}

test_numbers() {
	one
	"$peek" out.png text | grep -qx 'Title: fragtrace /mnt/f2fs/db/000007.sst'
	mentions ': 11 blocks written (44 KiB) in 4 extents, the last one ends at 96 KiB'
	says '3 fragments; split factor 3.000: to read it by 128 KiB takes 3 requests, ideally 1'
	says 'append: breaks=1 blocks=4, folded blocks=0'
	says 'tail: breaks=1 blocks=3, folded blocks=0'
	says 'all breaks: breaks=2 blocks=7, folded blocks=0'
	says 'no break: begins its file: blocks=4, folded blocks=0'
	says 'break 1: block=4 expected=1054 at=1110 distance=+56: append, writeback, new_segment; by log er:99'
	says 'break 2: block=8 expected=1114 at=1240 distance=+126: tail, sync, interleaved; by rocksdb:low:812'
}

test_last_block() {
	one
	says 'the last block (21) is at LBA 1,242, in segment 2, in a fragment of 3 blocks'
	says 'which is 126 blocks (504 KiB) after the end of the one before it: tail, sync, interleaved; by rocksdb:low:812'
	"$fragtrace" file db/gone.sst -t s -o out.png
	says 'the last block (8) is at LBA 1,318, in segment 3, in a fragment of 9 blocks'
	says 'the file has no break: each written block follows the one before it'
	# down, too
	binary "$data/why.table"
	"$fragtrace" file b.db -t s -o out.png
	says 'the last block (5) is at LBA 1,300, in segment 3, in a fragment of 1 block'
	says 'which is 15 blocks (60 KiB) before the end of the one before it: overwrite, writeback, ssr; by rocksdb:high:812'
}

textflaw='a text of a table does not have the causes'

# One block that is 999,900 blocks from the others does not flatten them: the addresses between are cut out.
test_far_block() {
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=1000 blocks=2000000 segment_blocks=512 path=/m' \
		'254:0 2000 100 0 4 fragmented /m/a.db' '254:0 1002000 1 100 4 fragmented /m/a.db' >t
	"$fragtrace" file a.db -t t -o out.png
	mentions '; large gaps are cut out'
	# 101 blocks from 60 to 1172; 100 addresses from 808 up to 406, a mark of 16 pixels, 1 address up to 364
	pixel 610 608 '#c8c8c8'
	pixel 1166 378 '#8a8a8a'
	pixel 1166 500 '#ffffff'
	pixel 610 377 '#ffffff'
	only 700 390 400 16 '#ecebe6'
	pixel 1160 398 '#8a8a8a'
	"$fragtrace" file a.db -t t -o out.svg
	grep -q '>3.8 GiB without a block of this file</text>' out.svg
	# 101 addresses are less than a twentieth of 2,021, and no less of 2,020
	for far in 4020:1 4019:0; do
		sed "s/ 1002000 / ${far%:*} /" t >t2
		"$fragtrace" file a.db -t t2 -o out.png
		[ "$("$peek" out.png text | grep -c 'cut out')" = "${far#*:}" ] || fail "$far"
	done
}

# Holes of a sparse file are cut out as well.
test_far_offset() {
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=1000 blocks=9999 segment_blocks=512 path=/m' \
		'254:0 2000 10 0 4 contiguous /m/a.db' '254:0 2010 10 900000000 4 contiguous /m/a.db' >t
	"$fragtrace" file a.db -t t -o out.png
	mentions '; large gaps are cut out'
	# 10 blocks from 42 to 599, a mark, 10 blocks from 615 to 1172; 20 addresses from 790 up to 342
	pixel 325 676 '#c8c8c8'
	pixel 1170 343 '#c8c8c8'
	only 599 342 16 452 '#ecebe6'
	"$fragtrace" file a.db -t t -o out.svg
	grep -q '>3.3528 TiB</text>' out.svg && grep -q '>+8 KiB</text>' out.svg || fail "$(grep -o '>[0-9.]* [KMGT]iB<' out.svg)"
}

# Up to seven gaps are cut out, each larger than an eighth of what is left without the others; narrow bands have room for a label.
test_several_gaps() {
	local n
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=1000 blocks=99999 segment_blocks=512 path=/m' \
		'254:0 10000 10 0 4 fragmented /m/a.db' '254:0 10010 10 900000000 4 fragmented /m/a.db' \
		'254:0 10100 1 1000000000 4 fragmented /m/a.db' >t
	"$fragtrace" file a.db -t t -o out.png
	# 1124 pixels from 48 on: 507 for ten blocks each, 78 for one, two marks
	only 555 386 16 400 '#ecebe6'
	only 1078 386 16 400 '#ecebe6'
	for x in 554 571 1077 1096; do
		pixel $x 500 '#ffffff'
	done
	for n in 8 9; do
		{
			printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=0 blocks=99999999 segment_blocks=512 path=/m'
			for i in $(seq $n); do
				echo "254:0 $((i * 1000000)) 1 $i 4 fragmented /m/a.db"
			done
		} >t
		"$fragtrace" file a.db -t t -o out.svg
		[ "$(grep -c '>3.8 GiB without a block of this file<' out.svg)" = $((n == 8 ? 7 : 0)) ] || fail "$n: $(grep -c 'without a block' out.svg)"
		printf 'width 640\n' >i.cnf
		"$fragtrace" file a.db -t t -o out.png -i ./i.cnf
	done
}

# A text has the same numbers, but no causes, and does not tell what has no blocks.
test_text() {
	"$fragtrace" file db/000007.sst -t "$data/file.table" -o out.png
	says '3 fragments; split factor 3.000: to read it by 128 KiB takes 3 requests, ideally 1'
	says 'all breaks: breaks=2 blocks=7, folded blocks=0'
	says 'hole, or not written (a text does not tell): 11 blocks'
	says 'break 2: block=8 expected=1114 at=1240 distance=+126'
	says 'which is 126 blocks (504 KiB) after the end of the one before it'
	says "all breaks; why is unknown: $textflaw"
	mentions 'the last one ends at 88 KiB'
}

# A snapshot of a module that was loaded with causes=0: that is said once.
test_no_cause_was_seen() {
	sed 's/^# cause \([0-9]* [0-9]*\) .*/# cause \1 unknown none unknown 0/' "$data/file.table" >t
	binary t
	"$fragtrace" file db/000007.sst -t s -o out.png
	[ "$("$peek" out.png text | grep -c 'causes=0')" = 1 ] || fail "$("$peek" out.png text)"
	says 'all breaks; why is unknown: no cause was seen (the block is older than the module, the file was stale, or the module has causes=0)'
	says 'break 2: block=8 expected=1114 at=1240 distance=+126'
	! "$peek" out.png text | grep -q 'not seen' || fail "$("$peek" out.png text)"
}

test_stale() {
	sed '2a# stale 1' "$data/file.table" >t
	binary t
	"$fragtrace" file db/000007.sst -t s -o out.png
	"$peek" out.png text | grep -qx 'Title: fragtrace /mnt/f2fs/db/000007.sst (stale)'
	"$fragtrace" file db/gone.sst -t s -o out.png
	"$peek" out.png text | grep -qx 'Title: fragtrace /mnt/f2fs/db/gone.sst'
	"$fragtrace" file db/gone.sst -t t -o out.png
	mentions '; 1 file stale, it is not known which'
}

# pieces(number) - a table of one file in so many fragments of 1 block, each 3 above the one before
pieces() {
	echo '# fragtrace table 1'
	echo "# volume 254:0 main_blkaddr=1024 blocks=$((1024 + $1 * 3)) segment_blocks=512 path=/m"
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "254:0 %d 1 %d 4 fragmented /m/a.db\n", 1024 + i * 3, i }'
}

# bar(x, width, height) - bars of unknown breaks fill this part of the strip, which has 36 rows from 824 on
bar() {
	local got
	got=$("$peek" out.png "$1" 824 "$2" 36 | awk '$1 == "#8a8a8a" { n = $2 } END { print n + 0 }')
	[ "$got" = $(($2 * $3)) ] || fail "$got pixels of breaks from $1 on; expected $2 x $3"
}

# Few breaks are lines; many are counted in the strip only. Both add up.
test_many_breaks() {
	# 1130 pixels have room for 282 lines, 4 pixels each
	pieces 283 >t
	"$fragtrace" file a.db -t t -o out.png
	mentions 'a line to a bar is a break'
	says 'all breaks: breaks=282 blocks=282, folded blocks=0'
	pieces 284 >t
	"$fragtrace" file a.db -t t -o out.png
	mentions '283 breaks are too many for lines'
	# 10 blocks for each bar of 4 pixels, 5 for the last one of 2; the first one has one break less
	pieces 2825 >t
	"$fragtrace" file a.db -t t -o out.png
	says 'all breaks: breaks=2824 blocks=2824, folded blocks=0'
	bar 42 4 32
	bar 46 1124 36
	bar 1170 2 18
	# the farthest are listed
	[ "$("$peek" out.png text | grep -c '^break [0-9]*: block=')" = 12 ] || fail "not 12 breaks in the list"
	says "the 12 farthest of 2,824 breaks; why is unknown: $textflaw"
}

test_farthest_breaks_are_listed() {
	{
		pieces 100 | sed 's/blocks=[0-9]*/blocks=9000/'
		echo '254:0 8000 1 100 4 fragmented /m/a.db'
	} >t
	"$fragtrace" file a.db -t t -o out.png
	says 'break 12: block=100 expected=1322 at=8000 distance=+6,678'
	says "the 12 farthest of 100 breaks; why is unknown: $textflaw"
}

test_colours() {
	local by
	one --color-by why
	says 'new_segment: breaks=1 blocks=4, folded blocks=0'
	says 'interleaved: breaks=1 blocks=3, folded blocks=0'
	one --color-by process
	says 'log er:99: fragments=2 blocks=8, folded blocks=0'
	one --color-by age
	mentions 'all fragments: fragments=3 blocks=11'
	for by in kind severity worst size file=a; do
		misused "--color-by $by: not valid for one file; give cause, why, process, age or heat" \
			"$fragtrace" file db/000007.sst -t s -o out.png --color-by $by
	done
}

test_largest_input() {
	binary "$data/file.table"
	one --max-input "$(wc -c <s)"
	refuses 's: the input is larger than' "$fragtrace" view s -o out.png --max-input $(($(wc -c <s) - 1))
}

test_forms() {
	one --dpi 300
	[ "$(width)" = 4000 ] || fail "$(width) pixels wide"
	one -o out.svg
	head -c 100 out.svg | grep -q '<?xml'
	one -o out.pdf
	head -c 5 out.pdf | grep -q '%PDF-'
	if command -v pdfinfo >/dev/null; then
		pdfinfo out.pdf | grep -q 'Title: *fragtrace /mnt/f2fs/db/000007.sst'
	fi
	one -i "$data/small-box.img.cnf"
}

# A whole path goes before the end of one, a name before a deleted file.
test_which_file() {
	binary "$data/file.table"
	refuses '000007.sst: 2 watched files match; expected more of the path of one of them: /mnt/f2fs/db/000007.sst, /mnt/f2fs/log/000007.sst' \
		"$fragtrace" file 000007.sst -t s -o out.png
	refuses 'nosuch: no watched file of s that has blocks is called so' "$fragtrace" file nosuch -t s -o out.png
	refuses ', ...' "$fragtrace" file '*.sst' -t "$data/rocksdb.table" -o out.png
	misused "'': an argument is empty" "$fragtrace" file '' -t s -o out.png
	refuses 'nosuch: no watched file of s that has blocks is called so' "$fragtrace" file s nosuch -o out.png --count 1
	misused '-c: not an option here' "$fragtrace" file -c rocksdb s nosuch
	"$fragtrace" file gone.sst -t s -o out.png
	mentions ': 9 blocks written'
	"$fragtrace" file /mnt/f2fs/log/000007.sst -t s -o out.png
	mentions ': 1 block written'
	"$fragtrace" file 'lo?/*.sst' -t s -o out.png
	mentions ': 1 block written'
}

# The picture has a form of its own.
test_options_of_other_pictures() {
	local option
	for option in '--lba 1-' '--only a' '--layout boxes' '--section 2' '--f2fs-state .'; do
		# shellcheck disable=SC2086 # an option and its value
		misused 'not an option here; see fragtrace file --help' \
			"$fragtrace" file a -t "$data/file.table" $option
	done
}

# With -n the last picture stays while the file is not there, which is said once.
test_repeated() {
	cp "$data/file.table" t
	one
	cp out.png good.png
	"$fragtrace" file nosuch -t t -o out.png -n 0.01 --count 3 2>stderr
	cmp good.png out.png
	[ "$(wc -l <stderr)" = 1 ] || fail "$(cat stderr)"
	"$fragtrace" file db/000007.sst -t t -o out.png -n 0.01 --count 2
	mentions ': 11 blocks written'
}

run_tests
