# SPDX-License-Identifier: GPL-2.0-only
"""fragtrace gc of a recording: what garbage collection has moved, by who wrote it and when; by hand, and by a naive model.

SEED=N repeats a run.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections import Counter
from pathlib import Path
from typing import Optional

import pytest

import eventfile as ev
from recorder import DEV, Model, Recorder

VIEW = Path(os.environ.get("VIEW", Path(__file__).resolve().parent.parent / "fragtrace")).resolve()
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(10 ** 6)))
UNKNOWN, APPEND, OVERWRITE, RANGE, GC_BG, GC_FG, DEFRAG = 0, 1, 2, 6, 9, 10, 11
LIMITS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21600, 86400)
Process = tuple[Optional[int], str]


def gc(folder: Path, *args: str) -> subprocess.CompletedProcess:
    """Run fragtrace gc."""
    return subprocess.run([VIEW, "gc", "-t", "run", *args], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "TZ": "UTC"})


def said(folder: Path) -> list[str]:
    """Its sentences."""
    done = gc(folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


class Hand:
    """A recording that is written event by event."""

    def __init__(self, folder: Path) -> None:
        self.model = Model(random.Random(1))
        self.recorder = Recorder(folder / "run", self.model)
        self.start_ns = self.model.time_ns
        for ino in 4, 5:
            self.model.names[ino] = f"/m/f{ino}"
        self.recorder.copy(0)

    def event(self, at_s: float, kind: int, ino: int, offset: int = 0, length: int = 0, lba: int = 0, op: int = APPEND,
              process: Process = (7, "redis-server")) -> None:
        """An event so many seconds after the beginning; the model has the blocks for the next snapshot."""
        model = self.model
        model.time_ns = self.start_ns + int(at_s * 10 ** 9)
        model.seq = (model.seq + (kind <= ev.UNKNOWN)) % 2 ** 32
        for i in range(min(length, 1000) if kind in (ev.PLACED, ev.HOLE) else 0):
            model.blocks.pop((ino, offset + i), None)
            if kind == ev.PLACED:
                model.blocks[ino, offset + i] = ("w", lba + i)
        model.events.append((model.time_ns, DEV, ino, model.seq, offset, length, lba, process[0] or 0, kind, op, 1, 1, 0,
                             process[1].encode()))

    def write(self, at_s: float, ino: int, offset: int, length: int, lba: int, process: Process = (7, "redis-server")) -> None:
        """A process writes."""
        self.event(at_s, ev.PLACED, ino, offset, length, lba, process=process)

    def move(self, at_s: float, ino: int, offset: int, length: int, lba: int) -> None:
        """Collection moves."""
        self.event(at_s, ev.PLACED, ino, offset, length, lba, GC_BG, (77, "f2fs_gc-254:0"))

    def end(self) -> None:
        """Write the rest."""
        self.recorder.flush()
        self.recorder.write()


def test_answer_by_hand(tmp_path: Path) -> None:
    """Redis writes 100 blocks: 40 are moved after 100 s, 10 of these 5 min later, 5 more after 2 h; logger's 20 never are."""
    hand = Hand(tmp_path)
    hand.write(10, 4, 0, 60, 1000)
    hand.write(10, 4, 60, 40, 2000)
    hand.write(20, 5, 0, 20, 3000, (8, "logger"))
    hand.move(110, 4, 30, 40, 4000)
    hand.move(410, 4, 25, 15, 5000)
    # 600 s after the move of 40 to 69: not within ten minutes
    hand.move(710, 4, 60, 4, 5500)
    hand.event(720, ev.EXACT, 5)
    hand.recorder.copy(0)
    hand.move(7300, 4, 0, 5, 6000)
    # a place that a scan found, and one that was only shifted: nobody knows when they were written
    hand.event(7310, ev.PLACED, 5, 100, 8, 7000, UNKNOWN, (None, "unknown"))
    hand.event(7310, ev.PLACED, 5, 200, 8, 7100, RANGE)
    hand.move(7320, 5, 100, 8, 8000)
    hand.move(7320, 5, 200, 8, 8100)
    # deleted, and another file: written once more, after 30 s moved by 3 blocks of 10
    hand.event(7400, ev.GONE, 4)
    hand.event(7400, ev.NEW, 4)
    hand.write(7410, 4, 0, 10, 9000, (9, "new"))
    hand.move(7440, 4, 7, 3, 9100)
    hand.move(7440, 4, 50, 1, 9200)
    hand.end()
    assert said(tmp_path) == [
        "run: from 2023-11-14 22:13:20 UTC to 2023-11-15 00:17:20 UTC, with events of 7440.0 s.",
        "Garbage collection has moved 84 blocks; 17 of these were written before the recording, or at an unknown time.",
        "10 of them (11.9 %) had been moved less than 10 min before: collection runs in circles.",
        "  Of 100 blocks that redis-server (pid 7) wrote, garbage collection has written 50 (50 %) again: half of them within 2 min, "
        "45 (45 %) within 10 min.",
        "  Of 10 blocks that new (pid 9) wrote, garbage collection has written 3 (30 %) again: half of them within 1 min, "
        "all within 10 min.",
        "  Of 20 blocks that all others wrote, garbage collection has written none again.",
        "A write in place has no event: a block counts as written when it got its place.",
    ]
    answer = json.loads(gc(tmp_path, "--json").stdout)
    assert (answer["format"], answer["version"], answer["gaps"], answer["lost"]) == ("fragtrace moves", 1, 0, 0)
    redis = answer["processes"][0]
    assert (redis["pid"], redis["process"], redis["written"], redis["moved"], redis["moves"], redis["again_within_10_min"]) == \
        (7, "redis-server", 100, 50, 64, 10)
    assert {age["below_s"]: age["blocks"] for age in redis["ages"] if age["blocks"]} == {120: 40, 600: 5, 21600: 5}
    assert (answer["earlier"]["moves"], answer["all"]["moves"], answer["all"]["written"], answer["others"]["written"]) == (17, 84, 130, 0)


def test_no_circles_and_nothing_moved(tmp_path: Path) -> None:
    """Nothing is said of circles if there are none."""
    hand = Hand(tmp_path)
    hand.write(1, 4, 0, 2, 1000, (None, "several"))
    hand.write(2, 4, 2, 1, 1100, (None, "unknown"))
    hand.end()
    assert said(tmp_path)[1:-1] == [
        "Garbage collection has moved 0 blocks.",
        "  Of 3 blocks that all processes wrote, garbage collection has written none again."]


def test_each_event_counts_once(tmp_path: Path) -> None:
    """Those before the end of a copy are in two files; those of its millisecond are in the snapshot, too."""
    hand = Hand(tmp_path)
    hand.write(0.5, 4, 0, 5, 1000)
    hand.recorder.flush()
    begun = len(hand.model.events)
    hand.write(1, 4, 0, 5, 2000)
    hand.write(1.5, 4, 0, 3, 3000)
    hand.recorder.copy(0)
    hand.recorder.taken = begun
    hand.move(2.5, 4, 0, 5, 4000)
    hand.end()
    answer = json.loads(gc(tmp_path, "--json").stdout)["processes"][0]
    assert (answer["written"], answer["moves"]) == (13, 5)
    assert {age["below_s"]: age["blocks"] for age in answer["ages"] if age["blocks"]} == {2: 5}


def test_writers_without_a_process(tmp_path: Path) -> None:
    """Several have written, or nobody knows who."""
    hand = Hand(tmp_path)
    hand.write(1, 4, 0, 2, 1000, (None, "several"))
    hand.write(2, 4, 2, 1, 1100, (None, "unknown"))
    hand.move(3, 4, 0, 3, 1200)
    hand.end()
    lines = said(tmp_path)
    assert lines[2].startswith("  Of 2 blocks that several processes together wrote, garbage collection has written 2 (100 %) again: half of them within 5 s")
    assert lines[3].startswith("  Of 1 block that a process that is not known wrote, garbage collection has written 1 (100 %) again: half of them within 2 s")


def test_processes_of_one_name(tmp_path: Path) -> None:
    """They are told apart by their numbers."""
    hand = Hand(tmp_path)
    for pid in 8, 9:
        hand.write(pid, 4, pid, 1, 1000 * pid, (pid, "worker"))
    hand.end()
    assert [(row["pid"], row["process"], row["written"]) for row in json.loads(gc(tmp_path, "--json").stdout)["processes"]] == \
        [(8, "worker", 1), (9, "worker", 1)]


def test_very_old_and_many_processes(tmp_path: Path) -> None:
    """Ages above a day; ten processes have a line, the others one together; 1024 are told apart."""
    hand = Hand(tmp_path)
    hand.write(1, 4, 0, 100, 4000)
    for i in range(1030):
        hand.write(1, 5, i, 1, 1000 + i, (100 + i, f"p{i}"))
    for hour in range(1, 26):
        hand.event(3600 * hour, ev.EXACT, 4)
    hand.move(90001, 4, 0, 60, 5000)
    hand.move(90001, 5, 0, 20, 6000)
    hand.move(90001, 5, 1020, 10, 6100)
    hand.end()
    lines = said(tmp_path)
    assert lines[2] == ("  Of 100 blocks that redis-server (pid 7) wrote, garbage collection has written 60 (60 %) again: "
                        "most of them after more than 24 h, 0 (0 %) within 10 min.")
    assert len(lines) == 14
    assert lines[-2].startswith("  Of 1,021 blocks that all others wrote, garbage collection has written 21 (2.1 %) again")
    answer = json.loads(gc(tmp_path, "--json").stdout)
    assert len(answer["processes"]) == 1024 and (answer["others"]["written"], answer["others"]["moved"]) == (7, 7)


def test_a_gap_is_said(tmp_path: Path) -> None:
    """What was written before it is not known to be new after it, and a move before it makes no circle."""
    hand = Hand(tmp_path)
    hand.write(1, 4, 0, 10, 1000)
    hand.move(2, 4, 0, 5, 2000)
    hand.event(2.5, ev.HOLE, 5, 0, 1)
    hand.recorder.flush()
    # two of these are lost
    for i in range(3):
        hand.write(3 + i, 5, i, 1, 3000 + 2 * i)
    hand.recorder.taken += 2
    hand.recorder.copy(0)
    hand.move(10, 4, 0, 10, 4000)
    hand.write(11, 5, 0, 1, 5000)
    hand.move(12, 5, 0, 1, 6000)
    hand.end()
    lines = said(tmp_path)
    assert lines[0].endswith("to 2023-11-14 22:13:32 UTC, with events of 9.5 s.")
    assert lines[1:3] == [
        "The recording has 1 gap without events (2 events lost). After a gap, what was written before it counts as written before the "
        "recording.",
        "Garbage collection has moved 16 blocks; 10 of these were written before the recording, or at an unknown time."]
    assert lines[3].startswith("  Of 11 blocks that redis-server (pid 7) wrote, garbage collection has written 6 ")


def test_circles_and_names(tmp_path: Path) -> None:
    """One block of twenty is no circle; a process without a name is one; what is older than the recording has no age."""
    hand = Hand(tmp_path)
    hand.write(1, 4, 0, 20, 1000, (7, ""))
    hand.move(2, 4, 0, 20, 2000)
    hand.move(3, 4, 0, 1, 3000)
    hand.move(3, 5, 0, 10, 4000)
    hand.write(4, 4, 30, 8, 5000, (50, "fragtrace"))
    hand.event(5, ev.PLACED, 4, 30, 8, 6000, DEFRAG, (50, "fragtrace"))
    hand.move(6, 4, 30, 8, 7000)
    hand.end()
    text = "\n".join(said(tmp_path))
    assert "\n1 of them (2.6 %) had been moved less than 10 min before.\n" in text
    assert "Of 20 blocks that a process without a name (pid 7) wrote" in text
    assert text.count("garbage collection has written none again.") == 1
    answer = json.loads(gc(tmp_path, "--json").stdout)
    assert (answer["processes"][0]["pid"], answer["processes"][0]["process"]) == (7, "")
    assert sum(age["blocks"] for age in answer["all"]["ages"]) == 20
    assert not sum(age["blocks"] for age in answer["earlier"]["ages"]) and answer["earlier"]["moved"] == 18


def test_recordings_without_events(tmp_path: Path) -> None:
    """They are refused; where some snapshots have none, that is a gap."""
    hand = Hand(tmp_path)
    hand.write(1, 4, 0, 10, 1000)
    hand.recorder.copy(0)
    hand.move(3, 4, 0, 4, 2000)
    hand.end()
    first, second = sorted((tmp_path / "run").glob("*.events.zst"))
    first.unlink()
    lines = said(tmp_path)
    assert lines[1].startswith("The recording has 1 gap without events. ") and lines[0].endswith("with events of 2.0 s.")
    assert lines[2] == "Garbage collection has moved 4 blocks; 4 of these were written before the recording, or at an unknown time."
    second.unlink()
    done = gc(tmp_path)
    assert (done.returncode, done.stderr) == \
        (1, "fragtrace gc: run: has no events; expected a folder that fragtrace record --events wrote (or, of why collections ran, a file gc_runs)\n")


# === A random recording ===


class Collected(Model):
    """A model with garbage collection."""

    def step(self) -> None:
        """An operation, or a collection of some blocks of a file, half of the time of the first one."""
        if self.rng.random() < 0.6:
            super().step()
            return
        keys = sorted(key for key, block in self.blocks.items() if block[0] == "w")
        if not keys:
            return
        ino, offset = self.rng.choice([key for key in keys if key[0] == keys[0][0]] if self.rng.random() < 0.5 else keys)
        length = 1
        while length < 20 and self.blocks.get((ino, offset + length), ("u", 0))[0] == "w":
            length += 1
        lba = self.free_run(length)
        for i in range(length):
            self.blocks[ino, offset + i] = ("w", lba + i)
        self.emit(ev.PLACED, ino, offset, length, lba)
        self.events[-1] = self.events[-1][:9] + (self.rng.choice((GC_BG, GC_FG)),) + self.events[-1][10:]


class Naive:
    """For each block who wrote it and when, and when collection moved it last."""

    def __init__(self) -> None:
        self.blocks: dict[tuple[int, int], tuple[Optional[Process], int, Optional[int]]] = {}
        self.written: Counter = Counter()
        self.moves: Counter = Counter()
        self.again: Counter = Counter()
        self.ages: Counter = Counter()

    def forget(self, ino: int, first: int = 0, end: int = 2 ** 32) -> None:
        """Nothing is known of a range."""
        for key in [key for key in self.blocks if key[0] == ino and first <= key[1] < end]:
            del self.blocks[key]

    def move(self, key: tuple[int, int], now: int) -> None:
        """Collection moves a block."""
        who, then, moved = self.blocks.get(key, (None, 0, None))
        self.blocks[key] = who, then, now
        self.moves[who] += 1
        if moved is not None:
            self.again[who] += now - moved < 600
        elif who:
            self.ages[who, next((limit for limit in LIMITS if now - then < limit), None)] += 1

    def apply(self, event: tuple) -> None:
        """What happens."""
        time_ns, _, ino, _, offset, length, _, pid, kind, op, _, _, _, comm = event
        if kind in (ev.UNKNOWN, ev.NEW, ev.LEFT_OUT, ev.GONE):
            self.forget(ino)
        if kind == ev.HOLE or (kind == ev.PLACED and op in (UNKNOWN, RANGE, DEFRAG)):
            self.forget(ino, offset, offset + length)
        elif kind == ev.PLACED:
            for block in range(offset, offset + length):
                if op in (GC_BG, GC_FG):
                    self.move((ino, block), time_ns // 10 ** 9)
                else:
                    who = (pid or None, comm.decode())
                    self.written[who] += 1
                    self.blocks[ino, block] = who, time_ns // 10 ** 9, None


def compare(folder: Path, naive: Naive) -> None:
    """Block for block."""
    answer = json.loads(gc(folder, "--json").stdout)
    found: dict[Optional[Process], dict] = {(row["pid"], row["process"]): row for row in answer["processes"]}
    assert {who: row["written"] for who, row in found.items()} == naive.written
    found[None] = answer["earlier"]
    assert {who: row["moves"] for who, row in found.items() if row["moves"]} == naive.moves
    assert {who: row["again_within_10_min"] for who, row in found.items()} == {who: naive.again[who] for who in found}
    del found[None]
    assert {(who, age["below_s"]): age["blocks"] for who, row in found.items() for age in row["ages"] if age["blocks"]} == naive.ages
    assert answer["all"]["moves"] == sum(naive.moves.values()) > 0 and sum(naive.again.values()) > 0 and naive.moves[None] > 0


@pytest.mark.parametrize("gap_at", [None, 1, 2, 3])
@pytest.mark.parametrize("seed", [SEED, SEED + 1, SEED + 2])
def test_random_recordings(tmp_path: Path, seed: int, gap_at: Optional[int]) -> None:
    """The program counts what the naive model counts; @gap_at: an event is lost before that copy."""
    print(f"SEED={SEED}")
    recorder = Recorder(tmp_path / "run", Collected(random.Random(seed)))
    model, naive = recorder.model, Naive()
    recorder.copy(0)
    seen = len(model.events)
    for part in range(4):
        for _ in range(150):
            model.time_ns += model.rng.choice([0] * 6 + [10 ** 9, 20 * 10 ** 9, 100 * 10 ** 9, 500 * 10 ** 9])
            model.step()
            if model.rng.random() < 0.02 and model.names:
                model.emit(ev.UNKNOWN, min(model.names))
        if gap_at != part:
            recorder.copy(model.rng.choice((0, 5)))
            continue
        recorder.flush()
        # the last numbered event before the gap, and those of its time, may be on either side
        last = max(event[0] for event in model.events if event[8] <= ev.UNKNOWN)
        for event in model.events[seen:]:
            if event[0] < last:
                naive.apply(event)
        naive.blocks = {}
        model.hole(min(model.names), 0, 1)
        model.hole(min(model.names), 0, 1)
        recorder.taken = len(model.events) - 1
        recorder.copy(0)
        seen = len(model.events)
    for _ in range(20):
        model.step()
    recorder.flush()
    recorder.write()
    for event in model.events[seen:]:
        naive.apply(event)
    compare(tmp_path, naive)
