// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: the zones of volumes as metrics. */
#include "model/zone_use.h"
#include "output/zones.h"

/* The figures of a volume, over all of its zoned devices. */
struct sums {
	uint64_t conditions[N_ZONE_CONDITIONS];
	uint64_t flaws[N_ZONE_FLAWS];
	uint64_t valid, invalid, room;
};

static void add_zone(struct sums *sums, const struct space *space, const struct zone *zone)
{
	struct zone_use use;

	zone_use_of(&use, space, zone);
	if (zone->condition < N_ZONE_CONDITIONS)
		sums->conditions[zone->condition]++;
	sums->flaws[zone_find(&use, space, zone).flaw]++;
	if (!zone_has_pointer(zone) || use.begin == use.end)
		return;
	/* what was not written when the device was asked may be valid by now */
	sums->valid += use.all - use.unwritten;
	sums->invalid += zone->pointer - zone->lba - (use.all - use.unwritten);
	sums->room += zone->lba + zone->capacity - zone->pointer;
}

static struct sums *sums_of(const struct table *table, const struct space *spaces, const struct zones *zones)
{
	struct sums *sums = xcalloc(table->n_volumes, sizeof(*sums));

	for (size_t i = 0; i < table->n_volumes; i++)
		for (size_t k = 0; k < zones[i].n; k++)
			for (size_t j = 0; zones[i].devices[k].is_zoned && j < zones[i].devices[k].n; j++)
				add_zone(&sums[i], &spaces[i], &zones[i].devices[k].zones[j]);
	return sums;
}

/* Zones are open implicitly or on request: one word. */
static void put_conditions(const struct metrics *m, const struct volume *v, const struct sums *sums)
{
	for (size_t i = 0; i < N_ZONE_CONDITIONS; i++)
		if (strcmp(zone_condition_name(i), "unknown") && i != ZONE_OPEN)
			metrics_sample(m, v, "condition", zone_condition_name(i), sums->conditions[i] + (i == ZONE_OPEN_IMPLICITLY ? sums->conditions[ZONE_OPEN] : 0));
}

static void put_flaws(const struct metrics *m, const struct volume *v, const struct sums *sums)
{
	for (size_t i = ZONE_AGREES + 1; i < N_ZONE_FLAWS; i++)
		metrics_sample(m, v, "finding", zone_flaw_key(i), sums->flaws[i]);
}

static void put_blocks(const struct metrics *m, const struct volume *v, const struct sums *sums)
{
	metrics_sample(m, v, "state", "valid", sums->valid * v->blk_bytes);
	metrics_sample(m, v, "state", "invalid", sums->invalid * v->blk_bytes);
	metrics_sample(m, v, "state", "unwritten", sums->room * v->blk_bytes);
}

/* A device without a limit has no sample of it. */
static void put_limits(struct metrics *m, const struct table *table, const struct space *spaces, const struct zones *zones, bool is_limit)
{
	for (size_t i = 0; i < table->n_volumes; i++) {
		for (size_t k = 0; k < zones[i].n; k++) {
			const struct zone_device *d = &zones[i].devices[k];
			struct zone_opens opens;

			zone_opens_of(&opens, &spaces[i], d);
			if (d->is_zoned && (!is_limit || (d->max_open && d->max_open != UINT64_MAX)))
				metrics_sample(m, &table->volumes[i], "path", d->name, is_limit ? d->max_open : opens.open);
		}
	}
}

/**
 * zones_put_metrics() - write the zones of all volumes as metrics
 * @m: the metrics
 * @table: the table
 * @spaces: by volume
 * @zones: by volume; those of a volume without zones, or that are not known, have no metrics
 */
void zones_put_metrics(struct metrics *m, const struct table *table, const struct space *spaces, const struct zones *zones)
{
	static const struct {
		const char *name, *help;
		void (*put)(const struct metrics *m, const struct volume *v, const struct sums *sums);
	} metrics[] = {
		{ "fragtrace_zones", "Zones of the volume, by what the device says of them.", put_conditions },
		{ "fragtrace_zone_findings", "Zones of which F2FS and the device do not say the same; see fragtrace zones.", put_flaws },
		{ "fragtrace_zone_bytes", "Blocks of zones with a write pointer: written and valid, written and not valid, and not written yet.", put_blocks },
	};
	AUTO_FREE struct sums *sums = sums_of(table, spaces, zones);

	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		metrics_begin(m, metrics[i].name, metrics[i].help);
		for (size_t k = 0; k < table->n_volumes; k++)
			if (zones_any(&zones[k]))
				metrics[i].put(m, &table->volumes[k], &sums[k]);
	}
	metrics_begin(m, "fragtrace_open_zones", "Zones that are open, by device.");
	put_limits(m, table, spaces, zones, false);
	metrics_begin(m, "fragtrace_max_open_zones", "How many can be, where the device has a limit.");
	put_limits(m, table, spaces, zones, true);
}
