// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: parse the command line. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "input/recording.h"
#include "input/source.h"
#include "options.h"
#include "outfile.h"
#include "output/keep.h"
#include "picture/vector_out.h"
#include "util.h"

#define DEFAULT_TABLE DEBUGFS "/fragtrace/table"
#define DEFAULT_SNAPSHOT DEBUGFS "/fragtrace/snapshot"
#define DEFAULT_PNG "fragImg.png"
#define MAX_SECONDS 1e7
#define TOP_INTERVAL_NS (2 * NSEC_PER_SEC)
/* Between two snapshots, with --events. */
#define EVENTS_INTERVAL_NS (600 * NSEC_PER_SEC)

/* Options that are also keys of img.cnf. Their values do not collide with letters. */
enum { OPT_LAYOUT = 256, OPT_CELL, OPT_DPI, OPT_THEME, OPT_SECTION, OPT_F2FS_STATE, OPT_LBA, OPT_ONLY, OPT_FILE,
       OPT_SERVE, OPT_AT, OPT_EVENTS, OPT_KEEP, OPT_HEAT, OPT_VOLUME, OPT_BLOCK };
static const char *const img_options[N_IMG_OPTIONS] = { "layout", "cell", "dpi", "theme", "section" };

static const char usage[] =
"usage: fragtrace-view [-o PICTURE] [-c color.cnf] [-i img.cnf] [--html FILE]\n"
"                      [--record DIR [--events] [--keep LIMITS]] [--json FILE] [--csv FILE]\n"
"                      [--prometheus FILE] [--fail-if WHAT]\n"
"                      [--volume VOLUME] [--lba A-B] [--only GLOB]\n"
"                      [-n SECONDS [--count N]] [TABLE]\n"
"       fragtrace-view --file PATH [-o PICTURE] [-n SECONDS [--count N]] [TABLE]\n"
"       fragtrace-view --serve[=ADDR:PORT] [-n SECONDS] [-c color.cnf] [TABLE]\n"
"       fragtrace-view --top [-n SECONDS] [--count N] [--filter PATTERN] [TABLE]\n"
"       fragtrace-view --why [TABLE] [FILE]\n"
"       fragtrace-view --block LBA [TABLE]\n"
"       fragtrace-view --space [-t TABLE] [--f2fs-state DIR]\n"
"\n"
"Draw where the blocks of F2FS files lie: one box per block, coloured by\n"
"extension and by whether the file is fragmented.\n"
"\n"
"  -t, --table TABLE    what to read (fragtrace's snapshot in debugfs): a binary\n"
"                       snapshot or the text of a table, which may be packed with\n"
"                       gzip or zstd; the folder of a recording; - is stdin; -t may\n"
"                       be left out\n"
"      --at TIME        the moment of a recording (end): 60s, 5m or 1h30m after its\n"
"                       beginning, start, end, or a time such as\n"
"                       2026-05-04T03:02:01.5Z (local time without Z or +02:00)\n"
"      --max-input SIZE refuse an input that is larger than this, unpacked: bytes,\n"
"                       or a number with K, M or G (half of the memory)\n"
"  -o, --output FILE    the picture (" DEFAULT_PNG "); a name in .svg or .pdf gives\n"
"                       that form, any other a PNG; - is stdout\n"
"  -n, --interval SECONDS\n"
"                       read again every so many seconds, until interrupted\n"
"      --count N        stop after N readings\n"
"      --html FILE      write a page that shows the picture and what is where on\n"
"                       it, and that renews itself with -n\n"
"      --serve[=ADDR:PORT]\n"
"                       serve a page where one can zoom in to single blocks, and\n"
"                       that renews itself with -n; print its URL (port 8417 of\n"
"                       this machine only; port 0 is any free one)\n"
"      --record DIR     keep a snapshot of the table in this folder whenever\n"
"                       it has changed\n"
"      --events         with --record, keep what happens between the snapshots, so\n"
"                       that --at can have any moment; a snapshot every 10 minutes\n"
"                       if -n does not say otherwise; as root; until interrupted\n"
"      --keep LIMITS    with --record, delete the oldest when the folder is larger,\n"
"                       or what is older: 2G, 7d or 2G,7d (M, G, T; s, m, h, d)\n"
"      --json FILE      write all records as JSON; - is stdout\n"
"      --csv FILE       the same as CSV\n"
"      --list WHAT      records of --json and --csv: table (extents by address: the\n"
"                       default), extents (unwritten ones, too), files,\n"
"                       causes, by_process; these need a snapshot\n"
"      --prometheus FILE\n"
"                       write a few numbers per volume for node_exporter\n"
"                       (with --html, --record, --json, --csv or --prometheus,\n"
"                       a file with the picture is written only with -o)\n"
"      --top            show the worst files on the terminal, or print them into\n"
"                       a pipe, every 2 seconds if -n does not say otherwise\n"
"      --why            say in sentences why files are fragmented, by extension,\n"
"                       or why FILE is (a path, the end of one, or a glob)\n"
"      --block LBA      say which file owns a block, and why it is there\n"
"      --space          print the free space: free runs, segments by type, what F2FS\n"
"                       would collect, of which files, and where it can write\n"
"      --f2fs-state DIR read F2FS's own state from copies of its files in this\n"
"                       folder, not from the running system\n"
"      --filter PATTERN with --top, show only files whose path has this text, or\n"
"                       matches this glob\n";

/* A string has a limit of length in ISO C. */
static const char more_usage[] =
"      --fail-if WHAT   end with status 3 if this holds: split, fragmented, breaks,\n"
"                       extents, stale, left_out (files) or stopped (volumes),\n"
"                       then >, >=, <, <=, = or !=, then a number, as in\n"
"                       'split>1.2'; 'fragmented>10%' is a share of the files;\n"
"                       may come several times\n"
"      --volume VOLUME  of several volumes, show only this one: its mount point, or\n"
"                       MAJOR:MINOR\n"
"      --lba A-B        draw only these blocks (A to B, both included; A- and -B leave\n"
"                       an end open); for pictures and pages\n"
"      --only GLOB      draw only files whose path has this text, or matches this\n"
"                       glob, others in one light colour; for pictures and pages\n"
"                       (both go with no other output: no --record, --json, --csv,\n"
"                       --prometheus, --fail-if, --top, --why, --block or --space)\n"
"      --file PATH      draw one file: its offsets against block addresses, breaks\n"
"                       as lines, and why they are there; a path, the end of one,\n"
"                       or a glob; --color-by is cause, or why, process, age,\n"
"                       heat\n"
"  -c, --colors FILE    colours: a file, or rocksdb, redis or voltdb; may come\n"
"                       several times, later ones win\n"
"      --color-by WHAT  kind (of file: the default), severity (what reading the\n"
"                       file costs, in percent), worst (the files that cost most,\n"
"                       each in its colour), size (of the fragment), file=PATH\n"
"                       (one file against the rest), cause (what broke the file\n"
"                       there), why (the fragment is not beside the one before\n"
"                       it), process (that wrote it), age or heat (how often the\n"
"                       blocks are read)\n"
"      --heat FILE      with --color-by heat, the counts of reads (heat beside the\n"
"                       table, or in a recording; of a module with heat=1)\n"
"  -i, --image FILE     sizes and folding: a file, or rocksdb, redis or voltdb\n"
"      --layout NAME    boxes (one per block, long runs folded), segments (a row\n"
"                       for each segment) or hilbert (the volume as a square);\n"
"                       by default boxes, or segments if most would be folded\n"
"      --cell PIXELS    side of a box or cell (8)\n"
"      --dpi N          dots per inch; everything grows with it (96)\n"
"      --theme NAME     light or dark (light); pages have a button\n"
"      --section N      segments in a section, ruled off in segments (not known)\n"
"  -h, --help           this text\n"
"      --version        version of the program\n";

static int64_t read_interval(const char *arg)
{
	char *end;
	double seconds = strtod(arg, &end);

	if (end == arg || *end || !(seconds > 0.0) || seconds > MAX_SECONDS)
		die_usage("-n %s: expected a number of seconds above 0", arg);
	return (int64_t)(seconds * 1e9) + 1;
}

static unsigned long read_count(const char *arg)
{
	unsigned long count;
	char *end;

	errno = 0;
	count = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || !count)
		die_usage("--count %s: expected a number of readings, at least 1", arg);
	return count;
}

/* A number of bytes, or of KiB, MiB or GiB with K, M or G. */
static uint64_t read_size(const char *arg)
{
	static const char units[] = "KMG";
	const char *unit;
	uint64_t size;
	char *end;

	errno = 0;
	size = strtoull(arg, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (*arg < '0' || *arg > '9' || errno || !size || (*end && (!unit || end[1])) || size > UINT64_MAX >> 31)
		die_usage("--max-input %s: expected a number of bytes, or one with K, M or G", arg);
	return unit ? size << (10 * (unit - units + 1)) : size;
}

static enum export_list read_list(const char *arg)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(export_lists); i++)
		if (!strcmp(arg, export_lists[i]))
			return (enum export_list)i;
	die_usage("--list %s: expected table, extents, files, causes or by_process", arg);
}

static const char *read_only(const char *arg)
{
	if (!*arg)
		die_usage("--only has an empty text, expected a part of paths, or a glob");
	return arg;
}

static const char *read_file_arg(const char *arg)
{
	if (!*arg)
		die_usage("--file has an empty path, expected that of a file, the end of it, or a glob");
	return arg;
}

static uint64_t read_block(const char *arg)
{
	uint64_t lba;
	char *end;

	errno = 0;
	lba = strtoull(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || lba > BLK_MAX)
		die_usage("--block %s: expected a block address, as in the file table of debugfs", arg);
	return lba;
}

static struct moment read_moment(const char *arg)
{
	struct moment moment;

	if (!moment_parse(&moment, arg))
		die_usage("--at %s: expected " MOMENT_FORM, arg);
	return moment;
}

static void add_condition(struct options *o, const char *arg)
{
	if (o->n_conditions == MAX_CONDITIONS)
		die_usage("--fail-if %s: more than %d times --fail-if", arg, MAX_CONDITIONS);
	condition_parse(&o->conditions[o->n_conditions++], arg);
}

static void add_color_conf(struct options *o, const char *arg)
{
	if (o->n_color_confs == MAX_COLOR_CONFS)
		die_usage("-c %s: more than %d times -c", arg, MAX_COLOR_CONFS);
	o->color_conf[o->n_color_confs++] = arg;
}

static void print_and_exit(const char *text, const char *more)
{
	if (fputs(text, stdout) == EOF || fputs(more, stdout) == EOF || fflush(stdout))
		die("<stdout>: %s", strerror(errno));
	exit(0);
}

/* === Outputs === */

struct output {
	const char *option;
	const char *path;
};

/* All outputs that are files; NULL ends a list of at most N_OUTPUTS. */
#define N_OUTPUTS 6

static void list_outputs(const struct options *o, struct output outputs[N_OUTPUTS])
{
	const struct output all[N_OUTPUTS] = {
		{ "-o", o->png },	{ "--html", o->html },	{ "--record", o->record },
		{ "--json", o->json },	{ "--csv", o->csv },	{ "--prometheus", o->prometheus },
	};

	memcpy(outputs, all, sizeof(all));
}

static void check_input(const struct output *output, const char *option, const char *input)
{
	if (input && outfile_is_input(output->path, input))
		die_usage("%s %s is the input (%s %s), which it would overwrite, expected another file", output->option,
			  output->path, option, input);
}

/* The name of a picture would be wrong about what is in it. */
static void check_picture_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

	if (dot && strcasecmp(dot, ".png") && !vector_out_form(path))
		die_usage("-o %s: a picture is a PNG, SVG or PDF, expected a name that ends with .png, .svg or .pdf", path);
}

/* No output may overwrite an input or another output. */
static void check_outputs(const struct options *o)
{
	struct output outputs[N_OUTPUTS];
	size_t i, k;

	if (o->png)
		check_picture_name(o->png);
	list_outputs(o, outputs);
	for (i = 0; i < N_OUTPUTS; i++) {
		if (!outputs[i].path)
			continue;
		if (!*outputs[i].path)
			die_usage("%s has an empty name, expected where to write", outputs[i].option);
		check_input(&outputs[i], "-t", o->table);
		check_input(&outputs[i], "-i", o->img_conf);
		check_input(&outputs[i], "--heat", o->heat);
		for (k = 0; k < o->n_color_confs; k++)
			check_input(&outputs[i], "-c", o->color_conf[k]);
		for (k = 0; k < i; k++)
			if (outputs[k].path && outfile_same(outputs[k].path, outputs[i].path))
				die_usage("%s %s and %s %s are the same file, expected two files", outputs[k].option,
					  outputs[k].path, outputs[i].option, outputs[i].path);
	}
}

/* Nothing may come between the data, or before the URL, on standard output. */
static bool is_stdout_free(const struct options *o)
{
	struct output outputs[N_OUTPUTS];
	size_t i;

	list_outputs(o, outputs);
	for (i = 0; i < N_OUTPUTS; i++)
		if (outputs[i].path && outfile_same(outputs[i].path, "-"))
			return false;
	return !o->serve;
}

static bool has_output(const struct options *o)
{
	return o->png || o->html || o->serve || o->record || o->json || o->csv || o->prometheus || o->n_conditions;
}

static void check_top(struct options *o)
{
	if (has_output(o))
		die_usage("--top goes alone, expected no other output beside it");
	if (o->has_at)
		die_usage("--top shows what changes, which a moment does not, expected --list files --json FILE beside --at");
	if (!o->interval_ns && !strcmp(o->table, "-"))
		o->count = 1;
	if (!o->interval_ns)
		o->interval_ns = TOP_INTERVAL_NS;
}

static void check_why(const struct options *o)
{
	if (has_output(o) || o->top || o->interval_ns || (o->why && o->has_block))
		die_usage("%s goes alone, expected no other output beside it, and no -n", o->why ? "--why" : "--block");
}

static void check_space(const struct options *o)
{
	if (has_output(o) || o->top || o->why || o->has_block || o->interval_ns)
		die_usage("--space goes alone, expected no other output beside it, and no -n");
	/* only together they are of one time */
	if (recording_is(o->table))
		die_usage("--space of a recording takes one snapshot of it, and F2FS's state of that time, expected: "
			  "-t %s/fragtrace-....snapshot.zst --f2fs-state %s/fragtrace-....f2fs", o->table, o->table);
	if (!o->f2fs_state && strncmp(o->table, DEBUGFS "/", strlen(DEBUGFS "/")))
		die_usage("--space of a recorded table takes a recorded state, expected: --f2fs-state DIR");
}

/* It has no end, and its URL is on standard output. */
static void check_serve(const struct options *o)
{
	struct output outputs[N_OUTPUTS];
	size_t i;

	list_outputs(o, outputs);
	for (i = 0; i < N_OUTPUTS; i++)
		if (outputs[i].path && !strcmp(outputs[i].path, "-"))
			die_usage("--serve prints its URL on standard output, expected a file after %s", outputs[i].option);
	if (o->count)
		die_usage("--serve runs until it is interrupted, expected no --count beside it");
	if (o->n_conditions)
		die_usage("--serve runs until it is interrupted, expected no --fail-if beside it");
	if (!o->png && !o->html)
		for (i = 0; i < N_IMG_OPTIONS; i++)
			if (o->img_keys[i] || o->img_conf)
				die_usage("%s%s is for pictures, and --serve draws none, expected -o or --html beside it",
					  o->img_conf ? "" : "--", o->img_conf ? "-i" : img_options[i]);
}

/* An option that only pictures depend on goes with no other output. */
static void check_picture_option(const struct options *o, const char *option, const char *outputs_allowed,
				 bool with_html)
{
	struct output outputs[N_OUTPUTS];
	const char *other = NULL;
	size_t i;

	list_outputs(o, outputs);
	for (i = 0; i < N_OUTPUTS; i++)
		if (outputs[i].path && outputs[i].path != o->png && !(with_html && outputs[i].path == o->html))
			other = outputs[i].option;
	if (o->n_conditions)
		other = "--fail-if";
	if (o->top || o->why || o->has_block || o->space)
		other = o->top ? "--top" : o->why ? "--why" : o->has_block ? "--block" : "--space";
	if (other)
		die_usage("%s goes with %s, expected no %s beside it%s", option, outputs_allowed, other,
			  o->top ? "; --filter goes with that" : "");
}

/* The picture of one file has a form of its own. */
static void check_file(const struct options *o)
{
	const char *other = o->lens.range ? "--lba" : o->lens.only ? "--only" : NULL;

	check_picture_option(o, "--file", "a picture", false);
	if (o->img_keys[0])
		other = "--layout";
	if (o->f2fs_state)
		other = "--f2fs-state";
	if (o->serve)
		other = "--serve";
	if (other)
		die_usage("--file has a picture of its own, expected no %s beside it", other);
}

/*
 * The counts of reads are beside a table of debugfs, or of a copy of its files, or beside a recorded snapshot; in a
 * recording, it depends on the moment which file has them: NULL.
 */
static char *heat_beside(const char *table)
{
	const char *slash = strrchr(table, '/'), *name = slash ? slash + 1 : table;
	char *recorded = recording_is(table) ? NULL : recorded_heat(table);

	if (recorded || recording_is(table))
		return recorded;
	if (strcmp(name, "snapshot") && strcmp(name, "table"))
		die_usage("--color-by heat: what is read is not in %s, expected a copy of the file heat: --heat FILE", table);
	return xasprintf("%.*sheat", (int)(name - table), table);
}

static void check_heat(struct options *o, const char *heat)
{
	bool is_wanted = !strcmp(o->color_by, "heat");

	if (heat && !is_wanted)
		die_usage("--heat goes with --color-by heat");
	o->needs_heat = is_wanted && (o->png || o->html || o->serve);
	if (o->needs_heat)
		o->heat = heat ? xasprintf("%s", heat) : heat_beside(o->table);
}

static void check_recording(struct options *o)
{
	if (o->has_at && strcmp(o->table, "-") && access(o->table, F_OK))
		die("%s: cannot open: %s", o->table, strerror(errno));
	if (o->has_at && !recording_is(o->table))
		die_usage("--at goes with a recording, expected the folder that --record wrote, not %s", o->table);
	if ((o->events || o->keep_bytes || o->keep_ms) && !o->record)
		die_usage("%s goes with --record", o->events ? "--events" : "--keep");
	if (!o->events)
		return;
	if (o->png || o->html || o->json || o->csv || o->prometheus || o->serve || o->file ||
	    o->n_conditions)
		die_usage("--events goes with --record alone, expected no other output beside it");
	if (o->count)
		die_usage("--events goes on until it is interrupted, expected no --count");
	if (strcmp(o->table, DEFAULT_SNAPSHOT))
		die_usage("--events records the running system, expected no table%s",
			  strcmp(o->table, DEFAULT_TABLE) ? "" : "; " DEFAULT_SNAPSHOT " cannot be read: are you root?");
	if (!o->interval_ns)
		o->interval_ns = EVENTS_INTERVAL_NS;
}

static void check(struct options *o, const char *heat)
{
	if (o->file)
		check_file(o);
	if (o->serve && (o->top || o->why || o->has_block || o->space))
		die_usage("--serve does not go with %s", o->top ? "--top" : o->why ? "--why" : o->has_block ? "--block" : "--space");
	if (o->serve)
		check_serve(o);
	if (o->lens.range || o->lens.only)
		check_picture_option(o, o->lens.range ? "--lba" : "--only", "a picture or --html", true);
	if (o->why || o->has_block)
		check_why(o);
	if (o->space)
		check_space(o);
	if (o->top)
		check_top(o);
	check_recording(o);
	if (o->volume && o->record)
		die_usage("--record keeps all volumes, expected no --volume beside it");
	if (o->filter && !o->top)
		die_usage("--filter goes with --top");
	if (o->list && !o->json && !o->csv)
		die_usage("--list goes with --json or --csv");
	if (o->count && !o->interval_ns)
		die_usage("--count goes with -n or --top, expected: -n SECONDS --count N");
	if (o->html && o->png && vector_out_form(o->png))
		die_usage("%s: the picture of a page is a PNG, expected another name after -o", o->png);
	if (o->interval_ns && o->count != 1 && !strcmp(o->table, "-"))
		die_usage("-n cannot read standard input again, expected a file after -t");
	if (!has_output(o) && !o->top && !o->why && !o->has_block && !o->space)
		o->png = DEFAULT_PNG;
	check_heat(o, heat);
	check_outputs(o);
	o->says_picture = o->png && is_stdout_free(o);
}

/* The binary file has the same content and is faster to read. */
static const char *default_table(void)
{
	return access(DEFAULT_SNAPSHOT, R_OK) ? DEFAULT_TABLE : DEFAULT_SNAPSHOT;
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
		{ "table", required_argument, NULL, 't' },
		{ "output", required_argument, NULL, 'o' },
		{ "interval", required_argument, NULL, 'n' },
		{ "count", required_argument, NULL, 'N' },
		{ "record", required_argument, NULL, 'R' },
		{ "at", required_argument, NULL, OPT_AT },
		{ "events", no_argument, NULL, OPT_EVENTS },
		{ "keep", required_argument, NULL, OPT_KEEP },
		{ "html", required_argument, NULL, 'H' },
		{ "json", required_argument, NULL, 'J' },
		{ "csv", required_argument, NULL, 'C' },
		{ "list", required_argument, NULL, 'L' },
		{ "prometheus", required_argument, NULL, 'P' },
		{ "top", no_argument, NULL, 'T' },
		{ "why", no_argument, NULL, 'W' },
		{ "block", required_argument, NULL, OPT_BLOCK },
		{ "space", no_argument, NULL, 'S' },
		{ "f2fs-state", required_argument, NULL, OPT_F2FS_STATE },
		{ "lba", required_argument, NULL, OPT_LBA },
		{ "only", required_argument, NULL, OPT_ONLY },
		{ "file", required_argument, NULL, OPT_FILE },
		{ "serve", optional_argument, NULL, OPT_SERVE },
		{ "volume", required_argument, NULL, OPT_VOLUME },
		{ "filter", required_argument, NULL, 'F' },
		{ "fail-if", required_argument, NULL, 'I' },
		{ "max-input", required_argument, NULL, 'M' },
		{ "colors", required_argument, NULL, 'c' },
		{ "color-by", required_argument, NULL, 'B' },
		{ "heat", required_argument, NULL, OPT_HEAT },
		{ "image", required_argument, NULL, 'i' },
		{ "layout", required_argument, NULL, OPT_LAYOUT },
		{ "cell", required_argument, NULL, OPT_CELL },
		{ "dpi", required_argument, NULL, OPT_DPI },
		{ "theme", required_argument, NULL, OPT_THEME },
		{ "section", required_argument, NULL, OPT_SECTION },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	struct options *o = options;
	const char *heat = NULL;
	int c;

	*o = (struct options){ .at = { .is_relative = true, .ns = UINT64_MAX } };
	while ((c = getopt_long(argc, argv, "t:o:n:c:i:h", longs, NULL)) != -1) {
		switch (c) {
		case 't': o->table = optarg; break;
		case 'o': o->png = optarg; break;
		case 'n': o->interval_ns = read_interval(optarg); break;
		case 'N': o->count = read_count(optarg); break;
		case 'R': o->record = optarg; break;
		case OPT_AT: o->at = read_moment(optarg); o->has_at = true; break;
		case OPT_EVENTS: o->events = true; break;
		case OPT_KEEP: keep_parse(optarg, &o->keep_bytes, &o->keep_ms); break;
		case 'H': o->html = optarg; break;
		case 'J': o->json = optarg; break;
		case 'C': o->csv = optarg; break;
		case 'L': o->list = read_list(optarg); break;
		case 'P': o->prometheus = optarg; break;
		case 'T': o->top = true; break;
		case 'W': o->why = true; break;
		case OPT_BLOCK: o->block = read_block(optarg); o->has_block = true; break;
		case 'S': o->space = true; break;
		case OPT_F2FS_STATE: o->f2fs_state = optarg; break;
		case OPT_SERVE:
			o->serve = true;
			serve_read_address(&o->serve_at, optarg);
			break;
		case OPT_LBA: lens_read_range(&o->lens, optarg); break;
		case OPT_ONLY: o->lens.only = read_only(optarg); break;
		case OPT_FILE: o->file = read_file_arg(optarg); break;
		case OPT_VOLUME: o->volume = optarg; break;
		case 'F': o->filter = optarg; break;
		case 'I': add_condition(o, optarg); break;
		case 'M': set_input_limit(read_size(optarg)); break;
		case 'c': add_color_conf(o, optarg); break;
		case 'B': o->color_by = optarg; break;
		case OPT_HEAT: heat = optarg; break;
		case 'i': o->img_conf = optarg; break;
		case OPT_LAYOUT:
		case OPT_CELL:
		case OPT_DPI:
		case OPT_THEME:
		case OPT_SECTION: o->img_keys[c - OPT_LAYOUT] = optarg; break;
		case 'h': print_and_exit(usage, more_usage); break;
		case 'V': print_and_exit("fragtrace-view " VERSION, "\n"); break;
		default: die_usage("see fragtrace-view --help");
		}
	}
	/* with --why, what is no table is a file of one */
	if (!o->table && optind < argc && (!o->why || source_may_be(argv[optind])))
		o->table = argv[optind++];
	if (o->why && optind < argc)
		o->why_file = argv[optind++];
	if (optind < argc)
		die_usage("unexpected argument \"%s\", see fragtrace-view --help", argv[optind]);
	if (!o->table)
		o->table = default_table();
	if (!o->color_by)
		o->color_by = o->file ? "cause" : "kind";
	check(o, heat);
}

/**
 * options_free() - release the command line
 * @options: as left by options_read()
 */
void options_free(struct options *options)
{
	free(options->heat);
	options->heat = NULL;
}

/**
 * options_read_colors() - read the color.cnf files of -c
 * @options: the command line
 * @colors: the result
 */
void options_read_colors(const struct options *options, struct colors *colors)
{
	size_t i;

	colors_init(colors, options->color_by);
	if (options->file && !colors->source->needs_causes && !colors->source->range_rule)
		die_usage("--color-by %s with --file: expected cause, why, process, age or heat", options->color_by);
	for (i = 0; i < options->n_color_confs; i++)
		colors_read(colors, options->color_conf[i]);
}

/**
 * options_read_img() - read img.cnf; options of the command line override it
 * @options: the command line
 * @img: the result
 */
void options_read_img(const struct options *options, struct img_conf *img)
{
	size_t i;

	img_conf_read(img, options->img_conf);
	for (i = 0; i < N_IMG_OPTIONS; i++)
		if (options->img_keys[i])
			img_conf_set(img, img_options[i], options->img_keys[i]);
}
