// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: export a table, or the listings of a snapshot, as text, JSON or CSV.
 * The text of table, extents and files is that of debugfs. JSON and CSV have the same columns; those of causes where they are
 * known, also in a table.
 */

#include "input/snapshot.h"
#include "model/causes.h"
#include "model/flaws.h"
#include "outfile.h"
#include "output/export.h"
#include "output/sheet.h"
#include "output/space.h"
#include "output/sums.h"

/* === Columns === */

static const char *const volume_columns[] = { "dev", "main_blkaddr", "blocks", "segment_blocks", "block_bytes", "path", NULL };

static const char *const table_columns[] = {
	"dev", "lba", "length", "offset", "ino", "state", "op", "flush", "why_here", "process", "path", NULL
};

static const char *const plain_table_columns[] = { "dev", "lba", "length", "offset", "ino", "state", "path", NULL };

static const char *const extents_columns[] = {
	"dev", "ino", "offset", "offset_end", "lba", "lba_end", "length", "flags", "op", "flush", "why_here", "process", "path", NULL
};

static const char *const files_columns[] = {
	"dev", "ino", "map", "blocks", "extents", "fragments", "mean_fragment", "mean_distance", "requests_128k", "ideal_128k",
	"op", "flush", "why_here", "path", NULL
};

/* The path of a file without a name has a mark at its end, as in debugfs. */
static void put_path(struct sheet *sheet, const char *path, bool is_deleted)
{
	AUTO_FREE char *marked = is_deleted ? xasprintf("%s%s", path, DELETED_MARK) : NULL;

	sheet_name(sheet, marked ? marked : path);
}

static void put_kind(struct sheet *sheet, uint32_t cause, bool is_break)
{
	sheet_word(sheet, is_break ? cause_op_name(cause) : NULL);
	sheet_word(sheet, is_break ? cause_flush_name(cause) : NULL);
	sheet_word(sheet, is_break ? cause_why_name(cause) : NULL);
}

/* The columns of a cause; they are empty for an extent that is no break. */
static void put_cause(struct sheet *sheet, const struct table *table, uint32_t cause, bool is_break)
{
	AUTO_FREE char *process = is_break ? writer_name(table, ft_cause_writer(cause)) : NULL;

	put_kind(sheet, cause, is_break);
	sheet_name(sheet, process);
}

/* === Table === */

static void put_volumes(struct json *json, const struct table *table)
{
	struct sheet sheet;

	sheet_begin(&sheet, json, volume_columns, FORM_JSON);
	for (size_t i = 0; i < table->n_volumes; i++) {
		const struct volume *v = &table->volumes[i];

		sheet_dev(&sheet, v);
		sheet_number(&sheet, v->first_blk);
		sheet_number(&sheet, v->end_blk);
		sheet_number(&sheet, v->segment_blks);
		sheet_number(&sheet, v->blk_bytes);
		sheet_name(&sheet, v->path);
	}
}

/* The text of debugfs has no causes in a table. */
static bool has_causes(const struct table *table, enum sheet_form form)
{
	return table->causes && form != FORM_TEXT;
}

static void put_table(struct sheet *sheet, const struct table *table, const struct listing *list)
{
	AUTO_FREE uint8_t *starts = xcalloc(table->n_extents, sizeof(*starts));

	if (has_causes(table, sheet->form))
		free(figures_of(table, starts, NULL));
	for (size_t i = 0; i < table->n_extents; i++) {
		const struct extent *e = &table->extents[i];
		const struct file *f = &table->files[e->file];

		sheet_dev(sheet, &table->volumes[f->volume]);
		sheet_number(sheet, e->lba);
		sheet_number(sheet, e->blks);
		sheet_number(sheet, e->offset);
		sheet_number(sheet, f->ino);
		sheet_word(sheet, f->fragmented ? "fragmented" : "contiguous");
		if (has_causes(table, sheet->form))
			put_cause(sheet, table, cause_of_break(table, i), starts[i] == START_FRAGMENT);
		put_path(sheet, f->path, f->deleted);
	}
}

/* === Extents of a snapshot === */

static void put_listed_path(struct sheet *sheet, const struct table *table, const struct listed_file *f)
{
	put_path(sheet, f->path, f->file != NO_FILE && table->files[f->file].deleted);
}

static void put_extent(struct sheet *sheet, const struct table *table, const struct listed_extent *e,
		       const struct listed_file *f, bool is_break)
{
	sheet_dev(sheet, &table->volumes[f->volume]);
	sheet_number(sheet, f->ino);
	sheet_number(sheet, e->offset);
	sheet_number(sheet, e->offset + (uint64_t)e->blks - 1);
	sheet_maybe(sheet, e->lba, e->is_written);
	sheet_maybe(sheet, e->lba + (uint64_t)e->blks - 1, e->is_written);
	sheet_number(sheet, e->blks);
	sheet_words(sheet, !e->is_written ? "unwritten" : e->is_encoded ? "encoded" : NULL);
	put_cause(sheet, table, is_break ? cause_complete(table, e->cause) : 0, is_break);
	put_listed_path(sheet, table, f);
}

static void put_extents(struct sheet *sheet, const struct table *table, const struct listing *list)
{
	const struct listed_extent *written = NULL;

	for (size_t i = 0; i < list->n_extents; i++) {
		const struct listed_extent *e = &list->extents[i];

		if (list->files[e->file].is_omitted)
			continue;
		if (written && written->file != e->file)
			written = NULL;
		put_extent(sheet, table, e, &list->files[e->file],
			   written && e->is_written && e->lba != written->lba + (uint64_t)written->blks);
		if (e->is_written)
			written = e;
	}
}

/* === Files of a snapshot === */

static void put_file(struct sheet *sheet, const struct table *table, const struct listed_file *f,
		     const struct figures *fig, uint32_t cause)
{
	sheet_dev(sheet, &table->volumes[f->volume]);
	sheet_number(sheet, f->ino);
	sheet_word(sheet, f->is_stale ? "stale" : "exact");
	sheet_number(sheet, fig->blks);
	sheet_number(sheet, fig->extents);
	sheet_number(sheet, fig->fragments);
	sheet_mean(sheet, fig->blks, fig->fragments);
	sheet_mean(sheet, fig->distance, fig->fragments ? fig->fragments - 1 : 0);
	sheet_number(sheet, fig->requests);
	sheet_number(sheet, fig->ideal);
	put_kind(sheet, cause, fig->fragments > 1);
	put_listed_path(sheet, table, f);
}

/* The worst first; equal files are in the order of the snapshot. */
static void put_files(struct sheet *sheet, const struct table *table, const struct listing *list)
{
	AUTO_FREE uint8_t *starts = xcalloc(table->n_extents, sizeof(*starts));
	AUTO_FREE struct figures *of_table = figures_of(table, starts, NULL), *figures = xcalloc(list->n_files, sizeof(*figures));
	AUTO_FREE uint32_t *causes = breaks_main_causes(table, starts), *order = NULL;

	for (size_t i = 0; i < list->n_files; i++)
		if (list->files[i].file != NO_FILE)
			figures[i] = of_table[list->files[i].file];
	order = figures_worst(figures, list->n_files);
	for (size_t i = 0; i < list->n_files; i++) {
		const struct listed_file *f = &list->files[order[i]];

		if (!f->is_omitted)
			put_file(sheet, table, f, &figures[order[i]], f->file != NO_FILE ? causes[f->file] : 0);
	}
}

/* === Outputs === */

/* What is listed: @version of the format, @put writes all rows, @lacks is what a text has not of it; NULL: it has all. */
static const struct list {
	const char *name;
	uint64_t version;
	const char *const *columns;
	void (*put)(struct sheet *sheet, const struct table *table, const struct listing *list);
	const char *lacks;
} lists[] = {
	/* written extents by volume and address */
	{ "table", 1, table_columns, put_table, NULL },
	/* all extents by file and offset */
	{ "extents", 2, extents_columns, put_extents, "files without blocks, and no flags" },
	/* the worst first */
	{ "files", 2, files_columns, put_files, "files without blocks, and no flags" },
	/* breaks by kind of cause and extension, and by process */
	{ "causes", 1, sums_causes_columns, sums_put_causes, "causes" },
	{ "processes", 1, sums_processes_columns, sums_put_processes, "causes" },
};

static bool is_table(const struct list *list)
{
	return list->put == put_table;
}

static void put_records(struct json *json, const char *name, const struct table *table, const struct list *list,
			enum sheet_form form)
{
	AUTO(listing_free) struct listing all = { 0 };
	struct sheet sheet;

	if (!is_table(list))
		snapshot_list(&all, table, name);
	sheet_begin(&sheet, json, is_table(list) && !has_causes(table, form) ? plain_table_columns : list->columns, form);
	list->put(&sheet, table, &all);
}

static void put_text_head(FILE *file, const struct table *table, const struct list *list)
{
	fprintf(file, "# fragtrace %s %ju\n", list->name, (uintmax_t)list->version);
	fprintf(file, "# time %jd.%03d\n", (intmax_t)(table->text.time_ms / 1000), (int)(table->text.time_ms % 1000));
	if (table_blk_bytes(table) != DEFAULT_BLK_BYTES)
		fprintf(file, BLK_BYTES_MARK "%u\n", table_blk_bytes(table));
	for (size_t i = 0; is_table(list) && i < table->n_volumes; i++) {
		const struct volume *v = &table->volumes[i];

		fprintf(file, "# volume %u:%u main_blkaddr=%ju blocks=%ju segment_blocks=%ju path=", v->major, v->minor,
			(uintmax_t)v->first_blk, (uintmax_t)v->end_blk, (uintmax_t)v->segment_blks);
		sheet_put_escaped(file, v->path);
		putc('\n', file);
	}
	for (size_t i = 0; i < table->n_volumes; i++)
		if (table->volumes[i].stopped)
			fprintf(file, "# stopped %u:%u\n", table->volumes[i].major, table->volumes[i].minor);
	for (size_t i = 0; i < table->n_volumes; i++)
		if (table->volumes[i].left_out)
			fprintf(file, "# left_out %u:%u %ju\n", table->volumes[i].major, table->volumes[i].minor,
				(uintmax_t)table->volumes[i].left_out);
	if (table->n_stale && list->put != put_files)
		fprintf(file, "# stale %ju\n", (uintmax_t)table->n_stale);
}

/* The devices of the volumes where F2FS has stopped. */
static void put_stopped(struct json *json, const struct table *table)
{
	JSON_ARRAY(json, "stopped");
	for (size_t i = 0; i < table->n_volumes; i++)
		if (table->volumes[i].stopped)
			json_format(json, NULL, "%u:%u", table->volumes[i].major, table->volumes[i].minor);
}

static void put_json_head(struct json *json, const struct table *table, const struct list *list, const struct space *spaces)
{
	json_begin(json, json->file, list->name, list->version);
	json_real(json, "time", (double)table->text.time_ms / 1000, 3);
	json_number(json, "stale", table->n_stale);
	json_number(json, "left_out", table->n_left_out);
	put_stopped(json, table);
	if (is_table(list)) {
		json_line(json);
		JSON_ARRAY(json, "volumes");
		put_volumes(json, table);
		json_line(json);
	}
	if (spaces) {
		json_line(json);
		JSON_ARRAY(json, "space");
		space_put_json(json, table, spaces);
		json_line(json);
	}
	json_line(json);
	json_array(json, "records");
}

static void warn_of_flaws(const struct table *table, const char *name)
{
	AUTO_FREE char *flaws = flaws_of(table);

	if (*flaws)
		warn("%s: %s", name, flaws);
}

/**
 * export_write() - write a table or a listing
 * @path: output file; "-" is standard output
 * @name: name of the table for messages
 * @table: the table
 * @kind: what is listed: table, extents, files, causes or processes
 * @form: the form; JSON is one object, with an object on its own line for each record
 * @spaces: for a table as JSON: by volume; or NULL
 *
 * Ends the program if it cannot be written, or if the table does not have what is to be listed.
 */
void export_write(const char *path, const char *name, const struct table *table, const char *kind,
		  enum sheet_form form, const struct space *spaces)
{
	static const char *const what[] = { "text", "JSON text", "CSV text" };
	const struct list *list = lists;
	struct json json = { 0 };
	struct outfile out;

	while (strcmp(kind, list->name))
		list++;
	if (list->lacks && !snapshot_is(&table->text))
		die("%s: is no snapshot, and a text has no %s; fragtrace %s needs a snapshot%s", name,
		    list->lacks, kind, list->put == put_files ? "; fragtrace top lists the files of a text" : "");
	/* a line of CSV has no place for them */
	if (form == FORM_CSV)
		warn_of_flaws(table, name);
	outfile_open(&out, path, what[form]);
	json.file = out.file;
	if (form == FORM_TEXT)
		put_text_head(out.file, table, list);
	if (form == FORM_JSON)
		put_json_head(&json, table, list, spaces);
	put_records(&json, name, table, list, form);
	json_line(&json);
	json_end_all(&json);
	outfile_close(&out);
}
