#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# clang_as_gcc.sh - compile with clang and the options of a kernel that was built by gcc, to get the warnings of clang.
#
# usage: make CC=clang_as_gcc.sh    in headers of Debian's kernels, whose configuration has options of gcc only
#
# The result is not meant to be loaded. For a kernel that was built by clang, use `make LLVM=1` as usual.

options=()
for option; do
	case $option in
	-mfunction-return=* | -mindirect-branch* | -mrecord-mcount | -fconserve-stack | -fmin-function-alignment=*) ;;
	-ftrivial-auto-var-init=zero) ;;
	*) options+=("$option") ;;
	esac
done
# Warnings that the kernel disables for clang, and warnings about per-CPU variables in gcc's address spaces.
exec clang "${options[@]}" -Qunused-arguments -Wno-unknown-warning-option -Wno-gnu -Wno-duplicate-decl-specifier \
	-Wimplicit-fallthrough
