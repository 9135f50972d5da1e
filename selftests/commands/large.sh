#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# large.sh - at full scale: a file with 100 000 names, 1 000 000 files, as many files that move in one folder; 500 000
# deleted files that are open; hundreds of loads, targets and mounts beside fio; a volume of nearly 16 TiB
#
# usage: large.sh [VERSION], with $TESTS (which of the five; default: all), $FILES (how many move; default 1000000),
#        $NAMELESS (how many are deleted; default 500000)

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

# large(test, options of its guest...) - run a test in a separate guest
large() {
	local test

	test=$1
	shift
	case " ${TESTS:-$test} " in
	*" $test "*) ;;
	*) return 0 ;;
	esac
	"$FT_TESTS/machine/guest.sh" -k "$version" -t 10800 "$@" /selftests/in_guest/run_tests.sh "$test" || failed=1
}

version=${1:-6.12}
failed=0
ft_packages build guest viewer large
make -s -C "$FT_TOP/viewer" fragtrace >&2
large 94_large.sh -d 24G -M 6G -- env LINKS=100000 DIRS=1000 ROOMY=1500 TIGHT=64 PATIENCE_LARGE=3600 TEST_LIMIT=10800
large 95_large_move.sh -d 24G -M 6G -- env JUDGE=1 FILES="${FILES:-1000000}" ROUNDS=1 ROOMY=1500 PATIENCE_LARGE=7200 TEST_LIMIT=10800
large 86_memory.sh -d 24G -M 6G -a slab_nomerge -- env JUDGE=1 NAMELESS="${NAMELESS:-500000}" PATIENCE_LARGE=7200 TEST_LIMIT=10800
large 93_life_cycle.sh -d 2G -d 1G -M 2G -f "$(command -v fio)" -- env CYCLES=100 TEST_LIMIT=10800
large 49_huge.sh -d 16383G -M 6G -f "$FT_TOP/viewer/fragtrace" -- env TEST_LIMIT=10800
exit $failed
