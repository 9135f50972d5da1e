// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay - a fuzzer without libFuzzer: try files, then CHANGES random changes of each.
 *
 * usage: replay CHANGES SEED FILE...
 *
 * Needs only a compiler with sanitizers. It does not learn; the findings of libFuzzer are among the files.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"

#define MAX_BYTES (1u << 20)

static uint64_t random_state;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static size_t read_file(uint8_t *buf, const char *path)
{
	FILE *in = fopen(path, "rb");
	size_t len;

	if (!in) {
		perror(path);
		exit(2);
	}
	len = fread(buf, 1, MAX_BYTES / 2, in);
	fclose(in);
	return len;
}

/* Words that are special for parsers. */
static const char *const words[] = {
	"\n", " ", "#", "\\", "\\040", "\\777", "0", "-1", "18446744073709551615", "18446744073709551616",
	"281474976710656", "4294967295", ":", "=", "/", ".", " (deleted)", "# volume ", "path=", "default", "\t", "\r",
};

/* Replace, insert or remove bytes; return the new length. */
static size_t change(uint8_t *buf, size_t len)
{
	size_t at = len ? next_random() % len : 0, n = 1 + next_random() % 16, to;
	const char *word = words[next_random() % (sizeof(words) / sizeof(words[0]))];

	if (n > len - at)
		n = len - at;
	switch (next_random() % 5) {
	case 0:		/* change one byte */
		if (len)
			buf[at] = (uint8_t)next_random();
		return len;
	case 1:		/* remove some */
		memmove(buf + at, buf + at + n, len - at - n);
		return len - n;
	case 2:		/* repeat some */
		to = len ? next_random() % len : 0;
		if (len + n > MAX_BYTES)
			return len;
		memmove(buf + to + n, buf + to, len - to);
		if (at + n <= to || at >= to + n)
			memmove(buf + to, buf + at, n);
		return len + n;
	case 3:		/* cut off the end */
		return at;
	default:	/* insert a word */
		n = strlen(word);
		if (len + n > MAX_BYTES)
			return len;
		memmove(buf + at + n, buf + at, len - at);
		memcpy(buf + at, word, n);
		return len + n;
	}
}

int main(int argc, char **argv)
{
	static uint8_t original[MAX_BYTES], buf[MAX_BYTES];
	unsigned long changes, tried = 0, i;
	int arg;

	if (argc < 4) {
		fputs("usage: replay CHANGES SEED FILE...\n", stderr);
		return 2;
	}
	changes = strtoul(argv[1], NULL, 10);
	random_state = strtoull(argv[2], NULL, 10) * 2654435761u + 1;
	for (arg = 3; arg < argc; arg++) {
		size_t size = read_file(original, argv[arg]), len, rounds;

		LLVMFuzzerTestOneInput(original, size);
		tried++;
		for (i = 0; i < changes; i++, tried++) {
			memcpy(buf, original, size);
			len = size;
			for (rounds = 1 + next_random() % 4; rounds; rounds--)
				len = change(buf, len);
			LLVMFuzzerTestOneInput(buf, len);
		}
	}
	printf("# %lu texts tried, seed %s\n", tried, argv[2]);
	return 0;
}
