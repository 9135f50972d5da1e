/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the breaks of all files, and sums over them by cause. */
#pragma once

#include "input/figures.h"
#include "input/table.h"
#include "module/format/cause.h"
#include "module/format/snapshot.h"

/* Parts of a cause, for breaks_sum(). */
#define CAUSE_KIND ((1u << FT_CAUSE_WRITER_SHIFT) - 1)
#define CAUSE_WRITER (~CAUSE_KIND)

/* What an unknown cause may mean. */
#define CAUSE_UNSEEN "the block is older than the module, the file was stale, or the module has causes=0"

/**
 * struct file_break - a fragment that is not the first of its file
 * @extent: its first extent: index into table.extents
 * @cause: why it begins there; its reason is never FT_WHY_NONE
 */
struct file_break {
	uint32_t extent;
	uint32_t cause;
};

/**
 * struct breaks - all breaks of a table
 * @all: by file, and within a file in its order
 * @n: number of @all
 * @begins: by file: its first break in @all; one more entry ends the last file
 */
struct breaks {
	struct file_break *all;
	size_t n;
	size_t *begins;
};

/**
 * struct cause_sum - the breaks of one cause
 * @cause: the cause, or the requested parts of it
 * @breaks: number of breaks
 */
struct cause_sum {
	uint32_t cause;
	uint64_t breaks;
};

void breaks_find(struct breaks *breaks, const struct table *table, const uint8_t *starts);
void breaks_free(struct breaks *breaks);
struct cause_sum *breaks_sum(const struct file_break *all, size_t n, uint32_t parts, size_t *n_sums);
uint32_t *breaks_main_causes(const struct table *table, const uint8_t *starts);

extern const char *const cause_op_names[FT_NR_OPS];
extern const char *const cause_flush_names[FT_NR_FLUSHES];
extern const char *const cause_why_names[FT_NR_WHYS];

const char *causes_flaw(const struct table *table);
uint32_t cause_complete(const struct table *table, uint32_t cause);
uint32_t cause_of_break(const struct table *table, size_t extent);
const char *cause_op_name(uint32_t cause);
const char *cause_flush_name(uint32_t cause);
const char *cause_why_name(uint32_t cause);
char *writer_name(const struct table *table, uint32_t writer);
