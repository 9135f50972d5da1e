#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 50_remount.sh - unmount is never delayed; the volume is followed again after the next mount

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 13
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/a 0 2M
fileop random $MNT/a 512 100 "${SEED:-81}" every 4
check_exact "before" $MNT
start=$(date +%s)
check "unmount" umount $MNT
check "at once" test $(($(date +%s) - start)) -le 5
expect "nothing is shown meanwhile" "$(grep -vc '^#' $DBG/table)" 0
check "the log says that it waits" logged "path $MNT: its volume was unmounted"
expect "and the folder waits" "$(awk '!/^#/ { print $3 }' $DBG/targets)" waiting
mount_volume $DISK $MNT
check "it is live again" loop_until $PATIENCE sh -c "awk '!/^#/ { print \$3 }' $DBG/targets | grep -q live"
check "and the log says so" logged "path $MNT: is there again"
check_exact "what was there" $MNT
fileop write $MNT/b 0 1M
fileop random $MNT/a 512 100 "${SEED:-82}" every 4
check_exact "and what is new" $MNT
# With writes up to the last moment, and with a reader that holds a snapshot.
fileop write $MNT/c 0 8M
exec 7<$DBG/table
check "unmount with dirty files and an open snapshot" umount $MNT
exec 7<&-
mount_volume $DISK $MNT
loop_until $PATIENCE sh -c "awk '!/^#/ { print \$3 }' $DBG/targets | grep -q live" || :
check_exact "everything after the second time" $MNT
umount $MNT
# Another volume at the same mount point: no file of the old one may stay.
make_volume $DISK $MNT
fileop write $MNT/fresh 0 256K
loop_until $PATIENCE sh -c "awk '!/^#/ { print \$3 }' $DBG/targets | grep -q live" || :
check_exact "a new volume in the same place" $MNT
finish
