#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 23_append.sh - appending: whole blocks, parts of blocks, two files in turn, as RocksDB does
#
# group: write quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 4
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop append $MNT/blocks "$PAGE_SIZE" 200 fdatasync
check_at_once "maps are exact after whole blocks are appended with fdatasync" $MNT
fileop append $MNT/bytes 777 500 fdatasync
check_at_once "maps are exact after parts of blocks are appended with fdatasync" $MNT
i=0
while [ $i -lt 40 ]; do
	fileop append $MNT/one 20000 1 fdatasync
	fileop append $MNT/two 9000 1 fdatasync
	i=$((i + 1))
done
check_at_once "maps are exact after two files are appended to in turn" $MNT
i=0
while [ $i -lt 10 ]; do
	fileop fallocate "$MNT/$i.sst" keep 0 4M
	fileop append "$MNT/$i.sst" 300001 7 fdatasync
	fileop truncate "$MNT/$i.sst" 2100007
	i=$((i + 1))
done
check_at_once "maps are exact after preallocation, appends, fdatasync and truncation" -u $MNT
finish
