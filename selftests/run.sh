#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh - run every test: static checks, builds, unit tests on the host, tests in guests.
#
# usage: run.sh [--guests | --host] [TEST...]
#        run.sh --one TEST...
#        run.sh --group NAME
#        run.sh --groups
#        run.sh --unit
#
# With names of tests (20_write.sh, or how they begin: 20) only these run, in the guests; with --guests all tests that run
# there; with --host these and what runs on the host. --one builds only what these tests need and what has changed,
# without the checks of a build, for one kernel; --group does so for the tests with the line `# group: NAME`, and --groups lists these. --unit runs what needs no kernel and
# is short: the extent map in user space, the parsers, figures, the planner, what is Python.
# $KERNEL lists the kernels, by names of setup.sh (default "6.12 6.1 7", with --one and --group 6.12; "6.12-rt 6.1-rt 7-rt" have
# PREEMPT_RT); a test with the line `# kernels: first` runs on the first of them only, unless it
# is named, and one with `# kernels: named` only if it is. $SEED sets the seed of the random tests; $JOBS is the number of suites at a time (default 4 if there
# are two CPUs); a suite is printed when it has ended. All output is KTAP of the single tests, then a table of
# tests and kernels, the slowest tests, and the seconds of each suite. A skip whose reason is not in skips.txt is a
# failure. The last line is `N passed, N failed`, with `, N skipped` after it if any were
# skipped. Exit status 1 if any failed.

set -eu

FT_TESTS=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=machine/setup.sh
. "$FT_TESTS/machine/setup.sh"
# shellcheck source=trouble.sh
. "$FT_TESTS/trouble.sh"

PASSED=0 FAILED=0 SKIPPED=0 FAILURES='' LAST_WORDS='' SKIPS='' TOOK='' CPU=0
# Running suites: their names, and when they began, by process id.
declare -A RUNNING=() BEGUN=()
PROGRESS=''

# interrupted(status) - end the running suites and exit
interrupted() {
	local pid

	trap '' INT TERM HUP
	for pid in "${!RUNNING[@]}"; do
		kill -- "-$pid" 2>/dev/null || :
	done
	[ -z "$PROGRESS" ] || kill "$PROGRESS" 2>/dev/null || :
	wait
	exit "$1"
}

# tally(name, log, status) - print `passed failed skipped` of a log with any number of KTAP texts, then each failure, then the skips
# of a kernel that skips.txt has no line of
#
# Missing lines of a plan count as failed, and so does a test that a guest did not begin, a run that ended with an error
# without a line about it, and a skip that skips.txt does not have.
tally() {
	awk -v where="$1" -v status="$3" '
		function close_plan() {
			if (planned > seen) {
				failed += planned - seen
				failures = failures "\n" name ": " planned - seen " planned but not run"
				own += planned - seen
			}
			planned = seen = 0
		}
		function close_test() {
			close_plan()
			if (name && !own) {
				failed++
				failures = failures "\n" name ": did not end"
			}
		}
		# a kernel without a line there is not one of those that are tested each time
		function allowed(test, reason) {
			return in_guest && !(where in listed) || (where " " test " " reason) in known
		}
		BEGIN { in_guest = sub(/^kernel /, "", where); sub(/ part .$/, "", where); gsub(/ /, "-", where) }
		FILENAME ~ /skips\.txt$/ {
			if (/^#/ || !NF)
				next
			reason = $0
			sub(/^[^ ]+ [^ ]+ /, "", reason)
			n = split($1, kernel, ",")
			for (i = 1; i <= n; i++) {
				listed[kernel[i]] = 1
				known[kernel[i] " " $2 " " reason] = 1
			}
			next
		}
		/^# tests [0-9]+$/ { tests = $3 }
		# what the test that begins anew has said does not count, but its failures
		/^# again / { passed -= ok; skipped -= left_out; planned = seen = begun = 0; name = ""; next }
		/^# begin / { close_test(); name = $3; own = ok = left_out = 0; begun++ }
		/^1\.\.[0-9]+/ { close_plan(); planned = substr($1, 4) + 0 }
		/^ok / {
			seen++
			if (/# SKIP/) {
				reason = $0
				sub(/.*# SKIP */, "", reason)
				if (allowed(name ? name : "-", reason)) {
					skipped++
					left_out++
					if (in_guest && !(where in listed) && !told[name reason]++)
						skips = skips "\nskip: " where " " name " " reason
				} else {
					failed++
					own++
					failures = failures "\n" name (name ? ": " : "") "skips.txt does not have: " where " " (name ? name : "-") " " reason
				}
			} else {
				passed++
				ok++
			}
		}
		/^not ok / { seen++; failed++; own++; failures = failures "\n" name (name ? ": " : "") $0 }
		/^# end / {
			close_plan()
			if ($4 != 0 && !own) {
				failed++
				failures = failures "\n" $3 ": ended with status " $4
			}
			name = ""
			ok = left_out = 0
		}
		END {
			close_test()
			if (begun < tests) {
				failed += tests - begun
				failures = failures "\n" tests - begun " of " tests + 0 " tests not begun"
			}
			if (status != 0 && !failed) {
				failed++
				failures = failures "\nended with status " status
			}
			print passed + 0, failed + 0, skipped + 0 failures skips
		}' "$FT_TESTS/skips.txt" "$2"
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
	# Run it in the background, so that the shell handles a signal at once; in a process group, so that all of it gets the signal.
	set -m
	"$@" >"$log" 2>&1 </dev/null &
	set +m
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
	local pid name log rc counts cpu

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
	counts=$(tally "$name" "$log" "$rc")
	# shellcheck disable=SC2046 # three numbers
	set -- $(head -n 1 <<<"$counts")
	PASSED=$((PASSED + $1)) FAILED=$((FAILED + $2)) SKIPPED=$((SKIPPED + $3))
	SKIPS+=$(sed -n 's/^skip: /# skips.txt has no line of this kernel: /p' <<<"$counts")
	SKIPS+=${SKIPS:+$'\n'}
	FAILURES+=$(tail -n +2 <<<"$counts" | sed -n "/^skip: /!s/^/# FAILED $name: /p")
	FAILURES+=${FAILURES:+$'\n'}
	LAST_WORDS+=$(failed_words "$name" "$log"; last_words "$name" "$log"; sed -n "s/^# again/# $name:/p" "$log")
	LAST_WORDS+=${LAST_WORDS:+$'\n'}
	# in this shell, whose children the suites are
	times >"$LOGS/times"
	cpu=$(awk 'END { split($1 $2, t, /[ms]/); print int(t[1] * 60 + t[2] + t[3] * 60 + t[4]) }' "$LOGS/times")
	TOOK+="$((SECONDS - BEGUN[$pid])) $((cpu - CPU)) $name"$'\n'
	echo "# === $name: $1 passed, $2 failed, $3 skipped, $((SECONDS - BEGUN[$pid])) s, $((cpu - CPU)) s of a CPU"
	CPU=$cpu
}

# end_until(name) - wait until this suite has ended
end_until() {
	while printf '%s\n' "${RUNNING[@]}" | grep -qxF "$1"; do
		end_one
	done
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
			version=${log##*/kernel_} version=${version%.log}
			awk -v kernel="${version%%_part*}" '
				/^# begin / { test = $3; n++ }
				/^not ok / { failed++ }
				END { printf "# ... kernel %s: test %d, %s, %d failed\n", kernel, n, test, failed }' "$log"
		done
	done
}

# build_all() - build the viewer and fragtrace defrag, and the module for every kernel, from scratch, with all warnings and sparse
#
# Any warning is a failure. All tests together build for kernels that are not booted, too.
build_all() {
	local version program log all

	log=$LOGS/build.make
	all=$KERNELS
	[ "$MODE" != everything ] || all="$all $FT_BUILT"
	echo "1..$(($(wc -w <<<"$all") * 2 + 2))"
	for program in viewer defrag; do
		if make -s -C "$FT_TOP/$program" >"$log" 2>&1; then
			echo "ok - $program/ builds"
		else
			cat "$log"
			echo "not ok - $program/ builds"
		fi
	done
	for version in $all; do
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

# build_some(test...) - build what these tests need, and only what has changed; print nothing unless that fails
build_some() {
	local version name names

	names=
	! uses_programs "$@" || names=viewer
	for name in $names; do
		make -s -C "$FT_TOP/$name" >"$LOGS/build" 2>&1 || { cat "$LOGS/build" && ft_die "$name/ does not build"; }
	done
	for version in $KERNELS; do
		"$FT_TESTS/machine/build.sh" tested "$version" >"$LOGS/module-$version" 2>"$LOGS/build" ||
			{ cat "$LOGS/build" && ft_die "the module does not build for $version"; }
	done
}

# any_uses(pattern, test...) - does one of these tests have this word?
any_uses() {
	local pattern

	pattern=$1
	shift
	(cd "$FT_TESTS" && grep -qe "$pattern" "$@")
}

# uses_programs(test...) - does one of these tests call fragtrace?
uses_programs() {
	any_uses 'fragtrace \(view\|defrag\|table\|space\|processes\|zones\|why\|gc\|discards\)' "$@"
}

# programs(version, test...) - print options that give the guest what these tests use: our programs, databases and tracers, if it can
# run them, and a disk with zones
programs() {
	local name path

	[ "$(ft_arch "$1")" = amd64 ] || return 0
	case " $* " in
	*" 76_tracers.sh "*)
		# their libraries take 220 MB of the guest's memory
		ft_debug_is "$1" || echo "-M 1280M"
		;;
	esac
	# The package redis-server would start a service on this machine. Its program is another name of this one.
	! any_uses redis-server "${@:2}" || ln -sf "$(command -v redis-check-rdb)" "$LOGS/redis-server"
	! uses_programs "${@:2}" || echo "-f $FT_TOP/viewer/fragtrace"
	! any_uses '/dev/nvme0n1' "${@:2}" || echo "-Z 64"
	for name in redis-server redis-cli redis-benchmark sqlite3 db_bench systemd-journald chattr trace-cmd perf bpftrace blkzone dump.f2fs; do
		any_uses "\\b$name\\b" "${@:2}" || continue
		path=$(PATH=$LOGS:$PATH:/lib/systemd command -v "$name") && echo "-f $path"
	done
}

# guest_tests(suite, version, test...) - run tests in one small guest with this kernel
#
# If the emulator failed, those that have not ended run in another one, once.
guest_tests() {
	local name version rc rest

	name=$1 version=$2 rc=0
	shift 2
	one_guest "$version" "$@" || rc=$?
	[ $rc = 123 ] || return $rc
	rest=$(tests_left "$(log_of "$name")" "$@")
	echo "# again the emulator failed in ${rest%%$'\n'*}: it and what follows begins in another guest"
	# shellcheck disable=SC2086 # a list of tests
	one_guest "$version" $rest
}

# tests_left(log, test...) - print the tests that have no end in the log
tests_left() {
	printf '%s\n' "${@:2}" | grep -vxF -f <(sed -n 's/^# end \([^ ]*\) .*/\1/p' "$1")
}

# one_guest(version, test...) - run tests in a guest
one_guest() {
	local version module slow large

	version=$1
	shift
	module=$(cat "$LOGS/module-$version")
	# A kernel with checks is slower.
	slow=1
	! ft_debug_is "$version" || slow=6
	# Blocks of 16 KiB: 60_budget.sh needs as many of them as the first disk has with blocks of 4 KiB.
	large=
	[ "${version%-16k}" = "$version" ] || large='-d 8G'
	# shellcheck disable=SC2046,SC2086 # lists of options
	"$FT_TESTS/machine/guest.sh" -k "$version" -m "$module/fragtrace.ko" -f "$module/extmap_test.ko" -f "$module/late.ko" -f "$module/fail_alloc.ko" \
		$(programs "$version" "$@") ${FUZZ_PLAN:+-f "$FUZZ_PLAN"} -d 2G -d 1G $large -t "${GUEST_LIMIT:-$((3600 * slow))}" \
		-- env ${SEED:+SEED="$SEED"} SLOW=$slow ${TEST_LIMIT:+TEST_LIMIT="$TEST_LIMIT"} \
		${FUZZ_SECONDS:+FUZZ_SECONDS="$FUZZ_SECONDS"} ${FUZZ_SHRINK:+FUZZ_SHRINK="$FUZZ_SHRINK"} \
		${FUZZ_PLAN:+FUZZ_PLAN="/tools/${FUZZ_PLAN##*/}"} ${ATTACKS:+ATTACKS="$ATTACKS"} /selftests/in_guest/run_tests.sh "$@"
}

# tests_named(word...) - print the names of the tests that these words are, or that begin with them
tests_named() {
	local word found

	cd "$FT_TESTS" || exit 1
	for word; do
		word=${word##*/}
		found=$(find . -maxdepth 1 -name '[0-9][0-9]_*.sh' \( -name "$word" -o -name "$word.sh" \) -printf '%f\n')
		[ -n "$found" ] || found=$(find . -maxdepth 1 -name '[0-9][0-9]_*.sh' -name "$word*" -printf '%f\n' | sort)
		[ -n "$found" ] || ft_die "no test '$word'; near it: $(tests_near "$word"); all of them: ls selftests"
		echo "$found"
	done
}

# tests_near(word) - print the five tests whose names share most pieces of three letters with the word
tests_near() {
	printf '%s\n' [0-9][0-9]_*.sh | word=${1%.sh} awk '
		{
			name = $0
			sub(/\.sh$/, "", name)
			shared = substr(name, 1, 2) == substr(ENVIRON["word"], 1, 2)
			for (i = 1; i + 2 <= length(ENVIRON["word"]); i++)
				shared += index(name, substr(ENVIRON["word"], i, 3)) > 0
			print shared, $0
		}' | sort -s -k 1,1nr | head -n 5 | cut -d ' ' -f 2 | paste -sd ' '
}

# group(name) - print the tests whose heads have this group
group() {
	(cd "$FT_TESTS" && grep -lE "^# group:( .*)? $1( |\$)" [0-9][0-9]_*.sh) || ft_die "no test is in the group '$1'; groups: $(groups | paste -sd ' ')"
}

# groups() - print the names of all groups
groups() {
	(cd "$FT_TESTS" && sed -n 's/^# group: //p' [0-9][0-9]_*.sh) | tr ' ' '\n' | sort -u
}

# tests_for(version, test...) - print the tests that run on this kernel by default
tests_for() {
	local version name

	version=$1
	shift
	for name; do
		! grep -q '^# kernels: named$' "$FT_TESTS/$name" || continue
		[ "$version" != "${KERNELS%% *}" ] && grep -q '^# kernels: first$' "$FT_TESTS/$name" || echo "$name"
	done
}

# viewer_check() - run the viewer's own tests, then those of fragtrace defrag, which builds in the same folder
viewer_check() {
	local rc

	rc=0
	PATH=$PATH:$(ft_prometheus) || rc=1
	make -k -s -C "$FT_TOP/viewer" check || rc=1
	make -k -s -C "$FT_TOP/defrag" check || rc=1
	return $rc
}

# parsers_check() - run the parsers with odd texts and random changes of them
parsers_check() {
	make -s -C "$FT_TESTS/programs/fuzz-parsers" check O="$("$FT_TESTS/machine/setup.sh" cache)/build/fuzz-parsers" ${SEED:+SEED="$SEED"} \
		${CHANGES:+CHANGES="$CHANGES"}
}

# matrix() - print the results of each guest test by kernel: number of checks that are ok, failed, skipped
matrix() {
	local version log

	for version in $KERNELS; do
		for log in "$LOGS/kernel_$version.log" "$LOGS/kernel_${version}_part"_?.log; do
			[ ! -f "$log" ] || sed "s/^/$version /" "$log"
		done
	done | awk -v kernels="$KERNELS" '
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
			ok[test, $1] = bad[test, $1] = skipped[test, $1] = 0
			status[test, $1] = "none"
		}
		$2 == "#" && $3 == "end" { status[$4, $1] = $5 }
		$2 == "ok" { if (/# SKIP/) skipped[test, $1]++; else ok[test, $1]++ }
		$2 == "not" && $3 == "ok" { bad[test, $1]++ }
		END {
			n = split(kernels, word)
			if (!count)
				exit
			printf "# %-26s", "test"
			for (i = 1; i <= n; i++)
				printf " %-20s", word[i]
			print ""
			for (t = 1; t <= count; t++) {
				printf "# %-26s", tests[t]
				for (i = 1; i <= n; i++)
					printf " %-20s", cell(tests[t], word[i])
				print ""
			}
		}' | sed 's/ *$//'
}

# slowest() - print the ten tests that took longest, with their seconds, then the seconds of each suite
slowest() {
	local log

	for log in "$LOGS"/kernel_*.log; do
		[ ! -f "$log" ] || awk -v kernel="${log##*/kernel_}" '
			BEGIN { sub(/(_part_.)?\.log$/, "", kernel) }
			/^# end / { printf "# slow: %4d s, %4d s of the guest'\''s CPUs, %5d processes  %s on %s\n", $5, $6, $7, $3, kernel }' "$log"
	done | sort -k 3,3nr | head -n 10
	sort -nr <<<"$TOOK" | awk 'NF { name = $0; sub(/^[0-9]+ [0-9]+ /, "", name); printf "# suite: %4d s, %4d s of a CPU  %s\n", $1, $2, name }'
}

# report() - print the table of tests and kernels, what took long, the words of failed checks and of guests that ended early, the
# failures, the comparisons, and the last line
report() {
	local compared

	compared=$(cat "$LOGS"/kernel_*.log 2>/dev/null | sed -n 's/^# compared files=\([0-9]*\) blocks=\([0-9]*\) .*/\1 \2/p' |
		awk '{ f += $1; b += $2; n++ } END { printf "%d comparisons with FIEMAP, %d files, %d blocks", n, f, b }')
	matrix
	slowest
	[ -z "$SKIPS" ] || grep . <<<"$SKIPS"
	[ -z "$LAST_WORDS" ] || grep . <<<"$LAST_WORDS"
	[ -z "$FAILURES" ] || grep . <<<"$FAILURES"
	echo "# $compared, $SECONDS s, $CPU s of a CPU"
	if [ "$SKIPPED" = 0 ]; then
		echo "$PASSED passed, $FAILED failed"
	else
		echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
	fi
}

# guests(test...) - run tests in guests with each kernel; without names those that run there by default
#
# Two guests take turns with the tests where nothing else is to be done, and with all tests of the first kernel, which are twice as
# many as those of another: one guest would be left alone at the end. In a whole run, the CPUs of guests with other kernels than the
# first and the last one take turns: that is cheaper, and races are looked for on these two.
guests() {
	local version tests thread

	thread=${TCG_THREAD:-}
	for version in $KERNELS; do
		[ -s "$LOGS/module-$version" ] || continue
		export TCG_THREAD="$thread"
		[ "$MODE" != everything ] || [ "$version" = "${KERNELS%% *}" ] || [ "$version" = "${KERNELS##* }" ] || TCG_THREAD=single
		tests=$*
		[ $# -gt 0 ] || tests=$(cd "$FT_TESTS" && tests_for "$version" [0-9][0-9]_*.sh)
		# shellcheck disable=SC2046,SC2086 # lists of tests
		if [ "$JOBS" -gt 1 ] && { [ "$MODE" = some ] && [ $# -gt 7 ] || [ "$version $#" = "${KERNELS%% *} 0" ]; }; then
			suite "kernel $version part 1" guest_tests "kernel $version part 1" "$version" $(printf '%s\n' $tests | sed -n 1~2p)
			suite "kernel $version part 2" guest_tests "kernel $version part 2" "$version" $(printf '%s\n' $tests | sed -n 2~2p)
		else
			suite "kernel $version" guest_tests "kernel $version" "$version" $tests
		fi
	done
}

# some(test...) - run these tests, after the least that has to be built
some() {
	ft_packages build guest
	! uses_programs "$@" || ft_packages viewer
	! any_uses 'redis\|trace-cmd\|perf\|bpftrace' "$@" || ft_packages test
	build_some "$@"
	guests "$@"
}

# everything(test...) - build all with all checks, then run all suites, or guests alone
everything() {
	local source

	ft_packages build guest full viewer demo test
	if [ "$MODE" = everything ]; then
		source=$(ft_source 6.12)
		export CHECKPATCH=${CHECKPATCH:-$source/scripts/checkpatch.pl}
		suite "static" "$FT_TESTS/host/static.sh"
	fi
	suite "build" build_all
	end_until build
	print_progress &
	PROGRESS=$!
	guests "$@"
	if [ "$MODE" = everything ]; then
		# races are a matter of the guests above; in the following ones, two CPUs take turns
		export TCG_THREAD=single
		# the long ones first, so that none is left alone at the end
		suite "viewer" viewer_check
		suite "tree" "$FT_TESTS/host/tree.sh"
		suite "builds" env F2FS_SRC="$source" "$FT_TESTS/host/builds.sh"
		suite "guests" "$FT_TESTS/host/guests.sh"
		# shellcheck disable=SC2086 # a list of kernels
		suite "power failures" "$FT_TESTS/host/power_off.sh" $KERNELS
		suite "lockdown" "$FT_TESTS/host/lockdown.sh" "${KERNELS%% *}"
		suite "no debugfs" "$FT_TESTS/host/no_debugfs.sh" "${KERNELS##* }"
		# within a bare machine another one would test nothing else
		[ -n "${FRAGTRACE_BARE:-}" ] || suite "bare machine" "$FT_TESTS/host/bare_machine.sh"
		suite "bench" "$FT_TESTS/host/bench.sh"
		suite "papers, short" "$FT_TESTS/host/papers_run.sh"
		suite "another f2fs" "$FT_TESTS/host/other_f2fs.sh"
		suite "papers" "$FT_TESTS/host/papers.sh"
		suite "parsers" parsers_check
		suite "fiemap-check" "$FT_TESTS/host/fiemap_check.sh"
		suite "runner" "$FT_TESTS/host/runner.sh"
		suite "judge" "$FT_TESTS/host/judge.sh"
	fi
}

# extmap_check() - run the extent map and its test in user space
extmap_check() {
	make -s -C "$FT_TESTS/unit" check O="$(ft_cache)/build/unit" ${SEED:+SEED="$SEED"}
}

# shell_tests(folder, program, test...) - run shell tests of viewer/ or defrag/
shell_tests() {
	local program name rc

	cd "$FT_TOP/$1" || return 1
	program=$2 rc=0
	for name in "${@:3}"; do
		WINDOWS=$PWD/build/windows "tests/test_$name.sh" "./$program" || rc=1
	done
	return $rc
}

# python_tests(test...) - run tests of viewer/ that pytest runs
python_tests() {
	cd "$FT_TOP/viewer" || return 1
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -q -p no:cacheprovider --ktap "${@/#/tests/}"
}

# unit() - run what needs no kernel and is short
unit() {
	ft_packages viewer test
	make -s -j "$(nproc)" -C "$FT_TOP/viewer" all build/formats build/pngpeek >"$LOGS/build" 2>&1 &&
		make -s -j "$(nproc)" -C "$FT_TOP/defrag" all build/windows >>"$LOGS/build" 2>&1 ||
		{ cat "$LOGS/build" && ft_die "viewer/ or defrag/ does not build"; }
	# random texts and tables are fewer here than with all tests
	suite "figures" shell_tests viewer fragtrace why
	suite "space" shell_tests viewer fragtrace space
	suite "zones" shell_tests viewer fragtrace zones
	suite "exports" shell_tests viewer fragtrace export
	PLANS=20 suite "planner" shell_tests defrag fragtrace-defrag plan
	CHANGES=250 suite "parsers" parsers_check
	suite "extent map" extmap_check
	suite "python" python_tests test_fragsnap.py test_fragplot_model.py
	# without those that draw for seconds
	suite "papers" "$FT_TESTS/host/papers.sh" -k 'not keep and not report'
	suite "fiemap-check" "$FT_TESTS/host/fiemap_check.sh"
}

# run_main(arguments...) - the command described at the top
run_main() {
	local version tests

	MODE=everything
	case ${1:-} in
	--groups)
		groups
		return 0
		;;
	--unit) MODE=unit ;;
	--host) ;;
	--guests) MODE=guests ;;
	--one) MODE=some ;;
	--group) MODE=some ;;
	-*) ft_usage ;;
	'') ;;
	*) MODE=guests ;;
	esac
	case ${1:-} in
	--group) tests=$(group "${2:-}") ;;
	--*) tests=$(tests_named "${@:2}") ;;
	*) tests=$(tests_named "$@") ;;
	esac
	[ "$MODE" != some ] || [ -n "$tests" ] || ft_usage
	KERNELS=${KERNEL:-all}
	[ "$MODE" != some ] || KERNELS=${KERNEL:-6.12}
	[ "$KERNELS" != all ] || KERNELS=$FT_TESTED
	# make passes these on for `make vm`; here they would change the guests of the tests.
	unset KERNEL DISK OUT CMD F2FS_KO F2FS_SRC VMLINUX_BTF
	LOGS=$(mktemp -d "$(ft_cache)/logs.XXXXXX")
	trap 'rm -rf "$LOGS"' EXIT
	trap 'interrupted 130' INT
	trap 'interrupted 143' TERM HUP
	# Tests mostly need one CPU, and wait now and then: four suites keep two CPUs busy.
	JOBS=${JOBS:-$(($(nproc) > 1 ? 4 : 1))}
	[ "$MODE" != unit ] || KERNELS=
	for version in $KERNELS; do
		ft_kernel "$version"
	done
	# shellcheck disable=SC2086 # a list of tests
	case $MODE in
	unit) unit ;;
	some) some $tests ;;
	*) everything $tests ;;
	esac
	end_all
	[ -z "$PROGRESS" ] || kill "$PROGRESS"
	PROGRESS=
	report
	[ "$FAILED" = 0 ]
}

run_main "$@"
