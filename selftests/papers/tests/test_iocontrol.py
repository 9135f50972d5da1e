# SPDX-License-Identifier: GPL-2.0-only
"""Shares, CFQ's rule, and the claims on I/O control, on data made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from papers import iocontrol
from papers.document import Document
from papers.iocontrol.claims import claims
from papers.iocontrol.experiments import DISKS, TOLD
from papers.iocontrol.experiments import SQLITE as SQLITES
from papers.iocontrol.experiments import SYNTHETIC as SYNTHETICS
from papers.iocontrol.observations import NAMES, UNTOLD
from papers.iocontrol.sharing import allotted, cfq
from papers.iocontrol.show import bars
from papers.model import Claim, Data, Kind, Options, Result

MB = 1_000_000
# what the tests are on, unless they say so: the disk of one request at a time
PLAIN, QUEUE = SYNTHETICS
SYNTHETIC, SQLITE = SYNTHETICS[PLAIN], SQLITES[PLAIN]


def group(weight: int, megabytes: float, size: int, estimated: int = 0, **more: object) -> Data:
    """What a group has done in a second, with requests of this size."""
    count = int(megabytes * MB / size)
    return {
        "weight": weight,
        "operations": 20,
        "useful": int(megabytes * MB),
        "mean_ns": 1e6,
        "spread_ns": 1e5,
        "bytes": int(megabytes * MB),
        "bios": count,
        "estimated_us": estimated,
        "module_requests": count,
        "module_whole": int(megabytes * MB / 131072),
        **more,
    }


def run(controller: str, case: str, state: str, **groups: Data) -> Data:
    """A case of one second."""
    return {
        "controller": controller,
        "case": case,
        "state": state,
        "seconds": 1.0,
        "groups": groups,
        "disk": {
            "requests": sum(one["module_requests"] for one in groups.values()),
            "bytes": sum(one["bytes"] for one in groups.values()),
        },
    }


def data(*runs: Data) -> Data:
    return {
        "runs": list(runs),
        "moves": {
            "grp1 rewritten": {"blocks": 4096, "before": 4096, "after": 2, "moved": 16 << 20, "written": 17 << 20},
            "grp2 rewritten": {"blocks": 4096, "before": 1, "after": 1, "moved": 0, "written": 8192},
        },
        "controllers": {
            "bfq": {"scheduler": "none [bfq]"},
            "iocost-exact": {"model": "253:0 ctrl=user model=linear rbps=10000000000 rseqiops=7000 rrandiops=7000"},
        },
        "request_ns": 100_000,
    }


def alone() -> tuple[Data, Data]:
    """P1 and P6 without a controller: 10 000 requests a second, of 4 KiB or of 128 KiB."""
    whole, broken = group(100, 1310.72, 131072), group(100, 40.96, 4096)
    return run("none", "P1", "as written", grp2=whole), run("none", "P6", "as written", grp1=broken)


def claim(start: str) -> Claim:
    """The claim whose text begins so."""
    (found,) = [one for one in claims() if one.text.startswith(start)]
    return found


def verdict(found: Data, start: str, experiment: str = SYNTHETIC) -> Kind:
    return claim(start).verdict({experiment: Result(experiment, {}, found)}).kind


def test_allotted_by_weight() -> None:
    assert allotted(900, {"a": 200, "b": 100}, {"a": 1e9, "b": 1e9}) == {"a": 600, "b": 300}


def test_what_is_not_wanted_is_for_others() -> None:
    assert allotted(900, {"a": 200, "b": 100}, {"a": 100, "b": 1e9}) == {"a": 100, "b": 800}
    assert allotted(900, {"a": 1, "b": 1}, {"a": 100, "b": 200}) == {"a": 100, "b": 200}
    assert allotted(900, {"a": 1, "b": 1, "c": 1}, {"a": 100, "b": 350, "c": 1e9}) == pytest.approx(
        {"a": 100, "b": 350, "c": 450}
    )


def test_cfq_gives_pieces_fewer_bytes() -> None:
    """Half of the requests each: a 33rd of the bytes for 4 KiB beside 128 KiB."""
    whole, broken = alone()
    got = cfq(data(whole, broken), {"grp1": broken, "grp2": whole}, {"grp1": 100, "grp2": 100})
    assert got["grp2"] / got["grp1"] == pytest.approx(32, rel=0.001)


def test_more_and_smaller_requests() -> None:
    found = data(*alone())
    assert verdict(found, "It increases the number") is Kind.CONFIRMED
    assert verdict(found, "It decreases the size") is Kind.CONFIRMED
    assert verdict(found, "It increases the randomness") is Kind.CONFIRMED
    assert verdict(found, "It lowers performance") is Kind.CONFIRMED
    assert verdict(found, "It makes performance irregular") is Kind.NOT_TESTED


def test_nothing_was_run() -> None:
    for one in claims():
        assert one.verdict({}).kind in (Kind.NOT_RUN, Kind.NOT_TESTED)
    assert verdict(data(), "Under BFQ the other group") is Kind.UNTOLD


def both(
    controller: str, case: str, state: str, weights: tuple[int, int], rates: tuple[float, float], size: int
) -> Data:
    """Two readers; grp1 has requests of this size."""
    one, other = weights
    return run(
        controller,
        case,
        state,
        grp1=group(one, rates[0], size, estimated=500),
        grp2=group(other, rates[1], 131072, estimated=500),
    )


def test_cfq_is_unfair_to_pieces() -> None:
    beside = both("none", "P4", "as written", (100, 100), (10, 10), 4096)
    assert verdict(data(*alone(), beside), "Under CFQ") is Kind.CONFIRMED
    assert (
        verdict(data(*alone(), both("none", "P2", "as written", (100, 100), (10, 10), 4096)), "Under CFQ")
        is Kind.UNTOLD
    )


def test_interference_depends_on_the_model() -> None:
    """With the kernel's model grp2 loses, with the disk's costs it does not."""
    found = data(
        both("iocost-default", "P2", "as written", (100, 100), (600, 600), 131072),
        both("iocost-default", "P4", "as written", (100, 100), (40, 40), 4096),
        both("iocost-exact", "P2", "as written", (100, 100), (600, 600), 131072),
        both("iocost-exact", "P4", "as written", (100, 100), (20, 600), 4096),
    )
    verdict_ = claim("Under IOCost the other").verdict({SYNTHETIC: Result(SYNTHETIC, {}, found)})
    assert verdict_.kind is Kind.DEPENDS
    assert (
        f"true on {PLAIN}, IOCost, the kernel's model, P4; not on {PLAIN}, IOCost, this disk's costs, P4 (no result yet on {QUEUE})"
        in verdict_.reason
    )
    assert verdict(found, "IOCost fails to estimate") is Kind.DEPENDS


def healing(after: float) -> Data:
    """Under BFQ grp2 has a tenth beside pieces, and so much after grp1's file was rewritten."""
    return data(
        both("bfq", "P2", "as written", (100, 100), (600, 600), 131072),
        both("bfq", "P4", "as written", (100, 100), (30, 60), 4096),
        both("bfq", "P4", "grp2 rewritten", (100, 100), (30, 61), 4096),
        both("bfq", "P4", "grp1 rewritten", (100, 100), (after, after), 131072),
    )


def test_the_right_files_heal() -> None:
    assert verdict(healing(580), "Under BFQ the other") is Kind.CONFIRMED
    assert verdict(healing(580), "Under BFQ, which shares out sectors") is Kind.CONFIRMED
    assert verdict(healing(580), "Defragmentation relieves") is Kind.CONFIRMED
    assert verdict(healing(580), "BFQ and IOCost: defragment") is Kind.CONFIRMED
    assert verdict(healing(100), "Defragmentation relieves") is Kind.NOT_CONFIRMED
    assert verdict(healing(100), "BFQ and IOCost: defragment") is Kind.NOT_CONFIRMED


def test_interference_depends_on_the_disk() -> None:
    """With a queue of its own the other group loses, without it does not."""
    fine = data(
        both("bfq", "P2", "as written", (100, 100), (600, 600), 131072),
        both("bfq", "P4", "as written", (100, 100), (20, 600), 4096),
    )
    results = {
        SYNTHETIC: Result(SYNTHETIC, {}, fine),
        SYNTHETICS[QUEUE]: Result(SYNTHETICS[QUEUE], {}, healing(580)),
    }
    verdict_ = claim("Under BFQ the other group").verdict(results)
    assert verdict_.kind is Kind.DEPENDS
    assert verdict_.reason == f"on the disk and case: true on {QUEUE}, P4; not on {PLAIN}, P4"


def test_who_was_not_harmed_does_not_tell() -> None:
    found = data(
        both("bfq", "P2", "as written", (100, 100), (600, 600), 131072),
        both("bfq", "P4", "as written", (100, 100), (600, 600), 4096),
        both("bfq", "P4", "grp1 rewritten", (100, 100), (600, 600), 131072),
    )
    assert verdict(found, "Defragmentation relieves") is Kind.UNTOLD
    assert verdict(found, "Under BFQ the other") is Kind.NOT_CONFIRMED


def test_half_of_the_requests_is_no_more_time() -> None:
    """111 % of the share that the weight says is the limit: 56 of 100 requests are more, 55 are not."""
    for rates, kind in ((56, 44), Kind.CONFIRMED), ((55, 45), Kind.NOT_CONFIRMED):
        beside = both("bfq", "P4", "as written", (100, 100), rates, 131072)
        assert verdict(data(beside), "Under BFQ, which") is kind


def test_nobody_has_read_anything() -> None:
    """A controller has let nobody read while it was measured: no share follows from that."""
    found = data(
        both("iocost-default", "P2", "as written", (100, 100), (600, 600), 131072),
        both("iocost-default", "P3", "as written", (200, 100), (0, 0), 131072),
    )
    verdict_ = claim("Controllers give each group").verdict({SYNTHETIC: Result(SYNTHETIC, {}, found)})
    assert verdict_.kind is Kind.CONFIRMED
    assert f"{PLAIN}, IOCost, the kernel's model, P3: does not tell: in P3, as written, nobody has read anything" in verdict_.evidence
    assert f"{PLAIN}, BFQ, P2: {UNTOLD}" in verdict_.evidence


def test_iocost_has_not_come_back() -> None:
    """A case in which it lets less than half of what it was told through is no measure of the others."""
    found = data(
        both("iocost-exact", "P2", "as written", (100, 100), (2, 2), 131072),
        both("iocost-exact", "P4", "as written", (100, 100), (20, 600), 4096),
    )
    assert verdict(found, "Under IOCost the other group") is Kind.UNTOLD
    assert verdict(found, "Controllers give each group") is Kind.UNTOLD


def test_iocost_controls_nothing() -> None:
    """Its own accounts are not by weight: what the groups get is not its doing. But it is not fair."""
    free = both("iocost-exact", "P2", "as written", (100, 100), (900, 100), 131072)
    free["groups"]["grp1"]["estimated_us"] = 4500
    found = data(
        both("none", "P2", "as written", (100, 100), (910, 101), 131072),
        free,
        both("iocost-exact", "P4", "as written", (100, 100), (20, 600), 4096),
    )
    verdict_ = claim("Under IOCost the other group").verdict({SYNTHETIC: Result(SYNTHETIC, {}, found)})
    assert verdict_.kind is Kind.UNTOLD
    assert (
        f"{PLAIN}, IOCost, this disk's costs, P4: does not tell: in P2, as written, all is as without iocost, and by its own accounts "
        "(cost.usage) grp1 has had 90%, by weight 50%"
    ) in verdict_.evidence
    # if it makes a difference, it does something, though not by weight
    found["runs"][0] = both("none", "P2", "as written", (100, 100), (600, 400), 131072)
    assert verdict(found, "Under IOCost the other group") is Kind.NOT_CONFIRMED
    assert verdict(found, "Controllers give each group") is Kind.NOT_CONFIRMED


def test_what_iocost_is_told() -> None:
    """The experiments and their guest agree."""
    text = (Path(__file__).parents[1] / "in_guest/groups.py").read_text(encoding="utf-8")
    assert f"\nTOLD = {json.dumps(TOLD)}\n" in text
    assert set(TOLD) == set(DISKS)


def ruled(size: int) -> Data:
    """Without a controller; after the rewrite, requests of grp1 have this size."""
    return data(
        *alone(),
        both("none", "P2", "as written", (100, 100), (600, 600), 131072),
        both("none", "P4", "as written", (100, 100), (20, 600), 4096),
        both("none", "P4", "grp1 rewritten", (100, 100), (600, 600), size),
    )


def test_takeaway_of_cfq() -> None:
    found = ruled(131072)
    assert verdict(found, "CFQ: defragment") is Kind.CONFIRMED
    assert verdict(found, "Defragmentation relieves") is Kind.CONFIRMED
    found["moves"]["grp2 rewritten"]["moved"] = 4096
    assert verdict(found, "CFQ: defragment") is Kind.NOT_CONFIRMED


def test_the_rewritten_file_counts_as_it_was_measured() -> None:
    """CFQ's rule for it has the bytes of its own requests, and not those of a file that was written whole."""
    found = ruled(8192)
    assert verdict(found, "CFQ: defragment") is Kind.NOT_CONFIRMED
    assert verdict(found, "Defragmentation relieves") is Kind.NOT_CONFIRMED
    (before,) = [bar for bar in bars(found)[NAMES["cfq"]] if bar[0] == "P4"]
    (after,) = [bar for bar in bars(found)[NAMES["cfq"]] if bar[0] == "P4\nrewritten"]
    assert after[1] / before[1] == pytest.approx(2, rel=0.001)


def test_a_rewrite_that_moves_nothing_does_not_tell() -> None:
    found = ruled(131072)
    found["moves"]["grp1 rewritten"]["moved"] = 0
    assert verdict(found, "CFQ: defragment") is Kind.UNTOLD
    assert verdict(found, "Defragmentation relieves") is Kind.UNTOLD
    assert [bar[0] for bar in bars(found)[NAMES["cfq"]]] == ["P2", "P4"]


def test_quick_has_the_rewritten_file_under_a_controller_only() -> None:
    found = ruled(131072)
    found["runs"][-1]["controller"] = "bfq"
    assert verdict(found, "CFQ: defragment") is Kind.CONFIRMED


def test_sqlite() -> None:
    def beside(controller: str, state: str, fio: float, size: int, base: float, spread: float) -> Data:
        return run(
            controller,
            "both",
            state,
            grp1=group(100, fio, size, estimated=500),
            grp2=group(100, base, 131072, estimated=500, spread_ns=spread),
        )

    found = data(
        run("none", "fio alone", "whole", grp1=group(100, 655.36, 65536)),
        run("none", "fio alone", "in pieces", grp1=group(100, 40.96, 4096)),
        run("none", "SQLite alone", "whole", grp2=group(100, 100, 131072)),
        beside("bfq", "whole", 300, 65536, 90, 1e5),
        beside("bfq", "in pieces", 20, 4096, 10, 9e5),
        beside("bfq", "rewritten", 300, 65536, 89, 1e5),
        beside("iocost-exact", "whole", 300, 65536, 90, 1e5),
        beside("iocost-exact", "in pieces", 20, 4096, 88, 2e5),
        beside("iocost-exact", "rewritten", 300, 65536, 89, 1e5),
    )
    assert verdict(found, "Defragmentation helps SQLite", SQLITE) is Kind.UNTOLD
    found["moves"]["rewritten"] = {"blocks": 4096, "before": 4096, "after": 2, "moved": 16 << 20, "written": 17 << 20}
    assert verdict(found, "Before, the victim under CFQ", SQLITE) is Kind.CONFIRMED
    assert verdict(found, "Before, the victim under BFQ", SQLITE) is Kind.CONFIRMED
    assert verdict(found, "Before, the victim under IOCost", SQLITE) is Kind.NOT_CONFIRMED
    assert verdict(found, "Defragmentation reduces", SQLITE) is Kind.CONFIRMED
    assert verdict(found, "Defragmentation makes performance steady", SQLITE) is Kind.CONFIRMED
    assert verdict(found, "Defragmentation helps SQLite", SQLITE) is Kind.CONFIRMED
    found["moves"]["rewritten"] = {"blocks": 4096, "before": 4096, "after": 900, "moved": 16 << 20, "written": 17 << 20}
    found["runs"][5]["groups"]["grp1"] = group(100, 300, 16384)
    fio = {name: one for name, one, _ in bars(found)[NAMES["cfq"]]}
    assert fio["rewritten"] / fio["fio's file\nwhole"] == pytest.approx(1 / 4, rel=0.001)


def test_report_has_all_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its table, and the bars of each controller, in MB a second, with their numbers above them."""
    drawn: list[Figure] = []
    monkeypatch.setattr(pyplot, "close", lambda what: drawn.extend([what] if isinstance(what, Figure) else []))
    document = Document("x")
    found = data(*alone(), *healing(580)["runs"])
    iocontrol.paper(Options()).show(document, Result(SYNTHETIC, {}, found, folder=str(tmp_path)))
    text = document.markdown(tmp_path)
    assert (tmp_path / "shares.png").is_file()
    (figure,) = drawn
    assert [axes.get_title(loc="left") for axes in figure.axes] == list(bars(found)) and list(bars(found))[-1] == "BFQ"
    for axes, cases in zip(figure.axes, bars(found).values(), strict=True):
        rates = [one / 1e6 for _, one, _ in cases] + [two / 1e6 for _, _, two in cases]
        assert [bar.get_height() for bar in axes.patches] == rates
        middles = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]
        assert middles == pytest.approx([n + shift for shift in (-0.2, 0.2) for n in range(len(cases))])
        assert [text.get_text() for text in axes.texts] == [f"{value:.3g}" if value else "" for value in rates]
        assert [label.get_text() for label in axes.get_xticklabels()] == [case[0] for case in cases]
        assert list(axes.get_xticks()) == list(range(len(cases))) and axes.get_ylabel() == "MB/s"
        assert len({bar.get_facecolor() for bar in axes.patches}) == 2
    # what healing() has, but for the rewrite of grp2
    assert [bar.get_height() for bar in figure.axes[-1].patches] == [600, 30, 580, 600, 60, 580]
    legend = figure.axes[0].get_legend()
    assert legend and [text.get_text() for text in legend.get_texts()] == ["grp1", "grp2"]
    assert "| BFQ | P4 | grp1 rewritten | grp2 | 100 | 580 | 50.0 |" in text
    assert "| grp1 rewritten | 4 096 | 2 | 16.0 | 17.0 |" in text
