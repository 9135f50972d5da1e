# SPDX-License-Identifier: GPL-2.0-only
"""The figures of each extension at one moment, small enough to keep those of hundreds of moments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable

import numpy as np

from fragsnap import Kind, Table

from .terms import fragments_of, quantile, requests_of


@dataclass
class Share:
    """Figures of some files; sizes is the number of fragments of each size in blocks."""

    files: int = 0
    fragmented: int = 0
    blocks: int = 0
    requests: int = 0
    ideal: int = 0
    sizes: np.ndarray = field(default_factory=lambda: np.zeros((2, 0), np.int64))

    @property
    def fragments(self) -> int:
        """The number of fragments of these files."""
        return int(self.sizes[1].sum())

    @property
    def split_factor(self) -> float:
        """Requests divided by those of contiguous files; nan without blocks."""
        return self.requests / self.ideal if self.ideal else float("nan")

    def quantile(self, share: float) -> float:
        """The smallest size in blocks that this share of the fragments does not exceed."""
        return quantile(self.sizes[0], self.sizes[1], share)


def sum_of(parts: Iterable[Share]) -> Share:
    """The sum of the figures of several sets of files."""
    result = Share()
    sizes = [result.sizes]
    for part in parts:
        result.files += part.files
        result.fragmented += part.fragmented
        result.blocks += part.blocks
        result.requests += part.requests
        result.ideal += part.ideal
        sizes.append(part.sizes)
    together = np.concatenate(sizes, axis=1)
    size, place = np.unique(together[0], return_inverse=True)
    count = np.zeros(len(size), np.int64)
    np.add.at(count, place, together[1])
    result.sizes = np.stack([size, count])
    return result


def shares_of(table: Table, group: np.ndarray, groups: int, request: int) -> list[Share]:
    """Figures of each group; group has the group of each file, request is a number of bytes."""
    fragments = fragments_of(table)
    requests, ideal = requests_of(table, table.request_blocks(request))
    blocks = np.zeros(len(table.paths), np.int64)
    np.add.at(blocks, table.file, table.blocks)
    result = []
    for number in range(groups):
        mine = group == number
        size, count = np.unique(fragments.blocks[mine[fragments.file]], return_counts=True)
        result.append(Share(int(mine.sum()), int((mine & table.file_fragmented).sum()),
                            int(blocks[mine].sum()), int(requests[mine].sum()), int(ideal[mine].sum()),
                            np.stack([size, count])))
    return result


def shares_by_kind(table: Table, request: int) -> dict[Kind, Share]:
    """Figures of each kind of files."""
    return dict(zip(table.kinds, shares_of(table, table.file_kind, len(table.kinds), request)))
