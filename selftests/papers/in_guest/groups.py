# SPDX-License-Identifier: GPL-2.0-only
"""Two cgroups that share a disk: their weights, what controls them, and what is counted for each."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lab"))
from devices import Disk  # noqa: E402
from treatments import DEBUGFS, Module  # noqa: E402
from volume import MNT, run  # noqa: E402

ROOT = Path("/sys/fs/cgroup")
GROUPS = ("grp1", "grp2")
# What shares the disk out. `none`: nobody. iocost: its own model of such a disk, and one with the costs that this disk has.
CONTROLLERS = ("none", "bfq", "iocost-default", "iocost-exact")
# The bytes of a request cost nothing here: as good as endless.
ENDLESS = 10_000_000_000
# Of the requests a second that a disk completes if none waits, iocost is told so many: what it lets through must not have to wait for
# the disk, or it controls nothing. The disk with a queue is slower than that, the more so the larger a request is.
TOLD = {"plain": 0.7, "queue": 0.4}


class Watched(Module):
    """fragtrace, counting by cgroup while the block lasts."""

    def __enter__(self) -> Watched:
        run("insmod", os.environ["FRAGTRACE_KO"], f"path={MNT}", "cgroups=1")
        return self


def make_groups() -> None:
    """Two cgroups, with the controller io."""
    if not (ROOT / "cgroup.procs").exists():
        run("mount", "-t", "cgroup2", "none", ROOT)
    (ROOT / "cgroup.subtree_control").write_text("+io")
    for name in GROUPS:
        (ROOT / name).mkdir(exist_ok=True)


def enter(name: str) -> None:
    """Make the calling process one of this cgroup."""
    (ROOT / name / "cgroup.procs").write_text("0")


@dataclass
class Control:
    """A disk, and who shares it out."""

    disk: Disk
    # Requests a second that iocost is told.
    told: int

    @property
    def number(self) -> str:
        return Path(f"/sys/block/{self.disk.name}/dev").read_text().strip()

    def use(self, controller: str) -> dict[str, Any]:
        """From now on this controls it; return its settings as the kernel shows them."""
        disk, dev = self.disk, self.number
        (ROOT / "io.cost.qos").write_text(f"{dev} enable=0")
        disk.queue("scheduler", "bfq" if controller == "bfq" else "none")
        if controller == "bfq":
            # By default it is twice the disk's own queue of one.
            disk.queue("nr_requests", "64")
            # It raises weights by itself; fairness is by weight without it only.
            disk.queue("iosched/low_latency", "0")
        elif controller == "iocost-default":
            (ROOT / "io.cost.model").write_text(f"{dev} ctrl=auto")
            (ROOT / "io.cost.qos").write_text(f"{dev} enable=1 ctrl=auto")
        elif controller == "iocost-exact":
            costs = " ".join(f"{way}bps={ENDLESS} {way}seqiops={self.told} {way}randiops={self.told}" for way in "rw")
            (ROOT / "io.cost.model").write_text(f"{dev} ctrl=user model=linear {costs}")
            (ROOT / "io.cost.qos").write_text(f"{dev} enable=1 ctrl=user rpct=0 wpct=0 min=100 max=100")
        return {
            "scheduler": Path(f"/sys/block/{disk.name}/queue/scheduler").read_text().strip(),
            "qos": (ROOT / "io.cost.qos").read_text().strip(),
            "model": (ROOT / "io.cost.model").read_text().strip(),
        }

    def weigh(self, weights: dict[str, int]) -> None:
        """Give the groups these weights, under each controller that knows weights."""
        for name, weight in weights.items():
            for file in ("io.bfq.weight", "io.weight"):
                if (ROOT / name / file).exists():
                    (ROOT / name / file).write_text(str(weight))

    def group(self, name: str) -> dict[str, int]:
        """What the kernel has counted for a group since it was made; cost.usage is iocost's estimate, in microseconds."""
        for line in (ROOT / name / "io.stat").read_text().splitlines():
            words = line.split()
            if words and words[0] == self.number:
                pairs = dict(word.split("=") for word in words[1:])
                return {key: int(pairs.get(key, 0)) for key in ("rbytes", "rios", "cost.usage")}
        return {"rbytes": 0, "rios": 0, "cost.usage": 0}

    def busy_ms(self) -> int:
        return int(Path(f"/sys/block/{self.disk.name}/stat").read_text().split()[9])


def by_cgroup(name: str) -> dict[str, int]:
    """fragtrace's counts of a group."""
    keys = ("reads", "bytes", "requests", "whole", "unknown")
    for line in (DEBUGFS / "by_cgroup").read_text().splitlines():
        words = line.split()
        if words[-1] == f"/{name}":
            return dict(zip(keys, map(int, words[1:6])))
    return dict.fromkeys(keys, 0)


def fio_program() -> list[str]:
    """fio and its libraries, in memory: while the guest waits for the host's files, its clock means nothing."""
    folder = Path("/run/papers-fio")
    folder.mkdir()
    program = subprocess.run(["which", "fio"], capture_output=True, text=True, check=True).stdout.strip()
    wanted = {word for word in run("ldd", program).split() if word.startswith("/")}
    run("cp", "-L", program, *sorted(wanted), folder)
    return [str(next(folder.glob("ld-linux*"))), "--library-path", str(folder), str(folder / "fio")]
