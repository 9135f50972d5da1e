// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probes on F2FS's tracepoints, attached while something is watched.
 *
 * In: F2FS is loaded and unloaded, the first target is added, the last one is
 * deleted. Out: the probes of map.c are attached, all or none, and with them
 * those of call.c and of the observers.
 *
 * F2FS exports no tracepoint, so they are found by name. If F2FS is built in, they
 * are among the kernel's own. If it is a module, a notifier reports its
 * tracepoints, whether it is loaded before or after this module.
 */

#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "core/base.h"
#include "core/observer.h"
#include "f2fs/state.h"
#include "probes/probe.h"

static struct ft_probe probes[FT_MAX_PROBES];
static unsigned int nr_probes;

static struct module *owner;	/* F2FS, if it is a module that is loaded */
static bool usable;	/* F2FS is there, and this module was built for it */
static bool wanted;	/* something is watched; otherwise no event costs anything */
static bool attached;	/* both */
static int attach_error;	/* of an F2FS that was loaded before this module */
static DEFINE_MUTEX(probes_lock);	/* protects all of the above */

#define for_each_probe(p) \
	for (p = probes; p < probes + nr_probes; p++)

/* === Attaching ============================================================ */

/* If an event was missing, the maps would be wrong without notice. */
static int check_f2fs(void)
{
	struct ft_probe *p;

	for_each_probe(p)
		if (!p->tp) {
			pr_err("this F2FS has no tracepoint %s: not supported\n", p->name);
			return -EOPNOTSUPP;
		}
	return ft_build_id_check(owner);
}

/* Detach the probes before @end, which are attached. */
static void detach_before(const struct ft_probe *end)
{
	struct ft_probe *p;

	for (p = probes; p < end; p++)
		tracepoint_probe_unregister(p->tp, p->func, NULL);
	tracepoint_synchronize_unregister();
	/* now no event starts its check of the probes any more */
	ft_call_detach();
	ft_observers_call(detach);
	attached = false;
}

/* All or none. */
static int attach_all(void)
{
	struct ft_probe *p;
	int err;

	ft_observers_call(attach);
	for_each_probe(p) {
		err = tracepoint_probe_register(p->tp, p->func, NULL);
		if (err) {
			pr_err("cannot attach to tracepoint %s: %d\n", p->name, err);
			detach_before(p);
			return err;
		}
	}
	ft_call_attach();
	attached = true;
	return 0;
}

/* Attach or detach, as @usable and @wanted require. */
static int attach_or_detach(void)
{
	lockdep_assert_held(&probes_lock);
	if (usable && wanted && !attached)
		return attach_all();
	if (attached && !(usable && wanted))
		detach_before(probes + nr_probes);
	return 0;
}

/* F2FS stays: it is built in, or it is loaded and live. */
static int f2fs_is_live(void)
{
	int err;

	if (usable)
		return 0;
	err = check_f2fs();
	if (err)
		return err;
	WRITE_ONCE(usable, true);
	err = attach_or_detach();
	if (err) {
		WRITE_ONCE(usable, false);
		return err;
	}
	/* a volume may have been mounted before */
	ft_target_kick();
	return 0;
}

/* The others are the kernel's own, and stay. */
static bool is_of_f2fs(const struct ft_probe *p)
{
	return !strncmp(p->name, "f2fs_", 5);
}

static void f2fs_is_going(void)
{
	struct ft_probe *p;

	WRITE_ONCE(usable, false);
	attach_or_detach();
	for_each_probe(p)
		if (is_of_f2fs(p))
			p->tp = NULL;
	owner = NULL;
}

/* === F2FS comes and goes ================================================== */

static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	struct ft_probe *p;

	for_each_probe(p)
		if (!strcmp(tp->name, p->name))
			p->tp = tp;
}

/*
 * A module with tracepoints is loaded or unloaded, or was there before this one.
 * The notes of a module that is being loaded are not in sysfs yet: wait until it is
 * live.
 */
static int tracepoints_event(struct notifier_block *nb, unsigned long action, void *data)
{
	struct tp_module *tpm = data;
	struct module *mod = tpm->mod;
	unsigned int i;

	if (strcmp(mod->name, "f2fs"))
		return NOTIFY_OK;

	guard(mutex)(&probes_lock);
	if (action == MODULE_STATE_COMING && !owner) {
		for (i = 0; i < mod->num_tracepoints; i++)
			match_tracepoint(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), NULL);
		owner = mod;
		if (mod->state == MODULE_STATE_LIVE)
			attach_error = f2fs_is_live();
	} else if (action == MODULE_STATE_GOING && owner == mod) {
		f2fs_is_going();
	}
	return NOTIFY_OK;
}

static int module_event(struct notifier_block *nb, unsigned long action, void *data)
{
	guard(mutex)(&probes_lock);
	if (action == MODULE_STATE_LIVE && data == owner)
		f2fs_is_live();
	return NOTIFY_OK;
}

static struct notifier_block tracepoints_notifier = {
	.notifier_call = tracepoints_event,
};

static struct notifier_block module_notifier = {
	.notifier_call = module_event,
};

/* === Life ================================================================= */

/**
 * ft_attach_usable() - can F2FS be followed?
 *
 * Return: false while F2FS is not loaded, if it lacks a tracepoint, or if this
 * module was built for another F2FS.
 */
bool ft_attach_usable(void)
{
	return READ_ONCE(usable);
}

/**
 * ft_attach_want() - set whether anything is watched
 * @want: whether it is; if not, F2FS runs without probes
 *
 * Context: process; may sleep.
 * Return: 0, or the error of registering a probe.
 */
int ft_attach_want(bool want)
{
	int err;

	guard(mutex)(&probes_lock);
	wanted = want;
	err = attach_or_detach();
	if (err)
		wanted = false;
	return err;
}

/**
 * ft_attach_init() - attach to F2FS, now or when it is loaded
 *
 * Context: process; may sleep.
 * Return: 0, -EOPNOTSUPP if this F2FS lacks a tracepoint, -ENOEXEC if this module
 * was built for another one, -ENOMEM, or the error of registering.
 */
int ft_attach_init(void)
{
	struct ft_probe *p;
	bool builtin = false;
	int err;

	nr_probes = ft_probe_list(probes);
	err = register_module_notifier(&module_notifier);
	if (err)
		return err;
	mutex_lock(&probes_lock);
	for_each_kernel_tracepoint(match_tracepoint, NULL);
	for_each_probe(p)
		builtin |= p->tp && is_of_f2fs(p);
	if (builtin)
		attach_error = f2fs_is_live();
	mutex_unlock(&probes_lock);
	err = register_tracepoint_module_notifier(&tracepoints_notifier);
	if (!err)
		err = attach_error;
	if (err)
		ft_attach_exit();
	return err;
}

/**
 * ft_attach_exit() - detach from F2FS
 *
 * After it no probe runs.
 *
 * Context: process; may sleep.
 */
void ft_attach_exit(void)
{
	unregister_tracepoint_module_notifier(&tracepoints_notifier);
	unregister_module_notifier(&module_notifier);
	guard(mutex)(&probes_lock);
	f2fs_is_going();
}
