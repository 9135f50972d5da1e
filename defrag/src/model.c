// SPDX-License-Identifier: GPL-2.0-only
/*
 * Second step of the pipeline: the extents of one file -> the requests that a reader needs.
 * A reader asks for windows of the request size, aligned to it, as a sequential buffered reader does by
 * readahead. Within a window, the device needs one request for each run of blocks whose addresses go up
 * by one. A hole does not end a run if the address after it continues. With 128 KiB this is the
 * figure `requests_128k` of debugfs.
 */
#include "model.h"

/**
 * model_next() - go on to the next window that has written blocks
 * @m: the walk
 * @w: the result
 *
 * Return: false at the end of the file.
 */
bool model_next(struct model *m, struct window *w)
{
	uint64_t begin, end, next_lba = UINT64_MAX;

	if (m->next == m->n)
		return false;
	begin = m->extents[m->next].offset + m->done;
	end = (begin / m->request_blks + 1) * m->request_blks;
	*w = (struct window){ .first_blk = begin, .first = m->next };
	while (m->next < m->n) {
		const struct file_extent *p = &m->extents[m->next];
		uint64_t blk = p->offset + m->done, blks = p->blks - m->done;

		if (blk >= end)
			break;
		if (blks > end - blk)
			blks = end - blk;
		w->requests += p->lba + m->done != next_lba;
		next_lba = p->lba + m->done + blks;
		w->blks += blks;
		w->end_blk = blk + blks;
		w->end = m->next + 1;
		m->done += blks;
		if (m->done == p->blks) {
			m->next++;
			m->done = 0;
		}
	}
	return true;
}

/**
 * model_sum() - the figures of a file
 * @sum: they are added to these
 * @extents: its extents, in file order
 * @n: number of @extents
 * @request_blks: size of a request
 */
void model_sum(struct requests *sum, const struct file_extent *extents, size_t n, uint64_t request_blks)
{
	struct model model = { .extents = extents, .n = n, .request_blks = request_blks };
	struct window w;

	while (model_next(&model, &w)) {
		sum->blks += w.blks;
		sum->requests += w.requests;
		sum->ideal++;
	}
	for (size_t i = 1; i < n; i++)
		sum->breaks += extents[i].lba != extents[i - 1].lba + extents[i - 1].blks;
}
