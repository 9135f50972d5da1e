/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that the operations of fileop share: errors, numbers, writing, random numbers, F2FS's ioctls.
 */
#ifndef FILEOP_H
#define FILEOP_H

#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* F2FS's blocks are pages of this kernel, which have at most so many bytes. */
#define BLOCK getpagesize()
#define MAX_BLOCK 65536

/* F2FS's ioctls; its own header is not installed everywhere. */
#define F2FS_MAGIC 0xf5
#define F2FS_START_ATOMIC _IO(F2FS_MAGIC, 1)
#define F2FS_COMMIT_ATOMIC _IO(F2FS_MAGIC, 2)
#define F2FS_ABORT_ATOMIC _IO(F2FS_MAGIC, 5)
#define F2FS_START_ATOMIC_REPLACE _IO(F2FS_MAGIC, 25)
#define F2FS_GC _IOW(F2FS_MAGIC, 6, uint32_t)
#define F2FS_DEFRAGMENT _IOWR(F2FS_MAGIC, 8, struct f2fs_defragment)
#define F2FS_MOVE_RANGE _IOWR(F2FS_MAGIC, 9, struct f2fs_move_range)
#define F2FS_GC_RANGE _IOW(F2FS_MAGIC, 11, struct f2fs_gc_range)
#define F2FS_SET_PIN_FILE _IOW(F2FS_MAGIC, 13, uint32_t)
#define F2FS_RESIZE_FS _IOW(F2FS_MAGIC, 16, uint64_t)

/**
 * struct f2fs_gc_range - argument of F2FS_GC_RANGE
 * @sync: wait for the collector
 * @start: first block of the volume
 * @len: number of blocks
 */
struct f2fs_gc_range {
	uint32_t sync;
	uint64_t start;
	uint64_t len;
};

/**
 * struct f2fs_defragment - argument of F2FS_DEFRAGMENT, in bytes
 * @start: begin
 * @len: length
 */
struct f2fs_defragment {
	uint64_t start;
	uint64_t len;
};

/**
 * struct f2fs_move_range - argument of F2FS_MOVE_RANGE, in bytes
 * @dst_fd: file to move into
 * @pos_in: begin in this file
 * @pos_out: begin in the other file
 * @len: length
 */
struct f2fs_move_range {
	uint32_t dst_fd;
	uint64_t pos_in;
	uint64_t pos_out;
	uint64_t len;
};

/* main.c */
void __attribute__((noreturn)) fail(const char *what);
void __attribute__((noreturn)) misuse(const char *what);
uint64_t num(const char *s);
int open_file(const char *path, int flags);
void close_file(int fd, const char *path);
void write_at(int fd, const char *path, uint64_t off, uint64_t len);
uint64_t next_random(void);
void set_seed(uint64_t seed);
int fallocate_mode(const char *word);

/* f2fs.c */
void op_defrag(int argc, char **argv);
void op_gc(int argc, char **argv);
void op_gc_range(int argc, char **argv);
void op_resize(int argc, char **argv);
void op_pin(int argc, char **argv);
void op_casefold(int argc, char **argv);
void op_immutable(int argc, char **argv);
void op_append_only(int argc, char **argv);
void op_atomic(int argc, char **argv);
void op_move(int argc, char **argv);
void op_moves(int argc, char **argv);
void op_busy(int argc, char **argv);
void op_numbers(int argc, char **argv);
void op_misplace(int argc, char **argv);

/* enemy.c */
void op_bad_calls(int argc, char **argv);
void op_crowd(int argc, char **argv);
void op_flip(int argc, char **argv);

/* stuck.c */
void op_stuck(int argc, char **argv);
void op_stuck_dir(int argc, char **argv);
void op_stuck_fiemap(int argc, char **argv);
void op_stuck_many(int argc, char **argv);

/* fuse.c */
void op_fuse(int argc, char **argv);

/* flood.c */
void op_forks(int argc, char **argv);
void op_trees(int argc, char **argv);
void op_restless(int argc, char **argv);
void op_leases(int argc, char **argv);
void op_giants(int argc, char **argv);

/* friend.c */
void op_friend(int argc, char **argv);
void op_creates(int argc, char **argv);

/* names.c */
void op_names(int argc, char **argv);

/* keep.c */
void op_keep(int argc, char **argv);

/* reads.c */
void op_reads(int argc, char **argv);

/* shadow.c */
void op_shadow(int argc, char **argv);

/* run.c */
void become(unsigned int uid);
uint64_t now_ms(void);
void op_as(int argc, char **argv);
void op_confined(int argc, char **argv);
void op_timed(int argc, char **argv);

/* attr.c */
void op_xattr(int argc, char **argv);
void op_project(int argc, char **argv);
void op_encrypt(int argc, char **argv);
void op_verity(int argc, char **argv);

/* replay.c */
void op_rocksdb(int argc, char **argv);
void op_voltdb(int argc, char **argv);

/* varmail.c */
void op_varmail(int argc, char **argv);

/* age.c */
void op_age(int argc, char **argv);

#endif
