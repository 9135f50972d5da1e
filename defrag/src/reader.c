// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: which blocks a sequential reader has read at once.
 * A direct reader gets what it asks for. For a buffered one the kernel reads ahead, in windows that begin small
 * and grow (mm/readahead.c):
 *
 *	|------ first window -----|------- second ------|------- third -------|
 *	^ read 1 asks for this    ^                     ^
 *	           ^ mark         ^ mark                ^ mark
 *
 * The reader of the page at the mark of a window has the next window read. The mark of the first window is at the
 * end of the first read, or in the middle of the window if the read is larger; that of all others is their first
 * page. So windows follow each other, and the reader of a file from its first page on misses no other page.
 */
#include "reader.h"

/* The largest window for a read of so many blocks: a large read may be as long as a request of the device. */
static uint64_t largest(const struct reader *r, uint64_t blks)
{
	return blks > r->ahead_blks && r->device_blks > r->ahead_blks ? min_of(blks, r->device_blks) : r->ahead_blks;
}

/* The first window: more than is asked for. */
static uint64_t first_size(uint64_t blks, uint64_t max)
{
	uint64_t size = 1;

	while (size < blks)
		size *= 2;
	if (size <= max / 32)
		return size * 4;
	return size <= max / 4 ? size * 2 : max;
}

/* A later window: two or four times the one before, until that is the largest. */
static uint64_t next_size(uint64_t size, uint64_t max)
{
	uint64_t next = size < max / 16 ? 4 * size : size <= max / 2 ? 2 * size : max;

	return next > size ? next : size;
}

static void read_ahead(struct reader *r)
{
	uint64_t end = r->start + r->size;
	bool is_marked = r->mark < end;
	uint64_t at = is_marked ? r->mark : end;
	/* what the read that comes to this page asks for from there on */
	uint64_t asked = r->read_blks - at % r->read_blks;

	r->start = end;
	if (is_marked) {
		r->size = next_size(r->size, largest(r, asked));
		r->mark = r->start;
	} else {
		/* the begin of the file; or a window of one page had no place for a mark */
		r->size = first_size(asked, largest(r, asked));
		r->mark = r->start + (r->size > asked ? asked : r->size - r->size / 2);
	}
}

/**
 * reader_next() - the next blocks that are read at once
 * @r: the reader; the private members are zero at the begin of a file
 * @file_blks: length of the file
 * @first_blk: set to the first block
 * @end_blk: set to the end (exclusive)
 *
 * Return: false at the end of the file.
 */
bool reader_next(struct reader *r, uint64_t file_blks, uint64_t *first_blk, uint64_t *end_blk)
{
	if (r->is_direct || !r->ahead_blks) {
		/* without readahead, a buffered reader gets each page alone */
		r->start += r->size;
		r->size = r->is_direct ? r->read_blks : 1;
	} else {
		read_ahead(r);
	}
	*first_blk = r->start;
	*end_blk = min_of(r->start + r->size, file_blks);
	return r->start < file_blks;
}
