# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# kernel_tree.sh - a kernel that the user has built, in its own tree.
#
# To be sourced by setup.sh. Its image and modules are installed into the cache, where guests take them from, and again
# when they have been built anew. The module is built in the tree itself.

# What every guest needs of it, built in or as a module.
FT_TREE_OPTIONS="MODULES TRACEPOINTS BLK_DEV_INITRD DEVTMPFS DEBUG_FS TMPFS SERIAL_8250_CONSOLE VIRTIO_PCI VIRTIO_BLK F2FS_FS"

# What builds such a kernel, to be typed in its tree.
# shellcheck disable=SC2016 # expanded there
FT_TREE_RECIPE='make defconfig kvm_guest.config && scripts/config -m F2FS_FS && make olddefconfig && make -j$(nproc) bzImage modules'

# ft_tree_is(folder) - is this the tree of a kernel, or the folder that one was built in by make O=?
ft_tree_is() {
	[ -f "$1/Makefile" ] && [ -f "$1/.config" ]
}

# ft_tree_lacks(tree, option...) - print those that its configuration does not have
ft_tree_lacks() {
	local config option

	config=$1/.config
	shift
	for option; do
		grep -q "^CONFIG_$option=[ym]" "$config" || printf 'CONFIG_%s ' "$option"
	done
}

# ft_tree_f2fs(tree) - print the object that F2FS is in. Where it is built in, an f2fs.ko may be left of another configuration
ft_tree_f2fs() {
	if grep -q '^CONFIG_F2FS_FS=m' "$1/.config"; then echo "$1/fs/f2fs/f2fs.ko"; else echo "$1/vmlinux"; fi
}

# ft_tree_check(name, tree) - end the program if there is no kernel for a guest in it
ft_tree_check() {
	local lacks

	# shellcheck disable=SC2086 # a list of options
	lacks=$(ft_tree_lacks "$2" $FT_TREE_OPTIONS)
	[ -z "$lacks" ] || ft_die "kernel '$1': this tree is configured without ${lacks% }; all that is needed has: $FT_TREE_RECIPE"
	[ -s "$2/include/config/kernel.release" ] && [ -f "$2/arch/x86/boot/bzImage" ] ||
		ft_die "kernel '$1': this tree is not built: no arch/x86/boot/bzImage; run make bzImage modules there"
	[ -f "$2/modules.order" ] && [ -f "$(ft_tree_f2fs "$2")" ] ||
		ft_die "kernel '$1': the modules of this tree are not built; run make modules there"
}

# ft_tree_source(tree) - print the folder of its sources
ft_tree_source() {
	if [ -f "$1/fs/f2fs/f2fs.h" ]; then echo "$1"; else readlink -f "$1/source"; fi
}

# ft_tree_stale(name, tree) - warn if F2FS or the configuration has changed since the kernel was built
ft_tree_stale() {
	local file

	file=$(find "$(ft_tree_source "$2")/fs/f2fs" -name '*.[ch]' -newer "$(ft_tree_f2fs "$2")" -print -quit)
	! [ "$2/.config" -nt "$2/include/config/auto.conf" ] || file=$2/.config
	[ -z "$file" ] || ft_say "kernel '$1': $file has changed since it was built; run make bzImage modules there"
}

# ft_tree_has_btf(object) - does this object have BTF?
ft_tree_has_btf() {
	objdump -h "$1" 2>/dev/null | grep -q ' \.BTF '
}

# ft_tree_install(tree, release, folder) - put image and modules into the folder, unless they are there and none is newer
ft_tree_install() {
	local object

	if [ -f "$3/.complete" ] && [ -z "$(find "$1" -name .git -prune -o \
		\( -name '*.ko' -o -name bzImage -o -name modules.order -o -name .config \) -newer "$3/.complete" -print -quit)" ]; then
		return 0
	fi
	ft_say "installing kernel $2 from $1 into the cache"
	rm -rf "$3"
	mkdir -p "$3/boot" "$3/btf"
	cp "$1/arch/x86/boot/bzImage" "$3/boot/vmlinuz-$2" || return 1
	# What make was asked for outside is nothing to the kernel's.
	env -u MAKEFLAGS -u MAKEOVERRIDES -u MFLAGS make -s -C "$1" INSTALL_MOD_PATH="$3" INSTALL_MOD_STRIP=1 modules_install \
		>"$3/log" 2>&1 || {
		tail -n 5 "$3/log" >&2
		return 1
	}
	ln -sfn "$1" "$3/lib/modules/$2/build"
	object=$(ft_tree_f2fs "$1")
	[ "${object##*/}" = vmlinux ] || cp "$object" "$3/btf/"
	ft_tree_has_btf "$object" || ln -s "$(ft_tree_source "$1")" "$3/source"
	touch "$3/.complete"
}

# ft_kernel_tree(name) - set KREL and KROOT from a tree that holds a built kernel, TREE to that
# shellcheck disable=SC2034 # used by those who source this file
ft_kernel_tree() {
	TREE=$(cd "$1" && pwd)
	ft_tree_check "$1" "$TREE"
	ft_tree_stale "$1" "$TREE"
	KREL=$(cat "$TREE/include/config/kernel.release")
	KROOT=$(ft_cache)/kernels/tree-$(echo "$TREE" | cksum | cut -d ' ' -f 1)
	mkdir -p "$(ft_cache)/kernels"
	ft_locked kernel ft_tree_install "$TREE" "$KREL" "$KROOT" || ft_die "kernel '$1': it cannot be installed into the cache"
}

# ft_tree_full(name) - end the program if this is a tree whose kernel cannot see this machine's files
ft_tree_full() {
	local lacks

	[ -n "${TREE:-}" ] || return 0
	lacks=$(ft_tree_lacks "$TREE" 9P_FS NET_9P_VIRTIO)
	[ -z "$lacks" ] || ft_die "kernel '$1': the full guest needs ${lacks% }; selftests/machine/guest.sh does without"
}
