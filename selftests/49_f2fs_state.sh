#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# 49_f2fs_state.sh - F2FS's segment table and the map of a volume that is watched as a whole agree; so do fragtrace space and F2FS
#
# The rule, after a sync. F2FS has no valid block that these do not have:
#   data segments: the written blocks of our table; the blocks of directories and symbolic links, which have
#       no node except their inode here
#   node segments: one for each inode, also of directories; and of each file as many as its st_blocks has
#       more than its blocks in our map, written or reserved: direct and indirect nodes, extended attributes
# st_blocks does not count the inode's own block. Data or entries in an inode have no block, but up to 7 sectors in
# st_blocks. A reserved block is in st_blocks and in `extents` (unwritten), and is not valid.
#
# kernels: first
# group: texts

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

STATUS=/sys/kernel/debug/f2fs/status
BITS=/proc/fs/f2fs/${DISK##*/}/segment_bits

# sit(types) - print the number of valid blocks in segments of these types, from their bits
sit() {
	awk -v types="$1" '
		BEGIN { split("0 1 1 2 1 2 2 3 1 2 2 3 2 3 3 4", n); for (i = 0; i < 16; i++) bits[sprintf("%x", i)] = n[i + 1] }
		NR > 2 && index(types, substr($2, 1, 1)) {
			sub(/^[^|]*\|[^|]*\|/, "")
			sub(/\|.*/, "")
			for (i = 1; i <= length($0); i++)
				sum += bits[substr($0, i, 1)]
		}
		END { print sum + 0 }' $BITS
}

# stats_of(find's arguments...) - print the number of inodes, and their blocks of 4 KiB
stats_of() {
	find $MNT -xdev "$@" -print0 | xargs -0 -r stat -c '%i %b' | sort -u |
		awk '{ n++; blocks += int($2 / 8) } END { print n + 0, blocks + 0 }'
}

# watched() - print the written blocks of our table
watched() {
	awk '!/^#/ { n += $3 } END { print n + 0 }' $DBG/table
}

# reserved() - print the blocks that have a place in a file, but were not written
reserved() {
	awk '!/^#/ && $8 ~ /unwritten/ { n += $7 } END { print n + 0 }' $DBG/extents
}

# of_space(line) - print the numbers of a line of fragtrace space, without separators
of_space() {
	sed -n "s/^  $1  *//p" /tmp/space | tr -d ,
}

# balance(name) - compare both sides of the rule
balance() {
	local inodes blocks others data

	# shellcheck disable=SC2046 # two numbers
	set -- "$1" $(stats_of) $(stats_of ! -type f)
	inodes=$2 blocks=$3 others=$5
	data=$(($(watched) + others))
	expect "$1: the map has as many data blocks as F2FS" "$(sit 012)" $data
	expect "$1: inodes and their blocks give as many node blocks as F2FS" "$(sit 345)" $((inodes + blocks - data - $(reserved)))
	echo "# $inodes inodes, $blocks blocks, $others of directories and links, $(reserved) reserved"
}

# first_victim() - print the segment that was collected first, in the foreground
first_victim() {
	awk '$1 == "victim" && $6 == "foreground" { n = $4 } END { print n }' $DBG/gc
}

plan 20
command -v fragtrace >/dev/null || skip_rest "the viewer beside F2FS" "fragtrace is not in this guest"
make_volume $DISK $MNT background_gc=off || bail "no volume"
[ -r $BITS ] || skip_rest "the viewer beside F2FS" "this kernel has no segment_bits"
load path=$MNT
balance "an empty volume"
mkdir -p $MNT/a/b/c $MNT/d
fileop write $MNT/whole 0 5M
fileop write $MNT/pieces 0 2M
fileop random $MNT/pieces 512 200 1 every 10
fileop write $MNT/sparse 1M 64K
fileop write $MNT/sparse 6000M 64K
fileop many $MNT/a/f 200 30000 20000 7
sync
rm $MNT/a/f*[1245780]
printf '%s' inline >$MNT/a/b/inline
ln $MNT/whole $MNT/d/linked
ln -s short $MNT/a/short
ln -s "$(printf '%03900d' 0)" $MNT/a/long
fileop fallocate $MNT/reserved default 0 1M
fileop write $MNT/reserved 64K 64K
fileop xattr $MNT/whole user.large 3000
fileop many $MNT/a/b/c/name-that-is-long-enough-to-need-blocks-of-entries-soon- 300 0 1 2
settle || bail "maps are not exact"
sync
balance "files, holes, links, directories"
fileop truncate $MNT/pieces 1M
rm $MNT/a/b/c/*7
mv $MNT/a/b/c $MNT/d/c
settle || bail "maps are not exact"
sync
balance "after removing and moving"
rm $MNT/a/long

fragtrace space >/tmp/space
sed 's/^/# /' /tmp/space | head -n 30
sync
fragtrace space >/tmp/space
expect "fragtrace space has the data blocks of watched files" "$(of_space 'data of watched files' | awk '{ print $1 }')" "$(watched)"
expect "fragtrace space has the node blocks of F2FS" "$(of_space nodes | awk '{ print $1 }')" "$(awk '/- Node:/ { print $3; exit }' $STATUS)"
expect "fragtrace space has the dirty segments of F2FS" "$(of_space 'dirty: valid in part' | awk '{ print $1 }')" \
	"$(awk '/^  - Dirty:/ { print $3 }' $STATUS)"
expect "fragtrace space has the segments without valid blocks of F2FS" "$(of_space 'without valid blocks' | awk '{ print $1 }')" \
	"$(awk '/^  - (Prefree|Free):/ { n += $3 } END { print n }' $STATUS)"
check "F2FS counts no watched block as free" awk '/moved since/ { bad = 1 } END { exit bad }' /tmp/space
check "all files of F2FS's state can be read" awk '/^  note:/ { bad = 1 } END { exit bad }' /tmp/space
for type in 'hot data:HOT    data' 'warm data:WARM   data' 'cold data:COLD   data' 'hot nodes:Dir   dnode' \
	'warm nodes:File  dnode' 'cold nodes:Indir nodes'; do
	expect "valid blocks of ${type%%:*}" "$(of_space "${type%%:*}" | awk '{ print $3 == "-" ? 0 : $3 }')" \
		"$(sed -n "s/^  - ${type#*:}: .* \([0-9]*\)\$/\1/p" $STATUS)"
done

# Foreground collection takes what fragtrace space calls the cheapest.
section=$(sed -n 's/^  greedy *section \([0-9]*\) .*/\1/p' /tmp/space)
fileop gc $MNT 1 1
expect "garbage collection picks the section that fragtrace space lists first" "$(first_victim)" "$section"
fragtrace view -o /tmp/with.png --layout segments >/dev/null
check "fragtrace draws a picture with F2FS's state" test -s /tmp/with.png
rm -f /tmp/with.png /tmp/space
finish
