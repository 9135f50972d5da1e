#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# other_f2fs.sh - a module that was built for another f2fs.ko of the same kernel does not attach
#
# The other one only has another build ID, or none. If it is loaded, fragtrace must refuse to load; if fragtrace waits for
# F2FS, it must not attach to it. A module that was built without a build ID, as in a kernel's tree, compares the sizes of structs.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

dir=$(mktemp -d "$(ft_cache)/test.XXXXXX")
trap 'rm -rf "$dir" "$(ft_cache)/build/src-$(echo "$dir/src" | cksum | cut -d " " -f 1)"' EXIT

# other_f2fs() - make an f2fs.ko with another build ID
other_f2fs() {
	objcopy -O binary --only-section=.note.gnu.build-id --set-section-flags .note.gnu.build-id=alloc "$F2FS_KO" "$dir/note"
	{
		head -c -4 "$dir/note"
		printf '\000\001\002\003'
	} >"$dir/note2"
	objcopy --update-section ".note.gnu.build-id=$dir/note2" "$F2FS_KO" "$dir/f2fs.ko"
	! cmp -s "$dir/note" "$dir/note2" || return 1
	mkdir "$dir/noid"
	objcopy --remove-section .note.gnu.build-id "$F2FS_KO" "$dir/noid/f2fs.ko"
}

# build() - build a copy of the sources for it
build() {
	if [ ! -d "$dir/src" ]; then
		mkdir "$dir/src"
		cp -r "$FT_TOP/Kbuild" "$FT_TOP/module" "$FT_TOP/Makefile" "$FT_TESTS" "$dir/src/"
	fi
	env -u F2FS_SRC -u MAKEFLAGS -u MAKELEVEL KDIR="$KDIR" F2FS_KO="$dir/f2fs.ko" VMLINUX_BTF="$VMLINUX_BTF" \
		"$dir/src/selftests/machine/build.sh" running >"$dir/module" 2>"$dir/said"
}

# guest(command) - run it in a guest that has the module, and in /tools an f2fs.ko without build ID, or the file $TOOL
guest() {
	"$FT_TESTS/machine/guest.sh" -k 6.12 -m "$(cat "$dir/module")" -f "${TOOL:-$dir/noid/f2fs.ko}" -- sh -c "PATH=/selftests/bin:\$PATH; $1" >"$dir/out" 2>&1
}

# build_without_id() - build it without the build ID, then for an F2FS with another inode, too
build_without_id() {
	sed -i 's/BUILD_ID \\"$id\\"/BUILD_ID \\"\\"/' "$dir/src/module/f2fs/gen_f2fs_private.sh"
	build && cp "$(cat "$dir/module")" "$dir/fits.ko" || return 1
	sed -i 's/{ FT_F2FS_SIZES }/{ FT_F2FS_SIZES { "f2fs_inode_info", 8 } }/' \
		"$dir/src/module/f2fs/build_id.c"
	build && ! cmp -s "$(cat "$dir/module")" "$dir/fits.ko"
}

plan 14
ft_kernel 6.12
check "an f2fs.ko with another build ID is made, and one without" other_f2fs
check "the module builds for it" build
check "a guest loads the other F2FS, then the module" guest 'modprobe f2fs; fileop insmod /fragtrace.ko; dmesg | grep fragtrace:; test ! -d /sys/module/fragtrace'
expect "the load is refused" "$(grep -c '^ENOEXEC' "$dir/out")" 1
check "the message has both build IDs" grep -q "built for the F2FS of build ID [0-9a-f]*00010203, but the f2fs.ko loaded has [0-9a-f]" "$dir/out"
check "it says what to do" grep -q "has [0-9a-f]*: reboot .*, else build fragtrace anew (make F2FS_KO=FILE; with DKMS: dkms unbuild, dkms install)" "$dir/out"
check "the module does not attach to the other F2FS if that is loaded later" guest 'insmod /fragtrace.ko && modprobe f2fs && mkfs.f2fs -q -f /dev/vda &&
	mkdir /m && mount -t f2fs /dev/vda /m && grep -qx "attached 0" /sys/kernel/debug/fragtrace/stats &&
	test "$(fileop say /sys/kernel/debug/fragtrace/targets "add /m")" = EOPNOTSUPP && dmesg | grep -q "built for the F2FS" && rmmod fragtrace'
check "a guest loads an F2FS without build ID, then the module" guest 'modprobe f2fs; rmmod f2fs; insmod /tools/f2fs.ko; fileop insmod /fragtrace.ko; dmesg | grep fragtrace:; test ! -d /sys/module/fragtrace'
expect "the load is refused, and the message says why" "$(grep -c -e '^ENOEXEC' -e 'but the f2fs.ko loaded has none: reboot' "$dir/out")" 2
check "the module builds without the build ID, and for an F2FS with another inode" build_without_id
TOOL=$dir/fits.ko
check "a guest loads both" guest 'modprobe f2fs; insmod /tools/fits.ko && rmmod fragtrace && echo fits; fileop insmod /fragtrace.ko; dmesg | grep fragtrace:; test ! -d /sys/module/fragtrace'
expect "sizes that agree with the BTF of F2FS are accepted" "$(grep -cx fits "$dir/out")" 1
expect "one that does not is refused" "$(grep -c '^ENOEXEC' "$dir/out")" 1
expect "the message names the struct" "$(grep -c 'built for an F2FS whose struct f2fs_inode_info has [0-9]* bytes, this one has another: build both again' "$dir/out")" 1
[ "$KTAP_FAILED" = 0 ] || sed 's/^/# /' "$dir/said" "$dir/out"
finish
