// SPDX-License-Identifier: GPL-2.0-only
/* What the commands do with a table that was read, once or repeatedly; session_draw.c and session_serve.c have the larger ones. */
#include <libgen.h>

#include "input/pairs.h"
#include "input/recording.h"
#include "input/table.h"
#include "model/space.h"
#include "outfile.h"
#include "output/columns.h"
#include "output/condition.h"
#include "output/export.h"
#include "output/page_file.h"
#include "output/perfetto.h"
#include "output/prometheus.h"
#include "output/record_live.h"
#include "output/space.h"
#include "output/top_screen.h"
#include "output/why.h"
#include "output/zones.h"
#include "session.h"

/* Between two snapshots, with --events. */
#define EVENTS_INTERVAL_NS (600 * NSEC_PER_SEC)
#define TOP_INTERVAL_NS (2 * NSEC_PER_SEC)

/* === Options that depend on each other === */

static void check_input(const char *output, const char *input)
{
	if (input && outfile_is_input(output, input))
		die_usage("%s: would overwrite the input %s; name another file", output, input);
}

/* A file in the folder of a recording, or of copies of F2FS's files, is input if it is called as theirs are. */
static void check_folder(const char *output, const char *dir)
{
	const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
	struct stat of_output, of_dir;

	if (!dir || !recording_is(dir) || access(output, F_OK) || (strncmp(name, "fragtrace-", 10) && strchr(name, '.')))
		return;
	AUTO_FREE char *path = xasprintf("%s", output);
	if (!stat(dirname(path), &of_output) && !stat(dir, &of_dir) && of_output.st_dev == of_dir.st_dev &&
	    of_output.st_ino == of_dir.st_ino)
		die_usage("%s: is part of the input, %s; name another file", output, dir);
}

/* No output may overwrite an input. */
static void check_output(const struct options *o, const char *heat)
{
	check_input(o->output, o->table);
	check_input(o->output, o->img_conf);
	check_input(o->output, heat);
	check_folder(o->output, o->table);
	check_folder(o->output, o->f2fs_state);
	for (size_t i = 0; i < o->n_color_confs; i++)
		check_input(o->output, o->color_conf[i]);
	if (o->interval_ns && o->count != 1 && o->table && !strcmp(o->table, "-"))
		die_usage("-: -n cannot read standard input again; name a file after -t");
}

/*
 * The counts of reads are beside a table of debugfs, or of a copy of its files, or beside a recorded snapshot; in a
 * recording, it depends on the moment which file has them: NULL. @has_option: the command has --heat.
 */
static char *heat_beside(const char *table, bool has_option)
{
	const char *slash = strrchr(table, '/'), *name = slash ? slash + 1 : table;
	char *recorded = recording_is(table) ? NULL : recorded_counts(table, "heat");

	if (recorded || recording_is(table))
		return recorded;
	if (strcmp(name, "snapshot") && strcmp(name, "table"))
		die_usage("%s: does not have what is read; give a recording, or a table beside a copy of the file heat%s", table,
			  has_option ? ", or that: --heat FILE" : "");
	return xasprintf("%.*sheat", (int)(name - table), table);
}

/* === One reading === */

/* The list has the name of the command. */
static void use_export(struct session *s, struct table *table)
{
	AUTO_FREE struct space *spaces = s->states ? space_of(table, s->states) : NULL;

	export_write(s->options.output, s->source.name, table, s->command->name, s->options.form, spaces);
}

static void use_table(struct session *s, struct table *table)
{
	if (s->options.form == FORM_COLUMNS)
		columns_write(s->options.output, &s->source, table, &s->colors, s->colors.heat);
	else
		use_export(s, table);
}

/*
 * Read the zones of all volumes, as zones_read(), and F2FS's state if it was not read. On the running system the state of zoned volumes is read
 * between two reports of the devices: what moves meanwhile is seen.
 */
static struct zones *read_zones(struct session *s, const struct table *table, bool all_or_none)
{
	struct zones *zones = zones_read(table, s->state.dir, all_or_none), *before;
	bool is_zoned = false;

	for (size_t i = 0; i < table->n_volumes; i++)
		is_zoned |= zones_any(&zones[i]);
	if (s->states && (s->state.dir || !is_zoned))
		return zones;
	f2fs_states_free(s->states, table->n_volumes);
	s->states = f2fs_source_read(&s->state, table);
	if (s->state.dir)
		return zones;
	before = zones;
	zones = zones_read(table, NULL, all_or_none);
	zones_compare(zones, before, table->n_volumes);
	zones_free(before, table->n_volumes);
	return zones;
}

static void use_metrics(struct session *s, struct table *table)
{
	struct zones *zones = s->states ? read_zones(s, table, false) : NULL;
	AUTO_FREE struct space *spaces = s->states ? space_of(table, s->states) : NULL;

	prometheus_write(s->options.output, table, spaces, spaces ? zones : NULL, &s->source);
	zones_free(zones, table->n_volumes);
}

static void use_record(struct session *s, struct table *table)
{
	recorder_add_counts(&s->recorder, &s->source, recorder_add(&s->recorder, &table->text, false));
}

/* The files whose map differed from F2FS, as far as the module has looked; 0 for a table that was copied. */
static uint64_t audit_differences(const struct source *source)
{
	static const char mark[] = "\naudit_differences ";
	const char *found;
	struct text stats;
	uint64_t n = 0;

	if (!source_is_live(source->path) || !source_read_beside(source, "stats", &stats))
		return 0;
	found = strstr(stats.buf, mark);
	if (found)
		n = strtoull(found + strlen(mark), NULL, 10);
	text_free(&stats);
	return n;
}

/* Print the values of a table, and end the program if a condition holds for them. */
static void use_check(struct session *s, struct table *table)
{
	uint64_t differences = audit_differences(&s->source);
	struct condition condition;
	struct totals totals;
	bool is_bad = differences;

	totals_find(&totals, table);
	totals_print(&totals);
	if (differences)
		warn("%s differed from F2FS in an audit; report it, with dmesg and the file audit", COUNT(differences, "file"));
	for (size_t i = 0; i < s->options.n_operands; i++) {
		condition_parse(&condition, s->options.operands[i]);
		if (condition_holds(&condition, &totals))
			condition_report(&condition, &totals, s->source.name);
		is_bad |= condition_holds(&condition, &totals);
	}
	if (is_bad)
		exit(EXIT_BAD);
}

/* The counts of the snapshot that the moment was rebuilt from. */
static char *heat_of_moment(const struct session *s)
{
	const struct recorded *found;
	AUTO(recording_close) struct recording recording;

	recording_open(&recording, s->source.path);
	found = recording_before(&recording, &s->source.at);
	return found ? recorded_counts(found->snapshot, "heat") : xasprintf("%s", s->source.path);
}

/* Like the table, the counts of reads may come again if they were there before. */
static bool read_heat(struct session *s)
{
	struct heat heat;
	AUTO_FREE char *path = session_has_heat(s) ? heat_of_moment(s) : NULL;
	char *trouble = heat_read(&heat, path ? path : s->heat_path);

	if (trouble && !s->heat_was_read)
		die("%s", trouble);
	if (trouble && !s->heat_was_missed)
		warn("%s; waiting until it is back", trouble);
	s->heat_was_missed = trouble;
	s->heat_was_read = true;
	if (trouble) {
		free(trouble);
		heat_free(&heat);
		return false;
	}
	heat_free(&s->heat);
	s->heat = heat;
	return true;
}

/* Does the command need F2FS's own state? */
static bool reads_state(const struct session *s)
{
	return s->command->state == STATE_IN_JSON ? s->options.form == FORM_JSON :
	       s->command->state > STATE_MODE && s->command->state != STATE_ITSELF;
}

/*
 * Advice depends on it. A recording has the state of each of its snapshots. What is wrong with files that were not named is said by
 * those who need more of them.
 */
static void read_modes(const struct session *s, struct table *table)
{
	AUTO(recording_close) struct recording recording = { 0 };
	const struct recorded *found = NULL;
	const char *dir = s->state.dir;
	AUTO_FREE char *trouble = NULL;

	if (!dir && recording_is(s->source.path)) {
		recording_open(&recording, s->source.path);
		found = recording_before(&recording, &s->source.at);
		dir = found ? found->state : NULL;
	}
	if (s->state.is_live || dir)
		trouble = f2fs_modes_read(table, dir);
	if (trouble && s->options.f2fs_state)
		die("%s", trouble);
}

/**
 * session_read_once() - read the table, and use it as the command does
 * @s: the session
 *
 * Return: false if there is nothing to read at the moment; this is reported once.
 */
bool session_read_once(struct session *s)
{
	struct table table;
	bool is_there = source_read_table(&s->source, &table, s->recorder.dir);

	source_report(&s->source);
	if (!is_there)
		return false;
	/* the server reads those of a recording itself */
	if (s->colors.heat && !(s->server.answers.recording.dir && session_has_heat(s)) && !read_heat(s)) {
		table_free(&table);
		return false;
	}
	if (s->command->state == STATE_MODE || s->command->state == STATE_IF_KNOWN)
		read_modes(s, &table);
	s->states = reads_state(s) ? f2fs_source_read(&s->state, &table) : NULL;
	s->command->use(s, &table);
	f2fs_states_free(s->states, table.n_volumes);
	table_free(&table);
	return true;
}

/* The file by_pair is beside a snapshot, in debugfs or in a copy of its files. */
static void read_pairs(const struct source *source, struct pairs *pairs)
{
	const char *slash = strrchr(source->path, '/');
	struct text text;

	*pairs = (struct pairs){ 0 };
	if (slash && !strcmp(slash, "/snapshot") && source_read_counts(source, "by_pair", &text))
		pairs_read(pairs, &text);
}

static void use_why(struct session *s, struct table *table)
{
	struct pairs pairs;

	if (s->options.n_operands) {
		why_file(stdout, table, s->source.name, *s->options.operands, s->options.form);
		return;
	}
	read_pairs(&s->source, &pairs);
	why_all(stdout, table, NULL, &pairs, s->options.form);
	pairs_free(&pairs);
}

static void use_block(struct session *s, struct table *table)
{
	why_block(stdout, table, s->states, s->lba);
}

static void use_space(struct session *s, struct table *table)
{
	AUTO_FREE struct space *spaces = space_of(table, s->states);

	/* a moment of a recording is that of the snapshot before it */
	printf("%s%s\n\n", s->snapshot ? "recorded " : "", TIME_OF(&table->text));
	space_print(table, spaces);
}

static void use_zones(struct session *s, struct table *table)
{
	struct zones *zones = read_zones(s, table, true);
	AUTO_FREE struct space *spaces = space_of(table, s->states);

	zones_write(table, spaces, zones, s->options.form, s->snapshot);
	zones_free(zones, table->n_volumes);
}

/* === Repeated reading === */

static volatile sig_atomic_t repeating;

/* An interrupt is the normal end of repeated reading. Any other run dies of the signal. */
static void on_signal(int sig)
{
	outfile_abandon();
	if (repeating)
		_exit(0);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void sleep_until(int64_t at_ns)
{
	struct timespec t = { .tv_sec = at_ns / NSEC_PER_SEC, .tv_nsec = at_ns % NSEC_PER_SEC };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/**
 * session_next_reading() - when to read again
 * @last_ns: when the last reading was to begin
 * @interval_ns: from one reading to the next
 *
 * Readings begin at even intervals. A reading that takes longer delays the next ones.
 *
 * Return: a time of monotonic_ns()
 */
int64_t session_next_reading(int64_t last_ns, int64_t interval_ns)
{
	int64_t now_ns = monotonic_ns();

	return last_ns + interval_ns < now_ns ? now_ns : last_ns + interval_ns;
}

static void read_all(struct session *s)
{
	int64_t next_ns = monotonic_ns();
	unsigned long done = 0;

	for (;;) {
		done += session_read_once(s);
		if (!s->options.interval_ns || (s->options.count && done == s->options.count))
			return;
		next_ns = session_next_reading(next_ns, s->options.interval_ns);
		sleep_until(next_ns);
	}
}

/* === Commands === */

/* A picture has a name by default. */
static void prepare_view(struct session *s)
{
	if (!s->options.output)
		s->options.output = DEFAULT_PNG;
}

/* A single operand is what belongs after a table. */
static void refuse_table(const struct session *s, const char *missing)
{
	const struct options *o = &s->options;

	if (!o->table && access(DEFAULT_TABLE, F_OK) && source_may_be(*o->operands))
		die_usage("%s: is a table; name %s after it", *o->operands, missing);
}

static void prepare_file(struct session *s)
{
	refuse_table(s, "a PATH");
	prepare_view(s);
	if (!s->options.color_by)
		s->options.color_by = "cause";
}

/* What is no table may be meant as one. */
static void prepare_why(struct session *s)
{
	if (!s->options.table && s->options.n_operands && access(DEFAULT_TABLE, F_OK))
		die("%s: is no table, and the module fragtrace is not loaded; name a table before it", *s->options.operands);
}

static void prepare_block(struct session *s)
{
	refuse_table(s, "an LBA");
	if (!parse_number(*s->options.operands, BLK_MAX, &s->lba))
		die_usage("%s: is no block address; give a number, as in the column lba of fragtrace table", *s->options.operands);
}

/**
 * session_take_snapshot() - read the snapshot before the moment, if the table is a recording
 * @s: the session, before its table is read
 *
 * F2FS's state and the zones are those of the time of snapshots.
 */
void session_take_snapshot(struct session *s)
{
	struct options *o = &s->options;

	if (!o->table || !recording_is(o->table))
		return;
	s->snapshot = recording_snapshot(o->table, &o->at);
	o->table = s->snapshot;
	o->has_at = false;
}

/* Only together they are of one time. */
static void prepare_space(struct session *s)
{
	const char *table = s->options.table;

	if (table && strcmp(table, "-") && access(table, F_OK))
		die("%s: cannot open: %s", table, strerror(errno));
	session_take_snapshot(s);
	table = s->options.table;
	if (!table || s->options.f2fs_state || source_is_live(table))
		return;
	AUTO_FREE char *state = recorded_state(table);
	if (!state)
		die_usage("%s: there is no F2FS's state of its time beside it; give a copy of that: --f2fs-state DIR", table);
}

/* A wrong condition is told before anything is read. */
static void prepare_check(struct session *s)
{
	struct condition condition;

	for (size_t i = 0; i < s->options.n_operands; i++)
		condition_parse(&condition, s->options.operands[i]);
}

static void prepare_table(struct session *s)
{
	const struct options *o = &s->options;

	if (o->form != FORM_COLUMNS && (o->n_color_confs || o->with_reads || o->requests))
		die_usage("%s: only columns have that; add --columns", o->requests ? "--requests" : o->with_reads ? "--reads" : "-c");
	if (o->requests && (o->table || o->has_at || o->interval_ns || (o->output && strcmp(o->output, "-"))))
		die_usage("--requests: standard input names the tables, and standard output has them; leave out TABLE, --at, -n, --count and -o");
}

static void run_record(struct session *s)
{
	const struct options *o = &s->options;

	if (o->events && o->count)
		die_usage("--events: goes on until it is interrupted; leave out --count");
	if (o->events && strcmp(o->table, DEFAULT_SNAPSHOT))
		die_usage("--events: only the running module has them: expected it to be loaded, no -t, and root, who may read %s",
			  DEFAULT_SNAPSHOT);
	recorder_open(&s->recorder, *o->operands, o->keep_bytes, o->keep_ms);
	if (o->events)
		record_live(&s->source, &s->recorder, o->interval_ns ? o->interval_ns : EVENTS_INTERVAL_NS, o->keep_bytes);
	else
		read_all(s);
}

static void run_perfetto(struct session *s)
{
	check_folder(s->options.output, *s->options.operands);
	perfetto_write(s->options.output, *s->options.operands);
}

static void run_page(struct session *s)
{
	const struct options *o = &s->options;

	for (size_t i = 0; i < o->n_operands; i++) {
		check_input(o->output, o->operands[i]);
		check_folder(o->output, o->operands[i]);
	}
	page_file_write(o->output, o->operands, o->n_operands);
}

static void run_top(struct session *s)
{
	const struct options *o = &s->options;
	bool is_once = !o->interval_ns && (!strcmp(o->table, "-") || !(s->state.is_live || isatty(STDOUT_FILENO)));

	top_screen_run(&s->source, o->interval_ns ? o->interval_ns : TOP_INTERVAL_NS, is_once ? 1 : o->count, o->lens.only, o->sort);
}

/* The binary file has the same content and is faster to read. */
static const char *default_table(void)
{
	return access(DEFAULT_SNAPSHOT, R_OK) ? DEFAULT_TABLE : DEFAULT_SNAPSHOT;
}

/* Find what belongs to the table. */
static void begin_table(struct session *s)
{
	const struct options *o = &s->options;

	if (o->has_at && strcmp(o->table, "-") && access(o->table, F_OK))
		die("%s: cannot open: %s", o->table, strerror(errno));
	if (o->has_at && !recording_is(o->table))
		die_usage("--at: %s is no recording; name a folder that fragtrace record wrote", o->table);
	check_output(o, o->heat);
	source_init(&s->source, o->table);
	s->source.at = o->at;
	s->source.volume = o->volume;
	if (s->command->state != STATE_NEVER && !o->f2fs_state)
		s->recorded_state = recorded_state(o->table);
	f2fs_source_init(&s->state, o->table, s->recorded_state ? s->recorded_state : o->f2fs_state,
			 s->command->state >= STATE_ALWAYS);
	if (!s->needs_heat)
		return;
	s->heat_path = o->heat ? xasprintf("%s", o->heat) : heat_beside(o->table, !o->with_reads);
	if (s->heat_path)
		check_output(o, s->heat_path);
}

static void end_table(struct session *s)
{
	source_free(&s->source);
	free(s->heat_path);
	s->heat_path = NULL;
	free(s->recorded_state);
	s->recorded_state = NULL;
	free(s->snapshot);
	s->snapshot = NULL;
	s->heat_was_read = false;
}

/* Return: false at the end of standard input. */
static bool next_word(char **word, size_t *cap)
{
	ssize_t n = getdelim(word, cap, '\0', stdin);

	if (n < 0 && !feof(stdin))
		die("<stdin>: cannot read: %s", strerror(errno));
	if (n < 0)
		return false;
	if ((*word)[n - 1])
		die("<stdin>: ends within a request; write a time, or nothing, and a path, with a NUL after each of both");
	return true;
}

/* Those who want many moments of a recording need not start the program for each. */
static void run_table(struct session *s)
{
	struct options *o = &s->options;
	AUTO_FREE char *at = NULL, *path = NULL;
	size_t at_cap = 0, path_cap = 0;

	if (!o->requests)
		read_all(s);
	while (o->requests && next_word(&at, &at_cap)) {
		if (!next_word(&path, &path_cap) || !*path)
			die("<stdin>: a request has no path; write a time, or nothing, and a path, with a NUL after each of both");
		o->has_at = *at;
		if (!moment_parse(&o->at, *at ? at : "end"))
			die_usage("--at %s: not valid; give " MOMENT_FORM, at);
		o->table = path;
		begin_table(s);
		session_read_once(s);
		end_table(s);
	}
}

static void begin(struct session *s)
{
	struct options *o = &s->options;

	if (s->command->draws || o->form == FORM_COLUMNS)
		session_begin_drawing(s);
	if (s->img.layout == LAYOUT_ZONES && s->command->use == session_use_view)
		session_take_snapshot(s);
	if (!o->table)
		o->table = default_table();
	if (!o->output)
		o->output = "-";
	if (!o->requests)
		begin_table(s);
	atexit(outfile_abandon);
	repeating = o->interval_ns > 0;
	on_signals(on_signal);
}

/**
 * command_run() - run a command that reads a table
 * @command: the command
 * @options: its command line
 */
void command_run(const struct command *command, const struct options *options)
{
	struct session s = { .command = command, .options = *options };

	if (command->prepare)
		command->prepare(&s);
	begin(&s);
	(command->run ? command->run : read_all)(&s);
	end_table(&s);
	recorder_close(&s.recorder);
	colors_free(&s.colors);
	heat_free(&s.heat);
}

/* === The table === */

/* Options that many commands have. */
#define READ OPT_TABLE, OPT_AT, OPT_MAX_INPUT, OPT_VOLUME
#define READ_SNAPSHOT OPT_SNAPSHOT, OPT_AT, OPT_MAX_INPUT, OPT_VOLUME
#define AGAIN OPT_INTERVAL, OPT_COUNT
#define COLORS OPT_COLORS, OPT_COLOR_BY, OPT_HEAT

const struct command commands[N_COMMANDS] = {
	{ "view", "[TABLE]", "Draw where the blocks of F2FS files lie.",
	  .takes_table = true, .draws = true, .state = STATE_IF_KNOWN, .prepare = prepare_view, .use = session_use_view,
	  .about = "One box per block, coloured by extension and by whether the file is fragmented.",
	  .options = { OPT_PICTURE, AGAIN, READ, OPT_F2FS_STATE, OPT_LBA, OPT_ONLY, COLORS, OPT_LAYOUT, OPT_IMAGE,
		       OPT_CELL, OPT_DPI, OPT_THEME, OPT_SECTION } },
	{ "file", "[TABLE] PATH", "Draw one file: its offsets against block addresses.",
	  .takes_table = true, .least = 1, .most = 1, .draws = true, .draws_one_file = true,
	  .prepare = prepare_file, .use = session_use_file,
	  .about = "Breaks are lines, in the colour of their cause (or of why, process, age, heat: --color-by). PATH is a "
		   "path, the end of one, or a glob.",
	  .options = { OPT_PICTURE, AGAIN, READ, OPT_COLOR_FILE_BY, OPT_HEAT, OPT_IMAGE, OPT_CELL, OPT_DPI, OPT_THEME } },
	{ "serve", "[TABLE]", "Serve a page to zoom into, down to single blocks.",
	  .takes_table = true, .draws = true, .run = session_run_serve, .use = session_use_serve,
	  .about = "It prints its URL, and runs until it is interrupted. Of a recording it shows any moment.",
	  .options = { OPT_LISTEN, OPT_INTERVAL, READ, OPT_F2FS_STATE, OPT_LBA, OPT_ONLY, COLORS } },
	{ "top", "[TABLE]", "Show the worst files, and how fast they change.", .takes_table = true, .run = run_top,
	  .about = "On the terminal, or as text in a pipe; every 2 seconds without -n. A file is read once in a pipe without -n.",
	  .options = { AGAIN, OPT_SORT, OPT_ONLY, OPT_TABLE, OPT_MAX_INPUT, OPT_VOLUME } },
	{ "why", "[TABLE] [FILE|DIR|.EXT]", "Say in sentences why files are fragmented.",
	  .takes_table = true, .most = 1, .state = STATE_MODE, .prepare = prepare_why, .use = use_why,
	  .about = "By extension; or of one file (a path, the end of one, or a glob), below a directory, or of an extension. At the end, "
		   "what helps.",
	  .options = { OPT_JSON, READ, OPT_F2FS_STATE } },
	{ "cost", "[COUNTS] [FILE]", "Say how long breaks keep readers waiting (latency=1).",
	  .takes_table = true, .most = 1, .start = cost_run,
	  .about = "By measured times of this device: of each volume, what a request more takes, and which files cost most; or of "
		   "one FILE, by its path.",
	  .options = { OPT_LATENCY, OPT_JSON, OPT_MAX_INPUT } },
	{ "ledger", "[COUNTS]", "Say who writes what, and the write amplification (ledger=1).",
	  .takes_table = true, .start = ledger_run,
	  .about = "Of each volume, what the device got by kind of block; by process, cgroup, extension and file, what was written and "
		   "what the device got for it.",
	  .options = { OPT_LEDGER, OPT_JSON, OPT_MAX_INPUT } },
	{ "compare", "A B", "Say whether files are more fragmented in the runs B than in A.",
	  .least = 2, .most = 2, .start = compare_run,
	  .about = "By fragments, extra requests, causes and extensions, and by the write amplification, the time of reads and garbage "
		   "collections where the runs have them; each with an interval. A and B are folders of runs, or a run: a snapshot, a "
		   "recording (its end), or a copy of the folder of debugfs. Status 3: there is more of something; 4: the runs are too few to tell.",
	  .options = { OPT_JSON, OPT_MAX_INPUT } },
	{ "gc", "[COUNTS]", "Say why garbage collection ran, and whom it kept waiting (gc_runs=1).",
	  .takes_table = true, .start = gc_run,
	  .about = "Of each volume: collections by reason, with their time and what they freed; the processes that waited, and the "
		   "longest waits; recent collections. Of a recording with events: how much of what each process wrote was moved, how soon, "
		   "and what was moved again within 10 minutes.",
	  .options = { OPT_WHAT_IF, OPT_GC_RUNS, OPT_JSON, OPT_MAX_INPUT } },
	{ "discards", "[COUNTS]", "Say what is discarded, which zones are reset, and what waits (discards=1).",
	  .takes_table = true, .start = discards_run,
	  .about = "Of each volume: discards and zone resets with their time on the device, and the threads that issued them; what F2FS has "
		   "queued, for how long, and why it is not discarded. Of a recording: what has happened from its beginning to its end, and when.",
	  .options = { OPT_DISCARDS, OPT_JSON, OPT_MAX_INPUT } },
	{ "block", "[TABLE] LBA", "Say which file owns a block, and why it is there.",
	  .takes_table = true, .least = 1, .most = 1, .state = STATE_IF_KNOWN, .prepare = prepare_block, .use = use_block,
	  .options = { READ, OPT_F2FS_STATE } },
	{ "space", "[TABLE]", "Print the free space, and what F2FS can do with it.",
	  .takes_table = true, .state = STATE_ALWAYS, .prepare = prepare_space, .use = use_space,
	  .about = "Free runs, segments by type, what F2FS would collect, of which files, and where it can write.",
	  .options = { READ, OPT_F2FS_STATE } },
	{ "zones", "[TABLE]", "Say what the zones of a zoned device have, and whether F2FS agrees.",
	  .takes_table = true, .state = STATE_ITSELF, .prepare = prepare_space, .use = use_zones,
	  .about = "Of each zone: condition, write pointer, capacity, valid blocks, gain of collecting it, age, logs, watched files; open "
		   "zones, and the limit of the device. Where F2FS and the device differ, a sentence says how.",
	  .options = { OPT_JSON, READ, OPT_F2FS_STATE } },
	{ "files", "[TABLE]", "List files with their figures, the worst first.", .takes_table = true, .use = use_export,
	  .options = { OPT_JSON, OPT_CSV, OPT_OUTPUT, AGAIN, READ_SNAPSHOT } },
	{ "extents", "[TABLE]", "List the extents of each file, also unwritten ones.", .takes_table = true, .use = use_export,
	  .options = { OPT_JSON, OPT_CSV, OPT_OUTPUT, AGAIN, READ_SNAPSHOT } },
	{ "causes", "[TABLE]", "Sum up the breaks by cause and extension.", .takes_table = true, .use = use_export,
	  .options = { OPT_JSON, OPT_CSV, OPT_OUTPUT, AGAIN, READ_SNAPSHOT } },
	{ "processes", "[TABLE]", "Sum up the breaks by the process that wrote the data.", .takes_table = true, .use = use_export,
	  .options = { OPT_JSON, OPT_CSV, OPT_OUTPUT, AGAIN, READ_SNAPSHOT } },
	{ "table", "[TABLE]", "List the written extents of volumes by address.",
	  .takes_table = true, .state = STATE_IN_JSON, .prepare = prepare_table, .run = run_table, .use = use_table,
	  .about = "The text can be read again, as TABLE. JSON has F2FS's state, too, if it is known.",
	  .options = { OPT_JSON, OPT_CSV, OPT_COLUMNS, OPT_REQUESTS, OPT_COLORS, OPT_WITH_READS, OPT_OUTPUT, AGAIN, READ, OPT_F2FS_STATE } },
	{ "metrics", "[TABLE]", "Write figures of each volume for Prometheus.",
	  .takes_table = true, .state = STATE_IF_KNOWN, .use = use_metrics,
	  .options = { OPT_OUTPUT, AGAIN, READ, OPT_F2FS_STATE } },
	{ "record", "DIR", "Keep a snapshot in a folder; repeatedly, or with all events.",
	  .least = 1, .most = 1, .use = use_record, .run = run_record,
	  .about = "One snapshot; with -n one whenever the table has changed; with --events everything in between.",
	  .options = { OPT_EVENTS, OPT_KEEP, AGAIN, OPT_TABLE, OPT_AT, OPT_MAX_INPUT } },
	{ "moments", "DIR", "List the moments of a recording, and where events were lost.",
	  .least = 1, .most = 1, .start = moments_run,
	  .about = "For each snapshot: the first and the last moment that --at can have, how many events were lost after "
		   "that (-: none; ?: not known how many), and its files.",
	  .options = { OPT_JSON, OPT_CSV, OPT_MAX_INPUT } },
	{ "page", "[TABLE...]", "Write a page with tables or recordings in it, to send to others.",
	  .most = ANY_NUMBER, .run = run_page,
	  .about = "One file, which shows what fragtrace serve shows, and opens other tables, snapshots and recordings as well: "
		   "drop them on it. It needs no network and no fragtrace. Who has it can read the names of files.",
	  .options = { OPT_OUTPUT, OPT_MAX_INPUT } },
	{ "perfetto", "DIR", "Write a recording as a trace that ui.perfetto.dev opens.",
	  .least = 1, .most = 1, .run = run_perfetto,
	  .about = "Trace-event JSON: volumes are processes, files that were fragmented meanwhile are threads, and each break is "
		   "an instant with its cause and its process.",
	  .options = { OPT_OUTPUT, OPT_MAX_INPUT } },
	{ "check", "[TABLE] [CONDITION...]", "Print figures; end with status 3 if a condition holds.",
	  .takes_table = true, .most = ANY_NUMBER, .prepare = prepare_check, .use = use_check,
	  .about = "Also if an audit has found a difference. CONDITION is split, fragmented, breaks, extents, stale, left_out "
		   "(files) or stopped (volumes), then >, >=, <, <=, = or !=, then a number, as in 'split>1.2'; 'fragmented>10%' "
		   "is a share of the files.",
	  .options = { AGAIN, READ } },
	{ "defrag", "[PATH...]", "Plan which ranges are worth a rewrite; --apply does it.",
	  .most = ANY_NUMBER, .start = defrag_run,
	  .about = "Most requests saved per byte written first, each as often as the range was read. PATH is a file, a "
		   "directory, the end of a path or a glob; without any, all watched files. Status 4: nothing is worth it; 3: "
		   "a part was not moved.",
	  .options = { OPT_ALL, OPT_READS, OPT_HOT, OPT_LIKE, OPT_TABLE, OPT_MAX_INPUT, OPT_REQUEST, OPT_READER, OPT_BUDGET, OPT_MIN_GAIN,
		       OPT_RECENT, OPT_JSON, OPT_APPLY, OPT_RATE, OPT_SHARE, OPT_WAY } },
	{ "plot", "COMMAND", "Plot recordings over time, and compare tables.", .program = "fragtrace-plot" },
};
