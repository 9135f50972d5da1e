# SPDX-License-Identifier: GPL-2.0-only
"""Reads an SVG of fragtrace as a person does: the texts by their place, and the filled boxes."""

from __future__ import annotations

import base64
import html
import io
import re
from dataclasses import dataclass
from pathlib import Path

from PIL import Image


@dataclass(frozen=True)
class Text:
    """A text: its left edge, the lower edge of its digits, its right edge and the size of its font, in pixels."""

    x: float
    y: float
    end: float
    size: float
    rgb: str
    text: str


@dataclass(frozen=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    w: float
    h: float
    rgb: str


class Drawn:
    """A picture that was read."""

    def __init__(self, svg: str) -> None:
        self.texts = [Text(float(x), float(y), float(x) + float(w), float(size), rgb, html.unescape(text)) for x, y, w, size, rgb, text in
                      re.findall(r'<text x="([^"]*)" y="([^"]*)" textLength="([^"]*)" lengthAdjust="spacingAndGlyphs" font-size="([^"]*)" '
                                 r'fill="([^"]*)">([^<]*)</text>', svg)]
        self.boxes = [Box(*map(float, at), rgb) for *at, rgb in
                      re.findall(r'<rect x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)" fill="([^"]*)"/>', svg)]

    def rows(self) -> list[list[Text]]:
        """The texts of the same height, from the left, from the top."""
        rows: dict[float, list[Text]] = {}
        for text in self.texts:
            rows.setdefault(text.y, []).append(text)
        return [sorted(rows[y], key=lambda text: text.x) for y in sorted(rows)]

    def row(self, *begins: str) -> list[Text]:
        """The one row that begins with these texts."""
        found = [row for row in self.rows() if [text.text for text in row[:len(begins)]] == list(begins)]
        assert len(found) == 1, (begins, self.lines())
        return found[0]

    def lines(self) -> list[str]:
        """The rows as lines, with a bar between texts."""
        return [" | ".join(text.text for text in row) for row in self.rows()]

    def swatches(self, row: list[Text]) -> list[str]:
        """The colours beside a row, from the left."""
        return [box.rgb for box in sorted((box for box in self.boxes if (box.w, box.h) == (20, 14) and
                                           abs(box.y + box.h - row[0].y) < 3), key=lambda box: box.x)]


def read(path: str) -> Drawn:
    """Read a picture."""
    return Drawn(Path(path).read_text(encoding="utf-8"))


def images(path: str) -> list[tuple[float, float, Image.Image]]:
    """The images of a picture, with their left and upper edges; a pixel of them is one of the picture."""
    return [(float(x), float(y), Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")) for x, y, data in
            re.findall(r'<image x="([^"]*)" y="([^"]*)"[^>]* href="data:image/png;base64,([^"]*)"', Path(path).read_text(encoding="utf-8"))]
