# SPDX-License-Identifier: GPL-2.0-only
"""Odd tables, snapshots and color.cnf files, valid and invalid: what fragtrace says of each, word for word.

The results are in data/odd.txt and data/odd-colors.txt. ODD_WRITE=1 writes them anew, to be read before they are committed.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import zstandard

HERE = Path(__file__).resolve().parent
VIEW = HERE.parent / "fragtrace"
# Inputs whose names begin with good are accepted, all others are refused.
ODD = sorted(path.name for path in (HERE / "data/odd").iterdir())

pytestmark = pytest.mark.usefixtures("somewhere_else")


def expect(book: str, name: str, result: str) -> None:
    """A line of a file with results is this one."""
    path = HERE / "data" / book
    line = f"{name}: {result}"
    if os.environ.get("ODD_WRITE"):
        kept = [old for old in path.read_text(encoding="utf-8").splitlines() if not old.startswith(f"{name}: ")] if path.exists() else []
        path.write_text("\n".join(sorted([*kept, line])) + "\n", encoding="utf-8")
    assert line in path.read_text(encoding="utf-8").splitlines()


# === Tables ===


@pytest.mark.parametrize("name", ODD)
def test_odd(name, monkeypatch):
    """The message; or the checksum of the table as CSV."""
    monkeypatch.chdir(HERE / "data/odd")
    done = subprocess.run([VIEW, "table", "-t", name, "--csv"], capture_output=True, check=False)
    said = done.stderr.decode().replace("fragtrace table: ", "")
    assert (done.returncode == 0) == name.startswith("good")
    if name.startswith("good"):
        expect("odd.txt", name, f"{len(done.stdout.splitlines())} lines, {zlib.crc32(done.stdout):08x}")
        return
    assert said.count("\n") == 1 and said.startswith(f"{name}:") and not done.stdout
    expect("odd.txt", name, said.strip().removeprefix(f"{name}:"))


@pytest.mark.parametrize("name", ["plain", "packed", "pipe", "bomb", "binary"])
def test_too_large(name):
    """An input that is larger than the limit is refused, whatever form it has."""
    data = (HERE / "data/rocksdb2.table").read_bytes()
    if name == "binary":
        data = subprocess.run([sys.executable, str(HERE / "to_snapshot.py"), str(HERE / "data/rocksdb2.table")], check=True,
                              capture_output=True).stdout
    if name == "bomb":
        data += b"# nothing more\n" * (1 << 20)
    limit = len(data) if name != "bomb" else 1 << 20
    Path("t").write_bytes(zstandard.compress(data) if name in ("packed", "bomb") else data)
    for size, refused in ((limit, name == "bomb"), (limit - 1, True)):
        done = subprocess.run([VIEW, "table", "--csv", "--max-input", str(size), "-" if name == "pipe" else "t"], input=data,
                              capture_output=True, check=False)
        said = done.stderr.decode()
        assert bool(done.returncode) == refused
        if refused:
            assert f"{'<stdin>' if name == 'pipe' else 't'}: the input is larger than" in said


def test_endless():
    """An endless input ends at the limit, in little memory."""
    done = subprocess.run(f"(echo '# fragtrace table 1'; yes '# x' | head -c 200000000) | (ulimit -v 400000; exec {VIEW} view --max-input 64M -t - -o p.png)",
                          shell=True, capture_output=True, check=False)
    assert done.stderr.decode().startswith("fragtrace view: <stdin>: the input is larger than 64 MiB; expected less")
    assert done.returncode == 1


# === color.cnf ===

RULE = b" red green blue\n"
# One contiguous file each; a fragmented file gets the same rule.
PATHS = ["/m/a.sst", "/m/b.log", "/m/db/LOG.old.17", "/m/db/deep/x.sst", "/m/plain", "/m/#", "/m/a.#x",
         "/m/\u00e9.\u00e9", "/m/x.\udcff", "/m/a.b.c"]
COLORS = {
    # Inputs whose names begin with good are accepted, all others are refused.
    "good-nothing": b"",
    "good-one": b".sst red green blue",
    "good-comments": b"# all\n  #more\n.sst red green blue # note\n.log #010203 #ABCDEF #abcdef #\n\n#end",
    "good-blanks": b"\t.sst\tred  green\r \tblue \r\n \r\n",
    "good-return-inside": b".sst\rred\rgreen\rblue\n",
    "good-default": b"default #123456 white black\n.sst" + RULE,
    "good-globs": b".sst" + RULE + b"db/* white red blue\nLOG.old.*" + RULE + b"/m/*/deep/* teal red blue\n[ab].*" +
                  RULE,
    "good-last-wins": b"*.sst" + RULE + b".sst white red blue\n",
    "good-bytes": b".\xc3\xa9" + RULE + b".\xff white red blue\n",
    "good-hash": b".#x" + RULE + b"[#]" + RULE,
    "good-odd-letters": b".sst\x0b" + RULE + b".\xc2\xa0x" + RULE,
    "good-61": b"".join(b".x%d" % i + RULE for i in range(60)) + b".sst" + RULE + b"default" + RULE,
    "good-8-words-and-a-comment": b".sst red green blue # 5 6 7 8 9 10",
    "glob-not-closed": b"[ab" + RULE + b".sst red green",
    "word": b"sst" + RULE, "words": b"a.sst" + RULE, "dot": b"." + RULE, "dots": b".." + RULE,
    "two-dots": b".a.b" + RULE,
    "form-feed": b".sst red green blue\x0c\n", "no-break-space": b".sst red green\xc2\xa0blue\n",
    "line-separator": b".sst red green blue\xe2\x80\xa8.log red green blue\n",
    "one-colour": b"\n\n.sst red\n", "no-colour": b".sst\n", "four-colours": b".sst red green blue red\n",
    "eight-words": b".sst 1 2 3 4 5 6 7\n", "nine-words": b".sst 1 2 3 4 5 6 7 8 and what comes behind them all\n",
    "nine-words-bytes": b"1 2 3 4 5 6 7 8 x" + b"\xc3\xa9" * 11 + b" \xc3\xa9\n",
    "hex-short": b".sst #12345 red red", "hex-long": b".sst red #1234567 red", "hex-letter": b".sst red red #12345g",
    "hex-arabic": ".sst red red #12345\u0661".encode(), "hex-alone": b".sst red red #", "hash-word": b".sst #red red red",
    "blu": b".sst red blu green", "capital": b".sst Red green blue", "far": b".sst red green zzzzzzzzzzzz",
    "grey": b".sst grey light-grey dark-grey", "long-word": b".sst red green " + b"light-" * 20,
    "letter": b".sst x red red", "errors-in-6": b".sst oragne red red", "errors-in-5": b".sst ogane red red",
    "other-word": b".sst chartreuse red red",
    "byte-colour": b".sst \xff red red", "accent": ".sst bl\u00fce red red".encode(),
    "twice": b".sst" + RULE + b".log" + RULE + b".sst" + RULE, "default-twice": b"default" + RULE + b"default" + RULE,
    "62": b"".join(b".x%d" % i + RULE for i in range(62)),
    "62-and-default": b"default" + RULE + b"".join(b".x%d" % i + RULE for i in range(62)),
    "62-and-a-bad-colour": b"".join(b".x%d" % i + RULE for i in range(61)) + b".y no such colour",
    "twice-and-a-bad-colour": b".sst" + RULE + b".sst no such colour",
    "nul": b".sst red green blue\n\0", "nul-in-comment": b"# \0\n",
}


def colors_of(args: list[str]) -> tuple[str, dict[str, int]]:
    """The result of fragtrace for rules, and the first tone of each file."""
    options = [word for arg in args for word in ("-c", arg)]
    done = subprocess.run([VIEW, "table", "-t", "t", "--columns", "-o", "columns", *options], capture_output=True, check=False)
    said = done.stderr.decode("utf-8", "surrogateescape")
    if done.returncode:
        return said, {}
    line, rest = Path("columns").read_bytes().split(b"\n", 1)
    head = json.loads(line)
    (_, n_files), (_, n_extents), _ = ((one["name"], one["n"]) for one in head["arrays"])
    kinds = [record[2] for record in struct.iter_unpack("=4I", rest[:16 * n_files])]
    names = rest[16 * (n_files + n_extents):].decode("utf-8", "surrogateescape").split("\0")
    paths = names[len(head["volumes"]) + len(head["kinds"]):]
    return said, {path: head["kinds"][kind][0] for path, kind in zip(paths, kinds)}


def draw_odd(name: str, args: list[str]) -> str:
    """The result for rules: the message; or the first tones of all paths."""
    lines = [f"1:1 {10 + i} 1 0 {i + 4} contiguous {path}\n" for i, path in enumerate(PATHS)]
    head = "# fragtrace table 1\n# volume 1:1 main_blkaddr=0 blocks=99 segment_blocks=9 path=/m\n"
    Path("t").write_bytes((head + "".join(lines)).encode("utf-8", "surrogateescape"))
    said, drawn = colors_of(args)
    expect("odd-colors.txt", name, said.strip().removeprefix("fragtrace table: ") or
           " ".join(f"{drawn[path]:06x}" for path in sorted(drawn)))
    return said


@pytest.mark.parametrize("name", sorted(COLORS))
def test_colors(name):
    """Odd rules, valid and invalid."""
    Path("c.cnf").write_bytes(COLORS[name])
    said = draw_odd(name, ["./c.cnf"])
    assert (said == "") == name.startswith("good")
    assert name.startswith("good") or said.startswith("fragtrace table: ./c.cnf:")


@pytest.mark.parametrize("args", [["rocksdb"], ["redis", "voltdb"], ["rocksdb", "./c.cnf"], ["./c.cnf", "rocksdb"],
                                  ["./d.cnf"], ["."], ["./"], ["none"], ["./c.cnf", "./c.cnf"], ["./many.cnf", "./c.cnf"],
                                  ["./many.cnf", "./more.cnf"]])
def test_color_files(args):
    """Presets, several files, and none."""
    Path("c.cnf").write_bytes(b".sst white white white\ndefault black red red\n")
    Path("many.cnf").write_bytes(b"".join(b".x%d" % i + RULE for i in range(61)))
    Path("more.cnf").write_bytes(b".x5 white white white\n.more" + RULE)
    draw_odd(" ".join(args), args)
