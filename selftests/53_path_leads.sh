#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 53_path_leads.sh - a target is what its path leads to: two volumes, one mounted in a folder of the other, and mounts over it
#
# kernels: first
# group: targets
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

INNER=$MNT/inner
# The end of the path of a file below a mount point, as texts show it.
HIDDEN='\040(hidden)'

# end() - undo the mounts above the volumes first
end() {
	umount $MNT/d $MNT/bound $INNER $INNER 2>/dev/null || :
	cleanup
}
trap end EXIT

# target_is(state, device, path) - is there a target with these?
target_is() {
	awk -v state="$1" -v dev="$2" -v path="$3" '$3 == state && $1 == dev && $5 == path { found = 1 } END { exit !found }' $DBG/targets
}

# dev_of(disk) - print the numbers of a device
dev_of() {
	cat "/sys/class/block/${1##*/}/dev"
}

# leads(name, state, device) - the target comes to this state, and its maps are exact
leads() {
	check "$1" loop_until $PATIENCE target_is "$2" "$3" $INNER
	[ "$2" = waiting ] || check_exact "$1: maps are exact" $INNER
}

plan 45
make_volume $DISK $MNT || bail "no volume"
mkdir -p $INNER $MNT/d $MNT/bound
fileop write $INNER/below 0 64K
fileop write $INNER/pieces.log 0 64K
fileop random $INNER/pieces.log 16 8 "${SEED:-531}" every 2
fileop write $MNT/d/file 0 64K
make_volume $DISK2 $INNER || bail "no second volume"
mkdir $INNER/folder
fileop write $INNER/above 0 64K
outer=$(dev_of $DISK)
inner=$(dev_of $DISK2)
load path=$INNER
leads "the target is the volume that is mounted there" live "$inner"
umount $INNER
leads "after its umount the target is the folder below" live "$outer"
check "the log names the volume" logged "path $INNER: is there again and watched, on the volume $outer at $MNT"
check "the file below is listed" in_files $INNER/below
mount_volume $DISK2 $INNER
leads "after the next mount the target is the volume again" live "$inner"
check "the file on it is listed" in_files $INNER/above
refuse "the file below is not listed" in_files $INNER/below

# Files below a mount point have no path: they are marked, as long as something is mounted there.
expect "the folder around it is watched, too" "$(fileop say $DBG/targets "add $MNT")" OK
settle || bail "maps are not exact"
check "a file below the mount point is marked" in_files "$INNER/below$HIDDEN"
check "so it is in the table" in_table "$INNER/below$HIDDEN"
check "no other file is marked" in_files $MNT/d/file
check "sums have its extension" sums_agree
mount --bind $MNT/bound $MNT/d
check "a file below a folder that is bound is marked" in_files "$MNT/d/file$HIDDEN"
umount $MNT/d
check "it is not marked after that" in_files $MNT/d/file
unshare -m sh -c "mount --make-rprivate / 2>/dev/null; mount -t tmpfs none $MNT/d && echo >/tmp/mounted && sleep 30" &
private=$!
check "something is mounted there in another namespace" loop_until $SOON test -e /tmp/mounted
check "nothing is marked then" in_files $MNT/d/file
kill $private
wait $private 2>/dev/null || :
expect "that folder is not watched any more" "$(fileop say $DBG/targets "del $MNT")" OK

mount -t tmpfs none $INNER
leads "the target waits while a tmpfs is mounted over it" waiting -
umount $INNER
leads "the target is live after the umount of the tmpfs" live "$inner"
mount --bind $MNT/d $INNER
leads "the target is a folder that is bound over it" live "$outer"
umount $INNER
leads "the target is the volume after the folder is unbound" live "$inner"
mkdir -p /tmp/up /tmp/low
mount -t tmpfs none /tmp/up
mkdir /tmp/up/up /tmp/up/work
if modprobe overlay 2>/dev/null && mount -t overlay -o "lowerdir=$INNER,upperdir=/tmp/up/up,workdir=/tmp/up/work" none $INNER 2>/dev/null; then
	leads "the target waits while an overlay is mounted over it" waiting -
	umount $INNER
else
	skip "the target waits while an overlay is mounted over it" "this kernel has no overlayfs"
fi
umount /tmp/up
leads "the target is live after the umount of the overlay" live "$inner"

# What other namespaces and root directories mount there does not count.
unshare -m sh -c "mount --make-rprivate / 2>/dev/null; mount -t tmpfs none $INNER && sleep 6"
check "a mount in another namespace changes nothing" target_is live "$inner" $INNER
mkdir -p $MNT/bin
cp /bin/busybox $MNT/bin/
expect "a path is added from another root directory" "$(chroot $MNT /bin/busybox sh -c 'echo "add /d" >&3 && echo OK' 3>$DBG/targets)" OK
sleep 5
check "this target stays, although its path leads nowhere here" target_is live "$outer" /d
fileop write $MNT/d/more 0 64K
mount --bind $MNT/d $MNT/bound
expect "a target is removed by another path that leads to it" "$(fileop say $DBG/targets "del $MNT/bound")" OK
ln -s inner $MNT/link
expect "a resync takes another path that leads to the target" "$(fileop say $DBG/resync "$MNT/link")" OK
expect "an audit takes another path that leads to the target" "$(fileop say $DBG/audit "$MNT/link")" OK
expect "a path of a folder that is no target is refused" "$(fileop say $DBG/resync "$INNER/folder")" EINVAL
umount $MNT/bound

mkdir -p $MNT/e /tmp/ns
expect "a path is added that only another mount namespace has" "$(unshare -m sh -c "mount --make-rprivate / 2>/dev/null; mount --bind $MNT/e /tmp/ns && echo 'add /tmp/ns' >&3 && echo OK" 3>$DBG/targets)" OK
sleep 5
check "this target stays, too" sh -c "awk '\$3 == \"live\" && \$5 == \"/tmp/ns\"' $DBG/targets | grep -q ."
expect "it is removed by the path that leads to it here" "$(fileop say $DBG/targets "del $MNT/e")" OK

# Its root directory is one that pivot_root has made.
mkdir -p $MNT/e/bin $MNT/e/old $MNT/e/here /tmp/root
cp /bin/busybox $MNT/e/bin/
cat >$MNT/e/inside <<-END
	cd /new && busybox pivot_root . old && exec /bin/busybox chroot . /bin/busybox sh -c 'echo "add /here" >&3 && echo OK'
END
expect "a path is added from the root directory of pivot_root" "$(unshare -m sh -c "mount --make-rprivate / 2>/dev/null
	mount -t tmpfs none /tmp/root && cd /tmp/root && mkdir bin new && cp /bin/busybox bin/ && mount --bind $MNT/e new &&
	exec chroot . /bin/busybox sh /new/inside" 3>$DBG/targets)" OK
sleep 5
check "this target stays, too: /here" sh -c "awk '\$3 == \"live\" && \$5 == \"/here\"' $DBG/targets | grep -q ."
expect "it is removed by the path that leads there from here" "$(fileop say $DBG/targets "del $MNT/e/here")" OK

# In a folder that folds case each spelling is a path of the same file.
umount $INNER
if mkfs.f2fs -q -f -O casefold -C utf8 $DISK2 >/dev/null 2>&1 && mount_volume $DISK2 $INNER 2>/dev/null &&
	mkdir $INNER/fold && fileop casefold $INNER/fold; then
	mkdir $INNER/fold/Data
	expect "a folder is added by one spelling" "$(fileop say $DBG/targets "add $INNER/fold/Data")" OK
	expect "and removed by another" "$(fileop say $DBG/targets "del $INNER/fold/dATA")" OK
else
	skip "a folder is added by one spelling" "this kernel cannot fold case"
	skip "and removed by another" "this kernel cannot fold case"
fi
finish
