#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh - `make demo`: RocksDB on F2FS in a guest, watched by fragtrace, drawn every few seconds; then
# fragtrace defrag rewrites what costs requests, and a second picture has the database before and after that.
#
# usage: demo.sh [--again] [FOLDER]
#
# Leaves fragImg.png and the last table, extents, files and others in FOLDER (default: demo-out in the
# project's folder), and of the rewrite fragImg-defrag.png, defrag.txt and table.defrag. $SECONDS_OF_WORK is the duration
# of the work (default 60), $EVERY the interval of pictures in seconds (default 5). The last line is the path of the
# picture, also if the rewrite or its picture failed, which is said before; the status is 1 then. --again draws the second
# picture from what is there.
#
# The volume is a sparse image of 20 GB: on a small one F2FS rewrites in place, and RocksDB's detached
# last blocks would not appear. The guest half of this is in_guest/demo.sh.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

# work(folder) - let RocksDB work in a guest, which leaves its files there
work() {
	local text

	for text in fragImg.png table extents files healed by_pair stats snapshot db_bench.log defrag.txt table.defrag; do
		rm -f "$1/$text"
	done
	ft_packages build guest full viewer demo
	ft_say "building fragtrace"
	make -s -C "$FT_TOP" viewer >&2 || ft_die "demo: fragtrace does not build"
	ft_say "booting Debian's kernel ${KERNEL:-6.12} with an F2FS volume of 20 GB (sparse)"
	"$FT_TESTS/machine/vm.sh" -k "${KERNEL:-6.12}" -M 3G -d 20G -o "$1" -t 600 -- \
		"selftests/in_guest/demo.sh ${SECONDS_OF_WORK:-60} ${EVERY:-5}"
}

# compare(folder) - draw the picture of before and after fragtrace defrag
compare() {
	rm -f "$1/fragImg-defrag.png"
	"$FT_TOP/viewer/fragtrace-plot" compare "$1/table" "$1/table.defrag" -c rocksdb \
		--title 'RocksDB, before and after fragtrace defrag' -o "$1/fragImg-defrag.png" >&2
}

# demo_main(arguments...) - the command described at the top
demo_main() {
	local out start again failed text

	start=$(date +%s) again='' failed=''
	case ${1:-} in
	--again)
		again=yes
		shift
		;;
	esac
	out=${1:-$FT_TOP/demo-out}
	mkdir -p "$out" || ft_die "demo: cannot create '$out'"
	out=$(cd "$out" && pwd)
	[ -n "$again" ] || work "$out" || failed="the guest's part failed with status $?; see above and $out/db_bench.log"
	for text in fragImg.png table files stats; do
		[ -s "$out/$text" ] || ft_die "demo: ${failed:-there is no $out/$text}"
	done
	if [ -z "$failed" ] && ! compare "$out"; then
		failed="the picture of before and after fragtrace defrag cannot be drawn; after the remedy above: selftests/commands/demo.sh --again"
	fi
	grep -q '\.sst$' "$out/table" || ft_die "demo: ${failed:-RocksDB left no .sst file in $out/table}"
	if [ -n "$failed" ]; then
		ft_say "error: demo: $failed"
	else
		ft_say "before and after fragtrace defrag: $out/fragImg-defrag.png"
	fi
	ft_say "$(($(date +%s) - start)) s in all"
	echo "$out/fragImg.png"
	[ -z "$failed" ]
}

demo_main "$@"
