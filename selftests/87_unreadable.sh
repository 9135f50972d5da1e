#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 87_unreadable.sh - a waiting directory on a volume with an unreadable super block is reported once, not each second
#
# group: hostile
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# complaints() - print the number of such messages in the log
complaints() {
	log_since | grep -c "super block cannot be read" || :
}

# complained() - is there such a message?
complained() {
	[ "$(complaints)" -gt 0 ]
}

plan 5
B=$PAGE_SIZE
make_volume $DISK $MNT || bail "no volume"
fileop write $MNT/file 0 64K
load path=$MNT
check_exact "maps are exact before the damage" $MNT
umount $MNT
# Both copies of the super block are overwritten while it is mounted elsewhere, where the module does not search.
dd if=$DISK of=/tmp/super bs="$B" count=2 2>/dev/null
mount_volume $DISK $MNT2
if ! dd if=/dev/zero of=$DISK bs="$B" count=2 conv=notrunc 2>/dev/null; then
	skip_rest "a super block that cannot be read" "this kernel refuses writes to a mounted disk"
fi
mount --bind $MNT2 $MNT
check "the log reports the unreadable super block" loop_until $PATIENCE complained
sleep 4
expect "the log reports it once" "$(complaints)" 1
dd if=/tmp/super of=$DISK bs="$B" count=2 conv=notrunc 2>/dev/null
await_live
check_exact "maps are exact after the super block is restored" $MNT
umount $MNT
check "the volume is unmounted" umount $MNT2
finish
