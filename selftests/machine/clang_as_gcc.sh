#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# clang_as_gcc.sh - compile with clang by the options of a kernel that was built by gcc, for the warnings of clang.
#
# usage: make CC=clang_as_gcc.sh    in headers of Debian's kernels, whose configuration has what gcc alone knows
#
# What is built so is not meant to be loaded. A kernel that was built by clang takes `make LLVM=1` as usual.

options=()
for option; do
	case $option in
	-mfunction-return=* | -mindirect-branch* | -mrecord-mcount | -fconserve-stack | -fmin-function-alignment=*) ;;
	-ftrivial-auto-var-init=zero) ;;
	*) options+=("$option") ;;
	esac
done
# What the kernel turns off for clang, and what its headers do to per-CPU variables of gcc's address spaces.
exec clang "${options[@]}" -Qunused-arguments -Wno-unknown-warning-option -Wno-gnu -Wno-duplicate-decl-specifier \
	-Wimplicit-fallthrough
