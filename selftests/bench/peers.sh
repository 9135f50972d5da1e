# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# bench/peers.sh - other ways to get the layout of files, each with the least cost.
#
#   filefrag_1s, filefrag_5s   FragTracer's method: FIEMAP of all files, every second or every five
#   ftrace                     the kernel's tracer records the four most frequent events, raw
#   bpftrace                   a BPF program only counts them: that of Debian 12 cannot read their arguments
#   reader                     not a peer: fragtrace, and a process that reads `table` every second
#
# A second is one of the guest's: 10^9 instructions, while it is busy.

FOLLOWED="f2fs_submit_page_write f2fs_update_read_extent_tree_range f2fs_map_blocks f2fs_truncate_blocks_enter"
PEER=

# every(seconds, command...) - run it repeatedly, until killed
every() {
	local pause

	pause=$1
	shift
	while :; do
		sleep "$pause"
		"$@" >/dev/null 2>&1 || :
	done
}

# filefrag_all() - the extents of all files of the volume
filefrag_all() {
	find "$MNT" -type f -exec filefrag -v {} +
}

# peer_begin(name)
peer_begin() {
	local event

	case $1 in
	filefrag_1s) every 1 filefrag_all & ;;
	filefrag_5s) every 5 filefrag_all & ;;
	reader) every 1 cat "$DBG/table" & ;;
	ftrace)
		mounted $TRACEFS || mount -t tracefs tracefs $TRACEFS
		echo 8192 >$TRACEFS/buffer_size_kb
		for event in $FOLLOWED; do
			echo 1 >$TRACEFS/events/f2fs/$event/enable
		done
		cat $TRACEFS/per_cpu/cpu0/trace_pipe_raw >/tmp/trace.raw &
		;;
	bpftrace)
		bpftrace -e '
			tracepoint:f2fs:f2fs_submit_page_write,
			tracepoint:f2fs:f2fs_update_read_extent_tree_range,
			tracepoint:f2fs:f2fs_map_blocks,
			tracepoint:f2fs:f2fs_truncate_blocks_enter { @[probe] = count(); }
			BEGIN { printf("ready\n"); }' >/tmp/bpftrace.log 2>&1 &
		;;
	*) bail "mode '$1': expected one of modes.sh, filefrag_1s, filefrag_5s, reader, ftrace or bpftrace" ;;
	esac
	PEER=$!
	[ "$1" != bpftrace ] || loop_until 900 grep -q ready /tmp/bpftrace.log || {
		sed 's/^/# /' /tmp/bpftrace.log
		bail "bpftrace does not start"
	}
}

# peer_end() - undo peer_begin
peer_end() {
	local event

	[ -n "$PEER" ] || return 0
	kill $PEER 2>/dev/null || :
	wait $PEER 2>/dev/null || :
	PEER=
	if [ -d $TRACEFS/events ]; then
		for event in $FOLLOWED; do
			echo 0 >$TRACEFS/events/f2fs/$event/enable
		done
	fi
	rm -f /tmp/trace.raw
}
