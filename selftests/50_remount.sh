#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 50_remount.sh - unmount is never delayed; the volume is followed again after the next mount
#
# group: targets quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 15
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/a 0 2M
fileop random $MNT/a 512 100 "${SEED:-81}" every 4
check_exact "maps are exact before the unmount" $MNT
start=$(date +%s)
check "the volume is unmounted" umount $MNT
check "the unmount takes at most 5 seconds" test $(($(date +%s) - start)) -le 5
expect "the table is empty while the volume is not mounted" "$(grep -vc '^#' $DBG/table)" 0
check "the log reports the unmount" loop_until "$SOON" logged "path $MNT: its volume was unmounted"
expect "the target has the state waiting" "$(awk '!/^#/ { print $3 }' $DBG/targets)" waiting
mount_volume $DISK $MNT
check "the target has the state live after the mount" loop_until $PATIENCE sh -c "awk '!/^#/ { print \$3 }' $DBG/targets | grep -q live"
check "the log reports the mount" logged "path $MNT: is there again"
check_exact "maps of existing files are exact" $MNT
fileop write $MNT/b 0 1M
fileop random $MNT/a 512 100 "${SEED:-82}" every 4
check_at_once "maps of new files are exact" $MNT
# With writes up to the last moment, and with a reader that holds a snapshot.
fileop write $MNT/c 0 8M
exec 7<$DBG/table
check "the volume is unmounted with dirty files and an open snapshot" umount $MNT
exec 7<&-
mount_volume $DISK $MNT
loop_until $PATIENCE sh -c "awk '!/^#/ { print \$3 }' $DBG/targets | grep -q live" || :
check_exact "maps are exact after the second mount" $MNT
# A disk may be slow: the path leads elsewhere already, and the volume is not gone yet. A CPU that waits for more than 20 s is a
# soft lockup to the kernel.
late function=kill_f2fs_super before_ms=$((SLOW > 2 ? 15000 : 6000 * SLOW)) || echo "# late.ko is not here: the unmount is not slow"
umount $MNT
late
check "the target waits after that unmount" loop_until "$SOON" sh -c "awk '!/^#/ { print \$3 }' $DBG/targets | grep -qx waiting"
refuse "the log does not say of an unmount that mounts have changed" logged "path $MNT: leads to another directory"
# Another volume at the same mount point: no file of the old one may stay.
make_volume $DISK $MNT
fileop write $MNT/fresh 0 256K
loop_until $PATIENCE sh -c "awk '!/^#/ { print \$3 }' $DBG/targets | grep -q live" || :
check_exact "maps are exact for another volume at the same mount point" $MNT
finish
