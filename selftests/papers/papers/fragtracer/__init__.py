# SPDX-License-Identifier: GPL-2.0-only
"""FragTracer (Cho and Kang, Sensors 2023, 23(9), 4488): its experiments here, and its claims."""

from __future__ import annotations

from ..model import Options, Paper
from .claims import claims
from .experiments import DATABASES, RECORDS, cost, moments, period, replay, ycsb
from .show import show

__all__ = ["claims", "paper"]


def here(options: Options) -> str:
    """The setup here; each experiment names its settings and versions."""
    if options.quick:
        return "Here: only system calls are replayed (QUICK=1)."
    records = ", ".join(f"{title} {options.records or RECORDS[name]}" for name, title in DATABASES.items())
    pictures = " and ".join(f"{second} s" for second in moments(options))
    return (
        f"Here: kernel {options.kernel}; YCSB-F with the same distribution and proportions, records: {records}; "
        f"pictures due after {pictures} of the workload, without a sync, and taken when each result says; VoltDB's snapshots every "
        f"{period(options)} s, but on an aged volume after a number of operations."
    )


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
        "The paper: Intel i9-12900KF, 32 GB, Samsung SSD 860 PRO 256 GB, Linux 5.15.21; YCSB-F, 10 000 000 records, "
        "1 000 000 000 operations, zipfian, read : read-modify-write 5 : 5; pictures after 60 s and 1 h; VoltDB's "
        "snapshots every 30 min.",
        here(options),
        tuple(experiments),
        claims(options),
        show,
    )
