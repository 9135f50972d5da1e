// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the debugfs file `heat`. It counts how much the windows of files are read.
 *
 *	# fragtrace heat 2
 *	# windows blocks=32 period_secs=3600
 *	# dev ino offset reads blocks requests overwrites continued path
 *	254:0 7 64 10 320 12 0 4 /mnt/f2fs/db/000007.sst
 */

#include "input/heat.h"
#include "input/unpack.h"

#define HEAT_VERSION 2
/* The module's counts have 32 bits. */
#define COUNT_MAX UINT32_MAX

static int by_place(const void *a, const void *b)
{
	const struct heat_window *x = a, *y = b;

	return FIRST(ORDER(x->major, y->major), FIRST(ORDER(x->minor, y->minor),
		     FIRST(ORDER(x->ino, y->ino), ORDER(x->number, y->number))));
}

/* === Reading === */

/* Return: false if the module counts nothing. */
static bool read_comment(struct heat *heat, const char *name, size_t n, const char *line)
{
	unsigned int version;

	if (n == 1 && (sscanf(line, "# fragtrace heat %u", &version) != 1 || version != HEAT_VERSION))
		die_at(name, n, "expected \"# fragtrace heat %d\"", HEAT_VERSION);
	if (!strncmp(line, "# windows ", 10) &&
	    (sscanf(line, "# windows blocks=%" SCNu64 " period_secs=%" SCNu64, &heat->window_blks, &heat->period_s) != 2 ||
	     !heat->window_blks || heat->window_blks > BLK_MAX))
		die_at(name, n, "expected \"# windows blocks=NUMBER period_secs=NUMBER\"");
	return strncmp(line, "# not known", 11);
}

static bool is_valid(const struct heat *heat, const struct heat_window *w, uint64_t offset)
{
	return w->ino <= INO_MAX && offset <= BLK_MAX && !(offset % heat->window_blks) && w->reads <= COUNT_MAX &&
	       w->blks <= COUNT_MAX && w->requests <= COUNT_MAX && w->overwrites <= COUNT_MAX &&
	       w->continued <= w->reads;
}

static void read_window(struct heat *heat, const char *name, size_t n, const char *line)
{
	struct heat_window w;
	uint64_t offset;
	int end = 0;

	if (!heat->window_blks)
		die_at(name, n, "expected a line \"# windows blocks=NUMBER period_secs=NUMBER\" before");
	if (sscanf(line, "%u:%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %n",
		   &w.major, &w.minor, &w.ino, &offset, &w.reads, &w.blks, &w.requests, &w.overwrites, &w.continued,
		   &end) != 9 || !end || !line[end] || !is_valid(heat, &w, offset))
		die_at(name, n, "expected \"dev ino offset reads blocks requests overwrites continued path\"");
	w.number = offset / heat->window_blks;
	*APPEND(heat->windows, heat->n, heat->cap) = w;
}

static bool parse(struct heat *heat, const char *name, char *text)
{
	bool is_known = true;
	size_t n = 0;
	char *line, *next;

	for (line = text; *line; line = next) {
		next = take_line(line);
		if (!n++ || *line == '#')
			is_known &= read_comment(heat, name, n, line);
		else
			read_window(heat, name, n, line);
	}
	if (!n)
		die("%s: is empty; expected \"# fragtrace heat %d\"", name, HEAT_VERSION);
	if (is_known && !heat->window_blks)
		die_at(name, n, "expected a line \"# windows blocks=NUMBER period_secs=NUMBER\"");
	return is_known;
}

/* A recorded copy is only there if the module counted. */
static const char *hint(const char *path)
{
	size_t n = strlen(path), suffix = strlen(HEAT_SUFFIX);

	return n < suffix || strcmp(path + n - suffix, HEAT_SUFFIX) ? "" :
	       "; a snapshot is recorded with what is read if the module was loaded with heat=1";
}

/**
 * heat_read() - read the counts of the module
 * @heat: the result; to be freed with heat_free()
 * @path: the file, or a copy of it, which may be packed
 *
 * Ends the program on the first line that does not match the format.
 *
 * Return: NULL, or why nothing is known of readers; to be freed.
 */
char *heat_read(struct heat *heat, const char *path)
{
	bool is_known;
	struct text text;
	int err = slurp_file(&text, path);

	*heat = (struct heat){ 0 };
	if (err == EFBIG)
		input_too_large(path);
	if (err)
		return xasprintf("%s: cannot read: %s%s", path, strerror(err), hint(path));
	if (is_packed(&text))
		unpack(&text, path);
	is_known = parse(heat, path, text.buf);
	text_free(&text);
	sort(heat->windows, heat->n, sizeof(*heat->windows), by_place);
	return is_known ? NULL :
	       xasprintf("%s: nothing is known of readers; expected a module that was loaded with heat=1", path);
}

/**
 * heat_free() - release the counts
 * @heat: as left by heat_read(), or all zeroes
 */
void heat_free(struct heat *heat)
{
	free(heat->windows);
	*heat = (struct heat){ 0 };
}

/* === Windows === */

/**
 * heat_find() - find a window of a file
 * @heat: the counts
 * @table: the table
 * @file: index into @table->files
 * @number: of the window
 *
 * Return: the first window of the file that has this number or a higher one; NULL if there is none.
 */
const struct heat_window *heat_find(const struct heat *heat, const struct table *table, uint32_t file, uint64_t number)
{
	const struct file *f = &table->files[file];
	const struct volume *v = &table->volumes[f->volume];
	struct heat_window key = { .major = v->major, .minor = v->minor, .ino = f->ino, .number = number };
	const struct heat_window *found;
	size_t low = 0, high = heat->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_place(&heat->windows[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == heat->n)
		return NULL;
	found = &heat->windows[low];
	return found->major == key.major && found->minor == key.minor && found->ino == key.ino ? found : NULL;
}

/**
 * heat_next() - the window after a window
 * @heat: the counts
 * @window: one of its windows
 *
 * Return: the next window of the same file that has counts; NULL if there is none.
 */
const struct heat_window *heat_next(const struct heat *heat, const struct heat_window *window)
{
	const struct heat_window *next = window + 1;

	return next < heat->windows + heat->n && next->major == window->major && next->minor == window->minor &&
	       next->ino == window->ino ? next : NULL;
}
