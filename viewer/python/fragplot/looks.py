# SPDX-License-Identifier: GPL-2.0-only
"""The colours of layouts: by kind of file, or by how often blocks are read.

A look turns the extents of a table into pieces, whose shades are indices into its colours, and has a legend.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fragsnap import Heat, Table, Volume

from . import style
from .canvas import TONES_TEXT, Entry, free_entry, legend_entries
from .colors import Groups
from .layout import Pieces, pieces_of, shades_of, volume_numbers

# Windows without reads come before the classes, as in color_heat.c.
UNREAD = (("not read", 0xc4c4c4), ("not read, but overwritten", 0x4a90d9))
# The least reads, the name, the colour.
HEATS = ((1, "1 to 3 reads", 0xffc5ac), (4, "4 to 15 reads", 0xe99a77), (16, "16 to 63 reads", 0xcd7249),
         (64, "64 to 255 reads", 0xaf4a1b), (256, "256 to 1023 reads", 0x862b00), (1024, "1024 reads or more", 0x511b00))


class Look(Protocol):
    """The colours of a layout; shades are red, green, blue by shade."""

    shades: np.ndarray

    def pieces(self, table: Table, volumes: list[Volume]) -> Pieces:
        """The extents of a table, coloured."""

    def entries(self, used: list[bool]) -> list[Entry]:
        """The legend; used says which groups of files there are."""

    def note(self) -> str:
        """What colours mean, for the line below the legend."""


class ByKind:
    """By groups of files: contiguous, two tones for fragments near breaks, and the rest."""

    def __init__(self, groups: Groups) -> None:
        self.groups = groups
        self.shades = shades_of(groups)

    def pieces(self, table: Table, volumes: list[Volume]) -> Pieces:
        """The extents of a table, coloured."""
        return pieces_of(table, volumes, self.groups)

    def entries(self, used: list[bool]) -> list[Entry]:
        """The legend."""
        return legend_entries(self.groups, used)

    def note(self) -> str:
        """What the tones mean."""
        return TONES_TEXT


class ByHeat:
    """By the reads of windows, in steps of a factor of four."""

    def __init__(self) -> None:
        # what is read most is what is seen first
        colors = [rgb for _, _, rgb in HEATS][::-1 if style.is_dark else 1]
        self.names = [(name, style.themed(rgb)) for name, rgb in (*UNREAD, *((name, rgb) for (_, name, _), rgb in zip(HEATS, colors)))]
        self.shades = np.array([[rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff] for _, rgb in self.names], float)
        self.windows: set[tuple[int, int]] = set()

    def pieces(self, table: Table, volumes: list[Volume]) -> Pieces:
        """The extents of a table, in pieces of one window, coloured by the reads of these."""
        assert table.heat is not None
        self.windows.add((table.heat.window_blocks * table.block_bytes, table.heat.period_s))
        return heat_pieces(table, volumes, table.heat)

    def entries(self, _used: list[bool]) -> list[Entry]:
        """The legend."""
        return [(name, [f"#{rgb:06x}"], 30 + 8 * len(name)) for name, rgb in self.names] + [free_entry()]

    def note(self) -> str:
        """What is counted, after a table was drawn."""
        return "reads after the page cache" + "".join(
            f", by windows of {size // 1024:,} KiB; counts halve every {period:,} seconds"
            for size, period in sorted(self.windows)[:1])


def heat_pieces(table: Table, volumes: list[Volume], heat: Heat) -> Pieces:
    """The extents of a table, cut where windows begin; the shade is an index of ByHeat.names."""
    size, end = heat.window_blocks, table.offset + table.blocks
    first = table.offset // size
    windows = (end - 1) // size - first + 1
    extent = np.repeat(np.arange(len(windows)), windows)
    number = first[extent] + np.arange(len(extent)) - np.repeat(np.cumsum(windows) - windows, windows)
    begin = np.maximum(table.offset[extent], number * size)
    reads, overwrites = heat.of_windows(table.file[extent], number)
    rule = np.searchsorted([least for least, _, _ in HEATS], reads, "right")
    shade = np.where(reads > 0, len(UNREAD) - 1 + rule, overwrites > 0)
    return Pieces(volume_numbers(table, volumes)[extent], table.lba[extent] + begin - table.offset[extent],
                  np.minimum(end[extent], (number + 1) * size) - begin, shade)
