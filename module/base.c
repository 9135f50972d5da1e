// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all files share: counters, the queue for their work, and who waits.
 */

#include "fragtrace.h"

DEFINE_PER_CPU(u64 [FT_NR_COUNTERS], ft_counters);

struct workqueue_struct *ft_wq;

/* Woken when all that was wanted of a volume has been done, or it is gone. */
DECLARE_WAIT_QUEUE_HEAD(ft_settled);
