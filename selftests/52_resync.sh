#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 52_resync.sh - resync: all maps are read again, and stay the same

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# restless(seconds) - change a file all the time; print how often the module asked F2FS for it
restless() {
	before=$(stat_of rescans)
	end=$(($(date +%s) + $1))
	while [ "$(date +%s)" -lt $end ]; do
		fileop fallocate $MNT/d/restless punch 1M 64K
		fileop fallocate $MNT/d/restless zero 1M 64K
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

plan 17
make_volume $DISK $MNT || bail "no volume"
mkdir $MNT/d
load path=$MNT/d
fileop write $MNT/d/a 0 1M
fileop random $MNT/d/a 256 100 "${SEED:-91}" every 2
check_exact "before" $MNT/d
cat $DBG/table >/tmp/table1
rescans=$(stat_of rescans)
expect "resync of everything" "$(fileop say $DBG/resync 1)" OK
expect "each file is asked for once" "$(stat_of rescans)" $((rescans + 1))
cat $DBG/table >/tmp/table2
check "changes nothing" cmp /tmp/table1 /tmp/table2
expect "resync of one directory" "$(fileop say $DBG/resync $MNT/d)" OK
cat $DBG/table >/tmp/table2
check "changes nothing" cmp /tmp/table1 /tmp/table2
# The scan runs between F2FS's event of a new address and the change of its extent cache.
fileop write $MNT/d/new 0 1M
sync
if late function=probe_update_extent after_ms=2000; then
	fileop write $MNT/d/new 512K 4K
	sync &
	sleep 1
	echo $MNT/d >$DBG/resync
	wait $!
	late
	check_exact "between an event and the change that it tells of" $MNT/d
else
	skip "between an event and the change that it tells of" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
fi
# One of 20 files is stale at any moment, so that all maps are never exact at once.
mkdir $MNT/d/many
fileop many $MNT/d/many/ 20 1048576 0
settle
(
	while :; do
		for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
			fileop fallocate $MNT/d/many/$i punch 128K 64K
			fileop fallocate $MNT/d/many/$i zero 128K 64K
		done
	done
) &
writer=$!
sleep 1
check "resync returns while files go stale all the time" returns resync
kill $writer
wait $writer 2>/dev/null || :
rm -r $MNT/d/many
# A call is in progress at any moment in this one: no scan can be final.
fileop write $MNT/d/held 0 1M
writers=
for i in $(seq 12); do
	fileop fallocate $MNT/d/held zero 0 1M 10000000 &
	writers="$writers $!"
done
sleep 1
check "and while one is held by calls all the time" returns resync
check "so does an audit" returns audit
# shellcheck disable=SC2086 # several
kill $writers
# shellcheck disable=SC2086
wait $writers 2>/dev/null || :
rm $MNT/d/held
# A file that changes all the time: scanned 7 times in 2.5 seconds, then every 1.3.
fileop write $MNT/d/restless 0 4M
settle
rescans=$(restless 10)
check "a restless file is asked for now and then ($rescans times)" between "$rescans" 3 20
check_exact "and at last" $MNT/d
# One whose scan takes 1.5 seconds: pauses of 6 seconds.
if late function=ft_inode_scan_merge before_ms=1500; then
	rescans=$(restless 15)
	late
	check "a costly one more rarely ($rescans times)" between "$rescans" 1 6
	check_exact "and at last" $MNT/d
else
	skip "a costly one more rarely" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	skip "and at last" "likewise"
fi
# A request before all folders have been read: it also waits for the files in them.
unload
for i in 1 2 3 4 5; do
	mkdir -p $MNT/d/deep$i/er/and/deeper
	fileop many $MNT/d/deep$i/er/and/deeper/ 300 4096 0
done
umount $MNT
mount_volume $DISK $MNT
load path=$MNT/d
expect "resync while folders are being read" "$(fileop say $DBG/resync 1)" OK
expect "waits for all that is in them" "$(stat_of inodes) $(stat_of stale)" "1503 0"
check_exact "exact" --partial $MNT/d/deep1
finish
