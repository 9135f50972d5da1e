#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 89_held_path.sh - a waiting directory whose path a user can block delays no other process
#
# The user replaces it by a symbolic link to a name in a directory, and holds the lock of this directory.
#
# kernels: first
# group: names hostile
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# waits() - does the directory wait to be created again?
waits() {
	awk '!/^#/ && $3 == "waiting" { found = 1 } END { exit !found }' $DBG/targets
}

# operations(own_time|in_time) - what must not wait for the user
operations() {
	$1 "the files of debugfs are opened" cat $DBG/table $DBG/files $DBG/extents $DBG/targets $DBG/stats
	$1 "another directory is no longer watched" sh -c "echo 'del $MNT2' >$DBG/targets"
	$1 "another directory is watched again" sh -c "echo 'add $MNT2' >$DBG/targets"
	$1 "a path below the held directory is accepted by wait" sh -c "echo 'wait $MNT/enemy/held/none' >$DBG/targets"
	$1 "sync returns" sync
	$1 "another volume is frozen" fsfreeze --freeze $MNT2
	$1 "another volume is thawed" fsfreeze --unfreeze $MNT2
	$1 "another volume is unmounted" umount $MNT2
	$1 "another volume is mounted" mount -t f2fs $DISK2 $MNT2
}

plan 11
[ ! -w /proc/sys/vm/unprivileged_userfaultfd ] || echo 1 >/proc/sys/vm/unprivileged_userfaultfd
make_volume $DISK $MNT || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
mkdir -p $MNT/enemy/db $MNT/enemy/held
chown -R 65534 $MNT/enemy
fileop write $MNT2/file 0 64K
load path=$MNT/enemy/db,$MNT2
settle
operations own_time
echo "del $MNT/enemy/held/none" >$DBG/targets
await_live
fileop as 65534 0 fileop stuck_dir $MNT/enemy/held /tmp/ready 2>/tmp/stuck.err &
holder=$!
loop_until 10 test -e /tmp/ready || bail "no process holds the directory"
sleep 2
[ ! -s /tmp/stuck.err ] || skip_rest "a held directory" "$(cat /tmp/stuck.err)"
fileop as 65534 0 rmdir $MNT/enemy/db
fileop as 65534 0 ln -s held/none $MNT/enemy/db
sleep 3
operations in_time
kill -9 $holder
wait $holder 2>/dev/null || :
check "the target has the state waiting" loop_until $PATIENCE waits
check "the module is unloaded" unload
finish
