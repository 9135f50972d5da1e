#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench/snapshot.sh - the cost of reading all files: `table`, `files` and `snapshot`, beside filefrag; memory of a file.
#
# Runs in the small guest with counted instructions. First $EXTENTS extents in ten files, then a thousand
# files of one block, then $FILES of them. Both ways read the same files, in turn, $RUNS times; filefrag does not
# read the last set, which would take hours here.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../lib.sh
. /selftests/lib.sh
# shellcheck source=modes.sh
. "$here/modes.sh"

RUNS=${RUNS:-4}
EXTENTS=${EXTENTS:-1000000}
FILES=${FILES:-100000}
PATIENCE=2000

# cost(command) - print the cost of a line of shell, in millions of instructions
cost() {
	quotient "$(bench-work run sh -c "$1 >/dev/null")" 1000000
}

# read_each(case, command) - each way of reading, in turn; the command calls filefrag
read_each() {
	local run text

	run=0
	while [ $run -lt "$RUNS" ]; do
		for text in table files snapshot; do
			[ -f "$DBG/$text" ] || continue
			result snapshot "$1" $text $run million_instructions "$(cost "cat $DBG/$text")"
		done
		[ -z "$2" ] || result snapshot "$1" filefrag $run million_instructions "$(cost "$2")"
		run=$((run + 1))
	done
}

# learn(case) - load the module; print the cost until all maps are known
learn() {
	result snapshot "$1" learning 1 million_instructions "$(cost "insmod $FRAGTRACE_KO path=$MNT; exec $here/snapshot.sh wait")"
}

if [ "${1:-}" = wait ]; then
	trap - EXIT
	await_live
	loop_until $PATIENCE all_exact
	exit
fi

plan 3
quiet
ram_disk $((EXTENTS / 200000 + 10))
make_volume /dev/zram0 "$MNT" $BENCH_OPTIONS || bail "no volume"
for i in 0 1 2 3 4 5 6 7 8 9; do
	bench-work holes "$MNT/$i" $((EXTENTS / 10)) >/dev/null || bail "cannot make a file"
done
learn "$EXTENTS"_extents
expect "extents" "$(stat_of extents)" "$EXTENTS"
read_each "$EXTENTS"_extents "filefrag -v $MNT/?"
unload

umount "$MNT"
make_volume /dev/zram0 "$MNT" $BENCH_OPTIONS || bail "no volume"
mkdir "$MNT/0"
fileop many "$MNT/0/" 1000 4096 0
sync
learn 1000_files
read_each 1000_files "find $MNT -type f -exec filefrag -v {} +"
i=1
while [ $i -lt $((FILES / 1000)) ]; do
	mkdir "$MNT/$i"
	fileop many "$MNT/$i/" 1000 4096 0
	i=$((i + 1))
done
settle || bail "not all exact after $PATIENCE seconds"
expect "files" "$(stat_of inodes)" "$FILES"
read_each "$FILES"_files ""
# memory that is free again after unloading the module
bytes=$(taken)
unload
sleep 5
result snapshot "$FILES"_files memory 1 bytes_per_file "$(quotient $((bytes - $(taken))) "$FILES")"
ok "measured"
finish
