# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# debug_kernel.sh - kernels with checks, which Debian does not offer; they are built from its linux-source.
#
# To be sourced by setup.sh. The configuration of a kernel NAME is allnoconfig, kernel/common.config and
# kernel/NAME.config; the last one has priority. It is built again only after a change of Debian's source or
# of one of these files. A line `# make: ARGUMENTS` in kernel/NAME.config names another compiler.

# The kernel series that is built.
FT_DEBUG_SERIES=6.12

# ft_debug_is(name) - is this the name of a kernel with checks?
ft_debug_is() {
	case $1 in
	*/* | common) return 1 ;;
	esac
	[ -f "$FT_TESTS/machine/kernel/$1.config" ]
}

# ft_debug_make(name) - print the arguments of make that its configuration asks for, for the kernel and for modules
ft_debug_make() {
	sed -n 's/^# make: //p' "$FT_TESTS/machine/kernel/$1.config"
}

# ft_debug_source() - print the version of Debian's source; print nothing if it is not on offer
ft_debug_source() {
	apt-cache policy "linux-source-$FT_DEBUG_SERIES" 2>/dev/null | sed -n 's/^ *Candidate: \([0-9].*\)/\1/p'
}

# ft_debug_fragment(name) - print the options of its configuration beyond allnoconfig
ft_debug_fragment() {
	awk '
		{ option = match($0, /CONFIG_[A-Z0-9_]+/) ? substr($0, RSTART, RLENGTH) : "" }
		FNR == NR { own[option] = option != ""; next }
		!own[option]' "$FT_TESTS/machine/kernel/$1.config" "$FT_TESTS/machine/kernel/common.config"
	cat "$FT_TESTS/machine/kernel/$1.config"
}

# ft_debug_configure(folder, name) - write .config to folder/build; a missing option is an error
ft_debug_configure() {
	local dropped

	ft_debug_fragment "$2" >"$1/fragment"
	mkdir -p "$1/build"
	# shellcheck disable=SC2086 # arguments
	make -s -C "$1/source" O="$1/build" $KMAKE KCONFIG_ALLCONFIG="$1/fragment" allnoconfig >/dev/null || return 1
	dropped=$(grep -E '^(# )?CONFIG_' "$1/fragment" | grep -vxFf "$1/build/.config" || :)
	[ -z "$dropped" ] || ft_die "kernel $2: kconfig does not take $(echo "$dropped" | tr '\n' ' ')"
}

# ft_debug_image(work folder) - print the path of the image in its folder build
ft_debug_image() {
	# shellcheck disable=SC2086 # arguments
	make -s -C "$1/source" O="$1/build" $KMAKE image_name
}

# ft_debug_userland() - print the folder of Debian's kernel whose programs run, and whose compiler builds them, for arm64
ft_debug_userland() {
	(ft_kernel "$FT_DEBUG_SERIES-arm64" && echo "$KROOT")
}

# ft_debug_install(work folder, kernel folder) - copy the files that guests and builds of the module need
ft_debug_install() {
	local rel

	rel=$(cat "$1/build/include/config/kernel.release")
	rm -rf "$2"
	mkdir -p "$2/boot" "$2/btf" "$2/source/fs"
	[ "$(ft_arch "$rel")" = amd64 ] || ln -s "$(ft_debug_userland)/guest" "$2/guest" || return 1
	cp "$1/build/$(ft_debug_image "$1")" "$2/boot/vmlinuz-$rel"
	cp "$1/build/.config" "$2/boot/config-$rel"
	# shellcheck disable=SC2086 # arguments
	make -s -C "$1/source" O="$1/build" $KMAKE INSTALL_MOD_PATH="$2" modules_install >/dev/null || return 1
	# The headers, as distributions package them, and F2FS's own.
	# shellcheck disable=SC2086
	make -s -C "$1/source" O="$1/build" $KMAKE run-command \
		KBUILD_RUN_COMMAND="$1/source/scripts/package/install-extmod-build $2/headers" || return 1
	cp -r "$1/source/fs/f2fs" "$2/source/fs/"
	# fragtrace checks the build ID of the object that F2FS is in.
	if [ -f "$1/build/fs/f2fs/f2fs.ko" ]; then
		cp "$1/build/fs/f2fs/f2fs.ko" "$2/btf/"
	else
		# shellcheck disable=SC2016,SC2086 # make expands OBJCOPY
		make -s -C "$1/source" O="$1/build" $KMAKE run-command \
			KBUILD_RUN_COMMAND="\$(OBJCOPY) --only-section=.notes $1/build/vmlinux $2/btf/vmlinux" 2>/dev/null
	fi
	ln -sfn ../../../headers "$2/lib/modules/$rel/build"
}

# ft_debug_build(name, version, folder) - build the kernel from that version of the source; continues an interrupted build
ft_debug_build() {
	local work start

	[ ! -f "$3/.complete" ] || return 0
	# Settings of an outer make must not affect the kernel's.
	unset MAKEFLAGS MAKEOVERRIDES MFLAGS
	start=$(date +%s)
	work=$3.work
	mkdir -p "$work/source"
	if [ ! -f "$work/unpacked" ]; then
		ft_say "kernel $1: downloading linux-source-$FT_DEBUG_SERIES $2 (150 MB)"
		(cd "$work" && apt-get -qq -o APT::Sandbox::User=root download "linux-source-$FT_DEBUG_SERIES=$2" >&2) || return 1
		ft_say "kernel $1: unpacking it (1.7 GB for the time of the build)"
		dpkg-deb --fsys-tarfile "$work"/*.deb | tar -xO "./usr/src/linux-source-$FT_DEBUG_SERIES.tar.xz" | xz -dc |
			tar -x -C "$work/source" --strip-components=1 || return 1
		rm -f "$work"/*.deb
		touch "$work/unpacked"
	fi
	ft_debug_configure "$work" "$1" || return 1
	ft_say "kernel $1: compiling, 10 to 20 minutes on two processors; see $work/log"
	# shellcheck disable=SC2086 # arguments
	nice -n 19 make -C "$work/source" O="$work/build" $KMAKE -j "$(nproc)" "$(basename "$(ft_debug_image "$work")")" modules >"$work/log" 2>&1 || {
		grep -E -A 5 'error|Error' "$work/log" | head -n 20 >&2
		return 1
	}
	ft_debug_install "$work" "$3" || return 1
	rm -rf "$work"
	echo $(($(date +%s) - start)) >"$3/seconds"
	touch "$3/.complete"
	ft_say "kernel $1: built in $(cat "$3/seconds") seconds, $(du -sm "$3" | cut -f 1) MB"
}

# ft_debug_kernel(name) - make sure that this kernel is there; set KROOT, and KMAKE to arguments of make
ft_debug_kernel() {
	local version key older

	KMAKE=$(ft_debug_make "$1")
	version=$(ft_debug_source)
	[ -n "$version" ] || {
		ft_apt_update
		version=$(ft_debug_source)
		[ -n "$version" ] || ft_die "kernel $1: this system's package sources offer no linux-source-$FT_DEBUG_SERIES"
	}
	key=$(echo "$version" | cat - "$FT_TESTS/machine/kernel/common.config" "$FT_TESTS/machine/kernel/$1.config" | cksum | cut -d ' ' -f 1)
	KROOT=$(ft_cache)/kernels/$1-$key
	[ -z "$KMAKE" ] || ft_packages clang
	[ ! -f "$KROOT/.complete" ] || return 0
	ft_packages build debug
	mkdir -p "$(ft_cache)/kernels"
	ft_locked "kernel-$1" ft_debug_build "$1" "$version" "$KROOT" || ft_die "kernel $1: cannot be built. Is there a network?"
	for older in "$(ft_cache)/kernels/$1"-[0-9]*; do
		[ "$older" = "$KROOT" ] || rm -rf "$older"
	done
}
