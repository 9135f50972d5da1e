# SPDX-License-Identifier: GPL-2.0-only
"""fragtrace-view and fragsnap read the same: what one refuses the other refuses, with the same words."""

from __future__ import annotations

import csv
import io
import subprocess
from pathlib import Path

import pytest

import fragsnap
from fragplot import style

HERE = Path(__file__).resolve().parent
VIEW = HERE.parent / "fragtrace-view"
# Names that begin with good are accepted, all others refused.
ODD = sorted(path.name for path in (HERE / "data/odd").iterdir())
GOOD = sorted(path.name for path in (HERE / "data").glob("*.table"))


def by_view(path: Path) -> tuple[str, bytes]:
    """What fragtrace-view says of a table, and the table as CSV."""
    done = subprocess.run([VIEW, "-t", path.name, "--csv", "-"], cwd=path.parent, capture_output=True, check=False)
    return done.stderr.decode("utf-8", "surrogateescape"), done.stdout


def by_python(path: Path) -> tuple[str, list[list[str]]]:
    """What fragsnap says of it, and the same records without their paths."""
    try:
        table = fragsnap.read_table(path.name)
    except fragsnap.SnapError as error:
        return f"fragtrace-view: {error}\n", []
    devs = [volume.dev for volume in table.volumes]
    return "", [[devs[table.file_volume[file]], str(lba), str(blocks), str(offset), str(table.file_ino[file]),
                 "fragmented" if table.file_fragmented[file] else "contiguous"]
                for file, lba, blocks, offset in zip(table.file, table.lba, table.blocks, table.offset)]


def same(path: Path) -> str:
    """Both say the same of it, which is this."""
    view, text = by_view(path)
    python, records = by_python(path)
    assert python == view
    if not view:
        assert [row[:6] for row in csv.reader(io.StringIO(text.decode(), newline=""))][1:] == records
    return view


@pytest.mark.parametrize("name", ODD)
def test_odd(name, monkeypatch):
    """What nobody writes, and what somebody may."""
    monkeypatch.chdir(HERE / "data/odd")
    said = same(HERE / "data/odd" / name)
    assert (said == "") == name.startswith("good")
    assert name.startswith("good") or said.startswith(f"fragtrace-view: {name}:")


@pytest.mark.parametrize("blocks", [1, 2, 24, 25, 255, 256, 257, 6 * 256, 25599, 25600, 255 * 1024, 262015, 262016, 262144,
                                    5 * 10 ** 6, 268304383, 268304384, 2 ** 28, 2 ** 32 - 1])
def test_bytes(blocks, tmp_path):
    """Both write a size in the same way."""
    (tmp_path / "t").write_text(f"# fragtrace table 1\n# volume 1:1 main_blkaddr=0 blocks={blocks} segment_blocks=1 "
                                f"path=/m\n1:1 0 {blocks} 0 4 contiguous /a\n")
    done = subprocess.run([VIEW, "-t", "t", "--top", "--count", "1", "-n", "0.01"], cwd=tmp_path, capture_output=True,
                          check=True)
    assert f"; {style.blocks_text(blocks)}; " in done.stdout.decode()


@pytest.mark.parametrize("name", GOOD)
def test_good(name, monkeypatch):
    """Tables of the module's."""
    monkeypatch.chdir(HERE / "data")
    assert same(HERE / "data" / name) == ""
