#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bare_machine.sh - does each command work on a machine on which nothing was installed, and bring what it needs?
#
# usage: bare_machine.sh [COMMAND...]
#
# Each command, in a short form, starts from a fresh copy of a bare Debian 12, with the committed tree and an empty cache
# (machine/bare.sh). `all` is each of them; without a name it is demo, whose pictures and texts are looked at, too.
# $COMMIT is another commit than HEAD. What a command says is printed while it runs.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"
ft_die_with_parent "$@"

ALL="demo user odd vm one unit test bench apps lab papers jars deb in-tree fuzz-parsers soak day large xfstests dist check"

# line_of(command) - print the line for a shell that tries it
line_of() {
	case $1 in
	demo) echo 'make demo SECONDS_OF_WORK=15 EVERY=3' ;;
	test) echo 'KERNEL=6.12 selftests/run.sh --host 10_load.sh 20_write.sh 38_viewer.sh 76_tracers.sh 78_redis.sh' ;;
	vm) echo "make vm CMD='uname -r'" ;;
	one) echo 'make one T=20_write' ;;
	unit) echo 'make unit' ;;
	bench) echo 'make bench BENCH=micro QUICK=1' ;;
	apps) echo 'make bench BENCH=apps QUICK=1 LESS=64' ;;
	lab) echo 'make lab BENCH=fragpicker PARTS=forecast QUICK=1' ;;
	papers) echo 'make papers ONLY=replay QUICK=1' ;;
	jars) echo 'selftests/papers/jars.sh clients >/dev/null' ;;
	deb) echo 'make deb DKMS=no' ;;
	fuzz-parsers) echo 'make fuzz-parsers MINUTES=1' ;;
	soak) echo 'make soak MINUTES=1 CUTS=1' ;;
	day) echo 'make day HOURS=1' ;;
	large) echo 'FILES=2000 make test-large TESTS=95_large_move.sh' ;;
	dist) echo 'make dist' ;;
	check) echo 'MUTANTS=0 make check' ;;
	# a tree as far as it is looked at
	in-tree) echo 'mkdir -p /t/fs/f2fs /t/tools/testing/selftests && touch /t/fs/f2fs/f2fs.h /t/tools/testing/selftests/lib.mk &&
		echo "source \"fs/f2fs/Kconfig\"" >/t/fs/Kconfig && echo "obj-y += f2fs/" >/t/fs/Makefile && make in-tree TREE=/t' ;;
	# a checkout whose one test passes
	xfstests) echo 'mkdir -p /root/x/ltp && printf "#!/bin/sh\n" >/root/x/check && cp /bin/true /root/x/ltp/fsstress &&
		chmod +x /root/x/check && make xfstests XFSTESTS=/root/x TESTS=generic/388' ;;
	# who is not root is told what root has to install; that must be enough
	user) echo 'useradd -m user && cp -r . ~user/fragtrace && chown -R user: ~user && cd ~user/fragtrace &&
		! su user -c "make demo" 2>said && cat said && apt-get -qq update &&
		$(sed -n "s/^fragtrace: error: missing packages; as root, run: //p" said) -qq -y --no-install-recommends >/dev/null &&
		su user -c "make demo SECONDS_OF_WORK=3 EVERY=3"' ;;
	odd) echo 'cp -r . "/root/frag trace" && cd "/root/frag trace" && umask 077 && unset TERM &&
		LANG=de_DE.UTF-8 make demo SECONDS_OF_WORK=3 EVERY=3' ;;
	*) ft_die "bare: unknown command '$1'; expected all, or of these: $ALL" ;;
	esac
}

# in_copy(command) - try it in a fresh copy, which is still there afterwards; print what it says as comments
in_copy() {
	local rc running printer

	ft_bare_end
	ft_bare_new "${COMMIT:-}"
	line_of "$1" | tr -s '\n\t' ' ' | sed "s/^\(.*\) $/# $1: \1\n/"
	: >"$BARE/log"
	setpriv --pdeathsig KILL sleep infinity &
	running=$!
	tail -n +1 -s 0.5 -f --pid=$running "$BARE/log" | sed -u 's/^/# /' &
	printer=$!
	rc=0
	ft_bare_run bash -euc "$(line_of "$1")" >"$BARE/log" 2>&1 || rc=$?
	kill $running
	wait $running $printer 2>/dev/null || :
	return $rc
}

# missed() - print what the command has said of programs and modules that are not there
missed() {
	grep -aoE '[^ ]+: (command )?not found$|No module named .*|[^ ]*invalid path to external symbolizer|link .* -> ..: No such.*' "$BARE/log" | sort -u | head -n 5 || :
}

# requests(table) - print those that reads of 128 KiB of all its files take
requests() {
	ft_bare_run viewer/fragtrace defrag --all -t "demo-out/$1" --json | sed -n 's/.*"requests":\([0-9]*\),"requests_ideal".*/\1/p' | head -n 1
}

# without(module) - draw the second picture on a machine without this module of Python
without() {
	ft_bare_run sh -c "mkdir -p /tmp/without/$1 && echo 'raise ModuleNotFoundError(name=\"$1\")' >/tmp/without/$1/__init__.py &&
		PYTHONPATH=/tmp/without selftests/commands/demo.sh --again" >"$BARE/said" 2>&1
}

# demo_left() - is all there that the demonstration leaves? 15 checks
demo_left() {
	local out log picture text before after apart

	out=$BARE/project/demo-out log=$BARE/log
	expect "demo: the last line is the path of the picture" "$(tail -n 1 "$log")" "$FT_BARE_PROJECT/demo-out/fragImg.png"
	for picture in fragImg.png fragImg-defrag.png; do
		check "demo: $picture is a PNG" sh -c "head -c 4 '$out/$picture' | grep -q PNG"
	done
	for text in table files table.defrag; do
		check "demo: $text has the database's files" grep -q '\.sst$' "$out/$text"
	done
	# A short run may leave nothing to do. Then both tables are the same.
	before=$(requests table) after=$(requests table.defrag)
	if grep -q 'nothing is worth a rewrite' "$out/defrag.txt"; then
		expect "demo: nothing was worth a rewrite, and requests are as before" "$after" "$before"
	else
		check "demo: fragtrace defrag made requests fewer: $before, then $after" test "$after" -lt "$before"
	fi
	check "demo: stats counts writes" sh -c "[ \$(sed -n 's/^events_write //p' '$out/stats') -gt 0 ]"
	# Their number depends on the speed of the machine, and may be 0. 74_rocksdb_replay.sh tests an exact number.
	apart=$(awk '
		/^#/ || $NF !~ /\.sst$/ || $5 == "-" { next }
		$2 != ino { files++; apart += n > 1 && len == 1; n = 0 }
		{ ino = $2; n++; len = $7 }
		END { print apart + (n > 1 && len == 1) " of " files }' "$out/extents")
	check "demo: it says the number of detached last blocks in extents: $apart" grep -q " $apart .sst files have their last block apart" "$log"
	check "demo: that is said before the rewrite" awk '/ have their last block apart/ { said = 1 } /defrag rewrites/ { exit !said }' "$log"
	# The paper needed strace to find this: fdatasync, then ftruncate, then the last block is written again.
	expect "demo: each of these breaks has the cause tail and a process of RocksDB" "$(awk '
		/^#/ || $NF !~ /\.sst$/ || $5 == "-" { next }
		$2 != ino && n > 1 && len == 1 { print cause }
		$2 != ino { n = 0 }
		{ ino = $2; n++; len = $7; cause = $9; sub(/:.*/, "", $12); if ($12 !~ /^(rocksdb|db_bench)/) cause = cause "_by_" $12 }
		END { if (n > 1 && len == 1) print cause }' "$out/extents" | sort | uniq -c | grep -v ' tail$')" ""
	expect "demo: the maps of before and after are FIEMAP's" "$(grep -c 'compared files=[1-9].* differing=0$' "$log")" 2
	# its parts do not hide each other
	refuse "demo: without a module of Python it fails" without numpy
	check "demo: the package is named" grep -q 'numpy is missing; on Debian: apt-get install .*python3-numpy' "$BARE/said"
	expect "demo: the first picture still comes last" "$(tail -n 1 "$BARE/said")" "$FT_BARE_PROJECT/demo-out/fragImg.png"
}

asked=$*
[ $# -gt 0 ] || set -- demo
# shellcheck disable=SC2086 # a list of commands
[ "$*" != all ] || set -- $ALL
more=0
for name; do
	line_of "$name" >/dev/null
	[ "$name" != demo ] || more=15
done
# make test goes on without it; who asks for it is told why not
if reason=$(ft_bare_reason); then
	[ -z "$asked" ] || ft_die "a bare machine: $reason"
	plan $(($# + more))
	skip_rest "on a bare machine" "$reason"
fi
plan $(($# + more))
ft_packages bare
trap ft_bare_end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
for name; do
	began=$(date +%s) rc=0
	in_copy "$name" || rc=$?
	expect "$name: it works on a bare machine, and misses nothing, $(($(date +%s) - began)) s" "$rc $(missed)" "0 "
	[ "$name" != demo ] || demo_left
done
finish
