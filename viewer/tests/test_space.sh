#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests what fragtrace makes of F2FS's own state: free space, JSON, metrics, picture; speaks KTAP. See testlib.sh.
# usage: test_space.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# === Helpers ===

# state(name) - copy a recorded state to ./s, and its table to ./t
state() {
	rm -rf s
	cp -r "$data/f2fs-$1" s
	mv s/table t
}

# space() - print the free space of ./t with the state ./s
space() {
	"$fragtrace" space -t t --f2fs-state s
}

# line(text) - standard input has this line, whatever the spaces are
line() {
	tr -s ' ' <text | grep -qxF -- " $1" || fail "no line \"$1\" in: $(cat text)"
}

# bad(file, message) - the state with this content of a file is refused, by all outputs
bad() {
	cat >"s/$1"
	refuses "fragtrace space: s/$2" "$fragtrace" space -t t --f2fs-state s
	[ ! -s stdout ] || fail "a part was printed"
	refuses "fragtrace view: s/$2" "$fragtrace" view -t t --f2fs-state s -o out.png
	refuses "fragtrace table: s/$2" "$fragtrace" table --json -o x.json -t t --f2fs-state s
	[ ! -e x.json ] || fail "a part was written"
}

# === Figures ===

test_figures_are_those_of_every_block() {
	local seed
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12 $(seq 100 119); do
		"$python" "$here/naive_space.py" make "r$seed" "$seed"
		"$fragtrace" table --json -o "j$seed" -t "r$seed/table" --f2fs-state "r$seed"
		"$python" "$here/naive_space.py" check "r$seed" "j$seed"
	done
}

test_recorded_states() {
	local kernel
	for kernel in 6.12 7; do
		state $kernel
		"$fragtrace" table --json -o out.json -t t --f2fs-state s
		"$python" "$here/naive_space.py" check "$data/f2fs-$kernel" out.json
		# what F2FS itself counts
		"$python" - "$kernel" <<-'EOF2'
			import json, sys
			s = json.load(open("out.json", encoding="utf-8"))["space"][0]
			status = open("s/status", encoding="ascii").read()
			for text in (f"  - Dirty: {s['dirty_segments']}\n", f"  - Free: {s['empty_segments']} ",
			             f"  - Node: {s['node_blocks']} ", f"  - Data: {s['data_blocks']}\n"):
			    assert text in status, text
			assert s["notes"] == [] and s["moved_blocks"] == 0, s
			assert ("6.12" not in sys.argv[1]) or [t["log_segment"] for t in s["types"]] == [3, 31, 9, 0, 1, 2], s
		EOF2
	done
}

test_text() {
	state 6.12
	space >text
	grep -qx '/mnt (254:0): 84 MiB, 42 segments of 2 MiB; section: 1 segment; zone: 1 section' text
	line 'data of watched files 4,070 15.9 MiB 18.9 %'
	line 'other data 1 4 KiB <0.1 %'
	line 'nodes 80 320 KiB 0.4 %'
	line 'not valid 17,353 67.8 MiB 80.7 %'
	line 'segments share'
	line 'dirty: valid in part 11 22 MiB 26.2 %'
	line 'F2FS counts 25 free segments, 0 prefree (free after a checkpoint), 16 reserved'
	line 'written by a log now 6 12 MiB 14.3 %'
	line 'without valid blocks 25 50 MiB 59.5 %'
	line 'warm data - 11 3,750 2,207 8.6 MiB 31 187'
	line '64-127 23 2,175 12.5 % ###########'
	line 'the longest: 8,457 blocks at LBA 5954, 16.5 segments; in all 52 runs'
	line 'greedy section 20 (237 valid), 30 (255 valid), 22 (261 valid), 28 (279 valid), 24 (285 valid)'
	line 'cost-benefit not known: this kernel does not show the mtime of segments (Linux 6.15 does)'
	line 'what it would move in the foreground'
	line 'section 20: 237 blocks of 6 watched files'
	line '12 /mnt/d/f6.sst'
	! grep -n ' $' text || fail "spaces at the end of a line"
	[ "$(awk '{ if (length($0) > m) m = length($0) } END { print m }' text)" -le 110 ] || fail "lines are too long"
	state 7
	space >text
	grep -qx '/mnt (254:0): 368 MiB, 184 segments of 2 MiB; section: 4 segments; zone: 2 sections' text
	line 'warm data - 11 3,750 2,207 8.6 MiB 91+368 187'
	# not section 22: a log writes there
	line 'cost-benefit section 20 (1,250 valid), 21 (1,271 valid)'
	sed -i '/^# volume/a# stopped 254:0' t
	space >text
	grep -qx '/mnt (254:0): 368 MiB, .*; zone: 2 sections; F2FS has stopped' text
}

# Where F2FS never writes into holes, there is no column for that: on zoned devices, and with mode=lfs.
test_no_ssr() {
	state 7
	"$fragtrace" table --json -o ssr.json -t t --f2fs-state s
	# the feature BLKZONED, at byte 2180 of a superblock
	printf '\002' | dd of=s/superblock bs=1 seek=$((1024 + 2180)) conv=notrunc 2>/dev/null
	space >text
	line 'type full dirty valid blocks log at left there'
	line 'warm data - 11 3,750 91+368 187'
	grep -q 'mode=lfs' text
	"$fragtrace" table --json -o zoned.json -t t --f2fs-state s
	sed 's/"ssr_blocks":[0-9]*/"ssr_blocks":0/' ssr.json | diff - zoned.json
	state 7
	echo '/dev/x /mnt f2fs rw,mode=adaptive 0 0' >s/mounts
	space >text
	line 'warm data - 11 3,750 2,207 8.6 MiB 91+368 187'
	printf '%s\n' '/dev/y /mnt/other f2fs rw,mode=adaptive 0 0' '/dev/x /mnt f2fs rw,lazytime,mode=lfs,discard 0 0' >s/mounts
	space >text
	line 'warm data - 11 3,750 91+368 187'
	# another file system there, or another volume
	printf '%s\n' '/dev/y /mnt ext4 rw,mode=lfs 0 0' '/dev/x /mnt/other f2fs rw,mode=lfs 0 0' >s/mounts
	space >text
	line 'warm data - 11 3,750 2,207 8.6 MiB 91+368 187'
}

# Of two volumes, the one the one that is named as if there were no other.
test_one_of_two_volumes() {
	state 7
	space >alone
	mkdir both
	cp -r s both/254:0
	mkdir both/254:16
	# the other one has a segment of its own
	printf 'format: segment_type|valid_blocks|bitmaps\nsegment_type(0:HD, 1:WD, 2:CD, 3:HN, 4:WN, 5:CN)\n%-10d%d|%-3d|' 0 1 0 >both/254:16/segment_bits
	{ yes ' 00' | head -n 64 | tr -d '\n'; echo; } >>both/254:16/segment_bits
	{ sed -n '1,/^# volume/p' t; echo '# volume 254:16 main_blkaddr=512 blocks=1024 segment_blocks=512 path=/n'; sed '1,/^# volume/d' t; } >t2
	# the time of a table without one is that of its file
	touch -r t t2
	"$fragtrace" space -t t2 --f2fs-state both --volume 254:0 >text
	cmp alone text
	"$fragtrace" space -t t2 --f2fs-state both --volume /n >text
	[ "$(grep -c ' MiB, .* segment' text)" = 1 ] || fail "$(cat text)"
	grep -q '^/n (254:16): 2 MiB, 1 segment of 2 MiB' text || fail "$(cat text)"
	# the folder is that of this volume
	"$fragtrace" space -t t2 --f2fs-state s --volume /mnt >text
	cmp alone text
	refuses "the table has 2 volumes; expected a folder 254:0 in it" "$fragtrace" space -t t2 --f2fs-state s
}

test_no_volume_and_no_file() {
	echo '# fragtrace table 1' >t
	mkdir s
	space >text
	grep -qx 'no volume is watched' text
	state 6.12
	printf '%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=4096 blocks=25600 segment_blocks=512 path=/m' >t
	space >text
	line 'data of watched files - - -'
	line 'other data 4,071 15.9 MiB 18.9 %'
}

test_full_and_empty_volumes() {
	printf '%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=512 blocks=1024 segment_blocks=512 path=/m' >t
	mkdir s
	for byte in ff 00; do
		{
			printf 'format: segment_type|valid_blocks|bitmaps\nsegment_type(0:HD, 1:WD, 2:CD, 3:HN, 4:WN, 5:CN)\n'
			printf '%-10d%d|%-3d|' 0 1 $((0x$byte * 512 / 255))
			for _ in $(seq 64); do printf ' %s' $byte; done
			echo
		} >s/segment_bits
		space >text
		case $byte in
		ff) line 'no block is free' ;;
		00) line '512-1,023 1 512 100.0 % ########################################' ;;
		esac
		line 'garbage collection has no section to pick'
		"$fragtrace" view -t t --f2fs-state s -o out.png
	done
}

# === Missing files ===

test_each_missing_file_is_named() {
	local file
	for file in segment_bits victim_bits status superblock; do
		state 6.12
		rm s/$file
		space >text 2>said
		[ ! -s said ] || fail "$(cat said)"
		grep -q "^  note: s/$file: No such file or directory: " text || fail "not named: $file"
		write_all out -t t --f2fs-state s
		"$fragtrace" view -t t --f2fs-state s -o out.png
		"$python" -c 'import json; assert len(json.load(open("out.json"))["space"][0]["notes"]) == 1'
	done
}

test_without_segment_bits() {
	state 6.12
	space | grep -A 6 '^  type' >expected
	rm s/segment_bits
	space >text
	grep -A 6 '^  type' text | cmp - expected || fail "segment_info gives other figures"
	! grep -q 'free runs of blocks' text || fail "runs without bits"
	rm s/segment_info
	refuses "s: neither segment_bits nor segment_info is in it; expected a folder with copies of F2FS's files" space
	refuses 's: neither segment_bits nor' "$fragtrace" view -t t --f2fs-state s -o out.png
}

test_size_of_sections() {
	local file
	state 7
	for file in superblock status victim_bits; do
		rm s/$file
		space >text
		case $file in
		victim_bits) grep -q '; size of sections not known, 1 segment is assumed$' text ;;
		status) grep -q '; section: 4 segments$' text ;;
		*) grep -q '; section: 4 segments; zone: 2 sections$' text ;;
		esac
	done
}

test_free_segments_without_status() {
	state 6.12
	rm s/status
	space >text
	line 'F2FS counts 25 free segments'
	! grep -q 'written by a log now' text || fail "$(cat text)"
	"$fragtrace" metrics -o out.prom -t t --f2fs-state s
	metric fragtrace_f2fs_segments ',state="empty"' 27
	! grep -q 'state="\(log\|free\|prefree\)"' out.prom || fail "$(grep state= out.prom)"
}

# === Odd files ===

test_odd_segments() {
	state 6.12
	cp s/segment_bits good
	bad segment_bits 'segment_bits:1: not a segment_bits of F2FS, copy it from /proc/fs/f2fs/DEV' <"$data/small.table"
	bad segment_bits 'segment_bits:1: not a segment_bits of F2FS' </dev/null
	bad segment_bits 'segment_bits:1: not a segment_bits of F2FS' <s/segment_info
	bad segment_bits 'segment_bits:1: the line is cut short or has a NUL byte, copy the file again' <s/superblock
	head -c 30 good | bad segment_bits 'segment_bits:1: the line is cut short'
	head -n 2 good | bad segment_bits 'segment_bits:2: no segment, copy the file again'
	head -n 9 good | bad segment_bits 'segment_bits: 7 segments of 512 blocks, but the volume 254:0 has 21504 blocks'
	sed 5d good | bad segment_bits 'segment_bits:5: expected the number of the next segment, copy the file again'
	sed '4s/4|/6|/' good | bad segment_bits 'segment_bits:4: expected TYPE|VALID with a type of 0 to 5'
	sed '4s/|78 /|513/' good | bad segment_bits 'segment_bits:4: expected TYPE|VALID'
	sed '4s/ 00$//' good | bad segment_bits 'segment_bits:4: expected 64 bytes of a bitmap, copy the file again'
	sed '4s/ 00$/ 0x/' good | bad segment_bits 'segment_bits:4: expected 64 bytes'
	sed '4s/$/ 00/' good | bad segment_bits 'segment_bits:4: unknown text after the bitmap'
	sed '4s/$/| 1f/' good | bad segment_bits 'segment_bits:4: unknown text after the bitmap'
	sed '1s/$/|mtime/' good | bad segment_bits 'segment_bits:3: unknown text after the bitmap'
	sed '1s/$/|else/' good | bad segment_bits 'segment_bits:1: not a segment_bits of F2FS'
	sed "3s/\$/$(printf '%2000s' x)/" good | bad segment_bits 'segment_bits:3: the line is too long'
	tr '8' '\000' <good | bad segment_bits 'segment_bits:'
	head -c -1 good | bad segment_bits 'segment_bits:44: the line is cut short'
	rm s/segment_bits
	cp s/segment_info good
	sed '3s/|2 /|x /' good | bad segment_info 'segment_info:3: expected TYPE|VALID'
	sed 4d good | bad segment_info 'segment_info:4: expected the number of the next segment'
	head -n 4 good | bad segment_info 'segment_info: 20 segments of 512 blocks'
}

# Of runs of the same length the first one is the longest.
test_the_first_longest_run() {
	mkdir s
	PYTHONPATH=$here "$python" -B - >s/segment_bits <<-'EOF'
		import naive_space
		print(naive_space.BITS, naive_space.LINE, sep="\n")
		for i in range(6):
		    print(f"{i:<10}1|{512 * (i % 2):<3}| {naive_space.as_hex([i % 2 == 1] * 512)}")
	EOF
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=512 blocks=3584 segment_blocks=512 path=/m' >t
	space >text
	line 'the longest: 512 blocks at LBA 512, 1.0 segments; in all 3 runs'
}

# No segment is dirty: only the one run of free blocks has a bar, and that has the whole length.
test_nothing_has_no_bar() {
	mkdir s
	PYTHONPATH=$here "$python" -B - >s/segment_bits <<-'EOF'
		import naive_space
		print(naive_space.BITS, naive_space.LINE, sep="\n")
		for i in range(4):
		    print(f"{i:<10}1|{0:<3}| {naive_space.as_hex([False] * 512)}")
	EOF
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=0 blocks=2048 segment_blocks=512 path=/m' >t
	space >text
	line '2,048-4,095 1 2,048 100.0 % ########################################'
	[ "$(grep -c '#' text)" = 1 ] || fail "$(cat text)"
}

test_torn_segments() {
	state 6.12
	sed -i '4s/4|78 /4|79 /' s/segment_bits
	space >text
	line 'warm nodes - - 78 - - 1 434'
	line 'note: 1 segments changed while they were read; their bits are taken'
	# after a blank line
	[ -z "$(grep -B 1 'segments changed while' text | head -n 1)" ] || fail "$(cat text)"
}

test_odd_status() {
	state 7
	cp s/status good
	sed '/WARM/d' good | bad status 'status:'
	sed 's/^\(  - WARM   data:\).*/\1/' good | bad status 'status:24: expected the segment of a log'
	sed 's/^Main area:.*/Main area: many/' good | bad status 'status:21: expected the sizes of the main area'
	sed 's/blkoff/offset/' good | bad status 'status:22: unknown columns, is this F2FS newer than the viewer?'
	sed 's/^Main area: 184/Main area: 185/' good | bad status 'status: 0 volumes in it have 184 segments; expected one'
	cat good good | bad status 'status: 2 volumes in it have 184 segments'
	# what one volume has another one may lack
	{ cat good; sed '/  - Free: /d' good; } | bad status 'status:'
	grep -q 'the volume before this line lacks a log or a count of segments' stderr || fail "$(cat stderr)"
	sed 's/^  - Prefree:.*/  - Prefree: x/' good | bad status 'status:34: expected a number, copy the file again'
	bad status 'status: 0 volumes' <"$data/small.table"
	# another volume in the same text does not matter
	{ cat good; cat "$data/f2fs-6.12/status"; } >s/status
	space >text
	line 'warm data - 11 3,750 2,207 8.6 MiB 91+368 187'
}

test_odd_victims_and_superblock() {
	state 6.12
	cp s/victim_bits good
	sed 1d good | bad victim_bits 'victim_bits:1: not a victim_bits of F2FS'
	sed '3s/0 0/0 2/' good | bad victim_bits 'victim_bits:3: expected 0 or 1 for each section'
	sed 3d good | bad victim_bits 'victim_bits:3: expected the number of the next section'
	head -n 1 good | bad victim_bits 'victim_bits:1: no section'
	cp good s/victim_bits
	cp s/superblock good
	head -c 4095 good | bad superblock 'superblock: no superblock of F2FS'
	head -c 8192 /dev/zero | bad superblock 'superblock: no superblock of F2FS'
	bad superblock 'superblock: its main area is not that of the volume 254:0' <"$data/f2fs-7/superblock"
	{ head -c 4096 /dev/zero; cat good; } >s/superblock
	space >/dev/null || fail "the second copy is not used"
	# a section of all segments is one; a larger one is none
	for n in 16 17; do
		"$python" - good $n >s/superblock <<-'EOF'
		import struct, sys
		super = bytearray(open(sys.argv[1], "rb").read())
		super[1024 + 24:1024 + 28] = super[1024 + 68:1024 + 72]
		if sys.argv[2] == "17":
		    super[1024 + 24:1024 + 28] = struct.pack("<I", struct.unpack("<I", super[1024 + 68:1024 + 72])[0] + 1)
		sys.stdout.buffer.write(super)
		EOF
		space >said 2>&1 || :
		[ $n = 16 ] || grep -q 'superblock: no superblock of F2FS' said || fail "$(cat said)"
		[ $n = 17 ] || ! grep -q 'no superblock of F2FS' said || fail "$(cat said)"
	done
	cp good s/superblock
	echo x | bad free_segments 'free_segments:1: expected a number of segments'
}

test_folders() {
	state 6.12
	refuses 'fragtrace space: nowhere: No such file or directory; expected a folder with copies' \
		"$fragtrace" space -t t --f2fs-state nowhere
	refuses 'fragtrace space: t: not a folder' "$fragtrace" space -t t --f2fs-state t
	mkdir all
	mv s all/254:0
	"$fragtrace" space -t t --f2fs-state all | grep -q 'greedy  *section 20 '
	sed 's/254:0/254:16/' t | sed 1d >second
	cat second >>t
	refuses 'all: the table has 2 volumes; expected a folder 254:16 in it' "$fragtrace" space -t t --f2fs-state all
	cp -r all/254:0 all/254:16
	"$fragtrace" space -t t --f2fs-state all >text
	[ "$(grep -c 'greedy  *section 20 ' text)" = 2 ]
}

test_options() {
	state 6.12
	misused 'not an option here; see fragtrace space --help' "$fragtrace" space -t t --f2fs-state s -n 1
	misused "t: there is no F2FS's state of its time beside it; give a copy of that: --f2fs-state DIR" "$fragtrace" space -t t
	if space >/dev/full 2>said; then fail "a full disk is not noticed"; fi
	grep -q '^fragtrace space: <stdout>: No space left on device$' said
}

# A snapshot of a recording has the state beside it: all that know states find it.
test_recorded() {
	local snapshot command

	for snapshot in "$data"/../../page/samples/gc/*.snapshot.zst; do
		[ -d "${snapshot%.snapshot.zst}.f2fs" ] || continue
		"$fragtrace" space -t "$snapshot" >beside
		"$fragtrace" space -t "$snapshot" --f2fs-state "${snapshot%.snapshot.zst}.f2fs" >named
		cmp beside named || fail "$snapshot: another answer with the folder named"
		grep -q 'not valid' beside || fail "$(cat beside)"
		for command in 'table --json' 'metrics -o -' 'view -o -' 'block 30000'; do
			# shellcheck disable=SC2086 # words
			"$fragtrace" $command -t "$snapshot" >beside 2>&1 || fail "$command: $(cat beside)"
			# shellcheck disable=SC2086
			"$fragtrace" $command -t "$snapshot" --f2fs-state "${snapshot%.snapshot.zst}.f2fs" >named
			cmp beside named || fail "$command: another answer with the folder named"
		done
	done
	[ -s beside ] || fail "no snapshot has a state"
}

# === Other outputs ===

# metric(name, labels, value) - out.prom has this value
metric() {
	grep -qxF -- "$1{device=\"254:0\",mountpoint=\"/mnt\"$2} $3" out.prom ||
		fail "expected $1{$2} $3, got: $(grep "^$1" out.prom)"
}

test_metrics() {
	state 7
	"$fragtrace" metrics -o out.prom -t t --f2fs-state s
	metric fragtrace_f2fs_section_bytes '' 8388608
	metric fragtrace_f2fs_segments ',state="free"' 167
	metric fragtrace_f2fs_segments ',state="dirty"' 11
	metric fragtrace_f2fs_reserved_segments '' 64
	metric fragtrace_f2fs_valid_bytes ',type="warm_node"' $((78 * 4096))
	metric fragtrace_f2fs_unwatched_data_bytes '' 4096
	metric fragtrace_f2fs_ssr_bytes ',type="warm_data"' $((2207 * 4096))
	metric fragtrace_f2fs_free_runs ',min_bytes="262144"' 23
	metric fragtrace_f2fs_free_run_bytes ',min_bytes="262144"' $((2175 * 4096))
	metric fragtrace_f2fs_longest_free_run_bytes '' $((47248 * 4096))
	metric fragtrace_f2fs_gc_victim_bytes ',policy="greedy"' $((1250 * 4096))
	# the same series, however the volume is filled; each name has one HELP and one TYPE before its samples
	awk '/^# HELP/ { if (seen[$3]++) bad = 1; name = $3 }
		/^fragtrace_f2fs/ && index($1, name "{") != 1 { bad = 1 }
		END { exit bad }' out.prom || fail "$(cat out.prom)"
	[ "$(grep -c '^fragtrace_f2fs' out.prom)" -le 80 ]
	# dirty segments by valid blocks: as many in all as are dirty
	[ "$(grep '^fragtrace_f2fs_dirty_segments{' out.prom | awk '{ n += $NF } END { print NR, n }')" = '8 11' ] ||
		fail "$(grep '^fragtrace_f2fs_dirty_segments' out.prom)"
	"$fragtrace" metrics -o out.prom -t t
	! grep -q f2fs out.prom || fail "metrics without a state"
}

# pixels(rgb) - print the number of pixels of a colour in out.png, 0 if none
pixels() {
	"$peek" out.png | awk -v rgb="#$1" '$1 == rgb { n = $2 } END { print n + 0 }'
}

test_picture() {
	local layout
	state 6.12
	for layout in boxes segments; do
		"$fragtrace" view -t t -o out.png --layout $layout --f2fs-state s
		"$peek" out.png text | grep -q 'nodes: blocks=80, folded blocks=0$' || fail "no nodes in the legend"
		"$peek" out.png text | grep -q 'other data: blocks=1, folded blocks=0$' || fail "no other data in the legend"
		"$peek" out.png text | grep -q 'free: blocks=17353 gaps=52 longest=8457' || fail "wrong free space"
		# 80 blocks and one in the legend
		[ "$(pixels af9f8f)" -gt $((80 * 16)) ] || fail "$layout: nodes are not drawn"
		[ "$(pixels efefaf)" -gt 16 ] || fail "$layout: other data is not drawn"
		"$fragtrace" view -t t -o out.png --layout $layout
		[ "$(pixels af9f8f)$(pixels efefaf)" = 00 ] || fail "$layout: drawn without a state"
	done
	"$fragtrace" view -t t -o out.png --layout hilbert --f2fs-state s
	"$peek" out.png text | grep -q "nodes: blocks=80, folded blocks=0$"
}

# What is folded is counted in the line of its use.
test_folded_blocks_are_counted_by_use() {
	state 6.12
	printf 'max_length = 2\nstub = 1\n' >./two.cnf
	"$fragtrace" view -t t -o out.png -i ./two.cnf --f2fs-state s
	"$peek" out.png text >notes
	grep -qx 'nodes: blocks=80, folded blocks=30' notes || fail "$(grep nodes: notes)"
	grep -qx 'other data: blocks=1, folded blocks=0' notes || fail "$(grep data: notes)"
	grep -q '^free: .*, folded blocks=17281$' notes || fail "$(grep free: notes)"
}

test_sections_are_ruled_off() {
	state 7
	"$fragtrace" view -t t -o with.png --layout segments --f2fs-state s
	"$fragtrace" view -t t -o same.png --layout segments --f2fs-state s --section 4
	"$fragtrace" view -t t -o other.png --layout segments --f2fs-state s --section 8
	cmp with.png same.png
	! cmp -s with.png other.png || fail "the option is overruled"
}

run_tests
