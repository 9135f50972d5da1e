#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 57_shutdown_zones.sh - 57_shutdown.sh on a zoned disk, whose zones cannot be written up to their end: F2FS goes on after write pointers
#
# group: targets
# blocks: any

ZONES=1
# shellcheck source=57_shutdown.sh
. "$(cd "$(dirname "$0")" && pwd)/57_shutdown.sh"
