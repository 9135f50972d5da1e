# SPDX-License-Identifier: GPL-2.0-only
"""What the report shows of the lab: the lab's own pictures, and tables of its results."""

from __future__ import annotations

from pathlib import Path

from ..document import Document, Grid, Items, Picture, Text
from ..model import Data, Result
from .experiments import DATABASES, FORECAST, MOTIVATION, PICTURES, SYNTHETIC, TREATMENTS
from .observations import COSTS, KIB, faster, fewer

CAPTIONS = {
    "motivation.png": "A file in pieces, by their size and by their distance, on both disks; correlations beside the paper's",
    "gain.png": "Requests saved, for what was written",
}


def motivation_rows(part: Data) -> list[list[object]]:
    """A row for each file in pieces."""
    return [
        [
            name,
            sweep,
            one["size"] // KIB,
            one["distance_found"] // KIB,
            one["extents"],
            one["requests"] * (1 << 20) / one["bytes"],
            one["mb_per_s"],
        ]
        for sweep in ("size", "distance")
        for name, cost in COSTS.items()
        for one in part[sweep][cost]
    ]


def show_motivation(document: Document, part: Data) -> None:
    """Pieces of different sizes, and at different distances."""
    document.add(
        Text("Direct sequential reads of 128 KiB of a file in pieces. The speeds are those of the modelled disks."),
        Grid(
            ("disk", "what varies", "piece, KiB", "distance, KiB", "extents", "requests for each MiB", "MB/s"),
            motivation_rows(part),
        ),
    )


def gain_rows(part: Data) -> list[list[object]]:
    """A row for each workload and treatment."""
    rows: list[list[object]] = []
    for name, found in part["cases"].items():
        for treatment, one in found.items():
            saved = one["foreseen"]["saved"]
            rows.append(
                [
                    name,
                    TREATMENTS[treatment],
                    one["written"] / (1 << 20),
                    one["extents"],
                    one["requests"],
                    100 * fewer(found["nothing"], one),
                    100 * faster(found["nothing"], one),
                    one["ns"] / 1e6,
                    one.get("interference"),
                    float(saved) if saved else None,
                    found["nothing"]["requests"] - one["requests"],
                ]
            )
    return rows


def show_gain(document: Document, part: Data) -> None:
    """What the treatments have gained, and cost."""
    document.add(
        Text(
            "Each treatment begins with the same image of the volume; requests and bytes are counted by the block layer."
        ),
        Grid(
            (
                "workload",
                "treatment",
                "MiB written",
                "extents",
                "requests",
                "fewer, %",
                "faster, %",
                "took, ms",
                "a reader beside it slower, %",
                "requests saved: foreseen",
                "counted",
            ),
            gain_rows(part),
        ),
    )


def show_forecast(document: Document, part: Data) -> None:
    """What was foreseen, and what was counted."""
    document.add(
        Text("Requests of a sequential read, as the plan foresees them and as the disk counts them."),
        Grid(
            ("file", "reader", "KiB at once", "read ahead, KiB", "foreseen", "counted", "difference, %"),
            [
                [
                    one["layout"],
                    one["way"],
                    one["size"] // KIB,
                    one["read_ahead_kb"],
                    one["foreseen"] if one["least"] == one["foreseen"] else f"{one['least']} to {one['foreseen']}",
                    one["counted"],
                    float(one["percent"]),
                ]
                for one in part["rows"]
            ],
        ),
    )


SHOW = {MOTIVATION: show_motivation, FORECAST: show_forecast, SYNTHETIC: show_gain, DATABASES: show_gain}


def show(document: Document, result: Result) -> None:
    """Add the data of a part of the lab to the report."""
    part = result.settings["part"]
    document.add(Items([f"{name}: {value}" for name, value in result.data["machine"].items()]))
    if part in PICTURES:
        document.add(Picture(str(Path(result.folder) / PICTURES[part]), CAPTIONS[PICTURES[part]]))
    SHOW[part](document, result.data)
