# SPDX-License-Identifier: GPL-2.0-only
"""The file `heat` of debugfs: how much the windows of files are read; src/input/heat.c reads the same."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .model import Table
from .texts import FormatError, SnapError, read_bytes

SUFFIX = ".heat.zst"
FIRST = "# fragtrace heat 2"
WINDOWS_FORM = "# windows blocks=NUMBER period_secs=NUMBER"
WINDOW_FORM = "dev ino offset reads blocks requests overwrites continued path"
WINDOW = re.compile(rb"(\d{1,10}:\d{1,10}) (\d{1,10}) (\d{1,10}) (\d{1,10}) (\d{1,10}) \d+ (\d{1,10}) (\d{1,10}) .+")
# The module's counts have 32 bits.
COUNT_MAX = 2 ** 32 - 1


@dataclass(frozen=True)
class Heat:
    """The counts of windows: window_blocks is their length, and after period_s seconds all counts are halved.

    Arrays with one item for each window that has counts: dev (an index into devs), ino, number (its first block,
    divided by the length of a window), reads, overwrites.
    """

    window_blocks: int
    period_s: int
    devs: list[str]
    dev: np.ndarray
    ino: np.ndarray
    number: np.ndarray
    reads: np.ndarray
    overwrites: np.ndarray

    def of_windows(self, table: Table, file: np.ndarray, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The reads and overwrites of windows, by file of a table and number; 0 where there are no counts."""
        devs = [volume.dev for volume in table.volumes]
        files = {(devs[volume], ino): i for i, (volume, ino) in
                 enumerate(zip(table.file_volume.tolist(), table.file_ino.tolist()))}
        mine = np.array([files.get((self.devs[dev], ino), -1) for dev, ino in zip(self.dev.tolist(), self.ino.tolist())],
                        np.int64)
        keys = mine << 32 | self.number
        order = np.argsort(keys)
        order = order[mine[order] >= 0]
        keys = keys[order]
        wanted = file << 32 | number
        place = np.searchsorted(keys, wanted)
        known = place < len(keys)
        known[known] = keys[place[known]] == wanted[known]
        counts = np.zeros((2, len(wanted)), np.int64)
        for row, values in zip(counts, (self.reads, self.overwrites)):
            row[known] = values[order][place[known]]
        return counts[0], counts[1]


def parse_windows(path: str, number: int, line: bytes) -> tuple[int, int]:
    """The line that says how long windows are: their blocks, and seconds."""
    found = re.match(rb"# windows blocks=(\d{1,10}) period_secs=(\d{1,19})", line)
    if not found or not 0 < int(found[1]) < 2 ** 32:
        raise FormatError(path, number, f'expected "{WINDOWS_FORM}"')
    return int(found[1]), int(found[2])


def parse_window(path: str, number: int, line: bytes, blocks: int) -> tuple[bytes, int, int, int, int]:
    """A line of counts: device, inode number, number of the window, reads, overwrites."""
    if not blocks:
        raise FormatError(path, number, f'expected a line "{WINDOWS_FORM}" before')
    found = WINDOW.fullmatch(line)
    values = [int(found[i]) for i in range(2, 8)] if found else []
    if not found or max(values) > COUNT_MAX or values[1] % blocks or values[5] > values[2]:
        raise FormatError(path, number, f'expected "{WINDOW_FORM}"')
    return found[1], values[0], values[1] // blocks, values[2], values[4]


def read_heat(path: str) -> Heat:
    """The counts of the module, from its file or a copy of it."""
    try:
        data = read_bytes(path)
    except SnapError as error:
        if not path.endswith(SUFFIX):
            raise
        raise SnapError(f"{error}; a snapshot is recorded with what is read if the module was loaded with heat=1") from error
    lines = data.split(b"\n")
    if lines[0].decode("utf-8", "replace") != FIRST:
        raise FormatError(path, 1, f'expected "{FIRST}"')
    blocks = period = 0
    found = []
    for number, line in enumerate(lines, 1):
        if line.startswith(b"# not known"):
            raise SnapError(f"{path}: nothing is known of readers; expected a module that was loaded with heat=1")
        if line.startswith(b"# windows "):
            blocks, period = parse_windows(path, number, line)
        elif line and not line.startswith(b"#"):
            found.append(parse_window(path, number, line, blocks))
    if not blocks:
        raise FormatError(path, len(lines), f'expected a line "{WINDOWS_FORM}"')
    devs = sorted({one[0] for one in found})
    index = {dev: i for i, dev in enumerate(devs)}
    columns = np.array([(index[one[0]], *one[1:]) for one in found], np.int64).reshape(-1, 5).T
    return Heat(blocks, period, [dev.decode() for dev in devs], *columns)
