#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# jars.sh - print the class path of a program in Java; fetch its jars from Maven Central, and compile what is ours, if need be.
#
# usage: jars.sh clients      YCSB, our bindings for it, and the clients of the databases
#        jars.sh voltdb       VoltDB's server
#
# Both are kept in the cache, in a folder named after the sum of what they are made from.

set -eu

FT_TESTS=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../machine/setup.sh
. "$FT_TESTS/machine/setup.sh"

# fetch(name, folder) - fill the folder with jars and classes
fetch() {
	[ ! -d "$2" ] || return 0
	ft_packages papers
	ft_say "$1: fetching jars from Maven Central (60 MB)"
	rm -rf "$2.new"
	mkdir -p "$2.new/classes"
	mvn -q -B -f "$FT_TESTS/papers/java/$1.pom.xml" dependency:copy-dependencies -DoutputDirectory="$2.new" >"$2.log" 2>&1 || {
		tail -n 5 "$2.log" >&2
		ft_die "$1: mvn failed; see $2.log. Is there a network?"
	}
	[ "$1" != clients ] || javac -Xlint:all -Werror -d "$2.new/classes" -cp "$2.new/*" "$FT_TESTS"/papers/java/fragtrace/*.java >&2 ||
		ft_die "$1: the bindings do not compile"
	mv "$2.new" "$2"
	rm -f "$2.log"
}

# jars_main(name) - the command described at the top
jars_main() {
	local dir sum

	case ${1:-} in
	clients | voltdb) ;;
	*) ft_usage ;;
	esac
	sum=$(cat "$FT_TESTS/papers/java/$1.pom.xml" "$FT_TESTS"/papers/java/fragtrace/*.java | cksum | cut -d ' ' -f 1)
	mkdir -p "$(ft_cache)/papers"
	dir=$(ft_cache)/papers/$1-$sum
	ft_locked "papers-$1" fetch "$1" "$dir"
	find "$dir/classes" "$dir" -maxdepth 1 \( -name '*.jar' -o -name classes \) | sort -u | paste -s -d :
}

jars_main "$@"
