// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: say how soon garbage collection has moved what was written, and who wrote it, by a recording with events. */
#include "input/moment.h"
#include "input/moves.h"
#include "names.h"
#include "output/json.h"
#include "output/moves.h"
#include "outfile.h"

#define MAX_LINES 10
#define CIRCLES 10	/* collection runs in circles if one of so many moves is of what was just moved */
#define SOON 10		/* so many of moves_ages[] are at most ten minutes */

/* moves_ages[] in words. */
static const char *const ages[N_MOVES_AGES - 1] = {
	"1 s", "2 s", "5 s", "10 s", "20 s", "30 s", "1 min", "2 min", "5 min", "10 min", "20 min", "30 min", "1 h", "2 h", "6 h", "24 h",
};

/* === Sentences === */

static char *who(const struct moves *m, const struct moves_writer *w)
{
	if (w == &m->writers[MOVES_OTHERS])
		return xasprintf("all %s", m->writers[MOVES_N_FIXED].moved ? "others" : "processes");
	if (!w->pid)
		return xasprintf("%s", strcmp(w->comm, "several") ? "a process that is not known" : "several processes together");
	AUTO_FREE char *name = *w->comm ? name_printable(w->comm) : xasprintf("a process without a name");
	return xasprintf("%s (pid %u)", name, w->pid);
}

static void add(struct moves_writer *sum, const struct moves_writer *w)
{
	sum->written += w->written;
	sum->moved += w->moved;
	sum->moves += w->moves;
	sum->again += w->again;
	for (size_t i = 0; i < N_MOVES_AGES; i++)
		sum->ages[i] += w->ages[i];
}

/* How many were moved before an age. */
static uint64_t moved_within(const struct moves_writer *w, size_t n_ages)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n_ages; i++)
		sum += w->ages[i];
	return sum;
}

static void say_writer(FILE *out, const struct moves *m, const struct moves_writer *w)
{
	uint64_t soon = moved_within(w, SOON);
	AUTO_FREE char *name = who(m, w);
	size_t half = 1;

	fprintf(out, "  Of %s that %s wrote, garbage collection has written ", COUNT(w->written, "block"), name);
	if (!w->moved) {
		fputs("none again.\n", out);
		return;
	}
	while (half < N_MOVES_AGES && moved_within(w, half) < w->moved - w->moved / 2)
		half++;
	fprintf(out, "%s (%s) again: ", GROUPED(w->moved), SHARE(w->moved, w->written));
	if (half < N_MOVES_AGES)
		fprintf(out, "half of them within %s", ages[half - 1]);
	else
		fprintf(out, "most of them after more than %s", ages[half - 2]);
	if (soon == w->moved)
		fprintf(out, ", all within %s", ages[SOON - 1]);
	else
		fprintf(out, ", %s (%s) within %s", GROUPED(soon), SHARE(soon, w->written), ages[SOON - 1]);
	fputs(".\n", out);
}

/* Processes none of whose blocks were moved need no line. */
static void say_writers(FILE *out, struct moves *m)
{
	struct moves_writer *others = &m->writers[MOVES_OTHERS];

	for (size_t i = MOVES_N_FIXED; i < m->n; i++)
		if (i < MOVES_N_FIXED + MAX_LINES && m->writers[i].moved)
			say_writer(out, m, &m->writers[i]);
		else
			add(others, &m->writers[i]);
	if (others->written)
		say_writer(out, m, others);
}

/* What is known, and what is not. */
static void say_limits(FILE *out, const struct moves *m, const char *dir)
{
	fprintf(out, "%s: from %s to %s, with events of %s.\n", dir, TIME_AT(m->first_ns), TIME_AT(m->last_ns),
		DURATION((double)m->known_ns));
	if (!m->n_gaps)
		return;
	fprintf(out, "The recording has %s without events", COUNT(m->n_gaps, "gap"));
	if (m->n_lost)
		fprintf(out, " (%s lost)", COUNT(m->n_lost, "event"));
	fputs(". After a gap, what was written before it counts as written before the recording.\n", out);
}

static void say(FILE *out, struct moves *m, const struct moves_writer *all, const char *dir)
{
	const struct moves_writer *earlier = &m->writers[MOVES_EARLIER];

	say_limits(out, m, dir);
	fprintf(out, "Garbage collection has moved %s", COUNT(all->moves, "block"));
	if (earlier->moves)
		fprintf(out, "; %s of these were written before the recording, or at an unknown time", GROUPED(earlier->moves));
	fputs(".\n", out);
	if (all->again)
		fprintf(out, "%s of them (%s) had been moved less than %s before%s.\n", GROUPED(all->again), SHARE(all->again, all->moves),
			ages[SOON - 1], all->again >= all->moves / CIRCLES ? ": collection runs in circles" : "");
	say_writers(out, m);
	fputs("A write in place has no event: a block counts as written when it got its place.\n", out);
}

/* === JSON === */

static void put_counts(struct json *json, const char *key, const struct moves_writer *w)
{
	JSON_OBJECT(json, key);
	if (!key) {
		json_maybe(json, "pid", w->pid, w->pid);
		json_name(json, "process", w->comm);
	}
	json_number(json, "written", w->written);
	json_number(json, "moved", w->moved);
	json_number(json, "moves", w->moves);
	json_number(json, "again_within_10_min", w->again);
	JSON_ARRAY(json, "ages");
	for (size_t i = 0; i < N_MOVES_AGES; i++) {
		JSON_OBJECT(json, NULL);
		json_maybe(json, "below_s", moves_ages[i % (N_MOVES_AGES - 1)], i < N_MOVES_AGES - 1);
		json_number(json, "blocks", w->ages[i]);
	}
}

static void put(struct json *json, const struct moves *m, const struct moves_writer *all)
{
	json_number(json, "first", m->first_ns);
	json_number(json, "last", m->last_ns);
	json_number(json, "known_ns", m->known_ns);
	json_number(json, "gaps", m->n_gaps);
	json_number(json, "lost", m->n_lost);
	put_counts(json, "all", all);
	put_counts(json, "earlier", &m->writers[MOVES_EARLIER]);
	put_counts(json, "others", &m->writers[MOVES_OTHERS]);
	JSON_ARRAY(json, "processes");
	for (size_t i = MOVES_N_FIXED; i < m->n; i++)
		put_counts(json, NULL, &m->writers[i]);
}

/**
 * moves_write() - say what garbage collection has moved
 * @dir: the folder of a recording
 * @form: text or JSON
 *
 * Ends the program if it cannot be read, has no events, or the answer cannot be written.
 */
void moves_write(const char *dir, enum sheet_form form)
{
	AUTO(recording_close) struct recording recording;
	AUTO(moves_free) struct moves moves = { 0 };
	struct moves_writer all = { 0 };
	struct json json = { 0 };
	struct outfile out;

	recording_open(&recording, dir);
	moves_read(&moves, &recording);
	for (size_t i = 0; i < moves.n; i++)
		add(&all, &moves.writers[i]);
	outfile_open(&out, "-", "answer");
	if (form == FORM_JSON) {
		json_begin(&json, out.file, "moves", 1);
		put(&json, &moves, &all);
	} else {
		say(out.file, &moves, &all, dir);
	}
	json_end_all(&json);
	outfile_close(&out);
}
