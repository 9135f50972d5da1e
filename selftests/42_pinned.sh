#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 42_pinned.sh - pinned files
#
# group: features
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 4
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
: >$MNT/pinned
fileop pin $MNT/pinned 1 || bail "this kernel cannot pin a file"
fileop fallocate $MNT/pinned default 0 $((1024 * PAGE_SIZE))
check_exact "maps are exact after a pinned file is preallocated" -u $MNT
fileop write $MNT/pinned 0 1M
fileop random $MNT/pinned 1024 100 "${SEED:-71}" direct
check_exact "maps are exact after the pinned file is written" -u $MNT
fileop gc $MNT 1 5
check_exact "maps are exact after garbage collection" -u $MNT
fileop pin $MNT/pinned 0
fileop random $MNT/pinned 1024 100 "${SEED:-72}" every 3
check_exact "maps are exact after the file is unpinned and written" -u $MNT
finish
