// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who waits for garbage collections: for the lock that one holds, or as it collects itself.
 */

#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "core/base.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/volume.h"
#include "f2fs/private.h"
#include "observers/gc_runs/runs.h"

/* === Who waited =========================================================== */

static u64 lost_by(const struct ft_gc_process *p)
{
	return p->own + p->waited;
}

/*
 * The entry of the current process, which has lost @ns now. If all are taken, it gets that of
 * the one that has lost least, if that is less: so many that wait briefly push out nobody else.
 */
static struct ft_gc_process *process_of(struct ft_collections *runs, u64 ns)
{
	struct ft_gc_process *others = runs->processes, *end = others + runs->nr_processes;
	struct ft_gc_process *p, *least = others + 1;

	for (p = others + 1; p < end; p++) {
		if (p->pid == current->tgid)
			return p;
		if (lost_by(p) < lost_by(least))
			least = p;
	}
	if (runs->nr_processes < FT_GC_PROCESSES) {
		runs->nr_processes = max(runs->nr_processes, 1U);
		p = &others[runs->nr_processes++];
	} else if (lost_by(least) < ns) {
		p = least;
		others->runs += p->runs;
		others->waits += p->waits;
		others->own += p->own;
		others->waited += p->waited;
	} else {
		return others;
	}
	*p = (struct ft_gc_process){ .pid = current->tgid };
	strscpy(p->comm, current->comm, sizeof(p->comm));
	return p;
}

/**
 * ft_gc_note_wait() - the current task has lost time to a collection
 * @runs: of the volume
 * @ns: how long
 * @run: the number of the collection, or 0
 * @own: it has collected itself
 *
 * Context: @runs->lock held.
 */
void ft_gc_note_wait(struct ft_collections *runs, u64 ns, u32 run, bool own)
{
	struct ft_gc_process *process = process_of(runs, ns);
	struct ft_gc_wait *shortest = runs->longest, *w;

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
		run = &runs->kept[(runs->newest - n) % FT_GC_RUNS];
		if (run->number == number)
			break;
		run = NULL;
	}
	if (!run)
		return;
	run->waits++;
	run->waited += ns;
}

/* === The lock ============================================================= */

/*
 * The kernel calls this function when a lock is not free; it spins and sleeps until it has it.
 * Its handlers run with preemption disabled, and may not take a lock that sleeps. A kernel
 * without it has PREEMPT_RT.
 */
#ifdef FT_FOLLOWS_RETURNS

/**
 * struct call - a task that waits
 * @lock: for which lock; it becomes a collection's own
 * @since: since when, by ktime_get_ns()
 * @run: the last collection that had begun then
 * @held: that was under way; otherwise the holder is about to begin the next one, or is none
 */
struct call {
	const void *lock;
	u64 since;
	u32 run;
	bool held;
};

/* The collections of the volume that has this lock, or %NULL. In an RCU read section. */
static struct ft_collections *runs_of(const void *lock)
{
	struct ft_volume *vol = ft_volume_find_info((const char *)lock - FT_F2FS_GC_LOCK);

	return vol ? ft_observed(vol, gc_runs) : NULL;
}

/* A result other than 0 means that the return is not followed. */
static int begin_wait(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	const struct ft_collections *runs;

	call->lock = (const void *)regs_get_kernel_argument(regs, 0);
	rcu_read_lock();
	runs = runs_of(call->lock);
	if (runs) {
		call->since = ktime_get_ns();
		call->run = READ_ONCE(runs->nr);
		call->held = READ_ONCE(runs->collector);
	}
	rcu_read_unlock();
	return !runs;
}

static int end_wait(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct call *call = (const struct call *)ri->data;
	u64 ns = ktime_get_ns() - call->since;
	struct ft_collections *runs;
	unsigned long flags;
	u32 run = call->run;

	rcu_read_lock();
	runs = runs_of(call->lock);
	if (runs) {
		raw_spin_lock_irqsave(&runs->lock, flags);
		if (!call->held)
			run = runs->nr == run ? 0 : run + 1;
		add_to_run(runs, run, ns);
		ft_gc_note_wait(runs, ns, run, false);
		raw_spin_unlock_irqrestore(&runs->lock, flags);
	}
	rcu_read_unlock();
	return 0;
}

static struct kretprobe waits;
static bool attached;

/* About what the kernel allocates for it. */
#define PROBE_BYTES	(FT_GC_WAITING * (sizeof(struct kretprobe_instance) + sizeof(struct call)))

/**
 * ft_gc_waits_attach() - begin to see who waits
 *
 * If this kernel does not have the function, the log says so.
 *
 * Context: process; no probe runs yet.
 */
void ft_gc_waits_attach(void)
{
	int err;

	waits = (struct kretprobe){
		.kp.symbol_name = "rwsem_down_write_slowpath",
		.entry_handler = begin_wait,
		.handler = end_wait,
		.data_size = sizeof(struct call),
		.maxactive = FT_GC_WAITING,
	};
	ft_mem_add(PROBE_BYTES);
	err = register_kretprobe(&waits);
	attached = !err;
	if (err) {
		ft_mem_add(-(long)PROBE_BYTES);
		pr_notice("gc_runs: who waits for a collection is not known, %s cannot be followed (error %d)\n",
			  waits.kp.symbol_name, err);
	}
}

/**
 * ft_gc_waits_detach() - undo ft_gc_waits_attach(): after it no handler runs
 *
 * Context: process.
 */
void ft_gc_waits_detach(void)
{
	if (!attached)
		return;
	unregister_kretprobe(&waits);
	ft_mem_add(-(long)PROBE_BYTES);
	attached = false;
}

/**
 * ft_gc_waits_known() - is it known who waits for a collection?
 * @lost: set to the number of waits that were missed: too many tasks waited
 *
 * Context: any.
 * Return: true if it is.
 */
bool ft_gc_waits_known(u32 *lost)
{
	*lost = READ_ONCE(attached) ? READ_ONCE(waits.nmissed) : 0;
	return READ_ONCE(attached);
}

#endif

/**
 * ft_gc_runs_reset() - forget what was counted
 * @runs: of a volume
 *
 * Tasks that wait go on to be measured, and so does a collection under way.
 *
 * Context: process.
 */
void ft_gc_runs_reset(struct ft_collections *runs)
{
	raw_spin_lock_irq(&runs->lock);
	runs->nr_kept = 0;
	runs->nr_processes = 0;
	memset(runs->sums, 0, sizeof(runs->sums));
	memset(runs->processes, 0, sizeof(runs->processes));
	memset(runs->longest, 0, sizeof(runs->longest));
	raw_spin_unlock_irq(&runs->lock);
}

