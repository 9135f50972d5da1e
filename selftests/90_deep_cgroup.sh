#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 90_deep_cgroup.sh - writers in a cgroup below many others: the map is exact, and the begin of the cgroup's path is kept
#
# The name of a writer changes before each write, so that it is a new process each time. Its time is printed; the check finds
# a writer that hangs, not one that is slow. DEPTH is the number of nested cgroups.
#
# kernels: first
# blocks: any
# group: causes

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

CGROUPS=/sys/fs/cgroup
DEPTH=${DEPTH:-1000}

# in_cgroup(depth, command...) - run a command in a cgroup below so many others
in_cgroup() {
	fileop deep $CGROUPS/top "$1" 1 sh -c 'echo 0 >cgroup.procs && cd / && shift && exec "$@"' sh "$@"
}

# writes(depth) - write as many processes
writes() {
	in_cgroup "$1" sh /tmp/writes
}

plan 4
[ -f $CGROUPS/cgroup.procs ] || mount -t cgroup2 none $CGROUPS || skip_rest "cgroups" "this kernel has none of version 2"
make_volume $DISK $MNT noinline_data || bail "no volume"
mkdir $CGROUPS/top
cat >/tmp/writes <<-END
	n=0
	while [ \$n -lt 300 ]; do
		echo "n\$n" >/proc/self/comm
		echo >>$MNT/file
		n=\$((n + 1))
	done
END
load path=$MNT
settle
own_time "a writer in a deep cgroup" writes 1
in_cgroup "$DEPTH" true || bail "no nested cgroups"
in_time "a writer in a deep cgroup" writes "$DEPTH"
sync
check_exact "the map is exact" $MNT
in_cgroup "$DEPTH" fileop write $MNT/deep 0 4096
in_cgroup 3 fileop write $MNT/three 0 4096
n=0
while [ $n -lt 8 ]; do
	n=$((n + 1))
	in_cgroup "$DEPTH" fileop append $MNT/deep 4096 1 fdatasync
	in_cgroup 3 fileop append $MNT/three 4096 1 fdatasync
done
# the texts of the snapshot: paths of files, and of the cgroups of processes
tr '\0' '\n' <$DBG/snapshot >/tmp/texts
check "the begin of its path is kept" grep -q "^/top/d/d/d/d/d/d/d/d" /tmp/texts
check "a short path is kept in full" grep -qx '/top/d/d/d' /tmp/texts
unload
(cd $CGROUPS && rmdir -p "top$(printf "%0${DEPTH}d" 0 | sed 's|0|/d|g')") 2>/dev/null || :
finish
