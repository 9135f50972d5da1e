#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# day.sh - RocksDB at a steady rate, recorded with all events; the guest's part of commands/day.sh.
#
# usage: day.sh HOURS RATE SYNC, with $OUT, $FRAGTRACE_KO and an empty /dev/vda
#
# Twice in an hour the database is stopped for a moment, and a copy of the maps is kept. It is not part of the recording.

set -eu

tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$tests/lib.sh"

hours=$1 rate=$2 sync=$3
recording=$OUT/recording

# bench(arguments...) - run db_bench with a memtable and files so small that compactions are frequent
bench() {
	exec db_bench --db=$MNT/db --value_size=1000 --key_size=16 --num=200000 --compression_type=none --seed=14 \
		--write_buffer_size=8388608 --target_file_size_base=4194304 --max_bytes_for_level_base=33554432 \
		"$@" >>"$OUT/db_bench.log" 2>&1
}

# uptime_secs() - print the seconds since the boot
uptime_secs() {
	cut -d . -f 1 /proc/uptime
}

# written() - print the MB that the volume's device was given
written() {
	awk '{ printf "%d\n", $7 / 2048 }' /sys/block/vda/stat
}

# keep_copy(number) - keep a copy of the maps while the database does nothing
keep_copy() {
	kill -STOP $database
	if settle; then
		cat $DBG/snapshot >"$OUT/copies/$1.snapshot"
	else
		echo "copy $1: the maps are not exact after $PATIENCE s" >&2
	fi
	sleep 0.01
	kill -CONT $database
}

# progress(number) - print one line
progress() {
	awk -v hours="$(($1 / 2)).$(($1 % 2 * 5))" -v mb="$(written)" -v bytes="$(find "$recording" -type f -exec cat {} + | wc -c)" '
		/^#/ { next }
		$NF ~ /\.sst$/ { files++; fragmented += $6 > 1 }
		{ extents += $5 }
		END {
			printf "%s hours: %d MB written, %d .sst files, %d of them fragmented, %d extents; the recording has %d bytes\n",
				hours, mb, files, fragmented, extents, bytes
		}' $DBG/files
}

# cpu(name, pid) - print the time that a process has used, which is its instructions
cpu() {
	awk -v name="$1" -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); printf "%s: %.0f s of the CPU, %.0f of them in the kernel\n", name, ($12 + $13) / hz, $13 / hz }' \
		"/proc/$2/stat"
}

# make_default_volume() - one with F2FS's defaults: it is large enough that files are not rewritten in place
make_default_volume() {
	mkfs.f2fs -q -f -t 1 $DISK >/dev/null
	mkdir -p $MNT
	mount -t f2fs $DISK $MNT
}

mkdir -p "$OUT/copies"
make_default_volume
mkdir $MNT/db
insmod "$FRAGTRACE_KO" path=$MNT/db
fragtrace record "$recording" --events 2>"$OUT/record.log" &
recorder=$!
loop_until "$PATIENCE" eval '[ -n "$(find $recording -name "*.events.zst" 2>/dev/null)" ]'
before=$(stat_of events_write)
bench --benchmarks=overwrite --duration=$((hours * 3600)) --benchmark_write_rate_limit="$rate" --sync="$sync" &
database=$!
began=$(uptime_secs)
n=0
while [ $n -lt $((hours * 2)) ]; do
	n=$((n + 1))
	# the last one before the database ends, however long the others took
	sleep $((began + n * 1800 - 60 - $(uptime_secs)))
	keep_copy $n
	progress $n
	cpu "  the database" $database
done
wait $database
{
	cpu "the recorder" $recorder
	awk '{ printf "%.0f s since the boot, %.0f of them idle\n", $1, $2 }' /proc/uptime
} >"$OUT/cpu"
kill -TERM $recorder
wait $recorder
{
	echo "$hours hours of RocksDB at $rate bytes a second, sync=$sync"
	grep -a '^overwrite' "$OUT/db_bench.log"
	echo "$(written) MB written to the device, $(($(stat_of events_write) - before)) events of writes in the module"
	cat "$OUT/cpu"
} >"$OUT/figures"
cat $DBG/stats >"$OUT/stats"
