// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of the third step of the pipeline: the ranges of a file, where they begin and end, and what they gain.
 * A move takes blocks away from their neighbours, and so may make a break at each of its ends. That costs nothing
 * at the edge of a window if readers are aligned to it, and nothing where a break is already:
 *
 *	 window             window             window
 *	|aaaaaaa bb ccc ddd|dddddd eee fffffff|ggggggggggg ...
 *	                   ^ edge             ^ broken edge
 *
 * An end of a range is the edge of the window, where a new break may cost something, or its outermost break: there
 * it costs nothing, but this break stays. Windows next to each other are moved together, and the edge between them
 * costs nothing; if it was broken, and readers go on across it, that gains something. So whole windows may be worth a
 * move, too, together with others. Of each row of windows where readers go on from one to the next, those parts are
 * taken that gain most, less the price of their blocks.
 */
#include <math.h>
#include <stdlib.h>

#include "cut.h"
#include "util.h"
#include "weight.h"

/*
 * A window and its breaks: @all of their weights, and those of the @first and the @last one (without any, no number is
 * more); the blocks before and after these, and all of its blocks; what a new break at its edges costs, @left and @right
 * (0 if one is there); what joining it to the window before it gains, @join, which is less than 0 if these are not
 * moved together; and what joining it to the next one gains, @on.
 */
struct piece {
	double all;
	double first;
	double last;
	double left;
	double right;
	double join;
	double on;
	uint64_t first_break;
	uint64_t last_break;
	uint64_t blks_before;
	uint64_t blks_after;
	uint64_t blks;
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

/* The ranges of a file as they are found, from @first of the plan on, and the pieces of each; @price: of a block. */
struct cut {
	struct plan *plan;
	struct layout layout;
	uint64_t request_blks;
	double price;
	size_t first;
	struct piece *pieces;
	size_t n;
	size_t cap;
};

/* === What is there === */

static double larger(double a, double b)
{
	return a > b ? a : b;
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

	p->first = HUGE_VAL;
	p->last = HUGE_VAL;
	p->blks = w->blks;
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

/* Find what the edges of a window cost, or gain; @is_next: the window right before it is to become a range, too. */
static void find_edges(struct piece *p, const struct plan *plan, const struct window *w, uint64_t request_blks,
		       bool is_next, const struct layout *l)
{
	const struct weights *weights = plan->weights;
	const struct table *table = plan->table;

	*p = (struct piece){ .join = is_next ? 0.0 : -1.0 };
	if (!edge_is_broken(l->extents, w->first, w->first_blk)) {
		p->left = weight_of_edge(weights, table, l->file, w->first_blk, l->end);
		if (p->left <= 0.0)
			p->join = -1.0;
	} else if (is_next) {
		p->join = weight_of_broken_edge(weights, table, l->file, w->first_blk, l->end, l->breaks[w->first]);
		if (p->join <= 0.0)
			p->join = -1.0;
	}
	if (l->extents[w->end - 1].offset + l->extents[w->end - 1].blks > w->end_blk) {
		p->right = weight_of_edge(weights, table, l->file, w->end_blk, l->end);
	} else if (w->end < l->n) {
		uint64_t next = l->extents[w->end].offset;

		if (!is_break(l->extents, w->end))
			p->right = weight_of_edge(weights, table, l->file, next, l->end);
		else if (next / request_blks == w->first_blk / request_blks + 1)
			p->on = weight_of_broken_edge(weights, table, l->file, next, l->end, l->breaks[w->end]);
	}
}

/* === All ranges === */

/* A window becomes a range; @edges: what is known of it so far. */
static void add_range(struct cut *c, const struct window *w, const struct piece *edges)
{
	struct plan *plan = c->plan;
	struct piece *p;

	c->pieces = grow(c->pieces, &c->cap, c->n, sizeof(*c->pieces));
	p = &c->pieces[c->n++];
	*p = *edges;
	find_breaks(p, plan, w, &c->layout);
	plan->ranges = grow(plan->ranges, &plan->cap_ranges, plan->n_ranges, sizeof(*plan->ranges));
	plan->ranges[plan->n_ranges++] = (struct range){
		.file = c->layout.file,
		.first_blk = w->first_blk,
		.end_blk = w->end_blk,
		.blks = w->blks,
		.requests = w->requests,
		.after = 1,
		.heat = w->requests > 1 ? p->all / (double)(w->requests - 1) : larger(larger(p->join, p->on), 0.0),
	};
}

/* Find all windows that are broken, or where readers go on from or to the next window. */
static void find_ranges(struct cut *c)
{
	struct model model = { .extents = c->layout.extents, .n = c->layout.n, .request_blks = c->request_blks };
	struct window before = { 0 }, w;
	bool is_added = false;
	struct piece edges;

	for (; model_next(&model, &w); before = w) {
		bool is_next = is_added && before.first_blk / c->request_blks + 1 == w.first_blk / c->request_blks;

		find_edges(&edges, c->plan, &w, c->request_blks, is_next, &c->layout);
		is_added = w.requests > 1 || edges.left > 0.0 || edges.right > 0.0 || edges.join > 0.0 ||
			   edges.on > 0.0;
		if (is_added)
			add_range(c, &w, &edges);
	}
}

/* === The choice === */

/* What a range costs that begins, or ends, with the break of this window; the blocks outside of it need not be written. */
static double late_cost(const struct cut *c, const struct piece *p)
{
	return p->first - c->price * (double)p->blks_before;
}

static double early_cost(const struct cut *c, const struct piece *p)
{
	return p->last - c->price * (double)p->blks_after;
}

/* Does a range rather begin, or end, with the break than with the edge? */
static bool is_late(const struct cut *c, const struct piece *p)
{
	return late_cost(c, p) < p->left || (late_cost(c, p) == p->left && p->left > 0.0);
}

static bool is_early(const struct cut *c, const struct piece *p)
{
	return early_cost(c, p) < p->right || (early_cost(c, p) == p->right && p->right > 0.0);
}

static double begin_cost(const struct cut *c, const struct piece *p)
{
	return is_late(c, p) ? late_cost(c, p) : p->left;
}

static double end_cost(const struct cut *c, const struct piece *p)
{
	return is_early(c, p) ? early_cost(c, p) : p->right;
}

/* As it is shown, so that what looks equal is equal. */
static double gain_of(double saved, uint64_t blks)
{
	return (double)(uint64_t)(saved * MIB_BLKS / (double)blks * 1e6 + 0.5) / 1e6;
}

/* Take the windows from @first to @end as one range each, which gain the same for each byte. */
static void take(const struct cut *c, size_t first, size_t end)
{
	struct range *ranges = c->plan->ranges + c->first;
	const struct piece *pieces = c->pieces;
	double saved = 0.0;
	uint64_t blks = 0;
	size_t i;

	ranges[first].is_late = is_late(c, &pieces[first]);
	saved -= ranges[first].is_late ? pieces[first].first : pieces[first].left;
	if (ranges[first].is_late) {
		ranges[first].first_blk = pieces[first].first_break;
		ranges[first].blks -= pieces[first].blks_before;
		ranges[first].after++;
	}
	ranges[end - 1].is_early = is_early(c, &pieces[end - 1]);
	saved -= ranges[end - 1].is_early ? pieces[end - 1].last : pieces[end - 1].right;
	if (ranges[end - 1].is_early) {
		ranges[end - 1].end_blk = pieces[end - 1].last_break;
		ranges[end - 1].blks -= pieces[end - 1].blks_after;
		ranges[end - 1].after++;
	}
	for (i = first; i < end; i++) {
		ranges[i].is_joined = i > first;
		ranges[i].heals_edge = i > first && pieces[i].join > 0.0;
		saved += pieces[i].all + (i > first ? pieces[i].join : 0.0);
		blks += ranges[i].blks;
	}
	for (i = first; i < end; i++)
		ranges[i].gain = gain_of(saved, blks);
}

/* A window that is not worth its price gains less than that. A whole one gains nothing alone. */
static void leave(const struct cut *c, size_t i)
{
	const struct piece *p = &c->pieces[i];
	double saved = p->all - p->left - p->right;

	c->plan->ranges[c->first + i].gain = saved > 0.0 ? gain_of(saved, p->blks) : 0.0;
}

/*
 * Of windows in a row, from @first to @end, take those parts that gain most in sum, less the price of their blocks. @in[i]
 * and @out[i] are the best sums up to window i, if it is taken, or not taken or the last one that is; @begins[i]: the best
 * part that has window i begins with it.
 */
static void choose_in_row(const struct cut *c, size_t first, size_t end)
{
	const struct piece *pieces = c->pieces + first;
	size_t n = end - first, i, from;
	double *in = xcalloc(n, sizeof(*in)), *out = xcalloc(n, sizeof(*out));
	bool *begins = xcalloc(n, sizeof(*begins));

	for (i = 0; i < n; i++) {
		double before = i ? out[i - 1] : 0.0, begin = before - begin_cost(c, &pieces[i]), sum;
		double on = i ? in[i - 1] + pieces[i].join : -HUGE_VAL;

		begins[i] = begin > on;
		in[i] = (begins[i] ? begin : on) + pieces[i].all - c->price * (double)pieces[i].blks;
		sum = in[i] - end_cost(c, &pieces[i]);
		out[i] = sum > before + 1e-9 ? sum : before;
	}
	for (i = n; i; i = from) {
		from = i - 1;
		if (out[from] == (from ? out[from - 1] : 0.0)) {
			leave(c, first + from);
			continue;
		}
		while (!begins[from])
			from--;
		take(c, first + from, first + i);
	}
	free(in);
	free(out);
	free(begins);
}

/* FragPicker takes windows as they are. */
static void weigh_bytes(const struct plan *plan, struct range *r, uint64_t file_end)
{
	r->heat = weight_of_bytes(plan->weights, plan->table, r->file, r->first_blk, r->end_blk, file_end);
	r->gain = gain_of(r->heat * (double)(r->requests - 1), r->blks);
}

/* Whole windows that no part has taken are not ranges. */
static void drop_useless(struct plan *plan, size_t first)
{
	size_t n = first, i;

	for (i = first; i < plan->n_ranges; i++)
		if (plan->ranges[i].requests > 1 || plan->ranges[i].gain > 0.0)
			plan->ranges[n++] = plan->ranges[i];
	plan->n_ranges = n;
}

/**
 * cut_file() - find the ranges of a file, where they begin and end, and what they gain
 * @plan: the plan, to which they are added
 * @file: index into table.files
 * @extents: the extents of the file, in file order
 * @n: number of @extents
 *
 * A window that is not worth its price stays as it is.
 */
void cut_file(struct plan *plan, uint32_t file, const struct file_extent *extents, size_t n)
{
	const struct volume_plan *v = &plan->volumes[plan->table->files[file].volume];
	struct cut c = {
		.plan = plan,
		.layout = find_layout(plan, file, extents, n),
		.request_blks = v->request_blks,
		.price = plan->weights->by_bytes ? 0.0 : v->min_gain / MIB_BLKS,
		.first = plan->n_ranges,
	};
	size_t i, first = 0;

	find_ranges(&c);
	for (i = 1; i <= c.n; i++) {
		if (i < c.n && c.pieces[i].join >= 0.0)
			continue;
		choose_in_row(&c, first, i);
		first = i;
	}
	for (i = 0; plan->weights->by_bytes && i < c.n; i++)
		weigh_bytes(plan, &plan->ranges[c.first + i], c.layout.end);
	drop_useless(plan, c.first);
	free(c.pieces);
	free(c.layout.breaks);
}
