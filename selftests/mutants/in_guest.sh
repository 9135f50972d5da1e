#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# in_guest.sh - try mutations of the module, one after the other, in one guest
#
# usage: in_guest.sh SECONDS LIST    where a line of LIST is the number of a mutation and the tests to run, 0 first: none is on
#
# Prints `# try N`, the output of the tests, whether the place was reached, and `# tried N`. Ends with status 3 when the module
# does not go away: the guest is of no more use.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
seconds=$1

while read -r number tests; do
	echo "# try $number"
	dmesg -C
	for test in $tests; do
		FT_MUT=$number TEST_LIMIT=$seconds sh "$here/../in_guest/run_tests.sh" "$test" >/tmp.said 2>&1 </dev/null || :
		grep -E '^(not ok|# end|# planned)' /tmp.said || :
		# one that fails is enough
		! grep -qE '^not ok|^# end [^ ]* [1-9]|^# planned' /tmp.said || break
	done
	! dmesg | grep -q "ft_mut: $number is reached" || echo "# reached"
	echo "# tried $number"
	[ ! -d /sys/module/fragtrace ] || exit 3
done <"$2"
