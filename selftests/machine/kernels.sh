# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# kernels.sh - Debian's kernels, unpacked into the cache: those of the host's own release, and newer ones.
#
# To be sourced by setup.sh. A newer kernel also needs the compiler and the libraries of its release:
# they are unpacked around it, and ft_inside runs its builds in there. A VERSION is a series, 6.12, or
# with a suffix: -rt for PREEMPT_RT, -arm64 for arm64, -arm64-16k for arm64 with pages of 16 KiB.
# All those for arm64 are from the newer release, which has the cross-compiler.

# The release that has kernels newer than the host's, and its section with them.
FT_NEWER_RELEASE=trixie
FT_NEWER_SUITE=trixie-backports
# The packages for building a module, besides the dependencies of the headers.
FT_USERLAND="base-files bash coreutils dash diffutils findutils gcc grep kmod make mawk pahole perl sed sparse"
# The same for arm64; and the packages for guests.
FT_CROSS="gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
FT_GUEST_PACKAGES="busybox-static f2fs-tools e2fsprogs strace"

# ft_arch(version, release or folder) - print Debian's name of its architecture; all trees are built for x86-64
ft_arch() {
	case $1 in
	*-arm64*) if ft_tree_is "$1"; then echo amd64; else echo arm64; fi ;;
	*) echo amd64 ;;
	esac
}

# ft_sources(version) - set FT_APT to the options of apt for this series, FT_LISTS to its folder of lists
ft_sources() {
	case $1 in
	*-arm64*) ft_suite arm64 "$FT_NEWER_SUITE" "$FT_NEWER_RELEASE" ;;
	7 | 7[.-]*) ft_suite amd64 "$FT_NEWER_SUITE" "$FT_NEWER_RELEASE" ;;
	*) FT_APT='' FT_LISTS=/var/lib/apt/lists ;;
	esac
}

# ft_refresh() - refresh the lists that ft_sources has chosen
ft_refresh() {
	if [ -n "$FT_APT" ]; then
		ft_locked apt ft_suite_update "${FT_LISTS%/lists}" || ft_say "going on with the lists at hand"
	else
		ft_apt_update
	fi
}

# ft_releases(version, prefix) - from a list of names print the part after the prefix, if it is a release of this version;
# the newest comes last
ft_releases() {
	local series flavour

	series=${1%%-*}
	flavour=${1#"$series"}
	[ "$(ft_arch "$1")" != amd64 ] || flavour=$flavour-amd64
	sed -n "s/^$2\($series\.[0-9.]*\(-[0-9]*\|+deb[0-9]*\)$flavour\)\$/\1/p" | sort -V
}

# ft_resolve(version) - print the newest Debian kernel release of a version, as 6.12.117+deb12-amd64
#
# Asking apt takes a second: the answer is stored until the package lists change.
ft_resolve() {
	local kept

	kept=$(ft_cache)/release-$1
	if [ ! -s "$kept" ] || [ -n "$(find "$FT_LISTS" -maxdepth 1 -newer "$kept" 2>/dev/null | head -n 1)" ]; then
		ft_ask_apt "$1" >"$kept" || :
	fi
	grep . "$kept"
}

# ft_ask_apt(version) - the same, without the stored answer
ft_ask_apt() {
	local meta rel

	command -v apt-cache >/dev/null || return 1
	case $1 in
	*-rt) meta=linux-image-rt-amd64 ;;
	*-arm64*) meta=linux-image-${1#*-}:arm64 ;;
	*) meta=linux-image-amd64 ;;
	esac
	for meta in "linux-image-$1-amd64" "$meta"; do
		# shellcheck disable=SC2086 # options
		rel=$(apt-cache $FT_APT depends "$meta" 2>/dev/null | ft_releases "$1" ' *Depends: linux-image-' | tail -n 1)
		if [ -n "$rel" ]; then
			echo "$rel"
			return 0
		fi
	done
	# The meta packages are newer: take the highest version that is still on offer.
	# shellcheck disable=SC2086
	apt-cache $FT_APT pkgnames "linux-image-${1%%-*}." 2>/dev/null | ft_releases "$1" linux-image- | tail -n 1
}

# ft_cached_kernel(version) - print the newest unpacked release of a version
ft_cached_kernel() {
	local cache

	cache=$(ft_cache)
	[ -d "$cache/kernels" ] || return 1
	(
		cd "$cache/kernels" || exit
		for rel in "${1%%-*}".*; do
			[ -f "$rel/.complete" ] && echo "$rel"
		done
	) | ft_releases "$1" '' | tail -n 1 | grep .
}

# ft_download(release, folder) - download the packages with image and headers of a release of the host's own
ft_download() {
	local names

	names=$(apt-cache depends "linux-headers-$1" |
		sed -n 's/^[ |]*Depends: \(linux-headers-.*-common\(-rt\)\?\|linux-kbuild-.*\)$/\1/p')
	# shellcheck disable=SC2086 # a list of names
	(cd "$2" && apt-get -qq -o APT::Sandbox::User=root download "linux-image-$1" "linux-headers-$1" $names >&2)
}

# ft_download_newer(release, folder) - the same for the newer release, with all packages for building
ft_download_newer() {
	mkdir "$2/partial"
	# The dependencies of the image package include initramfs tools, so it is downloaded alone.
	# shellcheck disable=SC2086 # options, a list of names
	apt-get $FT_APT -qq -y --no-install-recommends -o Dir::Cache::Archives="$2" --download-only install \
		"linux-binary-$1" "linux-modules-$1" "linux-headers-$1" $FT_USERLAND >&2
}

# ft_download_arm64(release, folder) - the same for arm64; the programs of its guests go to the folder guest
#
# The headers depend on the compiler of their own architecture: apt downloads it automatically.
ft_download_arm64() {
	local common image

	common=${1%-16k}
	common=${common%-arm64}
	mkdir "$2/partial" "$2/guest" "$2/guest/partial"
	image="linux-base-$1:arm64 linux-binary-$1:arm64 linux-modules-$1:arm64"
	# shellcheck disable=SC2086 # options, lists of names
	apt-cache $FT_APT show $image >/dev/null 2>&1 || image=linux-image-$1:arm64
	# shellcheck disable=SC2086
	(cd "$2" && apt-get $FT_APT -qq download $image "linux-headers-$1:arm64" >&2) || return 1
	# shellcheck disable=SC2046,SC2086
	apt-get $FT_APT -qq -y --no-install-recommends -o Dir::Cache::Archives="$2" --download-only install \
		"linux-headers-$common-common" "linux-kbuild-$common" $FT_USERLAND $FT_CROSS >&2 &&
		apt-get $FT_APT -qq -y --no-install-recommends -o Dir::Cache::Archives="$2/guest" --download-only install \
			$(printf '%s:arm64 ' $FT_GUEST_PACKAGES) >&2
}

# ft_prepare_userland(root) - do the work of the maintainer scripts of its packages, as far as builds need it
ft_prepare_userland() {
	local dir

	for dir in bin lib lib64 sbin; do
		mkdir -p "$1/usr/$dir"
		ln -s "usr/$dir" "$1/$dir"
	done
	mkdir -p "$1/boot" "$1/dev" "$1/proc" "$1/tmp"
	ln -s mawk "$1/usr/bin/awk"
	touch "$1/.userland"
}

# ft_mend_checker(root) - let kbuild call sparse: the package lacks the script that checks the version of sparse
#
# Debian's sparse is too old; kernel/sparse.h adds the missing definitions.
ft_mend_checker() {
	local dir

	for dir in "$1"/usr/lib/linux-kbuild-*/scripts; do
		[ ! -e "$dir/checker-valid.sh" ] || continue
		printf '#!/bin/sh\necho 1\n' >"$dir/checker-valid.sh"
		chmod +x "$dir/checker-valid.sh"
	done
}

# ft_unpack_packages(folder, root) - unpack all packages in a folder, if there are any
ft_unpack_packages() {
	local deb

	for deb in "$1"/*.deb; do
		[ -f "$deb" ] || continue
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$2" --keep-directory-symlink --exclude='./usr/share/doc' \
			--exclude='./usr/share/man' --exclude='./usr/share/locale' || return 1
	done
}

# ft_unpack_kernel(release) - download and unpack image and headers into the cache
ft_unpack_kernel() {
	local final tmp kdir mods f2fs common

	final=$(ft_cache)/kernels/$1
	[ ! -f "$final/.complete" ] || return 0
	tmp=$(ft_cache)/kernels/.new-$1.$$
	rm -rf "$final" "$tmp"
	mkdir -p "$tmp/debs"
	ft_say "downloading kernel $1"
	[ -z "$FT_APT" ] || ft_prepare_userland "$tmp"
	if [ "$(ft_arch "$1")" = arm64 ]; then
		mkdir "$tmp/guest"
		ft_prepare_userland "$tmp/guest"
		ft_download_arm64 "$1" "$tmp/debs"
	elif [ -n "$FT_APT" ]; then
		ft_download_newer "$1" "$tmp/debs"
	else
		ft_download "$1" "$tmp/debs"
	fi || {
		rm -rf "$tmp"
		return 1
	}
	ft_say "unpacking kernel $1"
	if ! ft_unpack_packages "$tmp/debs" "$tmp" || ! ft_unpack_packages "$tmp/debs/guest" "$tmp/guest"; then
		rm -rf "$tmp"
		return 1
	fi
	rm -rf "$tmp/debs"
	[ -z "$FT_APT" ] || ft_mend_checker "$tmp"
	[ -f "$tmp/boot/vmlinuz-$1" ] || ln -s "../lib/modules/$1/vmlinuz" "$tmp/boot/vmlinuz-$1"

	# Debian's headers refer to each other by absolute path in two places; change both to paths in this copy.
	kdir=usr/src/linux-headers-$1
	mods=lib/modules/$1
	sed -i "s|/usr/src/|$final/usr/src/|" "$tmp/$kdir/Makefile"
	ln -sfn "$final/$kdir" "$tmp/$mods/build"
	common=${1%-16k}
	common=linux-headers-${common%-a[mr][dm]64}-common
	case $1 in
	*-rt-amd64)
		# recently they are those of the other kernels
		common=linux-headers-${1%-rt-amd64}-common
		[ ! -d "$tmp/usr/src/$common-rt" ] || common=$common-rt
		;;
	esac
	ln -sfn "$final/usr/src/$common" "$tmp/$mods/source"
	depmod -b "$tmp" "$1"

	mkdir "$tmp/btf"
	f2fs=$(find "$tmp/$mods" -name 'f2fs.ko*' | head -n 1)
	case $f2fs in
	*.ko) cp "$f2fs" "$tmp/btf/f2fs.ko" ;;
	*.xz) xz -dc "$f2fs" >"$tmp/btf/f2fs.ko" ;;
	*.zst) zstd -dcq "$f2fs" >"$tmp/btf/f2fs.ko" ;;
	*) ft_die "kernel $1 has no F2FS module" ;;
	esac
	[ -f "$tmp/$kdir/vmlinux" ] || "$FT_TOP/module/f2fs/vmlinuz_btf.sh" "$tmp/boot/vmlinuz-$1" "$tmp/btf/vmlinux" ||
		ft_die "kernel $1: its BTF cannot be unpacked"
	touch "$tmp/.complete"
	mv "$tmp" "$final"
}

# ft_kernel(version) - make sure a kernel is there; set KREL KROOT KDIR VMLINUZ F2FS_KO VMLINUX_BTF F2FS_SRC KMAKE, and TREE
# if the user has built it in one
#
# F2FS_KO is empty if F2FS is built in, F2FS_SRC if the BTF has all types of F2FS, KMAKE if make needs no arguments.
# shellcheck disable=SC2034 # used by those who source this file
ft_kernel() {
	TREE='' KMAKE=''
	if ft_debug_is "$1"; then
		ft_debug_kernel "$1"
		ft_kernel_folder "$KROOT"
	else
		case $1 in
		*/*) if ft_tree_is "$1"; then ft_kernel_tree "$1"; else ft_kernel_folder "$1"; fi ;;
		*) ft_kernel_debian "$1" ;;
		esac
	fi
	VMLINUZ=$KROOT/boot/vmlinuz-$KREL
	KDIR=$KROOT/lib/modules/$KREL/build
	F2FS_KO=$KROOT/btf/f2fs.ko
	[ -f "$F2FS_KO" ] || F2FS_KO=
	VMLINUX_BTF=$KROOT/btf/vmlinux
	[ -f "$VMLINUX_BTF" ] || VMLINUX_BTF=$KDIR/vmlinux
	F2FS_SRC=$KROOT/source
	[ -d "$F2FS_SRC/fs/f2fs" ] || F2FS_SRC=
}

# ft_inside(command...) - run it in the userland of the kernel, if there is one; cache and project have their usual paths
#
# Mounts are made in a separate name space, and end with the command.
ft_inside() {
	if [ ! -e "$KROOT/.userland" ]; then
		"$@"
		return
	fi
	[ "$(id -u)" = 0 ] || ft_die "building for kernel $KREL takes root: it happens in a chroot, $KROOT"
	# shellcheck disable=SC2016 # expanded inside
	unshare --mount sh -euc '
		root=$1 cache=$2 project=$3
		shift 3
		mkdir -p "$root$cache" "$root$project"
		mount -t proc proc "$root/proc"
		mount --bind /dev "$root/dev"
		mount --bind "$cache" "$root$cache"
		mount --bind "$project" "$root$project"
		exec chroot "$root" env PATH=/usr/sbin:/usr/bin LANG=C LC_ALL=C "$@"' \
		sh "$KROOT" "$(ft_cache)" "$FT_TOP" "$@"
}

# ft_kernel_folder(folder) - set KREL and KROOT from a folder with exactly one unpacked kernel
ft_kernel_folder() {
	local image

	[ ! -f "$1/Kconfig" ] || ft_die "kernel '$1': this tree is not configured: no .config; name the folder of its O=," \
		"or type there: $FT_TREE_RECIPE"
	KROOT=$(cd "$1" 2>/dev/null && pwd) || ft_die "kernel '$1': no such folder; expected $FT_KERNELS, a kernel tree that is built, or a folder with boot/vmlinuz-*"
	for image in "$KROOT"/boot/vmlinuz-*; do
		[ -f "$image" ] || ft_die "kernel '$1': no boot/vmlinuz-* in it, and no kernel tree: no .config; expected $FT_KERNELS, a kernel tree that is built," \
			"or a folder with an unpacked kernel"
		KREL=${image##*/vmlinuz-}
	done
	[ -f "$KROOT/lib/modules/$KREL/modules.dep" ] || depmod -b "$KROOT" "$KREL"
}

# ft_kernel_debian(version) - set KREL and KROOT from Debian's newest kernel of a series, or the newest cached one
ft_kernel_debian() {
	local cached rel

	case $1 in
	[0-9]*) ;;
	*) ft_die "kernel '$1': expected $FT_KERNELS, or a kernel tree or a folder with an unpacked kernel (write ./folder)" ;;
	esac
	ft_sources "$1"
	cached=$(ft_cached_kernel "$1") || cached=
	rel=$(ft_resolve "$1") || rel=
	if [ -z "$rel" ] && [ -z "$cached" ]; then
		ft_refresh
		rel=$(ft_resolve "$1") || ft_die "kernel $1: this system's package sources offer none;" \
			"Debian 12 has 6.1 in 'main' and 6.12 in 'bookworm-security', $FT_NEWER_SUITE has 7"
	fi
	if [ -n "$rel" ] && [ ! -f "$(ft_cache)/kernels/$rel/.complete" ]; then
		ft_packages build
		mkdir -p "$(ft_cache)/kernels"
		ft_locked kernel ft_unpack_kernel "$rel" || {
			# Outdated lists name packages that no longer exist: refresh the lists and try again.
			ft_refresh
			rel=$(ft_resolve "$1") || rel=
			[ -n "$rel" ] && ft_locked kernel ft_unpack_kernel "$rel"
		} || {
			[ -n "$cached" ] || ft_die "kernel $1: cannot download ${rel:-it}. Is there a network?"
			ft_say "kernel $1: cannot download ${rel:-a newer one}; using $cached"
			rel=$cached
		}
	fi
	KREL=${rel:-$cached}
	KROOT=$(ft_cache)/kernels/$KREL
}

# === Kernel source ===

# ft_unpack_source(version, folder) - download a kernel's source; keep its checkers of sources and F2FS's headers
ft_unpack_source() {
	local tmp

	# an older cache has fewer files
	[ ! -f "$2/.complete" ] || [ ! -f "$2/fs/f2fs/segment.h" ] || [ ! -d "$2/scripts/coccinelle" ] || return 0
	tmp=$2.new.$$
	rm -rf "$tmp"
	mkdir -p "$tmp"
	ft_say "downloading the source of kernel $1 (150 MB, for its checkpatch.pl, coccinelle rules, f2fs.h and segment.h)"
	# shellcheck disable=SC2086 # options
	if (cd "$tmp" && apt-get $FT_APT -qq -o APT::Sandbox::User=root download "linux-source-$1" >&2) &&
		dpkg-deb --fsys-tarfile "$tmp"/*.deb | tar -xO "./usr/src/linux-source-$1.tar.xz" | xz -dc |
		tar -x -C "$tmp" --strip-components=1 "linux-source-$1/scripts/checkpatch.pl" \
			"linux-source-$1/scripts/spelling.txt" "linux-source-$1/scripts/const_structs.checkpatch" \
			"linux-source-$1/scripts/coccinelle" "linux-source-$1/fs/f2fs/f2fs.h" "linux-source-$1/fs/f2fs/segment.h"; then
		rm -f "$tmp"/*.deb
		touch "$tmp/.complete"
		rm -rf "$2"
		mv "$tmp" "$2"
	else
		rm -rf "$tmp"
		return 1
	fi
}

# ft_source(version) - print the folder with the kept source of a Debian kernel series
ft_source() {
	local dir series

	ft_kernel "$1"
	dir=$(ft_cache)/source-$KREL
	series=$(echo "$KREL" | cut -d . -f 1,2)
	ft_locked source ft_unpack_source "$series" "$dir" || ft_die "the source of kernel $1 is not available. Is there a network?"
	echo "$dir"
}

