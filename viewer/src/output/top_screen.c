// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the worst files on a terminal, or as text in a pipe, repeatedly.
 * Only this file uses curses. Curses ends before any message is printed.
 */
#include <curses.h>
#include <locale.h>
#include <poll.h>
#include <wchar.h>

#include "names.h"
#include "output/top.h"
#include "output/top_screen.h"

/* Lines of the screen that are not files: two of summary, the heading, and the keys. */
#define HEAD_LINES 3
#define FOOT_LINES 1
#define PIPE_LINES 24

static const char keys[] =
	"Sort: e)xtra f)rags r)ate b)locks s)plit n)ame R)everse  /)filter p)ause q)uit";
static const char short_keys[] = "e f r b s n R: sort  /)filter p q)uit";

/* The state of the screen. */
struct screen {
	struct source *source;
	struct top top;
	size_t first;		/* row of the first file shown */
	bool is_paused;
	bool has_keys;
	bool is_typing;		/* a filter is being typed */
	char typed[256];
};

#define KEY_ESCAPE 27

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
	unsigned int columns = top_columns(top, ANY_WIDTH);
	size_t rows = env_lines() - HEAD_LINES, i;

	put_line(top_summary(top, 0));
	put_line(top_summary(top, 1));
	put_line(top_heading(top, columns));
	for (i = 0; i < rows && i < top->n_shown; i++)
		put_line(top_row(top, columns, i));
	putchar('\n');
	flush_stdout();
}

/* === On a terminal === */

static void leave_curses(void)
{
	if (!isendwin())
		endwin();
}

static void enter_curses(void)
{
	const char *term = getenv("TERM");

	if (!newterm(NULL, stdout, stdin))
		die("the terminal \"%s\" is not known; expected another value of TERM, or a pipe", term ? term : "");
	atexit(leave_curses);
	before_messages(leave_curses);
	if (!tigetstr("cup"))
		die("the terminal \"%s\" cannot write at a given place; expected another value of TERM, or a pipe", term);
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	set_escdelay(25);
	nodelay(stdscr, TRUE);
}

/*
 * Draw one line, cut to the width of the screen. The end of a long path is shown, because it has more
 * information than the beginning.
 */
static void draw_line(int y, const char *line, size_t fixed, int attributes)
{
	size_t n = mbstowcs(NULL, line, 0), width = (size_t)COLS, from = fixed, i;
	int used = 0;

	if (n == (size_t)-1 || y >= LINES)
		return;
	AUTO_FREE wchar_t *wide = xcalloc(n + 1, sizeof(*wide));
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

/* Cut a line to the width of the screen, where one of its parts ends. */
static void cut_parts(char *line)
{
	char *end;

	while (strlen(line) > (size_t)COLS && (end = strrchr(line, ';')))
		*end = '\0';
}

/* The second line: why there is nothing new, or all files together. */
static void draw_state(const struct screen *s)
{
	AUTO_FREE char *line = NULL, *visible = NULL;

	if (s->source->trouble)
		line = xasprintf("%s", s->source->trouble);
	else if (s->source->waiting)
		line = xasprintf("%s waits for its volume to be mounted", s->source->waiting);
	else
		cut_parts(line = top_summary(&s->top, 1));
	visible = text_visible(line);
	draw_line(1, visible, 0, s->source->trouble || s->source->waiting ? A_BOLD : A_NORMAL);
}

static void draw_foot(const struct screen *s)
{
	if (!s->is_typing) {
		draw_line(LINES - FOOT_LINES, (size_t)COLS > strlen(keys) ? keys : short_keys, 0, A_REVERSE);
		return;
	}
	AUTO_FREE char *typed = name_printable(s->typed);
	draw_owned(LINES - FOOT_LINES, xasprintf("Show only paths with (or a glob): %s_", typed), 0);
}

static void draw(struct screen *s)
{
	unsigned int columns = top_columns(&s->top, (size_t)COLS);
	AUTO_FREE char *heading = top_heading(&s->top, columns);
	size_t fixed = (size_t)(strrchr(heading, 'P') - heading), rows = rows_shown(), n = s->top.n_shown, i;

	if (s->top.key == TOP_NAME)
		fixed--;
	if (s->first + rows > n)
		s->first = n > rows ? n - rows : 0;
	erase();
	draw_owned(0, top_summary(&s->top, 0), 0);
	if (s->is_paused && COLS > 12)
		mvaddstr(0, COLS - 9, " [paused]");
	draw_state(s);
	draw_line(2, heading, 0, A_REVERSE);
	for (i = 0; i < rows && s->first + i < n; i++)
		draw_owned(HEAD_LINES + (int)i, top_row(&s->top, columns, s->first + i), fixed);
	if (LINES > HEAD_LINES)
		draw_foot(s);
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

/* Enter ends the filter, escape removes it. */
static void on_typed(struct screen *s, int key)
{
	size_t n = strlen(s->typed);

	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER: s->is_typing = false; return;
	case KEY_ESCAPE: s->is_typing = false; n = 0; break;
	case '\b':
	case 0x7f:
	case KEY_BACKSPACE: n -= n > 0; break;
	default:
		if (key < ' ' || key > 0xff || n + 1 >= sizeof(s->typed))
			return;
		s->typed[n++] = (char)key;
	}
	s->typed[n] = '\0';
	s->first = 0;
	top_filter(&s->top, s->typed);
}

static void on_key(struct screen *s, int key)
{
	long page = (long)rows_shown();

	if (s->is_typing) {
		on_typed(s, key);
		return;
	}
	switch (key) {
	case '/': s->is_typing = true; break;
	case KEY_ESCAPE: *s->typed = '\0'; top_filter(&s->top, NULL); break;
	case 'e': sort_by(s, TOP_EXTRA); break;
	case 'f': sort_by(s, TOP_FRAGMENTS); break;
	case 'r': sort_by(s, TOP_RATE); break;
	case 'b': sort_by(s, TOP_BLOCKS); break;
	case 's': sort_by(s, TOP_SPLIT); break;
	case 'n': sort_by(s, TOP_NAME); break;
	case 'R': top_sort(&s->top, s->top.key, !s->top.reverse); break;
	case ' ':
	case 'p': s->is_paused = !s->is_paused; break;
	case 'q': is_interrupted = 1; break;
	case KEY_DOWN: scroll_by(s, 1); break;
	case KEY_UP: scroll_by(s, -1); break;
	case KEY_NPAGE: scroll_by(s, page); break;
	case KEY_PPAGE: scroll_by(s, -page); break;
	case KEY_HOME: s->first = 0; break;
	case KEY_END: scroll_by(s, (long)s->top.n_shown); break;
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
static int timeout_ms(const struct screen *s, int64_t left_ns)
{
	if (s->is_paused || left_ns > NSEC_PER_SEC)
		return 1000;
	return (int)(left_ns / 1000000) + 1;
}

/* Wait for the next reading. Redraw after each key, and when the size of the window changes. */
static void wait_until(struct screen *s, int64_t at_ns, bool has_terminal)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	while (!is_interrupted) {
		int64_t left_ns = at_ns - monotonic_ns();

		if (left_ns <= 0 && !s->is_paused)
			return;
		if (!poll(&in, s->has_keys, timeout_ms(s, left_ns)) || !has_terminal)
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
 * @filter: shows only some files, see top_filter(); NULL: all
 * @key: the sort key
 *
 * On a terminal the screen is redrawn and keys are obeyed; otherwise each reading is printed.
 */
void top_screen_run(struct source *source, int64_t interval_ns, unsigned long count, const char *filter, enum top_key key)
{
	struct screen s = { .source = source, .top.key = key };
	bool has_terminal = isatty(STDOUT_FILENO);
	int64_t next_ns = monotonic_ns();
	unsigned long done = 0;
	struct table table;

	setlocale(LC_CTYPE, "");
	note_interrupts();
	if (filter)
		snprintf(s.typed, sizeof(s.typed), "%s", filter);
	top_filter(&s.top, s.typed);
	while (!is_interrupted && (!count || done < count)) {
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
