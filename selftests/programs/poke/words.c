// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines for fragtrace's files: valid ones, nearly valid ones, and noise.
 *
 * In: random numbers. Out: bytes. make_odd_folders() creates the folders that the lines name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "poke.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Names that need escapes or are long. The last two are not folders. */
static const char *const names[] = {
	"plain", "with blank", " blank first", "new\nline", "ends with one\n", "tab\there", "back\\slash", "\\040", "\\",
	"bell\a\b\v\f\r\033[31m", "\377\376\300\200", "#hash", "ends (deleted)", "comma,comma", "\177", "-", "1", "add x",
	"loop", "file",
};

/**
 * draw() - draw a number
 * @r: the stream
 * @below: the number is below this, and at least 0
 *
 * Return: the number
 */
uint64_t draw(struct random *r, uint64_t below)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return r->state % below;
}

static void longest_name(char out[256])
{
	memset(out, 'n', 255);
	out[255] = '\0';
}

/**
 * make_odd_folders() - create the folders that the lines name, nested as well as side by side
 * @folder: the parent folder
 */
void make_odd_folders(const char *folder)
{
	char longest[256];
	size_t i;

	longest_name(longest);
	if (chdir(folder))
		goto fail;
	for (i = 0; i + 2 < ARRAY_LEN(names); i++)
		if (mkdir(names[i], 0755) && errno != EEXIST)
			goto fail;
	if ((mkdir(longest, 0755) && errno != EEXIST) || (mkdir("plain/plain", 0755) && errno != EEXIST))
		goto fail;
	if (symlink("loop", "loop") && errno != EEXIST)
		goto fail;
	close(open("file", O_WRONLY | O_CREAT, 0644));
	return;
fail:
	perror(folder);
	exit(2);
}

/* Escape bytes as fragtrace does, or in other ways: any of them may become an escape. */
static size_t escape(struct random *r, char *out, const char *s, size_t len)
{
	unsigned int how = draw(r, 4);
	size_t n = 0, i;

	for (i = 0; i < len; i++) {
		unsigned char c = s[i];

		if (how == 0 || (how == 1 && !strchr(" \t\n\\", c)) || (how == 2 && draw(r, 2)))
			out[n++] = c;
		else
			n += sprintf(out + n, "\\%03o", c);
	}
	return n;
}

/* A path: of a folder, of another file, or of nothing; in one of many spellings. */
static size_t make_path(struct random *r, char *out, const char *folder)
{
	static const char *const between[] = { "/", "//", "/./", "/plain/../", "/plain/" };
	static const char *const ends[] = { "", "", "", "/", "//", "/.", "/..", "/plain", "\\000junk", "x" };
	static const char *const elsewhere[] = { "/", "/proc", "/dev/null", "/missing", ".", "", "plain", "../plain" };
	char path[16384], longest[256];
	size_t n = 0, i;

	longest_name(longest);
	switch (draw(r, 12)) {
	case 0:
		n = sprintf(path, "%s", elsewhere[draw(r, ARRAY_LEN(elsewhere))]);
		break;
	case 1:		/* longer than the limit of paths, or nearly */
		n = sprintf(path, "%s", folder);
		for (i = draw(r, 2) ? 2000 : 2020 + draw(r, 40); i && n < 8192; i--)
			n += sprintf(path + n, "/.");
		break;
	case 2:
		n = sprintf(path, "%s", folder);
		break;
	case 3:
		n = sprintf(path, "%s/%s", folder, longest);
		break;
	default:
		n = sprintf(path, "%s%s%s", folder, between[draw(r, ARRAY_LEN(between))], names[draw(r, ARRAY_LEN(names))]);
		break;
	}
	n += sprintf(path + n, "%s", ends[draw(r, ARRAY_LEN(ends))]);
	return escape(r, out, path, n);
}

static size_t make_noise(struct random *r, char *buf)
{
	size_t n = draw(r, 4) ? draw(r, 64) : draw(r, MAX_LINE), i;

	for (i = 0; i < n; i++)
		buf[i] = draw(r, 256);
	return n;
}

/**
 * make_line() - make a line to write
 * @r: random numbers
 * @buf: buffer of %MAX_LINE bytes
 * @folder: folder with the odd folders
 *
 * Return: its length in bytes; the line may hold NULs
 */
size_t make_line(struct random *r, char *buf, const char *folder)
{
	static const char *const verbs[] = {
		"add ", "add ", "add ", "del ", "del ", "del ", "", "", "add", "ADD ", "add  ", "add\t", "del\n", "1 ",
	};
	static const char ends[][4] = { "\n", "\n", "", "\n\n", " ", "\\", "\\04" };
	size_t n;

	switch (draw(r, 16)) {
	case 0:
		return make_noise(r, buf);
	case 1:
		return sprintf(buf, "%s", draw(r, 2) ? "1" : "1\n");
	case 2:		/* a NUL at the end */
		return sprintf(buf, "add %s", folder) + 1;
	}
	n = sprintf(buf, "%s", verbs[draw(r, ARRAY_LEN(verbs))]);
	n += make_path(r, buf + n, folder);
	n += sprintf(buf + n, "%s", ends[draw(r, ARRAY_LEN(ends))]);
	if (n && !draw(r, 8))
		buf[draw(r, n)] = draw(r, 256);
	return n;
}
