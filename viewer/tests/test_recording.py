# SPDX-License-Identifier: GPL-2.0-only
"""Recordings with events: fragtrace-view and fragsnap rebuild what a naive model has, block by block.

The model keeps each block in a dictionary, and applies the rules of module/README.md. SEED=N repeats a run.
"""

from __future__ import annotations

import csv
import io
import os
import random
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Optional

import numpy as np
import pytest
import zstandard

import fragsnap
from fragsnap import events as ev

# one built with sanitizers can be named
VIEW = Path(os.environ.get("VIEW", Path(__file__).resolve().parent.parent / "fragtrace-view")).resolve()
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(10 ** 6)))
START = 1_700_000_000_000
DEV = 254 << 20
MAIN, END = 1000, 200_000

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
        """The binary snapshot of this moment, written from module/snapshot_format.h."""
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
        arrays = [("<Q6I", [(0, 254, 0, MAIN, END, 512, 0)]), ("<9Q4I", files), ("<6I", [x[:6] for x in extents]),
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


# === Files of a recording, written from src/input/events.h ===


def batch(events: list[tuple], until_ns: int, lost: int = 0) -> bytes:
    """A batch of events."""
    array = np.array(events, ev.EVENT) if events else np.zeros(0, ev.EVENT)
    first = int(array["time_ns"][0]) if events else until_ns
    micro = (array["time_ns"].astype(np.int64) - first) // 1000
    columns = np.diff(micro, prepend=0).astype("u4").tobytes() if events else b""
    for name, form in ev.COLUMNS[1:]:
        values = array[name].copy()
        if name in ev.DELTAS and events:
            ends = values + array["length"] if ev.DELTAS[name] else values
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


def view(*args: object, cwd: Path) -> subprocess.CompletedProcess:
    """Run fragtrace-view."""
    return subprocess.run([VIEW, *map(str, args)], cwd=cwd, capture_output=True, text=True, check=False)


def blocks_by_view(text: str) -> tuple[set, dict[int, str]]:
    """The blocks and paths of --list extents --csv."""
    blocks, paths = set(), {}
    for row in csv.DictReader(io.StringIO(text)):
        ino, kind = int(row["ino"]), "w"
        paths[ino] = row["path"]
        if "unwritten" in row["flags"]:
            kind = "u"
        elif "encoded" in row["flags"]:
            kind = "e"
        for i in range(int(row["length"])):
            blocks.add((ino, int(row["offset"]) + i, kind, 0 if kind == "u" else int(row["lba"]) + i))
    return blocks, paths


def iso(ns: int) -> str:
    """A moment as --at has it."""
    return fragsnap.moment_text(ns)


@pytest.fixture(name="made")
def made_fixture(tmp_path: Path) -> Recorder:
    """A recording of four snapshots."""
    print(f"SEED={SEED}")
    recorder = Recorder(tmp_path / "run", Model(random.Random(SEED)))
    for _ in range(30):
        recorder.model.step()
    recorder.copy(0)
    recorder.remember()
    for _ in range(3):
        for _ in range(40):
            recorder.model.step()
            recorder.remember()
            if recorder.model.rng.random() < 0.2:
                recorder.flush()
        recorder.copy(recorder.model.rng.choice((0, 5)))
    for _ in range(10):
        recorder.model.step()
        recorder.remember()
    recorder.flush()
    recorder.write()
    return recorder


def check_moment(recorder: Recorder, index: int) -> None:
    """Both programs have at a moment what the model had."""
    time_ns, blocks, names, stale = recorder.truth[index]
    done = view("run", "--at", iso(time_ns), "--list", "extents", "--csv", "-", cwd=recorder.folder.parent)
    assert done.stderr == ""
    found, paths = blocks_by_view(done.stdout)
    assert found == blocks
    assert all(paths[ino] in (names[ino], f"(inode {ino})") for ino in paths)
    table = fragsnap.Recording(str(recorder.folder)).table_at(fragsnap.parse_moment(iso(time_ns)))
    python = {(int(ino), int(at) + i, int(lba) + i) for ino, at, lba, n in zip(
        table.file_ino[table.file], table.offset, table.lba, table.blocks) for i in range(n)}
    assert python == {(ino, at, lba) for ino, at, kind, lba in blocks if kind != "u"}
    # what came and went between two snapshots has no name; without blocks it is not shown
    assert len(stale & {ino for ino, *_ in blocks}) <= table.n_stale <= len(stale)


# === Tests ===


def test_every_moment_is_rebuilt(made: Recorder) -> None:
    for index in range(0, len(made.truth), 7):
        check_moment(made, index)
    check_moment(made, len(made.truth) - 1)


def test_both_readers_agree_in_causes_and_figures(made: Recorder) -> None:
    for index in range(3, len(made.truth), 23):
        at = iso(made.truth[index][0])
        done = view("run", "--at", at, "--csv", "-", cwd=made.folder.parent)
        table = fragsnap.Recording(str(made.folder)).table_at(fragsnap.parse_moment(at))
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        assert [(int(row["lba"]), int(row["length"]), int(row["offset"]), int(row["ino"]), row["path"]) for row in rows] == [
            (lba, n, offset, table.file_ino[file], table.paths[file])
            for lba, n, offset, file in zip(table.lba, table.blocks, table.offset, table.file)]
        assert table.causes is not None
        op, flush, why, _ = fragsnap.cause_parts(table.causes)
        with_cause = [(i, row) for i, row in enumerate(rows) if row["op"]]
        assert with_cause
        for i, row in with_cause:
            # a break that has no reason has an unknown one
            why[i] = max(why[i], 1)
            assert (row["op"], row["flush"], row["why_here"]) == (
                fragsnap.OPS[op[i]], fragsnap.FLUSHES[flush[i]], fragsnap.WHYS[why[i]])


def test_relative_times(made: Recorder) -> None:
    begin = made.truth[0][0]
    for index in (1, len(made.truth) // 2):
        span = made.truth[index][0] - begin
        one = view("run", "--at", f"{span // 10 ** 9}.{span % 10 ** 9:09}s", "--csv", "-", cwd=made.folder.parent)
        other = view("run", "--at", iso(made.truth[index][0]), "--csv", "-", cwd=made.folder.parent)
        assert one.stdout == other.stdout and not one.stderr
    assert view("run", "--csv", "-", cwd=made.folder.parent).stdout == view(
        "run", "--at", "end", "--csv", "-", cwd=made.folder.parent).stdout
    done = view("run", "--at", "999h", "--csv", "-", cwd=made.folder.parent)
    assert "the recording ends at" in done.stderr and done.returncode == 0
    done = view("run", "--at", "2001-02-03T04:05:06Z", "--csv", "-", cwd=made.folder.parent)
    assert "the recording begins at" in done.stderr and done.returncode == 1


@pytest.mark.parametrize("text", ["60s", "90", "1.5s", "5m", "1h30m", "1h30", "start", "end", "2023-11-14T22:13:20Z",
                                  "2023-11-14 22:13:21.25", "2023-11-14T22:13:20+02:30", "2023-11-14T22:13",
                                  "", "5ms", "1d", "-1s", "1..5", "2023-02-30T00:00:00Z", "2023-11-14", "tomorrow",
                                  "2023-11-14T25:00:00Z", "1969-01-01T00:00:00Z", "10000000000s"])
def test_one_grammar_of_time(made: Recorder, text: str) -> None:
    done = view("run", "--at", text, "--csv", "-", cwd=made.folder.parent)
    try:
        moment = fragsnap.parse_moment(text)
    except ValueError:
        assert done.returncode == 2 and "expected a time after the beginning" in done.stderr
        return
    try:
        table = fragsnap.Recording(str(made.folder)).table_at(moment)
        assert done.returncode == 0 and len(done.stdout.splitlines()) == len(table.lba) + 1
    except fragsnap.SnapError as error:
        assert done.stderr.replace("fragtrace-view: ", "").replace("run:", f"{made.folder}:") == f"{error}\n"


def test_a_gap_is_refused_and_the_next_snapshot_heals(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "run", Model(random.Random(SEED)))
    for _ in range(30):
        recorder.model.step()
    recorder.copy(0)
    for _ in range(20):
        recorder.model.step()
        recorder.remember()
    recorder.model.hole(min(recorder.model.names), 0, 3)
    recorder.remember()
    good = len(recorder.truth) - 1
    recorder.flush()
    numbered = [i for i in range(recorder.taken) if recorder.model.events[i][8] <= ev.UNKNOWN]
    recorder.model.hole(min(recorder.model.names), 0, 5)
    recorder.model.hole(min(recorder.model.names), 9, 5)
    recorder.taken += 2
    for _ in range(10):
        recorder.model.step()
        recorder.remember()
    recorder.copy(0)
    recorder.remember()
    for _ in range(5):
        recorder.model.step()
        recorder.remember()
    recorder.flush()
    recorder.write()
    check_moment(recorder, good - 1)
    check_moment(recorder, len(recorder.truth) - 5)
    done = view("run", "--at", iso(recorder.truth[good + 8][0]), "--csv", "-", cwd=tmp_path)
    # events of the same time may be on both sides of a gap
    last = recorder.model.events[numbered[-1]][0] - 1
    assert done.returncode == 1 and not done.stdout
    assert ": 2 events were lost; the nearest exact moments are " in done.stderr
    first, second = done.stderr.split("moments are ")[1].strip().split(" and ")
    assert first == iso(last) and view("run", "--at", first, "--csv", "-", cwd=tmp_path).returncode == 0
    assert view("run", "--at", second, "--csv", "-", cwd=tmp_path).stderr == ""
    with pytest.raises(fragsnap.SnapError) as error:
        fragsnap.Recording(str(tmp_path / "run")).table_at(fragsnap.parse_moment(iso(recorder.truth[good + 8][0])))
    assert str(error.value).replace(str(tmp_path) + "/", "") == done.stderr.replace("fragtrace-view: ", "").strip()


def test_a_torn_tail_is_cut(made: Recorder) -> None:
    path = sorted(made.folder.glob("*.events.zst"))[0]
    whole = path.read_bytes()
    rng = random.Random(SEED)
    for size in [0, 3, 20, len(whole) - 1] + [rng.randrange(len(whole)) for _ in range(8)]:
        path.write_bytes(whole[:size])
        assert_same_end(made, size)
    for _ in range(8):
        damaged = bytearray(whole)
        place, bit = rng.randrange(len(whole)), 1 << rng.randrange(8)
        damaged[place] ^= bit
        path.write_bytes(damaged)
        assert_same_end(made, (place, bit))


def assert_same_end(made: Recorder, damage: object) -> None:
    """With a damaged file, each moment is right or refused, by both programs."""
    for index in range(2, 40, 12):
        at = iso(made.truth[index][0])
        done = view("run", "--at", at, "--list", "extents", "--csv", "-", cwd=made.folder.parent)
        try:
            table = fragsnap.Recording(str(made.folder)).table_at(fragsnap.parse_moment(at))
        except fragsnap.SnapError:
            assert done.returncode == 1, damage
            continue
        assert done.returncode == 0, damage
        found, _ = blocks_by_view(done.stdout)
        assert found == made.truth[index][1]
        assert int(table.blocks.sum()) == sum(block[2] != "u" for block in found)


def test_a_recording_without_events(made: Recorder) -> None:
    for path in made.folder.glob("*.events.zst"):
        path.unlink()
    stems = sorted(made.folder.glob("*.snapshot.zst"))
    begin = int(stems[0].name.split("-")[1].split(".")[0])
    second = float(".".join(stems[1].name.split("-")[1].split(".")[:2]))
    done = view("run", "--at", f"{second - begin + 0.5:.1f}s", "--csv", "-", cwd=made.folder.parent)
    assert done.stdout == view(stems[1], "--csv", "-", cwd=made.folder.parent).stdout


def test_all_outputs_take_a_recording(made: Recorder) -> None:
    at = iso(made.truth[20][0])
    for args in (["-o", "out.png"], ["--json", "-"], ["--prometheus", "-"], ["--html", "p.html"], ["--fail-if", "split>99"]):
        assert view("run", "--at", at, *args, cwd=made.folder.parent).returncode == 0
    assert view("--why", "-t", "run", "--at", at, cwd=made.folder.parent).returncode == 0
    done = view(sorted(made.folder.glob("*.snapshot.zst"))[0], "--at", at, cwd=made.folder.parent)
    assert done.returncode == 2 and "--at goes with a recording" in done.stderr


# === --keep ===


def test_keep_by_size_and_age(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for i in range(6):
        stem = folder / f"fragtrace-{START // 1000 + i * 60}.000"
        stem.with_name(stem.name + ".snapshot.zst").write_bytes(os.urandom(300_000))
        stem.with_name(stem.name + ".events.zst").write_bytes(os.urandom(300_000))
        state = stem.with_name(stem.name + ".f2fs")
        (state / "254:0").mkdir(parents=True)
        (state / "254:0/status.zst").write_bytes(os.urandom(100_000))
    (folder / "mine.txt").write_text("stays")
    model = Model(random.Random(SEED))
    for _ in range(30):
        model.step()
    (tmp_path / "now").write_bytes(model.snapshot((START // 1000 + 360) * 10 ** 9))
    assert view("now", "--record", "run", "--keep", "150s", cwd=tmp_path).returncode == 0
    stems = sorted({".".join(path.name.split(".")[:2]) for path in folder.glob("fragtrace-*")})
    # what began at 180 s reaches to 240 s, and 210 s are to be kept
    assert stems == [f"fragtrace-{START // 1000 + i * 60}.000" for i in (3, 4, 5, 6)]
    (tmp_path / "now").write_bytes(model.snapshot((START // 1000 + 420) * 10 ** 9).replace(b"/m/f", b"/m/g"))
    assert view("now", "--record", "run", "--keep", "2M,7d", cwd=tmp_path).returncode == 0
    left = {path.name for path in folder.iterdir()}
    assert f"fragtrace-{START // 1000 + 180}.000.events.zst" not in left and "mine.txt" in left
    assert f"fragtrace-{START // 1000 + 300}.000.f2fs" in left
    assert f"fragtrace-{START // 1000 + 420}.000.snapshot.zst" in left
    (tmp_path / "now").write_bytes(model.snapshot((START // 1000 + 480) * 10 ** 9).replace(b"/m/f", b"/m/h"))
    assert view("now", "--record", "run", "--keep", "1M,1s", cwd=tmp_path).returncode == 0
    # the one before reaches to this one
    assert sorted(path.name for path in folder.glob("fragtrace-*")) == [
        f"fragtrace-{START // 1000 + i}.000.snapshot.zst" for i in (420, 480)]


@pytest.mark.parametrize("limits", ["", "2", "2X", "G", "2G,", "2G,3G", "0d", "2G 7d", "1G,2d,3h", "99999999999G"])
def test_keep_refuses(tmp_path: Path, limits: str) -> None:
    done = view("x", "--record", "run", "--keep", limits, cwd=tmp_path)
    assert done.returncode == 2 and "expected a size (M, G, T)" in done.stderr
