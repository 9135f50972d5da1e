// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all files share: counters, the workqueue, the wait queue, and the hook by
 * which files below watch/target.c start its work.
 */

#include "core/base.h"

bool ft_causes = true;
DEFINE_STATIC_KEY_FALSE(ft_causes_on);

DEFINE_PER_CPU(u64[FT_NR_COUNTERS], ft_counters);

struct workqueue_struct *ft_wq;

/* Targets that wait for their directory. */
atomic_t ft_nr_waiting = ATOMIC_INIT(0);

/* Woken when all requests for a volume are done, or it is gone. */
DECLARE_WAIT_QUEUE_HEAD(ft_settled);

static void (*check_targets)(void);	/* set once */

/**
 * ft_target_hook() - set what ft_target_kick() does
 * @func: called in any context; it must be set before there are targets
 */
void ft_target_hook(void (*func)(void))
{
	WRITE_ONCE(check_targets, func);
}

/**
 * ft_target_kick() - let watch/target.c check its targets soon
 *
 * To be called after a volume or a target went, a volume may have been mounted, or a
 * directory was moved.
 *
 * Context: any.
 */
void ft_target_kick(void)
{
	if (READ_ONCE(check_targets))
		check_targets();
}
