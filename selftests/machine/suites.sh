# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# suites.sh - Debian packages that the host's package sources do not offer.
#
# To be sourced by setup.sh. The host's apt only downloads them, with its usual settings but
# separate lists; they are unpacked into the cache.

# ft_archives() - print the archives of Debian: that of the host, then the default
ft_archives() {
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets --format '$(REPO_URI) $(LABEL) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
		sed -n 's|/* Debian main$||p' | head -n 1
	echo http://deb.debian.org/debian
}

# ft_suite_update(folder) - refresh the lists of its suites, from the first archive that has them
ft_suite_update() {
	local archive suite

	ft_say "refreshing the package lists of $(head -n 1 "$1/suites")"
	for archive in $(ft_archives | uniq); do
		while read -r suite; do
			echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $suite main"
		done <"$1/suites" >"$1/sources.list"
		if apt-get -qq -c "$1/apt.conf" -o APT::Update::Error-Mode=any update >"$1/log" 2>&1; then
			touch "$1/updated"
			return 0
		fi
	done
	tail -n 5 "$1/log" >&2
	return 1
}

# ft_apt_conf(folder) - print a configuration of apt that keeps all of its state in this folder, and knows its sources.list alone
ft_apt_conf() {
	cat <<-CONF
	Dir::Etc::sourcelist "$1/sources.list";
	Dir::Etc::sourceparts "$1/parts";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "$1/parts";
	Dir::State "$1";
	Dir::State::status "$1/status";
	Dir::Cache "$1";
	APT::Sandbox::User "root";
	#clear APT::Update::Post-Invoke;
	#clear APT::Update::Post-Invoke-Success;
	CONF
}

# ft_suite_sources(folder, architecture, suite...) - set up apt for these suites, the first by default, and for packages
# of this architecture besides the host's; lists are kept for a day
ft_suite_sources() {
	local dir arch

	dir=$1 arch=$2
	shift 2
	mkdir -p "$dir/lists/partial" "$dir/archives/partial" "$dir/parts"
	: >"$dir/status"
	printf '%s\n' "$@" >"$dir/suites"
	{
		ft_apt_conf "$dir"
		echo "APT::Default-Release \"$1\"; APT::Architectures { \"$(dpkg --print-architecture)\"; \"$arch\"; };"
	} >"$dir/apt.conf"
	[ -z "$(find "$dir/updated" -mtime -1 2>/dev/null)" ] || return 0
	ft_suite_update "$dir" || ft_say "apt-get update failed; going on with what is at hand"
}

# ft_suite(architecture, suite, others...) - set FT_APT to options that restrict apt to these suites, FT_LISTS to
# its folder of lists
# shellcheck disable=SC2034 # used by those who call this
ft_suite() {
	FT_LISTS=$(ft_cache)/apt-$2
	[ "$1" = amd64 ] || FT_LISTS=$FT_LISTS-$1
	FT_APT="-c $FT_LISTS/apt.conf"
	ft_locked apt ft_suite_sources "$FT_LISTS" "$@"
	FT_LISTS=$FT_LISTS/lists
}

# ft_page_libraries() - print the folder with the sources of zlib, libpng and zstd, which the reader of pages is built with
ft_page_libraries() {
	local dir

	dir=$(ft_cache)/page-libraries
	[ -e "$dir/zstd/lib/zstd.h" ] || ft_locked page-libraries ft_page_libraries_unpack "$dir" ||
		ft_die "cannot download the sources of zlib, libpng and zstd; is there a network?"
	echo "$dir"
}

# ft_page_libraries_unpack(folder) - download Debian's source packages and unpack them there
ft_page_libraries_unpack() {
	local apt name

	[ ! -e "$1/zstd/lib/zstd.h" ] || return 0
	ft_say "downloading the sources of zlib, libpng and zstd (20 MB with the list of packages)"
	apt=$(ft_cache)/apt-sources
	rm -rf "$1" "$1.new"
	mkdir -p "$1.new" "$apt/lists/partial" "$apt/archives/partial" "$apt/parts"
	: >"$apt/status"
	ft_apt_conf "$apt" >"$apt/apt.conf"
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(ft_archives | head -n 1)" \
		"$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release) main" >"$apt/sources.list"
	(cd "$1.new" && {
		apt-get -qq -c "$apt/apt.conf" update && apt-get -qq -c "$apt/apt.conf" source --download-only zlib libpng1.6 libzstd
	} >"$apt/log" 2>&1) || {
		tail -n 5 "$apt/log" >&2
		return 1
	}
	for name in zlib libpng libzstd; do
		mkdir "$1.new/${name#lib}" 2>/dev/null || :
		tar -xf "$(echo "$1.new/${name}"*.orig.tar.*[z2])" --strip-components 1 -C "$1.new/${name#lib}" || return 1
	done
	cp "$1.new/png/scripts/pnglibconf.h.prebuilt" "$1.new/png/pnglibconf.h"
	rm -f "$1.new"/*.*
	mv "$1.new" "$1"
}
