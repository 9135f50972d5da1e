// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: a file that is packed with zstd while it is written. All functions end the program on an error. */
#include "output/packed.h"

/**
 * packed_begin() - begin to write what is packed
 * @packed: its @out is open
 * @level: of zstd
 */
void packed_begin(struct packed *packed, int level)
{
	packed->bytes = 0;
	packed->zstd = ZSTD_createCCtx();
	if (!packed->zstd)
		die("no memory to pack the %s", packed->out.what);
	ZSTD_CCtx_setParameter(packed->zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(packed->zstd, ZSTD_c_checksumFlag, 1);
}

/* A signal may interrupt a write: see note_interrupts(). */
static void write_all(const struct outfile *out, const char *buf, size_t len)
{
	while (len) {
		ssize_t n = write(fileno(out->file), buf, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			outfile_failed(out);
		buf += n;
		len -= (size_t)n;
	}
}

/**
 * packed_put() - pack and write some bytes
 * @packed: the file
 * @data: the bytes
 * @size: how many
 * @mode: ZSTD_e_continue; or ZSTD_e_flush: who reads the file has them when this returns; or ZSTD_e_end: these are the last ones
 */
void packed_put(struct packed *packed, const void *data, size_t size, ZSTD_EndDirective mode)
{
	const struct outfile *out = &packed->out;
	ZSTD_inBuffer in = { .src = data, .size = size };
	char buf[1 << 16];
	size_t left;

	do {
		ZSTD_outBuffer to = { .dst = buf, .size = sizeof(buf) };

		left = ZSTD_compressStream2(packed->zstd, &to, &in, mode);
		if (ZSTD_isError(left))
			die("%s: cannot pack the %s: %s", out->path, out->what, ZSTD_getErrorName(left));
		write_all(out, buf, to.pos);
		packed->bytes += to.pos;
	} while (mode == ZSTD_e_continue ? in.pos < in.size : left > 0);
}

/**
 * packed_end() - end what is packed
 * @packed: the file
 */
void packed_end(struct packed *packed)
{
	packed_put(packed, NULL, 0, ZSTD_e_end);
	ZSTD_freeCCtx(packed->zstd);
}
