#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests fragtrace gc: sentences and sums from a file `gc_runs`; speaks KTAP. See testlib.sh.
# usage: test_gc.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"
export TZ=UTC

# says(line) - the file out has exactly this line
says() {
	grep -qxF -- "$1" out || fail "expected: $1
got: $(cat out)"
}

# refused(file, words) - gc must refuse the file with a message that has the words
refused() {
	! "$fragtrace" gc -t "$1" >out 2>&1 || fail "$1 is not refused"
	grep -qF -- "$2" out || fail "expected: $2
got: $(cat out)"
}

# 30 collections of 9.1 s and 7 of 3.2 s.
test_sums() {
	"$fragtrace" gc -t "$data/gc_runs.txt" >out
	says '254:0: 37 collections took 12.3 s; 6 of them cleaned nothing'
	says "          30     9.1 s         6        24          4,096               0  F2FS's thread, while the volume is idle"
	says '           7     3.2 s         0        12          1,024              11  a writer found too few free sections'
	says '254:16: 1 collection took 1.5 ms'
	grep -qx '  *runs  *took  *nothing  *sections  *blocks in use  *sections freed  why' out || fail "$(cat out)"
}

# 24 victims had 4096 blocks, the best by greedy 960; 4 of them were searched for by age: 750000 of a million. 3 of 36 were not searched for.
test_how_victims_were_chosen() {
	"$fragtrace" gc -t "$data/gc_runs.txt" >out
	says "          24         0            171             40                      greedy: F2FS's thread, while the volume is idle"
	says "          20        20            200            210    55.0 %    60.0 %  cost-benefit: F2FS's thread, while the volume is idle"
	says "           4         4             24             10    75.0 %    80.0 %  age: F2FS's thread, while the volume is idle"
	says '  F2FS took 3 victims without a search: chosen before in the background, or asked for.'
	says '  There may have been better ones: F2FS looks at up to 49,200 sections, the module has looked at 25,776.'
	says '  Far from the best: 12 victims had 1,024 blocks in use, those with the fewest 96 (a writer found too few free sections).'
	[ "$(grep -c 'Far from the best' out)" = 1 ] || fail "$(cat out)"
	sed -e '/choice idle/d' -e 's/choice writer greedy .*/choice writer greedy 12 12 1200 1200 1024 512 0 0/' "$data/gc_runs.txt" >good
	"$fragtrace" gc -t good >out
	! grep -q 'without a search\|better ones\|Far from\|the best by the formula' out || fail "$(cat out)"
	sed 's/12 12 1200 1200 1024 512/12 12 1200 1200 1024 1024/' good >best
	"$fragtrace" gc -t best >out
	says '  Each victim was the best by the formula that F2FS used.'
	grep -v choice "$data/gc_runs.txt" >none
	"$fragtrace" gc -t none >out
	! grep -q 'How victims' out || fail "$(cat out)"
}

test_who_waited() {
	"$fragtrace" gc -t "$data/gc_runs.txt" >out
	says '  Processes lost 4.1 s: 3.2 s as they collected in their own calls, 900.0 ms as they waited for a collection'
	says '       2.9 s         5     2.5 s         3  400.0 ms  redis-server (pid 812)'
	says '       1.2 s  2026-11-27 18:55:19 UTC  redis-server (pid 812): collected in its own call, run 36'
	says '    500.0 ms  2026-11-27 18:55:20 UTC  rocksdb:low (pid 900): waited, from run 37 on'
	says '      400 µs  2026-11-27 18:53:20 UTC  kernel threads, such as write-back and checkpoints: waited, from run 12 on'
}

test_recent_collections() {
	"$fragtrace" gc -t "$data/gc_runs.txt" >out
	says '          37  2026-11-27 18:55:19 UTC  800.0 ms            200               3             16  500.0 ms  a writer found too few free sections'
	says "          35  2026-11-27 18:55:00 UTC    2.0 ms              0               0             12         0  F2FS's thread, while the volume is idle; it ended with an error: Input/output error"
	awk '{ print } /^254:0 run 35/ { for (i = 34; i > 20; i--) print "254:0 run", i, "1795805600 idle bg -61 1000 1 1 1 1 2 3 0 0 77 f2fs_gc-254:0" }' "$data/gc_runs.txt" >many
	"$fragtrace" gc -t many >out
	[ "$(grep -c 'idle; then nothing more could be cleaned$' out)" = 7 ] || fail "$(cat out)"
	says '  and 7 before them; --json has these'
	says '  Writers found too few with 12 to 13 free sections: F2FS keeps so many in reserve, and for what is dirty.'
	[ "$(grep -c 'found too few with' out)" = 1 ] || fail "$(cat out)"
	sed 's/run 3\([67]\) \([0-9]*\) writer fg 0/run 3\1 \2 merged fg -22/; s/sum writer/sum merged/' "$data/gc_runs.txt" >merged
	"$fragtrace" gc -t merged >out
	grep -q '(gc_merge); enough sections were free by then$' out || fail "$(cat out)"
}

# Run 37 frees nothing, and so does one that is not listed; in the background F2FS frees nothing at once.
test_collections_in_vain() {
	awk '/^254:0 run 37/ { sub("200 3 3", "200 0 0") } { print } /^254:0 run 35/ { for (i = 34; i > 20; i--) print "254:0 run", i, "1795805600 writer", i == 21 ? "fg" : "bg", "0 1000 1 5 0 0 2 3 0 0 77 f2fs_gc-254:0" }' \
		"$data/gc_runs.txt" >vain
	"$fragtrace" gc -t vain >out
	says '  2 of the last 17 runs freed nothing, in the foreground.'
}

test_waits_that_were_not_measured() {
	sed 's/^254:0 lost 0/254:0 lost 12/' "$data/gc_runs.txt" >some
	"$fragtrace" gc -t some >out
	says '  Up to 12 waits more were not measured: too many tasks waited.'
	[ "$(sed -n '/^254:16/,$p' out | grep -c 'Who waits for a collection cannot be seen on this kernel.')" = 1 ] || fail "$(cat out)"
}

test_json_has_the_same() {
	"$fragtrace" gc -t "$data/gc_runs.txt" --json >out
	"$python" - <<-'END'
		import json
		first, second = json.load(open("out"))["volumes"]
		assert (first["waits_lost"], second["waits_lost"], second["dev"]) == (0, -1, "254:16")
		assert [row["reason"] for row in first["reasons"]] == ["idle", "writer"]
		assert sum(row["ns"] for row in first["reasons"]) == 12300000000
		assert first["reasons"][0] == {"reason": "idle", "meaning": "F2FS's thread, while the volume is idle", "runs": 30, "empty": 6, "ns": 9100000000, "victims": 24, "blocks": 4096, "segments": 0, "sections": 0}
		assert first["choices"][1] == {"reason": "idle", "policy": "cost_benefit", "victims": 20, "found": 20, "limit": 40000, "looked": 20480, "blocks": 4000, "best_blocks": 4200, "gain": 110000, "best_gain": 120000}
		assert (len(first["choices"]), second["choices"]) == (5, [])
		assert first["processes"][1] == {"runs": 2, "ns": 700000000, "waits": 1, "waited_ns": 500000000, "pid": 900, "process": "rocksdb:low", "name": "rocksdb:low (pid 900)"}
		assert first["longest"][2] == {"run": 12, "when": 1795805600, "how": "lock", "ns": 400000, "pid": 2, "process": "f2fs_ckpt-254:0"}
		run = first["runs"][2]
		assert (run["run"], run["error"], run["foreground"], run["free"], run["free_after"]) == (35, -5, False, 12, 12), run
		assert second["runs"][0]["process"] == "a b"
		assert first["said"].startswith("254:0: 37 collections took 12.3 s; 6 of them cleaned nothing\n") and "Far from the best: 12 victims" in first["said"]
		assert not any(head in first["said"] for head in ("  why\n", "formula, why", "  process\n", "The longest times", "began"))
	END
}

test_bad_lines() {
	for change in 's/writer 7 0/writer 7 x/' 's/^254:0 choice .* 3200000/& 1/' 's/ own 36/ own/' 's/fg 0 800/fg 5 800/' 's/^254:0 process/254:0 proces/' 's/redis-server$/redis server/'; do
		sed "$change" "$data/gc_runs.txt" >bad
		refused bad ': expected: a line lost, sum, choice, process, wait or run of this format'
	done
	echo '# fragtrace ledger 1' >bad
	refused bad 'bad:1: expected the line "# fragtrace gc_runs 2"; give a copy of the file gc_runs of debugfs, or a recording with events'
	: >bad
	refused bad 'bad:1: expected the line "# fragtrace gc_runs 2"'
	printf '# fragtrace gc_runs 2\n# not known: the module was loaded with gc_runs=0\n' >bad
	refused bad 'the module was loaded with gc_runs=0; load it with gc_runs=1'
	printf '# fragtrace gc_runs 2\n254:0 lost 0\n' >empty
	"$fragtrace" gc -t empty >out
	says '254:0: no collection has run'
	zstd -q "$data/gc_runs.txt" -o packed.zst
	"$fragtrace" gc packed.zst >out
	says '254:16: 1 collection took 1.5 ms'
	grep -qx '  *runs  *took  *nothing  *sections  *blocks in use  *sections freed  why' out || fail "$(cat out)"
}

run_tests
