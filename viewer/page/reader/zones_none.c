// SPDX-License-Identifier: GPL-2.0-only
/* In place of input/zones_ask.c, where there are no devices. */
#include "input/zones.h"

/* zones_ask() - refuse; the zones in a recording are read without it. */
char *zones_ask(struct zone_device *d)
{
	return xasprintf("%s: a page has no devices", d->name);
}
