#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xfstests.sh - run one test of xfstests in the full guest and print its verdict; the guest's part of commands/xfstests.sh.
#
# usage: xfstests.sh FOLDER TEST without|with
#
# Leaves the verdict in $OUT/verdict: passes, fails, or `not run: WHY`; then whether the scratch device cannot be mounted any
# more (some tests put a thin pool there), and with the module the result of an audit of the mounted volume.

set -eu

DBG=/sys/kernel/debug/fragtrace
FOLDER=$1 TEST=$2 HOW=$3

# verdict() - print the result of the test in a word
verdict() {
	if [ "$rc" != 0 ]; then
		echo fails
	elif grep -q '^Not run: ' /tmp/check.out; then
		echo "not run: $(sed -n 's/.*\[not run\] *//p' /tmp/check.out | head -n 1)"
	else
		echo passes
	fi
}

# followed() - is the scratch volume watched, and are all of its maps exact?
followed() {
	awk '!/^#/ && $3 == "live" { found = 1 } END { exit !found }' $DBG/targets
}

# mounted() - mount the scratch volume again
mounted() {
	umount "$SCRATCH_MNT" 2>/dev/null || :
	mount -t f2fs "$SCRATCH_DEV" "$SCRATCH_MNT"
}

# audited() - audit the scratch volume
audited() {
	local n

	n=0
	until followed || [ $n = 900 ]; do
		sleep 0.1
		n=$((n + 1))
	done
	followed || { echo "not followed again: $(grep -v '^#' $DBG/targets)" && return 0; }
	sync
	echo 1 >$DBG/audit
	n=$(grep -c ' differs ' $DBG/audit || :)
	if [ "$n" = 0 ] && [ "$(awk '$1 == "audit_differences" { print $2 }' $DBG/stats)" = 0 ]; then
		echo "audit clean"
	else
		echo "audit: $n files differ"
		cat $DBG/audit
	fi
}

export FSTYP=f2fs TEST_DEV=/dev/vda TEST_DIR=/tmp/test SCRATCH_DEV=/dev/vdb SCRATCH_MNT=/tmp/scratch
export LOGWRITES_DEV=/dev/vdc RESULT_BASE=/tmp/results HOST_OPTIONS=/tmp/none SOAK_DURATION
mkdir -p $TEST_DIR $SCRATCH_MNT $RESULT_BASE
mkfs.f2fs -q -f $TEST_DEV >/dev/null
mkfs.f2fs -q -f $SCRATCH_DEV >/dev/null
for module in dm_mod dm_log_writes dm_flakey dm_thin_pool loop; do
	modprobe $module 2>/dev/null || :
done
if [ "$HOW" = with ]; then
	mount -t f2fs $SCRATCH_DEV $SCRATCH_MNT
	insmod "$FRAGTRACE_KO" path=$SCRATCH_MNT
	umount $SCRATCH_MNT
fi
cd "$FOLDER"
rc=0
./check "$TEST" >/tmp/check.out 2>&1 || rc=$?
cat /tmp/check.out
said=$(verdict)
case $said in
not\ run*) ;;
*)
	if ! mounted; then
		said="$said, scratch cannot be mounted"
	elif [ "$HOW" = with ]; then
		said="$said, $(audited)"
	fi
	;;
esac
dmesg | grep -E 'WARNING:|BUG:|INFO: task|Call Trace:' | head -n 5
echo "$said" >"$OUT/verdict"
