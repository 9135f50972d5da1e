#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 54_mounts.sh - read-only and back, bind mounts, overlayfs above, two volumes at once, another mount point
#
# blocks: any
# group: names targets

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# end() - undo the mounts above the volumes first
end() {
	umount /mnt/overlay /mnt/bind 2>/dev/null || :
	cleanup
}
trap end EXIT

# path_is(path) - is there a watched directory with this path?
path_is() {
	awk -v path="$1" '!/^#/ && $5 == path { found = 1 } END { exit !found }' $DBG/targets
}

plan 23
make_volume $DISK $MNT || bail "no volume"
make_volume $DISK2 $MNT2 || bail "no second volume"
mkdir -p /mnt/bind /mnt/overlay $MNT/d/sub $MNT2/d
fileop write $MNT/a 0 1M
load path=$MNT
mount -o remount,ro $MNT
check_exact "maps are exact after a remount read-only" $MNT
mount -o remount,rw $MNT
fileop random $MNT/a 256 60 "${SEED:-541}" every 3
check_at_once "maps are exact after a remount read-write" $MNT
umount $MNT
mount -t f2fs -o ro $DISK $MNT
await_live
check_exact "maps are exact after a read-only mount" $MNT
case $(uname -r) in
6.1.*)
	skip "maps are exact after this mount is made writable" "fsync after that crashes F2FS of 6.1 (f2fs_issue_flush)"
	umount $MNT
	mount_volume $DISK $MNT
	;;
*)
	mount -o remount,rw $MNT
	echo 0 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
	fileop random $MNT/a 256 60 "${SEED:-542}" every 3
	check_at_once "maps are exact after this mount is made writable" $MNT
	;;
esac
unload

mount --bind $MNT/d /mnt/bind
load path=/mnt/bind
settle
fileop write $MNT/d/sub/one 0 64K
fileop write /mnt/bind/two 0 64K
check_at_once "maps are exact for a bind mount of a directory" /mnt/bind
check "files have the path of the bind mount" path_is /mnt/bind
mv $MNT/d/sub/one $MNT/d/three
fileop write $MNT/outside 0 64K
check_at_once "maps are exact after changes through the other mount" /mnt/bind
umount /mnt/bind
fileop write $MNT/d/two 32K 64K
mount --bind $MNT/d /mnt/bind
await_live
check_exact "maps are exact after the bind mount is unmounted and mounted" /mnt/bind
umount /mnt/bind
check "the volume is unmounted" umount $MNT
unload
mount_volume $DISK $MNT
load path=$MNT/d
mount --bind $MNT/d /mnt/bind
fileop write /mnt/bind/four 0 64K
check_exact "maps are exact after writes through a bind mount" $MNT/d
umount /mnt/bind
unload

mkdir -p $MNT/work
fileop write $MNT2/lower 0 256K
fileop write $MNT2/d/lower 0 256K
sync
if modprobe overlay 2>/dev/null &&
	mount -t overlay -o "lowerdir=$MNT2,upperdir=$MNT/d,workdir=$MNT/work" none /mnt/overlay 2>/dev/null; then
	load path=$MNT/d
	fileop write /mnt/overlay/new 0 256K
	fileop write /mnt/overlay/lower 4K 8K
	mkdir /mnt/overlay/dir
	fileop many /mnt/overlay/dir/f 20 5000 3000
	rm /mnt/overlay/d/lower
	mv /mnt/overlay/new /mnt/overlay/dir/renamed
	check_exact "maps are exact for the upper directory of an overlay" $MNT/d
	check "a file that was copied up is listed" in_files $MNT/d/lower
	unload
	MARK="overlay itself"
	echo "$MARK" >/dev/kmsg
	expect "the overlay itself is refused as a target" "$(fileop insmod "$FRAGTRACE_KO" path=/mnt/overlay)" EOPNOTSUPP
	check "the log names the overlay" sh -c 'dmesg | tail -n 5 | grep fragtrace | grep -q overlay'
	umount /mnt/overlay
else
	for name in "maps are exact for the upper directory of an overlay" "a file that was copied up is listed" \
		"the overlay itself is refused as a target" "the log names the overlay"; do
		skip "$name" "this kernel has no overlayfs"
	done
fi

load path=$MNT/d,$MNT2/d
fuzz storm --seed "${SEED:-543}" --ops 150 $MNT/d >/dev/null &
fuzz storm --seed "${SEED:-544}" --ops 150 $MNT2/d >/dev/null
wait $!
check_exact "maps are exact after directories of two volumes are written at the same time" $MNT/d $MNT2/d
unload
load path=$MNT,$MNT2
fuzz storm --seed "${SEED:-545}" --ops 100 $MNT/d >/dev/null &
fuzz storm --seed "${SEED:-546}" --ops 100 $MNT2/d >/dev/null
wait $!
check_exact "maps are exact on two volumes" $MNT $MNT2
umount $MNT
check_exact "maps are exact after one of them is unmounted" $MNT2
umount $MNT2
# The volumes are exchanged: targets are paths.
mount_volume $DISK2 $MNT
mount_volume $DISK $MNT2
await_live
check_exact "maps are exact after the two volumes are mounted in each other's place" $MNT $MNT2
umount $MNT
umount $MNT2
mkdir -p /mnt/elsewhere
mount_volume $DISK /mnt/elsewhere
expect "no file is listed after the volume is mounted elsewhere" "$(grep -vc '^#' $DBG/files)" 0
expect "the new mount point is added as a target" "$(fileop say $DBG/targets "add /mnt/elsewhere")" OK
fileop write /mnt/elsewhere/a 0 64K
check "the files of the new target are listed" loop_until "$PATIENCE" in_files /mnt/elsewhere/a
fileop say $DBG/targets "del $MNT" >/dev/null
fileop say $DBG/targets "del $MNT2" >/dev/null
check_exact "maps of the new target are exact" /mnt/elsewhere
check "the volume is unmounted from there" umount /mnt/elsewhere
finish
