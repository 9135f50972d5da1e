// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the debugfs file `discards`. It has what F2FS discards and resets, and what waits for that.
 *
 *	# fragtrace discards 1
 *	254:0 pending 2 48 0 31000 900000 16 42
 *	254:0 discard 60 50000 41 41 49936 41 0 210000 12000 0
 *	254:0 reset 0 0 0 0 0 0 0 0 0 0
 *	254:0 by 40 49424 0 0 f2fs_discard-25
 */
#include "input/discards.h"
#include "input/fields.h"

#define DEFAULT_BLK_BYTES 4096

/**
 * discards_of() - find a volume
 * @discards: what was read
 * @major: device number
 * @minor: device number
 *
 * Return: the volume, or NULL.
 */
struct discard_volume *discards_of(const struct discards *discards, unsigned int major, unsigned int minor)
{
	for (size_t i = 0; i < discards->n; i++)
		if (discards->volumes[i].major == major && discards->volumes[i].minor == minor)
			return &discards->volumes[i];
	return NULL;
}

static bool parse_thread(struct discard_volume *v, char *at)
{
	struct discard_thread *t = APPEND(v->threads, v->n, v->cap);

	*t = (struct discard_thread){ 0 };
	if (!take_fields(&at, "nnnn", &t->issued[DISCARDS], &t->blks[DISCARDS], &t->issued[RESETS], &t->blks[RESETS]))
		return false;
	/* a thread of that name has an escape instead */
	t->is_rest = !strcmp(at, "*");
	return take_fields(&at, "w.", &t->comm);
}

static bool read_line(void *result, char *line)
{
	struct discards *discards = result;
	unsigned int major, minor;
	struct discard_volume *v;
	struct discard_sums *s;
	const char *about;

	if (!take_fields(&line, "dw", &major, &minor, &about))
		return false;
	v = discards_of(discards, major, minor);
	if (!v) {
		v = APPEND(discards->volumes, discards->n, discards->cap);
		*v = (struct discard_volume){ .major = major, .minor = minor };
	}
	if (!strcmp(about, "pending"))
		return take_fields(&line, "nnnnnnn.", &v->commands, &v->pending, &v->on_device, &v->since_ms, &v->waited_ms, &v->left,
				   &v->removed);
	if (!strcmp(about, "by"))
		return parse_thread(v, line);
	s = &v->sums[!strcmp(about, "reset")];
	return (!strcmp(about, "discard") || !strcmp(about, "reset")) &&
	       take_fields(&line, "nnnnnnnnnn.", &s->queued, &s->queued_blks, &s->commands, &s->issued, &s->blks, &s->ended, &s->failed,
			   &s->took_us, &s->worst_us, &s->lost);
}

static bool read_head(void *result, const char *line)
{
	struct discards *discards = result;
	static const char bytes[] = "# block_bytes ";

	if (!strncmp(line, bytes, strlen(bytes)))
		return parse_number(line + strlen(bytes), UINT32_MAX, &discards->blk_bytes);
	return true;
}

/**
 * discards_read() - read and parse a file `discards`, as observed_read()
 * @discards: the result; to be freed with discards_free()
 * @name: the file
 */
void discards_read(struct discards *discards, const char *name)
{
	static const struct observed format = {
		.file = "discards", .version = 1, .lines = "pending, discard, reset or by", .read = read_line, .read_head = read_head,
		.or_else = ", or a recording",
	};

	*discards = (struct discards){ .blk_bytes = DEFAULT_BLK_BYTES };
	observed_read(&format, name, &discards->text, discards);
}

/* === Differences === */

/* The numbers of a struct, which has nothing else. */
static bool is_more(const void *now, const void *before, size_t size)
{
	const uint64_t *a = now, *b = before;

	for (size_t i = 0; i < size / sizeof(*a); i++)
		if (a[i] < b[i])
			return false;
	return true;
}

/* The thread of this name, or NULL. */
static struct discard_thread *find_thread(const struct discard_volume *v, const struct discard_thread *is)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->threads[i].is_rest == is->is_rest && !strcmp(v->threads[i].comm, is->comm))
			return &v->threads[i];
	return NULL;
}

/* Is nothing less, so that counts have not begun anew? */
static bool goes_on(const struct discard_volume *v, const struct discard_volume *before)
{
	for (size_t i = 0; i < before->n; i++) {
		const struct discard_thread *b = &before->threads[i], *t = find_thread(v, b);

		if (!t || !is_more(t->issued, b->issued, sizeof(t->issued)) || !is_more(t->blks, b->blks, sizeof(t->blks)))
			return false;
	}
	return is_more(v->sums, before->sums, sizeof(v->sums));
}

static void subtract(struct discard_volume *v, const struct discard_volume *before)
{
	for (int op = 0; op < N_DISCARD_OPS; op++) {
		struct discard_sums *s = &v->sums[op];
		const struct discard_sums *b = &before->sums[op];
		/* the worst one may be older */
		uint64_t worst = s->worst_us > b->worst_us ? s->worst_us : 0;

		for (size_t i = 0; i < sizeof(*s) / sizeof(uint64_t); i++)
			((uint64_t *)s)[i] -= ((const uint64_t *)b)[i];
		s->worst_us = worst;
	}
	v->waited_ms -= before->waited_ms < v->waited_ms ? before->waited_ms : v->waited_ms;
	v->left -= before->left < v->left ? before->left : v->left;
	v->removed -= before->removed < v->removed ? before->removed : v->removed;
	for (size_t i = 0; i < before->n; i++) {
		struct discard_thread *t = find_thread(v, &before->threads[i]);

		for (int op = 0; op < N_DISCARD_OPS; op++) {
			t->issued[op] -= before->threads[i].issued[op];
			t->blks[op] -= before->threads[i].blks[op];
		}
	}
}

/**
 * discards_since() - leave what has been counted since a moment
 * @discards: what was counted at the end
 * @first: and at that moment. A volume whose counts began anew since then is left as it is
 */
void discards_since(struct discards *discards, const struct discards *first)
{
	for (size_t i = 0; i < discards->n; i++) {
		struct discard_volume *v = &discards->volumes[i];
		const struct discard_volume *before = discards_of(first, v->major, v->minor);

		if (before && goes_on(v, before))
			subtract(v, before);
	}
}

/**
 * discards_free() - release what discards_read() has read
 * @discards: as left by it
 */
void discards_free(struct discards *discards)
{
	for (size_t i = 0; i < discards->n; i++)
		free(discards->volumes[i].threads);
	free(discards->volumes);
	text_free(&discards->text);
	*discards = (struct discards){ 0 };
}
