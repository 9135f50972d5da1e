// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make the volume: its features, mount options and knobs; and operations on all of it, and on fragtrace.
 */
#include <string.h>

#include "make.h"

/* === Operations =========================================================== */

static void make_collect(struct maker *m)
{
	unsigned long long sync = below(m, 2), start = below(m, m->blocks), len = below(m, 4096);

	if (one_in(m, 2))
		emit(m, "gc %llu", sync);
	else
		emit(m, "gc-range %llu %llu %llu", sync, start, len);
}

static void make_knob(struct maker *m)
{
	static const char *const words[] = {
		"ipu_policy 0", "ipu_policy 1", "ipu_policy 16", "ipu_policy 64", "ipu_policy 129", "gc_urgent 0",
		"gc_urgent 1", "gc_urgent 2", "gc_urgent_sleep_time 50", "min_fsync_blocks 4", "min_ipu_util 10",
		"ram_thresh 1", "ram_thresh 10", "cp_interval 1", "max_victim_search 128", "migration_granularity 1",
		"max_fragment_chunk 2", "max_fragment_hole 3", "discard_granularity 1", "gc_idle 1", "gc_idle 0",
	};

	emit(m, "set %s", ONE_OF(m, words));
}

static void make_remount(struct maker *m)
{
	static const char *const words[] = {
		"mode=adaptive", "mode=lfs", "mode=fragment:block", "mode=fragment:segment", "alloc_mode=default",
		"alloc_mode=reuse", "background_gc=on", "background_gc=off", "background_gc=sync", "discard", "nodiscard",
		"noinline_data", "inline_data", "noinline_dentry", "fsync_mode=strict", "fsync_mode=posix", "gc_merge",
		"nogc_merge", "checkpoint_merge", "noflush_merge", "active_logs=2", "active_logs=6",
	};

	const char *word = ONE_OF(m, words);

	if (m->shape.zoned && strstr(word, "active_logs"))
		return;
	if (one_in(m, 6)) {
		emit(m, "remount checkpoint=disable");
		later(m, "remount checkpoint=enable");
	} else if (!m->small || (!strstr(word, "fragment") && !strstr(word, "gc_merge"))) {
		emit(m, "remount %s", word);
	}
}

/*
 * A new file of whole sections, as F2FS requires. On a zoned disk none: F2FS of 6.12 and 7.3 leaves a file that is not aligned to
 * sections with a wrong number of blocks.
 */
static void make_swap(struct maker *m)
{
	unsigned long long which = below(m, 2), sections = 1 + below(m, 4);

	if (m->shape.zoned)
		return;
	emit(m, "unlink swap%llu", which);
	emit(m, "swapon swap%llu %llu", which, sections << 21);
	later(m, "swapoff swap%llu", which);
}

static void make_volume_call(struct maker *m)
{
	switch (below(m, 5)) {
	case 0:
		emit(m, "trim 0 %llu", (unsigned long long)(m->blocks * BLOCK));
		break;
	case 1:
		emit(m, "drop-caches %llu", (unsigned long long)(1 + below(m, 3)));
		break;
	case 2:
		emit(m, "sync");
		break;
	default:
		emit(m, "checkpoint");
		break;
	}
}

static void make_freeze(struct maker *m)
{
	emit(m, "freeze");
}

static void make_control(struct maker *m)
{
	static const char *const words[] = { "table", "files", "extents", "stats", "targets" };
	unsigned long long d = below(m, 4);

	switch (below(m, 8)) {
	case 0:
		emit(m, "resync");
		break;
	case 1:
		emit(m, "watch d%llu", d);
		later(m, "unwatch d%llu", d);
		break;
	case 2:
	case 3:
	case 4:
		emit(m, "pause %llu", (unsigned long long)below(m, 30000));
		break;
	default:
		emit(m, "cat %s", ONE_OF(m, words));
		break;
	}
}

const struct recipe volume_recipes[] = {
	{ 5, make_collect },
	{ 4, make_knob },
	{ 3, make_remount },
	{ 2, make_swap },
	{ 8, make_volume_call },
	{ 4, make_freeze },
	{ 8, make_control },
	{ 0, NULL },
};

/* === The volume itself ==================================================== */

static void make_features(struct maker *m, bool *compression, bool *flexible)
{
	static const char *const words[] = { "inode_checksum", "inode_crtime", "project_quota", "sb_checksum", "lost_found" };
	size_t i;

	*compression = *flexible = false;
	if (one_in(m, 3))
		fputs("mkfs -O verity\n", m->out);
	if (one_in(m, 4))
		fputs("mkfs -O quota\n", m->out);
	if (one_in(m, 4))
		fputs("mkfs -C utf8\n", m->out);
	if (one_in(m, 4))
		return;
	fputs("mkfs -O extra_attr\n", m->out);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (one_in(m, 3))
			fprintf(m->out, "mkfs -O %s\n", words[i]);
	*compression = !one_in(m, 3);
	if (*compression)
		fputs("mkfs -O compression\n", m->out);
	*flexible = one_in(m, 3);
	if (*flexible)
		fputs("mkfs -O flexible_inline_xattr\n", m->out);
}

/*
 * Zones are reset by discards, and need the collector in the background. And with two logs F2FS of 6.12 and 7.3 stops after a write
 * that the device refuses.
 */
static bool is_unfit_for_zones(const char *option)
{
	return !strcmp(option, "nodiscard") || !strcmp(option, "background_gc=off") || strstr(option, "active_logs");
}

static void make_options(struct maker *m, bool compression, bool flexible)
{
	static const char *const modes[] = { "mode=adaptive", "mode=adaptive", "mode=lfs", "mode=fragment:block",
					     "mode=fragment:segment" };
	static const char *const others[] = { "noinline_data", "noinline_dentry", "nodiscard", "background_gc=off",
					      "background_gc=sync", "active_logs=2", "active_logs=4", "noextent_cache",
					      "checkpoint_merge", "fsync_mode=strict", "gc_merge", "alloc_mode=reuse" };
	static const char *const algorithms[] = { "lz4", "zstd", "lzo" };
	const char *mode = ONE_OF(m, modes);
	unsigned int n;

	fprintf(m->out, "mount %s\n", m->shape.zoned ? "mode=lfs" : m->small ? "mode=adaptive" : mode);
	if (one_in(m, 2))
		fputs("mount alloc_mode=default\n", m->out);
	for (n = below(m, 4); n; n--) {
		const char *other = ONE_OF(m, others);

		if (m->shape.zoned ? !is_unfit_for_zones(other) : !m->small || strcmp(other, "gc_merge"))
			fprintf(m->out, "mount %s\n", other);
	}
	if (flexible)
		fprintf(m->out, "mount inline_xattr\nmount inline_xattr_size=%llu\n", (unsigned long long)(6 + below(m, 150)));
	if (!compression)
		return;
	fprintf(m->out, "mount compress_algorithm=%s\n", ONE_OF(m, algorithms));
	fputs("mount compress_extension=lz\n", m->out);
	if (one_in(m, 2))
		fputs("mount compress_mode=user\n", m->out);
	if (one_in(m, 3))
		fputs("mount compress_cache\n", m->out);
}

static void make_fill(struct maker *m, unsigned int files)
{
	unsigned int i;

	for (i = 0; i < files; i++)
		fprintf(m->out, "0 write fill/f%u 0 %llu\n", i, (2 + below(m, 3)) * 256 * BLOCK);
}

/*
 * With blocks of 4 KiB 64 zones of 4 MB, of which 4 or 3 can be written. In one of four plans 50 zones of 256 MB, of which 16 (these
 * fill up and are collected), 200 or 256 can be written. Zones have as many blocks if these are larger. F2FS's metadata is in zones
 * that can be written in any order, or on another disk.
 */
static void make_zones(struct maker *m)
{
	static const unsigned int capacities[] = { 16, 16, 200, 256 };
	bool large = one_in(m, 4);
	unsigned int zones, conventional, capacity;

	zones = large ? 50 : 64;
	conventional = large || one_in(m, 2) ? 0 : 16;
	capacity = large ? ONE_OF(m, capacities) : conventional ? 3 + below(m, 2) : 4;
	fprintf(m->out, "zones %u %u %u %u\n", zones + conventional, large ? 256 : 4, capacity, conventional);
	m->blocks = zones * 256 * capacity;
	if (one_in(m, 2))
		make_fill(m, large ? 40 : 10 * capacity);
}

/**
 * make_volume() - write the settings for the creation of the volume
 * @m: the plan
 *
 * On a volume below 16 GB F2FS mostly rewrites in place by default. Some plans change that. On a zoned disk it never does.
 */
void make_volume(struct maker *m)
{
	bool compression, flexible;
	unsigned int mega;

	m->small = !m->shape.zoned && one_in(m, 3);
	make_features(m, &compression, &flexible);
	make_options(m, compression, flexible);
	if (m->shape.zoned) {
		make_zones(m);
		return;
	}
	if (!one_in(m, 4))
		fputs("knob ipu_policy 0\n", m->out);
	m->blocks = 262144;
	if (!m->small)
		return;
	mega = 100 + below(m, 100);
	m->blocks = mega * 256;
	fprintf(m->out, "sectors %llu\n", m->blocks * (BLOCK / 512));
	make_fill(m, (mega - 80) / 4);
}
