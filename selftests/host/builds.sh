#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# builds.sh - does the build report errors? BTF missing, a changed tracepoint, a private struct with another
# meaning, headers missing. Does uninstall remove all files? Does a module without observers pass tests?
#
# Works on a copy of the sources. With $F2FS_SRC (a source tree of kernel 6.12) a build with that is tested, too.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

dir=$(mktemp -d "$(ft_cache)/test.XXXXXX")
trap 'rm -rf "$dir" "$(ft_cache)/build/src-$(echo "$dir/src" | cksum | cut -d " " -f 1)"' EXIT
mkdir "$dir/src"
# with what viewer/ has built: to build it is no matter of this test
cp -a "$FT_TOP/Kbuild" "$FT_TOP/module" "$FT_TOP/Makefile" "$FT_TOP/viewer" "$FT_TOP/defrag" "$FT_TESTS" "$dir/src/"
find "$dir/src/module" -name '*.o' -exec rm {} +
tree=${F2FS_SRC:-}
ft_kernel 6.12

# build(variables...) - build the copy with these variables in the environment; store its messages
build() {
	env -u F2FS_SRC -u MAKEFLAGS -u MAKELEVEL KDIR="$KDIR" "$@" "$dir/src/selftests/machine/build.sh" running >"$dir/said" 2>&1
}

# refused(name, word, variables...) - such a build must fail with a message that has the word
refused() {
	local name word

	name=$1 word=$2
	shift 2
	if build "$@"; then
		not_ok "$name" "it builds"
	elif grep -qF -- "$word" "$dir/said"; then
		ok "$name"
	else
		not_ok "$name" "the message does not have '$word'"
		tail -n 5 "$dir/said" | sed 's/^/# /'
	fi
}

# in_tree() - print the files that a build has left among the sources
in_tree() {
	find "$dir/src" -newer "$dir/stamp" -type f
}

# make_it(target) - install the copy into a separate folder, or uninstall it from there
make_it() {
	env -u F2FS_SRC -u MAKEFLAGS -u MAKELEVEL make -C "$dir/src" "$1" KDIR="$KDIR" F2FS_KO="$F2FS_KO" \
		VMLINUX_BTF="$VMLINUX_BTF" DESTDIR="$dir/dest" PREFIX=/usr >"$dir/said" 2>&1 || {
		tail -n 5 "$dir/said" | sed 's/^/# /'
		return 1
	}
}

# plain(version) - make for an unpacked Debian kernel in the same way as a user, without an f2fs.ko
plain() {
	(
		ft_kernel "$1"
		env -u F2FS_SRC -u F2FS_KO -u VMLINUX_BTF -u MAKEFLAGS -u MAKELEVEL make -C "$dir/src" modules KDIR="$KDIR" >"$dir/said" 2>&1 &&
			modinfo -F vermagic "$dir/src/fragtrace.ko" | grep -q "^$KREL " && rm "$dir/src/fragtrace.ko"
	) || {
		tail -n 5 "$dir/said" | sed 's/^/# /'
		return 1
	}
}

# says(name, sentence, command...) - the command must fail with a message that has the sentence
says() {
	local name sentence

	name=$1 sentence=$2
	shift 2
	if "$@" >"$dir/said" 2>&1; then
		not_ok "$name" "it does not fail"
	elif grep -qF -- "$sentence" "$dir/said"; then
		ok "$name"
	else
		not_ok "$name" "it says: $(cat "$dir/said")"
	fi
}

# image(file, packer...) - make the image of a kernel for x86 out of this file: set-up sectors, what is packed, its unpacked size
image() {
	local file octal size

	file=$1
	shift
	"$@" <"$file" >"$dir/packed"
	size=$(($(wc -c <"$dir/packed") + 4))
	octal=$(printf '\\%03o' $((size & 255)) $((size >> 8 & 255)) $((size >> 16 & 255)) $((size >> 24)))
	{
		head -c 497 /dev/zero
		printf '\001'
		head -c 16 /dev/zero
		printf HdrS
		head -c 70 /dev/zero
		# shellcheck disable=SC2059 # four bytes
		printf "$octal"
		head -c 432 /dev/zero
		cat "$dir/packed"
		printf '\001\002\003\004'
	} >"$dir/vmlinuz"
}

# unpacks(packer...) - is the BTF in an image made by it that of the kernel?
unpacks() {
	image "$VMLINUX_BTF" "$@" && "$dir/src/module/f2fs/vmlinuz_btf.sh" "$dir/vmlinuz" "$dir/btf" &&
		objcopy --dump-section .BTF="$dir/there" "$dir/btf" /dev/null && objcopy --dump-section .BTF="$dir/here" "$VMLINUX_BTF" /dev/null &&
		cmp "$dir/here" "$dir/there"
}

# passes(module, test...) - run tests in a guest that has this module; all must end well
passes() {
	local module

	module=$1
	shift
	"$FT_TESTS/machine/guest.sh" -k 6.12 -m "$module" -d 2G -d 1G -t 900 -- /selftests/in_guest/run_tests.sh "$@" >"$dir/ran" 2>&1 &&
		[ "$(grep -c '^# end [^ ]* 0 ' "$dir/ran")" = $# ] || {
		grep -e '^not ok' -e '^# end' "$dir/ran" | sed 's/^/# /'
		return 1
	}
}

# installed() - print the installed files
installed() {
	(cd "$dir/dest" && find . ! -type d | sort)
}

# renamed(member, name) - make an f2fs.ko in whose BTF the member has another name of the same length
renamed() {
	LC_ALL=C sed "s/\([^a-z_]\)$1\([^a-z_]\)/\1$2\2/g" "$F2FS_KO" >"$dir/renamed.ko"
	! cmp -s "$F2FS_KO" "$dir/renamed.ko"
}

plan 39
touch "$dir/stamp"
if build "F2FS_KO=$F2FS_KO" "VMLINUX_BTF=$VMLINUX_BTF"; then
	ok "the module builds for the headers in KDIR"
else
	not_ok "the module builds for the headers in KDIR"
	tail -n 5 "$dir/said" | sed 's/^/# /'
fi
expect "the source tree stays clean" "$(in_tree)" ""
check "plain make finds an f2fs.ko.xz" plain 6.12
if (ft_kernel 6.1) >/dev/null 2>&1; then
	check "plain make finds an f2fs.ko that is not compressed, and the BTF in an image" plain 6.1
else
	skip "plain make finds an f2fs.ko that is not compressed, and the BTF in an image" "kernel 6.1 is not available"
fi
check "make install" make_it install
expect "make install has installed module, programs and manual pages" "$(installed | grep -c -e "/$KREL/updates/fragtrace.ko$" \
	-e '/usr/bin/fragtrace\(-view\|-plot\)\?$' -e '/man1/fragtrace\(-view\|-plot\)\?\.1$' \
	-e '/usr/sbin/fragtrace-defrag$' -e '/man8/fragtrace-defrag\.8$')" 9
check "make uninstall" make_it uninstall
expect "make uninstall leaves no file" "$(installed)" ""
objcopy --remove-section .BTF "$F2FS_KO" "$dir/nobtf.ko"
refused "an f2fs.ko without BTF: the remedy is named" F2FS_SRC= "F2FS_KO=$dir/nobtf.ko" "VMLINUX_BTF=$VMLINUX_BTF"
objcopy --remove-section .note.gnu.build-id "$F2FS_KO" "$dir/noid.ko"
refused "an f2fs.ko without build ID: the remedy is named" "(make in-tree TREE=FOLDER)" "F2FS_KO=$dir/noid.ko" "VMLINUX_BTF=$VMLINUX_BTF"
refused "an f2fs.ko that is not there: it is named" "$dir/missing.ko" "F2FS_KO=$dir/missing.ko" "VMLINUX_BTF=$VMLINUX_BTF"
generate=$dir/src/module/f2fs/gen_f2fs_private.sh
says "a kernel without F2FS: that is said" "this kernel has no F2FS (CONFIG_F2FS_FS is not set)" "$generate" ""
says "a kernel without its f2fs.ko: the package is named" "install linux-image-1.2" env FT_F2FS=m FT_RELEASE=1.2 "$generate" ""
says "a kernel with F2FS built in, without BTF: the package is named" "install linux-image-1.2" env FT_F2FS=y FT_RELEASE=1.2 "$generate" ""
says "a kernel without its BTF: the package is named" "install linux-image-1.2" env FT_RELEASE=1.2 "$generate" "$F2FS_KO" ""
for packer in "gzip -1" "xz -0 --check=crc32" "zstd -q -1" "lz4 -q -l -1"; do
	if command -v "${packer%% *}" >/dev/null; then
		# shellcheck disable=SC2086 # with options
		check "the BTF of a kernel that is packed by ${packer%% *}" unpacks $packer
	else
		skip "the BTF of a kernel that is packed by ${packer%% *}" "${packer%% *} is not installed"
	fi
done
image "$dir/nobtf.ko" gzip -1
says "an image without BTF: that is said" "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF is not set)" \
	"$dir/src/module/f2fs/vmlinuz_btf.sh" "$dir/vmlinuz" "$dir/btf"
image "$dir/nobtf.ko" cat
says "an image packed in another way: the remedy is named" "by VMLINUX_BTF=" "$dir/src/module/f2fs/vmlinuz_btf.sh" "$dir/vmlinuz" "$dir/btf"
refused "headers that are not there: they are named" "$dir/none" "KDIR=$dir/none"
refused "headers that are not there: the remedy is named" "install linux-headers-" "KDIR=$dir/none"
refused "headers that are not there: make viewer is named" "make viewer" "KDIR=$dir/none"
refused "a source tree that is not there: it is named" "F2FS_SRC=$dir/none" "F2FS_SRC=$dir/none" "F2FS_KO=$F2FS_KO"
# A renamed member is the same for the build as a new one.
renamed compr_blocks offset_count || bail "f2fs.ko has no struct f2fs_io_info"
refused "a write event that may mean something else: the member is named" offset_count "F2FS_KO=$dir/renamed.ko" \
	"VMLINUX_BTF=$VMLINUX_BTF"
expect "the message has the struct and the remedy in one sentence" \
	"$(grep -c 'struct f2fs_io_info .* offset_count, .*: build a newer fragtrace, or .*probes/map.c' "$dir/said")" 1
renamed m_multidev_dio m_several_runs || bail "f2fs.ko has no struct f2fs_map_blocks"
refused "an event of an allocation that may mean something else: the struct is named" "struct f2fs_map_blocks" "F2FS_KO=$dir/renamed.ko" "VMLINUX_BTF=$VMLINUX_BTF"
# A tracepoint with another argument than the probe's: its first pointer becomes a number.
sed -i 's/\(static void probe_truncate_blocks_enter(void \*[a-z_]*,\) *struct inode \*/\1 unsigned long /' "$dir/src/module/probes/map.c"
if cmp -s "$dir/src/module/probes/map.c" "$FT_TOP/module/probes/map.c"; then
	sed -i '0,/\(static void [a-z_]*(void \*[a-z_]*,\) *struct inode \*/s//\1 unsigned long /' "$dir/src/module/probes/map.c"
fi
if cmp -s "$dir/src/module/probes/map.c" "$FT_TOP/module/probes/map.c"; then
	not_ok "a probe of another prototype does not build" "no probe to change was found"
else
	refused "a probe of another prototype does not build" error "F2FS_KO=$F2FS_KO" "VMLINUX_BTF=$VMLINUX_BTF"
fi
cp "$FT_TOP/module/probes/map.c" "$dir/src/module/probes/map.c"
if [ -n "$tree" ]; then
	check "the module builds with F2FS_SRC, and without its observers" build "F2FS_SRC=$tree" "F2FS_KO=$F2FS_KO" KBUILD_EXTRA_WARN=1 \
		CONFIG_FRAGTRACE_CGROUPS=n CONFIG_FRAGTRACE_HEAT=n CONFIG_FRAGTRACE_FSYNC=n CONFIG_FRAGTRACE_LATENCY=n CONFIG_FRAGTRACE_LEDGER=n CONFIG_FRAGTRACE_GC_RUNS=n CONFIG_FRAGTRACE_DISCARDS=n
	expect "there is no warning then, with W=1" "$(grep 'module/.*:[0-9]*:.*warning: ' "$dir/said")" ""
	expect "it has no parameters of theirs then" "$(modinfo -p "$(tail -n 1 "$dir/said")" | grep -E '^(path|heat|cgroups|fsync|latency|ledger|gc_runs|discards):')" \
		"path:directories to watch, separated by commas (default: none)"
	check "maps, causes and collections are right then" passes "$(tail -n 1 "$dir/said")" 20_write.sh 75_causes.sh 77_gc.sh
	mkdir -p "$dir/tree/fs/f2fs"
	cp "$tree/fs/f2fs/segment.h" "$dir/tree/fs/f2fs/"
	sed '/^struct f2fs_io_info {/a \	/* in one folio */ unsigned int idx, cnt;' "$tree/fs/f2fs/f2fs.h" >"$dir/tree/fs/f2fs/f2fs.h"
	refused "F2FS_SRC with another member in f2fs_io_info: the member is named" "idx" "F2FS_SRC=$dir/tree" "F2FS_KO=$F2FS_KO"
	sed '/^struct f2fs_map_blocks {/a \	unsigned int m_nr;' "$tree/fs/f2fs/f2fs.h" >"$dir/tree/fs/f2fs/f2fs.h"
	refused "F2FS_SRC with another member in f2fs_map_blocks: the member is named" "m_nr" "F2FS_SRC=$dir/tree" "F2FS_KO=$F2FS_KO"
else
	for n in "the module builds with F2FS_SRC, and without its observers" "there is no warning then, with W=1" "it has no parameters of theirs then" \
		"maps, causes and collections are right then" "F2FS_SRC with another member in f2fs_io_info: the member is named" "F2FS_SRC with another member in f2fs_map_blocks: the member is named"; do
		skip "$n" "F2FS_SRC is not set to a source tree of kernel 6.12"
	done
fi
# released(number) - make the tarball of the last commit
released() {
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$FT_TOP" dist OUT="$dir/dist$1" >"$dir/said" 2>&1 || {
		sed 's/^/# /' "$dir/said"
		return 1
	}
}

# complete() - does the tarball have all files, and is the checksum correct?
complete() {
	(cd "$dir/dist1" && sha256sum -c --quiet ./*.sha256 && tar -tf ./*.tar.gz | grep -v '/$' | cut -d / -f 2- | sort) >"$dir/packed" &&
		git -C "$FT_TOP" ls-tree -r --name-only HEAD | sort | cmp - "$dir/packed"
}

# signed(commands...) - run a command with a key that is made for it, in a clone of its own
signed() {
	local rc

	rc=0
	GNUPGHOME=$(mktemp -d)
	export GNUPGHOME GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@fragtrace.invalid
	"$@" >"$dir/said" 2>&1 || rc=$?
	gpgconf --kill all
	rm -rf "$GNUPGHOME"
	unset GNUPGHOME GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
	[ $rc = 0 ] || sed 's/^/# /' "$dir/said"
	return $rc
}

# sign_twice() - sign a release, check both signatures; a tarball with another byte must be refused, and another commit, too
sign_twice() {
	gpg --batch --quiet --passphrase '' --quick-generate-key 'test <test@fragtrace.invalid>' ed25519 sign never &&
		git clone -q "$FT_TOP" "$dir/clone" || return 1
	set -- env -u MAKEFLAGS -u MAKELEVEL make -s -C "$dir/clone" dist SIGN=test@fragtrace.invalid OUT="$dir/signed"
	"$@" && "$@" && git -C "$dir/clone" verify-tag "$(git -C "$dir/clone" tag)" &&
		gpg --batch --verify "$dir"/signed/*.asc "$dir"/signed/*.gz || return 1
	cp "$dir"/signed/*.gz "$dir/changed"
	echo >>"$dir/changed"
	! gpg --batch --verify "$dir"/signed/*.asc "$dir/changed" || return 1
	git -C "$dir/clone" -c user.name=test -c user.email=test@fragtrace.invalid commit -q --allow-empty -m more
	! "$@"
}

if git -C "$FT_TOP" rev-parse -q --verify HEAD >/dev/null 2>&1; then
	check "make dist" released 1
	check "the tarball has all files, and a checksum" complete
	(umask 077 && released 2)
	check "a second make dist with another umask makes the same tarball" cmp "$(echo "$dir"/dist1/*.gz)" "$(echo "$dir"/dist2/*.gz)"
	if command -v gpg >/dev/null; then
		check "SIGN=: tarball and tag have good signatures, once for a version" signed sign_twice
	else
		skip "SIGN=: tarball and tag have good signatures, once for a version" "gpg is not installed"
	fi
else
	for n in "make dist" "the tarball has all files, and a checksum" "a second make dist with another umask makes the same tarball" \
		"SIGN=: tarball and tag have good signatures, once for a version"; do
		skip "$n" "this is no checkout of git"
	done
fi
finish
