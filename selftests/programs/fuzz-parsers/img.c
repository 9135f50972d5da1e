// SPDX-License-Identifier: GPL-2.0-only
/* An img.cnf, and the measures of a picture of a small table drawn with it. */
#include <string.h>

#include "conf.h"
#include "conf_file.h"
#include "frame.h"
#include "input/table.h"
#include "model/color.h"
#include "model/runs.h"
#include "picture/layout.h"

static const char small[] =
	"# fragtrace table 1\n"
	"# volume 254:0 main_blkaddr=100 blocks=100000000 segment_blocks=512 path=/mnt\n"
	"254:0 100 5 0 4 fragmented /mnt/a.sst\n"
	"254:0 200 50000 5 4 fragmented /mnt/a.sst\n"
	"254:0 60000 7000000 0 5 contiguous /mnt/b.log\n";

void target(char *text, size_t len)
{
	char path[CONF_PATH_MAX];
	struct colors colors;
	struct img_conf img;
	struct table table;
	struct runs runs;
	struct layout layout;
	struct text copy;

	conf_file(path, text, len);
	img_conf_read(&img, path);
	copy = (struct text){ .buf = xreallocarray(NULL, sizeof(small), 1), .len = sizeof(small) - 1 };
	memcpy(copy.buf, small, sizeof(small));
	colors_init(&colors, "kind");
	table_parse(&table, "table", &copy, false);
	runs_build(&runs, &table, NULL, &colors, NULL);
	layout_init(&layout, &runs, &img, colors.n_rules);
	layout_free(&layout);
	runs_free(&runs);
	table_free(&table);
	colors_free(&colors);
}
