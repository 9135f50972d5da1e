# SPDX-License-Identifier: GPL-2.0-only
"""The picture `animate`: the layout over time as a GIF, with the number of fragments below it."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from typing import Iterator, Optional

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from matplotlib.font_manager import FontProperties, findfont

from fragsnap import Kind, Volume

from . import style
from .canvas import LEGEND_LINE, Canvas, draw_layout, draw_legend, legend_lines, row_pixels
from .colors import Groups, blocks_by_kind, groups_for, most_blocks
from .layout import Rows, explain, merged_volumes, paint, rows_for, used_segments
from .looks import ByHeat, ByKind, Look
from .moments import Moment, at, clock, read_series, span
from .progress import counted
from .shares import Share, shares_of, sum_of

LEFT, TOP, STRIP, BOTTOM = 92, 112, 64, 44
RIGHT = 22
ROOM = 480
# A GIF counts in hundredths of a second, and most programs do not show more pictures than this.
MOST_PER_SECOND = 25
LAST_MILLISECONDS = 2000
PALETTE_SIZE = 256
GREYS = 16


@dataclass(frozen=True)
class Frame:
    """One picture: seconds since the beginning, its table, the figures of the table, and what is not exact or complete."""

    seconds: float
    moment: Moment
    total: Share
    flaws: str


@dataclass(frozen=True)
class Background:
    """What all pictures share: colors are the files of rules, strip is the box of the curve, in pixels."""

    rows: Rows
    colors: Optional[list[str]]
    look: Look
    height: int
    still: Image.Image
    palette: np.ndarray
    strip: tuple[int, int, int, int]


# === Choosing and reading ===


def chosen(moments: list[Moment], most: int) -> list[tuple[float, Moment]]:
    """Moments at equal distances, and the table that was valid at each."""
    length = moments[-1].time - moments[0].time
    number = max(2, most) if length else 1
    steps = [length * i / max(number - 1, 1) for i in range(number)]
    return [(step, at(moments, min(step, length))) for step in steps]


def read_frames(steps: list[tuple[float, Moment]], colors: Optional[list[str]], top: int,
                request: int) -> tuple[list[Frame], Rows, Groups]:
    """Read all tables once: find the rows, the extensions, and the figures."""
    totals: dict[Moment, Share] = {}
    flaws: dict[Moment, str] = {}
    largest: dict[Kind, int] = {}
    used: list[np.ndarray] = []
    volumes: list[Volume] = []
    tables = list(dict.fromkeys(moment for _, moment in steps))
    for table, moment in zip(counted(read_series(tables, colors), len(tables), "reading table"), tables):
        volumes = merged_volumes(volumes, table)
        mine = used_segments(table, volumes)
        used = [a | b for a, b in zip(used, mine)] + mine[len(used):]
        largest = most_blocks((largest, blocks_by_kind(table)))
        everything = np.zeros(len(table.paths), np.int64)
        totals[moment] = sum_of(shares_of(table, everything, 1, request))
        flaws[moment] = style.flaws_text(table)
    frames = [Frame(seconds, moment, totals[moment], flaws[moment]) for seconds, moment in steps]
    return frames, rows_for(volumes, used), groups_for(largest, top, bool(colors))


# === Drawing ===


def palette_of(look: Look) -> np.ndarray:
    """The colours of the GIF: greys for text, all shades, and these mixed with that of free space."""
    shades = look.shades[:PALETTE_SIZE - GREYS]
    steps = (PALETTE_SIZE - GREYS) // len(shades)
    entries = [np.repeat(np.linspace(0, 255, GREYS), 3).reshape(-1, 3)]
    entries += [style.FREE + (shades - style.FREE) * (1 - step / steps) for step in range(steps)]
    return (np.concatenate(entries) + 0.5).astype(np.uint8)


def with_palette(image: Image.Image, palette: np.ndarray) -> Image.Image:
    """Convert the image to the nearest colours of a palette without dither; Pillow itself is less exact."""
    pixels = np.asarray(image).astype(np.int64) @ (1 << 16, 1 << 8, 1)
    colors, place = np.unique(pixels, return_inverse=True)
    rgb = np.stack([colors >> 16, colors >> 8 & 0xff, colors & 0xff], axis=1)
    far = ((rgb[:, None] - palette.astype(np.int64)) ** 2).sum(axis=2)
    result = Image.fromarray(far.argmin(axis=1).astype(np.uint8)[place].reshape(pixels.shape))
    result.putpalette(palette.tobytes())
    return result


def background_of(frames: list[Frame], rows: Rows, colors: Optional[list[str]], look: Look, n_groups: int,
                  title: Optional[str]) -> Background:
    """Draw the parts that do not change."""
    height = row_pixels(rows, ROOM)
    high = max(len(rows) * height, 60)
    entries = look.entries([True] * n_groups)
    strip = TOP + high + 42 + LEGEND_LINE * legend_lines(rows.width, entries)
    canvas = Canvas(LEFT + rows.width + RIGHT, strip + STRIP + BOTTOM)
    name = style.short(title or ", ".join(volume.path for volume in rows.volumes) or "no volume", 36)
    canvas.text(14, 8, name, fontsize=13, fontweight="bold")
    row, hatched = explain(rows)
    canvas.text(14, 36, f"from {clock(frames[0].moment.time)}; {hatched}", color=style.FAINT, fontsize=8)
    canvas.text(14, 50, row, color=style.FAINT, fontsize=8)
    blank = np.full((len(rows), rows.columns, 3), style.FREE, np.uint8)
    draw_layout(canvas, LEFT, TOP, rows, blank, height, True)
    below = draw_legend(canvas, LEFT, TOP + high + 12, rows.width, entries)
    canvas.text(LEFT, below - 2, look.note().partition(",")[0], color=style.FAINT, fontsize=8)
    box = (LEFT, strip, rows.width, STRIP)
    curve = canvas.axes(*box)
    times = [frame.seconds for frame in frames]
    counts = [frame.total.fragments for frame in frames]
    curve.step(times, counts, where="post", color=style.INK, linewidth=1.2)
    curve.set_ylim(0, max(max(counts), 1) * 1.1)
    style.count_axis(curve.yaxis, 2)
    curve.set_ylabel("fragments")
    style.time_axis(curve, times[-1])
    memory = io.BytesIO()
    canvas.figure.savefig(memory, format="png", dpi=canvas.figure.dpi)
    return Background(rows, colors, look, height, Image.open(memory).convert("RGB"), palette_of(look), box)


def draw_frames(background: Background, frames: list[Frame], request: int) -> Iterator[Image.Image]:
    """Draw each picture."""
    large, small, tiny = (ImageFont.truetype(findfont(FontProperties(family="DejaVu Sans", weight=weight)), size)
                          for size, weight in ((18, "bold"), (13, "bold"), (10, "normal")))
    length = frames[-1].seconds or 1
    picture: Optional[Image.Image] = None
    painted: Optional[Moment] = None
    look = background.look
    moments = list(dict.fromkeys(frame.moment for frame in frames))
    tables = read_series(moments, background.colors, isinstance(look, ByHeat))
    for frame in counted(frames, len(frames), "drawing picture"):
        if frame.moment != painted:
            painted = frame.moment
            cells = paint(background.rows, look.pieces(next(tables), background.rows.volumes), look.shades)
            picture = Image.fromarray(np.repeat(np.repeat(cells, background.height, axis=0), background.rows.pixels, axis=1)) if cells.size else None
        image = background.still.copy()
        if picture:
            image.paste(picture, (LEFT, TOP))
        pen = ImageDraw.Draw(image)
        pen.rectangle((LEFT - 1, TOP - 1, LEFT + background.rows.width, TOP + len(background.rows) * background.height),
                      outline=style.FAINT)
        split = f"{frame.total.split_factor:.2f}" if frame.total.ideal else "-"
        pen.text((LEFT + background.rows.width, 12), span(frame.seconds), fill=style.INK, font=large, anchor="ra")
        pen.text((LEFT, TOP - 26), f"{style.plural(frame.total.files, 'file')}, "
                 f"{style.plural(frame.total.fragments, 'fragment')}, split factor {split} at "
                 f"{style.bytes_text(request)}", fill=style.INK, font=small)
        pen.text((14, TOP - 48), frame.flaws, fill=style.INK, font=tiny)
        x, y, width, height = background.strip
        now = x + round((width - 1) * frame.seconds / length)
        pen.line((now, y, now, y + height), fill=style.FAINT, width=2)
        yield with_palette(image, background.palette)


# === Writing ===


def write(path: str, images: list[Image.Image], seconds: float) -> None:
    """Write a GIF of these pictures; the last one is shown longer."""
    each = max(round(seconds * 100 / len(images)), 100 // MOST_PER_SECOND) * 10
    durations = [each] * (len(images) - 1) + [max(each, LAST_MILLISECONDS)]
    images[0].save(path, format="GIF", save_all=True, append_images=images[1:], duration=durations, loop=0,
                   optimize=False)


def make(moments: list[Moment], colors: Optional[list[str]], top: int, request: int,
         title: Optional[str], most: int, seconds: float, limit: int, path: str, by_heat: bool = False) -> None:
    """Write the animation of a series to path, with a limit of pictures and a limit of bytes."""
    frames, rows, groups = read_frames(chosen(moments, most), colors, top, request)
    look = ByHeat() if by_heat else ByKind(groups)
    images = list(draw_frames(background_of(frames, rows, colors, look, len(groups), title), frames, request))
    write(path, images, seconds)
    while os.path.getsize(path) > limit and len(images) > 2:
        # keep every other picture, counted from the last one
        images = images[::-2][::-1]
        print(f"fragtrace-plot: more than {style.bytes_text(limit)}, leaving out every other picture", file=sys.stderr)
        write(path, images, seconds)
