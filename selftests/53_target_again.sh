#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 53_target_again.sh - a watched directory that is removed and created again, renamed, or below a renamed one
#
# Regression: after rmdir and mkdir the target kept the deleted inode.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# target_is(state, path) - is there a target with that state and that path?
target_is() {
	awk -v state="$1" -v path="$2" '$3 == state && $5 == path { found = 1 } END { exit !found }' "$DBG/targets"
}

plan 8
make_volume $DISK $MNT || bail "no volume"
mkdir -p $MNT/x/y/t
load path=$MNT/x/y/t
check "it is watched" loop_until $PATIENCE target_is live $MNT/x/y/t
rmdir $MNT/x/y/t
check "removed, it waits" loop_until $PATIENCE target_is waiting $MNT/x/y/t
mkdir $MNT/x/y/t
fileop write $MNT/x/y/t/f 0 64K
check "made again, it is watched again" loop_until $PATIENCE target_is live $MNT/x/y/t
check_exact "and exact" $MNT/x/y/t
mv $MNT/x/y/t $MNT/x/y/u
check "renamed, it has its new path" loop_until $PATIENCE target_is live $MNT/x/y/u
check_exact "and so have its files" $MNT/x/y/u
mv $MNT/x $MNT/z
check "so it has when a directory above is renamed" loop_until $PATIENCE target_is live $MNT/z/y/u
check_exact "and so have its files again" $MNT/z/y/u
finish
