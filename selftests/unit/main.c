// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs what a test module does when it is loaded, and when it is removed.
 *
 * usage: extmap_test [PARAMETER=NUMBER...]
 */
#include <time.h>

#include "kernel.h"

static struct {
	const char *name;
	void *value;
	size_t bytes;
} params[16];
static size_t nr_params;

void unit_param(const char *name, void *value, size_t bytes)
{
	if (nr_params == ARRAY_SIZE(params))
		abort();
	params[nr_params].name = name;
	params[nr_params].value = value;
	params[nr_params++].bytes = bytes;
}

u32 get_random_u32(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (u32)now.tv_nsec ^ (u32)now.tv_sec;
}

static bool set(const char *arg)
{
	size_t len = strcspn(arg, "="), i;
	unsigned long number;
	char *end;

	if (arg[len] != '=')
		return false;
	number = strtoul(arg + len + 1, &end, 10);
	for (i = 0; i < nr_params; i++) {
		if (strlen(params[i].name) != len || strncmp(params[i].name, arg, len))
			continue;
		/* little endian */
		memcpy(params[i].value, &number, params[i].bytes);
		return end != arg + len + 1 && !*end;
	}
	return false;
}

int main(int argc, char **argv)
{
	int i, err;

	for (i = 1; i < argc; i++) {
		if (!set(argv[i])) {
			fprintf(stderr, "%s: '%s': expected PARAMETER=NUMBER\n", argv[0], argv[i]);
			return 2;
		}
	}
	err = unit_init();
	if (!err)
		unit_exit();
	return err ? 1 : 0;
}
