// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: run a function in a process of its own, since errors of inputs end the program. A server has
 * to survive them: the process ends alone, and its last message is the answer.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "apart.h"

/* Signals that the program blocks or handles end the process. */
static void let_signals_end_it(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t none;

	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What the program does at its end, such as leaving the screen, is not to be done here. */
static void end_at_once(void)
{
	_exit(EXIT_FAILURE);
}

static noreturn void run(apart_fn fn, const void *arg, int out_fd, int messages_fd)
{
	FILE *out = dup2(messages_fd, STDERR_FILENO) < 0 ? NULL : fdopen(out_fd, "w");

	let_signals_end_it();
	before_messages(NULL);
	if (!out || atexit(end_at_once))
		die("no memory");
	fn(arg, out);
	if (fclose(out))
		die("no memory for what was read");
	_exit(0);
}

static bool ended_well(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Return: the last line that was said, without the name of the program. */
static char *last_message(int fd)
{
	AUTO(text_free) struct text said = { 0 };
	size_t skip = strlen(program) + strlen(": ");
	char *line;

	if (lseek(fd, 0, SEEK_SET) || slurp(&said, fd) || !said.len)
		return xasprintf("the process that read it was killed");
	while (said.len && said.buf[said.len - 1] == '\n')
		said.buf[--said.len] = '\0';
	line = strrchr(said.buf, '\n');
	line = line ? line + 1 : said.buf;
	return xasprintf("%s", strlen(line) > skip && !strncmp(line, program, strlen(program)) ? line + skip : line);
}

/**
 * run_apart() - run a function in a process of its own
 * @fn: the function; it may end the program
 * @arg: for @fn
 * @result: what it wrote; to be freed with text_free()
 *
 * Return: NULL, or its last message if it ended the program; to be freed.
 */
char *run_apart(apart_fn fn, const void *arg, struct text *result)
{
	AUTO_CLOSE int out = memfd_create("result", MFD_CLOEXEC);
	AUTO_CLOSE int messages = memfd_create("messages", MFD_CLOEXEC);
	pid_t child = out < 0 || messages < 0 ? -1 : fork();
	char *trouble = NULL;

	*result = (struct text){ 0 };
	if (!child)
		run(fn, arg, out, messages);
	if (child < 0)
		trouble = xasprintf("no memory for a process: %s", strerror(errno));
	else if (!ended_well(child))
		trouble = last_message(messages);
	else if (lseek(out, 0, SEEK_SET) || slurp(result, out))
		trouble = xasprintf("no memory for what was read");
	return trouble;
}
