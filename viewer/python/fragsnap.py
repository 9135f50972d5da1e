# SPDX-License-Identifier: GPL-2.0-only
"""The text formats of fragtrace, version 1, as typed objects: table, extents, files.

Texts may be plain or gzip. Whatever is not as the format says raises FormatError, which names the
file, the line, and what was expected there. Nothing here draws, and nothing but numpy is needed:

    table = fragsnap.read_table("/sys/kernel/debug/fragtrace/table")
    print(table.blocks.sum(), "blocks in", len(table.paths), "files")
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import zlib
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

VERSION = 1
BLOCK_BYTES = 4096

# No block number, offset, length or inode number may reach this.
LIMIT = 1 << 48
DIGITS = len(str(LIMIT))

TABLE_FORM = "dev lba length offset ino state path"
EXTENTS_FORM = "dev ino offset offset_end lba lba_end length flags path"
FILES_FORM = ("dev ino map blocks extents fragments mean_fragment mean_distance requests_128k "
              "ideal_128k path")
VOLUME_FORM = "# volume DEV main_blkaddr=N blocks=N segment_blocks=N path=MOUNTPOINT"
TIME_FORM = "# time SECONDS.MMM"

VOLUME = re.compile(r"# volume (\d+:\d+) main_blkaddr=(\d{1,15}) blocks=(\d{1,15}) "
                    r"segment_blocks=(\d{1,15}) path=(.+)", re.ASCII)
TIME = re.compile(r"# time (\d{1,11}\.\d{3})", re.ASCII)
ESCAPE = re.compile(rb"\\([0-7]{3})?")
DELETED = " (deleted)"

STATES = (b"contiguous", b"fragmented")


class SnapError(Exception):
    """A text that cannot be read, or is not as it should be; the message is for the user."""


class FormatError(SnapError):
    """A line that is not as the format says."""

    def __init__(self, name: str, line: int, what: str) -> None:
        super().__init__(name, line, what)

    def __str__(self) -> str:
        name, line, what = self.args
        return f"{name}:{line}: {what}"


@dataclass(frozen=True)
class Volume:
    """One F2FS volume; data lies in the blocks from main_blkaddr to end - 1."""

    dev: str
    main_blkaddr: int
    end: int
    segment_blocks: int
    path: str


@dataclass(frozen=True)
class Table:
    """All that one text of `table` says.

    Arrays with one item for each file, in the order of their first extents: file_volume (an index
    into volumes), file_ino, file_fragmented; paths likewise. Arrays with one item for each extent, in
    the order of volume and address: lba, blocks, offset (all in blocks), file (an index).
    `logical` puts the extents into the order of file and offset.
    """

    name: str
    time: Optional[float]
    volumes: list[Volume]
    file_volume: np.ndarray
    file_ino: np.ndarray
    file_fragmented: np.ndarray
    paths: list[str]
    lba: np.ndarray
    blocks: np.ndarray
    offset: np.ndarray
    file: np.ndarray
    logical: np.ndarray


@dataclass(frozen=True)
class Extent:
    """One line of `extents`; ends are exclusive here. lba is None where nothing is written yet."""

    dev: str
    ino: int
    offset: int
    lba: Optional[int]
    blocks: int
    flags: tuple[str, ...]
    path: str


@dataclass(frozen=True)
class File:
    """One line of `files`: the figures of a file as the module computes them."""

    dev: str
    ino: int
    exact: bool
    blocks: int
    extents: int
    fragments: int
    mean_fragment: float
    mean_distance: float
    requests_128k: int
    ideal_128k: int
    path: str


# === Texts ===


def read_bytes(path: str) -> bytes:
    """The content of a file, unpacked where it is gzip; - is standard input."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as stream:
                data = stream.read()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SnapError(f"{path}: the gzip data is damaged or cut short ({error}), expected a whole "
                        "file; is it still being copied?") from error
    except OSError as error:
        hint = ""
        if isinstance(error, PermissionError) and "/debug/" in path:
            hint = "; debugfs is for root"
        elif isinstance(error, FileNotFoundError) and "/debug/" in path:
            hint = "; is the module fragtrace loaded, and debugfs mounted?"
        raise SnapError(f"{path}: {error.strerror}{hint}") from error
    return data


def whole_lines(name: str, data: bytes, kind: str) -> None:
    """Raise unless this is a text of whole lines that begins as a text of that kind should."""
    magic = f"# fragtrace {kind} "
    if not data:
        raise FormatError(name, 1, f'the text is empty, expected "{magic}{VERSION}"')
    first = data.split(b"\n", 1)[0].decode("utf-8", "replace")
    if not first.startswith(magic):
        raise FormatError(name, 1, f'this is no fragtrace {kind}, expected the first line to be '
                          f'"{magic}{VERSION}"')
    if first != f"{magic}{VERSION}":
        raise FormatError(name, 1, f'the {kind} has version "{first[len(magic):][:24]}", this program '
                          f"reads version {VERSION}")
    if not data.endswith(b"\n"):
        raise FormatError(name, data.count(b"\n") + 1, "the text is cut short, expected a newline at "
                          "its end")
    if b"\0" in data:
        raise FormatError(name, data.count(b"\n", 0, data.index(b"\0")) + 1,
                          "a NUL byte in the line, expected text")


def unescape(raw: bytes) -> str:
    """A path as the kernel wrote it, without its escapes; ValueError where one is no such."""
    if b"\\" in raw:
        raw = ESCAPE.sub(lambda found: bytes([int(found[1], 8) & 0xff]), raw)
    return os.fsdecode(raw)


def read_path(name: str, line: int, raw: bytes) -> str:
    """The path at the end of a line."""
    try:
        return unescape(raw)
    except TypeError:
        raise FormatError(name, line, f"bad escape in the path \"{shown(raw)}\", expected \\040, "
                          "\\011, \\012 or \\134") from None


def shown(raw: bytes) -> str:
    """A piece of the input, short enough for a message."""
    text = raw.decode("utf-8", "replace")
    return text if len(text) <= 24 else text[:24] + "..."


def extension(path: str) -> str:
    """The last dot of a file's name and what follows it, or "". A dot at its start only hides it."""
    base = path.removesuffix(DELETED).rpartition("/")[2]
    stem, dot, ext = base.rpartition(".")
    return dot + ext if stem and ext else ""


# === Lines of fields ===


class Fields:
    """The fields of one line, one after the other; the path, which may hold spaces, is the last."""

    def __init__(self, name: str, line: int, raw: bytes, form: str) -> None:
        self.name, self.line, self.form = name, line, form
        self.words = raw.split(b" ", form.count(" "))
        self.names = form.split(" ")
        self.next = 0

    def fail(self, what: str) -> FormatError:
        """The error to raise for this line."""
        return FormatError(self.name, self.line, f"{what}, expected: {self.form}")

    def word(self) -> bytes:
        """The next field."""
        if self.next >= len(self.words) or not self.words[self.next]:
            raise self.fail(f"the line ends before the {self.names[self.next]}"
                            if self.next >= len(self.words) - 1
                            else f"the {self.names[self.next]} is missing")
        self.next += 1
        return self.words[self.next - 1]

    def matching(self, pattern: bytes, kind: str) -> bytes:
        """The next field, which must look like this."""
        word = self.word()
        if not re.fullmatch(pattern, word):
            raise self.fail(f"the {self.names[self.next - 1]} is not {kind}: \"{shown(word)}\"")
        return word

    def dev(self) -> str:
        """The next field, a device number."""
        return self.matching(rb"\d+:\d+", "MAJOR:MINOR").decode()

    def number(self) -> int:
        """The next field, a count of something."""
        value = int(self.matching(rb"\d{1,20}", "a number"))
        if value >= LIMIT:
            raise self.fail(f"the {self.names[self.next - 1]} is too big: {value}, at most {LIMIT - 1}")
        return value

    def optional(self) -> Optional[int]:
        """The next field, a number or - for none."""
        if self.next < len(self.words) and self.words[self.next] == b"-":
            self.next += 1
            return None
        return self.number()

    def tenths(self) -> float:
        """The next field, a number with one digit behind the point."""
        return float(self.matching(rb"\d{1,15}\.\d", "a number with one decimal"))

    def one_of(self, *choices: bytes) -> bytes:
        """The next field, one of these words."""
        word = self.word()
        if word not in choices:
            names = " or ".join(choice.decode() for choice in choices)
            raise self.fail(f"unknown {self.names[self.next - 1]} \"{shown(word)}\", not {names}")
        return word

    def path(self) -> str:
        """The last field."""
        return read_path(self.name, self.line, self.word())


# === table ===


class Faults:
    """Finds the first line for which any of several checks of whole columns fails."""

    def __init__(self, lines: np.ndarray) -> None:
        self.lines = lines
        self.first = len(lines)
        self.describe: Callable[[int], str] = lambda i: ""

    def check(self, bad: np.ndarray, describe: Callable[[int], str]) -> None:
        """bad says which records fail, describe what to tell of such a record."""
        if bad.any():
            i = int(bad.argmax())
            if i < self.first:
                self.first, self.describe = i, describe

    def report(self, name: str) -> None:
        """Raise for the first record that failed, if one did."""
        if self.first < len(self.lines):
            raise FormatError(name, int(self.lines[self.first]) + 1, self.describe(self.first))


def parse_numbers(text: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers between these places of the text, and which of them are none."""
    width = end - start
    bad = (width < 1) | (width > DIGITS)
    value = np.zeros(len(start), np.int64)
    for i in range(min(int(width.max(initial=0)), DIGITS)):
        here = i < width
        digit = text[np.where(here, start + i, 0)] - np.uint8(ord("0"))
        bad |= here & (digit > 9)
        value = np.where(here, value * 10 + digit, value)
    return value, bad | (value >= LIMIT)


def read_comments(name: str, lines: list[tuple[int, bytes]]) -> tuple[Optional[float], list[Volume], list[int]]:
    """Time, volumes, and the lines of the volumes, from the lines that begin with #."""
    time: Optional[float] = None
    volumes: list[Volume] = []
    where: list[int] = []
    for line, raw in lines:
        text = os.fsdecode(raw)
        if line == 2 and raw.startswith(b"# time "):
            found = TIME.fullmatch(text)
            if not found:
                raise FormatError(name, line, f'"{shown(raw)}" is no time, expected: {TIME_FORM}')
            time = float(found[1])
        elif raw.startswith(b"# volume "):
            found = VOLUME.fullmatch(text)
            if not found:
                raise FormatError(name, line, f"bad description of a volume, expected: {VOLUME_FORM}")
            first, end, segment = (int(found[i]) for i in (2, 3, 4))
            if first >= end:
                raise FormatError(name, line, f"main_blkaddr={first} is not below blocks={end}")
            if end > LIMIT or not segment:
                raise FormatError(name, line, f"blocks={end} segment_blocks={segment} cannot be, expected "
                                  f"blocks up to {LIMIT} in segments of 1 or more")
            if found[1] in (volume.dev for volume in volumes):
                raise FormatError(name, line, f"volume {found[1]} comes twice")
            path = read_path(name, line, os.fsencode(found[5]))
            volumes.append(Volume(found[1], first, end, segment, path))
            where.append(line)
    return time, volumes, where


def find_volume(text: np.ndarray, start: np.ndarray, end: np.ndarray, lines: np.ndarray,
                volumes: list[Volume], where: list[int]) -> np.ndarray:
    """Which volume each record belongs to; -1: none that was described before it."""
    found = np.full(len(start), -1)
    for i, volume in enumerate(volumes):
        dev = np.frombuffer(volume.dev.encode(), np.uint8)
        same = (end - start == len(dev)) & (lines + 1 > where[i])
        candidates = np.flatnonzero(same)
        same[candidates] = (text[start[candidates, None] + np.arange(len(dev))] == dev).all(axis=1)
        found[same] = i
    return found


def check_places(faults: Faults, volumes: list[Volume], volume: np.ndarray, lba: np.ndarray,
                 blocks: np.ndarray) -> None:
    """Each extent must be inside its volume and behind the one before."""
    first = np.array([v.main_blkaddr for v in volumes])[volume]
    limit = np.array([v.end for v in volumes])[volume]
    end = lba + blocks
    faults.check(blocks < 1, lambda i: "the length is 0, expected at least 1 block")
    faults.check((lba < first) | (end > limit),
                 lambda i: f"blocks {lba[i]} to {end[i] - 1} are outside the volume, expected {first[i]} "
                 f"to {limit[i] - 1}")
    same = np.zeros(len(volume), bool)
    same[1:] = volume[1:] == volume[:-1]
    again = np.zeros(len(volume), bool)
    seen: set[int] = set()
    for i in np.flatnonzero(~same):
        again[i] = int(volume[i]) in seen
        seen.add(int(volume[i]))
    faults.check(again, lambda i: f"not sorted: volume {volumes[volume[i]].dev} had its lines before, "
                 "expected order (dev, lba)")
    inside = np.zeros(len(volume), bool)
    inside[1:] = same[1:] & (lba[1:] < end[:-1])
    faults.check(inside,
                 lambda i: f"lba {lba[i]} is not behind the extent before, expected order (dev, lba) "
                 f"and at least {end[i - 1]}")


def parse_table(name: str, data: bytes) -> Table:
    """Understand the text of a table; name is what messages call it."""
    whole_lines(name, data, "table")
    text = np.frombuffer(data, np.uint8)
    newline = np.flatnonzero(text == ord("\n"))
    begin = np.concatenate([[0], newline[:-1] + 1])
    comment = text[begin] == ord("#")
    time, volumes, where = read_comments(name, [(int(i) + 1, data[begin[i]:newline[i]])
                                                for i in np.flatnonzero(comment)])
    lines = np.flatnonzero(~comment)
    begin, newline = begin[lines], newline[lines]

    # The ends of the first six fields of each record; where one is missing, the end of the line.
    space = np.concatenate([np.flatnonzero(text == ord(" ")), np.full(6, len(text))])
    ends = space[np.searchsorted(space, begin)[:, None] + np.arange(6)]
    short = ends[:, 5] + 1 >= newline
    ends = np.minimum(ends, newline[:, None])
    starts = np.minimum(np.column_stack([begin, ends[:, :5] + 1]), ends)

    faults = Faults(lines)
    faults.check(short, lambda i: "the line ends before the path, expected: " + TABLE_FORM)
    volume = find_volume(text, starts[:, 0], ends[:, 0], lines, volumes, where)
    faults.check(volume < 0, lambda i: f"volume \"{shown(data[starts[i, 0]:ends[i, 0]])}\" is not known, "
                 f"expected a line before this one: {VOLUME_FORM}")

    def numbers(column: int, what: str) -> np.ndarray:
        value, bad = parse_numbers(text, starts[:, column], ends[:, column])
        faults.check(bad, lambda i: f"the {what} is not a number below {LIMIT}: "
                     f"\"{shown(data[starts[i, column]:ends[i, column]])}\", expected: {TABLE_FORM}")
        return value

    lba, blocks, offset, ino = (numbers(column, what) for column, what in
                                enumerate(("lba", "length", "offset", "inode number"), 1))
    letters = text[np.minimum(starts[:, 5, None] + np.arange(10), len(text) - 1)]
    wide = ends[:, 5] - starts[:, 5] == 10
    contiguous, fragmented = (wide & (letters == np.frombuffer(state, np.uint8)).all(axis=1)
                              for state in STATES)
    faults.check(~(contiguous | fragmented),
                 lambda i: f"unknown state \"{shown(data[starts[i, 5]:ends[i, 5]])}\", expected "
                 "contiguous or fragmented")
    if volumes:
        check_places(faults, volumes, volume, lba, blocks)

    # Files in the order of their first extents.
    key = volume.astype(np.uint64) << np.uint64(48) | ino.astype(np.uint64)
    _, first, file = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    first, file = first[order], np.argsort(order)[file]
    faults.check(fragmented != fragmented[first][file],
                 lambda i: f"inode {ino[i]} is {'contiguous fragmented'.split()[int(fragmented[i])]} here but "
                 f"was not on line {lines[first[file[i]]] + 1}, expected one state for all its extents")
    logical = np.lexsort((offset, file))
    before, after = logical[:-1], logical[1:]
    overlap = np.zeros(len(lines), bool)
    overlap[after] = (file[after] == file[before]) & (offset[after] < offset[before] + blocks[before])
    faults.check(overlap, lambda i: f"offset {offset[i]} of inode {ino[i]} has two places on the volume, "
                 "expected one line for each block of a file")
    faults.report(name)
    paths = [read_path(name, int(lines[i]) + 1, data[ends[i, 5] + 1:newline[i]]) for i in first]
    return Table(name, time, volumes, volume[first], ino[first], fragmented[first], paths,
                 lba, blocks, offset, file, logical)


def read_table(path: str) -> Table:
    """Read `table`, plain or gzip."""
    return parse_table(path, read_bytes(path))


# === extents and files ===


def records(path: str, kind: str, form: str) -> list[Fields]:
    """The lines of a text that are records, each split into its fields."""
    data = read_bytes(path)
    whole_lines(path, data, kind)
    lines = data[:-1].split(b"\n")
    return [Fields(path, number, raw, form) for number, raw in enumerate(lines, 1)
            if not raw.startswith(b"#")]


def read_extents(path: str) -> list[Extent]:
    """Read `extents`, plain or gzip."""
    result = []
    for fields in records(path, "extents", EXTENTS_FORM):
        dev, ino, offset, offset_end = fields.dev(), fields.number(), fields.number(), fields.number()
        lba, lba_end, blocks = fields.optional(), fields.optional(), fields.number()
        if not blocks or offset_end - offset + 1 != blocks:
            raise fields.fail(f"blocks {offset} to {offset_end} are not {blocks}")
        if (lba is None) != (lba_end is None):
            raise fields.fail("only one of lba and lba_end is -")
        if lba is not None and lba_end is not None and lba_end - lba + 1 != blocks:
            raise fields.fail(f"addresses {lba} to {lba_end} are not {blocks}")
        flags = fields.word().decode("utf-8", "replace")
        result.append(Extent(dev, ino, offset, lba, blocks,
                             () if flags == "-" else tuple(flags.split(",")), fields.path()))
    return result


def read_files(path: str) -> list[File]:
    """Read `files`, plain or gzip."""
    return [File(fields.dev(), fields.number(), fields.one_of(b"exact", b"stale") == b"exact",
                 fields.number(), fields.number(), fields.number(), fields.tenths(), fields.tenths(),
                 fields.number(), fields.number(), fields.path())
            for fields in records(path, "files", FILES_FORM)]
