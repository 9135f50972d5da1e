#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# setup.sh - get everything that building and booting needs, and say where it is.
#
# As a command:
#   setup.sh packages GROUP...     install the missing Debian packages of build, guest, full, test or demo
#   setup.sh kernel VERSION        unpack a Debian kernel (6.12, 6.1) into the cache; print its paths
#   setup.sh source VERSION        unpack what the tests use of that kernel's source; print the folder
#   setup.sh accel VERSION         print kvm or tcg: what boots that kernel on this machine
#   setup.sh vng                   install virtme-ng into the cache; print the path of its command
#   setup.sh cache                 print the cache folder
#
# Sourced, it only defines the functions below. VERSION may also be a folder that holds an unpacked
# kernel (boot/vmlinuz-*, lib/modules/*), for example one with debugging options.
#
# The cache is $FRAGTRACE_CACHE, or fragtrace/ in the user's cache folder. It may be deleted at any
# time. Nothing here touches the host's own kernel, boot menu or /lib/modules.

set -eu

FT_VNG_VERSION=1.42

# What a kernel in trouble says.
FT_TROUBLE='WARNING:|BUG:|Oops|KASAN|KCSAN|UBSAN|KFENCE: |Kernel panic|kernel BUG|general protection fault'
FT_TROUBLE="$FT_TROUBLE|[Uu]nable to handle|Call Trace:|INFO: (task|rcu|trying)|soft lockup|hard LOCKUP"
FT_TROUBLE="$FT_TROUBLE|possible (circular|recursive) locking|inconsistent lock state|suspicious RCU|sleeping function"
FT_TROUBLE="$FT_TROUBLE|refcount_t:|list_(add|del) corruption|memory leak|scheduling while atomic|Still has locks"
FT_TROUBLE="$FT_TROUBLE|F2FS-fs.*([Ii]nconsisten|corrupt|should run fsck)"

# ft_say(text...) - one line of progress, on standard error
ft_say() {
	echo "fragtrace: $*" >&2
}

# ft_die(text...) - say what went wrong and leave with status 1
ft_die() {
	echo "fragtrace: error: $*" >&2
	exit 1
}

# ft_cache() - print the cache folder; create it when it is missing
ft_cache() {
	local dir

	dir=${FRAGTRACE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/fragtrace}
	case $dir in
	*[\ :\'\"]*) ft_die "cache folder '$dir': kernel builds cannot handle spaces, colons or quotes;" \
		"set FRAGTRACE_CACHE to another folder" ;;
	/*) ;;
	*) dir=$PWD/$dir ;;
	esac
	mkdir -p "$dir" || ft_die "cache folder '$dir': cannot create it; set FRAGTRACE_CACHE to a folder you may write to"
	echo "$dir"
}

# ft_locked(name, command...) - run a command while no other process holds the cache's lock of that name
ft_locked() {
	local cache lock

	cache=$(ft_cache)
	lock=$cache/.lock-$1
	shift
	(
		flock 9
		"$@" 9>&-
	) 9>"$lock"
}

# ft_usage() - print the comment at the top and leave
ft_usage() {
	sed -n '/^# usage:/,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

# ft_quote(words...) - print them so that a shell reads the same words
ft_quote() {
	local word

	for word; do
		printf "'"
		printf '%s' "$word" | sed "s/'/'\\\\''/g"
		printf "' "
	done
	echo
}

# === Debian packages ===

# ft_group(name) - print the packages of a group
ft_group() {
	case $1 in
	build) echo "make gcc gcc-12 libc6-dev pahole kmod xz-utils binutils" ;;
	guest) echo "qemu-system-x86 busybox-static cpio f2fs-tools e2fsprogs kmod xz-utils util-linux" ;;
	full) echo "qemu-system-x86 busybox-static f2fs-tools e2fsprogs kmod python3 python3-venv udev procps iproute2 file util-linux" ;;
	viewer) echo "make gcc libc6-dev libpng-dev" ;;
	test) echo "shellcheck sparse perl" ;;
	demo) echo "rocksdb-tools" ;;
	*) ft_die "setup.sh: unknown package group '$1'; expected build, guest, full, viewer, test or demo" ;;
	esac
}

# ft_missing(package...) - print those that are not installed
ft_missing() {
	local p

	for p in $(printf '%s\n' "$@" | sort -u); do
		case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) in
		installed) ;;
		*) printf '%s ' "$p" ;;
		esac
	done
}

# ft_apt_update() - refresh the package lists, at most once per process
ft_apt_update() {
	[ -z "${FT_APT_UPDATED:-}" ] || return 0
	FT_APT_UPDATED=yes
	ft_say "refreshing the package lists (apt-get update)"
	apt-get -qq -o DPkg::Lock::Timeout=300 update >&2 || ft_say "apt-get update failed; going on with the lists at hand"
}

# ft_apt_install(package...) - install quietly, without recommended packages
ft_apt_install() {
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
		-o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install "$@" >"$(ft_cache)/apt.log" 2>&1
}

# ft_packages(group...) - make sure that the packages of these groups are installed
ft_packages() {
	local all group missing

	command -v dpkg-query >/dev/null || {
		ft_say "not a Debian system: not checking for packages ($*)"
		return 0
	}
	all=
	for group; do
		all="$all $(ft_group "$group")"
	done
	# shellcheck disable=SC2086 # a list of names
	missing=$(ft_missing $all)
	[ -n "$missing" ] || return 0
	[ "$(id -u)" = 0 ] || ft_die "missing packages; as root, run: apt-get install $missing"
	ft_say "installing $missing"
	# shellcheck disable=SC2086
	ft_apt_install $missing && return 0
	ft_apt_update
	# shellcheck disable=SC2086
	ft_apt_install $missing && return 0
	tail -n 5 "$(ft_cache)/apt.log" >&2
	ft_die "cannot install $missing; see $(ft_cache)/apt.log"
}

# === Kernels ===

# ft_resolve(version) - print the newest Debian kernel release of a series, as 6.12.117+deb12-amd64
#
# Asking apt takes a second: its answer is kept until the package lists change.
ft_resolve() {
	local kept

	kept=$(ft_cache)/release-$1
	if [ ! -s "$kept" ] || [ -n "$(find /var/lib/apt/lists -maxdepth 1 -newer "$kept" 2>/dev/null | head -n 1)" ]; then
		ft_ask_apt "$1" >"$kept" || :
	fi
	grep . "$kept"
}

# ft_ask_apt(version) - the same, without memory
ft_ask_apt() {
	local meta rel

	command -v apt-cache >/dev/null || return 1
	for meta in "linux-image-$1-amd64" linux-image-amd64; do
		rel=$(apt-cache depends "$meta" 2>/dev/null |
			sed -n 's/^ *Depends: linux-image-\([0-9].*\)$/\1/p' | head -n 1)
		case $rel in
		"$1".*)
			echo "$rel"
			return 0
			;;
		esac
	done
	# The meta packages moved on: take the highest version that is still on offer.
	rel=$(apt-cache pkgnames "linux-image-$1." 2>/dev/null | sed -n 's/^linux-image-\([0-9.]*\(-[0-9]*\|+deb[0-9]*\)-amd64\)$/\1/p' |
		sort -V | tail -n 1)
	echo "$rel"
}

# ft_cached_kernel(version) - print the newest unpacked release of a series
ft_cached_kernel() {
	local cache

	cache=$(ft_cache)
	[ -d "$cache/kernels" ] || return 1
	(
		cd "$cache/kernels"
		for rel in "$1".*; do
			[ -f "$rel/.complete" ] && echo "$rel"
		done
	) | sort -V | tail -n 1 | grep .
}

# ft_deb_names(release) - print the packages that make up kernel image and headers of a release
ft_deb_names() {
	echo "linux-image-$1"
	echo "linux-headers-$1"
	apt-cache depends "linux-headers-$1" |
		sed -n 's/^[ |]*Depends: \(linux-headers-.*-common\|linux-kbuild-.*\)$/\1/p'
}

# ft_btf_vmlinux(vmlinuz, out) - unpack a kernel's BTF into an ELF file that pahole reads as base
#
# The boot protocol says where the compressed kernel lies: its offset from the end of the set-up
# sectors at 0x248, its length at 0x24c, the number of set-up sectors at 0x1f1.
ft_btf_vmlinux() {
	local sectors offset length unpack

	sectors=$(od -An -tu1 -j 497 -N 1 "$1" | tr -d ' ')
	offset=$(od -An -tu4 -j 584 -N 4 "$1" | tr -d ' ')
	length=$(od -An -tu4 -j 588 -N 4 "$1" | tr -d ' ')
	offset=$(((sectors + 1) * 512 + offset))
	case $(od -An -tx1 -j "$offset" -N 4 "$1" | tr -d ' ') in
	fd377a58) unpack='xz -dc --single-stream' ;;
	28b52ffd) unpack='zstd -dcq' ;;
	1f8b*) unpack='gzip -dc' ;;
	*) ft_die "$1: compressed in a way this script does not know; put a vmlinux with BTF at $2" ;;
	esac
	# The last four bytes are the unpacked size, no part of the stream: some tools complain of them.
	tail -c "+$((offset + 1))" "$1" | head -c "$length" | $unpack >"$2.full" 2>/dev/null || :
	objcopy --only-section=.BTF "$2.full" "$2" 2>/dev/null || ft_die "$1: could not unpack the kernel's type information"
	rm -f "$2.full"
}

# ft_unpack_kernel(release) - download and unpack image and headers into the cache
ft_unpack_kernel() {
	local final tmp names deb kdir mods f2fs

	final=$(ft_cache)/kernels/$1
	[ ! -f "$final/.complete" ] || return 0
	tmp=$(ft_cache)/kernels/.new-$1.$$
	rm -rf "$final" "$tmp"
	mkdir -p "$tmp/debs"
	names=$(ft_deb_names "$1")
	ft_say "downloading kernel $1"
	# shellcheck disable=SC2086
	(cd "$tmp/debs" && apt-get -qq -o APT::Sandbox::User=root download $names >&2) || {
		rm -rf "$tmp"
		return 1
	}
	ft_say "unpacking kernel $1"
	for deb in "$tmp"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$tmp" --exclude='./usr/share' || {
			rm -rf "$tmp"
			return 1
		}
	done
	rm -rf "$tmp/debs"

	# Debian's headers name each other by absolute path in two places; make both point into this copy.
	kdir=usr/src/linux-headers-$1
	mods=lib/modules/$1
	sed -i "s|/usr/src/|$final/usr/src/|" "$tmp/$kdir/Makefile"
	ln -sfn "../../../$kdir" "$tmp/$mods/build"
	ln -sfn "../../../usr/src/linux-headers-${1%-amd64}-common" "$tmp/$mods/source"
	depmod -b "$tmp" "$1"

	mkdir "$tmp/btf"
	f2fs=$(find "$tmp/$mods" -name 'f2fs.ko*' | head -n 1)
	case $f2fs in
	*.ko) cp "$f2fs" "$tmp/btf/f2fs.ko" ;;
	*.xz) xz -dc "$f2fs" >"$tmp/btf/f2fs.ko" ;;
	*.zst) zstd -dcq "$f2fs" >"$tmp/btf/f2fs.ko" ;;
	*) ft_die "kernel $1 has no F2FS module" ;;
	esac
	[ -f "$tmp/$kdir/vmlinux" ] || ft_btf_vmlinux "$tmp/boot/vmlinuz-$1" "$tmp/btf/vmlinux"
	touch "$tmp/.complete"
	mv "$tmp" "$final"
}

# ft_kernel(version) - make sure a kernel is there; set KREL KROOT KDIR F2FS_KO VMLINUX_BTF VMLINUZ
ft_kernel() {
	case $1 in
	*/*) ft_kernel_folder "$1" ;;
	*) ft_kernel_debian "$1" ;;
	esac
	VMLINUZ=$KROOT/boot/vmlinuz-$KREL
	KDIR=$KROOT/lib/modules/$KREL/build
	# shellcheck disable=SC2034 # used by those who source this file
	F2FS_KO=$KROOT/btf/f2fs.ko
	VMLINUX_BTF=$KROOT/btf/vmlinux
	[ -f "$VMLINUX_BTF" ] || VMLINUX_BTF=$KDIR/vmlinux
}

# ft_kernel_folder(folder) - set KREL and KROOT from a folder that holds exactly one unpacked kernel
ft_kernel_folder() {
	local image

	KROOT=$(cd "$1" 2>/dev/null && pwd) || ft_die "kernel '$1': no such folder; expected 6.12, 6.1 or a folder with boot/vmlinuz-*"
	for image in "$KROOT"/boot/vmlinuz-*; do
		[ -f "$image" ] || ft_die "kernel '$1': no boot/vmlinuz-* in it; expected 6.12, 6.1 or a folder with an unpacked kernel"
		KREL=${image##*/vmlinuz-}
	done
	[ -f "$KROOT/lib/modules/$KREL/modules.dep" ] || depmod -b "$KROOT" "$KREL"
}

# ft_kernel_debian(version) - set KREL and KROOT from Debian's newest kernel of a series, or the newest cached one
ft_kernel_debian() {
	local cached rel

	case $1 in
	[0-9]*.[0-9]*) ;;
	*) ft_die "kernel '$1': expected 6.12, 6.1 or a folder with an unpacked kernel (write ./folder)" ;;
	esac
	cached=$(ft_cached_kernel "$1") || cached=
	rel=$(ft_resolve "$1") || rel=
	if [ -z "$rel" ] && [ -z "$cached" ]; then
		ft_apt_update
		rel=$(ft_resolve "$1") || ft_die "kernel $1: this system's package sources offer none;" \
			"Debian 12 has 6.1 in 'main' and 6.12 in 'bookworm-security'"
	fi
	if [ -n "$rel" ] && [ ! -f "$(ft_cache)/kernels/$rel/.complete" ]; then
		ft_packages build
		mkdir -p "$(ft_cache)/kernels"
		ft_locked kernel ft_unpack_kernel "$rel" || {
			# Lists that are too old name packages that are gone: refresh them and try once more.
			ft_apt_update
			rel=$(ft_resolve "$1") || rel=
			[ -n "$rel" ] && ft_locked kernel ft_unpack_kernel "$rel"
		} || {
			[ -n "$cached" ] || ft_die "kernel $1: cannot download ${rel:-it}; is the network there?"
			ft_say "kernel $1: cannot download ${rel:-a newer one}; using $cached"
			rel=$cached
		}
	fi
	KREL=${rel:-$cached}
	KROOT=$(ft_cache)/kernels/$KREL
}

# === Kernel source ===

# ft_unpack_source(version, folder) - download a kernel's source; keep its style checker and F2FS's own header
ft_unpack_source() {
	local tmp

	[ ! -f "$2/.complete" ] || return 0
	tmp=$2.new.$$
	rm -rf "$2" "$tmp"
	mkdir -p "$tmp"
	ft_say "downloading the source of kernel $1 (150 MB, for its checkpatch.pl and f2fs.h)"
	if (cd "$tmp" && apt-get -qq -o APT::Sandbox::User=root download "linux-source-$1" >&2) &&
		dpkg-deb --fsys-tarfile "$tmp"/*.deb | tar -xO "./usr/src/linux-source-$1.tar.xz" | xz -dc |
		tar -x -C "$tmp" --strip-components=1 "linux-source-$1/scripts/checkpatch.pl" \
			"linux-source-$1/scripts/spelling.txt" "linux-source-$1/scripts/const_structs.checkpatch" \
			"linux-source-$1/fs/f2fs/f2fs.h"; then
		rm -f "$tmp"/*.deb
		touch "$tmp/.complete"
		mv "$tmp" "$2"
	else
		rm -rf "$tmp"
		return 1
	fi
}

# ft_source(version) - print the folder with what is kept of the source of a Debian kernel series
ft_source() {
	local dir

	ft_kernel "$1"
	dir=$(ft_cache)/source-$KREL
	ft_locked source ft_unpack_source "$1" "$dir" || ft_die "the source of kernel $1 cannot be had; is the network there?"
	echo "$dir"
}

# === virtme-ng ===

# ft_vng_install(folder) - create a Python environment with virtme-ng in it
ft_vng_install() {
	local python tmp

	[ ! -x "$1/bin/vng" ] || return 0
	ft_say "installing virtme-ng $FT_VNG_VERSION into the cache"
	tmp=$1.log
	for python in /usr/bin/python3 python3; do
		rm -rf "$1"
		"$python" -m venv "$1" >"$tmp" 2>&1 || continue
		if "$1/bin/python" -m pip -q --disable-pip-version-check install "virtme-ng==$FT_VNG_VERSION" >>"$tmp" 2>&1; then
			[ -x "$1/bin/vng" ] && return 0
		fi
	done
	rm -rf "$1"
	tail -n 5 "$tmp" >&2
	ft_die "cannot install virtme-ng $FT_VNG_VERSION with pip; see $tmp. Is the network there?"
}

# ft_vng() - make sure virtme-ng is there; set VNG to its command
ft_vng() {
	local dir

	dir=$(ft_cache)/virtme-ng-$FT_VNG_VERSION
	[ -x "$dir/bin/vng" ] || {
		ft_packages full
		ft_locked vng ft_vng_install "$dir"
	}
	VNG=$dir/bin/vng
}

# === KVM or emulation ===

# ft_probe_kvm(vmlinuz) - does an ordinary kernel come up with KVM within ten seconds?
ft_probe_kvm() {
	local dir rc

	[ -w /dev/kvm ] || return 1
	dir=$(mktemp -d "$(ft_cache)/probe.XXXXXX")
	mkdir "$dir/root"
	# The probe needs no module: its init says one word and powers off.
	cp "$(command -v busybox)" "$dir/root/busybox"
	cat >"$dir/root/init" <<-'INIT'
	#!/busybox sh
	echo FT-KVM-WORKS
	/busybox poweroff -f
	INIT
	chmod +x "$dir/root/init"
	mkdir "$dir/root/dev" "$dir/root/proc"
	(cd "$dir/root" && find . | cpio --quiet -o -H newc) >"$dir/initrd"
	rc=1
	timeout -k 1 10 setpriv --pdeathsig KILL qemu-system-x86_64 -accel kvm -cpu host -M q35 -m 512M -smp 2 \
		-display none -nodefaults -no-reboot -serial "file:$dir/console" -kernel "$1" -initrd "$dir/initrd" \
		-append "console=ttyS0 quiet panic=-1" </dev/null >"$dir/log" 2>&1 || :
	grep -q FT-KVM-WORKS "$dir/console" 2>/dev/null && rc=0
	rm -rf "$dir"
	return $rc
}

# ft_accel(vmlinuz) - print kvm or tcg; the verdict is found once per boot of this host
ft_accel() {
	local verdict boot

	case ${FRAGTRACE_ACCEL:-auto} in
	kvm | tcg)
		echo "$FRAGTRACE_ACCEL"
		return 0
		;;
	auto) ;;
	*) ft_die "FRAGTRACE_ACCEL='$FRAGTRACE_ACCEL': expected kvm, tcg or auto" ;;
	esac
	read -r boot </proc/sys/kernel/random/boot_id || boot=unknown
	verdict=$(ft_cache)/accel-${1##*/vmlinuz-}-$boot
	if [ ! -s "$verdict" ]; then
		rm -f "$(ft_cache)/accel-${1##*/vmlinuz-}-"*
		if [ ! -e /dev/kvm ]; then
			echo tcg >"$verdict"
		elif ft_probe_kvm "$1"; then
			ft_say "KVM boots an ordinary kernel here: using it"
			echo kvm >"$verdict"
		else
			ft_say "/dev/kvm is there but does not boot an ordinary kernel: using emulation"
			echo tcg >"$verdict"
		fi
	fi
	cat "$verdict"
}

# === What a guest leaves behind ===

# ft_die_with_parent(arguments...) - start this script again so that it is told when its parent dies
#
# Whoever started a guest and was killed cannot end it any more: the guest's script gets TERM then.
ft_die_with_parent() {
	if [ -z "${FT_PARENT_KNOWN:-}" ]; then
		FT_PARENT_KNOWN=yes exec setpriv --pdeathsig TERM "$0" "$@"
	fi
	unset FT_PARENT_KNOWN
}

# ft_new_run() - make a folder for one run of a guest and set RUN; remove those of runs that were killed
ft_new_run() {
	local dir pid

	for dir in "$(ft_cache)"/run.*.*; do
		pid=${dir##*/run.}
		pid=${pid%%.*}
		[ ! -d "$dir" ] || [ -d "/proc/$pid" ] || rm -rf "$dir"
	done
	RUN=$(mktemp -d "$(ft_cache)/run.$$.XXXXXX")
}

# ft_end_run() - remove the folder of this run; safe to call twice
ft_end_run() {
	[ -z "$RUN" ] || rm -rf "$RUN"
	RUN=
}

# ft_kernel_well(log) - true when a guest's kernel log holds no warning; otherwise print what it says
ft_kernel_well() {
	# The full guest's first program writes into the kernel's log, too, and warns of what the host lacks.
	grep -av 'virtme-ng-init:' "$1" | grep -aqE "$FT_TROUBLE" || return 0
	ft_say "the guest's kernel $KREL reports trouble:"
	tr -d '\r' <"$1" | grep -av 'virtme-ng-init:' | grep -aE -A 30 "$FT_TROUBLE" | head -n 80 >&2
	return 1
}

# setup_main(arguments...) - the command described at the top
setup_main() {
	local what name

	what=${1:-}
	[ $# = 0 ] || shift
	case $what in
	packages) ft_packages "$@" ;;
	kernel)
		ft_kernel "${1:-6.12}"
		for name in KREL KROOT KDIR F2FS_KO VMLINUX_BTF VMLINUZ; do
			eval "echo \"$name='\$$name'\""
		done
		;;
	source)
		ft_packages build
		ft_source "${1:-6.12}"
		;;
	accel)
		ft_packages guest
		ft_kernel "${1:-6.12}"
		ft_accel "$VMLINUZ"
		;;
	vng)
		ft_packages full
		ft_vng
		echo "$VNG"
		;;
	cache) ft_cache ;;
	*)
		sed -n 's/^#   \(setup.sh .*\)/usage: \1/p' "$0" >&2
		exit 2
		;;
	esac
}

case ${0##*/} in
setup.sh) setup_main "$@" ;;
esac
