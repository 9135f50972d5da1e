/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a recording: what happened to the maps from one snapshot to the next.
 *
 * fragtrace-SECONDS.mmm.events.zst belongs to the snapshot of the same time. It has all events from a moment
 * before that snapshot was copied until the next one is. It is one frame of zstd, flushed after each batch:
 * while it is written, or after the writer was killed, all batches but the last can be read.
 *
 * Unpacked, it is a struct event_file_header, then batches. A batch is a struct event_batch_header and
 * columns: first the value of all events in column 1, then that in column 2, and so on. The columns are
 * those of event_columns[] in events.c: u32 time, dev, ino, seq, offset, length, lba, pid, then u8 kind, op,
 * flush, why, encoded, then 16 bytes of comm. All numbers are in the byte order of the machine.
 *
 * Four columns have differences, modulo 2^32, to what is expected after the event before in the batch:
 *
 *	time	microseconds after the event before; for the first one, after event_batch_header.time
 *	seq	minus the seq before; 0 before the first one
 *	offset	minus the end of the range before (offset + length); 0 before the first one
 *	lba	likewise (lba + length)
 *
 * A column that means nothing for a kind of event has any value. Events are in the order of time, and those
 * of a volume in the order of seq. A gap in seq means that events were lost there.
 */
#pragma once

#include "util.h"

#define EVENTS_MAGIC "FTevents"
#define EVENTS_VERSION 1
#define EVENTS_SUFFIX ".events.zst"

/* More events in a batch are a sign of damage. */
#define EVENTS_MAX_BATCH (1u << 20)

/**
 * enum event_kind - what happened
 * @EVENT_PLACED: a range of a file is at @lba now
 * @EVENT_HOLE: no block of the range has an LBA any more
 * @EVENT_UNWRITTEN: holes in the range are preallocated now, written blocks stay
 * @EVENT_UNKNOWN: the map of the file was replaced: the next snapshot has it
 * @EVENT_NEW: the module has begun to follow a file; what had its inode number before is another file
 * @EVENT_EXACT: the map of the file is exact now
 * @EVENT_STALE: the map of the file may differ from F2FS
 * @EVENT_LEFT_OUT: the module does not follow the file any more, there was no memory
 * @EVENT_GONE: the file does not exist any more, or is not watched
 * @EVENT_NR_KINDS: how many there are; @op to @encoded and @pid to @comm are known for the first two,
 *	@seq for the first four, the range for the first three
 */
enum event_kind {
	EVENT_PLACED,
	EVENT_HOLE,
	EVENT_UNWRITTEN,
	EVENT_UNKNOWN,
	EVENT_NEW,
	EVENT_EXACT,
	EVENT_STALE,
	EVENT_LEFT_OUT,
	EVENT_GONE,
	EVENT_NR_KINDS
};

/**
 * struct event_file_header - the beginning of an event file
 * @magic: %EVENTS_MAGIC
 * @version: %EVENTS_VERSION
 * @size: bytes of this header
 */
struct event_file_header {
	char magic[8];
	uint32_t version;
	uint32_t size;
};

/**
 * struct event_batch_header - the beginning of a batch
 * @n: number of events; a batch without events says that there was none
 * @crc: CRC-32 of this header, with 0 instead of @crc, and of the columns
 * @time: the time of the first event, in nanoseconds since 1970
 * @until: up to which moment all events are in this batch and those before
 * @lost: events may have been lost since the batch before, although no number is missing; so in the first
 *	batch after the beginning
 * @pad: 0
 */
struct event_batch_header {
	uint32_t n;
	uint32_t crc;
	uint64_t time;
	uint64_t until;
	uint32_t lost;
	uint32_t pad;
};

/* The bytes of /proc/PID/comm. */
#define EVENT_COMM 16

/**
 * struct event - one event
 * @time_ns: when, in nanoseconds since 1970; files have it to a millisecond, rounded down
 * @dev: the volume: major number * 2^20 + minor number, as the kernel has it
 * @ino: the inode
 * @seq: its number on the volume
 * @offset: first block of the range
 * @length: number of blocks
 * @lba: LBA of the first block, if it was placed
 * @pid: the process that wrote the data; 0 if it was none, or several
 * @kind: enum event_kind
 * @op: enum ft_op
 * @flush: enum ft_flush
 * @why: enum ft_why
 * @encoded: the range holds a compressed cluster
 * @comm: the name of the thread, "unknown" or "several"; no NUL after 16 bytes
 */
struct event {
	uint64_t time_ns;
	uint32_t dev;
	uint32_t ino;
	uint32_t seq;
	uint32_t offset;
	uint32_t length;
	uint32_t lba;
	uint32_t pid;
	uint8_t kind;
	uint8_t op;
	uint8_t flush;
	uint8_t why;
	uint8_t encoded;
	char comm[EVENT_COMM];
};

/**
 * struct event_column - how a member is stored
 * @offset: of the member in struct event
 * @size: bytes
 * @follows: 0, or the difference to the value before is stored: 1 to that value, 2 to that value plus the
 *	length before
 */
struct event_column {
	size_t offset;
	size_t size;
	int follows;
};

#define EVENT_N_COLUMNS 13
extern const struct event_column event_columns[EVENT_N_COLUMNS];
/* Bytes of an event in a batch: the sum of the columns, and those of the time. */
#define EVENT_BYTES (8 * 4 + 5 + EVENT_COMM)

/**
 * struct events - the content of event files
 * @list: the events
 * @n: number of @list
 * @cap: room in @list
 * @until_ns: up to which moment they are complete
 * @gap_ns: the last moment before the first gap: events of one time may be on both sides of it; UINT64_MAX: none
 * @n_lost: how many events are missing there, 0 if that is not known
 * @is_cut: the last file has no end: what comes after @until_ns is not known
 */
struct events {
	struct event *list;
	size_t n;
	size_t cap;
	uint64_t until_ns;
	uint64_t gap_ns;
	uint32_t n_lost;
	bool is_cut;
};

static inline bool event_has_seq(const struct event *e)
{
	return e->kind <= EVENT_UNKNOWN;
}

uint32_t events_crc(struct event_batch_header header, const char *columns, size_t size);
void events_read(struct events *events, const char *path, struct text *text);
void events_find_gap(struct events *events);
void events_free(struct events *events);
