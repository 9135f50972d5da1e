#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 75_causes.sh - the causes of breaks: each operation, each kind of flush, each reason, made on purpose
#
# group: causes quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# breaks(file) - print `offset op flush why_here process` of each break of a file, the process without its number
breaks() {
	path=$MNT/$1 awk '!/^#/ && $NF == ENVIRON["path"] && $9 != "-" {
		sub(/:[0-9]+$/, "", $12)
		print $3, $9, $10, $11, $12
	}' $DBG/extents
}

# kinds(file) - print `number op flush why_here process` of its breaks, most frequent first
kinds() {
	breaks "$1" | awk '{ sub(/^[0-9]+ /, ""); n[$0]++ } END { for (kind in n) print n[kind], kind }' | sort -rn
}

# pairs() - print by_pair without volumes and numbers of processes
pairs() {
	awk '!/^#/ {
		gsub(/:[0-9]+/, "")
		print $2, $3, $4, $5, $6
	}' $DBG/by_pair
}

# lines(line...) - print each argument on a line
lines() {
	printf '%s\n' "$@"
}

# write_until(stat, n) - write to the file `large` until a figure of `stats` is not 0, or `n` has this value
write_until() {
	while [ "$(stat_of "$1")" = 0 ] && [ $n -lt "$2" ]; do
		fileop random $MNT/large 200000 2000 $n >/dev/null
		sync
		n=$((n + 1))
	done
}

# in_turn(times, command...) - run a command for files `a` and `b` in turn: FILE is the name, N the number of earlier runs
in_turn() {
	local times

	times=$1 N=0
	shift
	while [ $N -lt "$times" ]; do
		for FILE in a b; do
			"$@"
		done
		N=$((N + 1))
	done
}

# fresh() - begin with an empty volume
fresh() {
	loop_until 20 umount $MNT 2>/dev/null || :
	make_volume $DISK $MNT || bail "no volume"
	await_live
}

# sums(name) - the sums in the files of sums agree with the single breaks
sums() {
	settle
	check "$1" sums_agree
}

# ssr_breaks(earlier, file) - has a new file breaks by `ssr` at each fragment in a segment that other files had blocks in?
#
# `earlier` is a copy of `table` from before the file was written.
ssr_breaks() {
	path=$MNT/$2 awk -v earlier="$1" '
		FILENAME == earlier && /^# volume/ { split($4, main, "="); split($6, size, "=") }
		/^#/ { next }
		FILENAME == earlier {
			for (b = $2; b < $2 + $3; b++)
				used[int((b - main[2]) / size[2])] = 1
			next
		}
		$NF == ENVIRON["path"] && $9 != "-" {
			fills = int(($5 - main[2]) / size[2]) in used
			if (fills != ($11 == "ssr")) {
				print "# " $0
				bad = 1
			}
			n += fills
		}
		END {
			print "# " n + 0 " breaks"
			exit bad || n < 10
		}' "$1" $DBG/extents
}

# change(how, number) - change one of some blocks that are not next to each other
change() {
	local at

	at=$((($2 * 4 + 2) * B))
	case $1 in
	write) fileop write $MNT/write $at "$B" sync ;;
	mmap) fileop mmap $MNT/mmap $at "$B" ;;
	punch) fileop fallocate $MNT/punch punch $at "$B" ;;
	atomic) fileop atomic $MNT/atomic begin write $at "$B" commit ;;
	esac
}

# four_writers() - change 12 blocks of each of four files, all at the same time, while a fifth file is written
four_writers() {
	local how n jobs

	rm -f /tmp/enough
	(
		n=0
		until [ -e /tmp/enough ]; do
			fileop random $MNT/load 4000 100 $n every 4 >/dev/null
			n=$((n + 1))
		done
	) &
	jobs=
	for how in write mmap punch atomic; do
		(
			n=0
			while [ $n -lt 12 ]; do
				change $how $n
				n=$((n + 1))
			done
		) &
		jobs="$jobs $!"
	done
	for n in $jobs; do
		wait "$n"
	done
	touch /tmp/enough
	wait
}

# append_sync(), append_direct(), pin(), reserve() - one step of in_turn()
append_sync() {
	fileop append "$MNT/$FILE" "$B" 1 fdatasync
}

append_direct() {
	fileop write "$MNT/$FILE" $((N * 16 * B)) $((16 * B)) direct
}

# on_disk() - print the extents that have been written
on_disk() {
	awk '!/^#/ && $8 != "unwritten"' $DBG/extents
}

# is_written() - are there others than $before?
is_written() {
	[ "$(on_disk)" != "$before" ]
}

append_only() {
	before=$(on_disk)
	fileop append "$MNT/$FILE" "$B" 1
	loop_until 20 is_written
}

reserve() {
	[ $N -gt 0 ] || { : >"$MNT/$FILE" && fileop pin "$MNT/$FILE" 1; }
	fileop fallocate "$MNT/$FILE" default $((N * 512 * B)) $((512 * B))
}

append_sparse() {
	fileop write "$MNT/$FILE" $((N * 2 * B)) "$B" sync
}

plan 63
B=$PAGE_SIZE
mkdir -p $MNT
make_volume $DISK $MNT || bail "no volume"
fileop write $MNT/old 0 $((16 * B)) sync
fileop write $MNT/between 0 $((16 * B)) sync
fileop write $MNT/old $((16 * B)) $((16 * B)) sync
load path=$MNT
settle
expect "unknown: breaks are older than the module" "$(breaks old)" "16 unknown none unknown unknown"

fresh
in_turn 4 append_sync
expect "append, sync, interleaved" "$(kinds a)" "3 append sync interleaved fileop"
expect "append, sync, interleaved: the other file has the same breaks" "$(kinds b)" "3 append sync interleaved fileop"
expect "by_pair names both" "$(awk '!/^#/ && $4 ~ /^fileop:/ && $6 ~ /^fileop:/ && $4 != $6 { n += $2 } END { print n }' \
	$DBG/by_pair)" 6
expect "by_pair has the device of the volume" "$(awk '!/^#/ { print $1 }' $DBG/by_pair | sort -u)" \
	"$(mnt=$MNT awk '$5 == ENVIRON["mnt"] { print $3 }' /proc/self/mountinfo)"
rm $MNT/b
sync
in_turn 3 append_sparse
# a fragment of two extents, which begins with a break, and has a hole in it
fileop write $MNT/c 0 "$B" sync
fileop write $MNT/d 0 "$B" sync
fileop write $MNT/c "$B" "$B"
fileop write $MNT/c $((3 * B)) $((3 * B))
sync
sums "extents and files add up"

fresh
cd /proc/sys/vm || exit 1
was="$(cat dirty_writeback_centisecs) $(cat dirty_expire_centisecs)"
echo 20 >dirty_writeback_centisecs
echo 20 >dirty_expire_centisecs
in_turn 3 append_only
echo "${was% *}" >dirty_writeback_centisecs
echo "${was#* }" >dirty_expire_centisecs
cd / || exit 1
expect "append, writeback" "$(kinds a)" "2 append writeback interleaved fileop"

fresh
fileop write $MNT/a 0 $((16 * B)) sync
fileop write $MNT/a $((4 * B)) "$B" sync
expect "overwrite, moved: the block and the next one" "$(breaks a)" \
	"$(lines "4 overwrite sync moved fileop" "5 overwrite sync moved fileop")"
fileop mmap $MNT/a $((8 * B)) "$B"
sync
expect "mmap" "$(breaks a | grep mmap)" "$(lines "8 mmap sync moved fileop" "9 mmap sync moved fileop")"
fileop write $MNT/a $((8 * B)) "$B" sync
expect "overwrite: a later write to a block that was written through a mapping" "$(breaks a | sed -n 's/^8 //p')" "overwrite sync moved fileop"
(fileop write $MNT/a $((12 * B)) "$B"; sh -c "exec dd if=/dev/zero of=$MNT/a bs=$B seek=12 count=1 conv=notrunc 2>/dev/null")
sync
expect "several: the processes that wrote to one page" "$(breaks a | grep '^12')" "12 overwrite sync moved several"
fileop write $MNT/a $((12 * B)) "$B" sync
expect "one process that writes the page again is named" "$(breaks a | grep '^12' | cut -d ' ' -f 5)" fileop
fileop write $MNT/a $((8 * B)) "$B" sync
echo reset >$DBG/healed
fileop write $MNT/a 0 $((16 * B)) sync
expect "a file that is rewritten as a whole has no breaks" "$(breaks a)" ""
# 12 and 13, 8 and 9, 4 and 5
expect "healed breaks are counted, by their cause" "$(grep -v '^#' $DBG/healed | cut -d ' ' -f 2-)" "overwrite sync moved 6 -"
dd if=/dev/zero of=$DBG/healed bs=1 seek=1 count=0 conv=notrunc 2>/dev/null
check "healed allows a seek when it is open for writing" test -f $DBG/healed
echo reset >$DBG/healed
expect "a write to it resets the count" "$(grep -vc '^#' $DBG/healed)" 0
# This shell writes block 4 and then 5. The break before 5, of another process, has gone then; the shell's own in between does not
# count. What is cut off meanwhile does not matter.
fresh
fileop write $MNT/a 0 $((64 * B)) sync
fileop write $MNT/a $((5 * B)) "$B" sync
# small writes go to the log of directories: from here on no directory is written
sync
echo reset >$DBG/healed
exec 9<>$MNT/a
dd bs="$B" count=4 <&9 >/dev/null 2>&1
printf "%${B}d" 4 >&9
sync
fileop truncate $MNT/a $((60 * B))
printf "%${B}d" 5 >&9
sync
exec 9<&-
expect "the breaks before and after both blocks" "$(breaks a | cut -d ' ' -f 1)" "$(lines 4 6)"
expect "a break that two writes have replaced is healed once" "$(grep -v '^#' $DBG/healed | cut -d ' ' -f 2-)" "overwrite sync moved 1 -"

fresh
fileop fallocate $MNT/a.sst keep 0 $((256 * B))
# 73 blocks and a part of one
fileop append $MNT/a.sst $((100000 * (B / 4096))) 3 fdatasync
breaks a.sst >/tmp/before
fileop truncate $MNT/a.sst $((300000 * (B / 4096)))
sync
expect "tail: truncation within the last block after fdatasync" "$(breaks a.sst | grep '^73')" "73 tail sync moved fileop"
fileop append $MNT/a.sst $((5000 * (B / 4096))) 1 fdatasync
expect "overwrite: a write that continues in the last block" "$(breaks a.sst | sed -n '/^73/s/ sync.*//p')" "73 overwrite"

fresh
in_turn 3 append_direct
expect "direct" "$(kinds a)" "2 direct none interleaved fileop"
expect "by_pair names both that write directly" "$(pairs | awk '{ n[$2 " " $3 " " $4 " " $5] += $1 } END { for (k in n) print n[k], k }')" "4 - fileop - fileop"
fresh
in_turn 3 reserve
expect "prealloc" "$(kinds a)" "2 prealloc none new_segment fileop"
sums "extents and files add up with pinned files"

fresh
fileop write $MNT/a 0 $((64 * B)) sync
fileop fallocate $MNT/a punch $((16 * B)) $((4 * B))
settle
expect "range: a hole is punched" "$(breaks a)" "20 range none moved fileop"
fileop fallocate $MNT/a collapse "$B" $((2 * B))
fileop write $MNT/b 0 $((64 * B)) sync
fileop fallocate $MNT/b insert $((16 * B)) $((2 * B))
settle
expect "range: collapse and insert" "$(kinds a | cut -d ' ' -f 2,3; kinds b | cut -d ' ' -f 2,3)" \
	"$(lines "range none" "range none")"
fileop write $MNT/c 0 $((16 * B)) sync
fileop move $MNT/b 0 $MNT/c $((8 * B)) $((2 * B))
settle
sync
expect "range: moved from another file" "$(breaks c | cut -d ' ' -f 1-3)" "$(lines "8 range none" "10 range none")"

fresh
printf '%3000d' 1 >$MNT/a
sync
fileop write $MNT/a "$B" $((32 * B))
sync
expect "inline: data from the inode is in the log of hot data" "$(breaks a | cut -d ' ' -f 1,2,4)" "1 inline other_log"

fresh
fileop write $MNT/a "$B" $((32 * B))
sync
# a flush of so few blocks goes to the log of hot data
fileop write $MNT/a 0 "$B" sync
expect "a block of another log before older ones" "$(breaks a)" "1 append sync other_log fileop"

fresh
fileop write $MNT/a 0 $((16 * B)) sync
fileop atomic $MNT/a begin write $((4 * B)) "$B" commit
settle
expect "atomic" "$(breaks a)" "$(lines "4 atomic sync moved fileop" "5 atomic sync moved fileop")"
in_turn 8 append_sync
fileop defrag $MNT/b 0 $((4 * B))
settle
expect "defrag" "$(breaks b | grep defrag)" "4 defrag none moved fileop"

# Data of an atomic write takes the next block of the log even if it is never committed. It counts for
# the file, not for the copy that F2FS writes to. After the first sync no directory is written in between.
fresh
fileop write $MNT/a.db 0 $((16 * B)) sync
fileop write $MNT/b.log 0 "$B" sync
sync
fileop append $MNT/b.log "$B" 1 fdatasync
echo reset >$DBG/healed
fileop atomic $MNT/a.db begin write $((4 * B)) $((4 * B)) sync
fileop append $MNT/b.log "$B" 1 fdatasync
expect "by_pair names the file that is written atomically" "$(pairs)" "1 .log fileop .db fileop"
fileop append $MNT/a.db "$B" 1 fdatasync
: >$MNT/new
sync
fileop append $MNT/a.db "$B" 1 fdatasync
expect "by_pair reports a directory as unwatched" "$(pairs | grep unwatched)" "1 .db fileop unwatched unknown"

fresh
fileop many $MNT/g 200 $((7 * B)) $((5 * B)) 7
sync
rm $MNT/g*[1245780]
sync
settle
cat $DBG/extents >/tmp/earlier
fileop gc $MNT 1 20
settle
check "gc_fg: breaks of all blocks that were moved, and no others" moved_breaks gc_fg /tmp/earlier
expect "gc_fg: these breaks have no flush" "$(causes | awk '$2 == "gc_fg" { print $3 }' | sort -u)" none
expect "gc_fg: these breaks are of the process that requested it" "$(awk '!/^#/ && $9 == "gc_fg" && $12 !~ /^fileop:/' $DBG/extents)" ""
fresh
fileop many $MNT/g 200 $((7 * B)) $((5 * B)) 7
sync
rm $MNT/g*[1245780]
sync
sys=/sys/fs/f2fs/${DISK##*/}
cat $DBG/extents >/tmp/earlier
echo 50 >"$sys/gc_urgent_sleep_time"
# what follows of a file that was half moved may heal its break
n=0
while [ $n -lt 10 ]; do
	echo 1 >"$sys/gc_urgent"
	loop_until 20 sh -c "sync; grep -q ' gc_bg ' $DBG/extents"
	echo 0 >"$sys/gc_urgent"
	settle
	! grep -q ' gc_bg ' $DBG/extents || break
	n=$((n + 1))
done
check "gc_bg: breaks of all blocks that were moved, and no others" moved_breaks gc_bg /tmp/earlier
expect "gc_bg: these breaks have no flush" "$(causes | awk '$2 == "gc_bg" { print $3 }' | sort -u)" none
sums "extents and files add up after garbage collection"

fresh
for file in write mmap punch atomic; do
	fileop write $MNT/$file 0 $((64 * B)) sync
done
settle
expect "four files have no breaks before the writers start" "$(awk '!/^#/ && $6 > 1' $DBG/files)" ""
four_writers
settle
expect "four writers at the same time: breaks of the one that overwrites" "$(kinds write)" "24 overwrite sync moved fileop"
expect "four writers at the same time: breaks of the one that writes through a mapping" "$(kinds mmap)" "24 mmap sync moved fileop"
expect "four writers at the same time: breaks of the one that punches holes" "$(kinds punch)" "12 range none moved fileop"
# a scan may find such a block before its event: then why_here is unknown
expect "four writers at the same time: breaks of the one that writes atomically" "$(kinds atomic | awk '{ n[$2 " " $5] += $1 } END { for (k in n) print n[k], k }')" "24 atomic fileop"
sums "extents and files add up after four writers at the same time"

loop_until 20 umount $MNT 2>/dev/null || :
if ! make_special $DISK $MNT compress_algorithm=lz4,compress_log_size=2 -O extra_attr,compression; then
	skip "compress: a cluster is written again" "this kernel or these tools have no compression"
	skip "compress: clusters of two files in turn" "this kernel or these tools have no compression"
	skip "maps of compressed files are exact" "this kernel or these tools have no compression"
	make_volume $DISK $MNT || bail "no volume"
	await_live
else
	await_live
	mkdir $MNT/z
	f2fs_io setflags compression $MNT/z >/dev/null
	# four blocks become one; F2FS stores its address after the first of the four
	fileop write $MNT/z/a 0 $((16 * B)) sync
	settle
	fileop write $MNT/z/a $((4 * B)) $((4 * B)) sync
	settle
	expect "compress: a cluster is written again" "$(breaks z/a)" \
		"$(lines "5 compress none moved fileop" "9 compress none moved fileop")"
	for n in 0 1 2; do
		for file in c d; do
			fileop write $MNT/z/$file $((n * 4 * B)) $((4 * B)) sync
			settle
		done
	done
	expect "compress: clusters of two files in turn" "$(kinds z/c; kinds z/d)" \
		"$(lines "2 compress none interleaved fileop" "2 compress none interleaved fileop")"
	check_exact "maps of compressed files are exact" -u $MNT
fi

fresh
fileop many $MNT/g 400 $((7 * B)) $((5 * B)) 7
sync
rm $MNT/g*[1245780]
sync
settle
cat $DBG/table >/tmp/earlier
echo 100000 >"$sys/min_ssr_sections"
fileop write $MNT/a 0 $((2048 * B)) sync
settle
check "ssr: breaks are exactly those in segments that had valid blocks" ssr_breaks /tmp/earlier a
# on a small volume the logs use each other's segments
loop_until 20 umount $MNT 2>/dev/null || :
mkfs.f2fs -q -f -t 0 $DISK $((64 * B)) >/dev/null && mount_volume $DISK $MNT || bail "no small volume"
await_live
fileop write $MNT/a 0 $((10240 * B)) sync
expect "new_segment: breaks at the end of a segment" "$(breaks a | cut -d ' ' -f 2-4 | sort -u)" "append sync new_segment"

fileop hold $MNT/b.sst $((16 * B)) /tmp/ready /tmp/go &
loop_until "$PATIENCE" test -e /tmp/ready || bail "no process holds a file"
fileop write $MNT/c 0 "$B" sync
touch /tmp/go
loop_until "$PATIENCE" test -e /tmp/ready.2 || bail "it is not written"
settle
expect "a deleted file keeps its break" "$(causes | awk '$8 ~ /^.sst/ { print $5, $8 }')" "1 .sst"
rm /tmp/go
wait $!
check_exact "maps are exact" -u $MNT
unload
load path=$MNT causes=0
settle
expect "causes=0: all parts of a cause are unknown" "$(breaks a | cut -d ' ' -f 2-5 | sort -u)" "unknown none unknown unknown"
check "causes=0: the text says that causes are off" grep -q 'causes=0' $DBG/healed
unload
loop_until 20 umount $MNT
make_volume $DISK $MNT || bail "no volume"
load path=$MNT max_mem_mb=1
in_turn 4 append_sync
n=0
write_until causes_lost 60
check "causes are dropped when the budget is nearly used up" test "$(stat_of causes_lost)" -gt 0
expect "no file is left out" "$(stat_of refused)" 0
expect "breaks without causes are unknown" "$(breaks large | cut -d ' ' -f 4 | sort | uniq -c | sort -rn | awk '{ print $2; exit }')" unknown
check_exact "maps are exact without causes" $MNT
# A large history of one file does not remove the causes of another.
write_until refused 120
check "the map of the large file is left out ($n rounds, $(stat_of causes_lost) lost their causes)" logged "inode $(stat -c %i $MNT/large) of .* is left out"
expect "a small file keeps its causes" "$(kinds a)" "3 append sync interleaved fileop"
in_turn 4 append_sync
expect "a small file gets more causes" "$(kinds a)" "7 append sync interleaved fileop"
unload
loop_until 20 umount $MNT
make_volume $DISK $MNT || bail "no volume"
load path=$MNT max_mem_mb=1
in_turn 1 append_sync
n=0
while [ "$(stat_of refused)" = 0 ] && [ $n -lt 50 ]; do
	fileop many $MNT/x$n- 200 100 0
	n=$((n + 1))
done
sync
echo reset >$DBG/by_pair
lost=$(stat_of causes_lost)
in_turn 3 append_sync
lost=$(($(stat_of causes_lost) - lost))
# there may be room for a pair for a moment
pairs >/tmp/pairs
sed 's/^/# /' /tmp/pairs
expect "by_pair adds up the pairs that exceed its limit (6, $lost without causes)" \
	"$(awk '{ n += $1 } /\*/ { others = 1 } END { print n, others }' /tmp/pairs)" "$((6 - lost)) 1"
check "most breaks have a cause still" test $lost -le 3
finish
