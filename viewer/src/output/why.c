// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: explain why files are fragmented, in sentences or as JSON.
 * The breaks of a volume are listed by extension, those with the most breaks first, and for each
 * extension by kind of cause. The breaks of one file are also listed one by one. Breaks beyond the
 * limits are counted in a last line, so that all numbers add up. JSON has no limits.
 */
#include <locale.h>

#include "clock.h"
#include "model/advice.h"
#include "model/color.h"
#include "model/flaws.h"
#include "model/groups.h"
#include "model/lens.h"
#include "model/one_file.h"
#include "model/space.h"
#include "names.h"
#include "output/json.h"
#include "output/phrases.h"
#include "output/why.h"

/* The limits of what is listed one by one. */
#define MAX_EXTENSIONS 12
#define MAX_KINDS 5
#define MAX_PROCESSES 3
#define MAX_PAIRS 3
#define MAX_FILES 10
#define MAX_BREAKS 20

/* === Words === */

static void put_ext(FILE *out, const char *ext)
{
	if (*ext)
		name_put(out, ext);
	else
		fputs("without an extension", out);
}

static void put_writer(FILE *out, const struct table *table, uint32_t writer, size_t n)
{
	AUTO_FREE char *text = phrase_writer(table, writer, n);

	name_put(out, text);
}

static void put_kind(FILE *out, uint32_t cause)
{
	AUTO_FREE char *text = phrase_kind(cause);

	fputs(text, out);
}

/* Date and time, or only the time if the day is that of @today_s. */
static void put_time(FILE *out, uint64_t time_s, uint64_t today_s)
{
	struct tm tm, today;
	char text[64];

	if (!clock_parts((int64_t)time_s, &tm) || !clock_parts((int64_t)today_s, &today))
		return;
	strftime(text, sizeof(text), tm.tm_yday == today.tm_yday && tm.tm_year == today.tm_year ?
		 "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &tm);
	fputs(text, out);
}

static void put_reading_time(FILE *out, const struct table *table)
{
	fprintf(out, "%s\n", TIME_OF(&table->text));
}

/* F2FS itself does collection and defragmentation: name the process only if it is known. */
static bool has_known_writer(uint32_t cause)
{
	enum ft_op op = ft_cause_op(cause);

	return ft_cause_writer(cause) != FT_SNAP_WRITER_UNKNOWN ||
	       (op != FT_OP_GC_BG && op != FT_OP_GC_FG && op != FT_OP_DEFRAG && op != FT_OP_UNKNOWN);
}

/* === Breaks of one kind === */

/* The breaks of @n processes of one name, or of one that is not known. */
struct namesakes {
	const char *name;
	uint32_t writer;	/* one of them */
	uint64_t breaks;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct namesakes *x = a, *y = b;

	return FIRST(strcmp(x->name, y->name), ORDER(x->writer, y->writer));
}

static int by_breaks(const void *a, const void *b)
{
	const struct namesakes *x = a, *y = b;

	return FIRST(ORDER(y->breaks, x->breaks), ORDER(x->writer, y->writer));
}

/* Those who made breaks, by name, those with the most first. To be freed. */
static struct namesakes *namesakes_of(const struct table *table, const struct file_break *breaks, size_t n, size_t *n_names)
{
	size_t n_sums;
	AUTO_FREE struct cause_sum *sums = breaks_sum(breaks, n, CAUSE_WRITER, &n_sums);
	struct namesakes *names = xcalloc(n_sums, sizeof(*names));

	for (size_t i = 0; i < n_sums; i++) {
		uint32_t writer = ft_cause_writer(sums[i].cause);

		names[i] = (struct namesakes){ phrase_name(table, writer), writer, sums[i].breaks, 1 };
	}
	qsort(names, n_sums, sizeof(*names), by_name);
	*n_names = 0;
	for (size_t i = 0; i < n_sums; i++) {
		struct namesakes *last = *n_names ? &names[*n_names - 1] : NULL;

		if (last && !strcmp(last->name, names[i].name)) {
			last->breaks += names[i].breaks;
			last->n++;
		} else {
			names[(*n_names)++] = names[i];
		}
	}
	qsort(names, *n_names, sizeof(*names), by_breaks);
	return names;
}

/* "; by a (pid 1)", "; by 20: a (5 processes), 3: b (pid 2), 4: 2 other processes" */
static void put_writers(FILE *out, const struct table *table, const struct file_break *breaks, size_t n)
{
	uint64_t n_left = n, others = 0;
	size_t n_names, i;
	AUTO_FREE struct namesakes *names = namesakes_of(table, breaks, n, &n_names);

	if (n_names == 1 && !has_known_writer(breaks->cause))
		n_names = 0;
	for (i = 0; i < n_names && i < MAX_PROCESSES; i++) {
		fputs(i ? ", " : "; by ", out);
		if (n_names > 1)
			fprintf(out, "%s: ", GROUPED(names[i].breaks));
		put_writer(out, table, names[i].writer, names[i].n);
		n_left -= names[i].breaks;
	}
	for (; i < n_names; i++)
		others += names[i].n;
	if (others)
		fprintf(out, ", %s: %s other process%s", GROUPED(n_left), GROUPED(others), others == 1 ? "" : "es");
}

/* The breaks of a list that have this kind. To be freed. */
static struct file_break *of_kind(const struct file_break *breaks, size_t n, uint32_t kind, size_t *n_found)
{
	struct file_break *found = xcalloc(n, sizeof(*found));

	*n_found = 0;
	for (size_t i = 0; i < n; i++)
		if ((breaks[i].cause & CAUSE_KIND) == kind)
			found[(*n_found)++] = breaks[i];
	return found;
}

static void put_kind_sum(FILE *out, const struct table *table, const struct file_break *breaks, size_t n,
			 const struct cause_sum *sum)
{
	size_t n_found;
	AUTO_FREE struct file_break *found = of_kind(breaks, n, sum->cause, &n_found);

	fprintf(out, "  %s (%s): ", GROUPED(sum->breaks), SHARE(sum->breaks, n));
	put_kind(out, sum->cause);
	put_writers(out, table, found, n_found);
	fputs(".\n", out);
}

/* Print a line for each kind of a list of breaks. */
static void put_kinds(FILE *out, const struct table *table, const struct file_break *breaks, size_t n)
{
	size_t n_sums, i;
	AUTO_FREE struct cause_sum *sums = breaks_sum(breaks, n, CAUSE_KIND, &n_sums);
	uint64_t n_listed = 0;

	for (i = 0; i < n_sums && i < MAX_KINDS; i++) {
		put_kind_sum(out, table, breaks, n, &sums[i]);
		n_listed += sums[i].breaks;
	}
	if (i < n_sums)
		fprintf(out, "  %s (%s): %s.\n", GROUPED(n - n_listed), SHARE(n - n_listed, n),
			COUNT(n_sums - i, "other cause"));
}

/* Print what helps against a tenth of so many breaks, or more. */
static void put_advice(FILE *out, const uint64_t counts[NR_ADVICES], uint64_t n)
{
	enum advice i;

	for (i = ADVICE_NONE + 1; i < NR_ADVICES; i++)
		if (counts[i] && counts[i] * 10 >= n)
			fprintf(out, "What helps against %s: %s.\n", COUNT(counts[i], "break"), advice_text(i));
}

static void put_flaws(FILE *out, const struct table *table)
{
	AUTO_FREE char *flaws = flaws_of(table);

	if (*flaws)
		fprintf(out, "Note: %s.\n", flaws);
}

static void put_causes_flaw(FILE *out, const char *flaw)
{
	if (flaw)
		fprintf(out, "Why is unknown: %s.\n", flaw);
}

/* === Extensions === */

static bool is_pair_of(const struct pair *pair, const struct table *table, const struct group *group)
{
	const struct volume *v = &table->volumes[group->volume];

	return pair->major == v->major && pair->minor == v->minor &&
	       !strcmp(pair->victim_ext, *group->ext ? group->ext : "-");
}

/* List the writers that took the next block of the log from these files. */
static void put_pairs(FILE *out, const struct table *table, const struct group *group, const struct pairs *pairs)
{
	size_t n_listed = 0;

	for (size_t i = 0; i < pairs->n && n_listed < MAX_PAIRS; i++) {
		const struct pair *pair = &pairs->all[i];

		if (!is_pair_of(pair, table, group))
			continue;
		fprintf(out, "%s%s: files ",
			n_listed++ ? ", " : "  What the log went on to, most often, since the module began to count: ",
			GROUPED(pair->times));
		put_ext(out, strcmp(pair->culprit_ext, "-") ? pair->culprit_ext : "");
		fputs(" of ", out);
		name_put(out, pair->culprit);
	}
	if (n_listed)
		fputs(".\n", out);
}

/* ": 1 of 2 files is fragmented, 3 breaks" */
static void put_fragmented(FILE *out, const struct group *group)
{
	fprintf(out, ": %s of %s %s fragmented, %s", GROUPED(group->fragmented), COUNT(group->files, "file"),
		group->fragmented == 1 || group->files == 1 ? "is" : "are", COUNT(group->n_breaks, "break"));
}

static void put_group(FILE *out, const struct table *table, const struct group *group, const struct pairs *pairs,
		      const char *flaw)
{
	fputs(*group->ext ? "" : "files ", out);
	put_ext(out, group->ext);
	put_fragmented(out, group);
	fputs(flaw ? ".\n" : ":\n", out);
	if (flaw)
		return;
	put_kinds(out, table, group->breaks, group->n_breaks);
	put_pairs(out, table, group, pairs);
}

/* @only: which part of the volume, or NULL. @flaw: see causes_flaw(); it is said once, at the end. */
static void put_volume(FILE *out, const struct table *table, const struct group *groups, size_t n, const char *only,
		       const struct pairs *pairs, const char *flaw)
{
	struct group all = { .volume = groups->volume };
	uint64_t counts[NR_ADVICES] = { 0 };
	uint64_t rest = 0, n_rest = 0;

	for (size_t i = 0; i < n; i++) {
		all.files += groups[i].files;
		all.fragmented += groups[i].fragmented;
		all.n_breaks += groups[i].n_breaks;
		advice_count(counts, table, groups[i].breaks, groups[i].n_breaks);
		n_rest += i >= MAX_EXTENSIONS && groups[i].n_breaks;
		rest += i >= MAX_EXTENSIONS ? groups[i].n_breaks : 0;
	}
	name_put(out, table->volumes[groups->volume].path);
	fputs(only ? ", only " : "", out);
	name_put(out, only ? only : "");
	/* those of a single extension are said with it */
	if (only && n == 1 && all.n_breaks) {
		fputs(":\n", out);
	} else {
		put_fragmented(out, &all);
		fputs(".\n", out);
	}
	for (size_t i = 0; i < n && i < MAX_EXTENSIONS && groups[i].n_breaks; i++)
		put_group(out, table, &groups[i], pairs, flaw);
	if (rest)
		fprintf(out, "%s: %s.\n", COUNT(n_rest, "other extension"), COUNT(rest, "break"));
	if (!flaw)
		put_advice(out, counts, all.n_breaks);
}

/* === JSON === */

/* @note: another one than what is wrong with the table; NULL: that. @flaw: see causes_flaw(). */
static void json_head(struct json *json, FILE *out, const struct table *table, const char *note, const char *flaw, const char *array)
{
	AUTO_FREE char *flaws = flaws_of(table);

	json_begin(json, out, "why", 1);
	json_real(json, "time", (double)table->text.time_ms / 1000, 3);
	json_visible(json, "note", note ? note : *flaws ? flaws : NULL);
	json_text(json, "unknown", flaw);
	json_array(json, array);
}

/* Each kind of cause, with what helps, which may differ between files: the advice is where the writer was. */
static void json_causes(struct json *json, const struct table *table, const struct file_break *breaks, size_t n, const char *flaw)
{
	AUTO_FREE struct file_break *advised = xcalloc(n, sizeof(*advised));
	size_t n_sums;

	for (size_t i = 0; i < n; i++)
		advised[i].cause = (breaks[i].cause & CAUSE_KIND) | (uint32_t)advice_of(table, &breaks[i]) << FT_CAUSE_WRITER_SHIFT;
	AUTO_FREE struct cause_sum *sums = breaks_sum(advised, n, CAUSE_KIND | CAUSE_WRITER, &n_sums);
	json_number(json, "breaks", n);
	json_array(json, "causes");
	for (size_t i = 0; !flaw && i < n_sums; i++) {
		enum advice advice = (enum advice)ft_cause_writer(sums[i].cause);

		JSON_OBJECT(json, NULL);
		json_text(json, "op", cause_op_name(sums[i].cause));
		json_text(json, "flush", cause_flush_name(sums[i].cause));
		json_text(json, "why_here", cause_why_name(sums[i].cause));
		json_number(json, "breaks", sums[i].breaks);
		json_text(json, "advice", advice_key(advice));
		json_text(json, "what_helps", advice_text(advice));
	}
	json_end(json);
	json_end(json);
}

static void json_place(struct json *json, const struct volume *v)
{
	json_line(json);
	json_object(json, NULL);
	json_format(json, "dev", "%u:%u", v->major, v->minor);
}

static void json_volume(struct json *json, const struct table *table, const struct group *groups, size_t n, const char *flaw)
{
	const struct volume *v = &table->volumes[groups->volume];
	const struct file_break *breaks = groups->breaks;
	uint64_t files = 0, fragmented = 0;
	size_t n_breaks = 0;

	/* the breaks of a volume follow each other, in another order of its groups */
	for (size_t i = 0; i < n; i++) {
		breaks = groups[i].breaks < breaks ? groups[i].breaks : breaks;
		files += groups[i].files;
		fragmented += groups[i].fragmented;
		n_breaks += groups[i].n_breaks;
	}
	json_place(json, v);
	json_name(json, "path", v->path);
	json_number(json, "files", files);
	json_number(json, "fragmented", fragmented);
	json_causes(json, table, breaks, n_breaks, flaw);
}

static void json_file(struct json *json, const struct table *table, const struct breaks *breaks, size_t i, const char *flaw)
{
	const struct file *file = &table->files[i];
	size_t n = breaks->begins[i + 1] - breaks->begins[i];

	json_place(json, &table->volumes[file->volume]);
	json_number(json, "ino", file->ino);
	json_name(json, "path", file->path);
	json_number(json, "blocks", file->blks);
	json_number(json, "fragments", n + 1);
	json_causes(json, table, breaks->all + breaks->begins[i], n, flaw);
}

/* === Begin and end === */

static void find_breaks(struct breaks *breaks, const struct table *table)
{
	AUTO_FREE uint8_t *starts = xcalloc(table->n_extents, sizeof(*starts));

	setlocale(LC_CTYPE, "");
	free(figures_of(table, starts, NULL));
	breaks_find(breaks, table, starts);
}

/**
 * why_all() - explain why the files of a table are fragmented
 * @out: standard output
 * @table: the table
 * @only: NULL, or which part of the files it has
 * @pairs: the content of `by_pair`; may be empty
 * @form: sentences (%FORM_TEXT) or %FORM_JSON
 *
 * Ends the program if standard output cannot be written.
 */
void why_all(FILE *out, const struct table *table, const char *only, const struct pairs *pairs, enum sheet_form form)
{
	const char *flaw = causes_flaw(table);
	AUTO(groups_free) struct groups groups;
	AUTO(breaks_free) struct breaks breaks;
	struct json json;
	size_t n;

	find_breaks(&breaks, table);
	if (!breaks.n)
		flaw = NULL;
	groups_find(&groups, table, &breaks);
	if (form == FORM_JSON) {
		json_head(&json, out, table, NULL, flaw, "volumes");
		for (size_t i = 0; i < groups.n; i += n) {
			n = groups_of_volume(&groups, i);
			json_volume(&json, table, &groups.all[i], n, flaw);
		}
		json_end_all(&json);
		flush_stdout();
		return;
	}
	put_reading_time(out, table);
	if (!groups.n)
		fputs(table->n_volumes ? "No watched file has blocks.\n" : "No directory is watched.\n", out);
	for (size_t i = 0; i < groups.n; i += n) {
		n = groups_of_volume(&groups, i);
		put_volume(out, table, &groups.all[i], n, only, pairs, flaw);
	}
	put_flaws(out, table);
	put_causes_flaw(out, flaw);
	flush_stdout();
}

/* === One file === */

/* "  at block 1024 (4 MiB): tail, sync, interleaved; by x (pid 3), between 10:11:12 and 10:12:00" */
static void put_break(FILE *out, const struct table *table, const struct file_break *b)
{
	uint64_t offset = table->extents[b->extent].offset, now_s = (uint64_t)table->text.time_ms / 1000;
	/* the entry itself, not the first one of the process: its times are the most exact */
	uint32_t writer = ft_cause_writer(table->causes[b->extent]);

	fprintf(out, "  at block %s (%s): %s, %s, %s", GROUPED(offset), BYTES(offset * table_blk_bytes(table)), cause_op_name(b->cause),
		cause_flush_name(b->cause), cause_why_name(b->cause));
	if (has_known_writer(b->cause)) {
		fputs("; by ", out);
		put_writer(out, table, writer, 1);
	}
	if (writer > FT_SNAP_WRITER_SEVERAL) {
		const struct writer *w = &table->writers[writer];

		if (w->cgroup && strcmp(w->cgroup, "/")) {
			fputs(" of ", out);
			name_put(out, w->cgroup);
		}
		if (w->first_s != w->last_s) {
			fputs(", between ", out);
			put_time(out, w->first_s, now_s);
		}
		fputs(w->first_s != w->last_s ? " and " : ", at ", out);
		put_time(out, w->last_s, now_s);
	}
	putc('\n', out);
}

static void put_file(FILE *out, const struct table *table, const struct breaks *breaks, size_t i, const char *flaw)
{
	const struct file_break *all = breaks->all + breaks->begins[i];
	size_t n = breaks->begins[i + 1] - breaks->begins[i], k;
	const struct file *file = &table->files[i];
	uint64_t counts[NR_ADVICES] = { 0 };

	name_put(out, file->path);
	fprintf(out, "%s: %s in %s%s", file->deleted ? DELETED_MARK : "", COUNT(file->blks, "block"),
		COUNT(n + 1, "fragment"), n ? ", " : ", not fragmented.\n");
	if (!n)
		return;
	fprintf(out, "%s%s", COUNT(n, "break"), flaw ? ".\n" : ":\n");
	if (flaw)
		return;
	put_kinds(out, table, all, n);
	for (k = 0; k < n && k < MAX_BREAKS; k++)
		put_break(out, table, &all[k]);
	if (k < n)
		fprintf(out, "  and %s after these\n", COUNT(n - k, "break"));
	advice_count(counts, table, all, n);
	put_advice(out, counts, n);
}

/* The files below a folder, or of an extension, are explained together. Return: false if there is none. */
static bool put_folder(FILE *out, const struct table *table, const char *path, enum sheet_form form)
{
	AUTO_FREE char *real = realpath(path, NULL), *folder = NULL;
	struct pairs none = { 0 };
	AUTO(selection_free) struct selection selection;
	bool is_any;
	size_t len;

	if (real)
		path = real;
	for (len = strlen(path); len && path[len - 1] == '/'; len--)
		;
	folder = *path == '.' && path[1] && !strchr(path, '/') ? xasprintf("*%s", path) :
		 xasprintf("%s%.*s/", *path == '/' ? "" : "/", (int)len, path);
	selection_make(&selection, table, folder);
	is_any = selection.table.n_files;
	if (is_any)
		why_all(out, &selection.table, path, &none, form);
	return is_any;
}

/* The files that a path means; all but those that match a glob are one. To be freed. */
static uint32_t *find_files(const struct table *table, const char *path, size_t *n)
{
	uint32_t *found = xcalloc(table->n_files + 1, sizeof(*found));

	*n = 0;
	for (uint32_t i = 0; i < table->n_files; i++)
		if (!strcmp(table->files[i].path, path) || path_matches(table->files[i].path, path))
			found[(*n)++] = i;
	if (!*n)
		*n = one_file_by_inode(table, path, found);
	return found;
}

static void json_files(FILE *out, const struct table *table, const struct breaks *breaks, const uint32_t *files, size_t n,
		       const char *note, const char *flaw)
{
	struct json json;

	json_head(&json, out, table, note, flaw, "files");
	for (size_t i = 0; i < n; i++)
		json_file(&json, table, breaks, files[i], flaw);
	json_end_all(&json);
}

static void put_files(FILE *out, const struct table *table, const struct breaks *breaks, const uint32_t *files, size_t n,
		      const char *sentence, const char *flaw)
{
	if (n)
		put_reading_time(out, table);
	for (size_t i = 0; i < n && i < MAX_FILES; i++)
		put_file(out, table, breaks, files[i], flaw);
	if (sentence) {
		name_put(out, sentence);
		fputs(".\n", out);
	}
	if (n > MAX_FILES)
		fprintf(out, "%s of that name.\n", COUNT(n - MAX_FILES, "more file"));
	put_flaws(out, table);
	put_causes_flaw(out, flaw);
}

/**
 * why_file() - explain why one file is fragmented
 * @out: standard output
 * @table: the table
 * @name: name of the table for messages
 * @path: its path, the end of it in whole components, or a glob; several files may match; or a folder, or an
 *	extension with its dot
 * @form: sentences (%FORM_TEXT) or %FORM_JSON
 *
 * Ends the program if there is no such file, or if standard output cannot be written.
 */
void why_file(FILE *out, const struct table *table, const char *name, const char *path, enum sheet_form form)
{
	size_t n;
	AUTO_FREE uint32_t *files = find_files(table, path, &n);
	AUTO_FREE char *sentence = NULL;
	AUTO(breaks_free) struct breaks breaks = { 0 };

	if (!n && put_folder(out, table, path, form))
		return;
	if (!n)
		sentence = one_file_without_blocks(table, name, path);
	if (!n && !sentence)
		die("%s: no watched file with blocks is called %s", name, path);
	find_breaks(&breaks, table);
	(form == FORM_JSON ? json_files : put_files)(out, table, &breaks, files, n, sentence, breaks.n ? causes_flaw(table) : NULL);
	flush_stdout();
}

/**
 * why_one() - explain why one file is fragmented, for a page
 * @out: output
 * @table: the table
 * @name: name of the table for messages
 * @file: index of the file
 */
void why_one(FILE *out, const struct table *table, const char *name, uint32_t file)
{
	AUTO(breaks_free) struct breaks breaks;
	AUTO(one_file_free) struct one_file one;
	const char *flaw;

	one_file_make(&one, table, name, file);
	find_breaks(&breaks, &one.table);
	flaw = breaks.n ? causes_flaw(&one.table) : NULL;
	put_file(out, &one.table, &breaks, 0, flaw);
	put_causes_flaw(out, flaw);
}

/* === One block === */

/* The last break of the file up to an offset, or NULL: the offset is in its first fragment. */
static const struct file_break *break_before(const struct table *table, const struct breaks *breaks, uint32_t file,
					     uint64_t offset)
{
	const struct file_break *found = NULL;

	for (size_t i = breaks->begins[file]; i < breaks->begins[file + 1]; i++)
		if (table->extents[breaks->all[i].extent].offset <= offset)
			found = &breaks->all[i];
	return found;
}

static void put_owner(FILE *out, const struct table *table, const struct extent *e, uint64_t lba)
{
	uint64_t offset = e->offset + (lba - e->lba);
	const struct file *file = &table->files[e->file];
	const char *flaw = causes_flaw(table);
	const struct file_break *b;
	AUTO(breaks_free) struct breaks breaks;

	fprintf(out, "block %s of ", GROUPED(offset));
	name_put(out, file->path);
	fprintf(out, "%s, inode %ju, ", file->deleted ? DELETED_MARK : "", (uintmax_t)file->ino);
	find_breaks(&breaks, table);
	b = break_before(table, &breaks, e->file, offset);
	if (!b)
		fputs("in the first fragment of the file\n", out);
	else if (flaw)
		fprintf(out, "in the fragment that begins at block %s\n", GROUPED(table->extents[b->extent].offset));
	else {
		fputs("in the fragment that begins\n", out);
		put_break(out, table, b);
	}
	put_causes_flaw(out, b ? flaw : NULL);
}

/* A block that no watched file owns. */
static const char *other_use(const struct f2fs_segments *segments, uint64_t blk, uint64_t blks)
{
	enum use use;

	if (!segments->map)
		return "of no watched file; F2FS's own state tells whether it is in use, see FREE SPACE in the manual";
	space_use_end(segments, blk, blks, &use);
	return use == USE_NODE ? "a node" : use == USE_DATA ? "in use, of a file that is not watched, or of a directory" :
	       "not in use";
}

/**
 * why_block() - say which file owns a block, and why it is there
 * @out: where to
 * @table: the table
 * @states: F2FS's own state, by volume; NULL: not known
 * @lba: the block, looked for on each volume
 *
 * Ends the program if it cannot be written.
 */
void why_block(FILE *out, const struct table *table, const struct f2fs_state *states, uint64_t lba)
{
	static const struct f2fs_segments none;
	size_t k;

	put_reading_time(out, table);
	if (!table->n_volumes)
		fputs("No volume is watched.\n", out);
	for (size_t i = 0; i < table->n_volumes; i++) {
		const struct volume *v = &table->volumes[i];

		fprintf(out, "LBA %ju of ", (uintmax_t)lba);
		name_put(out, v->path);
		fprintf(out, " (%u:%u): ", v->major, v->minor);
		k = table_extent_after(table, v, lba);
		if (lba >= v->end_blk)
			fprintf(out, "after the end of the volume, which has %s blocks\n", GROUPED(v->end_blk));
		else if (lba < v->first_blk)
			fputs("metadata of F2FS\n", out);
		else if (k < v->end && table->extents[k].lba <= lba)
			put_owner(out, table, &table->extents[k], lba);
		else
			fprintf(out, "%s\n", other_use(states ? &states[i].segments : &none, lba - v->first_blk, v->end_blk - v->first_blk));
	}
	put_flaws(out, table);
	flush_stdout();
}
