#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run_tests.sh - run tests one after the other inside a guest, each from a clean start.
#
# usage: run_tests.sh TEST...
#
# If the kernel can search for leaks, it does so after all tests, as one more test.
# First it prints `# tests` and how many there are. Around each test's own KTAP it prints `# begin NAME` and
# `# end NAME STATUS SECONDS CPU PROCESSES`. The status is 99 if the kernel printed a warning during the test, and 143 if the
# test did not end in time; CPU is the seconds for which CPUs were busy meanwhile, PROCESSES how many were started.
#
# Where CPUs are emulated, a shell whose every command wakes another CPU costs a quarter more. So the shell of a test stays on
# one, and fileop, which writes for it, uses all. Tests of the groups hostile, load and random use all for everything.

set -eu

tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../trouble.sh
. "$tests/trouble.sh"

# Seconds for one test.
LIMIT=${TEST_LIMIT:-$((900 * ${SLOW:-1}))}
KMEMLEAK=/sys/kernel/debug/kmemleak
# Tests leave the kernel's log to us.
export LOG_IS_WATCHED=yes

# end_group(group) - end all processes that a killed test has left: they would disturb the next one
end_group() {
	local n

	n=0
	while kill -TERM "-$1" 2>/dev/null && [ $n -lt 50 ]; do
		[ $n -lt 20 ] || kill -KILL "-$1" 2>/dev/null || :
		n=$((n + 1))
		sleep 0.1
	done
}

# used() - print how long CPUs have been busy, in hundredths of a second, and how many processes there have been
used() {
	local key user nice system irq softirq busy

	while read -r key user nice system _ _ irq softirq _; do
		case $key in
		cpu) busy=$((user + nice + system + irq + softirq)) ;;
		processes) echo "$busy $user" ;;
		esac
	done </proc/stat
}

# cpus_of(test) - print the mask of the CPUs for the shell of a test
cpus_of() {
	if grep -qE '^# group:.* (hostile|load|random)\b' "$tests/$1"; then
		echo ffffffff
	else
		echo 1
	fi
}

# run_one(test) - run a test; print its end
run_one() {
	local name start rc before now

	name=${1##*/}
	echo "# begin $name"
	before=$(used)
	# what is read again and again is short then; the host has all of the log
	dmesg -c >/dev/null
	echo "fragtrace-test: $name" >/dev/kmsg
	start=$(date +%s)
	rc=0
	CPUS=$(cpus_of "$name")
	export CPUS
	setsid taskset "$CPUS" timeout "$LIMIT" sh "$tests/$name" </dev/null &
	wait $! || rc=$?
	end_group $!
	if ft_log_trouble "fragtrace-test: $name" | grep .; then
		rc=99
	fi
	rm -rf /tmp/*
	now=$(used)
	echo "# end $name $rc $(($(date +%s) - start)) $(((${now% *} - ${before% *}) / 100)) $((${now#* } - ${before#* }))"
	# The files and modules of a killed test would disturb the next one.
	rmmod late 2>/dev/null || :
	rmmod fragtrace 2>/dev/null || :
	while umount /mnt/f2fs 2>/dev/null || umount /mnt/f2fs2 2>/dev/null; do
		:
	done
}

# leaks() - one more test: no unreferenced memory
leaks() {
	local start rc

	echo "# begin leaks"
	echo "1..1"
	start=$(date +%s)
	rc=0
	# Memory may look like a leak for a moment; the second scan, after the minimum age, is final.
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

echo "# tests $#"
modprobe f2fs
for test; do
	run_one "$test"
done
[ ! -f "$KMEMLEAK" ] || leaks
