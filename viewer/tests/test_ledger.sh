#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests fragtrace ledger: sums and ratios from a file `ledger`; speaks KTAP. See testlib.sh.
# usage: test_ledger.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# says(line) - the file out has exactly this line
says() {
	grep -qxF -- "$1" out || fail "expected: $1
got: $(cat out)"
}

# 648 KiB were written, 1044 KiB got to the device, of which the kinds have 1036; 24 KiB of data and nodes are of others.
test_sums_and_ratios() {
	"$fragtrace" ledger -t "$data/ledger.txt" >out
	says '254:0: applications wrote 648 KiB (416 KiB buffered, 32 KiB mapped, 200 KiB direct), and the device got 1.0 MiB: write amplification 1.61'
	says '        48 KiB    4.6 %  data written again, elsewhere'
	says '       100 KiB    9.6 %  nodes for fsync, sync'
	says '  by log: hot data 8 KiB, warm data 440 KiB, cold data 128 KiB, hot nodes 8 KiB, warm nodes 120 KiB'
	says '  8 KiB more were written that F2FS has not reported'
	says '  4 MiB were discarded'
	says '       400 KiB     408 KiB     100 KiB     100 KiB       0 KiB      1.52  rocksdb:low (pid 812)'
	says '       640 KiB     644 KiB     116 KiB     100 KiB       0 KiB      1.34  /db'
	says '       400 KiB     408 KiB     100 KiB     100 KiB       0 KiB      1.52  2 files *.sst'
	says '       244 KiB     244 KiB      20 KiB      20 KiB       0 KiB      1.16  /mnt/db/LOG a'
	sed 's/device 1069056 4194304/device 1052672 0/' "$data/ledger.txt" >less
	"$fragtrace" ledger less >out
	says '  8 KiB of these are still to be submitted to the device'
	! grep -q discarded out
}

# A volume's line has when its counts began, also where another volume comes first.
test_since_when() {
	local of

	for of in ledger:ledger latency:cost gc_runs:gc; do
		dev=$(sed -n 's/^\([0-9]*:[0-9]*\) .*/\1/p' "$data/${of%:*}.txt" | head -n 1)
		sed "1a # since 1:1 5\n# since $dev 1764400000" "$data/${of%:*}.txt" >counts
		TZ=UTC "$fragtrace" "${of#*:}" -t counts >out
		grep -q "^$dev, since 2025-11-29 07:06:40 UTC: " out || fail "$of: $(cat out)"
		"$fragtrace" "${of#*:}" -t counts --json >out
		grep -q '"since": *1764400000\>' out || fail "$of: $(cat out)"
		"$fragtrace" "${of#*:}" -t "$data/${of%:*}.txt" --json >out
		grep -q '"since": *null' out || fail "$of: $(cat out)"
	done
}

# Anybody may be called *, but all others have no number, and come last.
test_all_others_come_last() {
	sed 's/^254:0 process 4096 0 0 8192 8192 0 0 0/254:0 process 4096 0 0 9999999 8192 0 0 0/' "$data/ledger.txt" >others
	"$fragtrace" ledger -t others >out
	grep -A 4 ' process$' out | tail -n 1 | grep -q ' all others: .* unknown processes$' || fail "$(cat out)"
	says '       240 KiB     236 KiB      16 KiB       0 KiB       0 KiB      1.05  * (pid 900)'
}

# Those of one name are one line; JSON has each.
test_processes_of_one_name_are_added_up() {
	awk '{ print } END { for (i = 0; i < 12; i++) print "254:0 process 4096 0 0 4096 0 0 0", 200 + i, "head /" }' "$data/ledger.txt" >many
	"$fragtrace" ledger -t many >out
	says '        48 KiB      48 KiB       0 KiB       0 KiB       0 KiB      1.00  head (12 processes)'
	says '       400 KiB     408 KiB     100 KiB     100 KiB       0 KiB      1.52  rocksdb:low (pid 812)'
	! grep -q 'more; --json' out || fail "$(cat out)"
	"$fragtrace" ledger -t many --json >out
	[ "$(grep -o '"process": *"head"' out | wc -l)" = 12 ] || fail "$(cat out)"
}

test_ten_lines_of_each_table() {
	awk '{ print } /^254:0 file 4096/ { for (i = 0; i < 12; i++) print "254:0 file 4096 0 0 4096 0 0 0", 100 + i, "/mnt/x" i ".x" i }' "$data/ledger.txt" >many
	"$fragtrace" ledger -t many >out
	[ "$(sed -n '/ file$/,$p' out | grep -c '/mnt/')" = 10 ] || fail "$(cat out)"
	says '  and 5 more; --json has all'
}

test_json_has_the_same() {
	"$fragtrace" ledger -t "$data/ledger.txt" --json >out
	"$python" - <<-'END'
		import json
		volume = json.load(open("out"))["volumes"][0]
		assert volume["said"].startswith("254:0: applications wrote 648 KiB ") and volume["said"].endswith("\n  4 MiB were discarded\n"), volume["said"]
		assert [one["name"] for one in volume["processes"]][:2] == ["rocksdb:low (pid 812)", "* (pid 900)"], volume["processes"]
		assert volume["kinds"][0]["meaning"] == "data where the file had no block", volume["kinds"]
		assert (volume["device"], volume["discarded"], volume["unknown"]) == (1069056, 4194304, 8192), volume
		assert volume["amplification"] == round(1069056 / (425984 + 32768 + 204800), 4), volume
		assert sum(kind["bytes"] for kind in volume["kinds"]) == 1069056 - 8192
		tables = "processes", "cgroups", "extensions", "files"
		wanted = {"buffered": 425984, "mapped": 32768, "direct": 204800, "data": 471040, "nodes": 131072, "collected": 122880, "moved": 0}
		assert all({key: sum(row[key] for row in volume[table]) for key in wanted} == wanted for table in tables), volume
		assert all([row["others"] for row in volume[table]].count(True) == 1 for table in tables), volume
		assert [f.get("path") for f in volume["files"]] == ["/mnt/db/000123.sst", "/mnt/db/LOG a", "/mnt/db/000124.sst", None], volume["files"]
		assert [(p.get("process"), p.get("pid")) for p in volume["processes"]][:2] == [("rocksdb:low", 812), ("*", 900)]
	END
}

# refused(message) - what is in made is refused so
refused() {
	! "$fragtrace" ledger -t made >out 2>&1 || fail "not refused: $(cat made)"
	grep -qF -- "$1" out || fail "expected: $1
got: $(cat out)"
}

test_bad_input_is_refused() {
	printf '# fragtrace ledger 1\n# not known: the module was loaded with ledger=0\n' >made
	refused 'the module was loaded with ledger=0; load it with ledger=1'
	echo '# fragtrace heat 2' >made
	refused 'made:1: expected the line "# fragtrace ledger 1"'
	: >made
	refused 'made:1: expected the line'
	for line in '8:0 device 1' '8:0 device 1 2 3' '8:0 device 1 -2' '8:0 kind new 1' '8:0 kind new - x' '8:0 process 1 2 3 4 5 6 7 8 a' \
		'8:0 process 1 2 3 4 5 6 7 a a b' '8:0 file 1 2 3 4 5 6 7 8' '8:0 file 1 2 3 4 5 6 7 8 \0' '8:0 other 1' 'x' \
		'8:0 file 99999999999999999999 2 3 4 5 6 7 8 /a' '8:0 process 1 2 3 4 5 6 7 8 a b c'; do
		printf '# fragtrace ledger 1\n%s\n' "$line" >made
		refused 'made:2: expected: a line device, kind, process or file of this format'
	done
	! "$fragtrace" ledger -t none >out 2>&1
	grep -qF 'none: cannot read: No such file' out
}

run_tests
