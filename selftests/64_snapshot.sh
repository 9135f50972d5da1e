#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 64_snapshot.sh - a reader gets one moment: what was at open, however slowly it reads

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 5
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop many $MNT/f 300 5000 4096 9
settle
cat $DBG/table >/tmp/before
exec 7<$DBG/table
head -c 100 <&7 >/tmp/slow
rm $MNT/f1*
fileop write $MNT/f20 0 1M
fileop random $MNT/f21 4 10 1 every 1
settle
cat <&7 >>/tmp/slow
exec 7<&-
# head may have read ahead of what it printed: compare what came later with the tail of the old text.
tail -n 100 /tmp/before >/tmp/before.tail
tail -n 100 /tmp/slow >/tmp/slow.tail
check "the text does not change under a slow reader" cmp /tmp/before.tail /tmp/slow.tail
refuse "the next reader sees the change" cmp -s /tmp/before "$DBG/table"
check "two readers at once read the same" sh -c "cat $DBG/table >/tmp/one & cat $DBG/table >/tmp/two; wait; cmp /tmp/one /tmp/two"
(
	while :; do
		cat $DBG/table $DBG/extents $DBG/files >/dev/null
	done
) &
reader=$!
fileop random $MNT/big 2000 600 "${SEED:-97}" every 10
kill $reader
wait $reader 2>/dev/null || :
check_exact "exact with readers at work" $MNT
check "no event was lost unnoticed ($(stat_of lost) lost)" test -n "$(stat_of lost)"
finish
