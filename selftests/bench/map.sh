#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench/map.sh - the cost of the extent map alone: instructions and bytes, up to $LARGEST extents.
#
# Runs in the small guest with counted instructions. Memory is the decrease of the kernel's free memory, so
# nothing is left out. Many small maps are built at once, so that pages do not matter.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../lib.sh
. /selftests/lib.sh
# shellcheck source=modes.sh
. "$here/modes.sh"

LARGEST=${LARGEST:-10000000}

# build(order, name, extents, maps) - build and use maps; print the cost
build() {
	local bytes

	echo "extmap_bench $1 $3 $4" >/dev/kmsg
	bytes=$(taken)
	insmod /tools/extmap_bench.ko order="$1" extents="$3" maps="$4" || bail "extmap_bench.ko failed: $*"
	bytes=$(($(taken) - bytes))
	rmmod extmap_bench
	dmesg | awk -v mark="extmap_bench $1 $3 $4" -v head="result map $2_$3 tracing 1" -v bytes="$bytes" '
		index($0, mark) { n = 0 }
		/extmap_bench: / { line[n++] = $(NF - 1) " " $NF; if ($(NF - 1) == "extents") extents = $NF }
		END {
			for (i = 0; i < n; i++)
				print head, line[i]
			print head, "bytes_per_extent", bytes / extents
		}'
}

plan 1
quiet
# the first one grows the kernel's own caches
build 1 warm_up 100000 1 >/dev/null
build 0 next_of_run 100000 1
for n in 1000 10000 100000 1000000 10000000; do
	[ $n -le "$LARGEST" ] || break
	maps=1
	[ $n -ge 1000000 ] || maps=$((1000000 / n))
	build 1 in_order $n $maps
	build 3 random $n $maps
	# the largest take minutes
	[ $n -le 1000000 ] || break
	build 2 in_order_with_holes $n $maps
	build 4 random_with_holes $n $maps
done
ok "measured"
finish
