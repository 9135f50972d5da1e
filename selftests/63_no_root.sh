#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 63_no_root.sh - a reader without root gets nothing
#
# group: load
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# as_nobody(text, mode) - try to open one of fragtrace's files without root; print OK or the error
as_nobody() {
	su -s /bin/sh nobody -c "/selftests/bin/fileop try $DBG/$1 $2"
}

plan 8
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
# debugfs itself is closed to other users: open it, so that only fragtrace's own modes protect the files.
[ ! -d /sys/kernel/debug ] || chmod 755 /sys/kernel/debug
for text in table extents files stats; do
	expect "$text cannot be read without root" "$(as_nobody $text r)" EACCES
done
expect "targets cannot be written without root" "$(as_nobody targets w)" EACCES
expect "resync cannot be written without root" "$(as_nobody resync w)" EACCES
# Even if the folder is open to all users.
chmod 755 $DBG
expect "table cannot be read without root in an accessible directory" "$(as_nobody table r)" EACCES
expect "resync cannot be written without root in an accessible directory" "$(as_nobody resync w)" EACCES
[ ! -d /sys/kernel/debug ] || chmod 700 /sys/kernel/debug
finish
