# SPDX-License-Identifier: GPL-2.0-only
"""The picture of the benchmark: one panel for each question, drawn from the results of report.py."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

if TYPE_CHECKING:
    from report import Range, Results

from report_names import (  # noqa: E402
    APP_NAMES, GOAL_APPEND, GOAL_BYTES, GOAL_OVERWRITE, GOAL_TRACING, MODE_NAMES,
)

# Okabe and Ito's colours, which are distinguishable with colour blindness.
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
SKY, RED, YELLOW, GREY = "#56B4E9", "#D55E00", "#F0E442", "#999999"
WHITE, BLACK = "#FFFFFF", "#000000"
GOAL = {"color": RED, "linestyle": "--", "linewidth": 1.2}


def absent(ax: Axes, part: str) -> None:
    ax.text(0.5, 0.5, f"not measured\n(BENCH={part})", ha="center", va="center", transform=ax.transAxes, color=GREY)
    ax.set_xticks([])
    ax.set_yticks([])


def error(found: Range) -> list[list[float]]:
    return [[found.mid - found.low], [found.high - found.mid]]


def next_block(ax: Axes, results: Results) -> None:
    """Instructions in the probes for the next block, by tracepoint."""
    ax.set_title("Following the next block of a file")
    names = {"sequential": "4 KiB\nwrites", "in_chunks": "1 MiB\nwrites", "many_files": "256 files\nin turn"}
    cases = [case for case in names if results.probes(case)]
    if not cases:
        absent(ax, "micro")
        return
    points = {"f2fs_submit_page_write": (BLUE, "write event"), "f2fs_submit_folio_write": (BLUE, "write event"),
              "f2fs_update_read_extent_tree_range": (ORANGE, "extent cache event"), "f2fs_map_blocks": (GREEN, "look-ups")}
    base = [0.0] * len(cases)
    for point, (colour, label) in points.items():
        measure = f"{point}:instructions_per_block"
        found = [(results.get("micro", case, "probes_tracing", measure), results.get("micro", case, "probes_off", measure))
                 for case in cases]
        if not any(a for a, _ in found):
            continue
        heights = [a.mid - b.mid if a and b else 0.0 for a, b in found]
        ax.bar([names[case] for case in cases], heights, bottom=base, color=colour, label=label, width=0.6)
        base = [low + height for low, height in zip(base, heights)]
    for place, total in enumerate(base):
        ax.text(place, total, f"{total:.0f}", ha="center", va="bottom")
    ax.axhline(GOAL_APPEND, label=f"goal {GOAL_APPEND}", **GOAL)
    ax.set_ylim(0, max(max(base), GOAL_APPEND) * 1.35)
    ax.set_ylabel("instructions per block")
    ax.legend(loc="upper right", fontsize=8)


def overwrite(ax: Axes, results: Results) -> None:
    """Instructions for an overwrite at random, by number of extents."""
    ax.set_title("Random overwrite")
    sizes = {int(case.rsplit("_", 1)[1]): case for case in results.cases("micro") if case.startswith("overwrite_")}
    probes = {size: found for size, case in sorted(sizes.items()) if (found := results.probes(case))}
    alone = {int(case.rsplit("_", 1)[1]): found for case in results.cases("map") if case.startswith("random_with_holes_")
             and (found := results.get("map", case, "tracing", "overwrite"))}
    if not probes and not alone:
        absent(ax, "micro")
        return
    for series, colour, marker, label in ((probes, BLUE, "o", "all probes"), (alone, GREEN, "s", "extent map alone")):
        if series:
            ax.errorbar(list(series), [found.mid for found in series.values()], fmt=f"-{marker}", color=colour, label=label,
                        yerr=[[f.mid - f.low for f in series.values()], [f.high - f.mid for f in series.values()]], capsize=3)
    ax.plot([1e6], [GOAL_OVERWRITE], "*", color=RED, markersize=13, label=f"goal {GOAL_OVERWRITE} at 10⁶")
    ax.set_xscale("log")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("extents in the file")
    ax.set_ylabel("instructions per overwrite")
    ax.legend(fontsize=8, loc="lower right")


def memory(ax: Axes, results: Results) -> None:
    """Bytes of an extent, by number of extents and by order of building."""
    ax.set_title("Memory of an extent")
    ways = {"in_order": (BLUE, "o", "in order"), "in_order_with_holes": (SKY, "v", "in order, with holes"),
            "random": (ORANGE, "s", "overwritten at random"), "random_with_holes": (PINK, "D", "at random, with holes")}
    drawn = False
    for way, (colour, marker, label) in ways.items():
        series = {int(case.rsplit("_", 1)[1]): found.mid for case in results.cases("map") if case.rsplit("_", 1)[0] == way
                  and (found := results.get("map", case, "tracing", "bytes_per_extent"))}
        if series:
            ax.plot(list(series), list(series.values()), f"-{marker}", color=colour, label=label)
            drawn = True
    if not drawn:
        absent(ax, "map")
        return
    ax.axhline(GOAL_BYTES, label=f"goal {GOAL_BYTES}", **GOAL)
    ax.set_xscale("log")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("extents in the file")
    ax.set_ylabel("bytes, everything counted")
    ax.legend(fontsize=8, loc="lower right")


def applications(ax: Axes, results: Results) -> None:
    """Instructions added to whole applications, compared with the peers."""
    ax.set_title("Work added to applications (whole guest; bar: median, line: min to max)")
    cases = [case for case in APP_NAMES if any(results.percent("apps", case, mode, "instructions") for mode in MODE_NAMES)]
    if not cases:
        absent(ax, "apps")
        return
    colours = (SKY, WHITE, BLUE, BLACK, GREEN, ORANGE, YELLOW, PINK, GREY)
    width = 0.8 / len(MODE_NAMES)
    for i, (mode, colour) in enumerate(zip(MODE_NAMES, colours, strict=True)):
        found = {place: f for place, case in enumerate(cases) if (f := results.percent("apps", case, mode, "instructions"))}
        if not found:
            continue
        ax.bar([place - 0.4 + (i + 0.5) * width for place in found], [f.mid for f in found.values()], width, color=colour,
               label=MODE_NAMES[mode].replace("`", ""), edgecolor="black", linewidth=0.3,
               yerr=[[f.mid - f.low for f in found.values()], [f.high - f.mid for f in found.values()]],
               error_kw={"linewidth": 0.8, "capsize": 2})
    ax.axhline(GOAL_TRACING, label=f"goal for tracing: {GOAL_TRACING:g} %", **GOAL)
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set_yscale("symlog", linthresh=1)
    ticks = [tick for tick in (-10, -1, 0, 1, 3, 10, 30, 100, 300, 1000) if ax.get_ylim()[0] <= tick <= ax.get_ylim()[1]]
    ax.set_yticks(ticks, [f"{tick:+d} %" if tick else "0" for tick in ticks])
    ax.set_xticks(range(len(cases)), [APP_NAMES[case].replace(", ", ",\n").replace(" beside", "\nbeside") for case in cases],
                  fontsize=8)
    ax.set_ylabel("instructions more than without (linear below 1 %)")
    ax.legend(fontsize=8, ncol=2, loc="upper left")
    ax.set_ylim(top=ax.get_ylim()[1] * 6)


def snapshot(ax: Axes, results: Results) -> None:
    """Reading all files once: our table, and filefrag."""
    ax.set_title("Reading all files once")
    colours = {"table": BLUE, "files": SKY, "snapshot": GREEN, "filefrag": ORANGE}
    bars = [(f"{mode}, {case.replace('_', ' ')}", found, colour) for case in results.cases("snapshot")
            for mode, colour in colours.items() if (found := results.get("snapshot", case, mode, "million_instructions"))]
    if not bars:
        absent(ax, "snapshot")
        return
    for place, (_, found, colour) in enumerate(bars):
        ax.barh(place, found.mid, color=colour, xerr=error(found), capsize=3)
        ax.text(found.mid * 1.15, place, f"{found.mid:,.0f}".replace(",", " "), ha="left", va="center", fontsize=8)
    ax.set_xscale("log")
    ax.set_xlim(right=ax.get_xlim()[1] * 5)
    ax.invert_yaxis()
    ax.set_yticks(range(len(bars)), [label for label, _, _ in bars], fontsize=8)
    ax.set_xlabel("million instructions")


# The panels, the parts that each needs one of, and how many columns of three it takes.
PANELS = ((next_block, {"micro"}, 1), (overwrite, {"micro", "map"}, 1), (memory, {"map"}, 1), (applications, {"apps"}, 2),
          (snapshot, {"snapshot"}, 1))


def draw(results: Results, path: Path) -> None:
    """The panels of the parts that were measured."""
    measured = {key[0] for key in results.values}
    places, row, column = [], 0, 0
    for panel, parts, columns in PANELS:
        if not parts & measured:
            continue
        if column + columns > 3:
            row, column = row + 1, 0
        places.append((panel, row, column, columns))
        column += columns
    figure = pyplot.figure(figsize=(5 * max((start + n for _, _, start, n in places), default=1), 5 * (row + 1)), constrained_layout=True)
    grid = figure.add_gridspec(row + 1, max((start + n for _, _, start, n in places), default=1))
    for panel, row, column, columns in places:
        panel(figure.add_subplot(grid[row, column:column + columns]), results)
    machine = results.machine
    figure.suptitle(f"What fragtrace costs, in instructions counted by QEMU {machine.get('qemu', '?')}; "
                    f"Linux {machine.get('kernel', '?')}, fragtrace {machine.get('fragtrace', '?')}"
                    + (" (quick)" if "quick" in machine else ""))
    temporary = path.with_suffix(".tmp.png")
    figure.savefig(temporary, dpi=90)
    temporary.replace(path)
