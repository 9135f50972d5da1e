# SPDX-License-Identifier: GPL-2.0-only
"""Fragments, distances and requests of a table, exactly as the module defines them.

A fragment is a maximal run of written blocks in the order of the file whose addresses go up by one.
A hole in the file does not end it if the address after the hole continues.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fragsnap import Table


@dataclass(frozen=True)
class Fragments:
    """The fragments of a table, by file and offset; each array has one item for each fragment.

    index counts the fragments of a file from 0. distance is the distance in blocks, in either direction,
    from the end of the previous fragment of the file to the beginning of this one; -1 for the first.
    """

    file: np.ndarray
    offset: np.ndarray
    lba: np.ndarray
    blocks: np.ndarray
    index: np.ndarray
    distance: np.ndarray


def fragment_of_extents(table: Table) -> np.ndarray:
    """The fragment of each extent, for the extents in logical order."""
    order = table.logical
    file, lba, blocks = table.file[order], table.lba[order], table.blocks[order]
    begins = np.ones(len(order), bool)
    begins[1:] = (file[1:] != file[:-1]) | (lba[1:] != lba[:-1] + blocks[:-1])
    return np.cumsum(begins) - 1


def fragments_of(table: Table) -> Fragments:
    """All fragments of a table."""
    order = table.logical
    file, lba = table.file[order], table.lba[order]
    first = np.flatnonzero(np.diff(fragment_of_extents(table), prepend=-1))
    file, offset, lba = file[first], table.offset[order][first], lba[first]
    blocks = np.add.reduceat(table.blocks[order], first) if len(first) else np.zeros(0, np.int64)
    same = np.zeros(len(first), bool)
    same[1:] = file[1:] == file[:-1]
    distance = np.full(len(first), -1)
    distance[1:] = np.where(same[1:], np.abs(lba[1:] - (lba[:-1] + blocks[:-1])), -1)
    place = np.arange(len(first))
    index = place - np.maximum.accumulate(np.where(same, 0, place))
    return Fragments(file, offset, lba, blocks, index, distance)


def requests_of(table: Table, request_blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """The requests of a sequential read of each file, and the same if the file were contiguous.

    Each request asks for a window of request_blocks, aligned in the file; none spans two fragments.
    """
    order = table.logical
    file, offset, blocks = table.file[order], table.offset[order], table.blocks[order]
    fragment = fragment_of_extents(table)
    first, last = offset // request_blocks, (offset + blocks - 1) // request_blocks
    windows = last - first + 1
    shared = np.zeros(len(order), bool)
    shared[1:] = (file[1:] == file[:-1]) & (first[1:] == last[:-1])
    joined = np.zeros(len(order), bool)
    joined[1:] = shared[1:] & (fragment[1:] == fragment[:-1])
    requests, ideal = (np.zeros(len(table.paths), np.int64) for _ in range(2))
    np.add.at(requests, file, windows - joined)
    np.add.at(ideal, file, windows - shared)
    return requests, ideal


def quantile(sizes: np.ndarray, counts: np.ndarray, share: float) -> float:
    """The smallest of these sizes that this share of all items does not exceed; nan if there are none.

    sizes are ascending; counts is the number of items of each size.
    """
    if not len(sizes):
        return float("nan")
    below = np.cumsum(counts)
    return float(sizes[np.searchsorted(below, share * below[-1])])
