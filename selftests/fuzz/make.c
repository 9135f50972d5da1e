// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make a plan: a seed in, text out.
 *
 * First a volume with features, mount options and knobs, then operations. To make most of them succeed, sizes
 * of files are kept in mind as if all operations were done in the order of the text. Operations that
 * belong together (an atomic write and its commit) are of one thread, with others between them.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define NR_FILES 24
/* Files with offsets of gigabytes; what takes time for each block between is not done to them. */
#define NR_FAR 2
/* No other file is made longer than this. */
#define MAX_BYTES (512 * BLOCK)
/* At most so many operations of a thread wait for their turn. */
#define MAX_PENDING 24

/**
 * struct maker - a plan that is being made
 * @state: of the random numbers
 * @shape: what it shall be like
 * @out: the text
 * @blocks: size of the volume
 * @small: there is little room; nothing is scattered on purpose there, which F2FS takes very long for
 * @thread: whose operation is made now
 * @size: sizes of the files
 * @pending: operations of each thread that follow from earlier ones
 * @nr_pending: how many
 */
struct maker {
	uint64_t state;
	struct shape shape;
	FILE *out;
	uint64_t blocks;
	bool small;
	unsigned int thread;
	uint64_t size[NR_FILES];
	char *pending[MAX_THREADS][MAX_PENDING];
	unsigned int nr_pending[MAX_THREADS];
};

/* === Random choices ======================================================= */

/* splitmix64: the same numbers on every machine */
static uint64_t draw(struct maker *m)
{
	uint64_t z = m->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static uint64_t below(struct maker *m, uint64_t n)
{
	return draw(m) % n;
}

static bool one_in(struct maker *m, unsigned int n)
{
	return !below(m, n);
}

#define ONE_OF(m, words) ((words)[below(m, sizeof(words) / sizeof((words)[0]))])

static unsigned int any_file(struct maker *m)
{
	/* a few files get most of it, so that threads meet */
	return below(m, one_in(m, 2) ? NR_FILES : NR_FILES / 3);
}

static unsigned int near_file(struct maker *m)
{
	return NR_FAR + below(m, one_in(m, 2) ? NR_FILES - NR_FAR : NR_FILES / 3);
}

static uint64_t up(uint64_t bytes)
{
	return (bytes + BLOCK - 1) & ~(BLOCK - 1);
}

static uint64_t down(uint64_t bytes)
{
	return bytes & ~(BLOCK - 1);
}

/* Inside the file, around its end, around the end of inline data, anywhere, or far away. */
static uint64_t any_offset(struct maker *m, unsigned int file)
{
	uint64_t size = m->size[file], off;

	switch (below(m, 10)) {
	case 0:
		off = size;
		break;
	case 1:
		off = size + below(m, 3 * BLOCK);
		break;
	case 2:
		off = below(m, BLOCK);
		break;
	case 3:
	case 4:
		off = below(m, MAX_BYTES);
		break;
	default:
		off = below(m, size + 1);
		break;
	}
	if (file < NR_FAR && one_in(m, 4))
		return off + (below(m, 16) << 30);
	return off < MAX_BYTES || file < NR_FAR ? off : off % MAX_BYTES;
}

static uint64_t any_length(struct maker *m)
{
	if (one_in(m, 8))
		return 1 + below(m, 3600);
	if (one_in(m, 10))
		return 1 + below(m, 128 * BLOCK);
	return 1 + below(m, 12 * BLOCK);
}

/* === Text ================================================================= */

static void grow(struct maker *m, unsigned int file, uint64_t size)
{
	if (m->size[file] < size)
		m->size[file] = size;
}

/* The name of a file; each has a buffer of its own, so that a line can have two. */
static const char *path(unsigned int file)
{
	static const char *const folders[] = { "d0", "d1", "d2", "d3", "d0/e", "d1/e" };
	static char names[NR_FILES][24];

	snprintf(names[file], sizeof(names[file]), "%s/f%u%s", folders[file % 6], file, file % 8 == 7 ? ".lz" : "");
	return names[file];
}

static void __attribute__((format(printf, 2, 3))) say(struct maker *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(m->out, "%u ", m->thread);
	vfprintf(m->out, fmt, ap);
	fputc('\n', m->out);
	va_end(ap);
}

/* The thread will do this, too, after other things. */
static void __attribute__((format(printf, 2, 3))) later(struct maker *m, const char *fmt, ...)
{
	unsigned int *n = &m->nr_pending[m->thread];
	va_list ap;

	if (*n == MAX_PENDING)
		return;
	va_start(ap, fmt);
	if (vasprintf(&m->pending[m->thread][*n], fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	(*n)++;
}

static void say_pending(struct maker *m)
{
	char **list = m->pending[m->thread];

	say(m, "%s", list[0]);
	free(list[0]);
	memmove(list, list + 1, --m->nr_pending[m->thread] * sizeof(*list));
}

/* === Data ================================================================= */

static void make_write(struct maker *m)
{
	unsigned int f = any_file(m);
	uint64_t off = any_offset(m, f), len = any_length(m);
	bool mapped = one_in(m, 4);

	if (one_in(m, 3))
		off = down(off);
	if (mapped && m->size[f])
		off = down(below(m, m->size[f]));
	say(m, "%s %s %llu %llu", mapped ? "write-mapped" : one_in(m, 12) ? "write-sync" : "write", path(f),
	    (unsigned long long)off, (unsigned long long)len);
	if (!mapped)
		grow(m, f, off + len);
}

static void make_direct(struct maker *m)
{
	unsigned int f = any_file(m);
	uint64_t off = any_offset(m, f), len = any_length(m);

	if (!one_in(m, 10)) {
		off = down(off);
		len = up(len);
	}
	say(m, "write-direct %s %llu %llu", path(f), (unsigned long long)off, (unsigned long long)len);
	grow(m, f, off + len);
}

static void make_append(struct maker *m)
{
	unsigned int f = any_file(m);
	uint64_t len = 1 + below(m, one_in(m, 3) ? 1500 : 6 * BLOCK);

	if (m->size[f] + len > MAX_BYTES)
		return;
	say(m, "append %s %llu", path(f), (unsigned long long)len);
	m->size[f] += len;
	if (one_in(m, 2))
		say(m, "fdatasync %s", path(f));
}

static void make_read(struct maker *m)
{
	unsigned int f = any_file(m);

	say(m, "read %s %llu %llu", path(f), (unsigned long long)any_offset(m, f), (unsigned long long)any_length(m));
}

static void make_truncate(struct maker *m)
{
	unsigned int f = any_file(m);
	uint64_t size = one_in(m, 3) ? any_offset(m, f) : below(m, m->size[f] + 1);

	if (one_in(m, 8))
		size = 0;
	say(m, "truncate %s %llu", path(f), (unsigned long long)size);
	m->size[f] = size;
}

static void make_allocate(struct maker *m)
{
	static const char *const words[] = { "allocate", "allocate-keep", "punch", "punch", "punch", "zero", "zero-keep" };
	const char *word = ONE_OF(m, words);
	unsigned int f = any_file(m);
	uint64_t off = any_offset(m, f), len = any_length(m);

	if (one_in(m, 4)) {
		off = down(off);
		len = up(len);
	}
	say(m, "%s %s %llu %llu", word, path(f), (unsigned long long)off, (unsigned long long)len);
	if (!strcmp(word, "allocate") || !strcmp(word, "zero"))
		grow(m, f, off + len);
}

static void make_shift(struct maker *m)
{
	unsigned int f = near_file(m);
	uint64_t off = down(below(m, m->size[f] + 1)), len = up(any_length(m));

	if (one_in(m, 10))
		off++;
	if (one_in(m, 2)) {
		if (m->size[f] + len > MAX_BYTES)
			return;
		say(m, "insert %s %llu %llu", path(f), (unsigned long long)off, (unsigned long long)len);
		m->size[f] += len;
	} else {
		if (off + len >= m->size[f])
			off = 0;
		say(m, "collapse %s %llu %llu", path(f), (unsigned long long)off, (unsigned long long)len);
		if (off + len < m->size[f])
			m->size[f] -= len;
	}
}

static void make_sync(struct maker *m)
{
	static const char *const words[] = { "fsync", "fsync", "fdatasync" };

	say(m, "%s %s", ONE_OF(m, words), path(any_file(m)));
}

static void make_copy(struct maker *m)
{
	unsigned int from = any_file(m), to = near_file(m);
	uint64_t in = below(m, m->size[from] + 1), out = any_offset(m, to), len = any_length(m);

	if (one_in(m, 5)) {
		say(m, "clone %s %s", path(from), path(to));
		return;
	}
	say(m, "copy %s %llu %s %llu %llu", path(from), (unsigned long long)in, path(to), (unsigned long long)out,
	    (unsigned long long)len);
}

/* === F2FS ================================================================= */

/* Between files and within one; blocks that a checkpoint knows are copied, others change hands. */
static void make_move(struct maker *m)
{
	unsigned int from = near_file(m), to = one_in(m, 3) ? from : near_file(m);
	uint64_t in = down(below(m, m->size[from] + 1)), len = up(any_length(m)), out = any_offset(m, to);

	if (one_in(m, 2))
		say(m, "write %s %llu %llu", path(from), (unsigned long long)in, (unsigned long long)len);
	if (one_in(m, 3))
		say(m, "checkpoint");
	if (in + len > m->size[from])
		len = m->size[from] - in;
	if (!one_in(m, 12))
		out = down(out);
	say(m, "move %s %llu %s %llu %llu", path(from), (unsigned long long)in, path(to), (unsigned long long)out,
	    (unsigned long long)len);
	grow(m, to, out + len);
}

static void make_atomic(struct maker *m)
{
	unsigned int f = near_file(m), n = 1 + below(m, 4);

	say(m, "%s %s", one_in(m, 3) ? "atomic-replace" : "atomic", path(f));
	while (n--) {
		uint64_t off = any_offset(m, f), len = any_length(m);

		later(m, "write %s %llu %llu", path(f), (unsigned long long)off, (unsigned long long)len);
	}
	if (one_in(m, 3))
		later(m, "sync");
	if (one_in(m, 6))
		later(m, "fsync %s", path(f));
	later(m, "%s %s", one_in(m, 4) ? "abort" : "commit", path(f));
}

static void make_compressed(struct maker *m)
{
	static const char *const words[] = { "compress", "decompress", "release-blocks", "release-blocks",
					     "reserve-blocks", "not-compressed", "fsync", "punch", "write", "truncate" };
	unsigned int f = near_file(m), n = 2 + below(m, 6);

	say(m, "unlink %s", path(f));
	say(m, "compressed %s", path(f));
	if (one_in(m, 3))
		say(m, "compress-option %s %llu %llu", path(f), (unsigned long long)below(m, 4),
		    (unsigned long long)(2 + below(m, 3)));
	m->size[f] = (1 + below(m, 64)) * BLOCK;
	say(m, "write %s 0 %llu", path(f), (unsigned long long)m->size[f]);
	later(m, "fsync %s", path(f));
	while (n--) {
		const char *word = ONE_OF(m, words);

		if (!strcmp(word, "punch") || !strcmp(word, "write"))
			later(m, "%s %s %llu %llu", word, path(f), (unsigned long long)below(m, m->size[f]),
			      (unsigned long long)any_length(m));
		else if (!strcmp(word, "truncate"))
			later(m, "truncate %s %llu", path(f), (unsigned long long)below(m, m->size[f]));
		else
			later(m, "%s %s", word, path(f));
	}
	later(m, "reserve-blocks %s", path(f));
}

static void make_pin(struct maker *m)
{
	unsigned int f = near_file(m);

	if (one_in(m, 2)) {
		say(m, "unpin %s", path(f));
		return;
	}
	if (one_in(m, 2)) {
		say(m, "unlink %s", path(f));
		m->size[f] = 0;
	}
	say(m, "pin %s", path(f));
	if (one_in(m, 2))
		later(m, "allocate %s 0 %llu", path(f), (unsigned long long)any_length(m));
	later(m, "unpin %s", path(f));
}

static void make_defragment(struct maker *m)
{
	unsigned int f = near_file(m);
	uint64_t off = one_in(m, 2) ? 0 : down(below(m, m->size[f] + 1));

	say(m, "defragment %s %llu %llu", path(f), (unsigned long long)off, (unsigned long long)up(m->size[f] - off + 1));
}

static void make_attribute(struct maker *m)
{
	unsigned int f = any_file(m);
	uint64_t off = down(below(m, m->size[f] + 1));

	switch (below(m, 6)) {
	case 0:
		say(m, "project %s %llu", path(f), (unsigned long long)below(m, 3));
		break;
	case 1:
		say(m, "precache %s", path(f));
		break;
	case 2:
		say(m, "erase %s %llu %llu %llu", path(f), (unsigned long long)off, (unsigned long long)up(any_length(m)),
		    (unsigned long long)(1 + below(m, 3)));
		break;
	default:
		say(m, "xattr %s a%llu %llu", path(f), (unsigned long long)below(m, 4),
		    (unsigned long long)(one_in(m, 4) ? 0 : 1 + below(m, one_in(m, 2) ? 200 : 3500)));
		break;
	}
}

/* Nothing can be written afterwards, so the file is replaced later on. */
static void make_verity(struct maker *m)
{
	unsigned int f = near_file(m);

	say(m, "verity %s", path(f));
	later(m, "read %s 0 65536", path(f));
	later(m, "unlink %s", path(f));
	m->size[f] = 0;
}

/* === Names ================================================================ */

static void make_name(struct maker *m)
{
	unsigned int a = any_file(m), b = any_file(m);
	uint64_t size = m->size[a];

	switch (below(m, 5)) {
	case 0:
		say(m, "rename %s %s", path(a), path(b));
		m->size[b] = size;
		m->size[a] = 0;
		break;
	case 1:
		say(m, "exchange %s %s", path(a), path(b));
		m->size[a] = m->size[b];
		m->size[b] = size;
		break;
	case 2:
		say(m, "unlink %s", path(b));
		say(m, "link %s %s", path(a), path(b));
		m->size[b] = size;
		break;
	default:
		say(m, "unlink %s", path(a));
		m->size[a] = 0;
		break;
	}
}

static void make_held(struct maker *m)
{
	unsigned int f = near_file(m), n = 1 + below(m, 4);

	say(m, "hold %s", path(f));
	say(m, "unlink %s", path(f));
	m->size[f] = 0;
	while (n--)
		later(m, "write %s %llu %llu", path(f), (unsigned long long)any_offset(m, f),
		      (unsigned long long)any_length(m));
	later(m, "release %s", path(f));
}

static void make_tmpfile(struct maker *m)
{
	unsigned int f = any_file(m);

	say(m, "unlink %s", path(f));
	m->size[f] = any_length(m) + 10;
	say(m, "tmpfile d%llu %s %llu", (unsigned long long)below(m, 4), path(f), (unsigned long long)m->size[f] - 10);
}

static void make_folder(struct maker *m)
{
	static const char *const folders[] = { "d0", "d1", "d2", "d3", "d0/e", "d1/e", "d2/x", "d3/x" };
	const char *a = ONE_OF(m, folders), *b = ONE_OF(m, folders);

	switch (below(m, 6)) {
	case 0:
		say(m, "mkdir %s", a);
		break;
	case 1:
		say(m, "rmdir %s", a);
		break;
	case 2:
		say(m, "mkdir c%llu", (unsigned long long)below(m, 3));
		say(m, "casefold c%llu", (unsigned long long)below(m, 3));
		break;
	case 3:
		say(m, "rename %s d9", a);
		later(m, "rename d9 %s", a);
		break;
	case 4:
		say(m, "project-folder %s %llu", a, (unsigned long long)below(m, 3));
		break;
	default:
		say(m, "exchange %s %s", a, b);
		break;
	}
}

/* === The whole volume ===================================================== */

static void make_collect(struct maker *m)
{
	unsigned long long sync = below(m, 2), start = below(m, m->blocks), len = below(m, 4096);

	if (one_in(m, 2))
		say(m, "gc %llu", sync);
	else
		say(m, "gc-range %llu %llu %llu", sync, start, len);
}

static void make_knob(struct maker *m)
{
	static const char *const words[] = {
		"ipu_policy 0", "ipu_policy 1", "ipu_policy 16", "ipu_policy 64", "ipu_policy 129", "gc_urgent 0",
		"gc_urgent 1", "gc_urgent 2", "gc_urgent_sleep_time 50", "min_fsync_blocks 4", "min_ipu_util 10",
		"ram_thresh 1", "ram_thresh 10", "cp_interval 1", "max_victim_search 128", "migration_granularity 1",
		"max_fragment_chunk 2", "max_fragment_hole 3", "discard_granularity 1", "gc_idle 1", "gc_idle 0",
	};

	say(m, "set %s", ONE_OF(m, words));
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

	if (one_in(m, 6)) {
		say(m, "remount checkpoint=disable");
		later(m, "remount checkpoint=enable");
	} else if (!m->small || !strstr(word, "fragment")) {
		say(m, "remount %s", word);
	}
}

/* Fresh and in whole sections, as F2FS wants it. */
static void make_swap(struct maker *m)
{
	unsigned long long which = below(m, 2), sections = 1 + below(m, 4);

	say(m, "unlink swap%llu", which);
	say(m, "swapon swap%llu %llu", which, sections << 21);
	later(m, "swapoff swap%llu", which);
}

static void make_volume_call(struct maker *m)
{
	switch (below(m, 5)) {
	case 0:
		say(m, "trim 0 %llu", (unsigned long long)(m->blocks * BLOCK));
		break;
	case 1:
		say(m, "drop-caches %llu", (unsigned long long)(1 + below(m, 3)));
		break;
	case 2:
		say(m, "sync");
		break;
	default:
		say(m, "checkpoint");
		break;
	}
}

static void make_freeze(struct maker *m)
{
	say(m, "freeze");
}

static void make_look(struct maker *m)
{
	static const char *const words[] = { "table", "files", "extents", "stats", "targets" };
	unsigned long long d = below(m, 4);

	switch (below(m, 8)) {
	case 0:
		say(m, "resync");
		break;
	case 1:
		say(m, "watch d%llu", d);
		later(m, "unwatch d%llu", d);
		break;
	case 2:
	case 3:
	case 4:
		say(m, "pause %llu", (unsigned long long)below(m, 30000));
		break;
	default:
		say(m, "look %s", ONE_OF(m, words));
		break;
	}
}

/* What is done how often. Operations on the whole volume are the last thread's. */
static const struct {
	unsigned int weight;
	bool whole;
	void (*make)(struct maker *m);
} makers[] = {
	{ 22, false, make_write },
	{ 7, false, make_direct },
	{ 6, false, make_append },
	{ 2, false, make_read },
	{ 9, false, make_truncate },
	{ 9, false, make_allocate },
	{ 5, false, make_shift },
	{ 7, false, make_sync },
	{ 2, false, make_copy },
	{ 6, false, make_move },
	{ 3, false, make_atomic },
	{ 3, false, make_compressed },
	{ 2, false, make_pin },
	{ 2, false, make_defragment },
	{ 4, false, make_attribute },
	{ 1, false, make_verity },
	{ 7, false, make_name },
	{ 2, false, make_held },
	{ 2, false, make_tmpfile },
	{ 2, false, make_folder },
	{ 5, true, make_collect },
	{ 4, true, make_knob },
	{ 3, true, make_remount },
	{ 2, true, make_swap },
	{ 8, true, make_volume_call },
	{ 4, true, make_freeze },
	{ 8, true, make_look },
};

#define NR_MAKERS (sizeof(makers) / sizeof(makers[0]))

static void make_one(struct maker *m)
{
	bool whole = !m->shape.local && m->thread == m->shape.threads - 1;
	unsigned int sum = 0, at;
	size_t i;

	for (i = 0; i < NR_MAKERS; i++)
		sum += whole || !makers[i].whole ? makers[i].weight : 0;
	at = below(m, sum);
	for (i = 0; i < NR_MAKERS; i++) {
		unsigned int weight = whole || !makers[i].whole ? makers[i].weight : 0;

		if (at < weight) {
			makers[i].make(m);
			return;
		}
		at -= weight;
	}
}

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

	fprintf(m->out, "mount %s\n", m->small ? "mode=adaptive" : mode);
	if (one_in(m, 2))
		fputs("mount alloc_mode=default\n", m->out);
	for (n = below(m, 4); n; n--)
		fprintf(m->out, "mount %s\n", ONE_OF(m, others));
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

/* On a volume below 16 GB F2FS would rewrite in place most of the time: not always here. */
static void make_volume(struct maker *m)
{
	bool compression, flexible;
	unsigned int mega, i;

	m->small = one_in(m, 3);
	make_features(m, &compression, &flexible);
	make_options(m, compression, flexible);
	if (!one_in(m, 4))
		fputs("knob ipu_policy 0\n", m->out);
	m->blocks = 262144;
	if (!m->small)
		return;
	mega = 80 + below(m, 80);
	m->blocks = mega * 256;
	fprintf(m->out, "sectors %u\n", mega * 2048);
	for (i = 0; i < (mega - 50) / 4; i++)
		fprintf(m->out, "0 write fill/f%u 0 %llu\n", i, (unsigned long long)((2 + below(m, 3)) << 20));
}

/**
 * plan_make() - write a plan
 * @shape: what it shall be like
 * @out: where to
 */
void plan_make(const struct shape *shape, FILE *out)
{
	struct maker m = { .state = shape->seed, .shape = *shape, .out = out, .blocks = 262144 };
	unsigned int threads = 1 + below(&m, 6), ops = 100 + below(&m, 900), parts = 1 + below(&m, 4), part, i;

	threads = m.shape.threads = shape->threads ?: threads;
	ops = shape->ops ?: ops;
	parts = shape->parts ?: parts;
	fprintf(out, "# fuzz plan --seed %llu --threads %u --ops %u --parts %u%s\n", (unsigned long long)shape->seed,
		threads, ops, parts, shape->local ? " --local" : "");
	if (!shape->local)
		make_volume(&m);
	for (part = 0; part < parts; part++) {
		for (i = 0; i < ops / parts; i++) {
			m.thread = below(&m, threads);
			if (m.nr_pending[m.thread] && one_in(&m, 2))
				say_pending(&m);
			else
				make_one(&m);
		}
		fputs("barrier\n", out);
	}
	for (m.thread = 0; m.thread < threads; m.thread++)
		while (m.nr_pending[m.thread])
			say_pending(&m);
}
