/* SPDX-License-Identifier: GPL-2.0-only */
/* Part of the layout with a row for each zone: what is in a row beside its blocks. */
#pragma once

#include "model/zone_use.h"
#include "picture/layout.h"

uint64_t layout_zone_size(const struct runs *runs);
void layout_zone_number(char text[static ZONE_NAME_MAX], const struct zones *zones, uint64_t lba);
void layout_zone_condition(char text[static ZONE_NAME_MAX], const struct layout *layout, const struct zones *zones, uint64_t lba);
bool layout_zones_are_wide(const struct layout *layout);
void layout_zones_draw(const struct layout *layout, struct canvas *canvas, const struct zones *zones, const struct grid *grid,
		       size_t row, uint64_t lba);
