# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# common.sh - what the guest's parts of `make papers` share: volumes, the module, moments, facts.
#
# A fact is a line `name value` in a file of $OUT, for papers/facts.py.

set -eu

# shellcheck source=../../lib.sh disable=SC2154 # who sources this file sets it
. "$here/../../lib.sh"

# What is watched, and what holds the database.
DB=$MNT/db
STATE=/sys/fs/f2fs/vda

# die(text...) - end the guest's part
die() {
	echo "papers: $*" >&2
	exit 1
}

# volume(kind) - mount the volume, and watch an empty folder of it
#
#   clean, small   an empty F2FS on the whole disk, with all of F2FS's defaults for its size
#   aged, full     the volume that age.sh has left there, with the settings of a volume of 16 GB or more
volume() {
	mkdir -p $MNT
	case $1 in
	clean | small)
		mkfs.f2fs -q -f /dev/vda >/dev/null
		mount -t f2fs /dev/vda $MNT
		;;
	aged | full)
		mount -t f2fs -o alloc_mode=default /dev/vda $MNT
		echo 16 >$STATE/ipu_policy
		;;
	*) die "volume '$1': expected clean, small, aged or full" ;;
	esac
	mkdir $DB
	insmod "$FRAGTRACE_KO" path=$DB
	echo "kernel $(uname -r)" >"$OUT/guest.facts"
	{
		echo "mount_options $(awk -v mnt=$MNT '$2 == mnt { print $4 }' /proc/mounts)"
		echo "ipu_policy $(cat $STATE/ipu_policy)"
		echo "free_segments $(cat $STATE/free_segments)"
		echo "dirty_expire_centisecs $(cat /proc/sys/vm/dirty_expire_centisecs)"
	} >>"$OUT/guest.facts"
}

# written() - print the KiB that were written to the device since the boot
written() {
	awk '{ print $7 / 2 }' /sys/block/vda/stat
}

# moment(name, seconds) - keep all that is known of this moment, without any sync
moment() {
	cat $DBG/snapshot >"$OUT/$1.snapshot"
	cat $DBG/by_pair >"$OUT/$1.by_pair"
	{
		echo "seconds $2"
		echo "written_kib $(written)"
		echo "free_segments $(cat $STATE/free_segments)"
		cat $DBG/stats
	} >"$OUT/$1.facts"
	echo "moment $1: $(awk '!/^#/ { files++; frag += $6 > 1 } END { printf "%d files, %d fragmented", files, frag }' $DBG/files)"
}

# end_all(seconds) - the last moment, with all written back and each map exact; compare with FIEMAP, and end
end_all() {
	sync
	loop_until 120 all_exact || die "maps are still not exact after 120 s"
	moment end "$1"
	fiemap-check -d $DBG $DB >"$OUT/fiemap-check" 2>&1 || {
		sync
		loop_until 120 all_exact || :
		fiemap-check -d $DBG $DB >"$OUT/fiemap-check" 2>&1 || die "fragtrace and FIEMAP disagree: $(tail -n 3 "$OUT/fiemap-check")"
	}
	umount $MNT
	rmmod fragtrace
}
