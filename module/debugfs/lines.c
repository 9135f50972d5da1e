// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts in debugfs: a head, and lines that are copied when a reader opens the file.
 *
 * In: a struct ft_text, which says how the lines are found and shown. Out: the file. A
 * reader holds no lock and no reference between two calls. One line may be written to a
 * text that takes any.
 */

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <linux/timekeeping.h>

#include "core/base.h"
#include "core/observer.h"
#include "core/volume.h"
#include "debugfs/lines.h"

/* How often files are copied before a reader is told that some of them lost their numbers. */
#define MOST_COPIES	4

/**
 * ft_lines_add() - add a line
 * @lines: all lines
 *
 * Context: process; may sleep.
 * Return: the line, zeroed, until the next one is added; %NULL if memory is short.
 */
void *ft_lines_add(struct ft_lines *lines)
{
	size_t size = lines->text->size;

	if (ft_vec_make_room(&lines->vec, 1, size))
		return NULL;
	return memset(lines->vec.data + size * lines->vec.nr++, 0, size);
}

/**
 * ft_lines_add_of() - add a line of a volume that begins with a &struct ft_line
 * @lines: all lines
 * @vol: the volume
 * @kind: which kind
 * @order: its place among those of this kind
 *
 * Context: process; may sleep, unless there is room.
 * Return: the line, otherwise zeroed, as ft_lines_add().
 */
void *ft_lines_add_of(struct ft_lines *lines, const struct ft_volume *vol, u32 kind, u64 order)
{
	struct ft_line *line = ft_lines_add(lines);

	if (line)
		*line = (struct ft_line){ .kind = kind, .dev = vol->dev, .order = order };
	return line;
}

/**
 * ft_lines_compare() - the order of lines by kind, then by volume, and within these as they say
 * @a: a line that begins with a &struct ft_line
 * @b: another one
 *
 * Context: process; may sleep.
 * Return: for sort().
 */
int ft_lines_compare(const void *a, const void *b)
{
	const struct ft_line *x = a, *y = b;

	/* sort() does not reschedule */
	cond_resched();
	return ft_compare(x->kind, y->kind) ?: ft_compare(x->dev, y->dev) ?:
	       ft_compare(x->order, y->order);
}

/* Is there nothing to show, as a parameter is off? */
static bool is_off(const struct ft_text *text)
{
	return text->on && !*text->on;
}

/* === Since when ========================================================== */

/* When the counts of a volume began, in seconds since 1970. */
struct since {
	dev_t dev;
	u64 when;
};

/* When the counts of a volume begin, which a text with a reset shows; %NULL: it has none. */
static u64 *counted_since(const struct ft_text *text, struct ft_volume *vol)
{
	const struct ft_observer *o;
	unsigned int i;

	if (text->reset)
		ft_for_each_observer(o, i)
			if (o->text == text)
				return &vol->counted_since[i];
	return NULL;
}

static int add_since(struct ft_lines *lines, struct ft_volume *vol)
{
	const u64 *when = counted_since(lines->text, vol);
	struct since *since;

	if (!when)
		return 0;
	if (ft_vec_make_room(&lines->since, 1, sizeof(*since)))
		return -ENOMEM;
	since = lines->since.data;
	since[lines->since.nr++] = (struct since){ vol->dev, READ_ONCE(*when) };
	return 0;
}

static void show_since(struct seq_file *m, const struct ft_lines *lines)
{
	const struct since *since = lines->since.data;
	size_t i;

	for (i = 0; i < lines->since.nr; i++)
		seq_printf(m, "# since %u:%u %llu\n", MAJOR(since[i].dev), MINOR(since[i].dev),
			   since[i].when);
}

/* === Reading ============================================================== */

static void *lines_start(struct seq_file *m, loff_t *pos)
{
	const struct ft_lines *lines = m->private;

	/* nothing was copied if it is open for writing only */
	if (!(m->file->f_mode & FMODE_READ))
		return NULL;
	if (!*pos)
		return SEQ_START_TOKEN;
	return *pos <= lines->vec.nr ? lines->vec.data + lines->text->size * (*pos - 1) : NULL;
}

static void *lines_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return lines_start(m, pos);
}

static void lines_stop(struct seq_file *m, void *v)
{
}

static void show_head(struct seq_file *m, const struct ft_lines *lines)
{
	const struct ft_text *text = lines->text;

	if (text->version)
		seq_printf(m, "# fragtrace %s %u\n", text->name, text->version);
	/* mostly it is the size that readers take without this line */
	if (text->version && FT_BLOCK_SIZE != SZ_4K)
		seq_printf(m, "# block_bytes %u\n", FT_BLOCK_SIZE);
	show_since(m, lines);
	if (is_off(text))
		seq_printf(m, "# not known: the module was loaded with %s=0\n", text->parameter);
	else if (text->head)
		text->head(m, lines);
	if (lines->moved)
		seq_puts(m, "# files were removed meanwhile: some counts are in two lines, or in none\n");
	if (text->columns)
		seq_puts(m, text->columns);
}

static int lines_show(struct seq_file *m, void *v)
{
	const struct ft_lines *lines = m->private;
	const struct ft_text *text = lines->text;
	const struct ft_line *line = v;

	if (v == SEQ_START_TOKEN) {
		show_head(m, lines);
		return 0;
	}
	if (text->of_devices)
		seq_printf(m, "%u:%u ", MAJOR(line->dev), MINOR(line->dev));
	text->show(m, lines, v);
	if (text->of_devices)
		seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations lines_ops = {
	.start = lines_start,
	.next = lines_next,
	.stop = lines_stop,
	.show = lines_show,
};

static int copy(struct ft_lines *lines)
{
	const struct ft_text *text = lines->text;
	struct ft_volume *vol;
	unsigned int n;
	int err = 0;

	if (text->view) {
		lines->snap = ft_snapshot_take(text->view, text->each, lines);
		err = PTR_ERR_OR_ZERO(lines->snap);
	}
	ft_for_each_volume(vol, n) {
		err = err ?: add_since(lines, vol);
		if (!err && text->volume)
			err = text->volume(lines, vol);
	}
	return err;
}

static void drop_copy(struct ft_lines *lines)
{
	ft_snapshot_free(lines->snap);
	ft_vec_free(&lines->vec);
	ft_vec_free(&lines->since);
	lines->snap = NULL;
}

/* What a file loses while it is copied would be in its line and in that of the rest. */
static int copy_files(struct ft_lines *lines)
{
	unsigned int tries = MOST_COPIES;
	int err, settled;

	do {
		drop_copy(lines);
		settled = ft_counts_settle();
		err = copy(lines);
		lines->moved = ft_counts_moved(settled);
	} while (!err && lines->moved && --tries);
	return err;
}

static int fill(struct ft_lines *lines)
{
	const struct ft_text *text = lines->text;
	int err;

	if (is_off(text))
		return 0;
	/* those with numbers of files, which can be reset */
	err = text->each && text->reset ? copy_files(lines) : copy(lines);
	if (!err && text->compare)
		sort(lines->vec.data, lines->vec.nr, text->size, text->compare, NULL);
	if (!err && text->complete)
		err = text->complete(lines);
	return err;
}

static int text_release(struct inode *inode, struct file *file)
{
	drop_copy(((struct seq_file *)file->private_data)->private);
	return seq_release_private(inode, file);
}

static int text_open(struct inode *inode, struct file *file)
{
	const struct ft_text *text = inode->i_private;
	struct ft_lines *lines = __seq_open_private(file, text->ops ?: &lines_ops, sizeof(*lines));
	int err = 0;

	if (!lines)
		return -ENOMEM;
	lines->text = text;
	if (file->f_mode & FMODE_READ)
		err = fill(lines);
	if (err)
		text_release(inode, file);
	return err;
}

/* === Writing ============================================================== */

/*
 * Take one line from the user. The caller frees *@text. A path in the line may
 * be escaped as in our own output.
 */
static int take_line(const char __user *ubuf, size_t count, loff_t *pos, char **text)
{
	size_t max = 4 * PATH_MAX + 8;
	char *line;

	if (*pos || !count)
		return -EINVAL;
	if (count > max)
		return -E2BIG;
	line = memdup_user_nul(ubuf, count);
	if (IS_ERR(line))
		return PTR_ERR(line);
	if (line[count - 1] == '\n')
		line[--count] = '\0';
	/* a path contains no NUL, not even an escaped one */
	if (strlen(line) != count || strchr(line, '\n') ||
	    string_unescape_inplace(line, UNESCAPE_OCTAL) != strlen(line)) {
		kfree(line);
		return -EINVAL;
	}
	*text = line;
	return 0;
}

static int reset(const struct ft_text *text, char *line)
{
	struct ft_volume *vol;
	unsigned int n;
	u64 *since;

	if (strcmp(strim(line), "reset"))
		return 1;
	if (is_off(text))
		return 0;
	ft_for_each_volume(vol, n) {
		since = counted_since(text, vol);
		if (since)
			WRITE_ONCE(*since, ktime_get_real_seconds());
		text->reset(vol);
	}
	return 0;
}

static ssize_t text_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	const struct ft_text *text = file_inode(file)->i_private;
	char *line = NULL;
	loff_t begin = 0;
	int err;

	if (!text->write && !text->reset)
		return -EINVAL;
	/* a reset is valid wherever its reader is */
	err = take_line(ubuf, count, text->reset ? &begin : pos, &line);
	if (!err)
		err = text->reset ? reset(text, line) : text->write(line);
	if (err == 1 || !line)
		pr_err("%s: expected is %s\n", text->name, text->words ?: "the word reset");
	kfree(line);
	/* a user takes ENOENT for a module that is not loaded */
	if (err == 1 || err == -ENOENT)
		err = -EINVAL;
	return err ?: count;
}

const struct file_operations ft_text_fops = {
	.owner = THIS_MODULE,
	.open = text_open,
	.read = seq_read,
	.write = text_write,
	.llseek = seq_lseek,
	.release = text_release,
};
