# SPDX-License-Identifier: GPL-2.0-only
"""The samples of the page: each is whole, has no gap, and shows what `make samples` has recorded it for."""

from __future__ import annotations

import csv
import io
import os
import subprocess
from pathlib import Path

import pytest

import eventfile as ev

HERE = Path(__file__).resolve().parent
VIEW = Path(os.environ.get("VIEW", HERE.parent / "fragtrace")).resolve()
SAMPLES = HERE.parent / "page/samples"
# All together, so that the page with the reader stays below 3 MB in base64.
MOST_BYTES = 1_200_000
# Snapshots, events, files at the end, breaks at the time of each snapshot and at the end, and what made most of these.
EXPECTED: dict[str, tuple[int, int, int, list[int], str]] = {
    "gc": (4, 12337, 60, [1, 7, 57, 116, 116], "gc_bg"),
    "redis": (6, 60165, 4, [0, 43, 93, 179, 285, 287, 287], "append"),
    "rewrite": (5, 12290, 1, [0, 250, 912, 980, 1, 1], "defrag"),
    "rocksdb": (6, 130733, 32, [0, 4, 11, 10, 17, 25, 25], "tail"),
}


def rows(*args: object) -> list[dict[str, str]]:
    """What a command prints as CSV, without a complaint."""
    done = subprocess.run([VIEW, *map(str, args), "--csv"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return list(csv.DictReader(io.StringIO(done.stdout)))


def breaks_at(sample: Path, moment: str) -> int:
    return sum(int(row["breaks"]) for row in rows("causes", "-t", sample, "--at", moment))


def test_all_are_there() -> None:
    assert {path.name for path in SAMPLES.iterdir()} == set(EXPECTED)
    assert sum(path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file()) < MOST_BYTES


@pytest.mark.parametrize("name", EXPECTED)
def test_a_sample(name: str) -> None:
    sample, (snapshots, n_events, files, breaks, op) = SAMPLES / name, EXPECTED[name]
    moments = rows("moments", sample)
    assert len(moments) == snapshots
    # without a gap
    assert {moment["lost"] for moment in moments} == {""}
    batches, ended = zip(*(ev.read(path) for path in sorted(sample.glob("*.events.zst"))))
    assert all(ended) and sum(len(events) for some in batches for _, events in some) == n_events
    assert [breaks_at(sample, moment["first"]) for moment in moments] + [breaks_at(sample, moments[-1]["last"])] == breaks
    assert len(rows("files", "-t", sample)) == files
    causes: dict[str, int] = {}
    for row in rows("causes", "-t", sample):
        causes[row["op"]] = causes.get(row["op"], 0) + int(row["breaks"])
    assert max(causes, key=lambda one: causes[one]) == op
    for command in ["why", "-t"], ["check", "-t"]:
        subprocess.run([VIEW, *command, sample], stdout=subprocess.DEVNULL, check=True)
