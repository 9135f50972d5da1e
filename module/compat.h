/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file that knows that kernels differ. Each entry names what changed,
 * tests for the feature (a macro, or an FT_HAVE_ that Kbuild found in the
 * headers), never for a version, and says when it can go.
 */
#ifndef FT_COMPAT_H
#define FT_COMPAT_H

#include <linux/fsnotify_backend.h>

/*
 * Marks of a super block moved behind sb->s_fsnotify_info in 6.10; before, the
 * caller named the connector. Can go with 6.1 and 6.6.
 */
static inline int ft_fsnotify_add_sb_mark(struct fsnotify_mark *mark,
					  struct super_block *sb)
{
#ifdef FT_HAVE_FSNOTIFY_SB_INFO
	return fsnotify_add_mark(mark, sb, FSNOTIFY_OBJ_TYPE_SB, 0);
#else
	return fsnotify_add_mark(mark, &sb->s_fsnotify_marks,
				 FSNOTIFY_OBJ_TYPE_SB, 0, NULL);
#endif
}

/*
 * F2FS went from pages to folios in 6.17: the write event changed its name and
 * its first argument. A folio begins with its page, and F2FS data folios are
 * looked at only for their mapping and index. Can go with 6.12.
 */
#ifdef FT_HAVE_SUBMIT_FOLIO_WRITE
#define FT_EVENT_SUBMIT_WRITE	f2fs_submit_folio_write
#define ft_written_t		struct folio
#define ft_written_mapping(x)	((x)->mapping)
#define ft_written_index(x)	((x)->index)
#else
#define FT_EVENT_SUBMIT_WRITE	f2fs_submit_page_write
#define ft_written_t		struct page
#define ft_written_mapping(x)	((x)->mapping)
#define ft_written_index(x)	((x)->index)
#endif

#endif
