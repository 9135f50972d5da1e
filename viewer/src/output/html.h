/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the page. */
#pragma once

#include <stdio.h>

#include "output/json.h"

/**
 * enum html_kind - who answers what the page asks, which decides what the browser may load
 * @HTML_SERVED: fragtrace serve
 * @HTML_READER: a reader in the page, of files that are in the page or opened by it
 */
enum html_kind {
	HTML_SERVED,
	HTML_READER,
};

/**
 * struct html - what is put into a page
 * @kind: who answers
 * @put: writes the first answer
 * @put_more: writes further elements; NULL: there are none
 * @arg: for these
 */
struct html {
	enum html_kind kind;
	void (*put)(struct json *json, const void *arg);
	void (*put_more)(FILE *file, const void *arg);
	const void *arg;
};

void html_put(FILE *file, const struct html *html);
