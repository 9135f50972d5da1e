# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034
#
# attacks.sh - attacks of a user with write permission for one folder, one function for each kind.
#
# To be sourced after lib.sh. attack_NAME FOLDER SECONDS SEED prepares the attack, then becomes the attacking
# process with the rights of an ordinary user; the caller runs it in the background. ATTACK_LIST has all names.

# The user ID of the attacker.
ENEMY=65534
# First attacks that block others until they end, then attacks by numbers.
ATTACK_LIST="stuck fuse stuck_dir crowd other_crowd volumes bad_calls flip trees nameless leases giants restless forks"
# More of them, by numbers, for make fuzz MODE=hostile.
ATTACKS_ON_BOUNDS="long_names deep empties pieces moves holes cgroups sparse"
# Each attack gets a folder of the attacker on a watched volume. The attacker has other folders: not watched on the same
# volume, on a volume that is not watched, and on watched ones.
ENEMY_OUTSIDE=$MNT/outside
ENEMY_ELSEWHERE=/mnt/elsewhere
ENEMY_VOLUMES="/mnt/volume1 /mnt/volume2"
FUSE_MNT=/mnt/fuse
ATTACK_TMP=/tmp/attack

# as_enemy(words...) - become a process of the attacker that runs one operation of fileop
#
# It gets less CPU time by its nice value: sharing of CPU time is the scheduler's, not part of the test.
as_enemy() {
	exec fileop as $ENEMY 10 fileop "$@"
}

# enemy_does(words...) - run one operation of the attacker, and wait
enemy_does() {
	fileop as $ENEMY 10 fileop "$@"
}

# attack_stuck() - hold the lock of a file by a write from a page that does not arrive
attack_stuck() {
	enemy_does write "$1/stuck" 0 1M
	as_enemy stuck "$1/stuck" $ATTACK_TMP/stuck
}

# attack_fuse() - the same from a FUSE file; this needs no special permission
#
# A process that waits for FUSE cannot be killed. Kill the server that does not answer instead.
attack_fuse() {
	modprobe fuse 2>/dev/null || :
	mkdir -p $FUSE_MNT
	enemy_does write "$1/withheld" 0 1M
	(
		loop_until $SOON test -e $ATTACK_TMP/mounted
		as_enemy stuck "$1/withheld" $ATTACK_TMP/fuse $FUSE_MNT/file
	) &
	exec fileop fuse $FUSE_MNT $ENEMY $ATTACK_TMP/mounted
}

# attack_stuck_dir() - hold the lock of a directory by reading it into a page that does not arrive
attack_stuck_dir() {
	fileop as $ENEMY 10 mkdir -p "$1/stuck_dir"
	enemy_does many "$1/stuck_dir/" 50 4096 0
	as_enemy stuck_dir "$1/stuck_dir" $ATTACK_TMP/stuck_dir
}

# attack_crowd() - hundreds of calls that wait for the lock of one file
attack_crowd() {
	enemy_does write "$1/crowd" 0 2M
	as_enemy crowd "$1/crowd" 300 $ATTACK_TMP/crowd $ATTACK_TMP/never
}

# attack_other_crowd() - the same on a volume that is not watched
attack_other_crowd() {
	enemy_does write $ENEMY_ELSEWHERE/crowd 0 2M
	as_enemy crowd $ENEMY_ELSEWHERE/crowd 400 $ATTACK_TMP/other_crowd $ATTACK_TMP/never
}

# attack_volumes() - hold locks on other volumes, of files that change
attack_volumes() {
	local mnt

	for mnt in $ENEMY_VOLUMES; do
		enemy_does write "$mnt/stuck" 0 1M
		fileop as $ENEMY 10 fileop restless "$mnt" 20 "$2" "$3" &
		fileop as $ENEMY 10 fileop stuck "$mnt/stuck" "$ATTACK_TMP/${mnt##*/}" &
	done
	enemy_does write "$mnt/bad" 0 $((2 * PAGE_SIZE))
	as_enemy bad_calls "$mnt/bad" "$2"
}

# attack_bad_calls() - calls that F2FS refuses
attack_bad_calls() {
	enemy_does write "$1/bad" 0 $((2 * PAGE_SIZE))
	as_enemy bad_calls "$1/bad" "$2"
}

# attack_flip() - calls whose arguments change while they are read
attack_flip() {
	exec fileop as $ENEMY 10 sh -c 'while :; do fileop flip "$1/flip" 50; done' sh "$1"
}

# attack_trees() - rename a large tree out of the watched directory and back
attack_trees() {
	as_enemy trees "$1/tree" $ENEMY_OUTSIDE/tree $((ATTACK_SIZE * 4)) "$2"
}

# attack_nameless() - hold deleted files with long names open
attack_nameless() {
	fileop as $ENEMY 10 mkdir -p "$1/nameless"
	as_enemy nameless "$1/nameless" $((ATTACK_SIZE * 5)) 200 $ATTACK_TMP/nameless $ATTACK_TMP/never
}

# attack_leases() - take and release leases
attack_leases() {
	as_enemy leases "$1" 200 "$2"
}

# attack_giants() - files of the maximum size with few blocks
attack_giants() {
	as_enemy giants "$1" $((ATTACK_SIZE / 250)) "$2" "$3"
}

# attack_restless() - punch, zero, collapse and insert, in many files
attack_restless() {
	as_enemy restless "$1" $((ATTACK_SIZE / 2)) "$2" "$3"
}

# attack_forks() - processes that begin and end, each with its own file
attack_forks() {
	as_enemy forks "$1" 25 "$2"
}

# enemy_repeats(script, folder, words...) - become a process of the attacker that repeats a script in a new folder
enemy_repeats() {
	local script

	script=$1
	shift
	fileop as $ENEMY 10 mkdir -p "$1"
	exec fileop as $ENEMY 10 sh -c "n=0; while :; do n=\$((n + 1)); $script; done" sh "$@"
}

# attack_long_names() - give empty files short names first, then long ones
attack_long_names() {
	# shellcheck disable=SC2016 # the words of the script
	enemy_repeats 'fileop many "$1/" "$2" 0 0; fileop lengthen "$1/" "$2" 240; find "$1" -type f -delete' "$1/long_names" $((ATTACK_SIZE * 4))
}

# attack_deep() - files whose paths are longer than any system call takes; remove_deep() removes them
attack_deep() {
	# shellcheck disable=SC2016
	enemy_repeats 'fileop deep "$1" 100 255 fileop many "a b" "$2" 4096 0; sleep 1' "$1/deep" $ATTACK_SIZE
}

# attack_empties() - more and more empty files
attack_empties() {
	# shellcheck disable=SC2016
	enemy_repeats 'fileop many "$1/$n." 500 0 0; [ $n -lt "$2" ] || { find "$1" -type f -delete; n=0; }' "$1/empties" $((ATTACK_SIZE / 50))
}

# attack_pieces() - files of preallocated pieces
attack_pieces() {
	# shellcheck disable=SC2016
	enemy_repeats 'fileop ranges "$1/$((n % $2))" keep 4096 40 $n aligned' "$1/pieces" $ATTACK_SIZE
}

# attack_moves() - move blocks between two files in pieces
attack_moves() {
	enemy_does write "$1/from" 0 $((2048 * PAGE_SIZE))
	enemy_does write "$1/to" 0 $((2048 * PAGE_SIZE))
	# shellcheck disable=SC2016
	enemy_repeats 'fileop moves "$1/../from" "$1/../to" 2048 500 $n busy' "$1/moves"
}

# attack_holes() - punch single blocks out of a large file, and fill them again
attack_holes() {
	# shellcheck disable=SC2016
	enemy_repeats 'fileop ranges "$1/file" punch 8192 500 $n aligned' "$1/holes"
}

# attack_cgroups() - write as many processes in a cgroup below hundreds of others
attack_cgroups() {
	local top

	top=/sys/fs/cgroup/enemy
	[ -f ${top%/*}/cgroup.procs ] || mount -t cgroup2 none ${top%/*} || { echo "cgroup2: not in this kernel"; return 1; }
	mkdir -p $top
	chown $ENEMY $top $top/cgroup.procs
	# shellcheck disable=SC2016
	exec sh -c 'echo $$ >"$1/cgroup.procs" && exec fileop as "$2" 10 fileop deep "$1" 300 1 sh -c "
		echo \$\$ >cgroup.procs && cd / && n=0
		while :; do n=\$((n + 1)); echo n\$n >/proc/self/comm; echo >>\"\$1/cgroups\"; done" sh "$3"' sh $top $ENEMY "$1"
}

# attack_sparse() - files whose inode numbers are far from each other
attack_sparse() {
	# shellcheck disable=SC2016
	enemy_repeats 'fileop few "$1/$n." "$2" 64; [ $n -lt 20 ] || { find "$1" -type f -delete; n=0; }' "$1/sparse" $((ATTACK_SIZE / 50))
}

# remove_deep(folder) - remove folders whose paths are too long for rm: first some levels less, again and again
remove_deep() {
	local n

	n=0
	until rm -rf "$1" 2>/dev/null || [ $n = 50 ]; do
		n=$((n + 1))
		mv "$1"/*/*/*/*/*/*/*/* "$1/$n" 2>/dev/null || :
	done
}

# attack_begun(name) - has the attack begun? Attacks that hold a lock create a file when they have it.
attack_begun() {
	case $1 in
	stuck | fuse | stuck_dir | crowd | other_crowd) [ -e "$ATTACK_TMP/$1" ] ;;
	esac
}
