// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: carry out a plan, step by step.
 * A step is one range, or several that follow each other in their file. Before each, F2FS is asked where
 * the blocks are now: what is not fragmented any more is not written. A signal ends the work after the
 * current step. What was not moved is listed with its reason.
 */

#include "apply.h"
#include "fiemap.h"
#include "move.h"
#include "site.h"
#include "progress.h"
#include "refuse.h"
#include "report.h"
#include "truth.h"

/*
 * A step ends here unless a single range is larger, or those that are joined: writers of the file wait for it. With a
 * rate, there are at least so many steps a second.
 */
#define STEP_BYTES (UINT64_C(2) << 20)
#define STEPS_PER_S 4

/* How often a range is moved again in which a segment has ended: after the first time the log is at the beginning of one. */
#define MOST_AGAIN 2
/* What may be written beyond the plan without a budget. */
#define NO_BUDGET (UINT64_MAX / 2)

/* What is needed during the work. */
struct work {
	struct plan *plan;
	struct result *result;
	struct progress progress;
	struct site site;
	uint64_t step_blks;
	/* blocks that may be written beyond what is planned for the next steps */
	uint64_t spare_blks;
	/* the address after the last block of the step before, in the same file */
	uint64_t next_lba;
	bool *touched;
	struct fiemap_pieces before;
	struct fiemap_pieces after;
	struct fiemap_pieces once_more;
};

/* === What was not moved === */

/* Takes over @why. Equal reasons of a file are one. */
static void resist(struct work *w, uint32_t file, uint64_t ranges, char *why)
{
	struct result *r = w->result;

	for (size_t i = r->n_resisted; i && r->resisted[i - 1].file == file; i--) {
		if (!strcmp(r->resisted[i - 1].why, why)) {
			r->resisted[i - 1].ranges += ranges;
			free(why);
			return;
		}
	}
	*APPEND(r->resisted, r->n_resisted, r->cap_resisted) = (struct resisted){ .file = file, .ranges = ranges, .why = why };
}

/* Takes over @why. */
static void end_work(struct work *w, char *why)
{
	if (w->result->stopped)
		free(why);
	else
		w->result->stopped = why;
}

static const char *why_of_error(int err, enum way way)
{
	switch (err) {
	case EINVAL:
		return way == WAY_IOCTL ? "F2FS refuses to move it: it would be rewritten in place, or an atomic write "
					  "to it is open" : strerror(err);
	case EBUSY:
		return way == WAY_MAPPING ? "another process has it open, and only the ioctl is safe then" : strerror(err);
	case EPAGEGONE:
		return "it was cut while it was moved, or F2FS has no space";
	default:
		return strerror(err);
	}
}

/* Errors of the volume end the work; those of a file are listed. */
static void fail(struct work *w, uint32_t file, uint64_t ranges, int err)
{
	const char *path = w->site.volume->path;

	if (err == EAGAIN)
		end_work(w, xasprintf("F2FS has too few free sections on %s", path));
	else if (err == ENOSPC)
		end_work(w, xasprintf("%s is full", path));
	else if (err == EROFS)
		end_work(w, xasprintf("%s is read-only now", path));
	resist(w, file, ranges, xasprintf("%s", why_of_error(err, w->site.way)));
}

/* === One step === */

/* Ranges that are moved in one step: @n from @first on, in file order. */
struct step {
	const struct range *first;
	size_t n;
	uint64_t blks;
	uint64_t first_blk;
	uint64_t end_blk;
};

/* The address of a block that has one in this extent. */
static uint64_t lba_of(const struct file_extent *e, uint64_t blk)
{
	return e->lba + (blk - e->offset);
}

/*
 * The ranges of a step that are fragmented in a map: inside, or where they join the range before. @lba: the address after the
 * last block before the step, 0 if that is not known; set to that after its last block.
 */
static uint64_t count_fragmented(const struct step *s, const struct fiemap_pieces *map, uint64_t request_blks, uint64_t *lba)
{
	struct model model = { .extents = map->extents, .n = map->n, .request_blks = request_blks };
	const struct range *r = s->first, *last = s->first + s->n - 1;
	struct window w;
	uint64_t n = 0;

	while (model_next(&model, &w)) {
		while (r < last && r[1].first_blk / request_blks <= w.first_blk / request_blks)
			r++;
		n += w.requests > 1 || (r->is_joined && *lba && lba_of(&map->extents[w.first], w.first_blk) != *lba);
		*lba = lba_of(&map->extents[w.end - 1], w.end_blk);
	}
	return n;
}

static bool is_same(const struct fiemap_pieces *a, const struct fiemap_pieces *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->extents[i].offset != b->extents[i].offset || a->extents[i].lba != b->extents[i].lba ||
		    a->extents[i].blks != b->extents[i].blks)
			return false;
	return true;
}

static uint64_t count_blks(const struct fiemap_pieces *map)
{
	uint64_t blks = 0;

	for (size_t i = 0; i < map->n; i++)
		blks += map->extents[i].blks;
	return blks;
}

/* Judge the result of a step: did its blocks move, and are they together now? @next_lba: as count_fragmented() has it. */
static void judge(struct work *w, const struct step *s, uint32_t file, uint64_t next_lba)
{
	uint64_t fragmented = count_fragmented(s, &w->after, w->site.plan->request_blks, &next_lba);

	w->next_lba = next_lba;
	if (is_same(&w->before, &w->after)) {
		resist(w, file, s->n, xasprintf("F2FS wrote its blocks in place"));
		return;
	}
	w->result->moved += s->n - fragmented;
	if (fragmented)
		resist(w, file, fragmented, xasprintf("other data came between its blocks as they were written, "
						  "or a segment ended there"));
}

/* Does a range have a break in a map where a segment ends? */
static bool is_split(const struct fiemap_pieces *map, const struct range *r, const struct volume *volume)
{
	for (size_t i = 1; i < map->n; i++) {
		const struct file_extent *e = &map->extents[i];
		uint64_t end_lba = e[-1].lba + e[-1].blks;

		if (e->offset > r->first_blk && e->offset < r->end_blk && e->lba != end_lba &&
		    (end_lba - volume->first_blk) % volume->segment_blks == 0)
			return true;
	}
	return false;
}

/* Is a range moved together with the one before it, or with the one after it? */
static bool has_company(const struct plan *plan, const struct range *r)
{
	return r->is_joined || (r + 1 < &plan->ranges[plan->files[r->file].end] && r[1].is_joined);
}

/* Is nothing in the way of one more move? */
static bool may_go_on(const struct work *w, uint64_t blks, int fd, const struct stat *st)
{
	AUTO_FREE char *tight = site_is_tight(&w->site, blks);

	return !tight && !refuse_step(fd, st, w->site.way);
}

/*
 * Move a range again, until no segment ends in it. Return: 0 or an error; EBUSY is none, since the range has been moved.
 * Adds to @blks what is written, up to @most.
 */
static int move_again(struct work *w, const struct range *r, int fd, const struct stat *st, uint64_t most, uint64_t *blks)
{
	struct fiemap_pieces *map = &w->once_more;
	int err;

	for (unsigned int n = 0; n < MOST_AGAIN; n++) {
		int64_t step_ns;

		err = fiemap_read(map, fd, r->first_blk, r->end_blk);
		if (err || (n && !is_split(map, r, w->site.volume)) || *blks + count_blks(map) > most ||
		    !may_go_on(w, count_blks(map), fd, st))
			return err;
		err = move_range(fd, w->site.way, map, r->first_blk, r->end_blk, &step_ns);
		w->progress.step_ns += step_ns;
		if (err)
			return err == EBUSY ? 0 : err;
		*blks += count_blks(map);
		w->result->moved_twice += !n;
	}
	return 0;
}

/*
 * Move those ranges of a step again in which a segment has ended: the log is in a new one now. Not what is moved together
 * with others, from which that would part it, nor what is longer than a segment. Arguments and return as of move_again().
 */
static int move_split(struct work *w, const struct step *s, int fd, const struct stat *st, uint64_t most, uint64_t *blks)
{
	const struct volume *volume = w->site.volume;
	const struct range *r;
	int err = 0;

	for (r = s->first; !err && r < s->first + s->n; r++)
		if (!has_company(w->plan, r) && r->end_blk - r->first_blk < volume->segment_blks &&
		    is_split(&w->after, r, volume))
			err = move_again(w, r, fd, st, most, blks);
	return err;
}

/* Return: the blocks that were written. Sets @busy if the file has to be left alone from now on. */
static uint64_t do_step(struct work *w, const struct step *s, uint32_t file, int fd, bool *busy)
{
	const uint64_t lba_before = w->next_lba;
	uint64_t next_lba = lba_before, blks, again = 0;
	const char *why;
	struct stat st;
	int err;

	/* known again after a step that was done */
	w->next_lba = 0;
	if (fstat(fd, &st) || (uint64_t)st.st_size <= (s->end_blk - 1) * w->before.blk_bytes) {
		resist(w, file, s->n, xasprintf("it was cut since the plan was made"));
		return 0;
	}
	why = refuse_step(fd, &st, w->site.way);
	if (why) {
		resist(w, file, s->n, xasprintf("%s", why));
		return 0;
	}
	err = fiemap_read(&w->before, fd, s->first_blk, s->end_blk);
	if (err || w->before.encoded) {
		resist(w, file, s->n, xasprintf("%s", err ? strerror(err) : "it is compressed"));
		return 0;
	}
	if (!count_fragmented(s, &w->before, w->site.plan->request_blks, &next_lba)) {
		w->result->whole += s->n;
		w->next_lba = next_lba;
		return 0;
	}
	blks = count_blks(&w->before);
	if (blks > s->blks + w->spare_blks) {
		resist(w, file, s->n, xasprintf("it has more blocks there than when the plan was made, and the budget is used up"));
		return 0;
	}
	err = move_range(fd, w->site.way, &w->before, s->first_blk, s->end_blk, &w->progress.step_ns);
	if (err) {
		/* each further step would wait for the others again, and keep the other files waiting */
		*busy = err == EBUSY;
		fail(w, file, s->n, err);
		/* after other errors a part may have been written */
		return err == EBUSY || err == EINVAL ? 0 : blks;
	}
	err = fiemap_read(&w->after, fd, s->first_blk, s->end_blk);
	if (!err && !is_same(&w->before, &w->after)) {
		err = move_split(w, s, fd, &st, s->blks + w->spare_blks - blks, &again);
		w->result->moved_blks += blks + again;
		if (!err && again)
			err = fiemap_read(&w->after, fd, s->first_blk, s->end_blk);
	}
	if (err)
		fail(w, file, s->n, err);
	else
		judge(w, s, file, lba_before);
	return blks + again;
}

/* === Files and volumes === */

static void add_to_step(struct step *s, const struct range *r)
{
	s->n++;
	s->blks += r->blks;
	s->end_blk = r->end_blk;
}

/* Does the next range belong to a step? Of joined ranges all do, or none. */
static bool fits(const struct work *w, const struct step *s, const struct range *r, const struct range *end)
{
	uint64_t blks;

	if (r->is_joined)
		return true;
	ranges_joined(r, end, &blks);
	return s->blks + blks <= w->step_blks;
}

/*
 * The next chosen ranges of a file that are in windows next to each other. Joined ranges are in one step, because the ioctl
 * passes over a range without a break; they begin a step if they do not fit into what is left of one.
 */
static bool next_step(const struct work *w, struct step *s, const struct range **at, const struct range *end)
{
	uint64_t request_blks = w->site.plan->request_blks;
	const struct range *r = *at;

	while (r < end && !r->chosen)
		r++;
	*at = r;
	if (r == end)
		return false;
	*s = (struct step){ .first = r, .first_blk = r->first_blk };
	do
		add_to_step(s, r++);
	while (r < end && r->chosen && !r[-1].is_early && !r->is_late && fits(w, s, r, end) &&
	       r->first_blk / request_blks == (s->end_blk - 1) / request_blks + 1);
	*at = r;
	return true;
}

static void do_file(struct work *w, uint32_t file)
{
	struct file_plan *f = &w->plan->files[file];
	const struct range *at = &w->plan->ranges[f->first], *end = &w->plan->ranges[f->end];
	bool busy = false;
	struct step step;
	uint64_t blks;
	char *why;
	AUTO_CLOSE int fd = refuse_or_open(w->plan->table, file, w->site.way, false, &f->generation, &why);

	if (fd < 0) {
		resist(w, file, f->n_chosen, why);
		w->spare_blks += f->blks;
		progress_add(&w->progress, f->blks, 0);
		return;
	}
	w->touched[file] = true;
	w->next_lba = 0;
	w->result->n_files++;
	while (!w->result->stopped && next_step(w, &step, &at, end)) {
		progress_pause(&w->progress, &w->site.plan->device);
		if (is_interrupted) {
			end_work(w, xasprintf("a signal ended it"));
			break;
		}
		why = site_is_tight(&w->site, step.blks);
		if (why) {
			end_work(w, why);
			break;
		}
		if (busy) {
			fail(w, file, step.n, EBUSY);
			w->spare_blks += step.blks;
			progress_add(&w->progress, step.blks, 0);
			continue;
		}
		blks = do_step(w, &step, file, fd, &busy);
		w->spare_blks += step.blks - blks;
		progress_add(&w->progress, step.blks, blks);
	}
}

static void do_volume(struct work *w, uint32_t volume)
{
	uint64_t kb_before = 0, kb_after = 0;
	const struct device *device;
	bool is_known;
	size_t n;
	char *why = site_open(&w->site, w->plan, volume);

	if (why) {
		end_work(w, why);
		return;
	}
	device = &w->site.plan->device;
	is_known = device_f2fs(device, "lifetime_write_kbytes", &kb_before);
	AUTO_FREE uint32_t *files = report_files(w->plan, volume, &n);
	for (size_t i = 0; i < n && !w->result->stopped; i++)
		if (w->plan->files[files[i]].n_chosen)
			do_file(w, files[i]);
	if (is_known && device_f2fs(device, "lifetime_write_kbytes", &kb_after)) {
		w->result->device_is_known = true;
		w->result->device_kb += kb_after - kb_before;
	}
	site_close(&w->site);
}

/* === Begin and end === */

/**
 * apply_ask_volumes() - which volumes may be worked on, and how?
 * @plan: the plan; the members refused and way of its volumes are set
 * @options: the command line
 */
void apply_ask_volumes(struct plan *plan, const struct options *options)
{
	for (size_t i = 0; i < plan->table->n_volumes; i++) {
		struct volume_plan *v = &plan->volumes[i];

		v->way = options->way;
		v->refused = site_why_not(&plan->table->volumes[i], &v->device, &v->way);
	}
}

/**
 * apply_ask() - may a file be moved?
 * @plan: the plan; the generation of the file is set
 * @file: index into table.files
 *
 * A plan_ask, after apply_ask_volumes(). Nothing is changed.
 *
 * Return: NULL, or why not, to be freed.
 */
char *apply_ask(struct plan *plan, uint32_t file)
{
	enum way way = plan->volumes[plan->table->files[file].volume].way;
	char *why;
	int fd = refuse_or_open(plan->table, file, way, true, &plan->files[file].generation, &why);

	auto_close(&fd);
	return why;
}

/**
 * apply_plan() - carry out a plan
 * @result: the result; to be freed with apply_free()
 * @plan: the plan
 * @options: the command line
 * @source: where the table of the plan was read
 */
void apply_plan(struct result *result, struct plan *plan, const struct options *options, struct source *source)
{
	const uint64_t blk_bytes = table_blk_bytes(plan->table);
	struct work w = {
		.plan = plan, .result = result, .step_blks = STEP_BYTES / blk_bytes,
		.before.blk_bytes = blk_bytes, .after.blk_bytes = blk_bytes, .once_more.blk_bytes = blk_bytes,
	};
	uint64_t blks = 0;

	*result = (struct result){ 0 };
	w.touched = xcalloc(plan->table->n_files, sizeof(*w.touched));
	for (uint32_t i = 0; i < plan->table->n_volumes; i++)
		blks += plan->volumes[i].blks;
	w.spare_blks = options->budget_bytes ? options->budget_bytes / blk_bytes - blks : NO_BUDGET;
	if (options->rate_bytes && options->rate_bytes / blk_bytes / STEPS_PER_S < w.step_blks)
		w.step_blks = options->rate_bytes / blk_bytes / STEPS_PER_S;
	note_interrupts();
	move_be_idle();
	progress_begin(&w.progress, blk_bytes, blks, options->rate_bytes, options->share_percent);
	for (uint32_t i = 0; i < plan->table->n_volumes && !result->stopped; i++)
		if (plan->volumes[i].n_chosen)
			do_volume(&w, i);
	result->seconds = (double)(monotonic_ns() - w.progress.begun_ns) / 1e9;
	result->left_seconds = (double)w.progress.left_ns / 1e9;
	progress_end(&w.progress);
	truth_find(result, plan, w.touched, source);
	fiemap_free(&w.before);
	fiemap_free(&w.after);
	fiemap_free(&w.once_more);
	free(w.touched);
}

/**
 * apply_free() - release a result
 * @result: as left by apply_plan()
 */
void apply_free(struct result *result)
{
	for (size_t i = 0; i < result->n_resisted; i++)
		free(result->resisted[i].why);
	free(result->resisted);
	free(result->stopped);
	*result = (struct result){ 0 };
}
