#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 52_resync.sh - resync: all maps are read again, and stay the same

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 10
make_volume $DISK $MNT || bail "no volume"
mkdir $MNT/d
load path=$MNT/d
fileop write $MNT/d/a 0 1M
fileop random $MNT/d/a 256 100 "${SEED:-91}" every 2
check_exact "before" $MNT/d
cat $DBG/table >/tmp/table1
rescans=$(stat_of rescans)
expect "resync of everything" "$(fileop say $DBG/resync 1)" OK
expect "each file is asked for once" "$(stat_of rescans)" $((rescans + 1))
cat $DBG/table >/tmp/table2
check "changes nothing" cmp /tmp/table1 /tmp/table2
expect "resync of one directory" "$(fileop say $DBG/resync $MNT/d)" OK
cat $DBG/table >/tmp/table2
check "changes nothing" cmp /tmp/table1 /tmp/table2
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
	check_exact "between an event and the change that it tells of" $MNT/d
else
	skip "between an event and the change that it tells of" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
fi
# A request before all folders have been read: it also waits for the files in them.
unload
for i in 1 2 3 4 5; do
	mkdir -p $MNT/d/deep$i/er/and/deeper
	fileop many $MNT/d/deep$i/er/and/deeper/ 300 4096 0
done
umount $MNT
mount_volume $DISK $MNT
load path=$MNT/d
expect "resync while folders are being read" "$(fileop say $DBG/resync 1)" OK
expect "waits for all that is in them" "$(stat_of inodes) $(stat_of stale)" "1502 0"
check_exact "exact" --partial $MNT/d/deep1
finish
