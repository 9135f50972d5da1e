// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the figures of two groups of runs, for fragtrace compare. A run is a snapshot or a table, the end of a
 * recording, or a folder with copies of the files of debugfs. A group is a run, or a folder of runs.
 */
#include <math.h>

#include "input/gc_runs.h"
#include "input/latency.h"
#include "input/ledger.h"
#include "input/recording.h"
#include "input/source.h"
#include "model/groups.h"
#include "output/compare_runs.h"

#define NOT_KNOWN NAN

const struct figure_form figure_forms[N_FIGURES] = {
	[BLOCKS] = { "blocks", "blocks of data", 1, 0 },
	[FRAGMENTS] = { "fragments", "fragments", 1, 0 },
	[EXTRA] = { "extra_requests", "extra requests", 1, 0 },
	[AMPLIFICATION] = { "amplification", "write amplification", 0.01, 2 },
	[WAITED] = { "waited_ms", "ms waited for reads", 0.1, 1 },
	[VICTIMS] = { "victims", "victims of collections", 1, 0 },
	[LOST] = { "lost_ms", "ms lost to collections", 0.1, 1 },
};

/* === Runs === */

/* The file with the table of a run; NULL if that is none. A recording is read as a whole. To be freed. */
static char *table_of(const char *run)
{
	static const char *const names[] = { "snapshot", "table" };

	if (source_may_be(run))
		return xasprintf("%s", run);
	for (size_t i = 0; recording_is(run) && i < ARRAY_LEN(names); i++) {
		char *path = xasprintf("%s/%s", run, names[i]);

		if (source_may_be(path))
			return path;
		free(path);
	}
	return NULL;
}

static void add_run(struct compared *c, int group, const char *run)
{
	*APPEND(c->runs, c->n, c->cap) = xasprintf("%s", run);
	c->n_runs[group]++;
}

static int is_shown(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

static void find_runs(struct compared *c, int group, const char *path)
{
	static const char form[] = "expected a snapshot, a table, a recording, or a copy of the folder of debugfs";
	AUTO_FREE char *table = table_of(path);
	struct dirent **list;
	int n;

	c->names[group] = path;
	if (table || !recording_is(path)) {
		/* what is no table is told when it is read */
		add_run(c, group, path);
		return;
	}
	n = scandir(path, &list, is_shown, versionsort);
	if (n < 0)
		die("%s: cannot read: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		AUTO_FREE char *run = xasprintf("%s/%s", path, list[i]->d_name), *its_table = table_of(run);

		if (!its_table)
			die("%s: is no run; %s", run, form);
		add_run(c, group, run);
		free(list[i]);
	}
	free(list);
	if (!n)
		die("%s: has no run in it; %s", path, form);
}

/* === Figures === */

static void free_rows(struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->all[i].name);
		free(rows->all[i].values);
	}
	free(rows->all);
	*rows = (struct rows){ 0 };
}

static struct row *add_row(struct compared *c, enum answer_part part, const char *name)
{
	struct rows *rows = &c->parts[part];
	struct row *row = APPEND(rows->all, rows->n, rows->cap);

	*row = (struct row){ .name = xasprintf("%s", name), .values = xcalloc(c->n, sizeof(double)) };
	return row;
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Add up rows with the same name. */
static void add_up(struct compared *c, enum answer_part part)
{
	struct rows *rows = &c->parts[part];
	size_t n = 0;

	sort(rows->all, rows->n, sizeof(*rows->all), by_name);
	for (size_t i = 0; i < rows->n; i++) {
		if (!n || strcmp(rows->all[n - 1].name, rows->all[i].name)) {
			rows->all[n++] = rows->all[i];
			continue;
		}
		for (size_t k = 0; k < c->n; k++)
			rows->all[n - 1].values[k] += rows->all[i].values[k];
		free(rows->all[i].name);
		free(rows->all[i].values);
	}
	rows->n = n;
}

static void add_breaks(struct compared *c, size_t run, const struct table *table, const uint8_t *starts)
{
	AUTO(groups_free) struct groups groups;
	AUTO(breaks_free) struct breaks breaks;
	size_t n;

	breaks_find(&breaks, table, starts);
	groups_find(&groups, table, &breaks);
	AUTO_FREE struct cause_sum *sums = breaks_sum(breaks.all, breaks.n, (1u << FT_CAUSE_OP_BITS) - 1, &n);
	for (size_t i = 0; i < n; i++)
		add_row(c, CAUSES, cause_op_name(sums[i].cause))->values[run] = (double)sums[i].breaks;
	for (size_t i = 0; i < groups.n; i++)
		if (groups.all[i].n_breaks)
			add_row(c, EXTENSIONS, groups.all[i].ext)->values[run] = (double)groups.all[i].n_breaks;
}

static void set(struct compared *c, size_t run, enum figure figure, double value)
{
	c->parts[FIGURES].all[figure].values[run] = value;
}

static void read_table(struct compared *c, size_t run)
{
	AUTO_FREE char *path = table_of(c->runs[run]);
	AUTO(source_free) struct source source;
	AUTO(table_free) struct table table;
	struct figures sum;

	source_init(&source, path ? path : c->runs[run]);
	source_read_table(&source, &table, false);
	if (table.n_stale || table.n_left_out)
		warn("%s: %s stale or left out, so its figures are not exact", source.name,
		     COUNT(table.n_stale + table.n_left_out, "file"));
	AUTO_FREE uint8_t *starts = xcalloc(table.n_extents, sizeof(*starts));
	AUTO_FREE struct figures *all = figures_of(&table, starts, NULL);
	sum = figures_sum(all, table.n_files);
	/* in blocks of 4 KiB: the two kernels may have pages, and so blocks, of different sizes */
	set(c, run, BLOCKS, (double)(sum.blks * (table_blk_bytes(&table) / DEFAULT_BLK_BYTES)));
	set(c, run, FRAGMENTS, (double)sum.fragments);
	set(c, run, EXTRA, (double)(sum.requests - sum.ideal));
	c->has_causes &= table.causes != NULL;
	add_breaks(c, run, &table, starts);
}

static void read_ledger(struct compared *c, size_t run, const char *path, char *text)
{
	uint64_t device = 0, written = 0;
	AUTO(ledger_free) struct ledger ledger;

	ledger_read(&ledger, path);
	for (size_t i = 0; i < ledger.n; i++) {
		const uint64_t *bytes = ledger.lines[i].bytes;

		if (ledger.lines[i].about == LEDGER_DEVICE)
			device += bytes[0];
		if (ledger.lines[i].about == LEDGER_PROCESS)
			written += bytes[LEDGER_BUFFERED] + bytes[LEDGER_MAPPED] + bytes[LEDGER_DIRECT];
	}
	if (written)
		set(c, run, AMPLIFICATION, (double)device / (double)written);
}

static void read_latency(struct compared *c, size_t run, const char *path, char *text)
{
	AUTO(latency_free) struct latency latency;
	double waited_ns = 0;

	latency_read(&latency, path);
	for (size_t i = 0; i < latency.n_volumes; i++)
		for (size_t k = 0; k < latency.n_files; k++)
			if (latency.files[k].major == latency.volumes[i].major && latency.files[k].minor == latency.volumes[i].minor)
				waited_ns += latency_waited(&latency.volumes[i], &latency.files[k].counts);
	set(c, run, WAITED, waited_ns / 1e6);
}

static void read_gc(struct compared *c, size_t run, const char *path, char *text)
{
	double victims = 0;
	char *line;

	if (strncmp(text, "# fragtrace gc 2\n", strlen("# fragtrace gc 2\n")))
		die_at(path, 1, "expected the line \"# fragtrace gc 2\"; give a copy of the file gc of debugfs");
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		double foreground, background;

		if (sscanf(line, "volume %*s %lf %lf", &foreground, &background) == 2)
			victims += foreground + background;
	}
	set(c, run, VICTIMS, victims);
}

/* What processes have lost, as they collected themselves or waited for a collection. */
static void read_gc_runs(struct compared *c, size_t run, const char *path, char *text)
{
	AUTO(gc_runs_free) struct gc_runs runs;
	bool all_seen = true;
	uint64_t ns = 0;

	gc_runs_read(&runs, path);
	for (size_t i = 0; i < runs.n; i++) {
		if (runs.lines[i].about == GC_PROCESS)
			ns += runs.lines[i].ns + runs.lines[i].waited;
		all_seen = all_seen && !runs.lines[i].lost;
	}
	if (all_seen)
		set(c, run, LOST, (double)ns / 1e6);
}

/* What the module has counted is beside a snapshot, as in debugfs, and in the folder of a recording. */
static void read_counts(struct compared *c, size_t run)
{
	static const struct {
		const char *name;
		void (*read)(struct compared *c, size_t run, const char *path, char *text);
	} counts[] = { { "ledger", read_ledger }, { "latency", read_latency }, { "gc_runs", read_gc_runs }, { "gc", read_gc } };
	const char *dir = c->runs[run];
	AUTO_FREE char *at = recording_is(dir) ? xasprintf("%s/snapshot", dir) : xasprintf("%s", dir);
	const char *slash = strrchr(at, '/');
	struct source source = { .path = at };
	struct text text;

	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		if (!source_read_counts(&source, counts[i].name, &text))
			continue;
		AUTO_FREE char *path = xasprintf("%.*s/%s", (int)(slash - at), at, counts[i].name);
		counts[i].read(c, run, path, text.buf);
		text_free(&text);
	}
}

/* Only what all runs have can be compared. */
static void drop_unknown(struct compared *c)
{
	struct rows *rows = &c->parts[FIGURES];
	size_t known, n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		struct row row = rows->all[i];

		for (size_t k = known = 0; k < c->n; k++)
			known += !isnan(row.values[k]);
		if (known == c->n) {
			rows->all[n++] = row;
			continue;
		}
		if (known)
			warn("%s: only %zu of %zu runs have that; it is left out", row.name, known, c->n);
		free(row.name);
		free(row.values);
	}
	rows->n = n;
	if (!c->has_causes)
		free_rows(&c->parts[CAUSES]);
}

/**
 * compared_read() - read all runs of two groups
 * @c: the result; to be freed with compared_free()
 * @groups: where the groups are; must stay valid
 *
 * Only figures that all runs have are kept. Ends the program if a run cannot be read.
 */
void compared_read(struct compared *c, char *const groups[2])
{
	*c = (struct compared){ .has_causes = true };
	for (size_t i = 0; i < 2; i++)
		find_runs(c, (int)i, groups[i]);
	for (size_t i = 0; i < N_FIGURES; i++) {
		struct row *row = add_row(c, FIGURES, figure_forms[i].text);

		row->figure = (enum figure)i;
		for (size_t k = 0; k < c->n; k++)
			row->values[k] = NOT_KNOWN;
	}
	for (size_t i = 0; i < c->n; i++) {
		read_table(c, i);
		read_counts(c, i);
		add_up(c, CAUSES);
		add_up(c, EXTENSIONS);
	}
	drop_unknown(c);
}

/**
 * compared_free() - release two groups of runs
 * @c: as left by compared_read()
 */
void compared_free(struct compared *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->runs[i]);
	free(c->runs);
	for (size_t i = 0; i < N_PARTS; i++)
		free_rows(&c->parts[i]);
	*c = (struct compared){ 0 };
}
