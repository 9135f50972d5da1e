/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the zones of volumes as text and JSON. */
#pragma once

#include "input/zones.h"
#include "model/space.h"
#include "output/sheet.h"

void zones_write(const struct table *table, const struct space *spaces, const struct zones *zones, enum sheet_form form, bool says_time);
