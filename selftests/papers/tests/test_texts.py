# SPDX-License-Identifier: GPL-2.0-only
"""What the guests leave, as numbers; the figures of a recorded snapshot against a count by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from papers.facts import FactError, parse_compared, parse_facts, parse_ycsb
from papers.layout import layout

DATA = Path(__file__).resolve().parent / "data"

YCSB = """[OVERALL], RunTime(ms), 5206
[OVERALL], Throughput(ops/sec), 2509.7
[READ], Operations, 30
[READ], Return=OK, {reads}
[UPDATE], Operations, 12
[UPDATE], Return=OK, 12
"""


def test_facts() -> None:
    assert parse_facts("# a head 1\nkernel 6.12.1 x\nseconds 60\nload 1.5\n") == {
        "kernel": "6.12.1 x",
        "seconds": 60,
        "load": 1.5,
    }
    with pytest.raises(FactError, match="not a fact"):
        parse_facts("no-fact 1\n")


def test_ycsb() -> None:
    assert parse_ycsb(YCSB.format(reads=30)) == {"throughput": 2509.7, "seconds": 5.206, "reads": 30, "updates": 12}
    with pytest.raises(FactError, match="5 of 30 operations READ have failed"):
        parse_ycsb(YCSB.format(reads=25))
    with pytest.raises(FactError, match="no figures"):
        parse_ycsb("")


def test_compared() -> None:
    assert parse_compared("# compared files=12 blocks=345 unwritten=0\n") == {"files": 12, "blocks": 345}
    with pytest.raises(FactError):
        parse_compared("")


def test_layout_of_replayed_rocksdb() -> None:
    """Ten files of which ftruncate has moved the last block; recorded by in_guest/replay.sh."""
    found = layout(str(DATA / "rocksdb.snapshot.zst"), (".sst", ".log"))
    groups = found["groups"]
    assert found["stale"] == 0 and list(groups) == [".sst", ".log", "other", "all"]
    sst = groups[".sst"]
    assert (sst["files"], sst["fragmented"], sst["fragments"], sst["apart"]) == (10, 10, 20, 10)
    assert sst["apart_ops"] == {"tail": 10} and sst["causes"] == [["tail", "sync", "moved", 10]]
    assert sst["processes"] == {"fileop": 10} and sst["blocks_fragmented"] == sst["blocks"]
    assert groups[".log"]["files"] == 0 and groups["other"]["files"] == 1
    for key in ("files", "fragments", "blocks", "requests", "ideal"):
        assert groups["all"][key] == sum(groups[name][key] for name in (".sst", ".log", "other"))


def test_layout_of_replayed_voltdb() -> None:
    """Two tables, flushed in turn: breaks within the files, none of which is before a last block alone."""
    vpt = layout(str(DATA / "voltdb.snapshot.zst"), (".vpt", ".digest", ".hash"))["groups"][".vpt"]
    assert (vpt["files"], vpt["fragmented"], vpt["fragments"], vpt["apart"]) == (2, 2, 14, 0)
    assert vpt["causes"] == [["append", "sync", "interleaved", 10], ["overwrite", "sync", "moved", 2]]
