#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ycsb.sh - YCSB's workload F on a database on F2FS, watched by fragtrace.
#
# usage: ycsb.sh DATABASE VOLUME RECORDS THREADS SECONDS... with $CLIENTS, the class path of YCSB and its bindings
#
# DATABASE is rocksdb, redis or voltdb, VOLUME one of common.sh. At each of these SECONDS after the workload has begun, a moment
# is kept, without a sync; after the last one the workload is ended. With $OPERATIONS it ends after so many instead, with the
# moment `done`. VoltDB: $VOLTDB is the class path of its server, $PERIOD the seconds between two of its snapshots; or
# $SNAPSHOTS are taken, one after each $EVERY operations.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=common.sh
. "$here/common.sh"
# shellcheck source=databases.sh
. "$here/databases.sh"

database=$1 volume=$2 records=$3 threads=$4
shift 4

# When this file is there, the workload ends.
STOP=/tmp/fragtrace.stop

# client(phase, options...) - run YCSB; its figures and its progress are kept
client() {
	local phase

	phase=$1
	shift
	# The emulation is slow to compile: only the first compiler. Without $OPERATIONS it is $STOP that ends workload F.
	# shellcheck disable=SC2046 # a list of options
	java $(opens) -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m -Djava.io.tmpdir=/tmp -cp "$CLIENTS" site.ycsb.Client "-$phase" \
		-db "$(binding_of "$database")" -threads "$threads" -s -p status.interval=5 \
		-p workload=fragtrace.Stoppable -p recordcount="$records" -p operationcount="${OPERATIONS:-1000000000}" \
		-p readproportion=0.5 -p readmodifywriteproportion=0.5 -p updateproportion=0 -p scanproportion=0 -p insertproportion=0 \
		-p requestdistribution=zipfian -p readallfields=true "$@" >"$OUT/$phase.figures" 2>"$OUT/$phase.log"
}

# running() - has the first status line of the workload come?
running() {
	grep -q ' 0 sec: ' "$OUT/t.log" || ! kill -0 "$ycsb" 2>/dev/null
}

# passed() - print the seconds since the workload began
passed() {
	echo $(($(date +%s) - begun))
}

# until_second(second) - wait until this second of the workload has come, or it has ended; say how far it is
until_second() {
	while [ "$(passed)" -lt "$1" ] && kill -0 $ycsb 2>/dev/null; do
		sleep 0.5
		[ "$(passed)" -lt "$next" ] || {
			echo "workload F: $(passed) s, $(operations) operations"
			next=$((next + 10))
		}
	done
}

# operations() - print how many the workload has done
operations() {
	sed -n 's/^.* sec: \([0-9]*\) operations;.*/\1/p' "$OUT/t.log" | tail -n 1
}

# taken(name) - keep a moment of the workload
taken() {
	moment "$1" "$(passed)"
	{
		echo "taken $(passed)"
		echo "operations $(operations)"
	} >>"$OUT/$1.facts"
}

volume "$volume"
server_start
echo "$database: loads $records records"
# shellcheck disable=SC2046 # a list of options
client load $(options_of "$database") || die "the load failed: $(tail -n 3 "$OUT/load.log")"
{
	echo "written_kib $(written)"
	echo "load $(sed -n 's/^\[OVERALL\], Throughput(ops\/sec), //p' "$OUT/load.figures")"
} >"$OUT/load.facts"
last=${OPERATIONS:+7200}
[ -n "$last" ] || for last; do :; done
# The time is for what hangs. It is long, since on a busy machine this script may be minutes late, and must not come after the end.
# shellcheck disable=SC2046 # a list of options
client t $(options_of "$database" | sed 's/voltdb.create=true/voltdb.create=false/') -p fragtrace.stop=$STOP \
	-p maxexecutiontime=$((last + 600)) &
ycsb=$!
: >>"$OUT/t.log"
loop_until 300 running || die "YCSB does not begin"
begun=$(date +%s)
next=10
for second; do
	until_second "$second"
	# after so many operations it may end at any time
	kill -0 $ycsb 2>/dev/null || [ -n "${OPERATIONS:-}" ] || die "YCSB ended too early: $(tail -n 3 "$OUT/t.log")"
	taken "$second"
done
if [ -n "${OPERATIONS:-}" ]; then until_second "$last"; else : >$STOP; fi
wait $ycsb || die "workload F failed: $(tail -n 3 "$OUT/t.log")"
[ -z "${OPERATIONS:-}" ] || {
	loop_until 600 complete || die "not all snapshots were taken: $(grep asked_ "$OUT/t.log" | tail -n 3)"
	[ -z "$SERVER" ] || kill -0 $SERVER || die "the server has ended"
	taken "done"
}
server_stop
end_all "$(passed)"
