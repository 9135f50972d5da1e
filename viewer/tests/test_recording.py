# SPDX-License-Identifier: GPL-2.0-only
"""Recordings with events: fragtrace rebuilds what a naive model has, block by block.

The model is in recorder.py. SEED=N repeats a run.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import re
import random
import shutil
import struct
import subprocess
import time
from bisect import bisect_right
from pathlib import Path

import numpy as np
import pytest
import zstandard

import eventfile as ev
import fragsnap
from fragplot import history, moments
from PIL import Image
from recorder import DEV, END, MAIN, Model, Recorder, START, iso, naive_breaks, record_gap

# one built with sanitizers can be named
VIEW = Path(os.environ.get("VIEW", Path(__file__).resolve().parent.parent / "fragtrace")).resolve()
EVENTLOG = Path(__file__).resolve().parent.parent / "build/eventlog"
DATA = Path(__file__).resolve().parent / "data"
PLOT = Path(__file__).resolve().parent.parent / "fragtrace-plot"
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(10 ** 6)))


def view(*args: object, cwd: Path) -> subprocess.CompletedProcess:
    """Run fragtrace."""
    return subprocess.run([VIEW, *map(str, args)], cwd=cwd, capture_output=True, text=True, check=False, env={**os.environ, "TZ": "UTC"})


def blocks_by_view(text: str) -> tuple[set, dict[int, str]]:
    """The blocks and paths of fragtrace extents --csv."""
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


def said(ns: int) -> str:
    """A moment as messages have it."""
    return f"{iso(ns)[:-4].rstrip('0').rstrip('.').replace('T', ' ')} UTC"


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


def complaints(stderr: str) -> str:
    """Messages, without those that say how many files are stale."""
    return re.sub(r"fragtrace \w+: run: \d+ files? stale\n", "", stderr)


def check_moment(recorder: Recorder, index: int) -> None:
    """The program has at a moment what the model had."""
    time_ns, blocks, names, stale = recorder.truth[index]
    done = view("extents", "run", "--at", iso(time_ns), "--csv", cwd=recorder.folder.parent)
    assert complaints(done.stderr) == ""
    found, paths = blocks_by_view(done.stdout)
    assert found == blocks
    assert all(paths[ino] in (names[ino], f"(inode {ino})") for ino in paths)
    # what came and went between two snapshots has no name; without blocks it is not shown
    marked, _ = stale_by_view(recorder.folder.parent, iso(time_ns))
    assert stale & {ino for ino, *_ in blocks} <= marked <= stale


# === Tests ===


def test_every_moment_is_rebuilt(made: Recorder) -> None:
    for index in range(0, len(made.truth), 7):
        check_moment(made, index)
    check_moment(made, len(made.truth) - 1)


def test_size_of_a_block_is_kept(tmp_path: Path) -> None:
    """A moment that is rebuilt has the size of the volume's blocks, and requests of 128 KiB by it."""
    model = Model(random.Random(SEED))
    model.block_bytes = 16384
    recorder = Recorder(tmp_path / "run", model)
    recorder.copy(0)
    recorder.steps(60)
    recorder.flush()
    recorder.write()
    at = iso(recorder.truth[-1][0])
    table = fragsnap.read_table(str(tmp_path / "run"), at)
    assert table.block_bytes == 16384 and len(table.lba)
    files = json.loads(view("files", "run", "--at", at, "--json", cwd=tmp_path).stdout)["records"]
    windows = {ino: {offset // 8 for owner, offset, kind, _ in recorder.truth[-1][1] if owner == ino and kind != "u"}
               for ino in {file["ino"] for file in files}}
    assert {file["ino"]: file["ideal_128k"] for file in files} == {ino: len(found) for ino, found in windows.items()}


def stale_by_view(folder: Path, at: str) -> tuple[set[int], set[tuple[int, int, int]]]:
    """The files that are marked as stale, and the extents that have an owner: inode, LBA, blocks."""
    files = view("files", "run", "--at", at, "--csv", cwd=folder)
    table = view("table", "run", "--at", at, "--csv", cwd=folder)
    assert (files.returncode, complaints(files.stderr), complaints(table.stderr)) == (0, "", "")
    maps = {int(row["ino"]): row["map"] for row in csv.DictReader(io.StringIO(files.stdout))}
    assert set(maps.values()) <= {"stale", "exact"}
    owned = {(int(row["ino"]), int(row["lba"]), int(row["length"])) for row in csv.DictReader(io.StringIO(table.stdout))}
    return {ino for ino, state in maps.items() if state == "stale"}, owned


def test_stale_marks_of_a_moment(tmp_path: Path) -> None:
    """Which files are stale after each event, by hand: 4, 5 and 6 have ten blocks each."""
    model = Model(random.Random(1))
    recorder = Recorder(tmp_path / "run", model)
    for ino, lba in (4, 1000), (5, 2000), (6, 3000):
        model.names[ino] = f"/m/f{ino}.sst"
        for i in range(10):
            model.blocks[ino, i] = ("w", lba + i)
    recorder.copy(0)
    four, five, six = (4, 1000, 10), (5, 2000, 10), (6, 3000, 10)
    moved = (6, 2005, 10)
    steps: list[tuple[tuple[int, ...], set[int], set[tuple[int, int, int]]]] = [
        # what happened to a file is not known
        ((ev.UNKNOWN, 4), {4}, {four, five, six}),
        ((ev.STALE, 5), {4, 5}, {four, five, six}),
        ((ev.EXACT, 5), {4}, {four, five, six}),
        # a scan does not tell what was unknown
        ((ev.EXACT, 4), {4}, {four, five, six}),
        # five blocks have two files: neither was stale, so the first one, by address, has lost its extent
        ((ev.PLACED, 6, 0, 10, 2005), {4, 5}, {four, moved}),
        # the other one is stale: it loses its own
        ((ev.STALE, 6), {4, 6}, {four, five}),
        # both are: the later one by address loses
        ((ev.STALE, 5), {4, 5, 6}, {four, five}),
        ((ev.EXACT, 6), {4, 5}, {four, moved}),
        # blocks that touch are not shared
        ((ev.PLACED, 6, 0, 10, 2010), {4, 5}, {four, five, (6, 2010, 10)}),
        ((ev.EXACT, 5), {4}, {four, five, (6, 2010, 10)}),
        # one block is
        ((ev.PLACED, 6, 0, 10, 2009), {4, 5}, {four, (6, 2009, 10)}),
        ((ev.GONE, 5), {4}, {four, (6, 2009, 10)}),
        # the inode number is that of another file
        ((ev.NEW, 4), set(), {(6, 2009, 10)}),
    ]
    times = []
    for event, _, _ in steps:
        model.emit(*event)
        times.append(model.time_ns)
        model.time_ns += 1_000_000
    recorder.flush()
    recorder.write()
    for time_ns, (event, stale, owned) in zip(times, steps):
        assert stale_by_view(tmp_path, iso(time_ns)) == (stale, owned), event


def test_a_file_that_comes_later_is_not_listed(tmp_path: Path) -> None:
    """It is in the next snapshot, from which names are taken."""
    model = Model(random.Random(1))
    recorder = Recorder(tmp_path / "run", model)
    model.names[4] = "/m/f4.sst"
    recorder.copy(0)
    model.emit(ev.PLACED, 4, 0, 1, 1000)
    model.blocks[4, 0] = ("w", 1000)
    before = model.time_ns
    model.names[5] = "/m/f5.sst"
    model.emit(ev.NEW, 5)
    after = model.time_ns
    # of which there is no event
    model.names[6] = "/m/f6.sst"
    recorder.copy(0)
    recorder.flush()
    recorder.write()
    for at, inos in (before, [4]), (after, [4, 5]):
        done = view("files", "run", "--at", iso(at), "--csv", cwd=tmp_path)
        assert [int(row["ino"]) for row in csv.DictReader(io.StringIO(done.stdout))] == inos


def test_a_gap_while_a_snapshot_is_copied(tmp_path: Path) -> None:
    """Some events before the end of the copy are missing: it is right alone, and what was before it is not applied again."""
    model = Model(random.Random(1))
    recorder = Recorder(tmp_path / "run", model)
    model.names[4] = "/m/f4.sst"
    for i in range(5):
        model.blocks[4, i] = ("w", 5000 + i)
    recorder.copy(0)
    end = model.time_ns
    for seq, before_ms, lba in (1, 30, 9000), (4, 20, 7000):
        model.events.append((end - before_ms * 10 ** 6, DEV, 4, seq, 0, 5, lba, 7, ev.PLACED, 1, 1, 1, 0, b"fsyncer"))
    recorder.flush()
    recorder.write()
    for at in iso(end), "start":
        done = view("table", "run", "--at", at, "--csv", cwd=tmp_path)
        assert [row["lba"] for row in csv.DictReader(io.StringIO(done.stdout))] == ["5000"]


def test_a_folder_that_is_no_recording(tmp_path: Path) -> None:
    """The message says what one has."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run/fragtrace-1.snapshot.zst").write_bytes(b"")
    for args in ["table", "run", "--csv"], ["moments", "run"]:
        done = view(*args, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, f"fragtrace {args[0]}: run: no fragtrace-SECONDS.mmm.snapshot.zst in it; "
                                                  "expected a folder that fragtrace record wrote\n")
    for command in "moments", "perfetto":
        done = view(command, "run/fragtrace-1.snapshot.zst", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, f"fragtrace {command}: run/fragtrace-1.snapshot.zst: cannot open: Not a directory; "
                                                  "expected a folder that fragtrace record wrote\n")


def test_moments_and_what_was_lost(tmp_path: Path) -> None:
    """The moments of each snapshot; how many events were lost after them, and "-" where none was."""
    recorder, lost_at, _, healed = record_gap(tmp_path / "run", SEED)
    numbered = [event[0] for event in recorder.model.events if event[8] <= ev.UNKNOWN and event[0] <= lost_at]
    spans = fragsnap.read_moments(str(tmp_path / "run"))
    assert [(one.gap, one.lost, one.events is not None) for one in spans] == [(True, 2, True), (False, None, True)]
    # events of the same time may be on both sides of a gap
    assert [one.last_ns for one in spans] == [numbered[-1] - 1, recorder.model.time_ns] and spans[1].first_ns == healed
    lines = view("moments", "run", cwd=tmp_path).stdout.splitlines()
    assert lines[0] == "# first last lost snapshot events" and [line.split()[2] for line in lines[1:]] == ["2", "-"]
    assert lines[2].split()[:2] == [f"{iso(ns)[:-4]}+00:00" for ns in (healed, recorder.model.time_ns)]
    rows = list(csv.DictReader(io.StringIO(view("moments", "run", "--csv", cwd=tmp_path).stdout)))
    assert [row["lost"] for row in rows] == ["2", ""] and all((tmp_path / row["events"]).exists() for row in rows)


def test_numbers_that_begin_again(tmp_path: Path) -> None:
    """The volume was unmounted: what happened in between is lost, and it is not known how much that is."""
    recorder = Recorder(tmp_path / "run", Model(random.Random(SEED)))
    recorder.steps(30)
    recorder.copy(0)
    recorder.steps(20)
    recorder.model.seq = (recorder.model.seq - 10) % 2 ** 32
    recorder.steps(20)
    recorder.flush()
    recorder.write()
    assert [(one.gap, one.lost) for one in fragsnap.read_moments(str(tmp_path / "run"))] == [(True, None)]
    assert view("moments", "run", cwd=tmp_path).stdout.splitlines()[1].split()[2] == "?"
    assert [row["lost"] for row in csv.DictReader(io.StringIO(view("moments", "run", "--csv", cwd=tmp_path).stdout))] == ["?"]


def test_extents_that_continue_each_other_are_joined(tmp_path: Path) -> None:
    """Three parts of a file, in three orders, are one extent at the end; a part elsewhere stays one of its own."""
    parts = [(0, 5000), (5, 5005), (10, 5010)]
    for number, order in enumerate(((0, 1, 2), (2, 1, 0), (0, 2, 1))):
        folder = tmp_path / str(number)
        folder.mkdir()
        model = Model(random.Random(1))
        recorder = Recorder(folder / "run", model)
        model.names[7] = "/m/f7.sst"
        model.blocks[7, 30] = ("w", 9000)
        recorder.copy(0)
        for i in order:
            model.emit(ev.PLACED, 7, parts[i][0], 5, parts[i][1])
        recorder.flush()
        recorder.write()
        done = view("extents", "run", "--csv", cwd=folder)
        rows = [(row["offset"], row["length"], row["lba"]) for row in csv.DictReader(io.StringIO(done.stdout))]
        assert rows == [("0", "15", "5000"), ("30", "1", "9000")]


def breaks_after(folder: Path, blocks: list[tuple[int, int, int]], *events: tuple) -> list[tuple]:
    """The breaks of a file with these blocks (offset, length, LBA) after events: of each kind, offset, length, LBA, and whose, pid, comm."""
    folder.mkdir(parents=True)
    model = Model(random.Random(1))
    recorder = Recorder(folder / "run", model)
    model.names[7] = "/m/f7.sst"
    for offset, length, lba in blocks:
        model.blocks.update({(7, offset + i): ("w", lba + i) for i in range(length)})
    recorder.copy(0)
    for kind, offset, length, lba, pid, comm in events:
        model.time_ns += 1000
        model.seq = (model.seq + 1) % 2 ** 32
        model.events.append((model.time_ns, DEV, 7, model.seq, offset, length, lba, pid, kind, 3, 1, 2, 0, comm))
    recorder.flush()
    recorder.write()
    done = view("extents", "run", "--csv", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return [(int(row["offset"]), row["op"], row["flush"], row["why_here"], row["process"])
            for row in csv.DictReader(io.StringIO(done.stdout)) if row["op"]]


def test_causes_by_hand(tmp_path: Path) -> None:
    """A block that is placed breaks what follows it only if the addresses do not go on; a hole does, too."""
    after, by = (20, 5, 9000), (7, b"a")
    # after a hole, the addresses go on
    assert not breaks_after(tmp_path / "1", [after], (ev.PLACED, 0, 10, 8990, *by))
    assert breaks_after(tmp_path / "2", [after], (ev.PLACED, 0, 10, 8989, *by)) == [(20, "tail", "sync", "unknown", "a:7")]
    assert breaks_after(tmp_path / "3", [(0, 10, 1100), after], (ev.PLACED, 0, 10, 8980, *by)) == [(20, "tail", "sync", "moved", "a:7")]
    assert breaks_after(tmp_path / "4", [(0, 30, 5000)], (ev.HOLE, 10, 5, 0, *by)) == [(15, "tail", "sync", "moved", "a:7")]
    assert breaks_after(tmp_path / "5", [(0, 5, 5000)], (ev.PLACED, 5, 5, 6000, *by)) == [(5, "tail", "sync", "interleaved", "a:7")]
    # what is there already has the cause it had
    assert breaks_after(tmp_path / "6", [(0, 5, 5000), (5, 5, 6000)], (ev.PLACED, 5, 5, 6000, *by)) == [(5, "unknown", "none", "unknown", "unknown")]


def test_a_process_is_entered_once(tmp_path: Path) -> None:
    """By process ID and name; what is not known, and several, are none."""
    who = [(0, b"unknown"), (0, b"several"), (7, b"a"), (8, b"a"), (7, b"a"), (7, b"b")]
    found = breaks_after(tmp_path / "run", [(0, 1, 5000)], *((ev.PLACED, 1 + i, 1, 6000 + 2 * i, *one) for i, one in enumerate(who)))
    assert [process for *_, process in found] == ["unknown", "several", "a:7", "a:8", "a:7", "b:7"]
    done = view("processes", "run", "--csv", cwd=tmp_path / "run")
    rows = [(row["comm"], row["pid"], row["breaks"]) for row in csv.DictReader(io.StringIO(done.stdout))]
    assert sorted(rows) == [("a", "7", "2"), ("a", "8", "1"), ("b", "7", "1"), ("several", "", "1"), ("unknown", "", "1")]


def test_figures_of_a_moment(made: Recorder) -> None:
    """A snapshot of a moment that is kept has the figures of its files, as the module writes them."""
    folder, found = made.folder.parent, {}
    # the last moment at which a file is fragmented, which at the end need not be
    for number, truth in enumerate(reversed(made.truth)):
        assert view("record", f"kept{number}", "-t", "run", "--at", iso(truth[0]), cwd=folder).returncode == 0
        path, = (folder / f"kept{number}").iterdir()
        data = zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
        at, n_files, size, _ = struct.unpack_from("<QQII", data, 32 + 24)
        files = [struct.unpack_from("<9Q4I", data, at + i * size) for i in range(n_files)]
        found = {ino: [*figures, flags & 2] for _, _, _, *figures, _, ino, flags, _ in files}
        if any(flags for *_, flags in found.values()):
            break
    rows = {int(row["ino"]): row for row in csv.DictReader(io.StringIO(view("files", str(path), "--csv", cwd=folder).stdout))}
    assert found.keys() == rows.keys() and any(flags for *_, flags in found.values())
    for ino, (blocks, written, fragments, distance, requests, ideal, flags) in found.items():
        row = rows[ino]
        assert [blocks, written, fragments, requests, ideal] == [
            int(row[name]) for name in ("blocks", "extents", "fragments", "requests_128k", "ideal_128k")]
        assert flags == 2 * (fragments > 1) and abs(distance / max(fragments - 1, 1) - float(row["mean_distance"])) < 0.051


def test_relative_times(made: Recorder) -> None:
    begin = made.truth[0][0]
    for index in (1, len(made.truth) // 2):
        span = made.truth[index][0] - begin
        one = view("table", "run", "--at", f"{span // 10 ** 9}.{span % 10 ** 9:09}s", "--csv", cwd=made.folder.parent)
        other = view("table", "run", "--at", iso(made.truth[index][0]), "--csv", cwd=made.folder.parent)
        assert one.stdout == other.stdout and not complaints(one.stderr)
    assert view("table", "run", "--csv", cwd=made.folder.parent).stdout == view(
        "table", "run", "--at", "end", "--csv", cwd=made.folder.parent).stdout
    done = view("table", "run", "--at", "999h", "--csv", cwd=made.folder.parent)
    assert "the recording ends at" in done.stderr and done.returncode == 0
    done = view("table", "run", "--at", "2001-02-03T04:05:06Z", "--csv", cwd=made.folder.parent)
    assert "the recording begins at" in done.stderr and done.returncode == 1


@pytest.mark.parametrize("text, at", [
    ("60s", 60), ("90", 90), ("1.5s", 1.5), ("5m", 300), ("1h30m", 5400), ("1h30", 3630), ("1h2m3s", 3723), ("start", 0),
    ("2023-11-14T22:13:20Z", START / 1000), ("2023-11-14 22:13:21.25", START / 1000 + 1.25), ("2023-11-14T22:13:20+02:30", START / 1000 - 9000),
    ("2023-11-14T22:13", START / 1000 - 20), ("2023-11-14 22:13:21.25 UTC", START / 1000 + 1.25)])
def test_one_grammar_of_time(made: Recorder, text: str, at: float) -> None:
    """After the beginning, or a time of the calendar: what it is in ns says the same."""
    begin = fragsnap.read_moments(str(made.folder))[0].first_ns
    ns = round(at * 100) * 10 ** 7 + (0 if at > 10 ** 6 else begin)
    one, other = (view("table", "run", "--at", when, "--csv", cwd=made.folder.parent) for when in (text, iso(ns)))
    assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr) and one.returncode < 2


def test_names_of_zones(made: Recorder) -> None:
    """What messages print is taken back, also in the hour that summer time has twice."""
    for text in "2023-10-29 02:30:01 CET", "2023-10-29 02:30:01.5 CEST":
        done = subprocess.run([VIEW, "table", made.folder, "--at", text], capture_output=True, text=True, check=False,
                              env={**os.environ, "TZ": "CET-1CEST,M3.5.0,M10.5.0/3"})
        assert done.returncode == 1 and " begins at 2023-11-14 23:13:2" in done.stderr
        assert done.stderr.endswith(f"such as {text}\n"), done.stderr


@pytest.mark.parametrize("text", ["", "x", "m", "5ms", "1d", "-1s", "1m1h", "1..5", "2023-02-30T00:00:00Z", "2023-11-14", "tomorrow",
                                  "2023-11-14T25:00:00Z", "1969-01-01T00:00:00Z", "10000000000s", "2023-11-14T22:13:20+02:3",
                                  "2023-11-14T22:13:20+02:300", "2023-11-14T22:13:20+02:60", "2023-11-14T22:13:20+24:00", "2023-11-14 22:13:20UTC",
                                  "2023-11-14 22:13:20 CET", "2023-11-14 22:13:20 "])
def test_times_that_are_none(tmp_path: Path, text: str) -> None:
    done = view("table", "run", "--at", text, "--csv", cwd=tmp_path)
    assert done.returncode == 2 and "not valid; give a time after the beginning" in done.stderr


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
    done = view("table", "run", "--at", iso(recorder.truth[good + 8][0]), "--csv", cwd=tmp_path)
    # events of the same time may be on both sides of a gap
    last = recorder.model.events[numbered[-1]][0] - 1
    assert done.returncode == 1 and not done.stdout
    assert ": 2 events were lost; the nearest exact moments are " in done.stderr
    first, second = done.stderr.split("moments are ")[1].strip().split(" and ")
    assert first == said(last) and view("table", "run", "--at", first, "--csv", cwd=tmp_path).returncode == 0
    assert complaints(view("table", "run", "--at", second, "--csv", cwd=tmp_path).stderr) == ""


@pytest.mark.parametrize("is_lost", [False, True])
def test_the_end_of_a_recording(tmp_path: Path, is_lost: bool) -> None:
    """What is said of a moment after the end, and of the end if events were lost before it."""
    model = Model(random.Random(1))
    recorder = Recorder(tmp_path / "run", model)
    model.names[4] = "/m/f4.sst"
    recorder.copy(0)
    model.emit(ev.PLACED, 4, 0, 5, 1000)
    last = model.time_ns
    if is_lost:
        model.seq += 2
        model.time_ns += 10 ** 9
        model.emit(ev.PLACED, 4, 0, 5, 2000)
        last -= 1
    recorder.flush()
    recorder.write()
    ends = f"run: events were lost after {said(last)}" if is_lost else f"run: the recording ends at {said(last)}"
    taken = f"fragtrace table: {ends}; taking that moment\n"
    done = view("table", "run", "--at", "end", "--csv", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, taken if is_lost else "")
    done = view("table", "run", "--at", "999h", "--csv", cwd=tmp_path)
    if is_lost:
        assert done.returncode == 1 and done.stderr.endswith(f": 2 events were lost; the last exact moment is {said(last)}\n")
    else:
        assert (done.returncode, done.stderr) == (0, taken)


def test_an_event_that_is_read_late(tmp_path: Path) -> None:
    """An event older than the one before it, in its batch or the one before, does not hide those after it."""
    done = subprocess.run([EVENTLOG, tmp_path / "events", "1000,1020,1019,1021", "1015,1030"], capture_output=True, check=True,
                          text=True)
    assert done.stdout.splitlines() == ["1000 0 7 5000", "1020 100 8 4999", "1020 200 9 4998", "1021 300 10 4997",
                                        "1021 0 7 5000", "1030 100 8 4999"]


def test_a_page_has_no_damaged_recording(made: Recorder) -> None:
    """All snapshots and events are tried before a page is written, not those of the end alone."""
    program = made.folder.parent / "fragtrace"
    shutil.copy(VIEW, program)
    (made.folder.parent / "reader.js").write_text("// the reader\n")

    def page() -> subprocess.CompletedProcess:
        return subprocess.run([program, "page", made.folder, "-o", "x.html"], cwd=made.folder.parent, capture_output=True, text=True, check=False)

    assert page().returncode == 0 and (made.folder.parent / "x.html").stat().st_size > 1000
    (made.folder.parent / "x.html").unlink()
    for kind in "snapshot", "events":
        for path in sorted(made.folder.glob(f"*.{kind}.zst"))[:3]:
            whole = path.read_bytes()
            path.write_bytes(b"x" * 100)
            done = page()
            assert done.returncode == 1 and path.name in done.stderr and not (made.folder.parent / "x.html").exists(), (path, done)
            path.write_bytes(whole)


def test_a_page_of_standard_input(tmp_path: Path) -> None:
    """From a pipe, and with the time at which it was read."""
    program, table = tmp_path / "fragtrace", (DATA / "small.table").read_bytes()
    shutil.copy(VIEW, program)
    (tmp_path / "reader.js").write_text("// the reader\n")
    before_ms = time.time_ns() // 10 ** 6
    done = subprocess.run([program, "page", "-"], input=table, capture_output=True, check=True)
    (name, content, time_ms), = json.loads(re.search(rb'id="input0">\n(.*?)\n</script>', done.stdout, re.S)[1])
    assert (name, base64.b64decode(content)) == ("stdin", table) and before_ms <= time_ms <= time.time_ns() // 10 ** 6
    for wrong, said in (b"", "/dev/stdin:1: the table is empty"), (table[:-20], "/dev/stdin:"):
        done = subprocess.run([program, "page", "-", "-o", "x.html"], input=wrong, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 1 and said in done.stderr.decode() and not (tmp_path / "x.html").exists(), done


def test_a_torn_tail_is_cut(made: Recorder) -> None:
    path = sorted(made.folder.glob("*.events.zst"))[0]
    whole = path.read_bytes()
    rng = random.Random(SEED)
    for size in [0, 3, 20, len(whole) - 1, len(whole)] + [rng.randrange(len(whole)) for _ in range(8)]:
        path.write_bytes(whole[:size])
        # of a file that lacks nothing but its end, all moments are there
        assert_same_end(made, size, 4 if size >= len(whole) - 1 else 0)
    for _ in range(8):
        damaged = bytearray(whole)
        place, bit = rng.randrange(len(whole)), 1 << rng.randrange(8)
        damaged[place] ^= bit
        path.write_bytes(damaged)
        assert_same_end(made, (place, bit), 0)


def assert_same_end(made: Recorder, damage: object, least: int) -> None:
    """With a damaged file, each moment is right or refused; so many of the first must be right."""
    right = 0
    for index in range(2, 40, 12):
        at = iso(made.truth[index][0])
        done = view("extents", "run", "--at", at, "--csv", cwd=made.folder.parent)
        if done.returncode == 1:
            continue
        assert done.returncode == 0, damage
        found, _ = blocks_by_view(done.stdout)
        assert found == made.truth[index][1]
        right += 1
    assert right >= least, (damage, right)


@pytest.mark.parametrize("member, value, is_sane", [
    ("kind", ev.GONE, True), ("kind", ev.GONE + 1, False), ("op", 13, True), ("op", 14, False), ("flush", 3, True), ("flush", 4, False),
    ("why", 6, True), ("why", 7, False), ("length", 1, True), ("length", 0, False), ("offset", 2 ** 32 - 6, True), ("offset", 2 ** 32 - 5, False),
    ("lba", 2 ** 32 - 6, True), ("lba", 2 ** 32 - 5, False)])
def test_events_that_cannot_have_happened(tmp_path: Path, member: str, value: int, is_sane: bool) -> None:
    """A batch is left out with one of them, and what comes after it."""
    model = Model(random.Random(1))
    recorder = Recorder(tmp_path / "run", model)
    model.names[4] = "/m/f4.sst"
    recorder.copy(0)
    members = dict(zip(ev.EVENT.names, (model.time_ns + 10 ** 9, DEV, 4, 1, 0, 5, 1000, 7, ev.PLACED, 1, 1, 1, 0, b"fsyncer")))
    model.events.append(tuple((members | {member: value}).values()))
    model.time_ns += 10 ** 9
    recorder.flush()
    recorder.write()
    done = view("table", "run", "--csv", cwd=tmp_path)
    assert ("cut short or damaged after 0 events: the rest is left out" in done.stderr) != is_sane, done.stderr


def test_a_recording_without_events(made: Recorder) -> None:
    for path in made.folder.glob("*.events.zst"):
        path.unlink()
    stems = sorted(made.folder.glob("*.snapshot.zst"))
    begin, second = (float(stem.name.removeprefix("fragtrace-").removesuffix(".snapshot.zst")) for stem in stems[:2])
    # the snapshots are at least 40 steps apart
    done = view("table", "run", "--at", f"{second - begin + 0.01:.2f}s", "--csv", cwd=made.folder.parent)
    assert done.stdout == view("table", stems[1], "--csv", cwd=made.folder.parent).stdout


def test_all_outputs_take_a_recording(made: Recorder) -> None:
    at = iso(made.truth[20][0])
    for args in (["view", "-o", "out.png"], ["table", "--json"], ["metrics"], ["check", "split>99"]):
        assert view(*args, "-t", "run", "--at", at, cwd=made.folder.parent).returncode == 0
    assert view("why", "-t", "run", "--at", at, cwd=made.folder.parent).returncode == 0
    done = view("view", sorted(made.folder.glob("*.snapshot.zst"))[0], "--at", at, cwd=made.folder.parent)
    assert done.returncode == 2 and "is no recording; name a folder that fragtrace record wrote" in done.stderr
    done = view("view", "nowhere", "--at", at, cwd=made.folder.parent)
    assert done.returncode == 1 and "nowhere: cannot open: No such file or directory" in done.stderr


def test_outputs_that_no_moment_has(made: Recorder) -> None:
    at = iso(made.truth[20][0])
    # a moment does not change
    done = view("top", "-t", "run", "--at", at, cwd=made.folder.parent)
    assert done.returncode == 2 and not done.stdout and "not an option here; see fragtrace top --help" in done.stderr
    assert view("top", "-t", "run", "-n", "0.1", "--count", "1", cwd=made.folder.parent).returncode == 0
    # the state of F2FS is that of a snapshot, which has none here
    for more in ([], ["--at", at]):
        done = view("space", "-t", "run", *more, cwd=made.folder.parent)
        assert done.returncode == 2 and not done.stdout
        assert ".snapshot.zst: there is no F2FS's state of its time beside it; give a copy of that: --f2fs-state DIR" in done.stderr


# === fragtrace-plot ===


def test_plots_have_moments_between_snapshots(made: Recorder) -> None:
    series = moments.series_of([str(made.folder)], 20)
    snapshots = {moment.time for moment in moments.series_in(str(made.folder))}
    assert snapshots < {moment.time for moment in series} and len(series) > 15
    times = [time_ns for time_ns, *_ in made.truth]
    # as the recording, the series ends with the last event
    assert abs(series[-1].time - times[-1] / 10 ** 9) < 1e-6
    for moment, table in list(zip(series, moments.read_series(series)))[1:]:
        i = bisect_right(times, round(moment.time * 10 ** 9) + 300)
        # a moment may be between two events of one operation
        near = [sum(block[2] != "u" for block in blocks) for _, blocks, *_ in made.truth[i - 1:i + 1]]
        assert int(table.blocks.sum()) in near, moment
    assert int(moments.moment_of(str(made.folder))[1].blocks.sum()) == near[0]
    done = subprocess.run([PLOT, "history", "run", "-o", "h.png"], cwd=made.folder.parent, check=False)
    assert done.returncode == 0
    done = subprocess.run([PLOT, "animate", "run", "-o", "a.gif", "--frames", "12"], cwd=made.folder.parent, check=False)
    with Image.open(made.folder.parent / "a.gif") as gif:
        frames = {gif.seek(i) or gif.convert("RGB").crop((78, 98, gif.width - 22, gif.height - 150)).tobytes()
                  for i in range(gif.n_frames)}
    # from snapshots alone, there would be four
    assert done.returncode == 0 and len(frames) > 7


def test_history_has_a_hole_where_events_were_lost(tmp_path: Path) -> None:
    _, lost_at, _, healed = record_gap(tmp_path / "run", SEED)
    figure = history.make(moments.series_of([str(tmp_path / "run")], 60), None, 5, 128 << 10, None)
    assert "hatched: events were lost, nothing is known" in " ".join(text.get_text() for text in figure.texts)
    begin, end = ((time_ns - START * 10 ** 6) / 10 ** 9 for time_ns in (lost_at, healed))
    for axes in figure.axes:
        hatched, = (patch for patch in axes.patches if patch.get_hatch())
        left, right = hatched.get_extents().transformed(axes.transData.inverted()).intervalx
        # the time of a recording is that of its first snapshot
        first = figure.axes[0].lines[0].get_xdata()[0]
        assert abs((right - left) - (end - begin)) < 0.01 and first == 0
        for line in axes.lines:
            x, y = (np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float))
            if len(x) > 2:
                assert not ((left + 1e-6 < x) & (x < right - 1e-6)).any() and np.isnan(y[np.abs(x - left) < 1e-6]).any()


def test_plots_have_no_moment_in_a_gap(tmp_path: Path) -> None:
    recorder, lost_at, in_gap, healed = record_gap(tmp_path / "run", SEED)
    series = moments.series_of([str(recorder.folder)], 60)
    assert not [moment for moment in series if lost_at / 10 ** 9 < moment.time < healed / 10 ** 9 - 1e-6]
    assert len(series) > 8 and in_gap < healed
    # each has the blocks that the model had then, or after the operation that was under way
    times = [time_ns for time_ns, *_ in recorder.truth]
    for moment, table in zip(series, moments.read_series(series)):
        index = bisect_right(times, round(moment.time * 10 ** 9) + 500) - 1
        assert int(table.blocks.sum()) in {sum(block[2] != "u" for block in blocks) for _, blocks, *_ in recorder.truth[index:index + 2]}
        assert table.n_stale <= max(len(stale) for *_, stale in recorder.truth[index:index + 2])


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
    assert view("record", "run", "-t", "now", "--keep", "150s", cwd=tmp_path).returncode == 0
    stems = sorted({".".join(path.name.split(".")[:2]) for path in folder.glob("fragtrace-*")})
    # what began at 180 s reaches to 240 s, and 210 s are to be kept
    assert stems == [f"fragtrace-{START // 1000 + i * 60}.000" for i in (3, 4, 5, 6)]
    (tmp_path / "now").write_bytes(model.snapshot((START // 1000 + 420) * 10 ** 9).replace(b"/m/f", b"/m/g"))
    assert view("record", "run", "-t", "now", "--keep", "2M,7d", cwd=tmp_path).returncode == 0
    left = {path.name for path in folder.iterdir()}
    assert f"fragtrace-{START // 1000 + 180}.000.events.zst" not in left and "mine.txt" in left
    assert f"fragtrace-{START // 1000 + 300}.000.f2fs" in left
    assert f"fragtrace-{START // 1000 + 420}.000.snapshot.zst" in left
    (tmp_path / "now").write_bytes(model.snapshot((START // 1000 + 480) * 10 ** 9).replace(b"/m/f", b"/m/h"))
    assert view("record", "run", "-t", "now", "--keep", "1M,1s", cwd=tmp_path).returncode == 0
    # the one before reaches to this one
    assert sorted(path.name for path in folder.glob("fragtrace-*")) == [
        f"fragtrace-{START // 1000 + i}.000.snapshot.zst" for i in (420, 480)]


@pytest.mark.parametrize("limits", ["", "2", "2X", "G", "2G,", "2G,3G", "0d", "2G 7d", "1G,2d,3h", "99999999999G"])
def test_keep_refuses(tmp_path: Path, limits: str) -> None:
    done = view("record", "run", "-t", "x", "--keep", limits, cwd=tmp_path)
    assert done.returncode == 2 and "not valid; give a size (M, G, T)" in done.stderr


# === Traces ===


def traced(folder: Path) -> list[dict]:
    """The events of fragtrace perfetto, read by Python's own parser."""
    done = view("perfetto", "run", "-o", "trace.json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    trace = json.loads((folder / "trace.json").read_text(encoding="utf-8"))
    assert all({"ph", "pid", "tid", "ts", "name"} <= event.keys() for event in trace["traceEvents"])
    return trace["traceEvents"]


def test_a_trace_counts_breaks(made: Recorder) -> None:
    """At each moment the counter has the breaks of a naive model; names and lives of files are those of the model."""
    events = traced(made.folder.parent)
    counts = [(event["ts"], event["args"]["breaks"]) for event in events if event["ph"] == "C"]
    assert [at for at, _ in counts] == sorted(at for at, _ in counts)
    first_ns = counts[0][0] * 1000
    truth = [one for one in made.truth if one[0] >= first_ns]
    assert len({naive_breaks(blocks) for _, blocks, *_ in truth}) > 9
    for time_ns, blocks, *_ in truth:
        now = [count for at, count in counts if at * 1000 <= time_ns][-1]
        assert now == naive_breaks(blocks), time_ns
    threads = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    names = {f"/m/f{ino}.sst" for _, _, names, _ in made.truth for ino in names} | {f"(inode {ino})" for ino in range(4, made.model.next_ino)}
    instants = [event for event in events if event["ph"] == "i"]
    slices = {event["tid"]: event for event in events if event["ph"] == "X" and event["pid"] > 1}
    assert set(threads) == set(slices) == {event["tid"] for event in instants} and set(threads.values()) <= names
    assert sum(event["args"]["breaks"] for event in slices.values()) == len(instants) > 9
    for event in instants:
        life = slices[event["tid"]]
        assert life["ts"] <= event["ts"] <= life["ts"] + life["dur"] and event["pid"] == life["pid"]


def test_a_trace_has_causes(tmp_path: Path) -> None:
    """What broke a file, by hand: an append elsewhere, an overwrite in the middle that makes two breaks, a hole, and what makes none."""
    model = Model(random.Random(1))
    recorder = Recorder(tmp_path / "run", model)
    model.names[7] = "/m/<f>\n7.sst"
    model.blocks.update({(7, i): ("w", 5000 + i) for i in range(10)})
    recorder.copy(0)
    start = model.time_ns
    steps = [(ev.PLACED, 10, 5, 5010, 1), (ev.PLACED, 15, 5, 9000, 1), (ev.PLACED, 4, 2, 7000, 2), (ev.PLACED, 4, 2, 7000, 2),
             (ev.UNWRITTEN, 30, 5, 0, 0), (ev.HOLE, 31, 2, 0, 6), (ev.HOLE, 15, 2, 0, 6), (ev.GONE, 0, 0, 0, 0)]
    for kind, offset, length, lba, operation in steps:
        model.time_ns += 1000
        model.seq = (model.seq + (kind <= ev.UNKNOWN)) % 2 ** 32
        model.events.append((model.time_ns, DEV, 7, model.seq, offset, length, lba, 7, kind, operation, 1, 2, 0, b'a"b'))
    recorder.flush()
    recorder.write()
    events = traced(tmp_path)
    found = [((event["ts"] * 1000 - start) // 1000, event["name"], *(event["args"][key] for key in ("flush", "why_here", "process",
              "offset", "last_lba", "lba"))) for event in events if event["ph"] == "i"]
    who = ("sync", "interleaved", 'a"b:7')
    assert found == [(2, "append", *who, 15, 5014, 9000), (3, "overwrite", *who, 4, 5003, 7000),
                     (3, "overwrite", "sync", "moved", 'a"b:7', 6, 7001, 5006), (7, "range", "sync", "moved", 'a"b:7', 17, 5014, 9002)]
    assert [event["args"]["breaks"] for event in events if event["ph"] == "C"] == [0, 0, 1, 3, 3, 0]
    life, = (event for event in events if event["ph"] == "X")
    assert (life["name"], life["ts"] * 1000, life["dur"]) == ("/m/<f>\n7.sst", start, 8)


def test_a_trace_has_a_process_for_each_volume(tmp_path: Path) -> None:
    """A counter is in the process of its volume; two volumes, with one file each."""
    recorder = Recorder(tmp_path / "run", Model(random.Random(1)))
    recorder.copy(0)
    text = f"# fragtrace table 1\n# time {recorder.stem.name.partition('-')[2]}\n"
    for minor, breaks in (0, 1), (16, 2):
        text += f"# volume 254:{minor} main_blkaddr=100 blocks=200 segment_blocks=10 path=/m{minor}\n"
        text += "".join(f"254:{minor} {110 + 20 * i} 1 {i} 4 fragmented /m{minor}/a\n" for i in range(breaks + 1))
    (tmp_path / "table").write_text(text, encoding="utf-8")
    made = subprocess.run(["/usr/bin/python3", "-B", Path(__file__).with_name("to_snapshot.py"), tmp_path / "table"], capture_output=True, check=True)
    recorder.stem.with_name(recorder.stem.name + ".snapshot.zst").write_bytes(zstandard.compress(made.stdout))
    recorder.flush()
    recorder.write()
    events = traced(tmp_path)
    process = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert {process[event["pid"]]: event["args"]["breaks"] for event in events if event["ph"] == "C"} == {"/m0 (254:0)": 1, "/m16 (254:16)": 2}


def test_a_trace_has_one_thread_for_each_file(tmp_path: Path) -> None:
    """Hundreds of files; half of them end, then the others break again, and some inode numbers are used again."""
    rng = random.Random(SEED)
    recorder = Recorder(tmp_path / "run", Model(rng))
    recorder.copy(0)
    files = rng.sample(range(4, 2 ** 20), 500)
    ended = set(rng.sample(files, 250))
    again = {ino for ino in ended if ino % 5 == 0}
    lbas = iter(range(MAIN, END, 2))

    def append(ino: int, offset: int) -> None:
        recorder.model.emit(ev.PLACED, ino, offset, 1, next(lbas))

    for ino in files:
        recorder.model.emit(ev.NEW, ino)
        append(ino, 0)
        append(ino, 1)
    for ino in ended:
        recorder.model.emit(ev.HOLE, ino, 0, 2 ** 30)
        recorder.model.emit(ev.GONE, ino)
    for ino in again:
        recorder.model.emit(ev.NEW, ino)
        append(ino, 0)
        append(ino, 1)
    for ino in set(files) - ended | again:
        append(ino, 2)
    recorder.flush()
    recorder.write()
    lives = sorted((event["args"]["inode"], event["args"]["breaks"]) for event in traced(tmp_path) if event["ph"] == "X" and event["pid"] > 1)
    assert lives == sorted([(ino, 1 if ino in ended else 2) for ino in files] + [(ino, 2) for ino in again])


def test_a_trace_shows_what_was_lost(tmp_path: Path) -> None:
    """A slice from the last exact moment to the next one; a folder that has none is refused, and no input is overwritten."""
    recorder, lost_at, _, healed = record_gap(tmp_path / "run", SEED)
    numbered = [event[0] for event in recorder.model.events if event[8] <= ev.UNKNOWN and event[0] <= lost_at]
    gap, = (event for event in traced(tmp_path) if event["ph"] == "X" and event["pid"] == 1)
    assert (gap["name"], gap["args"]) == ("events were lost", {"lost": 2})
    assert (gap["ts"], gap["ts"] + gap["dur"]) == ((numbered[-1] - 1) // 1000, (numbered[-1] - 1) // 1000 + (healed - numbered[-1] + 1) // 1000)
    refused = view("perfetto", "run", "-o", f"run/{next((tmp_path / 'run').iterdir()).name}", cwd=tmp_path)
    assert refused.returncode == 2 and "is part of the input" in refused.stderr
    for path in (tmp_path / "run").glob("*.snapshot.zst"):
        path.write_bytes(zstandard.compress(b"# fragtrace table 1\n"))
    refused = view("perfetto", "run", cwd=tmp_path)
    assert refused.returncode == 1 and "is the text of a table" in refused.stderr
