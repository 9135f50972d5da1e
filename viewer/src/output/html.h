/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a page that shows the picture and what each cell of it stands for. */
#ifndef HTML_H
#define HTML_H

#include <stdint.h>
#include <stdio.h>

#include "model/color.h"
#include "model/runs.h"
#include "output/json.h"
#include "picture/layout.h"

void html_put(FILE *file, void (*put)(struct json *json, const void *arg), const void *arg);
void html_write(const char *path, const struct text *png, const struct layout *layout,
		const struct runs *runs, const struct colors *colors, int64_t interval_ns);

#endif
