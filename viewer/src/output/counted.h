/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: which volume something was counted of, and since when. */
#pragma once

#include <stdio.h>

struct json;
struct text;

void say_counted(FILE *out, const struct text *text, unsigned int major, unsigned int minor);
void put_counted(struct json *json, const struct text *text, unsigned int major, unsigned int minor);
