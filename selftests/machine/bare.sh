# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# bare.sh - a machine on which nothing was installed yet: a minimal Debian 12, in a fresh copy each time.
#
# To be sourced by setup.sh. The cache keeps the system, a week long, and the packages that were downloaded into
# copies of it. A copy sees nothing of the host's programs and files but /dev, /sys and the committed project; of the host's
# settings it has those that lead to the network: proxies, certificates, package sources, pip's configuration. What a
# command changes stays in the copy until ft_bare_end; its mounts and processes end with the command.

# What is there besides Debian's essential packages and apt.
FT_BARE_PACKAGES=make,git,ca-certificates
# The project's folder in a copy.
FT_BARE_PROJECT=/root/fragtrace
# Variables of the environment that are passed on.
FT_BARE_ENVIRONMENT="TERM http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR
	CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST PIP_PROXY
	FRAGTRACE_ACCEL"
BARE='' BARE_PID=''

# ft_bare_reason() - print why no copy can be made here; false if one can
ft_bare_reason() {
	if [ "$(id -u)" != 0 ]; then
		echo "it takes root: a system is unpacked, and entered by chroot"
	elif ! unshare --mount --pid --fork true 2>/dev/null; then
		echo "this machine does not let root make name spaces (unshare --mount --pid)"
	else
		return 1
	fi
}

# ft_bare_settings(root) - carry over what leads the host's apt, pip and git to the network
ft_bare_settings() {
	local name file

	mkdir -p "$1/etc/apt/apt.conf.d" "$1/usr/local/share/ca-certificates"
	apt-config dump | grep -E '^Acquire::(http|https|Check-|Retries)' >"$1/etc/apt/apt.conf.d/90host" || :
	# dpkg need not wait for the disk
	mkdir -p "$1/etc/dpkg/dpkg.cfg.d"
	echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/unsafe-io"
	for file in /usr/local/share/ca-certificates/*.crt /etc/pip.conf /etc/resolv.conf /etc/hosts; do
		[ ! -f "$file" ] || cp -L "$file" "$1$file"
	done
	for name in SSL_CERT_FILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT; do
		eval "file=\${$name:-}"
		# the bare system makes the usual one itself
		case $file in
		/etc/ssl/certs/*) ;;
		/*)
			mkdir -p "$1${file%/*}"
			cp -L "$file" "$1$file"
			;;
		esac
	done
}

# ft_bare_key() - print what the kept system depends on
ft_bare_key() {
	{
		cat "$FT_TESTS/machine/bare.sh"
		ft_bare_sources | xargs -r cat
		apt-config dump
	} | cksum | cut -d ' ' -f 1
}

# ft_bare_sources() - print the files with the host's package sources, if those are of Debian 12
ft_bare_sources() {
	grep -qx 'VERSION_CODENAME=bookworm' /etc/os-release || return 0
	find /etc/apt -maxdepth 2 -type f -size +0 \( -name sources.list -o -path '*.list.d/*.list' -o -path '*.list.d/*.sources' \)
}

# ft_bare_system(folder) - make the system, unless the kept one is the same and of this week
ft_bare_system() {
	local settings

	[ "$(cat "$1/key" 2>/dev/null)" != "$(ft_bare_key)" ] || [ -n "$(find "$1/key" -mtime +6)" ] || return 0
	ft_say "making a bare Debian 12, once a week"
	rm -rf "$1/system" "$1/archives" "$1/key"
	settings=$1/settings
	rm -rf "$settings"
	mkdir -p "$1/archives" "$settings"
	ft_bare_settings "$settings"
	# shellcheck disable=SC2046,SC2016 # a list of files; mmdebstrap's own variable
	mmdebstrap --mode=root --variant=minbase --include="$FT_BARE_PACKAGES" --setup-hook="cp -r $settings/. \"\$1\"" bookworm "$1/system" \
		$(ft_bare_sources) >"$1/log" 2>&1 || {
		tail -n 5 "$1/log" >&2
		ft_die "no bare Debian 12; see $1/log. Is there a network?"
	}
	ft_bare_key >"$1/key"
}

# ft_bare_new([commit]) - make a copy, with the project as it was committed, and set BARE to its folder
#
# The host sees the project in $BARE/project, what else was changed in $BARE/changed.
ft_bare_new() {
	local cache

	cache=$(ft_cache)/bare
	mkdir -p "$cache"
	ft_locked bare ft_bare_system "$cache"
	ft_remove_ended "$cache"/copy.*.*
	BARE=$(mktemp -d "$cache/copy.$$.XXXXXX")
	mkdir "$BARE/root" "$BARE/changed" "$BARE/work"
	# shellcheck disable=SC2016 # expanded inside
	if ! unshare --mount mount -t overlay -o "$(ft_bare_overlay)" bare "$BARE/root" 2>/dev/null; then
		rmdir "$BARE/root"
		cp -a "$cache/system" "$BARE/changed/" && mv "$BARE/changed/system" "$BARE/root"
		rm -rf "$BARE/changed"
		ln -s root "$BARE/changed"
	fi
	ft_bare_settings "$BARE/changed"
	mkdir -p "$BARE/changed/var/cache/apt/archives" "$BARE/changed$FT_BARE_PROJECT"
	cp -l "$cache/archives"/*.deb "$BARE/changed/var/cache/apt/archives/" 2>/dev/null || :
	git clone -q --no-hardlinks "$FT_TOP" "$BARE/project"
	[ -z "${1:-}" ] || git -C "$BARE/project" checkout -q --detach "$1"
}

# ft_bare_overlay() - print the options of the overlay mount of a copy
ft_bare_overlay() {
	echo "lowerdir=${BARE%/*}/system,upperdir=$BARE/changed,workdir=$BARE/work"
}

# ft_bare_run(command...) - run a command as root in the copy, in the project's folder, in name spaces of its own
ft_bare_run() {
	local name rc

	for name in $FT_BARE_ENVIRONMENT; do
		eval "[ -z \"\${$name:-}\" ] || set -- \"$name=\$$name\" \"\$@\""
	done
	rc=0
	# shellcheck disable=SC2016 # expanded inside
	setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child sh -euc '
		root=$1/root overlay=$2 project=$3 from=$1/project
		shift 3
		[ -e "$root/etc" ] || mount -t overlay -o "$overlay" bare "$root"
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		mount --rbind /sys "$root/sys"
		mount --bind "$from" "$root$project"
		exec chroot "$root" env -i -C "$project" HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			"$@"' sh "$BARE" "$(ft_bare_overlay)" "$FT_BARE_PROJECT" "$@" </dev/null &
	BARE_PID=$!
	wait "$BARE_PID" || rc=$?
	BARE_PID=
	return $rc
}

# ft_bare_end() - end what still runs in the copy, and remove it; safe to call twice
ft_bare_end() {
	[ -z "$BARE_PID" ] || {
		kill -KILL "$BARE_PID" 2>/dev/null || :
		wait "$BARE_PID" 2>/dev/null || :
		BARE_PID=
	}
	[ -n "$BARE" ] || return 0
	cp -ln "$BARE/changed/var/cache/apt/archives"/*.deb "${BARE%/*}/archives/" 2>/dev/null || :
	rm -rf "$BARE"
	BARE=
}
