#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lockdown.sh - Secure Boot: a kernel that enforces signatures, or is locked down
#
# usage: lockdown.sh [KERNEL...]
#
# Each mode needs a separate guest, because none can be undone. in_guest/lockdown.sh has the tests.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

[ $# -gt 0 ] || set -- 6.12
dir=$(mktemp -d "$(ft_cache)/test.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# signed(module, out) - sign a module with a key that is not enrolled
signed() {
	local tool

	tool=$(find "$KROOT/usr/lib" -path '*/scripts/sign-file' 2>/dev/null | head -n 1)
	[ -n "$tool" ] || return 1
	openssl req -new -x509 -newkey rsa:2048 -nodes -subj /CN=stranger -days 2 -outform DER \
		-keyout "$dir/key.pem" -out "$dir/key.der" 2>"$dir/said" || return 1
	cp "$1" "$2"
	ft_inside "$tool" sha256 "$dir/key.pem" "$dir/key.der" "$2"
}

# try(name, kernel, kernel parameters, arguments of in_guest/lockdown.sh...) - the tests in a guest must pass
try() {
	local name kernel settings rc

	name=$1 kernel=$2 settings=$3
	shift 3
	rc=0
	"$FT_TESTS/machine/guest.sh" -k "$kernel" -m "$module" -f "$dir/signed.ko" ${settings:+-a "$settings"} \
		-- /selftests/in_guest/lockdown.sh "$@" >"$dir/out" 2>&1 || rc=$?
	# print the guest's own results as comments
	sed 's/^[^#]/# &/' "$dir/out"
	expect "$name" $rc 0
}

plan $(($# * 4))
for version; do
	ft_kernel "$version"
	module=$("$FT_TESTS/machine/build.sh" module "$version")
	if ! signed "$module" "$dir/signed.ko"; then
		for how in module.sig_enforce=1 lockdown=integrity lockdown=confidentiality loaded; do
			skip "$version: $how" "nothing can be signed: openssl, or the kernel's sign-file is not here"
		done
		continue
	fi
	try "$version: module.sig_enforce=1" "$version" module.sig_enforce=1 refused EKEYREJECTED \
		"Loading of unsigned module is rejected" "Loading of module with unavailable key is rejected"
	for how in integrity confidentiality; do
		try "$version: lockdown=$how" "$version" lockdown=$how refused EPERM \
			"Lockdown: .*: unsigned module loading is restricted" "Lockdown: .*: unsigned module loading is restricted"
	done
	try "$version: loaded, and locked down" "$version" "" loaded
done
finish
