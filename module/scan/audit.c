// SPDX-License-Identifier: GPL-2.0-only
/*
 * Audits: compare the maps with what F2FS reports.
 *
 * In: maps in state exact, each with a second one that file.c has just built
 * beside it from FIEMAP. Out: a report. The maps are not replaced; one that differs
 * becomes stale, and is scanned like any other stale map.
 */

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "core/base.h"
#include "core/memory.h"
#include "core/volume.h"
#include "maps/inode.h"
#include "maps/names.h"
#include "maps/rebuild.h"
#include "scan/audit.h"

/* How many extents are compared before writers get the lock again. */
#define EXTENTS_PER_STEP	256
/* How many files a report names. */
#define MAX_LINES		10000

/* === Comparing ============================================================ */

/*
 * Find the next run of written blocks of one extent at @from or after. If that
 * takes more than *@left extents, *@ext has no length, and begins where the search
 * stopped: no written block is before it.
 */
static bool next_written(struct ft_extmap *map, u32 from, struct ft_extent *ext, unsigned int *left)
{
	while (ft_extmap_next(map, from, ext)) {
		if (ext->lba != FT_LBA_UNWRITTEN) {
			if (ext->lblk < from) {
				ext->lba += from - ext->lblk;
				ext->len -= from - ext->lblk;
				ext->lblk = from;
			}
			return true;
		}
		from = ft_extent_end(ext);
		if (!*left) {
			ext->lblk = from;
			ext->len = 0;
			return true;
		}
		--*left;
	}
	ext->lblk = FT_LBLK_END;
	ext->len = 0;
	return false;
}

/* How many blocks from @first on are the extent, or are before it. */
static u32 alike(const struct ft_extent *ext, u32 first)
{
	return ext->lblk > first ? ext->lblk - first : ext->len;
}

/*
 * Compare from *@pos on, a limited number of extents. Events change both maps, so
 * they need not be locked between two steps.
 */
static bool compare_some(struct ft_inode *rec, u32 *pos, struct ft_audit_sum *sum)
{
	unsigned int left = EXTENTS_PER_STEP;

	while (left) {
		struct ft_extent ours, theirs;
		bool any = next_written(&rec->map, *pos, &ours, &left);
		u32 first, len;

		any |= next_written(ft_built_map(rec), *pos, &theirs, &left);
		if (!any)
			return true;
		first = min(ours.lblk, theirs.lblk);
		len = min(alike(&ours, first), alike(&theirs, first));
		if (ours.lblk != theirs.lblk || ours.lba != theirs.lba)
			sum->differing += len;
		sum->blocks += len;
		*pos = first + len;
		if (left)
			left--;
	}
	return false;
}

/**
 * ft_audit_compare() - compare a map with the one just built beside it
 * @rec: the file, between ft_rebuild_begin() and ft_rebuild_end()
 * @sum: what was found
 *
 * Only written blocks count: FIEMAP reports dirty blocks as unwritten ones.
 *
 * Context: process, the volume's worker.
 * Return: false if the map was not exact all the time.
 */
bool ft_audit_compare(struct ft_inode *rec, struct ft_audit_sum *sum)
{
	bool done = false, claimed = true;
	u32 pos = 0;

	*sum = (struct ft_audit_sum){ };
	while (!done && claimed) {
		ft_inode_lock(rec);
		claimed = rec->state == FT_EXACT;
		if (claimed)
			done = compare_some(rec, &pos, sum);
		sum->changes = rec->changes;
		spin_unlock(&rec->lock);
		ft_let_writers_go();
	}
	return claimed;
}

/* === The report =========================================================== */

/**
 * struct line - a file that a report names
 * @node: in lines
 * @dev: its device number
 * @ino: its inode number
 * @judged: it was compared and differs; else it could not be compared
 * @size: allocated size in bytes
 * @sum: what was found
 * @path: its path
 */
struct line {
	struct list_head node;
	dev_t dev;
	u32 ino;
	bool judged;
	u16 size;
	struct ft_audit_sum sum;
	char path[];
};

static DEFINE_MUTEX(report_lock);	/* protects all of the report */
static LIST_HEAD(lines);
static struct {
	u64 lines, files, blocks, differing, unjudged, dropped;
	u64 begun_ns, ended_ns;
} report;

static void free_line(struct line *line)
{
	if (line)
		ft_mem_free(line, line->size);
}

/**
 * ft_audit_forget() - drop the report
 *
 * Context: process; may sleep.
 */
void ft_audit_forget(void)
{
	struct line *line, *next;

	guard(mutex)(&report_lock);
	list_for_each_entry_safe(line, next, &lines, node)
		free_line(line);
	INIT_LIST_HEAD(&lines);
	memset(&report, 0, sizeof(report));
}

/**
 * ft_audit_begin() - begin a report
 *
 * Context: process; may sleep.
 */
void ft_audit_begin(void)
{
	ft_audit_forget();
	guard(mutex)(&report_lock);
	report.begun_ns = ktime_get_ns();
}

/**
 * ft_audit_end() - end a report
 * @complete: all files were audited
 *
 * Context: process; may sleep.
 */
void ft_audit_end(bool complete)
{
	guard(mutex)(&report_lock);
	if (complete)
		report.ended_ns = ktime_get_ns();
	if (report.differing)
		pr_warn("audit: %llu of %llu blocks were not where the map said; see audit in debugfs\n",
			report.differing, report.blocks);
}

/* %NULL if memory is short. */
static struct line *make_line(struct ft_inode *rec)
{
	struct line *line = NULL;
	size_t len, size;

	guard(mutex)(&rec->vol->ns_lock);
	len = ft_names_path(rec, NULL, 0);
	size = struct_size(line, path, len + 1);
	if (ft_mem_room())
		line = ft_mem_zalloc(size, GFP_KERNEL);
	if (line) {
		line->size = size;
		line->dev = rec->vol->dev;
		line->ino = rec->ino;
		ft_names_path(rec, line->path, len + 1);
	}
	return line;
}

/**
 * ft_audit_report() - add a file that was audited, or cannot be, to the report
 * @rec: the file
 * @sum: what was found; %NULL if it could not be compared
 *
 * Context: process; may sleep.
 */
void ft_audit_report(struct ft_inode *rec, const struct ft_audit_sum *sum)
{
	struct line *line = NULL;

	if (!sum || sum->differing)
		line = make_line(rec);
	guard(mutex)(&report_lock);
	if (sum) {
		ft_count(FT_AUDITS);
		report.files++;
		report.blocks += sum->blocks;
		report.differing += sum->differing;
		if (sum->differing)
			ft_count(FT_AUDIT_DIFFERENCES);
	} else {
		report.unjudged++;
	}
	if (line && report.lines < MAX_LINES) {
		line->judged = sum;
		if (sum)
			line->sum = *sum;
		list_add_tail(&line->node, &lines);
		report.lines++;
	} else if (!sum || sum->differing) {
		report.dropped++;
		free_line(line);
	}
}

/**
 * ft_audit_sampled() - a file of the sample was audited
 * @rec: the file
 * @sum: what was found
 *
 * If its map differs, F2FS has changed a block without an event: something that the
 * module assumes of this F2FS (DESIGN.md) does not hold, and other maps may be wrong,
 * too. The caller marks this file as stale. The sample takes all others of the volume
 * without its usual pause: each that is wrong is found soon, and no user can make the
 * files of another one stale.
 *
 * Context: process, the volume's worker.
 */
void ft_audit_sampled(struct ft_inode *rec, const struct ft_audit_sum *sum)
{
	struct ft_volume *vol = rec->vol;

	ft_count(FT_SAMPLED);
	if (!sum->differing)
		return;
	ft_count(FT_AUDIT_DIFFERENCES);
	WRITE_ONCE(vol->sample_hurry, atomic_read(&vol->nr_inodes));
	pr_warn_ratelimited("inode %u of %u:%u: %llu of %llu blocks were not where the map said, and no event told of it; all files of this volume are compared; please report this, with the version of F2FS\n",
			    rec->ino, MAJOR(vol->dev), MINOR(vol->dev),
			    sum->differing, sum->blocks);
	WRITE_ONCE(vol->unsound, true);
}

static void show_head(struct seq_file *m)
{
	seq_puts(m, "# fragtrace audit 1\n");
	seq_printf(m, "# audited %s files=%llu blocks=%llu differing=%llu unjudged=%llu milliseconds=%llu\n",
		   !report.begun_ns ? "never" : report.ended_ns ? "all" : "so_far", report.files,
		   report.blocks, report.differing, report.unjudged,
		   report.begun_ns ? div_u64((report.ended_ns ?: ktime_get_ns()) - report.begun_ns,
				      NSEC_PER_MSEC) : 0);
	seq_puts(m, "# dev ino verdict blocks differing path\n");
}

static void show_line(struct seq_file *m, const struct line *line)
{
	seq_printf(m, "%u:%u %u %s %llu %llu ", MAJOR(line->dev),
		   MINOR(line->dev), line->ino,
		   line->judged ? "differs" : "unjudged", line->sum.blocks,
		   line->sum.differing);
	seq_escape(m, line->path, FT_ESCAPED);
	seq_putc(m, '\n');
}

static void *report_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&report_lock);
	return seq_list_start_head(&lines, *pos);
}

static void *report_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &lines, pos);
}

static void report_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&report_lock);
}

static int report_show(struct seq_file *m, void *v)
{
	struct list_head *at = v;

	if (at == &lines)
		show_head(m);
	else
		show_line(m, list_entry(at, struct line, node));
	if (report.dropped && at->next == &lines)
		seq_printf(m, "# and %llu more\n", report.dropped);
	return 0;
}

/* Prints the report of the last audit, a line at a time. */
const struct seq_operations ft_audit_ops = {
	.start = report_start,
	.next = report_next,
	.stop = report_stop,
	.show = report_show,
};
