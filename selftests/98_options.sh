#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 98_options.sh - options of databases: which do what `fragtrace why` advises, with free segments and on a nearly full volume
#
# The manual page of fragtrace names those that help here. Those that are often recommended and do not help are tried here, too.
# Each database runs twice at the same time, or beside another program, so that F2FS's logs go on in between.
#
# kernels: first
# group: causes

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=before_after.sh
. "$here/before_after.sh"

# twice(command...) - run it with $N of 1 and of 2, at the same time
twice() {
	local pid pids=

	for N in 1 2; do
		"$@" &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || bail "failed: $*"
	done
}

# beside(command...) - run it beside a program that rewrites a file, so many blocks with each sync that F2FS writes them elsewhere, and so
# few that it does to the log of hot data, as the few blocks of the command
beside() {
	local pid

	fileop write $MNT/other 0 1M sync
	fileop random $MNT/other 256 100000 98 every 12 >/dev/null &
	pid=$!
	"$@"
	kill $pid
	wait $pid 2>/dev/null || :
}

# together(name) - true once both have come here
together() {
	touch "/tmp/$1.$N"
	loop_until "$PATIENCE" test -e "/tmp/$1.1" -a -e "/tmp/$1.2"
}

# redis(appendfsync) - a server, and a client that writes
redis() {
	local sock=/tmp/redis.$N

	mkdir "$MNT/redis.$1.$N"
	redis-server --dir "$MNT/redis.$1.$N" --port 0 --unixsocket "$sock" --appendonly yes --appendfsync "$1" --save '' --loglevel warning \
		>"/tmp/redis.log.$N" 2>&1 &
	loop_until "$PATIENCE" sh -c "redis-cli -s $sock ping 2>/dev/null | grep -q PONG" || return 1
	together "redis.$1"
	redis-benchmark -s "$sock" -q -t set -n 60 -r 100000 -d 5000 -c 1 >/dev/null
	redis-cli -s "$sock" shutdown nosave
	wait $!
}

# sqlite(name, rows, bytes, command...) - so many transactions, a row of so many bytes each, after these commands
sqlite() {
	local name=$1 rows=$2 bytes=$3

	shift 3
	{
		printf '%s\n' "$@" "create table t(b);"
		together "sqlite.$name" >&2
		awk -v n="$rows" -v bytes="$bytes" 'BEGIN { while (n--) print "insert into t values (zeroblob(" bytes "));" }'
	} | sqlite3 "$MNT/sqlite.$name.$N" >/dev/null
}

# lmdb_with(name, transactions, records of each, option...) - write with these options
lmdb_with() {
	local name=$1 transactions=$2 records=$3

	shift 3
	together "lmdb.$name"
	lmdb "$MNT/lmdb.$name.$N" "$transactions" "$records" "$N" "$@"
}

# rocksdb(name, lines of its options, option of db_bench...) - write 1000 keys
rocksdb() {
	local name=$1 lines=$2

	shift 2
	printf '%s\n' "[Version]" "rocksdb_version=7.8.3" "options_file_version=1.1" "[DBOptions]" "create_if_missing=true" "$lines" \
		"[CFOptions \"default\"]" "write_buffer_size=2097152" "target_file_size_base=65536" "compression=kNoCompression" \
		"[TableOptions/BlockBasedTable \"default\"]" >"/tmp/$name.ini"
	db_bench --options_file="/tmp/$name.ini" --db="$MNT/rocksdb.$name" --seed=98 --num=1000 --value_size=1000 "$@" >"/tmp/$name.log" 2>&1 ||
		bail "RocksDB: $(tail -n 1 "/tmp/$name.log")"
}

# journald(SyncIntervalSec) - let it write messages, and the kernel write them back
journald() {
	local id=0123456789abcdef0123456789abcdef n=0 pid

	rm -rf /run/systemd /var/log/journal
	mkdir -p /run/systemd/journal /var/log /etc/systemd "$MNT/journald.$1/$id"
	ln -s "$MNT/journald.$1" /var/log/journal
	echo $id >/etc/machine-id
	printf '%s\n' "[Journal]" Storage=persistent "SyncIntervalSec=$1" ReadKMsg=no Audit=no >/etc/systemd/journald.conf
	: >/run/systemd/journal/flushed
	SYSTEMD_LOG_TARGET=console systemd-journald >/tmp/journald.log 2>&1 &
	pid=$!
	ln -sf /run/systemd/journal/dev-log /dev/log
	loop_until "$PATIENCE" test -S /run/systemd/journal/dev-log || bail "no journald: $(tail -n 1 /tmp/journald.log)"
	while [ $n -lt 5 ]; do
		n=$((n + 1))
		seq $((n * 1000)) $((n * 1000 + 20)) | sed 's/$/ messages/' | logger
		sleep 1.5
		sync
	done
	kill $pid
	wait $pid || :
}

# options(volume) - those that help
options() {
	twice redis always
	twice redis everysec
	helps "$1: Redis: appendfsync always; everysec" "redis.always.*aof" "redis.everysec.*aof"

	for sync in full normal; do
		twice sqlite $sync 50 300 ".filectrl persist_wal 1" "pragma journal_mode=wal;" "pragma synchronous=$sync;"
	done
	helps "$1: SQLite, the log: synchronous full; normal" "sqlite.full..-wal" "sqlite.normal..-wal"
	for mode in delete wal; do
		twice sqlite $mode 40 3000 "pragma journal_mode=$mode;"
	done
	helps "$1: SQLite: journal_mode delete; wal" "sqlite.delete.." "sqlite.wal.."
	twice sqlite chunk 40 3000 "pragma journal_mode=delete;" ".filectrl chunk_size 262144"
	helps "$1: SQLite: chunk_size 0; 256 KiB" "sqlite.delete.." "sqlite.chunk.."

	twice lmdb_with default 200 1
	twice lmdb_with larger 2 100
	helps "$1: LMDB: 1 record in each transaction; 100" "lmdb.default.." "lmdb.larger.."
	twice lmdb_with nosync 200 1 nosync
	helps "$1: LMDB: MDB_NOSYNC" "lmdb.default.." "lmdb.nosync.."
	twice lmdb_with mapasync 200 1 writemap mapasync
	helps "$1: LMDB: MDB_WRITEMAP and MDB_MAPASYNC" "lmdb.default.." "lmdb.mapasync.."
}

# some_help() - those that help where segments are free; on a nearly full volume the holes have the say
some_help() {
	twice sqlite ten 40 3000 "pragma journal_mode=wal;" "pragma wal_autocheckpoint=10;"
	helps "free segments: SQLite: wal_autocheckpoint 10; 1000" "sqlite.ten.." "sqlite.wal.."
	for sync in 1 0; do
		beside rocksdb "sync.$sync" "" --benchmarks=fillrandom --batch_size=16 --sync=$sync
	done
	helps "free segments: RocksDB, the log: sync=true; false" "rocksdb.sync.1/.*log" "rocksdb.sync.0/.*log"
}

# no_help() - those that do not, though they are often recommended
no_help() {
	twice sqlite truncate 40 3000 "pragma journal_mode=truncate;"
	same "SQLite: journal_mode delete; truncate" "sqlite.delete.." "sqlite.truncate.."
	twice sqlite delete.normal 40 3000 "pragma journal_mode=delete;" "pragma synchronous=normal;"
	same "SQLite: synchronous full; normal, without a log" "sqlite.delete.." "sqlite.delete.normal.."
	for option in nometasync writemap; do
		twice lmdb_with $option 200 1 $option
		same "LMDB: $option" "lmdb.default.." "lmdb.$option.."
	done
	for value in true false; do
		rocksdb "fallocate.$value" "allow_fallocate=$value" --benchmarks=fillrandom,compact
	done
	same "RocksDB, tables: allow_fallocate=true; false" "rocksdb.fallocate.true/.*sst" "rocksdb.fallocate.false/.*sst"
	command -v systemd-journald >/dev/null || { skip "journald" "systemd-journald is not here" && return; }
	for value in 5m 1s; do
		journald $value
	done
	same "journald: SyncIntervalSec 5m; 1s" "journald.5m/.*journal" "journald.1s/.*journal"
}

plan 24
for program in redis-server sqlite3 db_bench lmdb; do
	command -v $program >/dev/null || skip_rest "databases" "$program is not here"
done
# journald wants it
mkdir -p /sys/fs/cgroup
mounted /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
begin
options "free segments"
some_help
no_help
check_exact "maps are exact" $MNT
judge
# holes of 180 KB on average: a database is larger than those of single files
fill '[123]'
options "nearly full"
judge
finish
