#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coverage.sh - which functions and lines does no test come by? Builds a copy of the tree in the cache so that it counts.
#
# usage: coverage.sh [view] [map] [python] [module]    all of them if none is named
#   view     viewer/ and defrag/, by gcov
#   map      the extent map in user space, by gcov
#   python   viewer/python and selftests/papers, by coverage.py
#   module   the module in guests, by the calls that gcc puts into each basic block; $TESTS names tests (default:
#            those in mutants/nearest), $SLOT a command to boot guests with
#
# Prints a table by file, then the functions that were never entered, then the lines never run in those that were. A
# program that a signal ends writes no counts: what runs only in such a one is missing here.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

COPY=$(ft_cache)/coverage
# Debian's Python finds Debian's packages.
PYTHON=/usr/bin/python3
GCOV='-O0 -g --coverage'

# fresh_copy() - copy the sources of the tree; what was counted before is forgotten
fresh_copy() {
	mkdir -p "$COPY"
	find "$COPY" -name '*.gcda' -delete
	(cd "$FT_TOP" && git ls-files -z --cached --others --exclude-standard | xargs -0 ls -d 2>/dev/null | cpio -pdm --quiet "$COPY" 2>/dev/null) || :
}

# quietly(what, command...) - run a test; say so if it fails, and go on: others count
quietly() {
	local what

	what=$1
	shift
	"$@" >"$COPY/said" 2>&1 </dev/null || echo "# fails: $what: $(grep -m 1 -E '^not ok|Error' "$COPY/said" || tail -n 1 "$COPY/said")"
}

# view() - the tests of viewer/ and defrag/, with the programs that count
view() {
	local file

	for file in viewer defrag; do
		make -s -j "$(nproc)" -C "$COPY/$file" CFLAGS="$GCOV" LDFLAGS=--coverage all >"$COPY/said" 2>&1 ||
			ft_die "$file/ does not build: see $COPY/said"
	done
	make -s -C "$COPY/viewer" CFLAGS="$GCOV" LDFLAGS=--coverage build/eventlog build/pngpeek build/formats
	make -s -C "$COPY/viewer" build/fake_module.so build/fail_alloc.so
	make -s -C "$COPY/defrag" build/windows build/fake_f2fs.so
	cd "$COPY/viewer"
	for file in tests/test_*.sh; do
		quietly "$file" "$file" "$PWD/fragtrace"
	done
	for file in tests/test_*.py; do
		if grep -q '^import pytest' "$file"; then
			quietly "$file" $PYTHON -B -m pytest -q -p no:cacheprovider "$file"
		else
			quietly "$file" $PYTHON -B "$file" "$PWD/fragtrace"
		fi
	done
	cd "$COPY/defrag"
	for file in tests/test_*.sh; do
		WINDOWS=$PWD/build/windows quietly "$file" "$file" "$PWD/fragtrace-defrag"
	done
	quietly tests/test_apply.py $PYTHON -B tests/test_apply.py "$PWD/fragtrace-defrag"
	cd "$COPY"
	find viewer/build defrag/build -name '*.gcda' | $PYTHON -B "$FT_TESTS/coverage/uncovered.py" gcov src/
}

# map() - the extent map in user space
map() {
	make -s -C "$COPY/selftests/unit" O="$COPY/map" CFLAGS="$GCOV" check >"$COPY/said" 2>&1 || ft_die "the extent map fails: see $COPY/said"
	cd "$COPY/selftests/unit"
	find "$COPY/map" . -name '*.gcda' | $PYTHON -B "$FT_TESTS/coverage/uncovered.py" gcov module/core/extmap.c
}

# python() - the tests of Python
python() {
	local papers file

	papers=$COPY/selftests/papers
	mkdir -p "$COPY/hook"
	echo 'import coverage; coverage.process_startup()' >"$COPY/hook/sitecustomize.py"
	printf '[run]\nbranch = True\nparallel = True\ndata_file = %s\nsource =\n  %s\n  %s\n' "$COPY/counts" "$COPY/viewer/python" "$papers/papers" >"$COPY/rc"
	rm -f "$COPY"/counts*
	make -s -C "$COPY/viewer" all >"$COPY/said" 2>&1 || ft_die "viewer/ does not build: see $COPY/said"
	export COVERAGE_PROCESS_START="$COPY/rc" PYTHONPATH="$COPY/hook:$papers:$COPY/viewer/tests:$COPY/viewer/python"
	for file in $(grep -l '^import pytest' "$COPY"/viewer/tests/test_*.py) "$papers"/tests/test_*.py; do
		quietly "$file" $PYTHON -B -m pytest -q -p no:cacheprovider "$file"
	done
	unset COVERAGE_PROCESS_START
	$PYTHON -m coverage combine -q --rcfile "$COPY/rc"
	$PYTHON -m coverage json -q --rcfile "$COPY/rc" -o "$COPY/counts.json"
	$PYTHON -B "$FT_TESTS/coverage/uncovered.py" python "$COPY/" <"$COPY/counts.json"
}

ft_packages build viewer test reports full coverage
case $* in *module* | "") ft_packages guest ;; esac
PATH=$PATH:$(ft_prometheus)
fresh_copy
[ $# -gt 0 ] || set -- view map python module
for part; do
	case $part in
	view | map | python) ("$part") ;;
	module) $PYTHON -B "$FT_TESTS/coverage/module.py" --cache "$(ft_cache)" ${TESTS:-} ;;
	*) ft_die "coverage.sh: no part '$part'; expected view, map, python or module" ;;
	esac
done
