// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the free space of volumes as text.
 * JSON and metrics of the same figures are in space_export.c.
 */

#include "names.h"
#include "output/space.h"

#define BAR 40	/* letters in the longest bar */
#define MAX_FILES 10	/* listed of a section */

/* Types of segments, then the other logs. */
const char *const space_log_names[F2FS_N_LOGS] = {
	"hot data", "warm data", "cold data", "hot nodes", "warm nodes", "cold nodes", "pinned files", "ATGC",
};

/* === Words === */

/* What stands in a column. */
#define CELL(n) ((n) != 0 ? GROUPED(n) : "-")
#define SIZE(volume, blks) ((blks) != 0 ? BLKS(volume, blks) : "-")
#define PART(n, all) ((n) != 0 ? format_part((char [SHARE_MAX]){ 0 }, n, all) : "-")

/* Only the whole is 100 %, and only nothing has no share. */
static const char *format_part(char buf[SHARE_MAX], uint64_t n, uint64_t all)
{
	double share = all ? 100.0 * (double)n / (double)all : 0.0;

	if (share < 0.05)
		return "<0.1 %";
	if (n < all && share > 99.95)
		return ">99.9 %";
	snprintf(buf, SHARE_MAX, "%.1f %%", share);
	return buf;
}

static void put_bar(uint64_t n, uint64_t most)
{
	uint64_t len = most ? (n * BAR + most - 1) / most : 0;

	printf("%s%.*s\n", len ? "  " : "", (int)len, "########################################");
}

/* === Parts === */

static void print_sizes(const struct space *space)
{
	const struct volume *v = space->volume;

	name_put(stdout, v->path);
	printf(" (%u:%u): %s, %s of %s", v->major, v->minor, BLKS(v, v->end_blk - v->first_blk), COUNT(space->state->segments.n, "segment"),
	       BLKS(v, F2FS_SEGMENT_BLKS));
	if (space->segs_per_sec)
		printf("; section: %s", COUNT(space->segs_per_sec, "segment"));
	else
		printf("; size of sections not known, 1 segment is assumed");
	if (space->secs_per_zone)
		printf("; zone: %s", COUNT(space->secs_per_zone, "section"));
	printf("%s\n", v->stopped ? "; F2FS has stopped" : "");
}

static void print_use(const struct space *space, const char *name, uint64_t blks, uint64_t all)
{
	printf("  %-24s%14s%13s%9s\n", name, CELL(blks), SIZE(space->volume, blks), PART(blks, all));
}

static void print_uses(const struct space *space)
{
	const uint64_t *valid = space->valid, *watched = space->watched;
	uint64_t all = valid[USE_FREE] + valid[USE_DATA] + valid[USE_NODE] + space->unusable;

	printf("\n  %-24s%14s%13s%9s\n", "blocks", "", "", "share");
	if (space->has_runs) {
		print_use(space, "data of watched files", watched[USE_DATA], all);
		print_use(space, "other data", valid[USE_DATA] - watched[USE_DATA], all);
	} else {
		print_use(space, "data", valid[USE_DATA], all);
	}
	print_use(space, "nodes", valid[USE_NODE], all);
	print_use(space, "not valid", valid[USE_FREE], all);
	if (space->unusable)
		print_use(space, "beyond zone capacity", space->unusable, all);
	if (watched[USE_FREE] + watched[USE_NODE])
		print_use(space, "watched, but moved since", watched[USE_FREE] + watched[USE_NODE], all);
}

static void print_segments(const struct space *space)
{
	const struct f2fs_state *state = space->state;
	uint64_t n = state->segments.n;
	struct { const char *name; uint64_t n; } lines[] = {
		{ "full", space->full }, { "dirty: valid in part", space->dirty },
		{ "written by a log now", space->heads }, { "without valid blocks", space->empty },
	};

	printf("\n  %-24s%14s%13s%9s\n", "segments", "", "", "share");
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		if (i == 2 && !space->knows_heads)
			continue;
		printf("  %-24s%14s%13s%9s\n", lines[i].name, CELL(lines[i].n), SIZE(space->volume, lines[i].n * F2FS_SEGMENT_BLKS),
		       PART(lines[i].n, n));
	}
	if (space_prefree(space) != UINT64_MAX) {
		printf("  F2FS counts %s, %s prefree (free after a checkpoint), %s reserved\n",
		       COUNT(state->status.free, "free segment"), GROUPED(state->status.prefree), GROUPED(state->status.reserved));
	} else if (state->sysfs_free != UINT64_MAX) {
		printf("  F2FS counts %s\n", COUNT(state->sysfs_free, "free segment"));
	}
}

static void print_types(const struct space *space)
{
	bool has_ssr = !space->state->is_lfs;

	printf("\n  %-11s%10s%10s%14s", "type", "full", "dirty", "valid blocks");
	if (has_ssr)
		printf("%14s%12s", "SSR blocks", "SSR room");
	printf("%13s%13s\n", "log at", "left there");
	for (size_t i = 0; i < F2FS_N_TYPES; i++) {
		const struct space_type *t = &space->types[i];
		char head[24] = "?";

		if (t->head >= 0)
			snprintf(head, sizeof(head), "%jd", (intmax_t)t->head);
		if (t->next >= 0)
			snprintf(head + strlen(head), sizeof(head) - strlen(head), "+%jd", (intmax_t)t->next);
		printf("  %-11s%10s%10s%14s", space_log_names[i], CELL(t->full), CELL(t->dirty), CELL(t->valid));
		if (has_ssr)
			printf("%14s%12s", CELL(t->ssr_blks), SIZE(space->volume, t->ssr_blks));
		printf("%13s%13s\n", head, CELL(t->head_room));
	}
	printf("  log at: the segment + the block in it that is written next; left there: blocks from that on\n");
	if (!has_ssr)
		printf("  mode=lfs: holes of dirty segments are not written into (SSR) before these are collected\n");
}

static void print_runs(const struct space *space)
{
	uint64_t most = 0;
	unsigned int last = 0;

	for (unsigned int i = 0; i < SPACE_RUN_CLASSES; i++) {
		if (space->run_blks[i])
			last = i;
		if (space->run_blks[i] > most)
			most = space->run_blks[i];
	}
	printf("\n  %-20s%12s%16s%9s\n", "free runs of blocks", "runs", "blocks", "share");
	for (unsigned int i = 0; i <= last && space->n_runs; i++) {
		char range[2 * GROUPED_MAX + 2];

		snprintf(range, sizeof(range), i ? "%s-%s" : "%s", GROUPED(UINT64_C(1) << i),
			 GROUPED((UINT64_C(2) << i) - 1));
		printf("  %20s%12s%16s%9s", range, CELL(space->run_count[i]), CELL(space->run_blks[i]),
		       PART(space->run_blks[i], space->valid[USE_FREE]));
		put_bar(space->run_blks[i], most);
	}
	if (!space->n_runs) {
		printf("  no block is free\n");
		return;
	}
	printf("  the longest: %s at LBA %ju, %.1f segments; in all %s\n", COUNT(space->longest, "block"),
	       (uintmax_t)space->longest_lba, (double)space->longest / F2FS_SEGMENT_BLKS, COUNT(space->n_runs, "run"));
}

static void print_fill(const struct space *space)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < SPACE_FILL_CLASSES; i++)
		if (space->fill[i] > most)
			most = space->fill[i];
	printf("\n  %-31s%9s%9s\n", "valid blocks in dirty segments", "segments", "share");
	for (unsigned int i = 0; i < SPACE_FILL_CLASSES; i++) {
		unsigned int to = (i + 1) * SPACE_FILL_STEP;
		char range[32];

		snprintf(range, sizeof(range), "%u-%u", i * SPACE_FILL_STEP + 1, to < F2FS_SEGMENT_BLKS ? to : to - 1);
		printf("  %28s%12s%9s", range, CELL(space->fill[i]), PART(space->fill[i], space->dirty));
		put_bar(space->fill[i], most);
	}
}

static void print_picks(const char *policy, const struct space_picks *picks)
{
	printf("  %-15s", policy);
	for (size_t i = 0; i < picks->n; i++)
		printf("%s%ju (%s valid)", i ? ", " : "section ", (uintmax_t)picks->first[i].section,
		       GROUPED(picks->first[i].valid));
	if (picks->n_least > 1)
		printf("; %s cost the same as the first", GROUPED(picks->n_least));
	printf("\n");
}

/* "  section 20: 12 blocks of 2 watched files", then these. */
static void print_files(const struct space *space, const struct table *table, const struct space_pick *pick)
{
	uint64_t watched = 0, begin, end;
	size_t n;

	space_section(space, pick->section, &begin, &end);
	AUTO_FREE struct space_file *files = space_files(space->volume, table, begin, end, &n);
	for (size_t i = 0; i < n; i++)
		watched += files[i].blks;
	printf("  section %ju: %s of %s\n", (uintmax_t)pick->section, COUNT(watched, "block"), COUNT(n, "watched file"));
	for (size_t i = 0; i < n && i < MAX_FILES; i++) {
		printf("%14s  ", CELL(files[i].blks));
		name_put(stdout, table->files[files[i].file].path);
		putchar('\n');
	}
	if (n > MAX_FILES)
		printf("  and in %s\n", COUNT(n - MAX_FILES, "more file"));
}

static void print_candidates(const struct space *space)
{
	if (!space->candidates) {
		printf("\n  garbage collection has no section to pick\n");
		return;
	}
	printf("\n  garbage collection may pick %s%s:\n", COUNT(space->candidates, "section"),
	       space->candidates > 1 ? ", the cheapest first" : "");
	print_picks("greedy", &space->greedy);
	if (space->has_mtime)
		print_picks("cost-benefit", &space->cost_benefit);
	else
		printf("  %-15snot known: this kernel does not show the mtime of segments (Linux 6.15 does)\n",
		       "cost-benefit");
}

static void print_gc(const struct space *space, const struct table *table)
{
	print_candidates(space);
	if (space->chosen)
		printf("  %-15s%s, the first is %ju; foreground collection takes them first\n", "chosen already",
		       COUNT(space->chosen, "section"), (uintmax_t)space->first_chosen);
	if (space->greedy.n)
		printf("\n  what it would move in the foreground\n");
	for (size_t i = 0; i < space->greedy.n; i++)
		print_files(space, table, &space->greedy.first[i]);
}

/**
 * space_print_notes() - print what is not known
 * @out: where to
 * @space: the figures
 */
void space_print_notes(FILE *out, const struct space *space)
{
	const struct f2fs_state *state = space->state;

	if (state->n_notes || state->segments.n_torn)
		fputc('\n', out);
	for (size_t i = 0; i < state->n_notes; i++)
		fprintf(out, "  note: %s\n", state->notes[i]);
	if (state->segments.n_torn)
		fprintf(out, "  note: %s segments changed while they were read; their bits are taken\n",
			GROUPED(state->segments.n_torn));
}

/**
 * space_print() - print the free space of all volumes on standard output
 * @table: the table
 * @spaces: by volume
 *
 * Ends the program if it cannot be written.
 */
void space_print(const struct table *table, const struct space *spaces)
{
	if (!table->n_volumes)
		printf("no volume is watched\n");
	for (size_t i = 0; i < table->n_volumes; i++) {
		const struct space *space = &spaces[i];

		if (i)
			printf("\n");
		print_sizes(space);
		if (space->state->segments.n) {
			print_uses(space);
			print_segments(space);
			print_types(space);
			if (space->has_runs)
				print_runs(space);
			print_fill(space);
			print_gc(space, table);
		}
		space_print_notes(stdout, space);
	}
	flush_stdout();
}
