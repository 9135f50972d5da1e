// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of the third step of the pipeline: where the ranges of a file begin and end, and what they gain.
 * A move takes blocks away from their neighbours, and so may make a break at each of its ends. That costs nothing
 * at the edge of a window if readers are aligned to it, and nothing where a break is already:
 *
 *	 window             window             window
 *	|aaaaaaa bb ccc ddd|dddddd eee fffffff|ffffffffff ...
 *	                   ^ edge             ^ edge
 *
 * An end of a range is the edge of the window, where a new break may cost something, or its outermost break: there
 * it costs nothing, but this break stays. Windows next to each other are moved together, and the edge between them
 * costs nothing. Of each row of broken windows those parts are taken that gain most.
 */
#include <stdlib.h>

#include "cut.h"
#include "util.h"
#include "weight.h"

#define MIB_BLKS 256.0

/*
 * A broken window and its breaks: @all of their weights, and those of the @first and the @last one; the blocks
 * @before and @after these; what a new break at its edges costs, @left and @right (0 if one is there); and what
 * joining it to the window before it gains, @join, which is less than 0 if these are not moved together.
 */
struct piece {
	double all;
	double first;
	double last;
	double left;
	double right;
	double join;
	uint64_t first_break;
	uint64_t last_break;
	uint64_t blks_before;
	uint64_t blks_after;
};

/*
 * A file: its extents, in file order, and for each that begins after a break, how many breaks there are inside of the
 * module's window that it begins in.
 */
struct layout {
	uint32_t file;
	const struct file_extent *extents;
	size_t n;
	uint64_t end;
	uint64_t *breaks;
};

/* === What is there === */

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static bool is_break(const struct file_extent *extents, size_t i)
{
	return extents[i].lba != extents[i - 1].lba + extents[i - 1].blks;
}

static struct layout find_layout(const struct plan *plan, uint32_t file, const struct file_extent *extents, size_t n)
{
	uint64_t window_blks = plan->weights->known ? plan->weights->heat.window_blks : 1;
	struct layout l = { .file = file, .extents = extents, .n = n, .breaks = xcalloc(n, sizeof(*l.breaks)) };
	size_t first, i;

	l.end = n ? extents[n - 1].offset + extents[n - 1].blks : 0;
	for (first = 0; first < n; first = i) {
		uint64_t breaks = 0;

		for (i = first; i < n && extents[i].offset / window_blks == extents[first].offset / window_blks; i++)
			breaks += i && extents[i].offset % window_blks && is_break(extents, i);
		for (; first < i; first++)
			l.breaks[first] = first && is_break(extents, first) ? breaks : 0;
	}
	return l;
}

/* The blocks of an extent in a window. */
static uint64_t blks_in(const struct window *w, const struct file_extent *e)
{
	uint64_t end = e->offset + e->blks;

	return (end < w->end_blk ? end : w->end_blk) - (e->offset > w->first_blk ? e->offset : w->first_blk);
}

/* Find the breaks of a window. */
static void find_breaks(struct piece *p, const struct plan *plan, const struct window *w, const struct layout *l)
{
	bool in_place = !again_is_rewritten(plan->table, l->extents + w->first, w->end - w->first);
	uint64_t blks = 0;
	size_t i;

	*p = (struct piece){ .join = -1.0 };
	for (i = w->first; i < w->end; blks += blks_in(w, &l->extents[i]), i++) {
		if (i == w->first || !is_break(l->extents, i))
			continue;
		p->last = weight_of_break(plan->weights, plan->table, l->file, l->extents[i].offset, l->end, l->breaks[i],
					  in_place);
		p->last_break = l->extents[i].offset;
		p->blks_after = w->blks - blks;
		if (!p->first_break) {
			p->first = p->last;
			p->first_break = p->last_break;
			p->blks_before = blks;
		}
		p->all += p->last;
	}
}

/* Is there a break at the edge before a block of this extent? A file has none at its ends. */
static bool edge_is_broken(const struct file_extent *extents, size_t i, uint64_t blk)
{
	return extents[i].offset == blk && (!i || is_break(extents, i));
}

/* Find what the edges of a window cost; @is_next: the window before it is broken, too. */
static void find_edges(struct piece *p, const struct plan *plan, const struct window *w, bool is_next,
		       const struct layout *l)
{
	bool broken = edge_is_broken(l->extents, w->first, w->first_blk);
	double left = w->first_blk ? weight_of_edge(plan->weights, plan->table, l->file, w->first_blk, l->end,
						    broken ? l->breaks[w->first] : 0) : 0.0;

	p->left = broken ? 0.0 : left;
	if (is_next && left > 0.0)
		p->join = broken ? left : 0.0;
	if (l->extents[w->end - 1].offset + l->extents[w->end - 1].blks > w->end_blk)
		p->right = weight_of_edge(plan->weights, plan->table, l->file, w->end_blk, l->end, 0);
	else if (w->end < l->n && !is_break(l->extents, w->end))
		p->right = weight_of_edge(plan->weights, plan->table, l->file, l->extents[w->end].offset, l->end, 0);
}

/* === The choice === */

/* What a range costs that begins, or ends, with this window. */
static double begin_cost(const struct piece *p)
{
	return smaller(p->left, p->first);
}

static double end_cost(const struct piece *p)
{
	return smaller(p->right, p->last);
}

/* Take the windows from @first to @end as one range each, which gain the same for each byte. */
static void take(struct range *ranges, const struct piece *pieces, size_t first, size_t end)
{
	double saved = -begin_cost(&pieces[first]) - end_cost(&pieces[end - 1]);
	uint64_t blks = 0;
	size_t i;

	if (pieces[first].left >= pieces[first].first && pieces[first].left > 0.0) {
		ranges[first].is_late = true;
		ranges[first].first_blk = pieces[first].first_break;
		ranges[first].blks -= pieces[first].blks_before;
		ranges[first].after++;
	}
	if (pieces[end - 1].right >= pieces[end - 1].last && pieces[end - 1].right > 0.0) {
		ranges[end - 1].is_early = true;
		ranges[end - 1].end_blk = pieces[end - 1].last_break;
		ranges[end - 1].blks -= pieces[end - 1].blks_after;
		ranges[end - 1].after++;
	}
	for (i = first; i < end; i++) {
		saved += pieces[i].all + (i > first ? pieces[i].join : 0.0);
		blks += ranges[i].blks;
	}
	/* as it is shown, so that what looks equal is equal */
	for (i = first; i < end; i++)
		ranges[i].gain = (double)(uint64_t)(saved * MIB_BLKS / (double)blks * 1e6 + 0.5) / 1e6;
}

/*
 * Of windows in a row, take those parts that gain most in sum. @in[i] and @out[i] are the best sums up to window i, if it
 * is taken, or not taken or the last one that is; @begins[i]: the best part that has window i begins with it.
 */
static void choose_in_row(struct range *ranges, const struct piece *pieces, size_t n)
{
	double *in = xcalloc(n, sizeof(*in)), *out = xcalloc(n, sizeof(*out));
	bool *begins = xcalloc(n, sizeof(*begins));
	size_t i, first;

	for (i = 0; i < n; i++) {
		double before = i ? out[i - 1] : 0.0, on = i ? in[i - 1] + pieces[i].join : -1.0, begin;

		begin = before - begin_cost(&pieces[i]);
		begins[i] = !i || begin > on;
		in[i] = (begins[i] ? begin : on) + pieces[i].all;
		out[i] = in[i] - end_cost(&pieces[i]) > before + 1e-9 ? in[i] - end_cost(&pieces[i]) : before;
	}
	for (i = n; i; i = first) {
		first = i - 1;
		if (out[first] == (first ? out[first - 1] : 0.0))
			continue;
		while (!begins[first])
			first--;
		take(ranges, pieces, first, i);
	}
	free(in);
	free(out);
	free(begins);
}

/* FragPicker takes windows as they are. */
static void weigh_bytes(const struct plan *plan, struct range *r, uint64_t file_end)
{
	r->heat = weight_of_bytes(plan->weights, plan->table, r->file, r->first_blk, r->end_blk, file_end);
	r->gain = (double)(uint64_t)(r->heat * (double)(r->requests - 1) * MIB_BLKS / (double)r->blks * 1e6 + 0.5) / 1e6;
}

/**
 * cut_ranges() - find where the ranges of a file begin and end, and what they gain
 * @plan: the plan; the ranges of the file are its broken windows
 * @file: index into table.files
 * @extents: the extents of the file, in file order
 * @n: number of @extents
 *
 * A range that gains nothing stays as it is.
 */
void cut_ranges(struct plan *plan, uint32_t file, const struct file_extent *extents, size_t n)
{
	const struct file_plan *f = &plan->files[file];
	uint64_t request_blks = plan->volumes[plan->table->files[file].volume].request_blks;
	struct model model = { .extents = extents, .n = n, .request_blks = request_blks };
	struct layout l = find_layout(plan, file, extents, n);
	struct range *ranges = plan->ranges + f->first;
	size_t n_ranges = f->end - f->first, i = 0, first = 0;
	struct piece *pieces = xcalloc(n_ranges, sizeof(*pieces));
	struct window w;

	while (model_next(&model, &w)) {
		if (w.requests == 1)
			continue;
		find_breaks(&pieces[i], plan, &w, &l);
		find_edges(&pieces[i], plan, &w, i && ranges[i - 1].first_blk / request_blks + 1 == w.first_blk / request_blks,
			   &l);
		ranges[i].heat = pieces[i].all / (double)(w.requests - 1);
		i++;
	}
	for (i = 1; i <= n_ranges; i++) {
		if (i < n_ranges && pieces[i].join >= 0.0)
			continue;
		choose_in_row(ranges + first, pieces + first, i - first);
		first = i;
	}
	for (i = 0; plan->weights->by_bytes && i < n_ranges; i++)
		weigh_bytes(plan, &ranges[i], l.end);
	free(pieces);
	free(l.breaks);
}
