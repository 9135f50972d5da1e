// SPDX-License-Identifier: GPL-2.0-only
/*
 * Before the pipeline: read the text from a file of debugfs, a recorded file, a recording, or stdin.
 * A snapshot is read and closed first, and parsed afterwards; a text is parsed while it is read and unpacked. This file also finds the time of a text, and reports why there is no text.
 */
#include <sys/vfs.h>

#include "apart.h"
#include "clock.h"
#include "input/recording.h"
#include "input/snapshot.h"
#include "input/source.h"
#include "input/unpack.h"
#include "input/volume.h"

#define DEBUGFS_SUPER_MAGIC 0x64626720

/* Files are read in pieces of this size. */
#define PIECE ((size_t)1 << 20)

/* What a text is must be known by so many bytes. */
#define LEAST_BEGIN 64

/* === Reading === */

static bool debugfs_is_mounted(void)
{
	struct statfs fs;

	return !statfs(DEBUGFS, &fs) && fs.f_type == DEBUGFS_SUPER_MAGIC;
}

/**
 * source_is_in_procfs() - are the files of the running module in procfs?
 *
 * Return: true if so; false: in debugfs, or it is not loaded.
 */
bool source_is_in_procfs(void)
{
	return !access(PROCFS "/fragtrace", F_OK);
}

/**
 * source_is_live() - does this path lead to the running kernel, not to a copy?
 * @path: the file
 *
 * Return: true if it is in debugfs, or in the module's folder of procfs.
 */
bool source_is_live(const char *path)
{
	return !strncmp(path, DEBUGFS "/", strlen(DEBUGFS "/")) || !strncmp(path, PROCFS "/fragtrace/", strlen(PROCFS "/fragtrace/"));
}

/**
 * source_hint() - what to do if a file cannot be opened
 * @path: the file
 * @err: errno of the call that failed
 *
 * Return: a text in brackets, with a blank before it; empty if nothing is known.
 */
const char *source_hint(const char *path, int err)
{
	if (!source_is_live(path))
		return "";
	if (err == EACCES)
		return " (only root may read this: are you root?)";
	if (err == EPERM)
		return " (kernel lockdown may forbid debugfs)";
	if (err == ENOMEM)
		return " (the kernel has no memory for a copy of the maps)";
	if (access("/sys/module/fragtrace", F_OK))
		return " (the module fragtrace is not loaded: modprobe fragtrace path=DIR, or insmod fragtrace.ko path=DIR)";
	if (!debugfs_is_mounted())
		return " (debugfs is not mounted: mount -t debugfs none " DEBUGFS ")";
	return "";
}

/* A recorded text has the time of its file. Any other text has the time of reading. */
static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return clock_ms(&t);
}

/**
 * source_may_be() - is this a table, or a recording, by its first bytes?
 * @path: a path
 *
 * Return: true if there is one, a text or packed; a watched file that begins like these is taken for one.
 */
bool source_may_be(const char *path)
{
	static const char begin[] = "# fragtrace ";
	char buf[LEAST_BEGIN] = "";
	struct text text = { .buf = buf };
	ssize_t n;

	if (!strcmp(path, "-") || recording_is(path))
		return !strcmp(path, "-") || recording_has_any(path);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	n = pread(fd, buf, sizeof(buf) - 1, 0);
	text.len = n > 0 ? (size_t)n : 0;
	return is_packed(&text) || snapshot_is(&text) || strstr(buf, begin);
}

/* === Repeated reading === */

/**
 * source_init() - name a source
 * @source: the result; to be freed with source_free()
 * @path: where the text is; "-" is standard input
 */
void source_init(struct source *source, const char *path)
{
	*source = (struct source){
		.path = path,
		.name = strcmp(path, "-") ? path : "<stdin>",
		.at = { .is_relative = true, .ns = UINT64_MAX },
	};
}

/**
 * source_free() - free a source
 * @source: as left by source_init()
 */
void source_free(struct source *source)
{
	free(source->trouble);
	free(source->waiting);
	*source = (struct source){ 0 };
}

static void read_moment(const struct source *source, struct text *text)
{
	AUTO(recording_close) struct recording recording;

	recording_open(&recording, source->path);
	recording_read(&recording, &source->at, text);
}

/**
 * source_read_beside() - read another file of the same folder
 * @source: the source
 * @name: name of the file
 * @text: the result; to be freed with text_free()
 *
 * Return: false if there is no such file.
 */
bool source_read_beside(const struct source *source, const char *name, struct text *text)
{
	const char *slash = strrchr(source->path, '/');

	if (!slash)
		return false;
	AUTO_FREE char *path = xasprintf("%.*s/%s", (int)(slash - source->path), source->path, name);
	return !slurp_file(text, path);
}

/**
 * source_beside() - where the module's counts of the time of a table would be
 * @source: its table or snapshot, or a copy in a folder with copies of its files
 * @name: the file with the counts
 *
 * Return: the path, to be freed, whether there is such a file or not; NULL if there can be none.
 */
char *source_beside(const struct source *source, const char *name)
{
	const char *slash = strrchr(source->path, '/'), *file = slash ? slash + 1 : source->path;

	if (strcmp(file, "snapshot") && strcmp(file, "table"))
		return NULL;
	return xasprintf("%.*s%s", (int)(file - source->path), source->path, name);
}

/**
 * source_read_counts() - read what the module has counted until now
 * @source: as for source_beside()
 * @name: the file with the counts: by_pair, discards, gc, gc_runs, heat, latency or ledger
 * @text: the result, unpacked; to be freed with text_free()
 *
 * Return: false if there are no counts: there is no such file, or the module was loaded without the parameter.
 */
bool source_read_counts(const struct source *source, const char *name, struct text *text)
{
	AUTO_FREE char *path = source_beside(source, name);

	if (!path || slurp_file(text, path))
		return false;
	if (is_packed(text))
		unpack(text, name);
	if (text->len && !strstr(text->buf, "\n# not known"))
		return true;
	text_free(text);
	return false;
}

/**
 * source_counts_path() - where the module's counts are
 * @source: as for source_read_counts()
 * @name: likewise
 *
 * Return: the path, to be freed by the caller; NULL if there are none.
 */
char *source_counts_path(const struct source *source, const char *name)
{
	AUTO(text_free) struct text text = { 0 };

	if (!source_read_counts(source, name, &text))
		return NULL;
	return source_beside(source, name);
}

/* === Waiting targets === */

/* The first line of a text of `targets` whose volume is not mounted: "- - waiting 0 PATH". */
static char *waiting_in(const struct text *targets)
{
	static const char mark[] = "\n- - waiting 0 ";
	const char *path = strstr(targets->buf, mark);

	if (!path)
		return NULL;
	path += strlen(mark);
	return xasprintf("%.*s", (int)strcspn(path, "\n"), path);
}

/* If a table has no volume, the file `targets` beside it may give the reason. */
static void find_waiting(struct source *source, const struct table *table)
{
	struct text targets;

	free(source->waiting);
	source->waiting = NULL;
	if (table->n_volumes || recording_is(source->path) || !source_read_beside(source, "targets", &targets))
		return;
	source->waiting = waiting_in(&targets);
	text_free(&targets);
}

/* The texts of debugfs that have the same content as the snapshot in another form are not read. */
static void check_kind(const char *name, const struct text *text)
{
	static const char *const kinds[] = { "extents", "files" };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		char first[64];

		snprintf(first, sizeof(first), "# fragtrace %s ", kinds[i]);
		if (!strncmp(text->buf, first, strlen(first)))
			die("%s: is a text of %s; expected a snapshot or a table; fragtrace %s writes the same from a snapshot",
			    name, kinds[i], kinds[i]);
	}
}

/* === Piece by piece === */

/*
 * Where the pieces of a text go: to the parser of tables, or, if it is a snapshot or the text is to be kept, into
 * memory. They come from a file, or from unpack_pieces().
 */
struct sink {
	const struct source *source;
	struct table *table;
	struct table_reader *reader;
	struct text text;
	size_t cap;
	size_t room;
	size_t total;
	uint64_t n_checked;
	bool is_known;
	bool keeps;
};

static void append(struct sink *sink, const char *piece, size_t len)
{
	struct text *text = &sink->text;

	while (text->len + len >= sink->cap)
		text->buf = grow(text->buf, &sink->cap, sink->cap, 1);
	memcpy(text->buf + text->len, piece, len);
	text->len += len;
	text->buf[text->len] = '\0';
	if (text->len > input_limit())
		input_too_large(sink->source->name);
}

/* Make room for as much as the file has. */
static void reserve(struct sink *sink)
{
	if (sink->room <= sink->cap)
		return;
	sink->text.buf = xreallocarray(sink->text.buf, sink->room, 1);
	sink->cap = sink->room;
}

/* The first bytes are in memory. If they are those of a table, it is parsed from here on. */
static void begin_table(struct sink *sink)
{
	struct text *text = &sink->text;

	sink->is_known = true;
	if (snapshot_is(text)) {
		sink->keeps = true;
		reserve(sink);
		return;
	}
	check_kind(sink->source->name, text);
	sink->reader = table_begin(sink->table, sink->source->name, text);
	table_feed(sink->reader, text->buf, text->len);
	if (!sink->keeps)
		free(text->buf);
	if (!sink->keeps)
		text->buf = NULL;
}

static void add_piece(void *arg, const char *piece, size_t len)
{
	struct sink *sink = arg;

	sink->total += len;
	if (sink->total > input_limit())
		input_too_large(sink->source->name);
	if (sink->keeps || !sink->is_known)
		append(sink, piece, len);
	if (sink->reader)
		table_feed(sink->reader, piece, len);
	else if (sink->is_known)
		snapshot_check_begin(&sink->text, sink->source->name, &sink->n_checked);
	else if (!sink->is_known && sink->text.len >= LEAST_BEGIN)
		begin_table(sink);
}

static void end_table(struct sink *sink)
{
	if (!sink->is_known)
		append(sink, "", 0);
	if (!sink->is_known)
		begin_table(sink);
	if (!sink->reader) {
		snapshot_parse(sink->table, sink->source->name, &sink->text);
		return;
	}
	table_end(sink->reader);
	if (!sink->keeps)
		return;
	sink->table->text.buf = sink->text.buf;
	sink->table->text.len = sink->text.len;
}

static noreturn void refuse(const struct source *source, const char *step)
{
	int err = errno;

	die("%s: cannot %s: %s%s", source->name, step, strerror(err), source_hint(source->path, err));
}

/* Files of debugfs have size 0. */
static void note_size_and_time(struct sink *sink, int fd)
{
	struct stat st;
	bool is_file;

	if (fstat(fd, &st))
		refuse(sink->source, "read");
	is_file = S_ISREG(st.st_mode) && st.st_size > 0;
	if (is_file && (uintmax_t)st.st_size > input_limit())
		input_too_large(sink->source->name);
	sink->room = is_file ? (size_t)st.st_size + 1 : 0;
	sink->text.time_ms = is_file ? clock_ms(&st.st_mtim) : now_ms();
	sink->text.is_time_of_file = is_file;
}

/* Fill the buffer unless the file ends. */
static size_t read_piece(const struct source *source, int fd, char *buf)
{
	size_t len = 0;
	ssize_t n = 1;

	while (n && len < PIECE) {
		n = read(fd, buf + len, PIECE - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			refuse(source, "read");
		len += (size_t)n;
	}
	return len;
}

/* What is packed is unpacked when all of it is there, and the file is closed. */
static void read_file(struct sink *sink)
{
	const struct source *source = sink->source;
	int fd = strcmp(source->path, "-") ? open(source->path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	struct text piece = { 0 };
	struct sink packed = { .source = source };
	bool is_whole = false;

	if (fd < 0)
		refuse(source, "open");
	piece.buf = xreallocarray(NULL, PIECE, 1);
	note_size_and_time(sink, fd);
	while ((piece.len = read_piece(source, fd, piece.buf))) {
		if (!sink->total && !packed.cap && is_packed(&piece)) {
			packed.room = sink->room;
			reserve(&packed);
			is_whole = true;
		}
		if (is_whole)
			append(&packed, piece.buf, piece.len);
		else
			add_piece(sink, piece.buf, piece.len);
	}
	if (fd > STDIN_FILENO)
		close(fd);
	text_free(&piece);
	if (packed.text.buf)
		unpack_pieces(&packed.text, source->name, add_piece, sink);
	text_free(&packed.text);
}

/**
 * source_parse() - parse a text, or a snapshot, that is in memory
 * @table: the result; to be freed with table_free()
 * @name: its name for messages
 * @text: the text; taken over
 * @keep: whether @table->text is to hold it afterwards
 *
 * Ends the program if it is no valid table.
 */
void source_parse(struct table *table, const char *name, struct text *text, bool keep)
{
	check_kind(name, text);
	if (snapshot_is(text))
		snapshot_parse(table, name, text);
	else
		table_parse(table, name, text, keep);
}

/* Ends the program if there is no table. */
static void read_here(struct source *source, struct table *table, bool keep)
{
	struct sink sink = { .source = source, .table = table, .keeps = keep };

	if (recording_is(source->path)) {
		read_moment(source, &sink.text);
		source_parse(table, source->name, &sink.text, keep);
	} else {
		read_file(&sink);
		end_table(&sink);
	}
	source->was_read = true;
	find_waiting(source, table);
	volume_keep(table, source->name, source->volume);
}

/* === Reading again === */

/* The text is parsed here, so that it can be parsed again without trouble. Its time comes first. */
static void put_text(const void *arg, FILE *out)
{
	struct source source = *(const struct source *)arg;
	struct table table;

	source.waiting = NULL;
	read_here(&source, &table, true);
	fprintf(out, "%jd %d\n", (intmax_t)table.text.time_ms, table.text.is_time_of_file);
	if (fwrite(table.text.buf, 1, table.text.len, out) != table.text.len)
		die("no memory for a table");
}

static bool read_again(struct source *source, struct table *table, bool keep)
{
	struct text text;
	char *rest;
	size_t skip;

	free(source->trouble);
	source->trouble = run_apart(put_text, source, &text);
	if (source->trouble) {
		text_free(&text);
		return false;
	}
	text.time_ms = strtoll(text.buf, &rest, 10);
	text.is_time_of_file = strtol(rest, &rest, 10);
	skip = (size_t)(rest - text.buf) + 1;
	text.len -= skip;
	memmove(text.buf, text.buf + skip, text.len + 1);
	source_parse(table, source->name, &text, keep);
	find_waiting(source, table);
	volume_keep(table, source->name, source->volume);
	return true;
}

/**
 * source_read_table() - read the text, or a snapshot, and parse it as a table
 * @source: where it is
 * @table: the result; to be freed with table_free()
 * @keep: whether @table->text is to hold it afterwards
 *
 * The first time, a large file is in memory as a whole only if @keep is true. A snapshot always is.
 *
 * The program ends if the source cannot be read the first time, is no valid table, or does not have the volume.
 * Afterwards it may disappear and come back, as the files of debugfs do when the module is loaded again, or be half
 * written. @source->trouble is set in the meantime.
 *
 * Return: false if there is no table at the moment.
 */
bool source_read_table(struct source *source, struct table *table, bool keep)
{
	if (source->was_read)
		return read_again(source, table, keep);
	read_here(source, table, keep);
	return true;
}

/**
 * source_report() - report that a source is gone or bad, is back, or waits for a volume
 * @source: the source, after source_read_table()
 *
 * Each state is reported once.
 */
void source_report(struct source *source)
{
	if (source->trouble && !source->was_reported)
		warn("%s; waiting until it is back", source->trouble);
	if (!source->trouble && source->was_reported)
		warn("%s: is back", source->name);
	source->was_reported = source->trouble;
	if (source->waiting && !source->waiting_was_reported)
		warn("%s: nothing to show: %s waits for its volume to be mounted", source->name, source->waiting);
	source->waiting_was_reported = source->waiting;
}
