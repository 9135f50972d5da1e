// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who waits for garbage collections: for the lock that one holds, for F2FS's thread, or as it
 * collects itself.
 */

#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "core/base.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/volume.h"
#include "f2fs/private.h"
#include "observers/gc_runs/runs.h"
#include "probes/probe.h"

/* === Who waited =========================================================== */

/* All kernel threads are one process. */
static u32 own_pid(void)
{
	return current->flags & PF_KTHREAD ? FT_GC_KERNEL : current->tgid;
}

static bool is_current(const struct ft_gc_process *p)
{
	return p->pid == own_pid() &&
	       (p->pid == FT_GC_KERNEL || p->born == current->group_leader->start_time);
}

/*
 * The entry of the current process, which has lost @ns now. If all are taken, it gets that of
 * the process with the lowest rank, or lowers that: so none keeps its place by a loss of long ago.
 */
static struct ft_gc_process *process_of(struct ft_collections *runs, u64 ns)
{
	struct ft_gc_process *others = runs->processes, *end = others + runs->nr_processes;
	struct ft_gc_process *p, *least = others + 1;

	for (p = others + 1; p < end; p++) {
		if (is_current(p))
			return p;
		if (p->rank < least->rank)
			least = p;
	}
	if (runs->nr_processes < FT_GC_PROCESSES) {
		runs->nr_processes = max(runs->nr_processes, 1U);
		p = &others[runs->nr_processes++];
	} else if (least->rank < ns) {
		p = least;
		others->runs += p->runs;
		others->waits += p->waits;
		others->own += p->own;
		others->waited += p->waited;
	} else {
		least->rank /= 2;
		return others;
	}
	*p = (struct ft_gc_process){
		.pid = own_pid(),
		.born = current->group_leader->start_time,
	};
	if (p->pid != FT_GC_KERNEL)
		strscpy(p->comm, current->group_leader->comm, sizeof(p->comm));
	return p;
}

/**
 * ft_gc_note_wait() - the current task has lost time to a collection
 * @runs: of the volume
 * @ns: how long
 * @run: the number of the collection
 * @own: it has collected itself
 *
 * Context: @runs->lock held.
 */
void ft_gc_note_wait(struct ft_collections *runs, u64 ns, u32 run, bool own)
{
	struct ft_gc_process *process = process_of(runs, ns);
	struct ft_gc_wait *shortest = runs->longest, *w;

	process->rank += ns;
	if (own) {
		process->runs++;
		process->own += ns;
	} else {
		process->waits++;
		process->waited += ns;
	}
	for (w = runs->longest; w < runs->longest + FT_GC_LONGEST; w++)
		if (w->ns < shortest->ns)
			shortest = w;
	if (ns <= shortest->ns)
		return;
	*shortest = (struct ft_gc_wait){
		.ns = ns,
		.when = ktime_get_real_seconds(),
		.run = run,
		.pid = current->tgid,
		.own = own,
	};
	strscpy(shortest->comm, current->comm, sizeof(shortest->comm));
}

/* A task has waited for a collection, which may have ended since. */
static void add_to_run(struct ft_collections *runs, u32 number, u64 ns)
{
	struct ft_gc_run *run = NULL;
	u32 n;

	if (runs->collector && runs->now.number == number)
		run = &runs->now;
	for (n = 0; !run && n < runs->nr_kept; n++) {
		run = ft_gc_run_kept(runs, n);
		if (run->number == number)
			break;
		run = NULL;
	}
	if (!run)
		return;
	run->waits++;
	run->waited += ns;
}

/* === Following ============================================================ */

/*
 * The kernel calls the first of these functions when a lock is not free; it spins and sleeps until
 * it has it. With gc_merge a task waits for F2FS's thread instead: after the second one it sleeps
 * in the third one, until the thread has collected. Without, it collects after the second one.
 * All that wait for a device call the third one: it is followed only after that thread has
 * collected for somebody.
 *
 * Handlers run with preemption disabled, those of a begin inside an exception where ftrace does not
 * place the probe: so they take no lock, and those of a return a raw one. A kernel without the
 * first function has PREEMPT_RT.
 */
#ifdef FT_FOLLOWS_RETURNS

#define LOCKS	"rwsem_down_write_slowpath"
#define BEFORE	"f2fs_submit_all_merged_ipu_writes"
#define SLEEPS	"io_schedule"

/**
 * struct call - a task that waits
 * @info: F2FS's own data of the volume, if it is one; otherwise of nothing
 * @since: since when, by ktime_get_ns()
 * @run: the last collection that had begun then
 * @held: that was under way; otherwise the holder is about to begin the next one, or is none
 */
struct call {
	const void *info;
	u64 since;
	u32 run;
	bool held;
};

/* The collections of a volume, or %NULL. In an RCU read section. */
static struct ft_collections *runs_of(const void *info)
{
	struct ft_volume *vol = ft_volume_find_info(info);

	return vol ? ft_observed(vol, gc_runs) : NULL;
}

/* A result other than 0 means that the return is not followed. */
static int begin(struct call *call, const void *info)
{
	const struct ft_collections *runs;
	u32 running;

	call->info = info;
	guard(ft_rcu)();
	runs = runs_of(info);
	if (runs) {
		call->since = ktime_get_ns();
		/* in this order: one that begins in between is the one that is waited for */
		call->run = READ_ONCE(runs->nr);
		smp_rmb(); /* with that of probe_begin() */
		running = READ_ONCE(runs->running);
		call->held = running;
		if (running)
			call->run = running;
	}
	return !runs;
}

static int begin_lock(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return begin((struct call *)ri->data,
		     (const char *)regs_get_kernel_argument(regs, 0) - FT_F2FS_GC_LOCK);
}

static int end_wait(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct call *call = (const struct call *)ri->data;
	u64 ns = ktime_get_ns() - call->since;
	struct ft_collections *runs;
	unsigned long flags;
	u32 run = call->run;

	/* F2FS's own thread has nothing else to do */
	if (current->flags & PF_KTHREAD && !strncmp(current->comm, "f2fs_gc-", 8))
		return 0;
	guard(ft_rcu)();
	runs = runs_of(call->info);
	if (runs) {
		raw_spin_lock_irqsave(&runs->lock, flags);
		/* another holder of the lock, a checkpoint for example, is none of ours */
		if (call->held || runs->nr != run) {
			run += !call->held;
			add_to_run(runs, run, ns);
			ft_gc_note_wait(runs, ns, run, false);
		}
		raw_spin_unlock_irqrestore(&runs->lock, flags);
	}
	return 0;
}

/**
 * struct sleeper - a task that is about to sleep until F2FS's thread has collected, or to collect
 * @task: the task, which alone takes and leaves this place; %NULL: it is free
 * @born: when it was started: a later one may have its address
 * @call: its wait
 */
struct sleeper {
	const struct task_struct *task;
	u64 born;
	struct call call;
};

static struct sleeper sleepers[FT_GC_ASLEEP];
static atomic_t nr_sleepers;
static atomic_long_t no_place;
static bool follows_sleeps;	/* written by the work, and by detach after it */

/* Let the current task leave its place, if it has one: true, and its wait. */
static bool leave(struct call *call)
{
	struct sleeper *s;
	bool is_own;

	for (s = sleepers; atomic_read(&nr_sleepers) && s < sleepers + FT_GC_ASLEEP; s++) {
		if (READ_ONCE(s->task) != current)
			continue;
		*call = s->call;
		is_own = s->born == current->start_time;
		smp_store_release(&s->task, NULL); /* the call has been read */
		atomic_dec(&nr_sleepers);
		return is_own;
	}
	return false;
}

static int begin_before(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return begin((struct call *)ri->data, (const void *)regs_get_kernel_argument(regs, 0));
}

static int end_before(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	const void *info = call->info;
	struct sleeper *s;

	leave(call);
	if (!READ_ONCE(follows_sleeps) || begin(call, info))
		return 0;
	for (s = sleepers; s < sleepers + FT_GC_ASLEEP; s++) {
		if (READ_ONCE(s->task) || cmpxchg(&s->task, NULL, current))
			continue;
		s->born = current->start_time;
		s->call = *call;
		atomic_inc(&nr_sleepers);
		return 0;
	}
	atomic_long_inc(&no_place);
	return 0;
}

static int begin_sleep(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return !leave((struct call *)ri->data);
}

/**
 * ft_gc_waits_collects() - the current task does not sleep, but collects
 */
void ft_gc_waits_collects(void)
{
	struct call call;

	leave(&call);
}

static const struct function {
	const char *name;
	kretprobe_handler_t begin, end;
	u32 flags;
} functions[] = {
	{ LOCKS, begin_lock, end_wait, 0 },
	{ BEFORE, begin_before, end_before, 0 },
	{ SLEEPS, begin_sleep, end_wait, KPROBE_FLAG_DISABLED },
};

static struct kretprobe probes[ARRAY_SIZE(functions)];
static bool attached[ARRAY_SIZE(functions)];	/* written by attach and detach only */

static void follow_sleeps(struct work_struct *unused)
{
	struct kretprobe *sleeps = &probes[ARRAY_SIZE(functions) - 1];

	if (!follows_sleeps && !enable_kretprobe(sleeps))
		WRITE_ONCE(follows_sleeps, true);
}

static DECLARE_WORK(merged_work, follow_sleeps);

/**
 * ft_gc_waits_merged() - F2FS's thread collects for writers: see how long they sleep from now on
 *
 * Context: F2FS's event.
 */
void ft_gc_waits_merged(void)
{
	if (attached[ARRAY_SIZE(functions) - 1] && !READ_ONCE(follows_sleeps))
		schedule_work(&merged_work);
}

/* About what the kernel allocates for a probe. */
#define PROBE_BYTES	(FT_GC_WAITING * (sizeof(struct kretprobe_instance) + sizeof(struct call)))

/**
 * ft_gc_waits_attach() - begin to see who waits
 *
 * If this kernel does not have a function, the log says so.
 *
 * Context: process; F2FS is loaded, no probe runs yet.
 */
void ft_gc_waits_attach(void)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		probes[i] = (struct kretprobe){
			.kp.symbol_name = functions[i].name,
			.kp.flags = functions[i].flags,
			.entry_handler = functions[i].begin,
			.handler = functions[i].end,
			.data_size = sizeof(struct call),
			.maxactive = FT_GC_WAITING,
		};
		ft_mem_add(PROBE_BYTES);
		err = register_kretprobe(&probes[i]);
		attached[i] = !err;
		if (!err)
			continue;
		ft_mem_add(-(long)PROBE_BYTES);
		pr_notice("gc_runs: who waits for a collection%s is not known, %s cannot be followed (error %d)\n",
			  i ? " with gc_merge" : "", functions[i].name, err);
		break; /* the others are of no use without it */
	}
}

/**
 * ft_gc_waits_detach() - undo ft_gc_waits_attach(): after it no handler runs
 *
 * Context: process.
 */
void ft_gc_waits_detach(void)
{
	size_t i;

	cancel_work_sync(&merged_work);
	WRITE_ONCE(follows_sleeps, false);
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!attached[i])
			continue;
		unregister_kretprobe(&probes[i]);
		ft_mem_add(-(long)PROBE_BYTES);
		attached[i] = false;
	}
	/* a task between two of these functions has left none behind */
	memset(sleepers, 0, sizeof(sleepers));
	atomic_set(&nr_sleepers, 0);
	atomic_long_set(&no_place, 0);
}

/* Waits of tasks of the machine that were missed. */
static unsigned long missed(void)
{
	unsigned long sum = atomic_long_read(&no_place);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		sum += probes[i].nmissed + probes[i].kp.nmissed;
	return sum;
}

/**
 * ft_gc_waits_lost() - how many waits may have been missed?
 * @runs: of a volume
 *
 * It is not known for which lock a wait was that is missed, as too many tasks of the machine wait.
 *
 * Context: process.
 * Return: at most as many since the last reset; a negative number if none is seen.
 */
long ft_gc_waits_lost(const struct ft_collections *runs)
{
	if (!READ_ONCE(attached[0]) || !ft_call_attached())
		return -1;
	return missed() - runs->missed_before;
}

#endif

/**
 * ft_gc_runs_reset() - forget what was counted
 * @vol: the volume
 *
 * Tasks that wait go on to be measured, and so does a collection under way.
 *
 * Context: process.
 */
void ft_gc_runs_reset(struct ft_volume *vol)
{
	struct ft_collections *runs = ft_observed(vol, gc_runs);

	raw_spin_lock_irq(&runs->lock);
	runs->nr_kept = 0;
	/* so that few collections are enough for a test to come round */
	if (FT_DEBUG)
		runs->newest = FT_GC_RUNS - 3;
	runs->nr_processes = 0;
	runs->missed_before += max(ft_gc_waits_lost(runs), 0L);
	memset(runs->sums, 0, sizeof(runs->sums));
	memset(runs->choices, 0, sizeof(runs->choices));
	memset(runs->processes, 0, sizeof(runs->processes));
	memset(runs->longest, 0, sizeof(runs->longest));
	raw_spin_unlock_irq(&runs->lock);
}
