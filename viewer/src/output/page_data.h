/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the parts of the page's data that a page in a file and a served page have in common, as JSON. */
#ifndef PAGE_DATA_H
#define PAGE_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "model/color.h"
#include "model/runs.h"
#include "output/json.h"

/* What page_age_s() returns if no age is known. */
#define AGE_UNKNOWN -1

uint8_t *page_shades(const struct runs *runs, const struct colors *colors);
uint32_t page_cause(const struct runs *runs, size_t extent);
int64_t page_age_s(const struct table *table, uint32_t cause);

void page_put_path(struct json *json, const char *key, const char *path, bool deleted);
void page_put_head(struct json *json, const struct runs *runs, const struct colors *colors, bool knows_free,
		   int64_t interval_ns);
void page_put_volume(struct json *json, const struct runs *runs, size_t part);
void page_put_file(struct json *json, const struct runs *runs, size_t index, int64_t where, uint32_t rgb);
void page_put_figures(struct json *json, const struct figures *figures);

#endif
