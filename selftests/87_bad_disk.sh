#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 87_bad_disk.sh - a disk that cannot be read for a while: a truncation that has failed, a folder that cannot be read
#
# group: hostile

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

DM=/dev/dm-0

# end() - remove the disk
end() {
	cleanup
	dmsetup remove bad 2>/dev/null || :
}

# becomes(target) - from now on the disk is this one of device-mapper
becomes() {
	dmsetup suspend --nolockfs bad && dmsetup --noudevsync reload bad --table "0 $SIZE $1" && dmsetup resume bad
}

# is_stale(file) - is its map stale?
is_stale() {
	[ "$(column files "$1" 3)" = stale ]
}

plan 6
trap end EXIT
SIZE=$(cat "/sys/class/block/${DISK2##*/}/size")
dmsetup --noudevsync create bad --table "0 $SIZE linear $DISK2 0" 2>/dev/null || skip_rest "a bad disk" "there is no device-mapper"
make_volume $DM $MNT || bail "no volume"
# Its last blocks are in a second and a third node.
fileop write $MNT/long 0 8M
mkdir $MNT/folder
fileop write $MNT/folder/file 0 4K
fileop links $MNT/folder/file "$MNT/folder/$(printf '%0200d' 0)" 40
sync
load path=$MNT
check_exact "maps are exact before" $MNT
exec 9<$MNT/long
drop_caches
becomes error || bail "the disk does not change"
refuse "F2FS cannot truncate a file whose nodes it cannot read" fileop truncate $MNT/long 1M 2>/dev/null
check "its map is not called exact" is_stale $MNT/long
# F2FS gives the volume up after 100 failures, more than a minute later.
timed $((30000 * SLOW)) fileop say $DBG/resync 1
expect "a resync does not wait for a folder that cannot be read" "$STATUS" 0
check "it is not called live" sh -c "! awk '!/^#/ { print \$3 }' $DBG/targets | grep -qx live"
becomes "linear $DISK2 0" || bail "the disk does not change back"
# F2FS gives a volume up whose nodes it could not read too often.
exec 9<&-
umount $MNT
mount_volume $DM $MNT || bail "cannot be mounted again"
await_live
check_exact "maps are exact when the disk can be read again" $MNT
finish
