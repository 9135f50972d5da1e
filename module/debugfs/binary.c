// SPDX-License-Identifier: GPL-2.0-only
/*
 * The maps in binary: the file snapshot in debugfs.
 *
 * In: snapshots, whose arrays have the layout of the file. Out: a header, then
 * the arrays; see format/snapshot.h.
 */

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "debugfs/debugfs.h"
#include "debugfs/snapshot.h"

/**
 * struct binary - the state of one reader
 * @snap: the snapshot
 * @header: the beginning of the file, before the arrays
 */
struct binary {
	struct ft_snapshot *snap;
	struct ft_snap_header header;
};

/* Append an array to the file. */
static void append(struct ft_snap_header *header, struct ft_snap_array *array,
		   const struct ft_vec *vec, u32 size)
{
	array->offset = header->bytes;
	array->nr = vec->nr;
	array->size = size;
	header->bytes = ALIGN(header->bytes + vec->nr * size, 8);
}

static void fill_header(struct binary *bin)
{
	struct ft_snap_header *header = &bin->header;
	struct ft_snapshot *snap = bin->snap;

	static_assert(sizeof(*header) % 8 == 0);
	memcpy(header->magic, FT_SNAP_MAGIC, sizeof(header->magic));
	header->version = FT_SNAP_VERSION;
	header->size = sizeof(*header);
	header->bytes = sizeof(*header);
	header->time = ktime_get_real_ns();
	append(header, &header->volumes, &snap->volumes,
	       sizeof(struct ft_snap_volume));
	append(header, &header->files, &snap->files,
	       sizeof(struct ft_snap_file));
	append(header, &header->extents, &snap->extents,
	       sizeof(struct ft_snap_extent));
	append(header, &header->by_lba, &snap->order, sizeof(u32));
	append(header, &header->paths, &snap->paths, 1);
	append(header, &header->writers, &snap->writers,
	       sizeof(struct ft_snap_writer));
}

static int binary_open(struct inode *inode, struct file *file)
{
	struct binary *bin = kzalloc(sizeof(*bin), GFP_KERNEL);
	int err;

	if (!bin)
		return -ENOMEM;
	bin->snap = ft_snapshot_take(FT_VIEW_BINARY, NULL, NULL);
	if (IS_ERR(bin->snap)) {
		err = PTR_ERR(bin->snap);
		kfree(bin);
		return err;
	}
	fill_header(bin);
	file->private_data = bin;
	return 0;
}

/* Copy the part of @data that was asked for; it begins at @start in the file. */
static size_t copy_part(char __user **buf, size_t *left, loff_t *pos, u64 start,
			const void *data, u64 bytes)
{
	u64 from = *pos - start, todo;

	if (*pos < start || from >= bytes || !*left)
		return 0;
	todo = min_t(u64, bytes - from, *left);
	todo -= copy_to_user(*buf, data + from, todo);
	*buf += todo;
	*left -= todo;
	*pos += todo;
	return todo;
}

static ssize_t binary_read(struct file *file, char __user *buf, size_t count,
			   loff_t *pos)
{
	static const u64 zeros;
	struct binary *bin = file->private_data;
	const struct ft_snap_header *header = &bin->header;
	const struct {
		const struct ft_snap_array *array;
		const void *data;
	} parts[] = {
		{ &header->volumes, bin->snap->volumes.data },
		{ &header->files, bin->snap->files.data },
		{ &header->extents, bin->snap->extents.data },
		{ &header->by_lba, bin->snap->order.data },
		{ &header->paths, bin->snap->paths.data },
		{ &header->writers, bin->snap->writers.data },
	};
	size_t left = count, done, i;

	if (!count || *pos >= header->bytes)
		return 0;
	done = copy_part(&buf, &left, pos, 0, header, header->size);
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		u64 start = parts[i].array->offset;
		u64 bytes = parts[i].array->nr * parts[i].array->size;

		done += copy_part(&buf, &left, pos, start, parts[i].data,
				  bytes);
		/* the padding before the next one */
		done += copy_part(&buf, &left, pos, start + bytes, &zeros,
				  ALIGN(bytes, 8) - bytes);
	}
	return done ?: -EFAULT;
}

static int binary_release(struct inode *inode, struct file *file)
{
	struct binary *bin = file->private_data;

	ft_snapshot_free(bin->snap);
	kfree(bin);
	return 0;
}

static loff_t binary_llseek(struct file *file, loff_t offset, int whence)
{
	struct binary *bin = file->private_data;

	return fixed_size_llseek(file, offset, whence, bin->header.bytes);
}

const struct file_operations ft_binary_fops = {
	.owner = THIS_MODULE,
	.open = binary_open,
	.read = binary_read,
	.llseek = binary_llseek,
	.release = binary_release,
};
