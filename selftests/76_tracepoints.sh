#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 76_tracepoints.sh - our tracepoints: events applied to a copy of the maps give the next copy
#
# What F2FS reports on other kernels is compared by 70_fuzz.sh and 75_causes.sh there.
#
# kernels: first
# group: causes
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

TRACING=/sys/kernel/tracing

# listen(number) - switch our events on (1) or off (0), with an empty buffer
listen() {
	echo "$1" >$TRACING/events/fragtrace/enable
	echo >$TRACING/trace
}

# events() - print `seq dev ino offset length new encoded` of each extent_change in the buffer, in their order
events() {
	sed -n 's/.* extent_change: dev=\([0-9:]*\) ino=\([0-9]*\) seq=\([0-9]*\) offset=\([0-9]*\) length=\([0-9]*\) old=[-0-9]* new=\([-0-9]*\) encoded=\([01]\) .*/\3 \1 \2 \4 \5 \6 \7/p' \
		$TRACING/trace | sort -n
}

# blocks() - print `dev ino block lba` of each block that an `extents` from stdin has
blocks() {
	awk '!/^#/ {
		for (i = 0; i < $7; i++)
			print $1, $2, $3 + i, ($8 == "unwritten" ? "u" : $5 + i) ($8 ~ /encoded/ ? "e" : "")
	}' | sort
}

# replay(events, blocks) - print the blocks after the events; false if one of the events requires a new copy
replay() {
	awk -v events="$1" '
		function cut(file, from, to, b) {
			if (to > size[file])
				to = size[file]
			for (b = from; b < to; b++)
				delete lba[file " " b]
		}
		function grow(file, end) {
			if (end > size[file])
				size[file] = end
		}
		{ lba[$1 " " $2 " " $3] = $4; grow($1 " " $2, $3 + 1) }
		END {
			while ((getline line <events) > 0) {
				split(line, f, " ")
				file = f[2] " " f[3]
				from = f[4] + 0
				end = from + f[5]
				if (f[6] == -3) {
					print "# " line >"/dev/stderr"
					exit 1
				}
				if (f[6] == -1) {
					cut(file, from, end)
					continue
				}
				grow(file, end)
				for (b = from; b < end; b++)
					if (f[6] != -2)
						lba[file " " b] = (f[6] + b - from) (f[7] == 1 ? "e" : "")
					else if (!((file " " b) in lba))
						lba[file " " b] = "u"
			}
			for (at in lba)
				print at, lba[at]
		}' "$2" | sort
}

# shown() - print the blocks of the replay whose file is in a copy; F2FS's files for atomic writes have no name and are in none
shown() {
	cat /tmp/first /tmp/last | awk '
		NR == FNR { known[$1 " " $2] = 1; next }
		known[$1 " " $2]' - /tmp/all
}

# begin() - empty the buffer and copy the maps
begin() {
	settle || bail "not exact"
	listen 1
	blocks <$DBG/extents >/tmp/first
}

# same(name) - do the events since begin() explain the current maps?
same() {
	settle || bail "not exact"
	blocks <$DBG/extents >/tmp/last
	events >/tmp/events
	replay /tmp/events /tmp/first >/tmp/all
	shown >/tmp/replayed
	if cmp -s /tmp/last /tmp/replayed; then
		ok "$1"
	else
		not_ok "$1" "the replay differs"
		diff /tmp/last /tmp/replayed | head -n 20 | sed 's/^/# /'
	fi
	echo "# $(wc -l </tmp/events) events, $(wc -l </tmp/last) blocks"
	no_gap "$1: none lost" /tmp/events
}

# no_gap(name, events) - are all numbers of the volume there?
no_gap() {
	check "$1" awk 'NR > 1 && $1 != last + 1 { bad = 1 } { last = $1 } END { exit bad || !NR }' "$2"
}

# event(pattern) - is there such an event?
event() {
	grep -q -- "$1" "$TRACING/trace"
}

# words(file) - print what the lines with our events say, from the name of the event on
words() {
	sed -n 's/.* \(extent_change\|file_state\|gc_victim\): *\(.*[^ ]\) *$/\1: \2/p' "$1"
}

# by_trace_cmd(name) - does trace-cmd, which decodes the events itself, print them as the kernel does?
by_trace_cmd() {
	if ! command -v trace-cmd >/dev/null; then
		skip "$1" "no trace-cmd"
		return 0
	fi
	echo 0 >$TRACING/tracing_on
	words $TRACING/trace >/tmp/kernel.words
	(cd /tmp && trace-cmd extract -o /tmp/trace.dat && trace-cmd report -i /tmp/trace.dat) >/tmp/report 2>/tmp/report.err || sed 's/^/# /' /tmp/report.err
	words /tmp/report >/tmp/report.words
	echo 1 >$TRACING/tracing_on
	if [ -s /tmp/kernel.words ] && cmp -s /tmp/kernel.words /tmp/report.words; then
		ok "$1"
	else
		not_ok "$1" "$(wc -l </tmp/report.words) of $(wc -l </tmp/kernel.words) events"
		diff /tmp/kernel.words /tmp/report.words | head -n 10 | sed 's/^/# /'
	fi
}

# some_of_all() - one operation of each kind
some_of_all() {
	fileop write $MNT/w/a 0 $((64 * B))
	fileop append $MNT/w/b "$B" 20 fdatasync
	sync
	fileop random $MNT/w/a 64 40 3 every 4
	fileop append $MNT/w/a "$B" 3 fdatasync
	fileop fallocate $MNT/w/c keep 0 1M
	fileop append $MNT/w/c 100000 3 fdatasync
	fileop truncate $MNT/w/c 300000
	fileop mmap $MNT/w/a 32K 64K
	fileop write $MNT/w/direct 0 64K direct
	fileop write $MNT/w/direct 96K 64K direct
	sync
	fileop fallocate $MNT/w/b punch $((2 * B)) $((4 * B))
	fileop fallocate $MNT/w/b insert "$B" $((2 * B))
	fileop fallocate $MNT/w/a collapse "$B" $((2 * B))
	fileop atomic $MNT/w/b begin write 0 "$B" commit
	fileop defrag $MNT/w/a 0 $((16 * B))
	fileop write $MNT/w/gone 0 64K sync
	rm $MNT/w/gone
	mv $MNT/old $MNT/w/old
	mv $MNT/w/direct $MNT/direct
}

plan 25
B=$PAGE_SIZE
make_volume $DISK $MNT || bail "no volume"
mounted $TRACING || mount -t tracefs tracefs $TRACING || bail "no tracefs"
mkdir $MNT/w
fileop write $MNT/w/a 0 $((32 * B))
fileop append $MNT/old "$B" 4 fdatasync
fileop append $MNT/w/a "$B" 4 fdatasync
fileop append $MNT/old "$B" 4 fdatasync
fileop append $MNT/w/other "$B" 4 fdatasync
load path=$MNT/w
echo 8192 >$TRACING/buffer_size_kb
check "the events are there" test -d $TRACING/events/fragtrace/extent_change

begin
some_of_all
same "operations of all kinds"
check "an append behind fdatasync" event "op=append flush=sync why_here=none pid=[1-9][0-9]* comm=fileop"
refuse "no append lacks its process, that of the first one neither" event "op=append .* pid=0 "
check "a tail that was rewritten" event "op=tail flush=sync .*comm=fileop"
check "a range that was punched" event "extent_change: .* new=-1 .*op=range"
check "a direct write" event "op=direct flush=none"
check "a truncation" event "extent_change: .* new=-1 .*op=truncate"
check "a file that becomes stale, and exact again" \
	eval 'event "file_state: .*to=stale$" && event "file_state: .* from=stale_scan to=exact"'
check "a file that is new" event "file_state: .*from=new to=exact"
by_trace_cmd "trace-cmd prints the same"

begin
for n in 1 2 3 4 5 6 7 8; do
	fileop append $MNT/w/counted "$B" 1 fdatasync
	fileop append $MNT/w/rival "$B" 1 fdatasync
done
settle
ino=$(stat -c %i $MNT/w/counted)
sed -n "s/.* ino=$ino .* offset=\([0-9]*\) .* why_here=\([a-z_]*\) .*/\1 \2/p" $TRACING/trace | grep -v ' none$' | sort >/tmp/reasons
awk -v ino="$ino" '!/^#/ && $2 == ino && $11 != "-" { print $3, $11 }' $DBG/extents | sort >/tmp/listed
sed 's/^/# /' /tmp/listed
check "the reason for each break of an event is that of \`extents\`" sh -c "[ -s /tmp/listed ] && cmp -s /tmp/reasons /tmp/listed"
fileop random $MNT/w/counted 8 6 7 every 1
settle
expect "changes in breaks sum up to what the file has" \
	"$(sed -n "s/.* ino=$ino .* breaks=\([-0-9]*\) .*/\1/p" $TRACING/trace | awk '{ n += $1 } END { print n + 1 }')" \
	"$(column files $MNT/w/counted 6)"

begin
fuzz storm --seed "${SEED:-761}" --threads 3 --ops 200 $MNT/w
same "a storm of three threads"

begin
fileop many $MNT/w/g 100 $((7 * B)) $((5 * B)) 7
sync
rm $MNT/w/g*[1245780]
sync
fileop gc $MNT 1 20
same "garbage collection"
check "its victims" event "gc_victim: .*kind=foreground"
check "its blocks" event "op=gc_fg flush=none"
by_trace_cmd "trace-cmd prints the same of victims"

# A buffer that is too small loses events, and the numbers show that. The
# gap may lie anywhere: each CPU has a buffer of its own, of whole pages.
echo 4 >$TRACING/buffer_size_kb
listen 1
echo 0 >$TRACING/options/overwrite
fileop append $MNT/w/lossy "$B" $((B / 10)) fdatasync
events >/tmp/head
echo >$TRACING/trace
fileop append $MNT/w/lossy "$B" 1 fdatasync
events >/tmp/tail
cat /tmp/head /tmp/tail >/tmp/numbers
check "events before and after the loss" test -s /tmp/head -a -s /tmp/tail
check "what was lost leaves a gap" awk 'NR > 1 && $1 != last + 1 { gap = 1 } { last = $1 } END { exit !gap }' /tmp/numbers
echo 1 >$TRACING/options/overwrite
echo 8192 >$TRACING/buffer_size_kb

listen 0
unload
load path=$MNT/w causes=0
begin
fuzz storm --seed "${SEED:-762}" --threads 2 --ops 100 $MNT/w
same "a storm without causes"
listen 0
finish
