#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 71_rmmod_anytime.sh - unloading at any time: while files are written, read, created and unmounted
#
# kernels: first
# blocks: any
# group: load quick

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# churn() - keep the volume busy until /tmp/enough exists; leave the number of rounds in /tmp/rounds. False if one fails.
churn() {
	local n

	n=0
	until [ -e /tmp/enough ]; do
		fuzz storm --seed $n --ops 100 $MNT >/dev/null || return 1
		n=$((n + 1))
		echo $n >/tmp/rounds
	done
}

# written() - has the module seen a write since it was loaded?
written() {
	[ "$(stat_of events_write)" -gt 0 ]
}

plan 7
make_volume $DISK $MNT || bail "no volume"
fuzz storm --seed 5 --ops 300 $MNT >/dev/null
churn &
writer=$!
good=0
for i in 1 2 3 4 5 6 7 8; do
	insmod "$FRAGTRACE_KO" path=$MNT || break
	# every other time as soon as possible
	[ $((i % 2)) = 0 ] || loop_until "$SOON" written || break
	cat $DBG/table >/dev/null || break
	unload || break
	good=$((good + 1))
done
expect "the module loads and unloads eight times during writes" "$good" 8
load path=$MNT
(
	while cat $DBG/table $DBG/files $DBG/extents >/dev/null 2>&1; do
		:
	done
) &
reader=$!
# An open file holds a reference to the module: try again between two readers.
check "the module unloads between two reads" loop_until 10 sh -c 'rmmod fragtrace 2>/dev/null'
wait $reader || :
load path=$MNT
check "the module sees writes" loop_until "$SOON" written
check "the module unloads during writes" unload
touch /tmp/enough
check "the writer has written all the time" wait $writer
echo "# $(cat /tmp/rounds) rounds of writes"
load path=$MNT
check_exact "maps are exact after the next load" $MNT
umount $MNT
check "the module unloads after the volume is unmounted" unload
finish
