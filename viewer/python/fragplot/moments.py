# SPDX-License-Identifier: GPL-2.0-only
"""The tables and their times: single files, or a folder with a series."""

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from typing import Optional

import fragsnap
from fragsnap import Recording, SnapError, Table, read_table
from fragsnap.moment import NS

# Names as written by fragtrace record. Each file is valid from its time to that of the next one.
NAME = re.compile(r"fragtrace-(\d{1,11}\.\d{3})\.(?:snapshot|table)(?:\.gz|\.zst)?", re.ASCII)


@dataclass(frozen=True)
class Moment:
    """A recorded table, and its time in seconds since 1970; or a moment between two snapshots of a recording.

    With before_gap, nothing is known from then to the next moment.
    """

    path: str
    time: float
    rebuilt: Optional[fragsnap.Moment] = None
    before_gap: bool = False

    def read(self) -> Table:
        """The table itself; a time in it must be the same as that of the file name."""
        if self.rebuilt:
            return Recording(os.path.dirname(self.path)).table_at(self.rebuilt)
        table = read_table(self.path)
        if NAME.fullmatch(os.path.basename(self.path)) and table.time not in (None, self.time):
            raise SnapError(f"{self.path}: the time is {table.time:.3f}; expected {self.time:.3f} as in "
                            "the file's name; was the file renamed?")
        return table


def moment_of(path: str) -> tuple[Moment, Table]:
    """A single table, with the time in it or in its name, or else that of the file."""
    found = NAME.fullmatch(os.path.basename(path))
    table = Moment(path, float(found[1]) if found else 0.0).read()
    if table.time is not None:
        return Moment(path, table.time), table
    if found:
        return Moment(path, float(found[1])), table
    # The times of debugfs files and pipes have no meaning.
    seen = datetime.now().timestamp()
    if path != "-" and os.path.isfile(path) and os.path.getsize(path):
        seen = os.path.getmtime(path)
    return Moment(path, seen), table


def series_in(folder: str) -> list[Moment]:
    """The tables in a folder, in the order of their times."""
    return [Moment(one.snapshot, one.time_ms / 1000) for one in Recording(folder).list]


def series_of(paths: list[str]) -> list[Moment]:
    """The moments of a folder, of a single table, or of several tables."""
    if len(paths) == 1 and os.path.isdir(paths[0]):
        return series_in(paths[0])
    if len(paths) == 1 and not os.path.exists(paths[0]):
        raise SnapError(f"{paths[0]}: No such file or directory; expected a table or a folder that "
                        "fragtrace record wrote")
    for path in paths:
        if os.path.isdir(path):
            raise SnapError(f"{path}: is a folder; expected either one folder or tables")
    found = sorted((moment_of(path)[0] for path in paths), key=lambda moment: moment.time)
    return found


def at(moments: list[Moment], seconds: float) -> Moment:
    """The moment so long after the beginning of a series; warns if the series ends before that."""
    end = moments[-1].time - moments[0].time
    if seconds > end:
        print(f"fragtrace-plot: the last change recorded is {span(end)} after the beginning; taking it for "
              f"{span(seconds)}", file=sys.stderr)
    times = [moment.time for moment in moments]
    return moments[bisect_right(times, moments[0].time + seconds + 0.0005) - 1]


def events_of(moment: Moment) -> str:
    """The path that the events after a snapshot have."""
    folder, name = os.path.split(moment.path)
    return os.path.join(folder, NAME.sub(r"fragtrace-\1.events.zst", name))


def last_of(series: list[Moment]) -> Moment:
    """The last moment of a series; it is rebuilt from events where the recording has them."""
    if not os.path.exists(events_of(series[-1])):
        return series[-1]
    recording = Recording(os.path.dirname(series[-1].path))
    end_ns = recording.span(len(recording.list) - 1).last_ns
    return Moment(series[-1].path, end_ns / NS, fragsnap.Moment(end_ns, False))


def series_with_events(paths: list[str], number: int) -> list[Moment]:
    """As series_of(); of a recording with events, also so many moments at equal distances, and the last ones before gaps."""
    series = series_of(paths)
    if not os.path.isdir(paths[0]) or not any(os.path.exists(events_of(moment)) for moment in series):
        return series
    recording = Recording(paths[0])
    spans = [recording.span(i) for i in range(len(recording.list))]
    begins = [one.first_ns for one in spans]
    length = spans[-1].last_ns - begins[0]
    result = {moment.time: moment for moment in series}
    for step in range(1, number):
        time_ns = begins[0] + length * step // (number - 1)
        i = bisect_right(begins, time_ns) - 1
        if recording.list[i].events and begins[i] < time_ns <= spans[i].last_ns:
            result[time_ns / NS] = Moment(recording.list[i].snapshot, time_ns / NS, fragsnap.Moment(time_ns, False))
    for one, recorded in zip(spans[:-1], recording.list):
        if one.has_gap:
            result[one.last_ns / NS] = Moment(recorded.snapshot, one.last_ns / NS, fragsnap.Moment(one.last_ns, False), True)
    return [result[time] for time in sorted(result)]


def pick(series: list[Moment], moment: fragsnap.Moment) -> Moment:
    """The moment of a series; it is rebuilt from events where the recording has them."""
    start = series[0].time
    if moment.ns is None:
        return last_of(series)
    seconds = moment.ns / 10 ** 9 - (0 if moment.is_relative else start)
    if seconds < 0:
        raise SnapError(f"the recording begins at {clock(start)}; expected no moment before that, such as "
                        f"{clock(start + seconds)}")
    last = series[bisect_right([one.time for one in series], start + seconds + 0.0005) - 1]
    if start + seconds > last.time + 0.0005 and os.path.exists(events_of(last)):
        return Moment(last.path, start + seconds, moment)
    return at(series, seconds)


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
