# SPDX-License-Identifier: GPL-2.0-only
"""What readers and writers do; each is the same in every run."""
from __future__ import annotations

import bisect
import itertools
import mmap
import os
import random
import re
import sqlite3
from pathlib import Path
from time import monotonic_ns
from typing import Callable

from volume import run


def each(path: Path, flags: int, size: int, step: int, call: Callable[[int, memoryview, int], int]) -> tuple[int, int]:
    """Call it for `size` bytes at every `step` of a file; return bytes, and nanoseconds without opening."""
    fd = os.open(path, flags)
    buffer, length, total = mmap.mmap(-1, size), os.fstat(fd).st_size, 0
    begun = monotonic_ns()
    for at in range(0, length, step):
        total += call(fd, memoryview(buffer)[:min(size, length - at)], at)
    ns = monotonic_ns() - begun
    os.close(fd)
    return total, ns


def read_direct(path: Path, size: int, step: int) -> tuple[int, int]:
    """Read past the page cache."""
    return each(path, os.O_RDONLY | os.O_DIRECT, size, step, lambda fd, part, at: os.preadv(fd, [part], at))


def read_buffered(path: Path, size: int, step: int) -> tuple[int, int]:
    return each(path, os.O_RDONLY, size, step, lambda fd, part, at: os.preadv(fd, [part], at))


def write_direct(path: Path, size: int, step: int) -> tuple[int, int]:
    """Overwrite past the page cache: F2FS writes in place."""
    return each(path, os.O_WRONLY | os.O_DIRECT, size, step, lambda fd, part, at: os.pwritev(fd, [part], at))


class Zipf:
    """Numbers below n, the first most often: that number k comes is proportional to 1 / (k + 1) ** 0.99, as in YCSB."""

    def __init__(self, n: int, seed: int) -> None:
        self.chance = random.Random(seed)
        self.sums = list(itertools.accumulate(1 / (k + 1) ** 0.99 for k in range(n)))
        # The popular ones are anywhere.
        self.names = list(range(n))
        random.Random(seed + 1).shuffle(self.names)

    def next(self) -> int:
        return self.names[bisect.bisect(self.sums, self.chance.random() * self.sums[-1])]


ROW = 1000


def sqlite_fill(path: Path, rows: int, seed: int) -> None:
    """A table of rows of 1 KB, in the order of their keys, a transaction for 100 of them."""
    chance = random.Random(seed)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("CREATE TABLE kv (k INTEGER PRIMARY KEY, v BLOB)")
    for first in range(0, rows, 100):
        db.execute("BEGIN")
        db.executemany("INSERT INTO kv VALUES (?, ?)", ((k, chance.randbytes(ROW)) for k in range(first, min(first + 100, rows))))
        db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute("PRAGMA journal_mode=DELETE")
    db.close()


def sqlite_read(path: Path, rows: int, times: int, length: int, seed: int) -> int:
    """Look `times` up where Zipf says, `length` rows in the order of their keys."""
    zipf = Zipf(rows // length, seed)
    db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    total = 0
    for _ in range(times):
        first = zipf.next() * length
        total += db.execute("SELECT sum(length(v)) FROM kv WHERE k >= ? AND k < ?", (first, first + length)).fetchone()[0]
    db.close()
    return total


DB_BENCH = ("db_bench", "--threads=1", "--key_size=16", f"--value_size={ROW}", "--compression_type=none", "--write_buffer_size=8388608",
            "--target_file_size_base=4194304", "--max_bytes_for_level_base=33554432")


def rocksdb_fill(folder: Path, rows: int, block: int, seed: int) -> None:
    run(*DB_BENCH, f"--db={folder}", f"--num={rows}", f"--seed={seed}", f"--block_size={block}", "--benchmarks=fillrandom,compact")


def rocksdb_read(folder: Path, rows: int, times: int, block: int, seed: int) -> int:
    """YCSB's workload C: all reads, of some rows far more often; past the page cache. Return the nanoseconds."""
    said = run(*DB_BENCH, f"--db={folder}", f"--num={rows}", f"--seed={seed}", f"--block_size={block}", "--use_existing_db=1", "--readonly=1",
               f"--reads={times}", "--read_random_exp_range=10", "--use_direct_reads=1", "--cache_size=8388608", "--benchmarks=readrandom")
    found = re.search(r"readrandom *: *([0-9.]+) micros/op", said)
    if not found:
        raise SystemExit(f"lab: db_bench: {said}")
    return int(float(found[1]) * 1000 * times)
