# SPDX-License-Identifier: GPL-2.0-only
"""The picture `compare`: the layouts of two moments at one scale, and what happened to each block."""

from __future__ import annotations

from typing import Optional

import numpy as np
from matplotlib.figure import Figure

from fragsnap import Table, one_block_size

from . import style
from .canvas import LEGEND_LINE, Canvas, draw_layout, draw_legend, legend_lines, row_pixels
from .colors import Groups, blocks_by_kind, groups_for, most_blocks
from .difference import FREED, KEPT, MOVED, NEW, Difference, difference_of
from .layout import explain, merged_volumes, paint, rows_for, used_segments
from .looks import ByHeat, ByKind, Look
from .moments import Moment, clock, span
from .shares import Share, shares_of, sum_of

# By what happened to a block. These colours also differ in lightness, a little of them is distinguishable from white, and none is one of
# a preset.
CHANGES = {KEPT: ("stayed", 0xc4c4c4), MOVED: ("moved here", 0x8822ee), NEW: ("new here", 0x123f7a),
         FREED: ("freed", 0xdba0bb)}

LABELLED_ROWS = 4  # fewer are not as high as the label of the axis
LEAST_CHANGE = 0.8

LEFT, GAP, TOP, ROOM = 92, 22, 126, 560
LINE = 18

HEADS = ("", "files", "fragmented", "data", "stayed", "moved", "new", "gone", "fragments", "the same",
         "split factor")
ENDS = (0.10, 0.16, 0.25, 0.38, 0.46, 0.54, 0.62, 0.70, 0.81, 0.89, 0.99)


def arrow(a: object, b: object) -> str:
    """The two moments, before and after."""
    return f"{a} → {b}"


def factor(share: Share) -> str:
    """A split factor, or "-" if there is none."""
    return f"{share.split_factor:.2f}" if share.ideal else "-"


def table_rows(groups: Groups, a: list[Share], b: list[Share], difference: Difference, block_bytes: int) -> list[tuple[str, ...]]:
    """The lines of the table below the pictures: one for each group, one for all."""
    cells = []
    lines = [(groups[i].name, a[i], b[i], difference.blocks[i], difference.fragments[i])
             for i in range(len(groups)) if a[i].files or b[i].files]
    lines.append(("all files", sum_of(a), sum_of(b), difference.blocks.sum(axis=0),
                  difference.fragments.sum(axis=0)))
    for name, old, new, blocks, fragments in lines:
        changes = [style.bytes_text(int(count) * block_bytes) if count else "-" for count in blocks]
        cells.append((style.short(name, 14), arrow(f"{old.files:,}", f"{new.files:,}"),
                      arrow(f"{old.fragmented:,}", f"{new.fragmented:,}"),
                      arrow(*(style.bytes_text(share.blocks * block_bytes) for share in (old, new))), *changes,
                      arrow(f"{fragments[0]:,}", f"{fragments[1]:,}"), f"{fragments[2]:,}" if fragments[2] else "-",
                      arrow(factor(old), factor(new))))
    return cells


def draw_table(canvas: Canvas, y: float, cells: list[tuple[str, ...]]) -> None:
    """Draw the table; numbers are right-aligned."""
    width = canvas.width - LEFT - 20
    for number, line in enumerate([HEADS] + cells):
        for i, (text, end) in enumerate(zip(line, ENDS)):
            look = {"color": style.FAINT} if number == 0 else {}
            if i == 0 or number == len(cells):
                look["fontweight"] = "bold"
            x = LEFT if i == 0 else LEFT + width * end
            canvas.text(x, y + LINE * number, text, ha="left" if i == 0 else "right", **look)


def summary(share: Share, request: str) -> str:
    """One moment in a line."""
    return (f"{style.plural(share.files, 'file')}, {share.fragmented:,} fragmented, "
            f"{style.plural(share.fragments, 'fragment')}, split factor {factor(share)} at {request}")


def draw(names: tuple[str, str], tables: tuple[Table, Table], groups: Groups, look: Look,
         request: int, title: str, line: str) -> Figure:
    """The figure: before, after, difference, and the table below."""
    volumes = merged_volumes(tables[0].volumes, tables[1])
    used = [np.logical_or(*pair) for pair in zip(*(used_segments(table, volumes) for table in tables))]
    rows = rows_for(volumes, used)
    height = row_pixels(rows, ROOM)
    high = max(len(rows), 12) * height if len(rows) else 60
    shares = [shares_of(table, groups.of_files(table), len(groups), request) for table in tables]
    difference = difference_of(*tables, volumes, groups)
    cells = table_rows(groups, shares[0], shares[1], difference, one_block_size(volumes))
    entries = look.entries([bool(a.files or b.files) for a, b in zip(*shares)])
    two = 2 * rows.width + GAP
    canvas = Canvas(LEFT + 3 * rows.width + 2 * GAP + 20,
                    TOP + high + 44 + LEGEND_LINE * (1 + legend_lines(two, entries)) + LINE * (len(cells) + 1))
    canvas.text(14, 10, title, fontsize=14, fontweight="bold")
    canvas.text(14, 40, "; ".join((line, *explain(rows))), color=style.FAINT)
    tops = [paint(rows, look.pieces(table, volumes), look.shades) for table in tables]
    changes = np.array([[rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff] for rgb in
                        (style.themed(CHANGES[change][1]) for change in sorted(CHANGES))], float)
    tops.append(paint(rows, difference.pieces, changes, LEAST_CHANGE))
    heads = [*((name, summary(sum_of(share), style.bytes_text(request)), style.flaws_text(table))
               for name, share, table in zip(names, shares, tables)),
             ("Difference", "what is at each place now, and where it was before", "")]
    for i, (picture, (head, line, flaws)) in enumerate(zip(tops, heads)):
        left = LEFT + i * (rows.width + GAP)
        canvas.text(left, TOP - 56, head, fontsize=10, fontweight="bold")
        canvas.text(left, TOP - 36, line, fontsize=8)
        canvas.text(left, TOP - 20, flaws, fontsize=8)
        axes = draw_layout(canvas, left, TOP, rows, picture, height, i == 0)
        if i == 0 and len(rows) >= LABELLED_ROWS:
            axes.set_ylabel("LBA of the row's first block", fontsize=8)
    y = TOP + len(rows) * height + 12
    below = draw_legend(canvas, LEFT, y, two, entries)
    canvas.text(LEFT, below - 2, look.note(), color=style.FAINT)
    x: float = LEFT + 2 * (rows.width + GAP)
    for change in (KEPT, MOVED, NEW, FREED):
        name, rgb = CHANGES[change]
        x = canvas.swatch(x, y, [f"#{style.themed(rgb):06x}"])
        canvas.text(x + 4, y - 2, name, fontweight="bold")
        x += 22 + 7.5 * len(name)
    draw_table(canvas, below + 32, cells)
    return canvas.figure


def make(moments: tuple[Moment, Moment], tables: tuple[Table, Table], start: Optional[float],
         by_rules: bool, top: int, request: int, title: Optional[str],
         by_heat: bool = False) -> Figure:
    """Draw two moments; start is the beginning of their series, if both are from one series."""
    groups = groups_for(most_blocks(map(blocks_by_kind, tables)), top, by_rules)
    names = tuple(f"{letter}: {clock(moment.time)}" if start is None else
                  f"{span(moment.time - start)} after the beginning" if moment.time > start else "The beginning"
                  for letter, moment in zip("AB", moments))
    volumes = sorted({volume.path for table in tables for volume in table.volumes})
    title = title or f"{style.short(', '.join(volumes), 60) or 'no volume'}, two moments"
    line = f"{clock(moments[0].time)} and {span(abs(moments[1].time - moments[0].time))} later"
    look = ByHeat() if by_heat else ByKind(groups)
    return draw((names[0], names[1]), tables, groups, look, request, title, line)
