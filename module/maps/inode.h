/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The life and the state of the record of an inode.
 */
#ifndef FT_INODE_H
#define FT_INODE_H

#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "core/memory.h"
#include "core/record.h"
#include "core/volume.h"
#include "format/cause.h"

/* === Life ================================================================= */

int ft_inode_init(void);
void ft_inode_exit(void);

struct ft_inode *ft_inode_create(struct ft_volume *vol, u32 ino, bool is_dir,
				 bool stale, u8 owner, gfp_t gfp);
long ft_inode_size(void);
void ft_inode_charge_name(struct ft_inode *rec, long size);
struct ft_inode *ft_inode_find(struct ft_volume *vol, unsigned long ino);
struct ft_inode *ft_inode_find_other(const struct super_block *sb, unsigned long ino);
struct ft_inode *ft_inode_find_again(struct ft_volume *vol, unsigned long ino, bool is_dir);
struct ft_inode *ft_inode_get(struct ft_volume *vol, unsigned long ino);
void ft_inode_put(struct ft_inode *rec);
void ft_inode_remove(struct ft_inode *rec);
void ft_inode_remove_now(struct ft_inode *rec);
void ft_inode_forget_path(struct ft_inode *rec);
void ft_inode_flush_freed(void);
void ft_inode_request_scan(struct ft_inode *rec, void *unused);
void ft_inode_request_resync(struct ft_inode *rec, void *unused);
void ft_inode_read(struct ft_inode *rec);
bool ft_inode_scanned(struct ft_inode *rec, u8 resync, u8 audit);
void ft_inode_end_request(struct ft_inode *rec, bool audit);
void ft_inode_request_audit(struct ft_inode *rec, void *unused);

/*
 * The file whose event a CPU saw last, which is likely that of the next event, too,
 * and the directory in which a name changed last. The records may be dead. They are
 * valid for a reader in an RCU section.
 */
DECLARE_PER_CPU(struct ft_inode *, ft_last_file);
DECLARE_PER_CPU(struct ft_inode *, ft_last_dir);

/**
 * ft_inode_find_file() - the record of a file that has an event
 * @sb: its super block
 * @ino: its inode number
 *
 * Context: RCU read section.
 * Return: the record, valid until the end of the section; NULL if the file is
 * not followed, or is a directory.
 */
static inline struct ft_inode *ft_inode_find_file(const struct super_block *sb, unsigned long ino)
{
	struct ft_inode *rec = this_cpu_read(ft_last_file);

	/* of several records with this number, one is alive on this volume */
	if (rec && rec->ino == (u32)ino && READ_ONCE(rec->vol->live_sb) == sb &&
	    READ_ONCE(rec->state) < FT_DEAD)
		return rec;
	return ft_inode_find_other(sb, ino);
}

/* Count @nr more names that are left out because memory is short; negative: less. */
static inline void ft_inode_names_left_out(struct ft_volume *vol, long nr)
{
	atomic_add(nr, &vol->nr_refused);
	ft_mem_left_out(nr);
}

/* === The lock ============================================================= */

void ft_inode_take_up(struct ft_inode *rec);

/**
 * ft_inode_lock() - lock a record and handle its note
 * @rec: the record
 */
static inline void ft_inode_lock(struct ft_inode *rec)
	__acquires(&rec->lock)
{
	spin_lock(&rec->lock);
	if (unlikely(ft_inode_has_note(rec)))
		ft_inode_take_up(rec);
}

/* guard(ft_record)(rec): it is locked up to the end of the block. See core/base.h. */
DEFINE_CLASS(ft_record, struct ft_inode *, ({ __acquire(_T); spin_unlock(&_T->lock); }),
	     ({ ft_inode_lock(rec); __release(rec); rec; }), struct ft_inode *rec)

/* === State, for holders of the record's lock ============================== */

void ft_inode_change(struct ft_inode *rec, enum ft_change cause);

void ft_inode_doubt(struct ft_inode *rec, enum ft_op op);
void ft_inode_doubt_part(struct ft_inode *rec, enum ft_op op, u32 from, u32 end);
void ft_inode_missed(struct ft_inode *rec, enum ft_op op);
void ft_inode_omit(struct ft_inode *rec);
void ft_inode_name_refused(struct ft_inode *dir);
void ft_inode_name_accepted(struct ft_inode *dir, u32 nr);
void ft_inode_drop_map(struct ft_inode *rec);
void ft_inode_start_over(struct ft_inode *rec);
void ft_inode_drop_second(struct ft_inode *rec);

#endif
