# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034
#
# lib.sh - functions for all tests: KTAP output, volumes, the module, waiting, and clean-up by trap.
#
# A test sources this file, calls `plan N`, and ends with `finish`. Scratch disks are $DISK and $DISK2, the module
# is $FRAGTRACE_KO. All mounts and modules of the test are removed at its end. Where it runs without a guest of ours,
# loop_disks.sh makes the disks.
# Runs under dash and under busybox's sh.

set -eu

DBG=/sys/kernel/debug/fragtrace
# A kernel without debugfs has the module's files elsewhere.
grep -qw debugfs /proc/filesystems || DBG=/proc/fragtrace
DISK=/dev/vda
DISK2=/dev/vdb
MNT=/mnt/f2fs
MNT2=/mnt/f2fs2
# How much slower than usual this kernel is.
SLOW=${SLOW:-1}
# Timeout in seconds for conditions that become true soon; emulation is slow, and the machine may have other work.
PATIENCE=$((240 * SLOW))
# Timeout in seconds of what must happen soon, but is not timed.
SOON=$((120 * SLOW))
# How many times as long as natively a program runs here; see emulation().
FACTOR=

KTAP_NAME=${0##*/}
KTAP_PLAN=0
KTAP_DONE=0
KTAP_FAILED=0
MARK=
# Names of `stats` that are above 0 in this test, see tolerate(); what they were when the module was unloaded.
TOLERATED=
UNSOUND=
# `rescans` at the last comparison, see check_at_once().
SCANS=0
# collected() before the last sync.
COLLECTED=

# === KTAP ===

# plan(count) - begin the test: print the plan, record the end of the kernel's log
plan() {
	KTAP_PLAN=$1
	echo "KTAP version 1"
	echo "1..$1"
	MARK="$KTAP_NAME begins $$"
	[ ! -w /dev/kmsg ] || [ -z "${FRAGTRACE_GUEST:-}" ] || echo "$MARK" >/dev/kmsg
}

# ok(name) - report a check that passed
ok() {
	KTAP_DONE=$((KTAP_DONE + 1))
	echo "ok $KTAP_DONE - $1"
}

# not_ok(name, reason...) - report a check that failed
not_ok() {
	KTAP_DONE=$((KTAP_DONE + 1))
	KTAP_FAILED=$((KTAP_FAILED + 1))
	echo "not ok $KTAP_DONE - $1"
	shift
	[ $# = 0 ] || echo "# $*"
}

# skip(name, reason) - report a check that is not possible here
skip() {
	KTAP_DONE=$((KTAP_DONE + 1))
	echo "ok $KTAP_DONE - $1 # SKIP $2"
}

# expect(name, actual, wanted) - the two words must be equal
expect() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got '$2', expected '$3'"
	fi
}

# check(name, command...) - the command must succeed
check() {
	local name

	name=$1
	shift
	if "$@"; then
		ok "$name"
	else
		not_ok "$name" "failed: $*"
	fi
}

# refuse(name, command...) - the command must fail
refuse() {
	local name

	name=$1
	shift
	if "$@"; then
		not_ok "$name" "did not fail: $*"
	else
		ok "$name"
	fi
}

# skip_rest(what, reason) - skip all remaining checks of the plan and end the test
skip_rest() {
	while [ "$KTAP_DONE" -lt "$KTAP_PLAN" ]; do
		skip "$1" "$2"
	done
	finish
}

# bail(reason...) - fail all remaining checks of the plan and end the test
bail() {
	echo "# $*"
	while [ "$KTAP_DONE" -lt "$KTAP_PLAN" ]; do
		not_ok "not reached"
	done
	finish
}

# log_complaints() - print the kernel's warnings since the begin of this test
#
# run_tests.sh looks for them itself, also where a test is killed.
log_complaints() {
	[ -z "${LOG_IS_WATCHED:-}" ] && [ -n "${FRAGTRACE_GUEST:-}" ] && [ -f "${here:-}/trouble.sh" ] || return 0
	# shellcheck source=trouble.sh
	. "$here/trouble.sh"
	ft_log_trouble "$MARK"
}

# tolerate(name of `stats`, reason) - this test makes `mismatches` or `audit_differences` grow: finish() allows it
#
# Without this, events have agreed with the maps at the end of each test, and so have audits.
tolerate() {
	TOLERATED="$TOLERATED $1 "
	echo "# $1 may grow: $2"
}

# note_unsound() - keep what finish() checks, before the module is unloaded
note_unsound() {
	local name value

	for name in mismatches audit_differences; do
		value=$(stat_of $name 2>/dev/null) || continue
		case "$TOLERATED" in
		*" $name "*) ;;
		*) [ "${value:-0}" = 0 ] || UNSOUND="$UNSOUND $name $value" ;;
		esac
	done
}

# finish() - end the test: check that the plan was kept, that events and audits have agreed with the maps, and that the
# kernel's log has no warning
finish() {
	if log_complaints | grep .; then
		echo "not ok - the kernel has warned"
		KTAP_FAILED=$((KTAP_FAILED + 1))
	fi
	if [ "$KTAP_DONE" != "$KTAP_PLAN" ]; then
		echo "not ok - planned $KTAP_PLAN, ran $KTAP_DONE"
		KTAP_FAILED=$((KTAP_FAILED + 1))
	fi
	note_unsound
	if [ -n "$UNSOUND" ]; then
		echo "not ok - stats:$UNSOUND: events or audits contradicted a map, which this test does not expect"
		KTAP_FAILED=$((KTAP_FAILED + 1))
	fi
	echo "# totals: pass:$((KTAP_DONE - KTAP_FAILED)) fail:$KTAP_FAILED"
	[ "$KTAP_FAILED" = 0 ]
	exit
}

# === Waiting ===

# loop_until(seconds, command...) - repeat the command until it succeeds; false after the timeout
#
# After 30 tries half as often: each one is some processes, which cost an emulated CPU about 10 ms each.
loop_until() {
	local now end tries

	read -r now _ </proc/uptime
	end=$((${now%.*} + $1)) tries=0
	shift
	until "$@"; do
		read -r now _ </proc/uptime
		[ "${now%.*}" -lt "$end" ] || return 1
		tries=$((tries + 1))
		sleep 0.$((tries < 30 ? 1 : 2))
	done
}

# uptime_ms() - print the milliseconds since the boot
uptime_ms() {
	local up

	read -r up _ </proc/uptime
	echo "${up%.*}${up#*.}0"
}

# emulation() - set FACTOR, from 1 to 10: a busy machine fails no test, but a command that hangs for some seconds does
emulation() {
	local begin i

	[ -z "$FACTOR" ] || return 0
	begin=$(uptime_ms)
	i=0
	while [ $i -lt 20000 ]; do
		i=$((i + 1))
	done
	# this takes 40 ms natively
	FACTOR=$((($(uptime_ms) - begin) / 40))
	[ "$FACTOR" -ge 1 ] || FACTOR=1
	[ "$FACTOR" -le 10 ] || FACTOR=10
	echo "# programs take $FACTOR times as long as natively, or longer"
}

# timed(milliseconds, command...) - run a command; set STATUS, to 124 if it did not end in time, and TOOK to its
# milliseconds. A command that hangs is not waited for, because it may be unkillable.
timed() {
	local end

	end=$(($(uptime_ms) + $1))
	shift
	TIMED=$((${TIMED:-0} + 1)) STATUS=124 TOOK=
	(
		rc=0
		begin=$(uptime_ms)
		"$@" >/dev/null 2>&1 || rc=$?
		echo "$rc $(($(uptime_ms) - begin))" >/tmp/timed
		mv /tmp/timed /tmp/ended.$TIMED
	) &
	until [ -e /tmp/ended.$TIMED ]; do
		[ "$(uptime_ms)" -lt $end ] || return 0
		sleep 0.05
	done
	read -r STATUS TOOK </tmp/ended.$TIMED
	rm /tmp/ended.$TIMED
}

# own_file(name) - print the file that keeps the own time of a command; up to `: ` the name does not count
own_file() {
	echo "/tmp/own.${1#*: }"
}

# own_time(name, command...) - run the command of a later in_time() before the attack: its own time here
own_time() {
	local name

	name=$1
	shift
	emulation
	timed $((SOON * 1000)) "$@"
	[ "$STATUS" = 0 ] || bail "$name: status $STATUS: $*"
	echo "$TOOK" >"$(own_file "$name")"
}

# in_time(name, command...) - the command must succeed, and take no more than a second (times FACTOR) above its own time
in_time() {
	local name own limit

	name=$1
	shift
	emulation
	own=$(cat "$(own_file "$name")" 2>/dev/null || echo 0)
	limit=$((own + 1000 * FACTOR * SLOW))
	timed $limit "$@"
	if [ "$STATUS" = 0 ] && [ "$TOOK" -le $limit ]; then
		ok "$name"
	elif [ "$STATUS" = 124 ]; then
		not_ok "$name" "did not end: $*"
	else
		not_ok "$name" "status $STATUS: $*"
	fi
	echo "# ${TOOK:-more than $limit} ms, without the attack $own ms, limit $limit ms"
}

# log_since() - print the kernel's log since the begin of this test
log_since() {
	dmesg | awk -v mark="$MARK" 'index($0, mark) { n = 0; next } { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }'
}

# logged(pattern) - true if the kernel's log since the begin of this test has a matching line
logged() {
	log_since | grep -q -- "$1"
}

# === Volumes ===

# The size of the kernel's pages, which is also that of F2FS's blocks.
PAGE_SIZE=$(awk '/^KernelPageSize/ { print $2 * 1024; exit }' /proc/self/smaps)

# block_size(device) - print the size of the blocks of the F2FS there, from its super block
block_size() {
	echo $((1 << $(od -An -tu1 -j 1040 -N 1 "$1")))
}

# make_volume(device, mount point, mount options) - make and mount an empty F2FS that rewrites out of place
#
# F2FS's blocks are pages. On a kernel with larger ones the test is skipped, unless it has the line `# blocks: any` in its head, as
# its numbers are right for any size, and mkfs.f2fs makes that size.
make_volume() {
	[ "$PAGE_SIZE" = 4096 ] || grep -q '^# blocks: any$' "$0" || skip_rest "F2FS with blocks of 4 KiB" "this kernel has pages of $PAGE_SIZE bytes"
	mkdir -p "$2"
	# without discarding first, which can take a minute if the image has many extents on the host
	mkfs.f2fs -q -f -t 0 "$1" >/dev/null || return 1
	[ "$PAGE_SIZE" = 4096 ] || [ "$(block_size "$1")" = "$PAGE_SIZE" ] ||
		skip_rest "F2FS with blocks of $PAGE_SIZE bytes" "this mkfs.f2fs makes others"
	mount_volume "$@"
}

# mount_volume(device, mount point, mount options) - mount F2FS so that it behaves as on a large disk
#
# F2FS tunes volumes below 16 GB to rewrite in place, which would hide most operations of F2FS. Here, only
# direct writes are done in place; 33_modes.sh tests the other modes.
mount_volume() {
	mkdir -p "$2"
	mount -t f2fs -o "alloc_mode=default${3:+,$3}" "$1" "$2" || return 1
	echo 0 >"/sys/fs/f2fs/${1##*/}/ipu_policy"
}

# make_special(device, mount point, mount options, arguments of mkfs.f2fs...) - the same with F2FS features; may fail
make_special() {
	local device mnt options

	device=$1 mnt=$2 options=$3
	shift 3
	mkfs.f2fs -q -f -t 0 "$@" "$device" >/dev/null 2>&1 && mount_volume "$device" "$mnt" "$options" 2>/dev/null
}

# make_plain(device, mount point) - make and mount an empty ext4
make_plain() {
	mkdir -p "$2"
	mkfs.ext4 -q -F "$1" >/dev/null 2>&1 || return 1
	mount -t ext4 "$1" "$2"
}

# mounted(mount point) - is a file system mounted there?
mounted() {
	grep -q " $1 " /proc/mounts
}

# f2fs_is_module() - is F2FS a module that can be unloaded?
f2fs_is_module() {
	find /lib/modules -name 'f2fs.ko*' | grep -q .
}

# kprobes_use_ftrace() - does ftrace place those of the module? Elsewhere, as on arm64, they are exceptions
kprobes_use_ftrace() {
	grep -q '\[FTRACE\]' /sys/kernel/debug/kprobes/list
}

# drop_caches() - make the kernel forget what it has read, pages in lists of another CPU, too
drop_caches() {
	# this empties these lists first
	echo 1 2>/dev/null >/proc/sys/vm/compact_memory || :
	echo 3 >/proc/sys/vm/drop_caches
}

# misplace(file) - exchange the addresses of two blocks of a file on the disk, so that no event tells of it
#
# All nodes are in the first segments of the main area, 128 MiB: the volume is new.
misplace() {
	local main lba

	sync
	main=$(sed -n 's/^# volume .*main_blkaddr=\([0-9]*\).*/\1/p' $DBG/table)
	lba=$(awk -v path="$1" '!/^#/ && $7 == path { print $2; exit }' $DBG/table)
	fileop misplace $DISK "$(stat -c %i "$1")" "$lba" "$main" 32768 && drop_caches
}

# fsck_clean(device) - has fsck.f2fs no complaint? It prints those
fsck_clean() {
	fsck.f2fs "$1" >/tmp/fsck.out 2>&1 && ! grep -q '\[Fail\]' /tmp/fsck.out && return 0
	grep -e '\[Fail\]' -e ASSERT -e FIX /tmp/fsck.out | head -n 10 | sed 's/^/# /'
	return 1
}

# === The module ===

# load(parameters) - load fragtrace, or end the test
# shellcheck disable=SC2120 # parameters are optional
load() {
	SCANS=0
	insmod "$FRAGTRACE_KO" "$@" || bail "cannot load $FRAGTRACE_KO $*"
}

# loaded() - is fragtrace loaded?
loaded() {
	[ -d /sys/module/fragtrace ]
}

# late(settings...) - delay a function of fragtrace, see programs/late/late.c; without settings, end that
#
# Link-time optimization may have added a number to the name of the function. The delay keeps a CPU busy: meanwhile the shell
# uses all of them, if run_tests.sh keeps it to one.
# False without late.ko, which only guests of ours have to have.
# shellcheck disable=SC2120 # settings are optional
late() {
	local renamed

	! [ -d /sys/module/late ] || rmmod late
	if [ $# = 0 ]; then
		[ -z "${CPUS:-}" ] || taskset -p "$CPUS" $$ >/dev/null
		return 0
	fi
	[ -z "${CPUS:-}" ] || taskset -p ffffffff $$ >/dev/null
	[ -f /tools/late.ko ] || [ -z "${FRAGTRACE_GUEST:-}" ] || bail "late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	[ -f /tools/late.ko ] || return 1
	! insmod /tools/late.ko "$@" 2>/dev/null || return 0
	renamed=$(sed -n "s/^[^ ]* [tT] \(${1#function=}\.llvm\.[0-9]*\).*/\1/p" /proc/kallsyms)
	insmod /tools/late.ko "$@" ${renamed:+"function=$renamed"} || bail "cannot delay: $*"
}

# unload() - unload fragtrace; retried for a moment, because a delayed step of the worker holds a reference
unload() {
	note_unsound
	loop_until 10 rmmod fragtrace 2>/dev/null || rmmod fragtrace
}

# stat_of(name) - print the value of a line of the text `stats`
stat_of() {
	awk -v name="$1" '$1 == name { print $2 }' "$DBG/stats"
}

# all_exact() - true if no file is stale, no folder is being read and no request is waiting
all_exact() {
	awk '
		FILENAME ~ /stats$/ { if ($1 == "stale" || $1 == "queued") n += $2; next }
		n || (!/^#/ && $3 == (FILENAME ~ /files$/ ? "stale" : "seeding")) { n++; exit }
		END { exit n > 0 }' "$DBG/stats" "$DBG/files" "$DBG/targets"
}

# all_live() - true if all watched directories have been found
all_live() {
	! awk '!/^#/ && $3 != "live"' "$DBG/targets" | grep -q .
}

# await_live() - wait until all watched directories have been found, or end the test
await_live() {
	loop_until "$PATIENCE" all_live || bail "a watched directory was not found again"
}

# collected() - print how many blocks F2FS's collectors have moved, by its own counts
collected() {
	local file moved all

	all=
	for file in /sys/fs/f2fs/*/moved_blocks_*; do
		# a volume may go meanwhile
		! { read -r moved <"$file"; } 2>/dev/null || all="$all$moved "
	done
	echo "$all"
}

# settle() - write all data back and wait until all maps are exact, without a request for a resync
settle() {
	COLLECTED=$(collected)
	sync
	loop_until "$PATIENCE" all_exact
}

# differs(arguments of fiemap-check...) - do the data of fragtrace and FIEMAP differ?
#
# Only if F2FS says that its collector has moved blocks since the last sync, they are compared once more: one of these may have
# moved between the reading and FIEMAP.
differs() {
	local n

	for n in 1 2 3; do
		! fiemap-check "$@" >/tmp/fiemap-check.out 2>&1 || return 1
		[ "$(collected)" != "$COLLECTED" ] || return 0
		echo "# F2FS's collector has moved blocks meanwhile: $COLLECTED to $(collected)"
		settle || return 0
	done
}

# maps_agree(name, arguments of fiemap-check...) - all data of fragtrace must agree with FIEMAP now
maps_agree() {
	local name

	name=$1
	shift
	if ! differs "$@"; then
		ok "$name"
		awk '/^compared/ { print "# " $0 }' /tmp/fiemap-check.out
	else
		not_ok "$name" "fragtrace and FIEMAP disagree"
		sed 's/^#* */# /' /tmp/fiemap-check.out
	fi
	SCANS=$(stat_of rescans)
}

# check_exact(name, arguments of fiemap-check...) - after all scans, all data of fragtrace must agree with FIEMAP
#
# For changes that make a file stale. If events describe a change in full, check_at_once() is the check.
check_exact() {
	if settle; then
		maps_agree "$@"
		return
	fi
	not_ok "$1" "still not exact after $PATIENCE seconds"
	grep ' stale ' "$DBG/files" | head -n 3 | sed 's/^/# /'
}

# nothing_queued() - does no directory wait to be read, and no file to be scanned?
nothing_queued() {
	[ "$(stat_of queued)" = 0 ]
}

# check_at_once(name, arguments of fiemap-check...) - events alone have kept the maps exact: no file is stale after a
# sync, and none was scanned since the module was loaded, or since the last comparison; all agrees with FIEMAP
#
# New directories may be read meanwhile. A file that is scanned then counts.
check_at_once() {
	local figures

	COLLECTED=$(collected)
	sync
	loop_until "$PATIENCE" nothing_queued || :
	figures=$(awk -v scans="$SCANS" '{ is[$1] = $2 }
		END { print is["stale"] " stale, " is["queued"] " queued, " is["rescans"] - scans " scanned, " is["mismatches"] " mismatches" }' \
		"$DBG/stats")
	if [ "$figures" = "0 stale, 0 queued, 0 scanned, 0 mismatches" ]; then
		maps_agree "$@"
		return
	fi
	not_ok "$1" "$figures; none was expected"
	settle || :
	SCANS=$(stat_of rescans)
}

# causes() - print the sums of the breaks in `extents`: dev op flush why_here breaks blocks files extension
#
# The viewer computes the same from the snapshot (fragtrace causes).
causes() {
	awk '
		function extension(path,	bytes) {
			sub(/.*\//, "", path)
			sub(/(\\040\(hidden\))?(\\040\(deleted\))?$/, "", path)
			# no dot, or only at the begin or the end
			if (!match(path, /.\.[^.]+$/))
				return "-"
			path = bytes = substr(path, RSTART + 1)
			gsub(/\\[0-7][0-7][0-7]/, "x", bytes)
			return length(bytes) <= 15 ? path : "-"
		}
		/^#/ { next }
		{
			if ($1 " " $2 != file)
				key = ""
			file = $1 " " $2
			if ($9 != "-") {
				key = $1 " " $9 " " $10 " " $11 SUBSEP extension($NF)
				breaks[key]++
				files[key] += !seen[key, file]++
			}
			# blocks of the fragment that begins with the last break of the file
			if (key != "" && $5 != "-")
				blocks[key] += $7
		}
		END {
			for (key in breaks) {
				split(key, part, SUBSEP)
				print part[1], breaks[key], blocks[key], files[key], part[2]
			}
		}' $DBG/extents
}

# copy_sums(folder) - copy what sums_agree() compares; false if maps have changed during the copy
copy_sums() {
	mkdir -p "$1"
	cat "$DBG/extents" >"$1/first" && cat "$DBG/files" >"$1/files" && cat "$DBG/extents" >"$1/extents" || return 1
	cmp -s "$1/first" "$1/extents"
}

# sums_agree() - do the breaks and the causes in `files` agree with the breaks in `extents`?
#
# Each break has a cause there, and nothing else has one. Prints the sum, and what differs. False if maps change again
# and again while they are read.
sums_agree() {
	local n

	n=0
	until copy_sums /tmp/sums; do
		n=$((n + 1))
		[ $n -lt 20 ] || { echo "# sums: not compared, the maps keep changing"; return 1; }
	done
	(
		cd /tmp/sums || exit 1
		awk '
			function differ(what, a, b) {
				if (a + 0 == b + 0)
					return
				print "# sums: " what ": " a + 0 ", extents have " b + 0
				bad = 1
			}
			/^#/ { next }
			FILENAME == "files" {
				if ($6)
					files += $6 - 1
				main[$1 " " $2] = $6 > 1 ? $11 " " $12 " " $13 : ""
				next
			}
			{
				if ($1 " " $2 != file)
					end = ""
				file = $1 " " $2
				broken = $5 != "-" && end != "" && $5 != end + 1
				if (broken != ($9 != "-")) {
					print "# sums: a cause is missing, or one too many: " $0
					bad = 1
				}
				if ($5 != "-")
					end = $6
				if ($9 != "-") {
					breaks++
					kinds[file, $9 " " $10 " " $11]++
				}
			}
			END {
				differ("files", files, breaks)
				# the cause of a file is one that no other cause of it exceeds
				for (k in kinds) {
					split(k, word, SUBSEP)
					n = (word[1], main[word[1]]) in kinds ? kinds[word[1], main[word[1]]] : 0
					if (n < kinds[k])
						differ("files: " word[1] ": breaks by " main[word[1]], n, kinds[k])
				}
				print "# sums: breaks " breaks + 0
				exit bad
			}' files extents
	)
}

# moved_breaks(operations, earlier) - are the new breaks of these operations those at blocks that have moved since?
#
# `operations` is a pattern, `earlier` a copy of `extents`, which may have such breaks, too; in between only these operations
# have changed files. They have made each break of which one of the two blocks was elsewhere before. Prints the number of such
# breaks, and of moved blocks.
moved_breaks() {
	cat "$DBG/extents" >/tmp/extents.now
	awk -v ops="^($1)\$" -v earlier="$2" '
		/^#/ || $5 == "-" { next }
		FILENAME == earlier {
			for (b = 0; b < $7; b++)
				was[$2 " " $3 + b] = $5 + b
			if ($9 ~ ops)
				old[$2 " " $3]
			next
		}
		{
			for (b = 0; b < $7; b++)
				moved += was[$2 " " $3 + b] != $5 + b
			if ($2 != ino)
				end = ""
			broken = end != "" && $5 != end + 1 && (was[$2 " " $3] != $5 || was[last] != end)
			breaks += broken
			if (broken ? $9 !~ ops : $9 ~ ops && !(($2 " " $3) in old)) {
				print "# " $0
				bad = 1
			}
			ino = $2
			last = $2 " " $4
			end = $6
		}
		END {
			print "# " breaks + 0 " breaks, " moved + 0 " moved blocks"
			exit bad || !breaks
		}' "$2" /tmp/extents.now
}

# in_table(path) - has `table` a line for this (escaped) path?
in_table() {
	path=$1 awk '!/^#/ && $7 == ENVIRON["path"] { found = 1 } END { exit !found }' "$DBG/table"
}

# in_files(path) - has `files` a line for this (escaped) path?
in_files() {
	path=$1 awk '!/^#/ && $NF == ENVIRON["path"] { found = 1 } END { exit !found }' "$DBG/files"
}

# column(text, path, number) - print one field of the first line of a text that has this (escaped) path
column() {
	path=$2 awk -v n="$3" '!/^#/ && $NF == ENVIRON["path"] { print $n; exit }' "$DBG/$1"
}

# === Disks ===

NULL_DISK=/dev/nullb0
NULL_DISK_CONFIG=/sys/kernel/config/nullb/nullb0

# remove_null_disk() - remove $NULL_DISK, if there is one
remove_null_disk() {
	[ -d $NULL_DISK_CONFIG ] || return 0
	echo 0 >$NULL_DISK_CONFIG/power
	rmdir $NULL_DISK_CONFIG
}

# make_null_disk(setting=value...) - make $NULL_DISK, in memory, with these settings of null_blk; false if that is not possible
#
# If there is one it is switched off and on, and keeps its data.
make_null_disk() {
	local setting

	modprobe null_blk nr_devices=0 2>/dev/null || return 1
	mounted /sys/kernel/config || mount -t configfs none /sys/kernel/config || return 1
	[ ! -d $NULL_DISK_CONFIG ] || echo 0 >$NULL_DISK_CONFIG/power
	mkdir -p $NULL_DISK_CONFIG || return 1
	for setting in memory_backed=1 "$@"; do
		[ -e "$NULL_DISK_CONFIG/${setting%%=*}" ] && echo "${setting#*=}" >"$NULL_DISK_CONFIG/${setting%%=*}" || return 1
	done
	echo 1 >$NULL_DISK_CONFIG/power && loop_until 5 test -b $NULL_DISK
}

# priced_disk(megabytes, nanoseconds) - the same: it serves one request of up to 128 KiB after the other, each in so long
priced_disk() {
	make_null_disk size="$1" submit_queues=1 hw_queue_depth=1 max_sectors=256 irqmode=2 completion_nsec="$2" || return 1
	echo none >/sys/block/nullb0/queue/scheduler
	echo 128 >/sys/block/nullb0/queue/read_ahead_kb
}

# make_zoned_disk(zones, units of 256 blocks of each, units of it that can be written, conventional ones) - the same with zones, 12 of
# them open at most
#
# A unit is a MB if blocks have 4 KiB. F2FS wants whole segments in a zone, and a segment has 512 blocks of any size.
make_zoned_disk() {
	local mega

	mega=$((PAGE_SIZE / 4096))
	remove_null_disk
	make_null_disk size=$(($1 * $2 * mega)) zoned=1 zone_size=$(($2 * mega)) zone_capacity=$(($3 * mega)) zone_nr_conv="$4" zone_max_open=12
}

# === Clean-up ===

# cleanup() - kill our jobs, unload the module, unmount our volumes
cleanup() {
	local job mnt

	for job in $(jobs -p); do
		kill "$job" 2>/dev/null || :
	done
	wait 2>/dev/null || :
	late
	! loaded || unload || echo "# fragtrace cannot be unloaded"
	for mnt in "$MNT" "$MNT2"; do
		while mounted "$mnt"; do
			umount "$mnt" 2>/dev/null || umount -l "$mnt" || break
		done
	done
	! command -v put_disks >/dev/null || put_disks
}

# On any other machine this makes disks for a test, or ends it.
case $KTAP_NAME in
[0-9][0-9]_*.sh)
	# shellcheck source=loop_disks.sh
	[ -n "${FRAGTRACE_GUEST:-}" ] || . "$here/loop_disks.sh"
	;;
esac

if [ -n "${FRAGTRACE_GUEST:-}" ]; then
	trap cleanup EXIT
fi
