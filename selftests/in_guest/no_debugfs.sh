#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# no_debugfs.sh - fragtrace in a kernel without debugfs: its files are in procfs, for root of the machine alone
#
# usage: no_debugfs.sh    in a guest that was booted with debugfs=off

here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$here/lib.sh"

# confined(text, mode) - try to open one of fragtrace's files as the root of a container; print OK or the error
confined() {
	fileop confined fileop try "$DBG/$1" "$2"
}

ALL="audit by_cgroup by_pair discards extents files fsync gc gc_runs healed heat latency ledger resync snapshot stats table targets"

plan 12
refuse "there is no debugfs" grep -qw debugfs /proc/filesystems
make_volume $DISK $MNT || bail "no volume"
fileop write $MNT/one 0 256K
load path=$MNT
check "the log says where the files are" logged "fragtrace: this kernel has no debugfs, .*: the files are in /proc/fragtrace"
expect "all files are in procfs" "$(cd $DBG && echo *)" "$ALL"
fileop write $MNT/one 64K 64K
check_exact "maps are exact" $MNT
expect "a directory is deleted by targets" "$(fileop say $DBG/targets "del $MNT")" OK
expect "and added" "$(fileop say $DBG/targets "add $MNT")" OK
expect "the root of a container cannot read snapshot" "$(confined snapshot r)" EACCES
expect "he cannot write to targets" "$(confined targets w)" EACCES
exec 3<$DBG/snapshot
refuse "the module stays while a file is open" rmmod fragtrace 2>/dev/null
exec 3<&-
check "it goes when the file is closed" unload
refuse "its folder is removed" test -e $DBG
check "the volume is unmounted" umount $MNT
finish
