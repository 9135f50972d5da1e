# SPDX-License-Identifier: GPL-2.0-only
"""The report that is kept: small, whole, and without the machine's paths."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from papers.document import Document, Picture, Text
from papers.keep import TooLarge, keep, shrink
from papers.model import Experiment, Result
from papers.store import PACKED, Store, pack
from PIL import Image


def document(tmp_path: Path, width: int = 1600) -> Document:
    """A report with two pictures of the same name, of two experiments."""
    made = Document("The report", [Text("a text")])
    for experiment in ("one", "two"):
        (tmp_path / experiment).mkdir()
        path = tmp_path / experiment / "60.png"
        pixels = np.random.default_rng(1).integers(0, 255, (width // 4, width, 3), np.uint8)
        Image.fromarray(pixels).save(path)
        made.add(Picture(str(path), f"of {experiment}"))
    return made


def test_pictures_are_smaller(tmp_path: Path) -> None:
    size = keep(document(tmp_path), {}, tmp_path / "result")
    kept = sorted(path for path in (tmp_path / "result").rglob("*") if path.is_file())
    assert [str(path.relative_to(tmp_path / "result")) for path in kept] == [
        "one/60.png",
        "report.md",
        "results.json.xz",
        "two/60.png",
    ]
    assert size == sum(path.stat().st_size for path in kept)
    assert Image.open(tmp_path / "result/one/60.png").size == (1000, 250)
    text = (tmp_path / "result/report.md").read_text(encoding="utf-8")
    assert "![of one](one/60.png)" in text and "![of two](two/60.png)" in text
    assert str(tmp_path) not in text


def test_as_small_as_it_must_be(tmp_path: Path) -> None:
    size = keep(document(tmp_path), {}, tmp_path / "result", 200_000)
    assert size < 200_000
    assert Image.open(tmp_path / "result/one/60.png").width < 1000


def test_what_does_not_fit_replaces_nothing(tmp_path: Path) -> None:
    made = document(tmp_path)
    keep(made, {}, tmp_path / "result")
    with pytest.raises(TooLarge, match="at most 100 are kept"):
        keep(made, {}, tmp_path / "result", 100)
    assert (tmp_path / "result/report.md").exists() and not (tmp_path / "result.new").exists()


def test_small_pictures_stay_as_large(tmp_path: Path) -> None:
    keep(document(tmp_path, 400), {}, tmp_path / "result")
    assert Image.open(tmp_path / "result/one/60.png").size == (400, 100)


def test_what_was_kept_stays_as_it_is(tmp_path: Path) -> None:
    made = document(tmp_path)
    keep(made, {}, tmp_path / "once")
    again = Document(made.title, [Picture(str(tmp_path / "once/one/60.png"), "of one")])
    keep(again, {}, tmp_path / "twice")
    assert (tmp_path / "twice/one/60.png").read_bytes() == (tmp_path / "once/one/60.png").read_bytes()


def test_a_copy_can_be_gone_on_with(tmp_path: Path) -> None:
    experiment = Experiment("one", "a title", {"seed": 1}, 1.0, lambda host: {})
    made = document(tmp_path)
    (tmp_path / "out").mkdir()
    store = Store(tmp_path / "out")
    store.begin(experiment)
    kept = store.keep(Result("one", {"seed": 1}, {"blocks": 7}))
    keep(made, {"one": kept}, tmp_path / "result")
    found = Store(tmp_path / "result").load(experiment)
    assert found and found.data == {"blocks": 7} and (tmp_path / "result/one/60.png").exists()
    # the new result is the one that counts, and the packed one is set aside beside its picture
    again = Store(tmp_path / "result")
    other = Experiment("one", "a title", {"seed": 2}, 1.0, lambda host: {})
    again.begin(other)
    again.keep(Result("one", {"seed": 2}, {"blocks": 8}))
    assert (replaced := Store(tmp_path / "result").load(other)) and replaced.data == {"blocks": 8}
    assert Store(tmp_path / "result").load(experiment) is None
    before = json.loads((tmp_path / "result/one.before/result.json").read_text(encoding="utf-8"))
    assert before["data"] == {"blocks": 7} and (tmp_path / "result/one.before/60.png").exists()


def test_the_same_results_make_the_same_file(tmp_path: Path) -> None:
    """Whatever order they come in; and all of them are there again."""
    results = {name: Result(name, {"seed": 1}, {"é": [1.5, None]}, commands=("a", "b")) for name in ("two", "one")}
    files = []
    for number, names in enumerate((("one", "two"), ("two", "one"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        pack({name: results[name] for name in names}, folder)
        files.append((folder / PACKED).read_bytes())
    assert files[0] == files[1]
    store = Store(tmp_path / "0")
    assert store.names() == {"one", "two"}
    for name, result in results.items():
        loaded = store.load(Experiment(name, "", {"seed": 1}, 1.0, lambda host: {}))
        assert loaded and loaded == replace(result, folder=str(tmp_path / "0" / name))


def test_damaged_pack_is_an_error(tmp_path: Path) -> None:
    """Hours of work are not taken for missing."""
    pack({"one": Result("one", {}, {})}, tmp_path)
    (tmp_path / PACKED).write_bytes((tmp_path / PACKED).read_bytes()[:-9])
    with pytest.raises(ValueError, match="results.json.xz: damaged"):
        Store(tmp_path)


def test_a_rare_colour_stays(tmp_path: Path) -> None:
    """A few boxes of a colour are what a picture is about; most of it are shades of others."""
    image = Image.new("RGB", (300, 300))
    image.putdata([(x * 255 // 299,) * 3 if y < 150 else (250, 230, 210) for y in range(300) for x in range(300)])
    image.paste((195, 95, 5), (10, 10, 16, 16))
    image.save(tmp_path / "large.png")
    shrink(tmp_path / "large.png", tmp_path / "small.png", 300)
    with Image.open(tmp_path / "small.png") as small:
        assert max(abs(one - other) for one, other in zip(small.convert("RGB").getpixel((12, 12)), (195, 95, 5))) < 10
