// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: write an event file of a recording; input/events.h has the format.
 * Each batch is flushed to the file at once, so that a reader has it even if this program is killed.
 */

#include "output/event_log.h"

/* A sixth smaller than zstd's default; the time does not matter for so few events. */
#define LEVEL 6

/* The time is stored in microseconds after the event before, but only to a millisecond: it takes the most room. */
#define NS_PER_US 1000
#define NS_PER_MS 1000000
#define US_PER_MS 1000

/**
 * event_log_open() - begin an event file
 * @log: the result
 * @path: name of the file, which does not exist
 *
 * Ends the program if it cannot be written, as the other functions do.
 */
void event_log_open(struct event_log *log, const char *path)
{
	struct event_file_header h = { .version = EVENTS_VERSION, .size = sizeof(h) };

	*log = (struct event_log){ .path = xasprintf("%s", path) };
	log->file.out = (struct outfile){ .path = log->path, .what = "events", .file = fopen(path, "wxe") };
	if (!log->file.out.file)
		outfile_failed(&log->file.out);
	packed_begin(&log->file, LEVEL);
	memcpy(h.magic, EVENTS_MAGIC, sizeof(h.magic));
	packed_put(&log->file, &h, sizeof(h), ZSTD_e_flush);
}

/* === A batch === */

/* Readers stop at the first event after a moment: none may be older than the one before it. */
static uint64_t ordered_ms(const struct event_log *log, const struct event *e)
{
	uint64_t ms = e->time_ns / NS_PER_MS;

	return ms > log->last_ms ? ms : log->last_ms;
}

static char *put_times(struct event_log *log, char *to, const struct event *events, uint32_t n)
{
	log->last_ms = ordered_ms(log, events);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t ms = ordered_ms(log, &events[i]);
		uint32_t delta = (uint32_t)(ms - log->last_ms) * US_PER_MS;

		to = (char *)memcpy(to, &delta, sizeof(delta)) + sizeof(delta);
		log->last_ms = ms;
	}
	return to;
}

static char *put_column(char *to, const struct event *events, uint32_t n, const struct event_column *column)
{
	uint32_t expected = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *from = (const char *)&events[i] + column->offset;
		uint32_t value, delta;

		if (!column->follows) {
			memcpy(to, from, column->size);
		} else {
			memcpy(&value, from, sizeof(value));
			delta = value - expected;
			memcpy(to, &delta, sizeof(delta));
			expected = value + (column->follows == 2 ? events[i].length : 0);
		}
		to += column->size;
	}
	return to;
}

static void put_batch(struct event_log *log, const struct event *events, uint32_t n, uint64_t until_ns, bool lost)
{
	struct event_batch_header h = { .n = n, .until = until_ns, .lost = lost };
	size_t bytes = (size_t)n * EVENT_BYTES, k;
	AUTO_FREE char *columns = xcalloc(bytes + 1, 1);
	char *to = columns;

	h.time = n ? ordered_ms(log, events) * NS_PER_MS : until_ns;
	if (n)
		to = put_times(log, to, events, n);
	for (k = 0; k < EVENT_N_COLUMNS; k++)
		to = put_column(to, events, n, &event_columns[k]);
	h.crc = events_crc(h, columns, bytes);
	packed_put(&log->file, &h, sizeof(h), ZSTD_e_continue);
	packed_put(&log->file, columns, bytes, ZSTD_e_flush);
	log->n += n;
}

/* How many events fit into one batch: the differences in time have 32 bits. */
static uint32_t fitting(const struct event *events, size_t n)
{
	uint32_t i = 1;

	while (i < n && i < EVENTS_MAX_BATCH &&
	       (events[i].time_ns <= events[0].time_ns ||
		events[i].time_ns - events[0].time_ns < (uint64_t)UINT32_MAX / 2 * NS_PER_US))
		i++;
	return i;
}

/**
 * event_log_add() - add a batch of events
 * @log: the file
 * @events: the events, in their order; one that is older than the one before it gets the time of that one
 * @n: how many; 0: there was none until @until_ns
 * @until_ns: up to which moment all events were added with this batch
 * @lost: events may have been lost since the batch before
 */
void event_log_add(struct event_log *log, const struct event *events, size_t n, uint64_t until_ns, bool lost)
{
	do {
		uint32_t some = n ? fitting(events, n) : 0;

		n -= some;
		put_batch(log, events, some, n ? events[some].time_ns - 1 : until_ns, lost);
		events += some;
		lost = false;
	} while (n);
}

/**
 * event_log_close() - end the file
 * @log: the file; nothing is done if none is open
 */
void event_log_close(struct event_log *log)
{
	if (!log->path)
		return;
	packed_end(&log->file);
	if (fclose(log->file.out.file))
		outfile_failed(&log->file.out);
	free(log->path);
	*log = (struct event_log){ 0 };
}
