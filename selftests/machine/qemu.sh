# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# qemu.sh - the emulator of the guests: the host's, or a newer one, unpacked into the cache.
#
# To be sourced by setup.sh. A kernel patches its code when tracepoints and return probes are attached.
# Under QEMU 7.2 of Debian 12, another emulated processor sometimes runs a half-written patch, and
# the guest panics: in 5 of 27 runs of 71_rmmod_anytime.sh, under QEMU 10 in none of 30. There it was seen once, in
# 70_fuzz.sh: see ft_emulator_failed(). KVM is not affected.

FT_QEMU_MIN=10
FT_QEMU_SUITE=bookworm-backports
# An emulated CPU repeats a string instruction for each byte or word. With the features that are left out the kernel copies and
# clears pages by bytes: writing and reading files costs half as much again.
# shellcheck disable=SC2034 # guest.sh and vm.sh use it
FT_TCG_CPU=max,-erms,-fsrm
# Against attacks on speculation, which an emulated CPU does not do, the kernel returns and calls by detours; a fifth level of
# page tables is one more step for each miss of the emulated TLB: together a tenth of a guest's time. The kernel's tests of its
# ciphers are a fifth of a boot. To clear what the kernel allocates is a tenth of the instructions of a process, and a fifth of
# those of writing; without it what the module forgets to set is not zero by luck. What finds bugs, SMAP and SMEP, stays on.
# shellcheck disable=SC2034 # guest.sh and vm.sh use it
FT_TCG_SETTINGS="mitigations=off no5lvl cryptomgr.notests init_on_alloc=0"

# ft_qemu_version(command) - print the version of a QEMU
ft_qemu_version() {
	"$1" --version | sed -n 's/^QEMU emulator version \([0-9.]*\).*/\1/p'
}

# ft_qemu_unpack(folder, package...) - download the newer QEMU into the folder
ft_qemu_unpack() {
	local deb dir tmp

	dir=$1
	shift
	[ ! -f "$dir/.complete" ] || return 0
	tmp=$dir.new
	rm -rf "$dir" "$tmp"
	mkdir -p "$tmp"
	command -v apt-get >/dev/null || return 1
	ft_suite amd64 "$FT_QEMU_SUITE"
	ft_say "downloading $1 from $FT_QEMU_SUITE"
	# shellcheck disable=SC2086 # options
	(cd "$tmp" && apt-get $FT_APT -qq download "$@" >&2) || return 1
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$tmp" || return 1
	done
	rm -f "$tmp"/*.deb
	touch "$tmp/.complete"
	mv "$tmp" "$dir"
}

# ft_qemu(accelerator) - set QEMU to the command that emulates the machine of $KREL, with options; and TCG_THREAD to how
# it emulates several CPUs of a small guest: multi, or single if they disturb each other, or if that is in the environment: CPUs
# that take turns do not wait for each other, which is a quarter of the host's time, but two of them never race
# shellcheck disable=SC2034 # guest.sh uses it
ft_qemu() {
	local dir version

	dir=$(ft_cache)/qemu-$FT_QEMU_SUITE
	TCG_THREAD=${TCG_THREAD:-multi}
	if [ "$(ft_arch "${KREL:-}")" = arm64 ]; then
		QEMU=qemu-system-aarch64
		! command -v $QEMU >/dev/null || return 0
		ft_locked qemu ft_qemu_unpack "$dir-arm64" qemu-system-arm qemu-system-data ||
			ft_die "$QEMU is not installed, and not available from $FT_QEMU_SUITE"
		QEMU="$dir-arm64/usr/bin/$QEMU -L $dir-arm64/usr/share/qemu"
		return 0
	fi
	QEMU=qemu-system-x86_64
	version=$(ft_qemu_version $QEMU)
	[ "$1" != kvm ] && [ "${version%%.*}" -lt $FT_QEMU_MIN ] || return 0
	ft_locked qemu ft_qemu_unpack "$dir" qemu-system-x86 qemu-system-data seabios || {
		ft_say "$FT_QEMU_SUITE is not available: QEMU $version is used. With it a guest with several CPUs sometimes panics" \
			"when probes are attached, so those of small guests take turns; QEMU $FT_QEMU_MIN would do better"
		TCG_THREAD=single
		return 0
	}
	QEMU="$dir/usr/bin/qemu-system-x86_64 -L $dir/usr/share/qemu -L $dir/usr/share/seabios"
}

# Seconds after which a guest that has not come up is ended: a CPU that is emulated may lose its timer while the kernel boots.
FT_BOOT_LIMIT=${FT_BOOT_LIMIT:-600}

# ft_await_start(pid, command...) - wait until the command succeeds, which says that the guest has come up, or that
# process has ended; false if neither is so after the limit
ft_await_start() {
	local pid end

	pid=$1
	end=$(($(date +%s) + FT_BOOT_LIMIT))
	shift
	until "$@" || ! kill -0 "$pid" 2>/dev/null; do
		[ "$(date +%s)" -lt "$end" ] || return 1
		sleep 1
	done
}
