# SPDX-License-Identifier: GPL-2.0-only
"""The experiments of I/O control: two groups on one disk, in a guest whose clock counts instructions."""

from __future__ import annotations

import json
from pathlib import Path

from ..facts import parse_facts
from ..model import Data, Experiment, Host, Options

SYNTHETIC, SQLITE = "iocontrol-synthetic", "iocontrol-sqlite"
REQUEST_US = 1000
ICOUNT = "-icount shift=0,sleep=off"
# As in_guest/groups.py has them.
CONTROLLERS = ("none", "bfq", "iocost-default", "iocost-exact")


def seconds(options: Options) -> float:
    """How long a case is measured, by the guest's clock."""
    return 0.5 if options.quick else 3.0


def experiment(name: str, title: str, part: str, options: Options, estimate: float) -> Experiment:
    """A part of iocontrol.py."""
    settings: Data = {
        "seconds": seconds(options),
        "controllers": list(CONTROLLERS),
        "kernel": options.kernel,
        "request_us": REQUEST_US,
        "seed": 2021,
    }

    def run(host: Host) -> Data:
        host.guest(
            f"iocontrol.py {part} {seconds(options)} {' '.join(CONTROLLERS)}",
            disk="16M",
            limit=estimate * 5 + 1200,
            cpus=1,
            qemu=ICOUNT,
        )
        found: Data = json.loads(Path(host.path("runs.json")).read_text(encoding="utf-8"))
        return {"guest": parse_facts(Path(host.path("guest.facts")).read_text(encoding="utf-8")), **found}

    return Experiment(name, title, settings, estimate, run)


def synthetic(options: Options) -> Experiment:
    """Two sequential readers."""
    return experiment(
        SYNTHETIC,
        "two groups read files of 16 MiB in sequence by 128 KiB: P1 to P6, then after fragtrace-defrag",
        "synthetic",
        options,
        60 if options.quick else 300,
    )


def sqlite(options: Options) -> Experiment:
    """A database beside random reads."""
    return experiment(
        SQLITE,
        "SQLite's SELECT in grp2 beside fio's random reads of 64 KiB at depth 16 in grp1",
        "sqlite",
        options,
        60 if options.quick else 150,
    )
