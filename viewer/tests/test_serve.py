#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests fragtrace serve over HTTP; speaks KTAP.

usage: test_serve.py PROGRAM [TEST...]

A test is a function test_NAME; it gets the program, and an empty folder as its working directory.
The page itself is tested by test_page.py.
"""
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import zstandard

import naive_space
import naive_zones
from recorder import END, MAIN, NODE_SEGMENTS, Recorder, iso, naive_breaks, record, record_gap, write_state
from recorder import Model as FileModel
from serving import Server

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
ONE_COLOUR = "default #123456 #123456 #123456\n.sst #00aa00 #00aa00 #00aa00\n.log #0000ff #0000ff #0000ff\n"
COLOURS = {".sst": 0x00AA00, ".log": 0x0000FF}
OTHER, NODES = 0xEFEFAF, 0xAF9F8F
MAX_CELLS = 16384


def expect(got: object, expected: object) -> None:
    assert got == expected, f"expected {expected!r}, got {got!r}"


class Serving:
    """A server that ends with the block, with status 0 and without a word."""

    def __init__(self, view: str, table: str | Path, *options: str, says: str = "") -> None:
        self.server = Server(view, table, *options)
        self.says = says

    def __enter__(self) -> Server:
        return self.server

    def __exit__(self, kind: object, *_: object) -> None:
        status = self.server.stop()
        if kind is None:
            expect((status, Path("stderr").read_text(encoding="utf-8")), (0, self.says))


# === The naive model ===

class Model:
    """Each block of a table: its colour and file, one by one."""

    def __init__(self, table: Path) -> None:
        self.blocks: dict[int, tuple[str, int, int]] = {}
        for line in table.read_text(encoding="utf-8").splitlines():
            words = line.split(" ", 6)
            if line.startswith("# volume"):
                self.first = int(words[3].split("=")[1])
                self.end = int(words[4].split("=")[1])
            elif not line.startswith("#"):
                for i in range(int(words[2])):
                    path = words[6].replace("\\040", " ")
                    self.blocks[int(words[1]) + i] = path, int(words[3]) + i, int(words[4])

    def colour(self, lba: int) -> int | None:
        """0xrrggbb, or None for what is free."""
        found = self.blocks.get(lba)
        name = found[0].removesuffix(" (deleted)").rsplit("/", 1)[1] if found else ""
        return COLOURS.get("." + name.rsplit(".", 1)[-1], 0x123456) if found else None

    def cells(self, first: int, per: int, n: int) -> list[tuple[int, int]]:
        """Mean colour and thousandths of each cell."""
        cells = []
        for at in range(first, min(first + per * n, self.end), per):
            used = Counter(c for c in map(self.colour, range(at, min(at + per, self.end))) if c is not None)
            total = used.total()
            mean = 0
            for shift in (16, 8, 0) if total else ():
                mean |= (sum((c >> shift & 255) * k for c, k in used.items()) + total // 2) // total << shift
            cells.append((mean, -(-1000 * total // per)))
        return cells

    def lit(self, first: int, per: int, n: int, ino: int) -> set[int]:
        """Cells that have a block of a file."""
        return {(lba - first) // per for lba, (_, _, own) in self.blocks.items()
                if own == ino and first <= lba < first + per * n}


def expand(flat: list[int]) -> list[tuple[int, int]]:
    """Cells of an answer, one by one."""
    return [(rgb, share) for n, rgb, share in zip(*[iter(flat)] * 3) for _ in range(n)]


def check_cells(server: Server, model: Model, first: int, per: int, n: int, ino: int) -> None:
    got = server.ask("cells", volume=0, first=first, per=per, n=n, lit=f"254:0 {ino}")
    expect((got["first"], got["per"], got["end"]), (first, per, min(first + per * n, model.end)))
    expect(expand(got["cells"]), model.cells(first, per, n))
    lit = {cell for a, b in zip(*[iter(got["lit"])] * 2) for cell in range(a, b + 1)}
    expect(lit, model.lit(first, per, n, ino))
    # pieces that touch are one
    assert all(end + 1 < begin for end, begin in zip(got["lit"][1::2], got["lit"][2::2])), got["lit"]


def check_blocks(server: Server, model: Model, first: int, end: int) -> None:
    got = server.ask("blocks", volume=0, first=first, end=end)
    at = first
    for piece in got["pieces"]:
        expect(piece["lba"], at)
        for i in range(piece["blocks"]):
            path, offset, ino = model.blocks.get(at + i, (None, 0, 0))
            expect(piece.get("path"), path)
            if path:
                expect((piece["offset"] + i, piece["key"]), (offset, f"254:0 {ino}"))
            else:
                expect(piece["is"], "free")
        at += piece["blocks"]
    assert at == end or (at < end and got["all"] > len(got["pieces"]) == 12), got


def test_answers_are_those_of_each_block(view: str) -> None:
    rng = random.Random(1)
    Path("c.cnf").write_text(ONE_COLOUR)
    for name in "small", "redis", "rocksdb2":
        model = Model(DATA / f"{name}.table")
        inos = sorted({own for _, _, own in model.blocks.values()})
        used = sorted(model.blocks)
        with Serving(view, DATA / f"{name}.table", "-c", "./c.cnf") as server:
            size = model.end - model.first
            check_cells(server, model, model.first, max(1, size // 1000), 1100, inos[0])
            for _ in range(30):
                first = min(model.end - 1, max(model.first, rng.choice(used) - rng.randrange(40)))
                check_cells(server, model, first, rng.choice((1, 1, 2, 3, 8, 100)), rng.choice((1, 7, 500)), rng.choice(inos))
                check_blocks(server, model, first, min(model.end, first + rng.choice((1, 2, 9, 3000))))


def test_state_of_f2fs(view: str) -> None:
    Path("c.cnf").write_text(ONE_COLOUR)
    for seed in range(3):
        folder = Path(f"s{seed}")
        naive_space.make(folder, seed)
        segments, watched = naive_space.read_bits(folder), {block for block, _ in naive_space.read_table(folder)}
        with Serving(view, folder / "table", "--f2fs-state", str(folder), "-c", "./c.cnf") as server:
            n = min(MAX_CELLS, len(segments) * naive_space.BLKS)
            cells = expand(server.ask("cells", volume=0, first=naive_space.MAIN, per=1, n=n)["cells"])
            for block, (rgb, share) in enumerate(cells):
                kind, bits, _ = segments[block // naive_space.BLKS]
                valid = bits[block % naive_space.BLKS]
                expected = (0x123456 if block in watched else (NODES if kind > 2 else OTHER) if valid else 0)
                expect((block, rgb, share), (block, expected, 1000 if expected else 0))
            for block in random.Random(seed).sample(range(n), 50):
                kind, bits, _ = segments[block // naive_space.BLKS]
                lba = naive_space.MAIN + block
                piece, = server.ask("blocks", volume=0, first=lba, end=lba + 1)["pieces"]
                valid = bits[block % naive_space.BLKS]
                expect(piece.get("is", "file"), "file" if block in watched else ("nodes" if kind > 2 else "other") if valid else "free")
                expect(piece.get("type"), kind if any(bits) else None)
            expect(server.ask("table")["knowsFree"], True)


def zone_of(devices: list[tuple], lba: int) -> tuple[str | None, dict]:
    """The zone of a block, and what is said of one that a piece is within."""
    for i, (_, _, zoned, zones, *_) in enumerate(devices):
        for number, (first, blocks, capacity, pointer, condition) in enumerate(zones):
            if zoned and first <= lba < first + blocks:
                said = {"condition": naive_zones.NAMES[condition]}
                if condition in (1, 2, 3, 4, 14):
                    said |= {"written": capacity if condition == 14 else pointer, "capacity": capacity}
                return f"{i}:{number}" if len(devices) > 1 else str(number), said
    return None, {}


def check_zones(server: Server, folder: Path, **at: str) -> None:
    devices = list(naive_zones.read_devices(folder))
    lba, end, several = naive_space.MAIN, server.ask("table", **at)["volumes"][0]["end"], 0
    while lba < end:
        for piece in server.ask("blocks", volume=0, first=lba, end=end, **at)["pieces"]:
            (zone, said), (last, _) = (zone_of(devices, at) for at in (piece["lba"], piece["lba"] + piece["blocks"] - 1))
            expected = {} if None in (zone, last) else {"zone": zone} | (said if zone == last else {"lastZone": last})
            expect({key: piece[key] for key in ("zone", "lastZone", "condition", "written", "capacity") if key in piece}, expected)
            several += zone != last
            lba = piece["lba"] + piece["blocks"]
    assert several


def test_zones(view: str) -> None:
    for seed in 1, 4:
        folder, stem = Path(f"z{seed}"), f"run{seed}/fragtrace-1700000000.000"
        naive_zones.make(folder, seed)
        with Serving(view, folder / "table", "--f2fs-state", str(folder)) as server:
            check_zones(server, folder)
        # a recording has them, too
        shutil.copytree(folder, f"{stem}.f2fs")
        Path(f"{stem}.table").write_bytes((folder / "table").read_bytes())
        with Serving(view, f"run{seed}") as server:
            check_zones(server, folder, at="end")
        # what is malformed is left out
        Path(f"{stem}.f2fs/zones.{int(seed == 4)}").write_text("nonsense\n")
        with Serving(view, f"run{seed}") as server:
            assert "zone" not in server.ask("blocks", volume=0, first=naive_space.MAIN + 4000, end=naive_space.MAIN + 4001)["pieces"][0]


def test_causes_and_age(view: str) -> None:
    with open("why", "wb") as stream:
        subprocess.run([sys.executable, str(HERE / "to_snapshot.py"), str(DATA / "why.table")], stdout=stream, check=True)
    with Serving(view, "why") as server:
        first, = server.ask("blocks", volume=0, first=1000, end=1001)["pieces"]
        expect((first["writer"], first["age"], "kind" in first), ("rocksdb:low (pid 812)", 5, False))
        fragmented, = server.ask("blocks", volume=0, first=1010, end=1011)["pieces"]
        assert fragmented["kind"].startswith("tail (the last block rewritten"), fragmented
        # the rest of the fragment, after a hole
        rest, = server.ask("blocks", volume=0, first=1121, end=1122)["pieces"]
        expect((rest["offset"], rest["kind"][:6]), (20, "tail ("))
        said = server.request(server.url + "why?key=254:0+10")[2].decode()
        assert "\nWhat helps against 1 break: fdatasync or msync, " in said, said


def test_advice_with_mode_lfs(view: str) -> None:
    """A break that would not be there if F2FS had written in place, which it does not with mode=lfs: with F2FS's state, and of a recording."""
    shutil.copytree(DATA / "f2fs-6.12", "s")
    with open("s/table", "a", encoding="ascii") as table:
        table.write("# time 1700000000.000\n# writer db 7 1700000000 1700000000\n# cause 7 75 overwrite sync moved 2\n")
    made = subprocess.run([sys.executable, str(HERE / "to_snapshot.py"), "s/table"], capture_output=True, check=True).stdout
    for mode, helps in ("adaptive", True), ("lfs", False):
        Path("s/snapshot").write_bytes(made)
        Path("s/mounts").write_text(f"/dev/vdb / ext4 rw 0 0\n/dev/vda /mnt f2fs rw,mode={mode} 0 0\n", encoding="ascii")
        shutil.copytree("s", f"{mode}/fragtrace-1700000000.000.f2fs")
        Path(f"{mode}/fragtrace-1700000000.000.snapshot").write_bytes(made)
        for arguments in ("s/snapshot", "--f2fs-state", "s"), (mode,), (mode, "--only", "f2.sst"):
            with Serving(view, *arguments) as server:
                said = server.request(server.url + "why?key=254:0+7")[2].decode()
                expect((arguments, "1 break:" in said, "What helps" in said), (arguments, True, helps))
            if "--only" not in arguments:
                said = subprocess.run([view, "metrics", *arguments], capture_output=True, text=True, check=True).stdout
                expect((arguments, f'advice="in_place"}} {helps:d}\n' in said, f'advice="none"}} {not helps:d}\n' in said), (arguments, True, True))
                said = subprocess.run([view, "why", *arguments], capture_output=True, text=True, check=True).stdout
                expect((arguments, "What helps" in said), (arguments, helps))


def test_files(view: str) -> None:
    text = subprocess.run([view, "table", "--json", DATA / "redis.table"], capture_output=True, check=True).stdout
    paths = {r["path"] for r in json.loads(text)["records"]}
    with Serving(view, DATA / "rocksdb2.table") as server:
        everything = server.ask("files", n=1000)
        expect(everything["found"], 33)
        extra = [f[6] - f[7] for f in everything["files"]]
        expect(extra, sorted(extra, reverse=True))
        for sort, value in ("path", lambda f: f[0]), ("blocks", lambda f: f[3]), ("fragments", lambda f: f[5]), \
                ("split", lambda f: f[6] / f[7]):
            for down in 0, 1:
                values = [value(f) for f in server.ask("files", n=1000, sort=sort, down=down)["files"]]
                expect(values, sorted(values, reverse=bool(down)))
        some = server.ask("files", n=2, find="MANI")
        expect((some["found"], [f[0] for f in some["files"]]), (1, ["/mnt/f2fs/db/MANIFEST-000071"]))
        one, = server.ask("files", n=1, key="254:0 189")["files"]
        expect((one[0], one[8]), ("/mnt/f2fs/db/MANIFEST-000071", 37927))
        expect(server.ask("files", n=1, key="254:0 7")["files"], [])
    with Serving(view, DATA / "redis.table", "--only", "*.aof") as server:
        expect({f[0] for f in server.ask("files", n=9)["files"]}, {p for p in paths if p.endswith(".aof")})
        expect(server.ask("table")["lens"], {"only": "*.aof", "lba": None, "files": len(paths)})


def test_parts_and_folders_of_the_list(view: str) -> None:
    """A list from any line on, and the sums of folders: those of the files below them, sorted as files are."""
    with Serving(view, DATA / "redis.table") as server:
        files = server.ask("files", n=1000, sort="path", down=0)["files"]
        expect(server.ask("files", n=1, sort="path", down=0, **{"from": 1})["files"], files[1:2])
        expect(server.ask("files", n=5, **{"from": 3}), {**server.ask("files", n=0), "files": []})
        expect(server.status("files", n=1, **{"from": -1}), 400)
        root = server.ask("files", n=9, folder="/")
        expect((root["found"], root["files"]), (1, [["/mnt/", "", 0, *(sum(f[i] for f in files) for i in range(3, 8)), 0, "", 3]]))
        below = server.ask("files", n=9, folder="/mnt/f2fs/redis/", sort="path", down=0)["files"]
        deep = [f for f in files if "/redis/appendonlydir/" in f[0]]
        expect(below, [["/mnt/f2fs/redis/appendonlydir/", "", 0, *(sum(f[i] for f in deep) for i in range(3, 8)), 0, "", 2],
                       next(f for f in files if f[0] == "/mnt/f2fs/redis/dump.rdb")])
        expect(server.ask("files", n=9, folder="/mnt/f2fs/redis/", sort="path")["files"], below[::-1])
        expect(server.ask("files", n=1, folder="/mnt/f2fs/redis/", sort="path", down=0, **{"from": 1})["files"], below[1:])
        expect(server.ask("files", n=9, folder="/mnt/f2fs/redis/", find="dump")["files"], below[1:])
        expect(server.ask("files", n=9, folder="/nowhere/")["found"], 0)


NAMES = ["/m/db/000001.sst", "/m/DB/LOG.old", "/m/db/log", "/m/[Grp] Show [1080p].mkv", "/m/a*b.txt", "/m/axb.txt", "/m/x.SST",
         "/m/back\\slash", "/m/b-d", "/m/(1).txt", "/m/Ä.txt"]
# what is typed, and what is found
FOUND = {"log": ["/m/DB/LOG.old", "/m/db/log"], "LOG": ["/m/DB/LOG.old"], "*.sst": ["/m/db/000001.sst", "/m/x.SST"], "*.SST": ["/m/x.SST"],
         "[Grp] Show [1080p].mkv": ["/m/[Grp] Show [1080p].mkv"], "a*b": ["/m/a*b.txt"], "a*b.txt": ["/m/a*b.txt", "/m/axb.txt"],
         "a\\*b.txt": ["/m/a*b.txt"], "db/*": ["/m/db/000001.sst", "/m/DB/LOG.old", "/m/db/log"], "/m/?": [], "/m/???": ["/m/b-d"], "m/b[-_]d": ["/m/b-d"],
         "[!a-z]*.sst": ["/m/db/000001.sst"], "[z-a": [], "(1).txt": ["/m/(1).txt"], "slash": ["/m/back\\slash"], "*ack\\\\*": ["/m/back\\slash"],
         "Ä": ["/m/Ä.txt"], "*/log": ["/m/db/log"]}


def test_finding(view: str) -> None:
    with open("t", "w", encoding="utf-8") as file:
        file.write("# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks=1000 segment_blocks=10 path=/m\n")
        for i, name in enumerate(NAMES):
            escaped = name.replace("\\", "\\134").replace(" ", "\\040")
            file.write(f"254:0 {10 * i} 1 0 {4 + i} contiguous {escaped}\n")
    with Serving(view, "t") as server:
        for find, names in FOUND.items():
            found = server.ask("files", n=99, find=find)
            expect((find, {NAMES[f[2] - 4] for f in found["files"]}, found["found"]), (find, set(names), len(names)))
            # is one of them found?
            for i, name in enumerate(NAMES):
                expect((find, name, server.ask("files", n=1, find=find, key=f"254:0 {4 + i}")["found"]), (find, name, int(name in names)))


def test_part_of_a_volume(view: str) -> None:
    with Serving(view, DATA / "small.table", "--lba", "110-120") as server:
        volume, = server.ask("table")["volumes"]
        expect((volume["lba"], volume["end"], volume["main"]), (110, 121, 100))
        expect(server.status("cells", volume=0, first=109, per=1, n=1), 400)
        expect(server.ask("cells", volume=0, first=119, per=1, n=50)["end"], 121)


# === Who may ask ===

def test_token(view: str) -> None:
    with Serving(view, DATA / "small.table") as server, Serving(view, DATA / "small.table") as other:
        assert server.token != other.token
        root = f"http://127.0.0.1:{server.port}/"
        wrong = server.token[:-1] + ("0" if server.token[-1] != "0" else "1")
        for path in "", "table", wrong + "/", wrong + "/table", other.token + "/", server.token, server.token + "0/", \
                "/" + server.token + "/", server.token.upper() + "x/":
            status, _, body = server.request(root + path)
            expect((path, status), (path, 403))
            assert b"/mnt" not in body and server.token.encode() not in body
        expect(server.status(""), 200)


def test_methods(view: str) -> None:
    with Serving(view, DATA / "small.table") as server:
        for method in "POST", "PUT", "DELETE", "OPTIONS", "PATCH":
            status, headers, _ = server.request(server.url + "table", method)
            expect((method, status, headers["Allow"]), (method, 405, "GET, HEAD"))
        for what in "", "table":
            _, headers, body = server.request(server.url + what)
            status, head, nothing = server.request(server.url + what, "HEAD")
            expect((status, head["Content-Type"], nothing), (200, headers["Content-Type"], b""))
            expect(abs(int(head["Content-Length"]) - len(body)) < 20, True)


def test_host(view: str) -> None:
    with Serving(view, DATA / "small.table") as server:
        for host, expected in ("evil.example", 421), ("evil.example:80", 421), ("127.0.0.1.evil.example", 421), ("", 421), \
                ("localhost.evil.example", 421), ("[::1", 200), ("127.0.0.1", 200), ("localhost", 200), \
                ("LOCALHOST:9", 200), ("[::1]:8417", 200), ("192.0.2.1:1", 200), ("x" * 300, 421):
            expect((host, server.request(server.url + "table", Host=host)[0]), (host, expected))
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            raw.sendall(f"GET /{server.token}/table HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
            assert raw.recv(100).startswith(b"HTTP/1.1 400 "), "a request without Host"


def test_headers(view: str) -> None:
    with Serving(view, DATA / "small.table") as server:
        for what, kind in ("", "text/html; charset=utf-8"), ("table", "application/json"):
            _, headers, body = server.request(server.url + what)
            expect((headers["Content-Type"], headers["X-Content-Type-Options"], headers["Referrer-Policy"]),
                   (kind, "nosniff", "no-referrer"))
            expect((headers["X-Frame-Options"], headers["Access-Control-Allow-Origin"]), ("DENY", None))
            assert b".sst\"" not in body or b"/mnt/f2fs/0000" not in body, "names of files before they are asked for"


def test_wrong_requests(view: str) -> None:
    good = {"volume": 0, "first": 110, "per": 1, "n": 5}
    with Serving(view, DATA / "small.table") as server:
        for key, bad in ("volume", 1), ("volume", -1), ("first", 99), ("first", 164), ("first", "x"), ("first", ""), ("per", 0), \
                ("per", 2**32), ("n", 0), ("n", MAX_CELLS + 1), ("n", 2**64 + 1), ("n", "1e3"), ("first", "110 "), \
                ("lit", "x"), ("lit", "1:2"), ("lit", "254:0 5 6"):
            expect((key, bad, server.status("cells", **{**good, key: bad})), (key, bad, 400))
        for key in good:
            expect(server.status("cells", **{k: v for k, v in good.items() if k != key}), 400)
        for first, end in (110, 110), (120, 110), (110, 165), (99, 120):
            expect(server.status("blocks", volume=0, first=first, end=end), 400)
        for args in {"n": 1001}, {}, {"n": 1, "sort": "x"}, {"n": 1, "down": 2}, {"n": 1, "key": "x"}:
            expect(server.status("files", **args), 400)
        expect(server.ask("cells", **{**good, "lit": "254:0 77777"})["lit"], [])
        # a list of files that is full
        Path("full").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=64 path=/m\n" +
                                "".join(f"254:0 {100 + i} 1 0 {4 + i} contiguous /m/{i}\n" for i in range(64)), encoding="ascii")
        with Serving(view, "full") as other:
            expect(other.ask("cells", **{**good, "lit": "254:0 77777"})["lit"], [])
        for what in "x", "table/", "../etc/passwd", "cells/1":
            expect(server.status(what), 404)
        for at in "1", "x":
            expect(server.status("table", at=at), 404)
        expect(server.status("table", at=""), 200)


def test_nobody_blocks_others(view: str) -> None:
    with Serving(view, DATA / "small.table") as server:
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
        for connection in idle:
            connection.sendall(b"GET /")
        expect(server.status("table"), 200)
        # more than there may be: they are not served, and the server lives
        idle += [socket.create_connection(("127.0.0.1", server.port)) for _ in range(60)]
        for connection in idle:
            connection.close()
        end = time.monotonic() + 60
        while True:
            try:
                expect(server.status("table"), 200)
                break
            except OSError:
                assert time.monotonic() < end, "the server does not come back"
                time.sleep(0.05)
        # a body that nobody wants, a line without end
        expect(server.request(server.url, "POST", Content_Length="0")[0], 405)
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            try:
                raw.sendall(b"GET /" + b"x" * 100000)
                raw.recv(100)
            except OSError:
                pass
        expect(server.status("table"), 200)


def test_one_connection_for_many_requests(view: str) -> None:
    with Serving(view, DATA / "small.table") as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for _ in range(50):
            connection.request("GET", f"/{server.token}/files?n=3")
            answer = connection.getresponse()
            expect((answer.status, len(json.loads(answer.read())["files"])), (200, 3))
        connection.close()


def test_fragments(view: str) -> None:
    n = 2500
    with open("t", "w", encoding="ascii") as file:
        file.write(f"# fragtrace table 1\n# volume 254:0 main_blkaddr=0 blocks={n * 3} segment_blocks=512 path=/m\n")
        file.writelines(f"254:0 {i * 3} 2 {2 * (n - i)} 4 fragmented /m/a.sst\n" for i in range(n))
    expected = [[(n - 1 - k) * 3, 2, 2 * (k + 1)] for k in range(n)]
    with Serving(view, "t") as server:
        found = [server.ask("fragments", key="254:0 4", first=first) for first in (0, 1000, 2000, 2500)]
        expect([(f["first"], f["all"], len(f["fragments"])) for f in found], [(0, n, 1000), (1000, n, 1000), (2000, n, 500), (2500, n, 0)])
        expect([x for f in found for x in f["fragments"]], expected)
        expect([server.status("fragments", **bad) for bad in ({}, {"key": "254:0 9"}, {"key": "254:0 4", "first": "x"})], [400] * 3)


def test_other_colours(view: str) -> None:
    with open("why", "wb") as stream:
        subprocess.run([sys.executable, str(Path(__file__).resolve().parent / "to_snapshot.py"), str(DATA / "why.table")], stdout=stream, check=True)
    names = ["kind", "severity", "size", "cause", "why", "process", "age"]
    asked = {"volume": 0, "first": 1000, "per": 1, "n": 500}
    with Serving(view, "why") as server:
        expect([server.ask("table")[key] for key in ("coloring", "colorings")], ["kind", names])
        tags = set()
        for name in names:
            with Serving(view, "why", "--color-by", name) as other:
                expect(server.ask("cells", by=name, **asked)["cells"], other.ask("cells", **asked)["cells"])
                expect(server.ask("table", by=name)["legend"], other.ask("table")["legend"])
                expect([f[9] for f in server.ask("files", by=name, n=9)["files"]], [f[9] for f in other.ask("files", n=9)["files"]])
                expect(other.ask("table")["colorings"], [name] + [n for n in names if n != name])
            tags.add(server.request(server.url + "table?by=" + name)[1]["ETag"])
        expect(len(tags), len(names))
        # without a name they are those that it was started with
        expect(server.ask("table")["coloring"], "kind")
        expect((server.status("table", by="heat"), server.status("cells", by="x", **asked)), (400, 400))
    with Serving(view, DATA / "small.table", "--color-by", "file=*.log") as server:
        expect(server.ask("table")["colorings"], ["file", "kind", "severity", "size"])
        before = server.ask("cells", volume=0, first=100, per=1, n=64)["cells"]
        assert server.ask("cells", volume=0, first=100, per=1, n=64, by="size")["cells"] != before
        expect(server.ask("cells", volume=0, first=100, per=1, n=64)["cells"], before)


# === New tables ===

def replace(lines: list[str]) -> None:
    Path("new").write_text("# fragtrace table 1\n# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m\n" +
                           "".join(line + "\n" for line in lines))
    os.rename("new", "t")


def test_only_what_comes_later(view: str) -> None:
    """That no file matches is said once; then there is one."""
    replace(["254:0 110 2 0 4 contiguous /m/a.sst"])
    said = "fragtrace serve: --only b.sst: no watched file of t matches; give a part of a path, or a glob\n"
    with Serving(view, "t", "-n", "0.1", "--only", "b.sst", says=said) as server:
        expect(server.ask("table")["total"]["files"], 0)
        time.sleep(0.3)
        replace(["254:0 110 2 0 4 contiguous /m/a.sst", "254:0 120 2 0 5 contiguous /m/b.sst"])
        end = time.monotonic() + 60
        while server.ask("table")["total"]["files"] != 1:
            assert time.monotonic() < end, "no new table"
            time.sleep(0.02)


def test_renewal(view: str) -> None:
    replace(["254:0 110 2 0 4 contiguous /m/a.sst"])
    with Serving(view, "t", "-n", "0.1", says="fragtrace serve: t: cannot open: No such file or directory; "
                 "waiting until it is back\n") as server:
        status, headers, body = server.request(server.url + "table")
        tag, before = headers["ETag"], json.loads(body)
        expect((status, tag, before["interval"]), (200, f'"{before["generation"]}"', 100))
        replace(["254:0 110 2 0 4 contiguous /m/a.sst", "254:0 120 2 0 5 contiguous /m/b.sst"])
        end = time.monotonic() + 60
        while server.ask("table")["total"]["files"] != 2:
            assert time.monotonic() < end, "no new table"
            time.sleep(0.02)
        status, headers, body = server.request(server.url + "table", If_None_Match=tag)
        assert status == 200 and json.loads(body)["generation"] > before["generation"]
        expect(server.ask("blocks", volume=0, first=120, end=121)["pieces"][0]["path"], "/m/b.sst")
        # without a new table there is nothing to say, and the last one stays
        os.unlink("t")
        time.sleep(0.5)
        tag = server.request(server.url + "table")[1]["ETag"]
        expect(server.request(server.url + "table", If_None_Match=tag)[::2], (304, b""))
        expect(server.ask("table")["total"]["files"], 2)


def test_a_bad_reading_ends_no_server(view: str) -> None:
    good = ["254:0 110 2 0 4 contiguous /m/a.sst"]
    replace(good)
    said = ("fragtrace serve: t:1: the table is cut short; expected a newline at its end; waiting until it is back\n"
            "fragtrace serve: t: is back\n")
    with Serving(view, "t", "-n", "0.1", says=said) as server:
        # as a copy over it does, which is not renamed
        Path("t").write_text("garbage")
        time.sleep(0.5)
        expect(server.ask("files", n=9)["files"][0][0], "/m/a.sst")
        Path("t").write_bytes(zstandard.compress(b"# fragtrace table 1\n")[:20])
        time.sleep(0.5)
        expect(server.ask("files", n=9)["files"][0][0], "/m/a.sst")
        replace(good + ["254:0 120 2 0 5 contiguous /m/b.sst"])
        end = time.monotonic() + 60
        while server.ask("table")["total"]["files"] != 2:
            assert time.monotonic() < end, "no new table"
            time.sleep(0.02)


def test_a_table_is_read_once_without_an_interval(view: str) -> None:
    replace(["254:0 110 2 0 4 contiguous /m/a.sst"])
    with Serving(view, "t") as server:
        replace([])
        time.sleep(0.3)
        expect(server.ask("table")["generation"], 1)
        expect(server.ask("files", n=1)["found"], 1)


def test_standard_input(view: str) -> None:
    with open(DATA / "small.table", "rb") as stream:
        process = subprocess.Popen([view, "serve", "-l", "0", "-"], stdin=stream, stdout=subprocess.PIPE, text=True)
        assert process.stdout and process.stdout.readline().startswith("http://127.0.0.1:")
        process.terminate()
        expect(process.wait(10), 0)


# === Recordings ===

def by_at(view: str, at: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([view, "table", "run", "--at", at, "--json"], capture_output=True, text=True, check=False)


def check_moment(view: str, server: Server, time_ns: int, truth: set) -> None:
    """The server has at a moment what --at has, and what the model had."""
    at = iso(time_ns)
    done = by_at(view, at)
    expect((done.returncode, done.stderr), (0, ""))
    records = json.loads(done.stdout)["records"]
    table = server.ask("table", at=at)
    expect((table["total"]["extents"], table["total"]["files"]), (len(records), len({r["ino"] for r in records})))
    expect(table["time"], round(1000 * json.loads(done.stdout)["time"]))
    for r in records:
        # an extent has a piece for each of its colours
        pieces = server.ask("blocks", at=at, volume=0, first=r["lba"], end=r["lba"] + r["length"])["pieces"]
        expect((pieces[0]["lba"], sum(p["blocks"] for p in pieces), pieces[0]["offset"], {p["path"] for p in pieces}),
               (r["lba"], r["length"], r["offset"], {r["path"]}))
    written = {lba for _, _, kind, lba in truth if kind != "u"}
    expect({r["lba"] + i for r in records for i in range(r["length"])}, written)
    per = -(-(END - MAIN) // 16000)
    cells = expand(server.ask("cells", at=at, volume=0, first=MAIN, per=per, n=16000)["cells"])
    expect({i for i, (_, share) in enumerate(cells) if share}, {(lba - MAIN) // per for lba in written})
    expect({f[2] for f in server.ask("files", at=at, n=1000)["files"]}, {r["ino"] for r in records})


def test_moments(view: str) -> None:
    seed = int(os.environ.get("SEED", random.randrange(10 ** 6)))
    print(f"# SEED={seed}")
    recorder = record(Path("run"), seed)
    with Serving(view, "run") as server:
        expect(server.ask("table")["recording"], True)
        order = list(range(0, len(recorder.truth), 6))
        random.shuffle(order)
        for index in order:
            check_moment(view, server, recorder.truth[index][0], recorder.truth[index][1])
        # the one that was shown first is there, too
        expect(server.ask("table")["time"], recorder.truth[-1][0] // 10 ** 6)
        begin = recorder.truth[0][0]
        one, other = (server.ask("table", at=at)["total"] for at in ("1.5s", iso(begin + 1_500_000_000)))
        expect(one, other)
        expect(server.ask("table", at="start")["time"], begin // 10 ** 6)
        expect(server.ask("table", at="999h")["time"], server.ask("table", at="end")["time"])
        for bad in "yesterday", "1x", "-1", "2023-02-30T00:00:00Z", "1" * 100:
            status, _, body = server.request(server.url + "table?at=" + bad)
            expect((status, body[:13]), (400, b"at=: expected"))
        status, _, body = server.request(server.url + "table?at=2001-02-03T04:05:06Z")
        assert status == 404 and b": the recording begins at " in body, body
        # an answer is known by its table, not by its moment
        tag = server.request(server.url + "table?at=1s")[1]["ETag"]
        assert server.request(server.url + "table?at=2s", If_None_Match=tag)[0] == 200
        # who looks at one moment does not slow who looks at another one: both are kept, up to eight
        moments = [iso(recorder.truth[i][0]) for i in range(0, 9)]
        for number, is_kept in (2, True), (7, True), (9, False):
            tags = [[server.request(server.url + "table?at=" + at)[1]["ETag"] for at in moments[:number]] for _ in "ab"]
            expect((tags[0] == tags[1], len(set(tags[0]))), (is_kept, number))
            answers = [server.ask("cells", at=at, volume=0, first=MAIN, per=97, n=2000)["cells"] for at in moments[:number]]
            expect(answers, [server.ask("cells", at=at, volume=0, first=MAIN, per=97, n=2000)["cells"] for at in moments[:number]])
    with Serving(view, "run", "--at", "1.5s") as server:
        expect((server.ask("table")["total"], server.ask("table", at="end")["time"]), (one, recorder.truth[-1][0] // 10 ** 6))
        expect(server.ask("table")["total"], one)
    with Serving(view, DATA / "small.table") as server:
        expect((server.ask("table")["recording"], server.status("recording"), server.status("table", at="1s")), (False, 404, 404))


def lit(ranges: list[int]) -> set[int]:
    """The cells of an answer."""
    return {cell for first, last in zip(*[iter(ranges)] * 2) for cell in range(first, last + 1)}


def test_two_moments(view: str) -> None:
    seed = int(os.environ.get("SEED", random.randrange(10 ** 6)))
    print(f"# SEED={seed}")
    recorder = record(Path("run"), seed)
    rng = random.Random(seed)
    with Serving(view, "run") as server:
        for _ in range(12):
            (then_ns, then, *_), (now_ns, now, *_) = (rng.choice(recorder.truth) for _ in "ab")
            at, since = {"at": iso(now_ns)}, {"since": iso(then_ns)}
            owners = [{lba: (ino, block) for ino, block, kind, lba in blocks if kind != "u"} for blocks in (then, now)]
            changed = {lba for lba in owners[0].keys() | owners[1].keys() if owners[0].get(lba) != owners[1].get(lba)}
            per = rng.choice((1, 7, 97))
            first = rng.choice((MAIN, *changed))
            n = min(16384, -(-(END - first) // per))
            found = server.ask("cells", volume=0, first=first, per=per, n=n, **at, **since)
            shown = {lba for lba in changed if first <= lba < first + n * per}
            expect((lit(found["lit"]), found["changed"]), ({(lba - first) // per for lba in shown}, len(shown)))
            # files: what they need more than then
            old, new = ({line[2]: (line[6] - line[7], line[0]) for line in server.ask("files", n=1000, at=iso(ns))["files"]} for ns in (then_ns, now_ns))
            more = {ino: extra - old.get(ino, (0, ""))[0] for ino, (extra, _) in new.items()}
            for down in 0, 1:
                found = server.ask("files", n=1000, sort="change", down=down, **at, **since)
                expect(dict(zip([line[2] for line in found["files"]], found["changes"])), more)
                expect((found["changes"], found["gone"]), (sorted(more.values(), reverse=bool(down)), len(old.keys() - new.keys())))
            folder = server.ask("files", n=9, sort="change", folder="/", **at, **since)
            named = [more[ino] for ino, (_, path) in new.items() if path.startswith("/")]
            gone = sum(extra for ino, (extra, path) in old.items() if ino not in new and path.startswith("/"))
            expect(folder["changes"], [sum(named) - gone] if named else [])
            # a file that is lit up goes first
            for ino in list(new)[:1]:
                key = {"lit": f"254:0 {ino}"}
                one, other = (server.ask("cells", volume=0, first=MAIN, per=97, n=9999, **at, **key, **more) for more in ({}, since))
                expect((one["lit"], "changed" in one, "changed" in other), (other["lit"], False, True))
        expect(server.ask("cells", volume=0, first=MAIN, per=97, n=9999, at="1s", since="1s")["lit"], [])
        expect([server.status("files", n=1, sort="change", **more) for more in ({}, {"since": "yesterday"}, {"since": "2001-02-03T04:05:06Z"}, {"since": "1s"})],
               [400, 400, 404, 200])
    with Serving(view, DATA / "small.table") as server:
        expect(server.status("files", n=1, since="1s"), 404)
    # the volume has grown, and one of its folders has lost what the other one got
    os.mkdir("grown")
    for second, blocks, lines in ((0, 164, ["110 1 0 4 fragmented /m/a/x", "120 1 1 4 fragmented /m/a/x", "130 1 0 5 contiguous /m/b/y"]),
                                  (9, 228, ["110 1 0 6 fragmented /m/b/z", "120 1 1 6 fragmented /m/b/z", "130 1 0 5 contiguous /m/b/y",
                                            "140 1 0 8 contiguous /m/a/v", "200 1 1 5 contiguous /m/b/y"])):
        Path(f"grown/fragtrace-100000000{second}.000.table").write_text(
            f"# fragtrace table 1\n# volume 254:0 main_blkaddr=100 blocks={blocks} segment_blocks=64 path=/m\n" +
            "".join(f"254:0 {line}\n" for line in lines), encoding="ascii")
    with Serving(view, "grown") as server:
        both = {"at": "end", "since": "start"}
        found = server.ask("cells", volume=0, first=100, per=1, n=128, **both)
        expect((lit(found["lit"]), found["changed"]), ({10, 20, 40, 100}, 4))
        found = server.ask("files", n=9, sort="path", down=0, folder="/m/", **both)
        expect(([line[0] for line in found["files"]], found["changes"], found["gone"]), (["/m/a/", "/m/b/"], [-1, 2], 1))


def test_one_volume(view: str) -> None:
    subprocess.run([view, "record", "run", "-t", DATA / "two.table"], check=True)
    for table in DATA / "two.table", "run":
        for volume, extents, paths in ("254:0", 3, {"/mnt/a/x.rdb", "/mnt/a/y.rdb"}), \
                ("/mnt/my disk", 2, {"/mnt/my disk/appendonly.aof.1.base.rdb", "/mnt/my disk/.rdb"}):
            with Serving(view, table, "--volume", volume) as server:
                found = server.ask("table")
                expect((len(found["volumes"]), found["total"]["extents"]), (1, extents))
                expect({f[0] for f in server.ask("files", n=10)["files"]}, paths)
        refused(view, 1, "the volumes are /mnt/a (254:0), /mnt/my disk (254:16): expected --volume with one of them",
                "-t", str(table), "-l", "0", "--volume", "nosuch")


def test_curve(view: str) -> None:
    """At each moment it has the breaks of a naive model; of many events in a slot, it has their peak."""
    recorder = record(Path("run"), 11, 6)
    truth = [(at, naive_breaks(blocks)) for at, blocks, *_ in recorder.truth]
    with Serving(view, "run") as server:
        found = server.ask("curve")
        points = [tuple(flat[i:i + 3]) for flat in found["curves"] for i in range(0, len(flat), 3)]
        spans = server.ask("recording")["spans"]
        expect((found["next"], len(found["curves"]), [flat[0] for flat in found["curves"]]), (None, 6, [span[0] for span in spans]))
        assert len(set(points)) > 20 and points == sorted(points)
        for (time_ms, most, last), (end_ms, *_) in zip(points, [*points[1:], (sys.maxsize,)]):
            held = [n for at, n in truth if time_ms <= at // 10 ** 6 < end_ms]
            # times are in ms: of what happens in the one where the next point begins, a part is before it
            late = held[-1:] + [n for at, n in truth if at // 10 ** 6 == end_ms]
            assert not held or last in late and most >= max(held), (time_ms, most, last, held, late)
        expect([server.ask("curve", first=first)["curves"] for first in (5, 6)], [found["curves"][5:], []])
        expect([server.status("curve", first=first) for first in ("x", -1, 2 ** 32)], [400] * 3)
    # a day later there is another snapshot, and all of that is less than a slot
    recorder.model.time_ns += 86400 * 10 ** 9
    recorder.copy(0)
    with Serving(view, "run") as server:
        for (_, most, last), span, after in zip(server.ask("curve")["curves"], spans, spans[1:]):
            held = [n for at, n in truth if span[0] <= at // 10 ** 6 < after[0]]
            # an event may make a break that the next one of the same step undoes
            assert last == held[-1] and max(held) <= most <= max(held) + 2, (most, last, held)
    # a part has none, nor have tables that were kept as text, nor has what is no recording
    os.mkdir("texts")
    shutil.copy(DATA / "small.table", "texts/fragtrace-1000000000.000.table")
    with Serving(view, "texts") as server:
        expect(server.ask("curve"), {"curves": [[]], "next": None})
    for options in ("--only", "f6.sst"), ("--volume", "/m"):
        with Serving(view, "run", *options) as server:
            expect(server.ask("curve"), {"curves": [], "next": None})
    with Serving(view, DATA / "small.table") as server:
        expect(server.status("curve"), 404)


def test_gaps(view: str) -> None:
    recorder, lost_at, in_gap, healed = record_gap(Path("run"), 5)
    with Serving(view, "run") as server:
        known = server.ask("recording")
        (first, exact, lost), (second, end, none) = known["spans"]
        expect((known["first"], known["last"], known["next"]), (first, recorder.model.time_ns // 10 ** 6, None))
        expect((second, end, lost, none), (healed // 10 ** 6, known["last"], 2, 0))
        assert exact <= lost_at // 10 ** 6 < in_gap // 10 ** 6 <= second, known
        before = server.ask("table", at=iso(exact * 10 ** 6))
        expect(before["time"], exact)
        for at in iso(lost_at + 500), iso((lost_at + in_gap) // 2), iso(healed - 1):
            status, headers, body = server.request(server.url + "table?at=" + at)
            expect((status, headers["Content-Type"]), (404, "text/plain; charset=utf-8"))
            expect("fragtrace table: " + body.decode(), by_at(view, at).stderr)
            assert b": 2 events were lost; the nearest exact moments are " in body, body
            # what was shown before is still there
            expect(server.ask("table", at=iso(exact * 10 ** 6))["total"], before["total"])
        check_moment(view, server, recorder.truth[-1][0], recorder.truth[-1][1])


def test_a_damaged_recording_ends_no_server(view: str) -> None:
    record(Path("run"), 7)
    snapshots = sorted(Path("run").glob("*.snapshot.zst"))
    whole = snapshots[2].read_bytes()
    times = [int(p.name.split("-")[1].split(".")[0]) * 10 ** 9 + int(p.name.split(".")[1]) * 10 ** 6 for p in snapshots]
    with Serving(view, "run") as server:
        good = server.ask("table", at=iso(times[0]))["total"]
        for damaged in whole[:50], b"nonsense", b"":
            snapshots[2].write_bytes(damaged)
            status, _, body = server.request(server.url + "table?at=" + iso(times[2]))
            assert status == 404 and body.startswith(b"run/fragtrace-") and body.count(b"\n") == 1, body
            expect(server.ask("table", at=iso(times[0] + 1))["total"], good)
        # as --keep does it while the recording is served
        for path in Path("run").glob(snapshots[0].name.split(".snap")[0] + "*"):
            path.unlink()
        snapshots[2].write_bytes(whole)
        expect(server.status("table", at=iso(times[0] + 2)), 404)
        # what was rebuilt before is kept
        expect(server.ask("table", at=iso(times[0]))["total"], good)
        expect(server.ask("recording")["first"], times[1] // 10 ** 6)
        expect(server.status("table", at=iso(times[1])), 200)
        for path in list(Path("run").iterdir()):
            path.unlink()
        expect((server.status("table", at=iso(times[0] + 3)), server.status("recording")), (404, 404))


def test_spans_are_bounded(view: str) -> None:
    Path("run").mkdir()
    for i in range(2500):
        Path(f"run/fragtrace-{1000 + i}.000.table").write_text(
            f"# fragtrace table 1\n# time {1000 + i}.000\n# volume 254:0 main_blkaddr=100 blocks=164 segment_blocks=32 path=/m\n"
            f"254:0 {110 + i % 50} 1 0 4 contiguous /m/a.sst\n")
    with Serving(view, "run") as server:
        spans: list[list[int]] = []
        answers = 0
        while True:
            status, headers, body = server.request(f"{server.url}recording?first={len(spans)}")
            expect((status, headers["ETag"]), (200, None))
            some = json.loads(body)
            expect((some["first"], some["last"]), (1000000, 3499000))
            assert 0 < len(some["spans"]) <= 1000 and len(body) < 50000
            spans += some["spans"]
            answers += 1
            if some["next"] is None:
                break
            expect(some["next"], len(spans))
        assert answers >= 3
        # without events, a snapshot counts until the next one
        expect(spans, [[1000000 + 1000 * i, 1000000 + 1000 * i + 999 * (i < 2499), 0] for i in range(2500)])
        expect(server.ask("recording", first=2500)["spans"], [])
        expect(server.ask("table", at="17.9s")["time"], 1017000)
        expect(server.ask("blocks", at="17.9s", volume=0, first=127, end=128)["pieces"][0]["path"], "/m/a.sst")
        expect([server.status("recording", first=first) for first in ("x", -1, 2 ** 32)], [400] * 3)


def test_state_of_f2fs_in_a_recording(view: str) -> None:
    recorder = Recorder(Path("run"), FileModel(random.Random(3)))
    recorder.steps(40)
    recorder.copy(0)
    watched = {lba for _, _, kind, lba in recorder.model.shown() if kind != "u"}
    rng = random.Random(4)
    nodes = {MAIN + 512 * segment + k for segment in NODE_SEGMENTS for k in range(60)} - watched
    others = {rng.randrange(MAIN, MAIN + 512 * 380) for _ in range(3000)} - watched
    state = Path(str(recorder.stem) + ".f2fs")
    state_ms = recorder.model.time_ns // 10 ** 6
    (state / "254:0").mkdir(parents=True)
    write_state(state / "254:0", watched | others | nodes)
    recorder.steps(60)
    recorder.flush()
    recorder.write()
    Path("c.cnf").write_text("default #123456 #123456 #123456\n")
    Path(str(recorder.stem) + ".discards.zst").write_bytes(zstandard.compress((DATA / "discards.txt").read_bytes()))
    freed = 0
    with Serving(view, "run", "-c", "./c.cnf") as server:
        for index in 40, 60, len(recorder.truth) - 1:
            at, blocks = iso(recorder.truth[index][0]), {b[3] for b in recorder.truth[index][1] if b[2] != "u"}
            freed += len(watched - blocks)
            table = server.ask("table", at=at)
            expect((table["knowsFree"], table["stateAge"]), (True, table["time"] - state_ms))
            expect(table["volumes"][0]["discards"], "800 KiB pending, 0 KiB discarded since the recording or the counts began")
            for first in range(MAIN, END, MAX_CELLS):
                cells = expand(server.ask("cells", at=at, volume=0, first=first, per=1, n=MAX_CELLS)["cells"])
                for lba, (rgb, _) in enumerate(cells, first):
                    expected = 0x123456 if lba in blocks else OTHER if lba in others else NODES if lba in nodes else 0
                    expect((index, lba, rgb), (index, lba, expected))
    assert freed, "no block became free"
    (state / "254:0/segment_bits").write_text("nonsense\n")
    Path(str(recorder.stem) + ".discards.zst").write_bytes(zstandard.compress(b"nonsense\n"))
    with Serving(view, "run") as server:
        table = server.ask("table", at="1s")
        expect((table["knowsFree"], "stateAge" in table, "discards" in table["volumes"][0]), (False, False, False))


# === What was counted ===

COUNTS = ("cost", "latency"), ("ledger", "ledger"), ("gc", "gc_runs")


def by_command(view: str, command: str, path: str | Path) -> Any:
    """What the command says of a file, in JSON; where it refuses it, why."""
    done = subprocess.run([view, command, "-t", path, "--json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if not done.returncode else done.stderr.split(": ", 1)[1]


def test_counts_are_those_of_the_commands(view: str) -> None:
    Path("copy").mkdir()
    shutil.copy(DATA / "small.table", "copy/table")
    with Serving(view, "copy/table") as server:
        for command, file in COUNTS:
            path = Path("copy") / file
            expect(server.request(server.url + command)[::2],
                   (404, f"copy/table: has no file {file}; expected a recording of a module that was loaded with {file}=1\n".encode()))
            shutil.copy(DATA / f"{file}.txt", path)
            expect(server.ask(command), {"time": 0, "answer": by_command(view, command, path)})
            for bad in f"# fragtrace {file} {1 + (command == 'gc')}\n# not known: the module was loaded with {file}=0\n", "nonsense\n":
                path.write_text(bad)
                expect(server.request(server.url + command)[::2], (404, by_command(view, command, path).encode()))
        # of many processes and files, the first ones
        for command, file, line, key in ("ledger", "ledger", "254:0 process {n} 0 0 {n} 0 0 0 {n} x{n} /", "processes"), \
                ("cost", "latency", "253:0 file {n} 0 1 0 2 0 900000000 0:0 0:0 0:0 0:0 0:0 2:{n} 0:0 0:0 /m/{n}", "files"):
            text = (DATA / f"{file}.txt").read_text() + "".join(line.format(n=n) + "\n" for n in range(9, 309))
            (Path("copy") / file).write_text(text)
            said, whole = server.ask(command)["answer"]["volumes"][0], by_command(view, command, Path("copy") / file)["volumes"][0]
            assert len(whole[key]) > 300
            # and all others, if there are
            expect((said["said"], said[key]), (whole["said"], whole[key][:100] + [one for one in whole[key][100:] if one.get("others")]))
        # processes of one name are one line
        with open("copy/ledger", "a", encoding="ascii") as file:
            file.writelines(f"254:0 process 4096 0 0 999424 0 0 0 {n} head /\n" for n in range(1000, 1012))
        heads = [one for one in server.ask("ledger")["answer"]["volumes"][0]["processes"] if one.get("process") == "head"]
        expect([(one["name"], one["data"], "pid" in one) for one in heads], [("head (12 processes)", 12 * 999424, False)])
    shutil.copy(DATA / "ledger.txt", "copy/ledger")
    expected = {"time": 0, "answer": by_command(view, "ledger", Path("copy/ledger"))}
    # a table in this folder, and a single snapshot of a recording
    os.chdir("copy")
    with Serving(view, "table") as server:
        expect(server.ask("ledger"), expected)
    os.chdir("..")
    shutil.copy("copy/table", "fragtrace-1700000000.000.table")
    Path("fragtrace-1700000000.000.ledger.zst").write_bytes(zstandard.ZstdCompressor().compress(Path("copy/ledger").read_bytes()))
    with Serving(view, "fragtrace-1700000000.000.table") as server:
        expect(server.ask("ledger"), expected)


def test_counts_of_a_recording(view: str) -> None:
    recorder = record(Path("run"), 5)
    stems = [str(one).removesuffix(".snapshot.zst") for one in sorted(Path("run").glob("*.snapshot.zst"))]
    texts = {file: (DATA / f"{file}.txt").read_text() for _, file in COUNTS}
    later = {"latency": ("48:192", "48:193"), "ledger": ("device 1069056", "device 2069056"), "gc_runs": ("sum idle 30", "sum idle 31")}
    packer = zstandard.ZstdCompressor()
    with Serving(view, "run") as server:
        for command, file in COUNTS:
            expect(server.request(server.url + command)[::2],
                   (404, f"run: has no file {file}; expected a recording of a module that was loaded with {file}=1\n".encode()))
            Path(stems[0] + f".{file}.zst").write_bytes(packer.compress(texts[file].encode()))
            Path(stems[1] + f".{file}.zst").write_bytes(packer.compress(texts[file].replace(*later[file]).encode()))
            # the last snapshot has none: those of the end
            (Path("run") / file).write_text(texts[file].replace(later[file][0], later[file][0].replace("1", "3")))
            expect(len(recorder.truth) > 60, True)
            seen = []
            for number, stem in enumerate(stems):
                time_ms = int(stem.rsplit("-", 1)[1].replace(".", ""))
                path = Path(stem + f".{file}.zst")
                answer = server.ask(command, at=iso((time_ms + 1) * 10 ** 6))
                expect(answer, {"time": time_ms if number < 2 else 0, "answer": by_command(view, command, path if number < 2 else Path("run") / file)})
                seen.append(json.dumps(answer["answer"]))
            assert seen[0] != seen[1]
            expect(server.ask(command)["time"], 0)
            expect(server.status(command, at="x"), 400)
            Path(stems[0] + f".{file}.zst").write_bytes(packer.compress(b"nonsense\n"))
            expect(server.request(server.url + command + "?at=start")[::2], (404, by_command(view, command, Path(stems[0] + f".{file}.zst")).encode()))


# === Size ===

def test_a_million_extents(view: str) -> None:
    n, end = 1000000, 2**32 - 1
    with open("t", "w", encoding="ascii") as file:
        file.write(f"# fragtrace table 1\n# volume 254:0 main_blkaddr=512 blocks={end} segment_blocks=512 path=/m\n")
        file.writelines(f"254:0 {512 + i * 4000} {1 + i % 3} {i // 100000 * 3} {4 + i % 100000} fragmented "
                        f"/m/{4 + i % 100000}.sst\n" for i in range(n))
    with Serving(view, "t") as server:
        said = []
        for what, args in ("table", {}), ("", {}), ("cells", {"volume": 0, "first": 512, "per": 2**18, "n": MAX_CELLS}), \
                ("cells", {"volume": 0, "first": 2**31, "per": 1, "n": MAX_CELLS, "lit": "254:0 9"}), \
                ("blocks", {"volume": 0, "first": 512, "end": end}), ("files", {"n": 1000}), \
                ("files", {"n": 100, "sort": "path", "find": "77"}):
            begin = time.monotonic()
            status, _, body = server.request(server.url + what + "?" + "&".join(f"{k}={v}" for k, v in args.items()).replace(" ", "+"))
            expect(status, 200)
            assert len(body) < 300000, f"{what}: {len(body)} bytes"
            said.append(f"{what or 'page'} {1000 * (time.monotonic() - begin):.0f} ms, {len(body)} bytes")
        print("# 1,000,000 extents of 100,000 files on 16 TiB: " + "; ".join(said), flush=True)
        cells = expand(server.ask("cells", volume=0, first=512, per=2**18, n=MAX_CELLS)["cells"])
        expect(len(cells), -(-(end - 512) // 2**18))
        assert all(share for _, share in cells[:n * 4000 // 2**18]), "a cell without a block"
        expect(server.ask("files", n=1)["found"], 100000)


# === Start and end ===

def refused(view: str, status: int, message: str, *options: str) -> None:
    done = subprocess.run([view, "serve", *options], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=60)
    expect((done.returncode, done.stdout), (status, ""))
    assert message in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_port_is_taken(view: str) -> None:
    with Serving(view, DATA / "small.table") as server:
        refused(view, 1, f"cannot listen on 127.0.0.1:{server.port}: Address already in use; expected another port",
                "-t", str(DATA / "small.table"), "-l", f"127.0.0.1:{server.port}")
    port = server.port
    # and is free again at once
    again = subprocess.Popen([view, "serve", "-t", DATA / "small.table", f"--listen={port}"], stdout=subprocess.PIPE, text=True)
    assert again.stdout and f":{port}/" in again.stdout.readline()
    again.terminate()
    expect(again.wait(10), 0)


def test_addresses(view: str) -> None:
    for bad in "x", "1.2.3.4.5", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "example.org:80", "[::1", "99999", "":
        refused(view, 2, "not valid; give an IP address and a port", "-t", str(DATA / "small.table"), f"--listen={bad}")
    for good, begin in ("localhost:0", "http://127.0.0.1:"), ("[::1]:0", "http://[::1]:"), (":0", "http://127.0.0.1:"):
        process = subprocess.Popen([view, "serve", "-t", DATA / "small.table", "-l", good], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        assert process.stdout and process.stderr
        line = process.stdout.readline()
        process.terminate()
        process.wait(10)
        assert line.startswith(begin) or "Cannot assign" in process.stderr.read(), line


def test_all_networks(view: str) -> None:
    """The URL has the name of the machine, and only then a request may have it."""
    name = socket.gethostname()
    with Serving(view, DATA / "small.table") as server:
        expect(server.request(server.url + "table", Host=name)[0], 200 if name == "localhost" else 421)
    for address in "0.0.0.0", "[::]":
        process = subprocess.Popen([view, "serve", "-t", DATA / "small.table", "-l", f"{address}:0"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        assert process.stdout and process.stderr
        found = re.fullmatch(rf"http://{re.escape(name)}:(\d+)/([0-9a-f]{{32}})/\n", process.stdout.readline())
        try:
            if not found and address == "[::]" and "Address family not supported" in process.stderr.read():
                continue
            assert found, "no URL with the name of the machine"
            for host, expected in (f"{name}:{found[1]}", "200"), (name.upper(), "200"), ("evil.example", "421"), \
                    ("localhost", "200"), (f"x{name}", "421"):
                with socket.create_connection(("127.0.0.1", int(found[1]))) as raw:
                    raw.sendall(f"GET /{found[2]}/table HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
                    expect((host, raw.recv(100).decode().split()[1]), (host, expected))
        finally:
            process.terminate()
        assert f"{address}:{found[1]} can be reached from other machines" in process.stderr.read()
        expect(process.wait(10), 0)


def test_options_without_a_meaning(view: str) -> None:
    for options in ("-o", "x"), ("--json",), ("--count", "2"), ("--layout", "hilbert"), ("-i", "rocksdb"):
        refused(view, 2, "not an option here; see fragtrace serve --help", "-t", str(DATA / "small.table"), *options)
    refused(view, 2, "cannot read standard input again", "-n", "1", "-t", "-")


def test_signals_end_it(view: str) -> None:
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        with Serving(view, DATA / "small.table", "-n", "5") as server:
            idle = socket.create_connection(("127.0.0.1", server.port))
            expect(server.status(""), 200)
            begin = time.monotonic()
            server.process.send_signal(number)
            expect(server.process.wait(10), 0)
            assert time.monotonic() - begin < 3, "it took long to end"
            idle.close()


# === Running them ===

def run(name: str, view: str) -> str:
    """Run one test; return the error, or an empty text."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            globals()["test_" + name](view)
            return ""
        except Exception:  # any exception is a failure of the test
            return traceback.format_exc()
        finally:
            os.chdir("/")


def main() -> int:
    os.environ.update(TZ="UTC", LC_ALL="C.UTF-8", LSAN_OPTIONS=f"suppressions={HERE}/lsan.supp:print_suppressions=0")
    view, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    names = wanted or [name[5:] for name in globals() if name.startswith("test_")]
    print(f"KTAP version 1\n# test_serve.py {os.path.basename(view)}\n1..{len(names)}", flush=True)
    failed = 0
    for number, name in enumerate(names, 1):
        wrong = run(name, view)
        if wrong:
            print("# " + wrong.strip().replace("\n", "\n# "))
        print(f"{'not ok' if wrong else 'ok'} {number} {name}", flush=True)
        failed += bool(wrong)
    print(f"# Totals: pass:{len(names) - failed} fail:{failed} xfail:0 xpass:0 skip:0 error:0")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
