# SPDX-License-Identifier: GPL-2.0-only
"""Two forecasts for reading a file: requests, from where its blocks are; dies, from the order in which they were written.

In: the events of in_guest/dies.py and a snapshot of the same moment. The device that is foreseen puts the n-th block that it is given on die n
modulo D, whatever its address. To read some blocks takes as long as the die that has most of them; at best they are
spread evenly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from fragsnap import Table

from ..facts import FactError
from ..judge import share
from ..model import Data

DIES = (4, 8, 16, 32, 64)
# Blocks of one read: 128 KiB.
READ = 32


@dataclass
class Orders:
    """Up to a moment: when the content of an address went to the device, and when it was allocated (0, 1, ...)."""

    # by LBA: the number of the block among all that the device has got
    written: dict[int, int] = field(default_factory=dict)
    # by LBA: the number of the block among all that watched files have got
    allocated: dict[int, int] = field(default_factory=dict)
    blocks_written: int = 0
    blocks_allocated: int = 0

    def write(self, lba: int, blocks: int) -> None:
        """A request to write."""
        for n in range(blocks):
            self.written[lba + n] = self.blocks_written + n
        self.blocks_written += blocks

    def allocate(self, lba: int, blocks: int) -> None:
        """A file got these addresses."""
        for n in range(blocks):
            self.allocated[lba + n] = self.blocks_allocated + n
        self.blocks_allocated += blocks


def orders(lines: Iterable[str]) -> dict[str, Orders]:
    """The orders at each moment."""
    now, found = Orders(), {}
    for line in lines:
        kind, *words = line.split()
        if kind == "W":
            now.write(int(words[0]), int(words[1]))
        elif kind == "E":
            _, _, length, new = map(int, words)
            if new >= 0:
                now.allocate(new, length)
        elif kind == "M":
            found[words[0]] = Orders(dict(now.written), dict(now.allocated), now.blocks_written, now.blocks_allocated)
        else:
            raise FactError(f"not an event: '{line.strip()}'")
    return found


@dataclass(frozen=True)
class Blocks:
    """The written blocks of a file in the order of the file."""

    name: str
    offsets: np.ndarray
    lbas: np.ndarray


def files(table: Table) -> list[Blocks]:
    """The files that have blocks, by inode number."""
    found = []
    for file in np.lexsort((table.file_ino, table.file_volume)).tolist():
        begin, end = np.searchsorted(table.file[table.logical], (file, file + 1))
        mine = table.logical[begin:end]
        lengths = table.blocks[mine]
        step = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        found.append(
            Blocks(
                table.paths[file].rsplit("/", 1)[-1],
                np.repeat(table.offset[mine], lengths) + step,
                np.repeat(table.lba[mine], lengths) + step,
            )
        )
    return found


def parted(numbers: Sequence[int]) -> tuple[int, int]:
    """How many neighbours of a file there are, and between how many of them blocks of others came, by their numbers in an order.

    The file's own blocks between two neighbours are not foreign.
    """
    own = np.sort(np.asarray(numbers, np.int64))
    one, other = np.asarray(numbers[:-1], np.int64), np.asarray(numbers[1:], np.int64)
    low, high = np.minimum(one, other), np.maximum(one, other)
    mine = np.searchsorted(own, high, "left") - np.searchsorted(own, low, "right")
    return len(one), int(np.count_nonzero(high - low - 1 > mine))


def windows(blocks: Blocks) -> Iterable[np.ndarray]:
    """The indices of the blocks of each aligned read."""
    read = blocks.offsets // READ
    found: list[np.ndarray] = np.split(np.arange(len(read)), np.flatnonzero(np.diff(read)) + 1)
    return found


def requests(blocks: Blocks) -> tuple[int, int]:
    """Requests for reading the file, and at best."""
    taken = best = 0
    for window in windows(blocks):
        lba = blocks.lbas[window]
        taken += 1 + int(np.count_nonzero(np.diff(lba) != 1))
        best += 1
    return taken, best


def busiest(blocks: Blocks, numbers: np.ndarray, dies: int) -> tuple[int, int]:
    """Blocks that the busiest die has to give, summed over all reads, and at best."""
    taken = best = 0
    for window in windows(blocks):
        taken += int(np.bincount(numbers[window] % dies).max())
        best += -(-len(window) // dies)
    return taken, best


def forecast(blocks: Blocks, at: Orders) -> Data:
    """Both forecasts for a file."""
    missing = [int(lba) for lba in blocks.lbas if int(lba) not in at.written]
    if missing:
        raise FactError(f"{blocks.name}: no write of {len(missing)} blocks was seen, the first at {missing[0]}")
    numbers = np.array([at.written[int(lba)] for lba in blocks.lbas], np.int64)
    pairs, foreign = parted(numbers.tolist())
    known = [at.allocated[int(lba)] for lba in blocks.lbas if int(lba) in at.allocated]
    allocated_pairs, allocated_foreign = parted(known) if len(known) == len(blocks.lbas) else (0, 0)
    taken, best = requests(blocks)
    return {
        "name": blocks.name,
        "blocks": len(blocks.lbas),
        "fragments": 1 + int(np.count_nonzero(np.diff(blocks.lbas) != np.diff(blocks.offsets))),
        "pairs": pairs,
        "foreign": foreign,
        "allocated_pairs": allocated_pairs,
        "allocated_foreign": allocated_foreign,
        "successive": int(np.count_nonzero(np.diff(numbers) == 1)),
        "requests": taken,
        "requests_whole": best,
        "dies": {str(dies): list(busiest(blocks, numbers, dies)) for dies in DIES},
    }


def split_factor(file: Data) -> float:
    """By how much there are more requests."""
    return share(file["requests"], file["requests_whole"])


def die_factor(file: Data, dies: int) -> float:
    """By how much the busiest dies have more to give than at best."""
    taken, best = file["dies"][str(dies)]
    return share(taken, best)


def ranks(values: Sequence[float]) -> np.ndarray:
    """The rank of each value; equal ones share theirs."""
    order = np.asarray(values)
    return np.array([(order < value).sum() + ((order == value).sum() - 1) / 2 for value in order])


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's: do two forecasts put files in the same order?"""
    a, b = ranks(one), ranks(other)
    a, b = a - a.mean(), b - b.mean()
    return share(float((a * b).sum()), float(((a * a).sum() * (b * b).sum()) ** 0.5))
