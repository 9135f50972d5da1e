# SPDX-License-Identifier: GPL-2.0-only
"""The experiment of FAST 2024: files written in different company, then rewritten by fragtrace-defrag."""

from __future__ import annotations

import os
from pathlib import Path

from fragsnap import read_table

from ..facts import FactError, parse_compared, parse_facts
from ..model import Data, Experiment, Host, Options
from .dies import files, forecast, orders

NAME = "fast24-dies"
WRITTEN, REWRITTEN = "written", "rewritten"


def dies(options: Options) -> Experiment:
    """The order of all writes, and the maps."""
    mib = 1 if options.quick else 8

    def run(host: Host) -> Data:
        # one CPU: the events of one buffer are in the order of time
        host.guest(f"dies.py {mib}", disk="20G", limit=3600, cpus=1)
        with open(host.path("orders"), encoding="utf-8") as lines:
            at = orders(lines)
        os.unlink(host.path("orders"))
        found: Data = {
            "guest": parse_facts(Path(host.path("guest.facts")).read_text(encoding="utf-8")),
            "compared": parse_compared(Path(host.path("fiemap-check")).read_text(encoding="utf-8")),
            "moments": {},
        }
        for name in (WRITTEN, REWRITTEN):
            table = read_table(host.path(f"{name}.snapshot"))
            if table.n_stale:
                raise FactError(f"{name}: files are stale")
            found["moments"][name] = {
                "blocks_written": at[name].blocks_written,
                "blocks_allocated": at[name].blocks_allocated,
                "files": [forecast(one, at[name]) for one in files(table)],
            }
        return found

    return Experiment(
        NAME,
        "files that are written in different company: alone, in turn, as logs, beside SQLite, overwritten in place; then rewritten",
        {"mib": mib, "kernel": options.kernel, "seed": 2021},
        90 if options.quick else 300,
        run,
    )
