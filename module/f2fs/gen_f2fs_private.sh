#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Write to stdout the few declarations that are private to fs/f2fs and that the
# probes need, as they were in the very f2fs this build is for: read from its
# BTF, so that no layout is copied by hand and none can be out of date.
#
# usage: gen_f2fs_private.sh F2FS_OBJECT [VMLINUX_BTF]
#        gen_f2fs_private.sh --source TREE F2FS_OBJECT
#        gen_f2fs_private.sh --in-tree TREE
#   F2FS_OBJECT   f2fs.ko (also .xz, .zst or .gz), or vmlinux when F2FS is built in
#   VMLINUX_BTF   the BTF of the kernel that f2fs.ko was built with
#   TREE          the source tree of that kernel, whose own header is used if there is no BTF; or the one that we are
#                 part of: F2FS is built together with us, and has no build ID yet
#
# $OBJCOPY has to know the kernel's architecture; kbuild names it. $FT_RELEASE and $FT_F2FS are the kernel's release and its
# CONFIG_F2FS_FS, for messages.

set -eu

# die(problem, [remedy])
die() {
	remedy="name an f2fs.ko with BTF by F2FS_KO=, the BTF of its kernel by VMLINUX_BTF=, or the source tree of the same kernel by F2FS_SRC="
	echo "gen_f2fs_private.sh: $1; ${2:-$remedy}" >&2
	exit 1
}

# die_without_object() - say why there is no F2FS to build for
die_without_object() {
	case ${FT_F2FS:-} in
	m) die "there is no f2fs.ko of kernel $FT_RELEASE" "install linux-image-$FT_RELEASE, or name the file by F2FS_KO=" ;;
	y) die "F2FS is built into kernel $FT_RELEASE, and there is no BTF of it" \
		"install linux-image-$FT_RELEASE, or name its BTF by VMLINUX_BTF=" ;;
	*) die "this kernel has no F2FS (CONFIG_F2FS_FS is not set)" "use a kernel that has it, or name an f2fs.ko by F2FS_KO=" ;;
	esac
}

# known_members(STRUCT) - print the members that an argument of an event is known to have, in one kernel or another
#
# Whatever else F2FS puts there may change what an event means: with an offset and a count a write event is about
# several blocks. Such a member is to be understood in probes/map.c before it is added here.
known_members() {
	case $1 in
	f2fs_io_info)
		echo sbi ino type temp op op_flags new_blkaddr old_blkaddr page folio encrypted_page compressed_page list
		echo compr_blocks need_lock version submitted in_list is_por retry encrypted meta_gc post_read io_type
		echo io_wbc bio last_block
		;;
	f2fs_map_blocks)
		echo m_bdev m_pblk m_lblk m_len m_flags m_last_pblk m_next_pgofs m_next_extent m_seg_type m_may_create
		echo m_multidev_dio
		;;
	esac
}

# members() - print the names of the members of a struct whose definition comes from stdin
members() {
	tr '\n\t' '  ' | sed -e 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/,,g' -e 's/^[^{]*{//' -e 's/[{;]/&\n/g' | awk '
		!/;$/ { next }
		match($0, /\(\*[a-zA-Z0-9_]+\)/) { print substr($0, RSTART + 2, RLENGTH - 3); next }
		{
			gsub(/^[ }]+|:[ 0-9]+|\[[^]]*\]|;/, "")
			n = split($0, names, ",")
			for (i = 1; i <= n; i++)
				if (match(names[i], /[a-zA-Z0-9_]+ *$/))
					print substr(names[i], RSTART)
		}'
}

# check_members(STRUCT) - end the build if the struct whose definition comes from stdin has a member that is not known
check_members() {
	for member in $(members); do
		known_members "$1" | tr ' ' '\n' | grep -qx "$member" || {
			echo "gen_f2fs_private.sh: struct $1 of this f2fs has a member that fragtrace does not know, $member," \
				"and it may change what an event means: build a newer fragtrace, or see to it that" \
				"module/probes/map.c is right with it and add it to known_members in module/f2fs/gen_f2fs_private.sh" >&2
			exit 1
		}
	done
}

# reasons() - print F2FS's reasons for a checkpoint in an fsync as initializers; their enum comes from stdin
reasons() {
	printf '#define FT_F2FS_CP_REASONS'
	sed -e 's,/\*.*\*/,,' | tr ',{};' '\n' | awk '
		$1 ~ /^CP_/ {
			value = $2 == "=" ? $3 : value
			printf " [%d] = \"%s\",", value++, tolower(substr($1, 4))
		}'
	echo
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# unpack(OBJECT) - set object to a file that the tools for ELF can read, given to its name
unpack() {
	[ -n "$1" ] || die_without_object
	[ -r "$1" ] || die "$1: cannot be read"
	object=$1 given=$1
	case $object in
	*.xz) xz -dc "$1" >"$tmp/f2fs.ko"; object=$tmp/f2fs.ko ;;
	*.zst) zstd -qdc "$1" >"$tmp/f2fs.ko"; object=$tmp/f2fs.ko ;;
	*.gz) gzip -dc "$1" >"$tmp/f2fs.ko"; object=$tmp/f2fs.ko ;;
	esac
}

# build_id() - by what the module knows the F2FS it was built for, see build_id.c
build_id() {
	id=$(readelf -n "$object" 2>/dev/null | sed -n 's/.*Build ID: \([0-9a-f]*\)$/\1/p')
	[ -n "$id" ] || die "$given: has no build ID, by which it is told from another F2FS when it is loaded" \
		"link it with one (ld --build-id, as kbuild does), or build both in the kernel's tree (make in-tree TREE=FOLDER)"
	echo "#define FT_F2FS_BUILD_ID \"$id\""
}

# What the module reads or gets a pointer to. build_id.c compares the sizes with those in the BTF of F2FS.
PRIVATE="f2fs_inode_info f2fs_sb_info f2fs_dev_info f2fs_rwsem f2fs_sm_info sit_info seg_entry curseg_info dirty_seglist_info atgc_management discard_cmd_control victim_sel_policy f2fs_io_info f2fs_map_blocks"

# mtime_by_blocks(FILE) - the time of a section of several segments weighs these by their blocks in use, in F2FS's of this file
mtime_by_blocks() {
	echo "#define FT_F2FS_MTIME_BY_BLOCKS $(LC_ALL=C grep -acm 1 f2fs_get_section_mtime "$1")"
}

# from_source(TREE) - print the includes that declare what is needed; say where the rest is by names
from_source() {
	header=$(cd "$1" 2>/dev/null && pwd)/fs/f2fs/f2fs.h
	[ -r "$header" ] || die "F2FS_SRC=$1: no fs/f2fs/f2fs.h in there"
	[ -r "${header%/*}/segment.h" ] || die "F2FS_SRC=$1: no fs/f2fs/segment.h in there"
	for name in f2fs_io_info f2fs_map_blocks; do
		sed -n "/^struct $name {/,/^}/p" "$header" >"$tmp/type"
		[ -s "$tmp/type" ] || die "$header: there is no struct $name in it"
		check_members $name <"$tmp/type"
	done
	# that header leans on what every file of F2FS includes before it
	for file in fs buffer_head pagemap f2fs_fs; do
		echo "#include <linux/$file.h>"
	done
	echo "#include \"$header\""
	echo "#include \"${header%/*}/segment.h\""
	sed -n "/^enum cp_reason_type {/,/^}/p" "$header" | reasons
	mtime_by_blocks "$header"
	offset() { echo "offsetof(struct $1, $2)"; }
	bytes() { echo "sizeof(struct $1)"; }
	enumerator() { echo "$1"; }
}

# laid_out(NAME) - print the definition of a struct or enum, with offsets and sizes in comments. The kernel's build leaves DWARF, too,
# whose attributes no rule here expects
laid_out() {
	pahole -F btf ${base:+--btf_base "$base"} -C "$1" "$object" 2>/dev/null
}

# type(NAME) - the same without comments
type() {
	laid_out "$1" | sed -e 's,/\*.*\*/,,' -e 's/[[:space:]]*$//' -e '/^$/d'
}

# need(NAME) - the same, but a type that is missing ends the build
need() {
	type "$1" >"$tmp/type"
	grep -q "$1" "$tmp/type" ||
		die "$1: not found in the BTF of $given${base:+ on top of $base}"
	cat "$tmp/type"
}

# need_known(NAME) - the same for a struct, all of whose members have to be known
need_known() {
	need "$1"
	check_members "$1" <"$tmp/type"
}

# offset(STRUCT, MEMBER) - where the member is, in bytes
offset() {
	bytes=$(laid_out "$1" | sed -n "s,.*[ *]$2\\(\\[[0-9]*\\]\\)*; */\\* *\\([0-9]*\\) .*,\\2,p")
	[ -n "$bytes" ] || die "$1.$2: its offset is not in the BTF of $given"
	echo "$bytes"
}

# bytes(STRUCT) - how large it is
bytes() {
	bytes=$(laid_out "$1" | sed -n 's,.*/\* size: \([0-9]*\).*,\1,p')
	[ -n "$bytes" ] || die "$1: its size is not in the BTF of $given"
	echo "$bytes"
}

# size(NAME) - a build-time check that the compiler lays the struct out as F2FS does
size() {
	n=$(bytes "$1")
	echo "static_assert(sizeof(struct $1) == $n);"
}

# word(FILE, OFFSET) - the 32-bit number there
word() {
	od -A n -t u4 -j "$2" -N 4 "$1" | tr -d ' '
}

# btf(OBJECT, FILE) - put its BTF section into a file, or the object itself if it is nothing else
btf() {
	if ! "${OBJCOPY:-objcopy}" --dump-section .BTF="$2" "$1" /dev/null 2>/dev/null || [ ! -s "$2" ]; then
		cp "$1" "$2"
	fi
}

# enumerator(NAME) - the value of a name in an enum that has none itself, which pahole does not print
#
# In BTF an enumerator is two words: where its name is among the strings, and its value. The strings of a module are
# counted on from those of its kernel.
enumerator() {
	[ -s "$tmp/btf" ] || btf "$object" "$tmp/btf"
	[ -z "$base" ] || [ -s "$tmp/base" ] || btf "$base" "$tmp/base"
	head=$(word "$tmp/btf" 4)
	strings=$((head + $(word "$tmp/btf" 16)))
	before=0
	[ -z "$base" ] || before=$(word "$tmp/base" 20)
	# grep numbers a match from 0; strings of a module begin without an empty one
	at=$(tail -c +$((strings + 1)) "$tmp/btf" | LC_ALL=C grep -aobzx "$1" | sed -n '1s/:.*//p')
	[ -n "$at" ] || die "$1: not found in the BTF of $given"
	value=$(od -A n -v -t u4 -w4 -j $((head + $(word "$tmp/btf" 8))) -N "$(word "$tmp/btf" 12)" "$tmp/btf" |
		awk -v name=$((before + at)) '
			# how many words the types of each kind have besides three; 256 and more: for each member
			BEGIN { split("1 0 3 768 768 512 0 0 0 0 0 0 512 1 768 0 1 0 768", more) }
			rest == 0 { field++ }
			rest == 0 && field == 2 { kind = int($1 / 16777216) % 32; members = $1 % 65536 }
			rest == 0 && field == 3 {
				field = 0
				rest = more[kind] < 256 ? more[kind] : more[kind] / 256 * members
				enum = kind == 6 ? 2 : kind == 19 ? 3 : 0
				at = 0
				next
			}
			rest > 0 {
				if (enum && at % enum == 0 && $1 == name) found = 1
				else if (found) { print $1; exit }
				at++
				rest--
			}')
	[ -n "$value" ] || die "$1: no enumerator of this name in the BTF of $given"
	echo "$value"
}

# from_btf(OBJECT, BASE) - print the definitions of what is needed
from_btf() {
	command -v pahole >/dev/null || die "pahole is not installed (Debian: apt-get install pahole)"
	unpack "$1"
	base=$2
	case $given in
	*.ko | *.ko.*)
		[ -n "$base" ] || die "there is no BTF of kernel ${FT_RELEASE:-that has $given}, neither with its headers nor an image in /boot" \
			"install linux-image-${FT_RELEASE:-RELEASE}, or name the BTF by VMLINUX_BTF="
		readelf -S -W "$object" | grep -q ' \.BTF ' || die "$given: has no BTF (CONFIG_DEBUG_INFO_BTF_MODULES is not set, or it is stripped)" \
			"name the source tree of the same kernel by F2FS_SRC=, or another f2fs.ko by F2FS_KO="
		;;
	esac
	cat <<-HEADER
	#include <linux/blk_types.h>
	#include <linux/build_bug.h>
	#include <linux/f2fs_fs.h>
	#include <linux/fs.h>
	#include <linux/types.h>

	typedef u32 block_t;
	typedef u32 nid_t;

	struct bio;
	struct extent_info;
	struct f2fs_sb_info;
	struct victim_sel_policy;
	struct writeback_control;

	HEADER
	need page_type
	need temp_type
	need iostat_type
	need extent_type
	type f2fs_lock_name
	need_known f2fs_io_info
	need_known f2fs_map_blocks
	size f2fs_io_info
	size f2fs_map_blocks
	need seg_entry
	size seg_entry
	need cp_reason_type >/dev/null
	reasons <"$tmp/type"
	btf "$object" "$tmp/btf"
	mtime_by_blocks "$tmp/btf"
}

echo "/* SPDX-License-Identifier: GPL-2.0-only */"
echo "/* Generated by gen_f2fs_private.sh: do not edit. */"
echo "#ifndef FT_F2FS_PRIVATE_H"
echo "#define FT_F2FS_PRIVATE_H"
case ${1:-} in
--source)
	unpack "${3:-}"
	from_source "${2:-}"
	;;
--in-tree) from_source "${2:-}" ;;
*) from_btf "${1:-}" "${2:-}" ;;
esac
printf '\n#define FT_F2FS_SIZES'
for name in $PRIVATE; do
	printf ' { "%s", %s },' "$name" "$(bytes "$name")"
done
echo
if [ "${1:-}" = --in-tree ]; then
	echo '#define FT_F2FS_BUILD_ID ""'
else
	build_id
fi
cat <<ACCESS

static inline const char *ft_f2fs_info(const struct inode *inode)
{
	return (const char *)inode - $(offset f2fs_inode_info vfs_inode);
}

/* The inode that takes what an atomic write has not committed yet, or NULL. */
static inline struct inode *ft_f2fs_cow_inode(const struct inode *inode)
{
	return *(struct inode * const *)(ft_f2fs_info(inode) + $(offset f2fs_inode_info cow_inode));
}

/* The flags that chattr sets and lsattr shows. */
static inline unsigned long ft_f2fs_flags(const struct inode *inode)
{
	return *(const unsigned long *)(ft_f2fs_info(inode) + $(offset f2fs_inode_info i_flags));
}

/* The flags of the checkpoint in memory, CP_ERROR_FLAG among them. */
static inline u32 ft_f2fs_checkpoint_flags(const struct super_block *sb)
{
	const char *info = (const char *)sb->s_fs_info;
	const struct f2fs_checkpoint *ckpt =
		*(struct f2fs_checkpoint * const *)(info + $(offset f2fs_sb_info ckpt));

	return le32_to_cpu(READ_ONCE(ckpt->ckpt_flags));
}

/* The nth device of a volume of several; %NULL after the last one, or if there is one only. */
static inline const struct block_device *ft_f2fs_device(const struct super_block *sb, int n)
{
	const char *info = (const char *)sb->s_fs_info;
	const char *devs = *(char * const *)(info + $(offset f2fs_sb_info devs));

	if (n >= *(const int *)(info + $(offset f2fs_sb_info s_ndevs)))
		return NULL;
	return *(struct block_device * const *)(devs + n * $(bytes f2fs_dev_info) + $(offset f2fs_dev_info bdev));
}

/* Is every block of this file written elsewhere for now? So F2FS defragments. */
static inline bool ft_f2fs_writes_elsewhere(const struct inode *inode)
{
	return test_bit($(enumerator FI_OPU_WRITE),
			(const unsigned long *)(ft_f2fs_info(inode) + $(offset f2fs_inode_info flags)));
}

/* Is the data of this file in its inode? */
static inline bool ft_f2fs_has_inline_data(const struct inode *inode)
{
	return test_bit($(enumerator FI_INLINE_DATA),
			(const unsigned long *)(ft_f2fs_info(inode) + $(offset f2fs_inode_info flags)));
}

/* How many pages of this file have to be written. */
static inline int ft_f2fs_dirty_pages(const struct inode *inode)
{
	return atomic_read((const atomic_t *)(ft_f2fs_info(inode) + $(offset f2fs_inode_info dirty_pages)));
}

/* The bit of page->private that says that the block is being moved. */
#define FT_F2FS_PAGE_MIGRATES	$(enumerator PAGE_PRIVATE_ONGOING_MIGRATION)

/* Somebody waits for the garbage collection. */
#define FT_F2FS_FG_GC		$(enumerator FG_GC)

/* The kind of victim that is searched for, not a log that searches for holes. */
#define FT_F2FS_NO_CHECK_TYPE	$(enumerator NO_CHECK_TYPE)

/* The policies by which a victim is chosen. */
#define FT_F2FS_GC_CB		$(enumerator GC_CB)
#define FT_F2FS_GC_GREEDY	$(enumerator GC_GREEDY)
#define FT_F2FS_GC_AT		$(enumerator GC_AT)

/* Where in F2FS's own state the lock is that a collection holds. */
#define FT_F2FS_GC_LOCK		($(offset f2fs_sb_info gc_lock) + $(offset f2fs_rwsem internal_rwsem))

/* Has somebody told F2FS, by gc_urgent in sysfs, to collect also while it is not idle? */
static inline bool ft_f2fs_gc_is_urgent(const struct super_block *sb)
{
	const char *info = (const char *)sb->s_fs_info;
	unsigned int mode = READ_ONCE(*(const unsigned int *)(info + $(offset f2fs_sb_info gc_mode)));

	return mode == $(enumerator GC_URGENT_HIGH) || mode == $(enumerator GC_URGENT_LOW) ||
	       mode == $(enumerator GC_URGENT_MID);
}

/* What F2FS has in memory about a segment of the main area, or NULL. */
static inline const struct seg_entry *ft_f2fs_segment(const struct super_block *sb, u32 segno)
{
	const char *info = (const char *)sb->s_fs_info;
	const char *sm = *(char * const *)(info + $(offset f2fs_sb_info sm_info));
	const char *sit = *(char * const *)(sm + $(offset f2fs_sm_info sit_info));

	if (segno >= *(const u32 *)(sm + $(offset f2fs_sm_info main_segments)))
		return NULL;
	return *(struct seg_entry * const *)(sit + $(offset sit_info sentries)) + segno;
}

/* The segment that a log is in, and how it takes blocks there. False if it is in none. */
static inline bool ft_f2fs_log(const struct super_block *sb, unsigned int log, u32 *segno, u8 *alloc_type)
{
	const char *info = (const char *)sb->s_fs_info;
	const char *sm = *(char * const *)(info + $(offset f2fs_sb_info sm_info));
	const char *curseg = *(char * const *)(sm + $(offset f2fs_sm_info curseg_array));

	curseg += log * $(bytes curseg_info);
	*segno = READ_ONCE(*(const u32 *)(curseg + $(offset curseg_info segno)));
	*alloc_type = READ_ONCE(*(const u8 *)(curseg + $(offset curseg_info alloc_type)));
	return *(const bool *)(curseg + $(offset curseg_info inited));
}

/* The blocks that F2FS has queued to discard, or to reset, and in how many commands; those on the device included. */
static inline u32 ft_f2fs_pending_discards(const struct super_block *sb, u32 *commands)
{
	const char *info = (const char *)sb->s_fs_info;
	const char *sm = *(char * const *)(info + $(offset f2fs_sb_info sm_info));
	const char *dcc = *(char * const *)(sm + $(offset f2fs_sm_info dcc_info));

	*commands = atomic_read((const atomic_t *)(dcc + $(offset discard_cmd_control discard_cmd_cnt)));
	return READ_ONCE(*(const u32 *)(dcc + $(offset discard_cmd_control undiscard_blks)));
}

/*
 * How F2FS has searched for a victim, and what its formulas take. A bit of @dirty stands for a segment, or for a section of
 * several; one of @chosen (in the background before) and of @pinned for a section. @pinned is NULL if none is.
 */
struct ft_f2fs_search {
	const unsigned long *dirty, *chosen, *pinned;
	u32 segments, limit, min_cost, age_weight;
	u64 min_mtime, max_mtime, dirty_min_mtime, dirty_max_mtime, age_threshold;
};

static inline void ft_f2fs_read_search(struct ft_f2fs_search *s, const struct super_block *sb, const struct victim_sel_policy *p)
{
	const char *info = (const char *)sb->s_fs_info, *policy = (const char *)p;
	const char *sm = *(char * const *)(info + $(offset f2fs_sb_info sm_info));
	const char *sit = *(char * const *)(sm + $(offset f2fs_sm_info sit_info));
	const char *dirty = *(char * const *)(sm + $(offset f2fs_sm_info dirty_info));

	s->segments = *(const u32 *)(sm + $(offset f2fs_sm_info main_segments));
	s->dirty = *(unsigned long * const *)(policy + $(offset victim_sel_policy dirty_bitmap));
	s->limit = *(const u32 *)(policy + $(offset victim_sel_policy max_search));
	s->min_cost = *(const u32 *)(policy + $(offset victim_sel_policy min_cost));
	s->age_threshold = *(const u64 *)(policy + $(offset victim_sel_policy age_threshold));
	s->age_weight = READ_ONCE(*(const u32 *)(info + $(offset f2fs_sb_info am) + $(offset atgc_management age_weight)));
	s->min_mtime = READ_ONCE(*(const u64 *)(sit + $(offset sit_info min_mtime)));
	s->max_mtime = READ_ONCE(*(const u64 *)(sit + $(offset sit_info max_mtime)));
	s->dirty_min_mtime = READ_ONCE(*(const u64 *)(sit + $(offset sit_info dirty_min_mtime)));
	s->dirty_max_mtime = READ_ONCE(*(const u64 *)(sit + $(offset sit_info dirty_max_mtime)));
	s->chosen = *(unsigned long * const *)(dirty + $(offset dirty_seglist_info victim_secmap));
	s->pinned = NULL;
	if (READ_ONCE(*(const bool *)(dirty + $(offset dirty_seglist_info enable_pin_section))))
		s->pinned = *(unsigned long * const *)(dirty + $(offset dirty_seglist_info pinned_secmap));
}

/* The segments that F2FS has chosen to clean, or a log to fill: the first, how many, and the policy. */
static inline u32 ft_f2fs_victim(const struct victim_sel_policy *p, u32 *segments, int *gc_mode)
{
	const char *policy = (const char *)p;

	*segments = *(const u32 *)(policy + $(offset victim_sel_policy ofs_unit));
	*gc_mode = *(const int *)(policy + $(offset victim_sel_policy gc_mode));
	return *(const u32 *)(policy + $(offset victim_sel_policy min_segno));
}
ACCESS
echo
echo "#endif"
