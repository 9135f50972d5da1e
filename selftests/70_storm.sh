#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 70_storm.sh - random operations of all kinds over many files

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

plan 5
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
seed=${SEED:-$(date +%s)}
for round in 1 2 3; do
	fileop storm $MNT 40 600 $((seed + round))
	check_exact "round $round, seed $((seed + round))" $MNT
done
# Several at once, each in its own directory, with the collector at work.
for job in 1 2 3; do
	mkdir $MNT/job$job
	fileop storm $MNT/job$job 20 400 $((seed + 10 * job)) &
done
fileop gc $MNT 1 5
wait
check_exact "three storms at once, seed $seed" $MNT
fileop gc $MNT 1 30
check_exact "collected" $MNT
finish
