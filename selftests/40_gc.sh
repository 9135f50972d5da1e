#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 40_gc.sh - garbage collection in the foreground and in the background moves blocks
#
# group: gc quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# age(prefix) - fragmented files, every other one removed: victims for the collector
age() {
	fileop many "$MNT/$1" 300 30000 20000 7
	sync
	rm "$MNT/$1"*[1245780]
	sync
}

# moved() - print a checksum of the places of all files
moved() {
	grep -v '^#' $DBG/table | md5sum
}

plan 8
make_volume $DISK $MNT || bail "no volume"
age one
load path=$MNT
check_exact "maps are exact before garbage collection" $MNT
before=$(moved)
fileop gc $MNT 1 20
check_at_once "maps are exact after foreground garbage collection" $MNT
refuse "foreground garbage collection moved blocks" test "$before" = "$(moved)"
age two
check_at_once "maps are exact after the volume is aged again" $MNT
before=$(moved)
fileop gc $MNT 0 20
check_at_once "maps are exact after requested background garbage collection" $MNT
# The collector's own thread in an urgent mode. It dirties pages of cached inodes, write-back moves them.
sys=/sys/fs/f2fs/${DISK##*/}
age three
check_at_once "maps are exact after the volume is aged a third time" $MNT
before=$(moved)
echo 50 >"$sys/gc_urgent_sleep_time"
echo 1 >"$sys/gc_urgent"
loop_until 20 sh -c "sync; [ '$before' != \"\$(grep -v '^#' $DBG/table | md5sum)\" ]" || :
echo 0 >"$sys/gc_urgent"
refuse "the garbage collection thread moved blocks" test "$before" = "$(moved)"
check_at_once "maps are exact after the garbage collection thread ran" $MNT
finish
