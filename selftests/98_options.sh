#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 98_options.sh - options of databases that do what `fragtrace why` advises: fewer syncs, of two that write in turn
#
# The manual page of fragtrace names those that help here.
#
# kernels: first
# group: causes

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# redis(option) - write into two servers at the same time, then end them
redis() {
	local n pids

	pids=
	for n in 1 2; do
		mkdir -p "$MNT/$1.$n"
		redis-server --dir "$MNT/$1.$n" --port 0 --unixsocket /tmp/redis.$n --appendonly yes --appendfsync "$1" --save '' \
			--loglevel warning >/tmp/redis.log 2>&1 &
	done
	for n in 1 2; do
		loop_until "$PATIENCE" sh -c "redis-cli -s /tmp/redis.$n ping 2>/dev/null | grep -q PONG" || bail "redis-server does not answer"
	done
	for n in 1 2; do
		redis-benchmark -s /tmp/redis.$n -q -t set -n 300 -r 100000 -d 5000 -c 1 >/dev/null &
		pids="$pids $!"
	done
	# shellcheck disable=SC2086
	wait $pids
	for n in 1 2; do
		redis-cli -s /tmp/redis.$n shutdown nosave || :
	done
}

# sqlite(option) - insert into two databases with a log at the same time; the logs are there until both are closed
sqlite() {
	local n i pids

	pids=
	mkdir "$MNT/$1"
	for n in 1 2; do
		{
			echo "pragma journal_mode=wal; pragma wal_autocheckpoint=0; pragma synchronous=$1; create table t(b);"
			echo ".shell touch /tmp/$1.begin.$n; while [ ! -e /tmp/$1.begin.1 ] || [ ! -e /tmp/$1.begin.2 ]; do sleep 0.05; done"
			i=0
			while [ $i -lt 150 ]; do
				echo "insert into t values (zeroblob(3000));"
				i=$((i + 1))
			done
			echo ".shell touch /tmp/$1.$n; while [ -e /tmp/$1.$n ]; do sleep 0.1; done"
		} | sqlite3 "$MNT/$1/$n.db" >/dev/null &
		pids="$pids $!"
	done
	loop_until "$PATIENCE" sh -c "[ -e /tmp/$1.1 ] && [ -e /tmp/$1.2 ]" || bail "sqlite3 has not ended"
	settle
	breaks "$1/.*-wal" >/tmp/wal
	rm "/tmp/$1.1" "/tmp/$1.2"
	# shellcheck disable=SC2086
	wait $pids
	cat /tmp/wal
}

# breaks(pattern) - print how many breaks of files whose paths match are those that fewer syncs are advised against
breaks() {
	awk -v path="^$MNT/$1\$" '!/^#/ && $NF ~ path && $9 " " $10 " " $11 == "append sync interleaved"' $DBG/extents | wc -l
}

plan 3
if ! command -v redis-server >/dev/null || ! command -v sqlite3 >/dev/null; then
	skip_rest "databases" "redis-server or sqlite3 is not here"
fi
make_volume $DISK $MNT background_gc=off || bail "no volume"
echo 16 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
load path=$MNT
redis always
redis everysec
settle
always=$(breaks "always.*aof") everysec=$(breaks "everysec.*aof")
check "Redis: appendfsync everysec, not always ($always; $everysec)" test "$always" -ge 30 -a $((5 * everysec)) -lt "$always"
full=$(sqlite full) normal=$(sqlite normal)
check "SQLite with a log: synchronous=normal, not full ($full; $normal)" test "$full" -ge 30 -a $((5 * normal)) -lt "$full"
check_exact "maps are exact" $MNT
finish
