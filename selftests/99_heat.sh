#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 99_heat.sh - reads are counted by window: buffered, direct, mapped, by AIO and io_uring; each count is known before
#
# group: causes quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# heat(file) - print its counts, `window:reads,blocks,requests,overwrites` for each window of 32 blocks
heat() {
	awk -v path="$MNT/$1" '!/^#/ && $9 == path { printf "%s%d:%d,%d,%d,%d", n++ ? " " : "", $3 / 32, $4, $5, $6, $7 }' $DBG/heat
}

# continued(file) - print, for each window, how many reads had begun in the window before
continued() {
	awk -v path="$MNT/$1" '!/^#/ && $9 == path { printf "%s%d:%d", n++ ? " " : "", $3 / 32, $8 }' $DBG/heat
}

# sums(file) - print the sums of its counts: reads blocks requests overwrites
sums() {
	awk -v path="$MNT/$1" '!/^#/ && $9 == path { r += $4; b += $5; q += $6; o += $7 }
		END { print r + 0, b + 0, q + 0, o + 0 }' $DBG/heat
}

# make(file) - a file of 8 windows, in one fragment, whose pages are clean
make() {
	fileop write "$MNT/$1" 0 $((8 * W))
	sync
}

# requests_across(file, offset, length) - print how many requests the disk gets for direct reads of windows of this range
requests_across() {
	local before

	before=$(awk '{ print $1 }' "/sys/block/${DISK##*/}/stat")
	fileop reads "$MNT/$1" "$2" "$3" $W $W direct
	echo $(($(awk '{ print $1 }' "/sys/block/${DISK##*/}/stat") - before))
}

# tells(name, command...) - check what fragtrace has said or done, if this guest has it
tells() {
	if command -v fragtrace >/dev/null; then
		check "$@"
	else
		skip "$1" "fragtrace is not in this guest"
	fi
}

plan 64
B=$PAGE_SIZE
# A window, in bytes: 32 blocks, which is the default where a block has 4 KiB.
W=$((32 * B))
make_volume $DISK $MNT || bail "no volume"
echo $((W / 1024)) >"/sys/block/${DISK##*/}/queue/read_ahead_kb"

load path=$MNT
make off
fileop reads $MNT/off 0 $((8 * W)) $W $W
expect "without heat=1 nothing is counted" "$(grep -c '^[^#]' $DBG/heat) $(stat_of heat_bytes)" "0 0"
check "which the file says" grep -q '^# not known: ' $DBG/heat
fragtrace defrag $MNT >/tmp/said 2>&1 || :
tells "and fragtrace defrag" grep -q 'loaded with heat=1; say --all' /tmp/said
fragtrace view --color-by heat -o /tmp/heat.png >/tmp/said 2>&1 || :
tells "and fragtrace" grep -q 'loaded with heat=1$' /tmp/said
unload
refuse "a window of no power of 2" insmod "$FRAGTRACE_KO" heat=1 heat_window_kb=100
refuse "no period" insmod "$FRAGTRACE_KO" heat=1 heat_period_secs=0

load path=$MNT heat=1
expect "the format" "$(sed '/^# block_bytes /d' $DBG/heat | head -n 2 | tr '\n' ' ')" "# fragtrace heat 2 # windows blocks=$((131072 / B)) period_secs=3600 "
unload
# a period that ends while this test runs would halve all counts
load path=$MNT heat=1 heat_window_kb=$((W / 1024)) heat_period_secs=100000000
for name in seq random direct map aio uring adirect udirect; do
	make $name
done
expect "new blocks are no overwrites" "$(sums seq)" "0 0 0 0"
fileop write $MNT/grows 0 $((W / 2)) direct
fileop write $MNT/grows $((W / 2)) $((25 * B)) direct
expect "nor those of direct writes that extend a file" "$(sums grows)" "0 0 0 0"
fileop reads $MNT/grows $W $W $W $W direct || :
expect "a direct read ends where the file ends" "$(heat grows)" "1:1,9,1,0"
fileop write $MNT/inline 0 100
sync
echo 3 >/proc/sys/vm/drop_caches
cat $MNT/inline >/dev/null
expect "a read of data inside of an inode reads no block" "$(sums inline)" "0 0 0 0"
rm $MNT/grows $MNT/inline

# Readahead reads a window at a time, from the begin of the file: each is one read, and in one fragment one request.
whole="0:1,32,1,0 1:1,32,1,0 2:1,32,1,0 3:1,32,1,0 4:1,32,1,0 5:1,32,1,0 6:1,32,1,0 7:1,32,1,0"
fileop reads $MNT/seq 0 $((8 * W)) $W $W
expect "a sequential read with readahead" "$(heat seq)" "$whole"
expect "eight windows take 192 bytes" "$(stat_of heat_bytes)" 192
fileop reads $MNT/seq 0 $((8 * W)) $W $W cached
expect "what the page cache has is not read" "$(heat seq)" "$whole"

# Without readahead each page is a read and a request of its own; two of each window, half of it apart.
each="0:2,2,2,0 1:2,2,2,0 2:2,2,2,0 3:2,2,2,0 4:2,2,2,0 5:2,2,2,0 6:2,2,2,0 7:2,2,2,0"
fileop reads $MNT/random 0 $((8 * W)) "$B" $((W / 2)) random
expect "pages by system calls" "$(heat random)" "$each"
expect "which end where they begin" "$(continued random)" "0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0"
fileop reads $MNT/map 0 $((8 * W)) "$B" $((W / 2)) random mmap
expect "pages of a mapping" "$(heat map)" "$each"
fileop reads $MNT/aio 0 $((8 * W)) "$B" $((W / 2)) random aio
expect "pages by AIO" "$(heat aio)" "$each"
fileop reads $MNT/uring 0 $((8 * W)) "$B" $((W / 2)) random uring
expect "pages by io_uring" "$(heat uring)" "$each"

# A direct read of two windows is one read of each of two windows, and one request.
for name in direct adirect udirect; do
	case $name in
	direct) way= ;;
	adirect) way=aio ;;
	udirect) way=uring ;;
	esac
	# shellcheck disable=SC2086 # no word is none
	fileop reads $MNT/$name 0 $((8 * W)) $((2 * W)) $((2 * W)) direct $way
	expect "direct reads${way:+ by }$way" "$(heat $name)" "$whole"
	expect "every second window is one that they go on into" "$(continued $name)" "0:0 1:1 2:0 3:1 4:0 5:1 6:0 7:1"
done

# Two reads from the middle of a window to that of the next one; windows 0 to 2 are touched, the first and the last by half.
fileop reads $MNT/udirect $((W / 2)) $((2 * W)) $W $W direct
expect "reads that cross edges" "$(heat udirect | cut -d ' ' -f -4)" "0:2,48,2,0 1:3,64,3,0 2:2,48,2,0 3:1,32,1,0"
expect "count as such" "$(continued udirect | cut -d ' ' -f -4)" "0:0 1:2 2:1 3:1"

# Three blocks of window 2 move: 64-65, 66, 67-69, 70, 71-73, 74, 75-95 are seven requests.
for block in 66 70 74; do
	fileop write $MNT/seq $((block * B)) "$B"
	sync
done
expect "overwritten elsewhere" "$(heat seq)" "0:1,32,1,0 1:1,32,1,0 2:1,32,1,3 ${whole#0:1,32,1,0 1:1,32,1,0 2:1,32,1,0 }"
fileop reads $MNT/seq 0 $((8 * W)) $W $W
expect "one read of pieces is several requests" "$(heat seq | cut -d ' ' -f 3)" "2:2,64,8,3"
fileop reads $MNT/seq 0 $((8 * W)) $W $W direct
expect "so it is for a direct read" "$(heat seq | cut -d ' ' -f 3)" "2:3,96,15,3"
# 8 requests of the first read, and twice those that the map foresees; it foresees them for each 128 KiB, which may be less than a window
expect "as many as in \`files\`" "$(sums seq | cut -d ' ' -f 3)" \
	$((8 + 2 * ($(awk -v path=$MNT/seq '$NF == path { print $9 }' $DBG/files) + 8 - 8 * W / 131072)))

# The six breaks of the window have cost 12 requests: of the three reads, two came after them.
fragtrace defrag --recent 0 $MNT/seq >/tmp/said 2>&1 || sed 's/^/# /' /tmp/said
tells "fragtrace defrag weighs by it" grep -q ' at 256 KiB: 128 KiB, requests 7 -> 1, used 2.0 times' /tmp/said

# Two whole windows with a break in between, which reads cross: fragtrace defrag moves both.
# The end of a segment may fall into it, and break it elsewhere, too.
tries=0
until [ "$(column files $MNT/across 6) $(column files $MNT/across 9)" = "2 $((4 * W / 131072))" ] || [ $tries = 8 ]; do
	fileop write $MNT/across 0 $((4 * W))
	sync
	fileop write $MNT/across $((2 * W)) $((2 * W))
	sync
	settle || :
	tries=$((tries + 1))
done
expect "a break at an edge" "$(column files $MNT/across 6) $(column files $MNT/across 9)" "2 $((4 * W / 131072))"
expect "costs a read that crosses it a request" "$(requests_across across $((3 * W / 2)) $W) $(requests_across across $((3 * W / 2)) $W)" "2 2"
fragtrace defrag --recent 0 $MNT/across >/tmp/said 2>&1 || sed 's/^/# /' /tmp/said
tells "fragtrace defrag finds it" grep -q ' at 128 KiB: 128 KiB, whole, fragmented at its edge, met 2.0 times' /tmp/said
fragtrace defrag --recent 0 --apply $MNT/across >/tmp/said 2>&1 || sed 's/^/# /' /tmp/said
tells "and moves both windows" grep -q '^moved: 2 ranges of 2, 256 KiB' /tmp/said
tells "so that it costs nothing" test "$(requests_across across $((3 * W / 2)) $W)" = 1

# A break in the middle of window 20; reads cross it, and all edges before it. All these windows are worth a move, in one
# step, though the rate asks for smaller ones. The ends of segments may fall where the reads are: then another file.
tries=0 before=0 after=0 moved=0
until [ $after -lt $before ] || [ $tries = 4 ] || ! command -v fragtrace >/dev/null; do
	tries=$((tries + 1))
	file=long$tries
	fileop write $MNT/$file 0 $((32 * W))
	sync
	fileop write $MNT/$file $((664 * B)) $((360 * B))
	sync
	settle || :
	i=0
	while [ $i -lt 20 ]; do
		fileop reads $MNT/$file $((W / 2)) $((24 * W)) $W $W direct
		i=$((i + 1))
	done
	before=$(requests_across $file $((W / 2)) $((24 * W)))
	fragtrace defrag --recent 0 --apply --rate 2M $MNT/$file >/tmp/said 2>&1 || :
	grep '^moved\|not moved' /tmp/said | sed 's/^/# /'
	moved=$(sed -n 's/^moved: \([0-9]*\) ranges of .*/\1/p' /tmp/said)
	after=$(requests_across $file $((W / 2)) $((24 * W)))
done
tells "windows up to the first one that is read are moved" test "${moved:-0}" -ge 20
tells "which saves requests: $before, then $after" test "$after" -lt "$before"
tells "none had been joined by others" sh -c "! grep -q 'joined by others' /tmp/said"

# In place: direct writes over old blocks always, buffered ones with this policy.
fileop write $MNT/direct $W $((W / 2)) direct
case $(uname -r) in
6.*) expect "overwritten in place by a direct write" "$(heat direct | cut -d ' ' -f 2)" "1:1,32,1,16" ;;
*) skip "overwritten in place by a direct write" "F2FS looks these blocks up as for a read" ;;
esac
echo 1 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
fileop write $MNT/direct $((2 * W)) $((4 * B))
sync
echo 0 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
expect "overwritten in place by write-back" "$(heat direct | cut -d ' ' -f 3)" "2:1,32,1,4"

# An atomic commit replaces blocks of the file.
fileop write $MNT/atomic 0 $W
sync
fileop atomic $MNT/atomic begin write $((2 * B)) $((4 * B)) sync commit
expect "overwritten by an atomic commit" "$(sums atomic | cut -d ' ' -f 4)" 4
fileop atomic $MNT/atomic begin write $W $((4 * B)) sync commit
expect "blocks that an atomic commit adds are no overwrites" "$(sums atomic | cut -d ' ' -f 4)" 4
fileop atomic $MNT/atomic begin write $((2 * B)) "$B" sync write $((2 * B)) "$B" sync write $((2 * B)) "$B" sync commit
expect "a block of an atomic write that is flushed three times is one" "$(sums atomic | cut -d ' ' -f 4)" 5
fileop write $MNT/atomic $((2 * B)) "$B"
sync
expect "and so is one that is overwritten after the commit" "$(sums atomic | cut -d ' ' -f 4)" 6
rm $MNT/atomic

# Defragment rewrites blocks, and reads them: no user has overwritten anything.
before=$(sums seq)
fileop defrag $MNT/seq 0 $((8 * W))
sync
expect "moving is not overwriting" "$(sums seq | cut -d ' ' -f 4)" "${before##* }"

fileop rename $MNT/random $MNT/other
expect "a rename keeps the counts" "$(heat other)" "$each"
# Block 129 is in window 4, which stays as it is.
fileop truncate $MNT/other $((129 * B))
expect "what is cut off has none" "$(heat other)" "${each% 5:*}"
fileop truncate $MNT/other $((16 * W))
expect "and none when it is there again" "$(heat other)" "${each% 5:*}"
fileop truncate $MNT/other 0
expect "an empty file has none" "$(heat other)" ""
rm $MNT/map
settle || :
expect "nor has a deleted one" "$(grep -c ' [^ ]*/map' $DBG/heat)" 0
expect "nothing was lost" "$(stat_of heat_lost) $(stat_of heat_dropped)" "0 0"
tells "the viewer draws them" fragtrace view --color-by heat -o /tmp/heat.png
check_exact "the maps stay right" -u $MNT
unload

# Half in each period. Two periods and a half pass before the window is looked at again: the counts have halved twice, or as
# often as periods can have ended between the two looks.
load path=$MNT heat=1 heat_window_kb=$((W / 1024)) heat_period_secs=2
settle
fileop reads $MNT/udirect 0 $W $W $W direct
fileop reads $MNT/seq 0 $W $W $W direct
begun=$(uptime_ms)
first=$(sums udirect | cut -d ' ' -f 2)
again=$(sums seq | cut -d ' ' -f 2)
looked=$(uptime_ms)
sleep 5
least=$((($(uptime_ms) - looked) / 2000))
fileop reads $MNT/seq 0 $W $W $W direct
second=$(sums udirect | cut -d ' ' -f 2)
both=$(sums seq | cut -d ' ' -f 2)
most=$((($(uptime_ms) - begun) / 2000 + 1))
echo "# $first blocks, $second after $least to $most periods"
check "half of it in each of several periods" test "$least" -ge 2 -a "$first" -ge 16 -a "$second" -le $((first >> least)) -a \
	"$second" -ge $((first >> most))
# With the old ones, they would be a quarter of twice as many, or less. A period may end between the read and the look.
check "counts of now are not halved with old ones ($again, then $both)" test "$again" -ge 16 -a $((2 * both)) -gt "$again"
cold() {
	[ -z "$(heat udirect)" ]
}
loop_until "$SOON" cold || :
expect "nothing at last" "$(heat udirect)" ""
unload

# Eight windows of a block take 192 bytes, so 65536 would take 1.6 MB. A hole is read without the device.
load path=$MNT heat=1 heat_window_kb=$((B / 1024)) max_mem_mb=1
# What was cut off does not count when a file has to give way.
tries=0
fileop write $MNT/cut 0 1
while [ $tries -lt 8 ]; do
	tries=$((tries + 1))
	fileop truncate $MNT/cut $((2040 * B))
	fileop reads $MNT/cut $((8 * B)) $((2032 * B)) $((254 * B)) $((254 * B)) direct
	fileop truncate $MNT/cut "$B"
done
expect "windows that are cut off are given back" "$(stat_of heat_bytes)" 0
fileop write $MNT/hole 0 1
fileop truncate $MNT/hole $((2048 * W))
fileop reads $MNT/hole 0 $((2048 * W)) $((8 * W)) $((8 * W)) direct
check "windows beyond the budget are counted as lost ($(stat_of heat_lost))" test "$(stat_of heat_lost)" -gt 0
check "heat takes no more than 3/4 of the budget ($(stat_of heat_bytes))" test "$(stat_of heat_bytes)" -le $((1 << 18 | 1 << 19))
fileop many $MNT/new 500 1 0
# no_heat() - is all of it given back? That takes a grace period of RCU after the drop, which settle() does not wait for.
no_heat() {
	[ "$(stat_of heat_bytes)" = 0 ]
}
check "it gives way to new files, all of it" loop_until "$SOON" no_heat
expect "and no file is left out" "$(stat_of refused) $(stat_of heat_dropped)" "0 1"
# These are 2048 windows at once, twice the bound
lost=$(stat_of heat_lost)
fileop reads $MNT/hole 0 $((64 * W)) $((64 * W)) $((64 * W)) direct
expect "windows beyond the bound of a probe are lost, too" "$(($(stat_of heat_lost) - lost))" 1024
finish
