# SPDX-License-Identifier: GPL-2.0-only
"""Progress of long work, on standard error."""

from __future__ import annotations

import sys
import time
from typing import Iterable, Iterator, TypeVar

Item = TypeVar("Item")

# Work of less than this many seconds prints nothing.
PATIENCE = 2.0


def counted(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """Yield the same items; print from time to time how many there were: in one line on a terminal."""
    began = said = time.monotonic()
    terminal = sys.stderr.isatty()
    spoke = False
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - began > PATIENCE and (now - said > (0.2 if terminal else 5) or (spoke and done == total)):
            said, spoke = now, True
            print(f"fragtrace-plot: {what} {done} of {total}", end="\r" if terminal and done < total else "\n",
                  file=sys.stderr, flush=True)
