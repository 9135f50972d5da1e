#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# age.sh - make /dev/vda an aged volume: full, then with files deleted at random.
#
# usage: age.sh FILL DELETE SEED, see age.py
#
# F2FS allocates as on a volume of 16 GB or more, like those who use the volume later.

set -eu

mkdir -p /mnt/f2fs
mkfs.f2fs -q -f /dev/vda >/dev/null
mount -t f2fs -o alloc_mode=default,background_gc=off /dev/vda /mnt/f2fs
echo 16 >/sys/fs/f2fs/vda/ipu_policy
mkdir /mnt/f2fs/old
/usr/bin/python3 "$(dirname "$0")/age.py" /mnt/f2fs/old "$@"
umount /mnt/f2fs
