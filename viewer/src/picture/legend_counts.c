// SPDX-License-Identifier: GPL-2.0-only
/*
 * Part of the legend: the colours, and how many files, breaks, fragments and blocks have them.
 * All numbers here include blocks that are folded or mixed in the picture.
 */

#include "picture/legend_line.h"

#define MAX_TEXT 512

/* Right ends of the columns and left edges of the swatches, in letters from the left. */
enum column {
	COL_CONTIGUOUS = 16,
	COL_CONTIGUOUS_FILES = 26,
	COL_CONTIGUOUS_BLKS = 40,
	COL_FRAGMENTED = 44,
	COL_FRAGMENTED_FILES = 58,
	COL_FRAGMENTED_BLKS = 72,
	COL_FRAGMENTS = 85,
	COL_FOLDED_SWATCH = 93,
	COL_FOLDED = LEGEND_COLS,
};

/* The same for legends that count breaks, fragments or reads instead of files. */
enum fragment_column {
	COL_SWATCH = 32,
	COL_COUNTED = 50,
	COL_COUNTED_SHARE = 60,
	COL_BLKS = 75,
	COL_BLKS_SHARE = 85,
};

/* === What is left out === */

/* A line without a number is only in the notes of the picture. */
static bool is_empty(const struct runs *runs, size_t rule)
{
	const struct count *c = &runs->drawn[rule];

	return !(c->files[0] | c->files[1] | c->blks[0] | c->blks[1] | c->fragments[0] | c->fragments[1] | c->reads);
}

/* Columns of contiguous or of fragmented files are left out if there are none. */
static bool has_files(const struct legend *l, size_t fragmented)
{
	const struct count *all = &l->runs->drawn_total;

	return all->files[fragmented] || all->blks[fragmented];
}

/**
 * legend_empty_lines() - how many lines are left out
 * @runs: the runs
 *
 * Return: the rules that nothing drawn has, and uses of other blocks that none has.
 */
size_t legend_empty_lines(const struct runs *runs)
{
	size_t n = 0;

	for (size_t i = 0; i < runs->colors->n_rules; i++)
		n += is_empty(runs, i);
	if (runs->states)
		n += !runs->other_blks + !runs->node_blks;
	return n + (runs->selection && !runs->left_out_blks);
}

/* === Folded blocks === */

static uint64_t folded_of(const struct legend *l, size_t rule)
{
	return l->folded ? l->folded->blks[rule] : 0;
}

static uint64_t folded_files(const struct legend *l)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < l->colors->n_rules; i++)
		sum += folded_of(l, i);
	return sum;
}

static void put_folded(struct legend *l, uint64_t blks)
{
	if (l->has_folded)
		legend_number(l, COL_FOLDED, blks);
}

static void draw_folded_head(struct legend *l)
{
	size_t x = (size_t)legend_x(l, COL_FOLDED_SWATCH), y = (size_t)l->y;
	size_t side = (size_t)(SWATCH_H * l->layout->scale);

	if (!l->has_folded)
		return;
	canvas_hatch(l->canvas, x, y, side, layout_px(l->layout->img, 2), RGB_FREE);
	canvas_show_cells(l->canvas, x, y, side, side);
	legend_right(l, COL_FOLDED, RGB_INK, "folded");
}

/* === Legend of files === */

static void end_heads(struct legend *l)
{
	if (l->has_folded)
		legend_right(l, COL_FOLDED, RGB_FAINT, "blocks");
	legend_next(l);
	legend_half(l);
	legend_separator(l);
}

static void draw_heads(struct legend *l)
{
	if (has_files(l, 0))
		legend_text(l, COL_CONTIGUOUS, RGB_INK, "contiguous");
	if (has_files(l, 1))
		legend_text(l, COL_FRAGMENTED, RGB_INK, "fragmented");
	draw_folded_head(l);
	legend_next(l);
	legend_text(l, 0, RGB_FAINT, l->colors->source->heading);
	if (has_files(l, 0))
		legend_right(l, COL_CONTIGUOUS_FILES, RGB_FAINT, "files");
	/* of blocks in no file, too */
	legend_right(l, COL_CONTIGUOUS_BLKS, RGB_FAINT, "blocks");
	if (has_files(l, 1)) {
		legend_right(l, COL_FRAGMENTED_FILES, RGB_FAINT, "files");
		legend_right(l, COL_FRAGMENTED_BLKS, RGB_FAINT, "blocks");
		legend_right(l, COL_FRAGMENTS, RGB_FAINT, "fragments");
	}
	end_heads(l);
}

static void draw_count(struct legend *l, const char *name, const struct count *count, uint64_t folded)
{
	legend_name(l, COL_CONTIGUOUS - 1, name);
	if (has_files(l, 0)) {
		legend_number(l, COL_CONTIGUOUS_FILES, count->files[0]);
		legend_number(l, COL_CONTIGUOUS_BLKS, count->blks[0]);
	}
	if (has_files(l, 1)) {
		legend_number(l, COL_FRAGMENTED_FILES, count->files[1]);
		legend_number(l, COL_FRAGMENTED_BLKS, count->blks[1]);
		legend_number(l, COL_FRAGMENTS, count->fragments[1]);
	}
	put_folded(l, folded);
	legend_next(l);
}

static void note_count(struct legend *l, const char *name, const struct count *count, uint64_t folded)
{
	canvas_note(l->canvas, "%s: contiguous files=%ju blocks=%ju, fragmented files=%ju blocks=%ju "
		    "fragments=%ju, folded blocks=%ju", name, (uintmax_t)count->files[0],
		    (uintmax_t)count->blks[0], (uintmax_t)count->files[1],
		    (uintmax_t)count->blks[1], (uintmax_t)count->fragments[1], (uintmax_t)folded);
}

static void draw_rule(struct legend *l, size_t i)
{
	const struct rule *rule = &l->colors->rules[i];

	note_count(l, rule->what, &l->runs->drawn[i], folded_of(l, i));
	if (is_empty(l->runs, i))
		return;
	if (has_files(l, 0))
		legend_swatch(l, COL_CONTIGUOUS, colors_tone(rule, TONE_CONTIGUOUS));
	if (has_files(l, 1)) {
		legend_swatch(l, COL_FRAGMENTED, colors_tone(rule, TONE_FRAG_A));
		if (rule->rgb[TONE_FRAG_B] != rule->rgb[TONE_FRAG_A])
			legend_swatch(l, COL_FRAGMENTED + 2, colors_tone(rule, TONE_FRAG_B));
		if (l->colors->source->near_break)
			legend_swatch(l, COL_FRAGMENTED + 4, colors_tone(rule, TONE_REST));
	}
	draw_count(l, rule->what, &l->runs->drawn[i], folded_of(l, i));
}

static void draw_file_rules(struct legend *l)
{
	draw_heads(l);
	for (size_t i = 0; i < l->colors->n_rules; i++)
		draw_rule(l, i);
	note_count(l, "all files", &l->runs->drawn_total, folded_files(l));
	draw_count(l, "all files", &l->runs->drawn_total, folded_files(l));
}

/* === Legend of breaks, fragments or reads === */

/* Fragments and blocks are the sum over contiguous and fragmented files. */
static uint64_t counted_of(const struct legend *l, const struct count *count)
{
	return l->colors->heat ? count->reads : count->fragments[0] + count->fragments[1];
}

static uint64_t blks_of(const struct count *count)
{
	return count->blks[0] + count->blks[1];
}

/* What was counted is a column if anything was, or if other reads are counted below. */
static bool has_counts(const struct legend *l, const struct count *sum)
{
	return l->colors->heat || counted_of(l, sum);
}

static void draw_fragment_heads(struct legend *l, const struct count *sum)
{
	draw_folded_head(l);
	legend_next(l);
	legend_text(l, 0, RGB_FAINT, l->colors->source->heading);
	if (has_counts(l, sum))
		legend_right(l, COL_COUNTED, RGB_FAINT, l->colors->source->counts);
	if (counted_of(l, sum))
		legend_right(l, COL_COUNTED_SHARE, RGB_FAINT, "share");
	legend_right(l, COL_BLKS, RGB_FAINT, "blocks");
	if (blks_of(sum))
		legend_right(l, COL_BLKS_SHARE, RGB_FAINT, "share");
	end_heads(l);
}

/* A line of @sum, or, if this is NULL, one that is not part of it. */
static void note_fragment_count(struct legend *l, const char *name, const struct count *count, const struct count *sum,
				uint64_t folded)
{
	if (sum)
		canvas_note(l->canvas, "%s: %s=%ju blocks=%ju, folded blocks=%ju", name, l->colors->source->counts,
			    (uintmax_t)counted_of(l, count), (uintmax_t)blks_of(count), (uintmax_t)folded);
	else
		canvas_note(l->canvas, "%s: blocks=%ju, folded blocks=%ju", name, (uintmax_t)blks_of(count),
			    (uintmax_t)folded);
}

/* Shares are relative to @sum. A line that is not part of it has no shares. */
static void draw_fragment_count(struct legend *l, const char *name, const struct count *count,
				const struct count *sum, uint64_t folded)
{
	uint64_t n = counted_of(l, count), blks = blks_of(count);

	legend_name(l, COL_SWATCH - 1, name);
	legend_number(l, COL_BLKS, blks);
	put_folded(l, folded);
	if (sum && has_counts(l, sum))
		legend_number(l, COL_COUNTED, n);
	if (sum && counted_of(l, sum))
		legend_share(l, COL_COUNTED_SHARE, n, counted_of(l, sum));
	if (sum && blks_of(sum))
		legend_share(l, COL_BLKS_SHARE, blks, blks_of(sum));
	legend_next(l);
}

static void draw_fragment_rule(struct legend *l, size_t i, const struct count *sum)
{
	const struct rule *rule = &l->colors->rules[i];

	note_fragment_count(l, rule->what, &l->runs->drawn[i], sum, folded_of(l, i));
	if (is_empty(l->runs, i))
		return;
	legend_swatch(l, COL_SWATCH, colors_tone(rule, TONE_CONTIGUOUS));
	draw_fragment_count(l, rule->what, &l->runs->drawn[i], sum, folded_of(l, i));
}

static void draw_sum(struct legend *l, const char *name, const struct count *sum, uint64_t folded)
{
	note_fragment_count(l, name, sum, sum, folded);
	draw_fragment_count(l, name, sum, sum, folded);
}

/* Other reads: of files that are not drawn, of holes, and of what was cut off or deleted between both readings. */
static void draw_other_reads(struct legend *l, uint64_t drawn)
{
	static const char name[] = "windows without a block here";
	const struct heat *heat = l->colors->heat;
	uint64_t all = 0;

	for (size_t i = 0; i < heat->n; i++)
		all += heat->windows[i].reads;
	legend_text(l, 0, RGB_FAINT, name);
	legend_number(l, COL_COUNTED, all - drawn);
	canvas_note(l->canvas, "%s: reads=%ju", name, (uintmax_t)(all - drawn));
	legend_next(l);
}

static void draw_fragment_rules(struct legend *l)
{
	const struct colors *colors = l->colors;
	bool last_apart = !strcmp(colors->source->counts, "breaks");
	size_t n = colors->n_rules - last_apart;
	struct count sum = { 0 };
	uint64_t folded = 0;

	for (size_t i = 0; i < n; i++) {
		sum.fragments[0] += l->runs->drawn[i].fragments[0] + l->runs->drawn[i].fragments[1];
		sum.reads += l->runs->drawn[i].reads;
		sum.blks[0] += blks_of(&l->runs->drawn[i]);
		folded += folded_of(l, i);
	}
	draw_fragment_heads(l, &sum);
	for (size_t i = 0; i < n; i++)
		draw_fragment_rule(l, i, &sum);
	draw_sum(l, last_apart ? "all breaks" : colors->heat ? "all reads here" : "all fragments", &sum, folded);
	if (last_apart)
		draw_fragment_rule(l, n, NULL);
	if (colors->heat)
		draw_other_reads(l, sum.reads);
}

/**
 * legend_rules() - draw a line for each colour, and one for the sum
 * @l: the legend
 */
void legend_rules(struct legend *l)
{
	if (l->colors->source->counts)
		draw_fragment_rules(l);
	else
		draw_file_rules(l);
}

/* === What files have not === */

/* Blocks that no file of the picture has. */
static void draw_rest(struct legend *l, const char *name, uint32_t rgb, uint64_t blks, const char *what,
		      uint64_t folded)
{
	bool counts_fragments = l->colors->source->counts;

	legend_text(l, 0, RGB_INK, name);
	legend_swatch(l, counts_fragments ? COL_SWATCH : COL_CONTIGUOUS, rgb);
	legend_number(l, counts_fragments ? COL_BLKS : COL_CONTIGUOUS_BLKS, blks);
	legend_text(l, counts_fragments ? COL_SWATCH + 3 : COL_FRAGMENTED, RGB_FAINT, what);
	put_folded(l, folded);
	legend_next(l);
}

/* Files that do not match, or valid blocks that no watched file has. */
static void draw_others(struct legend *l, const char *name, uint32_t rgb, uint64_t blks, const char *what,
			uint64_t folded)
{
	if (blks)
		draw_rest(l, name, rgb, blks, what, folded);
	canvas_note(l->canvas, "%s: blocks=%ju, folded blocks=%ju", name, (uintmax_t)blks, (uintmax_t)folded);
}

static void draw_free(struct legend *l)
{
	const struct runs *runs = l->runs;
	const char *name = runs->states ? "free" : "not watched or free";
	char text[MAX_TEXT];

	snprintf(text, sizeof(text), "in %s gap%s, longest %s", GROUPED(runs->free_gaps),
		 plural(runs->free_gaps), GROUPED(runs->free_longest));
	draw_rest(l, name, RGB_FREE, runs->free_blks, text, l->folded->free);
	canvas_note(l->canvas, "%s: blocks=%ju gaps=%ju longest=%ju, folded blocks=%ju", name,
		    (uintmax_t)runs->free_blks, (uintmax_t)runs->free_gaps, (uintmax_t)runs->free_longest,
		    (uintmax_t)l->folded->free);
}

/**
 * legend_free_space() - draw a line for each use of blocks that no file of the picture has
 * @l: the legend; has the folded blocks
 */
void legend_free_space(struct legend *l)
{
	bool counts = l->colors->source->counts;
	const struct runs *runs = l->runs;

	if (runs->states) {
		draw_others(l, "other data", colors_themed(RGB_OTHER), runs->other_blks, counts ? "no watched file" :
			    "valid, in no watched file: other files, directories", l->folded->other);
		draw_others(l, "nodes", colors_themed(RGB_NODES), runs->node_blks, counts ? "no watched file" :
			    "valid, in segments of nodes", l->folded->nodes);
	}
	if (runs->selection)
		draw_others(l, "other files", colors_themed(RGB_LEFT_OUT), runs->left_out_blks, counts ? "do not match" :
			    "watched, but do not match", l->folded->left_out);
	draw_free(l);
}
