// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapcat - print a binary snapshot as the text that the file table, extents or files would have
 *
 * usage: snapcat table|extents|files SNAPSHOT
 *
 * Written from snapshot_format.h alone, and by mapping the file. The output must be the same as that of debugfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../module/format/snapshot.h"

static const char *base;
static const struct ft_snap_header *header;

static void fail(const char *file, const char *what)
{
	fprintf(stderr, "snapcat: %s: %s\n", file, what);
	exit(1);
}

/* Record @i of an array; the program ends if it is outside of the array or of the file. */
static const void *record(const struct ft_snap_array *array, uint64_t i)
{
	if (i >= array->nr || array->offset + (i + 1) * array->size > header->bytes)
		fail("snapshot", "an index points outside of its array");
	return base + array->offset + i * array->size;
}

static const struct ft_snap_file *file_of(uint64_t i)
{
	return record(&header->files, i);
}

static const struct ft_snap_volume *volume_of(const struct ft_snap_file *f)
{
	return record(&header->volumes, f->volume);
}

static void print_path(uint64_t path)
{
	const unsigned char *c;

	for (c = record(&header->paths, path); *c; c++)
		if (strchr(" \t\n\v\f\r\033\\", *c))
			printf("\\%03o", *c);
		else
			putchar(*c);
	putchar('\n');
}

static void print_stale(void)
{
	uint64_t i, nr = 0;

	for (i = 0; i < header->files.nr; i++)
		nr += !!(file_of(i)->flags & FT_SNAP_STALE);
	if (nr)
		printf("# stale %llu\n", (unsigned long long)nr);
}

static void print_stopped(void)
{
	uint64_t i;

	for (i = 0; i < header->volumes.nr; i++) {
		const struct ft_snap_volume *v = record(&header->volumes, i);

		if (v->flags & FT_SNAP_STOPPED)
			printf("# stopped %u:%u\n", v->major, v->minor);
	}
}

static void print_left_out(void)
{
	uint64_t i;

	for (i = 0; i < header->volumes.nr; i++) {
		const struct ft_snap_volume *v = record(&header->volumes, i);

		if (v->left_out)
			printf("# left_out %u:%u %llu\n", v->major, v->minor, (unsigned long long)v->left_out);
	}
}

static void print_head(const char *name, int version)
{
	const struct ft_snap_volume *v = header->volumes.nr ? record(&header->volumes, 0) : NULL;

	printf("# fragtrace %s %d\n", name, version);
	if (v && v->block_bytes != 4096)
		printf("# block_bytes %u\n", v->block_bytes);
}

static void print_table(void)
{
	uint64_t i;

	print_head("table", 1);
	for (i = 0; i < header->volumes.nr; i++) {
		const struct ft_snap_volume *v = record(&header->volumes, i);

		printf("# volume %u:%u main_blkaddr=%u blocks=%u segment_blocks=%u path=", v->major, v->minor,
		       v->main_blkaddr, v->blocks, v->segment_blocks);
		print_path(v->path);
	}
	print_stopped();
	print_left_out();
	print_stale();
	printf("# dev lba length offset ino state path\n");
	for (i = 0; i < header->by_lba.nr; i++) {
		const struct ft_snap_extent *ext = record(&header->extents, *(const uint32_t *)record(&header->by_lba, i));
		const struct ft_snap_file *f = file_of(ext->file);

		printf("%u:%u %u %u %u %u %s ", volume_of(f)->major, volume_of(f)->minor, ext->lba, ext->len, ext->lblk,
		       f->ino, f->flags & FT_SNAP_FRAGMENTED ? "fragmented" : "contiguous");
		print_path(f->path);
	}
}

static void print_escaped(const char *text, size_t len)
{
	for (; len && *text; text++, len--)
		if (strchr(" \t\n\v\f\r\033\\", *text))
			printf("\\%03o", (unsigned char)*text);
		else
			putchar(*text);
}

static void print_kind(uint32_t cause)
{
	static const char *const ops[] = { FT_OP_NAMES };
	static const char *const flushes[] = { FT_FLUSH_NAMES };
	static const char *const whys[] = { FT_WHY_NAMES };

	printf("%s %s %s ", ops[ft_cause_op(cause)], flushes[ft_cause_flush(cause)], whys[ft_cause_why(cause)]);
}

static void print_cause(uint32_t cause)
{
	const struct ft_snap_writer *w = record(&header->writers, ft_cause_writer(cause));

	print_kind(cause);
	if (ft_cause_writer(cause) == FT_SNAP_WRITER_UNKNOWN) {
		printf("unknown ");
	} else if (ft_cause_writer(cause) == FT_SNAP_WRITER_SEVERAL) {
		printf("several ");
	} else {
		print_escaped(w->comm, sizeof(w->comm));
		printf(":%u ", w->pid);
	}
}

/* Is there a break before extent @j of a file? */
static int breaks(const struct ft_snap_file *f, uint64_t j)
{
	const struct ft_snap_extent *ext = record(&header->extents, j);

	while (ext->lba != FT_SNAP_UNWRITTEN && j-- > f->first) {
		const struct ft_snap_extent *prev = record(&header->extents, j);

		if (prev->lba != FT_SNAP_UNWRITTEN)
			return prev->lba + prev->len != ext->lba;
	}
	return 0;
}

static void print_main_cause(const struct ft_snap_file *f)
{
	uint64_t count[1 << FT_CAUSE_WRITER_SHIFT] = { 0 }, j;
	uint32_t best = 0, kind;

	for (j = f->first; j < f->first + f->nr; j++)
		if (breaks(f, j))
			count[((const struct ft_snap_extent *)record(&header->extents, j))->cause %
			      (1 << FT_CAUSE_WRITER_SHIFT)]++;
	for (kind = 0; kind < 1 << FT_CAUSE_WRITER_SHIFT; kind++)
		if (count[kind] > count[best])
			best = kind;
	if (f->fragments < 2)
		printf("- - - ");
	else
		print_kind(best);
}

static void print_extents(void)
{
	uint64_t i, j;

	print_head("extents", 2);
	print_stopped();
	print_left_out();
	print_stale();
	printf("# dev ino offset offset_end lba lba_end length flags op flush why_here process path\n");
	for (i = 0; i < header->files.nr; i++) {
		const struct ft_snap_file *f = file_of(i);

		for (j = f->first; j < f->first + f->nr; j++) {
			const struct ft_snap_extent *ext = record(&header->extents, j);

			if (ext->file != i)
				fail("snapshot", "an extent is not of its file");
			printf("%u:%u %u %u %u ", volume_of(f)->major, volume_of(f)->minor, f->ino, ext->lblk,
			       ext->lblk + ext->len - 1);
			if (ext->lba == FT_SNAP_UNWRITTEN)
				printf("- - %u unwritten ", ext->len);
			else
				printf("%u %u %u %s ", ext->lba, ext->lba + ext->len - 1, ext->len,
				       ext->flags & FT_SNAP_ENCODED ? "encoded" : "-");
			if (breaks(f, j))
				print_cause(ext->cause);
			else
				printf("- - - - ");
			print_path(f->path);
		}
	}
}

static int by_badness(const void *a, const void *b)
{
	const struct ft_snap_file *x = *(const struct ft_snap_file **)a, *y = *(const struct ft_snap_file **)b;
	uint64_t x_extra = x->requests - x->ideal, y_extra = y->requests - y->ideal;

	if (x_extra != y_extra)
		return x_extra > y_extra ? -1 : 1;
	if (x->fragments != y->fragments)
		return x->fragments > y->fragments ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void print_mean(uint64_t sum, uint64_t nr)
{
	uint64_t tenths = nr ? (20 * sum + nr) / (2 * nr) : 0;

	printf("%llu.%llu ", (unsigned long long)tenths / 10, (unsigned long long)tenths % 10);
}

static void print_files(void)
{
	const struct ft_snap_file **files = calloc(header->files.nr + 1, sizeof(*files));
	uint64_t i, nr = 0;

	if (!files)
		fail("files", strerror(errno));
	for (i = 0; i < header->files.nr; i++)
		if (!(file_of(i)->flags & FT_SNAP_OMITTED))
			files[nr++] = file_of(i);
	qsort(files, nr, sizeof(*files), by_badness);
	print_head("files", 2);
	print_stopped();
	print_left_out();
	printf("# dev ino map blocks extents fragments mean_fragment mean_distance requests_128k "
	       "ideal_128k op flush why_here path\n");
	for (i = 0; i < nr; i++) {
		const struct ft_snap_file *f = files[i];

		printf("%u:%u %u %s %llu %llu %llu ", volume_of(f)->major, volume_of(f)->minor, f->ino,
		       f->flags & FT_SNAP_STALE ? "stale" : "exact", f->blocks, f->written, f->fragments);
		print_mean(f->blocks, f->fragments);
		print_mean(f->distance, f->fragments ? f->fragments - 1 : 0);
		printf("%llu %llu ", f->requests, f->ideal);
		print_main_cause(f);
		print_path(f->path);
	}
	free(files);
}

/*
 * Files of debugfs have size 0 and cannot be mapped: copy the text to a file without a name, and map
 * that.
 */
static void map_file(const char *name)
{
	int in = open(name, O_RDONLY), out = memfd_create("snapshot", 0);
	static char buf[1 << 20];
	uint64_t bytes = 0;
	ssize_t n;

	if (in < 0 || out < 0)
		fail(name, strerror(errno));
	while ((n = read(in, buf, sizeof(buf))) > 0) {
		if (write(out, buf, n) != n)
			fail(name, strerror(errno));
		bytes += n;
	}
	if (n < 0)
		fail(name, strerror(errno));
	if (bytes < sizeof(*header))
		fail(name, "too short for a header");
	base = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, out, 0);
	if (base == MAP_FAILED)
		fail(name, strerror(errno));
	header = (const void *)base;
	if (memcmp(header->magic, FT_SNAP_MAGIC, sizeof(header->magic)) || header->version != FT_SNAP_VERSION)
		fail(name, "not a snapshot of version 2");
	if (header->bytes != bytes)
		fail(name, "not as long as its header says");
	close(in);
	close(out);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		fail("usage", "snapcat table|extents|files SNAPSHOT");
	map_file(argv[2]);
	if (!strcmp(argv[1], "table"))
		print_table();
	else if (!strcmp(argv[1], "extents"))
		print_extents();
	else if (!strcmp(argv[1], "files"))
		print_files();
	else
		fail(argv[1], "expected table, extents or files");
	if (fflush(stdout))
		fail("output", strerror(errno));
	return 0;
}
