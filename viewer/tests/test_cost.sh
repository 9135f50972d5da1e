#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests fragtrace cost: prices and costs from a file `latency`, kept and made; speaks KTAP. See testlib.sh.
# usage: test_cost.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# says(line) - the file out has exactly this line
says() {
	grep -qxF -- "$1" out || fail "expected: $1
got: $(cat out)"
}

# made(microseconds, blocks or `any`) - a file `latency` of a disk on which each request more takes so long, and each block 7 us
#
# 40 reads in 1 to 4 pieces; a tenth of the broken ones is of a file b, and half of all is waited for.
made() {
	awk -v price="$1" -v blocks="$2" 'BEGIN {
		for (i = 0; i < 40; i++) {
			x = i % 4; l = blocks == "any" ? 17 + i * 7 % 16 : blocks; y = 300 + price * x + 7 * l
			X += x; L += l; Y += y; XX += x * x; XL += x * l; LL += l * l; XY += x * y; LY += l * y; YY += y * y
		}
		print "# fragtrace latency 1"
		print "8:0 time 32 1 10 0 10 1 5000000 1024:10"
		print "8:0 time 32 3 20 1 10 1 20000000 1024:20"
		print "8:0 fit 32", 40, X, L, Y, XX, XL, LL, XY, LY, YY
		print "8:0 rest 0 3 0 0 0 0 0 0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0"
		print "8:0 file 5 2 1 10 18 5000000 18000000 0:0 0:0 0:0 0:0 0:0 118:90 0:0 0:0 /m/a\\040a"
		print "8:0 file 6 0 1 0 2 0 2000000 0:0 0:0 0:0 0:0 0:0 2:10 0:0 0:0 /m/b"
	}' >latency
}

test_prices_are_those_of_the_disk() {
	made 85 32
	"$fragtrace" cost -t latency >out
	says '  in reads of 128 KiB a request more takes 85 µs (85 to 85), by 40 reads'
	made 850 any
	"$fragtrace" cost -t latency >out
	says '  in reads of 128 KiB a request more takes 850 µs (850 to 850), by 40 reads'
}

# 90 and 10 requests of 1000 us, half of which are waited for, but no longer than was waited; 10 of a file's 100 reads in one piece have waited for 500 us each
test_costs_are_requests_times_prices() {
	made 1000 32
	"$fragtrace" cost -t latency >out
	says '8:0: 222 requests that were made instead of 122 cost those who read 47.0 ms (47.0 ms to 47.0 ms) of 70.0 ms (67.1 %) that they waited'
	says '  /m/a a: 210 requests that were made instead of 120 cost its readers 45.0 ms (45.0 ms to 45.0 ms) of 68.0 ms (66.2 %)'
	says '  /m/b: 12 requests that were made instead of 2 cost its readers 2.0 ms (2.0 ms to 2.0 ms) of 2.0 ms (100.0 %)'
	says '  reads that were not timed, as too many were under way: 3'
	says '  timed reads that have failed, and count for nothing: 1'
	"$fragtrace" cost latency /m/b >out
	says '  /m/b: 12 requests that were made instead of 2 cost its readers 2.0 ms (2.0 ms to 2.0 ms) of 2.0 ms (100.0 %)'
	! grep -q '/m/a' out
}

# Three files of two extensions, and one without: 100, 1 and 9 more requests of 1000 us, half of which are waited for.
test_extensions_are_sums() {
	made 1000 32
	sed -i 's,/m/a\\040a,/m/a.sst,; s,/m/b,/m/c.d/b.sst,' latency
	echo '8:0 file 7 0 1 0 2 0 2000000 0:0 0:0 0:0 0:0 0:0 2:1 0:0 0:0 /m/c.d/.log' >>latency
	# its extension is not that of the mark
	sed 's,/m/c.d/b.sst,& (deleted),' latency >deleted
	"$fragtrace" cost -t deleted >out
	says '  all 2 files *.sst: 222 requests that were made instead of 122 cost their readers 47.0 ms (47.0 ms to 47.0 ms) of 70.0 ms (67.1 %)'
	says '  /m/c.d/b.sst (deleted): 12 requests that were made instead of 2 cost its readers 2.0 ms (2.0 ms to 2.0 ms) of 2.0 ms (100.0 %)'
	"$fragtrace" cost -t deleted --json | grep -qF '"/m/c.d/b.sst (deleted)"'
	for i in /m/c.d/b.sst '/m/c.d/b.sst (deleted)'; do
		"$fragtrace" cost -t deleted "$i" | grep -qF '/m/c.d/b.sst (deleted): 12'
	done
	echo '8:0 file 8 0 1 0 2 0 2000000 0:0 0:0 0:0 0:0 0:0 2:9 0:0 0:0 /m/d' >>latency
	"$fragtrace" cost -t latency >out
	says '  all 2 files *.sst: 222 requests that were made instead of 122 cost their readers 47.0 ms (47.0 ms to 47.0 ms) of 70.0 ms (67.1 %)'
	says '  all 2 files without an extension: 14 requests that were made instead of 4 cost their readers 2.5 ms (2.5 ms to 2.5 ms) of 4.0 ms (62.5 %)'
	[ "$(grep -c '  all ' out)" = 2 ] && sed -n 3p out | grep -q '\*.sst' || fail "$(cat out)"
	"$fragtrace" cost -t latency --json >out
	"$python" - <<-'END'
		import json
		volume = json.load(open("out"))["volumes"][0]
		assert [(e["extension"], e["files"], e["requests"], e["extra"], round(e["cost_s"], 9)) for e in volume["extensions"]] == \
			[(".sst", 2, 222, 100, 0.047), ("", 2, 14, 10, 0.0025)], volume["extensions"]
	END
	"$fragtrace" cost -t latency /m/d >out
	! grep -q '  all ' out
	# single files of dearer extensions do not count
	for i in 1 2 3 4 5 6; do
		echo "8:0 file 9$i 0 1 0 2 0 900000000 0:0 0:0 0:0 0:0 0:0 2:900 0:0 0:0 /m/e.x$i" >>latency
	done
	"$fragtrace" cost -t latency >out
	[ "$(grep -c '  all ' out)" = 2 ] || fail "$(cat out)"
	for i in 1 2 3 4 5; do
		echo "8:0 file 8$i 0 1 0 2 0 900000000 0:0 0:0 0:0 0:0 0:0 2:900 0:0 0:0 /m/f.x$i" >>latency
	done
	"$fragtrace" cost -t latency >out
	[ "$(grep -c '  all 2 files \*.x' out)" = 5 ] && [ "$(grep -c '  all ' out)" = 5 ] || fail "$(cat out)"
}

test_json_has_the_same() {
	made 1000 32
	"$fragtrace" cost -t latency --json >out
	"$python" - <<-'END'
		import json
		volume = json.load(open("out"))["volumes"][0]
		assert (volume["reads"], volume["requests"], volume["extra"]) == (120, 222, 100), volume
		assert abs(volume["cost_s"] - 0.047) < 1e-9 and volume["cost_low_s"] <= volume["cost_s"] <= volume["cost_high_s"] and abs(volume["waited_s"] - 0.07) < 1e-9, volume
		prices = {p["blocks"]: p for p in volume["prices"]}
		assert len(prices) == 8 and not prices[32]["pooled"] and prices[1]["pooled"], prices
		assert abs(prices[32]["us"] - 1000) < 1e-3, prices
		assert [f["path"] for f in volume["files"]] == ["/m/a a", "/m/b", "*"], volume
		assert [f["name"] for f in volume["files"]] == ["/m/a a", "/m/b", "all other files"], volume
		assert volume["said"].startswith("8:0: 222 requests that were made instead of 122 cost those who read ") and "/m/" not in volume["said"], volume
	END
}

# What a guest has measured: 3 reads of each window, on a disk of 10 ms a request, under load.
test_of_a_guest() {
	"$fragtrace" cost "$data/latency.txt" >out
	says '253:0: 432 requests that were made instead of 144 cost those who read 4.1 s (3.4 s to 4.9 s) of 6.1 s (67.4 %) that they waited'
	says '  in reads of 128 KiB a request more takes 14313 µs (11756 to 16870), by 95 reads'
	says '  /mnt/f2fs/five: 240 requests that were made instead of 48 cost its readers 2.7 s (2.3 s to 3.2 s) of 3.5 s (79.6 %)'
}

test_nothing_was_read() {
	printf '# fragtrace latency 1\n8:0 rest 0 0 0 0 0 0 0 0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0\n' >latency
	"$fragtrace" cost -t latency >out
	says '8:0: nothing was read'
}

test_too_few_reads_have_no_price() {
	made 85 32
	sed -i '/ fit /d' latency
	"$fragtrace" cost -t latency >out
	grep -q 'is not known yet' out
	says '  /m/b: 12 requests that were made instead of 2 cost its readers an unknown part of 2.0 ms'
	"$fragtrace" cost -t latency --json >json
	! grep -q cost_s json
	says '8:0: 222 requests that were made instead of 122 cost those who read an unknown part of 70.0 ms that they waited'
}

# refused(message) - what is in latency is refused so
refused() {
	! "$fragtrace" cost -t latency >out 2>&1 || fail "not refused: $(cat latency)"
	grep -qF -- "$1" out || fail "expected: $1
got: $(cat out)"
}

test_bad_input_is_refused() {
	printf '# fragtrace latency 1\n# not known: the module was loaded with latency=0\n' >latency
	refused 'the module was loaded with latency=0; load it with latency=1'
	echo '# fragtrace heat 2' >latency
	refused 'latency:1: expected the line "# fragtrace latency 1"'
	: >latency
	refused 'latency:1: expected the line'
	for line in '8:0 time 32 1 10 0' '8:0 time 3 1 1 1 1 1 1' '8:0 fit 32 1 2 3' '8:0 file 5 2 1' '8:0 other 1' 'x' \
		'8:0 rest 0 -3 0 0 0 0 0 0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0' '8:0 fit 32 1 1 1 1 1 1 1 1 1 1 1' \
		'8:0 fit 32 99999999999999999999 1 1 1 1 1 1 1 1 1'; do
		printf '# fragtrace latency 1\n%s\n' "$line" >latency
		refused 'latency:2: expected: a line time, fit, rest or file of this format'
	done
	made 85 32
	! "$fragtrace" cost -t latency /m/c >out 2>&1 || fail 'a file without counts'
	grep -qF '/m/c: no reads of it were counted; name' out
	! "$fragtrace" cost -t none >out 2>&1
	grep -qF 'none: cannot read: No such file' out
}

run_tests
