// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the requests of a sequential reader, before and after the plan.
 * F2FS makes one request of each run of blocks in what is read at once; the device gets more if a run is longer than
 * it takes. That depends on the memory of the reader, too: a device takes so many pieces of it at once, and pages that
 * follow each other are one. Nobody knows this before, so there are two numbers. After the plan, the blocks of a volume
 * that are moved follow each other in the order of the plan.
 */

#include "forecast.h"

/* Where the moved blocks are: behind all that a volume can have. */
#define MOVED_LBA (UINT64_C(1) << 40)

/* Extents in file order. */
struct extents {
	struct file_extent *items;
	size_t n;
	size_t cap;
};

static void add(struct extents *e, uint64_t offset, uint64_t lba, uint64_t blks)
{
	if (!blks)
		return;
	*APPEND(e->items, e->n, e->cap) = (struct file_extent){ .offset = offset, .lba = lba, .blks = blks };
}

/* The extents of a file as its chosen ranges leave it; @moved: the blocks that were moved before. */
static void move(struct extents *to, const struct file_extent *from, size_t n, const struct range *r,
		 const struct range *end, uint64_t *moved)
{
	to->n = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t blk = from[i].offset, stop = from[i].offset + from[i].blks;

		while (blk < stop) {
			uint64_t first, last;

			while (r < end && (!r->chosen || r->end_blk <= blk))
				r++;
			first = r < end && r->first_blk < stop ? r->first_blk : stop;
			last = r < end && r->end_blk < stop ? r->end_blk : stop;
			if (first > blk) {
				add(to, blk, from[i].lba + (blk - from[i].offset), first - blk);
				blk = first;
			} else {
				add(to, blk, MOVED_LBA + *moved, last - blk);
				*moved += last - blk;
				blk = last;
			}
		}
	}
}

/* The requests of a run of blocks. */
static uint64_t of_run(uint64_t blks, uint64_t limit_blks)
{
	return limit_blks ? (blks + limit_blks - 1) / limit_blks : blks > 0;
}

static uint64_t requests_up_to(uint64_t limit_blks, struct reader reader, const struct file_extent *e, size_t n)
{
	uint64_t sum = 0, first, end;
	size_t i = 0;

	while (n && reader_next(&reader, e[n - 1].offset + e[n - 1].blks, &first, &end)) {
		uint64_t run = 0, next_lba = 0;

		while (i < n && e[i].offset < end) {
			uint64_t stop = e[i].offset + e[i].blks, from = e[i].offset > first ? e[i].offset : first;
			uint64_t blks = (stop < end ? stop : end) - from, lba = e[i].lba + (from - e[i].offset);

			if (run && lba != next_lba) {
				sum += of_run(run, limit_blks);
				run = 0;
			}
			run += blks;
			next_lba = lba + blks;
			if (stop > end)
				break;
			i++;
		}
		sum += of_run(run, limit_blks);
	}
	return sum;
}

static void add_requests(struct foreseen *sum, const struct volume_plan *v, const struct file_extent *e, size_t n)
{
	sum->most += requests_up_to(device_limit_bytes(&v->device) / v->device.blk_bytes, v->reader, e, n);
	sum->least += requests_up_to(device_largest_bytes(&v->device) / v->device.blk_bytes, v->reader, e, n);
}

/**
 * forecast_find() - foresee the requests of a reader of all files of a volume
 * @f: the result
 * @plan: the plan
 * @volume: index into table.volumes
 */
void forecast_find(struct forecast *f, struct plan *plan, uint32_t volume)
{
	const struct volume_plan *v = &plan->volumes[volume];
	struct extents after = { 0 };
	uint64_t moved = 0;

	*f = (struct forecast){ 0 };
	for (uint32_t i = 0; i < plan->table->n_files; i++) {
		const struct file_plan *file = &plan->files[i];
		const struct file_extent *e;
		size_t n;

		if (plan->table->files[i].volume != volume || !file->now.blks)
			continue;
		e = by_file_extents(&plan->by_file, i, &n);
		add_requests(&f->now, v, e, n);
		move(&after, e, n, plan->ranges + file->first, plan->ranges + file->end, &moved);
		add_requests(&f->after, v, after.items, after.n);
	}
	free(after.items);
}
