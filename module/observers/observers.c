// SPDX-License-Identifier: GPL-2.0-only
/*
 * The observers that this module is built with, as Kbuild lists them.
 */

#include "observers/observers.h"

#define ADDRESS(name)	(&ft_##name)

const struct ft_observer *const ft_all_observers[] = {
	FT_EACH_OBSERVER(ADDRESS, ,) NULL
};
