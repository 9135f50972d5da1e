// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a model of F2FS's logs and of its garbage collection.
 *
 * A block of the model is named by the block of the volume that has its data, wherever the model has put it. Data is written at
 * the end of a log; collection moves what a section has in use to the log of cold data. Nodes have no place: they take as many
 * sections as on the volume.
 */
#include "model/collector.h"
#include "util.h"

/* Defaults of F2FS for ATGC: the oldest 20 % of the sections, at least 10; age counts for 60 of 100. */
#define ATGC_SHARE 20
#define ATGC_LEAST 10
#define ATGC_AGE 60

/* The model needs hardly ever more than some sections where F2FS has emptied one. */
#define ENOUGH 64

const char *const collector_choices[N_CHOICES] = {
	[CHOICE_F2FS] = "f2fs",
	[CHOICE_GREEDY] = "greedy",
	[CHOICE_COST_BENEFIT] = "cost-benefit",
	[CHOICE_ATGC] = "atgc",
	[CHOICE_HOT_COLD] = "hot-cold",
};

/* A section that may be collected. */
struct candidate {
	uint32_t section;
	uint32_t in_use;
	uint64_t mtime;
};

/* === Blocks === */

static uint32_t section_of(const struct collector *c, uint32_t segment)
{
	return segment / c->unit;
}

/* update_segment_mtime() of F2FS: before the number of valid blocks changes. */
static void touch(struct collector *c, uint32_t segment, uint64_t mtime)
{
	c->mtime[segment] = (c->mtime[segment] * c->valid[segment] + mtime) / (c->valid[segment] + 1u);
}

static void put(struct collector *c, uint32_t block, uint32_t at)
{
	uint32_t *in_use = &c->in_use[section_of(c, at / F2FS_SEGMENT_BLKS)];

	c->place[block] = at;
	c->block[at] = block;
	c->valid[at / F2FS_SEGMENT_BLKS]++;
	c->n_free -= !(*in_use)++;
}

static void take(struct collector *c, uint32_t block)
{
	uint32_t at = c->place[block], *in_use = &c->in_use[section_of(c, at / F2FS_SEGMENT_BLKS)];

	c->place[block] = COLLECTOR_NONE;
	c->block[at] = COLLECTOR_NONE;
	c->valid[at / F2FS_SEGMENT_BLKS]--;
	c->n_free += !--(*in_use);
}

/* === Logs === */

static bool is_open(const struct collector *c, uint32_t section)
{
	for (int log = 0; log < N_DATA_LOGS; log++)
		if (c->head[log] != COLLECTOR_NONE && section_of(c, c->head[log]) == section)
			return true;
	return false;
}

/* The next free section, round and round. */
static uint32_t find_free(struct collector *c)
{
	uint32_t n = c->n / c->unit;

	for (uint32_t i = 1; i <= n && collector_room(c); i++) {
		uint32_t section = (c->last + i) % n;

		if (c->in_use[section] || section == c->victim || is_open(c, section))
			continue;
		c->last = section;
		return section * c->unit;
	}
	return COLLECTOR_NONE;
}

/* The segment with the fewest blocks in use, of the log's own type if there is one. */
static uint32_t find_holes(const struct collector *c, enum f2fs_type log)
{
	uint32_t best = COLLECTOR_NONE, least = UINT32_MAX;

	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t cost = c->valid[i] + (c->type[i] == log ? 0 : F2FS_SEGMENT_BLKS);

		if (cost >= least || !c->valid[i] || c->valid[i] == F2FS_SEGMENT_BLKS || section_of(c, i) == c->victim || is_open(c, section_of(c, i)))
			continue;
		least = cost;
		best = i;
	}
	return best;
}

static bool open_segment(struct collector *c, enum f2fs_type log)
{
	uint32_t next = c->head[log] == COLLECTOR_NONE ? 0 : c->head[log] + 1;

	if (!(next % c->unit) || c->valid[next])
		next = collector_room(c) <= c->holes_limit ? COLLECTOR_NONE : find_free(c);
	c->is_new[log] = next != COLLECTOR_NONE;
	if (!c->is_new[log])
		next = find_holes(c, log);
	if (next == COLLECTOR_NONE)
		return false;
	c->type[next] = (uint8_t)log;
	c->head[log] = next;
	c->next[log] = 0;
	return true;
}

/* Where a log writes; COLLECTOR_NONE: the volume is full. */
static uint32_t next_place(struct collector *c, enum f2fs_type log)
{
	do {
		while (c->head[log] != COLLECTOR_NONE && c->next[log] < F2FS_SEGMENT_BLKS) {
			uint32_t at = c->head[log] * F2FS_SEGMENT_BLKS + c->next[log]++;

			if (c->block[at] == COLLECTOR_NONE)
				return at;
		}
	} while (open_segment(c, log));
	return COLLECTOR_NONE;
}

static bool append(struct collector *c, uint32_t block, enum f2fs_type log, uint64_t mtime)
{
	uint32_t at = next_place(c, log);

	if (at == COLLECTOR_NONE)
		return false;
	if (c->place[block] != COLLECTOR_NONE)
		take(c, block);
	touch(c, at / F2FS_SEGMENT_BLKS, mtime);
	put(c, block, at);
	return true;
}

/* The blocks that logs can write before more sections have to become free. */
static uint64_t space_of(const struct collector *c)
{
	uint64_t sum = (uint64_t)collector_room(c) * c->unit * F2FS_SEGMENT_BLKS;

	for (int log = 0; log < N_DATA_LOGS; log++)
		if (c->is_new[log])
			sum += collector_rest(c->unit, c->head[log], c->next[log]);
	return sum;
}

/* === Victims === */

static size_t find_candidates(const struct collector *c, struct candidate *list)
{
	size_t n = 0;

	for (uint32_t i = 0; i < c->n / c->unit; i++) {
		struct candidate found = { .section = i, .in_use = c->in_use[i] };

		if (!found.in_use || found.in_use == c->unit * F2FS_SEGMENT_BLKS || is_open(c, i))
			continue;
		for (uint32_t k = 0; k < c->unit; k++)
			found.mtime += c->mtime[i * c->unit + k];
		found.mtime /= c->unit;
		list[n++] = found;
	}
	return n;
}

static int by_mtime(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return FIRST(ORDER(x->mtime, y->mtime), ORDER(x->section, y->section));
}

/* get_cb_cost() of F2FS. */
static uint64_t gain_by_cost(const struct collector *c, const struct candidate *one)
{
	uint64_t used = (uint64_t)one->in_use / c->unit * 100 / F2FS_SEGMENT_BLKS, age = 0;

	if (c->now > c->oldest)
		age = 100 - 100 * (max_of(one->mtime, c->oldest) - c->oldest) / (c->now - c->oldest);
	return 100 * (100 - used) * age / (100 + used);
}

/* atgc_lookup_victim() of F2FS. */
static uint64_t gain_by_age(const struct collector *c, const struct candidate *one, uint64_t first, uint64_t last)
{
	uint64_t blks = (uint64_t)c->unit * F2FS_SEGMENT_BLKS;

	return 10000 * (last + 1 - one->mtime) / (last + 1 - first) * ATGC_AGE + 10000 * (blks - one->in_use) / blks * (100 - ATGC_AGE);
}

/* The best candidate; of equal ones the first by number, where F2FS goes on after its last victim. */
static uint32_t find_victim(struct collector *c, bool is_foreground)
{
	enum collector_choice choice = c->choice != CHOICE_F2FS || is_foreground ? c->choice : c->is_atgc ? CHOICE_ATGC : CHOICE_COST_BENEFIT;
	AUTO_FREE struct candidate *list = xcalloc(c->n / c->unit, sizeof(*list));
	size_t n = find_candidates(c, list), looked = n;
	uint32_t best = COLLECTOR_NONE;
	uint64_t best_gain = 0;

	if (choice == CHOICE_ATGC) {
		sort(list, n, sizeof(*list), by_mtime);
		looked = min_of(n, max_of(ATGC_LEAST, n * ATGC_SHARE / 100));
	}
	for (size_t i = 0; i < looked; i++) {
		uint64_t gain = (uint64_t)c->unit * F2FS_SEGMENT_BLKS - list[i].in_use;

		if (choice == CHOICE_COST_BENEFIT)
			gain = gain_by_cost(c, &list[i]);
		else if (choice == CHOICE_ATGC)
			gain = gain_by_age(c, &list[i], list[0].mtime, list[n - 1].mtime);
		if (i && gain <= best_gain)
			continue;
		best_gain = gain;
		best = list[i].section;
	}
	return best;
}

/* === What the recording says === */

/**
 * collector_init() - begin a model
 * @c: the model; to be freed with collector_free()
 * @choice: how it chooses what it collects
 * @state: of the volume, with the bits of segments
 * @unit: segments of a section
 * @now: its time, in seconds
 */
void collector_init(struct collector *c, enum collector_choice choice, const struct f2fs_state *state, uint32_t unit, uint64_t now)
{
	const struct f2fs_segments *segments = &state->segments;
	size_t n = segments->n / unit * unit, blks = n * F2FS_SEGMENT_BLKS;
	uint64_t last = 0;

	*c = (struct collector){ .choice = choice, .is_atgc = state->is_atgc, .n = (uint32_t)n, .unit = unit, .victim = COLLECTOR_NONE, .now = now, .oldest = now };
	c->place = xcalloc(blks, sizeof(*c->place));
	c->block = xcalloc(blks, sizeof(*c->block));
	memset(c->place, 0xff, blks * sizeof(*c->place));
	memset(c->block, 0xff, blks * sizeof(*c->block));
	c->valid = xcalloc(n, sizeof(*c->valid));
	c->type = xcalloc(n, sizeof(*c->type));
	c->mtime = xcalloc(n, sizeof(*c->mtime));
	c->in_use = xcalloc(n / unit, sizeof(*c->in_use));
	c->n_free = c->n / unit;
	if (choice == CHOICE_HOT_COLD)
		c->born = xcalloc(blks, sizeof(*c->born));
	for (size_t i = 0; segments->mtime && i < n; i++)
		last = max_of(last, segments->mtime[i]);
	/* F2FS counts seconds in which the volume was mounted: the last change was a moment ago */
	for (size_t i = 0; i < n; i++) {
		c->type[i] = segments->type[i];
		c->mtime[i] = segments->mtime ? now - min_of(now, last - segments->mtime[i]) : now;
		c->oldest = min_of(c->oldest, c->mtime[i]);
	}
	for (int log = 0; log < N_DATA_LOGS; log++)
		c->head[log] = COLLECTOR_NONE;
}

/**
 * collector_begin() - put blocks where the volume has them
 * @c: the model, without any
 * @use: by block of the volume, enum block_use; is used until the end
 * @status: where the logs are, as far as that is known
 */
void collector_begin(struct collector *c, const uint8_t *use, const struct f2fs_status *status)
{
	c->use = use;
	for (uint32_t i = 0; i < c->n * F2FS_SEGMENT_BLKS; i++)
		if (use[i] >= BLOCK_OTHER)
			put(c, i, i);
	for (int log = 0; log < N_DATA_LOGS; log++) {
		uint32_t end = F2FS_SEGMENT_BLKS;
		int64_t head = status->segments ? status->heads[log] : -1;

		if (head < 0 || head >= c->n)
			continue;
		while (end && c->block[head * F2FS_SEGMENT_BLKS + end - 1] == COLLECTOR_NONE)
			end--;
		c->head[log] = (uint32_t)head;
		c->next[log] = end;
		c->is_new[log] = true;
	}
}

/* The log of data that is written: with %CHOICE_HOT_COLD by how long it lived before. */
static enum f2fs_type log_of(struct collector *c, uint32_t block, uint32_t old, enum f2fs_type log)
{
	uint64_t life;

	if (!c->born)
		return log;
	c->born[block] = c->written;
	if (old == COLLECTOR_NONE)
		return log;
	life = c->written - c->born[old];
	c->lives += life;
	c->n_lives++;
	return life < c->lives / c->n_lives ? F2FS_HOT_DATA : F2FS_WARM_DATA;
}

/**
 * collector_write() - data is written
 * @c: the model
 * @block: where the volume has it now
 * @old: where the volume had it before, or COLLECTOR_NONE
 * @log: the type of F2FS's log
 *
 * If @block is there already, F2FS's state had it before the event came.
 */
void collector_write(struct collector *c, uint32_t block, uint32_t old, enum f2fs_type log)
{
	log = log_of(c, block, old, log);
	c->written++;
	if (old != COLLECTOR_NONE)
		collector_drop(c, old);
	if (c->place[block] == COLLECTOR_NONE)
		append(c, block, log, c->now);
}

/**
 * collector_shift() - F2FS has moved data, which the model need not do
 * @c: the model
 * @block: where the volume has it now; nothing is there in the model
 * @old: where the volume had it before
 */
void collector_shift(struct collector *c, uint32_t block, uint32_t old)
{
	uint32_t at = c->place[old];

	if (at == COLLECTOR_NONE)
		return;
	c->place[old] = COLLECTOR_NONE;
	c->place[block] = at;
	c->block[at] = block;
	if (c->born)
		c->born[block] = c->born[old];
}

/**
 * collector_drop() - a block is not in use any more
 * @c: the model
 * @block: where the volume had it
 */
void collector_drop(struct collector *c, uint32_t block)
{
	uint32_t at = c->place[block];

	if (at == COLLECTOR_NONE)
		return;
	touch(c, at / F2FS_SEGMENT_BLKS, c->now);
	take(c, block);
}

/**
 * collector_collect() - collect a section
 * @c: the model
 * @is_foreground: F2FS does it in the foreground
 *
 * Return: false: there is nothing to collect, or no room for it.
 */
bool collector_collect(struct collector *c, bool is_foreground)
{
	bool keeps_age = c->choice == CHOICE_ATGC || (c->choice == CHOICE_F2FS && c->is_atgc);
	uint32_t blks = c->unit * F2FS_SEGMENT_BLKS, at, end;

	c->victim = find_victim(c, is_foreground);
	if (c->victim == COLLECTOR_NONE)
		return false;
	c->sections++;
	at = c->victim * blks;
	for (end = at + blks; at < end; at++) {
		uint32_t block = c->block[at], from = at / F2FS_SEGMENT_BLKS;
		uint64_t mtime = keeps_age ? c->mtime[from] : c->now;

		if (block == COLLECTOR_NONE)
			continue;
		if (!keeps_age)
			touch(c, from, c->now);
		if (!append(c, block, F2FS_COLD_DATA, mtime))
			break;
		if (c->use[block] == BLOCK_WATCHED)
			c->moved++;
		else
			c->others++;
	}
	c->victim = COLLECTOR_NONE;
	return at == end;
}

/**
 * collector_collect_until() - collect in the foreground until there is enough space
 * @c: the model
 * @space: the blocks that F2FS's logs can write before more sections have to become free
 *
 * Stops where nothing is left to collect, and after %ENOUGH sections: all may be nearly full.
 */
void collector_collect_until(struct collector *c, uint64_t space)
{
	for (uint32_t n = ENOUGH; space_of(c) + c->unit * F2FS_SEGMENT_BLKS / 2 < space && n && collector_collect(c, true); n--)
		;
}

/**
 * collector_free() - release a model
 * @c: as left by collector_init(), or all zeroes
 */
void collector_free(struct collector *c)
{
	free(c->place);
	free(c->block);
	free(c->valid);
	free(c->type);
	free(c->mtime);
	free(c->in_use);
	free(c->born);
	*c = (struct collector){ 0 };
}
