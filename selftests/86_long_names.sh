#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 86_long_names.sh - a user fills the budget with empty files, then renames them to long names
#
# The memory stays within the budget. What has no room any more is not followed, and counted; it comes back by itself when
# there is room. FILES is the number of empty files.
#
# kernels: first
# group: memory
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

USER=65534
FILES=${FILES:-9000}

# names() - print the number of files of the user that are listed
names() {
	grep -c " $MNT/u/" $DBG/files || :
}

# left_out_is(number) - are so many files left out?
left_out_is() {
	[ "$(stat_of left_out)" = "$1" ]
}

# all_back() - is each file of the user listed, and none left out?
all_back() {
	left_out_is 0 && [ "$(names)" = "$(find $MNT/u -type f | wc -l)" ]
}

# all_accounted() - is each file of the user listed or left out? None comes back between the readings
all_accounted() {
	local left

	left=
	until [ "$left" = "$(stat_of left_out)" ]; do
		left=$(stat_of left_out) listed=$(names)
	done
	[ $((listed + left)) -ge "$FILES" ]
}

# remove_while_read(digit) - remove the user's files that end with DIGIT, while the directory is read again and again
remove_while_read() {
	touch /tmp/reading
	while [ -e /tmp/reading ]; do
		echo 1 >$DBG/resync
	done &
	reader=$!
	find $MNT/u -type f -name "*[0-9]$1$(printf '%0240d' 0)" -exec rm {} +
	rm /tmp/reading
	wait $reader
	FILES=$(find $MNT/u -type f | wc -l)
	settle
}

plan 16
make_volume $DISK $MNT mode=fragment:block,noinline_data || bail "no volume"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_chunk"
echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_hole"
load path=$MNT max_mem_mb=4
mkdir $MNT/o
fileop write $MNT/o/other 0 1M
mkdir $MNT/u
chown $USER $MNT/u
fileop as $USER 0 mkdir -p $MNT/u/sub/sub
settle
expect "no file is left out at first" "$(stat_of left_out)" 0
fileop as $USER 0 fileop many $MNT/u/ "$FILES" 0 0
fileop as $USER 0 fileop lengthen $MNT/u/ "$FILES" 240
budget=$(stat_of mem_budget)
check "the memory is within the budget after the renames ($(stat_of mem_bytes) of $budget bytes)" \
	test "$(stat_of mem_bytes)" -le "$budget"
check "the files that are left out are counted ($(stat_of left_out))" test "$(stat_of left_out)" -gt 0
check "each file of the user is listed or left out ($(names) and $(stat_of left_out))" loop_until $PATIENCE all_accounted
check_exact "the maps that are listed are exact" --partial $MNT/o
check "another user's file is listed" in_files $MNT/o/other
# growth of a file that is there already needs nodes
fileop write $MNT/o/other 1M 256K
check_exact "it is exact after it has grown" --partial $MNT/o
check "it is listed still" in_files $MNT/o/other

# Directories with long names ask for room, too.
mv $MNT/u/sub "$MNT/u/$(printf 'd%0200d' 0)"
check "the memory is within the budget after a directory was renamed" test "$(stat_of mem_bytes)" -le "$budget"

# Names that are left out go while their directory is read: those that were read before stay counted.
for digit in 0 1 2; do
	remove_while_read $digit
	check "each file is listed or left out after a removal ($(names) and $(stat_of left_out) of $FILES)" all_accounted
done

# Without some of them the rest fits.
find $MNT/u -type f -name '*[1-8]'"$(printf '%0240d' 0)" -exec rm {} +
loop_until $PATIENCE all_back || {
	echo "# $(names) listed of $(find $MNT/u -type f | wc -l)"
	grep -E '^(left_out|queued|stale|inodes|directories|refused|mem_bytes) ' $DBG/stats | sed 's/^/# /'
}
check "the user's other files come back by themselves" all_back
check_exact "their maps are exact" $MNT
rm -r $MNT/u
check "none is left out when they are gone" loop_until $PATIENCE left_out_is 0
expect "the memory is that of the rest" "$(($(stat_of mem_bytes) < budget / 2))" 1
finish
