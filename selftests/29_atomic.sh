#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 29_atomic.sh - atomic writes: F2FS writes to a hidden inode and moves the blocks to the file at the commit
#
# group: write
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# can_replace() - does F2FS know F2FS_IOC_START_ATOMIC_REPLACE? It does since 6.2.
can_replace() {
	case $(uname -r) in
	6.1.*) false ;;
	esac
}

# atomic(name, arguments of fileop atomic...) - the map must be exact after an atomic write
atomic() {
	local name

	name="maps are exact after $1"
	shift
	case " $* " in
	*" replace "*)
		can_replace || {
			skip "$name" "this F2FS does not replace atomically"
			return 0
		}
		;;
	esac
	if fileop atomic "$@"; then
		check_exact "$name" $MNT
	else
		not_ok "$name" "F2FS refuses it"
	fi
}

# fresh(file) - a new fragmented file of 64 blocks, on the disk
fresh() {
	fileop write "$1" 0 256K
	sync
	fileop random "$1" 64 20 "${SEED:-45}" every 2
	sync
}

plan 26
B=$PAGE_SIZE
make_volume $DISK $MNT || bail "no volume"
load path=$MNT
fileop write $MNT/a 0 1M
sync
atomic "a committed write" $MNT/a begin write 200K 300K sync commit
atomic "a committed write that extends the file" $MNT/a begin write 1M 32K sync commit
atomic "a write that is not written back before the commit" $MNT/a begin write 100K 50K commit
fresh $MNT/b
atomic "an aborted write that was written back" $MNT/b begin write 8K 16K sync abort
fresh $MNT/c
atomic "an aborted write that extends the file" $MNT/c begin write 256K 32K sync abort
fresh $MNT/d
atomic "a write without a commit before the close" $MNT/d begin write 4K 40K sync
atomic "a commit without a write" $MNT/d begin commit
atomic "several atomic writes in a row" $MNT/d begin write 0 8K commit begin write 4K 8K sync commit begin write 100K 9000 sync abort begin \
	write 200K 4K commit
atomic "the same blocks written twice before the commit" $MNT/d begin write 20K 20K sync write 24K 8K sync write 20K 4K commit
atomic "plain writes between two atomic writes" $MNT/d begin write 20K 20K commit write 24K 60K fsync begin write 30K 20K sync commit
fresh $MNT/e
atomic "truncation before the commit" $MNT/e begin write 100K 100K sync truncate 120K sync commit
atomic "truncation and a write before the commit" $MNT/e begin write 10K 100K sync truncate 20K write 60K 40K commit
atomic "truncation before an abort" $MNT/e begin write 10K 100K sync truncate 30000 abort
fresh $MNT/f
atomic "a replacement of the file" $MNT/f replace write 20K 4K sync commit
atomic "a replacement that is larger than the file" $MNT/f replace write 0 300K sync commit
atomic "a replacement with holes" $MNT/f replace write 12K 4K write 40K 8K write 200K 1 commit
atomic "an aborted replacement" $MNT/f replace write 0 100K sync abort
atomic "two replacements, then an atomic write" $MNT/f replace write 0 100K commit replace write 8K 8K sync commit begin write 0 \
	12K commit
can_replace || tolerate mismatches "before 6.2, garbage collection beside an open atomic write contradicts a map, which is scanned then"
# While an atomic write is open, blocks of the file itself are still moved: their events name the address that the map has, and
# nothing is scanned. The collector takes a segment that is not full, in the middle of a large file.
fileop write $MNT/h 0 $((1280 * B)) sync
fileop write $MNT/h $((600 * B)) $((16 * B)) sync
segment=$(path=$MNT/h awk '
	/^# volume/ { split($4, main, "="); split($6, size, "=") }
	!/^#/ && $NF == ENVIRON["path"] && $4 <= 500 && $4 + $3 > 500 {
		print main[2] + int(($2 + 500 - $4 - main[2]) / size[2]) * size[2], size[2] - 1
	}' $DBG/table)
rm -f /tmp/ready
fileop keep $MNT/h atomic /tmp/ready &
keeper=$!
loop_until "$SOON" test -e /tmp/ready || bail "no atomic write is open"
settle
SCANS=$(stat_of rescans)
moved=$(stat_of events_write)
# shellcheck disable=SC2086 # two numbers
fileop gc_range $MNT $segment
check_at_once "maps are exact at once after blocks are moved beside an atomic write" $MNT
moved=$(($(stat_of events_write) - moved))
if can_replace; then
	check "these blocks were moved ($moved)" test $moved -gt 100
else
	# before 6.2 F2FS leaves such a file out of garbage collection
	expect "no block was moved" $moved 0
fi
kill $keeper
wait $keeper 2>/dev/null || :
# Garbage collection moves the blocks of both inodes while the atomic write is open and written back.
fresh $MNT/g
fileop many $MNT/junk 100 30000 20000 7
sync
rm $MNT/junk*[1345]
fileop atomic $MNT/g begin write 0 128K sync sync sync sync sync commit 2>/dev/null &
fileop gc $MNT 1 40
wait $!
check_exact "maps are exact after garbage collection during an atomic write" $MNT
for f in a b c d e f g; do
	fileop random $MNT/$f 64 20 "${SEED:-46}" every 3
	fileop truncate $MNT/$f 111111
done
check_exact "maps are exact after plain writes to these files" $MNT
echo 3 >/proc/sys/vm/drop_caches
fileop atomic $MNT/a begin write 0 64K commit
check_exact "maps are exact after an atomic write to an evicted inode" $MNT
umount $MNT
make_volume $DISK $MNT noextent_cache || bail "no volume"
await_live
fileop write $MNT/a 0 256K
settle
atomic "an atomic write of several blocks, without extent cache" $MNT/a begin write 20K 40K sync commit
# The event of a commit comes after the block has been written to another place again. It contradicts the map then.
note_unsound
tolerate mismatches "the event of a commit comes late, on purpose"
for options in extent_cache noextent_cache; do
	umount $MNT
	make_volume $DISK $MNT $options || bail "no volume"
	await_live
	fileop write $MNT/a 0 256K
	settle
	if late function=probe_replace_atomic again=1; then
		fileop atomic $MNT/a begin write 0 4K commit
		fileop write $MNT/a 0 4K
		settle
		late
		check_exact "maps are exact after a commit's event that follows that of a later write, $options" $MNT
	else
		skip "maps are exact after a commit's event that follows that of a later write, $options" \
			"late.ko is not here: build with FT_SELFTEST=1, pass with -f"
	fi
done
finish
