# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034
#
# kselftest.sh - prepare disks, programs and the module, as a guest does, on a machine without guests. Sourced by lib.sh.
#
# The tests make file systems. They get loop devices, and no other disk of the machine.

# skip_all(reason) - report to kselftest that the whole test is skipped
skip_all() {
	echo "KTAP version 1"
	echo "1..0 # SKIP $1"
	exit 4
}

# module_file() - print where the module is; nothing when there is none for this kernel
module_file() {
	modinfo -n fragtrace 2>/dev/null || find "${here:?}/../../../../fs/fragtrace" -name fragtrace.ko 2>/dev/null
}

# get_disk(name, size) - make a sparse file and print the loop device that has it
get_disk() {
	truncate -s "$2" "$KSELFTEST_DIR/$1" && losetup -f --show "$KSELFTEST_DIR/$1"
}

# put_disks() - give the loop devices back
put_disks() {
	[ "$DISK" = /dev/vda ] || losetup -d "$DISK"
	[ "$DISK2" = /dev/vdb ] || losetup -d "$DISK2"
	rm -rf "$KSELFTEST_DIR"
}

[ "$(id -u)" = 0 ] || skip_all "not root"
for tool in mkfs.f2fs losetup modinfo; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
modprobe -q f2fs || :
grep -qw f2fs /proc/filesystems || skip_all "this kernel has no F2FS"
FRAGTRACE_KO=${FRAGTRACE_KO:-$(module_file)}
[ -f "$FRAGTRACE_KO" ] || skip_all "there is no module fragtrace for this kernel"
! loaded || skip_all "fragtrace is in use here"
[ -d /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug || skip_all "debugfs cannot be mounted"
modprobe -q loop || :
PATH=$here:$PATH
KSELFTEST_DIR=$(mktemp -d)
MNT=$KSELFTEST_DIR/f2fs
MNT2=$KSELFTEST_DIR/f2fs2
DISK=$(get_disk one 2G) || DISK=/dev/vda
DISK2=$(get_disk two 1G) || DISK2=/dev/vdb
[ "$DISK" != /dev/vda ] && [ "$DISK2" != /dev/vdb ] || {
	put_disks
	skip_all "there are no loop devices"
}
FRAGTRACE_GUEST=kselftest
