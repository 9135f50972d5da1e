# SPDX-License-Identifier: GPL-2.0-only
"""What the report shows of the experiments of I/O control: all counts of each case, and a plot of who got what."""

from __future__ import annotations

from pathlib import Path

from ..document import Code, Document, Grid, Picture, Text
from ..model import Data, Result
from .observations import NAMES, PIECES, REWRITTEN, RIGHT, WHOLE, WRITTEN, computed, computed_beside, rates
from .sharing import CFQ, ONE, TWO, part, rate

HEAD = (
    "controller",
    "case",
    "files",
    "group",
    "weight",
    "MB/s",
    "of the bytes, %",
    "requests (fragtrace)",
    "if whole",
    "bios (io.stat)",
    "requests (disk, both)",
    "of the disk's time, %",
    "of it by cost.usage, %",
    "mean time of an operation, ms",
    "its deviation, %",
)
COLORS = {ONE: "#D55E00", TWO: "#0072B2"}


def rows(data: Data) -> list[list[object]]:
    """A row for each group of each case."""
    found: list[list[object]] = []
    for run in data["runs"]:
        for name, one in run["groups"].items():
            estimated = sum(other["estimated_us"] for other in run["groups"].values())
            mean = one["mean_ns"]
            found.append(
                [
                    NAMES[run["controller"]],
                    run["case"],
                    run["state"],
                    name,
                    one["weight"],
                    rate(run, name) / 1e6,
                    100 * part(run, name, "bytes"),
                    one["module_requests"],
                    one["module_whole"],
                    one["bios"],
                    run["disk"]["requests"],
                    100 * one["module_requests"] * data["request_ns"] / 1e9 / run["seconds"],
                    100 * part(run, name, "estimated_us") if estimated else None,
                    mean / 1e6 if mean else None,
                    100 * one["spread_ns"] / mean if mean else None,
                ]
            )
    return found


def bars(data: Data) -> dict[str, list[tuple[str, float, float]]]:
    """For each controller: cases with the bytes a second of both groups. CFQ's are computed."""
    found: dict[str, list[tuple[str, float, float]]] = {}
    for run in data["runs"]:
        if run["state"] == "grp2 rewritten":
            continue
        case = f"{run['case']}\nrewritten" if run["state"] in (RIGHT, REWRITTEN) else run["case"]
        if run["case"] == "both":
            case = {WHOLE: "fio's file\nwhole", PIECES: "in pieces", REWRITTEN: "rewritten"}[run["state"]]
        values = {name: rate(run, name) for name in run["groups"]}
        if run["case"] == "both":
            values = rates(run)
        if "alone" not in run["case"]:
            found.setdefault(NAMES[run["controller"]], []).append((case, values.get(ONE, 0.0), values.get(TWO, 0.0)))
    ruled: list[tuple[str, float, float]] = []
    for case, state in (
        ("P2", WRITTEN),
        ("P3", WRITTEN),
        ("P4", WRITTEN),
        ("P5", WRITTEN),
        ("P4", RIGHT),
        ("P5", RIGHT),
    ):
        got = computed(data, case, state)
        if got:
            ruled.append((case if state == WRITTEN else f"{case}\nrewritten", got[ONE], got[TWO]))
    for label, state in (("fio's file\nwhole", WHOLE), ("in pieces", PIECES), ("rewritten", REWRITTEN)):
        got = computed_beside(data, state)
        if got:
            ruled.append((label, got[ONE], got[TWO]))
    return {NAMES[CFQ]: ruled, **found}


def draw(data: Data, path: Path) -> None:
    """Bars of both groups, a panel for each controller."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels = bars(data)
    figure, axes = pyplot.subplots(len(panels), 1, figsize=(9, 1.9 * len(panels)), squeeze=False)
    for ax, (name, cases) in zip(axes.flat, panels.items()):
        ones, twos = ([one / 1e6 for _, one, _ in cases], [two / 1e6 for _, _, two in cases])
        for shift, group, values in ((-0.2, ONE, ones), (0.2, TWO, twos)):
            drawn = ax.bar([n + shift for n in range(len(cases))], values, 0.38, color=COLORS[group], label=group)
            ax.bar_label(drawn, [f"{value:.3g}" if value else "" for value in values], fontsize=7)
        ax.set_xticks(range(len(cases)))
        ax.set_xticklabels([case[0] for case in cases], fontsize=8)
        ax.set_title(name, fontsize=9, loc="left")
        ax.set_ylabel("MB/s", fontsize=8)
        ax.margins(y=0.18)
        ax.spines[["top", "right"]].set_visible(False)
    axes.flat[0].legend(ncol=2, fontsize=8, frameon=False, loc="upper right", bbox_to_anchor=(1, 1.35))
    figure.tight_layout()
    figure.savefig(path, dpi=90)
    pyplot.close(figure)


def show(document: Document, result: Result) -> None:
    """Add the data of a result to the report."""
    data = result.data
    path = Path(result.folder) / "shares.png"
    draw(data, path)
    document.add(
        Picture(
            str(path),
            "What each group got; CFQ's bars are computed. Of SQLite, in grp2 beside fio, the bytes of the rows are drawn",
        )
    )
    document.add(Grid(HEAD, rows(data)))
    document.add(
        Grid(
            ("rewritten by fragtrace-defrag", "extents before", "after", "MiB moved", "MiB written"),
            [
                [name, move["before"], move["after"], move["moved"] / (1 << 20), move["written"] / (1 << 20)]
                for name, move in data["moves"].items()
            ],
        )
    )
    document.add(Text("The controllers as the kernel shows them:"))
    document.add(
        Code(
            "\n".join(
                f"{name}: {key}: {value}" for name, one in data["controllers"].items() for key, value in one.items()
            )
        )
    )
