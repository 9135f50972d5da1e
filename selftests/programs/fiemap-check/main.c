// SPDX-License-Identifier: GPL-2.0-only
/*
 * fiemap-check - compare the maps of fragtrace with FIEMAP for the files below a folder.
 *
 * The texts of fragtrace are read first, completely: FIEMAP fires a tracepoint that would correct
 * the maps of the module. The caller has synced before. Exit status 0 only if everything agrees.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fiemap-check.h"

#define MAX_SHOWN 20

static unsigned long problems;

/**
 * die() - end the program because of an error that is not a difference
 * @fmt: what happened
 */
void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("fiemap-check: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(2);
}

/**
 * problem() - count a difference and print the first ones
 * @fmt: the difference
 */
void problem(const char *fmt, ...)
{
	va_list ap;

	if (problems++ >= MAX_SHOWN)
		return;
	va_start(ap, fmt);
	fputs("# ", stdout);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
}

/**
 * grow() - make room for one more element
 * @v: array
 * @n: elements in use
 * @cap: elements there is room for; updated
 * @size: size of one element
 *
 * Return: the array, maybe moved
 */
void *grow(void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap * 2 + 8;
	v = realloc(v, *cap * size);
	if (!v)
		die("out of memory");
	return v;
}

/* Do both runs form one extent? */
static bool continues(const struct run *a, const struct run *b)
{
	return a->lblk + a->len == b->lblk && a->unwritten == b->unwritten && a->encoded == b->encoded &&
	       (a->unwritten || a->pblk + a->len == b->pblk);
}

/**
 * add_run() - append a run; join it with the last one if both form one extent
 * @runs: the list
 * @run: the run
 */
void add_run(struct runs *runs, struct run run)
{
	struct run *last = runs->n ? &runs->v[runs->n - 1] : NULL;

	if (last && continues(last, &run)) {
		last->len += run.len;
		return;
	}
	runs->v = grow(runs->v, runs->n, &runs->cap, sizeof(*runs->v));
	runs->v[runs->n++] = run;
}

static int by_lblk(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return x->lblk < y->lblk ? -1 : x->lblk > y->lblk;
}

/* Find the run that contains or follows block `at`; skip runs before it, and unwritten ones. */
static const struct run *at_or_after(const struct runs *runs, size_t *i, uint64_t at)
{
	while (*i < runs->n && (runs->v[*i].unwritten || runs->v[*i].lblk + runs->v[*i].len <= at))
		(*i)++;
	return *i < runs->n ? &runs->v[*i] : NULL;
}

static void differ(const struct file *f, const char *text, uint64_t at, uint64_t len, const struct run *ours,
		   const struct run *truth)
{
	char a[32] = "nothing", b[32] = "nothing";

	if (ours)
		snprintf(a, sizeof(a), "%" PRIu64, ours->pblk + (at - ours->lblk));
	if (truth)
		snprintf(b, sizeof(b), "%" PRIu64, truth->pblk + (at - truth->lblk));
	problem("%s: '%s' (inode %" PRIu64 "), block %" PRIu64 " and %" PRIu64 " more: fragtrace says %s, FIEMAP %s", text,
		f->path, f->ino, at, len - 1, a, b);
}

/* The first block, not before `at`, that the run covers. */
static uint64_t from(const struct run *r, uint64_t at)
{
	if (!r)
		return UINT64_MAX;
	return r->lblk > at ? r->lblk : at;
}

/* The end of the blocks from `at` on that the run covers all, or does not cover at all. */
static uint64_t until(const struct run *r, uint64_t at)
{
	if (!r)
		return UINT64_MAX;
	return r->lblk > at ? r->lblk : r->lblk + r->len;
}

/* Compare two lists in steps in which neither list changes. Return the number of blocks that differ. */
static uint64_t compare_blocks(const struct file *f, const char *text, const struct runs *ours)
{
	const struct run *o, *t;
	uint64_t at = 0, end, differing = 0;
	size_t i = 0, j = 0;

	for (;;) {
		o = at_or_after(ours, &i, at);
		t = at_or_after(&f->truth, &j, at);
		if (!o && !t)
			return differing;
		at = from(o, at) < from(t, at) ? from(o, at) : from(t, at);
		end = until(o, at) < until(t, at) ? until(o, at) : until(t, at);
		if (o && o->lblk > at)
			o = NULL;
		if (t && t->lblk > at)
			t = NULL;
		if (!o || !t || o->pblk + (at - o->lblk) != t->pblk + (at - t->lblk)) {
			differing += end - at;
			differ(f, text, at, end - at, o, t);
		}
		at = end;
	}
}

static uint64_t written(const struct runs *runs)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < runs->n; i++)
		n += runs->v[i].unwritten ? 0 : runs->v[i].len;
	return n;
}

static bool begins_at(const struct runs *runs, uint64_t lblk)
{
	const struct run key = { .lblk = lblk };

	return runs->n && bsearch(&key, runs->v, runs->n, sizeof(*runs->v), by_lblk);
}

static void check_shape(const struct file *f, const char *text, const struct runs *runs)
{
	size_t i;

	for (i = 1; i < runs->n; i++) {
		const struct run *a = &runs->v[i - 1], *b = &runs->v[i];

		if (a->lblk + a->len > b->lblk)
			problem("%s: '%s': blocks %" PRIu64 " and %" PRIu64 " overlap", text, f->path, a->lblk, b->lblk);
		/* `table` does not report which extents are encoded; encoded extents are not joined */
		else if (continues(a, b) && !begins_at(&f->truth, b->lblk))
			problem("%s: '%s': the extents at blocks %" PRIu64 " and %" PRIu64 " are one", text, f->path,
				a->lblk, b->lblk);
	}
}

/* Where both have blocks, they must agree on which of these are compressed. */
static void check_encoded(const struct file *f)
{
	size_t i, j = 0;

	for (i = 0; i < f->extents.n; i++) {
		const struct run *o = &f->extents.v[i], *t = at_or_after(&f->truth, &j, o->lblk);

		if (!o->unwritten && t && t->lblk <= o->lblk && t->encoded != o->encoded)
			problem("extents: '%s': block %" PRIu64 " is %sencoded", f->path, o->lblk, t->encoded ? "" : "not ");
	}
}

static void check_unwritten(const struct file *f)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < f->truth.n && !f->truth.v[i].unwritten)
			i++;
		while (j < f->extents.n && !f->extents.v[j].unwritten)
			j++;
		if (i == f->truth.n && j == f->extents.n)
			return;
		if (i == f->truth.n || j == f->extents.n || f->truth.v[i].lblk != f->extents.v[j].lblk ||
		    f->truth.v[i].len != f->extents.v[j].len) {
			problem("extents: '%s': unwritten extents differ at block %" PRIu64, f->path,
				i < f->truth.n ? f->truth.v[i].lblk : f->extents.v[j].lblk);
			return;
		}
		i++;
		j++;
	}
}

static void check_figure(const struct file *f, const char *name, uint64_t reported, uint64_t is, bool in_tenths)
{
	if (reported == is)
		return;
	if (in_tenths)
		problem("files: '%s': %s is %" PRIu64 ".%" PRIu64 ", FIEMAP gives %" PRIu64 ".%" PRIu64, f->path, name,
			reported / 10, reported % 10, is / 10, is % 10);
	else
		problem("files: '%s': %s is %" PRIu64 ", FIEMAP gives %" PRIu64, f->path, name, reported, is);
}

static void check_figures(const struct file *f, const struct figures *is)
{
	if (!f->listed) {
		if (is->blocks)
			problem("files: '%s' is missing", f->path);
		return;
	}
	if (f->stale)
		problem("files: '%s' is still stale", f->path);
	check_figure(f, "blocks", f->reported.blocks, is->blocks, false);
	check_figure(f, "extents", f->reported.extents, is->extents, false);
	check_figure(f, "fragments", f->reported.fragments, is->fragments, false);
	check_figure(f, "mean_fragment", f->reported.mean_fragment, is->mean_fragment, true);
	check_figure(f, "mean_distance", f->reported.mean_distance, is->mean_distance, true);
	check_figure(f, "requests_128k", f->reported.requests, is->requests, false);
	check_figure(f, "ideal_128k", f->reported.ideal, is->ideal, false);
}

/* Compare all data of one file. Return the number of blocks whose place differs in the table. */
static uint64_t check_file(struct file *f, const struct options *opt, struct figures *is)
{
	uint64_t differing;

	figures_compute(&f->truth, is);
	qsort(f->table.v, f->table.n, sizeof(*f->table.v), by_lblk);
	check_shape(f, "table", &f->table);
	check_shape(f, "extents", &f->extents);
	if (is->blocks && !f->table.n)
		problem("table: '%s' is missing", f->path);
	differing = compare_blocks(f, "table", &f->table);
	compare_blocks(f, "extents", &f->extents);
	check_encoded(f);
	if (is->fragments > 1 && f->state_contiguous)
		problem("table: '%s' is called contiguous and has %" PRIu64 " fragments", f->path, is->fragments);
	if (is->fragments <= 1 && f->state_fragmented)
		problem("table: '%s' is called fragmented and is not", f->path);
	check_figures(f, is);
	if (opt->unwritten)
		check_unwritten(f);
	if (written(&f->table) != written(&f->extents))
		problem("'%s': table and extents hold different numbers of blocks", f->path);
	return differing;
}

static void compare_all(struct files *files, const struct options *opt)
{
	uint64_t blocks = 0, extents = 0, differing = 0;
	struct figures is;
	size_t i, n = 0;

	for (i = 0; i < files->n; i++) {
		if (opt->claims && (files->v[i].stale || !files->v[i].listed))
			continue;
		n++;
		differing += check_file(&files->v[i], opt, &is);
		blocks += is.blocks;
		extents += is.extents;
	}
	if (problems > MAX_SHOWN)
		printf("# and %lu more\n", problems - MAX_SHOWN);
	printf("compared files=%zu blocks=%" PRIu64 " extents=%" PRIu64 " differing=%" PRIu64 "\n", n, blocks,
	       extents, differing);
	if (problems)
		printf("# %lu disagreements\n", problems);
}

static void __attribute__((noreturn)) usage(void)
{
	fputs("usage: fiemap-check [options] FOLDER...\n"
	      "  -d, --debugfs DIR   fragtrace's folder (default: in debugfs, or /proc/fragtrace)\n"
	      "  -u, --unwritten     compare unwritten extents, too\n"
	      "  -c, --claims        compare only files reported exact; writers are stopped, other files may be stale\n"
	      "  -p, --partial       lines about files outside the folders are no error\n"
	      "  -T, --truth FILE    read the true extents from this text, resolve no path (to test this program)\n"
	      "Exit status: 0 all agrees, 1 something differs, 2 it could not be compared\n", stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "debugfs", required_argument, NULL, 'd' },
		{ "unwritten", no_argument, NULL, 'u' },
		{ "claims", no_argument, NULL, 'c' },
		{ "partial", no_argument, NULL, 'p' },
		{ "truth", required_argument, NULL, 'T' },
		{ NULL, 0, NULL, 0 },
	};
	const char *debugfs = access("/proc/fragtrace", F_OK) ? "/sys/kernel/debug/fragtrace" : "/proc/fragtrace";
	char *table, *extents, *list;
	struct options opt = { 0 };
	struct files files = { 0 };
	int c, i;

	while ((c = getopt_long(argc, argv, "d:ucpT:", longopts, NULL)) != -1) {
		switch (c) {
		case 'd':
			debugfs = optarg;
			break;
		case 'u':
			opt.unwritten = true;
			break;
		case 'c':
			opt.claims = true;
			break;
		case 'p':
			opt.partial = true;
			break;
		case 'T':
			opt.truth_file = optarg;
			opt.no_paths = true;
			break;
		default:
			usage();
		}
	}
	opt.dirs = argv + optind;
	opt.nr_dirs = argc - optind;
	if (!opt.nr_dirs && !opt.truth_file)
		usage();

	/* Read `files` first: a map may become exact during the reading, but none becomes stale. */
	list = text_read(debugfs, "files");
	table = text_read(debugfs, "table");
	extents = text_read(debugfs, "extents");
	if (opt.truth_file)
		truth_load(&files, opt.truth_file);
	for (i = 0; i < opt.nr_dirs && !opt.truth_file; i++)
		truth_walk(&files, opt.dirs[i]);
	truth_sort(&files);
	text_table(&files, table, &opt);
	text_extents(&files, extents, &opt);
	text_files(&files, list, &opt);
	compare_all(&files, &opt);
	if (fflush(stdout))
		die("cannot write");
	return problems ? 1 : 0;
}
