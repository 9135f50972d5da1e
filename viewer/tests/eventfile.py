# SPDX-License-Identifier: GPL-2.0-only
"""The event files of a recording, for tests: written from src/input/events.h."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import zstandard

HEADER = np.dtype([("magic", "S8"), ("version", "u4"), ("size", "u4")])
BATCH = np.dtype([("n", "u4"), ("crc", "u4"), ("time", "u8"), ("until", "u8"), ("lost", "u4"), ("pad", "u4")])
PLACED, HOLE, UNWRITTEN, UNKNOWN, NEW, EXACT, STALE, LEFT_OUT, GONE = range(9)
# In the order of the file. What is stored is the difference to the value before, or to its end.
DELTAS = {"seq": False, "offset": True, "lba": True}
COLUMNS = [("time", "u4"), ("dev", "u4"), ("ino", "u4"), ("seq", "u4"), ("offset", "u4"), ("length", "u4"),
           ("lba", "u4"), ("pid", "u4"), ("kind", "u1"), ("op", "u1"), ("flush", "u1"), ("why", "u1"),
           ("encoded", "u1"), ("comm", "S16")]
EVENT = np.dtype([("time_ns", "u8"), *COLUMNS[1:]])
EVENT_BYTES = sum(np.dtype(form).itemsize for _, form in COLUMNS)


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


def read(path: Path) -> tuple[list[tuple[np.void, np.ndarray]], bool]:
    """The batches of a file, with their headers, and whether it has an end."""
    unpacker = zstandard.ZstdDecompressor().decompressobj()
    data, at, result = unpacker.decompress(path.read_bytes()), HEADER.itemsize, []
    while at < len(data):
        header = np.frombuffer(data, BATCH, 1, at)[0]
        at += BATCH.itemsize + int(header["n"]) * EVENT_BYTES
        result.append((header, parse_batch(header, data[at - int(header["n"]) * EVENT_BYTES:at])))
    return result, unpacker.eof


def batch(events: list[tuple], until_ns: int, lost: int = 0) -> bytes:
    """A batch of events."""
    array = np.array(events, EVENT) if events else np.zeros(0, EVENT)
    first = int(array["time_ns"][0]) if events else until_ns
    micro = (array["time_ns"].astype(np.int64) - first) // 1000
    columns = np.diff(micro, prepend=0).astype("u4").tobytes() if events else b""
    for name, form in COLUMNS[1:]:
        values = array[name].copy()
        if name in DELTAS and events:
            ends = values + array["length"] if DELTAS[name] else values
            values[1:] -= ends[:-1]
        columns += values.astype(form).tobytes()
    crc = zlib.crc32(columns, zlib.crc32(struct.pack("<IIQQII", len(events), 0, first, until_ns, lost, 0)))
    return struct.pack("<IIQQII", len(events), crc, first, until_ns, lost, 0) + columns


def event_file(batches: list[bytes], is_ended: bool = True) -> bytes:
    """An event file, flushed after each batch."""
    packer = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    data = packer.compress(struct.pack("<8sII", b"FTevents", 1, 16))
    for one in batches:
        data += packer.compress(one) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    return data + (packer.flush() if is_ended else b"")
