#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 90_flood.sh - thousands of process names and hundreds of extensions of one user do not hide those of another
#
# kernels: first
# group: hostile
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

ENEMY=65534
FRIEND=1000

# extensions(from, to) - the attacker creates files, each with an extension of its own
extensions() {
	fileop as $ENEMY 10 sh -c "n=$1; while [ \$n -lt $2 ]; do : >$MNT/enemy/f.\$n; n=\$((n + 1)); done"
}

# friend(words...) - one operation of the other user
friend() {
	fileop as $FRIEND 0 fileop "$@"
}

# in_turn() - two files of the other user grow in turn
in_turn() {
	local n

	n=0
	while [ $n -lt 4 ]; do
		friend append $MNT/friend/a.sst "$B" 1 fdatasync
		friend append $MNT/friend/b.sst "$B" 1 fdatasync
		n=$((n + 1))
	done
}

plan 5
B=$PAGE_SIZE
make_volume $DISK $MNT noinline_data || bail "no volume"
mkdir $MNT/enemy $MNT/friend
chown $ENEMY $MNT/enemy
chown $FRIEND $MNT/friend
# All numbers together may take 512 KiB: less than 5000.
load path=$MNT max_mem_mb=8 ledger=1
settle
cat >/tmp/names <<-'END'
	n=0
	while [ $n -lt 6000 ]; do
		echo "n$n" >/proc/self/comm
		echo >>"$1"
		n=$((n + 1))
	done
END
fileop as $ENEMY 10 sh /tmp/names $MNT/enemy/file
check "thousands of process names take a few hundred numbers ($(stat_of writers))" test "$(stat_of writers)" -gt 100 -a "$(stat_of writers)" -lt 2000
extensions 0 200
in_turn
expect "processes of the other user are known" "$(awk -v file=$MNT/friend/a.sst '!/^#/ && $NF == file && $9 != "-" {
	sub(/:.*/, "", $12)
	print $9, $12
}' $DBG/extents | sort | uniq -c | xargs)" "3 append fileop"
lines=$(awk '$2 == "process"' $DBG/ledger | wc -l)
check "each has its line in ledger, which has no more lines than there are numbers ($lines)" \
	awk -v lines="$lines" -v numbers="$(stat_of writers)" '$2 == "process" && $11 == "fileop" && $3 { n++ } END { exit n < 8 || lines > numbers + 1 }' $DBG/ledger
extensions 200 240
echo reset >$DBG/by_pair
in_turn
# The first break is between the two series: directories were written there.
check "by_pair has the extension of the other user's files" awk '!/^#/ && $3 == ".sst" && $5 == ".sst" { n += $2 } END { exit n < 6 }' $DBG/by_pair
check_exact "maps are exact" $MNT
finish
