#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the page of fragtrace, written by view --html or by serve: cells, clicks, names, and how it renews itself; speaks KTAP.

usage: test_page.py PROGRAM [TEST...]; pages.py has what a test is
"""
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

from pages import DATA, HERE, PLAIN, Page, blocks, expect, main


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
    # from the picture: search field, folders, size, the five headings, the first file
    for _ in range(9):
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
                           f"not contiguous: {tail}; by rocksdb:low (pid 812){wrote}")
    # the rest of the fragment, after a hole
    expect(page.point(121), "LBA 1121 · segment 1 · offset 20 · /mnt/f2fs/db/000004.sst\n"
                            f"not contiguous: {tail}; by rocksdb:low (pid 812){wrote}")
    expect(page.point(210).split("\n")[1], "not contiguous: gc_bg (moved by garbage collection in the background); the "
           "block does not follow because one of the two was rewritten or moved away")
    expect(page.point(150), "LBA 1150 · segment 1 · free, or not watched")


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
    flat = page.data["volumes"][0]["pieces"]
    at, files = 0, page.data["files"]
    for owner, n, _, units, _ in zip(*[iter(flat)] * 5):
        if owner >= 0 and files[owner][0].endswith("OPTIONS-000007"):
            break
        at += units or n
    page.browser.click(*page.place(at // page.data["unitsPerCell"]))
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
    assert page.point(9).endswith("a file that is left out"), page.point(9)
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
    # nor has the name of a volume no room
    Path("t").write_text("# fragtrace table 1\n" + "".join(
        f"# volume 254:{i} main_blkaddr=100 blocks=164 segment_blocks=32 path=/srv/{'very-long-name' * 9}/{i}\n" for i in range(2)))
    page.browser.resize(390, 844)
    page.write("t")
    page.browser.click_on("#toMap")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    page.serve("t")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")


if __name__ == "__main__":
    sys.exit(main(globals()))
