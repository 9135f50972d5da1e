#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 70_fuzz.sh - random operations of all kinds, by several threads, on random volumes
#
# Round after round: a plan from the next seed, on a fresh volume, compared at each of its barriers and
# whenever it freezes the volume. The first difference ends the test: the plan is cut as short as
# time allows and printed.
#
#   SEED=N           of the first round (default 1, so that a plain run of the tests is the same each time)
#   FUZZ_SECONDS=N   begin no round after this time (default 60)
#   FUZZ_SHRINK=N    seconds for cutting (default 90, more on a slow kernel)
#   FUZZ_PLAN=FILE   this plan instead, again and again

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# Seconds after which a round counts as hanging.
export ROUND_LIMIT=$((120 * SLOW))
WORK=/tmp/fuzz

# make_plan(seed) - write the plan of a round
make_plan() {
	if [ -n "${FUZZ_PLAN:-}" ]; then
		cp "$FUZZ_PLAN" $WORK/plan
	else
		fuzz plan --seed "$1" >$WORK/plan
	fi
}

# play() - do the plan; 0 all agrees, 1 something differs, 2 it could not be done, 3 it hangs
#
# What hangs in the kernel does not end; its words are there all the same.
play() {
	local rc

	rc=0
	timeout $((ROUND_LIMIT * 3 / 2)) sh "$here/in_guest/fuzz_round.sh" $WORK/plan >$WORK/out 2>&1 || rc=$?
	grep '^# compared' $WORK/out
	grep '^# op ' $WORK/out >>$WORK/ops
	! grep -q '^# hangs' $WORK/out || rc=3
	return $rc
}

# kernel() - print what the Makefile calls this kernel
kernel() {
	case $(uname -r) in
	7.*) echo 7 ;;
	*) uname -r | cut -d . -f 1,2 ;;
	esac
}

# tell(status, seed) - say how a round ended that did not end well
tell() {
	grep -v '^# \(op\|stat\|compared\) ' $WORK/out
	case $1 in
	1) echo "# seed $2: something differs" ;;
	3) echo "# seed $2: hangs" ;;
	*) echo "# seed $2: could not be done" ;;
	esac
	if [ -n "${FUZZ_PLAN:-}" ]; then
		echo "# again: make fuzz PLAN=${FUZZ_PLAN##*/} KERNEL=$(kernel)"
	else
		echo "# again: make fuzz SEED=$2 MINUTES=1 KERNEL=$(kernel)"
	fi
}

# cut_down() - make the plan as short as can be, print it
cut_down() {
	fuzz shrink --seconds "${FUZZ_SHRINK:-$((90 * SLOW))}" $WORK/plan $WORK/short "sh $here/in_guest/fuzz_round.sh"
	[ -s $WORK/short ] || return 0
	echo "# shortest plan found; with these lines in FILE: make fuzz PLAN=FILE"
	sed 's/^/# plan: /' $WORK/short
	sh "$here/in_guest/fuzz_round.sh" $WORK/short 2>&1 | grep -v '^# \(op\|stat\) ' || :
}

# summary() - print how many operations of each kind succeeded
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

# rounds() - go on until the time is over; false as soon as one does not end well
rounds() {
	local seed rc end

	seed=$first
	end=$(($(date +%s) + ${FUZZ_SECONDS:-60}))
	while :; do
		make_plan "$seed"
		head -n 1 $WORK/plan
		rc=0
		play || rc=$?
		if [ $rc != 0 ]; then
			tell $rc "$seed"
			[ $rc != 1 ] || cut_down
			return 1
		fi
		seed=$((seed + 1))
		[ "$(date +%s)" -lt "$end" ] || return 0
	done
}

plan 1
mkdir -p $WORK
: >$WORK/ops
first=${SEED:-1}
if rounds; then
	ok "random operations, from seed $first on"
else
	not_ok "random operations, from seed $first on"
fi
summary
finish
