#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 22_mmap.sh - writes through a shared mapping
#
# group: write
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 4
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop mmap $MNT/a 0 1M
check_at_once "maps are exact after a mapped write of a new file" $MNT
fileop write $MNT/b 0 2M
sync
fileop mmap $MNT/b 12345 700000
check_at_once "maps are exact after mapped writes over blocks" $MNT
fileop write $MNT/c 0 1
fileop truncate $MNT/c 20M
fileop mmap $MNT/c 10M 64K
fileop mmap $MNT/c 3M 4096
check_at_once "maps are exact after mapped writes into holes" $MNT
fileop mmap $MNT/d 100 5000
check_at_once "maps are exact after a mapped write of a small file" $MNT
finish
