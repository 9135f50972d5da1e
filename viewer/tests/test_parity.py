# SPDX-License-Identifier: GPL-2.0-only
"""fragtrace, fragsnap and fragplot read the same: both sides refuse the same input with the same messages."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fragsnap
from fragplot import colors, style

HERE = Path(__file__).resolve().parent
VIEW = HERE.parent / "fragtrace"
FORMATS = HERE.parent / "build/formats"
# Inputs whose names begin with good are accepted, all others are refused.
ODD = sorted(path.name for path in (HERE / "data/odd").iterdir())
GOOD = sorted(path.name for path in (HERE / "data").glob("*.table"))


def by_view(path: Path) -> tuple[str, bytes]:
    """The result of fragtrace for a table, and the table as CSV."""
    done = subprocess.run([VIEW, "table", "-t", path.name, "--csv"], cwd=path.parent, capture_output=True, check=False)
    # what is stale is no reason to refuse a table
    return done.stderr.decode("utf-8", "surrogateescape") if done.returncode else "", done.stdout


def by_python(path: Path) -> tuple[str, list[list[str]]]:
    """The result of fragsnap, and the same records without paths; with causes, if there are any."""
    try:
        table = fragsnap.read_table(path.name)
    except fragsnap.SnapError as error:
        return fragsnap.visible(f"fragtrace table: {error}") + "\n", []
    devs = [volume.dev for volume in table.volumes]
    return "", [[devs[table.file_volume[file]], str(lba), str(blocks), str(offset), str(table.file_ino[file]),
                 "fragmented" if table.file_fragmented[file] else "contiguous", *cause]
                for file, lba, blocks, offset, cause in zip(table.file, table.lba, table.blocks, table.offset,
                                                            causes(table))]


def causes(table: fragsnap.Table) -> list[list[str]]:
    """The cause of each extent that begins a fragment other than the first of its file."""
    if table.causes is None:
        return [[]] * len(table.lba)
    result = [["", "", "", ""]] * len(table.lba)
    parts = list(zip(*(part.tolist() for part in fragsnap.cause_parts(table.causes))))
    for before, at in zip(table.logical, table.logical[1:]):
        if table.file[at] != table.file[before] or table.lba[at] == table.lba[before] + table.blocks[before]:
            continue
        op, flush, why, writer = parts[at]
        result[at] = [fragsnap.OPS[op], fragsnap.FLUSHES[flush], fragsnap.WHYS[why], process(table, writer)]
    return result


def process(table: fragsnap.Table, writer: int) -> str:
    """A writer in the form of fragtrace."""
    if writer < 2:
        return ["unknown", "several"][writer]
    return f"{table.writers[writer].comm}:{table.writers[writer].pid}"


def same(path: Path) -> str:
    """Both have this result."""
    view, text = by_view(path)
    python, records = by_python(path)
    assert python == view
    if not view:
        assert [row[:-1] for row in csv.reader(io.StringIO(text.decode(), newline=""))][1:] == records
    return view


@pytest.mark.parametrize("name", ODD)
def test_odd(name, monkeypatch):
    """Odd tables, valid and invalid."""
    monkeypatch.chdir(HERE / "data/odd")
    said = same(HERE / "data/odd" / name)
    assert (said == "") == name.startswith("good")
    assert name.startswith("good") or said.startswith(f"fragtrace table: {name}:")


def test_causes(tmp_path, monkeypatch):
    """A snapshot of version 2: causes of breaks, and none for other extents."""
    monkeypatch.chdir(tmp_path)
    with open("why", "wb") as stream:
        subprocess.run([sys.executable, str(HERE / "to_snapshot.py"), str(HERE / "data/why.table")], check=True, stdout=stream)
    assert same(tmp_path / "why") == ""
    records = by_python(tmp_path / "why")[1]
    assert sum(record[6] != "" for record in records) == 9
    assert ["254:0", "1052", "1", "2", "8", "fragmented", "append", "sync", "interleaved", "log er:99"] in records
    assert ["254:0", "1054", "1", "3", "8", "fragmented", "unknown", "none", "unknown", "unknown"] in records


def formats(kind: str, *arguments: object) -> list[str]:
    """What the functions of util.c and names.c return."""
    texts = [text.encode("utf-8", "surrogateescape") if isinstance(text, str) else str(text) for text in arguments]
    done = subprocess.run([FORMATS, kind, *texts], capture_output=True, check=True)
    return done.stdout.decode().split("\n")[:-1]


def test_bytes():
    """Both write a size in the same way."""
    blocks = [0, 1e-6, 0.0124, 0.0125, 0.02, 0.3, 0.75, 1, 2, 24, 25, 255, 256, 257, 6 * 256, 25599, 25600, 255 * 1024, 262015,
              262016, 262144, 5 * 10 ** 6, 268304383, 268304384, 2 ** 28, 2 ** 32 - 1, 2 ** 38, 2 ** 48]
    expected = [style.blocks_text(number) for number in blocks]
    assert formats("bytes", *blocks) == expected
    assert expected[:7] == ["0 KiB", "<0.1 KiB", "<0.1 KiB", "0.1 KiB", "0.1 KiB", "1.2 KiB", "3 KiB"]
    assert expected[-4:] == ["1 TiB", "16.0 TiB", "1 PiB", "1024 PiB"]


def test_shares():
    """Both write a share in the same way; 0 % is nothing, 100 % is all."""
    cases = [(0, 0), (0, 7), (7, 7), (1, 2), (1, 3), (2, 3), (1, 7), (1, 2000), (1, 2001), (1, 10 ** 9), (1999, 2000), (2000, 2001),
             (10 ** 9 - 1, 10 ** 9), (1, 8), (1, 16), (29, 200), (7, 10), (10 ** 12 + 1, 2 * 10 ** 12), (10, 1), (30847, 1000),
             (123456789, 10), (99995, 10000)]
    expected = [style.share_text(*case) for case in cases]
    assert formats("share", *(number for case in cases for number in case)) == expected
    assert expected[:12] == ["0 %", "0 %", "100 %", "50 %", "33.3 %", "66.7 %", "14.3 %", "0.1 %", "<0.1 %", "<0.1 %", ">99.9 %",
                             ">99.9 %"]
    assert expected[-4:] == ["1,000 %", "3,084.7 %", "1,234,567,890 %", "1,000.0 %"], expected[-4:]


@pytest.mark.parametrize("name", ["plain", "packed", "pipe", "bomb", "binary"])
def test_too_large(name, tmp_path, monkeypatch):
    """An input that is larger than the limit is refused, whatever form it has."""
    monkeypatch.chdir(tmp_path)
    data = (HERE / "data/rocksdb2.table").read_bytes()
    if name == "binary":
        data = subprocess.run([sys.executable, str(HERE / "to_snapshot.py"), str(HERE / "data/rocksdb2.table")], check=True,
                              capture_output=True).stdout
    if name == "bomb":
        data += b"# nothing more\n" * (1 << 20)
    limit = len(data) if name != "bomb" else 1 << 20
    packed = gzip.compress(data) if name in ("packed", "bomb") else data
    Path("t").write_bytes(packed)
    monkeypatch.setattr(fragsnap.texts, "input_max", limit)
    for size, refused in ((limit, name == "bomb"), (limit - 1, True)):
        monkeypatch.setattr(fragsnap.texts, "input_max", size)
        done = subprocess.run([VIEW, "table", "--csv", "--max-input", str(size), "-" if name == "pipe" else "t"], input=data,
                              capture_output=True, check=False)
        said = done.stderr.decode()
        assert bool(done.returncode) == refused
        if refused:
            assert "the input is larger than" in said
            assert "<stdin>" in said or name != "pipe"
        if name != "pipe":
            python, _ = by_python(Path("t"))
            assert python == said


def test_endless(tmp_path, monkeypatch):
    """An endless input ends at the limit, in little memory."""
    monkeypatch.chdir(tmp_path)
    done = subprocess.run(f"(echo '# fragtrace table 1'; yes '# x' | head -c 200000000) | (ulimit -v 400000; exec {VIEW} view --max-input 64M -t - -o p.png)",
                          shell=True, capture_output=True, check=False)
    assert done.stderr.decode().startswith("fragtrace view: <stdin>: the input is larger than 64 MiB; expected less")
    assert done.returncode == 1


def test_hidden_characters():
    """No character acts on a terminal, begins a line, or changes the order of text."""
    texts = ["/m/\u202etxt.exe", "/m/a\nb", "\x1b[2J\x1b]0;x\x07", "\x9b2J", "\udc9b2J", "é€😀", "a\\b\\033", "\u2028\u2066\u200f\ufeff",
             "\udcc3", "\udced\udca0\udc80", "\U000e0041", "e\u0301", "\u05d0", "\x7f\x85\xad"]
    texts += [f"a{chr(code)}b" for code in (*range(1, 0x800), *range(0x2000, 0x2100), *range(0xfe00, 0x10000))
              if not 0xd800 <= code < 0xe000]
    expected = [fragsnap.visible(text) for text in texts]
    assert formats("visible", *texts) == expected
    assert formats("name", *texts) == [fragsnap.visible(text.replace("\\", "\0")).replace("\\000", "\\134") for text in texts]
    assert expected[:7] == ["/m/\\342\\200\\256txt.exe", "/m/a\\012b", "\\033[2J\\033]0;x\\007", "\\302\\2332J", "\\2332J",
                            "é€😀", "a\\b\\033"]


@pytest.mark.parametrize("name", GOOD)
def test_good(name, monkeypatch):
    """Tables that the module has written."""
    monkeypatch.chdir(HERE / "data")
    assert same(HERE / "data" / name) == ""


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


def page_colors(args: list[str]) -> tuple[str, dict[str, int]]:
    """The result of fragtrace for rules, and the colour of each file on its page."""
    options = [word for arg in args for word in ("-c", arg)]
    done = subprocess.run([VIEW, "view", "-t", "t", *options, "-o", "p.png", "--html", "p.html"], capture_output=True,
                          check=False)
    said = done.stderr.decode("utf-8", "surrogateescape")
    if done.returncode:
        return said, {}
    page = Path("p.html").read_text(encoding="utf-8", errors="surrogateescape")
    found = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.S)
    assert found
    return said, {str(file[1]) + file[0]: int(file[-1][1:], 16) for file in json.loads(found[1])["files"]}


def plot_colors(args: list[str]) -> tuple[str, list[int]]:
    """The same for fragplot, by number of PATHS."""
    try:
        rules = colors.read_rules(args)
    except fragsnap.SnapError as error:
        return fragsnap.visible(f"fragtrace view: {error}") + "\n", []
    groups = colors.Groups(rules, colors.OTHER)
    return "", [groups[groups.of_path(path)].tones[0] for path in PATHS]


def same_colors(args: list[str]) -> str:
    """Both have this result for rules, and give files the same colours."""
    lines = [f"1:1 {10 + i} 1 0 {i + 4} contiguous {path}\n" for i, path in enumerate(PATHS)]
    head = "# fragtrace table 1\n# volume 1:1 main_blkaddr=0 blocks=99 segment_blocks=9 path=/m\n"
    Path("t").write_bytes((head + "".join(lines)).encode("utf-8", "surrogateescape"))
    view, drawn = page_colors(args)
    plot, given = plot_colors(args)
    assert plot == view
    if not view:
        assert sorted(drawn.values()) == sorted(given)
        assert [drawn[f"0{path}"] for path in PATHS if f"0{path}" in drawn] == \
            [tone for path, tone in zip(PATHS, given) if f"0{path}" in drawn]
    return view


@pytest.mark.parametrize("name", sorted(COLORS))
def test_colors(name, tmp_path, monkeypatch):
    """Odd rules, valid and invalid."""
    monkeypatch.chdir(tmp_path)
    Path("c.cnf").write_bytes(COLORS[name])
    said = same_colors(["./c.cnf"])
    assert (said == "") == name.startswith("good")
    assert name.startswith("good") or said.startswith("fragtrace view: ./c.cnf:")


@pytest.mark.parametrize("args", [["rocksdb"], ["redis", "voltdb"], ["rocksdb", "./c.cnf"], ["./c.cnf", "rocksdb"],
                                  ["./d.cnf"], ["."], ["./"], ["none"], ["./c.cnf", "./c.cnf"], ["./many.cnf", "./c.cnf"],
                                  ["./many.cnf", "./more.cnf"]])
def test_color_files(args, tmp_path, monkeypatch):
    """Presets, several files, and none."""
    monkeypatch.chdir(tmp_path)
    Path("c.cnf").write_bytes(b".sst white white white\ndefault black red red\n")
    Path("many.cnf").write_bytes(b"".join(b".x%d" % i + RULE for i in range(61)))
    Path("more.cnf").write_bytes(b".x5 white white white\n.more" + RULE)
    same_colors(args)
