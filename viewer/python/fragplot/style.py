# SPDX-License-Identifier: GPL-2.0-only
"""Code that all figures share: their style, units on axes, and files written as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
import warnings
from contextlib import contextmanager
from typing import Iterator

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator  # noqa: E402

from fragsnap import SnapError, Table, bytes_text, visible  # noqa: E402

INK, FAINT, RULE, REQUEST, PAPER = INKS = "#202020", "#6a6a6a", "#d8d8d8", "#a02c2c", "#ffffff"
DARK_INKS = "#e8e6e1", "#a9a9a4", "#3a3c41", "#ff7a6b", "#1b1c1f"
# Greys of free space, and of what is left out.
FREE, HATCH = 0xff, (0xd2, 0xf2)
is_dark = False

# Colours that are another one in the dark: there, what is dim is not seen first.
IN_THE_DARK = {0xc4c4c4: 0x4a4c52, 0xe9e9e9: 0x2f3136, 0xdba0bb: 0x70405a, 0x123f7a: 0x7fb2f0, 0x404040: 0xd0d0d0}
# Percent of the colour of contiguous files that there is in the dark.
DIM_LIGHT = 36
# In the dark, half of the lightness that another colour has less than this is added to it, as in color.c of fragtrace.
LEAST_LIGHTNESS = 140

matplotlib.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": 9, "axes.titlesize": 10, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.linewidth": 0.6, "axes.axisbelow": True, "legend.frameon": False, "svg.hashsalt": "fragtrace", "svg.fonttype": "none",
    "pdf.fonttype": 42, "hatch.linewidth": 0.5,
    # names of files are not formulas
    "text.parse_math": False,
})
# A letter that the font lacks is drawn as a box; no warning is necessary.
warnings.filterwarnings("ignore", "Glyph .* missing")


def set_theme(dark: bool) -> None:
    """Choose the colours of what is drawn from now on: dark ink on white, or light ink on dark paper."""
    global INK, FAINT, RULE, REQUEST, PAPER, FREE, HATCH, is_dark  # pylint: disable=global-statement
    is_dark = dark
    FREE, HATCH = (0, (0x2a, 0x45)) if dark else (0xff, (0xd2, 0xf2))
    INK, FAINT, RULE, REQUEST, PAPER = DARK_INKS if dark else INKS
    matplotlib.rcParams.update({
        "axes.edgecolor": FAINT, "axes.labelcolor": FAINT, "grid.color": RULE, "xtick.color": FAINT, "ytick.color": FAINT,
        "text.color": INK, "axes.titlecolor": INK, "figure.facecolor": PAPER, "axes.facecolor": PAPER, "legend.facecolor": PAPER})


set_theme(False)


def themed(rgb: int) -> int:
    """A colour as it is drawn."""
    if not is_dark or rgb in IN_THE_DARK:
        return IN_THE_DARK[rgb] if is_dark else rgb
    parts = rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff
    lightness = (213 * parts[0] + 715 * parts[1] + 72 * parts[2]) // 1000
    red, green, blue = (min(part + max(LEAST_LIGHTNESS - lightness, 0) // 2, 0xff) for part in parts)
    return red << 16 | green << 8 | blue


def dimmed(rgb: int) -> int:
    """A colour that is not to be seen first."""
    red, green, blue = ((rgb >> shift & 0xff) * (DIM_LIGHT if is_dark else 100) // 100 for shift in (16, 8, 0))
    return red << 16 | green << 8 | blue


def themed_text(rgb: str) -> str:
    """The same of "#rrggbb"."""
    return f"#{themed(int(rgb[1:], 16)):06x}"


def share_text(part: int, whole: int) -> str:
    """A part of a whole in percent, in the same form as format_share() of util.c."""
    share = 100 * part / whole if whole else 0.0
    if part and share < 0.05:
        return "<0.1 %"
    if part < whole and share >= 99.95:
        return ">99.9 %"
    return f"{share:,.0f} %" if share == int(share) else f"{share:,.1f} %"


def count_text(count: int, letters: float) -> str:
    """A number in so many letters: whole if it fits, else in thousands or millions."""
    if len(f"{count:,}") <= letters or count < 1000:
        return f"{count:,}"
    value, unit = (count / 1e3, "k") if count < 999500 else (count / 1e6, "M")
    return f"{value:.1f}{unit}" if value < 9.95 and letters >= 4 else f"{value:.0f}{unit}"


def flaws_text(table: Table) -> str:
    """What a heading says of a table that is not exact, complete or alive; nothing of another one."""
    left_out = sum(volume.left_out for volume in table.volumes)
    said = [f"{table.n_stale:,} stale: their blocks may have moved"] if table.n_stale else []
    said += [f"{left_out:,} left out: fragtrace's memory was short"] if left_out else []
    said += ["F2FS has stopped"] if any(volume.stopped for volume in table.volumes) else []
    return "; ".join(said)


def plural(number: int, what: str) -> str:
    """A number and its noun."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def short(path: str, limit: int) -> str:
    """A path that fits and is visible: its middle is cut out, hidden characters are escaped."""
    path = visible(path)
    return path if len(path) <= limit else f"{path[:limit // 2 - 1]}…{path[-limit // 2:]}"


def time_axis(axes: Axes, span: float) -> None:
    """Label an x axis that counts seconds from 0 to span, in a suitable unit."""
    unit, name = next(((size, name) for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes"))
                       if span >= 3 * size), (1, "seconds"))
    axes.set_xlim(0, span or 1)
    locator = MaxNLocator(nbins=6, steps=[1, 2, 3, 5, 6, 10] if unit != 1 else [1, 2, 5, 10])
    ticks = [tick * unit for tick in locator.tick_values(0, (span or 1) / unit) if tick * unit <= (span or 1)]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / unit:g}"))
    axes.set_xlabel(f"time since the beginning [{name}]")


def count_axis(axis: matplotlib.axis.Axis, most: int) -> None:
    """Label an axis that counts, in whole numbers."""
    axis.set_major_locator(MaxNLocator(nbins=most, integer=True))
    axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))


def size_ticks(low: float, high: float, most: int) -> list[float]:
    """Powers of two from low to high, each one or every nth."""
    first, last = int(max(low, 1)).bit_length() - 1, int(max(high, 1)).bit_length()
    step = next(step for step in (1, 2, 3, 5, 10, 20) if (last - first) / step < most)
    return [2.0 ** power for power in range(first - first % step, last + 1, step)]


def size_axis(axis: matplotlib.axis.Axis, block_bytes: int, low: float, high: float, most: int = 8) -> None:
    """Label a logarithmic axis that counts blocks in bytes."""
    axis.set_major_locator(FixedLocator(size_ticks(low, high, most)))
    axis.set_minor_locator(FixedLocator([]))
    axis.set_major_formatter(FuncFormatter(lambda blocks, _: bytes_text(blocks * block_bytes)))


def heading(figure: Figure, title: str, *lines: str, left: float = 0.012) -> None:
    """Draw the title of a figure and faint lines below it, at its upper left; empty ones are left out."""
    height = figure.get_figheight()
    figure.text(left, 1 - 0.12 / height, title, va="top", fontsize=14, fontweight="bold")
    for i, line in enumerate(filter(None, lines)):
        figure.text(left, 1 - (0.42 + 0.2 * i) / height, line, va="top", color=FAINT)


# === Output ===


@contextmanager
def whole_file(path: str) -> Iterator[str]:
    """A temporary name to write to; on success it is renamed to path, otherwise it is removed."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        raise SnapError(f"{path}: is not a regular file; expected the name of a picture")
    folder, name = os.path.split(target)
    temporary = None
    try:
        number, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=os.path.splitext(name)[1], dir=folder)
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(number, 0o666 & ~mask)
        os.close(number)
        yield temporary
        with open(temporary, "rb") as written:
            os.fsync(written.fileno())
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise SnapError(f"{path}: {error.strerror or error}") from error
    finally:
        if temporary:
            os.unlink(temporary)


def save(figure: Figure, path: str, temporary: str, dpi: int) -> None:
    """Write a figure; the same figure gives the same bytes."""
    kind = os.path.splitext(path)[1][1:].lower()
    metadata = {"png": {"Software": "fragtrace-plot"}, "svg": {"Date": None, "Creator": "fragtrace-plot"},
                "pdf": {"CreationDate": None, "Creator": "fragtrace-plot"}}[kind]
    figure.savefig(temporary, dpi=dpi, format=kind, metadata=metadata)
