// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the worst files on a terminal, or as text in a pipe, repeatedly.
 * Only this file uses curses. Curses ends before any message is printed.
 */
#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "output/top.h"
#include "output/top_screen.h"
#include "util.h"

/* Lines of the screen that are not files: two of summary, the heading, and the keys. */
#define HEAD_LINES 3
#define FOOT_LINES 1
#define PIPE_LINES 24

static const char keys[] =
	"Sort: e)xtra f)ragments r)ate b)locks s)plit n)ame  R)everse  p)ause  q)uit";

/* The state of the screen. */
struct screen {
	struct source *source;
	struct top top;
	size_t first;		/* row of the first file shown */
	bool is_paused;
	bool has_keys;
};

static volatile sig_atomic_t is_over;

static void on_signal(int sig)
{
	(void)sig;
	is_over = 1;
}

/* === In a pipe === */

static size_t env_lines(void)
{
	const char *lines = getenv("LINES");
	unsigned long n = lines ? strtoul(lines, NULL, 10) : 0;

	return n > HEAD_LINES && n < UINT16_MAX ? n : PIPE_LINES;
}

static void put_line(char *line)
{
	puts(line);
	free(line);
}

static void print(const struct top *top)
{
	size_t rows = env_lines() - HEAD_LINES, i;

	put_line(top_summary(top, 0));
	put_line(top_summary(top, 1));
	puts(top_heading(top));
	for (i = 0; i < rows && i < top->table.n_files; i++)
		put_line(top_row(top, i));
	putchar('\n');
	if (fflush(stdout))
		die("<stdout>: %s", strerror(errno));
}

/* === On a terminal === */

static void leave_curses(void)
{
	if (!isendwin())
		endwin();
}

static void enter_curses(void)
{
	if (!newterm(NULL, stdout, stdin))
		die("the terminal \"%s\" is not known, expected another value of TERM, or a pipe",
		    getenv("TERM") ? getenv("TERM") : "");
	atexit(leave_curses);
	before_messages(leave_curses);
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
}

/*
 * Draw one line, cut to the width of the screen. The end of a long path is shown, because it has more
 * information than the beginning.
 */
static void draw_line(int y, const char *line, size_t fixed, int attributes)
{
	size_t n = mbstowcs(NULL, line, 0), width = (size_t)COLS, from = fixed, i;
	wchar_t *wide;
	int used = 0;

	if (n == (size_t)-1 || y >= LINES)
		return;
	wide = xcalloc(n + 1, sizeof(*wide));
	mbstowcs(wide, line, n + 1);
	attrset((attr_t)attributes);
	mvhline(y, 0, ' ', COLS);
	for (i = 0; i < n; i++)
		used += wcwidth(wide[i]);
	if ((size_t)used > width && fixed && fixed + 2 < width) {
		for (used++; from < n && (size_t)used > width; from++)
			used -= wcwidth(wide[from]);
		mvaddnwstr(y, 0, wide, (int)fixed);
		addch('<');
		addwstr(wide + from);
	} else {
		for (used = 0, i = 0; i < n && (size_t)(used + wcwidth(wide[i])) <= width; i++)
			used += wcwidth(wide[i]);
		mvaddnwstr(y, 0, wide, (int)i);
	}
	attrset(A_NORMAL);
	free(wide);
}

static void draw_owned(int y, char *line, size_t fixed)
{
	draw_line(y, line, fixed, A_NORMAL);
	free(line);
}

static size_t rows_shown(void)
{
	return LINES > HEAD_LINES + FOOT_LINES ? (size_t)LINES - HEAD_LINES - FOOT_LINES : 0;
}

static void draw(struct screen *s)
{
	size_t fixed = strlen(top_heading(&s->top)) - strlen("PATH"), rows = rows_shown(), i;
	size_t n = s->top.table.n_files;

	if (s->first + rows > n)
		s->first = n > rows ? n - rows : 0;
	erase();
	draw_owned(0, top_summary(&s->top, 0), 0);
	if (s->is_paused && COLS > 12)
		mvaddstr(0, COLS - 9, " [paused]");
	if (s->source->trouble) {
		draw_line(1, s->source->trouble, 0, A_BOLD);
	} else if (s->source->waiting) {
		char *line = xasprintf("%s waits for its volume to be mounted", s->source->waiting);

		draw_line(1, line, 0, A_BOLD);
		free(line);
	} else {
		draw_owned(1, top_summary(&s->top, 1), 0);
	}
	draw_line(2, top_heading(&s->top), 0, A_REVERSE);
	for (i = 0; i < rows && s->first + i < n; i++)
		draw_owned(HEAD_LINES + (int)i, top_row(&s->top, s->first + i), fixed);
	if (LINES > HEAD_LINES)
		draw_line(LINES - FOOT_LINES, keys, 0, A_REVERSE);
	refresh();
}

/* === Keys === */

static void sort_by(struct screen *s, enum top_key key)
{
	s->first = 0;
	top_sort(&s->top, key, false);
}

static void scroll_by(struct screen *s, long rows)
{
	if (rows < 0 && s->first < (size_t)-rows)
		s->first = 0;
	else
		s->first += (size_t)rows;
}

static void on_key(struct screen *s, int key)
{
	long page = (long)rows_shown();

	switch (key) {
	case 'e': sort_by(s, TOP_EXTRA); break;
	case 'f': sort_by(s, TOP_FRAGMENTS); break;
	case 'r': sort_by(s, TOP_RATE); break;
	case 'b': sort_by(s, TOP_BLOCKS); break;
	case 's': sort_by(s, TOP_SPLIT); break;
	case 'n': sort_by(s, TOP_NAME); break;
	case 'R': top_sort(&s->top, s->top.key, !s->top.reverse); break;
	case ' ':
	case 'p': s->is_paused = !s->is_paused; break;
	case 'q': is_over = 1; break;
	case KEY_DOWN: scroll_by(s, 1); break;
	case KEY_UP: scroll_by(s, -1); break;
	case KEY_NPAGE: scroll_by(s, page); break;
	case KEY_PPAGE: scroll_by(s, -page); break;
	case KEY_HOME: s->first = 0; break;
	case KEY_END: scroll_by(s, (long)s->top.table.n_files); break;
	default: break;		/* KEY_RESIZE, too: every key redraws the screen */
	}
}

static void on_keys(struct screen *s)
{
	int key = getch();

	/* the terminal is gone, or poll() returned without a key */
	if (key == ERR)
		s->has_keys = isatty(STDIN_FILENO);
	for (; key != ERR; key = getch())
		on_key(s, key);
}

/* === Both === */

/* Timeout of poll() in ms. A signal just before poll() is handled after a second at most. */
static int patience_ms(const struct screen *s, int64_t left_ns)
{
	if (s->is_paused || left_ns > NSEC_PER_SEC)
		return 1000;
	return (int)(left_ns / 1000000) + 1;
}

/* Wait for the next reading. Redraw after each key, and when the size of the window changes. */
static void wait_until(struct screen *s, int64_t at_ns, bool has_terminal)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	while (!is_over) {
		int64_t left_ns = at_ns - monotonic_ns();

		if (left_ns <= 0 && !s->is_paused)
			return;
		if (!poll(&in, s->has_keys, patience_ms(s, left_ns)) || !has_terminal)
			continue;
		on_keys(s);
		draw(s);
	}
}

/**
 * top_screen_run() - show the worst files until the user quits
 * @source: where the table is
 * @interval_ns: from one reading to the next
 * @count: readings to show; 0: no end
 *
 * On a terminal the screen is redrawn and keys are obeyed; otherwise each reading is printed.
 */
void top_screen_run(struct source *source, int64_t interval_ns, unsigned long count)
{
	struct screen s = { .source = source };
	bool has_terminal = isatty(STDOUT_FILENO);
	int64_t next_ns = monotonic_ns();
	unsigned long done = 0;
	struct table table;

	setlocale(LC_CTYPE, "");
	on_signals(on_signal);
	while (!is_over && (!count || done < count)) {
		if (source_read_table(source, &table, false)) {
			top_add(&s.top, &table);
			done++;
			if (has_terminal && done == 1)
				enter_curses();
			if (!has_terminal)
				print(&s.top);
		}
		if (!has_terminal)
			source_report(source);
		s.has_keys = has_terminal && isatty(STDIN_FILENO);
		if (has_terminal)
			draw(&s);
		next_ns += interval_ns;
		if (next_ns < monotonic_ns())
			next_ns = monotonic_ns();
		if (!count || done < count)
			wait_until(&s, next_ns, has_terminal);
	}
	top_free(&s.top);
}
