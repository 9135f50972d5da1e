# SPDX-License-Identifier: GPL-2.0-only
"""The files of fragtrace in debugfs as typed objects: snapshot or table, extents, files.

All may be plain or gzip. Input that does not match the format raises SnapError. For a text it is a
FormatError, which has the file, the line, and what was expected there. fragtrace-view refuses the
same snapshots and tables with the same messages. This module draws nothing, and needs only numpy:

    table = fragsnap.read_table("/sys/kernel/debug/fragtrace/snapshot")
    print(table.blocks.sum(), "blocks in", len(table.paths), "files")
"""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
import zlib
from dataclasses import dataclass, field, replace
from typing import IO, Callable, Optional, cast

import numpy as np

VERSION = 1
BLOCK_BYTES = 4096

# F2FS uses 32 bits for blocks and inodes.
MOST = 2 ** 32 - 1
DIGITS = len(str(MOST))
# In extents and files.
LIMIT = 1 << 48

# The longest line of a table: a path has at most 4095 bytes, and each of them may be escaped.
LINE_LIMIT = 1 << 15
MAX_VOLUMES = 4096

TABLE_FORM = "dev lba length offset ino state path"
CAUSE_FORM = "op flush why_here"
EXTENTS_FORM = "dev ino offset offset_end lba lba_end length flags"
FILES_FORM = "dev ino map blocks extents fragments mean_fragment mean_distance requests_128k ideal_128k"
# By version.
EXTENTS_FORMS = {1: f"{EXTENTS_FORM} path", 2: f"{EXTENTS_FORM} {CAUSE_FORM} process path"}
FILES_FORMS = {1: f"{FILES_FORM} path", 2: f"{FILES_FORM} {CAUSE_FORM} path"}
VOLUME_FORM = "# volume DEV main_blkaddr=N blocks=N segment_blocks=N path=MOUNTPOINT"
TIME_FORM = "# time SECONDS.MMM"

STALE_FORM = "# stale N"
STOPPED_FORM = "# stopped DEV"
VERSION_FORM = "# fragtrace table N"

# A path has no NUL, and a byte has eight bits.
ESCAPE = re.compile(rb"\\((?!000)[0-3][0-7]{2})?")
DELETED = " (deleted)"

STATES = (b"contiguous", b"fragmented")

# As in module/cause.h: the values of the parts of a cause, by number.
OPS = ("unknown", "append", "overwrite", "tail", "direct", "prealloc", "range", "mmap", "inline", "gc_bg", "gc_fg",
       "defrag", "atomic", "compress")
FLUSHES = ("none", "sync", "writeback", "checkpoint")
WHYS = ("none", "unknown", "interleaved", "other_log", "ssr", "new_segment", "moved")


class SnapError(Exception):
    """A text that cannot be read or is invalid; the message is for the user."""


class FormatError(SnapError):
    """A line that does not match the format."""

    def __init__(self, name: str, line: int, what: str) -> None:
        super().__init__(name, line, what)

    def __str__(self) -> str:
        name, line, what = self.args
        return f"{name}:{line}: {what}"


@dataclass(frozen=True)
class Volume:
    """One F2FS volume; data is in the blocks from main_blkaddr to end - 1. stopped: F2FS has, after an error."""

    dev: str
    main_blkaddr: int
    end: int
    segment_blocks: int
    path: str
    stopped: bool = False


@dataclass(frozen=True)
class Writer:
    """A process that wrote data in a time span; times are in seconds since 1970. same_as is its first entry."""

    comm: str
    pid: int
    first: int
    last: int
    cgroup: Optional[str]
    same_as: int


@dataclass(frozen=True)
class Table:
    """The content of one `snapshot` or one text of `table`.

    Arrays with one item for each file, in the order of their first extents: file_volume (an index
    into volumes), file_ino, file_fragmented; paths likewise. Arrays with one item for each extent, in
    the order of volume and address: lba, blocks, offset (all in blocks), file (an index).
    `logical` sorts the extents by file and offset. n_stale is the number of files whose blocks may have
    moved. causes has one item for each extent, for cause_parts(); it is None if causes are not known. Writers
    0 and 1 stand for unknown and several processes.
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
    n_stale: int = 0
    causes: Optional[np.ndarray] = None
    writers: list[Writer] = field(default_factory=list)


@dataclass(frozen=True)
class Cause:
    """Why a file is broken: words of OPS, FLUSHES and WHYS; the writer is COMM:PID, several or unknown."""

    op: str
    flush: str
    why_here: str
    process: Optional[str] = None


@dataclass(frozen=True)
class Extent:
    """One line of `extents`; ends are exclusive here. lba is None if nothing is written yet.

    cause is None if no break is before the extent, and in version 1.
    """

    dev: str
    ino: int
    offset: int
    lba: Optional[int]
    blocks: int
    flags: tuple[str, ...]
    path: str
    cause: Optional[Cause] = None


@dataclass(frozen=True)
class File:
    """One line of `files`: the figures of a file as the module computes them, and the cause of most breaks."""

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
    cause: Optional[Cause] = None


# === Texts ===

# Characters that act on a terminal, begin a new line, or change the order of text, and bytes that are no UTF-8. The same
# as in names.c.
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
                    "\U000e0000-\U000e007f\ud800-\udfff]")


def visible(text: str) -> str:
    """A text that is safe on a terminal and in a picture: hidden characters are written as octal bytes."""
    return HIDDEN.sub(lambda found: "".join(f"\\{byte:03o}" for byte in found[0].encode("utf-8", "surrogateescape")),
                      text)


def blocks_text(blocks: float) -> str:
    """A number of blocks as bytes with a unit, in the same form as format_bytes() of util.c."""
    size, units = blocks * BLOCK_BYTES / 1024, ["KiB", "MiB", "GiB", "TiB", "PiB"]
    # a value that rounds to 1024 is 1 of the next unit
    while size >= 1023.5 and len(units) > 1:
        size, units = size / 1024, units[1:]
    if 0 < size < 0.05:
        return f"<0.1 {units[0]}"
    text = f"{size:.0f}" if size >= 99.95 or size == int(size) else f"{size:.1f}"
    return f"{text} {units[0]}"


# The most bytes of an input, unpacked; None is half of the memory.
input_max: Optional[int] = None


def input_limit() -> int:
    """How large one input may be."""
    return input_max or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def read_limited(name: str, stream: IO[bytes]) -> bytes:
    """All of a stream, unless it is larger than an input may be."""
    limit = input_limit()
    pieces, size = [], 0
    while piece := stream.read(1 << 20):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise SnapError(f"{name}: the input is larger than {blocks_text(limit / BLOCK_BYTES)}, expected less; "
                            "--max-input sets the limit, which is half of the memory otherwise")
    return b"".join(pieces)


def read_bytes(path: str) -> bytes:
    """The content of a file, unpacked if it is gzip; - is standard input."""
    name = "<stdin>" if path == "-" else path
    try:
        if path == "-":
            data = read_limited(name, sys.stdin.buffer)
        else:
            with open(path, "rb") as stream:
                data = read_limited(name, stream)
        if data[:2] == b"\x1f\x8b":
            data = read_limited(name, cast(IO[bytes], gzip.GzipFile(fileobj=io.BytesIO(data))))
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


def whole_lines(name: str, data: bytes, kind: str, forms: dict[int, str]) -> str:
    """The form of a text of that kind, by its version; raises unless all lines are complete and the first is valid."""
    magic = f"# fragtrace {kind} "
    if not data:
        raise FormatError(name, 1, f'the text is empty, expected "{magic}{VERSION}"')
    first = data.split(b"\n", 1)[0].decode("utf-8", "replace")
    if not first.startswith(magic):
        raise FormatError(name, 1, f'this is no fragtrace {kind}, expected the first line to be '
                          f'"{magic}{VERSION}"')
    form = {f"{magic}{version}": form for version, form in forms.items()}.get(first)
    if form is None:
        raise FormatError(name, 1, f'the {kind} has version "{first[len(magic):][:24]}", this program '
                          f"reads versions 1 to {max(forms)}")
    if not data.endswith(b"\n"):
        raise FormatError(name, data.count(b"\n") + 1, "the text is cut short, expected a newline at "
                          "its end")
    if b"\0" in data:
        raise FormatError(name, data.count(b"\n", 0, data.index(b"\0")) + 1,
                          "a NUL byte in the line, expected text")
    return form


def read_path(name: str, line: int, raw: bytes) -> str:
    """The path at the end of a line."""
    for found in ESCAPE.finditer(raw):
        if found[1] is None:
            bad = os.fsdecode(raw[found.start():found.start() + 4])
            raise FormatError(name, line, f"bad escape \"{bad}\" in the path, expected \\040, \\011, \\012 or "
                              "\\134")
    return os.fsdecode(ESCAPE.sub(lambda escape: bytes([int(escape[1], 8)]), raw))


def shown(raw: bytes) -> str:
    """A piece of the input, short enough for a message."""
    text = raw.decode("utf-8", "replace")
    return text if len(text) <= 24 else text[:24] + "..."


def extension(path: str) -> str:
    """The last dot of a file's name and the text after it, or "". A dot at the start does not count."""
    base = path.removesuffix(DELETED).rpartition("/")[2]
    stem, dot, ext = base.rpartition(".")
    return dot + ext if stem and ext else ""


# === Lines of fields ===


class Fields:
    """The fields of one line in sequence; the last is the path, which may have spaces."""

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
        """The next field, which must match a pattern."""
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
        """The next field, a number with one decimal digit."""
        return float(self.matching(rb"\d{1,15}\.\d", "a number with one decimal"))

    def one_of(self, *choices: bytes) -> bytes:
        """The next field, one of these words."""
        word = self.word()
        if word not in choices:
            names = " or ".join(choice.decode() for choice in choices)
            raise self.fail(f"unknown {self.names[self.next - 1]} \"{shown(word)}\", not {names}")
        return word

    def path(self) -> str:
        """The last field, or a name that is escaped in the same way."""
        return read_path(self.name, self.line, self.word())

    def cause(self) -> Optional[Cause]:
        """The cause, if the form has one and there is a break."""
        if "op" not in self.names:
            return None
        op, flush, why = (self.one_of(b"-", *(word.encode() for word in words)).decode()
                          for words in (OPS, FLUSHES, WHYS))
        process = self.path() if "process" in self.names else None
        if "-" in (op, flush, why, process):
            if {op, flush, why, process} - {"-", None}:
                raise self.fail("only some of the fields of a cause are -")
            return None
        return Cause(op, flush, why, process)


# === Lines of a table ===


class Line:
    """One line of a table, read from left to right as in table.c."""

    def __init__(self, name: str, line: int, raw: bytes, form: str) -> None:
        self.name, self.line, self.raw, self.form = name, line, raw, form
        self.at = 0

    def fail(self, what: str) -> FormatError:
        """The error to raise for this line."""
        return FormatError(self.name, self.line, what)

    def quoted(self, start: int) -> str:
        """The beginning of the rest of the line."""
        return os.fsdecode(self.raw[start:start + 24])

    def is_over(self) -> bool:
        """Is the rest of the line empty?"""
        return self.at == len(self.raw)

    def ends_before(self, what: str) -> FormatError:
        """The error for a field that is missing."""
        return self.fail(f"the line ends before the {what}, expected: {self.form}")

    def number(self, what: str, most: int = MOST) -> int:
        """Digits."""
        start = self.at
        found = re.compile(rb"[0-9]*").match(self.raw, start)
        digits = found[0] if found else b""
        self.at = start + len(digits)
        if not digits and self.at == len(self.raw):
            raise self.ends_before(what)
        if not digits:
            raise self.fail(f'the {what} is not a number: "{self.quoted(start)}", expected digits')
        if int(digits.lstrip(b"0")[:21] or b"0") > most:
            raise self.fail(f"the {what} is too big: {self.quoted(start)}, expected at most {most}")
        return int(digits)

    def expect(self, literal: str) -> None:
        """Exactly this text."""
        if not self.raw.startswith(literal.encode(), self.at):
            raise self.fail(f'found "{self.quoted(self.at)}" where "{literal}" should be, expected: {self.form}')
        self.at += len(literal)

    def field(self, what: str, most: int = MOST) -> int:
        """A number and the space after it."""
        value = self.number(what, most)
        if not self.is_over():
            if self.raw[self.at:self.at + 1] != b" ":
                raise self.fail(f'the {what} is followed by "{self.quoted(self.at)}", expected a space')
            self.at += 1
        return value

    def dev(self) -> str:
        """A device number and the space after it."""
        major = self.number("device")
        self.expect(":")
        minor = self.number("device")
        if not self.is_over():
            self.expect(" ")
        return f"{major}:{minor}"

    def state(self) -> bool:
        """Is the file fragmented?"""
        for i, word in enumerate(STATES):
            if self.raw.startswith(word + b" ", self.at):
                self.at += len(word) + 1
                return bool(i)
        if self.is_over():
            raise self.ends_before("state")
        if self.raw[self.at:] in STATES:
            raise self.ends_before("path")
        unknown = os.fsdecode(self.raw[self.at:].split(b" ")[0][:24])
        raise self.fail(f'unknown state "{unknown}", expected contiguous or fragmented')

    def path(self) -> str:
        """The rest of the line."""
        if self.is_over():
            raise self.ends_before("path")
        return read_path(self.name, self.line, self.raw[self.at:])


def read_version(line: Line) -> None:
    """The first line."""
    magic = "# fragtrace table "
    if not line.raw.startswith(magic.encode()):
        raise line.fail(f'this is no fragtrace table, expected the first line to be "{magic}{VERSION}"')
    line.at = len(magic)
    version = line.number("version")
    if version != VERSION or not line.is_over():
        raise line.fail(f"the table has version {version}{line.quoted(line.at)}, this program reads version "
                        f"{VERSION}")


def read_time(line: Line) -> float:
    """The time of a recorded table, on its second line."""
    line.at = len("# time ")
    seconds = line.number("time", 10 ** 11 - 1)
    line.expect(".")
    point = line.at
    ms = line.number("fraction of the time", 999)
    if line.at != point + 3 or not line.is_over():
        raise line.fail(f'the fraction of the time is "{line.quoted(point)}", expected three digits')
    return float(f"{seconds}.{ms:03}")


def read_stale(line: Line) -> int:
    """The number of stale files."""
    line.at = len("# stale ")
    number = line.number("number of stale files")
    if not line.is_over():
        raise line.fail(f"expected {STALE_FORM}")
    return number


def read_stopped(line: Line, volumes: list[Volume]) -> None:
    """Note that F2FS has stopped on a volume."""
    line.at = len("# stopped ")
    dev = line.dev()
    if not line.is_over():
        raise line.fail(f"expected {STOPPED_FORM}")
    for i, volume in enumerate(volumes):
        if volume.dev == dev:
            volumes[i] = replace(volume, stopped=True)
            return
    raise line.fail(f"volume {dev} is not known, expected a line before this one: {VOLUME_FORM}")


def read_volume(line: Line, known: list[Volume]) -> Volume:
    """The description of a volume."""
    line.expect("# volume ")
    dev = line.dev()
    numbers = []
    for key, what in (("main_blkaddr", "main_blkaddr"), ("blocks", "number of blocks"),
                      ("segment_blocks", "size of a segment")):
        line.expect(f"{key}=")
        numbers.append(line.field(what))
    first, end, segment = numbers
    if not segment:
        raise line.fail("segment_blocks is 0, expected at least 1")
    line.expect("path=")
    path = line.path()
    if first >= end:
        raise line.fail(f"main_blkaddr={first} is not below blocks={end}")
    if dev in (volume.dev for volume in known):
        raise line.fail(f"volume {dev} comes twice")
    if len(known) == MAX_VOLUMES:
        raise line.fail(f"more than {MAX_VOLUMES} volumes")
    return Volume(dev, first, end, segment, path)


def read_record(line: Line) -> tuple[str, list[int], bool, int]:
    """Device, numbers, state, and the begin of the path."""
    dev = line.dev()
    numbers = [line.field(what) for what in ("lba", "length", "offset", "inode number")]
    fragmented = line.state()
    if line.is_over():
        raise line.ends_before("path")
    return dev, numbers, fragmented, line.at


@dataclass
class Comments:
    """The content of the lines that begin with #."""

    time: Optional[float] = None
    n_stale: int = 0


def read_comments(name: str, lines: list[tuple[int, bytes]], volumes: list[Volume], where: list[int]) -> Comments:
    """Read these lines in their order; add volumes and the numbers of their lines to these lists."""
    comments = Comments()
    for number, raw in lines:
        if number == 2 and raw.startswith(b"# time "):
            comments.time = read_time(Line(name, number, raw, TIME_FORM))
        elif raw.startswith(b"# stale "):
            comments.n_stale = read_stale(Line(name, number, raw, STALE_FORM))
        elif raw.startswith(b"# stopped "):
            read_stopped(Line(name, number, raw, STOPPED_FORM), volumes)
        elif raw.startswith(b"# volume "):
            volumes.append(read_volume(Line(name, number, raw, VOLUME_FORM), volumes))
            where.append(number)
    return comments


# === table ===


class Faults:
    """Finds the first of many items for which one of several checks of whole columns fails.

    If two checks fail for the same item, the first check counts.
    """

    def __init__(self, number: int) -> None:
        self.first = number
        self.describe: Callable[[int], str] = lambda i: ""
        self.number = number

    def check(self, bad: np.ndarray, describe: Callable[[int], str]) -> None:
        """bad is the items that fail, describe returns the message for an item."""
        if bad.any():
            i = int(bad.argmax())
            if i < self.first:
                self.first, self.describe = i, describe

    def found(self) -> Optional[str]:
        """The message for the first item that failed, or None."""
        return self.describe(self.first) if self.first < self.number else None


def parse_numbers(text: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers between these places of the text, and which of them must be read one by one."""
    width = end - start
    odd = (width < 1) | (width > DIGITS)
    value = np.zeros(len(start), np.int64)
    for i in range(min(int(width.max(initial=0)), DIGITS)):
        here = i < width
        digit = text[np.where(here, start + i, 0)] - np.uint8(ord("0"))
        odd |= here & (digit > 9)
        value = np.where(here, value * 10 + digit, value)
    return value, odd | (value > MOST)


def find_volume(text: np.ndarray, start: np.ndarray, end: np.ndarray, volumes: list[Volume]) -> np.ndarray:
    """The volume of each record, by its letters; -1: none of them."""
    found = np.full(len(start), -1)
    for i, volume in enumerate(volumes):
        dev = np.frombuffer(volume.dev.encode(), np.uint8)
        same = end - start == len(dev)
        candidates = np.flatnonzero(same)
        same[candidates] = (text[start[candidates, None] + np.arange(len(dev))] == dev).all(axis=1)
        found[same] = i
    return found


@dataclass
class Columns:
    """The fields of all records. volume is an index, -1 if there is none; path is the begin of the path."""

    volume: np.ndarray
    numbers: list[np.ndarray]
    fragmented: np.ndarray
    path: np.ndarray


def read_columns(name: str, data: bytes, text: np.ndarray, lines: np.ndarray, begin: np.ndarray,
                 newline: np.ndarray, volumes: list[Volume]) -> tuple[Columns, dict[int, str], Optional[FormatError]]:
    """The fields of all records, whole columns at once.

    Records that do not have the form of the module's are read again one by one with all rules. That gives two
    results: the devices, by record, that are none of the volumes, and the error of the first invalid record.
    """
    # The ends of the first six fields of each record; for a missing field, the end of the line.
    space = np.concatenate([np.flatnonzero(text == ord(" ")), np.full(6, len(text))])
    ends = space[np.searchsorted(space, begin)[:, None] + np.arange(6)]
    odd = ends[:, 5] + 1 >= newline
    ends = np.minimum(ends, newline[:, None])
    starts = np.minimum(np.column_stack([begin, ends[:, :5] + 1]), ends)
    volume = find_volume(text, starts[:, 0], ends[:, 0], volumes)
    odd |= volume < 0
    numbers = []
    for column in range(1, 5):
        value, bad = parse_numbers(text, starts[:, column], ends[:, column])
        numbers.append(value)
        odd |= bad
    letters = text[np.minimum(starts[:, 5, None] + np.arange(10), len(text) - 1)]
    wide = ends[:, 5] - starts[:, 5] == 10
    contiguous, fragmented = (wide & (letters == np.frombuffer(state, np.uint8)).all(axis=1)
                              for state in STATES)
    odd |= ~(contiguous | fragmented)
    columns = Columns(volume, numbers, fragmented, ends[:, 5] + 1)
    places = {v.dev: i for i, v in enumerate(volumes)}
    devs: dict[int, str] = {}
    for i in np.flatnonzero(odd).tolist():
        line = Line(name, int(lines[i]) + 1, data[begin[i]:newline[i]], TABLE_FORM)
        try:
            devs[i], found, columns.fragmented[i], at = read_record(line)
        except FormatError as error:
            return columns, devs, error
        columns.volume[i] = places.get(devs[i], -1)
        columns.path[i] = begin[i] + at
        for numbers_of, number in zip(columns.numbers, found):
            numbers_of[i] = number
    return columns, devs, None


def check_places(faults: Faults, volumes: list[Volume], volume: np.ndarray, lba: np.ndarray,
                 blocks: np.ndarray) -> None:
    """Check that each extent is inside its volume and after the previous one."""
    first = np.array([v.main_blkaddr for v in volumes])[volume]
    limit = np.array([v.end for v in volumes])[volume]
    end = lba + blocks
    same = np.zeros(len(volume), bool)
    same[1:] = volume[1:] == volume[:-1]
    again = np.zeros(len(volume), bool)
    seen: set[int] = set()
    for i in np.flatnonzero(~same):
        again[i] = int(volume[i]) in seen
        seen.add(int(volume[i]))
    faults.check(again, lambda i: f"not sorted: volume {volumes[volume[i]].dev} had its lines before, "
                 "expected order (dev, lba)")
    faults.check(blocks < 1, lambda i: "the length is 0, expected at least 1 block")
    faults.check((lba < first) | (end > limit),
                 lambda i: f"blocks {lba[i]} to {end[i] - 1} are outside the volume, expected {first[i]} "
                 f"to {limit[i] - 1}")
    before = np.zeros(len(volume), bool)
    before[1:] = same[1:] & (lba[1:] < lba[:-1])
    faults.check(before, lambda i: f"not sorted: lba {lba[i]} comes after {lba[i - 1]}, expected order (dev, lba)")
    inside = np.zeros(len(volume), bool)
    inside[1:] = same[1:] & (lba[1:] < end[:-1])
    faults.check(inside, lambda i: f"lba {lba[i]} overlaps the extent before, expected at least {end[i - 1]}")


def logical_order(name: str, volumes: list[Volume], volume: np.ndarray, ino: np.ndarray, file: np.ndarray,
                  offset: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Sort the extents by file and offset; a block must not be there twice."""
    logical = np.lexsort((offset, file))
    before, after = logical[:-1], logical[1:]
    twice = (file[after] == file[before]) & (offset[after] < offset[before] + blocks[before])
    if twice.any():
        i = after[int(twice.argmax())]
        raise SnapError(f"{name}: block {offset[i]} of inode {ino[i]} on {volumes[volume[i]].dev} is in two "
                        "places, expected one extent for each block of a file")
    return logical


def check_lines(name: str, data: bytes, begin: np.ndarray, newline: np.ndarray) -> tuple[int, Optional[FormatError]]:
    """The number of lines before the first that is too long, has a NUL, or has no end; and its error."""
    count = len(newline)
    done = int(newline[-1]) + 1 if count else 0
    nul = data.find(b"\0", 0, done)
    long = np.flatnonzero(newline - begin > LINE_LIMIT)
    first_long = int(long[0]) if len(long) else count
    first_nul = int(np.searchsorted(newline, nul)) if nul >= 0 else count
    if first_long < count and first_long <= first_nul:
        return first_long, FormatError(name, first_long + 1, f"the line is longer than {LINE_LIMIT} bytes")
    if first_nul < count:
        return first_nul, FormatError(name, first_nul + 1, "a NUL byte in the line, expected text")
    if len(data) - done > LINE_LIMIT:
        return count, FormatError(name, count + 1, f"the line is longer than {LINE_LIMIT} bytes")
    if len(data) > done:
        return count, FormatError(name, count + 1, "the table is cut short, expected a newline at its end")
    return count, None


def parse_table(name: str, data: bytes) -> Table:
    """Parse the text of a table; messages use name."""
    if not data:
        raise FormatError(name, 1, f'the table is empty, expected "# fragtrace table {VERSION}"')
    text = np.frombuffer(data, np.uint8)
    newline = np.flatnonzero(text == ord("\n"))
    begin = np.concatenate([np.zeros(1, np.int64), newline + 1])[:len(newline)]
    count, error = check_lines(name, data, begin, newline)
    if not count:
        raise error or FormatError(name, 1, "")
    begin, newline = begin[:count], newline[:count]
    read_version(Line(name, 1, data[:newline[0]], VERSION_FORM))
    comment = text[begin] == ord("#")
    volumes: list[Volume] = []
    where: list[int] = []
    comments = Comments()
    try:
        comments = read_comments(name, [(int(i) + 1, data[begin[i]:newline[i]])
                                        for i in np.flatnonzero(comment) if i], volumes, where)
    except FormatError as bad_comment:
        # an error before that line has priority
        error = bad_comment
        comment[bad_comment.args[1] - 1:] = True
    lines = np.flatnonzero(~comment)
    begin, newline = begin[lines], newline[lines]
    columns, devs, bad_record = read_columns(name, data, text, lines, begin, newline, volumes)
    if bad_record:
        error = bad_record
        lines = lines[lines + 1 < bad_record.args[1]]
    volume, (lba, blocks, offset, ino), fragmented, path = (
        columns.volume[:len(lines)], [column[:len(lines)] for column in columns.numbers],
        columns.fragmented[:len(lines)], columns.path[:len(lines)])

    faults = Faults(len(lines))
    defined = np.array(where + [0])[volume]
    faults.check((volume < 0) | (defined > lines + 1),
                 lambda i: f"volume {devs[i] if volume[i] < 0 else volumes[volume[i]].dev} is not known, expected "
                 f"a line before this one: {VOLUME_FORM}")
    if volumes:
        check_places(faults, volumes, volume, lba, blocks)
    # Files in the order of their first extents.
    key = volume.astype(np.uint64) << np.uint64(32) | ino.astype(np.uint64)
    _, first, file = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    first, file = first[order], np.argsort(order)[file]
    faults.check(fragmented != fragmented[first][file],
                 lambda i: f"inode {ino[i]} is {'contiguous fragmented'.split()[int(fragmented[i])]} here but "
                 f"was not on line {lines[first[file[i]]] + 1}, expected one state for all its extents")
    paths: list[str] = []
    for i in first[first < faults.first].tolist():
        paths.append(read_path(name, int(lines[i]) + 1, data[path[i]:newline[i]]))
    wrong = faults.found()
    if wrong is not None:
        raise FormatError(name, int(lines[faults.first]) + 1, wrong)
    if error:
        raise error
    logical = logical_order(name, volumes, volume, ino, file, offset, blocks)
    return Table(name, comments.time, volumes, volume[first], ino[first], fragmented[first], paths,
                 lba, blocks, offset, file, logical, comments.n_stale)


# === snapshot ===

# As in module/snapshot_format.h.
SNAP_MAGIC = b"FTsnap\r\n"
SNAP_VERSION = 2
SNAP_STALE, SNAP_FRAGMENTED = 1, 2
# Of a volume.
SNAP_STOPPED = 1
SNAP_NO_PATH = 2 ** 64 - 1
SNAP_ARRAY = np.dtype([("offset", "u8"), ("nr", "u8"), ("size", "u4"), ("pad", "u4")])
# Version 1 has no writers and no causes.
SNAP_ARRAYS = {1: ("volumes", "files", "extents", "by_lba", "paths"),
               2: ("volumes", "files", "extents", "by_lba", "paths", "writers")}
SNAP_HEADERS = {version: np.dtype([
    ("magic", "S8"), ("version", "u4"), ("size", "u4"), ("bytes", "u8"), ("time", "u8"),
    *((what, SNAP_ARRAY) for what in arrays)]) for version, arrays in SNAP_ARRAYS.items()}
SNAP_VOLUME = np.dtype([("path", "u8"), *((what, "u4") for what in (
    "major", "minor", "main_blkaddr", "blocks", "segment_blocks", "flags"))])
SNAP_FILE = np.dtype([*((what, "u8") for what in (
    "path", "first", "nr", "blocks", "written", "fragments", "distance", "requests", "ideal")),
    *((what, "u4") for what in ("volume", "ino", "flags", "pad"))])
SNAP_EXTENTS = {1: np.dtype([(what, "u4") for what in ("file", "lblk", "len", "lba", "flags")]),
                2: np.dtype([(what, "u4") for what in ("file", "lblk", "len", "lba", "flags", "cause")])}
SNAP_WRITER = np.dtype([*((what, "u8") for what in ("cgroup", "first", "last")), ("pid", "u4"), ("volume", "u4"),
                        ("comm", "S16"), ("same_as", "u4"), ("pad", "u4")])


@dataclass(frozen=True)
class Snapshot:
    """The arrays of a binary snapshot as they are stored; the fields are those of module/snapshot_format.h.

    In version 1 there are no writers, and extents have no cause.
    """

    name: str
    time: float
    volumes: np.ndarray
    files: np.ndarray
    extents: np.ndarray
    by_lba: np.ndarray
    paths: np.ndarray
    writers: np.ndarray

    def path(self, at: int) -> str:
        """The path that begins at an offset."""
        end = int(np.argmax(self.paths[at:] == 0)) + at
        return os.fsdecode(self.paths[at:end].tobytes())

    def no_path(self, at: np.ndarray) -> np.ndarray:
        """Which of these offsets are not the beginning of a path."""
        ends = np.flatnonzero(self.paths == 0)
        return at > (ends[-1] if len(ends) else -1)


def parse_header(name: str, data: bytes, version: int) -> np.void:
    """The header of a snapshot in its version."""
    form = SNAP_HEADERS[version]
    if len(data) < form.itemsize:
        raise SnapError(f"{name}: the snapshot is cut short, expected a header of {form.itemsize} bytes")
    return np.frombuffer(data, form, 1)[0]


def parse_snapshot(name: str, data: bytes) -> Snapshot:
    """The arrays of a binary snapshot; their content is not checked yet."""
    version = int(parse_header(name, data, 1)["version"])
    if version not in SNAP_HEADERS:
        raise SnapError(f"{name}: the snapshot has version {version}, this program reads versions 1 to "
                        f"{SNAP_VERSION}")
    header = parse_header(name, data, version)
    if header["bytes"] != len(data):
        raise SnapError(f"{name}: the snapshot is cut short, expected {header['bytes']} bytes, got {len(data)}")
    arrays = []
    forms = (SNAP_VOLUME, SNAP_FILE, SNAP_EXTENTS[version], np.dtype("u4"), np.dtype("u1"), SNAP_WRITER)
    for what, form in zip(SNAP_ARRAYS[version], forms):
        offset, number, size = (int(header[what][key]) for key in ("offset", "nr", "size"))
        called = "extents by LBA" if what == "by_lba" else what
        if size < form.itemsize:
            raise SnapError(f"{name}: records of {called} have {size} bytes, expected {form.itemsize} or more")
        if offset > len(data) or number > (len(data) - offset) // size:
            raise SnapError(f"{name}: the {called} lie outside the file")
        arrays.append(np.ndarray(number, form, data, offset, (size,)) if number else np.zeros(0, form))
    if header["paths"]["size"] != 1:
        raise SnapError(f"{name}: a path has characters of {header['paths']['size']} bytes, expected 1")
    if len(arrays[1]) >= MOST or len(arrays[3]) > len(arrays[2]):
        raise SnapError(f"{name}: too many files, or more extents by LBA than extents")
    if version == 1:
        arrays.append(np.zeros(0, SNAP_WRITER))
    return Snapshot(name, int(header["time"]) // 10 ** 6 / 1000, *arrays)


def snapshot_volumes(snap: Snapshot) -> list[Volume]:
    """The volumes of a snapshot."""
    found = snap.volumes
    faults = Faults(len(found))
    faults.check((found["main_blkaddr"] >= found["blocks"]) | (found["segment_blocks"] == 0),
                 lambda i: "volume {}:{} has blocks {} to {}, in segments of {}".format(*(
                     found[i][key] for key in ("major", "minor", "main_blkaddr", "blocks", "segment_blocks"))))
    faults.check(snap.no_path(found["path"]), lambda i: "a path lies outside the file")
    wrong = faults.found()
    if wrong is not None:
        raise SnapError(f"{snap.name}: {wrong}")
    return [Volume(f"{v['major']}:{v['minor']}", int(v["main_blkaddr"]), int(v["blocks"]),
                   int(v["segment_blocks"]), snap.path(int(v["path"])), bool(v["flags"] & SNAP_STOPPED))
            for v in found]


def snapshot_writers(snap: Snapshot) -> list[Writer]:
    """The writers of a snapshot."""
    found = snap.writers
    named = found["cgroup"] != np.uint64(SNAP_NO_PATH)
    faults = Faults(len(found))
    faults.check(named & snap.no_path(found["cgroup"]), lambda i: "a path lies outside the file")
    faults.check(found["same_as"] > np.arange(len(found)),
                 lambda i: f"writer {i} is said to be the same as {found['same_as'][i]}, which comes later")
    wrong = faults.found()
    if wrong is not None:
        raise SnapError(f"{snap.name}: {wrong}")
    return [Writer(os.fsdecode(bytes(w["comm"]).split(b"\0")[0]), int(w["pid"]), int(w["first"]), int(w["last"]),
                   snap.path(int(w["cgroup"])) if has_path else None, int(w["same_as"]) if i > 1 else i)
            for i, (w, has_path) in enumerate(zip(found, named))]


def cause_parts(causes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For each cause, the indices into OPS, FLUSHES, WHYS and the writers of the table."""
    return causes & 15, causes >> 4 & 3, causes >> 6 & 7, causes >> 9


def check_causes(faults: Faults, causes: np.ndarray, lba: np.ndarray, writers: int) -> None:
    """Check that each cause is one that the module can report, and that its writer exists."""
    op, _, why, writer = cause_parts(causes)
    faults.check((op >= len(OPS)) | (why >= len(WHYS)) | (writer >= writers),
                 lambda i: f"the extent at LBA {lba[i]} has the cause {int(causes[i]):#x}, which nothing can have")


def table_of_snapshot(snap: Snapshot) -> Table:
    """The written extents of a snapshot, by LBA, as in `table`."""
    volumes = snapshot_volumes(snap)
    writers = snapshot_writers(snap)
    index = snap.by_lba.astype(np.int64)
    faults = Faults(len(index))
    faults.check(index >= len(snap.extents), lambda i: f"there is no record {index[i]} among the extents")
    extents = snap.extents[np.where(index < len(snap.extents), index, 0)] if len(snap.extents) else snap.extents
    owner = extents["file"].astype(np.int64)
    faults.check(owner >= len(snap.files), lambda i: f"there is no record {owner[i]} among the files")
    files = snap.files[np.where(owner < len(snap.files), owner, 0)] if len(snap.files) else np.zeros(
        len(owner), SNAP_FILE)
    volume = files["volume"].astype(np.int64)
    faults.check(volume >= len(volumes), lambda i: f"inode {files['ino'][i]} is on a volume that is not there")
    faults.check(snap.no_path(files["path"]), lambda i: "a path lies outside the file")
    volume = np.minimum(volume, max(len(volumes) - 1, 0))
    highest = np.maximum.accumulate(volume)
    faults.check(volume < highest, lambda i: "the extents are not sorted by volume")
    lba, blocks, offset = (extents[key].astype(np.int64) for key in ("lba", "len", "lblk"))
    if volumes:
        first = np.array([v.main_blkaddr for v in volumes])[volume]
        limit = np.array([v.end for v in volumes])[volume]
        faults.check((blocks < 1) | (lba < first) | (lba + blocks > limit),
                     lambda i: f"an extent of {blocks[i]} blocks at LBA {lba[i]} is outside the volume, expected LBA "
                     f"{first[i]} to {limit[i] - 1}")
        overlap = np.zeros(len(lba), bool)
        overlap[1:] = (volume[1:] == volume[:-1]) & (lba[1:] < lba[:-1] + blocks[:-1])
        faults.check(overlap, lambda i: f"the extent at LBA {lba[i]} overlaps the one at {lba[i - 1]}, or is not sorted")
    causes = extents["cause"].astype(np.int64) if "cause" in (extents.dtype.names or ()) else None
    if causes is not None:
        check_causes(faults, causes, lba, len(writers))
    wrong = faults.found()
    if wrong is not None:
        raise SnapError(f"{snap.name}: {wrong}")
    _, begins, file = np.unique(owner, return_index=True, return_inverse=True)
    order = np.argsort(begins)
    begins, file = begins[order], np.argsort(order)[file]
    ino = files["ino"].astype(np.int64)
    logical = logical_order(snap.name, volumes, volume, ino, file, offset, blocks)
    return Table(snap.name, snap.time, volumes, volume[begins], ino[begins],
                 (files["flags"][begins] & SNAP_FRAGMENTED) != 0,
                 [snap.path(int(at)) for at in files["path"][begins]], lba, blocks, offset, file, logical,
                 int(np.count_nonzero(snap.files["flags"] & SNAP_STALE)), causes, writers)


def read_snapshot(path: str) -> Snapshot:
    """Read `snapshot`, plain or gzip, with all its content."""
    data = read_bytes(path)
    if not data.startswith(SNAP_MAGIC):
        raise SnapError(f"{path}: this is no binary snapshot of fragtrace")
    return parse_snapshot(path, data)


def read_table(path: str) -> Table:
    """Read `snapshot` or `table`, plain or gzip."""
    data = read_bytes(path)
    name = "<stdin>" if path == "-" else path
    if data.startswith(SNAP_MAGIC):
        return table_of_snapshot(parse_snapshot(name, data))
    return parse_table(name, data)


# === extents and files ===


def records(path: str, kind: str, forms: dict[int, str]) -> list[Fields]:
    """The lines of a text that are records, each split into the fields of its version."""
    data = read_bytes(path)
    form = whole_lines(path, data, kind, forms)
    lines = data[:-1].split(b"\n")
    return [Fields(path, number, raw, form) for number, raw in enumerate(lines, 1)
            if not raw.startswith(b"#")]


def read_extents(path: str) -> list[Extent]:
    """Read `extents`, plain or gzip."""
    result = []
    for fields in records(path, "extents", EXTENTS_FORMS):
        dev, ino, offset, offset_end = fields.dev(), fields.number(), fields.number(), fields.number()
        lba, lba_end, blocks = fields.optional(), fields.optional(), fields.number()
        if not blocks or offset_end - offset + 1 != blocks:
            raise fields.fail(f"blocks {offset} to {offset_end} are not {blocks}")
        if (lba is None) != (lba_end is None):
            raise fields.fail("only one of lba and lba_end is -")
        if lba is not None and lba_end is not None and lba_end - lba + 1 != blocks:
            raise fields.fail(f"addresses {lba} to {lba_end} are not {blocks}")
        flags = fields.word().decode("utf-8", "replace")
        cause = fields.cause()
        result.append(Extent(dev, ino, offset, lba, blocks,
                             () if flags == "-" else tuple(flags.split(",")), fields.path(), cause))
    return result


def read_files(path: str) -> list[File]:
    """Read `files`, plain or gzip."""
    result = []
    for fields in records(path, "files", FILES_FORMS):
        figures = (fields.dev(), fields.number(), fields.one_of(b"exact", b"stale") == b"exact",
                   fields.number(), fields.number(), fields.number(), fields.tenths(), fields.tenths(),
                   fields.number(), fields.number())
        cause = fields.cause()
        result.append(File(*figures, fields.path(), cause))
    return result
