// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on F2FS tracepoints: what is read.
 *
 * In: tracepoint arguments. Out: ranges of files, for the observers.
 */

#include <linux/fs.h>
#include <linux/pagemap.h>

#include "core/observer.h"
#include "probes/probing.h"

static __always_inline void count_read(const struct inode *inode, u64 first, u64 end, bool direct)
{
	/* no block is read for data inside of the inode, though F2FS reports it, twice */
	if (unlikely(ft_f2fs_has_inline_data(inode)))
		return;
	ft_probe_file(rec, inode)
		ft_observers_call(read, rec, first, min_t(u64, end, FT_LBLK_END),
				  direct, !ft_f2fs_has_clusters(inode));
}

/* The page cache has pages of this range to be filled, none of which it had. */
static void probe_readpages(void *unused, struct inode *inode, pgoff_t start, unsigned int nr)
{
	count_read(inode, start, (u64)start + nr, false);
}

/* The same for a single page, without readahead. */
static void probe_readpage(void *unused, FT_READ_PAGE *what, int type)
{
	struct folio *folio = FT_READ_FOLIO(what);

	count_read(folio->mapping->host, folio->index,
		   (u64)folio->index + folio_nr_pages(folio), false);
}

/*
 * A direct read is over; @ret is how many bytes were read, or an error. One that goes on
 * in the background has taken all that it asked for.
 */
static void probe_direct_exit(void *unused, struct inode *inode, loff_t offset,
			      unsigned long len, int rw, int ret)
{
	u64 end = (u64)offset + len;

	if (rw == WRITE)
		return;
	if (ret == -EIOCBQUEUED)
		end = min_t(u64, end, i_size_read(inode));
	else if (ret > 0)
		end = (u64)offset + ret;
	else
		return;
	count_read(inode, ft_first_block(offset), ft_end_block(end), true);
}

/* The probes of this file, for observers that need them. */
const struct ft_probe ft_read_probes[] = {
	FT_PROBE(f2fs_readpages, probe_readpages),
	FT_PROBE(f2fs_readpage, probe_readpage),
	FT_PROBE(f2fs_direct_IO_exit, probe_direct_exit),
	{ }
};
