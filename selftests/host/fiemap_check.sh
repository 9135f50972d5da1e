#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# fiemap_check.sh - does fiemap-check find all kinds of errors? Runs on the host, on invented texts.
#
# One file of three fragments with a hole, one contiguous file, one with an unwritten end. The true
# texts must pass; each of them with one thing changed must not.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"

check=$("$FT_TESTS/machine/build.sh" tools)/fiemap-check
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# write_good() - the truth and texts that agree with it
write_good() {
	cat >"$dir/truth" <<-'END'
	254:0 4 0 1000 64 /v/a.sst
	254:0 4 64 1064 6 /v/a.sst
	254:0 4 80 1070 10 /v/a.sst
	254:0 4 90 500 1 /v/a.sst
	254:0 4 91 2000 3 /v/a.sst
	254:0 5 0 3000 5 /v/b
	254:0 6 0 4000 2 /v/c
	254:0 6 2 - 6 /v/c
	254:0 7 0 0 0 /v/empty
	END
	cat >"$dir/table" <<-'END'
	# fragtrace table 1
	# volume 254:0 main_blkaddr=5 blocks=9999 segment_blocks=512 path=/v
	254:0 500 1 90 4 fragmented /v/a.sst
	254:0 1000 70 0 4 fragmented /v/a.sst
	254:0 1070 10 80 4 fragmented /v/a.sst
	254:0 2000 3 91 4 fragmented /v/a.sst
	254:0 3000 5 0 5 contiguous /v/b
	254:0 4000 2 0 6 contiguous /v/c
	254:0 9000 2 0 99 contiguous /v/x\040(deleted)
	END
	cat >"$dir/extents" <<-'END'
	# fragtrace extents 2
	254:0 4 0 69 1000 1069 70 - - - - - /v/a.sst
	254:0 4 80 89 1070 1079 10 - - - - - /v/a.sst
	254:0 4 90 90 500 500 1 - tail sync moved db:7 /v/a.sst
	254:0 4 91 93 2000 2002 3 - append sync interleaved db:7 /v/a.sst
	254:0 5 0 4 3000 3004 5 - - - - - /v/b
	254:0 6 0 1 4000 4001 2 - - - - - /v/c
	254:0 6 2 7 - - 6 unwritten - - - - /v/c
	END
	# a.sst: 84 blocks in 3 fragments (80, 1, 3); distances 580 and 1499; windows 0..31, 32..63, 64..95: 1+1+3 requests.
	cat >"$dir/files" <<-'END'
	# fragtrace files 2
	254:0 4 exact 84 4 3 28.0 1039.5 5 3 append sync interleaved /v/a.sst
	254:0 5 exact 5 1 1 5.0 0.0 1 1 - - - /v/b
	254:0 6 exact 2 1 1 2.0 0.0 1 1 - - - /v/c
	254:0 7 exact 0 0 0 0.0 0.0 0 0 - - - /v/empty
	END
}

# run_check(options...) - compare; store the messages
# shellcheck disable=SC2120 # options are optional
run_check() {
	"$check" "$@" -u -d "$dir" -T "$dir/truth" >"$dir/said" 2>&1
}

# expect_refused(name, file, sed script, word) - after this change the comparison must fail with a message that has the word
expect_refused() {
	write_good
	sed -i "$3" "$dir/$2"
	if run_check; then
		not_ok "$1" "the wrong text was accepted"
	elif grep -q -- "$4" "$dir/said"; then
		ok "$1"
	else
		sed 's/^/# /' "$dir/said"
		not_ok "$1" "the message does not have '$4'"
	fi
}

plan 34
write_good
if run_check && grep -q '^compared files=4 blocks=91 extents=6 differing=0$' "$dir/said"; then
	ok "correct texts are accepted"
else
	sed 's/^/# /' "$dir/said"
	not_ok "correct texts are accepted"
fi
expect_refused "a wrong LBA" table 's/ 500 1 90/ 501 1 90/' 'block 90 and 0 more: fragtrace says 501, FIEMAP 500'
expect_refused "a run that is too short" table 's/ 3000 5 0/ 3000 4 0/' 'fragtrace says nothing, FIEMAP 3004'
expect_refused "a run that is too long" table 's/ 2000 3 91/ 2000 4 91/' 'fragtrace says 2003, FIEMAP nothing'
expect_refused "a wrong offset" table 's/ 3000 5 0/ 3000 5 1/' 'differing=6'
expect_refused "a lost extent" table '/ 1070 10 /d' 'differing=10'
expect_refused "a lost file" table '/ \/v\/b/d' "'/v/b' is missing"
expect_refused "a split run" table 's/^254:0 3000 5 0 5 \(.*\)/254:0 3000 2 0 5 \1\n254:0 3002 3 2 5 \1/' 'are one'
expect_refused "a ghost" table 's/ 99 contiguous .*/ 99 contiguous \/v\/x/' 'does not exist below'
expect_refused "another device" table 's/^254:0 3000/254:1 3000/' 'does not exist below'
expect_refused "an unsorted table" table '3{h;d};4{G}' 'not in order'
expect_refused "overlapping lines" table 's/ 4000 2 0/ 3004 2 0/' 'overlaps'
expect_refused "a wrong state" table 's/4 fragmented/4 contiguous/' 'is called contiguous'
expect_refused "the other wrong state" table 's/5 contiguous/5 fragmented/' 'is called fragmented'
expect_refused "a path that is not escaped" table 's/x.040/x /' 'expected 7 fields\|not escaped'
expect_refused "another version" table '1s/1$/2/' "expected '# fragtrace table 1'"
expect_refused "blocks of another size" table '1s/$/\n# block_bytes 16384/' 'expected the size of a block, 4096'
expect_refused "no last newline" table '$s/.*/254:0 9000 2 0 99 contiguous/' 'expected 7 fields'
expect_refused "a wrong LBA in extents" extents 's/ 3000 3004/ 3001 3005/' 'extents: .*fragtrace says 3001'
expect_refused "an exclusive end" extents 's/ 0 4 3000 3004/ 0 5 3000 3005/' 'ends are inclusive'
expect_refused "unordered extents" extents '4{h;d};5{G}' 'not in order'
expect_refused "a lost unwritten extent" extents '/unwritten/d' 'unwritten extents differ'
expect_refused "a wrong unwritten extent" extents 's/ 2 7 - - 6/ 2 8 - - 7/' 'unwritten extents differ'
expect_refused "a break without a cause" extents 's/tail sync moved db:7/- - - -/' 'a cause is missing'
expect_refused "a cause without a break" extents 's/3004 5 - - - - -/3004 5 - tail sync moved db:7/' 'a cause without a break'
expect_refused "a break without a reason" extents 's/ moved / none /' 'without a reason'
expect_refused "a file without a cause" files 's/append sync interleaved/- - -/' 'a cause is missing'
expect_refused "a wrong figure" files 's/ 5 3 append/ 6 3 append/' 'requests_128k is 6, FIEMAP gives 5'
expect_refused "a wrong mean" files 's/1039.5/1039.4/' 'mean_distance is 1039.4, FIEMAP gives 1039.5'
expect_refused "a stale file" files 's/5 exact/5 stale/' 'still stale'
expect_refused "a file twice" files '$p' 'for the second time'
expect_refused "a file left out of files" files '/v.b/d' "'/v/b' is missing"
# Files that are not called exact are not compared.
write_good
sed -i 's/5 exact/5 stale/' "$dir/files"
sed -i 's/ 3000 5 0/ 3001 5 0/' "$dir/table"
check "a stale file is not compared with --claims" run_check --claims
write_good
sed -i 's/ 3000 5 0/ 3001 5 0/' "$dir/table"
refuse "an exact file is compared with --claims" run_check --claims
finish
