// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all files share: counters, the queue for their work, who waits, and how
 * those below target.c have it run.
 */

#include "fragtrace.h"

DEFINE_STATIC_KEY_FALSE(ft_causes_on);

DEFINE_PER_CPU(u64 [FT_NR_COUNTERS], ft_counters);

struct workqueue_struct *ft_wq;

/* Targets that wait for their directory. */
atomic_t ft_nr_waiting = ATOMIC_INIT(0);

/* Woken when all that was wanted of a volume has been done, or it is gone. */
DECLARE_WAIT_QUEUE_HEAD(ft_settled);

static void (*look_after_targets)(void);	/* set once */

/**
 * ft_target_hook() - say what ft_target_kick() does
 * @func: it is called in any context; before that there are no targets
 */
void ft_target_hook(void (*func)(void))
{
	WRITE_ONCE(look_after_targets, func);
}

/**
 * ft_target_kick() - have targets looked after soon
 *
 * After a volume or a target went, one may have come, or a directory moved.
 *
 * Context: any.
 */
void ft_target_kick(void)
{
	if (READ_ONCE(look_after_targets))
		look_after_targets();
}
