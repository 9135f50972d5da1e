# SPDX-License-Identifier: GPL-2.0-only
"""What the pictures of fragtrace-plot draw: bars, lines, labels and words, written by hand for small inputs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import fragsnap
from fragplot import animate, compare, distribution, history, moments, space
from plots import GROWING, HEAD, REQUEST, START, VIEWER, record, table

pytestmark = pytest.mark.usefixtures("somewhere_else")

def bars(axes: Axes) -> list[tuple]:
    """Left edge, lower edge, width, height of each bar."""
    return [tuple(round(value, 6) for value in (bar.get_x(), bar.get_y(), bar.get_width(), bar.get_height())) for bar in axes.patches]


def points(line) -> list[tuple[float, float]]:
    """What a line goes through."""
    return [(round(float(x), 6), round(float(y), 6)) for x, y in zip(*line.get_data())]


def written(axes: Axes) -> list[tuple[float, float, str]]:
    """The texts in axes, and where they are."""
    return [(*(round(float(part), 6) for part in text.get_position()), text.get_text()) for text in axes.texts]


def ticks(axis) -> dict[float, str]:
    """The labels of an axis by their places; those that are not seen are left out."""
    low, high = sorted(axis.get_view_interval())
    return {round(float(at), 6): label.get_text() for at, label in zip(axis.get_ticklocs(), axis.get_ticklabels()) if low <= at <= high}


def said(figure: Figure) -> list[str]:
    """The texts of the figure itself."""
    return [text.get_text() for text in figure.texts if text.get_text()]


def assert_all_is_inside(figure: Figure) -> None:
    """No panel is over another one, and nothing is cut at the edges; words of the figure are over no panel."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer, whole = canvas.get_renderer(), figure.bbox
    panels = [axes.get_window_extent(renderer) for axes in figure.axes]
    for axes, box in zip(figure.axes, panels):
        outer = axes.get_tightbbox(renderer)
        assert -1 <= outer.x0 and outer.x1 <= whole.width + 1 and -1 <= outer.y0 and outer.y1 <= whole.height + 1, (axes.get_title(loc="left"), outer)
        for other in panels:
            # both axes of a panel are at one place
            assert other is box or other.bounds == box.bounds or not box.overlaps(other), axes.get_title(loc="left")
        for text in figure.texts:
            assert not text.get_text() or not text.get_window_extent(renderer).overlaps(box), text.get_text()


# === space ===


def volume(**other: object) -> space.State:
    """Ten segments of ten blocks."""
    found = {"dev": "254:0", "segments": 10, "full_segments": 4, "dirty_segments": 3, "log_segments": 1, "empty_segments": 2,
             "data_blocks": 60, "watched_blocks": 40, "node_blocks": 20, "free_blocks": 20, "longest_free_run": 5, "notes": ["a note"],
             "free_runs": [{"from": 1, "runs": 3, "blocks": 3}, {"from": 4, "runs": 1, "blocks": 5}],
             "dirty_fill": [{"from": 1, "to": 5, "segments": 2}, {"from": 6, "to": 9, "segments": 1}],
             "types": [{"type": "hot_data", "valid_blocks": 30, "ssr_blocks": 10}, {"type": "warm_node", "valid_blocks": 20, "ssr_blocks": 0}]}
    return space.State("x", START, "/m", 10, 4096, found | other)


def test_space_at_a_moment():
    figure = space.make([volume()], None)
    runs, fill, use, types, share = figure.axes
    assert (bars(runs), written(runs)) == ([(-0.46, 0, 0.92, 3), (0.54, 0, 0.92, 0), (1.54, 0, 0.92, 1)], [(0, 3, "3"), (2, 1, "1")])
    assert ticks(runs.xaxis) == {0: "4 KiB", 1: "8 KiB", 2: "16 KiB"} and runs.get_ylim() == pytest.approx((0, 3.42))
    assert ticks(share.yaxis)[0.4] == "40%" and ticks(use.xaxis)[0.4] == "40%" and ticks(runs.yaxis)[3] == "3" and ticks(types.xaxis)[20] == "20"
    assert points(share.lines[0]) == [(0, 0.375), (1, 0.375), (2, 1)] and share.get_ylim() == (0, 1.14)
    assert (bars(fill), written(fill)) == ([(-0.46, 0, 0.92, 2), (0.54, 0, 0.92, 1)], [(0, 2, "2"), (1, 1, "1")])
    assert ticks(fill.xaxis) == {0: "1-5", 1: "6-9"} and fill.get_ylim() == pytest.approx((0, 2.28)) and fill.get_xlabel() == "valid blocks, of 10"
    blocks = [(0, -0.15, 0.4, 0.3), (0.4, -0.15, 0.2, 0.3), (0.6, -0.15, 0.2, 0.3), (0.8, -0.15, 0.2, 0.3)]
    segments = [(0, -1.15, 0.4, 0.3), (0.4, -1.15, 0.3, 0.3), (0.7, -1.15, 0.1, 0.3), (0.8, -1.15, 0.2, 0.3)]
    assert bars(use) == blocks + segments and ticks(use.yaxis) == {0: "blocks", -1: "segments"}
    assert [to_hex(bar.get_facecolor()) for bar in use.patches] == [
        "#1b5e9c", "#c9a227", "#8a7a6a", "#e9e9e9", "#4b2a7a", "#b07cc6", "#7fc4ad", "#e9e9e9"]
    names = [["watched files", "other data", "nodes", "free"], ["full", "dirty", "written by a log", "no valid blocks"]]
    assert written(use) == [place for row, counts in enumerate(([40, 20, 20, 20], [4, 3, 1, 2])) for i, count in enumerate(counts)
                            for place in ((i / 4, -row - 0.3, str(count)), (i / 4, -row - 0.42, f"■ {names[row][i]}"), (i / 4, -row - 0.42, "■"))]
    assert use.get_ylim() == (-1.55, 0.3) and use.get_xlim() == (0, 1)
    assert bars(types) == [(0, -0.35, 30, 0.7), (0, -1.35, 20, 0.7), (30, -0.35, 10, 0.7), (20, -1.35, 0, 0.7)]
    assert ticks(types.yaxis) == {0: "hot data", -1: "warm node"}
    assert [text.get_text() for text in types.get_legend().get_texts()] == ["valid", "free, room for SSR"]
    assert said(figure) == ["Free space of /m", "2026-11-21 03:42:03 UTC: 20 blocks not valid (80 KiB) in 4 runs, the longest has 5 blocks (20 KiB)",
                            "10 segments: 4 full, 3 dirty, 1 written by a log, 2 without valid blocks; a note"]
    assert_all_is_inside(figure)
    empty = space.make([volume(dirty_fill=[{"from": 1, "to": 9, "segments": 0}], free_runs=[])], "mine").axes
    assert written(empty[1]) == [(0.5, 0.5, "no segment is dirty")] and bars(empty[0]) == [(-0.46, 0, 0.92, 0)] and empty[1].get_ylim() == (0, 1)


def test_space_over_time():
    later = volume(free_blocks=0, node_blocks=40, dirty_segments=1, empty_segments=4, longest_free_run=8)
    later = space.State("y", START + 60, "/m", 10, 4096, later.space)
    figure = space.make([volume(), later], None)
    use, segments = figure.axes[2:4]
    # both edges of each area at the end
    assert [sorted({round(float(y), 6) for x, y in area.get_paths()[0].vertices if x == 60}) for area in use.collections] == [
        [0, 0.4], [0.4, 0.6], [0.6, 1], [1]]
    assert [to_hex(area.get_facecolor()[0]) for area in use.collections] == ["#1b5e9c", "#c9a227", "#8a7a6a", "#e9e9e9"]
    assert [text.get_text() for text in use.get_legend().get_texts()] == ["watched files", "other data", "nodes", "free"]
    assert [points(line) for line in segments.lines] == [[(0, 2), (60, 4)], [(0, 3), (60, 1)], [(0, 0.5), (60, 0.8)]]
    assert [(line.get_color(), line.get_label()) for line in segments.lines] == [
        ("#7d7d7d", "segments without valid blocks"), ("#b07cc6", "dirty segments"), ("#202020", "longest free run")]
    assert list(ticks(use.yaxis).values())[::5] == ["0%", "100%"] and list(ticks(use.yaxis))[::5] == [0, 1]
    assert use.get_ylim() == (0, 1) and segments.get_ylim()[0] == 0 and use.get_xlim() == segments.get_xlim() == (0, 60)
    assert ", the last of 2 moments in 1 min: 0 blocks not valid" in said(figure)[1]
    assert_all_is_inside(figure)


def test_sizes_of_free_runs_do_not_touch():
    one = volume()
    one.space["free_runs"].append({"from": 1 << 19, "runs": 1, "blocks": 1 << 19})
    figure = space.make([one], None)
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in figure.axes[0].get_xticklabels()]
    assert len(boxes) == 7 and all(left.x1 + 4 < right.x0 for left, right in zip(boxes, boxes[1:])), boxes


def test_where_the_viewer_is(monkeypatch):
    """In this build; else beside this program; else in PATH."""
    assert fragsnap.find_program() == str(VIEWER / "fragtrace")
    for folder in "beside", "path":
        os.mkdir(folder)
        Path(folder, "fragtrace").touch(0o755)
    monkeypatch.setattr(fragsnap, "__file__", "/nowhere/python/fragsnap.py")
    Path("beside/fragtrace-plot").touch()
    monkeypatch.setattr("sys.argv", [os.path.abspath("beside/fragtrace-plot")])
    monkeypatch.setenv("PATH", os.path.abspath("path"))
    assert fragsnap.find_program() == os.path.abspath("beside/fragtrace")
    Path("beside/fragtrace").unlink()
    assert fragsnap.find_program() == os.path.abspath("path/fragtrace")
    Path("path/fragtrace").unlink()
    with pytest.raises(fragsnap.SnapError, match="fragtrace: is not installed"):
        fragsnap.find_program()


# === distribution ===

# fragments of 1, 2 and 8 blocks, 9 and 88 blocks apart; and one of 2 blocks
SIZES = ("254:0 100 1 0 5 fragmented /mnt/a.sst\n254:0 110 2 1 5 fragmented /mnt/a.sst\n254:0 200 8 3 5 fragmented /mnt/a.sst\n"
         "254:0 300 2 0 6 contiguous /mnt/b.log\n")
KIB = ["4 KiB", "8 KiB", "16 KiB", "32 KiB", "64 KiB", "128 KiB", "256 KiB", "512 KiB"]


def test_distribution_by_hand():
    figure = distribution.make(moments.Moment("t", START), table(SIZES), False, 5, REQUEST, None)
    sizes, distances, size_shares, distance_shares = figure.axes
    # bars of .sst, then those of .log on them; a bin is a power of two
    assert bars(sizes)[:7] == [(0, 0, 0.92, 1), (1, 0, 0.92, 1), (2, 0, 0.92, 0), (3, 0, 0.92, 1), (4, 0, 0.92, 0), (5, 0, 0.92, 0), (6, 0, 0.92, 0)]
    assert bars(sizes)[8] == (1, 1, 0.92, 1) and len(sizes.patches) == 14
    assert [bar for bar in bars(distances) if bar[3]] == [(3, 0, 0.92, 1), (6, 0, 0.92, 1)]
    assert written(sizes) == [(0.46, 1, "1"), (1.46, 2, "2"), (3.46, 1, "1"), (4.92, 1, "128 KiB")]
    assert written(distances) == [(3.46, 1, "1"), (6.46, 1, "1"), (4.92, 1, "128 KiB")]
    third = pytest.approx(1 / 3), pytest.approx(2 / 3)
    assert [[(x, y) for x, y in points(line) if x < 20] for line in size_shares.lines[:2]] == [
        [(0, 0), (0, third[0]), (1, third[1]), (3, 1)], [(1, 0), (1, 1)]]
    assert [[(x, y) for x, y in points(line) if x < 20] for line in distance_shares.lines[:1]] == [
        [(round(float(np.log2(9)), 6), 0), (round(float(np.log2(9)), 6), 0.5), (round(float(np.log2(88)), 6), 1)]]
    for axes, high in (sizes, 2.28), (distances, 1.14), (size_shares, 1.03), (distance_shares, 1.03):
        assert axes.get_ylim() == pytest.approx((0, high)) and axes.get_xlim() == pytest.approx((-0.15, 7.05))
        assert list(ticks(axes.xaxis).values()) == KIB and list(ticks(axes.xaxis)) == list(range(8))
        assert ticks(axes.yaxis)[1] == ("1" if high > 1.1 else "100%")
        assert {x for x, _ in points(axes.lines[-1])} == {5} and axes.lines[-1].get_color() == "#a02c2c"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["", "", ".sst: 3 fragments", ".log: 1 fragment"]
    tones = ["#0d9a58", "#5e9ee9"]
    assert [to_hex(sizes.patches[i].get_facecolor()) for i in (0, 7)] == tones == [line.get_color() for line in size_shares.lines[:2]]
    assert [to_hex(handle.get_facecolor()) for handle in figure.legends[0].get_patches()] == tones
    assert [line.get_color() for line in figure.legends[0].get_lines()] == tones
    # without colour: bars by hatches, lines by dashes
    assert len({sizes.patches[i].get_hatch() or "" for i in (0, 7)}) == len({str(line.get_linestyle()) for line in size_shares.lines[:2]}) == 2
    assert said(figure) == ["Fragments of /mnt/my disk", "2026-11-21 03:42:03 UTC: 2 files, 1 fragmented; 52 KiB",
                            "4 of 4 fragments (100 %) smaller than 128 KiB, the red line",
                            "bars: from one power of two up to the next; lines: shares of each extension"]
    assert_all_is_inside(figure)
    empty = distribution.make(moments.Moment("t", START), table(""), False, 5, REQUEST, None)
    assert [written(axes)[0][2] for axes in empty.axes] == ["no file has a block", "no file has two fragments"] * 2
    assert [written(axes)[0][:2] for axes in empty.axes] == [(0.5, 0.5)] * 4 and not any(len(axes.get_yticks()) for axes in empty.axes)
    # a request of 2 blocks: only what is smaller counts
    assert "1 of 4 fragments (25 %) smaller than 8 KiB, the red line" in said(
        distribution.make(moments.Moment("t", START), table(SIZES), False, 5, 2 * 4096, "mine"))


# === history ===


def test_history_by_hand():
    """A file of fragments of 1 to 5 blocks, which is whole ten seconds later; then there is another one."""
    lbas, apart = (110, 120, 130, 140, 150), ""
    for i, lba in enumerate(lbas):
        apart += f"254:0 {lba} {i + 1} {i * (i + 1) // 2} 5 fragmented /mnt/a.sst\n"
    whole = "254:0 200 15 0 5 contiguous /mnt/a.sst\n"
    texts = {0.0: HEAD + apart, 10.0: HEAD + whole, 20.0: HEAD + whole + "254:0 300 1 0 6 contiguous /mnt/b.sst\n"}
    figure = history.make(moments.series_of([record("run", texts)]), None, 5, REQUEST, None)
    assert len(figure.axes) == 6
    for row, color in (0, "#404040"), (3, "#0d9a58"):
        counts, split, sizes = figure.axes[row:row + 3]
        assert [points(line) for line in counts.lines] == [[(0, 1), (10, 1), (20, 2)], [(0, 5), (10, 1), (20, 2)]]
        assert counts.lines[1].get_color() == color and counts.get_ylim() == pytest.approx((0, 5.6))
        assert [points(line) for line in split.lines[1:]] == [[(0, 5), (10, 1), (20, 1)]] and {y for _, y in points(split.lines[0])} == {1}
        assert split.get_ylim() == pytest.approx((1 - 0.06 * 4, 1 + 1.12 * 4))
        low, high, middle = (points(line) for line in sizes.lines[1:])
        assert (low, high, middle) == ([(0, 1), (10, 15), (20, 1)], [(0, 5), (10, 15), (20, 15)], [(0, 3), (10, 15), (20, 1)])
        assert {y for _, y in points(sizes.lines[0])} == {32} and sizes.lines[0].get_color() == "#a02c2c"
        assert sizes.get_ylim() == pytest.approx((0.7, 48)) and sizes.get_xlim() == (0, 20)
        band, = sizes.collections
        assert [band.get_paths()[0].contains_point((5, y)) for y in (0.9, 1.1, 4.9, 5.1)] == [False, True, True, False]
        assert [[text.get_text() for text in axes.texts] for axes in (counts, split, sizes)] == [["2"], ["1.00"], ["4 KiB"]]
        assert {text.xy for axes in (counts, split, sizes) for text in axes.texts} == {(20, 2), (20, 1)}
    assert [axes.get_title(loc="left") for axes in figure.axes[:3]] == [
        "fragments (line) and files (dashed)", "split factor at 128 KiB", "fragment size: 10, 50, 90 %"]
    assert said(figure)[:8] == ["all files", "2 files", "0 fragmented", "64 KiB", ".sst", "2 files", "0 fragmented", "64 KiB"]
    assert said(figure)[8:10] == ["History of /mnt/my disk", "2026-11-21 03:42:03 UTC, 20 s, 3 tables; "
                                  "numbers at the left and right ends are those of the last table"]
    for count, title in (1, "fragments and files (pale)"), (2, "fragments (line) and files (dashed)"):
        first = moments.series_of([f"run/{name}" for name in sorted(os.listdir("run"))[:count]])
        assert history.make(first, None, 5, REQUEST, None).axes[0].get_title(loc="left") == title
    # 1.15 inches for the heading, 1.2 for each row, 0.55 for the axis, and 0.3 for the titles
    assert tuple(figure.get_size_inches()) == pytest.approx((12, 4.4))
    assert ticks(figure.axes[3].xaxis) == {0: "0", 5: "5", 10: "10", 15: "15", 20: "20"}
    longer = history.make(moments.series_of([record("run", texts)]), None, 5, 8 * 4096, None)
    assert longer.axes[2].get_ylim() == pytest.approx((0.7, 22.5)), "the longest fragment is longer than a request"
    assert figure.axes[3].get_xlabel() == "time since the beginning [seconds]"
    assert_all_is_inside(figure)


# === compare, animate ===


def test_compare_by_hand(monkeypatch):
    """Two blocks stay, one moves, one is new, one goes."""
    rooms: list[int] = []
    old = compare.draw_legend
    monkeypatch.setattr(compare, "draw_legend", lambda canvas, x, y, width, entries: (rooms.append(x + width), old(canvas, x, y, width, entries))[1])
    before = HEAD + "254:0 110 2 0 5 fragmented /mnt/a.sst\n254:0 120 1 2 5 fragmented /mnt/a.sst\n254:0 130 1 0 6 contiguous /mnt/b.log\n"
    after = HEAD + "254:0 110 3 0 5 contiguous /mnt/a.sst\n254:0 140 1 0 7 contiguous /mnt/c.log\n"
    series = moments.series_of([record("run", {0.0: before, 60.0: after})])
    figure = compare.make(series, list(moments.read_series(series)), START, False, 5, REQUEST, None)
    words = said(figure)
    assert words[:2] == ["/mnt/my disk, two moments", "2026-11-21 03:42:03 UTC and 1 min later; a row is 1 segment (32 blocks), "
                         "a cell 1 block of 4 KiB; hatched: 27 segments with nothing watched"]
    at = words.index("The beginning")
    assert words[at:at + 6] == ["The beginning", "2 files, 1 fragmented, 3 fragments, split factor 1.50 at 128 KiB",
                                "1 min after the beginning", "2 files, 0 fragmented, 2 fragments, split factor 1.00 at 128 KiB",
                                "Difference", "what is at each place now, and where it was before"]
    heads = ["files", "fragmented", "data", "stayed", "moved", "new", "gone", "fragments", "the same", "split factor"]
    at = words.index("files")
    assert words[at:at + 10] == heads
    rows = [words[i:i + 11] for i in range(at + 10, len(words), 11)]
    assert rows == [[".sst", "1 → 1", "1 → 0", "12 KiB → 12 KiB", "8 KiB", "4 KiB", "-", "-", "2 → 1", "-", "2.00 → 1.00"],
                    [".log", "1 → 1", "0 → 0", "4 KiB → 4 KiB", "-", "-", "4 KiB", "4 KiB", "1 → 1", "-", "1.00 → 1.00"],
                    ["all files", "2 → 2", "1 → 0", "16 KiB → 16 KiB", "8 KiB", "4 KiB", "4 KiB", "4 KiB", "3 → 2", "-", "1.50 → 1.00"]]
    # the numbers of a column end below its head, and columns are from the left to the right
    ends = [text.get_position()[0] for text in figure.texts if text.get_ha() == "right" and text.get_text()]
    assert len(ends) == 40 and ends == ends[:10] * 4 and ends[:10] == sorted(ends[:10]) and ends[9] < 1
    # the legends: boxes of 14 x 11 pixels, 15 apart, and a name 4 pixels after them
    width, height = figure.bbox.width, figure.bbox.height
    boxes = [(round(box.get_x() * width), round((1 - box.get_y()) * height - box.get_height() * height), round(box.get_width() * width),
              round(box.get_height() * height), to_hex(box.get_facecolor())) for box in figure.artists]
    names = {(text.get_text(), round(text.get_position()[0] * width), round((1 - text.get_position()[1]) * height)) for text in figure.texts}
    top, right = boxes[0][1], 92 + 2 * (figure.axes[0].images[0].get_array().shape[1] * round(figure.axes[0].bbox.width / 32) + 22)
    tones = ["#98f7c6", "#0d9a58", "#003423", "#c1d9cf", "#9ac5fd", "#5e9ee9", "#045b81", "#ccdfed", "#ffffff"]
    places = [92, 107, 122, 137, 205, 220, 235, 250, 318]
    changes = [("stayed", "#c4c4c4"), ("moved here", "#8822ee"), ("new here", "#123f7a"), ("freed", "#dba0bb")]
    at = [right + sum(37 + 7.5 * len(name) for name, _ in changes[:i]) for i in range(4)]
    assert boxes == [(x, top, 14, 11, tone) for x, tone in [*zip(places, tones), *((round(x), tone) for x, (_, tone) in zip(at, changes))]]
    for name, end in (".sst", 152), (".log", 265), ("free, or not watched", 333), *((name, round(x) + 15) for x, (name, _) in zip(at, changes)):
        assert names & {(name, end + 4 + more, top - 2) for more in (-1, 0, 1)}, (name, names)
    assert rooms == [round(figure.axes[1].bbox.x1)], "the legend ends where the second picture does"
    # a row of 32 cells: the second block of its segment is at 100 + 32, and so on
    first, second, changes = (np.asarray(axes.images[0].get_array()) for axes in figure.axes)
    seen = [[(int(y), int(x)) for y, x in zip(*np.nonzero((picture != 255).any(axis=2)))] for picture in (first, second, changes)]
    places = [[(0, 10), (0, 11), (0, 20), (0, 30)], [(0, 10), (0, 11), (0, 12), (1, 8)], [(0, 10), (0, 11), (0, 12), (0, 20), (0, 30), (1, 8)]]
    assert [[place for place in found if place[0] < 2] for found in seen] == places
    tones = {place: "#" + bytes(changes[place]).hex() for place in places[2]}
    assert tones == {(0, 10): "#c4c4c4", (0, 11): "#c4c4c4", (0, 12): "#8822ee", (1, 8): "#123f7a", (0, 20): "#dba0bb", (0, 30): "#dba0bb"}
    assert_all_is_inside(figure)


def test_a_table_without_volumes():
    """Its picture says so in the middle of each frame."""
    series = moments.series_of([record("run", {0.0: "# fragtrace table 1\n", 9.0: "# fragtrace table 1\n"})])
    figure = compare.make(series, list(moments.read_series(series)), START, False, 5, REQUEST, None)
    assert [written(axes) for axes in figure.axes] == [[(0.5, 0.5, "no volume")]] * 3
    assert {text.get_ha() + text.get_va() for axes in figure.axes for text in axes.texts} == {"centercenter"}


def test_the_curve_below_an_animation(monkeypatch):
    """The number of fragments over time, with a line at the moment of each picture."""
    kept: list[animate.Canvas] = []

    class Kept(animate.Canvas):
        """Remembers itself."""

        def __init__(self, width: int, height: int) -> None:
            super().__init__(width, height)
            kept.append(self)

    monkeypatch.setattr(animate, "Canvas", Kept)
    series = moments.series_of([record("run", GROWING)])
    frames, rows, groups = animate.read_frames(animate.chosen(series, 10), None, 5, REQUEST)
    background = animate.background_of(frames, rows, None, animate.ByKind(groups), len(groups), None)
    figure = kept[0].figure
    curve = figure.axes[-1]
    assert points(curve.lines[0]) == [(10 * i, 0 if i < 1 else 1 if i < 2 else 2 if i < 9 else 3) for i in range(10)]
    assert curve.get_ylim() == pytest.approx((0, 3.3)) and curve.get_xlim() == (0, 90)
    assert_all_is_inside(figure)
    x, y, width, height = background.strip
    box = curve.get_window_extent()
    assert (round(box.x0), round(figure.bbox.height - box.y1), round(box.width), round(box.height)) == (x, y, width, height)
    plain = np.asarray(background.still).astype(int)
    for frame, image in zip(frames, animate.draw_frames(background, frames, REQUEST)):
        pixels = np.asarray(image.convert("RGB")).astype(int)
        changed = np.nonzero((abs(pixels[y + 1:y + height] - plain[y + 1:y + height]).sum(axis=2) > 60).sum(axis=0) > height // 2)[0]
        assert abs(changed.mean() - (x + (width - 1) * frame.seconds / 90)) <= 1, (frame.seconds, changed)
