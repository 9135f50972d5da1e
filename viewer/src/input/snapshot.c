// SPDX-License-Identifier: GPL-2.0-only
/*
 * Used instead of table.c for a binary snapshot: the debugfs file `snapshot` -> extents.
 * module/format/snapshot.h defines the format. Every value is checked before it is used.
 */

#include "input/order.h"
#include "input/snapshot.h"
#include "module/format/cause.h"
#include "module/format/snapshot.h"

#define MAGIC_SIZE (sizeof(FT_SNAP_MAGIC) - 1)

/* A snapshot that is being read. */
struct reader {
	struct table *table;
	const char *name;
	char *buf;
	struct ft_snap_header header;
	uint32_t *known;	/* by file of the snapshot: index into table.files plus one */
	size_t cap_files;
};

/* === Records === */

/* Check that an array lies within the file, and that its records have at least the known members. */
static void check_array(const struct reader *r, const struct ft_snap_array *array, const char *what,
			size_t size)
{
	if (array->size < size)
		die("%s: records of %s have %u bytes; expected %zu or more", r->name, what,
		    array->size, size);
	if (array->offset > r->header.bytes ||
	    array->nr > (r->header.bytes - array->offset) / array->size)
		die("%s: the %s lie outside the file", r->name, what);
}

/* Copy a record, which may be unaligned. */
static void get(const struct reader *r, const struct ft_snap_array *array, const char *what,
		uint64_t i, void *record, size_t size)
{
	if (i >= array->nr)
		die("%s: there is no record %ju among the %s", r->name, (uintmax_t)i, what);
	memcpy(record, r->buf + array->offset + i * array->size, size);
}

static char *get_path(const struct reader *r, uint64_t i)
{
	const struct ft_snap_array *paths = &r->header.paths;
	char *path = i < paths->nr ? r->buf + paths->offset + i : NULL;

	if (!path || !memchr(path, '\0', paths->nr - i))
		die("%s: a path lies outside the file", r->name);
	return path;
}

/* === Header === */

static void read_header(struct reader *r, size_t len)
{
	struct ft_snap_header *h = &r->header;

	if (len < sizeof(*h))
		die("%s: the snapshot is cut short; expected a header of %zu bytes", r->name, sizeof(*h));
	memcpy(h, r->buf, sizeof(*h));
	if (h->version != FT_SNAP_VERSION)
		die("%s: the snapshot has version %u, this program reads version %d", r->name, h->version, FT_SNAP_VERSION);
	/* an older snapshot does not say the size of a block */
	check_array(r, &h->volumes, "volumes", offsetof(struct ft_snap_volume, block_bytes));
	check_array(r, &h->files, "files", sizeof(struct ft_snap_file));
	check_array(r, &h->extents, "extents", sizeof(struct ft_snap_extent));
	check_array(r, &h->by_lba, "extents by LBA", sizeof(uint32_t));
	check_array(r, &h->paths, "paths", 1);
	check_array(r, &h->writers, "writers", sizeof(struct ft_snap_writer));
	if (h->paths.size != 1)
		die("%s: a path has characters of %u bytes; expected 1", r->name, h->paths.size);
	if (h->files.nr >= UINT32_MAX || h->by_lba.nr > h->extents.nr)
		die("%s: too many files, or more extents by LBA than extents", r->name);
}

static void check_length(const struct reader *r, size_t len)
{
	if (r->header.bytes != len)
		die("%s: the snapshot is cut short; expected %ju bytes, got %zu", r->name, (uintmax_t)r->header.bytes, len);
}

/**
 * snapshot_check_begin() - check what has been read of a snapshot that is unpacked piece by piece
 * @text: its begin
 * @name: name of the snapshot for messages
 * @checked: number of extents that were checked before; changed
 *
 * A few bytes may be packed that unpack to gigabytes: reading ends at the first extent that none can be.
 */
void snapshot_check_begin(const struct text *text, const char *name, uint64_t *checked)
{
	struct reader r = { .name = name, .buf = text->buf };
	struct ft_snap_extent x;

	if (text->len < sizeof(r.header))
		return;
	read_header(&r, text->len);
	if (text->len > r.header.bytes)
		check_length(&r, text->len);
	for (; *checked < r.header.extents.nr &&
	     r.header.extents.offset + (*checked + 1) * r.header.extents.size <= text->len; ++*checked) {
		get(&r, &r.header.extents, "extents", *checked, &x, sizeof(x));
		if (!x.len || x.file >= r.header.files.nr)
			die("%s: extent %ju has %u blocks of file %u, which none can have", name, (uintmax_t)*checked,
			    x.len, x.file);
	}
}

/* === Volumes, writers, files, extents === */

static void read_volumes(struct reader *r)
{
	struct table *t = r->table;
	struct ft_snap_volume v = { 0 };
	size_t size = r->header.volumes.size < sizeof(v) ? r->header.volumes.size : sizeof(v);

	t->volumes = xcalloc(r->header.volumes.nr + 1, sizeof(*t->volumes));
	for (uint64_t i = 0; i < r->header.volumes.nr; i++) {
		/* what a record of an older module does not have */
		v.block_bytes = DEFAULT_BLK_BYTES;
		get(r, &r->header.volumes, "volumes", i, &v, size);
		if (v.main_blkaddr >= v.blocks || !v.segment_blocks)
			die("%s: volume %u:%u has blocks %u to %u, in segments of %u", r->name, v.major,
			    v.minor, v.main_blkaddr, v.blocks, v.segment_blocks);
		if (!blk_bytes_are_valid(v.block_bytes) || (i && v.block_bytes != t->volumes[0].blk_bytes))
			die("%s: volume %u:%u has blocks of %u bytes; expected " BLK_BYTES_FORM ", the same for all volumes", r->name,
			    v.major, v.minor, v.block_bytes);
		t->volumes[t->n_volumes++] = (struct volume){
			.major = v.major,
			.minor = v.minor,
			.first_blk = v.main_blkaddr,
			.end_blk = v.blocks,
			.blk_bytes = v.block_bytes,
			.segment_blks = v.segment_blocks,
			.path = get_path(r, v.path),
			.stopped = v.flags & FT_SNAP_STOPPED,
			.left_out = v.left_out,
		};
		t->n_left_out += v.left_out;
	}
}

static void read_writers(struct reader *r)
{
	struct table *t = r->table;
	struct ft_snap_writer w;

	t->writers = xcalloc(r->header.writers.nr, sizeof(*t->writers));
	for (uint64_t i = 0; i < r->header.writers.nr; i++) {
		struct writer *to = &t->writers[t->n_writers++];

		get(r, &r->header.writers, "writers", i, &w, sizeof(w));
		memcpy(to->comm, w.comm, sizeof(w.comm));
		to->cgroup = w.cgroup == FT_SNAP_NO_PATH ? NULL : get_path(r, w.cgroup);
		to->first_s = w.first;
		to->last_s = w.last;
		to->pid = w.pid;
		/* the first two entries are not processes */
		to->same_as = i > FT_SNAP_WRITER_SEVERAL ? w.same_as : (uint32_t)i;
		if (w.same_as > i)
			die("%s: writer %ju is said to be the same as %u, which comes later", r->name,
			    (uintmax_t)i, w.same_as);
	}
}

/* Files are ordered by their first extents, as in a text. Files without extents are left out. */
static uint32_t enter_file(struct reader *r, uint32_t i)
{
	struct table *t = r->table;
	struct ft_snap_file f;

	get(r, &r->header.files, "files", i, &f, sizeof(f));
	if (r->known[i])
		return r->known[i] - 1;
	if (f.volume >= t->n_volumes)
		die("%s: inode %u is on a volume that is not there", r->name, f.ino);
	t->files = grow(t->files, &r->cap_files, t->n_files, sizeof(*t->files));
	t->files[t->n_files] = (struct file){
		.ino = f.ino,
		.record = i,
		.volume = f.volume,
		.fragmented = f.flags & FT_SNAP_FRAGMENTED,
		.in_order = true,
	};
	file_set_path(&t->files[t->n_files], get_path(r, f.path));
	r->known[i] = (uint32_t)++t->n_files;
	return r->known[i] - 1;
}

static void check_place(const struct reader *r, const struct extent *e, const struct volume *v)
{
	const struct extent *prev = v->end > v->first ? &r->table->extents[v->end - 1] : NULL;

	if (!e->blks || e->lba < v->first_blk || e->lba + (uint64_t)e->blks > v->end_blk)
		die("%s: an extent of %u blocks at LBA %u is outside the volume; expected LBA %ju to %ju",
		    r->name, e->blks, e->lba, (uintmax_t)v->first_blk, (uintmax_t)(v->end_blk - 1));
	if (prev && e->lba < prev->lba + (uint64_t)prev->blks)
		die("%s: the extent at LBA %u overlaps the one at %u, or is not sorted", r->name, e->lba,
		    prev->lba);
}

/* The cause of an extent. It contains the index of a writer. */
static uint32_t checked_cause(const struct reader *r, uint32_t cause, uint32_t lba)
{
	if (ft_cause_op(cause) >= FT_NR_OPS || ft_cause_why(cause) >= FT_NR_WHYS ||
	    ft_cause_writer(cause) >= r->table->n_writers)
		die("%s: the extent at LBA %u has the cause %#x, which nothing can have", r->name, lba, cause);
	return cause;
}

static void read_extents(struct reader *r)
{
	struct table *t = r->table;
	uint32_t index, last = 0;
	struct ft_snap_extent x;
	struct volume *v;

	r->known = xcalloc(r->header.files.nr + 1, sizeof(*r->known));
	t->extents = xcalloc(r->header.by_lba.nr + 1, sizeof(*t->extents));
	t->causes = xcalloc(r->header.by_lba.nr + 1, sizeof(*t->causes));
	for (uint64_t i = 0; i < r->header.by_lba.nr; i++) {
		struct extent *e = &t->extents[t->n_extents];

		get(r, &r->header.by_lba, "extents by LBA", i, &index, sizeof(index));
		get(r, &r->header.extents, "extents", index, &x, sizeof(x));
		*e = (struct extent){ .lba = x.lba, .offset = x.lblk, .blks = x.len };
		e->file = enter_file(r, x.file);
		if (t->files[e->file].volume < last)
			die("%s: the extents are not sorted by volume", r->name);
		last = t->files[e->file].volume;
		v = &t->volumes[last];
		if (v->first == v->end)
			v->first = v->end = t->n_extents;
		check_place(r, e, v);
		t->causes[t->n_extents] = checked_cause(r, x.cause, x.lba);
		v->end = ++t->n_extents;
		file_add(&t->files[e->file], e);
		t->files[e->file].is_compressed |= x.flags & FT_SNAP_ENCODED;
	}
	free(r->known);
}

/* Files without extents are counted as well. */
static void count_stale(struct reader *r)
{
	struct ft_snap_file f;

	for (uint64_t i = 0; i < r->header.files.nr; i++) {
		get(r, &r->header.files, "files", i, &f, sizeof(f));
		if (!(f.flags & FT_SNAP_STALE))
			continue;
		r->table->n_stale++;
		if (f.volume < r->table->n_volumes)
			r->table->volumes[f.volume].stale++;
	}
}

/**
 * snapshot_is() - is this a binary snapshot and not a text?
 * @text: the content of the file
 *
 * Return: true if it begins as a snapshot does.
 */
bool snapshot_is(const struct text *text)
{
	return text->len >= MAGIC_SIZE && !memcmp(text->buf, FT_SNAP_MAGIC, MAGIC_SIZE);
}

/**
 * snapshot_parse() - parse a snapshot
 * @table: the result; to be freed with table_free()
 * @name: name of the snapshot for messages
 * @text: the snapshot; @table takes over its content
 *
 * Ends the program if it does not match the format.
 */
void snapshot_parse(struct table *table, const char *name, struct text *text)
{
	struct reader r = { .table = table, .name = name, .buf = text->buf };

	*table = (struct table){ 0 };
	read_header(&r, text->len);
	check_length(&r, text->len);
	/* the paths of the files point into this text */
	table->text = *text;
	table->text.time_ms = (int64_t)(r.header.time / 1000000);
	table->text.has_time = true;
	*text = (struct text){ 0 };
	read_volumes(&r);
	read_writers(&r);
	read_extents(&r);
	count_stale(&r);
	order_build(table, name);
}

/* === Everything, with what has no blocks on the volume === */

static struct listed_file listed_file(const struct reader *r, const struct ft_snap_file *f)
{
	size_t volume = f->volume - r->table->first_volume;

	if (f->volume >= r->header.volumes.nr)
		die("%s: inode %u is on a volume that is not there", r->name, f->ino);
	return (struct listed_file){
		.path = get_path(r, f->path),
		.ino = f->ino,
		.volume = (uint32_t)volume,
		.file = NO_FILE,
		.is_stale = f->flags & FT_SNAP_STALE,
		.is_omitted = f->flags & FT_SNAP_OMITTED || volume >= r->table->n_volumes,
	};
}

/* By file of the snapshot, its index in the table. */
static void list_files(struct reader *r, struct listing *list)
{
	struct ft_snap_file f;

	list->files = xcalloc(r->header.files.nr, sizeof(*list->files));
	list->n_files = r->header.files.nr;
	for (uint64_t i = 0; i < list->n_files; i++) {
		get(r, &r->header.files, "files", i, &f, sizeof(f));
		list->files[i] = listed_file(r, &f);
	}
	for (uint64_t i = 0; i < r->table->n_files; i++)
		list->files[r->table->files[i].record].file = (uint32_t)i;
}

/* List extents that follow each other in the snapshot. */
static void list_extents(struct reader *r, struct listing *list, uint64_t first, uint64_t n)
{
	struct ft_snap_extent x = { 0 };

	list->extents = xcalloc(n, sizeof(*list->extents));
	list->n_extents = n;
	for (uint64_t i = 0; i < n; i++) {
		get(r, &r->header.extents, "extents", first + i, &x, sizeof(x));
		if (x.file >= r->header.files.nr)
			die("%s: there is no record %u among the files", r->name, x.file);
		if (!x.len || x.lblk + (uint64_t)x.len > BLK_MAX)
			die("%s: an extent has the blocks %u to %ju; expected blocks below %u", r->name, x.lblk,
			    x.lblk + (uintmax_t)x.len - 1, BLK_MAX);
		list->extents[i] = (struct listed_extent){
			.file = x.file,
			.offset = x.lblk,
			.blks = x.len,
			.lba = x.lba,
			.is_written = x.lba != FT_SNAP_UNWRITTEN,
			.is_encoded = x.flags & FT_SNAP_ENCODED,
			.cause = checked_cause(r, x.cause, x.lba),
		};
	}
}

/**
 * snapshot_list() - list all files and extents of a snapshot
 * @list: the result; to be freed with listing_free(); its paths are those of @table
 * @table: as left by snapshot_parse()
 * @name: name of the snapshot for messages
 *
 * These are more than the table has: unwritten extents, files without blocks, and extents whose blocks went
 * to another file during the copy.
 */
void snapshot_list(struct listing *list, const struct table *table, const char *name)
{
	struct table t = *table;
	struct reader r = { .table = &t, .name = name, .buf = table->text.buf };

	read_header(&r, table->text.len);
	list_files(&r, list);
	list_extents(&r, list, 0, r.header.extents.nr);
}

/**
 * snapshot_list_file() - list one file and its extents
 * @list: the result, with one file; to be freed with listing_free(); the path is that of @table
 * @table: as left by snapshot_parse()
 * @name: name of the snapshot for messages
 * @file: index of the file in @table
 */
void snapshot_list_file(struct listing *list, const struct table *table, const char *name, uint32_t file)
{
	struct table t = *table;
	struct reader r = { .table = &t, .name = name, .buf = table->text.buf };
	struct ft_snap_file f;

	read_header(&r, table->text.len);
	get(&r, &r.header.files, "files", table->files[file].record, &f, sizeof(f));
	list->files = xcalloc(1, sizeof(*list->files));
	list->n_files = 1;
	list->files[0] = listed_file(&r, &f);
	list->files[0].file = file;
	if (f.first > r.header.extents.nr || f.nr > r.header.extents.nr - f.first)
		die("%s: the extents of inode %u lie outside the file", name, f.ino);
	list_extents(&r, list, f.first, f.nr);
	for (uint64_t i = 0; i < list->n_extents; i++) {
		if (list->extents[i].file != table->files[file].record)
			die("%s: an extent of inode %u is one of another file", name, f.ino);
		list->extents[i].file = 0;
	}
}

/**
 * listing_free() - release a listing
 * @list: as left by snapshot_list()
 */
void listing_free(struct listing *list)
{
	free(list->files);
	free(list->extents);
	*list = (struct listing){ 0 };
}
