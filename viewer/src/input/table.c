// SPDX-License-Identifier: GPL-2.0-only
/*
 * First step of the pipeline: the text of the debugfs file `table`, version 1 -> extents.
 * This file does not use colours or pixels. A line that does not match the format ends the program:
 * a picture of half a table would be wrong. The message has the file, the line, and the expected text.
 *
 *	# fragtrace table 1
 *	# block_bytes 16384
 *	# volume 254:0 main_blkaddr=5120 blocks=262144 segment_blocks=512 path=/mnt/f2fs
 *	254:0 67072 64 0 4 contiguous /mnt/f2fs/000004.sst
 */
#include <sys/mman.h>

#include "input/inodes.h"
#include "input/order.h"
#include "input/table.h"
#include "names.h"

#define MAX_VOLUMES 4096
#define RECORD_FORM "dev lba length offset ino state path"
#define STALE_MARK "# stale "
#define STOPPED_MARK "# stopped "
#define LEFT_OUT_MARK "# left_out "
#define TIME_MAX UINT64_C(99999999999)
#define VOLUME_MARK "# volume "
#define VOLUME_FORM VOLUME_MARK "DEV main_blkaddr=N blocks=N segment_blocks=N path=MOUNTPOINT"

/* Names are stored in blocks of this size, because their addresses must not change. */
#define NAMES_BLOCK (1u << 16)

/* The memory of parsed text is released in pieces of this size. */
#define FORGET_SIZE (1u << 24)

/* The longest line: a path has at most 4095 bytes, and each of them may be escaped. */
#define LINE_LIMIT (1u << 15)

/* State that is needed only while a table is read. */
struct table_reader {
	struct table *table;
	struct inodes inodes;
	const char *name;
	size_t line;
	const char *p;			/* current position in the line */
	const char *end;		/* end of the line: a newline */
	const char *form;		/* the expected form of the line */
	struct volume *volume;
	uint32_t blk_bytes;
	char dev[24];			/* how a record of this volume begins, as the module writes it */
	size_t n_dev;
	bool is_quoted;			/* each line begins with "> ", as in a mail */
	bool has_cr;			/* each line ends with CR LF */
	char *names, *names_end;	/* free bytes in the last block of names */
	size_t cap_volumes, cap_files, cap_extents;
	char rest[LINE_LIMIT + 1];	/* the beginning of an incomplete line */
	size_t n_rest;
};

/* === Fields === */

/* The number of bytes of the rest of the line that a message shows. */
static int quoted(const struct table_reader *r, const char *from)
{
	return r->end - from > 24 ? 24 : (int)(r->end - from);
}

static noreturn void ends_before(const struct table_reader *r, const char *what)
{
	die_at(r->name, r->line, "the line ends before the %s; expected: %s", what, r->form);
}

static noreturn void bad_number(const struct table_reader *r, const char *start, const char *what,
				uint64_t limit)
{
	if (start == r->end)
		ends_before(r, what);
	if (*start < '0' || *start > '9')
		die_at(r->name, r->line, "the %s is not a number: \"%.*s\"; expected digits", what,
		       quoted(r, start), start);
	die_at(r->name, r->line, "the %s is too big: %.*s; expected at most %ju", what,
	       (int)strspn(start, "0123456789"), start, (uintmax_t)limit);
}

/* No limit is so high that a digit more would overflow. */
static inline uint64_t read_u64(struct table_reader *r, const char *what, uint64_t limit)
{
	const char *start = r->p, *p = start;
	uint64_t value = 0;
	unsigned int digit;

	/* the newline at the end of the line stops the loop */
	for (; (digit = (unsigned int)(*p - '0')) <= 9; p++) {
		value = value * 10 + digit;
		if (value > limit)
			bad_number(r, start, what, limit);
	}
	if (p == start)
		bad_number(r, start, what, limit);
	r->p = p;
	return value;
}

static inline bool starts_with(const struct table_reader *r, const char *literal, size_t n)
{
	return (size_t)(r->end - r->p) >= n && !memcmp(r->p, literal, n);
}

static void expect(struct table_reader *r, const char *literal)
{
	size_t n = strlen(literal);

	if (!starts_with(r, literal, n))
		die_at(r->name, r->line, "found \"%.*s\" where \"%s\" should be; expected: %s",
		       quoted(r, r->p), r->p, literal, r->form);
	r->p += n;
}

static inline uint64_t field_u64(struct table_reader *r, const char *what, uint64_t limit)
{
	uint64_t value = read_u64(r, what, limit);

	if (*r->p == ' ')
		r->p++;
	else if (r->p != r->end)
		die_at(r->name, r->line, "the %s is followed by \"%.*s\"; expected a space",
		       what, quoted(r, r->p), r->p);
	return value;
}

static void field_dev(struct table_reader *r, unsigned int *major, unsigned int *minor)
{
	*major = (unsigned int)read_u64(r, "device", UINT32_MAX);
	expect(r, ":");
	*minor = (unsigned int)read_u64(r, "device", UINT32_MAX);
	if (r->p != r->end)
		expect(r, " ");
}

static bool field_fragmented(struct table_reader *r)
{
	static const char *const states[] = { "contiguous ", "fragmented " };
	const char *space = memchr(r->p, ' ', (size_t)(r->end - r->p));

	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		if (starts_with(r, states[i], strlen(states[i]))) {
			r->p += strlen(states[i]);
			return i;
		}
	}
	if (r->p == r->end)
		ends_before(r, "state");
	if (r->end - r->p == 10 && (!memcmp(r->p, states[0], 10) || !memcmp(r->p, states[1], 10)))
		ends_before(r, "path");
	if (space && space - r->p < quoted(r, r->p))
		r->end = space;
	die_at(r->name, r->line, "unknown state \"%.*s\"; expected contiguous or fragmented",
	       quoted(r, r->p), r->p);
}

/* Allocate room for a name; the caller gives back the bytes that it does not need. */
static char *take_name(struct table_reader *r, size_t size)
{
	struct table *t = r->table;
	char *name;

	if ((size_t)(r->names_end - r->names) < size) {
		t->names = xreallocarray(t->names, t->n_names + 1, sizeof(*t->names));
		r->names = xreallocarray(NULL, size > NAMES_BLOCK ? size : NAMES_BLOCK, 1);
		r->names_end = r->names + (size > NAMES_BLOCK ? size : NAMES_BLOCK);
		t->names[t->n_names++] = r->names;
	}
	name = r->names;
	r->names += size;
	return name;
}

/* The rest of the line is a path, escaped as in /proc/self/mountinfo. */
static char *field_path(struct table_reader *r)
{
	const char *bad;
	char *path;

	if (r->p == r->end)
		ends_before(r, "path");
	path = take_name(r, (size_t)(r->end - r->p) + 1);
	bad = path_unescape(path, r->p, r->end);
	if (bad)
		die_at(r->name, r->line, "bad escape \"%.*s\" in the path; expected \\040, \\011, \\012 or "
		       "\\134", quoted(r, bad) > 4 ? 4 : quoted(r, bad), bad);
	r->names = path + strlen(path) + 1;
	r->p = r->end;
	return path;
}

static bool ends_with(const char *path, const char *mark)
{
	size_t n = strlen(path), len = strlen(mark);

	return n >= len && !strcmp(path + n - len, mark);
}

/* Does a path have the mark of a file without a name? If so, cut the mark off. */
static bool cut_deleted(char *path)
{
	if (!ends_with(path, DELETED_MARK))
		return false;
	path[strlen(path) - strlen(DELETED_MARK)] = '\0';
	return true;
}

/*
 * The last dot of the last component and the text after it. A leading dot does not count, and a number, as in LOG.old.1699, is
 * no kind of file. The mark of a file below a
 * mount point is kept, so that nobody takes the path for one that leads to it; it has no extension.
 */
static const char *extension_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');

	return dot && dot != base && dot[1 + strspn(dot + 1, "0123456789")] && !ends_with(path, HIDDEN_MARK) ? dot : base + strlen(base);
}

/**
 * file_set_path() - set the members of a file that depend on its path
 * @file: the file
 * @path: its path, unescaped; must stay valid, and may be shortened
 */
void file_set_path(struct file *file, char *path)
{
	file->deleted = cut_deleted(path);
	file->path = path;
	file->ext = extension_of(path);
}

/* === Lines === */

static void read_version(struct table_reader *r)
{
	static const char magic[] = "# fragtrace table ";
	uint64_t version;

	if (!starts_with(r, magic, strlen(magic)))
		die_at(r->name, r->line, "this is no fragtrace table; expected the first line to be "
		       "\"%s%d\"", magic, TABLE_VERSION);
	r->form = "# fragtrace table N";
	r->p += strlen(magic);
	version = read_u64(r, "version", UINT32_MAX);
	if (version != TABLE_VERSION || r->p != r->end)
		die_at(r->name, r->line, "the table has version %ju%.*s, this program reads version %d",
		       (uintmax_t)version, quoted(r, r->p), r->p, TABLE_VERSION);
}

static void read_volume(struct table_reader *r)
{
	struct table *t = r->table;
	struct volume v = { 0 };
	size_t current = r->volume ? (size_t)(r->volume - t->volumes) : 0;

	field_dev(r, &v.major, &v.minor);
	expect(r, "main_blkaddr=");
	v.first_blk = field_u64(r, "main_blkaddr", BLK_MAX);
	expect(r, "blocks=");
	v.end_blk = field_u64(r, "number of blocks", BLK_MAX);
	expect(r, "segment_blocks=");
	v.segment_blks = field_u64(r, "size of a segment", BLK_MAX);
	if (!v.segment_blks)
		die_at(r->name, r->line, "segment_blocks is 0; expected at least 1");
	expect(r, "path=");
	v.path = field_path(r);
	if (v.first_blk >= v.end_blk)
		die_at(r->name, r->line, "main_blkaddr=%ju is not below blocks=%ju",
		       (uintmax_t)v.first_blk, (uintmax_t)v.end_blk);
	if (table_volume_at(t, v.major, v.minor) < t->n_volumes)
		die_at(r->name, r->line, "volume %u:%u comes twice", v.major, v.minor);
	if (t->n_volumes == MAX_VOLUMES)
		die_at(r->name, r->line, "more than %d volumes", MAX_VOLUMES);
	*APPEND(t->volumes, t->n_volumes, r->cap_volumes) = v;
	if (r->volume)
		r->volume = &t->volumes[current];
}

static struct volume *find_volume(const struct table_reader *r, unsigned int major, unsigned int minor)
{
	uint32_t i = table_volume_at(r->table, major, minor);

	if (i == r->table->n_volumes)
		die_at(r->name, r->line, "volume %u:%u is not known; expected a line before this one: "
		       VOLUME_FORM, major, minor);
	return &r->table->volumes[i];
}

/* Make the volume of a record the current one. The records of a volume are contiguous. */
static void enter_volume(struct table_reader *r, unsigned int major, unsigned int minor)
{
	if (r->volume && r->volume->major == major && r->volume->minor == minor)
		return;
	r->volume = find_volume(r, major, minor);
	if (r->volume->end)
		die_at(r->name, r->line, "not sorted: volume %u:%u had its lines before; expected "
		       "order (dev, lba)", major, minor);
	r->volume->first = r->volume->end = r->table->n_extents;
	r->n_dev = (size_t)snprintf(r->dev, sizeof(r->dev), "%u:%u ", major, minor);
}

/* Most records are of the current volume. Return: false if this one may be of another; its device is to be read. */
static bool skip_dev(struct table_reader *r)
{
	if (!r->n_dev || !starts_with(r, r->dev, r->n_dev))
		return false;
	r->p += r->n_dev;
	return true;
}

static void check_place(const struct table_reader *r, const struct extent *e)
{
	const struct volume *v = r->volume;
	uint64_t end = e->lba + (uint64_t)e->blks, prev_end;
	const struct extent *prev;

	if (!e->blks)
		die_at(r->name, r->line, "the length is 0; expected at least 1 block");
	if (e->lba < v->first_blk || end > v->end_blk)
		die_at(r->name, r->line, "blocks %ju to %ju are outside the volume; expected %ju to %ju",
		       (uintmax_t)e->lba, (uintmax_t)(end - 1),
		       (uintmax_t)v->first_blk, (uintmax_t)(v->end_blk - 1));
	if (v->first == v->end)
		return;
	prev = &r->table->extents[v->end - 1];
	if (e->lba < prev->lba)
		die_at(r->name, r->line, "not sorted: lba %ju comes after %ju; expected order "
		       "(dev, lba)", (uintmax_t)e->lba, (uintmax_t)prev->lba);
	prev_end = prev->lba + (uint64_t)prev->blks;
	if (e->lba < prev_end)
		die_at(r->name, r->line, "lba %ju overlaps the extent before; expected at least %ju",
		       (uintmax_t)e->lba, (uintmax_t)prev_end);
}

/* The file of a record. Its first record sets its name and state. */
static uint32_t enter_file(struct table_reader *r, uint64_t ino, bool fragmented)
{
	struct table *t = r->table;
	uint32_t volume = (uint32_t)(r->volume - t->volumes);
	uint32_t *slot = inodes_at(&r->inodes, volume, ino);
	struct file *file;

	if (*slot) {
		file = &t->files[*slot - 1];
		if (file->fragmented != fragmented)
			die_at(r->name, r->line, "inode %ju is %s here but was not on line %zu; "
			       "expected one state for all its extents", (uintmax_t)ino,
			       fragmented ? "fragmented" : "contiguous", file->record);
		return *slot - 1;
	}
	if (t->n_files == UINT32_MAX - 1)
		die_at(r->name, r->line, "too many files");
	file = APPEND(t->files, t->n_files, r->cap_files);
	*slot = (uint32_t)t->n_files;
	*file = (struct file){
		.ino = ino,
		.record = r->line,
		.volume = volume,
		.fragmented = fragmented,
		.in_order = true,
	};
	file_set_path(file, field_path(r));
	return *slot - 1;
}

/**
 * file_add() - count an extent of a file
 * @file: the file
 * @e: one of its extents, which is not counted yet
 */
void file_add(struct file *file, const struct extent *e)
{
	file->blks += e->blks;
	file->in_order &= e->offset >= file->end_offset;
	file->end_offset = e->offset + (uint64_t)e->blks;
}

static void read_record(struct table_reader *r)
{
	struct table *t = r->table;
	unsigned int major = 0, minor = 0;
	struct extent e = { 0 };
	bool is_same, fragmented;
	uint64_t ino;

	r->form = RECORD_FORM;
	is_same = skip_dev(r);
	if (!is_same)
		field_dev(r, &major, &minor);
	e.lba = (uint32_t)field_u64(r, "lba", BLK_MAX);
	e.blks = (uint32_t)field_u64(r, "length", BLK_MAX);
	e.offset = (uint32_t)field_u64(r, "offset", BLK_MAX);
	ino = field_u64(r, "inode number", INO_MAX);
	fragmented = field_fragmented(r);
	if (r->p == r->end)
		ends_before(r, "path");
	if (!is_same)
		enter_volume(r, major, minor);
	check_place(r, &e);
	e.file = enter_file(r, ino, fragmented);
	file_add(&t->files[e.file], &e);
	*APPEND(t->extents, t->n_extents, r->cap_extents) = e;
	r->volume->end = t->n_extents;
}

static void read_stale(struct table_reader *r)
{
	r->table->n_stale = read_u64(r, "number of stale files", UINT32_MAX);
}

/* The volume of a line about one. */
static struct volume *volume_of_line(struct table_reader *r)
{
	unsigned int major, minor;

	field_dev(r, &major, &minor);
	return find_volume(r, major, minor);
}

static void read_stopped(struct table_reader *r)
{
	volume_of_line(r)->stopped = true;
}

static void read_blk_bytes(struct table_reader *r)
{
	uint64_t bytes = read_u64(r, "size of a block", MAX_BLK_BYTES);

	if (r->p != r->end || !blk_bytes_are_valid(bytes))
		die_at(r->name, r->line, "expected " BLK_BYTES_MARK "N, where N is " BLK_BYTES_FORM);
	r->blk_bytes = (uint32_t)bytes;
}

static void read_left_out(struct table_reader *r)
{
	struct volume *volume = volume_of_line(r);

	volume->left_out = read_u64(r, "number of files that are left out", UINT32_MAX);
	r->table->n_left_out += volume->left_out;
}

/* The time before the first record, as written by the module or by fragtrace record; the first one has priority. */
static void read_time(struct table_reader *r)
{
	uint64_t seconds = read_u64(r, "time", TIME_MAX), ms;
	const char *point;

	expect(r, ".");
	point = r->p;
	ms = read_u64(r, "fraction of the time", 999);
	if (r->p != point + 3 || r->p != r->end)
		die_at(r->name, r->line, "the fraction of the time is \"%.*s\"; expected three digits",
		       quoted(r, point), point);
	if (!r->table->text.has_time)
		r->table->text.time_ms = (int64_t)(seconds * 1000 + ms);
	r->table->text.has_time = true;
}

/* A line that is no record: what it begins with, its whole form, and what reads the rest. Others are for other programs. */
static const struct {
	const char *mark, *form;
	void (*read)(struct table_reader *r);
} comments[] = {
	{ VOLUME_MARK, VOLUME_FORM, read_volume },
	{ STALE_MARK, STALE_MARK "N", read_stale },
	{ STOPPED_MARK, STOPPED_MARK "DEV", read_stopped },
	{ LEFT_OUT_MARK, LEFT_OUT_MARK "DEV N", read_left_out },
	{ BLK_BYTES_MARK, BLK_BYTES_MARK "N", read_blk_bytes },
	{ TIME_MARK, TIME_MARK "SECONDS.MMM", read_time },
};

static void read_comment(struct table_reader *r)
{
	size_t i = 0;

	while (i < ARRAY_LEN(comments) && !starts_with(r, comments[i].mark, strlen(comments[i].mark)))
		i++;
	if (i == ARRAY_LEN(comments) || (comments[i].read == read_time && r->table->n_extents))
		return;
	r->form = comments[i].form;
	r->p += strlen(comments[i].mark);
	comments[i].read(r);
	if (r->p != r->end)
		die_at(r->name, r->line, "expected %s", r->form);
}

/* A text that was mailed or copied may have a byte order mark, quoting marks, and other ends of lines. */
static void strip_marks(struct table_reader *r)
{
	static const char mark[] = "\357\273\277";

	if (r->line == 1 && starts_with(r, mark, strlen(mark)))
		r->p += strlen(mark);
	if (r->line == 1) {
		r->is_quoted = r->p < r->end && *r->p == '>';
		r->has_cr = r->p < r->end && r->end[-1] == '\r';
	}
	if (r->is_quoted && r->p < r->end && *r->p == '>')
		r->p += 1 + (r->end - r->p > 1 && r->p[1] == ' ');
	if (r->has_cr && r->p < r->end && r->end[-1] == '\r')
		r->end--;
}

static void read_line(struct table_reader *r)
{
	strip_marks(r);
	if (r->line == 1)
		read_version(r);
	else if (r->p == r->end || *r->p != '#')
		read_record(r);
	else
		read_comment(r);
}

/* === Tables === */

static noreturn void too_long(const struct table_reader *r)
{
	die_at(r->name, r->line, "the line is longer than %u bytes", LINE_LIMIT);
}

/* Parse the lines of a text. Return the number of bytes up to the last newline. */
static size_t read_lines(struct table_reader *r, const char *text, size_t len)
{
	const char *line = text, *end = text + len, *newline;
	const char *nul = memchr(text, '\0', len);

	for (; (newline = memchr(line, '\n', (size_t)(end - line))); line = newline + 1) {
		r->line++;
		if (newline - line > LINE_LIMIT)
			too_long(r);
		if (nul && nul < newline)
			die_at(r->name, r->line, "a NUL byte in the line; expected text");
		r->p = line;
		r->end = newline;
		read_line(r);
	}
	return (size_t)(line - text);
}

/* Begin or continue a line that goes on in the next piece of text. */
static void keep_rest(struct table_reader *r, const char *text, size_t len)
{
	if (len > sizeof(r->rest) - r->n_rest) {
		r->line++;
		too_long(r);
	}
	memcpy(r->rest + r->n_rest, text, len);
	r->n_rest += len;
}

/**
 * table_begin() - begin to parse a table that comes in pieces
 * @table: the result, after table_end(); to be freed with table_free()
 * @name: name of the table for messages; must stay valid until table_end()
 * @text: has the time when it was read or written; a time in the table itself has priority
 *
 * Return: the argument for table_feed() and table_end().
 */
struct table_reader *table_begin(struct table *table, const char *name, const struct text *text)
{
	struct table_reader *r = xcalloc(1, sizeof(*r));

	*table = (struct table){ .text.time_ms = text->time_ms, .text.is_time_of_file = text->is_time_of_file };
	r->table = table;
	r->name = name;
	r->form = RECORD_FORM;
	r->blk_bytes = DEFAULT_BLK_BYTES;
	return r;
}

/**
 * table_feed() - parse the next piece of a table
 * @r: from table_begin()
 * @text: any number of bytes
 * @len: number of bytes
 *
 * Ends the program on the first line that does not match the format.
 */
void table_feed(struct table_reader *r, const char *text, size_t len)
{
	const char *newline;
	size_t done = 0;

	if (r->n_rest) {
		newline = memchr(text, '\n', len);
		done = newline ? (size_t)(newline + 1 - text) : len;
		keep_rest(r, text, done);
		if (!newline)
			return;
		read_lines(r, r->rest, r->n_rest);
		r->n_rest = 0;
	}
	done += read_lines(r, text + done, len - done);
	keep_rest(r, text + done, len - done);
}

/**
 * table_end() - end a table
 * @r: from table_begin(); freed here
 *
 * Ends the program if the table is empty, stops within a line, or has a block of a file twice.
 */
void table_end(struct table_reader *r)
{
	if (r->n_rest > LINE_LIMIT) {
		r->line++;
		too_long(r);
	}
	if (r->n_rest)
		die_at(r->name, r->line + 1, "the table is cut short; expected a newline at its end");
	if (!r->line)
		die_at(r->name, 1, "the table is empty; expected \"# fragtrace table %d\"", TABLE_VERSION);
	for (size_t i = 0; i < r->table->n_volumes; i++)
		r->table->volumes[i].blk_bytes = r->blk_bytes;
	inodes_free(&r->inodes);
	order_build(r->table, r->name);
	free(r);
}

/* Give the whole pages between two addresses back to the system. */
static void forget(const char *from, const char *to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *first = (char *)(((uintptr_t)from + page - 1) / page * page);
	char *end = (char *)((uintptr_t)to / page * page);

	if (first < end)
		madvise(first, (size_t)(end - first), MADV_DONTNEED);
}

/**
 * table_parse() - parse a table
 * @table: the result; to be freed with table_free()
 * @name: name of the table for messages
 * @text: the text; @table takes over its content
 * @keep: whether @table->text is to hold it afterwards; else it is freed
 *
 * Ends the program on the first line that does not match the format.
 */
void table_parse(struct table *table, const char *name, struct text *text, bool keep)
{
	struct table_reader *r = table_begin(table, name, text);
	size_t n;

	table->text = *text;
	*text = (struct text){ 0 };
	for (size_t done = 0; done < table->text.len; done += n) {
		n = table->text.len - done < FORGET_SIZE ? table->text.len - done : FORGET_SIZE;
		table_feed(r, table->text.buf + done, n);
		if (!keep)
			forget(table->text.buf + done, table->text.buf + done + n);
	}
	table_end(r);
	if (keep)
		return;
	free(table->text.buf);
	table->text.buf = NULL;
	table->text.len = 0;
}

/**
 * table_volume_at() - find a volume by its device number
 * @table: the table
 * @major: device number
 * @minor: device number
 *
 * Return: its index, or table->n_volumes if there is none.
 */
uint32_t table_volume_at(const struct table *table, uint64_t major, uint64_t minor)
{
	uint32_t i;

	for (i = 0; i < table->n_volumes; i++)
		if (table->volumes[i].major == major && table->volumes[i].minor == minor)
			break;
	return i;
}

/**
 * table_blk_bytes() - the size of a block of a table
 * @table: the table
 *
 * F2FS has blocks of one page, so all volumes of a machine have it.
 *
 * Return: the size in bytes.
 */
uint32_t table_blk_bytes(const struct table *table)
{
	return table->n_volumes ? table->volumes[0].blk_bytes : DEFAULT_BLK_BYTES;
}

/**
 * blk_bytes_are_valid() - may blocks have this size?
 * @bytes: the size
 *
 * Return: true if so.
 */
bool blk_bytes_are_valid(uint64_t bytes)
{
	return bytes >= MIN_BLK_BYTES && bytes <= MAX_BLK_BYTES && !(bytes & (bytes - 1));
}

/**
 * table_file_at() - find a file by its inode number
 * @table: the table
 * @major: device number of its volume
 * @minor: likewise
 * @ino: its inode number
 *
 * Return: its index, or table->n_files if there is none.
 */
uint32_t table_file_at(const struct table *table, uint64_t major, uint64_t minor, uint64_t ino)
{
	uint32_t volume = table_volume_at(table, major, minor), i;

	for (i = 0; i < table->n_files; i++)
		if (table->files[i].ino == ino && table->files[i].volume == volume)
			break;
	return i;
}

/**
 * table_extent_after() - find the first extent of a volume that ends after a block address
 * @table: the table
 * @volume: one of its volumes
 * @lba: the block address
 *
 * Return: its index; volume->end if there is none.
 */
size_t table_extent_after(const struct table *table, const struct volume *volume, uint64_t lba)
{
	size_t low = volume->first, high = volume->end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->extents[middle].lba + (uint64_t)table->extents[middle].blks > lba)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/**
 * table_free() - release a table
 * @table: as left by table_parse()
 */
void table_free(struct table *table)
{
	free(table->volumes);
	free(table->files);
	free(table->extents);
	free(table->order);
	free(table->causes);
	free(table->writers);
	text_free(&table->text);
	for (size_t i = 0; i < table->n_names; i++)
		free(table->names[i]);
	free(table->names);
	*table = (struct table){ 0 };
}
