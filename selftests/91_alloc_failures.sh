#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 91_alloc_failures.sh - each allocation of the module may fail: no crash, no leak, no wrong block
#
# With failslab and its stack filter, which debug kernels have, allocations fail that have fragtrace on the stack, including
# those of F2FS and the VFS called by it; elsewhere fail_alloc.ko lets those fail that fragtrace itself asks for. While
# writers run a quarter of them fails; after that, all maps must become exact without help. Of the allocations of a load one
# of two fails; with failslab, which sees many more, one of three. Which ones depends on SEED.
#
# blocks: any
# group: memory hostile
# kernels: first

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=trouble.sh
. "$here/trouble.sh"

FAULTS="/sys/kernel/debug/failslab /sys/kernel/debug/fail_page_alloc"
FAIL=/sys/module/fail_alloc/parameters
TRACING=/sys/kernel/tracing
# Failures that failslab is allowed in one go.
MOST=1000000
OBSERVERS="heat=1 cgroups=1 fsync=1"
# faults(setting, value) - change a setting of all kinds of failures
faults() {
	local dir

	for dir in $FAULTS; do
		echo "$2" >"$dir/$1"
	done
}

# address() - print the begin and the end of fragtrace's code
address() {
	awk '$1 == "fragtrace" { print $6, $2 }' /proc/modules
}

# within(first, last) - let only allocations fail that have an address in this range on their stack
within() {
	[ -z "$FAULTS" ] || faults require-start "$1"
	[ -z "$FAULTS" ] || faults require-end "$2"
}

# within_us() - the same, with the range of the loaded module
within_us() {
	local start size

	read -r start size <<-EOT
	$(address)
	EOT
	within "$start" "$(printf "0x%x" $((start + size)))"
}

# failing(percent) - the share of allocations that fail from now on
failing() {
	if [ -n "$FAULTS" ]; then
		[ "$1" = 0 ] || faults times $MOST
		faults probability "$1"
	else
		[ "$1" = 0 ] || echo 0 >$FAIL/nth
		echo $((($1 > 0) * 100 / ($1 + !$1))) >$FAIL/every
	fi
}

# refused() - print how many allocations have failed since then
refused() {
	if [ -n "$FAULTS" ]; then
		cat /sys/kernel/debug/failslab/times /sys/kernel/debug/fail_page_alloc/times |
			awk -v most=$MOST '{ n += most - $1 } END { print n }'
	else
		cat $FAIL/failed
	fi
}

# load_nth(n) - load while the nth allocation fails; print the error or OK, and `after n` if there were so many
load_nth() {
	local said

	if [ -n "$FAULTS" ]; then
		fileop insmod "$FRAGTRACE_KO" "path=$MNT $OBSERVERS" "$1"
		return
	fi
	echo "$1" >$FAIL/nth
	said=$(fileop insmod "$FRAGTRACE_KO" "path=$MNT $OBSERVERS")
	[ "$(refused)" = 0 ] || said="$said after $1"
	echo 0 >$FAIL/nth
	echo "$said"
}

# one_of(name, actual, wanted...) - the first word must be one of the others
one_of() {
	local name got word

	name=$1 got=$2
	shift 2
	for word; do
		[ "$got" != "$word" ] || return 0
	done
	BAD="$BAD $name:$got"
}

# spare(functions...) - let no allocation fail in this function of the kernel, or, if the compiler has inlined it,
# in its caller: the first of these functions that exists
spare() {
	local function range

	range=
	for function; do
		range=$(sort /proc/kallsyms | awk -v f="$function" '
			found { print begin, "0x" $1; exit } $3 == f { begin = "0x" $1; found = 1 }')
		[ -z "$range" ] || break
	done
	[ -n "$range" ] || bail "this kernel has none of: $*"
	faults reject-start "${range% *}"
	faults reject-end "${range#* }"
}

# load_failing(first, step) - load with the first allocation failing, then with a later one, until there is none
#
# Sets COUNT to the number of loads, BAD to the errors.
load_failing() {
	local said n

	COUNT=0 BAD=
	n=$1
	while [ "$n" -le 2000 ]; do
		said=$(load_nth "$n")
		case $said in
		OK)
			unload
			break
			;;
		"OK after "*)
			# The failed allocation was not necessary: then all files must be there.
			[ "$(find $DBG -type f | wc -l)" = "$TEXTS" ] || BAD="$BAD $n:no-text"
			awk '!/^#/ && $3 != "waiting" { found = 1 } END { exit !found }' $DBG/targets || BAD="$BAD $n:no-target"
			unload
			;;
		"ENOMEM after "*)
			[ ! -e $DBG ] || BAD="$BAD $n:debugfs"
			! loaded || BAD="$BAD $n:loaded"
			;;
		*) BAD="$BAD $n:${said% after*}" ;;
		esac
		! loaded || unload
		COUNT=$n
		n=$((n + $2))
	done
}

# any_asked() - has fragtrace asked for memory since the number of the allocation that fails was set?
any_asked() {
	[ "$(cat $FAIL/count)" -gt 0 ]
}

# quiet_trouble() - print warnings of the kernel's log that no failed allocation explains since this test began; clear the log
#
# The kernel itself prints a stack if it has no memory for a slab cache or for pages; leaks() checks the result of
# kmemleak.
quiet_trouble() {
	log_since >/tmp/log
	dmesg -c >/dev/null
	echo "fragtrace-test: ${0##*/}" >/dev/kmsg
	echo "$MARK" >/dev/kmsg
	ft_races rest </tmp/log | awk '/kmem_cache_create_args\(.*failed with error|vmalloc error|page allocation failure/ { own = NR }
		/Call Trace:/ && own && NR - own < 12 { next }
		/kmemleak: .* new suspected/ { next }
		{ print }' | grep -E "$FT_TROUBLE" | sed 's/^/# kernel: /'
}

# leaks() - print the leaks found by kmemleak since it was cleared; it needs two scans, some seconds apart
#
# Not counted: the name of a slab cache that sysfs had no memory for; the kernel itself leaks it.
leaks() {
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	awk 'function end_record() { if (record !~ /sysfs_slab_add/) printf "%s", record; record = "" }
		/^unreferenced object/ { end_record() }
		{ record = record "# " $0 "\n" }
		END { end_record() }' /sys/kernel/debug/kmemleak
	echo clear >/sys/kernel/debug/kmemleak
}

# under_failures(name, times, command...) - repeat a command while allocations fail: it must succeed, or return ENOMEM; what else
# it does is added to ALL_BAD
#
# EEXIST: the removal of a target failed before.
under_failures() {
	local name times i

	name=$1 times=$2
	shift 2
	i=0 BAD=
	while [ $i -lt "$times" ]; do
		one_of "$name" "$("$@")" OK ENOMEM EEXIST
		i=$((i + 1))
	done
	ALL_BAD="$ALL_BAD$BAD"
	echo "# $name: $times times"
}

# at_each_failure(name, command...) - repeat a command while one allocation fails, first the first one, until it has none left:
# it must succeed, or return ENOMEM; what else it does is added to ALL_BAD
#
# With failslab, half and a third of all that it sees fail instead.
at_each_failure() {
	local name n

	name=$1 n=0
	shift
	if [ -n "$FAULTS" ]; then
		failing 50
		under_failures "$name" 10 "$@"
		failing 33
		under_failures "$name" 10 "$@"
		failing 0
		return
	fi
	BAD=
	while [ $n -lt 200 ]; do
		n=$((n + 1))
		echo $n >$FAIL/nth
		one_of "$name:$n" "$("$@")" OK ENOMEM EEXIST
		[ "$(refused)" != 0 ] || break
	done
	echo 0 >$FAIL/nth
	ALL_BAD="$ALL_BAD$BAD"
	echo "# $name: $n times"
}

# toggle(folder) - add and remove a folder; print the error of either, or OK
toggle() {
	local added

	added=$(fileop say $DBG/targets "add $1")
	if [ "$added" = OK ]; then
		fileop say $DBG/targets "del $1"
	else
		echo "$added"
	fi
}

# none_charged() - is as much memory charged as after a load without a target?
none_charged() {
	[ "$(stat_of mem_bytes)" = "$IDLE" ]
}

# finish_faults() - no allocation may fail in later tests
finish_faults() {
	failing 0 2>/dev/null || :
	cleanup
	[ ! -d /sys/module/fail_alloc ] || rmmod fail_alloc
}

trap finish_faults EXIT
KMEMLEAK=0 STEP=2
[ ! -w /sys/kernel/debug/kmemleak ] || KMEMLEAK=1
plan $((18 + KMEMLEAK))
seed=${SEED:-$(date +%s)}
dmesg -n 1
if [ -w /sys/kernel/debug/failslab/require-start ]; then
	faults verbose 0
	faults probability 0
	faults ignore-gfp-wait N
	faults stacktrace-depth 32
	# The kernel itself cannot undo a kprobe then.
	spare __disarm_kprobe_ftrace disarm_kprobe_ftrace disarm_kprobe __disable_kprobe
	STEP=3
else
	FAULTS=
	insmod /tools/fail_alloc.ko || bail "fail_alloc.ko cannot be loaded: build with FT_SELFTEST=1, pass with -f"
fi
make_volume $DISK $MNT || bail "no volume"
fuzz storm --seed "$seed" --ops 600 $MNT >/dev/null
mkdir $MNT/other
i=0
while [ $i -lt 40 ]; do
	mkdir $MNT/other/$i
	fileop write $MNT/other/$i/file 0 8K
	i=$((i + 1))
done
sync

[ $KMEMLEAK = 0 ] || echo clear >/sys/kernel/debug/kmemleak

# === Load ===

load $OBSERVERS
TEXTS=$(find $DBG -type f | wc -l) IDLE=$(stat_of mem_bytes)
unload
within 0xffffffffa0000000 0xfffffffffeffffff
load_failing $((seed % STEP + 1)) $STEP
echo "# load: $COUNT allocations; each $STEP. failed in a load of its own"
expect "a load with one failed allocation is complete, or returns ENOMEM and leaves nothing" "$BAD" ""
check "a load has more than 20 allocations" test "$COUNT" -gt 20

# === Writers ===

load path=$MNT $OBSERVERS
settle
mounted $TRACING || mount -t tracefs tracefs $TRACING
echo 1 >$TRACING/events/fragtrace/enable
within_us
lost=$(stat_of lost)
failing 25
for job in 1 2 3; do
	fuzz storm --seed $((seed + job)) --ops 400 $MNT >/tmp/storm$job 2>&1 &
done
wait
failing 0
grep -h '^# line' /tmp/storm* | sed 's/^/# /' || :
echo "# lost $(($(stat_of lost) - lost)), rescans $(stat_of rescans), mismatches $(stat_of mismatches)"
echo 0 >$TRACING/events/fragtrace/enable
echo >$TRACING/trace
check "stats counts lost events" test "$(stat_of lost)" -gt "$lost"
# A preallocation that the map has no memory for: no event can say which blocks it added.
echo 'old_lba == -3' >$TRACING/events/fragtrace/extent_change/filter
echo 1 >$TRACING/events/fragtrace/extent_change/enable
for n in $(seq 40); do
	: >$MNT/reserved$n
done
failing 50
n=0
until [ $n = 40 ] || grep -q 'old=-3' $TRACING/trace; do
	n=$((n + 1))
	fileop ranges $MNT/reserved$n default 400 30 $((seed + n)) >/dev/null
done
failing 0
echo "# $n files"
echo 0 >$TRACING/events/fragtrace/extent_change/enable
echo 0 >$TRACING/events/fragtrace/extent_change/filter
check "listeners are told that maps have changed without events" grep -q 'offset=0 length=1073741824 old=-3 new=-3' $TRACING/trace
check_exact "maps are exact after writes with a quarter of the allocations failing, seed $seed" $MNT

# === A tree that is read for the first time ===

# Another volume is watched all the time: attaching to F2FS needs so many allocations that it never succeeds.
make_volume $DISK2 $MNT2 || bail "no volume"
failures=0
for round in 1 2 3 4; do
	unload
	umount $MNT
	mount_volume $DISK $MNT
	load path=$MNT2 $OBSERVERS
	within_us
	failing 10
	loop_until $PATIENCE sh -c "fileop say $DBG/targets 'add $MNT' | grep -q OK"
	failing 30
	sleep 2
	failing 0
	failures=$((failures + $(refused)))
	check_exact "maps are exact after failures while the tree was read, round $round" $MNT
done
check "$failures allocations have failed meanwhile" test "$failures" -gt 10

# === Readers, targets, resync ===

# breaks to tell of
for n in 1 2 3 4; do
	fileop append $MNT/one 4096 1 fdatasync
	fileop append $MNT/two 4096 1 fdatasync
done
ALL_BAD=
for text in $(cd $DBG && find . -type f -perm -u+r | sort); do
	at_each_failure "${text#./}" fileop slurp $DBG/$text
done
expect "each file of debugfs is read, or there is ENOMEM" "$ALL_BAD" ""
ALL_BAD=
at_each_failure "add and del" toggle $MNT/other
failing 10
under_failures "resync" 5 fileop say $DBG/resync 1
under_failures "audit" 5 fileop say $DBG/audit 1
expect "targets, resync and audit do what is written, or there is ENOMEM" "$ALL_BAD" ""
failing 0
check_exact "maps are exact after failures of readers and writers of debugfs" $MNT
# A target is renamed: its new path is found by one of the next tries.
fileop say $DBG/targets "add $MNT/other" >/dev/null
ALL_BAD='' n=0 failures=1
while [ $n -lt 40 ] && [ "$failures" != 0 ]; do
	n=$((n + 1))
	if [ -n "$FAULTS" ]; then
		failing 50
		mv $MNT/other $MNT/renamed
		sleep 0.5
		failing 0
		failures=$((n < 4))
	else
		echo $n >$FAIL/nth
		mv $MNT/other $MNT/renamed
		loop_until "$SOON" any_asked || ALL_BAD="$ALL_BAD $n:not-looked-up"
		sleep 0.2
		failures=$(refused)
		echo 0 >$FAIL/nth
	fi
	loop_until "$SOON" grep -q " $MNT/renamed$" $DBG/targets || ALL_BAD="$ALL_BAD $n"
	mv $MNT/renamed $MNT/other
	loop_until "$SOON" grep -q " $MNT/other$" $DBG/targets || ALL_BAD="$ALL_BAD back:$n"
done
echo "# rename: $n times"
expect "the new path of a target is found later" "$ALL_BAD" ""
fileop say $DBG/targets "del $MNT/other" >/dev/null
expect "audits have found no difference" "$(stat_of audit_differences)" 0
echo "del $MNT" >$DBG/targets
echo "del $MNT2" >$DBG/targets
# The report of the last audit has a line for each file that could not be compared.
echo "# lines of the report: $(grep -c ' unjudged ' $DBG/audit)"
echo 1 >$DBG/audit
loop_until "$SOON" none_charged || :
expect "without a target as much memory is charged as after a load" "$(stat_of mem_bytes)" "$IDLE"
unload

# === What is left ===

check "both volumes are unmounted" umount $MNT $MNT2
[ $KMEMLEAK = 0 ] || expect "kmemleak finds nothing" "$(leaks)" ""
expect "the kernel's log has no other problem" "$(quiet_trouble)" ""
finish
