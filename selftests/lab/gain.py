# SPDX-License-Identifier: GPL-2.0-only
"""Part (b): what six treatments of the same files gain, and what they cost."""
from __future__ import annotations

import mmap
import os
import random
from dataclasses import dataclass
from pathlib import Path
from time import monotonic_ns, sleep
from typing import Any, Callable

from devices import MIB, NullDisk, child
from treatments import DEBUGFS, SHARE_PERCENT, TREATMENTS, Module, foreseen, treated
from volume import BLOCK, MNT, Volume, Writer, age, extents, half_broken, run, sync, use_up
from workloads import rocksdb_fill, rocksdb_read, sqlite_fill, sqlite_read, read_direct, write_direct

KIB = 1024
READ = 128 * KIB
# FragPicker's stride: 288 KiB after each read are left out.
STRIDE = READ + 288 * KIB


@dataclass(frozen=True)
class Case:
    """A workload: what it does (it returns its nanoseconds), to which files; what is measured of a reader beside the treatments.

    With --share, the work takes so much of the guest's time that it is measured where there are few bytes.
    """

    name: str
    work: Callable[[], int]
    files: Callable[[], list[Path]]
    interference: bool = False
    share: bool = False


def timed(work: Callable[[], Any]) -> Callable[[], int]:
    def run_it() -> int:
        begun = monotonic_ns()
        work()
        return monotonic_ns() - begun

    return run_it


class Bench:
    """A disk, and an image of it from which each measurement begins."""

    def __init__(self, mib: int, request_ns: int, build: Callable[[Volume], Any]) -> None:
        self.disk = NullDisk(mib, request_ns)
        self.volume = Volume(self.disk)
        self.image = Path("/run/lab/image")
        self.heat = Path("/run/lab/heat")
        self.image.parent.mkdir(exist_ok=True)
        run("mount", "-t", "tmpfs", "-o", "size=3G", "lab", self.image.parent)
        self.volume.make()
        self.about = build(self.volume)
        bystander = Writer(MNT / "bystander")
        bystander.append(4 * MIB)
        bystander.close()
        self.volume.unmount()
        run("dd", f"if={self.disk.path}", f"of={self.image}", "bs=64K", "conv=sparse", "status=none")

    def fresh(self) -> None:
        """The volume as it was."""
        self.disk.queue("scheduler", "none")
        self.disk.blank()
        restore(self.image, Path(self.disk.path))
        self.volume.mount()

    def cold(self) -> None:
        """Nothing of the volume is in memory."""
        self.volume.unmount()
        self.volume.mount()

    def close(self) -> None:
        self.disk.remove()
        run("umount", self.image.parent)

    def learn(self, case: Case) -> dict[str, Any]:
        """Store the counts of a run of the workload, then measure it."""
        self.fresh()
        with Module(heat=True):
            case.work()
            self.heat.write_bytes((DEBUGFS / "heat").read_bytes())
        return self.measure(case, "nothing")

    def treat(self, case: Case, treatment: str) -> dict[str, Any]:
        self.fresh()
        return self.measure(case, treatment)

    def measure(self, case: Case, treatment: str) -> dict[str, Any]:
        """Treat the files, then do the work, with nothing in memory before."""
        with Module():
            cost = treated(treatment, self.volume, case.files(), self.heat)
        pieces = sum(len(extents(path)) for path in case.files())
        self.cold()
        before = self.disk.counts()
        ns = case.work()
        sync()
        done = self.disk.counts() - before
        self.volume.unmount()
        return {"requests": done.reads + done.writes, "work_ns": ns, "extents": pieces, "written": cost.done.written_bytes,
                "read": cost.done.read_bytes, "ns": cost.ns, "foreseen": foreseen(cost.said),
                "result": cost.said.get("result"), "refused": cost.said.get("refused", [])}

    def interference(self, case: Case, treatment: str) -> tuple[float, int]:
        """By how many percent a reader of another file is slower while the files are treated, and for how many nanoseconds."""
        self.fresh()
        self.disk.queue("scheduler", "bfq")
        # By default it is twice the disk's own queue of one.
        self.disk.queue("nr_requests", "64")
        counter = mmap.mmap(-1, BLOCK)
        pid = child(lambda: read_on(MNT / "bystander", counter))
        sleep(0.1)
        with Module():
            alone = rate(counter, lambda: sleep(0.5))
            begun = monotonic_ns()
            during = rate(counter, lambda: treated(treatment, self.volume, case.files(), self.heat))
            ns = monotonic_ns() - begun
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        self.volume.unmount()
        return 100 * (1 - during / alone), ns


def restore(image: Path, disk: Path) -> None:
    """Copy what is not a hole to a blank disk."""
    source, target = os.open(image, os.O_RDONLY), os.open(disk, os.O_WRONLY)
    at, end = 0, os.fstat(source).st_size
    while at < end:
        try:
            at = os.lseek(source, at, os.SEEK_DATA)
        except OSError:  # only a hole is left
            break
        hole = os.lseek(source, at, os.SEEK_HOLE)
        while at < hole:
            at += os.pwrite(target, os.pread(source, min(MIB, hole - at), at), at)
    os.fsync(target)
    os.close(source)
    os.close(target)


def read_on(path: Path, counter: mmap.mmap) -> None:
    """Read blocks at random, past the page cache, and count them, for ever."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    blocks = os.fstat(fd).st_size // BLOCK
    chance, buffer, n = random.Random(1), mmap.mmap(-1, BLOCK), 0
    while True:
        os.preadv(fd, [buffer], chance.randrange(blocks) * BLOCK)
        n += 1
        counter[:8] = n.to_bytes(8, "little")


def rate(counter: mmap.mmap, work: Callable[[], Any]) -> float:
    """How much is counted in a nanosecond of this work."""
    begun, first = monotonic_ns(), int.from_bytes(counter[:8], "little")
    work()
    return (int.from_bytes(counter[:8], "little") - first) / (monotonic_ns() - begun)


def compared(bench: Bench, cases: list[Case]) -> dict[str, Any]:
    results: dict[str, Any] = {"about": bench.about, "cases": {}}
    for case in cases:
        found: dict[str, Any] = {}
        for treatment in TREATMENTS:
            found[treatment] = one = bench.learn(case) if treatment == "nothing" else bench.treat(case, treatment)
            if case.interference and treatment != "nothing":
                one["interference"], _ = bench.interference(case, treatment)
            if case.share and treatment == "heat":
                slower, ns = bench.interference(case, "share")
                one["shared"] = {"percent": SHARE_PERCENT, "interference": slower, "ns": ns}
            print(f"  {case.name}, {treatment}: {one['requests']} requests, {one['written'] // KIB} KiB written, {one['extents']} extents, "
                  f"{one['ns'] / 1e9:.2f} s, {one['work_ns'] / 1e9:.2f} s of work, foreseen {one['foreseen']}, {one.get('interference', '')} {one.get('shared', '')}", flush=True)
        results["cases"][case.name] = found
    bench.close()
    return results


def synthetic(quick: bool, request_ns: int) -> dict[str, Any]:
    path = MNT / "file"
    groups = 26 if quick else 104

    def build(_: Volume) -> dict[str, Any]:
        half_broken(path, groups)
        return {"mib": groups * 256 / KIB}

    def files() -> list[Path]:
        return [path]

    return compared(Bench(256, request_ns, build), [
        Case("sequential read", lambda: read_direct(path, READ, READ)[1], files),
        Case("stride read", lambda: read_direct(path, READ, STRIDE)[1], files, interference=True),
        Case("sequential update", lambda: write_direct(path, READ, READ)[1], files),
        Case("stride update", lambda: write_direct(path, READ, STRIDE)[1], files),
    ])


def databases(quick: bool, request_ns: int, seed: int) -> dict[str, Any]:
    """Databases on a volume that other files have used up; rows of 1 KB."""
    rows = 5000 if quick else 20000
    times = 1000 if quick else 4000
    block = 16 * KIB
    sqlite, rocksdb = MNT / "sqlite.db", MNT / "rocksdb"

    def build(volume: Volume) -> dict[str, Any]:
        others = age(MNT / "old", seed, 0.97, 0.5)
        free = volume.free("free_segments")
        use_up(volume, MNT / "filler")
        sqlite_fill(sqlite, rows, seed)
        rocksdb_fill(rocksdb, rows, block, seed)
        sync()
        # Without free segments fragtrace defrag refuses to work: those of the oldest files become free.
        (MNT / "filler").unlink()
        oldest = sorted((MNT / "old").iterdir(), key=lambda path: int(path.name))[:others // 4]
        for path in oldest:
            path.unlink()
        sync()
        print(f"  {others - len(oldest)} other files, free segments {free}, then {volume.free('free_segments')}", flush=True)
        return {"rows": rows, "times": times, "others": others - len(oldest), "block": block}

    def tables() -> list[Path]:
        return sorted(rocksdb.glob("*.sst"))

    return compared(Bench(192 if quick else 512, request_ns, build), [
        Case("SQLite, rows", timed(lambda: sqlite_read(sqlite, rows, times, 1, seed)), lambda: [sqlite]),
        Case("SQLite, ranges", timed(lambda: sqlite_read(sqlite, rows, times // 100, 200, seed)), lambda: [sqlite]),
        Case("RocksDB, YCSB-C", lambda: rocksdb_read(rocksdb, rows, times, block, seed), tables, interference=True, share=True),
    ])
