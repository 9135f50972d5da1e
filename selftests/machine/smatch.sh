#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# smatch.sh - smatch as kbuild's CHECK: kbuild calls with `make -s` throw away what goes to standard output.

exec smatch -p=kernel "$@" >&2
