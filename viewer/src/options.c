// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: all options of all commands, in one table, and what their arguments mean. */
#include <strings.h>

#include "cli.h"
#include "model/collector.h"
#include "output/keep.h"
#include "picture/vector_out.h"

#define MAX_SECONDS 1e7
#define DEFAULT_INTERVAL_NS (2 * NSEC_PER_SEC)
#define MAX_BYTES (UINT64_C(1) << 60)
#define MAX_REQUEST (UINT64_C(1) << 30)
#define MAX_GAIN 1e12
#define MAX_RECENT UINT64_C(1000000000)
#define RECENT_S 600
/* What cat and cp ask for. */
#define DEFAULT_READ (128 * UINT64_C(1024))

/* === Readers === */

/* A number of bytes above 0, or of KiB, MiB or GiB with K, M or G. */
static bool parse_bytes(const char *arg, uint64_t most, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	errno = 0;
	*bytes = strtoull(arg, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (*arg < '0' || *arg > '9' || errno || !*bytes || (*end && (!unit || end[1])))
		return false;
	for (int shifts = unit ? (int)(unit - units) + 1 : 0; shifts && *bytes <= most; shifts--)
		*bytes <<= 10;
	return *bytes <= most;
}

static bool parse_real(const char *arg, double most, double *real)
{
	char *end;

	*real = strtod(arg, &end);
	return end != arg && !*end && *real >= 0.0 && *real <= most;
}

static bool read_text(void *to, const char *arg)
{
	*(const char **)to = arg;
	return true;
}

static bool read_flag(void *to, const char *arg)
{
	*(bool *)to = true;
	return true;
}

static bool read_bytes(void *to, const char *arg)
{
	return parse_bytes(arg, MAX_BYTES, to);
}

/* A request is of whole blocks. */
static bool read_request(void *to, const char *arg)
{
	return parse_bytes(arg, MAX_REQUEST, to) && !(*(uint64_t *)to % MIN_BLK_BYTES);
}

static bool read_gain(void *to, const char *arg)
{
	return parse_real(arg, MAX_GAIN, to);
}

static bool read_percent(void *to, const char *arg)
{
	return parse_real(arg, 100.0, to) && *(double *)to > 0.0;
}

static bool read_lba(void *to, const char *arg)
{
	return lens_read_range(to, arg);
}

static bool read_listen(void *to, const char *arg)
{
	return serve_read_address(to, arg);
}

static bool read_max_input(void *to, const char *arg)
{
	uint64_t bytes;

	if (!parse_bytes(arg, MAX_BYTES, &bytes))
		return false;
	set_input_limit(bytes, NULL);
	return true;
}

static bool read_interval(void *to, const char *arg)
{
	double seconds;

	if (!parse_real(arg, MAX_SECONDS, &seconds) || !(seconds > 0.0))
		return false;
	*(int64_t *)to = (int64_t)(seconds * 1e9) + 1;
	return true;
}

/* The name of a picture would be wrong about what is in it. */
static bool read_picture(void *to, const char *arg)
{
	const char *slash = strrchr(arg, '/'), *dot = strrchr(slash ? slash : arg, '.');

	*(const char **)to = arg;
	return !dot || !strcasecmp(dot, ".png") || vector_out_form(arg);
}

/* By its name. */
static bool read_form(void *to, const char *arg)
{
	static const char *const names[] = { [FORM_TEXT] = "", [FORM_JSON] = "json", [FORM_CSV] = "csv", [FORM_COLUMNS] = "columns" };

	*(enum sheet_form *)to = (enum sheet_form)index_of(arg, names, ARRAY_LEN(names));
	return true;
}

static bool read_sort(void *to, const char *arg)
{
	return top_read_key(to, arg);
}

static bool read_choice(void *to, const char *arg)
{
	*(const char **)to = arg;
	return !strcmp(arg, "all") || index_of(arg, collector_choices, N_CHOICES) < N_CHOICES;
}

static bool read_way(void *to, const char *arg)
{
	*(enum way *)to = strcmp(arg, "ioctl") ? WAY_MAPPING : WAY_IOCTL;
	return !strcmp(arg, "ioctl") || !strcmp(arg, "mapping");
}

/* Those that set several members. */

static bool read_count(void *to, const char *arg)
{
	struct options *o = to;
	uint64_t count;

	if (!parse_number(arg, ULONG_MAX, &count))
		return false;
	o->count = count;
	/* a single reading is no repetition: what is wrong with it is an error */
	if (!o->interval_ns && count > 1)
		o->interval_ns = DEFAULT_INTERVAL_NS;
	return count;
}

static bool read_moment(void *to, const char *arg)
{
	struct options *o = to;

	o->has_at = true;
	return moment_parse(&o->at, arg);
}

static bool read_colors(void *to, const char *arg)
{
	struct options *o = to;

	if (o->n_color_confs == MAX_COLOR_CONFS)
		return false;
	o->color_conf[o->n_color_confs++] = arg;
	return true;
}

static bool read_heat(void *to, const char *arg)
{
	struct options *o = to;

	o->heat = arg;
	o->color_by = "heat";
	return true;
}

static bool read_keep(void *to, const char *arg)
{
	struct options *o = to;

	return keep_parse(arg, &o->keep_bytes, &o->keep_ms);
}

static bool read_like(void *to, const char *arg)
{
	struct options *o = to;

	o->like_fragpicker = true;
	return !strcmp(arg, "fragpicker");
}

/* "buffered,4K" */
static bool read_reader(void *to, const char *arg)
{
	struct options *o = to;
	size_t n = strcspn(arg, ",");

	if (n == 6 && !strncmp(arg, "direct", n))
		o->reader = READING_DIRECT;
	else if (n == 8 && !strncmp(arg, "buffered", n))
		o->reader = READING_BUFFERED;
	else
		return false;
	o->reader_bytes = DEFAULT_READ;
	return !arg[n] || read_request(&o->reader_bytes, arg + n + 1);
}

static bool read_recent(void *to, const char *arg)
{
	struct options *o = to;

	o->spare_hopeless = true;
	return parse_number(arg, MAX_RECENT, &o->recent_s);
}

/* === The table === */

#define IN(member) .at = offsetof(struct options, member)
#define TEXT(member) IN(member), .read = read_text
#define FLAG(member) IN(member), .read = read_flag
#define INSTEAD(what) TEXT(table), .help = "read this instead of the running module: " what "; - is stdin"
#define PRESETS "rocksdb\nredis\nvoltdb\nFILES"
#define BYTES_FORM "a number of bytes above 0, such as 64K, 10M or 2G"

const struct option_def option_defs[N_OPTIONS] = {
	[OPT_TABLE] = { "table", 't', "TABLE", INSTEAD("a snapshot, a text of debugfs, both perhaps packed with zstd, or the folder of a recording") },
	/* of commands for which a text has too little */
	[OPT_SNAPSHOT] = { "table", 't', "TABLE", INSTEAD("a snapshot, perhaps packed with zstd, or a recording of them") },
	[OPT_LATENCY] = { "table", 't', "COUNTS", INSTEAD("a copy of the file latency of debugfs") },
	[OPT_LEDGER] = { "table", 't', "COUNTS", INSTEAD("a copy of the file ledger of debugfs") },
	[OPT_GC_RUNS] = { "table", 't', "COUNTS", INSTEAD("a copy of the file gc_runs of debugfs, or a recording with events") },
	[OPT_WHAT_IF] = { "what-if", 0, "CHOICE", IN(what_if), .read = read_choice, .words = "greedy\ncost-benefit\natgc\nhot-cold\nall",
		.form = "greedy, cost-benefit, atgc, hot-cold or all",
		.help = "of a recording with events: what would have been moved by another choice, in a model" },
	[OPT_DISCARDS] = { "table", 't', "COUNTS", INSTEAD("a copy of the file discards of debugfs, or a recording") },
	[OPT_AT] = { "at", 0, "TIME", .read = read_moment, .form = MOMENT_FORM, .words = "start\nend",
		.help = "the moment of a recording (its end): 60s, 5m, 1h30m after its beginning, start, end, or a time such as "
			"2026-05-04T03:02:01.5Z" },
	[OPT_MAX_INPUT] = { "max-input", 0, "SIZE", .read = read_max_input, .form = BYTES_FORM, .words = "",
		.help = "refuse what is larger, unpacked, such as 2G (half of the memory)" },
	[OPT_VOLUME] = { "volume", 0, "VOLUME", TEXT(volume),
		.help = "only this volume: its mount point, or MAJOR:MINOR" },
	[OPT_F2FS_STATE] = { "f2fs-state", 0, "DIR", TEXT(f2fs_state),
		.help = "F2FS's own state from copies of its files in this folder" },
	[OPT_INTERVAL] = { "interval", 'n', "SECONDS", IN(interval_ns), .read = read_interval,
		.form = "a number of seconds above 0", .words = "",
		.help = "read again at this interval, until interrupted" },
	[OPT_COUNT] = { "count", 0, "N", .read = read_count, .form = "a number of readings, at least 1", .words = "",
		.help = "stop after N readings, every 2 seconds without -n" },
	[OPT_SORT] = { "sort", 0, "KEY", IN(sort), .read = read_sort, .words = "extra\nfrags\nrate\nblocks\nsplit\nname",
		.form = "extra, frags, rate, blocks, split or name",
		.help = "by extra (requests, the default), frags, rate (new fragments per second), blocks, split or name" },
	[OPT_PICTURE] = { "output", 'o', "FILE", IN(output), .read = read_picture,
		.form = "a name that ends with .png, .svg or .pdf: a picture is one of these",
		.help = "the picture (" DEFAULT_PNG "): a PNG, or what .svg or .pdf says; - is stdout" },
	[OPT_LBA] = { "lba", 0, "A-B", IN(lens), .read = read_lba, .words = "",
		.form = "block addresses as A-B, A- or -B, with A not above B",
		.help = "draw only the blocks A to B; A- and -B leave an end open" },
	[OPT_ONLY] = { "only", 0, "PATTERN", TEXT(lens.only), .form = "a part of paths, or a glob", .words = "",
		.help = "only files whose path has this text, or matches this glob" },
	[OPT_COLORS] = { "colors", 'c', "FILE", .read = read_colors, .words = PRESETS, .form = "a file, up to 16 times",
		.help = "colours: a file, rocksdb, redis or voltdb; of several, later ones win" },
	[OPT_COLOR_BY] = { "color-by", 0, "WHAT", TEXT(color_by),
		.words = "kind\nseverity\nworst\nsize\ncause\nwhy\nprocess\nage\nheat\nfile=",
		.help = "kind (of file), severity (cost of reading the file), worst (files), size (of fragment), cause, why, "
			"process, age, heat (how often it is read) or file=PATH" },
	/* of a single file */
	[OPT_COLOR_FILE_BY] = { "color-by", 0, "WHAT", TEXT(color_by), .words = "cause\nwhy\nprocess\nage\nheat",
		.help = "cause (of the break before a fragment: the default), why, process, age or heat" },
	[OPT_HEAT] = { "heat", 0, "FILE", .read = read_heat,
		.help = "--color-by heat, with the counts of reads from this file" },
	[OPT_IMAGE] = { "image", 'i', "FILE", TEXT(img_conf), .words = PRESETS,
		.help = "sizes and folding: a file, rocksdb, redis or voltdb" },
	[OPT_LAYOUT] = { "layout", 0, "NAME", TEXT(img_keys[0]), .words = "boxes\nsegments\nhilbert\nzones",
		.help = "boxes (one per block, long runs folded), segments or zones (a row each), or hilbert (a square); without it "
			"boxes, or segments if boxes would fold more than half of the blocks" },
	[OPT_CELL] = { "cell", 0, "PIXELS", TEXT(img_keys[1]), .words = "", .help = "side of a box or cell (8)" },
	[OPT_DPI] = { "dpi", 0, "N", TEXT(img_keys[2]), .words = "", .help = "dots per inch; everything grows with it (96)" },
	[OPT_THEME] = { "theme", 0, "NAME", TEXT(img_keys[3]), .words = "light\ndark", .help = "light or dark (light)" },
	[OPT_SECTION] = { "section", 0, "N", TEXT(img_keys[4]), .words = "",
		.help = "segments in a section, ruled off in segments" },
	/* any text, unlike that of OPT_PICTURE */
	[OPT_OUTPUT] = { "output", 'o', "FILE", TEXT(output), .help = "where to write (stdout)" },
	[OPT_JSON] = { "json", 0, IN(form), .read = read_form, .help = "as JSON" },
	[OPT_CSV] = { "csv", 0, IN(form), .read = read_form, .help = "as CSV" },
	[OPT_COLUMNS] = { "columns", 0, IN(form), .read = read_form,
		.help = "as columns of numbers, for numpy: fragtrace-plot reads them" },
	[OPT_REQUESTS] = { "requests", 0, FLAG(requests),
		.help = "with --columns: standard input names what to read, one after the other: what --at takes, or nothing, and "
			"TABLE, with a NUL after each of both" },
	[OPT_WITH_READS] = { "reads", 0, FLAG(with_reads),
		.help = "with --columns: also how often each window was read, from the recording or the file heat beside the table" },
	[OPT_EVENTS] = { "events", 0, FLAG(events),
		.help = "keep what happens between the snapshots, so that --at can have any moment; a snapshot every 10 "
			"minutes without -n; as root, until interrupted" },
	[OPT_KEEP] = { "keep", 0, "LIMITS", .read = read_keep, .words = "",
		.form = "a size (M, G, T), an age (s, m, h, d), or both, as in 2G,7d",
		.help = "delete the oldest when the folder is larger, or what is older: 2G, 7d or 2G,7d (M, G, T; s, m, h, d)" },
	[OPT_LISTEN] = { "listen", 'l', "ADDR:PORT", IN(listen), .read = read_listen, .words = "",
		.form = "an IP address and a port, as in " SERVE_ADDRESS " or [::1]:8417",
		.help = "an IP address, a port, or both (" SERVE_ADDRESS "); port 0 is any free one" },
	[OPT_ALL] = { "all", 0, FLAG(all),
		.help = "plan for all ranges alike, however often they are read; needed if the module was loaded without heat=1" },
	/* what a plan is made of, not a colour */
	[OPT_READS] = { "heat", 0, "FILE", TEXT(heat),
		.help = "the counts of reads (the module's; with -t this or --all is needed)" },
	[OPT_HOT] = { "hot", 0, "PERCENT", IN(hot_percent), .read = read_percent,
		.form = "a percentage above 0, at most 100", .words = "",
		.help = "only ranges among those that make up this share of all that is read (100)" },
	[OPT_LIKE] = { "like", 0, "RULES", .read = read_like, .form = "fragpicker", .words = "fragpicker",
		.help = "fragpicker: weigh by bytes read and overwritten, as FragPicker does" },
	[OPT_REQUEST] = { "request", 0, "SIZE", IN(request_bytes), .read = read_request, .words = "",
		.form = "a multiple of 4K, such as 128K, at most 1G",
		.help = "size of a request (of the device: the smallest one of max_sectors_kb, read_ahead_kb, and max_segments "
			"pages; 128K with -t)" },
	[OPT_READER] = { "reader", 0, "WAY", .read = read_reader, .words = "direct\nbuffered",
		.form = "direct or buffered, perhaps with a multiple of 4K, such as buffered,4K",
		.help = "foresee the requests of one who reads the files in order: direct or buffered, and how much at once, such "
			"as buffered,4K (128K)" },
	[OPT_BUDGET] = { "budget", 0, "BYTES", IN(budget_bytes), .read = read_bytes, .form = BYTES_FORM, .words = "",
		.help = "write at most this much" },
	[OPT_MIN_GAIN] = { "min-gain", 0, "N", IN(min_gain), .read = read_gain,
		.form = "a number of requests per MiB", .words = "",
		.help = "leave out ranges that save fewer than N requests per MiB written (half a request per window of one "
			"request: 4 for 128K)" },
	[OPT_RECENT] = { "recent", 0, "SECONDS", .read = read_recent, .form = "a number of seconds", .words = "",
		.help = "a file that was fragmented by rewriting so recently will break again, and is left alone (600); with "
			"--all only if this is given" },
	[OPT_APPLY] = { "apply", 0, FLAG(apply), .help = "do it: as root, while the module is loaded" },
	[OPT_RATE] = { "rate", 0, "BYTES", IN(rate_bytes), .read = read_bytes, .form = BYTES_FORM, .words = "",
		.help = "write at most this much per second" },
	[OPT_SHARE] = { "share", 0, "PERCENT", IN(share_percent), .read = read_percent,
		.form = "a percentage above 0, at most 100", .words = "",
		.help = "while others use the disk, work for this share of the time only (100)" },
	[OPT_WAY] = { "way", 0, "WAY", IN(way), .read = read_way, .form = "ioctl or mapping", .words = "ioctl\nmapping",
		.help = "ioctl (F2FS_IOC_DEFRAGMENT) or mapping (pages made dirty in place); before Linux 6.12 mapping, else ioctl" },
	[OPT_HELP] = { "help", 'h', .help = "this text" },
};

/**
 * options_set_defaults() - set the options that are not 0 by default
 * @options: the result
 */
void options_set_defaults(struct options *options)
{
	*options = (struct options){
		.at = { .is_relative = true, .ns = UINT64_MAX },
		.hot_percent = 100.0, .share_percent = 100.0, .min_gain = -1.0, .recent_s = RECENT_S,
	};
	serve_read_address(&options->listen, SERVE_ADDRESS);
}
