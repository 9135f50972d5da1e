# SPDX-License-Identifier: GPL-2.0-only
"""Tests of fragtrace-plot: the content of its pictures, and its errors."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

import fragsnap
from fragplot import animate, cli, colors, compare, difference, distribution, history, layout, moments, shares, space, style
from test_fragsnap import HEAD, RECORD, random_table, table

HERE = Path(__file__).resolve().parent
VIEWER = HERE.parent
DATA = HERE / "data"
TABLES = [DATA / "redis.table", DATA / "rocksdb.table"]
START = 1795232523.042


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path, monkeypatch):
    """Each test runs in its own empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def record(folder: str, texts: dict[float, str]) -> str:
    """A series in the form of fragtrace-view --record; the texts by seconds after its beginning."""
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
    (".sst red #12345 green", 'colour "#12345" is not #rrggbb'),
    (".sst red green", "2 colours, expected three"),
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
    """The largest first; numbers are not a kind of file; the rest is other."""
    groups = colors.groups_for(None, Counter({".a": 5, ".b": 9, ".c": 1}), 2)
    assert [group.name for group in groups.groups] == [".b", ".a", "other"]
    assert groups[0].tones == colors.PALETTE[0]
    t = table("254:0 110 4 0 5 contiguous /mnt/LOG.old.123\n254:0 120 9 0 6 contiguous /mnt/x.b\n")
    assert dict(colors.blocks_by_extension(t)) == {".b": 9}
    assert groups.of_files(t).tolist() == [2, 0]


def test_the_same_colours_as_the_viewer():
    """The tables are the same as in color_kind.c and color.c."""
    text = "".join(path.read_text() for path in (VIEWER / "src/model").glob("color*.c"))
    kinds = (VIEWER / "src/model/color_kind.c").read_text()
    assert {name: int(rgb, 16) for name, rgb in re.findall(r'\{ "([a-z-]+)", 0x([0-9a-f]{6}) \}', kinds)} == colors.NAMED
    for tones in (*colors.PALETTE, colors.DEFAULT_TONES):
        assert "{ " + ", ".join(f"0x{tone:06x}" for tone in tones) + " }" in text


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


# === The pictures ===


def test_history_draws_the_figures():
    """The steps in the panels are the numbers of fragments at each time."""
    figure = history.make(moments.series_of([record("run", GROWING)]), None, 5, 32, None)
    panels = figure.axes
    assert len(panels) == 6
    for row in (0, 3):
        files, fragments = panels[row].lines
        assert [round(x, 3) for x in fragments.get_xdata()] == [0, 10, 20, 90]
        assert fragments.get_ydata().tolist() == [0, 1, 2, 3]
        assert files.get_ydata().tolist() == [0, 1, 1, 1]
        assert [text.get_text() for text in panels[row].texts] == ["3", "1"]
        assert np.nan_to_num(panels[row + 1].lines[1].get_ydata()).tolist() == [0, 1, 2, 3]
    assert {text.get_text() for text in figure.texts} >= {"all files", ".sst", "History of /mnt/my disk"}


def test_history_uses_all_processors_for_large_series(monkeypatch):
    """Parallel reading gives the same figures, and reports errors."""
    series = moments.series_of([record("run", GROWING)])
    alone = history.read_past(series, 32)
    monkeypatch.setattr(history, "WORTH_PROCESSES", 0)
    assert [{k: v.fragments for k, v in past.shares.items()} for past in history.read_past(series, 32)] == \
        [{k: v.fragments for k, v in past.shares.items()} for past in alone]
    record("run", {50.0: HEAD + "254:0\n"})
    with pytest.raises(fragsnap.FormatError, match="573.042.table.gz:5: the line ends before the lba"):
        history.read_past(moments.series_of(["run"]), 32)


def test_history_of_one_table_has_no_axis_of_time():
    """A moment has no length: no line over time, no ticks of it."""
    figure = history.make(moments.series_of([str(DATA / "rocksdb2.table")]), None, 5, 32, None)
    for axes in figure.axes:
        assert len(axes.get_xticks()) == 0
        assert axes.get_xlabel() in ("", "a single moment")
        for line in axes.lines:
            across = line.get_transform() == axes.get_yaxis_transform()
            assert across or len(set(np.asarray(line.get_xdata()).tolist())) == 1
    assert "numbers at the left" not in " ".join(text.get_text() for text in figure.texts)


def test_numbers_above_bars_do_not_overlap():
    """Many narrow bars with large numbers: each number is there once, and none is drawn over another."""
    random.seed(1)
    lines, lba = [], 100
    for i in range(40000):
        length = int(2 ** random.uniform(0, 15))
        lines.append(f"254:0 {lba} {length} {i} {i + 4} contiguous /mnt/{i}.sst\n")
        lba += length + 1
    Path("t").write_text(f"# fragtrace table 1\n# volume 254:0 main_blkaddr=100 blocks={lba} segment_blocks=512 path=/m\n" +
                         "".join(lines))
    figure = distribution.make(*moments.moment_of("t"), None, 5, 32, None)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    texts = [text for text in figure.axes[0].texts if text.get_text() != "128 KiB"]
    boxes = [text.get_window_extent(renderer) for text in texts]
    assert len(boxes) == 15
    assert all(left.x1 <= right.x0 for left, right in zip(boxes, boxes[1:]))
    ticks = [label.get_window_extent(renderer) for label in figure.axes[0].get_xticklabels() if label.get_text()]
    assert all(left.x1 <= right.x0 for left, right in zip(ticks, ticks[1:]))
    assert [style.count_text(number, 3) for number in (7, 999, 1000, 9949, 12345, 999499, 999500, 12345678)] == \
        ["7", "999", "1k", "10k", "12k", "999k", "1M", "12M"]
    assert style.count_text(12345, 6) == "12,345" and style.count_text(1234, 4) == "1.2k"


def test_stale_files_are_told():
    """Every picture has their number."""
    folder = record("run", {0.0: HEAD + sst(110), 9.0: HEAD + "# stale 3\n" + sst(110, 200)})
    series = moments.series_of([folder])
    pair = [(moment, moment.read()) for moment in series]
    for figure in (history.make(series, None, 5, 32, None), distribution.make(*pair[1], None, 5, 32, None),
                   compare.make(*zip(*pair), START, None, 5, 32, None)):
        assert "3 stale: their blocks may have moved" in " ".join(text.get_text() for text in figure.texts)
    assert "stale" not in " ".join(text.get_text() for text in distribution.make(*pair[0], None, 5, 32, None).texts)


def test_history_by_rules():
    """With rules there is a row for each rule, also for globs."""
    folder = record("run", {0.0: HEAD + sst(110) + sst(120, 130, ino=6, name="log/x") + sst(140, ino=7, name="y")})
    Path("my.cnf").write_text("log/* red green blue\n")
    figure = history.make(moments.series_of([folder]), ["./my.cnf"], 5, 32, None)
    assert [int(figure.axes[3 * row].patches[0].get_height()) for row in range(3)] == [4, 2, 2]
    assert {"all files", "log/*", "other"} <= {text.get_text() for text in figure.texts}


def test_other_is_what_has_no_colour():
    """The smaller extensions are pooled: their fragments are counted, their quantiles are exact."""
    t = table("254:0 110 4 0 5 contiguous /a.x\n254:0 120 1 0 6 contiguous /b.y\n254:0 130 2 0 7 contiguous /c\n")
    past = [history.Past(0.0, [], 0, shares.shares_by_extension(t, 32))]
    large, other = history.by_group(past, colors.groups_for(None, history.most_blocks(past), 1))
    assert (large[0].blocks, other[0].blocks, other[0].files) == (4, 3, 2)
    assert other[0].quantile(0.5) == 1 and other[0].quantile(0.9) == 2


def test_distribution_counts_everything():
    """The bars add up to all fragments and distances of real tables, bin by bin."""
    for path in TABLES:
        t = fragsnap.read_table(str(path))
        figure = distribution.make(*moments.moment_of(str(path)), None, 5, 32, None)
        found = distribution.fragments_of(t)
        for axes, values in ((figure.axes[0], found.blocks), (figure.axes[1], found.distance[found.distance >= 0])):
            bars = Counter()
            for bar in axes.patches:
                bars[round(bar.get_x())] += int(bar.get_height())
            expected = Counter(int(value).bit_length() - 1 for value in values)
            assert +bars == expected


# === Free space ===


def state_json(kernel: str) -> dict:
    """What fragtrace-view says of the recorded state of a kernel's F2FS."""
    done = subprocess.run([VIEWER / "fragtrace-view", "-t", DATA / f"f2fs-{kernel}/table", "--f2fs-state",
                           DATA / f"f2fs-{kernel}", "--json", "-"], capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("kernel", ["6.12", "7"])
def test_space_has_the_numbers_of_the_viewer(kernel):
    """Each bar is a number of its JSON, and the bars add up to the segments and blocks of the volume."""
    expected = state_json(kernel)["space"][0]
    states = space.read_states([str(DATA / f"f2fs-{kernel}/table")], str(DATA / f"f2fs-{kernel}"), None, None)
    assert [state.space for state in states] == [expected]
    figure = space.make(states, None)
    runs, fill, use, types = figure.axes[:4]
    bars = {1 << round(bar.get_x() + 0.46): int(bar.get_height()) for bar in runs.patches if bar.get_height()}
    assert bars == {entry["from"]: entry["runs"] for entry in expected["free_runs"]}
    assert [int(bar.get_height()) for bar in fill.patches] == [entry["segments"] for entry in expected["dirty_fill"]]
    assert sum(states[0].uses()) == expected["segments"] * 512
    numbers = [text.get_text() for text in use.texts if text.get_fontsize() == 8 and text.get_text()[0].isdigit()]
    segments = [expected[key] for _, key, _ in space.SEGMENTS]
    assert numbers == [f"{count:,}" for count in states[0].uses() + segments]
    assert sum(segments) == expected["segments"]
    assert sum(bar.get_width() for bar in types.patches) == sum(kind["valid_blocks"] + kind["ssr_blocks"]
                                                                for kind in expected["types"])


def test_space_over_time(capsys):
    """Several moments, in the order of their times, whatever the order of the arguments."""
    document = state_json("6.12")
    for name, after, free in (("b", 60, 100), ("a", 0, 200), ("c", 90, 50)):
        document["time"] = START + after
        document["space"][0]["free_blocks"] = free
        Path(f"{name}.json").write_text(json.dumps(document))
    states = space.read_states(["b.json", "a.json", "c.json"], None, None, None)
    assert [state.uses()[3] for state in states] == [200, 100, 50]
    time_axes = space.make(states, None).axes[3]
    assert list(time_axes.lines[0].get_xdata()) == [0, 60, 90]
    assert run("space", "b.json", "a.json", "-o", "x.svg") == 0
    assert capsys.readouterr().out == "wrote x.svg\n"
    assert "last of 2 moments in 1 min" in Path("x.svg").read_text()


def test_space_of_what_has_none(capsys):
    """What is no JSON of the viewer, or has no state, and volumes that are not there."""
    document = state_json("6.12")
    Path("good.json").write_text(json.dumps(document))
    refuses(capsys, 1, "has no state of F2FS", "space", str(DATA / "small.table"))
    refuses(capsys, 1, "nosuch: No such file", "space", "nosuch")
    Path("odd.json").write_text('{"volumes": 3}')
    refuses(capsys, 1, "odd.json: is not JSON of fragtrace-view --json", "space", "odd.json")
    refuses(capsys, 1, "the volumes are /mnt: expected --volume", "space", "good.json", "--volume", "/other")
    assert run("space", "good.json", "--volume", "254:0") == 0
    Path("fragtrace-space.png").unlink()
    other = json.loads(json.dumps(document).replace("254:0", "254:16").replace('"/mnt"', '"/b"'))
    Path("other.json").write_text(json.dumps(other))
    capsys.readouterr()
    refuses(capsys, 1, "the volumes are /b, /mnt: expected --volume", "space", "good.json", "other.json")
    refuses(capsys, 1, "nosuch: No such file or directory, expected a folder", "space",
            str(DATA / "f2fs-6.12/table"), "--f2fs-state", "nosuch")


def test_bins_are_exact():
    """2^n - 1 and 2^n are in different bins, also at the limit of floating point."""
    values = np.array([1, 2, 3, 4, 7, 8, (1 << 47) - 1, 1 << 47])
    counts = distribution.log2_counts(values, 48)
    assert [counts[i] for i in (0, 1, 2, 3, 46, 47)] == [1, 2, 2, 1, 1, 1]


def test_compare_shows_numbers_of_both():
    """The line below the pictures."""
    figure = compare.make(*zip(*(moments.moment_of(str(DATA / "redis.table")) for _ in "ab")), None, None, 5, 32, None)
    texts = [text.get_text() for text in figure.texts]
    assert "104 → 104" in texts and "104" in texts
    assert any(text.startswith("3 files, 3 fragmented, 104 fragments, split factor 1.15 at 128 KiB") for text in texts)


def test_animation_shows_the_layout():
    """Its pictures have the colours of the blocks, at equal steps of time; the last one stays."""
    record("run", GROWING)
    assert run("animate", "run", "-o", "a.gif", "--frames", "10", "--seconds", "2") == 0
    with Image.open("a.gif") as image:
        assert image.n_frames == 10 and image.info["loop"] == 0
        durations, strong = [], []
        for number in range(10):
            image.seek(number)
            durations.append(image.info["duration"])
            pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
            tones = [[tone >> 16, tone >> 8 & 255, tone & 255] for tone in colors.PALETTE[0]]
            # the legend always has each colour
            strong.append([int((pixels == tone).all(axis=1).sum()) for tone in tones])
    assert durations == [200] * 9 + [2000]
    more = np.array(strong) - strong[0]
    # segments of 32 blocks: a cell is 16 pixels wide, and 10 high
    assert more[1].tolist() == [160, 0, 0]
    assert sorted(more[2].tolist()) == [0, 160, 160] and more[2][0] == 0
    assert sorted(more[9].tolist()) == [0, 160, 320] and more[9][0] == 0


def test_animation_keeps_its_limit(capsys):
    """Every other picture is dropped until the file is small enough, but never the last one."""
    draw = random.Random(1)
    noise = [Image.fromarray(np.frombuffer(draw.randbytes(400 * 400), np.uint8).reshape(400, 400)).convert("P") for _ in range(9)]
    kept = []
    animate_write = animate.write

    def write(path, images, seconds):
        kept.append(len(images))
        animate_write(path, images, seconds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(animate, "write", write)
        patch.setattr(animate, "draw_frames", lambda *_: iter(noise))
        record("run", GROWING)
        animate.make(moments.series_of(["run"]), None, 5, 32, None, 9, 1, 1 << 20, "a.gif")
    assert kept == [9, 5, 3] and os.path.getsize("a.gif") <= 1 << 20
    assert capsys.readouterr().err.count("leaving out every other picture") == 2


@pytest.mark.parametrize("command", ["history", "compare", "distribution", "animate"])
def test_tables_with_nothing_in_them(command):
    """No volume, no file, and an empty series: there still is a picture."""
    Path("none.table").write_text("# fragtrace table 1\n")
    Path("empty.table").write_text(HEAD)
    Path("one.table").write_text(HEAD + RECORD)
    ending = ".gif" if command == "animate" else ".png"
    for name in ("none", "empty", "one"):
        inputs = [f"{name}.table"] * (2 if command == "compare" else 1)
        assert run(command, *inputs, "-o", name + ending) == 0
        with Image.open(name + ending) as image:
            assert min(image.size) > 200


@pytest.mark.parametrize("command", ["history", "compare", "distribution"])
def test_formats(command):
    """PNG, SVG and PDF, the same bytes from the same series."""
    record("run", GROWING)
    for number in "12":
        for ending in ("png", "svg", "pdf"):
            assert run(command, "run", "-o", f"{number}.{ending}") == 0
    for ending, magic in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        data = Path(f"1.{ending}").read_bytes()
        assert data.startswith(magic) and data == Path(f"2.{ending}").read_bytes()
    text = "".join(xml.etree.ElementTree.parse("1.svg").getroot().itertext())
    assert "/mnt/my disk" in text and ".sst" in text


def test_odd_names_are_drawn():
    """Dollars, bytes that are not text, control characters, very long extensions."""
    names = [b"a.$x^$", b"b.\xff\xfe", b"c.\\011\\012", b"d." + b"y" * 250, "e.日本".encode()]
    Path("odd.table").write_bytes(HEAD.encode() + b"".join(
        b"254:0 %d 1 0 %d contiguous /mnt/%s\n" % (110 + 2 * i, 4 + i, name) for i, name in enumerate(names)))
    for command in ("history", "distribution"):
        assert run(command, "odd.table") == 0
    assert run("compare", "odd.table", "odd.table") == 0
    assert run("animate", "odd.table") == 0


# === Errors ===


def test_bad_input(capsys):
    """The message names the error; the status is 1; no file remains."""
    os.mkdir("none")
    Path("future.table").write_text("# fragtrace table 2\n")
    Path("cut.table.gz").write_bytes(gzip.compress((HEAD + RECORD).encode())[:-4])
    Path("good.table").write_text(HEAD + RECORD)
    for command in ("history", "animate", "distribution"):
        refuses(capsys, 1, "nowhere: No such file or directory", command, "nowhere")
        refuses(capsys, 1, "none: no fragtrace-SECONDS.MMM.snapshot.zst in it", command, "none")
        refuses(capsys, 1, 'future.table:1: the table has version 2', command, "future.table")
        refuses(capsys, 1, "cut.table.gz: the gzip data is damaged or cut short", command, "cut.table.gz")
    refuses(capsys, 1, "nowhere: No such file", "compare", "good.table", "nowhere")
    refuses(capsys, 1, "nothing: No such file or directory, expected a color.cnf file or a preset", "history",
            "good.table", "-c", "nothing")


def test_bad_output(capsys):
    """A missing folder, no file at all; the last picture stays if the input is invalid."""
    Path("good.table").write_text(HEAD + RECORD)
    Path("bad.table").write_text(HEAD + "254:0\n")
    os.mkdir("dir.png")
    refuses(capsys, 1, "nowhere/a.png: No such file or directory", "history", "good.table", "-o", "nowhere/a.png")
    refuses(capsys, 1, "dir.png: is not a regular file", "history", "good.table", "-o", "dir.png")
    Path("last.png").write_text("last")
    refuses(capsys, 1, "bad.table:4: the line ends before the lba", "history", "bad.table", "-o", "last.png")
    assert Path("last.png").read_text() == "last"


def test_full_disk(capsys, monkeypatch):
    """The old file stays, and the unfinished one is removed."""
    Path("good.table").write_text(HEAD + RECORD)
    Path("last.png").write_text("last")

    def full(*_args, **_options):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(style.Figure, "savefig", full)
    refuses(capsys, 1, "last.png: No space left on device", "history", "good.table", "-o", "last.png")
    assert Path("last.png").read_text() == "last"


@pytest.mark.parametrize("args, what", [
    (["history", "good.table", "-o", "a.jpg"], "expected one of .png .svg .pdf"),
    (["animate", "good.table", "-o", "a.png"], "expected one of .gif"),
    (["history", "good.table", "--request", "5K"], "expected a multiple of 4K"),
    (["history", "good.table", "--top", "9"], "'9' is not a number from 1 to 5"),
    (["compare", "good.table"], "only one table, expected two, or a series"),
    (["compare", "good.table", "good.table", "good.table"], "3 inputs, expected two tables, or one series"),
    (["compare", "good.table", "good.table", "--at", "1s"], "--at is for a series"),
    (["compare", "run", "--at", "1s"], "--at is wanted twice"),
    (["compare", "run", "--at", "soon", "--at", "end"], "'soon' is no time, expected one after"),
    (["distribution", "good.table", "--at", "1s"], "--at is for a series"),
    (["paint"], "invalid choice: 'paint'"),
    ([], "COMMAND"),
])
def test_usage(capsys, args, what):
    """Status 2."""
    Path("good.table").write_text(HEAD + RECORD)
    record("run", GROWING)
    refuses(capsys, 2, what, *args)


# === The program itself ===


def program(*args: str, **options) -> subprocess.CompletedProcess:
    """Run it as a user without display or home would."""
    return subprocess.run([sys.executable, str(VIEWER / "fragtrace-plot"), *args], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "MPLCONFIGDIR": os.getcwd()}, check=False, **options)


def test_the_program_from_a_pipe():
    """Standard input; the name of the picture is printed."""
    done = program("distribution", "-", "-o", "a.svg", input=HEAD + RECORD)
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote a.svg\n", "")
    assert os.path.getsize("a.svg") > 1000


def test_what_the_viewer_records():
    """A folder written by fragtrace-view --record."""
    for lines in (RECORD, RECORD + sst(200, ino=9, name="b.sst")):
        Path("t").write_text(HEAD + lines)
        subprocess.run([str(VIEWER / "fragtrace-view"), "-t", "t", "-o", "t.png", "--record", "run"], check=True)
        time.sleep(0.01)
    series = moments.series_of(["run"])
    assert [moment.read().paths for moment in series] == [["/mnt/a.sst"], ["/mnt/a.sst", "/mnt/b.sst"]]
    assert series[0].time == series[0].read().time


def test_what_the_viewer_records_in_binary():
    """Snapshots in the form of debugfs."""
    for stamp, lines in (("1700000000.123", RECORD), ("1700000060.000", RECORD + sst(200, ino=9, name="b.sst"))):
        Path("t").write_text(HEAD.replace("\n", f"\n# time {stamp}\n", 1) + lines)
        with open("s", "wb") as stream:
            subprocess.run([sys.executable, str(HERE / "to_snapshot.py"), "t"], check=True, stdout=stream)
        subprocess.run([str(VIEWER / "fragtrace-view"), "-t", "s", "--record", "run"], check=True)
    assert sorted(os.listdir("run")) == ["fragtrace-1700000000.123.snapshot.zst", "fragtrace-1700000060.000.snapshot.zst"]
    series = moments.series_of(["run"])
    assert [moment.read().paths for moment in series] == [["/mnt/a.sst"], ["/mnt/a.sst", "/mnt/b.sst"]]
    assert [moment.time for moment in series] == [moment.read().time for moment in series]
    assert program("compare", "run", "--at", "0s", "--at", "60s").returncode == 0


def test_help_has_examples():
    """The help of the program and of each command; the man page has each option, too."""
    page = (VIEWER / "man/fragtrace-plot.1").read_text()
    for command in ("history", "compare", "distribution", "animate"):
        text = program(command, "--help").stdout
        assert "examples:\n  fragtrace-plot " + command in text
        for word in set(text.replace(",", " ").split()):
            if word.startswith("--"):
                assert f"Fl -{word[2:].strip('[]')}" in page, word
    assert "examples:" in program("--help").stdout
    assert program("--version").stdout.startswith("fragtrace-plot 0.")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(number):
    """Interrupted while it reads: the status reports it, the last picture stays, no file remains."""
    Path("last.png").write_text("last")
    os.mkfifo("pipe")
    # a program that a shell starts in the background ignores SIGINT, and its children inherit that
    with subprocess.Popen([sys.executable, str(VIEWER / "fragtrace-plot"), "history", "pipe", "-o", "last.png"],
                          stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as child:
        # open() returns when the program opens the pipe; then it waits for data
        with open("pipe", "w", encoding="utf-8"):
            os.kill(child.pid, number)
            _, error = child.communicate(timeout=120)
    assert child.returncode == 128 + number
    assert error == ""
    assert sorted(os.listdir()) == ["last.png", "pipe"] and Path("last.png").read_text() == "last"


def test_installed():
    """make install puts each file where the program finds it."""
    subprocess.run(["make", "-s", "-C", str(VIEWER), "install-plot", f"DESTDIR={os.getcwd()}/root", "PREFIX=/usr"],
                   check=True)
    os.makedirs("root/usr/share/fragtrace", exist_ok=True)
    Path("root/usr/share/fragtrace/rocksdb.color.cnf").write_text(".sst red green blue\n")
    Path("good.table").write_text(HEAD + RECORD)
    done = subprocess.run(["root/usr/bin/fragtrace-plot", "history", "good.table", "-c", "rocksdb", "-o", "a.svg"],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "#008000" in Path("a.svg").read_text() or "#3fa34d" in Path("a.svg").read_text()
    assert os.path.isfile("root/usr/share/man/man1/fragtrace-plot.1")


def test_man_page():
    """mandoc has no warning."""
    if not any(os.access(os.path.join(folder, "mandoc"), os.X_OK) for folder in os.get_exec_path()):
        pytest.skip("mandoc is not installed")
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", str(VIEWER / "man/fragtrace-plot.1")], capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
