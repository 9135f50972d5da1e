#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Unpack the BTF of a kernel from its image into an ELF file, which pahole takes as base, with the kernel's notes.
#
# usage: vmlinuz_btf.sh VMLINUZ OUT
#   VMLINUZ   an image for x86: its boot protocol has the position of the compressed kernel, namely its offset from the
#             end of the set-up sectors at 0x248, its length at 0x24c, and the number of set-up sectors at 0x1f1
#   OUT       the file to write
#
# $OBJCOPY as in gen_f2fs_private.sh.

set -eu

# die(problem, remedy)
die() {
	rm -f "$full"
	echo "vmlinuz_btf.sh: $1; $2" >&2
	exit 1
}

# number(format, OFFSET, BYTES) - print what the image has there
number() {
	od -A n -t "$1" -j "$2" -N "$3" "$image" | tr -d ' '
}

image=${1:?} out=${2:?} full=$2.full
[ -r "$image" ] || die "$image: cannot be read" "build as root, or name the BTF of this kernel by VMLINUX_BTF="
[ "$(number c 514 4)" = HdrS ] ||
	die "$image: not an image for x86" "name the BTF of this kernel by VMLINUX_BTF="
start=$((($(number u1 497 1) + 1) * 512 + $(number u4 584 4)))
case $(number x1 "$start" 4) in
fd377a58) tool=xz options='-dc --single-stream' package=xz-utils ;;
28b52ffd) tool=zstd options=-dcq package=zstd ;;
02214c18) tool=lz4 options=-dcq package=lz4 ;;
1f8b*) tool=gzip options=-dc package=gzip ;;
*) die "$image: compressed in a way that fragtrace does not know" "name the BTF of this kernel by VMLINUX_BTF=" ;;
esac
command -v $tool >/dev/null || die "$tool is not installed, and $image is packed with it" "Debian: apt-get install $package"
# The last four bytes are the unpacked size, not part of the stream: some tools report them as an error.
# shellcheck disable=SC2086 # options
tail -c "+$((start + 1))" "$image" | head -c "$(number u4 588 4)" | $tool $options >"$full" 2>/dev/null || :
"${OBJCOPY:-objcopy}" --only-section=.BTF --only-section=.notes "$full" "$out" 2>/dev/null ||
	die "$image: does not unpack" "install the image of this kernel anew, or name its BTF by VMLINUX_BTF="
"${OBJCOPY:-objcopy}" --dump-section .BTF="$full" "$out" /dev/null 2>/dev/null || {
	rm -f "$out"
	die "$image: this kernel has no BTF (CONFIG_DEBUG_INFO_BTF is not set)" "use another kernel, or name its source tree by F2FS_SRC="
}
rm -f "$full"
