// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes an event file as a recorder does, and prints what a reader finds in it: time, offset, length, LBA; for the tests.
 * usage: eventlog FILE TIMES [TIMES] ...; a batch for each set of times: milliseconds, separated by commas. The event N of
 * a batch has the offset 100 * N, the length 7 + N, and the LBA 5000 - N.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "input/events.h"
#include "input/unpack.h"
#include "output/event_log.h"

#define NS_PER_MS 1000000
#define MAX_EVENTS 16

static size_t parse(struct event *events, const char *text)
{
	char *end = NULL;
	size_t n = 0;

	for (; n < MAX_EVENTS && *text; n++, text = *end ? end + 1 : end)
		events[n] = (struct event){
			.kind = EVENT_EXACT, .time_ns = strtoull(text, &end, 10) * NS_PER_MS,
			.offset = 100 * (unsigned int)n, .length = 7 + (unsigned int)n, .lba = 5000 - (unsigned int)n,
		};
	return n;
}

int main(int argc, char **argv)
{
	struct events events = { .gap_ns = UINT64_MAX };
	struct event batch[MAX_EVENTS];
	struct event_log log;
	struct text text;
	size_t k;
	int i;

	if (argc < 3)
		return 2;
	event_log_open(&log, argv[1]);
	for (i = 2; i < argc; i++) {
		size_t n = parse(batch, argv[i]);

		event_log_add(&log, batch, n, batch[n - 1].time_ns, false);
	}
	event_log_close(&log);
	if (slurp(&text, open(argv[1], O_RDONLY | O_CLOEXEC)))
		return 1;
	events_read(&events, argv[1], &text);
	for (k = 0; k < events.n; k++)
		printf("%" PRIu64 " %u %u %u\n", events.list[k].time_ns / NS_PER_MS, events.list[k].offset,
		       events.list[k].length, events.list[k].lba);
	events_free(&events);
	return 0;
}
