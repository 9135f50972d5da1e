#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 99_latency_prices.sh - requests and times of reads: as the block layer counts them, and at the prices that disks are given
#
# It compares times, and needs a machine that does nothing else, so it runs only where it is named:
#	make one T=99_latency_prices
#
# kernels: named
# group: causes

PRICES=1
# shellcheck source=99_latency.sh
. "$(cd "$(dirname "$0")" && pwd)/99_latency.sh"
