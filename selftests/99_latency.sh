#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 99_latency.sh - reads and requests are counted; 99_latency_prices.sh compares their times as well
#
# group: causes
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

TRACING=/sys/kernel/tracing
DM=/dev/dm-0
# What each request takes on the slow disk.
NS=20000000

# end() - remove the disks
end() {
	cleanup
	dmsetup remove late 2>/dev/null || :
	remove_null_disk
	rmmod null_blk 2>/dev/null || :
}

# slow_disk() - make $NULL_DISK: it serves one request after the other, each in $NS; false if that is not possible
slow_disk() {
	make_null_disk size=256 submit_queues=1 hw_queue_depth=1 max_sectors=1024 irqmode=2 completion_nsec=$NS
}

# broken(file, blocks...) - a file of 1 MiB, and in each 128 KiB of it these blocks elsewhere
broken() {
	local file window block

	file=$1
	shift
	fileop write "$file" 0 1M
	sync
	window=0
	while [ $window -lt 8 ] && [ $# -gt 0 ]; do
		for block; do
			fileop write "$file" $(((window * 32 + block) * 4))K 4K
		done
		window=$((window + 1))
	done
	sync
}

# counts(file) - print its reads and requests
counts() {
	awk -v path="$1" '$2 == "file" && $NF == path {
			for (i = 10; i < NF; i++) { split($i, a, ":"); reads += a[1]; extra += a[2] }
			print reads, reads + extra + $4
			found = 1
		}
		END { if (!found) print "0 0" }' $DBG/latency
}

# requests_of(file) - print the second of them
requests_of() {
	counts "$1" | sed 's/.* //'
}

# bytes_of(file) - print the bytes in them
bytes_of() {
	awk -v path="$1" '$2 == "file" && $NF == path { print $5 }' $DBG/latency
}

# rest(number) - print a field of the line of what is of no file: 3 others, 4 lost
rest() {
	n=$1 awk '$2 == "rest" { print $(ENVIRON["n"] + 0) }' $DBG/latency
}

# fit() - print what the reads of 128 KiB add up to that a price is fitted to, but for the time and its square: n x l xx xl ll; and
# whether its products with x and l are right if all reads have the same of these
fit() {
	awk -v blocks=$K128 '$2 == "fit" && $3 == blocks { print $4, $5, $6, $8, $9, $10, ($7 > 0 && $11 * $4 == $5 * $7 && $12 * $4 == $6 * $7) }' $DBG/latency
}

# timed_sum(field, pieces) - print a sum over all lengths: 5 the reads, 6 those that failed, 7 waited for, 8 their times, 9 waiting; of reads
# in so many pieces, or all
timed_sum() {
	n=$1 pieces=${2:-} awk '$2 == "time" && (ENVIRON["pieces"] == "" || $4 == ENVIRON["pieces"]) { sum += $(ENVIRON["n"] + 0) }
		END { print sum + 0 }' $DBG/latency
}

# price() - print what a request more takes, and then how long a read takes on average, in microseconds: for reads of 128 KiB
price() {
	awk -v blocks=$K128 '$2 == "fit" && $3 == blocks { d = $4 * $8 - $5 * $5; printf "%d %d\n", (d > 0 ? ($4 * $11 - $5 * $7) / d : -1), $7 / $4 }' $DBG/latency
}

# within(number, wanted, per cent, [slack]) - are they as near, or within the slack?
within() {
	awk -v a="$1" -v b="$2" -v share="$3" -v slack="${4:-0}" 'BEGIN {
		d = a < b ? b - a : a - b
		exit d > slack && d * 100 > share * (b < 0 ? -b : b)
	}' || { echo "# $1, not $2 +-$3 %"; false; }
}

# tracing(events...) - begin to count reads of the slow disk at these events of the block layer
tracing() {
	local event

	for event; do
		echo 'rwbs ~ "R*"' >"$TRACING/events/block/$event/filter"
		echo 1 >"$TRACING/events/block/$event/enable"
	done
	echo 'type == 0' >$TRACING/events/f2fs/f2fs_submit_read_bio/filter
	for event in f2fs_readpages f2fs_submit_read_bio f2fs_direct_IO_enter; do
		echo 1 >"$TRACING/events/f2fs/$event/enable"
	done
	echo >$TRACING/trace
}

# not_tracing() - end that
not_tracing() {
	echo 0 >$TRACING/events/enable
}

# true_price() - print the same by these events: a line fitted to reads in several requests that follow each other, each from the
# later of its first request and what of the read before had ended then, to its own end
true_price() {
	awk '
		function sector() { for (i = 6; i <= NF; i++) if ($i == "+") return $(i - 1) }
		/ f2fs_readpages: | f2fs_direct_IO_enter: / { if (n[read]) read++; task[read] = $1 }
		/ f2fs_submit_read_bio: / { sub(":", "", $4); if (!from[read]) from[read] = $4 }
		/ block_bio_queue: / {
			sub(":", "", $4)
			of[sector()] = read
			if (!n[read]++ && !from[read]) from[read] = $4
		}
		/ block_rq_complete: / {
			sub(":", "", $4)
			r = of[sector()]
			to[r] = $4
			if (++ended[r] == n[r]) before[r] = to[r - 1]
		}
		END {
			for (r = 1; r <= read; r++) {
				if (n[r] < 2 || n[r - 1] < 2 || task[r] != task[r - 1]) continue
				x = n[r] - 1
				y = to[r] - (from[r] > before[r] ? from[r] : before[r])
				N++; X += x; Y += y; XX += x * x; XY += x * y
			}
			printf "%d %d\n", (N * XY - X * Y) / (N * XX - X * X) * 1e6, Y / N * 1e6
		}' $TRACING/trace
}

# traced(event) - print how many there were
traced() {
	grep -c " $1: " $TRACING/trace || :
}

# some() - was anything timed?
some() {
	[ "$(timed_sum 5)" -gt 0 ]
}

# prices() - the checks that compare times
prices() {
	# A disk that serves one request after the other.
	slow_disk || bail "this kernel has no null_blk"
	make_volume $NULL_DISK $MNT || bail "no volume"
	echo 128 >/sys/block/nullb0/queue/read_ahead_kb
	echo none >/sys/block/nullb0/queue/scheduler
	broken $MNT/whole
	broken $MNT/three 8
	broken $MNT/five 8 16
	load path=$MNT latency=1
	settle || :
	broken="$MNT/three $MNT/five" all="$MNT/whole $MNT/three $MNT/five"
	for file in $all; do
		fileop reads "$file" 0 1M 128K 128K
	done
	for how in buffered direct mmap uring "direct uring" writer; do
		echo reset >$DBG/latency
		busy=
		if [ "$how" = writer ]; then
			fileop append $MNT/other 4K 60 fdatasync &
			busy=$!
		fi
		tracing block_bio_queue block_rq_issue block_rq_complete
		for n in 1 2; do
			for file in $broken; do
				# shellcheck disable=SC2046 # words
				fileop reads "$file" 0 1M 128K 128K $(echo " $how" | sed 's/ buffered\| writer//')
			done
		done
		price=$(price) true=$(true_price)
		# shellcheck disable=SC2046 # words
		fileop reads $MNT/whole 0 1M 128K 128K $(echo " $how" | sed 's/ buffered\| writer//')
		not_tracing
		[ -z "$busy" ] || wait $busy
		expect "$how: each file's reads and requests" "$(for file in $all; do counts "$file"; done | tr '\n' ' ')" "8 8 16 48 16 80 "
		expect "$how: all that the block layer gets, and issues" "$(traced block_bio_queue) $(traced block_rq_issue)" "136 136"
		# one stall of the machine between the two clocks moves a price by some milliseconds
		check "$how: the price is what the block layer's events say (${price% *} and ${true% *} us)" within "${price% *}" "${true% *}" 5 $((NS / 5000))
		check "$how: the time of a read, too (${price#* } and ${true#* } us)" within "${price#* }" "${true#* }" 5
		expect "$how: nothing is lost, everything waited for" "$(rest 3) $(rest 4) $(timed_sum 6) $(($(timed_sum 7) * 100 / $(timed_sum 5) >= 90))" "0 0 0 1"
	done
	# What the device splits is no break.
	echo reset >$DBG/latency
	echo 64 >/sys/block/nullb0/queue/max_sectors_kb
	tracing block_rq_issue
	fileop reads $MNT/whole 0 1M 128K 128K direct
	not_tracing
	expect "requests that the device is too small for are no breaks" "$(counts $MNT/whole) $(traced block_rq_issue) $(timed_sum 5 1)" "8 8 16 $(timed_sum 5)"
	unload

	# The module goes, and the volume, while reads are under way.
	rm -f /tmp/enough
	until [ -e /tmp/enough ]; do
		fileop reads $MNT/five 0 1M 128K 128K direct
		fileop reads $MNT/three 0 1M 128K 128K
	done &
	seen=0
	for n in 1 2 3; do
		load path=$MNT latency=1
		! loop_until "$SOON" some || seen=$((seen + 1))
		unload
	done
	expect "loaded and unloaded three times while reads are under way" $seen 3
	load path=$MNT latency=1
	touch /tmp/enough
	wait
	fileop ahead $MNT/five 0 1M &
	sleep 0.3
	umount $MNT 2>/dev/null || :
	wait
	! mounted $MNT || umount $MNT
	unload

	# The same disk, much slower: what the machine adds does not count.
	NS=200000000
	slow_disk || bail "no slow disk"
	echo none >/sys/block/nullb0/queue/scheduler
	mount_volume $NULL_DISK $MNT || bail "no volume any more"
	load path=$MNT latency=1
	fileop reads $MNT/five 0 128K 128K 128K direct
	fileop reads $MNT/whole 0 128K 128K 128K direct
	fileop reads $MNT/three 0 256K 128K 128K direct
	fileop reads $MNT/five 0 256K 128K 128K direct
	echo reset >$DBG/latency
	fileop reads $MNT/three 0 256K 128K 128K direct
	fileop reads $MNT/five 0 256K 128K 128K direct
	each=$((($(timed_sum 8 5) + $(timed_sum 8 3)) / 16))
	check "each of 16 requests takes what it takes on the disk ($each ns), or more on a busy machine" \
		test $each -ge $((NS / 100 * 95)) -a $each -le $((NS / 100 * 150))
	unload
	umount $MNT

	# Each request takes long here, all at the same time.
	size=$(cat "/sys/class/block/${DISK2##*/}/size")
	modprobe dm-delay 2>/dev/null || :
	if dmsetup --noudevsync create late --table "0 $size delay $DISK2 0 100 $DISK2 0 0" 2>/dev/null && [ -e $DM ] && make_volume $DM $MNT; then
		echo 128 >/sys/block/dm-0/queue/read_ahead_kb
		broken $MNT/whole
		broken $MNT/five 8 16
		load path=$MNT latency=1
		settle || :
		fileop reads $MNT/whole 0 1M 128K 128K direct
		fileop reads $MNT/five 0 1M 128K 128K direct
		echo reset >$DBG/latency
		fileop reads $MNT/five 0 1M 128K 128K direct
		# one after the other they would take five times as long
		check "requests at the same time take as long as one" within $(($(timed_sum 8) / $(timed_sum 5) / 1000)) 100000 50
		for file in whole five whole five; do
			fileop reads $MNT/$file 0 1M 128K 128K direct
		done
		price=$(price)
		check "so one more costs nothing (${price% *} us)" test "${price% *}" -lt 5000
		echo reset >$DBG/latency
		fileop ahead $MNT/five 0 1M
		expect "nobody has waited for what was read ahead" "$(requests_of $MNT/five) $(timed_sum 7)" "33 0"
		fileop reads $MNT/five 0 1M 128K 128K
		check "but for what is read" test "$(timed_sum 7)" -ge 1
		echo reset >$DBG/latency
		dmsetup suspend --nolockfs late && dmsetup --noudevsync reload late --table "0 $size error" && dmsetup resume late || bail "no errors"
		fileop reads $MNT/five 0 128K 128K 128K direct 2>/dev/null || :
		dmsetup suspend --nolockfs late && dmsetup --noudevsync reload late --table "0 $size delay $DISK2 0 0 $DISK2 0 0" && dmsetup resume late ||
			bail "no end of errors"
		expect "a read that fails is no time" "$(timed_sum 5) $(timed_sum 6)" "0 1"
		unload
		umount $MNT
		dmsetup remove late
	else
		for n in 1 2 3 4 5; do
			skip "requests at the same time" "there is no dm-delay"
		done
	fi
}

# all_have_read() - have the 400 tasks read?
all_have_read() {
	[ $(($(awk '$2 == "file" && $NF ~ /ends/' $DBG/latency | wc -l) + $(rest 3))) -ge 400 ]
}

# others_are_counted() - let 100 other tasks, which live at the same time, read a file each; are they counted as reads?
#
# Of those that wait for a node of F2FS at the same time, two may want one place: some count as other requests. More than half would, if
# no place were free again.
others_are_counted() {
	local before file readers=

	drop_caches
	before=$(rest 3)
	# they live until the shell closes its end of the pipe; they do not start a program for that
	exec 8>/tmp/pipe
	for file in $MNT/one*; do
		{
			read -r _ || :
			read -r _ <&9 || :
		} <"$file" 8>&- &
		readers="$readers $!"
	done
	sleep 2
	exec 8>&-
	# shellcheck disable=SC2086 # a list
	wait $readers
	[ $(($(rest 3) - before)) -le 10 ]
}

plan $((17 + 38 * ${PRICES:-0}))
B=$PAGE_SIZE
# Blocks of 128 KiB, of 1 MiB.
K128=$((131072 / B)) M1=$((1048576 / B))
trap end EXIT
mounted $TRACING || mount -t tracefs tracefs $TRACING

# that of the module's times, and the same on all CPUs
echo mono >$TRACING/trace_clock
echo 128 >"/sys/block/${DISK##*/}/queue/read_ahead_kb"

make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/off 0 1M
sync
fileop reads $MNT/off 0 1M 128K 128K
expect "without latency=1 nothing is counted" "$(grep -vc '^#' $DBG/latency) $(stat_of heat_bytes)" "0 0"
check "which the file says" grep -q '^# not known: the module was loaded with latency=0$' $DBG/latency
unload

load path=$MNT latency=1
settle || :
expect "the format" "$(head -n 1 $DBG/latency)" "# fragtrace latency 1"
expect "a write other than reset is refused" "$(fileop say $DBG/latency all)" EINVAL
fileop reads $MNT/off 0 1M 128K 128K
expect "a file in one piece" "$(counts $MNT/off) $(bytes_of $MNT/off)" "8 8 1048576"
fileop reads $MNT/off 0 1M "$B" "$B" random
expect "each page" "$(counts $MNT/off) $(bytes_of $MNT/off)" "$((8 + M1)) $((8 + M1)) 2097152"
fileop reads $MNT/off 0 1M "$B" "$B" mmap random
expect "each page, through a mapping" "$(counts $MNT/off) $(bytes_of $MNT/off)" "$((8 + 2 * M1)) $((8 + 2 * M1)) 3145728"
check "of reads in one piece about four of 128 are timed ($(timed_sum 5))" within "$(timed_sum 5)" $((2 + M1 / 16)) 50
fileop write $MNT/hole 0 "$B"
fileop write $MNT/hole $((65536 - B)) "$B"
fileop write $MNT/hole $((131072 - B)) "$B"
sync
fileop reads $MNT/hole 0 128K 128K 128K direct
fileop reads $MNT/hole 0 128K 128K 128K
expect "blocks with holes between them that follow each other on the disk are in one piece" "$(counts $MNT/hole) $(bytes_of $MNT/hole)" "2 4 $((6 * B))"
# A read that ends in a hole is over when its call returns.
for window in 0 1 2 3; do
	fileop write $MNT/ends $((window * 128))K "$B"
done
fileop truncate $MNT/ends 512K
sync
fileop reads $MNT/ends 0 512K 128K 128K direct
expect "direct reads that end in a hole" "$(counts $MNT/ends) $(bytes_of $MNT/ends)" "4 4 $((4 * B))"
# In each 128 KiB one block is elsewhere: two requests more. No price is fitted to the first read, as none was timed before.
broken $MNT/three 8
echo reset >$DBG/latency
fileop reads $MNT/three 0 1M 128K 128K direct
expect "each read is three requests" "$(counts $MNT/three) $(bytes_of $MNT/three)" "8 24 1048576"
expect "the sums of seven reads with two requests more and $K128 blocks" "$(fit)" \
	"7 14 $((7 * K128)) 28 $((14 * K128)) $((7 * K128 * K128)) 1"
unload
umount $MNT

# A device that ends bios, not requests.
modprobe dm_mod 2>/dev/null || :
if dmsetup --noudevsync create late --table "0 $(cat "/sys/class/block/${DISK2##*/}/size") linear $DISK2 0" 2>/dev/null && [ -e $DM ]; then
	make_volume $DM $MNT || bail "no volume"
	broken $MNT/five 8 16
	load path=$MNT latency=1
	settle || :
	fileop reads $MNT/five 0 128K 128K 128K direct
	echo reset >$DBG/latency
	fileop reads $MNT/five 0 1M 128K 128K direct
	expect "a device of device mapper: each read is five requests, and timed" "$(counts $MNT/five) $(timed_sum 5 5) $(rest 3)" "8 40 8 0"
	unload
	umount $MNT
	dmsetup remove late
else
	skip "a device of device mapper: each read is five requests, and timed" "this kernel or guest has no device mapper"
fi

[ "${PRICES:-0}" = 0 ] || prices

# Reads through the page cache that end in a hole are never over: 400 tasks, which all live on, keep their places in the table of reads.
# A place is free again after 4 s, once another task wants it.
make_volume $DISK $MNT || bail "no volume"
fileop many $MNT/ends 400 "$B" 0
fileop many $MNT/one 100 "$B" 0
for file in $MNT/ends* $MNT/one*; do
	# one byte is enough for the shell's read
	echo 1<>"$file"
done
truncate -s 128K $MNT/ends*
sync
load path=$MNT latency=1
settle || :
drop_caches
pids=
rm -f /tmp/pipe /tmp/silent
mkfifo /tmp/pipe /tmp/silent
exec 7<>/tmp/silent 8<>/tmp/pipe 9</tmp/pipe 8>&-
for file in $MNT/ends*; do
	{
		read -r _ || :
		read -r _ <&7
	} <"$file" 2>/dev/null &
	pids="$pids $!"
done
loop_until "$PATIENCE" all_have_read || :
# Those whose places collide are counted as other requests.
check "tasks that wait have read their files" test "$(awk '$2 == "file" && $NF ~ /ends/' $DBG/latency | wc -l)" -ge 200
sleep 5
check "what they keep is free after a while: reads of other tasks are counted" loop_until "$PATIENCE" others_are_counted
# shellcheck disable=SC2086 # a list
kill $pids
wait
unload
umount $MNT

# Many tasks, and little memory: the sums are exact, whatever files they are of. Two tasks may have the same place in the table of
# reads; what the second one reads meanwhile is counted as other requests.
make_volume $DISK $MNT || bail "no volume"
fileop many $MNT/f 1000 "$B" 0
sync
load path=$MNT latency=1 max_mem_mb=1
settle || :
echo 3 >/proc/sys/vm/drop_caches
for n in 0 1 2 3 4 5 6 7; do
	cat $MNT/f*"$n" >/dev/null &
done
wait
expect "every read of 800 files is counted, by 8 tasks" "$(awk '$2 == "file" || $2 == "rest" {
	if ($2 == "rest") reads += $3
	for (i = 10; i < NF + ($2 == "rest"); i++) { split($i, a, ":"); reads += a[1] } } END { print reads }' $DBG/latency)" 800
check "memory was short" awk '$2 == "rest" { split($11, a, ":"); exit !a[1] }' $DBG/latency
unload
finish
