#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What DKMS runs, see dkms.conf: a kernel for which fragtrace cannot be built is installed all the same.
#
# usage: dkms.sh build FOLDER RELEASE ARCH KDIR ACTION [make variables...]
#        dkms.sh installed FOLDER RELEASE ARCH
#   FOLDER    where DKMS keeps this version of the module
#   RELEASE   the kernel it is built for, of this ARCH, with headers in KDIR
#   ACTION    what dkms was called for
#
# If a module does not build, DKMS fails. Called for a new kernel, it makes dpkg leave this kernel half configured then, and
# no initrd is made. DKMS 3.0 also fails if dkms.conf excludes the kernel. So whoever installs packages gets an empty module
# in place of one that does not build, and once DKMS has installed that, it is removed again. DKMS knows of no module for
# this kernel then, and builds it anew as soon as image or headers are installed anew. By hand dkms just fails.

set -eu

# reason() - print why there is no module: what our own scripts said, or where to look
reason() {
	sed -n 's/^\(gen_f2fs_private\|vmlinuz_btf\)\.sh: //p' "$log" | head -n 1 | grep . || echo "it does not build; see $log"
}

build() {
	kdir=$1 action=$2
	shift 2
	for old in "$folder"/not-for-*; do
		[ ! -e "$old" ] || [ -d "/lib/modules/${old##*/not-for-}" ] || rm -f "$old"
	done
	rc=0
	make -j "$(nproc)" -C "$kdir" M="$PWD" KERNELRELEASE="$release" "$@" modules >"$log" 2>&1 || rc=$?
	cat "$log"
	case $action:${DPKG_MAINTSCRIPT_PACKAGE:-} in
	build: | install:) ;;
	*) [ $rc = 0 ] || exec as -o fragtrace.ko /dev/null ;;
	esac
	rm -f "$log"
	exit $rc
}

installed() {
	[ -e "$log" ] || return 0
	dkms unbuild --no-depmod -m fragtrace -v "${folder##*/}" -k "$release" -a "$arch" >/dev/null
	echo "fragtrace: not for kernel $release: $(reason)"
}

what=$1 folder=$2 release=$3 arch=$4
log=$folder/not-for-$release
shift 4
case $what in
build | installed) $what "$@" ;;
*) exit 2 ;;
esac
