#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 33_modes.sh - other modes of F2FS: rewriting in place, log only, scattering on purpose, small-volume tuning
#
# group: write
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# stir() - all kinds of writes
stir() {
	fileop write $MNT/a 0 4M
	sync
	fileop random $MNT/a 1024 200 "$1" every 3
	fileop random $MNT/a 1024 100 "$1" direct
	fuzz storm --seed "$1" --ops 200 $MNT
}

# stir_with(options, policy, [chunk, hole]) - the same on a new volume with these options; in fragment:block mode the size of
# chunks and of holes
stir_with() {
	mounted $MNT && umount $MNT
	mkfs.f2fs -q -f $DISK >/dev/null
	mkdir -p $MNT
	if ! mount -t f2fs -o "$1" $DISK $MNT; then
		skip "$1, in-place policy $2" "this kernel does not know it"
		return 0
	fi
	[ "$2" = own ] || echo "$2" >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
	if [ $# = 4 ]; then
		echo "$3" >"/sys/fs/f2fs/${DISK##*/}/max_fragment_chunk"
		echo "$4" >"/sys/fs/f2fs/${DISK##*/}/max_fragment_hole"
		set -- "$1, chunks of $3, holes of $4" "$2"
	fi
	loop_until $PATIENCE sh -c "awk '!/^#/ { print \$3 }' $DBG/targets | grep -q live" || :
	stir 5
	check_exact "$1, in-place policy $2" -u $MNT
}

plan 12
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
stir_with rw own
stir_with alloc_mode=default 16
stir_with alloc_mode=reuse 129
stir_with mode=lfs own
stir_with mode=fragment:block own
stir_with mode=fragment:block 0 1 7
stir_with mode=fragment:block 0 64 1
stir_with mode=fragment:segment 0
stir_with mode=adaptive,age_extent_cache 0
stir_with mode=lfs,nodiscard 0
stir_with noextent_cache,noinline_data,active_logs=2 0
stir_with fsync_mode=strict,nobarrier,checkpoint_merge 16
finish
