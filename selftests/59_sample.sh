#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 59_sample.sh - without a request, a map that is wrong is found, it is said, and no wrong map is called exact from then on
#
# No known F2FS changes a block without an event. So two addresses in the node of a file are exchanged on the disk, and
# F2FS reads the node again.
#
# group: texts

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# misplace(file) - exchange the addresses of two blocks of it on the disk
misplace() {
	sync
	main=$(sed -n 's/^# volume .*main_blkaddr=\([0-9]*\).*/\1/p' $DBG/table)
	fileop misplace $DISK "$(stat -c %i "$1")" "$(awk -v path="$1" '!/^#/ && $7 == path { print $2; exit }' $DBG/table)" "$main" 32768 &&
		echo 3 >/proc/sys/vm/drop_caches
}

# sampled_more(count) - have more files been compared than that?
sampled_more() {
	[ "$(stat_of sampled)" -gt "$1" ]
}

plan 21
make_volume $DISK $MNT noextent_cache || bail "no volume"
load path=$MNT
expect "one file a minute is compared by default" "$(cat /sys/module/fragtrace/parameters/sample_secs)" 60
fileop write $MNT/a 0 256K
fileop write $MNT/b 0 256K
fileop write $MNT/c 0 256K
fileop many $MNT/small 10 5000 300
settle
check "that is no more than one so far" test "$(stat_of sampled)" -le 1
check "a period of 1 s is accepted while nothing happens" sh -c 'echo 1 >/sys/module/fragtrace/parameters/sample_secs'
check "files are compared, one after the other" loop_until $PATIENCE sampled_more 15
expect "no map differs" "$(stat_of audit_differences) $(stat_of unsound)" "0 0"
expect "these are no audits that a user has requested" "$(stat_of audits) $(stat_of rescans)" "0 0"
expect "the file audit says never" "$(sed -n 's/^# audited \([a-z_]*\) .*/\1/p' $DBG/audit)" never

# While the sample goes on, events alone keep the maps exact, and nothing looks queued.
fileop random $MNT/a 64 100 59 every 10
check_at_once "maps are exact while files are compared" $MNT

tolerate audit_differences "two addresses are exchanged on the disk"
check "two addresses are exchanged on the disk" misplace $MNT/c
check "the sample finds it" loop_until $PATIENCE logged "2 of 64 blocks were not where the map said, .*: all files of this volume are scanned"
expect "stats counts the file and the volume" "$(stat_of audit_differences) $(stat_of unsound)" "1 1"
check_exact "all files are scanned: maps are exact" $MNT
check "two addresses of another file are exchanged" misplace $MNT/b
check "the sample finds that, too" loop_until $PATIENCE logged "again, so all files of this volume are called stale"
expect "stats counts it" "$(stat_of audit_differences) $(stat_of unsound)" "2 1"
fileop write $MNT/new 0 64K
sync
# each is scanned, and remains stale
sleep 3
expect "all files are stale, new ones, too" "$(stat_of stale)" "$(grep -vc '^#' $DBG/files)"
expect "files says so" "$(awk '!/^#/ { print $3 }' $DBG/files | sort -u)" stale
expect "a resync ends" "$(timeout $PATIENCE fileop say $DBG/resync 1)" OK
expect "the files are still stale" "$(awk '!/^#/ { print $3 }' $DBG/files | sort -u)" stale
umount $MNT
mount_volume $DISK $MNT noextent_cache
await_live
check_exact "after the next mount maps are exact again" $MNT
unload
load path=$MNT sample_secs=0
expect "0 compares none" "$(cat /sys/module/fragtrace/parameters/sample_secs)" 0
finish
