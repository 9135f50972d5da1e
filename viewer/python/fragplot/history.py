# SPDX-License-Identifier: GPL-2.0-only
"""The picture `history`: fragments, split factor and fragment sizes over time, a row for each extension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from fragsnap import Kind, Volume, one_block_size

from . import style
from .colors import Groups, groups_for, most_blocks, pale, strong, themed
from .moments import Moment, clock, read_series, span
from .progress import counted
from .shares import Share, shares_by_kind, sum_of

# Rebuilt from events, besides the snapshots.
MOMENTS = 120

ALL = Kind("all files", (0xd0d0d0, 0x404040, 0x404040))


@dataclass(frozen=True)
class Past:
    """The data of one moment: the volumes, what is not exact or complete, and the figures of each kind of files."""

    time: float
    volumes: list[Volume]
    flaws: str
    before_gap: bool
    shares: dict[Kind, Share]


class Timeline:
    """The times of a series in seconds after its beginning, and where nothing is known."""

    def __init__(self, past: list[Past]) -> None:
        self.at = np.array([moment.time for moment in past]) - past[0].time
        self.last = float(self.at[-1])
        self.gaps = [(float(self.at[i]), float(self.at[i + 1])) for i in range(len(past) - 1) if past[i].before_gap]
        self.holes = [i + 1 for i in range(len(past) - 1) if past[i].before_gap]
        # each gap begins once more, without a value
        self.times = np.insert(self.at, self.holes, [begin for begin, _ in self.gaps])

    def __len__(self) -> int:
        return len(self.at)

    def values(self, values: Sequence[float]) -> np.ndarray:
        """The values at times."""
        return np.insert(np.array(values, float), self.holes, np.nan)

    def mark_gaps(self, axes: Axes) -> None:
        """Hatch what is not known."""
        for begin, end in self.gaps:
            axes.axvspan(begin, end, facecolor=style.RULE, edgecolor=style.FAINT, hatch="////", linewidth=0.8)


def read_past(moments: list[Moment], request: int, colors: Optional[list[str]] = None) -> list[Past]:
    """Read a series."""
    tables = counted(read_series(moments, colors), len(moments), "reading table")
    return [Past(moment.time, table.volumes, style.flaws_text(table), moment.before_gap,
                 shares_by_kind(table, request)) for table, moment in zip(tables, moments)]


def by_group(past: list[Past], groups: Groups) -> list[list[Share]]:
    """The figures of each group over time."""
    last = len(groups) - 1
    return [[sum_of(share for kind, share in moment.shares.items() if groups.places.get(kind.name, last) == i)
             for moment in past] for i in range(len(groups))]


# === One panel each ===


def end_label(axes: Axes, x: float, y: float, text: str, color: str) -> None:
    """Write the last value at the right of the panel."""
    if np.isfinite(y):
        axes.annotate(text, (x, y), xytext=(8, 0), textcoords="offset points", va="center", color=color,
                      fontsize=8, annotation_clip=False, bbox={"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.5})


def bar_label(axes: Axes, x: float, y: float, text: str, color: str) -> None:
    """Write the value of a bar above it."""
    axes.annotate(text, (x, y), xytext=(0, 1), textcoords="offset points", ha="center", color=color, fontsize=8)


def draw_counts(axes: Axes, line: Timeline, shares: list[Share], group: Kind) -> None:
    """Files and fragments: the more the lines differ, the more files are fragmented."""
    files = [share.files for share in shares]
    fragments = [share.fragments for share in shares]
    if len(line) == 1:
        axes.bar([-0.2, 0.2], [fragments[0], files[0]], 0.3, color=[strong(group), pale(group)])
    else:
        low, high = line.values(files), line.values(fragments)
        axes.fill_between(line.times, low, np.maximum(low, high), step="post", color=pale(group), linewidth=0)
        axes.step(line.times, low, where="post", color=style.FAINT, linewidth=1.0, linestyle=(0, (3, 1.5)))
        axes.step(line.times, high, where="post", color=strong(group), linewidth=1.6)
    top = max(*fragments, *files, 1)
    axes.set_ylim(0, top * 1.12)
    style.count_axis(axes.yaxis, 4)
    if len(line) == 1:
        bar_label(axes, -0.2, fragments[0], f"{fragments[0]:,}", strong(group))
        bar_label(axes, 0.2, files[0], f"{files[0]:,}", style.FAINT)
        return
    end_label(axes, line.last, fragments[-1], f"{fragments[-1]:,}", strong(group))
    if fragments[-1] - files[-1] > top * 0.14:
        end_label(axes, line.last, files[-1], f"{files[-1]:,}", style.FAINT)


def draw_split(axes: Axes, line: Timeline, shares: list[Share], group: Kind) -> None:
    """Split factor: it is 1 for contiguous files."""
    factor = [share.split_factor for share in shares]
    axes.axhline(1, color=style.FAINT, linewidth=0.8)
    if len(line) == 1:
        axes.plot(line.at, factor, "o", color=strong(group))
    else:
        axes.step(line.times, line.values(factor), where="post", color=strong(group), linewidth=1.6)
    end_label(axes, line.last, factor[-1], f"{factor[-1]:.2f}", strong(group))


def draw_sizes(axes: Axes, line: Timeline, shares: list[Share], group: Kind, request_blocks: int, block_bytes: int) -> None:
    """Sizes of fragments: the median in a band from the 10 % to the 90 % quantile."""
    low, middle, high = ([share.quantile(q) for share in shares] for q in (0.1, 0.5, 0.9))
    axes.axhline(request_blocks, color=style.REQUEST, linewidth=0.8, linestyle=(0, (5, 3)))
    if len(line) == 1:
        axes.plot([0, 0], [low[0], high[0]], "_-", color=strong(group), linewidth=0.8, markersize=14)
        axes.plot(line.at, middle, "o", color=strong(group))
    else:
        axes.fill_between(line.times, line.values(low), line.values(high), step="post", color=pale(group), linewidth=0)
        for edge in (low, high):
            axes.step(line.times, line.values(edge), where="post", color=strong(group), linewidth=0.6)
        axes.step(line.times, line.values(middle), where="post", color=strong(group), linewidth=1.6)
    end_label(axes, line.last, middle[-1], style.bytes_text(middle[-1] * block_bytes) if shares[-1].fragments else "",
              strong(group))


# === The picture ===


def draw(past: list[Past], groups: Groups, request: int, title: Optional[str]) -> Figure:
    """The figure: a row for each group that had a file at any time, and one for all."""
    line = Timeline(past)
    block_bytes = one_block_size(volume for moment in past for volume in moment.volumes)
    request_blocks, size = request // block_bytes, style.bytes_text(request)
    over_time = by_group(past, groups)
    everything = [sum_of(moment.shares.values()) for moment in past]
    rows = [(themed(ALL), everything)] + [(groups[i], shares) for i, shares in enumerate(over_time)
                                  if any(share.files for share in shares)]
    head, foot, row = 1.15, 0.55, 1.2
    height = head + foot + row * len(rows) + 0.3
    figure = Figure(figsize=(12, height))
    panels = figure.subplots(len(rows), 3, squeeze=False, sharex=True)
    figure.subplots_adjust(left=0.16, right=0.945, top=1 - (head + 0.3) / height, bottom=foot / height,
                           wspace=0.4, hspace=0.28)
    excess = max([0.02] + [share.split_factor - 1 for _, shares in rows for share in shares if share.ideal])
    highest = max((float(share.sizes[0].max()) for _, shares in rows for share in shares if share.fragments),
                  default=1.0)
    for (group, shares), (counts, split, sizes) in zip(rows, panels):
        draw_counts(counts, line, shares, group)
        draw_split(split, line, shares, group)
        split.set_ylim(1 - 0.06 * excess, 1 + 1.12 * excess)
        split.yaxis.set_major_locator(FixedLocator([1 + tick for tick in MaxNLocator(nbins=4, steps=[1, 2, 5, 10]).tick_values(0, excess)]))
        split.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:.4g}"))
        sizes.set_yscale("log", base=2)
        draw_sizes(sizes, line, shares, group, request_blocks, block_bytes)
        sizes.set_ylim(0.7, max(highest, request_blocks) * 1.5)
        style.size_axis(sizes.yaxis, block_bytes, 1, max(highest, request_blocks), 5)
        for axes in (counts, split, sizes):
            line.mark_gaps(axes)
        last = shares[-1]
        box = counts.get_position()
        middle = box.y0 + box.height / 2
        figure.text(0.012, middle + 0.22 / height, style.short(group.name, 14), fontsize=11, fontweight="bold", color=strong(group),
                    va="center")
        figure.text(0.012, middle - 0.06 / height, style.plural(last.files, "file"), fontsize=8, va="center")
        figure.text(0.012, middle - 0.22 / height, f"{last.fragmented:,} fragmented", fontsize=8, va="center")
        figure.text(0.012, middle - 0.38 / height, style.bytes_text(last.blocks * block_bytes), fontsize=8, va="center")
    panels[0][0].set_title("fragments (line) and files (dashed)" if len(past) > 1 else "fragments and files (pale)")
    panels[0][1].set_title(f"split factor at {size}")
    panels[0][2].set_title("fragment size: 10, 50, 90 %")
    for axes in panels[-1]:
        if len(past) > 1:
            style.time_axis(axes, line.last)
        else:
            # a moment has no length: bars and points, and no axis of time
            axes.set_xlim(-1, 1)
            axes.set_xticks([])
            axes.set_xlabel("a single moment")
    volumes = sorted({volume.path for moment in past for volume in moment.volumes})
    length = past[-1].time - past[0].time
    name = title or "History of " + (style.short(", ".join(volumes), 80) or "no volume")
    when = f"{clock(past[0].time)}, {span(length)}, {style.plural(len(past), 'table')}" if len(past) > 1 else \
        f"{clock(past[0].time)}, a single table: no history yet"
    when += "; numbers at the left and right ends are those of the last table" if len(past) > 1 else ""
    when += "; hatched: events were lost, nothing is known" if line.gaps else ""
    style.heading(figure, name, when,
                  f"split factor: requests of {size} that reading all files takes, for each that it would take "
                  f"were they contiguous; red: {size} ({request:,} bytes)", past[-1].flaws)
    return figure


def make(moments: list[Moment], colors: Optional[list[str]], top: int, request: int,
         title: Optional[str]) -> Figure:
    """Read a series and draw its history."""
    past = read_past(moments, request, colors)
    blocks = most_blocks({kind: share.blocks for kind, share in moment.shares.items()} for moment in past)
    return draw(past, groups_for(blocks, top, bool(colors)), request, title)
