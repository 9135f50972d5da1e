/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What F2FS reports: the probes of map.c and call.c, attached by attach.c.
 */
#ifndef FT_PROBE_H
#define FT_PROBE_H

#include <linux/types.h>

struct tracepoint;

#define FT_MAX_PROBES	72

/**
 * struct ft_probe - a probe and its event
 * @name: name of the tracepoint
 * @func: the probe, whose arguments are those of the event
 * @tp: the tracepoint; %NULL while it has not been found
 */
struct ft_probe {
	const char *name;
	void *func;
	struct tracepoint *tp;
};

unsigned int ft_probe_list(struct ft_probe *list);

/* call.c */
#ifdef FT_FOLLOWS_CALLS
void ft_call_attach(void);
void ft_call_detach(void);
bool ft_call_attached(void);
void ft_call_missed(void);
#else
#define ft_call_attach()	((void)0)
#define ft_call_detach()	((void)0)
#define ft_call_attached()	false
#define ft_call_missed()	((void)0)
#endif

/* attach.c */
int ft_attach_init(void);
void ft_attach_exit(void);
bool ft_attach_usable(void);
int ft_attach_want(bool want);

#endif
