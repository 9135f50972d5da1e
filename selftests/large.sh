#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# large.sh - 94_large.sh at full scale: a file with 100 000 names, and 1 000 000 files.
#
# usage: large.sh [VERSION]

set -eu

here=$(cd "$(dirname "$0")" && pwd)
exec "$here/guest.sh" -k "${1:-6.12}" -d 24G -M 6G -t 10800 -- env LINKS=100000 DIRS=1000 ROOMY=1500 TIGHT=64 \
	PATIENCE_LARGE=3600 TEST_LIMIT=10800 /selftests/in_guest.sh 94_large.sh
