// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the list of files that a served page shows, as JSON: some of them, sorted; or the files and folders in a
 * folder. See serve_view.c.
 */
#include <ctype.h>

#include "output/page_data.h"
#include "output/serve_compare.h"
#include "output/serve_view.h"

const char *const serve_sorts[N_SORTS] = { "extra", "path", "fragments", "split", "blocks", "change" };

/* === Files === */

/*
 * What is listed: files, or the files and folders in a folder.
 * @json: output
 * @view: the table
 * @list: the request
 * @figures: of each line
 * @first: the file of a line, or the first one of its folder: index into the files; NULL: line i is file i
 * @counts: how many files are in each line; NULL: one
 * @changes: of each line, its extra requests more than at another moment; NULL: none is asked for
 * @gone: files of that moment that are no more, by index
 * @n_gone: how many
 */
struct sorting {
	struct json *json;
	const struct serve_view *view;
	const struct serve_list *list;
	const struct figures *figures;
	const uint32_t *first;
	const size_t *counts;
	const int64_t *changes;
	const uint32_t *gone;
	size_t n_gone;
};

static const char *path_of(const struct sorting *sorting, uint32_t line)
{
	return sorting->view->runs.table->files[sorting->first ? sorting->first[line] : line].path;
}

/* Below 0 if the line i is less than k; equal files keep the order of the table. */
static int compare(const struct sorting *sorting, uint32_t i, uint32_t k)
{
	const struct figures *x = &sorting->figures[i], *y = &sorting->figures[k];
	double splits[2];

	switch (sorting->list->sort) {
	case SORT_PATH:
		return strcmp(path_of(sorting, i), path_of(sorting, k));
	case SORT_FRAGMENTS:
		return ORDER(x->fragments, y->fragments);
	case SORT_SPLIT:
		splits[0] = figures_split(x);
		splits[1] = figures_split(y);
		return ORDER(splits[0], splits[1]);
	case SORT_BLOCKS:
		return ORDER(x->blks, y->blks);
	case SORT_CHANGE:
		return ORDER(sorting->changes[i], sorting->changes[k]);
	default:
		return figures_compare(sorting->figures, k, i);
	}
}

static int by_list(const void *a, const void *b, void *priv)
{
	const struct sorting *sorting = priv;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int order = compare(sorting, i, k);

	if (order)
		return sorting->list->is_down ? -order : order;
	return ORDER(i, k);
}

static char *in_lower_case(const char *text)
{
	char *lower = xasprintf("%s", text), *c;

	for (c = lower; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return lower;
}

/* A part of the path, or a glob; in either case of letters if the text has no upper case. */
static bool has_text(const char *path, const char *find)
{
	AUTO_FREE char *lower = find[strcspn(find, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] ? NULL : in_lower_case(path);
	const char *compared = lower ? lower : path;

	return strstr(compared, find) || path_is_shown(compared, find);
}

static bool is_listed(const struct serve_view *view, const struct serve_list *list, size_t i)
{
	const char *path = view->runs.table->files[i].path;

	if (list->only != NO_LIT && list->only != i)
		return false;
	if (list->folder && strncmp(path, list->folder, strlen(list->folder)))
		return false;
	return !list->find || has_text(path, list->find);
}

/* The files that a list asks for; to be freed. */
static uint32_t *find_files(const struct serve_view *view, const struct serve_list *list, size_t *n)
{
	uint32_t *found = xcalloc(view->runs.table->n_files, sizeof(*found));

	*n = 0;
	for (size_t i = 0; i < view->runs.table->n_files; i++)
		if (is_listed(view, list, i))
			found[(*n)++] = (uint32_t)i;
	return found;
}

/* === Folders === */

static int by_path(const void *a, const void *b, void *priv)
{
	const struct file *files = priv;

	return strcmp(files[*(const uint32_t *)a].path, files[*(const uint32_t *)b].path);
}

static void add_figures(struct figures *sum, const struct figures *more)
{
	const struct figures both[] = { *sum, *more };

	*sum = figures_sum(both, ARRAY_LEN(both));
}

/* Length of the path of the folder in a folder that a file is below, with a slash at its end; 0: it is in no other one. */
static size_t subfolder_len(const char *path, const char *folder)
{
	const char *slash = strchr(path + strlen(folder), '/');

	return slash ? (size_t)(slash + 1 - path) : 0;
}

static void put_folder(struct json *json, const char *path, size_t len, const struct figures *f, size_t n)
{
	AUTO_FREE char *text = xasprintf("%.*s", (int)len, path);

	json_line(json);
	JSON_ARRAY(json, NULL);
	json_visible(json, NULL, text);
	json_text(json, NULL, "");
	json_number(json, NULL, 0);
	page_put_figures(json, f);
	json_number(json, NULL, 0);
	json_text(json, NULL, "");
	json_number(json, NULL, n);
}

static void put_line(const struct sorting *sorting, uint32_t line)
{
	const struct serve_view *view = sorting->view;
	uint32_t file = sorting->first ? sorting->first[line] : line;
	const char *path = view->runs.table->files[file].path;
	size_t len = sorting->first ? subfolder_len(path, sorting->list->folder) : 0;

	if (len)
		put_folder(sorting->json, path, len, &sorting->figures[line], sorting->counts[line]);
	else
		page_put_file(sorting->json, &view->runs, file, view->first_blks[file],
			      colors_rgb(&view->colors, view->shades[file]));
}

/* "changes" has those of the lines that were written. */
static void put_lines(const struct sorting *sorting, uint32_t *order, size_t n)
{
	const struct serve_list *list = sorting->list;
	size_t end = list->from + list->n < n ? list->from + list->n : n;

	qsort_r(order, n, sizeof(*order), by_list, (void *)sorting);
	json_number(sorting->json, "found", n);
	json_array(sorting->json, "files");
	for (size_t i = list->from; i < end; i++)
		put_line(sorting, order[i]);
	json_end(sorting->json);
	if (!list->before)
		return;
	JSON_ARRAY(sorting->json, "changes");
	for (size_t i = list->from; i < end; i++)
		json_signed(sorting->json, NULL, sorting->changes[order[i]]);
}

/* The line of the folder that a file which is gone was below, or @n_lines; lines are still sorted by path. */
static size_t line_of(const struct sorting *sorting, const uint32_t *found, size_t n_lines, const char *path)
{
	const struct file *files = sorting->view->runs.table->files;
	const struct serve_list *list = sorting->list;
	size_t len, low = 0, high = n_lines;

	if (strncmp(path, list->folder, strlen(list->folder)) || (list->find && !has_text(path, list->find)))
		return n_lines;
	len = subfolder_len(path, list->folder);
	while (len && low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strncmp(files[found[middle]].path, path, len);

		if (!order)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return n_lines;
}

/* Files that are below the same folder become one line: its figures are their sums, less what those had that are gone. */
static void put_folders(const struct sorting *files_sorting, uint32_t *found, size_t n)
{
	const struct serve_view *view = files_sorting->view;
	const struct serve_list *list = files_sorting->list;
	const struct file *files = view->runs.table->files;
	AUTO_FREE struct figures *figures = xcalloc(n, sizeof(*figures));
	AUTO_FREE int64_t *changes = xcalloc(n, sizeof(*changes));
	AUTO_FREE uint32_t *order = xcalloc(n, sizeof(*order));
	AUTO_FREE size_t *counts = xcalloc(n, sizeof(*counts));
	size_t n_lines = 0;
	struct sorting sorting = {
		.json = files_sorting->json, .view = view, .list = list,
		.figures = figures, .first = found, .counts = counts, .changes = changes,
	};

	qsort_r(found, n, sizeof(*found), by_path, view->runs.table->files);
	for (size_t i = 0; i < n; i++) {
		uint32_t one = found[i];
		size_t len = subfolder_len(files[one].path, list->folder);

		if (!len || !n_lines || strncmp(files[found[n_lines - 1]].path, files[one].path, len)) {
			order[n_lines] = (uint32_t)n_lines;
			found[n_lines++] = one;
		}
		add_figures(&figures[n_lines - 1], &view->runs.figures[one]);
		if (list->before)
			changes[n_lines - 1] += files_sorting->changes[one];
		counts[n_lines - 1]++;
	}
	for (size_t i = 0; i < files_sorting->n_gone; i++) {
		size_t one = files_sorting->gone[i], line = line_of(files_sorting, found, n_lines, list->before->runs.table->files[one].path);

		if (line < n_lines)
			changes[line] -= serve_extra(list->before, one);
	}
	put_lines(&sorting, order, n_lines);
}

/**
 * serve_put_files() - write files of the list
 * @json: output
 * @view: the table
 * @list: which files, in which order
 *
 * "found" is how many lines there are, "files" has some of them; a file is found by its first block address. A folder has the
 * number of its files at the end, and no device. If it is asked for what has changed, "changes" has how many extra requests each
 * line has more than then, and "gone" is how many files there were that are no more.
 */
void serve_put_files(struct json *json, const struct serve_view *view, const struct serve_list *list)
{
	struct sorting sorting = { .json = json, .view = view, .list = list, .figures = view->runs.figures };
	size_t n;
	AUTO_FREE uint32_t *order = find_files(view, list, &n), *gone = NULL;
	AUTO_FREE int64_t *changes = NULL;

	if (list->before)
		changes = serve_compare_files(view, list->before, &gone, &sorting.n_gone);
	sorting.changes = changes;
	sorting.gone = gone;
	JSON_OBJECT(json, NULL);
	json_number(json, "generation", view->generation);
	if (list->folder)
		put_folders(&sorting, order, n);
	else
		put_lines(&sorting, order, n);
	if (list->before)
		json_number(json, "gone", sorting.n_gone);
}
