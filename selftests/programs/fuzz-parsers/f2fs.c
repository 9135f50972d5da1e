// SPDX-License-Identifier: GPL-2.0-only
/* A file of F2FS's own state, read by each of its parsers: most of them refuse it in the first line. */
#include <stdio.h>
#include <stdlib.h>

#include "frame.h"
#include "input/f2fs_segments.h"
#include "input/f2fs_status.h"
#include "input/table.h"

/* Parsers return why they refuse a text. */
static void check(char *trouble)
{
	free(trouble);
}

void target(char *text, size_t len)
{
	FILE *file = fmemopen(text, len ? len : 1, "r");
	struct f2fs_segments segments;
	struct f2fs_victims victims;
	struct f2fs_status status;
	struct f2fs_super super;

	if (!file)
		abort();
	check(f2fs_segments_read_bits(&segments, file, "bits"));
	f2fs_segments_free(&segments);
	rewind(file);
	check(f2fs_segments_read_info(&segments, file, "info"));
	f2fs_segments_free(&segments);
	rewind(file);
	check(f2fs_status_read(&status, file, "status", NULL, 42));
	rewind(file);
	check(f2fs_victims_read(&victims, file, "victims"));
	free(victims.chosen);
	rewind(file);
	check(f2fs_super_read(&super, file, "super", MIN_BLK_BYTES));
	rewind(file);
	check(f2fs_super_read(&super, file, "super", MAX_BLK_BYTES));
	fclose(file);
}
