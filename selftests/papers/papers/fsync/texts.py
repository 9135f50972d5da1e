# SPDX-License-Identifier: GPL-2.0-only
"""The texts of an experiment: the lines of `fileop varmail`, and the module's file fsync."""

from __future__ import annotations

from ..facts import FactError
from ..model import Data

# the fields of a line, before its buckets
FIELDS = ("ms", "rounds", "ops", "creates", "fsyncs", "fsync_ns")


def buckets(words: list[str]) -> dict[str, int]:
    """LEAST:NUMBER words."""
    return {least: int(number) for least, _, number in (word.partition(":") for word in words)}


def parse_lines(text: str) -> list[Data]:
    """The lines of `fileop varmail`: sums since the begin."""
    lines: list[Data] = []
    for line in text.splitlines():
        words = line.split()
        try:
            one: Data = dict(zip(FIELDS, map(int, words[: len(FIELDS)]), strict=True))
            lines.append({**one, "buckets": buckets(words[len(FIELDS) :])})
        except ValueError as error:
            raise FactError(f"not a line of fileop varmail: '{line}'") from error
    if len(lines) < 3:
        raise FactError(f"fileop varmail has left {len(lines)} lines")
    return lines


def parse_fsync(text: str) -> Data:
    """The rows of the only volume by name: count, sum and buckets. A row that is not known is left out."""
    rows: Data = {}
    head, *rest = text.splitlines() or [""]
    if head != "# fragtrace fsync 1":
        raise FactError(f"not the file fsync: '{head}'")
    unknown = [line for line in rest if line.startswith("# not known: ")]
    if unknown:
        raise FactError(unknown[0][2:])
    for line in rest:
        if line.startswith("#"):
            continue
        _, name, count, total, *more = line.split()
        if name in rows:
            raise FactError(f"two volumes, or two rows {name}")
        rows[name] = {"count": int(count), "sum": 0 if total == "-" else int(total), "buckets": buckets(more)}
    if "fsync" not in rows:
        raise FactError("the file fsync has no volume")
    return rows
