/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file that knows that kernels differ. Each entry names what changed,
 * tests for the feature (a macro, or an FT_HAVE_ that Kbuild found in the
 * headers), never for a version, and says when it can go.
 */
#ifndef FT_COMPAT_H
#define FT_COMPAT_H

#include <linux/fs_struct.h>
#include <linux/fsnotify_backend.h>
#include <linux/pagemap.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

/*
 * Between 6.1 and 6.12 the marks of a super block moved into a struct of their
 * own; before, the caller named the connector. Can go with 6.1.
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
 * After 6.12 F2FS began to speak of folios where it spoke of pages. What it
 * writes is still one block. Can go with 6.12.
 */
#ifdef FT_HAVE_SUBMIT_FOLIO_WRITE
#define FT_SUBMIT_WRITE		f2fs_submit_folio_write
#define FT_PAGE			struct folio
#else
#define FT_SUBMIT_WRITE		f2fs_submit_page_write
#define FT_PAGE			struct page
#endif

/*
 * Tracepoints keep preemption off around all probes; of late a probe may be
 * preempted. Can go with 6.12.
 */
#ifdef FT_HAVE_PROBES_KEEP_CPU
#define FT_PROBES_KEEP_CPU	1
#else
#define FT_PROBES_KEEP_CPU	0
#endif

/*
 * With PREEMPT_RT a spinlock sleeps, and the allocator takes some. F2FS, which
 * has to sleep where it calls the tracepoints, does so with preemption on. So what
 * the tracepoint has done to it may be undone while a probe runs. What preemption
 * off was for, that the array of probes stays that the tracepoint goes through, and
 * the module, the RCU read section sees to: it overlaps with what is before and
 * behind it, and PREEMPT_RT has preemptible RCU. A kernel that leaves preemption on
 * has another protection for them.
 *
 * Nothing is done if that is not all there is: in an interrupt, with a raw spinlock
 * held. F2FS has no tracepoint there. False means that no lock may be taken.
 */
static inline bool ft_sleeping_locks_begin(void)
	__acquires(RCU)
{
	rcu_read_lock();
	if (preempt_count() != FT_PROBES_KEEP_CPU || irqs_disabled())
		return false;
	if (FT_PROBES_KEEP_CPU)
		preempt_enable_notrace();
	return true;
}

/* Undo it; @begun is what it returned. */
static inline void ft_sleeping_locks_end(bool begun)
	__releases(RCU)
{
	if (FT_PROBES_KEEP_CPU && begun)
		preempt_disable_notrace();
	rcu_read_unlock();
}

/*
 * After 7.2 kernel threads have an empty root directory of their own; before, it
 * was that of init, where they now have to ask for it. Can go with 7.2.
 */
#ifndef scoped_with_init_fs
#define scoped_with_init_fs()
#endif

/*
 * After 6.1 a cache can be kept apart from others of its size, so that
 * /proc/slabinfo shows what it takes. Can go with 6.1.
 */
#ifndef SLAB_NO_MERGE
#define SLAB_NO_MERGE	0
#endif

#endif
