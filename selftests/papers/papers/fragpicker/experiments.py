# SPDX-License-Identifier: GPL-2.0-only
"""The experiments of FragPicker: the parts of lab/, each of which may be run alone."""

from __future__ import annotations

import json
from pathlib import Path

from ..model import Data, Experiment, Host, Options, Results

MOTIVATION, FORECAST, SYNTHETIC, DATABASES = "motivation", "forecast", "synthetic", "databases"
# As lab/treatments.py has them, by the words for them.
TREATMENTS = {
    "nothing": "nothing",
    "copy": "whole-file rewrite",
    "ioctl": "F2FS_IOC_DEFRAGMENT on all",
    "fragpicker": "FragPicker's rules",
    "heat": "fragtrace-defrag",
    "most": "fragtrace-defrag --min-gain 0",
}
TITLES = {
    MOTIVATION: "a file in pieces, by their size and by their distance, read in order",
    FORECAST: "requests of a sequential read, as the plan foresees them and as the disk counts them",
    SYNTHETIC: f"sequential and stride reads and updates, after {len(TREATMENTS)} treatments of the file",
    DATABASES: "SQLite and RocksDB on an aged volume, after the same",
}
PICTURES = {MOTIVATION: "motivation.png", SYNTHETIC: "gain.png", DATABASES: "gain.png"}
# Seconds of each part; of all parts with QUICK=1.
ESTIMATES = {MOTIVATION: 1200.0, FORECAST: 1200.0, SYNTHETIC: 1800.0, DATABASES: 3600.0}
QUICK = 240.0
SEED = 2021


def name_of(part: str) -> str:
    """The name of the experiment that is this part of the lab."""
    return f"fragpicker-{part}"


def parts_of(results: Results) -> Data:
    """What the lab has left, by part; only of those parts that were measured."""
    return {part: results[name_of(part)].data for part in TITLES if name_of(part) in results}


def lab(part: str, options: Options) -> Experiment:
    """A part of the lab."""
    settings: Data = {"part": part, "quick": options.quick, "kernel": options.kernel, "seed": SEED}
    if part in (SYNTHETIC, DATABASES):
        settings["treatments"] = list(TREATMENTS)

    def run(host: Host) -> Data:
        host.lab((part,), {"SEED": str(SEED), **({"QUICK": "1"} if options.quick else {})})
        found: Data = json.loads(Path(host.path(f"{part}.json")).read_text(encoding="utf-8"))
        return found

    return Experiment(
        name_of(part),
        f"make lab BENCH=fragpicker PARTS={part}: {TITLES[part]}",
        settings,
        QUICK if options.quick else ESTIMATES[part],
        run,
    )
