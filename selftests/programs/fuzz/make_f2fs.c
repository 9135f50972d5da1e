// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make operations on one file that only F2FS has. Those that belong together are of one thread.
 */
#include <string.h>

#include "make.h"

/* Move between files and within one. F2FS copies blocks of a checkpoint, and changes the owner of others. */
static void make_move(struct maker *m)
{
	unsigned int from = near_file(m), to = one_in(m, 3) ? from : near_file(m);
	uint64_t in = down(below(m, m->size[from] + 1)), len = up(any_length(m)), out = any_offset(m, to);

	if (one_in(m, 2))
		emit(m, "write %s %llu %llu", path(from), (unsigned long long)in, (unsigned long long)len);
	if (one_in(m, 3))
		emit(m, "checkpoint");
	if (in + len > m->size[from])
		len = m->size[from] - in;
	if (!one_in(m, 12))
		out = down(out);
	emit(m, "move %s %llu %s %llu %llu", path(from), (unsigned long long)in, path(to), (unsigned long long)out,
	    (unsigned long long)len);
	grow(m, to, out + len);
}

static void make_atomic(struct maker *m)
{
	unsigned int f = near_file(m), n = 1 + below(m, 4);

	emit(m, "%s %s", one_in(m, 3) ? "atomic-replace" : "atomic", path(f));
	while (n--) {
		uint64_t off = any_offset(m, f), len = any_length(m);

		later(m, "write %s %llu %llu", path(f), (unsigned long long)off, (unsigned long long)len);
	}
	if (one_in(m, 3))
		later(m, "sync");
	if (one_in(m, 6))
		later(m, "fsync %s", path(f));
	later(m, "%s %s", one_in(m, 4) ? "abort" : "commit", path(f));
}

static void make_compressed(struct maker *m)
{
	static const char *const words[] = { "compress", "decompress", "release-blocks", "release-blocks",
					     "reserve-blocks", "not-compressed", "fsync", "punch", "write", "truncate" };
	unsigned int f = near_file(m), n = 2 + below(m, 6);

	emit(m, "unlink %s", path(f));
	emit(m, "compressed %s", path(f));
	if (one_in(m, 3))
		emit(m, "compress-option %s %llu %llu", path(f), (unsigned long long)below(m, 4),
		    (unsigned long long)(2 + below(m, 3)));
	m->size[f] = (1 + below(m, 64)) * BLOCK;
	emit(m, "write %s 0 %llu", path(f), (unsigned long long)m->size[f]);
	later(m, "fsync %s", path(f));
	while (n--) {
		const char *word = ONE_OF(m, words);

		if (!strcmp(word, "punch") || !strcmp(word, "write"))
			later(m, "%s %s %llu %llu", word, path(f), (unsigned long long)below(m, m->size[f]),
			      (unsigned long long)any_length(m));
		else if (!strcmp(word, "truncate"))
			later(m, "truncate %s %llu", path(f), (unsigned long long)below(m, m->size[f]));
		else
			later(m, "%s %s", word, path(f));
	}
	later(m, "reserve-blocks %s", path(f));
}

/*
 * On a zoned disk none: F2FS writes a block of a pinned file that was not preallocated in place when it is written again, and the
 * disk refuses that.
 */
static void make_pin(struct maker *m)
{
	unsigned int f = near_file(m);

	if (m->shape.zoned)
		return;
	if (one_in(m, 2)) {
		emit(m, "unpin %s", path(f));
		return;
	}
	if (one_in(m, 2)) {
		emit(m, "unlink %s", path(f));
		m->size[f] = 0;
	}
	emit(m, "pin %s", path(f));
	if (one_in(m, 2))
		later(m, "allocate %s 0 %llu", path(f), (unsigned long long)any_length(m));
	later(m, "unpin %s", path(f));
}

static void make_defragment(struct maker *m)
{
	unsigned int f = near_file(m);
	uint64_t off = one_in(m, 2) ? 0 : down(below(m, m->size[f] + 1));

	emit(m, "defragment %s %llu %llu", path(f), (unsigned long long)off, (unsigned long long)up(m->size[f] - off + 1));
}

static void make_attribute(struct maker *m)
{
	unsigned int f = any_file(m);
	uint64_t off = down(below(m, m->size[f] + 1));

	switch (below(m, 6)) {
	case 0:
		emit(m, "project %s %llu", path(f), (unsigned long long)below(m, 3));
		break;
	case 1:
		emit(m, "precache %s", path(f));
		break;
	case 2:
		/* Discards alone on a zoned disk: F2FS would overwrite with zeroes there too, which the disk refuses. */
		emit(m, "erase %s %llu %llu %llu", path(f), (unsigned long long)off, (unsigned long long)up(any_length(m)),
		    (unsigned long long)(m->shape.zoned ? 1 : 1 + below(m, 3)));
		break;
	default:
		emit(m, "xattr %s a%llu %llu", path(f), (unsigned long long)below(m, 4),
		    (unsigned long long)(one_in(m, 4) ? 0 : 1 + below(m, one_in(m, 2) ? 200 : 3500)));
		break;
	}
}

/* The file is read-only afterwards, so it is replaced later. */
static void make_verity(struct maker *m)
{
	unsigned int f = near_file(m);

	emit(m, "verity %s", path(f));
	later(m, "read %s 0 65536", path(f));
	later(m, "unlink %s", path(f));
	m->size[f] = 0;
}

const struct recipe f2fs_recipes[] = {
	{ 6, make_move },
	{ 3, make_atomic },
	{ 3, make_compressed },
	{ 2, make_pin },
	{ 2, make_defragment },
	{ 4, make_attribute },
	{ 1, make_verity },
	{ 0, NULL },
};
