#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 67_binary.sh - the binary snapshot has the same content as table, extents and files, on two volumes
#
# kernels: first

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
expect "nothing is watched: no file" "$(grep -cv '^#' /tmp/none)" 0
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
check "table" same table
check "extents" same extents
check "files" same files
# In pieces that end anywhere.
dd if=$DBG/snapshot of=/tmp/pieces bs=1021 2>/dev/null
snapcat table /tmp/pieces >/tmp/printed
cat $DBG/table >/tmp/text
check "read in odd pieces" cmp /tmp/text /tmp/printed
n=$(wc -c </tmp/pieces)
expect "the end is the end" "$(dd if=$DBG/snapshot bs=1 skip=$((n - 1)) 2>/dev/null | wc -c)" 1
expect "and nothing is behind it" "$(dd if=$DBG/snapshot bs=1 skip=$((n + 4096)) 2>/dev/null | wc -c)" 0
expect "nothing read is nothing" "$(fileop read $DBG/snapshot 0)" 0
expect "a byte is a byte" "$(fileop read $DBG/snapshot 1)" 1
expect "only root may read it" "$(stat -c %a $DBG/snapshot)" 400
: >/tmp/empty
refuse "an empty file is no snapshot" snapcat table /tmp/empty
head -c $((n - 1)) /tmp/pieces >/tmp/cut
refuse "nor is a part of one" snapcat table /tmp/cut
check_exact "exact" $MNT $MNT2
finish
