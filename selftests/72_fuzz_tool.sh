#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 72_fuzz_tool.sh - the fuzzer itself: plans are repeatable, parsed strictly, run, and reduced
#
# kernels: first
# blocks: any
# group: random

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

dir=$(mktemp -d)
cd "$dir"

# misread(name, line) - a plan with this line must be refused
misread() {
	local rc

	echo "$2" >plan
	rc=0
	fuzz run plan . >out 2>&1 || rc=$?
	expect "$1 is refused" $rc 2
	check "$1: the message has the number of the line" grep -q '^fuzz: plan:1: ' out
}

# missing() - print the kinds that no plan uses
missing() {
	fuzz kinds | while read -r kind _; do
		grep -q "^[0-9]* $kind\( \|\$\)" plans || echo "$kind"
	done
}

plan 18
fuzz plan --seed 7 >a
fuzz plan --seed 7 >b
fuzz plan --seed 8 >c
check "the same seed gives the same plan" cmp -s a b
refuse "another seed gives another plan" cmp -s a c
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	fuzz plan --seed $seed
done >plans
expect "the plans use every kind of operation" "$(missing)" ""

misread "an unknown operation" "0 shake d/f"
misread "too few arguments" "0 write d/f 0"
misread "too many arguments" "0 write d/f 0 1 2"
misread "an argument that is no number" "0 write d/f x 1"
misread "a thread too many" "16 write d/f 0 1"

# Not on F2FS: operations of F2FS fail there, and that is not an error.
mkdir play
fuzz plan --seed 3 --ops 300 --parts 3 --local >plan
printf '#!/bin/sh\necho "$1" >>checks\n[ "$(wc -l <checks)" -lt "${BAD:-9}" ]\n' >judge
chmod +x judge
check "a plan is carried out" fuzz run --check ./judge plan play
expect "the check runs at each barrier" "$(sort checks | uniq -c | awk '{ print $1, $2 }')" "4 settled"
rm checks
rc=0
BAD=2 fuzz run --check ./judge plan play >out || rc=$?
expect "a failed check ends the run" "$rc $(wc -l <checks)" "1 2"

# It "fails" as long as it has a line of each of two kinds.
printf '#!/bin/sh\ngrep -q " collapse " "$1" && grep -q " punch " "$1" && exit 1\nexit 0\n' >tried
chmod +x tried
fuzz plan --seed 4 --ops 2000 >plan
fuzz shrink --seconds 60 plan short ./tried
expect "shrink reduces a plan to the necessary lines" "$(cut -d ' ' -f 1,2 short | sort | tr '\n' ' ')" "0 collapse 0 punch "
printf '#!/bin/sh\nexit 0\n' >tried
refuse "shrink refuses a plan that does not fail" fuzz shrink plan short2 ./tried
cd /
rm -rf "$dir"
finish
