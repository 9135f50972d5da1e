#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests fragtrace compare: verdicts with intervals from groups of runs; speaks KTAP. See testlib.sh.
# usage: test_compare.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# says(line) - the file out has exactly this line
says() {
	grep -qxF -- "$1" out || fail "expected: $1
got: $(cat out)"
}

# run(name, collections) - a copy of files of debugfs, with so many garbage collections
run() {
	mkdir -p "$1"
	cp "$data/small.table" "$1/table"
	printf '# fragtrace gc 2\nvolume 254:0 %s 0 0 3 0 4 0 0\nvolume 8:0 0 %s 9 0 0 0 0 0\n' $(($2 / 2)) $(($2 - $2 / 2)) >"$1/gc"
}

# groups(collections of A, of B) - two folders of runs, in which only these numbers differ
groups() {
	local i n
	rm -rf A B
	i=0
	for n in $1; do i=$((i + 1)); run A/$i "$n"; done
	for n in $2; do i=$((i + 1)); run B/$i "$n"; done
}

# compared(status) - compare A and B; the status is this
compared() {
	local status=0
	"$fragtrace" compare A B >out || status=$?
	[ $status = "$1" ] || fail "status $status; expected $1: $(cat out)"
}

# With 4 degrees of freedom, t is 2.776 at 95 % and 3.495 at 97.5 %, by printed tables. Of 100, 110, 121 and twice as many, the
# logarithms have variances of 0.0953^2, so the interval is 2 times exp(+-0.2160).
test_intervals_are_welchs() {
	groups '100 110 121' '200 220 242'
	compared 3
	says 'A: A, 3 runs; B: B, 3 runs'
	says '  victims of collections           110         220  more, by 100 % (61 to 148)'
	says '  fragments                          9           9  the same in every run'
	says '  extra requests                     2           2  the same in every run'
	says '  blocks of data                    40          40  the same in every run'
	groups '200 220 242' '100 110 121'
	compared 0
	says '  victims of collections           220         110  less, by 50 % (38 to 60)'
	# where a run has none, differences are compared: means of 2 and 12, variances of 4
	groups '0 2 4' '10 12 14'
	compared 3
	says '  victims of collections             2          12  more, by 10 (5 to 15)'
	groups '0 2 4' '1 2 3'
	compared 0
	says '  victims of collections             2           2  no difference to be seen (-4.2 to +4.2)'
	# the wider interval: Welch's with one degree of freedom is 12.71 times 50; Student's with 6 is 2.447 times 13.95
	groups '0 100' '500 501 502'
	compared 0
	says '  victims of collections            50         501  no difference to be seen (-184 to +1,086)'
	groups '9 11' '0 10 20 30 40 50'
	compared 0
	says '  victims of collections            10          25  no difference to be seen (-19 to +49)'
}

# Two figures vary: each has half of the 5 %.
test_figures_share_what_may_be_wrong() {
	groups '100 110 121' '200 220 242'
	for i in 1 2 3; do
		sed "s/^254:0 device 1069056/254:0 device 10690$i/" "$data/ledger.txt" >A/$i/ledger
		cp A/$i/ledger B/$((i + 3))/ledger
	done
	compared 3
	says '  victims of collections           110         220  more, by 100 % (52 to 163)'
}

# More data is no harm, but the load may not be the same.
test_other_loads_are_told() {
	groups '1 1 1' '1 1 1'
	sed -i 's/ 140 20 / 140 21 /' B/*/table
	compared 0
	says '  blocks of data                    40          41  more, by 2.5 % (0.9 to 4.2)'
	says 'The files of A and B do not have equally many blocks: was it the same load?'
}

# Runs that are equal by chance are no proof: a count varies by its rounding at least.
test_equal_runs_are_not_exact() {
	groups '0 0' '1 1'
	compared 0
	says '  victims of collections             0           1  no difference to be seen (-0.2 to +2.2)'
	groups '100 100 100' '112 112 112'
	compared 3
	says '  victims of collections           100         112  more, by 12 % (11 to 13)'
	groups '5 5' '5 5'
	compared 0
	says '  victims of collections             5           5  the same in every run'
}

test_few_runs_are_told_as_such() {
	groups 100 112
	compared 4
	says '  victims of collections           100         112  cannot be told from one run each (+12 %)'
	grep -q '^One run does not say how much' out
	"$fragtrace" compare A B --json >json || :
	! grep -qE '"(low|high)"' json || fail "$(cat json)"
	groups 100 '112 113'
	compared 4
	grep -q 'cannot be told from one run (+12 %)' out
	groups '10 90' '12 200'
	compared 4
	grep -q 'cannot be told from so few runs (-100 to ' out
}

test_all_that_a_run_has() {
	"$python" -IS "$here/to_snapshot.py" "$data/why.table" >snapshot
	for i in A/1 A/2 B/1 B/2; do
		run $i 1
		rm $i/table
		cp snapshot $i/
		cp "$data/latency.txt" $i/latency
		cp "$data/ledger.txt" $i/ledger
		sed 's/lost -1/lost 0/' "$data/gc_runs.txt" >$i/gc_runs
	done
	# a fourth of the writes less, and two breaks less, of one cause and extension
	sed -i 's/^254:0 device 1069056/254:0 device 801792/' B/*/ledger
	sed '/ 5 fragmented /s/1020 1 8 5 /1019 1 8 5 /; / 4 fragmented /s/1010 1 8 4 /1008 1 8 4 /' "$data/why.table" >less.table
	"$python" -IS "$here/to_snapshot.py" less.table >B/1/snapshot
	cp B/1/snapshot B/2/
	# 1.2 of 4.1 s less
	sed -i '/^254:0 process .* rocksdb:low$/d' B/*/gc_runs
	compared 0
	says '  ms lost to collections        4100.0      2900.0  less, by 29 % (29 to 29)'
	says '  write amplification             1.61        1.21  less, by 25 % (23 to 27)'
	grep -qE '^  ms waited for reads +6[0-9]{3}\.[0-9] +6[0-9]{3}\.[0-9]  the same in every run$' out || fail "$(cat out)"
	grep -A 1 '^  breaks by cause' out | grep -qE '^  tail +3 +1  cannot be told from so few runs ' || fail "$(cat out)"
	grep -A 1 '^  breaks by extension' out | grep -qE '^  \.sst +[0-9]+ +[0-9]+  ' || fail "$(cat out)"
	"$fragtrace" compare A B --json >out
	"$python" - <<-'END'
		import json
		answer = json.load(open("out"))
		assert (answer["format"], answer["a"], answer["b"]) == ("fragtrace compare", ["A/1", "A/2"], ["B/1", "B/2"]), answer
		rows = {row["name"]: row for row in answer["figures"]}
		assert set(rows) == {"blocks", "fragments", "extra_requests", "amplification", "waited_ms", "victims", "lost_ms"}
		row = rows["amplification"]
		assert row["verdict"] == "less" and abs(row["change"] + 0.25) < 1e-6 and row["low"] < row["change"] < row["high"], row
		assert row["runs_a"] == [round(1069056 / 663552, 4)] * 2, row
		breaks = [sum(sum(row["runs_a"]) - sum(row["runs_b"]) for row in answer[part]) for part in ("causes", "extensions")]
		fragments = sum(rows["fragments"]["runs_a"]) - sum(rows["fragments"]["runs_b"])
		assert breaks == [fragments] * 2 == [4, 4], (breaks, fragments)
	END
	# what not all runs have cannot be compared, nor what some could not measure
	sed -i 's/^254:16 lost 0/254:16 lost -1/' B/2/gc_runs
	printf '# fragtrace ledger 1\n# not known: the module was loaded with ledger=0\n' >A/2/ledger
	"$fragtrace" compare A B >out 2>err
	grep -qF 'write amplification: only 3 of 4 runs have that' err
	grep -qF 'ms lost to collections: only 3 of 4 runs have that' err
	! grep -q amplification out || fail "$(cat out)"
}

# A run is also a file, or a recording; record keeps what is counted.
test_forms_of_runs() {
	"$fragtrace" compare "$data/small.table" "$data/two.table" >out || [ $? = 4 ]
	says "A: $data/small.table, 1 run; B: $data/two.table, 1 run"
	grep -q '^Breaks have no causes here' out
	mkdir A
	for i in 1 2; do
		run now $i
		mv now/table now/snapshot
		printf '# fragtrace latency 1\n# not known: the module was loaded with latency=0\n' >now/latency
		"$fragtrace" record A/$i -t now/snapshot
	done
	[ -e A/1/gc ] && [ ! -e A/1/latency ] || fail "$(ls A/1)"
	# of what is counted the newest is kept, also if the table is the same
	run now 3
	"$fragtrace" record A/2 -t now/snapshot
	"$fragtrace" compare A A --json >out || [ $? = 4 ]
	"$python" -c 'import json; assert {r["name"]: r["runs_a"] for r in json.load(open("out"))["figures"]}["victims"] == [1, 3]'
}

test_bad_input_is_refused() {
	run A/1 1
	mkdir B
	refuses 'B: has no run in it; expected a snapshot' "$fragtrace" compare A B
	mkdir B/x
	refuses 'B/x: is no run; expected a snapshot, a table, a recording, or a copy of the folder of debugfs' "$fragtrace" compare A B
	refuses 'none: cannot open: No such file' "$fragtrace" compare A none
	misused 'B: missing; see' "$fragtrace" compare A
	misused 'C: unexpected argument' "$fragtrace" compare A B C
	echo 'x' >A/1/gc
	refuses 'A/1/gc:1: expected the line "# fragtrace gc 2"' "$fragtrace" compare A A
}

test_known_distributions() {
	"$python" -B "$here/compare_trials.py" "$fragtrace" 35 100 >out 2>&1 || fail "$(cat out)"
	sed 's/^/# /' out >&3
}

exec 3>&1
run_tests
