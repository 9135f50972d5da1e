#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# power_off.sh - the power fails while files are written and synced; after the next mount the map is correct
#
# usage: power_off.sh [KERNEL...]
#
# A guest writes to an image until QEMU is killed at a random moment: the guest's kernel does not notice. A second
# guest mounts the same image while the module waits for it, and compares. All data on the disk of the first guest
# survives in the host's page cache (cache=unsafe): the disk loses nothing, the memory everything.
# $SEED sets these moments, $ROUNDS the number of rounds with the same image (default 2 for each kernel).
# QEMU forgets the zones of a zoned disk when it ends: there the guest is reset at such moments, and boots again. That is done on the last
# kernel.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

[ $# -gt 0 ] || set -- 6.12 6.1
rounds=${ROUNDS:-2}
seed=${SEED:-$(date +%s)}
dir=$(mktemp -d "$(ft_cache)/test.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# qemu() - print the process ID of the QEMU that has our image
qemu() {
	local pid

	for pid in /proc/[0-9]*; do
		if { tr '\0' ' ' <"$pid/cmdline"; } 2>/dev/null | grep -q "^[^ ]*qemu-system.*file=$dir/image,"; then
			echo "${pid#/proc/}"
		fi
	done
}

# milliseconds(step) - print a moment between 0.3 and 3.3 s that only depends on the seed and the step
milliseconds() {
	echo $(((seed * 7919 + $1 * 104729) % 3000 + 300))
}

# write_and_fail(kernel, milliseconds) - let a guest write, and kill QEMU so long after the begin
write_and_fail() {
	local pid rc

	"$FT_TESTS/machine/guest.sh" -k "$1" -n -D "$dir/image" -t 600 -- /selftests/in_guest/power_off.sh write >"$dir/out" 2>&1 &
	pid=$!
	if ! loop_until 500 grep -q '^writing' "$dir/out"; then
		# the image is for the next guest
		kill "$pid" && wait "$pid"
		return 1
	fi
	sleep "$(($2 / 1000)).$(printf %03d $(($2 % 1000)))"
	kill -KILL "$(qemu)"
	rc=0
	wait "$pid" || rc=$?
	# QEMU was killed: not a guest that ended, whose kernel warned (125), or whose program failed
	[ "$rc" = 124 ] && return
	echo "# the guest ended with status $rc; its last lines:"
	tail -n 5 "$dir/out" | sed 's/^/# /'
	return 1
}

# moments() - print that many moments, from the next step on
moments() {
	local i

	i=0
	while [ $i -lt "$rounds" ]; do
		i=$((i + 1))
		milliseconds $((step + i))
	done
}

plan $(($# * rounds * 2 + 1))
make -s -C "$FT_TOP/viewer" fragtrace >&2
step=0
for kernel; do
	module=$("$FT_TESTS/machine/build.sh" tested "$kernel" 2>/dev/null)/fragtrace.ko
	truncate -s 0 "$dir/image"
	truncate -s 1G "$dir/image"
	mkfs.f2fs -q -f "$dir/image" >/dev/null
	i=0
	while [ $i -lt "$rounds" ]; do
		i=$((i + 1)) step=$((step + 1))
		name="$kernel, round $i, seed $seed"
		check "$name: the power fails after $(milliseconds $step) ms" write_and_fail "$kernel" "$(milliseconds $step)"
		rc=0
		"$FT_TESTS/machine/guest.sh" -k "$kernel" -m "$module" -D "$dir/image" -- /selftests/in_guest/power_off.sh check >"$dir/out" 2>&1 || rc=$?
		# Print the guest's own results as comments.
		sed 's/^[^#]/# &/' "$dir/out"
		expect "$name: files are recovered and maps are exact" $rc 0
	done
done
rc=0
# shellcheck disable=SC2046 # a list of moments
"$FT_TESTS/machine/guest.sh" -k "$kernel" -m "$module" -f "$FT_TOP/viewer/fragtrace" -f "$(command -v blkzone)" -f "$(command -v dump.f2fs)" \
	-d 1G -d 40M -d 1M -Z 64 -q "-action reboot=reset" -- /selftests/in_guest/power_off_zones.sh $(moments) >"$dir/out" 2>&1 || rc=$?
sed 's/^[^#]/# &/' "$dir/out"
expect "$kernel: zoned disk, seed $seed: zones and maps are right after $rounds resets" $rc 0
finish
