# SPDX-License-Identifier: GPL-2.0-only
"""The tables and their times: single files, or a folder with a series."""

from __future__ import annotations

import os
from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from typing import Iterator, Optional

import fragsnap
from fragsnap import NS, SnapError, Table


@dataclass(frozen=True)
class Moment:
    """A table, and its time in seconds since 1970. Between snapshots of a recording, path is the folder, and at what --at takes.

    With before_gap, nothing is known from then to the next moment.
    """

    path: str
    time: float
    at: Optional[str] = None
    before_gap: bool = False


def read_series(moments: list[Moment], colors: Optional[list[str]] = None, with_heat: bool = False) -> Iterator[Table]:
    """The table of each moment, with the kinds of files that these color.cnf files define; its time must be this one."""
    tables = fragsnap.read_tables([(moment.path, moment.at) for moment in moments], colors, with_heat)
    for table, moment in zip(tables, moments):
        if table.has_time and moment.at is None and abs(table.time - moment.time) > 0.0005:
            raise SnapError(f"{moment.path}: the time is {table.time:.3f}, and {moment.time:.3f} in the file's name; was the file renamed?")
        yield table


def moment_of(path: str, at: Optional[str] = None, colors: Optional[list[str]] = None,
              with_heat: bool = False) -> tuple[Moment, Table]:
    """A table; that of a recording at a moment, its end by default."""
    table = fragsnap.read_table(path, at, colors, with_heat)
    return Moment(path, table.time, at), table


def series_in(folder: str, number: int = 0) -> list[Moment]:
    """The snapshots of a recording; where it has events, also so many moments at equal distances, and those before gaps."""
    spans = fragsnap.read_moments(folder)
    begins = [one.first_ns for one in spans]
    result = {one.first_ns: Moment(one.snapshot, one.first_ns / NS) for one in spans}
    for step in range(1, number if any(one.events for one in spans) else 0):
        ns = begins[0] + (spans[-1].last_ns - begins[0]) * step // (number - 1)
        one = spans[bisect_right(begins, ns) - 1]
        if one.events and ns <= one.last_ns:
            result.setdefault(ns, Moment(folder, ns / NS, fragsnap.at_text(ns)))
    for one in spans[:-1]:
        if one.gap and number:
            result[one.last_ns] = Moment(folder, one.last_ns / NS, fragsnap.at_text(one.last_ns), True)
    return [result[ns] for ns in sorted(result)]


def series_of(paths: list[str], number: int = 0) -> list[Moment]:
    """The moments of a folder, see series_in(), of a single table, or of several tables."""
    if len(paths) == 1 and os.path.isdir(paths[0]):
        return series_in(paths[0], number)
    for path in paths:
        if os.path.isdir(path):
            raise SnapError(f"{path}: is a folder; give either one folder or tables")
        if path == "-":
            raise SnapError("-: standard input is read once, and a series takes each table twice; give files")
    return sorted((moment_of(path)[0] for path in paths), key=lambda moment: moment.time)


def at(moments: list[Moment], seconds: float) -> Moment:
    """The moment of a series that was valid so long after its beginning."""
    times = [moment.time for moment in moments]
    return moments[bisect_right(times, moments[0].time + seconds + 0.0005) - 1]


def span(seconds: float) -> str:
    """A time span in readable form."""
    whole = int(seconds + 0.5)
    if seconds < 10 and abs(seconds - whole) > 0.05:
        return f"{seconds:.1f} s"
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    parts = [(hours, "h"), (minutes, "min"), (rest, "s")]
    return " ".join(f"{value} {unit}" for value, unit in parts if value) or "0 s"


def clock(seconds: float) -> str:
    """Date and time, in the local time zone."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")
