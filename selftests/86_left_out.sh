#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 86_left_out.sh - names change while files are left out, or while their folder is read: none is forgotten
#
# kernels: first
# group: memory
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

USER=1000
BATCH=100
NAMES=6000
ZEROS=$(printf '%0200d' 0)

# listed(folder) - print the number of files below that are listed
listed() {
	grep -c " $1/" $DBG/files || :
}

# accounted(files) - are so many files of the user listed or left out? None comes back between the two readings
accounted() {
	local left

	left=$(stat_of left_out)
	[ $(($(listed $MNT/t/u) + left)) -ge "$1" ] && [ "$(stat_of left_out)" = "$left" ]
}

# all_back() - is each file of the user listed, and none left out?
all_back() {
	[ "$(stat_of left_out)" = 0 ] && [ "$(listed $MNT/t/u)" = "$(find $MNT/t/u -type f | wc -l)" ]
}

# none_left_out() - is no file left out?
none_left_out() {
	[ "$(stat_of left_out)" = 0 ]
}

# exchange_listed(pairs) - exchange the names of two listed files of the user, so many times
exchange_listed() {
	local a b

	grep -o "$MNT/t/u/.*" $DBG/files | head -n $((2 * $1)) >/tmp/listed
	while read -r a && read -r b; do
		fileop exchange "$a" "$b"
	done </tmp/listed
}

plan 7
make_volume $DISK $MNT || bail "no volume"
mkdir -p $MNT/t/u $MNT/t/tree $MNT/out
chown $USER $MNT/t/u

# A tree moves out and back between two steps of the read of its folder, each of which begins late. Some names are dropped
# meanwhile, the newest ones first. These are read first, as they are where the oldest ones were.
load path=$MNT/t max_mem_mb=6
fileop many $MNT/t/tree/ $NAMES 0 0
rm $MNT/t/tree/?? $MNT/t/tree/[1-3]??
fileop many $MNT/t/tree/new $((NAMES - $(listed $MNT/t/tree))) 0 0
settle
expect "all files of a tree are listed" "$(listed $MNT/t/tree)" $NAMES
if late function=ft_dir_step before_ms=400; then
	echo 1 >$DBG/resync &
	resync=$!
	sleep 2
	fileop rename $MNT/t/tree $MNT/out/tree
	fileop rename $MNT/out/tree $MNT/t/tree
	late
	wait $resync
	settle
	expect "all are listed after it was moved out and back while it was read" "$(listed $MNT/t/tree)" $NAMES
else
	skip "all are listed after it was moved out and back while it was read" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
fi
unload
rm -r $MNT/t/tree

# Some files are left out. The names of others are exchanged, more often than files are left out.
load path=$MNT/t max_mem_mb=2
files=0
until [ "$(stat_of left_out)" -gt 0 ]; do
	fileop as $USER 0 fileop many "$MNT/t/u/$files.$ZEROS" $BATCH 0 0
	files=$((files + BATCH))
done
left=$(stat_of left_out)
exchange_listed $((left + 10))
check "each file is listed or left out after exchanges ($(listed $MNT/t/u) and $(stat_of left_out), before $left, of $files)" \
	loop_until 2 accounted $files
settle
check "the memory is within the budget ($(stat_of mem_bytes) bytes)" test "$(stat_of mem_bytes)" -le "$(stat_of mem_budget)"
rm $MNT/t/u/0.* $MNT/t/u/1*
check "all come back by themselves" loop_until $PATIENCE all_back
check_exact "their maps are exact" $MNT/t
rm -r $MNT/t/u
check "none is left out when they are gone" loop_until $PATIENCE none_left_out
finish
