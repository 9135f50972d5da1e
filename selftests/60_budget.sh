#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 60_budget.sh - the memory budget: new files are left out and counted, then the largest file gives way; others stay correct
#
# kernels: first
# group: memory
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# all_counted(number) - is each of so many files listed, or counted as left out?
all_counted() {
	[ "$(($(grep -vc '^#' $DBG/files) + $(stat_of left_out)))" = "$1" ]
}

# scatter() - from now on F2FS puts no two blocks of the volume next to each other
scatter() {
	echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_chunk"
	echo 1 >"/sys/fs/f2fs/${DISK##*/}/max_fragment_hole"
}

# any_refused() - has a file been left out?
any_refused() {
	[ "$(stat_of refused)" != 0 ]
}

# small_listed() - print how many of the small files are listed
small_listed() {
	grep -c " $MNT/small/" $DBG/files || :
}

# map_is_built() - has the scan of a large file come to its end?
map_is_built() {
	before=$(stat_of mem_bytes)
	sleep 1
	[ "$before" -gt 900000 ] && [ "$(stat_of mem_bytes)" = "$before" ]
}

# write_large(blocks) - write so many more blocks of the file `large`, anywhere
write_large() {
	fileop random $MNT/large 200000 "$1" $n >/dev/null
	sync
	n=$((n + 1))
}

# known() - print how many breaks of the file `large` have a known cause, and how many have not
known() {
	path=$MNT/large awk '!/^#/ && $NF == ENVIRON["path"] && $9 != "-" { n[$11 == "unknown"]++ }
		END { print n[0] + 0, n[1] + 0 }' $DBG/extents
}

# causes_lost() - has a file lost its causes?
causes_lost() {
	[ "$(stat_of causes_lost)" -gt 0 ]
}

plan 27
B=$PAGE_SIZE
# What is 1 MiB with blocks of 4 KiB.
M=$((256 * B))
if [ "$B" != 4096 ]; then
	# these files have as many blocks there, so they take a larger disk
	DISK=/dev/vdc
	[ -b $DISK ] || skip_rest "files of many blocks" "there is no third disk, of 8 GB"
fi
make_volume $DISK $MNT noinline_data || bail "no volume"
mkdir $MNT/old $MNT/new
fileop many $MNT/old/ 100 $((16 * B)) 0
sync
load path=$MNT max_mem_mb=1
check_exact "maps of the first files are exact" $MNT/old
# More than a megabyte of maps, for any size of a map.
fileop many $MNT/new/ 4000 1 0
sync
check "each file is listed or counted as left out ($(stat_of left_out))" loop_until "$PATIENCE" all_counted 4100
check "some are refused, the first files are not" test "$(stat_of refused)" -gt 0 -a "$(grep -c " $MNT/old/" $DBG/files)" = 100
check "the memory is within the budget ($(stat_of mem_bytes) bytes)" test "$(stat_of mem_bytes)" -le 1048576
before=$(stat_of mem_bytes)
fileop links $MNT/old/9 "$MNT/new/$(printf '%0200d' 0)" 500
after=$(stat_of mem_bytes)
check "500 more names of a file that is listed take no memory ($before bytes, then $after)" test "$after" -lt $((before + 500 * 40))
fileop random $MNT/old/7 16 20 "${SEED:-95}" every 2
fileop write $MNT/old/8 $((16 * B)) $((16 * B))
# files that were left out are tried again meanwhile, so there are scans
check_exact "maps of the first files stay exact" --partial $MNT/old
rm -r $MNT/new
settle
fileop write $MNT/late 0 $((16 * B))
check_exact "maps are exact after memory is free again" -p $MNT/old
unload
umount $MNT

# A large file among small ones. A worker takes its causes first, then its map, before the budget is used up: no event is
# lost, and nothing has to be scanned.
make_volume $DISK $MNT mode=fragment:block || bail "no volume"
scatter
mkdir $MNT/small
fileop many $MNT/small/ 100 $((16 * B)) 0
sync
load path=$MNT max_mem_mb=1
check_exact "maps of small files are exact" $MNT
n=0
# Between 15/16 of the budget and all of it, no file has given way yet.
if late function=give_way before_ms=3000; then
	# a part of that at once
	fileop append $MNT/large $((4 * M)) 50 fdatasync
	n=200
	while [ "$(stat_of mem_bytes)" -le $((15 << 16)) ] && [ $n -lt 400 ]; do
		fileop append $MNT/large $M 1 fdatasync
		n=$((n + 1))
	done
	fileop random $MNT/small/8 16 4 "${SEED:-97}" every 1
	full=$(stat_of mem_bytes) known=$(awk -v path=$MNT/small/8 '$NF == path && $9 == "overwrite" { n++ } END { print n + 0 }' $DBG/extents)
	late
	! loop_until "$SOON" causes_lost || lost_at=$n
	check "a small file gets causes as long as there is room ($known of its breaks, $full bytes)" test "$known" -gt 0 -a "$full" -gt $((15 << 16))
else
	skip "a small file gets causes as long as there is room" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
fi
while [ "$(stat_of refused)" = 0 ] && [ $n -lt 400 ]; do
	fileop append $MNT/large $M 1 fdatasync
	n=$((n + 1))
	[ "$(stat_of causes_lost)" = 0 ] || [ -n "${lost_at:-}" ] || lost_at=$n
done
echo "# the large file lost its causes at ${lost_at:-?} times $M bytes, and was left out at $n"
expect "the large file is left out, after its causes, without a lost event" \
	"$(stat_of refused) $(stat_of lost) $(grep -c " $MNT/large$" $DBG/files) $(grep -c " $MNT/small/" $DBG/files)" "1 0 0 100"
check "its causes have gone first" test "${lost_at:-$n}" -lt $n
# the log has ten lines in five seconds at most
lines=$(log_since | grep -c "inode $(stat -c %i $MNT/large) .* loses the causes of its breaks")
check "causes_lost counts what the log says ($(stat_of causes_lost), $lines)" \
	test "$lines" = "$(stat_of causes_lost)" -o \( "$lines" -ge 10 -a "$lines" -lt "$(stat_of causes_lost)" \)
fileop random $MNT/small/7 16 20 "${SEED:-96}" every 2
check_at_once "maps of the small files are exact without a scan" --partial $MNT/small
unload

# A scan of the large file has built its map when that file is written: what that takes counts for the large file. The map that
# events change has been empty until then, and is smaller than that of one of the small files.
fileop truncate $MNT/large $(((n - 32) * M))
fileop write $MNT/small/a 0 $((24 * M))
mkdir $MNT/big
mv $MNT/large $MNT/big
sync
load path=$MNT/small max_mem_mb=1
settle
if ! kprobes_use_ftrace; then
	skip "the scan of the large file does not end" "late.ko keeps the timers of its CPU from running"
	skip "causes of what is written meanwhile leave no file out" "likewise"
	skip "the file that is being scanned is left out, and no other one" "likewise"
elif late function=ft_rebuild_end before_ms=15000; then
	echo "add $MNT/big" >$DBG/targets
	check "the scan of the large file does not end" loop_until "$PATIENCE" map_is_built
	echo "# $(stat_of mem_bytes) bytes"
	fileop random $MNT/big/large 60000 300 "${SEED:-97}" >/dev/null
	sync
	# above 31/32 of the budget it would be left out soon
	expect "causes of what is written meanwhile leave no file out ($(stat_of mem_bytes) bytes)" \
		"$(stat_of refused) $(small_listed) $(($(stat_of mem_bytes) > 1015808))" "0 101 0"
	fileop random $MNT/big/large 60000 3000 "${SEED:-98}" >/dev/null
	sync
	late
	loop_until "$PATIENCE" any_refused || :
	expect "the file that is being scanned is left out, and no other one" "$(stat_of refused) $(small_listed)" "1 101"
else
	skip "the scan of the large file does not end" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	skip "causes of what is written meanwhile leave no file out" "likewise"
	skip "the file that is being scanned is left out, and no other one" "likewise"
fi
unload
umount $MNT

# Two maps of one file fit only if one of them has no causes. Then the file grows faster than a worker can take its causes.
make_volume $DISK $MNT || bail "no volume"
n=0
while [ $n -lt 20 ]; do
	fileop write $MNT/small $((2 * n * B)) "$B"
	n=$((n + 1))
done
fileop write $MNT/theirs 0 "$B"
chown 1000 $MNT/theirs
load path=$MNT max_mem_mb=1
n=0
while [ "$(stat_of mem_bytes)" -lt 655000 ] && [ $n -lt 100 ]; do
	write_large 700
done
known >/tmp/known
echo "# $(stat_of mem_bytes) bytes, known and unknown causes: $(cat /tmp/known)"
expect "the file has not lost any cause" "$(stat_of causes_lost)" 0
fileop say $DBG/resync 1
settle
known >>/tmp/known
echo "# $(stat_of mem_bytes) bytes, known and unknown causes: $(tail -n 1 /tmp/known)"
check "a scan takes some of its causes, not its map" awk '{ known = $1; more = $2 - unknown; unknown = $2 } END { exit !(known && more > 0) }' /tmp/known
lost=$(stat_of causes_lost)
if late function=give_way before_ms=15000; then
	while [ "$(stat_of causes_lost)" = "$lost" ] && [ $n -lt 100 ]; do
		write_large 700
	done
	write_large 700
	echo "# $(stat_of mem_bytes) bytes, $(($(stat_of causes_lost) - lost)) times causes were dropped"
	expect "a file that grows loses causes before its map" "$(stat_of lost) $(stat_of refused)" "0 0"
	# Another user, who is within his share, may use more. Then the first extent of a small file gets a cause of its own.
	while [ "$(stat_of mem_bytes)" -lt 1020000 ] && [ $n -lt 200 ]; do
		fileop random $MNT/theirs 200000 50 $n >/dev/null
		sync
		n=$((n + 1))
	done
	lost=$(stat_of causes_lost)
	check "the memory is nearly used up ($(stat_of mem_bytes) bytes)" test "$(stat_of mem_bytes)" -gt 1015808
	fileop write $MNT/small "$B" "$B" sync
	expect "causes that grow cost no file its map" "$(stat_of lost) $(stat_of refused) $(($(stat_of causes_lost) - lost))" "0 0 0"
	late
else
	skip "a file that grows loses causes before its map" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	skip "the memory is nearly used up" "likewise"
	skip "causes that grow cost no file its map" "likewise"
fi
check_exact "the map is exact after that" $MNT
unload
# With an array for each leaf the map would not fit.
load path=$MNT max_mem_mb=1
settle
expect "causes that a scan does not know take no memory ($(stat_of mem_bytes) bytes)" "$(stat_of causes_lost) $(stat_of refused)" "0 0"
unload
umount $MNT

# Files of 4096 extents use up the memory; then others grow by direct I/O, which only f2fs_map_blocks reports.
# Regression: such a file was left out, then marked as stale, and never scanned again.
make_volume $DISK $MNT noextent_cache,mode=fragment:block || bail "no volume"
scatter
n=0
while [ $n -lt 40 ]; do
	fileop write $MNT/grows$n 0 1
	fileop truncate $MNT/grows$n $((64 * M))
	n=$((n + 1))
done
load path=$MNT max_mem_mb=1
n=0
while [ $n -lt 28 ]; do
	fileop write $MNT/fills$n 0 $((16 * M))
	n=$((n + 1))
done
settle || :
refused=$(stat_of refused)
n=0
# The remaining memory depends on which files were left out before.
while [ $n -lt 320 ] || { [ $n -lt 1240 ] && [ "$(stat_of refused)" = "$refused" ]; }; do
	fileop write $MNT/grows$((n % 40)) $(((1 + n / 40) * M)) $((8 * B)) direct
	n=$((n + 1))
done
check "files that grow by direct I/O are left out ($(stat_of refused), before $refused)" \
	test "$(stat_of refused)" -gt "$refused"
check "all other maps become exact" settle
check "each file is listed or counted as left out" loop_until "$PATIENCE" all_counted 68
for file in "$MNT"/*; do
	in_files "$file" || rm "$file"
done
check_exact "maps of the other files are exact" $MNT
finish
