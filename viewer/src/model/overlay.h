/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the files below an overlay, which has inodes of its own. */
#pragma once

#include <sys/stat.h>

int overlay_stat(const char *path, struct stat *st);
