#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lab.sh - `make lab BENCH=fragpicker`: what fragmentation costs and what rewriting gains, after FragPicker's figures.
#
# usage: lab.sh [PART...]
#
#   motivation   a file in pieces, by their size and by the distance between them
#   forecast     requests that the plan foresees, beside those that the disk counts
#   synthetic    FragPicker's sequential and stride reads and updates, as written and after each of five ways to rewrite
#   databases    SQLite and RocksDB on an aged volume, after the same
#   report       only print the table of earlier results, and draw
#   readme       put the report and the pictures into lab/README.md
#
# Without a PART all are measured. $QUICK=1 does less of everything, in some minutes; $OUT is the folder of the results
# (default: lab-out in the project's folder), in which a part that is not measured again keeps its results. $KERNEL is the
# guest's (default 6.12, the ioctl may hang on older ones), $SEED that of all that is random.
#
# The guest has one CPU whose clock counts instructions, each a nanosecond, and goes on to the next timer when there is
# nothing to do (-icount sleep=off): times do not depend on this machine.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

LAB_DIR=$FT_TESTS/lab
PYTHON=/usr/bin/python3

# machine() - print what the results depend on, as JSON
machine() {
	ft_qemu tcg
	printf '{\n "kernel": "%s",\n "qemu": "%s",\n "fragtrace": "%s",\n "f2fs-tools": "%s",\n "rocksdb": "%s",\n "sqlite": "%s",\n "seed": %s,\n' \
		"$KREL" "$(ft_qemu_version "${QEMU%% *}")" "$(git -C "$FT_TOP" describe --always --dirty 2>/dev/null || echo unknown)" \
		"$(version f2fs-tools)" "$(version rocksdb-tools)" "$(version libsqlite3-0)" "$SEED"
	printf ' "quick": %s\n}\n' "$([ -n "${QUICK:-}" ] && echo true || echo false)"
}

# version(package) - print that of an installed package
version() {
	dpkg-query -W -f '${Version}' "$1" 2>/dev/null || echo unknown
}

# lab_main(part...) - the command described at the top
lab_main() {
	case ${BENCH:-fragpicker} in
	fragpicker) ;;
	*) ft_die "lab: unknown '$BENCH'; expected BENCH=fragpicker" ;;
	esac
	# shellcheck disable=SC2086 # a list of parts
	[ $# -gt 0 ] || set -- ${PARTS:-motivation forecast synthetic databases}
	SEED=${SEED:-2021} KERNEL=${KERNEL:-6.12} OUT=${OUT:-$FT_TOP/lab-out}
	mkdir -p "$OUT" || ft_die "lab: cannot create '$OUT'"
	OUT=$(cd "$OUT" && pwd)
	case $1 in
	report | readme) ;;
	*)
		ft_packages build guest full viewer demo bench
		ft_kernel "$KERNEL"
		make -s -C "$FT_TOP" viewer >&2 || ft_die "lab: fragtrace does not build"
		machine >"$OUT/machine.json"
		ft_say "measuring $*"
		"$FT_TESTS/machine/vm.sh" -k "$KERNEL" -c 1 -M 6G -q '-icount shift=0,sleep=off' -o "$OUT" -t 7200 -- \
			"$PYTHON -B selftests/lab/guest.py ${QUICK:+--quick} --seed $SEED \$OUT $*" || ft_die "the guest failed"
		;;
	esac
	[ "$1" != readme ] || set -- --readme "$LAB_DIR/README.md"
	[ "$1" = --readme ] || set --
	"$PYTHON" -B "$LAB_DIR/results.py" "$@" "$OUT"
}

lab_main "$@"
