#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 19_counts.sh - each number of `stats` is one that the test knows, because it has made it; the list at its end names the test of all else that is shown
#
# kernels: first
# group: texts
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# stats(names...) - print `name value` of some lines of `stats`, in one line
stats() {
	local name text

	text=
	for name; do
		text="$text${text:+ }$name $(stat_of "$name")"
	done
	echo "$text"
}

# since(names...) - print the same as differences to the last call of remember()
since() {
	local name text

	text=
	for name; do
		text="$text${text:+ }$name $(($(stat_of "$name") - $(awk -v name="$name" '$1 == name { print $2 }' /tmp/stats)))"
	done
	echo "$text"
}

# remember() - from here on since() counts
remember() {
	cat $DBG/stats >/tmp/stats
}

# sums() - print the sums of breaks and of healed ones
sums() {
	awk '/^#/ { next }
		FILENAME ~ /files$/ { breaks += $6 ? $6 - 1 : 0; next }
		{ healed += $5 }
		END { print "breaks", breaks + 0, "healed", healed + 0 }' $DBG/files $DBG/healed
}

# stale_are(number) - are so many files stale?
stale_are() {
	[ "$(stat_of stale)" = "$1" ]
}

# shown() - print `FILE NAME` of all that the files in debugfs show: the fields in the heads, the lines of `stats` and `fsync`
shown() {
	local file

	for file in table extents files healed by_pair by_cgroup targets audit heat; do
		sed -n "s/^# \(dev .*\)/\1/p" $DBG/$file | tr ' ' '\n' | sed "s/^/$file /"
	done
	sed -n 's/^# audited [^ ]* //p' $DBG/audit | tr ' ' '\n' | sed 's/^\([a-z]*\)=.*/audit \1/'
	awk '/^# (volume|victim|moved|file) / { for (i = 3; i <= NF; i++) print "gc", $2 ":" $i }' $DBG/gc
	awk '!/^#/ { sub(/:.*/, "", $2); print "fsync", $2 }' $DBG/fsync
	sed -n 's/^# dev \(time\|fit\|rest\|file\) /\1 /p' $DBG/latency | tr -d . | awk '{ for (i = 2; i <= NF; i++) print "latency", $1 ":" $i }'
	sed -n 's/^# dev \(device\|kind\|process\|file\) /\1 /p' $DBG/ledger | awk '{ for (i = 2; i <= NF; i++) print "ledger", $1 ":" $i }'
	sed -n 's/^# dev \(lost\|sum\|choice\|process\|wait\|run\) /\1 /p' $DBG/gc_runs | awk '{ for (i = 2; i <= NF; i++) print "gc_runs", $1 ":" $i }'
	sed -n 's/^# dev \(pending\|discard\|reset\|by\) /\1 /p' $DBG/discards | awk '{ for (i = 2; i <= NF; i++) print "discards", $1 ":" $i }'
	awk '!/^#/ { print "stats", $1 }' $DBG/stats
}

plan 24
B=$PAGE_SIZE
make_volume $DISK $MNT noinline_data || bail "no volume"
mkdir $MNT/dir
for n in 1 2 3 4 5; do
	fileop write $MNT/dir/old$n 0 4K
done
sync
load max_mem_mb=16
expect "nothing is watched" "$(stats attached calls_attached volumes targets_waiting inodes directories extents mem_budget copies_budget \
	heat_bytes copies_bytes writers stale queued rescans)" "attached 1 calls_attached 0 volumes 0 targets_waiting 0 inodes 0 directories 0 extents 0 \
mem_budget 16777216 copies_budget 67108864 heat_bytes 0 copies_bytes 0 writers 0 stale 0 queued 0 rescans 0"
fileop say $DBG/targets "add $MNT" >/dev/null
settle
expect "a volume with five files" "$(stats attached calls_attached volumes inodes directories extents stale queued rescans)" \
	"attached 1 calls_attached 1 volumes 1 inodes 5 directories 2 extents 5 stale 0 queued 0 rescans 5"
expect "the target has five files" "$(awk -v path=$MNT '$5 == path { print $3, $4 }' $DBG/targets)" "live 5"

remember
fileop write $MNT/a 0 $((16 * B)) sync
expect "16 new blocks" "$(since inodes extents events_write events_map events_truncate calls writers rescans)" \
	"inodes 1 extents 1 events_write 16 events_map 0 events_truncate 0 calls 0 writers 1 rescans 0"
remember
fileop write $MNT/a $((4 * B)) "$B" sync
expect "one block is written elsewhere" "$(since extents events_write writers rescans) $(sums)" \
	"extents 2 events_write 1 writers 1 rescans 0 breaks 2 healed 0"
remember
fileop write $MNT/a 0 $((16 * B)) sync
expect "all are written elsewhere" "$(since extents events_write) $(sums)" "extents -2 events_write 16 breaks 0 healed 2"
remember
fileop write $MNT/direct 0 32K direct
fileop write $MNT/direct 32K 32K direct
# F2FS asks for the blocks before it writes, and once more to submit them.
expect "two direct writes of new blocks" "$(since inodes extents events_write events_map rescans)" "inodes 1 extents 1 events_write 0 events_map 4 rescans 0"
remember
for size in 50K 40K 30K; do
	fileop truncate $MNT/direct $size
done
expect "three truncations" "$(since events_truncate rescans)" "events_truncate 3 rescans 0"
sync
remember
fileop fallocate $MNT/a punch $((4 * B)) "$B"
fileop fallocate $MNT/a zero $((8 * B)) "$B"
settle
expect "a hole and zeroes" "$(since events_fallocate calls mismatches lost)" "events_fallocate 2 calls 2 mismatches 0 lost 0"
remember
fileop atomic $MNT/dir/old1 begin write 0 $((3 * B)) commit
settle
expect "three blocks are committed" "$(since events_atomic mismatches)" "events_atomic 3 mismatches 0"
# F2FS keeps the nameless inode that it has written to until that of the file is evicted.
rm $MNT/dir/old1

remember
n=0
while [ $n -lt 3 ]; do
	fileop write $MNT/dir/many$n 0 4K
	n=$((n + 1))
done
settle
expect "three processes write a file each" "$(since writers) $(grep -c "$MNT/dir/many" $DBG/files)" "writers 3 3"
remember
fileop many $MNT/dir/x 1000 1 0
took=$(since mem_bytes)
expect "1000 files" "$(since inodes directories)" "inodes 1000 directories 0"
# some 270 bytes, as README.md says, and the name
bytes=$((${took#* } / 1000))
check "take some 270 bytes each and a name of a few ($bytes)" test $bytes -ge 250 -a $bytes -le 450
rm $MNT/dir/x*
settle
expect "they are gone" "$(since inodes)" "inodes 0"

remember
files=9
fileop say $DBG/audit 1 >/dev/null
expect "an audit" "$(since audits audit_differences) $(sed -n 's/^# audited .* files=\([0-9]*\) .*/\1/p' $DBG/audit)" "audits $files audit_differences 0 $files"
remember
fileop say $DBG/resync 1 >/dev/null
expect "a resync scans each file again" "$(since rescans)" "rescans $files"

# Nothing can be scanned while the volume is frozen.
fsfreeze --freeze $MNT
fileop say $DBG/resync 1 >/dev/null &
job=$!
loop_until "$SOON" stale_are $files || :
expect "a resync of a frozen volume: all are stale" "$(stats stale)" "stale $files"
queued=$(stat_of queued)
check "and wait for the worker, with the two directories ($queued)" test "$queued" -ge $files -a "$queued" -le $((files + 2))
fsfreeze --unfreeze $MNT
wait $job
settle
expect "after the thaw none is" "$(stats stale queued)" "stale 0 queued 0"

fileop say $DBG/targets "wait /not/there" >/dev/null
expect "a target waits" "$(stats targets_waiting volumes)" "targets_waiting 1 volumes 1"
if make_special $DISK2 $MNT2 compress_algorithm=lz4,compress_log_size=2 -O extra_attr,compression; then
	fileop say $DBG/targets "add $MNT2" >/dev/null
	mkdir $MNT2/z
	f2fs_io setflags compression $MNT2/z >/dev/null
	settle
	remember
	fileop write $MNT2/z/a 0 $((16 * B)) sync
	settle
	expect "four clusters on a second volume" "$(stats volumes) $(since events_compress)" "volumes 2 events_compress 4"
else
	skip "four clusters on a second volume" "this kernel or these tools have no compression"
fi
# F2FS's own event counts those changes of its extent cache.
TRACING=/sys/kernel/tracing
mounted $TRACING || mount -t tracefs tracefs $TRACING
sync
remember
echo 1 >$TRACING/events/f2fs/f2fs_update_read_extent_tree_range/enable
fileop write $MNT/dir/old5 0 64K sync
echo 0 >$TRACING/events/f2fs/f2fs_update_read_extent_tree_range/enable
traced=$(grep -c "f2fs_update_read_extent_tree_range: .*ino = $(stat -c %i $MNT/dir/old5)," $TRACING/trace)
expect "as many changes of the extent cache as by its own event" "$(since events_update)" "events_update $traced"
unload

# === Names ===

# What the files in debugfs show, and the test that compares it with a value that it knows: file, test, names. fiemap-check,
# which most tests run, compares table, extents and files with FIEMAP, block by block.
cat >/tmp/list <<'END'
table 20_write.sh dev lba length offset ino state path
extents 20_write.sh dev ino offset offset_end lba lba_end length path
extents 44_compress.sh flags
extents 75_causes.sh op flush why_here process
files 20_write.sh dev ino blocks extents fragments mean_fragment mean_distance requests_128k ideal_128k path
files 64_snapshot.sh map
files 75_causes.sh op flush why_here
healed 75_causes.sh dev op flush why_here healed extension
by_pair 75_causes.sh dev
by_pair 75_causes.sh times victim_extension victim_process culprit_extension culprit_process
by_cgroup 99_cgroups.sh dev reads bytes requests whole unknown path
fsync 99_fsync.sh fsync data node checkpoint flush other node_blocks alloc_nid failed
fsync 99_fsync.sh search all_searches missed
targets 51_targets.sh dev ino
targets 69_wait.sh state path
targets 19_counts.sh files
audit 59_audit.sh dev ino verdict blocks differing path files unjudged
audit 59_audit.sh milliseconds
gc 77_gc.sh volume:dev victim:dev moved:dev file:dev
gc 77_gc.sh volume:victims_foreground volume:victims_background volume:segments_ssr volume:moved_foreground
gc 77_gc.sh volume:watched_foreground volume:moved_background volume:watched_background volume:victim_unknown
gc 77_gc.sh victim:time victim:segment victim:segments victim:by victim:type victim:valid victim:moved victim:watched
gc 77_gc.sh victim:policy moved:segment moved:ino moved:blocks file:ino file:foreground file:background file:path
gc_runs 99_gc_runs.sh lost:waits sum:reason sum:runs sum:empty sum:ns sum:victims sum:blocks sum:segments sum:sections
gc_runs 99_gc_runs.sh choice:reason choice:policy choice:victims choice:found choice:limit choice:looked choice:blocks choice:best_blocks
gc_runs 99_gc_runs.sh choice:gain choice:best_gain
gc_runs 99_gc_runs.sh process:runs process:own_ns process:waits process:wait_ns process:pid process:comm
gc_runs 99_gc_runs.sh wait:ns wait:when wait:how wait:run wait:pid wait:comm
gc_runs 99_gc_runs.sh run:number run:when run:reason run:type run:err run:ns run:victims run:blocks run:segments
gc_runs 99_gc_runs.sh run:sections run:free run:free_after run:waits run:wait_ns run:pid run:comm
heat 99_heat.sh dev ino offset reads blocks requests overwrites continued path
latency 99_latency.sh time:blocks time:pieces time:reads time:failed time:waits time:took time:waited time:bucket:reads
latency 99_latency.sh fit:blocks fit:n fit:x fit:l fit:y fit:xx fit:xl fit:ll fit:xy fit:ly fit:yy
latency 99_latency.sh rest:other rest:lost rest:cut rest:bytes rest:timed rest:timed_split rest:waited rest:waited_split
latency 99_latency.sh rest:reads:extra file:ino file:cut file:bytes file:timed file:timed_split file:waited
latency 99_latency.sh file:waited_split file:reads:extra file:path
ledger 99_ledger.sh device:written device:discarded kind:name kind:log kind:bytes process:buffered process:mapped
ledger 99_ledger.sh process:direct process:data process:node process:gc process:moved process:pid process:comm
ledger 99_ledger.sh process:cgroup file:buffered file:mapped file:direct file:data file:node file:gc file:moved
ledger 99_ledger.sh file:ino file:path
discards 99_discards.sh pending:commands pending:blocks pending:on_device pending:since_ms pending:waited_ms pending:left
discards 99_discards.sh pending:removed discard:queued discard:queued_blocks discard:commands discard:issued discard:blocks
discards 99_discards.sh discard:ended discard:failed discard:took_us discard:worst_us discard:lost reset:queued
discards 99_discards.sh reset:queued_blocks reset:commands reset:issued reset:blocks reset:ended reset:failed reset:took_us
discards 99_discards.sh reset:worst_us reset:lost by:discards by:discard_blocks by:resets by:reset_blocks by:comm
stats 59_sample.sh sampled unsound
stats 19_counts.sh attached calls_attached volumes targets_waiting inodes directories extents mem_budget
stats 19_counts.sh copies_budget writers stale queued events_write events_update events_map events_truncate
stats 19_counts.sh events_fallocate events_atomic events_compress calls rescans audits
stats 86_memory.sh mem_bytes
stats 99_heat.sh heat_bytes heat_lost heat_dropped
stats 68_copies.sh copies_bytes
stats 59_audit.sh mismatches audit_differences
stats 60_budget.sh lost refused causes_lost
stats 87_shares.sh left_out
stats 83_stuck_writer.sh steps_late
END
load path=$MNT heat=1 cgroups=1 fsync=1 latency=1 ledger=1 gc_runs=1 discards=1
settle
fileop write $MNT/a 0 4K sync
fileop reads $MNT/a 0 64K 64K 64K direct
fileop say $DBG/audit 1 >/dev/null
shown | sort -u >/tmp/shown
awk '{ for (i = 3; i <= NF; i++) print $1, $i }' /tmp/list | sort >/tmp/listed
expect "that list has what is shown, and nothing else" "$(diff /tmp/shown /tmp/listed)" ""
while read -r file test names; do
	[ -f "$here/$test" ] || echo "no $test"
	[ "$file" != stats ] || for name in $names; do
		grep -qw "$name" "$here/$test" || echo "no $name in $test"
	done
done </tmp/list >/tmp/wrong
expect "each test of it exists, and names its lines of stats" "$(cat /tmp/wrong)" ""
finish
