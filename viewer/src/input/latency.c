// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the debugfs file `latency`. It has times of reads by volume, and counts by file.
 *
 *	# fragtrace latency 1
 *	254:0 time 32 3 16 0 16 781335782 781335782 32768:16
 *	254:0 fit 32 31 90 992 1813622 300 2880 31744 5759124 58035904 114137695284
 *	254:0 rest 0 0 0 0 0 0 0 0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0
 *	254:0 file 4 0 6291456 0 48 0 2023860917 0:0 0:0 0:0 0:0 0:0 48:96 0:0 0:0 /mnt/f2fs/db/a.sst
 */

#include "input/fields.h"
#include "input/latency.h"
#include "input/table.h"

static bool take_length(char **at, size_t *i)
{
	uint64_t blocks;

	if (!take_fields(at, "n", &blocks))
		return false;
	for (*i = 0; *i < LATENCY_LENGTHS && UINT64_C(1) << *i != blocks; (*i)++)
		;
	return *i < LATENCY_LENGTHS;
}

static struct latency_volume *volume_of(struct latency *latency, unsigned int major, unsigned int minor)
{
	struct latency_volume *volume;

	for (size_t i = 0; i < latency->n_volumes; i++)
		if (latency->volumes[i].major == major && latency->volumes[i].minor == minor)
			return &latency->volumes[i];
	volume = APPEND(latency->volumes, latency->n_volumes, latency->caps[0]);
	*volume = (struct latency_volume){ .major = major, .minor = minor };
	return volume;
}

static bool read_times(struct latency_volume *volume, char *at)
{
	uint64_t pieces, reads, failed, waits, waited;
	struct latency_sum *sum;
	size_t i;

	if (!take_length(&at, &i) || !take_fields(&at, "nnnn_n", &pieces, &reads, &failed, &waits, &waited))
		return false;
	sum = pieces == 1 ? &volume->times[i].whole : &volume->times[i].split;
	sum->reads += reads;
	sum->waits += waits;
	sum->waited += waited;
	volume->failed += failed;
	return true;
}

static bool read_fit(struct latency_volume *volume, char *at)
{
	size_t i;

	if (!take_length(&at, &i))
		return false;
	for (size_t k = 0; k < LATENCY_SUMS; k++)
		if (!take_fields(&at, "n", &volume->fits[i][k]))
			return false;
	return !*at;
}

static bool read_counts(struct latency_counts *c, char **at)
{
	if (!take_fields(at, "n__n_n", &c->cut, &c->timed_split, &c->waited_split))
		return false;
	for (size_t i = 0; i < LATENCY_LENGTHS; i++)
		if (!take_fields(at, "cn", &c->reads[i], &c->extra[i]))
			return false;
	return true;
}

/* "# block_bytes 16384", "# files were removed meanwhile: ..." */
static bool read_head(void *result, const char *line)
{
	static const char torn[] = "# files were removed meanwhile";
	struct latency *latency = result;
	uint32_t bytes;
	char end;

	latency->is_torn |= !strncmp(line, torn, strlen(torn));
	if (strncmp(line, BLK_BYTES_MARK, strlen(BLK_BYTES_MARK)) != 0)
		return true;
	if (sscanf(line + strlen(BLK_BYTES_MARK), "%" SCNu32 "%c", &bytes, &end) != 1 || !blk_bytes_are_valid(bytes))
		return false;
	latency->blk_bytes = bytes;
	return true;
}

static bool read_line(void *result, char *line)
{
	struct latency *latency = result;
	struct latency_volume *volume;
	struct latency_file file = { .path = "*", .ext = "" };
	struct file named;
	const char *kind;

	if (!take_fields(&line, "dw", &file.major, &file.minor, &kind))
		return false;
	volume = volume_of(latency, file.major, file.minor);
	if (!strcmp(kind, "time"))
		return read_times(volume, line);
	if (!strcmp(kind, "fit"))
		return read_fit(volume, line);
	if (!strcmp(kind, "rest")) {
		if (!take_fields(&line, "_n", &volume->lost) || !read_counts(&file.counts, &line) || *line)
			return false;
	} else if (!strcmp(kind, "file")) {
		if (!take_fields(&line, "_") || !read_counts(&file.counts, &line) || !take_fields(&line, "p", &named))
			return false;
		file.path = named.path;
		file.ext = named.ext;
		file.is_deleted = named.deleted;
	} else {
		return false;
	}
	*APPEND(latency->files, latency->n_files, latency->caps[1]) = file;
	return true;
}

/**
 * latency_read() - read and parse a file `latency`, as observed_read()
 * @latency: the result; to be freed with latency_free()
 * @name: the file
 */
void latency_read(struct latency *latency, const char *name)
{
	static const struct observed format = {
		.file = "latency", .version = 1, .lines = "time, fit, rest or file", .read_head = read_head, .read = read_line,
	};

	*latency = (struct latency){ .blk_bytes = DEFAULT_BLK_BYTES };
	observed_read(&format, name, &latency->text, latency);
}

/**
 * latency_waited() - how long the readers of a file have waited
 * @volume: its volume
 * @counts: what was read of it
 *
 * All reads in several pieces were timed, and a sample of the others: each counts as those of its length on the volume.
 *
 * Return: nanoseconds.
 */
double latency_waited(const struct latency_volume *volume, const struct latency_counts *counts)
{
	double reads = 0, whole_ns = 0;

	for (size_t i = 0; i < LATENCY_LENGTHS; i++) {
		const struct latency_sum *whole = &volume->times[i].whole;

		reads += (double)counts->reads[i];
		if (whole->reads)
			whole_ns += (double)counts->reads[i] * (double)whole->waited / (double)whole->reads;
	}
	if (reads <= (double)counts->timed_split)
		return (double)counts->waited_split;
	return (double)counts->waited_split + whole_ns * (reads - (double)counts->timed_split) / reads;
}

/**
 * latency_free() - release what latency_read() has read
 * @latency: as left by it
 */
void latency_free(struct latency *latency)
{
	free(latency->volumes);
	free(latency->files);
	text_free(&latency->text);
	*latency = (struct latency){ 0 };
}
