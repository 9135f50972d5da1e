#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench/profile.sh - one work in one mode, for a QEMU that counts executed instructions.
#
# usage: profile.sh MODE TIMES, with $WORK: sequential, fill (blocks of an empty file at random), overwrite (of a file
# of $EXTENTS extents), churn (for each of $BLOCKS a file is created, renamed and removed, by 64 processes), direct or
# random (blocks of a file are read one at a time, directly or at random), or table, which is read while tracing and has
# $BLOCKS extents; leaves the kernel's symbols in /out
#
# The instructions of the work alone are the difference between doing it twice and once.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../lib.sh
. /selftests/lib.sh
# shellcheck source=modes.sh
. "$here/modes.sh"

WORK=${WORK:-sequential}
BLOCKS=${BLOCKS:-16384}
EXTENTS=${EXTENTS:-100000}

plan 1
quiet
ram_disk 20
make_volume /dev/zram0 "$MNT" $BENCH_OPTIONS || bail "no volume"
[ "$WORK" != table ] || EXTENTS=$BLOCKS
case $WORK in
overwrite | table) bench-work holes "$MNT/file" $EXTENTS >/dev/null ;;
direct | random) bench-work seq "$MNT/file" "$BLOCKS" 256 >/dev/null ;;
esac
mode_begin "$1"
cat /proc/kallsyms >/out/kallsyms
i=0
while [ $i -lt "$2" ]; do
	case $WORK in
	sequential) bench-work seq "$MNT/file$i" "$BLOCKS" 1 >/dev/null ;;
	fill) bench-work over "$MNT/file$i" "$BLOCKS" "$BLOCKS" 16 >/dev/null ;;
	overwrite) bench-work over "$MNT/file" $EXTENTS "$BLOCKS" 256 >/dev/null ;;
	churn)
		mkdir "$MNT/$i"
		bench-work churn "$MNT/$i" 64 $((BLOCKS / 64)) >/dev/null
		;;
	direct | random) bench-work read "$MNT/file" "$BLOCKS" 1 "$WORK" >/dev/null ;;
	table) [ "$1" = off ] || cat $DBG/table >/dev/null ;;
	*) bail "WORK='$WORK': expected sequential, fill, overwrite, churn, direct, random or table" ;;
	esac
	i=$((i + 1))
done
ok "done"
finish
