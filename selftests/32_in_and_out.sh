#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 32_in_and_out.sh - files that move into and out of a watched directory
#
# group: names quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# live_and_known(path) - as soon as the target is shown as live, this file must be known
live_and_known() {
	local end

	end=$(($(date +%s) + SOON))
	until all_live; do
		[ "$(date +%s)" -lt "$end" ] || return 1
	done
	in_files "$1"
}

# target_is_at(path) - is there a target with this path?
target_is_at() {
	awk -v path="$1" '$5 == path { found = 1 } END { exit !found }' $DBG/targets
}

# records_are(files, directories) - are so many followed?
records_are() {
	[ "$(stat_of inodes) $(stat_of directories)" = "$1 $2" ]
}

# records(name, files, directories) - only what is in the watched directory is followed, soon
records() {
	loop_until "$SOON" records_are "$2" "$3" || :
	expect "$1" "$(stat_of inodes) $(stat_of directories)" "$2 $3"
}

plan 16
make_volume $DISK $MNT || bail "no volume"
mkdir -p $MNT/watched/sub $MNT/outside/tree
fileop write $MNT/outside/one 0 64K
fileop write $MNT/outside/tree/two 0 64K
fileop write $MNT/watched/three 0 64K
load path=$MNT/watched
check_exact "maps of the watched directory are exact" $MNT/watched
refuse "a file outside of it is not in the table" in_table $MNT/outside/one
fileop write $MNT/outside/new 0 64K
check_at_once "maps are exact after a file is created outside" $MNT/watched
mv $MNT/outside/one $MNT/watched/sub/
fileop write $MNT/watched/sub/one 32K 64K
check_exact "maps are exact after a file is moved into the directory" $MNT/watched
check "the table has the file that was moved in" in_table $MNT/watched/sub/one
mv $MNT/watched/three $MNT/outside/
check_at_once "maps are exact after a file is moved out" $MNT/watched
refuse "the table does not have the file that was moved out" grep -q /three $DBG/table
records "there is no record of it" 1 2
mv $MNT/outside/tree $MNT/watched/
check "the target is live only after a new directory has been read" live_and_known $MNT/watched/tree/two
check_exact "maps are exact after a directory is moved in" $MNT/watched
fileop write $MNT/watched/tree/two 64K 64K
check_at_once "maps are exact after files in this directory are written" $MNT/watched
mv $MNT/watched/sub $MNT/outside/
fileop write $MNT/outside/sub/one 0 64K
check_at_once "maps are exact after a directory is moved out" $MNT/watched
refuse "the table does not have the files below it" grep -q /sub/one $DBG/table
records "there is no record of them" 1 2
mv $MNT/watched/tree $MNT/outside/
records "there is no record of the last directory" 0 1
# A target below a directory that leaves the tree stays, with another path, once that has been looked up.
mkdir -p $MNT/watched/above/inner
fileop say $DBG/targets "add $MNT/watched/above/inner" >/dev/null
settle
mv $MNT/watched/above $MNT/outside/
ls $MNT/outside/above/inner
check "a target below a directory that is moved out has its new path" loop_until "$SOON" target_is_at $MNT/outside/above/inner
finish
