# SPDX-License-Identifier: GPL-2.0-only
"""The six treatments of fragmented files, and what they cost."""
from __future__ import annotations

import fcntl
import functools
import json
import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from time import monotonic_ns, sleep
from typing import Any, Callable

from devices import Counts
from volume import MNT, Volume, run

DEFRAGMENT = 0xC010F508
PROGRAM = Path(__file__).resolve().parents[2] / "viewer" / "fragtrace"
DEBUGFS = Path("/sys/kernel/debug/fragtrace")


@dataclass(frozen=True)
class Cost:
    """What a treatment has cost, and what it said."""

    ns: int
    done: Counts
    said: dict[str, Any]


class Module:
    """fragtrace, following the volume while the block lasts."""

    def __init__(self, heat: bool = False) -> None:
        self.heat = heat

    def __enter__(self) -> Module:
        run("insmod", os.environ["FRAGTRACE_KO"], f"path={MNT}", f"heat={int(self.heat)}")
        while not self.knows_all():
            sleep(0.05)
        return self

    @staticmethod
    def knows_all() -> bool:
        """Have all files been read, and is none stale?"""
        stats = dict(line.split()[:2] for line in (DEBUGFS / "stats").read_text().splitlines() if not line.startswith("#"))
        targets = [line.split() for line in (DEBUGFS / "targets").read_text().splitlines() if not line.startswith("#")]
        return stats["stale"] == stats["queued"] == "0" and all(target[2] == "live" for target in targets)

    def __exit__(self, *_: object) -> None:
        run("rmmod", "fragtrace")


@functools.cache
def program() -> list[str]:
    """The program and its libraries, in memory.

    While the guest waits for the host's files its clock goes from timer to timer, and times mean nothing.
    """
    folder = Path("/run/lab-program")
    folder.mkdir()
    shutil.copy(PROGRAM, folder)
    for word in run("ldd", PROGRAM).split():
        if word.startswith("/"):
            shutil.copy(word, folder)
    return [str(next(folder.glob("ld-linux*"))), "--library-path", str(folder), str(folder / PROGRAM.name), "defrag"]


def defrag(*options: str | Path) -> dict[str, Any]:
    """Run fragtrace defrag; return its JSON."""
    done = subprocess.run([*program(), "--json", *(str(word) for word in options)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3, 4):
        raise SystemExit(f"lab: fragtrace defrag {' '.join(str(word) for word in options)}: {done.stderr}")
    return json.loads(done.stdout)


def nothing(_files: list[Path], _heat: Path) -> dict[str, Any]:
    return {}


def copy(files: list[Path], _heat: Path) -> dict[str, Any]:
    """Each file is copied, and the copy gets its name."""
    for path in files:
        new = path.with_name(path.name + ".new")
        with open(path, "rb") as source, open(new, "wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
            os.fsync(target.fileno())
        new.rename(path)
    return {}


def ioctl(files: list[Path], _heat: Path) -> dict[str, Any]:
    """F2FS_IOC_DEFRAGMENT on all of each file."""
    refused: list[str] = []
    for path in files:
        fd = os.open(path, os.O_RDWR)
        size = -(-os.fstat(fd).st_size // 4096) * 4096
        try:
            fcntl.ioctl(fd, DEFRAGMENT, bytearray(struct.pack("=QQ", 0, size)))
        except OSError as error:
            refused.append(f"{path.name}: {error.strerror}")
        os.fsync(fd)
        os.close(fd)
    return {"refused": refused}


def planned(*options: str) -> Callable[[list[Path], Path], dict[str, Any]]:
    """Our planner with the counts of the workload."""

    def treat(files: list[Path], heat: Path) -> dict[str, Any]:
        return defrag("--apply", "--heat", heat, *options, *files)

    return treat


TREATMENTS: dict[str, Callable[[list[Path], Path], dict[str, Any]]] = {
    "nothing": nothing,
    "copy": copy,
    "ioctl": ioctl,
    "fragpicker": planned("--like", "fragpicker"),
    "heat": planned(),
    "most": planned("--min-gain", "0"),
}

# How fragtrace defrag works beside others: while they use the disk, for so much of the time only.
SHARE_PERCENT = 2
BESIDE = {**TREATMENTS, "share": planned("--share", str(SHARE_PERCENT))}


def treated(name: str, volume: Volume, files: list[Path], heat: Path) -> Cost:
    """Treat the files, to the end of all writing; the module is there."""
    program()
    os.sync()
    begun, before = monotonic_ns(), volume.disk.counts()
    said = BESIDE[name](files, heat)
    os.sync()
    return Cost(monotonic_ns() - begun, volume.disk.counts() - before, said)


def foreseen(said: dict[str, Any]) -> dict[str, float]:
    """What the plan promises: requests saved by the readers that were counted, and bytes to write."""
    ranges = [r for volume in said.get("volumes", []) for file in volume["files"] for r in file["ranges"] if r["chosen"]]
    return {"saved": sum(r["saved"] for r in ranges), "bytes": sum(r["bytes"] for r in ranges)}
