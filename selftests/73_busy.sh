#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 73_busy.sh - scans keep the lock of a file for a short time, and no call of a program is refused because of them
#
# F2FS refuses F2FS_IOC_MOVE_RANGE (EBUSY) and writes that must not wait (EAGAIN) while others hold the lock of the inode.
# Two files in pieces of one block are moved into each other, again and again, without the module and with it.
#
# group: hostile

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

TRACING=/sys/kernel/tracing

# end_all() - remove the probes, too
end_all() {
	cleanup
	[ ! -e $TRACING/events/kprobes/ft_begin/enable ] || echo 0 >$TRACING/events/kprobes/enable
	[ ! -e $TRACING/kprobe_events ] || echo >$TRACING/kprobe_events
}

# steps() - print how many FIEMAPs our worker has done, and their median time in microseconds
steps() {
	awk '/ft_begin:/ { for (i = 1; i <= NF; i++) if ($i == "ft_begin:") begin[$1] = $(i - 1) + 0 }
		/ft_end:/ { for (i = 1; i <= NF; i++) if ($i == "ft_end:" && $1 in begin) print int(($(i - 1) - begin[$1]) * 1000000) }' $TRACING/trace |
		sort -n | awk '{ t[NR] = $1 } END { print NR, t[int((NR + 1) / 2)] + 0 }'
}

plan 7
trap end_all EXIT
sys=/sys/fs/f2fs/${DISK##*/}
make_special $DISK $MNT mode=fragment:block,background_gc=off || skip_rest "files in pieces" "this kernel cannot scatter blocks"
echo 1 >"$sys/max_fragment_chunk"
echo 1 >"$sys/max_fragment_hole"
fileop write $MNT/one 0 48M
fileop write $MNT/two 0 48M
sync
fileop busy $MNT/one $MNT/two 12288 3000 /tmp/without
load path=$MNT
settle || bail "maps are not exact"
fileop busy $MNT/one $MNT/two 12288 3000 /tmp/with
read -r calls busy again longest </tmp/without
echo "# without the module: $calls moves, EBUSY $busy, EAGAIN $again, the longest write took $longest us"
read -r calls2 busy2 again2 longest2 </tmp/with
echo "# with the module: $calls2 moves, EBUSY $busy2, EAGAIN $again2, the longest write took $longest2 us"
check "blocks were moved" test "$calls2" -gt 0
expect "as many calls get EBUSY as without the module" "$busy2" "$busy"
check "no more writes get EAGAIN than without the module" test $((again2 * calls)) -le $(((again + 1) * calls2))
check_exact "maps are exact afterwards" $MNT

if { echo "p:ft_begin f2fs:f2fs_fiemap" >$TRACING/kprobe_events && echo "r:ft_end f2fs:f2fs_fiemap" >>$TRACING/kprobe_events &&
	echo 1 >$TRACING/events/kprobes/enable; } 2>/dev/null; then
	echo >$TRACING/trace
	echo 1 >$DBG/resync
	echo 0 >$TRACING/events/kprobes/enable
	# shellcheck disable=SC2046 # two numbers
	set -- $(steps)
	echo "# $1 steps, median $2 us"
	check "a scan takes several steps" test "$1" -ge 6
	check "half of the steps hold the lock for no more than 15 ms" test "$2" -le 15000
else
	skip "a scan takes several steps" "this kernel has no kprobe events"
	skip "half of the steps hold the lock for no more than 15 ms" "likewise"
fi
check_exact "maps are exact after the resync" $MNT
finish
