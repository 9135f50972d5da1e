# SPDX-License-Identifier: GPL-2.0-only
"""What a span of a run is summed up to: rates, and where the time of fsyncs went."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ..judge import share
from ..model import Data

PHASES = ("data", "node", "checkpoint", "flush", "other")


@dataclass(frozen=True)
class Span:
    """The difference of two moments of a run. Times in nanoseconds; those of threads add up."""

    seconds: float
    rounds: int
    ops: int
    creates: int
    fsyncs: int
    fsync_ns: int
    # Of the file fsync, by row; empty if the run was not watched.
    counts: dict[str, int]
    sums: dict[str, int]

    @property
    def rate(self) -> float:
        """Operations a second."""
        return share(self.ops, self.seconds)

    @property
    def fsync_us(self) -> float:
        """The mean of an fsync, as the program sees it."""
        return share(self.fsync_ns, self.fsyncs) / 1000

    def phase(self, name: str) -> float:
        """The share of a phase in the time of all fsyncs."""
        return share(self.sums.get(name, 0), self.sums.get("fsync", 0))

    def mean_us(self, row: str) -> float:
        """The mean of a row."""
        return share(self.sums.get(row, 0), self.counts.get(row, 0)) / 1000

    def per_round_us(self, row: str) -> float:
        """What a row adds to a round of a thread."""
        return share(self.sums.get(row, 0), self.rounds) / 1000

    def round_us(self, threads: int) -> float:
        """How long a round of a thread takes."""
        return share(self.seconds * 1e6 * threads, self.rounds)


def between(case: Data, first: int, last: int) -> Span:
    """The span from one line of a case to another one."""
    one, other = case["lines"][first], case["lines"][last]
    counts: dict[str, int] = {}
    sums: dict[str, int] = {}
    if case["rows"]:
        before, after = case["rows"][first], case["rows"][last]
        for name, row in after.items():
            counts[name] = row["count"] - before.get(name, {"count": 0})["count"]
            sums[name] = row["sum"] - before.get(name, {"sum": 0})["sum"]
    return Span(
        seconds=(other["ms"] - one["ms"]) / 1000,
        counts=counts,
        sums=sums,
        **{name: other[name] - one[name] for name in ("rounds", "ops", "creates", "fsyncs", "fsync_ns")},
    )


def fifths(case: Data) -> tuple[Span, Span]:
    """The first fifth of a run, and the last one."""
    last = len(case["lines"]) - 1
    size = max(1, last // 5)
    return between(case, 0, size), between(case, last - size, last)


def spans(case: Data) -> list[Span]:
    """The spans between two lines each."""
    return [between(case, one, other) for one, other in pairwise(range(len(case["lines"])))]
