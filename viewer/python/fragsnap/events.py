# SPDX-License-Identifier: GPL-2.0-only
"""The event files of a recording; src/input/events.h has the format, events.c reads the same."""

from __future__ import annotations

import sys
import zlib
from dataclasses import dataclass

import numpy as np

from .model import FLUSHES, OPS, WHYS
from .texts import SnapError, ZSTD_MAGIC, read_raw, unpack_zstd, visible

MAGIC, VERSION = b"FTevents", 1
HEADER = np.dtype([("magic", "S8"), ("version", "u4"), ("size", "u4")])
BATCH = np.dtype([("n", "u4"), ("crc", "u4"), ("time", "u8"), ("until", "u8"), ("lost", "u4"), ("pad", "u4")])
MAX_BATCH = 1 << 20

PLACED, HOLE, UNWRITTEN, UNKNOWN, NEW, EXACT, STALE, LEFT_OUT, GONE = range(9)

# In the order of the file. What is stored is the difference to the value before, or to its end.
DELTAS = {"seq": False, "offset": True, "lba": True}
COLUMNS = [("time", "u4"), ("dev", "u4"), ("ino", "u4"), ("seq", "u4"), ("offset", "u4"), ("length", "u4"),
           ("lba", "u4"), ("pid", "u4"), ("kind", "u1"), ("op", "u1"), ("flush", "u1"), ("why", "u1"),
           ("encoded", "u1"), ("comm", "S16")]
EVENT = np.dtype([("time_ns", "u8"), *COLUMNS[1:]])
EVENT_BYTES = sum(np.dtype(form).itemsize for _, form in COLUMNS)


@dataclass(frozen=True)
class Events:
    """The events of files in sequence: an array with the members of struct event, and how complete it is.

    until_ns is the moment up to which they are complete, lost_ns the first one after which the kernel has said that
    events were lost, if there is one. is_cut: the last file has no end.
    """

    list: np.ndarray
    until_ns: int = 0
    lost_ns: int = 2 ** 64 - 1
    is_cut: bool = False


NOTHING = Events(np.zeros(0, EVENT))


def batch_crc(header: np.void, columns: bytes) -> int:
    """The checksum of a batch: that of its header, with 0 in place of it, and of the columns."""
    plain = header.copy()
    plain["crc"] = 0
    return zlib.crc32(columns, zlib.crc32(plain.tobytes()))


def parse_batch(header: np.void, columns: bytes) -> np.ndarray:
    """The events of a batch."""
    number = int(header["n"])
    events = np.zeros(number, EVENT)
    at = 0
    for name, form in COLUMNS:
        column = np.frombuffer(columns, form, number, at)
        at += column.nbytes
        if name == "time":
            events["time_ns"] = int(header["time"]) + np.cumsum(column, dtype=np.uint64) * 1000
        else:
            events[name] = column
    for name, from_end in DELTAS.items():
        steps = events[name].copy()
        if from_end:
            steps[1:] += events["length"][:-1]
        events[name] = np.cumsum(steps, dtype=np.uint32)
    return events


def is_sane(events: np.ndarray) -> bool:
    """Can all of these have happened?"""
    ranges = events[events["kind"] <= UNWRITTEN]
    placed = ranges[ranges["kind"] == PLACED]
    return bool(np.all(events["kind"] <= GONE) and np.all(events["op"] < len(OPS)) and
                np.all(events["flush"] < len(FLUSHES)) and np.all(events["why"] < len(WHYS)) and
                np.all(ranges["length"] > 0) and
                np.all(ranges["offset"].astype(np.int64) + ranges["length"] < 2 ** 32) and
                np.all(placed["lba"].astype(np.int64) + placed["length"] < 2 ** 32))


def read_events(path: str, before: Events = NOTHING) -> Events:
    """The events of a file, after those of another one; a tail that is torn or damaged is left out, with a message."""
    data = read_raw(path)
    if data and not data.startswith(ZSTD_MAGIC):
        raise SnapError(f"{path}: not packed by zstd; expected events of a recording")
    data, torn = unpack_zstd(path, data)
    if len(data) < HEADER.itemsize:
        print(visible(f"{path}: cut short before the first event"), file=sys.stderr)
        return Events(before.list, before.until_ns, before.lost_ns, True)
    header = np.frombuffer(data, HEADER, 1)[0]
    if header["magic"] != MAGIC:
        raise SnapError(f"{path}: these are no events of a recording")
    if header["version"] != VERSION:
        raise SnapError(f"{path}: the events have version {header['version']}, this program reads version {VERSION}")
    at = int(header["size"]) if HEADER.itemsize <= header["size"] <= len(data) else len(data)
    lists, until, lost = [before.list], before.until_ns, before.lost_ns
    while len(data) - at >= BATCH.itemsize:
        batch = np.frombuffer(data, BATCH, 1, at)[0]
        columns = data[at + BATCH.itemsize:at + BATCH.itemsize + int(batch["n"]) * EVENT_BYTES]
        if batch["n"] > MAX_BATCH or len(columns) < int(batch["n"]) * EVENT_BYTES or batch_crc(batch, columns) != batch["crc"]:
            break
        events = parse_batch(batch, columns)
        if not is_sane(events):
            break
        lists.append(events)
        if batch["lost"] and until:
            lost = min(lost, until)
        until = int(batch["until"])
        at += BATCH.itemsize + len(columns)
    if at < len(data) or torn:
        print(visible(f"{path}: cut short or damaged after {sum(map(len, lists[1:]))} events: the rest is left out"),
              file=sys.stderr)
    return Events(np.concatenate(lists), until, lost, torn is not None or at < len(data))


def find_gap(events: Events) -> tuple[int, int]:
    """The last moment before the first gap, and how many events are missing there, 0 if that is not known."""
    gap, missing = events.lost_ns, 0
    numbered = events.list[events.list["kind"] <= UNKNOWN]
    first_bad = len(numbered)
    for dev in np.unique(numbered["dev"]):
        mine = np.flatnonzero(numbered["dev"] == dev)
        seq = numbered["seq"][mine]
        bad = np.flatnonzero(seq[1:] - seq[:-1] != 1)
        if len(bad) and mine[bad[0] + 1] < first_bad:
            first_bad = int(mine[bad[0] + 1])
            before = numbered[mine[bad[0]]]
            if before["time_ns"] <= gap:
                gap, missing = int(before["time_ns"]) - 1, int(seq[bad[0] + 1] - seq[bad[0]]) - 1
    return gap, missing
