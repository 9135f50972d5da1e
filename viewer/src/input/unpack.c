// SPDX-License-Identifier: GPL-2.0-only
/*
 * Before the pipeline: unpack what gzip or zstd has packed.
 * A file may have several members of gzip, or frames of zstd, in sequence.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "input/unpack.h"

/* windowBits of zlib: a gzip header and the largest window */
#define GZIP_WINDOW (16 + MAX_WBITS)

/* Room for the next piece of output. */
#define STEP (1u << 16)

static bool begins_with(const struct text *text, const char *magic, size_t len)
{
	return text->len >= len && !memcmp(text->buf, magic, len);
}

static bool is_zstd(const struct text *text)
{
	return begins_with(text, "\x28\xb5\x2f\xfd", 4);
}

/**
 * is_packed() - is this packed by gzip or zstd?
 * @text: the content of the file
 *
 * Return: true if it begins so.
 */
bool is_packed(const struct text *text)
{
	return begins_with(text, "\x1f\x8b", 2) || is_zstd(text);
}

static void check_size(const struct text *out, const char *name)
{
	if (out->len > input_limit())
		input_too_large(name);
}

/* === gzip === */

static int next_member(z_stream *z)
{
	return z->avail_in && inflateReset(z) == Z_OK ? Z_OK : Z_STREAM_END;
}

static void unpack_gzip(struct text *out, const struct text *in, const char *name)
{
	z_stream z = { .next_in = (Bytef *)in->buf, .avail_in = (uInt)in->len };
	size_t cap = 0;
	int err;

	if (in->len > UINT32_MAX / 2)
		die("%s: a packed text of %zu bytes is too big, expected less than 2 GiB", name, in->len);
	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		die("no memory to unpack %s", name);
	do {
		size_t room;

		out->buf = grow(out->buf, &cap, out->len + STEP, 1);
		room = cap - out->len - 1;
		z.next_out = (Bytef *)out->buf + out->len;
		z.avail_out = room < UINT32_MAX ? (uInt)room : UINT32_MAX;
		err = inflate(&z, Z_NO_FLUSH);
		out->len = (size_t)((char *)z.next_out - out->buf);
		check_size(out, name);
		if (err == Z_STREAM_END)
			err = next_member(&z);
	} while (err == Z_OK);
	if (err == Z_BUF_ERROR)
		die("%s: cannot unpack: the gzip data is cut short", name);
	if (err != Z_STREAM_END)
		die("%s: cannot unpack: %s", name, z.msg ? z.msg : "no gzip data");
	inflateEnd(&z);
}

/* === zstd === */

/*
 * Unpack so many bytes at once: what comes before damage is lost if it is in the same piece.
 *
 * Return: 0 at the end of a frame, an error of zstd, or anything else if the data is cut short.
 */
static size_t unpack_pieces(struct text *out, const struct text *in, const char *name, size_t piece)
{
	ZSTD_inBuffer from = { .src = in->buf };
	ZSTD_DCtx *context = ZSTD_createDCtx();
	size_t cap = 0, left;
	bool is_full;

	if (!context)
		die("no memory to unpack %s", name);
	do {
		ZSTD_outBuffer to;

		if (from.pos == from.size)
			from.size = in->len - from.size < piece ? in->len : from.size + piece;
		out->buf = grow(out->buf, &cap, out->len + STEP, 1);
		to = (ZSTD_outBuffer){ .dst = out->buf + out->len, .size = cap - out->len - 1 };
		left = ZSTD_decompressStream(context, &to, &from);
		out->len += to.pos;
		check_size(out, name);
		/* a buffer that was filled may hide further output */
		is_full = left && to.pos == to.size;
	} while (!ZSTD_isError(left) && (from.pos < in->len || is_full));
	ZSTD_freeDCtx(context);
	return left;
}

static size_t unpack_zstd(struct text *out, const struct text *in, const char *name)
{
	size_t left = unpack_pieces(out, in, name, in->len);

	if (!ZSTD_isError(left))
		return left;
	free(out->buf);
	*out = (struct text){ .time_ms = out->time_ms };
	return unpack_pieces(out, in, name, 1);
}

static void replace(struct text *text, struct text *out)
{
	out->buf[out->len] = '\0';
	text_free(text);
	*text = *out;
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
	struct text out = { .time_ms = text->time_ms };
	size_t left;

	if (is_zstd(text)) {
		left = unpack_zstd(&out, text, name);
		if (ZSTD_isError(left))
			die("%s: cannot unpack: %s", name, ZSTD_getErrorName(left));
		if (left)
			die("%s: cannot unpack: the zstd data is cut short", name);
	} else {
		unpack_gzip(&out, text, name);
	}
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
	size_t left = unpack_zstd(&out, text, name);

	replace(text, &out);
	return left;
}
