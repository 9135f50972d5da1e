// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the debugfs file `by_pair`. It counts which process broke the files
 * of which other one, by taking the next block of a log.
 *
 *	# fragtrace by_pair 1
 *	# dev times victim_extension victim_process culprit_extension culprit_process
 *	254:0 21 .sst rocksdb:low:812 .log rocksdb:high:812
 */

#include "input/fields.h"
#include "input/pairs.h"

static const char magic[] = "# fragtrace by_pair 1";

static bool read_line(struct pair *pair, char *line)
{
	const char *victim;

	return take_fields(&line, "dnwwww.", &pair->major, &pair->minor, &pair->times, &pair->victim_ext, &victim, &pair->culprit_ext,
			   &pair->culprit);
}

static int by_times(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return ORDER(y->times, x->times);
}

/**
 * pairs_read() - parse a text of `by_pair`
 * @pairs: the result; to be freed with pairs_free()
 * @name: name of the text for messages
 * @text: the text; @pairs takes over its content
 *
 * Ends the program on the first line that does not match the format.
 */
void pairs_read(struct pairs *pairs, const char *name, struct text *text)
{
	size_t cap = 0, number = 0;
	bool has_magic = false;
	char *line, *next;

	*pairs = (struct pairs){ .text = *text };
	*text = (struct text){ 0 };
	for (line = pairs->text.buf; *line; line = next) {
		next = take_line(line);
		number++;
		has_magic |= !strcmp(line, magic);
		if (*line == '#')
			continue;
		if (!read_line(APPEND(pairs->all, pairs->n, cap), line))
			die_at(name, number, "expected: dev times victim_extension victim_process "
			       "culprit_extension culprit_process");
	}
	if (!has_magic)
		die_at(name, 1, "expected the line \"%s\"", magic);
	sort(pairs->all, pairs->n, sizeof(*pairs->all), by_times);
}

/**
 * pairs_free() - release the pairs
 * @pairs: as left by pairs_read(), or all zeroes
 */
void pairs_free(struct pairs *pairs)
{
	free(pairs->all);
	text_free(&pairs->text);
	*pairs = (struct pairs){ 0 };
}
