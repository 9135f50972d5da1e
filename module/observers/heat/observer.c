// SPDX-License-Identifier: GPL-2.0-only
/*
 * Heat as an observer.
 */

#include "observers/heat/heat.h"
#include "observers/observers.h"

const struct ft_observer ft_heat = {
	.text = &ft_heat_text,
	.on = &ft_heat_on,
	.init = ft_heat_init,
	.exit = ft_heat_exit,
	.probes = ft_heat_probes,
	.read = ft_heat_read,
	.drop = ft_heat_drop,
	.give_way = ft_heat_give_way,
	.show_stats = ft_heat_show_stats,
};
