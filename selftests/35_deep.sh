#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 35_deep.sh - files whose path has the maximum length, or is longer, opened step by step
#
# Regression: removing a name there allocated megabytes of memory at once. LEVELS is the depth.
#
# kernels: first

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

LEVELS=${LEVELS:-200}

# longest(text) - print the length of the longest line of a text
longest() {
	awk '{ if (length > n) n = length } END { print n }' "$DBG/$1"
}

# deleted() - is a file without a name shown?
deleted() {
	grep -q '\\040(deleted)$' $DBG/files
}

plan 17
make_volume $DISK $MNT || bail "no volume"
mkdir $MNT/p $MNT/q
load path=$MNT
settle
# 16 folders of 254 bytes below /mnt/f2fs/p: 4091 bytes, and a slash.
for name in 333 4444 55555; do
	fileop deep $MNT/p 16 254 fileop write $name 0 64K
done
fileop deep $MNT/q "$LEVELS" 250 fileop write end 0 64K
check_exact "paths of 4095, 4096 and 4097 bytes, and $LEVELS levels below" $MNT
check "the longest is there in full ($(longest files) bytes)" test "$(longest files)" -gt $((LEVELS * 251))
unload
load path=$MNT
check_exact "and when they were there before" $MNT

fileop deep $MNT/q "$LEVELS" 250 fileop hold held 64K /tmp/ready /tmp/go &
loop_until $PATIENCE test -e /tmp/ready || bail "nobody holds a file"
fileop deep $MNT/p 4 254 fileop hold held 64K /tmp/ready2 /tmp/go &
loop_until $PATIENCE test -e /tmp/ready2 || bail "nobody holds a file"
settle
check "a deleted file that is open keeps its path" grep -q '/held\\040(deleted)$' $DBG/files
check "one whose path is no path is there without it" grep -q ' ?\\040(deleted)$' $DBG/files
touch /tmp/go
loop_until $PATIENCE test -e /tmp/ready.2 || :
loop_until $PATIENCE test -e /tmp/ready2.2 || :
rm /tmp/go
wait
refuse "closed, they are gone" deleted

mv $MNT/q $MNT/p/q
check_exact "moved, with all that is below" $MNT
expect "a folder too deep for a path is no target" \
	"$(fileop deep $MNT/p/q "$LEVELS" 250 fileop say $DBG/targets "add /proc/self/cwd")" ENAMETOOLONG
expect "one with the longest path is" "$(fileop deep $MNT/p 15 254 fileop say $DBG/targets "add /proc/self/cwd")" OK
check_exact "and is exact" $MNT
expect "a path of 4096 bytes is too long" \
	"$(fileop say $DBG/targets "add /$(printf '%04095d' 0)")" ENAMETOOLONG
expect "one that is as long only with its escapes is looked up" \
	"$(fileop say $DBG/targets "add $(awk 'BEGIN { for (i = 0; i < 2000; i++) printf "\\057\\056" }')")" EOPNOTSUPP

# Other spellings of its path name the same folder.
for path in $MNT/ $MNT/. $MNT//p/.. $MNT/p/../; do
	expect "$path is $MNT" "$(fileop say $DBG/targets "add $path")" EEXIST
done
check "unmount" umount $MNT
finish
