// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: list the snapshots of a recording, and for which moments tables can be rebuilt from each. */
#include "commands.h"
#include "input/recording.h"
#include "outfile.h"
#include "output/sheet.h"

/* The first one is in JSON only. */
static const char *const columns[] = { "gap", "first", "last", "lost", "snapshot", "events", NULL };

/* As --at takes it; in JSON in ns since 1970. */
static void put_moment(struct sheet *sheet, uint64_t ns)
{
	char text[MOMENT_MAX];

	if (sheet->form == FORM_JSON)
		sheet_number(sheet, ns);
	else
		sheet_word(sheet, moment_text(text, ns));
}

static void put_span(struct sheet *sheet, const struct recording *recording, size_t i)
{
	struct span span;

	recording_span(recording, i, &span);
	if (sheet->form == FORM_JSON)
		sheet_flag(sheet, span.has_gap);
	put_moment(sheet, span.first_ns);
	put_moment(sheet, span.last_ns);
	if (span.has_gap && !span.n_lost && sheet->form != FORM_JSON)
		sheet_word(sheet, "?");
	else
		sheet_maybe(sheet, span.n_lost, span.has_gap && span.n_lost);
	sheet_name(sheet, recording->list[i].snapshot);
	sheet_name(sheet, recording->list[i].events);
}

/**
 * moments_run() - list the moments of a recording
 * @options: the command line; its operand is the folder
 *
 * Ends the program if it cannot be read or the list cannot be written.
 *
 * Return: the exit status.
 */
int moments_run(const struct options *options)
{
	AUTO(recording_close) struct recording recording;
	struct json json = { 0 };
	struct outfile out;
	struct sheet sheet;

	recording_open(&recording, *options->operands);
	outfile_open(&out, "-", "list");
	json.file = out.file;
	if (options->form == FORM_JSON) {
		json_begin(&json, out.file, "moments", 1);
		json_array(&json, "records");
	}
	sheet_begin(&sheet, &json, columns + (options->form != FORM_JSON), options->form);
	for (size_t i = 0; i < recording.n; i++)
		put_span(&sheet, &recording, i);
	json_end_all(&json);
	outfile_close(&out);
	return 0;
}
