#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 98_time_machine.sh - a recording with events: the moments that it rebuilds are those that were seen, block for block
#
# kernels: first
# group: texts

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

out=/tmp/time
TRACING=/sys/kernel/tracing

# instances() - print the tracefs instances of recorders
instances() {
	find $TRACING/instances -mindepth 1 -maxdepth 1 -name 'fragtrace-record-*'
}

# recorded(number) - are there so many snapshots with events?
recorded() {
	[ "$(find $out/run -name '*.events.zst' 2>/dev/null | wc -l)" -ge "$1" ]
}

# blocks() - print `ino block lba` of each block in a list of extents as CSV from stdin
blocks() {
	tr -d '\r' | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			for (i = 0; i < $at["length"]; i++)
				print $at["ino"], $at["offset"] + i, ($at["lba"] == "" ? "u" : $at["lba"] + i) ($at["flags"] ~ /encoded/ ? "e" : "")
		}' | sort
}

# keep_copy(name) - keep a copy of the maps while nothing happens, nor is written back
keep_copy() {
	sync
	settle || bail "not exact"
	cat $DBG/snapshot >"$out/$1.snapshot"
	# the events of this moment have to be in the recording
	sleep 0.01
}

# moment(name) - print when that copy was complete, with nanoseconds
moment() {
	od -A n -t u8 -j 24 -N 8 "$out/$1.snapshot" | awk '{ printf "@%d.%09d\n", substr($1, 1, 10), substr($1, 11) }' >$out/when
	TZ=UTC date -d "$(sed 's/\..*//' $out/when)" +%Y-%m-%dT%H:%M:%S | tr -d '\n'
	sed 's/.*\(\..*\)/\1Z/' $out/when
}

# same(name) - is the moment of that copy rebuilt?
same() {
	fragtrace extents --csv -t "$out/$1.snapshot" | blocks >$out/seen
	fragtrace extents --csv -t $out/run --at "$(moment "$1")" 2>$out/err | blocks >$out/rebuilt
	if [ -s $out/seen ] && cmp -s $out/seen $out/rebuilt && [ ! -s $out/err ]; then
		ok "$1: $(wc -l <$out/seen) blocks at $(moment "$1")"
	else
		not_ok "$1" "the rebuilt moment differs"
		{ cat $out/err; diff $out/seen $out/rebuilt; } | head -n 20 | sed 's/^/# /'
	fi
}

# reaches(folder, name) - has the recording an event after the moment of that copy?
reaches() {
	fragtrace extents --csv -t "$1" --at "$(moment "$2")" >/dev/null 2>$out/err && [ ! -s $out/err ]
}

# causes(name, least) - each break of that copy has the same cause and process in the rebuilt moment, but for what is unknown
# there, as events do not have all that the module knew; at least so many are the same
causes() {
	fragtrace table --csv -t "$out/$1.snapshot" | tr -d '\r' >$out/seen
	fragtrace table --csv -t $out/run --at "$(moment "$1")" | tr -d '\r' >$out/rebuilt
	awk -F, '
		NR == FNR { seen[$1, $2, $3, $4, $5] = $0; next }
		$7 == "" || $7 == "op" { next }
		{
			split(seen[$1, $2, $3, $4, $5], was)
			n++
			wrong = less = 0
			for (i = 7; i <= 10; i++) {
				less += $i != was[i]
				wrong += $i != was[i] && $i != "unknown"
			}
			same += !less
			bad += wrong > 0
			if (wrong)
				print "# rebuilt: " $0 "\n# seen:    " seen[$1, $2, $3, $4, $5]
		}
		END { print same + 0, bad + 0, n + 0 >"'$out/same'" }' $out/seen $out/rebuilt
	read -r same bad n <$out/same
	check "$1: no rebuilt break has another cause or process, and $same of $n have all of it" test "$bad" = 0 -a "$same" -ge "$2"
}

# now() - print a moment after all that has been done, in whole seconds
now() {
	sleep 1
	date -u +%Y-%m-%dT%H:%M:%SZ
}

# messages() - how often has the recorder said that events were lost?
messages() {
	grep -c '[0-9] events were lost; taking a new snapshot' $out/log || :
}

# more_messages(number) - more often than that?
more_messages() {
	[ "$(messages)" -gt "$1" ]
}

# begin() - begin a recording in an empty folder, as $recorder
begin() {
	rm -rf $out/run
	fragtrace record $out/run --events 2>$out/log &
	recorder=$!
	loop_until "$PATIENCE" recorded 1
}

# end() - end it
end() {
	kill -TERM $recorder
	wait $recorder
}

# refused(moment, reason) - is that moment refused for that reason?
refused() {
	! fragtrace table --csv -t $out/run --at "$1" >/dev/null 2>$out/err || return 1
	grep -q "$2" $out/err && return 0
	sed 's/^/# /' $out/err
	return 1
}

plan 26
command -v fragtrace >/dev/null || skip_rest "a recording with events" "fragtrace is not in this guest"
make_volume $DISK $MNT || bail "no volume"
mounted $TRACING || mount -t tracefs tracefs $TRACING || bail "no tracefs"
mkdir -p $MNT/w $out
fileop append $MNT/w/a 4096 4 fdatasync
load path=$MNT/w
mkdir $TRACING/instances/fragtrace-record-999999
fragtrace record $out/run --events 2>$out/log &
recorder=$!
check "the recording begins" loop_until "$PATIENCE" recorded 1
check "an instance of a recorder that is gone is removed" grep -q 'removed the tracefs instance fragtrace-record-999999' $out/log
for i in 1 2; do
	fuzz storm --seed "${SEED:-98}$i" --threads 2 --ops 80 $MNT/w
	keep_copy storm$i
done
fileop rocksdb $MNT/w 2
keep_copy rocksdb
kill -TERM $recorder
check "a signal ends it" wait $recorder
expect "its instance is gone" "$(instances)" ""
check "it ends with a snapshot" recorded 2
grep -v removed $out/log | sed 's/^/# /'
for i in storm1 storm2 rocksdb; do
	same $i
done
causes storm2 0
causes rocksdb 1
echo "# $(find $out/run -name '*.events.zst' -exec cat {} + | wc -c) bytes of events, $(find $out/run -name '*.snapshot.zst' -exec cat {} + | wc -c) of snapshots"
check "F2FS's own state is beside the snapshot" \
	eval 'fragtrace space -t "$(find $out/run -name "*.snapshot.zst" | sort | head -n 1)" --f2fs-state "$(find $out/run -name "*.f2fs" | sort | head -n 1)" >/dev/null'

# A recorder that is killed leaves what it has written.
fragtrace record $out/killed --events 2>/dev/null &
recorder=$!
loop_until "$PATIENCE" eval '[ -n "$(find $out/killed -name "*.events.zst" 2>/dev/null)" ]'
fileop append $MNT/w/late 4096 6 fdatasync
keep_copy late
# it is known up to the last event that was written
fileop append $MNT/w/late 4096 1 fdatasync
loop_until "$PATIENCE" reaches $out/killed late || :
kill -KILL $recorder
wait $recorder || :
mv $out/run $out/first
mv $out/killed $out/run
fragtrace table --csv -t $out/run >$out/last 2>$out/err
check "killed: it still can be read" test -s $out/last -a ! -s $out/err
same late
fragtrace record $out/run --events -n 1 2>$out/log &
recorder=$!
loop_until "$PATIENCE" recorded 2
kill -TERM $recorder
wait $recorder || :
check "the next one goes on, and removes the instance" eval 'grep -q "removed the tracefs" $out/log && [ -z "$(instances)" ]'

# The ring is full: the recorder sleeps, and there are more events than fit.
begin
keep_copy whole
fileop append $MNT/w/late 4096 1 fdatasync
sleep 2
# The change of the size itself may lose events.
echo 16 >"$(instances)/buffer_size_kb"
sleep 2
said=$(messages)
snapshots=$(find $out/run -name '*.events.zst' | wc -l)
kill -STOP $recorder
fileop append $MNT/w/full 4096 1000 fdatasync
lost=$(now)
kill -CONT $recorder
check "lost events are said" loop_until "$PATIENCE" more_messages "$said"
check "and a snapshot follows" loop_until "$PATIENCE" recorded $((snapshots + 1))
keep_copy healed
fileop append $MNT/w/late 4096 1 fdatasync
check "the recording ends as usual" end
sed 's/^/# /' $out/log
same whole
check "a moment of which events are lost is refused" refused "$lost" 'is exact at'
same healed

# The module is unloaded, loaded, and the maps change, all within the time from one snapshot to the next.
begin
fileop append $MNT/w/gone 4096 4 fdatasync
keep_copy before
fileop append $MNT/w/gone 4096 1 fdatasync
# the recorder has to have read that event, which it does in its own time
loop_until "$PATIENCE" reaches $out/run before || :
check "the module can be unloaded during a recording" rmmod fragtrace
gone=$(now)
fileop append $MNT/w/full 4096 9 fdatasync
load path=$MNT/w heat=1
fileop append $MNT/w/gone 4096 4 fdatasync
check "the recorder says that it was unloaded" loop_until "$PATIENCE" grep -q 'the module was unloaded' $out/log
check "and goes on when it is there again" loop_until "$PATIENCE" recorded 2
keep_copy after
fileop append $MNT/w/gone 4096 1 fdatasync
end || :
sed 's/^/# /' $out/log
same before
check "a moment without the module is refused" refused "$gone" 'is exact at'
same after
finish
