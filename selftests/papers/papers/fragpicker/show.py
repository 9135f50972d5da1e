# SPDX-License-Identifier: GPL-2.0-only
"""What the report shows of the lab: the lab's own pictures, and tables of its results."""

from __future__ import annotations

from pathlib import Path

from ..document import Document, Grid, Items, Picture, Text
from ..model import Data, Result
from .experiments import PICTURES
from .observations import COSTS, KIB, TREATMENTS, faster, fewer

CAPTIONS = {
    "motivation.png": "A file in pieces, by their size and by their distance, on both disks; correlations beside the paper's",
    "gain.png": "Requests saved, for what was written",
}


def motivation_rows(parts: Data) -> list[list[object]]:
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
        for one in parts["motivation"][sweep][cost]
    ]


def gain_rows(parts: Data) -> list[list[object]]:
    """A row for each workload and treatment."""
    rows: list[list[object]] = []
    for part in ("synthetic", "databases"):
        for name, found in parts[part]["cases"].items():
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


def show(document: Document, result: Result) -> None:
    """Add the data of a result to the report."""
    parts = result.data["parts"]
    document.add(Items([f"{name}: {value}" for name, value in result.data["machine"].items()]))
    for name in PICTURES:
        document.add(Picture(str(Path(result.folder) / name), CAPTIONS[name]))
    document.add(
        Text("Direct sequential reads of 128 KiB of a file in pieces. The speeds are those of the modelled disks.")
    )
    document.add(
        Grid(
            ("disk", "what varies", "piece, KiB", "distance, KiB", "extents", "requests for each MiB", "MB/s"),
            motivation_rows(parts),
        )
    )
    document.add(
        Text(
            "Each treatment begins with the same image of the volume; requests and bytes are counted by the block layer."
        )
    )
    document.add(
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
            gain_rows(parts),
        )
    )
    document.add(Text("Requests of a sequential read, as the plan foresees them and as the disk counts them."))
    document.add(
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
                for one in parts["forecast"]["rows"]
            ],
        )
    )
