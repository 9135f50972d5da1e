#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 64_snapshot.sh - a reader gets the state at open, however slowly it reads, and no block twice
#
# kernels: first
# group: texts quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# twice() - print the lines of the table that begin before the end of the previous one
twice() {
	awk '/^#/ { next } $1 == dev && $2 < end { print } { dev = $1; end = $2 + $3 }' "$1"
}

# stale_in(text) - print how many stale files a text reports
stale_in() {
	sed -n 's/^# stale //p' "$DBG/$1"
}

plan 14
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
# head may have read more than it printed: compare the later output with the tail of the old text.
tail -n 100 /tmp/before >/tmp/before.tail
tail -n 100 /tmp/slow >/tmp/slow.tail
check "the text does not change while it is read slowly" cmp /tmp/before.tail /tmp/slow.tail
refuse "the next open returns the new state" cmp -s /tmp/before "$DBG/table"
check "two readers at the same time read the same text" sh -c "cat $DBG/table >/tmp/one & cat $DBG/table >/tmp/two; wait; cmp /tmp/one /tmp/two"
(
	while :; do
		cat $DBG/table $DBG/extents $DBG/files >/dev/null
	done
) &
reader=$!
fileop random $MNT/big 2000 600 "${SEED:-97}" every 10
kill $reader
wait $reader 2>/dev/null || :
check_at_once "maps are exact after writes while texts are read" $MNT
expect "no event was lost" "$(stat_of lost)" 0

# A file of 2048 extents is copied in steps, which are delayed. It changes between any two of them: its copy is stale, though
# the map is not. Without a writer the copy is exact, however long it takes.
fileop write $MNT/torn 0 16M
fileop random $MNT/torn 4096 4000 "${SEED:-98}" every 500
settle
if late function=ft_extmap_read before_ms=1; then
	cat $DBG/files >/tmp/files
	expect "a file that is copied slowly is exact" "$(awk -v path=$MNT/torn '$NF == path { print $3, ($6 > 2000) }' /tmp/files)" "exact 1"
	until [ -e /tmp/enough ]; do
		fileop random $MNT/torn 4096 100 "${SEED:-99}" every 2 >/dev/null
	done &
	writer=$!
	n=0
	until [ $n = 8 ] || [ -s /tmp/torn ]; do
		cat $DBG/files >/tmp/files
		awk -v path=$MNT/torn '$NF == path && $3 == "stale"' /tmp/files >/tmp/torn
		n=$((n + 1))
	done
	stale=$(stat_of stale)
	touch /tmp/enough
	wait $writer
	late
	expect "a file that changes whenever it is copied is stale in the copy, not in stats" "$(wc -l </tmp/torn) $stale" "1 0"
else
	skip "a file that is copied slowly is exact" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	skip "a file that changes whenever it is copied is stale in the copy, not in stats" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
fi

# One file waits for its scan.
if late function=ft_rebuild_merge before_ms=3000; then
	fileop fallocate $MNT/f21 punch 0 "$PAGE_SIZE"
	expect "one stale file is stale in each text" \
		"$(stat_of stale) $(stale_in table) $(stale_in extents) $(awk '$3 == "stale" { print $NF }' $DBG/files) $(snapcat table $DBG/snapshot | sed -n 's/^# stale //p')" \
		"1 1 1 $MNT/f21 1"
	late
else
	skip "one stale file is stale in each text" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
fi
check_exact "maps are exact after the scan" $MNT

# copies() - does a reader copy what is in memory?
copies() {
	[ "$(stat_of copies_bytes)" -gt 0 ]
}

# Other files are copied first, for a second or longer.
if late function=ft_extmap_read before_ms=5; then
	cat $DBG/files >/tmp/files &
	reader=$!
	loop_until "$SOON" copies || :
	sleep 0.3
	rm $MNT/torn
	wait $reader
	late
	expect "a file that goes while a text is copied is left out of it" \
		"$(sed -n 's/^# left_out [0-9:]* //p' /tmp/files) $(grep -c " $MNT/torn$" /tmp/files)" "1 0"
else
	skip "a file that goes while a text is copied is left out of it" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	rm $MNT/torn
fi

# With checkpoint=disable F2FS gives moved blocks to another file with their addresses. While the new owner has been
# scanned and the old one has not, both maps have them.
umount $MNT
make_volume $DISK $MNT checkpoint=disable,noextent_cache || bail "no volume"
await_live
fileop write $MNT/a 0 1M
fileop write $MNT/b 0 1M
sync
settle
refuse "no text has stale files before the moves" grep -q '^# stale' $DBG/table $DBG/extents
if late function=ft_rebuild_merge before_ms=300; then
	: >/tmp/twice
	: >/tmp/stale
	n=0
	while [ $n -lt 4 ]; do
		n=$((n + 1))
		fileop moves $MNT/a $MNT/b 256 5 $((${SEED:-64} + n))
		while ! all_exact; do
			cat $DBG/table >/tmp/during
			twice /tmp/during >>/tmp/twice
			snapcat table $DBG/snapshot >/tmp/during
			twice /tmp/during >>/tmp/twice
			grep '^# stale' /tmp/during >>/tmp/stale || :
		done
	done
	late
	check "texts report stale files during the moves" test -s /tmp/stale
	expect "no block is shown twice" "$(cat /tmp/twice)" ""
else
	skip "texts report stale files during the moves" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	skip "no block is shown twice" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
fi
check_exact "maps are exact after the moves" $MNT
finish
