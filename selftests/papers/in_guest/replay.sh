#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# replay.sh - the system calls of RocksDB and of VoltDB, without them, under several policies of F2FS.
#
# usage: replay.sh FILES POLICY...
#
# For each ipu_policy `fileop rocksdb` writes so many .sst files, and `fileop voltdb` a snapshot with so many writes by each of
# two sites. The moments are DATABASE-POLICY, each after a sync.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=common.sh
. "$here/common.sh"

files=$1
shift
volume clean
for policy; do
	echo "$policy" >$STATE/ipu_policy
	for database in rocksdb voltdb; do
		rm -rf ${DB:?}/*
		mkdir $DB/$database
		echo reset >$DBG/healed
		fileop $database $DB/$database "$files"
		sync
		loop_until 120 all_exact || die "maps are still not exact after 120 s"
		moment $database-"$policy" 0
	done
done
end_all 0
