#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# samples.sh - record the samples of the page; the guest's part of `make samples`.
#
# usage: samples.sh [NAME...], with $OUT, $FRAGTRACE_KO and /dev/vda of 1 GiB; names are rocksdb, redis, gc and rewrite
#
# Each is a recording with all events in $OUT/NAME, of a volume of its own, and replaces the one that is there. F2FS allocates
# as on a volume of 16 GB or more. At the end of each, the maps are compared with FIEMAP.

set -eu

tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$tests/lib.sh"

sock=/tmp/redis.sock
recording=/tmp/recording
recorder='' server=''

# die(text...) - end all
die() {
	echo "samples: $*" >&2
	# shellcheck disable=SC2086 # what has been started
	kill $recorder $server 2>/dev/null || :
	exit 1
}

# large_volume(MiB, mount options) - an empty volume that F2FS treats like a large one
large_volume() {
	mkfs.f2fs -q -f -t 0 $DISK $(($1 * 2048)) >/dev/null
	mount_volume $DISK $MNT "${2:-}"
	echo 16 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
}

# recorded() - has the recording begun?
recorded() {
	[ -n "$(find $recording -name '*.events.zst' 2>/dev/null)" ]
}

# begin(directory, seconds) - watch a directory, and record it with a snapshot every some seconds
begin() {
	watched=$1
	rm -rf $recording
	load path="$watched"
	fragtrace record $recording --events -n "$2" 2>/tmp/record.log &
	recorder=$!
	loop_until "$PATIENCE" recorded || die "the recording has not begun: $(cat /tmp/record.log)"
}

# end(name) - end the recording when all is written back, compare with FIEMAP, keep it
end() {
	settle || die "$1: the maps are not exact after $PATIENCE s"
	sleep 2
	kill -TERM "$recorder"
	wait "$recorder"
	[ ! -s /tmp/record.log ] || die "$1: $(cat /tmp/record.log)"
	! differs -d $DBG "$watched" || die "$1: the maps differ from FIEMAP: $(cat /tmp/fiemap-check.out)"
	rm -rf "${OUT:?}/$1"
	cp -r $recording "$OUT/$1"
	awk -v name="$1" '!/^#/ { files++; fragmented += $6 > 1; extents += $5 }
		END { printf "%s: %d files, %d fragmented, %d extents\n", name, files, fragmented, extents }' $DBG/files
	rmmod fragtrace
	umount $MNT
}

# === RocksDB ===

# bench(arguments...) - run db_bench with a memtable and files so small that a minute has many
bench() {
	db_bench --db=$MNT/db --threads=2 --value_size=1000 --key_size=16 --num=100000 --seed=1 --compression_type=none \
		--write_buffer_size=8388608 --target_file_size_base=4194304 --max_bytes_for_level_base=33554432 "$@" >/tmp/db_bench.log 2>&1 ||
		die "rocksdb: $(tail -n 3 /tmp/db_bench.log)"
}

# rocksdb() - a minute of db_bench
#
# The last block of an .sst moves if it is written back after the file was cut, which usually takes half a minute: here three seconds.
# db_bench removes the folder of the database and makes it anew, so the one above is watched.
rocksdb() {
	large_volume 1024
	begin $MNT 15
	bench --benchmarks=fillrandom --duration=20
	bench --benchmarks=updaterandom --use_existing_db=1 --duration=40
	end rocksdb
}

# === Redis ===

redis_answers() {
	redis-cli -s $sock ping 2>/dev/null | grep -q PONG
}

# set_keys(count) - write values of 1000 bytes
set_keys() {
	redis-benchmark -s $sock -q -t set -n "$1" -r 30000 -d 1000 -c 4 -P 16 >/dev/null
}

# redis() - a minute of Redis with an append-only file and saves, on a volume that was full of small files and has their holes
redis() {
	local until

	large_volume 512 background_gc=off
	mkdir $MNT/old $MNT/redis
	/usr/bin/python3 "$tests/papers/in_guest/age.py" $MNT/old 0.92 0.4 1
	begin $MNT/redis 15
	# Debian's package of the server would start a service. Its program is another name of this one.
	ln -sf "$(command -v redis-check-rdb)" /tmp/redis-server
	/tmp/redis-server --dir $MNT/redis --port 0 --unixsocket $sock --appendonly yes --appendfsync everysec --save '10 1000' \
		--auto-aof-rewrite-min-size 8mb --rdbcompression no --loglevel warning >/tmp/redis.log 2>&1 &
	server=$!
	loop_until "$PATIENCE" redis_answers || die "redis-server does not answer: $(tail -n 3 /tmp/redis.log)"
	until=$(($(date +%s) + 60))
	while [ "$(date +%s)" -lt $until ]; do
		set_keys 2000
		sleep 0.5
	done
	redis-cli -s $sock shutdown nosave || :
	wait $server || :
	end redis
}

# === Garbage collection ===

# gc() - files that lie in one piece, every other one deleted; then F2FS collects the half-empty segments
gc() {
	local n

	large_volume 384
	mkdir $MNT/photos
	n=100
	while [ $n -lt 220 ]; do
		head -c $(((1400 + n * 7919 % 1600) * 1024)) /dev/zero >$MNT/photos/$n.jpg
		n=$((n + 1))
	done
	sync
	rm $MNT/photos/*[13579].jpg
	sync
	begin $MNT/photos 10
	sleep 5
	echo 250 >"/sys/fs/f2fs/${DISK##*/}/gc_urgent_sleep_time"
	echo 1 >"/sys/fs/f2fs/${DISK##*/}/gc_urgent"
	sleep 25
	echo 0 >"/sys/fs/f2fs/${DISK##*/}/gc_urgent"
	end gc
}

# === A rewrite ===

# download() - write a file of 24 MiB as peers send it: blocks of 16 KiB in any order, for about 20 s
download() {
	/usr/bin/python3 - $MNT/downloads/debian.iso <<-PYTHON
	import os, random, sys, time
	size, n = 16384, 1536
	file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
	for at in random.Random(1).sample(range(n), n):
	    os.pwrite(file, os.urandom(size), at * size)
	    time.sleep(20 / n)
	PYTHON
}

# rewrite() - a file arrives in disorder, then fragtrace defrag puts it into one piece, in some seconds
rewrite() {
	large_volume 160
	mkdir $MNT/downloads
	begin $MNT/downloads 10
	download
	sync
	sleep 4
	fragtrace defrag --all --recent 0 --rate 4M --apply $MNT/downloads >/tmp/defrag.txt 2>&1 || die "rewrite: $(cat /tmp/defrag.txt)"
	grep '^moved\|^now' /tmp/defrag.txt
	sleep 4
	end rewrite
}

# a minute has what half an hour has with 30 s and 5 s
echo 300 >/proc/sys/vm/dirty_expire_centisecs
echo 100 >/proc/sys/vm/dirty_writeback_centisecs
[ $# -gt 0 ] || set -- rocksdb redis gc rewrite
case "$# $1" in
"1 rocksdb" | "1 redis" | "1 gc" | "1 rewrite") "$1" ;;
"1 "*) die "sample '$1': expected rocksdb, redis, gc or rewrite" ;;
*)
	# one that fails ends no other one
	failed=0
	for sample; do
		"$0" "$sample" || failed=1
	done
	exit $failed
	;;
esac
