# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034
#
# loop_disks.sh - disks, programs and the module for a test that runs on this machine itself. Sourced by lib.sh.
#
# The tests make file systems. They get loop devices, and no other disk of the machine. In a kernel tree, and in this one,
# `sh 20_write.sh` as root is all that is needed where F2FS is.

# skip_all(reason) - report that the whole test is skipped, as kselftest expects it
skip_all() {
	echo "KTAP version 1"
	echo "1..0 # SKIP $1"
	exit 4
}

# module_file() - print where the module is: of this tree, of the kernel tree around us, or installed; the first for this kernel
module_file() {
	local file

	for file in "${here:?}/../fragtrace.ko" "$here/../../../../fs/fragtrace/fragtrace.ko" "$(modinfo -n fragtrace 2>/dev/null || :)"; do
		[ ! -f "$file" ] || [ "$(modinfo -F vermagic "$file" | cut -d ' ' -f 1)" != "$(uname -r)" ] || {
			echo "$file"
			return 0
		}
	done
}

# find_programs() - put the test programs and ours into PATH; the former are built if they are not there. False without them.
find_programs() {
	PATH=$here:$here/bin:$here/../viewer:$here/../defrag:$PATH
	command -v fileop >/dev/null || {
		[ ! -x "$here/machine/build.sh" ] || PATH=$("$here/machine/build.sh" tools):$PATH
	}
	command -v fileop >/dev/null && command -v fiemap-check >/dev/null
}

# get_disk(name, size) - make a sparse file, and print the loop device that has it
get_disk() {
	local device n

	truncate -s "$2" "$LOOP_DIR/$1" || return 1
	n=0
	# another program may take the free one meanwhile
	while [ $n -lt 5 ]; do
		n=$((n + 1))
		device=$(losetup -f) && losetup "$device" "$LOOP_DIR/$1" && echo "$device" && return 0
	done
	return 1
}

# put_disks() - give the loop devices back
put_disks() {
	[ -z "$DISK" ] || losetup -d "$DISK"
	[ -z "$DISK2" ] || losetup -d "$DISK2"
	rm -rf "$LOOP_DIR"
}

[ "$(id -u)" = 0 ] || skip_all "not root: run it with sudo"
for tool in mkfs.f2fs losetup modinfo; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
modprobe -q f2fs || :
grep -qw f2fs /proc/filesystems || skip_all "this kernel has no F2FS"
FRAGTRACE_KO=${FRAGTRACE_KO:-$(module_file)}
[ -f "$FRAGTRACE_KO" ] || skip_all "there is no module fragtrace for kernel $(uname -r): run make, or make install"
! loaded || skip_all "fragtrace is in use here: its users would lose it"
find_programs || skip_all "the test programs are not there, and cannot be built"
[ "$DBG" = /proc/fragtrace ] || [ -d /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug || skip_all "debugfs cannot be mounted"
modprobe -q loop || :
LOOP_DIR=$(mktemp -d)
MNT=$LOOP_DIR/f2fs
MNT2=$LOOP_DIR/f2fs2
DISK=$(get_disk one 2G) || DISK=
DISK2=$(get_disk two 1G) || DISK2=
[ -n "$DISK" ] && [ -n "$DISK2" ] || {
	put_disks
	skip_all "there are no loop devices"
}
FRAGTRACE_GUEST=none
