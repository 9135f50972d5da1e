#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the page of fragtrace serve: cells, clicks, names, and how it renews itself; speaks KTAP.

usage: test_page.py PROGRAM [TEST...]; pages.py has what a test is
"""
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

from pages import DATA, HERE, PLAIN, Page, blocks, copy_counts, expect, expect_counts, hilbert, main


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
    for table, layout in ("small", "rows"), ("rocksdb2", "rows"), ("rocksdb2", "hilbert"):
        page.serve(DATA / f"{table}.table")
        page.js(f"setSquare({'true' if layout == 'hilbert' else 'false'})")
        expect(page.js("document.querySelector('#layout').value"), layout)
        check_cells(page, DATA / f"{table}.table", 20)


def test_several_in_a_cell(page: Page) -> None:
    page.serve(DATA / "rocksdb2.table")
    first, per, columns, rows = page.shown()
    assert per > 1 and per * columns * rows >= page.data["volumes"][0]["end"] - first
    for lba in list(blocks(DATA / "rocksdb2.table"))[::4001]:
        cell = first + (lba - first) // per * per
        held = {path for at, (_, path) in blocks(DATA / "rocksdb2.table").items() if cell <= at < cell + per}
        said = page.point(lba)
        assert said.startswith(f"LBA {cell}") and any(path in said for path in held), (said, held)


def test_colour_of_a_cell_is_that_of_its_file(page: Page) -> None:
    page.serve(DATA / "small.table", *PLAIN)
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
    page.serve(DATA / "two.table", *PLAIN)
    expect(page.text("#volumes"), "/mnt/a, /mnt/my disk")
    page.js("showVolume(data.volumes[1])")
    page.settle()
    first = page.data["volumes"][1]["lba"]
    assert page.point(first).startswith(f"LBA {first}"), page.point(first)


# === Along a curve ===

def test_size_of_a_block(page: Page) -> None:
    """The column of blocks says how large they are."""
    text = (DATA / "small.table").read_text(encoding="utf-8")
    Path("large.table").write_text(text.replace("\n", "\n# block_bytes 16384\n", 1), encoding="utf-8")
    for table, size in (DATA / "small.table", "4 KiB"), ("large.table", "16 KiB"):
        page.serve(table)
        expect(page.js("document.querySelector('#head th[data-key=blocks] button').title"), f"written blocks of {size}")


def test_square(page: Page) -> None:
    page.serve(DATA / "small.table", *PLAIN)
    page.js("setSquare(true)")
    page.settle()
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
    page.serve(DATA / "redis.table")
    page.js("setSquare(true)")
    page.settle()
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


# === Clicks and keys ===

def test_click_on_a_cell(page: Page) -> None:
    page.serve(DATA / "small.table", *PLAIN)
    page.browser.click(*page.map_place(108))
    page.await_lit("/mnt/f2fs/000002.sst")
    # blocks 105 to 110 belong to the file
    expect(page.lit_cells(), list(range(5, 11)))
    page.browser.click(*page.map_place(122))
    page.await_lit("/mnt/f2fs/my file.log")
    page.browser.click(*page.map_place(115))
    page.await_lit()


def test_click_on_a_file(page: Page) -> None:
    page.serve(DATA / "small.table", *PLAIN)
    page.browser.click_on("#rows tr:nth-child(1) button")
    page.await_lit("/mnt/f2fs/000002.sst")
    expect(page.lit_cells(), list(range(5, 11)))
    expect(page.text("#cell"), "/mnt/f2fs/000002.sst · 6 blocks in 3 fragments")
    page.browser.click_on("#rows tr:nth-child(1) button")
    page.await_lit()
    # closer, a file that is out of sight comes into sight
    page.serve(DATA / "rocksdb2.table")
    path, place = max(((f["path"], f["place"]) for f in page.files()), key=lambda one: one[1])
    page.show(page.data["volumes"][0]["lba"])
    row = page.paths().index(path) + 1
    page.browser.click_on(f"#rows tr:nth-child({row}) button")
    page.await_lit(path)
    page.settle()
    first, per, columns, rows = page.shown()
    assert first <= place < first + per * columns * rows and per == 1


def said(page: Page, text: str) -> None:
    """Wait for the text below the map."""
    page.browser.until(f"document.querySelector('#cell').textContent === {json.dumps(text)}")


def test_keys_alone(page: Page) -> None:
    page.serve(DATA / "small.table", *PLAIN)
    page.js("document.querySelector('#map').focus()")
    for _ in range(6):
        page.browser.key("ArrowRight")
    said(page, "LBA 105 · segment 0 · offset 0 · /mnt/f2fs/000002.sst")
    page.browser.key("ArrowUp")
    page.browser.key("ArrowLeft")
    said(page, "LBA 104 · segment 0 · offset 4 · /mnt/f2fs/000001.sst")
    page.browser.key("Enter")
    page.await_lit("/mnt/f2fs/000001.sst")
    page.browser.key("Escape")
    page.await_lit()
    # from the map: panels, search field, folders, the five headings, the first file
    for _ in range(9):
        page.browser.key("Tab")
    page.browser.key("Enter")
    page.await_lit("/mnt/f2fs/000002.sst")
    expect(page.js("document.activeElement.dataset.key"), "254:0 5")


def test_sorting(page: Page) -> None:
    page.serve(DATA / "rocksdb2.table")
    expect(page.paths()[:2], ["/mnt/f2fs/db/LOG", "/mnt/f2fs/db/MANIFEST-000071"])
    columns = page.js("[...document.querySelectorAll('#head th')].map(e => e.dataset.key)")
    for number, column in enumerate(columns):
        before = page.js(f"document.querySelectorAll('#head th')[{number}].getAttribute('aria-sort')")
        for _ in range(2):
            page.browser.click_on(f"#head th:nth-child({number + 1}) button")
            order = f"document.querySelectorAll('#head th')[{number}].getAttribute('aria-sort')"
            page.browser.until(f"{order} !== {json.dumps(before)}")
            order = page.js(order)
            before = order
            values = page.js(f"[...document.querySelectorAll('#rows td:nth-child({number + 1})')].map(e => e.textContent)")
            expect(len(values), 33)
            if column != "path":
                values = [float(v.replace(",", "")) for v in values]
            expect(values, sorted(values, reverse=order == "descending"))


def test_causes(page: Page) -> None:
    with open("why", "wb") as stream:
        subprocess.run([sys.executable, str(HERE / "to_snapshot.py"), str(DATA / "why.table")], stdout=stream, check=True)
    page.serve("why", "--color-by", "cause")
    # the most frequent cause of a file, and the first one among equals
    expect({f["path"].rsplit("/")[-1]: f["color"] for f in page.files()},
           {"LOG": "#1332fb", "000004.sst": "#1332fb", "000001.sst": "#45ef66", "000002.sst": "#45ef66", "a.db": "#b4220d",
            "b.db": "#fb5c1f", "000003.sst": "#c8c8c8"})

    def at(lba: int) -> str:
        page.show(lba)
        return page.point(lba)

    wrote = ", which last wrote 5 seconds before this reading"
    expect(at(1000), "LBA 1000 · segment 0 · offset 0 · /mnt/f2fs/db/000001.sst\n"
           f"written by rocksdb:low (pid 812){wrote}")
    tail = "tail (the last block rewritten after the file was cut within it), asked for by fsync, fdatasync, sync or " \
        "the like; the block does not follow because the log had gone on to other blocks, of another file or of this one"
    expect(at(1010), "LBA 1010 · segment 0 · offset 8 · /mnt/f2fs/db/000001.sst\n"
                           f"not contiguous: {tail}; by rocksdb:low (pid 812){wrote}")
    # the rest of the fragment, after a hole
    expect(at(1121), "LBA 1121 · segment 1 · offset 20 · /mnt/f2fs/db/000004.sst\n"
                            f"not contiguous: {tail}; by rocksdb:low (pid 812){wrote}")
    expect(at(1210).split("\n")[1], "not contiguous: gc_bg (moved by garbage collection in the background); the "
           "block does not follow because one of the two was rewritten or moved away")
    expect(at(1150), "LBA 1150 · segment 1 · free, or not watched")


def test_finding(page: Page) -> None:
    def found(*paths: str) -> None:
        page.browser.until("[...document.querySelectorAll('#rows bdi')].map(e => e.textContent).join() === " + json.dumps(",".join(paths)))

    page.serve(DATA / "rocksdb2.table")
    page.browser.click_on("#find")
    page.browser.write("MANI")
    found("/mnt/f2fs/db/MANIFEST-000071")
    page.js("document.querySelector('#find').value = ''")
    page.browser.write("no such")
    found()
    expect(page.text("#left"), "No file matches no such.")
    page.js("document.querySelector('#find').value = ''")
    page.browser.write("mani")
    found("/mnt/f2fs/db/MANIFEST-000071")
    expect(page.text("#left"), "")
    # a hidden file becomes visible when its cell is clicked
    lba = next(at for at, (_, path) in blocks(DATA / "rocksdb2.table").items() if path.endswith("OPTIONS-000007"))
    page.show(lba)
    page.browser.click(*page.map_place(lba))
    page.await_lit("/mnt/f2fs/db/OPTIONS-000007")
    expect(page.js("document.querySelector('#find').value"), "")
    # one that shows the file stays
    page.browser.click_on("#find")
    page.browser.write("OPTIONS")
    lba = next(at for at, (_, path) in blocks(DATA / "rocksdb2.table").items() if path.endswith("OPTIONS-000073"))
    page.show(lba)
    page.browser.click(*page.map_place(lba))
    page.await_lit("/mnt/f2fs/db/OPTIONS-000073")
    expect(page.js("document.querySelector('#find').value"), "OPTIONS")


# === What was counted ===

def test_counts_are_those_of_the_commands(page: Page) -> None:
    copy_counts(Path("copy"))
    page.serve("copy/table", "-n", "0.3")
    page.js("document.querySelector('#panel-files').focus()")
    for command, file in ("cost", "latency"), ("ledger", "ledger"), ("gc", "gc_runs"):
        page.browser.key("ArrowRight")
        page.browser.until(f"state.panel === '{command}'")
        expect_counts(page, command, f"copy/{file}")
    expect(page.js("[document.querySelector('#scroll').checkVisibility(), document.querySelector('#counts').checkVisibility()]"), [False, True])
    # another volume is not shown; what is new is, and the link says which panel
    assert "254:16" not in page.text("#counts"), page.text("#counts")
    counts = Path("copy/gc_runs").read_text(encoding="utf-8").replace("sum idle 30", "sum idle 31")
    Path("new").write_text(counts, encoding="utf-8")
    os.rename("new", "copy/gc_runs")
    os.utime("copy/table")
    replace("copy/table", ["254:0 110 2 0 4 contiguous /m/a.sst"])
    page.browser.until("document.querySelector('#counts b').textContent.startsWith('254:0: 38 collections')")
    page.browser.until("location.hash.includes('panel=gc')")
    page.browser.key("ArrowRight")
    page.browser.until("document.querySelector('#scroll').checkVisibility() && !document.querySelector('#counts').checkVisibility()")
    page.open()
    page.js("location.hash = 'panel=ledger'")
    expect_counts(page, "ledger", "copy/ledger")
    with open("copy/ledger", "a", encoding="ascii") as file:
        file.writelines(f"254:0 process {n} 0 0 {n} 0 0 0 {n} x{n} /\n" for n in range(9, 159))
    page.js("drawPanel()")
    page.browser.until("document.querySelector('#counts').textContent.endsWith('Of the first 100; fragtrace ledger --json has all.')")
    # the heads, so many, and all others, without which the sum would not be right
    expect(page.js("document.querySelectorAll('#counts table')[1].rows.length"), 102)
    assert page.js("[...document.querySelectorAll('#counts table')[1].rows].at(-1).textContent").startswith("all others: ")


def test_counts_of_several_volumes(page: Page) -> None:
    copy_counts(Path("copy"), "two.table")
    page.serve("copy/table")
    page.js("showPanel('gc')")
    page.browser.until("document.querySelectorAll('#counts h2').length === 2")
    expect(page.js("[...document.querySelectorAll('#counts h2')].map(e => e.textContent)"), ["/mnt/a", "/mnt/my disk"])
    expect(page.js("[...document.querySelectorAll('#counts b')].map(e => e.textContent.split(': ')[0])"), ["254:0", "254:16"])


def test_what_is_not_counted_is_said(page: Page) -> None:
    Path("copy").mkdir()
    (Path("copy/table")).write_bytes((DATA / "small.table").read_bytes())
    Path("copy/latency").write_text("# fragtrace latency 1\n# not known: the module was loaded with latency=0\n", encoding="ascii")
    Path("copy/gc_runs").write_text("# fragtrace gc_runs 2\n", encoding="ascii")
    page.serve("copy/table")
    for panel, said in ("cost", "copy/latency: the module was loaded with latency=0; load it with latency=1\n"), \
            ("ledger", "copy/table: has no file ledger; expected a recording of a module that was loaded with ledger=1\n"), \
            ("gc", "Nothing was counted on what is shown."):
        page.js(f"showPanel('{panel}')")
        page.browser.until(f"document.querySelector('#counts').textContent === {json.dumps(said)}")
    page.browser.complaints[:] = [c for c in page.browser.complaints if "404" not in c]


# === Update ===

def replace(table: str, lines: list[str]) -> None:
    Path("new").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m\n" +
                           "".join(line + "\n" for line in lines))
    os.rename("new", table)


def test_silence_is_told(page: Page) -> None:
    replace("t", ["254:0 110 2 0 4 contiguous /m/a.sst"])
    page.serve("t", "-n", "0.2")
    os.unlink("t")
    # the last table may not be there yet
    time.sleep(1)
    page.js("(() => { const now = Date.now; Date.now = () => now() + 60000; })()")
    page.browser.until("/nothing new for 6[0-9] s/.test(document.querySelector('#fresh').textContent)")
    # the old content stays
    assert page.paths()


def test_once_is_not_renewed(page: Page) -> None:
    page.serve(DATA / "small.table")
    assert "renewed" not in page.text("#fresh")


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
    assert "renewed every 0.2 s" in page.text("#fresh"), page.text("#fresh")
    # the file that is lit up goes, and comes back; all selections stay when the user reloads the page, too
    first = ["254:0 110 2 0 4 contiguous /m/a.sst", "254:0 120 1 0 5 contiguous /m/b.log"]
    replace("t", first[1:])
    page.browser.until("document.querySelectorAll('#rows tr').length === 1")
    page.browser.point(1, 1)
    page.browser.until("document.querySelector('#cell').textContent === 'The file that was lit up is not there any more.'")
    page.browser.until("!shown.lit.some(Boolean)")
    replace("t", first)
    page.browser.until("document.querySelectorAll('#rows tr').length === 2")
    page.browser.click_on("#find")
    page.browser.write("/m/")
    page.open()
    page.await_lit("/m/a.sst")
    expect((page.js("document.querySelector('#find').value"), page.paths()), ("/m/", ["/m/a.sst", "/m/b.log"]))
    page.browser.click_on("#closer")
    page.settle()
    shown = page.shown()
    page.stop()
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


# === Names, limits, and empty input ===

def test_names_are_text(page: Page) -> None:
    names = ["</script><script>window.bad=1</script>", "<img src=x onerror=window.bad=1>", "&lt;b&gt;", "\"'`${1}\\134",
             "<!--<script>", "--><b>", "@data@", "javascript:window.bad=1", "tab\\011new\\012line", "\u202edlo.txt"]
    replace("t", [f"254:0 {100 + i} 1 0 {i + 4} contiguous /m/{name.replace(' ', chr(92) + '040')}"
                  for i, name in enumerate(names)])
    with open("t", "ab") as file:
        file.write(b"254:0 120 1 0 99 contiguous /m/\xff\xfe\n")
    page.serve("t", *PLAIN)
    # what begins a line or changes the order of text stays escaped
    shown = [n.replace("\u202e", "\\342\\200\\256") for n in names]
    expect(sorted(page.paths()), sorted("/m/" + n for n in shown + ["\\377\\376"]))
    for i, name in enumerate(shown):
        expect(page.point(100 + i), f"LBA {100 + i} · segment 0 · offset 0 · /m/{name}")
        page.browser.click(*page.map_place(100 + i))
        page.await_lit("/m/" + name)
    expect(page.js("window.bad"), None)
    expect(page.js("document.querySelectorAll('img, script').length"), 2)


def test_part_of_a_volume(page: Page) -> None:
    page.serve(DATA / "small.table", *PLAIN, "--lba", "141-151")
    for lba, offset in (141, 1), (151, 11):
        expect(page.point(lba), f"LBA {lba} · segment 1 · offset {offset} · /mnt/f2fs/MANIFEST-000005")
    page.serve(DATA / "small.table", *PLAIN, "--only", "*.log", "--lba", "121-131")
    expect(page.paths(), ["/mnt/f2fs/my file.log"])
    expect(page.point(121), "LBA 121 · segment 0 · offset 1 · /mnt/f2fs/my file.log")
    assert page.point(130).endswith("a file that is left out"), page.point(130)
    expect(page.text("#notes"), "Only the 1 file of 7 that match *.log. Only LBA 121-131 of the volume; figures are of whole files.")


def test_stopped_stale_and_left_out(page: Page) -> None:
    Path("t").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m\n"
                         "# stale 3\n# left_out 254:0 5\n# stopped 254:0\n254:0 110 2 0 4 contiguous /m/a.sst\n")
    page.serve("t")
    expect(page.text("#notes"), "/m: F2FS has stopped after an error or a shutdown; nothing is written any more.")
    summary = page.text("#summary")
    assert "3 stale: their blocks may have moved" in summary and "5 left out: fragtrace's memory was short" in summary, summary
    page.serve(DATA / "small.table")
    expect((page.text("#notes"), page.js("notes.hidden ?? document.querySelector('#notes').hidden")), ("", True))


def test_nothing(page: Page) -> None:
    page.serve(DATA / "header_only.table", "-n", "100")
    expect(page.text("#volumes"), "no directory is watched")
    expect(page.text("#summary"), "0 files, 0 of them fragmented; split factor 1.000")
    page.browser.click(300, 300)
    page.js("document.querySelector('#map').focus()")
    page.browser.key("ArrowRight")
    replace("t", [])
    page.serve("t")
    assert "free, or not watched" in page.point(105)


def test_narrow(page: Page) -> None:
    page.browser.resize(400, 800)
    page.serve(DATA / "rocksdb2.table")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    # nor along a curve
    page.js("setSquare(true)")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    # nor has the name of a volume no room
    Path("t").write_text("# fragtrace table 1\n" + "".join(
        f"# volume 254:{i} main_blkaddr=100 blocks=164 segment_blocks=32 path=/srv/{'very-long-name' * 9}/{i}\n" for i in range(2)))
    page.browser.resize(390, 844)
    page.serve("t")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")


if __name__ == "__main__":
    sys.exit(main(globals()))
