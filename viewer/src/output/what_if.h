/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: say what garbage collection would have moved if it chose otherwise, by a recording with events. */
#pragma once

#include "output/sheet.h"

void what_if_write(const char *dir, const char *choice, enum sheet_form form);
