#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 99_ledger.sh - what is written is counted by kind, process and file; sums are those of F2FS's iostat and of the disk, to the byte
#
# group: causes quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

SYS=/sys/fs/f2fs/${DISK##*/}
SEED=${SEED:-1}

# kind(names...) - print the bytes of these kinds
kind() {
	awk -v names=" $* " '$2 == "kind" && index(names, " " $3 " ") { sum += $5 } END { printf "%.0f\n", sum }' $DBG/ledger
}

# kinds() - print all kinds with their logs and bytes, but for metadata
kinds() {
	awk '$2 == "kind" && $3 !~ /^(checkpoint|sit|nat|ssa|super)$/ { printf "%s%s %s %s", sep, $3, $4, $5; sep = ", " } END { print "" }' $DBG/ledger
}

# sums(line, copy) - print those of all lines of this name, process or file: buffered mapped direct data node gc moved
sums() {
	awk -v line="$1" '$2 == line { for (i = 3; i <= 9; i++) sum[i] += $i }
		END { for (i = 3; i <= 9; i++) printf "%.0f%s", sum[i], i < 9 ? " " : "\n" }' "${2:-$DBG/ledger}"
}

# of(line, name) - print the sums of the last process, or the file, of this name
of() {
	awk -v line="$1" -v name="$2" '$2 == line && (line == "file" ? $NF : $11) == name { text = $3 " " $4 " " $5 " " $6 " " $7 " " $8 " " $9 }
		END { print text ? text : "none" }' $DBG/ledger
}

# The kernel's own counts of the disks of the volume.
STATS=/sys/block/${DISK##*/}/stat

# device(field) - print a number of the disks: written or discarded bytes; 3 and 4 are those of the ledger, 7 and 14 the kernel's own
#
# %d of some awks ends at 2 GiB, which the disk of many tests has had.
device() {
	# shellcheck disable=SC2086 # a list of files
	awk -v n="$1" 'n < 5 && $2 == "device" { sum = $n } n > 4 && FILENAME ~ /\/stat$/ { sum += $n * 512 } END { printf "%.0f\n", sum }' \
		$DBG/ledger $STATS
}

# are_idle() - have the disks ended all requests?
are_idle() {
	for stat in $STATS; do
		cat "${stat%stat}inflight"
	done | awk '$1 + $2 { busy = 1 } END { exit busy }'
}

# begin() - all is on the disk, and all counts begin
#
# F2FS may discard at any time, and the disks count what has ended.
begin() {
	sync
	sync
	loop_until "$PATIENCE" have_begun || bail "the disks do not come to rest: $written bytes written, $discarded discarded"
}

# have_begun() - reset all counts; false if the disks got something meanwhile
have_begun() {
	written=$(device 7) discarded=$(device 14)
	echo 0 >"$SYS/iostat_enable"
	echo 1 >"$SYS/iostat_enable"
	echo reset >$DBG/ledger
	are_idle && [ "$(device 7) $(device 14)" = "$written $discarded" ]
}

# agrees() - do all sums agree? Prints those that do not
agrees() {
	# shellcheck disable=SC2086 # a list of files
	awk -v written="$written" -v discarded="$discarded" '
		# the sum of some numbers
		function all(numbers, names,	name, n, sum) {
			for (n = split(names, name, ", "); n; n--)
				sum += numbers[name[n]]
			return sum + 0
		}
		function same(what, a, b) {
			if (a + 0 != b + 0)
				printf "# %s: %.0f, not %.0f\n", what, a, b
		}
		$2 == "kind" { kind[$3] += $5 }
		$2 == "device" { device[3] = $3; device[4] = $4 }
		$2 == "process" { for (i = 3; i <= 9; i++) process[i] += $i }
		$2 == "file" { for (i = 3; i <= 9; i++) file[i] += $i }
		FILENAME ~ /\/stat$/ { disk[7] += $7 * 512; disk[14] += $14 * 512 }
		/^\[/ { section = $1 }
		section == "[WRITE]" && /:/ {
			name = $0
			sub(/:.*/, "", name)
			sub(/.*: */, "")
			f2fs[name] = $1
		}
		END {
			data = "new, rewritten, in_place, atomic, compressed, inline, directory, gc_fg, gc_bg, defrag, range"
			nodes = "node_sync, node_writeback, node_checkpoint, node_gc"
			metadata = "checkpoint, sit, nat, ssa"
			same("buffered", file[3], f2fs["app buffered data"])
			same("mapped", file[4], f2fs["app mapped data"])
			same("direct", kind["direct"], f2fs["app direct data"])
			same("direct, by file", file[5], kind["direct"])
			same("data", all(kind, data), all(f2fs, "fs data, fs gc data, fs cp data"))
			same("foreground collection", kind["gc_fg"], f2fs["fs gc data"])
			same("nodes", all(kind, "node_sync, node_writeback"), f2fs["fs node"])
			same("nodes of checkpoints", kind["node_checkpoint"], f2fs["fs cp node"])
			same("nodes of collection", kind["node_gc"], f2fs["fs gc node"])
			same("metadata", all(kind, metadata), all(f2fs, "fs meta, fs cp meta"))
			for (i = 3; i <= 9; i++)
				same("processes and files, field " i, process[i], file[i])
			same("data and nodes of files", file[6] + file[7] + file[8] + file[9], all(kind, data ", " nodes))
			same("collection of files", file[8], all(kind, "gc_fg, gc_bg"))
			same("the disk, by kind", all(kind, data ", direct, " nodes ", " metadata ", super"), device[3])
			same("the disk", device[3], disk[7] - written)
			same("discards", device[4], disk[14] - discarded)
		}' $DBG/ledger "/proc/fs/f2fs/${DISK##*/}/iostat_info" $STATS >/tmp/differs || echo "# a file cannot be read" >>/tmp/differs
	[ ! -s /tmp/differs ]
}

# check_sums(text) - all sums agree; what is under way may end first
check_sums() {
	sync
	loop_until 20 agrees || cat /tmp/differs
	check "$1: sums are those of iostat and of the disk" test ! -s /tmp/differs
	echo "# $(device 3) bytes, $(device 4) discarded: $(kinds), metadata $(kind checkpoint sit nat ssa), super $(kind super)"
}

plan 32
B=$PAGE_SIZE
make_volume $DISK $MNT background_gc=off || bail "no volume"
if ! echo 1 >"$SYS/iostat_enable" 2>/dev/null || ! grep -q 'fs cp meta' "/proc/fs/f2fs/${DISK##*/}/iostat_info"; then
	skip_rest "sums of F2FS" "this kernel has no iostat"
fi
load path=$MNT
fileop write $MNT/a 0 $((16 * B)) sync
check "without ledger=1 the file says so" grep -q '^# not known: the module was loaded with ledger=0$' $DBG/ledger
expect "and has nothing" "$(grep -vc '^#' $DBG/ledger)" 0
unload
refuse "it needs causes" insmod "$FRAGTRACE_KO" path=$MNT ledger=1 causes=0

# since() - print since when the only watched volume is counted
since() {
	sed -n 's/^# since [0-9]*:[0-9]* //p' $DBG/ledger
}

before=$(date +%s)
load path=$MNT ledger=1
settle || :
loaded=$(since)
check "it says since when it counts" test "$before" -le "$loaded" -a "$loaded" -le "$(date +%s)"
sleep 1
echo reset >$DBG/ledger
check "since the reset, after one" test "$loaded" -lt "$(since)"
expect "the format" "$(head -n 1 $DBG/ledger)" "# fragtrace ledger 1"
expect "a write other than reset is refused" "$(fileop say $DBG/ledger all)" EINVAL

begin
fileop write $MNT/direct 0 $((16 * B)) direct
expect "16 direct blocks" "$(kinds) $(device 3)" "direct - $((16 * B)) $((16 * B))"
expect "are of the file, and of the process" "$(of file $MNT/direct), $(of process fileop)" "0 0 $((16 * B)) 0 0 0 0, 0 0 $((16 * B)) 0 0 0 0"
begin
fileop write $MNT/a $((16 * B)) "$B" sync
expect "an fsync of a new block is a block and a node" "$(kinds) $(device 3)" "new hot_data $B, node_sync warm_node $B $((2 * B))"
expect "both are of the file, and of the process" "$(of file $MNT/a), $(of process fileop)" "$B 0 0 $B $B 0 0, $B 0 0 $B $B 0 0"
begin
fileop write $MNT/a 0 $((2 * B)) sync
expect "two blocks are rewritten" "$(kinds)" "rewritten hot_data $((2 * B)), node_sync warm_node $B"
begin
fileop write $MNT/a 0 "$B"
fileop write $MNT/a $((2 * B)) "$B"
check_sums "two processes before a flush"
expect "blocks of a file that both have dirtied are of neither" "$(of process fileop)" "$B 0 0 0 0 0 0"
begin
fileop mmap $MNT/a 0 $((3 * B))
check_sums "a mapping"
expect "three pages" "$(of file $MNT/a | cut -d ' ' -f 1-2)" "0 $((3 * B))"
begin
echo 1 >"$SYS/ipu_policy"
fileop write $MNT/a 0 $((4 * B)) sync
echo 0 >"$SYS/ipu_policy"
expect "four blocks in place" "$(kinds)" "in_place - $((4 * B)), node_sync warm_node $B"
begin
mkdir $MNT/dir
check_sums "a directory"
check "is blocks of directories ($(kind directory)), and nodes of no file" test "$(kind directory)" -ge "$B" -a "$(sums file | cut -d ' ' -f 5)" -ge "$B"
begin
fileop defrag $MNT/a 0 $((16 * B))
check_sums "a defragmentation"
expect "16 blocks are moved" "$(kind defrag) $(of file $MNT/a | cut -d ' ' -f 7)" "$((16 * B)) $((16 * B))"

# Garbage collection: files with holes between them.
fileop many $MNT/dir/f 300 $((7 * B)) $((5 * B)) 7
sync
rm $MNT/dir/f*[1245780]
begin
fileop gc $MNT 1 10
check_sums "foreground collection"
check "has moved blocks ($(kind gc_fg))" test "$(kind gc_fg)" -gt 0
begin
fileop gc $MNT 0 10
check_sums "background collection"
check "has moved blocks ($(kind gc_bg))" test "$(kind gc_bg)" -gt 0

# Everything at once, by several processes.
begin
fileop random $MNT/r1 2000 1500 "$SEED" every 7 &
fileop random $MNT/r2 2000 1500 $((SEED + 1)) direct &
fileop append $MNT/r3 10000 60 fdatasync &
(
	for n in 1 2 3 4 5 6 7 8 9; do
		fileop mmap $MNT/r4 $((n * SEED % 50 * B)) 40000
		mkdir $MNT/dir/d$n
		echo $n >$MNT/dir/d$n/inline
		rm -f $MNT/dir/f*$n
		fileop gc $MNT 1 1
	done
) &
wait
check_sums "random work, seed $SEED"
expect "a process wrote what it wrote" "$(of file $MNT/r3 | cut -d ' ' -f 1-3)" "600000 0 0"
unload

# With little memory, the rest has what files and processes have not.
load path=$MNT ledger=1 max_mem_mb=1
settle || :
begin
fileop many $MNT/dir/m 3000 "$B" 0
check_sums "little memory"
check "memory was short" awk '$2 == "file" && $NF == "*" && $3 { found = 1 } END { exit !found }' $DBG/ledger
unload

# What goes to either of two devices counts. The first one is small, so that files go to the second one.
umount $MNT
modprobe loop
truncate -s 96M /tmp/first
losetup /dev/loop7 /tmp/first
mkfs.f2fs -q -f -t 0 -c $DISK2 /dev/loop7 >/dev/null
DISK=/dev/loop7 SYS=/sys/fs/f2fs/loop7 STATS="/sys/block/loop7/stat /sys/block/${DISK2##*/}/stat"
mount_volume $DISK $MNT || bail "no volume of two devices"
load path=$MNT ledger=1
settle || :
begin
fileop write $MNT/big 0 80M
fileop write $MNT/direct 0 1M direct
fileop random $MNT/a 1024 100 "${SEED:-991}" every 3
sync
rm $MNT/big
check_sums "two devices"
check "the second one is written, too" test "$(STATS=/sys/block/${DISK2##*/}/stat device 7)" -gt $((40 << 20))

# Each file takes 2 s to be copied: both go after the first one.
if late function=ft_counts_copy before_ms=2000; then
	cat $DBG/ledger >/tmp/copy &
	sleep 3
	rm $MNT/direct $MNT/a
	wait
	late
	expect "files that go while a reader copies their counts are counted once" "$(sums file /tmp/copy)" "$(sums process /tmp/copy)"
else
	skip "files that go while a reader copies their counts are counted once" "late.ko is not here"
fi
unload
umount $MNT
losetup -d /dev/loop7
finish
