#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 52_resync.sh - resync: all maps are read again, and stay the same
#
# kernels: first
# group: targets quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

TRACING=/sys/kernel/tracing

# asked(file) - print how often a resync makes F2FS look up blocks of a file
asked() {
	sync
	echo >$TRACING/trace
	echo 1 >$TRACING/events/f2fs/f2fs_map_blocks/enable
	fileop say $DBG/resync 1 >/dev/null
	echo 0 >$TRACING/events/f2fs/f2fs_map_blocks/enable
	grep -c "f2fs_map_blocks: .* ino = $(stat -c %i "$1")," $TRACING/trace || :
}

# few(name, file) - is F2FS not asked for each block that a file could have behind its last one?
few() {
	n=$(asked "$2")
	echo "# $n look-ups"
	check "F2FS is not asked for each hole: $1" test "$n" -le 24
}

plan 16
make_volume $DISK $MNT || bail "no volume"
mkdir $MNT/d
load path=$MNT/d
fileop write $MNT/d/a 0 1M
fileop random $MNT/d/a 256 100 "${SEED:-91}" every 2
check_exact "maps are exact before the resync" $MNT/d
cat $DBG/table >/tmp/table1
rescans=$(stat_of rescans)
expect "a resync of all targets is accepted" "$(fileop say $DBG/resync 1)" OK
expect "each file is scanned once" "$(stat_of rescans)" $((rescans + 1))
cat $DBG/table >/tmp/table2
check "the resync of all targets changes no map" cmp /tmp/table1 /tmp/table2
expect "a resync of one directory is accepted" "$(fileop say $DBG/resync $MNT/d)" OK
cat $DBG/table >/tmp/table2
check "the resync of one directory changes no map" cmp /tmp/table1 /tmp/table2
# The scan runs between F2FS's event of a new address and the change of its extent cache.
fileop write $MNT/d/new 0 1M
sync
if late function=probe_update_extent after_ms=2000; then
	fileop write $MNT/d/new 512K 4K
	sync &
	sleep 1
	echo $MNT/d >$DBG/resync
	wait $!
	late
	check_exact "maps are exact after a resync between an event and the change that it announces" $MNT/d
else
	skip "maps are exact after a resync between an event and the change that it announces" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
fi
# The end of a scan: F2FS's FIEMAP looks up each of the 1018 addresses of a node.
mounted $TRACING || mount -t tracefs tracefs $TRACING || bail "no tracefs"
fileop write $MNT/d/empty 0 64K
fileop truncate $MNT/d/empty 0
fileop truncate $MNT/d/empty 1M
fileop write $MNT/d/block 0 4K
fileop write $MNT/d/nodes 0 8M
fileop write $MNT/d/apart 0 4K
fileop write $MNT/d/apart 3M 4K
fileop fallocate $MNT/d/apart keep 500M 64K
few "no blocks" $MNT/d/empty
few "one block" $MNT/d/block
few "blocks in several nodes" $MNT/d/nodes
check "a file with more nodes than it needs is read to its end" test "$(asked $MNT/d/apart)" -gt 500
fileop truncate $MNT/d/nodes 5M
fileop fallocate $MNT/d/nodes punch 1M 512K
fileop fallocate $MNT/d/block keep 3M 1M
check_exact "exact" --unwritten $MNT/d
fileop say $DBG/audit 1 >/dev/null
expect "and an audit finds no difference" "$(stat_of audit_differences)" 0
rm $MNT/d/empty $MNT/d/block $MNT/d/nodes $MNT/d/apart
# A request before all folders have been read: it also waits for the files in them.
unload
for i in 1 2 3 4 5; do
	mkdir -p $MNT/d/deep$i/er/and/deeper
	fileop many $MNT/d/deep$i/er/and/deeper/ 300 4096 0
done
umount $MNT
mount_volume $DISK $MNT
load path=$MNT/d
expect "a resync is accepted while directories are being read" "$(fileop say $DBG/resync 1)" OK
expect "the resync waits for all files in these directories" "$(stat_of inodes) $(stat_of stale)" "1502 0"
check_exact "maps are exact after the resync" --partial $MNT/d/deep1
finish
