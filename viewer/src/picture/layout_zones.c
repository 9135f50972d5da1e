// SPDX-License-Identifier: GPL-2.0-only
/* Part of the layout with a row for each zone: the number and the condition of a zone, its write pointer, its capacity. */

#include "model/zone_use.h"
#include "picture/layout_zones.h"
#include "picture/legend.h"
#include "util.h"

/* Width of the line at a write pointer, pixels of a screen. */
#define POINTER_PEN 2

/**
 * layout_zone_size() - the size of the zones of volumes
 * @runs: the runs to draw, with zones
 *
 * Ends the program if no volume is on a zoned device.
 *
 * Return: that of the first zoned device, in blocks.
 */
uint64_t layout_zone_size(const struct runs *runs)
{
	size_t v, i;

	for (v = 0; v < runs->n_parts; v++) {
		const struct zones *zones = &runs->zones[runs->parts[v].volume];

		for (i = 0; i < zones->n; i++)
			if (zones->devices[i].is_zoned)
				return zones->devices[i].zones->blks;
	}
	die("--layout zones: no device of these volumes has zones; give --layout segments");
}

/* The device of a block. */
static const struct zone_device *device_at(const struct zones *zones, uint64_t lba)
{
	size_t i = 0;

	while (i + 1 < zones->n && lba >= zones->devices[i].end)
		i++;
	return &zones->devices[i];
}

/* The first zone of a zoned device that begins in a range of blocks, or NULL. */
static const struct zone *zone_in(const struct zone_device *d, uint64_t lba, uint64_t end)
{
	uint64_t blks = d->zones->blks;
	size_t i = lba > d->lba ? (size_t)((lba - d->lba + blks - 1) / blks) : 0;

	/* a last zone may be smaller; those of a copy may be anything */
	return i < d->n && d->zones[i].lba >= lba && d->zones[i].lba < end ? &d->zones[i] : NULL;
}

/**
 * layout_zone_number() - the number of a zone
 * @text: set to its number in the report of blkzone(8), after that of its device if there are several
 * @l: the layout
 * @zones: the devices of the volume
 * @lba: the first block of the row
 *
 * What has no zones has no number.
 */
void layout_zone_number(char text[static ZONE_NUMBER_MAX], const struct layout *l, const struct zones *zones, uint64_t lba)
{
	const struct zone_device *d = device_at(zones, lba);
	int len = zones->n > 1 ? snprintf(text, ZONE_NUMBER_MAX, "%td:", d - zones->devices) : 0;

	if (d->is_zoned)
		snprintf(text + len, (size_t)(ZONE_NUMBER_MAX - len), "%ju", (uintmax_t)((lba - d->lba) / l->zone_blks));
	else
		snprintf(text + len, (size_t)(ZONE_NUMBER_MAX - len), "-");
}

/**
 * layout_zone_condition() - what a device says of the zone of a row
 * @l: the layout
 * @zones: the devices of the volume
 * @lba: the first block of the row
 *
 * Return: a word; empty if the row has several zones.
 */
const char *layout_zone_condition(const struct layout *l, const struct zones *zones, uint64_t lba)
{
	const struct zone_device *d = device_at(zones, lba);
	const struct zone *zone;

	if (!d->is_zoned)
		return zone_condition_name(ZONE_CONVENTIONAL);
	zone = zone_in(d, lba, lba + 1);
	return zone && l->row_blks == zone->blks ? zone_condition_name(zone->condition) : "";
}

static double block_x(const struct layout *l, const struct grid *grid, uint64_t into_row)
{
	return (double)grid->x + (double)(into_row * l->units_per_blk) / (double)l->units_per_cell * (double)l->pitch_x;
}

/* The row ends at the capacity: what is beyond it cannot be written. The line is where the device writes next. */
static void draw_zone(const struct layout *l, struct canvas *canvas, const struct grid *grid, size_t row, uint64_t into_row,
		      const struct zone *zone)
{
	double y = (double)(grid->y + row * l->pitch_y), h = (double)l->cell_h, pen = (double)layout_px(l->img, POINTER_PEN);
	double usable = block_x(l, grid, into_row + zone->capacity), end = block_x(l, grid, into_row + zone->blks), x;

	if (end > usable)
		canvas_fill(canvas, usable, y, end - usable, h, RGB_PAGE);
	if (!zone_has_pointer(zone))
		return;
	x = block_x(l, grid, into_row + zone->pointer - zone->lba);
	/* at the end of a row it stays inside */
	canvas_fill(canvas, x + pen > end ? end - pen : x, y, pen, h, RGB_INK);
}

/**
 * layout_zones_draw() - draw write pointers and capacities into a row
 * @l: the layout
 * @canvas: the picture
 * @zones: the devices of the volume
 * @grid: the cells of the volume
 * @row: the row
 * @lba: its first block
 */
void layout_zones_draw(const struct layout *l, struct canvas *canvas, const struct zones *zones, const struct grid *grid,
		       size_t row, uint64_t lba)
{
	const struct zone_device *d = device_at(zones, lba);
	const struct zone *zone = d->is_zoned ? zone_in(d, lba, lba + l->row_blks) : NULL;

	for (; zone && zone < d->zones + d->n && zone->lba + zone->blks <= lba + l->row_blks; zone++)
		draw_zone(l, canvas, grid, row, zone->lba - lba, zone);
}
