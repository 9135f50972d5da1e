# SPDX-License-Identifier: GPL-2.0-only
"""The experiment of FragPicker: all parts of lab/."""

from __future__ import annotations

import json
from pathlib import Path

from ..model import Data, Experiment, Host, Options

NAME = "fragpicker-lab"
PARTS = ("motivation", "forecast", "synthetic", "databases")
PICTURES = ("motivation.png", "gain.png")
SEED = 2021


def lab(options: Options) -> Experiment:
    """What pieces cost, and what rewrites gain."""

    def run(host: Host) -> Data:
        host.lab(PARTS, {"SEED": str(SEED), **({"QUICK": "1"} if options.quick else {})})

        def read(name: str) -> Data:
            found: Data = json.loads(Path(host.path(f"{name}.json")).read_text(encoding="utf-8"))
            return found

        return {"machine": read("machine"), "parts": {part: read(part) for part in PARTS}}

    return Experiment(
        NAME,
        "make lab BENCH=fragpicker: a file in pieces, reads and updates after five treatments, databases, forecasts",
        {"parts": list(PARTS), "quick": options.quick, "kernel": options.kernel, "seed": SEED},
        900 if options.quick else 5400,
        run,
    )
