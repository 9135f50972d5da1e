#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Files that are written in different company, and the order in which their blocks were allocated and went to the device.

usage: dies.py MIB

Each file of db/ gets MIB. The moments are `written` and `rewritten` (by fragtrace-defrag). Writes $OUT/orders, one line for each event
in the order of time: `W LBA BLOCKS` (a request to write went to the device), `E INO OFFSET LENGTH NEW` (extent_change), `M MOMENT`;
MOMENT.snapshot of the module; $OUT/guest.facts.
"""

from __future__ import annotations

import mmap
import os
import random
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from time import sleep

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lab"))
from devices import MIB  # noqa: E402
from treatments import DEBUGFS, Module, defrag  # noqa: E402
from volume import BLOCK, run, sync  # noqa: E402
from volume import Writer  # noqa: E402

MNT = Path("/mnt/lab")
TRACING = Path("/sys/kernel/tracing")
EVENTS = ("block/block_rq_issue", "fragtrace/extent_change")
SEED = 2021
# Of a transaction, and bytes of one.
ROWS, ROW = 12, 1000
ISSUE = re.compile(r"block_rq_issue: (\d+),(\d+) (\S+) \d+ \([^)]*\) (\d+) \+ (\d+) ")
CHANGE = re.compile(r"extent_change: dev=\S+ ino=(\d+) seq=\d+ offset=(\d+) length=(\d+) old=\S+ new=(\S+) ")
MOMENT = re.compile(r"tracing_mark_write: moment (\w+)")


class Trace:
    """The events of one CPU, in an instance of its own."""

    def __init__(self) -> None:
        self.folder = TRACING / "instances/papers"
        self.folder.mkdir()
        (self.folder / "buffer_size_kb").write_text("262144")
        self.switch("1")

    def switch(self, on: str) -> None:
        for event in EVENTS:
            (self.folder / "events" / event / "enable").write_text(on)

    def mark(self, name: str) -> None:
        (self.folder / "trace_marker").write_text(f"moment {name}\n")

    def store(self, device: tuple[int, int], path: Path) -> None:
        """Write what was seen; none may be lost."""
        self.switch("0")
        lost = [
            line
            for line in (self.folder / "per_cpu/cpu0/stats").read_text().splitlines()
            if line.startswith(("overrun", "dropped"))
        ]
        if any(int(line.split()[-1]) for line in lost):
            raise SystemExit(f"papers: events were lost: {lost}")
        with (
            open(self.folder / "trace", encoding="utf-8", errors="replace") as events,
            open(path, "w", encoding="utf-8") as out,
        ):
            for line in events:
                if issued := ISSUE.search(line):
                    major, minor, kind, sector, sectors = issued.groups()
                    if (int(major), int(minor)) == device and "W" in kind and int(sectors):
                        out.write(f"W {int(sector) // 8} {int(sectors) // 8}\n")
                elif changed := CHANGE.search(line):
                    out.write(f"E {' '.join(changed.groups())}\n")
                elif marked := MOMENT.search(line):
                    out.write(f"M {marked[1]}\n")


def together(folder: Path, names: tuple[str, ...], size: int, piece: int) -> None:
    """Files that grow in turn by pieces."""
    writers = [Writer(folder / name) for name in names]
    for _ in range(size // piece):
        for writer in writers:
            writer.append(piece)
    for writer in writers:
        writer.close()


def logs(folder: Path, names: tuple[str, ...], size: int) -> None:
    """Logs that take turns: 4 KiB, then fdatasync, which also writes a node block."""
    files = [os.open(folder / name, os.O_WRONLY | os.O_CREAT) for name in names]
    data = os.urandom(BLOCK)
    for at in range(0, size, BLOCK):
        for fd in files:
            os.pwrite(fd, data, at)
            os.fdatasync(fd)
    for fd in files:
        os.close(fd)


def overwrite(path: Path, size: int, direct: bool) -> None:
    """Write half of the blocks again, at random: past the page cache F2FS writes in place."""
    fd = os.open(path, os.O_WRONLY | (os.O_DIRECT if direct else 0))
    buffer = mmap.mmap(-1, BLOCK)
    buffer.write(os.urandom(BLOCK))
    blocks = list(range(size // BLOCK))
    random.Random(SEED).shuffle(blocks)
    for block in blocks[: len(blocks) // 2]:
        os.pwritev(fd, [buffer], block * BLOCK)
    os.fsync(fd)
    os.close(fd)


def database(folder: Path, size: int) -> None:
    """SQLite with its journal, a transaction for some rows; after each, another file grows by as much."""
    chance, beside = random.Random(SEED), Writer(folder / "beside.dat")
    base = sqlite3.connect(folder / "base.db", isolation_level=None)
    base.execute("CREATE TABLE kv (k INTEGER PRIMARY KEY, v BLOB)")
    for _ in range(size // (ROWS * ROW)):
        base.execute("BEGIN")
        base.executemany("INSERT INTO kv (v) VALUES (?)", ((chance.randbytes(ROW),) for _ in range(ROWS)))
        base.execute("COMMIT")
        beside.append(4 * BLOCK)
    base.close()
    beside.close()


def work(folder: Path, size: int) -> None:
    """Write all files."""
    together(folder, ("alone.dat",), size, 128 * 1024)
    together(folder, ("turns-128K.a", "turns-128K.b"), size, 128 * 1024)
    together(folder, ("turns-32K.a", "turns-32K.b"), size, 32 * 1024)
    together(folder, ("turns-4K.a", "turns-4K.b"), size, BLOCK)
    together(folder, tuple(f"eight-4K.{n}" for n in range(8)), size // 4, BLOCK)
    logs(folder, ("log.a", "log.b"), size // 2)
    for name in ("direct.dat", "buffered.dat"):
        together(folder, (name,), size, 128 * 1024)
        sync()
        overwrite(folder / name, size, name == "direct.dat")
    database(folder, size)
    run("fileop", "rocksdb", folder, "4")


def exact() -> None:
    for _ in range(600):
        if Module.knows_all():
            return
        sleep(0.1)
    raise SystemExit("papers: maps are still not exact after 60 s")


def moment(trace: Trace, out: Path, name: str) -> None:
    """Keep the maps, when all of them are on the device."""
    sync()
    exact()
    trace.mark(name)
    (out / f"{name}.snapshot").write_bytes((DEBUGFS / "snapshot").read_bytes())
    print(f"moment {name}", flush=True)


def main() -> None:
    size, out = int(float(sys.argv[1]) * MIB), Path(os.environ["OUT"])
    run("mkfs.f2fs", "-q", "-f", "/dev/vda")
    MNT.mkdir(parents=True, exist_ok=True)
    run("mount", "-t", "f2fs", "/dev/vda", MNT)
    (MNT / "db").mkdir()
    with Module():
        trace = Trace()
        work(MNT / "db", size)
        moment(trace, out, "written")
        result = defrag("--all", "--apply", MNT / "db").get("result") or {}
        print(f"not moved: {result.get('not_moved')}", flush=True)
        moment(trace, out, "rewritten")
        state = os.stat("/dev/vda").st_rdev
        trace.store((os.major(state), os.minor(state)), out / "orders")
        checked = subprocess.run(
            ["fiemap-check", "-d", DEBUGFS, MNT / "db"], capture_output=True, text=True, check=False
        )
        if checked.returncode:
            raise SystemExit(f"papers: fragtrace and FIEMAP disagree: {checked.stdout[-300:]}")
        (out / "fiemap-check").write_text(checked.stdout)
    options = next(
        line.split()[3] for line in Path("/proc/mounts").read_text().splitlines() if line.split()[1] == str(MNT)
    )
    facts = {
        "kernel": os.uname().release,
        "mount_options": options,
        "ipu_policy": Path("/sys/fs/f2fs/vda/ipu_policy").read_text().strip(),
        "moved_bytes": result.get("moved_bytes", 0),
    }
    (out / "guest.facts").write_text("".join(f"{name} {value}\n" for name, value in facts.items()))
    run("umount", MNT)


if __name__ == "__main__":
    main()
