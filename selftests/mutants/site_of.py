# SPDX-License-Identifier: GPL-2.0-only
"""A place where the source can be mutated, and what stands there then."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass
class Site:
    """One mutation. `build`: it cannot be switched by its number; `number` is given to those that are chosen."""

    path: str
    line: int
    end_line: int
    start: int
    end: int
    kind: str
    after: str
    function: str
    build: bool
    removed: str
    added: str
    number: int = 0

    @classmethod
    def of(cls, path: str, source: bytes, start: int, end: int, kind: str, after: bytes, function: str, build: bool) -> Site:
        """A mutation of the bytes from start to end."""
        begin = source.rfind(b"\n", 0, start) + 1
        stop = source.find(b"\n", end)
        stop = len(source) if stop < 0 else stop
        kept = source[start:end] if kind == "early return" else b""
        added = source[begin:start] + after + (b" " if kept else b"") + kept + source[end:stop]
        line = source.count(b"\n", 0, start) + 1
        return cls(path, line, line + source.count(b"\n", start, end), start, end, kind, after.decode(), function, build,
                   squeezed(source[begin:stop]), squeezed(added))

    def key(self) -> str:
        """What names it in the list of equivalents: its content, not its line."""
        return f"{self.path}: {self.function}: {self.removed} => {self.added}"

    def diff(self) -> str:
        """As a reader wants it."""
        return f"{self.path}:{self.line} {self.function}(): {self.kind}\n\t- {self.removed}\n\t+ {self.added}"


def squeezed(text: bytes) -> str:
    """On one line."""
    return re.sub(r"\s+", " ", text.decode("utf-8", "replace")).strip()
