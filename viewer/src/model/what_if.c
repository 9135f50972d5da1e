// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a recording with events -> what garbage collection would have moved if it chose its sections otherwise.
 *
 * Several models of a volume begin where the recording does. All get what programs write and delete, as the events have it, and
 * collect when F2FS does. What events do not tell, nodes and what is not watched, follows with the state of F2FS beside each snapshot.
 */
#include "input/f2fs_state.h"
#include "input/replay_state.h"
#include "model/what_if.h"
#include "module/format/cause.h"

/* The recording, while it is read. */
struct reading {
	struct what_if *what_if;
	const struct recording *recording;
	size_t at;
};

/* === What F2FS does === */

static void count_nodes(struct what_if_volume *w, uint32_t section, int more)
{
	bool had_any = w->nodes[section];

	w->nodes[section] += (uint32_t)more;
	FOR_EACH_MODEL(c, w)
		c->n_nodes += (uint32_t)(!!w->nodes[section] - had_any);
}

static void begin_block(struct what_if_volume *w, uint32_t block, enum block_use use)
{
	uint32_t section = block / F2FS_SEGMENT_BLKS / w->unit;

	w->use[block] = use;
	w->in_segment[block / F2FS_SEGMENT_BLKS]++;
	w->n_free -= !w->in_use[section]++;
	if (use == BLOCK_NODE)
		count_nodes(w, section, 1);
}

static void end_block(struct what_if_volume *w, uint32_t block)
{
	uint32_t section = block / F2FS_SEGMENT_BLKS / w->unit;

	if (w->use[block] == BLOCK_NODE)
		count_nodes(w, section, -1);
	w->use[block] = BLOCK_FREE;
	w->in_segment[block / F2FS_SEGMENT_BLKS]--;
	if (--w->in_use[section])
		return;
	w->n_free++;
	w->begun[section] = false;
}

static void drop(struct what_if_volume *w, uint32_t block)
{
	if (!w->use[block])
		return;
	end_block(w, block);
	FOR_EACH_MODEL(c, w)
		collector_drop(c, block);
}

/* All that is left in a segment that was nodes', or not watched, went before F2FS began anew with it. */
static void begin_anew(struct what_if_volume *w, uint32_t block)
{
	uint32_t end = block + F2FS_SEGMENT_BLKS;

	for (uint32_t i = block; i < end; i++)
		if (w->use[i] == BLOCK_WATCHED)
			return;
	for (uint32_t i = block; i < end; i++)
		drop(w, i);
}

/* F2FS opens a segment: does it fill holes there, and with how many free sections? Return: whether it is a free one. */
static bool open_segment(struct what_if_volume *w, uint32_t block)
{
	uint32_t limit = w->models[CHOICE_F2FS].holes_limit;
	bool is_new;

	if (block % F2FS_SEGMENT_BLKS == 0)
		begin_anew(w, block);
	is_new = !w->in_segment[block / F2FS_SEGMENT_BLKS];
	if (!is_new)
		limit = w->is_lfs ? 0 : (uint32_t)max_of(limit, w->n_free);
	else if (limit >= w->n_free)
		limit = w->n_free ? w->n_free - 1 : 0;
	FOR_EACH_MODEL(c, w)
		c->holes_limit = limit;
	return is_new;
}

static enum f2fs_type type_of(const struct what_if_volume *w, uint32_t block)
{
	uint8_t type = w->type[block / F2FS_SEGMENT_BLKS];

	return f2fs_type_is_node(type) ? F2FS_WARM_DATA : type;
}

/* The log that goes on in another segment: if one is at the end of its own, that; else by the type at the next snapshot. */
static enum f2fs_type find_log(const struct what_if_volume *w, uint32_t block)
{
	enum f2fs_type by_type = type_of(w, block), log = by_type;
	int found = 0;

	for (enum f2fs_type i = F2FS_HOT_DATA; i < N_DATA_LOGS; i++) {
		if (w->last[i] == COLLECTOR_NONE || (w->last[i] + 1) % F2FS_SEGMENT_BLKS)
			continue;
		if (found++)
			return by_type;
		log = i;
	}
	return log;
}

/* Which log of F2FS has written a block? */
static enum f2fs_type follow_log(struct what_if_volume *w, uint32_t block, bool is_collection)
{
	enum f2fs_type log = F2FS_HOT_DATA;

	while (log < N_DATA_LOGS && w->last[log] / F2FS_SEGMENT_BLKS != block / F2FS_SEGMENT_BLKS)
		log++;
	if (log == N_DATA_LOGS) {
		log = is_collection ? F2FS_COLD_DATA : find_log(w, block);
		w->is_new[log] = open_segment(w, block);
	}
	w->last[log] = block;
	return log;
}

static void write_block(struct what_if_volume *w, uint32_t block, uint32_t old, enum block_use use, enum f2fs_type log)
{
	bool has_old = old < w->n && w->use[old];

	FOR_EACH_MODEL(c, w)
		collector_write(c, block, has_old ? old : COLLECTOR_NONE, log);
	if (w->use[block])
		end_block(w, block);
	begin_block(w, block, use);
	if (has_old)
		end_block(w, old);
}

/* The blocks that F2FS's logs can write before more sections have to become free. */
static uint64_t space_of(const struct what_if_volume *w)
{
	uint64_t sum = (uint64_t)w->n_free * w->unit * F2FS_SEGMENT_BLKS;

	for (int i = 0; i < N_DATA_LOGS; i++)
		sum += w->is_new[i] ? collector_rest(w->unit, w->last[i] / F2FS_SEGMENT_BLKS, w->last[i] % F2FS_SEGMENT_BLKS + 1) : 0;
	return sum;
}

/*
 * In the background F2FS collects while nobody needs it: each model collects a section where F2FS begins with one. In the foreground it
 * needs free sections: where it has emptied one, each model collects until it has as much space.
 */
static void collect(struct what_if_volume *w, bool is_begun, bool is_empty, bool is_foreground)
{
	FOR_EACH_MODEL(c, w) {
		if (is_foreground && is_empty)
			collector_collect_until(c, space_of(w));
		else if (!is_foreground && is_begun)
			collector_collect(c, false);
	}
}

static void move_block(struct what_if_volume *w, uint32_t block, uint32_t old, bool is_foreground)
{
	bool *is_begun, is_first;

	w->moved++;
	if (old >= w->n || !w->use[old]) {
		write_block(w, block, old, BLOCK_WATCHED, F2FS_COLD_DATA);
		return;
	}
	is_begun = &w->begun[old / F2FS_SEGMENT_BLKS / w->unit];
	is_first = !*is_begun;
	*is_begun = true;
	w->sections += is_first;
	drop(w, block);
	FOR_EACH_MODEL(c, w)
		collector_shift(c, block, old);
	begin_block(w, block, BLOCK_WATCHED);
	end_block(w, old);
	collect(w, is_first, !*is_begun, is_foreground);
}

/* === Events === */

/* Places that are only found, or that other blocks of files have now, are not written. */
static void place_block(struct what_if_volume *w, const struct event *e, uint32_t block, uint32_t old)
{
	enum ft_op op = e->op;
	bool is_collection = op == FT_OP_GC_BG || op == FT_OP_GC_FG;
	enum f2fs_type log;

	if (block == old)
		return;
	if ((op == FT_OP_UNKNOWN || op == FT_OP_RANGE) && w->use[block] >= BLOCK_OTHER) {
		w->use[block] = BLOCK_WATCHED;
		return;
	}
	log = follow_log(w, block, is_collection);
	if (is_collection) {
		move_block(w, block, old, op == FT_OP_GC_FG);
	} else {
		w->written++;
		write_block(w, block, old, BLOCK_WATCHED, log);
	}
}

/* Return: at least w->n if it is not in the main area, or not written. */
static uint32_t block_of(const struct what_if_volume *w, uint32_t lba)
{
	return lba == FT_SNAP_UNWRITTEN || lba < w->first ? COLLECTOR_NONE : lba - w->first;
}

static void place(struct what_if_volume *w, const struct changing *f, const struct event *e)
{
	for (uint32_t i = 0; i < e->length && block_of(w, e->lba + i) < w->n; i++)
		place_block(w, e, block_of(w, e->lba + i), block_of(w, replay_lba_of(f, e->offset + i)));
}

static void drop_range(struct what_if_volume *w, const struct changing *f, uint32_t lblk, uint32_t end)
{
	for (const struct ft_snap_extent *x = f->ext + replay_first_after(f, lblk); x < f->ext + f->n && x->lblk < end; x++) {
		uint32_t from = x->lblk < lblk ? lblk - x->lblk : 0, to = (uint32_t)min_of(x->len, end - x->lblk);

		for (uint32_t i = from; i < to && block_of(w, x->lba + i) < w->n; i++)
			drop(w, block_of(w, x->lba + i));
	}
}

static struct what_if_volume *volume_at(const struct what_if *what_if, uint32_t dev)
{
	for (size_t i = 0; i < what_if->n; i++)
		if (what_if->volumes[i].dev == dev)
			return &what_if->volumes[i];
	return NULL;
}

static void on_event(void *arg, struct replay_state *s, const struct event *e)
{
	const struct reading *r = arg;
	struct what_if_volume *w = volume_at(r->what_if, e->dev);
	uint32_t volume = replay_volume_at(s, e->dev);

	if (w && volume < s->table.n_volumes) {
		const struct changing *f = replay_file_at(s, volume, e->ino);

		FOR_EACH_MODEL(c, w)
			c->now = max_of(c->now, e->time_ns / NSEC_PER_SEC);
		if (e->kind == EVENT_PLACED)
			place(w, f, e);
		else if (e->kind == EVENT_HOLE)
			drop_range(w, f, e->offset, e->offset + e->length);
		else if (e->kind == EVENT_NEW || e->kind == EVENT_GONE)
			drop_range(w, f, 0, UINT32_MAX);
	}
	replay_apply(s, e);
}

/* === Snapshots === */

/* What F2FS's own state has of a block, by its type at the snapshot. */
static enum block_use use_of(const struct what_if_volume *w, const struct f2fs_segments *segments, uint32_t block)
{
	if (!(segments->map[block / 8] & 0x80 >> block % 8))
		return BLOCK_FREE;
	return f2fs_type_is_node(w->type[block / F2FS_SEGMENT_BLKS]) ? BLOCK_NODE : BLOCK_OTHER;
}

/* By block, enum block_use; without a new state of F2FS, what is not watched stays. */
static uint8_t *uses_at(const struct what_if_volume *w, const struct replay_state *s, uint32_t volume, const struct f2fs_segments *segments)
{
	bool is_known = segments->map && segments->n * F2FS_SEGMENT_BLKS >= w->n;
	uint8_t *uses = xcalloc(w->n, sizeof(*uses));

	for (uint32_t i = 0; i < w->n; i++)
		uses[i] = is_known ? use_of(w, segments, i) : w->use[i] == BLOCK_WATCHED ? BLOCK_FREE : w->use[i];
	for (size_t i = 0; i < s->n_files; i++) {
		const struct changing *f = &s->files[i];

		for (size_t k = 0; f->volume == volume && k < f->n; k++)
			for (uint32_t j = 0; j < f->ext[k].len && block_of(w, f->ext[k].lba + j) < w->n; j++)
				uses[block_of(w, f->ext[k].lba + j)] = BLOCK_WATCHED;
	}
	return uses;
}

static struct what_if_volume *begin_volume(struct what_if *what_if, uint32_t dev, uint32_t first, const struct f2fs_state *state, uint64_t now_s)
{
	uint32_t unit = (uint32_t)max_of(1, state->super.segs_per_sec), n = (uint32_t)state->segments.n / unit * unit;
	struct what_if_volume *w = APPEND(what_if->volumes, what_if->n, what_if->cap);

	*w = (struct what_if_volume){ .dev = dev, .first = first, .n = n * F2FS_SEGMENT_BLKS, .unit = unit, .n_free = n / unit, .is_lfs = state->is_lfs };
	w->use = xcalloc(w->n, sizeof(*w->use));
	w->is_seen = xcalloc(w->n, sizeof(*w->is_seen));
	w->type = xcalloc(n, sizeof(*w->type));
	w->in_segment = xcalloc(n, sizeof(*w->in_segment));
	w->in_use = xcalloc(n / unit, sizeof(*w->in_use));
	w->nodes = xcalloc(n / unit, sizeof(*w->nodes));
	w->begun = xcalloc(n / unit, sizeof(*w->begun));
	memset(w->last, 0xff, sizeof(w->last));
	for (int i = 0; i < N_CHOICES; i++)
		if (what_if->choices[i])
			collector_init(&w->models[i], i, state, unit, now_s);
	return w;
}

/*
 * What events have not told: first what is not in use any more, then what is. Data for which the event is still to come, as the state of
 * F2FS is a moment younger than the snapshot, is not taken for other data: that is there at the next snapshot, too.
 */
static void catch_up(struct what_if_volume *w, const uint8_t *uses)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->use[i] && (!uses[i] || (w->use[i] == BLOCK_NODE) != (uses[i] == BLOCK_NODE)))
			drop(w, i);
	for (uint32_t i = 0; i < w->n; i++) {
		bool was_seen = w->is_seen[i];

		w->is_seen[i] = uses[i] == BLOCK_OTHER;
		if (w->use[i])
			w->use[i] = uses[i];
		else if (uses[i] == BLOCK_NODE)
			begin_block(w, i, BLOCK_NODE);
		else if (uses[i] == BLOCK_WATCHED || (uses[i] && was_seen))
			write_block(w, i, COLLECTOR_NONE, uses[i], type_of(w, i));
	}
}

static void begin_all(struct what_if_volume *w, const uint8_t *uses, const struct f2fs_status *status)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (uses[i])
			begin_block(w, i, uses[i]);
	FOR_EACH_MODEL(c, w)
		collector_begin(c, w->use, status);
	for (int i = 0; i < N_DATA_LOGS; i++) {
		const struct collector *c = &w->models[CHOICE_F2FS];

		w->is_new[i] = c->is_new[i] && c->next[i];
		w->last[i] = w->is_new[i] ? c->head[i] * F2FS_SEGMENT_BLKS + c->next[i] - 1 : COLLECTOR_NONE;
	}
}

/* Types are those of the next snapshot: in between, free segments get theirs. */
static void take_types(struct what_if_volume *w, const struct f2fs_segments *segments)
{
	if (segments->n * F2FS_SEGMENT_BLKS >= w->n)
		memcpy(w->type, segments->type, w->n / F2FS_SEGMENT_BLKS);
}

static void on_volume(struct what_if *what_if, const struct replay_state *s, uint32_t volume, const struct f2fs_state *now, const struct f2fs_state *next)
{
	const struct volume *v = &s->table.volumes[volume];
	uint32_t dev = (uint32_t)v->major << DEV_SHIFT | v->minor;
	struct what_if_volume *w = volume_at(what_if, dev);
	bool is_new = !w;

	if (is_new && !now->segments.map)
		return;
	if (is_new)
		w = begin_volume(what_if, dev, (uint32_t)v->first_blk, now, s->copied_ns / NSEC_PER_SEC);
	take_types(w, &now->segments);
	AUTO_FREE uint8_t *uses = uses_at(w, s, volume, &now->segments);
	if (is_new)
		begin_all(w, uses, &now->status);
	else
		catch_up(w, uses);
	take_types(w, &next->segments);
}

static struct f2fs_state *states_at(const struct reading *r, size_t i, const struct table *table)
{
	const char *dir = i < r->recording->n ? r->recording->list[i].state : NULL;
	struct f2fs_state *states;
	char *trouble;

	if (!dir)
		return xcalloc(table->n_volumes, sizeof(*states));
	states = f2fs_states_read(table, dir, &trouble);
	if (trouble)
		warn("%s", trouble);
	free(trouble);
	return states;
}

static void on_begin(void *arg, const struct replay_state *s)
{
	const struct reading *r = arg;
	struct f2fs_state *now = states_at(r, r->at, &s->table), *next = states_at(r, r->at + 1, &s->table);

	for (size_t i = 0; i < s->table.n_volumes; i++)
		on_volume(r->what_if, s, (uint32_t)i, &now[i], &next[i]);
	f2fs_states_free(now, s->table.n_volumes);
	f2fs_states_free(next, s->table.n_volumes);
}

/**
 * what_if_read() - find out what garbage collection would have moved
 * @what_if: its choices are set; to be freed with what_if_free()
 * @recording: the recording
 *
 * Ends the program if there are no events or no state of F2FS, or the recording cannot be read.
 */
void what_if_read(struct what_if *what_if, const struct recording *recording)
{
	struct reading r = { .what_if = what_if, .recording = recording };
	const struct replay_follower follower = { .begin = on_begin, .event = on_event, .arg = &r };
	bool has_events = false;

	for (r.at = 0; r.at < recording->n; r.at++) {
		bool is_known = recording->list[r.at].events;
		struct span span;

		recording_follow(recording, r.at, &span, &follower);
		if (!r.at)
			what_if->first_ns = span.first_ns;
		what_if->last_ns = span.last_ns;
		what_if->known_ns += is_known ? span.last_ns - span.first_ns : 0;
		what_if->n_gaps += !is_known || span.has_gap;
		has_events |= is_known;
	}
	if (!has_events)
		die("%s: has no events; expected a folder that fragtrace record --events wrote", recording->dir);
	if (!what_if->n)
		die("%s: has no segment_bits of F2FS, which fragtrace record keeps of volumes up to 128 GiB; record again", recording->dir);
}

/**
 * what_if_free() - release the volumes
 * @what_if: as left by what_if_read()
 */
void what_if_free(struct what_if *what_if)
{
	for (size_t i = 0; i < what_if->n; i++) {
		struct what_if_volume *w = &what_if->volumes[i];

		FOR_EACH_MODEL(c, w)
			collector_free(c);
		free(w->use);
		free(w->is_seen);
		free(w->type);
		free(w->in_segment);
		free(w->in_use);
		free(w->nodes);
		free(w->begun);
	}
	free(what_if->volumes);
}
