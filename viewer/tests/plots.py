# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of fragtrace-plot share: series, tables, and a way to run the program."""

from __future__ import annotations

import os
import random
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Optional

import zstandard

import fragsnap
from fragplot import cli

HERE = Path(__file__).resolve().parent
VIEWER = HERE.parent
DATA = HERE / "data"
TABLES = [DATA / "redis.table", DATA / "rocksdb.table"]
START = 1795232523.042
REQUEST = 128 << 10
HEAD = ("# fragtrace table 1\n"
        "# volume 254:0 main_blkaddr=100 blocks=1000 segment_blocks=32 path=/mnt/my\\040disk\n"
        "# dev lba length offset ino state path\n")
RECORD = "254:0 110 4 0 5 contiguous /mnt/a.sst\n"


def parsed(text: str, name: str = "t", colors: Optional[list[str]] = None) -> fragsnap.Table:
    """A table with this text."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "t").write_text(text, encoding="utf-8", errors="surrogateescape")
        return replace(fragsnap.read_table(f"{folder}/t", colors=colors), name=name)


def table(records: str) -> fragsnap.Table:
    """A table of one volume with these records."""
    return parsed(HEAD + records)


def record(folder: str, texts: dict[float, str]) -> str:
    """A series in the form of fragtrace record; the texts by seconds after its beginning."""
    os.makedirs(folder, exist_ok=True)
    for seconds, text in texts.items():
        first, rest = text.split("\n", 1)
        stamp = f"{START + seconds:.3f}"
        packed = zstandard.compress(f"{first}\n# time {stamp}\n{rest}".encode())
        Path(folder, f"fragtrace-{stamp}.table.zst").write_bytes(packed)
    return folder


def sst(*places: int, ino: int = 5, name: str = "a.sst") -> str:
    """Lines of a file with one block at each of these addresses."""
    state = "contiguous" if list(places) == list(range(places[0], places[0] + len(places))) else "fragmented"
    return "".join(f"254:0 {lba} 1 {offset} {ino} {state} /mnt/{name}\n"
                   for lba, offset in sorted((lba, offset) for offset, lba in enumerate(places)))


def table_text(seed: int) -> str:
    """Files in pieces of any size, with holes, at any address."""
    draw = random.Random(seed)
    pieces = []
    for ino in range(4, 12):
        offset = draw.randrange(40)
        for _ in range(draw.randrange(1, 12)):
            length = draw.choice((1, 2, 3, 31, 32, 33, 64))
            pieces.append((ino, offset, length))
            offset += length + draw.choice((0, 0, 0, 1, 30, 70))
    # half of the time, pieces of a file stay adjacent
    if draw.random() < 0.5:
        draw.shuffle(pieces)
    lba, records = 100, []
    for ino, offset, length in pieces:
        lba += draw.choice((0, 0, 1, 50))
        records.append((lba, length, offset, ino))
        lba += length
    head = f"# fragtrace table 1\n# volume 1:1 main_blkaddr=100 blocks={lba} segment_blocks=32 path=/\n"
    lines = []
    for lba, length, offset, ino in records:
        blocks = block_list(sorted((o, a, n) for a, n, o, i in records if i == ino))
        state = "fragmented" if len(naive_fragments(blocks)) > 1 else "contiguous"
        lines.append(f"1:1 {lba} {length} {offset} {ino} {state} /f{ino}\n")
    return head + "".join(lines)


def random_table(seed: int) -> fragsnap.Table:
    """The same as a table."""
    return parsed(table_text(seed))


def block_list(pieces: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Each block of a file: offset and address."""
    return [(offset + i, lba + i) for offset, lba, length in pieces for i in range(length)]


def naive_fragments(blocks: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The definition, block by block."""
    result: list[list[tuple[int, int]]] = []
    for block in blocks:
        if not result or block[1] != result[-1][-1][1] + 1:
            result.append([])
        result[-1].append(block)
    return result


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
