#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 37_files.sh - files of many gigabytes with few blocks, files without a name at first, with several names, copied in F2FS
#
# group: names texts
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 12
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
# 3.9 TB is near the maximum of F2FS's nodes; every level of them is used.
for offset in 0 $((1 << 22)) $((9 << 30)) $((1 << 40)) $((3900 << 30)); do
	fileop write $MNT/sparse $offset 10000
done
check_exact "maps are exact for blocks scattered over a file of 3.9 TB" $MNT
for offset in 1 $((9 << 30)) $((3900 << 30)); do
	fileop write $MNT/sparse $offset 50000 direct 2>/dev/null || fileop write $MNT/sparse $((offset + 5)) 50000
done
fileop fallocate $MNT/sparse default $((2 << 40)) 1M
fileop write $MNT/sparse $(((2 << 40) + 8192)) 9000
check_exact "maps are exact after more writes and preallocation" -u $MNT
fileop fallocate $MNT/sparse punch $((1 << 40)) 8K
fileop truncate $MNT/sparse $(((3900 << 30) + 5000))
check_exact "maps are exact after punching and truncation" -u $MNT
fileop truncate $MNT/sparse 5000
check_exact "maps are exact after truncation to the first block" -u $MNT
fileop fallocate $MNT/reserved keep 0 200M
fileop write $MNT/reserved 100M 64K
check_exact "maps are exact after preallocation of 200 MB beyond the end" -u $MNT
fileop tmpfile $MNT 300K $MNT/linked
check_exact "maps are exact for a file that was written before it was linked" $MNT
check "the table has the linked file" in_table $MNT/linked
fileop write $MNT/from 0 1M
mkdir $MNT/d
ln $MNT/from $MNT/d/second
ln $MNT/linked $MNT/d/third
fileop copy $MNT/d/second 12345 $MNT/copy 777 500000
fileop copy $MNT/linked 0 $MNT/d/second 64K 128K
check_exact "maps are exact after copies within the file system" $MNT
rm $MNT/from $MNT/linked
fileop write $MNT/d/second 100K 64K
check_exact "maps are exact after the first names are removed" $MNT
# F2FS keeps immutable files in large folios, if it supports them.
fileop write $MNT/large 0 16M
fileop random $MNT/large 4096 100 "${SEED:-371}" every 10
sync
fileop immutable $MNT/large 1
umount $MNT
mount_volume $DISK $MNT
await_live
cat $MNT/large >/dev/null
fileop many $MNT/junk 60 30000 20000 7
sync
rm $MNT/junk*[1345]
fileop gc $MNT 1 40
check_exact "maps are exact after large folios are read and collected" $MNT
# Linux 7.2 refuses to open the file for writing while it has large folios.
fileop immutable $MNT/large 0
umount $MNT
mount_volume $DISK $MNT
await_live
fileop write $MNT/large 1M 300K
fileop mmap $MNT/large 3M 70000
fileop truncate $MNT/large 3500001
check_exact "maps are exact after these files are written" $MNT
umount $MNT

# A device alias is a file that stands for a whole device of the volume (6.13); mkfs.f2fs 1.15 makes none.
if mkfs.f2fs -q -f -O device_alias -c $DISK2@alias $DISK >/dev/null 2>&1 && mount_volume $DISK $MNT 2>/dev/null; then
	await_live
	check_exact "maps are exact with a device alias" $MNT
else
	skip "maps are exact with a device alias" "this kernel or these tools have none"
fi
finish
