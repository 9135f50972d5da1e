#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 70_fuzz_zones.sh - 70_fuzz.sh on zoned disks, of which every other one has zones that cannot be written up to their end
#
# group: random
# blocks: any

FUZZ_ZONED=1 FUZZ_SECONDS=${FUZZ_SECONDS:-15}
# shellcheck source=70_fuzz.sh
. "$(cd "$(dirname "$0")" && pwd)/70_fuzz.sh"
