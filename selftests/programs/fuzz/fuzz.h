/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of fuzz share. Data flows through the files in this order:
 *
 *   make*.c     a seed -> a plan, as text
 *   plan.c      text -> operations
 *   run.c       operations -> threads that do them, checks between and beside them
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

#define BLOCK 4096ULL
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
 * @thread: who does it; all together if @kind is NULL, which is a barrier
 * @kind: what to do
 * @arg: to what
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
 * @run: does it; returns a negative number and sets errno if it cannot
 */
struct kind {
	const char *name;
	const char *args;
	int (*run)(struct worker *w, const struct op *op);
};

/* The kinds, a list for each file, each ended by an empty entry. */
extern const struct kind data_kinds[];
extern const struct kind f2fs_kinds[];
extern const struct kind name_kinds[];
extern const struct kind volume_kinds[];
extern const struct kind fragtrace_kinds[];

/**
 * struct plan - a plan that was read
 * @ops: its operations, in the order of the text
 * @nr: how many
 * @threads: how many threads it needs
 */
struct plan {
	struct op *ops;
	size_t nr;
	unsigned int threads;
};

/**
 * struct tally - what became of the operations of one kind
 * @tried: how many there were
 * @failed: how many failed, by errno
 */
struct tally {
	unsigned long tried;
	unsigned long failed[MAX_ERRNO];
};

/**
 * struct run - what the threads of one run share
 * @plan: the plan
 * @dir: the folder it plays in, on F2FS
 * @dirfd: the same
 * @device: name of the volume in sysfs
 * @check: command that compares, run with the word `settled` or `frozen`; or NULL
 * @end: when it must be over, for it hangs otherwise
 * @from: first operation of the part between two barriers
 * @to: its end
 * @whole: held by operations on the whole volume: they exclude each other
 * @differs: a check found a difference
 * @broken: something failed that must not
 */
struct run {
	const struct plan *plan;
	const char *dir;
	int dirfd;
	char device[32];
	const char *check;
	struct timespec end;
	size_t from;
	size_t to;
	pthread_mutex_t whole;
	bool differs;
	bool broken;
};

/**
 * struct held - a file that a thread keeps open, whatever becomes of its name
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
 * @tid: the same for the kernel
 * @now: what it is doing
 * @held: files it keeps open
 * @nr_held: how many
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
 * struct shape - what a plan shall be like
 * @seed: everything follows from it, also what is 0 below
 * @threads: how many
 * @ops: how many operations
 * @parts: how many parts, with a check behind each
 * @local: nothing that concerns the whole volume, no words about how to make it
 */
struct shape {
	uint64_t seed;
	unsigned int threads;
	unsigned int ops;
	unsigned int parts;
	bool local;
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
