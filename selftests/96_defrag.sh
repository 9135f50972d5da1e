#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 96_defrag.sh - fragtrace defrag: what it plans, and both ways to move blocks beside a writer of the same file
#
# group: defrag quick

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# defrag(arguments...) - run it; its status is in $rc, its output in /tmp/said
defrag() {
	rc=0
	fragtrace defrag --all "$@" >/tmp/said 2>&1 || rc=$?
}

# said(text) - does the output have this text?
said() {
	grep -qF -- "$1" /tmp/said && return 0
	sed 's/^/# /' /tmp/said
	return 1
}

# break_file(file, blocks) - make a file whose blocks are scattered
break_file() {
	fileop write "$1" 0 $(($2 * 4))K
	sync
	fileop random "$1" "$2" "$2" "${SEED:-96}" every 8
	sync
}

# extra(file) - the requests of 128 KiB that a file takes beyond those of a whole one
extra() {
	echo $(($(column files "$1" 9) - $(column files "$1" 10)))
}

# same_requests() - the plan has the figures of `files`, summed up
same_requests() {
	defrag --request 128K --json
	awk '!/^#/ && $9 { r += $9; i += $10; b += $6 - 1 } END { print "\"breaks\":" b ",\"requests\":" r ",\"requests_ideal\":" i "," }' \
		$DBG/files >/tmp/sums
	said "$(cat /tmp/sums)"
}

# write_beside(file, copy, flags of dd) - rewrite blocks of both in the same way until /tmp/stop exists
write_beside() {
	local n block

	n=0
	while [ ! -e /tmp/stop ]; do
		block=$((n * 7 % 16))
		dd if=/dev/urandom of=/tmp/block bs=4096 count=1 2>/dev/null
		dd if=/tmp/block of="$1" bs=4096 seek=$block conv=notrunc $3 2>/dev/null
		dd if=/tmp/block of="$2" bs=4096 seek=$block conv=notrunc 2>/dev/null
		n=$((n + 1))
	done
	echo "# the writer wrote $n blocks during the moves"
}

# beside(name, way, flags of dd) - move a fragmented file while another process opens it and writes to its first blocks
beside() {
	local name before after writer tries

	name=$1
	shift
	break_file $MNT/a 512
	settle
	cat $MNT/a >/tmp/copy
	before=$(extra $MNT/a)
	rm -f /tmp/stop
	write_beside $MNT/a /tmp/copy "$2" &
	writer=$!
	tries=0
	# the writer may have it open for direct writes when the plan is made, which leaves it alone
	while [ $tries -lt 20 ]; do
		defrag --recent 0 --apply --way "$1" --rate 1M --request 128K $MNT/a
		{ [ $rc = 4 ] && said "open for direct writes"; } || break
		tries=$((tries + 1))
	done
	touch /tmp/stop
	wait $writer
	check "$name: the status is that of success or of an incomplete move ($rc)" test $rc = 0 -o $rc = 3
	check "$name: the result is from a new snapshot" said 'now, by a new snapshot, of 1 file worked on: breaks '
	grep '^moved\|^now' /tmp/said | sed 's/^/# /'
	check_exact "$name: maps are exact" $MNT
	after=$(extra $MNT/a)
	# steps are left out while the file is open for direct writes
	[ -n "$2" ] || check "$name: extra requests are at most half of those before ($before, now $after)" test $((after * 2)) -lt "$before"
	check "$name: the content is that of the writer" cmp $MNT/a /tmp/copy
	sync
	echo 3 >/proc/sys/vm/drop_caches
	check "$name: the content on the disk is that of the writer" cmp $MNT/a /tmp/copy
	rm $MNT/a
}

# sectors(file) - the first sector of each block of a file, in one line
sectors() {
	awk -v path="$1" '!/^#/ && $7 == path { for (i = 0; i < $3; i++) printf "%d ", ($2 + i) * 8 }' $DBG/table
}

# classes(direction, sectors) - the I/O classes of the traced requests of the disk that begin there, each once
classes() {
	awk -v way="$1" -v list="$2" -v dev="$(tr : , <"/sys/block/${DISK##*/}/dev")" '
		BEGIN { n = split(list, s, " "); for (i = 1; i <= n; i++) wanted[s[i]] = 1 }
		{ for (i = 1; i < NF && $i != "block_rq_issue:"; i++) ; }
		$(i + 1) == dev && substr($(i + 2), 1, 1) == way && $(i + 5) in wanted { split($(i + 8), class, ","); print class[1] }
	' /tmp/trace | sort -u | tr '\n' ' '
}

# io_class() - blocks are read in the idle class, before F2FS has locked the file; what is done under the locks is not idle
io_class() {
	local before event

	mounted $TRACING || mount -t tracefs tracefs $TRACING
	event=$TRACING/events/block/block_rq_issue
	if ! grep -q ioprio "$event/format" 2>/dev/null; then
		skip "blocks are read in the idle class" "the kernel does not tell"
		skip "and written in the usual one" "the kernel does not tell"
		return
	fi
	break_file $MNT/a 64
	settle
	before=$(sectors $MNT/a)
	echo 3 >/proc/sys/vm/drop_caches
	echo 1 >"$event/enable"
	defrag --recent 0 --apply --request 128K $MNT/a
	echo 0 >"$event/enable"
	cat $TRACING/trace >/tmp/trace
	settle
	check "blocks are read in the idle class" test "$(classes R "$before" | grep -c idle)" = 1
	expect "and written in the usual one" "$(classes W "$(sectors $MNT/a)")" "be "
	rm $MNT/a
}

# reads_at_once() - the requests of one direct read of 1800 KiB, with pages that follow each other in memory, and with others
reads_at_once() {
	local queue before pages

	queue=/sys/block/${DISK##*/}/queue
	before=$(cat "$queue/max_sectors_kb")
	echo 2048 >"$queue/max_sectors_kb"
	pages=$(($(cat "$queue/max_segments") * 4))
	fileop write $MNT/one 0 1800K
	sync
	settle
	expect "a file of one fragment" "$(column files $MNT/one 6)" 1
	defrag --reader direct,2M --json $MNT/one
	check "which one request reads, or as many as its pages need" \
		said "\"requests\":$(((1800 + pages - 1) / pages)),\"requests_least\":1,"
	echo "$before" >"$queue/max_sectors_kb"
	rm $MNT/one
}

# odd_log() - move a few blocks, so that the log is not at a multiple of the request size, which divides a segment
odd_log() {
	local main end

	main=$(sed -n 's/^# volume .* main_blkaddr=\([0-9]*\) .*/\1/p' $DBG/table)
	fileop write $MNT/odd 0 8K
	sync
	fileop write $MNT/between 0 4K
	sync
	fileop write $MNT/odd 8K 12K
	sync
	end=0
	while [ $((end % 32)) = 0 ]; do
		settle
		defrag --recent 0 --apply --request 128K $MNT/odd
		settle
		end=$(awk -v path=$MNT/odd -v main="$main" '!/^#/ && $7 == path { end = $2 + $3 - main } END { print end }' $DBG/table)
		[ -n "$end" ] || return 1
		# whole now; fragmented again, for the case that the log has got to a multiple by this
		[ $((end % 32)) != 0 ] || fileop write $MNT/odd 8K 4K
		sync
	done
	rm $MNT/odd $MNT/between
}

# left_ms() - move a fragmented file with a share of the time; print the milliseconds that it left to others
left_ms() {
	break_file $MNT/a 2048 >/dev/null
	odd_log >/dev/null
	settle
	defrag --recent 0 --apply --share 25 --request 128K --json $MNT/a
	# without leading zeroes
	sed -n 's/.*"seconds_left_to_others":\([0-9]*\)\.\([0-9]*\),.*/\1\2/p' /tmp/said | sed 's/^0*\([0-9]\)/\1/'
}

# within_budget() - with a budget of 256 KiB no more is written, by the result, and by the count of F2FS, with its nodes
within_budget() {
	local sys before

	sys=/sys/fs/f2fs/${DISK##*/}/lifetime_write_kbytes
	break_file $MNT/a 512
	settle
	before=$(cat "$sys")
	defrag --recent 0 --apply --budget 256K --request 128K --json $MNT/a
	sync
	check "with a budget of 256 KiB two windows of 128 KiB are moved" said '"moved_bytes":262144,'
	check "and not much more is written: $(($(cat "$sys") - before)) KiB" test $(($(cat "$sys") - before)) -ge 256 -a $(($(cat "$sys") - before)) -lt 384
	rm $MNT/a
}

# share_of_the_disk() - with --share it waits while others read, and only then
share_of_the_disk() {
	local reader alone beside

	fileop write $MNT/other 0 4M
	# else the next segment may be the neighbour of the one that has ended
	mount -o remount,mode=fragment:segment $MNT
	alone=$(left_ms)
	rm $MNT/a
	while :; do
		dd if=$MNT/other of=/dev/null bs=4096 iflag=direct 2>/dev/null
	done &
	reader=$!
	beside=$(left_ms)
	kill $reader
	wait $reader 2>/dev/null || :
	# F2FS itself writes now and then
	check "beside a reader it leaves time to others, $beside ms, and alone none, or little, $alone ms" test "$((alone * 4))" -lt "$beside"
	settle
	check "windows in which a segment has ended are moved once more" grep -q '"moved_twice":[1-9]' /tmp/said
	# not more, if F2FS has written between
	check "and then all are whole, or nearly all ($(extra $MNT/a) extra requests)" test "$(extra $MNT/a)" -lt 3
	rm $MNT/a $MNT/other
	mount -o remount,mode=adaptive $MNT
}

TRACING=/sys/kernel/tracing
plan 37
command -v fragtrace >/dev/null || skip_rest "fragtrace defrag" "it is not in this guest"
defrag
expect "without the module: the status is 1" $rc 1
check "without the module: the message names it" said 'the module fragtrace is not loaded'
make_volume $DISK $MNT noinline_data || bail "no volume"
load path=$MNT
defrag
expect "without a file: the plan is empty" $rc 4
reads_at_once

break_file $MNT/a 256
settle
check "the requests of the plan are equal to those of the text files" same_requests
defrag --recent 600
expect "recent breaks by overwriting are not planned" $rc 4
check "the plan says how to prevent them" said 'recent breaks of '
rm $MNT/a
beside mapping mapping ''
beside "mapping, direct writes" mapping oflag=direct
case $(uname -r) in
6.[0-9].* | 6.1[01].*)
	n=0
	while [ $n -lt 6 ]; do
		skip "ioctl" "F2FS_IOC_DEFRAGMENT may hang here"
		n=$((n + 1))
	done
	;;
*) beside ioctl ioctl '' ;;
esac

io_class
within_budget
share_of_the_disk

# The way that fits the kernel, on files that grew in turn: all fragments are joined.
n=0
while [ $n -lt 24 ]; do
	fileop write $MNT/grows $((n * 16))K 16K
	fileop write $MNT/too $((n * 16))K 16K
	sync
	n=$((n + 1))
done
settle
defrag --request 128K
expect "files that grew in turn are planned" $rc 0
defrag --apply --request 128K --json
expect "all planned ranges are moved" $rc 0
check "the JSON has the result" said '"ended_early":null,"truth":"snapshot","before":{"breaks":'
settle
expect "no request is split after the moves" "$(extra $MNT/grows) $(extra $MNT/too)" "0 0"
unload
umount $MNT
check "fsck.f2fs finds nothing" sh -c "fsck.f2fs $DISK >/dev/null"
finish
