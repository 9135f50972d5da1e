#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 27_unlink_open.sh - unlink, also while the file is open and written to

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 7
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/keep 0 1M
fileop write $MNT/gone 0 1M
sync
rm $MNT/gone
check_exact "a file removed" $MNT
refuse "it is not in the table" in_table $MNT/gone
fileop hold $MNT/held 512K /tmp/ready /tmp/go &
loop_until $PATIENCE test -e /tmp/ready || bail "the holder did not start"
check_exact "a file removed while open" $MNT
touch /tmp/go
loop_until $PATIENCE test -e /tmp/ready.2 || bail "the holder did not write"
fileop write $MNT/other 0 1M
check_exact "and written to" $MNT
rm /tmp/go
wait
check_exact "and closed" $MNT
expect "none of it is left" "$(grep -c 'deleted' $DBG/files)" 0
rm $MNT/keep $MNT/other
settle
expect "an empty volume has no record" "$(grep -vc '^#' $DBG/table)" 0
finish
