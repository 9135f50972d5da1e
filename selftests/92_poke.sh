#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 92_poke.sh - random writes to targets, resync and audit by several threads, while others read and write
#
# Each write succeeds or fails with a documented error, each target can be removed by the name in
# `targets`, and the map is exact in the end. SECONDS_POKED is the duration.
#
# kernels: first
# group: hostile
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# del_all() - remove each target by the path that is shown, until there is none; print the errors
del_all() {
	grep -v '^#' $DBG/targets | cut -d ' ' -f 5 | while read -r path; do
		said=$(fileop say $DBG/targets "del $path")
		[ "$said" = OK ] || echo "$path:$said"
	done
}

plan 6
seed=${SEED:-$(date +%s)}
make_volume $DISK $MNT || bail "no volume"
mkdir $MNT/poked $MNT/storm
load path=$MNT/poked
# Each refused write is logged: not on the serial line.
dmesg -n 1
(
	n=$seed
	while :; do
		fuzz storm --seed $n --ops 100 $MNT/storm >/dev/null 2>&1
		n=$((n + 1))
	done
) &
writer=$!
check "writes succeed or fail as documented, texts are complete, seed $seed" \
	poke $DBG $MNT/poked "${SECONDS_POKED:-10}" "$seed"
kill $writer
wait $writer 2>/dev/null || :
dmesg -n 8
echo "# $(grep -vc '^#' $DBG/targets) targets are left"
fileop say $DBG/targets "add $MNT/storm" >/dev/null
expect "each target is removed by its path in targets" "$(del_all)" ""
expect "targets is empty" "$(grep -vc '^#' $DBG/targets)" 0
expect "the volume is added as a target" "$(fileop say $DBG/targets "add $MNT")" OK
check_exact "maps are exact" $MNT
unload
check "the volume is unmounted" umount $MNT
finish
