#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh - `make check`: all checks of the sources that do not run them; lists what it skips. Then small mistakes in the files that
# have changed: do the tests notice them?
#
# usage: check.sh    with $MUTANTS (how many of these mistakes; default 20, 0: none)
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
if [ "${MUTANTS:-20}" = 0 ]; then
	echo "# MUTANTS=0: no mistakes were made in what has changed"
else
	# One in twenty survives, so none of them is a failure. Each is a question: which test should know?
	"$FT_TESTS/mutants/mutants.sh" -n "${MUTANTS:-20}" --only-changed || echo "# some survived, or could not be tried: see above"
fi
