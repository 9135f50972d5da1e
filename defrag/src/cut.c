// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of the third step of the pipeline: the ranges of a file, where they begin and end, and what they gain.
 * A move takes blocks away from their neighbours, and so may make a break at each of its ends. That costs nothing
 * at the edge of a window if readers are aligned to it, and nothing where a break is already:
 *
 *	 window             window             window
 *	|aaaaaaa bb ccc ddd|dddddd eee fffffff|ggggggggggg ...
 *	                   ^ edge             ^ fragmented edge
 *
 * An end of a range is the edge of the window, where a new break may cost something, or its outermost break: there
 * it costs nothing, but this break stays. Windows next to each other are moved together, and the edge between them
 * costs nothing; if it was fragmented, and readers go on across it, that gains something. So whole windows may be worth a
 * move, too, together with others. Of each row of windows where readers go on from one to the next, those parts are
 * taken that gain most, less the price of their blocks.
 */
#include <math.h>

#include "cut.h"
#include "weight.h"

/*
 * A window and its breaks: @all of their weights, and those of the @first and the @last one (HUGE_VAL if there is
 * none); the blocks before and after these, and all of its blocks; what a new break at its edges costs, @left and @right
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

/*
 * The ranges of a file as they are found. At hand are the last @n of the plan, from @first on, and their @pieces: windows in
 * a row, of which at most one part is taken, from the first of them on. @open: what is gained if all of them are taken and the
 * part goes on, more than by the best choice among them; @best: how many of them this choice takes. @price: of a block.
 */
struct cut {
	struct plan *plan;
	struct layout layout;
	uint64_t request_blks;
	double price;
	size_t first;
	struct piece *pieces;
	size_t n;
	size_t cap;
	double open;
	size_t best;
};

/* === What is there === */

static bool is_break(const struct file_extent *extents, size_t i)
{
	return extents[i].lba != extents[i - 1].lba + extents[i - 1].blks;
}

static struct layout find_layout(const struct plan *plan, uint32_t file, const struct file_extent *extents, size_t n)
{
	uint64_t window_blks = plan->weights->known ? plan->weights->heat.window_blks : 1;
	struct layout l = { .file = file, .extents = extents, .n = n, .breaks = xcalloc(n, sizeof(*l.breaks)) };
	size_t i;

	l.end = n ? extents[n - 1].offset + extents[n - 1].blks : 0;
	for (size_t first = 0; first < n; first = i) {
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

	p->first = HUGE_VAL;
	p->last = HUGE_VAL;
	p->blks = w->blks;
	for (size_t i = w->first; i < w->end; blks += blks_in(w, &l->extents[i]), i++) {
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
static bool edge_is_fragmented(const struct file_extent *extents, size_t i, uint64_t blk)
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
	if (!edge_is_fragmented(l->extents, w->first, w->first_blk)) {
		p->left = weight_of_edge(weights, table, l->file, w->first_blk, l->end);
		if (p->left <= 0.0)
			p->join = -1.0;
	} else if (is_next) {
		p->join = weight_of_fragmented_edge(weights, table, l->file, w->first_blk, l->end, l->breaks[w->first]);
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
			p->on = weight_of_fragmented_edge(weights, table, l->file, next, l->end, l->breaks[w->end]);
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
static double gain_of(const struct plan *plan, double saved, uint64_t blks)
{
	return (double)(uint64_t)(saved * plan->mib_blks / (double)blks * 1e6 + 0.5) / 1e6;
}

/*
 * Take the first @n of the windows at hand as one range each, which gain the same for each byte. Return: false if they gain
 * nothing, which may be seen only here: sums are rounded.
 */
static bool take(struct cut *c, size_t n)
{
	struct range *ranges = c->plan->ranges + c->first;
	const struct piece *pieces = c->pieces, *last = &pieces[n - 1];
	bool late = is_late(c, pieces), early = is_early(c, last);
	double saved = 0.0, gain;
	uint64_t blks = 0;

	saved -= late ? pieces->first : pieces->left;
	saved -= early ? last->last : last->right;
	for (size_t i = 0; i < n; i++) {
		saved += pieces[i].all + (i ? pieces[i].join : 0.0);
		blks += pieces[i].blks;
	}
	blks -= (late ? pieces->blks_before : 0) + (early ? last->blks_after : 0);
	gain = saved > 0.0 && blks ? gain_of(c->plan, saved, blks) : 0.0;
	if (gain <= 0.0)
		return false;
	if (late) {
		ranges[0].is_late = true;
		ranges[0].first_blk = pieces->first_break;
		ranges[0].blks -= pieces->blks_before;
		ranges[0].after++;
	}
	if (early) {
		ranges[n - 1].is_early = true;
		ranges[n - 1].end_blk = last->last_break;
		ranges[n - 1].blks -= last->blks_after;
		ranges[n - 1].after++;
	}
	for (size_t i = 0; i < n; i++) {
		ranges[i].is_joined = i > 0;
		ranges[i].heals_edge = i > 0 && pieces[i].join > 0.0;
		ranges[i].gain = gain;
	}
	return true;
}

/* A window that is not worth its price gains less than that. A whole one gains nothing alone. */
static void leave(const struct cut *c, size_t i)
{
	const struct piece *p = &c->pieces[i];
	double saved = p->all - p->left - p->right;

	c->plan->ranges[c->first + i].gain = saved > 0.0 ? gain_of(c->plan, saved, p->blks) : 0.0;
}

/* Choose among the windows at hand. Whole windows that no part has taken are not ranges. */
static void finish(struct cut *c)
{
	struct plan *plan = c->plan;
	size_t i = c->best && take(c, c->best) ? c->best : 0, n = c->first;

	for (; i < c->n; i++)
		leave(c, i);
	for (i = c->first; i < plan->n_ranges; i++)
		if (plan->ranges[i].requests > 1 || plan->ranges[i].gain > 0.0)
			plan->ranges[n++] = plan->ranges[i];
	plan->n_ranges = n;
	c->first = n;
	c->n = 0;
	c->best = 0;
}

/*
 * Take one more window in hand. Of windows in a row, those parts are taken that gain most in sum, less the price of their
 * blocks. If it is best to begin a part with this window, whatever comes after it, the windows before it are done.
 */
static void consider(struct cut *c, const struct piece *p)
{
	double on = c->n && p->join >= 0.0 ? c->open + p->join : -HUGE_VAL, begin = -begin_cost(c, p), end;

	if (begin >= on)
		finish(c);
	c->open = (begin >= on ? begin : on) + p->all - c->price * (double)p->blks;
	end = c->open - end_cost(c, p);
	*APPEND(c->pieces, c->n, c->cap) = *p;
	if (end > 1e-9) {
		c->open -= end;
		c->best = c->n;
	}
}

/* === All ranges === */

/* A window becomes a range; @p: what is known of it so far. */
static void add_range(struct cut *c, const struct window *w, struct piece *p)
{
	struct plan *plan = c->plan;

	find_breaks(p, plan, w, &c->layout);
	consider(c, p);
	*APPEND(plan->ranges, plan->n_ranges, plan->cap_ranges) = (struct range){
		.file = c->layout.file,
		.first_blk = w->first_blk,
		.end_blk = w->end_blk,
		.blks = w->blks,
		.requests = w->requests,
		.after = 1,
		.heat = w->requests > 1 ? p->all / (double)(w->requests - 1) : fmax(fmax(p->join, p->on), 0.0),
	};
}

/* Find all windows that are fragmented, or where readers go on from or to the next window. */
static void find_ranges(struct cut *c)
{
	struct model model = { .extents = c->layout.extents, .n = c->layout.n, .request_blks = c->request_blks };
	struct window before = { 0 }, w;
	bool is_added = false;
	struct piece p;

	for (; model_next(&model, &w); before = w) {
		bool is_next = is_added && before.first_blk / c->request_blks + 1 == w.first_blk / c->request_blks;

		find_edges(&p, c->plan, &w, c->request_blks, is_next, &c->layout);
		is_added = w.requests > 1 || p.left > 0.0 || p.right > 0.0 || p.join > 0.0 ||
			   p.on > 0.0;
		if (is_added)
			add_range(c, &w, &p);
	}
	finish(c);
}

/* FragPicker takes windows as they are. */
static void weigh_bytes(const struct plan *plan, struct range *r, uint64_t file_end)
{
	r->heat = weight_of_bytes(plan->weights, plan->table, r->file, r->first_blk, r->end_blk, file_end);
	r->gain = gain_of(plan, r->heat * (double)(r->requests - 1), r->blks);
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
		.price = plan->weights->by_bytes ? 0.0 : v->min_gain / plan->mib_blks,
		.first = plan->n_ranges,
	};
	size_t i = plan->n_ranges;

	find_ranges(&c);
	for (; plan->weights->by_bytes && i < plan->n_ranges; i++)
		weigh_bytes(plan, &plan->ranges[i], c.layout.end);
	free(c.pieces);
	free(c.layout.breaks);
}
