# SPDX-License-Identifier: GPL-2.0-only
"""The functions of the guest's kernel that execute the instructions added by tracing, or in another mode.

In: a folder with MODETIMES.counts, written by profile.c, and MODETIMES/kallsyms; the number of written blocks.
Out: instructions for each block, by function.
"""
from __future__ import annotations

import argparse
from bisect import bisect_right
from collections import Counter
from pathlib import Path

KERNEL = 0xFFFFFFFF80000000
SHOWN = 40


def functions(folder: Path, run: str) -> Counter[str]:
    """Instructions by function in one run."""
    symbols = []
    for line in (folder / run / "kallsyms").read_text().splitlines():
        address, kind, name, *module = line.split()
        if kind in "tTwW":
            symbols.append((int(address, 16), " ".join([name, *module])))
    symbols.sort()
    starts = [address for address, _ in symbols]
    executed: Counter[str] = Counter()
    for line in (folder / f"{run}.counts").read_text().splitlines():
        address, length, times = line.split()
        at = int(address, 16)
        name = symbols[bisect_right(starts, at) - 1][1] if at >= KERNEL else "(programs)"
        executed[name] += int(length) * int(times)
    return executed


def work(folder: Path, mode: str) -> Counter[str]:
    """The instructions of the work: running it twice, minus running it once."""
    once, twice = functions(folder, f"{mode}1"), functions(folder, f"{mode}2")
    return Counter({name: twice[name] - once[name] for name in twice | once})


def main() -> None:
    parser = argparse.ArgumentParser(description="instructions that tracing adds, by function")
    parser.add_argument("folder", type=Path)
    parser.add_argument("blocks", type=int)
    parser.add_argument("against", help="the mode to compare with")
    parser.add_argument("mode", help="the mode that adds instructions")
    args = parser.parse_args()
    base, more = work(args.folder, args.against), work(args.folder, args.mode)
    added = {name: (more[name] - base[name]) / args.blocks for name in base | more}
    print(f"{sum(added.values()):9.1f}  instructions more for each block, of {sum(base.values()) / args.blocks:.0f} with {args.against}")
    for name, value in sorted(added.items(), key=lambda item: -abs(item[1]))[:SHOWN]:
        print(f"{value:9.1f}  {name}")


if __name__ == "__main__":
    main()
