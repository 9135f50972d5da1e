/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes in records whose lock cannot be taken, see note.c. Where it can be taken,
 * the record is changed at once.
 */
#ifndef FT_NOTE_H
#define FT_NOTE_H

#include <linux/types.h>

#ifdef FT_LEAVES_NOTES

struct ft_inode;

void ft_note_stale(struct ft_inode *rec, u32 from, u32 end);
void ft_note_reserve_begin(struct ft_inode *rec);
void ft_note_flush(void);

#else

#include "maps/event.h"

#define ft_note_stale		ft_event_range_begin
#define ft_note_reserve_begin	ft_event_reserve_begin

static inline void ft_note_flush(void)
{
}

#endif

#endif
