// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: record snapshots, and the events between them, until a signal.
 *
 * The events of a snapshot begin before it is copied: then none can be missing. What happened before the copy is in
 * it, and does no harm when it is applied again. A new snapshot is taken after every interval in which there were
 * events, when the event file has become large, and at once when events were lost or require a new copy.
 */

#include "input/f2fs_state.h"
#include "output/event_log.h"
#include "output/record_live.h"
#include "output/tracer.h"

/* Between two readings of the buffers. */
#define DRAIN_NS (NSEC_PER_SEC / 5)
/* Between two batches: small ones take more room. */
#define BATCH_NS NSEC_PER_SEC
#define MAX_BATCH 65536
/* After so long without an event, the file says that there was none. */
#define QUIET_NS (10 * NSEC_PER_SEC)
/* Lost events may be many: at least so long from one snapshot to the next. */
#define PAUSE_NS NSEC_PER_SEC

/* A file of events that is larger ends, so that it need not be read as a whole, and can be deleted. */
#define MAX_LOG_BYTES (UINT64_C(16) << 20)
#define LOGS_KEPT 16

struct live {
	struct source *source;
	struct recorder *recorder;
	struct tracer *tracer;
	struct event_log log;
	struct event *batch;
	size_t n_batch, cap_batch;
	uint64_t max_log_bytes;
	int64_t copied_ns;	/* when the last copy was made, by the monotonic clock */
	int64_t written_ns;	/* when the last batch was */
	uint64_t until_ns;	/* up to which moment all events are in the file or in the batch */
	bool is_begin;		/* nothing is known of what was before */
	bool was_unloaded;	/* the tracer has no more events */
	bool needs_copy;
};

/* === Events === */

static bool has_unknown(const struct drained *drained)
{
	for (size_t i = 0; i < drained->n; i++)
		if (drained->list[i].kind == EVENT_UNKNOWN)
			return true;
	return false;
}

static void keep(struct live *live, const struct drained *drained)
{
	for (size_t i = 0; i < drained->n; i++) {
		*APPEND(live->batch, live->n_batch, live->cap_batch) = drained->list[i];
	}
}

/* Without an event, that there was none is only worth a batch from time to time. */
static bool is_batch_due(const struct live *live, const struct drained *drained)
{
	int64_t age_ns = monotonic_ns() - live->written_ns;

	return is_interrupted || drained->n_lost || live->n_batch >= MAX_BATCH || age_ns >= (live->n_batch ? BATCH_NS : QUIET_NS);
}

/* What was read before is right up to its end. */
static void end_log(struct live *live)
{
	if (live->n_batch)
		event_log_add(&live->log, live->batch, live->n_batch, live->until_ns, false);
	live->n_batch = 0;
	event_log_close(&live->log);
}

static void drain(struct live *live, bool write)
{
	struct drained drained;

	tracer_drain(live->tracer, &drained);
	if (drained.was_unloaded) {
		if (!live->was_unloaded)
			warn("the module was unloaded; what happens until the next snapshot is not known");
		live->was_unloaded = true;
		end_log(live);
		return;
	}
	live->until_ns = drained.until_ns;
	if (!live->log.path)
		return;
	if (drained.begins_anew)
		warn("a volume was unmounted or its directory was removed, so its events are numbered anew; taking a new snapshot");
	else if (drained.n_lost)
		warn("%s events were lost; taking a new snapshot", GROUPED(drained.n_lost));
	if (drained.n_lost || has_unknown(&drained))
		live->needs_copy = true;
	keep(live, &drained);
	if (!write && !is_batch_due(live, &drained))
		return;
	event_log_add(&live->log, live->batch, live->n_batch, drained.until_ns, drained.n_lost);
	live->n_batch = 0;
	live->written_ns = monotonic_ns();
}

/* === Snapshots === */

static void begin_log(struct live *live, const struct table *table)
{
	AUTO_FREE char *path = recorder_beside(live->recorder, EVENTS_SUFFIX), *state = NULL;

	event_log_close(&live->log);
	event_log_open(&live->log, path);
	if (live->is_begin)
		event_log_add(&live->log, NULL, 0, 1, true);
	live->is_begin = false;
	state = recorder_beside(live->recorder, F2FS_STATE_SUFFIX);
	f2fs_states_copy(table, state);
}

/* Return: false if the module is not there; what happens until it is back is not known. */
static bool copy(struct live *live, bool always)
{
	struct table table;
	bool is_there, is_stored;

	drain(live, true);
	if (live->was_unloaded)
		return false;
	always |= live->needs_copy;
	is_there = source_read_table(live->source, &table, true);
	source_report(live->source);
	if (!is_there)
		return false;
	live->copied_ns = monotonic_ns();
	live->needs_copy = false;
	is_stored = recorder_add(live->recorder, &table.text, always || !live->log.path);
	if (is_stored)
		begin_log(live, &table);
	recorder_add_counts(live->recorder, live->source, is_stored);
	table_free(&table);
	return true;
}

static bool is_due(const struct live *live, int64_t interval_ns)
{
	int64_t age_ns = monotonic_ns() - live->copied_ns;

	if (live->needs_copy || live->log.file.bytes > live->max_log_bytes)
		return age_ns >= PAUSE_NS;
	return age_ns >= interval_ns;
}

static void wait_ns(int64_t ns)
{
	struct timespec t = { .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC };

	if (!is_interrupted)
		nanosleep(&t, NULL);
}

/* The module was unloaded, and its events with it. */
static void suspend(struct live *live)
{
	end_log(live);
	tracer_close(live->tracer);
	live->tracer = NULL;
	live->is_begin = true;
	live->needs_copy = true;
	while (!is_interrupted) {
		struct table table;

		wait_ns(PAUSE_NS);
		if (!source_read_table(live->source, &table, false))
			continue;
		source_report(live->source);
		table_free(&table);
		live->tracer = tracer_open();
		live->was_unloaded = false;
		return;
	}
}

static void go_on(struct live *live, int64_t interval_ns)
{
	if (live->tracer && !copy(live, true))
		suspend(live);
	while (!is_interrupted) {
		wait_ns(DRAIN_NS);
		drain(live, false);
		if (live->was_unloaded || (is_due(live, interval_ns) && !copy(live, false)))
			suspend(live);
	}
}

/**
 * record_live() - record until a signal ends it
 * @source: the snapshot of the running module
 * @recorder: the folder
 * @interval_ns: from one snapshot to the next
 * @keep_bytes: what the folder may take; 0: no limit
 *
 * The recording ends with a snapshot, and the instance of tracefs is removed.
 */
void record_live(struct source *source, struct recorder *recorder, int64_t interval_ns, uint64_t keep_bytes)
{
	struct live live = { .source = source, .recorder = recorder, .max_log_bytes = MAX_LOG_BYTES, .is_begin = true };
	struct table table;

	if (keep_bytes && keep_bytes / LOGS_KEPT < live.max_log_bytes)
		live.max_log_bytes = keep_bytes / LOGS_KEPT;
	/* a source that cannot be read the first time ends the program, before anything is enabled */
	source_read_table(source, &table, false);
	table_free(&table);
	atexit(tracer_abandon);
	note_interrupts();
	live.tracer = tracer_open();
	go_on(&live, interval_ns);
	if (live.tracer) {
		/* twice: what is missing the first time may come */
		drain(&live, true);
		copy(&live, false);
		tracer_stop(live.tracer);
		drain(&live, true);
		drain(&live, true);
	}
	event_log_close(&live.log);
	tracer_close(live.tracer);
	free(live.batch);
}
