// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileop varmail: a mail server, with the published parameters of filebench's workload of that name.
 *
 * A set of files, 80 % of which are there at the beginning, of 16 KiB in the mean. Each thread goes on and on through one
 * round: delete a file; create one, append, fsync; open one, read it, append, fsync; open one and read it. An append has 1 byte
 * to 32 KiB, 16 KiB in the mean. Two threads do not use the same file at a time. The sizes of the first files are spread as
 * the sum of two equal ones, where filebench has a gamma distribution; the mean is the same.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fileop.h"

#define MEAN 16384
#define READ_AT_ONCE (1 << 20)
#define BUCKETS 32

enum state { ABSENT, PRESENT, IN_USE };

/**
 * struct mail - what the threads share
 * @folder: where the files are
 * @nr: how many files there may be
 * @most: how many rounds a thread goes through; 0: until @stop
 * @lock: protects @state
 * @state: of each file
 * @stop: the threads have to end
 * @rounds: rounds that have ended
 * @ops: operations that have ended, those of filebench: opening and closing count, too
 * @creates: files created
 * @fsyncs: fsyncs that have ended
 * @fsync_ns: how long they took
 * @buckets: how many of them took 0, 1, 2 to 3, 4 to 7 microseconds, and so on
 */
struct mail {
	const char *folder;
	unsigned int nr;
	uint64_t most;
	pthread_mutex_t lock;
	unsigned char *state;
	atomic_bool stop;
	atomic_ullong rounds, ops, creates, fsyncs, fsync_ns;
	atomic_ullong buckets[BUCKETS];
};

/**
 * struct reader - a thread
 * @mail: what it shares with others
 * @thread: its thread
 * @seed: of its random numbers
 * @buffer: what it reads into, and appends from
 */
struct reader {
	struct mail *mail;
	pthread_t thread;
	unsigned int seed;
	char *buffer;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* A file in this state, at random, which is in use from now on; -1 if there is none. */
static int take(struct reader *r, enum state from)
{
	struct mail *mail = r->mail;
	unsigned int first = rand_r(&r->seed) % mail->nr, i;
	int found = -1;

	pthread_mutex_lock(&mail->lock);
	for (i = 0; i < mail->nr && found < 0; i++)
		if (mail->state[(first + i) % mail->nr] == from)
			found = (first + i) % mail->nr;
	if (found >= 0)
		mail->state[found] = IN_USE;
	pthread_mutex_unlock(&mail->lock);
	return found;
}

static void give_back(struct mail *mail, int file, enum state to)
{
	pthread_mutex_lock(&mail->lock);
	mail->state[file] = to;
	pthread_mutex_unlock(&mail->lock);
}

static void path_of(const struct mail *mail, int file, char path[4096])
{
	snprintf(path, 4096, "%s/%08d", mail->folder, file);
}

static void append(struct reader *r, int fd, unsigned int bytes)
{
	if (write(fd, r->buffer, bytes) != (ssize_t)bytes)
		fail("write");
	r->mail->ops++;
}

static void sync_it(struct mail *mail, int fd)
{
	uint64_t begin = now_ns(), ns;
	unsigned int bucket;

	if (fsync(fd))
		fail("fsync");
	ns = now_ns() - begin;
	bucket = ns < 1000 ? 0 : 64 - __builtin_clzll(ns / 1000);
	mail->buckets[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
	mail->fsync_ns += ns;
	mail->fsyncs++;
	mail->ops++;
}

static void read_all(struct reader *r, int fd)
{
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, r->buffer, READ_AT_ONCE, at)) > 0)
		at += n;
	if (n < 0)
		fail("read");
	r->mail->ops++;
}

/* Open or create a file that is in this state, and close it again after what is to be done. */
static void with_file(struct reader *r, enum state from, bool reads, bool appends)
{
	struct mail *mail = r->mail;
	int file = take(r, from), fd;
	char path[4096];

	if (file < 0)
		return;
	path_of(mail, file, path);
	fd = open_file(path, O_RDWR | O_APPEND | (from == ABSENT ? O_CREAT | O_EXCL : 0));
	if (from == ABSENT)
		mail->creates++;
	if (reads)
		read_all(r, fd);
	if (appends) {
		append(r, fd, 1 + rand_r(&r->seed) % (2 * MEAN));
		sync_it(mail, fd);
	}
	close_file(fd, path);
	mail->ops += 2;
	give_back(mail, file, PRESENT);
}

static void delete(struct reader *r)
{
	int file = take(r, PRESENT);
	char path[4096];

	if (file < 0)
		return;
	path_of(r->mail, file, path);
	if (unlink(path))
		fail(path);
	r->mail->ops++;
	give_back(r->mail, file, ABSENT);
}

static void *serve(void *arg)
{
	struct reader *r = arg;
	uint64_t n;

	for (n = 0; r->mail->most ? n < r->mail->most : !r->mail->stop; n++) {
		delete(r);
		with_file(r, ABSENT, false, true);
		with_file(r, PRESENT, true, true);
		with_file(r, PRESENT, true, false);
		r->mail->rounds++;
	}
	return NULL;
}

/* The files that are there at the beginning. */
static void fill(struct mail *mail, struct reader *r)
{
	unsigned int i;
	char path[4096];
	int fd;

	for (i = 0; i < mail->nr; i++) {
		if (i % 5 == 4)
			continue;
		path_of(mail, i, path);
		fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
		append(r, fd, 1 + rand_r(&r->seed) % MEAN + rand_r(&r->seed) % MEAN);
		close_file(fd, path);
		mail->state[i] = PRESENT;
	}
	mail->ops = 0;
	sync();
}

static void report(struct mail *mail, uint64_t begin)
{
	unsigned int b;

	printf("%llu %llu %llu %llu %llu %llu", (unsigned long long)((now_ns() - begin) / 1000000), mail->rounds, mail->ops,
	       mail->creates, mail->fsyncs, mail->fsync_ns);
	for (b = 0; b < BUCKETS; b++)
		if (mail->buckets[b])
			printf(" %llu:%llu", b ? 1ULL << (b - 1) : 0, mail->buckets[b]);
	putchar('\n');
	fflush(stdout);
}

/**
 * op_varmail() - be a mail server
 * @argc: number of words
 * @argv: a folder that is not there, files, threads, seconds, seconds between two reports, seed; then perhaps how many rounds
 * each thread goes through, however long that takes
 *
 * Prints a line at the begin, then one each so many seconds, or one at the end of the rounds: the milliseconds, and all
 * figures of struct mail since the begin. It is buckets LEAST:FSYNCS that end a line.
 */
void op_varmail(int argc, char **argv)
{
	struct mail mail = { .folder = argv[0], .nr = num(argv[1]), .most = argc > 6 ? num(argv[6]) : 0,
			     .lock = PTHREAD_MUTEX_INITIALIZER };
	unsigned int threads = num(argv[2]), seed = num(argv[5]), i;
	uint64_t seconds = num(argv[3]), every = num(argv[4]), begin, at;
	struct reader *readers = calloc(threads, sizeof(*readers));
	struct timespec pause;

	mail.state = calloc(mail.nr, 1);
	if (!readers || !mail.state || !threads || !every)
		misuse("varmail: out of memory, or nothing to do");
	if (mkdir(mail.folder, 0755))
		fail(mail.folder);
	for (i = 0; i < threads; i++) {
		readers[i] = (struct reader){ .mail = &mail, .seed = seed + i, .buffer = calloc(1, READ_AT_ONCE) };
		if (!readers[i].buffer)
			misuse("out of memory");
	}
	fill(&mail, &readers[0]);
	begin = now_ns();
	report(&mail, begin);
	for (i = 0; i < threads; i++)
		if (pthread_create(&readers[i].thread, NULL, serve, &readers[i]))
			fail("pthread_create");
	for (at = every; !mail.most && at <= seconds; at += every) {
		uint64_t until = begin + at * 1000000000ULL;

		pause.tv_sec = until / 1000000000ULL;
		pause.tv_nsec = until % 1000000000ULL;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &pause, NULL);
		report(&mail, begin);
	}
	mail.stop = true;
	for (i = 0; i < threads; i++)
		pthread_join(readers[i].thread, NULL);
	if (mail.most)
		report(&mail, begin);
}
