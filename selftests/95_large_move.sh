#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 95_large_move.sh - while a large tree moves out of a watched directory, or into it, creating files does not take longer
#
# One process creates files in the watched directory, and the longest create is compared: from the move until the tree
# is removed from memory (or read), and for the same time with an idle module. Other load of the machine only increases
# a time. So the minimum of ROUNDS is taken for a move and the maximum for the idle module. The limit is twice that and three
# ticks of the scheduler, for which a worker may keep the CPU. The tree has FILES files; `make test-large` moves 1 000 000,
# and only there the times are judged (JUDGE=1): elsewhere other guests run in parallel.
# An operation that takes more than WINDOW seconds is not timed to its end.
#
# kernels: first
# group: memory

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

FILES=${FILES:-20000} ROUNDS=${ROUNDS:-1} JUDGE=${JUDGE:-} WINDOW=${WINDOW:-60} ROOMY=${ROOMY:-100}
PATIENCE=${PATIENCE_LARGE:-$((100 * SLOW))}

# known_are(files) - does the module know this number of files, and up to two of the process that creates files?
known_are() {
	local known

	known=$(stat_of inodes)
	[ "$known" -ge "$1" ] && [ "$known" -le $(($1 + 2)) ] && [ "$(stat_of queued)" = 0 ]
}

# start() - begin to create files
start() {
	rm -f /tmp/end
	fileop creates $MNT/watched/work /tmp/end >/tmp/creates &
	creates=$!
	sleep 0.5
}

# stop(what) - end that; print the time of the longest create, set $longest to it
stop() {
	touch /tmp/end
	wait $creates || bail "files cannot be created"
	read -r count longest </tmp/creates
	echo "# $1: $count creates, the longest took $longest us"
}

# compare(what, from, to, files) - move the tree while files are created, then create for the same time with the idle module
compare() {
	local begin seconds

	start
	begin=$(date +%s)
	took=$(fileop rename "$2" "$3" time)
	loop_until "$WINDOW" known_are "$4" || echo "# $1: not over after $WINDOW s"
	seconds=$(($(date +%s) - begin + 1))
	stop "$1, $seconds s, the move itself took $took us"
	least_of "$1" "$longest" "$took"
	loop_until $PATIENCE known_are "$4" || bail "$1: $(stat_of inodes) files are known, not $4"
	settle || bail "$1: not all exact after $PATIENCE seconds"
	start
	# the same number of queries as before
	loop_until $seconds known_are $((FILES + 1000)) || :
	stop "idle, $seconds s"
	[ "$longest" -le "$idle" ] || idle=$longest
}

# least_of(what, longest create, move) - keep the least of the rounds
least_of() {
	case $1 in
	out) out=$(least "$out" "$2") out_move=$(least "$out_move" "$3") ;;
	*) in=$(least "$in" "$2") in_move=$(least "$in_move" "$3") ;;
	esac
}

# least(number or nothing, number) - print the smaller one
least() {
	if [ -n "$1" ] && [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi
}

plan $((2 + 4 * ${JUDGE:-0}))
make_volume $DISK $MNT || bail "no volume"
mkdir -p $MNT/watched/tree $MNT/watched/work $MNT/outside
load path=$MNT/watched max_mem_mb="$ROOMY"
begin=$(date +%s)
i=0
while [ $i -lt $((FILES / 1000)) ]; do
	mkdir $MNT/watched/tree/$i
	fileop many $MNT/watched/tree/$i/ 1000 0 0
	i=$((i + 1))
done
sync
check "all files are known" loop_until $PATIENCE known_are "$FILES"
echo "# $FILES files made in $(($(date +%s) - begin)) s"

idle=0 out='' in='' out_move='' in_move=''
round=0
while [ $round -lt "$ROUNDS" ]; do
	compare out $MNT/watched/tree $MNT/outside/tree 0
	compare in $MNT/outside/tree $MNT/watched/tree "$FILES"
	round=$((round + 1))
done
allowed=$((2 * idle + 12000))
echo "# longest create: idle $idle us, beside a move out $out us, beside a move in $in us"
if [ -n "$JUDGE" ]; then
	check "the creation of files does not wait for a tree that moves out" test "$out" -le "$allowed"
	check "the creation of files does not wait for a tree that moves in" test "$in" -le "$allowed"
	check "the rename out of the directory does not wait" test "$out_move" -le "$allowed"
	check "the rename into the directory does not wait" test "$in_move" -le "$allowed"
fi
check_exact "maps are exact after the moves" --partial $MNT/watched/work $MNT/watched/tree/0
finish
