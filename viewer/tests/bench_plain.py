#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The reference of bench_view.sh: draws a table with plain matplotlib, a row for each 512 blocks.

usage: bench_plain.py TABLE PNG
"""
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402 the display has to be chosen first
from matplotlib.collections import LineCollection  # noqa: E402

ROW = 512

lines, kinds = [], []
with open(sys.argv[1], encoding="utf-8") as table:
    for line in table:
        if line.startswith("#"):
            continue
        _, lba, length, _, _, state, path = line.rstrip("\n").split(" ", 6)
        start, end = int(lba), int(lba) + int(length)
        while start < end:
            stop = min(end, start - start % ROW + ROW)
            lines.append(((start % ROW, start // ROW), (start % ROW + stop - start, start // ROW)))
            kinds.append((path.rpartition(".")[2], state))
            start = stop
colours = {kind: f"C{i % 10}" for i, kind in enumerate(sorted(set(kinds)))}
fig, ax = plt.subplots(figsize=(12.8, 25.6), dpi=100)
ax.add_collection(LineCollection(lines, colors=[colours[kind] for kind in kinds]))
ax.set_xlim(0, ROW)
ax.set_ylim(max(y for (_, y), _ in lines) + 1, min(y for (_, y), _ in lines) - 1)
ax.set_xlabel("block")
ax.set_ylabel(f"row of {ROW} blocks")
fig.savefig(sys.argv[2])
