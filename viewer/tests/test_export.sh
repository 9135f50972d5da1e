#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the exports for other programs: JSON, CSV, Prometheus; speaks KTAP. See testlib.sh.
# usage: test_export.sh PROGRAM [TEST...]
set -eu

# shellcheck source-path=SCRIPTDIR source=testlib.sh
. "$(dirname "$0")/testlib.sh"

# === Helpers ===

# back(text) - the JSON and the CSV of a text contain each byte of it
back() {
	write_all out -t "$1"
	"$fragtrace" table -t "$1" >text
	"$fragtrace" table -t text --csv 2>/dev/null | cmp - out.csv
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

# listed(table, kind, expected, [sed-script]) - a list of the snapshot of a table has each line of a text of that kind, after this
# change to it
listed() {
	"$python" -IS "$here/to_snapshot.py" "$1" >snapshot
	"$fragtrace" "$2" snapshot --json -o out.json
	"$fragtrace" "$2" snapshot --csv -o out.csv
	grep -v '^#' "$3" >expected
	"$fragtrace" "$2" snapshot | grep -v '^#' | sed -E "${4:-}" | cmp - expected
	"$python" "$here/export_to_text.py" json out.json | sed -E "${4:-}" | cmp - expected
	"$python" "$here/export_to_text.py" csv out.csv | sed -E "${4:-}" | cmp - expected
	[ ! -e fragImg.png ] || fail "a picture was drawn"
	no_rest
}

# === JSON and CSV ===

test_texts_come_back() {
	local text
	for text in small.table two.table rocksdb.table header_only.table rocksdb2.table; do
		back "$data/$text"
	done
}

# The texts of the kernel, which were read at the same moment as the table.
test_lists_are_those_of_the_kernel() {
	cp "$data/rocksdb2.table" t
	# files without blocks are only in the list of files
	awk '!/^#/ && !$6 { print "# empty", $1, $2, $11 }' "$data/rocksdb2.files" >>t
	[ "$(grep -c '^# empty' t)" -ge 1 ]
	# these have no causes
	listed t extents "$data/rocksdb2.extents" 's/^(([^ ]* ){8})([^ ]* ){4}/\1/'
	listed t files "$data/rocksdb2.files" 's/^(([^ ]* ){10})([^ ]* ){3}/\1/'
}

test_lists_of_a_snapshot_with_everything() {
	cat >t <<-'EOF'
	# fragtrace table 1
	# time 1700000000.123
	# volume 254:0 main_blkaddr=100 blocks=200 segment_blocks=10 path=/m
	# stale 1
	# writer my\040db 7 1 2
	# writer my\040db 7 3 4
	# cause 5 8 tail sync interleaved 3
	# cause 5 20 append none none 1
	# unwritten 5 10 2
	# unwritten 6 0 4
	# encoded 5 8
	# lost 5 30 2 110
	# empty 254:0 6 /m/c\040(deleted)
	# empty 254:0 7 /m/d
	254:0 100 2 0 4 contiguous /m/a\040b
	254:0 104 8 0 5 fragmented /m/b\040(deleted)
	254:0 112 2 8 5 fragmented /m/b\040(deleted)
	254:0 114 1 12 5 fragmented /m/b\040(deleted)
	254:0 120 1 20 5 fragmented /m/b\040(deleted)
	EOF
	cat >extents <<-'EOF'
	254:0 4 0 1 100 101 2 - - - - - /m/a\040b
	254:0 5 0 7 104 111 8 - - - - - /m/b\040(deleted)
	254:0 5 8 9 112 113 2 encoded - - - - /m/b\040(deleted)
	254:0 5 10 11 - - 2 unwritten - - - - /m/b\040(deleted)
	254:0 5 12 12 114 114 1 - - - - - /m/b\040(deleted)
	254:0 5 20 20 120 120 1 - append none unknown several /m/b\040(deleted)
	254:0 5 30 31 110 111 2 - unknown none unknown unknown /m/b\040(deleted)
	254:0 6 0 3 - - 4 unwritten - - - - /m/c\040(deleted)
	EOF
	listed t extents extents
	grep -q '"lba":null,"lba_end":null,"length":2,"flags":\["unwritten"\]' out.json
	grep -q '^{"format":"fragtrace extents","version":2,"time":1700000000.123,"stale":1,"left_out":0,"stopped":\[\],$' out.json || fail "$(head -n 1 out.json)"
	cat >files <<-'EOF'
	254:0 5 exact 12 4 2 6.0 5.0 2 1 append none unknown /m/b\040(deleted)
	254:0 4 stale 2 1 1 2.0 0.0 1 1 - - - /m/a\040b
	254:0 6 exact 0 0 0 0.0 0.0 0 0 - - - /m/c\040(deleted)
	254:0 7 exact 0 0 0 0.0 0.0 0 0 - - - /m/d
	EOF
	listed t files files
	# the fragments at 20 and at 30
	cat >causes <<-'EOF'
	254:0 unknown none unknown 1 2 1 -
	254:0 append none unknown 1 1 1 -
	EOF
	listed t causes causes
	cat >processes <<-'EOF'
	254:0 1 2 1 unknown - -
	254:0 1 1 1 several - -
	EOF
	listed t processes processes
	sed -i 's/^# cause 5 20 append.*/# cause 5 20 tail sync interleaved 3/; /^# lost/d' t
	sed -i 's/- append none unknown several/- tail sync interleaved my\\040db:7/; /30 31 110/d' extents
	listed t extents extents
}

test_lists_need_a_snapshot() {
	local kind
	for kind in causes processes; do
		refuses "t: is no snapshot, and a text has no causes; fragtrace $kind needs a snapshot" sh -c "cp '$data/small.table' t; '$fragtrace' $kind --json -o x t"
	done
	for kind in extents files; do
		refuses "t: is no snapshot, and a text has no files without blocks, and no flags; fragtrace $kind needs a snapshot" \
			sh -c "cp '$data/small.table' t; '$fragtrace' $kind --json -o x t"
		refuses "$data/rocksdb2.$kind: is a text of $kind; expected a snapshot or a table; fragtrace $kind writes" \
			"$fragtrace" table --csv -o x "$data/rocksdb2.$kind"
	done
	refuses 'needs a snapshot; fragtrace top lists the files of a text' "$fragtrace" files "$data/small.table" -o x
	for kind in causes processes extents files; do
		! "$fragtrace" $kind --help | grep -q 'text of debugfs' || fail "$kind promises to read a text"
	done
	misused 'nosuch: no such command; see fragtrace --help' "$fragtrace" nosuch --json -o x
	misused '-c: only columns have that; add --columns' "$fragtrace" table -c rocksdb -o x "$data/small.table"
	misused '--reads: only columns have that; add --columns' "$fragtrace" table --csv --reads -o x "$data/small.table"
	misused '--columns: not an option here; see fragtrace files --help' "$fragtrace" files --columns -o x "$data/small.table"
	[ ! -e x ] || fail "a part was written"
}

# Every output takes a saved snapshot, as a file, packed, and through a pipe.
test_saved_snapshot() {
	local form form_of
	"$python" -IS "$here/to_snapshot.py" "$data/why.table" >snapshot
	zstd -q snapshot
	LINES=100 "$fragtrace" top --count 1 snapshot >top
	"$fragtrace" view snapshot -o good.png
	write_all good snapshot
	"$fragtrace" record good -t snapshot
	"$fragtrace" why -t snapshot >good.why
	for form in snapshot snapshot.zst -; do
		rm -rf rec
		"$fragtrace" view $form -o out.png <snapshot
		for form_of in "table --json -o out.json" "table --csv -o out.csv" "metrics -o out.prom" "record rec"; do
			# shellcheck disable=SC2086 # a list of words
			"$fragtrace" $form_of -t $form <snapshot
		done
		cmp good.png out.png
		cmp good.json out.json
		cmp good.csv out.csv
		cmp good.prom out.prom
		cmp good/* rec/*
		LINES=100 "$fragtrace" top --count 1 -n 0.01 $form <snapshot | cmp - top
		"$fragtrace" why -t $form <snapshot | cmp - good.why
	done
}

# fails_if(status, condition, message) - the condition ends the program with this status
fails_if() {
	local status=0
	"$fragtrace" check -t "${4:-$data/small.table}" "$2" >out 2>err || status=$?
	[ "$status" = "$1" ] || fail "$2: status $status: $(cat err)"
	[ -z "${3-}" ] || grep -qF -- "$3" err || fail "$2: $(cat err)"
	[ "$1" != 0 ] || [ ! -s err ] || fail "$2: $(cat err)"
	[ ! -e fragImg.png ] || fail "a picture was drawn"
}

# small.table: 7 files, 1 of them fragmented, 10 extents, 2 breaks, split factor 9/7
test_fail_if() {
	fails_if 3 'split>1.2' 'small.table: split is 1.286, so split>1.2 holds'
	# with as many digits as show it
	fails_if 3 'split!=1.286' 'split is 1.2857, so split!=1.286 holds'
	fails_if 3 'fragmented!=14.3%' 'fragmented is 14.29 %, so'
	fails_if 0 'split>1.29'
	fails_if 3 'breaks >= 2' 'breaks is 2'
	fails_if 0 'breaks>2'
	fails_if 3 'fragmented>14%' 'fragmented is 14.3 %'
	fails_if 0 'fragmented>15%'
	fails_if 3 'fragmented=1'
	fails_if 3 'extents!=9' 'extents is 10'
	fails_if 0 'extents<10'
	fails_if 3 'extents<=10'
	fails_if 0 'stale>0'
	fails_if 2 'nosuch.table' 'nosuch.table: neither a table that is there nor a condition; give split'
	fails_if 2 'split' 'neither a table that is there nor a condition; give split, fragmented, breaks, extents, stale, left_out or stopped, then'
	fails_if 2 'splits>1' 'no condition; give split, fragmented'
	fails_if 2 'split>' 'then a number'
	fails_if 2 'split>1x' 'then a number'
	fails_if 2 'breaks>1%' 'leave out %'
	# the figures are complete; any of several conditions counts
	ends_with 3 'breaks is 2' "$fragtrace" check -t "$data/small.table" 'split>9' 'breaks>1' 'breaks>3'
	printf '%s\n' 'split 1.286' 'fragmented 1' 'breaks 2' 'extents 10' 'stale 0' 'left_out 0' 'stopped 0' | cmp - stdout
	"$fragtrace" check -t "$data/small.table" | cmp - stdout
	# without a file there is no split factor
	"$fragtrace" check -t "$data/header_only.table" | head -n 1 | grep -qx 'split -'
	# repeated reading ends when it holds
	cp "$data/small.table" t
	timeout 60 "$fragtrace" check -t t -n 0.02 'stale>0' 2>err &
	sleep 0.2
	{ cat "$data/small.table"; echo '# stale 1'; } >t2
	mv t2 t
	status=0
	wait $! || status=$?
	[ $status = 3 ] || fail "status $status"
}

# of_volume(table, dev, path, inodes) - print records and comments of a table as those of another volume, with other inodes
of_volume() {
	sed -n "/^# volume/s|.*|# volume $2 main_blkaddr=1000 blocks=2000 segment_blocks=100 path=$3|p" "$data/$1.table"
	awk -v dev="$2" -v path="$3" -v more="$4" '
		/^# (cause|unwritten|lost|encoded) / { $3 += more; print }
		/^# empty / { $3 = dev; $4 += more; sub("^/mnt/f2fs", path, $5); print }
		/^[^#]/ { $1 = dev; $5 += more; sub("^/mnt/f2fs", path, $7); print }' "$data/$1.table"
}

# outputs_of(file, options...) - write all outputs of the tables text and snapshot, one of this file
outputs_of() {
	local form file=$1
	shift
	for form in text snapshot; do
		write_all $form $form "$@" 2>>said
		"$fragtrace" view $form "$@" -o $form.png 2>>said
		"$fragtrace" view $form "$@" -o $form.svg --color-by process 2>>said
		"$fragtrace" top $form "$@" --count 1 >$form.top
		"$fragtrace" file "$file" -t $form "$@" -o $form.file.svg 2>>said
		"$fragtrace" why -t $form "$@" >$form.why
		"$fragtrace" why -t $form "$@" '*.sst' >$form.why-files
	done
	for form in extents files; do
		"$fragtrace" $form --csv -o $form.csv snapshot "$@" 2>>said
	done
	"$fragtrace" why -t snapshot "$@" empty >empty 2>&1 || :
	"$fragtrace" record run -t snapshot
	"$fragtrace" table --csv -o run.csv run "$@" 2>>said
	rm -r run
}

# A volume of several has the same outputs as it has alone.
test_one_volume() {
	local name
	sed -n '1,2p; /^# writer/p' "$data/why.table" >begin
	of_volume why 254:0 /mnt/a 0 >a
	of_volume file 8:16 /mnt/b 100 >b
	echo '# empty 254:0 50 /mnt/a/empty' >>a
	for name in a b both; do
		mkdir $name.d
		{
			cat begin
			case $name in
			both) cat a b; echo '# stale 2' ;;
			a) cat a; echo '# stale 2' ;;
			b) cat b ;;
			esac
		} >$name.d/text
		"$python" -IS "$here/to_snapshot.py" $name.d/text >$name.d/snapshot
	done
	(cd a.d && outputs_of 000001.sst)
	(cd b.d && outputs_of db/000007.sst)
	for name in a b; do
		mkdir $name.of
		cp both.d/* $name.of
	done
	(cd a.of && outputs_of 000001.sst --volume /mnt/a)
	sed -i '/^# stale/d' b.of/text
	(cd b.of && outputs_of db/000007.sst --volume 8:16)
	for name in a b; do
		rm $name.d/text $name.d/snapshot $name.of/text $name.of/snapshot
		diff -r $name.d $name.of
	done
}

# Conditions are those of the volume that is named.
test_condition_of_one_volume() {
	# /mnt/a: 18 blocks of 20; the other one is contiguous
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=0 blocks=100 segment_blocks=100 path=/m' \
		'# volume 254:16 main_blkaddr=0 blocks=100 segment_blocks=100 path=/n' '# left_out 254:16 5' '# stopped 254:0' \
		'254:0 1 1 0 4 fragmented /m/a' '254:0 5 1 1 4 fragmented /m/a' '254:16 1 8 0 4 contiguous /n/a' \
		'254:16 20 8 0 5 contiguous /n/b' '254:16 40 8 0 6 contiguous /n/c' >two
	for condition in 'fragmented>0:3:0' 'fragmented>=50%:3:0' 'split>=2:3:0' 'breaks=1:3:0' 'extents=3:0:3' 'left_out>0:0:3' 'stopped>0:3:0'; do
		what=${condition%%:*}
		for volume in "/m $(echo "$condition" | cut -d: -f2)" "254:16 ${condition##*:}"; do
			status=0
			"$fragtrace" check -t two --volume "${volume% *}" "$what" 2>err || status=$?
			[ $status = "${volume#* }" ] || fail "$what of ${volume% *}: status $status: $(cat err)"
		done
	done
}

test_names_of_volumes() {
	local status=0
	"$fragtrace" table --csv -o x.csv "$data/two.table" --volume '/mnt/my disk'
	[ "$(grep -c '^254:16,' x.csv) $(wc -l <x.csv)" = "2 3" ] || fail "$(cat x.csv)"
	refuses "two.table: the volumes are /mnt/a (254:0), /mnt/my disk (254:16): expected --volume with one of them" \
		"$fragtrace" view "$data/two.table" --volume /mnt/b -o out.png
	refuses 'the volumes are /mnt/a (254:0)' "$fragtrace" view "$data/two.table" --volume '/mnt/my\040disk' -o out.png
	refuses 'there is no volume, and so none for --volume' "$fragtrace" view "$data/header_only.table" --volume /mnt/a -o out.png
	misused 'not an option here; see fragtrace record --help' "$fragtrace" record r -t "$data/two.table" --volume 254:0
	# it is not known which volume the stale files of a text are on
	{ cat "$data/two.table"; echo '# stale 2'; } >t
	"$fragtrace" table --json t --volume /mnt/a | grep -qF '"stale":2,'
	# a volume may be unmounted and come back
	"$fragtrace" table --csv -o x.csv t --volume /mnt/a -n 0.05 2>said &
	wait_for grep -q '^254:0,' x.csv
	grep -v '254:0\|/mnt/a' "$data/two.table" >other
	mv other t
	wait_for grep -q 't: the volumes are /mnt/my disk (254:16): expected .*; waiting until it is back$' said
	cp "$data/two.table" other
	mv other t
	wait_for grep -q 't: is back$' said
	kill $!
	wait $! || status=$?
	[ $status = 0 ] || fail "status $status"
}

test_stale_files_are_counted() {
	printf '# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks=1000 segment_blocks=100 path=/m\n# stale 3\n%s\n' \
		'254:0 1 1 0 4 contiguous /m/a' >t
	"$fragtrace" table --json t | grep -qF ',"stale":3,'
	"$fragtrace" metrics t | grep -qx 'fragtrace_stale_files 3'
	"$fragtrace" top --count 1 t | sed -n 2p | grep -q '; 3 files stale; '
	"$fragtrace" table --csv t 2>&1 >/dev/null | grep -qx 'fragtrace table: t: 3 files stale'
	"$fragtrace" why -t t | grep -qx 'Note: 3 files stale.'
	"$fragtrace" why -t t a | grep -qx 'Note: 3 files stale.'
	"$fragtrace" metrics "$data/small.table" | grep -qx 'fragtrace_stale_files 0'
	! "$fragtrace" top --count 1 "$data/small.table" | grep -q stale || fail "stale"
}

test_left_out_is_said() {
	printf '# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks=1000 segment_blocks=100 path=/m\n# left_out 254:0 1234\n%s\n' \
		'254:0 1 1 0 4 contiguous /m/a' >t
	"$python" -IS "$here/to_snapshot.py" t >s
	for table in t s; do
		"$fragtrace" table --json $table | grep -qF '"left_out":1234,'
		"$fragtrace" table --csv $table 2>&1 >/dev/null | grep -q ': 1,234 files left out$'
		"$fragtrace" metrics $table | grep -qx 'fragtrace_left_out{device="254:0",mountpoint="/m"} 1234'
		"$fragtrace" top --count 1 $table | sed -n 2p | grep -q '; 1,234 files left out; '
		"$fragtrace" why -t "$PWD/$table" | grep -qx 'Note: 1,234 files left out.'
		fails_if 3 'left_out>1233' 'left_out is 1234, so left_out>1233 holds' $table
		"$fragtrace" view -o out.png -t $table
		"$peek" out.png text | grep -qx 'Title: fragtrace /m (1,234 files left out)'
	done
	"$fragtrace" metrics "$data/small.table" | grep -q '^fragtrace_left_out{.*} 0$'
	! "$fragtrace" top --count 1 "$data/small.table" | grep -q 'left out' || fail "left out"
}

# It is in each output; of two volumes, on which it is is said.
test_stopped_is_said() {
	printf '%s\n' '# fragtrace table 1' '# volume 254:0 main_blkaddr=0 blocks=1000 segment_blocks=100 path=/m' \
		'# volume 254:16 main_blkaddr=0 blocks=1000 segment_blocks=100 path=/n' '# stopped 254:16' '254:0 1 1 0 4 contiguous /m/a' >two
	grep -v ' 254:16' two >one
	echo '# stopped 254:0' >>one
	where=' on 1 of 2 volumes'
	for text in two one; do
		"$python" -IS "$here/to_snapshot.py" $text >s
		for table in $text s; do
			"$fragtrace" table --csv $table 2>&1 >/dev/null | grep -q ": F2FS has stopped$where\$"
			"$fragtrace" top --count 1 $table | sed -n 2p | grep -q "; F2FS has stopped$where; "
			"$fragtrace" why -t $table | grep -qx "Note: F2FS has stopped$where."
			"$fragtrace" view -t $table -o out.png
			"$peek" out.png text | grep -q "^Title: fragtrace /.* (F2FS has stopped$where)\$"
			fails_if 3 'stopped>0' 'stopped is 1, so stopped>0 holds' $table
		done
		where=
	done
	for list in table extents files; do
		"$fragtrace" $list --json s | head -n 1 | grep -q ',"stopped":\["254:0"\],$'
	done
	"$fragtrace" table --json two | head -n 1 | grep -q ',"stopped":\["254:16"\],$'
	"$fragtrace" metrics two >metrics
	grep -qx 'fragtrace_stopped{device="254:0",mountpoint="/m"} 0' metrics
	grep -qx 'fragtrace_stopped{device="254:16",mountpoint="/n"} 1' metrics
	"$fragtrace" table --json "$data/small.table" | head -n 1 | grep -q ',"stopped":\[\],$'
	! "$fragtrace" top --count 1 "$data/small.table" | grep -q stopped || fail "stopped"
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
	"$fragtrace" table --csv -o out.csv -t "$data/small.table"
	[ "$(head -n 1 out.csv)" = "$(printf 'dev,lba,length,offset,ino,state,path\r')" ]
	[ "$(grep -c "$(printf '\r$')" out.csv)" = 11 ]
	table '254:0 1 1 0 4 contiguous /m/a"b,c' | "$fragtrace" table --csv -t - | grep -qF ',contiguous,"/m/a""b,c"'
}

test_json_time() {
	cp "$data/small.table" t
	touch -d '2026-05-04 03:02:01.25 UTC' t
	"$fragtrace" table --json -t t | grep -qF '"time":1777863721.250,'
	"$fragtrace" record rec -t t
	"$fragtrace" table --json -t rec/* | grep -qF '"time":1777863721.250,'
}

test_bad_texts() {
	: >t
	refuses 't:1: the table is empty' "$fragtrace" table --csv -o x -t t
	printf '# fragtrace stats 1\n' >t
	refuses 't:1: this is no fragtrace table' "$fragtrace" table --csv -o x -t t
	printf '# fragtrace table 1\n254:0 1 1 0 4 contiguous /m/a\000\n' >t
	refuses 't:2: a NUL byte in the line' "$fragtrace" table --json -o x -t t
	refuses 'nosuch/x: cannot write the JSON text: No such file' "$fragtrace" table --json -o nosuch/x -t "$data/small.table"
	refuses '/dev/full: cannot write the CSV text: No space left' "$fragtrace" table --csv -o /dev/full -t "$data/rocksdb.table"
	misused "--output '': not valid; give FILE" "$fragtrace" table --json -o ''
	misused 'not an option here; see fragtrace top --help' "$fragtrace" top --csv -o x
	[ ! -e x ] || fail "a part was written"
}

test_exports_are_renewed() {
	table '254:0 1 1 0 4 contiguous /m/a' >t
	local pids pid

	"$fragtrace" table --json -o out.json -t t -n 0.02 &
	pids=$!
	"$fragtrace" table --csv -o out.csv -t t -n 0.02 &
	pids="$pids $!"
	"$fragtrace" metrics -o out.prom -t t -n 0.02 &
	pids="$pids $!"
	wait_for grep -qs '^fragtrace_fragments.* 1$' out.prom
	table '254:0 1 2 0 4 contiguous /m/a' >t2
	mv t2 t
	wait_for grep -q '"length":2' out.json
	wait_for grep -q '^254:0,1,2,' out.csv
	wait_for grep -q '^fragtrace_file_bytes.*"contiguous"} 8192$' out.prom
	# Each of them: one that still writes has a temporary file.
	for pid in $pids; do
		kill "$pid"
		wait "$pid" || fail "status $?"
	done
	no_rest
}

# === Prometheus ===

# metric(name, labels, value) - out.prom has this value
metric() {
	grep -qxF -- "$1{$2} $3" out.prom || fail "expected $1{$2} $3, got: $(grep "^$1" out.prom)"
}

test_prometheus_numbers() {
	local dev='device="254:0",mountpoint="/mnt/f2fs"'
	"$fragtrace" metrics -o out.prom -t "$data/small.table"
	metric fragtrace_volume_size_bytes "$dev" 262144
	metric fragtrace_files "$dev,state=\"contiguous\"" 6
	metric fragtrace_files "$dev,state=\"fragmented\"" 1
	metric fragtrace_file_bytes "$dev,state=\"contiguous\"" $((34 * 4096))
	metric fragtrace_file_bytes "$dev,state=\"fragmented\"" $((6 * 4096))
	metric fragtrace_fragments "$dev" 9
	metric fragtrace_read_requests "$dev" 9
	metric fragtrace_read_requests_ideal "$dev" 7
	"$fragtrace" metrics -o out.prom -t "$data/two.table"
	metric fragtrace_volume_size_bytes 'device="254:0",mountpoint="/mnt/a"' 81920
	metric fragtrace_volume_size_bytes 'device="254:16",mountpoint="/mnt/my disk"' 40960
}

# The sums of `files`, which was read at the same moment.
test_prometheus_agrees_with_the_kernel() {
	local dev='device="254:0",mountpoint="/mnt/f2fs"'
	"$fragtrace" metrics -o out.prom -t "$data/rocksdb2.table"
	# shellcheck disable=SC2046 # three numbers
	set -- $(awk '!/^#/ { f += $6; r += $9; i += $10 } END { print f, r, i }' "$data/rocksdb2.files")
	metric fragtrace_fragments "$dev" "$1"
	metric fragtrace_read_requests "$dev" "$2"
	metric fragtrace_read_requests_ideal "$dev" "$3"
}

# A random or counted extension makes no time series of its own, unless several files have it.
test_prometheus_extensions() {
	local dev='device="254:0",mountpoint="/m"' lba=100 ino=4 name
	printf '%s\n' '# fragtrace table 1' '# time 1700000000.000' \
		'# volume 254:0 main_blkaddr=100 blocks=200 segment_blocks=10 path=/m' '# writer db 7 1699999999 1699999999' >text
	for name in tmp.k3Xq9Z LOG.1 a.db a.R2 b.R2 plain; do
		printf '%s\n' "# cause $ino 1 append sync interleaved 2" "254:0 $lba 1 0 $ino fragmented /m/$name" \
			"254:0 $((lba + 5)) 1 1 $ino fragmented /m/$name" >>text
		ino=$((ino + 1)) lba=$((lba + 10))
	done
	"$python" -IS "$here/to_snapshot.py" text >snapshot
	"$fragtrace" metrics -o out.prom -t "$PWD/snapshot"
	grep '^fragtrace_breaks{' out.prom | sed 's/.*extension="\([^"]*\)".* /\1 /' | sort >seen
	printf '%s\n' '- 2' '.R2 2' '.db 1' 'other 1' | sort >expected
	cmp seen expected || { cat out.prom; exit 1; }
	# the process is no label: there are too many
	grep -qF "fragtrace_breaks{$dev," out.prom && ! grep -q 'pid\|"db"' out.prom
}

# counts_agree() - the metrics of folder/table have what the commands say of latency, ledger and gc_runs, and otherwise 0
counts_agree() {
	"$fragtrace" metrics -o out.prom folder/table
	"$fragtrace" cost -t folder/latency --json >cost
	"$fragtrace" ledger -t folder/ledger --json >ledger
	"$fragtrace" gc -t folder/gc_runs --json >gc
	"$python" - <<-'EOF'
	import json, re
	text, want = open("out.prom", encoding="utf-8").read(), {}
	def volumes(name):
	    return json.load(open(name, encoding="utf-8"))["volumes"]
	def add(metric, v, value, label=""):
	    want[metric, v["dev"], label] = want.get((metric, v["dev"], label), 0) + value
	for v in volumes("cost"):
	    for metric, key in ("reads_total", "reads"), ("requests_total", "requests"), ("extra_requests_total", "extra"), \
	            ("waited_seconds", "waited_s"), ("breaks_seconds", "cost_s"), ("breaks_low_seconds", "cost_low_s"), ("breaks_high_seconds", "cost_high_s"):
	        if key in v:
	            add("cost_" + metric, v, v[key])
	for v in volumes("ledger"):
	    add("ledger_device_bytes_total", v, v["device"])
	    for how in "buffered", "mapped", "direct":
	        add("ledger_application_bytes_total", v, v[how], how)
	    for kind in v["kinds"]:
	        add("ledger_bytes_total", v, kind["bytes"], kind["kind"])
	for v in volumes("gc"):
	    for reason in v["reasons"]:
	        for metric, value in ("runs", reason["runs"]), ("seconds", reason["ns"] / 1e9), ("freed_sections", reason["sections"]):
	            add(f"gc_{metric}_total", v, value, reason["reason"])
	    for choice in v["choices"]:
	        if choice["policy"] == "greedy":
	            add("gc_victim_bytes_total", v, 4096 * choice["blocks"], choice["reason"])
	            add("gc_best_victim_bytes_total", v, 4096 * choice["best_blocks"], choice["reason"])
	    for p in v["processes"]:
	        add("gc_stopped_seconds_total", v, p["ns"] / 1e9, "own")
	        add("gc_stopped_seconds_total", v, p["waited_ns"] / 1e9, "lock")
	    if v["waits_lost"] < 0:
	        assert not re.search(f'gc_stopped.*"{v["dev"]}".*how="lock"', text), text
	found = {(m[1], m[2], m[3] or ""): float(m[4]) for m in re.finditer(
	    r'^fragtrace_((?:cost|ledger|gc)_\w+)\{device="([\d:]+)",mountpoint="[^"]*"(?:,\w+="(\w+)")?\} (\S+)$', text, re.M)}
	# JSON has microseconds
	for key in found | want:
	    assert abs(found.get(key, 0) - want.get(key, 0)) < 2e-6, (key, found.get(key), want.get(key))
	assert {k for k in want if want[k]} <= found.keys(), found
	for name, kind in re.findall(r"^# TYPE fragtrace_((?:cost|ledger|gc)_\w+) (\w+)$", text, re.M):
	    assert kind == ("counter" if name.endswith("_total") else "gauge"), name
	EOF
}

test_prometheus_counts_of_the_module() {
	local name
	mkdir folder
	cp "$data/two.table" folder/table
	cp "$data/ledger.txt" folder/ledger
	cp "$data/gc_runs.txt" folder/gc_runs
	sed 's/^253:0/254:0/' "$data/latency.txt" >folder/latency
	counts_agree
	metric fragtrace_cost_extra_requests_total 'device="254:0",mountpoint="/mnt/a"' 288
	# without times there is no price; what is removed meanwhile is in no counter that would fall
	sed '/ fit /d' folder/latency >less
	mv less folder/latency
	counts_agree
	! grep -q '^fragtrace_cost_breaks' out.prom || fail "a cost without a price"
	sed -i '1a # files were removed meanwhile: some counts are in two lines, or in none' folder/latency
	sed -i '1a # files were removed meanwhile: some counts are in two lines, or in none\n254:0 file 8192 0 0 0 0 0 0 9 /mnt/a/twice' folder/ledger
	"$fragtrace" metrics -o out.prom folder/table
	! grep -q fragtrace_cost_ out.prom || fail "counts that may fall"
	metric fragtrace_ledger_application_bytes_total 'device="254:0",mountpoint="/mnt/a",how="buffered"' 425984
	for name in latency ledger gc_runs; do
		printf '# fragtrace %s %s\n# not known: the module was loaded with %s=0\n' $name 1 $name >folder/$name
	done
	"$fragtrace" metrics -o out.prom folder/table
	! grep -q 'fragtrace_\(cost\|ledger\|gc\)_' out.prom || fail "$(cat out.prom)"
}

test_prometheus_is_understood() {
	local text
	odd_names >odd
	for text in odd "$data/two.table" "$data/rocksdb2.table" "$data/header_only.table"; do
		"$fragtrace" metrics -o out.prom -t "$text"
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
assert len(families) == 10, families
for family in families:
    assert family.type == "gauge" and family.documentation, family
print(families[2].samples)' >samples || exit_skip $?
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
