#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 31_escapes.sh - names with each possible byte; long names; folders with such names as targets
#
# Each name in the texts must lead to its file, also in the viewer.
#
# kernels: first
# group: names texts
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# each_byte(folder) - make a file for each byte that a name may contain, with the byte at either end of the name
each_byte() {
	local n byte

	n=1
	while [ $n -le 255 ]; do
		byte=\\0$((n / 64))$((n / 8 % 8))$((n % 8))
		# $() would remove a newline at the end.
		if [ $n != 47 ] && [ $n != 10 ]; then
			printf '%4096d' $n >"$1/$(printf %b "${byte}file$byte")"
		fi
		n=$((n + 1))
	done
}

# watched(folder) - is it a target, under the name in `targets`?
watched() {
	local said

	said=$(fileop say $DBG/targets "add $1")
	[ "$said" = OK ] || echo "add: $said"
	said=$(fileop say $DBG/targets "del $2")
	[ "$said" = OK ] || echo "del: $said"
}

plan 15
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
long=$(printf '%0240d' 7)
mkdir -p "$MNT/a dir"
fileop write "$MNT/a dir/with blank" 0 64K
fileop write "$MNT/new
line" 0 64K
fileop write "$MNT/$(printf 'tab\there')" 0 64K
fileop write "$MNT/back\\slash" 0 64K
fileop write "$MNT/\\040" 0 64K
fileop write "$MNT/#hash" 0 64K
fileop write "$MNT/$(printf 'byte\377\001')" 0 64K
fileop write "$MNT/$long" 0 64K
fileop write "$MNT/ends (deleted)" 0 64K
deep=$MNT
i=0
while [ $i -lt 10 ]; do
	deep=$deep/d$long
	i=$((i + 1))
done
mkdir -p "$deep"
fileop write "$deep/end" 0 64K
mkdir $MNT/bytes
each_byte $MNT/bytes
expect "253 file names contain every byte" "$(ls -A $MNT/bytes | wc -l)" 253
fileop write "$MNT/$(printf '\300\200\355\240\200\376')" 0 64K
fileop write "$MNT/ " 0 64K
fileop write "$MNT/..." 0 64K
fileop write "$MNT/-" 0 64K
fileop write "$MNT/$(printf '%0255d' 7)" 0 64K
fileop write "$MNT/ends in newline
" 0 64K
check_exact "every escaped name leads to its file" $MNT
check "a space is written \\040" in_table "$MNT/a\\040dir/with\\040blank"
check "a newline is written \\012" grep -q 'new\\012line' $DBG/table
check "a tab is written \\011" grep -q 'tab\\011here' $DBG/table
check "a backslash is written \\134" grep -q 'back\\134slash' $DBG/table
expect "every record has seven fields" "$(grep -v '^#' $DBG/table | tr -cd ' \n' | sort -u)" "      "
if command -v fragtrace >/dev/null; then
	check "the viewer reads all names" eval "fragtrace view -t $DBG/table -o /tmp/names.png >/dev/null"
else
	skip "the viewer reads all names" "fragtrace is not in this guest"
fi

# The name itself, unless it contains the first byte of an escape; then the name as it is shown.
mkdir "$MNT/t" "$MNT/t/a b" "$MNT/t/back\\slash" "$MNT/t/\\040" "$MNT/t/c (deleted)" "$MNT/t/new
line" "$MNT/t/$(printf 'esc\033\377')"
fileop say $DBG/targets "del $MNT" >/dev/null
expect "a target with a space is watched" "$(watched "$MNT/t/a b" "$MNT/t/a\\040b")" ""
expect "a target with a backslash is watched" "$(watched "$MNT/t/back\\134slash" "$MNT/t/back\\134slash")" ""
expect "a target that resembles an escape is watched" "$(watched "$MNT/t/\\134040" "$MNT/t/\\134040")" ""
expect "a target that ends with (deleted) is watched" "$(watched "$MNT/t/c (deleted)" "$MNT/t/c\\040(deleted)")" ""
expect "a target with a newline is watched" "$(watched "$MNT/t/new\\012line" "$MNT/t/new\\012line")" ""
expect "a target with control and non-ASCII bytes is watched" "$(watched "$MNT/t/$(printf 'esc\033\377')" "$MNT/t/esc\\033$(printf '\377')")" ""
expect "an escaped NUL in a path is refused" "$(fileop say $DBG/targets "add $MNT\\000junk")" EINVAL
finish
