#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh - `make mutants`: how many small mistakes in the code do the tests notice? See mutants.py.
#
# usage: mutants.sh [-n N] [--seed SEED] [--jobs N] [--only-changed] [PATH...]

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"
# The parser, and its grammar of C.
PARSER="tree-sitter==0.26.1 tree-sitter-c==0.24.2"

# install(folder) - create a Python environment with the parser in it
install() {
	[ ! -e "$1/ready" ] || return 0
	ft_say "installing $PARSER into the cache"
	rm -rf "$1"
	# shellcheck disable=SC2086 # two packages
	/usr/bin/python3 -m venv --system-site-packages "$1" >"$1.log" 2>&1 &&
		"$1/bin/python" -m pip -q --disable-pip-version-check install $PARSER >>"$1.log" 2>&1 && touch "$1/ready" ||
		ft_die "cannot install $PARSER with pip; see $1.log. Is there a network?"
}

ft_packages build viewer test reports full
venv=$(ft_cache)/mutants-venv
ft_locked mutants install "$venv"
PATH=$PATH:$(ft_prometheus) exec "$venv/bin/python" "$FT_TESTS/mutants/mutants.py" --cache "$(ft_cache)" "$@"
