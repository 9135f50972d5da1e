// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: what observers of the module have counted, as the commands say it, for a served page. It is read when the
 * page asks, in a process of its own, see apart.c: beside a table, or of a recording at the snapshot before a moment. Where that has
 * no file with it, what was counted until the recording ended is all there is.
 */
#include "apart.h"
#include "input/recording.h"
#include "output/serve_counts.h"

static const struct serve_counts all[] = {
	{ "cost", "latency", cost_put }, { "ledger", "ledger", ledger_put }, { "gc", "gc_runs", gc_put },
};

/* What is read apart. */
struct reading {
	const struct serve_counts *counts;
	const struct source *source;
	const struct serve_recording *recording;
	const struct moment *moment;
};

/* Return: the file, to be freed; *time_ms is set to when it was written, if that is known. */
static char *find_recorded(const struct reading *r, int64_t *time_ms)
{
	AUTO(recording_close) struct recording recording;
	const struct recorded *found;
	char *path;

	recording_open(&recording, r->recording->dir);
	found = recording_before(&recording, r->moment);
	path = found ? recorded_counts(found->snapshot, r->counts->file) : NULL;
	if (path && !access(path, F_OK)) {
		*time_ms = found->time_ms;
		return path;
	}
	free(path);
	return xasprintf("%s/%s", r->recording->dir, r->counts->file);
}

/* Beside a recorded snapshot, or beside a copy of the table. Return: the file, to be freed, or NULL. */
static char *find_beside(const struct reading *r)
{
	char *path = recorded_counts(r->source->path, r->counts->file);

	return path ? path : source_beside(r->source, r->counts->file);
}

static void put(const void *arg, FILE *out)
{
	const struct reading *r = arg;
	int64_t time_ms = 0;
	AUTO_FREE char *path = r->recording->dir ? find_recorded(r, &time_ms) : find_beside(r);

	if (!path || (access(path, F_OK) && !source_is_live(path)))
		die("%s: has no file %s; expected a recording of a module that was loaded with %s=1", r->source->name, r->counts->file, r->counts->file);
	fprintf(out, "{\"time\": %" PRId64 ", \"answer\": ", time_ms);
	r->counts->put(out, path, FORM_JSON, SERVE_MAX_LINES);
	putc('}', out);
}

/**
 * serve_counts_of() - find a command whose answer the page has, too
 * @command: its name
 *
 * Return: the command, or NULL.
 */
const struct serve_counts *serve_counts_of(const char *command)
{
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (!strcmp(command, all[i].command))
			return &all[i];
	return NULL;
}

/**
 * serve_counts_answer() - what a command says
 * @counts: the command
 * @source: the table that is shown
 * @recording: it has the counts of other moments; its folder is NULL if there is none
 * @moment: when
 * @json: the result: the answer of the command, of each table %SERVE_MAX_LINES lines at most; and the time of the snapshot that it
 *	is of, in ms since 1970, 0 if it is of none; to be freed with text_free()
 *
 * Return: NULL, or why there is none, such as that the module does not count that; to be freed.
 */
char *serve_counts_answer(const struct serve_counts *counts, const struct source *source, const struct serve_recording *recording,
			  const struct moment *moment, struct text *json)
{
	const struct reading r = { counts, source, recording, moment };

	return run_apart(put, &r, json);
}
