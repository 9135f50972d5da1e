#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 99_gc_runs.sh - collections have the reasons that were made, and take the time that F2FS's events and programs measure
#
# group: gc
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

SYS=/sys/fs/f2fs/${DISK##*/}
TRACING=/sys/kernel/tracing
IOCTL=$TRACING/events/syscalls/sys_enter_ioctl

# age(prefix) - fragmented files, most of them removed: victims for the collector
age() {
	fileop many "$1" 200 $((7 * B)) $((5 * B)) 7
	sync
	rm "$1"*[1245780]
	sync
}

# begin() - counts and events begin
begin() {
	echo >$TRACING/trace
	echo reset >$DBG/gc_runs
}

# traced() - print each collection by F2FS's events: process, microseconds, result, segments, sections, free sections before and after, victims
traced() {
	awk '
		function number(name) { match($0, name " *[=:] *-?[0-9]+"); return substr($0, RSTART + length(name), RLENGTH - length(name)) }
		function value(name, text) { text = number(name); gsub(/[^-0-9]/, "", text); return text + 0 }
		function thread() { match($0, /-[0-9]+ +\[/); return substr($0, RSTART + 1, RLENGTH - 2) + 0 }
		function at() { match($0, /[0-9]+\.[0-9]+: f2fs/); return substr($0, RSTART, RLENGTH - 6) + 0 }
		/ f2fs_gc_begin: / { from[thread()] = at(); free = value("free_sec"); victims = 0 }
		/ f2fs_get_victim: / && /LFS-mode/ { victims++ }
		/ f2fs_gc_end: / && thread() in from {
			printf "%d %.0f %d %d %d %d %d %d\n", thread(), (at() - from[thread()]) * 1000000, value("ret"),
				value("seg_freed"), value("sec_freed"), free, value("free_sec"), victims
		}' /tmp/trace
}

# end() - keep what was counted and traced
end() {
	cat $TRACING/trace >/tmp/trace
	cat $DBG/gc_runs >/tmp/runs
	traced >/tmp/traced
}

# runs() - print of the collections that are kept, the first one first: result, segments, sections, free sections, victims
runs() {
	awk '$2 == "run" { print $7, $11, $12, $13, $14, $9 }' /tmp/runs | tac
}

# agree(name, reason) - all collections are those of F2FS's events, for this reason; they took as long, within 5 %, and what an emulated
# machine may take between two probes of the same event
agree() {
	expect "$1: number of collections, and of those without a victim" "$(awk '$2 == "sum" { print $3, $4, $5 }' /tmp/runs)" \
		"$2 $(awk '{ n++; empty += !$8 } END { print n + 0, empty + 0 }' /tmp/traced)"
	expect "$1: each that has a victim" "$(runs | awk '$6')" "$(awk '$8 { print $3, $4, $5, $6, $7, $8 }' /tmp/traced | tail -n 96)"
	expect "$1: victims" "$(awk '$2 == "sum" { print $7 }' /tmp/runs)" "$(awk '{ n += $8 } END { print n + 0 }' /tmp/traced)"
	expect "$1: freed segments and sections" "$(awk '$2 == "sum" { print $9, $10 }' /tmp/runs)" \
		"$(awk '{ segments += $4; sections += $5 } END { print segments, sections }' /tmp/traced)"
	check "$1: they took as long" awk '
		FILENAME ~ /traced/ { us += $2; n++; next }
		$2 == "sum" { ours += $6 / 1000 }
		END {
			printf "# %d collections, %.0f us; by F2FS'\''s events %.0f us\n", n, ours, us
			limit = us / 20 + 1000 * n + 30000
			exit !(n && ours - us <= limit && us - ours <= limit)
		}' /tmp/traced /tmp/runs
}

# of(line, field, pid) - print the sum of a field of the lines of a process
of() {
	awk -v what="$1" -v n="$2" -v pid="$3" '$2 == what && $(NF - 1) == pid { sum += $n } END { printf "%.0f\n", sum }' /tmp/runs
}

# traced_waits(pid) - print by the kernel's events how many collections a program has asked for, and the microseconds
# from its calls to the beginning of these
traced_waits() {
	awk -v pid="$1" '
		function at() { match($0, /[0-9]+\.[0-9]+: /); return substr($0, RSTART, RLENGTH - 2) + 0 }
		!match($0, /-[0-9]+ +\[/) || substr($0, RSTART + 1, RLENGTH - 2) + 0 != pid { next }
		/ sys_ioctl\(/ { from = at() }
		/ f2fs_gc_begin: / && from { us += (at() - from) * 1000000; n++; from = 0 }
		END { printf "%d %.0f\n", n, us }' /tmp/trace
}

# measured(name, pid) - a program that only asks for collections has waited for others for as long as its calls took to begin them
measured() {
	local n us waited

	read -r n us <<-EOT
	$(traced_waits "$2")
	EOT
	waited=$(($(of process 6 "$2") / 1000))
	echo "# $1: $n collections began $us us after their calls; $waited us waiting"
	check "$1: it has waited for as long as its collections were late" test "$n" -gt 0 -a $((us - waited)) -ge $((-2000 * n)) \
		-a $((us - waited)) -le $((us / 10 + 2000 * n))
}

plan 68
B=$PAGE_SIZE
make_volume $DISK $MNT background_gc=off || bail "no volume"
mounted $TRACING || mount -t tracefs tracefs $TRACING || bail "no tracefs"
for event in f2fs_gc_begin f2fs_gc_end f2fs_get_victim; do
	echo 1 >$TRACING/events/f2fs/$event/enable
done
load path=$MNT
check "without gc_runs=1 the file says so" grep -q '^# not known: the module was loaded with gc_runs=0$' $DBG/gc_runs
expect "and has nothing" "$(grep -vc '^#' $DBG/gc_runs)" 0
unload
load path=$MNT gc_runs=1
settle || :
expect "the format" "$(head -n 1 $DBG/gc_runs)" "# fragtrace gc_runs 2"
expect "a write other than reset is refused" "$(fileop say $DBG/gc_runs all)" EINVAL
expect "nothing has run" "$(grep -v "^#" $DBG/gc_runs | cut -d ' ' -f 2-)" "lost 0"

# valid_of(segment) - print the blocks in use of a segment, from a copy of F2FS's own list
valid_of() {
	awk -v s="$1" '
		$1 ~ /^[0-9]+$/ && s >= $1 && s < $1 + 10 {
			gsub(/\|/, " | ")
			print $(2 + (s - $1) * 3 + 2)
		}' /tmp/segment_info
}

# what runs for the first time takes longer on an emulated machine
age $MNT/warm
fileop gc $MNT 1 3
age $MNT/a
cat "/proc/fs/f2fs/${DISK##*/}/segment_info" >/tmp/segment_info
begin
now=$(date +%s)
fileop gc $MNT 1 20 >/tmp/said
sed 's/^/# /' /tmp/said
end
agree "asked for by a program" request
check "asked for: the time of each" awk -v from="$((now - 1))" -v to="$(date +%s)" '$2 == "run" && ($4 < from || $4 > to) { bad = 1 } END { exit bad }' /tmp/runs
first=$(awk '/ f2fs_get_victim: / && /LFS-mode/ && match($0, /victim = [0-9]+/) { print substr($0, RSTART + 9, RLENGTH - 9); exit }' /tmp/trace)
expect "asked for: the blocks in use of the first victim are those of F2FS's list" "$(awk '$2 == "run" && $9 { n = $10 } END { print n }' /tmp/runs)" \
	"$(valid_of "$first")"
expect "asked for: all blocks are those of each" "$(awk '$2 == "sum" { print $8 }' /tmp/runs)" "$(awk '$2 == "run" { n += $10 } END { print n }' /tmp/runs)"
expect "asked for: by whom, and how" "$(awk '$2 == "run" && $9 { print $6, $NF }' /tmp/runs | sort -u)" "fg fileop"
expect "asked for: nobody has waited" "$(awk '$2 == "process" || $2 == "wait"' /tmp/runs)" ""

# choices(policy, field...) - print these fields of the victims that a program has asked for
choices() {
	awk -v policy="$1" -v fields="$2" '
		BEGIN { n = split(fields, field, " ") }
		$2 == "choice" && $3 == "request" && $4 == policy {
			for (i = 1; i <= n; i++)
				printf "%s%s", $field[i], i < n ? " " : "\n"
		}' /tmp/runs
}

# model(segment) - print by F2FS's lists how many sections could be chosen, and the fewest blocks in use; then for each last time of a
# write that there may have been, by cost-benefit and by age: the blocks in use of this segment's section and of the best one, and the
# gains of both
model() {
	awk -v victim="$1" -v unit=$UNIT -v threshold=$THRESHOLD -v weight=$WEIGHT '
		function hex(text, n, i) {
			for (i = 1; i <= length(text); i++)
				n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return n
		}
		function by_cost_benefit(s, last, used) {
			used = int(int(valid[s] / unit) * 100 / 512)
			return int(100 * (100 - used) * (100 - int(100 * (time[s] - first) / (last - first))) / (100 + used))
		}
		function by_age(s, last, age, free) {
			age = int(10000 * (last + 1 - time[s]) / (last + 1 - first_dirty))
			free = int(10000 * (512 * unit - valid[s]) / (512 * unit))
			return last - time[s] < threshold ? 0 : age * weight + free * (100 - weight)
		}
		function gain(policy, s, last) {
			return policy == "age" ? by_age(s, last) : by_cost_benefit(s, last)
		}
		function line(policy, last, s, best, blocks) {
			best = -1
			for (s in dirty)
				if (gain(policy, s, last) > best || gain(policy, s, last) == best && valid[s] < blocks) {
					best = gain(policy, s, last)
					blocks = valid[s]
				}
			print policy, valid[victim], blocks, gain(policy, victim, last), best
		}
		FILENAME ~ /status/ && $1 == "TYPE" { for (i = 2; i <= NF; i++) if ($i == "secno") at = i + 2 }
		FILENAME ~ /status/ { if (/^ +- [A-Za-z]+ +(data|dnode|nodes|file):/) is_log[$at] = 1; next }
		/^[0-9]/ {
			split($0, part, "|")
			s = int($1 / unit)
			valid[s] += part[2]
			time[s] += hex(substr(part[4], 2)) * (unit > 1 ? part[2] : 1)
		}
		END {
			victim = int(victim / unit)
			for (s in valid) {
				if (unit > 1)
					time[s] = valid[s] ? int(time[s] / valid[s]) : 0
				if (!n++ || time[s] < first) first = time[s]
				if (time[s] > newest) newest = time[s]
				if (!valid[s] || valid[s] == 512 * unit || s in is_log)
					continue
				dirty[s] = 1
				if (!candidates++ || valid[s] < least) least = valid[s]
				if (candidates == 1 || time[s] < first_dirty) first_dirty = time[s]
			}
			print candidates, least
			for (last = newest; newest && last <= newest + 60; last++) {
				line("cost_benefit", last)
				line("age", last)
			}
		}' /tmp/status /tmp/segment_bits
}

# one(sync) - ask for one collection, and keep what F2FS's lists said before; set victim to the first segment and cost to F2FS's own number
one() {
	cp "/proc/fs/f2fs/${DISK##*/}/segment_bits" /tmp/segment_bits
	cp /sys/kernel/debug/f2fs/status /tmp/status
	begin
	fileop gc $MNT "$1" 1 >/tmp/said
	end
	read -r victim cost <<-EOT
	$(sed -n '/ f2fs_get_victim: .*LFS-mode/s/.*victim = \([0-9]*\), cost = \([0-9]*\),.*/\1 \2/p' /tmp/trace | head -n 1)
	EOT
	model "$victim" >/tmp/model
	grep choice /tmp/runs | sed 's/^/# /'
	head -n 2 /tmp/model | sed "s/^/# victim $victim, cost $cost: /"
}

# gain_is_cost(name, policy) - the gain of the victim is F2FS's own cost, and there was none better
gain_is_cost() {
	expect "$1: the gain of the victim is F2FS's own cost, and there was none better" "$(choices "$2" '11 12')" "$((4294967295 - cost)) $((4294967295 - cost))"
}

# by_model(name, policy) - victim and best section by this formula are those of the model, where the kernel shows times
by_model() {
	if [ "$(wc -l </tmp/model)" -gt 1 ]; then
		check "$1" grep -qxF "$2 $(choices "$2" '9 10 11 12')" /tmp/model
	else
		skip "$1" "this kernel shows no times of segments"
	fi
}

# How victims were chosen, on a quiet volume with files of different age.
UNIT=1 THRESHOLD=2 WEIGHT=5
age $MNT/g
sleep 3
age $MNT/h
one 0
expect "chosen in the background: one victim, found by cost-benefit" "$(choices cost_benefit '5 6') $(choices greedy '5 6') $(choices age 5)" "1 1 1 0 "
expect "every section that F2FS could choose was looked at" "$(choices greedy '7 8')" "$(awk 'NR == 1 { print $1, $1 }' /tmp/model)"
expect "the best by greedy is that of F2FS's list" "$(choices greedy 10)" "$(awk 'NR == 1 { print $2 }' /tmp/model)"
gain_is_cost "by cost-benefit" cost_benefit
by_model "the best by cost-benefit is that of a model" cost_benefit
one 1
expect "in the foreground F2FS takes first what it has chosen in the background" "$(choices greedy '5 6')" "1 0"
expect "whose blocks are those of F2FS's list, and the best by greedy" "$(choices greedy '9 10')" \
	"$(awk -F '|' -v s="$victim" '$1 + 0 == s && /^[0-9]/ { printf "%d ", $2 }' /tmp/segment_bits)$(awk 'NR == 1 { print $2 }' /tmp/model)"
one 1
expect "then it searches: found by greedy" "$(choices greedy '5 6 9 10')" "1 1 $cost $(awk 'NR == 1 { print $2 }' /tmp/model)"
expect "there was none better, and all were looked at" "$(choices greedy 10) $(choices greedy '7 8')" "$cost $(awk 'NR == 1 { print $1, $1 }' /tmp/model)"
by_model "the best by cost-benefit, which F2FS did not search for, is that of a model" cost_benefit
i=0
while [ $i -lt 12 ]; do
	fileop gc $MNT 1 8 >/dev/null
	i=$((i + 1))
done
cat $DBG/gc_runs >/tmp/runs
expect "the blocks of all victims are those of the collections" "$(choices greedy '5 9')" "$(awk '$2 == "sum" { print $7, $8 }' /tmp/runs)"

# Two programs ask for collections, and each waits for the other one.
for i in 1 2 3; do
	age "$MNT/b$i"
done
begin
echo 'cmd == 0x4004f506' >$IOCTL/filter
echo 1 >$IOCTL/enable
fileop gc $MNT 1 40 >/dev/null &
first=$!
fileop gc $MNT 1 40 >/dev/null &
second=$!
wait $first $second
end
echo 0 >$IOCTL/enable
measured "first of two" $first
measured "second of two" $second
check "they have waited" awk '$2 == "process" && $5 { n++ } END { exit n != 2 }' /tmp/runs
check "each wait is of a process, and of a collection" awk '
	$2 == "process" { waits += $5; ns += $6 }
	$2 == "run" { during += $15; during_ns += $16 }
	$2 == "sum" { empty += $5 }
	END {
		printf "# %d waits, %.0f us; during collections that are kept %d, %.0f us; %d others were empty\n", waits, ns / 1000, during, during_ns / 1000, empty
		exit during > waits || during_ns > ns || ns - during_ns > ns / 20
	}' /tmp/runs
expect "the longest wait comes first" "$(awk '$2 == "wait" { print $3 }' /tmp/runs)" "$(awk '$2 == "wait" { print $3 }' /tmp/runs | sort -rn)"
expect "each of the longest is of one of the two" "$(awk -v first=$first -v second=$second -v now="$now" '
	$2 == "wait" && ($(NF - 1) != first && $(NF - 1) != second || $5 != "lock" || $4 < now || $4 > now + 100 || $NF != "fileop")' /tmp/runs)" ""
check "the longest was for a collection that is kept" awk '
	$2 == "wait" && !n++ { longest = $6 }
	$2 == "run" && $3 == longest && $15 { found = 1 }
	END { exit !found }' /tmp/runs
expect "no wait was lost" "$(awk '$2 == "lost" { print $3 }' /tmp/runs)" 0

# More processes than there are lines wait at once: those that lose most are kept. F2FS holds the lock when it calls this function.
if late function=f2fs_gc before_ms=40; then
	age $MNT/f
	begin
	n=0
	while [ $n -lt 90 ]; do
		fileop gc $MNT 1 1 >/dev/null &
		n=$((n + 1))
	done
	wait
	late
	end
	expect "63 of 90 processes have a line, and one is of all others" "$(awk '$2 == "process" { n[$7 > 0]++ } END { print n[1] + 0, n[0] + 0 }' /tmp/runs)" "63 1"
	check "whoever waited longest has a line" awk '
		$2 == "process" { ns[$7] = $6 }
		$2 == "wait" && ns[$7] < $3 { bad = 1 }
		$2 == "wait" { n++ }
		END { exit bad || n != 10 }' /tmp/runs
else
	skip "63 of 90 processes have a line, and one is of all others" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	skip "whoever waited longest has a line" "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
fi

# F2FS's thread.
mount -o remount,background_gc=on $MNT
for file in gc_min_sleep_time gc_max_sleep_time gc_no_gc_sleep_time; do
	echo 100 >"$SYS/$file"
done
age $MNT/c
begin
echo 50 >"$SYS/gc_urgent_sleep_time"
echo 1 >"$SYS/gc_urgent"
sleep 2
echo 0 >"$SYS/gc_urgent"
sleep 1
end
agree "gc_urgent" urgent
check "gc_urgent: by F2FS's thread" awk '$2 == "run" && $NF !~ /^f2fs_gc-/ { bad = 1 } $2 == "run" { n++ } END { exit bad || !n }' /tmp/runs
echo 1 >"$SYS/gc_idle_interval"
age $MNT/e
begin
idle_has_run() {
	grep -q ' f2fs_gc_end: ' $TRACING/trace
}
loop_until 20 idle_has_run || :
mount -o remount,background_gc=off $MNT
end
agree "in the background" idle

# Sections of two segments, and the search by age: F2FS begins that once the volume has been mounted for as long as the threshold.
# Young sections with fewer blocks would be better, but for it. F2FS compares with the newest one that it has seen, in earlier
# searches too: so the first one may find none.
loop_until 20 umount $MNT 2>/dev/null || :
make_special $DISK $MNT background_gc=off,atgc -s 2 || bail "no volume with large sections"
await_live
UNIT=2
echo $THRESHOLD >"$SYS/atgc_age_threshold"
echo $WEIGHT >"$SYS/atgc_age_weight"
echo 100 >"$SYS/atgc_candidate_ratio"
age $MNT/g
sleep 3
age $MNT/h
if [ "$(cat "$SYS/atgc_enabled" 2>/dev/null)" = 1 ]; then
	fileop gc $MNT 0 1 >/dev/null || :
	sync
	one 0
	expect "by age: one victim, found by this formula" "$(choices age '5 6') $(choices greedy '5 6') $(choices cost_benefit '5 6')" "1 1 1 0 1 0"
	gain_is_cost "by age" age
	by_model "the best by age is that of a model" age
else
	for name in "by age: one victim, found by this formula" "by age: the gain of the victim is F2FS's own cost, and there was none better" \
		"the best by age is that of a model"; do
		skip "$name" "this F2FS searches by age after a week"
	done
fi
sync
echo 1 >"$SYS/gc_idle"
one 0
gain_is_cost "two segments, by cost-benefit" cost_benefit
by_model "two segments: the best by cost-benefit is that of a model" cost_benefit
expect "two segments: the best by greedy is that of F2FS's list" "$(choices greedy 10)" "$(awk 'NR == 1 { print $2 }' /tmp/model)"
echo 0 >"$SYS/gc_idle"
sync
one 1
expect "two segments: the blocks of the victim are F2FS's own cost, and none had fewer" "$(choices greedy '5 6 9 10')" "1 1 $cost $cost"

# A small volume, nearly full: writers collect.
loop_until 20 umount $MNT 2>/dev/null || :
mkfs.f2fs -q -f -t 0 $DISK $((32 * B)) >/dev/null && mount_volume $DISK $MNT background_gc=off || bail "no small volume"
await_live
fill() {
	local n

	n=0
	while [ "$(df -m $MNT | awk 'END { print $4 }')" -gt $((B / 512)) ] && [ $n -lt 60 ]; do
		fileop many $MNT/n$n- 20 $((49 * B)) $((5 * B)) 7 || :
		sync
		n=$((n + 1))
	done
	rm $MNT/n*-*[147]
}
fill
begin
fileop random $MNT/n0-0 40 4000 1 every 40 >/dev/null
fileop random $MNT/n1-0 40 4000 2 every 40 >/dev/null &
fileop random $MNT/n2-0 40 4000 3 every 40 >/dev/null
wait $!
end
agree "nearly full" writer
expect "nearly full: each collection is of a process that writes" "$(awk '$2 == "process" { runs += $3; ns += $4 } END { printf "%d %.0f\n", runs, ns }' /tmp/runs)" \
	"$(awk '$2 == "sum" { print $4, $6 }' /tmp/runs)"
expect "nearly full: the times of each process are those of F2FS's events" "$(awk '$2 == "process" && $3 { print $(NF - 1), $3 }' /tmp/runs | sort)" \
	"$(awk '{ n[$1]++ } END { for (pid in n) print pid, n[pid] }' /tmp/traced | sort)"
: >$MNT/pinned
fileop pin $MNT/pinned 1
begin
fileop fallocate $MNT/pinned default 0 $((2048 * B)) 2>/dev/null || :
end
expect "a pinned file needs sections: all collections are counted" "$(awk '$2 == "sum" { n += $4 } END { print n }' /tmp/runs)" "$(wc -l </tmp/traced)"
check "some of them are for it" awk '$2 == "sum" && $3 == "pinned" && $4 { found = 1 } END { exit !found }' /tmp/runs
rm $MNT/pinned
sync
mount -o remount,gc_merge,background_gc=on $MNT
# waits are seen after the first collection for a writer
n=0
until grep -q ' sum merged ' $DBG/gc_runs || [ $n -eq 8 ]; do
	n=$((n + 1))
	fileop random $MNT/n3-0 40 2000 $((n + 4)) every 40 >/dev/null
done
begin
echo 'r:slept f2fs_submit_all_merged_ipu_writes' >$TRACING/kprobe_events
echo 'r:balanced f2fs_balance_fs' >>$TRACING/kprobe_events
echo 1 >$TRACING/events/kprobes/enable
fileop random $MNT/n3-0 40 4000 4 every 40 >/dev/null &
writer=$!
wait $writer
sleep 1
end
echo 0 >$TRACING/events/kprobes/enable
echo >$TRACING/kprobe_events
expect "gc_merge: F2FS's thread collects for writers" "$(awk '$2 == "sum" { print $3 }' /tmp/runs | grep -v idle)" merged
read -r n us <<-EOT
$(awk -v pid=$writer '
	function at() { match($0, /[0-9]+\.[0-9]+: /); return substr($0, RSTART, RLENGTH - 2) + 0 }
	!match($0, /-[0-9]+ +\[/) || substr($0, RSTART + 1, RLENGTH - 2) + 0 != pid { next }
	/ slept: / { from = at() }
	/ balanced: / && from { us += (at() - from) * 1000000; n++; from = 0 }
	END { printf "%d %.0f\n", n, us }' /tmp/trace)
EOT
waited=$(($(of process 6 $writer) / 1000))
echo "# by the kernel's events $n waits, $us us; $waited us waiting"
expect "gc_merge: the writer has waited as often as F2FS has kept it" "$(of process 5 $writer)" "$n"
check "gc_merge: no longer than that" test "$n" -gt 0 -a $((waited - us)) -le $((us / 10))
check "gc_merge: the waits last as long as the collections" awk '
	$2 == "process" { waited += $6 }
	$2 == "sum" && $3 == "merged" { ns = $6 }
	END { exit waited < ns * 0.9 }' /tmp/runs
expect "gc_merge: no other program has" "$(awk '$2 == "process" && $(NF - 1) != 2 { print $(NF - 1) }' /tmp/runs)" $writer
for event in f2fs_gc_begin f2fs_gc_end f2fs_get_victim; do
	echo 0 >$TRACING/events/f2fs/$event/enable
done
grep -v '^#' $DBG/gc_runs | head -n 12 | sed 's/^/# /'
finish
