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

#include "input/latency.h"
#include "input/source.h"
#include "input/table.h"
#include "names.h"

static const char magic[] = "# fragtrace latency 1";
static const char unknown[] = "# not known: ";

/* Read a number and the character after it, which ends it. */
static bool take(char **at, char end, uint64_t *value)
{
	char *from = *at;

	errno = 0;
	*value = strtoull(from, at, 10);
	if (*at == from || errno || *from < '0' || *from > '9' || (**at != end && (end != ' ' || **at)))
		return false;
	if (**at)
		(*at)++;
	return true;
}

static bool take_length(char **at, size_t *i)
{
	uint64_t blocks;

	if (!take(at, ' ', &blocks))
		return false;
	for (*i = 0; *i < LATENCY_LENGTHS && UINT64_C(1) << *i != blocks; (*i)++)
		;
	return *i < LATENCY_LENGTHS;
}

static struct latency_volume *volume_of(struct latency *latency, size_t *cap, unsigned int major, unsigned int minor)
{
	size_t i;

	for (i = 0; i < latency->n_volumes; i++)
		if (latency->volumes[i].major == major && latency->volumes[i].minor == minor)
			return &latency->volumes[i];
	latency->volumes = grow(latency->volumes, cap, latency->n_volumes, sizeof(*latency->volumes));
	latency->volumes[latency->n_volumes] = (struct latency_volume){ .major = major, .minor = minor };
	return &latency->volumes[latency->n_volumes++];
}

static bool read_times(struct latency_volume *volume, char *at)
{
	uint64_t pieces, reads, failed, waits, took, waited;
	struct latency_sum *sum;
	size_t i;

	if (!take_length(&at, &i) || !take(&at, ' ', &pieces) || !take(&at, ' ', &reads) || !take(&at, ' ', &failed) ||
	    !take(&at, ' ', &waits) || !take(&at, ' ', &took) || !take(&at, ' ', &waited))
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
	size_t i, k;

	if (!take_length(&at, &i))
		return false;
	for (k = 0; k < LATENCY_SUMS; k++)
		if (!take(&at, ' ', &volume->fits[i][k]))
			return false;
	return !*at;
}

static bool read_counts(struct latency_counts *c, char **at)
{
	size_t i;

	if (!take(at, ' ', &c->cut) || !take(at, ' ', &c->bytes) || !take(at, ' ', &c->timed) || !take(at, ' ', &c->timed_split) ||
	    !take(at, ' ', &c->waited) || !take(at, ' ', &c->waited_split))
		return false;
	for (i = 0; i < LATENCY_LENGTHS; i++)
		if (!take(at, ':', &c->reads[i]) || !take(at, ' ', &c->extra[i]))
			return false;
	return true;
}

static bool read_line(struct latency *latency, size_t caps[2], char *line)
{
	struct latency_volume *volume;
	struct latency_file file = { .ext = "" };
	struct file named;
	uint64_t ignored;
	char kind[8];
	int len = 0;

	if (sscanf(line, "%u:%u %7s %n", &file.major, &file.minor, kind, &len) != 3 || !len)
		return false;
	line += len;
	volume = volume_of(latency, &caps[0], file.major, file.minor);
	if (!strcmp(kind, "time"))
		return read_times(volume, line);
	if (!strcmp(kind, "fit"))
		return read_fit(volume, line);
	if (!strcmp(kind, "rest")) {
		static char rest[] = "*";

		if (!take(&line, ' ', &ignored) || !take(&line, ' ', &volume->lost) || !read_counts(&file.counts, &line) || *line)
			return false;
		file.path = rest;
	} else if (!strcmp(kind, "file")) {
		if (!take(&line, ' ', &ignored) || !read_counts(&file.counts, &line) || !*line ||
		    path_unescape(line, line, line + strlen(line)))
			return false;
		file_set_path(&named, line);
		file.path = line;
		file.ext = named.ext;
		file.is_deleted = named.deleted;
	} else {
		return false;
	}
	latency->files = grow(latency->files, &caps[1], latency->n_files, sizeof(*latency->files));
	latency->files[latency->n_files++] = file;
	return true;
}

/**
 * latency_read() - read and parse a file `latency`
 * @latency: the result; to be freed with latency_free()
 * @name: the file
 *
 * Ends the program if the file cannot be read, at the first line that does not match the format, or if the module has measured
 * nothing.
 */
void latency_read(struct latency *latency, const char *name)
{
	size_t caps[2] = { 0 }, number = 0;
	char *line, *next;
	int err;

	*latency = (struct latency){ 0 };
	err = slurp_file(&latency->text, name);
	if (err == EFBIG)
		input_too_large(name);
	if (err)
		die("%s: cannot read: %s%s", name, strerror(err), err == EISDIR ? "; give a copy of the file latency of debugfs" : source_hint(name, err));
	for (line = latency->text.buf; *line; line = next) {
		size_t len = strcspn(line, "\n");

		next = line + len + !!line[len];
		line[len] = '\0';
		if (!number++ && strcmp(line, magic) != 0)
			die_at(name, 1, "expected the line \"%s\"; give a copy of the file latency of debugfs", magic);
		if (!strncmp(line, unknown, strlen(unknown)))
			die("%s: %s; load it with latency=1", name, line + strlen(unknown));
		if (*line != '#' && !read_line(latency, caps, line))
			die_at(name, number, "expected: a line time, fit, rest or file of this format");
	}
	if (!number)
		die_at(name, 1, "expected the line \"%s\"", magic);
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
	size_t i;

	for (i = 0; i < LATENCY_LENGTHS; i++) {
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
