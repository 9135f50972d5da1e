#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# judge.sh - `make judge`: the same load several times on each of two kernels, or with two settings; is there more of something?
#
# usage: judge.sh [FOLDER]    with $LOAD (aging, mail, fs-mark, rocksdb or redis),
#                             $KERNEL (two kernels, 'OLD NEW', or one for both; default 6.12),
#                             $MOUNT (options for mount, of both, or 'OF_A|OF_B', such as '|active_logs=2'),
#                             $SYSFS (settings of F2FS, NAME=VALUE..., of both, or 'OF_A|OF_B', such as 'ipu_policy=16|ipu_policy=1'),
#                             $RUNS (of each side; default 5), $SEED (default 1), $WORK (how many times the load's work; default
#                             1), $DISK (the size of the volume; default 512M), $IDLE (seconds in which aging does nothing after
#                             each 16 MiB, so that F2FS's thread may collect; default 0)
#
# A and B take turns. Each run has a guest and an empty volume of its own. Run N has the seed SEED + N - 1 on both sides. Leaves
# recordings in FOLDER/A and FOLDER/B (default: judge-out in the project's folder), and in FOLDER/verdict what fragtrace compare
# says of them; its status is ours. The guest's part is in_guest/judge.sh.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"
ft_die_with_parent "$@"

# Of the sides A and B.
declare -A KERNELS=() MODULES=() MOUNTS=() SETTINGS=()
# Options that copy the programs of the load into the guest.
PROGRAMS=()

# number(name, value, most) - end the program unless the value is a number from 1 to that
number() {
	[[ $2 =~ ^[1-9][0-9]{0,8}$ && $2 -le $3 ]] || ft_die "$1='$2': expected a number from 1 to $3"
}

# part(A or B, name, value) - print what of this variable is for a side
part() {
	case $3 in
	*'|'*'|'*) ft_die "$2='$3': expected one | at most, between what is for A and what is for B" ;;
	*'|'*) if [ "$1" = A ]; then echo "${3%|*}"; else echo "${3#*|}"; fi ;;
	*) echo "$3" ;;
	esac
}

# set_sides() - find out what A and B are
set_sides() {
	local side word

	for side in A B; do
		MOUNTS[$side]=$(part $side MOUNT "${MOUNT:-}")
		SETTINGS[$side]=$(part $side SYSFS "${SYSFS:-}")
		[[ ${MOUNTS[$side]} != *[[:space:]]* ]] || ft_die "MOUNT='${MOUNTS[$side]}': expected options of mount -o, without spaces"
		for word in ${SETTINGS[$side]}; do
			[[ $word =~ ^[a-z0-9_]+=. ]] || ft_die "SYSFS='$word': expected NAME=VALUE, such as ipu_policy=1"
		done
	done
	# shellcheck disable=SC2086 # a list
	set -- ${KERNEL:-6.12}
	[ $# -le 2 ] || ft_die "KERNEL='$KERNEL': expected two kernels, or one for both sides; the path of a tree has no spaces"
	KERNELS=([A]=$1 [B]=${2:-$1})
	[ $# = 2 ] || [ "${MOUNTS[A]} ${SETTINGS[A]}" != "${MOUNTS[B]} ${SETTINGS[B]}" ] ||
		ft_die "KERNEL='${KERNEL:-}': there is nothing to compare; name two kernels, KERNEL='OLD NEW', or two settings, MOUNT='OF_A|OF_B' or" \
			"SYSFS='OF_A|OF_B'"
}

# prepare(A or B) - unpack the kernel, build the module, print what is compared
prepare() {
	local kernel

	kernel=${KERNELS[$1]}
	[ "$(ft_arch "$kernel")" = amd64 ] || ft_die "KERNEL='$kernel': the loads are programs of this machine, and it has none for $(ft_arch "$kernel")"
	ft_kernel "$kernel"
	MODULES[$1]=$("$FT_TESTS/machine/build.sh" module "$kernel") || exit 1
	# In a tree another kernel may be built meanwhile; its runs shall have this one.
	[ -z "${TREE:-}" ] || KERNELS[$1]=$KROOT
	echo "$1: Linux $KREL${TREE:+ of $TREE}${MOUNTS[$1]:+, mounted with ${MOUNTS[$1]}}${SETTINGS[$1]:+, ${SETTINGS[$1]}}" | tee -a "$out/verdict"
}

# set_programs() - find the programs of the load
set_programs() {
	local name

	case $load in
	fs-mark) set -- fs_mark ;;
	rocksdb) set -- db_bench ;;
	redis)
		# Debian's package of the server would start a service. Its program is another name of this one.
		ln -sf "$(command -v redis-check-rdb)" "$tmp/redis-server"
		set -- "$tmp/redis-server" redis-cli redis-benchmark
		;;
	esac
	for name in "$FT_TOP/viewer/fragtrace" "$@"; do
		PROGRAMS+=(-f "$(command -v "$name")")
	done
}

# guest(A or B, n) - do a run; its recording goes to the folder of the side
#
# With one CPU a run depends less on how fast that is emulated.
guest() {
	"$FT_TESTS/machine/guest.sh" -k "${KERNELS[$1]}" -m "${MODULES[$1]}" "${PROGRAMS[@]}" -c 1 -d "$disk" -M 1536M -t $((1800 * work * (idle + 1))) -o "$out/$1/$2" -- \
		env MOUNT="${MOUNTS[$1]}" SYSFS="${SETTINGS[$1]}" /selftests/in_guest/judge.sh "$load" $((seed + $2 - 1)) "$work" "$idle" >"$tmp/log" 2>&1
}

# run(A or B, n) - the same, once more if the emulator failed; print a line
run() {
	local rc began

	rc=0 began=$SECONDS
	guest "$@" || rc=$?
	if [ $rc = 123 ]; then
		ft_say "the emulator failed in run $2 of $1: once more"
		rm -rf "${out:?}/$1/$2"
		rc=0
		guest "$@" || rc=$?
	fi
	if [ $rc != 0 ]; then
		tail -n 20 "$tmp/log" >&2
		rm -rf "${out:?}/$1/$2"
		ft_die "run $2 of $1: the guest ended with status $rc"
	fi
	echo "$1, run $2 of $runs: $(tail -n 1 "$tmp/log"); $((SECONDS - began)) s"
}

load=${LOAD:-} runs=${RUNS:-5} seed=${SEED:-1} work=${WORK:-1} disk=${DISK:-512M} idle=${IDLE:-0} out=${1:-$FT_TOP/judge-out}
case $load in
aging | mail | fs-mark | rocksdb | redis) ;;
*) ft_die "LOAD='$load': expected aging, mail, fs-mark, rocksdb or redis" ;;
esac
number RUNS "$runs" 1000
number SEED "$seed" 100000000
number WORK "$work" 1000
[ "$idle" = 0 ] || number IDLE "$idle" 3600
[ "$idle" = 0 ] || [ "$load" = aging ] || ft_die "IDLE='$idle': the load $load has no idle seconds, only aging has"
set_sides
for side in A B; do
	[ ! -e "$out/$side" ] || ft_die "OUT='$out': there are runs in it; name another folder, or remove $side and its like"
done
tmp=$(mktemp -d "$(ft_cache)/judge.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
ft_packages build guest viewer judge
make -s -C "$FT_TOP/viewer" >&2 || ft_die "the viewer does not build"
mkdir -p "$out/A" "$out/B" || ft_die "OUT='$out': cannot make folders there"
out=$(cd "$out" && pwd)
echo "$load, seeds $seed to $((seed + runs - 1)), work $work, volume $disk$([ "$idle" = 0 ] || echo ", idle for $idle s after each 16 MiB")" | tee "$out/verdict"
set_programs
prepare A
prepare B
for ((n = 1; n <= runs; n++)); do
	run A $n
	run B $n
done
rc=0
(cd "$out" && "$FT_TOP/viewer/fragtrace" compare A B) >"$tmp/said" || rc=$?
echo | tee -a "$out/verdict"
tee -a "$out/verdict" <"$tmp/said"
exit $rc
