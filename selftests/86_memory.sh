#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 86_memory.sh - all memory is charged, also the second map of a rescan; without memory the largest file is left out
#
# Nodes of maps are measured in their slab, not by the module's own counters. NAMELESS files are deleted and held open;
# `make test-large` has 500 000, and compares the charged memory with the slabs (JUDGE=1), also after a resync.
#
# kernels: first
# group: memory
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# The memory that a slab may keep on each CPU.
SLACK=65536
EXTENTS=${EXTENTS:-25000}
NAMELESS=${NAMELESS:-2000} JUDGE=${JUDGE:-}
PATIENCE=${PATIENCE_LARGE:-$PATIENCE}
SMALL=100

# nodes() - bytes in nodes of maps
nodes() {
	[ ! -w /sys/kernel/slab/fragtrace_node/shrink ] || echo 1 >/sys/kernel/slab/fragtrace_node/shrink
	awk '$1 == "fragtrace_node" { print $2 * $4 }' /proc/slabinfo
}

# charged_right() - does the charge since the begin agree with the nodes? Prints a difference.
charged_right() {
	before=$(($(stat_of mem_bytes) - charged))
	taken=$(($(nodes) - nodes))
	after=$(($(stat_of mem_bytes) - charged))
	[ "$before" -le "$most" ] || most=$before
	# the charge may have changed in between
	[ "$taken" -lt $((before * 95 / 100 - SLACK)) ] && [ "$taken" -lt $((after * 95 / 100 - SLACK)) ] ||
		{ [ "$taken" -gt $((before * 105 / 100 + SLACK)) ] && [ "$taken" -gt $((after * 105 / 100 + SLACK)) ]; } ||
		return 0
	echo "# $taken bytes in nodes, $before to $after charged"
	return 1
}

# memory_is(bytes) - is at most this charged to the budget?
memory_is() {
	[ "$(stat_of mem_bytes)" -le "$1" ]
}

# none_charged() - is nothing charged, neither more nor less?
none_charged() {
	[ "$(stat_of mem_bytes)" = 0 ]
}

# taken() - print the memory of all slabs for records and for the paths of deleted files
#
# The kernel itself uses few objects of kmalloc-256 here. The table of records is an xarray, with 64 entries in a node of
# 576 bytes; F2FS has many of these nodes.
taken() {
	for cache in /sys/kernel/slab/*fragtrace* /sys/kernel/slab/ft_inode /sys/kernel/slab/kmalloc-256; do
		[ ! -w "$cache/shrink" ] || echo 1 >"$cache/shrink"
	done
	awk -v files="$(stat_of inodes)" '$1 ~ /^fragtrace|^ft_inode$|^kmalloc-256$/ { bytes += $15 * $6 * 4096 }
		END { printf "%d\n", bytes + files * 9 }' /proc/slabinfo
}

# agrees() - does the charge agree with the slabs within 5 %?
agrees() {
	now=$(($(stat_of mem_bytes) - charged)) held=$(($(taken) - before_held))
	echo "# $now bytes charged, $held in slabs, $((now * 1000 / held)) per mille"
	[ $((now * 100)) -ge $((held * 95)) ] && [ $((now * 100)) -le $((held * 105)) ]
}

# small_known() - print the number of small files in `files`
small_known() {
	grep -v '^#' $DBG/files | grep -c /small/ || :
}

# volume_bytes() - bytes in pages of their own, which workers and counts of volumes take
volume_bytes() {
	awk '/\[fragtrace\]/ && / vmalloc/ { n += $2 - 4096 } END { print n + 0 }' /proc/vmallocinfo
}

# records() - bytes in records of files and directories
records() {
	[ ! -w /sys/kernel/slab/fragtrace_inode/shrink ] || echo 1 >/sys/kernel/slab/fragtrace_inode/shrink
	awk '$1 == "fragtrace_inode" { print $3 * $4 }' /proc/slabinfo
}

TRACING=/sys/kernel/tracing
plan $((18 + 4 * ${JUDGE:-0}))
load
expect "no memory is charged without a target" "$(stat_of mem_bytes)" 0
make_volume $DISK $MNT mode=fragment:block,noinline_data || bail "no volume"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_chunk"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_hole"
echo "add $MNT" >$DBG/targets
settle
before=$(stat_of mem_bytes) pages=$(volume_bytes)
check "a volume is charged ($before bytes, $pages of them in pages)" test "$pages" -gt 100000 -a "$before" -ge "$pages" -a \
	"$before" -lt $((pages + 65536))
charged=$before nodes=$(nodes) most=0
fileop write $MNT/large 0 $((EXTENTS * 4096))
check_exact "maps are exact for a file of many extents" $MNT
if [ "$SLOW" != 1 ] || [ -z "$nodes" ]; then
	skip "the charged memory is that of the nodes" "the checks of this kernel take additional memory, or nodes share a slab"
	skip "the charged memory is that of the nodes during rescans" "likewise"
	skip "rescans take a second map" "likewise"
else
	check "the charged memory is that of the nodes" charged_right
	once=$most
	if late function=ft_rebuild_merge after_ms=150; then
		fileop say $DBG/resync 1 >/dev/null &
		wrong=0
		n=0
		while [ $n -lt 25 ]; do
			charged_right || wrong=$((wrong + 1))
			n=$((n + 1))
			sleep 0.1
		done
		wait $!
		late
		expect "the charged memory is that of the nodes during rescans" "$wrong" 0
		check "rescans take a second map ($once bytes, then up to $most)" test "$most" -gt $((once * 5 / 4))
	else
		skip "the charged memory is that of the nodes during rescans" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
		skip "rescans take a second map" "likewise"
	fi
fi
rm $MNT/large
settle || :
check "a removed file is not charged" loop_until $PATIENCE memory_is $((charged + 4096))

# Records, and the kept parts of names.
records=$(records)
for what in 200 0; do
	before_held=$(taken)
	begin=$(date +%s)
	fileop nameless $MNT $NAMELESS $what /tmp/ready /tmp/go &
	loop_until $PATIENCE test -e /tmp/ready || bail "no process holds files"
	now=$(($(stat_of mem_bytes) - charged))
	check "$NAMELESS open deleted files with names of $what bytes are charged ($now bytes)" test "$now" -ge $((NAMELESS * (192 + what)))
	if [ $what = 0 ] && [ "$SLOW" = 1 ] && [ -n "$records" ]; then
		# each has its share of the table of records, too, as in taken()
		taken=$(($(records) - records + NAMELESS * 9))
		check "the charged memory is that of the records and their table ($taken bytes)" test "$taken" -le $((now * 105 / 100 + SLACK)) -a \
			"$taken" -ge $((now * 95 / 100 - SLACK))
	elif [ $what = 0 ]; then
		skip "the charged memory is that of the records and their table" "the checks of this kernel take additional memory, or nodes share a slab"
	fi
	if [ -n "$JUDGE" ]; then
		echo "# made in $(($(date +%s) - begin)) s"
		settle || bail "maps are not exact"
		check "the charged memory is that of the slabs" agrees
		begin=$(date +%s)
		fileop say $DBG/resync 1 >/dev/null
		check "the charged memory is that of the slabs after a resync ($(($(date +%s) - begin)) s)" agrees
	fi
	touch /tmp/go
	wait $!
	rm /tmp/ready /tmp/go
	settle || :
	check "deleted files are not charged after the close" loop_until $PATIENCE memory_is $((charged + 4096))
done
echo "del $MNT" >$DBG/targets
check "no memory is charged after the last target is removed" loop_until $PATIENCE none_charged
unload

# One file takes nearly all memory. Then others grow.
mkdir $MNT/small
fileop many $MNT/small/ $SMALL 64K 0
sync
# Causes would be dropped before a map.
load path=$MNT max_mem_mb=1 causes=0
settle
n=0
while [ "$(stat_of mem_bytes)" -lt 900000 ] && [ $n -lt 100 ]; do
	fileop random $MNT/large 200000 2000 $((86 + n)) >/dev/null
	sync
	n=$((n + 1))
done
settle || :
check "one file takes nearly all memory" in_files $MNT/large
# All memory is used until the largest file is left out.
writeback=$(cat /proc/sys/vm/dirty_writeback_centisecs)
echo 0 >/proc/sys/vm/dirty_writeback_centisecs
mounted $TRACING || mount -t tracefs tracefs $TRACING || bail "no tracefs"
echo "new_lba == -1" >$TRACING/events/fragtrace/extent_change/filter
echo 1 >$TRACING/events/fragtrace/extent_change/enable
# A CPU that waits for more than 20 s is a soft lockup to the kernel.
late function=give_way before_ms=$((SLOW > 2 ? 15000 : 5000 * SLOW)) || echo "# late.ko is not here: memory is used up only by chance"
n=0
while [ $n -lt $SMALL ]; do
	fileop write $MNT/small/$n 64K 1M
	n=$((n + 1))
done
sync
late
echo "$writeback" >/proc/sys/vm/dirty_writeback_centisecs
settle || :
echo 0 >$TRACING/events/fragtrace/extent_change/enable
# A file that grows while all is used loses its map for a while, the large one for good.
drops=$(grep -c ' extent_change: .* new=-1 .* op=drop ' $TRACING/trace || :)
check "maps that are dropped for a while fire an event, too ($drops of $(stat_of lost); $(stat_of refused) for good)" \
	test "$(stat_of lost)" -gt 0 -a "$drops" -gt "$(stat_of refused)"
expect "small files are kept when they grow" "$(small_known)" $SMALL
refuse "the large file is left out" in_files $MNT/large
check "the log reports the file that is left out" logged "whose map took .* is left out"
finish
