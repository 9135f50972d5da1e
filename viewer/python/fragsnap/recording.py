# SPDX-License-Identifier: GPL-2.0-only
"""A folder that fragtrace record wrote; src/input/recording.c reads the same."""

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_right
from dataclasses import dataclass
from typing import Optional

import numpy as np

from .events import Events, find_gap, read_events
from .model import Table
from .moment import END, Moment, moment_text
from .replay import replay
from .snapshot import SNAP_MAGIC, Snapshot, parse_snapshot, table_of_snapshot
from .table import parse_table
from .texts import SnapError, read_bytes, visible

NAME = re.compile(r"(fragtrace-(\d{1,11})\.(\d{3}))\.(?:snapshot|table)(?:\.gz|\.zst)?", re.ASCII)
FOREVER = 2 ** 64 - 1


@dataclass(frozen=True)
class Recorded:
    """A snapshot of a recording, and the events after it."""

    time_ms: int
    snapshot: str
    events: Optional[str]


@dataclass(frozen=True)
class Span:
    """For which moments a table can be rebuilt from a snapshot and the events after it; see recording.h."""

    first_ns: int
    last_ns: int
    next_ns: int
    lost: int
    has_gap: bool


class Recording:
    """The snapshots in a folder, by time."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        try:
            names = os.listdir(folder)
        except OSError as error:
            raise SnapError(f"{folder}: cannot open: {error.strerror}") from error
        found = []
        for name in names:
            parts = NAME.fullmatch(name)
            if parts:
                events = os.path.join(folder, parts[1] + ".events.zst")
                found.append(Recorded(int(parts[2]) * 1000 + int(parts[3]), os.path.join(folder, name),
                                      events if os.path.exists(events) else None))
        if not found:
            raise SnapError(f"{folder}: no fragtrace-SECONDS.mmm.snapshot.zst in it; expected a folder that "
                            "fragtrace record wrote")
        self.list = sorted(found, key=lambda one: one.time_ms)

    def load_events(self, i: int) -> tuple[np.ndarray, Span]:
        """The events after a snapshot, and those that happened while the next one was copied."""
        path = self.list[i].events
        assert path is not None
        after = self.list[i + 1] if i + 1 < len(self.list) else None
        events: Events = read_events(path)
        gap, lost = find_gap(events)
        until = events.until_ns
        if gap == FOREVER and not events.is_cut and after is not None and after.events is not None:
            events = read_events(after.events, events)
            gap, lost = find_gap(events)
            gap = max(gap, until)
        first = self.list[i].time_ms * 10 ** 6
        following = after.time_ms * 10 ** 6 if after is not None else FOREVER
        last = min(gap, events.until_ns)
        has_gap = last < following and (gap != FOREVER or after is not None)
        last = min(last, following - 1)
        if last < first:
            # some of the events before the end of the copy are missing: the copy alone is right
            return events.list[:0], Span(first, first, following, lost, has_gap)
        return events.list, Span(first, last, following, lost, has_gap)

    def span(self, i: int) -> Span:
        """The moments that can be rebuilt from a snapshot."""
        if self.list[i].events is not None:
            return self.load_events(i)[1]
        first = self.list[i].time_ms * 10 ** 6
        if i + 1 == len(self.list):
            return Span(first, first, FOREVER, 0, False)
        following = self.list[i + 1].time_ms * 10 ** 6
        return Span(first, following - 1, following, 0, False)

    def absolute(self, moment: Moment) -> int:
        """Nanoseconds since 1970."""
        if moment.ns is None:
            return FOREVER
        return moment.ns + (self.list[0].time_ms * 10 ** 6 if moment.is_relative else 0)

    def refuse_gap(self, span: Span, at_ns: int) -> SnapError:
        """The error for a moment that cannot be rebuilt."""
        lost = f"{span.lost} events were lost" if span.lost else "what happened then was not recorded"
        text = f"{self.folder}: nothing is exact at {moment_text(at_ns)}: {lost}; the "
        if span.next_ns == FOREVER:
            return SnapError(f"{text}last exact moment is {moment_text(span.last_ns)}")
        return SnapError(f"{text}nearest exact moments are {moment_text(span.last_ns)} and {moment_text(span.next_ns)}")

    def rebuild(self, i: int, at_ns: int) -> Snapshot:
        """The snapshot of a moment after a snapshot that has events."""
        events, span = self.load_events(i)
        if at_ns > span.last_ns:
            if span.has_gap and at_ns != FOREVER:
                raise self.refuse_gap(span, at_ns)
            if span.has_gap:
                print(visible(f"{self.folder}: events were lost after {moment_text(span.last_ns)}; taking that moment"),
                      file=sys.stderr)
            elif at_ns != FOREVER:
                print(visible(f"{self.folder}: the recording ends at {moment_text(span.last_ns)}; taking that moment"),
                      file=sys.stderr)
            at_ns = span.last_ns
        after = None
        if i + 1 < len(self.list):
            data = read_bytes(self.list[i + 1].snapshot)
            if data.startswith(SNAP_MAGIC):
                after = parse_snapshot(self.list[i + 1].snapshot, data)
        path = self.list[i].snapshot
        return replay(parse_snapshot(path, read_bytes(path)), events, at_ns, after)

    def table_at(self, moment: Moment = END) -> Table:
        """The table of a moment; SnapError if it is before the beginning, or where events were lost."""
        at_ns = self.absolute(moment)
        i = bisect_right([one.time_ms * 10 ** 6 for one in self.list], at_ns) - 1
        if i < 0:
            raise SnapError(f"{self.folder}: the recording begins at {moment_text(self.list[0].time_ms * 10 ** 6)}; "
                            f"expected no moment before that, such as {moment_text(at_ns)}")
        if self.list[i].events is not None:
            return table_of_snapshot(self.rebuild(i, at_ns))
        data = read_bytes(self.list[i].snapshot)
        if data.startswith(SNAP_MAGIC):
            return table_of_snapshot(parse_snapshot(self.list[i].snapshot, data))
        return parse_table(self.list[i].snapshot, data)
