#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xfstests.sh - tests of xfstests that shut F2FS down or make its disk fail, with and without fragtrace.
#
# usage: xfstests.sh    with $XFSTESTS (a checkout of xfstests; missing programs are built there),
#                       $TESTS (which tests; default: those below), $KERNEL (default 6.12),
#                       $SOAK_DURATION (seconds of the tests without a fixed duration; default 60)
#
# Each runs in the full guest on separate disks, once without the module and once with the scratch volume
# watched; the two verdicts must be the same. Then the scratch volume is mounted again, and an audit must find
# nothing; if it cannot be mounted even without the module, the test's own checks are all there is. One line of KTAP for each test, as soon as it has ended. So an interrupted run can be continued with
# the remaining TESTS.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"
ft_die_with_parent "$@"

# generic/388, 475 and 476, and the other tests of the group recoveryloop.
FT_XFSTESTS="generic/388 generic/475 generic/476 generic/019 generic/455 generic/457 generic/482 generic/646 generic/648
	generic/753 generic/757"

# ft_xfstests_build(folder) - build the missing programs of a checkout
ft_xfstests_build() {
	[ ! -x "$1/ltp/fsstress" ] || return 0
	ft_say "building xfstests in $1"
	make -s -C "$1" -j "$(nproc)" >"$DIR/build.log" 2>&1 || {
		tail -n 5 "$DIR/build.log" >&2
		ft_die "xfstests does not build; its README says what it needs"
	}
}

# ft_xfstests_disk(number) - make the disk with that number, print the options for QEMU
ft_xfstests_disk() {
	truncate -s 2G "$DIR/disk$1"
	echo "-drive file=$DIR/disk$1,format=raw,if=virtio,cache=unsafe,discard=unmap"
}

# ft_xfstests_run(test, without|with) - run a test in a guest; print its verdict, and the result of the audit
ft_xfstests_run() {
	rm -f "$DIR"/disk* "$DIR/out/verdict"
	truncate -s 2G "$DIR/disk0"
	# the limit is for a guest that hangs
	"$FT_TESTS/machine/vm.sh" -k "${KERNEL:-6.12}" -D "$DIR/disk0" -q "$(ft_xfstests_disk 1) $(ft_xfstests_disk 2)" -o "$DIR/out" \
		-t $((SOAK_DURATION * 10 + 900)) -- "SOAK_DURATION=$SOAK_DURATION sh selftests/in_guest/xfstests.sh '$XFSTESTS' '$1' $2" \
		>"$DIR/log" 2>&1 || :
	[ -s "$DIR/out/verdict" ] || echo "hangs, or has no end" >"$DIR/out/verdict"
	cat "$DIR/out/verdict"
}

# ft_xfstests_compare(test, number) - run a test in both ways; print a line of KTAP
ft_xfstests_compare() {
	local without with expected

	without=$(ft_xfstests_run "$1" without)
	with=$(ft_xfstests_run "$1" with)
	case $without in
	not\ run* | *"cannot be mounted") expected=$without ;;
	*) expected="$without, audit clean" ;;
	esac
	if [ "$with" != "$expected" ]; then
		echo "not ok $2 - $1: without fragtrace: $without; with it: $with"
		tail -n 15 "$DIR/log" | sed 's/^/# /'
		return 1
	fi
	case $with in
	not\ run*) echo "ok $2 - $1 # SKIP $with" ;;
	*) echo "ok $2 - $1: without fragtrace: $without; with it: $with" ;;
	esac
}

# xfstests_main() - the command described at the top
xfstests_main() {
	local test n failed

	[ -n "${XFSTESTS:-}" ] || ft_die "XFSTESTS=folder: a checkout of xfstests is needed"
	XFSTESTS=$(realpath -e "$XFSTESTS") && [ -x "$XFSTESTS/check" ] || ft_die "XFSTESTS='${XFSTESTS:-}': no checkout of xfstests"
	case $XFSTESTS in
	/tmp/*) ft_die "XFSTESTS='$XFSTESTS': the guest has a /tmp of its own, move it elsewhere" ;;
	esac
	SOAK_DURATION=${SOAK_DURATION:-60}
	TESTS=${TESTS:-$FT_XFSTESTS}
	ft_packages build guest full xfstests
	DIR=$(mktemp -d "$(ft_cache)/xfstests.XXXXXX")
	trap 'rm -rf "$DIR"' EXIT
	mkdir "$DIR/out"
	ft_xfstests_build "$XFSTESTS"
	echo "KTAP version 1"
	echo "1..$(echo "$TESTS" | wc -w)"
	n=0 failed=0
	for test in $TESTS; do
		n=$((n + 1))
		ft_xfstests_compare "$test" $n || failed=$((failed + 1))
	done
	echo "# totals: pass:$((n - failed)) fail:$failed"
	[ $failed = 0 ]
}

xfstests_main
