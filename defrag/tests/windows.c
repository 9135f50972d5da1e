// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints what a sequential reader has read at once: a line "first end" for each time.
 * usage: windows direct|buffered READ AHEAD DEVICE FILE, all in blocks
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

int main(int argc, char **argv)
{
	struct reader reader;
	uint64_t first, end;

	if (argc != 6)
		return 1;
	reader = (struct reader){
		.is_direct = !strcmp(argv[1], "direct"),
		.read_blks = strtoull(argv[2], NULL, 10),
		.ahead_blks = strtoull(argv[3], NULL, 10),
		.device_blks = strtoull(argv[4], NULL, 10),
	};
	while (reader_next(&reader, strtoull(argv[5], NULL, 10), &first, &end))
		printf("%" PRIu64 " %" PRIu64 "\n", first, end);
	return 0;
}
