#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# soak.sh - `make soak`: fragtrace defrag moves files again and again while programs write and check them.
#
# usage: soak.sh    with $KERNEL (default 6.12), $MINUTES (default 30; 0: not this part), $CUTS (how often the power fails
#                   while it moves files; default 50; 0: not this part), $SEED (default: the time),
#                   $XFSTESTS (a checkout of xfstests that is built: its fsx runs, too)
#
# The programs are fio with verify, buffered and direct; RocksDB, whose content is read twice; SQLite with both kinds of
# journal, whose content is known; and a file that is changed in all ways beside a copy in memory.
# The guest half of this is in_guest/soak.sh.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"
ft_die_with_parent "$@"

# number(name, value) - end the program unless the value is a number
number() {
	case $2 in
	'' | *[!0-9]* | ???????????*) ft_die "$1='$2': expected a number" ;;
	esac
}

# part(seconds, arguments...) - run one part in a guest
part() {
	local limit

	limit=$1
	shift
	"$FT_TESTS/machine/vm.sh" -k "${KERNEL:-6.12}" -d 2G -M 3G -t "$limit" -- \
		"export PATH=\"\$PWD/defrag:\$PATH\" XFSTESTS=$(ft_quote "${XFSTESTS:-}"); selftests/in_guest/soak.sh $*" || failed=1
}

minutes=${MINUTES:-30} cuts=${CUTS:-50} seed=${SEED:-$(date +%s)}
number MINUTES "$minutes"
number CUTS "$cuts"
number SEED "$seed"
if [ -n "${XFSTESTS:-}" ]; then
	XFSTESTS=$(realpath -e "$XFSTESTS") && [ -x "$XFSTESTS/ltp/fsx" ] || ft_die "XFSTESTS='${XFSTESTS:-}': no built fsx in its folder ltp"
fi
ft_packages build guest full viewer soak
ft_say "building fragtrace"
make -s -C "$FT_TOP" viewer >&2 || ft_die "soak: fragtrace does not build"
failed=0
# a checked program that has begun is waited for
[ "$minutes" = 0 ] || part $((minutes * 60 + 1800)) live $((minutes * 60)) "$seed"
[ "$cuts" = 0 ] || part $((cuts * 180 + 900)) cuts "$cuts" "$seed"
exit $failed
