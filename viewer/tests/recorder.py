# SPDX-License-Identifier: GPL-2.0-only
"""Writes recordings of a naive model for tests: each block in a dictionary, by the rules of module/FORMATS.md."""

from __future__ import annotations

import random
import struct
import time
from pathlib import Path
from typing import Optional

import zstandard

import eventfile as ev
import naive_space
from eventfile import batch, event_file

START = 1_700_000_000_000
DEV = 254 << 20
MAIN, END = 1000, 1000 + 388 * 512

Block = tuple[str, int]


class Model:
    """The blocks of each file: (inode, block) is u for unwritten, or an LBA; and whether it is encoded."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.blocks: dict[tuple[int, int], Block] = {}
        self.names: dict[int, str] = {}
        self.stale: set[int] = set()
        self.time_ns = START * 10 ** 6
        self.seq = 2 ** 32 - 20
        self.log = MAIN
        self.block_bytes = 4096
        self.next_ino = 4
        self.events: list[tuple] = []

    def emit(self, kind: int, ino: int, offset: int = 0, length: int = 0, lba: int = 0, encoded: int = 0) -> None:
        """One event, at least a microsecond after the one before."""
        self.time_ns += self.rng.choice((1000, 17_000, 3_000_000, 250_000_000))
        numbered = kind <= ev.UNKNOWN
        self.seq = (self.seq + numbered) % 2 ** 32
        pid = self.rng.choice((0, 7, 812)) if numbered else 0
        comm = {0: b"unknown", 7: b"fsyncer", 812: b"rocksdb:low"}[pid]
        self.events.append((self.time_ns, DEV, ino, self.seq if numbered else 0, offset, length, lba, pid, kind,
                            self.rng.randrange(14) if numbered else 0, self.rng.randrange(4) if numbered else 0,
                            self.rng.randrange(7) if numbered else 0, encoded, comm if numbered else b""))

    def free_run(self, length: int) -> int:
        """Where a log writes next: mostly after the last block, never where a block is in use."""
        used = {block[1] for block in self.blocks.values() if block[0] != "u"}
        if self.rng.random() < 0.2 or self.log + length >= END:
            self.log = self.rng.randrange(MAIN, END - 1000)
        while any(at in used for at in range(self.log, self.log + length)):
            self.log = self.rng.randrange(MAIN, END - 1000)
        self.log += length
        return self.log - length

    def step(self) -> None:
        """One operation on a file."""
        inos = sorted(self.names)
        what = self.rng.random()
        if len(inos) < 3 or (what < 0.05 and len(inos) < 12):
            ino, self.next_ino = self.next_ino, self.next_ino + 1
            self.names[ino] = f"/m/f{ino}.sst"
            self.emit(ev.NEW, ino)
            self.emit(ev.EXACT, ino)
            return
        ino = self.rng.choice(inos)
        offset, length = self.rng.randrange(60), self.rng.randrange(1, 20)
        if what < 0.1:
            del self.names[ino]
            self.stale.discard(ino)
            self.hole(ino, 0, 2 ** 30)
            self.emit(ev.GONE, ino)
        elif what < 0.2:
            self.hole(ino, offset, length)
        elif what < 0.25:
            self.hole(ino, offset, 2 ** 30 - offset)
        elif what < 0.35:
            for at in range(offset, offset + length):
                self.blocks.setdefault((ino, at), ("u", 0))
            self.emit(ev.UNWRITTEN, ino, offset, length)
        elif what < 0.4:
            self.stale.add(ino)
            self.emit(ev.STALE, ino)
        elif what < 0.45:
            self.stale.discard(ino)
            self.emit(ev.EXACT, ino)
        else:
            lba, encoded = self.free_run(length), int(what > 0.97)
            for i in range(length):
                self.blocks[ino, offset + i] = ("e" if encoded else "w", lba + i)
            self.emit(ev.PLACED, ino, offset, length, lba, encoded)

    def hole(self, ino: int, offset: int, length: int) -> None:
        """A range has no blocks any more."""
        for key in [key for key in self.blocks if key[0] == ino and offset <= key[1] < offset + length]:
            del self.blocks[key]
        self.emit(ev.HOLE, ino, offset, length)

    def snapshot(self, time_ns: int) -> bytes:
        """The binary snapshot of this moment, written from module/format/snapshot.h."""
        paths, files, extents, order = bytearray(b"/m\0"), [], [], []
        for i, ino in enumerate(sorted(self.names)):
            first = len(extents)
            path, last = len(paths), None
            paths += self.names[ino].encode() + b"\0"
            for at, (kind, lba) in sorted((key[1], value) for key, value in self.blocks.items() if key[0] == ino):
                if last and last[1] + last[2] == at and last[6] == kind and (kind == "u" or last[3] + last[2] == lba):
                    last[2] += 1
                    continue
                last = [i, at, 1, 2 ** 32 - 1 if kind == "u" else lba, int(kind == "e"), 1 << 6, kind]
                extents.append(last)
            order += [k for k in range(first, len(extents)) if extents[k][6] != "u"]
            files.append((path, first, len(extents) - first, 0, 0, 0, 0, 0, 0, 0, ino, int(ino in self.stale), 0))
        order.sort(key=lambda k: extents[k][3])
        arrays = [("<Q6IQ2I", [(0, 254, 0, MAIN, END, 512, 0, 0, self.block_bytes, 0)]), ("<9Q4I", files), ("<6I", [x[:6] for x in extents]),
                  ("<I", [(k,) for k in order]), ("<B", [(c,) for c in paths]),
                  ("<3Q2I16s2I", [(2 ** 64 - 1, 0, 0, 0, 0, b"", 0, 0)] * 2)]
        body, header = bytearray(), bytearray()
        for form, records in arrays:
            header += struct.pack("<QQII", 176 + len(body), len(records), struct.calcsize(form), 0)
            for record in records:
                body += struct.pack(form, *record)
            body += bytes(-len(body) % 8)
        return struct.pack("<8sIIQQ", b"FTsnap\r\n", 2, 176, 176 + len(body), time_ns) + header + body

    def shown(self) -> set[tuple[int, int, str, int]]:
        """All blocks."""
        return {(ino, at, *block) for (ino, at), block in self.blocks.items()}


class Recorder:
    """Writes a recording of a model, and remembers what the model had at each moment."""

    def __init__(self, folder: Path, model: Model) -> None:
        folder.mkdir()
        self.folder, self.model = folder, model
        self.truth: list[tuple[int, set, dict[int, str], set[int]]] = []
        self.batches: list[bytes] = [batch([], 1, 1)]
        self.stem: Optional[Path] = None
        self.taken = 0

    def remember(self) -> None:
        """What the model has now."""
        self.truth.append((self.model.time_ns, self.model.shown(), dict(self.model.names), set(self.model.stale)))

    def steps(self, number: int) -> None:
        """Some operations."""
        for _ in range(number):
            self.model.step()
            self.remember()

    def flush(self, lost: int = 0) -> None:
        """End a batch."""
        events = self.model.events[self.taken:]
        self.taken = len(self.model.events)
        if self.stem:
            self.batches.append(batch(events, self.model.time_ns, lost))

    def write(self, is_ended: bool = True) -> None:
        """Write the events after the last snapshot."""
        if self.stem:
            self.stem.with_name(self.stem.name + ".events.zst").write_bytes(event_file(self.batches, is_ended))

    def copy(self, steps: int) -> None:
        """Take a snapshot while so many operations happen: each file is copied at some moment in between."""
        self.flush()
        self.write()
        if self.stem:
            self.batches = []
        if not self.stem:
            self.taken = len(self.model.events)
        begun = self.taken
        for _ in range(steps):
            self.model.step()
            self.remember()
        self.model.time_ns = -(-self.model.time_ns // 10 ** 6) * 10 ** 6
        seconds, ms = divmod(self.model.time_ns // 10 ** 6, 1000)
        self.stem = self.folder / f"fragtrace-{seconds}.{ms:03}"
        data = self.model.snapshot(self.model.time_ns)
        self.stem.with_name(self.stem.name + ".snapshot.zst").write_bytes(zstandard.compress(data))
        self.taken = begun


# F2FS's own state: these segments hold nodes
NODE_SEGMENTS = range(380, 388)


def write_state(folder: Path, valid: set[int]) -> None:
    """A segment_bits with these blocks."""
    with open(folder / "segment_bits", "w", encoding="ascii") as file:
        print(naive_space.BITS, naive_space.LINE, sep="\n", file=file)
        for i in range((END - MAIN) // 512):
            bits = [MAIN + 512 * i + k in valid for k in range(512)]
            print(f"{i:<10}{3 if i in NODE_SEGMENTS else 1}|{sum(bits):<3}| {naive_space.as_hex(bits)}", file=file)


def iso(time_ns: int) -> str:
    """A moment as --at has it."""
    seconds, rest = divmod(time_ns, 10 ** 9)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:09}Z"


def record(folder: Path, seed: int, snapshots: int = 3) -> Recorder:
    """A recording with events after its last snapshot."""
    recorder = Recorder(folder, Model(random.Random(seed)))
    for _ in range(30):
        recorder.model.step()
    recorder.copy(0)
    recorder.remember()
    for _ in range(snapshots - 1):
        recorder.steps(30)
        recorder.copy(0)
        recorder.remember()
    recorder.steps(10)
    recorder.flush()
    recorder.write()
    return recorder


def record_gap(folder: Path, seed: int) -> tuple[Recorder, int, int, int]:
    """Two snapshots, and two events lost between them; before that, a moment in the gap, and the second snapshot."""
    recorder = Recorder(folder, Model(random.Random(seed)))
    recorder.steps(30)
    recorder.copy(0)
    recorder.steps(20)
    recorder.model.hole(min(recorder.model.names), 0, 3)
    recorder.flush()
    lost_at = recorder.model.time_ns
    recorder.model.hole(min(recorder.model.names), 0, 5)
    recorder.model.hole(min(recorder.model.names), 9, 5)
    recorder.taken += 2
    recorder.steps(10)
    in_gap = recorder.model.time_ns
    recorder.copy(0)
    healed = recorder.model.time_ns
    recorder.remember()
    recorder.steps(9)
    recorder.flush()
    recorder.write()
    return recorder, lost_at, in_gap, healed


def naive_breaks(blocks: set) -> int:
    """How often a written block does not lie after the one before it in its file."""
    last: dict[int, int] = {}
    count = 0
    for ino, _, kind, lba in sorted(blocks):
        if kind == "u":
            continue
        count += ino in last and last[ino] + 1 != lba
        last[ino] = lba
    return count
