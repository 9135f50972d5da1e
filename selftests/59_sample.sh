#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 59_sample.sh - without a request, a map that is wrong is found, it is said, and so are the others of its volume; no other file
# becomes stale
#
# No known F2FS changes a block without an event. So two addresses in the node of a file are exchanged on the disk, and
# F2FS reads the node again.
#
# kernels: first
# group: texts
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# sampled_more(count) - have more files been compared than that?
sampled_more() {
	[ "$(stat_of sampled)" -gt "$1" ]
}

# differs_more(count) - have more maps differed than that?
differs_more() {
	[ "$(stat_of audit_differences)" -gt "$1" ]
}

# busy() - print how long all CPUs have worked since the boot, in hundredths of a second
busy() {
	awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 }' /proc/stat
}

plan 24
make_volume $DISK $MNT noextent_cache || bail "no volume"
load path=$MNT
expect "one file a minute is compared by default" "$(cat /sys/module/fragtrace/parameters/sample_secs)" 60
fileop write $MNT/a 0 256K
fileop write $MNT/b 0 256K
fileop write $MNT/c 0 256K
fileop write $MNT/d 0 256K
fileop many $MNT/small 10 5000 300
settle
check "that is no more than one so far" test "$(stat_of sampled)" -le 1
check "a period of 1 s is accepted while nothing happens" sh -c 'echo 1 >/sys/module/fragtrace/parameters/sample_secs'
check "files are compared, one after the other" loop_until $PATIENCE sampled_more 15
before=$(stat_of sampled) begin=$(uptime_ms)
sleep 3
now=$(stat_of sampled)
most=$((($(uptime_ms) - begin) / 1000 + 1))
check "no more than one each second ($((now - before)) of $most)" test $((now - before)) -le $most
expect "no map differs" "$(stat_of audit_differences) $(stat_of unsound)" "0 0"
expect "these are no audits that a user has requested" "$(stat_of audits) $(stat_of rescans)" "0 0"
expect "the file audit says never" "$(sed -n 's/^# audited \([a-z_]*\) .*/\1/p' $DBG/audit)" never

# While the sample goes on, events alone keep the maps exact, and nothing looks queued.
fileop random $MNT/a 64 100 59 every 10
check_at_once "maps are exact while files are compared" $MNT

tolerate audit_differences "addresses are exchanged on the disk"
check "two addresses are exchanged on the disk" misplace $MNT/c
check "the sample finds it" loop_until $PATIENCE logged "2 of $(((256 << 10) / PAGE_SIZE)) blocks were not where the map said, .*; all files of this volume are compared"
check_exact "maps are exact" $MNT
expect "stats counts the file and the volume; no other file was scanned" "$(stat_of audit_differences) $(stat_of unsound) $(stat_of rescans)" "1 1 2"

# The next ones. After the first of them the others are found without the pause between two files.
settled=$(stat_of sampled)
check "that pass of all files ends" loop_until $PATIENCE sampled_more $((settled + 16))
check "addresses of two files are exchanged" misplace $MNT/b
check "and of the second one" misplace $MNT/d
check "the sample finds one of them" loop_until $PATIENCE differs_more 1
echo 100000 >/sys/module/fragtrace/parameters/sample_secs
check "it finds the other one soon" loop_until $PATIENCE differs_more 2
fileop write $MNT/new 0 64K
check_exact "maps are exact, of new files, too" $MNT
expect "only the three files were scanned, twice each: a scan that finds blocks elsewhere is made once more" "$(stat_of rescans)" 6
unload
umount $MNT
mount_volume $DISK $MNT noextent_cache
load path=$MNT
expect "after the next mount the volume is sound" "$(stat_of unsound)" 0
unload
# A comparison that takes long, and the longest pause. Regression: one of 2^31 ticks or more was none, and the worker ran all the time.
load path=$MNT sample_secs=1
if late function=ft_file_sample before_ms=4000; then
	sleep 3
	echo 1000000 >/sys/module/fragtrace/parameters/sample_secs
	check "a slow comparison ends" loop_until $PATIENCE sampled_more 0
	late
	settle || :
	begin=$(busy)
	sleep 3
	busy=$(($(busy) - begin))
	check "nothing runs in the pause ($busy hundredths of a second in 3 s)" test $busy -lt 150
else
	skip "a slow comparison ends" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	skip "nothing runs in the pause" "likewise"
fi
unload
load path=$MNT sample_secs=0
expect "0 compares none" "$(cat /sys/module/fragtrace/parameters/sample_secs)" 0
finish
