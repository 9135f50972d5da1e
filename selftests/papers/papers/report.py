# SPDX-License-Identifier: GPL-2.0-only
"""From results to a document: the verdicts of each paper, then the data of each experiment. Nothing here has a number of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .document import Code, Document, Grid, Heading, Items, Text
from .model import Kind, Paper, Result, Results, Verdict

EMULATION = (
    "Databases and F2FS are real; the processor is emulated where there is no KVM. Then times are not those of a machine, and the "
    "databases do far fewer operations a second; each result says how many. Counts of blocks, files and causes are what they are, "
    "but less happens in the same time than in the paper, so records are fewer and the tables of RocksDB smaller."
)


def add_result(document: Document, paper: Paper, title: str, result: Result) -> None:
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
    paper.show(document, result)


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
                Items([f"the paper's figure: {claim.figure}", f"counts as true if {claim.rule}", *verdict.evidence]),
            )
    for experiment in paper.experiments:
        if experiment.name in results:
            add_result(document, paper, experiment.title, results[experiment.name])
        else:
            document.add(Heading(3, f"{experiment.name}: {experiment.title}"))
            document.add(Text(failures.get(experiment.name, "not run yet")))


def add_overview(document: Document, papers: Sequence[Paper], results: Results) -> None:
    """How many verdicts of each kind each paper has, and which experiments have no result."""
    rows: list[list[object]] = []
    for paper in papers:
        missing = [experiment.name for experiment in paper.experiments if experiment.name not in results]
        rows.append([paper.title, len(paper.claims), summary(verdicts(paper, results)), ", ".join(missing) or "none"])
    document.add(Grid(("paper", "claims", "verdicts", "experiments without a result"), rows))


def report(papers: Sequence[Paper], results: Results, failures: Mapping[str, str]) -> Document:
    """The whole report."""
    document = Document("The papers, reproduced with fragtrace")
    document.add(Text(EMULATION))
    add_overview(document, papers, results)
    for paper in papers:
        add_paper(document, paper, results, failures)
    return document
