#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 51_targets.sh - several directories: sub-directories, overlapping ones, two volumes, added and removed

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 16
make_volume $DISK $MNT || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
mkdir -p $MNT/a/b $MNT/c
fileop write $MNT/a/one 0 64K
fileop write $MNT/a/b/two 0 128K
fileop write $MNT/c/three 0 64K
fileop write $MNT/four 0 64K
fileop write $MNT2/five 0 256K
load "path=$MNT/a,$MNT/a/b,$MNT2"
expect "three folders" "$(grep -vc '^#' $DBG/targets)" 3
check_exact "a directory, one inside it, another volume" $MNT/a $MNT2
expect "a file under two directories is there once" "$(grep -c 'a/b/two$' $DBG/files)" 1
expect "one volume line for each" "$(grep -c '^# volume' $DBG/table)" 2
expect "adding" "$(fileop say $DBG/targets "add $MNT/c")" OK
check_exact "after adding" $MNT/a $MNT/c $MNT2
expect "adding it again" "$(fileop say $DBG/targets "add $MNT/c")" EEXIST
expect "removing the outer one, with a slash at its end" "$(fileop say $DBG/targets "del $MNT/a/")" OK
fileop write $MNT/a/one 0 1M
fileop write $MNT/a/b/two 64K 1M
check_exact "the inner one stays" $MNT/a/b $MNT/c $MNT2
refuse "the rest is gone" in_table $MNT/a/one
expect "removing what is not there" "$(fileop say $DBG/targets "del $MNT/a")" EINVAL
expect "the whole volume" "$(fileop say $DBG/targets "add $MNT")" OK
check_exact "after adding it" $MNT $MNT2
for dir in $MNT $MNT/a/b $MNT/c $MNT2; do
	fileop say $DBG/targets "del $dir" >/dev/null
done
expect "no folder left" "$(grep -vc '^#' $DBG/targets)" 0
settle
expect "no file left" "$(grep -vc '^#' $DBG/files)" 0
check "both volumes can be unmounted" umount $MNT $MNT2
finish
