#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 10_load.sh - loading without a folder, the files in debugfs and their permissions, unloading
#
# blocks: any
# group: load quick

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# mode_of(path) - print the permissions of a file in octal
mode_of() {
	stat -c %a "$1"
}

plan 35
load ""
expect "the debugfs folder has mode 0700" "$(mode_of $DBG)" 700
for text in table extents files stats; do
	expect "$text is read-only" "$(mode_of $DBG/$text)" 400
done
for text in targets resync healed by_pair by_cgroup fsync latency ledger gc_runs discards; do
	expect "$text is writable by root" "$(mode_of $DBG/$text)" 600
done
for text in table targets healed by_pair by_cgroup fsync latency ledger discards; do
	expect "$text names its format" "$(head -n 1 "$DBG/$text")" "# fragtrace $text 1"
done
for text in extents files gc_runs; do
	expect "$text names its format" "$(head -n 1 "$DBG/$text")" "# fragtrace $text 2"
done
expect "no text has a record without a target" "$(cat $DBG/table $DBG/extents $DBG/files $DBG/targets | grep -vc '^#')" 0
check "path is a readable parameter" test -r /sys/module/fragtrace/parameters/path
check "max_mem_mb is a readable parameter" test "$(cat /sys/module/fragtrace/parameters/max_mem_mb)" -gt 0
if [ -e /sys/kernel/btf/f2fs ]; then
	refuse "it is compared with the BTF of F2FS" logged "cannot check that it was built for this F2FS"
else
	skip "it is compared with the BTF of F2FS" "this kernel has none"
fi
check "the module unloads" unload
refuse "its debugfs folder is removed" test -e $DBG
refuse "the module is no longer in /sys/module" loaded
i=0
while [ $i -lt 10 ] && insmod "$FRAGTRACE_KO" && unload; do
	i=$((i + 1))
done
expect "the module loads and unloads ten times" "$i" 10
finish
