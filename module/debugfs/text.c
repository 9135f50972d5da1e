// SPDX-License-Identifier: GPL-2.0-only
/*
 * The maps as text: the files table, extents and files in debugfs.
 *
 * In: snapshots. Out: lines of fields separated by blanks, the path last and
 * escaped as in /proc/self/mountinfo. The first line names the format and its
 * version; module/FORMATS.md describes the formats, the programs in viewer/ read
 * them. A change of a format raises its version.
 *
 * A table may have millions of lines. printf would be slow, so lines are written
 * directly into the buffer of the seq_file.
 */

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "core/base.h"
#include "debugfs/debugfs.h"
#include "debugfs/lines.h"

/* === Lines ================================================================ */

/* Upper bound of a line without its path: ten numbers of 20 digits, words. */
#define LINE_WITHOUT_PATH	384

/* Append a word to a line. */
static char *put(char *at, const char *word, size_t len)
{
	memcpy(at, word, len);
	return at + len;
}

#define PUT(at, literal)	put(at, literal, sizeof(literal) - 1)

#define TENS(d) \
	d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"

/* All numbers of two digits. */
static const char two_digits[] = TENS("0") TENS("1") TENS("2") TENS("3") TENS("4")
	TENS("5") TENS("6") TENS("7") TENS("8") TENS("9");

static unsigned int nr_digits(u32 number)
{
	unsigned int nr = 1;

	for (; number >= 10000; number /= 10000)
		nr += 4;
	return nr + (number >= 10) + (number >= 100) + (number >= 1000);
}

/* Write a number of up to @len digits before @end, with leading zeroes. */
static void put_digits(char *end, u32 number, unsigned int len)
{
	for (; len > 1; len -= 2) {
		end -= 2;
		memcpy(end, &two_digits[number % 100 * 2], 2);
		number /= 100;
	}
	if (len)
		end[-1] = '0' + number;
}

/* Append a number to a line: of blocks of a volume, or of a device, an inode, a process. */
static char *put_number(char *at, u32 number)
{
	unsigned int len;

	if (number < 10) {
		*at = '0' + number;
		return at + 1;
	}
	len = nr_digits(number);
	put_digits(at + len, number, len);
	return at + len;
}

/* Append a number and the blank after it. */
static char *put_field(char *at, u32 number)
{
	at = put_number(at, number);
	*at++ = ' ';
	return at;
}

static char *put_dev(char *at, struct ft_snapshot *snap, u32 volume)
{
	const struct ft_snap_volume *v = ft_snap_volume(snap, volume);

	at = put_number(at, v->major);
	*at++ = ':';
	return put_field(at, v->minor);
}

/* Append a quotient with one decimal, rounded half up. */
static char *put_mean(char *at, u64 sum, u64 nr)
{
	u64 tenths = nr ? div64_u64(20 * sum + nr, 2 * nr) : 0;
	u32 rest;

	at = put_number(at, div_u64_rem(tenths, 10, &rest));
	*at++ = '.';
	*at++ = '0' + rest;
	*at++ = ' ';
	return at;
}

static char *put_string(char *at, const char *word)
{
	at = put(at, word, strlen(word));
	*at++ = ' ';
	return at;
}

/* Append the process of a cause: its name, escaped, and its process ID. */
static char *put_process(char *at, struct ft_snapshot *snap, u32 cause)
{
	const struct ft_snap_writer *w;
	u32 writer = ft_cause_writer(cause);

	if (writer == FT_SNAP_WRITER_UNKNOWN)
		return PUT(at, "unknown ");
	if (writer == FT_SNAP_WRITER_SEVERAL)
		return PUT(at, "several ");
	w = ft_snap_writer(snap, writer);
	at += string_escape_mem(w->comm, strnlen(w->comm, sizeof(w->comm)), at,
				4 * sizeof(w->comm), ESCAPE_OCTAL, FT_ESCAPED);
	*at++ = ':';
	return put_field(at, w->pid);
}

static char *put_cause(char *at, u32 cause)
{
	const char *words[3];
	size_t i;

	ft_words_of_cause(cause, words);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		at = put_string(at, words[i]);
	return at;
}

static char *put_table_line(char *at, struct ft_snapshot *snap, const struct ft_snap_extent *ext,
			    const struct ft_snap_file *f)
{
	at = put_dev(at, snap, f->volume);
	at = put_field(at, ext->lba);
	at = put_field(at, ext->len);
	at = put_field(at, ext->lblk);
	at = put_field(at, f->ino);
	return f->flags & FT_SNAP_FRAGMENTED ? PUT(at, "fragmented ") : PUT(at, "contiguous ");
}

static char *put_extents_line(char *at, struct ft_snapshot *snap, const struct ft_snap_extent *ext,
			      const struct ft_snap_file *f)
{
	at = put_dev(at, snap, f->volume);
	at = put_field(at, f->ino);
	at = put_field(at, ext->lblk);
	at = put_field(at, ext->lblk + ext->len - 1);
	if (ext->lba == FT_SNAP_UNWRITTEN) {
		at = PUT(at, "- - ");
		at = put_field(at, ext->len);
		return PUT(at, "unwritten - - - - ");
	}
	at = put_field(at, ext->lba);
	at = put_field(at, ext->lba + ext->len - 1);
	at = put_field(at, ext->len);
	at = ext->flags & FT_SNAP_ENCODED ? PUT(at, "encoded ") : PUT(at, "- ");
	if (!ft_snapshot_breaks(snap, ext - ft_snap_extent(snap, 0)))
		return PUT(at, "- - - - ");
	return put_process(put_cause(at, ext->cause), snap, ext->cause);
}

/* The cause of most breaks of a file; if several are equal, the lowest one. */
static u32 main_cause(struct ft_snapshot *snap, const struct ft_snap_file *f)
{
	u32 *count = snap->kinds, best = 0, kind;
	size_t i;

	memset(count, 0, sizeof(snap->kinds));
	for (i = f->first; i < f->first + f->nr; i++) {
		if (ft_snapshot_breaks(snap, i))
			count[ft_snap_extent(snap, i)->cause & (FT_SNAP_KINDS - 1)]++;
		/* a file may have millions of them */
		cond_resched();
	}
	for (kind = 0; kind < FT_SNAP_KINDS; kind++)
		if (count[kind] > count[best])
			best = kind;
	return best;
}

static char *put_files_line(char *at, struct ft_snapshot *snap, const struct ft_snap_file *f)
{
	at = put_dev(at, snap, f->volume);
	at = put_field(at, f->ino);
	at = f->flags & FT_SNAP_STALE ? PUT(at, "stale ") : PUT(at, "exact ");
	at = put_field(at, f->blocks);
	at = put_field(at, f->written);
	at = put_field(at, f->fragments);
	at = put_mean(at, f->blocks, f->fragments);
	at = put_mean(at, f->distance, f->fragments ? f->fragments - 1 : 0);
	at = put_field(at, f->requests);
	at = put_field(at, f->ideal);
	if (f->fragments < 2)
		return PUT(at, "- - - ");
	return put_cause(at, main_cause(snap, f));
}

/* Paths are in the order of their files: each ends where the next one begins. */
static size_t path_len(struct ft_snapshot *snap, u32 file)
{
	u64 end = file + 1 < snap->files.nr ? ft_snap_file(snap, file + 1)->path : snap->file_paths;

	return end - ft_snap_file(snap, file)->path - 1;
}

/* Write the line of an extent or a file. If it does not fit, seq_file tries again. */
static void show_line(struct seq_file *m, const struct ft_lines *lines, const void *line)
{
	struct ft_snapshot *snap = lines->snap;
	const struct ft_snap_extent *ext = NULL;
	const struct ft_snap_file *f;
	u32 i = *(const u32 *)line, file = i;
	size_t len;
	char *buf, *at;

	if (snap->view != FT_VIEW_FILES) {
		ext = ft_snap_extent(snap, i);
		file = ext->file;
	}
	f = ft_snap_file(snap, file);
	len = path_len(snap, file);
	if (seq_get_buf(m, &buf) < LINE_WITHOUT_PATH + len) {
		seq_commit(m, -1);
		return;
	}
	if (snap->view == FT_VIEW_TABLE)
		at = put_table_line(buf, snap, ext, f);
	else if (snap->view == FT_VIEW_EXTENTS)
		at = put_extents_line(buf, snap, ext, f);
	else
		at = put_files_line(buf, snap, f);
	at = put(at, ft_snap_path(snap, f->path), len);
	*at++ = '\n';
	seq_commit(m, at - buf);
}

/* === The head ============================================================= */

static void show_volume(struct seq_file *m, struct ft_snapshot *snap, u32 i)
{
	const struct ft_snap_volume *v = ft_snap_volume(snap, i);

	seq_printf(m, "# volume %u:%u main_blkaddr=%u blocks=%u segment_blocks=%u path=%s\n",
		   v->major, v->minor, v->main_blkaddr, v->blocks, v->segment_blocks,
		   ft_snap_path(snap, v->path));
}

static void show_stale(struct seq_file *m, struct ft_snapshot *snap)
{
	size_t i, nr = 0;

	for (i = 0; i < snap->files.nr; i++)
		nr += !!(ft_snap_file(snap, i)->flags & FT_SNAP_STALE);
	if (nr)
		seq_printf(m, "# stale %zu\n", nr);
}

/*
 * Stale files of a volume where F2FS has stopped stay stale until the next mount. And no
 * line shows what is left out.
 */
static void show_marks(struct seq_file *m, struct ft_snapshot *snap)
{
	const struct ft_snap_volume *v = snap->volumes.data, *end = v + snap->volumes.nr;

	for (; v < end; v++) {
		if (v->flags & FT_SNAP_STOPPED)
			seq_printf(m, "# stopped %u:%u\n", v->major, v->minor);
		if (v->left_out)
			seq_printf(m, "# left_out %u:%u %llu\n", v->major, v->minor, v->left_out);
	}
}

static void show_head(struct seq_file *m, const struct ft_lines *lines)
{
	struct ft_snapshot *snap = lines->snap;
	size_t i;

	for (i = 0; snap->view == FT_VIEW_TABLE && i < snap->volumes.nr; i++)
		show_volume(m, snap, i);
	show_marks(m, snap);
	/* the lines of `files` show it themselves */
	if (snap->view != FT_VIEW_FILES)
		show_stale(m, snap);
}

/* === The files ============================================================ */

/* The lines are the order of the snapshot. */
static int take_order(struct ft_lines *lines)
{
	swap(lines->vec, lines->snap->order);
	return 0;
}

const struct ft_text ft_table_text = {
	.name = "table",
	.version = 1,
	.columns = "# dev lba length offset ino state path\n",
	.view = FT_VIEW_TABLE,
	.size = sizeof(u32),
	.complete = take_order,
	.head = show_head,
	.show = show_line,
};

const struct ft_text ft_extents_text = {
	.name = "extents",
	.version = 2,
	.columns =
		"# dev ino offset offset_end lba lba_end length flags op flush why_here process path\n",
	.view = FT_VIEW_EXTENTS,
	.size = sizeof(u32),
	.complete = take_order,
	.head = show_head,
	.show = show_line,
};

const struct ft_text ft_files_text = {
	.name = "files",
	.version = 2,
	.columns =
		"# dev ino map blocks extents fragments mean_fragment mean_distance requests_128k ideal_128k op flush why_here path\n",
	.view = FT_VIEW_FILES,
	.size = sizeof(u32),
	.complete = take_order,
	.head = show_head,
	.show = show_line,
};
