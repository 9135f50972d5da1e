#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 53_target_again.sh - a watched directory that is removed and created again, renamed, or below a renamed one
#
# Regression: after rmdir and mkdir the target kept the deleted inode.
#
# group: targets quick
# blocks: any

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
check "the target has the state live" loop_until $PATIENCE target_is live $MNT/x/y/t
rmdir $MNT/x/y/t
check "the target waits after its directory is removed" loop_until $PATIENCE target_is waiting $MNT/x/y/t
mkdir $MNT/x/y/t
fileop write $MNT/x/y/t/f 0 64K
check "the target is live after its directory is created again" loop_until $PATIENCE target_is live $MNT/x/y/t
check_exact "maps are exact after the directory is created again" $MNT/x/y/t
mv $MNT/x/y/t $MNT/x/y/u
check "the target has its new path after a rename" loop_until $PATIENCE target_is live $MNT/x/y/u
check_exact "maps are exact after the rename" $MNT/x/y/u
mv $MNT/x $MNT/z
check "the target has its new path after the rename of a directory above" loop_until $PATIENCE target_is live $MNT/z/y/u
check_exact "maps are exact after the rename of a directory above" $MNT/z/y/u
finish
