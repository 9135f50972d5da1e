/* SPDX-License-Identifier: GPL-2.0-only */
/* First step of the pipeline after reading: the arguments -> which files of the table are meant. */
#pragma once

#include <stdbool.h>

#include "input/table.h"
#include "options.h"

bool *select_files(const struct options *options, const struct table *table);
