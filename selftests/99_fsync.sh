#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 99_fsync.sh - fsyncs are counted, with their phases, node blocks and the reasons for checkpoints; delays show where they are
#
# group: causes quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# dev_of(mount point) - print MAJOR:MINOR of the volume there
dev_of() {
	mnt=$1 awk '$5 == ENVIRON["mnt"] { print $3 }' /proc/self/mountinfo
}

# row(name, number) - print a field of a line of the only watched volume: 3 the count, 4 the sum; "-" if it is not known
row() {
	name=$1 n=$2 awk '$2 == ENVIRON["name"] { print $(ENVIRON["n"] + 0) }' $DBG/fsync
}

# count(name) - print how many values a histogram has
count() {
	row "$1" 3
}

# counts(names...) - print the counts of several
counts() {
	local name text

	text=
	for name; do
		text="$text${text:+ }$(count "$name")"
	done
	echo "$text"
}

# least_ms(name) - print the least that the longest value can be, in milliseconds
least_ms() {
	name=$1 awk '$2 == ENVIRON["name"] { split($NF, b, ":"); print (NF > 4 ? int(b[1] / 1000) : 0) }' \
		$DBG/fsync
}

# consistent() - are the phases and the rest as long as the fsyncs, the buckets as many as the counts, and each sum one that
# values of these buckets can have?
consistent() {
	awk '
		/^#/ || $3 == "-" { next }
		$2 == "fsync" { whole = $4 }
		$2 ~ /^(data|node|checkpoint|flush|other)$/ { parts += $4 }
		$2 ~ /^checkpoint:/ { reasons += $3; by_reason += $4 }
		$2 == "checkpoint" { checkpoints = $3; in_checkpoints = $4 }
		$4 != "-" {
			n = least = most = 0
			unit = $2 == "node_blocks" ? 1 : 1000
			for (i = 5; i <= NF; i++) {
				split($i, b, ":")
				n += b[2]
				least += b[1] * b[2] * unit
				most += (b[1] ? 2 * b[1] : 1) * b[2] * unit
			}
			if (n != $3 || $4 < least || (n && $4 >= most)) {
				print "# " $0
				bad = 1
			}
		}
		END {
			print "# fsyncs " whole " ns, phases and rest " parts " ns; checkpoints " checkpoints ", by reason " reasons
			exit bad || !whole || whole != parts || checkpoints != reasons || in_checkpoints != by_reason
		}' $DBG/fsync
}

# iostat(name) - print the bytes written that F2FS itself has counted; those read come later in its file
iostat() {
	awk -v name="$1:" 'index($0, name) == 1 { sub(/.*: */, ""); print $1; exit }' "/proc/fs/f2fs/${DISK##*/}/iostat_info"
}

# unfollowed() - print what the file says is not known, but functions that this kernel has not: ThinLTO may make one a part of another
unfollowed() {
	awk '
		FNR == NR && /^# not known: .* cannot be followed/ { line[$4] = $0; some = 1; next }
		FNR == NR { if (/^# not known/) print; next }
		# the second file is a long one
		!some { exit }
		$2 ~ /[tT]/ && $3 in line { print line[$3] }' $DBG/fsync /proc/kallsyms
}

# fsyncs(files...) - an fsync of each
fsyncs() {
	local file

	for file; do
		sync "$file"
	done
}

# The searches, by an event of the kernel's own.
TRACING=/sys/kernel/tracing
DM=/dev/dm-0

plan 43
B=$PAGE_SIZE
modprobe dm_mod 2>/dev/null || :
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/off 0 "$B"
fsyncs $MNT/off
check "without fsync=1 the file says so" grep -q '^# not known: the module was loaded with fsync=0$' $DBG/fsync
expect "and has no counts" "$(grep -vc '^#' $DBG/fsync)" 0
unload

load path=$MNT fsync=1
settle || :
expect "the format" "$(head -n 1 $DBG/fsync)" "# fragtrace fsync 1"
expect "every function is followed that this kernel has" "$(unfollowed)" ""
expect "nothing is counted yet" "$(counts fsync data node checkpoint flush failed missed)" "0 0 0 0 0 0 0"

# A new file in a folder that is not on the volume yet: the folder's own checkpoint is not needed.
for n in 1 2 3 4 5 6 7 8 9 10; do
	fileop write $MNT/f$n 0 $((2 * B))
	fsyncs $MNT/f$n
done
expect "ten fsyncs" "$(counts fsync data node flush other)" "10 10 10 10 10"
expect "without a checkpoint" "$(count checkpoint)" 0
check "the sums are consistent" consistent
expect "each new file has one node block" "$(row node_blocks 3) $(row node_blocks 4) $(row node_blocks 5)" "10 10 1:10"
expect "fsyncs of clean files write no node" "$(fsyncs $MNT/f1 $MNT/f2; counts fsync node_blocks) $(row node_blocks 4)" "12 12 10"
echo reset >$DBG/fsync
expect "reset" "$(counts fsync data node flush other node_blocks alloc_nid)" "0 0 0 0 0 0 0"
expect "a write other than reset is refused" "$(fileop say $DBG/fsync all)" EINVAL

sync -d $MNT/f3
fileop write $MNT/f3 0 "$B" dsync
expect "fdatasync and O_DSYNC are fsyncs" "$(count fsync)" 2

# F2FS's own count of node blocks, on a volume where nothing else writes: it counts by the byte.
echo reset >$DBG/fsync
if echo 1 >"/sys/fs/f2fs/${DISK##*/}/iostat_enable" 2>/dev/null && [ -n "$(iostat 'fs node')" ]; then
	before=$(iostat 'fs node')
	fileop append $MNT/appended 4K 50 fdatasync
	after=$(iostat 'fs node')
	expect "as many node blocks as F2FS counts" "$(row node_blocks 4)" $(((after - before) / B))
	check "50 of them or more" test "$(row node_blocks 4)" -ge 50
else
	skip "as many node blocks as F2FS counts" "this kernel has no iostat"
	skip "50 of them or more" "this kernel has no iostat"
fi
expect "50 fdatasyncs" "$(count fsync)" 50

# Reasons for a checkpoint, provoked.
sync
echo reset >$DBG/fsync
fileop write $MNT/linked 0 "$B"
ln $MNT/linked $MNT/link
fsyncs $MNT/linked
expect "a hard link needs a checkpoint" "$(counts checkpoint checkpoint:hardlink node)" "1 1 0"
mkdir $MNT/folder
fsyncs $MNT/folder
expect "a folder, too" "$(counts checkpoint checkpoint:non_regular)" "2 1"
fileop write $MNT/moved 0 "$B"
sync
fileop rename $MNT/moved $MNT/folder/moved
fileop write $MNT/folder/moved 0 "$B"
fsyncs $MNT/folder/moved
expect "a file that has moved has lost its parent" "$(counts checkpoint checkpoint:wrong_pino)" "3 1"
check "the sums are consistent with them" consistent

# Node IDs.
echo reset >$DBG/fsync
fileop many $MNT/many 100 1 0
expect "each new inode takes a node ID" "$(count alloc_nid)" 100
mounted $TRACING || mount -t tracefs tracefs $TRACING
lacking=
if echo 'p:searches __f2fs_build_free_nids' 2>/dev/null >>$TRACING/kprobe_events; then
	# the flusher searches, too: not between one of the two and the other one
	flusher=$(cat /proc/sys/vm/dirty_writeback_centisecs)
	echo 0 >/proc/sys/vm/dirty_writeback_centisecs
	echo 1 >$TRACING/events/kprobes/searches/enable
	echo reset >$DBG/fsync
	fileop many $MNT/more "$B" 0 0
	echo 0 >$TRACING/events/kprobes/searches/enable
	expect "F2FS searches for free ones, as often as the kernel traces" "$(count all_searches)" "$(grep -c ' searches:' $TRACING/trace)"
	echo "$flusher" >/proc/sys/vm/dirty_writeback_centisecs
	echo '-:searches' >>$TRACING/kprobe_events
	expect "not in an fsync" "$(count search)" 0
	# In an fsync it does so for each block, as long as it has cached 100000 addresses of nodes or more;
	# each time it forgets as many as a block of its table has.
	for part in 0 1 2 3; do
		fileop numbers $MNT/f1 $((20000 + part * (25000 + B / 8))) $((25000 + B / 8))
		# each of them leaves a page; without memory F2FS would forget the addresses
		echo 1 >/proc/sys/vm/drop_caches
	done
	echo reset >$DBG/fsync
	for n in 1 2 3; do
		fileop write $MNT/f$n 0 "$B"
		fsyncs $MNT/f$n
	done
	search=$(row search 4) data=$(row data 4)
	expect "three of three fsyncs search, within their phase of data ($search of $data ns)" \
		"$(counts fsync search) $((search > 0 && search < data))" "3 3 1"
else
	lacking="ThinLTO has made __f2fs_build_free_nids a part of its caller"
	expect "searches are not known" "$(counts search all_searches)" "- -"
	skip "not in an fsync" "$lacking"
	skip "three of three fsyncs search, within their phase of data" "$lacking"
fi

# A volume that is not watched.
make_volume $DISK2 $MNT2 || bail "no second volume"
echo reset >$DBG/fsync
fileop write $MNT2/other 0 "$B"
fsyncs $MNT2/other
fileop many $MNT2/many 100 1 0
expect "nothing of a volume that is not watched" "$(counts fsync node_blocks alloc_nid) $(grep -c "^$(dev_of $MNT2) " $DBG/fsync)" "0 0 0 0"
umount $MNT2

# Many at a time: exact, too.
n=0
while [ $n -lt 16 ]; do
	fileop append $MNT/thread$n 4K 20 fdatasync &
	n=$((n + 1))
done
wait
expect "16 processes at a time" "$(counts fsync missed)" "320 0"
check "their sums are consistent" consistent
check_exact "the maps are right" -u $MNT
unload

# anew() - an empty volume, so that what follows does not scan thousands of files with each load
anew() {
	umount $MNT
	make_volume $DISK $MNT || bail "no volume"
}

anew
# A delay in one phase is in that phase alone. late.ko is loaded first: so what it delays is within what is measured.
late_in() {
	local phase longest

	phase=$1
	shift
	if ! late "$@" after_ms=700; then
		skip "a delay of $phase by $1" "there is no late.ko"
		return 0
	fi
	load path=$MNT fsync=1
	settle || :
	echo reset >$DBG/fsync
	fileop write $MNT/late-"$phase" 0 $((2 * B))
	[ "$phase" != checkpoint ] || ln $MNT/late-"$phase" $MNT/late-link
	fsyncs $MNT/late-"$phase"
	# on a busy machine other phases take long, too
	longest=$(awk '$2 ~ /^(data|node|checkpoint|flush|other)$/ && $4 > most { most = $4; name = $2 } END { print name }' $DBG/fsync)
	expect "a delay of $phase by $1" "$longest $(($(least_ms "$phase") >= 200)) $(count fsync) $(consistent >/dev/null && echo consistent)" \
		"$phase 1 1 consistent"
	sed 's/^/# /' $DBG/fsync | grep -v '^# #' | head -n 12
	unload
	late
}
late_in data function=file_write_and_wait_range
# Either of the two functions of a phase, which add up.
late_in node function=f2fs_fsync_node_pages
late_in node function=f2fs_wait_on_node_pages_writeback
late_in checkpoint function=f2fs_write_checkpoint
late_in flush function=f2fs_issue_flush

# The search: every inode that is created in the meantime waits for it, no fsync does. F2FS keeps as many free node IDs
# as 8 blocks of its table have, 3640 with blocks of 4 KiB: with more files than that it has to search.
if [ -z "$lacking" ] && late function=__f2fs_build_free_nids after_ms=300; then
	load path=$MNT fsync=1
	settle || :
	echo reset >$DBG/fsync
	fileop many $MNT/slow "$B" 0 0
	check "a delay of the search ($(least_ms all_searches) ms)" test "$(least_ms all_searches)" -ge 200
	check "is a delay of what needs a node ID ($(least_ms alloc_nid) ms)" test "$(least_ms alloc_nid)" -ge 200
	late
	unload
else
	skip "a delay of the search" "${lacking:-there is no late.ko}"
	skip "is a delay of what needs a node ID" "${lacking:-there is no late.ko}"
fi

anew
# One of five fsyncs fails: F2FS stops after it has begun. What begins later is refused at once, and is none.
make_volume $DISK2 $MNT2 || bail "no second volume"
load path=$MNT2 fsync=1
for n in 1 2 3 4; do
	fileop write $MNT2/f$n 0 "$B"
	fsyncs $MNT2/f$n
done
fileop write $MNT2/fails 0 "$B"
if late function=file_write_and_wait_range after_ms=4000; then
	fsyncs $MNT2/fails 2>/dev/null &
	sleep 1.5
	f2fs_io shutdown 2 $MNT2 >/dev/null
	wait $! && echo "# it has not failed" || :
	late
	refuse "an fsync of a stopped F2FS fails" fsyncs $MNT2/f1 2>/dev/null
	expect "one of five fsyncs has failed" "$(counts fsync failed missed)" "5 1 0"
else
	skip "an fsync of a stopped F2FS fails" "there is no late.ko"
	skip "one of five fsyncs has failed" "there is no late.ko"
fi
unload
umount $MNT2

# The table has room for 128 fsyncs. Those that wait for a disk are more.
if dmsetup --noudevsync create slow --table "0 $(cat "/sys/class/block/${DISK2##*/}/size") linear $DISK2 0" 2>/dev/null && [ -e $DM ] &&
	make_volume $DM $MNT2; then
	load path=$MNT2 fsync=1
	fileop many $MNT2/wait 200 "$B" 0
	dmsetup suspend --nolockfs slow || bail "cannot suspend"
	waiting=
	for file in "$MNT2"/wait*; do
		sync "$file" &
		waiting="$waiting $!"
	done
	sleep 5
	dmsetup resume slow
	# shellcheck disable=SC2086 # a list
	wait $waiting
	expect "200 fsyncs at a time: each is counted or missed" $(($(count fsync) + $(count missed))) 200
	check "as many are missed as the table has no room for ($(count missed))" test "$(count missed)" -ge 72
	unload
	umount $MNT2
	dmsetup remove slow
else
	skip "200 fsyncs at a time: each is counted or missed" "there is no device-mapper"
	skip "as many are missed as the table has no room for" "there is no device-mapper"
fi

# The module goes while fsyncs are under way: before each unload some have ended, and after the last one some go on.
rm -f /tmp/enough
late function=f2fs_issue_flush after_ms=5 || :
until [ -e /tmp/enough ]; do
	fileop append $MNT/busy 4K 20 fdatasync
done &
# some_ended() - has an fsync ended since the module was loaded?
some_ended() {
	[ "$(count fsync)" -gt 0 ]
}
seen=0
n=0
while [ $n -lt 3 ]; do
	load path=$MNT fsync=1
	! loop_until "$SOON" some_ended || seen=$((seen + 1))
	unload
	n=$((n + 1))
done
touch /tmp/enough
expect "loaded and unloaded three times while fsyncs were under way" "$seen" 3
wait
late
load path=$MNT fsync=1
fsyncs $MNT/busy
expect "and counts again" "$(count fsync)" 1

# A later F2FS may write nodes without reporting them.
if late function=fsync_node_block skip=1; then
	echo reset >$DBG/fsync
	fileop append $MNT/silent 4K 70 fdatasync
	expect "node blocks that are not reported are not 0, but not known" "$(counts fsync node_blocks)" "70 -"
	check "a line says so" grep -q "^# not known: $(dev_of $MNT) node_blocks: F2FS reported no node" $DBG/fsync
	late
else
	skip "node blocks that are not reported are not 0, but not known" "nothing can be silenced here"
	skip "a line says so" "nothing can be silenced here"
fi
finish
