// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz - random operations on an F2FS volume, from a plan that can be repeated, read and shortened.
 *
 * A plan is text. A line is an operation (`THREAD KIND ARGUMENTS`), the word `barrier`, where all
 * threads meet and everything is compared, or a setting for the creation of the volume (`mkfs`,
 * `mount`, `sectors`, `zones`, `knob`), which is ignored here. Lines that start with # are comments.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/**
 * die() - end the program because of an error of its own
 * @fmt: what happened
 */
void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("fuzz: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(2);
}

static void __attribute__((noreturn)) usage(void)
{
	fputs("usage: fuzz plan [--seed S] [--threads T] [--ops N] [--parts N] [--local | --zoned]\n"
	      "         write a plan, the same one for the same options; what is not given follows from the seed;\n"
	      "         --local: only operations on files and names, on whatever volume it will be;\n"
	      "         --zoned: on a disk with zones\n"
	      "       fuzz run [--check COMMAND] [--seconds N] PLAN FOLDER\n"
	      "         do it (PLAN - is standard input); COMMAND is run with the word settled or frozen;\n"
	      "         after so many seconds it is said to hang, and where\n"
	      "       fuzz storm [--seed S] [--threads T] [--ops N] FOLDER\n"
	      "         make a local plan and do it\n"
	      "       fuzz kinds\n"
	      "         list the operations: paths P below FOLDER, numbers N, words W\n"
	      "       fuzz shrink [--seconds N] PLAN OUT COMMAND\n"
	      "         cut it down as long as COMMAND, run with a plan's name, ends with status 1\n"
	      "Exit status: 0 all well, 1 something differs, 2 it could not be done, 3 it hangs, 4 maps are not exact in time\n",
	      stderr);
	exit(2);
}

static uint64_t number(const char *name, const char *word, uint64_t least, uint64_t most)
{
	char *end;
	uint64_t n = strtoull(word, &end, 10);

	if (*word < '0' || *word > '9' || *end || n < least || n > most)
		die("--%s '%s': expected a number from %llu to %llu", name, word, (unsigned long long)least,
		    (unsigned long long)most);
	return n;
}

/* Parse the options that describe a plan. The next word is argv[optind]. */
static void read_shape(struct shape *shape, int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "threads", required_argument, NULL, 't' },
		{ "ops", required_argument, NULL, 'o' },
		{ "parts", required_argument, NULL, 'p' },
		{ "local", no_argument, NULL, 'l' },
		{ "zoned", no_argument, NULL, 'z' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			shape->seed = number("seed", optarg, 0, UINT64_MAX);
			break;
		case 't':
			shape->threads = number("threads", optarg, 1, MAX_THREADS);
			break;
		case 'o':
			shape->ops = number("ops", optarg, 1, 10000000);
			break;
		case 'p':
			shape->parts = number("parts", optarg, 1, 10000);
			break;
		case 'l':
			shape->local = true;
			break;
		case 'z':
			shape->zoned = true;
			break;
		default:
			usage();
		}
	}
}

static int main_plan(int argc, char **argv)
{
	struct shape shape = { .seed = 1 };

	read_shape(&shape, argc, argv);
	if (optind != argc)
		usage();
	plan_make(&shape, stdout);
	if (fflush(stdout))
		die("cannot write the plan");
	return 0;
}

/* Make a local plan and run it, in one process that can be killed. */
static int main_storm(int argc, char **argv)
{
	struct shape shape = { .seed = 1, .threads = 1, .parts = 1 };
	struct plan plan = { 0 };
	FILE *text = tmpfile();

	read_shape(&shape, argc, argv);
	shape.local = true;
	if (argc - optind != 1)
		usage();
	if (!text)
		die("no temporary file: %s", strerror(errno));
	plan_make(&shape, text);
	rewind(text);
	plan_read(&plan, text, "plan");
	fclose(text);
	printf("# storm: seed %llu, %zu operations\n", (unsigned long long)shape.seed, plan.nr);
	fflush(stdout);
	return plan_run(&plan, argv[optind], NULL, UINT32_MAX, true);
}

static int main_run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "check", required_argument, NULL, 'c' },
		{ "seconds", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	const char *check = NULL;
	struct plan plan = { 0 };
	unsigned int seconds = 3600;
	FILE *in = stdin;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			check = optarg;
			break;
		case 's':
			seconds = number("seconds", optarg, 1, 1000000);
			break;
		default:
			usage();
		}
	}
	if (argc - optind != 2)
		usage();
	if (strcmp(argv[optind], "-"))
		in = fopen(argv[optind], "r");
	if (!in)
		die("%s: %s", argv[optind], strerror(errno));
	plan_read(&plan, in, argv[optind]);
	return plan_run(&plan, argv[optind + 1], check, seconds, false);
}

static int main_shrink(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	unsigned int seconds = 120;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c != 's')
			usage();
		seconds = number("seconds", optarg, 1, 1000000);
	}
	if (argc - optind != 3)
		usage();
	return plan_shrink(argv[optind], argv[optind + 1], seconds, argv[optind + 2]);
}

static int main_kinds(void)
{
	const struct kind *kind;
	const char *letter;
	unsigned int nr;

	for (nr = 0; (kind = kind_by_number(nr)); nr++) {
		printf("%s", kind->name);
		for (letter = kind->args; *letter; letter++)
			printf(" %c", toupper((unsigned char)*letter));
		putchar('\n');
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		usage();
	if (!strcmp(argv[1], "plan"))
		return main_plan(argc - 1, argv + 1);
	if (!strcmp(argv[1], "run"))
		return main_run(argc - 1, argv + 1);
	if (!strcmp(argv[1], "storm"))
		return main_storm(argc - 1, argv + 1);
	if (!strcmp(argv[1], "kinds") && argc == 2)
		return main_kinds();
	if (!strcmp(argv[1], "shrink"))
		return main_shrink(argc - 1, argv + 1);
	usage();
}
