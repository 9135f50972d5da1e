#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the command line of fragtrace defrag and its manual; speaks KTAP. See testlib.sh of the viewer.
# usage: test_options.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=../../viewer/tests/testlib.sh
. "$(dirname "$0")/../../viewer/tests/testlib.sh"
small=$here/../../viewer/tests/data/small.table

# unusable(message, arguments...) - what these arguments name is refused with this message: status 1
unusable() {
	local message=$1
	shift
	refuses "fragtrace defrag: $message" "$fragtrace" "$@"
}

# wrong(message, arguments...) - these arguments are refused with this message: status 2
wrong() {
	local message=$1
	shift
	misused "fragtrace defrag: $message" "$fragtrace" "$@"
}

test_bad_arguments() {
	wrong "$small: does not have what is read; give --heat FILE, or --all" -t "$small"
	wrong '--all: plans for all ranges alike; leave out --heat, --hot and --like' --all --heat h -t "$small"
	wrong '--all: plans for all ranges alike' --all --hot 50 -t "$small"
	wrong '--all: plans for all ranges alike' --all --like fragpicker -t "$small"
	wrong '--hot 0: not valid; give a percentage above 0, at most 100' --hot 0
	wrong '--hot 101: not valid; give a percentage' --hot 101
	wrong '--hot nan: not valid; give a percentage' --hot nan
	wrong '--hot 5%: not valid; give a percentage' --hot 5%
	wrong '--like x: not valid; give fragpicker' --like x
	wrong '--no-such: not an option here; see fragtrace defrag --help' --all --no-such
	wrong '--budget 0: not valid; give a number of bytes above 0' --all --budget 0
	wrong '--budget -1: not valid; give a number of bytes' --all --budget -1
	wrong '--budget 1T: not valid; give a number of bytes' --all --budget 1T
	wrong '--budget 1KB: not valid; give a number of bytes' --all --budget 1KB
	wrong '--budget 9999999999G: not valid' --all --budget 9999999999G
	wrong '--budget 99999999999999999999: not valid; give a number of bytes' --all --budget 99999999999999999999
	wrong '--request 5000: not valid; give a multiple of 4K' --all --request 5000
	wrong '--request 2G: not valid' --all --request 2G
	wrong '--reader x: not valid; give direct or buffered' --all --reader x
	wrong '--reader direct4K: not valid; give direct or buffered' --all --reader direct4K
	wrong '--reader buffered,5000: not valid' --all --reader buffered,5000
	wrong '--reader direct,: not valid' --all --reader direct,
	wrong '--min-gain x: not valid; give a number' --all --min-gain x
	wrong '--min-gain -1: not valid; give a number' --all --min-gain -1
	wrong '--min-gain nan: not valid; give a number' --all --min-gain nan
	wrong '--recent -1: not valid; give a number of seconds' --all --recent -1
	wrong '--way copy: not valid; give ioctl or mapping' --all --apply --way copy
	wrong '--apply: works on what is mounted now; leave out -t' --all --apply -t "$small"
	wrong '--rate, --share and --way: say how to write; give --apply, too' --all -t "$small" --rate 1M
	wrong '--rate, --share and --way: say how to write; give --apply, too' --all -t "$small" --way ioctl
	wrong '--rate, --share and --way: say how to write; give --apply, too' --all -t "$small" --share 5
	wrong '--share 0: not valid; give a percentage above 0' --all --apply --share 0
	wrong '--share 101: not valid; give a percentage above 0, at most 100' --all --apply --share 101
}

test_bad_tables() {
	: >t
	unusable 't:1: the table is empty' --all -t t
	unusable '/nonexistent: cannot open: No such file or directory' --all -t /nonexistent
	if [ ! -e /sys/kernel/debug/fragtrace/snapshot ]; then
		unusable '/sys/kernel/debug/fragtrace/snapshot: cannot open' --all
	fi
}

test_bad_heat() {
	unusable '/nonexistent: cannot read: No such file or directory; say --all' --heat /nonexistent -t "$small"
	: >h
	unusable 'h: is empty; expected "# fragtrace heat 2"' --heat h -t "$small"
	echo '# fragtrace heat 1' >h
	unusable 'h:1: expected "# fragtrace heat 2"' --heat h -t "$small"
	printf '%s\n' '# fragtrace heat 2' '# not known: the module was loaded with heat=0' >h
	unusable 'h: nothing is known of readers; expected a module that was loaded with heat=1; say --all' --heat h -t "$small"
	for line in '# windows blocks=0 period_secs=3600' '# windows blocks=32' '254:0 4 0 1 1 1 1 0 /m/a'; do
		printf '%s\n' '# fragtrace heat 2' "$line" >h
		unusable 'h:2: expected ' --heat h -t "$small"
	done
	for line in '254:0 4 0 1 1 1 1 0' '254:0 4 31 1 1 1 1 0 /m/a' '254 4 0 1 1 1 1 0 /m/a' '254:0 4 0 x 1 1 1 0 /m/a' \
		'254:0 4 0 1 1 1 1 2 /m/a' '254:0 4 0 1 1 1 1 /m/a'; do
		printf '%s\n' '# fragtrace heat 2' '# windows blocks=32 period_secs=3600' "$line" >h
		unusable 'h:3: expected "dev ino offset' --heat h -t "$small"
	done
}

test_sizes() {
	for size in 131072 128K; do
		"$fragtrace" --all -t "$small" --request $size >$size || [ $? = 4 ]
	done
	cmp 131072 128K
	"$fragtrace" --all -t "$small" --request 1M --budget 1G --json | grep -q '"request_bytes":1048576,'
}

test_stdin_and_zstd() {
	"$fragtrace" --all -t "$small" >expected || [ $? = 4 ]
	zstd -qc "$small" | "$fragtrace" --all -t - >out || [ $? = 4 ]
	cmp expected out
}

test_full_disk() {
	[ -e /dev/full ] || exit 4
	local status=0
	"$fragtrace" --all -t "$small" >/dev/full 2>err || status=$?
	[ $status = 1 ] || fail "status $status"
	grep -q '<stdout>: No space left on device' err
}

test_help_and_version() {
	"$fragtrace" --help >out
	grep -q '^usage: fragtrace defrag ' out
	"$fragtrace" --version | grep -qx 'fragtrace [0-9.]*'
}

test_manual() {
	local manual=$here/../man/fragtrace-defrag.8
	command -v mandoc >/dev/null || { echo "mandoc is not installed"; exit 4; }
	mandoc -T lint -W warning "$manual" >lint || fail "$(cat lint)"
}

run_tests
