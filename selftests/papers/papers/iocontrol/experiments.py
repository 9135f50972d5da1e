# SPDX-License-Identifier: GPL-2.0-only
"""The experiments of I/O control: two groups on one disk, in a guest whose clock counts instructions."""

from __future__ import annotations

import json
from pathlib import Path

from ..facts import parse_facts
from ..guest import ICOUNT
from ..model import Data, Experiment, Host, Options

# The experiments of each part, by what their disk is called in observations.
DISKS = {"plain": "disk without a queue", "queue": "disk with a queue"}
SYNTHETIC = {title: f"iocontrol-synthetic-{disk}" for disk, title in DISKS.items()}
SQLITE = {title: f"iocontrol-sqlite-{disk}" for disk, title in DISKS.items()}
REQUEST_US = 1000
# The part of a disk's requests a second that the exact model of iocost has, as in_guest/groups.py.
TOLD = {"plain": 0.7, "queue": 0.4}
# As in_guest/groups.py has them.
CONTROLLERS = ("none", "bfq", "iocost-default", "iocost-exact")


def seconds(options: Options) -> float:
    """How long a case is measured, by the guest's clock: many of BFQ's turns, of up to 125 ms each."""
    return 2.0 if options.quick else 10.0


def experiment(part: str, disk: str, title: str, options: Options, estimate: float) -> Experiment:
    """A part of iocontrol.py on a disk."""
    settings: Data = {
        "seconds": seconds(options),
        "controllers": list(CONTROLLERS),
        "kernel": options.kernel,
        "request_us": REQUEST_US,
        "disk": disk,
        "iocost_told": TOLD[disk],
        "seed": 2021,
    }

    def run(host: Host) -> Data:
        host.guest(
            f"iocontrol.py {part} {disk} {seconds(options)} {' '.join(CONTROLLERS)}",
            disk="16M",
            limit=estimate * 5 + 1200,
            cpus=1,
            qemu=ICOUNT,
            variables={"FEW": "1"} if options.quick else {},
        )
        found: Data = json.loads(Path(host.path("runs.json")).read_text(encoding="utf-8"))
        return {"guest": parse_facts(Path(host.path("guest.facts")).read_text(encoding="utf-8")), **found}

    return Experiment(f"iocontrol-{part}-{disk}", f"{title}; {DISKS[disk]}", settings, estimate, run)


def synthetic(options: Options, disk: str) -> Experiment:
    """Two sequential readers."""
    title = "two groups read files of 16 MiB in sequence by 128 KiB: P1 to P6, then after fragtrace-defrag"
    return experiment("synthetic", disk, title, options, 180 if options.quick else {"plain": 1800, "queue": 3600}[disk])


def sqlite(options: Options, disk: str) -> Experiment:
    """A database beside random reads."""
    title = "SQLite's SELECT in grp2 beside fio's random reads of 64 KiB at depth 16 in grp1"
    return experiment("sqlite", disk, title, options, 120 if options.quick else 900)
