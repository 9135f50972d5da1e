#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 13_new.sh - files and directories created after load
#
# blocks: any
# group: load quick

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 4
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
check_at_once "maps are exact on an empty volume" $MNT
mkdir -p $MNT/x/y/z
fileop many $MNT/x/y/z/new 200 5000 300
cp -r $MNT/x $MNT/copy
check_at_once "maps of new files in new directories are exact" $MNT
check "a file in a new subdirectory is in the table" in_table $MNT/copy/y/z/new199
rm -r $MNT/x
check_at_once "maps are exact after files are removed" $MNT
finish
