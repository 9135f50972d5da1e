# SPDX-License-Identifier: GPL-2.0-only
"""The texts `extents` and `files` of debugfs."""

from __future__ import annotations

import re
from typing import Optional

from .model import FLUSHES, OPS, WHYS, Cause, Extent, File
from .texts import FormatError, read_bytes, read_path, shown, whole_lines

# In extents and files.
LIMIT = 1 << 48
CAUSE_FORM = "op flush why_here"
EXTENTS_FORM = "dev ino offset offset_end lba lba_end length flags"
FILES_FORM = "dev ino map blocks extents fragments mean_fragment mean_distance requests_128k ideal_128k"
# By version.
EXTENTS_FORMS = {1: f"{EXTENTS_FORM} path", 2: f"{EXTENTS_FORM} {CAUSE_FORM} process path"}
FILES_FORMS = {1: f"{FILES_FORM} path", 2: f"{FILES_FORM} {CAUSE_FORM} path"}

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
