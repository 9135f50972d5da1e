# SPDX-License-Identifier: GPL-2.0-only
"""Tests of what the pictures of fragtrace-plot are made of: series, colours, layouts, differences."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import drawn
import fragsnap
from fragplot import colors, difference, layout, moments
from plots import GROWING, START, VIEWER, record, sst
from test_fragsnap import HEAD, random_table, table

VIEW = VIEWER / "fragtrace"

pytestmark = pytest.mark.usefixtures("somewhere_else")


# === Series ===


def test_moments_of_a_series():
    """In the order of time; other files in the folder are ignored."""
    folder = record("run", GROWING)
    for name in (".fragtrace-1.000.table.gz", "fragtrace-1.table.gz", "fragtrace-1.000.table.gz.tmp", "notes"):
        Path(folder, name).write_text("no table")
    series = moments.series_of([folder])
    assert [round(moment.time - START, 3) for moment in series] == [0, 10, 20, 90]
    for seconds, expected in ((0, 0), (9.9, 0), (10, 10), (60, 20), (90, 90)):
        assert round(moments.at(series, seconds).time - START, 3) == expected


def test_past_the_end(capsys):
    """A series has changes only, so its last table stays valid after its end; a message reports that."""
    series = moments.series_of([record("run", GROWING)])
    assert moments.at(series, 3600) == series[-1]
    assert "the last change recorded is 1 min 30 s after the beginning; taking it for 1 h" in capsys.readouterr().err


def test_a_time_that_differs_from_the_name():
    """The time in a table differs from that in its name."""
    folder = record("run", GROWING)
    os.rename(moments.series_of([folder])[0].path, "run/fragtrace-5.000.table.gz")
    with pytest.raises(fragsnap.SnapError, match="run/fragtrace-5.000.table.gz: the time is 1795232523.042"):
        moments.series_of([folder])[0].read()


@pytest.mark.parametrize("text, seconds", [("60s", 60), ("90", 90), ("5m", 300), ("1h", 3600), ("1h30m", 5400),
                                           ("1h2m3s", 3723), ("1.5s", 1.5)])
def test_durations(text, seconds):
    """All forms of a time."""
    assert fragsnap.parse_moment(text) == fragsnap.Moment(round(seconds * 10 ** 9))


@pytest.mark.parametrize("text", ["", "x", "1d", "m", "-5s", "5ms", "1m1h"])
def test_bad_durations(text):
    """Invalid times."""
    with pytest.raises(ValueError):
        fragsnap.parse_moment(text)


# === Colours ===


def test_presets_and_rules_that_override():
    """A later file wins for the same extension, and adds others."""
    Path("my.cnf").write_text("# mine\n.sst #010203 white black # note\n.x red green blue\n")
    rules = colors.read_rules(["rocksdb", "./my.cnf"])
    assert rules[".sst"] == (0x010203, 0xffffff, 0)
    assert rules[".log"] == (0x3f73d8, 0x58c5ed, 0x003f74)
    assert list(rules) == [".log", "default", ".sst", ".x"]


@pytest.mark.parametrize("path, name", [
    ("/mnt/a.log", ".log"), ("/mnt/log/a.sst", "log/*"), ("/mnt/log/deep/a.sst", ".sst"), ("/x", "other"),
    ("/mnt/log/a.log", "log/*"), ("/top/LOG.old.17", "LOG.old.*"), ("/mnt/db/a.y (deleted)", "/mnt/*/[a-c].?"),
    ("/mnt/x/db/a.y", "other"), ("/mnt/0001.log", ".log"), ("/mnt/0002.log", "000[2-4].log"),
    ("/mnt/a.zz", ".zz")])
def test_globs(path, name):
    """The last rule that matches wins; a wildcard does not match a slash."""
    Path("my.cnf").write_text("".join(f"{what} red green blue\n" for what in (
        ".sst", ".log", "LOG.old.*", "/mnt/*/[a-c].?", "000[2-4].log", "log/*", "*.zz", ".zz")))
    groups = colors.groups_for(["./my.cnf"], Counter(), 5)
    assert groups[groups.of_path(path)].name == name


@pytest.mark.parametrize("line, what", [
    (".sst red blu green", 'unknown colour "blu", did you mean blue?'),
    (".sst red chartreuse green", 'unknown colour "chartreuse"; expected #rrggbb or a name that fragtrace(1) lists'),
    (".sst red #12345 green", 'colour "#12345" is not #rrggbb'),
    (".sst red green", "2 colours; expected three"),
    ("sst red green blue", '"sst" is no extension and no glob, did you mean .sst?'),
    ("default red green blue\ndefault red green blue", "a second rule for default"),
])
def test_bad_rules(line, what):
    """Each message has the line."""
    Path("my.cnf").write_text(f"\n{line}\n")
    with pytest.raises(fragsnap.FormatError) as caught:
        colors.read_rules(["./my.cnf"])
    assert str(caught.value).startswith(f"./my.cnf:{2 + line.count(chr(10))}: ") and what in str(caught.value)


def test_colours_by_size():
    """The largest first, in the colours of its name; numbers are not a kind of file; the rest is other."""
    groups = colors.groups_for(None, Counter({".a": 5, ".b": 9, ".c": 1}), 2)
    assert [group.name for group in groups.groups] == [".b", ".a", "other"]
    assert groups[0].tones == colors.PALETTE[colors.place_of(".b")]
    t = table("254:0 110 4 0 5 contiguous /mnt/LOG.old.123\n254:0 120 9 0 6 contiguous /mnt/x.b\n")
    assert dict(colors.blocks_by_extension(t)) == {".b": 9}
    assert groups.of_files(t).tolist() == [2, 0]


def swatches(*arguments: str) -> dict[str, list[str]]:
    """What the viewer draws beside the name of each kind of files."""
    subprocess.run([str(VIEW), "view", *arguments, "-o", "out.svg"], check=True)
    picture = drawn.read("out.svg")
    return {row[0].text: picture.swatches(row) for row in picture.rows() if picture.swatches(row)}


def draw_all(names: list[str]) -> None:
    """Write a table in which each name has a contiguous file and fragments, for the legend has what is there."""
    lines = ""
    for i, name in enumerate(names):
        lines += f"254:0 {60 * i} 5 0 {2 * i + 4} contiguous /m/{name}\n"
        for at, length, offset in (10, 3, 0), (20, 2, 9), (30, 1, 3):
            lines += f"254:0 {60 * i + at} {length} {offset} {2 * i + 5} fragmented /m/{name}\n"
    Path("t").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks=9000 segment_blocks=100 path=/m\n" + lines,
                         encoding="ascii")


def pale(tones: list[int]) -> str:
    """What the viewer draws away from breaks: a quarter of the mean of both tones of fragments, on white."""
    means = (((tones[1] >> shift & 255) + (tones[2] >> shift & 255)) // 2 for shift in (16, 8, 0))
    return "#" + "".join(f"{255 - (255 - mean) * 25 // 100:02x}" for mean in means)


def test_the_same_colours_as_the_viewer():
    """By name, those of the palette, and those of all other files: what the viewer draws."""
    names = list(colors.NAMED)
    rows = [names[i:i + 3] for i in range(0, len(names) - 2, 3)] + [names[-3:]]
    Path("named.cnf").write_text("".join(f".r{i} {' '.join(row)}\n" for i, row in enumerate(rows)) + f"default {' '.join(rows[0])}\n",
                                 encoding="ascii")
    draw_all([f"x.r{i}" for i in range(len(rows))])
    seen = swatches("-t", "t", "-c", "./named.cnf")
    for i, row in enumerate(rows):
        tones = [colors.NAMED[name] for name in row]
        assert seen[f".r{i}"] == [*(f"#{tone:06x}" for tone in tones), pale(tones)], row
    draw_all([f"x.k{letter}" for letter in "abcdef" for _ in range(ord("h") - ord(letter))] + ["LOG"])
    seen = swatches("-t", "t")
    groups = colors.groups_for(None, Counter({f".k{letter}": 50 - i for i, letter in enumerate("abcdef")}), len(colors.PALETTE))
    assert len(groups.groups) > 2
    for group in groups.groups[:-1]:
        assert seen[group.name] == [*(f"#{tone:06x}" for tone in group.tones), pale(group.tones)]
    assert seen["default"] == [*(f"#{tone:06x}" for tone in colors.DEFAULT_TONES), pale(colors.DEFAULT_TONES)]


# === Layouts ===


def painted_naively(rows: layout.Rows, t: fragsnap.Table, groups: colors.Groups) -> np.ndarray:
    """The picture block by block, by the definition of a cell."""
    shades, pieces = layout.shades_of(groups), layout.pieces_of(t, rows.volumes, groups)
    shade_at = {}
    for volume, lba, blocks, shade in zip(pieces.volume, pieces.lba, pieces.blocks, pieces.shade):
        shade_at.update({(int(volume), int(lba) + i): int(shade) for i in range(blocks)})
    picture = np.full((len(rows), rows.columns, 3), 255.0)
    for y, row in enumerate(rows.rows):
        if row.hatched:
            continue
        volume = rows.volumes[row.volume]
        first = volume.main_blkaddr + row.segment * volume.segment_blocks
        size = volume.segment_blocks * rows.segments
        for x in range(rows.columns):
            held = [shades[shade_at[row.volume, first + i]] for i in range(x * rows.cell, min((x + 1) * rows.cell, size))
                    if (row.volume, first + i) in shade_at]
            if held:
                ink = 0.25 + 0.75 * len(held) / rows.cell
                picture[y, x] = 255 - ink * (255 - np.mean(held, axis=0))
    return np.floor(picture + 0.5).astype(np.uint8)


@pytest.mark.parametrize("seed, most", [(1, 256), (2, 10), (3, 4), (4, 2), (5, 7), (6, 3)])
def test_pictures_block_by_block(seed, most, monkeypatch):
    """Each cell of random layouts, also if cells have several blocks and segments share rows."""
    monkeypatch.setattr(layout, "COLUMNS", 16)
    t = random_table(seed)
    rows = layout.rows_for(t.volumes, layout.used_segments(t, t.volumes), most)
    assert len(rows) <= most
    groups = colors.groups_for(None, colors.blocks_by_extension(t), 5)
    picture = layout.paint(rows, layout.pieces_of(t, t.volumes, groups), layout.shades_of(groups))
    hatched = np.array([row.hatched for row in rows.rows])
    assert np.array_equal(picture[~hatched], painted_naively(rows, t, groups)[~hatched])
    drawn = sum(row.count for row in rows.rows if not row.hatched)
    left_out = sum(row.count for row in rows.rows if row.hatched)
    assert drawn + left_out == layout.count_segments(t.volumes[0])


def test_rows_that_are_free_are_left_out():
    """Two free segments are drawn, more are hatched; all tables have the same rows."""
    t = table(sst(100, 196, 900))
    rows = layout.rows_for(t.volumes, layout.used_segments(t, t.volumes))
    assert [(row.segment, row.count, row.hatched) for row in rows.rows] == \
        [(0, 1, False), (1, 1, False), (2, 1, False), (3, 1, False), (4, 21, True), (25, 1, False),
         (26, 3, True)]
    assert layout.row_labels(rows, 1)[0] == (0, "100") and layout.row_labels(rows, 1)[4] == (5, "900")


def test_volumes_of_different_sizes_are_not_compared():
    """Two volumes had the same device number."""
    other = fragsnap.parse_table("u", HEAD.replace("blocks=1000", "blocks=900").encode())
    with pytest.raises(fragsnap.SnapError, match="u: volume 254:0 has blocks=900"):
        layout.merged_volumes(table("").volumes, other)


def test_a_volume_of_16_tib():
    """Cells of many blocks, a picture of the usual size; no block is lost."""
    end = (16 << 40) // 4096 - 512
    text = (f"# fragtrace table 1\n# volume 1:1 main_blkaddr=512 blocks={end} segment_blocks=512 path=/\n" +
            "".join(f"1:1 {lba} 1 0 {4 + i} contiguous /f{i}.x\n"
                    for i, lba in enumerate(range(512, end, end // 5000))))
    t = fragsnap.parse_table("big", text.encode())
    rows = layout.rows_for(t.volumes, layout.used_segments(t, t.volumes))
    assert 128 <= len(rows) <= 256 and rows.columns <= 512
    groups = colors.groups_for(None, Counter({".x": 1}), 1)
    picture = layout.paint(rows, layout.pieces_of(t, t.volumes, groups), layout.shades_of(groups))
    assert (picture != 255).any(axis=2).sum() == len(t.lba)


# === Differences ===


def difference_of(a: fragsnap.Table, b: fragsnap.Table) -> tuple[difference.Difference, colors.Groups]:
    """Two tables compared, in groups by extension."""
    groups = colors.groups_for(None, colors.blocks_by_extension(a) + colors.blocks_by_extension(b), 5)
    return difference.difference_of(a, b, layout.merged_volumes(a.volumes, b), groups), groups


def test_what_became_of_blocks():
    """One block each that stayed, moved, came, went; the old place of the moved block is free."""
    found, _ = difference_of(table(sst(110, 120, 130)), table(sst(110, 140) + sst(150, ino=9, name="b.sst")))
    assert found.blocks[0].tolist() == [1, 1, 1, 1]
    assert found.fragments[0].tolist() == [3, 3, 1]
    pieces = sorted(zip(found.pieces.lba.tolist(), found.pieces.blocks.tolist(), found.pieces.shade.tolist()))
    assert pieces == [(110, 1, difference.KEPT), (120, 1, difference.FREED), (130, 1, difference.FREED),
                      (140, 1, difference.MOVED), (150, 1, difference.NEW)]


def test_a_renamed_file_stays():
    """Its inode number is the same, and so are its blocks."""
    found, _ = difference_of(table(sst(110, 111)), table(sst(110, 111, name="b.sst")))
    assert found.blocks[0].tolist() == [2, 0, 0, 0]


def test_an_inode_number_given_out_again_is_another_file():
    """Another path, and no block that stayed: nothing moved, one file went and one came."""
    found, _ = difference_of(table(sst(110, 111)), table(sst(120, 121, name="b.sst")))
    assert found.blocks[0].tolist() == [0, 0, 2, 2]
    moved, _ = difference_of(table(sst(110, 111)), table(sst(120, 121)))
    assert moved.blocks[0].tolist() == [0, 2, 0, 0]


@pytest.mark.parametrize("seed", range(10))
def test_differences_block_by_block(seed):
    """Random tables of the same files, compared block by block."""
    a, b = random_table(seed), random_table(seed + 1000)
    end = max(t.volumes[0].end for t in (a, b))
    a, b = (fragsnap.Table(**{**vars(t), "volumes": [fragsnap.Volume("1:1", 100, end, 32, "/")]}) for t in (a, b))
    found, _ = difference_of(a, b)
    places = [{(int(t.file_ino[f]), int(o) + i): int(lba) + i for f, o, lba, n in zip(t.file, t.offset, t.lba, t.blocks)
               for i in range(n)} for t in (a, b)]
    changes = Counter(difference.NEW if key not in places[0] else difference.GONE if key not in places[1] else
                    difference.KEPT if places[0][key] == places[1][key] else difference.MOVED
                    for key in places[0].keys() | places[1].keys())
    assert found.blocks.sum(axis=0).tolist() == [changes[i] for i in range(4)]
    at = Counter(found.pieces.lba[i] + j for i in range(len(found.pieces.lba)) for j in range(found.pieces.blocks[i]))
    assert set(at.values()) == {1}
    assert set(at) == set(places[0].values()) | set(places[1].values())
