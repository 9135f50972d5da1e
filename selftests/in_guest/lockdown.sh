#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lockdown.sh - fragtrace in a kernel that is locked down or enforces signatures: what works, and the messages.
#
# usage: lockdown.sh refused ERRNO WORDS WORDS    the module does not load, unsigned or with an unknown signature:
#                                                 the error, and the words in the log for each
#        lockdown.sh loaded                       what a module with a valid signature can do
#
# No key is enrolled here. To get the module into a locked-down kernel, `loaded` locks the kernel down while
# insmod is past the check of the signature, and waits for a process that holds the lock of a directory.
# A kernel cannot be unlocked: each of these needs a separate guest.

here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$here/lib.sh"

LOCKDOWN=/sys/kernel/security/lockdown

# refused_as(name, file, errno, words) - a module must be refused with this error, and the log must have the words
refused_as() {
	MARK="$1 of lockdown.sh"
	echo "$MARK" >/dev/kmsg
	expect "$1: $3" "$(fileop insmod "$2")" "$3"
	check "$1: the log says '$4'" logged "$4"
}

# can_read(file) - can a file of debugfs be read?
can_read() {
	cat "$DBG/$1" >/dev/null 2>&1
}

# readable() - print the files that can be read
readable() {
	local file

	for file in "$DBG"/*; do
		can_read "${file##*/}" && printf '%s ' "${file##*/}"
	done
}

# is_locked(how) - is the kernel locked down in this way?
is_locked() {
	grep -qF "[$1]" $LOCKDOWN
}

ALL="audit by_cgroup by_pair discards extents files fsync gc gc_runs healed heat latency ledger resync snapshot stats table targets "

mount -t securityfs securityfs /sys/kernel/security
case $1 in
refused)
	# The kernel limits the rate of these messages, and tracefs uses it up while the kernel boots.
	sleep 6
	plan 4
	refused_as "an unsigned module" "$FRAGTRACE_KO" "$2" "$3"
	refused_as "one that a stranger has signed" /tools/signed.ko "$2" "$4"
	finish
	;;
esac

plan 24
make_volume $DISK $MNT || bail "no volume"
mkdir -p $MNT/held/db
fileop write $MNT/held/db/one 0 256K
fileop write $MNT/held/db/two 0 256K
umount $MNT
mount_volume $DISK $MNT || bail "not mounted"
fileop stuck_dir $MNT/held /tmp/ready 2>/tmp/stuck.err &
holder=$!
loop_until 10 test -e /tmp/ready || bail "no process holds the directory"
sleep 2
[ ! -s /tmp/stuck.err ] || skip_rest "a kernel that is locked down" "$(cat /tmp/stuck.err)"
insmod "$FRAGTRACE_KO" path=$MNT/held/db &
loader=$!
sleep 2
echo integrity >$LOCKDOWN
check "the kernel is locked down during the load" is_locked integrity
refuse "the module has no files at this time" test -e $DBG
kill -9 $holder
wait $holder 2>/dev/null || :
check "the module is loaded" wait $loader
check "the log has the consequence in one sentence" logged "fragtrace: the kernel is locked down: .*path="
mount -t tracefs tracefs /sys/kernel/tracing
can=OK
for how in integrity confidentiality; do
	if [ $how = confidentiality ]; then
		echo $how >$LOCKDOWN
		can=EPERM
	fi
	check "$how: the lockdown is in force" is_locked $how
	expect "$how: every file can be read" "$(readable)" "$ALL"
	fileop write $MNT/held/db/one 64K 128K
	fileop write $MNT/held/db/$how 0 64K
	check_exact "$how: maps are exact" $MNT/held/db
	calls=$(stat_of calls)
	expect "$how: probes of functions are in place" "$(stat_of calls_attached)" 1
	fileop move $MNT/held/db/one 0 $MNT/held/db/two 0 16K
	check "$how: probes of functions report calls" [ "$(stat_of calls)" -gt "$calls" ]
	check_exact "$how: maps are exact after moves" $MNT/held/db
	expect "$how: a write to targets is refused" "$(fileop say $DBG/targets "add $MNT")" EPERM
	expect "$how: a write to the parameter is allowed" "$(fileop say /sys/module/fragtrace/parameters/audit_secs 600)" OK
	expect "$how: enabling the tracepoints" "$(fileop say /sys/kernel/tracing/events/fragtrace/enable 1)" $can
done
unload
# the kernel limits the rate of this message
sleep 6
refused_as "again" "$FRAGTRACE_KO" EPERM "Lockdown: .*: unsigned module loading is restricted"
finish
