#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 67_binary.sh - the binary snapshot has the same content as table, extents and files, on two volumes
#
# kernels: first
# group: texts
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# same(view) - is the snapshot, printed as text, the file of that name?
same() {
	cat $DBG/snapshot >/tmp/snapshot
	cat "$DBG/$1" >/tmp/text
	snapcat "$1" /tmp/snapshot >/tmp/printed || return 1
	cmp /tmp/text /tmp/printed && return 0
	diff /tmp/text /tmp/printed | head -n 5 | sed 's/^/# /'
	return 1
}

plan 13
load
snapcat files $DBG/snapshot >/tmp/none
expect "the snapshot has no file without a target" "$(grep -cv '^#' /tmp/none)" 0
unload

make_volume $DISK $MNT || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
load path=$MNT,$MNT2
seed=${SEED:-$(date +%s)}
fuzz storm --seed "$seed" --ops 500 $MNT
fuzz storm --seed "$((seed + 1))" --ops 200 $MNT2
fileop random $MNT2/many 4096 4096 67 every 5
fileop write "$MNT/blank back\\slash" 0 64K
fileop fallocate $MNT/reserved default 0 1M
settle
check "the snapshot as a table is equal to the text table" same table
check "the snapshot as extents is equal to the text extents" same extents
check "the snapshot as files is equal to the text files" same files
# In pieces that end anywhere.
dd if=$DBG/snapshot of=/tmp/pieces bs=1021 2>/dev/null
snapcat table /tmp/pieces >/tmp/printed
cat $DBG/table >/tmp/text
check "reads of odd sizes return the same snapshot" cmp /tmp/text /tmp/printed
n=$(wc -c </tmp/pieces)
expect "a read at the last byte returns one byte" "$(dd if=$DBG/snapshot bs=1 skip=$((n - 1)) 2>/dev/null | wc -c)" 1
expect "a read beyond the end returns nothing" "$(dd if=$DBG/snapshot bs=1 skip=$((n + 4096)) 2>/dev/null | wc -c)" 0
expect "a read of 0 bytes returns 0" "$(fileop read $DBG/snapshot 0)" 0
expect "a read of 1 byte returns 1" "$(fileop read $DBG/snapshot 1)" 1
expect "the snapshot has mode 0400" "$(stat -c %a $DBG/snapshot)" 400
: >/tmp/empty
refuse "snapcat refuses an empty file" snapcat table /tmp/empty
head -c $((n - 1)) /tmp/pieces >/tmp/cut
refuse "snapcat refuses a truncated snapshot" snapcat table /tmp/cut
check_exact "maps are exact" $MNT $MNT2
finish
