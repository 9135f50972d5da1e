// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on F2FS tracepoints: requests, overwrites and truncations, for heat.c. What is read
 * comes from probes/read.c.
 */

#include <linux/bio.h>
#include <linux/fs.h>
#include <linux/pagemap.h>

#include "observers/heat/heat.h"
#include "probes/probing.h"

static __always_inline void count(const struct super_block *sb,
				  unsigned long ino, u64 first, u64 end,
				  void (*func)(struct ft_inode *rec, u32 first,
					       u32 end))
{
	struct ft_inode *rec = ft_probe_begin(sb, ino);

	if (!rec)
		return;
	func(rec, first, min_t(u64, end, FT_LBLK_END));
	ft_probe_leave();
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
	count(sb, mapping->host->i_ino, from,
	      to + 1 + ((last->bv_offset + last->bv_len - 1) >> PAGE_SHIFT),
	      ft_heat_request);
}

/* A block that was on the volume is written elsewhere, by a user. */
static void probe_submit_write(void *unused, FT_PAGE *what,
			       struct f2fs_io_info *fio)
{
	const struct inode *inode = what->mapping->host;

	if (fio->type == DATA && ft_on_volume(fio->old_blkaddr) &&
	    fio->io_type == FS_DATA_IO && !ft_migrates(what) &&
	    likely(!ft_f2fs_has_clusters(inode)))
		count(inode->i_sb, fio->ino, what->index, (u64)what->index + 1,
		      ft_heat_overwrite);
}

/* A block is written where it is. */
static void probe_submit_in_place(void *unused, FT_PAGE *what,
				  struct f2fs_io_info *fio)
{
	const struct inode *inode = what->mapping->host;

	if (fio->type == DATA && fio->op == REQ_OP_WRITE)
		count(inode->i_sb, inode->i_ino, what->index,
		      (u64)what->index + 1, ft_heat_overwrite);
}

/* A direct write is about to write to blocks. */
static void probe_map_blocks(void *unused, struct inode *inode,
			     struct f2fs_map_blocks *map, int flag, int ret)
{
	const struct ft_extent ext = {
		.lblk = map->m_lblk,
		.len = map->m_len,
		.lba = map->m_pblk,
	};

	if (!map->m_may_create || ret || map->m_multidev_dio || !map->m_len ||
	    !ft_on_volume(map->m_pblk))
		return;
	ft_probe_file(rec, inode)
		ft_heat_written_at(rec, &ext, ft_end_block(i_size_read(inode)));
}

static void probe_truncate(void *unused, struct inode *inode, u64 from)
{
	ft_probe_file(rec, inode)
		ft_heat_truncate(rec, ft_end_block(from));
}

/* An atomic commit replaces a block. */
static void probe_replace_atomic(void *unused, struct inode *inode,
				 struct inode *cow_inode, pgoff_t index,
				 block_t old_addr, block_t new_addr,
				 bool recovery)
{
	if (ft_on_volume(old_addr) && ft_on_volume(new_addr))
		count(inode->i_sb, inode->i_ino, index, (u64)index + 1,
		      ft_heat_overwrite);
}

/**
 * ft_heat_probes() - list the probes of this file
 * @list: room for %FT_MAX_OBSERVER_PROBES
 *
 * Return: the number of probes.
 */
unsigned int ft_heat_probes(struct ft_probe *list)
{
	const struct ft_probe table[] = {
		FT_PROBE(f2fs_submit_read_bio, probe_submit_read),
		FT_PROBE(FT_SUBMIT_WRITE, probe_submit_write),
		FT_PROBE(FT_SUBMIT_BIO, probe_submit_in_place),
		FT_PROBE(f2fs_map_blocks, probe_map_blocks),
		FT_PROBE(f2fs_truncate_blocks_enter, probe_truncate),
		FT_PROBE(f2fs_replace_atomic_write_block, probe_replace_atomic),
	};

	static_assert(ARRAY_SIZE(table) <= FT_MAX_OBSERVER_PROBES);
	memcpy(list, table, sizeof(table));
	return ARRAY_SIZE(table);
}
