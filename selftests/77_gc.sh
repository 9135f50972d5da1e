#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 77_gc.sh - blocks moved by garbage collection are counted: the same as in F2FS, by victim and by file
#
# group: gc quick
# blocks: any

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

sys=/sys/fs/f2fs/${DISK##*/}
STATUS=/sys/kernel/debug/f2fs/status

# age(prefix) - fragmented files, every other one removed: victims for the collector
age() {
	fileop many "$1" 200 $((7 * B)) $((5 * B)) 7
	sync
	rm "$1"*[1245780]
	sync
}

# f2fs_moved(kind) - print the number of data blocks moved by F2FS's count: foreground, background
#
# The sysfs files count node blocks, too; the text does not. Without the text it is not possible.
f2fs_moved() {
	awk -v kind="$1" '
		/data blocks : / {
			gsub(/[()]/, "")
			for (i = 1; i < NF; i++)
				if ($i == ":" && $(i - 1) == "blocks") {
					print kind == "background" ? $(i + 2) : $(i + 1) - $(i + 2)
					exit
				}
		}' $STATUS
}

# sum(field) - print a sum of `gc`, by the number of its field
sum() {
	awk -v n="$1" '$1 == "volume" { print $n }' $DBG/gc
}

# of_victims(kind, field) - print the sum over the victims of a kind
of_victims() {
	awk -v kind="$1" -v n="$2" '$1 == "victim" && $6 == kind { sum += $n } END { print sum + 0 }' $DBG/gc
}

# of_files(pattern) - print the sum over the files whose paths match
of_files() {
	awk -v pattern="$1" '$1 == "file" && $6 ~ pattern { sum += $4 + $5 } END { print sum + 0 }' $DBG/gc
}

# of_files_by(field) - print what all files add up to, in the foreground (4) or in the background (5)
of_files_by() {
	awk -v n="$1" '$1 == "file" { sum += $n } END { print sum + 0 }' $DBG/gc
}

# shares_fit() - do the lines after each victim add up to the blocks of watched files that were moved out of it?
shares_fit() {
	awk '
		$1 == "victim" { bad = bad || left; left = $10; segment = $4; end = $4 + $5; victims += $10 > 0 }
		$1 == "moved" { bad = bad || $3 < segment || $3 >= end || !$5; left -= $5 }
		END { exit bad || left || !victims }' $DBG/gc
}

# shares_are_files() - do the moved blocks of each file, by victim, add up to the line of the file?
shares_are_files() {
	awk '
		$1 == "moved" { sum[$4] += $5 }
		$1 == "file" { bad = bad || sum[$3] != $4 + $5; files++ }
		END { exit bad || !files }' $DBG/gc
}

# near(name, got, expected, tolerance) - does a number differ from another by at most the tolerance?
near() {
	if [ "$2" -ge $(($3 - $4)) ] && [ "$2" -le $(($3 + $4)) ]; then
		ok "$1"
	else
		not_ok "$1" "got $2, expected $3 within $4"
	fi
	echo "# $2, F2FS says $3"
}

# by_segment() - print `segment ino blocks` of all watched files, from `table`
by_segment() {
	awk '
		/^# volume/ { split($4, main, "="); split($6, size, "="); next }
		/^#/ { next }
		{
			for (b = 0; b < $3; b++)
				n[int(($2 + b - main[2]) / size[2]) " " $5]++
		}
		END { for (k in n) print k, n[k] }' $DBG/table
}

# in_segment(segment) - print `ino blocks` of the watched files in it, as by_segment() had them in /tmp/segments
in_segment() {
	awk -v s="$1" '$1 == s { print $2, $3 }' /tmp/segments | sort
}

# space_agrees() - the files that fragtrace lists for the segments which F2FS would collect are those of by_segment()
space_agrees() {
	fragtrace space >/tmp/space
	awk '
		FILENAME == "/tmp/files" { ino[$NF] = $2; next }
		FILENAME == "/tmp/segments" { blocks[$1 " " $2] = $3; sum[$1] += $3; next }
		$1 == "section" && $2 ~ /:$/ { s = $2 + 0; gsub(",", "", $3); bad = bad || $3 != sum[s]; n++; next }
		n && $2 ~ /^\// { gsub(",", "", $1); bad = bad || $1 != blocks[s " " ino[$2]]; files++ }
		END { print "# " n + 0 " segments, " files + 0 " files"; exit bad || !n || !files }' /tmp/files /tmp/segments /tmp/space
}

# changed(earlier) - print `ino blocks` of the files whose blocks have moved since a copy of `extents`
changed() {
	awk -v earlier="$1" '
		/^#/ || $5 == "-" { next }
		{
			for (b = 0; b < $7; b++)
				if (FILENAME == earlier)
					was[$2 " " $3 + b] = $5 + b
				else if (was[$2 " " $3 + b] != $5 + b)
					n[$2]++
		}
		END { for (ino in n) print ino, n[ino] }' "$1" $DBG/extents | sort
}

# traced_victims(mode) - print `segment kind policy segments` of what F2FS has chosen by its own event since the last call,
# the latest first: to clean (LFS-mode), or for a log that fills holes (SSR-mode)
traced_victims() {
	awk -v mode="$1" '
		/f2fs_get_victim:/ && index($0, mode) && match($0, /victim = [0-9]+/) && !/victim = 4294967295/ {
			segment = substr($0, RSTART + 9, RLENGTH - 9)
			match($0, /ofs_unit = [0-9]+/)
			line[n++] = segment " " (/Foreground GC/ ? "foreground" : "background") " " \
				(/Greedy/ ? "greedy" : /Cost-Benefit/ ? "cost_benefit" : "age") " " substr($0, RSTART + 11, RLENGTH - 11)
		}
		END { while (n--) print line[n] }' /tmp/trace
}

# victims() - print the same from `gc`
victims() {
	awk '$1 == "victim" { print $4, $6, $11, $5 }' $DBG/gc
}

# valid_of(segment) - print the blocks in use of a segment, from a copy of F2FS's own list
valid_of() {
	awk -v s="$1" '
		$1 ~ /^[0-9]+$/ && s >= $1 && s < $1 + 10 {
			gsub(/\|/, " | ")
			print $(2 + (s - $1) * 3 + 2)
		}' /tmp/segment_info
}

# moved_of(segment) - print `ino blocks` of the files that blocks were moved of when the segment was the victim
moved_of() {
	awk -v s="$1" '$1 == "moved" && $3 == s { print $4, $5 }' $DBG/gc | sort
}

TRACING=/sys/kernel/tracing
plan 40
B=$PAGE_SIZE
make_volume $DISK $MNT || bail "no volume"
mkdir $MNT/w $MNT/other
mounted $TRACING || mount -t tracefs tracefs $TRACING || bail "no tracefs"
echo 1 >$TRACING/events/f2fs/f2fs_get_victim/enable
load path=$MNT/w
expect "gc has no victim and no file before garbage collection" "$(awk '$1 == "victim" || $1 == "file"' $DBG/gc | wc -l)" 0
[ -f $STATUS ] || echo "# this kernel has no $STATUS"

age $MNT/w/g
fileop write $MNT/w/full 0 $((1280 * B)) sync
settle
grep -v '^#' $DBG/files >/tmp/files
by_segment >/tmp/segments
if command -v fragtrace >/dev/null; then
	check "fragtrace lists the files in what would be collected" space_agrees
else
	skip "fragtrace lists the files in what would be collected" "fragtrace is not in this guest"
fi
dev=$(mnt=$MNT awk '$5 == ENVIRON["mnt"] { print $3 }' /proc/self/mountinfo)
before=$(f2fs_moved foreground)
cat "/proc/fs/f2fs/${DISK##*/}/segment_info" >/tmp/segment_info
cat $DBG/extents >/tmp/earlier
echo >$TRACING/trace
now=$(date +%s)
fileop gc $MNT 1 20
settle
cat $TRACING/trace >/tmp/trace
traced_victims LFS-mode >/tmp/chosen
expect "foreground: the victims are those of F2FS's own event" "$(victims)" "$(cat /tmp/chosen)"
expect "foreground: their number" "$(sum 3) $(sum 4)" "$(wc -l </tmp/chosen) 0"
expect "foreground: logs have filled as many segments as F2FS says" "$(sum 5)" "$(traced_victims SSR-mode | wc -l)"
check "foreground: the time of each is that of the collection" \
	awk -v from="$now" -v to="$(date +%s)" '$1 == "victim" && ($3 < from || $3 > to) { bad = 1 } END { exit bad }' $DBG/gc
# For victims with nodes no block is counted.
first=$(awk '$1 == "victim" && $7 == "data" { segment = $4 } END { print segment }' $DBG/gc)
expect "the blocks in use of the first victim are those of F2FS's list" \
	"$(awk -v s="$first" '$1 == "victim" && $4 == s { n = $8 } END { print n }' $DBG/gc)" "$(valid_of "$first")"
expect "the blocks moved out of the first victim are those that the maps had there" \
	"$(awk -v s="$first" '$1 == "victim" && $4 == s { n = $10 } END { print n }' $DBG/gc)" "$(in_segment "$first" | awk '{ n += $2 } END { print n }')"
fg=$(($(f2fs_moved foreground) - before))
expect "foreground: F2FS counts the same number of moved blocks" "$(sum 6)" "$fg"
check "foreground: blocks were moved" test "$fg" -gt 0
# Blocks of directories are data for F2FS, but there is no map of them.
near "foreground: all moved blocks are of watched files or of directories" "$(sum 7)" "$(sum 6)" 4
expect "foreground: the victims add up to the moved blocks" "$(of_victims foreground 9)" "$(sum 6)"
expect "foreground: the files add up to the moved blocks of watched files" "$(of_files .)" "$(sum 7)"
expect "foreground: each line has the device of the volume" "$(awk '!/^#/ { print $1, $2 }' $DBG/gc | sort -u | tr '\n' ' ')" \
	"file $dev moved $dev victim $dev volume $dev "
check "foreground: every victim is known" test "$(sum 10)" = 0
expect "foreground: every victim was chosen by the greedy policy" "$(awk '$1 == "victim" { print $6, $11 }' $DBG/gc | sort -u)" "foreground greedy"
expect "foreground: no file has blocks that were moved in the background" "$(of_files_by 5) $(of_files_by 4)" "0 $(sum 7)"
check "foreground: the files of each victim add up" shares_fit
check "foreground: the victims of each file add up" shares_are_files
expect "foreground: the files and their blocks are those that have moved" \
	"$(awk '$1 == "file" { print $3, $4 }' $DBG/gc | sort)" "$(changed /tmp/earlier)"
expect "foreground: the file of most moved blocks comes first" "$(awk '$1 == "file" { print $4 + $5 }' $DBG/gc)" \
	"$(awk '$1 == "file" { print $4 + $5 }' $DBG/gc | sort -rn)"

# Blocks of files that are not watched are counted, but not by file.
before=$(f2fs_moved foreground)
watched=$(sum 7)
moved=$(sum 6)
age $MNT/other/h
fileop gc $MNT 1 40
settle
fg=$(($(f2fs_moved foreground) - before))
expect "unwatched files: F2FS counts the same number of moved blocks" "$(($(sum 6) - moved))" "$fg"
check "unwatched files: fewer blocks of watched files were moved" test "$(($(sum 7) - watched))" -lt "$fg"
expect "unwatched files: the files add up to the moved blocks of watched files" "$(of_files .)" "$(sum 7)"

# In the background, pages are dirtied and written later. Blocks removed or written again before that are not moved.
age $MNT/w/k
before=$(f2fs_moved background)
echo >$TRACING/trace
echo 50 >"$sys/gc_urgent_sleep_time"
echo 1 >"$sys/gc_urgent"
sleep 3
echo 0 >"$sys/gc_urgent"
sleep 1
settle
cat $TRACING/trace >/tmp/trace
traced_victims LFS-mode >/tmp/chosen
expect "background: the victims are those of F2FS's own event" "$(victims | head -n "$(wc -l </tmp/chosen)")" "$(cat /tmp/chosen)"
bg=$(($(f2fs_moved background) - before))
near "background: F2FS counts about the same number of moved blocks" "$(sum 8)" "$bg" $((bg / 20 + 4))
check "background: blocks were moved" test "$bg" -gt 0
expect "background: the victims add up to the moved blocks" "$(of_victims background 9)" "$(sum 8)"
expect "background: the files add up to the moved blocks of watched files" "$(of_files_by 5)" "$(sum 9)"
check "background: the files of each victim add up" shares_fit
age $MNT/w/l
echo 1 >"$sys/gc_idle"
fileop gc $MNT 0 20
echo 0 >"$sys/gc_idle"
expect "gc_idle=1: victims were chosen by the cost-benefit policy" \
	"$(awk '$1 == "victim" && $11 == "cost_benefit" { print $6, $11 }' $DBG/gc | sort -u)" "background cost_benefit"
check "no victim has more moved blocks than valid ones" awk '$1 == "victim" && $9 > $8 { bad = 1 } END { exit bad }' $DBG/gc

# The collection of a segment moves blocks of the files that have some there, and of no others. F2FS collects no
# segment that is full or that a log writes to: the test takes one in the middle of the large file, without some blocks.
asked=$(path=$MNT/w/full awk '
	/^# volume/ { split($4, main, "="); split($6, size, "=") }
	!/^#/ && $NF == ENVIRON["path"] && $4 <= 600 && $4 + $3 > 600 { print int(($2 + 600 - $4 - main[2]) / size[2]) }' $DBG/table)
fileop write $MNT/w/full $((600 * B)) $((16 * B)) sync
settle
by_segment >/tmp/segments
cat $DBG/extents >/tmp/earlier
# shellcheck disable=SC2046 # two numbers
fileop gc_range $MNT $(awk -v s="$asked" '/^# volume/ { split($4, main, "="); split($6, size, "="); print main[2] + s * size[2], size[2] - 1; exit }' $DBG/table)
settle
expect "the collection of a segment moves exactly the blocks in it" "$(changed /tmp/earlier)" "$(in_segment "$asked")"
expect "gc has these blocks for that victim" "$(moved_of "$asked")" "$(changed /tmp/earlier)"

# On a nearly full volume all new breaks are caused by garbage collection.
loop_until 20 umount $MNT 2>/dev/null || :
mkfs.f2fs -q -f -t 0 $DISK $((64 * B)) >/dev/null && mount_volume $DISK $MNT || bail "no small volume"
mkdir -p $MNT/w
await_live
n=0
while [ "$(df -m $MNT | awk 'END { print $4 }')" -gt $((B * 3 / 1024)) ] && [ $n -lt 40 ]; do
	fileop many $MNT/w/n$n- 20 $((49 * B)) $((5 * B)) 7
	sync
	n=$((n + 1))
done
rm $MNT/w/n*-*[147]
fileop many $MNT/w/m 30 $((37 * B)) $((5 * B)) 7
sync
settle
echo "# $(df -m $MNT | awk 'END { print $5 }') in use"
before=$(($(f2fs_moved foreground) + $(f2fs_moved background)))
moved=$(($(sum 6) + $(sum 8)))
fg=$(sum 6)
cat $DBG/extents >/tmp/earlier
echo 50 >"$sys/gc_urgent_sleep_time"
echo 1 >"$sys/gc_urgent"
sleep 3
echo 0 >"$sys/gc_urgent"
sleep 1
settle
check "nearly full: breaks by garbage collection are exactly those of moved blocks" moved_breaks 'gc_bg|gc_fg' /tmp/earlier
# F2FS counts a page twice if it dirtied the page in the background and moves it in the foreground before the write-back.
said=$(($(f2fs_moved foreground) + $(f2fs_moved background) - before))
twice=$(($(sum 6) - fg))
near "nearly full: F2FS counts the same number of moved blocks, except for those that it counts twice" "$(($(sum 6) + $(sum 8) - moved))" \
	"$((said - twice / 2))" $((twice / 2 + said / 20 + 4))
# The oldest victims are forgotten; the sums stay.
fileop write $MNT/w/large 0 $((2048 * B)) sync
n=0
while [ $(($(sum 3) + $(sum 4))) -lt 70 ] && [ $n -lt 90 ]; do
	fileop random $MNT/w/large 2048 60 $n >/dev/null
	sync
	fileop gc $MNT 1 20 >/dev/null 2>&1 || :
	n=$((n + 1))
done
# A build for users keeps 1024, and none is forgotten here.
keeps=1024
[ ! -f /tools/late.ko ] || keeps=64
chosen=$(($(sum 3) + $(sum 4)))
check "more victims were chosen than builds for tests keep ($chosen)" test $chosen -ge 70
expect "so many are kept" "$(grep -c '^victim ' $DBG/gc)" $((chosen < keeps ? chosen : keeps))
check "the latest ones, the latest first" awk '$1 == "victim" { bad = bad || (n++ && $3 > last); last = $3 } END { exit bad }' $DBG/gc
check_exact "maps are exact after that" $MNT/w
echo 0 >$TRACING/events/f2fs/f2fs_get_victim/enable
grep '^\(#\|volume\)' $DBG/gc | sed 's/^/# /'
awk '$1 == "victim"' $DBG/gc | head -n 5 | sed 's/^/# /'
awk '$1 == "file"' $DBG/gc | head -n 3 | sed 's/^/# /'
finish
