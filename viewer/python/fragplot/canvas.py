# SPDX-License-Identifier: GPL-2.0-only
"""Figures measured in pixels: each cell of a layout is a whole number of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from . import style
from .colors import Groups
from .layout import Rows, row_labels

# Pixels per inch of the figure: with this DPI a cell is 1 pixel wide.
PER_INCH = 100
LABEL_PIXELS = 13
LEGEND_LINE = 18


class Canvas:
    """A figure of a given number of pixels; y counts from the top."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.figure = Figure(figsize=(width / PER_INCH, height / PER_INCH), dpi=PER_INCH)

    def axes(self, x: float, y: float, width: float, height: float) -> Axes:
        """Axes with this upper left corner."""
        return self.figure.add_axes((x / self.width, 1 - (y + height) / self.height, width / self.width,
                                     height / self.height))

    def text(self, x: float, y: float, text: str, **look: Any) -> None:
        """Write a line of text with this upper left corner."""
        self.figure.text(x / self.width, 1 - y / self.height, text, **{"va": "top", **look})

    def swatch(self, x: float, y: float, colors: list[str], hatch: str = "") -> float:
        """Draw colour boxes of a legend with this upper left corner; returns their right end."""
        for color in colors:
            self.figure.add_artist(Rectangle((x / self.width, 1 - (y + 11) / self.height), 14 / self.width,
                                             11 / self.height, facecolor=color, edgecolor=style.FAINT,
                                             linewidth=0.5, hatch=hatch))
            x += 15
        return x


def row_pixels(rows: Rows, room: int) -> int:
    """The largest height of a row in pixels."""
    return max(2, min(10, room // max(len(rows), 1)))


def draw_layout(canvas: Canvas, x: float, y: float, rows: Rows, picture: np.ndarray, height: int,
                labels: bool) -> Axes:
    """Draw a painted layout with its frame; labels: also draw the addresses of its rows."""
    axes = canvas.axes(x, y, rows.width, max(len(rows), 1) * height)
    axes.grid(False)
    if len(rows):
        axes.imshow(picture, aspect="auto", interpolation="nearest", extent=(0, rows.columns, len(rows), 0))
    else:
        axes.text(0.5, 0.5, "no volume", ha="center", va="center", color=style.FAINT)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_linewidth(0.5)
    axes.set_xticks([])
    axes.set_yticks([])
    if labels:
        marks = row_labels(rows, -(-LABEL_PIXELS // height))
        axes.set_yticks([number + 0.5 for number, _ in marks], [text for _, text in marks], fontsize=7)
        axes.tick_params(axis="y", length=2)
    return axes


TONES_TEXT = ("four tones: contiguous file; within 8 blocks of a break, two tones to tell neighbours apart; the rest of fragmented "
              "files")


# Name, colours and width of an entry of a legend.
Entry = tuple[str, list[str], int]


def free_entry() -> Entry:
    """The last entry of a legend of layouts."""
    return "free, or not watched", [f"#{style.FREE:02x}" + f"{style.FREE:02x}" * 2], 170


def legend_entries(groups: Groups, used: list[bool]) -> list[Entry]:
    """The legend of layouts by group; only entries that a table has."""
    result = []
    for group, mine in zip(groups.groups, used):
        if mine:
            name = style.short(group.name, 14)
            result.append((name, [f"#{tone:06x}" for tone in group.tones], 81 + 8 * len(name)))
    return result + [free_entry()]


def draw_legend(canvas: Canvas, x: float, y: float, width: float, entries: list[Entry]) -> float:
    """Draw a legend in as many lines as necessary; returns the y of the next line."""
    left = x
    for name, tones, wide in entries:
        if x > left and x + wide > left + width:
            x, y = left, y + LEGEND_LINE
        end = canvas.swatch(x, y, tones)
        canvas.text(end + 4, y - 2, name, fontweight="bold")
        x += wide
    return y + LEGEND_LINE


def legend_lines(width: float, entries: list[Entry]) -> int:
    """The number of lines of draw_legend()."""
    lines, x = 1, 0
    for _, _, wide in entries:
        if x and x + wide > width:
            lines, x = lines + 1, 0
        x += wide
    return lines
