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

#define PART(array, vec, size) \
	{ offsetof(struct ft_snap_header, array), offsetof(struct ft_snapshot, vec), size }

/* The arrays, in the order of the file: where header and snapshot have them, bytes of a record. */
static const struct {
	u32 array;
	u32 vec;
	u32 size;
} parts[] = {
	PART(volumes, volumes, sizeof(struct ft_snap_volume)),
	PART(files, files, sizeof(struct ft_snap_file)),
	PART(extents, extents, sizeof(struct ft_snap_extent)),
	PART(by_lba, order, sizeof(u32)),
	PART(paths, paths, 1),
	PART(writers, writers, sizeof(struct ft_snap_writer)),
};

static void fill_header(struct binary *bin)
{
	struct ft_snap_header *header = &bin->header;
	struct ft_snap_array *array;
	const struct ft_vec *vec;
	size_t i;

	static_assert(sizeof(*header) % 8 == 0);
	memcpy(header->magic, FT_SNAP_MAGIC, sizeof(header->magic));
	header->version = FT_SNAP_VERSION;
	header->size = sizeof(*header);
	header->bytes = sizeof(*header);
	header->time = ktime_get_real_ns();
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		array = (void *)header + parts[i].array;
		vec = (void *)bin->snap + parts[i].vec;
		array->offset = header->bytes;
		array->nr = vec->nr;
		array->size = parts[i].size;
		header->bytes = ALIGN(header->bytes + vec->nr * array->size, 8);
	}
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

static ssize_t binary_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	static const u64 zeros;
	struct binary *bin = file->private_data;
	const struct ft_snap_header *header = &bin->header;
	const struct ft_snap_array *array;
	const struct ft_vec *vec;
	size_t left = count, done, i;

	if (!count || *pos >= header->bytes)
		return 0;
	done = copy_part(&buf, &left, pos, 0, header, header->size);
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		u64 bytes;

		array = (const void *)header + parts[i].array;
		vec = (const void *)bin->snap + parts[i].vec;
		bytes = array->nr * array->size;
		done += copy_part(&buf, &left, pos, array->offset, vec->data, bytes);
		/* the padding before the next one */
		done += copy_part(&buf, &left, pos, array->offset + bytes, &zeros,
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
