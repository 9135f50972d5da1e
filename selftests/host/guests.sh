#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# guests.sh - do guests work? Status, output, time limit, crash, interrupt. Does a module that is loaded
# at boot wait for its volume?

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

guest=$FT_TESTS/machine/guest.sh
vm=$FT_TESTS/machine/vm.sh
dir=$(mktemp -d "$(ft_cache)/test.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# status_of(command...) - print the status of a command, store its output
status_of() {
	local rc

	rc=0
	"$@" >"$dir/out" 2>"$dir/err" || rc=$?
	echo $rc
}

# qemus() - print the process IDs of all QEMUs that belong to run folders of our own cache
qemus() {
	local pid

	for pid in /proc/[0-9]*; do
		if { tr '\0' ' ' <"$pid/cmdline"; } 2>/dev/null | grep -q "^[^ ]*qemu-system.*$(ft_cache)/run\.$1\."; then
			echo "${pid#/proc/}"
		fi
	done
}

# has_qemu(pid) - does the guest started by this process have a QEMU?
has_qemu() {
	[ -n "$(qemus "$1")" ]
}

# has_no_qemu(pid) - the opposite
has_no_qemu() {
	[ -z "$(qemus "$1")" ]
}

# interrupt(name, signal, command...) - start a guest, interrupt it, check that no QEMU of it stays
interrupt() {
	local name pid signal

	name=$1 signal=$2
	shift 2
	"$@" >"$dir/out" 2>&1 &
	pid=$!
	if ! loop_until 60 has_qemu $pid; then
		not_ok "$name" "the guest did not start"
		return 0
	fi
	sleep 2
	kill "-$signal" $pid
	wait $pid 2>/dev/null || :
	check "$name" loop_until "$SOON" has_no_qemu $pid
}

# type_into(file, command...) - run a command with input typed from a file after its first prompt, store its output
#
# Input before the end of the boot is lost.
type_into() {
	local typed

	typed=$1
	shift
	: >"$dir/out"
	{
		loop_until 300 grep -q '^guest:' "$dir/out" || :
		cat "$typed"
	} | "$@" >"$dir/out" 2>"$dir/err"
}

# whole_test(output) - are all checks of the plan ok, none is skipped, and no loop device is left in the end?
whole_test() {
	awk '
		/^1\.\.[0-9]+$/ { planned = substr($0, 4) }
		/^ok / { ok += !/# SKIP/ }
		/^\/dev\/loop|^not ok / { bad = 1 }
		END { exit bad || !planned || ok != planned }' "$1" && return 0
	sed 's/^/# /' "$1"
	return 1
}

plan 24
# Each boot takes ten seconds of a CPU: one command shows several things.
expect "the small guest: the status of the command is returned" "$(status_of "$guest" -n -d 64M -d 128M -o "$dir/back" -- sh -c '
	echo "it'"'"'s $0 $1"
	blockdev --getsize64 /dev/vda && blockdev --getsize64 /dev/vdb && echo two
	echo kept >/out/file
	exit 9' 'a  b' '$c')" 9
expect "the small guest: arguments are passed unchanged" "$(sed -n 1p "$dir/out")" "it's a  b \$c"
expect "the small guest: two disks exist" "$(sed -n 4p "$dir/out")" two
expect "the small guest: the disks have the requested sizes" "$(sed -n 2,3p "$dir/out" | tr '\n' ' ')" "67108864 134217728 "
expect "the small guest: files in /out are copied to the host" "$(cat "$dir/back/file")" kept
expect "the small guest: the time limit ends it with status 124" "$(status_of "$guest" -n -t 6 -- sleep 60)" 124
expect "the small guest: a crash of its kernel is status 125" "$(status_of "$guest" -n -- sh -c 'echo c >/proc/sysrq-trigger')" 125
expect "the small guest: one that does not come up is booted once more, and ended" \
	"$(FT_BOOT_LIMIT=3 status_of "$guest" -n -q -S -- true) $(grep -c 'once more$' "$dir/err")" "126 1"
interrupt "the small guest: interrupted" TERM "$guest" -n -- sleep 60
interrupt "the small guest: killed" KILL "$guest" -n -- sleep 60
status=$(OUT=$dir/kept DISK=3G status_of "$vm" -n -- 'pwd; id -u; blockdev --getsize64 /dev/vda; 
	cp /proc/version "$OUT/"; mkdir /mnt/of_the_guest && ln -s x "/lib/modules/$(uname -r)/of_the_guest" && touch of_the_guest && exit 7')
expect "the full guest: the status of the command is returned" "$status" 7
[ "$status" = 7 ] || sed 's/^/# /' "$dir/err"
expect "the full guest: the command runs as root, in the project's folder, with a disk" "$(tr '\n' ' ' <"$dir/out")" "$FT_TOP 0 3221225472 "
check "the full guest: OUT is a folder of the host" grep -q 'Linux version 6.12' "$dir/kept/version"
expect "the full guest: what it writes to /mnt, to the modules and to the project stays in it" \
	"$(find /mnt "$FT_TOP" "$(ft_cache)/kernels" -maxdepth 5 -name of_the_guest)" ""
printf 'mkfs.f2fs -q -f /dev/vda && mount /dev/vda /mnt && id -u >/mnt/kept\nexit 3\n' >"$dir/typed"
check "make shell: runs commands from its terminal, and ends with status 0" type_into "$dir/typed" \
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$FT_TOP" shell DISK="$dir/disk"
refuse "make shell: messages of QEMU about modules are left out" grep -q 'failed to [a-z]* module' "$dir/err"
said=$(env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory -C "$FT_TOP" vm DISK="$dir/disk" \
	CMD='echo "in the $FRAGTRACE_GUEST guest, $((1 + 1))"; mount /dev/vda /mnt && cat /mnt/kept' 2>"$dir/err") || :
expect "make vm: the guest's shell expands dollars" "${said%?0}" "in the full guest, 2"
expect "make vm: a disk that is a file keeps what the shell wrote" "${said#*, 2?}" 0
expect "at boot: the module waits for the volume" "$("$vm" -- selftests/in_guest/boot.sh 2>"$dir/err" | grep -v '^#' | tr '\n' ' ')" \
	"- - waiting 0 /mnt/db live /mnt/db "
expect "the full guest: one that does not come up is booted once more, and ended" \
	"$(FT_BOOT_LIMIT=3 status_of "$vm" -n -q -S -- true) $(grep -c 'once more$' "$dir/err")" "126 1"
# After the module was built for the guest before.
expect "a test as on any machine: on loop devices, which it gives back" "$(status_of "$guest" -- sh -c \
	'env -u FRAGTRACE_GUEST sh /selftests/20_write.sh && losetup -a')" 0
check "a test as on any machine: all of its checks pass, and none is skipped" whole_test "$dir/out"
interrupt "the full guest: interrupted" TERM "$vm" -n -- 'sleep 60'
interrupt "the full guest: killed" KILL "$vm" -n -- 'sleep 60'
finish
