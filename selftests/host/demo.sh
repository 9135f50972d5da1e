#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh - does the demonstration leave all its files? Runs a short one in a separate folder.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

dir=$(mktemp -d "$(ft_cache)/test.XXXXXX")
trap 'rm -rf "$dir"' EXIT

plan 11
if SECONDS_OF_WORK=15 EVERY=3 "$FT_TESTS/commands/demo.sh" "$dir/out" >"$dir/said" 2>"$dir/err"; then
	ok "the demonstration runs"
else
	cat "$dir/err" "$dir/said" | sed 's/^/# /'
	not_ok "the demonstration runs"
fi
expect "the last line is the path of the picture" "$(tail -n 1 "$dir/said")" "$dir/out/fragImg.png"
for picture in fragImg.png fragImg-defrag.png; do
	check "$picture is a PNG" sh -c "head -c 4 '$dir/out/$picture' | grep -q PNG"
done
for text in table files table.defrag; do
	check "$text has the database's files" grep -q '\.sst$' "$dir/out/$text"
done
# requests(table) - those that reads of 128 KiB of all its files take
requests() {
	"$FT_TOP/defrag/fragtrace-defrag" --all -t "$dir/out/$1" --json | sed -n 's/.*"requests":\([0-9]*\),"requests_ideal".*/\1/p' | head -n 1
}
# A short run may leave nothing to do. Then both tables are the same.
before=$(requests table) after=$(requests table.defrag)
if grep -q 'nothing is worth a rewrite' "$dir/out/defrag.txt"; then
	expect "nothing was worth a rewrite, and requests are as before" "$after" "$before"
else
	check "fragtrace-defrag made requests fewer: $before, then $after" test "$after" -lt "$before"
fi
check "stats counts writes" sh -c "[ \$(sed -n 's/^events_write //p' '$dir/out/stats') -gt 0 ]"
# Their number depends on the speed of the machine, and may be 0. 74_rocksdb_replay.sh tests an exact number.
apart=$(awk '
	/^#/ || $NF !~ /\.sst$/ || $5 == "-" { next }
	$2 != ino { files++; apart += n > 1 && len == 1; n = 0 }
	{ ino = $2; n++; len = $7 }
	END { print apart + (n > 1 && len == 1) " of " files }' "$dir/out/extents")
check "the last line has the number of detached last blocks in extents: $apart" grep -q " $apart .sst files have their last block apart" "$dir/err"
# The paper needed strace to find this: fdatasync, then ftruncate, then the last block is written again.
expect "each of these breaks has the cause tail and a process of RocksDB" "$(awk '
	/^#/ || $NF !~ /\.sst$/ || $5 == "-" { next }
	$2 != ino && n > 1 && len == 1 { print cause }
	$2 != ino { n = 0 }
	{ ino = $2; n++; len = $7; cause = $9; sub(/:.*/, "", $12); if ($12 !~ /^(rocksdb|db_bench)/) cause = cause "_by_" $12 }
	END { if (n > 1 && len == 1) print cause }' "$dir/out/extents" | sort | uniq -c | grep -v ' tail$')" ""
grep -a 'compared' "$dir/said" | sed 's/^.*compared/# compared/'
finish
