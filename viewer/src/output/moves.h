/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: say how soon garbage collection has moved what was written, and who wrote it. */
#pragma once

#include "output/sheet.h"

void moves_write(const char *dir, enum sheet_form form);
