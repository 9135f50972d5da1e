// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a table in columns of numbers, which numpy reads at once.
 *
 * A line of JSON; then the arrays that it lists, of records of 32-bit numbers in the byte order of the machine; then
 * names, each with a NUL at its end: the paths of the volumes, the kinds of files, the paths of the files.
 */

#include "input/recording.h"
#include "outfile.h"
#include "output/columns.h"
#include "output/json.h"

#define COLUMNS_VERSION 1
/* The name of the kind of all other files. */
#define OTHER "other"

/* The kinds of files: the rules of color.cnf, or extensions; the last one is OTHER. */
struct kinds {
	const char *names[MAX_KNOWN_EXTENSIONS + 1];
	const uint32_t *tones[MAX_KNOWN_EXTENSIONS + 1];
	size_t n;
	uint32_t *of_file;
};

static void add_kind(struct kinds *kinds, const char *name, const uint32_t *tones)
{
	kinds->names[kinds->n] = name;
	kinds->tones[kinds->n++] = tones;
}

/* Return: the kind of an extension; MAX_KNOWN_EXTENSIONS if there are too many. */
static uint32_t kind_of(struct kinds *kinds, const char *ext)
{
	size_t i = index_of(ext, kinds->names, kinds->n);

	if (i == kinds->n && i < MAX_KNOWN_EXTENSIONS)
		add_kind(kinds, ext, colors_of_extension(ext));
	return (uint32_t)i;
}

static void find_kinds(struct kinds *kinds, const struct table *table, const struct colors *colors)
{
	const struct rule *last = &colors->rules[colors->n_rules - 1];

	*kinds = (struct kinds){ .of_file = xcalloc(table->n_files, sizeof(*kinds->of_file)) };
	for (size_t i = 0; colors->n_read && i + 1 < colors->n_rules; i++)
		add_kind(kinds, colors->rules[i].what, colors->rules[i].rgb);
	for (size_t i = 0; i < table->n_files; i++) {
		const struct file *file = &table->files[i];

		if (colors->n_read)
			kinds->of_file[i] = (uint32_t)colors->source->file_rule(colors, file, NULL);
		else
			kinds->of_file[i] = colors_of_extension(file->ext) ? kind_of(kinds, file->ext) : MAX_KNOWN_EXTENSIONS;
	}
	for (size_t i = 0; i < table->n_files; i++)
		if (kinds->of_file[i] > kinds->n)
			kinds->of_file[i] = (uint32_t)kinds->n;
	add_kind(kinds, OTHER, last->rgb);
}

/* === The line of JSON === */

static void put_volumes(struct json *json, const struct table *table)
{
	JSON_ARRAY(json, "volumes");
	for (size_t i = 0; i < table->n_volumes; i++) {
		const struct volume *v = &table->volumes[i];

		JSON_OBJECT(json, NULL);
		json_format(json, "dev", "%u:%u", v->major, v->minor);
		json_number(json, "main_blkaddr", v->first_blk);
		json_number(json, "end", v->end_blk);
		json_number(json, "segment_blocks", v->segment_blks);
		json_number(json, "block_bytes", v->blk_bytes);
		json_flag(json, "stopped", v->stopped);
		json_number(json, "left_out", v->left_out);
	}
}

static void put_kinds(struct json *json, const struct kinds *kinds)
{
	JSON_ARRAY(json, "kinds");
	for (size_t i = 0; i < kinds->n; i++) {
		JSON_ARRAY(json, NULL);
		for (size_t k = 0; k < N_GIVEN_TONES; k++)
			json_number(json, NULL, kinds->tones[i][k]);
	}
}

static void put_array(struct json *json, const char *name, size_t n, const char *const *fields)
{
	JSON_OBJECT(json, NULL);
	json_text(json, "name", name);
	json_number(json, "n", n);
	JSON_ARRAY(json, "fields");
	for (; *fields; fields++)
		json_text(json, NULL, *fields);
}

/* The beginning of a recording, which times after it count from. */
static void put_begin(struct json *json, const struct source *source)
{
	AUTO(recording_close) struct recording recording = { 0 };

	if (!recording_is(source->path))
		return;
	recording_open(&recording, source->path);
	json_number(json, "begin_ms", (uint64_t)recording.list[0].time_ms);
}

static void put_head(FILE *file, const struct source *source, const struct table *table, const struct kinds *kinds,
		     const struct heat *heat, size_t n_windows, size_t name_bytes)
{
	static const char *const of_files[] = { "volume", "ino", "kind", "is_fragmented", NULL };
	/* the members of struct extent */
	static const char *const of_extents[] = { "lba", "offset", "blocks", "file", NULL };
	static const char *const of_windows[] = { "file", "number", "reads", "overwrites", NULL };
	struct json json;

	json_begin(&json, file, "columns", COLUMNS_VERSION);
	json_number(&json, "time_ms", (uint64_t)table->text.time_ms);
	json_flag(&json, "has_time", table->text.has_time);
	put_begin(&json, source);
	json_number(&json, "stale", table->n_stale);
	put_volumes(&json, table);
	put_kinds(&json, kinds);
	if (heat) {
		json_number(&json, "window_blocks", heat->window_blks);
		json_number(&json, "period_s", heat->period_s);
	}
	json_array(&json, "arrays");
	put_array(&json, "files", table->n_files, of_files);
	put_array(&json, "extents", table->n_extents, of_extents);
	put_array(&json, "windows", n_windows, of_windows);
	json_end(&json);
	json_number(&json, "name_bytes", name_bytes);
	json_end(&json);
}

/* === Arrays and names === */

static void put_files(FILE *file, const struct table *table, const struct kinds *kinds)
{
	for (size_t i = 0; i < table->n_files; i++) {
		const struct file *f = &table->files[i];
		uint32_t record[] = { f->volume, (uint32_t)f->ino, kinds->of_file[i], f->fragmented };

		fwrite(record, sizeof(record), 1, file);
	}
}

/* The windows of the files of the table, by file and number. Return: how many; without @file they are only counted. */
static size_t put_windows(FILE *file, const struct table *table, const struct heat *heat)
{
	const struct heat_window *w;
	size_t n = 0;

	for (uint32_t i = 0; heat && i < table->n_files; i++)
		for (w = heat_find(heat, table, i, 0); w; w = heat_next(heat, w), n++) {
			uint32_t record[] = { i, (uint32_t)w->number, (uint32_t)w->reads, (uint32_t)w->overwrites };

			if (file)
				fwrite(record, sizeof(record), 1, file);
		}
	return n;
}

/* Return: the bytes of a name; without @file they are only counted. */
static size_t put_name(FILE *file, const char *name, const char *mark)
{
	if (file)
		fprintf(file, "%s%s%c", name, mark, '\0');
	return strlen(name) + strlen(mark) + 1;
}

/* Return: the bytes of all names, as put_name(). */
static size_t put_names(FILE *file, const struct table *table, const struct kinds *kinds)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n_volumes; i++)
		n += put_name(file, table->volumes[i].path, "");
	for (size_t i = 0; i < kinds->n; i++)
		n += put_name(file, kinds->names[i], "");
	for (size_t i = 0; i < table->n_files; i++)
		n += put_name(file, table->files[i].path, table->files[i].deleted ? DELETED_MARK : "");
	return n;
}

/**
 * columns_write() - write a table in columns
 * @path: output file; "-" is standard output
 * @source: where the table is from
 * @table: the table
 * @colors: the rules, of color_kind
 * @heat: what is read; or NULL
 *
 * Ends the program if it cannot be written.
 */
void columns_write(const char *path, const struct source *source, const struct table *table, const struct colors *colors,
		   const struct heat *heat)
{
	struct outfile out;
	struct kinds kinds;

	find_kinds(&kinds, table, colors);
	outfile_open(&out, path, "table in columns");
	put_head(out.file, source, table, &kinds, heat, put_windows(NULL, table, heat), put_names(NULL, table, &kinds));
	put_files(out.file, table, &kinds);
	fwrite(table->extents, sizeof(*table->extents), table->n_extents, out.file);
	put_windows(out.file, table, heat);
	put_names(out.file, table, &kinds);
	outfile_close(&out);
	free(kinds.of_file);
}
