#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Two groups with weights read from one disk, from files in pieces and from whole ones, under several controllers.

usage: iocontrol.py PART DISK SECONDS CONTROLLER...

PART is synthetic (two sequential readers; the cases P1 to P6, then again after fragtrace-defrag) or sqlite (queries beside
fio). DISK is plain (null_blk, which is given one request at a time) or queue (it is given many, and does one after the
other). Each case is measured for so many SECONDS of the guest's clock. Writes $OUT/runs.json and $OUT/guest.facts.
With $FEW only the cases that verdicts need.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import signal
import sqlite3
import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic_ns, sleep
from typing import Any

from groups import CONTROLLERS, GROUPS, TOLD, Control, Watched, by_cgroup, enter, fio_program, make_groups

# of lab/, which groups.py has put into the path
from devices import Disk, DistanceDisk, NullDisk, child
from treatments import DEBUGFS, defrag, program
from volume import BLOCK, MNT, Volume, Writer, drop_caches, extents, in_pieces, run, sync
from workloads import sqlite_fill

REQUEST_NS = 1_000_000
READ = 128 * 1024
DEPTH = 16
SEED = 2021
ROWS, RANGE = 4000, 200
WARM = 0.25
# What a reader has done so far: operations, bytes, and of the times of its operations in ns the sum, the sum of squares, the most.
DONE = struct.Struct("=QQdddQ")
PIECES, WHOLE, BROKEN_FIO, WHOLE_FIO, BASE = (
    MNT / name for name in ("pieces", "whole", "fio.pieces", "fio.whole", "base.db")
)
# weights of grp1 and grp2, and whether grp1's file is in pieces; 0: does not read
CASES: dict[str, tuple[int, int, bool]] = {
    "P1": (0, 100, False),
    "P2": (100, 100, False),
    "P3": (200, 100, False),
    "P4": (100, 100, True),
    "P5": (200, 100, True),
    "P6": (100, 0, True),
}

Work = Callable[[mmap.mmap], None]


def report(done: mmap.mmap, step: Callable[[], int]) -> None:
    """Repeat an operation for ever, and write what was done."""
    times, total, sums, squares, most = 0, 0, 0.0, 0.0, 0
    while True:
        begun = monotonic_ns()
        total += step()
        ns = monotonic_ns() - begun
        times, sums, squares, most = times + 1, sums + ns, squares + float(ns) * ns, max(most, ns)
        DONE.pack_into(done, 0, times, total, sums, squares, 0.0, most)


def reads(path: Path) -> Work:
    """Read a file by 128 KiB past the page cache, again and again."""

    def work(done: mmap.mmap) -> None:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
        size, buffer, at = os.fstat(fd).st_size, mmap.mmap(-1, READ), 0

        def step() -> int:
            nonlocal at
            got = os.preadv(fd, [buffer], at)
            at = (at + READ) % size
            return got

        report(done, step)

    return work


def selects(path: Path) -> Work:
    """Sum up ranges of rows, none of which is in memory."""

    def work(done: mmap.mmap) -> None:
        chance, fd = random.Random(SEED), os.open(path, os.O_RDONLY)

        def step() -> int:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            base = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
            first = chance.randrange(ROWS - RANGE)
            found = base.execute(
                "SELECT sum(length(v)) FROM kv WHERE k >= ? AND k < ?", (first, first + RANGE)
            ).fetchone()[0]
            base.close()
            return int(found)

        report(done, step)

    return work


def fio(command: list[str], path: Path) -> Work:
    """Random reads of 64 KiB, 16 at once."""
    options = [
        "--name=reads",
        f"--filename={path}",
        "--rw=randread",
        "--bs=64k",
        f"--iodepth={DEPTH}",
        "--ioengine=libaio",
        "--direct=1",
        "--time_based",
        "--runtime=1000",
        f"--randseed={SEED}",
        "--thread",
        "--eta=never",
        "--allow_file_create=0",
    ]

    def work(_done: mmap.mmap) -> None:
        null = os.open("/dev/null", os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.execv(command[0], [*command, *options])

    return work


def looked(done: mmap.mmap) -> tuple[Any, ...]:
    return DONE.unpack_from(done, 0)


class QueueDisk(DistanceDisk):
    """A disk with a queue of its own, out of a controller's reach: each request takes the same, in the order of arrival."""

    def __init__(self, mib: int, request_ns: int) -> None:
        self.request_ns = request_ns
        super().__init__(mib, Path("/tmp/papers-disk"))

    def cost_ns(self, begin: int, length: int) -> float:
        return float(self.request_ns)


def start(name: str, work: Work, done: mmap.mmap) -> None:
    """Work as a process of this cgroup, and of a group of processes that can be ended together."""
    os.setpgid(0, 0)
    enter(name)
    work(done)


@dataclass
class Lab:
    """A disk, its groups, and how long a case is measured."""

    control: Control
    seconds: float

    def measure(self, works: Mapping[str, Work], weights: Mapping[str, int]) -> dict[str, Any]:
        """What each group gets while all work."""
        control = self.control
        if isinstance(control.disk, QueueDisk):
            # files were made without waiting
            control.disk.is_slow = True
        control.weigh(dict(weights))
        drop_caches()
        done = {name: mmap.mmap(-1, 4096) for name in works}
        before_start = {name: control.group(name)["rbytes"] for name in works}
        pids = []
        for name, work in works.items():
            pids.append(child(partial(start, name, work, done[name])))
        for _ in range(600):
            if all(control.group(name)["rbytes"] > before_start[name] for name in works):
                break
            sleep(0.05)
        else:
            raise SystemExit("papers: a group has read nothing in 30 s")
        sleep(WARM)
        (DEBUGFS / "by_cgroup").write_text("reset")
        state = {name: (control.group(name), looked(done[name])) for name in works}
        begun, disk, busy = monotonic_ns(), control.disk.counts(), control.busy_ms()
        sleep(self.seconds)
        ns, counted, busy = monotonic_ns() - begun, control.disk.counts() - disk, control.busy_ms() - busy
        found: dict[str, Any] = {
            "seconds": ns / 1e9,
            "disk": {
                "requests": counted.reads,
                "bytes": counted.read_bytes,
                "writes": counted.writes,
                "busy": busy / 1e3,
            },
            "groups": {},
        }
        for name in works:
            (old, was), new, now, seen = state[name], control.group(name), looked(done[name]), by_cgroup(name)
            times = now[0] - was[0]
            mean = (now[2] - was[2]) / times if times else 0
            spread = max((now[3] - was[3]) / times - mean * mean, 0) ** 0.5 if times else 0
            found["groups"][name] = {
                "weight": weights[name],
                "operations": times,
                "useful": now[1] - was[1],
                "mean_ns": mean,
                "spread_ns": spread,
                "bytes": new["rbytes"] - old["rbytes"],
                "bios": new["rios"] - old["rios"],
                "estimated_us": new["cost.usage"] - old["cost.usage"],
                **{f"module_{key}": value for key, value in seen.items()},
            }
        for pid in pids:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        return found


def said(runs: list[dict[str, Any]], **more: Any) -> None:
    """Keep a run, and say what it was."""
    runs.append(more)
    print(
        f"{more['controller']}, {more['case']}, {more['state']}: "
        + "; ".join(
            f"{name} {one['bytes'] / more['seconds'] / 1e6:.2f} MB/s in {one['module_requests']} requests"
            for name, one in more["groups"].items()
        ),
        flush=True,
    )


def synthetic(lab: Lab, controllers: list[str]) -> dict[str, Any]:
    """Cases P1 to P6; then P4 and P5 again after the wrong files, and after the right ones were rewritten."""
    in_pieces(PIECES, 4096, BLOCK, BLOCK)
    writer = Writer(WHOLE)
    writer.append(4096 * BLOCK)
    writer.close()
    sync()
    runs: list[dict[str, Any]] = []
    settings: dict[str, Any] = {}
    moves: dict[str, Any] = {}
    few = bool(os.environ.get("FEW"))

    def case(controller: str, name: str, state: str) -> None:
        one, other, broken = CASES[name]
        works = {GROUPS[0]: reads(PIECES if broken else WHOLE)} if one else {}
        if other:
            works[GROUPS[1]] = reads(WHOLE)
        weights = {name: weight for name, weight in zip(GROUPS, (one, other)) if weight}
        said(runs, controller=controller, case=name, state=state, **lab.measure(works, weights))

    for state, path, cases in (
        ("as written", None, CASES),
        ("grp2 rewritten", WHOLE, ("P4",)),
        ("grp1 rewritten", PIECES, ("P4", "P5")),
    ):
        if path:
            lab.control.use("none")
            moves[state] = moved(path)
        for controller in controllers:
            settings[controller] = lab.control.use(controller)
            for name in cases:
                # what no verdict needs: who is alone is so without a controller, the others are with one
                if not few or (controller == "none") == (name in ("P1", "P6")):
                    case(controller, name, state)
    return {"runs": runs, "controllers": settings, "moves": moves}


def moved(path: Path) -> dict[str, Any]:
    """Rewrite the pieces of a file that cost requests."""
    before = len(extents(path))
    written = WATCHED.disk.counts()
    result = defrag("--all", "--apply", path).get("result") or {}
    sync()
    return {
        "blocks": os.stat(path).st_size // BLOCK,
        "before": before,
        "after": len(extents(path)),
        "moved": result.get("moved_bytes", 0),
        "written": (WATCHED.disk.counts() - written).written_bytes,
    }


def sqlite(lab: Lab, controllers: list[str]) -> dict[str, Any]:
    """grp1: fio, on a whole file, on one in pieces, on this one after it was rewritten. grp2: SQLite, whose file is whole."""
    in_pieces(BROKEN_FIO, 4096, BLOCK, BLOCK)
    for path in (WHOLE_FIO,):
        writer = Writer(path)
        writer.append(4096 * BLOCK)
        writer.close()
    sqlite_fill(BASE, ROWS, SEED)
    sync()
    # what SQLite has written with many fsyncs is made whole first
    moves = {"before": moved(BASE)}
    command = fio_program()
    runs: list[dict[str, Any]] = []
    settings: dict[str, Any] = {}
    both = {GROUPS[0]: 100, GROUPS[1]: 100}

    def beside(controller: str, state: str, path: Path) -> None:
        works = {GROUPS[0]: fio(command, path), GROUPS[1]: selects(BASE)}
        said(runs, controller=controller, case="both", state=state, **lab.measure(works, both))

    lab.control.use("none")
    for state, path in (("whole", WHOLE_FIO), ("in pieces", BROKEN_FIO)):
        said(
            runs,
            controller="none",
            case="fio alone",
            state=state,
            **lab.measure({GROUPS[0]: fio(command, path)}, {GROUPS[0]: 100}),
        )
    said(
        runs,
        controller="none",
        case="SQLite alone",
        state="whole",
        **lab.measure({GROUPS[1]: selects(BASE)}, {GROUPS[1]: 100}),
    )
    for state, path in (("whole", WHOLE_FIO), ("in pieces", BROKEN_FIO), ("rewritten", BROKEN_FIO)):
        if state == "rewritten":
            lab.control.use("none")
            moves[state] = moved(BROKEN_FIO)
        for controller in controllers:
            settings[controller] = lab.control.use(controller)
            beside(controller, state, path)
    return {"runs": runs, "controllers": settings, "moves": moves}


PARTS = {"synthetic": synthetic, "sqlite": sqlite}
DISKS: dict[str, Callable[[int, int], Disk]] = {"plain": NullDisk, "queue": QueueDisk}
WATCHED: Control


def main() -> None:
    global WATCHED
    part, kind, seconds, controllers = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4:]
    if part not in PARTS or kind not in DISKS or any(name not in CONTROLLERS for name in controllers):
        raise SystemExit(__doc__)
    out = Path(os.environ["OUT"])
    run("modprobe", "bfq")
    make_groups()
    program()
    disk = DISKS[kind](256, REQUEST_NS)
    WATCHED = Control(disk, int(1_000_000_000 / REQUEST_NS * TOLD[kind]))
    volume = Volume(disk)
    volume.make()
    with Watched():
        found = PARTS[part](Lab(WATCHED, seconds), controllers)
    found["request_ns"] = REQUEST_NS
    found["rows"] = RANGE
    (out / "runs.json").write_text(json.dumps(found, indent=1) + "\n")
    release = os.uname().release
    (out / "guest.facts").write_text(
        f"kernel {release}\nmax_sectors_kb {Path(f'/sys/block/{disk.name}/queue/max_sectors_kb').read_text()}"
    )
    volume.unmount()
    disk.remove()


if __name__ == "__main__":
    main()
