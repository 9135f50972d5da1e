#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# build.sh - build fragtrace.ko and the test programs outside the source tree.
#
#   build.sh module VERSION [make arguments...]   for a kernel that setup.sh knows, or an unpacked one
#   build.sh tested VERSION [make arguments...]   the same with all warnings, and what FT_SELFTEST=1 adds; prints the folder
#   build.sh check VERSION [make arguments...]    that from scratch, with sparse
#   build.sh running [make arguments...]          for KDIR, or KERNELRELEASE, or the running kernel
#   build.sh tools [VERSION]                      the C programs of the tests, statically linked
#
# Each prints the path of the result (the module, or the folder of the programs) on standard
# output; the compiler's messages go to standard error. Each kernel has its own folder in the
# cache, so that several kernels never mix and the source tree stays clean; the sources appear
# there as links, so that make sees each change.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=setup.sh
. "$FT_TESTS/machine/setup.sh"

# ft_build_root() - print the build folder for this source tree
ft_build_root() {
	echo "$(ft_cache)/build/$(basename "$FT_TOP" | tr -c 'a-zA-Z0-9._\n-' _)-$(echo "$FT_TOP" | cksum | cut -d ' ' -f 1)"
}

# ft_build_folder(version) - print where the module is built for this kernel, which ft_kernel() has found
#
# Two trees of the user may have the same release.
ft_build_folder() {
	case $1 in
	*/*) echo "$(ft_build_root)/$KREL-$(echo "$KROOT" | cksum | cut -d ' ' -f 1)" ;;
	*) echo "$(ft_build_root)/$KREL" ;;
	esac
}

# ft_mirror(folder) - fill a build folder with links to the module's sources; remove links to deleted files
ft_mirror() {
	local file

	mkdir -p "$1"
	find "$1" -type l ! -exec test -e {} \; -exec rm {} +
	(cd "$FT_TOP" && find Kbuild module scripts selftests/bench selftests/programs/late selftests/programs/fail_alloc \( -type f -o -type l \) ! -name '.*' ! -name '*.o' ! -name '*.ko' \
		! -name '*.mod*' ! -path '*/__pycache__/*' 2>/dev/null) |
		while read -r file; do
			[ "$(readlink "$1/$file" || :)" = "$FT_TOP/$file" ] && continue
			mkdir -p "$1/$(dirname "$file")"
			ln -sf "$FT_TOP/$file" "$1/$file"
		done
}

# ft_make_module(folder, make arguments...) - run kbuild there, with KDIR, F2FS_KO and VMLINUX_BTF
ft_make_module() {
	local dir

	dir=$1
	shift
	[ -f "$FT_TOP/Kbuild" ] || ft_die "$FT_TOP/Kbuild is missing: there is no module to build"
	ft_mirror "$dir"
	# shellcheck disable=SC2086 # arguments
	ft_inside make -s -C "$KDIR" $KMAKE M="$dir" ${F2FS_KO:+F2FS_KO="$F2FS_KO"} ${VMLINUX_BTF:+VMLINUX_BTF="$VMLINUX_BTF"} \
		${F2FS_SRC:+F2FS_SRC="$F2FS_SRC"} -j "$(nproc)" "$@" modules >&2 || ft_die "the module does not build against $KDIR"
	[ -f "$dir/fragtrace.ko" ] || ft_die "kbuild ended well but left no $dir/fragtrace.ko"
	echo "$dir/fragtrace.ko"
}

# ft_check_names(folder) - end if several functions of the module have a name by which tests delay one of them
ft_check_names() {
	local names

	names=$(grep -oh 'function=[a-z0-9_]*' "$FT_TESTS"/*.sh | sort -u | cut -d = -f 2)
	names=$(nm "$1/fragtrace.ko" | awk '$2 ~ /^[tT]$/ { print $3 }' | sort | uniq -d | grep -xF -e "$names" || :)
	# shellcheck disable=SC2086 # a list
	[ -z "$names" ] || ft_die "several functions have this name, and a test delays one of them:" $names
}

# ft_make_tools(version) - build the programs for the architecture of a kernel
ft_make_tools() {
	local dir

	dir=$(ft_build_root)/tools
	if [ "$(ft_arch "$1")" = arm64 ]; then
		! ft_debug_is "$1" || set -- "$FT_DEBUG_SERIES-arm64"
		ft_kernel "$1"
		dir=$dir-arm64
		ft_locked tools ft_inside make -s -C "$FT_TESTS" O="$dir" CC=aarch64-linux-gnu-gcc >&2
	else
		ft_locked tools make -s -C "$FT_TESTS" O="$dir" >&2
	fi || ft_die "the test programs do not build"
	echo "$dir"
}

# ft_running() - set KDIR and KREL for `make` without a kernel version
#
# Kbuild finds the BTF itself unless F2FS_KO, VMLINUX_BTF or F2FS_SRC are set.
ft_running() {
	local rel

	rel=${KERNELRELEASE:-$(uname -r)}
	KDIR=${KDIR:-/lib/modules/$rel/build}
	[ -f "$KDIR/Makefile" ] || ft_die "kernel headers: '$KDIR' holds none; install linux-headers-$rel," \
		"or name another kernel: make KDIR=/path/to/headers, make KERNELRELEASE=version;" \
		"without headers there are make viewer (draws recordings) and make vm CMD=... (a guest with fragtrace in it)"
	[ ! -f "$KDIR/include/config/kernel.release" ] || rel=$(cat "$KDIR/include/config/kernel.release")
	# An empty variable of the environment would override the default of Kbuild.
	[ -n "${F2FS_KO:-}" ] || unset F2FS_KO
	[ -n "${VMLINUX_BTF:-}" ] || unset VMLINUX_BTF
	[ -n "${F2FS_SRC:-}" ] || unset F2FS_SRC
	unset KERNELRELEASE
	KREL=$rel
}

# build_main(arguments...) - the command described at the top
build_main() {
	local what kernel

	what=${1:-}
	[ $# = 0 ] || shift
	case $what in
	module)
		kernel=${1:-6.12}
		[ $# = 0 ] || shift
		ft_packages build
		ft_kernel "$kernel"
		mkdir -p "$(ft_build_root)"
		ft_locked "build-$KREL" ft_make_module "$(ft_build_folder "$kernel")" "$@"
		;;
	tested | check)
		kernel=${1:-6.12}
		ft_packages build
		ft_kernel "$kernel"
		[ $# = 0 ] || shift
		mkdir -p "$(ft_build_root)"
		if [ "$what" = check ]; then
			rm -rf "$(ft_build_folder "$kernel")-tested"
			! ft_inside sh -c 'command -v sparse' >/dev/null ||
				set -- C=1 CHECK="sparse -include $FT_TESTS/machine/kernel/sparse.h" "$@"
		fi
		what=$(ft_build_folder "$kernel")-tested
		ft_locked "tested-$KREL" ft_make_module "$what" W=1 FT_SELFTEST=1 "$@" >/dev/null
		ft_check_names "$what"
		echo "$what"
		;;
	running)
		ft_running
		KROOT='' KMAKE=''
		mkdir -p "$(ft_build_root)"
		ft_make_module "$(ft_build_root)/$KREL" "$@"
		;;
	tools)
		ft_make_tools "${1:-6.12}"
		;;
	*)
		sed -n 's/^#   \(build.sh .*\)/usage: \1/p' "$0" >&2
		exit 2
		;;
	esac
}

case ${0##*/} in
build.sh) build_main "$@" ;;
esac
