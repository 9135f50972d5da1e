#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 12_existing.sh - files that existed before fragtrace: all kinds of layout, sub-directories, many of them
#
# blocks: any
# group: load quick

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 7
make_volume $DISK $MNT || bail "no volume"
mkdir -p $MNT/a/b/c
fileop write $MNT/plain 0 3M
fileop write $MNT/a/pieces 0 1M
fileop random $MNT/a/pieces 256 200 3 every 1
fileop write $MNT/a/b/sparse 4M 64K
fileop write $MNT/a/b/sparse 1M 4K
fileop write $MNT/a/b/sparse 40M 100
fileop fallocate $MNT/a/b/c/reserved keep 0 1M
fileop write $MNT/a/b/c/reserved 128K 64K
echo inline >$MNT/inline
: >$MNT/empty
fileop many $MNT/a/b/c/many 500 4000 100
ln $MNT/plain $MNT/a/link
ln -s plain $MNT/symlink
sync
load path=$MNT
check_exact "maps of existing files are exact after load" -u $MNT
expect "each of them was scanned once" "$(stat_of rescans)" 506
check "a fragmented file has the state fragmented" test "$(column table $MNT/a/pieces 6)" = fragmented
check "a file in one fragment has the state contiguous" test "$(column table $MNT/a/b/c/many400 6)" = contiguous
fileop random $MNT/a/pieces 512 100 4 every 7
fileop write $MNT/a/b/sparse 5M 10M
check_at_once "maps are exact after existing files are written" -u $MNT
unload
# Drop the page cache: layouts must come from the disk.
umount $MNT
mount_volume $DISK $MNT
load path=$MNT
check_exact "maps are exact after a scan with a cold cache" -u $MNT
expect "for which each file was scanned once" "$(stat_of rescans)" 506
finish
