#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 31_escapes.sh - names with blanks, newlines, tabs, backslashes and other bytes; long names

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 6
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
check_exact "every name reads back to its file" $MNT
check "a blank is \\040" in_table "$MNT/a\\040dir/with\\040blank"
check "a newline is \\012" grep -q 'new\\012line' $DBG/table
check "a tab is \\011" grep -q 'tab\\011here' $DBG/table
check "a backslash is \\134" grep -q 'back\\134slash' $DBG/table
check "every record has its seven fields" awk '!/^#/ && NF != 7 { bad = 1 } END { exit bad }' $DBG/table
finish
