#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# in_guest.sh - try mutations of the module, one after the other, in one guest
#
# usage: in_guest.sh LIST    where a line of LIST is the number of a mutation, 0 if none is on, and TEST:SECONDS...
#
# Prints `# try N`, of each test its begin, what fails and its end, which mutations it came by, and `# tried N`. Ends with
# status 3 when the guest is of no more use: the module or a volume does not go away, which counts as a failure, or the
# test that failed fails without the mutation, too. Then `# tried N` is missing, and a new guest has to try it again.

set -eu

# left() - print what the tests have left behind, which would fail the next ones
left() {
	local n

	n=0
	while [ -d /sys/module/fragtrace ] || [ "$(cat /sys/module/f2fs/refcnt 2>/dev/null || echo 0)" != 0 ]; do
		n=$((n + 1))
		[ $n -le 50 ] || { [ -d /sys/module/fragtrace ] && echo "the module" || echo "a volume"; return 0; }
		sleep 0.1
	done
}

# failed(number, TEST:SECONDS) - run a test with a mutation; its output goes to /run/said. True if it fails
failed() {
	dmesg -c >/dev/null
	# its output may be long, so it goes to a file outside of /tmp, which a test empties
	FT_MUT=$1 TEST_LIMIT=${2#*:} sh /selftests/in_guest/run_tests.sh "${2%:*}" 2>&1 </dev/null |
		tee /run/said | awk '/^(not ok|# begin|# end|# kernel)/ { print; fflush() }'
	grep -qE '^not ok|^# end [^ ]* [1-9]' /run/said
}

while read -r number tests; do
	echo "# try $number"
	rm -f /run/reached
	killed=
	for test in $tests; do
		# one that fails is enough
		! failed "$number" "$test" || { killed=$test && break; }
	done
	[ ! -s /run/reached ] || echo "# reached $(tr ',' '\n' </run/reached | sort -u | tr '\n' ',')"
	left=$(left)
	[ -z "$left" ] || echo "not ok - $left goes away"
	# What a mutation or a killed test has left behind could fail the next ones.
	if [ -n "$killed" ] && [ -z "$left" ] && [ "$number" != 0 ] && failed 0 "$killed" >/dev/null; then
		sed -n 's/^not ok/# without the mutation: &/p' /run/said
		exit 3
	fi
	echo "# tried $number"
	[ -z "$left" ] || exit 3
done <"$1"
