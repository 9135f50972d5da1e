# SPDX-License-Identifier: GPL-2.0-only
"""The texts that a guest leaves: facts (`name value` lines), and the figures of YCSB."""

from __future__ import annotations

import re

from .model import Data


class FactError(ValueError):
    """A text that is not what it should be."""


def number(text: str) -> int | float | str:
    """A value as a number, if it is one."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def parse_facts(text: str) -> Data:
    """The facts of a text; a value may have spaces. The head of a text of the module is left out."""
    facts: Data = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, _, value = line.partition(" ")
        if not name.isidentifier():
            raise FactError(f"not a fact: '{line}'")
        facts[name] = number(value)
    return facts


def parse_ycsb(text: str) -> Data:
    """The figures of a run of YCSB, if each of its operations has succeeded."""
    found: dict[tuple[str, str], float] = {}
    for match in re.finditer(r"^\[([A-Z-]+)\], ([^,]+), ([0-9.eE+-]+)$", text, re.MULTILINE):
        found[match[1], match[2]] = float(match[3])
    if ("OVERALL", "Throughput(ops/sec)") not in found:
        raise FactError("YCSB has left no figures")
    for what in ("READ", "UPDATE", "INSERT"):
        tried, good = found.get((what, "Operations")), found.get((what, "Return=OK"), 0.0)
        if tried and tried != good:
            raise FactError(f"YCSB: {tried - good:.0f} of {tried:.0f} operations {what} have failed")
    return {
        "throughput": found["OVERALL", "Throughput(ops/sec)"],
        "seconds": found["OVERALL", "RunTime(ms)"] / 1000,
        "reads": int(found.get(("READ", "Operations"), 0)),
        "updates": int(found.get(("UPDATE", "Operations"), 0)),
    }


def parse_compared(text: str) -> Data:
    """How many files and blocks fiemap-check has found to agree."""
    match = re.search(r"^#? ?compared files=(\d+) blocks=(\d+)", text, re.MULTILINE)
    if not match:
        raise FactError("fiemap-check has compared nothing")
    return {"files": int(match[1]), "blocks": int(match[2])}
