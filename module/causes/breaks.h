/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why the fragments of a file begin where they do.
 *
 * The cause of a break (format/cause.h) is kept with the extent that begins there, in the map
 * (core/extmap.h). So the next block of a run changes nothing here.
 */
#ifndef FT_BREAKS_H
#define FT_BREAKS_H

#include "causes/logs.h"
#include "core/extmap.h"
#include "core/record.h"
#include "core/volume.h"
#include "format/cause.h"

/**
 * struct ft_awaited - blocks of a file that are expected to be written
 * @cut: the block within which the file was cut, plus one; 0 if there is none, or it
 *	has been written since
 * @mapped: the first block that was written through a mapping
 * @mapped_end: end of the last one; 0 if there is none
 *
 * Protected by the lock of the inode. A file has it only while one of them is set.
 */
struct ft_awaited {
	u32 cut;
	u32 mapped;
	u32 mapped_end;
};

/**
 * struct ft_alloc - an allocation, as far as its event describes it
 * @op: the operation
 * @flush: the reason why it was written then
 * @writer: the process that had written the data
 */
struct ft_alloc {
	enum ft_op op;
	enum ft_flush flush;
	u32 writer;
};

void ft_breaks_stored(struct ft_inode *rec, const struct ft_extent *ext,
		      const struct ft_around *before, const struct ft_alloc *alloc);
void ft_breaks_erased(struct ft_inode *rec, u32 lblk, u32 end, const struct ft_around *before,
		      const struct ft_alloc *alloc);
u32 ft_breaks_found(struct ft_inode *rec, const struct ft_extent *ext, u32 prev);
void ft_breaks_set_cause(struct ft_inode *rec, u32 lblk, u32 cause);
void ft_breaks_replaced(struct ft_inode *rec);
void ft_breaks_cut(struct ft_inode *rec, u32 lblk, bool within);
void ft_breaks_written_by(struct ft_inode *rec, u32 writer, bool dirty);
void ft_breaks_written(struct ft_inode *rec, u32 lblk, u32 end, bool clean);
void ft_breaks_mapped(struct ft_inode *rec, u32 lblk);
enum ft_op ft_breaks_op(struct ft_inode *rec, u32 lblk, bool rewritten);
void ft_breaks_drop(struct ft_inode *rec);

/**
 * ft_log_took() - a log gave a block to a file
 * @vol: the volume
 * @nr: which log
 * @ino: the inode number of the file
 * @writer: the process that had written the data
 * @lba: the block
 *
 * Usually the same file got the block before that.
 *
 * Context: atomic; RCU read section.
 */
static __always_inline void ft_log_took(struct ft_volume *vol, unsigned int nr,
					u32 ino, u32 writer, u32 lba)
{
	const struct ft_log *log = &vol->logs->log[nr];

	if (READ_ONCE(log->ino) != ino || lba - READ_ONCE(log->segment) >= vol->segment_blocks)
		ft_log_took_any(vol, nr, ino, writer, lba);
}

/**
 * ft_breaks_went_on() - the next block of a run was stored
 * @rec: the file
 * @lblk: the block
 * @rewritten: it had another LBA before
 *
 * The run has a cause already. If the block was the first one of the next extent,
 * that extent begins later now, and keeps its own.
 *
 * Context: atomic, rec->lock held.
 */
static __always_inline void ft_breaks_went_on(struct ft_inode *rec, u32 lblk, bool rewritten)
{
	if (rewritten && rec->replaced_at == lblk + 1)
		ft_breaks_replaced(rec);
}

#endif
