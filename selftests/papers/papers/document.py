# SPDX-License-Identifier: GPL-2.0-only
"""A document of headings, paragraphs, lists, tables and pictures, as one HTML file or as Markdown."""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76em; margin: 2em auto; padding: 0 1em; color: #1c1c1c; background: #fff }
h1, h2, h3 { line-height: 1.2; margin: 1.6em 0 .5em }
h1 { margin-top: 0 }
h2 { border-bottom: 1px solid #ccc; padding-bottom: .2em }
table { border-collapse: collapse; margin: .7em 0 }
th, td { border: 1px solid #ccc; padding: .25em .6em; text-align: left; vertical-align: top }
th { background: #f2f2f2 }
li, td { overflow-wrap: anywhere }
td.number { text-align: right; font-variant-numeric: tabular-nums }
pre { background: #f6f6f6; padding: .6em .8em; overflow-x: auto; font-size: 13px }
figure { margin: 1em 0 }
figure img { max-width: 100%; border: 1px solid #ccc }
figcaption { color: #444 }
.scroll { overflow-x: auto }
"""


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Items:
    items: Sequence[str]


@dataclass(frozen=True)
class Code:
    text: str


@dataclass(frozen=True)
class Grid:
    """A table; numbers are aligned to the right."""

    head: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True)
class Picture:
    path: str
    caption: str


Part = Union[Heading, Text, Items, Code, Grid, Picture]


def cell(value: object) -> str:
    """A value as text: whole numbers in groups of three digits, others with three digits."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")
    if isinstance(value, float):
        return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return str(value)


def is_number(value: object) -> bool:
    """Is it aligned to the right?"""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass
class Document:
    """Parts in order."""

    title: str
    parts: list[Part] = field(default_factory=list)

    def add(self, *parts: Part) -> None:
        """Append parts."""
        self.parts += parts

    def html(self) -> str:
        """One file that needs no other: pictures are in it."""
        body = "\n".join(html_part(part) for part in self.parts)
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width">\n<title>{html.escape(self.title)}</title>\n'
            f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{html.escape(self.title)}</h1>\n{body}\n</body>\n</html>\n"
        )

    def markdown(self, folder: Path) -> str:
        """Markdown, whose pictures are found relative to this folder."""
        return f"# {escape(self.title)}\n\n" + "\n\n".join(markdown_part(part, folder) for part in self.parts) + "\n"


def html_part(part: Part) -> str:
    """A part as HTML."""
    match part:
        case Heading(level, text):
            return f"<h{level}>{html.escape(text)}</h{level}>"
        case Text(text):
            return f"<p>{html.escape(text)}</p>"
        case Items(items):
            return "<ul>\n" + "\n".join(f"<li>{html.escape(item)}</li>" for item in items) + "\n</ul>"
        case Code(text):
            return f"<pre>{html.escape(text)}</pre>"
        case Grid(head, rows):
            return (
                '<div class="scroll"><table>\n'
                + html_row("th", head)
                + "".join(html_row("td", row) for row in rows)
                + "</table></div>"
            )
        case Picture(path, caption):
            data = base64.b64encode(Path(path).read_bytes()).decode()
            return (
                f'<figure><img alt="{html.escape(caption)}" src="data:image/png;base64,{data}">'
                f"<figcaption>{html.escape(caption)}</figcaption></figure>"
            )


def html_row(tag: str, cells: Iterable[object]) -> str:
    """A row of a table."""
    text = ""
    for value in cells:
        number = ' class="number"' if tag == "td" and is_number(value) else ""
        text += f"<{tag}{number}>{html.escape(cell(value))}</{tag}>"
    return f"<tr>{text}</tr>\n"


def escape(text: str) -> str:
    """A text in which Markdown sees no mark-up."""
    for mark in "\\`*_<>[]#|":
        text = text.replace(mark, f"\\{mark}")
    return text


def markdown_part(part: Part, folder: Path) -> str:
    """A part as Markdown."""
    match part:
        case Heading(level, text):
            return f"{'#' * level} {escape(text)}"
        case Text(text):
            return escape(text)
        case Items(items):
            return "\n".join(f"- {escape(item)}" for item in items)
        case Code(text):
            return "\n".join(f"    {line}" for line in text.splitlines())
        case Grid(head, rows):
            lines = [head, *rows]
            cells = ["| " + " | ".join(escape(cell(value)) for value in line) + " |" for line in lines]
            right = [all(is_number(row[n]) or row[n] is None for row in rows) for n in range(len(head))]
            return "\n".join([cells[0], "| " + " | ".join("---:" if r else "---" for r in right) + " |", *cells[1:]])
        case Picture(path, caption):
            return f"![{escape(caption)}]({os.path.relpath(path, folder)})\n\n*{escape(caption)}*"
