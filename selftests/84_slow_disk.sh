#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 84_slow_disk.sh - a disk that does not answer while inodes and names are read keeps nobody waiting who does not need it
#
# One volume is on a device-mapper device, which is suspended during a resync: nothing of the volume is cached but one
# folder. Changes of names there, files of debugfs, other volumes, and the end of an inotify descriptor must not wait.
#
# kernels: first
# group: hostile

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

DM=/dev/dm-0

# end() - let the disk answer, and remove the device
end() {
	dmsetup resume slow 2>/dev/null || :
	cleanup
	dmsetup remove slow 2>/dev/null || :
}

# waiting_workers() - print how many tasks of ours wait for the disk
waiting_workers() {
	cat /proc/[0-9]*/stat 2>/dev/null | grep -c 'kworker.*fragtrace) D ' || :
}

# friend_exact() - is the file on the other volume exact, after a call has changed it?
friend_exact() {
	[ "$(column files $MNT2/friend 3)" = exact ] && [ "$(column files $MNT2/friend 4)" = "$1" ]
}

# late_again() - have more steps been late than $late?
late_again() {
	[ "$(stat_of steps_late)" -gt "$late" ]
}

plan 10
trap end EXIT
modprobe dm_mod 2>/dev/null || :
if ! dmsetup --noudevsync create slow --table "0 $(cat "/sys/class/block/${DISK##*/}/size") linear $DISK 0" 2>/dev/null; then
	skip_rest "a disk that does not answer" "there is no device-mapper"
fi
[ -e $DM ] || skip_rest "a disk that does not answer" "the device has another name"
make_volume $DM $MNT noinline_dentry || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
mkdir $MNT/large $MNT/small
fileop many $MNT/large/f 1000 4096 0
fileop write $MNT/small/a 0 4096
fileop write $MNT2/friend 0 256K
sync
load path=$MNT,$MNT2
settle || bail "maps are not exact"
echo 3 >/proc/sys/vm/drop_caches
mv $MNT/small/a $MNT/small/b
mv $MNT/small/b $MNT/small/a
ls -l $MNT/small >/dev/null
dmsetup suspend --nolockfs slow || bail "cannot suspend"
echo "$MNT" >$DBG/resync &
sleep 2
timed 20000 mv $MNT/small/a $MNT/small/b
expect "a file in a folder that is cached is renamed" "$STATUS" 0
if command -v inotifyd >/dev/null; then
	timed 20000 timeout 1 inotifyd - /tmp
	refuse "an inotify descriptor elsewhere is closed" test -z "$TOOK"
else
	skip "an inotify descriptor elsewhere is closed" "inotifyd is not in this guest"
fi
timed 20000 cat $DBG/table $DBG/targets $DBG/stats
expect "files of debugfs are read" "$STATUS" 0
fileop fallocate $MNT2/friend punch 40960 8192
check "a file on another volume becomes exact" loop_until $SOON friend_exact 62
sleep 10
waiting=$(waiting_workers)
check "no more than two workers wait for the disk ($waiting)" test "$waiting" -le 2
late=$(stat_of steps_late)
check "one step is late, or two ($late)" test "$late" -ge 1 -a "$late" -le 2
dmsetup resume slow
check_exact "maps are exact after the disk has answered" $MNT $MNT2

# One worker of a volume may wait for its disk. When it has gone on, another one may.
echo 3 >/proc/sys/vm/drop_caches
dmsetup suspend --nolockfs slow || bail "cannot suspend"
echo "$MNT" >$DBG/resync &
check "a step is late once more" loop_until $SOON late_again
dmsetup resume slow
check_exact "maps are exact after the disk has answered once more" $MNT $MNT2
check "the module is unloaded" unload
finish
