#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 41_defragment.sh - F2FS_IOC_DEFRAGMENT
#
# group: gc
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 4
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/a 0 4M
sync
fileop random $MNT/a 1024 800 "${SEED:-61}" every 2
check_exact "maps are exact for a fragmented file" $MNT
before=$(column files $MNT/a 6)
fileop defrag $MNT/a 0 4M
check_exact "maps are exact after the file is defragmented" $MNT
after=$(column files $MNT/a 6)
check "fewer fragments than before ($before, $after)" test "$after" -lt "$before"
fileop random $MNT/a 1024 100 "${SEED:-62}"
fileop defrag $MNT/a 1M 1M
check_exact "maps are exact after a part of a file is defragmented" $MNT
finish
