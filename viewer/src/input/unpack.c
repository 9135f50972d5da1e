// SPDX-License-Identifier: GPL-2.0-only
/*
 * Before the pipeline: unpack what zstd has packed. A file may have several frames in sequence.
 */
#include <zstd.h>

#include "input/unpack.h"

/* Room for the next piece of output. */
#define STEP (1u << 16)

static bool begins_with(const struct text *text, const char *magic, size_t len)
{
	return text->len >= len && !memcmp(text->buf, magic, len);
}

/**
 * is_packed() - is this packed?
 * @text: the content of the file
 *
 * Return: true if it begins as what gzip or zstd writes.
 */
bool is_packed(const struct text *text)
{
	return begins_with(text, "\x1f\x8b", 2) || begins_with(text, "\x28\xb5\x2f\xfd", 4);
}

/* A text that pieces are added to. */
struct growing {
	struct text *text;
	const char *name;
	size_t cap;
};

static void add_piece(void *arg, const char *piece, size_t len)
{
	struct growing *g = arg;

	while (g->text->len + len >= g->cap)
		g->text->buf = grow(g->text->buf, &g->cap, g->cap, 1);
	memcpy(g->text->buf + g->text->len, piece, len);
	g->text->len += len;
	if (g->text->len > input_limit())
		input_too_large(g->name);
}

/*
 * Unpack so many bytes at once.
 *
 * Return: 0 at the end of a frame, an error of zstd, or anything else if the data is cut short.
 */
static size_t unpack_zstd(const struct text *in, const char *name, size_t step, piece_taker take, void *arg)
{
	ZSTD_inBuffer from = { .src = in->buf };
	ZSTD_DCtx *context = ZSTD_createDCtx();
	char piece[STEP];
	bool is_full;
	size_t left;

	if (!context)
		die("no memory to unpack %s", name);
	do {
		ZSTD_outBuffer to = { .dst = piece, .size = sizeof(piece) };

		if (from.pos == from.size)
			from.size = in->len - from.size < step ? in->len : from.size + step;
		left = ZSTD_decompressStream(context, &to, &from);
		take(arg, piece, to.pos);
		/* a buffer that was filled may hide further output */
		is_full = left && to.pos == to.size;
	} while (!ZSTD_isError(left) && (from.pos < in->len || is_full));
	ZSTD_freeDCtx(context);
	return left;
}

static void replace(struct text *text, struct text *out)
{
	out->buf[out->len] = '\0';
	text_free(text);
	*text = *out;
}

/**
 * unpack_pieces() - unpack a text piece by piece
 * @in: it is_packed()
 * @name: its name for messages
 * @take: called for each piece
 * @arg: argument of @take
 *
 * Ends the program if it is damaged or cut short.
 */
void unpack_pieces(const struct text *in, const char *name, piece_taker take, void *arg)
{
	size_t left;

	if (*in->buf == '\x1f')
		die("%s: is packed with gzip; unpack it first, with gunzip or zcat", name);
	left = unpack_zstd(in, name, in->len, take, arg);
	if (ZSTD_isError(left))
		die("%s: cannot unpack: %s", name, ZSTD_getErrorName(left));
	if (left)
		die("%s: cannot unpack: the zstd data is cut short", name);
}

/**
 * unpack() - unpack a text in place
 * @text: it is_packed()
 * @name: its name for messages
 *
 * Ends the program if it is damaged, cut short or too large.
 */
void unpack(struct text *text, const char *name)
{
	struct text out = { .time_ms = text->time_ms, .is_time_of_file = text->is_time_of_file };
	struct growing growing = { .text = &out, .name = name };

	add_piece(&growing, "", 0);
	unpack_pieces(text, name, add_piece, &growing);
	replace(text, &out);
}

/**
 * unpack_begun() - unpack what there is of a zstd file that may not be complete
 * @text: the file; empty if it has no data of zstd
 * @name: its name for messages
 *
 * Return: 0 if the file is complete, anything else if it is cut short or damaged.
 */
size_t unpack_begun(struct text *text, const char *name)
{
	struct text out = { .time_ms = text->time_ms };
	struct growing growing = { .text = &out, .name = name };
	size_t left;

	add_piece(&growing, "", 0);
	left = unpack_zstd(text, name, text->len, add_piece, &growing);
	if (ZSTD_isError(left)) {
		/* byte by byte: what comes before damage is lost if it is in the same piece */
		out.len = 0;
		left = unpack_zstd(text, name, 1, add_piece, &growing);
	}
	replace(text, &out);
	return left;
}
