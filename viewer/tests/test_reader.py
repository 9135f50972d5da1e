#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the reader of pages against the program: the same answers to the same questions, for all test data, recordings and
damaged files; speaks KTAP.

usage: test_reader.py PROGRAM; SEED=N repeats a run, RECORDINGS=100 compares so many random recordings
"""
import base64
import io
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any, Callable

import numpy as np
import zstandard
from PIL import Image

import naive_space
import naive_zones
from pages import NO_READER, reader_is_built
from reader_host import Reader, Refused
from recorder import Model, Recorder, iso, record, record_gap, write_state
from serving import Server

DATA = Path(__file__).resolve().parent / "data"
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(10 ** 6)))
TABLES = [path for path in sorted(DATA.iterdir()) if path.suffix in (".table", ".zst") and path.name != "header_only.table"]
COLORINGS = ["severity", "size", "cause", "why", "process", "age", "kind"]


class Both:
    """The program serves an input, and the reader has it."""

    def __init__(self, view: str, reader: Reader, path: Path) -> None:
        self.server, self.reader, self.asked = Server(view, path), reader, 0
        reader.open(path)

    def __enter__(self) -> "Both":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.stop()

    def same(self, what: str, **args: Any) -> Any:
        """Ask both; the answers are the same."""
        self.asked += 1
        status, _, served = self.server.request(self.server.url + what + "?" + "&".join(
            f"{key}={re.sub(r'[^A-Za-z0-9]', lambda c: '%%%02X' % ord(c[0]), str(value))}" for key, value in args.items()))
        read = self.reader.raw(what, **args)
        # the moment at which it was written; of a zone, that is how many blocks are
        found = [re.sub(rb'"written":\d+', b"", body) if what == "table" else body for body in (served, read[1])]
        assert (status == 200, found[0]) == (read[0] == 0, found[1]), f"{what} {args}: {found[0][:300]!r} {found[1][:300]!r}"
        return json.loads(served) if status == 200 and served[:1] in b"{[" else served

    def everything(self) -> None:
        """All that a page can ask."""
        table = self.same("table")
        for by in COLORINGS[:2 if len(table["colorings"]) < 4 else None]:
            self.same("table", by=by)
            for i, volume in enumerate(table["volumes"]):
                blocks = volume["end"] - volume["lba"]
                for per in {1, -(-blocks // 16384), 4096}:
                    self.same("cells", by=by, volume=i, first=volume["lba"], per=per, n=min(16384, -(-blocks // per)))
        for sort in "extra", "path", "fragments", "split", "blocks":
            self.same("files", n=1000, sort=sort, down=0)
        self.same("files", n=1000, folder="/")
        self.same("files", n=9, find="*.SST", down=1)
        for path, dev, ino, *_, place, _ in self.same("files", n=12)["files"]:
            key = f"{dev} {ino}"
            self.same("files", n=1, key=key)
            self.same("fragments", key=key)
            assert path in self.same("why", key=key).decode() or "\\" in path
            volume = next(i for i, one in enumerate(table["volumes"]) if one["dev"] == dev)
            end = table["volumes"][volume]["end"]
            self.same("blocks", volume=volume, first=place, end=min(place + 3000, end))
            self.same("cells", volume=volume, first=place, per=1, n=min(500, end - place), lit=key)
        # what is not valid has the same sentence
        self.same("cells", volume=99, first=0, per=1, n=1)
        self.same("table", by="nothing")
        self.same("nothing")


def test_all_data_has_the_same_answers(view: str, reader: Reader) -> None:
    for original in TABLES:
        path = Path(shutil.copy(original, "."))
        # the reader's files have times in seconds
        os.utime(path, (1_700_000_000, 1_700_000_000))
        with Both(view, reader, path) as both:
            both.everything()
            assert both.asked > 25, path


def test_recordings_have_the_same_answers(view: str, reader: Reader) -> None:
    for number in range(int(os.environ.get("RECORDINGS", 6))):
        folder = Path(f"run{number}")
        if number == 5:
            recorder, _, in_gap, _ = record_gap(folder, SEED)
        else:
            recorder, in_gap = record(folder, SEED + number), 0
        if number == 4:
            stem = min(folder.glob("*.snapshot.zst")).name.removesuffix(".snapshot.zst")
            (folder / f"{stem}.f2fs/254:0").mkdir(parents=True)
            (folder / f"{stem}.discards.zst").write_bytes(zstandard.compress((DATA / "discards.txt").read_bytes()))
            write_state(folder / f"{stem}.f2fs/254:0", set(range(1000, 3000)))
            for name in "latency", "ledger", "gc_runs":
                (folder / f"{stem}.{name}.zst").write_bytes(zstandard.compress((DATA / f"{name}.txt").read_bytes()))
                (folder / name).write_bytes((DATA / f"{name}.txt").read_bytes().replace(b"254:0", b"254:1"))
        with Both(view, reader, folder) as both:
            both.everything()
            both.same("curve", first=0)
            spans = both.same("recording", first=0)
            assert len(spans["spans"]) > 1
            for at in [iso(one[0]) for one in recorder.truth[::9]] + ["start", "1s", "end", "x", "1h", *([iso(in_gap)] if in_gap else [])]:
                both.same("table", at=at)
                both.same("files", at=at, n=100)
                both.same("cells", at=at, volume=0, first=1000, per=512, n=388)
                both.same("cells", at=at, since="2s", volume=0, first=1000, per=512, n=388)
                both.same("files", at=at, since="2s", n=100, sort="change")
                for command in "cost", "ledger", "gc":
                    both.same(command, at=at)
            if number == 4:
                assert all(both.same(command, at="start")["time"] and not both.same(command, at="end")["time"] for command in ("cost", "ledger", "gc"))


def test_zones_have_the_same_answers(view: str, reader: Reader) -> None:
    for seed in 1, 4:
        stem, zones = f"run{seed}/fragtrace-1700000000.000", set()
        Path(stem).parent.mkdir()
        naive_zones.make(Path(f"{stem}.f2fs"), seed)
        head, rest = Path(f"{stem}.f2fs/table").read_text().split("\n", 1)
        Path(f"{stem}.table").write_text(f"{head}\n# time 1700000000.000\n{rest}")
        with Both(view, reader, Path(f"run{seed}")) as both:
            lba, end = naive_space.MAIN, both.same("table")["volumes"][0]["end"]
            while lba < end:
                for piece in both.same("blocks", volume=0, first=lba, end=end)["pieces"]:
                    zones.add(piece.get("zone"))
                    lba = piece["lba"] + piece["blocks"]
        assert len(zones) > 3, zones


def test_a_trace_is_that_of_the_program(view: str, reader: Reader) -> None:
    record(Path("run"), SEED)
    subprocess.run([view, "perfetto", "run", "-o", "trace.json"], check=True)
    reader.open(Path("run"))
    assert reader.raw("trace") == (0, Path("trace.json").read_bytes())
    assert len(reader.ask("trace")["traceEvents"]) > 50
    # what was recorded between is damaged: a sentence, and the reader goes on
    damaged = sorted(Path("run").glob("*.events.zst"))[1]
    damaged.write_bytes(b"x" * 100)
    reader.open(Path("run"))
    status, said = reader.raw("trace")
    program = subprocess.run([view, "perfetto", "run"], capture_output=True, check=False, text=True)
    assert (status, said.decode().strip()) == (3, re.sub("^fragtrace[^:]*: ", "", program.stderr.strip())), (said, program.stderr)
    assert str(damaged) in said.decode() and reader.raw("files", n=1)[0] == 0
    shutil.copy(DATA / "small.table", "one.table")
    reader.open(Path("one.table"))
    assert reader.raw("trace")[0] != 0


def test_pictures_of_files_have_the_same_pixels(view: str, reader: Reader) -> None:
    """The cells of a plot, in the SVG of the reader and in that of the program."""
    for path in DATA / "rocksdb.snapshot.zst", DATA / "redis.table":
        reader.open(path)
        listed = reader.ask("files", n=3)["files"]
        for name, dev, ino, *_ in listed:
            pixels = []
            subprocess.run([view, "file", path, name, "-o", "out.svg"], check=True, stdout=subprocess.DEVNULL)
            for svg in Path("out.svg").read_bytes(), reader.raw("plot", key=f"{dev} {ino}")[1]:
                images = re.findall(rb'href="data:image/png;base64,([^"]*)"', svg)
                pixels.append([np.array(Image.open(io.BytesIO(base64.b64decode(one))).convert("RGB")) for one in images])
            assert pixels[0] and len(pixels[0]) == len(pixels[1])
            for one, other in zip(*pixels):
                assert one.shape == other.shape and (one == other).all() and len(np.unique(one)) > 1, name


def first_error(command: list[str]) -> str:
    """What the program says last when it refuses an input; empty: it does not."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (0, 1), done
    return re.sub(r"^fragtrace \w+: ", "", done.stderr.splitlines()[-1]) if done.returncode else ""


def damaged(rng: random.Random, good: bytes) -> bytes:
    """Bytes changed, cut out, or doubled."""
    data = bytearray(good)
    for _ in range(rng.choice((1, 1, 2, 9))):
        data += b"" if data else b"?"
        at = rng.choice((rng.randrange(min(400, len(data))), rng.randrange(len(data))))
        how = rng.randrange(4)
        if how == 0:
            data[at] = rng.choice((0, 255, data[at] ^ 1 << rng.randrange(8)))
        elif how == 1:
            data[at:at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f"))
        elif how == 2:
            del data[at:at + rng.randrange(1, 50)]
        else:
            del data[at + 1:]
    return bytes(data)


def test_damaged_files_have_the_same_sentence(view: str, reader: Reader) -> None:
    """A hundred: both refuse with one sentence, or both show the same."""
    rng, refused = random.Random(SEED), 0
    folder = Path("damaged")
    recorder = record(Path("run"), SEED)
    goods = [zstandard.ZstdDecompressor().decompressobj().decompress(min(Path("run").glob("*.snapshot.zst")).read_bytes()),
             (DATA / "small.table").read_bytes(), (DATA / "why.table").read_bytes()]
    for number in range(100):
        path = Path("input")
        if number % 5 == 4:
            # the events of a recording
            path = folder
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree("run", folder)
            victim = rng.choice(sorted(folder.iterdir()))
            victim.write_bytes(damaged(rng, victim.read_bytes()))
        else:
            path.write_bytes(damaged(rng, rng.choice(goods)))
        said = first_error([view, "files" if number % 5 == 4 else "table", str(path), "--csv", "-o", "/dev/null"])
        try:
            reader.open(path)
            table = reader.ask("table")
        except Refused as error:
            refused += 1
            # a list may be empty, a map may not
            assert str(error) == (said or f"{path}: no directory is watched, so there is nothing to show"), f"{number}: {said!r} {error}"
            continue
        done = subprocess.run([view, "check", str(path)], capture_output=True, text=True, check=False)
        figures = dict(line.split(None, 1) for line in done.stdout.splitlines() if " " in line)
        assert not said and int(figures["extents"].split()[0]) == table["total"]["extents"], f"{number}: {said!r} {done}"
    assert 20 < refused < 100, refused
    assert recorder.truth


def test_what_unpacks_to_gigabytes(view: str, reader: Reader) -> None:
    """A sentence soon, and memory stays bounded: of zeros, of lines without an end, and of comments that are valid."""
    packer = zstandard.ZstdCompressor(level=3)
    # a snapshot whose header says that all of it is extents
    Path("lie.head").write_bytes(struct.pack("<8sIIQQ", b"FTsnap\r\n", 2, 176, 2 ** 31, 0) +
                                 b"".join(struct.pack("<QQII", 176, 2 ** 31 // size, size, 0) for size in (40, 88, 24, 4, 1, 48)))
    for number, (begin, piece) in enumerate(((b"", bytes(1 << 20)), (b"# fragtrace table 1\n", b"#" * (1 << 20)),
                                             (b"# fragtrace table 1\n", b"#\n" * (1 << 19)), (b"FTsnap\r\n", b"\xff" * (1 << 20)),
                                             (min(Path(".").glob("*.head")).read_bytes(), bytes(1 << 20)))):
        path, unpacked = Path(f"bomb{number}.zst"), packer.compressobj()
        with open(path, "wb") as file:
            file.write(unpacked.compress(begin))
            for _ in range(2048):
                file.write(unpacked.compress(piece))
            file.write(unpacked.flush())
        assert path.stat().st_size < 300_000
        begun = time.monotonic()
        try:
            reader.open(path)
            raise AssertionError(f"{path} was read")
        except Refused as error:
            assert "bomb" in str(error), error
            print(f"# {path.stat().st_size} bytes, 2 GiB unpacked: {time.monotonic() - begun:.1f} s, {reader.memory >> 20} MiB: {error}")
        assert reader.memory <= 1 << 30
    assert view


def refusal(reader: Reader, what: str, **args: Any) -> str:
    """Why the reader has ended."""
    try:
        reader.raw(what, **args)
    except Refused as error:
        return str(error)
    raise AssertionError(f"{what} {args} was answered")


def test_moments_leave_nothing_in_memory(view: str, reader: Reader) -> None:
    """Hundreds of moments of large tables, with F2FS's state."""
    recorder = Recorder(Path("run"), Model(random.Random(SEED)))
    recorder.model.names.update({ino: f"/m/{ino}" + "/a" * 2000 for ino in range(100, 120)})
    recorder.copy(0)
    recorder.steps(400)
    recorder.flush()
    recorder.write()
    stem = next(Path("run").glob("*.snapshot.zst")).name.removesuffix(".snapshot.zst")
    (Path("run") / f"{stem}.f2fs/254:0").mkdir(parents=True)
    write_state(Path("run") / f"{stem}.f2fs/254:0", set(range(1000, 3000)))
    reader.open(Path("run"))
    used = []
    for time_ns, *_ in recorder.truth:
        reader.ask("table", at=iso(time_ns))
        used.append(reader.memory)
    print(f"# {len(used)} moments: {used[20] >> 20} MiB, {used[-1] >> 20} MiB")
    assert used[20] == used[-1]
    assert view


def test_a_reader_with_much_in_memory_ends(view: str, reader: Reader) -> None:
    """What is refused then ends it, and it answers nothing more; a new one has all of its memory."""
    _, _, in_gap, _ = record_gap(Path("run"), SEED)
    for _ in range(2):
        reader.open(Path("run"))
        status, why = reader.raw("table", at=iso(in_gap))
        assert status and b"events were lost" in why and reader.raw("table")[0] == 0
        reader.tell({"take": 600 << 20})
        assert reader.raw("table")[0] == 0
        assert refusal(reader, "table", at=iso(in_gap)) == why.decode().rstrip("\n")
        assert refusal(reader, "table") == why.decode().rstrip("\n")
    assert view


def test_a_browser_that_refuses_the_program(view: str, reader: Reader) -> None:
    """The first answer says why."""
    text = Path(view).with_name("reader.js").read_text(encoding="utf-8")
    Path("bad.js").write_text(text.replace("AGFzbQ", "AGFzbR", 1), encoding="utf-8")
    broken = Reader(Path("bad.js"))
    try:
        broken.open(DATA / "small.table")
        raise AssertionError("it was run")
    except Refused as error:
        assert "CompileError" in str(error), error
    finally:
        broken.close()
    assert reader


def test_licences_are_in_it(view: str, reader: Reader) -> None:
    """Before all code, of each library: name and version, and the whole licence."""
    notices, code = Path(view).with_name("reader.js").read_text(encoding="utf-8").split("*/", 1)
    assert notices.startswith("/*\n") and "SPDX-License-Identifier" in code[:100]
    versions = re.findall(r"(?m)^=== (\w+) (\d+\.\d+\.\d+), https?://", notices)
    assert [name for name, _ in versions] == ["zlib", "libpng", "Zstandard", "musl", "Emscripten"]
    for words in ("Jean-loup Gailly", "The PNG Reference Library Authors", "Redistributions in binary form must reproduce", "Rich Felker",
                  "The Emscripten Authors"):
        assert words in notices, words
    assert notices.count("Permission is hereby granted, free of charge") == 2
    assert reader


def test_times_have_64_bits(view: str, reader: Reader) -> None:
    """A recording and a table of after 2038, the last day of a leap year, and days that do not exist; all in UTC."""
    lines = (DATA / "small.table").read_text(encoding="utf-8").split("\n", 1)
    for second in 2 ** 31 + 86400, 4_107_542_399, 1_735_603_200, 951_782_400, 1:
        path = Path(f"{second}.table")
        path.write_text(f"{lines[0]}\n# time {second}.000\n{lines[1]}", encoding="utf-8")
        with Both(view, reader, path) as both:
            _, dev, ino, *_ = both.same("files", n=1)["files"][0]
            plot = reader.raw("plot", key=f"{dev} {ino}")[1].decode()
            assert time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(second)) in plot, second
    folder = Path("run")
    folder.mkdir()
    for second in 2 ** 31 + 86400, 2 ** 31 + 90000:
        (folder / f"fragtrace-{second}.000.table").write_text(f"{lines[0]}\n# time {second}.000\n{lines[1]}", encoding="utf-8")
    with Both(view, reader, folder) as both:
        for at in iso((2 ** 31 + 86401) * 10 ** 9), "2038-01-20T03:14:07Z", "2038-02-31T00:00:00Z", "2040-02-29T12:00:00Z", "2100-02-29T00:00:00Z", \
                  "1969-01-01T00:00:00Z", "2038-13-01T00:00:00Z", "2038-01-20T05:14:09+02:00":
            both.same("table", at=at)


TESTS: list[Callable[[str, Reader], None]] = [value for key, value in list(globals().items()) if key.startswith("test_")]


def main() -> int:
    """Run all tests."""
    # the reader has no other zone
    os.environ["TZ"] = "UTC"
    view = Path(sys.argv[1]).resolve()
    script = view.with_name("reader.js")
    print("KTAP version 1\n# test_reader.py")
    missing = "" if reader_is_built() else NO_READER
    print(f"1..{len(TESTS)}\n# SEED={SEED}", flush=True)
    bad = 0
    for number, test in enumerate(TESTS, 1):
        if missing:
            print(f"ok {number} {test.__name__[5:]} # SKIP {missing}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            reader = Reader(script)
            try:
                test(str(view), reader)
                print(f"ok {number} {test.__name__[5:]}", flush=True)
            except Exception as error:  # pylint: disable=broad-except
                traceback.print_exc(file=sys.stdout)
                print(f"# {error}\nnot ok {number} {test.__name__[5:]}", flush=True)
                bad += 1
            finally:
                reader.close()
                os.chdir("/")
    skipped = len(TESTS) if missing else 0
    print(f"# Totals: pass:{len(TESTS) - bad - skipped} fail:{bad} xfail:0 xpass:0 skip:{skipped} error:0")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
