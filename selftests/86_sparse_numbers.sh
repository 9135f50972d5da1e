#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 86_sparse_numbers.sh - inode numbers far apart: the memory that is charged is that of the slabs
#
# One file in each 64 inode numbers is kept: each has a node of the table of records for itself. The slabs are compared
# before and after the directory is not watched any more, because F2FS has such nodes, too. FILES is the number of files.
#
# kernels: first
# group: memory
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

FILES=${FILES:-600}

# slabs() - print the memory of records, of the nodes of their table, and of names
slabs() {
	for cache in /sys/kernel/slab/*fragtrace_inode /sys/kernel/slab/radix_tree_node /sys/kernel/slab/kmalloc-*; do
		[ ! -w "$cache/shrink" ] || echo 1 >"$cache/shrink"
	done
	awk '$1 ~ /^(fragtrace_inode|radix_tree_node|kmalloc-(64|96))$/ { n += $2 * $4 } END { print n }' /proc/slabinfo
}

# stays() - is the memory of the slabs the same as a second before?
stays() {
	last=$(slabs)
	sleep 1
	[ "$(slabs)" = "$last" ]
}

# charged_is(bytes) - is this charged?
charged_is() {
	[ "$(stat_of mem_bytes)" = "$1" ]
}

plan 3
make_volume $DISK $MNT || bail "no volume"
mkdir $MNT/d
load path=$MNT
[ "$SLOW" = 1 ] || skip_rest "memory of records" "the checks of this kernel take additional memory"
grep -q '^fragtrace_inode ' /proc/slabinfo || skip_rest "memory of records" "this kernel keeps them in a slab with others"
settle
base=$(stat_of mem_bytes)
fileop few $MNT/d/ "$FILES" 64
settle || :
stays || stays || :
charged=$(($(stat_of mem_bytes) - base)) held=$(slabs)
expect "all files are followed" "$(($(stat_of inodes) >= FILES))" 1
echo "del $MNT" >$DBG/targets
check "nothing is charged in the end" loop_until $PATIENCE charged_is 0
stays || stays || :
held=$((held - $(slabs)))
# The kernel's own objects of these sizes come and go: four pages of them.
limit=$((held / 20 + 16384))
check "the charged memory is that of the slabs ($charged and $held bytes)" test "$charged" -ge $((held - limit)) -a \
	"$charged" -le $((held + limit))
finish
