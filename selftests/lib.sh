# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034
#
# lib.sh - what every test sources: KTAP output, volumes, the module, waiting, and clean-up by trap.
#
# A test sources this file, says `plan N`, and ends with `finish`. It finds scratch disks at
# $DISK and $DISK2 and the module at $FRAGTRACE_KO. Whatever it mounted or loaded goes away with it.
# Runs under dash and under busybox's sh.

set -eu

DBG=/sys/kernel/debug/fragtrace
DISK=/dev/vda
DISK2=/dev/vdb
MNT=/mnt/f2fs
MNT2=/mnt/f2fs2
# How many times slower than usual this kernel is.
SLOW=${SLOW:-1}
# Seconds to wait for what must come true soon; emulation is slow.
PATIENCE=$((90 * SLOW))
# Seconds that a busy emulated machine may take for what should end within one; what hangs never ends.
SOON=$((60 * SLOW))

KTAP_NAME=${0##*/}
KTAP_PLAN=0
KTAP_DONE=0
KTAP_FAILED=0
MARK=

# === KTAP ===

# plan(count) - begin the test: print the plan, remember where the kernel's log stands
plan() {
	KTAP_PLAN=$1
	echo "KTAP version 1"
	echo "1..$1"
	MARK="$KTAP_NAME begins $$"
	[ ! -w /dev/kmsg ] || [ -z "${FRAGTRACE_GUEST:-}" ] || echo "$MARK" >/dev/kmsg
}

# ok(name) - one more thing is as it should be
ok() {
	KTAP_DONE=$((KTAP_DONE + 1))
	echo "ok $KTAP_DONE - $1"
}

# not_ok(name, reason...) - one more thing is not as it should be
not_ok() {
	KTAP_DONE=$((KTAP_DONE + 1))
	KTAP_FAILED=$((KTAP_FAILED + 1))
	echo "not ok $KTAP_DONE - $1"
	shift
	[ $# = 0 ] || echo "# $*"
}

# skip(name, reason) - one more thing cannot be tested here
skip() {
	KTAP_DONE=$((KTAP_DONE + 1))
	echo "ok $KTAP_DONE - $1 # SKIP $2"
}

# expect(name, actual, wanted) - the two words must be equal
expect() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got '$2', expected '$3'"
	fi
}

# check(name, command...) - the command must succeed
check() {
	local name

	name=$1
	shift
	if "$@"; then
		ok "$name"
	else
		not_ok "$name" "failed: $*"
	fi
}

# refuse(name, command...) - the command must fail
refuse() {
	local name

	name=$1
	shift
	if "$@"; then
		not_ok "$name" "did not fail: $*"
	else
		ok "$name"
	fi
}

# skip_rest(what, reason) - nothing of what is left of the plan can be tested here: end the test
skip_rest() {
	while [ "$KTAP_DONE" -lt "$KTAP_PLAN" ]; do
		skip "$1" "$2"
	done
	finish
}

# bail(reason...) - the test cannot go on: what is left of its plan has failed
bail() {
	echo "# $*"
	while [ "$KTAP_DONE" -lt "$KTAP_PLAN" ]; do
		not_ok "not reached"
	done
	finish
}

# finish() - end the test: was the plan kept, is the kernel's log clean?
finish() {
	if [ "$KTAP_DONE" != "$KTAP_PLAN" ]; then
		echo "# planned $KTAP_PLAN, ran $KTAP_DONE"
		KTAP_FAILED=$((KTAP_FAILED + 1))
	fi
	echo "# totals: pass:$((KTAP_DONE - KTAP_FAILED)) fail:$KTAP_FAILED"
	[ "$KTAP_FAILED" = 0 ]
	exit
}

# === Waiting ===

# loop_until(seconds, command...) - repeat the command until it succeeds; false when the time is over
loop_until() {
	local end

	end=$(($(date +%s) + $1))
	shift
	until "$@"; do
		[ "$(date +%s)" -lt "$end" ] || return 1
		sleep 0.1
	done
}

# in_time(name, command...) - the command must succeed soon; one that hangs is left behind
in_time() {
	local name job n

	name=$1
	shift
	rm -f /tmp/ended
	# the test goes on even if nothing can end the command
	(
		if "$@" >/dev/null 2>&1; then echo 0; else echo 1; fi >/tmp/rc
		mv /tmp/rc /tmp/ended
	) &
	job=$!
	n=0
	while [ ! -e /tmp/ended ] && [ $n -lt $((SOON * 10)) ]; do
		sleep 0.1
		n=$((n + 1))
	done
	if [ ! -e /tmp/ended ]; then
		not_ok "$name" "did not end within $SOON s: $*"
	else
		expect "$name" "$(cat /tmp/ended)" 0
	fi
}

# log_since() - print the kernel's log since this test began
log_since() {
	dmesg | awk -v mark="$MARK" 'index($0, mark) { n = 0; next } { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }'
}

# logged(pattern) - true when the kernel's log since this test began has a matching line
logged() {
	log_since | grep -q -- "$1"
}

# === Volumes ===

# make_volume(device, mount point, mount options) - make and mount an empty F2FS that rewrites out of place
make_volume() {
	mkdir -p "$2"
	# without discarding first, which can take a minute where the image is in many pieces on the host
	mkfs.f2fs -q -f -t 0 "$1" >/dev/null || return 1
	mount_volume "$@"
}

# mount_volume(device, mount point, mount options) - mount F2FS so that it behaves as on a large disk
#
# F2FS tunes volumes below 16 GB to rewrite in place, which would hide most of what it does. Here nothing
# but a direct write is done in place; 33_modes.sh has the other ways.
mount_volume() {
	mkdir -p "$2"
	mount -t f2fs -o "alloc_mode=default${3:+,$3}" "$1" "$2" || return 1
	echo 0 >"/sys/fs/f2fs/${1##*/}/ipu_policy"
}

# make_special(device, mount point, mount options, arguments of mkfs.f2fs...) - the same with F2FS features; may fail
make_special() {
	local device mnt options

	device=$1 mnt=$2 options=$3
	shift 3
	mkfs.f2fs -q -f "$@" "$device" >/dev/null 2>&1 && mount_volume "$device" "$mnt" "$options" 2>/dev/null
}

# make_plain(device, mount point) - make and mount an empty ext4
make_plain() {
	mkdir -p "$2"
	mkfs.ext4 -q -F "$1" >/dev/null 2>&1 || return 1
	mount -t ext4 "$1" "$2"
}

# mounted(mount point) - is something mounted there?
mounted() {
	grep -q " $1 " /proc/mounts
}

# f2fs_is_module() - can F2FS be loaded and unloaded here?
f2fs_is_module() {
	find /lib/modules -name 'f2fs.ko*' | grep -q .
}

# === The module ===

# load(parameters) - load fragtrace, or end the test
# shellcheck disable=SC2120 # parameters are optional
load() {
	insmod "$FRAGTRACE_KO" "$@" || bail "cannot load $FRAGTRACE_KO $*"
}

# loaded() - is fragtrace loaded?
loaded() {
	[ -d /sys/module/fragtrace ]
}

# late(settings...) - delay a function of fragtrace, see programs/late/late.c; without settings no longer. False if late.ko is not here.
# shellcheck disable=SC2120 # settings are optional
late() {
	! [ -d /sys/module/late ] || rmmod late
	[ $# -gt 0 ] || return 0
	[ -f /tools/late.ko ] || return 1
	insmod /tools/late.ko "$@" || bail "cannot delay: $*"
}

# unload() - unload fragtrace; a worker whose step is late keeps it for a moment
unload() {
	loop_until 10 rmmod fragtrace 2>/dev/null || rmmod fragtrace
}

# stat_of(name) - print one line's value of the text `stats`
stat_of() {
	awk -v name="$1" '$1 == name { print $2 }' "$DBG/stats"
}

# all_exact() - true when no followed file is stale, no folder is still being read and nothing waits to be
all_exact() {
	[ "$(awk '$1 == "stale" || $1 == "queued" { n += $2 } END { print n + 0 }' "$DBG/stats")" = 0 ] &&
		! awk '!/^#/ && $3 == "stale"' "$DBG/files" | grep -q . &&
		! awk '!/^#/ && $3 == "seeding"' "$DBG/targets" | grep -q .
}

# all_live() - true when every watched directory has been found
all_live() {
	! awk '!/^#/ && $3 != "live"' "$DBG/targets" | grep -q .
}

# await_live() - wait until every watched directory has been found, or end the test
await_live() {
	loop_until "$PATIENCE" all_live || bail "a watched directory was not found again"
}

# settle() - write everything back and wait until every map is exact, without asking for a resync
settle() {
	sync
	loop_until "$PATIENCE" all_exact
}

# check_exact(name, arguments of fiemap-check...) - after settling, everything fragtrace says must be what F2FS says
check_exact() {
	local name

	name=$1
	shift
	if ! settle; then
		not_ok "$name" "still not exact after $PATIENCE seconds"
		grep ' stale ' "$DBG/files" | head -n 3 | sed 's/^/# /'
		return 0
	fi
	# F2FS's collector does not pause: what it moved meanwhile does not differ a second time.
	if fiemap-check "$@" >/tmp/fiemap-check.out 2>&1 || { settle && fiemap-check "$@" >/tmp/fiemap-check.out 2>&1; }; then
		ok "$name"
		sed -n 's/^compared/# compared/p' /tmp/fiemap-check.out
	else
		not_ok "$name" "fragtrace and FIEMAP disagree"
		sed 's/^#* */# /' /tmp/fiemap-check.out
	fi
}

# in_table(path) - is there a line of `table` for this (escaped) path?
in_table() {
	path=$1 awk '!/^#/ && $7 == ENVIRON["path"] { found = 1 } END { exit !found }' "$DBG/table"
}

# in_files(path) - is there a line of `files` for this (escaped) path?
in_files() {
	path=$1 awk '!/^#/ && $NF == ENVIRON["path"] { found = 1 } END { exit !found }' "$DBG/files"
}

# column(text, path, number) - print one field of the first line of a text that has this (escaped) path
column() {
	path=$2 awk -v n="$3" '!/^#/ && $NF == ENVIRON["path"] { print $n; exit }' "$DBG/$1"
}

# === Clean-up ===

# cleanup() - kill our jobs, unload the module, unmount our volumes
cleanup() {
	local job mnt

	for job in $(jobs -p); do
		kill "$job" 2>/dev/null || :
	done
	wait 2>/dev/null || :
	late
	! loaded || unload || echo "# fragtrace cannot be unloaded"
	for mnt in "$MNT" "$MNT2"; do
		while mounted "$mnt"; do
			umount "$mnt" 2>/dev/null || umount -l "$mnt" || break
		done
	done
	! command -v put_disks >/dev/null || put_disks
}

# Inside of a kernel tree there is no guest of ours: this makes disks, or ends the test.
if [ -f "${here:-}/kselftest.sh" ]; then
	# shellcheck source=in_tree/kselftest.sh
	. "$here/kselftest.sh"
fi

if [ -n "${FRAGTRACE_GUEST:-}" ]; then
	trap cleanup EXIT
fi
