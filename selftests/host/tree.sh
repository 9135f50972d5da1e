#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# tree.sh - a kernel tree instead of headers: built by clang, with the module and its tests inside, given as KERNEL=
#
# Debian's source of kernel 6.12 is configured by `make LLVM=1 defconfig`, and prepared for modules; no kernel is built. The
# prepared tree, 240 MB, is kept in the cache.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

unset KERNEL KDIR KERNELRELEASE F2FS_KO F2FS_SRC VMLINUX_BTF MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES
dir=$(mktemp -d "$(ft_cache)/test.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# options() - print what the configuration has beside clang's default
options() {
	cat <<-'OPTIONS'
	CONFIG_DEBUG_FS=y
	CONFIG_F2FS_FS=m
	CONFIG_F2FS_FS_COMPRESSION=y
	CONFIG_FS_ENCRYPTION=y
	CONFIG_FS_VERITY=y
	CONFIG_FUNCTION_TRACER=y
	CONFIG_KPROBES=y
	CONFIG_VIRTIO_BLK=y
	CONFIG_VIRTIO_PCI=y
	CONFIG_FRAGTRACE=m
	OPTIONS
}

# unpack(version, folder) - download Debian's source of this series; leave out most of what no module of a file system needs
unpack() {
	local top

	mkdir -p "$2"
	(cd "$2" && apt-get -qq -o APT::Sandbox::User=root download "linux-source-$1") || return 1
	top=linux-source-$1
	dpkg-deb --fsys-tarfile "$2"/*.deb | tar -xO "./usr/src/$top.tar.xz" | xz -dc |
		tar -x -C "$2" --strip-components=1 --exclude="$top/drivers/*.[chS]" --exclude="$top/sound/*.[chS]" \
			--exclude="$top/net/*.[chS]" --exclude="$top/arch/[!x]*.[chS]" --exclude="$top/arch/[!x]*_defconfig" \
			--exclude="$top/arch/*.dts*" --exclude="$top/Documentation/*.[rtysj]*" --exclude="$top/tools/perf" \
			--exclude="$top/samples/*.c" --exclude="$top/tools/testing/selftests/[a-jl-z]*/*" || return 1
	rm "$2"/*.deb
}

# make_kernel(arguments...) - make in the tree, by clang, out of its sources
make_kernel() {
	make -s -C "$tree" O="$built" LLVM=1 KBUILD_MODPOST_WARN=1 -j "$(nproc)" "$@"
}

# prepare() - unpack, configure and prepare the tree, with the module in it, and build its f2fs.ko
prepare() {
	[ ! -f "$kept/.complete" ] || return 0
	ft_say "a tree of kernel 6.12, prepared for clang: some minutes, once"
	rm -rf "$kept"
	mkdir -p "$built"
	unpack 6.12 "$tree" && "$FT_TESTS/commands/in_tree.sh" "$tree" || return 1
	make_kernel defconfig && options >>"$built/.config" && make_kernel olddefconfig || return 1
	! options | grep -vxFf "$built/.config" || return 1
	make_kernel modules_prepare && make_kernel fs/f2fs/f2fs.ko && touch "$kept/.complete"
}

# quiet(name, command...) - the command must succeed without a warning, except for the one about missing symbols
quiet() {
	local name

	name=$1
	shift
	if ! "$@" >"$dir/said" 2>&1; then
		not_ok "$name" "it does not build"
		tail -n 5 "$dir/said" | sed 's/^/# /'
	elif grep -iE '(warning|error)' "$dir/said" | grep -v -e 'WARNING: modpost: .*undefined!' -e 'WARNING: Module.symvers is missing' \
		-e 'unresolved symbol' -e 'KBUILD_MODPOST_WARN' >"$dir/warnings"; then
		not_ok "$name" "it warns"
		head -n 5 "$dir/warnings" | sed 's/^/# /'
	else
		ok "$name"
	fi
}

# build() - build as a user does, without the copy of the module at the top
build() {
	MAKEFLAGS="LLVM=1 W=1 FT_SELFTEST=1 KBUILD_MODPOST_WARN=1" KDIR=$built F2FS_SRC=$tree F2FS_KO=$built/fs/f2fs/f2fs.ko \
		"$FT_TESTS/machine/build.sh" running >"$dir/module"
}

# by_clang(object) - was it compiled by clang?
by_clang() {
	readelf -p .comment "$1" | grep -q clang
}

# hooks() - print how often the tree names the module
hooks() {
	cat "$tree/fs/Kconfig" "$tree/fs/Makefile" | grep -c fragtrace
}

# run_tests() - run what kselftest runs, as a user other than root
run_tests() {
	mkdir -p "$dir/bin"
	printf '#!/bin/sh\necho 65534\n' >"$dir/bin/id"
	chmod +x "$dir/bin/id"
	PATH="$dir/bin:$PATH" make -s -C "$tree/tools/testing/selftests" TARGETS=fragtrace run_tests >"$dir/said" 2>&1
	tail -n 1 "$dir/said" | sed 's/^/# /'
}

# refused_kernel(name, words, folder) - no guest must boot with such a kernel, and the words must say why
refused_kernel() {
	if FRAGTRACE_CACHE=$dir/cache "$FT_TESTS/machine/setup.sh" kernel "$3" >"$dir/said" 2>&1; then
		not_ok "$1" "it is taken"
	elif grep -qF -- "$2" "$dir/said"; then
		ok "$1"
	else
		not_ok "$1" "the message does not have '$2': $(cat "$dir/said")"
	fi
}

plan 17
for tool in clang ld.lld llvm-ar; do
	command -v $tool >/dev/null || skip_rest "a tree prepared by clang" "$tool is not installed"
done
command -v apt-get >/dev/null || skip_rest "a tree prepared by clang" "apt-get is not installed"
ft_packages build debug
kept=$(ft_cache)/tree-6.12
tree=$kept/source built=$kept/build
ft_locked tree prepare >"$dir/said" 2>&1 || {
	tail -n 5 "$dir/said" | sed 's/^/# /'
	bail "no tree"
}
check "make in-tree" make -s -C "$FT_TOP" in-tree TREE="$tree"
check "a second make in-tree" make -s -C "$FT_TOP" in-tree TREE="$tree"
expect "the tree names the module once in each file" "$(hooks)" 2
refuse "make in-tree refuses a folder that is no kernel tree" make -s -C "$FT_TOP" in-tree TREE="$dir"
quiet "out of the tree, LLVM=1 W=1: no warning" build
check "clang has built the module" by_clang "$(cat "$dir/module")"
quiet "in the tree, LLVM=1 W=1: no warning" make_kernel W=1 fs/fragtrace/
check "in the tree no build ID is compared: F2FS is built with it" grep -qx '#define FT_F2FS_BUILD_ID ""' "$built/fs/fragtrace/f2fs/f2fs_private.h"
check "clang has built the module in the tree" by_clang "$built/fs/fragtrace/main.o"
check "kselftest builds the programs" make -s -C "$tree/tools/testing/selftests" TARGETS=fragtrace
run_tests
expect "kselftest runs the tests, and each skipped test has a reason" "$(grep -c '^ok .* selftests: fragtrace: [0-9].*# SKIP' "$dir/said")" \
	"$(find "$tree/tools/testing/selftests/fragtrace" -name '[0-9][0-9]_*.sh' | wc -l)"
# KERNEL= with a tree that cannot be booted
refused_kernel "KERNEL=: a tree that is configured, but not built" "this tree is not built: no arch/x86/boot/bzImage" "$built"
mkdir "$dir/tree"
touch "$dir/tree/Makefile"
refused_kernel "KERNEL=: a folder that is no tree" "no kernel tree: no .config" "$dir/tree"
touch "$dir/tree/Kconfig"
refused_kernel "KERNEL=: a tree that is not configured" "not configured: no .config; name the folder of its O=" "$dir/tree"
sed 's/^CONFIG_F2FS_FS=m/# CONFIG_F2FS_FS is not set/' "$built/.config" >"$dir/tree/.config"
refused_kernel "KERNEL=: a tree without F2FS" "configured without CONFIG_F2FS_FS" "$dir/tree"
cp "$built/.config" "$dir/tree/.config"
mkdir -p "$dir/tree/arch/x86/boot" "$dir/tree/include/config"
touch "$dir/tree/arch/x86/boot/bzImage"
echo 6.12.0 >"$dir/tree/include/config/kernel.release"
refused_kernel "KERNEL=: a tree whose modules are not built" "run make modules there" "$dir/tree"
mkdir -p "$dir/tree/fs/f2fs"
touch "$dir/tree/modules.order" "$dir/tree/fs/f2fs/f2fs.h" "$dir/tree/include/config/auto.conf"
touch -d yesterday "$dir/tree/fs/f2fs/f2fs.ko"
refused_kernel "KERNEL=: a tree whose F2FS has changed since it was built" "fs/f2fs/f2fs.h has changed since it was built; run make bzImage modules" "$dir/tree"
finish
