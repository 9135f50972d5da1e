// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop, commands that are run: as another user, or with a time limit that holds even if nothing can end them.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fileop.h"

/* What systemd lets every user have. */
#define MAX_FILES 524288

/**
 * become() - be an ordinary user from now on, and end with the process that began this one
 * @uid: which; the group has the same number
 */
void become(unsigned int uid)
{
	struct rlimit limit = { MAX_FILES, MAX_FILES };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		fail("RLIMIT_NOFILE");
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		fail("setresuid");
	/* becoming another user has undone it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/**
 * now_ms() - what time is it?
 *
 * Return: milliseconds since some moment
 */
uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/**
 * op_as() - run a command as an ordinary user
 * @argc: number of words
 * @argv: number of the user, how nice the command is, the command
 */
void op_as(int argc, char **argv)
{
	(void)argc;
	if (setpriority(PRIO_PROCESS, 0, num(argv[1])))
		fail("setpriority");
	become(num(argv[0]));
	execvp(argv[2], argv + 2);
	fail(argv[2]);
}

/**
 * op_timed() - run a command, and append to a file how many milliseconds it took
 * @argc: number of words
 * @argv: the file, the limit in seconds, command
 *
 * Ends with the status of the command; with 124 if it has not ended within the limit: then it is killed, which it may
 * never hear, and left behind.
 */
void op_timed(int argc, char **argv)
{
	uint64_t limit = num(argv[1]) * 1000, begin = now_ms(), spent;
	int status, fd;
	pid_t child;

	(void)argc;
	child = fork();
	if (child < 0)
		fail("fork");
	if (!child) {
		execvp(argv[2], argv + 2);
		fail(argv[2]);
	}
	while (!waitpid(child, &status, WNOHANG)) {
		if (now_ms() - begin > limit) {
			kill(child, SIGKILL);
			status = 124 << 8;
			break;
		}
		usleep(1000);
	}
	spent = now_ms() - begin;
	fd = open_file(argv[0], O_WRONLY | O_CREAT | O_APPEND);
	dprintf(fd, "%llu\n", (unsigned long long)spent);
	close_file(fd, argv[0]);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
