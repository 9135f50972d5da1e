#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 32_in_and_out.sh - files that move into and out of a watched directory

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# known_if_live(path) - if the target is shown as live, this file must be known
known_if_live() {
	if awk '$3 == "live" { live = 1 } END { exit !live }' $DBG/targets; then
		in_files "$1"
	fi
}

plan 12
make_volume $DISK $MNT || bail "no volume"
mkdir -p $MNT/watched/sub $MNT/outside/tree
fileop write $MNT/outside/one 0 64K
fileop write $MNT/outside/tree/two 0 64K
fileop write $MNT/watched/three 0 64K
load path=$MNT/watched
check_exact "only the watched directory" $MNT/watched
refuse "a file outside does not appear" in_table $MNT/outside/one
fileop write $MNT/outside/new 0 64K
check_exact "nor a new one" $MNT/watched
mv $MNT/outside/one $MNT/watched/sub/
fileop write $MNT/watched/sub/one 32K 64K
check_exact "moved in" $MNT/watched
check "it appears" in_table $MNT/watched/sub/one
mv $MNT/watched/three $MNT/outside/
check_exact "moved out" $MNT/watched
refuse "it is gone" grep -q /three $DBG/table
mv $MNT/outside/tree $MNT/watched/
check "until it has been read, nothing claims to be live" known_if_live $MNT/watched/tree/two
check_exact "a directory moved in" $MNT/watched
fileop write $MNT/watched/tree/two 64K 64K
check_exact "and written to" $MNT/watched
mv $MNT/watched/sub $MNT/outside/
fileop write $MNT/outside/sub/one 0 64K
check_exact "a directory moved out" $MNT/watched
refuse "what is below it is gone" grep -q /sub/one $DBG/table
finish
