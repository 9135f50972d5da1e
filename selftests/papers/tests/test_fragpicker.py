# SPDX-License-Identifier: GPL-2.0-only
"""FragPicker's claims on results of lab/ that are made by hand."""

from __future__ import annotations

import ast
import copy
from pathlib import Path

import pytest
from papers import fragpicker
from papers.document import Document
from papers.fragpicker.claims import claims
from papers.fragpicker.experiments import TREATMENTS, lab, name_of
from papers.fragpicker.observations import related
from papers.model import Claim, Data, Kind, Options, Result, Results

KIB = 1024


def piece(size: int, distance: int, requests: int, speed: float) -> Data:
    """A file of 1 MiB in pieces."""
    return {
        "size": size * KIB,
        "distance": distance * KIB,
        "distance_found": distance * KIB,
        "extents": 1024 // size,
        "bytes": 1 << 20,
        "requests": requests,
        "mb_per_s": speed,
        "ns": (1 << 20) / speed * 1000,
    }


def treated(requests: int, written: float, ns: float = 1e8, **more: object) -> Data:
    """What a treatment has come to; the work takes as long as its requests."""
    return {
        "requests": requests,
        "work_ns": requests * 100_000,
        "extents": 9,
        "written": int(written * (1 << 20)),
        "ns": ns,
        "foreseen": {"saved": 0, "bytes": 0},
        **more,
    }


def treatments(nothing: int, others: tuple[int, int, int], written: tuple[float, float, float]) -> Data:
    """Requests of nothing; of the copy, the ioctl, FragPicker's rules; what these have written, in MiB."""
    return {
        "nothing": treated(nothing, 0),
        "copy": treated(others[0], written[0], 3e8),
        "ioctl": treated(others[1], written[1], 3e8, interference=40.0),
        "fragpicker": treated(others[2], written[2], 1e8, interference=4.0),
        "heat": treated(others[2], written[2]),
    }


def parts() -> Data:
    sizes = [(4, 256), (32, 32), (128, 8), (256, 8), (512, 8)]
    flash = [piece(size, 1024, requests, 1e4 / (requests + 25)) for size, requests in sizes]
    disk = [piece(size, 1024, requests, 0.2 * size) for size, requests in sizes]
    near = [piece(4, distance, 256, 35.0) for distance in (4, 64, 1024)]
    far = [piece(4, distance, 256, speed) for distance, speed in ((4, 8.0), (64, 4.0), (1024, 0.7))]
    return {
        "motivation": {"size": {"request": flash, "distance": disk}, "distance": {"request": near, "distance": far}},
        "forecast": {
            "rows": [
                {
                    "layout": "whole",
                    "way": "direct",
                    "size": 131072,
                    "read_ahead_kb": 128,
                    "foreseen": 33,
                    "least": 33,
                    "counted": 33,
                    "percent": 0,
                }
            ]
        },
        "synthetic": {
            "cases": {
                name: treatments(860, (57, 58, 60), (6.0, 6.0, 3.0 if "seq" in name else 1.5))
                for name in ("sequential read", "stride read", "sequential update", "stride update")
            }
        },
        "databases": {"cases": {"RocksDB, YCSB-C": treatments(153, (100, 100, 101), (3.0, 3.0, 1.0))}},
    }


def claim(where: str, start: str) -> Claim:
    (one,) = [one for one in claims() if one.where.startswith(where) and one.text.startswith(start)]
    return one


def results_of(found: Data) -> Results:
    """The results of the experiments, of the parts of the lab."""
    return {name_of(part): Result(name_of(part), {"part": part}, data) for part, data in found.items()}


def verdict(found: Data, where: str, start: str) -> Kind:
    return claim(where, start).verdict(results_of(found)).kind


def test_related() -> None:
    """The paper's two figures: correlation, and the slope of what is normalized by its first value."""
    assert related([0, 1, 2], [2, 4, 6]) == pytest.approx((1, 1))
    assert related([0, 1, 2], [4, 4, 4]) == (0, 0)
    assert related([0, 10], [2, 1]) == pytest.approx((-1, -0.05))


def test_nothing_was_run() -> None:
    assert {one.verdict({}).kind for one in claims()} == {Kind.NOT_RUN, Kind.NOT_TESTED}


def test_one_part_was_run() -> None:
    """What needs another part was not run; the rest has a verdict."""
    found = {"motivation": parts()["motivation"]}
    assert verdict(found, "Observation 1", "A hard disk is sensitive to the size") is Kind.CONFIRMED
    assert verdict(found, "Evaluation", "It gains about as much") is Kind.NOT_RUN
    assert verdict(found, "Evaluation, RocksDB", "It writes less") is Kind.NOT_RUN


def test_a_case_that_is_missing() -> None:
    """The others tell; of that one it is said."""
    found = parts()
    del found["synthetic"]["cases"]["stride update"]
    one = claim("Evaluation", "It gains about as much").verdict(results_of(found))
    assert one.kind is Kind.CONFIRMED and one.evidence[-1] == "stride update: not measured" and len(one.evidence) == 4


def test_what_holds() -> None:
    found = parts()
    results = results_of(found)
    for one in claims():
        kind = one.verdict(results).kind
        if one.text.startswith("Performance depends"):
            assert kind is Kind.DEPENDS
        elif one.text.startswith("For a stride of reads it gains more"):
            assert kind is Kind.NOT_CONFIRMED
        elif one.judge:
            assert kind is Kind.CONFIRMED, one.text


def test_what_does_not() -> None:
    found = parts()
    for one in found["motivation"]["distance"]["request"]:
        one["mb_per_s"] = 4e3 / one["distance"]
    assert verdict(found, "Observation 3", "Flash and Optane are not sensitive to the distance") is Kind.NOT_CONFIRMED
    found["motivation"]["size"]["request"][-1]["mb_per_s"] *= 9
    assert verdict(found, "Observation 3", "Flash and Optane are not sensitive to the size") is Kind.NOT_CONFIRMED
    found["synthetic"]["cases"]["stride read"] = treatments(860, (57, 58, 400), (6.0, 6.0, 4.0))
    assert verdict(found, "Evaluation, F2FS", "For a stride") is Kind.NOT_CONFIRMED
    assert verdict(found, "Evaluation", "It gains about as much") is Kind.DEPENDS


def test_hardly_anything_to_gain_does_not_tell() -> None:
    found = parts()
    found["databases"]["cases"]["RocksDB, YCSB-C"] = treatments(153, (152, 152, 162), (3.0, 3.0, 1.0))
    assert verdict(found, "Evaluation, RocksDB", "Afterwards") is Kind.UNTOLD
    assert verdict(found, "Evaluation, RocksDB", "It writes less") is Kind.CONFIRMED


def test_as_fast_as_where_doing_nothing_is_as_fast() -> None:
    """Requests become fewer, but the work takes nearly as long without any rewrite."""
    found = parts()
    rocksdb = found["databases"]["cases"]["RocksDB, YCSB-C"]
    rocksdb["nothing"]["work_ns"] = 1.04 * rocksdb["ioctl"]["work_ns"]
    assert verdict(found, "Evaluation, RocksDB", "Afterwards") is Kind.UNTOLD
    rocksdb["nothing"]["work_ns"] = 1.06 * rocksdb["ioctl"]["work_ns"]
    assert verdict(found, "Evaluation, RocksDB", "Afterwards") is Kind.CONFIRMED


def test_about_as_fast_is_within_a_twentieth() -> None:
    found = parts()
    rocksdb = found["databases"]["cases"]["RocksDB, YCSB-C"]
    for factor, kind in (0.5, Kind.CONFIRMED), (1.05, Kind.CONFIRMED), (1.06, Kind.NOT_CONFIRMED):
        rocksdb["fragpicker"]["work_ns"] = factor * rocksdb["ioctl"]["work_ns"]
        assert verdict(found, "Evaluation, RocksDB", "Afterwards") is kind, factor


@pytest.mark.parametrize("left", [0, 1])
def test_too_few_files_do_not_tell(left: int) -> None:
    found = parts()
    for what in ("size", "distance"):
        for cost in ("request", "distance"):
            found["motivation"][what][cost] = found["motivation"][what][cost][: left if what == "size" else 0]
    kinds = [one.verdict(results_of(found)).kind for one in claims() if one.where.startswith("Observation")]
    assert kinds == [Kind.UNTOLD] * 6


def test_tools_are_named_as_they_are() -> None:
    one = claim("Evaluation, F2FS", "For sequential reads").verdict(results_of(parts()))
    assert one.reason == "true on whole-file rewrite; F2FS_IOC_DEFRAGMENT on all"


def test_treatments_are_those_of_the_lab() -> None:
    """Their number is in the titles, and their names are in the settings: with others, it is another experiment."""
    tree = ast.parse((Path(__file__).parents[2] / "lab/treatments.py").read_text(encoding="utf-8"))
    (made,) = [
        one.value
        for one in tree.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id == "TREATMENTS"
    ]
    assert isinstance(made, ast.Dict)
    assert [key.value for key in made.keys if isinstance(key, ast.Constant)] == list(TREATMENTS)
    for part in ("motivation", "forecast", "synthetic", "databases"):
        experiment = lab(part, Options())
        assert experiment.settings.get("treatments") == (list(TREATMENTS) if part in ("synthetic", "databases") else None)
    assert f"after {len(TREATMENTS)} treatments" in lab("synthetic", Options()).title


def test_pieces_elsewhere_do_not_count() -> None:
    """F2FS has not put them as far apart as was asked for."""
    found = parts()
    odd = copy.deepcopy(found["motivation"]["distance"]["request"][0])
    found["motivation"]["distance"]["request"].append({**odd, "distance": 1 << 30, "mb_per_s": 0.1})
    assert verdict(found, "Observation 3", "Flash and Optane are not sensitive to the distance") is Kind.CONFIRMED


def test_report(tmp_path: Path) -> None:
    for name in ("motivation.png", "gain.png"):
        (tmp_path / name).write_bytes(b"png")
    document = Document("x")
    for name, result in results_of(parts()).items():
        data = {"machine": {"qemu": "10"}, **result.data}
        fragpicker.paper(Options()).show(document, Result(name, result.settings, data, folder=str(tmp_path)))
    text = document.markdown(tmp_path)
    assert "| RocksDB, YCSB-C | FragPicker's rules | 1.00 | 9 | 101 |" in text and "motivation.png" in text
    assert "| whole | direct | 128 | 128 | 33 | 33 |" in text
