// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a plan, with a thread for each of its threads, and compare at each barrier.
 *
 * In: operations. Out: a changed volume, and a line for each kind of operation with the number of
 * successes. Refusals with a good reason are not errors; errors that F2FS must not return (EUCLEAN,
 * EBADF, ENOMEM, ...) are.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

/* === Files ================================================================ */

static struct held *find_held(struct worker *w, const char *path)
{
	unsigned int i;

	for (i = 0; i < w->nr_held; i++)
		if (!strcmp(w->held[i].path, path))
			return &w->held[i];
	return NULL;
}

static int open_or_make(struct worker *w, const char *path, int flags)
{
	int fd = openat(w->run->dirfd, path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0644);
	char *folder, *slash;

	if (fd >= 0 || errno != ENOENT)
		return fd;
	folder = strdup(path);
	for (slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdirat(w->run->dirfd, folder, 0755);
		*slash = '/';
	}
	free(folder);
	return openat(w->run->dirfd, path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0644);
}

/**
 * file_get() - get a descriptor for a file; the file and its folders are created if missing
 * @w: the thread; a file that it holds is found even if it has no name
 * @path: the name
 * @flags: for open(), without the access mode, which is read and write
 *
 * Return: the descriptor, for file_put(); -1 with errno
 */
int file_get(struct worker *w, const char *path, int flags)
{
	struct held *held = find_held(w, path);
	char again[32];

	if (!held)
		return open_or_make(w, path, flags);
	if (!flags)
		return held->fd;
	snprintf(again, sizeof(again), "/proc/self/fd/%d", held->fd);
	return open(again, O_RDWR | O_CLOEXEC | flags);
}

/**
 * file_put() - release a descriptor of file_get()
 * @w: the thread
 * @fd: from file_get(); stays open if the thread holds it
 *
 * Does not change errno.
 */
void file_put(struct worker *w, int fd)
{
	int err = errno;
	unsigned int i;

	for (i = 0; i < w->nr_held; i++)
		if (w->held[i].fd == fd)
			return;
	close(fd);
	errno = err;
}

/**
 * file_hold() - keep a file open; operations of this thread on its name use it from now on
 * @w: the thread
 * @path: the name
 *
 * Return: the descriptor; -1 with errno
 */
int file_hold(struct worker *w, const char *path)
{
	struct held *held = find_held(w, path);
	int fd;

	if (held)
		return held->fd;
	if (w->nr_held == sizeof(w->held) / sizeof(w->held[0])) {
		errno = EBUSY;
		return -1;
	}
	fd = file_get(w, path, 0);
	if (fd >= 0)
		w->held[w->nr_held++] = (struct held){ .path = strdup(path), .fd = fd };
	return fd;
}

/**
 * file_release() - close a file that is kept open
 * @w: the thread
 * @path: the name
 *
 * Return: 0; -1 with errno
 */
int file_release(struct worker *w, const char *path)
{
	struct held *held = find_held(w, path);
	int fd;

	if (!held) {
		errno = ENOENT;
		return -1;
	}
	fd = held->fd;
	free(held->path);
	*held = w->held[--w->nr_held];
	return close(fd);
}

/* === One operation ======================================================== */

/*
 * Errors that a random operation may meet although all is correct. F2FS returns EIO if another thread
 * removes a page while it is being read, and E2BIG if inline attributes are full.
 */
static bool tolerated(int err)
{
	static const int list[] = { EINVAL, EOPNOTSUPP, ENOTTY, ENOSPC, EDQUOT, EFBIG, ENOENT, EEXIST, EBUSY, ETXTBSY, EPERM,
				    EACCES, ENOTEMPTY, EISDIR, ENOTDIR, EXDEV, EAGAIN, ENODATA, ERANGE, EROFS, EFAULT,
				    EIO, E2BIG };
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (err == list[i])
			return true;
	return false;
}

static __thread sigjmp_buf on_sigbus;
static __thread sig_atomic_t sigbus_expected;

/* The handler for a mapped page that another thread cut off, or for which there is no space. */
static void sigbus(int sig)
{
	(void)sig;
	if (!sigbus_expected)
		abort();
	siglongjmp(on_sigbus, 1);
}

static void do_op(struct worker *w, const struct op *op)
{
	struct tally *tally = &w->tally[kind_number(op->kind)];
	int err = 0;

	w->now = op;
	if (!sigsetjmp(on_sigbus, 1)) {
		sigbus_expected = 1;
		if (op->kind->run(w, op) < 0)
			err = errno;
	} else {
		err = EFAULT;
	}
	sigbus_expected = 0;
	w->now = NULL;
	tally->tried++;
	if (!err)
		return;
	tally->failed[err < MAX_ERRNO ? err : 0]++;
	if (!tolerated(err)) {
		printf("# line %u: %s: %s\n", op->line, op->kind->name, strerrorname_np(err));
		w->run->broken = true;
	}
}

/* === All operations ======================================================= */

static void *work(void *arg)
{
	struct worker *w = arg;
	const struct run *run = w->run;
	size_t i;

	w->tid = gettid();
	for (i = run->from; i < run->to; i++)
		if (run->plan->ops[i].thread == w->id)
			do_op(w, &run->plan->ops[i]);
	return NULL;
}

/*
 * Like system(), but without a new mapping: another thread may hold the lock of all mappings while it waits in a page
 * fault for the thaw of the volume.
 */
static int run_command(const char *command)
{
	int status = -1;
	pid_t pid = vfork();

	if (pid < 0)
		return -1;
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* A check takes as long as the machine needs; that is not the time of the operations. */
static void pause_time(struct run *run, time_t *begun)
{
	*begun = time(NULL);
	pthread_mutex_lock(&run->lock);
	run->checks++;
	pthread_mutex_unlock(&run->lock);
}

static void go_on(struct run *run, time_t begun)
{
	pthread_mutex_lock(&run->lock);
	run->checks--;
	run->end.tv_sec += time(NULL) - begun + 1;
	pthread_mutex_unlock(&run->lock);
}

/**
 * run_check() - run the command that compares
 * @run: the run
 * @how: `settled`: no thread writes, wait until all maps are exact; `frozen`: compare only exact maps
 *
 * Return: 0 if all agrees; -1 otherwise, with errno. The command ends with 1 if something differs, and with 4 if maps are not
 * exact in time.
 */
int run_check(struct run *run, const char *how)
{
	char command[PATH_MAX];
	time_t begun;
	int status;

	if (!run->check)
		return 0;
	snprintf(command, sizeof(command), "%s %s", run->check, how);
	fflush(stdout);
	pause_time(run, &begun);
	status = run_command(command);
	go_on(run, begun);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 1) {
		run->differs = true;
	} else if (WIFEXITED(status) && WEXITSTATUS(status) == 4) {
		run->late = true;
	} else {
		/* not the end of the program: the volume may be frozen */
		printf("# '%s %s' ended with status %#x\n", run->check, how, status);
		run->broken = true;
	}
	errno = EINVAL;
	return -1;
}

/* Print what each thread does, and where it is in the kernel; then end the program. */
static void __attribute__((noreturn)) hangs(const struct run *run, const struct worker *workers)
{
	char path[64], line[128];
	unsigned int i;
	FILE *stack;

	for (i = 0; i < run->plan->threads; i++) {
		const struct op *op = workers[i].now;

		if (!op)
			continue;
		printf("# hangs: line %u: thread %u: %s\n", op->line, i, op->kind->name);
		snprintf(path, sizeof(path), "/proc/self/task/%d/stack", workers[i].tid);
		stack = fopen(path, "r");
		while (stack && fgets(line, sizeof(line), stack))
			printf("#   %s", line);
		if (stack)
			fclose(stack);
	}
	fflush(stdout);
	_exit(3);
}

/* Wait for a thread up to the time limit, which checks put off meanwhile. Return: false after the limit. */
static bool join(struct run *run, struct worker *worker)
{
	struct timespec end;
	bool waits = true;

	while (waits) {
		pthread_mutex_lock(&run->lock);
		end = run->end;
		waits = run->checks;
		pthread_mutex_unlock(&run->lock);
		if (waits) {
			clock_gettime(CLOCK_REALTIME, &end);
			end.tv_sec++;
		}
		if (!pthread_timedjoin_np(worker->thread, NULL, &end))
			return true;
		pthread_mutex_lock(&run->lock);
		waits = run->checks || run->end.tv_sec > end.tv_sec;
		pthread_mutex_unlock(&run->lock);
	}
	return false;
}

static void do_part(struct run *run, struct worker *workers)
{
	unsigned int i;

	for (i = 0; i < run->plan->threads; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			die("cannot make a thread");
	for (i = 0; i < run->plan->threads; i++)
		if (!join(run, &workers[i]))
			hangs(run, workers);
	if (!run->differs && !run->late)
		run_check(run, "settled");
	if (run->differs)
		printf("# differs between line %u and line %u\n", run->plan->ops[run->from].line,
		       run->plan->ops[run->to - 1].line);
}

static void print_errors(const struct tally *sum)
{
	unsigned int err;

	for (err = 0; err < MAX_ERRNO; err++)
		if (sum->failed[err])
			printf(" %s=%lu", err ? strerrorname_np(err) : "other", sum->failed[err]);
}

static void print_tally(const struct run *run, const struct worker *workers)
{
	const struct kind *kind;
	unsigned int nr, i, err;

	for (nr = 0; (kind = kind_by_number(nr)); nr++) {
		struct tally sum = { 0 };
		unsigned long failed = 0;

		for (i = 0; i < run->plan->threads; i++) {
			sum.tried += workers[i].tally[nr].tried;
			for (err = 0; err < MAX_ERRNO; err++)
				sum.failed[err] += workers[i].tally[nr].failed[err];
		}
		for (err = 0; err < MAX_ERRNO; err++)
			failed += sum.failed[err];
		if (!sum.tried)
			continue;
		printf("# op %s: %lu of %lu", kind->name, sum.tried - failed, sum.tried);
		print_errors(&sum);
		putchar('\n');
	}
}

/* The name of the volume in sysfs: the last word of its device's name. */
static void find_device(struct run *run)
{
	char link[64], target[256];
	struct stat st;
	ssize_t n;

	if (fstat(run->dirfd, &st))
		die("%s: %s", run->dir, strerror(errno));
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
	n = readlink(link, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = 0;
	snprintf(run->device, sizeof(run->device), "%.31s", strrchr(target, '/') ? strrchr(target, '/') + 1 : "none");
}

/**
 * plan_run() - run a plan
 * @plan: the plan
 * @dir: the folder, on F2FS
 * @check: command that compares, or NULL
 * @seconds: the time limit
 * @quiet: do not print how many operations succeeded
 *
 * Return: exit status of the program: 0; 1 a check found a difference; 2 an operation failed that must not fail, or a check could
 * not be done; 4 maps were not exact in time.
 * If it hangs, the program ends with status 3.
 */
int plan_run(const struct plan *plan, const char *dir, const char *check, unsigned int seconds, bool quiet)
{
	struct run run = { .plan = plan, .dir = dir, .check = check, .whole = PTHREAD_MUTEX_INITIALIZER,
			   .lock = PTHREAD_MUTEX_INITIALIZER };
	struct worker *workers = calloc(MAX_THREADS, sizeof(*workers));
	unsigned int i;

	if (!workers)
		die("out of memory");
	run.dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (run.dirfd < 0)
		die("%s: %s", dir, strerror(errno));
	clock_gettime(CLOCK_REALTIME, &run.end);
	run.end.tv_sec += seconds;
	find_device(&run);
	signal(SIGBUS, sigbus);
	signal(SIGXFSZ, SIG_IGN);
	for (i = 0; i < MAX_THREADS; i++)
		workers[i] = (struct worker){ .run = &run, .id = i };
	while (run.from < plan->nr && !run.differs && !run.late) {
		run.to = run.from;
		while (run.to < plan->nr && plan->ops[run.to].kind)
			run.to++;
		if (run.to > run.from)
			do_part(&run, workers);
		run.from = run.to + 1;
	}
	if (!quiet)
		print_tally(&run, workers);
	for (i = 0; i < plan->threads; i++)
		while (workers[i].nr_held)
			file_release(&workers[i], workers[i].held[0].path);
	free(workers);
	close(run.dirfd);
	return run.differs ? 1 : run.broken ? 2 : run.late ? 4 : 0;
}
