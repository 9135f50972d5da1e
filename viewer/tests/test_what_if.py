# SPDX-License-Identifier: GPL-2.0-only
"""fragtrace gc --what-if: what another choice of sections would have moved, beside a naive F2FS that chooses that way.

SEED=N repeats a run.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Optional

import pytest

import eventfile as ev
import naive_space
from naive_zones import superblock
from recorder import DEV, END, MAIN, Model, Recorder

VIEW = Path(os.environ.get("VIEW", Path(__file__).resolve().parent.parent / "fragtrace")).resolve()
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(10 ** 6)))
OVERWRITE, GC_BG, GC_FG = 2, 9, 10
HOT, WARM, COLD, NODE = 0, 1, 2, 4
BLKS, SEGMENTS = 512, (END - MAIN) // 512
NODES = range(SEGMENTS - 4, SEGMENTS)
Key = tuple[int, int]


class Volume:
    """A naive F2FS: a dictionary of blocks, and logs that only go forward."""

    def __init__(self, choice: str, unit: int, now: int) -> None:
        self.choice, self.unit, self.now = choice, unit, now
        self.at: dict[Key, int] = {}
        self.key: dict[int, Key] = {}
        self.valid = [0] * SEGMENTS
        self.type = [NODE if i in NODES else WARM for i in range(SEGMENTS)]
        self.mtime = [now] * SEGMENTS
        self.oldest = now
        self.heads: dict[int, list[int]] = {}
        self.last = self.reserved = 0
        self.born: dict[Key, int] = {}
        self.written = self.lives = self.n_lives = self.moved = self.sections = 0

    def in_use(self, section: int) -> int:
        """Blocks of a section."""
        return sum(self.valid[section * self.unit:section * self.unit + self.unit])

    def age_of(self, section: int) -> int:
        """The mean time of its segments."""
        return sum(self.mtime[section * self.unit:section * self.unit + self.unit]) // self.unit

    def free(self) -> int:
        """How many sections are empty."""
        return sum(not self.in_use(i) for i in range(SEGMENTS // self.unit)) - self.reserved

    def space(self) -> int:
        """Blocks that logs can write before more sections have to become free."""
        blks = self.unit * BLKS
        return self.free() * blks + sum(blks - (head[0] * BLKS + head[1] - 1) % blks - 1 for head in self.heads.values())

    def touch(self, segment: int, mtime: int) -> None:
        """A block of it comes or goes."""
        self.mtime[segment] = (self.mtime[segment] * self.valid[segment] + mtime) // (self.valid[segment] + 1)

    def put(self, key: Key, at: int) -> None:
        """A block is there now."""
        self.at[key], self.key[at] = at, key
        self.valid[at // BLKS] += 1

    def take(self, key: Key) -> None:
        """It is not there any more."""
        at = self.at.pop(key)
        del self.key[at]
        self.valid[at // BLKS] -= 1

    def is_open(self, section: int) -> bool:
        """Does a log write there?"""
        return any(head[0] // self.unit == section for head in self.heads.values())

    def next_segment(self, head: Optional[list[int]], victim: Optional[int]) -> int:
        """The next one of the section, or the first one of a free section, round and round."""
        if head and (head[0] + 1) % self.unit and not self.valid[head[0] + 1]:
            return head[0] + 1
        n = SEGMENTS // self.unit
        self.last = next(i % n for i in range(self.last + 1, self.last + 1 + n)
                         if not self.in_use(i % n) and i % n != victim and not self.is_open(i % n))
        return self.last * self.unit

    def append(self, key: Key, log: int, mtime: int, victim: Optional[int] = None) -> int:
        """A block is written at the end of a log."""
        head = self.heads.get(log)
        if not head or head[1] == BLKS:
            head = [self.next_segment(head, victim), 0]
            self.heads[log], self.type[head[0]] = head, log
        at = head[0] * BLKS + head[1]
        head[1] += 1
        if key in self.at:
            self.take(key)
        self.touch(head[0], mtime)
        self.put(key, at)
        return at

    def drop(self, key: Key) -> None:
        """A block is deleted, or written anew."""
        if key in self.at:
            self.touch(self.at[key] // BLKS, self.now)
            self.take(key)

    def log_of(self, key: Key) -> int:
        """All data is warm, except with hot-cold."""
        log = WARM
        if self.choice == "hot-cold" and key in self.at:
            life = self.written - self.born[key]
            self.lives, self.n_lives = self.lives + life, self.n_lives + 1
            log = HOT if life < self.lives // self.n_lives else WARM
        self.born[key] = self.written
        return log

    def write(self, key: Key) -> int:
        """A program writes a block."""
        log = self.log_of(key)
        self.written += 1
        self.drop(key)
        return self.append(key, log, self.now)

    def gain(self, section: int, choice: str, times: list[int]) -> int:
        """What F2FS's formulas say of a section."""
        valid, mtime, blks = self.in_use(section), self.age_of(section), BLKS * self.unit
        if choice == "cost-benefit":
            used, age = valid // self.unit * 100 // BLKS, 0
            if self.now > self.oldest:
                age = 100 - 100 * (mtime - self.oldest) // (self.now - self.oldest)
            return 100 * (100 - used) * age // (100 + used)
        if choice == "atgc":
            return 10000 * (times[-1] + 1 - mtime) // (times[-1] + 1 - times[0]) * 60 + 10000 * (blks - valid) // blks * 40
        return -valid

    def victim(self, choice: str) -> Optional[int]:
        """The section to collect."""
        list_ = [i for i in range(SEGMENTS // self.unit)
                 if 0 < self.in_use(i) < BLKS * self.unit and self.type[i * self.unit] != NODE and not self.is_open(i)]
        times = sorted(self.age_of(i) for i in list_)
        if choice == "atgc":
            list_ = sorted(list_, key=lambda i: (self.age_of(i), i))[:max(10, len(list_) * 20 // 100)]
        return max(list_, key=lambda i: self.gain(i, choice, times), default=None)

    def collect(self, is_foreground: bool = True) -> list[tuple[Key, int]]:
        """One victim. Return: where its blocks are now; none: there is no victim."""
        choice = self.choice if self.choice != "f2fs" else "greedy" if is_foreground else "cost-benefit"
        victim, places = self.victim(choice), []
        if victim is None:
            return []
        self.sections += 1
        for at in range(victim * self.unit * BLKS, (victim + 1) * self.unit * BLKS):
            if at not in self.key:
                continue
            key, mtime = self.key[at], self.mtime[at // BLKS]
            if self.choice != "atgc":
                self.touch(at // BLKS, self.now)
                mtime = self.now
            places.append((key, self.append(key, COLD, mtime, victim)))
            self.moved += 1
        return places


class Run:
    """A naive F2FS that is recorded, and others that choose otherwise, in step with it."""

    def __init__(self, folder: Path, rng: random.Random, choice: str, unit: int, others: tuple[str, ...]) -> None:
        self.rng, self.model = rng, Model(rng)
        self.model.names = {ino: f"/m/f{ino}" for ino in range(4, 10)}
        self.volume, *self.others = [Volume(one, unit, self.now()) for one in (choice, "f2fs", *others)]
        self.all = [self.volume, *self.others]
        self.recorder = Recorder(folder / "run", self.model)

    def now(self) -> int:
        """Seconds."""
        return self.model.time_ns // 10 ** 9

    def copy(self) -> None:
        """A snapshot with F2FS's state, of a kernel that shows no times."""
        self.tick()
        self.recorder.copy(0)
        stem = self.recorder.stem
        assert stem
        folder = stem.with_name(stem.name + ".f2fs")
        folder.mkdir()
        (folder / "superblock").write_bytes(superblock(self.volume.unit, SEGMENTS, [], main=MAIN, features=0))
        with open(folder / "segment_bits", "w", encoding="ascii") as file:
            print(naive_space.BITS, naive_space.LINE, sep="\n", file=file)
            for i in range(SEGMENTS):
                bits = [at in self.volume.key for at in range(i * BLKS, i * BLKS + BLKS)]
                print(f"{i:<10}{self.volume.type[i]}|{sum(bits):<3}| {naive_space.as_hex(bits)}", file=file)

    def tick(self) -> None:
        """Time goes on, by whole milliseconds: a snapshot has no others."""
        self.model.time_ns += self.rng.choice((1, 30, 700)) * 10 ** 6
        for volume in self.all:
            volume.now = self.now()

    def event(self, kind: int, key: Key, at: int = 0, op: int = OVERWRITE) -> None:
        """What fragtrace records of a block."""
        model = self.model
        model.seq = (model.seq + 1) % 2 ** 32
        model.blocks.pop(key, None)
        if kind == ev.PLACED:
            model.blocks[key] = ("w", MAIN + at)
        model.events.append((model.time_ns, DEV, key[0], model.seq, key[1], 1, MAIN + at, 7, kind, op, 1, 1, 0, b"redis"))

    def write(self, key: Key) -> None:
        """A program writes a block."""
        self.tick()
        at, *_ = [volume.write(key) for volume in self.all]
        self.event(ev.PLACED, key, at)

    def delete(self, key: Key) -> None:
        """A program punches a hole."""
        for volume in self.all:
            volume.drop(key)
        self.event(ev.HOLE, key)

    def rewrite_nodes(self) -> None:
        """Nodes, of which there are no events, are elsewhere at the next snapshot; models only know how many sections they take."""
        for at in [at for at, key in self.volume.key.items() if not key[0]]:
            self.volume.take((0, at))
        for at in self.rng.sample(range(NODES[0] * BLKS, self.rng.randrange(NODES[1], NODES[-1]) * BLKS), 400):
            self.volume.put((0, at), at)
        for other in self.others:
            other.reserved = sum(bool(self.volume.in_use(i)) for i in range(NODES[0] // self.volume.unit, SEGMENTS // self.volume.unit))

    def collect(self, is_foreground: bool) -> None:
        """F2FS collects; the others, too: a section, or in the foreground until they have as much space."""
        places = self.volume.collect(is_foreground)
        for key, at in places:
            self.event(ev.PLACED, key, at, GC_FG if is_foreground else GC_BG)
        for other in self.others if places else []:
            for _ in range(64 if is_foreground else 1):
                if is_foreground and other.space() + other.unit * BLKS // 2 >= self.volume.space() or not other.collect(is_foreground):
                    break

    def work(self, writes: int, sections: int) -> None:
        """Rewrite files, some blocks far more often; collect where more sections have data than these."""
        for _ in range(writes):
            ino = self.rng.choice((4, 4, 4, 4, 5, 5, 6, 7, 8, 9))
            key = (ino, self.rng.randrange(900))
            if key in self.volume.at and self.rng.random() < 0.03:
                self.delete(key)
                continue
            self.write(key)
            for _ in range(SEGMENTS):
                if (SEGMENTS - len(NODES)) // self.volume.unit - self.volume.free() <= sections:
                    break
                self.collect(self.rng.random() < 0.5)

    def end(self) -> None:
        """Write the rest."""
        self.recorder.flush()
        self.recorder.write()


def ask(folder: Path, choice: str, *args: str) -> str:
    """The answer."""
    done = subprocess.run([VIEW, "gc", "-t", "run", "--what-if", choice, *args], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "TZ": "UTC"})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def answer(folder: Path, choice: str) -> dict:
    """Of the volume."""
    parsed = json.loads(ask(folder, choice, "--json"))
    assert (parsed["format"], parsed["version"], len(parsed["volumes"])) == ("fragtrace what_if", 1, 1)
    return parsed["volumes"][0]


CHOICES = "greedy", "cost-benefit", "atgc", "hot-cold"


@pytest.mark.parametrize("real,unit", [("f2fs", 1), ("greedy", 2), ("atgc", 1)])
def test_naive(tmp_path: Path, real: str, unit: int) -> None:
    """All choices, block for block, whatever F2FS itself did; nodes are written meanwhile."""
    print(f"SEED={SEED}")
    run = Run(tmp_path, random.Random(SEED), real, unit, CHOICES)
    run.copy()
    run.work(9000, 14 // unit + unit - 1)
    run.rewrite_nodes()
    run.copy()
    run.work(3000, 14 // unit + unit - 1)
    run.rewrite_nodes()
    run.copy()
    run.work(6000, 13 // unit + unit - 1)
    run.end()
    found = answer(tmp_path, "all")
    assert (found["written"], found["moved"], found["sections"], found["free"]) == \
        (run.volume.written, run.volume.moved, run.volume.sections, run.volume.free())
    assert run.volume.sections > 5
    assert [(one["choice"], one["moved"], one["sections"], one["free"]) for one in found["choices"]] == \
        [(one.choice, one.moved, one.sections, one.free()) for one in run.others]
    assert len({one["moved"] for one in found["choices"]}) > 2


def frees(folder: Path) -> list[int]:
    """The free sections in the end: of F2FS, and of all models."""
    found = answer(folder, "all")
    return [found["free"], *(one["free"] for one in found["choices"])]


@pytest.mark.parametrize("mode", ["adaptive", "lfs"])
def test_holes_are_filled_as_f2fs_does(tmp_path: Path, mode: str) -> None:
    """F2FS has written into the holes of two segments, with many free ones: so do the models, but for a mode in which F2FS never does."""
    run = Run(tmp_path, random.Random(1), "f2fs", 1, ())
    run.copy()
    for i in range(3 * BLKS):
        run.write((4, i))
    holes = [run.volume.at[4, i] for i in range(0, 2 * BLKS, 2)]
    for i in range(0, 2 * BLKS, 2):
        run.delete((4, i))
    for i, at in enumerate(holes[:500]):
        run.tick()
        run.volume.put((5, i), at)
        run.event(ev.PLACED, (5, i), at)
    run.end()
    state, = (tmp_path / "run").glob("*.f2fs")
    (state / "mounts").write_text(f"/dev/vda /m f2fs rw,mode={mode} 0 0\n")
    assert frees(tmp_path) == [SEGMENTS - 3] + [SEGMENTS - (4 if mode == "lfs" else 3)] * 5
    assert run.volume.free() == SEGMENTS - 3


def test_logs_are_told_apart(tmp_path: Path) -> None:
    """The log that is at the end of its segment goes on in another one, whatever that was at the last snapshot."""
    run = Run(tmp_path, random.Random(1), "f2fs", 1, ())
    run.volume.type[20] = HOT
    run.copy()
    for key, at in [((4, i), 20 * BLKS + i) for i in range(BLKS)] + [((5, 0), 30 * BLKS)] + [((4, BLKS), 40 * BLKS)]:
        run.tick()
        run.volume.put(key, at)
        run.event(ev.PLACED, key, at)
    run.end()
    assert set(frees(tmp_path)) == {SEGMENTS - 3}


def test_models_move_all_that_a_section_has(tmp_path: Path) -> None:
    """F2FS has moved one of two blocks of a file so far; beside them, there is data that is not watched."""
    run = Run(tmp_path, random.Random(1), "f2fs", 1, ())
    for key, at in ((4, 0), 5120), ((4, 1), 5122), ((1, 0), 5121):
        run.volume.put(key, at)
    run.model.blocks.update({(4, 0): ("w", MAIN + 5120), (4, 1): ("w", MAIN + 5122)})
    run.copy()
    run.tick()
    run.event(ev.PLACED, (4, 0), 9000, GC_BG)
    run.end()
    found = answer(tmp_path, "all")
    assert (found["moved"], found["sections"]) == (1, 1)
    assert [(one["moved"], one["others_moved"], one["sections"]) for one in found["choices"]] == [(2, 1, 1)] * 5
    # nothing was written, and nothing of it rewritten
    lines = ask(tmp_path, "hot-cold").splitlines()
    assert lines[3].split() == ["1", "-", "1", "-", str(SEGMENTS - 2), "F2FS", "itself"]
    assert lines[5].endswith("soon rewritten), +0.0 % beside f2fs; no block was rewritten")


def test_atgc_is_f2fs_own_choice_where_it_is_mounted_so(tmp_path: Path) -> None:
    """In the background; of two sections, the one is older, the other has less in use."""
    run = Run(tmp_path, random.Random(1), "f2fs", 1, ())
    for ino, first, n in (4, 10, 300), (5, 20, 100):
        for i in range(n):
            run.volume.put((ino, i), first * BLKS + i)
            run.model.blocks[ino, i] = ("w", MAIN + first * BLKS + i)
    run.copy()
    run.model.time_ns += 1000 * 10 ** 9
    run.event(ev.HOLE, (5, 99))
    run.event(ev.PLACED, (4, 0), 9000, GC_BG)
    run.end()
    state, = (tmp_path / "run").glob("*.f2fs")
    moved = {}
    for options in "rw", "rw,atgc":
        (state / "mounts").write_text(f"/dev/vda /m f2fs {options} 0 0\n")
        moved[options] = [one["moved"] for one in answer(tmp_path, "atgc")["choices"]]
    assert moved == {"rw": [99, 300], "rw,atgc": [300, 300]}


def test_a_bad_state_costs_itself(tmp_path: Path) -> None:
    """It is named, and the rest is read."""
    run = Run(tmp_path, random.Random(1), "f2fs", 1, ())
    run.copy()
    run.work(20, SEGMENTS)
    run.copy()
    run.end()
    _, bits = sorted((tmp_path / "run").glob("*.f2fs/segment_bits"))
    bits.write_text("nonsense\n")
    done = subprocess.run([VIEW, "gc", "-t", "run", "--what-if", "atgc"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "not a segment_bits of F2FS" in done.stderr and done.stdout.endswith("blocks of watched files, and garbage collection moved none.\n")


def test_gaps_are_said(tmp_path: Path) -> None:
    """What was in between is not known."""
    run = Run(tmp_path, random.Random(1), "f2fs", 1, ())
    run.copy()
    run.work(20, SEGMENTS)
    run.copy()
    run.work(20, SEGMENTS)
    run.end()
    assert "gap" not in ask(tmp_path, "atgc")
    min((tmp_path / "run").glob("*.events.zst")).unlink()
    assert ask(tmp_path, "atgc").splitlines()[0].endswith("; models guess what was in 1 gap.")


def test_what_no_event_tells(tmp_path: Path) -> None:
    """Nodes count at the next snapshot, until data is where they were; other data counts if two snapshots have it."""
    run = Run(tmp_path, random.Random(1), "f2fs", 1, ())
    run.copy()
    run.write((4, 0))
    first = NODES[0] * BLKS
    for at in range(first, first + 40):
        run.volume.put((0, at), at)
    directory = 50 * BLKS
    run.volume.put((1, 0), directory)
    run.copy()
    run.end()
    assert set(frees(tmp_path)) == {SEGMENTS - 2}
    run.copy()
    run.end()
    assert frees(tmp_path) == [SEGMENTS - 3] + [SEGMENTS - 2] * 5
    run.tick()
    run.volume.put((5, 0), first)
    run.event(ev.PLACED, (5, 0), first)
    run.end()
    assert frees(tmp_path) == [SEGMENTS - 3] + [SEGMENTS - 1] * 5


def test_answer_in_words(tmp_path: Path) -> None:
    """The table, and how near the model is to what F2FS did."""
    run = Run(tmp_path, random.Random(3), "f2fs", 1, ("greedy",))
    run.copy()
    run.work(9000, 13)
    run.end()
    f2fs, greedy = run.others
    volume = run.volume
    lines = ask(tmp_path, "greedy").splitlines()
    amplification = f"{(volume.written + volume.moved) / volume.written:.2f}"
    assert lines[1:3] == [f"254:0: programs wrote {volume.written:,} blocks of watched files.",
                          "     blocks moved   others moved  sections  amplification    sections free  how sections are chosen"]
    assert lines[3].split() == [f"{volume.moved:,}", "-", str(volume.sections), amplification, str(volume.free()), "F2FS", "itself"]
    assert lines[4].split()[:3] == [f"{f2fs.moved:,}", "0", str(f2fs.sections)]
    assert lines[5].endswith(f"greedy (fewest blocks in use), {100 * (greedy.moved / f2fs.moved - 1):+.1f} % beside f2fs")
    # it is the same model, but for where the logs begin
    off = 100 * (f2fs.moved / volume.moved - 1)
    assert lines[9] == (f"  The model moves {abs(off):.1f} % {'fewer' if off < 0 else 'more'} blocks than F2FS if it chooses as F2FS does" +
                        (": differences between choices that are not far larger tell nothing." if abs(off) > 5 else "."))
    assert len(lines) == 10


def test_nothing_was_moved(tmp_path: Path) -> None:
    """A sentence, and no table of zeroes."""
    run = Run(tmp_path, random.Random(1), "f2fs", 1, ())
    run.copy()
    run.work(20, SEGMENTS)
    run.end()
    assert ask(tmp_path, "atgc").splitlines()[1:] == \
        [f"254:0: programs wrote {run.volume.written} blocks of watched files, and garbage collection moved none."]


def refuses(folder: Path, message: str, *args: str) -> None:
    """It ends with an error."""
    done = subprocess.run([VIEW, "gc", *args], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode and not done.stdout and message in done.stderr


def test_refusals(tmp_path: Path) -> None:
    """What lacks is named."""
    run = Run(tmp_path, random.Random(1), "f2fs", 1, ())
    run.copy()
    run.work(20, SEGMENTS)
    run.end()
    refuses(tmp_path, "--what-if best: not valid; give greedy, cost-benefit, atgc, hot-cold or all", "-t", "run", "--what-if", "best")
    refuses(tmp_path, "--what-if: expected the folder of a recording with events, as COUNTS or by -t", "--what-if", "all")
    state, = (tmp_path / "run").glob("*.f2fs")
    state.rename(tmp_path / "state")
    refuses(tmp_path, "run: has no segment_bits of F2FS, which fragtrace record keeps of volumes up to 128 GiB; record again", "-t", "run", "--what-if", "all")
    events, = (tmp_path / "run").glob("*.events.zst")
    events.unlink()
    refuses(tmp_path, "run: has no events; expected a folder that fragtrace record --events wrote", "-t", "run", "--what-if", "all")
