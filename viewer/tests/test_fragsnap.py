# SPDX-License-Identifier: GPL-2.0-only
"""Tests of fragsnap and of the terms: valid input, refused input with its line, and all figures."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fragsnap
from fragplot import terms

DATA = Path(__file__).resolve().parent / "data"
HEAD = ("# fragtrace table 1\n"
        "# volume 254:0 main_blkaddr=100 blocks=1000 segment_blocks=32 path=/mnt/my\\040disk\n"
        "# dev lba length offset ino state path\n")
RECORD = "254:0 110 4 0 5 contiguous /mnt/a.sst\n"


def table(records: str) -> fragsnap.Table:
    """A table of one volume with these records."""
    return fragsnap.parse_table("t", (HEAD + records).encode())


def refused(text: str, line: int, what: str) -> None:
    """The text must be refused at this line with a message that has these words."""
    with pytest.raises(fragsnap.FormatError) as caught:
        fragsnap.parse_table("t", text.encode())
    assert str(caught.value).startswith(f"t:{line}: "), str(caught.value)
    assert what in str(caught.value)


# === Valid input ===


def test_a_table():
    """Each field has the right value."""
    t = table("254:0 110 4 8 5 fragmented /mnt/a\\040b.sst\n"
              "254:0 120 1 0 7 contiguous /mnt/\\134x\n"
              "254:0 300 2 0 5 fragmented /mnt/a\\040b.sst\n")
    assert t.time is None
    assert t.volumes == [fragsnap.Volume("254:0", 100, 1000, 32, "/mnt/my disk")]
    assert t.paths == ["/mnt/a b.sst", "/mnt/\\x"]
    assert t.file_ino.tolist() == [5, 7]
    assert t.file_fragmented.tolist() == [True, False]
    assert t.lba.tolist() == [110, 120, 300]
    assert t.blocks.tolist() == [4, 1, 2]
    assert t.offset.tolist() == [8, 0, 0]
    assert t.file.tolist() == [0, 1, 0]
    assert t.logical.tolist() == [2, 0, 1]


@pytest.mark.parametrize("name", ["header_only", "small", "two", "redis", "rocksdb2"])
def test_a_snapshot(name, tmp_path):
    """The binary file and the text have the same content."""
    text = (DATA / f"{name}.table").read_bytes().replace(b"\n", b"\n# time 1700000000.123\n# stale 2\n", 1)
    stopped = text.count(b"\n# volume 254:0 ")
    if stopped:
        text = text.replace(b"\n# dev ", b"\n# stopped 254:0\n# left_out 254:0 7\n# dev ", 1)
    (tmp_path / "text").write_bytes(text)
    binary = subprocess.run([sys.executable, DATA.parent / "to_snapshot.py", tmp_path / "text"], check=True,
                            capture_output=True).stdout
    (tmp_path / "snapshot").write_bytes(gzip.compress(binary))
    a, b = fragsnap.read_table(str(tmp_path / "text")), fragsnap.read_table(str(tmp_path / "snapshot"))
    for what, value in vars(a).items():
        if isinstance(value, np.ndarray):
            assert value.tolist() == vars(b)[what].tolist(), what
        elif what == "n_stale":
            assert b.n_stale == min(2, len(b.paths))
        elif what != "name":
            assert value == vars(b)[what], what
    assert [volume.dev for volume in b.volumes if volume.stopped] == ["254:0"] * stopped
    assert [volume.dev for volume in b.volumes if volume.left_out == 7] == ["254:0"] * stopped
    snap = fragsnap.read_snapshot(str(tmp_path / "snapshot"))
    assert snap.extents["lba"][snap.by_lba].tolist() == a.lba.tolist()
    with pytest.raises(fragsnap.SnapError, match="is no binary snapshot"):
        fragsnap.read_snapshot(str(tmp_path / "text"))


def test_causes(tmp_path):
    """A snapshot of version 2 has a cause for each extent, and writers."""
    binary = subprocess.run([sys.executable, DATA.parent / "to_snapshot.py", DATA / "why.table"], check=True,
                            capture_output=True).stdout
    (tmp_path / "snapshot").write_bytes(binary)
    t = fragsnap.read_table(str(tmp_path / "snapshot"))
    assert t.writers[2:] == [fragsnap.Writer("rocksdb:low", 812, 1699999000, 1699999995, "/system.slice/db.service", 2),
                             fragsnap.Writer("rocksdb:high", 812, 1699912600, 1699999000, None, 3),
                             fragsnap.Writer("log er", 99, 1699000000, 1699000000, "/", 4)]
    assert t.causes is not None
    op, flush, why, writer = (part.tolist() for part in fragsnap.cause_parts(t.causes))
    found = [(t.paths[file], int(offset), fragsnap.OPS[op[i]], fragsnap.FLUSHES[flush[i]], fragsnap.WHYS[why[i]], writer[i])
             for i, (file, offset) in enumerate(zip(t.file, t.offset))]
    assert ("/mnt/f2fs/db/000001.sst", 8, "tail", "sync", "interleaved", 2) in found
    assert ("/mnt/f2fs/b.db", 5, "overwrite", "writeback", "ssr", 3) in found
    assert ("/mnt/f2fs/db/LOG", 3, "unknown", "none", "unknown", 0) in found
    # the other extents of a fragment have its cause, too
    assert ("/mnt/f2fs/db/000004.sst", 20, "tail", "sync", "interleaved", 2) in found
    assert fragsnap.read_table(str(DATA / "small.table")).causes is None


def test_the_time():
    """The first time before the records is that of the table; after them it is a comment."""
    first, rest = HEAD.split("\n", 1)
    assert fragsnap.parse_table("t", f"{first}\n# time 1795232523.042\n{rest}".encode()).time == 1795232523.042
    assert fragsnap.parse_table("t", f"{HEAD}# time 1795232523.042\n# time 5.000\n{RECORD}".encode()).time == 1795232523.042
    assert fragsnap.parse_table("t", f"{HEAD}{RECORD}# time soon\n".encode()).time is None
    refused(f"{HEAD}# time soon\n", 4, 'the time is not a number: "soon"')


def test_empty_tables():
    """No record, and also no volume."""
    assert len(table("").lba) == 0
    assert fragsnap.parse_table("t", b"# fragtrace table 1\n").volumes == []


def test_two_volumes():
    """The same inode number on two volumes is two files."""
    t = table("# volume 8:16 main_blkaddr=10 blocks=50 segment_blocks=2 path=/b\n" + RECORD +
              "8:16 10 4 0 5 contiguous /b/x\n")
    assert t.file_volume.tolist() == [0, 1]
    assert t.file_ino.tolist() == [5, 5]


def test_gzip_and_plain(tmp_path):
    """Both are recognised by their content, not by their names."""
    (tmp_path / "a").write_bytes(gzip.compress((HEAD + RECORD).encode()))
    (tmp_path / "b.gz").write_text(HEAD + RECORD)
    assert fragsnap.read_table(str(tmp_path / "a")).paths == fragsnap.read_table(str(tmp_path / "b.gz")).paths


def test_a_name_that_is_no_text():
    """Bytes that are not UTF-8 come back unchanged."""
    t = fragsnap.parse_table("t", HEAD.encode() + b"254:0 110 4 0 5 contiguous /mnt/\xff.sst\n")
    assert os.fsencode(t.paths[0]) == b"/mnt/\xff.sst"


@pytest.mark.parametrize("path, ext", [
    ("/mnt/000004.sst", ".sst"), ("/mnt/a.b/c", ""), ("/mnt/.hidden", ""), ("/mnt/.hidden.x", ".x"),
    ("/mnt/a.", ""), ("/mnt/a.log (deleted)", ".log"), ("/mnt/a.log (hidden)", ""), ("a.tar.gz", ".gz")])
def test_extensions(path, ext):
    """The last dot of the name and the text after it."""
    assert fragsnap.extension(path) == ext


# === Refused input ===


def test_the_first_bad_line_is_named():
    """Errors in later lines. test_parity.py has other invalid tables."""
    refused(HEAD + RECORD + "254:0 120 1 0 6 wrong /b\n" + "254:0\n" + "254:0 x 1 0 6 contiguous /b\n", 5,
            'unknown state "wrong"')
    refused(HEAD + RECORD + "254:0 1 1 0 6 contiguous /b\n" + "254:0\n" + "# volume\n", 5, "blocks 1 to 1 are outside")
    refused(HEAD + RECORD + "# volume \n" + "254:0\n", 5, "the line ends before the device")
    refused(HEAD + RECORD + "254:0 200 1 0 6 contiguous /\\\n" + "254:0 199 1 0 7 contiguous /b\n", 5, "bad escape")


def test_damaged_gzip(tmp_path):
    """Cut short, and with a byte changed."""
    packed = gzip.compress((HEAD + RECORD * 1).encode())
    for data in (packed[:-9], packed[:12] + b"\xff\xff" + packed[14:], packed[:5]):
        (tmp_path / "t.gz").write_bytes(data)
        with pytest.raises(fragsnap.SnapError, match="t.gz: the gzip data is damaged or cut short"):
            fragsnap.read_table(str(tmp_path / "t.gz"))


def test_a_missing_file(tmp_path):
    """The message is that of the system."""
    with pytest.raises(fragsnap.SnapError, match="none: No such file or directory"):
        fragsnap.read_table(str(tmp_path / "none"))


# === The terms ===


def figures(t: fragsnap.Table, file: int) -> dict[str, object]:
    """The figures of one file as in `files`."""
    fragments = terms.fragments_of(t)
    mine = fragments.file == file
    far = fragments.distance[mine & (fragments.distance >= 0)]
    requests, ideal = terms.requests_of(t, 32)
    return {"blocks": int(fragments.blocks[mine].sum()), "extents": int((t.file == file).sum()),
            "fragments": int(mine.sum()), "requests_128k": int(requests[file]), "ideal_128k": int(ideal[file]),
            "mean_fragment": float(fragments.blocks[mine].mean()),
            "mean_distance": float(far.mean()) if len(far) else 0.0}


def records_of(kind: str) -> list[dict[str, str]]:
    """The records of a text of Redis, whose paths have no blanks."""
    lines = (DATA / f"redis.{kind}").read_text(encoding="utf-8").splitlines()
    names = [line for line in lines if line.startswith("# dev ")][0][2:].split()
    return [dict(zip(names, line.split(), strict=True)) for line in lines if not line.startswith("#")]


def test_figures_are_those_of_the_module():
    """table, files and extents of a Redis run on a volume that was nearly full, at one moment."""
    t = fragsnap.read_table(str(DATA / "redis.table"))
    number = {ino: i for i, ino in enumerate(t.file_ino.tolist())}
    compared = 0
    for expected in records_of("files"):
        if int(expected["ino"]) not in number:
            assert expected["blocks"] == "0"
            continue
        computed = figures(t, number[int(expected["ino"])])
        for name, value in computed.items():
            assert value == pytest.approx(float(expected[name]), abs=0.0501 if "mean" in name else 0), name
        assert t.paths[number[int(expected["ino"])]] == expected["path"]
        compared += int(expected["fragments"])
    assert compared == 104


def test_table_and_extents_agree():
    """The same extents, in another order."""
    t = fragsnap.read_table(str(DATA / "redis.table"))
    expected = [(int(e["ino"]), int(e["offset"]), int(e["lba"]), int(e["length"]), e["path"]) for e in records_of("extents")
                if e["lba"] != "-"]
    assert sorted(expected) == sorted((int(t.file_ino[f]), int(o), int(lba), int(n), t.paths[f]) for f, o, lba, n in
                                      zip(t.file, t.offset, t.lba, t.blocks))


@pytest.mark.parametrize("records, fragments, distances, requests, ideal", [
    ("254:0 100 64 0 5 contiguous /a\n", [64], [], 2, 2),
    # a hole does not end a fragment if the address after it continues
    ("254:0 100 4 0 5 contiguous /a\n254:0 104 4 40 5 contiguous /a\n", [8], [], 2, 2),
    ("254:0 100 4 0 5 contiguous /a\n254:0 104 4 10 5 contiguous /a\n", [8], [], 1, 1),
    # backwards: from the end of the previous one
    ("254:0 100 4 4 5 fragmented /a\n254:0 110 4 0 5 fragmented /a\n", [4, 4], [14], 2, 1),
    # a file in single blocks, read by 128 KiB: 32 for 1
    ("".join(f"254:0 {100 + 2 * i} 1 {i} 5 fragmented /a\n" for i in range(32)), [1] * 32, [1] * 31, 32, 1),
])
def test_terms(records, fragments, distances, requests, ideal):
    """Each rule of the terms separately."""
    t = table(records)
    found = terms.fragments_of(t)
    assert found.blocks.tolist() == fragments
    assert found.distance[found.distance >= 0].tolist() == distances
    assert [array.tolist() for array in terms.requests_of(t, 32)] == [[requests], [ideal]]


def random_table(seed: int) -> fragsnap.Table:
    """Files in pieces of any size, with holes, at any address."""
    draw = random.Random(seed)
    pieces = []
    for ino in range(4, 12):
        offset = draw.randrange(40)
        for _ in range(draw.randrange(1, 12)):
            length = draw.choice((1, 2, 3, 31, 32, 33, 64))
            pieces.append((ino, offset, length))
            offset += length + draw.choice((0, 0, 0, 1, 30, 70))
    # half of the time, pieces of a file stay adjacent
    if draw.random() < 0.5:
        draw.shuffle(pieces)
    lba, records = 100, []
    for ino, offset, length in pieces:
        lba += draw.choice((0, 0, 1, 50))
        records.append((lba, length, offset, ino))
        lba += length
    head = f"# fragtrace table 1\n# volume 1:1 main_blkaddr=100 blocks={lba} segment_blocks=32 path=/\n"
    lines = []
    for lba, length, offset, ino in records:
        blocks = block_list(sorted((o, a, n) for a, n, o, i in records if i == ino))
        state = "fragmented" if len(naive_fragments(blocks)) > 1 else "contiguous"
        lines.append(f"1:1 {lba} {length} {offset} {ino} {state} /f{ino}\n")
    return fragsnap.parse_table("random", (head + "".join(lines)).encode())


def block_list(pieces: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Each block of a file: offset and address."""
    return [(offset + i, lba + i) for offset, lba, length in pieces for i in range(length)]


def naive_fragments(blocks: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The definition, block by block."""
    result: list[list[tuple[int, int]]] = []
    for block in blocks:
        if not result or block[1] != result[-1][-1][1] + 1:
            result.append([])
        result[-1].append(block)
    return result


@pytest.mark.parametrize("seed", range(40))
def test_terms_block_by_block(seed):
    """Random tables compared with the definitions, block by block."""
    t = random_table(seed)
    found = terms.fragments_of(t)
    for window in (1, 8, 32):
        requests, ideal = terms.requests_of(t, window)
        for file in range(len(t.paths)):
            mine = np.flatnonzero(t.file == file)
            blocks = block_list(sorted((int(t.offset[i]), int(t.lba[i]), int(t.blocks[i])) for i in mine))
            expected = naive_fragments(blocks)
            assert found.blocks[found.file == file].tolist() == [len(fragment) for fragment in expected]
            assert found.lba[found.file == file].tolist() == [fragment[0][1] for fragment in expected]
            assert found.index[found.file == file].tolist() == list(range(len(expected)))
            far = [abs(after[0][1] - before[-1][1] - 1) for before, after in zip(expected, expected[1:])]
            assert found.distance[found.file == file].tolist() == [-1] + far
            touched = {(offset // window, i) for i, fragment in enumerate(expected) for offset, _ in fragment}
            assert requests[file] == len(touched)
            assert ideal[file] == len({offset // window for offset, _ in blocks})


def test_quantiles():
    """The smallest size that enough fragments do not exceed; it is the size of a fragment."""
    sizes, counts = np.array([1, 8, 100]), np.array([1, 8, 1])
    assert [terms.quantile(sizes, counts, q) for q in (0.1, 0.5, 0.9, 1.0)] == [1, 8, 8, 100]
    assert np.isnan(terms.quantile(sizes[:0], counts[:0], 0.5))
