#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fuzz.sh - run the fuzzer for any time, on any kernel, with any seed, or repeat a plan.
#
# usage: fuzz.sh    with $MINUTES (of all kernels together, default 3), $SEED (default: the time),
#                   $KERNEL (as for run.sh), $PLAN (a file with a plan: this one repeatedly),
#                   $MODE=hostile (88_enemy.sh instead, repeatedly; $ATTACKS: these only),
#                   $MODE=zoned (on zoned disks)
#
# A plan that fails is reduced for a third of the time and left in the current folder.

set -eu -o pipefail

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

# number(name, value, least, most) - end the program unless the value is a number in the range
number() {
	[[ $2 =~ ^[0-9]{1,15}$ ]] && [ "$((10#$2))" -ge "$3" ] && [ "$((10#$2))" -le "$4" ] ||
		ft_die "$1='$2': expected a number from $3 to $4"
}

# keep_plan(log) - store the plan that failed in the current folder
keep_plan() {
	local plan

	plan=fuzz-$SEED.plan
	sed -n 's/^# plan: //p' "$1" >"$plan"
	if [ -s "$plan" ]; then
		ft_say "the plan that fails is in $plan; again: make fuzz PLAN=$plan"
	else
		rm "$plan"
	fi
}

# fuzz_main() - the command described at the top
fuzz_main() {
	local minutes seconds kernels test rc log

	minutes=${MINUTES:-3}
	SEED=${SEED:-$(date +%s)}
	number MINUTES "$minutes" 1 100000
	number SEED "$SEED" 0 999999999999999
	export SEED
	kernels=${KERNEL:-all}
	[ "$kernels" != all ] || kernels=$FT_TESTED
	seconds=$((minutes * 60 / $(wc -w <<<"$kernels")))
	# The last round, on a slow kernel, and the reduction take additional time.
	export FUZZ_SECONDS=$seconds FUZZ_SHRINK=$((seconds / 3 + 60)) TEST_LIMIT=$((seconds * 2 + 2000))
	export GUEST_LIMIT=$((TEST_LIMIT + 200)) FUZZ_PLAN=
	if [ -n "${PLAN:-}" ]; then
		[ -f "$PLAN" ] || ft_die "PLAN='$PLAN': no such file"
		FUZZ_PLAN=$(realpath -e "$PLAN")
	fi
	case ${MODE:-} in
	'') test=70_fuzz.sh ;;
	zoned) test=70_fuzz_zones.sh ;;
	hostile)
		exec "$FT_TESTS/run.sh" 88_enemy.sh
		;;
	*) ft_die "MODE='$MODE': expected hostile, zoned, or nothing" ;;
	esac
	log=$(mktemp)
	rc=0
	"$FT_TESTS/run.sh" "$test" | tee "$log" || rc=$?
	[ $rc = 0 ] || keep_plan "$log"
	rm "$log"
	return $rc
}

fuzz_main
