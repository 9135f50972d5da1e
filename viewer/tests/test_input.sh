#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests what fragtrace refuses: tables, color.cnf and img.cnf; and what these set; speaks KTAP. See testlib.sh.
# usage: test_input.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"
# shellcheck source-path=SCRIPTDIR source=picture.sh
. "$here/picture.sh"

# === Helpers ===

# bad_line(line, message) - a table with this third line is refused at 3
bad_line() {
	printf '%s\n%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m' "$1" >t
	refuses "fragtrace view: t:3: $2" plain -t t
}

# bad_next(line, message) - a table with a valid record and then this line is refused at 4
bad_next() {
	printf '%s\n%s\n%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m' \
		'254:0 110 4 0 4 contiguous /m/a.sst' "$1" >t
	refuses "fragtrace view: t:4: $2" plain -t t
}

# bad_volume(line, message) - a table with this second line is refused at 2
bad_volume() {
	printf '%s\n%s\n' '# fragtrace table 1' "$1" >t
	refuses "fragtrace view: t:2: $2" plain -t t
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
	refuses "fragtrace view: ./my.cnf:2: $3" "$fragtrace" view -t "$data/small.table" "-$1" ./my.cnf -o out.png
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
	refuses 't:1: this is no fragtrace table; expected the first line' plain -t t
}

test_unreadable_file() {
	refuses 'fragtrace view: /proc/self/mem: cannot read: Input/output error' plain -t /proc/self/mem
	refuses 'fragtrace view: nosuch: cannot open: No such file or directory' plain -t nosuch
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
	bad_line '254:0 99 1 0 4 contiguous /m/a' 'blocks 99 to 99 are outside the volume; expected 100 to 163'
	bad_line '254:0 164 1 0 4 contiguous /m/a' 'blocks 164 to 164 are outside'
	bad_line '254:0 160 5 0 4 contiguous /m/a' 'blocks 160 to 164 are outside'
	bad_line '254:0 110 0 0 4 contiguous /m/a' 'the length is 0'
}

test_order() {
	bad_next '254:0 109 1 0 5 contiguous /m/b' 'not sorted: lba 109 comes after 110'
	bad_next '254:0 110 1 0 5 contiguous /m/b' 'lba 110 overlaps the extent before; expected at least 114'
	bad_next '254:0 113 9 0 5 contiguous /m/b' 'lba 113 overlaps'
	bad_next '254:1 113 9 0 5 contiguous /m/b' 'volume 254:1 is not known'
	{ cat "$data/two.table"; echo '254:0 115 1 0 9 contiguous /mnt/a/z'; } >t
	refuses 't:10: not sorted: volume 254:0 had its lines before' plain -t t
}

test_bad_state() {
	bad_line '254:0 110 4 0 4 Fragmented /m/a' 'unknown state "Fragmented"; expected contiguous or fragmented'
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
	bad_conf c '.sst chartreuse black white' 'unknown colour "chartreuse"; expected #rrggbb or a name that fragtrace(1) lists'
	bad_conf c '.sst x black white' 'unknown colour "x"; expected #rrggbb'
	bad_conf c '.sst #12345 black white' 'colour "#12345" is not #rrggbb'
	bad_conf c '.sst #1234567 black white' 'colour "#1234567" is not #rrggbb'
	bad_conf c '.sst #12345g black white' 'colour "#12345g" is not #rrggbb'
	bad_conf c '.sst green black' '2 colours; expected three: WHAT CONTIGUOUS FRAG_A FRAG_B'
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
	"$fragtrace" view -t "$data/small.table" -c c.cnf -i "$data/plain.img.cnf" -o out.png
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
	"$fragtrace" view -t t -c c.cnf -o out.png
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
	"$fragtrace" view -t t -c c.cnf -c d.cnf -i "$data/plain.img.cnf" -o out.png
	counted 'log/*' 2
	counted .sst 1
	boxes '#0000aa' 2
	boxes '#00bb00' 1
	boxes '#444444' 1
	pixels '#111111' 0
	[ "$("$peek" out.png text | grep -c '^log/')" = 1 ] || fail "a rule is there twice"
}

test_color_by_size() {
	"$fragtrace" view -t "$data/small.table" --color-by size -i "$data/plain.img.cnf" -o out.png
	# fragments of the only fragmented file; a contiguous file is neutral, of whatever size
	boxes '#2d0966' 1
	boxes '#690068' 5
	boxes '#960664' 0
	boxes '#c8c8c8' 34
	says '1 block: fragments=1 blocks=1, folded blocks=0'
	says '2 to 3: fragments=2 blocks=5, folded blocks=0'
	says 'contiguous file: fragments=6 blocks=34, folded blocks=0'
	says 'all fragments: fragments=9 blocks=40, folded blocks=0'
	misused '-c rocksdb: rules are for --color-by kind' \
		"$fragtrace" view -t "$data/small.table" --color-by size -c rocksdb -o out.png
}

# Each unpacks to 100 MB or more. Reading ends at the first line that is none, and no text is in memory as a whole.
test_bombs() {
	head -c 500000000 /dev/zero | zstd -q >zeros.zst
	{
		cat "$data/small.table"
		yes '# a comment' | head -n 10000000
		echo bad
	} >long
	zstd -q long
	# snapshots with a version that none has, with more than they have, with extents that none can be
	"$python" -IS "$here/to_snapshot.py" "$data/file.table" >s
	"$python" - <<-'EOF'
		import struct, subprocess
		whole = open("s", "rb").read()
		def pack(name, data):
		    subprocess.run(["zstd", "-q", "-o", f"{name}.zst"], input=data, check=True)
		pack("version", whole[:8] + bytes(200000000))
		pack("more", whole + bytes(200000000))
		# the extents are an array of 200 MB at the end: offset, number, size
		header = bytearray(whole[:80] + struct.pack("<QQII", len(whole), 200000000 // 24, 24, 0) + whole[104:])
		header[16:24] = struct.pack("<Q", len(whole) + 200000000)
		pack("extents", header + bytes(200000000))
	EOF
	# what programs and their libraries take without a table is 60 MB at most
	case $fragtrace in */san/*) ;; *) ulimit -v 200000 ;; esac
	refuses 'zeros.zst:1: the line is longer than' "$fragtrace" table --csv -o x -t zeros.zst
	n=$(($(wc -l <long)))
	refuses "long.zst:$n: the device is not a number: \"bad\"" "$fragtrace" table --csv -o x -t long.zst
	! "$fragtrace" table --csv -o x -t - <long 2>err || fail "accepted"
	grep -q "^fragtrace table: <stdin>:$n: " err
	refuses '/dev/zero:1: the line is longer than' "$fragtrace" table --csv -o x -t /dev/zero
	refuses 'version.zst: the snapshot has version 0' "$fragtrace" table --csv -o x -t version.zst
	refuses 'more.zst: the snapshot is cut short' "$fragtrace" table --csv -o x -t more.zst
	refuses 'extents.zst: extent 0 has 0 blocks of file 0, which none can have' "$fragtrace" table --csv -o x -t extents.zst
}

# As tables come out of mails: other ends of lines, a byte order mark, quoting marks.
test_mailed_tables() {
	"$fragtrace" table --csv -o expected "$data/small.table"
	sed 's/$/\r/' "$data/small.table" >crlf
	{ printf '\357\273\277'; cat "$data/small.table"; } >mark
	sed 's/^/> /' "$data/small.table" >quoted
	sed 's/^/>/; s/$/\r/' "$data/small.table" >both
	zstd -q both -o packed
	for t in crlf mark quoted both packed; do
		"$fragtrace" table --csv -o out $t
		cmp out expected
	done
	# elsewhere they are part of a name, or wrong
	{ sed 1q "$data/small.table"; sed '1d; $s/$/\r/' "$data/small.table"; } >name
	"$fragtrace" table --csv name | grep -q "$(printf '\r')\"\?$(printf '\r')\$" || fail "a name lost its end"
	{ sed 1q "$data/small.table"; sed '1d; s/^/> /' "$data/small.table"; } >later
	refuses 'later:2: ' "$fragtrace" table --csv -o x later
}

test_numbers_are_quoted_alone() {
	sed 's/blocks=[0-9]* segment/blocks=4294967296 segment/' "$data/small.table" >t
	refuses 'the number of blocks is too big: 4294967296; expected at most 4294967295' "$fragtrace" table --csv -o x t
}

test_color_by_file() {
	for name in 000002.sst f2fs/000002.sst /mnt/f2fs/000002.sst '*2.sst'; do
		"$fragtrace" view -t "$data/small.table" --color-by "file=$name" -i "$data/plain.img.cnf" -o out.png
		says "$name: contiguous files=0 blocks=0, fragmented files=1 blocks=6 fragments=3, folded blocks=0"
		says 'all others: contiguous files=6 blocks=34, fragmented files=0 blocks=0 fragments=0, folded blocks=0'
	done
	for by in file file= kinds size=1 kind=; do
		misused "--color-by $by: expected kind, severity, worst, size, cause, why, process, age, heat or file=PATH" "$fragtrace" view --color-by "$by"
	done
}

test_color_by_file_without_a_match() {
	"$fragtrace" view -t "$data/small.table" --color-by file=nosuch -o out.png 2>stderr
	says 'no watched file matches nosuch: all blocks have the colours of the others'
	grep -qF 'fragtrace view: --color-by file=nosuch: no watched file matches nosuch' stderr || fail "$(cat stderr)"
	# said once
	"$fragtrace" view -t "$data/small.table" --color-by file=nosuch -o out.png -n 0.01 --count 3 2>stderr
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
	"$fragtrace" view -t t --color-by severity -i "$data/plain.img.cnf" -o out.png
	says 'none: contiguous files=1 blocks=64, fragmented files=0 blocks=0 fragments=0, folded blocks=0'
	says '100 to 400 %: contiguous files=0 blocks=0, fragmented files=1 blocks=32 fragments=2, folded blocks=0'
	says '400 % or more: contiguous files=0 blocks=0, fragmented files=1 blocks=32 fragments=32, folded blocks=0'
	pixels '#690068' $((32 * 64 + 560))
	pixels '#2d0966' $((32 * 64 + 560))
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

test_bad_image_settings() {
	bad_conf i 'maxlength = 5' 'unknown key "maxlength", did you mean max_length? The keys are'
	bad_conf i 'transparency = 5' 'unknown key "transparency", the keys are layout, max_length'
	bad_conf i 'cell = 0' 'cell is "0"; expected a number from 1 to 64'
	bad_conf i 'cell = 65' 'cell is "65"'
	bad_conf i 'cell = 5px' 'cell is "5px"'
	bad_conf i 'cell -1' 'cell is "-1"'
	bad_conf i 'cell' '1 words in the line; expected: key = value'
	bad_conf i 'cell = 5 6' '4 words in the line'
	bad_conf i 'cell =' 'cell is ""'
	bad_conf i 'max_length 99999999999999999999999' 'max_length is "99999999999999999999999"'
	bad_conf i 'layout = hilber' 'layout is "hilber"; expected boxes, segments, hilbert or zones'
	printf 'cell 5\ncell 5\n' >my.cnf
	refuses 'my.cnf:2: cell comes twice' plain -t "$data/small.table" -i my.cnf
}

test_presets() {
	local name
	for name in rocksdb redis voltdb; do
		"$fragtrace" view -t "$data/small.table" -c $name -i $name -o out.png
	done
	refuses 'nosuch: No such file or directory; give a color.cnf file or a preset' \
		"$fragtrace" view -t "$data/small.table" -c nosuch -o out.png
	refuses 'give an img.cnf file or a preset' "$fragtrace" view -t "$data/small.table" -i nosuch -o out.png
}

# Files are found by their inode numbers: 150,000 of them take less than a tenth of these seconds of the CPU.
test_many_files_are_found_at_once() {
	awk 'BEGIN {
		print "# fragtrace table 1"
		print "# volume 254:0 main_blkaddr=0 blocks=400000 segment_blocks=512 path=/m"
		for (i = 0; i < 150000; i++)
			print "254:0", 2 * i, 1, 0, i + 4, "contiguous", "/m/a"
	}' >t
	(ulimit -t 10; "$fragtrace" table --csv t | tail -n 1 >last) || fail "not within 10 s of the CPU"
	grep -q '^254:0,299998,1,0,150003,' last || fail "$(cat last)"
}

run_tests
