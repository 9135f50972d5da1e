#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# papers.sh - `make papers`: run the experiments of papers that have no result yet, and write a report.
#
# usage: papers.sh [--only NAME,...] [--seconds N] [--long N] [--kernel VERSION] [--records N] [--quick] [--report] [--keep FOLDER] FOLDER
#
# The folder gets a folder for each experiment, report.html, which needs no other file, and report.md. What the Python package
# papers/ does is described in its __init__.py.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

case " $* " in
*" --quick "* | *" --report "*) ft_packages build guest full viewer reports demo bench ;;
*) ft_packages build guest full viewer reports demo bench papers ;;
esac
make -s -C "$FT_TOP/viewer" >&2 || ft_die "papers: the viewer does not build"
make -s -C "$FT_TOP" viewer >&2 || ft_die "papers: fragtrace does not build"
PYTHONPATH=$FT_TESTS/papers:$FT_TOP/viewer/python PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 -m papers "$@"
