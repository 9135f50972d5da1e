# SPDX-License-Identifier: GPL-2.0-only
"""Figures measured in pixels, so that each cell of a layout is a whole number of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from . import style
from .colors import Groups
from .layout import Rows, row_labels

# Pixels of a canvas to an inch of its figure: with this DPI a cell is 1 pixel wide.
PER_INCH = 100
LABEL_PIXELS = 13


class Canvas:
    """A figure of so many pixels; y goes down from its top."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.figure = Figure(figsize=(width / PER_INCH, height / PER_INCH), dpi=PER_INCH)

    def axes(self, x: float, y: float, width: float, height: float) -> Axes:
        """Axes with this upper left corner."""
        return self.figure.add_axes((x / self.width, 1 - (y + height) / self.height, width / self.width,
                                     height / self.height))

    def text(self, x: float, y: float, text: str, **look: Any) -> None:
        """A line of text with its upper left corner here."""
        self.figure.text(x / self.width, 1 - y / self.height, text, **{"va": "top", **look})

    def swatch(self, x: float, y: float, colors: list[str], hatch: str = "") -> float:
        """Boxes of colour for a legend, with this upper left corner; returns their right end."""
        for color in colors:
            self.figure.add_artist(Rectangle((x / self.width, 1 - (y + 11) / self.height), 14 / self.width,
                                             11 / self.height, facecolor=color, edgecolor=style.FAINT,
                                             linewidth=0.5, hatch=hatch))
            x += 15
        return x


def row_pixels(rows: Rows, room: int) -> int:
    """How many pixels high a row can be."""
    return max(2, min(10, room // max(len(rows), 1)))


def draw_layout(canvas: Canvas, x: float, y: float, rows: Rows, picture: np.ndarray, height: int,
                labels: bool) -> Axes:
    """A painted layout with its frame; labels: with the addresses of its rows."""
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


TONES_TEXT = ("three tones: contiguous file; fragments of fragmented files, two tones to tell neighbours "
              "apart")


def draw_legend(canvas: Canvas, x: float, y: float, groups: Groups, used: list[bool]) -> float:
    """The colours of the groups in one line, without what no table has; returns where it ends."""
    for i, group in enumerate(groups.groups):
        if used[i]:
            x = canvas.swatch(x, y, [f"#{tone:06x}" for tone in group.tones])
            canvas.text(x + 4, y - 2, style.short(group.name, 14), fontweight="bold")
            x += 18 + 8 * min(len(group.name), 14)
    x = canvas.swatch(x, y, ["white"])
    canvas.text(x + 4, y - 2, "free, or not watched")
    return x + 150
