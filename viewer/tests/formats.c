// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints what the functions of util.c and names.c for text return; for the tests.
 * usage: formats KIND ARGUMENT [ARGUMENT] ...; a result for each set of arguments, in a line of its own
 * KIND: bytes NUMBER, share PART WHOLE, visible TEXT, name TEXT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "util.h"

int main(int argc, char **argv)
{
	char bytes[BYTES_MAX], share[SHARE_MAX], *text;
	int i;

	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[1], "bytes")) {
			format_bytes(bytes, strtod(argv[i], NULL));
			puts(bytes);
		} else if (!strcmp(argv[1], "share") && i + 1 < argc) {
			format_share(share, strtoull(argv[i], NULL, 10), strtoull(argv[i + 1], NULL, 10));
			puts(share);
			i++;
		} else {
			text = !strcmp(argv[1], "name") ? name_visible(argv[i]) : text_visible(argv[i]);
			puts(text);
			free(text);
		}
	}
	return 0;
}
