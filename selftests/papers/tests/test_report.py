# SPDX-License-Identifier: GPL-2.0-only
"""The report of results made by hand: every claim, every experiment, both forms."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from papers import fragtracer
from papers.__main__ import chosen, found, keep_all, main
from papers.document import Document, Grid, Items, Picture, Text
from papers.model import Options, Paper, Result
from papers.report import report
from papers.store import PACKED, RESULT, Store

from test_judge import SST, figures, moment

OPTIONS = Options(seconds=60, long=3600)
# one pixel
PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010800000000 3a7e9b55".replace(" ", ""))


def reported(tmp_path: Path, paper: Paper) -> Document:
    """The report of one experiment that was run, and one that has failed."""
    (tmp_path / "60.png").write_bytes(PNG)
    kept = moment("60", 2048, sst=SST, all=SST)
    kept |= {"picture": "60.png", "by_pair": [[3, ".sst", ".log"]]}
    one = Result(
        "rocksdb-clean",
        {"seconds": 60},
        {
            "guest": {"ipu_policy": 16},
            "moments": [kept],
            "compared": {"files": 7, "blocks": 1234},
            "load": {"written_kib": 0, "throughput": 10.0, "seconds": 5.0},
            "workload": {"throughput": 20.0, "seconds": 70.0},
        },
        {"fragtrace": "<v1>"},
        ("a <command>",),
        90,
        str(tmp_path),
    )
    return report([paper], {"rocksdb-clean": one}, {"redis-clean": "the guest ended with status 124"})


def test_all_is_in_it(tmp_path: Path) -> None:
    paper = fragtracer.paper(OPTIONS)
    document = reported(tmp_path, paper)
    for text in (document.html(), document.markdown(tmp_path).replace("\\", "")):
        for claim in paper.claims:
            assert claim.text in text.replace("&#x27;", "'"), claim.text
        for experiment in paper.experiments:
            assert f"{experiment.name}: {experiment.title}" in text
        for word in (
            "the guest ended with status 124",
            "not run yet",
            "ipu_policy: 16",
            "3: .sst, .log",
            "1234",
            "8 of 10 .sst files are fragmented",
            "after 61 s",
            ".sst files: does not tell (no result that tells",
            "nothing there to judge at that moment",
        ):
            assert word in text, word
        assert re.search(r"tail, writeback, moved: 8", text)


def test_html_stands_alone_and_escapes(tmp_path: Path) -> None:
    text = reported(tmp_path, fragtracer.paper(OPTIONS)).html()
    assert "a &lt;command&gt;" in text and "&lt;v1&gt;" in text
    assert re.findall(r'(?:src|href)="(?!data:image/png;base64,)', text) == []
    assert len(re.findall(r'src="data:', text)) == 1


def test_markdown(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    document = Document("A_b")
    document.add(
        Text("1 < 2 | 3"),
        Items(["*"]),
        Grid(("n", "word"), [(12345, "a|b"), (None, 1.5)]),
        Picture(str(tmp_path / "x/y.png"), "see"),
    )
    assert document.markdown(tmp_path) == (
        "# A\\_b\n\n1 \\< 2 \\| 3\n\n- \\*\n\n| n | word |\n| ---: | --- |\n| 12 345 | a\\|b |\n| – | 1.50 |\n\n"
        "![see](x/y.png)\n\n*see*\n"
    )


def test_empty_group_has_no_row(tmp_path: Path) -> None:
    text = reported(tmp_path, fragtracer.paper(OPTIONS)).markdown(tmp_path)
    assert "| .sst | 10 | 8 | 18 | 8 |" in text and "| other |" not in text
    assert figures()["files"] == 0


KEPT = Path(__file__).parents[1] / "result"


def test_what_is_kept_is_the_report_of_what_is_kept(tmp_path: Path) -> None:
    """Whoever changes a rule or a text makes the kept report again: papers.sh --report --keep result OUT."""
    # where the report draws pictures
    shutil.copytree(KEPT, tmp_path / "result")
    papers, _ = chosen("", Options())
    made = report(papers, found(papers, Store(tmp_path / "result")), {}).markdown(tmp_path / "result")
    kept = (KEPT / "report.md").read_text(encoding="utf-8")
    assert kept == f"<!-- SPDX-License-Identifier: GPL-2.0-only -->\n{made}"


def test_the_command_goes_on_from_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of the kept folder has a result for every experiment, and gives the kept report, byte for byte."""
    out = tmp_path / "out"
    shutil.copytree(KEPT, out)
    (out / "report.md").unlink()
    assert not list(out.rglob(RESULT)) and (out / PACKED).stat().st_size < 1_000_000
    monkeypatch.setattr("sys.argv", ["papers.sh", "--report", str(out)])
    assert main() == 0
    kept = (KEPT / "report.md").read_bytes()
    assert kept == b"<!-- SPDX-License-Identifier: GPL-2.0-only -->\n" + (out / "report.md").read_bytes()
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and all(claim.text in page.replace("&#x27;", "'") for paper in chosen("", Options())[0] for claim in paper.claims)
    assert b"| none |" in kept and b"not run yet" not in kept


def result_of(store: Store, paper: Paper, name: str) -> None:
    """Store a result of an experiment."""
    (one,) = [one for one in paper.experiments if one.name == name]
    store.begin(one)
    store.keep(Result(name, one.settings, {"machine": {}, "rows": [], "moments": []}))


def test_keeping_one_paper_keeps_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of all papers are kept, and those that were kept before; only what has other settings now goes."""
    said: list[str] = []
    monkeypatch.setattr("papers.__main__.say", said.append)
    papers, _ = chosen("", OPTIONS)
    before, out = Store(tmp_path / "kept"), Store(tmp_path / "out")
    result_of(before, papers[1], "fragpicker-forecast")
    result_of(out, papers[0], "replay")
    (tmp_path / "kept/old").mkdir()
    (tmp_path / "kept/old" / RESULT).write_text("{}", encoding="utf-8")
    keep_all(OPTIONS, out, tmp_path / "kept")
    assert Store(before.folder).names() == {"fragpicker-forecast", "replay"}
    assert said[0].endswith("kept: old is not kept any more: no experiment has its settings")
    keep_all(OPTIONS, out, tmp_path / "kept")
    assert Store(before.folder).names() == {"fragpicker-forecast", "replay"}
