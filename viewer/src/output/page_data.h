/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: parts of the answers of serve_view.c, as JSON. */
#pragma once

#include "model/color.h"
#include "model/runs.h"
#include "output/json.h"

uint8_t *page_shades(const struct runs *runs, const struct colors *colors);
uint32_t page_cause(const struct runs *runs, size_t extent);

void page_put_path(struct json *json, const char *key, const char *path, bool deleted);
void page_put_cause(struct json *json, const struct table *table, uint32_t cause);
void page_put_head(struct json *json, const struct runs *runs, const struct colors *colors, int64_t interval_ns);
void page_put_volume(struct json *json, const struct runs *runs, size_t part);
void page_put_file(struct json *json, const struct runs *runs, size_t index, uint64_t first_blk, uint32_t rgb);
void page_put_figures(struct json *json, const struct figures *figures);
