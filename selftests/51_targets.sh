#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 51_targets.sh - several directories: sub-directories, overlapping ones, two volumes, added and removed
#
# group: targets
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 18
make_volume $DISK $MNT || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
mkdir -p $MNT/a/b $MNT/c
fileop write $MNT/a/one 0 64K
fileop write $MNT/a/b/two 0 128K
fileop write $MNT/c/three 0 64K
fileop write $MNT/four 0 64K
fileop write $MNT2/five 0 256K
load "path=$MNT/a,$MNT/a/b,$MNT2"
expect "the parameter path is what was given" "$(cat /sys/module/fragtrace/parameters/path)" "$MNT/a,$MNT/a/b,$MNT2"
expect "targets has three directories" "$(grep -vc '^#' $DBG/targets)" 3
check_exact "maps are exact for a directory, one inside it, and another volume" $MNT/a $MNT2
expect "a file below two targets is listed once" "$(grep -c 'a/b/two$' $DBG/files)" 1
expect "the table has one line for each volume" "$(grep -c '^# volume' $DBG/table)" 2
expect "which ends with its mount point" "$(sed -n 's/^# volume .* path=//p' $DBG/table | sort | tr '\n' ' ')" "$MNT $MNT2 "
expect "a target is added" "$(fileop say $DBG/targets "add $MNT/c")" OK
check_exact "maps are exact after a target is added" $MNT/a $MNT/c $MNT2
expect "a target that exists is refused" "$(fileop say $DBG/targets "add $MNT/c")" EEXIST
expect "the outer target is removed by its path with a slash at the end" "$(fileop say $DBG/targets "del $MNT/a/")" OK
fileop write $MNT/a/one 0 1M
fileop write $MNT/a/b/two 64K 1M
check_exact "maps of the inner target are exact" $MNT/a/b $MNT/c $MNT2
refuse "other files of the outer target are not in the table" in_table $MNT/a/one
expect "the removal of a target that does not exist is refused" "$(fileop say $DBG/targets "del $MNT/a")" EINVAL
expect "the root of the volume is added" "$(fileop say $DBG/targets "add $MNT")" OK
check_exact "maps of the whole volume are exact" $MNT $MNT2
for dir in $MNT $MNT/a/b $MNT/c $MNT2; do
	fileop say $DBG/targets "del $dir" >/dev/null
done
expect "targets is empty after all are removed" "$(grep -vc '^#' $DBG/targets)" 0
settle
expect "files is empty after all targets are removed" "$(grep -vc '^#' $DBG/files)" 0
check "both volumes are unmounted" umount $MNT $MNT2
finish
