#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 11_f2fs_comes_and_goes.sh - F2FS is loaded after fragtrace, unloaded while fragtrace is loaded, and loaded again
#
# blocks: any
# group: load quick

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 8
f2fs_is_module || skip_rest "F2FS loaded after fragtrace" "it is built into this kernel"
rmmod f2fs 2>/dev/null || :
[ ! -d /sys/module/f2fs ] || bail "cannot unload f2fs: this test needs it as a module"
load ""
ok "fragtrace loads without F2FS"
modprobe f2fs
make_volume $DISK $MNT || bail "no volume"
expect "a target is accepted after F2FS is loaded" "$(fileop say $DBG/targets "add $MNT")" OK
fileop write $MNT/one 0 1M
fileop random $MNT/one 256 100 1 every 10
check_exact "maps are exact after F2FS is loaded" $MNT
umount $MNT
check "F2FS unloads while fragtrace is loaded" rmmod f2fs
expect "the table is empty while F2FS is not loaded" "$(grep -vc '^#' $DBG/table)" 0
modprobe f2fs
mount_volume $DISK $MNT
await_live
fileop write $MNT/two 0 1M
fileop random $MNT/one 256 100 2 every 10
check_exact "maps are exact after F2FS is loaded again" $MNT
unload
ok "fragtrace unloads before F2FS"
umount $MNT
check "F2FS unloads after fragtrace" rmmod f2fs
finish
