# SPDX-License-Identifier: GPL-2.0-only
"""Tests of what the pictures of fragtrace-plot are made of: series, colours, layouts, differences."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import drawn
import fragsnap
from fragplot import colors, difference, layout, moments, style
from plots import GROWING, HEAD, START, VIEWER, parsed, random_table, record, sst, table

VIEW = VIEWER / "fragtrace"
FORMATS = VIEWER / "build/formats"

pytestmark = pytest.mark.usefixtures("somewhere_else")


# === Series ===


def test_moments_of_a_series():
    """In the order of time; other files in the folder are ignored."""
    folder = record("run", GROWING)
    for name in (".fragtrace-1.000.table.zst", "fragtrace-1.table.zst", "fragtrace-1.000.table.zst.tmp", "notes"):
        Path(folder, name).write_text("no table")
    series = moments.series_of([folder])
    assert [round(moment.time - START, 3) for moment in series] == [0, 10, 20, 90]
    for seconds, expected in ((0, 0), (9.9, 0), (10, 10), (60, 20), (90, 90)):
        assert round(moments.at(series, seconds).time - START, 3) == expected


def test_a_time_that_differs_from_the_name():
    """A snapshot that was renamed is not drawn at a wrong time."""
    folder = record("run", GROWING)
    os.rename(moments.series_of([folder])[0].path, "run/fragtrace-5.000.table.zst")
    with pytest.raises(fragsnap.SnapError, match="run/fragtrace-5.000.table.zst: the time is 1795232523.042"):
        list(moments.read_series(moments.series_of([folder])))
    # names have milliseconds, which a time is rounded to
    [moment] = moments.series_of([record("exact", {0.0: HEAD})])
    assert len(list(moments.read_series([replace(moment, time=moment.time + 0.0004)]))) == 1
    with pytest.raises(fragsnap.SnapError):
        list(moments.read_series([replace(moment, time=moment.time + 0.0006)]))


# === Texts ===


def formats(kind: str, *arguments: object) -> list[str]:
    """What the functions of util.c and names.c return."""
    texts = [text.encode("utf-8", "surrogateescape") if isinstance(text, str) else str(text) for text in arguments]
    done = subprocess.run([FORMATS, kind, *texts], capture_output=True, check=True)
    return done.stdout.decode().split("\n")[:-1]


def test_bytes():
    """Both write a size in the same way."""
    blocks = [0, 1e-6, 0.0124, 0.0125, 0.02, 0.3, 0.75, 1, 2, 24, 25, 255, 256, 257, 6 * 256, 25599, 25600, 255 * 1024, 262015,
              262016, 262144, 5 * 10 ** 6, 268304383, 268304384, 2 ** 28, 2 ** 32 - 1, 2 ** 38, 2 ** 48]
    expected = [style.bytes_text(number * 4096) for number in blocks]
    assert formats("bytes", *(number * 4096 for number in blocks)) == expected
    assert expected[:7] == ["0 KiB", "<0.1 KiB", "<0.1 KiB", "0.1 KiB", "0.1 KiB", "1.2 KiB", "3 KiB"]
    assert expected[-4:] == ["1 TiB", "16.0 TiB", "1 PiB", "1024 PiB"]


def test_shares():
    """Both write a share in the same way; 0 % is nothing, 100 % is all."""
    cases = [(0, 0), (0, 7), (7, 7), (1, 2), (1, 3), (2, 3), (1, 7), (1, 2000), (1, 2001), (1, 10 ** 9), (1999, 2000), (2000, 2001),
             (10 ** 9 - 1, 10 ** 9), (1, 8), (1, 16), (29, 200), (7, 10), (10 ** 12 + 1, 2 * 10 ** 12), (10, 1), (30847, 1000),
             (123456789, 10), (99995, 10000)]
    expected = [style.share_text(*case) for case in cases]
    assert formats("share", *(number for case in cases for number in case)) == expected
    assert expected[:12] == ["0 %", "0 %", "100 %", "50 %", "33.3 %", "66.7 %", "14.3 %", "0.1 %", "<0.1 %", "<0.1 %", ">99.9 %",
                             ">99.9 %"]
    assert expected[-4:] == ["1,000 %", "3,084.7 %", "1,234,567,890 %", "1,000.0 %"], expected[-4:]


def test_hidden_characters():
    """No character acts on a terminal, begins a line, or changes the order of text."""
    texts = ["/m/\u202etxt.exe", "/m/a\nb", "\x1b[2J\x1b]0;x\x07", "\x9b2J", "\udc9b2J", "é€😀", "a\\b\\033", "\u2028\u2066\u200f\ufeff",
             "\udcc3", "\udced\udca0\udc80", "\U000e0041", "e\u0301", "\u05d0", "\x7f\x85\xad"]
    texts += [f"a{chr(code)}b" for code in (*range(1, 0x800), *range(0x2000, 0x2100), *range(0xfe00, 0x10000))
              if not 0xd800 <= code < 0xe000]
    expected = [fragsnap.visible(text) for text in texts]
    assert formats("visible", *texts) == expected
    assert formats("name", *texts) == [fragsnap.visible(text.replace("\\", "\0")).replace("\\000", "\\134") for text in texts]
    assert expected[:7] == ["/m/\\342\\200\\256txt.exe", "/m/a\\012b", "\\033[2J\\033]0;x\\007", "\\302\\2332J", "\\2332J",
                            "é€😀", "a\\b\\033"]


# === Colours ===


def test_presets_and_rules_that_override():
    """A later file wins for the same extension, and adds others; the rest is other, in the colours of default."""
    Path("my.cnf").write_text("# mine\n.sst #010203 white black # note\n.x red green blue\n")
    kinds = parsed(HEAD, colors=["rocksdb", "./my.cnf"]).kinds
    assert [kind.name for kind in kinds] == [".log", ".sst", ".x", "other"]
    assert kinds[1].tones == (0x010203, 0xffffff, 0) and kinds[0].tones == (0x3f73d8, 0x58c5ed, 0x003f74)
    assert kinds[3].tones != parsed(HEAD).kinds[0].tones


@pytest.mark.parametrize("path, name", [
    ("/mnt/a.log", ".log"), ("/mnt/log/a.sst", "log/*"), ("/mnt/log/deep/a.sst", ".sst"), ("/x", "other"),
    ("/mnt/log/a.log", "log/*"), ("/top/LOG.old.17", "LOG.old.*"), ("/mnt/db/a.y (deleted)", "/mnt/*/[a-c].?"),
    ("/mnt/x/db/a.y", "other"), ("/mnt/0001.log", ".log"), ("/mnt/0002.log", "000[2-4].log"),
    ("/mnt/a.zz", ".zz")])
def test_globs(path, name):
    """The last rule that matches wins; a wildcard does not match a slash."""
    Path("my.cnf").write_text("".join(f"{what} red green blue\n" for what in (
        ".sst", ".log", "LOG.old.*", "/mnt/*/[a-c].?", "000[2-4].log", "log/*", "*.zz", ".zz")))
    t = parsed(f"{HEAD}254:0 110 4 0 5 contiguous {path}\n", colors=["./my.cnf"])
    groups = colors.groups_for(colors.blocks_by_kind(t), 5, True)
    assert len(groups) == 9 and groups[int(groups.of_files(t)[0])].name == name


NAMED = {
    "white": 0xffffff, "black": 0x000000,
    "gray": 0x949494, "light-gray": 0xc9c9c9, "dark-gray": 0x5c5c5c,
    "red": 0xc8382e, "light-red": 0xf29b92, "dark-red": 0x7d1a14,
    "orange": 0xe8871e, "light-orange": 0xffbe5c, "dark-orange": 0xb84a00,
    "yellow": 0xf0e442, "light-yellow": 0xfaf3a5, "dark-yellow": 0xa89a00,
    "green": 0x3fa34d, "light-green": 0xa6dba0, "dark-green": 0x14602a,
    "teal": 0x1f9e96, "light-teal": 0x6fd6cc, "dark-teal": 0x0b5e5a,
    "blue": 0x3a76d6, "light-blue": 0xa9ccf5, "dark-blue": 0x17408c,
    "purple": 0x8f4fbf, "light-purple": 0xcda4e8, "dark-purple": 0x5e2390,
    "brown": 0x96643a, "light-brown": 0xcfa77c, "dark-brown": 0x5e3717,
}


def test_named_colours():
    """Each name is the colour that the manual lists it with."""
    names = list(NAMED)
    Path("my.cnf").write_text("".join(f".x{i} {name} {name} {name}\n" for i, name in enumerate(names)))
    assert [kind.tones for kind in parsed(HEAD, colors=["./my.cnf"]).kinds[:-1]] == [(NAMED[name],) * 3 for name in names]


def test_the_colour_of_a_line():
    """That of fragments, if its contrast with white is 2.2 or more: it is 2.22 for the first of these greys, 2.19 for the second."""
    for tone, line in (0xaeaeae, "#aeaeae"), (0xafafaf, "#123456"):
        assert colors.strong(fragsnap.Kind("x", (0xffffff, tone, 0x123456))) == line


def test_bad_rules():
    """The message is that of fragtrace, with the line."""
    Path("my.cnf").write_text("\n.sst red blu green\n")
    with pytest.raises(fragsnap.SnapError, match='^./my.cnf:2: unknown colour "blu", did you mean blue?'):
        parsed(HEAD, colors=["./my.cnf"])


def test_colours_by_size():
    """The largest first, in the colours of its name; of two with the same colours the larger one; numbers, and the rest, are other."""
    t = table("254:0 110 4 0 5 contiguous /mnt/LOG.old.123\n254:0 120 9 0 6 contiguous /mnt/x.b\n254:0 130 2 0 7 contiguous /mnt/x.a\n")
    blocks = colors.blocks_by_kind(t)
    assert {kind.name: n for kind, n in blocks.items()} == {".b": 9, ".a": 2, "other": 4}
    groups = colors.groups_for(blocks, 2, False)
    assert [group.name for group in groups.groups] == [".b", ".a", "other"]
    assert groups.of_files(t).tolist() == [2, 0, 1]
    assert [group.name for group in colors.groups_for(blocks, 1, False).groups] == [".b", "other"]
    names = [f".{letter}" for letter in "abcdefghij"]
    many = table("".join(f"254:0 {100 + 20 * i} {i + 1} 0 {i + 4} contiguous /x{name}\n" for i, name in enumerate(names)))
    groups = colors.groups_for(colors.blocks_by_kind(many), 5, False)
    assert len({group.tones for group in groups.groups}) == len(groups)
    for kind in many.kinds:
        rivals = [other for other in groups.groups if other.tones[:3] == kind.tones]
        assert kind.name == "other" or rivals[0].name >= kind.name
    both = colors.most_blocks([blocks, {kind: 5 for kind in blocks}])
    assert sorted(both.values()) == [5, 5, 9]


def swatches(*arguments: str) -> dict[str, list[str]]:
    """What the viewer draws beside the name of each kind of files."""
    subprocess.run([str(VIEW), "view", *arguments, "-o", "out.svg"], check=True)
    picture = drawn.read("out.svg")
    return {row[0].text: picture.swatches(row) for row in picture.rows() if picture.swatches(row)}


def test_the_same_colours_as_the_viewer():
    """Those of the palette, and those of all other files: what the viewer draws."""
    lines = ""
    for i, name in enumerate(["x.sst", "x.log", "x.vpt", "LOG"]):
        lines += f"254:0 {100 + 60 * i} 5 0 {2 * i + 4} contiguous /m/{name}\n"
        for at, length, offset in (10, 3, 0), (20, 2, 9), (30, 1, 3):
            lines += f"254:0 {100 + 60 * i + at} {length} {offset} {2 * i + 5} fragmented /m/{name}\n"
    Path("t").write_text(HEAD + lines, encoding="ascii")
    seen = swatches("-t", "t")
    for kind in fragsnap.read_table("t").kinds:
        tones = seen["default" if kind.name == "other" else kind.name]
        assert tones[:4] == [f"#{tone:06x}" for tone in colors.themed(kind).tones]


# === Layouts ===


@pytest.mark.parametrize("seed", range(1, 7))
def test_strong_colours_are_near_breaks(seed):
    """Of each block: its tone, by its distance from the ends of its fragment; those of 16 blocks or less are strong."""
    t = random_table(seed)
    groups = colors.groups_for(colors.blocks_by_kind(t), 5, False)
    expected, fragments = {}, {}
    for i in t.logical.tolist():
        mine = fragments.setdefault(int(t.file[i]), [[]])
        for lba in range(t.lba[i], t.lba[i] + t.blocks[i]):
            if mine[-1] and mine[-1][-1] != lba - 1:
                mine.append([])
            mine[-1].append(lba)
    for file, mine in fragments.items():
        kind = int(groups.of_files(t)[file])
        for number, lbas in enumerate(mine):
            for i, lba in enumerate(lbas):
                reach = len(lbas) if len(lbas) <= 16 else 8
                is_near = (number and i < reach) or (number + 1 < len(mine) and len(lbas) - 1 - i < reach)
                tone = 0 if len(mine) == 1 else 1 + (int(t.file_ino[file]) + number) % 2 if is_near else 3
                expected[int(t.file_volume[file]), lba] = 4 * kind + tone
    pieces = layout.pieces_of(t, t.volumes, groups)
    got = [((int(volume), lba + i), int(shade)) for volume, lba, blocks, shade in zip(pieces.volume, pieces.lba.tolist(), pieces.blocks, pieces.shade)
           for i in range(blocks)]
    assert len(got) == len(expected) and dict(got) == expected
    assert {shade % 4 for shade in expected.values()} >= {1, 2, 3}


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
    groups = colors.groups_for(colors.blocks_by_kind(t), 5, False)
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
    other = parsed(HEAD.replace("blocks=1000", "blocks=900"), "u")
    with pytest.raises(fragsnap.SnapError, match="u: volume 254:0 has blocks=900"):
        layout.merged_volumes(table("").volumes, other)
    other = parsed(HEAD.replace("\n", "\n# block_bytes 16384\n", 1), "u")
    with pytest.raises(fragsnap.SnapError, match="u: volume 254:0 has blocks=1000 of 16384 bytes"):
        layout.merged_volumes(table("").volumes, other)


def test_a_volume_of_16_tib():
    """Cells of many blocks, a picture of the usual size; no block is lost."""
    end = (16 << 40) // 4096 - 512
    text = (f"# fragtrace table 1\n# volume 1:1 main_blkaddr=512 blocks={end} segment_blocks=512 path=/\n" +
            "".join(f"1:1 {lba} 1 0 {4 + i} contiguous /f{i}.x\n"
                    for i, lba in enumerate(range(512, end, end // 5000))))
    t = parsed(text)
    rows = layout.rows_for(t.volumes, layout.used_segments(t, t.volumes))
    assert 128 <= len(rows) <= 256 and rows.columns <= 512
    groups = colors.groups_for(colors.blocks_by_kind(t), 1, False)
    picture = layout.paint(rows, layout.pieces_of(t, t.volumes, groups), layout.shades_of(groups))
    assert (picture != 255).any(axis=2).sum() == len(t.lba)


# === Differences ===


def difference_of(a: fragsnap.Table, b: fragsnap.Table) -> tuple[difference.Difference, colors.Groups]:
    """Two tables compared, in groups by extension."""
    groups = colors.groups_for(colors.most_blocks(map(colors.blocks_by_kind, (a, b))), 5, False)
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
    a, b = (replace(t, volumes=[fragsnap.Volume("1:1", 100, end, 32, "/")]) for t in (a, b))
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
