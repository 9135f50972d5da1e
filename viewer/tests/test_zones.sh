#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests fragtrace zones with copies of F2FS's state and of zone reports; speaks KTAP. See testlib.sh.
# usage: test_zones.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# zoned(seed) - make a random state ./s and its table ./t
zoned() {
	rm -rf s
	"$python" "$here/naive_zones.py" make s "$1"
	mv s/table t
}

# zones() - print the zones of ./t with the state ./s
zones() {
	"$fragtrace" zones -t t --f2fs-state s
}

# line(text) - ./text has this line, whatever the spaces are
line() {
	tr -s ' ' <text | grep -qxF -- "$1" || fail "no line \"$1\" in: $(cat text)"
}

test_zones_are_those_of_every_block() {
	local seed
	for seed in $(seq 24); do
		"$python" "$here/naive_zones.py" make "r$seed" "$seed"
		"$fragtrace" zones --json -t "r$seed/table" --f2fs-state "r$seed" >"j$seed"
		"$python" "$here/naive_zones.py" check "r$seed" "j$seed" >>found
		"$fragtrace" metrics -t "r$seed/table" --f2fs-state "r$seed" >"m$seed"
		"$python" "$here/naive_zones.py" metrics "r$seed" "m$seed" >>sums
	done
	# all kinds of differences were there, all reasons not to collect a zone, ages, and limits
	[ "$(tr ' ' '\n' <found | sort -u | tr '\n' ' ')" = '+None +all_valid +log +lost +no_valid +old +outside +sections =None =max_active =max_open ahead behind left lost not_reset unwritten ' ] || fail "$(cat found)"
	# and all metrics had a value other than 0
	[ "$(tr ' ' '\n' <sums | sort -u | tr '\n' ' ')" = 'max_open_zones open_zones zone_bytes:invalid zone_bytes:unwritten zone_bytes:valid zone_findings:ahead zone_findings:behind zone_findings:left zone_findings:lost zone_findings:not_reset zone_findings:unwritten zones:closed zones:conventional zones:empty zones:full zones:offline zones:open zones:read-only ' ] || fail "$(cat sums)"
}

test_text() {
	zoned 1
	zones >text
	grep -qx '/m (254:0): 20 MiB for data and nodes, in sections of 2 MiB' text
	grep -q '^  the device: 20 zones of 2 MiB: 9 conventional, .*, 2 not in the volume; open: [0-9]* of at most 12; open or closed: [0-9]*$' text
	line ' 0-7 0 conventional - 512 - - - metadata of F2FS'
	line ' 16 8192 closed 27 212 45 167 - warm data; 227 of /m/f6, and 1 more file'
	line ' collecting 3 zones would move 492 blocks, and gain 644'
	line ' the age of data is not known: F2FS shows it from Linux 6.15 on, in segment_bits'
	grep -q '^  F2FS and the device differ:$' text
	zoned 4
	zones >text
	grep -qx '  /dev/fake0: .* MiB without zones' text
	grep -q '^  /dev/fake1: .*; open or closed: [0-9]* of at most 14$' text
	grep -q '^  [0-9,]* blocks of watched files moved after the table was read$' text
	! grep -n ' $' text || fail "spaces at the end of a line"
}

# well() - a volume on which all is well, ./s and ./t: a log fills a zone, another one is full, the rest is empty.
well() {
	mkdir s
	PYTHONPATH=$here "$python" -B - <<-'EOF'
		import naive_space, naive_zones
		from pathlib import Path
		full, part, none = [True] * 512, [i < 100 for i in range(512)], [False] * 512
		with open("s/segment_bits", "w") as file:
		    print(naive_space.BITS, naive_space.LINE, sep="\n", file=file)
		    for i, bits in enumerate((full, full, part, none, none, none, none, none)):
		        print(f"{i:<10}1|{sum(bits):<3}| {naive_space.as_hex(bits)}", file=file)
		Path("s/superblock").write_bytes(naive_zones.superblock(2, 8, []))
		zone = naive_zones.ZONE
		Path("s/zones.0").write_text("".join(zone.format(i * 8192, 8192, 8192, 0, 0, 1) + "\n" for i in range(4)) + "".join(
		    zone.format((4 + i) * 8192, 8192, 8192, pointer, kind, 2 if kind else 1) + "\n" for i, (pointer, kind) in enumerate(((8192, 14), (800, 4), (0, 1), (0, 0)))))
		names = ("HOT    data", "WARM   data", "COLD   data", "Dir   dnode", "File  dnode", "Indir nodes")
		Path("s/status").write_text("=====[ partition info(vda). #0, RW, CP: Good]=====\nMain area: 8 segs, 4 secs 4 zones\n    TYPE blkoff segno secno\n" +
		    "".join(f"  - {n}: {100 if i == 1 else 0} {2 if i == 1 else -1} 1\n" for i, n in enumerate(names)) + "  - Dirty: 0\n  - Prefree: 0\n  - Free: 5 (2)\n")
	EOF
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=4096 blocks=8192 segment_blocks=512 path=/m' \
		'254:0 4096 1024 0 5 contiguous /m/a' '254:0 5120 60 0 6 fragmented /m/b' '254:0 5180 40 1024 5 contiguous /m/a' >t
}

test_nothing_differs() {
	well
	zones >text
	line ' the device: 8 zones of 4 MiB: 5 conventional, 1 empty, 1 closed, 1 full; open: 0; open or closed: 1'
	line ' 4 4096 full 1,024 1,024 1,024 - - warm data; 1,024 of /m/a'
	line ' 5 5120 closed 100 1,024 100 log - warm data; log of warm data; 60 of /m/b, and 1 more file'
	line ' 6 6144 empty 0 1,024 - - -'
	line ' 7 7168 conventional - 1,024 - - -'
	! grep -q collecting text || fail "$(cat text)"
	line ' F2FS and the write pointers agree'
	# before Linux 7 the place of a log in its segment is not known
	sed -i 's/wptr 0x000320/wptr 0x000640/' s/zones.0
	sed -i 's/blkoff segno/segno/; s/100 2/2/; s/ 0 -1/ -1/' s/status
	zones >text
	line ' F2FS and the write pointers agree'
	# without them it is not known whether they agree
	rm s/status
	zones >text
	! grep -q agree text || fail "$(cat text)"
	grep -q '^  note: s/status: No such file or directory: log heads' text
	# nor whether a zone would be collected
	[ "$("$fragtrace" zones --json -t t --f2fs-state s | grep -c '"gain":null,"not_collected":"unknown"')" = 4 ] || fail "collected without logs"
}

# age(hexadecimal seconds) - the column age of the zone with a log, if the two segments before it are so much younger
age() {
	sed "1s/\$/|mtime/; 3,\$s/\$/| ffffffffffffffff/; 3,4s/f*\$/${1:-0}/; 5s/f*\$/0/" bits >s/segment_bits
	zones | sed -n 's/^  5 .* log  *\(.*\)  warm data; .*/\1/p'
}

test_ages() {
	well
	cp s/segment_bits bits
	[ "$(age 0) $(age 3b) $(age 3c) $(age e0f) $(age e10) $(age 1517f) $(age 15180)" = '0 s 59 s 1 min 59 min 1 h 23 h 1 d' ] || fail "$(age 3b)"
}

test_limits() {
	local open='2 zones are open, as many as can be: for a write to another one the device has to close one'
	local active='3 zones are open or closed, as many as can be: the device refuses a write to an empty one'
	local idle='; of them without a log: 1 zone; F2FS writes no such zone before it has collected and reset it'
	zoned 1
	echo 2 >s/max_open_zones.0
	zones >text
	line " $open"
	echo 3 >s/max_active_zones.0
	zones >text
	line " $active$idle"
	# where the logs are is not known
	rm s/status
	zones >text
	line " $active"
	echo 4 >s/max_active_zones.0
	echo 3 >s/max_open_zones.0
	zones >text
	! grep 'as many' text || fail "no limit is reached"
}

test_bad_copies() {
	zoned 1
	cp s/zones.0 good
	sed '3s/cap .*, wptr/wptr/' good >s/zones.0
	refuses 'fragtrace zones: s/zones.0:3: expected a zone as blkzone report writes it, copy its output again' zones
	sed '3s/len 0x[0-9a-f]*/len 0x000000/' good >s/zones.0
	refuses 's/zones.0:3: expected a zone as blkzone report writes it' zones
	sed 3d good >s/zones.0
	refuses 's/zones.0:3: expected the zone that begins where the last one ends' zones
	head -c 150 good >s/zones.0
	refuses 'fragtrace zones: s/zones.0:2: the line is cut short' zones
	: >s/zones.0
	refuses 'the device: has no zone that is part of the volume 254:0; is it the device that F2FS has?' zones
	cp good s/zones.0
	echo many >s/max_open_zones.0
	zones >text
	grep -q '; open: [0-9]*; open' text || fail "$(cat text)"
	rm s/zones.0
	refuses 'fragtrace zones: s: has no file zones.0, but F2FS is on a zoned device; copy what blkzone report writes' zones
	rm s/superblock
	refuses 'fragtrace zones: s/superblock: No such file or directory; it has the devices of the volume' zones
	cp good s/zones.0
	misused "t: there is no F2FS's state of its time beside it; give a copy of that: --f2fs-state DIR" "$fragtrace" zones -t t
	if "$fragtrace" zones -t t --f2fs-state r >/dev/full 2>said; then fail "a missing folder is not noticed"; fi
}

test_not_zoned() {
	cp -r "$data/f2fs-7" s
	refuses 'fragtrace zones: /mnt: none of its devices has zones (the device); its sections are in fragtrace space' \
		"$fragtrace" zones -t s/table --f2fs-state s
	# beside a zoned volume it has a line
	zoned 1
	zones >alone
	mkdir both
	cp t s/table
	mv s both/254:0
	cp -r "$data/f2fs-7" both/254:16
	sed 1d both/254:16/table | sed 's/254:0/254:16/' >>t
	"$fragtrace" zones -t t --f2fs-state both >text
	grep -qx '/mnt (254:16): none of its devices has zones' text
	head -n -2 text | cmp - alone
	"$fragtrace" zones --json -t t --f2fs-state both >j
	"$python" "$here/naive_zones.py" check both/254:0 j
	rm -r both
	mkdir s
	echo '# fragtrace table 1' >t
	[ "$(zones)" = 'no volume is watched' ] || fail "$(zones)"
	[ "$("$fragtrace" zones --json -t t --f2fs-state s | tr -d '\n' | sed 's/"time":[0-9.]*,//')" = '{"format":"fragtrace zones","version":1,"volumes":[]}' ] ||
		fail "JSON"
	if "$fragtrace" zones -t t --f2fs-state s >/dev/full 2>said; then fail "a full disk is not noticed"; fi
	grep -q '^fragtrace zones: <stdout>: cannot write the zones: No space left on device$' said || fail "$(cat said)"
}

# The zones at a moment of a recording are those that were recorded before it.
test_of_a_recording() {
	local first=run/fragtrace-1700000000.000 last=run/fragtrace-1700000010.000
	mkdir run
	well
	zones >first
	sed '1a# time 1700000000.000' t >$first.table
	cp -r s $first.f2fs
	# later, a zone that was written while F2FS's state was copied
	sed -i '6s/wptr 0x000320/wptr 0x000640/; 6s/$/ changed/' s/zones.0
	zones >last
	grep -qx '  zone 5: it has changed while it was read, and is not compared' last || fail "$(cat last)"
	sed '1a# time 1700000010.000' t >$last.table
	cp -r s $last.f2fs
	"$fragtrace" zones run --at 9s >text
	is_of '2023-11-14 22:13:20 UTC' first
	"$fragtrace" zones run >text
	is_of '2023-11-14 22:13:30 UTC' last
	"$fragtrace" zones $first.table | sed "s,$first.f2fs,s," | cmp - first
	"$fragtrace" zones --json run --at 9s >j
	[ "$(grep -c '"finding":null' j)" = 8 ] && ! grep -q '"finding":"' j || fail "$(cat j)"
	grep -q '"time":1700000000.000,' j
	"$fragtrace" space run --at 9s >text
	"$fragtrace" space -t t --f2fs-state s | sed 1,2d >first
	is_of '2023-11-14 22:13:20 UTC' first
	picture
	pixels >want
	"$fragtrace" view --layout zones run -o z.svg >/dev/null
	pixels | cmp - want
	"$fragtrace" view --layout zones run --at 9s -o z.svg >/dev/null
	! pixels | cmp -s - want || fail "the picture is not that of the moment"
	"$fragtrace" view --layout zones $first.table -o y.svg >/dev/null
	sed 's/run:/&/' y.svg | cmp - z.svg
	refuses 'fragtrace zones: run: the recording begins at 2023-11-14 22:13:20 UTC' "$fragtrace" zones run --at 1999-01-01T00:00:00Z
	rm $first.f2fs/zones.0
	refuses "fragtrace zones: $first.f2fs: has no file zones.0, but F2FS is on a zoned device; copy" "$fragtrace" zones run --at 9s
	rm -r $first.f2fs
	misused "fragtrace zones: $first.table: there is no F2FS's state of its time beside it" "$fragtrace" zones run --at 9s
	refuses "$first.table: has no zones, for --layout zones; copy" "$fragtrace" view --layout zones run --at 9s -o out.png
	misused 't is no recording; name a folder' "$fragtrace" zones t --f2fs-state s --at 9s
}

# is_of(time, file) - ./text says that it is of this time, and then what the file says, whose state is in ./s
is_of() {
	(echo "recorded $1" && echo && cat "$2") >want
	sed 's,run/fragtrace-[0-9.]*.f2fs/,s/,' text | diff - want
}

# pixels() - the shapes of z.svg
pixels() {
	grep -o '<rect.*' z.svg
}

# places(color) - the left edges and widths of the filled shapes of this colour in z.svg, from the right end of the full zone's row
places() {
	"$python" - "$1" <<-'EOF'
		import re, sys
		shapes = re.findall(r'<rect x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)" height="8" fill="#(\w+)"', open("z.svg").read())
		# a full zone's write pointer is at the end of its row, inside of it
		end = min((float(y), float(x) + float(w)) for x, y, w, fill in shapes if fill == "202124" and w == "2")[1]
		print(*(f"{float(x) - end:g}+{float(w):g}" for x, y, w, fill in shapes if fill == sys.argv[1] and float(x) > end - 513))
	EOF
}

# picture() - draw ./t by zones
picture() {
	"$fragtrace" view --layout zones -t t --f2fs-state s -o z.svg >/dev/null
}

test_picture() {
	well
	# 768 of 1024 blocks can be written
	sed -i '6s/cap 0x002000/cap 0x001800/' s/zones.0
	picture
	# a row of 1024 blocks has 512 pixels: the pointers of the full zone and after 100 blocks; the capacity
	[ "$(places 202124)" = '-2+2 -462+2' ] || fail "pointers: $(places 202124)"
	[ "$(places ecebe6)" = '-128+128' ] || fail "capacity: $(places ecebe6)"
	for text in zone condition 4 full 5 closed 4096 5120 '2 zones without a valid block'; do
		grep -q ">$text</text>" z.svg || fail "no $text"
	done
	grep -q '^1 row = 1 zone (4 MiB), 1 cell = 2 blocks (8 KiB); it ends at the capacity; thin line: write pointer$' z.svg
	# if nothing is folded, each zone has its row
	printf 'layout = zones\nmax_length = 0\n' >img
	"$fragtrace" view -i img -t t --f2fs-state s -o z.svg >/dev/null
	[ "$(places 202124)" = '-2+2 -462+2 -512+2' ] || fail "empty zone: $(places 202124)"
	grep -q '>conventional</text>' z.svg
}

# Zones of 2 MiB on the second device, the first one has none.
test_picture_of_two_devices() {
	zoned 4
	picture
	for text in 0:- conventional 1:0 1:15 read-only; do
		grep -q ">$text</text>" z.svg || fail "no $text"
	done
	# 11 zones have write pointers: also in a row with both devices, and if a height is ignored because nothing fits
	printf 'layout = zones\nmax_length = 0\n' >img
	for height in 0 440 300; do
		sed -i '3d' img
		echo "height = $height" >>img
		"$fragtrace" view -i img -t t --f2fs-state s -o z.svg >/dev/null
		[ "$(lines)" = 11 ] || fail "height $height: $(lines) write pointers"
		grep '^1 row' z.svg
		shares
	done >rows
	# what is written is 2,906 of 5,130 blocks, without zones that have no pointer
	[ "$(sed 's/ (.*//' rows | paste -sd,)" = '1 row = 1 zone,,1 row = 32 zones,56.6 %,1 row = 1 zone,' ] || fail "$(cat rows)"
}

# shares() - the column written of z.svg
shares() {
	sed -n 's/.*font-size="10.35" fill="#474745">\([<0-9.]* %\)<.*/\1/p' z.svg | uniq | paste -sd,
}

# Rows of several zones have all their write pointers.
test_picture_of_many_zones() {
	well
	printf 'layout = zones\nmax_length = 0\nheight = 400\n' >img
	"$fragtrace" view -i img -t t --f2fs-state s -o z.svg >/dev/null
	grep -q '^1 row = 2 zones (8 MiB)' z.svg || fail "$(grep '^1 row' z.svg)"
	! grep -q '>closed</text>' z.svg || fail "a condition of two zones"
	# of two zones of 768 and 1024 blocks; the empty one beside a conventional one
	grep -q '>written</text>' z.svg
	[ "$(shares)" = '54.9 %' ] || fail "written: $(shares)"
	[ "$(grep -c 'width="2" height="[0-9]*" fill="#202124"' z.svg)" = 3 ] || fail "$(grep 'fill="#202124"' z.svg)"
}

# many(zones, MiB of each, capacity, height) - make so many zones, ./s and ./t, and draw them
many() {
	rm -rf s
	"$python" "$here/naive_zones.py" many s "$1" "$2" "$3"
	mv s/table t
	printf 'layout = zones\nheight = %s\n' "$4" >img
	"$fragtrace" view -i img -t t --f2fs-state s -o z.svg >/dev/null
	[ "$(wc -c <z.svg)" -lt 1000000 ] || fail "$(wc -c <z.svg) bytes"
}

# lines() - how many write pointers there are in z.svg
lines() {
	grep -c 'width="2" height="[0-9]*" fill="#202124"' z.svg
}

# Three of four zones are full; the file is in the first 2998 zones.
test_picture_of_96000_zones() {
	local row='^1 row = \([0-9,]*\) zones (.*), 1 cell = [0-9,]* blocks (.*); '
	many 96000 4 3 2000
	[ "$(sed -n "s/${row}zones end at the capacity; thin lines: write pointers\$/\1/p" z.svg) $(shares)" = '8 75 %,83.3 %' ] || fail "$(grep '^1 row' z.svg) $(shares)"
	# of 375 rows, and of the last one, which has six zones
	[ "$(lines)" = 3006 ] || fail "$(lines) write pointers"
	grep -q '>92,992 zones without a watched block</text>' z.svg || fail "$(grep without z.svg)"
	many 96000 4 3 600
	[ "$(sed -n "s/${row}too narrow for capacities and write pointers: see written\$/\1/p" z.svg) $(shares)" = '64 75 %,75.8 %' ] || fail "$(grep '^1 row' z.svg) $(shares)"
	[ "$(lines)" = 0 ] || fail "$(lines) write pointers"
	# a device that is larger than any volume of F2FS
	many 96000 2048 1077 2000
	[ "$(sed -n "s/${row}zones end at the capacity; thin lines: write pointers\$/\1/p" z.svg) $(shares)" = '8 75 %,80 %' ] || fail "$(grep '^1 row' z.svg) $(shares)"
	zones >text
	grep -q '^  the device: 96,000 zones of 2 GiB: 2 conventional, 2,047 empty, 6,142 full, 87,809 not in the volume; open: 0; open or closed: 0$' text
}

test_picture_without_zones() {
	well
	refuses 't: has no zones, for --layout zones; copy what the device said of them: --f2fs-state DIR' \
		"$fragtrace" view --layout zones -t t -o out.png
	cp -r "$data/f2fs-7" f
	refuses '--layout zones: no device of these volumes has zones; give --layout segments' \
		"$fragtrace" view --layout zones -t f/table --f2fs-state f -o out.png
}

run_tests
