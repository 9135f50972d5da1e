// SPDX-License-Identifier: GPL-2.0-only
/* Part of replay: the changed files -> the binary snapshot of the moment, with the figures of all files. */

#include "input/figures.h"
#include "input/replay_state.h"

static int by_inode(const void *a, const void *b)
{
	const struct changing *x = a, *y = b;

	return FIRST(ORDER(x->volume, y->volume), ORDER(x->ino, y->ino));
}

/* A file that nothing is known of is only the record of one; a name in the next snapshot alone makes none. */
static bool is_shown(const struct replay_state *s, const struct changing *f)
{
	return f->volume < s->table.n_volumes && !f->is_gone && (f->path || f->n);
}

/* Drop what is not shown, and sort the rest. */
static void settle_files(struct replay_state *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_files; i++) {
		struct changing *f = &s->files[i];

		if (is_shown(s, f)) {
			if (!f->path)
				f->path = xasprintf("(inode %u)", f->ino);
			s->files[n++] = *f;
		} else {
			free(f->path);
			free(f->ext);
		}
	}
	s->n_files = n;
	inodes_free(&s->inodes);
	sort(s->files, n, sizeof(*s->files), by_inode);
}

static void compute_figures(struct ft_snap_file *to, const struct changing *f, uint64_t request_blks)
{
	struct figures sum = { 0 };
	struct extent prev, e;

	for (size_t i = 0; i < f->n; i++) {
		if (!is_written(&f->ext[i]))
			continue;
		e = (struct extent){ .lba = f->ext[i].lba, .offset = f->ext[i].lblk, .blks = f->ext[i].len };
		figures_add(&sum, request_blks, sum.extents ? &prev : NULL, &e);
		prev = e;
	}
	to->blocks = sum.blks;
	to->written = sum.extents;
	to->fragments = sum.fragments;
	to->distance = sum.distance;
	to->requests = sum.requests;
	to->ideal = sum.ideal;
	if (to->fragments > 1)
		to->flags |= FT_SNAP_FRAGMENTED;
}

struct bytes {
	char *buf;
	size_t n, cap;
};

static void put(struct bytes *to, const void *data, size_t size)
{
	if (to->n + size + 1 > to->cap) {
		to->cap = (to->n + size + 1) * 2;
		to->buf = xreallocarray(to->buf, to->cap, 1);
	}
	memcpy(to->buf + to->n, data, size);
	to->n += size;
}

static uint64_t put_path(struct bytes *paths, const char *path)
{
	uint64_t at = paths->n;

	put(paths, path, strlen(path) + 1);
	return at;
}

/* A written extent by its address. */
struct by_lba {
	uint32_t volume;
	uint32_t lba;
	uint32_t len;
	uint32_t file;
	uint32_t index;
};

static int by_address(const void *a, const void *b)
{
	const struct by_lba *x = a, *y = b;

	return FIRST(ORDER(x->volume, y->volume), FIRST(ORDER(x->lba, y->lba), ORDER(x->index, y->index)));
}

/* If two files claim a block, the stale one loses it; if neither is stale, the one that was copied first. */
static void put_by_lba(struct bytes *to, struct by_lba *all, size_t n, struct ft_snap_file *files)
{
	struct by_lba *last = NULL;
	size_t kept = 0;

	sort(all, n, sizeof(*all), by_address);
	for (size_t i = 0; i < n; i++) {
		if (last && last->volume == all[i].volume && all[i].lba < last->lba + last->len) {
			bool loses = files[all[i].file].flags & FT_SNAP_STALE;

			files[loses ? all[i].file : last->file].flags |= FT_SNAP_STALE;
			if (!loses)
				*last = all[i];
			continue;
		}
		all[kept] = all[i];
		last = &all[kept++];
	}
	for (size_t i = 0; i < kept; i++)
		put(to, &all[i].index, sizeof(all[i].index));
}

static void put_volumes(struct bytes *to, struct bytes *paths, const struct table *t)
{
	for (size_t i = 0; i < t->n_volumes; i++) {
		const struct volume *v = &t->volumes[i];
		struct ft_snap_volume out = {
			.path = put_path(paths, v->path),
			.major = v->major,
			.minor = v->minor,
			.main_blkaddr = (uint32_t)v->first_blk,
			.blocks = (uint32_t)v->end_blk,
			.segment_blocks = (uint32_t)v->segment_blks,
			.flags = v->stopped ? FT_SNAP_STOPPED : 0,
			.left_out = v->left_out,
			.block_bytes = v->blk_bytes,
		};

		put(to, &out, sizeof(out));
	}
}

static void put_writers(struct bytes *to, struct bytes *paths, const struct replay_state *s)
{
	for (size_t i = 0; i < s->n_writers; i++) {
		struct ft_snap_writer out = s->writers[i];

		out.cgroup = s->cgroups[i] ? put_path(paths, s->cgroups[i]) : FT_SNAP_NO_PATH;
		put(to, &out, sizeof(out));
	}
}

static void put_files(struct bytes *files, struct bytes *extents, struct bytes *by_lba, struct bytes *paths,
		      const struct replay_state *s)
{
	AUTO_FREE struct ft_snap_file *out = xcalloc(s->n_files, sizeof(*out));
	AUTO_FREE struct by_lba *all = NULL;
	size_t n = 0, cap = 0, total = 0;

	for (size_t i = 0; i < s->n_files; i++) {
		struct changing *f = &s->files[i];

		out[i] = (struct ft_snap_file){
			.path = put_path(paths, f->path), .first = total, .nr = f->n, .volume = f->volume, .ino = f->ino,
			.flags = (f->is_stale || f->is_unknown ? FT_SNAP_STALE : 0) | (f->is_omitted ? FT_SNAP_OMITTED : 0),
		};
		compute_figures(&out[i], f, REQUEST_BYTES / table_blk_bytes(&s->table));
		for (size_t k = 0; k < f->n; k++, total++) {
			f->ext[k].file = (uint32_t)i;
			put(extents, &f->ext[k], sizeof(f->ext[k]));
			if (!is_written(&f->ext[k]))
				continue;
			*APPEND(all, n, cap) = (struct by_lba){ f->volume, f->ext[k].lba, f->ext[k].len, (uint32_t)i, (uint32_t)total };
		}
	}
	put_by_lba(by_lba, all, n, out);
	if (s->n_files)
		put(files, out, s->n_files * sizeof(*out));
}

/**
 * replay_compose() - write the snapshot of a moment
 * @text: the result; to be freed with text_free()
 * @s: the files
 * @at_ns: the moment
 */
void replay_compose(struct text *text, struct replay_state *s, uint64_t at_ns)
{
	struct ft_snap_header h = { .version = FT_SNAP_VERSION, .size = sizeof(h), .time = at_ns };
	struct bytes volumes = { 0 }, files = { 0 }, extents = { 0 }, by_lba = { 0 }, paths = { 0 }, writers = { 0 };
	const struct {
		struct ft_snap_array *array;
		struct bytes *from;
		uint32_t size;
	} parts[] = {
		{ &h.volumes, &volumes, sizeof(struct ft_snap_volume) },
		{ &h.files, &files, sizeof(struct ft_snap_file) },
		{ &h.extents, &extents, sizeof(struct ft_snap_extent) },
		{ &h.by_lba, &by_lba, sizeof(uint32_t) },
		{ &h.paths, &paths, 1 },
		{ &h.writers, &writers, sizeof(struct ft_snap_writer) },
	};
	struct bytes all = { 0 };

	settle_files(s);
	put_volumes(&volumes, &paths, &s->table);
	put_files(&files, &extents, &by_lba, &paths, s);
	put_writers(&writers, &paths, s);
	memcpy(h.magic, FT_SNAP_MAGIC, sizeof(h.magic));
	h.bytes = sizeof(h);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		*parts[i].array = (struct ft_snap_array){
			.offset = h.bytes, .nr = parts[i].from->n / parts[i].size, .size = parts[i].size };
		h.bytes += parts[i].from->n;
	}
	put(&all, &h, sizeof(h));
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (parts[i].from->n)
			put(&all, parts[i].from->buf, parts[i].from->n);
		free(parts[i].from->buf);
	}
	all.buf[all.n] = '\0';
	*text = (struct text){ .buf = all.buf, .len = all.n };
}
