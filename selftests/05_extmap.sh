#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 05_extmap.sh - the extent map alone, compared with a plain array, by random operations
#
# The map knows neither F2FS nor the kernel's version.
# kernels: first
# blocks: any
# group: write quick

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 3
operations=1000000
[ "$SLOW" = 1 ] || operations=50000
if [ -f /tools/extmap_test.ko ]; then
	check "$operations random operations" insmod /tools/extmap_test.ko ops=$operations ${SEED:+seed="$SEED"}
	check "extmap_test reports the number of operations" logged "extmap_test: passed: $operations operations"
	log_since | sed -n 's/.*\(extmap_test: .*\)/# \1/p'
	rmmod extmap_test
	check "$((operations / 10)) on a map of few entries" insmod /tools/extmap_test.ko blocks=16 ops=$((operations / 10)) ${SEED:+seed="$SEED"}
	rmmod extmap_test
else
	skip "$((operations / 10)) on a map of few entries" "extmap_test.ko is not here: build with FT_SELFTEST=1, pass with -f"
	skip "$operations random operations" "extmap_test.ko is not here: build with FT_SELFTEST=1, pass with -f"
	skip "extmap_test reports the number of operations" "it did not run"
fi
finish
