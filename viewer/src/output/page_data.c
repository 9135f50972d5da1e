// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the parts of the page's data that a page in a file (html.c) and a served page
 * (serve_view.c) have in common, as JSON: time and totals, the legend, volumes, and a file with its figures.
 */
#include <stdlib.h>

#include "model/causes.h"
#include "names.h"
#include "output/page_data.h"
#include "util.h"

/* === Colours and causes === */

/* A shade of the rule that most breaks of a file have. */
static uint8_t main_shade(const struct runs *runs, const struct file_break *breaks, size_t n, uint8_t shade)
{
	size_t counts[MAX_RULES] = { 0 }, most = 0, i;

	for (i = 0; i < n; i++) {
		size_t *count = &counts[SHADE_RULE(runs->shades[breaks[i].extent])];

		if (++*count <= most)
			continue;
		most = *count;
		shade = runs->shades[breaks[i].extent];
	}
	return shade;
}

/* The last one of the rules that a file has. */
static uint8_t *last_shades(const struct runs *runs, uint8_t *shades)
{
	const struct table *table = runs->table;
	size_t i;

	for (i = 0; i < table->n_extents; i++) {
		const struct extent *e = &table->extents[i];
		uint64_t blk = e->offset, end;

		for (; blk < e->offset + (uint64_t)e->blks; blk = end) {
			uint8_t shade = runs_shade(runs, i, blk, &end);

			if (shade > shades[e->file])
				shades[e->file] = shade;
		}
	}
	return shades;
}

/**
 * page_shades() - the shade of each file in a list
 * @runs: the runs
 * @colors: the rules
 *
 * It is one of the file's shades; if they differ in more than tone, that of most breaks, or that of its most read blocks.
 *
 * Return: by index into table.files; to be freed.
 */
uint8_t *page_shades(const struct runs *runs, const struct colors *colors)
{
	const struct table *table = runs->table;
	uint8_t *shades = xcalloc(table->n_files, sizeof(*shades));
	struct breaks breaks;
	size_t i;

	if (colors->source->range_rule)
		return last_shades(runs, shades);
	for (i = 0; i < table->n_extents; i++)
		shades[table->extents[i].file] = runs->shades[i];
	if (colors->source->file_rule)
		return shades;
	breaks_find(&breaks, table, runs->starts);
	for (i = 0; i < table->n_files; i++)
		shades[i] = main_shade(runs, breaks.all + breaks.begins[i],
				       breaks.begins[i + 1] - breaks.begins[i], shades[i]);
	breaks_free(&breaks);
	return shades;
}

/**
 * page_cause() - the cause of the fragment that an extent belongs to
 * @runs: the runs of a table with causes
 * @extent: index of the extent
 *
 * Return: the cause; its reason is FT_WHY_NONE in the first fragment of a file, which follows no break.
 */
uint32_t page_cause(const struct runs *runs, size_t extent)
{
	while (runs->starts[extent] == START_NONE)
		extent--;
	if (runs->starts[extent] == START_FRAGMENT)
		return cause_of_break(runs->table, extent);
	return runs->table->causes[extent] & ~FT_CAUSE_WHY_MASK;
}

/**
 * page_age_s() - how long ago the process of a fragment last wrote
 * @table: the table
 * @cause: the cause of the fragment
 *
 * Return: seconds before the time of the table, or AGE_UNKNOWN.
 */
int64_t page_age_s(const struct table *table, uint32_t cause)
{
	uint32_t writer = ft_cause_writer(cause);
	uint64_t now_s = (uint64_t)table->text.time_ms / 1000, last_s;

	last_s = writer < table->n_writers ? table->writers[writer].last_s : 0;
	if (!last_s)
		return AGE_UNKNOWN;
	return now_s > last_s ? (int64_t)(now_s - last_s) : 0;
}

/* === JSON === */

/**
 * page_put_name() - write a name as a JSON string
 * @file: output
 * @name: its bytes
 */
void page_put_name(FILE *file, const char *name)
{
	char *text = name_visible(name);

	put_json_string(file, text);
	free(text);
}

/**
 * page_put_path() - write the path of a file as a JSON string
 * @file: output
 * @path: its bytes
 * @deleted: the file has no name any more
 */
void page_put_path(FILE *file, const char *path, bool deleted)
{
	char *whole = xasprintf("%s%s", path, deleted ? DELETED_MARK : "");

	page_put_name(file, whole);
	free(whole);
}

/* One line for each rule that has blocks: its text and its colours; some may be equal. */
static void put_legend(FILE *file, const struct runs *runs, const struct colors *colors)
{
	const char *before = "";
	size_t i;

	fputs("\"legend\":[", file);
	for (i = 0; i < colors->n_rules; i++) {
		const struct rule *rule = &colors->rules[i];

		if (!runs->counts[i].blks[0] && !runs->counts[i].blks[1])
			continue;
		fprintf(file, "%s[", before);
		page_put_name(file, rule->what);
		fprintf(file, ",\"#%06x\",\"#%06x\",\"#%06x\",\"#%06x\"]", rule->rgb[TONE_CONTIGUOUS], rule->rgb[TONE_FRAG_A],
			rule->rgb[TONE_FRAG_B], rule->rgb[colors->source->near_break ? TONE_REST : TONE_FRAG_B]);
		before = ",";
	}
	fputs("],\n", file);
}

/* Which part of the files and blocks is shown; null: all. */
static void put_lens(FILE *file, const struct runs *runs)
{
	const struct lens *lens = runs->lens;

	fputs("\"lens\":{\"only\":", file);
	if (runs->selection)
		page_put_name(file, lens->only);
	else
		fputs("null", file);
	fputs(",\"lba\":", file);
	if (lens && lens->range)
		page_put_name(file, lens->range);
	else
		fputs("null", file);
	fprintf(file, ",\"files\":%zu},\n", runs->selection ? runs->selection->n_all_files : runs->table->n_files);
}

/**
 * page_put_head() - write the first members of the data: time, totals, legend
 * @file: output
 * @runs: what is shown
 * @colors: the rules
 * @knows_free: free blocks are distinguished from others that are not watched
 * @interval_ns: from one reading to the next; 0: only one
 */
void page_put_head(FILE *file, const struct runs *runs, const struct colors *colors, bool knows_free,
		   int64_t interval_ns)
{
	const struct table *table = runs->table;
	size_t n_fragmented = 0, i;

	for (i = 0; i < table->n_files; i++)
		n_fragmented += runs->figures[i].fragments > 1;
	/* a page is recognised as new by these values */
	fprintf(file, "\"time\":%jd,\"written\":%jd,\"interval\":%jd,\n", (intmax_t)table->text.time_ms,
		(intmax_t)monotonic_ns(), (intmax_t)(interval_ns / 1000000));
	fprintf(file, "\"total\":{\"files\":%zu,\"extents\":%zu,\"fragmented\":%zu,\"stale\":%ju,\"leftOut\":%ju,\"split\":%.4f},\n",
		table->n_files, table->n_extents, n_fragmented, (uintmax_t)table->n_stale, (uintmax_t)table->n_left_out,
		figures_split(&runs->sum));
	fprintf(file, "\"heading\":\"%s\",\"meaning\":", colors->source->heading);
	put_json_string(file, colors->source->meaning);
	fprintf(file, ",\"knowsFree\":%s,\"timeOfFile\":%s,\n", knows_free ? "true" : "false",
		table->text.is_time_of_file && !table->text.has_time ? "true" : "false");
	put_lens(file, runs);
	put_legend(file, runs, colors);
}

/**
 * page_put_volume() - write the members of a volume that both pages have
 * @file: output
 * @runs: what is shown
 * @part: index of the part of the volume
 */
void page_put_volume(FILE *file, const struct runs *runs, size_t part)
{
	const struct volume *v = runs_volume(runs, part);
	const struct part *p = &runs->parts[part];

	fprintf(file, "\"dev\":\"%u:%u\",\"path\":", v->major, v->minor);
	page_put_path(file, v->path, false);
	fprintf(file, ",\"lba\":%ju,\"end\":%ju,\"main\":%ju,\"segment\":%ju,\"stopped\":%s", (uintmax_t)p->first_blk,
		(uintmax_t)p->end_blk, (uintmax_t)v->first_blk, (uintmax_t)v->segment_blks, v->stopped ? "true" : "false");
}

/**
 * page_put_file() - write a line of the list of files
 * @file: output
 * @runs: what is shown
 * @index: index into table.files
 * @where: what the page finds the cells of the file by
 * @rgb: its colour
 */
void page_put_file(FILE *file, const struct runs *runs, size_t index, int64_t where, uint32_t rgb)
{
	const struct file *f = &runs->table->files[index];
	const struct volume *v = &runs->table->volumes[f->volume];
	const struct figures *fig = &runs->figures[index];

	fputc('[', file);
	page_put_path(file, f->path, f->deleted);
	fprintf(file, ",\"%u:%u\",%ju,%ju,%ju,%ju,%ju,%ju,%jd,\"#%06x\"]", v->major, v->minor, (uintmax_t)f->ino,
		(uintmax_t)fig->blks, (uintmax_t)fig->extents, (uintmax_t)fig->fragments,
		(uintmax_t)fig->requests, (uintmax_t)fig->ideal, (intmax_t)where, rgb);
}
