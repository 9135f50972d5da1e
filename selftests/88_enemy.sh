#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 88_enemy.sh - a user with write permission for one folder attacks; another user works, and other processes are not delayed
#
# All attacks of in_guest/attacks.sh at once, from a folder of a watched volume. Meanwhile a second user works in another
# folder and on another volume; volumes are mounted and unmounted, directories added and removed, the files of
# debugfs read. All this runs once before the attacks; during them it may take a second (times the emulation's factor)
# longer than then. The second user's files are exact, compared with FIEMAP, during the attacks.
#
#   FUZZ_SECONDS=N   repeat rounds for this time, each with some of these attacks, and of those on the module's bounds, which
#                    have 16 MiB then (make fuzz MODE=hostile)
#   SEED=N           of the first round (default 1)
#   ATTACKS='A B'    these attacks, in each round
#   ATTACK_SIZE=N    scale of the attacks (default 250; 4000 with FUZZ_SECONDS)
#
# kernels: first
# group: hostile
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=in_guest/attacks.sh
. "$here/in_guest/attacks.sh"

[ -n "${ATTACK_SIZE:-}" ] || ATTACK_SIZE=$([ -n "${FUZZ_SECONDS:-}" ] && echo 4000 || echo 250)
[ -z "${FUZZ_SECONDS:-}" ] || ATTACK_LIST="$ATTACK_LIST $ATTACKS_ON_BOUNDS"
# Seconds of a round, without the checks after it. Below the kernel's limit for hung tasks.
ROUND=10
FRIEND=1000
MNT3=/mnt/f2fs3
LOOPS="$MNT3 $ENEMY_ELSEWHERE $ENEMY_VOLUMES"
WORK=/tmp/enemy
HUNG=
# Prefix of the files of times: `own.` before the attacks.
PHASE=
RUNS=0
LAP=0
# Nodes of maps are in separate slabs; each CPU keeps some memory.
SLACK=262144
PIDS=

# === Measurements ===

# measure(kind, command...) - run a command, record its time; false once one of this kind has failed or hung
measure() {
	local kind rc

	kind=$PHASE$1
	shift
	rc=0
	fileop timed "$WORK/$kind" $SOON "$@" >"$WORK/out" 2>&1 || rc=$?
	[ $rc != 0 ] || return 0
	{
		[ $rc != 124 ] || echo "did not end within $SOON s: $*"
		[ $rc = 124 ] || { echo "failed: $*" && head -n 3 "$WORK/out"; }
	} >>"$WORK/$kind.wrong"
	[ $rc != 124 ] || HUNG=$kind
	return 1
}

# wrong(kind, reason...) - record an error
wrong() {
	local kind

	kind=$1
	shift
	echo "$*" >>"$WORK/$kind.wrong"
}

# await(kind, command...) - wait until a command of this shell succeeds, record the time
await() {
	local kind begin

	kind=$PHASE$1
	shift
	begin=$(uptime_ms)
	loop_until $SOON "$@" || wrong "$kind" "not within $SOON s: $*"
	echo $(($(uptime_ms) - begin)) >>"$WORK/$kind"
}

# longest(kind) - print the longest time of a kind
longest() {
	sort -n "$WORK/$1" 2>/dev/null | tail -n 1
}

# limit_of(kind) - print how long this kind may take, in milliseconds
limit_of() {
	if [ -e "$WORK/own.$1" ] && [ -z "${FUZZ_SECONDS:-}" ]; then
		echo $(($(longest "own.$1") + EXTRA))
	else
		# F2FS itself writes the attacker's data in a sync, for any time
		echo $((SOON * 1000))
	fi
}

# verdict(kind, name) - report whether all of this kind succeeded, and the longest time
verdict() {
	local name own

	own=$(longest "own.$1")
	[ ! -s "$WORK/$1" ] || [ "$(longest "$1")" -le "$(limit_of "$1")" ] ||
		wrong "$1" "took $(longest "$1") ms, without an attack $own ms; limit $(limit_of "$1") ms"
	name="$2 ($(sort -n "$WORK/$1" 2>/dev/null | awk '{ longest = $1; n++ } END { printf "%d times, longest %d ms", n, longest }')${own:+, without an attack $own ms})"
	if [ -s "$WORK/$1.wrong" ]; then
		not_ok "$name" "$(head -n 1 "$WORK/$1.wrong")"
		sed -n '2,6s/^/# /p' "$WORK/$1.wrong"
	elif [ -s "$WORK/$1" ]; then
		ok "$name"
	else
		not_ok "$name" "was not reached${HUNG:+: $HUNG hung}"
	fi
}

# friend_exact() - are all maps of the second user's files exact?
friend_exact() {
	! awk '!/^#/ && $3 == "stale" && $NF ~ /\/friend\//' $DBG/files | grep -q .
}

# quiet_is(state) - is this the state of the file that only this test changes?
quiet_is() {
	[ "$(column files $MNT/watched/friend/quiet 3)" = "$1" ]
}

# all_back() - are all maps exact, and is no file left out?
all_back() {
	settle && [ "$(stat_of left_out)" = 0 ]
}

# third_live() - is the third volume followed?
third_live() {
	awk -v mnt=$MNT3 '$5 == mnt && $3 == "live" { found = 1 } END { exit !found }' $DBG/targets
}

# slab_bytes() - print the memory of the module's slabs
slab_bytes() {
	awk '$1 ~ /^fragtrace/ { n += $2 * $4 } END { print n + 0 }' /proc/slabinfo
}

# memory() - record the charged memory and that of the slabs; both must be within the budget, and agree
memory() {
	local used slabs budget again

	[ ! -w /sys/kernel/slab/fragtrace_node/shrink ] || echo 1 >/sys/kernel/slab/fragtrace_node/shrink
	used=$(stat_of mem_bytes) slabs=$(slab_bytes) again=$(stat_of mem_bytes) budget=$(stat_of mem_budget)
	[ "$used" -gt "$again" ] || used=$again
	echo "$used" >>"$WORK/memory"
	[ "$used" -le "$budget" ] || wrong memory "$used bytes charged, $budget allowed"
	[ "$slabs" -le $((used + used / 20 + SLACK)) ] || wrong memory "$slabs bytes in slabs, $used charged"
}

# run_operations() - run each operation that must not wait for the attacker once; false as soon as one hangs
run_operations() {
	local file

	fileop fallocate $MNT/watched/friend/quiet punch $((RUNS % 200 * 2 * B)) "$B"
	RUNS=$((RUNS + 1))
	for file in table extents files snapshot targets stats audit; do
		measure open cat $DBG/$file || [ -z "$HUNG" ] || return 1
	done
	await exact quiet_is exact
	memory
	measure sync sync || [ -z "$HUNG" ] || return 1
	measure create fileop write $MNT/watched/friend/new 0 "$B" || [ -z "$HUNG" ] || return 1
	rm -f $MNT/watched/friend/new
	measure remount mount -o remount,noatime $MNT || [ -z "$HUNG" ] || return 1
	measure targets sh -c "echo 'add $MNT/second' >$DBG/targets" || [ -z "$HUNG" ] || return 1
	measure targets sh -c "echo 'del $MNT/second' >$DBG/targets" || [ -z "$HUNG" ] || return 1
	measure umount umount $MNT3 || [ -z "$HUNG" ] || return 1
	measure umount mount -t f2fs "$LOOP3" $MNT3 || [ -z "$HUNG" ] || return 1
	await again third_live
	measure freeze fsfreeze --freeze $MNT3 || [ -z "$HUNG" ] || return 1
	measure freeze fsfreeze --unfreeze $MNT3 || [ -z "$HUNG" ] || return 1
}

# agrees(kind, folders...) - compare the maps with FIEMAP once; false if anything differs, or it hangs
agrees() {
	local kind

	kind=$1
	shift
	measure "$kind" fiemap-check --partial "$@" || return 1
	sed -n 's/^compared/# compared/p' "$WORK/out"
}

# compare(kind, folders...) - the maps of the second user's files must agree with FIEMAP
#
# What garbage collection moves between the two readings differs once. What is wrong differs a second time in the same way.
compare() {
	! agrees "$@" || return 0
	[ -z "$HUNG" ] || return 1
	rm -f "$WORK/$1.wrong"
	grep -vE '^(compared|# and |# [0-9]+ disagreements)' "$WORK/out" >"$WORK/differed"
	sed 's/^#* */# once: /' "$WORK/differed" | head -n 5
	! agrees "$@" || return 0
	[ -z "$HUNG" ] || return 1
	grep -Fx -f "$WORK/differed" "$WORK/out" >"$WORK/differs" || rm -f "$WORK/$1.wrong"
	sed 's/^#* */# twice: /' "$WORK/differs" | head -n 5
}

# lap(what) - print the time since the last lap
lap() {
	echo "# $((($(uptime_ms) - LAP) / 1000)) s: $1"
	LAP=$(uptime_ms)
}

# === Rounds ===

# draw(n) - set DRAWN to a random number below n
draw() {
	STATE=$(((STATE * 1103515245 + 12345) % 2147483648))
	DRAWN=$((STATE / 65536 % $1))
}

# choose(seed) - set CHOSEN to the attacks of a round, in the order in which they begin
choose() {
	local left want name picked n

	STATE=$1
	draw 7
	left=${ATTACKS:-$ATTACK_LIST}
	want=$(echo "$left" | wc -w)
	[ -n "${ATTACKS:-}" ] || [ -z "${FUZZ_SECONDS:-}" ] || { draw $((want - 1)) && want=$((DRAWN + 2)); }
	CHOSEN=
	while [ "$want" -gt 0 ]; do
		# shellcheck disable=SC2086 # words
		set -- $left
		draw $#
		n=0 picked='' left=''
		for name; do
			[ $n = "$DRAWN" ] && picked=$name || left="$left $name"
			n=$((n + 1))
		done
		CHOSEN="$CHOSEN $picked"
		want=$((want - 1))
	done
	CHOSEN=${CHOSEN# }
}

# check_attacks() - attacks that do not wait must still be at work
check_attacks() {
	local pid

	for pid in $PIDS; do
		! gone "$pid" || wrong attacks "one has ended: $(grep -l . $WORK/*.log | while read -r log; do tail -n 1 "$log"; done | head -n 3)"
	done
}

# begin_attacks(seed) - start the chosen attacks; sets PIDS. An attack that this kernel does not support is reported and left
# out.
begin_attacks() {
	local name pid

	rm -rf $ATTACK_TMP
	mkdir -m 1777 $ATTACK_TMP
	for name in $CHOSEN; do
		("attack_$name" $MNT/watched/enemy $((ROUND + 2 * SOON)) "$1") >"$WORK/$name.log" 2>&1 &
		PIDS="$PIDS $!"
		echo $! >"$WORK/$name.pid"
	done
	for name in $CHOSEN; do
		pid=$(cat "$WORK/$name.pid")
		if loop_until $SOON begun_or_ended "$name" "$pid" && ! gone "$pid"; then
			echo 0 >>"$WORK/attacks"
		elif grep -qE 'userfaultfd: (ENOSYS|EPERM)|/dev/fuse: |cgroup2: ' "$WORK/$name.log"; then
			echo "# this kernel cannot: $name"
			PIDS=$(echo "$PIDS" | sed "s/ $pid\>//")
		else
			wrong attacks "$name has not begun: $(tail -n 1 "$WORK/$name.log")"
		fi
	done
}

# begun_or_ended(name, pid) - has an attack begun, or is it over already?
begun_or_ended() {
	attack_begun "$1" || gone "$2"
}

# enemy_is_gone() - kill all that is left of the attacker; is nothing?
enemy_is_gone() {
	local process left

	left=
	for process in /proc/[0-9]*; do
		if grep -qs "^Uid:	$ENEMY	" "$process/status" && ! gone "${process#/proc/}"; then
			kill -KILL "${process#/proc/}" 2>/dev/null || :
			left=yes
		fi
	done
	[ -z "$left" ]
}

# end_attacks() - kill them, and their children
end_attacks() {
	local pid

	# shellcheck disable=SC2086 # numbers
	[ -z "$PIDS" ] || kill -KILL $PIDS 2>/dev/null || :
	for pid in $PIDS; do
		loop_until 20 gone "$pid" || wrong attacks "process $pid does not end"
	done
	! mounted $FUSE_MNT || umount -l $FUSE_MNT
	PIDS=
	loop_until $SOON enemy_is_gone || wrong attacks "processes of the attacker do not end"
	remove_deep $MNT/watched/enemy/deep
}

# gone(pid) - has a process of ours ended?
gone() {
	[ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}

# start_second_user(name, folder, seed) - let the second user work in a folder for a round
start_second_user() {
	(
		rc=0
		fileop timed "$WORK/$1.spent" $((ROUND + SOON)) fileop as $FRIEND 0 fileop friend "$2" $ROUND "$3" \
			>"$WORK/$1.out" 2>&1 || rc=$?
		echo $rc >"$WORK/$1.rc"
	) &
}

# await_second_user(name) - wait for the second user to end, and record the times of his operations
await_second_user() {
	local kind count longest

	loop_until $((ROUND + SOON)) test -s "$WORK/$1.rc"
	if [ "$(cat "$WORK/$1.rc")" != 0 ]; then
		wrong friend "$1: $(cat "$WORK/$1.rc"): $(tail -n 1 "$WORK/$1.out")"
		[ "$(cat "$WORK/$1.rc")" != 124 ] || HUNG=friend
		rm "$WORK/$1.rc"
		return 0
	fi
	rm "$WORK/$1.rc"
	while read -r kind count longest; do
		echo "# $1: $kind $count times, longest $longest ms"
		echo "$longest" >>"$WORK/friend"
		[ "$longest" -le "$FRIEND_LIMIT" ] || wrong friend "$1: $kind took $longest ms"
	done <"$WORK/$1.out"
}

# make_folders() - create the folders of all users, empty
make_folders() {
	rm -rf $MNT/watched $MNT/outside $MNT/second $MNT2/friend
	mkdir -p $MNT/watched/enemy $MNT/watched/friend $MNT/outside $MNT/second $MNT2/friend
	chown $ENEMY $MNT/watched/enemy $MNT/outside $ENEMY_ELSEWHERE $ENEMY_VOLUMES
	chown $FRIEND $MNT/watched/friend $MNT2/friend
	fileop write $MNT/watched/friend/quiet 0 $((512 * B))
	fileop write $MNT/second/file 0 64K
	sync
}

# round(seed) - attack, work and check; false if something hangs
round() {
	local end

	make_folders
	echo "add $MNT/watched" >$DBG/targets
	choose "$1"
	echo "# seed $1:$CHOSEN"
	settle || bail "maps are not exact before the attack"
	PHASE=own.
	run_operations || bail "$HUNG hangs before the attack"
	PHASE=
	lap "prepared"
	begin_attacks "$1"
	lap "attacked"
	start_second_user friend $MNT/watched/friend "$1"
	start_second_user friend2 $MNT2/friend "$1"
	end=$(($(uptime_ms) + ROUND * 1000))
	while run_operations && [ "$(uptime_ms)" -lt $end ]; do
		:
	done
	await_second_user friend
	await_second_user friend2
	lap "$RUNS runs of the operations"
	[ -z "$HUNG" ] || return 1
	measure sync sync || [ -z "$HUNG" ] || return 1
	await friends friend_exact
	compare compared $MNT/watched/friend $MNT2/friend || [ -z "$HUNG" ] || return 1
	lap "compared"
	check_attacks
	end_attacks
	lap "the attacks are over"
	# what has no room comes back when the attacker has less
	[ "$(stat_of left_out)" = 0 ] || rm -rf $MNT/watched/enemy
	await afterwards all_back
	lap "settled"
	compare compared_all $MNT/watched $MNT2 $MNT3 $ENEMY_VOLUMES
	lap "compared"
	echo "del $MNT/watched" >$DBG/targets
}

# rounds() - one round, or as many as the time allows
rounds() {
	local seed end

	seed=${SEED:-1}
	end=$(($(date +%s) + ${FUZZ_SECONDS:-1}))
	while round "$seed" && ! ls $WORK/*.wrong >/dev/null 2>&1; do
		seed=$((seed + 1))
		[ "$(date +%s)" -lt "$end" ] || return 0
	done
	echo "# again: make fuzz MODE=hostile SEED=$seed MINUTES=1 ATTACKS='${CHOSEN# }' KERNEL=$(uname -r | sed 's/^7.*/7/; s/^\([0-9]*\.[0-9]*\).*/\1/')"
}

# make_loops() - make and mount the small volumes
make_loops() {
	local mnt loop

	modprobe loop 2>/dev/null || :
	for mnt in $LOOPS; do
		truncate -s $((32768 * B)) "$WORK/${mnt##*/}.img"
		loop=$(losetup -f)
		losetup "$loop" "$WORK/${mnt##*/}.img"
		make_volume "$loop" "$mnt" || bail "no volume for $mnt"
		[ "$mnt" != $MNT3 ] || LOOP3=$loop
	done
	fileop many $MNT3/file 20 64K 0
}

# end_all() - end all processes and mounts in any case
end_all() {
	local mnt

	end_attacks
	cleanup
	for mnt in $LOOPS; do
		! mounted "$mnt" || umount "$mnt" 2>/dev/null || umount -l "$mnt" || :
	done
	for mnt in $(losetup -a | sed -n "s|^\(/dev/loop[0-9]*\):.*$WORK.*|\1|p"); do
		losetup -d "$mnt" || :
	done
}

trap end_all EXIT
plan 17
B=$PAGE_SIZE
emulation
# How many milliseconds longer than without an attack an operation may take.
EXTRA=$((1000 * FACTOR * SLOW))
FRIEND_LIMIT=$EXTRA
[ -z "${FUZZ_SECONDS:-}" ] || FRIEND_LIMIT=$((SOON * 1000))
mkdir -p $WORK
[ ! -w /proc/sys/vm/unprivileged_userfaultfd ] || echo 1 >/proc/sys/vm/unprivileged_userfaultfd
make_volume $DISK $MNT || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
make_loops
# shellcheck disable=SC2086 # one word or none
load ${FUZZ_SECONDS:+max_mem_mb=16}
for mnt in $MNT2 $MNT3 $ENEMY_VOLUMES; do
	echo "add $mnt" >$DBG/targets
done
rounds
verdict attacks "all attacks run"
verdict exact "another user's stale file becomes exact"
verdict open "each file of debugfs is read"
verdict sync "sync returns"
verdict create "a file is created"
verdict remount "a volume is remounted"
verdict targets "a target is added and removed"
verdict umount "another volume is unmounted and mounted"
verdict again "the volume is watched again after the mount"
verdict freeze "a volume is frozen and thawed"
verdict friend "operations of another user end in time"
verdict friends "maps of the other user's files become exact during the attacks"
verdict compared "maps of the other user's files agree with FIEMAP during the attacks"
if [ -s $WORK/memory.wrong ]; then
	not_ok "the memory is within its budget" "$(head -n 1 $WORK/memory.wrong)"
else
	ok "the memory is within its budget (at most $(sort -n $WORK/memory | tail -n 1) bytes of $(stat_of mem_budget))"
fi
verdict afterwards "all maps become exact after the attacks"
verdict compared_all "all maps agree with FIEMAP after the attacks"
if [ -n "$HUNG" ]; then
	not_ok "the module unloads" "$HUNG hung"
else
	check "the module unloads" unload
fi
finish
