# SPDX-License-Identifier: GPL-2.0-only
"""FragTracer (Cho and Kang, Sensors 2023, 23(9), 4488): its experiments here, and its claims."""

from __future__ import annotations

from ..model import Options, Paper
from .claims import claims
from .experiments import DATABASES, cost, replay, ycsb

__all__ = ["claims", "paper"]


def paper(options: Options) -> Paper:
    """The paper; the quick version replays system calls instead of running databases."""
    experiments = [replay(options)]
    if not options.quick:
        experiments += [
            ycsb(database, volume, options) for database in DATABASES for volume in ("clean", "aged", "full")
        ]
        experiments += [ycsb("rocksdb", "small", options), cost(options)]
    return Paper(
        "fragtracer",
        "FragTracer: Real-Time Fragmentation Monitoring Tool for F2FS File System",
        "M. Cho and D. Kang, Sensors 2023, 23(9), 4488, https://doi.org/10.3390/s23094488",
        "The paper: Intel i9-12900KF, 32 GB, Samsung SSD 860 PRO 256 GB, Linux 5.15.21; YCSB-F, 10 000 000 records, 1 000 000 000 "
        "operations, zipfian, read : read-modify-write 5 : 5; snapshots after 60 s and 1 h; VoltDB's snapshots every 30 min.",
        tuple(experiments),
        claims(options),
    )
