#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 29_f2fs_writes.sh - what only F2FS has: atomic writes and moved ranges

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# atomic(name, arguments of fileop atomic...) - an atomic write must leave the map exact
atomic() {
	local name

	name=$1
	shift
	if fileop atomic "$@"; then
		check_exact "$name" $MNT
	else
		skip "$name" "this kernel refuses it"
	fi
}

plan 8
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/a 0 1M
sync
atomic "an atomic write" $MNT/a 200K 300K
atomic "another one that extends the file" $MNT/a 1M 32K
fileop write $MNT/b 0 64K
sync
atomic "one that is on the disk and given up" $MNT/b 8K 16K abort
fileop write $MNT/c 0 64K
sync
atomic "an extending one that is given up" $MNT/c 64K 32K abort
fileop write $MNT/d 0 64K
sync
atomic "one that replaces the file" $MNT/d 20K 4K replace
fileop write $MNT/a 0 1M
fileop write $MNT/c 32K 64K
check_exact "plain writes to all of them" $MNT
fileop write $MNT/from 0 2M
fileop write $MNT/to 0 1M
sync
if fileop move $MNT/from 1M $MNT/to 512K 256K; then
	check_exact "a moved range" $MNT
else
	skip "a moved range" "this kernel refuses it"
fi
fileop write $MNT/from 0 2M
fileop write $MNT/to 300K 1M
check_exact "writes afterwards" $MNT
finish
