/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: who uses a file in a way that a move must not meet. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

bool opened_as_swap(dev_t dev, ino_t ino);
bool opened_with_lease(dev_t dev, ino_t ino);
bool opened_for_direct_writing(dev_t dev, ino_t ino);
void opened_forget(void);
