#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 55_full.sh - a nearly full device: F2FS fills holes (SSR), or writes in place (IPU), or has no space
#
# group: write
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

sys=/sys/fs/f2fs/${DISK##*/}

# written(how) - print the blocks that F2FS has written in this way since the mount: SSR, LFS or IPU
written() {
	awk -v how="$1:" '{ for (i = 1; i <= NF; i++) if ($i == how && $(i + 1) ~ /^[0-9]+$/) { print $(i + 1); exit } }' /sys/kernel/debug/f2fs/status
}

# fill() - a small volume with many holes, hardly any free segment, and two files to write to
fill() {
	mounted $MNT && umount $MNT
	mkfs.f2fs -q -f $DISK $((60 * B)) >/dev/null
	mount_volume $DISK $MNT "$1" || bail "no volume"
	fileop write $MNT/data 0 $((4096 * B))
	# Until there is no space.
	fileop many $MNT/f 3000 $((10 * B)) $((5 * B / 4)) 9 2>/dev/null || :
	sync
	rm $MNT/f*[147]
	sync
}

# stir() - overwrite existing data repeatedly
stir() {
	local i

	i=0
	while [ $i -lt 2 ]; do
		fileop random $MNT/data 4096 800 "$(($1 + i))" every 40 || :
		i=$((i + 1))
	done
	fileop write $MNT/new 0 $((1024 * B)) 2>/dev/null || :
	fileop random $MNT/data 4096 200 "$1" direct 2>/dev/null || :
}

plan 9
B=$PAGE_SIZE
fill ""
load path=$MNT
check_exact "maps are exact on a full volume with holes" $MNT
before=$(written SSR)
stir "${SEED:-551}"
check_exact "maps are exact after files are overwritten" $MNT
check "F2FS wrote by SSR ($before, $(written SSR))" test "$(written SSR)" -gt "$before"
fuzz storm --seed "${SEED:-552}" --ops 200 $MNT 2>/dev/null || :
check_exact "maps are exact after files are created and removed" -u $MNT
fill ""
await_live
echo 2 >"$sys/ipu_policy"
before=$(written IPU)
stir "${SEED:-553}"
check_exact "maps are exact after writes in place because free segments are few" $MNT
check "F2FS wrote in place ($before, $(written IPU))" test "$(written IPU)" -gt "$before"
fill ""
await_live
echo 12 >"$sys/ipu_policy"
stir "${SEED:-554}"
check_exact "maps are exact after writes in place because utilization is high" $MNT
# No space is left: the map must be correct after a failed write, too.
fileop write $MNT/last 0 $((51200 * B)) 2>/dev/null || :
fileop fallocate $MNT/reserve default 0 $((12800 * B)) 2>/dev/null || :
fileop write $MNT/reserve 0 $((1280 * B)) direct 2>/dev/null || :
check_exact "maps are exact when no space is left" $MNT
rm $MNT/f*[2580]
fileop gc $MNT 1 20
stir "${SEED:-555}"
check_exact "maps are exact after files are removed" $MNT
finish
