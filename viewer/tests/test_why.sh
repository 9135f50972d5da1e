#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the output about causes: fragtrace why, colours, exports, top, page; speaks KTAP. See testlib.sh.
# usage: test_why.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# === Helpers ===

# snapshot(table, [file]) - convert a text to a binary snapshot, with the causes in the comments of the table
snapshot() {
	"$python" -IS "$here/to_snapshot.py" "$1" >"${2:-snapshot}"
}

# why(args...) - the output of fragtrace why for the file snapshot, into the file out
why() {
	"$fragtrace" why -t "$PWD/snapshot" "$@" >out
}

# says(line) - the file out has exactly this line
says() {
	grep -qxF -- "$1" out || fail "expected: $1
got: $(cat out)"
}

# one_break(op, flush, why, writer) - a snapshot of one file with one break of this cause
one_break() {
	printf '%s\n' '# fragtrace table 1' '# time 1700000000.000' \
		'# volume 254:0 main_blkaddr=100 blocks=200 segment_blocks=10 path=/m' '# writer db 7 1699999999 1699999999' \
		"# cause 4 8 $1 $2 $3 $4" '254:0 100 8 0 4 fragmented /m/a.x' '254:0 110 1 8 4 fragmented /m/a.x' >t
	snapshot t
}

# notes() - the text in the picture out.png
notes() {
	"$peek" out.png text | sed 's/^Description: //'
}

# notes_say(line) - the notes have exactly this line
notes_say() {
	notes | grep -qxF -- "$1" || fail "expected: $1
got: $(notes)"
}

append='append (a block that the file did not have)'
tail='tail (the last block rewritten after the file was cut within it)'
overwrite='overwrite (the block was rewritten, which F2FS does at another address)'
gc='gc_bg (moved by garbage collection in the background)'
unknown='unknown (not seen: the block is older than the module, the file was stale, or the module has causes=0)'
sync=', asked for by fsync, fdatasync, sync or the like'
flusher=', written by the flusher'
because='; the block does not follow because'
interleaved="$because the log had gone on to other blocks, of another file or of this one"
full="$because the segment of the log was full, and the log went on elsewhere"
ssr="$because the log fills holes of a dirty segment"
moved="$because one of the two was rewritten or moved away"
in_place='fdatasync or msync, or fsync after at most 8 blocks: F2FS then rewrites in place, unless ipu_policy says otherwise (it is 16 on large volumes)'
place="$in_place. Or copy the file into a new one that was pinned while it was empty (F2FS_IOC_SET_PIN_FILE), and then allocated in whole; it cannot grow"
larger='write more before each sync or in each direct write. Or fill the file with zeros first, if each sync has at most 8 blocks, or writes are direct: F2FS rewrites these in place, but not with mode=lfs, nor in compressed files. To preallocate does not help: F2FS chooses blocks when it writes'
cut='cut files at a multiple of the block size, or do not cut them'

# === Sentences ===

test_by_extension() {
	snapshot "$data/why.table"
	why
	cat >expected <<-EOF
	2023-11-14 22:13:20 UTC
	/mnt/f2fs: 6 of 7 files are fragmented, 9 breaks.
	.sst: 3 of 4 files are fragmented, 4 breaks:
	  3 (75 %): $tail$sync$interleaved; by rocksdb:low (pid 812).
	  1 (25 %): $append$flusher$full; by rocksdb:high (pid 812).
	files without an extension: 1 of 1 file is fragmented, 3 breaks:
	  2 (66.7 %): $append$sync$interleaved; by 1: several processes, 1: log er (pid 99).
	  1 (33.3 %): $unknown.
	.db: 2 of 2 files are fragmented, 2 breaks:
	  1 (50 %): $overwrite$flusher$ssr; by rocksdb:high (pid 812).
	  1 (50 %): $gc$moved.
	What helps against 1 break: $place.
	What helps against 3 breaks: $cut.
	What helps against 2 breaks: $larger.
	EOF
	cmp out expected || { diff out expected; exit 1; }
}

test_one_file() {
	snapshot "$data/why.table"
	why LOG
	cat >expected <<-EOF
	2023-11-14 22:13:20 UTC
	/mnt/f2fs/db/LOG: 4 blocks in 4 fragments, 3 breaks:
	  2 (66.7 %): $append$sync$interleaved; by 1: several processes, 1: log er (pid 99).
	  1 (33.3 %): $unknown.
	  at block 1 (4 KiB): append, sync, interleaved; by several processes
	  at block 2 (8 KiB): append, sync, interleaved; by log er (pid 99), at 2023-11-03 08:26:40
	  at block 3 (12 KiB): unknown, none, unknown
	What helps against 2 breaks: $larger.
	EOF
	cmp out expected || { diff out expected; exit 1; }
	for name in 000004.sst db/000004.sst /mnt/f2fs/db/000004.sst '*4.sst'; do
		why "$name"
		says '/mnt/f2fs/db/000004.sst: 11 blocks in 3 fragments, 2 breaks:'
		says "  1 (50 %): $append$flusher$full; by rocksdb:high (pid 812)."
		says "  1 (50 %): $tail$sync$interleaved; by rocksdb:low (pid 812)."
		says '  at block 4 (16 KiB): append, writeback, new_segment; by rocksdb:high (pid 812), between 2023-11-13 21:56:40 and 21:56:40'
		says '  at block 8 (32 KiB): tail, sync, interleaved; by rocksdb:low (pid 812) of /system.slice/db.service, between 21:56:40 and 22:13:15'
		says "What helps against 1 break: $cut."
		[ "$(wc -l <out)" = 7 ] || fail "$(cat out)"
	done
	why 000003.sst
	says '/mnt/f2fs/db/000003.sst: 17 blocks in 1 fragment, not fragmented.'
	# the extents of this one are not in the order of the file
	why b.db
	says '  at block 5 (20 KiB): overwrite, writeback, ssr; by rocksdb:high (pid 812), between 2023-11-13 21:56:40 and 21:56:40'
	why '*.sst'
	[ "$(grep -c '^/mnt' out)" = 4 ] || fail "$(cat out)"
	refuses "$PWD/snapshot: no watched file with blocks is called 4.sst" "$fragtrace" why -t "$PWD/snapshot" 4.sst
}

# advises(op, flush, why, key, [text]) - what fragtrace why, its JSON and the metrics advise against this break; nothing without a text
advises() {
	one_break "$1" "$2" "$3" 2
	advised "$4" "${5:-}"
	printf '{"op":"%s","flush":"%s","why_here":"%s","breaks":1,"advice":"%s","what_helps":%s}\n' "$1" "$2" "$3" "$4" "${5:+\"$5\"}" |
		sed 's/:}$/:null}/' >expected
	for operand in '' a.x; do
		why --json ${operand:+$operand}
		sed 's/.*"causes":\[//; s/\]}\]}$//; s/\\"/"/g' out | tail -n 1 | cmp - expected || fail "$(cat out expected)"
	done
}

# advised(key, text, args...) - does the snapshot have one break, of this advice?
advised() {
	local operand key=$1 text=$2
	shift 2
	for operand in '' a.x; do
		why "$@" ${operand:+$operand}
		[ "$(sed -n 's/^What helps against //p' out)" = "${text:+1 break: $text.}" ] || fail "$key: $(cat out)"
		why --json "$@" ${operand:+$operand}
		grep -qF "\"breaks\":1,\"advice\":\"$key\"," out || fail "$key: $(cat out)"
	done
}

# counted(none, in_place, log_in_place, whole_blocks, larger_writes, free_segments) - the breaks of each in the metrics
counted() {
	"$fragtrace" metrics -t "$PWD/snapshot" >out
	[ "$(sed -n 's/^fragtrace_breaks_by_advice{.*} //p' out | xargs)" = "$*" ] || fail "$* expected: $(cat out)"
}

space='keep more segments free; "fragtrace space" counts them. While gc_urgent is 1, F2FS fills holes however many are free. Files that are written in turn, with syncs, need larger writes, too'

test_advice() {
	advises overwrite sync moved in_place "$place"
	counted 0 1 0 0 0 0
	advises overwrite writeback ssr in_place "$place"
	advises mmap sync moved in_place "$place"
	advises mmap sync ssr in_place "$place"
	advises mmap sync interleaved larger_writes "$larger"
	advises atomic sync moved log_in_place "write ahead into a log instead of using atomic writes, and $in_place"
	counted 0 0 1 0 0 0
	advises tail sync moved whole_blocks "$cut"
	counted 0 0 0 1 0 0
	advises append sync interleaved larger_writes "$larger"
	counted 0 0 0 0 1 0
	advises direct none interleaved larger_writes "$larger"
	advises append writeback ssr free_segments "$space"
	counted 0 0 0 0 0 1
	for other in "append writeback interleaved" "mmap writeback interleaved" "append sync new_segment" "direct none new_segment" "gc_bg none moved" \
		"range none moved" "unknown none unknown" "inline sync other_log" "compress sync interleaved" "direct none ssr" \
		"gc_fg none ssr" "defrag none ssr"; do
		# shellcheck disable=SC2086
		advises $other none
	done
	counted 1 0 0 0 0 0
	# a cause of less than a tenth of the breaks
	{
		printf '%s\n' '# fragtrace table 1' '# time 1700000000.000' \
			'# volume 254:0 main_blkaddr=100 blocks=200 segment_blocks=10 path=/m' '# writer db 7 1699999999 1699999999' \
			'# cause 4 1 tail sync moved 2'
		n=2
		while [ $n -le 11 ]; do
			echo "# cause 4 $n overwrite sync moved 2"
			n=$((n + 1))
		done
		n=0
		while [ $n -le 11 ]; do
			echo "254:0 $((100 + 2 * n)) 1 $n 4 fragmented /m/a.x"
			n=$((n + 1))
		done
	} >t
	snapshot t
	why
	[ "$(sed -n 's/^What helps against //p' out)" = "10 breaks: $place." ] || fail "$(cat out)"
}

# mounted(folder, line...) - a copy of F2FS's state, in which this is mounted
mounted() {
	mkdir -p "$1"
	shift
	printf '%s\n' "$@" >state/mounts
}

# F2FS rewrites nothing in place with mode=lfs, and no compressed cluster, and pins neither.
test_advice_that_is_not_possible() {
	mounted state '/dev/vda /m f2fs rw,mode=adaptive 0 0' '/dev/vdb /n f2fs rw,mode=lfs 0 0'
	one_break overwrite sync moved 2
	advised in_place "$place" --f2fs-state state
	for op in overwrite mmap atomic; do
		mounted state '/dev/vda /m f2fs rw,mode=lfs 0 0'
		one_break $op sync moved 2
		advised none '' --f2fs-state state
		# the second break of the cause is in another file, which has no compressed cluster
		{
			sed 's/^254:0 \(...\) \(.*\) 4 \(.*\)a.x$/&\n254:0 1\1 \2 5 \3b.x/; s/^# cause 4 8 \(.*\)/&\n# cause 5 8 \1/' t |
				sed 's/^\(254:0 \)11\(..\) /\115\2 /; s/blocks=200/blocks=2000/'
			echo '# encoded 4 0'
		} | sort -k 1,1 -k 2,2n >t2
		snapshot t2
		why a.x
		! grep -q '^What helps' out || fail "$(cat out)"
		why b.x
		grep -q '^What helps against 1 break: ' out || fail "$(cat out)"
		why --json
		[ "$(grep -o "\"op\":\"$op\",\"flush\":\"sync\",\"why_here\":\"moved\",\"breaks\":1,\"advice\":\"[a-z_]*\"" out | wc -l)" = 2 ] ||
			fail "$(cat out)"
	done
	counted 1 0 1 0 0 0
	mounted state '/dev/vda /m f2fs rw,mode=lfs 0 0'
	one_break tail sync moved 2
	advised whole_blocks "$cut" --f2fs-state state
	refuses "$PWD/none: No such file or directory; expected a folder with copies of F2FS's files" \
		"$fragtrace" why -t "$PWD/snapshot" --f2fs-state "$PWD/none"
}

# A recording has the state of one of two volumes: what it tells counts, and what is missing or refused is no error.
test_incomplete_state() {
	local file from name=run/fragtrace-1700000000.000

	one_break overwrite sync moved 2
	{
		cat t
		printf '%s\n' '# volume 254:16 main_blkaddr=100 blocks=200 segment_blocks=10 path=/n' '254:16 100 8 0 5 fragmented /n/b.x' \
			'254:16 110 1 8 5 fragmented /n/b.x'
	} >t2
	snapshot t2
	mkdir -p $name.f2fs/254:16
	cp snapshot $name.snapshot
	echo '/dev/vdb /n f2fs rw,mode=lfs 0 0' >$name.f2fs/254:16/mounts
	for file in "" 254:0/superblock; do
		mkdir -p $name.f2fs/254:0
		[ -z "$file" ] || echo x >$name.f2fs/$file
		[ -n "$file" ] || rmdir $name.f2fs/254:0
		for from in $name.snapshot run; do
			"$fragtrace" table -t $from >/dev/null 2>err || fail "table $from $file: $(cat err)"
			"$fragtrace" why -t $from >out 2>err || fail "why $from $file: $(cat err)"
			grep -q '^/n: 1 of 1 file is fragmented' out || fail "$(cat out)"
			[ "$(grep -c '^What helps' out)" = 1 ] || fail "$from $file: $(cat out)"
		done
	done
}

test_json() {
	snapshot "$data/why.table"
	why --json
	"$python" - <<-'EOF'
	import json
	got = json.load(open("out", encoding="utf-8"))
	volume, = got.pop("volumes")
	assert got == {"format": "fragtrace why", "version": 1, "time": 1700000000.123, "note": None, "unknown": None}, got
	causes = [tuple(cause.values())[:5] for cause in volume.pop("causes")]
	assert volume == {"dev": "254:0", "path": "/mnt/f2fs", "files": 7, "fragmented": 6, "breaks": 9}, volume
	assert causes == [
	    ("tail", "sync", "interleaved", 3, "whole_blocks"), ("append", "sync", "interleaved", 2, "larger_writes"),
	    ("unknown", "none", "unknown", 1, "none"), ("append", "writeback", "new_segment", 1, "none"),
	    ("gc_bg", "none", "moved", 1, "none"), ("overwrite", "writeback", "ssr", 1, "in_place")], causes
	EOF
	why --json LOG
	"$python" - <<-'EOF'
	import json
	file, = json.load(open("out", encoding="utf-8"))["files"]
	causes = [tuple(cause.values())[:5] for cause in file.pop("causes")]
	assert file == {"dev": "254:0", "ino": 8, "path": "/mnt/f2fs/db/LOG", "blocks": 4, "fragments": 4, "breaks": 3}, file
	assert causes == [("append", "sync", "interleaved", 2, "larger_writes"), ("unknown", "none", "unknown", 1, "none")], causes
	EOF
	# the first in the order of breaks is not the first by extension, and a glob has no limit
	why --json .sst
	grep -q '"files":4,"fragmented":3,"breaks":4,' out || fail "$(cat out)"
	many 15 >t
	snapshot t
	why --json 'f.*'
	[ "$(grep -c '"path":"/m/f\.' out)" = 15 ] || fail "$(cat out)"
	# what has no causes says so
	"$fragtrace" why -t "$data/small.table" --json >out
	grep -qF '"unknown":"a text of a table does not have the causes"' out && grep -qF '"breaks":2,"causes":[]}' out || fail "$(cat out)"
	sed 's/^# time/# stale 2\n&/' t >t2
	snapshot t2
	why --json
	grep -qF '"note":"2 files stale"' out || fail "$(cat out)"
	refuses "$PWD/snapshot: no watched file with blocks is called none" "$fragtrace" why -t "$PWD/snapshot" --json none
}

# block(lba) - what fragtrace block says of it, into the file out
block() {
	"$fragtrace" block "$1" -t "$PWD/snapshot" >out
}

test_block() {
	one_break tail sync interleaved 2
	block 110
	says '2023-11-14 22:13:20 UTC'
	says 'LBA 110 of /m (254:0): block 8 of /m/a.x, inode 4, in the fragment that begins'
	says '  at block 8 (32 KiB): tail, sync, interleaved; by db (pid 7), at 22:13:19'
	block 107
	says 'LBA 107 of /m (254:0): block 7 of /m/a.x, inode 4, in the first fragment of the file'
	for lba in 108 109 111 199; do
		block $lba
		grep -q "^LBA $lba of /m (254:0): of no watched file; F2FS's own state tells whether it is in use" out || fail "$(cat out)"
	done
	block 99
	says 'LBA 99 of /m (254:0): metadata of F2FS'
	block 200
	says 'LBA 200 of /m (254:0): after the end of the volume, which has 200 blocks'
	"$fragtrace" block 110 -t t >out
	says 'LBA 110 of /m (254:0): block 8 of /m/a.x, inode 4, in the fragment that begins at block 8'
	grep -q '^Why is unknown: ' out || fail "$(cat out)"
	for lba in x -1 1.5 4294967296; do
		misused "$lba: is no block address; give a number" "$fragtrace" block -t t -- "$lba"
	done
	misused 'LBA: missing; see fragtrace block --help' "$fragtrace" block -t t
	misused 'not an option here; see fragtrace block --help' "$fragtrace" block 110 -t t --only x
	if "$fragtrace" block 110 -t t >/dev/full 2>said; then fail "a full disk is not noticed"; fi
}

# F2FS's own state tells what is in no map: by its bits, one block of data is watched by nobody, and nodes.
test_block_in_no_file() {
	cp -r "$data/f2fs-6.12" s
	while read -r lba what; do
		"$fragtrace" block "$lba" -t s/table --f2fs-state s >out
		says "LBA $lba of /mnt (254:0): $what"
	done <<-EOF
		5954 not in use
		5633 in use, of a file that is not watched, or of a directory
		4098 a node
	EOF
}

test_every_word() {
	local op flush reason
	for op in unknown append overwrite tail direct prealloc range mmap inline gc_bg gc_fg defrag atomic compress; do
		one_break $op none moved 2
		why
		grep -q "^  1 (100 %): $op (.*)$moved; by db (pid 7)\.\$" out || fail "$op: $(cat out)"
	done
	for flush in 'sync , asked for by fsync, fdatasync, sync or the like' 'writeback , written by the flusher' \
		'checkpoint , written by a checkpoint' 'none '; do
		one_break append "${flush%% *}" ssr 2
		why
		says "  1 (100 %): $append${flush#* }$ssr; by db (pid 7)."
	done
	for reason in interleaved:gone other_log:temperature ssr:holes new_segment:full moved:away; do
		one_break append sync "${reason%:*}" 2
		why
		grep -q "$because .*${reason#*:}.*; by db (pid 7)\.\$" out || fail "$reason: $(cat out)"
	done
	one_break append sync unknown 2
	why
	says "  1 (100 %): $append$sync; the reason why the block does not follow is not known; by db (pid 7)."
	# none is not a reason for a break
	one_break append sync none 2
	why
	says "  1 (100 %): $append$sync; the reason why the block does not follow is not known; by db (pid 7)."
	one_break append sync ssr 0
	why
	says "  1 (100 %): $append$sync$ssr; by an unknown process."
	one_break append sync ssr 1
	why
	says "  1 (100 %): $append$sync$ssr; by several processes."
}

# many(files) - of each extension .a, .b, ... one file; the n-th has 2 * n breaks, each with another cause and process
many() {
	"$python" - "$1" <<-'EOF'
	import sys
	ops = ("append overwrite tail direct prealloc range mmap inline gc_bg gc_fg defrag atomic compress unknown").split()
	print("# fragtrace table 1\n# time 1700000000.000")
	print("# volume 254:0 main_blkaddr=100 blocks=100000 segment_blocks=10 path=/m")
	for w in range(64):
	    print(f"# writer p{w} {w + 2} 1700000000 1700000000")
	lba, lines = 100, []
	for n in range(1, int(sys.argv[1]) + 1):
	    for k in range(2 * n + 1):
	        if k:
	            print(f"# cause {n + 3} {k} {ops[k % 14]} sync interleaved {2 + k}")
	        lines.append(f"254:0 {lba} 1 {k} {n + 3} fragmented /m/f.{chr(96 + n)}")
	        lba += 2
	print("\n".join(lines))
	EOF
}

test_what_is_too_much_is_added_up() {
	many 15 >t
	snapshot t
	why
	says '/m: 15 of 15 files are fragmented, 240 breaks.'
	says '3 other extensions: 12 breaks.'
	[ "$(grep -c '^\.[a-o]: 1 of 1 file is fragmented' out)" = 12 ] || fail "$(cat out)"
	# .o: 30 breaks of 14 operations: 3 of two of them, 2 of all others
	says '.o: 1 of 1 file is fragmented, 30 breaks:'
	says "  3 (10 %): $overwrite$sync$interleaved; by 1: p1 (pid 3), 1: p15 (pid 17), 1: p29 (pid 31)."
	sed -n '/^\.o:/,/^\.n:/p' out | grep '^  ' >lines
	[ "$(wc -l <lines)" = 6 ] || fail "$(cat lines)"
	[ "$(awk '{ n += $1 } END { print n }' lines)" = 30 ] || fail "$(cat lines)"
	tail -n 1 lines | grep -qx '  18 (60 %): 9 other causes.' || fail "$(cat lines)"
	why f.o
	[ "$(grep -c '^  at block ' out)" = 20 ] || fail "$(cat out)"
	says '  and 10 breaks after these'
	[ "$(awk '/%/ { n += $1 } END { print n }' out)" = 30 ] || fail "$(cat out)"
	# one kind, many processes: a fixed number of them is named
	many 15 | sed 's/\(# cause 18 [0-9]*\) [a-z_]* /\1 tail /' >t
	snapshot t
	why
	says "  30 (100 %): $tail$sync$interleaved; by 1: p1 (pid 3), 1: p2 (pid 4), 1: p3 (pid 5), 27: 27 other processes."
	# those of one name are one entry
	sed 's/^\(# writer\) p[0-9]* \([0-9]*[02468]\) /\1 head \2 /' t >t2
	snapshot t2
	why
	says "  30 (100 %): $tail$sync$interleaved; by 15: head (15 processes), 1: p1 (pid 3), 1: p3 (pid 5), 13: 13 other processes."
}

test_one_whole_file() {
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=100 blocks=200 segment_blocks=10 path=/m' \
		'254:0 100 8 0 4 contiguous /m/a.x' >t
	"$fragtrace" why t >out
	says '/m: 0 of 1 file is fragmented, 0 breaks.'
}

# A process may get further entries: sums are per process, times per entry.
test_same_process_at_another_time() {
	sed 's/^# cause 5 8 .*/# cause 5 8 tail sync interleaved 5/; 8a\
# writer rocksdb:low 812 1699990000 1699990030' "$data/why.table" >t
	snapshot t
	why
	says "  3 (75 %): $tail$sync$interleaved; by rocksdb:low (pid 812)."
	why 000002.sst
	says '  at block 8 (32 KiB): tail, sync, interleaved; by rocksdb:low (pid 812), between 19:26:40 and 19:27:10'
	"$fragtrace" view -t snapshot --color-by process -o out.png
	notes_say 'rocksdb:low:812: fragments=6 blocks=38, folded blocks=0'
	[ "$(notes | grep -c '^rocksdb:low')" = 1 ] || fail "$(notes)"
	"$fragtrace" view -t snapshot --color-by age -o out.png
	notes_say 'below 10 seconds: fragments=5 blocks=37, folded blocks=0'
	notes_say '1 to 6 hours: fragments=1 blocks=1, folded blocks=0'
}

test_without_causes() {
	"$fragtrace" why -t "$data/small.table" >out
	says '/mnt/f2fs: 1 of 7 files is fragmented, 2 breaks.'
	says '.sst: 1 of 3 files is fragmented, 2 breaks.'
	says 'Why is unknown: a text of a table does not have the causes.'
	"$fragtrace" why -t "$data/small.table" 000002.sst >out
	says '/mnt/f2fs/000002.sst: 6 blocks in 3 fragments, 2 breaks.'
	says 'Why is unknown: a text of a table does not have the causes.'
	"$fragtrace" why -t "$data/header_only.table" >out
	says 'No directory is watched.'
	sed -n 1,3p "$data/small.table" | "$fragtrace" why -t - >out
	says 'No watched file has blocks.'
}

# All causes are unknown, as with causes=0: that is said once, and a single known one makes each of the others worth a line.
test_no_cause_was_seen() {
	local name
	sed 's/^# cause \([0-9]* [0-9]*\) .*/# cause \1 unknown none unknown 0/' "$data/why.table" >t
	snapshot t
	for name in '' LOG; do
		"$fragtrace" why -t snapshot ${name:+"$name"} >out
		[ "$(grep -c 'causes=0' out)" = 1 ] || fail "$(cat out)"
		says 'Why is unknown: no cause was seen (the block is older than the module, the file was stale, or the module has causes=0).'
		! grep -q 'unknown (not\|: unknown, none' out || fail "$(cat out)"
	done
	says '/mnt/f2fs/db/LOG: 4 blocks in 4 fragments, 3 breaks.'
	"$fragtrace" why -t snapshot >out
	says '.sst: 3 of 4 files are fragmented, 4 breaks.'
	# of an extension alone, whose sum is said once; of a folder with several, all are added up
	why .sst
	says '/mnt/f2fs, only .sst:'
	says '.sst: 3 of 4 files are fragmented, 4 breaks.'
	[ "$(grep -c '4 breaks' out)" = 1 ] || fail "$(cat out)"
	why db
	says '/mnt/f2fs, only db: 4 of 5 files are fragmented, 7 breaks.'
	! grep -q '^LOG\|^\.db' out || fail "$(cat out)"
	sed '/^# cause 9 2 /s/unknown none unknown/gc_bg none moved/' t >t2
	snapshot t2
	"$fragtrace" why -t snapshot >out
	! grep -q '^Why is unknown' out || fail "$(cat out)"
	# without a break, there is no why
	sed '/fragmented/d' t >t2
	snapshot t2
	"$fragtrace" why -t snapshot >out
	! grep -q '^Why is unknown' out || fail "$(cat out)"
}

test_pairs() {
	snapshot "$data/why.table"
	printf '%s\n' '# fragtrace by_pair 1' '# dev times victim_extension victim_process culprit_extension culprit_process' \
		'254:0 3 .sst rocksdb:low:812 - log\040er:99' '254:0 21 .sst rocksdb:low:812 .log rocksdb:high:812' \
		'254:16 9 .sst x:1 .y y:2' '254:0 1 - several .sst unknown' '254:0 5 * * * *' >by_pair
	why
	head='  What the log went on to, most often, since the module began to count'
	says "$head: 21: files .log of rocksdb:high:812, 3: files without an extension of log er:99."
	says "$head: 1: files .sst of unknown."
	# three of them are named, those that the module names first
	for n in 4 3 2 1; do echo "254:0 $n .sst rocksdb:low:812 .x$n y:$n"; done | cat by_pair - >longer
	mv by_pair kept
	grep -v ' \.sst ' longer >by_pair
	grep 'y:' longer >>by_pair
	why
	says "$head: 4: files .x4 of y:4, 3: files .x3 of y:3, 2: files .x2 of y:2."
	mv kept by_pair
	# it is not from the same moment as a recorded snapshot
	cp snapshot other
	"$fragtrace" why -t "$PWD/other" >out
	! grep -q 'went on to, most often' out || fail "$(cat out)"
	echo '254:0 x .sst a - b' >>by_pair
	refuses 'by_pair:8: expected: a line with dev, times, victim_extension' "$fragtrace" why -t "$PWD/snapshot"
	echo '# fragtrace by_pair 2' >by_pair
	refuses 'by_pair:1: expected the line "# fragtrace by_pair 1"' "$fragtrace" why -t "$PWD/snapshot"
	# with causes=0 there are none
	printf '%s\n' '# fragtrace by_pair 1' '# not known: the module was loaded with causes=0' >by_pair
	"$fragtrace" why -t "$PWD/snapshot" >out
	! grep -q 'went on to, most often' out || fail "$(cat out)"
}

test_names_are_harmless() {
	one_break append sync ssr 2
	sed 's|# writer db|# writer \\033[2J|; s|/m/a\.x|/m/\\033[2Ja.x|' t >t2
	snapshot t2
	why
	says "  1 (100 %): $append$sync$ssr; by \\033[2J (pid 7)."
	why '*.x'
	says '/m/\033[2Ja.x: 9 blocks in 2 fragments, 1 break:'
}

# A file without blocks is watched all the same, as a snapshot knows.
test_file_without_blocks() {
	cp "$data/why.table" t
	echo '# empty 254:0 77 /mnt/f2fs/db/holes' >>t
	snapshot t
	for name in holes db/holes /mnt/f2fs/db/holes; do
		why "$name"
		says "$name has no written blocks on the volume: it is empty, or has holes alone, or its data is in the inode."
		refuses "fragtrace file: $name has no written blocks on the volume: " "$fragtrace" file "$name" -t snapshot -o out.png
	done
	refuses 'no watched file with blocks is called nosuch' "$fragtrace" why snapshot nosuch
	refuses 'no watched file with blocks is called holes' "$fragtrace" why "$data/why.table" holes
}

test_why_refuses() {
	# an argument that is a table is one; after it, or after -t, comes a file
	sed 's/^/> /' "$data/small.table" >mailed
	zstd -q mailed -o packed
	for t in "$data/small.table" mailed packed; do
		"$fragtrace" why "$t" | grep -q '^/mnt/f2fs: 1 of 7 files is fragmented, 2 breaks'
		"$fragtrace" why "$t" 000002.sst | grep -q '^/mnt/f2fs/000002.sst: 6 blocks in 3 fragments'
	done
	"$fragtrace" why - <mailed | grep -q '^/mnt/f2fs: 1 of 7 files'
	# a name may look like a glob that does not match it
	name='[Grp] Show - 01 [1080p].mkv'
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=0 blocks=200 segment_blocks=10 path=/m' \
		'254:0 1 2 0 4 contiguous /m/d/[Grp]\040Show\040-\04001\040[1080p].mkv' '254:0 9 2 0 5 contiguous /m/b' >named
	for name in "$name" "d/$name" "/m/d/$name"; do
		"$fragtrace" why named "$name" | grep -qF "$name: 2 blocks in 1 fragment, not fragmented."
		"$fragtrace" file "$name" -t named --color-by why -o picture.png
		"$fragtrace" view named --only "$name" -o picture.png
		"$peek" picture.png text | grep -q ': 1 of 2; all numbers'
		"$fragtrace" top --count 1 --only "$name" named | grep -cF '.mkv' | grep -qx 2
		"$fragtrace" view named --color-by "file=$name" -o picture.png 2>err
		[ ! -s err ] || fail "$(cat err)"
	done
	misused 'not an option here; see fragtrace why --help' "$fragtrace" why -n 1
	refuses 'a: cannot open' "$fragtrace" why a b
	refuses "a: is no table, and the module fragtrace is not loaded; name a table before it" "$fragtrace" why a
	mkdir folder
	refuses 'named: no watched file' "$fragtrace" why named folder
	refuses 'folder: is no table' "$fragtrace" why folder
	misused 'c: unexpected argument' "$fragtrace" why a b c
	refuses 'No space left on device' sh -c "'$fragtrace' why -t '$data/small.table' >/dev/full"
	refuses 'nosuch: cannot open' "$fragtrace" why -t nosuch
}

# === Colours ===

test_color_by_cause() {
	snapshot "$data/why.table"
	"$fragtrace" view -t snapshot --color-by cause -i "$data/plain.img.cnf" -o out.png
	notes_say 'the 8 blocks after a break have the colour of its operation, the rest is grey; blocks are counted up to the next break'
	notes_say 'append: breaks=3 blocks=6, folded blocks=0'
	notes_say 'overwrite: breaks=1 blocks=1, folded blocks=0'
	notes_say 'tail: breaks=3 blocks=5, folded blocks=0'
	notes_say 'gc_bg: breaks=1 blocks=2, folded blocks=0'
	notes_say 'unknown: breaks=1 blocks=1, folded blocks=0'
	notes_say 'all breaks: breaks=9 blocks=15, folded blocks=0'
	notes_say 'no break: begins its file: blocks=45, folded blocks=0'
	! notes | grep -q '^direct' || fail "a cause that nothing has is in the legend"
	# boxes of 8 x 8, and a swatch
	for colour in '#1332fb 6' '#fb5c1f 1' '#45ef66 5' '#b4220d 2' '#8a8a8a 1' '#c8c8c8 45'; do
		set -- $colour
		[ "$("$peek" out.png | sed -n "s/^$1 //p")" = $(($2 * 64 + 280)) ] || fail "$1: $("$peek" out.png | grep "$1")"
	done
}

test_color_by_why() {
	snapshot "$data/why.table"
	"$fragtrace" view -t snapshot --color-by why -o out.png
	notes_say 'interleaved: breaks=5 blocks=7, folded blocks=0'
	notes_say 'ssr: breaks=1 blocks=1, folded blocks=0'
	notes_say 'new_segment: breaks=1 blocks=4, folded blocks=0'
	notes_say 'moved: breaks=1 blocks=2, folded blocks=0'
	notes_say 'unknown: breaks=1 blocks=1, folded blocks=0'
	notes_say 'all breaks: breaks=9 blocks=15, folded blocks=0'
}

test_color_by_process() {
	snapshot "$data/why.table"
	"$fragtrace" view -t snapshot --color-by process -o out.png
	notes_say 'rocksdb:low:812: fragments=6 blocks=38, folded blocks=0'
	notes_say 'rocksdb:high:812: fragments=4 blocks=14, folded blocks=0'
	notes_say 'log er:99: fragments=1 blocks=1, folded blocks=0'
	notes_say 'other processes: fragments=0 blocks=0, folded blocks=0'
	notes_say 'several: fragments=2 blocks=2, folded blocks=0'
	notes_say 'unknown: fragments=3 blocks=5, folded blocks=0'
	notes_say 'all fragments: fragments=16 blocks=60, folded blocks=0'
	many 15 >t
	snapshot t
	"$fragtrace" view -t snapshot --color-by process -o out.png
	[ "$(notes | grep -c '^p[0-9]*:')" = 8 ] || fail "$(notes)"
	# of k = 1 to 8 those have 15, 15, 14, 14, 13, 13, 12, 12; of 240 breaks and 15 begins
	notes_say 'p1:3: fragments=15 blocks=15, folded blocks=0'
	notes_say 'p8:10: fragments=12 blocks=12, folded blocks=0'
	notes_say 'other processes: fragments=132 blocks=132, folded blocks=0'
	notes_say 'unknown: fragments=15 blocks=15, folded blocks=0'
}

test_color_by_age() {
	snapshot "$data/why.table"
	"$fragtrace" view -t snapshot --color-by age -o out.png
	notes_say 'below 10 seconds: fragments=6 blocks=38, folded blocks=0'
	notes_say '10 minutes to 1 hour: fragments=4 blocks=14, folded blocks=0'
	notes_say '7 days or more: fragments=1 blocks=1, folded blocks=0'
	notes_say '1 to 7 days: fragments=0 blocks=0, folded blocks=0'
	notes_say 'unknown: fragments=5 blocks=7, folded blocks=0'
	notes_say 'all fragments: fragments=16 blocks=60, folded blocks=0'
	# each class begins at its limit
	for age in 0:below_10_seconds 9:below_10_seconds 10:10_seconds_to_1_minute 59:10_seconds_to_1_minute 60:1_to_10_minutes \
		3599:10_minutes_to_1_hour 3600:1_to_6_hours 21600:6_to_24_hours 86400:1_to_7_days 604799:1_to_7_days \
		604800:7_days_or_more; do
		one_break append sync ssr 2
		sed "s/^# writer .*/# writer db 7 1 $((1700000000 - ${age%:*}))/" t >t2
		snapshot t2
		"$fragtrace" view -t snapshot --color-by age -o out.png
		notes_say "$(echo "${age#*:}" | tr _ ' '): fragments=1 blocks=1, folded blocks=0"
	done
}

# What the shell shows: another path of the same inode, and folders.
test_paths_of_the_shell() {
	echo x >real
	ln -s real link
	dev=$(stat -c %Hd:%Ld real)
	printf '%s\n' '# fragtrace table 1' "# volume $dev main_blkaddr=0 blocks=1000 segment_blocks=512 path=/m" \
		"$dev 1 1 0 $(stat -c %i real) contiguous /m/db/a.sst" "$dev 5 1 0 999999999 fragmented /m/db/sub/b.sst" \
		"$dev 9 1 1 999999999 fragmented /m/db/sub/b.sst" "$dev 20 1 0 999999998 contiguous /m/dbx/c.log" >t
	for path in real ./link "$PWD/real"; do
		"$fragtrace" why -t t "$path" >out
		says '/m/db/a.sst: 1 block in 1 fragment, not fragmented.'
		"$fragtrace" file "$path" -t t -o out.png
		"$peek" out.png text | grep -qx 'Title: fragtrace /m/db/a.sst'
	done
	for path in /m/db /m/db/ db; do
		"$fragtrace" why -t t "$path" >out
		says "/m, only $path:"
		says '.sst: 1 of 2 files is fragmented, 1 break.'
	done
	! "$fragtrace" why -t t b 2>err || fail "accepted"
	grep -q 'no watched file with blocks is called b' err
}

# What a container sees: its data is in the file of the first layer that has one of this path.
test_paths_in_an_overlay() {
	local path status=0
	# the folder of the test may itself be in an overlay, which cannot be the upper layer of another one
	mkdir layers
	unshare "$([ "$(id -u)" = 0 ] && echo -m || echo -rm)" sh -eu -c '
		mount -t tmpfs none layers
		cd layers
		mkdir -p "low one" two up/c.d work merged
		printf "# fragtrace table 1\n# volume %s main_blkaddr=0 blocks=1000 segment_blocks=512 path=/m\n" "$(stat -c %Hd:%Ld two)" >t
		n=0
		for path in "low one/a" two/a two/b up/b up/c; do
			n=$((n + 10))
			echo x >"$path"
			echo "$(stat -c "%Hd:%Ld $n 1 0 %i" "$path") contiguous /m/$(echo "$path" | sed "s/ /\\\\040/")" >>t
		done
		mount -t overlay -o "lowerdir=$PWD/low one:$PWD/two,upperdir=$PWD/up,workdir=$PWD/work" none merged || exit 4
		mount -t tmpfs none merged/c.d
		echo x >merged/c.d/a
		for path in merged/a merged/b "$PWD/merged/../merged/c" merged/c.d/a; do
			"$0" why -t t "$path" 2>&1 | tail -n 1
		done' "$fragtrace" >out 2>err || status=$?
	[ $status != 4 ] || { echo "no overlay can be mounted here"; exit 4; }
	for path in 'low one/a' up/b up/c; do
		says "/m/$path: 1 block in 1 fragment, not fragmented."
	done
	grep -q 'no watched file with blocks is called merged/c.d/a' out || fail "status $status: $(cat out err)"
}

test_colours_without_causes() {
	local by
	for by in cause why process age; do
		"$fragtrace" view -t "$data/small.table" --color-by $by -o out.png
		notes | grep -q '1 fragmented file (14.3 %); read without causes$' || fail "$(notes)"
	done
	"$fragtrace" view -t "$data/small.table" --color-by cause -o out.png
	notes_say 'unknown: breaks=2 blocks=3, folded blocks=0'
	notes_say 'no break: begins its file: blocks=37, folded blocks=0'
	"$fragtrace" view -t "$data/small.table" --color-by age -o out.png
	notes_say 'unknown: fragments=9 blocks=40, folded blocks=0'
	for layout in segments hilbert; do
		"$fragtrace" view -t "$data/header_only.table" --color-by cause --layout $layout -o out.png -n 0.01 --count 1
	done
}

# A cause keeps its colour when other causes appear or disappear.
test_colours_stay() {
	one_break overwrite sync moved 2
	"$fragtrace" view -t snapshot --color-by cause -o out.png -n 0.05 &
	wait_for sh -c "'$peek' out.png 2>/dev/null | grep -q '^#fb5c1f '"
	snapshot "$data/why.table" new
	mv new snapshot
	wait_for sh -c "'$peek' out.png text | grep -qx 'gc_bg: breaks=1 blocks=2, folded blocks=0'"
	kill $!
	wait $! || fail "status $?"
	notes_say 'overwrite: breaks=1 blocks=1, folded blocks=0'
	[ "$("$peek" out.png | sed -n 's/^#fb5c1f //p')" = $((64 + 280)) ] || fail "$("$peek" out.png)"
}

# === For other programs ===

test_exports() {
	snapshot "$data/why.table"
	write_all out -t snapshot
	[ "$(head -n 1 out.csv)" = "$(printf 'dev,lba,length,offset,ino,state,op,flush,why_here,process,path\r')" ]
	[ "$(grep -c ',,,,,/' out.csv)" = 9 ] || fail "$(cat out.csv)"
	grep -qx "$(printf '254:0,1010,1,8,4,fragmented,tail,sync,interleaved,rocksdb:low:812,/mnt/f2fs/db/000001.sst\r')" out.csv
	grep -qF '"op":"append","flush":"sync","why_here":"interleaved","process":"log er:99","path":"/mnt/f2fs/db/LOG"' out.json
	grep -qF '"op":null,"flush":null,"why_here":null,"process":null,"path":"/mnt/f2fs/db/LOG"' out.json
	"$python" -c '
import json
data = json.load(open("out.json"))
assert data["version"] == 1, data["version"]
assert sum(r["op"] is not None for r in data["records"]) == 9'
	# metrics of extensions, which add up to all breaks
	sed -n 's/^fragtrace_breaks{device="254:0",mountpoint="\/mnt\/f2fs",//p' out.prom >breaks
	grep -qx 'extension=".sst",op="tail",flush="sync",why_here="interleaved"} 3' breaks
	grep -qx 'extension="-",op="unknown",flush="none",why_here="unknown"} 1' breaks
	grep -qx 'extension=".db",op="gc_bg",flush="none",why_here="moved"} 1' breaks
	[ "$(awk '{ n += $NF } END { print n }' breaks)" = 9 ] || fail "$(cat breaks)"
	many 15 >t
	snapshot t
	"$fragtrace" metrics -o out.prom -t snapshot
	grep '^fragtrace_breaks{' out.prom | sed 's/.*extension="\([^"]*\)".* / \1 /' |
		awk '{ n[$1] += $2 } END { for (e in n) print e, n[e] }' | sort >got
	[ "$(tr '\n' ' ' <got)" = '.k 22 .l 24 .m 26 .n 28 .o 30 other 110 ' ] || fail "$(cat got)"
	# an extension of one file that looks random or counted is not named; .aof is, and .sst1, of two files
	sed -e 's|/db/LOG|/db/LOG.old.k3Xq9Z|' -e 's|/db/000001.sst|/db/x.aof|' \
		-e 's|/db/00000[2-9].sst|&1|' "$data/why.table" >t
	snapshot t
	"$fragtrace" metrics -o out.prom -t snapshot
	sed -n 's/^fragtrace_breaks{.*extension="\([^"]*\)".*/\1/p' out.prom | sort -u >got
	[ "$(tr '\n' ' ' <got)" = '.aof .db .sst1 other ' ] || fail "$(cat got)"
}

# Of a single file, an extension with a digit or a capital letter anywhere is no time series; of two files, each is.
test_random_extensions_are_no_time_series() {
	local ext
	for ext in k3xq9z 7abcde abcde7 k3Xq9Z qwErty Qwerty qwertY QWERTY; do
		exported "$ext" a.db 'other '
		exported "$ext" b.$ext ".$ext "
	done
	# a number is no extension
	exported 1700000000 b.1700000000 '- '
	"$fragtrace" why -t snapshot | grep -qx 'files without an extension: 2 of 2 files are fragmented, 2 breaks:'
	"$fragtrace" causes -t snapshot | awk '!/^#/ && $8 != "-" { exit 1 }'
	for ext in qwerty a part_x; do
		exported $ext a.db ".$ext other "
	done
}

# exported(extension, name, extensions) - two files with a break each, and a file x.aof: what is named in the metrics
exported() {
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=100 blocks=200 segment_blocks=10 path=/m' \
		'# writer db 7 1699999999 1699999999' '# cause 4 1 append sync moved 2' '# cause 5 1 append sync moved 2' \
		"254:0 100 1 0 4 fragmented /m/a.$1" "254:0 102 1 1 4 fragmented /m/a.$1" \
		"254:0 104 1 0 5 fragmented /m/$2" "254:0 106 1 1 5 fragmented /m/$2" >t
	[ "$2" != a.db ] || sed -i 's|/m/a.db|/m/LOG.OLD|' t
	snapshot t
	"$fragtrace" metrics -o out.prom -t snapshot
	sed -n 's/^fragtrace_breaks{.*extension="\([^"]*\)".*/\1/p' out.prom | sort -u | tr '\n' ' ' >got
	[ "$(cat got)" = "$3" ] || fail "$1: $(cat got); expected $3"
}

test_top() {
	snapshot "$data/why.table"
	"$fragtrace" top -t snapshot --count 1 -n 0.01 | tr -s ' ' >out
	grep -qx ' \*EXTRA FRAGS FRAG/S BLOCKS BLK/S SPLIT CAUSE PATH' out || fail "$(cat out)"
	grep -qx ' 3 4 - 4 - 4.00 append /mnt/f2fs/db/LOG' out || fail "$(cat out)"
	grep -qx ' 1 2 - 9 - 2.00 tail /mnt/f2fs/db/000001.sst' out || fail "$(cat out)"
	grep -qx ' 0 1 - 17 - 1.00 - /mnt/f2fs/db/000003.sst' out || fail "$(cat out)"
}

# The commands of the front page, and what it says of its picture.
test_readme() {
	local readme=$viewer/../README.md
	grep '^    viewer/fragtrace [a-z]* -t viewer/' "$readme" | sed "s/ *#.*//; s|^ *viewer/fragtrace||; s|viewer/tests/data|$data|; s|viewer/images|$data/../../images|" >commands
	[ "$(wc -l <commands)" = 2 ] || fail "not two commands: $(cat commands)"
	while read -r arguments; do
		eval "'$fragtrace' $arguments" </dev/null >>out
	done <commands
	[ -s a.png ] || fail "no picture: $(cat commands)"
	"$fragtrace" files --json -o list.json -t "$data/rocksdb.snapshot.zst"
	"$python" - "$readme" list.json >said <<-'PYTHON'
	import json, re, sys
	text = " ".join(open(sys.argv[1], encoding="utf-8").read().split())
	told = re.search(r"Grey: (\d+) `\.sst` files.*?Red: the last blocks of (\d+), .*?, (\d+) GiB away", text).groups()
	files = [f for f in json.load(open(sys.argv[2]))["records"] if f["path"].endswith(".sst")]
	fragmented = [f for f in files if f["fragments"] > 1]
	away = sum(f["mean_distance"] for f in fragmented) / len(fragmented) / (1 << 18)
	found = (str(len(files)), str(len(fragmented)), f"{away:.0f}")
	assert told == found, (told, found)
	print(f".sst: {told[1]} of {told[0]} files are fragmented")
	PYTHON
	grep -qF "$(cat said)" out || fail "fragtrace why does not say: $(cat said)"
}

run_tests
