# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# trouble.sh - find warnings in a kernel's log. To be sourced, on the host and in guests.

# Patterns of a kernel's warnings.
FT_TROUBLE='WARNING:|BUG:|Oops|KASAN|KCSAN|UBSAN|KFENCE: |Kernel panic|kernel BUG|general protection fault'
FT_TROUBLE="$FT_TROUBLE|[Uu]nable to handle|Call Trace:|INFO: (task|rcu|trying)|soft lockup|hard LOCKUP"
FT_TROUBLE="$FT_TROUBLE|possible (circular|recursive) locking|inconsistent lock state|suspicious RCU|sleeping function"
FT_TROUBLE="$FT_TROUBLE|refcount_t:|list_(add|del) corruption|memory leak|scheduling while atomic|Still has locks"
FT_TROUBLE="$FT_TROUBLE|CFI failure at|F2FS-fs.*([Ii]nconsisten|corrupt|should run fsck)"

# ft_after(words) - print the part of a log after the line with these words; all of it if that line has been lost
ft_after() {
	awk -v words="$1" 'index($0, words) { n = 0; next } { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }'
}

# ft_races(what) - print a log without data races of other code (rest), or their number (count)
#
# KCSAN finds many races in any kernel. A race is ours if one of its two accesses was made by the module or
# by a function that it called. Functions of F2FS do not count: F2FS has races with itself, also while the
# module reads extents. Interrupts on top of the module do not count either, nor does the kernel's hash table, part of
# which is inlined: its worker tries the lock of a bucket, which is a bit of the pointer that the module reads with the lock held.
# Nor does the clock of tracing, which may be read while it is set, and is read again then. Of other races the
# title is removed, so that other warnings in between still count.
ft_races() {
	awk -v what="$1" '
		function report_ends() {
			if (inside && own && what == "rest")
				print title
			if (inside && !own)
				others++
			if (what == "rest")
				printf "%s", lines
			inside = own = 0
			lines = ""
		}
		/BUG: KCSAN:/ { report_ends(); inside = 1; title = $0; kernels = / (rht_deferred_worker|timekeeping_update)( |$)/; next }
		inside { lines = lines $0 "\n" }
		inside && / by (task|interrupt) / { whose = kernels ? "theirs" : "" }
		inside && !whose && /\[fragtrace\]/ { whose = "ours"; own = 1 }
		inside && !whose && /f2fs|asm_sysvec_|asm_common_|Reported by/ { whose = "theirs" }
		inside && /======/ { report_ends(); next }
		!inside && what == "rest"
		END {
			report_ends()
			if (what == "count")
				print others + 0
		}'
}

# ft_f2fs_stacks() - print a log without the stacks that F2FS itself prints: when it gives a volume up whose disk it cannot read, and
# when a checkpoint takes some seconds, as it may where the guest is emulated
ft_f2fs_stacks() {
	awk '
		/Call Trace:/ { if (inside) printf "%s", lines; inside = 1; own = 0; lines = "" }
		!inside { print; next }
		{ lines = lines $0 "\n" }
		/ f2fs_stop_checkpoint\+/ || (last ~ / dump_stack_lvl\+/ && / f2fs_issue_checkpoint\+/) { own = 1 }
		{ last = $0 }
		/<\/TASK>/ { if (!own) printf "%s", lines; inside = 0 }
		END { if (inside) printf "%s", lines }'
}

# ft_kernel_well(log) - true if a guest's kernel log has no warning; otherwise print the warnings
ft_kernel_well() {
	local others

	others=$(tr -d '\r' <"$1" | ft_races count)
	[ "$others" = 0 ] || ft_say "$others data races without fragtrace were ignored"
	ft_plain_log "$1" | grep -aqE "$FT_TROUBLE" || return 0
	ft_say "the guest's kernel $KREL reports trouble:"
	ft_plain_log "$1" | grep -aE -A 30 "$FT_TROUBLE" | head -n 80 >&2
	return 1
}

# ft_emulator_failed(log) - true if the first trouble of an emulated guest is that a CPU ran the breakpoint of a finished patch
#
# While the kernel patches its own code, a breakpoint (int3) stands there. QEMU's other emulated CPU may run it from its cache of
# translated code after the kernel has removed it: then nobody handles it. Only the kernel's own code counts, not a module's.
ft_emulator_failed() {
	tr -d '\r' <"$1" | awk -v trouble="$FT_TROUBLE" '
		!first && $0 ~ trouble { first = $0 }
		first && /RIP: 0010:/ { rip = $0; exit }
		END { exit !(first ~ /Oops: int3: / && rip ~ /\+0x[0-9a-f]+\/0x[0-9a-f]+$/) }'
}

# ft_plain_log(log) - print the lines of a guest's kernel log that may be warnings of ours
ft_plain_log() {
	# The first program of the full guest also writes to the kernel's log, and warns about features that the host lacks.
	tr -d '\r' <"$1" | grep -av 'virtme-ng-init:' | ft_f2fs_stacks | ft_races rest
}

# ft_refusals() - print a log without the messages of a kernel that is made to refuse memory
#
# Some callers print a stack trace when their allocation is made to fail. Warnings that follow from a failure count.
ft_refusals() {
	awk '
		/vmalloc error: |page allocation failure: |__kmem_cache_create_args\(.*\) failed with error/ { refused = 1; next }
		refused && /<\/TASK>/ { refused = 0; next }
		refused && /WARNING:|BUG:|Oops/ { refused = 0 }
		!refused'
}

# ft_log_trouble(words) - print the warnings in the kernel's log after the line with these words, as comments of KTAP
ft_log_trouble() {
	local refusals

	refusals="cat"
	[ ! -d /sys/kernel/debug/failslab ] || refusals=ft_refusals
	dmesg | ft_after "$1" | ft_f2fs_stacks | ft_races rest | $refusals | grep -E "$FT_TROUBLE" | sed 's/^/# kernel: /'
}
