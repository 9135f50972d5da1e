# SPDX-License-Identifier: GPL-2.0-only
"""Tests of fragsnap and of the terms: what fragtrace reads comes as it is, and its errors do, and all figures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fragsnap
from fragplot import terms
from plots import DATA, HEAD, RECORD, VIEWER, block_list, naive_fragments, parsed, random_table, record, sst, table

pytestmark = pytest.mark.usefixtures("somewhere_else")


# === What is read ===


def test_blocks_of_another_size():
    """Sizes are in bytes of the table's blocks; a request is of whole ones, and tables with others are not mixed."""
    small, large = parsed(HEAD + RECORD), parsed(HEAD.replace("\n", "\n# block_bytes 16384\n", 1) + RECORD)
    assert [t.block_bytes for t in (small, large)] == [4096, 16384]
    assert [t.request_blocks(128 << 10) for t in (small, large)] == [32, 8]
    with pytest.raises(fragsnap.SnapError, match="has blocks of 16 KiB; expected a request of a multiple"):
        large.request_blocks(20 << 10)
    with pytest.raises(fragsnap.SnapError, match="blocks of 4 KiB and of 16 KiB"):
        fragsnap.one_block_size(small.volumes + large.volumes)


def test_a_table():
    """Each field has the right value."""
    t = parsed(HEAD.replace("\n# dev", "\n# time 1795232523.042\n# stale 3\n# stopped 254:0\n# left_out 254:0 7\n# dev") +
               "254:0 110 4 8 5 fragmented /mnt/a\\040b.sst\n"
               "254:0 120 1 0 7 contiguous /mnt/\\134x (deleted)\n"
               "254:0 300 2 0 5 fragmented /mnt/a\\040b.sst\n")
    assert (t.time, t.has_time, t.begin, t.n_stale, t.heat) == (1795232523.042, True, None, 3, None)
    assert t.volumes == [fragsnap.Volume("254:0", 100, 1000, 32, "/mnt/my disk", True, 7)]
    assert t.paths == ["/mnt/a b.sst", "/mnt/\\x (deleted)"]
    assert t.file_ino.tolist() == [5, 7]
    assert t.file_fragmented.tolist() == [True, False]
    assert t.lba.tolist() == [110, 120, 300]
    assert t.blocks.tolist() == [4, 1, 2]
    assert t.offset.tolist() == [8, 0, 0]
    assert t.file.tolist() == [0, 1, 0]
    assert t.logical.tolist() == [2, 0, 1]
    assert [kind.name for kind in t.kinds] == [".sst", "other"] and t.file_kind.tolist() == [0, 1]


@pytest.mark.parametrize("name", ["header_only", "small", "two", "redis", "rocksdb2"])
def test_a_snapshot(name):
    """The binary file and the text have the same content."""
    text = (DATA / f"{name}.table").read_bytes().replace(b"\n", b"\n# time 1700000000.123\n# stale 2\n", 1)
    stopped = text.count(b"\n# volume 254:0 ")
    if stopped:
        text = text.replace(b"\n# dev ", b"\n# stopped 254:0\n# left_out 254:0 7\n# dev ", 1)
    Path("text").write_bytes(text)
    with open("snapshot", "wb") as stream:
        subprocess.run([sys.executable, DATA.parent / "to_snapshot.py", "text"], check=True, stdout=stream)
    a, b = fragsnap.read_table("text"), fragsnap.read_table("snapshot")
    for what, value in vars(a).items():
        if isinstance(value, np.ndarray):
            assert value.tolist() == vars(b)[what].tolist(), what
        elif what == "n_stale":
            assert b.n_stale == min(2, len(b.paths))
        elif what != "name":
            assert value == vars(b)[what], what
    assert [volume.dev for volume in b.volumes if volume.stopped] == ["254:0"] * stopped
    assert [volume.dev for volume in b.volumes if volume.left_out == 7] == ["254:0"] * stopped


@pytest.mark.parametrize("path", [DATA / "redis.table", DATA / "rocksdb.table", DATA / "rocksdb.snapshot.zst", DATA / "two.table"])
def test_columns_are_those_of_csv(path):
    """Both forms of one table have the same values."""
    done = subprocess.run([VIEWER / "fragtrace", "table", "--csv", "-t", path], capture_output=True, text=True, check=True)
    rows = [line.split(",") for line in done.stdout.splitlines()]
    t = fragsnap.read_table(str(path))
    devs = [volume.dev for volume in t.volumes]
    states = ["contiguous", "fragmented"]
    assert [row[:6] + row[-1:] for row in rows[1:]] == [
        [devs[t.file_volume[file]], str(lba), str(blocks), str(offset), str(t.file_ino[file]), states[int(t.file_fragmented[file])],
         t.paths[file]] for lba, blocks, offset, file in zip(t.lba, t.blocks, t.offset, t.file)]


def test_empty_tables():
    """No record, and also no volume."""
    assert len(table("").lba) == 0 and table("").paths == []
    assert parsed("# fragtrace table 1\n").volumes == []


def test_two_volumes():
    """The same inode number on two volumes is two files."""
    t = table("# volume 8:16 main_blkaddr=10 blocks=50 segment_blocks=2 path=/b\n" + RECORD +
              "8:16 10 4 0 5 contiguous /b/x\n")
    assert t.file_volume.tolist() == [0, 1]
    assert t.file_ino.tolist() == [5, 5]


def test_a_name_that_is_no_text():
    """Bytes that are not UTF-8 come back unchanged, also those of an extension."""
    t = table("254:0 110 4 0 5 contiguous /mnt/a.\udcff\n")
    assert os.fsencode(t.paths[0]) == b"/mnt/a.\xff" and os.fsencode(t.kinds[0].name) == b".\xff"


@pytest.mark.parametrize("path, ext", [
    ("/mnt/000004.sst", ".sst"), ("/mnt/a.b/c", ""), ("/mnt/.hidden", ""), ("/mnt/.hidden.x", ".x"),
    ("/mnt/a.", ""), ("/mnt/a.log (deleted)", ".log"), ("/mnt/a.log (hidden)", ""), ("a.tar.gz", ".gz"), ("/mnt/LOG.old.17", "")])
def test_extensions(path, ext):
    """The last dot of the name and the text after it; a number is not a kind of files."""
    t = table(f"254:0 110 4 0 5 contiguous {path}\n")
    assert t.kinds[t.file_kind[0]].name == (ext or "other")


def test_more_extensions_than_can_be_told_apart():
    """What comes too late is other, and no file has a kind that is not there."""
    t = table("".join(f"254:0 {100 + i} 1 0 {4 + i} contiguous /m/x.e{i}\n" for i in range(300)))
    assert [kind.name for kind in t.kinds] == [*(f".e{i}" for i in range(256)), "other"]
    assert t.file_kind.tolist() == [min(i, 256) for i in range(300)]


def test_errors_come_as_they_are():
    """What, where, and what to do; status 2 of what the user can write otherwise."""
    with pytest.raises(fragsnap.SnapError, match="^none: cannot open: No such file or directory$") as error:
        fragsnap.read_table("none")
    assert error.value.status == 1
    with pytest.raises(fragsnap.SnapError, match="^t:5: the line ends before the lba"):
        Path("t").write_text(HEAD + RECORD + "254:0\n")
        fragsnap.read_table("t")
    with pytest.raises(fragsnap.SnapError, match="^--at soon: not valid; give a time after the beginning") as error:
        fragsnap.read_table("t", "soon")
    assert error.value.status == 2


def test_one_process_reads_many():
    """Tables and moments of recordings come one after the other, as each alone, until one cannot be read."""
    folder = record("run", {0.0: HEAD + sst(110), 60.0: HEAD + sst(110, 200)})
    Path("odd\nname").write_text(HEAD + RECORD)
    wanted = [("odd\nname", None), (folder, "60s"), (folder, "start"), (folder, None), (fragsnap.read_moments(folder)[1].snapshot, None)]
    alone = [fragsnap.read_table(*one) for one in wanted]
    for one, other in zip(fragsnap.read_tables(wanted), alone, strict=True):
        assert (one.name, one.time, one.paths, one.lba.tolist()) == (other.name, other.time, other.paths, other.lba.tolist())
    seen = []
    for bad, said in ((("none", None), "^none: cannot open"), ((folder, "soon"), "^--at soon: not valid"),
                      (("odd\nname", "1s"), "^--at: odd.012name is no recording")):
        with pytest.raises(fragsnap.SnapError, match=said):
            seen += list(fragsnap.read_tables([wanted[1], bad, wanted[2]]))
        seen += list(fragsnap.read_tables([wanted[1]]))
    assert len(seen) == 3, seen


def test_requests_that_are_cut():
    """Half a request is refused, and so are other names of tables."""
    for asked, status, said in ((b"end", 1, b"<stdin>: ends within a request"), (b"end\0", 1, b"<stdin>: a request has no path"),
                                (b"end\0run", 1, b"<stdin>: ends within a request")):
        done = subprocess.run([fragsnap.find_program(), "table", "--columns", "--requests"], input=asked, capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (status, b"") and said in done.stderr
    folder = os.open(".", os.O_RDONLY)
    done = subprocess.run([fragsnap.find_program(), "table", "--columns", "--requests"], stdin=folder, capture_output=True, check=False)
    os.close(folder)
    assert done.returncode == 1 and b"<stdin>: cannot read: Is a directory" in done.stderr
    for words in (["--columns", "t"], ["--columns", "-o", "x"], ["--columns", "-n", "1"], []):
        done = subprocess.run([fragsnap.find_program(), "table", "--requests", *words], input=b"", capture_output=True, check=False)
        assert done.returncode == 2 and b"--requests: " in done.stderr


@pytest.mark.parametrize("folder", ["r\\b", "r\udcff", "r\\134x"])
def test_odd_folders(folder):
    """Paths come back as they are."""
    record(folder, {0.0: HEAD + sst(110)})
    one, = fragsnap.read_moments(folder)
    assert os.path.exists(one.snapshot) and fragsnap.read_table(one.snapshot).lba.tolist() == [110]


def test_a_descriptor():
    """As in <(zcat t.gz)."""
    Path("t").write_text(HEAD + RECORD)
    with open("t", "rb") as stream:
        os.set_inheritable(stream.fileno(), True)
        assert len(fragsnap.read_table(f"/dev/fd/{stream.fileno()}").paths) == 1


@pytest.mark.parametrize("script, said, status, before", [
    ("echo 'fragtrace table: one' >&2; echo 'fragtrace table: two' >&2; exit 1", "^two$", 1, "one\n"),
    ("kill -KILL $$", "fragtrace table: was ended by SIGKILL$", 1, ""),
    ("exit 0", "its columns are none that this program reads", 1, ""),
    ('echo \'{"format":"fragtrace columns","version":2}\'', "its columns are none that this program reads", 1, "")])
def test_what_the_program_does(script, said, status, before, monkeypatch, capsys):
    """Each message in a line of its own; an end without one, and answers of another version, are told."""
    Path("fragtrace").write_text(f"#!/bin/sh\n{script}\n")
    os.chmod("fragtrace", 0o755)
    monkeypatch.setattr(fragsnap, "find_program", lambda: os.path.abspath("fragtrace"))
    with pytest.raises(fragsnap.SnapError, match=said) as error:
        fragsnap.read_table("t")
    assert error.value.status == status and capsys.readouterr().err == before
    os.chmod("fragtrace", 0o644)
    with pytest.raises(fragsnap.SnapError, match="fragtrace: cannot start: Permission denied"):
        fragsnap.read_table("t")


def test_an_end_within_a_table(monkeypatch):
    """Wherever it is, in the first table or in a later one, the signal is told."""
    Path("t").write_text(HEAD + RECORD)
    whole = subprocess.run([fragsnap.find_program(), "table", "--columns", "-t", "t"], capture_output=True, check=True).stdout
    Path("whole").write_bytes(whole)
    monkeypatch.setattr(fragsnap, "find_program", lambda: os.path.abspath("fragtrace"))
    for n in range(2 * len(whole)):
        Path("fragtrace").write_text(f"#!/bin/sh\ncat whole whole | head -c {n}\nkill -KILL $$\n")
        os.chmod("fragtrace", 0o755)
        with pytest.raises(fragsnap.SnapError, match="fragtrace table: was ended by SIGKILL$"):
            list(fragsnap.read_tables([("t", None)] * 2))


def test_a_warning_is_shown_once(monkeypatch, capsys):
    """Not for each moment of a recording."""
    Path("fragtrace").write_text("#!/bin/sh\necho 'fragtrace table: w: damaged' >&2\n")
    os.chmod("fragtrace", 0o755)
    monkeypatch.setattr(fragsnap, "find_program", lambda: os.path.abspath("fragtrace"))
    assert fragsnap.ask("table") + fragsnap.ask("table") == b"" and capsys.readouterr().err == "w: damaged\n"


def test_moments(capsys):
    """Those of a recording without events; the last snapshot is right for any later moment, with a message."""
    record("run", {0.0: HEAD, 2.5: HEAD + sst(110)})
    begin, end = (round(1795232523.042 * 1000) * 10 ** 6 + ms * 10 ** 6 for ms in (0, 2500))
    assert fragsnap.read_moments("run") == [
        fragsnap.Span(begin, end - 1, False, None, "run/fragtrace-1795232523.042.table.zst", None),
        fragsnap.Span(end, end, False, None, "run/fragtrace-1795232525.542.table.zst", None)]
    for at, time in ("start", begin), ("2.4s", begin), (fragsnap.at_text(end - 1), begin), (fragsnap.at_text(end), end), ("end", end):
        t = fragsnap.read_table("run", at)
        assert (t.time, t.begin) == (time / 10 ** 9, begin / 10 ** 9)
    assert capsys.readouterr().err == ""
    assert fragsnap.read_table("run", "1h").time == end / 10 ** 9
    assert "run: the last change recorded is at " in capsys.readouterr().err


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
