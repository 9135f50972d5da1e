# SPDX-License-Identifier: GPL-2.0-only
"""What the report shows of the experiments: the plot, then the tables."""

from __future__ import annotations

from pathlib import Path

from ..document import Document, Grid, Picture, Text
from ..model import Result
from .experiments import THREADS
from .plot import draw
from .tables import tables


def show(document: Document, result: Result) -> None:
    """Add the data of a result to the report."""
    path = Path(result.folder) / "varmail.png"
    draw(result.data["cases"], result.settings["kernel"], path)
    document.add(
        Picture(
            str(path),
            f"{result.experiment}: throughput, time of an fsync, where it goes, and node IDs, over the guest's time",
        )
    )
    for table in tables(result.data["cases"], THREADS):
        document.add(Text(table["title"]), Grid(table["head"], table["rows"]))
