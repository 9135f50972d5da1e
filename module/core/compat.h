/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file that depends on the kernel version. Each entry names what changed,
 * and when it can go. It tests for the feature (a macro, or an FT_HAVE_ that Kbuild
 * found in the headers), never for a version.
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
#include <linux/writeback.h>

/*
 * Between 6.1 and 6.12 the marks of a super block moved into a struct of their
 * own; before, the caller named the connector. Can go with 6.1.
 */
static inline int ft_fsnotify_add_sb_mark(struct fsnotify_mark *mark, struct super_block *sb)
{
#ifdef FT_HAVE_FSNOTIFY_SB_INFO
	return fsnotify_add_mark(mark, sb, FSNOTIFY_OBJ_TYPE_SB, 0);
#else
	return fsnotify_add_mark(mark, &sb->s_fsnotify_marks, FSNOTIFY_OBJ_TYPE_SB, 0, NULL);
#endif
}

/*
 * After 6.12 F2FS uses folios instead of pages in these events. What it writes is
 * still one block. Can go with 6.12.
 */
#ifdef FT_HAVE_SUBMIT_FOLIO_WRITE
#define FT_SUBMIT_WRITE		f2fs_submit_folio_write
#define FT_SUBMIT_BIO		f2fs_submit_folio_bio
#define FT_PAGE			struct folio
#else
#define FT_SUBMIT_WRITE		f2fs_submit_page_write
#define FT_SUBMIT_BIO		f2fs_submit_page_bio
#define FT_PAGE			struct page
#endif

/*
 * After 6.1 the event of a fault that makes a page of a mapping writable has the
 * inode and the block, and is also fired if that failed; before, it has the page.
 * Can go with 6.1.
 */
#ifdef FT_HAVE_MKWRITE_OF_INODE
#define FT_MKWRITE_ARGS		struct inode *inode, pgoff_t index, \
				vm_flags_t flags, vm_fault_t ret
#define FT_MKWRITE_INODE	inode
#define FT_MKWRITE_FAILED	(!(ret & VM_FAULT_LOCKED))
#define FT_MKWRITE_INDEX	index
#else
#define FT_MKWRITE_ARGS		struct page *page, int type
#define FT_MKWRITE_INODE	page->mapping->host
#define FT_MKWRITE_FAILED	false
#define FT_MKWRITE_INDEX	page->index
#endif

/*
 * After 6.1 the event of a page that is read without readahead has a folio; before,
 * it has the page. Can go with 6.1.
 */
#ifdef FT_HAVE_READPAGE_OF_FOLIO
#define FT_READ_PAGE		struct folio
#define FT_READ_FOLIO(folio)	(folio)
#else
#define FT_READ_PAGE		struct page
#define FT_READ_FOLIO(page)	page_folio(page)
#endif

/*
 * Up to 6.12 memory reclaim could write single pages. Can go with 6.12.
 */
static inline bool ft_for_reclaim(const struct writeback_control *wbc)
{
#ifdef FT_HAVE_WBC_FOR_RECLAIM
	return wbc->for_reclaim;
#else
	return false;
#endif
}

/*
 * Up to 6.12 tracepoints disable preemption around all probes; later kernels do
 * not. Can go with 6.12.
 */
#ifdef FT_HAVE_PROBES_KEEP_CPU
#define FT_PROBES_KEEP_CPU	1
#else
#define FT_PROBES_KEEP_CPU	0
#endif

/*
 * With PREEMPT_RT spinlocks sleep, and the allocator takes spinlocks. F2FS calls
 * its tracepoints in process context with preemption enabled, so the tracepoint's
 * own preempt_disable() is all that forbids to sleep. A probe undoes it while it
 * runs. The RCU read section takes over what it protected: the tracepoint's array
 * of probes, and the module. PREEMPT_RT has preemptible RCU. Kernels whose
 * tracepoints leave preemption enabled protect both by themselves.
 *
 * False means that something else forbids to sleep, an interrupt or a raw spinlock:
 * the caller must not take a lock. F2FS has no tracepoint there.
 */
static inline bool ft_sleeping_locks_begin(void)
{
	rcu_read_lock();
	/* sparse cannot follow a section that ends under a condition */
	__release(RCU);
	if (preempt_count() != FT_PROBES_KEEP_CPU || irqs_disabled())
		return false;
	if (FT_PROBES_KEEP_CPU)
		preempt_enable_notrace();
	return true;
}

/* Undo ft_sleeping_locks_begin(); @begun is its result. */
static inline void ft_sleeping_locks_end(bool begun)
{
	if (FT_PROBES_KEEP_CPU && begun)
		preempt_disable_notrace();
	__acquire(RCU);
	rcu_read_unlock();
}

/*
 * After 7.2 kernel threads have an empty root directory of their own, and a look-up
 * has to request that of init; before, they had it. Can go with 7.2.
 */
#ifndef scoped_with_init_fs
#define scoped_with_init_fs()
#endif

/*
 * After 6.12 d_alias is not in d_u any more, and there is a macro. Can go with 6.12.
 */
#ifndef for_each_alias
#define for_each_alias(dentry, inode) \
	hlist_for_each_entry(dentry, &(inode)->i_dentry, d_u.d_alias)
#endif

/*
 * After 6.1 a cache can be kept apart from others of its size, so that
 * /proc/slabinfo shows what it takes. Can go with 6.1.
 */
#ifndef SLAB_NO_MERGE
#define SLAB_NO_MERGE	0
#endif

#endif
