#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# papers.sh - does `make papers` judge recorded data rightly, go on after an interruption, and report all of it? Boots no guest.
#
# usage: papers.sh [options of pytest...]

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
viewer=${FT_TESTS%/*}/viewer
# fragsnap asks the program
make -s -C "$viewer" >&2
# viewer/tests/conftest.py makes pytest print KTAP
PYTHONPATH=$FT_TESTS/papers:$viewer/tests:$viewer/python PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 -m pytest -q \
	-p no:cacheprovider -p conftest --ktap "$@" "$FT_TESTS/papers/tests"
