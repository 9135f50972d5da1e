#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 62_bad_write.sh - invalid writes to targets, resync and audit change nothing: noise, empty ones, a megabyte, binary data
#
# kernels: first
# group: targets
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# state() - print the state that must not change
state() {
	cat $DBG/targets $DBG/table $DBG/files
}

# bad(text, name, errno, command...) - such a write must fail with this error and change nothing
bad() {
	local text name want

	text=$1 name=$2 want=$3
	shift 3
	expect "$text: $name: $want" "$("$@")" "$want"
	state >/tmp/state2
	cmp -s /tmp/state1 /tmp/state2 || {
		not_ok "$text: $name: targets and table are unchanged"
		return 0
	}
	ok "$text: $name: targets and table are unchanged"
}

plan 59
make_volume $DISK $MNT || bail "no volume"
make_plain $DISK2 $MNT2 || bail "no ext4"
fileop write $MNT/a 0 1M
echo x >$MNT/file
load path=$MNT
settle
state >/tmp/state1
for text in targets resync audit; do
	bad $text garbage EINVAL fileop put $DBG/$text 30 text
	bad $text binary EINVAL fileop put $DBG/$text 200 binary
	bad $text zeroes EINVAL fileop put $DBG/$text 200 zero
	bad $text "a megabyte" E2BIG fileop put $DBG/$text 1M text
	bad $text "a megabyte of binary" E2BIG fileop put $DBG/$text 1M binary
	bad $text nothing EINVAL fileop put $DBG/$text 0 text
done
bad targets "a word without a path" EINVAL fileop say $DBG/targets add
bad targets "an empty path" EINVAL fileop say $DBG/targets "add "
bad targets "a missing path" ENOTDIR fileop say $DBG/targets "add /mnt/missing"
bad targets "a relative path" EINVAL fileop say $DBG/targets "add ${MNT2#/}"
bad targets "a file" ENOTDIR fileop say $DBG/targets "add $MNT/file"
bad targets "ext4" EOPNOTSUPP fileop say $DBG/targets "add $MNT2"
bad targets "the same again" EEXIST fileop say $DBG/targets "add $MNT"
bad targets "one that is not watched" EINVAL fileop say $DBG/targets "del $MNT2"
bad resync "another number" EINVAL fileop say $DBG/resync 2
bad audit "another number" EINVAL fileop say $DBG/audit 2
bad audit "one that is not watched" EINVAL fileop say $DBG/audit $MNT2
check_exact "maps are exact after all refused writes" $MNT
finish
