// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make a plan: a seed in, text out.
 *
 * First the volume (make_volume.c), then operations (all files make_*.c). The sizes of files are
 * tracked as if all operations ran in the order of the text, so that most of them succeed. Operations
 * that belong together (an atomic write and its commit) are of one thread, with others between them.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "make.h"

/* === Random choices ======================================================= */

/**
 * draw() - draw a random number
 * @m: the plan
 *
 * Uses splitmix64, which gives the same numbers on all machines.
 *
 * Return: the number
 */
uint64_t draw(struct maker *m)
{
	uint64_t z = m->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/**
 * below() - draw a number below another
 * @m: the plan
 * @n: the other
 *
 * Return: the number
 */
uint64_t below(struct maker *m, uint64_t n)
{
	return draw(m) % n;
}

/**
 * one_in() - return true with a probability of 1/@n
 * @m: the plan
 * @n: the number
 *
 * Return: true in one of @n calls on average
 */
bool one_in(struct maker *m, unsigned int n)
{
	return !below(m, n);
}

/**
 * any_file() - choose a file; a few are chosen more often, so that threads use the same files
 * @m: the plan
 *
 * Return: its number
 */
unsigned int any_file(struct maker *m)
{
	return below(m, one_in(m, 2) ? NR_FILES : NR_FILES / 3);
}

/**
 * near_file() - choose a file that has no offsets of gigabytes
 * @m: the plan
 *
 * Return: its number
 */
unsigned int near_file(struct maker *m)
{
	return NR_FAR + below(m, one_in(m, 2) ? NR_FILES - NR_FAR : NR_FILES / 3);
}

/**
 * up() - round up to whole blocks
 * @bytes: a number of bytes
 *
 * Return: the result in bytes
 */
uint64_t up(uint64_t bytes)
{
	return (bytes + BLOCK - 1) & ~(BLOCK - 1);
}

/**
 * down() - round down to whole blocks
 * @bytes: a number of bytes
 *
 * Return: the result in bytes
 */
uint64_t down(uint64_t bytes)
{
	return bytes & ~(BLOCK - 1);
}

/**
 * any_offset() - choose an offset: inside the file, around its end, where inline data ends, anywhere, or far away
 * @m: the plan
 * @file: the file
 *
 * Return: in bytes
 */
uint64_t any_offset(struct maker *m, unsigned int file)
{
	uint64_t size = m->size[file], off;

	switch (below(m, 10)) {
	case 0:
		off = size;
		break;
	case 1:
		off = size + below(m, 3 * BLOCK);
		break;
	case 2:
		off = below(m, BLOCK);
		break;
	case 3:
	case 4:
		off = below(m, MAX_BYTES);
		break;
	default:
		off = below(m, size + 1);
		break;
	}
	/* not farther: inserting a range in such a file makes nodes for all holes, and FIEMAP visits each of them */
	if (file < NR_FAR && one_in(m, 4))
		return off + (below(m, 16) << 26);
	return off < MAX_BYTES || file < NR_FAR ? off : off % MAX_BYTES;
}

/**
 * any_length() - choose a length
 * @m: the plan
 *
 * Return: in bytes, not 0
 */
uint64_t any_length(struct maker *m)
{
	if (one_in(m, 8))
		return 1 + below(m, 3600);
	if (one_in(m, 10))
		return 1 + below(m, 128 * BLOCK);
	return 1 + below(m, 12 * BLOCK);
}

/* === Text ================================================================= */

/**
 * grow() - record that a file has at least this size
 * @m: the plan
 * @file: the file
 * @size: in bytes
 */
void grow(struct maker *m, unsigned int file, uint64_t size)
{
	if (m->size[file] < size)
		m->size[file] = size;
}

/**
 * path() - the name of a file; each file has its own buffer, so that a line can have two names
 * @file: the file
 *
 * Return: the name
 */
const char *path(unsigned int file)
{
	static const char *const folders[] = { "d0", "d1", "d2", "d3", "d0/e", "d1/e" };
	static char names[NR_FILES][24];

	snprintf(names[file], sizeof(names[file]), "%s/f%u%s", folders[file % 6], file, file % 8 == 7 ? ".lz" : "");
	return names[file];
}

/**
 * emit() - write an operation of the current thread
 * @m: the plan
 * @fmt: its words
 */
void emit(struct maker *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(m->out, "%u ", m->thread);
	vfprintf(m->out, fmt, ap);
	fputc('\n', m->out);
	va_end(ap);
}

/**
 * later() - add an operation that the current thread does later
 * @m: the plan
 * @fmt: its words
 */
void later(struct maker *m, const char *fmt, ...)
{
	unsigned int *n = &m->nr_pending[m->thread];
	va_list ap;

	if (*n == MAX_PENDING)
		return;
	va_start(ap, fmt);
	if (vasprintf(&m->pending[m->thread][*n], fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	(*n)++;
}

static void emit_pending(struct maker *m)
{
	char **list = m->pending[m->thread];

	emit(m, "%s", list[0]);
	free(list[0]);
	memmove(list, list + 1, --m->nr_pending[m->thread] * sizeof(*list));
}

/* === The plan ============================================================= */

/* All recipes. The last list is for the last thread only. */
static const struct recipe *const lists[] = { data_recipes, f2fs_recipes, name_recipes, volume_recipes };

#define NR_LISTS (sizeof(lists) / sizeof(lists[0]))

static void make_one(struct maker *m)
{
	bool whole = !m->shape.local && m->thread == m->shape.threads - 1;
	size_t n = whole ? NR_LISTS : NR_LISTS - 1, i;
	const struct recipe *recipe;
	unsigned int sum = 0, at;

	for (i = 0; i < n; i++)
		for (recipe = lists[i]; recipe->make; recipe++)
			sum += recipe->weight;
	at = below(m, sum);
	for (i = 0; i < n; i++)
		for (recipe = lists[i]; recipe->make; recipe++) {
			if (at < recipe->weight) {
				recipe->make(m);
				return;
			}
			at -= recipe->weight;
		}
}

/**
 * plan_make() - write a plan
 * @shape: its parameters
 * @out: output
 */
void plan_make(const struct shape *shape, FILE *out)
{
	struct maker m = { .state = shape->seed, .shape = *shape, .out = out, .blocks = 262144 };
	unsigned int threads = 1 + below(&m, 6), ops = 100 + below(&m, 900), parts = 1 + below(&m, 4), part, i;

	threads = m.shape.threads = shape->threads ?: threads;
	ops = shape->ops ?: ops;
	parts = shape->parts ?: parts;
	fprintf(out, "# fuzz plan --seed %llu --threads %u --ops %u --parts %u%s\n", (unsigned long long)shape->seed,
		threads, ops, parts, shape->local ? " --local" : shape->zoned ? " --zoned" : "");
	if (!shape->local)
		make_volume(&m);
	for (part = 0; part < parts; part++) {
		for (i = 0; i < ops / parts; i++) {
			m.thread = below(&m, threads);
			if (m.nr_pending[m.thread] && one_in(&m, 2))
				emit_pending(&m);
			else
				make_one(&m);
		}
		fputs("barrier\n", out);
	}
	for (m.thread = 0; m.thread < threads; m.thread++)
		while (m.nr_pending[m.thread])
			emit_pending(&m);
}
