#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vm.sh - run a command as root in the full guest: the host's programs, another kernel, an F2FS-capable disk.
#
# usage: vm.sh [options] -- COMMAND, or vm.sh -i [options] for a shell
#   -k VERSION   kernel: 6.12 (default), 6.1, 7, a kernel tree that is built, or a folder with an unpacked one
#                ($KERNEL)
#   -m FILE      module to offer as $FRAGTRACE_KO (default: fragtrace.ko, built for that kernel)
#   -n           offer no module
#   -d SIZE      scratch disk, sparse and empty, as /dev/vda (default 1G, $DISK)
#   -D FILE      this raw image instead: it keeps what the guest writes. $DISK may also be a file, which is made
#                if it is not there
#   -o DIR       folder of the host that the guest may write to, under the same path ($OUT)
#   -M SIZE      memory (default 2G)
#   -c N         virtual CPUs (default 2)
#   -q OPTIONS   further options for QEMU
#   -t SECONDS   give up after this time (default: never)
#   -v           print the guest's console at the end
#
# The guest (virtme-ng) sees the host's file system. What it writes there is kept in its memory, and is gone with it: below
# /tmp, /mnt, /lib, /usr, /etc, /var and the project's folder; the rest is read-only. COMMAND is one line for sh; it
# runs in the project's folder with $FRAGTRACE_KO (the module built for that kernel) and $OUT set, the test
# programs and the viewer in PATH, debugfs mounted and F2FS loaded. A shell has the same, on this terminal.
#
# Exit status: the command's, 0 for a shell; 124 after the time ran out; 126 when the guest ended without a status.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=setup.sh
. "$FT_TESTS/machine/setup.sh"
ft_die_with_parent "$@"

# The sizes that a disk name stands for.
FT_DISK_SIZE=4G

# ft_write_preparation(module, tools) - print the commands that the guest runs before the command
ft_write_preparation() {
	cat <<-COMMAND
	: >$(ft_quote "$RUN/started")
	$(ft_write_overlays)
	cd $(ft_quote "$FT_TOP")
	export FRAGTRACE_KO=$(ft_quote "$1")
	export OUT=$(ft_quote "$OUT")
	more=$(ft_quote "$FT_TOP/viewer:$2")
	export PATH="\$more:\$PATH" FRAGTRACE_GUEST=full HOME=/tmp LANG=C.UTF-8
	{
	mount -t debugfs debugfs /sys/kernel/debug
	ip link set lo up
	modprobe virtio_blk
	modprobe f2fs
	for i in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/vda ] || sleep 0.5; done
	} >/dev/null 2>&1
	COMMAND
}

# ft_write_overlays() - print the commands that make more folders of the guest writable; what is written is in its memory
#
# virtme-ng has done so for /usr, /etc, /var, /home and /tmp, and has linked the kernel's modules, read-only, into
# /lib/modules. The folders that belong to the host (\$OUT, the files of this run) may be below one that is covered.
ft_write_overlays() {
	cat <<-COMMAND
	# cover(folder, mount point, name) - mount the folder, with memory of this name above it
	cover() {
		mkdir -p "/run/fragtrace/\$3/upper" "/run/fragtrace/\$3/work" "\$2"
		mount -t overlay -o "lowerdir=\$1,upperdir=/run/fragtrace/\$3/upper,workdir=/run/fragtrace/\$3/work" fragtrace "\$2"
	}
	# of_host(options) - mount each folder of the host's at a place that stays visible, or back from there
	of_host() {
		for folder in $(ft_quote "$RUN") ${OUT:+$(ft_quote "$OUT")}; do
			kept=/run/fragtrace/host/\$(echo "\$folder" | cksum | cut -d ' ' -f 1)
			mkdir -p "\$kept"
			if [ "\$1" = keep ]; then mount --bind "\$folder" "\$kept"; else mount --bind "\$kept" "\$folder"; fi
		done
	}
	{
	of_host keep
	modules=/lib/modules/\$(uname -r)
	real=\$(realpath "\$modules")
	if [ -L "\$modules" ] && rm "\$modules" && ! cover "\$real" "\$modules" modules; then
		# a kernel without overlayfs
		rmdir "\$modules"
		ln -s "\$real" "\$modules"
	fi
	[ -w /mnt ] || cover /mnt /mnt mnt
	[ -w $(ft_quote "$FT_TOP") ] || cover $(ft_quote "$FT_TOP") $(ft_quote "$FT_TOP") project
	of_host show
	} >/dev/null 2>&1
	COMMAND
}

# ft_write_command(command) - print the command line of the guest for the command
#
# Output and status go to files of the host, not through virtme-ng's console: under load the console
# loses output in some cases.
ft_write_command() {
	cat <<-COMMAND
	sh -c $(ft_quote "$1") </dev/null >>$(ft_quote "$RUN/out") 2>&1
	rc=\$?
	dmesg >$(ft_quote "$RUN/kernel.log")
	echo \$rc >$(ft_quote "$RUN/rc")
	COMMAND
}

# ft_write_shell() - print the command line of the guest for a shell
ft_write_shell() {
	cat <<-COMMAND
	cat <<'WORDS'

	This is a guest with kernel $KREL. /dev/vda is its disk${KEPT:+, kept in $KEPT}; "exit" ends it.
	  mkfs.f2fs -q -f /dev/vda
	  mount /dev/vda /mnt
	  insmod \$FRAGTRACE_KO path=/mnt
	  head /sys/kernel/debug/fragtrace/files

	WORDS
	export PS1='guest:\w# '
	bash --norc -i || :
	umount /dev/vda 2>/dev/null
	sync
	dmesg >$(ft_quote "$RUN/kernel.log")
	echo 0 >$(ft_quote "$RUN/rc")
	COMMAND
}

# ft_write_qemu() - write the program that virtme-ng runs as QEMU
#
# It writes its process ID, which becomes QEMU's, and starts a watcher that ends QEMU when this script has
# ended in any way. A newer QEMU, unpacked beside the host's, complains about the host's optional modules.
ft_write_qemu() {
	cat >"$RUN/qemu" <<-QEMU
	#!/bin/bash
	echo \$\$ >$(ft_quote "$RUN/qemu.pid")
	(
		while [ -d /proc/$$ ] && [ -d /proc/\$\$ ]; do sleep 1; done
		[ -d /proc/$$ ] || kill -9 \$\$
	) </dev/null >/dev/null 2>&1 &
	exec $QEMU "\$@" 2> >(exec grep -v --line-buffered -e 'failed to [a-z]* module' -e 'Only modules from the same build' >&2)
	QEMU
	chmod +x "$RUN/qemu"
}

# ft_share(path) - print the options of virtme-ng for a folder below one that it hides
ft_share() {
	case $1/ in
	/run/* | /var/tmp/* | /var/run/* | /var/cache/* | /var/log/* | /dev/shm/*) echo "--rodir=$1" ;;
	esac
}

# ft_kill_qemu() - end QEMU, if it runs
ft_kill_qemu() {
	local pid

	pid=$(cat "$RUN/qemu.pid" 2>/dev/null || :)
	if [ -n "$pid" ] && grep -qa qemu "/proc/$pid/cmdline" 2>/dev/null; then
		kill -9 "$pid" 2>/dev/null || :
	fi
}

# ft_cleanup() - end the guest, remove the files of this run; safe to call twice
ft_cleanup() {
	trap '' INT TERM HUP
	if [ -n "$VNG_PID" ]; then
		# virtme-ng puts QEMU into separate processes: end QEMU first, then virtme-ng.
		ft_kill_qemu
		kill "$VNG_PID" 2>/dev/null || :
		wait "$VNG_PID" 2>/dev/null || :
		VNG_PID=
	fi
	[ -z "$TAIL_PID" ] || kill "$TAIL_PID" 2>/dev/null || :
	TAIL_PID=
	[ -z "$KEPT_OUT" ] || [ ! -d "$OUT" ] || cp -a "$OUT/." "$KEPT_OUT/"
	ft_end_run
}

# Drivers of what QEMU's machine has and no command here uses. Where CPUs are emulated, they are a third of the boot.
FT_UNUSED=kvm,kvm_amd,kvm_intel,irqbypass,ahci,libata,scsi_mod,iTCO_wdt,i6300esb,psmouse,pcspkr,evdev,i2c_i801,lpc_ich,serio_raw

# ft_vng_run(arguments...) - run virtme-ng with the settings of this guest; it ends with the guest
ft_vng_run() {
	local emulated cpu rwout

	emulated=
	cpu=
	[ "$ACCEL" = kvm ] || emulated="--disable-kvm -a module_blacklist=$FT_UNUSED -a $(echo "$FT_TCG_SETTINGS" | sed 's/ / -a /g')" cpu="-cpu $FT_TCG_CPU"
	rwout=
	[ -z "$OUT" ] || rwout=--rwdir=$OUT
	# shellcheck disable=SC2046,SC2086 # options are lists
	PATH=${VNG%/*}:$PATH exec timeout --foreground -k 5 "$LIMIT" "$VNG" -r "$VMLINUZ" --force-9p $emulated --disable-microvm \
		--user root --cpus "$CPUS" --memory "$MEMORY" --qemu "$RUN/qemu" --cwd / \
		$(ft_share "$FT_TOP") $(ft_share "$(ft_cache)") --rwdir="$RUN" $rwout \
		--qemu-opts="-drive file=$IMAGE,format=raw,if=virtio,cache=unsafe,discard=unmap $cpu $QEMU_OPTS" "$@"
}

# ft_boot_shell() - run virtme-ng on this terminal
ft_boot_shell() {
	VNG_RC=0
	(ft_vng_run --shell "$RUN/command") || VNG_RC=$?
}

# ft_boot_full() - run virtme-ng to its end and print the command's output as it arrives
ft_boot_full() {
	: >"$RUN/out"
	tail -f -n +1 --pid=$$ "$RUN/out" &
	TAIL_PID=$!
	ft_vng_run -- sh "$RUN/command" </dev/null >"$RUN/vng.log" 2>&1 &
	VNG_PID=$!
	VNG_RC=0
	ft_await_start "$VNG_PID" test -e "$RUN/started" || ft_kill_qemu
	wait "$VNG_PID" || VNG_RC=$?
	# Give tail the time to print the last lines: without inotify it polls once a second.
	while [ "$(ft_tail_offset)" -lt "$(wc -c <"$RUN/out")" ]; do
		sleep 0.1
	done
	kill "$TAIL_PID" 2>/dev/null || :
	TAIL_PID=
}

# ft_tail_offset() - print how much of the output the tail in the background has read
ft_tail_offset() {
	local fd

	for fd in "/proc/$TAIL_PID/fd"/*; do
		if [ "$(readlink "$fd")" = "$RUN/out" ]; then
			sed -n 's/^pos:[^0-9]*//p' "/proc/$TAIL_PID/fdinfo/${fd##*/}"
			return 0
		fi
	done
	echo 9999999999
}

# ft_verdict_full() - compute our exit status from the files of the run
ft_verdict_full() {
	[ -z "$VERBOSE" ] || tr -d '\r' <"$RUN/vng.log" >&2
	[ ! -s "$RUN/kernel.log" ] || ft_kernel_well "$RUN/kernel.log" || :
	if [ -s "$RUN/rc" ]; then
		return "$(cat "$RUN/rc")"
	fi
	if [ "$VNG_RC" = 124 ] || [ "$VNG_RC" = 137 ]; then
		ft_say "the guest was stopped after $LIMIT seconds"
		return 124
	fi
	ft_say "the guest ended without a status (virtme-ng: $VNG_RC); its console:"
	tr -d '\r' <"$RUN/vng.log" | tail -n 30 >&2
	return 126
}

# ft_disk_file(file) - set image to this file, which is created if missing
ft_disk_file() {
	case $1 in
	*,*) ft_die "disk '$1': QEMU takes no comma in a name" ;;
	esac
	if [ ! -e "$1" ]; then
		truncate -s $FT_DISK_SIZE "$1" || ft_die "disk '$1': cannot be made"
		ft_say "$1 is made: an empty disk of $FT_DISK_SIZE, sparse"
	fi
	image=$(realpath -e "$1")
}

# vm_main(arguments...) - the command described at the top
vm_main() {
	local opt rc module tools size image shell

	module=auto size=${DISK:-1G} image='' OUT=${OUT:-} KEPT_OUT='' MEMORY=2G CPUS=2 QEMU_OPTS='' LIMIT=0 VERBOSE=''
	KERNEL_ARG=${KERNEL:-6.12} VNG_PID='' TAIL_PID='' RUN='' KEPT='' shell=''
	while getopts ik:m:nd:D:o:M:c:q:t:v opt; do
		case $opt in
		i) shell=yes ;;
		k) KERNEL_ARG=$OPTARG ;;
		m) module=$(realpath -e "$OPTARG") || ft_die "module '$OPTARG': no such file" ;;
		n) module='' ;;
		d) size=$OPTARG ;;
		D) image=$(realpath -e "$OPTARG") || ft_die "disk '$OPTARG': no such file" ;;
		o) OUT=$OPTARG ;;
		M) MEMORY=$OPTARG ;;
		c) CPUS=$OPTARG ;;
		q) QEMU_OPTS=$OPTARG ;;
		t) LIMIT=$OPTARG ;;
		v) VERBOSE=yes ;;
		*) ft_usage ;;
		esac
	done
	shift $((OPTIND - 1))
	[ -n "$*$shell" ] || ft_usage
	case $size in
	*[!0-9KMG]*) [ -n "$image" ] || ft_disk_file "$size" ;;
	esac
	KEPT=$image

	! ft_debug_is "$KERNEL_ARG" || ft_die "the full guest: kernel $KERNEL_ARG has no 9P to see this machine by; use guest.sh"
	ft_packages guest full
	[ "$(ft_arch "$KERNEL_ARG")" = amd64 ] || ft_die "kernel '$KERNEL_ARG': the full guest runs this machine's programs, and they" \
		"are not for $(ft_arch "$KERNEL_ARG"); take selftests/machine/guest.sh -k $KERNEL_ARG -- COMMAND"
	ft_kernel "$KERNEL_ARG"
	ft_tree_full "$KERNEL_ARG"
	ft_vng
	if [ "$module" = auto ]; then
		module=
		[ ! -f "$FT_TOP/Kbuild" ] || module=$("$FT_TESTS/machine/build.sh" module "$KERNEL_ARG") || exit 1
	fi
	tools=
	[ ! -f "$FT_TESTS/Makefile" ] || tools=$("$FT_TESTS/machine/build.sh" tools) || exit 1
	ACCEL=$(ft_accel "$VMLINUZ")
	ft_qemu "$ACCEL"
	if [ -n "$OUT" ]; then
		mkdir -p "$OUT" || ft_die "OUT='$OUT': cannot create this folder"
		OUT=$(cd "$OUT" && pwd)
	fi

	trap 'ft_cleanup; exit 130' INT
	trap 'ft_cleanup; exit 143' TERM HUP
	trap ft_cleanup EXIT
	ft_new_run
	# virtme-ng passes the path on unquoted, and into the kernel's command line: one with other letters is copied
	case $OUT in
	*[!A-Za-z0-9/._+@-]*)
		KEPT_OUT=$OUT OUT=$RUN/results
		cp -a "$KEPT_OUT" "$OUT"
		;;
	esac
	IMAGE=${image:-$RUN/disk}
	[ -n "$image" ] || truncate -s "$size" "$IMAGE" 2>/dev/null || ft_die "disk size '$size': expected a number with K, M or G"
	{
		echo "#!/bin/bash"
		ft_write_preparation "$module" "$tools"
		if [ -n "$shell" ]; then ft_write_shell; else ft_write_command "$*"; fi
	} >"$RUN/command"
	chmod +x "$RUN/command"
	ft_write_qemu
	if [ -n "$shell" ]; then
		ft_boot_shell
		: >"$RUN/vng.log"
		ft_verdict_full
		exit
	fi
	ft_boot_full
	if [ ! -e "$RUN/started" ] && [ "$VNG_RC" != 124 ] && [ "$VNG_RC" != 137 ]; then
		# A stock kernel that patches its code sometimes fails during boot under emulation.
		tr -d '\r' <"$RUN/vng.log" | tail -n 15 >&2
		ft_say "the guest did not come up as far as the command: once more"
		ft_boot_full
	fi
	rc=0
	ft_verdict_full || rc=$?
	exit $rc
}

vm_main "$@"
