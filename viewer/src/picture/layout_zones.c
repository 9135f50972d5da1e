// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of the layout with a row for each zone, or for several: the number and the condition of a zone, its write pointer, its
 * capacity. Of several zones in a row, how much of them is written is beside it, as their lines may be too close to be drawn.
 */

#include "picture/layout_zones.h"
#include "picture/legend.h"

/* Width of the line at a write pointer, pixels of a screen. */
#define POINTER_PEN 2
/* Of narrower zones, such lines would be most of the picture. */
#define LEAST_ZONE_W 16

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
	for (size_t v = 0; v < runs->n_parts; v++) {
		const struct zones *zones = &runs->zones[runs->parts[v].volume];

		for (size_t i = 0; i < zones->n; i++)
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

/* The first zone of a zoned device that is in a range of blocks from its first to its last one, or NULL. */
static const struct zone *zone_in(const struct zone_device *d, uint64_t lba, uint64_t end)
{
	uint64_t blks = d->zones->blks;
	size_t i = lba > d->lba ? (size_t)((lba - d->lba + blks - 1) / blks) : 0;

	/* a last zone may be smaller; those of a copy may be anything */
	return i < d->n && d->zones[i].lba >= lba && d->zones[i].lba + d->zones[i].blks <= end ? &d->zones[i] : NULL;
}

/* Likewise, of any device. */
static const struct zone *next_zone(const struct zones *zones, uint64_t lba, uint64_t end)
{
	const struct zone *zone = NULL;

	for (size_t i = 0; i < zones->n && !zone; i++)
		if (zones->devices[i].is_zoned && zones->devices[i].end > lba)
			zone = zone_in(&zones->devices[i], lba, end);
	return zone;
}

/**
 * layout_zone_number() - the number of a zone
 * @text: set to its number, after that of its device if there are several
 * @zones: the devices of the volume
 * @lba: the first block of the row
 *
 * What has no zones has no number.
 */
void layout_zone_number(char text[static ZONE_NAME_MAX], const struct zones *zones, uint64_t lba)
{
	if (!zone_at(zones, lba, text))
		snprintf(text, ZONE_NAME_MAX, zones->n > 1 ? "%td:-" : "-", device_at(zones, lba) - zones->devices);
}

/**
 * layout_zone_condition() - what devices say of the zones of a row
 * @text: set to a word, or, if the row has several zones, to the share that is written of what can be written in them
 * @l: the layout
 * @zones: the devices of the volume
 * @lba: the first block of the row
 *
 * The share of a row without a write pointer is empty.
 */
void layout_zone_condition(char text[static ZONE_NAME_MAX], const struct layout *l, const struct zones *zones, uint64_t lba)
{
	uint64_t end = lba + l->row_blks, written = 0, capacity = 0;
	const struct zone *zone = next_zone(zones, lba, end);

	if (l->row_blks == l->zone_blks) {
		snprintf(text, ZONE_NAME_MAX, "%s", zone ? zone_condition_name(zone->condition) :
			 device_at(zones, lba)->is_zoned ? "" : zone_condition_name(ZONE_CONVENTIONAL));
		return;
	}
	for (; zone; zone = next_zone(zones, zone->lba + zone->blks, end)) {
		written += zone_has_pointer(zone) ? zone->pointer - zone->lba : 0;
		capacity += zone_has_pointer(zone) ? zone->capacity : 0;
	}
	snprintf(text, ZONE_NAME_MAX, "%s", capacity ? SHARE(written, capacity) : "");
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
 * layout_zones_are_wide() - is there room for the lines of zones?
 * @l: the layout
 *
 * Return: true if they are drawn.
 */
bool layout_zones_are_wide(const struct layout *l)
{
	return block_x(l, &(struct grid){ 0 }, l->zone_blks) >= (double)layout_px(l->img, LEAST_ZONE_W);
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
	const struct zone *zone = layout_zones_are_wide(l) ? next_zone(zones, lba, lba + l->row_blks) : NULL;

	for (; zone; zone = next_zone(zones, zone->lba + zone->blks, lba + l->row_blks))
		draw_zone(l, canvas, grid, row, zone->lba - lba, zone);
}
