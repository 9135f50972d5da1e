// SPDX-License-Identifier: GPL-2.0-only
/*
 * The figures of a file, computed block by block, straight from their definitions.
 *
 * In: the runs of one file in logical order. Out: struct figures. This is deliberately not how the
 * module computes them: no run is split or merged here, each block is counted separately.
 */
#include <stdlib.h>

#include "fiemap-check.h"

/* Blocks in a window of 128 KiB. */
#define WINDOW (128 * 1024 / BLOCK_BYTES)

/* A quotient in tenths, rounded half up; 0 if the divisor is 0. */
static uint64_t tenths(uint64_t sum, uint64_t count)
{
	return count ? (20 * sum + count) / (2 * count) : 0;
}

/**
 * struct cursor - the state of the walk over the blocks
 * @any: a block was seen
 * @encoded: the last block was one of a compressed cluster
 * @lblk: the last block's place in the file
 * @pblk: the last block's place on the volume
 * @distances: sum of the distances between fragments, in blocks
 * @window: the window of the last block
 */
struct cursor {
	bool any;
	bool encoded;
	uint64_t lblk;
	uint64_t pblk;
	uint64_t distances;
	uint64_t window;
};

static void look_at(struct cursor *c, struct figures *f, uint64_t lblk, uint64_t pblk, bool encoded)
{
	bool new_fragment = !c->any || pblk != c->pblk + 1;
	bool new_extent = new_fragment || lblk != c->lblk + 1 || encoded != c->encoded;
	bool new_window = !c->any || lblk / WINDOW != c->window;

	f->blocks++;
	f->extents += new_extent;
	f->fragments += new_fragment;
	if (c->any && new_fragment) {
		uint64_t end = c->pblk + 1;

		c->distances += pblk > end ? pblk - end : end - pblk;
	}
	f->ideal += new_window;
	/* Each fragment that has a block in a window takes one request there. */
	f->requests += new_window || new_fragment;
	c->any = true;
	c->encoded = encoded;
	c->lblk = lblk;
	c->pblk = pblk;
	c->window = lblk / WINDOW;
}

/**
 * figures_compute() - compute the figures of one file
 * @truth: its runs, in logical order; unwritten ones are skipped
 * @out: the figures
 */
void figures_compute(const struct runs *truth, struct figures *out)
{
	struct cursor c = { 0 };
	uint64_t b;
	size_t i;

	*out = (struct figures){ 0 };
	for (i = 0; i < truth->n; i++) {
		const struct run *r = &truth->v[i];

		for (b = 0; !r->unwritten && b < r->len; b++)
			look_at(&c, out, r->lblk + b, r->pblk + b, r->encoded);
	}
	out->mean_fragment = tenths(out->blocks, out->fragments);
	out->mean_distance = out->fragments > 1 ? tenths(c.distances, out->fragments - 1) : 0;
}
