#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests fragtrace discards: sentences and numbers from a file `discards`, and their difference in a recording; speaks KTAP. See testlib.sh.
# usage: test_discards.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# says(line) - the file out has exactly this line
says() {
	grep -qxF -- "$1" out || fail "expected: $1
got: $(cat out)"
}

# refused(file, message) - the file is refused with this message
refused() {
	! "$fragtrace" discards -t "$1" >out 2>&1 || fail "not refused: $(cat "$1")"
	grep -qF -- "$2" out || fail "expected: $2
got: $(cat out)"
}

# 120 discards of 870400 blocks; 56 left, 200 wait: 870656 blocks waited 26920000000 ms together
test_sentences() {
	"$fragtrace" discards -t "$data/discards.txt" >out
	says '254:0'
	says '  issued: 120 discards of 3.3 GiB, 210.0 ms on the device, at most 12.0 ms for one: 118 by f2fs_discard-25, 2 by fstrim'
	says '  queued: 3.3 GiB, of which 224 KiB left without a discard, as they were written again or given up; a block waited 30.9 s on average'
	says '  pending: 14 commands of 800 KiB; the queue has not been empty for 31.0 s'
	says "  Free but not discarded: 800 KiB; F2FS's thread issues while the volume is idle."
}

# Anybody may call his thread *; all others are called so, too
test_zone_resets() {
	"$fragtrace" discards "$data/discards.txt" >out
	says '  issued: 9 zone resets of 36 MiB, 80.0 ms on the device, at most 20.0 ms for one, 1 failed, 1 not timed: 7 by *, 2 by all others'
	says '  pending: nothing'
	sed 's/^# fragtrace discards 1/&\n# block_bytes 16384/' "$data/discards.txt" >large
	"$fragtrace" discards large >out
	says '  queued: 144 MiB'
}

test_json_has_the_same() {
	"$fragtrace" discards -t "$data/discards.txt" --json >out
	"$python" - <<-'END'
		import json
		first, second = json.load(open("out"))["volumes"]
		assert (first["dev"], first["pending_commands"], first["pending_blocks"], first["on_device_blocks"]) == ("254:0", 14, 200, 0)
		assert (first["pending_ms"], first["waited_block_ms"], first["left_blocks"], first["removed_commands"]) == (31000, 26920000000, 56, 130)
		assert first["discards"] == {"queued": 300, "queued_blocks": 870656, "commands": 118, "issued": 120, "blocks": 870400, "ended": 120,
					     "failed": 0, "took_us": 210000, "worst_us": 12000, "not_timed": 0}
		assert first["threads"][1] == {"thread": "fstrim", "discards": 2, "discard_blocks": 83968, "resets": 0, "reset_blocks": 0}
		assert (second["resets"]["ended"], second["resets"]["failed"], second["resets"]["not_timed"]) == (8, 1, 1)
		assert [row.get("thread") for row in second["threads"]] == ["*", None]
		assert first["discard_granularity"] is None and "mountpoint" not in first
	END
}

# recorded(seconds) - the file discards of a snapshot at this time, from standard input; the table is that of two volumes
recorded() {
	cp "$data/two.table" "run/fragtrace-$1.000.table"
	zstd -q >"run/fragtrace-$1.000.discards.zst"
}

# Of a recording: what its end has more than its beginning, and when; the worst one only if it was meanwhile.
test_recording() {
	mkdir run
	cp "$data/discards.txt" run/discards
	sed -e 's/^254:0 pending .*/254:0 pending 1 8 0 1000 20000000 6 100/' \
		-e 's/^254:0 discard .*/254:0 discard 200 800000 100 100 799986 100 0 150000 12000 0/' \
		-e 's/^254:0 by 118 786432 0 0/254:0 by 98 716018 0 0/' -e '/^254:16/d' run/discards >first
	recorded 1700000000 <first
	"$fragtrace" discards run >out
	says '  issued: 20 discards of 275 MiB, 60.0 ms on the device: 20 by f2fs_discard-25'
	says '  queued: 276 MiB, of which 200 KiB left without a discard, as they were written again or given up; a block waited 380.7 s on average'
	says '  pending: 14 commands of 800 KiB; the queue has not been empty for 31.0 s'
	says '  issued: 9 zone resets of 36 MiB, 80.0 ms on the device, at most 20.0 ms for one, 1 failed, 1 not timed: 7 by *, 2 by all others'
	says '    after that                 275 MiB      0 KiB    800 KiB'
	# a snapshot between both
	sed -e 's/^254:0 pending .*/254:0 pending 1 16 0 1000 20000000 6 100/' \
		-e 's/^254:0 discard .*/254:0 discard 200 800000 100 100 800242 100 0 150000 12000 0/' first >second
	recorded 1700000060 <second
	TZ=UTC "$fragtrace" discards run >out
	says '    until                    discarded      reset    pending'
	says '    2023-11-14 22:14:20 UTC      1 MiB      0 KiB     64 KiB'
	says '    after that                 274 MiB      0 KiB    800 KiB'
	"$fragtrace" discards run --json >out
	"$python" - <<-'END'
		import json
		first, second = json.load(open("out"))["volumes"]
		assert [(row["until_ms"], row["pending_blocks"], row["discards"]["blocks"]) for row in first["periods"]] == [
			(1700000060000, 16, 256), (None, 200, 870400 - 800242)], first
		assert [row["resets"]["issued"] for row in second["periods"]] == [9]
	END
	# of many snapshots, a row for some of them
	seconds=1700000100
	while [ $seconds -lt 1700000199 ]; do
		recorded $seconds <second
		seconds=$((seconds + 1))
	done
	"$fragtrace" discards run >out
	[ "$(grep -c '^    [a2]' out)" -le 26 ] || fail "$(cat out)"
	awk '/^    2/ && $5 == "MiB" { sum += $4 } END { exit sum != 1 }' out || fail "$(cat out)"
	rm run/*
	cp "$data/discards.txt" run/discards
	sed 's/12000 0$/11000 0/' first | recorded 1700000000
	"$fragtrace" discards -t run >out
	says '  issued: 20 discards of 275 MiB, 60.0 ms on the device, at most 12.0 ms for one: 20 by f2fs_discard-25'
	# the module was loaded anew
	sed 's/^254:0 discard 200 800000/254:0 discard 200 900000/' first | recorded 1700000000
	"$fragtrace" discards -t run >out
	says '  issued: 120 discards of 3.3 GiB, 210.0 ms on the device, at most 12.0 ms for one: 118 by f2fs_discard-25, 2 by fstrim'
	mkdir empty
	refused empty 'empty: has no file discards; expected a recording of a module that was loaded with discards=1'
}

test_metrics() {
	mkdir folder
	cp "$data/two.table" folder/table
	cp "$data/discards.txt" folder/discards
	"$fragtrace" metrics folder/table >out
	says 'fragtrace_discard_pending_bytes{device="254:0",mountpoint="/mnt/a"} 819200'
	says 'fragtrace_discard_bytes{device="254:0",mountpoint="/mnt/a",op="discard"} 3565158400'
	says 'fragtrace_discard_bytes{device="254:16",mountpoint="/mnt/my disk",op="reset"} 37748736'
	printf '# fragtrace discards 1\n# not known: the module was loaded with discards=0\n' >folder/discards
	"$fragtrace" metrics folder/table >out
	! grep -q discard out || fail "$(cat out)"
}

test_bad_lines() {
	for change in 's/pending 14/pending x/' 's/ 12000 0$/ 12000/' 's/^254:0 reset/254:0 resets/' 's/fstrim$/fs trim/' 's/ 130$/ 130 1/'; do
		sed "$change" "$data/discards.txt" >bad
		refused bad ': expected: a line pending, discard, reset or by of this format'
	done
	echo '# fragtrace ledger 1' >bad
	refused bad 'bad:1: expected the line "# fragtrace discards 1"; give a copy of the file discards of debugfs, or a recording'
	printf '# fragtrace discards 1\n# not known: the module was loaded with discards=0\n' >bad
	refused bad 'the module was loaded with discards=0; load it with discards=1'
	printf '# fragtrace discards 1\n' >empty
	"$fragtrace" discards -t empty >out
	[ ! -s out ] || fail "$(cat out)"
	zstd -q "$data/discards.txt" -o packed.zst
	"$fragtrace" discards packed.zst >out
	says '254:16'
}

run_tests
