/* SPDX-License-Identifier: GPL-2.0-only */
/* First step of the pipeline after reading: the arguments -> which files of the table are meant. */
#ifndef SELECT_H
#define SELECT_H

#include <stdbool.h>

#include "input/table.h"
#include "options.h"

bool *select_files(const struct options *options, const struct table *table);

#endif
