#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# no_debugfs.sh - a kernel without debugfs, or one that does not allow it: the module's files are in procfs
#
# usage: no_debugfs.sh [KERNEL...]
#
# in_guest/no_debugfs.sh has what is special there; the other tests are those of the files.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

[ $# -gt 0 ] || set -- 6.12
out=$(mktemp "$(ft_cache)/test.XXXXXX")
trap 'rm -f "$out"' EXIT

# try(name, kernel, command...) - the command must succeed in a guest without debugfs
try() {
	local name kernel rc

	name=$1 kernel=$2 rc=0
	shift 2
	"$FT_TESTS/machine/guest.sh" -k "$kernel" -a debugfs=off -d 2G -d 1G -t 900 -- "$@" >"$out" 2>&1 || rc=$?
	# print the guest's own results as comments
	sed 's/^/# /' "$out"
	! grep -q '^not ok\|^# end [^ ]* [1-9]' "$out" || rc=1
	expect "$name" $rc 0
}

plan $(($# * 2))
for version; do
	try "$version: the files are in procfs" "$version" /selftests/in_guest/no_debugfs.sh
	try "$version: tests of the files" "$version" /selftests/in_guest/run_tests.sh 10_load.sh 20_write.sh 63_no_root.sh 67_binary.sh 92_poke.sh
done
finish
