#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 86_left_out.sh - names change while files are left out: none is forgotten
#
# kernels: first
# group: memory
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

USER=1000
BATCH=100
ZEROS=$(printf '%0200d' 0)

# listed(folder) - print the number of files below that are listed
listed() {
	grep -c " $1/" $DBG/files || :
}

# accounted(files) - are so many files of the user listed or left out?
accounted() {
	[ $(($(listed $MNT/t/u) + $(stat_of left_out))) -ge "$1" ]
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

plan 5
make_volume $DISK $MNT || bail "no volume"
mkdir -p $MNT/t/u
chown $USER $MNT/t/u

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
	accounted $files
settle
check "the memory is within the budget ($(stat_of mem_bytes) bytes)" test "$(stat_of mem_bytes)" -le "$(stat_of mem_budget)"
rm $MNT/t/u/0.* $MNT/t/u/1*
check "all come back by themselves" loop_until $PATIENCE all_back
check_exact "their maps are exact" $MNT/t
rm -r $MNT/t/u
check "none is left out when they are gone" loop_until $PATIENCE none_left_out
finish
