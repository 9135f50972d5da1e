#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the windows of a reader with a page cache in which each page is asked for: page_cache.py PROGRAM SEED ROUNDS.

The page cache has a set of pages, one of which may be marked, and the state of readahead of an open file (start, size,
async_size, the end of the last read), as the kernel does. PROGRAM is built from windows.c.
"""
import random
import subprocess
import sys


class PageCache:
    """What is read of a file, page by page, as in mm/readahead.c and mm/filemap.c of Linux 6.12."""

    def __init__(self, pages: int, ahead: int, device: int) -> None:
        self.pages, self.ahead, self.device = pages, ahead, device
        self.cached: set[int] = set()
        self.marked: set[int] = set()
        self.start = self.size = self.async_size = 0
        self.last = -1
        self.windows: list[tuple[int, int]] = []

    def submit(self, first: int, count: int, mark: int) -> None:
        end = min(first + count, self.pages)
        if first >= end:
            return
        assert not self.cached & set(range(first, end)), "a page is read twice"
        self.cached |= set(range(first, end))
        self.windows.append((first, end))
        if first <= mark < end:
            self.marked.add(mark)

    def limit(self, wanted: int) -> int:
        if wanted > self.ahead and self.device > self.ahead:
            return min(wanted, self.device)
        return self.ahead

    def first_window(self, wanted: int, limit: int) -> int:
        size = 1 << (wanted - 1).bit_length()
        return 4 * size if size <= limit // 32 else 2 * size if size <= limit // 4 else limit

    def missing(self, page: int, wanted: int) -> None:
        if not self.ahead:
            self.submit(page, 1, -1)
            return
        limit = self.limit(wanted)
        if page == 0 or wanted > limit or page - self.last in (0, 1):
            self.start, self.size = page, self.first_window(wanted, limit)
            self.async_size = self.size - wanted if self.size > wanted else self.size // 2
            self.submit(page, self.size, page + self.size - self.async_size)
            return
        # pages before it are in memory, from the begin of the file: a stream, if there are more of them than it asks for
        before = min(page, limit)
        if before <= wanted:
            self.submit(page, wanted, -1)
            return
        self.start = page
        self.size = min((2 if before == page else 1) * before + wanted, limit)
        self.async_size = 1
        self.submit(page, self.size, page + self.size - 1)

    def at_mark(self, page: int, wanted: int) -> None:
        self.marked.remove(page)
        assert page == self.start + self.size - self.async_size
        limit = self.limit(wanted)
        self.start += self.size
        grown = 4 * self.size if self.size < limit // 16 else 2 * self.size if self.size <= limit // 2 else limit
        self.size = self.async_size = max(self.size, grown)
        self.submit(self.start, self.size, self.start)

    def read(self, first: int, end: int) -> None:
        for page in range(first, min(end, self.pages)):
            if page not in self.cached:
                self.missing(page, end - page)
            if page in self.marked:
                self.at_mark(page, end - page)
        self.last = min(end, self.pages)


def windows_of(pages: int, at_once: int, ahead: int, device: int, direct: bool) -> list[tuple[int, int]]:
    """What a sequential reader of a file has read at once."""
    if direct:
        return [(first, min(first + at_once, pages)) for first in range(0, pages, at_once)]
    cache = PageCache(pages, ahead, device)
    for first in range(0, pages, at_once):
        cache.read(first, first + at_once)
    return cache.windows


def one_round(program: str, rnd: random.Random) -> int:
    pages = rnd.choice([1, 2, rnd.randint(3, 100), rnd.randint(100, 3000)])
    at_once = rnd.choice([1, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 100, 256, 512])
    ahead = rnd.choice([0, 1, 2, 3, 4, 8, 25, 32, 32, 32, 64, 100, 128, 256, 1024])
    device = rnd.choice([0, 1, 31, 32, 64, 127, 128, 320, 1024])
    direct = rnd.random() < 0.1
    expected = windows_of(pages, at_once, ahead, device, direct)
    words = [program, "direct" if direct else "buffered", str(at_once), str(ahead), str(device), str(pages)]
    run = subprocess.run(words, capture_output=True, text=True, check=True)
    got = [(int(line.split()[0]), int(line.split()[1])) for line in run.stdout.splitlines()]
    assert got == expected, f"{' '.join(words)}: got {got[:9]}; expected {expected[:9]}"
    return len(got)


def main() -> None:
    program, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rnd = random.Random(seed)
    windows = sum(one_round(program, rnd) for _ in range(rounds))
    print(f"# {rounds} readers, {windows} windows")


if __name__ == "__main__":
    main()
