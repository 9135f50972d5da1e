// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read a plan.
 *
 * In: text. Out: operations of known kinds with arguments of the right form. Any other line ends the
 * program with a message that has the line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static const struct kind *const lists[] = { data_kinds, f2fs_kinds, name_kinds, volume_kinds, fragtrace_kinds };

#define NR_LISTS (sizeof(lists) / sizeof(lists[0]))

/**
 * kind_by_number() - go through all kinds
 * @nr: index of a kind, from 0
 *
 * Return: the kind, or NULL if there are fewer
 */
const struct kind *kind_by_number(unsigned int nr)
{
	const struct kind *kind;
	size_t i;

	for (i = 0; i < NR_LISTS; i++)
		for (kind = lists[i]; kind->name; kind++)
			if (!nr--)
				return kind;
	return NULL;
}

/**
 * kind_number() - the index of a kind
 * @kind: the kind
 *
 * Return: its index, less than MAX_KINDS
 */
unsigned int kind_number(const struct kind *kind)
{
	unsigned int nr = 0;

	while (kind_by_number(nr) != kind)
		nr++;
	return nr;
}

static const struct kind *kind_by_name(const char *name)
{
	const struct kind *kind;
	unsigned int nr;

	for (nr = 0; (kind = kind_by_number(nr)); nr++)
		if (!strcmp(kind->name, name))
			return kind;
	return NULL;
}

/**
 * plan_is_setting() - is this the first word of a setting for the creation of the volume?
 * @word: the word
 *
 * Return: true if so
 */
bool plan_is_setting(const char *word)
{
	return !strcmp(word, "mkfs") || !strcmp(word, "mount") || !strcmp(word, "sectors") ||
	       !strcmp(word, "zones") || !strcmp(word, "knob");
}

static uint64_t number(const char *path, unsigned int line, const char *word)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || errno)
		die("%s:%u: '%s' is no number", path, line, word);
	return n;
}

static void read_op(struct plan *plan, const char *path, unsigned int line, char *thread, char *rest)
{
	struct op *op = &plan->ops[plan->nr++];
	char *word = strtok_r(rest, " ", &rest);
	const char *letter;
	unsigned int i = 0;

	*op = (struct op){ .line = line, .thread = number(path, line, thread) };
	if (op->thread >= MAX_THREADS)
		die("%s:%u: thread %u: there are %d at most", path, line, op->thread, MAX_THREADS);
	if (op->thread >= plan->threads)
		plan->threads = op->thread + 1;
	op->kind = word ? kind_by_name(word) : NULL;
	if (!op->kind)
		die("%s:%u: no such operation: '%s'", path, line, word ? word : "");
	for (letter = op->kind->args; *letter; letter++, i++) {
		word = strtok_r(NULL, " ", &rest);
		if (!word)
			die("%s:%u: %s has %zu arguments", path, line, op->kind->name, strlen(op->kind->args));
		if (*letter == 'n')
			op->arg[i].n = number(path, line, word);
		else
			op->arg[i].s = strdup(word);
	}
	if (strtok_r(NULL, " ", &rest))
		die("%s:%u: %s has %zu arguments", path, line, op->kind->name, strlen(op->kind->args));
}

/**
 * plan_read() - read a plan
 * @plan: the result
 * @in: the text
 * @path: its name, for messages
 */
void plan_read(struct plan *plan, FILE *in, const char *path)
{
	char *text = NULL, *word, *rest;
	size_t size = 0, cap = 0;
	unsigned int line = 0;

	while (getline(&text, &size, in) > 0) {
		line++;
		if (plan->nr == cap) {
			cap = cap * 2 + 256;
			plan->ops = realloc(plan->ops, cap * sizeof(*plan->ops));
			if (!plan->ops)
				die("out of memory");
		}
		text[strcspn(text, "\n")] = 0;
		word = strtok_r(text, " ", &rest);
		if (!word || *word == '#' || plan_is_setting(word))
			continue;
		if (strcmp(word, "barrier"))
			read_op(plan, path, line, word, rest);
		else
			plan->ops[plan->nr++] = (struct op){ .line = line };
	}
	free(text);
}
