# SPDX-License-Identifier: GPL-2.0-only
"""What watching costs: counted instructions of the same work with and without it, in neighbouring runs, as bench/ makes them."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from .facts import FactError
from .model import Data

OFF = "off"


def parse_results(text: str) -> Data:
    """Instructions by application, mode and run, from lines `result apps CASE MODE RUN instructions VALUE`."""
    runs: Data = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 7 and words[:2] == ["result", "apps"] and words[5] == "instructions":
            _, _, case, mode, run, _, value = words
            runs.setdefault(case, {}).setdefault(mode, {})[run] = int(value)
    if not runs:
        raise FactError("the benchmark has left no figures")
    return runs


@dataclass(frozen=True)
class Spread:
    """What a mode adds, in percent: median, least and most of the pairs."""

    mid: float
    low: float
    high: float
    pairs: int

    def text(self) -> str:
        """As a reader wants it."""
        return f"{self.mid:+.2f} % ({self.low:+.2f} to {self.high:+.2f}, {self.pairs} pairs)"


def added(runs: Data, case: str, mode: str) -> Spread | None:
    """What a mode adds to the work; the first run, on cold caches, does not count."""
    with_it, without = (runs.get(case, {}).get(name, {}) for name in (mode, OFF))
    found = [100 * (with_it[run] / without[run] - 1) for run in with_it if run != "0" and run in without]
    return Spread(median(found), min(found), max(found), len(found)) if found else None
