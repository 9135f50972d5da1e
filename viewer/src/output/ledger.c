// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: who writes what, by the debugfs file `ledger`. What the device got by what applications wrote is the
 * write amplification, of a volume, a process, a cgroup, an extension and a file.
 */
#include "commands.h"
#include "input/ledger.h"
#include "input/source.h"
#include "input/table.h"
#include "names.h"
#include "output/counted.h"
#include "output/json.h"
#include "output/phrases.h"
#include "output/prometheus.h"
#include "output/serve_counts.h"
#include "outfile.h"

#define MAX_LINES 10	/* of each table */

/* What stands in a text. */
#define RATIO(device, written) ratio((char [SHARE_MAX]){ 0 }, device, written)

/* What is summed up by; single processes are in JSON only. */
enum by { BY_PID = -1, BY_PROCESS, BY_CGROUP, BY_EXTENSION, BY_FILE, N_BY };

static const char *const titles[N_BY] = { "process", "cgroup", "extension", "file" };

/* A line of a table: @n lines of the input in one, for JSON also of which. */
struct row {
	const struct ledger_line *first;
	size_t n;
	uint64_t bytes[LEDGER_SUMS];
};

/* The kinds of blocks in words, in the order of the table. */
static const struct {
	const char *kind, *text;
} texts[] = {
	{ "new", "data where the file had no block" },
	{ "rewritten", "data written again, elsewhere" },
	{ "in_place", "data written again, in place" },
	{ "direct", "data of direct writes" },
	{ "atomic", "data of atomic writes" },
	{ "compressed", "data of files that F2FS may compress" },
	{ "inline", "data that was in the inode" },
	{ "directory", "directories and symbolic links" },
	{ "gc_fg", "moved by collection, somebody waits" },
	{ "gc_bg", "moved by collection, nobody waits" },
	{ "defrag", "moved to defragment" },
	{ "range", "moved within files or between them" },
	{ "node_sync", "nodes for fsync, sync" },
	{ "node_writeback", "nodes that nobody waits for" },
	{ "node_checkpoint", "nodes of checkpoints" },
	{ "node_gc", "nodes moved by collection" },
	{ "checkpoint", "checkpoint packs" },
	{ "sit", "segment information table (SIT)" },
	{ "nat", "node address table (NAT)" },
	{ "ssa", "segment summaries (SSA)" },
	{ "super", "super blocks" },
};

/* What is summed up, by enum ledger_sum, in the words of JSON and metrics. */
static const char *const sums[LEDGER_SUMS] = { "buffered", "mapped", "direct", "data", "nodes", "collected", "moved" };

/* === Sums === */

static bool is_of(const struct ledger_line *l, const struct ledger_line *device, enum ledger_about about)
{
	return l->about == about && l->major == device->major && l->minor == device->minor;
}

static uint64_t wrote(const uint64_t bytes[LEDGER_SUMS])
{
	return bytes[LEDGER_BUFFERED] + bytes[LEDGER_MAPPED] + bytes[LEDGER_DIRECT];
}

/* What the device got, that has to do with the files. */
static uint64_t got(const uint64_t bytes[LEDGER_SUMS])
{
	return bytes[LEDGER_DIRECT] + bytes[LEDGER_DATA] + bytes[LEDGER_NODE] + bytes[LEDGER_GC] + bytes[LEDGER_MOVED];
}

/* Anybody may call a process *, but none has the number 0. */
static bool is_others(const struct ledger_line *l)
{
	return !l->pid && !strcmp(l->name, "*");
}

static const char *key_of(const struct ledger_line *l, enum by by)
{
	if (by == BY_CGROUP)
		return l->other;
	return by == BY_EXTENSION ? l->ext : l->name;
}

static bool is_same(const struct ledger_line *a, const struct ledger_line *b, enum by by)
{
	if (by == BY_FILE || by == BY_PID)
		return a == b;
	return !strcmp(key_of(a, by), key_of(b, by)) && is_others(a) == is_others(b);
}

/* All others last; otherwise what has cost the device most first. */
static int by_got(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return FIRST(ORDER(is_others(x->first), is_others(y->first)),
		     FIRST(ORDER(got(y->bytes), got(x->bytes)), ORDER(x->first, y->first)));
}

static int by_key(const void *a, const void *b, void *priv)
{
	const struct row *x = a, *y = b;
	const enum by *by = priv;

	return FIRST(ORDER(is_others(x->first), is_others(y->first)),
		     FIRST(strcmp(key_of(x->first, *by), key_of(y->first, *by)), ORDER(x->first, y->first)));
}

/* The rows of a table; *n is at least 1. */
static struct row *rows_of(const struct ledger *ledger, const struct ledger_line *device, enum by by, size_t *n)
{
	enum ledger_about about = by == BY_EXTENSION || by == BY_FILE ? LEDGER_FILE : LEDGER_PROCESS;
	struct row *rows = xcalloc(ledger->n + 1, sizeof(*rows));
	size_t i, all = 0;

	for (i = 0; i < ledger->n; i++)
		if (is_of(&ledger->lines[i], device, about)) {
			rows[all] = (struct row){ .first = &ledger->lines[i], .n = 1 };
			memcpy(rows[all++].bytes, ledger->lines[i].bytes, sizeof(rows->bytes));
		}
	if (by != BY_FILE && by != BY_PID)
		qsort_r(rows, all, sizeof(*rows), by_key, &by);
	for (i = 0, *n = 0; i < all; i++) {
		struct row one = rows[i], *last = *n ? &rows[*n - 1] : NULL;

		if (!last || !is_same(last->first, one.first, by)) {
			rows[(*n)++] = one;
			continue;
		}
		last->n++;
		for (size_t k = 0; k < LEDGER_SUMS; k++)
			last->bytes[k] += one.bytes[k];
	}
	qsort(rows, *n, sizeof(*rows), by_got);
	return rows;
}

/* What applications wrote to a volume: of all processes, the others included. Lines of files may be removed meanwhile. */
static void sum_up(const struct ledger *ledger, const struct ledger_line *device, uint64_t bytes[LEDGER_SUMS])
{
	memset(bytes, 0, LEDGER_SUMS * sizeof(*bytes));
	for (size_t i = 0; i < ledger->n; i++)
		for (size_t k = 0; k < LEDGER_SUMS && is_of(&ledger->lines[i], device, LEDGER_PROCESS); k++)
			bytes[k] += ledger->lines[i].bytes[k];
}

/* What is of a kind, in all logs or in one; NULL stands for all kinds, or all logs. */
static uint64_t of_kind(const struct ledger *ledger, const struct ledger_line *device, const char *kind, const char *log)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ledger->n; i++) {
		const struct ledger_line *l = &ledger->lines[i];

		if (is_of(l, device, LEDGER_KIND) && (!kind || !strcmp(l->name, kind)) && (!log || !strcmp(l->other, log)))
			sum += l->bytes[0];
	}
	return sum;
}

/* === Sentences === */

/* So many bytes for each that was written. */
static const char *ratio(char buf[SHARE_MAX], uint64_t device, uint64_t written)
{
	if (written)
		snprintf(buf, SHARE_MAX, "%.2f", (double)device / (double)written);
	else
		snprintf(buf, SHARE_MAX, "-");
	return buf;
}

static void say_kinds(FILE *out, const struct ledger *ledger, const struct ledger_line *device)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		uint64_t bytes = of_kind(ledger, device, texts[i].kind, NULL);

		if (!bytes)
			continue;
		fprintf(out, "  %12s %8s  %s\n", BYTES(bytes), SHARE(bytes, device->bytes[0]), texts[i].text);
	}
}

static void say_logs(FILE *out, const struct ledger *ledger, const struct ledger_line *device)
{
	static const char *const logs[][2] = {
		{ "hot_data", "hot data" }, { "warm_data", "warm data" }, { "cold_data", "cold data" },
		{ "hot_node", "hot nodes" }, { "warm_node", "warm nodes" }, { "cold_node", "cold nodes" },
	};
	const char *sep = "  by log: ";

	for (size_t i = 0; i < ARRAY_LEN(logs); i++) {
		uint64_t bytes = of_kind(ledger, device, NULL, logs[i][0]);

		if (!bytes)
			continue;
		fprintf(out, "%s%s %s", sep, logs[i][1], BYTES(bytes));
		sep = ", ";
	}
	if (*sep == ',')
		fputc('\n', out);
}

static void say_rest(FILE *out, const struct ledger *ledger, const struct ledger_line *device)
{
	uint64_t known = of_kind(ledger, device, NULL, NULL), written = device->bytes[0];

	if (written > known)
		fprintf(out, "  %s more were written that F2FS has not reported\n", BYTES(written - known));
	else if (written < known)
		fprintf(out, "  %s of these are still to be submitted to the device\n", BYTES(known - written));
	if (device->bytes[1])
		fprintf(out, "  %s were discarded\n", BYTES(device->bytes[1]));
}

static char *name_of(const struct row *row, enum by by)
{
	const struct ledger_line *l = row->first;

	if (is_others(l))
		return xasprintf("all others: directories, files that are %s",
				 by == BY_FILE || by == BY_EXTENSION ? "gone or not watched" : "not watched, unknown processes");
	if (by == BY_EXTENSION && !*l->ext)
		return xasprintf("%s without an extension", COUNT(row->n, "file"));
	AUTO_FREE char *name = name_printable(key_of(l, by));
	if (by == BY_PROCESS)
		return phrase_processes(name, l->pid, row->n);
	if (by == BY_EXTENSION)
		return xasprintf("%s *%s", COUNT(row->n, "file"), name);
	return xasprintf("%s%s", name, by == BY_FILE && l->is_deleted ? DELETED_MARK : "");
}

static void say_table(FILE *out, const struct ledger *ledger, const struct ledger_line *device, enum by by)
{
	size_t n, left = 0;
	AUTO_FREE struct row *rows = rows_of(ledger, device, by, &n);

	/* one cgroup, or one extension, says no more than the volume */
	if (n > (by == BY_CGROUP || by == BY_EXTENSION ? 2 : 1))
		fprintf(out, "\n  %12s%12s%12s%12s%12s%10s  %s\n", "wrote", "data", "nodes", "collected", "moved", "got/wrote", titles[by]);
	else
		n = 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t *b = rows[i].bytes;

		if (i >= MAX_LINES && !is_others(rows[i].first)) {
			left++;
			continue;
		}
		if (!wrote(b) && !got(b))
			continue;
		AUTO_FREE char *name = name_of(&rows[i], by);
		fprintf(out, "  %12s%12s%12s%12s%12s%10s  %s\n", BYTES(wrote(b)), BYTES(b[LEDGER_DIRECT] + b[LEDGER_DATA]),
			BYTES(b[LEDGER_NODE]), BYTES(b[LEDGER_GC]), BYTES(b[LEDGER_MOVED]),
			RATIO(got(b), wrote(b)), name);
	}
	if (left)
		fprintf(out, "  and %s more; --json has all\n", GROUPED(left));
}

static void say_volume(FILE *out, const struct ledger *ledger, const struct ledger_line *device, bool with_tables)
{
	uint64_t bytes[LEDGER_SUMS];

	sum_up(ledger, device, bytes);
	say_counted(out, &ledger->text, device->major, device->minor);
	fprintf(out, ": applications wrote %s (%s buffered, %s mapped, %s direct), and the device got %s",
		BYTES(wrote(bytes)), BYTES(bytes[LEDGER_BUFFERED]), BYTES(bytes[LEDGER_MAPPED]),
		BYTES(bytes[LEDGER_DIRECT]), BYTES(device->bytes[0]));
	if (wrote(bytes))
		fprintf(out, ": write amplification %s", RATIO(device->bytes[0], wrote(bytes)));
	fputc('\n', out);
	if (with_tables)
		say_kinds(out, ledger, device);
	say_logs(out, ledger, device);
	say_rest(out, ledger, device);
	for (int by = 0; by < N_BY && with_tables; by++)
		say_table(out, ledger, device, (enum by)by);
}

/* === JSON === */

static void put_sums(struct json *json, const uint64_t bytes[LEDGER_SUMS])
{
	for (size_t i = 0; i < LEDGER_SUMS; i++)
		json_number(json, sums[i], bytes[i]);
	if (wrote(bytes))
		json_real(json, "amplification", (double)got(bytes) / (double)wrote(bytes), 4);
}

/* Where not all lines are asked for, processes of one name are one, as in the text. */
static void put_table(struct json *json, const struct ledger *ledger, const struct ledger_line *device, enum by by, size_t most)
{
	static const char *const keys[N_BY] = { "processes", "cgroups", "extensions", "files" };
	size_t n;

	JSON_ARRAY(json, keys[by]);
	AUTO_FREE struct row *rows = rows_of(ledger, device, by == BY_PROCESS && most == SIZE_MAX ? BY_PID : by, &n);
	for (size_t i = 0; i < n; i++) {
		const struct ledger_line *l = rows[i].first;
		bool others = is_others(l);

		/* they come last, and sums of the table need them */
		if (i >= most && !others)
			continue;
		JSON_OBJECT(json, NULL);
		if (by == BY_FILE && !others) {
			AUTO_FREE char *whole = xasprintf("%s%s", l->name, l->is_deleted ? DELETED_MARK : "");

			json_name(json, "path", whole);
		} else if (!others) {
			json_name(json, titles[by], key_of(l, by));
		}
		json_flag(json, "others", others);
		if (by == BY_PROCESS) {
			AUTO_FREE char *name = name_of(&rows[i], by);

			json_text(json, "name", name);
		}
		if (by == BY_PROCESS && !others && rows[i].n == 1) {
			json_number(json, "pid", l->pid);
			json_name(json, "cgroup", l->other);
		}
		put_sums(json, rows[i].bytes);
	}
}

/* A kind that is not known has no words. */
static const char *text_of(const char *kind)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!strcmp(texts[i].kind, kind))
			return texts[i].text;
	return kind;
}

static void put_volume(struct json *json, const struct ledger *ledger, const struct ledger_line *device, size_t most)
{
	struct text said = { 0 };
	FILE *saying = json_say(&said);
	uint64_t bytes[LEDGER_SUMS];

	say_volume(saying, ledger, device, false);
	sum_up(ledger, device, bytes);
	JSON_OBJECT(json, NULL);
	put_counted(json, &ledger->text, device->major, device->minor);
	json_said(json, saying, &said);
	json_number(json, "buffered", bytes[LEDGER_BUFFERED]);
	json_number(json, "mapped", bytes[LEDGER_MAPPED]);
	json_number(json, "direct", bytes[LEDGER_DIRECT]);
	json_number(json, "device", device->bytes[0]);
	json_number(json, "discarded", device->bytes[1]);
	json_signed(json, "unknown", (int64_t)(device->bytes[0] - of_kind(ledger, device, NULL, NULL)));
	if (wrote(bytes))
		json_real(json, "amplification", (double)device->bytes[0] / (double)wrote(bytes), 4);
	json_array(json, "kinds");
	for (size_t i = 0; i < ledger->n; i++) {
		const struct ledger_line *l = &ledger->lines[i];

		if (!is_of(l, device, LEDGER_KIND))
			continue;
		JSON_OBJECT(json, NULL);
		json_name(json, "kind", l->name);
		json_name(json, "meaning", text_of(l->name));
		if (strcmp(l->other, "-"))
			json_name(json, "log", l->other);
		json_number(json, "bytes", l->bytes[0]);
	}
	json_end(json);
	for (int by = 0; by < N_BY; by++)
		put_table(json, ledger, device, (enum by)by, most);
}

/* === Metrics === */

static void put_device(const struct metrics *m, const struct volume *v, const struct ledger *ledger, const struct ledger_line *device)
{
	metrics_sample(m, v, NULL, NULL, device->bytes[0]);
}

static void put_written(const struct metrics *m, const struct volume *v, const struct ledger *ledger, const struct ledger_line *device)
{
	uint64_t bytes[LEDGER_SUMS];

	sum_up(ledger, device, bytes);
	for (size_t i = LEDGER_BUFFERED; i <= LEDGER_DIRECT; i++)
		metrics_sample(m, v, "how", sums[i], bytes[i]);
}

/* Also those that there are none of yet: a series that begins late has lost its beginning. */
static void put_kinds(const struct metrics *m, const struct volume *v, const struct ledger *ledger, const struct ledger_line *device)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		metrics_sample(m, v, "kind", texts[i].kind, of_kind(ledger, device, texts[i].kind, NULL));
}

/**
 * ledger_put_metrics() - write what was written to all volumes as metrics
 * @m: the metrics
 * @table: the table
 * @path: the file
 */
void ledger_put_metrics(struct metrics *m, const struct table *table, const char *path)
{
	static const struct {
		const char *name, *help;
		void (*put)(const struct metrics *m, const struct volume *v, const struct ledger *ledger, const struct ledger_line *device);
	} metrics[] = {
		{ "fragtrace_ledger_device_bytes_total", "What the device got of the volume.", put_device },
		{ "fragtrace_ledger_application_bytes_total", "What applications wrote to watched files; see fragtrace ledger.", put_written },
		{ "fragtrace_ledger_bytes_total", "What F2FS wrote, by kind of block.", put_kinds },
	};
	AUTO(ledger_free) struct ledger ledger;

	ledger_read(&ledger, path);
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		metrics_begin(m, metrics[i].name, metrics[i].help);
		for (size_t k = 0; k < table->n_volumes; k++) {
			const struct ledger_line of = { .major = table->volumes[k].major, .minor = table->volumes[k].minor };

			for (const struct ledger_line *l = ledger.lines; l < ledger.lines + ledger.n; l++)
				if (is_of(l, &of, LEDGER_DEVICE))
					metrics[i].put(m, &table->volumes[k], &ledger, l);
		}
	}
}

/* === The command === */

/* ledger_put() - write who writes what, with the arguments of gc_put(). */
void ledger_put(FILE *out, const char *path, enum sheet_form form, size_t most)
{
	AUTO(ledger_free) struct ledger ledger;
	struct json json = { 0 };

	ledger_read(&ledger, path);
	if (form == FORM_JSON) {
		json_begin(&json, out, "ledger", 1);
		json_array(&json, "volumes");
	}
	for (size_t i = 0; i < ledger.n; i++) {
		if (ledger.lines[i].about != LEDGER_DEVICE)
			continue;
		if (form == FORM_JSON)
			put_volume(&json, &ledger, &ledger.lines[i], most);
		else
			say_volume(out, &ledger, &ledger.lines[i], true);
	}
	json_end_all(&json);
}

/**
 * ledger_run() - say who writes what
 * @options: the command line
 *
 * Ends the program if the counts cannot be read, or the answer cannot be written.
 *
 * Return: the exit status.
 */
int ledger_run(const struct options *options)
{
	struct outfile out;

	outfile_open(&out, "-", "answer");
	ledger_put(out.file, options->table ? options->table : DEFAULT_LEDGER, options->form, SIZE_MAX);
	outfile_close(&out);
	return 0;
}
