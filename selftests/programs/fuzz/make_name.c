// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make operations on names and folders.
 */
#include "make.h"

static void make_name(struct maker *m)
{
	unsigned int a = any_file(m), b = any_file(m);
	uint64_t size = m->size[a];

	switch (below(m, 5)) {
	case 0:
		emit(m, "rename %s %s", path(a), path(b));
		m->size[b] = size;
		m->size[a] = 0;
		break;
	case 1:
		emit(m, "exchange %s %s", path(a), path(b));
		m->size[a] = m->size[b];
		m->size[b] = size;
		break;
	case 2:
		emit(m, "unlink %s", path(b));
		emit(m, "link %s %s", path(a), path(b));
		m->size[b] = size;
		break;
	default:
		emit(m, "unlink %s", path(a));
		m->size[a] = 0;
		break;
	}
}

static void make_held(struct maker *m)
{
	unsigned int f = near_file(m), n = 1 + below(m, 4);

	emit(m, "hold %s", path(f));
	emit(m, "unlink %s", path(f));
	m->size[f] = 0;
	while (n--)
		later(m, "write %s %llu %llu", path(f), (unsigned long long)any_offset(m, f),
		      (unsigned long long)any_length(m));
	later(m, "release %s", path(f));
}

static void make_tmpfile(struct maker *m)
{
	unsigned int f = any_file(m);

	emit(m, "unlink %s", path(f));
	m->size[f] = any_length(m) + 10;
	emit(m, "tmpfile d%llu %s %llu", (unsigned long long)below(m, 4), path(f), (unsigned long long)m->size[f] - 10);
}

static void make_folder(struct maker *m)
{
	static const char *const folders[] = { "d0", "d1", "d2", "d3", "d0/e", "d1/e", "d2/x", "d3/x" };
	const char *a = ONE_OF(m, folders), *b = ONE_OF(m, folders);

	switch (below(m, 6)) {
	case 0:
		emit(m, "mkdir %s", a);
		break;
	case 1:
		emit(m, "rmdir %s", a);
		break;
	case 2:
		emit(m, "mkdir c%llu", (unsigned long long)below(m, 3));
		emit(m, "casefold c%llu", (unsigned long long)below(m, 3));
		break;
	case 3:
		emit(m, "rename %s d9", a);
		later(m, "rename d9 %s", a);
		break;
	case 4:
		emit(m, "project-folder %s %llu", a, (unsigned long long)below(m, 3));
		break;
	default:
		emit(m, "exchange %s %s", a, b);
		break;
	}
}

const struct recipe name_recipes[] = {
	{ 7, make_name },
	{ 2, make_held },
	{ 2, make_tmpfile },
	{ 2, make_folder },
	{ 0, NULL },
};
