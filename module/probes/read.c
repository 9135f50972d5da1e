// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on F2FS tracepoints: what is read, and written in place (parameters heat and
 * cgroups).
 *
 * In: tracepoint arguments. Out: ranges of files for meters/heat.c and meters/cgroup.c.
 */

#include <linux/bio.h>
#include <linux/fs.h>
#include <linux/pagemap.h>

#include "meters/cgroup.h"
#include "meters/heat.h"
#include "probes/probing.h"

static __always_inline void
count_heat(const struct inode *inode, u64 first, u64 end,
	   void (*func)(struct ft_inode *rec, u32 first, u32 end))
{
	struct ft_inode *rec;

	if (!ft_probe_enter(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	if (rec)
		func(rec, first, min_t(u64, end, FT_LBLK_END));
	ft_probe_leave();
}

static __always_inline void
count_read(const struct inode *inode, u64 first, u64 end,
	   void (*heat)(struct ft_inode *rec, u32 first, u32 end))
{
	struct ft_inode *rec;

	if (!ft_probe_enter(inode->i_sb, inode->i_ino))
		return;
	rec = ft_inode_find_file(inode->i_sb, inode->i_ino);
	/* no block is read for data inside of the inode, though F2FS reports it, twice */
	if (rec && likely(!ft_f2fs_has_inline_data(inode))) {
		end = min_t(u64, end, FT_LBLK_END);
		if (ft_heat_wanted())
			heat(rec, first, end);
		if (ft_cgroups_wanted())
			ft_cgroup_read(rec, first, end, !ft_f2fs_has_clusters(inode));
	}
	ft_probe_leave();
}

/* The page cache has pages of this range to be filled, none of which it had. */
static void probe_readpages(void *unused, struct inode *inode, pgoff_t start,
			    unsigned int nr)
{
	count_read(inode, start, (u64)start + nr, ft_heat_read);
}

/* The same for a single page, without readahead. */
static void probe_readpage(void *unused, FT_READ_PAGE *what, int type)
{
	struct folio *folio = FT_READ_FOLIO(what);

	count_read(folio->mapping->host, folio->index,
		   (u64)folio->index + folio_nr_pages(folio), ft_heat_read);
}

static u64 index_of(struct page *page)
{
	struct folio *folio = page_folio(page);

	return (u64)folio->index + folio_page_idx(folio, page);
}

/*
 * A request to read pages of a file. They are in the order of the file, and there
 * may be holes between them.
 */
static void probe_submit_read(void *unused, struct super_block *sb, int type,
			      struct bio *bio)
{
	const struct bio_vec *first = bio->bi_io_vec, *last;
	struct address_space *mapping;
	u64 from, to;

	if (type != DATA || !bio->bi_vcnt)
		return;
	mapping = page_folio(first->bv_page)->mapping;
	if (!mapping || unlikely(ft_f2fs_has_clusters(mapping->host)))
		return;
	last = &first[bio->bi_vcnt - 1];
	from = index_of(first->bv_page);
	to = last == first ? from : index_of(last->bv_page);
	count_heat(mapping->host, from,
		   to + 1 + ((last->bv_offset + last->bv_len - 1) >> PAGE_SHIFT),
		   ft_heat_request);
}

/**
 * ft_probe_direct_read() - a direct read is over
 * @inode: the file
 * @offset: where it begins, in bytes
 * @len: the bytes that it asked for
 * @ret: how many were read, a negative error, or -EIOCBQUEUED if the read goes on in
 *	the background; then F2FS has taken all of it
 *
 * Context: a probe.
 */
void ft_probe_direct_read(const struct inode *inode, loff_t offset,
			  unsigned long len, int ret)
{
	u64 end = (u64)offset + len;

	if (ret == -EIOCBQUEUED)
		end = min_t(u64, end, i_size_read(inode));
	else if (ret > 0)
		end = (u64)offset + ret;
	else
		return;
	count_read(inode, ft_first_block(offset), ft_end_block(end),
		   ft_heat_read_direct);
}

/* A block is written where it is. */
static void probe_submit_in_place(void *unused, FT_PAGE *what,
				  struct f2fs_io_info *fio)
{
	if (fio->type == DATA && fio->op == REQ_OP_WRITE)
		count_heat(what->mapping->host, what->index,
			   (u64)what->index + 1, ft_heat_overwrite);
}

/**
 * ft_probe_list_reads() - list the probes of this file that are wanted
 * @list: room for %FT_MAX_READ_PROBES
 *
 * Return: the number of probes.
 */
unsigned int ft_probe_list_reads(struct ft_probe *list)
{
	const struct ft_probe reads[] = {
		FT_PROBE(f2fs_readpages, probe_readpages),
		FT_PROBE(f2fs_readpage, probe_readpage),
	};
	const struct ft_probe heat[] = {
		FT_PROBE(f2fs_submit_read_bio, probe_submit_read),
		FT_PROBE(FT_SUBMIT_BIO, probe_submit_in_place),
	};
	unsigned int nr = 0;

	static_assert(ARRAY_SIZE(reads) + ARRAY_SIZE(heat) <= FT_MAX_READ_PROBES);
	if (ft_heat_wanted() || ft_cgroups_wanted()) {
		memcpy(list, reads, sizeof(reads));
		nr = ARRAY_SIZE(reads);
	}
	if (ft_heat_wanted()) {
		memcpy(list + nr, heat, sizeof(heat));
		nr += ARRAY_SIZE(heat);
	}
	return nr;
}
