# SPDX-License-Identifier: GPL-2.0-only
"""Tests of heat in fragtrace-plot: what is read, block by block, and the pictures that show it."""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import fragsnap
from fragplot import looks
from plots import GROWING, HEAD, RECORD, START, record, refuses, run, table_text
from test_heat import CLASSES, OVERWRITTEN, UNREAD

pytestmark = pytest.mark.usefixtures("somewhere_else")


def heat_text(blocks: int, *windows: tuple[str, int, int, int, int]) -> str:
    """A text of the file heat; a window is its device, inode number, offset, reads, overwrites."""
    return f"# fragtrace heat 2\n# windows blocks={blocks} period_secs=3600\n# dev ino offset reads\n" + "".join(
        f"{dev} {ino} {offset} {reads} 9 1 {over} 0 /f\n" for dev, ino, offset, reads, over in windows)


def test_the_same_classes_as_the_viewer():
    """Names, limits and colours are those that test_heat.py expects of the viewer, block by block."""
    assert list(looks.HEATS) == CLASSES
    assert looks.UNREAD == (UNREAD, OVERWRITTEN)


@pytest.mark.parametrize("seed", range(8))
def test_colours_block_by_block(seed):
    """Random tables and counts: the colour of each block is that of its window."""
    draw = random.Random(seed)
    length = draw.choice((1, 2, 8, 32))
    counts = {(dev, ino, number): (draw.choice((0, 1, 3, 4, 63, 64, 1023, 1024, 2 ** 32 - 1)), draw.choice((0, 5)))
              for dev in ("1:1", "2:2") for ino in range(3, 13) for number in range(500 // length) if draw.random() < 0.5}
    Path("heat").write_text(heat_text(length, *((dev, ino, number * length, *count)
                                                for (dev, ino, number), count in counts.items())), encoding="ascii")
    Path("table").write_text(table_text(seed), encoding="ascii")
    table = fragsnap.read_table("table", with_heat=True)
    assert table.heat is not None and (table.heat.window_blocks, table.heat.period_s) == (length, 3600)
    pieces = looks.heat_pieces(table, table.volumes, table.heat)
    got = {lba + i: int(shade) for lba, blocks, shade in zip(pieces.lba.tolist(), pieces.blocks.tolist(), pieces.shade)
           for i in range(blocks)}
    expected = {}
    for lba, blocks, offset, file in zip(table.lba.tolist(), table.blocks.tolist(), table.offset.tolist(), table.file.tolist()):
        for i in range(blocks):
            reads, over = counts.get(("1:1", int(table.file_ino[file]), (offset + i) // length), (0, 0))
            classes = [k for k, (least, _, _) in enumerate(looks.HEATS) if reads >= least]
            expected[lba + i] = 2 + classes[-1] if classes else int(over > 0)
    assert got == expected


@pytest.mark.parametrize("text", [
    "", "# fragtrace heat 1\n", "# fragtrace heat 2\n", "# fragtrace heat 2\n# windows blocks=0 period_secs=9\n",
    "# fragtrace heat 2\n# not known: the module was loaded with heat=0\n", "# fragtrace heat 2\n254:0 4 0 1 1 1 1 0 /m/a\n",
    *(heat_text(32) + line + "\n" for line in ("254:0 4 0 1 1 1 1 0", "254:0 4 31 1 1 1 1 0 /m/a", "254:0 4 0 -1 1 1 1 0 /m/a",
                                               "254:0 4 0 4294967296 1 1 1 0 /m/a", "254:0 4 4294967296 1 1 1 1 0 /m/a",
                                               "254:0 4 0 1 1 1 x 0 /m/a", "254:0 4 0 1 1 1 1 2 /m/a"))])
def test_what_the_viewer_refuses(text):
    """Nothing is drawn from it."""
    Path("heat").write_text(text, encoding="ascii")
    Path("table").write_text(HEAD + RECORD, encoding="ascii")
    with pytest.raises(fragsnap.SnapError, match="^heat:"):
        fragsnap.read_table("table", with_heat=True)


def colours(path: str) -> set[int]:
    """The colours of a picture."""
    pixels = np.asarray(Image.open(path).convert("RGB")).astype(int)
    return set(np.unique(pixels @ (1 << 16, 1 << 8, 1)).tolist())


def test_pictures_of_a_recording(capsys):
    """Each moment has the counts of its snapshot; one without counts is refused in words."""
    record("run", GROWING)
    for seconds, reads in zip(GROWING, (0, 5, 70, 2000)):
        Path(f"run/fragtrace-{START + seconds:.3f}.heat.zst").write_text(heat_text(32, ("254:0", 5, 0, reads, 0)), encoding="ascii")
    for other in ([], ["--at", "10s", "--at", "20s"]):
        assert run("compare", "run", "--color-by", "heat", "-o", "a.png", *other) == 0
    assert run("compare", "run", "--color-by", "heat", "-o", "kind.svg") == 0
    text = Path("kind.svg").read_text(encoding="utf-8")
    for _, name, _ in looks.HEATS:
        assert name in text
    assert "counts halve every 3,600 seconds" in text
    assert {rgb for _, _, rgb in looks.HEATS} <= colours("a.png")
    assert run("animate", "run", "--color-by", "heat", "-o", "a.gif", "--frames", "4", "--seconds", "1") == 0
    Path(f"run/fragtrace-{START + 90:.3f}.heat.zst").unlink()
    capsys.readouterr()
    refuses(capsys, 1, "a snapshot is recorded with what is read if the module was loaded with heat=1", "compare", "run",
            "--color-by", "heat", "-o", "b.png")


def test_tables_beside_counts(capsys):
    """As in debugfs; a table of any other name has none."""
    for folder, reads in ("old", 3), ("new", 300):
        os.mkdir(folder)
        Path(folder, "table").write_text(HEAD + RECORD, encoding="ascii")
        Path(folder, "heat").write_text(heat_text(32, ("254:0", 4, 0, reads, 0)), encoding="ascii")
    assert run("compare", "old/table", "new/table", "--color-by", "heat", "-o", "a.png") == 0
    os.rename("new/table", "new/other")
    capsys.readouterr()
    refuses(capsys, 2, "new/other: does not have what is read; give a recording, or a table beside a copy of the file heat\n", "compare", "old/table", "new/other", "--color-by", "heat")
