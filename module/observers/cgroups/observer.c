// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads by cgroup as an observer.
 */

#include "observers/cgroups/cgroups.h"
#include "observers/observers.h"

const struct ft_observer ft_cgroups = {
	.text = &ft_cgroups_text,
	.on = &ft_cgroups_on,
	.watch = ft_cgroups_watch,
	.forget = ft_cgroups_forget,
	.read = ft_cgroups_read,
};
