#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests fragtrace top in a pipe and, with tmux, on a terminal; speaks KTAP. See testlib.sh.
# usage: test_top.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# === Helpers ===

# top(args...) - the output into a pipe
top() {
	"$fragtrace" top -n 0.05 "$@"
}

# table(records) - a table of one volume of 1000 blocks
table() {
	printf '%s\n%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=0 blocks=1000 segment_blocks=100 path=/m' "$1"
}

# row(name) - the last line printed about this file, without runs of blanks
row() {
	grep -- " $1\$" out | tail -n 1 | tr -s ' ' | sed 's/^ //'
}

# paths() - the files in the order of the output
paths() {
	sed -n 's/^.* \(\/[^ ]*\)$/\1/p' | tr '\n' ' '
}

# terminal(width, height, args...) - start it on a terminal of this size
terminal() {
	local width=$1 height=$2
	shift 2
	if ! command -v tmux >/dev/null; then
		echo "tmux is not installed"
		exit 4
	fi
	# the old screen must come back after the end: a line before, the status and the modes after
	cat >run <<-EOF
	stty -g >before
	echo before
	status=0
	sh -c 'echo \$\$ >pid; exec "$fragtrace" top $*' || status=\$?
	echo "status \$status"
	stty -g >after
	touch ended
	sleep 100
	EOF
	open_terminal "$width" "$height"
}

# open_terminal(width, height) - run the script `run` in a separate tmux
open_terminal() {
	[ -z "${socket:-}" ] || tmux -S "$socket" kill-server
	rm -f ended before after pid
	terminals=$((${terminals:-0} + 1))
	export socket="$PWD/socket$terminals"
	tmux -S "$socket" -f /dev/null new-session -d -x "$1" -y "$2" "exec sh ./run"
	trap 'tmux -S "$socket" kill-server' EXIT
}

# press(keys...) - type on the terminal; keys have tmux's names
press() {
	tmux -S "$socket" send-keys "$@"
}

# screen() - the content of the terminal
screen() {
	tmux -S "$socket" capture-pane -p
}

# shows(pattern) - the terminal has a line like this, now or soon
shows() {
	wait_for sh -c 'tmux -S "$socket" capture-pane -p >now; grep -q -- "$1" now' - "$1"
}

# is_restored(status) - the program ended with this status and restored the terminal
is_restored() {
	wait_for test -e ended
	shows "^status $1\$"
	screen >now
	[ "$(head -n 1 now)" = before ] || fail "the screen is not back: $(cat now)"
	cmp before after
	[ "$(tmux -S "$socket" display-message -p '#{alternate_on} #{cursor_flag}')" = "0 1" ] ||
		fail "alternate screen, cursor: $(tmux -S "$socket" display-message -p '#{alternate_on} #{cursor_flag}')"
}

# === In a pipe ===

# The figures of the kernel at the same moment.
test_figures_are_those_of_the_kernel() {
	LINES=1000 top -t "$data/rocksdb2.table" --count 1 | sed 1,3d |
		awk 'NF { print $1, $2, $4, $7 }' | sort >got
	awk '!/^#/ && $6 { print $9 - $10, $6, $4, $11 }' "$data/rocksdb2.files" | sort >expected
	[ "$(wc -l <got)" -gt 30 ] || fail "only $(wc -l <got) files"
	cmp got expected || { diff got expected; exit 1; }
}

test_worst_first() {
	LINES=1000 top -t "$data/rocksdb2.table" --count 1 | sed 1,3d | awk 'NF { print $1, $2 }' >got
	sort -k 1,1nr -k 2,2nr got | cmp - got
}

# Windows of 32 blocks: a hole does not end a fragment, a fragment in two windows needs two requests.
test_figures_by_hand() {
	table '0:0 0 1 0 4 contiguous /none' >t
	table '254:0 10 4 30 4 fragmented /m/a
254:0 14 2 40 4 fragmented /m/a
254:0 20 1 34 4 fragmented /m/a
254:0 30 2 0 5 contiguous /m/b' >t
	top -t t --count 1 >out
	# /m/a: 30-33 in windows 0 and 1, 34 and 40-41 in window 1; each is a separate fragment
	[ "$(row /m/a)" = "2 3 - 7 - 2.00 /m/a" ] || fail "$(row /m/a)"
	[ "$(row /m/b)" = "0 1 - 2 - 1.00 /m/b" ] || fail "$(row /m/b)"
	sed '/ 34 4 /d' t >t2
	top -t t2 --count 1 >out
	[ "$(row /m/a)" = "0 1 - 6 - 1.00 /m/a" ] || fail "$(row /m/a)"
}

test_rates() {
	table '254:0 10 4 0 4 contiguous /m/a
254:0 20 2 0 5 contiguous /m/b' >t
	table '254:0 10 4 0 4 fragmented /m/a
254:0 20 1 0 5 contiguous /m/b
254:0 30 6 9 4 fragmented /m/a
254:0 40 1 0 6 contiguous /m/c' >t2
	"$fragtrace" top -n 0.2 -t t >out &
	wait_for grep -q /m/b out
	mv t2 t
	wait_for grep -q '/m/c' out
	wait_for sh -c '[ "$(tail -n 1 out)" = "" ]'
	kill $!
	wait $! || fail "status $?"
	# the reading in which /m/c is new: /m/a grew by one fragment and six blocks, /m/b by one block
	awk '
		/^fragtrace/ { split("", rate) }
		NF == 7 { rate[$7, "f"] = $3; rate[$7, "b"] = $5 }
		/ \/m\/c$/ { now = 1 }
		!NF && now {
			f = rate["/m/a", "f"]
			exit !(f > 0 && rate["/m/a", "b"] / f > 5 && rate["/m/a", "b"] / f < 7 && rate["/m/b", "f"] == 0 &&
			       rate["/m/b", "b"] / f < -0.8 && rate["/m/b", "b"] / f > -1.2 && rate["/m/c", "f"] == f)
		}' out || fail "$(cat out)"
	grep -q '; 1 of 3 files fragmented; 4 fragments (+[0-9.]*/s);' out || fail "$(cat out)"
}

test_one_screenful_each() {
	[ "$(top -t "$data/rocksdb2.table" --count 3 | wc -l)" = $((3 * 25)) ]
	[ "$(LINES=10 top -t "$data/rocksdb2.table" --count 2 | wc -l)" = $((2 * 11)) ]
	top -t "$data/header_only.table" --count 1 >out
	grep -qx 'no split factor; 0 of 0 files fragmented; 0 fragments; 0 KiB' out
}

test_names_are_harmless() {
	table '254:0 10 1 0 4 contiguous /m/a\033[2Jb
254:0 20 1 0 5 contiguous /m/\134\303\251\377
254:0 30 1 0 6 contiguous /m/with\040blank\040(deleted)' >t
	LC_ALL=C.UTF-8 top -t t --count 1 >out
	grep -qF '/m/a\033[2Jb' out
	grep -qF '/m/\134é\377' out
	grep -qF '/m/with blank (deleted)' out
	LC_ALL=C top -t t --count 1 >out
	grep -qF '/m/\134\303\251\377' out
}

test_top_in_a_pipe_waits_for_its_source() {
	cp "$data/small.table" t
	"$fragtrace" top -n 0.02 -t t >out 2>stderr &
	wait_for grep -q LOG2 out
	rm t
	wait_for grep -q 'cannot open.*waiting until it is back' stderr
	cp "$data/small.table" t2
	mv t2 t
	wait_for grep -q 'is back' stderr
	kill $!
	wait $! || fail "status $?"
}

test_sorted_column_is_marked() {
	top -t "$data/small.table" --count 1 | sed -n 3p | tr -s ' ' | grep -qx ' \*EXTRA FRAGS FRAG/S BLOCKS BLK/S SPLIT PATH'
}

test_sort_in_a_pipe() {
	table '254:0 10 4 30 4 fragmented /m/a
254:0 20 1 0 5 contiguous /m/b' >t
	top -t t --count 1 --sort name >out
	[ "$(paths <out)" = '/m/a /m/b ' ] || fail "$(cat out)"
	grep -q '  by name$' out
	grep -q ' \*PATH$' out
	# /m/b grows, /m/a is the larger one
	top -n 0.2 --count 2 --sort rate -t t >out &
	wait_for grep -q /m/b out
	sed 's,20 1 0 5 contiguous,20 1 0 5 fragmented,; $a254:0 40 1 9 5 fragmented /m/b' t >t2
	mv t2 t
	wait $!
	[ "$(tail -n 3 out | paths)" = '/m/b /m/a ' ] || fail "$(cat out)"
	grep -q '  by fragments/s$' out
	misused '--sort size: not valid; give extra, frags, rate, blocks, split or name' "$fragtrace" top t --sort size
}

test_one_file() {
	table '254:0 10 4 0 4 contiguous /m/a' >t
	top t --count 1 >out
	grep -qx 'split factor 1.00; 0 of 1 file fragmented; 1 fragment; 16 KiB' out || fail "$(cat out)"
}

# A file does not change: one reading is all, if nobody looks at the screen.
test_a_file_is_read_once() {
	timeout 20 "$fragtrace" top "$data/small.table" >out
	[ "$(grep -c '^fragtrace ' out)" = 1 ] || fail "$(cat out)"
}

test_filter() {
	top -t "$data/rocksdb2.table" --count 1 --only .sst >out
	[ "$(sed 1,3d out | grep -c '\.sst$')" = "$(sed 1,3d out | grep -c .)" ] || fail "$(cat out)"
	sed -n 1p out | grep -q '  only \.sst$' || fail "$(head -n 1 out)"
	# the sums are those of all files
	sed -n 2p out | grep -q ' 26 of 33 files fragmented; '
	top -t "$data/rocksdb2.table" --count 1 --only 'db/MANIFEST*' >out
	[ "$(sed 1,3d out | paths)" = '/mnt/f2fs/db/MANIFEST-000071 ' ] || fail "$(cat out)"
	top -t "$data/rocksdb2.table" --count 1 --only nosuch >out
	[ -z "$(sed 1,3d out | paths)" ] || fail "$(cat out)"
}

test_top_of_standard_input() {
	"$fragtrace" top - <"$data/small.table" >out
	[ "$(grep -c '^fragtrace ' out)" = 1 ] || fail "$(cat out)"
	grep -q ' 1 of 7 files fragmented; ' out
}

test_top_refuses() {
	misused 'not an option here; see fragtrace top --help' "$fragtrace" top -o x.png
	refuses 'nosuch: cannot open' "$fragtrace" top -t nosuch
	misused '-: -n cannot read standard input again' "$fragtrace" top -t - -n 1
	printf '# fragtrace table 2\n' >t
	refuses 't:1: the table has version 2' "$fragtrace" top -t t
	refuses 'No space left on device' sh -c "'$fragtrace' top -t '$data/small.table' >/dev/full"
}

# === On a terminal ===

test_80x24() {
	terminal 80 24 -t "$data/rocksdb2.table"
	# the last line that is drawn
	shows 'q)uit$'
	screen >now
	[ "$(wc -l <now)" = 24 ]
	head -n 2 now | tail -n 1 | grep -qx 'split factor 1.03; 26 of 33 files fragmented; 62 fragments; 132 MiB'
	tail -n 1 now | grep -q 'q)uit$'
	[ "$(grep -c /mnt/ now)" = 20 ]
	press q
	is_restored 0
}

# is_sorted(by, first) - the summary has this order, and this file comes first
is_sorted() {
	screen >now
	head -n 1 now | grep -q "by $1\$" && sed -n 4p now | grep -q -- " $2\$"
}

# sorted(key, by, first) - the key gives this order
sorted() {
	press "$1"
	wait_for is_sorted "$2" "$3"
}

# What has no room is left out as a whole: a number that is cut is another number.
test_narrow_summary() {
	awk 'BEGIN { print "# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks=9999999 segment_blocks=512 path=/m\n# stale 1234567"
		for (i = 0; i < 1200; i++) print "254:0", 4 * i, 2, 2 * int(i / 1000), 4 + i % 1000, i % 1000 < 200 ? "fragmented" : "contiguous", "/m/" i % 1000 }' >t
	terminal 80 24 -t t
	shows '^split factor 1.20; 200 of 1,000 files fragmented; 1,234,567 files stale$'
	press q
	is_restored 0
	terminal 40 24 -t t
	shows '^split factor 1.20$'
	press q
	is_restored 0
}

test_keys() {
	terminal 80 24 -n 100 -t "$data/rocksdb2.table"
	shows 'by extra requests$'
	sorted f 'fragments' /mnt/f2fs/db/LOG
	sorted b 'blocks' /mnt/f2fs/db/000056.sst
	sorted s 'split factor' /mnt/f2fs/db/MANIFEST-000071
	sorted n 'name' /mnt/f2fs/db/000056.sst
	sorted R 'name, reversed' /mnt/f2fs/db/OPTIONS-000073
	sorted r 'fragments/s' /mnt/f2fs/db/LOG
	sorted e 'extra requests' /mnt/f2fs/db/LOG
	press Down Down
	wait_for sh -c 'tmux -S "$socket" capture-pane -p | sed -n 4p | grep -q 000056.sst'
	press End
	wait_for sh -c 'tmux -S "$socket" capture-pane -p | sed -n 23p | grep -q " 0  *1 .*f2fs"'
	press Home
	wait_for sh -c 'tmux -S "$socket" capture-pane -p | sed -n 4p | grep -q LOG'
	press q
	is_restored 0
}

test_filter_key() {
	terminal 80 24 -n 100 -t "$data/rocksdb2.table"
	shows '^  \*EXTRA '
	press / M A N I
	shows '^Show only paths with (or a glob): MANI_'
	shows MANIFEST-000071
	wait_for sh -c '! tmux -S "$socket" capture-pane -p | grep -q LOG'
	press BSpace Enter
	shows 'only MAN$'
	press n
	shows ' \*PATH'
	press Escape
	shows 'by name$'
	# escape while it is typed removes all of it
	press / M
	shows '^Show only paths with (or a glob): M_'
	press Escape
	shows 'by name$'
	press q
	is_restored 0
}

test_narrow_terminal_keeps_the_path() {
	terminal 40 10 -n 100 -t "$data/rocksdb2.table"
	shows '^  \*EXTRA  *FRAGS PATH'
	shows 'MANIFEST-000071$'
	press b
	shows '^  \*BLOCKS PATH'
	shows '[0-9] .*[0-9]\.[a-z]*$'
	tmux -S "$socket" resize-window -x 60 -y 10
	shows '^   EXTRA  *FRAGS  *\*BLOCKS  *SPLIT PATH\|^   EXTRA  *FRAGS  *\*BLOCKS PATH'
	tmux -S "$socket" resize-window -x 40 -y 10
	press q
	is_restored 0
}

test_the_end_of_a_long_path_fills_the_line() {
	{
		cat "$data/small.table"
		echo "254:0 160 1 0 99 contiguous /mnt/f2fs/$(printf '%060d' 0)end"
	} >t
	terminal 40 14 -n 100 -t t
	shows '<0*end$'
	[ "$(screen | awk '/end$/ { print length }')" = 40 ] || fail "$(screen)"
	press q
	is_restored 0
}
test_pause() {
	cp "$data/small.table" t
	terminal 80 24 -n 0.05 -t t
	shows LOG2
	press b
	shows 'by blocks$'
	press p
	shows '\[paused\]$'
	cp "$data/rocksdb2.table" t2
	mv t2 t
	sleep 0.3
	screen | grep -q LOG2 || fail "it was read while paused"
	press Space
	# readings keep the order
	wait_for is_sorted blocks /mnt/f2fs/db/000056.sst
	sleep 0.2
	is_sorted blocks /mnt/f2fs/db/000056.sst || fail "$(cat now)"
	press q
	is_restored 0
}

test_other_sizes() {
	terminal 80 24 -n 100 -t "$data/rocksdb2.table"
	shows MANIFEST
	tmux -S "$socket" resize-window -x 132 -y 40
	wait_for sh -c 'tmux -S "$socket" capture-pane -p | sed -n 40p | grep -q "q)uit"'
	# a path that does not fit keeps its end
	tmux -S "$socket" resize-window -x 70 -y 8
	wait_for sh -c 'tmux -S "$socket" capture-pane -p | grep -q "<.*MANIFEST-000071$"'
	tmux -S "$socket" resize-window -x 20 -y 2
	sleep 0.2
	tmux -S "$socket" resize-window -x 80 -y 24
	shows '/mnt/f2fs/db/MANIFEST-000071$'
	press q
	is_restored 0
}

test_terminal_after_signals() {
	local signal
	for signal in INT TERM HUP; do
		terminal 80 24 -n 0.02 -t "$data/small.table"
		shows LOG2
		kill "-$signal" "$(cat pid)"
		is_restored 0
	done
}

test_bad_reading_on_a_terminal() {
	cp "$data/small.table" t
	terminal 80 24 -n 0.05 -t t
	shows LOG2
	echo garbage >t2
	mv t2 t
	shows '^t:1: this is no fragtrace table'
	screen | grep -q LOG2 || fail "the last reading is gone"
	cp "$data/small.table" t2
	mv t2 t
	shows '^[^:]*7 files'
	press q
	is_restored 0
}

test_source_goes_on_a_terminal() {
	cp "$data/small.table" t
	terminal 80 24 -n 0.05 -t t
	shows LOG2
	mv t away
	shows '^t: cannot open: No such file or directory'
	screen | grep -q LOG2 || fail "the last reading is gone"
	mv away t
	shows ' 1 of 7 files fragmented'
	press q
	is_restored 0
}

test_unknown_terminal() {
	terminal 80 24 -t "$data/small.table"
	shows LOG2
	press q
	is_restored 0
	sed -i "s/^status=0/status=0; export TERM=nosuch/" run
	open_terminal 80 24
	shows 'the terminal "nosuch" is not known'
	# without a way to place text, the screen would stay empty
	sed -i "s/TERM=nosuch/TERM=dumb/" run
	open_terminal 80 24
	shows 'the terminal "dumb" cannot write at a given place'
}

run_tests
