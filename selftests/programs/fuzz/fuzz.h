/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types and functions that the parts of fuzz share. Data flows through the files in this order:
 *
 *   make*.c     a seed -> a plan, as text
 *   plan.c      text -> operations
 *   run.c       operations -> threads that run them, checks between them and in parallel
 *   data.c, f2fs.c, name.c, volume.c, fragtrace.c: the operations themselves
 *   shrink.c    a plan that fails -> a short one that still fails
 *   main.c      the command line
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* F2FS's blocks are pages of this kernel. */
#define BLOCK ((unsigned long long)getpagesize())
#define MAX_ARGS 5
#define MAX_THREADS 16
#define MAX_ERRNO 134
#define MAX_KINDS 96

struct worker;

/**
 * union arg - one argument of an operation
 * @s: a path below the folder, or a word
 * @n: a number
 */
union arg {
	char *s;
	uint64_t n;
};

/**
 * struct op - one operation of a plan
 * @line: its line in the plan
 * @thread: the number of its thread; a barrier for all threads if @kind is NULL
 * @kind: its kind
 * @arg: its arguments
 */
struct op {
	unsigned int line;
	unsigned int thread;
	const struct kind *kind;
	union arg arg[MAX_ARGS];
};

/**
 * struct kind - a kind of operation
 * @name: its word in a plan
 * @args: its arguments, one letter for each: p path, n number, w word
 * @run: runs it; on an error returns a negative number and sets errno
 */
struct kind {
	const char *name;
	const char *args;
	int (*run)(struct worker *w, const struct op *op);
};

/* A list of kinds for each file. Each list ends with an empty entry. */
extern const struct kind data_kinds[];
extern const struct kind f2fs_kinds[];
extern const struct kind name_kinds[];
extern const struct kind volume_kinds[];
extern const struct kind fragtrace_kinds[];

/**
 * struct plan - a plan that was read
 * @ops: its operations, in the order of the text
 * @nr: number of operations
 * @threads: number of threads
 */
struct plan {
	struct op *ops;
	size_t nr;
	unsigned int threads;
};

/**
 * struct tally - the results of the operations of one kind
 * @tried: number of operations
 * @failed: number of failed operations, by errno
 */
struct tally {
	unsigned long tried;
	unsigned long failed[MAX_ERRNO];
};

/**
 * struct run - the data that the threads of one run share
 * @plan: the plan
 * @dir: the folder for its files, on F2FS
 * @dirfd: descriptor of @dir
 * @device: name of the volume in sysfs
 * @check: the command that compares; run with the word `settled` or `frozen`; or NULL
 * @lock: protects @end and @checks
 * @end: the time limit; a run that takes longer hangs; checks put it off
 * @checks: checks that are running
 * @from: first operation of the part between two barriers
 * @to: its end
 * @whole: lock for operations on the whole volume: they exclude each other
 * @differs: a check found a difference
 * @broken: an operation failed that must not fail, or a check could not be done
 * @late: maps were not exact in time
 */
struct run {
	const struct plan *plan;
	const char *dir;
	int dirfd;
	char device[32];
	const char *check;
	pthread_mutex_t lock;
	struct timespec end;
	unsigned int checks;
	size_t from;
	size_t to;
	pthread_mutex_t whole;
	bool differs;
	bool broken;
	bool late;
};

/**
 * struct held - a file that a thread keeps open, even if it is renamed or deleted
 * @path: the name
 * @fd: the file
 */
struct held {
	char *path;
	int fd;
};

/**
 * struct worker - one thread of a plan
 * @run: the run
 * @id: its number
 * @thread: the thread
 * @tid: its thread ID in the kernel
 * @now: its current operation
 * @held: files it keeps open
 * @nr_held: number of @held
 * @tally: by kind
 */
struct worker {
	struct run *run;
	unsigned int id;
	pthread_t thread;
	pid_t tid;
	const struct op *now;
	struct held held[8];
	unsigned int nr_held;
	struct tally tally[MAX_KINDS];
};

/**
 * struct shape - the parameters of a plan
 * @seed: seed of all choices; it also chooses parameters that are 0
 * @threads: number of threads
 * @ops: number of operations
 * @parts: number of parts, with a check after each
 * @local: no operations on the whole volume, no settings for its creation
 * @zoned: the volume is on a disk with zones
 */
struct shape {
	uint64_t seed;
	unsigned int threads;
	unsigned int ops;
	unsigned int parts;
	bool local;
	bool zoned;
};

/* main.c */
void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...);

/* make.c */
void plan_make(const struct shape *shape, FILE *out);

/* plan.c */
void plan_read(struct plan *plan, FILE *in, const char *path);
unsigned int kind_number(const struct kind *kind);
const struct kind *kind_by_number(unsigned int nr);
bool plan_is_setting(const char *word);

/* run.c */
int plan_run(const struct plan *plan, const char *dir, const char *check, unsigned int seconds, bool quiet);
int file_get(struct worker *w, const char *path, int flags);
void file_put(struct worker *w, int fd);
int file_hold(struct worker *w, const char *path);
int file_release(struct worker *w, const char *path);
int run_check(struct run *run, const char *how);

/* volume.c */
int put_text(const char *path, const char *text);

/* shrink.c */
int plan_shrink(const char *from, const char *to, unsigned int seconds, const char *command);

#endif
