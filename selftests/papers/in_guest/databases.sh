# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# databases.sh - the three databases of ycsb.sh: their bindings of YCSB, their options, and their servers.

SERVER=

# binding_of(database) - print the class of its binding
binding_of() {
	case $1 in
	rocksdb) echo fragtrace.RocksDb ;;
	redis) echo fragtrace.Redis ;;
	voltdb) echo fragtrace.VoltDb ;;
	*) die "database '$1': expected rocksdb, redis or voltdb" ;;
	esac
}

# options_of(database) - print the options that its binding takes
#
# RocksDB: with its defaults, a memtable of 64 MiB, some minutes of an emulated CPU make one table. So all three sizes are
# small, as after a longer run.
options_of() {
	case $1 in
	rocksdb) echo "-p rocksdb.dir=$DB -p rocksdb.memtable=8388608 -p rocksdb.table=4194304 -p rocksdb.level=33554432" ;;
	voltdb) echo "-p voltdb.create=true -p voltdb.folder=$DB/asked -p voltdb.snapshots=${SNAPSHOTS:-0} -p voltdb.every=${EVERY:-0}" ;;
	esac
}

# server_start(), server_stop() - start the database's server, if it has one, and wait until it answers; end it
# shellcheck disable=SC2154 # set by ycsb.sh
server_start() {
	case $database in
	redis)
		# Debian's package of the server would start a service. Its program is another name of this one.
		ln -s "$(command -v redis-check-rdb)" /tmp/redis-server
		# all defaults: a save after 60 s if 10 000 keys have changed, after 300 s if 100 have; no append-only file
		/tmp/redis-server --dir $DB --port 6379 --bind 127.0.0.1 --logfile "$OUT/redis.log" &
		SERVER=$!
		echo "redis $(redis-cli --version)" >>"$OUT/guest.facts"
		loop_until 120 redis_answers || die "redis-server does not answer"
		;;
	voltdb)
		voltdb_files
		(voltdb_server initialize deployment /tmp/deployment.xml) >"$OUT/voltdb.init.log" 2>&1 || die "VoltDB: $(tail -n 1 "$OUT/voltdb.init.log" | cut -c 1-200)"
		voltdb_server probe mesh 127.0.0.1 hostcount 1 internalinterface 127.0.0.1 externalinterface 127.0.0.1 \
			publicinterface 127.0.0.1 >"$OUT/voltdb.log" 2>&1 &
		SERVER=$!
		# 40 s on an idle machine; a busy one emulates a tenth as fast, and the guest has a limit of its own
		loop_until 1800 voltdb_answers || die "VoltDB has not started in 1800 s: $(tail -n 1 "$OUT/voltdb.log" | cut -c 1-200)"
		;;
	esac
}

server_stop() {
	[ -n "$SERVER" ] || return 0
	case $database in
	redis) redis-cli shutdown nosave >/dev/null 2>&1 || : ;;
	# killed: its orderly end would take a minute, and write another snapshot
	voltdb) kill -9 $SERVER ;;
	esac
	wait $SERVER 2>/dev/null || :
}

# complete() - is each snapshot there that was asked for, or is the server gone?
complete() {
	[ "$(find $DB/asked -name '*.finished' 2>/dev/null | wc -l)" -ge "${SNAPSHOTS:-0}" ] || ! kill -0 $SERVER
}

redis_answers() {
	redis-cli ping 2>/dev/null | grep -q PONG
}

# voltdb_answers() - is the server ready, or gone?
voltdb_answers() {
	grep -q 'Server completed initialization' "$OUT/voltdb.log" $DB/log/volt.log 2>/dev/null || ! kill -0 $SERVER
}

# voltdb_files() - write what VoltDB is configured by
voltdb_files() {
	cat >/tmp/deployment.xml <<-XML
	<deployment><cluster sitesperhost="2" kfactor="0"/><httpd enabled="false"/>
	<snapshot prefix="auto" frequency="${PERIOD:-3600}s" retain="2" enabled="$([ -n "${PERIOD:-}" ] && echo true || echo false)"/></deployment>
	XML
	cat >/tmp/log4j.xml <<-XML
	<?xml version="1.0"?>
	<log4j:configuration xmlns:log4j="http://jakarta.apache.org/log4j/"><appender name="out" class="org.apache.log4j.ConsoleAppender">
	<layout class="org.apache.log4j.PatternLayout"><param name="ConversionPattern" value="%d %p %c{1}: %m%n"/></layout></appender>
	<root><priority value="info"/><appender-ref ref="out"/></root></log4j:configuration>
	XML
}

# opens() - print options of Java 17: VoltDB, its client, too, is of the time of Java 8, and needs what is closed since
opens() {
	local part

	for part in java.lang java.lang.invoke java.lang.reflect sun.nio.ch java.nio java.net java.util jdk.internal.misc jdk.internal.ref \
		jdk.internal.loader sun.security.action sun.net.www.protocol.http; do
		echo "--add-opens java.base/$part=ALL-UNNAMED"
	done
}

# voltdb_server(command, arguments...) - become the server's program; for subshells
#
# Its jar refers to a class that Maven Central lacks, so its code is not verified.
voltdb_server() {
	local command

	command=$1
	shift
	# shellcheck disable=SC2046 # a list of options
	exec java $(opens) -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote -Xmx768m -XX:TieredStopAtLevel=1 \
		-XX:+UseSerialGC -Djava.io.tmpdir=/tmp -Dlog4j.configuration=file:/tmp/log4j.xml -cp "$VOLTDB" \
		org.voltdb.VoltDB "$command" voltdbroot $DB "$@"
}
