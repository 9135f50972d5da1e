#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Tests --color-by heat against a naive model; speaks KTAP.

usage: test_heat.py PROGRAM [TEST...]

A test is a function test_NAME; it gets the program, and an empty folder as its working directory.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import zstandard

from recorder import record
from serving import Server

HERE = Path(__file__).resolve().parent
PEEK = HERE.parent / "build" / "pngpeek"
# the least number of reads, the name, the colour
CLASSES = [(1, "1 to 3 reads", 0xFFC5AC), (4, "4 to 15 reads", 0xE99A77), (16, "16 to 63 reads", 0xCD7249),
           (64, "64 to 255 reads", 0xAF4A1B), (256, "256 to 1023 reads", 0x862B00), (1024, "1024 reads or more", 0x511B00)]
UNREAD, OVERWRITTEN = ("not read", 0xC4C4C4), ("not read, but overwritten", 0x4A90D9)
NAMES = [UNREAD[0], OVERWRITTEN[0], *(name for _, name, _ in CLASSES)]
MAIN, END = 64, 64 + 1024


def expect(got: object, expected: object) -> None:
    assert got == expected, f"expected {expected!r}, got {got!r}"


def run(view: str, *args: str, status: int = 0) -> str:
    """Run it; return what it says on stderr."""
    done = subprocess.run([view, *args], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, check=False)
    expect((done.returncode, done.stderr if done.returncode != status else ""), (status, ""))
    return done.stderr


def notes(picture: str = "out.png") -> list[str]:
    """The lines that a picture says."""
    text = subprocess.run([str(PEEK), picture, "text"], capture_output=True, text=True, check=True).stdout
    return text.replace("Description: ", "").splitlines()


def note(start: str) -> str:
    """The line that begins with this."""
    found = [line for line in notes() if line.startswith(start)]
    assert len(found) == 1, (start, notes())
    return found[0]


# === The naive model ===

class Model:
    """Random files, block by block, and the counts of their windows."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.length = self.rng.choice((1, 2, 8, 32))
        self.owner: dict[tuple[int, int], tuple[int, int]] = {}  # volume and LBA -> inode number and offset
        self.heat: dict[tuple[int, int, int], tuple[int, int]] = {}  # volume, inode, window -> reads, overwrites
        for volume in 0, 1:
            self.add_files(volume)
        self.write()

    def add_files(self, volume: int) -> None:
        rng, lba = self.rng, MAIN
        ends: dict[int, int] = defaultdict(int)
        while lba < END - 80:
            ino, blks = rng.randint(4, 8), rng.choice((1, 2, 5, 31, 64))
            if rng.random() < 0.3:
                ends[ino] += rng.choice((1, 3, 40))  # a hole, after which addresses may go on
            if rng.random() < 0.7:
                for i in range(blks):
                    self.owner[volume, lba + i] = ino, ends[ino] + i
                ends[ino] += blks
            lba += blks
        # windows of what is not there as well
        for ino in range(3, 9):
            for number in range(ends[ino] // self.length + 2):
                if rng.random() < 0.6:
                    self.heat[volume, ino, number] = (rng.choice((0, 0, 1, 3, 4, 15, 16, 63, 64, 256, 1023, 1024, 9**9)),
                                                      rng.choice((0, 1, 7)))

    def extents(self) -> list[tuple[int, int, int, int, int]]:
        """Volume, LBA, blocks, offset, inode number; long ones in pieces."""
        found: list[tuple[int, int, int, int, int]] = []
        for (volume, lba), (ino, offset) in sorted(self.owner.items()):
            last = found[-1] if found else (-1, 0, 0, 0, 0)
            if last[2] < 50 and (volume, lba, offset, ino) == (last[0], last[1] + last[2], last[3] + last[2], last[4]):
                found[-1] = volume, last[1], last[2] + 1, last[3], ino
            else:
                found.append((volume, lba, 1, offset, ino))
        return found

    def write(self) -> None:
        extents = self.extents()
        pieces: dict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
        for volume, lba, blks, offset, ino in extents:
            pieces[volume, ino].append((offset, lba, blks))
        fragmented = {key for key, of in pieces.items()
                  if any(a[1] + a[2] != b[1] for a, b in zip(sorted(of), sorted(of)[1:]))}
        with open("table", "w", encoding="utf-8") as file:
            print("# fragtrace table 1", file=file)
            for volume in 0, 1:
                print(f"# volume 254:{volume} main_blkaddr={MAIN} blocks={END} segment_blocks=64 path=/m{volume}", file=file)
            for volume, lba, blks, offset, ino in extents:
                state = "fragmented" if (volume, ino) in fragmented else "contiguous"
                print(f"254:{volume} {lba} {blks} {offset} {ino} {state} /m{volume}/{ino}.db", file=file)
        lines = [f"254:{v} {ino} {n * self.length} {reads} {reads * 2} {reads} {over} {self.rng.randint(0, reads)} /m{v}/{ino}.db\n"
                 for (v, ino, n), (reads, over) in self.heat.items()]
        self.rng.shuffle(lines)
        Path("heat").write_text(f"# fragtrace heat 2\n# windows blocks={self.length} period_secs=7200\n" + "".join(lines),
                                encoding="utf-8")

    def window(self, volume: int, lba: int) -> tuple[int, int, int]:
        ino, offset = self.owner[volume, lba]
        return volume, ino, offset // self.length

    def colour(self, volume: int, lba: int) -> tuple[str, int]:
        reads, over = self.heat.get(self.window(volume, lba), (0, 0))
        if not reads:
            return OVERWRITTEN if over else UNREAD
        return [(name, rgb) for least, name, rgb in CLASSES if reads >= least][-1]

    def sums(self, places: list[tuple[int, int]]) -> dict[str, tuple[int, int]]:
        """By class, the reads of windows with a block there, and blocks."""
        blks: dict[str, int] = defaultdict(int)
        windows: dict[str, set[tuple[int, int, int]]] = defaultdict(set)
        for place in places:
            name = self.colour(*place)[0]
            blks[name] += 1
            windows[name].add(self.window(*place))
        return {name: (sum(self.heat.get(w, (0, 0))[0] for w in windows[name]), blks[name]) for name in NAMES}


def check_picture(model: Model, places: list[tuple[int, int]]) -> None:
    """The sums of the legend, and what is not in it."""
    sums = model.sums(places)
    for name, (reads, blks) in {**sums, "all reads here": tuple(map(sum, zip(*sums.values())))}.items():
        got = re.match(rf"{name}: reads=(\d+) blocks=(\d+), ", note(name + ": "))
        assert got, (name, notes())
        expect((name, int(got[1]), int(got[2])), (name, reads, blks))
    every, drawn = sum(reads for reads, _ in model.heat.values()), sum(reads for reads, _ in sums.values())
    expect(note("windows without a block here: "), f"windows without a block here: reads={every - drawn}")
    expect(note("reads after"), f"reads after the page cache, by windows of {model.length * 4} KiB; "
                                "counts halve every 7,200 seconds")


def test_sums(view: str) -> None:
    for seed in range(6):
        model = Model(seed)
        places = list(model.owner)
        run(view, "view", "table", "--color-by", "heat", "--layout", ("boxes", "segments", "hilbert")[seed % 3], "-o", "out.png")
        check_picture(model, places)
        # fragments are what they are with any colours
        fragments = note_of_fragments(view, "heat")
        expect(fragments, note_of_fragments(view, "size"))
        first = random.Random(seed).randint(MAIN, END - 200)
        run(view, "view", "table", "--color-by", "heat", "--lba", f"{first}-{first + 99}", "-o", "out.png")
        check_picture(model, [p for p in places if first <= p[1] < first + 100])
        run(view, "view", "table", "--color-by", "heat", "--only", "/5.db", "-o", "out.png")
        check_picture(model, [p for p in places if model.owner[p][0] == 5])
        run(view, "file", "m1/5.db", "-t", "table", "--color-by", "heat", "-o", "out.png")
        check_picture(model, [p for p in places if p[0] == 1 and model.owner[p][0] == 5])


def note_of_fragments(view: str, by: str) -> str:
    run(view, "view", "table", "--color-by", by, "-o", "out.png")
    found, = (line for line in notes() if "split factor" in line)
    return found


def test_each_block(view: str) -> None:
    """The served page: the colour of each block, and the counts of its window."""
    for seed in range(3):
        model = Model(100 + seed)
        server = Server(view, "table", "--color-by", "heat")
        for volume in 0, 1:
            runs = server.ask("cells", volume=volume, first=MAIN, per=1, n=END - MAIN)["cells"]
            cells = [rgb for n, rgb, _ in zip(*[iter(runs)] * 3) for _ in range(n)]
            expect(cells, [model.colour(volume, lba)[1] if (volume, lba) in model.owner else 0 for lba in range(MAIN, END)])
        for volume, lba in random.Random(seed).sample(list(model.owner), 60):
            piece, = server.ask("blocks", volume=volume, first=lba, end=lba + 1)["pieces"]
            expect((piece["reads"], piece["overwrites"]), model.heat.get(model.window(volume, lba), (0, 0)))
        expect(server.stop(), 0)


# === Pictures ===

def one_file(length: int, *windows: str) -> None:
    """A contiguous file of 96 blocks."""
    Path("table").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks=512 segment_blocks=512 path=/m\n"
                             "254:0 0 96 0 4 contiguous /m/a.db\n", encoding="utf-8")
    Path("heat").write_text("# fragtrace heat 2\n" + f"# windows blocks={length} period_secs=3600\n" +
                            "".join(f"254:0 4 {w} 0 /m/a.db\n" for w in windows), encoding="utf-8")


def colours(*where: int) -> dict[str, int]:
    """The pixels of the picture, or of a rectangle, by colour."""
    text = subprocess.run([str(PEEK), "out.png", *map(str, where)], capture_output=True, text=True, check=True).stdout
    return {line.split()[0]: int(line.split()[1]) for line in text.splitlines()[1:]}


def test_a_contiguous_file_has_several_colours(view: str) -> None:
    one_file(32, "0 5 60 5 0", "64 2000 4000 2000 0")
    run(view, "view", "table", "--color-by", "heat", "-i", str(HERE / "data" / "plain.img.cnf"), "-o", "out.png")
    # boxes of 8 x 8, and a swatch of 20 x 14
    expect([colours().get(c) for c in ("#e99a77", "#c4c4c4", "#511b00")], [32 * 64 + 280] * 3)
    assert any(line.startswith("1 fragment;") for line in notes()), notes()
    # one file in its own picture: a third of its width each
    run(view, "file", "a.db", "-t", "table", "--color-by", "heat", "-o", "out.png")
    got = {c: n for c, n in colours().items() if c in ("#e99a77", "#c4c4c4", "#511b00")}
    assert len(got) == 3 and max(got.values()) < 1.2 * min(got.values()), got


def test_windows_of_one_class_are_one_run(view: str) -> None:
    one_file(8, *(f"{at} {reads} {reads} 1 0" for at, reads in zip(range(0, 96, 8), (4, 9, 15) * 4)))
    run(view, "view", "table", "--color-by", "heat", "-i", str(HERE / "data" / "plain.img.cnf"), "-o", "out.png")
    expect(colours().get("#e99a77"), 96 * 64 + 280)
    expect(note("4 to 15 reads: "), "4 to 15 reads: reads=112 blocks=96, folded blocks=0")


def test_the_last_window_has_no_next_one(view: str) -> None:
    """As many windows as the list has room for: one more that was read would be behind it."""
    one_file(1, *(f"{at} 5 5 1 0" for at in range(64)))
    run(view, "view", "table", "--color-by", "heat", "-o", "out.png")
    expect(note("4 to 15 reads: "), "4 to 15 reads: reads=320 blocks=64, folded blocks=0")


def test_folding_names_ranges(view: str) -> None:
    one_file(32, "0 1 1 1 0")
    Path("i.cnf").write_text("max_length = 20\n", encoding="utf-8")
    run(view, "view", "table", "--color-by", "heat", "-i", "./i.cnf", "-o", "out.png")
    assert note("ranges of one colour of more than 22 blocks are folded"), notes()
    expect(note("1 to 3 reads: "), "1 to 3 reads: reads=1 blocks=32, folded blocks=12")
    expect(note("not read: "), "not read: reads=0 blocks=64, folded blocks=44")


def test_sizes_of_pictures(view: str) -> None:
    Model(1)
    for args in (["--dpi", "300"], ["--cell", "1"], ["--layout", "hilbert", "--dpi", "300"]):
        run(view, "view", "table", "--color-by", "heat", "-o", "out.png", *args)
        assert note("all reads here: "), notes()
    for name, begin in ("out.svg", b"<?xml"), ("out.pdf", b"%PDF-"):
        run(view, "view", "table", "--color-by", "heat", "-o", name)
        expect(Path(name).read_bytes()[:5], begin)


def test_pages(view: str) -> None:
    """The colour of a file in the list is that of its most read blocks."""
    one_file(32, "0 5 60 5 0", "32 70 70 70 0", "64 0 0 0 9")
    server = Server(view, "table", "--color-by", "heat")
    try:
        expect([file[-1] for file in server.ask("files", n=9)["files"]], ["#af4a1b"])
        shown = {color for _, *colors in server.ask("table")["legend"] for color in colors}
        assert {"#e99a77", "#af4a1b", "#4a90d9"} <= shown, shown
    finally:
        server.stop()


# === Where counts are, and errors ===

def test_where_counts_are(view: str) -> None:
    one_file(32, "0 5 60 5 0")
    os.rename("heat", "counts")
    run(view, "view", "table", "--color-by", "heat", "--heat", "counts", "-o", "out.png")
    expect(note("4 to 15 reads: "), "4 to 15 reads: reads=5 blocks=32, folded blocks=0")
    # packed, and beside a table of another folder
    os.mkdir("copy")
    os.rename("table", "copy/table")
    Path("copy/heat").write_bytes(zstandard.compress(Path("counts").read_bytes()))
    run(view, "view", "copy/table", "--color-by", "heat", "-o", "out.png")
    expect(note("all reads here: "), "all reads here: reads=5 blocks=96, folded blocks=0")


def reads_of(view: str, *args: str) -> int:
    run(view, "view", *args, "--color-by", "heat", "-o", "out.png")
    found = re.match(r"all reads here: reads=(\d+) ", note("all reads here: "))
    assert found
    return int(found[1])


def record_reads(view: str, second: int, reads: int) -> None:
    """Record a file of that second, which was read so often; of no reads, nothing is known."""
    os.makedirs("copy", exist_ok=True)
    one_file(32 + second, f"0 {reads} 60 5 0")
    os.rename("table", "copy/table")
    os.rename("heat", "copy/heat")
    os.utime("copy/table", (1700000000 + second, 1700000000 + second))
    text = Path("copy/table").read_text(encoding="utf-8")
    Path("copy/table").write_text(text.replace("0 96 0 4", f"{second} 96 0 4"), encoding="utf-8")
    os.utime("copy/table", (1700000000 + second, 1700000000 + second))
    if not reads:
        Path("copy/heat").write_text("# fragtrace heat 2\n# not known: the module was loaded with heat=0\n", encoding="utf-8")
    run(view, "record", "run", "-t", "copy/table")


def test_recordings(view: str) -> None:
    """A recording has the counts of each of its snapshots."""
    for second, reads in enumerate((5, 70, 0)):
        record_reads(view, second, reads)
    expect(sorted(os.listdir("run")), [f"fragtrace-170000000{second}.000.{kind}.zst" for second in range(3)
                                       for kind in ("heat", "table") if second < 2 or kind == "table"])
    expect([reads_of(view, "run", "--at", at) for at in ("0s", "1.5s")], [5, 70])
    expect(reads_of(view, "run/fragtrace-1700000001.000.table.zst"), 70)
    os.rename("copy/heat", "other")
    one_file(32, "0 9 9 9 0")
    expect(reads_of(view, "run", "--heat", "heat"), 9)
    for where in (["run"], ["run/fragtrace-1700000002.000.table.zst"]):
        expect(run(view, "view", *where, "--color-by", "heat", "-o", "none.png", status=1),
               "fragtrace view: run/fragtrace-1700000002.000.heat.zst: cannot read: No such file or directory; a snapshot is "
               "recorded with what is read if the module was loaded with heat=1\n")
    server = Server(view, "run", "--at", "0s", "--color-by", "heat")
    for second, reads in (0, 5), (1, 70), (0, 5):
        moment = f"2023-11-14T22:13:{20 + second}.400Z"
        piece, = server.ask("blocks", volume=0, first=10, end=11, at=moment)["pieces"]
        expect((piece["reads"], server.ask("table", at=moment)["heatAge"]), (reads, 0))
    status, _, body = server.request(f"{server.url}table?at=2023-11-14T22:13:22Z")
    assert (status, b"; a snapshot is recorded with what is read" in body) == (404, True), (status, body)
    Path("run/fragtrace-1700000001.000.heat.zst").write_text("nonsense", encoding="utf-8")
    expect([server.status("table", at=f"2023-11-14T22:13:2{second}Z") for second in range(2)], [200, 404])
    expect(server.stop(), 0)


def test_moments_between_snapshots(view: str) -> None:
    """Of a moment that is rebuilt from events, the counts are those of the snapshot before it, and their age is told."""
    recorder = record(Path("run"), 1)
    base_ms = int(recorder.stem.name.removeprefix("fragtrace-").replace(".", ""))
    ino = min(recorder.model.names)
    Path(f"{recorder.stem}.heat.zst").write_bytes(zstandard.compress(
        f"# fragtrace heat 2\n# windows blocks=64 period_secs=3600\n254:0 {ino} 0 7 7 7 0 0 /m\n".encode()))
    expect(reads_of(view, "run") in (0, 7), True)
    server = Server(view, "run", "--color-by", "heat")
    table = server.ask("table")
    expect(table["heatAge"], table["time"] - base_ms)
    assert table["heatAge"] > 0
    # F2FS's state was not recorded: it has no age
    assert "stateAge" not in table, table["stateAge"]
    expect(server.stop(), 0)


def test_errors(view: str) -> None:
    one_file(32, "0 5 60 5 0")
    by_heat = ["--color-by", "heat", "-o", "out.png"]

    def says(text: str, *args: str, status: int = 1) -> None:
        got = run(view, "view", *args, status=status)
        assert got.startswith(f"fragtrace view: {text}") and got.count("\n") == 1, got

    Path("t").write_bytes(Path("table").read_bytes())
    says("t: does not have what is read; give a recording, or a table beside a copy of the file heat, or that: --heat FILE", "t", *by_heat, status=2)
    says("heat: would overwrite the input heat; name another file", "table", *by_heat, "-o", "heat", status=2)
    # --heat is enough
    run(view, "view", "table", *by_heat)
    run(view, "view", "table", "--heat", "heat", "-o", "same.png")
    expect(Path("same.png").read_bytes(), Path("out.png").read_bytes())
    os.remove("out.png")
    for bad in ("", "# fragtrace heat 1\n", "# fragtrace heat 2\n", "# fragtrace heat 2\n# windows blocks=0 period_secs=9\n",
                "# fragtrace heat 2\n# windows blocks=4294967296 period_secs=9\n",
                "# fragtrace heat 2\n254:0 4 0 1 1 1 1 0 /m/a\n"):
        Path("heat").write_text(bad, encoding="utf-8")
        says("heat:" if bad else "heat: is empty; expected", "table", *by_heat)
    for bad in ("254:0 4 0 1 1 1 1 0", "254:0 4 31 1 1 1 1 0 /m/a", "254:0 4 4294967296 1 1 1 1 0 /m/a", "254:0 4 0 1 1 1 x 0 /m/a",
                "254:0 4 0 -1 1 1 1 0 /m/a", "254:0 4 0 4294967296 1 1 1 0 /m/a", "254:0 -4 0 1 1 1 1 0 /m/a",
                "254:0 4 0 1 1 1 1 2 /m/a", "254:0 4 0 1 1 1 1 /m/a"):
        Path("heat").write_text("# fragtrace heat 2\n# windows blocks=32 period_secs=9\n" + bad + "\n", encoding="utf-8")
        says('heat:3: expected "dev ino offset reads blocks requests overwrites continued path"', "table", *by_heat)
    # the largest block that a file can have
    Path("heat").write_text("# fragtrace heat 2\n# windows blocks=5 period_secs=9\n254:0 4 4294967295 1 1 1 1 0 /m/a\n", encoding="utf-8")
    run(view, "view", "table", *by_heat)
    os.remove("out.png")
    Path("heat").write_text("# fragtrace heat 2\n# not known: the module was loaded with heat=0\n", encoding="utf-8")
    says("heat: nothing is known of readers; expected a module that was loaded with heat=1", "table", *by_heat)
    os.remove("heat")
    says("heat: cannot read: No such file or directory", "table", *by_heat)
    assert not Path("out.png").exists()
    # who draws nothing needs no counts
    run(view, "table", "table", "--json", "-o", "out.json")


def test_counts_that_come_back(view: str) -> None:
    """With -n, the last picture stays while nothing is known of readers."""
    one_file(32, "0 5 60 5 0")
    counts = Path("heat").read_text(encoding="utf-8")
    with subprocess.Popen([view, "view", "table", "--color-by", "heat", "-n", "0.05", "-o", "out.png"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_for(Path("out.png").exists)
            Path("new").write_text("# fragtrace heat 2\n# not known: the module was loaded with heat=0\n", encoding="utf-8")
            os.rename("new", "heat")
            assert process.stderr
            line = process.stderr.readline()
            assert line.endswith("expected a module that was loaded with heat=1; waiting until it is back\n"), line
            Path("new").write_text(counts.replace(" 5 60 5 ", " 7 60 7 "), encoding="utf-8")
            os.rename("new", "heat")
            wait_for(lambda: "4 to 15 reads: reads=7 blocks=32, folded blocks=0" in notes())
        finally:
            process.terminate()


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("not within a minute")


# === KTAP ===

def main() -> int:
    view, names = str(Path(sys.argv[1]).resolve()), sys.argv[2:]
    tests = [(name[5:], test) for name, test in globals().items()
             if name.startswith("test_") and (name[5:] in names or not names)]
    os.environ.update(TZ="UTC", LC_ALL="C", LSAN_OPTIONS=f"suppressions={HERE}/lsan.supp:print_suppressions=0")
    failed = 0
    print(f"KTAP version 1\n# test_heat.py {Path(view).name}\n1..{len(tests)}")
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
