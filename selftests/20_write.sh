#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 20_write.sh - buffered writes: new files, overwrites, unaligned offsets, all kinds of sync
#
# group: write quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 6
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/a 0 5M
check_at_once "maps are exact after a new file is written" $MNT
fileop write $MNT/a 1M 2M
check_at_once "maps are exact after blocks are overwritten" $MNT
fileop write $MNT/a 1234567 54321
fileop write $MNT/a 4095 2
fileop write $MNT/a 5242879 3
check_at_once "maps are exact after writes at unaligned offsets" $MNT
fileop write $MNT/a 8K 64K sync
fileop write $MNT/b 8K 64K dsync
check_at_once "maps are exact after writes with O_SYNC and O_DSYNC" $MNT
fileop random $MNT/a 1280 400 "${SEED:-11}" every 3
check_at_once "maps are exact after random writes with fsync in between" $MNT
fileop write $MNT/a 0 300K trunc
check_at_once "maps are exact after a write with O_TRUNC" $MNT
finish
