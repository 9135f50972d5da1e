# SPDX-License-Identifier: GPL-2.0-only
"""The paper about fsync: its texts, its figures, and its claims on data made by hand."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from papers.document import Picture
from papers.facts import FactError
from papers.fsync import claims, paper
from papers.fsync.experiments import DEVICES, KERNELS, LONGEST, SLOWNESS, every, experiments, kernels, long_run
from papers.fsync.figures import fifths, spans
from papers.fsync.plot import draw
from papers.fsync.texts import parse_fsync, parse_lines
from papers.model import Data, Kind, Options, Result
from papers.report import report

TEXT = """# fragtrace fsync 1
# dev what count sum us:count... (node_blocks: blocks; other sums: ns)
254:0 fsync 3 6000 2:3
254:0 data 3 3000 1:3
254:0 node 2 1000 0:2
254:0 checkpoint 1 500 0:1
254:0 checkpoint:hardlink 1 500 0:1
254:0 flush 2 1000 0:2
254:0 other 3 500 0:3
254:0 search 0 0
254:0 node_blocks 3 5 1:2 2:1
254:0 all_searches 2 2000 1:2
254:0 alloc_nid 7 3500 0:7
254:0 failed 0 -
254:0 missed 0 -
"""


def test_the_file_fsync() -> None:
    rows = parse_fsync(TEXT)
    assert rows["fsync"] == {"count": 3, "sum": 6000, "buckets": {"2": 3}}
    assert rows["checkpoint:hardlink"]["count"] == 1 and rows["missed"]["sum"] == 0
    for wrong in (
        "",
        "# fragtrace fsync 2\n",
        "# fragtrace fsync 1\n",
        TEXT + "254:16 fsync 0 0\n",
        TEXT.replace("# dev", "# not known: f2fs_sync_fs cannot be followed (-2)\n# dev"),
    ):
        with pytest.raises(FactError):
            parse_fsync(wrong)


def test_the_lines_of_varmail() -> None:
    lines = parse_lines("0 0 0 0 0 0\n1000 5 65 5 10 2000 1:4 2:6\n2000 9 117 9 18 4000 1:8 2:10\n")
    assert lines[1] == {
        "ms": 1000,
        "rounds": 5,
        "ops": 65,
        "creates": 5,
        "fsyncs": 10,
        "fsync_ns": 2000,
        "buckets": {"1": 4, "2": 6},
    }
    for wrong in ("0 0 0 0 0 0\n", "0 0 0 0\n" * 3, "a b c d e f\n" * 3):
        with pytest.raises(FactError):
            parse_lines(wrong)


def test_fifths_divide_a_run() -> None:
    assert [long_run(Options(quick=True)), long_run(Options(long=3)), long_run(Options(long=24))] == [5, 5, 20]
    assert long_run(Options(long=100_000)) == LONGEST
    for seconds in range(5, 125, 5):
        assert seconds // 5 % every(seconds) == 0 and 5 <= seconds // every(seconds) <= 35


def case(rounds: list[int], *, watched: bool = False, alloc_us: float = 1.0, search_us: float = 0.0) -> Data:
    """A case with a line a second. Each round allocates a node ID; alloc_us is what that takes in the last fifth."""
    lines, rows, done, alloc = [], [], 0, 0.0
    for second, number in enumerate([0, *rounds]):
        done += number
        alloc += number * (alloc_us if second == len(rounds) else 1.0)
        figures = {"ms": 1000 * second, "rounds": done, "ops": 13 * done, "creates": done, "fsyncs": 2 * done}
        lines.append({**figures, "fsync_ns": 2000 * done, "buckets": {}})
        row = {
            "fsync": (2 * done, 2000 * done),
            "data": (2 * done, 1000 * done),
            "node": (2 * done, 500 * done),
            "checkpoint": (0, 0),
            "flush": (2 * done, 400 * done),
            "other": (2 * done, 100 * done),
            "search": (done, int(1000 * search_us * done)),
            "node_blocks": (2 * done, 3 * done),
            "alloc_nid": (done, int(1000 * alloc)),
            "all_searches": (done, 100 * done),
        }
        rows.append({name: {"count": count, "sum": total, "buckets": {}} for name, (count, total) in row.items()})
    return {"facts": {}, "lines": lines, "rows": rows if watched else []}


STEADY = [100, 100, 100, 100, 100]
WORSE = [106, 100, 90, 80, 67]


def cases(device: str, rounds: list[int], **more: float) -> Data:
    """All cases of a device; ext4 is steady."""
    return {
        f"ext4-{device}": case(STEADY),
        f"bare-{device}": case(rounds),
        f"f2fs-{device}": case(rounds, watched=True, **more),
    }


def results(*found: Data, kernel: str = "6.12") -> dict[str, Result]:
    """One result for each."""
    names = [f"fsync-{number}-{kernel}" for number in range(len(found))]
    return {name: Result(name, {"kernel": kernel}, {"cases": one}) for name, one in zip(names, found)}


def kinds(found: dict[str, Result], on: tuple[str, ...] = ("6.12",)) -> list[Kind]:
    """The kinds of all verdicts."""
    return [one.verdict(found).kind for one in claims(on)]


def test_each_device_and_kernel_is_run() -> None:
    """The kernels are those that setup.sh calls tested, and one that the command names; a quick run has only the latter."""
    setup = (Path(__file__).parents[2] / "machine/setup.sh").read_text(encoding="utf-8")
    tested = re.search(r'^FT_TESTED="(.*)"$', setup, re.MULTILINE)
    assert tested and set(tested[1].split()) == set(KERNELS)
    assert kernels(Options()) == kernels(Options(kernel="7")) == KERNELS
    assert kernels(Options(kernel="6.12-rt")) == (*KERNELS, "6.12-rt")
    assert [one.settings["kernel"] for one in experiments(Options(quick=True, kernel="7"))] == ["7"]
    found = experiments(Options())
    assert [one.name for one in found] == [f"fsync-{device}-{kernel}" for kernel in KERNELS for device in DEVICES]
    assert [one.settings["kernel"] for one in found] == [kernel for kernel in KERNELS for _ in DEVICES]


def test_what_a_claim_depends_on() -> None:
    """On the kernel, on the device, or on both; runs of two kernels are not mixed."""
    both = ("6.1", "7")
    old = results(cases("cheap", STEADY), cases("dear", STEADY), kernel="6.1")
    of_kernel = old | results(cases("cheap", WORSE), cases("dear", WORSE), kernel="7")
    of_device = results(cases("cheap", STEADY), cases("dear", WORSE), kernel="6.1") | results(
        cases("cheap", STEADY), cases("dear", WORSE), kernel="7"
    )
    of_both = old | results(cases("cheap", STEADY), cases("dear", WORSE), kernel="7")
    slower = claims(both)[1]
    for found, what in ((of_kernel, "kernel"), (of_device, "device"), (of_both, "kernel and the device")):
        verdict = slower.verdict(found)
        assert verdict.kind is Kind.DEPENDS and verdict.reason.startswith(f"on the {what}: true on kernel ")
    assert slower.verdict(old).reason.endswith(
        "(no result yet on kernel 7 with cheap flushes; kernel 7 with dear flushes)"
    )
    more = claims(both)[4].verdict(old | results(cases("cheap", WORSE, alloc_us=80_000), cases("dear", STEADY), kernel="7"))
    assert more.reason == "on the kernel: true on kernel 7, both devices; not on kernel 6.1, both devices"


def test_spans() -> None:
    first, last = fifths(case(WORSE, watched=True))
    assert (first.rounds, last.rounds, first.rate, last.seconds) == (106, 67, 1378, 1)
    assert first.phase("data") == 0.5 and first.mean_us("alloc_nid") == 1 and first.fsync_us == 1
    assert first.round_us(16) == pytest.approx(16e6 / 106)
    assert [span.rounds for span in spans(case(WORSE))] == WORSE


def test_as_in_the_paper() -> None:
    """A round takes 88 ms more in the end, 80 of them for its node ID; not so on the device with dear flushes."""
    found = results(
        cases("cheap", WORSE, alloc_us=80_000, search_us=0.5), cases("dear", STEADY, search_us=0.5)
    )
    assert kinds(found) == [
        Kind.DEPENDS,
        Kind.DEPENDS,
        Kind.DEPENDS,
        Kind.CONFIRMED,
        Kind.CONFIRMED,
        Kind.NOT_TESTED,
    ]
    verdict = claims(("6.12",))[1].verdict(found)
    assert verdict.evidence[0].endswith(
        ": yes; in the last fifth F2FS 871 operations a second, ext4 1300: 0.67 of it; that is -36.8% since the first fifth; "
        "F2FS alone -36.8%, ext4 alone +0.0%"
    )
    # half of what a round takes more, 16 / 67 s - 16 / 106 s, is the limit
    for alloc_us, kind in (43_900, Kind.NOT_CONFIRMED), (44_000, Kind.CONFIRMED):
        same = results(*(cases(device, WORSE, alloc_us=alloc_us) for device in ("cheap", "dear")))
        assert claims(("6.12",))[2].verdict(same).kind is kind
    # and a tenth is the least loss: 1 / 130 is a tenth more than 1 / 143
    for last, kind in (130, Kind.CONFIRMED), (131, Kind.NOT_CONFIRMED):
        less = results(*(cases(device, [143, 140, 137, 134, last], alloc_us=11_000) for device in ("cheap", "dear")))
        assert claims(("6.12",))[2].verdict(less).kind is kind


def test_slower_for_another_reason() -> None:
    found = results(cases("cheap", WORSE) | cases("dear", WORSE))
    assert kinds(found)[1:5] == [Kind.CONFIRMED, Kind.NOT_CONFIRMED, Kind.NOT_CONFIRMED, Kind.NOT_CONFIRMED]


def test_no_longer_so() -> None:
    found = results(cases("cheap", STEADY) | cases("dear", STEADY))
    assert kinds(found)[:5] == [Kind.NOT_CONFIRMED] * 5


def test_a_run_that_is_missing() -> None:
    assert kinds({})[:5] == [Kind.NOT_RUN] * 5
    found = results(cases("cheap", WORSE))
    assert claims(("6.12",))[4].verdict(found).kind is Kind.NOT_RUN
    assert claims(("6.12",))[0].verdict(found).evidence[-1] == "kernel 6.12 with dear flushes: no result yet"
    half = copy.deepcopy(found)
    del half["fsync-0-6.12"].data["cases"]["ext4-cheap"]
    assert kinds(half)[0] is Kind.NOT_RUN


def test_a_fifth_without_work_does_not_tell() -> None:
    """F2FS was stuck at first: it has lost nothing of what it did not have."""
    found = results(cases("cheap", [0, 100, 90, 80, 67]) | cases("dear", STEADY))
    assert kinds(found)[:5] == [Kind.NOT_CONFIRMED] * 4 + [Kind.UNTOLD]
    verdict = claims(("6.12",))[1].verdict(found)
    assert verdict.evidence[-1].startswith(
        "kernel 6.12 with cheap flushes: does not tell: rounds in the first and in the last fifth: ext4 100 and 100, F2FS 0 and 67"
    )


def test_what_a_second_takes_is_said() -> None:
    assert f"each takes {SLOWNESS} s of an idle machine" in paper(Options()).here


def test_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second each: 13 operations and two fsyncs of 1 µs a round, half of which goes to data, and a node ID."""
    drawn: list[Figure] = []
    monkeypatch.setattr(pyplot, "close", lambda what: drawn.extend([what] if isinstance(what, Figure) else []))
    draw(cases("cheap", WORSE), "6.12", tmp_path / "varmail.png")
    (figure,) = drawn
    rates, latencies, phases, ids, taken = figure.axes
    lines = [[[float(y) for y in line.get_ydata()] for line in axes.lines] for axes in figure.axes]
    operations = [13 * rounds for rounds in WORSE]
    assert lines[0] == [[1300] * 5, operations, operations] and lines[1] == [[1] * 5] * 3
    assert lines[2] == [[0] * 5] and lines[3] == [pytest.approx([1] * 5), pytest.approx([0.1] * 5)] and lines[4] == [[106, 206, 296, 376, 443]]
    assert all(list(line.get_xdata()) == [0.5, 1.5, 2.5, 3.5, 4.5] for axes in figure.axes for line in axes.lines)
    edges = [sorted({round(float(y), 6) for _, y in area.get_paths()[0].vertices}) for area in phases.collections]
    assert edges == [[0, 50], [50, 75], [75], [75, 95], [95, 100]]
    highest = [axes.get_ylim() for axes in figure.axes]
    assert highest == [pytest.approx((0, high)) for high in (1.1 * 1378, 1.1, 100, 1.1, 1.1 * 443)]
    legends = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in (rates, phases, ids)]
    assert legends[0] == ["ext4", "F2FS", "F2FS with fragtrace"]
    assert legends[1] == ["data", "node", "checkpoint", "flush", "other", "searches"] and legends[2] == ["allocations", "searches"]
    assert [line.get_color() for line in rates.lines] == [line.get_color() for line in latencies.lines] == ["#0072B2", "#D55E00", "#E69F00"]
    assert rates.get_title() == "a device with cheap flushes" and taken.get_ylabel() == "node IDs taken so far (dashed)"


@pytest.mark.parametrize("quick", [True, False])
def test_report(tmp_path: Path, quick: bool) -> None:
    """Tables and picture are in it, for one device and for two."""
    made = paper(Options(quick=quick))
    found = cases("cheap", WORSE) | (cases("dear", STEADY) if quick else {})
    name = made.experiments[0].name
    document = report([made], {name: Result(name, {"kernel": "6.12"}, {"cases": found}, folder=str(tmp_path))}, {})
    text = document.markdown(tmp_path)
    assert "![fsync-" in text and "where it goes" in text
    assert "| bare-cheap | first | 1378 | 106 | 106 | 212 | 1.00 |" in text
    assert "| f2fs-cheap | last | 50.0 | 25.0 | 0.00 | 20.0 | 5.00 | 0.00 | 1.50 |" in text
    assert [part.path for part in document.parts if isinstance(part, Picture)] == [str(tmp_path / "varmail.png")]
    assert "src=\"data:image/png;base64," in document.html()
