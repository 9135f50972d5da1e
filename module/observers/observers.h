/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The observers that this module is built with. The struct of each is called ft_ and its
 * name.
 */
#ifndef FT_OBSERVERS_H
#define FT_OBSERVERS_H

#include "core/observer.h"

#define FT_DECLARE_OBSERVER(name)	extern const struct ft_observer ft_##name
FT_EACH_OBSERVER(FT_DECLARE_OBSERVER, ;)

extern const struct ft_observer *const ft_all_observers[];

#endif
