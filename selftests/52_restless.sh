#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 52_restless.sh - files that change all the time: a resync returns, and they are scanned rarely
#
# kernels: first
# group: targets
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# restless(seconds) - change a file all the time; print how often the module asked F2FS for it
restless() {
	before=$(stat_of rescans)
	end=$(($(uptime_ms) + $1 * 1000))
	while [ "$(uptime_ms)" -lt $end ]; do
		fileop fallocate $MNT/d/restless punch 1M 64K
		fileop fallocate $MNT/d/restless zero 1M 64K
		sleep 0.1
	done
	echo $(($(stat_of rescans) - before))
}

# between(number, least, most) - is the number in the range?
between() {
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
}

# returns(name) - does a resync, or an audit, return soon?
returns() {
	[ "$(timeout $((60 * SLOW)) fileop say "$DBG/$1" 1)" = OK ]
}

plan 7
make_volume $DISK $MNT || bail "no volume"
mkdir $MNT/d
load path=$MNT/d
# One of 20 files is stale at any moment, so that all maps are never exact at once.
mkdir $MNT/d/many
fileop many $MNT/d/many/ 20 1048576 0
settle
# It ends by itself: a process that outlives its shell could make a file again.
(
	until [ -e /tmp/enough ]; do
		for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
			fileop fallocate $MNT/d/many/$i punch 128K 64K
			fileop fallocate $MNT/d/many/$i zero 128K 64K
		done
	done
) &
writer=$!
sleep 1
check "resync returns while files go stale all the time" returns resync
touch /tmp/enough
wait $writer
rm -r $MNT/d/many
# Calls hold this file at any moment: no scan can be final.
fileop write $MNT/d/held 0 1M
writers=
for i in $(seq 12); do
	fileop fallocate $MNT/d/held zero 0 1M 10000000 &
	writers="$writers $!"
done
sleep 1
check "resync returns while calls hold a file all the time" returns resync
check "an audit returns while calls hold a file all the time" returns audit
# shellcheck disable=SC2086 # several
kill $writers
# shellcheck disable=SC2086
wait $writers 2>/dev/null || :
rm $MNT/d/held
# A file that changes all the time: scanned 7 times in 2.5 seconds, then every 1.3.
fileop write $MNT/d/restless 0 4M
settle
rescans=$(restless 10)
check "a file that changes all the time is scanned rarely ($rescans times)" between "$rescans" 3 20
check_exact "maps are exact after the writer has ended" $MNT/d
# One whose scan takes 1.5 seconds: pauses of 6 seconds.
if late function=ft_rebuild_merge before_ms=1500; then
	rescans=$(restless 15)
	late
	check "a file whose scan is slow is scanned more rarely ($rescans times)" between "$rescans" 1 6
	check_exact "maps are exact after the slow scans" $MNT/d
else
	skip "a file whose scan is slow is scanned more rarely" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	skip "maps are exact after the slow scans" "likewise"
fi
finish
