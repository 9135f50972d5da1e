#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 81_many_calls.sh - hundreds of calls that wait for the lock of one file do not affect other files
#
# One task writes to the file from a page that does not arrive, and holds the lock. Half of the others wait to zero a
# range of the file, the other half to move one.
#
# kernels: first
# blocks: any
# group: hostile

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

CALLS=800
FILES=200

# crowd(file) - start calls that wait for the lock of a file; false if this kernel does not support that
crowd() {
	rm -f /tmp/ready /tmp/go
	fileop crowd "$1" $CALLS /tmp/ready /tmp/go &
	crowd=$!
	until [ -e /tmp/ready ]; do
		kill -0 $crowd 2>/dev/null || return 1
		sleep 0.1
	done
}

# let_go() - let the calls continue; false if one of them failed
let_go() {
	: >/tmp/go
	wait $crowd
}

# others_stale() - number of stale files other than that one
others_stale() {
	awk '!/^#/ && $3 == "stale" && $NF !~ /one$/ { n++ } END { print n + 0 }' $DBG/files
}

# few() - did the module ask F2FS for fewer files than there are?
few() {
	[ $(($(stat_of rescans) - rescans)) -lt $FILES ]
}

plan 9
make_volume $DISK $MNT || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
load path=$MNT
fileop many $MNT/other $FILES 8192 4096 3
fileop write $MNT/one 0 2M
fileop write $MNT2/one 0 2M
settle
if [ "$(stat_of calls_attached)" != 1 ]; then
	skip_rest "many calls" "calls cannot be followed on this kernel"
fi
rescans=$(stat_of rescans)
if ! crowd $MNT2/one 2>/dev/null; then
	skip_rest "many calls" "this kernel has no userfaultfd"
fi
expect "on a volume that is not watched: all maps are exact while $CALLS calls wait" "$(stat_of stale)" 0
check "all calls on the unwatched volume succeed" let_go
settle
expect "calls on the unwatched volume cause no scan" "$(stat_of rescans)" "$rescans"
check_exact "maps are exact after calls on the unwatched volume" $MNT
crowd $MNT/one || bail "the calls have ended"
expect "on the watched volume: no other map is stale while $CALLS calls wait" "$(others_stale)" 0
check "all calls on the watched volume succeed" let_go
expect "no other map is stale afterwards" "$(others_stale)" 0
check_exact "maps are exact after calls on the watched volume" -u $MNT
check "only the file of the calls is scanned ($(($(stat_of rescans) - rescans)) times)" few
finish
