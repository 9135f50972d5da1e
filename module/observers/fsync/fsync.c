// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fsyncs: how long each of their phases takes, and how many node blocks they write.
 *
 * In: begin and end of an fsync and node blocks, from tracepoints; phases and searches for
 * free node IDs, from the functions that F2FS calls meanwhile. Out: histograms of each
 * volume, in the file fsync of debugfs.
 *
 * What is known of an fsync under way is in a table, by the task that is in it. Only
 * this task uses its entry, so no lock is needed. When the fsync ends, all of it is added
 * to the histograms at once. An fsync is ended only by the same task, and a task is in one
 * fsync at most: F2FS calls none inside of one. An entry whose end was not seen, because
 * the probes were removed meanwhile, is used again when the task begins its next fsync, or
 * when the probes are attached again.
 */

#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "core/base.h"
#include "core/bounds.h"
#include "core/memory.h"
#include "core/volume.h"
#include "debugfs/lines.h"
#include "f2fs/state.h"
#include "observers/observers.h"
#include "probes/probing.h"

static bool on;
module_param_named(fsync, on, bool, 0444);
MODULE_PARM_DESC(fsync, "measure where the time of an fsync goes (default: off)");

/**
 * enum fsync_row - what there is a histogram of
 * @FSYNC_WHOLE: all of the fsync
 * @FSYNC_DATA: the first phase, which writes data blocks and waits for them
 * @FSYNC_NODE: that of node blocks
 * @FSYNC_CHECKPOINT: the checkpoint that F2FS writes instead of node blocks
 * @FSYNC_FLUSH: the last phase, the flush of the device's cache. Phases do not overlap.
 * @FSYNC_OTHER: the rest of the fsync
 * @FSYNC_SEARCH: searches for free node IDs by the task meanwhile; the phase that
 *	they are in contains them
 * @FSYNC_BLOCKS: node blocks that the task wrote meanwhile; not a time
 * @FSYNC_ALL_SEARCHES: searches by all tasks, whether in an fsync or not
 * @FSYNC_ALLOC_NID: allocations of a node ID by all tasks, searches included
 * @NR_FSYNC_ROWS: how many histograms there are
 *
 * In the order of the file.
 */
enum fsync_row {
	FSYNC_WHOLE,
	FSYNC_DATA,
	FSYNC_NODE,
	FSYNC_CHECKPOINT,
	FSYNC_FLUSH,
	FSYNC_OTHER,
	FSYNC_SEARCH,
	FSYNC_BLOCKS,
	FSYNC_ALL_SEARCHES,
	FSYNC_ALLOC_NID,
	NR_FSYNC_ROWS
};

/* The last bucket has all that is longer, from 2^30 us (18 minutes) on. */
#define BUCKETS		32
#define REASONS		16

/**
 * struct hist - a histogram
 * @sum: of all values: nanoseconds, or blocks
 * @buckets: how many values were 0, 1, 2 to 3, 4 to 7 microseconds, or blocks, and
 *	so on
 */
struct hist {
	u64 sum;
	u64 buckets[BUCKETS];
};

/**
 * struct counts - what is known of the fsyncs of a volume
 * @failed: fsyncs that returned an error; the histograms contain them
 * @missed: fsyncs that were not measured, because too many tasks were in one
 * @sums: by enum fsync_row
 * @reasons: time of the phase %FSYNC_CHECKPOINT, by F2FS's reason for it
 */
struct counts {
	u64 failed;
	u64 missed;
	struct hist sums[NR_FSYNC_ROWS];
	struct hist reasons[REASONS];
};

/**
 * struct fsyncs - the fsyncs of a volume
 * @lock: protects @counts. Return probes take it, where no lock may sleep
 * @counts: each fsync that has ended is in all of it, or in none
 */
struct fsyncs {
	raw_spinlock_t lock;
	struct counts counts;
};

#define TASK_BITS	7
#define NR_TASKS	BIT(TASK_BITS)

/**
 * struct under_way - an fsync
 * @begun: when, in nanoseconds
 * @spent: nanoseconds, by enum fsync_row
 * @node_blocks: node blocks written
 * @seen: a bit for each of @spent that is known
 * @in_phase: the task is in a phase now
 */
struct under_way {
	u64 begun;
	u64 spent[FSYNC_SEARCH + 1];
	u32 node_blocks;
	unsigned long seen;
	bool in_phase;
};

/**
 * struct table - the fsyncs under way, on all volumes
 * @task: the task that has this entry; only compared
 * @fsync: its fsync
 */
struct table {
	const struct task_struct *task[NR_TASKS];
	struct under_way fsync[NR_TASKS];
};

static struct table *table;

/* === Histograms =========================================================== */

static unsigned int bucket_of(u64 value)
{
	return min_t(unsigned int, fls64(value), BUCKETS - 1);
}

static void add_ns(struct hist *hist, u64 ns)
{
	hist->sum += ns;
	hist->buckets[bucket_of(div_u64(ns, NSEC_PER_USEC))]++;
}

/* === The fsync of this task =============================================== */

/* The entry that @task has near that of the current one; a free one, NULL, is taken. */
static __always_inline struct under_way *entry_of(const struct task_struct *task)
{
	unsigned int home = hash_ptr(current, TASK_BITS), n, i;

	for (n = 0; n < FT_MAX_FSYNCS_SEARCHED; n++) {
		i = (home + n) % NR_TASKS;
		if (READ_ONCE(table->task[i]) == task &&
		    (task || !cmpxchg(&table->task[i], NULL, current)))
			return &table->fsync[i];
	}
	return NULL;
}

/* The task's entry, or NULL if it is in no fsync. */
static struct under_way *own(void)
{
	return entry_of(current);
}

/* The current task begins an fsync. */
static void begin(struct fsyncs *fsyncs)
{
	struct under_way *f = own() ?: entry_of(NULL);

	if (f) {
		*f = (struct under_way){ .begun = ktime_get_ns() };
		return;
	}
	raw_spin_lock(&fsyncs->lock);
	fsyncs->counts.missed++;
	raw_spin_unlock(&fsyncs->lock);
}

/* Add an fsync that ends now to the histograms. */
static void add(struct fsyncs *fsyncs, struct under_way *f, unsigned int reason, int err)
{
	struct counts *counts = &fsyncs->counts;
	unsigned int i;

	f->spent[FSYNC_WHOLE] = ktime_get_ns() - f->begun;
	f->spent[FSYNC_OTHER] = f->spent[FSYNC_WHOLE];
	for (i = FSYNC_DATA; i <= FSYNC_FLUSH; i++)
		f->spent[FSYNC_OTHER] -= f->spent[i];
	f->seen |= BIT(FSYNC_WHOLE) | BIT(FSYNC_OTHER);
	raw_spin_lock(&fsyncs->lock);
	for_each_set_bit(i, &f->seen, ARRAY_SIZE(f->spent))
		add_ns(&counts->sums[i], f->spent[i]);
	counts->sums[FSYNC_BLOCKS].sum += f->node_blocks;
	counts->sums[FSYNC_BLOCKS].buckets[bucket_of(f->node_blocks)]++;
	if (reason)
		add_ns(&counts->reasons[min(reason, REASONS - 1U)], f->spent[FSYNC_CHECKPOINT]);
	counts->failed += err < 0;
	raw_spin_unlock(&fsyncs->lock);
}

/*
 * The current task ends an fsync, and returns @err. @reason: why F2FS has written a
 * checkpoint, by its own number; 0 if it has not. @fsyncs is NULL if the volume is not
 * watched, or not any more.
 */
static void end(struct fsyncs *fsyncs, unsigned int reason, int err)
{
	struct under_way *f = own();

	/* it has begun before the probes were there, or there was no entry */
	if (!f)
		return;
	if (fsyncs)
		add(fsyncs, f, reason, err);
	/* from here on another task may have the entry */
	smp_store_release(&table->task[f - table->fsync], NULL);
}

/* The current task writes a node block. Not inlined: a test leaves it out. */
static noinline void fsync_node_block(void)
{
	struct under_way *f = own();

	if (f)
		f->node_blocks++;
}

/* === The fsyncs of a volume =============================================== */

static void watch(void *state)
{
	raw_spin_lock_init(&((struct fsyncs *)state)->lock);
}

/* === Functions of F2FS ==================================================== */

/*
 * Handlers run with preemption disabled, and those of a begin inside an exception where
 * ftrace does not place the probe. So these take no lock, those of a return a raw one. None
 * of these functions runs in an interrupt or inside a handler, so no probe is missed for
 * that. A function that this kernel does not have, because its compiler has inlined it
 * for example, is named in the log and in the file; nothing else stands in for it.
 * f2fs_build_free_nids() is inlined where F2FS allocates a node ID;
 * __f2fs_build_free_nids(), which it calls, is not. It begins when the lock that
 * searches wait for is held.
 */
#ifdef FT_FOLLOWS_RETURNS

/* Calls of one function that can be followed at a time. */
#define MAX_ACTIVE	128

/**
 * struct call - a call that is under way
 * @begun: when, in nanoseconds
 * @info: F2FS's state of the volume, if the function gets it; only compared
 */
struct call {
	u64 begun;
	const void *info;
};

/**
 * struct function - a function of F2FS that is followed
 * @name: its name
 * @rows: a bit for each row of the file that is known if all functions with its bit are
 *	followed; the first one is that of its time
 */
struct function {
	const char *name;
	u32 rows;
};

#define A_PHASE(row)	(BIT(row) | BIT(FSYNC_OTHER))

static const struct function functions[] = {
	{ "file_write_and_wait_range", A_PHASE(FSYNC_DATA) },
	{ "f2fs_fsync_node_pages", A_PHASE(FSYNC_NODE) },
	{ "f2fs_wait_on_node_pages_writeback", A_PHASE(FSYNC_NODE) },
	{ "f2fs_sync_fs", A_PHASE(FSYNC_CHECKPOINT) },
	{ "f2fs_issue_flush", A_PHASE(FSYNC_FLUSH) },
	{ "__f2fs_build_free_nids", BIT(FSYNC_SEARCH) | BIT(FSYNC_ALL_SEARCHES) },
	{ "f2fs_alloc_nid", BIT(FSYNC_ALLOC_NID) },
};

#define NR_FUNCTIONS	ARRAY_SIZE(functions)

static struct kretprobe probes[NR_FUNCTIONS];

/* === Handlers ============================================================= */

static enum fsync_row row_of(struct kretprobe_instance *ri)
{
	const struct kretprobe *probe = get_kretprobe(ri);

	return probe ? __ffs(functions[probe - probes].rows) : NR_FSYNC_ROWS;
}

/* A return value other than 0 means that the return of this call is not followed. */
static int begin_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	struct under_way *f;

	if (row_of(ri) <= FSYNC_FLUSH) {
		f = own();
		if (!f || f->in_phase)
			return 1;
		f->in_phase = true;
	}
	call->info = (const void *)regs_get_kernel_argument(regs, 0);
	call->begun = ktime_get_ns();
	return 0;
}

/* False if the volume is not watched. */
static bool count_for_all(const struct call *call, enum fsync_row row, u64 ns)
{
	struct ft_volume *vol;
	struct fsyncs *fsyncs;

	guard(ft_rcu)();
	vol = ft_volume_find_info(call->info);
	if (vol) {
		fsyncs = ft_observed(vol, fsync);
		raw_spin_lock(&fsyncs->lock);
		add_ns(&fsyncs->counts.sums[row], ns);
		raw_spin_unlock(&fsyncs->lock);
	}
	return vol;
}

static int end_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct call *call = (const struct call *)ri->data;
	u64 ns = ktime_get_ns() - call->begun;
	enum fsync_row row = row_of(ri);
	struct under_way *f;

	if (row == FSYNC_ALLOC_NID)
		count_for_all(call, row, ns);
	if (row > FSYNC_SEARCH ||
	    (row == FSYNC_SEARCH && !count_for_all(call, FSYNC_ALL_SEARCHES, ns)))
		return 0;
	f = own();
	if (!f || (row <= FSYNC_FLUSH && !f->in_phase))
		return 0;
	if (row <= FSYNC_FLUSH)
		f->in_phase = false;
	f->spent[row] += ns;
	f->seen |= BIT(row);
	return 0;
}

/* === Attaching ============================================================ */

#define ATTACHED	1

static int states[NR_FUNCTIONS];	/* ATTACHED, 0, or an error of attaching */
static DEFINE_MUTEX(attach_lock);	/* protects all of the above */

/* About what the kernel allocates for a probe. */
static size_t bytes_of_probe(void)
{
	return MAX_ACTIVE * (sizeof(struct kretprobe_instance) + sizeof(struct call));
}

/*
 * Start to follow the functions, before the probe that begins an fsync is attached: so all
 * phases are seen of each fsync whose begin is seen.
 */
static void attach(void)
{
	size_t i;
	int err;

	/* forget the fsyncs that were under way; no probe runs */
	memset(table, 0, sizeof(*table));
	guard(mutex)(&attach_lock);
	for (i = 0; i < NR_FUNCTIONS; i++) {
		probes[i] = (struct kretprobe){
			.kp.symbol_name = functions[i].name,
			.entry_handler = begin_call,
			.handler = end_call,
			.data_size = sizeof(struct call),
			.maxactive = MAX_ACTIVE,
		};
		ft_mem_add(bytes_of_probe());
		err = register_kretprobe(&probes[i]);
		WRITE_ONCE(states[i], err ?: ATTACHED);
		if (err) {
			ft_mem_add(-(long)bytes_of_probe());
			pr_warn("cannot follow %s (%d): fsync does not tell how long it takes\n",
				functions[i].name, err);
		}
	}
}

/* Stop following the functions: after it no handler runs. */
static void detach(void)
{
	size_t i;

	guard(mutex)(&attach_lock);
	for (i = 0; i < NR_FUNCTIONS; i++)
		if (states[i] == ATTACHED) {
			unregister_kretprobe(&probes[i]);
			WRITE_ONCE(states[i], 0);
			ft_mem_add(-(long)bytes_of_probe());
		}
}

/* Does this kernel tell what is in a row of the file? */
static bool knows_row(enum fsync_row row)
{
	size_t i;

	for (i = 0; i < NR_FUNCTIONS; i++)
		if (READ_ONCE(states[i]) < 0 && functions[i].rows & BIT(row))
			return false;
	return true;
}

/* Name the functions of which calls are not known. */
static void show_unknown(struct seq_file *m)
{
	unsigned long missed;
	size_t i;

	guard(mutex)(&attach_lock);
	for (i = 0; i < NR_FUNCTIONS; i++) {
		if (states[i] < 0)
			seq_printf(m, "# not known: %s cannot be followed (%d)\n",
				   functions[i].name, states[i]);
		missed = states[i] == ATTACHED ? READ_ONCE(probes[i].nmissed) +
						 READ_ONCE(probes[i].kp.nmissed) : 0;
		if (missed)
			seq_printf(m, "# not known: %lu calls of %s were missed\n",
				   missed, functions[i].name);
	}
}

#else

static void attach(void)
{
	memset(table, 0, sizeof(*table));
}

static void detach(void)
{
}

static bool knows_row(enum fsync_row row)
{
	return row == FSYNC_WHOLE || row == FSYNC_BLOCKS;
}

static void show_unknown(struct seq_file *m)
{
	seq_puts(m, "# not known: this kernel has no return probes\n");
}

#endif

/* === Probes =============================================================== */

static void probe_sync_enter(void *unused, struct inode *inode)
{
	ft_probe_volume(vol, inode->i_sb, inode->i_ino)
		begin(ft_observed(vol, fsync));
}

static void probe_sync_exit(void *unused, struct inode *inode, int cp_reason, int datasync, int ret)
{
	struct ft_volume *vol;

	if (!ft_probe_enter(inode->i_sb, inode->i_ino))
		return;
	vol = ft_volume_find(inode->i_sb);
	end(vol ? ft_observed(vol, fsync) : NULL, cp_reason, ret);
	ft_probe_leave();
}

static void probe_submit_write(void *unused, FT_PAGE *what, struct f2fs_io_info *fio)
{
	if (fio->type == NODE)
		fsync_node_block();
}

/* The exit first: an fsync that has been seen to begin must be seen to end. */
static const struct ft_probe tracepoints[] = {
	FT_PROBE(f2fs_sync_file_exit, probe_sync_exit),
	FT_PROBE(f2fs_sync_file_enter, probe_sync_enter),
	FT_PROBE(FT_SUBMIT_WRITE, probe_submit_write),
	{ }
};

/* === The text ============================================================= */

static const char * const names[] = {
	[FSYNC_WHOLE] = "fsync",
	[FSYNC_DATA] = "data",
	[FSYNC_NODE] = "node",
	[FSYNC_CHECKPOINT] = "checkpoint",
	[FSYNC_FLUSH] = "flush",
	[FSYNC_OTHER] = "other",
	[FSYNC_SEARCH] = "search",
	[FSYNC_BLOCKS] = "node_blocks",
	[FSYNC_ALL_SEARCHES] = "all_searches",
	[FSYNC_ALLOC_NID] = "alloc_nid",
};
static_assert(ARRAY_SIZE(names) == NR_FSYNC_ROWS);

/*
 * So many fsyncs wrote nodes. If F2FS has reported no node block in any of them, then
 * it does not report nodes.
 */
#define MANY_FSYNCS	64

static void show_begin(struct seq_file *m, dev_t dev, const char *name)
{
	seq_printf(m, "%u:%u %s", MAJOR(dev), MINOR(dev), name);
}

static u64 nr_values(const struct hist *hist)
{
	u64 nr = 0;
	unsigned int b;

	for (b = 0; b < BUCKETS; b++)
		nr += hist->buckets[b];
	return nr;
}

/* The number of values, their sum, and LEAST:VALUES for each bucket in use. */
static void show_hist(struct seq_file *m, const struct hist *hist, bool known)
{
	unsigned int b;

	if (!known) {
		seq_puts(m, " - -\n");
		return;
	}
	seq_printf(m, " %llu %llu", nr_values(hist), hist->sum);
	for (b = 0; b < BUCKETS; b++)
		if (hist->buckets[b])
			seq_printf(m, " %lu:%llu", b ? BIT(b - 1) : 0, hist->buckets[b]);
	seq_putc(m, '\n');
}

/* Is what is counted in this row known on this volume? */
static bool knows(const struct counts *counts, enum fsync_row row)
{
	if (row == FSYNC_BLOCKS && !counts->sums[row].sum &&
	    nr_values(&counts->sums[FSYNC_NODE]) >= MANY_FSYNCS)
		return false;
	return knows_row(row);
}

static void show_reasons(struct seq_file *m, dev_t dev, const struct counts *counts)
{
	unsigned int r;
	u64 nr;

	for (r = 1; r < REASONS; r++) {
		nr = nr_values(&counts->reasons[r]);
		if (!nr)
			continue;
		show_begin(m, dev, names[FSYNC_CHECKPOINT]);
		seq_printf(m, ":%s", ft_state_checkpoint_reason(r));
		if (knows_row(FSYNC_CHECKPOINT))
			show_hist(m, &counts->reasons[r], true);
		else
			seq_printf(m, " %llu -\n", nr);
	}
}

static void show_volume(struct seq_file *m, const struct ft_volume *vol, struct counts *counts)
{
	struct fsyncs *fsyncs = ft_observed(vol, fsync);
	enum fsync_row row;

	raw_spin_lock(&fsyncs->lock);
	*counts = fsyncs->counts;
	raw_spin_unlock(&fsyncs->lock);
	if (!knows(counts, FSYNC_BLOCKS))
		seq_printf(m, "# not known: %u:%u node_blocks: F2FS reported no node that it wrote in %llu fsyncs\n",
			   MAJOR(vol->dev), MINOR(vol->dev),
			   nr_values(&counts->sums[FSYNC_NODE]));
	for (row = 0; row < NR_FSYNC_ROWS; row++) {
		show_begin(m, vol->dev, names[row]);
		show_hist(m, &counts->sums[row], knows(counts, row));
		if (row == FSYNC_CHECKPOINT)
			show_reasons(m, vol->dev, counts);
	}
	show_begin(m, vol->dev, "failed");
	seq_printf(m, " %llu -\n", counts->failed);
	show_begin(m, vol->dev, "missed");
	seq_printf(m, " %llu -\n", counts->missed);
}

static void show(struct seq_file *m, const struct ft_lines *lines)
{
	struct counts *counts;
	struct ft_volume *vol;
	unsigned int n;

	show_unknown(m);
	seq_puts(m, "# dev what count sum us:count... (node_blocks: blocks; other sums: ns)\n");
	counts = kmalloc(sizeof(*counts), GFP_KERNEL);
	if (!counts) {
		seq_puts(m, "# not known: out of memory\n");
		return;
	}
	ft_for_each_volume(vol, n)
		show_volume(m, vol, counts);
	kfree(counts);
}

/* Forget all that have ended. An fsync that is under way counts when it ends. */
static void reset(struct ft_volume *vol)
{
	struct fsyncs *fsyncs = ft_observed(vol, fsync);

	raw_spin_lock(&fsyncs->lock);
	memset(&fsyncs->counts, 0, sizeof(fsyncs->counts));
	raw_spin_unlock(&fsyncs->lock);
}

static const struct ft_text text = {
	.name = "fsync",
	.version = 1,
	.on = &on,
	.parameter = "fsync",
	.head = show,
	.reset = reset,
};

/* === Life ================================================================= */

static int init(void)
{
	if (!on)
		return 0;
	table = ft_mem_zalloc(sizeof(*table), GFP_KERNEL);
	return table ? 0 : -ENOMEM;
}

static void exit_fsync(void)
{
	ft_mem_free(table, sizeof(*table));
}

const struct ft_observer ft_fsync = {
	.text = &text,
	.on = &on,
	.init = init,
	.exit = exit_fsync,
	.probes = tracepoints,
	.attach = attach,
	.detach = detach,
	.state_size = sizeof(struct fsyncs),
	.watch = watch,
};
