#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The half of the lab that runs in the guest: measures one part after the other, writes PART.json to a folder.

In: machine.json, which each PART.json gets a copy of.
"""
from __future__ import annotations

import argparse
import json
from pathlib import Path

from forecast import forecast
from gain import databases, synthetic
from motivation import motivation

REQUEST_NS = 100_000


def main() -> None:
    parser = argparse.ArgumentParser(description="measure the parts of the lab")
    parser.add_argument("folder", type=Path)
    parser.add_argument("parts", nargs="+", choices=("motivation", "forecast", "synthetic", "databases"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=2021)
    args = parser.parse_args()
    machine = json.loads((args.folder / "machine.json").read_text())
    for part in args.parts:
        if part == "motivation":
            results = motivation(args.quick, REQUEST_NS)
        elif part == "forecast":
            results = forecast(args.quick, REQUEST_NS, args.seed)
        elif part == "synthetic":
            results = synthetic(args.quick, REQUEST_NS)
        else:
            results = databases(args.quick, REQUEST_NS, args.seed)
        results["machine"] = machine
        (args.folder / f"{part}.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
