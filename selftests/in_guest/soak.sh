#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# soak.sh - fragtrace defrag moves files again and again while programs write and check them; the guest's part of
# commands/soak.sh.
#
# usage: soak.sh live SECONDS SEED     programs that check what they read, beside fragtrace defrag without a pause
#        soak.sh cuts COUNT SEED       the power fails COUNT times while fragtrace defrag moves files
#
# The power fails in that dm-flakey drops all writes from a random moment on: the disk keeps what was written until then.

set -eu

tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$tests/lib.sh"

mode=$1 amount=$2 seed=$3
database=$tests/in_guest/checked_db.py
run=/tmp/soak
flakey=
# F2FS takes the next segment at random: ranges in which one ends are moved once more.
SCATTERED=mode=fragment:segment
mkdir -p $run
# of its own, whatever is built on the host meanwhile
cp "$(command -v fragtrace)" $run/
PATH=$run:$PATH

# ways() - print how fragtrace defrag can move blocks on this kernel
ways() {
	case $(uname -r) in
	6.[0-9].* | 6.1[01].*) echo mapping ;;
	*) echo "mapping ioctl" ;;
	esac
}

# === Programs that check what they read ===

# until_end(name, command...) - repeat a command until the time is over or it fails; keep its last output and its failure
until_end() {
	local name n

	name=$1 n=0
	shift
	while [ "$(date +%s)" -lt "$end" ]; do
		"$@" >"$run/$name.out" 2>&1 || {
			cp "$run/$name.out" "$run/$name.failed"
			return 0
		}
		n=$((n + 1))
		echo $n >"$run/$name.rounds"
	done
}

# one_fio(direct) - write a file at random, and verify all of it
one_fio() {
	fio --name="verify$1" --directory=$MNT/fio --filename="verify$1" --size=48M --rw=randwrite --bsrange=4k-64k --bs_unaligned=0 \
		--ioengine=psync --direct="$1" --fsync=64 --verify=crc32c --verify_fatal=1 --do_verify=1 --randrepeat=0 \
		--allrandrepeat=0 --output-format=terse
}

# rocksdb_bench(arguments...) - RocksDB's benchmark with small files
rocksdb_bench() {
	db_bench --db=$MNT/rocksdb --num=20000 --value_size=1000 --compression_type=none --write_buffer_size=2097152 \
		--target_file_size_base=1048576 --max_bytes_for_level_base=8388608 --seed="$seed" "$@"
}

# dump_sum() - print the checksum of all keys and values
dump_sum() {
	ldb --db=$MNT/rocksdb scan --hex | sha256sum
}

# one_rocksdb() - overwrite keys, have RocksDB verify its checksums, and read all twice, the second time from the disk
one_rocksdb() {
	local more

	more=
	[ ! -e $MNT/rocksdb/CURRENT ] || more=--use_existing_db=1
	rocksdb_bench $more --benchmarks=overwrite,verifychecksum
	dump_sum >$run/rocksdb.first
	sync
	echo 1 >/proc/sys/vm/drop_caches
	dump_sum >$run/rocksdb.second
	cmp $run/rocksdb.first $run/rocksdb.second
}

# one_sqlite(journal) - SQLite with a content that is known
one_sqlite() {
	rm -f $MNT/sqlite/"$1"*
	python3 "$database" write "$MNT/sqlite/$1" --journal "$1" --seconds 30 --seed "$seed"
}

# one_fsx() - fsx of xfstests
one_fsx() {
	"$XFSTESTS/ltp/fsx" -q --duration=30 -S "$seed" -l 4194304 -o 131072 -P $run $MNT/fsx
}

# === fragtrace defrag ===

# has_blocks() - has a watched file blocks?
has_blocks() {
	sync -f $MNT
	awk '!/^#/ && $4 > 0 { found = 1 } END { exit !found }' $DBG/files
}

# defragment() - move all files by each way in turn until the end; count the runs, and what they moved
defragment() {
	local runs odd moved way rc

	runs=0 odd=0 moved=0
	loop_until "$PATIENCE" has_blocks || :
	while [ "$(date +%s)" -lt "$end" ]; do
		for way in $(ways); do
			rc=0
			fragtrace defrag --all --recent 0 --apply --way "$way" $MNT >$run/defrag.out 2>&1 || rc=$?
			runs=$((runs + 1))
			# 3: a part was not moved, because others were faster; 4: nothing is worth it
			[ $rc = 0 ] || [ $rc = 3 ] || [ $rc = 4 ] || {
				odd=$((odd + 1))
				{ echo "status $rc" && cat $run/defrag.out; } >$run/defrag.failed
			}
			moved=$((moved + $(sed -n 's/^moved: \([0-9]*\) .*/\1/p' $run/defrag.out | head -n 1) + 0))
			sed -n 's/^ *not moved: \([0-9]*\) .*: /\1 /p; s/^ended early: \(.*\);.*/0 ended early: \1/p' $run/defrag.out >>$run/reasons
			echo "$runs $odd $moved" >$run/defrag.new
			mv $run/defrag.new $run/defrag.runs
		done
		sleep 1
	done
}

# rounds(name) - print how often a program has ended well
rounds() {
	cat "$run/$1.rounds" 2>/dev/null || echo 0
}

# progress() - print one line
progress() {
	local name line

	line=
	for name in $programs; do
		line="$line, $name $(rounds "$name")"
	done
	echo "# $(($(date +%s) - begin)) s: fragtrace defrag: $(cat $run/defrag.runs 2>/dev/null || echo 0 0 0) (runs, failures, moved ranges)$line"
}

# live() - everything at once
live() {
	local name pids

	programs="buffered direct rocksdb wal delete shadow"
	[ -z "${XFSTESTS:-}" ] || programs="$programs fsx"
	plan 11
	make_volume $DISK $MNT $SCATTERED || bail "no volume"
	mkdir $MNT/fio $MNT/sqlite
	load path=$MNT heat=1
	begin=$(date +%s)
	end=$((begin + amount))
	pids=
	for name in $programs; do
		case $name in
		buffered) until_end $name one_fio 0 & ;;
		direct) until_end $name one_fio 1 & ;;
		rocksdb) until_end $name one_rocksdb & ;;
		wal) until_end $name one_sqlite WAL & ;;
		delete) until_end $name one_sqlite DELETE & ;;
		shadow) until_end $name fileop shadow $MNT/shadow 30 "$seed" & ;;
		fsx) until_end $name one_fsx & ;;
		esac
		pids="$pids $!"
	done
	defragment &
	pids="$pids $!"
	while [ "$(date +%s)" -lt "$end" ]; do
		sleep 60
		progress
	done
	# shellcheck disable=SC2086 # a list
	wait $pids
	for name in buffered direct rocksdb wal delete shadow fsx; do
		case " $programs " in
		*" $name "*) ;;
		*) skip "$name: every byte that is read is right" "XFSTESTS is not set" && continue ;;
		esac
		if [ -e $run/$name.failed ] || [ "$(rounds $name)" = 0 ]; then
			not_ok "$name: every byte that is read is right" "$(rounds $name) rounds"
			head -n 15 $run/$name.out | cut -c 1-200 | sed 's/^/# /'
			log_since | grep -v 'Call Trace' | tail -n 15 | sed 's/^/# log: /'
		else
			ok "$name: every byte that is read is right"
			echo "# $(rounds $name) rounds"
		fi
	done
	read -r runs odd moved <$run/defrag.runs
	echo "# fragtrace defrag: $runs runs, $moved ranges moved; not moved, by file and why:"
	awk '{ n[substr($0, length($1) + 2)] += $1; times[substr($0, length($1) + 2)]++ }
		END { for (why in n) print "#   " n[why] " ranges, " times[why] " times: " why }' $run/reasons
	check "fragtrace defrag ends with the status of success or of a part" test "$odd" = 0 -a "$moved" -gt 0
	[ "$odd" = 0 ] || sed 's/^/# /' $run/defrag.failed
	check_exact "maps are exact" $MNT
	echo 1 >$DBG/audit
	expect "an audit finds no difference" "$(stat_of audit_differences)" 0
	unload
	umount $MNT
	check "fsck.f2fs finds nothing" fsck_clean $DISK
	finish
}

# === Power failures ===

# disk(up seconds, down seconds, [drop_writes]) - let the disk keep or drop what is written from now on
disk() {
	local features

	features=${3:+1 $3}
	echo "0 $(blockdev --getsz $DISK) flakey $DISK 0 $1 $2 ${features:-0}" >$run/disk
	[ -n "$flakey" ] || {
		dmsetup create soak $run/disk
		flakey=$(realpath /dev/mapper/soak)
		return 0
	}
	# without a freeze of F2FS, which would write a checkpoint
	dmsetup suspend --nolockfs soak
	dmsetup load soak $run/disk
	dmsetup resume soak
}

# break_files(round) - rewrite blocks of eight files at random; remember their content
break_files() {
	local n

	for n in 0 1 2 3 4 5 6 7; do
		fileop random $MNT/still$n 256 128 $((seed + $1 * 8 + n)) >/dev/null
	done
	sync
	sha256sum $MNT/still? >$run/sums
}

# cut(round, way) - move files beside SQLite, let the power fail, and compare after the next mount; print what is wrong
cut() {
	local writer mover moment least wrong

	wrong=
	break_files "$1"
	settle
	rm -f $MNT/db* $run/committed
	python3 "$database" write $MNT/db --seconds 100000 --seed $((seed + $1)) --committed $run/committed >/dev/null 2>&1 &
	writer=$!
	loop_until "$PATIENCE" test -s $run/committed || { echo "SQLite does not begin" && return 0; }
	fragtrace defrag --all --recent 0 --apply --rate 1M --way "$2" $MNT >$run/defrag.out 2>&1 &
	mover=$!
	moment=$(((seed * 7919 + $1 * 104729) % 3000))
	sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
	! kill -0 $mover 2>/dev/null || moving=$((moving + 1))
	least=$(cat $run/committed)
	disk 0 180 drop_writes
	kill -KILL $writer $mover 2>/dev/null || :
	wait $writer $mover 2>/dev/null || :
	umount $MNT
	disk 180 0
	mount_volume $flakey $MNT $SCATTERED || { echo "it cannot be mounted" && return 0; }
	sha256sum --quiet -c $run/sums >$run/differ 2>&1 || wrong="$wrong; $(grep -c FAILED $run/differ) files differ"
	python3 "$database" check $MNT/db --seed $((seed + $1)) --least "$least" >$run/check.out 2>&1 ||
		wrong="$wrong; $(tail -n 1 $run/check.out)"
	await_live
	settle || wrong="$wrong; maps are not exact"
	fiemap-check $MNT >$run/fiemap.out 2>&1 || { settle && fiemap-check $MNT >$run/fiemap.out 2>&1; } ||
		wrong="$wrong; $(tail -n 1 $run/fiemap.out)"
	umount $MNT
	fsck_clean $flakey >$run/complaints || wrong="$wrong; fsck.f2fs: $(cat $run/complaints)"
	mount_volume $flakey $MNT $SCATTERED || { echo "it cannot be mounted again" && return 0; }
	await_live
	echo "${wrong#; }"
}

# cuts() - the same volume again and again
cuts() {
	local round moving failed said way

	plan 2
	modprobe dm_flakey 2>/dev/null || :
	disk 180 0
	make_volume "$flakey" $MNT $SCATTERED || bail "no volume"
	for n in 0 1 2 3 4 5 6 7; do
		fileop write $MNT/still$n 0 1M
	done
	load path=$MNT
	settle || bail "maps are not exact"
	round=0 moving=0 failed=0
	while [ $round -lt "$amount" ]; do
		round=$((round + 1))
		way=$(ways)
		[ $((round % 2)) = 0 ] && way=${way#* } || way=${way%% *}
		cut $round "$way" >$run/said
		said=$(cat $run/said)
		[ -z "$said" ] || failed=$((failed + 1))
		echo "# cut $round of $amount, $way: ${said:-all right: $(tail -n 1 $run/check.out)}"
	done
	expect "$amount power failures, seed $seed: files, database, maps and F2FS are right after each" $failed 0
	check "fragtrace defrag was moving files in most of them ($moving)" test $((moving * 2)) -ge "$amount"
	unload
	umount $MNT
	dmsetup remove soak
	finish
}

case $mode in
live | cuts) "$mode" ;;
*) bail "soak.sh $mode: expected live or cuts" ;;
esac
