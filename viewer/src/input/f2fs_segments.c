// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: F2FS's segment information table, from segment_bits or segment_info of /proc/fs/f2fs.
 *
 *	format: segment_type|valid_blocks|bitmaps		(from Linux 6.15 on: |mtime)
 *	segment_type(0:HD, 1:WD, 2:CD, 3:HN, 4:WN, 5:CN)
 *	0         4|2   | 18 00 ... 00			(64 bytes; from Linux 6.15 on: | mtime, in hex)
 *
 *	format: segment_type|valid_blocks
 *	segment_type(0:HD, 1:WD, 2:CD, 3:HN, 4:WN, 5:CN)
 *	0         4|2   1|512 ...				(10 in a line)
 */

#include "input/f2fs_lines.h"
#include "input/f2fs_segments.h"

static const char bits_format[] = "format: segment_type|valid_blocks|bitmaps";
static const char info_format[] = "format: segment_type|valid_blocks";
static const char types_line[] = "segment_type(0:HD, 1:WD, 2:CD, 3:HN, 4:WN, 5:CN)";

struct parser {
	struct f2fs_segments *segments;
	struct f2fs_lines lines;
	size_t cap;
	bool has_map;
	bool has_mtime;
};

static void skip_spaces(struct parser *p)
{
	p->lines.p += strspn(p->lines.p, " ");
}

static bool skip(struct parser *p, char c)
{
	if (*p->lines.p != c)
		return false;
	p->lines.p++;
	return true;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void add_segment(struct parser *p, uint64_t type, uint64_t valid)
{
	struct f2fs_segments *s = p->segments;

	if (s->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 1024;
		s->type = xreallocarray(s->type, p->cap, sizeof(*s->type));
		s->valid = xreallocarray(s->valid, p->cap, sizeof(*s->valid));
		if (p->has_map)
			s->map = xreallocarray(s->map, p->cap, F2FS_MAP_BYTES);
		if (p->has_mtime)
			s->mtime = xreallocarray(s->mtime, p->cap, sizeof(*s->mtime));
	}
	s->type[s->n] = (uint8_t)type;
	s->valid[s->n] = (uint16_t)valid;
	s->n++;
}

/* The number of the segment at the beginning of a line, then type and valid blocks of a segment. */
static bool read_number(struct parser *p)
{
	uint64_t number;

	if (!f2fs_lines_number(&p->lines, UINT32_MAX, &number) || number != p->segments->n ||
	    (*p->lines.p != ' ' && number < 1000000000))
		return f2fs_lines_refuse(&p->lines, "expected the number of the next segment, copy the file again");
	skip_spaces(p);
	return true;
}

static bool read_counts(struct parser *p)
{
	uint64_t type, valid;

	if (!f2fs_lines_number(&p->lines, F2FS_N_TYPES - 1, &type) || !skip(p, '|') ||
	    !f2fs_lines_number(&p->lines, F2FS_SEGMENT_BLKS, &valid))
		return f2fs_lines_refuse(&p->lines, "expected TYPE|VALID with a type of 0 to 5 and at most 512 "
					 "valid blocks, is this F2FS newer than the viewer?");
	add_segment(p, type, valid);
	return true;
}

/* === segment_bits === */

static bool read_map(struct parser *p)
{
	size_t at = p->segments->n - 1;
	uint8_t *map = p->segments->map + at * F2FS_MAP_BYTES;
	unsigned int valid = 0;

	for (size_t i = 0; i < F2FS_MAP_BYTES; i++) {
		int high, low;

		if (!skip(p, ' '))
			return false;
		high = hex_digit(p->lines.p[0]);
		low = high < 0 ? -1 : hex_digit(p->lines.p[1]);
		if (low < 0)
			return false;
		p->lines.p += 2;
		map[i] = (uint8_t)(high << 4 | low);
		valid += (unsigned int)__builtin_popcount(map[i]);
	}
	p->segments->n_torn += valid != p->segments->valid[at];
	p->segments->valid[at] = (uint16_t)valid;
	return true;
}

static bool read_mtime(struct parser *p)
{
	uint64_t value = 0;
	int digits = 0, digit;

	if (!skip(p, '|') || !skip(p, ' '))
		return false;
	for (; (digit = hex_digit(*p->lines.p)) >= 0 && digits < 16; digits++, p->lines.p++)
		value = value << 4 | (unsigned int)digit;
	p->segments->mtime[p->segments->n - 1] = value;
	return digits;
}

static bool read_bits_line(struct parser *p)
{
	if (!read_number(p) || !read_counts(p))
		return false;
	skip_spaces(p);
	if (!skip(p, '|') || !read_map(p))
		return f2fs_lines_refuse(&p->lines, "expected 64 bytes of a bitmap, copy the file again");
	if ((p->has_mtime && !read_mtime(p)) || *p->lines.p)
		return f2fs_lines_refuse(&p->lines, "unknown text after the bitmap, is this F2FS newer "
					 "than the viewer?");
	return true;
}

/* === segment_info === */

static bool read_info_line(struct parser *p)
{
	if (!read_number(p))
		return false;
	do {
		if (!read_counts(p))
			return false;
		skip_spaces(p);
	} while (*p->lines.p);
	return true;
}

/* === Both === */

static bool read_heading(struct parser *p, const char *format)
{
	size_t len = strlen(format);
	bool is_it = f2fs_lines_next(&p->lines) && !strncmp(p->lines.text, format, len);

	p->has_mtime = is_it && p->has_map && !strcmp(p->lines.text + len, "|mtime");
	if (!is_it || (p->lines.text[len] && !p->has_mtime) || !f2fs_lines_next(&p->lines) ||
	    strcmp(p->lines.text, types_line)) {
		p->lines.number += !p->lines.number;
		return f2fs_lines_refuse(&p->lines, p->has_map ?
					 "not a segment_bits of F2FS, copy it from /proc/fs/f2fs/DEV" :
					 "not a segment_info of F2FS, copy it from /proc/fs/f2fs/DEV");
	}
	return true;
}

static char *read_segments(struct f2fs_segments *segments, FILE *file, const char *name, const char *format,
			   bool (*read_line)(struct parser *p))
{
	struct parser p = {
		.segments = segments, .lines = { .name = name, .file = file }, .has_map = format == bits_format,
	};

	*segments = (struct f2fs_segments){ 0 };
	if (read_heading(&p, format))
		while (f2fs_lines_next(&p.lines) && read_line(&p))
			;
	if (!p.lines.trouble && !segments->n)
		f2fs_lines_refuse(&p.lines, "no segment, copy the file again");
	if (p.lines.trouble)
		f2fs_segments_free(segments);
	return p.lines.trouble;
}

/**
 * f2fs_segments_read_bits() - read a segment_bits
 * @segments: the result; to be freed with f2fs_segments_free()
 * @file: the text
 * @name: its name, for messages
 *
 * Return: NULL, or why it is refused, with the line and the remedy; to be freed.
 */
char *f2fs_segments_read_bits(struct f2fs_segments *segments, FILE *file, const char *name)
{
	return read_segments(segments, file, name, bits_format, read_bits_line);
}

/**
 * f2fs_segments_read_info() - read a segment_info
 * @segments: the result, without bitmaps; to be freed with f2fs_segments_free()
 * @file: the text
 * @name: its name, for messages
 *
 * Return: NULL, or why it is refused, with the line and the remedy; to be freed.
 */
char *f2fs_segments_read_info(struct f2fs_segments *segments, FILE *file, const char *name)
{
	return read_segments(segments, file, name, info_format, read_info_line);
}

/**
 * f2fs_segments_free() - release the segments
 * @segments: as left by f2fs_segments_read_bits() or f2fs_segments_read_info(), or all zeroes
 */
void f2fs_segments_free(struct f2fs_segments *segments)
{
	free(segments->type);
	free(segments->valid);
	free(segments->map);
	free(segments->mtime);
	*segments = (struct f2fs_segments){ 0 };
}
