#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# jars.sh - print the class path of a program in Java; fetch its jars from Maven Central, and compile what is ours, if need be.
#
# usage: jars.sh clients      YCSB, our bindings for it, and the clients of the databases
#        jars.sh voltdb       VoltDB's server
#
# Jars and classes are kept in the cache, in folders named after the sum of what they are made from.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

JAVA=$FT_TESTS/papers/java

# sum_of(file...) - print a number for their content
sum_of() {
	cat "$@" | cksum | cut -d ' ' -f 1
}

# fetch(name, folder) - fill the folder with jars
fetch() {
	[ ! -d "$2" ] || return 0
	ft_packages papers
	ft_say "$1: fetching jars from Maven Central (60 MB)"
	rm -rf "$2.new"
	mkdir -p "$2.new"
	mvn -q -B -f "$JAVA/$1.pom.xml" dependency:copy-dependencies -DoutputDirectory="$2.new" >"$2.log" 2>&1 || {
		tail -n 5 "$2.log" >&2
		ft_die "$1: mvn failed; see $2.log. Is there a network?"
	}
	mv "$2.new" "$2"
	rm -f "$2.log"
}

# compile(jars, folder) - fill the folder with the classes of our bindings
compile() {
	[ ! -d "$2" ] || return 0
	ft_packages papers
	rm -rf "$2.new"
	javac -Xlint:all -Werror -d "$2.new" -cp "$1/*" "$JAVA"/fragtrace/*.java >&2 || ft_die "the bindings of YCSB do not compile"
	mv "$2.new" "$2"
}

# jars_main(name) - the command described at the top
jars_main() {
	local cache jars classes

	case ${1:-} in
	clients | voltdb) ;;
	*) ft_usage ;;
	esac
	cache=$(ft_cache)/papers
	mkdir -p "$cache"
	jars=$cache/$1-$(sum_of "$JAVA/$1.pom.xml")
	ft_locked "papers-$1" fetch "$1" "$jars"
	classes=
	if [ "$1" = clients ]; then
		classes=$cache/classes-$(sum_of "$JAVA/$1.pom.xml" "$JAVA"/fragtrace/*.java)
		ft_locked "papers-$1" compile "$jars" "$classes"
	fi
	{
		[ -z "$classes" ] || echo "$classes"
		find "$jars" -name '*.jar' | sort
	} | paste -s -d :
}

jars_main "$@"
