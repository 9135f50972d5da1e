/* SPDX-License-Identifier: GPL-2.0-only */
/* Before the pipeline: a point in time of a recording, as --at has it. */
#pragma once

#include "util.h"

/**
 * struct moment - a point in time of a recording
 * @is_relative: @ns counts from the beginning of the recording, not from 1970
 * @ns: nanoseconds; UINT64_MAX, relative, is the end of the recording
 */
struct moment {
	bool is_relative;
	uint64_t ns;
};

/* Room for the text of a point in time. */
#define MOMENT_MAX 48

#define MOMENT_FORM "a time after the beginning such as 60s, 5m, 1h30m, start or end, or a time such as " \
	"2026-05-04T03:02:01.5Z or, in local time, '2026-05-04 03:02:01'"

bool moment_parse(struct moment *moment, const char *text);
const char *moment_text(char buf[MOMENT_MAX], uint64_t ns);
