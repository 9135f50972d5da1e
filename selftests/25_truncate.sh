#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 25_truncate.sh - truncate up and down at any byte
#
# group: write quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# cut(size...) - truncate the same file to one size after the other, and write everything back in between
cut() {
	local size

	for size; do
		fileop truncate $MNT/a "$size"
		[ $((size % 3)) != 0 ] || sync
	done
}

plan 8
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/a 0 4M
sync
cut 4194303 4190209 4190208 4190207 3000000 2097153
check_at_once "maps are exact after truncation to unaligned sizes" $MNT
cut 5000000 5000001 8388608
check_at_once "maps are exact after truncation to larger sizes" $MNT
fileop write $MNT/a 6M 100K
cut 6300000 6291457 6291456 6291455 2097152 1 4096 0
check_at_once "maps are exact after truncation to 0" $MNT
fileop write $MNT/a 0 1M
cut 500000
fileop write $MNT/a 900000 100000
check_at_once "maps are exact after a write beyond the new end" $MNT
fileop write $MNT/dirty 0 3M
fileop truncate $MNT/dirty 1000001
check_at_once "maps are exact after truncation of dirty pages" $MNT
fileop write $MNT/big 0 12M
fileop random $MNT/big 3072 300 "${SEED:-41}" every 5
fileop truncate $MNT/big 5000000
fileop random $MNT/big 3072 100 "${SEED:-42}" every 5
check_at_once "maps are exact after truncation of a fragmented file" $MNT
fileop write $MNT/many 0 16M
fileop random $MNT/many 4096 4000 "${SEED:-43}" every 500
settle
rescans=$(stat_of rescans)
fileop truncate $MNT/many 15M
expect "truncation of $(column files $MNT/many 5) extents causes no scan" "$(stat_of rescans)" "$rescans"
check_at_once "maps are exact after truncation of many extents" $MNT
finish
