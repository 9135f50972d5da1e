// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of fragtrace's probes for each event. This module attaches a probe
 * before and one after all others on the tracepoints of each block. It adds up
 * the differences of the time stamp counter between the two. In a guest whose
 * QEMU counts instructions (guest.sh -I), the counter counts them.
 *
 *	/sys/kernel/debug/event_cost	read: one line for each tracepoint, in cycles
 *					write: reset everything
 *
 * Without fragtrace it measures its own cost, which must be subtracted. With
 * several CPUs a probe also waits for probes on other CPUs.
 */

#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/timex.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include <asm/tsc.h>

/* Larger costs are summed up exactly, but share one bin. */
#define NR_BINS		65536

/**
 * struct site - one tracepoint
 * @name: its name
 * @tp: the tracepoint, after F2FS was found
 * @nr: number of hits
 * @sum: total cost
 * @max: maximum cost of a hit
 * @bins: number of hits by cost
 */
struct site {
	const char *name;
	struct tracepoint *tp;
	u64 nr;
	u64 sum;
	u64 max;
	u32 *bins;
};

/**
 * struct hit - the current event of a CPU
 * @begin: value of the counter before the other probes; 0: nothing is measured
 * @flags: state of interrupts at that time
 */
struct hit {
	u64 begin;
	unsigned long flags;
};

static DEFINE_PER_CPU(struct hit, hits);
static DEFINE_SPINLOCK(lock);	/* protects the sums in sites */

static struct site sites[] = {
	{ .name = "f2fs_submit_page_write" },
	{ .name = "f2fs_submit_folio_write" },
	{ .name = "f2fs_update_read_extent_tree_range" },
	{ .name = "f2fs_map_blocks" },
};

static struct dentry *file;

/* === Probes =============================================================== */

/* Disable interrupts, so that only the other probes are counted. */
static void before(void *data)
{
	unsigned long flags;
	struct hit *hit;

	local_irq_save(flags);
	hit = this_cpu_ptr(&hits);
	hit->flags = flags;
	hit->begin = get_cycles();
}

static void after(void *data)
{
	u64 now = get_cycles();
	struct hit *hit = this_cpu_ptr(&hits);
	u64 cost = now - hit->begin;
	struct site *site = data;

	/* the first probe did not run: just attached, or being detached */
	if (!hit->begin)
		return;
	hit->begin = 0;
	spin_lock(&lock);
	site->nr++;
	site->sum += cost;
	site->max = max(site->max, cost);
	site->bins[min_t(u64, cost, NR_BINS - 1)]++;
	spin_unlock(&lock);
	local_irq_restore(hit->flags);
}

/*
 * Events happen meanwhile. The probe that enables interrupts again is attached
 * first, so that interrupts never stay disabled.
 */
static int attach(struct site *site)
{
	int err;

	if (!site->tp)
		return 0;
	err = tracepoint_probe_register_prio(site->tp, after, site,
					     TRACEPOINT_DEFAULT_PRIO - 1);
	if (err)
		return err;
	err = tracepoint_probe_register_prio(site->tp, before, site,
					     TRACEPOINT_DEFAULT_PRIO + 1);
	if (err)
		tracepoint_probe_unregister(site->tp, after, site);
	return err;
}

static void detach(struct site *site)
{
	if (!site->tp)
		return;
	tracepoint_probe_unregister(site->tp, before, site);
	tracepoint_synchronize_unregister();
	tracepoint_probe_unregister(site->tp, after, site);
	tracepoint_synchronize_unregister();
}

static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sites); i++)
		if (!strcmp(tp->name, sites[i].name))
			sites[i].tp = tp;
}

/* The registration reports the loaded modules: no more is needed. */
static int module_seen(struct notifier_block *nb, unsigned long action,
		       void *data)
{
	struct tp_module *tpm = data;
	unsigned int i;

	if (action == MODULE_STATE_COMING && !strcmp(tpm->mod->name, "f2fs"))
		for (i = 0; i < tpm->mod->num_tracepoints; i++)
			match_tracepoint(tracepoint_ptr_deref(&tpm->mod->tracepoints_ptrs[i]),
					 NULL);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = module_seen };

/* === debugfs ============================================================== */

/* The smallest cost that so many thousandths of all hits did not exceed. */
static u32 quantile(const struct site *site, u32 thousandths)
{
	u64 seen = 0;
	u32 cost;

	for (cost = 0; cost < NR_BINS - 1; cost++) {
		seen += site->bins[cost];
		if (seen * 1000 >= site->nr * thousandths && seen)
			break;
	}
	return cost;
}

static int costs_show(struct seq_file *m, void *unused)
{
	struct site *site;
	int i;

	seq_printf(m, "# %u kHz\n# tracepoint hits sum min median p99 p999 max\n",
		   tsc_khz);
	for (i = 0; i < ARRAY_SIZE(sites); i++) {
		site = &sites[i];
		if (site->tp)
			seq_printf(m, "%s %llu %llu %u %u %u %u %llu\n",
				   site->name, site->nr, site->sum,
				   quantile(site, 0), quantile(site, 500),
				   quantile(site, 990), quantile(site, 999),
				   site->max);
	}
	return 0;
}

static int costs_open(struct inode *inode, struct file *filp)
{
	return single_open(filp, costs_show, NULL);
}

static ssize_t costs_write(struct file *filp, const char __user *text,
			   size_t len, loff_t *pos)
{
	unsigned long flags;
	int i;

	for (i = 0; i < ARRAY_SIZE(sites); i++) {
		spin_lock_irqsave(&lock, flags);
		sites[i].nr = 0;
		sites[i].sum = 0;
		sites[i].max = 0;
		memset(sites[i].bins, 0, NR_BINS * sizeof(u32));
		spin_unlock_irqrestore(&lock, flags);
	}
	return len;
}

static const struct file_operations costs_fops = {
	.owner = THIS_MODULE,
	.open = costs_open,
	.read = seq_read,
	.write = costs_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* === Init and exit ======================================================== */

static void stop(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sites); i++) {
		detach(&sites[i]);
		vfree(sites[i].bins);
	}
}

static int __init event_cost_init(void)
{
	int i, err;

	for_each_kernel_tracepoint(match_tracepoint, NULL);
	err = register_tracepoint_module_notifier(&notifier);
	if (err)
		return err;
	unregister_tracepoint_module_notifier(&notifier);
	for (i = 0; i < ARRAY_SIZE(sites) && !err; i++) {
		sites[i].bins = vzalloc(NR_BINS * sizeof(u32));
		err = sites[i].bins ? attach(&sites[i]) : -ENOMEM;
		if (err)
			sites[i].tp = NULL;
	}
	if (err) {
		for (; i < ARRAY_SIZE(sites); i++)
			sites[i].tp = NULL;
		stop();
		return err;
	}
	file = debugfs_create_file("event_cost", 0600, NULL, NULL, &costs_fops);
	return 0;
}

static void __exit event_cost_exit(void)
{
	debugfs_remove(file);
	stop();
}

module_init(event_cost_init);
module_exit(event_cost_exit);
MODULE_DESCRIPTION("What the probes on F2FS tracepoints cost");
MODULE_LICENSE("GPL");
