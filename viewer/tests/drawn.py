# SPDX-License-Identifier: GPL-2.0-only
"""Reads an SVG of fragtrace-view as a person does: the texts by their place, letter by letter, and the filled boxes.

cairo writes a text as one outline for each letter. Which letter an outline is, a picture tells in which the names of the
rules are the alphabet.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

# The text of the legend, by rows; each word is a letter. Two pairs are one letter in this font.
ALPHABET = (". 0 1 2 3 4 5 6 7 8 9", ". a b c d e f g h i", ". j k l m n o p q r", ". s t u v w x y z _", ". A B C D E F G H I",
            ". J K L M N O P Q R", ". S T U V W X Y Z -", ". , : ; % < > ( ) = +", "~ / * \" '", ". fi fl ff x")
COLOURS = "#112233 #445566 #778899"


@dataclass(frozen=True)
class Text:
    """A text: its left edge, and the upper edge of its digits, in pixels."""

    x: float
    y: float
    last_x: float
    text: str


@dataclass(frozen=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    w: float
    h: float
    rgb: str


def rgb_of(percents: str) -> str:
    """The colour that cairo writes in percent."""
    return "#" + "".join(f"{round(float(part.rstrip('%')) * 2.55):02x}" for part in percents.split(","))


class Drawn:
    """A picture that was read; `outlines` has the letters by their outlines."""

    def __init__(self, svg: str, outlines: dict[str, str]) -> None:
        self.symbols = dict(re.findall(r'<symbol overflow="visible" id="(glyph[\d-]+)">\n<path [^>]*d="([^"]*)"/>', svg))
        self.runs = [[(self.symbols[glyph], float(x), float(y)) for glyph, x, y in
                      re.findall(r'<use xlink:href="#(glyph[\d-]+)" x="([\d.-]+)" y="([\d.-]+)"/>', run)]
                     for run in re.findall(r'<g style="fill:rgb[^>]*>\n((?:  <use xlink:href="#glyph[^>]*>\n)+)</g>', svg)]
        self.texts = [Text(run[0][1], run[0][2], run[-1][1], "".join(outlines.get(d, "?") for d, _, _ in run)) for run in self.runs]
        self.boxes = []
        for percents, points in re.findall(r'fill:rgb\(([^)]*)\)[^>]*d="M ([^"CM]*) Z M [^"]*"', svg):
            at = [tuple(map(float, point.split())) for point in points.split(" L ")]
            (x, y), (end_x, end_y) = at[0], at[2]
            self.boxes.append(Box(x, y, end_x - x, end_y - y, rgb_of(percents)))

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


def alphabet(view: str) -> dict[str, str]:
    """The letters by their outlines, at the size of the legend; each rule has a file."""
    letters = [row.split() for row in ALPHABET]
    Path("alphabet.cnf").write_text("".join(f"{''.join(row)} {COLOURS}\n" for row in letters) + f"default {COLOURS}\n",
                                    encoding="utf-8")
    # an extension follows a name, a star in a rule stands for a letter
    Path("alphabet").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks=512 segment_blocks=512 path=/m\n" +
                                "".join(f"254:0 {i} 1 0 {4 + i} contiguous /m/{'x' * (row[0] == '.')}{''.join(row).replace('*', 'x')}\n"
                                        for i, row in enumerate(letters)),
                                encoding="utf-8")
    subprocess.run([view, "-t", "alphabet", "-c", "./alphabet.cnf", "-o", "alphabet.svg"], check=True, stdout=subprocess.DEVNULL)
    drawn = Drawn(Path("alphabet.svg").read_text(encoding="utf-8"), {})
    known: dict[str, str] = {}
    # after the title, the rows of the legend are those that begin at the margin and have as many letters
    runs = [run for run in drawn.runs if run[0][1] == 12.0]
    first = next(i for i in range(len(runs)) if [len(run) for run in runs[i:i + len(letters)]] == [len(row) for row in letters])
    for row, run in zip(letters, runs[first:]):
        for letter, (outline, _, _) in zip(row, run):
            assert known.setdefault(outline, letter) == letter, (letter, known[outline])
    assert len(set(known.values())) == len(known)
    # the outline of a blank is empty
    return known | {outline: " " for outline in drawn.symbols.values() if not outline.strip()}


def read(path: str, outlines: dict[str, str]) -> Drawn:
    """Read a picture."""
    return Drawn(Path(path).read_text(encoding="utf-8"), outlines)
