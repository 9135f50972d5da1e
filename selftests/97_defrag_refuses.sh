#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 97_defrag_refuses.sh - the files that fragtrace defrag does not move, and the events that end it early
#
# kernels: first
# group: defrag

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# said(text) - does the output have this text?
said() {
	grep -qF -- "$1" /tmp/said && return 0
	sed 's/^/# /' /tmp/said
	return 1
}

# break_file(file) - make a file of 256 KiB whose blocks are scattered
break_file() {
	fileop write "$1" 0 256K
	sync
	fileop random "$1" 64 64 "${SEED:-97}" every 8
	sync
}

# left_alone(path, why, later, options...) - it is left alone for this reason, and not moved; or F2FS refuses to move it, for
# the later one, if that is not empty
left_alone() {
	local rc file why later

	file=$1 why=$2 later=${3:-}
	shift $(($# < 3 ? $# : 3))
	settle || :
	column files "$file" 6 >/tmp/before
	rc=0
	fragtrace defrag --all --recent 0 --apply "$@" "$file" >/tmp/said 2>&1 || rc=$?
	set -- "$file" "$why" "$later"
	column files "$1" 6 >/tmp/after
	if [ $rc = 4 ] && said "left alone: $2" && cmp /tmp/before /tmp/after; then
		ok "left alone: $2"
	elif [ $rc = 3 ] && [ -n "${3:-}" ] && said "$3" && cmp /tmp/before /tmp/after; then
		ok "not moved: $3"
	else
		not_ok "left alone: $2" "status $rc"
	fi
}

# in_result(name, status, text, arguments...) - move all, as the arguments say; the JSON of the result has this text
in_result() {
	local name status text rc

	name=$1 status=$2 text=$3
	shift 3
	rc=0
	fragtrace defrag --all --apply --json --request 128K "$@" >/tmp/said 2>&1 || rc=$?
	if [ $rc = "$status" ] && said "$text"; then
		ok "$name"
	else
		not_ok "$name" "status $rc"
	fi
}

# runs(process, program) - does the process run it?
runs() {
	[ "$(readlink "/proc/$1/exe")" = "$2" ]
}

# kept_open(how, why, later) - a file that another process has open in this way is left alone
kept_open() {
	local keeper

	rm -f /tmp/ready
	fileop keep $MNT/a "$1" /tmp/ready &
	keeper=$!
	loop_until $SOON test -e /tmp/ready || echo "# the file is not open"
	left_alone $MNT/a "$2" "${3:-}"
	kill $keeper
	wait $keeper 2>/dev/null || :
}

# begin(arguments...) - move files slowly, in the background, until the first step is done
begin() {
	local written

	written=$(lifetime)
	fragtrace defrag --all --recent 0 --apply --request 32K --rate 64K "$@" >/tmp/said 2>&1 &
	JOB=$!
	loop_until $SOON has_written "$written" || echo "# nothing is written"
}

lifetime() {
	cat "/sys/fs/f2fs/${DISK##*/}/lifetime_write_kbytes"
}

# has_written(kilobytes) - has the volume been written to since?
has_written() {
	[ "$(lifetime)" -gt "$1" ]
}

# ended(name, text) - it ends early, and its output has this text
ended() {
	local rc

	rc=0
	wait $JOB || rc=$?
	if [ $rc = 3 ] && said "$2"; then
		ok "$1"
	else
		not_ok "$1" "status $rc"
	fi
}

# end() - the swap file would keep the volume mounted
end() {
	swapoff $MNT/swap 2>/dev/null || :
	cleanup
}
trap end EXIT

plan 35
command -v fragtrace >/dev/null || skip_rest "fragtrace defrag" "it is not in this guest"
make_special $DISK $MNT noinline_data -O extra_attr,compression,verity || make_volume $DISK $MNT noinline_data || bail "no volume"
load path=$MNT

# === Files ===

break_file $MNT/a
fileop immutable $MNT/a 1
left_alone $MNT/a "it is immutable"
break_file $MNT/b
settle || :
in_result "so its result says" 4 '{"path":"'$MNT'/a","ranges":2,"why":"it is immutable"}]' --recent 0 $MNT/a
in_result "also if another file is moved" 0 '{"path":"'$MNT'/a","ranges":2,"why":"it is immutable"}]' --recent 0 $MNT
fileop immutable $MNT/a 0
rm $MNT/b
hopeless='{"path":"'$MNT'/a","ranges":2,"why":"it will break again: '
in_result "what will break again is left alone on demand, and its result says so" 4 "$hopeless" --recent 600 $MNT/a
in_result "all is moved, also what will break again" 0 '"not_moved":[]}' $MNT/a
break_file $MNT/a
fileop append_only $MNT/a 1
left_alone $MNT/a "it may only be appended to"
fileop append_only $MNT/a 0
kept_open direct "it is open for direct writes, which go past the page cache"
rm -f /tmp/ready
fileop keep $MNT/a open /tmp/ready &
keeper=$!
loop_until $SOON test -e /tmp/ready || echo "# the file is not open"
rc=0
fragtrace defrag --all --recent 0 --apply --way mapping $MNT/a >/tmp/said 2>&1 || rc=$?
settle || :
column files $MNT/a 6 >/tmp/now
check "not moved by a mapping while it is open: it is said" said "another process has it open"
check "not moved by a mapping while it is open (status $rc)" sh -c "[ $rc = 3 ] && cmp -s /tmp/now /tmp/after"
kill $keeper
wait $keeper 2>/dev/null || :
kept_open lease "a process has a lease on it"
# F2FS of 7.3 looks for one only when it moves blocks
kept_open atomic "an atomic write to it is open" "or an atomic write to it is open"
if fileop pin $MNT/a 1 2>/dev/null; then
	left_alone $MNT/a "it is pinned"
	fileop pin $MNT/a 0
else
	skip "left alone: it is pinned" "only an empty file can be pinned here"
fi
break_file $MNT/sealed
if fileop verity $MNT/sealed 2>/dev/null; then
	left_alone $MNT/sealed "fs-verity protects it"
else
	skip "left alone: fs-verity protects it" "no fs-verity here"
fi
rm $MNT/sealed
: >$MNT/packed
if f2fs_io setflags compression $MNT/packed >/dev/null 2>&1; then
	dd if=/dev/urandom of=$MNT/packed bs=4096 count=64 conv=notrunc 2>/dev/null
	fileop random $MNT/packed 64 64 8 every 8
	left_alone $MNT/packed "it is compressed"
else
	skip "left alone: it is compressed" "no compression here"
fi
rm $MNT/packed

# A swap file is in whole segments, and these are not neighbours: a break in a request of 4 MiB.
: >$MNT/swap
: >$MNT/neighbour
chmod 600 $MNT/swap
if fileop pin $MNT/swap 1 2>/dev/null && fileop pin $MNT/neighbour 1; then
	fileop fallocate $MNT/swap default 0 2M
	fileop fallocate $MNT/neighbour default 0 2M
	fileop fallocate $MNT/swap default 2M 2M
	fileop write $MNT/swap 0 4M sync
	mkswap $MNT/swap >/dev/null
	sync
	swapon $MNT/swap || bail "it cannot be swapped to"
	left_alone $MNT/swap "it is a swap file" "" --request 4M
	swapoff $MNT/swap
	fileop pin $MNT/swap 0
	fileop pin $MNT/neighbour 0
else
	skip "left alone: it is a swap file" "no file can be pinned here"
fi
rm $MNT/swap $MNT/neighbour

# F2FS writes files with such names to the log of cold data, and rewrites them in place.
n=0
while [ $n -lt 8 ]; do
	fileop write $MNT/film.mp4 $((n * 16))K 16K
	fileop write $MNT/other.mp4 $((n * 16))K 16K
	sync
	n=$((n + 1))
done
left_alone $MNT/film.mp4 "F2FS rewrites it in place, because its extension is that of a cold file" "" --way mapping
rm $MNT/film.mp4 $MNT/other.mp4

# A copy of this guest's program, of which every other block is rewritten elsewhere.
cp "$(readlink -f /proc/$$/exe)" $MNT/sleep
sync
n=0
while [ $n -lt 32 ]; do
	dd if=$MNT/sleep of=$MNT/sleep bs=4096 count=1 skip=$n seek=$n conv=notrunc 2>/dev/null
	n=$((n + 2))
done
sync
$MNT/sleep 1000 &
keeper=$!
loop_until $SOON runs $keeper $MNT/sleep || echo "# it does not run"
left_alone $MNT/sleep "it is being executed" "it is being executed" --way mapping
kill $keeper
wait $keeper 2>/dev/null || :
rm $MNT/sleep

# === Volumes ===

echo 1 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
left_alone $MNT/a "F2FS rewrites in place there, so that no block would move"
echo 0 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
# F2FS keeps the nameless inode of an atomic write, which it writes to, until the inode of the file is evicted
echo 2 >/proc/sys/vm/drop_caches
loop_until $SOON mount -o remount,ro $MNT 2>/dev/null || bail "cannot mount it read-only"
left_alone $MNT/a "the volume is mounted read-only"
mount -o remount,rw $MNT

# === Changes during the moves ===

# The worst file comes first: the plan begins with a, and b has a step, too.
break_file $MNT/b
fileop truncate $MNT/b 192K
break_file $MNT/c
fileop truncate $MNT/c 128K
break_file $MNT/d
fileop truncate $MNT/d 64K
break_file $MNT/e
fileop truncate $MNT/e 128K
settle
ino=$(stat -c %i $MNT/e)
begin $MNT
kill -STOP $JOB
rc=0
fragtrace defrag --all --recent 0 --apply $MNT >/tmp/second 2>&1 || rc=$?
expect "a second fragtrace defrag moves nothing" "$rc $(grep -c "ended early: another fragtrace defrag is at work on $MNT" /tmp/second)" "3 1"
mv $MNT/b $MNT/b.old
cp $MNT/b.old $MNT/b
fileop truncate $MNT/c 16K
rm $MNT/d $MNT/e
# F2FS gives a number that is free again to a file after some thousand others
sync
mkdir $MNT/many
n=0
again=
while [ -z "$again" ] && [ $n -lt 8 ]; do
	fileop many $MNT/many/$n- 1000 0 0
	again=$(find $MNT/many -inum "$ino")
	n=$((n + 1))
done
[ -n "$again" ] || bail "no file has the inode number of the one that was removed"
mv "$again" $MNT/e
fileop write $MNT/e 0 128K sync
kill -CONT $JOB
ended "files that changed since the plan are skipped" "another file has its name now"
check "a file that was truncated is reported" said "it was cut since the plan was made"
check "a file that was removed is reported" said "it is gone"
check "a file that has its name and its inode number is not moved" said "another file has its name and its inode number now"
check "the other files are moved" said "moved: "
rm -r $MNT/many
check_exact "the maps are exact" $MNT

rm $MNT/a $MNT/b $MNT/b.old $MNT/c $MNT/e

# Blocks that come after the plan was made are not in its budget: two windows of 8 blocks, of which the second one had 6 then.
break_file $MNT/grows
fileop truncate $MNT/grows 64K
fileop fallocate $MNT/grows punch 40K 8K
settle
begin --budget 56K --rate 8K $MNT/grows
kill -STOP $JOB
fileop write $MNT/grows 40K 8K sync
kill -CONT $JOB
ended "no more than the budget is written" "it has more blocks there than when the plan was made, and the budget is used up"
check "which the result says" said "moved: 1 range of 2, 32 KiB"
rm $MNT/grows
break_file $MNT/a
settle
cat $MNT/a >/tmp/copy
begin $MNT
kill -TERM $JOB
ended "a signal ends fragtrace defrag after a step" "ended early: a signal ended it"
check "the content is unchanged after the signal" cmp $MNT/a /tmp/copy

begin $MNT
kill -STOP $JOB
unload
kill -CONT $JOB
rc=0
wait $JOB || rc=$?
expect "fragtrace defrag continues without the module" $rc 0
check "the result is from FIEMAP without the module" said "now, by FIEMAP, of 1 file worked on: breaks "
check "the content is unchanged without the module" cmp $MNT/a /tmp/copy

umount $MNT
check "fsck.f2fs finds nothing" sh -c "fsck.f2fs $DISK >/dev/null"

# A pinned file takes free segments until fewer are left than F2FS reserves.
make_volume $DISK2 $MNT2 noinline_data,nodiscard || bail "no second volume"
break_file $MNT2/f
: >$MNT2/fill
fileop pin $MNT2/fill 1 || :
size=900
while [ $size -gt 600 ] && ! fileop fallocate $MNT2/fill default 0 ${size}M 2>/dev/null; do
	size=$((size - 50))
done
load path=$MNT2
settle
rc=0
fragtrace defrag --all --recent 0 --apply $MNT2/f >/tmp/said 2>&1 || rc=$?
if [ $rc = 3 ]; then
	check "a volume without enough free segments ends fragtrace defrag" said "is too full"
else
	not_ok "a volume without enough free segments ends fragtrace defrag" "status $rc, $size MiB"
	sed 's/^/# /' /tmp/said
fi
finish
