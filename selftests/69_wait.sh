#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 69_wait.sh - directories that are requested before their volume is mounted: at load, and in `targets`

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

expect "without wait=1 a path that is not there refuses the load" "$(fileop insmod "$FRAGTRACE_KO" path=$MNT/db)" ENOTDIR
expect "with it, too, where it is relative" "$(fileop insmod "$FRAGTRACE_KO" "path=db wait=1")" EINVAL
expect "or given twice" "$(fileop insmod "$FRAGTRACE_KO" "path=$MNT/db,$MNT/db/ wait=1")" EINVAL
refuse "nothing is loaded" loaded
load "path=$MNT/db,$MNT2" wait=1
check "the log says so" logged "fragtrace: waiting for $MNT/db,$MNT2"
check "the directory waits" target_is waiting $MNT/db
check "so does the mount point" target_is waiting $MNT2
sleep 2
expect "what is there, but not on F2FS, is waited for" "$(waiting)" 2
mount_volume $DISK $MNT || bail "not mounted"
check "mounted, it is found" loop_until $PATIENCE target_is live $MNT/db
check "the log says that it came" logged "path $MNT/db: is there and watched"
expect "the other one waits" "$(waiting)" 1
fileop write $MNT/db/two 0 128K
check_exact "what was there before, and what is written" $MNT/db
umount $MNT
check "unmounted, it waits" loop_until $PATIENCE target_is waiting $MNT/db
mount_volume $DISK $MNT || bail "not mounted"
check "and is found again" loop_until $PATIENCE target_is live $MNT/db
check "the log tells one from the other" logged "path $MNT/db: is there again and watched"

expect "waiting for a directory that is not there" "$(fileop say $DBG/targets "wait $MNT/new dir")" OK
expect "twice" "$(fileop say $DBG/targets "wait $MNT/new dir/")" EEXIST
expect "for one that is watched" "$(fileop say $DBG/targets "wait $MNT/db")" EEXIST
expect "for a relative path" "$(fileop say $DBG/targets "wait db")" EINVAL
mkdir "$MNT/new dir"
check "made, it is found" loop_until $PATIENCE target_is live "$MNT/new\\\\040dir"
expect "waiting for one that is there" "$(fileop say $DBG/targets "wait $MNT")" OK
check "it is found" loop_until $PATIENCE target_is live $MNT
check_exact "all of them" $MNT
expect "a second path of a watched directory" "$(ln -s db $MNT/alias && fileop say $DBG/targets "wait $MNT/alias")" OK
check "is waited for, and the log says why" loop_until $PATIENCE logged "path $MNT/alias: is watched already"
expect "waiting is given up" "$(fileop say $DBG/targets "del $MNT2")" OK
check "the module is unloaded while one waits" unload
finish
