#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 99_discards.sh - discards and zone resets: numbers are those of the disk, of F2FS and of its events; times are those the disk is made to take
#
# The disk is in memory, and takes $NS for each request. What F2FS has queued is its own events of that name; what waits is in its
# sysfs, or the kernel's file f2fs/status; what the disk got is in its file stat, and for zones, in what they are by blkzone.
#
# group: causes
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

TRACING=/sys/kernel/tracing
# F2FS's blocks are pages
B=$PAGE_SIZE
NS=100000000
SYS=/sys/fs/f2fs/nullb0

# end() - remove the disk
end() {
	cleanup
	[ ! -d $TRACING/events/f2fs ] || trace 0
	losetup -d /dev/loop7 2>/dev/null || :
	remove_null_disk
	rmmod null_blk 2>/dev/null || :
	rm -f /tmp/busybox-*
}
trap end EXIT

# trace(0|1) - F2FS's events of its queue, and those of the block layer
trace() {
	local event

	for event in $TRACING/events/f2fs/f2fs_*_discard $TRACING/events/f2fs/f2fs_*_reset_zone $TRACING/events/block/block_rq_issue \
		$TRACING/events/block/block_rq_complete; do
		echo "$1" >"$event/enable"
	done
}

# number(line, field) - print a number of ours
number() {
	awk -v line="$1" -v n="$2" '$2 == line { print $n }' $DBG/discards
}

# events() - print how many of F2FS's events of each name there were since begin(), and the sum of their blocks
events() {
	awk '
		function value(hex,	i, n) {
			for (i = 3; i <= length(hex); i++)
				n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		match($0, / f2fs_[a-z_]+: /) {
			name = substr($0, RSTART + 6, RLENGTH - 8)
			n[name]++
			blocks[name] += value($NF)
		}
		END { for (name in n) print "event", name, n[name], blocks[name] }' $TRACING/trace
}

# disk() - print how many discards have ended on the disk, and their blocks
disk() {
	awk -v b="$B" '{ print $12 + $13, $14 * 512 / b }' /sys/block/nullb0/stat
}

# f2fs(name) - print a number of F2FS's own; 6.1 has them in its file status only
f2fs() {
	cat "$SYS/stat/$1" 2>/dev/null ||
		awk -v name="$1" '/Discard: \(/ {
			sub(/.*Discard: /, "")
			gsub(/[^0-9]+/, " ")
			split($0, n, " ")
			print name == "queued_discard" ? n[1] : name == "issued_discard" ? n[2] : n[4]
		}' /sys/kernel/debug/f2fs/status
}

# waiting() - print how many commands and blocks F2FS has queued, by F2FS
waiting() {
	echo "$(cat $SYS/pending_discard) $(f2fs undiscard_blks)"
}

# begin() - nothing is under way, and all counts begin
begin() {
	loop_until 20 idle || :
	echo >$TRACING/trace
	echo reset >$DBG/discards
	was=$(disk)
	was_ms=$(awk '{ print $15 }' /sys/block/nullb0/stat)
	issued=$(f2fs issued_discard)
	waited=$(waiting)
}

# idle() - has F2FS nothing on the disk?
idle() {
	[ "$(f2fs queued_discard)" = 0 ]
}

# agree() - do all numbers agree? Prints those that do not
agree() {
	events | awk -v was="$was" -v issued=$(($(f2fs issued_discard) - issued)) -v waited="$waited" -v waiting="$(waiting)" -v b="$B" '
		function same(what, a, b) {
			if (a != b)
				print "# " what ": " a ", not " b
		}
		$1 == "event" { n[$2] = $3; blocks[$2] = $4 }
		FILENAME ~ /\/stat$/ { ended = $12 + $13; ended_blocks = $14 * 512 / b }
		$2 == "discard" { for (i = 3; i <= NF; i++) discard[i] = $i }
		$2 == "pending" { for (i = 3; i <= NF; i++) pending[i] = $i }
		$2 == "by" { by += $3; by_blocks += $4 }
		END {
			split(was, disk, " ")
			split(waited, before, " ")
			split(waiting, now, " ")
			same("queued", discard[3] " " discard[4], n["queue_discard"] + 0 " " blocks["queue_discard"] + 0)
			same("commands", discard[5], n["issue_discard"] + 0)
			same("removed", pending[9], n["remove_discard"] + 0)
			same("issued, by F2FS", discard[6], issued + 0)
			same("issued, by the disk", discard[6] " " discard[7], (ended - disk[1]) " " (ended_blocks - disk[2]))
			same("ended", discard[8] " " discard[9] " " discard[12], discard[6] " 0 0")
			same("waiting", pending[3] " " pending[4] " " pending[5], waiting " 0")
			same("left", pending[8], before[2] + blocks["queue_discard"] - discard[7] - now[2])
			same("by all threads", by + 0 " " by_blocks + 0, discard[6] " " discard[7])
		}' - $DBG/discards /sys/block/nullb0/stat >/tmp/differs || echo "# a file cannot be read" >>/tmp/differs
	[ ! -s /tmp/differs ]
}

# check_sums(text) - all numbers agree; what is under way may end first
check_sums() {
	loop_until 20 agree || cat /tmp/differs
	check "$1: numbers are those of F2FS and of the disk" test ! -s /tmp/differs
	awk '!/^#/ { sub(/^[^ ]+ /, ""); text = text $0 ";" } END { print "# " text }' $DBG/discards
}

# traced(discard|reset) - print how long they took on average, in us, by the block layer's events. A reset is a request without sectors
# that is no flush
traced() {
	awk -v what="$1" -v dev="$(tr : , </sys/block/nullb0/dev)" '
		{
			for (i = 1; i < NF && $i !~ /^block_rq_(issue|complete):$/; i++)
				;
			for (k = i; k < NF && $k != "()"; k++)
				;
		}
		k + 3 > NF || $(i + 1) != dev { next }
		what == "discard" ? $(i + 2) !~ /^D/ : $(k + 3) != 0 || $(i + 2) ~ /F/ { next }
		$i == "block_rq_issue:" { begun[$(k + 1)] = $(i - 1) + 0 }
		$i == "block_rq_complete:" { n++; sum += $(i - 1) - begun[$(k + 1)] }
		END { printf "%.0f\n", n ? sum / n * 1000000 : 0 }' $TRACING/trace
}

# check_times(discard|reset) - they took as long as the disk was told to, and no longer than the block layer's events say
#
# An emulated CPU may stop for some milliseconds between two probes.
check_times() {
	local mean by_events differ

	mean=$(awk -v what="$1" '$2 == what { printf "%.0f\n", $10 / $8 }' $DBG/discards)
	by_events=$(traced "$1")
	differ=$((mean > by_events ? mean - by_events : by_events - mean))
	check "$1: each took what the disk was told to, and what the block layer's events say, within 5 % or 2 ms ($mean, $by_events us)" \
		test "$mean" -ge $((NS / 1000)) -a $differ -le $((by_events > 40000 ? by_events / 20 : 2000))
}

# issuer(thread) - print what a thread has issued: discards, their blocks, resets
issuer() {
	awk -v comm="$1" '$2 == "by" && $NF == comm { print $3, $4, $5; found = 1 } END { if (!found) print "0 0 0" }' $DBG/discards
}

# delete(names...) - delete these files, and have F2FS write a checkpoint
delete() {
	local name

	for name; do
		rm "$MNT/$name"
	done
	sync
}

# hold() - F2FS issues by itself only what is a segment or more; its thread, which begins anew, looks twice a second
hold() {
	echo 512 >$SYS/discard_granularity
	echo 500 >$SYS/max_discard_issue_time
	mount -o remount,nodiscard $MNT
	mount -o remount,discard $MNT
}

# issue() - F2FS's thread issues all when it looks
issue() {
	echo 1 >$SYS/gc_urgent
	loop_until 90 grep -q '^0$' $SYS/pending_discard || :
	echo 0 >$SYS/gc_urgent
}

# said(name, pattern) - does fragtrace say so?
said() {
	if command -v fragtrace >/dev/null; then
		fragtrace discards >/tmp/text
		sed 's/^/# /' /tmp/text
		check "$1" grep -Eq "$2" /tmp/text
	else
		skip "$1" "fragtrace is not in this guest"
	fi
}

# mount_zones() - mount F2FS on two devices, of which the second one has zones of 1024 blocks, all of them sequential; false if that is not
# possible
mount_zones() {
	truncate -s $((10240 * B)) /tmp/first
	losetup /dev/loop7 /tmp/first
	make_zoned_disk 64 4 4 0 && echo 0 >$NULL_DISK_CONFIG/power && echo 2 >$NULL_DISK_CONFIG/irqmode &&
		echo $NS >$NULL_DISK_CONFIG/completion_nsec && echo 1 >$NULL_DISK_CONFIG/power && loop_until 5 test -b $NULL_DISK &&
		command -v blkzone >/dev/null && mkfs.f2fs -q -f -m -c $NULL_DISK /dev/loop7 >/tmp/mkfs 2>&1 &&
		mount -t f2fs -o mode=lfs /dev/loop7 $MNT
}

plan 37
modprobe loop
make_null_disk size=$(((40960 * B) >> 20)) discard=1 irqmode=2 completion_nsec=$NS || skip_rest "discards" "this kernel has no null_blk with discards"
mounted $TRACING || mount -t tracefs tracefs $TRACING
echo 16384 >$TRACING/buffer_size_kb
make_volume $NULL_DISK $MNT discard,background_gc=off || bail "no volume"
load path=$MNT
check "without discards=1 the file says so" grep -q '^# not known: the module was loaded with discards=0$' $DBG/discards
expect "and has nothing" "$(grep -vc '^#' $DBG/discards)" 0
unload

load path=$MNT discards=1
settle || :
expect "the format" "$(head -n 1 $DBG/discards)" "# fragtrace discards 1"
expect "a write other than reset is refused" "$(fileop say $DBG/discards all)" EINVAL
trace 1
hold
for n in 1 2 3 4 5 6 7 8; do
	fileop write $MNT/f$n 0 $((256 * B))
	fileop write $MNT/between$n 0 "$B"
done
sync
begin
delete f1 f3 f5
check_sums "three files are deleted"
check "their 768 blocks wait ($(number pending 4))" test "$(number pending 4)" -ge 768 -a "$(number discard 6)" = 0
said "fragtrace says what waits" "^  pending: $(cat $SYS/pending_discard) commands? of .*; the queue has not been empty for "
said "and why" "^  \(discard_granularity=512\): what is smaller waits for fstrim"
if command -v fragtrace >/dev/null; then
	expect "with F2FS's own numbers" "$(fragtrace discards --json | sed -n 's/.*"pending_discard":\([0-9]*\),.*"undiscard_blks":\([0-9]*\|null\),"discard_granularity":\([0-9]*\).*/\1 \2 \3/p')" \
		"$(cat $SYS/pending_discard) $(cat $SYS/stat/undiscard_blks 2>/dev/null || echo null) 512"
else
	skip "with F2FS's own numbers" "fragtrace is not in this guest"
fi
outer=$(uptime_ms)
begin
inner=$(uptime_ms)
sleep 6
inner=$(($(uptime_ms) - inner))
mean=$(awk '$2 == "pending" { printf "%.0f\n", $7 / $4 }' $DBG/discards)
outer=$(($(uptime_ms) - outer))
check "each block has waited as long as we ($mean ms, from $inner to $outer)" test "$mean" -ge $((inner - 20)) -a "$mean" -le $((outer + 20))
since=$(number pending 6)
check "something has waited for longer ($since ms)" test "$since" -ge "$mean"
begin
issue
check_sums "F2FS's thread issues them"
expect "all are its own" "$(awk '$2 == "by"' $DBG/discards | wc -l) $(issuer "$(echo "f2fs_discard-$(cat /sys/block/nullb0/dev)" | cut -c 1-15)")" \
	"1 $(number discard 6) $(number discard 7) 0"
check_times discard
expect "nothing waits any more" "$(number pending 3) $(number pending 4) $(number pending 6)" "0 0 0"

begin
delete f7
sleep 3
check_sums "one more is deleted"
freed=$(number pending 4)
echo 1000 >$SYS/min_ssr_sections
fileop write $MNT/fill 0 $((768 * B)) sync
check_sums "F2FS fills holes"
check "blocks that are written again leave without a discard ($(number pending 8) of $freed)" test "$(number pending 8)" -gt 0
begin
delete f6 fill
check_sums "what has filled them is deleted"
mount -o remount,nodiscard $MNT
check_sums "a remount issues all that waits"
check "by its own thread ($(issuer mount))" test "$(issuer mount)" != "0 0 0"
begin
delete f2
check_sums "with nodiscard"
expect "nothing is queued" "$(number discard 3) $(number pending 4)" "0 0"
said "fragtrace says so" "^  It is mounted with nodiscard: F2FS queues only what fstrim asks for"
begin
fstrim $MNT
check_sums "fstrim"
check "discards what is free, by its own thread ($(issuer fstrim))" test "$(issuer fstrim)" = "$(number discard 6) $(number discard 7) 0" -a "$(number discard 7)" -gt 256
said "fragtrace names it" "^  issued: [0-9,]+ discards? of .*: [0-9,]+ by fstrim$"
# the disk itself frees its memory before it waits
mean=$(awk '$2 == "discard" { printf "%.0f\n", $10 / $8 }' $DBG/discards)
most=$(awk -v was="$was_ms" -v n="$(number discard 8)" '{ printf "%.0f\n", ($15 - was + 1) * 1000 / n }' /sys/block/nullb0/stat)
check "each took what the disk was told to, and no more than the block layer says ($mean, at most $most us)" \
	test "$mean" -ge $((NS / 1000)) -a "$mean" -le "$most"

# 11 programs are told apart by their names, 13 have some; then comes F2FS's own thread.
begin
for name in a b c d e f g h i j k l m; do
	ln -sf /bin/busybox "/tmp/busybox-$name"
	fileop write $MNT/f3 0 "$B" sync
	delete f3
	"/tmp/busybox-$name" fstrim $MNT
done
mount -o remount,discard $MNT
fileop write $MNT/f3 0 "$B" sync
delete f3
issue
check_sums "13 programs and F2FS's thread issue discards"
expect "the first 11 have their names" "$(awk '$2 == "by" && $NF ~ /^busybox-/ { printf "%s", substr($NF, 9) }' $DBG/discards)" abcdefghijk
check "the others are together ($(issuer '*'))" test "$(issuer '*')" != "0 0 0"
check "F2FS's thread has its name still" grep -q " by .* f2fs_discard-" $DBG/discards
umount $MNT
expect "a volume that is gone has no lines" "$(grep -vc '^#' $DBG/discards)" 0
unload

NS=20000000
SYS=/sys/fs/f2fs/loop7
mount_zones || skip_rest "zone resets" "there is no zoned disk, or no blkzone"
load path=$MNT discards=1
settle || :
# F2FS collects nothing meanwhile; its thread issues all when it looks, which is once a minute at least
echo 100000 >$SYS/gc_idle_interval
[ ! -e $SYS/discard_urgent_util ] || echo 0 >$SYS/discard_urgent_util
# 6.1 takes zones without a write pointer first
fileop write $MNT/c 0 $((10240 * B)) sync
fileop write $MNT/a 0 $((6144 * B)) sync
fileop write $MNT/b 0 $((2048 * B)) sync
begin
blkzone report $NULL_DISK >/tmp/before
delete a
# 6.1 resets at once
[ ! -e $SYS/discard_urgent_util ] || loop_until 90 grep -q '^0$' $SYS/pending_discard || :
loop_until 20 idle || :
sync
blkzone report $NULL_DISK >/tmp/after
emptied=$(awk '{ name = $2 } FILENAME ~ /before/ { was[name] = $0; next } /zcond: 1\(em\)/ && was[name] !~ /zcond: 1\(em\)/ { n++ } END { print n + 0 }' /tmp/before /tmp/after)
expect "as many resets as zones that have become empty, 1024 blocks each" "$(number reset 6) $(number reset 7) $(number reset 8)" "$emptied $((emptied * 1024)) $emptied"
expect "as F2FS reports: queued, issued" "$(number reset 3) $(number reset 5)" \
	"$(events | awk '{ n[$2] = $3 } END { print n["queue_reset_zone"] + 0, n["issue_reset_zone"] + 0 }')"
check "there are some ($emptied)" test "$emptied" -ge 4
# the disk frees the memory of a zone before it waits
check_times reset
finish
