#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 60_budget.sh - the memory budget: new files are left out and counted, existing ones stay correct
#
# kernels: first
# group: memory quick

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 9
make_volume $DISK $MNT noinline_data || bail "no volume"
mkdir $MNT/old $MNT/new
fileop many $MNT/old/ 100 64K 0
sync
load path=$MNT max_mem_mb=1
check_exact "maps of the first files are exact" $MNT/old
# More than a megabyte of maps, for any size of a map.
fileop many $MNT/new/ 8000 1 0
settle || :
check "files are left out and counted ($(stat_of refused))" test "$(stat_of refused)" -gt 0
check "the memory is within the budget ($(stat_of mem_bytes) bytes)" test "$(stat_of mem_bytes)" -le 1048576
fileop random $MNT/old/7 16 20 "${SEED:-95}" every 2
fileop write $MNT/old/8 64K 64K
check_exact "maps of the first files stay exact" --partial $MNT/old
grep -v '^#' $DBG/files | awk '{ print $NF }' | sed -n '$p' >/tmp/last
check "records in the table agree with FIEMAP" sh -c "fiemap-check -p $MNT/old >/dev/null"
rm -r $MNT/new
settle
fileop write $MNT/late 0 64K
check_exact "maps are exact after memory is free again" -p $MNT/old
unload
umount $MNT

# Files of 4096 extents use up the memory; then others grow by direct I/O, which only f2fs_map_blocks reports.
# Regression: such a file was left out, then marked as stale, and never scanned again.
make_volume $DISK $MNT noextent_cache,mode=fragment:block || bail "no volume"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_chunk"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_hole"
n=0
while [ $n -lt 40 ]; do
	fileop write $MNT/grows$n 0 1
	fileop truncate $MNT/grows$n 64M
	n=$((n + 1))
done
load path=$MNT max_mem_mb=1
n=0
while [ $n -lt 36 ]; do
	fileop write $MNT/fills$n 0 16M
	n=$((n + 1))
done
settle || :
refused=$(stat_of refused)
n=0
# The remaining memory depends on which files were left out before.
while [ $n -lt 320 ] || { [ $n -lt 1240 ] && [ "$(stat_of refused)" = "$refused" ]; }; do
	fileop write $MNT/grows$((n % 40)) $((1 + n / 40))M 32K direct
	n=$((n + 1))
done
check "files that grow by direct I/O are left out ($(stat_of refused), before $refused)" \
	test "$(stat_of refused)" -gt "$refused"
check "all other maps become exact" settle
for file in "$MNT"/*; do
	in_files "$file" || rm "$file"
done
check_exact "maps of the other files are exact" $MNT
finish
