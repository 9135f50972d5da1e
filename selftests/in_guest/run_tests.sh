#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run_tests.sh - run tests one after the other inside a guest, each from a clean start.
#
# usage: run_tests.sh TEST...
#
# Where the kernel looks for leaks, it is asked for them when all is over, as if by one more test.
# Around each test's own KTAP it prints `# begin NAME` and `# end NAME STATUS SECONDS`; a kernel that
# complained during a test makes its status 99, a test that did not end in time has 143.

set -eu

tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../trouble.sh
. "$tests/trouble.sh"

# Seconds for one test.
LIMIT=${TEST_LIMIT:-$((240 * ${SLOW:-1}))}
KMEMLEAK=/sys/kernel/debug/kmemleak
REFUSALS="cat"
[ ! -d /sys/kernel/debug/failslab ] || REFUSALS=ft_refusals

# end_group(group) - end what a test that was killed has left running: it would spoil the next one
end_group() {
	local n

	n=0
	while kill -TERM "-$1" 2>/dev/null && [ $n -lt 50 ]; do
		[ $n -lt 20 ] || kill -KILL "-$1" 2>/dev/null || :
		n=$((n + 1))
		sleep 0.1
	done
}

# run_one(test) - run it; print its end
run_one() {
	local name start rc

	name=${1##*/}
	echo "# begin $name"
	echo "fragtrace-test: $name" >/dev/kmsg
	start=$(date +%s)
	rc=0
	setsid timeout "$LIMIT" sh "$tests/$name" </dev/null &
	wait $! || rc=$?
	end_group $!
	if dmesg | ft_after "fragtrace-test: $name" | ft_races rest | $REFUSALS | grep -E "$FT_TROUBLE" | sed 's/^/# kernel: /' | grep .; then
		rc=99
	fi
	rm -rf /tmp/*
	echo "# end $name $rc $(($(date +%s) - start))"
	# What a test that was killed has left would spoil the next one.
	rmmod late 2>/dev/null || :
	rmmod fragtrace 2>/dev/null || :
	while umount /mnt/f2fs 2>/dev/null || umount /mnt/f2fs2 2>/dev/null; do
		:
	done
}

# leaks() - one more test: no memory that nothing points to any more
leaks() {
	local start rc

	echo "# begin leaks"
	echo "1..1"
	start=$(date +%s)
	rc=0
	# What looks like a leak may be on its way; the second scan, after it has come of age, tells.
	echo scan >"$KMEMLEAK"
	sleep 6
	echo scan >"$KMEMLEAK"
	if grep . "$KMEMLEAK" | head -n 60 | sed 's/^/# kernel: /' | grep .; then
		echo "not ok 1 - no memory has leaked"
		rc=1
	else
		echo "ok 1 - no memory has leaked"
	fi
	echo "# end leaks $rc $(($(date +%s) - start))"
}

modprobe f2fs
for test; do
	run_one "$test"
done
[ ! -f "$KMEMLEAK" ] || leaks
