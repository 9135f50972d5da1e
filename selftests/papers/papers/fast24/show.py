# SPDX-License-Identifier: GPL-2.0-only
"""What the report shows of the forecasts: both in one plot, and a table of each file."""

from __future__ import annotations

from pathlib import Path

from ..document import Document, Grid, Picture, Text
from ..judge import share
from ..model import Data, Result
from .dies import DIES, die_factor, split_factor
from .experiments import REWRITTEN, WRITTEN

COLORS = ("#56B4E9", "#0072B2", "#009E73", "#E69F00", "#D55E00")
MARKS = ("v", "s", "o", "^", "D")


def draw(data: Data, path: Path) -> None:
    """For each file a bar of request splitting and a mark for each number of dies; a panel for each moment."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = {name: data["moments"][name]["files"] for name in (WRITTEN, REWRITTEN)}
    names = [row["name"] for row in sorted(rows[WRITTEN], key=split_factor)]
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 0.3 * len(names) + 1.8), sharey=True, sharex=True)
    for ax, (moment, files) in zip(axes, rows.items()):
        found = {row["name"]: row for row in files}
        shown = [found.get(name) for name in names]
        ax.barh(
            range(len(names)),
            [split_factor(row) - 1 if row else 0 for row in shown],
            left=1,
            color="#cccccc",
            label="requests",
        )
        for dies, color, mark in zip(DIES, COLORS, MARKS):
            points = [(die_factor(row, dies), n) for n, row in enumerate(shown) if row]
            ax.plot(
                [x for x, _ in points], [y for _, y in points], mark, color=color, markersize=5, label=f"{dies} dies"
            )
        ax.set_xscale("log", base=2)
        ax.set_xticks([1, 2, 4, 8, 16, 32])
        ax.set_xticklabels(["1", "2", "4", "8", "16", "32"])
        ax.set_xlim(0.9, 36)
        ax.set_title(f"as {moment}" if moment == WRITTEN else "after fragtrace-defrag", fontsize=10)
        ax.set_xlabel("times as much as at best", fontsize=9)
        ax.grid(axis="x", alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(range(len(names)))
    axes[0].set_yticklabels(names, fontsize=8)
    axes[1].legend(fontsize=8, frameon=False, loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=90)
    pyplot.close(figure)


def rows(data: Data, moment: str) -> list[list[object]]:
    """A row for each file."""
    return [
        [
            row["name"],
            row["blocks"],
            row["fragments"],
            100 * share(row["foreign"], row["pairs"]),
            100 * share(row["allocated_foreign"], row["allocated_pairs"]) if row["allocated_pairs"] else None,
            split_factor(row),
            *(die_factor(row, dies) for dies in DIES),
        ]
        for row in sorted(data["moments"][moment]["files"], key=split_factor)
    ]


def show(document: Document, result: Result) -> None:
    """Add the data of a result to the report."""
    data = result.data
    path = Path(result.folder) / "forecasts.png"
    draw(data, path)
    document.add(
        Picture(
            str(path),
            "What reading each file by 128 KiB takes, as a multiple of what it takes at best: requests (grey), and blocks on the busiest die of a "
            "device that stripes by write order (marks)",
        )
    )
    for moment in (WRITTEN, REWRITTEN):
        one = data["moments"][moment]
        document.add(
            Text(
                f"As {moment}: {one['blocks_written']} blocks had gone to the device by then, {one['blocks_allocated']} had been "
                "allocated to watched files."
            )
        )
        document.add(
            Grid(
                (
                    "file",
                    "blocks",
                    "fragments",
                    "neighbours with foreign blocks between, on the device, %",
                    "the same by extent_change, %",
                    "requests",
                    *(f"{dies} dies" for dies in DIES),
                ),
                rows(data, moment),
            )
        )
    compared = data["compared"]
    document.add(
        Text(f"At the end the maps of {compared['files']} files with {compared['blocks']} blocks agreed with FIEMAP.")
    )
