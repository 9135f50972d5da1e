#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the exports of fragtrace-view for other programs: JSON, CSV, Prometheus; speaks KTAP. See testlib.sh.
# usage: test_export.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# === Helpers ===

# back(text) - the JSON and the CSV of a text contain each byte of it
back() {
	"$view" -t "$1" --json out.json --csv out.csv
	grep -v '^# \(fragtrace\|dev\|time\)' "$1" >expected || :
	"$python" "$here/export_to_text.py" json out.json | cmp - expected
	grep -v '^#' "$1" >expected || :
	"$python" "$here/export_to_text.py" csv out.csv | cmp - expected
	[ ! -e fragImg.png ] || fail "a picture was drawn"
	no_rest
}

# table(records) - a table of one volume of 1000 blocks
table() {
	printf '%s\n%s\n%s\n' '# fragtrace table 1' \
		'# volume 254:0 main_blkaddr=0 blocks=1000 segment_blocks=100 path=/m' "$1"
}

# odd_names() - a table with paths that contain each byte that a name may contain
odd_names() {
	"$python" - <<-'EOF'
	import sys
	out = sys.stdout.buffer
	out.write(b"# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks=1000 segment_blocks=100 path=/m\\040\xff\n")
	def escape(name):
	    return b"".join(b"\\%03o" % c if c in b" \t\n\\" else bytes([c]) for c in name)
	names = [bytes([c]) + b"x" for c in range(1, 256) if c != ord("/")]
	names += ["é€😀\u2028\u202e".encode(), b"\xc0\xaf", b"\xe0\x80\xaf", b"\xed\xa0\x80", b"\xf0\x80\x80\xaf",
	          b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\\134", b"</script>",
	          b'"=1+1",\r\n', b"x (deleted)"]
	for i, name in enumerate(names):
	    out.write(b"254:0 %d 1 0 %d contiguous /m/%s\n" % (i, i + 4, escape(name)))
	EOF
}

# bad(kind, line, message) - a text of this kind with this second line is refused at 2
bad() {
	printf '# fragtrace %s 1\n%s\n' "$1" "$2" >t
	refuses "fragtrace-view: t:2: $3" "$view" -t t --json x.json
	refuses "fragtrace-view: t:2: $3" "$view" -t t --csv x.csv
	[ ! -e x.json ] && [ ! -e x.csv ] || fail "a part was written"
}

# === JSON and CSV ===

test_texts_come_back() {
	local text
	for text in small.table two.table rocksdb.table header_only.table rocksdb2.table rocksdb2.extents rocksdb2.files; do
		back "$data/$text"
	done
}

test_unwritten_and_flags_come_back() {
	printf '%s\n' '# fragtrace extents 1' '# dev ino offset offset_end lba lba_end length flags path' \
		'254:0 4 0 1 - - 2 unwritten /m/a' '254:0 4 2 3 10 11 2 encoded,unwritten /m/a' \
		'254:0 4 4 4 12 12 1 - /m/a' >t
	back t
	grep -q '"lba":null,"lba_end":null,"length":2,"flags":\["unwritten"\]' out.json
	grep -q '"flags":\["encoded","unwritten"\]' out.json
	grep -q '"flags":\[\]' out.json
}

test_names_come_back() {
	odd_names >t
	back t
	# a text that needs no escape has none
	grep -qF '"path":"/m/é€😀' out.json
	grep -qF '"path":"/m/ x"' out.json
	grep -qF '"path":"/m/\\377x"' out.json
	grep -qF '"path":"/m/\u003c/script\u003e"' out.json
	grep -q "$(printf '^254:0,9,1,0,13,contiguous,"/m/$')" out.csv || fail "$(head -n 12 out.csv)"
}

test_csv_is_rfc_4180() {
	"$view" -t "$data/small.table" --csv out.csv
	[ "$(head -n 1 out.csv)" = "$(printf 'dev,lba,length,offset,ino,state,path\r')" ]
	[ "$(grep -c "$(printf '\r$')" out.csv)" = 11 ]
	table '254:0 1 1 0 4 contiguous /m/a"b,c' | "$view" -t - --csv - | grep -qF ',contiguous,"/m/a""b,c"'
}

test_json_time() {
	cp "$data/small.table" t
	touch -d '2026-05-04 03:02:01.25 UTC' t
	"$view" -t t --json - | grep -qF '"time":1777863721.250,'
	"$view" -t t --record rec
	"$view" -t rec/* --json - | grep -qF '"time":1777863721.250,'
}

test_bad_fields() {
	bad files '254:0 4 exact 4 4' 'the line ends before the fragments, expected a number'
	bad files '254:0 x exact 4 4 4 1.0 1.0 4 2 /m/a' 'the ino is "x", expected a number'
	bad files '254:0 01 exact 4 4 4 1.0 1.0 4 2 /m/a' 'the ino is "01", expected a number'
	bad files '254:0 99999999999999999999 exact 4 4 4 1.0 1.0 4 2 /m/a' 'the ino is "99999999999999999999"'
	bad files '254 4 exact 4 4 4 1.0 1.0 4 2 /m/a' 'the dev is "254", expected MAJOR:MINOR'
	bad files '254:0 4  exact 4 4 4 1.0 1.0 4 2 /m/a' 'the line ends before the map'
	bad files '254:0 4 ex"act 4 4 4 1.0 1.0 4 2 /m/a' 'the map is "ex"act", expected a word'
	bad files '254:0 4 exact 4 4 4 1.0 1.0 4 2 /m/a\04' 'the path is "/m/a\04", expected a path with'
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=0 blocks=1 path=/m' >t
	refuses 't:2: found "path=/m" where "segment_blocks=" should be' "$view" -t t --json x.json
	bad extents '254:0 4 0 1 - - 2 Unwritten /m/a' 'the flags is "Unwritten", expected words'
	bad files '254:0 4 exact 4 4 4 11 15.0 4 2 /m/a' 'the mean_fragment is "11", expected a number with one decimal'
	bad files '254:0 4 exact 4 4 4 nan 15.0 4 2 /m/a' 'the mean_fragment is "nan"'
	bad files '' 'the line ends before the dev'
}

test_bad_texts() {
	: >t
	refuses 't:1: the table is empty' "$view" -t t --csv x
	printf '# fragtrace stats 1\n' >t
	refuses 't:1: this is no fragtrace table' "$view" -t t --csv x
	printf '# fragtrace files 3\n' >t
	refuses 't:1: the files has version 3, this program reads versions 1 to 2' "$view" -t t --json x
	printf '# fragtrace files 1.1\n' >t
	refuses 't:1: the files has version 1.1' "$view" -t t --json x
	printf '# fragtrace files 1' >t
	refuses 't:1: the text is cut short' "$view" -t t --json x
	printf '# fragtrace table 1\n254:0 1 1 0 4 contiguous /m/a\000\n' >t
	refuses 't:2: a NUL byte in the line' "$view" -t t --json x
	refuses 'nosuch/x: cannot write the JSON text: No such file' "$view" -t "$data/small.table" --json nosuch/x
	refuses '/dev/full: cannot write the CSV text: No space left' "$view" -t "$data/rocksdb.table" --csv /dev/full
	misused '--json has an empty name' "$view" --json ''
	misused '--top goes alone' "$view" --top --csv x
	[ ! -e x ] || fail "a part was written"
}

test_exports_are_renewed() {
	table '254:0 1 1 0 4 contiguous /m/a' >t
	"$view" -t t --json out.json --csv out.csv --prometheus out.prom -n 0.02 &
	wait_for grep -q '^fragtrace_fragments.* 1$' out.prom
	table '254:0 1 2 0 4 contiguous /m/a' >t2
	mv t2 t
	wait_for grep -q '"length":2' out.json
	wait_for grep -q '^254:0,1,2,' out.csv
	wait_for grep -q '^fragtrace_file_bytes.*"contiguous"} 8192$' out.prom
	kill $!
	wait $! || fail "status $?"
	no_rest
}

# === Prometheus ===

# metric(name, labels, value) - out.prom has this value
metric() {
	grep -qxF -- "$1{$2} $3" out.prom || fail "expected $1{$2} $3, got: $(grep "^$1" out.prom)"
}

test_prometheus_numbers() {
	local dev='device="254:0",mountpoint="/mnt/f2fs"'
	"$view" -t "$data/small.table" --prometheus out.prom
	metric fragtrace_volume_size_bytes "$dev" 262144
	metric fragtrace_files "$dev,state=\"contiguous\"" 6
	metric fragtrace_files "$dev,state=\"fragmented\"" 1
	metric fragtrace_file_bytes "$dev,state=\"contiguous\"" $((34 * 4096))
	metric fragtrace_file_bytes "$dev,state=\"fragmented\"" $((6 * 4096))
	metric fragtrace_fragments "$dev" 9
	metric fragtrace_read_requests "$dev" 9
	metric fragtrace_read_requests_ideal "$dev" 7
	"$view" -t "$data/two.table" --prometheus out.prom
	metric fragtrace_volume_size_bytes 'device="254:0",mountpoint="/mnt/a"' 81920
	metric fragtrace_volume_size_bytes 'device="254:16",mountpoint="/mnt/my disk"' 40960
}

# The sums of `files`, which was read at the same moment.
test_prometheus_agrees_with_the_kernel() {
	local dev='device="254:0",mountpoint="/mnt/f2fs"'
	"$view" -t "$data/rocksdb2.table" --prometheus out.prom
	# shellcheck disable=SC2046 # three numbers
	set -- $(awk '!/^#/ { f += $6; r += $9; i += $10 } END { print f, r, i }' "$data/rocksdb2.files")
	metric fragtrace_fragments "$dev" "$1"
	metric fragtrace_read_requests "$dev" "$2"
	metric fragtrace_read_requests_ideal "$dev" "$3"
}

test_prometheus_is_understood() {
	local text
	odd_names >odd
	for text in odd "$data/two.table" "$data/rocksdb2.table" "$data/header_only.table"; do
		"$view" -t "$text" --prometheus out.prom
		if command -v promtool >/dev/null; then
			promtool check metrics <out.prom
		fi
		"$python" -c '
import sys
try:
    from prometheus_client.parser import text_string_to_metric_families as parse
except ImportError:
    sys.exit(4)
families = list(parse(open("out.prom", encoding="utf-8").read()))
assert len(families) == 7, families
for family in families:
    assert family.type == "gauge" and family.documentation, family
print(families[1].samples)' >samples || exit_skip $?
		case $text in
		# the former mountpoint, with its own escapes: a blank and a byte that is not UTF-8
		odd) grep -qF "'mountpoint': '/m \\\\377'" samples || fail "$(cat samples)" ;;
		esac
	done
}

# exit_skip(status) - end a test that needs a missing Python package
exit_skip() {
	[ "$1" = 4 ] || exit "$1"
	echo "python3-prometheus-client is not installed"
	exit 4
}

run_tests
