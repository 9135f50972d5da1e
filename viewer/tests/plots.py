# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of fragtrace-plot share: series, tables, and a way to run the program."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

from fragplot import cli
from test_fragsnap import HEAD

HERE = Path(__file__).resolve().parent
VIEWER = HERE.parent
DATA = HERE / "data"
TABLES = [DATA / "redis.table", DATA / "rocksdb.table"]
START = 1795232523.042


def record(folder: str, texts: dict[float, str]) -> str:
    """A series in the form of fragtrace record; the texts by seconds after its beginning."""
    os.makedirs(folder, exist_ok=True)
    for seconds, text in texts.items():
        first, rest = text.split("\n", 1)
        stamp = f"{START + seconds:.3f}"
        with gzip.open(f"{folder}/fragtrace-{stamp}.table.gz", "wt") as stream:
            stream.write(f"{first}\n# time {stamp}\n{rest}")
    return folder


def sst(*places: int, ino: int = 5, name: str = "a.sst") -> str:
    """Lines of a file with one block at each of these addresses."""
    state = "contiguous" if list(places) == list(range(places[0], places[0] + len(places))) else "fragmented"
    return "".join(f"254:0 {lba} 1 {offset} {ino} {state} /mnt/{name}\n"
                   for lba, offset in sorted((lba, offset) for offset, lba in enumerate(places)))


GROWING = {0.0: HEAD, 10.0: HEAD + sst(110), 20.0: HEAD + sst(110, 200), 90.0: HEAD + sst(110, 200, 300)}


def run(*args: str) -> int:
    """Run the program; return its exit status."""
    sys.argv = ["fragtrace-plot", *args]
    try:
        return cli.main("test")
    except SystemExit as leave:
        return int(leave.code or 0)


def refuses(capsys, status: int, what: str, *args: str) -> None:
    """The program must end with this status and one line on standard error, and leave no file."""
    before = sorted(os.listdir())
    assert run(*args) == status
    error = capsys.readouterr().err
    assert error.startswith("fragtrace-plot: ") and error.count("\n") == 1, error
    assert what in error
    assert sorted(os.listdir()) == before
