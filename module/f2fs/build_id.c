// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check that F2FS is the one that this module was built for.
 *
 * The probes read structs that are private to F2FS, with the layout that they have
 * in one f2fs.ko. Another f2fs.ko may have another layout, even for the same
 * kernel: people change F2FS and build it again. The build ID that the linker
 * writes into every kernel and module distinguishes them. Inside of a kernel tree
 * both are built together, and there is no build ID to compare with: it is empty then.
 * If only one of them is built again, the sizes of the structs in the BTF that F2FS has
 * with it show it, most often.
 */

#include <linux/elf.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <uapi/linux/btf.h>

#include "core/bounds.h"
#include "f2fs/private.h"
#include "f2fs/state.h"

/* The type of the note with the build ID, as the GNU tools define it. */
#define NT_GNU_BUILD_ID	3
#define MAX_NOTES	4096
#define MAX_BUILD_ID	32

/*
 * Read a file of sysfs, up to @most bytes: a buffer to be freed by kvfree(), and its size.
 * This needs no path: sysfs need not be mounted. Returns an ERR_PTR.
 */
static void *read_file(struct kernfs_node *dir, struct kobject *kobj, const char *name,
		       size_t most, size_t *size)
{
	struct kernfs_node *node = kernfs_find_and_get(dir, name);
	struct bin_attribute *attr;
	ssize_t len;
	void *buf;

	if (!node)
		return ERR_PTR(-ENOENT);
	attr = node->priv;
	most = min_t(size_t, attr->size, most);
	buf = kvmalloc(most, GFP_KERNEL);
	len = buf ? attr->read(NULL, kobj, attr, buf, 0, most) : -ENOMEM;
	kernfs_put(node);
	if (len >= 0) {
		*size = len;
		return buf;
	}
	kvfree(buf);
	return ERR_PTR(len);
}

static void *notes_of(struct module *f2fs, size_t *size)
{
	struct kernfs_node *dir;
	void *notes;

	if (!f2fs)
		return read_file(kernel_kobj->sd, kernel_kobj, "notes", MAX_NOTES, size);
	dir = kernfs_find_and_get(f2fs->mkobj.kobj.sd, "notes");
	if (!dir)
		return ERR_PTR(-ENOENT);
	notes = read_file(dir, &f2fs->mkobj.kobj, ".note.gnu.build-id", MAX_NOTES, size);
	kernfs_put(dir);
	return notes;
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

/* === Sizes ================================================================ */

static const struct {
	const char *name;
	size_t size;
} sizes[] = { FT_F2FS_SIZES };

/* How many bytes of a type come after its struct btf_type. */
static size_t rest_of(const struct btf_type *type)
{
	static const u8 once[NR_BTF_KINDS] = {
		[BTF_KIND_INT] = sizeof(u32),
		[BTF_KIND_VAR] = sizeof(struct btf_var),
		[BTF_KIND_DECL_TAG] = sizeof(struct btf_decl_tag),
		[BTF_KIND_ARRAY] = sizeof(struct btf_array),
	};
	static const u8 for_each_member[NR_BTF_KINDS] = {
		[BTF_KIND_STRUCT] = sizeof(struct btf_member),
		[BTF_KIND_UNION] = sizeof(struct btf_member),
		[BTF_KIND_ENUM] = sizeof(struct btf_enum),
		[BTF_KIND_ENUM64] = sizeof(struct btf_enum64),
		[BTF_KIND_FUNC_PROTO] = sizeof(struct btf_param),
		[BTF_KIND_DATASEC] = sizeof(struct btf_var_secinfo),
	};
	unsigned int kind = BTF_INFO_KIND(type->info);

	return kind < NR_BTF_KINDS ?
		       once[kind] + BTF_INFO_VLEN(type->info) * for_each_member[kind] : 0;
}

/*
 * Is a struct of this name, if there is one, as large as it was? The strings of a module
 * are counted on from those of the kernel, of which there are @before bytes.
 */
static bool has_size(const void *btf, size_t len, u32 before, const char *name, size_t size)
{
	const struct btf_header *head = btf;
	const struct btf_type *type;
	const char *strings;
	const void *pos, *end;

	if (len < sizeof(*head) || head->magic != BTF_MAGIC)
		return false;
	strings = btf + head->hdr_len + head->str_off;
	pos = btf + head->hdr_len + head->type_off;
	end = pos + head->type_len;
	if (end > btf + len || (void *)strings + head->str_len > btf + len)
		return false;
	for (; pos + sizeof(*type) <= end; pos += sizeof(*type) + rest_of(type)) {
		type = pos;
		if (BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT &&
		    type->name_off >= before &&
		    type->name_off - before < head->str_len &&
		    !strcmp(strings + type->name_off - before, name))
			return type->size == size;
	}
	return true;
}

/* Compare the sizes of structs with the BTF of this F2FS, if the kernel has it. */
static int check_sizes(struct module *f2fs)
{
	struct kernfs_node *dir = kernfs_find_and_get(kernel_kobj->sd, "btf");
	struct btf_header base = { };
	void *btf = ERR_PTR(-ENOENT), *head;
	size_t len, i;
	int err = 0;

	if (dir && f2fs) {
		head = read_file(dir, kernel_kobj, "vmlinux", sizeof(base), &len);
		if (IS_ERR(head)) {
			btf = head;
		} else {
			memcpy(&base, head, min(len, sizeof(base)));
			kvfree(head);
			btf = read_file(dir, kernel_kobj, "f2fs", SIZE_MAX, &len);
		}
	} else if (dir) {
		btf = read_file(dir, kernel_kobj, "vmlinux", SIZE_MAX, &len);
	}
	if (dir)
		kernfs_put(dir);
	if (btf == ERR_PTR(-ENOMEM))
		return -ENOMEM;
	if (IS_ERR(btf)) {
		pr_warn("cannot check that it was built for this F2FS: the kernel has no BTF of it (%ld)\n",
			PTR_ERR(btf));
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (has_size(btf, len, base.str_len, sizes[i].name, sizes[i].size))
			continue;
		pr_err("built for an F2FS whose struct %s has %zu bytes, this one has another: build both again\n",
		       sizes[i].name, sizes[i].size);
		err = -ENOEXEC;
	}
	kvfree(btf);
	return err;
}

/**
 * ft_build_id_check() - was this module built for this F2FS?
 * @f2fs: its module, live; %NULL if F2FS is built in
 *
 * Logs what is wrong and what to do.
 *
 * Context: process; may sleep.
 * Return: 0, -ENOMEM, -ENOEXEC if it was not or its build ID is not known.
 */
int ft_build_id_check(struct module *f2fs)
{
	char hex[2 * MAX_BUILD_ID + 1] = "none";
	const u8 *id;
	size_t size;
	void *notes;
	int err = 0, len = 0;

	if (!*FT_F2FS_BUILD_ID)
		return check_sizes(f2fs);
	notes = notes_of(f2fs, &size);
	if (notes == ERR_PTR(-ENOMEM))
		return -ENOMEM;
	if (!IS_ERR(notes))
		len = find_build_id(notes, size, &id);
	if (len > 0 && len <= MAX_BUILD_ID)
		snprintf(hex, sizeof(hex), "%*phN", len, id);
	if (strcmp(hex, FT_F2FS_BUILD_ID)) {
		pr_err("built for the F2FS of build ID %s, but %s has %s: reboot if the kernel was updated, else build fragtrace anew (make F2FS_KO=FILE; with DKMS: dkms unbuild, dkms install)\n",
		       FT_F2FS_BUILD_ID, f2fs ? "the f2fs.ko loaded" : "this kernel",
		       hex);
		err = -ENOEXEC;
	}
	if (!IS_ERR(notes))
		kvfree(notes);
	/* tests do what is done inside of a kernel tree, too */
	if (FT_DEBUG && !err)
		err = check_sizes(f2fs);
	return err;
}
