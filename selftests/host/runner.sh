#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# runner.sh - does run.sh count right? Its guests are replaced by a program that prints what a file says.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

dir=$(mktemp -d "$(ft_cache)/test.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# say(n, status, text) - what the nth guest prints, and how it ends
say() {
	printf '%s\n' "$3" >"$dir/said.$1"
	echo "$2" >"$dir/status.$1"
}

# run(test...) - run the runner, with these guests; print the tests that each of them was given, then its last line and status
run() {
	local rc

	rm -f "$dir"/given
	rc=0
	env -u KERNEL -u JOBS -u SEED "$dir/selftests/run.sh" --one "$@" >"$dir/out" 2>"$dir/err" || rc=$?
	echo "$(cat "$dir/given"); $(tail -n 1 "$dir/out"); $rc"
	rm -f "$dir"/said.* "$dir"/status.*
}

# make_runner() - a runner with two tests whose programs need no building
make_runner() {
	mkdir "$dir/selftests"
	cp -r "$FT_TESTS/run.sh" "$FT_TESTS/trouble.sh" "$FT_TESTS/machine" "$dir/selftests/"
	echo '6.12 20_write.sh known' >"$dir/selftests/skips.txt"
	echo '# a test' | tee "$dir/selftests/20_write.sh" >"$dir/selftests/21_direct.sh"
	printf '#!/bin/sh\necho nowhere\n' >"$dir/selftests/machine/build.sh"
	cat >"$dir/selftests/machine/guest.sh" <<-'GUEST'
	#!/bin/sh
	dir=$(dirname "$0")/../..
	tests=$(printf '%s\n' "$@" | sed '1,/run_tests.sh$/d' | paste -sd ' ')
	echo "guest: $tests" | paste -sd ' ' >>"$dir/given"
	n=$(grep -c . "$dir/given")
	echo "# tests $(echo "$tests" | wc -w)"
	cat "$dir/said.$n"
	[ ! -e "$dir/lasts" ] || { sh -c "echo \$\$ >'$dir/child'; exec sleep 300"; echo; }
	exit "$(cat "$dir/status.$n")"
	GUEST
}

# child_runs() - does the program run that the guest has begun?
child_runs() {
	[ -s "$dir/child" ] && [ -e "/proc/$(cat "$dir/child")" ]
}

# child_ended() - the opposite
child_ended() {
	! child_runs
}

# turns() - run two programs with one lock, at the same time; print when they begin and end
turns() {
	local n

	for n in 1 2; do
		ft_locked turns sh -c 'echo begin && sleep 0.3 && echo end' &
	done
	wait
	rm "$(ft_cache)/.lock-turns"
}

# interrupted() - interrupt the runner while a program of its guest runs; does that program end, too?
interrupted() {
	local pid

	touch "$dir/lasts"
	env -u KERNEL -u JOBS -u SEED "$dir/selftests/run.sh" --one 20 >"$dir/out" 2>&1 &
	pid=$!
	loop_until 60 child_runs || { echo "# it has not begun" && return 1; }
	kill $pid
	wait $pid || :
	loop_until 10 child_ended
}

# trouble_is(line...) - is the emulator at fault if the kernel has said this? Print yes or no
trouble_is() {
	printf '[    1.0] %s\r\n' "$@" >"$dir/kernel.log"
	if ft_emulator_failed "$dir/kernel.log"; then echo yes; else echo no; fi
}

# dmesg() - the log, as a test in the guest reads it
dmesg() {
	tr -d '\r' <"$dir/kernel.log"
}

# not_well() - has the log a warning?
not_well() {
	! KREL=6.12 ft_kernel_well "$dir/kernel.log" 2>/dev/null
}

# race(functions) - KCSAN has seen a race between them
race() {
	printf '[    1.0] %s\r\n' "BUG: KCSAN: data-race in $1" 'write (marked) to 0x1 of 8 bytes by task 1 on cpu 0:' " ${1%% *}+0x1/0x2" \
		'read to 0x1 of 8 bytes by task 2 on cpu 1:' ' ft_f+0x1/0x2 [fragtrace]' '======' >"$dir/kernel.log"
}

# shellcheck source=../trouble.sh
. "$FT_TESTS/trouble.sh"
plan 24
make_runner
first='# begin 20_write.sh
1..2
ok 1 - a
ok 2 - b
# end 20_write.sh 0 1 1 1'
second='# begin 21_direct.sh
1..2
ok 1 - c
ok 2 - d
# end 21_direct.sh 0 1 1 1'
both='guest: 20_write.sh 21_direct.sh'

say 1 0 "$first
$second"
expect "all is well" "$(run 20 21)" "$both; 4 passed, 0 failed; 0"
say 1 1 "$first
$(echo "$second" | sed 's/^ok 2/not &/')"
expect "a check that fails" "$(run 20 21)" "$both; 3 passed, 1 failed; 1"
say 1 1 "$first
$(echo "$second" | grep -v '^ok 2')"
expect "a check that is planned and does not come" "$(run 20 21)" "$both; 3 passed, 1 failed; 1"
say 1 1 "$first
$(echo "$second" | sed 's/sh 0 1/sh 7 1/')"
expect "a test that ends with a status, its checks being well" "$(run 20 21)" "$both; 4 passed, 1 failed; 1"
say 1 126 "$first"
expect "a test that does not begin" "$(run 20 21)" "$both; 2 passed, 1 failed; 1"
say 1 125 "$first
# begin 21_direct.sh
1..2
ok 1 - c"
expect "a kernel that panics within a test" "$(run 20 21)" "$both; 3 passed, 1 failed; 1"
say 1 0 "$(echo "$first" | sed 's/b$/& # SKIP known/')
$second"
expect "a skip that is listed" "$(run 20 21)" "$both; 3 passed, 0 failed, 1 skipped; 0"
say 1 0 "$first
$(echo "$second" | sed 's/d$/& # SKIP known/')"
expect "a skip that is not" "$(run 20 21)" "$both; 3 passed, 1 failed; 1"
say 1 123 "$first
# begin 21_direct.sh
1..2
ok 1 - c"
say 2 0 "$second"
expect "the emulator fails: the test begins again, and counts once" "$(run 20 21)" "$both
guest: 21_direct.sh; 4 passed, 0 failed; 0"
check "and it is said" grep -q '^# kernel 6.12: the emulator failed in 21_direct.sh' "$dir/out"
say 1 123 "# begin 20_write.sh
1..2
not ok 1 - a"
say 2 123 "$first
# begin 21_direct.sh"
expect "it fails twice: that is a failure, and so is what failed before" "$(run 20 21)" "$both
guest: 20_write.sh 21_direct.sh; 2 passed, 2 failed; 1"
expect "a breakpoint in the kernel's own code is the emulator's fault" \
	"$(trouble_is 'f2fs: mounted' 'Oops: int3: 0000 [#1] SMP NOPTI' 'RIP: 0010:__schedule+0x30c/0x1080')" yes
expect "one in a module, one after a warning, another oops are not" "$(trouble_is 'Oops: int3: 0000 [#1]' 'RIP: 0010:ft_f+0x3/0x10 [fragtrace]') \
$(trouble_is 'WARNING: CPU: 0' 'Oops: int3: 0000 [#1]' 'RIP: 0010:__schedule+0x30c/0x1080') \
$(trouble_is 'Oops: 0002 [#1]' 'RIP: 0010:__schedule+0x30c/0x1080')" "no no no"
printf '[    1.0] %s\r\n' 'Call Trace:' ' <TASK>' ' dump_stack_lvl+0x5d/0x80' ' f2fs_stop_checkpoint+0x1a8/0x2d0 [f2fs]' ' </TASK>' >"$dir/kernel.log"
check "the stack of a volume that F2FS gives up is no trouble" ft_kernel_well "$dir/kernel.log"
printf '[    1.0] %s\r\n' 'Call Trace:' ' <TASK>' ' dump_stack_lvl+0x5d/0x80' ' f2fs_issue_checkpoint+0x248/0x260 [f2fs]' ' </TASK>' >>"$dir/kernel.log"
check "nor that of a checkpoint that takes long" ft_kernel_well "$dir/kernel.log"
printf '[    1.0] %s\r\n' 'Call Trace:' ' <TASK>' ' f2fs_issue_checkpoint+0x248/0x260 [f2fs]' ' </TASK>' >"$dir/hung.log"
cp "$dir/kernel.log" "$dir/kept.log"
mv "$dir/hung.log" "$dir/kernel.log"
check "that of a task that waits for one is" not_well
mv "$dir/kept.log" "$dir/kernel.log"
printf '[    1.0] %s\r\n' 'Call Trace:' ' <TASK>' ' ft_f+0x3/0x10 [fragtrace]' ' </TASK>' >>"$dir/kernel.log"
check "another one after it is" not_well
race 'ft_f [fragtrace] / ft_g [fragtrace]'
check "a data race of the module is trouble" not_well
race 'rht_deferred_worker / ft_f [fragtrace]'
check "one inside the kernel's hash table is not" ft_kernel_well "$dir/kernel.log"
race 'ktime_get_mono_fast_ns / timekeeping_update'
check "nor one of the clock of tracing" ft_kernel_well "$dir/kernel.log"
cfi='CFI failure at ft_f+0x3/0x10 [fragtrace] (target: ft_g+0x0/0x10 [fragtrace]; expected type: 0x12345678)'
printf '[    1.0] %s\r\n' 'fragtrace-test: 20_write.sh' "$cfi" >"$dir/kernel.log"
check "a function pointer of a wrong type is trouble, whether the kernel goes on or not" not_well
expect "and fails the test that was running" "$(ft_log_trouble 'fragtrace-test: 20_write.sh')" "# kernel: [    1.0] $cfi"
say 1 0 "$first"
expect "a lock is held until the program has ended" "$(turns | paste -sd ' ')" "begin end begin end"
check "interrupted: what a suite has begun ends, too" interrupted
finish
