#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 78_redis.sh - a real Redis with an append-only file that is flushed each second, saves and rewrites: why its files break
#
# The results, with the default of F2FS on a volume that is not small (ipu_policy 16):
#
# - All breaks are of blocks that were appended. The last block of the .aof, half full at each fdatasync, is written again
#   and again: fdatasync may write it in place, so it does not move. No file is ever truncated: there is no `tail`.
# - A flush of fewer than 16 blocks (min_hot_blocks) goes to the log of hot data, a larger one to that of warm data. So
#   an .aof breaks, by `other_log`, as often as the load changes between some and many writes a second.
# - A save (.rdb, and the base of a rewritten .aof) is flushed by the child that writes it, each 4 MiB
#   (rdb-save-incremental-fsync), while the parent flushes the .aof: the two take blocks from each other, `interleaved`.
#
# On 7.3 all flushes of the .aof go to the log of hot data, and saves to that of warm data: no file has a break, and the
# checks of the last two are skipped in that case.
#
# Write-back between two flushes, which comes where this takes more than the usual 5 s, would move the last block of the .aof
# (`overwrite writeback moved`): it is off. To be sure that a save lasts longer than one flush of the .aof, it pauses some
# microseconds for each key.
#
# kernels: first
# group: workloads

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

sock=/tmp/redis.sock

cli() {
	redis-cli -s $sock "$@"
}

# set_keys(count) - write values of 1000 bytes
set_keys() {
	redis-benchmark -s $sock -q -t set -n "$1" -r 100000 -d 1000 -c 4 -P 16 >/dev/null
}

# saved() - has the save or rewrite come to its end?
saved() {
	! cli info persistence | grep -q '^\(rdb_bgsave\|aof_rewrite\)_\(in_progress\|scheduled\):1'
}

# while_saving(command...) - begin a save or rewrite, and write until it has ended
while_saving() {
	cli "$@" >/dev/null
	while ! saved; do
		set_keys 200
	done
}

# of(extension, pattern) - print how many breaks of files with this extension have a cause `op flush why_here` that matches
of() {
	causes | ext=$1 pattern=$2 awk '$8 == ENVIRON["ext"] && $2 " " $3 " " $4 ~ "^" ENVIRON["pattern"] "$" { n += $5 } END { print n + 0 }'
}

plan 9
if ! command -v redis-server >/dev/null; then
	skip_rest "redis" "redis-server is not here"
fi
# as_before() - write back as often as before the test
as_before() {
	echo "$often" >/proc/sys/vm/dirty_writeback_centisecs
	cleanup
}

often=$(cat /proc/sys/vm/dirty_writeback_centisecs)
trap as_before EXIT
echo 0 >/proc/sys/vm/dirty_writeback_centisecs
make_volume $DISK $MNT || bail "no volume"
echo 16 >"/sys/fs/f2fs/${DISK##*/}/ipu_policy"
load path=$MNT
mkdir $MNT/redis
redis-server --dir $MNT/redis --port 0 --unixsocket $sock --appendonly yes --appendfsync everysec --save '' \
	--rdb-key-save-delay 200 --loglevel warning >/tmp/redis.log 2>&1 &
server=$!
loop_until "$PATIENCE" sh -c "redis-cli -s $sock ping 2>/dev/null | grep -q PONG" || bail "redis-server does not answer"
set_keys 7000
while_saving bgsave
# many blocks in a second, then few
for n in 1 2; do
	set_keys 300
	sleep 2.5
	set_keys 8
	sleep 2.5
done
sync
others=$(of .aof "append sync other_log")
while_saving bgrewriteaof
cli shutdown nosave || :
wait $server || :
settle
causes | sed 's/^/# /'
grep -v '^#' $DBG/extents | cut -d ' ' -f 3-11,13 | sed 's/^/# /'
grep -v '^#' $DBG/by_pair | sed 's/^/# /'
check "Redis has written a save, and an .aof with its base" sh -c "ls $MNT/redis/dump.rdb $MNT/redis/appendonlydir/*.base.rdb \
	$MNT/redis/appendonlydir/*.incr.aof"
case $(uname -r) in
[7-9].*) newer=yes ;;
*) newer= ;;
esac
if [ -n "$newer" ] && [ "$(($(of .aof ".*") + $(of .rdb ".*") + others))" = 0 ]; then
	for what in "an .aof continues in another log when the load changes" "a save has interleaved breaks" "the save is interleaved with the .aof of the parent process"; do
		skip "$what" "no file has a break on this kernel"
	done
else
	check "an .aof continues in another log when the load changes: $others times" test "$others" -ge 2
	check "a save has interleaved breaks" test "$(of .rdb "append (sync|writeback) interleaved")" -gt 0
	# the base of an .aof is written under a name that ends with .aof
	check "the save is interleaved with the .aof of the parent process" awk -v parent="redis-server:$server" '
		!/^#/ && $3 ~ /^\.(rdb|aof)$/ && $4 ~ /^redis-server:/ && $4 != parent && $5 == ".aof" && $6 == parent { found = 1 }
		END { exit !found }' $DBG/by_pair
fi
for ext in .aof .rdb; do
	expect "$ext: every break is of an append, and has a known reason" \
		"$(of $ext ".*")" "$(of $ext "append (sync|writeback) (interleaved|other_log|new_segment)")"
done
expect "every break is of a process of Redis" "$(awk '!/^#/ && $12 !~ /^(-$|redis-|bio_)/' $DBG/extents)" ""
expect "no last block is rewritten after a truncation" "$(of .aof "tail.*") $(of .rdb "tail.*")" "0 0"
check_exact "the maps are exact" -u $MNT
finish
