// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: explain on standard output why files are fragmented, in sentences.
 * The breaks of a volume are listed by extension, those with the most breaks first, and for each
 * extension by kind of cause. The breaks of one file are also listed one by one. Breaks beyond the
 * limits are counted in a last line, so that all numbers add up.
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/color.h"
#include "model/flaws.h"
#include "model/groups.h"
#include "model/one_file.h"
#include "model/space.h"
#include "names.h"
#include "output/phrases.h"
#include "output/why.h"
#include "util.h"

/* The limits of what is listed one by one. */
#define MAX_EXTENSIONS 12
#define MAX_KINDS 5
#define MAX_PROCESSES 3
#define MAX_PAIRS 3
#define MAX_FILES 10
#define MAX_BREAKS 20

/* === Words === */

static void put_name(const char *name)
{
	char *text = name_printable(name);

	fputs(text, stdout);
	free(text);
}

/* "3 breaks" */
static void put_count(uint64_t n, const char *what)
{
	char buf[GROUPED_MAX];

	printf("%s %s%s", grouped(buf, n), what, n == 1 ? "" : "s");
}

static void put_share(uint64_t n, uint64_t all)
{
	char number[GROUPED_MAX], share[SHARE_MAX];

	format_share(share, n, all);
	printf("%s (%s)", grouped(number, n), share);
}

static void put_ext(const char *ext)
{
	if (*ext)
		put_name(ext);
	else
		fputs("without an extension", stdout);
}

static void put_writer(const struct table *table, uint32_t writer)
{
	char *text = phrase_writer(table, writer);

	put_name(text);
	free(text);
}

static void put_kind(uint32_t cause)
{
	char *text = phrase_kind(cause);

	fputs(text, stdout);
	free(text);
}

/* Date and time, or only the time if the day is that of @today_s. */
static void put_time(uint64_t time_s, uint64_t today_s)
{
	time_t when = (time_t)time_s, day = (time_t)today_s;
	struct tm tm, today;
	char text[64];

	if (!localtime_r(&when, &tm) || !localtime_r(&day, &today))
		return;
	strftime(text, sizeof(text), tm.tm_yday == today.tm_yday && tm.tm_year == today.tm_year ?
		 "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &tm);
	fputs(text, stdout);
}

static void put_reading_time(const struct table *table)
{
	char text[TIME_TEXT_MAX];

	format_text_time(text, &table->text);
	printf("%s\n", text);
}

/* F2FS itself does collection and defragmentation: name the process only if it is known. */
static bool has_known_writer(uint32_t cause)
{
	enum ft_op op = ft_cause_op(cause);

	return ft_cause_writer(cause) != FT_SNAP_WRITER_UNKNOWN ||
	       (op != FT_OP_GC_BG && op != FT_OP_GC_FG && op != FT_OP_DEFRAG && op != FT_OP_UNKNOWN);
}

/* === Breaks of one kind === */

/* "; by a (pid 1)", "; by 20: a (pid 1), 3: b (pid 2), 4: 2 other processes" */
static void put_writers(const struct table *table, const struct file_break *breaks, size_t n)
{
	uint64_t n_listed = 0;
	size_t n_sums, i;
	struct cause_sum *sums = breaks_sum(breaks, n, CAUSE_WRITER, &n_sums);

	if (n_sums == 1 && !has_known_writer(breaks->cause))
		n_sums = 0;
	for (i = 0; i < n_sums && i < MAX_PROCESSES; i++) {
		fputs(i ? ", " : "; by ", stdout);
		if (n_sums > 1)
			printf("%ju: ", (uintmax_t)sums[i].breaks);
		put_writer(table, ft_cause_writer(sums[i].cause));
		n_listed += sums[i].breaks;
	}
	if (i < n_sums) {
		printf(", %ju: %zu other process%s", (uintmax_t)(n - n_listed), n_sums - i, n_sums - i == 1 ? "" : "es");
	}
	free(sums);
}

/* The breaks of a list that have this kind. To be freed. */
static struct file_break *of_kind(const struct file_break *breaks, size_t n, uint32_t kind, size_t *n_found)
{
	struct file_break *found = xcalloc(n, sizeof(*found));
	size_t i;

	*n_found = 0;
	for (i = 0; i < n; i++)
		if ((breaks[i].cause & CAUSE_KIND) == kind)
			found[(*n_found)++] = breaks[i];
	return found;
}

static void put_kind_sum(const struct table *table, const struct file_break *breaks, size_t n,
			 const struct cause_sum *sum)
{
	size_t n_found;
	struct file_break *found = of_kind(breaks, n, sum->cause, &n_found);

	fputs("  ", stdout);
	put_share(sum->breaks, n);
	fputs(": ", stdout);
	put_kind(sum->cause);
	put_writers(table, found, n_found);
	fputs(".\n", stdout);
	free(found);
}

/* Print a line for each kind of a list of breaks. */
static void put_kinds(const struct table *table, const struct file_break *breaks, size_t n)
{
	size_t n_sums, i;
	struct cause_sum *sums = breaks_sum(breaks, n, CAUSE_KIND, &n_sums);
	uint64_t n_listed = 0;

	for (i = 0; i < n_sums && i < MAX_KINDS; i++) {
		put_kind_sum(table, breaks, n, &sums[i]);
		n_listed += sums[i].breaks;
	}
	if (i < n_sums) {
		fputs("  ", stdout);
		put_share(n - n_listed, n);
		fputs(": ", stdout);
		put_count(n_sums - i, "other cause");
		fputs(".\n", stdout);
	}
	free(sums);
}

static void put_flaws(const struct table *table)
{
	char *flaws = flaws_of(table);

	if (*flaws)
		printf("Note: %s.\n", flaws);
	free(flaws);
}

static void put_causes_flaw(const char *flaw)
{
	if (flaw)
		printf("Why is unknown: %s.\n", flaw);
}

/* === Extensions === */

static bool is_pair_of(const struct pair *pair, const struct table *table, const struct group *group)
{
	const struct volume *v = &table->volumes[group->volume];

	return pair->major == v->major && pair->minor == v->minor &&
	       !strcmp(pair->victim_ext, *group->ext ? group->ext : "-");
}

/* List the writers that took the next block of the log from these files. */
static void put_pairs(const struct table *table, const struct group *group, const struct pairs *pairs)
{
	size_t n_listed = 0, i;

	for (i = 0; i < pairs->n && n_listed < MAX_PAIRS; i++) {
		const struct pair *pair = &pairs->all[i];

		if (!is_pair_of(pair, table, group))
			continue;
		printf(n_listed++ ? ", " : "  What the log went on to, most often, since the module began to count: ");
		printf("%ju: files ", (uintmax_t)pair->times);
		put_ext(strcmp(pair->culprit_ext, "-") ? pair->culprit_ext : "");
		fputs(" of ", stdout);
		put_name(pair->culprit);
	}
	if (n_listed)
		fputs(".\n", stdout);
}

static void put_group(const struct table *table, const struct group *group, const struct pairs *pairs, const char *flaw)
{
	char fragmented[GROUPED_MAX];

	fputs(*group->ext ? "" : "files ", stdout);
	put_ext(group->ext);
	printf(": %s of ", grouped(fragmented, group->fragmented));
	put_count(group->files, "file");
	fputs(group->fragmented == 1 ? " is fragmented, " : " are fragmented, ", stdout);
	put_count(group->n_breaks, "break");
	fputs(flaw ? ".\n" : ":\n", stdout);
	if (flaw)
		return;
	put_kinds(table, group->breaks, group->n_breaks);
	put_pairs(table, group, pairs);
}

/* @flaw: see causes_flaw(); it is said once, at the end. */
static void put_volume(const struct table *table, const struct group *groups, size_t n, const struct pairs *pairs,
		       const char *flaw)
{
	struct group all = { .volume = groups->volume };
	uint64_t rest = 0, n_rest = 0;
	char fragmented[GROUPED_MAX];
	size_t i;

	for (i = 0; i < n; i++) {
		all.files += groups[i].files;
		all.fragmented += groups[i].fragmented;
		all.n_breaks += groups[i].n_breaks;
		n_rest += i >= MAX_EXTENSIONS && groups[i].n_breaks;
		rest += i >= MAX_EXTENSIONS ? groups[i].n_breaks : 0;
	}
	put_name(table->volumes[groups->volume].path);
	printf(": %s of ", grouped(fragmented, all.fragmented));
	put_count(all.files, "file");
	fputs(all.fragmented == 1 ? " is fragmented, " : " are fragmented, ", stdout);
	put_count(all.n_breaks, "break");
	fputs(".\n", stdout);
	for (i = 0; i < n && i < MAX_EXTENSIONS && groups[i].n_breaks; i++)
		put_group(table, &groups[i], pairs, flaw);
	if (!rest)
		return;
	put_count(n_rest, "other extension");
	fputs(": ", stdout);
	put_count(rest, "break");
	fputs(".\n", stdout);
}

/* === Begin and end === */

static void find_breaks(struct breaks *breaks, const struct table *table)
{
	uint8_t *starts = xcalloc(table->n_extents, sizeof(*starts));

	setlocale(LC_CTYPE, "");
	free(figures_of(table, starts, NULL));
	breaks_find(breaks, table, starts);
	free(starts);
}

static void flush(void)
{
	if (fflush(stdout))
		die("<stdout>: %s", strerror(errno));
}

/**
 * why_all() - explain why the files of a table are fragmented
 * @table: the table
 * @pairs: the content of `by_pair`; may be empty
 *
 * Ends the program if standard output cannot be written.
 */
void why_all(const struct table *table, const struct pairs *pairs)
{
	const char *flaw = causes_flaw(table);
	struct groups groups;
	struct breaks breaks;
	size_t i, n;

	find_breaks(&breaks, table);
	if (!breaks.n)
		flaw = NULL;
	groups_find(&groups, table, &breaks);
	put_reading_time(table);
	if (!groups.n)
		fputs("No watched file has blocks.\n", stdout);
	for (i = 0; i < groups.n; i += n) {
		n = groups_of_volume(&groups, i);
		put_volume(table, &groups.all[i], n, pairs, flaw);
	}
	put_flaws(table);
	put_causes_flaw(flaw);
	groups_free(&groups);
	breaks_free(&breaks);
	flush();
}

/* === One file === */

/* "  at block 1024 (4 MiB): tail, sync, interleaved; by x (pid 3), between 10:11:12 and 10:12:00" */
static void put_break(const struct table *table, const struct file_break *b)
{
	uint64_t offset = table->extents[b->extent].offset, now_s = (uint64_t)table->text.time_ms / 1000;
	/* the entry itself, not the first one of the process: its times are the most exact */
	uint32_t writer = ft_cause_writer(table->causes[b->extent]);
	char n[GROUPED_MAX], size[BYTES_MAX];

	format_bytes(size, (double)offset);
	printf("  at block %s (%s): %s, %s, %s", grouped(n, offset), size, cause_op_name(b->cause),
	       cause_flush_name(b->cause), cause_why_name(b->cause));
	if (has_known_writer(b->cause)) {
		fputs("; by ", stdout);
		put_writer(table, writer);
	}
	if (writer > FT_SNAP_WRITER_SEVERAL) {
		const struct writer *w = &table->writers[writer];

		if (w->cgroup && strcmp(w->cgroup, "/")) {
			fputs(" of ", stdout);
			put_name(w->cgroup);
		}
		if (w->first_s != w->last_s) {
			fputs(", between ", stdout);
			put_time(w->first_s, now_s);
		}
		fputs(w->first_s != w->last_s ? " and " : ", at ", stdout);
		put_time(w->last_s, now_s);
	}
	putchar('\n');
}

static void put_file(const struct table *table, const struct breaks *breaks, size_t i, const char *flaw)
{
	const struct file_break *all = breaks->all + breaks->begins[i];
	size_t n = breaks->begins[i + 1] - breaks->begins[i], k;
	const struct file *file = &table->files[i];

	put_name(file->path);
	printf("%s: ", file->deleted ? DELETED_MARK : "");
	put_count(file->blks, "block");
	fputs(" in ", stdout);
	put_count(n + 1, "fragment");
	fputs(n ? ", " : ", not fragmented.\n", stdout);
	if (!n)
		return;
	put_count(n, "break");
	fputs(flaw ? ".\n" : ":\n", stdout);
	if (flaw)
		return;
	put_kinds(table, all, n);
	for (k = 0; k < n && k < MAX_BREAKS; k++)
		put_break(table, &all[k]);
	if (k == n)
		return;
	fputs("  and ", stdout);
	put_count(n - k, "break");
	fputs(" after these\n", stdout);
}

/**
 * why_file() - explain why one file is fragmented
 * @table: the table
 * @name: name of the table for messages
 * @path: its path, the end of it in whole components, or a glob; several files may match
 *
 * Ends the program if there is no such file, or if standard output cannot be written.
 */
void why_file(const struct table *table, const char *name, const char *path)
{
	const char *flaw = causes_flaw(table);
	struct breaks breaks;
	size_t n = 0, i;
	char *sentence;

	find_breaks(&breaks, table);
	if (!breaks.n)
		flaw = NULL;
	for (i = 0; i < table->n_files; i++) {
		if (strcmp(table->files[i].path, path) && !path_matches(table->files[i].path, path))
			continue;
		if (!n)
			put_reading_time(table);
		if (n++ < MAX_FILES)
			put_file(table, &breaks, i, flaw);
	}
	breaks_free(&breaks);
	if (!n && !(sentence = one_file_without_blocks(table, name, path)))
		die("%s: no watched file with blocks is called %s", name, path);
	if (!n) {
		put_name(sentence);
		fputs(".\n", stdout);
		free(sentence);
	}
	if (n > MAX_FILES) {
		put_count(n - MAX_FILES, "more file");
		fputs(" of that name.\n", stdout);
	}
	put_flaws(table);
	put_causes_flaw(flaw);
	flush();
}

/* === One block === */

/* The last break of the file up to an offset, or NULL: the offset is in its first fragment. */
static const struct file_break *break_before(const struct table *table, const struct breaks *breaks, uint32_t file,
					     uint64_t offset)
{
	const struct file_break *found = NULL;
	size_t i;

	for (i = breaks->begins[file]; i < breaks->begins[file + 1]; i++)
		if (table->extents[breaks->all[i].extent].offset <= offset)
			found = &breaks->all[i];
	return found;
}

static void put_owner(const struct table *table, const struct extent *e, uint64_t lba)
{
	uint64_t offset = e->offset + (lba - e->lba);
	const struct file *file = &table->files[e->file];
	const char *flaw = causes_flaw(table);
	const struct file_break *b;
	struct breaks breaks;
	char n[GROUPED_MAX];

	printf("block %s of ", grouped(n, offset));
	put_name(file->path);
	printf("%s, inode %ju, ", file->deleted ? DELETED_MARK : "", (uintmax_t)file->ino);
	find_breaks(&breaks, table);
	b = break_before(table, &breaks, e->file, offset);
	if (!b)
		fputs("in the first fragment of the file\n", stdout);
	else if (flaw)
		printf("in the fragment that begins at block %s\n", grouped(n, table->extents[b->extent].offset));
	else {
		fputs("in the fragment that begins\n", stdout);
		put_break(table, b);
	}
	breaks_free(&breaks);
	put_causes_flaw(b ? flaw : NULL);
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
 * @table: the table
 * @states: F2FS's own state, by volume; NULL: not known
 * @lba: the block, looked for on each volume
 *
 * Ends the program if standard output cannot be written.
 */
void why_block(const struct table *table, const struct f2fs_state *states, uint64_t lba)
{
	static const struct f2fs_segments none;
	size_t i, k;

	put_reading_time(table);
	if (!table->n_volumes)
		fputs("No volume is watched.\n", stdout);
	for (i = 0; i < table->n_volumes; i++) {
		const struct volume *v = &table->volumes[i];

		printf("LBA %ju of ", (uintmax_t)lba);
		put_name(v->path);
		printf(" (%u:%u): ", v->major, v->minor);
		for (k = v->first; k < v->end && table->extents[k].lba + (uint64_t)table->extents[k].blks <= lba; k++)
			;
		if (lba >= v->end_blk)
			printf("after the end of the volume, which has %ju blocks\n", (uintmax_t)v->end_blk);
		else if (lba < v->first_blk)
			fputs("metadata of F2FS\n", stdout);
		else if (k < v->end && table->extents[k].lba <= lba)
			put_owner(table, &table->extents[k], lba);
		else
			printf("%s\n", other_use(states ? &states[i].segments : &none, lba - v->first_blk, v->end_blk - v->first_blk));
	}
	put_flaws(table);
	flush();
}
