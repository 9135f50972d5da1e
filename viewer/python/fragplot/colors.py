# SPDX-License-Identifier: GPL-2.0-only
"""The groups of files, by extension or path, and their colours: color.cnf, as in fragtrace.

    WHAT CONTIGUOUS FRAG_A FRAG_B
    .sst green light-orange dark-orange

The grammar is that of conf.c and color_kind.c. tests/test_parity.py gives the same files to both: both refuse the
same files with the same messages.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections import Counter
from dataclasses import dataclass
from typing import Optional

import numpy as np

from fragsnap import DELETED, FormatError, SnapError, Table, extension

LIBC = ctypes.CDLL(None)

RULE_FORM = "WHAT CONTIGUOUS FRAG_A FRAG_B"
DEFAULT = "default"
OTHER = "other"
MAX_RULES = 61
MAX_WORDS = 8
BLANKS = " \t\r"

# Flags of fnmatch(3). The module fnmatch of Python has other rules.
FNM_PATHNAME = 1

# The same as in color_kind.c. The palette and the tones below are the same, too.
NAMED = {
    "white": 0xffffff, "black": 0x000000,
    "gray": 0x949494, "light-gray": 0xc9c9c9, "dark-gray": 0x5c5c5c,
    "red": 0xc8382e, "light-red": 0xf29b92, "dark-red": 0x7d1a14,
    "orange": 0xe8871e, "light-orange": 0xffbe5c, "dark-orange": 0xb84a00,
    "yellow": 0xf0e442, "light-yellow": 0xfaf3a5, "dark-yellow": 0xa89a00,
    "green": 0x3fa34d, "light-green": 0xa6dba0, "dark-green": 0x14602a,
    "teal": 0x1f9e96, "light-teal": 0x6fd6cc, "dark-teal": 0x0b5e5a,
    "blue": 0x3a76d6, "light-blue": 0xa9ccf5, "dark-blue": 0x17408c,
    "purple": 0x8f4fbf, "light-purple": 0xcda4e8, "dark-purple": 0x5e2390,
    "brown": 0x96643a, "light-brown": 0xcfa77c, "dark-brown": 0x5e3717,
}

# More typing errors than one in so many letters make another word.
LETTERS_PER_ERROR = 3

# Colours that are distinguishable with colour blindness: pale is contiguous, strong and dark are fragmented.
# The three also differ by lightness alone.
PALETTE = (
    (0x98f7c6, 0x0d9a58, 0x003423),
    (0x9ac5fd, 0x5e9ee9, 0x045b81),
    (0xdbbf73, 0xe58407, 0x6d5339),
    (0xfbd4fa, 0xfc23ba, 0x511e4b),
    (0xffad98, 0xc55314, 0x762e00),
)
DEFAULT_TONES = (0xc1c1c1, 0x858585, 0x585858)
# The hash of an extension that chooses its colours, as in color_kind.c.
HASH_BEGIN = 310282
HASH_PRIME = 16777619

# The minimum contrast of a line on white (the contrast ratio of WCAG).
LEAST_CONTRAST = 2.2
# The share of the colour of a line that an area below it has.
AREA_INK = 0.28


def luminance(rgb: int) -> float:
    """The perceived lightness of a colour, 0 to 1."""
    linear = [(part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4)
              for part in (rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@dataclass(frozen=True)
class Group:
    """Files that share colours: name as in a legend; tones 0xrrggbb: contiguous, fragmented a and b."""

    name: str
    tones: tuple[int, int, int]

    @property
    def strong(self) -> str:
        """The colour of lines: the first tone that is visible on white."""
        visible = [tone for tone in (self.tones[1], self.tones[2], self.tones[0])
                   if 1.05 / (luminance(tone) + 0.05) >= LEAST_CONTRAST]
        return f"#{(visible or [self.tones[2]])[0]:06x}"

    @property
    def pale(self) -> str:
        """The colour of areas below such lines: the same colour, mixed with white."""
        parts = (int(self.strong[i:i + 2], 16) for i in (1, 3, 5))
        return "#" + "".join(f"{255 - round(AREA_INK * (255 - part)):02x}" for part in parts)


def is_glob(what: str) -> bool:
    """Is this a glob and not an extension?"""
    return any(char in what for char in "*?[/")


def path_matches(path: str, glob: str) -> bool:
    """Does a glob match a path? With a leading slash it is compared with the whole path, otherwise with as
    many of the last components as it has itself; no wildcard matches a slash."""
    tail = path if glob.startswith("/") else "/".join(path.split("/")[-1 - glob.count("/"):])
    return glob == tail or LIBC.fnmatch(os.fsencode(glob), os.fsencode(tail), FNM_PATHNAME) == 0


class Groups:
    """All groups of a picture; the last one is for files that match no other group."""

    def __init__(self, rules: dict[str, tuple[int, int, int]], rest: str) -> None:
        fallback = rules.pop(DEFAULT, DEFAULT_TONES)
        self.groups = [Group(name, tones) for name, tones in rules.items()] + [Group(rest, fallback)]
        self.places = {name: i for i, name in enumerate(rules)}
        self.globs = [(i, name) for name, i in self.places.items() if is_glob(name)]

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, i: int) -> Group:
        return self.groups[i]

    def of_path(self, path: str) -> int:
        """The group of a file: the last rule that matches."""
        found = self.places.get(extension(path), -1)
        for i, glob in self.globs:
            if i > found and path_matches(path.removesuffix(DELETED), glob):
                found = i
        return found if found >= 0 else len(self.groups) - 1

    def of_files(self, table: Table) -> np.ndarray:
        """The group of each file of a table."""
        return np.array([self.of_path(path) for path in table.paths], np.int64)


# === Colours given by the user ===


def preset_path(arg: str) -> str:
    """The path of an argument: without a slash it may be the name of a preset."""
    if "/" in arg:
        return arg
    modules = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    # in a build, presets are beside the modules; if installed, one folder above
    for folder in (os.path.join(os.path.dirname(modules), "presets"), os.path.dirname(modules)):
        path = os.path.join(folder, f"{arg}.color.cnf")
        if os.access(path, os.R_OK):
            return path
    return arg


def edit_distance(one: bytes, other: bytes) -> int:
    """The edit distance of two words in bytes; only the first 31 count."""
    one, other = one[:31], other[:31]
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        above, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(above[j - 1] + (a != b), above[j] + 1, row[-1] + 1))
    return row[-1]


def parse_color(path: str, line: int, word: str) -> int:
    """A colour by its name or as #rrggbb."""
    if word.startswith("#"):
        if not re.fullmatch("#[0-9a-fA-F]{6}", word):
            raise FormatError(path, line, f'colour "{word}" is not #rrggbb; expected # and six digits 0-9 a-f')
        return int(word[1:], 16)
    if word not in NAMED:
        distance, near = min(((edit_distance(os.fsencode(word), name.encode()), name) for name in NAMED),
                             key=lambda found: found[0])
        if distance == 1 or distance <= min(len(os.fsencode(word)), 31) // LETTERS_PER_ERROR:
            raise FormatError(path, line, f'unknown colour "{word}", did you mean {near}? Expected a name or #rrggbb')
        raise FormatError(path, line, f'unknown colour "{word}"; expected #rrggbb or a name that fragtrace(1) lists')
    return NAMED[word]


def read_text(path: str) -> str:
    """The text of a color.cnf file; invalid UTF-8 becomes surrogates."""
    try:
        with open(path, "rb") as stream:
            raw = stream.read()
    except IsADirectoryError as error:
        raise SnapError(f"{path}: {error.strerror}") from error
    except OSError as error:
        raise SnapError(f"{path}: {error.strerror}; expected a color.cnf file or a preset: rocksdb, redis or "
                        "voltdb") from error
    if b"\0" in raw:
        raise SnapError(f"{path}: a NUL byte in the file; expected text")
    return os.fsdecode(raw)


def words_of(path: str, number: int, line: str) -> list[str]:
    """The words of a line. A # begins a comment as the first word or before a blank; elsewhere #rrggbb is a colour."""
    words: list[str] = []
    for found in re.finditer(f"[^{BLANKS}]+", line):
        word = found[0]
        if word == "#" or word.startswith("#") and not words:
            break
        if len(words) == MAX_WORDS:
            last = os.fsdecode(os.fsencode(line[found.start():])[:24])
            raise FormatError(path, number, f'more than {MAX_WORDS} words in the line, the last is "{last}"')
        words.append(word)
    return words


def check_what(path: str, number: int, what: str) -> None:
    """Is this valid as the first word of a rule?"""
    if what != DEFAULT and not is_glob(what) and not re.fullmatch(r"\.[^.]+", what):
        raise FormatError(path, number, f'"{what}" is no extension and no glob, did you mean '
                          f'{"*" if "." in what else "."}{what}? Expected one like .sst, one like log/*, or default')


def read_rules(args: list[str]) -> dict[str, tuple[int, int, int]]:
    """The rules of color.cnf files; the last matching rule wins."""
    rules: dict[str, tuple[int, int, int]] = {}
    for arg in args:
        path = preset_path(arg)
        seen: set[str] = set()
        for number, line in enumerate(read_text(path).split("\n"), 1):
            words = words_of(path, number, line)
            if not words:
                continue
            what = words[0]
            check_what(path, number, what)
            if len(words) != 4:
                raise FormatError(path, number, f"{len(words) - 1} colours; expected three: {RULE_FORM}")
            if what in seen:
                raise FormatError(path, number, f"a second rule for {what}")
            if what not in rules and what != DEFAULT and len(rules.keys() - {DEFAULT}) == MAX_RULES:
                raise FormatError(path, number, f"more than {MAX_RULES} rules")
            seen.add(what)
            first, second, third = (parse_color(path, number, word) for word in words[1:])
            # the last rule wins: a repeated rule moves to the end
            rules.pop(what, None)
            rules[what] = (first, second, third)
    return rules


# === Colours by size ===


def blocks_by_extension(table: Table) -> Counter[str]:
    """The number of blocks of each extension. A number (LOG.old.1699) is not a kind of file."""
    blocks = np.zeros(len(table.paths), np.int64)
    np.add.at(blocks, table.file, table.blocks)
    result: Counter[str] = Counter()
    for path, count in zip(table.paths, blocks.tolist()):
        ext = extension(path)
        if ext and not ext[1:].isdigit():
            result[ext] += count
    return result


def place_of(ext: str) -> int:
    """Which colours of the palette an extension has: the same in every picture."""
    value = HASH_BEGIN
    for byte in os.fsencode(ext):
        value = (value ^ byte) * HASH_PRIME & 0xffffffff
    return (value >> 16) % len(PALETTE)


def groups_for(args: Optional[list[str]], blocks: Counter[str], top: int) -> Groups:
    """The groups of the color.cnf files; without such files, the extensions with the most blocks, except
    those whose colours another one has."""
    if args:
        return Groups(read_rules(args), OTHER)
    places: dict[int, str] = {}
    for ext in sorted(blocks, key=lambda ext: (-blocks[ext], ext)):
        places.setdefault(place_of(ext), ext)
    return Groups({ext: PALETTE[place] for place, ext in list(places.items())[:top]}, OTHER)
