#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# fuzz_round.sh - run one plan of fuzz on a fresh volume with fragtrace, and compare.
#
# usage: fuzz_round.sh PLAN       status 0: all agrees; 1: something differs; 2: it could not be done; 3: it hangs; 4: maps
#                                 are not exact in time
#        fuzz_round.sh settled    compare all files once their maps are exact (called by fuzz run)
#        fuzz_round.sh frozen     compare the files that are called exact, at once
#
# The plan has the settings of the volume: `mkfs OPTIONS`, `mount OPTION`, `sectors N`, `knob NAME VALUE`,
# any number of lines of each, and `zones N SIZE CAPACITY CONVENTIONAL`, which make_zoned_disk explains.

tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$tests/lib.sh"

TRACING=/sys/kernel/tracing
# A separate tracing instance for the states of files.
STATES=$TRACING/instances/fuzz

# settings(word) - print the rest of all lines of the plan that begin with the word
settings() {
	sed -n "s/^$1 //p" "$PLAN"
}

# features() - leave out features that make F2FS of this kernel print warnings
#
# 6.1 writes quotas without the lock that the quota code requires (dquot_writeback_dquots).
features() {
	case $(uname -r) in
	6.1.*) grep -v '^-O quota$' ;;
	*) cat ;;
	esac
}

# use_zones(arguments of make_zoned_disk...) - take a zoned disk, and another one for F2FS's metadata if it has no conventional zones; set
# options for mkfs.f2fs
use_zones() {
	make_zoned_disk "$@" || return 1
	DISK=$NULL_DISK MKFS_DISK=-m
	[ "$4" = 0 ] || return 0
	modprobe loop
	# with some sections besides the metadata
	truncate -s $(($2 * ($2 < 16 ? 10 : 4) * 256 * PAGE_SIZE)) /tmp/metadata
	losetup /dev/loop7 /tmp/metadata || return 1
	DISK=/dev/loop7 MKFS_DISK="-m -c $NULL_DISK"
}

# put_zones() - remove what use_zones() has made
put_zones() {
	remove_null_disk
	losetup -d /dev/loop7 2>/dev/null || :
	rm -f /tmp/metadata
}

# make_planned() - make and mount the volume with the settings of the plan
make_planned() {
	local options name value

	# nothing is to be discarded before; zones have to be reset
	MKFS_DISK='-t 0'
	# shellcheck disable=SC2046 # four numbers
	! grep -q '^zones ' "$PLAN" || use_zones $(settings zones) || return 1
	# for those that compare
	export DISK
	# shellcheck disable=SC2046,SC2086 # lists of words
	mkfs.f2fs -f $MKFS_DISK $(settings mkfs | features) "$DISK" $(settings sectors) >/tmp/mkfs.out 2>&1 || {
		tail -n 3 /tmp/mkfs.out | sed 's/^/# /'
		return 1
	}
	options=$(settings mount | tr '\n' ',')
	mkdir -p "$MNT"
	mount -t f2fs ${options:+-o "${options%,}"} "$DISK" "$MNT" || {
		dmesg | tail -n 3 | sed 's/^/# /'
		return 1
	}
	settings knob | while read -r name value; do
		echo "$value" >"/sys/fs/f2fs/${DISK##*/}/$name" || return 1
	done
}

# follow_states() - record from now on which files become stale
follow_states() {
	mounted "$TRACING" || mount -t tracefs tracefs "$TRACING" || return 1
	mkdir "$STATES" || return 1
	echo 4096 >"$STATES/buffer_size_kb"
	echo 1 >"$STATES/events/fragtrace/file_state/enable"
}

# forget_states() - end the recording, because it holds a reference to the module
forget_states() {
	[ -d "$STATES" ] || return 0
	echo 0 >"$STATES/events/fragtrace/file_state/enable"
	rmdir "$STATES"
}

# shares() - print the number of breaks, and of those with an unknown operation; then the same of files that were never stale
#
# If records of states were lost, no file counts as never stale.
shares() {
	cat "$DBG/extents" >/tmp/fuzz-extents
	cat "$STATES/trace" >/tmp/fuzz-states || return 1
	cat "$STATES"/per_cpu/cpu*/stats >/tmp/fuzz-stats
	awk '
		FILENAME ~ /stats$/ { lost += /^(overrun|dropped events):/ ? $NF : 0; next }
		FILENAME ~ /states$/ {
			if (!match($0, /ino=[0-9]+ from=[a-z_]+ to=[a-z_]+/))
				next
			split(substr($0, RSTART, RLENGTH), word, /[= ]/)
			if (word[4] == "new")
				delete stale[word[2]]
			if (word[6] == "stale")
				stale[word[2]] = 1
			next
		}
		/^#/ || $9 == "-" { next }
		{
			all++
			unknown += $9 == "unknown"
			if (lost || $2 in stale)
				next
			exact++
			exact_unknown += $9 == "unknown"
		}
		END { print "# causes", all + 0, unknown + 0, exact + 0, exact_unknown + 0 }' \
		/tmp/fuzz-stats /tmp/fuzz-states /tmp/fuzz-extents
}

# compared(arguments...) - run fiemap-check, print its messages as comments, return its status
compared() {
	local rc

	rc=0
	fiemap-check "$@" "$MNT" >/tmp/fuzz-check.out 2>&1 || rc=$?
	sed 's/^#* */# /' /tmp/fuzz-check.out
	return $rc
}

# settled() - wait until all maps are exact, then compare all
#
# The collector's thread does not stop with the writers. A block that it has moved between the reading and FIEMAP
# does not differ a second time, when it is no longer asked to hurry.
settled() {
	local try rc

	for try in first second; do
		if ! settle; then
			echo "# still not exact after $PATIENCE seconds"
			grep '^# stopped\| stale ' "$DBG/files" | head -n 3 | sed 's/^/# /'
			return 4
		fi
		rc=0
		compared || rc=$?
		[ $rc != 0 ] || sums_agree || rc=1
		case $rc in
		0)
			shares || return 2
			return 0
			;;
		1) echo "# differs at the $try comparison" ;;
		*) return 2 ;;
		esac
		echo 0 >"/sys/fs/f2fs/${DISK##*/}/gc_urgent"
	done
	return 1
}

# round() - run the plan
round() {
	make_planned || return 2
	insmod "$FRAGTRACE_KO" "path=$MNT" || return 2
	follow_states || return 2
	rc=0
	fuzz run --seconds "${ROUND_LIMIT:-120}" --check "sh $tests/in_guest/fuzz_round.sh" "$PLAN" "$MNT" || rc=$?
	sed 's/^/# stat /' "$DBG/stats"
	return $rc
}

case ${1:-} in
settled)
	trap - EXIT
	settled
	;;
frozen)
	trap - EXIT
	compared --claims || exit
	sums_agree
	;;
*)
	PLAN=$1
	trap 'forget_states; cleanup; put_zones' EXIT
	round
	;;
esac
