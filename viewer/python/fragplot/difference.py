# SPDX-License-Identifier: GPL-2.0-only
"""What happened to each block between two tables: kept, moved, new, gone. This module draws nothing.

A file is the same in both if it has the same inode number, and also either the same path or at least
one block that stayed. The inode number is not sufficient, because F2FS uses it again. The path is not
sufficient, because files are renamed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fragsnap import Table, Volume

from .colors import Groups
from .layout import Pieces, volume_numbers
from .terms import fragments_of

# What happened to a block. FREED is the old place of a block, if no file has it now.
KEPT, MOVED, NEW, GONE = range(4)
FREED = GONE


@dataclass(frozen=True)
class Difference:
    """The comparison of two tables.

    blocks is the number of blocks of each group that are KEPT, MOVED, NEW, GONE. fragments is the number
    of fragments of each group in the first table, in the second one, and in both. pieces has the places
    of the second table by what happened to their blocks, and the FREED places.
    """

    blocks: np.ndarray
    fragments: np.ndarray
    pieces: Pieces


class Side:
    """One of the two tables: its extents in logical order, on one axis for the blocks of all files."""

    def __init__(self, table: Table, volumes: list[Volume], identity: np.ndarray) -> None:
        order = table.logical
        self.table = table
        self.file = identity[table.file[order]]
        self.offset, self.blocks, self.lba = table.offset[order], table.blocks[order], table.lba[order]
        self.volume = volume_numbers(table, volumes)[order]
        self.begin = self.end = np.zeros(0, np.int64)

    def place(self, base: np.ndarray) -> None:
        """Put the extents on the axis; file i begins at base[i]."""
        self.begin = base[self.file] + self.offset
        order = np.argsort(self.begin, kind="stable")
        for name in ("file", "offset", "blocks", "lba", "volume", "begin"):
            setattr(self, name, getattr(self, name)[order])
        self.end = self.begin + self.blocks

    def at(self, point: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which points are in an extent; the volume and address of each (meaningless for other points)."""
        if not len(self.begin):
            return (np.zeros(len(point), bool),) + (np.zeros(len(point), np.int64),) * 2
        i = np.maximum(np.searchsorted(self.begin, point, "right") - 1, 0)
        there = (point >= self.begin[i]) & (point < self.end[i])
        return there, self.volume[i], self.lba[i] + point - self.begin[i]


@dataclass(frozen=True)
class Steps:
    """Ranges of blocks of a file to which the same happened, with their places in both tables."""

    file: np.ndarray
    blocks: np.ndarray
    change: np.ndarray
    old: tuple[np.ndarray, np.ndarray]
    new: tuple[np.ndarray, np.ndarray]


def follow(a: Side, b: Side, files: int) -> Steps:
    """Compare each block of each file in both tables."""
    size = np.zeros(files + 1, np.int64)
    for side in (a, b):
        np.maximum.at(size, side.file + 1, side.offset + side.blocks)
    base = np.cumsum(size)
    a.place(base)
    b.place(base)
    points = np.unique(np.concatenate([a.begin, a.end, b.begin, b.end]))
    begin, blocks = points[:-1], np.diff(points)
    in_a, *old = a.at(begin)
    in_b, *new = b.at(begin)
    stayed = (old[0] == new[0]) & (old[1] == new[1])
    change = np.where(in_a & in_b, np.where(stayed, KEPT, MOVED), np.where(in_b, NEW, GONE))
    some = in_a | in_b
    file = np.searchsorted(base, begin, "right") - 1
    return Steps(file[some], blocks[some], change[some], (old[0][some], old[1][some]),
                 (new[0][some], new[1][some]))


def identities(a: Table, b: Table) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """A number for each file of both tables, and the numbers of files whose paths differ."""
    known: dict[tuple[str, int], int] = {}
    first = np.zeros(len(a.paths), np.int64)
    second = np.zeros(len(b.paths), np.int64)
    for table, result in ((a, first), (b, second)):
        devs = [table.volumes[i].dev for i in table.file_volume.tolist()]
        for i, key in enumerate(zip(devs, table.file_ino.tolist())):
            result[i] = known.setdefault(key, len(known))
    paths = dict(zip(first.tolist(), a.paths))
    doubtful = [number for number, path in zip(second.tolist(), b.paths) if paths.get(number, path) != path]
    return first, second, doubtful


def subtract(begin: np.ndarray, end: np.ndarray, less_begin: np.ndarray,
             less_end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Subtract the second ranges from the first ones; the ranges of each argument do not overlap."""
    points = np.unique(np.concatenate([begin, end, less_begin, less_end]))

    def covered(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        depth = np.zeros(len(points), np.int64)
        np.add.at(depth, np.searchsorted(points, starts), 1)
        np.add.at(depth, np.searchsorted(points, ends), -1)
        return np.cumsum(depth)[:-1] > 0

    left = covered(begin, end) & ~covered(less_begin, less_end)
    return points[:-1][left], points[1:][left]


def pieces_of_difference(steps: Steps, volumes: list[Volume]) -> Pieces:
    """The places of blocks that came, stayed, or were freed."""
    base = np.cumsum([0] + [volume.end for volume in volumes])
    here = steps.change != GONE
    left = (steps.change == GONE) | (steps.change == MOVED)
    old = base[steps.old[0]] + steps.old[1]
    new = base[steps.new[0]] + steps.new[1]
    begin, end = subtract(old[left], (old + steps.blocks)[left], new[here], (new + steps.blocks)[here])
    volume = np.searchsorted(base, begin, "right") - 1
    return Pieces(np.concatenate([steps.new[0][here], volume]),
                  np.concatenate([steps.new[1][here], begin - base[volume]]),
                  np.concatenate([steps.blocks[here], end - begin]),
                  np.concatenate([steps.change[here], np.full(len(begin), FREED)]))


def same_fragments(a: Table, b: Table, identity: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Which fragments of the second table are also in the first one, block by block."""
    keys = []
    for table, number in zip((a, b), identity):
        fragments = fragments_of(table)
        keys.append(np.column_stack([number[fragments.file], fragments.offset, fragments.lba, fragments.blocks]))
    _, place, count = np.unique(np.concatenate(keys), axis=0, return_inverse=True, return_counts=True)
    return count[place][len(keys[0]):] == 2


def difference_of(a: Table, b: Table, volumes: list[Volume], groups: Groups) -> Difference:
    """Compare two tables."""
    first, second, doubtful = identities(a, b)
    files = int(max(first.max(initial=-1), second.max(initial=-1))) + 1
    steps = follow(Side(a, volumes, first), Side(b, volumes, second), files)
    kept = np.zeros(files, bool)
    kept[steps.file[steps.change == KEPT]] = True
    reused = [number for number in doubtful if not kept[number]]
    if reused:
        again = np.isin(second, reused)
        second[again] = files + np.arange(int(again.sum()))
        files += len(reused)
        steps = follow(Side(a, volumes, first), Side(b, volumes, second), files)
    group = np.zeros(files, np.int64)
    group[first] = groups.of_files(a)
    group[second] = groups.of_files(b)
    blocks = np.zeros((len(groups), 4), np.int64)
    np.add.at(blocks, (group[steps.file], steps.change), steps.blocks)
    same = same_fragments(a, b, (first, second))
    fragments = np.zeros((len(groups), 3), np.int64)
    for column, table, mine, counted in ((0, a, first, None), (1, b, second, None), (2, b, second, same)):
        of_group = group[mine[fragments_of(table).file]]
        fragments[:, column] = np.bincount(of_group if counted is None else of_group[counted],
                                           minlength=len(groups))
    return Difference(blocks, fragments, pieces_of_difference(steps, volumes))
