// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which ranges of files are read: the file heat in debugfs.
 *
 * In: the counts of heat.c, and the paths of a snapshot. Out: a line for each window
 * that has counts, by file and offset. Both are copied when a reader opens the file.
 */

#include <linux/seq_file.h>

#include "debugfs/lines.h"
#include "observers/heat/heat.h"

/* Windows copied before the lock of the file is dropped. */
#define LINES_PER_STEP	256

static int copy_file(struct ft_lines *copy, struct ft_inode *rec, u32 file)
{
	struct ft_vec *vec = &copy->vec;
	struct ft_heat_line *lines;
	unsigned int nr, i;
	bool done = false;
	u32 from = 0;

	if (!ft_heat_bytes(rec))
		return 0;
	while (!done) {
		if (ft_vec_make_room(vec, LINES_PER_STEP, sizeof(*lines)))
			return -ENOMEM;
		lines = (struct ft_heat_line *)vec->data + vec->nr;
		done = ft_heat_copy(rec, &from, lines, LINES_PER_STEP, &nr);
		for (i = 0; i < nr; i++)
			lines[i].file = file;
		vec->nr += nr;
		ft_let_writers_go();
	}
	return 0;
}

static void show_head(struct seq_file *m, const struct ft_lines *lines)
{
	seq_puts(m, "# fragtrace heat 2\n");
	if (ft_heat_on)
		seq_printf(m, "# windows blocks=%u period_secs=%u\n",
			   ft_heat_window_blocks(), ft_heat_period());
	else
		seq_puts(m, "# not known: the module was loaded with heat=0\n");
	seq_puts(m, "# dev ino offset reads blocks requests overwrites continued path\n");
}

static void show_line(struct seq_file *m, const struct ft_lines *copy, const void *data)
{
	const struct ft_heat_line *line = data;
	const struct ft_snap_file *f = ft_snap_file(copy->snap, line->file);
	const struct ft_snap_volume *vol = ft_snap_volume(copy->snap, f->volume);

	seq_printf(m, "%u:%u %u %llu %u %u %u %u %u %s\n", vol->major, vol->minor,
		   f->ino, (u64)line->window * ft_heat_window_blocks(),
		   line->counts[FT_HEAT_READS], line->counts[FT_HEAT_BLOCKS],
		   line->counts[FT_HEAT_REQUESTS],
		   line->counts[FT_HEAT_OVERWRITES],
		   line->counts[FT_HEAT_CONTINUED],
		   ft_snap_path(copy->snap, f->path));
}

const struct ft_text ft_heat_text = {
	.name = "heat",
	.view = FT_VIEW_PATHS,
	.size = sizeof(struct ft_heat_line),
	.each = copy_file,
	.head = show_head,
	.show = show_line,
};
