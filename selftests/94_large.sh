#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 94_large.sh - a file with very many names, and very many files, within the memory budget and beyond it
#
# LINKS names, and DIRS folders of 1000 files each. `make test-large` has 100 000 names and 1000 folders.
#
# kernels: first
# group: memory

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

LINKS=${LINKS:-12000} DIRS=${DIRS:-10} ROOMY=${ROOMY:-100} TIGHT=${TIGHT:-2}
FILES=$((DIRS * 1000))
PATIENCE=${PATIENCE_LARGE:-$((100 * SLOW))}

# lap(what) - print the time since the last lap
lap() {
	now=$(date +%s)
	echo "# $((now - LAP)) s: $1"
	LAP=$now
}

# within_budget() - is the charged memory within the limit?
within_budget() {
	[ "$(stat_of mem_bytes)" -le "$(stat_of mem_budget)" ]
}

# gone() - is nothing followed any more?
gone() {
	[ "$(stat_of inodes)" = 0 ] && [ "$(stat_of directories)" = 0 ]
}

# all_counted() - is each file listed, or counted as left out?
all_counted() {
	[ "$(($(grep -vc '^#' $DBG/files) + $(stat_of left_out)))" = "$FILES" ]
}

plan 21

# === Names ===

make_volume $DISK $MNT2 || bail "no volume"
mkdir $MNT2/in $MNT2/out
load path=$MNT2/in
LAP=$(date +%s)
fileop write $MNT2/in/file 0 64K
fileop links $MNT2/in/file $MNT2/in/l "$LINKS"
lap "$LINKS names"
check_exact "maps are exact for a file with $LINKS names" $MNT2/in
lap "compared"
expect "the file is listed once" "$(grep -vc '^#' $DBG/files)" 1
mem=$(stat_of mem_bytes)
echo "# $((mem / LINKS)) bytes for each name"
mv $MNT2/in/file $MNT2/out/file
fileop write $MNT2/out/file 64K 64K
mv $MNT2/in $MNT2/out/in
lap "one name moved away, the others with their folder"
check_exact "maps are exact after its names are moved" $MNT2/out/in
lap "compared"
unload
lap "unloaded"
load path=$MNT2 max_mem_mb=1
settle
lap "read again"
echo "# refused $(stat_of refused), $(stat_of mem_bytes) bytes"
check "the names are within the budget" within_budget
if [ "$mem" -gt 900000 ]; then
	check "names beyond the budget are counted" test "$(stat_of refused)" -gt 0
else
	expect "no name is refused" "$(stat_of refused)" 0
fi
check_exact "maps are exact within the budget" $MNT2
lap "compared"
rm -rf $MNT2/out/in
lap "removed"
check_exact "maps are exact after all names except one are removed" $MNT2
unload
umount $MNT2

# === Files within the budget ===

make_volume $DISK $MNT || bail "no volume"
i=0
while [ $i -lt "$DIRS" ]; do
	mkdir $MNT/$i
	fileop many $MNT/$i/ 1000 0 5000 2
	i=$((i + 1))
done
umount $MNT
mount_volume $DISK $MNT
lap "$FILES files made"
load path=$MNT max_mem_mb="$ROOMY"
check "all files are scanned" settle
lap "$FILES files read"
expect "all files are known" "$(stat_of inodes) files, $(stat_of refused) refused" "$FILES files, 0 refused"
echo "# $(($(stat_of mem_bytes) / FILES)) bytes for each file"
expect "all files are listed" "$(grep -vc '^#' $DBG/files)" "$FILES"
lap "listed"
fileop random $MNT/2/3 16 20 "${SEED:-94}" every 2
check_exact "maps are exact" --partial $MNT/0 $MNT/2
lap "two folders compared"
expect "a resync returns" "$(fileop say $DBG/resync 1)" OK
lap "a resync returns"
mv $MNT/1 $MNT/0/moved
check_exact "maps are exact after a directory is moved" --partial $MNT/0
expect "the target is removed" "$(fileop say $DBG/targets "del $MNT")" OK
check "all files are removed from memory" loop_until $PATIENCE gone
lap "no longer watched"
unload
lap "unloaded"
# All folders are names of the first one again: a folder without memory would hide the number of its files.
mv $MNT/0/moved $MNT/1

# === Files beyond the budget ===

load path=$MNT max_mem_mb="$TIGHT"
check "all files within the budget are scanned" settle
lap "read as far as $TIGHT MiB go"
echo "# followed $(stat_of inodes), left out $(stat_of left_out), $(stat_of mem_bytes) bytes"
check "each file is listed or counted as left out" loop_until $PATIENCE all_counted
check "the memory is within the budget" within_budget
fileop many $MNT/late 100 5000 0
check "files are created on the volume" test "$(stat -c %s $MNT/late99)" = 5000
check "the first umount succeeds" umount $MNT
lap "unmounted"
check "the module unloads" unload
lap "unloaded"
finish
