#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 39_move_tree.sh - a large tree moves out of a watched directory, and back: the rename does not wait
#
# The module removes the names below the tree later, in small steps. late.ko delays these steps, so that other
# operations happen between them. The tree has FILES files (default 600), half of them a level deeper.
#
# kernels: first
# group: names
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

FILES=${FILES:-600}
HALF=$((FILES / 2))

# shown(pattern) - print the number of matching paths in `files`
shown() {
	grep -v '^#' $DBG/files | grep -c -- "$1" || :
}

# known() - print the number of files with a record
known() {
	stat_of inodes
}

# any_known() - has a file a record?
any_known() {
	[ "$(known)" != 0 ]
}

# slow_down() - delay the removal of each record by 5 ms; false if that is not possible
slow_down() {
	late function=ft_inode_remove_now before_ms=$((5 * SLOW))
}

# memory_is(bytes) - is this what is charged to the budget?
memory_is() {
	[ "$(stat_of mem_bytes)" = "$1" ]
}

# back_to(name, files, bytes) - soon the number of known files and the charged memory are the same as before
back_to() {
	settle || :
	expect "$1: files known" "$(known)" "$2"
	loop_until $PATIENCE memory_is "$3" || :
	expect "$1: bytes charged" "$(stat_of mem_bytes)" "$3"
}

plan 32
make_volume $DISK $MNT || bail "no volume"
mkdir -p $MNT/watched/keep $MNT/outside/tree/deep/inner $MNT/outside/tree/one $MNT/outside/tree/two $MNT/outside/empty $MNT/second
fileop many $MNT/outside/tree/deep/inner/ $HALF 4096 0
fileop many $MNT/outside/tree/ $HALF 4096 0
fileop write $MNT/outside/tree/one/more 0 64K
fileop write $MNT/outside/tree/two/more 0 64K
fileop write $MNT/watched/keep/file 0 64K
fileop write $MNT/second/file 0 64K
sync
# Processes that wrote are kept and charged as long as a volume is watched. They are not part of this test.
load path=$MNT/watched,$MNT/second causes=0
check_exact "maps are exact before the tree is moved in" $MNT/watched $MNT/second
none=$(known) bytes=$(stat_of mem_bytes)

# In and out again, without a pause.
best=
best_empty=
for round in 1 2; do
	mv $MNT/outside/tree $MNT/watched/tree
	settle
	expect "round $round: all files of the tree are known after it is moved in" "$(known)" $((none + FILES + 2))
	took=$(fileop rename $MNT/watched/tree $MNT/outside/tree time)
	[ -n "$best" ] && [ "$best" -lt "$took" ] || best=$took
	expect "round $round: no file of the tree is shown after it is moved out" "$(shown /tree/)" 0
	fileop write $MNT/watched/keep/new$round 0 64K
	rm $MNT/watched/keep/new$round
	back_to "round $round" "$none" "$bytes"
	mv $MNT/outside/empty $MNT/watched/empty
	settle
	took=$(fileop rename $MNT/watched/empty $MNT/outside/empty time)
	[ -n "$best_empty" ] && [ "$best_empty" -lt "$took" ] || best_empty=$took
	settle
done
echo "# moving $FILES files out took $best us, an empty directory $best_empty us"
check_exact "maps are exact after the tree was moved twice" $MNT/watched $MNT/second

# The same with names changing in the tree before its records are removed.
slow_down || skip_rest "changes while the records of a tree are removed" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
late
mv $MNT/outside/tree $MNT/watched/tree
ln $MNT/watched/tree/1 $MNT/watched/keep/second_name
ln $MNT/watched/tree/deep/inner/1 $MNT/watched/keep/inner_name
settle
slow_down
mv $MNT/watched/tree $MNT/outside/tree
now=$(known)
check "rename returns before all records are removed: $now of $((none + FILES + 2)) files are left" test "$now" -gt $((FILES / 10))
expect "no file of the tree is shown" "$(shown /tree/)" 0
expect "files that have another name are shown" "$(shown _name$)" 2
fileop write $MNT/watched/keep/elsewhere 0 64K
fileop write $MNT/outside/tree/new 0 64K
fileop write $MNT/outside/tree/deep/inner/new 0 64K
fileop write $MNT/outside/tree/deep/inner/2 0 64K
rm $MNT/outside/tree/5 $MNT/outside/tree/deep/inner/5
fileop hold $MNT/outside/tree/deep/inner/held 64K /tmp/ready /tmp/go &
loop_until $PATIENCE test -e /tmp/ready || bail "no process holds a file"
expect "a file that is deleted in the tree is not shown" "$(shown deleted)" 0
mkdir $MNT/outside/tree/deep/inner/directory
mv $MNT/outside/tree/deep/inner/3 $MNT/outside/tree/4 $MNT/watched/keep/
mv $MNT/outside/tree/one $MNT/watched/
echo "# $(known) files are left after all that"
touch /tmp/go
loop_until $PATIENCE test -e /tmp/ready.2 || :
rm /tmp/go
wait
late
check_exact "maps of files that left the tree before are exact" $MNT/watched $MNT/second
expect "no other file of the tree is known" "$(known)" $((none + 6))

# Back before all of it is removed, and out again.
mv $MNT/outside/tree $MNT/watched/tree
settle
all=$(known)
slow_down
mv $MNT/watched/tree $MNT/outside/tree
mv $MNT/outside/tree $MNT/watched/tree
mv $MNT/watched/tree/deep $MNT/outside/deep
sleep "$SLOW"
mv $MNT/outside/deep $MNT/watched/tree/deep
echo "# $(known) files are left after all that"
late
check_exact "maps are exact after the tree is moved back immediately" $MNT/watched $MNT/second
expect "all files of the tree are known" "$(known)" "$all"

# The same for a target, and a target inside it.
expect "a target inside the tree is added" "$(fileop say $DBG/targets "add $MNT/watched/tree/two")" OK
settle
slow_down
expect "the outer target is removed" "$(fileop say $DBG/targets "del $MNT/watched")" OK
now=$(known)
check "the removal does not wait: $now of $all files are left" test "$now" -gt $((FILES / 10))
expect "the outer target is added again" "$(fileop say $DBG/targets "add $MNT/watched")" OK
late
check_exact "maps are exact after the target is added again" $MNT/watched $MNT/second
mv $MNT/watched/tree $MNT/outside/tree
check_exact "maps of the inner target are exact after the tree is moved out" $MNT/outside/tree/two $MNT/watched $MNT/second
expect "the inner target has its new path" "$(awk '!/^#/ && $3 == "live" { print $5 }' $DBG/targets | grep -c outside/tree/two)" 1

# The last target of the volume: its removal does not wait until all records are removed.
mv $MNT/outside/tree $MNT/watched/tree
settle
used=$(stat_of mem_bytes)
fileop say $DBG/targets "del $MNT/watched/tree/two" >/dev/null
fileop say $DBG/targets "del $MNT/second" >/dev/null
slow_down
expect "the last target of the volume is removed" "$(fileop say $DBG/targets "del $MNT/watched")" OK
now=$(stat_of mem_bytes)
check "the removal does not wait: $now of $used bytes are still charged" test "$now" -gt $((used / 2))
expect "the last target is added again" "$(fileop say $DBG/targets "add $MNT/watched")" OK
late
check_exact "maps are exact after the last target is added again" $MNT/watched

# A file loses its last name while a worker reads its inode: rename() waits until that has ended, so that its number is not given
# to another file meanwhile.
if ! kprobes_use_ftrace; then
	skip "a name that is lost while its inode is read" "late.ko keeps a CPU meanwhile, which may be that of rename()"
	skip "maps are exact after that" "likewise"
elif late function=f2fs_fh_to_dentry before_ms=4000; then
	rm -r $MNT/watched/*
	fileop write $MNT/watched/x 0 8K sync
	fileop write $MNT/outside/y 0 4K sync
	settle
	umount $MNT
	mount_volume $DISK $MNT || bail "no volume any more"
	loop_until $PATIENCE any_known
	sleep 0.3
	begun=$(uptime_ms)
	mv $MNT/outside/y $MNT/watched/x
	took=$(($(uptime_ms) - begun))
	late
	check "a name that is lost while its inode is read: rename() waits for that ($took ms)" test "$took" -ge 500
	check_exact "maps are exact after that" $MNT/watched
else
	skip "a name that is lost while its inode is read" "late.ko is not here"
	skip "maps are exact after that" "likewise"
fi

# The same for an unmount and an unload.
slow_down
umount $MNT
unload
late
refuse "the module is not loaded after unmount and unload during the removal" loaded
finish
