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

/**
 * enum html_kind - where the data of a page is, which decides what the browser may load
 * @HTML_PICTURE: in the page
 * @HTML_RENEWED: likewise, and the page loads itself again in a frame
 * @HTML_SERVED: fragtrace serve has it
 * @HTML_READER: in files that the page reads itself
 */
enum html_kind {
	HTML_PICTURE,
	HTML_RENEWED,
	HTML_SERVED,
	HTML_READER,
};

/**
 * struct html - what is put into a page
 * @kind: where its data is
 * @put: writes the data
 * @put_files: writes the elements of a reader
 * @arg: for these
 */
struct html {
	enum html_kind kind;
	void (*put)(struct json *json, const void *arg);
	void (*put_files)(FILE *file, const void *arg);
	const void *arg;
};

void html_put(FILE *file, const struct html *html);
void html_write(const char *path, const struct text *png, const struct layout *layout,
		const struct runs *runs, const struct colors *colors, int64_t interval_ns);

#endif
