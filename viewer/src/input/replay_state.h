/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside replay: the files of a recording that are being changed. */
#pragma once

#include "input/events.h"
#include "input/inodes.h"
#include "input/table.h"
#include "module/format/snapshot.h"

/* Of a device number: the bits of the minor. */
#define DEV_SHIFT 20

/**
 * struct changing - a file that is being changed
 * @ext: its extents, by lblk; none can be merged with the next
 * @n: number of @ext
 * @cap: room for so many
 * @path: its path; NULL: not known yet
 * @volume: index of its volume
 * @ino: its inode number
 * @is_stale: its blocks may differ from F2FS's
 * @is_unknown: an event said so: stale whatever follows
 * @is_omitted: the module has left it out
 * @is_gone: it was deleted
 */
struct changing {
	struct ft_snap_extent *ext;
	size_t n;
	size_t cap;
	char *path;
	uint32_t volume;
	uint32_t ino;
	bool is_stale;
	bool is_unknown;
	bool is_omitted;
	bool is_gone;
};

/**
 * struct replay_state - all files
 * @table: the snapshot before
 * @name: its name, for messages
 * @copied_ns: when it was complete
 * @files: all files
 * @n_files: number of @files
 * @cap_files: room for so many
 * @inodes: by volume and inode number, the index into @files plus one
 * @writers: those of the snapshot, then those of events
 * @cgroups: by writer, the path of its cgroup, or NULL
 * @n_writers: number of @writers
 * @cap_writers: room for so many
 * @foreign_was_said: it was reported that events of unknown volumes are left out
 */
struct replay_state {
	struct table table;
	const char *name;
	uint64_t copied_ns;
	struct changing *files;
	size_t n_files;
	size_t cap_files;
	struct inodes inodes;
	struct ft_snap_writer *writers;
	char **cgroups;
	size_t n_writers;
	size_t cap_writers;
	bool foreign_was_said;
};

static inline uint32_t end_of(const struct ft_snap_extent *x)
{
	return x->lblk + x->len;
}

static inline bool is_written(const struct ft_snap_extent *x)
{
	return x->lba != FT_SNAP_UNWRITTEN;
}

/* replay_events.c */
void replay_append(struct changing *f, struct ft_snap_extent x);
struct changing *replay_file_at(struct replay_state *s, uint32_t volume, uint32_t ino);
uint32_t replay_volume_at(const struct replay_state *s, uint32_t dev);
size_t replay_first_after(const struct changing *f, uint32_t lblk);
uint32_t replay_lba_of(const struct changing *f, uint32_t lblk);
bool replay_apply(struct replay_state *s, const struct event *e);
size_t replay_breaks(const struct changing *f, uint32_t lblk, uint32_t end,
		     void (*found)(void *arg, uint32_t last_lba, const struct ft_snap_extent *x), void *arg);

/* replay_compose.c */
void replay_compose(struct text *text, struct replay_state *s, uint64_t at_ns);
