#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 93_life_cycle.sh - the module, its targets, the volumes and F2FS itself are removed and added, during writes and reads
#
# Nothing may leak, hang or print a warning, and an umount after the last writer has ended succeeds the first time.
# CYCLES is in percent of the full scale: 200 loads, 200 targets, 100 mounts, 50 loads of F2FS.
#
# kernels: first
# blocks: any
# group: load

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

CYCLES=${CYCLES:-3}
LOADS=$((2 * CYCLES)) TARGETS=$((2 * CYCLES)) MOUNTS=$CYCLES RELOADS=$(((CYCLES + 1) / 2))
seed=${SEED:-$(date +%s)}
JOBS=

# forever(command...) - repeat a command in the background until stop_jobs()
forever() {
	(
		while :; do
			"$@" >/dev/null 2>&1 || :
			sleep 0.05
		done
	) &
	JOBS="$JOBS $!"
}

# stop_jobs() - end all that runs in the background
stop_jobs() {
	local job

	for job in $JOBS; do
		kill "$job" 2>/dev/null || :
	done
	wait 2>/dev/null || :
	JOBS=
}

# read_all() - read each file of fragtrace once
read_all() {
	cat $DBG/table $DBG/extents $DBG/files $DBG/stats $DBG/targets $DBG/audit
}

# write_some(folder) - a short storm there, with a new seed each time
write_some() {
	seed=$((seed + 1))
	fuzz storm --seed $seed --ops 60 "$1"
}

# write_fio(folder) - several jobs write there at random; commands/large.sh adds fio to the guest
write_fio() {
	fio --name=fio --directory="$1" --rw=randwrite --bs=4k --size=1m --numjobs=4 --thread --ioengine=psync --fdatasync=32 \
		--loops=4 --minimal
}

# live(mount point) - is the target there followed?
live() {
	grep -q " live [0-9]* $1\$" $DBG/targets
}

# memory() - print, when all is idle, the kilobytes of kernel memory that a leak of ours would increase
#
# If an object is left in one of our slab caches, the kernel prints a warning when the module is unloaded.
memory() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 1
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^SUnreclaim:|^VmallocUsed:/ { sum += $2 } END { print sum }' /proc/meminfo
}

# other_cpus(online) - under emulation: have one CPU only (0), or all (1)
#
# Attaching a probe patches F2FS's code. In QEMU another CPU ran the temporary breakpoint after the kernel had
# made sure that no CPU would. With one CPU this cannot happen.
other_cpus() {
	local file

	grep -q 'QEMU TCG' /proc/cpuinfo || return 0
	for file in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ ! -w "$file" ] || echo "$1" >"$file"
	done
}

# cycle_loads() - load and unload; print the number of successes
cycle_loads() {
	local n

	n=0
	while [ $n -lt "$LOADS" ]; do
		insmod "$FRAGTRACE_KO" path=$MNT,$MNT2 || break
		# In some rounds at once, in others while or after the trees are read.
		[ $((n % 3)) != 0 ] || sleep 0.5
		# A reader has its file open for a moment.
		loop_until $PATIENCE sh -c 'rmmod fragtrace 2>/dev/null' || break
		n=$((n + 1))
	done
	echo $n
}

# cycle_targets() - add and remove a folder that is written to; print the number of successes
cycle_targets() {
	local n

	n=0
	while [ $n -lt "$TARGETS" ]; do
		[ "$(fileop say $DBG/targets "add $MNT/d$((n % 4))")" = OK ] || break
		[ $((n % 3)) != 0 ] || sleep 0.5
		[ "$(fileop say $DBG/targets "del $MNT/d$((n % 4))")" = OK ] || break
		n=$((n + 1))
	done
	echo $n
}

# cycle_mounts() - write, unmount at once, mount; print the number of successes
cycle_mounts() {
	local n

	n=0
	while [ $n -lt "$MOUNTS" ]; do
		write_some $MNT2 >/dev/null 2>&1 || break
		umount $MNT2 || break
		mount_volume $DISK2 $MNT2 || break
		[ $((n % 3)) != 0 ] || loop_until $PATIENCE live $MNT2 || break
		n=$((n + 1))
	done
	echo $n
}

# cycle_f2fs() - unload and load F2FS with fragtrace loaded; print the number of successes
cycle_f2fs() {
	local n

	n=0
	while [ $n -lt "$RELOADS" ]; do
		umount $MNT || break
		umount $MNT2 || break
		rmmod f2fs || break
		modprobe f2fs || break
		mount_volume $DISK $MNT || break
		mount_volume $DISK2 $MNT2 || break
		[ $((n % 3)) != 0 ] || loop_until $PATIENCE live $MNT || break
		write_some $MNT >/dev/null 2>&1 || break
		n=$((n + 1))
	done
	echo $n
}

plan 11
make_volume $DISK $MNT || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
echo "# seed $seed"
write_some $MNT
write_some $MNT2
# One cycle first, for memory that the kernel keeps after the first use.
load path=$MNT,$MNT2
settle
unload
before=$(memory)

forever write_some $MNT
forever write_some $MNT2
! command -v fio >/dev/null || forever write_fio $MNT
forever read_all
forever read_all
other_cpus 0
expect "the module is loaded and unloaded $LOADS times" "$(cycle_loads)" "$LOADS"
other_cpus 1
load path=$MNT2
expect "a target is added and removed $TARGETS times" "$(cycle_targets)" "$TARGETS"
stop_jobs
expect "the root of the volume is added" "$(fileop say $DBG/targets "add $MNT")" OK
check_exact "maps are exact after loads and targets, seed $seed" $MNT $MNT2

forever write_some $MNT
! command -v fio >/dev/null || forever write_fio $MNT
forever read_all
forever read_all
expect "a volume is unmounted without delay and mounted $MOUNTS times" "$(cycle_mounts)" "$MOUNTS"
stop_jobs
check_exact "maps are exact after the mounts" $MNT $MNT2

if [ -d /sys/module/f2fs ] && [ -e /sys/module/f2fs/initstate ]; then
	forever read_all
	forever read_all
	expect "F2FS is unloaded and loaded $RELOADS times" "$(cycle_f2fs)" "$RELOADS"
	stop_jobs
	check_exact "maps are exact after the loads of F2FS" $MNT $MNT2
else
	skip "F2FS is unloaded and loaded" "F2FS is built into this kernel"
	skip "maps are exact after the loads of F2FS" "F2FS is built into this kernel"
fi
check "the first umount succeeds" umount $MNT $MNT2
check "the module unloads" unload
mount_volume $DISK $MNT
mount_volume $DISK2 $MNT2
after=$(memory)
echo "# KiB of kernel memory: $before before, $after after"
if [ -e /sys/kernel/debug/kmemleak ]; then
	# kmemleak runs after all tests; KASAN keeps freed objects, so that memory cannot be compared.
	skip "all memory is freed" "kmemleak checks this"
else
	check "all memory is freed" test $((after - before)) -lt 4096
fi
finish
