#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# in_guest.sh - run tests one after the other inside a guest, each from a clean start.
#
# usage: in_guest.sh TEST...
#
# Around each test's own KTAP it prints `# begin NAME` and `# end NAME STATUS SECONDS`; a kernel that
# complained during a test makes its status 99, a test that did not end in time has 143.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=trouble.sh
. "$here/trouble.sh"

# Seconds for one test.
LIMIT=${TEST_LIMIT:-240}

# run_one(test) - run it; print its end
run_one() {
	local name start rc

	name=${1##*/}
	echo "# begin $name"
	echo "fragtrace-test: $name" >/dev/kmsg
	start=$(date +%s)
	rc=0
	timeout "$LIMIT" sh "$here/$name" || rc=$?
	if dmesg | sed "1,/fragtrace-test: $name/d" | ft_races rest | grep -E "$FT_TROUBLE" | sed 's/^/# kernel: /' | grep .; then
		rc=99
	fi
	rm -rf /tmp/*
	echo "# end $name $rc $(($(date +%s) - start))"
	# What a test that was killed has left would spoil the next one.
	rmmod fragtrace 2>/dev/null || :
	while umount /mnt/f2fs 2>/dev/null || umount /mnt/f2fs2 2>/dev/null; do
		:
	done
}

modprobe f2fs
for test; do
	run_one "$test"
done
