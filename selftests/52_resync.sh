#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 52_resync.sh - resync: everything is read again, and nothing changes by it

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 5
make_volume $DISK $MNT || bail "no volume"
mkdir $MNT/d
load path=$MNT/d
fileop write $MNT/d/a 0 1M
fileop random $MNT/d/a 256 100 "${SEED:-91}" every 2
check_exact "before" $MNT/d
cat $DBG/table >/tmp/table1
expect "resync of everything" "$(fileop say $DBG/resync 1)" OK
cat $DBG/table >/tmp/table2
check "changes nothing" cmp /tmp/table1 /tmp/table2
expect "resync of one directory" "$(fileop say $DBG/resync $MNT/d)" OK
cat $DBG/table >/tmp/table2
check "changes nothing" cmp /tmp/table1 /tmp/table2
finish
