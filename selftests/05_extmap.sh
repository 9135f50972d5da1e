#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 05_extmap.sh - the extent map by itself, against a plain array, by a million random operations

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 2
if [ -f /tools/extmap_test.ko ]; then
	check "a million random operations" insmod /tools/extmap_test.ko ${SEED:+seed="$SEED"}
	check "it says so" logged 'extmap_test: passed: 1000000 operations'
	log_since | sed -n 's/.*\(extmap_test: .*\)/# \1/p'
	rmmod extmap_test
else
	skip "a million random operations" "extmap_test.ko is not here: build with FT_SELFTEST=1, pass with -f"
	skip "it says so" "it did not run"
fi
finish
