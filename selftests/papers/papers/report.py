# SPDX-License-Identifier: GPL-2.0-only
"""From results to a document: the verdicts of each paper, then the data of each experiment. Nothing here has a number of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .cost import OFF, added
from .document import Code, Document, Grid, Heading, Items, Picture, Text
from .judge import share
from .layout import ALL
from .model import Data, Kind, Paper, Result, Results, Verdict

EMULATION = (
    "Databases and F2FS are real; the processor is emulated where there is no KVM. Then times are not those of a machine, and the "
    "databases do some thousand operations a second at most. Counts of blocks, files and causes are what they are, but less "
    "happens in the same time than in the paper, so records are fewer and the tables of RocksDB smaller."
)


def moment_label(name: str, data: Data) -> str:
    """What a moment is called."""
    if name == "end":
        return "after the end, and a sync"
    if name.isdigit():
        return f"after {data['facts']['seconds']} s"
    return name


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
        label = moment_label(moment["name"], moment)
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
                    + "; ".join(f"{times}: {victim}, {culprit}" for times, victim, culprit in moment["by_pair"][:5])
                    + "."
                )
            )


def cost_rows(runs: Data) -> list[list[object]]:
    """A row for each work and mode."""
    rows: list[list[object]] = []
    for case, modes in runs.items():
        for mode in modes:
            spread = added(runs, case, mode) if mode != OFF else None
            if spread:
                rows.append([case, mode, spread.mid, spread.low, spread.high, spread.pairs])
    return rows


def add_result(document: Document, title: str, result: Result) -> None:
    """All that is known of an experiment."""
    document.add(Heading(3, f"{result.experiment}: {title}"))
    document.add(
        Items(
            [
                *(f"{name}: {value}" for name, value in result.settings.items()),
                *(f"{name}: {value}" for name, value in result.data.get("guest", {}).items() if name != "kernel"),
                *(f"version of {name}: {value}" for name, value in result.versions.items()),
                f"took {result.took:.0f} s",
            ]
        )
    )
    document.add(Code("\n".join([*result.commands, *result.data.get("ycsb", ())])))
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
                "Instructions that each way of watching adds, in percent of those without: median, least and most of the pairs."
            )
        )
        document.add(Grid(("work", "way", "added", "least", "most", "pairs"), cost_rows(result.data["cost"])))
    if "moments" in result.data:
        add_moments(document, result)


def verdicts(paper: Paper, results: Results) -> list[Verdict]:
    """The verdict of each claim."""
    return [claim.verdict(results) for claim in paper.claims]


def summary(found: Sequence[Verdict]) -> str:
    """How many verdicts of each kind."""
    numbers = {kind: sum(verdict.kind is kind for verdict in found) for kind in Kind}
    return ", ".join(f"{number} {kind.value}" for kind, number in numbers.items() if number)


def add_paper(document: Document, paper: Paper, results: Results, failures: Mapping[str, str]) -> None:
    """Claims first, then the data."""
    found = verdicts(paper, results)
    document.add(
        Heading(2, paper.title),
        Text(paper.source),
        Text(paper.setup),
        Text(paper.here),
        Text(f"{len(found)} claims: {summary(found)}."),
    )
    document.add(
        Grid(
            ("where", "the paper says", "its figure", "verdict", "because"),
            [
                (claim.where, claim.text, claim.figure, verdict.kind.value, verdict.reason)
                for claim, verdict in zip(paper.claims, found)
            ],
        )
    )
    document.add(Heading(3, "Evidence"))
    for claim, verdict in zip(paper.claims, found):
        if verdict.kind not in (Kind.NOT_RUN, Kind.NOT_TESTED):
            document.add(
                Text(f"{claim.where}: {claim.text}: {verdict.kind.value} ({verdict.reason})."),
                Items([f"counts as true if {claim.rule}", *verdict.evidence]),
            )
    for experiment in paper.experiments:
        if experiment.name in results:
            add_result(document, experiment.title, results[experiment.name])
        else:
            document.add(Heading(3, f"{experiment.name}: {experiment.title}"))
            document.add(Text(failures.get(experiment.name, "not run yet")))


def report(papers: Sequence[Paper], results: Results, failures: Mapping[str, str]) -> Document:
    """The whole report."""
    document = Document("The papers, reproduced with fragtrace")
    document.add(Text(EMULATION))
    for paper in papers:
        add_paper(document, paper, results, failures)
    return document
