#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# deb.sh - `make deb`: build the Debian packages in a clean system, check them, and try the module's package there.
#
# usage: deb.sh [FOLDER]
#
# The packages are left in FOLDER (default deb-out). They are built in a temporary system from the files
# that git tracks, and lintian must find no error. Then fragtrace-dkms is installed with one kernel, another
# kernel is installed, and the package is removed. The module that DKMS built is loaded in a
# guest with that kernel. Takes some minutes and 1 GB of downloads. $DKMS=no leaves DKMS out.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

# kernels() - print the two newest releases of 6.12 on offer, the older first
kernels() {
	apt-cache pkgnames linux-image-6.12. | sed -n 's/^linux-image-\(6\.12\.[0-9]*+deb[0-9]*-amd64\)$/\1/p' | sort -V | tail -n 2
}

# dkms_steps(older, newer) - print the shell commands that test the module's package
dkms_steps() {
	cat <<STEPS
set -eux
export DEBIAN_FRONTEND=noninteractive
apt-get install -y --no-install-recommends dkms linux-image-$1 linux-headers-$1
apt-get install -y --no-install-recommends /build/fragtrace-dkms_*.deb
dkms status | grep 'fragtrace.*$1.*installed'
apt-get install -y --no-install-recommends linux-image-$2 linux-headers-$2
dkms status | grep 'fragtrace.*$2.*installed'
cp /lib/modules/$2/updates/dkms/fragtrace.ko* /build/
apt-get purge -y fragtrace-dkms
test -z "\$(dkms status)"
test -z "\$(find /lib/modules /usr/src /var/lib/dkms -path '*fragtrace*')"
STEPS
}

out=${1:-$FT_TOP/deb-out}
mkdir -p "$out" || ft_die "deb: cannot create '$out'"
out=$(cd "$out" && pwd)
ft_packages deb
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/build/fragtrace"
(cd "$FT_TOP" && git ls-files -z | cpio -0 -pdm --quiet "$tmp/build/fragtrace")
cat >"$tmp/build/build.sh" <<'STEPS'
set -eux
cd /build/fragtrace
apt-get build-dep -y ./
dpkg-buildpackage -us -uc
lintian --allow-root --fail-on error ../*.changes
rm -rf /build/fragtrace
STEPS
# shellcheck disable=SC2046 # two words
[ "${DKMS:-yes}" = no ] || dkms_steps $(kernels) >"$tmp/build/dkms.sh"
ft_say "deb: building in a clean system; see $out/log"
# the package sources of the host
sources=$(find /etc/apt -maxdepth 2 -type f -size +0 \( -name sources.list -o -path '*.list.d/*.list' -o -path '*.list.d/*.sources' \))
# shellcheck disable=SC2086,SC2016 # a list of files; mmdebstrap's own variable
mmdebstrap --variant=buildd --include=ca-certificates,lintian --customize-hook="copy-in $tmp/build /" \
	--customize-hook='chroot "$1" sh /build/build.sh' \
	--customize-hook='test ! -e "$1/build/dkms.sh" || chroot "$1" sh /build/dkms.sh' \
	--customize-hook="sync-out /build $tmp/build" bookworm /dev/null $sources >"$out/log" 2>&1 || {
	tail -n 20 "$out/log" >&2
	ft_die "deb: it failed"
}
rm -rf "$tmp/build/"*.sh "$tmp/build/fragtrace"
cp "$tmp/build/"* "$out/"
grep -E '^[EW]: fragtrace' "$out/log" || ft_say "deb: lintian has nothing to say"
if [ "${DKMS:-yes}" != no ]; then
	! ls "$out"/fragtrace.ko.xz >/dev/null 2>&1 || xz -df "$out/fragtrace.ko.xz"
	version=$(modinfo -F vermagic "$out/fragtrace.ko" | cut -d ' ' -f 1)
	ft_say "deb: loading what DKMS has built for $version"
	"$FT_TESTS/machine/guest.sh" -k "${version%.*}" -m "$out/fragtrace.ko" /selftests/in_guest/run_tests.sh 10_load.sh 20_write.sh
fi
ft_say "deb: the packages are in $out"
