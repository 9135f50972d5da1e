// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what F2FS has in a zone, and where that differs from what the device says of it.
 *
 * A log fills a section, which is one zone or several, from its first block to the capacity of the zone, and asks the device
 * to write blocks in this order. So the write pointer is where the log is, or behind it while writes are on their way.
 */
#include "model/zone_use.h"

/* Blocks are counted from the begin of the main area; without bitmaps, those of a part of a segment are not known. */
static uint64_t valid_between(const struct f2fs_segments *s, uint64_t blk, uint64_t end)
{
	uint64_t valid = 0, next;

	for (; s->map && blk < end; blk = next) {
		enum use use;

		next = space_use_end(s, blk, end, &use);
		valid += use == USE_FREE ? 0 : next - blk;
	}
	return valid;
}

/* The age is the mean over valid blocks, as F2FS has it of sections. */
static void count_valid(struct zone_use *use, const struct space *space, uint64_t first_blk)
{
	const struct f2fs_segments *s = &space->state->segments;
	uint64_t end = use->end - first_blk, next, sum = 0;

	for (uint64_t blk = use->begin - first_blk; blk < end; blk = next) {
		size_t segment = (size_t)(blk / F2FS_SEGMENT_BLKS);
		uint64_t valid;

		next = min_of((segment + 1) * (uint64_t)F2FS_SEGMENT_BLKS, end);
		valid = next - blk == F2FS_SEGMENT_BLKS ? s->valid[segment] : valid_between(s, blk, next);
		use->valid[s->type[segment]] += valid;
		use->all += valid;
		if (s->mtime)
			sum += (space->newest - s->mtime[segment]) * valid;
	}
	use->age_s = s->mtime && use->all ? sum / use->all : UINT64_MAX;
}

static void find_logs(struct zone_use *use, const struct f2fs_status *status, uint64_t first_blk)
{
	for (size_t i = 0; i < F2FS_N_LOGS; i++) {
		uint64_t head = first_blk + (uint64_t)status->heads[i] * F2FS_SEGMENT_BLKS;

		use->next[i] = UINT64_MAX;
		if (!status->segments || status->heads[i] < 0 || head < use->begin || head >= use->end)
			continue;
		use->logs[i] = true;
		use->n_logs++;
		if (status->next[i] >= 0)
			use->next[i] = head + (uint64_t)status->next[i];
	}
}

static uint64_t section_of(const struct space *space, uint64_t blk)
{
	return blk / F2FS_SEGMENT_BLKS / space->segs_per_sec;
}

/* Why F2FS would not collect it, by the rules of locate_dirty_segment() and f2fs_get_victim() in fs/f2fs of Linux 6.12. */
static enum zone_stay find_stay(const struct zone_use *use, const struct space *space, const struct zone *zone, uint64_t usable)
{
	uint64_t size = space->segs_per_sec * F2FS_SEGMENT_BLKS;

	if (!size || use->end - use->begin != size || (use->begin - space->volume->first_blk) % size)
		return ZONE_SECTIONS;
	if (zone->condition != ZONE_CONVENTIONAL && !zone_has_pointer(zone))
		return ZONE_DEAD;
	if (!space->knows_heads)
		return ZONE_UNKNOWN;
	if (use->n_logs)
		return ZONE_HAS_LOG;
	if (!use->all)
		return ZONE_NO_VALID;
	return use->all < usable ? ZONE_COLLECTED : ZONE_ALL_VALID;
}

/**
 * zone_condition_name() - what the device says of a zone
 * @condition: enum zone_condition, or another number
 *
 * Return: a word; "unknown" for a condition that has none.
 */
const char *zone_condition_name(size_t condition)
{
	static const char *const names[N_ZONE_CONDITIONS] = {
		[ZONE_CONVENTIONAL] = "conventional", [ZONE_EMPTY] = "empty", [ZONE_OPEN_IMPLICITLY] = "open", [ZONE_OPEN] = "open",
		[ZONE_CLOSED] = "closed", [ZONE_READ_ONLY] = "read-only", [ZONE_FULL] = "full", [ZONE_OFFLINE] = "offline",
	};
	const char *name = condition < N_ZONE_CONDITIONS ? names[condition] : NULL;

	return name ? name : "unknown";
}

/**
 * zone_flaw_key() - a difference, for programs
 * @flaw: what it is
 *
 * Return: a word of JSON and metrics; NULL if F2FS and the device agree.
 */
const char *zone_flaw_key(enum zone_flaw flaw)
{
	static const char *const keys[N_ZONE_FLAWS] = {
		[ZONE_CHANGED] = "changed", [ZONE_LOST] = "lost", [ZONE_BEHIND] = "behind", [ZONE_AHEAD] = "ahead",
		[ZONE_UNWRITTEN] = "unwritten", [ZONE_NOT_RESET] = "not_reset", [ZONE_LEFT] = "left",
	};

	return keys[flaw];
}

/**
 * zone_at() - find the zone of a block
 * @zones: the devices of the volume
 * @lba: the block
 * @name: set to the number of the zone in the report of blkzone(8), after that of its device if there are several
 *
 * Return: the zone; NULL if the block is on a device without zones.
 */
const struct zone *zone_at(const struct zones *zones, uint64_t lba, char name[static ZONE_NAME_MAX])
{
	for (size_t i = 0; i < zones->n; i++) {
		const struct zone_device *d = &zones->devices[i];
		uint64_t number = lba < d->lba ? UINT64_MAX : (lba - d->lba) / d->zones->blks;
		int len = zones->n > 1 ? snprintf(name, ZONE_NAME_MAX, "%zu:", i) : 0;

		if (!d->is_zoned || number >= d->n || lba < d->zones[number].lba || lba >= d->zones[number].lba + d->zones[number].blks)
			continue;
		snprintf(name + len, (size_t)(ZONE_NAME_MAX - len), "%ju", (uintmax_t)number);
		return &d->zones[number];
	}
	return NULL;
}

/**
 * zone_use_of() - find what F2FS has in a zone
 * @use: the result
 * @space: the figures of the volume
 * @zone: the zone
 */
void zone_use_of(struct zone_use *use, const struct space *space, const struct zone *zone)
{
	const struct f2fs_segments *s = &space->state->segments;
	const struct f2fs_victims *victims = &space->state->victims;
	uint64_t first = space->volume->first_blk, end = first + (uint64_t)s->n * F2FS_SEGMENT_BLKS, section, usable;

	*use = (struct zone_use){ .begin = max_of(zone->lba, first), .stay = ZONE_OUTSIDE, .age_s = UINT64_MAX };
	use->end = max_of(use->begin, min_of(zone->lba + zone->blks, end));
	if (use->begin == use->end)
		return;
	count_valid(use, space, first);
	find_logs(use, &space->state->status, first);
	if (zone_has_pointer(zone) && zone->pointer < use->end)
		use->unwritten = valid_between(s, max_of(zone->pointer, use->begin) - first, use->end - first);
	usable = max_of(min_of(zone->lba + zone->capacity, use->end), use->begin) - use->begin;
	use->stay = find_stay(use, space, zone, usable);
	if (use->stay == ZONE_COLLECTED)
		use->gain = usable - use->all;
	if (!space->segs_per_sec)
		return;
	/* a device without zones is one zone of many sections */
	for (section = section_of(space, use->begin - first); section <= section_of(space, use->end - 1 - first); section++)
		use->is_chosen |= section < victims->n && victims->chosen[section];
}

/* The log that is farthest from the write pointer, of those whose place is known. */
static struct zone_finding compare_logs(const struct zone_use *use, const struct zone *zone)
{
	struct zone_finding found = { 0 };

	for (size_t i = 0; i < F2FS_N_LOGS; i++) {
		uint64_t next = use->next[i], blks = next > zone->pointer ? next - zone->pointer : zone->pointer - next;

		if (next != UINT64_MAX && blks > found.blks)
			found = (struct zone_finding){ next > zone->pointer ? ZONE_BEHIND : ZONE_AHEAD, blks, i };
	}
	return found;
}

/**
 * zone_find() - find how F2FS and the device differ about a zone
 * @use: what F2FS has in it
 * @space: the figures of the volume
 * @zone: what the device says of it
 *
 * Return: the difference that says most, if there are several.
 */
struct zone_finding zone_find(const struct zone_use *use, const struct space *space, const struct zone *zone)
{
	struct zone_finding found = { 0 };

	if (use->begin == use->end || zone->condition == ZONE_CONVENTIONAL)
		return found;
	if (zone->has_changed)
		return (struct zone_finding){ .flaw = ZONE_CHANGED };
	if (!zone_has_pointer(zone))
		return (struct zone_finding){ ZONE_LOST, use->all, 0 };
	found = compare_logs(use, zone);
	if (found.flaw)
		return found;
	if (use->unwritten)
		return (struct zone_finding){ ZONE_UNWRITTEN, use->unwritten, 0 };
	if (!space->knows_heads || use->n_logs || zone->condition == ZONE_EMPTY)
		return found;
	if (!use->all)
		return (struct zone_finding){ ZONE_NOT_RESET, zone->pointer - zone->lba, 0 };
	if (zone->condition != ZONE_FULL)
		return (struct zone_finding){ ZONE_LEFT, zone->lba + zone->capacity - zone->pointer, 0 };
	return found;
}

static bool reaches(uint64_t n, uint64_t limit)
{
	return limit && limit != UINT64_MAX && n >= limit;
}

/**
 * zone_opens_of() - count the open zones of a device
 * @opens: the result
 * @space: the figures of the volume
 * @d: the device
 */
void zone_opens_of(struct zone_opens *opens, const struct space *space, const struct zone_device *d)
{
	uint64_t idle[2] = { 0 };

	*opens = (struct zone_opens){ .idle = UINT64_MAX };
	for (size_t i = 0; i < d->n + d->n_outside; i++) {
		uint8_t condition = d->zones[i].condition;
		struct zone_use use;

		if (condition < ZONE_OPEN_IMPLICITLY || condition > ZONE_CLOSED)
			continue;
		opens->open += condition != ZONE_CLOSED;
		opens->active++;
		zone_use_of(&use, space, &d->zones[i]);
		idle[condition == ZONE_CLOSED] += i < d->n && !use.n_logs;
	}
	if (reaches(opens->active, d->max_active))
		opens->limit = ZONE_MAX_ACTIVE;
	else if (reaches(opens->open, d->max_open))
		opens->limit = ZONE_MAX_OPEN;
	if (space->knows_heads)
		opens->idle = idle[0] + (opens->limit == ZONE_MAX_ACTIVE ? idle[1] : 0);
}
