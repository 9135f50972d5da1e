// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check that F2FS is the one that this module was built for.
 *
 * The probes read structs that are private to F2FS, with the layout that they have
 * in one f2fs.ko. Another f2fs.ko may have another layout, even for the same
 * kernel: people change F2FS and build it again. The build ID that the linker
 * writes into every kernel and module distinguishes them. Inside of a kernel tree
 * both are built together, and no build ID is compared: it is empty then.
 */

#include <linux/elf.h>
#include <linux/kernel.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "f2fs_private.h"
#include "probe.h"

/* The type of the note with the build ID, as the GNU tools define it. */
#define NT_GNU_BUILD_ID	3
#define MAX_NOTES	4096
#define MAX_BUILD_ID	32

/*
 * Read the notes in a file of sysfs. This needs no path: sysfs need not be mounted.
 */
static ssize_t read_notes(struct kernfs_node *dir, struct kobject *kobj,
			  const char *name, char *buf)
{
	struct kernfs_node *node = kernfs_find_and_get(dir, name);
	struct bin_attribute *attr;
	ssize_t len;

	if (!node)
		return -ENOENT;
	attr = node->priv;
	len = attr->read(NULL, kobj, attr, buf, 0,
			 min_t(size_t, attr->size, MAX_NOTES));
	kernfs_put(node);
	return len;
}

static ssize_t notes_of(struct module *f2fs, char *buf)
{
	struct kernfs_node *dir;
	ssize_t len;

	if (!f2fs)
		return read_notes(kernel_kobj->sd, kernel_kobj, "notes", buf);
	dir = kernfs_find_and_get(f2fs->mkobj.kobj.sd, "notes");
	if (!dir)
		return -ENOENT;
	len = read_notes(dir, &f2fs->mkobj.kobj, ".note.gnu.build-id", buf);
	kernfs_put(dir);
	return len;
}

/* Find the build ID among notes: header, name and descriptor, padded to 4. */
static int find_build_id(const char *notes, size_t len, const u8 **id)
{
	const struct elf64_note *note;
	size_t pos = 0, desc;

	while (len - pos >= sizeof(*note)) {
		note = (const struct elf64_note *)(notes + pos);
		desc = pos + sizeof(*note) + ALIGN((size_t)note->n_namesz, 4);
		if (desc > len || note->n_descsz > len - desc)
			break;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(note + 1, "GNU", 4)) {
			*id = notes + desc;
			return note->n_descsz;
		}
		pos = min(desc + ALIGN((size_t)note->n_descsz, 4), len);
	}
	return 0;
}

/**
 * ft_build_id_check() - was this module built for this F2FS?
 * @f2fs: its module, live; %NULL if F2FS is built in
 *
 * Logs what is wrong and what to do.
 *
 * Context: process; may sleep.
 * Return: 0, -ENOEXEC if it was not or that is not known, -ENOMEM.
 */
int ft_build_id_check(struct module *f2fs)
{
	char hex[2 * MAX_BUILD_ID + 1] = "none";
	const u8 *id;
	ssize_t len;
	char *notes;
	int err = 0;

	if (!*FT_F2FS_BUILD_ID)
		return 0;
	notes = kzalloc(MAX_NOTES, GFP_KERNEL);
	if (!notes)
		return -ENOMEM;
	len = notes_of(f2fs, notes);
	len = len > 0 ? find_build_id(notes, len, &id) : 0;
	if (len > 0 && len <= MAX_BUILD_ID)
		snprintf(hex, sizeof(hex), "%*phN", (int)len, id);
	if (strcmp(hex, FT_F2FS_BUILD_ID)) {
		pr_err("built for the F2FS of build ID %s, but %s has %s: reboot if the kernel was updated, else build fragtrace anew (make F2FS_KO=FILE; with DKMS: dkms unbuild, dkms install)\n",
		       FT_F2FS_BUILD_ID, f2fs ? "the f2fs.ko loaded" : "this kernel",
		       hex);
		err = -ENOEXEC;
	}
	kfree(notes);
	return err;
}
