# SPDX-License-Identifier: GPL-2.0-only
"""The binary file `snapshot` of debugfs."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from .model import OPS, WHYS, Table, Volume, Writer
from .table import MOST, Faults, logical_order, parse_table
from .texts import SnapError, read_bytes

# As in module/format/snapshot.h.
SNAP_MAGIC = b"FTsnap\r\n"
SNAP_VERSION = 2
SNAP_STALE, SNAP_FRAGMENTED, SNAP_OMITTED = 1, 2, 4
# Of a volume.
SNAP_STOPPED = 1
SNAP_NO_PATH = 2 ** 64 - 1
SNAP_ARRAY = np.dtype([("offset", "u8"), ("nr", "u8"), ("size", "u4"), ("pad", "u4")])
# Version 1 has no writers and no causes.
SNAP_ARRAYS = {1: ("volumes", "files", "extents", "by_lba", "paths"),
               2: ("volumes", "files", "extents", "by_lba", "paths", "writers")}
SNAP_HEADERS = {version: np.dtype([
    ("magic", "S8"), ("version", "u4"), ("size", "u4"), ("bytes", "u8"), ("time", "u8"),
    *((what, SNAP_ARRAY) for what in arrays)]) for version, arrays in SNAP_ARRAYS.items()}
SNAP_VOLUME = np.dtype([("path", "u8"), *((what, "u4") for what in (
    "major", "minor", "main_blkaddr", "blocks", "segment_blocks", "flags")), ("left_out", "u8")])
# The first ones ended before left_out.
SNAP_VOLUME_LEAST = SNAP_VOLUME.fields["left_out"][1] if SNAP_VOLUME.fields else 0
SNAP_FILE = np.dtype([*((what, "u8") for what in (
    "path", "first", "nr", "blocks", "written", "fragments", "distance", "requests", "ideal")),
    *((what, "u4") for what in ("volume", "ino", "flags", "pad"))])
SNAP_EXTENTS = {1: np.dtype([(what, "u4") for what in ("file", "lblk", "len", "lba", "flags")]),
                2: np.dtype([(what, "u4") for what in ("file", "lblk", "len", "lba", "flags", "cause")])}
SNAP_WRITER = np.dtype([*((what, "u8") for what in ("cgroup", "first", "last")), ("pid", "u4"), ("volume", "u4"),
                        ("comm", "S16"), ("same_as", "u4"), ("pad", "u4")])


@dataclass(frozen=True)
class Snapshot:
    """The arrays of a binary snapshot as they are stored; the fields are those of module/format/snapshot.h.

    In version 1 there are no writers, and extents have no cause.
    """

    name: str
    time: float
    volumes: np.ndarray
    files: np.ndarray
    extents: np.ndarray
    by_lba: np.ndarray
    paths: np.ndarray
    writers: np.ndarray

    def path(self, at: int) -> str:
        """The path that begins at an offset."""
        end = int(np.argmax(self.paths[at:] == 0)) + at
        return os.fsdecode(self.paths[at:end].tobytes())

    def no_path(self, at: np.ndarray) -> np.ndarray:
        """Which of these offsets are not the beginning of a path."""
        ends = np.flatnonzero(self.paths == 0)
        return at > (ends[-1] if len(ends) else -1)


def parse_header(name: str, data: bytes, version: int) -> np.void:
    """The header of a snapshot in its version."""
    form = SNAP_HEADERS[version]
    if len(data) < form.itemsize:
        raise SnapError(f"{name}: the snapshot is cut short; expected a header of {form.itemsize} bytes")
    return np.frombuffer(data, form, 1)[0]


def parse_snapshot(name: str, data: bytes) -> Snapshot:
    """The arrays of a binary snapshot; their content is not checked yet."""
    version = int(parse_header(name, data, 1)["version"])
    if version not in SNAP_HEADERS:
        raise SnapError(f"{name}: the snapshot has version {version}, this program reads versions 1 to "
                        f"{SNAP_VERSION}")
    header = parse_header(name, data, version)
    if header["bytes"] != len(data):
        raise SnapError(f"{name}: the snapshot is cut short; expected {header['bytes']} bytes, got {len(data)}")
    arrays = []
    forms = (SNAP_VOLUME, SNAP_FILE, SNAP_EXTENTS[version], np.dtype("u4"), np.dtype("u1"), SNAP_WRITER)
    for what, form in zip(SNAP_ARRAYS[version], forms):
        offset, number, size = (int(header[what][key]) for key in ("offset", "nr", "size"))
        called = "extents by LBA" if what == "by_lba" else what
        least = SNAP_VOLUME_LEAST if what == "volumes" else form.itemsize
        if size < least:
            raise SnapError(f"{name}: records of {called} have {size} bytes; expected {least} or more")
        if offset > len(data) or number > (len(data) - offset) // size:
            raise SnapError(f"{name}: the {called} lie outside the file")
        if size < form.itemsize:
            # members that these records do not have are 0
            padded = np.zeros((number, form.itemsize), "u1")
            padded[:, :size] = np.frombuffer(data, "u1", number * size, offset).reshape(number, size)
            arrays.append(padded.view(form).reshape(number))
        else:
            arrays.append(np.ndarray(number, form, data, offset, (size,)) if number else np.zeros(0, form))
    if header["paths"]["size"] != 1:
        raise SnapError(f"{name}: a path has characters of {header['paths']['size']} bytes; expected 1")
    if len(arrays[1]) >= MOST or len(arrays[3]) > len(arrays[2]):
        raise SnapError(f"{name}: too many files, or more extents by LBA than extents")
    if version == 1:
        arrays.append(np.zeros(0, SNAP_WRITER))
    return Snapshot(name, int(header["time"]) // 10 ** 6 / 1000, *arrays)


def snapshot_volumes(snap: Snapshot) -> list[Volume]:
    """The volumes of a snapshot."""
    found = snap.volumes
    faults = Faults(len(found))
    faults.check((found["main_blkaddr"] >= found["blocks"]) | (found["segment_blocks"] == 0),
                 lambda i: "volume {}:{} has blocks {} to {}, in segments of {}".format(*(
                     found[i][key] for key in ("major", "minor", "main_blkaddr", "blocks", "segment_blocks"))))
    faults.check(snap.no_path(found["path"]), lambda i: "a path lies outside the file")
    wrong = faults.found()
    if wrong is not None:
        raise SnapError(f"{snap.name}: {wrong}")
    return [Volume(f"{v['major']}:{v['minor']}", int(v["main_blkaddr"]), int(v["blocks"]),
                   int(v["segment_blocks"]), snap.path(int(v["path"])), bool(v["flags"] & SNAP_STOPPED), int(v["left_out"]))
            for v in found]


def snapshot_writers(snap: Snapshot) -> list[Writer]:
    """The writers of a snapshot."""
    found = snap.writers
    named = found["cgroup"] != np.uint64(SNAP_NO_PATH)
    faults = Faults(len(found))
    faults.check(named & snap.no_path(found["cgroup"]), lambda i: "a path lies outside the file")
    faults.check(found["same_as"] > np.arange(len(found)),
                 lambda i: f"writer {i} is said to be the same as {found['same_as'][i]}, which comes later")
    wrong = faults.found()
    if wrong is not None:
        raise SnapError(f"{snap.name}: {wrong}")
    return [Writer(os.fsdecode(bytes(w["comm"]).split(b"\0")[0]), int(w["pid"]), int(w["first"]), int(w["last"]),
                   snap.path(int(w["cgroup"])) if has_path else None, int(w["same_as"]) if i > 1 else i)
            for i, (w, has_path) in enumerate(zip(found, named))]


def cause_parts(causes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For each cause, the indices into OPS, FLUSHES, WHYS and the writers of the table."""
    return causes & 15, causes >> 4 & 3, causes >> 6 & 7, causes >> 9


def check_causes(faults: Faults, causes: np.ndarray, lba: np.ndarray, writers: int) -> None:
    """Check that each cause is one that the module can report, and that its writer exists."""
    op, _, why, writer = cause_parts(causes)
    faults.check((op >= len(OPS)) | (why >= len(WHYS)) | (writer >= writers),
                 lambda i: f"the extent at LBA {lba[i]} has the cause {int(causes[i]):#x}, which nothing can have")


def table_of_snapshot(snap: Snapshot) -> Table:
    """The written extents of a snapshot, by LBA, as in `table`."""
    volumes = snapshot_volumes(snap)
    writers = snapshot_writers(snap)
    index = snap.by_lba.astype(np.int64)
    faults = Faults(len(index))
    faults.check(index >= len(snap.extents), lambda i: f"there is no record {index[i]} among the extents")
    extents = snap.extents[np.where(index < len(snap.extents), index, 0)] if len(snap.extents) else snap.extents
    owner = extents["file"].astype(np.int64)
    faults.check(owner >= len(snap.files), lambda i: f"there is no record {owner[i]} among the files")
    files = snap.files[np.where(owner < len(snap.files), owner, 0)] if len(snap.files) else np.zeros(
        len(owner), SNAP_FILE)
    volume = files["volume"].astype(np.int64)
    faults.check(volume >= len(volumes), lambda i: f"inode {files['ino'][i]} is on a volume that is not there")
    faults.check(snap.no_path(files["path"]), lambda i: "a path lies outside the file")
    volume = np.minimum(volume, max(len(volumes) - 1, 0))
    highest = np.maximum.accumulate(volume)
    faults.check(volume < highest, lambda i: "the extents are not sorted by volume")
    lba, blocks, offset = (extents[key].astype(np.int64) for key in ("lba", "len", "lblk"))
    if volumes:
        first = np.array([v.main_blkaddr for v in volumes])[volume]
        limit = np.array([v.end for v in volumes])[volume]
        faults.check((blocks < 1) | (lba < first) | (lba + blocks > limit),
                     lambda i: f"an extent of {blocks[i]} blocks at LBA {lba[i]} is outside the volume; expected LBA "
                     f"{first[i]} to {limit[i] - 1}")
        overlap = np.zeros(len(lba), bool)
        overlap[1:] = (volume[1:] == volume[:-1]) & (lba[1:] < lba[:-1] + blocks[:-1])
        faults.check(overlap, lambda i: f"the extent at LBA {lba[i]} overlaps the one at {lba[i - 1]}, or is not sorted")
    causes = extents["cause"].astype(np.int64) if "cause" in (extents.dtype.names or ()) else None
    if causes is not None:
        check_causes(faults, causes, lba, len(writers))
    wrong = faults.found()
    if wrong is not None:
        raise SnapError(f"{snap.name}: {wrong}")
    _, begins, file = np.unique(owner, return_index=True, return_inverse=True)
    order = np.argsort(begins)
    begins, file = begins[order], np.argsort(order)[file]
    ino = files["ino"].astype(np.int64)
    logical = logical_order(snap.name, volumes, volume, ino, file, offset, blocks)
    return Table(snap.name, snap.time, volumes, volume[begins], ino[begins],
                 (files["flags"][begins] & SNAP_FRAGMENTED) != 0,
                 [snap.path(int(at)) for at in files["path"][begins]], lba, blocks, offset, file, logical,
                 int(np.count_nonzero(snap.files["flags"] & SNAP_STALE)), causes, writers)


def read_snapshot(path: str) -> Snapshot:
    """Read `snapshot`, plain or gzip, with all its content."""
    data = read_bytes(path)
    if not data.startswith(SNAP_MAGIC):
        raise SnapError(f"{path}: this is no binary snapshot of fragtrace")
    return parse_snapshot(path, data)


def read_table(path: str) -> Table:
    """Read `snapshot` or `table`, plain or gzip."""
    data = read_bytes(path)
    name = "<stdin>" if path == "-" else path
    if data.startswith(SNAP_MAGIC):
        return table_of_snapshot(parse_snapshot(name, data))
    return parse_table(name, data)
