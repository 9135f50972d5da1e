// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what F2FS itself knows about the volumes of a table.
 *
 *	running system			in a folder
 *	/proc/fs/f2fs/DEV/segment_bits	segment_bits
 *	/proc/fs/f2fs/DEV/segment_info	segment_info	used if segment_bits is missing
 *	/proc/fs/f2fs/DEV/victim_bits	victim_bits
 *	/sys/kernel/debug/f2fs/status	status
 *	/sys/fs/f2fs/DEV/free_segments	free_segments	used if status is missing
 *	/dev/DEV			superblock	its first block
 *	/proc/self/mounts		mounts		for mode=lfs and atgc; may be missing
 *
 * A folder has these files, or a folder MAJOR:MINOR with them for each volume. Each may be packed
 * with zstd as NAME.zst. A missing file becomes a note, and a malformed one is refused.
 */
#include <mntent.h>

#include "input/f2fs_state.h"
#include "input/source.h"
#include "input/unpack.h"

/* Where the files of a volume are, and what was read from them. */
struct reader {
	const struct volume *volume;
	const char *dir;	/* NULL: the running system */
	char *dev;		/* name of the block device; NULL: not known */
	struct f2fs_state *state;
	char *trouble;
};

/* === Where the files are === */

/**
 * f2fs_device_name() - the name that the kernel has for a block device
 * @v: a volume
 *
 * Return: the name, to be freed; NULL if there is none.
 */
char *f2fs_device_name(const struct volume *v)
{
	AUTO_FREE char *link = xasprintf("/sys/dev/block/%u:%u", v->major, v->minor);
	char target[4096];
	ssize_t len = readlink(link, target, sizeof(target) - 1);
	const char *slash;

	if (len < 0)
		return NULL;
	target[len] = '\0';
	slash = strrchr(target, '/');
	return xasprintf("%s", slash ? slash + 1 : target);
}

static char *subdir_of(const struct volume *v, const char *dir, size_t n_volumes, char **trouble)
{
	char *sub = xasprintf("%s/%u:%u", dir, v->major, v->minor);
	struct stat st;

	if (!stat(sub, &st) && S_ISDIR(st.st_mode))
		return sub;
	free(sub);
	if (stat(dir, &st))
		*trouble = xasprintf("%s: %s; expected a folder with copies of F2FS's files", dir, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		*trouble = xasprintf("%s: not a folder; expected one with copies of F2FS's files", dir);
	else if (n_volumes > 1)
		*trouble = xasprintf("%s: the table has %zu volumes; expected a folder %u:%u in it", dir, n_volumes,
				     v->major, v->minor);
	return xasprintf("%s", dir);
}

static char *path_of(const struct reader *p, const char *live_dir, bool has_dev, const char *name)
{
	if (p->dir)
		return xasprintf("%s/%s", p->dir, name);
	if (!has_dev)
		return xasprintf("%s/%s", live_dir, name);
	return xasprintf("%s/%s/%s", live_dir, p->dev ? p->dev : "?", name);
}

/* === Files === */

static void note(struct reader *p, const char *path, int err, const char *lacking)
{
	struct f2fs_state *s = p->state;

	if (s->n_notes < F2FS_MAX_NOTES)
		s->notes[s->n_notes++] = xasprintf("%s: %s: %s", path, strerror(err), lacking);
}

/* The content of a packed file, as a file without a name; NULL if there is none. */
static FILE *open_packed(const char *path)
{
	AUTO_FREE char *packed = xasprintf("%s.zst", path);
	AUTO(text_free) struct text text = { 0 };
	FILE *file;

	if (slurp_file(&text, packed))
		return NULL;
	if (is_packed(&text))
		unpack(&text, packed);
	file = tmpfile();
	if (file)
		fwrite(text.buf, 1, text.len, file);
	if (file)
		rewind(file);
	return file;
}

/* Opens a file, or notes what is not known without it. */
static FILE *open_file(struct reader *p, const char *path, const char *lacking)
{
	FILE *file = p->trouble ? NULL : fopen(path, "re");

	if (!file && !p->trouble && p->dir) {
		int err = errno;

		file = open_packed(path);
		errno = err;
	}

	if (!file && !p->trouble && lacking)
		note(p, path, errno, lacking);
	return file;
}

static void read_segments(struct reader *p)
{
	AUTO_FREE char *bits = path_of(p, "/proc/fs/f2fs", true, "segment_bits");
	AUTO_FREE char *info = path_of(p, "/proc/fs/f2fs", true, "segment_info");
	uint64_t blks = p->volume->end_blk - p->volume->first_blk;
	struct f2fs_segments *s = &p->state->segments;
	AUTO_FCLOSE FILE *file = open_file(p, bits, "free runs, and what lies between watched files, are not known");

	if (file) {
		p->trouble = f2fs_segments_read_bits(s, file, bits);
	} else {
		file = open_file(p, info, "nothing is known of this volume");
		if (file)
			p->trouble = f2fs_segments_read_info(s, file, info);
		else if (p->dir && !p->trouble)
			p->trouble = xasprintf("%s: neither segment_bits nor segment_info is in it; expected a folder with copies of "
					       "F2FS's files", p->dir);
	}
	if (s->n && (s->n != blks / F2FS_SEGMENT_BLKS || blks % F2FS_SEGMENT_BLKS) && !p->trouble)
		p->trouble = xasprintf("%s: %zu segments of 512 blocks, but the volume %u:%u has %ju blocks; expected "
				       "the files of this volume", s->map ? bits : info, s->n, p->volume->major,
				       p->volume->minor, (uintmax_t)blks);
}

static void read_status(struct reader *p)
{
	AUTO_FREE char *path = path_of(p, DEBUGFS "/f2fs", false, "status");
	AUTO_FCLOSE FILE *file = open_file(p, path, "log heads and prefree segments are not known");

	if (file)
		p->trouble = f2fs_status_read(&p->state->status, file, path, p->dev, p->state->segments.n);
}

static void read_victims(struct reader *p)
{
	AUTO_FREE char *path = path_of(p, "/proc/fs/f2fs", true, "victim_bits");
	AUTO_FCLOSE FILE *file = open_file(p, path, "sections that background collection has chosen are not known");

	if (file)
		p->trouble = f2fs_victims_read(&p->state->victims, file, path);
}

static void read_super(struct reader *p)
{
	AUTO_FREE char *path = p->dir ? xasprintf("%s/superblock", p->dir) : xasprintf("/dev/%s", p->dev ? p->dev : "?");
	AUTO_FCLOSE FILE *file = open_file(p, path, "sizes are taken from other files");
	struct f2fs_super *super = &p->state->super;

	if (file)
		p->trouble = f2fs_super_read(super, file, path, p->volume->blk_bytes);
	if (super->segs_per_sec && (super->main_blkaddr != p->volume->first_blk ||
				    super->main_segments != (p->volume->end_blk - p->volume->first_blk) / F2FS_SEGMENT_BLKS)) {
		if (!p->trouble)
			p->trouble = xasprintf("%s: its main area is not that of the volume %u:%u; expected the first "
					       "block of this volume", path, p->volume->major, p->volume->minor);
	}
}

/* @lacking, if there is no such file. */
static uint64_t read_sysfs(struct reader *p, const char *name, const char *unit, uint64_t lacking)
{
	AUTO_FREE char *path = path_of(p, "/sys/fs/f2fs", true, name);
	AUTO_FCLOSE FILE *file = open_file(p, path, NULL);
	uint64_t n;
	char rest;

	if (file && fscanf(file, "%" SCNu64 "%c", &n, &rest) == 2 && rest == '\n')
		return n;
	if (file)
		p->trouble = xasprintf("%s:1: expected a number of %s, copy the file again", path, unit);
	return lacking;
}

/* A zoned device has no other. A volume may be mounted several times; the mode is one. */
static void read_mode(struct reader *p)
{
	AUTO_FREE char *path = path_of(p, "/proc/self", false, "mounts");
	AUTO_FCLOSE FILE *file = open_file(p, path, NULL);
	struct mntent *mount;

	while (file && (mount = getmntent(file)))
		if (!strcmp(mount->mnt_type, "f2fs") && !strcmp(mount->mnt_dir, p->volume->path)) {
			p->state->is_lfs |= hasmntopt(mount, "mode=lfs") != NULL;
			p->state->is_atgc |= hasmntopt(mount, "atgc") != NULL;
		}
	read_super(p);
	p->state->is_lfs |= p->state->super.is_zoned;
}

static void read_volume(struct reader *p)
{
	read_segments(p);
	if (!p->state->segments.n)
		return;
	read_status(p);
	read_victims(p);
	read_mode(p);
	p->state->sysfs_free = read_sysfs(p, "free_segments", "segments", UINT64_MAX);
	p->state->unusable = read_sysfs(p, "unusable_blocks_per_sec", "blocks", 0);
}

/**
 * f2fs_state_open() - open a copy of a file
 * @table: the table
 * @v: its volume
 * @dir: folder with copies
 * @name: of the file
 *
 * Return: the file; NULL if there is none.
 */
FILE *f2fs_state_open(const struct table *table, const struct volume *v, const char *dir, const char *name)
{
	struct reader p = { .volume = v };
	AUTO_FREE char *sub = subdir_of(v, dir, table->n_volumes, &p.trouble), *path = xasprintf("%s/%s", sub, name);
	FILE *file;

	p.dir = sub;
	file = open_file(&p, path, NULL);
	free(p.trouble);
	return file;
}

/* What is wrong with one volume costs no other one its state; @trouble is the first. */
static struct f2fs_state *read_volumes(const struct table *table, const char *dir, void (*read)(struct reader *p), char **trouble)
{
	struct f2fs_state *states = xcalloc(table->n_volumes, sizeof(*states));

	*trouble = NULL;
	for (size_t i = 0; i < table->n_volumes; i++) {
		struct reader p = { .volume = &table->volumes[i], .state = &states[i] };
		AUTO_FREE char *sub = dir ? subdir_of(p.volume, dir, table->n_volumes, &p.trouble) : NULL;

		p.dir = sub;
		p.dev = dir ? NULL : f2fs_device_name(p.volume);
		if (!p.trouble)
			read(&p);
		if (*trouble)
			free(p.trouble);
		else
			*trouble = p.trouble;
		free(p.dev);
	}
	return states;
}

/**
 * f2fs_modes_take() - mark the volumes on which F2FS never rewrites in place
 * @table: the table
 * @states: what F2FS knows, by volume
 */
void f2fs_modes_take(struct table *table, const struct f2fs_state *states)
{
	for (size_t i = 0; i < table->n_volumes; i++)
		table->volumes[i].is_lfs |= states[i].is_lfs;
}

/**
 * f2fs_modes_read() - find out on which volumes of a table F2FS never rewrites in place
 * @table: the table; its volumes are marked
 * @dir: folder with copies of F2FS's files; NULL: the running system
 *
 * Return: NULL, or why a file is refused, with the remedy; to be freed.
 */
char *f2fs_modes_read(struct table *table, const char *dir)
{
	char *trouble;
	struct f2fs_state *states = read_volumes(table, dir, read_mode, &trouble);

	f2fs_modes_take(table, states);
	f2fs_states_free(states, table->n_volumes);
	return trouble;
}

/**
 * f2fs_states_read() - read what F2FS knows about the volumes of a table
 * @table: the table
 * @dir: folder with copies of F2FS's files; NULL: the running system
 * @trouble: set to why a file is refused, to be freed; NULL if none is
 *
 * Return: by volume; to be freed with f2fs_states_free().
 */
struct f2fs_state *f2fs_states_read(const struct table *table, const char *dir, char **trouble)
{
	return read_volumes(table, dir, read_volume, trouble);
}

/**
 * f2fs_states_free() - release the states
 * @states: as left by f2fs_states_read(), or NULL
 * @n: number of volumes
 */
void f2fs_states_free(struct f2fs_state *states, size_t n)
{
	for (size_t i = 0; states && i < n; i++) {
		f2fs_segments_free(&states[i].segments);
		free(states[i].victims.chosen);
		while (states[i].n_notes)
			free(states[i].notes[--states[i].n_notes]);
	}
	free(states);
}
