#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the plans of fragtrace defrag: against a naive planner, choices, texts; speaks KTAP. See testlib.sh of the viewer.
# usage: test_plan.sh PROGRAM [TEST...]
# $PLANS is the number of random tables for the naive planner (default 150), and twice as many random readers.
set -eu

# shellcheck source-path=SCRIPTDIR source=../../viewer/tests/testlib.sh
. "$(dirname "$0")/../../viewer/tests/testlib.sh"
viewer_tests=$here/../../viewer/tests

# === Helpers ===

# table(records) - a table of one volume with the default time
table() {
	printf '%s\n' '# fragtrace table 1' '# time 1700000000.000' \
		'# volume 254:0 main_blkaddr=100 blocks=100000 segment_blocks=512 path=/m' "$@" >t
}

# snapshot(lines...) - the same as a binary snapshot; lines may be causes and writers
snapshot() {
	table "$@"
	"$python" -IS "$viewer_tests/to_snapshot.py" t >s
}

# plan(status, arguments...) - the text of a plan of the table t, into the file out, with this status
plan() {
	local expected=$1 status=0
	shift
	"$fragtrace" --all -t t "$@" >out 2>err || status=$?
	[ "$status" = "$expected" ] || fail "status $status; expected $expected: $(cat out err)"
	[ ! -s err ] || fail "$(cat err)"
}

# says(line) - the file out has exactly this line
says() {
	grep -qxF -- "$1" out || fail "expected: $1
got: $(cat out)"
}

# says_no(text) - the file out does not have this text
says_no() {
	! grep -qF -- "$1" out || fail "did not expect: $1
got: $(cat out)"
}

# Four windows of 128 KiB: whole, in two, in three with a hole, and whole but away from the one before it.
four='254:0 200 32 0 4 fragmented /m/a.x
254:0 300 16 32 4 fragmented /m/a.x
254:0 400 16 48 4 fragmented /m/a.x
254:0 500 8 64 4 fragmented /m/a.x
254:0 600 8 80 4 fragmented /m/a.x
254:0 700 8 88 4 fragmented /m/a.x
254:0 800 32 96 4 fragmented /m/a.x'

# === Against a naive planner ===

test_naive() {
	local seed=${SEED:-$(date +%s)} rounds=${PLANS:-150}
	case $fragtrace in */san/*) rounds=60 ;; esac
	echo "# seed $seed" >&3
	"$python" -B "$here/naive.py" "$fragtrace" "$seed" $rounds >&3 || fail "seed $seed: $(head -c 3000 table)"
}

# === What is worth it ===

test_only_fragmented_windows() {
	table "$four"
	plan 0
	says '/m: 1 file, 480 KiB, requests of 128 KiB: 7, if no file were fragmented 4; 1 file takes more than needed'
	says '  worth a rewrite: 2 ranges in 1 file, requests 7 -> 4 (42.9 % fewer), 224 KiB to write, needs 1 free segment'
	says '  /m/a.x: 2 ranges, 224 KiB to write, requests 7 -> 4 (42.9 % fewer), 6 breaks'
	says '    at 128 KiB: 128 KiB, requests 2 -> 1'
	says '    at 256 KiB: 96 KiB, requests 3 -> 1'
}

test_whole_files_are_not_worth_it() {
	table '254:0 200 320 0 4 contiguous /m/a.x' '254:0 600 32 0 5 fragmented /m/b.x' '254:0 700 32 32 5 fragmented /m/b.x'
	plan 4
	says '  nothing is worth a rewrite'
	says_no /m/a.x
	says_no /m/b.x
	table
	plan 4
	says 'No watched file has blocks.'
}

test_hole_that_goes_on() {
	# the addresses go on across the hole: one request
	table '254:0 200 4 0 4 contiguous /m/a.x' '254:0 204 4 8 4 contiguous /m/a.x'
	plan 4
	says '  nothing is worth a rewrite'
}

test_request_size() {
	table "$four"
	plan 0 --request 64K
	says '/m: 1 file, 480 KiB, requests of 64 KiB: 9, if no file were fragmented 8; 1 file takes more than needed'
	says '    at 320 KiB: 64 KiB, requests 2 -> 1'
	plan 4 --request 32K
	plan 0 --request 512K
	says '    at 0 KiB: 480 KiB, requests 7 -> 1'
}

test_budget_takes_the_best() {
	table "$four"
	plan 0 --budget 100K
	says '  worth a rewrite: 1 range in 1 file, requests 7 -> 5 (28.6 % fewer), 96 KiB to write, needs 1 free segment'
	plan 0 --budget 96K
	plan 4 --budget 95K
	plan 0 --budget 1G
	says '  worth a rewrite: 2 ranges in 1 file, requests 7 -> 4 (42.9 % fewer), 224 KiB to write, needs 1 free segment'
}

test_min_gain() {
	table "$four"
	# 2 * 256 / 24 and 1 * 256 / 32 requests per MiB
	plan 0 --min-gain 8
	says '  /m/a.x: 2 ranges, 224 KiB to write, requests 7 -> 4 (42.9 % fewer), 6 breaks'
	plan 0 --min-gain 8.1
	says '  /m/a.x: 1 range, 96 KiB to write, requests 7 -> 5 (28.6 % fewer), 6 breaks'
	plan 4 --min-gain 22
	says '  /m/a.x: 7 requests, not worth it, 6 breaks'
}

test_paths() {
	table '254:0 200 1 0 4 fragmented /m/db/a.x' '254:0 300 1 1 4 fragmented /m/db/a.x' \
		'254:0 400 1 0 5 fragmented /m/db2/a.x' '254:0 500 1 1 5 fragmented /m/db2/a.x' \
		'254:0 600 1 0 6 fragmented /m/c d' '254:0 700 1 1 6 fragmented /m/c d'
	sed -i 's/c d$/c\\040d/' t
	for arg in /m/db /m/db/ /m/db/a.x db/a.x '/m/db/*' 'd?/a.x'; do
		plan 0 "$arg"
		says '/m: 1 file, 8 KiB, requests of 128 KiB: 2, if no file were fragmented 1; 1 file takes more than needed'
		says '  /m/db/a.x: 1 range, 8 KiB to write, requests 2 -> 1 (50 % fewer), 1 break'
	done
	plan 0 /m
	says '/m: 3 files, 24 KiB, requests of 128 KiB: 6, if no file were fragmented 3; 3 files take more than needed'
	plan 0 'c d' /m/db2
	says '/m: 2 files, 16 KiB, requests of 128 KiB: 4, if no file were fragmented 2; 2 files take more than needed'
	refuses 'no watched file with blocks is called /m/d, or is below it' "$fragtrace" --all -t t /m/d
}

# === Heat ===

# heat(records) - counts of reads in windows of 128 KiB
heat() {
	printf '%s\n' '# fragtrace heat 2' '# windows blocks=32 period_secs=3600' \
		'# dev ino offset reads blocks requests overwrites continued path' "$@" >h
}

# plan_hot(status, arguments...) - plan for t with the counts of h
plan_hot() {
	local expected=$1 status=0
	shift
	"$fragtrace" -t t --heat h "$@" >out 2>err || status=$?
	[ $status = "$expected" ] || fail "status $status: $(cat out err)"
}

test_heat() {
	table "$four"
	# window 1 is read whole 10 times, window 2 once
	heat '254:0 4 32 10 320 20 0 0 /m/a.x' '254:0 4 64 1 32 3 0 0 /m/a.x' '254:0 5 0 99 3168 99 0 0 /m/other' '254:1 4 64 99 3168 99 0 0 /n/a'
	plan_hot 0
	says '    at 128 KiB: 128 KiB, requests 2 -> 1, used 10.0 times'
	says '    at 256 KiB: 96 KiB, requests 3 -> 1, used 1.0 times'
	# for all alike window 2 would be the best one
	plan_hot 0 --budget 128K
	says '    at 128 KiB: 128 KiB, requests 2 -> 1, used 10.0 times'
	says_no 'at 256 KiB'
	plan_hot 0 --hot 90
	says '  worth a rewrite: 1 range in 1 file, requests 7 -> 6 (14.3 % fewer), 128 KiB to write, needs 1 free segment'
	plan_hot 0 --hot 91
	says '  worth a rewrite: 2 ranges in 1 file, requests 7 -> 4 (42.9 % fewer), 224 KiB to write, needs 1 free segment'
	plan_hot 0 --json
	"$python" -c 'import json; v, = json.load(open("out"))["volumes"]; print(*(r["heat"] for r in v["files"][0]["ranges"]))' |
		grep -qx '10 1'
}

test_single_blocks_gain_nothing() {
	table "$four"
	heat '254:0 4 32 500 500 500 0 0 /m/a.x'
	plan_hot 4
	says '  nothing is worth a rewrite'
	# FragPicker counts bytes
	plan_hot 0 --like fragpicker
	says '    at 128 KiB: 128 KiB, requests 2 -> 1, used 15.6 times'
	# and those of writes, too
	heat '254:0 4 32 0 0 0 64 0 /m/a.x'
	plan_hot 4
	plan_hot 0 --like fragpicker
	says '    at 128 KiB: 128 KiB, requests 2 -> 1, used 2.0 times'
}

test_nothing_read() {
	table "$four"
	heat
	plan_hot 4
	plan_hot 4 --hot 10
}

test_end_of_file() {
	# the last window has 4 blocks: all of them were read 3 times
	table '254:0 200 2 0 4 fragmented /m/a.x' '254:0 300 2 2 4 fragmented /m/a.x'
	heat '254:0 4 0 3 12 6 0 0 /m/a.x'
	plan_hot 0
	says '    at 0 KiB: 16 KiB, requests 2 -> 1, used 3.0 times'
}

# read_on(windows, fragmented, reads) - counts of readers that are not aligned: they go on `reads` times from each window of a
# file of so many windows to the next, and have met each of the breaks in windows `fragmented` as often: window:breaks...
read_on() {
	local n=0 extra word

	set -- "$1" " $2 " "$3"
	while [ $n -lt "$1" ]; do
		extra=0
		for word in $2; do
			[ "${word%:*}" != $n ] || extra=$((${word#*:} * $3))
		done
		echo "254:0 4 $((n * 32)) 360 1600 $((360 + extra)) 0 $((n ? $3 : 0)) /m/a.x"
		n=$((n + 1))
	done
}

test_read_alone_is_not_worth_it() {
	# A break in the middle of window 20 of 41; readers cross all edges as often as they meet the break.
	table '254:0 200 656 0 4 fragmented /m/a.x' '254:0 2000 656 656 4 fragmented /m/a.x'
	heat "$(read_on 41 20:1 10)"
	plan_hot 4
	# no new break comes if all of the file is moved, which saves 10 requests with 5.1 MiB
	plan_hot 4 --min-gain 2
	plan_hot 0 --min-gain 1.9
	says '  worth a rewrite: 41 ranges in 1 file, requests 42 -> 41 (2.4 % fewer), 5.1 MiB to write, needs 3 free segments'
	says '  the reads and overwrites that were counted would have saved 10 of their requests'
	says '    at 0 KiB: 128 KiB, whole, read together with others'
	# met more often, it is worth that
	heat "$(read_on 41 20:1 21)"
	plan_hot 0
	says '  the reads and overwrites that were counted would have saved 21 of their requests'
	# all of it, or nothing
	plan_hot 4 --budget 5M
	says '  nothing that is worth a rewrite fits into the budget'
	says '  /m/a.x: 42 requests, not within the budget, 1 break'
	plan_hot 0 --budget 6M
	# reads that go on at one edge only, or at none
	table '254:0 200 48 0 4 fragmented /m/a.x' '254:0 400 80 48 4 fragmented /m/a.x'
	heat '254:0 4 0 50 1600 50 0 0 /m/a.x' '254:0 4 32 50 1600 100 0 50 /m/a.x' '254:0 4 64 50 1600 50 0 0 /m/a.x'
	plan_hot 0
	says '    at 0 KiB: 128 KiB, whole, read together with others'
	says '    at 128 KiB: 128 KiB, requests 2 -> 1, used 50.0 times'
	says_no 'at 256 KiB'
	heat '254:0 4 0 50 1600 50 0 0 /m/a.x' '254:0 4 32 50 1600 100 0 0 /m/a.x' '254:0 4 64 50 1600 50 0 0 /m/a.x'
	plan_hot 0
	says '    at 128 KiB: 128 KiB, requests 2 -> 1, used 50.0 times'
	says_no whole
}

test_no_step_is_too_long() {
	# a break in window 100 of 128 windows, 16 MiB, or of one more: all of it would have to move at once
	table '254:0 200 3216 0 4 fragmented /m/a.x' '254:0 9000 880 3216 4 fragmented /m/a.x'
	heat "$(read_on 128 100:1 300)"
	plan_hot 0
	says '  worth a rewrite: 128 ranges in 1 file, requests 129 -> 128 (0.8 % fewer), 16 MiB to write, needs 8 free segments'
	table '254:0 200 3216 0 4 fragmented /m/a.x' '254:0 9000 912 3216 4 fragmented /m/a.x'
	heat "$(read_on 129 100:1 300)"
	plan_hot 4
	says '  /m/a.x: 130 requests, left alone, 1 break'
	says '    left alone: 129 ranges, since more than 16 MiB would have to be moved together.'
	# and it is not a question of the budget
	plan_hot 4 --budget 1M
	says_no 'not within the budget'
}

test_fragmented_edge_of_whole_windows() {
	# a break between windows 1 and 2, which 9 reads have met
	table '254:0 200 64 0 4 fragmented /m/a.x' '254:0 400 64 64 4 fragmented /m/a.x'
	heat '254:0 4 32 9 300 9 0 0 /m/a.x' '254:0 4 64 9 200 9 0 9 /m/a.x'
	plan_hot 0
	says '/m: 1 file, 512 KiB, requests of 128 KiB: 4, if no file were fragmented 4; 0 files take more than needed'
	says '  worth a rewrite: 2 ranges in 1 file, requests 4 -> 4 (0 % fewer), 256 KiB to write, needs 1 free segment'
	says '  the reads and overwrites that were counted would have saved 9 of their requests'
	says '    at 128 KiB: 128 KiB, whole, fragmented at its edge, met 9.0 times'
	says '    at 256 KiB: 128 KiB, whole, fragmented at its edge, met 9.0 times'
	plan_hot 0 --json
	grep -qF '"saved":9.000000,' out
	# nobody knows that for all alike; and if the window is not hot, it does not count
	plan 4
	heat '254:0 4 0 99 9000 99 0 0 /m/a.x' '254:0 4 32 9 300 9 0 0 /m/a.x' '254:0 4 64 9 200 9 0 9 /m/a.x'
	plan_hot 4 --hot 90
	# met once, it is not worth two windows
	heat '254:0 4 32 9 300 9 0 0 /m/a.x' '254:0 4 64 9 200 9 0 1 /m/a.x'
	plan_hot 4
	plan_hot 0 --min-gain 3.9
}

test_reads_that_end_at_the_break() {
	# blocks of a database: 50 reads of each half of window 1, none of both
	table '254:0 200 48 0 4 fragmented /m/a.x' '254:0 400 80 48 4 fragmented /m/a.x'
	heat '254:0 4 32 100 1600 100 0 0 /m/a.x'
	plan_hot 4
	says '  nothing is worth a rewrite'
	# 10 more, of the whole window
	heat '254:0 4 32 110 1920 120 0 0 /m/a.x'
	plan_hot 0
	says '    at 128 KiB: 128 KiB, requests 2 -> 1, used 10.0 times'
}

test_requests_of_nobody() {
	# F2FS has collected the segment: the requests for it were not those of reads, which can have met the break 3 times
	table "$four"
	heat '254:0 4 32 3 96 500 0 0 /m/a.x'
	plan_hot 0
	says '    at 128 KiB: 128 KiB, requests 2 -> 1, used 3.0 times'
	heat '254:0 4 32 3 5 500 0 0 /m/a.x'
	plan_hot 0
	says '    at 128 KiB: 128 KiB, requests 2 -> 1, used 2.0 times'
}

test_ends_at_breaks() {
	# four breaks in window 32 of 65, each met by 4 reads: the two outer ones stay, and the blocks beyond them, too
	table '254:0 200 1028 0 4 fragmented /m/a.x' '254:0 3000 4 1028 4 fragmented /m/a.x' '254:0 4000 4 1032 4 fragmented /m/a.x' \
		'254:0 5000 4 1036 4 fragmented /m/a.x' '254:0 6000 1040 1040 4 fragmented /m/a.x'
	heat "$(read_on 65 32:4 4)"
	plan_hot 0
	says '    at 4.0 MiB: 48 KiB, requests 5 -> 3, used 4.0 times'
	plan_hot 0 --json
	grep -qF '"offset":4210688,"end":4259840,"bytes":49152,"requests":5,"requests_after":3,"heat":4,"saved":8.000000,' out
}

test_neighbours_are_moved_together() {
	# one break in each of windows 31 to 34: each alone gains nothing
	table '254:0 200 1008 0 4 fragmented /m/a.x' '254:0 3000 32 1008 4 fragmented /m/a.x' '254:0 4000 32 1040 4 fragmented /m/a.x' \
		'254:0 5000 32 1072 4 fragmented /m/a.x' '254:0 6000 1008 1104 4 fragmented /m/a.x'
	heat "$(read_on 66 '31:1 32:1 33:1 34:1' 4)"
	plan_hot 0
	says '  worth a rewrite: 4 ranges in 1 file, requests 70 -> 68 (2.9 % fewer), 384 KiB to write, needs 1 free segment'
	says '    at 3.9 MiB: 64 KiB, requests 2 -> 2, used 4.0 times'
}

test_a_price_for_blocks() {
	# window 0 is fragmented after 1 block, and before the last one: these two need not be moved for the breaks between
	table '254:0 200 30 0 4 fragmented /m/a.x' '254:0 300 1 30 4 fragmented /m/a.x' '254:0 400 1 31 4 fragmented /m/a.x'
	plan 0
	says '    at 0 KiB: 128 KiB, requests 3 -> 1'
	# a block costs more than a request
	plan 0 --min-gain 100
	says '    at 120 KiB: 8 KiB, requests 3 -> 2'
	plan 4 --min-gain 129
}

test_overwrites() {
	# window 1 is overwritten 3 times, and its break does not come from that: F2FS writes in place
	heat '254:0 4 32 0 0 0 96 0 /m/a.x'
	snapshot '# writer db 7 1699990000 1699990000' '# cause 4 48 append sync interleaved 2' \
		'254:0 200 48 0 4 fragmented /m/a.x' '254:0 400 80 48 4 fragmented /m/a.x'
	plan_hot 0 -t s
	says '    at 128 KiB: 128 KiB, requests 2 -> 1, used 3.0 times'
	# there it does
	snapshot '# writer db 7 1699990000 1699990000' '# cause 4 48 overwrite sync moved 2' \
		'254:0 200 48 0 4 fragmented /m/a.x' '254:0 400 80 48 4 fragmented /m/a.x'
	plan_hot 4 -t s
	# not known
	plan_hot 4
}

# === Readers ===

test_windows_of_readers() {
	"$python" "$here/page_cache.py" "$WINDOWS" "${SEED:-$(date +%s)}" $((${PLANS:-150} * 2)) >&3
}

test_readers() {
	table '254:0 200 1000 0 4 fragmented /m/a.x' '254:0 4000 24 1000 4 fragmented /m/a.x'
	plan 0 --reader buffered,4K
	says '  who reads all of it in order, buffered, 4 KiB at once: requests 36 -> 36 (0 % fewer)'
	plan 0 --reader direct,8K
	says '  who reads all of it in order, direct, 8 KiB at once: requests 512 -> 512 (0 % fewer)'
	plan 0 --reader direct
	says '  who reads all of it in order, direct, 128 KiB at once: requests 33 -> 32 (3.0 % fewer)'
	plan 0 --reader buffered --json
	grep -qF '"reader":{"direct":false,"read_bytes":131072,"ahead_bytes":131072,"requests":33,"requests_least":33,"requests_after":32,"requests_after_least":32}' out
	plan 0 --json
	grep -qF '"reader":null' out
}

# === Causes ===

test_causes() {
	snapshot '# writer db 7 1699990000 1699990000' '# cause 4 1 overwrite sync moved 2' \
		'254:0 200 1 0 4 fragmented /m/a.x' '254:0 300 1 1 4 fragmented /m/a.x'
	plan 0 -t s
	says '    1 break: overwrite (the block was rewritten, which F2FS does at another address), asked for by fsync, fdatasync, sync or the like; the block does not follow because one of the two was rewritten or moved away.'
	plan 0 -t s --json
	grep -qF '"causes":[{"op":"overwrite","flush":"sync","why_here":"moved","breaks":1}]' out
	# three are named
	snapshot '# writer db 7 1699990000 1699990000' '# cause 4 1 overwrite sync moved 2' '# cause 4 2 append sync moved 2' \
		'# cause 4 3 mmap sync moved 2' '# cause 4 4 range sync moved 2' '# cause 4 5 direct none moved 2' \
		'254:0 200 1 0 4 fragmented /m/a.x' '254:0 300 1 1 4 fragmented /m/a.x' '254:0 400 1 2 4 fragmented /m/a.x' \
		'254:0 500 1 3 4 fragmented /m/a.x' '254:0 600 1 4 4 fragmented /m/a.x' '254:0 700 1 5 4 fragmented /m/a.x'
	plan 0 -t s
	[ "$(grep -c '^    1 break: ' out)" = 3 ] || fail "$(cat out)"
	says '    and 2 other causes.'
}

test_hopeless() {
	snapshot '# writer db 7 1699999900 1699999950' '# cause 4 1 tail sync moved 2' '# cause 5 1 append sync interleaved 2' \
		'254:0 200 1 0 4 fragmented /m/a.x' '254:0 300 1 1 4 fragmented /m/a.x' \
		'254:0 400 1 0 5 fragmented /m/b.x' '254:0 500 1 1 5 fragmented /m/b.x'
	plan 0 -t s
	says '  /m/a.x: 1 range, 8 KiB to write, requests 2 -> 1 (50 % fewer), 1 break'
	says '    moved, though hopeless: 1 recent break of 1 by tail, so it will break again; cut files at a multiple of the block size, or do not cut them.'
	plan 0 -t s --recent 600
	says '  /m/a.x: 2 requests, left alone, 1 break'
	says '    hopeless: 1 recent break of 1 by tail, so it will break again; cut files at a multiple of the block size, or do not cut them.'
	says '  /m/b.x: 1 range, 8 KiB to write, requests 2 -> 1 (50 % fewer), 1 break'
	plan 4 -t s --recent 600 a.x
	plan 0 -t s --recent 49 a.x
	says_no hopeless
	plan 0 -t s --recent 0 a.x
	plan 4 -t s --recent 600 --json a.x
	grep -qF '"hopeless":{"op":"tail","breaks":1,"remedy":"cut files at a multiple of' out
	# F2FS rewrites no compressed cluster in place: nothing helps
	snapshot '# writer db 7 1699999900 1699999950' '# cause 4 1 overwrite sync moved 2' '# encoded 4 0' \
		'254:0 200 1 0 4 fragmented /m/a.x' '254:0 300 1 1 4 fragmented /m/a.x'
	plan 4 -t s --recent 600 a.x
	says '    hopeless: 1 recent break of 1 by overwrite, so it will break again.'
	plan 4 -t s --recent 600 --json a.x
	grep -qF '"hopeless":{"op":"overwrite","breaks":1,"remedy":null}' out
}

test_stale() {
	table '# stale 2' '254:0 200 1 0 4 contiguous /m/a.x'
	plan 4
	says '2 files may have changed since: fragtrace has marked them as stale.'
}

# === Outputs ===

test_long_lists_end() {
	"$python" - >records <<-'EOF'
	lba = 200
	for ino in range(4, 34):
	    for k in range(12):
	        print(f"254:0 {lba} 16 {k * 16} {ino} fragmented /m/{ino}.x")
	        lba += 20
	EOF
	table "$(cat records)"
	plan 0
	says '    and 2 more ranges'
	says '  and 10 more files'
	plan 0 --json
	[ "$("$python" -c 'import json; print(sum(len(f["ranges"]) for f in json.load(open("out"))["volumes"][0]["files"]))')" = 180 ]
}

# like(n) - a snapshot of n files of one cause, and one of another
like() {
	local n=$(($1 + 4))
	snapshot '# writer db 7 1699990000 1699990000' \
		"$(seq 4 $n | awk -v last=$n '{ print "# cause", $1, 1, $1 == last ? "overwrite" : "tail", "sync moved 2" }')" \
		"$(seq 4 $n | awk '{ for (k = 0; k < 2; k++) print "254:0", 200 + 4 * $1 + 2 * k, 1, k, $1, "fragmented /m/" $1 ".x" }')"
}

test_files_of_one_cause_are_one_entry() {
	like 12
	plan 0 -t s
	[ "$(grep -c 'tail (' out)" = 1 ] || fail "$(cat out)"
	says '  /m/4.x: 1 range, 8 KiB to write, requests 2 -> 1 (50 % fewer), 1 break'
	says '  and 11 files like this: 11 ranges, 88 KiB to write, requests 22 -> 11 (50 % fewer), 11 breaks'
	says '  /m/16.x: 1 range, 8 KiB to write, requests 2 -> 1 (50 % fewer), 1 break'
	plan 4 -t s --budget 4K
	says '  and 11 files like this: 22 requests, not within the budget, 11 breaks'
	like 2
	plan 0 -t s
	says '  like this, /m/5.x: 1 range, 8 KiB to write, requests 2 -> 1 (50 % fewer), 1 break'
}

test_json_is_json() {
	"$fragtrace" --all -t "$viewer_tests/data/why.table" --json >out || [ $? = 4 ]
	"$python" -m json.tool out >/dev/null
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=0 blocks=1000 segment_blocks=100 path=/m\040"x' \
		'254:0 1 1 0 4 fragmented /m/"<\134\377' '254:0 9 1 1 4 fragmented /m/"<\134\377' | sed 's/\\377/\xff/' >t
	plan 0 --json
	"$python" -c 'import json; v, = json.load(open("out"))["volumes"]; f, = v["files"]
assert v["path"] == "/m \"x", v["path"]
assert f["path"] == "/m/\"<\\134\\377", f["path"]
assert json.load(open("out"))["result"] is None'
}

test_volumes() {
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=0 blocks=1000 segment_blocks=100 path=/m' \
		'# volume 254:1 main_blkaddr=0 blocks=1000 segment_blocks=100 path=/n' \
		'254:0 1 1 0 4 fragmented /m/a' '254:0 9 1 1 4 fragmented /m/a' \
		'254:1 1 1 0 4 fragmented /n/a' '254:1 9 1 1 4 fragmented /n/a' >t
	plan 0
	says '/n: 1 file, 8 KiB, requests of 128 KiB: 2, if no file were fragmented 1; 1 file takes more than needed'
	plan 0 /m
	says_no /n
	# the requests of a reader are those of the files of one volume
	echo '254:1 19 1 2 4 fragmented /n/a' >>t
	plan 0 --reader direct,128K
	says '  who reads all of it in order, direct, 128 KiB at once: requests 2 -> 1 (50 % fewer)'
	says '  who reads all of it in order, direct, 128 KiB at once: requests 3 -> 1 (66.7 % fewer)'
}

# the naive planner's figures are of interest even if it agrees
exec 3>&1
run_tests
