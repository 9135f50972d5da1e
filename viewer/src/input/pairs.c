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

static bool read_line(void *result, char *line)
{
	struct pairs *pairs = result;
	struct pair *pair = APPEND(pairs->all, pairs->n, pairs->cap);
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
 * pairs_read() - parse a file `by_pair`, as observed_parse()
 * @pairs: the result; to be freed with pairs_free()
 * @text: its content, which @pairs takes over
 */
void pairs_read(struct pairs *pairs, struct text *text)
{
	static const struct observed format = {
		.file = "by_pair", .version = 1, .read = read_line,
		.lines = "with dev, times, victim_extension, victim_process, culprit_extension and culprit_process",
	};

	*pairs = (struct pairs){ .text = *text };
	*text = (struct text){ 0 };
	observed_parse(&format, "by_pair", &pairs->text, pairs);
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
