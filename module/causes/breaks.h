/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why the fragments of a file begin where they do.
 *
 * A map of words (core/extmap.h) holds, at the first block of each extent, the cause of
 * the break there (format/cause.h). The words of all other blocks are not used: the word of
 * an extent extends to the beginning of the next written extent. So neighbours with
 * the same word take one entry, and the next block of a run changes nothing here. A
 * file whose extents all have the same word needs no map.
 */
#ifndef FT_BREAKS_H
#define FT_BREAKS_H

#include "causes/logs.h"
#include "core/extmap.h"
#include "core/record.h"
#include "core/volume.h"
#include "format/cause.h"

/**
 * struct ft_history - what is known of a file's past
 * @words: the causes
 * @replaced: cause of a break that an operation under way has replaced by its own,
 * @replaced_at: its block plus one; 0: none
 *
 * Protected by the lock of the inode.
 */
struct ft_history {
	struct ft_extmap words;
	u32 replaced;
	u32 replaced_at;
};

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

int ft_breaks_init(void);
void ft_breaks_exit(void);
void ft_breaks_stored(struct ft_inode *rec, const struct ft_extent *ext,
		      const struct ft_around *before,
		      const struct ft_alloc *alloc);
void ft_breaks_erased(struct ft_inode *rec, u32 lblk, u32 end,
		      const struct ft_around *before,
		      const struct ft_alloc *alloc);
void ft_breaks_found(struct ft_inode *rec, const struct ft_extent *ext,
		     u32 prev);
void ft_breaks_shift(struct ft_inode *rec, u32 lblk);
void ft_breaks_cut(struct ft_inode *rec, u32 lblk, bool within);
void ft_breaks_written_by(struct ft_inode *rec, u32 writer, bool dirty);
void ft_breaks_written(struct ft_inode *rec, u32 lblk, u32 end, bool clean);
void ft_breaks_mapped(struct ft_inode *rec, u32 lblk);
enum ft_op ft_breaks_op(struct ft_inode *rec, u32 lblk, bool rewritten);
u64 ft_breaks_bytes(const struct ft_inode *rec);
void ft_breaks_drop(struct ft_inode *rec);

/**
 * ft_breaks_cause() - the cause of the break at an extent, for readers
 * @rec: the file
 * @lblk: the first block of the extent
 *
 * Context: rec->lock held.
 * Return: the cause; it means nothing if there is no break.
 */
static inline u32 ft_breaks_cause(struct ft_inode *rec, u32 lblk)
{
	if (!rec->history)
		return rec->cause;
	return ft_extmap_read_word(&rec->history->words, lblk, rec->cause);
}

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

	if (READ_ONCE(log->ino) != ino ||
	    lba - READ_ONCE(log->segment) >= vol->segment_blocks)
		ft_log_took_any(vol, nr, ino, writer, lba);
}

/**
 * ft_breaks_went_on() - the next block of a run was stored
 * @rec: the file
 * @lblk: the block
 * @rewritten: it had another LBA before
 *
 * The run has a cause already. If the block was the first one of the next extent,
 * that extent begins later now.
 *
 * Context: atomic, rec->lock held.
 */
static __always_inline void ft_breaks_went_on(struct ft_inode *rec, u32 lblk,
					      bool rewritten)
{
	if (rewritten && rec->history)
		ft_breaks_shift(rec, lblk);
}

#endif
