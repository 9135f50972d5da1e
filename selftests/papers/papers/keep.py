# SPDX-License-Identifier: GPL-2.0-only
"""A report that is small enough for the repository: Markdown, with its pictures made smaller, and the results in one file.

The folder is one of results, too: a copy of it can be gone on with.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from .document import Document, Picture
from .model import Results
from .store import pack

# Of all files together, in bytes.
MOST = 3_000_000
# Widths that are tried, the largest first, in pixels, and how many colours.
WIDTHS = (1000, 800, 640, 480, 320)
COLORS = 64
REPORT = "report.md"


class TooLarge(ValueError):
    """Even with the smallest pictures it does not fit."""


def shrink(source: Path, target: Path, width: int) -> None:
    """Write a picture of at most this width. One that was made so before stays as it is, byte by byte."""
    from PIL import Image

    with Image.open(source) as image:
        if image.mode == "P" and image.width <= width:
            shutil.copyfile(source, target)
            return
        small = image.convert("RGB")
        if small.width > width:
            small = small.resize((width, max(round(small.height * width / small.width), 1)), Image.Resampling.LANCZOS)
        small.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(target, optimize=True)


def names(pictures: list[Picture]) -> dict[str, str]:
    """A path for each picture: the folder of its experiment, and its own name."""
    return {one.path: f"{Path(one.path).parent.name}/{Path(one.path).name}" for one in pictures}


def size_of(folder: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def write(document: Document, results: Results, folder: Path, width: int) -> int:
    """Write the report with pictures of this width, and the results; return the bytes of all files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pack(results, folder)
    called = names([part for part in document.parts if isinstance(part, Picture)])
    for path, name in called.items():
        (folder / name).parent.mkdir(exist_ok=True)
        shrink(Path(path), folder / name, width)
    parts = [
        replace(part, path=str(folder / called[part.path])) if isinstance(part, Picture) else part
        for part in document.parts
    ]
    text = Document(document.title, parts).markdown(folder)
    (folder / REPORT).write_text(f"<!-- SPDX-License-Identifier: GPL-2.0-only -->\n{text}", encoding="utf-8")
    return size_of(folder)


def keep(document: Document, results: Results, folder: Path, most: int = MOST) -> int:
    """Replace the folder by this report and these results, with pictures as large as they may be; return its bytes."""
    new = folder.with_name(f"{folder.name}.new")
    for width in WIDTHS:
        size = write(document, results, new, width)
        if size < most:
            shutil.rmtree(folder, ignore_errors=True)
            new.rename(folder)
            return size
    shutil.rmtree(new)
    raise TooLarge(f"the report has {size} bytes, with pictures of {WIDTHS[-1]} pixels; at most {most} are kept")
