#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 59_audit.sh - audits find no difference in correct maps, also during writes, and find changes on the disk
#
# For such a change, two addresses in the node of a file are exchanged on the disk, and F2FS reads the node again.
#
# kernels: first
# group: texts quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# said(name) - print a figure of the last report
said() {
	sed -n "s/^# audited .*$1=\([0-9]*\).*/\1/p" $DBG/audit
}

# in_report(path) - is there a line for this file?
in_report() {
	awk -v path="$1" '!/^#/ && $6 == path && $3 == "differs" { n = $5 } END { print n + 0 }' $DBG/audit
}

# audited_more(count) - have there been more audits than that?
audited_more() {
	[ "$(stat_of audits)" -gt "$1" ]
}

plan 24
make_volume $DISK $MNT noextent_cache || bail "no volume"
load path=$MNT
tolerate audit_differences "two addresses are exchanged on the disk"
expect "the audit file says never before the first audit" "$(sed -n 's/^# audited \([a-z_]*\) .*/\1/p' $DBG/audit)" never
fileop write $MNT/a 0 1M
fileop random $MNT/a 256 200 59 every 10
fileop write $MNT/b 0 512K
fileop many $MNT/small 30 5000 300
settle
expect "an audit of all targets is accepted" "$(fileop say $DBG/audit 1)" OK
expect "the audit checks every file" "$(said files)" 32
expect "the audit checks every block" "$(said blocks)" "$(awk '!/^#/ { n += $3 } END { print n }' $DBG/table)"
expect "the audit finds no difference" "$(said differing)" 0
late function=f2fs_fiemap before_ms=50 || bail "no late.ko"
begin=$(uptime_ms)
expect "an audit of a directory is accepted" "$(fileop say $DBG/audit $MNT)" OK
most=$(($(uptime_ms) - begin + 20))
late
check "it takes the milliseconds that it says, 50 for each file or more ($(said milliseconds) of $most)" \
	test "$(said milliseconds)" -ge $((32 * 50)) -a "$(said milliseconds)" -le $most

mkdir $MNT/storm
fuzz storm --seed 59 --ops 3000 $MNT/storm >/dev/null &
writer=$!
least=32
for n in 1 2 3 4 5; do
	fileop say $DBG/audit 1 >/dev/null
	echo "# under writers: $(sed -n 's/^# audited //p' $DBG/audit)"
	[ "$(said files)" -ge $least ] || least=$(said files)
done
wait $writer
expect "audits during writes judge at least the files that do not change" $least 32
expect "audits during writes find no difference" "$(stat_of audit_differences)" 0
check_exact "maps are exact after audits and writes" $MNT

fsfreeze --freeze $MNT
expect "an audit of a frozen volume ends" "$(timeout $((60 * SLOW)) fileop say $DBG/audit 1)" OK
fsfreeze --unfreeze $MNT
expect "the audit of a frozen volume judges no file" "$(said files) $(said unjudged)" "0 $(grep -vc '^#' $DBG/files)"
settle

fileop write $MNT/victim 0 256K
settle
check "two addresses are exchanged on the disk" misplace $MNT/victim
expect "an audit after the exchange is accepted" "$(fileop say $DBG/audit 1)" OK
expect "the audit finds both addresses" "$(in_report $MNT/victim)" 2
expect "the audit finds no other difference" "$(said differing)" 2
expect "stats counts the file" "$(stat_of audit_differences)" 1
check "the log reports the audit" logged "audit: 2 of"
check_exact "maps are exact after the audit has repaired the map" $MNT
# A write names the address that F2FS has read, and the map has another one; after that the file is stale.
tolerate mismatches "one event contradicts the map"
fileop write $MNT/wrong 0 256K
settle
misplace $MNT/wrong
fileop write $MNT/wrong 0 256K sync
expect "an event contradicts the map" "$(stat_of mismatches)" 1
check_exact "maps are exact after it" $MNT
unload

load path=$MNT audit_secs=1
fileop write $MNT/other 0 256K
settle
misplace $MNT/other
check "the periodic audit finds the exchanged addresses" loop_until "$PATIENCE" logged "audit: 2 of"
n=$(stat_of audits)
check "the periodic audit runs again" loop_until "$PATIENCE" audited_more "$n"
check "the module unloads with periodic audits" unload
finish
