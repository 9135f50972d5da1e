#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dist.sh - `make dist`: a tarball of the last commit, with its checksum.
#
# usage: dist.sh [FOLDER]    with $SIGN (a key of gpg: its name, address or fingerprint), $PAGE (1: with the page of samples)
#
# Leaves fragtrace-VERSION.tar.gz and fragtrace-VERSION.tar.gz.sha256 in FOLDER (default dist-out), with $PAGE also the page that
# opens recordings, fragtrace-VERSION.html, for any web server; then the checksum file has both. The same commit
# gives the same tarball on each machine. All files with a version must have the same one, and it must have an entry in
# CHANGELOG. With $SIGN the release is signed by this key: the tarball, in fragtrace-VERSION.tar.gz.asc, and the commit, by the
# tag vVERSION. A tag that is there must be of this commit, and its signature good.

set -eu -o pipefail

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

# at(file) - print a file of the last commit
at() {
	git -C "$FT_TOP" show "HEAD:$1"
}

# versions() - print each file that has a version, and the version
versions() {
	echo "dkms.conf $(at dkms.conf | sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p')"
	echo "module/main.c $(at module/main.c | sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p')"
	echo "viewer/config.mk $(at viewer/config.mk | sed -n 's/^VERSION = //p')"
	echo "debian/changelog $(at debian/changelog | sed -n '1s/^fragtrace (\(.*\)) .*/\1/p')"
	echo "CHANGELOG $(at CHANGELOG | sed -n '1s/^fragtrace //p')"
}

# sign(file) - write the signature of a file beside it, and check it
sign() {
	rm -f "$1.asc"
	gpg --batch --quiet --local-user "$SIGN" --armor --detach-sign "$1" || ft_die "dist: gpg does not sign with SIGN='$SIGN'"
	gpg --batch --quiet --verify "$1.asc" "$1" 2>/dev/null || ft_die "dist: the signature of $1 is not good"
}

# tag(name) - give the last commit a signed tag, if it has none of this name
tag() {
	if ! git -C "$FT_TOP" rev-parse -q --verify "refs/tags/$1" >/dev/null; then
		git -C "$FT_TOP" tag -s -u "$SIGN" -m "fragtrace ${1#v}" "$1" HEAD || ft_die "dist: no tag $1"
	fi
	[ "$(git -C "$FT_TOP" rev-parse "$1^{commit}")" = "$(git -C "$FT_TOP" rev-parse HEAD)" ] ||
		ft_die "dist: tag $1 is of another commit: a release has a new version"
	git -C "$FT_TOP" verify-tag "$1" 2>/dev/null || ft_die "dist: tag $1 has no good signature"
}

out=${1:-$FT_TOP/dist-out}
[ -z "${SIGN:-}" ] || command -v gpg >/dev/null || ft_die "dist: SIGN= needs gpg: apt install gnupg"
git -C "$FT_TOP" rev-parse -q --verify HEAD >/dev/null || ft_die "dist: $FT_TOP is no checkout of git"
[ "$(versions | cut -d ' ' -f 2 | sort -u | wc -l)" = 1 ] || ft_die "dist: the versions differ:"$'\n'"$(versions)"
version=$(versions | sed -n '1s/.* //p')
[ -z "$(git -C "$FT_TOP" status --porcelain --untracked-files=no)" ] || ft_say "dist: what is not committed is left out"
mkdir -p "$out" || ft_die "dist: cannot create '$out'"
out=$(cd "$out" && pwd)
name=fragtrace-$version.tar.gz
page=
if [ "${PAGE:-}" = 1 ]; then
	[ -z "$(git -C "$FT_TOP" status --porcelain --untracked-files=no)" ] ||
		ft_die "dist: PAGE=1 builds what is in the folder: commit it, or take it back"
	page=fragtrace-$version.html
	make -s -C "$FT_TOP" page >&2
	install -m 644 "$FT_TOP/viewer/fragtrace.html" "$out/$page"
	ft_say "dist: the page is $out/$page"
fi
[ -z "${SIGN:-}" ] || tag "v$version"
# the tarball must not depend on the caller's umask or on the time
git -C "$FT_TOP" -c tar.umask=0022 archive --format=tar --prefix="fragtrace-$version/" HEAD | gzip -9 -n >"$out/$name.new"
mv "$out/$name.new" "$out/$name"
# shellcheck disable=SC2086 # there may be no page
(cd "$out" && sha256sum "$name" $page >"$name.sha256")
if [ -n "${SIGN:-}" ]; then
	sign "$out/$name"
	[ -z "$page" ] || sign "$out/$page"
	ft_say "dist: signed, and tagged v$version; publish it by git push origin v$version"
fi
ft_say "dist: $name is of commit $(git -C "$FT_TOP" rev-parse --short HEAD)"
echo "$out/$name"
