#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# boot.sh - the module at boot, in the full guest: systemd loads it before F2FS is there, its parameters
# are in modprobe.d, and the volume is mounted later.
#
# usage: boot.sh    in the project's folder; prints the lines of `targets` before and after the mount

set -eu

rel=$(uname -r)
targets=/sys/kernel/debug/fragtrace/targets

# The guest sees folders of the host: mount separate ones over them.
mkdir -p /tmp/modules/"$rel"/kernel /tmp/modules/"$rel"/updates
modprobe --show-depends f2fs | sed -n 's/^insmod \([^ ]*\).*/\1/p' | while read -r file; do
	cp "$file" /tmp/modules/"$rel"/kernel/
done
cp /lib/modules/"$rel"/modules.builtin* /lib/modules/"$rel"/modules.order /tmp/modules/"$rel"/
cp "$FRAGTRACE_KO" /tmp/modules/"$rel"/updates/
rmmod f2fs
mount --bind /tmp/modules /lib/modules
depmod -a
for dir in modules-load.d modprobe.d; do
	# a bare machine has none
	mkdir -p /tmp/$dir /etc/$dir
	mount --bind /tmp/$dir /etc/$dir
done

echo fragtrace >/etc/modules-load.d/fragtrace.conf
echo "options fragtrace path=/mnt/db wait=1" >/etc/modprobe.d/fragtrace.conf
if [ -x /lib/systemd/systemd-modules-load ]; then
	/lib/systemd/systemd-modules-load >/dev/null 2>&1
else
	echo "# there is no systemd: modprobe does it" >&2
	modprobe fragtrace
fi
grep -v '^#' $targets
mkfs.f2fs -q -f /dev/vda >/dev/null
mount -t f2fs /dev/vda /mnt
mkdir /mnt/db
for _ in $(seq 100); do
	! grep -q ' live ' $targets || break
	sleep 0.5
done
awk '!/^#/ { print $3, $5 }' $targets
