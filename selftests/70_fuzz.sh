#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 70_fuzz.sh - random operations of all kinds, by several threads, on random volumes
#
# In each round: a plan from the next seed, on a fresh volume, compared at each of its barriers and
# whenever it freezes the volume. The first difference ends the test: the plan is reduced as far as the
# time allows and printed. The share of breaks with a known cause is printed as well.
#
#   SEED=N           of the first round (default 1, so that a plain run of the tests is the same each time)
#   FUZZ_SECONDS=N   begin no round after this time (default 30)
#   FUZZ_SHRINK=N    seconds for the reduction (default 90, more on a slow kernel)
#   FUZZ_PLAN=FILE   this plan instead, repeatedly
#   FUZZ_ZONED=1     on zoned disks: 70_fuzz_zones.sh
#
# group: random
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# A round that takes more seconds counts as hanging.
export ROUND_LIMIT=$((360 * SLOW))
WORK=/tmp/fuzz

# make_plan(seed) - write the plan of a round
make_plan() {
	if [ -n "${FUZZ_PLAN:-}" ]; then
		cp "$FUZZ_PLAN" $WORK/plan
	else
		fuzz plan --seed "$1" ${FUZZ_ZONED:+--zoned} >$WORK/plan
	fi
}

# stuck() - print why a round does not end: which files are stale, which processes wait in the kernel, and where
stuck() {
	local pid

	echo "# stuck: $(awk '$1 == "stale" || $1 == "queued" { printf "%s %s ", $1, $2 }' $DBG/stats)"
	grep ' stale ' $DBG/files | head -n 5 | sed 's/^/# stuck: /'
	grep -l '^State:[[:space:]]*D' /proc/[0-9]*/status 2>/dev/null | while IFS=/ read -r _ _ pid _; do
		echo "# stuck: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline") $(cat "/proc/$pid/comm")"
		sed 's/^/# stuck:   /' "/proc/$pid/stack" | head -n 12
	done
}

# play() - run the plan; 0 all agrees, 1 something differs, 2 it could not be done, 3 it hangs, 4 maps are not exact in time
#
# A process that hangs in the kernel does not end; its output is there in any case.
play() {
	local rc watch

	rc=0
	: >$WORK/stuck
	(
		sleep $((ROUND_LIMIT * 3 / 2 - 10))
		stuck >$WORK/stuck
	) &
	watch=$!
	timeout $((ROUND_LIMIT * 3 / 2)) sh "$here/in_guest/fuzz_round.sh" $WORK/plan >$WORK/out 2>&1 || rc=$?
	kill $watch 2>/dev/null || :
	cat $WORK/stuck
	grep '^# compared' $WORK/out
	grep '^# sums: ' $WORK/out >>$WORK/sums || :
	grep '^# op ' $WORK/out >>$WORK/ops
	grep '^# causes ' $WORK/out | tail -n 1 >>$WORK/causes
	! grep -q '^# hangs' $WORK/out || rc=3
	return $rc
}

# kernel() - print the Makefile's name of this kernel
kernel() {
	case $(uname -r) in
	7.*) echo 7 ;;
	*) uname -r | cut -d . -f 1,2 ;;
	esac
}

# report_failure(status, seed) - print the end of a failed round, with what F2FS said, set reason
report_failure() {
	grep -v '^# \(op\|stat\|compared\|causes\|sums: breaks\) ' $WORK/out
	log_since | grep 'F2FS-fs' | tail -n 10 | sed 's/^/# /'
	case $1 in
	1) reason="seed $2: something differs" ;;
	3) reason="seed $2: hangs" ;;
	4) reason="seed $2: maps are not exact in time" ;;
	124 | 137 | 143) reason="seed $2: takes longer than $((ROUND_LIMIT * 3 / 2)) s" ;;
	*) reason="seed $2: could not be done" ;;
	esac
	echo "# $reason"
	if [ -n "${FUZZ_PLAN:-}" ]; then
		echo "# again: make fuzz PLAN=${FUZZ_PLAN##*/} KERNEL=$(kernel)"
	else
		echo "# again: make fuzz SEED=$2 MINUTES=1 KERNEL=$(kernel)"
	fi
}

# cut_down() - reduce the plan, print it
cut_down() {
	fuzz shrink --seconds "${FUZZ_SHRINK:-$((90 * SLOW))}" $WORK/plan $WORK/short "sh $here/in_guest/fuzz_round.sh"
	[ -s $WORK/short ] || return 0
	echo "# shortest plan found; with these lines in FILE: make fuzz PLAN=FILE"
	sed 's/^/# plan: /' $WORK/short
	sh "$here/in_guest/fuzz_round.sh" $WORK/short 2>&1 | grep -v '^# \(op\|stat\) ' || :
}

# summary() - print the number of successful operations of each kind
summary() {
	awk '{
		name = substr($3, 1, length($3) - 1)
		ok[name] += $4
		all[name] += $6
		sum += $6
	}
	END {
		printf "# operations: %d\n", sum
		for (name in all)
			printf "# op %s: %d of %d\n", name, ok[name], all[name] | "sort"
	}' $WORK/ops
}

# share(what, number, of) - print a number and its share
share() {
	awk -v what="$1" -v n="$2" -v of="$3" 'BEGIN { printf "# %s: %d of %d breaks (%.2f %%)\n", what, n, of, of ? n * 100 / of : 0 }'
}

# known() - for files that were never stale, fewer than 1 % of the breaks may have an unknown operation
#
# A file that was stale for two reasons at once, or that was moved in, has breaks of unknown operation. The plans make
# many of them: their share is printed without a limit. Breaks are counted at the end of each round.
known() {
	local sums

	sums=$(awk '{ for (i = 3; i <= 6; i++) n[i] += $i } END { print n[3] + 0, n[4] + 0, n[5] + 0, n[6] + 0 }' $WORK/causes)
	# shellcheck disable=SC2086 # four numbers
	set -- $sums
	share "of unknown operation, in all files" "$2" "$1"
	share "in files that were never stale" "$4" "$3"
	if [ "$rounds" != "$(grep -c . $WORK/causes)" ]; then
		not_ok "each break has a known operation if the file was never stale" "of $rounds rounds $(grep -c . $WORK/causes) have counted breaks"
	elif [ "$3" = 0 ]; then
		skip "each break has a known operation if the file was never stale" "no such breaks"
	elif [ $(($4 * 100)) -lt "$3" ]; then
		ok "each break has a known operation if the file was never stale"
	else
		not_ok "each break has a known operation if the file was never stale" "$4 of $3 are not"
	fi
}

# rounds() - continue until the time is over; false as soon as a round fails
rounds() {
	local seed rc end

	seed=$first
	end=$(($(date +%s) + ${FUZZ_SECONDS:-30}))
	while :; do
		make_plan "$seed"
		head -n 1 $WORK/plan
		rc=0
		play || rc=$?
		if [ $rc != 0 ]; then
			report_failure $rc "$seed"
			[ $rc != 1 ] || cut_down
			return 1
		fi
		seed=$((seed + 1)) rounds=$((rounds + 1))
		[ "$(date +%s)" -lt "$end" ] || return 0
	done
}

plan 2
if [ -n "${FUZZ_ZONED:-}" ]; then
	make_zoned_disk 64 4 4 0 || skip_rest "zoned: maps are exact" "this kernel has no zoned null_blk"
	remove_null_disk
fi
mkdir -p $WORK
: >$WORK/ops
: >$WORK/causes
: >$WORK/sums
first=${SEED:-1} rounds=0
if rounds; then
	ok "maps are exact in all rounds, from seed $first on"
else
	not_ok "maps are exact in all rounds, from seed $first on" "$reason"
fi
known
echo "# sums of breaks compared: $(grep -c '^# sums: breaks' $WORK/sums) times"
summary
finish
