#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 68_copies.sh - the copies of readers are charged and limited, and do not take memory from the maps
#
# kernels: first
# group: texts
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

EXTENTS=${EXTENTS:-25000}

# copies_are(bytes) - do the copies of all readers take this amount?
copies_are() {
	[ "$(stat_of copies_bytes)" = "$1" ]
}

plan 10
make_volume $DISK $MNT mode=fragment:block,noinline_data || bail "no volume"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_chunk"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_hole"
fileop write $MNT/large 0 $((EXTENTS * PAGE_SIZE))
sync
load path=$MNT max_mem_mb=1
check_exact "maps are exact for a file of many extents" $MNT
expect "no copy is charged without a reader" "$(stat_of copies_bytes)" 0
expect "the limit of copies is four times the budget of the maps" "$(stat_of copies_budget)" $((4 << 20))
maps=$(stat_of mem_bytes)

exec 3<$DBG/snapshot
one=$(stat_of copies_bytes)
check "a reader's copy is charged ($one bytes)" test "$one" -ge $((EXTENTS * 24))
more=$(($(stat_of mem_bytes) - maps))
# a process that F2FS writes for may get a number meanwhile
check "the copy is not charged to the budget of the maps ($more bytes more are)" test $more -ge 0 -a $more -lt $((one / 100))
refused=0 most=$one
for fd in 4 5 6 7 8 9; do
	# a redirection of exec that fails would end the shell
	if cat <$DBG/snapshot >/dev/null 2>&1; then
		eval "exec $fd<$DBG/snapshot" || bail "it can be read, and not opened"
	else
		refused=$((refused + 1))
	fi
	[ "$(stat_of copies_bytes)" -le "$most" ] || most=$(stat_of copies_bytes)
done
check "some of many copies are refused ($refused of 7)" test $refused -gt 0 -a $refused -lt 7
check "the copies are within their limit ($most bytes)" test "$most" -le "$(stat_of copies_budget)"
check "the log reports the refusal and the remedy" logged "no room for a copy: .*max_mem_mb"
for fd in 3 4 5 6 7 8 9; do
	eval "exec $fd<&-"
done
check "no copy is charged after the close" copies_are 0
check_exact "maps are exact after all copies are closed" $MNT
finish
