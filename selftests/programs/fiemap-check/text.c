// SPDX-License-Identifier: GPL-2.0-only
/*
 * The texts of fragtrace: table, extents and files.
 *
 * In: the text of the kernel. Out: the fields table, extents, reported and so on of the files found by
 * truth.c. A line with a wrong format, order or path is reported here.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fiemap-check.h"

/* The number of fields of the longest record: one of `files`. */
#define MAX_FIELDS 14

/**
 * struct line - one record of a text
 * @text: name of the text, for messages
 * @nr: number of the line, for messages
 * @field: its fields; the last one is the path, still escaped
 */
struct line {
	const char *text;
	unsigned long nr;
	char *field[MAX_FIELDS];
};

/**
 * text_read() - read a whole file of debugfs
 * @dir: folder
 * @name: file in it
 *
 * Return: its text, for the caller to free
 */
char *text_read(const char *dir, const char *name)
{
	char *path, *text = NULL;
	size_t n = 0, cap = 0;
	ssize_t got;
	int fd;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		die("out of memory");
	fd = open(path, O_RDONLY);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	for (;;) {
		if (cap - n < 65536) {
			cap = cap * 2 + 131072;
			text = realloc(text, cap);
			if (!text)
				die("out of memory");
		}
		got = read(fd, text + n, cap - n - 1);
		if (got < 0)
			die("%s: %s", path, strerror(errno));
		if (!got)
			break;
		n += got;
	}
	text[n] = 0;
	if (strlen(text) != n)
		problem("%s: holds a zero byte", name);
	close(fd);
	free(path);
	return text;
}

/* A head line may say that F2FS has stopped on a device. */
static void check_stopped(const struct line *line, const char *head)
{
	unsigned int major, minor;
	int end = 0;

	if (strncmp(head, "# stopped", 9))
		return;
	if (sscanf(head, "# stopped %u:%u%n", &major, &minor, &end) != 2 || head[end])
		problem("%s:%lu: expected '# stopped DEV'", line->text, line->nr);
}

/* Split off the next record with exactly n fields; return false at the end of the text. */
static bool next_line(char **rest, struct line *line, int n)
{
	char *p, *end;
	int i;

	assert(n <= MAX_FIELDS);
	for (;;) {
		p = *rest;
		if (!*p)
			return false;
		end = strchr(p, '\n');
		line->nr++;
		if (!end) {
			problem("%s:%lu: the last line does not end", line->text, line->nr);
			end = p + strlen(p);
			*rest = end;
		} else {
			*rest = end + 1;
		}
		*end = 0;
		if (*p == '#') {
			check_stopped(line, p);
			continue;
		}
		for (i = 0; i < n && p; i++)
			line->field[i] = strsep(&p, " ");
		if (i == n && !p && *line->field[n - 1])
			return true;
		problem("%s:%lu: expected %d fields", line->text, line->nr, n);
	}
}

static void check_head(char *text, const char *name, int version)
{
	char head[64], bytes[64];
	char *second;

	snprintf(head, sizeof(head), "# fragtrace %s %d\n", name, version);
	if (strncmp(text, head, strlen(head))) {
		problem("%s:1: expected '# fragtrace %s %d'", name, name, version);
		return;
	}
	/* the size of a block is said where it is not the usual one */
	second = text + strlen(head);
	snprintf(bytes, sizeof(bytes), "# block_bytes %llu\n", BLOCK_BYTES);
	if (BLOCK_BYTES == 4096 ? !!strstr(text, "\n# block_bytes ") : strncmp(second, bytes, strlen(bytes)) != 0)
		problem("%s:2: expected the size of a block, %llu, if it is not 4096", name, BLOCK_BYTES);
}

/* Decode the escapes of /proc/self/mountinfo in place; return false if a byte lacks its escape. */
static bool unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (strchr(" \t\n", *s))
			return false;
		if (*s == '\\') {
			if (s[1] < '0' || s[1] > '3' || s[2] < '0' || s[2] > '7' || s[3] < '0' || s[3] > '7')
				return false;
			*to++ = (s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0');
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
	return true;
}

static bool number(const struct line *line, int field, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(line->field[field], &end, 10);
	if (!isdigit((unsigned char)line->field[field][0]) || *end || errno) {
		problem("%s:%lu: field %d '%s' is no number", line->text, line->nr, field + 1, line->field[field]);
		return false;
	}
	return true;
}

/* Parse a mean: digits, a point, one digit. Return it in tenths. */
static bool mean(const struct line *line, int field, uint64_t *out)
{
	char *s = line->field[field], *end;
	uint64_t whole;

	whole = strtoull(s, &end, 10);
	if (!isdigit((unsigned char)*s) || *end != '.' || !isdigit((unsigned char)end[1]) || end[2]) {
		problem("%s:%lu: field %d '%s' is no number with one decimal", line->text, line->nr, field + 1, s);
		return false;
	}
	*out = whole * 10 + (end[1] - '0');
	return true;
}

static bool device(const struct line *line, int field, unsigned int *maj, unsigned int *min)
{
	char c;

	if (sscanf(line->field[field], "%u:%u%c", maj, min, &c) == 2)
		return true;
	problem("%s:%lu: '%s' is no device", line->text, line->nr, line->field[field]);
	return false;
}

static bool is_deleted(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t n = strlen(path);

	return n >= sizeof(mark) - 1 && !strcmp(path + n - (sizeof(mark) - 1), mark);
}

static bool below(const char *path, const struct options *opt)
{
	int i;

	for (i = 0; i < opt->nr_dirs; i++) {
		size_t n = strlen(opt->dirs[i]);

		while (n > 1 && opt->dirs[i][n - 1] == '/')
			n--;
		if (!strncmp(path, opt->dirs[i], n) && path[n] == '/')
			return true;
	}
	return false;
}

/* Find the file of a line and check its path; return NULL if the file is not in our list. */
static struct file *owner(struct files *files, struct line *line, int path_field, unsigned int maj,
			  unsigned int min, uint64_t ino, const struct options *opt)
{
	char *path = line->field[path_field];
	struct file *f;
	struct stat st;

	if (!unescape(path)) {
		problem("%s:%lu: path '%s' is not escaped as in mountinfo", line->text, line->nr, path);
		return NULL;
	}
	f = truth_find(files, maj, min, ino);
	if (!f) {
		if (is_deleted(path) || (opt->partial && !below(path, opt)))
			return NULL;
		problem("%s:%lu: inode %" PRIu64 " '%s' does not exist below the folder", line->text, line->nr, ino, path);
		return NULL;
	}
	if (opt->no_paths || (f->listed_path && !strcmp(path, f->listed_path)))
		return f;
	/* a path that is too long for a system call is not shown */
	if (!strcmp(path, "?") && strlen(f->path) >= PATH_MAX)
		return f;
	if (lstat(path, &st))
		problem("%s:%lu: inode %" PRIu64 ": path '%s': %s; it is '%s'", line->text, line->nr, ino, path,
			strerror(errno), f->path);
	else if (st.st_ino != ino || major(st.st_dev) != maj || minor(st.st_dev) != min)
		problem("%s:%lu: inode %" PRIu64 ": path '%s' is another file; it is '%s'", line->text, line->nr, ino,
			path, f->path);
	else
		f->listed_path = path;
	return f;
}

/**
 * text_table() - parse the text `table`
 * @files: the files of truth.c
 * @text: the text; destroyed
 * @opt: options
 */
void text_table(struct files *files, char *text, const struct options *opt)
{
	struct line line = { .text = "table" };
	unsigned int maj, min, last_maj = 0, last_min = 0;
	uint64_t lba, len, off, ino, last_lba = 0, last_end = 0, last_ino = 0;
	struct file *f;

	check_head(text, line.text, 1);
	while (next_line(&text, &line, 7)) {
		if (!device(&line, 0, &maj, &min) || !number(&line, 1, &lba) || !number(&line, 2, &len) ||
		    !number(&line, 3, &off) || !number(&line, 4, &ino))
			continue;
		if (maj < last_maj || (maj == last_maj && min < last_min))
			problem("table:%lu: devices are not in order", line.nr);
		else if (maj == last_maj && min == last_min && lba < last_lba)
			problem("table:%lu: LBA %" PRIu64 " is not in order", line.nr, lba);
		else if (maj == last_maj && min == last_min && lba < last_end && !opt->claims)
			problem("table:%lu: LBA %" PRIu64 " of inode %" PRIu64 " overlaps inode %" PRIu64 ", the line before",
				line.nr, lba, ino, last_ino);
		if (!len)
			problem("table:%lu: length 0", line.nr);
		last_maj = maj;
		last_min = min;
		last_lba = lba;
		last_end = lba + len;
		last_ino = ino;
		f = owner(files, &line, 6, maj, min, ino, opt);
		if (!f)
			continue;
		f->table.v = grow(f->table.v, f->table.n, &f->table.cap, sizeof(*f->table.v));
		f->table.v[f->table.n++] = (struct run){ .lblk = off, .pblk = lba, .len = len };
		if (!strcmp(line.field[5], "contiguous"))
			f->state_contiguous++;
		else if (!strcmp(line.field[5], "fragmented"))
			f->state_fragmented++;
		else
			problem("table:%lu: state '%s'", line.nr, line.field[5]);
	}
}

/* Is the written extent of a line not adjacent to the end of the previous one? */
static bool breaks(const struct file *f, struct line *line, bool unwritten)
{
	const struct run *prev;
	uint64_t lba;
	size_t i;

	if (unwritten || !number(line, 4, &lba))
		return false;
	for (i = f->extents.n; i; i--) {
		prev = &f->extents.v[i - 1];
		if (!prev->unwritten)
			return prev->pblk + prev->len != lba;
	}
	return false;
}

/* A line has a cause if and only if there is a break. The cause begins with this field. */
static void check_cause(const struct file *f, struct line *line, int field, bool broken)
{
	bool none = !strcmp(line->field[field], "-");

	if (broken == none || none != !strcmp(line->field[field + 2], "-"))
		problem("%s:%lu: inode %" PRIu64 ": a cause %s", line->text, line->nr, f->ino,
			broken ? "is missing" : "without a break");
	if (!strcmp(line->field[field + 2], "none"))
		problem("%s:%lu: inode %" PRIu64 ": a break without a reason why", line->text, line->nr, f->ino);
}

static void take_extent_line(struct file *f, struct line *line, bool unwritten, bool encoded)
{
	uint64_t off, off_end, lba = 0, lba_end = 0, len;

	if (!number(line, 2, &off) || !number(line, 3, &off_end) || !number(line, 6, &len))
		return;
	if (!unwritten && (!number(line, 4, &lba) || !number(line, 5, &lba_end)))
		return;
	if (off_end + 1 != off + len || (!unwritten && lba_end + 1 != lba + len))
		problem("extents:%lu: ends are inclusive, length %" PRIu64 " does not fit", line->nr, len);
	if (f->extents.n && f->extents.v[f->extents.n - 1].lblk >= off)
		problem("extents:%lu: offset %" PRIu64 " is not in order", line->nr, off);
	f->extents.v = grow(f->extents.v, f->extents.n, &f->extents.cap, sizeof(*f->extents.v));
	f->extents.v[f->extents.n++] = (struct run){
		.lblk = off, .pblk = lba, .len = len, .unwritten = unwritten, .encoded = encoded,
	};
}

/**
 * text_extents() - parse the text `extents`
 * @files: the files of truth.c
 * @text: the text; destroyed
 * @opt: options
 */
void text_extents(struct files *files, char *text, const struct options *opt)
{
	struct line line = { .text = "extents" };
	struct file *f, *last = NULL;
	unsigned int maj, min;
	bool unwritten, encoded;
	uint64_t ino;

	check_head(text, line.text, 2);
	while (next_line(&text, &line, 13)) {
		if (!device(&line, 0, &maj, &min) || !number(&line, 1, &ino))
			continue;
		f = owner(files, &line, 12, maj, min, ino, opt);
		if (!f)
			continue;
		if (f != last && f->extents.n)
			problem("extents:%lu: inode %" PRIu64 " is not grouped", line.nr, ino);
		last = f;
		unwritten = !strcmp(line.field[7], "unwritten");
		encoded = !strcmp(line.field[7], "encoded");
		if (!unwritten && !encoded && strcmp(line.field[7], "-"))
			problem("extents:%lu: flags '%s'", line.nr, line.field[7]);
		if (unwritten && (strcmp(line.field[4], "-") || strcmp(line.field[5], "-")))
			problem("extents:%lu: an unwritten extent with an LBA", line.nr);
		check_cause(f, &line, 8, breaks(f, &line, unwritten));
		take_extent_line(f, &line, unwritten, encoded);
	}
}

/**
 * text_files() - parse the text `files`
 * @files: the files of truth.c
 * @text: the text; destroyed
 * @opt: options
 */
void text_files(struct files *files, char *text, const struct options *opt)
{
	struct line line = { .text = "files" };
	unsigned int maj, min;
	struct figures s;
	struct file *f;
	uint64_t ino;

	check_head(text, line.text, 2);
	while (next_line(&text, &line, 14)) {
		if (!device(&line, 0, &maj, &min) || !number(&line, 1, &ino) || !number(&line, 3, &s.blocks) ||
		    !number(&line, 4, &s.extents) || !number(&line, 5, &s.fragments) ||
		    !mean(&line, 6, &s.mean_fragment) || !mean(&line, 7, &s.mean_distance) ||
		    !number(&line, 8, &s.requests) || !number(&line, 9, &s.ideal))
			continue;
		f = owner(files, &line, 13, maj, min, ino, opt);
		if (!f)
			continue;
		if (f->listed++)
			problem("files:%lu: inode %" PRIu64 " for the second time", line.nr, ino);
		check_cause(f, &line, 10, s.fragments > 1);
		f->reported = s;
		f->stale = !strcmp(line.field[2], "stale");
		if (!f->stale && strcmp(line.field[2], "exact"))
			problem("files:%lu: map '%s'", line.nr, line.field[2]);
	}
}
