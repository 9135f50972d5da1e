#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 87_shares.sh - a user fills the budget with empty files: others lose nothing, and readers see that files are missing
#
# FILES is the number of empty files.
#
# kernels: first
# group: memory
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

ENEMY=65534
FRIEND=1000
FILES=${FILES:-12000}

# left_out_is(number) - are so many files left out?
left_out_is() {
	[ "$(stat_of left_out)" = "$1" ]
}

# listed(folder) - print the number of files below that are listed
listed() {
	grep -c " $1/" $DBG/files || :
}

# friends_listed(number) - are so many of the second user's files listed?
friends_listed() {
	[ "$(listed $MNT/friend)" = "$1" ]
}

# head_of(text) - print how many files are left out, by the head of a text
head_of() {
	sed -n 's/^# left_out [0-9]*:[0-9]* //p' "$DBG/$1"
}

plan 17
make_volume $DISK $MNT mode=fragment:block,noinline_data || bail "no volume"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_chunk"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_hole"
mkdir $MNT/enemy $MNT/friend $MNT/data
chown $ENEMY $MNT/enemy
chown $FRIEND $MNT/friend
load path=$MNT max_mem_mb=4
fileop write $MNT/data/db 0 16M
settle
expect "the head of a text does not say that files are left out when none is" "$(head_of table)" ""
fileop as $ENEMY 10 fileop many $MNT/enemy/ "$FILES" 0 0
check "files of the first user are left out ($(stat_of left_out))" test "$(stat_of left_out)" -gt 0
for text in table extents files; do
	expect "the head of $text says how many" "$(head_of $text)" "$(stat_of left_out)"
done
check "each file of the first user is listed or left out ($(listed $MNT/enemy) and $(stat_of left_out))" \
	test $(($(listed $MNT/enemy) + $(stat_of left_out))) -ge "$FILES"

# While the directory is read again, the number stays, but for some that have room now. Each of its reads is slow then.
left=$(stat_of left_out) least=$left
if late function=f2fs_readdir before_ms=30; then
	echo $MNT >$DBG/resync &
	resync=$!
	while kill -0 $resync 2>/dev/null; do
		now=$(stat_of left_out)
		[ "$now" -ge "$least" ] || least=$now
	done
	late
	check "as many are left out while their directory is read again (at least $least of $left)" test "$least" -ge $((left * 9 / 10))
else
	skip "as many are left out while their directory is read again" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
fi

# Another user may add files, and the database may grow.
fileop as $FRIEND 0 fileop many $MNT/friend/ 300 64K 0
sync
check "all files of the second user are listed" loop_until $PATIENCE friends_listed 300
fileop write $MNT/data/db 16M 48M
settle || :
check "the database is listed" in_files $MNT/data/db
check_exact "its map and those of the second user are exact" --partial $MNT/data $MNT/friend
check "the memory is within the budget ($(stat_of mem_bytes) bytes)" test "$(stat_of mem_bytes)" -le "$(stat_of mem_budget)"
fileop as $ENEMY 10 fileop many $MNT/enemy/ 1000 128K 0
sync
settle || :
check "the database is listed when the first user's files grow" in_files $MNT/data/db
expect "all files of the second user are" "$(listed $MNT/friend)" 300
unload
load path=$MNT max_mem_mb=4
settle || :
check "all files of the second user are found after the module was loaded again" loop_until $PATIENCE friends_listed 300
check "the database is" in_files $MNT/data/db

rm -r $MNT/enemy
check "no file is left out after the first user has removed his" loop_until $PATIENCE left_out_is 0
check_exact "all maps are exact" $MNT
finish
