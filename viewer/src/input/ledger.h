/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the debugfs file `ledger`, what is written by kind of block, process and file. */
#pragma once

#include "util.h"

/**
 * enum ledger_sum - what is summed up for a process and a file, in bytes
 * @LEDGER_BUFFERED: written by system calls to the page cache
 * @LEDGER_MAPPED: pages of mappings that became writable
 * @LEDGER_DIRECT: written by direct I/O
 * @LEDGER_DATA: other data that the device got
 * @LEDGER_NODE: nodes
 * @LEDGER_GC: what garbage collection has moved
 * @LEDGER_MOVED: what F2FS has moved when asked to
 * @LEDGER_SUMS: how many there are
 */
enum ledger_sum {
	LEDGER_BUFFERED,
	LEDGER_MAPPED,
	LEDGER_DIRECT,
	LEDGER_DATA,
	LEDGER_NODE,
	LEDGER_GC,
	LEDGER_MOVED,
	LEDGER_SUMS,
};

/* What a line is about. */
enum ledger_about { LEDGER_DEVICE, LEDGER_KIND, LEDGER_PROCESS, LEDGER_FILE };

/**
 * struct ledger_line - a line
 * @about: what
 * @major: device number
 * @minor: device number
 * @bytes: written and discarded; of a kind of block; or by enum ledger_sum
 * @pid: of a process
 * @name: of a kind, a process, or a file: its path; "*" for all others
 * @other: of a kind: its log; of a process: its cgroup; otherwise empty
 * @ext: of a file: its extension, see struct file
 * @is_deleted: it has no name any more
 */
struct ledger_line {
	enum ledger_about about;
	unsigned int major;
	unsigned int minor;
	uint64_t bytes[LEDGER_SUMS];
	uint64_t pid;
	const char *name;
	const char *other;
	const char *ext;
	bool is_deleted;
};

/**
 * struct ledger - the content of `ledger`
 * @lines: all of it, of each volume first the line of the device
 * @n: how many
 */
struct ledger {
	struct ledger_line *lines;
	size_t n;
	/* private: */
	size_t cap;
	struct text text;
};

void ledger_read(struct ledger *ledger, const char *name);
void ledger_free(struct ledger *ledger);
