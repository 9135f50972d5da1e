#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh - run every test: static checks, builds, unit tests on the host, tests in guests.
#
# usage: run.sh [--guests | --host] [TEST...]
#
# With names of tests (20_write.sh) only these run, in the guests; with --guests all tests that run
# there; with --host the named ones and what runs on the host. $KERNEL lists the kernels, by names of setup.sh (default "6.12 6.1 7"; "6.12-rt 6.1-rt 7-rt" have
# PREEMPT_RT); a test with the line `# kernels: first` runs on the first of them only, unless it
# is named. $SEED sets the seed of the random tests; $JOBS is the number of suites at a time (default 2 if there
# are two CPUs); a suite is printed when it has ended. All output is KTAP of the single tests, then a table of
# tests and kernels. The last line is `N passed, N failed`, with `, N skipped` after it if any were
# skipped. Exit status 1 if any failed.

set -eu

FT_TESTS=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=machine/setup.sh
. "$FT_TESTS/machine/setup.sh"
# shellcheck source=trouble.sh
. "$FT_TESTS/trouble.sh"

PASSED=0 FAILED=0 SKIPPED=0 FAILURES='' LAST_WORDS=''
# Running suites: their names, and when they began, by process id.
declare -A RUNNING=() BEGUN=()
PROGRESS=''

# interrupted(status) - end the running suites and exit
interrupted() {
	trap '' INT TERM HUP
	# shellcheck disable=SC2086 # none or one
	kill "${!RUNNING[@]}" $PROGRESS 2>/dev/null || :
	wait
	exit "$1"
}

# tally(log, status) - print `passed failed skipped` of a log with any number of KTAP texts, then each failure
#
# Missing lines of a plan count as failed, and so does a test that a guest did not begin, and a run that ended with an error
# without a line about it.
tally() {
	awk -v status="$2" '
		function close_plan() {
			if (planned > seen) {
				failed += planned - seen
				failures = failures "\n" name ": " planned - seen " planned but not run"
				own += planned - seen
			}
			planned = seen = 0
		}
		/^# tests [0-9]+$/ { tests = $3 }
		/^# begin / { close_plan(); name = $3; own = 0; begun++ }
		/^1\.\.[0-9]+/ { close_plan(); planned = substr($1, 4) + 0 }
		/^ok / {
			seen++
			if (/# SKIP/) {
				skipped++
				skips = skips "\nskipped: " name (name ? ": " : "") $0
			} else {
				passed++
			}
		}
		/^not ok / { seen++; failed++; own++; all++; failures = failures "\n" name (name ? ": " : "") $0 }
		/^# end / {
			close_plan()
			if ($4 != 0 && !own) {
				failed++
				all++
				failures = failures "\n" $3 ": ended with status " $4
			}
			name = ""
		}
		END {
			close_plan()
			if (begun < tests) {
				failed += tests - begun
				failures = failures "\n" tests - begun " of " tests + 0 " tests not begun"
			}
			if (status != 0 && !failed) {
				failed++
				failures = failures "\nended with status " status
			}
			print passed + 0, failed + 0, skipped + 0 failures skips
		}' "$1"
}

# suite(name, command...) - start a command that prints KTAP, as soon as fewer than $JOBS are running
suite() {
	local name log

	name=$1 log=$(log_of "$1")
	shift
	while [ ${#RUNNING[@]} -ge "$JOBS" ]; do
		end_one
	done
	# Write this before the command starts: end_one() may read it at once.
	: >"$log"
	# Run it in the background, so that the shell handles a signal at once and can pass it on.
	"$@" >"$log" 2>&1 </dev/null &
	RUNNING[$!]=$name
	BEGUN[$!]=$SECONDS
	echo "# === $name: begins"
}

# failed_words(name, log) - print each failed check of a log, with the comments right before and after it, 12 lines each at most
failed_words() {
	awk -v name="$1" '
		function say(text) { if (said++ < 100) print "# " name ": " text }
		/^not ok / {
			for (i = n > 12 ? n - 12 : 0; i < n; i++)
				say(comment[i])
			say($0)
			left = 12
			n = 0
			next
		}
		/^# (begin|end|compared|op|stat) / { next }
		/^#/ {
			if (left-- > 0)
				say($0)
			else
				comment[n++] = $0
			next
		}
		{ left = n = 0 }' "$2"
}

# last_words(name, log) - print why a guest ended within a test: what its kernel complained of, and the end of the log
last_words() {
	local rest

	rest=$(awk '/^# begin / { n = 0; within = 1 } /^# end / { within = 0 } { line[n++] = $0 }
		END { for (i = 0; within && i < n; i++) print line[i] }' "$2")
	[ -z "$rest" ] || { grep -E "$FT_TROUBLE|RIP: 0010:|\[fragtrace\]|\[f2fs\]" <<<"$rest" | head -n 10; tail -n 5 <<<"$rest"; } | sed "s/^/# $1: /"
}

# log_of(name) - print the path of a suite's log
log_of() {
	echo "$LOGS/${1//[^a-zA-Z0-9.-]/_}.log"
}

# end_one() - wait for one of the suites; print and count its results; a last suite is printed while it runs
end_one() {
	local pid name log rc counts

	rc=0
	if [ ${#RUNNING[@]} = 1 ]; then
		pid=${!RUNNING[*]}
		tail -n +1 -s 0.2 -f --pid="$pid" "$(log_of "${RUNNING[$pid]}")" &
		wait $!
		wait "$pid" || rc=$?
	else
		wait -n -p pid "${!RUNNING[@]}" || rc=$?
	fi
	name=${RUNNING[$pid]}
	log=$(log_of "$name")
	[ ${#RUNNING[@]} = 1 ] || cat "$log"
	unset "RUNNING[$pid]"
	touch "$log.ended"
	counts=$(tally "$log" "$rc")
	# shellcheck disable=SC2046 # three numbers
	set -- $(head -n 1 <<<"$counts")
	PASSED=$((PASSED + $1)) FAILED=$((FAILED + $2)) SKIPPED=$((SKIPPED + $3))
	FAILURES+=$(tail -n +2 <<<"$counts" | sed -n "/^skipped/!s/^/# FAILED $name: /p")
	FAILURES+=${FAILURES:+$'\n'}
	LAST_WORDS+=$(failed_words "$name" "$log"; last_words "$name" "$log")
	LAST_WORDS+=${LAST_WORDS:+$'\n'}
	echo "# === $name: $1 passed, $2 failed, $3 skipped, $((SECONDS - BEGUN[$pid])) s"
}

# end_all() - wait for all running suites
end_all() {
	while [ ${#RUNNING[@]} -gt 0 ]; do
		end_one
	done
}

# print_progress() - print from time to time the current tests of the guests
print_progress() {
	local log version

	# the reader of our output must not wait for the end of the last sleep
	while sleep 60 >/dev/null 2>&1; do
		for log in "$LOGS"/kernel_*.log; do
			[ -f "$log" ] || continue
			[ ! -f "$log.ended" ] || continue
			version=${log##*/kernel_}
			awk -v kernel="${version%.log}" '
				/^# begin / { test = $3; n++ }
				/^not ok / { failed++ }
				END { printf "# ... kernel %s: test %d, %s, %d failed\n", kernel, n, test, failed }' "$log"
		done
	done
}

# build_all() - build the viewer and fragtrace-defrag, and the module for every kernel, from scratch, with all warnings and sparse
#
# Any warning is a failure.
build_all() {
	local version program log

	log=$LOGS/build.make
	echo "1..$(($(wc -w <<<"$KERNELS") * 2 + 2))"
	for program in viewer defrag; do
		if make -s -C "$FT_TOP/$program" >"$log" 2>&1; then
			echo "ok - $program/ builds"
		else
			cat "$log"
			echo "not ok - $program/ builds"
		fi
	done
	for version in $KERNELS; do
		if ! "$FT_TESTS/machine/build.sh" check "$version" >"$LOGS/module-$version" 2>"$log"; then
			cat "$log"
			echo "not ok - the module builds for $version"
			echo "not ok - without a warning for $version"
			continue
		fi
		echo "ok - the module builds for $version"
		if grep -iE '(warning|error):' "$log"; then
			echo "not ok - without a warning for $version"
		elif command -v sparse >/dev/null; then
			echo "ok - without a warning for $version (gcc W=1, sparse)"
		else
			echo "ok - without a warning for $version (gcc W=1) # SKIP sparse is not installed"
		fi
	done
}

# programs(version, test...) - print options that copy our programs, and the databases and tracers of these tests, into
# the guest, if it can run them
programs() {
	local name names

	[ "$(ft_arch "$1")" = amd64 ] || return 0
	names="redis-cli redis-benchmark trace-cmd"
	case " $* " in
	*" 76_tracers.sh "*)
		# their libraries take 220 MB of the guest's memory, for that one test
		names="$names perf bpftrace"
		ft_debug_is "$1" || echo "-M 1280M"
		;;
	esac
	for name in viewer/fragtrace-view defrag/fragtrace-defrag; do
		[ ! -x "$FT_TOP/$name" ] || echo "-f $FT_TOP/$name"
	done
	# The package redis-server would start a service on this machine. Its program is another name of this one.
	ln -sf "$(command -v redis-check-rdb)" "$LOGS/redis-server"
	for name in "$LOGS/redis-server" $names; do
		! command -v "$name" >/dev/null || echo "-f $(command -v "$name")"
	done
}

# guest_tests(version, test...) - run tests in one small guest with this kernel
guest_tests() {
	local version module slow

	version=$1
	shift
	module=$(cat "$LOGS/module-$version")
	# A kernel with checks is slower.
	slow=1
	! ft_debug_is "$version" || slow=6
	# shellcheck disable=SC2046 # a list of options
	exec "$FT_TESTS/machine/guest.sh" -k "$version" -m "$module/fragtrace.ko" -f "$module/extmap_test.ko" -f "$module/late.ko" \
		$(programs "$version" "$@") ${FUZZ_PLAN:+-f "$FUZZ_PLAN"} -d 2G -d 1G -t "${GUEST_LIMIT:-$((3600 * slow))}" \
		-- env ${SEED:+SEED="$SEED"} SLOW=$slow ${TEST_LIMIT:+TEST_LIMIT="$TEST_LIMIT"} \
		${FUZZ_SECONDS:+FUZZ_SECONDS="$FUZZ_SECONDS"} ${FUZZ_SHRINK:+FUZZ_SHRINK="$FUZZ_SHRINK"} \
		${FUZZ_PLAN:+FUZZ_PLAN="/tools/${FUZZ_PLAN##*/}"} ${ATTACKS:+ATTACKS="$ATTACKS"} /selftests/in_guest/run_tests.sh "$@"
}

# tests_for(version, test...) - print the tests that run on this kernel by default
tests_for() {
	local version name

	version=$1
	shift
	for name; do
		[ "$version" != "${KERNELS%% *}" ] && grep -q '^# kernels: first$' "$FT_TESTS/$name" || echo "$name"
	done
}

# viewer_check() - run the viewer's own tests, then those of fragtrace-defrag, which builds in the same folder
viewer_check() {
	local rc

	rc=0
	PATH=$PATH:$(ft_prometheus) || rc=1
	make -s -C "$FT_TOP/viewer" check || rc=1
	make -s -C "$FT_TOP/defrag" check || rc=1
	return $rc
}

# parsers_check() - run the parsers with odd texts and random changes of them
parsers_check() {
	make -s -C "$FT_TESTS/programs/fuzz-parsers" check O="$("$FT_TESTS/machine/setup.sh" cache)/build/fuzz-parsers" ${SEED:+SEED="$SEED"}
}

# matrix() - print the results of each guest test by kernel: number of checks that are ok, failed, skipped
matrix() {
	local version logs

	logs=()
	for version in $KERNELS; do
		[ ! -f "$LOGS/kernel_$version.log" ] || logs+=("$version" "$LOGS/kernel_$version.log")
	done
	[ ${#logs[@]} -gt 0 ] || return 0
	for ((version = 0; version < ${#logs[@]}; version += 2)); do
		sed "s/^/${logs[version]} /" "${logs[version + 1]}"
	done | awk -v kernels="${logs[*]}" '
		function cell(test, kernel,	text) {
			if (!((test, kernel) in begun))
				return "-"
			if (ok[test, kernel])
				text = "ok " ok[test, kernel]
			if (bad[test, kernel])
				text = "FAIL " bad[test, kernel] (text ? ", " text : "")
			else if (status[test, kernel] != 0)
				text = "FAIL"
			if (skipped[test, kernel])
				text = text (text ? ", " : "") "skip " skipped[test, kernel]
			return text
		}
		$2 == "#" && $3 == "begin" {
			test = $4
			if (!(test in known)) {
				known[test] = 1
				tests[++count] = test
			}
			begun[test, $1] = 1
			status[test, $1] = "none"
		}
		$2 == "#" && $3 == "end" { status[$4, $1] = $5 }
		$2 == "ok" { if (/# SKIP/) skipped[test, $1]++; else ok[test, $1]++ }
		$2 == "not" && $3 == "ok" { bad[test, $1]++ }
		END {
			n = split(kernels, word)
			printf "# %-26s", "test"
			for (i = 1; i <= n; i += 2)
				printf " %-20s", word[i]
			print ""
			for (t = 1; t <= count; t++) {
				printf "# %-26s", tests[t]
				for (i = 1; i <= n; i += 2)
					printf " %-20s", cell(tests[t], word[i])
				print ""
			}
		}' | sed 's/ *$//'
}

# report() - print the table of tests and kernels, the words of failed checks and of guests that ended early, the failures,
# the comparisons, and the last line
report() {
	local compared

	compared=$(cat "$LOGS"/*.log | sed -n 's/^# compared files=\([0-9]*\) blocks=\([0-9]*\) .*/\1 \2/p' |
		awk '{ f += $1; b += $2; n++ } END { printf "%d comparisons with FIEMAP, %d files, %d blocks", n, f, b }')
	matrix
	[ -z "$LAST_WORDS" ] || grep . <<<"$LAST_WORDS"
	[ -z "$FAILURES" ] || grep . <<<"$FAILURES"
	echo "# $compared, $SECONDS s"
	if [ "$SKIPPED" = 0 ]; then
		echo "$PASSED passed, $FAILED failed"
	else
		echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
	fi
}

# run_main(arguments...) - the command described at the top
run_main() {
	local version tests source guests_only

	KERNELS=${KERNEL:-all}
	[ "$KERNELS" != all ] || KERNELS=$FT_TESTED
	# make passes these on for `make vm`; here they would change the guests of the tests.
	unset KERNEL DISK OUT CMD F2FS_KO F2FS_SRC VMLINUX_BTF
	ft_packages build guest full viewer demo test
	LOGS=$(mktemp -d "$(ft_cache)/logs.XXXXXX")
	trap 'rm -rf "$LOGS"' EXIT
	trap 'interrupted 130' INT
	trap 'interrupted 143' TERM HUP
	# Tests mostly wait for one CPU, with builds and pictures in between: two suites keep two CPUs busy.
	JOBS=${JOBS:-$(($(nproc) > 1 ? 2 : 1))}
	for version in $KERNELS; do
		ft_kernel "$version"
	done

	guests_only=$*
	case ${1:-} in
	--guests) shift ;;
	--host)
		guests_only=
		shift
		;;
	esac
	tests=$*
	if [ -z "$guests_only" ]; then
		source=$(ft_source 6.12)
		export CHECKPATCH=${CHECKPATCH:-$source/scripts/checkpatch.pl}
		suite "static" "$FT_TESTS/host/static.sh"
	fi
	suite "build" build_all
	end_all
	print_progress &
	PROGRESS=$!
	for version in $KERNELS; do
		if [ -s "$LOGS/module-$version" ]; then
			[ $# -gt 0 ] || tests=$(cd "$FT_TESTS" && tests_for "$version" [0-9][0-9]_*.sh)
			# shellcheck disable=SC2086 # a list of tests
			suite "kernel $version" guest_tests "$version" $tests
		fi
	done
	if [ -z "$guests_only" ]; then
		suite "viewer" viewer_check
		suite "parsers" parsers_check
		suite "fiemap-check" "$FT_TESTS/host/fiemap_check.sh"
		suite "builds" env F2FS_SRC="$source" "$FT_TESTS/host/builds.sh"
		suite "tree" "$FT_TESTS/host/tree.sh"
		suite "another f2fs" "$FT_TESTS/host/other_f2fs.sh"
		suite "guests" "$FT_TESTS/host/guests.sh"
		# shellcheck disable=SC2086 # a list of kernels
		suite "power failures" "$FT_TESTS/host/power_off.sh" $KERNELS
		suite "lockdown" "$FT_TESTS/host/lockdown.sh" "${KERNELS%% *}"
		# within a bare machine another one would test nothing else
		[ -n "${FRAGTRACE_BARE:-}" ] || suite "bare machine" "$FT_TESTS/host/bare_machine.sh"
		suite "bench" "$FT_TESTS/host/bench.sh"
		suite "papers" "$FT_TESTS/host/papers.sh"
		suite "papers, short" "$FT_TESTS/host/papers_run.sh"
	fi
	end_all
	kill "$PROGRESS"
	PROGRESS=
	report
	[ "$FAILED" = 0 ]
}

run_main "$@"
