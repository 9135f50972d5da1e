#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 34_odd_names.sh - a symbolic link takes over the name of a file, directories are exchanged, names fold case
#
# Regressions: a name given to a symbolic link stayed; an exchange dropped a whole directory; after a rename of
# a directory by another spelling it had two names, and moving its parent away crashed the kernel.
#
# group: names
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 10
make_volume $DISK $MNT || bail "no volume"
mkdir -p $MNT/t/left/deep $MNT/t/right $MNT/out
fileop write $MNT/t/a 0 64K
ln $MNT/t/a $MNT/out/b
ln -s nowhere $MNT/t/link
for f in left/1 left/deep/2 right/3; do
	fileop write $MNT/t/$f 0 64K
done
load path=$MNT/t
check_exact "maps are exact before the renames" $MNT/t
fileop rename $MNT/t/link $MNT/t/a
refuse "a name that a symbolic link took over is not listed" in_files $MNT/t/a
check_exact "maps of the other files are exact" $MNT/t
scans=$(stat_of rescans)
fileop exchange $MNT/t/left $MNT/t/right
check_exact "maps are exact after an exchange of two directories" $MNT/t
expect "the exchange causes no scan" "$(stat_of rescans)" "$scans"
check "a file in a subdirectory has its new path" in_files $MNT/t/right/deep/2
unload
umount $MNT

if mkfs.f2fs -q -f -O casefold -C utf8 $DISK >/dev/null 2>&1 && mount_volume $DISK $MNT 2>/dev/null; then
	mkdir $MNT/t
	fileop casefold $MNT/t
	mkdir $MNT/t/P $MNT/t/Q $MNT/t/P/Foo
	for f in P/Foo/f Q/g Zed; do
		fileop write $MNT/t/$f 0 64K
	done
	ln $MNT/t/Zed $MNT/t/other
	load path=$MNT/t
	settle
	echo 3 >/proc/sys/vm/drop_caches
	fileop rename $MNT/t/P/foo $MNT/t/Q/bar
	check_exact "maps are exact after a directory is renamed by another spelling" $MNT/t
	rm $MNT/t/zed
	check_exact "maps are exact after a file is removed by another spelling" $MNT/t
	refuse "the removed name is not listed" in_files $MNT/t/Zed
	fileop rename $MNT/t/P $MNT/out
	check_exact "maps are exact after the old parent directory is moved away" $MNT/t
else
	for f in "maps are exact after a directory is renamed by another spelling" "maps are exact after a file is removed by another spelling" "the removed name is not listed" \
		"maps are exact after the old parent directory is moved away"; do
		skip "$f" "this kernel folds no case"
	done
fi
finish
