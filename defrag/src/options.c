// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: parse the command line. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/source.h"
#include "model.h"
#include "options.h"
#include "util.h"

#define SNAPSHOT DEBUGFS "/fragtrace/snapshot"
#define HEAT DEBUGFS "/fragtrace/heat"
#define MAX_BYTES (UINT64_C(1) << 60)
#define MAX_REQUEST (UINT64_C(1) << 30)
#define MAX_RECENT UINT64_C(1000000000)
#define RECENT_S 600
/* What cat and cp ask for. */
#define DEFAULT_READ (128 * UINT64_C(1024))

static const char usage[] =
"usage: fragtrace-defrag [--all] [-t TABLE] [--heat FILE] [--hot PERCENT]\n"
"                        [--request SIZE] [--reader WAY] [--budget BYTES]\n"
"                        [--min-gain N] [--recent SECONDS] [--json] [PATH...]\n"
"       fragtrace-defrag [--all] --apply [--rate BYTES] [--share PERCENT]\n"
"                        [--way WAY] ... [PATH...]\n"
"\n"
"Plan which ranges of F2FS files are worth a rewrite: those that are fragmented\n"
"below the size of a request, most requests saved per byte written first, each\n"
"as often as the range was read.\n"
"Without --apply nothing is written. PATH is a file, a directory, the end of a\n"
"path or a glob; without any, all watched files are planned.\n"
"\n"
"      --all            plan for all ranges alike, however often they are read;\n"
"                       needed if the module was loaded without heat=1\n"
"      --heat FILE      the counts of reads (fragtrace's heat in debugfs; with -t\n"
"                       this or --all is needed)\n"
"      --hot PERCENT    only ranges among those that make up so much of all that\n"
"                       is read (100)\n"
"      --like RULES     fragpicker: weigh by bytes read and overwritten, as\n"
"                       FragPicker does\n"
"  -t, --table TABLE    what to read (fragtrace's snapshot in debugfs): a saved\n"
"                       snapshot or table; - is stdin; plan only\n"
"      --request SIZE   size of a request (of the device: the smallest one of\n"
"                       max_sectors_kb, read_ahead_kb, and max_segments pages;\n"
"                       128K with -t)\n"
"      --reader WAY     foresee the requests of one who reads the files in order:\n"
"                       direct or buffered, and how much at once, such as\n"
"                       buffered,4K (128K)\n"
"      --budget BYTES   write at most so much\n"
"      --min-gain N     leave out ranges that save fewer than N requests per MiB\n"
"                       written (half a request per window of one request: 4\n"
"                       for 128K)\n"
"      --recent SECONDS a file that was fragmented by rewriting so recently will\n"
"                       break again, and is left alone (600); with --all only\n"
"                       if this is given\n"
"      --json           print JSON\n"
"      --apply          do it: as root, while the module is loaded\n"
"      --rate BYTES     write at most so much per second\n"
"      --share PERCENT  while others use the disk, work for so much of the time\n"
"                       only (100)\n"
"      --way WAY        ioctl (F2FS_IOC_DEFRAGMENT) or mapping (pages made dirty\n"
"                       in place); default: ioctl, before Linux 6.12 mapping\n"
"      --help           this text\n"
"      --version        version of the program\n"
"\n"
"Numbers of bytes may end in K, M or G. Exit status: 0 if something is worth a\n"
"rewrite, or all of it was moved; 1 after an error; 2 if nothing is worth it;\n"
"3 if a part was not moved.\n";

/* A number with K, M or G after it. */
static uint64_t read_bytes(const char *option, const char *arg, uint64_t limit)
{
	static const char units[] = "KMG";
	const char *unit;
	uint64_t value;
	int shifts;
	char *end;

	errno = 0;
	value = strtoull(arg, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (*arg < '0' || *arg > '9' || errno || !value || (*end && (!unit || end[1])))
		die_usage("%s %s: expected a number of bytes above 0, such as 64K, 10M or 2G", option, arg);
	for (shifts = unit ? (int)(unit - units) + 1 : 0; shifts && value <= limit; shifts--)
		value <<= 10;
	if (value > limit)
		die_usage("%s %s: expected at most %ju bytes", option, arg, (uintmax_t)limit);
	return value;
}

static uint64_t read_request(const char *option, const char *arg)
{
	uint64_t size = read_bytes(option, arg, MAX_REQUEST);

	if (size % BLK_BYTES)
		die_usage("%s %s: expected a multiple of 4K", option, arg);
	return size;
}

/* "buffered,4K" */
static void read_reader(struct options *o, const char *arg)
{
	size_t n = strcspn(arg, ",");

	if (n == 6 && !strncmp(arg, "direct", n))
		o->reader = READING_DIRECT;
	else if (n == 8 && !strncmp(arg, "buffered", n))
		o->reader = READING_BUFFERED;
	else
		die_usage("--reader %s: expected direct or buffered, perhaps with a size, such as buffered,4K", arg);
	o->reader_bytes = arg[n] ? read_request("--reader", arg + n + 1) : DEFAULT_READ;
}

static double read_gain(const char *arg)
{
	char *end;
	double gain = strtod(arg, &end);

	if (end == arg || *end || !(gain >= 0.0) || gain > 1e12)
		die_usage("--min-gain %s: expected a number of requests per MiB", arg);
	return gain;
}

static uint64_t read_seconds(const char *arg)
{
	uint64_t seconds;
	char *end;

	errno = 0;
	seconds = strtoull(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || seconds > MAX_RECENT)
		die_usage("--recent %s: expected a number of seconds", arg);
	return seconds;
}

static double read_percent(const char *option, const char *arg)
{
	char *end;
	double percent = strtod(arg, &end);

	if (end == arg || *end || !(percent > 0.0) || percent > 100.0)
		die_usage("%s %s: expected a percentage above 0, at most 100", option, arg);
	return percent;
}

static bool read_like(const char *arg)
{
	if (strcmp(arg, "fragpicker"))
		die_usage("--like %s: expected fragpicker", arg);
	return true;
}

static enum way read_way(const char *arg)
{
	if (!strcmp(arg, "ioctl"))
		return WAY_IOCTL;
	if (strcmp(arg, "mapping"))
		die_usage("--way %s: expected ioctl or mapping", arg);
	return WAY_MAPPING;
}

static void print_and_exit(const char *text)
{
	if (fputs(text, stdout) == EOF || fflush(stdout))
		die("<stdout>: %s", strerror(errno));
	exit(0);
}

static void check(struct options *o, bool all)
{
	if (all && (o->heat || o->hot_percent < 100.0 || o->like_fragpicker))
		die_usage("--all plans for all ranges alike, expected no --heat, --hot or --like");
	if (!all && !o->heat && o->table)
		die_usage("who reads what is not in a table, expected --heat FILE, or --all: plan for all ranges alike");
	if (o->apply && o->table)
		die_usage("--apply works on what is mounted now, expected no -t");
	if (!o->apply && (o->rate_bytes || o->share_percent < 100.0 || o->way != WAY_AUTO))
		die_usage("--rate, --share and --way say how to write, expected --apply beside them");
	o->spare_hopeless = !o->like_fragpicker && (!all || o->spare_hopeless);
	o->is_live = !o->table;
	if (o->is_live)
		o->table = SNAPSHOT;
	if (!all && !o->heat)
		o->heat = HEAT;
}

/**
 * options_read() - parse the command line
 * @options: the result
 * @argc: of main()
 * @argv: of main()
 *
 * Ends the program after --help and --version, and on an invalid argument.
 */
void options_read(struct options *options, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "all", no_argument, NULL, 'A' },
		{ "heat", required_argument, NULL, 'E' },
		{ "hot", required_argument, NULL, 'H' },
		{ "like", required_argument, NULL, 'I' },
		{ "table", required_argument, NULL, 't' },
		{ "request", required_argument, NULL, 'R' },
		{ "reader", required_argument, NULL, 'D' },
		{ "budget", required_argument, NULL, 'B' },
		{ "min-gain", required_argument, NULL, 'G' },
		{ "recent", required_argument, NULL, 'S' },
		{ "json", no_argument, NULL, 'J' },
		{ "apply", no_argument, NULL, 'Y' },
		{ "rate", required_argument, NULL, 'L' },
		{ "share", required_argument, NULL, 'P' },
		{ "way", required_argument, NULL, 'W' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	struct options *o = options;
	bool all = false;
	int c;

	*o = (struct options){ .recent_s = RECENT_S, .hot_percent = 100.0, .share_percent = 100.0, .min_gain = -1.0 };
	while ((c = getopt_long(argc, argv, "t:", longs, NULL)) != -1) {
		switch (c) {
		case 'A': all = true; break;
		case 'E': o->heat = optarg; break;
		case 'H': o->hot_percent = read_percent("--hot", optarg); break;
		case 'I': o->like_fragpicker = read_like(optarg); break;
		case 't': o->table = optarg; break;
		case 'R': o->request_bytes = read_request("--request", optarg); break;
		case 'D': read_reader(o, optarg); break;
		case 'B': o->budget_bytes = read_bytes("--budget", optarg, MAX_BYTES); break;
		case 'G': o->min_gain = read_gain(optarg); break;
		case 'S':
			o->recent_s = read_seconds(optarg);
			o->spare_hopeless = true;
			break;
		case 'J': o->json = true; break;
		case 'Y': o->apply = true; break;
		case 'L': o->rate_bytes = read_bytes("--rate", optarg, MAX_BYTES); break;
		case 'P': o->share_percent = read_percent("--share", optarg); break;
		case 'W': o->way = read_way(optarg); break;
		case 'h': print_and_exit(usage); break;
		case 'V': print_and_exit("fragtrace-defrag " VERSION "\n"); break;
		default: die_usage("see fragtrace-defrag --help");
		}
	}
	o->paths = argv + optind;
	o->n_paths = (size_t)(argc - optind);
	check(o, all);
}
