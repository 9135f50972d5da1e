#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 49_huge.sh - a volume of nearly 16 TiB, the most that F2FS can have: LBAs need all of their 32 bits
#
# F2FS keeps 2 GB in memory for such a volume. So this runs where it is named: make test-large TESTS=49_huge.sh
#
# kernels: named
# group: features

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# highest(file) - print the last LBA of a file
highest() {
	path=$1 awk '!/^#/ && $NF == ENVIRON["path"] && $2 + $3 - 1 > most { most = $2 + $3 - 1 } END { printf "%.0f\n", most }' $DBG/table
}

plan 7
[ "$(blockdev --getsize64 $DISK)" -ge $((15 << 40)) ] || skip_rest "maps are exact" "the disk is smaller than 15 TiB"
mkfs.f2fs -q -f -t 0 -e mp4 $DISK >/dev/null || bail "no volume"
mount_volume $DISK $MNT || bail "it is not mounted"
load path=$MNT
# the logs of warm and of cold data, which the extension is for, begin far apart
fileop write $MNT/warm 0 16M
fileop write $MNT/cold.mp4 0 16M
fileop random $MNT/cold.mp4 4096 200 "${SEED:-491}" every 10
sync
echo "# LBAs: up to $(highest $MNT/warm) and $(highest $MNT/cold.mp4) of $((1 << 32))"
check "a file has LBAs above 2^31" test "$(highest $MNT/warm)" -gt $((1 << 31))
check_exact "maps are exact" $MNT
fuzz storm --seed "${SEED:-492}" --ops 300 $MNT
check_exact "maps are exact after all kinds of operations" $MNT
fileop gc $MNT 1 5
check_exact "maps are exact after garbage collection" $MNT
expect "the program has the same LBAs" "$(fragtrace table --json | grep -o '"lba":[0-9]*' | sort -t : -k 2n | tail -n 1)" \
	"\"lba\":$(awk '!/^#/ && $2 > most { most = $2 } END { printf "%.0f\n", most }' $DBG/table)"
fragtrace view -o /tmp/huge.png >/dev/null
check "there is a picture" test -s /tmp/huge.png
umount $MNT
mount_volume $DISK $MNT
await_live
check_exact "maps are exact after the next mount" $MNT
finish
