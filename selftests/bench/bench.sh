#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh - `make bench`: the cost of fragtrace, compared with other tools; prints a table, draws bench.png.
#
# usage: bench.sh [PART...]
#
#   micro      instructions for each block written, by number of extents
#   map        instructions and bytes of the extent map alone
#   apps       RocksDB, Redis, fio: with fragtrace, filefrag, ftrace, bpftrace
#   snapshot   reading `table`, `files` and `snapshot`, beside filefrag; reading all files at load; memory of a file
#   rate       as many events as F2FS can make, for a minute: is one lost?
#   scaling    writers on 1, 2 and 4 CPUs, in time; the time of a write event beside readers
#   reads      only if named: instructions for each block read, with and without heat=1
#   profile    only if named: the functions that execute the added instructions; $WORK is sequential, fill, overwrite, churn, direct, random
#              or table; $MODE is compared with $AGAINST: tracing with off, or with no_causes for the cost of causes; heat for reads
#   report     only print the table of earlier results, and draw
#   readme     put that table and the picture into bench/README.md
#
# Without a PART all are measured, or those of $BENCH. $QUICK=1 does less of everything, as a test;
# such figures are not put into bench/README.md. $OUT is the folder of the results (default: bench-out in the project's
# folder); a part that is not measured again keeps its results there. $KERNEL is the guest's (default 6.12).
# $RUNS, $EXTENTS, $LARGEST, $FILES, $SECONDS_OF_WORK, $APPS, $MODES, $LESS and others go to the parts, which
# explain them (bench/PART.sh).
#
# Instructions are counted by QEMU (-icount): no cache, no TLB, no device, but the same
# in each run. No check passes or fails here.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

BENCH_DIR=$FT_TESTS/bench
PYTHON=/usr/bin/python3

# machine() - print a description of the machine, one `name value` a line
machine() {
	echo "cpu $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1), $(nproc) cores"
	echo "kernel $KREL"
	ft_qemu tcg
	echo "qemu $(ft_qemu_version "${QEMU%% *}")"
	echo "fragtrace $(git -C "$FT_TOP" describe --always --dirty 2>/dev/null || echo unknown)"
	echo "date $(date -u +%Y-%m-%d)"
	[ -z "${QUICK:-}" ] || echo "quick yes"
}

# small(part, options of guest.sh... -- settings...) - run a part in the small guest; store its results
#
# Settings of the caller come before those of the part.
small() {
	local part name

	part=$1
	shift
	for name in RUNS EXTENTS LARGEST FILES SECONDS_OF_WORK PIECES BLOCKS APPS MODES LAST LESS; do
		eval "[ -z \"\${$name+set}\" ] || set -- \"\$@\" \"$name=\$$name\""
	done
	# with the detours against attacks, as on a real CPU
	measured "$part" "$FT_TESTS/machine/guest.sh" -a mitigations=auto -k "$KERNEL" -m "$MODULE" -f "$BENCH_DIR/modes.sh" -f "$BENCH_DIR/$part.sh" \
		-f "${MODULE%/*}/event_cost.ko" -f "${MODULE%/*}/extmap_bench.ko" -t 7200 "$@" "/tools/$part.sh"
}

# programs() - print options of guest.sh that copy the applications
programs() {
	local name

	# The package redis-server would start a service on this machine. Its program is another name of this one.
	ln -sf "$(command -v redis-check-rdb)" "$(ft_cache)/redis-server"
	for name in db_bench "$(ft_cache)/redis-server" redis-cli redis-benchmark fio bpftrace; do
		echo "-f $(command -v $name)"
	done
}

# measured(part, command...) - show the output; store the results if the command succeeds
measured() {
	local part start pipe

	part=$1
	shift
	start=$(date +%s)
	ft_say "$part: measuring"
	pipe=$OUT/$part.log
	"$@" </dev/null >"$pipe" 2>&1 || {
		tail -n 30 "$pipe" >&2
		ft_die "$part: the guest failed; its words are in $pipe"
	}
	{
		machine
		grep '^result ' "$pipe"
		echo "seconds $(($(date +%s) - start))"
	} >"$OUT/$part.txt"
	ft_say "$part: $(grep -c '^result ' "$OUT/$part.txt") figures, $(($(date +%s) - start)) s"
}

# apps(settings...) - the applications, with the files that they need
apps() {
	# shellcheck disable=SC2046 # options
	small apps -I -M 4G -f "$BENCH_DIR/peers.sh" $(programs) "$@"
}

# scaling(settings...) - one guest for each number of CPUs; also the speed of this machine
scaling() {
	local cpus

	for cpus in 1 2 4; do
		small scaling -c $cpus -M 2G -- env "$@"
		mv "$OUT/scaling.txt" "$OUT/scaling-$cpus.part"
	done
	{
		cat "$OUT"/scaling-?.part
		echo "result scaling emulation host 1 ns_per_loop $("$("$FT_TESTS/machine/build.sh" tools)/bench-work" nanoseconds 100000000 |
			awk '{ print $1 / 100000000 }')"
	} >"$OUT/scaling.txt"
	rm "$OUT"/scaling-?.part
}

# profile() - print the functions that execute the instructions added by tracing for each block
#
# The kernel must be at the same addresses in each run.
profile() {
	local mode times

	for mode in "$AGAINST" "$MODE"; do
		for times in 1 2; do
			ft_say "profile: $WORK $mode, $times of 2"
			"$FT_TESTS/machine/guest.sh" -k "$KERNEL" -m "$MODULE" -I -M 2G -a nokaslr -o "$OUT/profile/$mode$times" \
				-q "-plugin $("$FT_TESTS/machine/build.sh" tools)/profile.so,out=$OUT/profile/$mode$times.counts" \
				-f "$BENCH_DIR/modes.sh" -f "$BENCH_DIR/profile.sh" -t 7200 \
				-- env WORK="$WORK" BLOCKS=$BLOCKS EXTENTS="${EXTENTS:-100000}" /tools/profile.sh $mode $times >"$OUT/profile.log" 2>&1 || {
				cat "$OUT/profile.log" >&2
				ft_die "profile: the guest failed"
			}
		done
	done
	"$PYTHON" "$BENCH_DIR/profile.py" "$OUT/profile" $BLOCKS "$AGAINST" "$MODE"
}

# part(name) - measure one part
part() {
	if [ -n "${QUICK:-}" ]; then
		quick "$1"
		return
	fi
	case $1 in
	micro) small micro -I -M 2G -- env ;;
	map) small map -I -M 2G -- env ;;
	apps) apps -- env ;;
	snapshot) small snapshot -I -M 4G -- env ;;
	rate) small rate -I -M 2G -- env ;;
	reads) small reads -I -M 2G -- env ;;
	scaling) scaling ;;
	*) ft_die "bench: unknown part '$1'; expected micro, map, apps, snapshot, rate, reads, scaling, profile, report or readme" ;;
	esac
}

# quick(name) - measure less of a part
quick() {
	case $1 in
	micro) small micro -I -M 1G -- env RUNS=2 BLOCKS=1024 PIECES=sequential EXTENTS=1000 ;;
	map) small map -I -M 1G -- env LARGEST=10000 ;;
	apps) apps -- env LESS=8 RUNS=2 LAST= ;;
	snapshot) small snapshot -I -M 2G -- env RUNS=2 EXTENTS=10000 FILES=2000 ;;
	rate) small rate -I -M 2G -- env SECONDS_OF_WORK=1 ;;
	reads) small reads -I -M 1G -- env RUNS=2 BLOCKS=1024 ;;
	scaling) scaling RUNS=2 BLOCKS=512 EXTENTS=5000 FILES=2000 ;;
	*) ft_die "bench: unknown part '$1'; expected micro, map, apps, snapshot, rate, reads, scaling, profile, report or readme" ;;
	esac
}

# report(options...) - the table on standard output, and the picture; $REPORT: more options
report() {
	# shellcheck disable=SC2086 # a list of options
	"$PYTHON" "$BENCH_DIR/report.py" ${REPORT:-} "$@" "$OUT"
}

# bench_main(part...) - the command described at the top
bench_main() {
	local name parts

	# shellcheck disable=SC2086 # a list of parts
	[ $# -gt 0 ] || set -- ${BENCH:-micro map apps snapshot rate scaling}
	parts=$*
	OUT=${OUT:-$FT_TOP/bench-out}
	KERNEL=${KERNEL:-6.12}
	mkdir -p "$OUT" || ft_die "bench: cannot create '$OUT'"
	OUT=$(cd "$OUT" && pwd)
	case " $parts " in
	*" apps "*) ft_packages build guest bench ;;
	*) ft_packages build guest reports ;;
	esac
	ft_kernel "$KERNEL"
	case $parts in
	report | readme) ;;
	*) MODULE=$("$FT_TESTS/machine/build.sh" module "$KERNEL" FT_SELFTEST=bench) || exit 1 ;;
	esac
	for name in $parts; do
		case $name in
		report) ;;
		profile)
			mkdir -p "$OUT/profile"
			WORK=${WORK:-sequential} BLOCKS=${BLOCKS:-16384} AGAINST=${AGAINST:-off} MODE=${MODE:-tracing}
			profile
			return
			;;
		reads)
			part "$name"
			# RUN 0 is on cold caches
			awk '/^result/ && $5 { sum[$3 " " $4] += $7; n[$3 " " $4]++ }
				END { for (i in n) printf "%s %.0f\n", i, sum[i] / n[i] }' "$OUT/reads.txt" | sort
			return
			;;
		readme)
			report --readme "$BENCH_DIR/README.md"
			cp "$OUT/bench.png" "$BENCH_DIR/bench.png"
			return
			;;
		*) part "$name" ;;
		esac
	done
	report
}

bench_main "$@"
