# SPDX-License-Identifier: GPL-2.0-only
"""What the report shows of the experiments of FragTracer: pictures and tables of each moment, and what watching costs."""

from __future__ import annotations

from pathlib import Path

from ..cost import OFF, added
from ..document import Document, Grid, Heading, Picture, Text
from ..judge import share
from ..layout import ALL
from ..model import Data, Result
from .experiments import DONE, END, MODES, WORK
from .observations import when


def moment_label(data: Data, moment: Data) -> str:
    """What a moment is called."""
    name = str(moment["name"])
    if name == END:
        return "after the end, and a sync"
    return when(data, moment) if name.isdigit() or name == DONE else name


def layout_rows(moment: Data) -> list[list[object]]:
    """A row for each extension that has files."""
    rows: list[list[object]] = []
    for name, figures in moment["groups"].items():
        if not figures["files"] and name != ALL:
            continue
        cause = figures["causes"][0] if figures["causes"] else None
        rows.append(
            [
                name,
                figures["files"],
                figures["fragmented"],
                figures["fragments"],
                figures["apart"],
                figures["blocks"] / 256,
                share(figures["requests"], figures["ideal"]) if figures["ideal"] else None,
                f"{', '.join(cause[:3])}: {cause[3]}" if cause else None,
            ]
        )
    return rows


LAYOUT_HEAD = (
    "extension",
    "files",
    "fragmented",
    "extents",
    "last block apart",
    "MiB",
    "split factor",
    "dominant cause (operation, flush, why here): breaks",
)


def add_moments(document: Document, result: Result) -> None:
    """Picture and table of each moment."""
    for moment in result.data["moments"]:
        label = moment_label(result.data, moment)
        document.add(Heading(4, f"{result.experiment}: {label}"))
        facts = moment["facts"]
        known = [
            f"written to the device since the boot: {facts['written_kib'] / 1024:.0f} MiB",
            f"free segments: {facts['free_segments']}",
            f"stale files: {moment['stale']}",
        ]
        if "operations" in facts:
            known.insert(0, f"operations of workload F so far: {facts['operations']}")
        document.add(Text("; ".join(known) + "."))
        document.add(
            Picture(str(Path(result.folder) / moment["picture"]), f"{result.experiment}, {label}; colours of the paper")
        )
        document.add(Grid(LAYOUT_HEAD, layout_rows(moment)))
        if moment["by_pair"]:
            document.add(
                Text(
                    "Who took the block that another file should have got (times: the file, the other): "
                    + "; ".join(
                        f"{times}: {extension(victim)}, {extension(culprit)}" for times, victim, culprit in moment["by_pair"][:5]
                    )
                    + "."
                )
            )


def extension(name: str) -> str:
    """An extension as text."""
    return "(none)" if name == "-" else name


def cost_rows(runs: Data) -> list[list[object]]:
    """A row for each work and mode."""
    rows: list[list[object]] = []
    for case, modes in runs.items():
        for mode in modes:
            spread = added(runs, case, mode) if mode != OFF else None
            if spread:
                rows.append([WORK.get(case, case), MODES.get(mode, mode), spread.mid, spread.low, spread.high, spread.pairs])
    return rows


def show(document: Document, result: Result) -> None:
    """Add the data of a result to the report."""
    for phase in ("load", "workload"):
        if phase in result.data:
            figures = result.data[phase]
            document.add(
                Text(
                    f"{phase}: {figures['throughput']:.0f} operations a second for {figures['seconds']:.0f} s, "
                    "none of them failed."
                )
            )
    if "compared" in result.data:
        compared = result.data["compared"]
        document.add(
            Text(
                f"At the end the maps of {compared['files']} files with {compared['blocks']} blocks agreed with FIEMAP."
            )
        )
    if "cost" in result.data:
        document.add(
            Text(
                "Instructions of the whole guest that each way of watching adds, in percent of those without: median, least and most of the "
                "pairs. RocksDB's work is db_bench, which fills a database and updates it, Redis's redis-benchmark, which sets keys, both on "
                "F2FS on a RAM disk of 20 GB: YCSB would run in Java, which this small guest does not have. Beside fio they do a quarter of it. "
                "FragTracer's method looks at all files of the directory, those of fio, too."
            )
        )
        document.add(
            Grid(("work", "way", "added, %", "least, %", "most, %", "pairs"), cost_rows(result.data["cost"]))
        )
    if "moments" in result.data:
        add_moments(document, result)
