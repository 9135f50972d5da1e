// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the module's tracepoints, in a tracefs instance of its own -> events.
 *
 * Each CPU has a buffer of its own, and they are read one after the other: an event may be read earlier than one with a
 * lower number. So events wait until those before them are there, or until the next reading: then they are lost.
 * Those younger than the beginning of a reading wait for the next one, too: what came before them may not be read yet.
 */
#include <tracefs.h>

#include "module/format/cause.h"
#include "output/tracer.h"

#define INSTANCE_PREFIX "fragtrace-record-"
#define GROUP "fragtrace"

/* KiB for each CPU: some 90 000 events, which is what the module reports in a second at the most. */
#define BUFFER_KB 8192

/* Values of new_lba in module/maps/trace.h. */
enum { NEW_HOLE = -1, NEW_UNWRITTEN = -2, NEW_UNKNOWN = -3 };

#define MAX_STATES 16

#define CLOCK_READINGS 4

/* How many times at most the buffers are read again if events were lost during a read. */
#define MAX_READINGS 8

/* An event and what orders it. */
struct waiting {
	struct event event;
	uint64_t order;		/* as it was read */
};

struct last_seq {
	uint32_t dev;
	uint32_t seq;
	uint64_t time_ns;
};

struct change_fields {
	struct tep_format_field *dev, *ino, *seq, *offset, *length, *new_lba, *pid, *op, *flush, *why, *encoded, *comm;
};

struct state_fields {
	struct tep_format_field *dev, *ino, *from, *to;
};

struct tracer {
	struct tracefs_instance *instance;
	struct tep_handle *tep;
	struct tep_event *change, *state;
	struct change_fields c;
	struct state_fields s;
	uint8_t kinds[MAX_STATES];	/* by the number of a state: enum event_kind */
	uint64_t clock_offset_ns;	/* from CLOCK_MONOTONIC to CLOCK_REALTIME */
	struct waiting *waiting;
	size_t n, cap;
	uint64_t n_read;
	struct event *ready;
	size_t cap_ready;
	struct last_seq *last;
	size_t n_last, cap_last;
	bool has_waited;		/* for an event that was missing */
	uint64_t n_overrun;
};

/* The one that exists, for exit(). */
static struct tracer *opened;

/* === The instance === */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

/* From CLOCK_MONOTONIC to CLOCK_REALTIME: of some readings, that with the shortest pause from one clock to the other. */
static uint64_t clock_offset_ns(void)
{
	uint64_t shortest = UINT64_MAX, offset = 0;

	for (int i = 0; i < CLOCK_READINGS; i++) {
		uint64_t before = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME);
		uint64_t pause = clock_ns(CLOCK_MONOTONIC) - before;

		if (pause >= shortest)
			continue;
		shortest = pause;
		offset = real - before - pause / 2;
	}
	return offset;
}

/* Instances of recorders that were killed stay: remove them. */
static void remove_orphans(void)
{
	char **names = tracefs_instances("^" INSTANCE_PREFIX "[0-9]*$");

	for (size_t i = 0; names && names[i]; i++) {
		pid_t pid = (pid_t)strtol(names[i] + strlen(INSTANCE_PREFIX), NULL, 10);
		struct tracefs_instance *instance;

		if (!kill(pid, 0) || errno != ESRCH)
			continue;
		instance = tracefs_instance_create(names[i]);
		if (instance && !tracefs_instance_destroy(instance))
			warn("removed the tracefs instance %s, whose program has ended", names[i]);
		tracefs_instance_free(instance);
	}
	if (names)
		tracefs_list_free(names);
}

static struct tep_format_field *field_of(struct tep_event *event, const char *name)
{
	struct tep_format_field *field = tep_find_field(event, name);

	if (!field)
		die("the event %s of the module has no field %s; expected another version of it", event->name, name);
	return field;
}

static struct tep_event *event_of(struct tep_handle *tep, const char *name)
{
	struct tep_event *event = tep_find_event_by_name(tep, GROUP, name);

	if (!event)
		die("tracefs has no event %s of fragtrace; expected another version of the module", name);
	return event;
}

static uint8_t kind_of(const char *state)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} kinds[] = {
		{ "new", EVENT_NEW },	    { "exact", EVENT_EXACT }, { "reserved", EVENT_EXACT },
		{ "reserved_scan", EVENT_EXACT }, { "stale", EVENT_STALE }, { "stale_scan", EVENT_STALE },
		{ "left_out", EVENT_LEFT_OUT },   { "dead", EVENT_GONE },   { "gone", EVENT_GONE },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(state, kinds[i].name))
			return kinds[i].kind;
	/* a state of a newer module */
	return EVENT_STALE;
}

/* The format of the event has the names of the states. */
static void learn_states(struct tracer *t)
{
	struct tep_print_arg *arg;
	struct tep_print_flag_sym *sym;

	memset(t->kinds, EVENT_STALE, sizeof(t->kinds));
	for (arg = t->state->print_fmt.args; arg && arg->type != TEP_PRINT_SYMBOL; arg = arg->next)
		;
	for (sym = arg ? arg->symbol.symbols : NULL; sym; sym = sym->next) {
		unsigned long number = strtoul(sym->value, NULL, 0);

		if (number < MAX_STATES)
			t->kinds[number] = kind_of(sym->str);
	}
}

static void learn_formats(struct tracer *t)
{
	static const char *const groups[] = { GROUP, NULL };

	t->tep = tracefs_local_events_system(NULL, groups);
	if (!t->tep)
		die("cannot read the formats of the module's events: %s", strerror(errno));
	t->change = event_of(t->tep, "extent_change");
	t->state = event_of(t->tep, "file_state");
	t->c = (struct change_fields){
		field_of(t->change, "dev"), field_of(t->change, "ino"), field_of(t->change, "seq"),
		field_of(t->change, "offset"), field_of(t->change, "length"), field_of(t->change, "new_lba"),
		field_of(t->change, "pid"), field_of(t->change, "op"), field_of(t->change, "flush"),
		field_of(t->change, "why_here"), field_of(t->change, "encoded"), field_of(t->change, "comm"),
	};
	t->s = (struct state_fields){ field_of(t->state, "dev"), field_of(t->state, "ino"),
				      field_of(t->state, "from"), field_of(t->state, "to") };
	if (t->c.comm->size != EVENT_COMM)
		die("the event extent_change has a comm of %d bytes; expected %d", t->c.comm->size, EVENT_COMM);
	learn_states(t);
}

static void set(struct tracer *t, const char *file, const char *value)
{
	if (tracefs_instance_file_write(t->instance, file, value) < 0)
		die("tracefs: cannot write %s to %s: %s", value, file, strerror(errno));
}

/**
 * tracer_open() - make an instance, and enable the events in it
 *
 * Ends the program if that is not possible. The instance goes with tracer_close(), or with tracer_abandon().
 *
 * Return: the tracer.
 */
struct tracer *tracer_open(void)
{
	struct tracer *t = xcalloc(1, sizeof(*t));
	char size[16];

	if (!tracefs_tracing_dir())
		die("tracefs is not there (are you root? mount -t tracefs none /sys/kernel/tracing)");
	remove_orphans();
	AUTO_FREE char *name = xasprintf(INSTANCE_PREFIX "%d", (int)getpid());
	t->instance = tracefs_instance_create(name);
	if (!t->instance)
		die("tracefs: cannot make the instance %s: %s", name, strerror(errno));
	opened = t;
	learn_formats(t);
	snprintf(size, sizeof(size), "%d", BUFFER_KB);
	set(t, "buffer_size_kb", size);
	set(t, "trace_clock", "mono");
	if (tracefs_event_enable(t->instance, GROUP, "extent_change") ||
	    tracefs_event_enable(t->instance, GROUP, "file_state"))
		die("tracefs: cannot enable the events of fragtrace: %s", strerror(errno));
	tracefs_trace_on(t->instance);
	return t;
}

/**
 * tracer_stop() - disable the events; those that were reported can still be drained
 * @tracer: the tracer
 */
void tracer_stop(struct tracer *tracer)
{
	tracefs_trace_off(tracer->instance);
}

/**
 * tracer_close() - remove the instance
 * @tracer: as tracer_open() returned it; NULL: nothing is done
 */
void tracer_close(struct tracer *tracer)
{
	if (!tracer)
		return;
	opened = NULL;
	/* the instance cannot go while its events are enabled */
	tracefs_event_disable(tracer->instance, GROUP, NULL);
	if (tracefs_instance_destroy(tracer->instance))
		warn("tracefs: cannot remove the instance %s: %s", tracefs_instance_get_name(tracer->instance), strerror(errno));
	tracefs_instance_free(tracer->instance);
	if (tracer->tep)
		tep_free(tracer->tep);
	free(tracer->waiting);
	free(tracer->ready);
	free(tracer->last);
	free(tracer);
}

/**
 * tracer_abandon() - remove the instance, if there is one
 *
 * For atexit().
 */
void tracer_abandon(void)
{
	tracer_close(opened);
}

/* === Reading === */

static uint64_t number(const struct tep_record *record, struct tep_format_field *field)
{
	unsigned long long value = 0;

	tep_read_number_field(field, record->data, &value);
	return value;
}

static uint8_t small(const struct tep_record *record, struct tep_format_field *field, uint8_t limit, uint8_t otherwise)
{
	uint64_t value = number(record, field);

	return value < limit ? (uint8_t)value : otherwise;
}

static void add(struct tracer *t, const struct event *event)
{
	*APPEND(t->waiting, t->n, t->cap) = (struct waiting){ *event, t->n_read++ };
}

static void take_change(struct tracer *t, const struct tep_record *record)
{
	const struct change_fields *c = &t->c;
	int64_t new_lba = (int64_t)number(record, c->new_lba);
	struct event e = {
		.time_ns = record->ts + t->clock_offset_ns,
		.dev = (uint32_t)number(record, c->dev),
		.ino = (uint32_t)number(record, c->ino),
		.seq = (uint32_t)number(record, c->seq),
		.offset = (uint32_t)number(record, c->offset),
		.length = (uint32_t)number(record, c->length),
		.pid = (uint32_t)number(record, c->pid),
		/* further values mean that nothing was allocated */
		.op = small(record, c->op, FT_NR_OPS, FT_OP_UNKNOWN),
		.flush = small(record, c->flush, FT_NR_FLUSHES, FT_FLUSH_NONE),
		.why = small(record, c->why, FT_NR_WHYS, FT_WHY_UNKNOWN),
		.encoded = small(record, c->encoded, 2, 1),
	};

	switch (new_lba) {
	case NEW_HOLE: e.kind = EVENT_HOLE; break;
	case NEW_UNWRITTEN: e.kind = EVENT_UNWRITTEN; break;
	case NEW_UNKNOWN: e.kind = EVENT_UNKNOWN; break;
	default: e.kind = EVENT_PLACED; e.lba = (uint32_t)new_lba;
	}
	memcpy(e.comm, (const char *)record->data + c->comm->offset, sizeof(e.comm));
	add(t, &e);
}

static void take_state(struct tracer *t, const struct tep_record *record)
{
	struct event e = {
		.time_ns = record->ts + t->clock_offset_ns,
		.dev = (uint32_t)number(record, t->s.dev),
		.ino = (uint32_t)number(record, t->s.ino),
	};

	e.kind = t->kinds[number(record, t->s.from) % MAX_STATES];
	if (e.kind == EVENT_NEW)
		add(t, &e);
	e.kind = t->kinds[number(record, t->s.to) % MAX_STATES];
	add(t, &e);
}

static int take(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	struct tracer *t = data;

	if (event->id == t->change->id)
		take_change(t, record);
	else if (event->id == t->state->id)
		take_state(t, record);
	return 0;
}

/* How many events the kernel has dropped since the beginning, over all CPUs. */
static uint64_t count_overrun(struct tracer *t)
{
	long cpu, cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t sum = 0;

	for (cpu = 0; cpu < cpus; cpu++) {
		AUTO_FREE char *file = xasprintf("per_cpu/cpu%ld/stats", cpu);
		AUTO_FREE char *text = tracefs_instance_file_read(t->instance, file, NULL);
		char *line, *next = NULL;

		for (line = text ? strtok_r(text, "\n", &next) : NULL; line; line = strtok_r(NULL, "\n", &next)) {
			unsigned long long n;

			if (sscanf(line, "overrun: %llu", &n) == 1 || sscanf(line, "dropped events: %llu", &n) == 1)
				sum += n;
		}
	}
	return sum;
}

/*
 * When the module goes, its events go, and the buffers are emptied; when it is back, they are not enabled.
 * tracefs_event_is_enabled() looks at each event that the kernel has.
 */
static bool is_enabled(const struct tracer *t, const char *event)
{
	AUTO_FREE char *file = xasprintf("events/" GROUP "/%s/enable", event);
	AUTO_FREE char *text = tracefs_instance_file_read(t->instance, file, NULL);

	return text && *text == '1';
}

/*
 * Read the buffers. Events that are lost leave a gap in what is read after them; so the counted ones are those of
 * this reading, unless events are lost faster than they can be read.
 *
 * Return: how many the kernel has dropped since the beginning.
 */
static uint64_t read_buffers(struct tracer *t)
{
	uint64_t overrun = t->n_overrun, before;
	int i = 0;

	do {
		before = overrun;
		tracefs_iterate_raw_events(t->tep, t->instance, NULL, 0, take, t);
		overrun = count_overrun(t);
	} while (overrun != before && ++i < MAX_READINGS);
	return overrun;
}

/* === Order === */

static int by_seq(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;
	bool x_has = event_has_seq(&x->event), y_has = event_has_seq(&y->event);

	if (!x_has || !y_has)
		return FIRST(ORDER(y_has, x_has), ORDER(x->order, y->order));
	/* the numbers wrap around */
	return FIRST(ORDER(x->event.dev, y->event.dev), (int32_t)(x->event.seq - y->event.seq));
}

static int by_time(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	return FIRST(ORDER(x->event.time_ns, y->event.time_ns), ORDER(x->order, y->order));
}

static struct last_seq *last_of(struct tracer *t, uint32_t dev)
{
	for (size_t i = 0; i < t->n_last; i++)
		if (t->last[i].dev == dev)
			return &t->last[i];
	return NULL;
}

/* CPUs take numbers and times one after the other: the numbers give the order, and times follow them. */
static void put_in_order(struct tracer *t)
{
	uint64_t last_ns = 0;
	uint32_t dev = 0;

	qsort(t->waiting, t->n, sizeof(*t->waiting), by_seq);
	for (size_t i = 0; i < t->n && event_has_seq(&t->waiting[i].event); i++) {
		struct event *e = &t->waiting[i].event;

		if (!i || e->dev != dev) {
			const struct last_seq *last = last_of(t, e->dev);

			dev = e->dev;
			last_ns = last ? last->time_ns : 0;
		}
		if (e->time_ns <= last_ns)
			e->time_ns = last_ns + 1;
		last_ns = e->time_ns;
	}
	qsort(t->waiting, t->n, sizeof(*t->waiting), by_time);
}

/* How many events are missing before this one. */
static uint32_t missing_before(struct tracer *t, const struct event *e)
{
	const struct last_seq *last = event_has_seq(e) ? last_of(t, e->dev) : NULL;

	return last ? e->seq - last->seq - 1 : 0;
}

static void remember(struct tracer *t, const struct event *e)
{
	struct last_seq *last = last_of(t, e->dev);

	if (!event_has_seq(e))
		return;
	if (!last)
		last = APPEND(t->last, t->n_last, t->cap_last);
	*last = (struct last_seq){ e->dev, e->seq, e->time_ns };
}

/**
 * tracer_drain() - take the events out of the buffers
 * @tracer: the tracer
 * @drained: the result
 */
void tracer_drain(struct tracer *tracer, struct drained *drained)
{
	struct tracer *t = tracer;
	uint64_t begun_ns = clock_ns(CLOCK_REALTIME), n_read_before = t->n_read, overrun;
	bool is_final = t->has_waited, is_waiting = false;
	size_t i;

	t->clock_offset_ns = clock_offset_ns();
	*drained = (struct drained){ .until_ns = begun_ns };
	overrun = read_buffers(t);
	/* after the reading: what was read is complete if they still are enabled */
	if (!is_enabled(t, "extent_change") || !is_enabled(t, "file_state")) {
		drained->was_unloaded = true;
		return;
	}
	drained->n_lost = overrun - t->n_overrun;
	is_final |= drained->n_lost > 0;
	t->n_overrun = overrun;
	if (t->n)
		put_in_order(t);
	for (i = 0; i < t->n; i++) {
		const struct event *e = &t->waiting[i].event;
		uint32_t missing = missing_before(t, e);

		/* one reading, not longer: the clock may have been set back */
		if (e->time_ns > begun_ns && t->waiting[i].order >= n_read_before && !drained->n_lost)
			break;
		if (missing && !is_final) {
			is_waiting = true;
			break;
		}
		if (missing > INT32_MAX) {
			drained->begins_anew = true;
			missing = 1;
		}
		if (missing > drained->n_lost)
			drained->n_lost = missing;
		remember(t, e);
		t->ready = grow(t->ready, &t->cap_ready, i, sizeof(*t->ready));
		t->ready[i] = *e;
	}
	t->has_waited = is_waiting;
	if (is_waiting && t->waiting[i].event.time_ns <= begun_ns)
		drained->until_ns = t->waiting[i].event.time_ns - 1;
	drained->list = t->ready;
	drained->n = i;
	t->n -= i;
	if (t->n)
		memmove(t->waiting, t->waiting + i, t->n * sizeof(*t->waiting));
}
