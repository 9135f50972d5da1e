#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Tests what fragtrace view draws: the digits, words and swatches of a picture, read from an SVG; speaks KTAP.

usage: test_drawn.py PROGRAM [TEST...]

The expected rows are written here by hand for small inputs. For the others, what is drawn must be what the notes of the
picture say, which other tests compare with models. A test is a function test_NAME, as in test_heat.py.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from PIL import Image, ImageColor

import drawn
from drawn import Drawn

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
PEEK = HERE.parent / "build" / "pngpeek"
# Blocks of no watched file.
OTHER, NODES = "#efefaf", "#af9f8f"
LAYOUTS = ("boxes", "segments", "hilbert")
VOLUME = "# volume 254:0 main_blkaddr=0 blocks={} segment_blocks=512 path=/m\n"


def expect(got: object, expected: object) -> None:
    assert got == expected, f"expected {expected!r}, got {got!r}"


def command(args: tuple[object, ...]) -> list[str]:
    """The arguments of a command; that of all files is the default."""
    return [*([] if args[0] == "file" else ["view"]), *map(str, args)]


def draw(view: str, *args: object) -> Drawn:
    """Draw a picture, and read it."""
    subprocess.run([view, *command(args), "-o", "out.svg"], check=True, stdout=subprocess.DEVNULL)
    return drawn.read("out.svg")


def notes(view: str, *args: object) -> list[str]:
    """The lines that a picture says."""
    subprocess.run([view, *command(args), "-o", "out.png"], check=True, stdout=subprocess.DEVNULL)
    text = subprocess.run([str(PEEK), "out.png", "text"], capture_output=True, text=True, check=True).stdout
    return text.replace("Description: ", "").splitlines()


def colours(*where: int) -> dict[str, int]:
    """The pixels of out.png, or of a rectangle of it, by colour."""
    text = subprocess.run([str(PEEK), "out.png", *map(str, where)], capture_output=True, text=True, check=True).stdout
    return {line.split()[0]: int(line.split()[1]) for line in text.splitlines()[1:]}


def legend(picture: Drawn, first: str, last: str) -> list[str]:
    """The rows from one to another, each with its swatches before it."""
    rows = [[*picture.swatches(row), *(text.text for text in row)] for row in picture.rows()]
    names = [next((word for word in row if not word.startswith("#")), "") for row in rows]
    return [" | ".join(row) for row in rows[names.index(first):names.index(last) + 1]]


def table(name: str, blocks: int, *records: str) -> str:
    """Write a table."""
    Path(name).write_text("# fragtrace table 1\n# time 1700000000.000\n" + VOLUME.format(blocks) + "".join(f"{r}\n" for r in records),
                          encoding="utf-8")
    return name


def snapshot(source: Path) -> str:
    """Convert a table to a snapshot, with causes."""
    made = subprocess.run([sys.executable, "-B", str(HERE / "to_snapshot.py"), str(source)], capture_output=True, check=True)
    Path("snapshot").write_bytes(made.stdout)
    return "snapshot"


# === Rows written by hand ===


def test_rows_of_files(view: str) -> None:
    """small.table in each layout: seven files, one of them in three fragments."""
    plain = ["-t", DATA / "small.table", "-c", DATA / "plain.color.cnf", "-i", DATA / "plain.img.cnf"]
    for layout in LAYOUTS:
        picture = draw(view, *plain, "--layout", layout)
        expect(legend(picture, "contiguous", "not watched or free"), [
            "contiguous | fragmented",
            "extension | files | blocks | files | blocks | fragments",
            "#00aa00 | #ff8800 | #aa4400 | #f5d9c0 | .sst | 2 | 6 | 1 | 6 | 3",
            "#0000ff | #00cccc | #006666 | #c0e6e6 | .log | 1 | 6 | - | - | -",
            "#c0c0c0 | #000001 | #606060 | #cccccc | default | 3 | 22 | - | - | -",
            "all files | 6 | 34 | 1 | 6 | 3",
            "#ffffff | not watched or free | 24 | in 4 gaps, longest 9"])
        expect(" ".join(t.text for t in picture.row("254:0")),
               "254:0 /mnt/f2fs LBA 100 to 163, 64 blocks (256 KiB), 62.5 % in watched files")
    # names begin at one edge, and half a line is blank between the parts
    height = {row[0].text: row[0].y for row in picture.rows()}
    expect({name: picture.row(name)[0].x - picture.row("all files")[0].x for name in (".sst", "default", "not watched or free")},
           {".sst": 0, "default": 0, "not watched or free": 0})
    expect(height["not watched or free"] - height["all files"], 22 + 11)


def test_rows_of_a_part(view: str) -> None:
    """Blocks 103 to 127 of .sst files alone: the others are counted apart, and what is folded is said."""
    Path("i.cnf").write_text("max_length 2\nstub=3\ncell 8\n", encoding="utf-8")
    plain = ["-t", DATA / "small.table", "-c", DATA / "plain.color.cnf", "-i"]
    picture = draw(view, *plain, DATA / "plain.img.cnf", "--only", ".sst", "--lba", "103-127")
    # 103 and 104 of one file, 105 to 110 of the other one in three fragments; 120 to 125 are of the log
    expect(legend(picture, ".sst", "not watched or free"), [
        "#00aa00 | #ff8800 | #aa4400 | #f5d9c0 | .sst | 1 | 2 | 1 | 6 | 3",
        "all files | 1 | 2 | 1 | 6 | 3",
        "#d8e2f2 | other files | 6 | watched, but do not match",
        "#ffffff | not watched or free | 11 | in 2 gaps, longest 9"])
    picture = draw(view, *plain, "./i.cnf")
    # two blocks are drawn of each fragment, and of each gap, of more than four
    expect(legend(picture, ".sst", "not watched or free"), [
        "#00aa00 | #ff8800 | #aa4400 | #f5d9c0 | .sst | 2 | 6 | 1 | 6 | 3 | 3",
        "#0000ff | #00cccc | #006666 | #c0e6e6 | .log | 1 | 6 | - | - | - | 4",
        "#c0c0c0 | #000001 | #606060 | #cccccc | default | 3 | 22 | - | - | - | 18",
        "all files | 6 | 34 | 1 | 6 | 3 | 25",
        "#ffffff | not watched or free | 24 | in 4 gaps, longest 9 | 12"])


def test_what_is_empty_is_left_out(view: str) -> None:
    """Rows of colours that nothing has, and columns that have no number; the boxes move up."""
    args = ["-c", DATA / "plain.color.cnf", "-i", DATA / "plain.img.cnf"]
    contiguous, fragmented = ["254:0 0 9 0 4 contiguous /m/a.sst"], ["254:0 20 9 0 5 fragmented /m/b.log", "254:0 40 9 9 5 fragmented /m/b.log"]
    heights = []
    for records, rows in ((contiguous, ["contiguous", "extension | files | blocks", "#00aa00 | .sst | 1 | 9", "all files | 1 | 9",
                                        "#ffffff | not watched or free | 91 | in 1 gap, longest 91"]),
                          (fragmented, ["fragmented", "extension | blocks | files | blocks | fragments",
                                        "#00cccc | #006666 | #c0e6e6 | .log | 1 | 18 | 2", "all files | 1 | 18 | 2",
                                        "#ffffff | not watched or free | 82 | in 3 gaps, longest 51"]),
                          (contiguous + fragmented, ["contiguous | fragmented", "extension | files | blocks | files | blocks | fragments",
                                                     "#00aa00 | #ff8800 | #aa4400 | #f5d9c0 | .sst | 1 | 9 | - | - | -",
                                                     "#0000ff | #00cccc | #006666 | #c0e6e6 | .log | - | - | 1 | 18 | 2",
                                                     "all files | 1 | 9 | 1 | 18 | 2",
                                                     "#ffffff | not watched or free | 73 | in 3 gaps, longest 51"])):
        picture = draw(view, "-t", table("table", 100, *records), *args)
        expect(legend(picture, rows[0].split(" | ")[0], "not watched or free"), rows)
        heights.append(picture.row("254:0")[0].y)
    expect((heights[1] - heights[0], heights[2] - heights[0]), (0, 22))
    # fragments, of a volume without a file: no share of nothing
    picture = draw(view, "-t", table("table", 100), "--color-by", "size")
    expect(legend(picture, "fragment of", "not watched or free"), [
        "fragment of | blocks", "all fragments | -", "#ffffff | not watched or free | in 1 gap, longest 100 | 100"])


def test_rows_of_breaks(view: str) -> None:
    """why.table: nine breaks by five operations; what begins its file is not among them."""
    picture = draw(view, snapshot(DATA / "why.table"), "--color-by", "cause")
    expect(legend(picture, "what broke the file", "no break: begins its file"), [
        "what broke the file | breaks | share | blocks | share | blocks",
        "#1332fb | append | 3 | 33.3 % | 6 | 40 % | -",
        "#fb5c1f | overwrite | 1 | 11.1 % | 1 | 6.7 % | -",
        "#45ef66 | tail | 3 | 33.3 % | 5 | 33.3 % | -",
        "#b4220d | gc_bg | 1 | 11.1 % | 2 | 13.3 % | -",
        "#8a8a8a | unknown | 1 | 11.1 % | 1 | 6.7 % | -",
        "all breaks | 9 | 100 % | 15 | 100 % | -",
        "#c8c8c8 | no break: begins its file | 45 | -"])
    assert picture.row("not watched or free", "in 14 gaps, longest 685", "940", "682")


def test_rows_of_reads(view: str) -> None:
    """A contiguous file of three windows, and a file that has no blocks."""
    one = table("table", 512, "254:0 0 96 0 4 contiguous /m/a.db")
    Path("heat").write_text("# fragtrace heat 2\n# windows blocks=32 period_secs=7200\n254:0 4 0 5 60 5 0 0 /m/a.db\n"
                            "254:0 4 64 2000 4000 2000 0 0 /m/a.db\n254:0 4 96 7 7 7 0 0 /m/a.db\n254:0 9 0 40 7 7 0 0 /m/b.db\n",
                            encoding="utf-8")
    picture = draw(view, one, "--color-by", "heat")
    expect(legend(picture, "4 to 15 reads", "windows without a block here"), [
        "#e99a77 | 4 to 15 reads | 5 | 0.2 % | 32 | 33.3 % | -",
        "#511b00 | 1024 reads or more | 2,000 | 99.8 % | 32 | 33.3 % | -",
        "all reads here | 2,005 | 100 % | 96 | 100 % | -",
        "windows without a block here | 47"])
    assert "reads after the page cache, by windows of 128 KiB; counts halve every 7,200 seconds" in picture.lines()


def test_rows_of_the_state(view: str) -> None:
    """F2FS's own state: what is in no watched file is nodes or other data, and the rest is free."""
    args = ["-t", DATA / "f2fs-7/table", "--f2fs-state", DATA / "f2fs-7"]
    for by, layout in ("kind", "boxes"), ("size", "segments"), ("cause", "hilbert"):
        told = notes(view, *args, "--color-by", by, "--layout", layout)
        picture, seen = draw(view, *args, "--color-by", by, "--layout", layout), colours()
        for name, colour in ("other data", OTHER), ("nodes", NODES):
            row = picture.row(name)
            line, = (line for line in told if line.startswith(f"{name}: "))
            wanted = [grouped(number) for number in re.findall(r"=(\d+)", line)][:2 if has_folded(told) else 1]
            got = [text.text for text in row[1:] if re.fullmatch(r"[\d,]+|-", text.text)]
            expect((name, got, picture.swatches(row)), (name, wanted, [colour]))
            # cells have it, too; those of the curve are mixed here
            # a block that is alone is darker
            assert layout == "hilbert" or name == "other data" or seen[colour] > 20 * 14, (name, seen)


def test_rows_of_a_file(view: str) -> None:
    """The list of breaks of one file, and its holes."""
    picture = draw(view, "file", "db/000007.sst", "-t", snapshot(DATA / "file.table"))
    lines = picture.lines()
    at = lines.index("all breaks")
    expect(lines[at:at + 4], [
        "all breaks",
        "at block | offset | expected LBA | is at LBA | distance | operation, request, reason; process",
        "1 | 4 | 16 KiB | 1,054 | 1,110 | +56 | append, writeback, new_segment; by log er:99",
        "2 | 8 | 32 KiB | 1,114 | 1,240 | +126 | tail, sync, interleaved; by rocksdb:low:812"])
    assert "bars are blocks; a line to a bar is a break, and has its colour; below: number of breaks in each 4 KiB" in lines, lines
    # the numbers of the breaks are above their lines
    expect(len([line for line in lines if line == "1 | 2"]), 1)
    # the offsets are below the strip with the numbers of breaks
    strip, = (box for box in picture.boxes if box.rgb == "#ffffff" and box.w > 1000)
    row = picture.row("0 KiB", "8 KiB", "16 KiB", "24 KiB")
    expect(round(row[0].y - strip.y - strip.h, 2), 13.55)
    row = picture.row("hole: 8 blocks", "allocated, not written: 5 blocks")
    expect(picture.swatches(row), ["#d9d7ce", "#bcd2ee"])
    expect(legend(picture, "append", "no break: begins its file"), [
        "#1332fb | append | 1 | 50 % | 4 | 57.1 %",
        "#45ef66 | tail | 1 | 50 % | 3 | 42.9 %",
        "all breaks | 2 | 100 % | 7 | 100 %",
        "#c8c8c8 | no break: begins its file | 4"])
    # all texts are where they were, on a picture of twice the size
    larger = draw(view, "file", "db/000007.sst", "-t", "snapshot", "--dpi", 192)
    expect([text.text for text in larger.texts if "1 pixel" not in text.text], [text.text for text in picture.texts if "1 pixel" not in text.text])
    for text, twice in zip(picture.texts, larger.texts):
        assert abs(twice.x - 2 * text.x) <= 4 and abs(twice.y - 2 * text.y) <= 1, (text, twice)


def test_a_segment_is_not_named_over_the_last_block(view: str) -> None:
    """Its address is beside it, wherever it is: names of segments that would touch it are left out."""
    for last in range(1208, 1236, 4):
        rows = ["254:0 1000 9 0 4 fragmented /m/a", f"254:0 {last - 9} 10 9 4 fragmented /m/a"]
        short = Path(table("table", 4000, *rows))
        short.write_text(short.read_text(encoding="utf-8").replace("segment_blocks=512", "segment_blocks=64"), encoding="utf-8")
        picture = draw(view, "file", "a", "-t", short)
        [address] = [text for text in picture.texts if text.text.endswith(f"LBA {last}")]
        assert min(abs(text.y - address.y) for text in picture.texts if text.text.startswith("segment ")) > 1.5 * address.size, last


def test_long_names_end_before_the_swatches(view: str) -> None:
    """The middle of a name is left out; the first swatch is 16 letters of 12 pixels from the margin."""
    Path("c.cnf").write_text(".abcdefghijklmnopqrstuvwxyz #112233 #445566 #778899\ndefault #c0c0c0 #c0c0c1 #c0c0c2\n", encoding="utf-8")
    picture = draw(view, "-t", table("table", 100, "254:0 0 9 0 4 contiguous /m/x.abcdefghijklmnopqrstuvwxyz"), "-c", "./c.cnf")
    row, = (row for row in picture.rows() if row[0].text.startswith(".a"))
    assert re.fullmatch(r"\.abc.*\u2026.*xyz", row[0].text) and len(row[0].text) < 25 and row[0].end <= 12 + 15 * 12, row
    expect(min(box.x for box in picture.boxes if box.rgb == "#112233"), 12 + 16 * 12)


def test_a_long_path_leaves_room_in_the_heading(view: str) -> None:
    """The middle of the path is left out; what follows it is there in full, however long it is. The path has the rest of the row."""
    path = "/m" + "x" * 200
    Path("table").write_text(f"# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks=3000 segment_blocks=512 path={path}\n"
                             f"254:0 0 2900 0 4 contiguous {path}/a.db\n", encoding="utf-8")
    picture = draw(view, "-t", "table")
    row, = (row for row in picture.rows() if row[0].text == "254:0")
    expect(row[-1].text, "LBA 0 to 2999, 3,000 blocks (11.7 MiB), 96.7 % in watched files")
    assert row[-1].end < 1280 - 12 and re.fullmatch("/mx+\u2026x+", row[-2].text) and row[-2].end - row[1].x > 1280 * 0.3, row


def test_svg_has_the_size_and_the_cells(view: str) -> None:
    """A pixel is 1/dpi of an inch, which has 72 points; the cells are those of the PNG."""
    for dpi, layout in (96, "boxes"), (192, "boxes"), (96, "segments"), (96, "hilbert"):
        args = ["-t", DATA / "small.table", "-c", DATA / "plain.color.cnf", "-i", DATA / "plain.img.cnf", "--dpi", dpi, "--layout", layout]
        notes(view, *args)
        draw(view, *args)
        svg = Path("out.svg").read_text(encoding="utf-8")
        with Image.open("out.png") as image:
            size = image.size
        got = re.search(r'<svg [^>]*width="([\d.]+)pt" height="([\d.]+)pt"', svg)
        assert got
        expect(tuple(round(float(points) * dpi / 72) for points in got.groups()), size)
        counts: dict[tuple[int, int, int], int] = {}
        for _, _, cells in drawn.images("out.svg"):
            for n, colour in cells.getcolors(1 << 24) or []:
                counts[colour] = counts.get(colour, 0) + n
        swatch, drawn_in_png = 20 * 14 * dpi * dpi // 96 ** 2, colours()
        for name in "#00aa00", "#ff8800", "#aa4400", "#0000ff", "#c0c0c0":
            expect((name, counts.get(ImageColor.getrgb(name), 0)), (name, drawn_in_png[name] - swatch))


def test_hatch_of_the_legend(view: str) -> None:
    """Stripes of 2 pixels to the left and down, in a square of 14, as many letters from the left as the column has."""
    notes(view, "-t", table("table", 3000, "254:0 0 9 0 4 contiguous /m/a"), "--layout", "boxes")
    with Image.open("out.png") as image:
        # few colours: a byte for each pixel
        expect(image.mode, "P")
        pixels = image.convert("RGB")
        left, top = 12 + 93 * 12, 221
        for x in range(14):
            for y in range(14):
                expect((x, y, pixels.getpixel((left + x, top + y))),
                       (x, y, (255, 255, 255) if (x + y) // 2 % 2 else (127, 127, 127)))


def test_ticks_of_a_curve(view: str) -> None:
    """One block alone is not free: a tick at the right of its row, and one below its column."""
    for lba, column, row in (0, 0, 0), (10, 3, 3), (63, 7, 0):
        picture = draw(view, "-t", table("table", 64, f"254:0 {lba} 1 0 4 contiguous /m/a.db"), "--layout", "hilbert",
                       "-c", DATA / "plain.color.cnf", "-i", DATA / "plain.img.cnf")
        ticks = {(box.x, box.y, box.w, box.h) for box in picture.boxes if box.rgb == "#6a6a67" and box.y > 360 and 4 in (box.w, box.h)}
        left, top, pitch, n = 84, 371, 139, 8
        expect(ticks, {(left + n * pitch + 1, top + row * pitch, 4, 138), (left + column * pitch, top + n * pitch + 1, 138, 4)})


# === Limits of classes ===


def with_extra(extra: int, windows: int, lba: int, ino: int) -> tuple[list[str], int]:
    """Records of a file of so many windows of 32 blocks that takes so many more requests, and where it ends."""
    records, offset, state = [], 0, "fragmented" if extra else "contiguous"
    for _ in range(windows):
        here = min(extra, 31)
        # so many blocks alone, a block between any two, and the rest of the 32 after them
        for _ in range(here):
            records.append(f"254:0 {lba} 1 {offset} {ino} {state} /m/{ino}.db")
            lba, offset = lba + 2, offset + 1
        records.append(f"254:0 {lba} {32 - here} {offset} {ino} {state} /m/{ino}.db")
        lba, offset, extra = lba + 32 - here + 1, offset + 32 - here, extra - here
    return records, lba + 1


def test_limits_of_severity(view: str) -> None:
    """Files at both ends of each class, alone in a picture: the row that counts them, and the colour of their cells."""
    classes = [("none", "#cecece", (0, 1), (0, 1)), ("below 1 %", "#f2e56d", (1, 180), (1, 101)), ("1 to 5 %", "#f6bf55", (1, 100), (1, 21)),
               ("5 to 20 %", "#f3984c", (1, 20), (19, 96)), ("20 to 50 %", "#e9724d", (1, 5), (49, 99)),
               ("50 to 100 %", "#ba295c", (1, 2), (99, 100)), ("100 to 400 %", "#690068", (1, 1), (399, 100)),
               ("400 % or more", "#2d0966", (4, 1), (62, 2))]
    records: list[str] = []
    lba, places = 0, []
    for ino, ((extra, windows), colour) in enumerate(((e, c) for _, c, *ends in classes for e in ends), 4):
        more, end = with_extra(extra, windows, lba, ino)
        places.append((lba, colour))
        records, lba = records + more, end
    one = table("table", 29999, *records)
    picture = draw(view, one, "--color-by", "severity", "-i", DATA / "plain.img.cnf")
    for name, colour, low, high in classes:
        row = picture.row(name)
        blocks = 32 * (low[1] + high[1])
        words = [text.text for text in row]
        fragments = sum(low + high)
        expect(words[1:5], ["-", "-", "2", grouped(blocks)] if low[0] else ["2", "64", "-", "-"])
        expect(words[5], grouped(fragments) if low[0] else "-")
        expect(set(picture.swatches(row)), {colour})
    # boxes of 7 x 7 and a border of 1: the first one is 5 lines of 22 pixels lower than in small.table, for as many more rules
    notes(view, one, "--color-by", "severity", "-i", DATA / "plain.img.cnf")
    left, top, columns = 48, 525, 152
    with Image.open("out.png") as image:
        pixels = image.convert("RGB")
        for lba, colour in places:
            got = pixels.getpixel((left + lba % columns * 8 + 3, top + lba // columns * 8 + 3))
            expect((lba, got), (lba, ImageColor.getrgb(colour)))


def test_limits_of_sizes(view: str) -> None:
    """Fragments of the least and of the most blocks of each class."""
    classes = [("1 block", "#2d0966", 1, 1), ("2 to 3", "#690068", 2, 3), ("4 to 7", "#960664", 4, 7), ("8 to 15", "#ba295c", 8, 15),
               ("16 to 31", "#d64c54", 16, 31), ("32 to 127", "#e9724d", 32, 127), ("128 to 511", "#f3984c", 128, 511),
               ("512 to 2047", "#f6bf55", 512, 2047), ("2048 or more", "#f2e56d", 2048, 5000)]
    lba, records = 0, []
    for ino, blks in enumerate((b for _, _, *ends in classes for b in ends), 4):
        records += [f"254:0 {lba + i * (blks + 1)} {blks} {i * blks} {ino} fragmented /m/{ino}.db" for i in range(2)]
        lba += 2 * (blks + 1)
    records.append(f"254:0 {lba} 7 0 3 contiguous /m/3.db")
    picture = draw(view, table("table", 30000, *records), "--color-by", "size", "-i", DATA / "plain.img.cnf")
    for name, colour, low, high in classes:
        words = [text.text for text in picture.row(name)]
        # two fragments of the least size, two of the most; a contiguous file is neutral
        expect((words[1], words[3], set(picture.swatches(picture.row(name)))), ("4", grouped(2 * (low + high)), {colour}))
    contiguous = picture.row("contiguous file")
    expect(([text.text for text in contiguous][1:4:2], picture.swatches(contiguous)), (["1", "7"], ["#c8c8c8"]))


# === Few blocks in free space, files that touch, and colours of extensions ===


def contrast(rgb: tuple[int, ...], other: tuple[int, ...] = (255, 255, 255)) -> float:
    """The contrast of two colours, as WCAG defines it."""
    lights = []
    for colour in rgb, other:
        light = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour[:3]]
        lights.append(0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] + 0.05)
    return max(lights) / min(lights)


def test_all_texts_can_be_read(view: str) -> None:
    """Numbers on boxes of 125 colours, and all other texts on the page: a contrast of 4.5:1 or more, in the dark, too."""
    shades = [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in itertools.product((0, 0x55, 0x80, 0xaa, 0xff), repeat=3)]
    Path("i.cnf").write_text("max_length 20\n", encoding="utf-8")
    for theme, some in itertools.product(("light", "dark"), (shades[:60], shades[60:120], shades[120:])):
        Path("c.cnf").write_text("".join(f".k{i} {shade} {shade} {shade}\n" for i, shade in enumerate(some)) +
                                 "default #c0c0c0 #c0c0c0 #c0c0c0\n", encoding="utf-8")
        one = table("table", 200000, *(f"254:0 {3000 * i} 2000 0 {4 + i} contiguous /m/x.k{i}" for i in range(len(some))))
        picture = draw(view, "-t", one, "-c", "./c.cnf", "-i", "./i.cnf", "--theme", theme)
        cells, numbers = drawn.images("out.svg"), 0
        page = ImageColor.getrgb(picture.boxes[0].rgb)
        for text in picture.texts:
            # the pixel left of a number on boxes, which is in its mark
            below = next((image.getpixel((int(text.x - x) - 1, int(text.y - y) - 3)) for x, y, image in cells
                          if 0 < text.x - x < image.width and 4 < text.y - y < image.height + 3), None)
            numbers += below is not None
            assert contrast(ImageColor.getrgb(text.rgb), below or page) >= 4.5, (theme, text, below)
        assert numbers >= 2 * len(some), (numbers, len(some))


def test_what_is_alone_is_seen(view: str) -> None:
    """One block in all sizes of volumes, layouts and cells: some pixel of it has a contrast of 3:1."""
    for blocks, lba in (4, 1), (1000, 300), (100000, 54321), (1 << 24, 7654321), ((1 << 32) - 1, 3000000000):
        one = table("table", blocks, f"254:0 {lba} 1 0 4 contiguous /m/a.log")
        for layout, cell in itertools.product(LAYOUTS, (1, 8)):
            notes(view, one, "--layout", layout, "--cell", cell)
            with Image.open("out.png") as image:
                drawn_in = colours(0, 340, image.width, image.height - 340)
            # its colours have more blue than red, other than those of letters and of the page
            found = [ImageColor.getrgb(colour) for colour in drawn_in]
            best = max(contrast(rgb) for rgb in found if rgb[2] > rgb[0] + 4)
            assert best >= 3, (blocks, layout, cell, best)


def test_big_areas_keep_their_colours(view: str) -> None:
    """Only what is alone has a frame or is darker."""
    one = table("table", 1 << 24, "254:0 1000000 4000000 0 4 contiguous /m/a.log")
    for layout in "segments", "hilbert":
        notes(view, one, "--layout", layout)
        assert colours()["#9ac5fd"] > 10000
        # the two ends may be in rows and cells of their own
        darker = sum(n for colour, n in colours(0, 340, 1280, 200).items() if ImageColor.getrgb(colour)[2] > ImageColor.getrgb(colour)[0] + 12 and
                     contrast(ImageColor.getrgb(colour)) >= 3)
        assert darker < 200, (layout, darker)


def test_files_written_in_turn_are_told_from_one_that_lies_backwards(view: str) -> None:
    """By kind both have two tones in turn; by the worst files they have two colours, and one with lines."""
    turns = [f"254:0 {i} 1 {i // 2} {4 + i % 2} fragmented /m/{'ab'[i % 2]}.log" for i in range(64)]
    back = [f"254:0 {i} 1 {63 - i} 4 fragmented /m/a.log" for i in range(64)]
    seen = []
    for name, records in ("turns", turns), ("back", back):
        one = table(name, 100, *records)
        picture = draw(view, one, "--color-by", "worst", "-i", DATA / "plain.img.cnf")
        notes(view, one, "--color-by", "worst", "-i", DATA / "plain.img.cnf")
        seen.append([colours().get(colour, 0) for colour in ("#1332fb", "#fb5c1f")])
        expect([picture.swatches(row) for row in picture.rows() if row[0].text in ("a.log", "b.log")],
               [["#1332fb"], ["#fb5c1f"]][:2 if name == "turns" else 1])
    assert seen[0][0] == seen[0][1] == 32 * 64 + 280, seen
    assert seen[1][0] > 60 * 56 and not seen[1][1], seen


def test_an_extension_has_its_colour(view: str) -> None:
    """Whatever else is there, and however much of it; of two that have one colour, the one with more blocks has it."""
    tones = {".sst": "#98f7c6", ".log": "#9ac5fd", ".vpt": "#dbbf73", ".hash": "#fbd4fa", ".rdb": "#ffad98"}
    for chosen in [".log"], [".sst", ".log"], [".rdb", ".hash", ".log"], list(tones):
        for order in chosen, chosen[::-1]:
            one = table("table", 10000, *(f"254:0 {100 * i} {50 - i} 0 {4 + i} contiguous /m/x{ext}" for i, ext in enumerate(order)))
            picture = draw(view, one, "--color-by", "kind")
            for ext in chosen:
                expect((ext, picture.swatches(picture.row(ext))[0]), (ext, tones[ext]))
    # .aof and .sst
    for sizes in (5, 9), (9, 5):
        one = table("table", 100, f"254:0 0 {sizes[0]} 0 4 contiguous /m/a.aof", f"254:0 50 {sizes[1]} 0 5 contiguous /m/b.sst")
        names = [row[0].text for row in draw(view, one).rows()]
        expect((".aof" in names, ".sst" in names), (sizes[0] > sizes[1], sizes[1] > sizes[0]))


# === What is drawn, and what is noted ===


def grouped(number: object) -> str:
    """12,345; a 0 is a dash."""
    return f"{int(str(number)):,}" if int(str(number)) else "-"


def share(part: int, whole: int) -> str:
    """One decimal unless it is whole; only nothing is a dash, only the whole is 100 %."""
    percent = 100 * part / whole if whole else 0
    if not part:
        return "-"
    if percent < 0.05:
        return "<0.1 %"
    if part < whole and percent >= 99.95:
        return ">99.9 %"
    return f"{percent:,.0f} %" if percent == int(percent) else f"{percent:,.1f} %"


def has_folded(told: list[str]) -> bool:
    """Whether a column is for folded blocks."""
    return any(re.search(r"folded blocks=[1-9]", line) for line in told)


def check_row(picture: Drawn, note: str, whole: tuple[int, int], told: list[str]) -> bool:
    """A line of the notes that counts something must be drawn with its numbers. Return whether it counts."""
    if got := re.fullmatch(r"(.*): contiguous files=(\d+) blocks=(\d+), fragmented files=(\d+) blocks=(\d+) fragments=(\d+), "
                           r"folded blocks=(\d+)", note):
        files = next(line for line in told if line.startswith("all files"))
        shown = [*["contiguous files=0 blocks=0" not in files] * 2, *["fragmented files=0 blocks=0" not in files] * 3, has_folded(told)]
        wanted = [grouped(number) for number, is_shown in zip(got.groups()[1:], shown) if is_shown]
    elif got := re.fullmatch(r"(.*): (?:breaks|fragments|reads)=(\d+) blocks=(\d+), folded blocks=(\d+)", note):
        n, blks, folded = map(int, got.groups()[1:])
        wanted = [grouped(n), share(n, whole[0]), grouped(blks), share(blks, whole[1]), grouped(folded)][:5 if has_folded(told) else 4]
    elif got := re.fullmatch(r"(.*): blocks=(\d+) gaps=(\d+) longest=(\d+), folded blocks=(\d+)", note):
        wanted = [grouped(got[2]), f"in {int(got[3]):,} gap{'s' * (got[3] != '1')}, longest {int(got[4]):,}", *[grouped(got[5])][:has_folded(told)]]
        expect(sorted(text.text for text in picture.row(got[1])[1:]), sorted(wanted))
        return True
    else:
        return False
    # the list of breaks of a file has the same name as their sum
    rows = [[text.text for text in row] for row in picture.rows()]
    is_there = got[1].startswith("all ") or set(wanted) != {"-"}
    expect((got[1], [row[1:] for row in rows if row[0] == got[1] and row[1:]]), (got[1], [wanted][:is_there]))
    return True


def check_picture(view: str, *args: object) -> None:
    """All that the notes say is drawn."""
    told, picture = notes(view, *args), draw(view, *args)
    sums = [re.match(r"all (?:breaks|fragments|reads here): \w+=(\d+) blocks=(\d+)", line) for line in told]
    whole = next(((int(found[1]), int(found[2])) for found in sums if found), (0, 0))
    lines, counted = picture.lines(), 0
    for line in told:
        if check_row(picture, line, whole, told):
            counted += 1
        elif re.match(r"(dpi|Title|Software|cells mix|\d+:\d+ |hole|allocated|break \d|other |nodes|windows without|no break)", line):
            continue
        elif line:
            assert line in lines, (line, lines)
    assert counted > 1, told
    # numbers of a column end at one place
    ends: dict[int, int] = {}
    for row in picture.rows():
        for text in row:
            if re.fullmatch(r"[\d,]+", text.text):
                ends[round(text.end)] = ends.get(round(text.end), 0) + 1
    assert len(ends) <= 9, ends


def test_the_picture_is_the_notes(view: str) -> None:
    """Every colouring in every layout."""
    binary = snapshot(DATA / "why.table")
    Path("heat").write_text("# fragtrace heat 2\n# windows blocks=4 period_secs=3600\n" + "".join(
        f"254:0 {ino} {at} {reads} {reads} {reads} 3 0 /m\n" for ino, at, reads in
        ((4, 0, 1), (4, 4, 5), (5, 0, 20), (6, 0, 100), (7, 0, 300), (8, 0, 5000), (9, 0, 0), (10, 4, 123456))), encoding="utf-8")
    for by, layout in zip(("kind", "severity", "size", "cause", "process", "age", "heat", "file=*sst", "worst", "size", "heat", "kind", "cause"),
                          itertools.cycle(LAYOUTS)):
        heat = ["--heat", "heat"] if by == "heat" else []
        check_picture(view, binary, "--color-by", by, "--layout", layout, *heat)
    # numbers with commas, and folded blocks
    for by, layout in ("kind", "boxes"), ("size", "segments"), ("severity", "hilbert"):
        check_picture(view, "-t", DATA / "rocksdb.table", "--color-by", by, "--layout", layout)
    for by in "cause", "age", "process", "why":
        check_picture(view, "file", "db/000007.sst", "-t", snapshot(DATA / "file.table"), "--color-by", by)


# === Axes ===


def test_each_folded_gap_has_its_number(view: str) -> None:
    """Gaps that begin at all columns of rows: of each three blocks are drawn, and the number of the others, in one row."""
    for options in (), ("--cell", 12), ("--dpi", 192):
        lba, records = 0, []
        for i in range(160):
            records.append(f"254:0 {lba} 7 0 {4 + i} contiguous /m/{i}")
            lba += 7 + 3 + 98800 + 11 * i
        picture = draw(view, table("table", lba + 1, *records, f"254:0 {lba} 1 0 3 contiguous /m/end"), "--layout", "boxes", *options)
        numbers = [text for text in picture.texts if text.rgb == "#000000"]
        expect([text.text for text in numbers], [str(98800 + 11 * i) for i in range(160)])
        told = notes(view, "table", "--layout", "boxes", *options)
        assert any("the rest is a hatched box with the number of its blocks" in line for line in told), told
        # the boxes at the ends of rows are counted: the last row is above the margin, which is blank
        with Image.open("out.png") as image:
            margin = 12 * image.width // 1280
            expect(colours(0, image.height - margin, image.width, margin), {"#ecebe6": margin * image.width})
            assert max(number.y for number in numbers) > image.height - 5 * margin
    # ten digits are the longest
    picture = draw(view, table("table", 4_000_000_000, "254:0 0 1 0 4 contiguous /m/a", "254:0 3999999999 1 0 5 contiguous /m/b"),
                   "--layout", "boxes")
    expect([text.text for text in picture.texts if text.rgb == "#000000"], ["3999999995"])
    expect([line for line in picture.lines() if "not folded" in line],
           ["strip above the boxes: the volume to scale, dark where watched files are; underlined: not folded"])


def test_axes(view: str) -> None:
    """The address at the beginning of each row, the valid blocks of each segment, and the corners of a curve."""
    one = table("table", 3000, "254:0 0 2900 0 4 contiguous /m/a.db")

    def labels(layout: str) -> list[list[str]]:
        picture = draw(view, "-t", one, "-i", DATA / "plain.img.cnf", "--layout", layout)
        # small letters have enough contrast, and are large enough
        small = [text for text in picture.texts if text.size < 12]
        assert all(text.rgb in ("#474745", "#202124") and text.size == 10.35 for text in small), small
        rows = [[text.text for text in row if text in small] for row in picture.rows()]
        return [row for row in rows if row]

    # 136 boxes of 9 pixels are in a row
    expect(labels("boxes"), [[str(at)] for at in range(0, 3000, 272)])
    expect(labels("segments"), [["segment", "watched blocks", "LBA"], *(
        [str(i), str(min(512, 2900 - 512 * i)), str(512 * i)] for i in range(0, 6, 2))])
    # no number touches that of the next row
    table("folded", 66 * 512, "254:0 0 512 0 4 contiguous /m/a", f"254:0 {65 * 512} 512 0 5 contiguous /m/b")
    lines = draw(view, "-t", "folded", "--layout", "segments").lines()
    expect(lines[lines.index("0 | 512 | 0") + 1:], ["64 segments without a watched block", "65 | 512 | 33280"])
    # 64 x 64 cells; the last quarter begins after the end of the volume
    expect(labels("hilbert"), [["0"], ["0 KiB"], ["order"], ["1024", "2048"], ["4 MiB", "8 MiB"]])
    table("table", 4, "254:0 0 3 0 4 contiguous /m/a.db")
    expect(labels("hilbert"), [["0", "3"], ["0 KiB", "12 KiB"], ["1", "2"], ["4 KiB", "8 KiB"]])


def test_all_grows_with_the_dots(view: str) -> None:
    """At more dots per inch, each text and box is where it was, as many times larger; cells differ by less than a pixel."""
    one = DATA / "rocksdb.table"
    for layout, options, slack in ("boxes", (), 0.05), ("boxes", ("--cell", 4), 0.12), ("segments", (), 0.12), ("hilbert", (), 0.1):
        small = draw(view, "-t", one, "--layout", layout, *options)
        for dpi in 150, 192, 300:
            picture, times = draw(view, "-t", one, "--layout", layout, *options, "--dpi", dpi), dpi / 96
            expect([text.text for text in picture.texts], [text.text for text in small.texts])
            for text, was in zip(picture.texts, small.texts):
                assert abs(text.size - was.size * times) < was.size * times * 0.06, (text, was)
                # labels end at the same place, other texts begin there
                apart = min(abs(text.x - was.x * times), abs(text.end - was.end * times))
                assert abs(text.y - was.y * times) < max(3, was.y * times * slack) and apart < max(3, was.x * times * max(slack, 0.08)), (layout, dpi, text, was)


def test_small_cells_have_no_lines_between_them(view: str) -> None:
    """A square of 1024 pixels: lines would take a large part of cells that are less than six times as wide."""
    for blocks, border, has_lines in (16384, 1, True), (65536, 1, False), (4096, 2, True), (16384, 2, False):
        Path("i.cnf").write_text(f"border {border}\n", encoding="utf-8")
        notes(view, "-t", table("table", blocks, f"254:0 0 {blocks} 0 4 contiguous /m/a.sst"), "--layout", "hilbert", "-i", "./i.cnf")
        with Image.open("out.png") as image:
            row = [image.convert("RGB").getpixel((x, image.height - 100)) for x in range(image.width)]
        ink = max(set(row), key=row.count)
        square = row[row.index(ink):len(row) - row[::-1].index(ink)]
        expect((blocks, border, len(set(square)) > 1), (blocks, border, has_lines))


# === KTAP ===


def main() -> int:
    view, names = str(Path(sys.argv[1]).resolve()), sys.argv[2:]
    tests = [(name[5:], test) for name, test in globals().items()
             if name.startswith("test_") and (name[5:] in names or not names)]
    os.environ.update(TZ="UTC", LC_ALL="C", LSAN_OPTIONS=f"suppressions={HERE}/lsan.supp:print_suppressions=0")
    failed = 0
    print(f"KTAP version 1\n# test_drawn.py {Path(view).name}\n1..{len(tests)}")
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                test(view)
                print(f"ok {number} {name}")
            except Exception:  # a test that fails in any way is a test that failed
                print("# " + traceback.format_exc().rstrip().replace("\n", "\n# "))
                print(f"not ok {number} {name}")
                failed += 1
            os.chdir("/")
        sys.stdout.flush()
    print(f"# Totals: pass:{len(tests) - failed} fail:{failed} xfail:0 xpass:0 skip:0 error:0")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
