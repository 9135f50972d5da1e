#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 73_busy.sh - scans keep the lock of a file for a short time, and no call of a program is refused because of them
#
# F2FS refuses F2FS_IOC_MOVE_RANGE (EBUSY) and writes that must not wait (EAGAIN) while others hold the lock of the inode.
# Two files in pieces of one block are moved into each other, again and again, without the module and with it.
#
# kernels: first
# group: hostile
# blocks: any

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

# can_trace() - place the probes that measure FIEMAP
can_trace() {
	mounted $TRACING || mount -t tracefs tracefs $TRACING || return 1
	{ echo "p:ft_begin f2fs:f2fs_fiemap inode=\$arg1" >$TRACING/kprobe_events && echo "r:ft_end f2fs:f2fs_fiemap" >>$TRACING/kprobe_events; } 2>/dev/null
}

# traced(command...) - run it; set STEPS to how many FIEMAPs there were meanwhile, MEDIAN to their median time in microseconds,
# and PAUSES to how many began 16 milliseconds or more after the end of the one before of the same file, or were its first
traced() {
	echo >$TRACING/trace
	echo 1 >$TRACING/events/kprobes/enable
	"$@"
	echo 0 >$TRACING/events/kprobes/enable
	awk '/ft_begin:/ { for (i = 1; i <= NF; i++) if ($i == "ft_begin:") begin[$1] = $(i - 1) + 0; file[$1] = $NF }
		/ft_end:/ { for (i = 1; i <= NF; i++) if ($i == "ft_end:" && $1 in begin) print int(begin[$1] * 1000000), int($(i - 1) * 1000000), file[$1] }' $TRACING/trace |
		awk '{ print $2 - $1, ($1 - last[$3] >= 16000); last[$3] = $2 }' | sort -n >/tmp/steps
	STEPS=$(wc -l </tmp/steps)
	MEDIAN=$(awk -v n="$STEPS" 'NR == int((n + 1) / 2) { print $1 }' /tmp/steps)
	PAUSES=$(awk '{ n += $2 } END { print n + 0 }' /tmp/steps)
	echo "# $STEPS steps, median ${MEDIAN:-0} us, $PAUSES pauses: $*"
}

# punch() - one block of a file in thousands of pieces
punch() {
	fileop fallocate $MNT/one punch $((1000 * B)) "$B"
	settle
}

plan 13
B=$PAGE_SIZE
trap end_all EXIT
sys=/sys/fs/f2fs/${DISK##*/}
make_special $DISK $MNT mode=fragment:block,background_gc=off || skip_rest "files in pieces" "this kernel cannot scatter blocks"
echo 1 >"$sys/max_fragment_chunk"
echo 1 >"$sys/max_fragment_hole"
fileop write $MNT/one 0 $((12288 * B))
fileop write $MNT/two 0 $((12288 * B))
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
# On a busy machine the share varies, also without the module.
check "no more writes get EAGAIN than without the module" test $((again2 * calls)) -le $(((3 * again / 2 + 10) * calls2))
check_exact "maps are exact afterwards" $MNT

if can_trace; then
	traced sh -c "echo 1 >$DBG/resync"
	check "a scan takes several steps" test "$STEPS" -ge 6
	# 5 ms and a tick are meant; an emulated CPU waits for others, and took 16 once. Steps of 100 ms are noticed.
	check "half of the steps hold the lock for no more than 40 ms" test "$MEDIAN" -le 40000
	echo "# $(column files $MNT/one 5) extents"
	traced punch
	if kprobes_use_ftrace && ! uname -v | grep -q PREEMPT_RT; then
		expect "one step scans what is around a block that was punched out" "$STEPS" 1
	else
		# there, and with PREEMPT_RT, a probe takes no lock, and tells of no range
		check "a block that was punched out lets all of the file be scanned" test "$STEPS" -gt 1
	fi
	traced sh -c "echo 1 >$DBG/audit"
	# The pause begins before the step's end is traced: an emulated CPU that waits between the two makes it look shorter.
	check "an audit pauses for 20 ms, or a tick less, after at least three of four steps of a file" test $((4 * PAUSES)) -ge $((3 * STEPS))
else
	for name in "a scan takes several steps" "half of the steps hold the lock for no more than 40 ms" \
		"one step scans what is around a block that was punched out" "an audit pauses for 20 ms, or a tick less, after at least three of four steps of a file"; do
		skip "$name" "this kernel has no kprobe events"
	done
fi
check_exact "maps are exact after the resync" $MNT
# Blocks at the ends of parts of any size, and of the file.
fileop ranges $MNT/one punch 12288 30 73 aligned
check_exact "maps are exact after more holes" $MNT

# Clusters are not cut in two, but their scan has steps as short.
if make_special $DISK2 $MNT2 compress_algorithm=lz4,compress_log_size=2,mode=fragment:block -O extra_attr,compression && can_trace; then
	echo 1 >"/sys/fs/f2fs/${DISK2##*/}/max_fragment_chunk"
	mkdir $MNT2/c
	f2fs_io setflags compression $MNT2/c >/dev/null
	fileop write $MNT2/c/text 0 $((16384 * B))
	echo "add $MNT2" >$DBG/targets
	settle || :
	traced sh -c "echo $MNT2 >$DBG/resync"
	check "a scan of clusters takes several steps" test "$STEPS" -ge 3
	check "half of them hold the lock for no more than 20 ms" test "$MEDIAN" -le 20000
	check_exact "maps of compressed files are exact" -u $MNT $MNT2
else
	for name in "a scan of clusters takes several steps" "half of them hold the lock for no more than 20 ms" "maps of compressed files are exact"; do
		skip "$name" "this kernel or these tools have no compression"
	done
fi
finish
