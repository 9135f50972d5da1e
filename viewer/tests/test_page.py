#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the page of fragtrace, written by view --html or by serve: cells, clicks, names, and how it renews itself; speaks KTAP.

usage: test_page.py PROGRAM [TEST...]; pages.py has what a test is
"""
import base64
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

from pages import DATA, HERE, PLAIN, Page, blocks, expect, hilbert, main


# === Content of cells ===

def check_cells(page: Page, table: Path, sample: int) -> None:
    """Point at blocks, and compare with the table."""
    truth = blocks(table)
    volume = page.data["volumes"][0]
    lbas = random.Random(1).sample(range(volume["lba"], volume["end"]), sample)
    # and the first block of all files
    lbas += [lba for lba, (offset, _) in truth.items() if not offset][:20]
    for lba in lbas:
        offset, path = truth.get(lba, (0, ""))
        page.show(lba)
        said = page.point(lba).split("\n")[0]
        expect(said, f"LBA {lba} · {page.segment(lba)} · " + (f"offset {offset} · {path}" if path else "free, or not watched"))


def test_cells(page: Page) -> None:
    for table, *options in ("small", "-i", str(DATA / "plain.img.cnf")), ("rocksdb2", "--layout", "segments"), ("rocksdb2", "--layout", "hilbert"):
        page.write(DATA / f"{table}.table", *options)
        expect(page.js("document.querySelector('#layout').value"), "hilbert" if "hilbert" in options else "rows")
        check_cells(page, DATA / f"{table}.table", 20)
        # a page in a file has the layout that it was written with
        page.js("sessionStorage.clear()")


def test_several_in_a_cell(page: Page) -> None:
    page.write(DATA / "rocksdb2.table")
    first, per, columns, rows = page.shown()
    assert per > 1 and per * columns * rows >= page.data["volumes"][0]["end"] - first
    for lba in list(blocks(DATA / "rocksdb2.table"))[::4001]:
        cell = first + (lba - first) // per * per
        held = {path for at, (_, path) in blocks(DATA / "rocksdb2.table").items() if cell <= at < cell + per}
        said = page.point(lba)
        assert said.startswith(f"LBA {cell}") and any(path in said for path in held), (said, held)


def test_colour_of_a_cell_is_that_of_its_file(page: Page) -> None:
    page.write(DATA / "small.table", *PLAIN)
    truth, rules = blocks(DATA / "small.table"), {0x00AA00: ".sst", 0xFF8800: ".sst", 0xAA4400: ".sst", 0x0000FF: ".log"}
    seen = set()
    for lba in range(page.data["volumes"][0]["lba"], page.data["volumes"][0]["end"]):
        colour, (_, path) = page.map_colour(lba), truth.get(lba, (0, ""))
        if colour in rules:
            assert path.removesuffix(" (deleted)").endswith(rules[colour]), f"{colour:06x}: {path}"
            seen.add(colour)
        else:
            assert ".log" not in path and bool(path) == (colour != 0xFFFFFF), f"{colour:06x}: {path}"
    expect(seen, set(rules))


def test_two_volumes(page: Page) -> None:
    page.write(DATA / "two.table", *PLAIN)
    expect(page.text("#volumes"), "/mnt/a, /mnt/my disk")
    page.js("showVolume(data.volumes[1])")
    page.settle()
    first = page.data["volumes"][1]["lba"]
    assert page.point(first).startswith(f"LBA {first}"), page.point(first)


# === Along a curve ===

def test_square(page: Page) -> None:
    page.write(DATA / "small.table", "-c", str(DATA / "plain.color.cnf"), "--layout", "hilbert")
    volume, truth = page.data["volumes"][0], blocks(DATA / "small.table")
    first, per, columns, rows = page.shown()
    expect((first, per, columns, rows), (volume["lba"], 1, 8, 8))
    pixels = page.js("""(() => {
        const map = document.querySelector("#map"), side = Math.min(map.clientWidth, map.clientHeight), left = Math.floor((map.clientWidth - side) / 2);
        const at = (x, y) => [...map.getContext("2d").getImageData(left + (x + 0.5) * side / 8, (y + 0.5) * side / 8, 1, 1).data.slice(0, 3)];
        return [...Array(64).keys()].map(i => at(i % 8, Math.floor(i / 8)).join());
    })()""")
    for cell in range(64):
        x, y = hilbert(8, cell)
        expect((cell, pixels[8 * y + x] != "255,255,255"), (cell, first + cell in truth))
        expect(page.js(f"[placeOf({cell}), cellAt({x}, {y})]"), [[x, y], cell])
    # what is below the pointer stays there, closer and farther, and keys go from cell to cell
    page.write(DATA / "redis.table", "--layout", "hilbert")
    lba = sorted(blocks(DATA / "redis.table"))[2000]
    x, y = page.map_place(lba)
    below = before = page.data["volumes"][0]["lba"], page.data["volumes"][0]["end"]
    for _ in range(8):
        page.browser.point(x, y)
        below = page.js("[mapCursor.lba, mapCursor.end]")
        assert before[0] <= below[0] < below[1] <= before[1], (before, below)
        before = below
        page.wheel(x, y, -1)
        page.settle()
    assert below[1] - below[0] == 1, below
    page.browser.point(1, 1)
    page.js("document.querySelector('#map').focus()")
    for key, place in ("ArrowRight", [0, 0]), ("ArrowRight", [1, 0]), ("ArrowDown", [1, 1]), ("ArrowLeft", [0, 1]), ("ArrowLeft", [0, 1]):
        page.browser.key(key)
        expect(page.js("[mapCursor.column, mapCursor.row]"), place)
    # the link has the layout, and rows begin about where the square was
    before = page.shown()
    page.js("(() => { const l = document.querySelector('#layout'); l.value = 'rows'; l.dispatchEvent(new Event('change')); })()")
    page.settle()
    now = page.shown()
    assert abs(now[0] + now[1] * now[2] * now[3] / 2 - before[0] - before[1] * before[2] * before[3] / 2) <= now[1] * now[2], (before, now)
    page.browser.until("location.hash.includes('layout=rows')")


def test_picture(page: Page) -> None:
    page.write(DATA / "rocksdb2.table")
    page.browser.click_on("#toPicture")
    page.browser.until("(image => image && image.complete && image.naturalWidth > 300)(document.querySelector('#plotted img'))")
    got = page.js("document.querySelector('#plotted img').src")
    expect(base64.b64decode(got.removeprefix("data:image/png;base64,")) == Path("out.png").read_bytes(), True)
    page.browser.key("Escape")
    page.browser.until("!document.querySelector('#plot').open")
    page.serve(DATA / "rocksdb2.table")
    expect(page.js("toPicture.hidden"), True)


# === The same answers ===

def test_answers_are_those_of_the_server(page: Page) -> None:
    """All cells, pieces, fragments and lists of a page in a file."""
    with open("why", "wb") as stream:
        subprocess.run([sys.executable, str(HERE / "to_snapshot.py"), str(DATA / "why.table")], stdout=stream, check=True)
    for table in "why", DATA / "redis.table", DATA / "two.table":
        page.serve(table)
        assert page.server
        ask, volumes = page.server.ask, page.data["volumes"]
        page.write(table)
        expect([{k: v for k, v in one.items() if k in ("lba", "end", "path")} for one in page.data["volumes"]],
               [{k: v for k, v in one.items() if k in ("lba", "end", "path")} for one in volumes])
        for i, volume in enumerate(volumes):
            lba, size = volume["lba"], volume["end"] - volume["lba"]
            for per in (per for per in (1, 2, 7, 16, 64, 1024) if per < size):
                n = min(5000, -(-size // per))
                first = lba + (-(-size // per) - n) // 2 * per
                key = page.js(f"files[{i}].key")
                page.js(f"(() => {{ chosen = files[{i}]; }})()")
                served = ask("cells", volume=i, first=first, per=per, n=n, lit=key)
                page.js(f"window.served = expandCells({json.dumps(served)}, {n})")
                same = "['rgb', 'share', 'lit'].every(k => String(a[k]) === String(served[k]))"
                expect((per, page.js(f"source.cells(data.volumes[{i}], {first}, {per}, {n}).then(a => {same})")), (per, True))
                assert page.js("served.share.some(Boolean)") or size > 5000 * per
            for first in range(lba, volume["end"] - 7, max(7, size // 50)):
                served = ask("blocks", volume=i, first=first, end=first + 7)
                expect(page.js(f"source.blocks(data.volumes[{i}], {first}, {first + 7})"), {k: served[k] for k in ("pieces", "all")})
        for file in page.js("files"):
            served = ask("fragments", key=file["key"])
            expect(page.js(f"source.fragments({json.dumps(file)})"), {k: served[k] for k in ("first", "all", "fragments")})
        for sort in "extra", "path", "fragments", "split", "blocks":
            for down in 0, 1:
                served = ask("files", n=99, sort=sort, down=down)
                page.js(f"Object.assign(state, {{ sort: '{sort}', down: {'true' if down else 'false'} }})")
                got = page.js("source.files().then(all => [all.found, all.files.map(f => [f.path, f.extra, f.color, f.place])])")
                lines = [[f[0], f[6] - f[7], f[9], f[8]] for f in served["files"]]
                # equal files may be in another order
                expect([got[0], sorted(map(str, got[1]))], [served["found"], sorted(map(str, lines))])
                value = {"path": 0, "extra": 1}.get(sort)
                if value is not None:
                    expect([line[value] for line in got[1]], [line[value] for line in lines])
        page.server.stop()


# === Clicks and keys ===

def test_click_on_a_cell(page: Page) -> None:
    page.write(DATA / "small.table", *PLAIN)
    page.browser.click(*page.map_place(108))
    expect(page.lit(), ["/mnt/f2fs/000002.sst"])
    # blocks 105 to 110 belong to the file
    expect(page.lit_cells(), list(range(5, 11)))
    page.browser.click(*page.map_place(122))
    expect(page.lit(), ["/mnt/f2fs/my file.log"])
    page.browser.click(*page.map_place(115))
    expect((page.lit(), page.lit_cells()), ([], []))


def test_click_on_a_file(page: Page) -> None:
    page.write(DATA / "small.table", *PLAIN)
    page.browser.click_on("#rows tr:nth-child(1) button")
    expect(page.lit(), ["/mnt/f2fs/000002.sst"])
    expect(page.lit_cells(), list(range(5, 11)))
    expect(page.text("#cell"), "/mnt/f2fs/000002.sst · 6 blocks in 3 fragments")
    page.browser.click_on("#rows tr:nth-child(1) button")
    expect(page.lit(), [])
    # closer, a file that is out of sight comes into sight
    page.write(DATA / "rocksdb2.table")
    path, place = page.js("files.map(f => [f.path, f.place]).sort((a, b) => b[1] - a[1])[0]")
    page.show(page.data["volumes"][0]["lba"])
    row = page.paths().index(path) + 1
    page.browser.click_on(f"#rows tr:nth-child({row}) button")
    page.settle()
    first, per, columns, rows = page.shown()
    assert first <= place < first + per * columns * rows and per == 1


def test_keys_alone(page: Page) -> None:
    page.write(DATA / "small.table", *PLAIN)
    page.js("document.querySelector('#map').focus()")
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
    # from the map: search field, folders, the five headings, the first file
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
    expect({path.rsplit("/")[-1]: color for path, color in page.js("files.map(f => [f.path, f.color])")},
           {"LOG": "#1332fb", "000004.sst": "#1332fb", "000001.sst": "#45ef66", "000002.sst": "#45ef66", "a.db": "#b4220d",
            "b.db": "#fb5c1f", "000003.sst": "#c8c8c8"})

    def said(lba: int) -> str:
        page.show(lba)
        return page.point(lba)

    wrote = ", which last wrote 5 seconds before this reading"
    expect(said(1000), "LBA 1000 · segment 0 · offset 0 · /mnt/f2fs/db/000001.sst\n"
           f"written by rocksdb:low (pid 812){wrote}")
    tail = "tail (the last block rewritten after the file was cut within it), asked for by fsync, fdatasync, sync or " \
        "the like; the block does not follow because the log had gone on to other blocks, of another file or of this one"
    expect(said(1010), "LBA 1010 · segment 0 · offset 8 · /mnt/f2fs/db/000001.sst\n"
                           f"not contiguous: {tail}; by rocksdb:low (pid 812){wrote}")
    # the rest of the fragment, after a hole
    expect(said(1121), "LBA 1121 · segment 1 · offset 20 · /mnt/f2fs/db/000004.sst\n"
                            f"not contiguous: {tail}; by rocksdb:low (pid 812){wrote}")
    expect(said(1210).split("\n")[1], "not contiguous: gc_bg (moved by garbage collection in the background); the "
           "block does not follow because one of the two was rewritten or moved away")
    expect(said(1150), "LBA 1150 · segment 1 · free, or not watched")


def test_finding(page: Page) -> None:
    page.write(DATA / "rocksdb2.table")
    page.browser.click_on("#find")
    page.browser.write("MANI")
    expect(page.paths(), ["/mnt/f2fs/db/MANIFEST-000071"])
    page.js("document.querySelector('#find').value = ''")
    page.browser.write("no such")
    expect((page.paths(), page.text("#left")), ([], "No file matches no such."))
    page.js("document.querySelector('#find').value = ''")
    page.browser.write("mani")
    expect((page.paths(), page.text("#left")), (["/mnt/f2fs/db/MANIFEST-000071"], ""))
    # a hidden file becomes visible when its cell is clicked
    lba = next(at for at, (_, path) in blocks(DATA / "rocksdb2.table").items() if path.endswith("OPTIONS-000007"))
    page.show(lba)
    page.browser.click(*page.map_place(lba))
    expect(page.lit(), ["/mnt/f2fs/db/OPTIONS-000007"])
    expect(page.js("document.querySelector('#find').value"), "")


NAMES = ["/m/db/000001.sst", "/m/DB/LOG.old", "/m/db/log", "/m/[Grp] Show [1080p].mkv", "/m/a*b.txt", "/m/axb.txt", "/m/x.SST",
         "/m/back\\slash", "/m/b-d", "/m/(1).txt", "/m/Ä.txt"]
# what is typed, and what is found
FOUND = {"log": ["/m/DB/LOG.old", "/m/db/log"], "LOG": ["/m/DB/LOG.old"], "*.sst": ["/m/db/000001.sst", "/m/x.SST"], "*.SST": ["/m/x.SST"],
         "[Grp] Show [1080p].mkv": ["/m/[Grp] Show [1080p].mkv"], "a*b": ["/m/a*b.txt"], "a*b.txt": ["/m/a*b.txt", "/m/axb.txt"],
         "a\\*b.txt": ["/m/a*b.txt"], "db/*": ["/m/db/000001.sst", "/m/DB/LOG.old", "/m/db/log"], "/m/?": [], "/m/???": ["/m/b-d"], "m/b[-_]d": ["/m/b-d"],
         "[!a-z]*.sst": ["/m/db/000001.sst"], "[z-a": [], "(1).txt": ["/m/(1).txt"], "slash": ["/m/back\\slash"], "*ack\\\\*": ["/m/back\\slash"],
         "Ä": ["/m/Ä.txt"], "*/log": ["/m/DB/LOG.old"][1:] + ["/m/db/log"]}


def test_find_is_the_same_in_both_pages(page: Page) -> None:
    def escape(name: str) -> str:
        return "".join(f"\\{b:03o}" if b in b" \\" else chr(b) if b < 128 else bytes([b]).decode("latin-1") for b in name.encode())

    with open("t", "wb") as file:
        file.write(b"# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks=1000 segment_blocks=10 path=/m\n")
        for i, name in enumerate(NAMES):
            file.write(f"254:0 {10 * i} 1 0 {4 + i} contiguous {escape(name)}\n".encode("latin-1"))
    page.serve("t")
    assert page.server
    # shown with a mark for a backslash that is part of a name
    names = {f[0] for f in page.server.ask("files", n=99)["files"]}
    expect(len(names), len(NAMES))
    served = {find: {f[0] for f in page.server.ask("files", n=99, find=find)["files"]} for find in FOUND}
    expect({find: len(found) for find, found in served.items()}, {find: len(found) for find, found in FOUND.items()})
    page.write("t")
    for find, found in served.items():
        if "ack" not in find:
            expect((find, set(page.js(f"files.filter(finder({json.dumps(find)})).map(f => f.path)"))), (find, found))
            expect({name.replace("\\134", "\\") for name in found if "Ä" not in name}, {name for name in FOUND[find] if "Ä" not in name})


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
    page.browser.click(*page.map_place(110))
    expect(page.lit(), ["/m/a.sst"])
    page.browser.click_on("#find")
    page.browser.write("/m/")
    picture = page.js("answers.picture")
    replace("t", ["254:0 110 2 0 4 fragmented /m/a.sst", "254:0 115 1 0 6 contiguous /m/0.log",
                  "254:0 120 1 0 5 contiguous /m/b.log", "254:0 130 3 2 4 fragmented /m/a.sst"])
    page.browser.until("document.querySelectorAll('#rows tr').length === 3")
    expect(page.paths(), ["/m/0.log", "/m/a.sst", "/m/b.log"])
    expect(page.lit(), ["/m/a.sst"])
    expect(page.js("document.querySelector('#find').value"), "/m/")
    page.browser.until("shown.lit[30]")
    expect(page.lit_cells(), [10, 11, 30, 31, 32])
    assert page.js("answers.picture") != picture
    assert page.point(115).endswith("/m/0.log")
    expect(page.js("window.sameDocument"), True)
    assert "renewed every 0.2 s" in page.text("#fresh"), page.text("#fresh")
    # the selected file disappears
    replace("t", first[1:])
    page.browser.until("document.querySelectorAll('#rows tr').length === 1")
    page.browser.point(1, 1)
    expect(page.text("#cell"), "The file that was lit up is not there any more.")
    expect(page.lit_cells(), [])
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
    # the map is grey, and stays with the line above it
    assert "does not answer" in page.text("#notes") and page.js("getComputedStyle(map).filter") == "grayscale(1)"
    where = page.text("#where")
    for selector in "#closer", "#whole":
        page.browser.click_on(selector)
        page.browser.until("!document.querySelector('#whole').disabled")
        expect((page.shown(), page.text("#where")), (shown, where))
    # the browser itself complains about that
    page.browser.complaints[:] = [c for c in page.browser.complaints if "ERR_CONNECTION" not in c]


def test_served_list(page: Page) -> None:
    n = 7000
    with open("t", "w", encoding="ascii") as file:
        file.write(f"# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks={n * 8} segment_blocks=512 path=/m\n")
        file.writelines(f"254:0 {i * 8} {1 + i % 7} 0 {i + 4} contiguous /m/{i:05}.sst\n" for i in range(n))
    page.serve("t")
    page.browser.until("document.querySelectorAll('#rows tr').length === 100")
    expect(page.text("#left"), "")
    assert page.text("#more") == f"Show more of {n:,} files", page.text("#more")
    for shown in 500, 900, 1300:
        page.browser.click_on("#more")
        page.browser.until(f"document.querySelectorAll('#rows tr').length === {shown}")
    # an answer has 1000 at most; the list has all, in order
    page.js("state.rows = 6900")
    page.browser.click_on("#more")
    page.browser.until("document.querySelectorAll('#rows tr').length === 7000")
    expect(page.js("more.hidden"), True)
    assert page.js("(paths => paths.length === new Set(paths).size)([...document.querySelectorAll('#rows bdi')].map(e => e.textContent))")
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


def check_folders(page: Page) -> None:
    rows = "[...document.querySelectorAll('#rows tr')].map(r => [...r.children].map(e => e.textContent).join(' | '))"
    page.browser.click_on("#folders")
    # requests beyond the ideal, fragments, split factor and blocks are sums of all that is below
    page.browser.until(rows + ".length === 3")
    expect(page.js(rows), ["..", "a/ · 3 files | 3 | 7 | 1.75 | 7", "/m/top.log | 0 | 1 | 1.00 | 2"])
    page.browser.click_on("#rows tr:nth-child(2) button")
    page.browser.until(rows + "[1].startsWith('/m/a/x.sst')")
    expect(page.js(rows), ["..", "/m/a/x.sst | 2 | 3 | 3.00 | 3", "b/ · 2 files | 1 | 4 | 1.33 | 4"])
    # the file of a folder is lit up as any other one, and the address has the folder
    page.browser.click_on("#rows tr:nth-child(2) button")
    page.browser.until("document.querySelectorAll('tr.lit').length === 1")
    page.browser.until("location.hash.includes('folder=%2Fm%2Fa%2F')")
    page.browser.click_on("#rows tr:nth-child(1) button")
    page.browser.until(rows + ".length === 3 && state.folder === '/m/'")
    page.browser.click_on("#folders")
    page.browser.until("document.querySelectorAll('#rows bdi').length === 4")


def test_folders(page: Page) -> None:
    Path("t").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks=1000 segment_blocks=512 path=/m\n" + "".join(
        f"254:0 {lba} {n} {at} {ino} {'fragmented' if ino < 7 else 'contiguous'} /m/{path}\n" for lba, n, at, ino, path in (
            (0, 2, 0, 7, "top.log"), (10, 1, 0, 4, "a/x.sst"), (20, 1, 1, 4, "a/x.sst"), (30, 1, 2, 4, "a/x.sst"),
            (40, 1, 0, 5, "a/b/y.sst"), (50, 1, 32, 5, "a/b/y.sst"), (60, 1, 0, 6, "a/b/c/z.sst"), (70, 1, 1, 6, "a/b/c/z.sst"))),
        encoding="ascii")
    page.serve("t")
    check_folders(page)
    page.write("t")
    check_folders(page)


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
        expect(page.point(100 + i), f"LBA {100 + i} · segment 0 · offset 0 · /m/{name}")
        page.browser.click(*page.map_place(100 + i))
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
    page.write("t")
    size = os.path.getsize("page.html") - os.path.getsize("out.png") * 4 // 3
    assert size < 6000000, f"{size} bytes beside the picture"
    expect(page.text("#left"), "Only the 5,000 worst files are listed, 5,001 are left out.")
    expect(page.paths()[0], "/m/4.sst")
    page.browser.click_on("#rows tr:nth-child(1) button")
    assert page.text("#cell").endswith("the page has no place of it"), page.text("#cell")
    page.browser.click_on("#more")
    expect(len(page.paths()), 500)
    # files of 30 pieces each, where there is room for 100000; and 2400000 blocks in 131072 cells at most
    expect(page.text("#notes"), "The page knows the places of 3,333 files of 10,001; fragtrace serve has all. "
           "The page has no cells of fewer than 32 blocks; fragtrace serve has.")
    # as close as it gets, cells have the truth of all files
    for _ in range(30):
        page.js("zoomByKey(true)")
    page.settle()
    expect((page.shown()[1:3], page.js("document.querySelector('#closer').disabled")), ((32, 8), True))
    shares = page.js("[...shown.share]")
    assert all(0.4 < share < 0.6 for share in shares[:-1]), (min(shares), max(shares))
    owners = page.js("[...new Set(answers.volumes[0].pieces.filter((_, i) => i % 4 === 0).map(owner => Math.min(owner, 0)))]")
    expect(sorted(owners), [-5, 0])
    assert "unknown: files whose places are left out of this page" in page.point(page.shown()[0])


def test_part_of_a_volume(page: Page) -> None:
    page.write(DATA / "small.table", *PLAIN, "--lba", "141-151")
    for lba, offset in (141, 1), (151, 11):
        expect(page.point(lba), f"LBA {lba} · segment 1 · offset {offset} · /mnt/f2fs/MANIFEST-000005")
    page.browser.click_on("#rows tr:nth-child(1) button")
    page.browser.point(2, 2)
    expect(page.text("#cell"), "/mnt/f2fs/000002.sst · 6 blocks in 3 fragments; the page has no place of it")
    page.write(DATA / "small.table", *PLAIN, "--only", "*.log", "--lba", "121-131")
    expect(page.paths(), ["/mnt/f2fs/my file.log"])
    expect(page.point(121), "LBA 121 · segment 0 · offset 1 · /mnt/f2fs/my file.log")
    assert page.point(130).endswith("a file that is left out"), page.point(130)
    expect(page.text("#notes"), "Only the 1 file of 7 that match *.log. Only LBA 121-131 of the volume; figures are of whole files.")


def test_stopped_stale_and_left_out(page: Page) -> None:
    Path("t").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m\n"
                         "# stale 3\n# left_out 254:0 5\n# stopped 254:0\n254:0 110 2 0 4 contiguous /m/a.sst\n")
    for show in page.write, page.serve:
        show("t")
        expect(page.text("#notes"), "/m: F2FS has stopped after an error or a shutdown; nothing is written any more.")
        said = page.text("#summary")
        assert "3 stale: their blocks may have moved" in said and "5 left out: fragtrace's memory was short" in said, said
    page.write(DATA / "small.table")
    expect((page.text("#notes"), page.js("notes.hidden ?? document.querySelector('#notes').hidden")), ("", True))


def test_nothing(page: Page) -> None:
    page.write(DATA / "header_only.table", "-n", "100", "--count", "1")
    expect(page.text("#volumes"), "no directory is watched")
    expect(page.text("#summary"), "0 files, 0 of them fragmented; split factor 1.000")
    page.browser.click(300, 300)
    page.js("document.querySelector('#map').focus()")
    page.browser.key("ArrowRight")
    replace("t", [])
    page.write("t")
    assert "free, or not watched" in page.point(105)


def test_narrow(page: Page) -> None:
    page.browser.resize(400, 800)
    page.write(DATA / "rocksdb2.table")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    # nor along a curve, nor beside a picture
    for act in "setSquare(true)", "showPicture()":
        page.js(act)
        assert page.js("document.documentElement.scrollWidth <= innerWidth")
    # nor has the name of a volume no room
    Path("t").write_text("# fragtrace table 1\n" + "".join(
        f"# volume 254:{i} main_blkaddr=100 blocks=164 segment_blocks=32 path=/srv/{'very-long-name' * 9}/{i}\n" for i in range(2)))
    page.browser.resize(390, 844)
    page.write("t")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    page.serve("t")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")


if __name__ == "__main__":
    sys.exit(main(globals()))
