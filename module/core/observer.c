// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of observers, and their states of a volume.
 */

#include "core/memory.h"
#include "core/observer.h"

const struct ft_observer *const *ft_observers;
u32 ft_kept_at[FT_NR_OBSERVERS];

static void exit_first(unsigned int nr)
{
	while (nr--)
		if (ft_observers[nr]->exit)
			ft_observers[nr]->exit();
}

/**
 * ft_observers_init() - prepare all observers
 * @list: all of them, by enum ft_slot
 *
 * Context: process; before anything else uses them.
 * Return: 0, or the error of one of them.
 */
int ft_observers_init(const struct ft_observer *const *list)
{
	const struct ft_observer *o;
	unsigned int i;
	int err;

	ft_observers = list;
	ft_for_each_observer(o, i) {
		err = o->init ? o->init() : 0;
		if (err) {
			exit_first(i);
			return err;
		}
		ft_kept_at[i] = ft_record_reserve(*o->on ? o->file_size : 0);
	}
	return 0;
}

/**
 * ft_observers_exit() - undo ft_observers_init()
 *
 * Context: process; no probe runs, all records are gone.
 */
void ft_observers_exit(void)
{
	exit_first(FT_NR_OBSERVERS);
}

/**
 * ft_observers_watch() - create the states of a volume
 * @vol: the volume
 *
 * Context: process; may sleep.
 * Return: false if memory is short; ft_observers_forget() frees what is there.
 */
bool ft_observers_watch(struct ft_volume *vol)
{
	const struct ft_observer *o;
	unsigned int i;

	ft_for_each_observer(o, i) {
		if (!*o->on || !o->state_size)
			continue;
		vol->observed[i] = ft_mem_zalloc(o->state_size, GFP_KERNEL);
		if (!vol->observed[i])
			return false;
		o->watch(vol->observed[i]);
	}
	return true;
}

/**
 * ft_observers_forget() - undo ft_observers_watch()
 * @vol: the volume; not in use any more
 *
 * Context: process.
 */
void ft_observers_forget(struct ft_volume *vol)
{
	const struct ft_observer *o;
	unsigned int i;

	ft_for_each_observer(o, i) {
		if (vol->observed[i] && o->forget)
			o->forget(vol->observed[i]);
		ft_mem_free(vol->observed[i], o->state_size);
	}
}
