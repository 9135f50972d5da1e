#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh - does the benchmark still measure and report? Runs the smallest one; checks no limits.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

dir=$(mktemp -d "$(ft_cache)/test.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# value(case, mode, measure) - print a measured figure
value() {
	awk -v key="micro $1 $2" -v measure="$3" '$2 " " $3 " " $4 == key && $6 == measure { v = $7 } END { print v }' "$dir/micro.txt"
}

# within(number, least, most) - is the number in the range?
within() {
	awk -v n="$1" -v least="$2" -v most="$3" 'BEGIN { exit !(n != "" && n >= least && n <= most) }'
}

KEPT=0
[ ! -f "$FT_TESTS/bench/results.json.xz" ] || KEPT=1
plan $((17 + KEPT))
if env -u MAKEFLAGS -u MAKELEVEL REPORT=--no-picture make -s -C "$FT_TOP" bench BENCH=micro QUICK=1 OUT="$dir" >"$dir/said" 2>"$dir/err"; then
	ok "the benchmark runs"
else
	sed 's/^/# /' "$dir/err"
	not_ok "the benchmark runs"
fi
check "the plugin counts instructions" within "$(value two_instructions off instructions)" 2 2.1
check "a written block costs instructions without fragtrace" within "$(value sequential off instructions_per_block)" 1000 1000000
for mode in idle no_causes tracing events; do
	check "a written block costs instructions with fragtrace $mode" within "$(value sequential $mode instructions_per_block)" 1000 1000000
done
check "each written block causes an event" within "$(value sequential probes_tracing f2fs_update_read_extent_tree_range:hits_per_block)" 1 2
less=$(value sequential probes_off f2fs_submit_page_write:mean)
for mode in no_causes tracing events; do
	mean=$(value sequential probes_$mode f2fs_submit_page_write:mean)
	check "a written block costs more with $mode" within "$mean" "$((${less%%.*} + 1))" 100000
	check "the report has a row for it" grep -q \
		"^| next block of a file, 4 KiB writes: in the probes, $(sed -n "s/^    \"$mode\": \"\(.*\)\",$/\1/p" \
			"$FT_TESTS/bench/report_names.py") | [1-9]" "$dir/said"
	less=$mean
done
check "the README has the place for the report" grep -qxF '<!-- bench: begin (make bench-readme) -->' "$FT_TESTS/bench/README.md"

# report(arguments...) - run report.py on what was measured, as if it were no short run
report() {
	"$PYTHON" -B "$FT_TESTS/bench/report.py" "$dir/full" --readme "$dir/README.md" --no-picture "$@" 2>&1 | sed 's/^/# /'
}

PYTHON=/usr/bin/python3
mkdir "$dir/full"
sed '/^quick /d' "$dir/micro.txt" >"$dir/full/micro.txt"
cp "$FT_TESTS/bench/README.md" "$dir/README.md"
report
expect "a README agrees with what is kept beside it" "$(report --check)" ""
sed -i '/^| next block of a file, 4 KiB/s/[0-9]\( |\)/7&/' "$dir/README.md"
expect "and a figure that was changed is found" "$(report --check | grep -c 'differs from')" 1
if [ $KEPT = 1 ]; then
	cp "$FT_TESTS/bench/README.md" "$FT_TESTS/bench/results.json.xz" "$dir/"
	expect "the table of bench/README.md is that of what is kept" "$(report --check)" ""
else
	echo "# nothing is kept of the table of bench/README.md: make bench, then make bench-readme"
fi
finish
