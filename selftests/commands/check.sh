#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh - `make check`: everything that can be said of the sources without running them; names what it skips.
#
# usage: check.sh
#
# Nothing is installed but what the builds need. What makes it complete: apt install shellcheck sparse pyflakes3 mypy
# clang lld llvm, pip install ruff. $CHECKPATCH names another checkpatch.pl than that of Debian's kernel 6.12.

set -eu -o pipefail

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

CHECKPATCH=${CHECKPATCH:-$(ft_source 6.12)/scripts/checkpatch.pl} || exit 1
export CHECKPATCH
"$FT_TESTS/host/static.sh" --more 2>&1 | grep --line-buffered -v '^ok .*: \(shellcheck\|dash reads it\|bash reads it\)$'
