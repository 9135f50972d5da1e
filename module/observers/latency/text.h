/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file latency of debugfs.
 */
#ifndef FT_LATENCY_TEXT_H
#define FT_LATENCY_TEXT_H

#include "debugfs/lines.h"

extern const struct ft_text ft_latency_text;

#endif
