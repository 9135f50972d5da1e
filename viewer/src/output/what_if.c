// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: say what garbage collection would have moved if it chose its sections otherwise. */
#include "input/moment.h"
#include "input/replay_state.h"
#include "model/what_if.h"
#include "outfile.h"
#include "output/json.h"
#include "output/what_if.h"

/* The model of F2FS's own choice should be as near to what F2FS did, in percent. */
#define NEAR 5

/* === Sentences === */

static const char *const texts[N_CHOICES] = {
	[CHOICE_F2FS] = "f2fs (in the model: as F2FS chooses)",
	[CHOICE_GREEDY] = "greedy (fewest blocks in use)",
	[CHOICE_COST_BENEFIT] = "cost-benefit (few blocks in use, and old)",
	[CHOICE_ATGC] = "atgc (the best of the oldest sections)",
	[CHOICE_HOT_COLD] = "hot-cold (greedy, and a log of its own for what is soon rewritten)",
};

static double percent_more(uint64_t than, uint64_t n)
{
	return 100 * ((double)n / (double)than - 1);
}

static void say_line(FILE *out, const struct what_if_volume *w, uint64_t moved, const char *others, uint64_t sections, uint64_t n_free)
{
	AUTO_FREE char *amplification = w->written ? xasprintf("%.2f", (double)(w->written + moved) / (double)w->written) : xasprintf("-");

	fprintf(out, "  %15s%15s%10s%15s%17s  ", GROUPED(moved), others, GROUPED(sections), amplification, GROUPED(n_free));
}

static void say_model(FILE *out, const struct what_if_volume *w, const struct collector *c)
{
	const struct collector *f2fs = &w->models[CHOICE_F2FS];

	say_line(out, w, c->moved, GROUPED(c->others), c->sections, collector_room(c));
	fprintf(out, "%s", texts[c->choice]);
	if (c->choice != CHOICE_F2FS && f2fs->moved + f2fs->others)
		fprintf(out, ", %+.1f %% beside f2fs", percent_more(f2fs->moved + f2fs->others, c->moved + c->others));
	if (c->choice == CHOICE_HOT_COLD && !c->n_lives)
		fputs("; no block was rewritten", out);
	fputc('\n', out);
}

static void say_volume(FILE *out, struct what_if_volume *w)
{
	double off;

	fprintf(out, "%u:%u: programs wrote %s of watched files", w->dev >> DEV_SHIFT, w->dev & ((1u << DEV_SHIFT) - 1), COUNT(w->written, "block"));
	if (!w->moved) {
		fputs(", and garbage collection moved none.\n", out);
		return;
	}
	off = percent_more(w->moved, w->models[CHOICE_F2FS].moved);
	fprintf(out, ".\n  %15s%15s%10s%15s%17s  how sections are chosen\n", "blocks moved", "others moved", "sections", "amplification",
		"sections free");
	say_line(out, w, w->moved, "-", w->sections, w->n_free);
	fputs("F2FS itself\n", out);
	FOR_EACH_MODEL(c, w)
		say_model(out, w, c);
	fputs("  blocks moved: of watched files; others moved: data of directories and files that are not, which F2FS does not tell; sections: those\n"
	      "  that were collected; amplification: blocks of watched files that were written and moved, by those written; sections free: in the end\n"
	      "  A choice is that of all collections; F2FS itself is greedy in the foreground.\n", out);
	fprintf(out, "  The model moves %.1f %% %s blocks than F2FS if it chooses as F2FS does", off < 0 ? -off : off, off < 0 ? "fewer" : "more");
	fprintf(out, "%s.\n", off > NEAR || off < -NEAR ? ": differences between choices that are not far larger tell nothing" : "");
}

/* === JSON === */

static void put_volume(struct json *json, struct what_if_volume *w)
{
	JSON_OBJECT(json, NULL);
	json_format(json, "dev", "%u:%u", w->dev >> DEV_SHIFT, w->dev & ((1u << DEV_SHIFT) - 1));
	json_number(json, "written", w->written);
	json_number(json, "moved", w->moved);
	json_number(json, "sections", w->sections);
	json_number(json, "free", w->n_free);
	JSON_ARRAY(json, "choices");
	FOR_EACH_MODEL(c, w) {
		JSON_OBJECT(json, NULL);
		json_text(json, "choice", collector_choices[c->choice]);
		json_number(json, "moved", c->moved);
		json_number(json, "others_moved", c->others);
		json_number(json, "sections", c->sections);
		json_number(json, "free", collector_room(c));
	}
}

/**
 * what_if_write() - say what garbage collection would have moved if it chose its sections otherwise
 * @dir: the folder of a recording
 * @choice: a word of collector_choices, or all
 * @form: text or JSON
 *
 * Ends the program if it cannot be read, has no events or no state of F2FS, or the answer cannot be written.
 */
void what_if_write(const char *dir, const char *choice, enum sheet_form form)
{
	AUTO(what_if_free) struct what_if what_if = { .choices = { [CHOICE_F2FS] = true } };
	AUTO(recording_close) struct recording recording;
	struct json json = { 0 };
	struct outfile out;

	for (int i = 0; i < N_CHOICES; i++)
		what_if.choices[i] |= !strcmp(choice, "all") || !strcmp(choice, collector_choices[i]);
	recording_open(&recording, dir);
	what_if_read(&what_if, &recording);
	outfile_open(&out, "-", "answer");
	if (form == FORM_JSON) {
		json_begin(&json, out.file, "what_if", 1);
		json_number(&json, "first", what_if.first_ns);
		json_number(&json, "last", what_if.last_ns);
		json_number(&json, "known_ns", what_if.known_ns);
		json_number(&json, "gaps", what_if.n_gaps);
		json_array(&json, "volumes");
	} else {
		fprintf(out.file, "%s: from %s to %s, with events of %s", dir, TIME_AT(what_if.first_ns), TIME_AT(what_if.last_ns),
			DURATION((double)what_if.known_ns));
		if (what_if.n_gaps)
			fprintf(out.file, "; models guess what was in %s", COUNT(what_if.n_gaps, "gap"));
		fputs(".\n", out.file);
	}
	for (size_t i = 0; i < what_if.n; i++)
		if (form == FORM_JSON)
			put_volume(&json, &what_if.volumes[i]);
		else
			say_volume(out.file, &what_if.volumes[i]);
	json_end_all(&json);
	outfile_close(&out);
}
