// SPDX-License-Identifier: GPL-2.0-only
/*
 * Before the pipeline: an event file of a recording -> events. events.h has the format.
 * A tail that is torn or damaged is left out, with a message. What comes before it was checked.
 */
#include <zlib.h>
#include <zstd.h>

#include "input/events.h"
#include "input/unpack.h"
#include "module/format/cause.h"

#define COLUMN(member, follows) { offsetof(struct event, member), sizeof(((struct event *)0)->member), follows }

const struct event_column event_columns[EVENT_N_COLUMNS] = {
	COLUMN(dev, 0),	  COLUMN(ino, 0),  COLUMN(seq, 1),     COLUMN(offset, 2), COLUMN(length, 0),
	COLUMN(lba, 2),	  COLUMN(pid, 0),  COLUMN(kind, 0),    COLUMN(op, 0),	  COLUMN(flush, 0),
	COLUMN(why, 0),	  COLUMN(encoded, 0), COLUMN(comm, 0),
};

static uint32_t *u32_of(struct event *e, const struct event_column *column)
{
	return (uint32_t *)((char *)e + column->offset);
}

/* === A batch === */

static void read_times(struct event *list, uint32_t n, const char *from, uint64_t time_ns)
{
	uint32_t delta;

	for (uint32_t i = 0; i < n; i++) {
		memcpy(&delta, from + i * sizeof(delta), sizeof(delta));
		time_ns += delta * UINT64_C(1000);
		list[i].time_ns = time_ns;
	}
}

static void read_column(struct event *list, uint32_t n, const char *from, const struct event_column *column)
{
	for (uint32_t i = 0; i < n; i++)
		memcpy((char *)&list[i] + column->offset, from + i * column->size, column->size);
}

/* Lengths are read before, the column of offsets excepted; so this is a pass of its own. */
static void add_up(struct event *list, uint32_t n, const struct event_column *column)
{
	uint32_t value = 0;

	for (uint32_t i = 0; i < n; i++) {
		value += *u32_of(&list[i], column);
		*u32_of(&list[i], column) = value;
		if (column->follows == 2)
			value += list[i].length;
	}
}

static bool is_sane(const struct event *e)
{
	if (e->kind >= EVENT_NR_KINDS || e->op >= FT_NR_OPS || e->flush >= FT_NR_FLUSHES || e->why >= FT_NR_WHYS)
		return false;
	if (e->kind > EVENT_UNWRITTEN)
		return true;
	return e->length && (uint64_t)e->offset + e->length <= UINT32_MAX &&
	       (e->kind != EVENT_PLACED || (uint64_t)e->lba + e->length <= UINT32_MAX);
}

/* Return: false if an event is none that can be. */
static bool read_batch(struct events *events, const struct event_batch_header *h, const char *columns)
{
	struct event *list;

	while (events->n + h->n > events->cap)
		events->list = grow(events->list, &events->cap, events->n + h->n, sizeof(*list));
	list = events->list + events->n;
	read_times(list, h->n, columns, h->time);
	columns += h->n * sizeof(uint32_t);
	for (size_t k = 0; k < EVENT_N_COLUMNS; k++) {
		read_column(list, h->n, columns, &event_columns[k]);
		columns += h->n * event_columns[k].size;
	}
	for (size_t k = 0; k < EVENT_N_COLUMNS; k++)
		if (event_columns[k].follows)
			add_up(list, h->n, &event_columns[k]);
	for (uint32_t i = 0; i < h->n; i++)
		if (!is_sane(&list[i]))
			return false;
	events->n += h->n;
	return true;
}

/* === A file === */

/**
 * events_crc() - the checksum of a batch
 * @header: its header; the member crc does not matter
 * @columns: the columns
 * @size: their bytes
 *
 * Return: the value for the member crc.
 */
uint32_t events_crc(struct event_batch_header header, const char *columns, size_t size)
{
	header.crc = 0;
	return (uint32_t)crc32(crc32(0, (const Bytef *)&header, sizeof(header)), (const Bytef *)columns, (uInt)size);
}

/* Return: the bytes of the batches that are whole. */
static size_t read_batches(struct events *events, const struct text *text, size_t at)
{
	while (text->len - at >= sizeof(struct event_batch_header)) {
		struct event_batch_header h;
		size_t bytes;

		memcpy(&h, text->buf + at, sizeof(h));
		bytes = (size_t)h.n * EVENT_BYTES;
		if (h.n > EVENTS_MAX_BATCH || text->len - at - sizeof(h) < bytes ||
		    h.crc != events_crc(h, text->buf + at + sizeof(h), bytes))
			break;
		if (!read_batch(events, &h, text->buf + at + sizeof(h)))
			break;
		if (h.lost && events->until_ns && events->until_ns < events->gap_ns)
			events->gap_ns = events->until_ns;
		events->until_ns = h.until;
		at += sizeof(h) + bytes;
	}
	return at;
}

/**
 * events_read() - add the events of a file to a list
 * @events: the list; all zeroes at the beginning, but for gap_ns, which is UINT64_MAX
 * @path: name of the file for messages
 * @text: its content, packed; freed
 *
 * Ends the program if it is no event file.
 */
void events_read(struct events *events, const char *path, struct text *text)
{
	struct event_file_header h = { 0 };
	size_t torn, at, first = events->n;

	if (!is_packed(text) && text->len)
		die("%s: not packed by zstd; expected events of a recording", path);
	torn = unpack_begun(text, path);
	events->is_cut = true;
	if (text->len < sizeof(h)) {
		warn("%s: cut short before the first event", path);
		text_free(text);
		return;
	}
	memcpy(&h, text->buf, sizeof(h));
	if (memcmp(h.magic, EVENTS_MAGIC, sizeof(h.magic)))
		die("%s: these are no events of a recording", path);
	if (h.version != EVENTS_VERSION)
		die("%s: the events have version %u, this program reads version %d", path, h.version, EVENTS_VERSION);
	at = h.size >= sizeof(h) && h.size <= text->len ? h.size : text->len;
	at = read_batches(events, text, at);
	/* what is being written has no end yet */
	events->is_cut = torn || at < text->len;
	if (at < text->len || ZSTD_isError(torn))
		warn("%s: cut short or damaged after %zu events: the rest is left out", path, events->n - first);
	text_free(text);
}

/* === Gaps === */

struct last_seq {
	uint32_t dev;
	uint32_t seq;
	uint64_t time_ns;
};

/**
 * events_find_gap() - find the first time from which events are missing
 * @events: the list, of one file or several in sequence; gap_ns and n_lost are set
 */
void events_find_gap(struct events *events)
{
	AUTO_FREE struct last_seq *last = NULL;
	size_t k, n = 0, cap = 0;

	for (size_t i = 0; i < events->n; i++) {
		const struct event *e = &events->list[i];

		if (!event_has_seq(e))
			continue;
		for (k = 0; k < n && last[k].dev != e->dev; k++)
			;
		if (k == n) {
			last = grow(last, &cap, n, sizeof(*last));
			n++;
		} else if (e->seq != last[k].seq + 1) {
			uint32_t missing = e->seq - last[k].seq - 1;

			if (last[k].time_ns <= events->gap_ns) {
				events->gap_ns = last[k].time_ns - 1;
				/* numbers begin again when the volume was unmounted */
				events->n_lost = missing <= INT32_MAX ? missing : 0;
			}
			break;
		}
		last[k] = (struct last_seq){ e->dev, e->seq, e->time_ns };
	}
}

/**
 * events_free() - release a list of events
 * @events: as left by events_read()
 */
void events_free(struct events *events)
{
	free(events->list);
	*events = (struct events){ 0 };
}
