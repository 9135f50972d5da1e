#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 28_inline.sh - inline data that grows out of the inode, and small files
#
# group: write
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 5
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
printf '%s' small >$MNT/a
fileop write $MNT/b 0 3000
check_at_once "a file with inline data has no block" $MNT
fileop append $MNT/a 1000 20
fileop write $MNT/b 3000 100000
check_at_once "maps are exact after inline data grows by writes" $MNT
printf '%s' small >$MNT/c
sync
fileop truncate $MNT/c 10000
fileop write $MNT/c 9000 10
printf '%s' small >$MNT/d
sync
fileop mmap $MNT/d 0 100
check_at_once "maps are exact after inline data grows by truncate and mmap" $MNT
printf '%s' small >$MNT/e
sync
fileop fallocate $MNT/e default 0 64K
fileop write $MNT/e 8K 8K direct
check_at_once "maps are exact after inline data grows by fallocate and O_DIRECT" -u $MNT
fileop truncate $MNT/a 0
fileop write $MNT/a 0 10
check_at_once "maps are exact after the files are small again" $MNT
finish
