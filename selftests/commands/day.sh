#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# day.sh - `make day`: record a day of RocksDB with all events, and compare moments of it with copies that were made then.
#
# usage: day.sh [FOLDER]    with $HOURS (of the guest's clock; default 24), $RATE (bytes that the database is given a second;
#                           default 100000), $SYNC (1: it syncs each write), $KERNEL (default 6.12)
#
# Leaves the recording, the copies and db_bench.log in FOLDER (default: day-out in the project's folder). The guest
# has one CPU whose clock counts instructions, each a nanosecond, and goes on to the next timer when there is nothing to do
# (-icount sleep=off): a day that is mostly idle passes in an hour. The guest half of this is in_guest/day.sh.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"
ft_die_with_parent "$@"

# What a day may take; other durations by their share.
DAY_BYTES=100000000

# number(name, value) - end the program unless the value is a number
number() {
	case $2 in
	'' | *[!0-9]* | ??????????*) ft_die "$1='$2': expected a number" ;;
	esac
}

# blocks() - print `ino block lba` of each block in a list of extents as CSV from stdin
blocks() {
	tr -d '\r' | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			for (i = 0; i < $at["length"]; i++)
				print $at["ino"], $at["offset"] + i, ($at["lba"] == "" ? "u" : $at["lba"] + i)
		}' | sort
}

# moment(copy) - print when it was made, with nanoseconds
moment() {
	od -A n -t u8 -j 24 -N 8 "$1" | {
		read -r ns
		date -u -d "@${ns%?????????}" +"%Y-%m-%dT%H:%M:%S.$(printf %s "$ns" | tail -c 9)Z"
	}
}

# compare() - are the moments of all copies rebuilt, block for block?
compare() {
	local copy n wrong

	n=0 wrong=0
	for copy in "$out"/copies/*.snapshot; do
		n=$((n + 1))
		"$fragtrace" extents --csv -t "$copy" | blocks >"$out/seen"
		"$fragtrace" extents --csv -t "$out/recording" --at "$(moment "$copy")" 2>"$out/err" | blocks >"$out/rebuilt"
		if [ -s "$out/seen" ] && cmp -s "$out/seen" "$out/rebuilt" && [ ! -s "$out/err" ]; then
			echo "# ${copy##*/}: $(wc -l <"$out/seen") blocks at $(moment "$copy")"
		else
			wrong=$((wrong + 1))
			echo "# ${copy##*/} differs: $(head -n 1 "$out/err")"
			diff "$out/seen" "$out/rebuilt" | head -n 5 | sed 's/^/# /'
		fi
	done
	expect "$n moments are rebuilt, block for block" "$wrong of $n" "0 of $n"
	check "there are two for each hour" test $n -ge $((hours * 2))
	rm -f "$out/seen" "$out/rebuilt" "$out/err"
}

# bytes(pattern) - print the size of all files of the recording with such paths
bytes() {
	find "$out/recording" -type f -path "$1" -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }'
}

hours=${HOURS:-24} rate=${RATE:-100000} sync=${SYNC:-0} out=${1:-$FT_TOP/day-out}
number HOURS "$hours"
number RATE "$rate"
[ ! -e "$out/recording" ] || ft_die "day: '$out' has a recording already"
mkdir -p "$out" || ft_die "day: cannot create '$out'"
out=$(cd "$out" && pwd)
fragtrace=$FT_TOP/viewer/fragtrace
ft_packages build guest full viewer demo
make -s -C "$FT_TOP/viewer" >&2 || ft_die "day: the viewer does not build"
plan 5
began=$(date +%s)
check "the guest's part ends well" \
	"$FT_TESTS/machine/vm.sh" -k "${KERNEL:-6.12}" -c 1 -M 3G -d 20G -q '-icount shift=0,sleep=off' -o "$out" -- \
	"selftests/in_guest/day.sh $hours $rate $sync"
echo "# $(($(date +%s) - began)) s by this machine's clock"
[ ! -e "$out/figures" ] || sed 's/^/# /' "$out/figures"
compare
expect "no event was lost" "$(grep -c 'events were lost' "$out/record.log" || :)" 0
all=$(bytes '*')
echo "# $all bytes: $(bytes '*.events.zst') of events, $(bytes '*.snapshot.zst') of $(find "$out/recording" -name '*.snapshot.zst' | wc -l) snapshots," \
	"$(bytes '*.f2fs/*') of F2FS's own state"
limit=$((DAY_BYTES * hours / 24))
check "it takes less than $limit bytes" test "$all" -lt $limit -a "$all" -gt 0
finish
