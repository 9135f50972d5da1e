#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 98_what_if.sh - of a recording, what collection would have moved: as F2FS chooses, it is within 5 % of what F2FS has moved
#
# kernels: first
# group: texts gc

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

out=/tmp/what_if

# recorded() - is there a snapshot with events?
recorded() {
	find $out/run -name '*.events.zst' 2>/dev/null | grep -q .
}

# number(choice, key) - print a number of a choice, from the answer; of F2FS itself without one
number() {
	tr '{' '\n' <$out/json | grep "\"${1:-dev}\"" | sed -n "s/.*\"$2\":\([0-9]*\).*/\1/p"
}

plan 7
command -v fragtrace >/dev/null || skip_rest "a recording with events" "fragtrace is not in this guest"
mkdir -p $out
mkfs.f2fs -q -f -t 0 $DISK 1048576 >/dev/null && mount_volume $DISK $MNT mode=lfs || bail "no volume"
load path=$MNT
fragtrace record $out/run --events -n 10 2>$out/log &
recorder=$!
check "the recording begins" loop_until "$PATIENCE" recorded
before=$(awk '$1 == "volume" { print $7 + $9 }' $DBG/gc)
fileop age $MNT/old "$(($(df -k $MNT | awk 'END { print $4 }') * 88 / 100))K" 3 1 | sed 's/^/# /'
settle
moved=$(($(awk '$1 == "volume" { print $7 + $9 }' $DBG/gc) - before))
kill -TERM $recorder
check "the recording ends" wait $recorder
sed 's/^/# /' $out/log
check "collection has moved $moved blocks" test $moved -gt 4000
fragtrace gc -t $out/run --what-if all >$out/text && fragtrace gc -t $out/run --what-if all --json >$out/json
sed 's/^/# /' $out/text
expect "the recording has as many" "$(number '' moved)" $moved
off=$(($(number f2fs moved) - moved))
check "the model moves $off more" test $((off < 0 ? -off : off)) -le $((moved / 20))
expect "in the foreground F2FS is greedy" "$(number greedy moved)" "$(number f2fs moved)"
check "cost-benefit moves more" test "$(number cost-benefit moved)" -gt "$(number greedy moved)"
finish
