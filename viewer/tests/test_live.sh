#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests what fragtrace does beside the picture: repeated reading, snapshots; speaks KTAP.
# usage: test_live.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# === Helpers ===

# record(args...) - store snapshots in the folder rec
record() {
	"$fragtrace" record rec "$@"
}

# table(blocks, args...) - a table with one file of so many blocks
table() {
	printf '%s\n%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m' \
		"254:0 110 $1 0 4 contiguous /m/a.sst"
}

# snapshots(number) - rec has this number of snapshots, and nothing else
snapshots() {
	local n
	n=$(find rec -type f | wc -l)
	[ "$n" = "$1" ] || fail "$n files in rec; expected $1"
	[ "$(find rec -name 'fragtrace-*.[0-9][0-9][0-9].table.zst' | wc -l)" = "$1" ] ||
		fail "odd names in rec: $(ls -A rec)"
}

# === Snapshots ===

test_record_keeps_the_text() {
	local file
	record -t "$data/rocksdb.table"
	snapshots 1
	file=$(echo rec/*)
	zstd -dcq "$file" | sed 2d | cmp - "$data/rocksdb.table"
	file=${file#rec/fragtrace-}
	[ "$(zstd -dcq rec/* | sed -n 2p)" = "# time ${file%.table.zst}" ] || fail "$(zstd -dcq rec/* | sed -n 2p)"
	[ ! -e fragImg.png ] || fail "a picture was drawn"
}

# The first comment with a time is the time, wherever it is; a recording keeps what the module wrote.
test_time_of_a_text() {
	{ sed -n 1,2p "$data/small.table"; echo '# time 1700000000.500'; sed 1,2d "$data/small.table"; } >t
	"$fragtrace" view -t t -o out.png
	"$peek" out.png text | grep -q '2023-11-14 22:13:20 UTC: 7 files' || fail "$("$peek" out.png text)"
	touch -d '2020-01-01' t
	record -t t
	[ "$(ls rec)" = fragtrace-1700000000.500.table.zst ] || fail "$(ls rec)"
	zstd -dcq rec/* | sed 2d | cmp - t
	! "$fragtrace" view -t - -o out.png 2>err <<-EOF || fail "accepted"
	# fragtrace table 1
	# stale 0
	# time 1.5
	EOF
	grep -q '<stdin>:3: the fraction of the time is' err || fail "$(cat err)"
}

test_a_waiting_target_is_named() {
	local kind status
	mkdir debugfs
	printf '# fragtrace table 1\n# dev lba length offset ino state path\n' >debugfs/table
	printf '# fragtrace targets 1\n# dev ino state files path\n- - waiting 0 /mnt/my\\040disk\n' >debugfs/targets
	for kind in "top --count 1 -n 0.01" "metrics -o out" "record rec" "table --json -o out" "view -o out.png"; do
		# shellcheck disable=SC2086 # words
		status=0
		"$fragtrace" $kind -t debugfs/table >out 2>err || status=$?
		# a picture of nothing is none
		[ "$kind $status" = "view -o out.png 1" ] || [ $status = 0 ] || fail "$kind: status $status"
		[ "$(cat err)" = "fragtrace ${kind%% *}: debugfs/table: nothing to show: /mnt/my\040disk waits for its volume to be mounted" ] ||
			fail "$kind: $(cat err)"
	done
	rm err out
	"$fragtrace" metrics -o out -t debugfs/table -n 0.02 2>err &
	wait_for test -s err
	sed -n '1,3p;4q' "$data/small.table" >new
	mv new debugfs/table
	wait_for grep -q mountpoint out
	kill $!
	wait $! || fail "status $?"
	[ "$(wc -l <err)" = 1 ] || fail "$(cat err)"
	printf '# fragtrace targets 1\n' >debugfs/targets
	printf '# fragtrace table 1\n' >debugfs/table
	"$fragtrace" metrics -o out -t debugfs/table 2>err
	[ ! -s err ] || fail "$(cat err)"
}

test_a_reading_beyond_the_limit_is_waited_for() {
	local bytes
	cp "$data/small.table" t
	bytes=$(wc -c <t)
	# another process reads it again, and tells its time, too: that is more than the limit
	"$fragtrace" table --csv -o out -t t --max-input "$bytes" -n 0.02 2>err &
	wait_for grep -q 'no memory for what was read; waiting until it is back' err
	sed '$d' t >fewer
	mv fewer t
	# all but the last record
	wait_for sh -c '! grep -q MANIFEST out'
	kill $!
	wait $! || fail "status $?"
	[ "$(wc -l <out) $(grep -c 't: is back' err)" = '10 1' ] || fail "$(cat out err)"
}

test_record_binary() {
	local file
	sed '1a\
# time 1700000000.123' "$data/two.table" >text
	"$python" -IS "$here/to_snapshot.py" text >good
	record -t good
	record -t good
	[ "$(ls -A rec)" = fragtrace-1700000000.123.snapshot.zst ] || fail "$(ls -A rec)"
	file=rec/fragtrace-1700000000.123.snapshot.zst
	zstd -dcq $file | cmp -n 24 - good
	zstd -dcq $file | cmp -i 32 - good
	"$fragtrace" view -t good -o good.png
	"$fragtrace" view -t $file -o now.png
	cmp now.png good.png
	# another time is no change, another address is one; two of the same time are both stored
	sed '1a\
# time 1700000001.000' "$data/two.table" >text
	"$python" -IS "$here/to_snapshot.py" text >later
	record -t later
	[ "$(ls -A rec | wc -l)" = 1 ] || fail "$(ls -A rec)"
	sed '2s/.*/# time 1700000000.123/; $d' text >fewer
	"$python" -IS "$here/to_snapshot.py" fewer >binary
	record -t binary
	record -t text
	[ "$(ls rec | tr '\n' ' ')" = "fragtrace-1700000000.123.snapshot.zst fragtrace-1700000000.124.snapshot.zst \
fragtrace-1700000001.000.table.zst " ] || fail "$(ls -A rec)"
}

test_record_time_is_that_of_the_reading() {
	local before after file
	before=$(date +%s%3N)
	# a pipe has no time, as in debugfs
	cat "$data/small.table" | record -t -
	after=$(date +%s%3N)
	file=$(echo rec/*)
	file=$(echo "${file%.table.zst}" | tr -cd 0-9)
	[ "$before" -le "$file" ] && [ "$file" -le "$after" ] || fail "$file is not from $before to $after"
}

test_record_only_changes() {
	table 1 >t
	record -t t
	record -t t
	touch -d '+1 hour' t
	record -t t -n 0.01 --count 5
	snapshots 1
	table 2 >t
	record -t t -n 0.01 --count 5
	snapshots 2
	touch -d '+2 hours' t
	table 1 >t
	touch -d '+3 hours' t
	record -t t
	snapshots 3
}

test_record_sees_each_kind_of_change() {
	table 1 >t
	record -t t
	# longer, shorter, different in the middle; each is compared with the previous one
	{ table 1; echo '# more'; } | record -t -
	snapshots 2
	table 1 | record -t -
	snapshots 3
	table 1 | sed 's/segment_blocks=32/segment_blocks=33/' | record -t -
	snapshots 4
}

test_record_same_time_loses_nothing() {
	table 1 >t
	touch -d '2026-05-04 03:02:01.999 UTC' t
	record -t t
	table 2 >t
	touch -d '2026-05-04 03:02:01.999 UTC' t
	record -t t
	snapshots 2
	[ -e rec/fragtrace-1777863721.999.table.zst ] && [ -e rec/fragtrace-1777863722.000.table.zst ] || fail "$(ls rec)"
	zstd -dcq rec/fragtrace-1777863722.000.table.zst | grep -qx '# time 1777863722.000'
}

test_record_again_from_a_snapshot() {
	table 1 >t
	touch -d '2026-05-04 03:02:01.25 UTC' t
	record -t t
	"$fragtrace" record copy -t rec/*
	cmp rec/* copy/*
	[ "$(ls rec)" = "$(ls copy)" ] || fail "$(ls copy)"
}

test_snapshot_is_drawn_like_its_table() {
	sed '1a# time 1777863721.000' "$data/rocksdb.table" >t
	record -t t
	"$fragtrace" view -t t -o a.png
	"$fragtrace" view -t rec/* -o b.png
	cmp a.png b.png
	"$fragtrace" view -t - -o c.png <"$(echo rec/*)"
	cmp a.png c.png
	# packed files may be concatenated
	{ head -n 20 t | zstd -q; tail -n +21 t | zstd -q; } >two.zst
	"$fragtrace" view -t two.zst -o d.png
	cmp a.png d.png
}

test_badly_packed() {
	zstd -q "$data/rocksdb.table" -o good.zst
	for n in 4 10 500; do
		head -c $n good.zst >short.zst
		refuses 'short.zst: cannot unpack: the zstd data is cut short' "$fragtrace" view -t short.zst -o out.png
	done
	{ cat good.zst; echo more; } >bad.zst
	refuses 'bad.zst: cannot unpack: ' "$fragtrace" view -t bad.zst -o out.png
	gzip -c "$data/rocksdb.table" >t.gz
	refuses 't.gz: is packed with gzip; unpack it first, with gunzip or zcat' "$fragtrace" view -t t.gz -o out.png
	zcat t.gz | "$fragtrace" view - -o a.png
}

test_record_refuses() {
	: >rec
	refuses 'rec: cannot record there: Not a directory' record -t "$data/small.table"
	refuses 'no/rec: cannot make the folder: No such file' "$fragtrace" record no/rec -t "$data/small.table"
	misused "'': an argument is empty" "$fragtrace" record '' -t "$data/small.table"
	refuses 'nosuch/run: cannot make the folder: No such file' "$fragtrace" record nosuch/run -t "$data/small.table"
	refuses 'nosuch: cannot open: No such file' "$fragtrace" record new -t nosuch
	[ ! -e new ] || fail "a folder was made for nothing"
	misused 'DIR: missing; see fragtrace record --help' "$fragtrace" record
	misused 'b: unexpected argument; see fragtrace record --help' "$fragtrace" record a b
	misused '--events: goes on until it is interrupted; leave out --count' "$fragtrace" record new --events -n 1 --count 3
	misused '--events: only the running module has them' "$fragtrace" record new -t "$data/small.table" --events
	rm rec
	printf '# fragtrace table 2\n' >t
	refuses 't:1: the table has version 2, this program reads version 1' record -t t
	printf '# fragtrace table 1' >t
	refuses 't:1: the table is cut short' record -t t
	: >t
	refuses 't:1: the table is empty' record -t t
	printf '# fragtrace extents 1\n' >t
	refuses 't: is a text of extents; expected a snapshot or a table' record -t t
	table 1 >t
	echo '254:0 99 1 0 5 contiguous /m/b.sst' >>t
	refuses 't:4: blocks 99 to 99 are outside the volume' record -t t
	[ -z "$(ls -A rec)" ] || fail "$(ls -A rec)"
}

test_record_on_a_full_disk() {
	local status=0
	mkdir rec
	# a larger file cannot be written; the signal for that is ignored
	(trap '' XFSZ; ulimit -f 1; awk 'BEGIN { srand(1)
		print "# fragtrace table 1"
		for (i = 0; i < 3000; i++) print "# " rand() }' | record -t - 2>stderr) || status=$?
	[ $status = 1 ] || fail "status $status"
	grep -q 'table.zst: cannot write the snapshot: File too large' stderr || fail "$(cat stderr)"
	[ -z "$(ls -A rec)" ] || fail "not removed: $(ls -A rec)"
}

# harmless(file) - it has no character that acts on a terminal or on the order of text
harmless() {
	if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$1" || grep -qF "$(printf '\342\200\256')" "$1"; then
		fail "$1: $(cat -v "$1")"
	fi
}

test_names_are_harmless() {
	local line
	printf '%s\n%s\n%b\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m' \
		'254:0 110 1 0 4 contiguous /m/a\0342\0200\0256gpj.exe\\012b\0033[2J' >t
	# exports for programs keep the name itself
	"$fragtrace" table --json -t t | grep -qF "$(printf '\342\200\256gpj.exe\\u000ab\\u001b[2J')"
	for line in '254:0 110 1 0 4 \0033[31mx /m/a' '\0033]0;title\0007' '254:0 110 1 0 4 \0342\0200\0256x\0233 /m/a'; do
		{ head -n 2 t; printf '%b\n' "$line"; } >bad
		refuses 'bad:3: ' "$fragtrace" view -t bad -o out.png
		harmless stderr
	done
	cp bad "$(printf 'b\033[2Jad')"
	refuses 'b\033[2Jad:3: ' "$fragtrace" view -t "$(printf 'b\033[2Jad')" -o out.png
	harmless stderr
}

# === Outputs that are the same file ===

test_input_is_not_overwritten() {
	local option
	cp "$data/small.table" t
	ln t hard
	ln -s t soft
	mkdir d
	for option in 'view -o' 'file a -o' 'table --json -o' 'files -o' 'metrics -o'; do
		# shellcheck disable=SC2086 # a list of words
		{
			misused 't: would overwrite the input t; name another file' "$fragtrace" $option t -t t
			misused 'hard: would overwrite the input t' "$fragtrace" $option hard -t t
			misused 'soft: would overwrite the input t' "$fragtrace" $option soft -t t
			misused 'd/../t: would overwrite the input t' "$fragtrace" $option d/../t -t t
			misused 't: would overwrite the input soft' "$fragtrace" $option t -t soft
			misused 't: would overwrite the input -' sh -c "'$fragtrace' $option t -t - <t"
		}
	done
	misused '-: would overwrite the input t' sh -c "'$fragtrace' view -t t -o - >>t"
	cp "$data/plain.img.cnf" img
	misused 'img: would overwrite the input img' "$fragtrace" view -t t -i img -o img
	printf '.sst red green blue\n' >colors
	misused 'colors: would overwrite the input colors' "$fragtrace" view -o colors -t t -c colors
	cmp t "$data/small.table"
	cmp img "$data/plain.img.cnf"
}

# All outputs have the permissions that the umask leaves.
test_permissions_of_outputs() {
	local mask file
	for mask in 022 027 077; do
		rm -f out.*
		(umask $mask; write_all out "$data/small.table"; "$fragtrace" view -t "$data/small.table" -o out.png)
		for file in out.*; do
			[ "$(stat -c %a $file)" = "$(printf %o $((0666 & ~0$mask)))" ] || fail "umask $mask: $file has $(stat -c %a $file)"
		done
	done
}

test_a_link_stays_a_link() {
	mkdir d
	ln -s ../d/real d/soft
	ln -s d/soft link
	echo old >d/real
	"$fragtrace" view -t "$data/small.table" -o link
	[ -L link ] && [ -L d/soft ] && [ ! -L d/real ] || fail "$(ls -l . d)"
	"$fragtrace" view -t "$data/small.table" -o good.png
	cmp d/real good.png
	# where it points to need not exist
	rm d/real
	"$fragtrace" table --json -o link -t "$data/small.table"
	[ -L link ] && grep -q '"records"' d/real
	no_rest
	ln -s loop1 loop2
	ln -s loop2 loop1
	refuses 'loop1: cannot ' "$fragtrace" table --csv -o loop1 -t "$data/small.table"
}

# === Completion ===

# completes(words...) - print what bash offers for the last of these words
completes() {
	bash -c '. "$1/completion.bash"; compopt() { :; }
		shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fragtrace "$1"; printf "%s\n" "${COMPREPLY[@]}"' \
		bash "$viewer" "$@" | sort | tr '\n' ' '
}

# offers(expected, words...) - bash offers exactly this
offers() {
	local expected=$1
	shift
	[ "$(completes "$@")" = "$expected" ] || fail "$*: $(completes "$@")"
}

test_completion() {
	local option command manual plot=$viewer/python/fragtrace-plot
	# each option of --help is offered, and is in the manual
	for command in $(completes "$fragtrace" ''); do
		[ "$command" != plot ] || continue
		manual=$viewer/man/fragtrace.1
		[ "$command" != defrag ] || manual=$viewer/../defrag/man/fragtrace-defrag.8
		for option in $("$fragtrace" "$command" --help | sed -n 's/^  \(-[a-z], \|    \)\(--[a-z0-9-]*\).*/\2/p'); do
			case " $(completes "$fragtrace" "$command" --)" in
			*" $option "*) ;;
			*) [ "$option" = --help ] || fail "$option is not offered: $(completes "$fragtrace" "$command" --)" ;;
			esac
			[ "$option" = --help ] || grep -qE "^\.It .*Fl -${option#--}( |$)" "$manual" ||
				fail "$option of $command is not in the manual"
		done
		# the manual names them with the command, a letter instead of the name where there is one
		"$fragtrace" "$command" --help | sed -n 's/^  -\([a-z]\), .*/\1/p; s/^      -\(-[a-z0-9-]*\).*/\1/p' | grep -vx h >here
		sed -n "/^\.It Cm $command\( \|$\)/,/^\.Fl /s/^\.Fl \(.*\) \.$/\1/p" "$manual" | sed 's/ , /\n/g' >there
		[ "$command" = defrag ] || cmp here there || fail "options of $command in the manual: $(cat there)"
	done
	cp "$fragtrace" fragtrace
	ln -s fragtrace fragtrace-view
	ln -s fragtrace fragtrace-defrag
	cp "$plot" fragtrace-plot
	touch t.table
	offers '--f2fs-state ' ./fragtrace-view --f
	offers 'serve space ' ./fragtrace s
	offers '--only ' ./fragtrace top --o
	offers '--budget ' ./fragtrace-defrag --b
	offers 'mapping ' ./fragtrace defrag --way m
	offers 'boxes hilbert segments zones ' ./fragtrace-view --layout ''
	offers 'rocksdb ' ./fragtrace-view -c rock
	offers 't.table ' ./fragtrace top t.t
	offers 't.table ' ./fragtrace-view -t t.t
	offers 't.table ' ./fragtrace table --json t.t
	offers ' ' ./fragtrace-view -n ''
	offers 'animate compare distribution history space ' ./fragtrace-plot ''
	offers 't.table ' ./fragtrace-plot history t.t
	offers 'start ' ./fragtrace plot compare --at s
	offers '--frames ' "$plot" animate --fr
	offers 'start ' "$plot" compare --at s
}

# === Sources that disappear and come back ===

test_source_goes_and_comes_back() {
	table 1 >t
	"$fragtrace" record rec -t t -n 0.02 2>/dev/null &
	"$fragtrace" view -t t -o out.png -n 0.02 2>stderr &
	wait_for test -e out.png
	wait_for test -d rec
	mv t away
	wait_for grep -q 't: cannot open: No such file or directory.*; waiting until it is back' stderr
	sleep 0.2
	cp out.png good.png
	"$peek" out.png >/dev/null
	table 2 >t2
	mv t2 t
	wait_for grep -q 't: is back' stderr
	wait_for grep -qa 'contiguous files=1 blocks=2,' out.png
	wait_for sh -c '[ "$(find rec -type f | wc -l)" = 2 ]'
	mv t away
	wait_for sh -c '[ "$(grep -c waiting stderr)" = 2 ]'
	kill $!
	wait $! || fail "status $?"
	[ "$(wc -l <stderr)" = 3 ] || fail "expected three messages: $(cat stderr)"
	snapshots 2
	no_rest
}

test_output_folder_goes() {
	local status=0
	mkdir d
	"$fragtrace" view -t "$data/small.table" -o d/out.png -n 0.02 2>stderr &
	wait_for test -e d/out.png
	# between two pictures, or while one is written
	until rm -r d 2>/dev/null; do :; done
	wait $! || status=$?
	[ $status = 1 ] || fail "status $status"
	grep -q 'd/out.png: cannot .* No such file or directory' stderr || fail "$(cat stderr)"
}

run_tests
