// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: parts of the answers of serve_view.c, as JSON: time and totals, the legend, volumes, causes, files. */

#include "model/causes.h"
#include "output/page_data.h"
#include "output/phrases.h"

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

	for (size_t i = 0; i < table->n_extents; i++) {
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
	AUTO(breaks_free) struct breaks breaks = { 0 };

	if (colors->source->range_rule)
		return last_shades(runs, shades);
	for (size_t i = 0; i < table->n_extents; i++)
		shades[table->extents[i].file] = runs->shades[i];
	if (colors->source->file_rule)
		return shades;
	breaks_find(&breaks, table, runs->starts);
	for (size_t i = 0; i < table->n_files; i++)
		shades[i] = main_shade(runs, breaks.all + breaks.begins[i],
				       breaks.begins[i + 1] - breaks.begins[i], shades[i]);
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

/* How long before the time of the table the process of a fragment last wrote, in seconds; -1: that is not known. */
static int64_t age_s(const struct table *table, uint32_t cause)
{
	uint32_t writer = ft_cause_writer(cause);
	uint64_t now_s = (uint64_t)table->text.time_ms / 1000, last_s;

	last_s = writer < table->n_writers ? table->writers[writer].last_s : 0;
	if (!last_s)
		return -1;
	return now_s > last_s ? (int64_t)(now_s - last_s) : 0;
}

/* === JSON === */

/**
 * page_put_path() - write the path of a file
 * @json: output
 * @key: its key; NULL in an array
 * @path: its bytes
 * @deleted: the file has no name any more
 */
void page_put_path(struct json *json, const char *key, const char *path, bool deleted)
{
	AUTO_FREE char *whole = xasprintf("%s%s", path, deleted ? DELETED_MARK : "");

	json_visible(json, key, whole);
}

/**
 * page_put_cause() - write the members of a piece that say why its fragment begins there, and who wrote it when
 * @json: output
 * @table: the table
 * @cause: the cause of the fragment, see page_cause()
 */
void page_put_cause(struct json *json, const struct table *table, uint32_t cause)
{
	int64_t age = age_s(table, cause);
	AUTO_FREE char *kind = phrase_kind(cause), *writer = phrase_writer(table, ft_cause_writer(cause), 1);

	if (ft_cause_why(cause) != FT_WHY_NONE)
		json_text(json, "kind", kind);
	if (ft_cause_writer(cause))
		json_visible(json, "writer", writer);
	if (age >= 0)
		json_signed(json, "age", age);
}

/* One line for each rule that has blocks: its text and its colours; some may be equal. */
static void put_legend(struct json *json, const struct runs *runs, const struct colors *colors)
{
	static const enum tone tones[] = { TONE_CONTIGUOUS, TONE_FRAG_A, TONE_FRAG_B, TONE_REST };

	JSON_ARRAY(json, "legend");
	for (size_t i = 0; i < colors->n_rules; i++) {
		const struct rule *rule = &colors->rules[i];

		if (!runs->counts[i].blks[0] && !runs->counts[i].blks[1])
			continue;
		JSON_ARRAY(json, NULL);
		json_visible(json, NULL, rule->what);
		for (size_t k = 0; k < ARRAY_LEN(tones); k++)
			json_format(json, NULL, "#%06x", rule->rgb[tones[k] == TONE_REST && !colors->source->near_break ? TONE_FRAG_B : tones[k]]);
	}
}

/* Which part of the files and blocks is shown; null: all. */
static void put_lens(struct json *json, const struct runs *runs)
{
	const struct lens *lens = runs->lens;

	JSON_OBJECT(json, "lens");
	json_visible(json, "only", runs->selection ? lens->only : NULL);
	json_visible(json, "lba", lens ? lens->range : NULL);
	json_number(json, "files", runs->selection ? runs->selection->n_all_files : runs->table->n_files);
}

/**
 * page_put_head() - write the first members of the data: time, totals, legend
 * @json: output
 * @runs: what is shown
 * @colors: the rules
 * @interval_ns: from one reading to the next; 0: only one
 */
void page_put_head(struct json *json, const struct runs *runs, const struct colors *colors, int64_t interval_ns)
{
	const struct table *table = runs->table;
	AUTO_FREE char *meaning = colors_meaning(colors, table);
	size_t n_fragmented = 0;

	for (size_t i = 0; i < table->n_files; i++)
		n_fragmented += runs->figures[i].fragments > 1;
	json_line(json);
	json_signed(json, "time", table->text.time_ms);
	json_signed(json, "interval", interval_ns / 1000000);
	json_object(json, "total");
	json_number(json, "files", table->n_files);
	json_number(json, "extents", table->n_extents);
	json_number(json, "fragmented", n_fragmented);
	json_number(json, "stale", table->n_stale);
	json_number(json, "leftOut", table->n_left_out);
	json_real(json, "split", figures_split(&runs->sum), 4);
	json_end(json);
	json_text(json, "heading", colors->source->heading);
	json_text(json, "meaning", meaning);
	json_number(json, "blockBytes", table_blk_bytes(table));
	json_flag(json, "knowsFree", runs->states);
	put_lens(json, runs);
	put_legend(json, runs, colors);
}

/**
 * page_put_volume() - write the members of a volume
 * @json: output
 * @runs: what is shown
 * @part: index of the part of the volume
 */
void page_put_volume(struct json *json, const struct runs *runs, size_t part)
{
	const struct volume *v = runs_volume(runs, part);
	const struct part *p = &runs->parts[part];

	json_format(json, "dev", "%u:%u", v->major, v->minor);
	json_visible(json, "path", v->path);
	json_number(json, "lba", p->first_blk);
	json_number(json, "end", p->end_blk);
	json_number(json, "main", v->first_blk);
	json_number(json, "segment", v->segment_blks);
	json_flag(json, "stopped", v->stopped);
}

/**
 * page_put_file() - write a line of the list of files
 * @json: output
 * @runs: what is shown
 * @index: index into table.files
 * @first_blk: its first block address
 * @rgb: its colour
 */
void page_put_file(struct json *json, const struct runs *runs, size_t index, uint64_t first_blk, uint32_t rgb)
{
	const struct file *f = &runs->table->files[index];
	const struct volume *v = &runs->table->volumes[f->volume];

	json_line(json);
	JSON_ARRAY(json, NULL);
	page_put_path(json, NULL, f->path, f->deleted);
	json_format(json, NULL, "%u:%u", v->major, v->minor);
	json_number(json, NULL, f->ino);
	page_put_figures(json, &runs->figures[index]);
	json_number(json, NULL, first_blk);
	json_format(json, NULL, "#%06x", rgb);
}

/**
 * page_put_figures() - write figures in a line of the list of files
 * @json: output
 * @figures: of a file or a folder
 */
void page_put_figures(struct json *json, const struct figures *figures)
{
	json_number(json, NULL, figures->blks);
	json_number(json, NULL, figures->extents);
	json_number(json, NULL, figures->fragments);
	json_number(json, NULL, figures->requests);
	json_number(json, NULL, figures->ideal);
}
