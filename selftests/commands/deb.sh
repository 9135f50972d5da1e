#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# deb.sh - `make deb`: build the Debian packages in a clean system, check them, and try the module's package there.
#
# usage: deb.sh [FOLDER]
#
# The packages are left in FOLDER (default deb-out). They are built from the last commit, and lintian must find no error.
# Then fragtrace-dkms is installed on a machine on which kernels come and go: with the headers at once or later, with their
# BTF in the headers or in the image alone, without F2FS, without BTF, with an error in our sources. Whatever becomes of the
# module, apt has to end well, and the kernel has to have its initrd. What DKMS has built is loaded in guests with
# those kernels. $DKMS=no leaves DKMS out.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$FT_TESTS/lib.sh"
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

# newest(count, pattern) - print the newest of the kernel releases on offer that match, the oldest first
newest() {
	apt-cache pkgnames linux-image- | sed -n "s/^linux-image-\($2\)\$/\1/p" | sort -V | tail -n "$1"
}

# in_copy(commands) - run shell commands in the machine
in_copy() {
	echo "+ $1" >>"$out/log"
	ft_bare_run env DEBIAN_FRONTEND=noninteractive sh -euc "$1" >>"$out/log" 2>&1
}

# well(package...) - does apt end well with these, and is no package left half configured?
well() {
	in_copy "apt-get install -y --no-install-recommends $*; dpkg --audit >/audit; test ! -s /audit"
}

# kernel(release, package...) - does apt end well with this kernel, and have the kernel's own hooks run to the end?
kernel() {
	local release

	release=$1
	shift
	well "$@" && in_copy "test -s /boot/initrd.img-$release"
}

# built(release) - has DKMS built and installed the module for this kernel?
built() {
	in_copy "dkms status -k $1 | grep '^fragtrace/.*: installed'; modinfo -F vermagic -k $1 fragtrace | grep '^$1 '"
}

# not_for(release, reason) - since step has apt been told why there is no module for this kernel, and is there none?
not_for() {
	tail -n "+$FROM" "$out/log" | grep -qF "fragtrace: not for kernel $1: $2" && in_copy "
		if dkms status -k $1 | grep '$1' || modinfo -n -k $1 fragtrace; then exit 1; fi
		test -z \"\$(find /lib/modules/$1 /var/lib/dkms/fragtrace -path '*$1*' -name 'fragtrace.ko*')\""
}

# step() - not_for looks at the log from here on
step() {
	FROM=$(($(wc -l <"$out/log") + 1))
}

# strip_f2fs(release) - from now on the f2fs.ko of a kernel has lost its BTF before DKMS sees it
strip_f2fs() {
	cat >"$BARE/project/0strip" <<-HOOK
	#!/bin/sh
	f2fs=/lib/modules/$1/kernel/fs/f2fs/f2fs.ko
	[ ! -e \$f2fs.xz ] || xz -d \$f2fs.xz
	[ ! -e \$f2fs ] || [ -e /f2fs.ko ] || cp \$f2fs /f2fs.ko
	[ ! -e \$f2fs ] || objcopy --remove-section .BTF \$f2fs
	HOOK
	in_copy 'mkdir -p /etc/kernel/header_postinst.d
		for dir in postinst.d header_postinst.d; do install 0strip /etc/kernel/$dir/; done'
}

# loads(release) - does the module that DKMS has built work in a guest with this kernel?
loads() {
	local ko

	ko=fragtrace-$1.ko
	in_copy "cp \$(modinfo -n -k $1 fragtrace) $ko; case \$(modinfo -n -k $1 fragtrace) in *.xz) mv $ko $ko.xz; xz -d $ko.xz;; esac" &&
		mv "$BARE/project/$ko" "$out/" &&
		"$FT_TESTS/machine/guest.sh" -k "$(echo "$1" | cut -d . -f 1,2)" -m "$out/$ko" \
			/selftests/in_guest/run_tests.sh 10_load.sh 20_write.sh >"$out/guest-$1" 2>&1
}

# build() - build the packages, check them, and copy them to the folder
build() {
	in_copy 'apt-get update
		apt-get build-dep -y ./
		apt-get install -y --no-install-recommends lintian
		git archive --prefix=build/fragtrace/ HEAD | tar -x -C /
		cd /build/fragtrace
		dpkg-buildpackage -us -uc
		lintian --allow-root --fail-on error ../*.changes
		rm -r /build/fragtrace' && cp "$BARE/changed/build"/* "$out/"
}

out=${1:-$FT_TOP/deb-out}
mkdir -p "$out" || ft_die "deb: cannot create '$out'"
out=$(cd "$out" && pwd)
ft_packages deb bare
! reason=$(ft_bare_reason) || ft_die "deb: $reason"
trap ft_bare_end EXIT
: >"$out/log"
ft_say "deb: building in a clean system; see $out/log"
if [ "${DKMS:-yes}" = no ]; then
	plan 1
else
	plan 19
fi
ft_bare_new
check "the packages build, and lintian finds no error" build
ft_bare_end
ft_say "deb: the packages are in $out"
[ "${DKMS:-yes}" != no ] || finish

cloud=$(newest 1 '6\.1\.0-[0-9]*-cloud-amd64')
newer=$(newest 1 '6\.12\.[0-9]*+deb[0-9]*-amd64')
image=$(newest 1 '6\.1\.0-[0-9]*-amd64')
ft_bare_new
cp "$out"/fragtrace-dkms_*.deb "$BARE/project/"
# What is in an initrd does not matter here.
check "a machine with a kernel without F2FS (cloud)" in_copy "mkdir -p /etc/initramfs-tools/conf.d
	echo MODULES=list >/etc/initramfs-tools/conf.d/small
	apt-get update
	apt-get install -y --no-install-recommends dkms linux-image-$cloud linux-headers-$cloud"
step
check "cloud: apt installs fragtrace-dkms" well ./fragtrace-dkms_*.deb
check "cloud: apt says why there is no module" not_for "$cloud" "this kernel has no F2FS"
refuse "cloud: dkms by hand fails" in_copy "dkms install fragtrace/0.1 -k $cloud"

strip_f2fs "$newer"
step
check "a kernel whose f2fs.ko has no BTF: apt installs it" kernel "$newer" "linux-image-$newer" "linux-headers-$newer"
check "no BTF: apt says why there is no module" not_for "$newer" "/usr/lib/modules/$newer/kernel/fs/f2fs/f2fs.ko: has no BTF"
in_copy "rm /etc/kernel/*/0strip; cp /f2fs.ko /lib/modules/$newer/kernel/fs/f2fs/; echo '#error' >>/usr/src/fragtrace-0.1/module/main.c"
step
check "sources that do not compile: apt installs headers" well --reinstall "linux-headers-$newer"
check "sources that do not compile: apt says where the compiler's words are" \
	not_for "$newer" "it does not build; see /var/lib/dkms/fragtrace/0.1/not-for-$newer"
in_copy "sed -i '\$d' /usr/src/fragtrace-0.1/module/main.c; apt-get install -y --reinstall linux-headers-$newer"
check "nothing is in the way any more: the next update builds the module" built "$newer"

check "a kernel without headers (6.1): apt installs it" kernel "$image" "linux-image-$image"
refuse "no headers: dkms by hand fails" in_copy "dkms install fragtrace/0.1 -k $image"
check "no headers: it names their package" grep -q "install the linux-headers-$image package" "$out/log"
check "headers that come later, without BTF: apt installs them" well "linux-headers-$image"
check "headers that come later, without BTF: the module is built by that of the image" built "$image"

for release in "$image" "$newer"; do
	check "what DKMS has built for $release works in a guest" loads "$release"
done
check "a kernel goes, and its module with it" in_copy "apt-get purge -y linux-image-$image linux-headers-$image
	test ! -e /lib/modules/$image/updates; if dkms status | grep '$image'; then exit 1; fi"
check "the package goes, and all of it" in_copy "apt-get purge -y fragtrace-dkms
	test -z \"\$(dkms status)\"; test -z \"\$(find /lib/modules /usr/src /var/lib/dkms -path '*fragtrace*')\""
[ "$KTAP_FAILED" = 0 ] || ft_say "deb: see $out/log"
finish
