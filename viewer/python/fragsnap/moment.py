# SPDX-License-Identifier: GPL-2.0-only
"""A point in time of a recording, as --at has it; input/moment.c accepts the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Optional

SPAN = re.compile(r"(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9})(\.\d+)?s?)?", re.ASCII)
DATE = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:\d\d)?", re.ASCII)
NS = 10 ** 9


@dataclass(frozen=True)
class Moment:
    """A point in time: nanoseconds after the beginning of the recording, or since 1970; None is the end."""

    ns: Optional[int]
    is_relative: bool = True


END = Moment(None)


def fraction_ns(text: Optional[str]) -> int:
    """".5" as nanoseconds; digits after the ninth do not count."""
    return int((text or ".0")[1:10].ljust(9, "0"))


def parse_date(text: str) -> Moment:
    """A date and a time, in local time without a zone."""
    found = DATE.fullmatch(text)
    if not found:
        raise ValueError(text)
    day, clock, seconds, fraction, zone = found.groups()
    when = datetime.fromisoformat(f"{day}T{clock}:{seconds or '00'}{'+00:00' if zone == 'Z' else zone or ''}")
    since = when.astimezone(timezone.utc) - datetime(1970, 1, 1, tzinfo=timezone.utc)
    if since < timedelta(0):
        raise ValueError(text)
    return Moment((since.days * 86400 + since.seconds) * NS + fraction_ns(fraction), False)


def parse_moment(text: str) -> Moment:
    """start, end, 90, 60s, 1.5s, 5m, 1h30m, or a date and a time; ValueError for anything else."""
    if text in ("start", "end"):
        return END if text == "end" else Moment(0)
    found = SPAN.fullmatch(text)
    if not text or not found:
        return parse_date(text)
    hours, minutes, seconds, fraction = found.groups()
    return Moment((int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)) * NS + fraction_ns(fraction))


def moment_text(ns: int) -> str:
    """A point in time as parse_moment() accepts it: local time, rounded down to a microsecond."""
    when = datetime.fromtimestamp(ns // NS, timezone.utc).astimezone()
    zone = when.strftime("%z")
    return f"{when.strftime('%Y-%m-%dT%H:%M:%S')}.{ns % NS // 1000:06}{zone[:3]}:{zone[3:5]}"
