// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the debugfs file `ledger`. It has what is written, by kind of block, process and file.
 *
 *	# fragtrace ledger 1
 *	254:0 device 8192 0
 *	254:0 kind new warm_data 4096
 *	254:0 process 4096 0 0 4096 4096 0 0 812 rocksdb:low /
 *	254:0 file 4096 0 0 4096 4096 0 0 5 /mnt/f2fs/db/000123.sst
 */
#include "input/ledger.h"
#include "input/source.h"
#include "input/table.h"
#include "names.h"

static const char magic[] = "# fragtrace ledger 1";
static const char unknown[] = "# not known: ";

static const char *const abouts[] = { "device", "kind", "process", "file" };

/* Read a number and the space after it, if it is not the last word. */
static bool take(char **at, uint64_t *value)
{
	char *from = *at;

	errno = 0;
	*value = strtoull(from, at, 10);
	if (*at == from || errno || *from < '0' || *from > '9' || (**at && **at != ' '))
		return false;
	*at += !!**at;
	return true;
}

/* Read a word and the space after it, and replace its escapes. */
static bool take_word(char **at, const char **word)
{
	size_t len = strcspn(*at, " ");
	char *from = *at, *end = from + len;

	*at = end + !!*end;
	*word = from;
	return len && !path_unescape(from, from, end);
}

static bool read_line(struct ledger_line *l, char *at)
{
	static const size_t numbers[] = { 2, 0, LEDGER_SUMS, LEDGER_SUMS };
	struct file named;
	int len = 0;
	char about[8];
	size_t i;

	*l = (struct ledger_line){ .name = "", .other = "", .ext = "" };
	if (sscanf(at, "%u:%u %7s %n", &l->major, &l->minor, about, &len) != 3 || !len)
		return false;
	at += len;
	for (i = 0; i < ARRAY_LEN(abouts) && strcmp(abouts[i], about) != 0; i++)
		;
	if (i == ARRAY_LEN(abouts))
		return false;
	l->about = (enum ledger_about)i;
	for (i = 0; i < numbers[l->about]; i++)
		if (!take(&at, &l->bytes[i]))
			return false;
	switch (l->about) {
	case LEDGER_DEVICE:
		return !*at;
	case LEDGER_KIND:
		return take_word(&at, &l->name) && take_word(&at, &l->other) && take(&at, &l->bytes[0]) && !*at;
	case LEDGER_PROCESS:
		return take(&at, &l->pid) && take_word(&at, &l->name) && take_word(&at, &l->other) && !*at;
	case LEDGER_FILE:
		if (!take(&at, &l->pid) || !*at || path_unescape(at, at, at + strlen(at)))
			return false;
		if (strcmp(at, "*")) {
			file_set_path(&named, at);
			l->ext = named.ext;
			l->is_deleted = named.deleted;
		}
		l->name = at;
		return true;
	}
	return false;
}

/**
 * ledger_read() - read and parse a file `ledger`
 * @ledger: the result; to be freed with ledger_free()
 * @name: the file
 *
 * Ends the program if the file cannot be read, at the first line that does not match the format, or if the module has counted
 * nothing.
 */
void ledger_read(struct ledger *ledger, const char *name)
{
	size_t cap = 0, number = 0;
	char *line, *next;
	int err;

	*ledger = (struct ledger){ 0 };
	err = slurp_file(&ledger->text, name);
	if (err == EFBIG)
		input_too_large(name);
	if (err)
		die("%s: cannot read: %s%s", name, strerror(err), err == EISDIR ? "; give a copy of the file ledger of debugfs" : source_hint(name, err));
	for (line = ledger->text.buf; *line; line = next) {
		size_t len = strcspn(line, "\n");

		next = line + len + !!line[len];
		line[len] = '\0';
		if (!number++ && strcmp(line, magic) != 0)
			die_at(name, 1, "expected the line \"%s\"; give a copy of the file ledger of debugfs", magic);
		if (!strncmp(line, unknown, strlen(unknown)))
			die("%s: %s; load it with ledger=1", name, line + strlen(unknown));
		if (*line == '#')
			continue;
		ledger->lines = grow(ledger->lines, &cap, ledger->n, sizeof(*ledger->lines));
		if (!read_line(&ledger->lines[ledger->n], line))
			die_at(name, number, "expected: a line device, kind, process or file of this format");
		ledger->n++;
	}
	if (!number)
		die_at(name, 1, "expected the line \"%s\"; give a copy of the file ledger of debugfs", magic);
}

/**
 * ledger_free() - release what ledger_read() has read
 * @ledger: as left by it
 */
void ledger_free(struct ledger *ledger)
{
	free(ledger->lines);
	text_free(&ledger->text);
	*ledger = (struct ledger){ 0 };
}
