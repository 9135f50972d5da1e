#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 36_no_kprobes.sh - root switches off ftrace, or all kprobes, while files are watched: probes that are registered do not fire
#
# Without an extent cache no event reports the blocks that a punch frees, and none at all reports F2FS_IOC_MOVE_RANGE.
#
# group: features
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

FTRACE=/proc/sys/kernel/ftrace_enabled
KPROBES=/sys/kernel/debug/kprobes/enabled

# on_again() - leave the kernel as it was
on_again() {
	for switch in $FTRACE $KPROBES; do
		[ ! -w $switch ] || echo 1 >$switch
	done
	cleanup
}

# attached_is(number) - is that `calls_attached`?
attached_is() {
	[ "$(stat_of calls_attached)" = "$1" ]
}

# fill() - use up the volume
fill() {
	local size

	for size in 1024M 512M 256M 128M 64M 32M 16M 8M 4M 2M 1M 512K 256K 128K 64K 32K 16K 8K 4K; do
		fileop fallocate $MNT/fill$size default 0 $size 2>/dev/null || :
	done
}

# switched_off(name, switch, number) - switch off, after which that is `calls_attached`, change files, switch on, change files
switched_off() {
	echo 0 >"$2" 2>/dev/null || {
		for n in 1 2 3 4 5 6 7 8; do
			skip "$1: check $n" "this kernel cannot switch them off"
		done
		return 0
	}
	fileop write "$MNT/$1" 0 256K
	fileop write "$MNT/$1.to" 0 256K
	sync
	fileop fallocate "$MNT/$1" punch 64K 64K
	check_exact "$1: maps are exact after a punch that no probe has seen" $MNT
	check "$1: calls_attached is $3" loop_until $PATIENCE attached_is "$3"
	fileop fallocate "$MNT/$1" zero 128K 16K
	fileop fallocate "$MNT/$1" collapse 0 16K
	check_exact "$1: maps are exact after a zero and a collapse" $MNT
	# Its first node has no holes and is changed. For those in the second one there is no room.
	fileop write "$MNT/$1.full" $((FULL * B)) $((400 * B)) sync
	fill
	refuse "$1: a range with holes is not zeroed on a full volume" fileop fallocate "$MNT/$1.full" zero $((FULL * B)) $((700 * B)) 2>/dev/null
	rm "$MNT"/fill*
	check_exact "$1: maps are exact after a part of it was" $MNT
	fileop move "$MNT/$1" 0 "$MNT/$1.to" 64K 32K
	settle
	echo 1 >"$2"
	check "$1: calls_attached is 1 after it is switched on" loop_until $PATIENCE attached_is 1
	check_exact "$1: maps are exact after a move that no probe has seen" $MNT
	fileop move "$MNT/$1" 0 "$MNT/$1.to" 128K 32K
	fileop fallocate "$MNT/$1.to" punch 0 32K
	check_exact "$1: maps are exact after a move and a punch that the probes have seen" $MNT
}

plan 19
B=$PAGE_SIZE
# The inode of a file has addresses of some 100 blocks from this one on.
FULL=$((B / 4 - 224))
trap on_again EXIT
make_volume $DISK $MNT noextent_cache,noinline_data || bail "no volume"
load path=$MNT
# a move that no probe has seen is found by the next write of one of its blocks, if that comes before the check of the probes
tolerate mismatches "no event reports a move"
attached_is 1 || skip_rest "probes of functions" "this kernel has none"
switched_off ftrace $FTRACE "$(kprobes_use_ftrace && echo 0 || echo 1)"
switched_off kprobes $KPROBES 0
check "the log reports it once each time" test "$(log_since | grep -c 'kprobes do not fire')" = "$(log_since | grep -c 'kprobes fire again')"
# A probe that was off while it was attached.
echo 0 >$KPROBES
unload
load path=$MNT
check "calls_attached is 0 if they are off when the module is loaded" loop_until $PATIENCE attached_is 0
echo 1 >$KPROBES
check "calls_attached is 1 after they are switched on" loop_until $PATIENCE attached_is 1
finish
