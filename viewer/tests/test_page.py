#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the page of fragtrace-view, written by --html or served by --serve, in a headless Chromium; speaks KTAP.

usage: test_page.py PROGRAM [TEST...]

A test is a function test_NAME; it gets a Page, whose folder is its working directory.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Callable

import browser
import check_palette
import naive_space
from recorder import Model, Recorder, iso, record, record_gap, write_state
from serving import Server

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
PLAIN = ["-c", str(DATA / "plain.color.cnf"), "-i", str(DATA / "plain.img.cnf")]


class Page:
    """fragtrace-view and its page in a browser."""

    def __init__(self, view: str, chromium: browser.Browser) -> None:
        self.view = view
        self.browser = chromium
        self.js = chromium.js
        self.live: subprocess.Popen[bytes] | None = None
        self.server: Server | None = None

    def command(self, table: str | Path, *options: str) -> list[str]:
        return [self.view, "-t", str(table), "-o", "out.png", "--html", "page.html", *options]

    def write(self, table: str | Path, *options: str) -> None:
        """Write the page once and open it."""
        subprocess.run(self.command(table, *options), check=True)
        self.open()

    def keep_writing(self, table: str | Path, *options: str) -> None:
        """Write the page repeatedly, and open it."""
        self.live = subprocess.Popen(self.command(table, "-n", "0.2", *options))
        end = time.monotonic() + 20
        while not os.path.exists("page.html"):
            assert time.monotonic() < end, "no page"
            time.sleep(0.02)
        self.open()

    def open(self) -> None:
        self.browser.open(Path("page.html").absolute().as_uri())
        self.browser.until("document.querySelector('#picture').complete")
        self.data = json.loads(self.js("document.querySelector('#data').textContent"))

    def serve(self, table: str | Path, *options: str) -> None:
        """Serve the page and open it."""
        self.server = Server(self.view, table, *options)
        self.browser.open(self.server.url)
        self.data = json.loads(self.js("document.querySelector('#data').textContent"))
        self.browser.until("shown !== null")

    # === The map ===

    def map_place(self, lba: int) -> tuple[float, float]:
        """The position of a block in the window."""
        return tuple(self.js(f"""(() => {{
            const box = document.querySelector("#map").getBoundingClientRect();
            const cell = Math.floor(({lba} - view.first) / view.per), row = Math.floor(cell / view.columns);
            return [box.left + GUTTER + (cell % view.columns + 0.5) * view.cell, box.top + (row + 0.5) * view.height];
        }})()"""))

    def settle(self) -> None:
        """Wait until the map has drawn what it shows."""
        self.browser.until("MOVING.every(key => shown && shown[key] === view[key])")

    def map_point(self, lba: int, expected: str) -> None:
        """Point at a block, and wait for its text."""
        self.browser.point(*self.map_place(lba))
        self.browser.until("document.querySelector('#cell').textContent !== ''")
        expect(self.text("#cell").split("\n")[0], expected)

    def map_colour(self, lba: int) -> int:
        """The colour of a block on the map."""
        self.settle()
        x, y = self.map_place(lba)
        return self.js(f"""(() => {{
            const map = document.querySelector("#map"), box = map.getBoundingClientRect();
            const [r, g, b] = map.getContext("2d").getImageData({x} - box.left, {y} - box.top, 1, 1).data;
            return r << 16 | g << 8 | b;
        }})()""")

    def wheel(self, x: float, y: float, steps: int) -> None:
        """Turn the wheel by some steps; below 0 is closer."""
        for _ in range(abs(steps)):
            self.browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=60 if steps > 0 else -60)

    def shown(self) -> tuple[int, int, int, int]:
        """First block, blocks in a cell, columns and rows."""
        return tuple(self.js("[view.first, view.per, view.columns, view.rows]"))

    # === The picture ===

    def place(self, cell: int, volume: int = 0) -> tuple[float, float]:
        """The position of a cell in the window, after scrolling to it."""
        v, (pitch_x, pitch_y) = self.data["volumes"][volume], self.data["pitch"]
        column, row = cell % v["columns"], cell // v["columns"]
        if self.data["hilbert"]:
            column, row = hilbert(v["columns"], cell)
        width, height = self.data["cell"]
        return tuple(self.js(f"""(() => {{
            const box = () => document.querySelector("#picture").getBoundingClientRect();
            const view = document.querySelector("#view"), scale = box().width / {self.data["width"]};
            const y = {v["y"] + row * pitch_y + height / 2} * scale;
            view.scrollTop = y - view.clientHeight / 2;
            return [box().left + {v["x"] + column * pitch_x + width / 2} * scale, box().top + y];
        }})()"""))

    def point(self, cell: int, volume: int = 0) -> str:
        """The text of the page for a cell below the mouse."""
        self.browser.point(*self.place(cell, volume))
        return self.text("#cell")

    def segment(self, lba: int, n: int = 1) -> str:
        """The segments of some blocks, in words."""
        v = self.data["volumes"][0]
        first, last = ((block - v["main"]) // v["segment"] for block in (lba, lba + n - 1))
        return f"segment {first}" if first == last else f"segments {first}–{last}"

    def text(self, selector: str) -> str:
        return self.js(f"document.querySelector({json.dumps(selector)}).textContent")

    def paths(self) -> list[str]:
        """The files in the table, from the top."""
        return self.js("[...document.querySelectorAll('#rows bdi')].map(e => e.textContent)")

    def lit(self) -> list[str]:
        """The files whose rows are marked."""
        return self.js("[...document.querySelectorAll('tr.lit bdi')].map(e => e.textContent)")

    def veil(self, cell: int) -> int:
        """The darkness of a cell, 0 to 255."""
        v, (pitch_x, pitch_y) = self.data["volumes"][0], self.data["pitch"]
        column, row = cell % v["columns"], cell // v["columns"]
        if self.data["hilbert"]:
            column, row = hilbert(v["columns"], cell)
        width, height = self.data["cell"]
        x, y = v["x"] + column * pitch_x + width // 2, v["y"] + row * pitch_y + height // 2
        return self.js(f"document.querySelector('#light').getContext('2d').getImageData({x}, {y}, 1, 1).data[3]")


def hilbert(side: int, cell: int) -> tuple[int, int]:
    """Column and row on the curve, by its definition: four squares; the first and the last are turned."""
    if side == 1:
        return 0, 0
    half = side // 2
    quarter, rest = divmod(cell, half * half)
    x, y = hilbert(half, rest)
    return [(y, x), (x, y + half), (x + half, y + half), (side - 1 - y, half - 1 - x)][quarter]


def blocks(table: Path) -> dict[int, tuple[int, str]]:
    """By block address: offset and path."""
    found = {}
    for line in table.read_text().splitlines():
        if not line.startswith("#"):
            _, lba, length, offset, _, _, path = line.split(" ", 6)
            for i in range(int(length)):
                found[int(lba) + i] = int(offset) + i, path.replace("\\040", " ")
    return found


def expect(got: object, expected: object) -> None:
    assert got == expected, f"expected {expected!r}, got {got!r}"


# === Content of cells ===

def check_cells(page: Page, table: Path, sample: int) -> None:
    """Point at cells that stand for a block or less, and compare with the table."""
    truth = blocks(table)
    volume = page.data["volumes"][0]
    per_block, per_cell = page.data["unitsPerBlock"], page.data["unitsPerCell"]
    cells = range(volume["cells"])
    chosen = random.Random(1).sample(cells, min(sample, len(cells)))
    # and the first block of all files
    chosen += [(lba - volume["lba"]) * per_block // per_cell for lba, (offset, _) in truth.items() if not offset][:20]
    for cell in chosen:
        lba = volume["lba"] + cell * per_cell // per_block
        offset, path = truth.get(lba, (0, ""))
        first = page.point(cell).split("\n")[0]
        if per_cell <= per_block:
            place = f"LBA {lba} · {page.segment(lba)} · "
            expect(first, place + (f"offset {offset} · {path}" if path else "free, or not watched"))
        else:
            assert first.startswith(f"LBA {lba}"), f"{first} does not begin with {lba}"
            assert first.endswith(path or "free, or not watched"), f"{first}: {path}"


def test_boxes(page: Page) -> None:
    page.write(DATA / "small.table", *PLAIN)
    check_cells(page, DATA / "small.table", 64)


def test_boxes_several_in_a_cell(page: Page) -> None:
    page.write(DATA / "small.table", "-c", str(DATA / "plain.color.cnf"), "--layout", "hilbert", "--cell", "8")
    check_cells(page, DATA / "small.table", 64)


def test_segments(page: Page) -> None:
    page.write(DATA / "small.table", "-c", str(DATA / "plain.color.cnf"), "--layout", "segments")
    check_cells(page, DATA / "small.table", 64)


def test_big_volume(page: Page) -> None:
    Path("i.cnf").write_text("max_length 0\n")
    for layout in "segments", "hilbert":
        page.write(DATA / "rocksdb2.table", "--layout", layout, "-i", "i.cnf")
        check_cells(page, DATA / "rocksdb2.table", 40)


def test_folded_rows(page: Page) -> None:
    page.write(DATA / "rocksdb2.table", "--layout", "segments")
    volume = page.data["volumes"][0]
    assert volume["rows"] < 200, f"{volume['rows']} rows for 65 segments that are not empty"
    # 5167 segments after the first one that is not empty
    expect(page.point(volume["columns"] * 2 + 5), "LBA 38400–2683903, folded · segments 4–5170 · free, or not watched")


def test_folded(page: Page) -> None:
    Path("i.cnf").write_text("max_length 4\nstub 2\n")
    page.write(DATA / "small.table", "-i", "i.cnf")
    volume, truth = page.data["volumes"][0], blocks(DATA / "small.table")
    flat, at, lba, seen = volume["pieces"], 0, volume["lba"], 0
    for owner, n, offset, units, _ in zip(*[iter(flat)] * 5):
        if owner >= 0:
            expect((offset, page.data["files"][owner][0].removesuffix(" (deleted)")),
                   (truth[lba][0], truth[lba][1].removesuffix(" (deleted)")))
        if units and owner >= 0:
            lbas, offsets = (f"{a}–{a + n - 1}" if n > 1 else f"{a}" for a in (lba, offset))
            expect(page.point(at), f"LBA {lbas}, folded · {page.segment(lba, n)} · offset {offsets} · {page.data['files'][owner][0]}")
            seen += 1
        at += units or n
        lba += n
    assert seen, "nothing was folded"
    expect(at, volume["cells"])
    expect(lba, 164)


def test_colour_of_a_cell_is_that_of_its_file(page: Page) -> None:
    page.write(DATA / "small.table", *PLAIN)
    volume, rules = page.data["volumes"][0], {"#00aa00": ".sst", "#ff8800": ".sst", "#aa4400": ".sst", "#0000ff": ".log"}
    seen = set()
    for cell in range(volume["cells"]):
        x, y = (volume[k] + cell // d * p + 2 if k == "y" else volume[k] + cell % d * p + 2
                for k, d, p in (("x", volume["columns"], page.data["pitch"][0]),
                                ("y", volume["columns"], page.data["pitch"][1])))
        colour = subprocess.run([HERE.parent / "build/pngpeek", "out.png", str(x), str(y)], check=True, capture_output=True,
                                text=True).stdout.strip()
        said = page.point(cell)
        if colour in rules:
            assert rules[colour] in said, f"{colour}: {said}"
            seen.add(colour)
        else:
            assert ".log" not in said, f"{colour}: {said}"
    expect(seen, set(rules))


def test_two_volumes(page: Page) -> None:
    page.write(DATA / "two.table", *PLAIN)
    expect(page.text("#volumes"), "/mnt/a, /mnt/my disk")
    first = page.data["volumes"][1]["lba"]
    assert page.point(0, 1).startswith(f"LBA {first} "), page.point(0, 1)


# === Clicks and keys ===

def test_click_on_a_cell(page: Page) -> None:
    page.write(DATA / "small.table", *PLAIN)
    page.browser.click(*page.place(8))
    expect(page.lit(), ["/mnt/f2fs/000002.sst"])
    # blocks 105 to 110 belong to the file
    expect([page.veil(cell) == 0 for cell in range(3, 13)], [False] * 2 + [True] * 6 + [False] * 2)
    page.browser.click(*page.place(22))
    expect(page.lit(), ["/mnt/f2fs/my file.log"])
    page.browser.click(*page.place(15))
    expect(page.lit(), [])
    expect(page.veil(8), 0)
    expect(page.veil(50), 0)


def test_click_on_a_file(page: Page) -> None:
    page.write(DATA / "small.table", *PLAIN)
    page.browser.click_on("#rows tr:nth-child(1) button")
    expect(page.lit(), ["/mnt/f2fs/000002.sst"])
    expect([page.veil(cell) == 0 for cell in range(3, 13)], [False] * 2 + [True] * 6 + [False] * 2)
    expect(page.text("#cell"), "/mnt/f2fs/000002.sst · 6 blocks in 3 fragments")
    page.browser.click_on("#rows tr:nth-child(1) button")
    expect(page.lit(), [])


def test_click_on_a_file_scrolls_to_it(page: Page) -> None:
    page.write(DATA / "rocksdb2.table", "-c", "rocksdb", "-i", "rocksdb")
    seen = """(() => {
        const box = document.querySelector("#picture").getBoundingClientRect();
        const view = document.querySelector("#view").getBoundingClientRect();
        const y = box.top + %d * box.width / %d;
        return y > view.top && y < view.bottom;
    })()"""
    volume = page.data["volumes"][0]
    flat, at, last = volume["pieces"], 0, (0, 0)
    owners = [o for o in flat[::5] if o >= 0]
    for owner, n, _, units, _ in zip(*[iter(flat)] * 5):
        if owner >= 0 and owners.count(owner) == 1:
            last = owner, at
        at += units or n
    owner, cell = last
    y = volume["y"] + cell // volume["columns"] * page.data["pitch"][1]
    assert not page.js(seen % (y, page.data["width"])), "the last file is in sight already"
    page.browser.click_on(f"#rows tr:nth-child({owner + 1}) button")
    assert page.js(seen % (y, page.data["width"])), "the file that was clicked is out of sight"


def test_click_in_a_square(page: Page) -> None:
    page.write(DATA / "small.table", "-c", str(DATA / "plain.color.cnf"), "--layout", "hilbert", "--cell", "8")
    page.browser.click_on("#rows tr:nth-child(1) button")
    per_block, per_cell = page.data["unitsPerBlock"], page.data["unitsPerCell"]
    own = {u // per_cell for u in range(5 * per_block, 11 * per_block)}
    cells = range(page.data["volumes"][0]["cells"])
    expect({c for c in cells if page.veil(c) == 0}, own)


def test_keys_alone(page: Page) -> None:
    page.write(DATA / "small.table", *PLAIN)
    page.js("document.querySelector('#stage').focus()")
    for _ in range(6):
        page.browser.key("ArrowRight")
    expect(page.text("#cell"), "LBA 105 · segment 0 · offset 0 · /mnt/f2fs/000002.sst")
    page.browser.key("ArrowUp")
    page.browser.key("ArrowLeft")
    expect(page.text("#cell"), "LBA 104 · segment 0 · offset 4 · /mnt/f2fs/000001.sst")
    page.browser.key("Enter")
    expect(page.lit(), ["/mnt/f2fs/000001.sst"])
    page.browser.key("Escape")
    expect(page.lit(), [])
    # from the picture: search field, size, the five headings, the first file
    for _ in range(8):
        page.browser.key("Tab")
    page.browser.key("Enter")
    expect(page.lit(), ["/mnt/f2fs/000002.sst"])
    expect(page.js("document.activeElement.dataset.key"), "254:0 5")


def test_sorting(page: Page) -> None:
    page.write(DATA / "rocksdb2.table")
    expect(page.paths()[:2], ["/mnt/f2fs/db/LOG", "/mnt/f2fs/db/MANIFEST-000071"])
    columns = page.js("[...document.querySelectorAll('#head th')].map(e => e.dataset.key)")
    for number, column in enumerate(columns):
        before = page.js(f"document.querySelectorAll('#head th')[{number}].getAttribute('aria-sort')")
        for _ in range(2):
            page.browser.click_on(f"#head th:nth-child({number + 1}) button")
            order = page.js(f"document.querySelectorAll('#head th')[{number}].getAttribute('aria-sort')")
            assert order != before
            before = order
            values = page.js(f"[...document.querySelectorAll('#rows td:nth-child({number + 1})')].map(e => e.textContent)")
            expect(len(values), 33)
            if column != "path":
                values = [float(v.replace(",", "")) for v in values]
            expect(values, sorted(values, reverse=order == "descending"))


def test_causes(page: Page) -> None:
    with open("why", "wb") as stream:
        subprocess.run([sys.executable, str(HERE / "to_snapshot.py"), str(DATA / "why.table")], stdout=stream, check=True)
    page.write("why", "-i", str(DATA / "plain.img.cnf"), "--color-by", "cause")
    # the most frequent cause of a file, and the first one among equals
    expect({path.rsplit("/")[-1]: color for path, *_, color in page.data["files"]},
           {"LOG": "#1332fb", "000004.sst": "#1332fb", "000001.sst": "#45ef66", "000002.sst": "#45ef66", "a.db": "#b4220d",
            "b.db": "#fb5c1f", "000003.sst": "#c8c8c8"})
    wrote = ", which last wrote 5 seconds before this reading"
    expect(page.point(0), "LBA 1000 · segment 0 · offset 0 · /mnt/f2fs/db/000001.sst\n"
           f"written by rocksdb:low (pid 812){wrote}")
    tail = "tail (the last block rewritten after the file was cut within it), asked for by fsync, fdatasync, sync or " \
        "the like; the block does not follow because the log had gone on to other blocks, of another file or of this one"
    expect(page.point(10), "LBA 1010 · segment 0 · offset 8 · /mnt/f2fs/db/000001.sst\n"
                           f"broken before it: {tail}; by rocksdb:low (pid 812){wrote}")
    # the rest of the fragment, after a hole
    expect(page.point(121), "LBA 1121 · segment 1 · offset 20 · /mnt/f2fs/db/000004.sst\n"
                            f"broken before it: {tail}; by rocksdb:low (pid 812){wrote}")
    expect(page.point(210).split("\n")[1], "broken before it: gc_bg (moved by garbage collection in the background); the "
           "block does not follow because one of the two was rewritten or moved away")
    expect(page.point(150), "LBA 1150 · segment 1 · free, or not watched")


def test_finding(page: Page) -> None:
    page.write(DATA / "rocksdb2.table")
    page.browser.click_on("#find")
    page.browser.write("MANI")
    expect(page.paths(), ["/mnt/f2fs/db/MANIFEST-000071"])
    # a hidden file becomes visible when its cell is clicked
    flat = page.data["volumes"][0]["pieces"]
    at, files = 0, page.data["files"]
    for owner, n, _, units, _ in zip(*[iter(flat)] * 5):
        if owner >= 0 and files[owner][0].endswith("OPTIONS-000007"):
            break
        at += units or n
    page.browser.click(*page.place(at // page.data["unitsPerCell"]))
    expect(page.lit(), ["/mnt/f2fs/db/OPTIONS-000007"])
    expect(page.js("document.querySelector('#find').value"), "")


# === The map ===

SAME = "default #777777 #777777 #777777\n.rdb #00aa00 #00aa00 #00aa00\n.aof #0000ff #0000ff #0000ff\n"


def open_map(page: Page, served: bool, table: Path, *options: str) -> None:
    """Show the map of a served page, or of one in a file."""
    if served:
        page.serve(table, *options)
    else:
        page.write(table, *options)
        page.browser.click_on("#toMap")
    page.settle()


def check_zoom(page: Page, served: bool) -> None:
    table = DATA / "redis.table"
    truth = blocks(table)
    # where two files meet
    lba = next(b for b in sorted(truth) if truth.get(b - 1, truth[b])[1] != truth[b][1] == truth.get(b + 1, (0, ""))[1])
    open_map(page, served, table)
    volume = page.data["volumes"][0]
    whole = first, per, columns, rows = page.shown()
    expect((first, per * columns * rows >= volume["end"] - volume["lba"]), (volume["lba"], True))
    # the wheel goes down to single blocks, and what is below the pointer was there before
    x, y = map(int, page.map_place(lba))
    below = f"""(() => {{
        const box = document.querySelector('#map').getBoundingClientRect();
        const cell = mapCell(...mapPlace({x} - box.left, {y} - box.top));
        return [cell.lba, cell.end];
    }})()"""
    while page.shown()[2] > 8:
        before, (first_before, end_before) = page.shown(), page.js(below)
        page.wheel(x, y, -1)
        now = page.shown()
        expect((now[1], now[2]), (before[1] // 2, before[2]) if before[1] > 1 else (1, before[2] // 2))
        page.settle()
        first_now, end_now = page.js(below)
        assert first_before <= first_now < end_now <= end_before, f"{first_now} was not in {first_before}, {end_before}"
    page.wheel(x, y, -3)
    expect(page.shown()[1:3], (1, 8))
    expect(page.js("document.querySelector('#closer').disabled"), True)
    page.settle()
    # go to the very block
    page.js(f"showBlock({lba}, true)")
    page.settle()
    offset, path = truth[lba]
    page.map_point(lba, f"LBA {lba} · {page.segment(lba)} · offset {offset} · {path}")
    page.map_point(lba + 1, f"LBA {lba + 1} · {page.segment(lba + 1)} · offset {offset + 1} · {path}")
    assert page.map_colour(lba) != 0xFFFFFF
    # a click lights up its file: others get grey
    first, per, columns, rows = page.shown()
    foreign = next(b for b in range(first, first + per * columns * rows) if b in truth and truth[b][1] != path)
    page.browser.point(1, 1)
    own, other = page.map_colour(lba), page.map_colour(foreign)
    page.browser.click(*page.map_place(lba))
    page.browser.until("document.querySelectorAll('tr.lit').length === 1 && shown.lit.some(Boolean)")
    page.browser.point(1, 1)
    expect(page.lit(), [path])
    grey = page.map_colour(foreign)
    expect((page.map_colour(lba), other != grey, grey % 0x10101), (own, True, 0))
    expect(page.text("#cell").split(" · ")[0], path)
    page.browser.key("Escape")
    page.browser.until("document.querySelectorAll('tr.lit').length === 0")
    # and back
    page.browser.click_on("#whole")
    expect(page.shown(), whole)


def test_zoom(page: Page) -> None:
    check_zoom(page, False)


def test_zoom_of_a_served_page(page: Page) -> None:
    check_zoom(page, True)
    assert page.server
    expect(page.js("document.querySelector('#modes').hidden"), True)


def check_drag_and_keys(page: Page, served: bool) -> None:
    open_map(page, served, DATA / "rocksdb2.table")
    volume = page.data["volumes"][0]
    page.js("document.querySelector('#map').focus()")
    whole = page.shown()
    page.browser.key("+", "+")
    page.browser.key("+", "+")
    assert page.shown()[1] == whole[1] // 4, page.shown()
    page.settle()
    first, per, columns, _ = page.shown()
    # what was taken hold of moves with the pointer
    x, y = page.map_place(first + (3 * columns + 5) * per)
    page.browser.mouse("mouseMoved", x, y)
    page.browser.mouse("mousePressed", x, y, button="left", clickCount=1)
    dx, dy = page.js("[2 * view.cell, -6 * view.height]")
    for part in 0.3, 0.7, 1:
        page.browser.mouse("mouseMoved", x + part * dx, y + part * dy, button="left")
    page.browser.mouse("mouseReleased", x + dx, y + dy, button="left", clickCount=1)
    expect((page.shown()[0] - first) // per, 6 * columns - 2)
    # a drag is no click
    expect(page.lit(), [])
    page.settle()
    page.browser.point(1, 1)
    page.js("document.querySelector('#map').focus()")
    first = page.shown()[0]
    page.browser.key("ArrowRight")
    page.browser.key("ArrowRight")
    page.browser.key("ArrowDown")
    expect(page.js("mapCursor.lba"), first + (columns + 1) * per)
    page.browser.until(f"document.querySelector('#cell').textContent.startsWith('LBA {first + (columns + 1) * per}')")
    page.browser.key("ArrowUp")
    page.browser.key("ArrowUp")
    expect(page.shown()[0], max(volume["lba"], first - columns * per))
    page.browser.key("-", "-")
    page.browser.key("0", "0")
    expect(page.shown(), whole)
    # nothing lies before or behind the volume
    page.browser.key("+", "+")
    for key in ("PageUp", "PageDown"):
        for _ in range(9):
            page.browser.key(key)
        first, per, columns, rows = page.shown()
        assert volume["lba"] <= first < volume["end"], (key, first)
    assert first + per * columns * rows >= volume["end"], "the end is out of reach"


def test_drag_and_keys(page: Page) -> None:
    check_drag_and_keys(page, False)


def test_drag_and_keys_of_a_served_page(page: Page) -> None:
    check_drag_and_keys(page, True)


def test_map_of_both_pages_is_the_same(page: Page) -> None:
    Path("c.cnf").write_text(SAME)
    seen = []
    for served in True, False:
        open_map(page, served, DATA / "redis.table", "-c", "./c.cnf")
        for first, per, n in (6656, 128, 4044), (186880, 1, 5000), (190001, 7, 900):
            cells = f"source.cells(data.volumes[0], {first}, {per}, {n})"
            seen.append(page.js(f"{cells}.then(c => [[...c.rgb], [...c.share].map(s => Math.ceil(1000 * s - 0.001))])"))
    for served, written in zip(seen[:3], seen[3:]):
        expect(written, served)
    assert len(set(seen[0][0])) > 5


def test_from_the_picture_to_the_map(page: Page) -> None:
    page.write(DATA / "rocksdb2.table", "--layout", "hilbert")
    page.js("document.querySelector('#stage').focus()")
    page.browser.key("ArrowRight")
    page.browser.key("+", "+")
    expect(page.js("document.querySelector('#map').hidden"), False)
    expect(page.shown()[1:3], (1, 32))
    page.settle()
    # a file of the list is shown where it begins
    page.browser.click_on("#rows tr:nth-child(1) button")
    page.browser.until("shown.lit.some(Boolean)")
    page.browser.click_on("#toPicture")
    expect(page.js("document.querySelector('#stage').hidden"), False)


def test_state_of_f2fs(page: Page) -> None:
    folder = Path("s")
    naive_space.make(folder, 4)
    segments, watched = naive_space.read_bits(folder), set(naive_space.read_table(folder))
    names = ("hot data", "warm data", "cold data", "hot nodes", "warm nodes", "cold nodes")
    found: dict[str, int] = {}
    for block in range(len(segments) * naive_space.BLKS):
        kind, bits, _ = segments[block // naive_space.BLKS]
        valid = bits[block % naive_space.BLKS]
        use = "offset" if block in watched else "free" if not valid else "node" if kind > 2 else "other data"
        segment = f"segment {block // naive_space.BLKS}" + (f" ({names[kind]})" if any(bits) else "")
        found.setdefault(use, naive_space.MAIN + block)
        if found[use] == naive_space.MAIN + block:
            found[use + " text"] = f"LBA {naive_space.MAIN + block} · {segment} · {use}"  # type: ignore[assignment]
    for served in False, True:
        open_map(page, served, folder / "table", "--f2fs-state", "s")
        for use in "offset", "free", "node", "other data":
            page.js(f"showBlock({found[use]}, true)")
            page.settle()
            page.browser.point(*page.map_place(found[use]))
            page.browser.until("document.querySelector('#cell').textContent.startsWith('LBA ')")
            said = page.text("#cell")
            assert said.startswith(str(found[use + " text"])) and "not watched" not in said.replace("that is not watched", ""), said
        assert "nodes" in page.text("#legend") and "free, or" not in page.text("#legend")


def test_counts_of_reads(page: Page) -> None:
    Path("table").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=100 blocks=300 segment_blocks=100 path=/m\n"
                             "254:0 110 96 0 4 contiguous /m/a.db\n")
    Path("heat").write_text("# fragtrace heat 1\n# windows blocks=32 period_secs=3600\n"
                            "254:0 4 0 1500 9 9 1 /m/a.db\n254:0 4 32 0 0 0 2 /m/a.db\n")
    open_map(page, True, Path("table"), "--color-by", "heat")
    colours = {110: 0x511B00, 141: 0x511B00, 142: 0x4A90D9, 173: 0x4A90D9, 174: 0xC4C4C4, 206: 0xFFFFFF}
    expect({block: page.map_colour(block) for block in colours}, colours)
    for block, counts in (110, "1,500 reads, 1 overwrite"), (150, "0 reads, 2 overwrites"), (180, "0 reads, 0 overwrites"):
        page.browser.point(*page.map_place(block))
        page.browser.until(f"document.querySelector('#cell').textContent.startsWith('LBA {block}')")
        expect(page.text("#cell").split("\n")[1], "its window: " + counts)


# === Light and dark ===

def contrast(page: Page, selector: str) -> float:
    """The contrast of a text with what is below it."""
    colours = page.js(f"""(() => {{
        let e = document.querySelector({json.dumps(selector)}), below = e;
        while (getComputedStyle(below).backgroundColor === "rgba(0, 0, 0, 0)")
            below = below.parentElement;
        return [getComputedStyle(e).color, getComputedStyle(below).backgroundColor].map(c => c.match(/[0-9]+/g).map(Number));
    }})()""")
    weights = 0.2126, 0.7152, 0.0722
    light = [sum(w * v for w, v in zip(weights, check_palette.linear(r << 16 | g << 8 | b))) for r, g, b in colours]
    return (max(light) + 0.05) / (min(light) + 0.05)


def test_dark(page: Page) -> None:
    Path("c.cnf").write_text("default #000000 #000000 #000000\n.sst #003423 #003423 #003423\n.log #9ac5fd #9ac5fd #9ac5fd\n")
    sst, log, other, free = 101, 122, 141, 120
    texts = "h1", "#summary", "#fresh", "#where", "#legend", "#cell", "#rows bdi", "th button", "#whole", "#clock", "#play", \
        "#refusal"
    # a recording of one table, for the texts of the player
    os.mkdir("run")
    shutil.copy(DATA / "small.table", "run/fragtrace-1000000000.000.table")
    open_map(page, True, Path("run"), "-c", "./c.cnf")
    truth = blocks(DATA / "small.table")
    free = next(b for b in range(100, 164) if b not in truth)
    sst, log, other = (next(b for b in sorted(truth) if end in truth[b][1]) for end in (".sst", ".log", "MANIFEST"))
    light = [page.map_colour(b) for b in (sst, log, other, free)]
    expect(light, [0x003423, 0x9AC5FD, 0, 0xFFFFFF])
    for selector in texts:
        assert contrast(page, selector) >= 4.5, (selector, contrast(page, selector))
    page.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    try:
        page.browser.until("document.documentElement.dataset.theme === 'dark'")
        dark = [page.map_colour(b) for b in (sst, log, other, free)]
        expect(dark, [check_palette.lightened(c) for c in light[:3]] + [0])
        for selector in texts:
            assert contrast(page, selector) >= 4.5, ("dark", selector, contrast(page, selector))
        # the user may want it otherwise, and the choice stays
        page.js("(() => { const t = document.querySelector('#theme'); t.value = 'light'; t.dispatchEvent(new Event('change')); })()")
        expect([page.map_colour(b) for b in (sst, log, other, free)], light)
        assert page.server
        page.browser.open(page.server.url)
        expect(page.js("document.documentElement.dataset.theme"), "light")
    finally:
        page.browser.call("Emulation.setEmulatedMedia", features=[])


# === The player ===

def follow(page: Page, folder: str) -> None:
    """Serve a recording, and wait until the player knows it."""
    page.serve(folder, *PLAIN[:2])
    page.browser.until("player.spans.length && player.last > player.first")
    # how many tables are asked for, and how many at a time
    page.js("""(() => {
        const old = window.fetch;
        window.asked = window.open = window.most = 0;
        window.fetch = async (url, ...more) => {
            if (!url.startsWith("table"))
                return old(url, ...more);
            asked++;
            most = Math.max(most, ++open);
            try { return await old(url, ...more); } finally { open--; }
        };
    })()""")


def until_at(page: Page, time_ms: int) -> None:
    """Wait until the page shows a moment, to its last cell."""
    page.browser.until(f"data.time === {time_ms} && Math.round(player.at) === {time_ms}")
    page.settle()
    assert page.server
    at = {"at": iso(time_ms * 10 ** 6)}
    volume = page.js("[view.first, view.per, shown.n]")
    flat = page.server.ask("cells", volume=0, **at, **dict(zip(("first", "per", "n"), volume)))["cells"]
    cells = [[rgb, share] for n, rgb, share in zip(*[iter(flat)] * 3) for _ in range(n)]
    page.browser.until(f"JSON.stringify([...shown.rgb].map((c, i) => [c, Math.round(shown.share[i] * 1000)])) === '{json.dumps(cells, separators=(',', ':'))}'")
    files = page.server.ask("files", n=100, **at)["files"]
    page.browser.until(f"document.querySelectorAll('#rows tr').length === {len(files)}")


def test_player(page: Page) -> None:
    recorder = record(Path("run"), 11)
    begin, end = recorder.truth[0][0] // 10 ** 6, recorder.truth[-1][0] // 10 ** 6
    follow(page, "run")
    expect(page.js("[player.first, player.last, player.at, player.spans.length]"), [begin, end, end, 3])
    expect(page.js("[time.min, time.max, time.value, speed.value].map(Number)"), [begin, end, end, 1])
    until_at(page, end)
    # the slider moves the picture
    before = page.js("[...shown.share].join()")
    page.browser.click_on("#time")
    middle = page.js("Number(time.value)")
    assert abs(middle - (begin + end) / 2) < (end - begin) / 50, (begin, middle, end)
    until_at(page, middle)
    assert page.js("[...shown.share].join()") != before
    # keys: a second of play, snapshots, the ends
    page.browser.key("ArrowRight")
    until_at(page, middle + 1000)
    page.browser.key("ArrowLeft")
    page.browser.key("ArrowLeft")
    until_at(page, middle - 1000)
    starts = page.js("player.spans.map(s => s[0])")
    after = next(s for s in starts if s > middle - 1000)
    page.browser.key("PageUp")
    until_at(page, after)
    page.browser.key("PageDown")
    until_at(page, starts[starts.index(after) - 1])
    page.browser.key("Home")
    until_at(page, begin)
    text = page.text("#clock")
    assert text.startswith(time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(begin // 1000))) and ", 0s of " in text, text
    expect(page.js("time.getAttribute('aria-valuetext')"), text)
    # a file stays lit up, and what is below the pointer is of the moment
    expect(page.js("[most, isLost]"), [1, False])


def test_play(page: Page) -> None:
    recorder = record(Path("run"), 12, 4)
    begin, end = recorder.truth[0][0] // 10 ** 6, recorder.truth[-1][0] // 10 ** 6
    follow(page, "run")
    # at the end, play begins at the beginning; the space bar works anywhere but in texts and buttons
    page.browser.key(" ", " ")
    page.browser.until("player.plays && data.time < player.last")
    expect((page.text("#play"), page.js("data.time >= player.first")), ("Pause", True))
    page.browser.until(f"data.time > {begin + 300}")
    page.browser.key(" ", " ")
    page.browser.until("!player.plays")
    stopped = page.js("player.at")
    time.sleep(0.3)
    expect((page.js("player.at"), page.text("#play")), (stopped, "Play"))
    page.js(f"jump({end - 4000})")
    until_at(page, end - 4000)
    page.js("(() => { speed.value = '1'; speed.dispatchEvent(new Event('change')); })()")
    asked, began = page.js("asked"), time.monotonic()
    page.browser.click_on("#play")
    page.browser.until("!player.plays && Math.round(player.at) === player.last", 60)
    seconds = time.monotonic() - began
    until_at(page, end)
    # as fast as it was, in many steps, one after the other
    assert 3.9 < seconds < 8, seconds
    assert page.js("asked") - asked > 5
    expect(page.js("[most, player.plays, isLost]"), [1, False, False])
    # slower answers make larger steps, and no queue
    page.js("(() => { const old = fetch; fetch = async (...a) => { await new Promise(r => setTimeout(r, 300)); return old(...a); }; })()")
    asked = page.js("asked")
    page.browser.click_on("#play")
    time.sleep(2)
    page.browser.key(" ", " ")
    page.browser.click_on("#play") if page.js("player.plays") else None
    assert 1 <= page.js("asked") - asked <= 5, page.js("asked") - asked
    expect(page.js("most"), 1)
    page.browser.click_on("#find")
    page.browser.write("f")
    page.browser.key(" ", " ")
    expect(page.js("[player.plays, document.querySelector('#find').value]"), [False, "f "])


def test_player_tells_ages(page: Page) -> None:
    """What a recording has only of its snapshots: how much older it is than the moment."""
    recorder = Recorder(Path("run"), Model(random.Random(5)))
    recorder.steps(9)
    recorder.copy(0)
    base_ms = recorder.model.time_ns // 10 ** 6
    (Path(f"{recorder.stem}.f2fs") / "254:0").mkdir(parents=True)
    write_state(Path(f"{recorder.stem}.f2fs") / "254:0", {block[3] for block in recorder.model.shown()})
    Path(f"{recorder.stem}.heat.zst").write_text("# fragtrace heat 1\n# windows blocks=64 period_secs=9\n", encoding="utf-8")
    recorder.model.time_ns += 40 * 10 ** 9
    recorder.steps(9)
    recorder.flush()
    recorder.write()
    page.serve("run", "--color-by", "heat")
    page.browser.until("player.spans.length && player.last > player.first")
    legend = page.text("#legend")
    for what in "state of F2FS", "counts of reads":
        assert f"{what}: {(page.js('data.time') - base_ms) // 1000} seconds older than this moment" in legend, legend
    page.js("jump(player.first)")
    until_at(page, base_ms)
    legend = page.text("#legend")
    for what in "state of F2FS", "counts of reads":
        assert f"{what}: of this moment" in legend, legend


def test_player_marks_gaps(page: Page) -> None:
    _, lost_at, in_gap, healed = record_gap(Path("run"), 5)
    follow(page, "run")
    (_, exact, lost), (healed_ms, _, _) = page.js("player.spans")
    expect((lost, healed_ms), (2, healed // 10 ** 6))
    colours = page.js("""(() => {
        const c = document.querySelector("#ticks"), ratio = c.width / c.clientWidth;
        return [player.spans[0][1] / 2 + player.spans[1][0] / 2, player.spans[1][1]].map(time =>
            [...c.getContext("2d").getImageData(Math.round(placeOnTrack(time, c.clientWidth) * ratio), c.height - 2, 1, 1).data]);
    })()""")
    expect(colours, [[0xA1, 0x2C, 0x00, 255], [0, 0, 0, 0]])
    page.js(f"jump({exact})")
    until_at(page, exact)
    asked = page.js("asked")
    page.js(f"jump({(exact + in_gap // 10 ** 6) // 2})")
    page.browser.until("document.querySelector('#refusal').textContent")
    said = page.text("#refusal")
    assert said.startswith("Nothing is exact here: 2 events lost, from ") and page.js("asked") == asked, said
    # what is not of that moment is faint
    expect(page.js("[getComputedStyle(map).opacity, data.time]"), ["0.35", exact])
    # play goes over it
    page.js("(() => { speed.value = '10'; speed.dispatchEvent(new Event('change')); })()")
    page.browser.click_on("#play")
    page.browser.until(f"data.time >= {healed_ms}")
    expect(page.js("[refusal.textContent, getComputedStyle(map).opacity]"), ["", "1"])
    # the server's own reason, where the page does not know yet
    page.js("(() => { pause(); player.spans.length = 1; })()")
    page.js(f"jump({(lost_at + in_gap) // 2 // 10 ** 6})")
    page.browser.until("/2 events were lost; the nearest/.test(document.querySelector('#refusal').textContent)")
    page.browser.complaints[:] = [c for c in page.browser.complaints if "404" not in c]
    expect(page.js("isLost"), False)


def test_player_follows_a_recording_that_grows(page: Page) -> None:
    recorder = record(Path("run"), 13)
    page.serve("run", "-n", "0.2")
    page.browser.until("player.spans.length === 3")
    last = page.js("player.last")
    recorder.copy(0)
    recorder.steps(20)
    recorder.flush()
    recorder.write()
    end = recorder.truth[-1][0] // 10 ** 6
    assert end > last
    page.browser.until(f"player.spans.length === 4 && player.last === {end} && data.time === {end} && Math.round(player.at) === {end}")
    # a moment stays
    page.js("jump(player.first)")
    page.browser.until("data.time === player.first")
    time.sleep(0.6)
    expect(page.js("[data.time, Math.round(player.at)]"), [page.js("player.first")] * 2)
    page.js("jump(player.last)")
    page.browser.until("moment === ''")


def test_player_is_for_recordings(page: Page) -> None:
    page.serve(DATA / "small.table")
    expect(page.js("[player.hidden === true, document.querySelector('#player').hidden]"), [False, True])
    assert page.server
    page.server.stop()
    page.write(DATA / "small.table")
    expect(page.js("document.querySelector('#player').hidden"), True)


# === Update ===

def replace(table: str, lines: list[str]) -> None:
    Path("new").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m\n" +
                           "".join(line + "\n" for line in lines))
    os.rename("new", table)


def test_renewal_keeps_what_was_chosen(page: Page) -> None:
    first = ["254:0 110 2 0 4 contiguous /m/a.sst", "254:0 120 1 0 5 contiguous /m/b.log"]
    replace("t", first)
    page.keep_writing("t", *PLAIN)
    page.js("window.sameDocument = true")
    page.browser.click_on("#head th:nth-child(1) button")
    page.browser.click(*page.place(10))
    expect(page.lit(), ["/m/a.sst"])
    page.browser.click_on("#find")
    page.browser.write("/m/")
    picture = page.js("document.querySelector('#picture').src")
    replace("t", ["254:0 110 2 0 4 fragmented /m/a.sst", "254:0 115 1 0 6 contiguous /m/0.log",
                  "254:0 120 1 0 5 contiguous /m/b.log", "254:0 130 3 2 4 fragmented /m/a.sst"])
    page.browser.until("document.querySelectorAll('#rows tr').length === 3")
    expect(page.paths(), ["/m/0.log", "/m/a.sst", "/m/b.log"])
    expect(page.lit(), ["/m/a.sst"])
    expect(page.js("document.querySelector('#find').value"), "/m/")
    expect([page.veil(c) == 0 for c in (10, 11, 12, 15, 29, 30, 32, 33)], [True] * 2 + [False] * 3 + [True] * 2 + [False])
    assert page.js("document.querySelector('#picture').src") != picture
    assert page.point(15).endswith("/m/0.log")
    expect(page.js("window.sameDocument"), True)
    assert "renewed every 0.2 s" in page.text("#fresh"), page.text("#fresh")
    # the selected file disappears
    replace("t", first[1:])
    page.browser.until("document.querySelectorAll('#rows tr').length === 1")
    page.browser.point(1, 1)
    expect(page.text("#cell"), "The file that was lit up is not there any more.")
    expect(page.veil(50), 0)
    # and all selections stay when the user reloads the page, too
    replace("t", first)
    page.browser.until("document.querySelectorAll('#rows tr').length === 2")
    page.open()
    expect(page.lit(), ["/m/a.sst"])
    expect(page.js("document.querySelector('#find').value"), "/m/")
    expect(page.paths(), ["/m/a.sst", "/m/b.log"])


def test_silence_is_told(page: Page) -> None:
    page.keep_writing(DATA / "small.table")
    assert page.live
    page.live.terminate()
    expect(page.live.wait(), 0)
    # the last page may not be loaded yet
    time.sleep(1)
    page.js("(() => { const now = Date.now; Date.now = () => now() + 60000; })()")
    page.browser.until("/nothing new for 6[0-9] s/.test(document.querySelector('#fresh').textContent)")
    # the old content stays
    assert page.paths()


def test_once_is_not_renewed(page: Page) -> None:
    page.write(DATA / "small.table")
    assert "renewed" not in page.text("#fresh")
    time.sleep(0.7)
    expect(page.js("document.querySelectorAll('iframe').length"), 0)


def test_renewal_of_a_served_page(page: Page) -> None:
    replace("t", ["254:0 110 2 0 4 contiguous /m/a.sst", "254:0 120 1 0 5 contiguous /m/b.log"])
    page.serve("t", "-n", "0.2", *PLAIN[:2])
    page.js("window.sameDocument = true")
    page.browser.click_on("#head th:nth-child(1) button")
    page.browser.until("document.querySelector('#head th').getAttribute('aria-sort') === 'ascending'")
    page.browser.click_on("#rows tr:nth-child(1) button")
    page.browser.until("document.querySelectorAll('tr.lit').length === 1 && shown.lit.some(Boolean)")
    page.browser.click_on("#closer")
    page.settle()
    shown = page.shown()
    replace("t", ["254:0 110 2 0 4 fragmented /m/a.sst", "254:0 115 1 0 6 contiguous /m/0.log",
                  "254:0 120 1 0 5 contiguous /m/b.log", "254:0 130 3 2 4 fragmented /m/a.sst"])
    page.browser.until("document.querySelectorAll('#rows tr').length === 3")
    expect(page.paths(), ["/m/0.log", "/m/a.sst", "/m/b.log"])
    expect((page.lit(), page.shown(), page.js("window.sameDocument")), (["/m/a.sst"], shown, True))
    page.browser.until("[...shown.lit].reduce((a, b) => a + b) === 5 / view.per || view.per > 1")
    expect(page.js("document.querySelectorAll('iframe').length"), 0)
    assert "renewed every 0.2 s" in page.text("#fresh"), page.text("#fresh")
    assert page.server
    page.server.stop()
    page.browser.until("/does not answer/.test(document.querySelector('#fresh').textContent)")
    expect(page.lit(), ["/m/a.sst"])
    # the browser itself complains about that
    page.browser.complaints[:] = [c for c in page.browser.complaints if "ERR_CONNECTION" not in c]


def test_served_list(page: Page) -> None:
    n = 7000
    with open("t", "w", encoding="ascii") as file:
        file.write(f"# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks={n * 8} segment_blocks=512 path=/m\n")
        file.writelines(f"254:0 {i * 8} {1 + i % 7} 0 {i + 4} contiguous /m/{i:05}.sst\n" for i in range(n))
    page.serve("t")
    expect(page.text("#left"), "")
    assert page.text("#more") == f"Show more of {n:,} files", page.text("#more")
    # a file that no list of 5000 has
    page.browser.click_on("#find")
    page.browser.write("06999")
    page.browser.until("document.querySelectorAll('#rows tr').length === 1")
    page.browser.click_on("#rows button")
    page.browser.until("document.querySelectorAll('tr.lit').length === 1 && shown.lit.some(Boolean)")
    expect(page.text("#cell"), "/m/06999.sst · 7 blocks in 1 fragment")
    # its block, out of sight, comes into sight
    page.js("showBlock(0, true)")
    page.browser.click_on("#rows button")
    page.browser.until("document.querySelectorAll('tr.lit').length === 0")
    page.browser.click_on("#rows button")
    page.browser.until(f"view.first <= {(n - 1) * 8} && {(n - 1) * 8} < view.first + visible() && view.per === 1")


# === Names, limits, and empty input ===

def test_names_are_text(page: Page) -> None:
    names = ["</script><script>window.bad=1</script>", "<img src=x onerror=window.bad=1>", "&lt;b&gt;", "\"'`${1}\\134",
             "<!--<script>", "--><b>", "@data@", "javascript:window.bad=1", "tab\\011new\\012line", "\u202edlo.txt"]
    replace("t", [f"254:0 {100 + i} 1 0 {i + 4} contiguous /m/{name.replace(' ', chr(92) + '040')}"
                  for i, name in enumerate(names)])
    with open("t", "ab") as file:
        file.write(b"254:0 120 1 0 99 contiguous /m/\xff\xfe\n")
    page.write("t", *PLAIN)
    # what begins a line or changes the order of text stays escaped
    shown = [n.replace("\u202e", "\\342\\200\\256") for n in names]
    expect(sorted(page.paths()), sorted("/m/" + n for n in shown + ["\\377\\376"]))
    for i, name in enumerate(shown):
        expect(page.point(i), f"LBA {100 + i} · segment 0 · offset 0 · /m/{name}")
        page.browser.click(*page.place(i))
    expect(page.js("window.bad"), None)
    expect(page.js("document.querySelectorAll('img, script').length"), 3)


def test_big_table_is_bounded(page: Page) -> None:
    n = 600000
    with open("t", "w", encoding="ascii") as file:
        file.write(f"# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks={n * 4} segment_blocks=512 path=/m\n")
        for i in range(n):
            # one file has half of all extents, the rest belongs to many files
            ino = 4 if i % 2 else 5 + i // 60
            file.write(f"254:0 {i * 4} {1 + i % 3} {i * 2} {ino} fragmented /m/{ino}.sst\n")
    page.write("t", "--layout", "hilbert")
    size = os.path.getsize("page.html") - os.path.getsize("out.png") * 4 // 3
    assert size < 5000000, f"{size} bytes beside the picture"
    left = page.text("#left")
    assert left.startswith("Only the 5,000 worst files are listed, 5,001 are left out. The cells of "), left
    expect(page.paths()[0], "/m/4.sst")
    page.browser.click_on("#rows tr:nth-child(1) button")
    assert page.text("#cell").endswith("its cells are left out of this page"), page.text("#cell")
    page.browser.click_on("#more")
    expect(len(page.paths()), 500)
    said = {page.point(c) for c in range(0, page.data["volumes"][0]["cells"], 9973)}
    assert any("left out of this page" in s for s in said) and any("offset" in s for s in said), said


def test_part_of_a_volume(page: Page) -> None:
    page.write(DATA / "small.table", *PLAIN, "--layout", "segments", "--lba", "140-150")
    lead = page.data["volumes"][0]["lead"]
    expect(lead, 8)
    nothing = page.point(lead - 1)
    assert "LBA" not in nothing, nothing
    expect(page.point(lead).split("\n")[0], "LBA 140 · segment 1 · offset 0 · /mnt/f2fs/MANIFEST-000005")
    expect(page.point(lead + 10).split("\n")[0], "LBA 150 · segment 1 · offset 10 · /mnt/f2fs/MANIFEST-000005")
    page.browser.click_on("#rows tr:nth-child(1) button")
    page.browser.point(2, 2)
    expect(page.text("#cell"), "/mnt/f2fs/000002.sst · 6 blocks in 3 fragments; none of them is in this picture")
    page.write(DATA / "small.table", *PLAIN, "--only", "*.log", "--lba", "121-131")
    expect(page.paths(), ["/mnt/f2fs/my file.log"])
    expect(page.point(0).split("\n")[0], "LBA 121 · segment 0 · offset 1 · /mnt/f2fs/my file.log")
    assert "left out of this page" in page.point(9), page.point(9)


def test_nothing(page: Page) -> None:
    page.write(DATA / "header_only.table")
    expect(page.text("#volumes"), "no directory is watched")
    expect(page.text("#summary"), "0 files, 0 of them fragmented")
    page.browser.click(300, 300)
    page.js("document.querySelector('#stage').focus()")
    page.browser.key("ArrowRight")
    replace("t", [])
    page.write("t")
    assert "free, or not watched" in page.point(5)


def test_narrow(page: Page) -> None:
    page.browser.resize(400, 800)
    page.write(DATA / "rocksdb2.table")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    page.browser.click_on("#full")
    assert page.js("document.querySelector('#stage').offsetWidth") == page.data["width"]
    assert page.js("document.documentElement.scrollWidth <= innerWidth")


# === Running them ===

def run(test: Callable[[Page], None], view: str, chromium: browser.Browser) -> str:
    """Run one test; return the error, or an empty text."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        page = Page(view, chromium)
        try:
            chromium.new_page()
            test(page)
            expect(chromium.complaints, [])
            return ""
        except Exception:  # any exception is a failure of the test
            return traceback.format_exc()
        finally:
            if page.live:
                page.live.terminate()
                page.live.wait()
            if page.server:
                page.server.stop()
            os.chdir("/")


def run_all(tests: dict[str, Callable[[Page], None]], view: str) -> int:
    """Run tests in one browser; return the number of failures."""
    failed = 0
    # messages of the browser during its end do not matter
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        chromium = browser.Browser(folder)
        try:
            for number, (name, test) in enumerate(tests.items(), 1):
                wrong = run(test, view, chromium)
                if wrong:
                    print("# " + wrong.strip().replace("\n", "\n# "))
                print(f"{'not ok' if wrong else 'ok'} {number} {name}", flush=True)
                failed += bool(wrong)
        finally:
            chromium.close()
    return failed


def main() -> int:
    os.environ.update(TZ="UTC", LC_ALL="C.UTF-8")
    view, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    tests = {name[5:]: t for name, t in globals().items()
             if name.startswith("test_") and (not wanted or name[5:] in wanted)}
    print(f"KTAP version 1\n# test_page.py {os.path.basename(view)}\n1..{len(tests)}", flush=True)
    failed = skipped = 0
    if browser.program():
        failed = run_all(tests, view)
    else:
        skipped = len(tests)
        for number, name in enumerate(tests, 1):
            print(f"ok {number} {name} # SKIP chromium-headless-shell is not installed")
    print(f"# Totals: pass:{len(tests) - failed - skipped} fail:{failed} xfail:0 xpass:0 skip:{skipped} error:0")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
