#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench/apps.sh - the cost of following F2FS for databases, and of other ways to find the layout of their files.
#
# Runs in the small guest with counted instructions, F2FS on a RAM disk of 20 GB, which F2FS treats like
# any large disk. Each application does the same work in each mode, in turn, $RUNS times. The result is
# the number of all instructions of the guest. $APPS and $MODES choose. bpftrace takes minutes to start here,
# so it comes last and stays loaded for all its runs.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../lib.sh
. /selftests/lib.sh
# shellcheck source=modes.sh
. "$here/modes.sh"
# shellcheck source=peers.sh
. "$here/peers.sh"

RUNS=${RUNS:-3}
APPS=${APPS:-"rocksdb redis fio_write fio_sync fio_20 churn rocksdb_fio redis_fio rocksdb_aged"}
MODES=${MODES:-"off idle no_causes tracing events reader filefrag_1s filefrag_5s ftrace"}
# One more mode, or none.
LAST=${LAST-bpftrace}
# Divides all work: 1 for figures, more for a quick test.
LESS=${LESS:-1}
COSTS=/sys/kernel/debug/event_cost

# === Applications ===

# Small memtables and files, so that a short run makes many files, like a long one with the defaults.
rocksdb() {
	db_bench --benchmarks=fillrandom,updaterandom --db="$MNT/db" --num=$((30000 / LESS)) --seed=1 --threads=1 \
		--value_size=1000 --key_size=16 --compression_type=none --write_buffer_size=$((4194304 / LESS)) \
		--target_file_size_base=$((2097152 / LESS)) --max_bytes_for_level_base=$((16777216 / LESS))
}

redis_half() {
	redis-benchmark -s /tmp/redis.sock -q -t set -n $((20000 / LESS)) -r 10000 -d 1000 -c 4 -P 4
	redis-cli -s /tmp/redis.sock save
}

redis() {
	mkdir "$MNT/redis"
	redis-server --dir "$MNT/redis" --port 0 --unixsocket /tmp/redis.sock --appendonly yes --appendfsync everysec \
		--save '' --daemonize yes --pidfile /tmp/redis.pid --logfile /tmp/redis.log
	loop_until 60 redis-cli -s /tmp/redis.sock ping
	redis_half
	redis_half
	redis-cli -s /tmp/redis.sock shutdown nosave
}

fio_write() {
	fio --name=w --directory="$MNT" --rw=write --bs=1M --size=$((256 / LESS))M --end_fsync=1
}

fio_sync() {
	fio --name=s --directory="$MNT" --rw=randwrite --bs=4k --size=$((64 / LESS))M --fdatasync=16 --randseed=1
}

# The paper's load: 20 jobs, random reads and writes of 4 KiB in files of 4 MiB.
fio_20() {
	fio --name=j --directory="$MNT" --rw=randrw --bs=4k --size=4M --numjobs=20 --loops=1 \
		--end_fsync=1 --randseed=1 --group_reporting
}

# Create and delete names in 64 folders.
churn() {
	bench-work churn "$MNT" 64 $((64 / LESS))
}

# beside(application) - a part of its work in parallel with the 20 jobs; both have a fixed amount
beside() {
	local other

	LESS=$((LESS * 4))
	fio_20 &
	other=$!
	"$1"
	wait $other
}

# aged() - other files of an old volume: 200 files of 16 extents, which are not accessed
aged() {
	local n

	mkdir "$MNT/old"
	n=0
	while [ $n -lt 200 ]; do
		bench-work holes "$MNT/old/$n" 16 >/dev/null || bail "no old files"
		n=$((n + 1))
	done
}

# application(name) - run its work once
application() {
	case $1 in
	*_aged) "${1%_aged}" ;;
	*_fio) beside "${1%_fio}" ;;
	*) "$1" ;;
	esac
}

# === Modes ===

# fresh() - an empty volume on an empty RAM disk
fresh() {
	! mounted "$MNT" || umount "$MNT"
	! [ -d /sys/module/brd ] || rmmod brd
	modprobe brd rd_nr=1 rd_size=$((20 * 1024 * 1024))
	mkdir -p "$MNT"
	mkfs.f2fs -q -f -t 0 /dev/ram0 >/dev/null
	mount -t f2fs -o $BENCH_OPTIONS /dev/ram0 "$MNT"
}

# begin(mode), finally(mode) - prepare a run, and clean up after it
begin() {
	case $1 in
	off | idle | no_causes | tracing | heat | latency | ledger | gc_runs | events) mode_begin "$1" ;;
	probes_*)
		mode_begin "${1#probes_}"
		insmod /tools/event_cost.ko || bail "cannot load event_cost.ko"
		echo 0 >$COSTS
		;;
	reader)
		mode_begin tracing
		peer_begin reader
		;;
	"$LAST") ;;
	*) peer_begin "$1" ;;
	esac
}

finally() {
	[ "$1" = "$LAST" ] || peer_end
	! [ -d /sys/module/event_cost ] || rmmod event_cost
	mode_end
}

# long_enough(application) - does its work take long enough for a scan every five seconds?
long_enough() {
	case $1 in
	rocksdb | redis | rocksdb_aged) true ;;
	*) false ;;
	esac
}

# one_run(application, mode, run) - prepare, work, clean up; print the cost
one_run() {
	local cost count

	fresh
	case $1 in *_aged) aged ;; esac
	begin "$2"
	cost=$(bench-work run sh "$0" application "$1" 2>/tmp/app.log) || {
		sed 's/^/# /' /tmp/app.log | tail -n 20
		bail "$1, $2: the work failed"
	}
	case $2 in
	probes_*)
		awk -v head="result apps $1 $2 $3" '!/^#/ { hits += $2; sum += $3 }
			END { print head, "hits", hits; print head, "probe_instructions", sum }' $COSTS
		;;
	*) result apps "$1" "$2" "$3" instructions "$cost" ;;
	esac
	if [ "$2" = tracing ]; then
		for count in rescans mismatches lost; do
			result apps "$1" "$2" "$3" $count "$(stat_of $count)"
		done
	fi
	finally "$2"
}

if [ "${1:-}" = application ]; then
	trap - EXIT
	application "$2"
	exit
fi

plan 1
quiet
result apps machine off 1 two_instructions "$(spinning)"
for app in $APPS; do
	run=0
	while [ $run -lt "$RUNS" ]; do
		for mode in $MODES; do
			[ "$mode" != filefrag_5s ] || long_enough "$app" || continue
			one_run "$app" "$mode" $run
		done
		run=$((run + 1))
	done
	for mode in probes_off probes_no_causes probes_tracing probes_events; do
		one_run "$app" $mode 1
	done
done
if [ -n "$LAST" ]; then
	peer_begin "$LAST"
	for app in $APPS; do
		run=0
		while [ $run -lt "$RUNS" ]; do
			one_run "$app" "$LAST" $run
			run=$((run + 1))
		done
	done
	peer_end
fi
ok "measured"
finish
