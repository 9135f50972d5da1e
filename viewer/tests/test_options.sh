#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the options and files of fragtrace view: names, repeats, signals, snapshots, installing; speaks KTAP. See testlib.sh.
# usage: test_options.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"
# shellcheck source-path=SCRIPTDIR source=picture.sh
. "$here/picture.sh"

# === Helpers ===

# start(args...) - the same in the background; $! is the program itself
start() {
	"$fragtrace" view -c "$data/plain.color.cnf" -i "$data/plain.img.cnf" -o out.png "$@" &
}

# === Files and options ===

test_names_of_other_formats() {
	local name
	for name in x.gif x.JPG dir.d/x.tiff; do
		misused 'not valid; give a name that ends with .png, .svg or .pdf' "$fragtrace" view -t "$data/small.table" -o $name
		[ ! -e $name ] || fail "$name was written"
	done
	"$fragtrace" view -t "$data/small.table" -o x.gif.png
}

test_stdin_to_stdout() {
	plain -t - -o - <"$data/small.table" >other.png
	mv other.png out.png
	boxes '#00aa00' 6
	cat "$data/small.table" | plain -t - -o - | cat >out.png
	boxes '#00aa00' 6
}

test_time_of_a_recorded_table() {
	cp "$data/small.table" t
	touch -d '2026-05-04 03:02:01 UTC' t
	plain -t t
	# the file may be a copy
	mentions 'Description: file of 2026-05-04 03:02:01 UTC: 7 files'
	"$fragtrace" why -t t | grep -qx 'file of 2026-05-04 03:02:01 UTC'
	"$fragtrace" top -t t --count 1 | grep -q '^fragtrace  file of 2026-05-04 03:02:01 UTC  by'
	zstd -q t
	touch -d '2026-05-04 03:02:01 UTC' t.zst
	plain -t t.zst
	mentions 'Description: file of 2026-05-04 03:02:01 UTC: 7 files'
	sed '1a# time 1700000000.000' "$data/small.table" >t
	plain -t t
	mentions 'Description: 2023-11-14 22:13:20 UTC: 7 files'
}

# The name of a picture says what is in it; one without an ending is a PNG.
test_endings() {
	for name in x.html x.txt x.gif x.JPG x.png.bak .x; do
		misused "--output $name: not valid; give a name that ends with .png, .svg or .pdf" "$fragtrace" view -t "$data/small.table" -o $name
		[ ! -e $name ] || fail "$name was written"
	done
	mkdir d.html
	for name in x.png X.PNG picture d.html/picture; do
		"$fragtrace" view -t "$data/small.table" -o $name
		head -c 4 $name | grep -q PNG
	done
}

test_default_output() {
	"$fragtrace" view -t "$data/small.table"
	mv fragImg.png out.png
	no_rest
}

# The path of a picture is said once, where standard output has nothing else.
test_path_of_the_picture_is_said() {
	"$fragtrace" view -t "$data/small.table" >said
	echo 'wrote fragImg.png' | cmp - said
	"$fragtrace" file 000001.sst -t "$data/small.table" -o file.svg >said
	echo 'wrote file.svg' | cmp - said
	"$fragtrace" view -t "$data/small.table" -n 0.01 --count 3 -o "$(printf 'a\nb.png')" >said
	printf '%s\n' 'wrote a\012b.png' | cmp - said
	"$fragtrace" view -t "$data/small.table" -o /dev/stdout | cmp - fragImg.png
	"$fragtrace" view -t "$data/small.table" -o - | cmp - fragImg.png
	"$fragtrace" view -t "$data/small.table" -o out.png >/dev/full
	cmp out.png fragImg.png
}

test_missing_table() {
	refuses 'nosuch: cannot open: No such file or directory' plain -t nosuch
	refuses '.: no fragtrace-SECONDS.mmm.snapshot.zst in it; expected a folder' plain -t .
	[ -e /sys/kernel/debug/fragtrace/table ] ||
		refuses '/sys/kernel/debug/fragtrace/table: cannot open: ' plain
	# a copy of the folder of debugfs
	mkdir copy
	: >copy/snapshot
	refuses 'copy: no fragtrace-SECONDS.mmm.snapshot.zst in it; expected a folder that fragtrace record wrote, or copy/snapshot' plain -t copy
}

# What belongs after a table is missing, or -t before it: not the module is to blame.
test_operand_that_is_a_table() {
	local t=$data/small.table
	[ ! -e /sys/kernel/debug/fragtrace/table ] || exit 4
	misused "$t: is a table; name a PATH after it" "$fragtrace" file "$t"
	misused "$t: is a table; name an LBA after it" "$fragtrace" block "$t"
	misused "$t: is a table; name it after -t" "$fragtrace" defrag --all "$t"
	misused 'x: is no block address' "$fragtrace" block x
	refuses '/sys/kernel/debug/fragtrace/table: cannot open: ' "$fragtrace" file x
	refuses '/sys/kernel/debug/fragtrace/snapshot: cannot open: ' "$fragtrace" defrag --all x
}

test_bad_options() {
	misused 'y: unexpected argument; see fragtrace view --help' "$fragtrace" view x y
	misused 'y: unexpected argument' "$fragtrace" view -t x y
	"$fragtrace" view -h | cmp - "$("$fragtrace" view --help >help; echo help)"
	misused '--col: is ambiguous; see fragtrace view --help' "$fragtrace" view --col kind t
	misused '--json=1: takes no argument' "$fragtrace" files --json=1 t
	misused "'': an argument is empty" "$fragtrace" defrag --all -t t ''
	misused "'': no such command" "$fragtrace" ''
	refuses 'No space left on device' sh -c "'$fragtrace' check '$data/small.table' >/dev/full"
	mkdir recorded
	"$fragtrace" record recorded -t "$data/small.table"
	cp recorded/fragtrace-* kept
	for name in recorded/fragtrace-*; do
		misused "$name: is part of the input, recorded; name another file" "$fragtrace" table recorded -o "$name"
	done
	cmp "$name" kept
	"$fragtrace" view recorded -o recorded/picture.png
	misused 'fragtrace view: --nonsense: not an option here; see fragtrace view --help' "$fragtrace" view --nonsense
	misused '--interval 0: not valid; give a number of seconds above 0' "$fragtrace" view -n 0
	misused '--interval -1:' "$fragtrace" view -n -1
	misused '--interval nan:' "$fragtrace" view -n nan
	misused '--interval inf:' "$fragtrace" view -n inf
	misused '--interval 1s:' "$fragtrace" view -n 1s
	misused '--count 0:' "$fragtrace" view -n 1 --count 0
	misused '--count 1x:' "$fragtrace" view -n 1 --count 1x
	misused '-: -n cannot read standard input again; name a file after -t' "$fragtrace" view -n 1 -t -
	misused '--layout box: expected boxes, segments, hilbert or zones' "$fragtrace" view --layout box
	misused '--dpi 10: expected a number from 48 to 600' "$fragtrace" view --dpi 10
	misused '--cell x: expected a number from 1 to 64' "$fragtrace" view --cell x
	misused "--output '': not valid; give a name" "$fragtrace" view -o ''
}

test_help_and_version() {
	local command
	"$fragtrace" --help >out
	grep -q '^usage: fragtrace ' out
	for help in help -h; do
		"$fragtrace" $help | cmp - out
	done
	for command in $(sed -n 's/^  \([a-z]*\)  .*/\1/p' out); do
		[ $command != plot ] || continue
		"$fragtrace" $command --help >help
		grep -q "^usage: fragtrace $command " help
		[ "$(wc -l <help)" -le 40 ] || fail "$command: $(wc -l <help) lines"
		"$fragtrace" help $command | cmp - help
		[ "$(awk 'length > 80' help | wc -l)" = 0 ] || fail "$command: lines above 80 columns"
	done
	"$fragtrace" --version | grep -qx 'fragtrace [0-9.]*'
}

test_unwritable_output() {
	refuses 'nosuch/out.png: cannot write the picture: No such file or directory' \
		plain -t "$data/small.table" -o nosuch/out.png
	mkdir d
	refuses 'd: is a directory' plain -t "$data/small.table" -o d
	refuses '/dev/full: cannot write the picture: No space left on device' \
		plain -t "$data/rocksdb.table" -o /dev/full
	[ -c /dev/full ] || fail "/dev/full was replaced"
}

# A file system of 64 KiB has room for one picture, but not for a second, larger one.
test_full_disk() {
	mkdir disk
	if ! mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
		echo "cannot mount a small tmpfs"
		exit 4
	fi
	trap 'umount disk' EXIT
	plain -t "$data/small.table" -o disk/out.png
	cp disk/out.png good.png
	head -c 32768 /dev/zero >disk/ballast
	refuses 'disk/out.png: cannot write the picture: No space left on device' \
		plain -t "$data/rocksdb.table" -o disk/out.png
	cmp disk/out.png good.png
	[ "$(ls -A disk | wc -l)" = 2 ] || fail "left behind: $(ls -A disk)"
}

test_not_root() {
	if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
		echo "needs root and setpriv"
		exit 4
	fi
	mkdir bin
	cp "$fragtrace" bin/view
	cp "$data/small.table" t
	chmod -R a+rx "$tmp" .
	# debugfs may be mounted or not, and the module loaded or not
	refuses '/sys/kernel/debug/fragtrace/table: cannot open: ' \
		setpriv --reuid 65534 --regid 65534 --clear-groups bin/view view -o out.png
	grep -qE 'are you root|is not mounted|the module fragtrace is not loaded' stderr || fail "$(cat stderr)"
	refuses 'mine.png: cannot write the picture: Permission denied' \
		setpriv --reuid 65534 --regid 65534 --clear-groups bin/view view -t t -o mine.png
}

test_full_stdout() {
	refuses 'No space left on device' sh -c \
		"'$fragtrace' view -t '$data/small.table' -o - >/dev/full"
}

test_picture_mode_follows_umask() {
	umask 027
	plain -t "$data/small.table"
	[ "$(stat -c %a out.png)" = 640 ] || fail "mode $(stat -c %a out.png)"
}

test_last_good_picture_stays() {
	plain -t "$data/small.table"
	cp out.png good.png
	echo garbage >t
	! plain -t t 2>stderr || fail "a bad table was drawn"
	cmp out.png good.png
	no_rest
}

test_repeats_count_times() {
	local start end
	start=$(date +%s%N)
	plain -t "$data/small.table" -n 0.2 --count 3
	end=$(date +%s%N)
	boxes '#00aa00' 6
	[ $((end - start)) -ge 400000000 ] || fail "three pictures took less than two intervals"
	plain -t "$data/small.table" -n 0.01 --count 2 -o - >two.png
	[ "$(grep -ac IHDR two.png)" = 2 ] || fail "expected two pictures on stdout"
}

# Two readings without an interval have the default one between them, and a bad one does not count.
test_two_readings() {
	cp "$data/small.table" t
	start -t t --count 2 2>stderr
	wait_for test -e out.png
	echo garbage >new
	mv new t
	wait_for grep -q 't:1: this is no fragtrace table.*; waiting until it is back$' stderr
	cp "$data/small.table" new
	mv new t
	wait $! || fail "status $?"
}

test_repeating_outlives_a_bad_table() {
	local status=0
	cp "$data/small.table" t
	start -t t -n 0.05 2>stderr
	wait_for test -e out.png
	cp out.png good.png
	echo garbage >new
	mv new t
	wait_for grep -q 't:1: this is no fragtrace table.*; waiting until it is back$' stderr
	sleep 0.2
	cmp out.png good.png
	rm out.png
	cp "$data/small.table" new
	mv new t
	wait_for test -e out.png
	kill $!
	wait $! || status=$?
	[ $status = 0 ] || fail "status $status"
	[ "$(wc -l <stderr)" = 2 ] || fail "more than two messages: $(cat stderr)"
	"$peek" out.png >/dev/null
	no_rest
}

# interrupt(signal, seconds) - a repeated drawing must end with status 0 and leave no unfinished file
interrupt() {
	local status=0
	rm -f out.png
	start -t "$data/rocksdb.table" -n 0.001
	# before that it may have no handler yet, and the shell made it ignore SIGINT
	until [ -e out.png ]; do sleep 0.02; done
	sleep "$2"
	kill "-$1" $!
	wait $! || status=$?
	[ $status = 0 ] || fail "status $status after SIG$1"
	no_rest
	"$peek" out.png >/dev/null
}

test_signals_leave_no_rest() {
	local delay
	for delay in 0.01 0.03 0.07 0.09 0.13; do
		interrupt INT $delay
		interrupt TERM $delay
	done
}

# interrupt_once(signal, status) - a single drawing must end by the signal; the last picture stays
interrupt_once() {
	local status=0
	plain -t "$data/small.table"
	cp out.png good.png
	rm -f pipe
	mkfifo pipe
	start -t pipe
	# its handler is set before it opens the table
	exec 3>pipe
	cat "$data/small.table" >&3
	kill "-$1" $!
	wait $! || status=$?
	exec 3>&-
	[ $status = "$2" ] || fail "status $status after SIG$1"
	cmp out.png good.png
	no_rest
}

test_signal_without_repeating() {
	interrupt_once TERM 143
	interrupt_once INT 130
}

# has_nameless_files() - skip the test where the file system has no files without a name
has_nameless_files() {
	"$python" -c 'import os; os.open(".", os.O_TMPFILE | os.O_WRONLY)' 2>/dev/null && return
	echo "the file system has no O_TMPFILE"
	exit 4
}

# A limit of file size ends the program in the middle of the file, by a signal that it does not handle, as SIGKILL would.
test_end_without_warning_leaves_no_rest() {
	local status name
	has_nameless_files
	"$fragtrace" table --json -o good.json -t "$data/rocksdb.table"
	for name in new.json good.json; do
		cp good.json before.json
		status=0
		(ulimit -c 0; ulimit -f 8; exec "$fragtrace" table --json -o $name -t "$data/rocksdb.table") || status=$?
		[ $status = 153 ] || fail "status $status; expected the end by SIGXFSZ"
		[ "$(ls -A)" = "$(printf 'before.json\ngood.json')" ] || fail "left behind: $(ls -A)"
		cmp before.json good.json
	done
}

# Without /proc a file without a name cannot be given one: it has a temporary name from the beginning.
test_without_proc() {
	local status=0 name
	# shellcheck disable=SC2016 # $$ is that of the inner shell
	if ! unshare -m sh -c 'mount -t tmpfs none /proc/$$/fd' 2>/dev/null; then
		echo "cannot hide a folder of /proc"
		exit 4
	fi
	umask 027
	for name in new.png old.png; do
		echo old >old.png
		# shellcheck disable=SC2016 # $$ is that of the inner shell
		unshare -m sh -c 'mount -t tmpfs none /proc/$$/fd && exec "$@"' sh "$fragtrace" view -t "$data/small.table" -o $name
		"$peek" $name >/dev/null
		no_rest
	done
	[ "$(stat -c %a new.png)" = 640 ] || fail "mode $(stat -c %a new.png)"
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs none /proc/$$/fd && ulimit -c 0 && ulimit -f 8 && exec "$@"' sh \
		"$fragtrace" table --json -o x.json -t "$data/rocksdb.table" || status=$?
	[ $status = 153 ] || fail "status $status; expected the end by SIGXFSZ"
	[ -n "$(find . -name '.x.json.??????')" ] || fail "the file had no temporary name"
}

# binary(table, file) - convert a text to a binary snapshot
binary() {
	"$python" -IS "$here/to_snapshot.py" "$1" >"$2"
}

test_snapshot() {
	for t in rocksdb two small; do
		sed '1a\
# time 1700000000.123' "$data/$t.table" >text
		"$fragtrace" view -t text -o text.png
		binary text snapshot
		"$fragtrace" view -t snapshot -o snapshot.png
		cmp text.png snapshot.png
	done
	sed '1a\
# stale 2' "$data/two.table" >text
	plain -t text
	mentions 'disk (2 files stale)'
	binary text snapshot
	plain -t snapshot
	mentions 'disk (2 files stale)'
	"$fragtrace" view -t - -o - <snapshot >snapshot.png
	"$fragtrace" view -t snapshot -o - | cmp - snapshot.png
	sed '3a\
# stopped 254:16\
# stale 2' "$data/two.table" >text
	binary text snapshot
	for t in text snapshot; do
		plain -t $t
		mentions 'Title: fragtrace /mnt/a, /mnt/my disk (2 files stale, F2FS has stopped on 1 of 2 volumes)'
	done
}

# Each output of a table is the same if it is made of the binary file.
test_snapshot_everywhere() {
	for t in rocksdb2 two small header_only; do
		sed '1a\
# time 1700000000.123' "$data/$t.table" >text
		binary text snapshot
		for form in text snapshot; do
			write_all $form $form
		done
		# a text has no causes
		sed -i "/fragtrace_breaks/d" snapshot.prom
		sed -i 's/,"op":[^,]*,"flush":[^,]*,"why_here":[^,]*,"process":[^,]*//' snapshot.json
		sed -i 's/,op,flush,why_here,process,/,/; s/,\(unknown,none,unknown,unknown\|,,,\),/,/' snapshot.csv
		for kind in json csv prom; do
			cmp text.$kind snapshot.$kind
		done
	done
}

test_bad_snapshot() {
	binary "$data/two.table" good
	n=$(wc -c <good)
	head -c 100 good >short
	refuses 'short: the snapshot is cut short' plain -t short
	head -c $((n - 1)) good >short
	refuses 'short: the snapshot is cut short' plain -t short
	"$python" - <<-'EOF'
		import struct
		good = open("good", "rb").read()
		def spoil(name, at, form, *values):
		    with open(name, "wb") as f:
		        f.write(good[:at] + struct.pack(form, *values) + good[at + struct.calcsize(form):])
		arrays = [struct.unpack_from("<QQII", good, 32 + 24 * i) for i in range(5)]
		spoil("future", 8, "<I", 3)
		spoil("outside", 32 + 24 * 2, "<Q", len(good))
		spoil("many", 32 + 24 * 2 + 8, "<Q", 2**61)
		spoil("thin", 32 + 24 * 2 + 16, "<I", 4)
		spoil("index", arrays[3][0], "<I", 2**31)
		spoil("file", arrays[2][0], "<I", 2**31)
		spoil("place", arrays[2][0] + 12, "<I", 0xfffffff0)
		spoil("path", arrays[1][0], "<Q", 2**40)
		spoil("endless", arrays[4][0], f"{arrays[4][1]}s", b"x" * arrays[4][1])
	EOF
	refuses 'future: the snapshot has version 3, this program reads version 2' plain -t future
	refuses 'outside: the extents lie outside the file' plain -t outside
	refuses 'many: the extents lie outside the file' plain -t many
	refuses 'thin: records of extents have 4 bytes; expected 24' plain -t thin
	refuses 'index: there is no record 2147483648 among the extents' plain -t index
	refuses 'file: there is no record 2147483648 among the files' plain -t file
	refuses 'place: an extent of' plain -t place
	refuses 'path: a path lies outside the file' plain -t path
	refuses 'endless: a path lies outside the file' plain -t endless
}

test_install() {
	make -s -C "$viewer" install DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
	[ "$(root/usr/bin/fragtrace-view --version)" = "$(root/usr/bin/fragtrace --version)" ]
	root/usr/sbin/fragtrace-defrag --help | grep -q '^usage: fragtrace defrag '
	grep -qx '\.It Pa /usr/share/fragtrace' root/usr/share/man/man1/fragtrace.1 || fail "the page names another folder"
	[ "$(ls root/usr/share/fragtrace/*.cnf | wc -l)" = 6 ] || fail "expected 6 presets"
	root/usr/bin/fragtrace-view -t "$data/small.table" -c redis -i redis -o out.png
}

test_man_page() {
	if ! command -v mandoc >/dev/null; then
		echo "mandoc is not installed"
		exit 4
	fi
	mandoc -Tlint -Wwarning "$viewer/man/fragtrace.1"
}

run_tests
