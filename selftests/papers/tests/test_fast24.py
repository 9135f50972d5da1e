# SPDX-License-Identifier: GPL-2.0-only
"""Both forecasts of FAST 2024, against counts by hand, and its claims."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from papers import fast24
from papers.document import Document
from papers.facts import FactError
from papers.fast24.claims import claims
from papers.fast24.dies import (
    Blocks,
    busiest,
    die_factor,
    files,
    forecast,
    orders,
    parted,
    rank_correlation,
    requests,
    split_factor,
)
from papers.fast24.experiments import NAME
from papers.model import Claim, Data, Kind, Options, Result
from fragsnap import read_list, read_table

DATA = Path(__file__).resolve().parent / "data"


def blocks(*lbas: int, name: str = "x") -> Blocks:
    """A file of these blocks, without holes."""
    return Blocks(name, np.arange(len(lbas)), np.array(lbas))


def test_orders() -> None:
    found = orders(["E 5 0 2 100\n", "W 100 2\n", "M one\n", "W 300 1\n", "W 100 1\n", "E 5 0 9 -1\n", "M two\n"])
    assert found["one"].written == {100: 0, 101: 1} and found["one"].allocated == {100: 0, 101: 1}
    # written again in place: later, though the map has not changed
    assert found["two"].written == {100: 3, 101: 1, 300: 2}
    assert (found["two"].blocks_written, found["two"].blocks_allocated) == (4, 2)
    with pytest.raises(FactError, match="not an event"):
        orders(["X 1\n"])


def test_foreign_blocks_between_neighbours() -> None:
    assert parted([0, 1, 2, 3]) == (3, 0)
    assert parted([0, 2, 4]) == (2, 2)
    # backwards, with own blocks only
    assert parted([2, 1, 0]) == (2, 0)
    # between the first two is an own block (1), between the last two a foreign one (3) beside it
    assert parted([0, 2, 1, 4]) == (3, 1)
    assert parted([7]) == (0, 0)


def test_requests_and_busiest_die() -> None:
    whole = blocks(*range(1000, 1064))
    assert requests(whole) == (2, 2)
    assert busiest(whole, np.arange(64), 8) == (8, 8)
    # every second block of the order is of another file: half of the dies have all
    assert busiest(whole, np.arange(64) * 2, 8) == (16, 8)
    # each on the same die
    assert busiest(whole, np.arange(64) * 8, 8) == (64, 8)
    assert requests(blocks(1, 2, 4, 5, 7)) == (3, 1)
    assert busiest(blocks(1, 2, 4), np.array([0, 1, 2]), 64) == (1, 1)


def test_forecast_by_hand() -> None:
    """Four blocks in place, the second of which was written again after another file's."""
    at = orders(["E 1 0 4 10", "W 10 4", "W 50 3", "W 11 1", "M end"])["end"]
    found = forecast(blocks(10, 11, 12, 13), at)
    assert (found["fragments"], found["requests"], found["requests_whole"]) == (1, 1, 1)
    # numbers 0, 7, 2, 3
    assert (found["pairs"], found["foreign"], found["successive"]) == (3, 2, 1)
    assert (found["allocated_pairs"], found["allocated_foreign"]) == (3, 0)
    assert found["dies"]["4"] == [2, 1] and found["dies"]["8"] == [1, 1]
    with pytest.raises(FactError, match="no write of 1 blocks was seen, the first at 99"):
        forecast(blocks(99), at)


def test_rank_correlation() -> None:
    assert rank_correlation([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert rank_correlation([1, 1, 2, 2], [1, 2, 1, 2]) == pytest.approx(0)
    assert rank_correlation([1, 1], [1, 2]) == 0


def test_files_of_a_snapshot() -> None:
    """As many requests as fragtrace has for files without holes."""
    path = str(DATA / "rocksdb.snapshot.zst")
    found = {one.name: one for one in files(read_table(path))}
    records = {record["path"].rsplit("/", 1)[-1]: record for record in read_list("files", path)}
    assert found
    for name, blocks in found.items():
        assert requests(blocks) == (records[name]["requests_128k"], records[name]["ideal_128k"]), name


def row(name: str, factor: float, dies: float) -> Data:
    """A file of 100 reads."""
    return {
        "name": name,
        "blocks": 3200,
        "fragments": 3,
        "pairs": 3199,
        "foreign": 100,
        "allocated_pairs": 3199,
        "allocated_foreign": 90,
        "successive": 3000,
        "requests": int(100 * factor),
        "requests_whole": 100,
        "dies": {str(count): [int(400 * dies), 400] for count in (4, 8, 16, 32, 64)},
    }


def found() -> Data:
    written = [row("alone.dat", 1, 1), row("direct.dat", 1, 1.5), row("base.db", 8, 1.6)]
    later = [row("alone.dat", 1, 1), row("direct.dat", 1, 1.5), row("base.db", 1, 1)]
    return {
        "compared": {"files": 3, "blocks": 9600},
        "moments": {
            name: {"blocks_written": 10_000, "blocks_allocated": 9_000, "files": rows}
            for name, rows in (("written", written), ("rewritten", later))
        },
    }


def claim(start: str) -> Claim:
    (one,) = [one for one in claims() if one.text.startswith(start)]
    return one


def verdict(data: Data, start: str) -> Kind:
    return claim(start).verdict({NAME: Result(NAME, {}, data)}).kind


def test_claims() -> None:
    assert split_factor(row("x", 8, 1)) == 8 and die_factor(row("x", 8, 1.5), 8) == 1.5
    for start in ("If other writes", "Dies at random", "The same can happen", "Request splitting", "A rewrite"):
        assert verdict(found(), start) is Kind.CONFIRMED, start
    assert verdict(found(), "The main cause") is Kind.NOT_TESTED
    assert claim("If other writes").verdict({}).kind is Kind.NOT_RUN


def test_claims_that_do_not_hold() -> None:
    data = found()
    # an overwrite that moves blocks is no overwrite in place, and one on the same dies costs nothing; a tenth is the limit of both
    for factor, dies, kind in (4, 1.5, Kind.NOT_CONFIRMED), (1.1, 1.5, Kind.NOT_CONFIRMED), (1.09, 1.5, Kind.CONFIRMED), (1, 1.1, Kind.NOT_CONFIRMED):
        data["moments"]["written"]["files"][1] = row("direct.dat", factor, dies)
        assert verdict(data, "The same can happen") is kind, (factor, dies)
    data["moments"]["written"]["files"] = [row("a", 1, 1), row("b", 2, 2), row("base.db", 3, 1.05)]
    assert verdict(data, "Dies at random") is Kind.NOT_CONFIRMED
    data["moments"]["written"]["files"] = [row("a", 1, 1), row("b", 2, 2), row("base.db", 3, 3)]
    assert verdict(data, "Request splitting") is Kind.NOT_CONFIRMED
    data["moments"]["rewritten"]["files"] = [row("base.db", 1, 4)]
    assert verdict(data, "A rewrite") is Kind.NOT_CONFIRMED


def test_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table, and the plot: bars of requests and marks of dies by file, those with the fewest requests below."""
    drawn: list[Figure] = []
    monkeypatch.setattr(pyplot, "close", lambda what: drawn.extend([what] if isinstance(what, Figure) else []))
    document, data = Document("x"), found()
    long = "a-name-that-needs-more-room-than-there-is-by-default.sst"
    data["moments"]["written"]["files"].append(row(long, 9, 1))
    fast24.paper(Options()).show(document, Result(NAME, {}, data, folder=str(tmp_path)))
    text = document.markdown(tmp_path)
    assert (tmp_path / "forecasts.png").is_file()
    names, (figure,) = ["alone.dat", "direct.dat", "base.db", long], drawn
    for axes, title, splits, dies in zip(
        figure.axes, ("as written", "after fragtrace-defrag"), ([0, 0, 7, 8], [0, 0, 0, 0]), ([1, 1.5, 1.6, 1], [1, 1.5, 1]), strict=True
    ):
        assert axes.get_title() == title and [(bar.get_x(), bar.get_y(), bar.get_width()) for bar in axes.patches] == [
            (1, n - 0.4, split) for n, split in enumerate(splits)
        ]
        marks = [[tuple(map(float, point)) for point in zip(*line.get_data())] for line in axes.lines]
        assert marks == [[(at, n) for n, at in enumerate(dies)]] * 5 and axes.get_xlim() == (0.9, 36)
        assert [label.get_text() for label in axes.get_xticklabels()] == [str(at) for at in axes.get_xticks()] == ["1", "2", "4", "8", "16", "32"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == names and list(figure.axes[0].get_yticks()) == [0, 1, 2, 3]
    assert figure.axes[0].get_yticklabels()[3].get_window_extent().x0 >= 0
    assert len({line.get_marker() for line in figure.axes[0].lines}) == len({line.get_color() for line in figure.axes[0].lines}) == 5
    legend = figure.axes[1].get_legend()
    assert legend and [text.get_text() for text in legend.get_texts()] == ["4 dies", "8 dies", "16 dies", "32 dies", "64 dies", "requests"]
    assert "| base.db | 3 200 | 3 | 3.13 | 2.81 | 8.00 | 1.60 |" in text
