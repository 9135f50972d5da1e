#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# papers_run.sh - does `make papers QUICK=1` run the replays of FragTracer's databases in a guest, and write its report?

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

dir=$(mktemp -d "$(ft_cache)/test.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# papers() - run what has no result yet; the report is in $dir/out
papers() {
	"$FT_TESTS/papers/papers.sh" --only replay --quick "$dir/out" >"$dir/said" 2>"$dir/err"
}

plan 6
if papers; then
	ok "the experiment runs"
else
	cat "$dir/err" "$dir/said" | sed 's/^/# /'
	not_ok "the experiment runs"
fi
expect "the last line is the path of the report" "$(tail -n 1 "$dir/said")" "$dir/out/report.html"
check "what replays can tell is told, and nothing is refuted" sh -c "grep '^papers: fragtracer: [1-9][0-9]* confirmed' '$dir/err' | grep -qv 'not confirmed'"
check "the report has its pictures in it" sh -c "grep -o 'data:image/png;base64' '$dir/out/report.html' | grep -c . >'$dir/n' && [ \$(cat '$dir/n') -ge 6 ]"
check "it is done again" papers
check "and nothing runs a second time" grep -q '^papers: 1 of 1 results are there already' "$dir/err"
grep -a '^papers: fragtracer' "$dir/err" | sed 's/^/# /'
finish
