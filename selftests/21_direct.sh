#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 21_direct.sh - O_DIRECT writes: new files, overwrites, writes into holes, direct and buffered writes of one file
#
# group: write quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 8
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/a 0 4M direct
check_at_once "maps are exact after a new file is written" $MNT
fileop random $MNT/a 1024 300 "${SEED:-21}" direct
check_at_once "maps are exact after blocks are overwritten" $MNT
fileop write $MNT/hole 8M 64K direct
fileop write $MNT/hole 2M 128K direct
check_at_once "maps are exact after writes into holes" $MNT
fileop write $MNT/a 1M 1M
fileop write $MNT/a 1500K 512K direct
fileop write $MNT/a 3M 70000
check_at_once "maps are exact after direct and buffered writes" $MNT
fileop fallocate $MNT/reserved default 0 2M
fileop write $MNT/reserved 512K 256K direct
check_at_once "maps are exact after writes into preallocated blocks" -u $MNT

# Each block is apart from the others, and there is no extent cache, which would report it. F2FS allocates the block
# after a run without an event; later it looks up only the last one.
make_volume $DISK2 $MNT2 noextent_cache,mode=fragment:block || bail "no second volume"
echo 1 >"/sys/fs/f2fs/${DISK2##*/}/max_fragment_chunk"
fileop say $DBG/targets "add $MNT2"
fileop write $MNT2/sparse 0 1
fileop truncate $MNT2/sparse 64M
for n in 1 2 3 4 5 6 7 8; do
	fileop write $MNT2/sparse ${n}M 32K direct
done
check_exact "maps are exact after holes are filled block by block, without extent cache" -u $MNT $MNT2

# The write overwrites existing blocks and reaches the hole after them; its buffer is not mapped. F2FS allocates the
# first block of the hole, and does not look it up again.
fileop write $MNT2/cut 0 16K direct
fileop truncate $MNT2/cut 64K
settle
fileop refused $MNT2/cut 12K 16K
check_exact "maps are exact after a write that fails after a run, without extent cache" -u $MNT $MNT2
settle
rescans=$(stat_of rescans)
fileop write $MNT2/cut 0 16K direct
expect "direct writes over existing blocks cause no scan" "$(stat_of rescans) $(stat_of stale)" "$rescans 0"
finish
