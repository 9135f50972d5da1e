#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 99_cgroups.sh - reads are counted by cgroup, with the requests that they take; each count is known before
#
# kernels: first
# group: causes
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

CGROUPS=/sys/fs/cgroup

# reads(cgroup, arguments of fileop reads...) - read as a process of this cgroup, which is made if it is not there
reads() {
	local group

	group=$CGROUPS/$1
	shift
	mkdir -p "$group"
	(
		# 0 is the process that writes
		echo 0 >"$group/cgroup.procs"
		exec fileop reads "$@"
	)
}

# counts(cgroup) - print its counts: reads bytes requests whole unknown
counts() {
	path=$1 awk '!/^#/ && $7 == ENVIRON["path"] { print $2, $3, $4, $5, $6 }' $DBG/by_cgroup
}

# device_reads() - print how many requests to read the disk has had
device_reads() {
	awk '{ print $1 }' "/sys/block/${DISK##*/}/stat"
}

plan 32
B=$PAGE_SIZE
# Blocks of 1 MiB.
M1=$((1048576 / B))
[ -f $CGROUPS/cgroup.procs ] || mount -t cgroup2 none $CGROUPS || skip_rest "cgroups" "this kernel has none of version 2"
make_volume $DISK $MNT || bail "no volume"
echo 128 >"/sys/block/${DISK##*/}/queue/read_ahead_kb"
# The blocks of `whole` follow each other. Those of `pieces` did, then every second one was written anew elsewhere.
for name in whole pieces; do
	fileop write $MNT/$name 0 1M
	sync
done
block=0
while [ $block -lt $M1 ]; do
	fileop write $MNT/pieces $((block * B)) "$B"
	block=$((block + 2))
done
sync

load path=$MNT
reads off $MNT/pieces 0 1M 128K 128K direct
check "without cgroups=1 the file says so" grep -q '^# not known: ' $DBG/by_cgroup
expect "and has no counts" "$(grep -vc '^#' $DBG/by_cgroup)" 0
unload

load path=$MNT cgroups=1
settle || :
expect "the format" "$(grep -vE '^# (block_bytes|since)' $DBG/by_cgroup | tr '\n' ' ')" \
	"# fragtrace by_cgroup 1 # dev reads bytes requests whole unknown path "
reads one $MNT/whole 0 1M 128K 128K direct
expect "direct reads of a whole file" "$(counts /one)" "8 1048576 8 8 0"
before=$(device_reads)
reads two/below $MNT/pieces 0 1M 128K 128K direct
after=$(device_reads)
expect "direct reads of single blocks" "$(counts /two/below)" "8 1048576 $M1 8 0"
expect "the device had as many requests" $((after - before)) $M1
expect "\`files\` foresees as many" "$(column files $MNT/pieces 9) $(column files $MNT/pieces 10)" "$M1 8"
expect "the parent of a cgroup has read nothing" "$(counts /two)" ""
expect "the one that breaks cost most comes first" "$(awk '!/^#/ { print $7; exit }' $DBG/by_cgroup)" /two/below
expect "the device is that of the volume" "$(awk '!/^#/ { print $1; exit }' $DBG/by_cgroup)" "$(awk '!/^#/ { print $1; exit }' $DBG/table)"
reads one $MNT/whole 0 1M 128K 128K direct
fileop write $MNT/broken 0 $((16 * B)) sync
(
	echo 0 >$CGROUPS/one/cgroup.procs
	exec fileop write $MNT/broken $((4 * B)) "$B" sync
)
if command -v fragtrace >/dev/null; then
	expect "the cgroup of the process that broke a file is known" \
		"$(fragtrace processes | awk '!/^#/ && $5 == "fileop" { print $2, $3, $4, $7 }')" "2 12 1 /one"
else
	skip "the cgroup of the process that broke a file is known" "fragtrace is not in this guest"
fi
expect "counts add up" "$(counts /one)" "16 2097152 16 16 0"

reads cache $MNT/pieces 0 1M 128K 128K
expect "readahead" "$(counts /cache)" "8 1048576 $M1 8 0"
reads cache $MNT/pieces 0 1M 128K 128K cached
expect "what the page cache has is not read" "$(counts /cache)" "8 1048576 $M1 8 0"
reads pages $MNT/pieces 0 1M "$B" 64K random
expect "pages by system calls" "$(counts /pages)" "16 $((16 * B)) 16 16 0"
reads mapped $MNT/pieces 0 1M "$B" 64K random mmap
expect "pages of a mapping" "$(counts /mapped)" "16 $((16 * B)) 16 16 0"
reads 'odd name' $MNT/whole 0 1M 128K 128K direct uring
expect "io_uring, in a cgroup with a space in its name" "$(counts '/odd\040name')" "8 1048576 8 8 0"

# A hole needs no request, and does not end one: the blocks around it follow each other on the volume.
: >$MNT/hole
fileop truncate $MNT/hole 1M
reads hole $MNT/hole 0 1M 128K 128K direct
expect "a hole is read without a request" "$(counts /hole)" "8 1048576 0 0 0"
fileop write $MNT/hole 0 64K
fileop write $MNT/hole 96K 32K
settle || :
before=$(device_reads)
reads around $MNT/hole 0 128K 128K 128K direct
after=$(device_reads)
expect "one request reads both sides of a hole" "$(counts /around)" "1 131072 1 1 0"
expect "it does on the device" $((after - before)) 1
# The first page that is used lets readahead go on: the second read is in the hole.
reads around $MNT/hole 0 128K 128K 128K
expect "with readahead, too" "$(counts /around)" "3 393216 2 2 0"

# Every second block or so is apart: half of the file has some 600 extents, all of it more than 1024.
fileop write $MNT/large 0 $((2560 * B))
sync
fileop random $MNT/large 2560 2000 1 >/dev/null
settle || :
reads large $MNT/large 0 $((2560 * B)) $((2560 * B)) $((2560 * B)) direct
expect "a read of too many extents is unknown" "$(counts /large)" "0 0 0 0 1"
reads large $MNT/large 0 $((2560 * B)) $((1280 * B)) $((1280 * B)) direct
expect "a smaller one is not" "$(counts /large | cut -d ' ' -f 1,2,4,5)" "2 $((2560 * B)) 2 1"
# Nobody knows where the blocks of a file are that waits for its scan. To empty the page cache would wait for the CPU of late.ko.
if late function=ft_rebuild_merge before_ms=3000; then
	# on a busy machine, the scan may be over before the read begins
	for n in 1 2 3 4; do
		fileop fallocate $MNT/whole punch $((384 + 128 * n))K "$B"
		reads stale$n $MNT/whole 0 128K 128K 128K direct cached
		[ "$(stat_of stale)" = 0 ] || break
	done
	late
	expect "a read of a stale file is unknown" "$(counts /stale$n)" "0 0 0 0 1"
	settle || :
else
	skip "a read of a stale file is unknown" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
fi

rmdir $CGROUPS/two/below
expect "a cgroup that is removed keeps its counts" "$(counts /two/below)" "8 1048576 $M1 8 0"
mkdir $CGROUPS/two/below
reads two/below $MNT/whole 0 1M 128K 128K direct
expect "a later one of the same path has its own" "$(counts /two/below | sort -n | tr '\n' ';')" "8 1048576 $M1 8 0;8 1048576 8 8 0;"
expect "a write other than reset is refused" "$(fileop say $DBG/by_cgroup all)" EINVAL
echo reset >$DBG/by_cgroup
expect "reset forgets all" "$(grep -vc '^#' $DBG/by_cgroup)" 0
check_exact "the maps are right" -u $MNT
unload

# Without room in the budget no cgroup is added. What it reads is not lost.
load path=$MNT cgroups=1 max_mem_mb=1
n=0
while [ "$(stat_of refused)" = 0 ] && [ $n -lt 50 ]; do
	fileop many $MNT/x$n- 200 100 0
	n=$((n + 1))
done
# A cgroup is smaller than a file, so some may still find room.
for n in 1 2 3 4 5 6 7 8; do
	reads late$n $MNT/whole 0 1M 128K 128K direct
done
n=$((8 - $(grep -c ' /late[1-8]$' $DBG/by_cgroup || :)))
check "some have no room ($n of 8)" test $n -gt 0
expect "those are counted together" "$(counts '*')" "$((n * 8)) $((n * 1048576)) $((n * 8)) $((n * 8)) 0"
check "the maps are still right" test "$(stat_of lost)" = 0
for name in off one two/below two cache pages mapped 'odd name' hole around large stale1 stale2 stale3 stale4 late1 late2 late3 late4 late5 late6 late7 late8; do
	[ ! -d "$CGROUPS/$name" ] || rmdir "$CGROUPS/$name"
done
finish
