#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh - `make check`: all checks of the sources that do not run them; lists what it skips.
#
# usage: check.sh
#
# Installs what Debian has of it. For the two other checks: pip install ruff; smatch is built from its source. $CHECKPATCH is
# the path of a checkpatch.pl other than that of Debian's kernel 6.12.

set -eu -o pipefail

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

ft_packages build
# who is not root gets the checks whose programs are there
[ "$(id -u)" != 0 ] || ft_packages check
CHECKPATCH=${CHECKPATCH:-$(ft_source 6.12)/scripts/checkpatch.pl} || exit 1
export CHECKPATCH
"$FT_TESTS/host/static.sh" --more 2>&1 | grep --line-buffered -v '^ok .*: \(shellcheck\|dash reads it\|bash reads it\)$'
