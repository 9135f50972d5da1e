# SPDX-License-Identifier: GPL-2.0-only
"""A snapshot and the events after it give the snapshot of a later moment; the rules are those of src/input/replay.c."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Optional

import numpy as np

from .events import EXACT, GONE, HOLE, LEFT_OUT, NEW, PLACED, STALE, UNKNOWN, UNWRITTEN
from .model import WHYS
from .snapshot import (SNAP_EXTENTS, SNAP_FILE, SNAP_FRAGMENTED, SNAP_NO_PATH, SNAP_OMITTED, SNAP_STALE, SNAP_WRITER,
                       Snapshot, table_of_snapshot)

NO_LBA = 2 ** 32 - 1
REQUEST_BLOCKS = 32
NONE, UNKNOWN_WHY, MOVED = WHYS.index("none"), WHYS.index("unknown"), WHYS.index("moved")


@dataclass
class MapExtent:
    """An extent; lba is NO_LBA if it is not written."""

    lblk: int
    len: int
    lba: int
    flags: int
    cause: int = 0

    @property
    def end(self) -> int:
        """The block after it."""
        return self.lblk + self.len

    def rest(self, lblk: int) -> MapExtent:
        """The part from a block on."""
        lba = self.lba if self.lba == NO_LBA else self.lba + lblk - self.lblk
        return MapExtent(lblk, self.end - lblk, lba, self.flags, self.cause)

    def continues(self, before: MapExtent) -> bool:
        """Is it one extent with the one before?"""
        if before.end != self.lblk or before.flags != self.flags or (before.lba == NO_LBA) != (self.lba == NO_LBA):
            return False
        return self.lba == NO_LBA or before.lba + before.len == self.lba


def with_why(word: int, why: int) -> int:
    """A cause with another reason."""
    return word & ~(7 << 6) | why << 6


@dataclass
class Changing:
    """A file that is being changed: its extents by file block, none of which continues the one before."""

    path: Optional[str] = None
    extents: list[MapExtent] = field(default_factory=list)
    is_stale: bool = False
    is_unknown: bool = False
    is_omitted: bool = False
    is_gone: bool = False

    def first_after(self, lblk: int) -> int:
        """The index of the first extent that ends after a block."""
        return bisect_right(self.extents, lblk, key=lambda extent: extent.end)

    def merge(self, i: int) -> None:
        """Merge an extent with the one before, if it continues that."""
        if 0 < i < len(self.extents) and self.extents[i].continues(self.extents[i - 1]):
            self.extents[i - 1].len += self.extents.pop(i).len

    def cut(self, lblk: int, end: int) -> int:
        """Make a range a hole; returns where an extent in it belongs."""
        i = self.first_after(lblk)
        last = i
        kept = []
        while last < len(self.extents) and self.extents[last].lblk < end:
            extent = self.extents[last]
            if extent.lblk < lblk:
                kept.append(MapExtent(extent.lblk, lblk - extent.lblk, extent.lba, extent.flags, extent.cause))
            if extent.end > end:
                kept.append(extent.rest(end))
            last += 1
        self.extents[i:last] = kept
        return i + sum(extent.lblk < lblk for extent in kept)

    def lba_of(self, lblk: int) -> int:
        """Where a block is."""
        i = self.first_after(lblk)
        return self.extents[i].rest(lblk).lba if i < len(self.extents) and self.extents[i].lblk <= lblk else NO_LBA

    def is_there(self, new: MapExtent) -> bool:
        """Is the range where the event puts it?"""
        i = self.first_after(new.lblk)
        if i == len(self.extents) or self.extents[i].lblk > new.lblk or self.extents[i].end < new.end:
            return False
        return self.extents[i].flags == new.flags and self.extents[i].rest(new.lblk).lba == new.lba

    def store(self, new: MapExtent) -> None:
        """A range has a new LBA; its cause is that of the event."""
        word, old_last = new.cause, self.lba_of(new.end - 1)
        i = self.cut(new.lblk, new.end)
        before = next((extent for extent in reversed(self.extents[:i]) if extent.lba != NO_LBA), None)
        after = next((extent for extent in self.extents[i:] if extent.lba != NO_LBA), None)
        if before is None:
            new.cause = with_why(word, NONE)
        elif before.lba + before.len == new.lba:
            new.cause = before.cause
        if after is not None and after.lba != new.lba + new.len:
            moved = old_last != NO_LBA or after.cause >> 6 & 7 == MOVED
            after.cause = with_why(word, MOVED if moved else UNKNOWN_WHY)
        self.extents.insert(i, new)
        self.merge(i + 1)
        self.merge(i)

    def erase(self, lblk: int, end: int, word: int) -> None:
        """A range has no blocks any more."""
        i = self.first_after(lblk)
        if i == len(self.extents) or self.extents[i].lblk >= end:
            return
        i = self.cut(lblk, end)
        before = next((extent for extent in reversed(self.extents[:i]) if extent.lba != NO_LBA), None)
        after = next((extent for extent in self.extents[i:] if extent.lba != NO_LBA), None)
        if before is not None and after is not None and after.lba != before.lba + before.len:
            after.cause = with_why(word, MOVED)

    def reserve(self, lblk: int, end: int) -> None:
        """Holes become unwritten."""
        while lblk < end:
            i = self.first_after(lblk)
            here = self.extents[i] if i < len(self.extents) else None
            stop = here.lblk if here is not None and here.lblk < end else end
            if stop > lblk:
                self.extents.insert(i, MapExtent(lblk, stop - lblk, NO_LBA, 0))
                self.merge(i + 1)
                self.merge(i)
                lblk = stop
            elif here is not None:
                lblk = here.end

    def begin_anew(self, is_after_copy: bool) -> None:
        """Another file has the inode number."""
        if self.is_gone or is_after_copy:
            self.extents = []
        if is_after_copy:
            self.path = None
        self.is_gone = self.is_stale = self.is_unknown = self.is_omitted = False


Files = dict[tuple[int, int], Changing]


class State:
    """The files of a snapshot while events are applied to them."""

    def __init__(self, snap: Snapshot) -> None:
        table_of_snapshot(snap)
        self.snap = snap
        self.copied_ns = round(snap.time * 1000) * 10 ** 6
        self.volumes = {int(v["major"]) << 20 | int(v["minor"]): i for i, v in enumerate(snap.volumes)}
        self.writers = snap.writers.copy() if len(snap.writers) else np.zeros(2, SNAP_WRITER)
        self.files: Files = {}
        for record in snap.files:
            one = Changing(snap.path(int(record["path"])), is_stale=bool(record["flags"] & SNAP_STALE),
                           is_omitted=bool(record["flags"] & SNAP_OMITTED))
            first = int(record["first"])
            for x in snap.extents[first:first + int(record["nr"])]:
                one.extents.append(MapExtent(int(x["lblk"]), int(x["len"]), int(x["lba"]), int(x["flags"]) & 1,
                                        int(x["cause"]) if "cause" in x.dtype.names else 0))
                one.merge(len(one.extents) - 1)
            self.files[int(record["volume"]), int(record["ino"])] = one

    def writer_of(self, event: np.void, volume: int) -> int:
        """The index of the process: the latest of its periods, or a new one."""
        if not event["pid"]:
            return 1 if event["comm"] == b"several" else 0
        same = np.flatnonzero((self.writers["pid"] == event["pid"]) & (self.writers["volume"] == volume) &
                              (self.writers["comm"] == event["comm"]))
        same = same[same > 1]
        if len(same):
            return int(same[-1])
        new = np.zeros(1, SNAP_WRITER)
        new["cgroup"], new["pid"], new["volume"], new["comm"] = SNAP_NO_PATH, event["pid"], volume, event["comm"]
        new["first"] = new["last"] = event["time_ns"] // 10 ** 9
        new["same_as"] = len(self.writers)
        self.writers = np.concatenate([self.writers, new])
        return len(self.writers) - 1

    def apply(self, event: np.void) -> None:
        """Apply one event; those of volumes that the snapshot does not have are left out."""
        volume = self.volumes.get(int(event["dev"]))
        if volume is None:
            return
        one = self.files.setdefault((volume, int(event["ino"])), Changing())
        kind, lblk = int(event["kind"]), int(event["offset"])
        end = lblk + int(event["length"])
        if kind == PLACED:
            new = MapExtent(lblk, end - lblk, int(event["lba"]), int(event["encoded"]))
            if not one.is_there(new):
                new.cause = self.cause_of(event, volume)
                one.store(new)
        elif kind == HOLE:
            one.erase(lblk, end, self.cause_of(event, volume))
        elif kind == UNWRITTEN:
            one.reserve(lblk, end)
        elif kind == UNKNOWN:
            one.is_unknown = True
        elif kind == NEW:
            one.begin_anew(int(event["time_ns"]) > self.copied_ns)
        elif kind in (EXACT, STALE):
            one.is_stale = kind == STALE
        elif kind in (LEFT_OUT, GONE):
            one.extents = []
            one.is_gone = kind == GONE
            one.is_omitted = kind == LEFT_OUT

    def cause_of(self, event: np.void, volume: int) -> int:
        """The cause that an event has."""
        return int(event["op"]) | int(event["flush"]) << 4 | int(event["why"]) << 6 | \
            self.writer_of(event, volume) << 9

    def name_files(self, later: np.ndarray, after: Snapshot) -> None:
        """Take the names of files that came after the snapshot from the next one."""
        ended = {(self.volumes.get(int(event["dev"])), int(event["ino"])) for event in later
                 if event["kind"] in (GONE, NEW)}
        volumes = [self.volumes.get(int(v["major"]) << 20 | int(v["minor"])) for v in after.volumes]
        for record in after.files:
            key = (volumes[record["volume"]], int(record["ino"]))
            one = self.files.get(key) if key[0] is not None else None  # type: ignore[arg-type]
            if one is not None and one.path is None and key not in ended:
                one.path = after.path(int(record["path"]))


def figures(extents: list[MapExtent]) -> dict[str, int]:
    """As compute_figures() of the module."""
    sums = dict.fromkeys(("blocks", "written", "fragments", "distance", "requests", "ideal"), 0)
    before: Optional[MapExtent] = None
    for extent in extents:
        if extent.lba == NO_LBA:
            continue
        window, last = extent.lblk // REQUEST_BLOCKS, (extent.end - 1) // REQUEST_BLOCKS
        shared = before is not None and (before.end - 1) // REQUEST_BLOCKS == window
        gap = 0 if before is None else extent.lba - before.lba - before.len
        is_new = before is None or gap != 0
        sums["distance"] += abs(gap)
        sums["blocks"] += extent.len
        sums["written"] += 1
        sums["fragments"] += is_new
        sums["ideal"] += last - window + 1 - shared
        sums["requests"] += last - window + 1 - (shared and not is_new)
        before = extent
    return sums


def compose(state: State, at_ns: int) -> Snapshot:
    """The snapshot of the state."""
    snap = state.snap
    paths = bytearray(snap.paths.tobytes())
    shown = sorted((key, one) for key, one in state.files.items()
                   if not one.is_gone and (one.path is not None or one.extents))
    files = np.zeros(len(shown), SNAP_FILE)
    extents: list[tuple[int, int, int, int, int, int]] = []
    written: list[tuple[int, int, int, int, int]] = []
    for i, ((volume, ino), one) in enumerate(shown):
        record = files[i]
        sums = figures(one.extents)
        for key, value in sums.items():
            record[key] = value
        record["path"], record["first"], record["nr"] = len(paths), len(extents), len(one.extents)
        paths += (one.path if one.path is not None else f"(inode {ino})").encode("utf-8", "surrogateescape") + b"\0"
        record["volume"], record["ino"] = volume, ino
        record["flags"] = (SNAP_STALE * (one.is_stale or one.is_unknown) | SNAP_OMITTED * one.is_omitted |
                           SNAP_FRAGMENTED * (sums["fragments"] > 1))
        for extent in one.extents:
            if extent.lba != NO_LBA:
                written.append((volume, extent.lba, len(extents), extent.len, i))
            extents.append((i, extent.lblk, extent.len, extent.lba, extent.flags, extent.cause))
    by_lba: list[tuple[int, int, int, int, int]] = []
    for entry in sorted(written):
        last = by_lba[-1] if by_lba else None
        if last is not None and last[0] == entry[0] and entry[1] < last[1] + last[3]:
            # a block that two files have has gone to another file
            loses = bool(files["flags"][entry[4]] & SNAP_STALE)
            files["flags"][entry[4] if loses else last[4]] |= SNAP_STALE
            if not loses:
                by_lba[-1] = entry
            continue
        by_lba.append(entry)
    return Snapshot(snap.name, at_ns // 10 ** 6 / 1000, snap.volumes, files, np.array(extents, SNAP_EXTENTS[2]),
                    np.array([entry[2] for entry in by_lba], "u4"), np.frombuffer(bytes(paths), "u1"), state.writers)


def replay(snap: Snapshot, events: np.ndarray, at_ns: int, after: Optional[Snapshot]) -> Snapshot:
    """Change a snapshot into that of a later moment; `after` is the one that follows, for names."""
    state = State(snap)
    late = events["time_ns"] > np.uint64(at_ns)
    first_late = int(np.argmax(late)) if late.any() else len(events)
    for event in events[:first_late]:
        state.apply(event)
    if after is not None:
        state.name_files(events[first_late:], after)
    return compose(state, at_ns)
