#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 86_names_fuzz.sh - three users change names at random, with more files than the memory budget has room for
#
# After each round each file is listed, or counted as left out; the memory is within the budget; after every fourth one the
# maps that are listed are compared with FIEMAP. A round has some kinds of changes, not all: one that leaves too many counted
# would hide what others leave out uncounted. At the end, without half of the files, the rest comes back by itself.
#
#   SEED=N           of the first round (default 1)
#   FUZZ_SECONDS=N   begin no round after this time (default 20), if there were four
#
# kernels: first
# group: memory
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

SEED=${SEED:-1}
USERS="1000 1001 65534"
TREE=$MNT/t
OTHER=$MNT/other

# listed() - print the number of files that are listed
listed() {
	grep -c " $TREE/" $DBG/files || :
}

# there() - print the number of files that are there, however many names each has
there() {
	find "$TREE" -type f -exec stat -c %i {} + | sort -u | wc -l
}

# folders_followed() - are all folders followed? What is below one that is left out is not counted
folders_followed() {
	[ "$(stat_of directories)" = "$(find "$TREE" -type d | wc -l)" ]
}

# accounted() - is each file listed or left out, and the memory within the budget? Sets reason
accounted() {
	local files listed left

	left=
	# none comes back between the readings
	until [ "$left" = "$(stat_of left_out)" ]; do
		settle || return 1
		left=$(stat_of left_out) files=$(there) listed=$(listed)
	done
	reason="$listed listed and $left left out of $files, $(stat_of mem_bytes) of $(stat_of mem_budget) bytes"
	[ "$listed" -le "$files" ] && [ "$(stat_of mem_bytes)" -le "$(stat_of mem_budget)" ] || return 1
	[ "$left" != 0 ] || [ "$listed" = "$files" ] || return 1
	! folders_followed || [ $((listed + left)) -ge "$files" ]
}

# all_back() - is each file listed, and none left out?
all_back() {
	none_left_out && [ "$(listed)" = "$(there)" ]
}

# none_left_out() - is no file left out?
none_left_out() {
	[ "$(stat_of left_out)" = 0 ]
}

# little_memory() - is nearly nothing of the budget in use?
little_memory() {
	[ "$(stat_of mem_bytes)" -le 262144 ]
}

# kinds(seed) - print one to three kinds of changes, the first one in turn
kinds() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		n = split("create exchange remove rename move link swap symlink mkdir rmdir", kind)
		some = kind[1 + seed % n]
		for (i = int(rand() * 3); i > 0; i--)
			some = some " " kind[1 + int(rand() * n)]
		print some
	}'
}

# resyncs(file) - request one resync after the other until the file is gone
resyncs() {
	while [ -e "$1" ]; do
		echo 1 >$DBG/resync
	done
}

# play(seed) - one round: three users, every third time beside resyncs
play() {
	local kinds user pids

	kinds=$(kinds "$1") pids=
	! none_left_out || kinds=create
	echo "# seed $1: $kinds"
	# what is left out is counted anew before; afterwards that would hide a wrong count
	echo 1 >$DBG/resync
	if [ $(($1 % 3)) = 0 ]; then
		touch /tmp/resync
		resyncs /tmp/resync &
		pids=$!
	fi
	for user in $USERS; do
		# shellcheck disable=SC2086 # several words
		fileop as "$user" 0 fileop names "$TREE" "$OTHER" 3000 "$1$user" $kinds || echo failed >/tmp/failed &
		users="${users:-} $!"
	done
	# shellcheck disable=SC2086 # several
	wait $users
	users=
	rm -f /tmp/resync
	[ -z "$pids" ] || wait "$pids"
	[ ! -e /tmp/failed ]
}

# rounds() - continue until the time is over; false as soon as a round fails
rounds() {
	local seed end

	seed=$SEED
	end=$(($(date +%s) + ${FUZZ_SECONDS:-20}))
	while :; do
		reason="seed $seed: could not be done"
		play "$seed" || return 1
		reason="seed $seed: some maps are not exact in time"
		settle || return 1
		accounted || {
			reason="seed $seed: $reason"
			return 1
		}
		echo "# $reason"
		if [ $((seed % 4)) = 0 ]; then
			reason="seed $seed: fragtrace and FIEMAP disagree"
			! differs --claims "$TREE" || return 1
		fi
		seed=$((seed + 1))
		# one of the first four has resyncs, and one a comparison
		[ "$(date +%s)" -lt $end ] || [ $((seed - SEED)) -lt 4 ] || return 0
	done
}

plan 6
make_volume $DISK $MNT || bail "no volume"
for folder in 0 1 2 3; do
	mkdir -p "$TREE/$folder/s" "$OTHER/$folder/s"
done
chmod -R 777 $TREE $OTHER
load path=$TREE max_mem_mb=2
for folder in "$TREE"/* "$TREE"/*/s "$OTHER"/*; do
	fileop as 1000 0 fileop many "$folder/$(printf '%0197d' 0)" 400 0 0
done
settle
check "files are left out ($(stat_of left_out))" test "$(stat_of left_out)" -gt 0
if rounds; then
	ok "each file is listed or left out, from seed $SEED on"
else
	not_ok "each file is listed or left out, from seed $SEED on" "$reason"
	[ ! -e /tmp/fiemap-check.out ] || sed 's/^/# /' /tmp/fiemap-check.out
fi

# The rest fits.
rm -rf "$TREE/0" "$TREE/1" "$TREE/2"/[0-9]*[5-9]
loop_until $PATIENCE all_back || echo "# $(listed) listed of $(there), $(stat_of left_out) left out"
check "all come back by themselves" all_back
check_exact "their maps are exact" "$TREE"
rm -rf "$TREE"
check "none is left out when they are gone" loop_until $PATIENCE none_left_out
check "their memory is free" loop_until $PATIENCE little_memory
finish
