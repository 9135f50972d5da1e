#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 69_wait.sh - directories that are requested before their volume is mounted: at load, and in `targets`
#
# kernels: first
# group: load targets
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# target_is(state, path) - is there a target with that state and that path?
target_is() {
	awk -v state="$1" -v path="$2" '$3 == state && $5 == path { found = 1 } END { exit !found }' "$DBG/targets"
}

# waiting() - print the number of waiting targets
waiting() {
	stat_of targets_waiting
}

plan 27
make_volume $DISK $MNT || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
mkdir -p $MNT/db $MNT2/other
fileop write $MNT/db/one 0 256K
umount $MNT $MNT2
# as at boot, the module is loaded before F2FS
! f2fs_is_module || rmmod f2fs

expect "without wait=1 a missing path is refused" "$(fileop insmod "$FRAGTRACE_KO" path=$MNT/db)" ENOTDIR
expect "with wait=1 a relative path is refused" "$(fileop insmod "$FRAGTRACE_KO" "path=db wait=1")" EINVAL
expect "with wait=1 a path that is given twice is refused" "$(fileop insmod "$FRAGTRACE_KO" "path=$MNT/db,$MNT/db/ wait=1")" EINVAL
refuse "the module is not loaded" loaded
load "path=$MNT/db,$MNT2" wait=1
check "the log reports the waiting paths" logged "fragtrace: waiting for $MNT/db,$MNT2"
check "the directory has the state waiting" target_is waiting $MNT/db
check "the mount point has the state waiting" target_is waiting $MNT2
sleep 2
expect "a directory that is not on F2FS has the state waiting" "$(waiting)" 2
mount_volume $DISK $MNT || bail "not mounted"
check "the directory is live after the mount" loop_until $PATIENCE target_is live $MNT/db
check "the log reports that the directory is watched" logged "path $MNT/db: is there and watched"
expect "the other target still waits" "$(waiting)" 1
fileop write $MNT/db/two 0 128K
check_exact "maps of existing and new files are exact" $MNT/db
umount $MNT
check "the directory waits after the unmount" loop_until $PATIENCE target_is waiting $MNT/db
mount_volume $DISK $MNT || bail "not mounted"
check "the directory is live after the next mount" loop_until $PATIENCE target_is live $MNT/db
check "the log reports that the directory is watched again" logged "path $MNT/db: is there again and watched"

expect "wait accepts a directory that does not exist" "$(fileop say $DBG/targets "wait $MNT/new dir")" OK
expect "wait refuses the same directory again" "$(fileop say $DBG/targets "wait $MNT/new dir/")" EEXIST
expect "wait refuses a watched directory" "$(fileop say $DBG/targets "wait $MNT/db")" EEXIST
expect "wait refuses a relative path" "$(fileop say $DBG/targets "wait db")" EINVAL
mkdir "$MNT/new dir"
check "the directory is live after it is created" loop_until $PATIENCE target_is live "$MNT/new\\\\040dir"
expect "wait accepts an existing directory" "$(fileop say $DBG/targets "wait $MNT")" OK
check "the existing directory is live" loop_until $PATIENCE target_is live $MNT
check_exact "maps are exact for all targets" $MNT
expect "wait accepts a second path of a watched directory" "$(ln -s db $MNT/alias && fileop say $DBG/targets "wait $MNT/alias")" OK
check "the log reports that the directory is watched already" loop_until $PATIENCE logged "path $MNT/alias: is watched already"
expect "a waiting target is removed" "$(fileop say $DBG/targets "del $MNT2")" OK
check "the module unloads while a target waits" unload
finish
