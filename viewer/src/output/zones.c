// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: the zones of volumes as text and JSON. */
#include "model/zone_use.h"
#include "names.h"
#include "outfile.h"
#include "output/space.h"
#include "output/zones.h"

static const char *const limit_keys[N_ZONE_LIMITS] = { [ZONE_MAX_OPEN] = "max_open", [ZONE_MAX_ACTIVE] = "max_active" };

static const char *const stay_keys[N_ZONE_STAYS] = {
	[ZONE_OUTSIDE] = "outside", [ZONE_SECTIONS] = "sections", [ZONE_DEAD] = "lost", [ZONE_UNKNOWN] = "unknown",
	[ZONE_HAS_LOG] = "log", [ZONE_NO_VALID] = "no_valid", [ZONE_ALL_VALID] = "all_valid",
};

/* All of a volume. */
struct zoned {
	const struct table *table;
	const struct space *space;
	const struct zones *zones;
};

/* To be freed. */
static char *sentence(const struct zone_finding *f)
{
	const char *blks = COUNT(f->blks, "block"), *log = space_log_names[f->log];

	switch (f->flaw) {
	case ZONE_CHANGED:
		return xasprintf("it has changed while it was read, and is not compared");
	case ZONE_LOST:
		return xasprintf("the device writes it no more; valid in it: %s", blks);
	case ZONE_BEHIND:
		return xasprintf("the write pointer is %s behind the log of %s: writes are on their way, or were lost", blks, log);
	case ZONE_AHEAD:
		return xasprintf("the write pointer is %s ahead of the log of %s: the device will refuse what the log writes next", blks, log);
	case ZONE_UNWRITTEN:
		return xasprintf("valid at or after the write pointer: %s; writes are on their way, or were lost", blks);
	case ZONE_NOT_RESET:
		return xasprintf("written: %s, of which none is valid; F2FS resets it after a checkpoint, with its discards", blks);
	default:
		return xasprintf("room for %s, but no log is in it: nothing is written there before it is collected and reset", blks);
	}
}

/* Of a limit that is reached; to be freed. */
static char *limit_sentence(const struct zone_opens *opens)
{
	AUTO_FREE char *idle = opens->idle && opens->idle != UINT64_MAX ?
		     xasprintf("; of them without a log: %s; F2FS writes no such zone before it has collected and reset it", COUNT(opens->idle, "zone")) :
		     xasprintf("%s", "");

	return opens->limit == ZONE_MAX_ACTIVE ?
		     xasprintf("%s zones are open or closed, as many as can be: the device refuses a write to an empty one%s",
			       GROUPED(opens->active), idle) :
		     xasprintf("%s zones are open, as many as can be: for a write to another one the device has to close one%s",
			       GROUPED(opens->open), idle);
}

/* === Text === */

/* May two zones that follow each other be one line? */
static bool is_alike(const struct zone_use *a, const struct zone *zone, const struct zone_use *b, const struct zone *next)
{
	return !a->all && !b->all && !a->n_logs && !b->n_logs && (a->begin == a->end) == (b->begin == b->end) &&
	       (zone->condition == ZONE_EMPTY || zone->condition == ZONE_CONVENTIONAL) && zone->condition == next->condition &&
	       zone->capacity == next->capacity && !zone->has_changed && !next->has_changed;
}

/* "warm data 500, hot nodes 12; log of warm data", or nothing. */
static void print_use(FILE *out, const struct zoned *z, const struct zone_use *use, const struct zone *zone)
{
	const char *between = "  ";

	if (use->begin == use->end)
		fprintf(out, "  %s", zone->lba < z->space->volume->first_blk ? "metadata of F2FS" : "not used by F2FS");
	for (size_t i = 0; i < F2FS_N_TYPES; i++) {
		if (!use->valid[i])
			continue;
		fprintf(out, "%s%s", between, space_log_names[i]);
		if (use->valid[i] < use->all)
			fprintf(out, " %s", GROUPED(use->valid[i]));
		between = ", ";
	}
	between = use->all ? "; " : "  ";
	for (size_t i = 0; i < F2FS_N_LOGS; i++) {
		if (!use->logs[i])
			continue;
		fprintf(out, "%slog of %s", between, space_log_names[i]);
		between = ", ";
	}
	if (use->is_chosen)
		fprintf(out, "%schosen for collection", use->all || use->n_logs ? "; " : "  ");
}

/* The file with most blocks there, and how many others there are. */
static void print_files(FILE *out, const struct zoned *z, const struct zone_use *use)
{
	size_t n;
	AUTO_FREE struct space_file *files = space_files(z->space->volume, z->table, use->begin, use->end, &n);

	if (n) {
		fprintf(out, "%s%s of ", use->all || use->n_logs || use->is_chosen ? "; " : "  ", GROUPED(files->blks));
		name_put(out, z->table->files[files->file].path);
	}
	if (n > 1)
		fprintf(out, ", and %s", COUNT(n - 1, "more file"));
}

/* "3 min", or nothing that would say something that is not known. */
static void format_age(char text[GROUPED_MAX], uint64_t seconds)
{
	static const struct {
		uint64_t seconds;
		const char *unit;
	} units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(units) && seconds < units[i].seconds)
		i++;
	snprintf(text, GROUPED_MAX, seconds == UINT64_MAX ? "-" : "%ju %s", (uintmax_t)(seconds / units[i].seconds), units[i].unit);
}

static void print_zones(FILE *out, const struct zoned *z, const struct zone_use *use, const struct zone *zones, size_t first, size_t last)
{
	const struct zone *zone = &zones[last];
	char range[GROUPED_MAX], age[GROUPED_MAX];

	snprintf(range, sizeof(range), first < last ? "%zu-%zu" : "%zu", first, last);
	format_age(age, use->age_s);
	fprintf(out, "  %-13s%12ju  %-12s%10s%10s%10s%10s%8s", range, (uintmax_t)zones[first].lba, zone_condition_name(zone->condition),
		zone_has_pointer(zone) ? GROUPED(zone->pointer - zone->lba) : "-", GROUPED(zone->capacity),
		use->all ? GROUPED(use->all) : "-",
		use->stay == ZONE_HAS_LOG ? "log" : use->stay == ZONE_COLLECTED ? GROUPED(use->gain) : "-", age);
	print_use(out, z, use, zone);
	print_files(out, z, use);
	fputc('\n', out);
}

/* "; open: 6 of at most 12" */
static void print_limit(FILE *out, const char *what, uint64_t n, uint64_t most)
{
	fprintf(out, "; %s: %s", what, GROUPED(n));
	if (most && most != UINT64_MAX)
		fprintf(out, " of at most %s", GROUPED(most));
}

static void print_sizes(FILE *out, const struct zone_device *d, const struct zone_opens *opens)
{
	uint64_t counts[N_ZONE_CONDITIONS + 1] = { 0 };
	const char *between = ": ";

	if (!d->is_zoned) {
		fprintf(out, "%s without zones\n", BYTES((d->end - d->lba) * d->blk_sectors * 512));
		return;
	}
	for (size_t i = 0; i < d->n; i++)
		counts[d->zones[i].condition < N_ZONE_CONDITIONS ? d->zones[i].condition : N_ZONE_CONDITIONS]++;
	counts[ZONE_OPEN] += counts[ZONE_OPEN_IMPLICITLY];
	counts[ZONE_OPEN_IMPLICITLY] = 0;
	fprintf(out, "%s of %s", COUNT(d->n + d->n_outside, "zone"), BYTES(d->zones->blks * d->blk_sectors * 512));
	for (size_t i = 0; i <= N_ZONE_CONDITIONS; i++) {
		if (!counts[i])
			continue;
		fprintf(out, "%s%s %s", between, GROUPED(counts[i]), zone_condition_name(i));
		between = ", ";
	}
	if (d->n_outside)
		fprintf(out, "%s%s not in the volume", between, GROUPED(d->n_outside));
	print_limit(out, "open", opens->open, d->max_open);
	print_limit(out, "open or closed", opens->active, d->max_active);
	fputc('\n', out);
}

static void print_device(FILE *out, const struct zoned *z, const struct zone_device *d)
{
	uint64_t gain = 0, moved = 0, n = 0;
	struct zone_use use, next;
	struct zone_opens opens;
	size_t first = 0;

	zone_opens_of(&opens, z->space, d);
	fputs("\n  ", out);
	name_put(out, d->name);
	fputs(": ", out);
	print_sizes(out, d, &opens);
	fprintf(out, "  %-13s%12s  %-12s%10s%10s%10s%10s%8s\n", "zone", "LBA", "condition", "written", "capacity", "valid", "gain", "age");
	zone_use_of(&use, z->space, d->zones);
	for (size_t i = 0; i < d->n; i++) {
		if (i + 1 < d->n)
			zone_use_of(&next, z->space, &d->zones[i + 1]);
		if (i + 1 == d->n || !is_alike(&use, &d->zones[i], &next, &d->zones[i + 1])) {
			print_zones(out, z, &use, d->zones, first, i);
			first = i + 1;
		}
		gain += use.gain;
		moved += use.stay == ZONE_COLLECTED ? use.all : 0;
		n += use.stay == ZONE_COLLECTED;
		use = next;
	}
	if (n)
		fprintf(out, "  collecting %s would move %s, and gain %s\n", COUNT(n, "zone"), COUNT(moved, "block"), GROUPED(gain));
	if (opens.limit) {
		AUTO_FREE char *text = limit_sentence(&opens);

		fprintf(out, "  %s\n", text);
	}
}

/* Return: how many differences there are. */
static size_t print_findings(FILE *out, const struct zoned *z, const struct zone_device *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		struct zone_finding found;
		struct zone_use use;

		zone_use_of(&use, z->space, &d->zones[i]);
		found = zone_find(&use, z->space, &d->zones[i]);
		if (!found.flaw)
			continue;
		AUTO_FREE char *text = sentence(&found);
		if (!n++) {
			fputs("\n  F2FS and ", out);
			name_put(out, d->name);
			fputs(" differ:\n", out);
		}
		fprintf(out, "  zone %zu: %s\n", i, text);
	}
	return n;
}

static void print_volume(FILE *out, const struct zoned *z)
{
	const struct volume *v = z->space->volume;
	uint64_t moved = z->space->watched[USE_FREE] + z->space->watched[USE_NODE];
	size_t n = 0;

	name_put(out, v->path);
	if (!zones_any(z->zones)) {
		fprintf(out, " (%u:%u): none of its devices has zones\n", v->major, v->minor);
		return;
	}
	fprintf(out, " (%u:%u): %s for data and nodes, in sections of %s\n", v->major, v->minor,
		BLKS(v, v->end_blk - v->first_blk), BLKS(v, z->space->segs_per_sec * F2FS_SEGMENT_BLKS));
	for (size_t i = 0; i < z->zones->n; i++)
		print_device(out, z, &z->zones->devices[i]);
	for (size_t i = 0; i < z->zones->n; i++)
		n += print_findings(out, z, &z->zones->devices[i]);
	if (!n && z->space->knows_heads)
		fputs("\n  F2FS and the write pointers agree\n", out);
	if (moved)
		fprintf(out, "  %s of watched files moved after the table was read\n", COUNT(moved, "block"));
	if (!z->space->has_mtime)
		fputs("  the age of data is not known: F2FS shows it from Linux 6.15 on, in segment_bits\n", out);
	space_print_notes(out, z->space);
}

/* === JSON === */

static void put_logs(struct json *json, const struct zone_use *use)
{
	json_object(json, "valid");
	for (size_t i = 0; i < F2FS_N_TYPES; i++)
		json_number(json, space_log_keys[i], use->valid[i]);
	json_end(json);
	JSON_ARRAY(json, "logs");
	for (size_t i = 0; i < F2FS_N_LOGS; i++) {
		if (!use->logs[i])
			continue;
		JSON_OBJECT(json, NULL);
		json_text(json, "type", space_log_keys[i]);
		json_maybe(json, "next", use->next[i], use->next[i] != UINT64_MAX);
	}
}

static void put_zone(struct json *json, const struct zoned *z, const struct zone *zone)
{
	struct zone_finding found;
	struct zone_use use;
	char *text;

	zone_use_of(&use, z->space, zone);
	found = zone_find(&use, z->space, zone);
	json_line(json);
	JSON_OBJECT(json, NULL);
	json_number(json, "lba", zone->lba);
	json_number(json, "blocks", zone->blks);
	json_number(json, "capacity", zone->capacity);
	json_text(json, "condition", zone_condition_name(zone->condition));
	json_maybe(json, "write_pointer", zone->pointer, zone_has_pointer(zone));
	json_flag(json, "main_area", use.begin < use.end);
	put_logs(json, &use);
	json_flag(json, "chosen", use.is_chosen);
	json_maybe(json, "gain", use.gain, use.stay == ZONE_COLLECTED);
	json_text(json, "not_collected", stay_keys[use.stay]);
	json_maybe(json, "age_s", use.age_s, use.age_s != UINT64_MAX);
	json_text(json, "finding", zone_flaw_key(found.flaw));
	if (found.flaw) {
		text = sentence(&found);
		json_text(json, "text", text);
		json_number(json, "by", found.blks);
		free(text);
	}
	space_put_files(json, z->space->volume, z->table, use.begin, use.end);
}

static void put_limits(struct json *json, const struct zoned *z, const struct zone_device *d)
{
	struct zone_opens opens;

	zone_opens_of(&opens, z->space, d);
	json_number(json, "open", opens.open);
	json_number(json, "active", opens.active);
	json_maybe(json, "max_open", d->max_open, d->is_zoned && d->max_open != UINT64_MAX);
	json_maybe(json, "max_active", d->max_active, d->is_zoned && d->max_active != UINT64_MAX);
	json_text(json, "reached", limit_keys[opens.limit]);
	if (opens.limit) {
		AUTO_FREE char *text = limit_sentence(&opens);

		json_text(json, "text", text);
	}
}

static void put_volume(struct json *json, const struct zoned *z)
{
	JSON_OBJECT(json, NULL);
	json_format(json, "dev", "%u:%u", z->space->volume->major, z->space->volume->minor);
	json_number(json, "section_blocks", z->space->segs_per_sec * F2FS_SEGMENT_BLKS);
	json_maybe(json, "moved_blocks", z->space->watched[USE_FREE] + z->space->watched[USE_NODE], z->space->has_runs);
	json_array(json, "devices");
	for (size_t i = 0; i < z->zones->n; i++) {
		const struct zone_device *d = &z->zones->devices[i];

		JSON_OBJECT(json, NULL);
		json_name(json, "path", d->name);
		json_number(json, "lba", d->lba);
		json_flag(json, "zoned", d->is_zoned);
		put_limits(json, z, d);
		JSON_ARRAY(json, "zones");
		for (size_t k = 0; k < d->n; k++)
			put_zone(json, z, &d->zones[k]);
	}
	json_end(json);
	space_put_notes(json, z->space);
}

/* === Volumes === */

/**
 * zones_write() - write the zones of all volumes on standard output
 * @table: the table
 * @spaces: by volume
 * @zones: by volume
 * @form: text or JSON
 * @says_time: the text says when the table was recorded
 *
 * Ends the program if no volume is zoned, or if it cannot be written.
 */
void zones_write(const struct table *table, const struct space *spaces, const struct zones *zones, enum sheet_form form, bool says_time)
{
	struct json json = { 0 };
	struct outfile out;
	size_t n = 0;

	for (size_t i = 0; i < table->n_volumes; i++)
		n += zones_any(&zones[i]);
	if (table->n_volumes && !n)
		die("%s: none of its devices has zones (%s); its sections are in fragtrace space", table->volumes->path,
		    zones->devices->name);
	outfile_open(&out, "-", "zones");
	if (form == FORM_JSON) {
		json_begin(&json, out.file, "zones", 1);
		json_real(&json, "time", (double)table->text.time_ms / 1000, 3);
		json_array(&json, "volumes");
	} else if (says_time) {
		fprintf(out.file, "recorded %s\n\n", TIME_OF(&table->text));
	}
	if (form != FORM_JSON && !n)
		fputs("no volume is watched\n", out.file);
	for (size_t i = 0; i < table->n_volumes; i++) {
		struct zoned z = { table, &spaces[i], &zones[i] };

		if (zones_any(&zones[i]) && form == FORM_JSON) {
			put_volume(&json, &z);
		} else if (form != FORM_JSON) {
			fputs(i ? "\n" : "", out.file);
			print_volume(out.file, &z);
		}
	}
	json_end_all(&json);
	outfile_close(&out);
}
