#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh - boot a small guest (stock kernel, busybox, nothing else) and run one command in it.
#
# usage: guest.sh [options] -- COMMAND [ARGUMENT...]
#   -k VERSION   kernel: 6.12 (default), or another that setup.sh knows, or a tree or folder
#   -m FILE      module to offer as $FRAGTRACE_KO (default: fragtrace.ko, built for that kernel)
#   -n           offer no module
#   -d SIZE      one more empty scratch disk, sparse, as /dev/vda, /dev/vdb, ... (default: one of 1G)
#   -D FILE      one more disk: this raw image, which keeps what the guest writes
#   -Z N         one more disk, NVMe, with N zones of 4 MB, of which 3 MB can be written and 12 can be open; /dev/nvme0n1 after
#                modprobe nvme. QEMU forgets how far zones are written when it ends, not when the guest is reset
#   -f FILE      take this file along, into the guest's /tools; programs bring their libraries
#   -o DIR       what the guest leaves in /out is copied to this folder of the host
#   -M SIZE      memory (default 1G; 3G for a kernel with checks)
#   -c N         virtual CPUs (default 2)
#   -I           count instructions: one CPU, emulated, whose clocks advance 1 ns with each instruction
#   -a ARGS      further kernel parameters
#   -q OPTIONS   further options for QEMU
#   -t SECONDS   give up after this time (default 300)
#   -l FILE      keep the kernel's log here
#   -v           print the kernel's log when the guest is off
#
# The guest has busybox, the tools of F2FS and ext4, the test programs and the folder /selftests.
# F2FS is a module there. It is loaded by the first mount.
#
# Exit status: the command's; 123 when the emulator failed (see ft_emulator_failed()); 124 after the time ran out; 125 when
# the kernel warned or crashed (see its log), even if the command succeeded; 126 when the guest ended without a status.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=setup.sh
. "$FT_TESTS/machine/setup.sh"
ft_die_with_parent "$@"

# Modules of the kernel that the guest gets, with their dependencies.
FT_GUEST_MODULES="virtio_pci virtio_blk nvme f2fs loop ext4 brd zram null_blk overlay quota_v2 xts cts sha512_generic fuse dm_mod dm-delay"
# Programs that the guest gets, with their libraries, if they exist: those of the host, or for another architecture
# those below its kernel's folder.
FT_GUEST_TOOLS="mkfs.f2fs fsck.f2fs resize.f2fs f2fs_io mkfs.ext4 filefrag strace dmsetup"

# What ends each path of a list.
LINE_END='
'

# ft_which(program) - print the path to copy a program from
ft_which() {
	if [ -n "$GUEST_ROOT" ]; then
		find "$GUEST_ROOT/usr/local/sbin/$1" "$GUEST_ROOT/usr/bin/$1" "$GUEST_ROOT/usr/sbin/$1" 2>/dev/null | grep -m 1 .
	else
		command -v "$1"
	fi
}

# ft_libraries(file) - print the libraries of a program, and the loader, by their paths in the guest
ft_libraries() {
	if [ -n "$GUEST_ROOT" ]; then
		# there are few: copy all
		(cd "$GUEST_ROOT" && find usr/lib/*-linux-gnu lib/ld-linux-* -maxdepth 1 -name '*.so*' | sed 's|^|/|')
	else
		{ ldd "$1" 2>/dev/null || :; } | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^\t\(\/[^ ]*\) (.*/\1/p'
	fi
}

# ft_copy_module(from, to) - copy a module without what only debuggers read: nine tenths of it, which the guest copies with
# each load. One that is signed stays as it is; so does one of an architecture that strip does not know
ft_copy_module() {
	if tail -c 28 "$1" | grep -q 'Module signature' || ! strip --strip-debug -o "$2" "$1" 2>/dev/null; then
		cp "$1" "$2"
	fi
}

# ft_copy_program(root, file, folder) - put a program and its libraries into a guest's root
ft_copy_program() {
	local lib

	mkdir -p "$1$3"
	cp -L "$2" "$1$3/"
	ft_libraries "$2" |
		while read -r lib; do
			[ -e "$1$lib" ] && continue
			mkdir -p "$1$(dirname "$lib")"
			cp -L "$GUEST_ROOT$lib" "$1$lib"
		done
}

# ft_copy_modules(root) - put the kernel modules of the guest, uncompressed, into its root
ft_copy_modules() {
	local dir file module plain

	dir=$1/lib/modules/$KREL
	mkdir -p "$dir/kernel"
	for module in $FT_GUEST_MODULES; do
		modprobe -S "$KREL" -d "$KROOT" --show-depends "$module" 2>/dev/null || :
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u |
		while read -r file; do
			plain=${file##*/}
			case $file in
			*.xz) xz -dc "$file" >"$dir/kernel/${plain%.xz}" ;;
			*.zst) zstd -dcq "$file" >"$dir/kernel/${plain%.zst}" ;;
			*) cp "$file" "$dir/kernel/$plain" ;;
			esac
		done
	cp "$KROOT/lib/modules/$KREL"/modules.builtin* "$KROOT/lib/modules/$KREL/modules.order" "$dir/" 2>/dev/null || :
	depmod -b "$1" "$KREL"
}

# ft_write_init(root) - write the init program of the guest
ft_write_init() {
	cat >"$1/init" <<-'INIT'
	#!/bin/busybox sh
	# ttyS0 has the command's output, ttyS2 the status; the kernel's log is on ttyS1, or ttyAMA0.
	/bin/busybox mkdir -p /proc /sys /dev /tmp /run /mnt /out
	/bin/busybox --install -s /bin
	export PATH=/selftests/bin:/tools:/bin HOME=/tmp FRAGTRACE_GUEST=small
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t devtmpfs dev /dev
	mount -t debugfs debugfs /sys/kernel/debug
	mount -t tmpfs tmpfs /tmp
	chmod 1777 /tmp
	exec </dev/null >/dev/ttyS0 2>&1
	stty -F /dev/ttyS0 -opost 2>/dev/null
	dmesg -n 8
	ip link set lo up
	modprobe virtio_pci 2>/dev/null
	modprobe virtio_blk
	[ -f /fragtrace.ko ] && export FRAGTRACE_KO=/fragtrace.ko
	cd /tmp
	# An emulated CPU sometimes loses its timer while the kernel boots.
	if dmesg | grep -q 'detected stall'; then
		echo stumbled >/dev/ttyS2
		poweroff -f
	fi
	echo started >/dev/ttyS2
	sh /command
	rc=$?
	out=$(sed -n 's/.*ft_out=\([^ ]*\).*/\1/p' /proc/cmdline)
	[ -n "$out" ] && tar -C /out -cf "/dev/$out" .
	echo "status $rc" >/dev/ttyS2
	poweroff -f
	INIT
	chmod +x "$1/init"
}

# ft_base(out) - make the part of the initramfs that only depends on the kernel and the host's tools
ft_base() {
	local root tool path

	[ ! -f "$1" ] || return 0
	rm -f "$(ft_cache)/base-$KREL"-*.cpio
	root=$RUN/base
	mkdir -p "$root/bin" "$root/etc" "$root/tools"
	cp "$(ft_which busybox)" "$root/bin/busybox"
	ln -s bin "$root/sbin"
	mkdir "$root/usr"
	ln -s ../bin "$root/usr/bin"
	ln -s ../bin "$root/usr/sbin"
	printf 'root:x:0:0:root:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n' >"$root/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
	for tool in $FT_GUEST_TOOLS; do
		path=$(ft_which "$tool") || continue
		ft_copy_program "$root" "$path" /tools
	done
	ft_copy_modules "$root"
	ft_write_init "$root"
	(cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$1.$$"
	mv "$1.$$" "$1"
	rm -rf "$root"
}

# ft_base_path() - print the path of the base for this kernel and these tools
ft_base_path() {
	local key tool

	key=$(
		{
			cat "$FT_TESTS/machine/guest.sh"
			echo "$KROOT"
			# of a kernel that the user has built anew
			ls -l --time-style=+%s.%N "$KROOT/.complete" 2>/dev/null || :
			for tool in busybox $FT_GUEST_TOOLS; do
				ls -lL --time-style=+%s "$(ft_which "$tool")" 2>/dev/null || echo "no $tool"
			done
		} | cksum | cut -d ' ' -f 1
	)
	echo "$(ft_cache)/base-$KREL-$key.cpio"
}

# ft_overlay(out) - make the part of the initramfs that this run adds: module, tests, command
ft_overlay() {
	local root file

	root=$RUN/overlay
	mkdir -p "$root/selftests/bin" "$root/out"
	cp -r "$FT_TESTS"/*.sh "$FT_TESTS/in_guest" "$root/selftests/"
	if [ -n "$TOOLS" ]; then
		find "$TOOLS" -maxdepth 1 -type f -perm -u+x -exec cp {} "$root/selftests/bin/" \;
	fi
	[ -z "$MODULE" ] || ft_copy_module "$MODULE" "$root/fragtrace.ko"
	printf '%s' "$FILES" | while read -r file; do
		case $file in
		*.ko) mkdir -p "$root/tools" && ft_copy_module "$file" "$root/tools/${file##*/}" ;;
		*) ft_copy_program "$root" "$file" /tools ;;
		esac
	done
	cp "$RUN/command" "$root/command"
	(cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$1"
}

# ft_add_disk(image) - attach an image as the next disk
ft_add_disk() {
	DRIVES="$DRIVES -drive file=$1,format=raw,if=virtio,cache=unsafe,discard=unmap"
	DISKS=$((DISKS + 1))
}

# ft_add_zones(zones) - attach a disk with zones, which is no virtio disk
ft_add_zones() {
	[ "$1" -gt 0 ] 2>/dev/null || ft_die "zones '$1': expected how many"
	truncate -s "$(($1 * 4))M" "$RUN/zones"
	DRIVES="$DRIVES -drive file=$RUN/zones,format=raw,if=none,id=zones,cache=unsafe,discard=unmap -device nvme,id=nvme,serial=zones
		-device nvme-ns,bus=nvme,drive=zones,zoned=on,zoned.zone_size=4M,zoned.zone_capacity=3M,zoned.max_open=12,zoned.max_active=12"
}

# ft_disk_name(n) - print the guest's name of the nth disk
ft_disk_name() {
	echo "vd$(echo abcdefghijklmnopqrstuvwxyz | cut -c "$1")"
}

# ft_cleanup() - end our QEMU, remove the files of this run; safe to call twice
ft_cleanup() {
	trap '' INT TERM HUP
	if [ -n "$QEMU_PID" ]; then
		kill "$QEMU_PID" 2>/dev/null || :
		wait "$QEMU_PID" 2>/dev/null || :
		QEMU_PID=
	fi
	ft_end_run
}

# ft_boot() - run QEMU until the guest is off or the time limit is reached
ft_boot() {
	local cpu machine console settings

	settings=
	case $ACCEL in
	kvm) cpu=host ;;
	*)
		ACCEL=tcg,thread=$TCG_THREAD
		[ -z "$ICOUNT" ] || ACCEL="tcg,thread=single -icount shift=0,sleep=on"
		cpu=max
		# Where instructions are counted, all is as on a real CPU.
		[ -n "$ICOUNT" ] && settings=cryptomgr.notests || cpu=$FT_TCG_CPU settings=$FT_TCG_SETTINGS
		;;
	esac
	# the serial ports: output, the kernel's log, the status
	case $(ft_arch "$KREL") in
	arm64)
		# without pointer authentication, which is slow to emulate
		cpu=max,pauth-impdef=on
		machine="-M virt -serial file:$RUN/kernel.log -device pci-serial,chardev=out -device pci-serial,chardev=unused
			-device pci-serial,chardev=status"
		console=ttyAMA0
		;;
	*)
		machine="-M q35 -serial chardev:out -serial file:$RUN/kernel.log -serial chardev:status"
		console=ttyS1
		;;
	esac
	# A test exchanges addresses on the disk of a mounted volume, which some kernels forbid by default.
	settings="$settings panic=-1 oops=panic bdev_allow_write_mounted=1"
	# QEMU must end in all cases: timeout gets our TERM and passes it on; after a KILL, QEMU ends
	# by the death signal.
	# shellcheck disable=SC2086 # options are lists
	setpriv --pdeathsig TERM timeout -k 2 "$LIMIT" setpriv --pdeathsig KILL \
		$QEMU -accel $ACCEL -cpu $cpu -smp "$CPUS" -m "$MEMORY" -nodefaults -display none -no-reboot \
		-chardev stdio,id=out,signal=off -chardev "file,id=status,path=$RUN/status" -chardev null,id=unused $machine \
		-kernel "$VMLINUZ" -initrd "$RUN/initrd" $DRIVES $QEMU_OPTS \
		-append "console=$console quiet $settings $OUT_ARG $APPEND" </dev/null 2>"$RUN/qemu.log" &
	QEMU_PID=$!
	QEMU_RC=0
	ft_await_start "$QEMU_PID" grep -qs started "$RUN/status" || kill "$QEMU_PID" 2>/dev/null || :
	wait "$QEMU_PID" || QEMU_RC=$?
	QEMU_PID=
}

# ft_verdict() - compute our exit status from the files of the run
ft_verdict() {
	local rc

	rc=$(sed -n 's/^status \([0-9]*\).*/\1/p' "$RUN/status" 2>/dev/null || :)
	if [ -n "$VERBOSE" ]; then
		tr -d '\r' <"$RUN/kernel.log" >&2
	fi
	if ! ft_kernel_well "$RUN/kernel.log"; then
		[ "${ACCEL%%,*}" = tcg ] && ft_emulator_failed "$RUN/kernel.log" || return 125
		ft_say "the emulator ran a breakpoint that the kernel had removed from its code"
		return 123
	fi
	if [ "$QEMU_RC" = 124 ] || [ "$QEMU_RC" = 137 ]; then
		ft_say "the guest was stopped after $LIMIT seconds; the kernel's last words:"
		tr -d '\r' <"$RUN/kernel.log" | tail -n 15 >&2
		return 124
	fi
	if [ -z "$rc" ]; then
		cat "$RUN/qemu.log" >&2
		ft_say "the guest ended without a status (QEMU: $QEMU_RC); the kernel's last words:"
		tr -d '\r' <"$RUN/kernel.log" | tail -n 15 >&2
		return 126
	fi
	return "$rc"
}

# guest_main(arguments...) - the command described at the top
guest_main() {
	local opt rc size image

	KERNEL_ARG=6.12 MODULE=auto FILES='' OUT='' OUT_ARG='' MEMORY='' CPUS=2 APPEND='' LIMIT=300
	VERBOSE='' KEEP_LOG='' ICOUNT='' QEMU_OPTS='' DRIVES='' DISKS=0 QEMU_PID='' RUN='' TOOLS='' SIZES='' IMAGES='' ZONES=''
	while getopts k:m:nd:D:Z:f:o:M:c:Ia:q:t:l:v opt; do
		case $opt in
		k) KERNEL_ARG=$OPTARG ;;
		m) MODULE=$(realpath -e "$OPTARG") || ft_die "module '$OPTARG': no such file" ;;
		n) MODULE='' ;;
		d) SIZES="$SIZES $OPTARG" ;;
		D) IMAGES="$IMAGES $(realpath -e "$OPTARG")" || ft_die "disk '$OPTARG': no such file" ;;
		Z) ZONES=$OPTARG ;;
		f) FILES=$FILES$(realpath -se "$OPTARG")$LINE_END || ft_die "file '$OPTARG': no such file" ;;
		o) OUT=$OPTARG ;;
		M) MEMORY=$OPTARG ;;
		c) CPUS=$OPTARG ;;
		I) ICOUNT=yes CPUS=1 ;;
		a) APPEND="$APPEND $OPTARG" ;;
		q) QEMU_OPTS=$OPTARG ;;
		t) LIMIT=$OPTARG ;;
		l) KEEP_LOG=$OPTARG ;;
		v) VERBOSE=yes ;;
		*) ft_usage ;;
		esac
	done
	shift $((OPTIND - 1))
	[ $# -gt 0 ] || ft_usage

	ft_packages guest
	ft_kernel "$KERNEL_ARG"
	GUEST_ROOT=
	[ ! -d "$KROOT/guest" ] || GUEST_ROOT=$KROOT/guest
	ft_mkfs
	if [ -z "$MEMORY" ]; then
		MEMORY=1G
		! ft_debug_is "$KERNEL_ARG" || MEMORY=3G
	fi
	if [ "$MODULE" = auto ]; then
		MODULE=
		[ ! -f "$FT_TOP/Kbuild" ] || MODULE=$("$FT_TESTS/machine/build.sh" module "$KERNEL_ARG") || exit 1
	fi
	[ ! -f "$FT_TESTS/Makefile" ] || TOOLS=$("$FT_TESTS/machine/build.sh" tools "$KERNEL_ARG") || exit 1
	ACCEL=$(ft_accel "$VMLINUZ")
	[ -z "$ICOUNT" ] || ACCEL=tcg
	ft_qemu "$ACCEL"

	trap 'ft_cleanup; exit 130' INT
	trap 'ft_cleanup; exit 143' TERM HUP
	trap ft_cleanup EXIT
	ft_new_run
	ft_quote "$@" >"$RUN/command"
	for size in ${SIZES:-1G}; do
		image=$RUN/disk$DISKS
		truncate -s "$size" "$image" 2>/dev/null || ft_die "disk size '$size': expected a number with K, M or G"
		ft_add_disk "$image"
	done
	for image in $IMAGES; do
		ft_add_disk "$image"
	done
	[ -z "$ZONES" ] || ft_add_zones "$ZONES"
	if [ -n "$OUT" ]; then
		mkdir -p "$OUT"
		truncate -s 4G "$RUN/out"
		ft_add_disk "$RUN/out"
		OUT_ARG=ft_out=$(ft_disk_name "$DISKS")
	fi
	image=$(ft_base_path)
	ft_locked base ft_base "$image"
	ft_overlay "$RUN/overlay.cpio"
	cat "$image" "$RUN/overlay.cpio" >"$RUN/initrd"
	rm -rf "$RUN/overlay" "$RUN/overlay.cpio"

	ft_boot
	if ! grep -q started "$RUN/status" 2>/dev/null && [ "$QEMU_RC" != 124 ] && [ "$QEMU_RC" != 137 ]; then
		# A stock kernel that patches its code sometimes fails during boot under emulation.
		tr -d '\r' <"$RUN/kernel.log" | tail -n 15 >&2
		ft_say "the guest did not come up as far as the command: once more"
		ft_boot
	fi
	[ -z "$OUT" ] || tar -C "$OUT" -xf "$RUN/out" 2>/dev/null || ft_say "the guest left nothing readable in /out"
	[ -z "$KEEP_LOG" ] || tr -d '\r' <"$RUN/kernel.log" >"$KEEP_LOG"
	rc=0
	ft_verdict || rc=$?
	exit $rc
}

guest_main "$@"
