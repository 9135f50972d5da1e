#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 24_sparse.sh - sparse files: holes, far offsets, holes filled later
#
# group: write
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 4
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop random $MNT/sparse 100000 300 "${SEED:-31}"
check_at_once "maps are exact after random writes over 100,000 blocks" $MNT
# Beyond the direct nodes: indirect and doubly indirect ones.
fileop write $MNT/far 9000M 10000
fileop write $MNT/far 5000M 10000
fileop write $MNT/far 5M 10000
check_at_once "maps are exact after writes at 9 GB" $MNT
fileop random $MNT/sparse 100000 300 "${SEED:-32}"
fileop write $MNT/far 4M 3M
check_at_once "maps are exact after more writes of both kinds" $MNT
# A hole between two adjacent blocks does not end a fragment.
fileop write $MNT/side 0 64K
fileop write $MNT/side 128K 64K
sync
check_at_once "maps are exact with a hole inside a fragment" $MNT
finish
