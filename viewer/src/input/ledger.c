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
#include "input/fields.h"
#include "input/ledger.h"
#include "input/table.h"

static const char *const abouts[] = { "device", "kind", "process", "file" };

static bool read_line(void *result, char *at)
{
	struct ledger *ledger = result;
	struct ledger_line *l = APPEND(ledger->lines, ledger->n, ledger->cap);
	static const size_t numbers[] = { 2, 0, LEDGER_SUMS, LEDGER_SUMS };
	struct file named;
	const char *about;
	size_t i;

	*l = (struct ledger_line){ .name = "", .other = "", .ext = "" };
	if (!take_fields(&at, "dw", &l->major, &l->minor, &about))
		return false;
	i = index_of(about, abouts, ARRAY_LEN(abouts));
	if (i == ARRAY_LEN(abouts))
		return false;
	l->about = (enum ledger_about)i;
	for (i = 0; i < numbers[l->about]; i++)
		if (!take_fields(&at, "n", &l->bytes[i]))
			return false;
	switch (l->about) {
	case LEDGER_DEVICE:
		return !*at;
	case LEDGER_KIND:
		return take_fields(&at, "wwn.", &l->name, &l->other, &l->bytes[0]);
	case LEDGER_PROCESS:
		return take_fields(&at, "nww.", &l->pid, &l->name, &l->other);
	case LEDGER_FILE:
		if (!take_fields(&at, "np", &l->pid, &named))
			return false;
		l->name = named.path;
		l->ext = named.ext;
		l->is_deleted = named.deleted;
		return true;
	}
	return false;
}

/**
 * ledger_read() - read and parse a file `ledger`, as observed_read()
 * @ledger: the result; to be freed with ledger_free()
 * @name: the file
 */
void ledger_read(struct ledger *ledger, const char *name)
{
	static const struct observed format = {
		.file = "ledger", .version = 1, .lines = "device, kind, process or file", .read = read_line,
	};

	*ledger = (struct ledger){ 0 };
	observed_read(&format, name, &ledger->text, ledger);
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
