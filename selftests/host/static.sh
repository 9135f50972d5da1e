#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# static.sh - checks without running: licences, documents, layers, shell, Python, kernel style, kernel-doc.
#
# usage: static.sh [--more]
#
# --more adds the other checks of `make check`: checkpatch --strict, builds by gcc and clang with all warnings,
# coccinelle with the kernel's rules, smatch, clang-format, ruff and mypy. A check whose program is missing is skipped by name.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"
cd "$FT_TOP"

# sources(pattern...) - print the project's own files that match; no generated or ignored ones
sources() {
	local pattern

	for pattern; do
		find . -name .git -prune -o -name demo-out -prune -o -type f -name "$pattern" ! -name '*.mod.c' \
			! -name 'f2fs_private.h' ! -path './viewer/build/*' ! -path './defrag/build/*' -print
	done | sort
}

# script_dir() - print the folder of the newest kernel's scripts; print nothing if there is none
script_dir() {
	local dir last

	last=
	for dir in "$(ft_cache)"/kernels/6.12*/usr/lib/linux-kbuild-*/scripts; do
		[ -d "$dir" ] && last=$dir
	done
	echo "$last"
}

# checkpatch_file() - print the path of checkpatch.pl; Debian ships it with the kernel's source only
checkpatch_file() {
	local file

	for file in "${CHECKPATCH:-}" "$(script_dir)/checkpatch.pl" /usr/src/linux-source-*/scripts/checkpatch.pl; do
		if [ -f "$file" ]; then
			echo "$file"
			return 0
		fi
	done
}

# licensed() - print the files without a licence line
licensed() {
	local file

	for file in $(sources '*.sh' '*.c' '*.h' Makefile Kbuild '*.mk' '*.py' fragtrace-plot); do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0' || echo "# no licence: $file"
	done | grep . && return 1
	return 0
}

# merged() - print the lines that a merge with a conflict has left
merged() {
	! git grep -nI -E '^(<<<<<<<|>>>>>>>) '
}

# documented() - print the functions that are used by other files and have no kernel-doc
documented() {
	local file

	for file in $(sources '*.c' | sed -n 's,^\./\(\(module\|defrag/src\)/.*\),\1,p'); do
		awk -v file="$file" -v name="$([ "${file%%/*}" = module ] && echo 'ft_[a-z0-9_]*' || echo '[a-z0-9_]*')" '
			/^\/\*\*/ { doc = 1 }
			/^}/ { doc = 0 }
			$0 ~ "^[a-z].*[ *]" name "\\(" && !/^static/ && !/;$/ && !/^int main\(/ {
				if (!doc)
					print "# no kernel-doc: " file ":" FNR ": " $0
			}' "$file"
	done | grep . && return 1
	return 0
}

# used_after_put() - print where a record is used after its reference was given back, in the same block
used_after_put() {
	# shellcheck disable=SC2046 # a list of files
	awk 'match($0, /^\t*/) { depth = RLENGTH }
		depth < at || (name && $0 ~ "[^>.a-z_]" name " = ") { name = "" }
		name && $0 ~ "[^>.a-z_]" name "->" { print "# " FILENAME ":" FNR ": " name }
		match($0, /ft_(inode|volume)_put\([a-z_]+\);/) {
			name = substr($0, RSTART, RLENGTH)
			gsub(/.*\(|\);/, "", name)
			at = depth
		}' $(sources '*.c' | grep '^./module/') | grep . && return 1
	return 0
}

# built_quietly(word, make arguments...) - build the module for 6.12 with all warnings; only warnings with the word are allowed
built_quietly() {
	local log rc but

	but=$1
	shift
	log=$(mktemp)
	rc=0
	"$FT_TESTS/machine/build.sh" check 6.12 "$@" >/dev/null 2>"$log" || {
		tail -n 5 "$log" | sed 's/^/# /'
		rc=1
	}
	! grep -iE '(warn|warning|error):' "$log" | grep -v "$but" | sed 's/^/# /' | grep . || rc=1
	rm "$log"
	return $rc
}

# check_with(program, name, command...) - the command must succeed; skipped if there is no such program
check_with() {
	local program name

	program=$1 name=$2
	shift 2
	if command -v "$program" >/dev/null; then
		check "$name" "$@"
	else
		skip "$name" "$program is not installed"
	fi
}

# apply_rule(rule) - print what a rule of the kernel for coccinelle reports of module/
apply_rule() {
	# a rule names its options in a comment
	# shellcheck disable=SC2046 # a list of options
	spatch -D report --very-quiet --no-show-diff --cocci-file "$1" \
		$(sed -n 's,^\(//\|#\) *Options: *,,p' "$1" | head -n 1) --include-headers --dir module 2>"$1.log" ||
		echo "${1##*/}: spatch ended with status $?: $(head -n 1 "$1.log")"
}

# coccinelle(folder) - apply the kernel's rules in this folder; they must find nothing
coccinelle() {
	local dir rc pid rule

	dir=$(mktemp -d)
	cp -r "$1" "$dir/rules"
	# these cannot run without a compiler that Debian's coccinelle does not ask for
	if ! command -v ocamlopt >/dev/null; then
		rule=$(grep -rlE '^@.*(script|initialize|finalize):ocaml' "$dir/rules" || :)
		# shellcheck disable=SC2086 # a list of files
		[ -z "$rule" ] || rm $rule
		echo "# rules that need an OCaml compiler are left out: $(printf '%s\n' "$rule" | sed 's,.*/,,' | tr '\n' ' ')"
	fi
	for rule in "$dir"/rules/*/*.cocci; do
		apply_rule "$rule" >"$rule.found" &
		pid="${pid:-} $!"
		# two at a time
		# shellcheck disable=SC2086 # process IDs
		set -- $pid
		[ $# -lt 2 ] || {
			wait "$1"
			pid=$2
		}
	done
	wait
	rc=0
	! cat "$dir"/rules/*/*.found | sed 's/^/# /' | grep . || rc=1
	rm -r "$dir"
	return $rc
}

# styled() - print the files in C whose style is checked: all but one with macros that only look like C
styled() {
	sources '*.[ch]' | grep -v '/fragtrace_trace\.h$'
}

# words_of(filter...) - split what the filter prints into words, and leave out what clang-format and checkpatch disagree about
words_of() {
	"$@" | sed 's/\\$//; s/{ }/{}/g; s/\* const/*const/g' | tr -s ' \t\n' '\n'
}

# formatted() - print the words of C that clang-format would write in another way
#
# It decides on braces and on the space between words. How lines are broken and aligned is left to checkpatch.
formatted() {
	local file dir

	dir=$(mktemp -d)
	for file in $(styled); do
		words_of cat "$file" >"$dir/is"
		words_of clang-format --style=file "$file" >"$dir/should"
		cmp -s "$dir/is" "$dir/should" || {
			echo "# $file:"
			diff "$dir/is" "$dir/should" | sed -n 's/^[<>]/# &/p'
		}
	done >"$dir/found"
	! cat "$dir/found" | grep . || {
		rm -r "$dir"
		return 1
	}
	rm -r "$dir"
}

# more() - the additional checks of `make check`
more() {
	if [ -n "$checkpatch" ]; then
		# Locks are described in the comment of their struct; BIT() is not for a header that user space includes, too;
		# the parts of a tracepoint begin in the next line.
		# shellcheck disable=SC2046 # a list of files
		check "module/: checkpatch --strict" perl "$checkpatch" --strict -q --no-tree --no-summary --terse \
			--max-line-length=100 --ignore FILE_PATH_CHANGES,SPLIT_STRING,CONST_STRUCT,BIT_MACRO,MACRO_ARG_REUSE,MACRO_ARG_PRECEDENCE \
			--ignore UNCOMMENTED_DEFINITION,LINE_SPACING,PARENTHESIS_ALIGNMENT,OPEN_ENDED_LINE -f $(styled | grep '^./module/')
		# checkpatch stores what it read from git in the current folder
		rm -f .checkpatch-camelcase.*
	else
		skip "module/: checkpatch --strict" "checkpatch.pl is not here"
	fi
	if command -v sparse >/dev/null; then
		check "module/: no warning from gcc (W=1) and sparse" built_quietly nothing
	else
		check "module/: no warning from gcc (W=1); sparse is not installed" built_quietly nothing
	fi
	# objtool expects the thunks that clang is not asked for
	check_with clang "module/: no warning from clang (W=1)" built_quietly objtool: C=0 \
		CC="$FT_TESTS/machine/clang_as_gcc.sh"
	if [ -d "${checkpatch%/*}/coccinelle" ]; then
		check_with spatch "module/: coccinelle, with the kernel's rules" coccinelle "${checkpatch%/*}/coccinelle"
	else
		skip "module/: coccinelle, with the kernel's rules" "they are not beside checkpatch.pl"
	fi
	# smatch reports loops by macros as wrong indentation, and a bit of a map as a wrong mask.
	check_with smatch "module/: smatch" built_quietly 'inconsistent indenting\|shift has higher precedence' C=2 \
		CHECK="$FT_TESTS/machine/smatch.sh"
	check_with clang-format "C: clang-format: braces and spaces between words" formatted
	# shellcheck disable=SC2086 # lists of files
	check_with ruff "Python: ruff" ruff check -q --isolated --no-cache --select E4,E7,E9,F,W --line-length 120 $pythons
	# shellcheck disable=SC2046
	check_with mypy "Python: mypy" mypy --no-error-summary --cache-dir=/dev/null --ignore-missing-imports \
		--scripts-are-modules $(echo "$pythons" | grep -v '^./viewer/tests/')
}

MORE=0
[ "${1:-}" != --more ] || MORE=8
shells=$(sources '*.sh')
# shellcheck disable=SC2086 # a list of files
set -- $shells
pythons=$(sources '*.py' fragtrace-plot)
documents=$(python3 selftests/host/docs.py --list)
plan $(($# * 2 + 11 + $(echo "$documents" | wc -w) + MORE))
check "every file names its licence" licensed
check "no file has marks of a conflict" merged
check "every function that crosses files has kernel-doc" documented
check "no record is used after its reference was given back" used_after_put
if command -v python3 >/dev/null; then
	check "module/: each file uses its own floor and those below, see the map in main.c" python3 selftests/host/layers.py module
else
	skip "module/: each file uses its own floor and those below, see the map in main.c" "python3 is not installed"
fi
check_with clang "viewer/: clang, which compiles the page's reader, has no warning" make -s -C viewer reader-warnings
for name in $documents; do
	check "documents: $name, see selftests/host/docs.py" python3 selftests/host/docs.py "$name"
done
for file; do
	shell=dash
	! head -n 1 "$file" | grep -q bash || shell=bash
	check "$file: $shell reads it" $shell -n "$file"
	if ! command -v shellcheck >/dev/null; then
		skip "$file: shellcheck" "shellcheck is not installed"
	else
		check "$file: shellcheck" shellcheck -S warning -x -s $shell "$file"
	fi
done
if command -v pyflakes3 >/dev/null; then
	# shellcheck disable=SC2086 # a list of files
	check "Python: pyflakes" pyflakes3 $pythons
else
	skip "Python: pyflakes" "pyflakes3 is not installed"
fi
if [ -f "$(script_dir)/kernel-doc" ]; then
	# shellcheck disable=SC2046 # a list of files
	check "module/, defrag/: kernel-doc" perl "$(script_dir)/kernel-doc" -none -Wall -Werror \
		$(sources '*.[ch]' | grep '^./\(module\|defrag/src\)/')
else
	skip "module/, defrag/: kernel-doc" "no kernel headers with scripts/kernel-doc in the cache"
fi
# Macros that only kernel headers have: __noreturn, ARRAY_SIZE and so on.
KERNEL_ONLY=
checkpatch=$(checkpatch_file)
for dir in module selftests; do
	[ "$dir" = module ] || KERNEL_ONLY=PREFER_DEFINED_ATTRIBUTE_MACRO,ARRAY_SIZE,EMBEDDED_FUNCTION_NAME
	if [ -n "$checkpatch" ]; then
		# shellcheck disable=SC2046 # a list of files
		check "$dir/: checkpatch" perl "$checkpatch" -q --no-tree --no-summary --terse --max-line-length=100 \
			--ignore FILE_PATH_CHANGES,SPLIT_STRING,CONST_STRUCT,$KERNEL_ONLY -f $(styled | grep "^./$dir/")
	else
		skip "$dir/: checkpatch" "checkpatch.pl is not here; it comes with linux-source, or set CHECKPATCH"
	fi
done
if [ -n "$checkpatch" ]; then
	# in the style of the viewer: longer lines, tables of cases, and AUTO_FREE, which checkpatch takes for no declaration
	check "defrag/: checkpatch" perl "$checkpatch" -q --no-tree --no-summary --terse --max-line-length=120 \
		--ignore "FILE_PATH_CHANGES,SPLIT_STRING,CONST_STRUCT,$KERNEL_ONLY,TRAILING_STATEMENTS,VOLATILE,LINE_SPACING" -f defrag/src/*.[ch]
else
	skip "defrag/: checkpatch" "checkpatch.pl is not here; it comes with linux-source, or set CHECKPATCH"
fi
[ $MORE = 0 ] || more
finish
