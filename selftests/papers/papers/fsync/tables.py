# SPDX-License-Identifier: GPL-2.0-only
"""The tables of an experiment: rates of the first and the last fifth, where the time of fsyncs went, node IDs."""

from __future__ import annotations

from ..judge import share
from ..model import Data
from .figures import PHASES, Span, fifths


def table(title: str, head: list[str], rows: list[list[object]]) -> Data:
    """A table as the report takes it."""
    return {"title": title, "head": head, "rows": rows}


def both(case: Data) -> list[tuple[str, Span]]:
    """The two fifths and their words."""
    return list(zip(("first", "last"), fifths(case)))


def tables(cases: Data, threads: int) -> list[Data]:
    """All tables."""
    watched = {name: case for name, case in cases.items() if case["rows"]}
    fifth = [(name, word, span) for name, case in cases.items() for word, span in both(case)]
    inside = [(name, word, span) for name, case in watched.items() for word, span in both(case)]
    last = [(name, case["rows"][-1]) for name, case in watched.items()]
    return [
        table(
            "Throughput, and the time of an fsync as the program sees it. The case bare is F2FS without fragtrace.",
            ["case", "fifth", "operations/s", "rounds", "new files", "fsyncs", "us of an fsync", "us of a round"],
            [
                [name, word, span.rate, span.rounds, span.creates, span.fsyncs, span.fsync_us, span.round_us(threads)]
                for name, word, span in fifth
            ],
        ),
        table(
            "Where the time of fsyncs goes, in percent; searches for free node IDs are within these phases.",
            ["case", "fifth", *PHASES, "searches", "node blocks of an fsync"],
            [
                [
                    name,
                    word,
                    *(100 * span.phase(phase) for phase in (*PHASES, "search")),
                    share(span.sums["node_blocks"], span.counts["node_blocks"]),
                ]
                for name, word, span in inside
            ],
        ),
        table(
            "Node IDs: allocations by all tasks, and searches, which find many at a time.",
            ["case", "fifth", "allocated", "us of one", "us of each round", "searches", "us of a search", "us of each round"],
            [
                [
                    name,
                    word,
                    span.counts["alloc_nid"],
                    span.mean_us("alloc_nid"),
                    span.per_round_us("alloc_nid"),
                    span.counts["all_searches"],
                    span.mean_us("all_searches"),
                    span.per_round_us("all_searches"),
                ]
                for name, word, span in inside
            ],
        ),
        table(
            "All fsyncs, and those for which F2FS has written a checkpoint, by its reason.",
            ["case", "fsyncs", "with a checkpoint", "reasons"],
            [
                [
                    name,
                    rows["fsync"]["count"],
                    rows["checkpoint"]["count"],
                    ", ".join(
                        f"{row.partition(':')[2]} {figures['count']}"
                        for row, figures in rows.items()
                        if row.startswith("checkpoint:")
                    )
                    or "none",
                ]
                for name, rows in last
            ],
        ),
    ]
