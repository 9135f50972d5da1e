#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# judge.sh - one run of a load on an empty volume, recorded at its end; the guest's part of commands/judge.sh.
#
# usage: judge.sh LOAD SEED WORK IDLE, with $MOUNT (options), $SYSFS (NAME=VALUE...), $FRAGTRACE_KO and an empty /dev/vda of the small guest
#
# The volume is mounted as one of 16 GB or more would be: F2FS has other defaults for smaller ones. At the end all files are read
# once, so that there are times of reads, too. The recording goes to /out, which nothing else may be in.

set -eu

tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$tests/lib.sh"

load=$1 seed=$2 work=$3 idle=$4
sock=/tmp/redis.sock

# die(text...) - end all
die() {
	echo "judge: $*" >&2
	exit 1
}

# bail(text...) - what lib.sh calls when it cannot go on: no check is planned here that would fail
bail() {
	die "$@"
}

# === Volume ===

# set_up() - an empty volume with the settings
set_up() {
	local setting file

	mkfs.f2fs -q -f -t 0 $DISK >/dev/null
	mkdir -p $MNT
	mount -t f2fs -o "alloc_mode=default${MOUNT:+,$MOUNT}" $DISK $MNT || die "MOUNT='$MOUNT': F2FS refuses these options: $(dmesg | tail -n 2)"
	# in mode=lfs it has none
	echo 16 2>/dev/null >"/sys/fs/f2fs/${DISK##*/}/ipu_policy" || :
	for setting in $SYSFS; do
		file=/sys/fs/f2fs/${DISK##*/}/${setting%%=*}
		[ -e "$file" ] || die "SYSFS='$SYSFS': this kernel's F2FS has no ${setting%%=*}; names are those in /sys/fs/f2fs/DEV"
		echo "${setting#*=}" 2>/dev/null >"$file" || die "SYSFS='$SYSFS': F2FS refuses ${setting#*=} for ${setting%%=*}"
	done
}

# === Loads ===

# aging() - the volume filled by 80 %, four times as much written, with idle seconds after each 16 MiB
aging() {
	fileop age $MNT/old "$(($(df -k $MNT | awk 'NR == 2 { print $4 }') * 4 / 5))K" $((4 * work)) "$seed" "$idle"
}

# mail() - four mail servers, each with 500 mailboxes of 16 KiB in the mean
mail() {
	local n pids pid

	pids=
	for n in 1 2 3 4; do
		fileop varmail $MNT/mail$n 500 1 0 1 $((seed * 4 + n)) $((600 * work)) >/tmp/mail.$n &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || return 1
	done
}

# fs_mark_load() - four threads that make files of 48 KiB, each with fsync, in 16 folders. It has no seed: only names vary
fs_mark_load() {
	mkdir $MNT/mark
	fs_mark -d $MNT/mark -t 4 -n 400 -L "$work" -s 49152 -S 1 -k -D 16 -N 100 -p 16 -r 8 -l /tmp/fs_mark.log >/tmp/load.log 2>&1
}

# rocksdb() - db_bench with memtables and files so small that a minute has compactions
rocksdb() {
	mkdir $MNT/rocksdb
	db_bench --benchmarks=fillrandom,updaterandom --db=$MNT/rocksdb/db --num=$((15000 * work)) --seed="$seed" --threads=1 --value_size=1000 \
		--key_size=16 --compression_type=none --write_buffer_size=4194304 --target_file_size_base=2097152 \
		--max_bytes_for_level_base=16777216 >/tmp/load.log 2>&1
}

redis_answers() {
	redis-cli -s $sock ping 2>/dev/null | grep -q PONG
}

# redis() - an append-only file that is written anew now and then, and saves. redis-benchmark has no seed: keys vary
redis() {
	local server n

	mkdir $MNT/redis
	redis-server --dir $MNT/redis --port 0 --unixsocket $sock --appendonly yes --appendfsync everysec --save '' \
		--auto-aof-rewrite-min-size 8mb --rdbcompression no --loglevel warning >/tmp/load.log 2>&1 &
	server=$!
	loop_until "$PATIENCE" redis_answers || return 1
	n=0
	while [ $n -lt $((4 * work)) ]; do
		n=$((n + 1))
		redis-benchmark -s $sock -q -t set -n 8000 -r 10000 -d 1000 -c 4 -P 16 >>/tmp/load.log 2>&1 || return 1
		redis-cli -s $sock save >>/tmp/load.log 2>&1 || return 1
	done
	redis-cli -s $sock shutdown nosave || :
	wait $server || :
}

# === A run ===

set_up
load path=$MNT latency=1 ledger=1 gc_runs=1
case $load in
fs-mark) fs_mark_load ;;
*) "$load" ;;
esac || die "the load $load failed: $(tail -n 3 /tmp/load.log 2>/dev/null)"
settle || die "the maps are not exact after $PATIENCE s"
drop_caches
find $MNT -type f -exec cat {} + >/dev/null
fragtrace record /out
awk '!/^#/ { files++; fragmented += $6 > 1; extents += $5 }
	END { printf "%d files, %d fragmented, %d extents\n", files, fragmented, extents }' $DBG/files
