// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make operations on the data of a file that all file systems have.
 */
#include <string.h>

#include "make.h"

static void make_write(struct maker *m)
{
	unsigned int f = any_file(m);
	uint64_t off = any_offset(m, f), len = any_length(m);
	bool mapped = one_in(m, 4);

	if (one_in(m, 3))
		off = down(off);
	if (mapped && m->size[f])
		off = down(below(m, m->size[f]));
	emit(m, "%s %s %llu %llu", mapped ? "write-mapped" : one_in(m, 12) ? "write-sync" : "write", path(f),
	    (unsigned long long)off, (unsigned long long)len);
	if (!mapped)
		grow(m, f, off + len);
}

static void make_direct(struct maker *m)
{
	unsigned int f = any_file(m);
	uint64_t off = any_offset(m, f), len = any_length(m);

	if (!one_in(m, 10)) {
		off = down(off);
		len = up(len);
	}
	emit(m, "write-direct %s %llu %llu", path(f), (unsigned long long)off, (unsigned long long)len);
	grow(m, f, off + len);
}

static void make_append(struct maker *m)
{
	unsigned int f = any_file(m);
	uint64_t len = 1 + below(m, one_in(m, 3) ? 1500 : 6 * BLOCK);

	if (m->size[f] + len > MAX_BYTES)
		return;
	emit(m, "append %s %llu", path(f), (unsigned long long)len);
	m->size[f] += len;
	if (one_in(m, 2))
		emit(m, "fdatasync %s", path(f));
}

static void make_read(struct maker *m)
{
	unsigned int f = any_file(m);

	emit(m, "read %s %llu %llu", path(f), (unsigned long long)any_offset(m, f), (unsigned long long)any_length(m));
}

static void make_truncate(struct maker *m)
{
	unsigned int f = any_file(m);
	uint64_t size = one_in(m, 3) ? any_offset(m, f) : below(m, m->size[f] + 1);

	if (one_in(m, 8))
		size = 0;
	emit(m, "truncate %s %llu", path(f), (unsigned long long)size);
	m->size[f] = size;
}

static void make_allocate(struct maker *m)
{
	static const char *const words[] = { "allocate", "allocate-keep", "punch", "punch", "punch", "zero", "zero-keep" };
	const char *word = ONE_OF(m, words);
	unsigned int f = any_file(m);
	uint64_t off = any_offset(m, f), len = any_length(m);

	if (one_in(m, 4)) {
		off = down(off);
		len = up(len);
	}
	emit(m, "%s %s %llu %llu", word, path(f), (unsigned long long)off, (unsigned long long)len);
	if (!strcmp(word, "allocate") || !strcmp(word, "zero"))
		grow(m, f, off + len);
}

static void make_shift(struct maker *m)
{
	unsigned int f = near_file(m);
	uint64_t off = down(below(m, m->size[f] + 1)), len = up(any_length(m));

	if (one_in(m, 10))
		off++;
	if (one_in(m, 2)) {
		if (m->size[f] + len > MAX_BYTES)
			return;
		emit(m, "insert %s %llu %llu", path(f), (unsigned long long)off, (unsigned long long)len);
		m->size[f] += len;
	} else {
		if (off + len >= m->size[f])
			off = 0;
		emit(m, "collapse %s %llu %llu", path(f), (unsigned long long)off, (unsigned long long)len);
		if (off + len < m->size[f])
			m->size[f] -= len;
	}
}

static void make_sync(struct maker *m)
{
	static const char *const words[] = { "fsync", "fsync", "fdatasync" };

	emit(m, "%s %s", ONE_OF(m, words), path(any_file(m)));
}

static void make_copy(struct maker *m)
{
	unsigned int from = any_file(m), to = near_file(m);
	uint64_t in = below(m, m->size[from] + 1), out = any_offset(m, to), len = any_length(m);

	if (one_in(m, 5)) {
		emit(m, "clone %s %s", path(from), path(to));
		return;
	}
	emit(m, "copy %s %llu %s %llu %llu", path(from), (unsigned long long)in, path(to), (unsigned long long)out,
	    (unsigned long long)len);
}

const struct recipe data_recipes[] = {
	{ 22, make_write },
	{ 7, make_direct },
	{ 6, make_append },
	{ 2, make_read },
	{ 9, make_truncate },
	{ 9, make_allocate },
	{ 5, make_shift },
	{ 7, make_sync },
	{ 2, make_copy },
	{ 0, NULL },
};
