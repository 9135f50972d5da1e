#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 35_deep.sh - files whose path has the maximum length, or is longer, opened step by step
#
# Regression: removing a name there allocated megabytes of memory at once. LEVELS is the depth.
#
# kernels: first
# group: names
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

LEVELS=${LEVELS:-200}

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
check_exact "maps are exact for paths of 4095, 4096 and 4097 bytes, and at $LEVELS levels" $MNT
expect "the files whose paths are too long are listed without a path" "$(grep -c ' ?$' $DBG/files)" 3
unload
load path=$MNT
check_exact "maps are exact when the files existed before the load" $MNT

fileop deep $MNT/q "$LEVELS" 250 fileop hold held 64K /tmp/ready /tmp/go &
loop_until $PATIENCE test -e /tmp/ready || bail "no process holds a file"
fileop deep $MNT/p 4 254 fileop hold held 64K /tmp/ready2 /tmp/go &
loop_until $PATIENCE test -e /tmp/ready2 || bail "no process holds a file"
settle
check "a deleted file that is open keeps its path" grep -q '/held\\040(deleted)$' $DBG/files
check "a deleted file whose path is too long is listed without a path" grep -q ' ?\\040(deleted)$' $DBG/files
touch /tmp/go
loop_until $PATIENCE test -e /tmp/ready.2 || :
loop_until $PATIENCE test -e /tmp/ready2.2 || :
rm /tmp/go
wait
refuse "deleted files are not listed after the close" deleted

mv $MNT/q $MNT/p/q
check_exact "maps are exact after the whole tree is moved" $MNT
expect "a directory whose path is too long is refused as a target" \
	"$(fileop deep $MNT/p/q "$LEVELS" 250 fileop say $DBG/targets "add /proc/self/cwd")" ENAMETOOLONG
expect "a directory with the longest path is accepted as a target" "$(fileop deep $MNT/p 15 254 fileop say $DBG/targets "add /proc/self/cwd")" OK
check_exact "maps of this target are exact" $MNT
expect "a path of 4096 bytes is refused" \
	"$(fileop say $DBG/targets "add /$(printf '%04095d' 0)")" ENAMETOOLONG
expect "a path that is short enough after unescaping is looked up" \
	"$(fileop say $DBG/targets "add $(awk 'BEGIN { for (i = 0; i < 2000; i++) printf "\\057\\056" }')")" EOPNOTSUPP

# Other spellings of its path name the same folder.
for path in $MNT/ $MNT/. $MNT//p/.. $MNT/p/../; do
	expect "$path names the same directory as $MNT" "$(fileop say $DBG/targets "add $path")" EEXIST
done
check "the volume is unmounted" umount $MNT
finish
