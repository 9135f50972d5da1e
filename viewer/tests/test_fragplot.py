# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the pictures of fragtrace-plot."""

from __future__ import annotations

import io
import json
import os
import shutil
import random
import subprocess
import xml.etree.ElementTree
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from PIL import Image

import fragsnap
from fragplot import animate, colors, compare, distribution, history, moments, shares, space, style
from plots import DATA, GROWING, HEAD, RECORD, REQUEST, START, TABLES, VIEWER, record, refuses, run, sst, table

pytestmark = pytest.mark.usefixtures("somewhere_else")


# === The pictures ===


def test_history_draws_the_figures():
    """The steps in the panels are the numbers of fragments at each time."""
    figure = history.make(moments.series_of([record("run", GROWING)]), None, 5, REQUEST, None)
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


def test_history_reads_all_moments():
    """One after the other, and what is wrong with one is said."""
    series = moments.series_of([record("run", GROWING)])
    assert [sum(share.fragments for share in past.shares.values()) for past in history.read_past(series, REQUEST)] == [0, 1, 2, 3]
    record("run", {50.0: HEAD + "254:0\n"})
    with pytest.raises(fragsnap.SnapError, match="573.042.table.zst:5: the line ends before the lba"):
        history.read_past(moments.series_of(["run"]), REQUEST)


def test_history_of_one_table_has_no_axis_of_time():
    """A moment has no length: no line over time, no ticks of it."""
    figure = history.make(moments.series_of([str(DATA / "rocksdb2.table")]), None, 5, REQUEST, None)
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
    figure = distribution.make(*moments.moment_of("t"), False, 5, REQUEST, None)
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


def assert_texts_are_apart(figure):
    """No text of the figure itself is over another one or cut."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    boxes = [(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in figure.texts if text.get_text().strip()]
    for i, (text, box) in enumerate(boxes):
        assert 0 <= box.x0 and box.x1 <= figure.bbox.width and 0 <= box.y0 and box.y1 <= figure.bbox.height, text
        for other, beside in boxes[:i]:
            # letters have room above and below them
            assert box.x1 <= beside.x0 or beside.x1 <= box.x0 or box.y1 - 2 <= beside.y0 or beside.y1 - 2 <= box.y0, (text, other)


FLAWS = "# stale 1234567\n# left_out 254:0 1234567\n# stopped 254:0\n"
FLAWS_TEXT = "1,234,567 stale: their blocks may have moved; 1,234,567 left out: fragtrace's memory was short; F2FS has stopped"


def test_flaws_are_told(monkeypatch):
    """Every picture says what is not exact, not complete, or has stopped, and no line is over another one."""
    folder = record("run", {0.0: HEAD + sst(110), 9.0: HEAD + FLAWS + sst(110, 200)})
    series = moments.series_of([folder])
    pair = list(zip(series, moments.read_series(series)))
    for figure in (history.make(series, None, 5, REQUEST, None), distribution.make(*pair[1], False, 5, REQUEST, None),
                   compare.make(*zip(*pair[::-1]), START, False, 5, REQUEST, None)):
        assert FLAWS_TEXT in [text.get_text() for text in figure.texts]
        assert_texts_are_apart(figure)
    assert "stale" not in " ".join(text.get_text() for text in distribution.make(*pair[0], False, 5, REQUEST, None).texts)
    said = []
    old = animate.ImageDraw.ImageDraw.text

    def text(self, place, line, *args, **more):
        left, _, right, _ = self.textbbox(place, line, font=more["font"], anchor=more.get("anchor"))
        said.append((line, left, right, self.im.size[0]))
        assert line != FLAWS_TEXT or place[0] == 14, "it begins where the heading does"
        old(self, place, line, *args, **more)

    monkeypatch.setattr(animate.ImageDraw.ImageDraw, "text", text)
    assert run("animate", folder, "-o", "a.gif", "--frames", "2") == 0
    assert FLAWS_TEXT in [line for line, *_ in said] and all(0 <= left <= right <= width for _, left, right, width in said), said
    # the time is at the right of each picture, the other texts begin at the left
    assert [line for line, left, _, width in said if left > width / 2] == ["0 s", "9 s"]


def test_what_stayed_is_visible(tmp_path):
    """One block that stayed, in a cell of thousands, differs from white."""
    text = "# fragtrace table 1\n# volume 254:0 main_blkaddr=512 blocks=4294967295 segment_blocks=512 path=/m\n" + "".join(
        f"254:0 {512 + i * 500_000} 1 {i} 4 fragmented /m/a.sst\n" for i in range(8000))
    (tmp_path / "t").write_text(text)
    pair = [moments.moment_of(str(tmp_path / "t"))] * 2
    panel = compare.make(*zip(*pair), None, False, 5, REQUEST, None).axes[2].images[0].get_array()
    greys = panel[(panel[..., 0] == panel[..., 1]) & (panel[..., 1] == panel[..., 2])]
    assert 8000 < len(greys) + 1 and greys[greys < 230].size >= 3 * 8000 - 600, np.unique(greys)


def test_history_by_rules():
    """With rules there is a row for each rule, also for globs."""
    folder = record("run", {0.0: HEAD + sst(110) + sst(120, 130, ino=6, name="log/x") + sst(140, ino=7, name="y")})
    Path("my.cnf").write_text("log/* red green blue\n")
    figure = history.make(moments.series_of([folder]), ["./my.cnf"], 5, REQUEST, None)
    assert [int(figure.axes[3 * row].patches[0].get_height()) for row in range(3)] == [4, 2, 2]
    assert {"all files", "log/*", "other"} <= {text.get_text() for text in figure.texts}


def test_other_is_what_has_no_colour():
    """The smaller extensions are pooled: their fragments are counted, their quantiles are exact."""
    t = table("254:0 110 4 0 5 contiguous /a.x\n254:0 120 1 0 6 contiguous /b.y\n254:0 130 2 0 7 contiguous /c\n")
    past = [history.Past(0.0, [], "", False, shares.shares_by_kind(t, REQUEST))]
    large, other = history.by_group(past, colors.groups_for(colors.blocks_by_kind(t), 1, False))
    assert (large[0].blocks, other[0].blocks, other[0].files) == (4, 3, 2)
    assert other[0].quantile(0.5) == 1 and other[0].quantile(0.9) == 2


def test_distribution_counts_everything():
    """The bars add up to all fragments and distances of real tables, bin by bin."""
    for path in TABLES:
        t = fragsnap.read_table(str(path))
        figure = distribution.make(*moments.moment_of(str(path)), False, 5, REQUEST, None)
        found = distribution.fragments_of(t)
        for axes, values in ((figure.axes[0], found.blocks), (figure.axes[1], found.distance[found.distance >= 0])):
            bars = Counter()
            for bar in axes.patches:
                bars[round(bar.get_x())] += int(bar.get_height())
            expected = Counter(int(value).bit_length() - 1 for value in values)
            assert +bars == expected


# === Free space ===


def state_json(kernel: str) -> dict:
    """What fragtrace says of the recorded state of a kernel's F2FS."""
    done = subprocess.run([VIEWER / "fragtrace", "table", "--json", "-t", DATA / f"f2fs-{kernel}/table", "--f2fs-state",
                           DATA / f"f2fs-{kernel}"], capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("kernel", ["6.12", "7"])
def test_space_has_the_numbers_of_the_viewer(kernel):
    """Each bar is a number of its JSON, and the bars add up to the segments and blocks of the volume."""
    expected = state_json(kernel)["space"][0]
    states = space.read_states([str(DATA / f"f2fs-{kernel}/table")], str(DATA / f"f2fs-{kernel}"), None)
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


def test_space_has_one_meaning_for_each_colour():
    """No colour is that of two things; what is free has the same one everywhere."""
    named = [rgb for _, rgb in space.USES] + [rgb for *_, rgb in space.SEGMENTS]
    others = [rgb for rgb in named if rgb != space.FREE] + [space.VALID, space.FREE_LINE, style.REQUEST, style.INK]
    assert named.count(space.FREE) == 2 and len(set(others)) == len(others)
    states = space.read_states([str(DATA / "f2fs-6.12/table")], str(DATA / "f2fs-6.12"), None)
    runs, fill, _, types = space.make(states, None).axes[:4]
    assert [{to_hex(bar.get_facecolor()) for bar in axes.patches} for axes in (runs, fill, types)] == \
        [{space.FREE_LINE}, {space.SEGMENTS[1][2]}, {space.VALID, space.FREE}]
    over_time = space.make(states * 2, None).axes[3]
    assert [line.get_color() for line in over_time.lines] == [space.FREE_LINE, space.SEGMENTS[1][2], style.INK]


def test_space_over_time(capsys, monkeypatch):
    """Several moments, in the order of their times, whatever the order of the arguments."""
    document = state_json("6.12")
    for name, after, free in (("b", 60, 100), ("a", 0, 200), ("c", 90, 50)):
        document["time"] = START + after
        document["space"][0]["free_blocks"] = free
        Path(f"{name}.json").write_text(json.dumps(document))
    states = space.read_states(["b.json", "a.json", "c.json"], None, None)
    assert [state.uses()[3] for state in states] == [200, 100, 50]
    time_axes = space.make(states, None).axes[3]
    assert list(time_axes.lines[0].get_xdata()) == [0, 60, 90]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("b.json").read_bytes())))
    assert run("space", "-", "a.json", "-o", "x.svg") == 0
    assert capsys.readouterr().out == "wrote x.svg\n"
    assert "last of 2 moments in 1 min" in Path("x.svg").read_text()


def test_space_of_what_has_none(capsys):
    """What is no JSON of the viewer, or has no state, and volumes that are not there."""
    document = state_json("6.12")
    Path("good.json").write_text(json.dumps(document))
    refuses(capsys, 1, "has no state of F2FS; give --f2fs-state DIR, a folder with copies of F2FS's files, or JSON of fragtrace table --json", "space", str(DATA / "small.table"))
    refuses(capsys, 1, "nosuch: No such file", "space", "nosuch")
    Path("odd.json").write_text('{"volumes": 3}')
    refuses(capsys, 1, "odd.json: is not JSON of fragtrace table --json", "space", "odd.json")
    refuses(capsys, 1, "the volumes are /mnt: expected --volume", "space", "good.json", "--volume", "/other")
    assert run("space", "good.json", "--volume", "254:0") == 0
    Path("fragtrace-space.png").unlink()
    other = json.loads(json.dumps(document).replace("254:0", "254:16").replace('"/mnt"', '"/b"'))
    Path("other.json").write_text(json.dumps(other))
    capsys.readouterr()
    refuses(capsys, 1, "the volumes are /b, /mnt: expected --volume", "space", "good.json", "other.json")
    for name in "status", "segment_bits":
        shutil.copytree(DATA / "f2fs-6.12", name)
        os.remove(f"{name}/{name}")
        refuses(capsys, 1, f"table: not enough is known of F2FS: {name}/{name}: No such file or directory", "space",
                str(DATA / "f2fs-6.12/table"), "--f2fs-state", name)
    refuses(capsys, 1, "nosuch: No such file or directory; expected a folder", "space",
            str(DATA / "f2fs-6.12/table"), "--f2fs-state", "nosuch")


def test_bins_are_exact():
    """2^n - 1 and 2^n are in different bins, also at the limit of floating point."""
    values = np.array([1, 2, 3, 4, 7, 8, (1 << 47) - 1, 1 << 47])
    counts = distribution.log2_counts(values, 48)
    assert [counts[i] for i in (0, 1, 2, 3, 46, 47)] == [1, 2, 2, 1, 1, 1]


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
            tones = [[tone >> 16, tone >> 8 & 255, tone & 255] for tone in table(sst(110)).kinds[0].tones]
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
        animate.make(moments.series_of(["run"]), None, 5, REQUEST, None, 9, 1, 1 << 20, "a.gif")
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
