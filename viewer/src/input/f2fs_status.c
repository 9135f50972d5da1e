// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: F2FS's debugfs file `status`, and victim_bits of /proc/fs/f2fs.
 * `status` is a text for people, and differs between kernels. Of the lines that are used here only those of
 * the logs differ from 6.1 to 7.3: a column `blkoff` came first. Other lines are not looked at.
 */

#include "input/f2fs_lines.h"
#include "input/f2fs_status.h"

/* === status === */

/* The logs, as status names them. */
static const struct { const char *label; size_t log; } logs[] = {
	{ "  - HOT    data:", F2FS_HOT_DATA }, { "  - WARM   data:", F2FS_WARM_DATA },
	{ "  - COLD   data:", F2FS_COLD_DATA }, { "  - Dir   dnode:", F2FS_HOT_NODE },
	{ "  - File  dnode:", F2FS_WARM_NODE }, { "  - Indir nodes:", F2FS_COLD_NODE },
	{ "  - Pinned file:", F2FS_N_TYPES }, { "  - ATGC   data:", F2FS_N_TYPES + 1 },
};

/* The lines that a volume has in any case: bits of a mask. */
enum { HAS_MAIN = 1, HAS_FREE = 2, HAS_PREFREE = 4, HAS_DIRTY = 8, HAS_LOG = 16 };
#define HAS_ALL (HAS_LOG * ((1 << F2FS_N_TYPES) - 1) | HAS_MAIN | HAS_FREE | HAS_PREFREE | HAS_DIRTY)

struct status_parser {
	struct f2fs_status *status;
	struct f2fs_lines lines;
	unsigned int has;
	bool has_blkoff;
};

static bool starts_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

static bool read_log(struct status_parser *p, size_t i)
{
	int64_t first, second;

	if (sscanf(p->lines.text + strlen(logs[i].label), "%" SCNd64 " %" SCNd64, &first, &second) != 2 ||
	    first < -1 || second < -1)
		return f2fs_lines_refuse(&p->lines, "expected the segment of a log, copy the file again");
	p->status->heads[logs[i].log] = p->has_blkoff ? second : first;
	if (p->has_blkoff && second >= 0)
		p->status->next[logs[i].log] = first;
	if (logs[i].log < F2FS_N_TYPES)
		p->has |= (unsigned int)HAS_LOG << logs[i].log;
	return true;
}

static bool read_count(struct status_parser *p, const char *format, uint64_t *value, unsigned int has)
{
	if (sscanf(p->lines.text, format, value) != 1)
		return f2fs_lines_refuse(&p->lines, "expected a number, copy the file again");
	p->has |= has;
	return true;
}

static bool read_main(struct status_parser *p)
{
	struct f2fs_status *s = p->status;

	if (sscanf(p->lines.text, "Main area: %" SCNu64 " segs, %" SCNu64 " secs %" SCNu64 " zones", &s->segments,
		   &s->sections, &s->zones) != 3 || !s->sections || !s->zones || !s->segments)
		return f2fs_lines_refuse(&p->lines, "expected the sizes of the main area, copy the file again");
	p->has |= HAS_MAIN;
	return true;
}

static bool read_status_line(struct status_parser *p)
{
	struct f2fs_status *s = p->status;
	const char *text = p->lines.text, *at;

	for (size_t i = 0; i < ARRAY_LEN(logs); i++)
		if (starts_with(text, logs[i].label))
			return read_log(p, i);
	if (starts_with(text, "Main area: "))
		return read_main(p);
	if (starts_with(text, "    TYPE ")) {
		p->has_blkoff = !strncmp(text + strspn(text, "TYPE "), "blkoff ", 7);
		if (!p->has_blkoff && strncmp(text + strspn(text, "TYPE "), "segno ", 6))
			return f2fs_lines_refuse(&p->lines, "unknown columns, is this F2FS newer than the viewer?");
	}
	at = strstr(text, "(OverProv:");
	if (at)
		sscanf(at, "(OverProv:%*d Resv:%" SCNu64, &s->reserved);
	/* later lines of the same words are about something else */
	if (starts_with(text, "  - Node: "))
		return s->nodes || read_count(p, "  - Node: %" SCNu64, &s->nodes, 0);
	if (starts_with(text, "  - Data: "))
		return s->data || read_count(p, "  - Data: %" SCNu64, &s->data, 0);
	if (starts_with(text, "  - Dirty: "))
		return read_count(p, "  - Dirty: %" SCNu64, &s->dirty, HAS_DIRTY);
	if (starts_with(text, "  - Prefree: "))
		return read_count(p, "  - Prefree: %" SCNu64, &s->prefree, HAS_PREFREE);
	if (starts_with(text, "  - Free: "))
		return read_count(p, "  - Free: %" SCNu64, &s->free, HAS_FREE);
	return true;
}

/* Is this the begin of the volume that is looked for? @dev may be NULL: any. */
static bool is_volume(const char *text, const char *dev)
{
	size_t len = dev ? strlen(dev) : 0;

	text += strlen("=====[ partition info(");
	return !dev || (!strncmp(text, dev, len) && text[len] == ')');
}

/**
 * f2fs_status_read() - read what `status` has about a volume
 * @status: the result
 * @file: the text
 * @name: its name, for messages
 * @dev: name of the block device as in /dev; NULL: the only volume that has @segments
 * @segments: number of segments in the main area
 *
 * Return: NULL, or why it is refused, with the line and the remedy; to be freed.
 */
char *f2fs_status_read(struct f2fs_status *status, FILE *file, const char *name, const char *dev, uint64_t segments)
{
	struct f2fs_status found = { 0 };
	struct status_parser p = { .status = status, .lines = { .name = name, .file = file } };
	bool inside = false, more = true;
	size_t n_found = 0;

	while (more) {
		more = f2fs_lines_next(&p.lines);
		if (!more || starts_with(p.lines.text, "=====[ partition info(")) {
			if (inside && !p.lines.trouble && (p.has & HAS_ALL) != HAS_ALL)
				f2fs_lines_refuse(&p.lines, "the volume before this line lacks a log or a count of "
						  "segments, copy the file again");
			if (inside && status->segments == segments) {
				found = *status;
				n_found++;
			}
			inside = more && is_volume(p.lines.text, dev);
			*status = (struct f2fs_status){ 0 };
			for (size_t i = 0; i < F2FS_N_LOGS; i++)
				status->heads[i] = status->next[i] = -1;
			p.has = 0;
			p.has_blkoff = false;
		} else if (inside) {
			read_status_line(&p);
		}
	}
	*status = (struct f2fs_status){ 0 };
	if (!p.lines.trouble && n_found != 1)
		p.lines.trouble = xasprintf("%s: %zu volumes %s%s have %ju segments; expected one: "
					    "keep the part of this volume only", name, n_found, dev ? "named " : "",
					    dev ? dev : "in it", (uintmax_t)segments);
	if (!p.lines.trouble)
		*status = found;
	return p.lines.trouble;
}

/* === victim_bits === */

static bool read_victims_line(struct f2fs_victims *victims, size_t *cap, struct f2fs_lines *lines)
{
	uint64_t number, bit;

	if (!f2fs_lines_number(lines, UINT32_MAX, &number) || number != victims->n)
		return f2fs_lines_refuse(lines, "expected the number of the next section, copy the file again");
	/* a number of ten digits leaves no space before the first bit; it was read as one number then */
	while (*(lines->p += strspn(lines->p, " "))) {
		if (!f2fs_lines_number(lines, 1, &bit))
			return f2fs_lines_refuse(lines, "expected 0 or 1 for each section, copy the file again");
		*APPEND(victims->chosen, victims->n, *cap) = bit;
	}
	return true;
}

/**
 * f2fs_victims_read() - read a victim_bits
 * @victims: the result; its @chosen is to be freed
 * @file: the text
 * @name: its name, for messages
 *
 * Return: NULL, or why it is refused, with the line and the remedy; to be freed.
 */
char *f2fs_victims_read(struct f2fs_victims *victims, FILE *file, const char *name)
{
	struct f2fs_lines lines = { .name = name, .file = file };
	size_t cap = 0;

	*victims = (struct f2fs_victims){ 0 };
	if (!f2fs_lines_next(&lines) || strcmp(lines.text, "format: victim_secmap bitmaps")) {
		lines.number += !lines.number;
		f2fs_lines_refuse(&lines, "not a victim_bits of F2FS, copy it from /proc/fs/f2fs/DEV");
	}
	while (f2fs_lines_next(&lines) && read_victims_line(victims, &cap, &lines))
		;
	if (!lines.trouble && !victims->n)
		f2fs_lines_refuse(&lines, "no section, copy the file again");
	if (lines.trouble) {
		free(victims->chosen);
		*victims = (struct f2fs_victims){ 0 };
	}
	return lines.trouble;
}
