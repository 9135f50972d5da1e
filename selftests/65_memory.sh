#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 65_memory.sh - the memory of an extent with $EXTENTS (default 25 000) extents in one file
#
# Measured in the kernel's slabs, not by the module's own counters, which must agree. An extent takes an entry of
# 8 bytes, and so does the hole between two that are apart; the rest is free space in the nodes. A cause takes 4 bytes
# more of each entry, in the slabs of kmalloc(), so only what is charged shows it.
#
# kernels: first
# group: memory
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 12
B=$PAGE_SIZE
[ "$SLOW" = 1 ] || skip_rest "memory of an extent" "the checks of this kernel take additional memory"

# The memory that a slab may keep on each CPU.
SLACK=65536

# nodes() - bytes in nodes of maps
nodes() {
	# else freed objects of a CPU that may be used there again are counted
	[ ! -w /sys/kernel/slab/fragtrace_node/shrink ] || echo 1 >/sys/kernel/slab/fragtrace_node/shrink
	awk '$1 == "fragtrace_node" { print $2 * $4 }' /proc/slabinfo
}

# freed_down_to(bytes) - do the nodes take at most that, and a tolerance?
freed_down_to() {
	[ "$(nodes)" -le $(($1 + SLACK)) ]
}

# begin() - store the initial values
begin() {
	sync
	nodes=$(nodes)
	extents=$(stat_of extents)
	charged=$(stat_of mem_bytes)
}

# measure(name, limit) - divide the additional memory by the additional extents since begin
measure() {
	extents=$(($(stat_of extents) - extents))
	nodes=$(($(nodes) - nodes))
	charged=$(($(stat_of mem_bytes) - charged))
	tenths=$((nodes * 10 / extents))
	echo "# $1: $extents extents, $((tenths / 10)).$((tenths % 10)) bytes of nodes each"
	check "$1: at least $want extents" test "$extents" -ge "$want"
	check "$1: an extent takes at most $2 bytes" test "$nodes" -le $(($2 * extents))
	check "$1: the budget is charged with the same amount" test $((charged + SLACK)) -ge "$nodes" -a "$charged" -le $((nodes + SLACK))
}

want=${EXTENTS:-25000}
make_volume $DISK $MNT mode=fragment:block || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no volume"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_chunk"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_hole"
load path=$MNT,$MNT2 causes=0
[ -n "$(nodes)" ] || skip_rest "memory of an extent" "this kernel keeps nodes in one slab with others of their size"

begin
fileop write $MNT/in_order 0 $((want * 21 * B / 20))
sync
measure "written in order" 12

before=$(nodes)
begin
fileop random $MNT2/holes $((want * 5)) $((want * 13 / 10)) 65 direct
sync
measure "written at random, with holes" 32
rm $MNT2/holes
sync
# a worker frees the nodes
check "the nodes of a removed file are freed" loop_until $PATIENCE freed_down_to "$before"

fileop write $MNT2/dense 0 $((want * 21 * B / 20))
begin
fileop random $MNT2/dense $((want * 21 / 20)) $((want * 11 / 5)) 66 every 1000
sync
measure "overwritten at random" 16

# there may be no room for both
rm $MNT2/dense
unload
load path=$MNT2
begin
fileop random $MNT2/holes $((want * 5)) $((want * 13 / 10)) 65 direct
sync
extents=$(($(stat_of extents) - extents))
causes=$(($(stat_of mem_bytes) - charged - ($(nodes) - nodes)))
check "with causes: at least $want extents" test "$extents" -ge "$want"
check "at most two causes for each extent, as there are holes, and free space ($causes bytes)" test $causes -le $((10 * extents + SLACK))

finish
