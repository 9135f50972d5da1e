#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests that each allocation may fail, in each command that draws no picture; speaks KTAP. See testlib.sh.
# usage: test_alloc.sh PROGRAM [TEST...]; the program without sanitizers, which have allocations of their own
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

fail_alloc=$viewer/build/fail_alloc.so

# allocations(arguments...) - run the program, leave its output in `whole`, print how many allocations it has made
allocations() {
	LD_PRELOAD=$fail_alloc FAIL_COUNT=count "$fragtrace" "$@" >whole </dev/null
	cat count
}

# each_may_fail(arguments...) - with one allocation less, the program says that memory is short, or its output is whole:
# libraries may do without. Those of libraries before main() are as many as --version has.
each_may_fail() {
	local n last status told=0
	n=$(allocations --version)
	last=$(allocations "$@")
	while [ "$n" -lt "$last" ]; do
		n=$((n + 1)) status=0
		LD_PRELOAD=$fail_alloc FAIL_AT=$n "$fragtrace" "$@" >out 2>err </dev/null || status=$?
		case $status in
		0) cmp -s out whole || fail "$*: allocation $n failed: the output has changed" ;;
		1) told=$((told + 1)) && grep -q 'no memory\|not enough memory' err || fail "$*: allocation $n failed: $(cat err)" ;;
		*) fail "$*: allocation $n failed: status $status: $(cat err)" ;;
		esac
	done
	[ $told -ge 10 ] || fail "$*: only $told of the allocations are our own"
	no_rest
}

test_table() {
	each_may_fail table -t "$data/small.table"
	each_may_fail table --json -t "$data/rocksdb.snapshot.zst"
	each_may_fail table --csv -t "$data/small.table"
	each_may_fail table --columns -t "$data/rocksdb.snapshot.zst"
}

test_lists() {
	local command
	for command in files extents causes processes; do
		each_may_fail $command -t "$data/rocksdb.snapshot.zst"
	done
}

test_answers() {
	each_may_fail why -t "$data/rocksdb.snapshot.zst"
	each_may_fail why -t "$data/rocksdb.snapshot.zst" .sst
	each_may_fail metrics -t "$data/rocksdb.snapshot.zst" -o -
}

run_tests
