#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# setup.sh - install or unpack everything for building and booting, and print its paths.
#
# As a command:
#   setup.sh packages GROUP...     install the missing Debian packages of build, guest, full, viewer, test, demo,
#                                  bench, judge, large, soak, reports, papers, deb, bare, coverage, check, debug, clang, xfstests, fuzz or page
#   setup.sh kernel VERSION        unpack a Debian kernel (6.12, 6.1, 7; with PREEMPT_RT: 6.12-rt, 6.1-rt, 7-rt;
#                                  for arm64: 6.12-arm64, 7-arm64, with pages of 16 KiB: 6.12-arm64-16k) into the
#                                  cache, or build one with checks (kasan, kcsan, with PREEMPT_RT: rt-debug, by clang:
#                                  cfi, cfi-arm64) there; print its paths
#   setup.sh source VERSION        unpack what the tests use of that kernel's source; print the folder
#   setup.sh accel VERSION         print kvm or tcg: what boots that kernel on this machine
#   setup.sh qemu                  print the command of the QEMU that emulates guests; unpack a newer one than the
#                                  host's if need be
#   setup.sh vng                   install virtme-ng into the cache; print the path of its command
#   setup.sh prometheus            unpack Prometheus into the cache; print the folder of its programs
#   setup.sh libraries             unpack the sources of the libraries of the reader of pages; print the folder
#   setup.sh cache                 print the cache folder
#
# Sourced, it only defines the functions below. VERSION may also be a folder that holds an unpacked
# kernel (boot/vmlinuz-*, lib/modules/*), or a kernel tree in which one was built.
#
# The cache is $FRAGTRACE_CACHE, or fragtrace/ in the user's cache folder. It may be deleted at any
# time. Nothing here touches the host's own kernel, boot menu or /lib/modules.

set -eu

FT_TESTS=${FT_TESTS:-$(cd "$(dirname "$0")/.." && pwd)}
FT_TOP=${FT_TESTS%/*}
FT_VNG_VERSION=1.42
# Valid names of kernels.
FT_KERNELS="6.12, 6.1, 7, 6.12-rt, 6.1-rt, 7-rt, 6.12-arm64, 7-arm64, 6.12-arm64-16k, 7-arm64-16k, kasan, kcsan, rt-debug, cfi, cfi-arm64"
# The default kernels of the tests.
# shellcheck disable=SC2034 # run.sh, fuzz.sh
FT_TESTED="6.12 6.1 7"
# The kernels that all tests together build the module for, too, and do not boot.
# shellcheck disable=SC2034 # run.sh
FT_BUILT="6.12-rt"

# ft_say(text...) - print a line of progress to standard error
ft_say() {
	echo "fragtrace: $*" >&2
}

# ft_die(text...) - print an error and exit with status 1
ft_die() {
	echo "fragtrace: error: $*" >&2
	exit 1
}

# ft_cache() - print the cache folder; create it if it is missing
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
		# A shell would run a last command in its own place, and end the lock.
		exit
	) 9>"$lock"
}

# ft_usage() - print the comment at the top and exit
ft_usage() {
	sed -n '/^# usage:/,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

# ft_quote(words...) - print the words quoted for a shell
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
	build) echo "make gcc gcc-12 libc6-dev pahole kmod xz-utils zstd binutils" ;;
	guest) echo "qemu-system-x86 busybox-static cpio f2fs-tools e2fsprogs kmod xz-utils zstd util-linux dmsetup" ;;
	full) echo "qemu-system-x86 busybox-static f2fs-tools e2fsprogs kmod python3 python3-venv udev procps iproute2 file util-linux" ;;
	viewer) echo "make gcc libc6-dev pkg-config libcairo2-dev libpango1.0-dev libpng-dev zlib1g-dev libzstd-dev
		libtracefs-dev libtraceevent-dev libncurses-dev libmicrohttpd-dev fonts-dejavu-core" ;;
	test) echo "shellcheck sparse perl openssl mandoc tmux python3 python3-prometheus-client chromium-headless-shell
		pyflakes3 python3-matplotlib python3-numpy python3-pil python3-pytest python3-zstandard zstd redis-tools sqlite3 rocksdb-tools liblmdb-dev systemd trace-cmd
		linux-perf bpftrace gpg gpg-agent lz4" ;;
	demo) echo "rocksdb-tools python3-matplotlib python3-numpy python3-pil" ;;
	bench) echo "fio rocksdb-tools redis-tools bpftrace python3 python3-matplotlib" ;;
	judge) echo "fsmark rocksdb-tools redis-tools" ;;
	large) echo "fio" ;;
	soak) echo "fio rocksdb-tools python3 dmsetup" ;;
	reports) echo "python3 python3-numpy python3-matplotlib" ;;
	papers) echo "openjdk-17-jdk-headless maven redis-tools" ;;
	deb) echo "mmdebstrap dpkg-dev cpio git kmod xz-utils" ;;
	bare) echo "mmdebstrap git util-linux" ;;
	coverage) echo "python3-coverage" ;;
	check) echo "python3 perl shellcheck sparse pyflakes3 mypy clang lld llvm clang-format coccinelle" ;;
	debug) echo "bc bison flex libelf-dev m4 libssl-dev" ;;
	clang) echo "clang-19 lld-19 llvm-19" ;;
	xfstests) echo "autoconf automake libtool-bin pkg-config gettext uuid-dev uuid-runtime xfslibs-dev xfsprogs libattr1-dev
		libacl1-dev libaio-dev attr acl dmsetup fio bc" ;;
	fuzz) echo "make clang llvm libclang-rt-14-dev libc6-dev pkg-config libcairo2-dev libpango1.0-dev libpng-dev zlib1g-dev
		libzstd-dev" ;;
	page) echo "make emscripten" ;;
	*) ft_die "setup.sh: unknown package group '$1'; expected build, guest, full, viewer, test, demo, bench, judge, large, soak, reports, papers, deb, bare, coverage, check, debug, clang, xfstests, fuzz or page" ;;
	esac
}

# ft_missing(package...) - print the packages that are not installed
ft_missing() {
	{
		dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || :
		printf 'wanted %s\n' "$@"
	} | awk '$1 == "installed" { there[$2] = 1 } $1 == "wanted" && !there[$2]++ { printf "%s ", $2 }'
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
	ft_die "cannot install virtme-ng $FT_VNG_VERSION with pip; see $tmp. Is there a network?"
}

# ft_vng() - make sure that virtme-ng is there; set VNG to its command
ft_vng() {
	local dir

	dir=$(ft_cache)/virtme-ng-$FT_VNG_VERSION
	[ -x "$dir/bin/vng" ] || {
		ft_packages full
		ft_locked vng ft_vng_install "$dir"
	}
	VNG=$dir/bin/vng
}

# === Prometheus ===

# ft_prometheus() - print the folder of prometheus and promtool
#
# The installed package would start a server. The programs of the unpacked one need libc alone.
ft_prometheus() {
	local dir

	dir=$(ft_cache)/prometheus
	[ -x "$dir/usr/bin/promtool" ] || ft_locked prometheus ft_prometheus_unpack "$dir" ||
		ft_die "cannot download the package prometheus; is there a network?"
	echo "$dir/usr/bin"
}

# ft_prometheus_unpack(folder) - download the package and unpack it there
ft_prometheus_unpack() {
	[ ! -x "$1/usr/bin/promtool" ] || return 0
	ft_say "downloading Prometheus (35 MB)"
	rm -rf "$1" "$1.new"
	mkdir -p "$1.new"
	(cd "$1.new" && apt-get -qq -o APT::Sandbox::User=root download prometheus >&2) || {
		ft_apt_update
		(cd "$1.new" && apt-get -qq -o APT::Sandbox::User=root download prometheus >&2) || return 1
	}
	dpkg-deb -x "$1.new"/*.deb "$1.new" || return 1
	rm -f "$1.new"/*.deb
	mv "$1.new" "$1"
}

# === KVM or emulation ===

# ft_probe_kvm(vmlinuz) - does an ordinary kernel boot with KVM within ten seconds?
ft_probe_kvm() {
	local dir rc

	[ -w /dev/kvm ] || return 1
	dir=$(mktemp -d "$(ft_cache)/probe.XXXXXX")
	mkdir "$dir/root"
	# The probe needs no module: its init prints a word and powers off.
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

# ft_accel(vmlinuz) - print kvm or tcg; the result is found once per boot of this host
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
	if [ "$(ft_arch "${1##*/vmlinuz-}")" != amd64 ]; then
		echo tcg
		return 0
	fi
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

# === Runs of guests ===

# ft_die_with_parent(arguments...) - start this script again with a signal for the death of its parent
#
# A killed parent cannot end its guest any more: the guest's script gets TERM then.
ft_die_with_parent() {
	if [ -z "${FT_PARENT_KNOWN:-}" ]; then
		FT_PARENT_KNOWN=yes exec setpriv --pdeathsig TERM "$0" "$@"
	fi
	unset FT_PARENT_KNOWN
}

# ft_remove_ended(NAME.PID.RANDOM...) - remove folders whose process has ended without doing so
ft_remove_ended() {
	local dir pid

	for dir; do
		pid=${dir##*/}
		pid=${pid#*.}
		pid=${pid%%.*}
		[ ! -d "$dir" ] || [ -d "/proc/$pid" ] || rm -rf "$dir"
	done
}

# ft_new_run() - make a folder for one run of a guest and set RUN; remove folders of killed runs
ft_new_run() {
	ft_remove_ended "$(ft_cache)"/run.*.*
	RUN=$(mktemp -d "$(ft_cache)/run.$$.XXXXXX")
}

# ft_end_run() - remove the folder of this run; safe to call twice
ft_end_run() {
	[ -z "$RUN" ] || rm -rf "$RUN"
	RUN=
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
		for name in KREL KROOT KDIR F2FS_KO VMLINUX_BTF F2FS_SRC VMLINUZ; do
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
	qemu)
		ft_packages guest
		ft_qemu tcg
		echo "$QEMU"
		;;
	vng)
		ft_packages full
		ft_vng
		echo "$VNG"
		;;
	prometheus) ft_prometheus ;;
	libraries) ft_page_libraries ;;
	cache) ft_cache ;;
	*)
		sed -n 's/^#   \(setup.sh .*\)/usage: \1/p' "$0" >&2
		exit 2
		;;
	esac
}

# shellcheck source=suites.sh
. "$FT_TESTS/machine/suites.sh"
# shellcheck source=qemu.sh
. "$FT_TESTS/machine/qemu.sh"
# shellcheck source=kernels.sh
. "$FT_TESTS/machine/kernels.sh"
# shellcheck source=mkfs.sh
. "$FT_TESTS/machine/mkfs.sh"
# shellcheck source=kernel_tree.sh
. "$FT_TESTS/machine/kernel_tree.sh"
# shellcheck source=debug_kernel.sh
. "$FT_TESTS/machine/debug_kernel.sh"
# shellcheck source=bare.sh
. "$FT_TESTS/machine/bare.sh"
# shellcheck source=../trouble.sh
. "$FT_TESTS/trouble.sh"

case ${0##*/} in
setup.sh) setup_main "$@" ;;
esac
