#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 54_mounts.sh - read-only and back, bind mounts, overlayfs above, two volumes at once, another mount point

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
check_exact "read-only" $MNT
mount -o remount,rw $MNT
fileop random $MNT/a 256 60 "${SEED:-541}" every 3
check_exact "and writable again" $MNT
umount $MNT
mount -t f2fs -o ro $DISK $MNT
await_live
check_exact "mounted read-only" $MNT
case $(uname -r) in
6.1.*)
	skip "then writable" "fsync after that crashes F2FS of 6.1 (f2fs_issue_flush)"
	umount $MNT
	mount_volume $DISK $MNT
	;;
*)
	mount -o remount,rw $MNT
	echo 0 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
	fileop random $MNT/a 256 60 "${SEED:-542}" every 3
	check_exact "then writable" $MNT
	;;
esac
unload

mount --bind $MNT/d /mnt/bind
load path=/mnt/bind
fileop write $MNT/d/sub/one 0 64K
fileop write /mnt/bind/two 0 64K
check_exact "a bind mount of a folder, by its path" /mnt/bind
check "under that path" path_is /mnt/bind
mv $MNT/d/sub/one $MNT/d/three
fileop write $MNT/outside 0 64K
check_exact "changed through the other mount" /mnt/bind
umount /mnt/bind
fileop write $MNT/d/two 32K 64K
mount --bind $MNT/d /mnt/bind
check_exact "the bind mount gone for a while" /mnt/bind
umount /mnt/bind
check "the volume can be unmounted" umount $MNT
unload
mount_volume $DISK $MNT
load path=$MNT/d
mount --bind $MNT/d /mnt/bind
fileop write /mnt/bind/four 0 64K
check_exact "written through a bind mount" $MNT/d
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
	check_exact "the upper folder of an overlay" $MNT/d
	check "a file copied up is there" in_files $MNT/d/lower
	unload
	MARK="overlay itself"
	echo "$MARK" >/dev/kmsg
	expect "the overlay itself is refused" "$(fileop insmod "$FRAGTRACE_KO" path=/mnt/overlay)" EOPNOTSUPP
	check "and named" sh -c 'dmesg | tail -n 5 | grep fragtrace | grep -q overlay'
	umount /mnt/overlay
else
	for name in "the upper folder of an overlay" "a file copied up is there" "the overlay itself is refused" "and named"; do
		skip "$name" "this kernel has no overlayfs"
	done
fi

load path=$MNT/d,$MNT2/d
fuzz storm --seed "${SEED:-543}" --ops 150 $MNT/d >/dev/null &
fuzz storm --seed "${SEED:-544}" --ops 150 $MNT2/d >/dev/null
wait $!
check_exact "folders of two volumes, written to at once" $MNT/d $MNT2/d
unload
load path=$MNT,$MNT2
fuzz storm --seed "${SEED:-545}" --ops 100 $MNT/d >/dev/null &
fuzz storm --seed "${SEED:-546}" --ops 100 $MNT2/d >/dev/null
wait $!
check_exact "two volumes" $MNT $MNT2
umount $MNT
check_exact "one of them" $MNT2
umount $MNT2
# The volumes are exchanged: targets are paths.
mount_volume $DISK2 $MNT
mount_volume $DISK $MNT2
await_live
check_exact "in each other's place" $MNT $MNT2
umount $MNT
umount $MNT2
mkdir -p /mnt/elsewhere
mount_volume $DISK /mnt/elsewhere
expect "mounted elsewhere, nothing is shown" "$(grep -vc '^#' $DBG/files)" 0
expect "until it is asked for" "$(fileop say $DBG/targets "add /mnt/elsewhere")" OK
fileop write /mnt/elsewhere/a 0 64K
check "it is seen" loop_until "$PATIENCE" in_files /mnt/elsewhere/a
fileop say $DBG/targets "del $MNT" >/dev/null
fileop say $DBG/targets "del $MNT2" >/dev/null
check_exact "and exact" /mnt/elsewhere
check "and let go" umount /mnt/elsewhere
finish
