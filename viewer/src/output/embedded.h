/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a page in a file, with one table and one way to colour it. */
#pragma once

#include "output/serve_view.h"
#include "util.h"

void embedded_write(const char *path, const struct serve_view *view, const struct text *png, bool is_square);
