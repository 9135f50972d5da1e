// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fsyncs as an observer.
 */

#include "observers/fsync/fsync.h"
#include "observers/observers.h"

const struct ft_observer ft_fsync = {
	.text = &ft_fsync_text,
	.on = &ft_fsync_on,
	.init = ft_fsync_init,
	.exit = ft_fsync_exit,
	.probes = ft_fsync_probes,
	.attach = ft_fsync_attach,
	.detach = ft_fsync_detach,
	.watch = ft_fsyncs_watch,
	.forget = ft_fsyncs_forget,
};
