# SPDX-License-Identifier: GPL-2.0-only
"""The picture `distribution`: histograms and shares of fragment sizes and of distances between them."""

from __future__ import annotations

from typing import Optional

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from fragsnap import Table

from . import style
from .colors import Groups, blocks_by_kind, groups_for, strong
from .moments import Moment, clock
from .shares import shares_of, sum_of
from .terms import fragments_of

# One for each group, so that print without colour is readable, too.
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---")
DASHES: tuple[object, ...] = ("-", (0, (6, 2)), (0, (1, 1.2)), (0, (6, 2, 1, 2)), (0, (3, 1)), (0, (8, 2, 1, 2, 1, 2)))


# The width of a digit of a number above a bar, in points.
LETTER = 4.9


def log2_bins(values: list[np.ndarray]) -> int:
    """The number of bins for these values; bin i is for 2^i to 2^(i+1) - 1."""
    return int(max((int(mine.max()) for mine in values if len(mine)), default=1)).bit_length()


def log2_counts(values: np.ndarray, bins: int) -> np.ndarray:
    """The number of values, all 1 or more, in each bin."""
    # frexp is exact; log2 rounds: 2^n - 1 must stay below 2^n
    return np.bincount(np.frexp(values.astype(float))[1] - 1, minlength=bins)


def draw_histogram(axes: Axes, values: list[np.ndarray], groups: Groups, bins: int, what: str) -> None:
    """Stacked bars, with one colour for each group."""
    below = np.zeros(bins)
    for i, mine in enumerate(values):
        if len(mine):
            count = log2_counts(mine, bins)
            axes.bar(np.arange(bins), count, 0.92, below, align="edge", color=strong(groups[i]),
                     hatch=HATCHES[i % len(HATCHES)], edgecolor=style.PAPER, linewidth=0.4)
            below += count
    room = axes.get_window_extent().width / axes.figure.dpi * 72 / bins
    for number, total in enumerate(below.astype(int).tolist()):
        if total:
            text = style.count_text(total, room / LETTER)
            axes.text(number + 0.46, total, text, ha="center", va="bottom", color=style.FAINT,
                      fontsize=min(7.5, 7.5 * room / LETTER / len(text)), zorder=3,
                      bbox={"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.4, "alpha": 0.8})
    axes.set_ylim(0, max(below.max(), 1) * 1.14)
    axes.set_ylabel(what)
    style.count_axis(axes.yaxis, 5)
    axes.grid(False, axis="x")


def draw_shares(axes: Axes, values: list[np.ndarray], groups: Groups, what: str) -> None:
    """The share of each group that is no more than x (the empirical distribution function)."""
    for i, mine in enumerate(values):
        if len(mine):
            size, count = np.unique(mine, return_counts=True)
            share = np.cumsum(count) / count.sum()
            x = np.log2(np.concatenate([size[:1], size, [1 << 62]]))
            axes.step(x, np.concatenate([[0], share, [1]]), where="post", color=strong(groups[i]), linewidth=1.7,
                      linestyle=DASHES[i % len(DASHES)])
    axes.set_ylim(0, 1.03)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylabel(f"share of {what} up to this")


def draw_column(panels: list[Axes], values: list[np.ndarray], groups: Groups, what: str, label: str, none: str,
                request_blocks: int, block_bytes: int) -> None:
    """Histogram above, shares below, with one axis of sizes."""
    bins = max(log2_bins(values), request_blocks.bit_length() + 1)
    draw_histogram(panels[0], values, groups, bins, what)
    draw_shares(panels[1], values, groups, what)
    for axes in panels:
        axes.set_xlim(-0.15, bins + 0.05)
        ticks = [int(tick).bit_length() - 1 for tick in style.size_ticks(1, 2 ** (bins - 1), 11)]
        axes.set_xticks(ticks, [style.bytes_text(2 ** tick * block_bytes) for tick in ticks])
        axes.axvline(np.log2(request_blocks), color=style.REQUEST, linewidth=1.0, linestyle=(0, (5, 3)))
        if not any(len(mine) for mine in values):
            axes.set_yticks([])
            axes.text(0.5, 0.5, none, transform=axes.transAxes, ha="center", va="center", color=style.FAINT)
    panels[0].text(np.log2(request_blocks) - 0.08, 1.0, style.bytes_text(request_blocks * block_bytes), color=style.REQUEST,
                   fontsize=8, va="bottom", ha="center", transform=panels[0].get_xaxis_transform())
    panels[1].set_xlabel(label)


def draw_legend(figure: Figure, sizes: list[np.ndarray], groups: Groups) -> None:
    """The legend of each group, as bars and as a line."""
    there = [i for i, mine in enumerate(sizes) if len(mine)]
    patches = [Patch(facecolor=strong(groups[i]), hatch=HATCHES[i % len(HATCHES)], edgecolor=style.PAPER) for i in there]
    lines = [Line2D([], [], color=strong(groups[i]), linestyle=DASHES[i % len(DASHES)], linewidth=1.7) for i in there]
    names = [f"{style.short(groups[i].name, 24)}: {style.plural(len(sizes[i]), 'fragment')}" for i in there]
    if there:
        figure.legend(patches + lines, [""] * len(there) + names, loc="upper right", bbox_to_anchor=(0.99, 0.995),
                      ncol=2, columnspacing=-0.6, handlelength=2.6, fontsize=8.5)


def draw(moment: Moment, table: Table, groups: Groups, request: int, title: Optional[str]) -> Figure:
    """The figure: sizes at the left, distances at the right."""
    fragments, request_blocks = fragments_of(table), table.request_blocks(request)
    group = groups.of_files(table)[fragments.file]
    far = fragments.distance >= 0
    sizes = [fragments.blocks[group == i] for i in range(len(groups))]
    distances = [fragments.distance[far & (group == i)] for i in range(len(groups))]
    figure = Figure(figsize=(12, 7.4))
    panels = figure.subplots(2, 2)
    figure.subplots_adjust(left=0.075, right=0.97, top=0.80, bottom=0.075, wspace=0.17, hspace=0.16)
    panels[0][0].set_title("Size of fragments", pad=14)
    panels[0][1].set_title("Distance from a fragment to the next of its file", pad=14)
    draw_column([panels[0][0], panels[1][0]], sizes, groups, "fragments", "size", "no file has a block",
                request_blocks, table.block_bytes)
    draw_column([panels[0][1], panels[1][1]], distances, groups, "distances", "distance, in either direction",
                "no file has two fragments", request_blocks, table.block_bytes)
    draw_legend(figure, sizes, groups)
    total = sum_of(shares_of(table, np.zeros(len(table.paths), np.int64), 1, request))
    below = int(sum((mine < request_blocks).sum() for mine in sizes))
    volumes = ", ".join(volume.path for volume in table.volumes)
    name = title or f"Fragments of {style.short(volumes, 50) or 'no volume'}"
    share = f" ({style.share_text(below, total.fragments)})" if total.fragments else ""
    style.heading(figure, name, clock(moment.time) + f": {style.plural(total.files, 'file')}, "
                  f"{total.fragmented:,} fragmented; {style.bytes_text(total.blocks * table.block_bytes)}",
                  f"{below:,} of {style.plural(total.fragments, 'fragment')}{share} smaller than "
                  f"{style.bytes_text(request)}, the red line",
                  "bars: from one power of two up to the next; lines: shares of each extension", style.flaws_text(table))
    return figure


def make(moment: Moment, table: Table, by_rules: bool, top: int, request: int, title: Optional[str]) -> Figure:
    """Draw the distributions of one moment."""
    return draw(moment, table, groups_for(blocks_by_kind(table), top, by_rules), request, title)
