# SPDX-License-Identifier: GPL-2.0-only
"""The names of the figures in table and picture, and their goals."""

# The goal of a figure.
GOAL_APPEND = 150
GOAL_CAUSES = 80
GOAL_OVERWRITE = 1500
GOAL_BYTES = 24
GOAL_FILE = 256
GOAL_TRACING = 1.0
GOAL_IDLE = 0.1
# Million instructions: a second of the guest.
GOAL_READ = 1000
GOAL_FILEFRAG = 50
GOAL_RATE = 200000
# Microseconds, on a machine without emulation.
GOAL_WAIT = 100

APP_NAMES = {
    "rocksdb": "RocksDB, fill and update",
    "redis": "Redis, RDB and AOF",
    "fio_write": "fio, sequential",
    "fio_sync": "fio, 4 KiB random, fdatasync",
    "fio_20": "fio, 20 jobs random",
    "churn": "64 processes create, rename, unlink",
    "rocksdb_fio": "RocksDB beside 20 jobs",
    "redis_fio": "Redis beside 20 jobs",
    "rocksdb_aged": "RocksDB beside 200 old files",
}
MODE_NAMES = {
    "idle": "loaded, idle",
    "no_causes": "tracing, `causes=0`",
    "tracing": "tracing",
    "events": "tracing, our tracepoints on",
    "reader": "tracing, `table` read every s",
    "filefrag_1s": "filefrag every s",
    "filefrag_5s": "filefrag every 5 s",
    "ftrace": "ftrace, raw",
    "bpftrace": "bpftrace, counts only",
}
# In these modes the instructions in the probes are counted separately.
PROBE_MODES = ("no_causes", "tracing", "events")
CASE_NAMES = {
    "sequential": "next block of a file, 4 KiB writes",
    "in_chunks": "next block of a file, 1 MiB writes",
    "many_files": "next block of 256 files in turn",
}
RATE_NAMES = {
    "pinned": "blocks allocated for a pinned file",
    "direct": "direct I/O",
}
# The work in parallel with timed write events.
BESIDE = {
    "alone": "alone",
    "compute": "beside a program that computes",
    "read_on": "beside a reader of `table`",
    "learn": "while all files are learnt",
}
