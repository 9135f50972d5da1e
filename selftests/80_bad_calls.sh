#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 80_bad_calls.sh - calls that F2FS refuses change nothing, in any number
#
# group: hostile
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# none_stale() - are all maps exact?
none_stale() {
	[ "$(stat_of stale)" = 0 ]
}

plan 5
make_volume $DISK $MNT || bail "no volume"
mkdir $MNT/home
load path=$MNT
fileop many $MNT/other 50 16384 4096 7
fileop write $MNT/home/mine 0 64K
chown -R nobody $MNT/home
sync
settle
if [ "$(stat_of calls_attached)" != 1 ]; then
	skip_rest "calls that are refused" "calls cannot be followed on this kernel"
fi
rescans=$(stat_of rescans)
calls=$(stat_of calls)
su -s /bin/sh nobody -c "/selftests/bin/fileop bad_calls $MNT/home/mine $((6 * SLOW))" &
user=$!
sleep 2
exact=0 samples=0
while [ $samples -lt 10 ]; do
	samples=$((samples + 1))
	! none_stale || exact=$((exact + 1))
	sleep 0.2
done
check "F2FS refuses all calls" wait $user
expect "no map is stale during the calls" "$exact of 10" "10 of 10"
expect "the calls cause no scan" "$(stat_of rescans)" "$rescans"
expect "the calls are not counted as changes" "$(stat_of calls)" "$calls"
check_exact "maps are exact after the calls" $MNT
finish
