#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 61_bad_path.sh - an invalid path refuses the load, reports which and why, and leaves nothing
#
# kernels: first
# group: targets quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# bad(name, errno, word for the log, parameters) - such a load must fail with this error and this word
bad() {
	local got

	MARK="bad path $KTAP_DONE"
	echo "$MARK" >/dev/kmsg
	got=$(fileop insmod "$FRAGTRACE_KO" "$4")
	expect "$1: $2" "$got" "$2"
	# printk limits the length of a line: a long path is cut off.
	if log_since | grep fragtrace | grep -qF -- "$3"; then
		ok "$1: the message has the reason"
	else
		not_ok "$1: the message has the reason" "no '$3' in: $(log_since | grep fragtrace | cut -c 1-200)"
	fi
	refuse "$1: the module is not loaded" loaded
	! loaded || unload
	[ ! -e $DBG ] || echo "# $DBG is still there"
}

# long(count) - print a path of so many characters
long() {
	printf '/%0*d' "$(($1 - 1))" 0
}

plan 35
make_volume $DISK $MNT || bail "no volume"
make_plain $DISK2 $MNT2 || bail "no ext4"
mkdir $MNT/d
echo x >$MNT/file
ln -s nowhere $MNT/dangling
bad "a missing path" ENOTDIR /mnt/missing path=/mnt/missing
bad "a dangling link" ENOTDIR $MNT/dangling path=$MNT/dangling
cd /
bad "a relative path" EINVAL "must begin with /" path=${MNT#/}/d
bad "a file" ENOTDIR $MNT/file path=$MNT/file
bad "ext4" EOPNOTSUPP ext4 path=$MNT2
bad "proc" EOPNOTSUPP proc path=/proc
bad "the same path twice" EINVAL $MNT/d "path=$MNT/d,$MNT/d"
bad "the same path, spelled in another way" EINVAL $MNT/d/ "path=$MNT/d,$MNT/d/"
bad "an empty item" EINVAL path "path=$MNT,,$MNT/d"
bad "an empty item at the end" EINVAL path "path=$MNT,"
bad "5000 characters" ENAMETOOLONG /0000000000 "path=$(long 5000)"
check "a valid path is accepted afterwards" insmod "$FRAGTRACE_KO" path=$MNT
check_exact "maps are exact for the valid path" $MNT
finish
