// SPDX-License-Identifier: GPL-2.0-only
/*
 * fragtrace-view: draw where the blocks of F2FS files lie.
 * Options, and the loop that drives the pipeline: table -> runs -> layout -> pixels -> PNG.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "canvas.h"
#include "color.h"
#include "conf.h"
#include "layout.h"
#include "outfile.h"
#include "paint.h"
#include "png_out.h"
#include "runs.h"
#include "table.h"
#include "util.h"

#define DEBUGFS "/sys/kernel/debug"
#define DEFAULT_TABLE DEBUGFS "/fragtrace/table"
#define DEFAULT_PNG "fragImg.png"
#define DEBUGFS_SUPER_MAGIC 0x64626720
#define MAX_SECONDS 1e7

/* Keys of img.cnf that are also options. */
enum { OPT_LAYOUT = 256, OPT_CELL, OPT_DPI, OPT_SECTION };
static const char *const img_options[] = { "layout", "cell", "dpi", "section" };
#define N_IMG_OPTIONS ARRAY_LEN(img_options)

struct options {
	const char *table;
	const char *png;
	const char *color_conf;
	const char *img_conf;
	const char *img_keys[N_IMG_OPTIONS];	/* values from the command line, or NULL */
	double seconds;			/* between two pictures; 0: one picture only */
	unsigned long count;		/* pictures to draw; 0: no end */
};

static const char usage[] =
"usage: fragtrace-view [-t TABLE] [-o PNG] [-c color.cnf] [-i img.cnf]\n"
"                      [-n SECONDS [--count N]]\n"
"\n"
"Draw where the blocks of F2FS files lie: one box per block, coloured by\n"
"extension and by whether the file is fragmented.\n"
"\n"
"  -t, --table TABLE    what to draw (" DEFAULT_TABLE "); - is stdin\n"
"  -o, --output PNG     the picture (" DEFAULT_PNG "); - is stdout\n"
"  -n, --interval SECONDS\n"
"                       draw again every so many seconds, until interrupted\n"
"      --count N        stop after N pictures\n"
"  -c, --colors FILE    colours: a file, or rocksdb, redis or voltdb\n"
"  -i, --image FILE     sizes and folding: a file, or rocksdb, redis or voltdb\n"
"      --layout NAME    boxes (one per block, long runs folded), segments (a row\n"
"                       for each segment) or hilbert (the volume as a square)\n"
"      --cell PIXELS    side of a box or cell (8)\n"
"      --dpi N          dots per inch; everything grows with it (96)\n"
"      --section N      segments in a section, ruled off in segments (not known)\n"
"      --help           this text\n"
"      --version        version of the program\n";

/* === Reading === */

static bool debugfs_is_mounted(void)
{
	struct statfs fs;

	return !statfs(DEBUGFS, &fs) && fs.f_type == DEBUGFS_SUPER_MAGIC;
}

static const char *hint(const char *path, int err)
{
	if (strncmp(path, DEBUGFS "/", strlen(DEBUGFS "/")))
		return "";
	if (err == EACCES)
		return " (only root may read debugfs: are you root?)";
	if (err == EPERM)
		return " (kernel lockdown may forbid debugfs)";
	if (!debugfs_is_mounted())
		return " (debugfs is not mounted: mount -t debugfs none " DEBUGFS ")";
	return " (is the module fragtrace loaded? insmod fragtrace.ko path=DIR)";
}

/* The table is held open only while it is read: it is understood afterwards. */
static void read_table(struct text *text, const char *path)
{
	int fd = STDIN_FILENO, err;

	if (strcmp(path, "-"))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("%s: cannot open: %s%s", path, strerror(errno), hint(path, errno));
	err = slurp(text, fd);
	if (err)
		die("%s: cannot read: %s", path, strerror(err));
	if (fd != STDIN_FILENO)
		close(fd);
}

/* A recorded table is as old as its file, any other as new as the reading of it. */
static void format_time(char *buf, size_t size, time_t when)
{
	struct tm tm;

	if (!when)
		when = time(NULL);
	if (!localtime_r(&when, &tm) || !strftime(buf, size, "%Y-%m-%d %H:%M:%S %Z", &tm))
		snprintf(buf, size, "at an unknown time");
}

/* === One picture === */

static void draw(const struct options *o, struct colors *colors, const struct img_conf *img)
{
	const char *name = strcmp(o->table, "-") ? o->table : "<stdin>";
	struct canvas canvas;
	struct layout layout;
	struct table table;
	struct runs runs;
	struct text text;
	char when[64];

	read_table(&text, o->table);
	format_time(when, sizeof(when), text.mtime);
	table_parse(&table, name, &text);
	colors_learn(colors, &table);
	runs_build(&runs, &table, colors);
	layout_init(&layout, &runs, img, colors->n_rules);
	paint(&canvas, &layout, &runs, colors, when);
	layout_free(&layout);
	runs_free(&runs);
	table_free(&table);
	png_out_write(&canvas, o->png);
	canvas_free(&canvas);
}

/* === Again and again === */

static volatile sig_atomic_t repeating;

/* To interrupt a repeated drawing is the normal way to end it; anything else it cuts short. */
static void on_signal(int sig)
{
	outfile_abandon();
	if (repeating)
		_exit(0);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	/* nohup must keep working */
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
}

static struct timespec later(struct timespec t, double seconds)
{
	time_t whole = (time_t)seconds;

	t.tv_sec += whole;
	t.tv_nsec += (long)((seconds - (double)whole) * 1e9);
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static bool is_before(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

/* Pictures begin at even intervals; one that takes longer than that delays those after it. */
static void draw_repeatedly(const struct options *o, struct colors *colors,
			    const struct img_conf *img)
{
	struct timespec next, now;
	unsigned long i;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (i = 1; ; i++) {
		draw(o, colors, img);
		if (i == o->count)
			return;
		next = later(next, o->seconds);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (is_before(next, now))
			next = now;
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR)
			;
	}
}

/* === Options === */

static double read_seconds(const char *arg)
{
	char *end;
	double seconds = strtod(arg, &end);

	if (end == arg || *end || !(seconds > 0.0) || seconds > MAX_SECONDS)
		die("-n %s: expected a number of seconds above 0", arg);
	return seconds;
}

static unsigned long read_count(const char *arg)
{
	unsigned long count;
	char *end;

	errno = 0;
	count = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || !count)
		die("--count %s: expected a number of pictures, at least 1", arg);
	return count;
}

static void print_and_exit(const char *text)
{
	if (fputs(text, stdout) == EOF || fflush(stdout))
		die("<stdout>: %s", strerror(errno));
	exit(0);
}

static void check_options(const struct options *o)
{
	if (o->count && o->seconds == 0.0)
		die("--count goes with -n, expected: -n SECONDS --count N");
	if (o->seconds > 0.0 && !strcmp(o->table, "-"))
		die("-n cannot read standard input again, expected a file after -t");
	if (!*o->png)
		die("-o has an empty name, expected the name of a picture");
}

static void read_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "table", required_argument, NULL, 't' },
		{ "output", required_argument, NULL, 'o' },
		{ "interval", required_argument, NULL, 'n' },
		{ "count", required_argument, NULL, 'N' },
		{ "colors", required_argument, NULL, 'c' },
		{ "image", required_argument, NULL, 'i' },
		{ "layout", required_argument, NULL, OPT_LAYOUT },
		{ "cell", required_argument, NULL, OPT_CELL },
		{ "dpi", required_argument, NULL, OPT_DPI },
		{ "section", required_argument, NULL, OPT_SECTION },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "t:o:n:c:i:", longs, NULL)) != -1) {
		switch (c) {
		case 't': o->table = optarg; break;
		case 'o': o->png = optarg; break;
		case 'n': o->seconds = read_seconds(optarg); break;
		case 'N': o->count = read_count(optarg); break;
		case 'c': o->color_conf = optarg; break;
		case 'i': o->img_conf = optarg; break;
		case OPT_LAYOUT:
		case OPT_CELL:
		case OPT_DPI:
		case OPT_SECTION: o->img_keys[c - OPT_LAYOUT] = optarg; break;
		case 'h': print_and_exit(usage); break;
		case 'V': print_and_exit("fragtrace-view " VERSION "\n"); break;
		default: die("see fragtrace-view --help");
		}
	}
	if (optind < argc)
		die("unexpected argument \"%s\", see fragtrace-view --help", argv[optind]);
	check_options(o);
}

/* The command line has the last word. */
static void read_img(struct img_conf *img, const struct options *o)
{
	size_t i;

	img_conf_read(img, o->img_conf);
	for (i = 0; i < N_IMG_OPTIONS; i++)
		if (o->img_keys[i])
			img_conf_set(img, img_options[i], o->img_keys[i]);
}

int main(int argc, char **argv)
{
	struct options o = { .table = DEFAULT_TABLE, .png = DEFAULT_PNG };
	struct colors colors;
	struct img_conf img;

	read_options(&o, argc, argv);
	colors_read(&colors, o.color_conf);
	read_img(&img, &o);
	atexit(outfile_abandon);
	repeating = o.seconds > 0.0;
	catch_signals();
	if (repeating)
		draw_repeatedly(&o, &colors, &img);
	else
		draw(&o, &colors, &img);
	colors_free(&colors);
	return 0;
}
