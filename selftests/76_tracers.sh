#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 76_tracers.sh - our tracepoints by perf and bpftrace: they count the same events as the kernel's own ring
#
# kernels: first
# blocks: any
# group: causes

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

TRACING=/sys/kernel/tracing
EVENT=$TRACING/events/fragtrace/extent_change

# work() - change maps by some operations, until nothing more is due
work() {
	fileop write $MNT/a 0 256K
	fileop append $MNT/b 4096 20 fdatasync
	fileop random $MNT/a 64 40 76 every 4
	fileop fallocate $MNT/a punch 8K 16K
	fileop write $MNT/direct 0 64K direct
	rm $MNT/b
	settle
}

# has_ended(pid) - has this process ended?
has_ended() {
	[ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"
}

# finish_tracer(pid, name) - wait for a tracer, which ends when its command does; if it hangs, say where, and end it
finish_tracer() {
	loop_until 40 has_ended "$1" || {
		for task in /proc/"$1"/task/*; do
			echo "# $2: $(cat "$task/comm" "$task/wchan" | tr '\n' ' ')"
			sed 's/^/#   /' "$task/stack"
		done
		kill -9 "$1"
	}
	wait "$1" || :
}

# by_op() - print how often each operation is in lines with events from stdin: `op count`
by_op() {
	sed -n 's/.*extent_change: .* op=\([a-z_]*\) .*/\1/p' | sort | uniq -c | awk '{ print $2, $1 }'
}

# op_names() - print a line `number name` for each operation, as the format of the event has them
op_names() {
	sed -n 's/.*REC->op, *\([^)]*\)).*/\1/p' $EVENT/format | grep -o '[0-9]*, "[a-z_]*"' | tr -d ',"'
}

# bpftrace_by_op() - the same as by_op, of what bpftrace prints at its end: `@[number]: count`
bpftrace_by_op() {
	op_names >/tmp/op_names
	sed -n 's/^@\[\([0-9]*\)\]: /\1 /p' | awk 'NR == FNR { name[$1] = $2; next } { print name[$1], $2 }' /tmp/op_names - | sort
}

# same(name, file) - are these the counts of the ring?
same() {
	if cmp -s /tmp/ring "$2"; then
		ok "$1"
	else
		not_ok "$1" "the counts differ"
		diff /tmp/ring "$2" | sed 's/^/# /'
	fi
}

plan 5
mounted $TRACING || mount -t tracefs tracefs $TRACING || bail "no tracefs"
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
settle

# Both tracers trace as long as this command runs.
cat >/tmp/until_end <<'END'
#!/bin/sh
touch "/tmp/begun$1"
until [ -e /tmp/end ]; do
	sleep 0.1
done
END
chmod +x /tmp/until_end
bpftrace=
if ! command -v bpftrace >/dev/null; then
	bpftrace="no bpftrace"
elif ! [ -r /sys/kernel/btf/vmlinux ]; then
	bpftrace="this kernel has no BTF"
else
	bpftrace -e 'BEGIN { printf("begun\n"); } tracepoint:fragtrace:extent_change { @[args->op] = count(); }' \
		-c "/bin/sh /tmp/until_end" >/tmp/bpftrace.out 2>&1 &
	pid=$!
	loop_until "$PATIENCE" grep -q begun /tmp/bpftrace.out || { sed 's/^/# /' /tmp/bpftrace.out; bail "bpftrace does not begin"; }
fi
perf=
command -v perf >/dev/null || perf="no perf"
echo 8192 >$TRACING/buffer_size_kb
echo >$TRACING/trace
echo 1 >$TRACING/events/fragtrace/enable
if [ -z "$perf" ]; then
	perf record -q -a -e 'fragtrace:*' -o /tmp/perf.data -- /tmp/until_end perf >/tmp/perf.err 2>&1 &
	perf_pid=$!
	loop_until "$PATIENCE" test -e /tmp/begunperf || { sed 's/^/# /' /tmp/perf.err; bail "perf does not begin"; }
fi
work
touch /tmp/end
[ -n "$bpftrace" ] || finish_tracer $pid bpftrace
[ -n "$perf" ] || finish_tracer $perf_pid perf
echo 0 >$TRACING/events/fragtrace/enable
by_op <$TRACING/trace >/tmp/ring
sed 's/^/# /' /tmp/ring
check "the ring has events of several operations" test "$(wc -l </tmp/ring)" -ge 4

if [ -n "$perf" ]; then
	skip "perf counts the same" "$perf"
	skip "and has the fields of each" "$perf"
	skip "and the events of states" "$perf"
else
	perf script -i /tmp/perf.data >/tmp/perf.out 2>>/tmp/perf.err || sed 's/^/# /' /tmp/perf.err
	by_op </tmp/perf.out >/tmp/perf.ops
	same "perf counts the same" /tmp/perf.ops
	sed -n 's/.* extent_change: *\(.*[^ ]\) *$/\1/p' $TRACING/trace | sort >/tmp/ring.words
	sed -n 's/.*fragtrace:extent_change: *\(.*[^ ]\) *$/\1/p' /tmp/perf.out | sort >/tmp/perf.words
	check "and has the fields of each" cmp /tmp/ring.words /tmp/perf.words
	expect "and the events of states" "$(grep -c fragtrace:file_state: /tmp/perf.out)" "$(grep -c ' file_state: ' $TRACING/trace)"
fi
if [ -n "$bpftrace" ]; then
	skip "bpftrace counts the same" "$bpftrace"
else
	bpftrace_by_op </tmp/bpftrace.out >/tmp/bpftrace.ops
	same "bpftrace counts the same" /tmp/bpftrace.ops
fi
finish
