#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 98_moves.sh - of a recording, the blocks that collection has moved, by process, are those of the events and of `gc`
#
# kernels: first
# group: texts gc

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

out=/tmp/moves
TRACING=/sys/kernel/tracing
OWN=$TRACING/instances/moves

# recorded(number) - are there so many snapshots with events?
recorded() {
	[ "$(find $out/run -name '*.events.zst' 2>/dev/null | wc -l)" -ge "$1" ]
}

# moved() - print how many blocks of watched files collection has moved, by `gc`
moved() {
	awk '$1 == "volume" { sum += $7 + $9 } END { print sum + 0 }' $DBG/gc
}

# collect(file, number) - collect all segments that have blocks of it, and wait until all is written
#
# F2FS collects no segment that is full: some blocks are written again, others for each number, and the rest is moved.
collect() {
	local i first blocks

	i=0
	while [ $i -lt 32 ]; do
		fileop write "$1" $((i * 256 + $2 * 4))K 4K sync
		i=$((i + 1))
	done
	path=$1 awk '
		/^# volume/ { split($4, main, "="); split($6, size, "=") }
		!/^#/ && $NF == ENVIRON["path"] { for (b = 0; b < $3; b++) segments[int(($2 + b - main[2]) / size[2])] = 1 }
		END { for (s in segments) print main[2] + s * size[2], size[2] - 1 }' $DBG/table >$out/segments
	while read -r first blocks; do
		fileop gc_range $MNT "$first" "$blocks" || :
	done <$out/segments
	settle
}

# naive() - print `pid written moved moves again` of each process, from the text of all events; of what was there before, 0
naive() {
	awk '
		/ extent_change: / {
			for (i = 1; i <= NF; i++)
				if (split($i, part, "=") == 2)
					f[part[1]] = part[2]
			file = f["dev"] " " f["ino"]
			end = f["offset"] + f["length"]
			if (end > size[file] && f["new"] >= 0)
				size[file] = end
			if (f["new"] == -2)
				next
			for (b = f["offset"]; b < end && b < size[file]; b++) {
				key = file " " b
				if (f["new"] < 0 || f["op"] ~ /^(scan|unknown|range|defrag)$/) {
					delete by[key]
					delete was_moved[key]
				} else if (f["op"] ~ /^gc_/) {
					pid = key in by ? by[key] : 0
					moves[pid]++
					if (key in was_moved)
						again[pid]++
					else
						moved[pid]++
					was_moved[key] = 1
				} else {
					by[key] = f["pid"]
					written[f["pid"]]++
					moves[f["pid"]] += 0
					delete was_moved[key]
				}
			}
		}
		END { for (pid in moves) print pid, written[pid] + 0, moved[pid] + 0, moves[pid], again[pid] + 0 }' $OWN/trace | sort -n
}

# numbers(key) - print the numbers of an object of the answer from stdin
numbers() {
	sed -n "s/.*$1"'"written":\([0-9]*\),"moved":\([0-9]*\),"moves":\([0-9]*\),"again_within_10_min":\([0-9]*\),.*/\1 \2 \3 \4/p'
}

# answered() - print the same as naive() from the answer
answered() {
	echo "0 $(numbers '"earlier":{' <$out/json)"
	tr -d '\n' <$out/json | sed 's/{"pid":/\n&/g' | sed -n '/^{"pid":/p' | while read -r line; do
		echo "$(echo "$line" | sed 's/{"pid":\([0-9]*\),.*/\1/') $(echo "$line" | numbers '"process":"[^"]*",')"
	done
}

plan 8
command -v fragtrace >/dev/null || skip_rest "a recording with events" "fragtrace is not in this guest"
make_volume $DISK $MNT background_gc=off || bail "no volume"
mounted $TRACING || mount -t tracefs tracefs $TRACING || bail "no tracefs"
mkdir -p $MNT/w $out
fileop write $MNT/w/earlier 0 8M sync
load path=$MNT/w
mkdir $OWN || bail "no instance"
echo 16384 >$OWN/buffer_size_kb
fragtrace record $out/run --events 2>$out/log &
recorder=$!
check "the recording begins" loop_until "$PATIENCE" recorded 1
echo 1 >$OWN/events/fragtrace/extent_change/enable
before=$(moved)
fileop write $MNT/w/later 0 8M sync
settle
collect $MNT/w/later 1
first=$(($(moved) - before))
check "collection has moved $first blocks" test $first -gt 100
collect $MNT/w/earlier 1
# the same blocks, where they are now
collect $MNT/w/later 2
collect $MNT/w/later 3
total=$(($(moved) - before))
echo 0 >$OWN/events/fragtrace/extent_change/enable
kill -TERM $recorder
check "the recording ends" wait $recorder
sed 's/^/# /' $out/log
fragtrace gc -t $out/run >$out/text && fragtrace gc -t $out/run --json >$out/json
sed 's/^/# /' $out/text
naive >$out/naive
sed 's/^/# by the text: /' $out/naive
check "no event was lost" eval '! grep -q "events lost\|LOST" $OWN/trace && grep -q "\"gaps\":0,\"lost\":0" $out/json'
expect "as many blocks were moved as gc has" "$(numbers '"all":{' <$out/json | cut -d ' ' -f 3)" $total
expect "the answer is that of the text of the events" "$(answered | sort -n)" "$(cat $out/naive)"
check "blocks from before were moved" test "$(numbers '"earlier":{' <$out/json | cut -d ' ' -f 3)" -gt 100
again=$(numbers '"all":{' <$out/json | cut -d ' ' -f 4)
check "$again blocks were moved again, which it says" eval 'test "$again" -gt 100 && grep -q "had been moved less than 10 min before: collection runs in circles" $out/text'
rmdir $OWN
finish
