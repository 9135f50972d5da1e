#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 43_swap.sh - a swap file
#
# blocks: any
# group: features

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# make_swap(file) - make a swap file as F2FS requires it: pinned and reserved
make_swap() {
	: >"$1"
	chmod 600 "$1"
	fileop pin "$1" 1
	fileop fallocate "$1" default 0 64M
	mkswap "$1" >/dev/null
	sync
}

plan 5
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
make_swap $MNT/swap
check_exact "maps are exact after a swap file is created" -u $MNT
if swapon $MNT/swap; then
	ok "swapon accepts the file"
	fileop write $MNT/other 0 1M
	check_exact "maps are exact after other files are written" -u $MNT
	swapoff $MNT/swap
	check_exact "maps are exact after swapoff" -u $MNT
else
	skip "swapon accepts the file" "this kernel refuses the file"
	skip "maps are exact after other files are written" "no swap"
	skip "maps are exact after swapoff" "no swap"
fi
# A fragmented one: F2FS moves it into whole sections when it is switched on.
fileop write $MNT/pieces 0 8M
sync
fileop random $MNT/pieces 2048 300 "${SEED:-73}" every 5
chmod 600 $MNT/pieces
mkswap $MNT/pieces >/dev/null
sync
if swapon $MNT/pieces 2>/dev/null; then
	swapoff $MNT/pieces
fi
check_exact "maps are exact for a fragmented swap file" -u $MNT
finish
