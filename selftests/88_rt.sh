#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 88_rt.sh - PREEMPT_RT: probes that wait for a lock, calls that are handled later, an event in atomic context
#
# group: hostile

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 9
case $(uname -v) in
*PREEMPT_RT*) ;;
*) skip_rest "PREEMPT_RT" "this kernel is not built with it" ;;
esac
[ -f /tools/late.ko ] || skip_rest "PREEMPT_RT" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/a 0 256K
fileop random $MNT/a 64 32 "${SEED:-88}"
sync
settle

# A reader that copies the map holds the lock for a long time, and is preempted: probes wait for the lock.
late function=ft_extmap_read before_ms=20
while :; do
	cat $DBG/table
done >/dev/null &
reader=$!
n=0
while [ $n -lt 12 ]; do
	n=$((n + 1))
	fileop random $MNT/a 64 8 $((n + 100))
	fileop truncate $MNT/a 200K
	fileop write $MNT/a 200K 56K
	fileop write $MNT/new$n 0 4K
	rm -f $MNT/new$n
	sync
done
kill $reader
wait $reader 2>/dev/null || :
late
refuse "the kernel reports no sleep in atomic context" logged "scheduling while atomic\|sleeping function\|Invalid wait context"
check_exact "maps are exact after probes waited for a lock" $MNT

# No other process uses the record before the user does.
settle
if [ "$(stat_of calls_attached)" = 1 ] && late function=take_up_all before_ms=300; then
	refuse "the table has no stale file" grep -q '^# stale' $DBG/table
	fileop fallocate $MNT/a punch 64K 64K
	check "a table right after the call reports a stale file" grep -q '^# stale' $DBG/table
	settle
	fileop fallocate $MNT/a punch 192K 16K
	expect "stats report a stale file" "$(stat_of stale)" 1
	late
else
	for n in 1 2 3; do
		skip "calls that are handled later" "calls cannot be followed on this kernel"
	done
fi
check_exact "maps are exact after the calls" $MNT

# The event of a truncation is repeated with preemption off: it is outdated, and the file must be scanned.
fileop write $MNT/b 0 64K
late function=probe_truncate_enter again=1 atomic=1
fileop truncate $MNT/b 32K
fileop write $MNT/b 32K 32K
sync
settle
lost=$(stat_of lost)
rescans=$(stat_of rescans)
late
check_exact "maps are exact after an event in atomic context" $MNT
expect "stats counts the event as lost" "$(stat_of lost)" $((lost + 1))
check "the file is scanned" test "$(stat_of rescans)" -gt "$rescans"
finish
