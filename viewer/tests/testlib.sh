# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # what is set here is used by the tests
#
# testlib.sh - functions for all tests of fragtrace; sourced as `. testlib.sh "$@"`, speaks KTAP.
#
# The script that sources it has the arguments PROGRAM [TEST...]. A test is a function test_NAME that
# ends with status 0, or with 4 and the reason if it is skipped. It runs in a subshell in its own empty
# directory, with $fragtrace, $peek, $python and $data as absolute paths. The script ends with run_tests.

here=$(cd "$(dirname "$0")" && pwd)
fragtrace=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
viewer=${here%/*}
peek=$viewer/build/pngpeek
data=$here/data
wanted=$*
# Debian's Python finds Debian's packages
python=/usr/bin/python3
[ -x $python ] || python=python3
export TZ=UTC LC_ALL=C
export LSAN_OPTIONS="suppressions=$here/lsan.supp:print_suppressions=0"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp" || rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

# fail(text...) - print why a test fails and end it
fail() {
	echo "$*"
	exit 1
}

# no_rest() - there is no unfinished file
no_rest() {
	local rest
	rest=$(find . -name '.*.??????' | head -n 1)
	[ -z "$rest" ] || fail "not removed: $rest"
}

# refuses(message, command...) - status 1, the message on stderr, the old picture unchanged
refuses() {
	ends_with 1 "$@"
}

# misused(message, command...) - the same for an error in the command line: status 2
misused() {
	ends_with 2 "$@"
}

# ends_with(status, message, command...) - the command ends with this status and message, the old picture is unchanged
ends_with() {
	local expected=$1 message=$2 status=0
	shift 2
	echo good >out.png
	"$@" >stdout 2>stderr </dev/null || status=$?
	[ "$status" = "$expected" ] || fail "status $status; expected $expected: $(cat stderr)"
	grep -qF -- "$message" stderr || fail "expected \"$message\", got: $(cat stderr)"
	[ "$(wc -l <stderr)" -le 2 ] || fail "too many messages: $(cat stderr)"
	[ "$(cat out.png)" = good ] || fail "the last good picture is gone"
	no_rest
}

# wait_for(command...) - wait until it succeeds, at most a minute: the machine may be busy
wait_for() {
	local n=0
	until "$@"; do
		n=$((n + 1))
		[ $n -le 600 ] || fail "not within a minute: $*"
		sleep 0.1
	done
}

# end_jobs() - end what a test has left in the background; else a repeating viewer would run for ever
end_jobs() {
	local pid
	jobs -p >"$tmp/jobs"
	while read -r pid; do
		kill -KILL "$pid" 2>/dev/null || continue
		wait "$pid" 2>/dev/null || :
	done <"$tmp/jobs"
}

# write_all(stem, args...) - write JSON, CSV and metrics
write_all() {
	local stem=$1
	shift
	"$fragtrace" table --json -o "$stem.json" "$@"
	"$fragtrace" table --csv -o "$stem.csv" "$@"
	"$fragtrace" metrics -o "$stem.prom" "$@"
}

# run_tests() - run the requested tests, or all; the exit status of the script is 0 if all pass
run_tests() {
	local n passed failed skipped name status
	# shellcheck disable=SC2046,SC2086 # a list of names
	set -- ${wanted:-$(sed -n 's/^test_\([a-z0-9_]*\)() {$/\1/p' "$0")}
	echo "KTAP version 1"
	echo "# $(basename "$0") $(basename "$fragtrace")"
	echo "1..$#"
	n=0
	passed=0
	failed=0
	skipped=0
	for name; do
		n=$((n + 1))
		mkdir "$tmp/$name"
		set +e
		(trap end_jobs EXIT; set -e; cd "$tmp/$name"; "test_$name") >"$tmp/log" 2>&1
		status=$?
		set -e
		case $status in
		0) echo "ok $n $name"; passed=$((passed + 1)) ;;
		4) echo "ok $n $name # SKIP $(cat "$tmp/log")"; skipped=$((skipped + 1)) ;;
		*) sed 's/^/# /' "$tmp/log"; echo "not ok $n $name"; failed=$((failed + 1)) ;;
		esac
		# a process that a test has left may still write there; what is left goes at the end
		rm -rf "${tmp:?}/$name" || :
	done
	echo "# Totals: pass:$passed fail:$failed xfail:0 xpass:0 skip:$skipped error:0"
	[ "$failed" = 0 ]
}
