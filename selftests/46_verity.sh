#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 46_verity.sh - fs-verity: its hash tree is in the file after the end of its data
#
# group: features
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 6
make_special $DISK $MNT "" -O verity || skip_rest "fs-verity" "this kernel or these tools have none"
load path=$MNT
fileop write $MNT/sealed 0 3M
fileop random $MNT/sealed 768 100 "${SEED:-461}" every 5
fileop write $MNT/small 0 5000
check_exact "maps are exact before fs-verity is enabled" $MNT
before=$(column files $MNT/sealed 4)
fileop verity $MNT/sealed || skip_rest "fs-verity" "this kernel refuses it"
fileop verity $MNT/small
check_exact "maps are exact after fs-verity is enabled" $MNT
check "the file has blocks beyond its end" test "$(column files $MNT/sealed 4)" -gt "$before"
refuse "F2FS refuses a write to the file" fileop write $MNT/sealed 0 4K 2>/dev/null
fileop many $MNT/junk 100 30000 20000 7
sync
rm $MNT/junk*[1345]
fileop gc $MNT 1 40
check_exact "maps are exact after garbage collection" $MNT
umount $MNT
mount_volume $DISK $MNT
await_live
cat $MNT/sealed $MNT/small >/dev/null
check_exact "maps are exact after the next mount" $MNT
finish
