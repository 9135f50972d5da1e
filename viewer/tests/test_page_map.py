#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the map of the page: zoom, drag, keys, light and dark; speaks KTAP.

usage: test_page_map.py PROGRAM [TEST...]; pages.py has what a test is
"""
import json
import os
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path

import check_palette
import naive_space
import naive_zones
from pages import DATA, Page, blocks, expect, main


# === The map ===

def test_zoom(page: Page) -> None:
    table = DATA / "redis.table"
    truth = blocks(table)
    # where two files meet
    lba = next(b for b in sorted(truth) if truth.get(b - 1, truth[b])[1] != truth[b][1] == truth.get(b + 1, (0, ""))[1])
    page.serve(table)
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


def test_overview(page: Page) -> None:
    page.serve(DATA / "redis.table")
    volume, (first, per, columns, rows) = page.data["volumes"][0], page.shown()
    # thousands of cells, and one notch of the wheel is a factor of two
    assert 8000 <= columns * rows <= 16384, (columns, rows)
    x, y = page.map_place((volume["lba"] + volume["end"]) // 2)
    page.wheel(x, y, -1)
    expect(page.shown()[1], per // 2)
    page.wheel(x, y, -1)
    page.settle()
    page.browser.until("overview !== null")
    # the strip has a frame around what the map shows, and moves it
    frame = """(() => {
        const c = document.querySelector("#overview"), d = c.getContext("2d").getImageData(0, 1, c.width, 1).data;
        const dark = [...Array(c.width).keys()].filter(i => d[4 * i] === 32 && d[4 * i + 1] === 33 && d[4 * i + 2] === 36);
        return [dark[0] / c.width, dark[dark.length - 1] / c.width];
    })()"""
    box = page.js("(({left, top, width, height}) => [left, top, width, height])(document.querySelector('#overview').getBoundingClientRect())")
    for part in 0.5, 0.2, 0.8:
        page.browser.click(box[0] + part * box[2], box[1] + box[3] / 2)
        page.settle()
        first, per, columns, rows = page.shown()
        left, right = page.js(frame)
        size = volume["end"] - volume["lba"]
        assert abs(left - (first - volume["lba"]) / size) < 0.01 and \
            abs(right - (min(first + per * columns * rows, volume["end"]) - volume["lba"]) / size) < 0.01, (left, right)
        assert left - 0.01 <= part <= right + 0.01, (left, part, right)
    # and shows where a file is
    page.browser.click_on("#rows tr:nth-child(1) button")
    page.browser.until("overview.lit.some(Boolean)")


def test_segments_are_marked(page: Page) -> None:
    Path("c.cnf").write_text("default #cccccc #cccccc #cccccc\n")
    page.serve(DATA / "redis.table", "-c", "./c.cnf")
    main_lba, segment = (page.data["volumes"][0][key] for key in ("main", "segment"))
    for before in 37, 0:
        page.js(f"(() => {{ view.per = 1; setColumns(mostColumns()); setFirst({main_lba + 10 * segment - before}); moved(); }})()")
        page.settle()
        x, right, dark = page.js(f"""(() => {{
            const cell = {main_lba + 10 * segment} - view.first, row = Math.floor(cell / view.columns);
            const width = map.clientWidth, y = Math.round(row * view.height);
            const line = map.getContext("2d").getImageData(0, y, width, 1).data;
            return [GUTTER + cell % view.columns * view.cell, width, [...Array(width).keys()].filter(i => i >= GUTTER && line[4 * i] < 150)];
        }})()""")
        # a line where a row begins with a segment; within a row, a mark and no line
        if before:
            assert dark and all(x - 2 <= at <= x + 5 for at in dark), (x, dark)
        else:
            assert len(dark) > 0.95 * (right - x), (x, right, len(dark))


def test_link(page: Page) -> None:
    Path("t").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=512 blocks=99840 segment_blocks=512 path=/m/a\n"
                         "# volume 254:1 main_blkaddr=512 blocks=99840 segment_blocks=512 path=/m/b\n"
                         "254:0 600 9 0 4 contiguous /m/a/x.sst\n254:1 50000 9 0 4 contiguous /m/b/y z.log\n")
    page.serve(Path("t"))
    url = page.js("location.href")
    # no part of it while there is nothing to say
    page.js("new Promise(done => setTimeout(done, 400))")
    expect(page.js("location.hash"), "")
    page.js("showMap(data.volumes[1], 50000, true)")
    page.browser.click_on("#find")
    page.browser.write("y Z"[:1])
    page.browser.until("document.querySelectorAll('#rows tr').length === 1")
    page.browser.click_on("#rows button")
    page.browser.until("document.querySelectorAll('tr.lit').length === 1 && shown.lit.some(Boolean)")
    page.settle()
    # the height of the map depends on the text below it
    seen = page.shown()[:3], page.lit(), page.js("view.volume.dev")
    page.browser.until("location.hash.includes('file=254')")
    link = page.js("location.href")
    # in another tab, which has no memory of this one
    page.js("sessionStorage.clear()")
    page.browser.new_page()
    page.browser.open(link)
    page.browser.until("shown !== null && shown.lit.some(Boolean) && document.querySelectorAll('tr.lit').length === 1")
    page.settle()
    expect((page.shown()[:3], page.lit(), page.js("view.volume.dev")), seen)
    expect(page.js("find.value === undefined ? document.querySelector('#find').value : 0"), "y")
    # what is no link is none, and a link of another table shows what there is
    for bad in "#volume=9:9&first=1&per=1&columns=8", "#volume=254:1&first=zzz&per=-4&columns=1e99", "#%%%", "#file=254:0%2099&at=1":
        page.browser.new_page()
        page.browser.open(url.split("#")[0] + bad)
        page.browser.until("shown !== null || data.volumes.length === 0")
    expect(page.browser.complaints, [])


def test_fingers(page: Page) -> None:
    page.browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
    try:
        page.browser.resize(390, 844)
        page.serve(DATA / "redis.table")
        x, y = page.js("(b => [b.left + b.width / 2, b.top + b.height / 2])(map.getBoundingClientRect())")
        # over the whole volume, a finger scrolls the page
        page.touch("touchStart", (x, y))
        for up in range(20, 320, 20):
            page.touch("touchMove", (x, y - up))
        page.touch("touchEnd")
        page.browser.until("scrollY > 100")
        page.js("scrollTo(0, 0)")
        whole = page.shown()
        expect(page.lit(), [])
        page.touch("touchStart", (x - 20, y), (x + 20, y))
        for away in range(25, 85, 5):
            page.touch("touchMove", (x - away, y), (x + away, y))
        page.touch("touchEnd")
        assert page.shown()[1] <= whole[1] // 4, (whole, page.shown())
        page.settle()
        # closer, a finger moves the map
        first, scrolled = page.shown()[0], page.js("scrollY")
        page.touch("touchStart", (x, y))
        for up in range(20, 120, 20):
            page.touch("touchMove", (x, y - up))
        page.touch("touchEnd")
        assert page.shown()[0] > first and page.js("scrollY") == scrolled
        expect(page.lit(), [])
    finally:
        page.browser.call("Emulation.setTouchEmulationEnabled", enabled=False)


def test_drag_and_keys(page: Page) -> None:
    page.serve(DATA / "rocksdb2.table")
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


def test_state_of_f2fs(page: Page) -> None:
    folder = Path("s")
    naive_zones.make(folder, 4)
    zones = [zone for device in naive_zones.read_devices(folder) if device[2] for zone in device[3]]
    segments, watched = naive_space.read_bits(folder), {block for block, _ in naive_space.read_table(folder)}
    names = ("hot data", "warm data", "cold data", "hot nodes", "warm nodes", "cold nodes")
    found: dict[str, int] = {}
    for block in range(len(segments) * naive_space.BLKS):
        kind, bits, _ = segments[block // naive_space.BLKS]
        valid = bits[block % naive_space.BLKS]
        use = "offset" if block in watched else "free" if not valid else "node" if kind > 2 else "other data"
        segment = f"segment {block // naive_space.BLKS}" + (f" ({names[kind]})" if any(bits) else "")
        lba = naive_space.MAIN + block
        for i, (first, n, capacity, pointer, condition) in enumerate(zones):
            if first <= lba < first + n:
                written = f", {capacity if condition == 14 else pointer} of {capacity} blocks written" if condition in (1, 2, 3, 4, 14) else ""
                segment += f" · zone 1:{i} ({naive_zones.NAMES[condition]}{written})"
        found.setdefault(use, naive_space.MAIN + block)
        if found[use] == naive_space.MAIN + block:
            found[use + " text"] = f"LBA {naive_space.MAIN + block} · {segment} · {use}"  # type: ignore[assignment]
    page.serve(folder / "table", "--f2fs-state", "s")
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
    Path("heat").write_text("# fragtrace heat 2\n# windows blocks=32 period_secs=3600\n"
                            "254:0 4 0 1500 9 9 1 0 /m/a.db\n254:0 4 32 0 0 0 2 0 /m/a.db\n")
    page.serve(Path("table"), "--color-by", "heat")
    colours = {110: 0x511B00, 141: 0x511B00, 142: 0x4A90D9, 173: 0x4A90D9, 174: 0xC4C4C4, 206: 0xFFFFFF}
    expect({block: page.map_colour(block) for block in colours}, colours)
    for block, counts in (110, "1,500 reads, 1 overwrite"), (150, "0 reads, 2 overwrites"), (180, "0 reads, 0 overwrites"):
        page.browser.point(*page.map_place(block))
        page.browser.until(f"document.querySelector('#cell').textContent.startsWith('LBA {block}')")
        expect(page.text("#cell").split("\n")[1], "its window: " + counts)


def test_other_colours(page: Page) -> None:
    page.serve(DATA / "redis.table")
    before, legend = page.js("[...shown.rgb].join()"), page.text("#legend")
    page.js("(() => { const c = document.querySelector('#colors'); c.value = 'size'; c.dispatchEvent(new Event('change')); })()")
    page.browser.until(f"[...shown.rgb].join() !== '{before}'")
    assert page.text("#legend") != legend and page.js("data.coloring") == "size"
    page.browser.until("location.hash.includes('colors=size')")
    now, link = page.js("[...shown.rgb].join()"), page.js("location.href")
    # other tabs have their own colours
    page.js("sessionStorage.clear()")
    page.browser.new_page()
    assert page.server
    page.browser.open(page.server.url)
    page.browser.until("shown !== null")
    page.settle()
    expect((page.js("[...shown.rgb].join()") == before, page.text("#legend")), (True, legend))
    page.js("sessionStorage.clear()")
    page.browser.new_page()
    page.browser.open(link)
    page.browser.until(f"shown !== null && [...shown.rgb].join() === '{now}'")


def test_steps(page: Page) -> None:
    # a file whose fragments are not in the order of their addresses; one has two extents, with a hole between them
    Path("t").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=512 blocks=99840 segment_blocks=512 path=/m\n"
                         "254:0 600 9 20 4 fragmented /m/x.sst\n254:0 700 5 0 5 contiguous /m/y.log\n254:0 50000 5 0 4 fragmented /m/x.sst\n"
                         "254:0 50005 4 9 4 fragmented /m/x.sst\n254:0 90000 1 40 4 fragmented /m/x.sst\n")
    page.serve(Path("t"))
    expect(page.js("steps === null && document.querySelector('#steps').hidden"), True)
    page.browser.click_on("#rows tr:nth-child(1) button")
    page.browser.until("document.querySelectorAll('tr.lit').length === 1 && !document.querySelector('#steps').hidden")
    said = ["fragment 1 of 3: LBA 50000–50008 · offset 0–8", "fragment 2 of 3: LBA 600–608 · offset 20–28",
            "fragment 3 of 3: LBA 90000 · offset 40"]
    for number, act in enumerate([lambda: page.browser.click_on("#after"), lambda: page.browser.key("n", "n"),
                                  lambda: page.browser.key("n", "n"), lambda: page.browser.key("n", "n")]):
        act()
        page.browser.until(f"document.querySelector('#cell').textContent.includes('fragment {number % 3 + 1} of 3')")
        page.settle()
        expect(page.text("#cell").split("\n")[1], said[number % 3])
        lba = (50000, 600, 90000)[number % 3]
        first, per, columns, rows = page.shown()
        assert first <= lba < first + per * columns * rows and per == 1
    page.browser.key("p", "p")
    page.browser.until("document.querySelector('#cell').textContent.includes('fragment 3 of 3')")
    # another file has other fragments
    page.browser.click_on("#rows tr:nth-child(2) button")
    page.browser.until("document.querySelector('#cell').textContent.startsWith('/m/y.log')")
    page.browser.click_on("#before")
    page.browser.until("document.querySelector('#cell').textContent.includes('fragment 1 of 1: LBA 700–704')")
    # and a picture of its own
    page.browser.click_on("#toPlot")
    page.browser.until("(image => image && image.complete && image.naturalWidth > 300)(document.querySelector('#plotted img'))")
    subprocess.run([page.view, "file", "y.log", "-t", "t", "-o", "file.png"], check=True, stdout=subprocess.DEVNULL)
    assert page.server
    key = urllib.parse.quote(page.js("chosen.key"))
    expect(page.server.request(page.server.url + "plot?key=" + key)[2] == Path("file.png").read_bytes(), True)
    expect([page.server.status(what, key=bad) for what in ("plot", "why") for bad in ("1:1 99", "x", "")], [400] * 6)
    page.browser.until("document.querySelector('#why').textContent !== ''")
    expect(page.text("#why"), "/m/y.log: 5 blocks in 1 fragment, not fragmented.\n")
    page.browser.key("Escape")
    page.browser.until("!document.querySelector('#plot').open")


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
    page.serve(Path("run"), "-c", "./c.cnf")
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
        # the picture of a file is dark as well, but not on paper
        page.serve(DATA / "small.table")
        page.browser.click_on("#rows button")
        page.await_lit("/mnt/f2fs/000002.sst")
        page.browser.click_on("#toPlot")
        page.browser.until("document.querySelector('#plotted img') !== null")
        expect(page.js("[document.documentElement.dataset.theme, getComputedStyle(document.querySelector('#plotted img')).filter]"),
               ["dark", "invert(1) hue-rotate(180deg)"])
        page.browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        page.browser.until("document.documentElement.dataset.theme === 'light'")
        expect(page.js("['#plotted img', '#rows i'].map(s => document.querySelector(s)).map(e => [getComputedStyle(e).filter, getComputedStyle(e).printColorAdjust])"),
               [["none", "exact"]] * 2)
    finally:
        page.browser.call("Emulation.setEmulatedMedia", media="", features=[])


def test_drawing_asks_once_whether_it_is_dark(page: Page) -> None:
    """The browser takes microseconds for each question, and there are thousands of cells."""
    page.serve(DATA / "rocksdb2.table")
    expect(page.js("""(() => {
        const old = window.matchMedia;
        let asked = 0;
        window.matchMedia = query => { asked++; return old.call(window, query); };
        drawMap();
        return [shown.n > 1000, asked < 5];
    })()"""), [True, True])


if __name__ == "__main__":
    sys.exit(main(globals()))
