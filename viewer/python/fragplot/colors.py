# SPDX-License-Identifier: GPL-2.0-only
"""The groups of files of a picture, and their colours: the kinds that fragtrace knows, or the largest of them."""

from __future__ import annotations

from typing import Iterable

import numpy as np

from fragsnap import OTHER, Kind, Table

from . import style

# Extensions that get colours: there are no more of them that can be told apart.
MOST = 5

# The minimum contrast of a line on the paper.
LEAST_CONTRAST = 2.2
# Percent of ink in the colour of blocks that are not near a break, as in color.c.
PALE_INK = 25
# The share of the colour of a line that an area below it has.
AREA_INK = 0.28


def luminance(rgb: int) -> float:
    """The perceived lightness of a colour, 0 to 1."""
    linear = [(part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4)
              for part in (rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: int, b: int) -> float:
    """The contrast ratio of WCAG."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def strong(kind: Kind) -> str:
    """The colour of lines: the first tone that is visible on the paper."""
    paper = int(style.PAPER[1:], 16)
    seen = [tone for tone in (kind.tones[1], kind.tones[2], kind.tones[0]) if contrast(tone, paper) >= LEAST_CONTRAST]
    return f"#{(seen or [kind.tones[2]])[0]:06x}"


def pale(kind: Kind) -> str:
    """The colour of areas below such lines: the same colour, mixed with that of the paper."""
    parts = ((int(style.PAPER[i:i + 2], 16), int(strong(kind)[i:i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{paper - round(AREA_INK * (paper - part)):02x}" for paper, part in parts)


def rest_of(contiguous: int, one: int, other: int) -> int:
    """The pale colour of blocks of fragmented files that are not near a break, as in color.c; a kind of one colour stays one."""
    if contiguous == one == other:
        return one
    means = (((one >> shift & 0xff) + (other >> shift & 0xff)) // 2 for shift in (16, 8, 0))
    red, green, blue = (0xff - (0xff - mean) * PALE_INK // 100 for mean in means)
    return red << 16 | green << 8 | blue


def themed(kind: Kind) -> Kind:
    """The kind with the colours that it is drawn in; the fourth one is that of rest_of()."""
    contiguous, one, other = kind.tones
    return Kind(kind.name, (style.dimmed(contiguous), style.themed(one), style.themed(other), style.dimmed(rest_of(*kind.tones))))


class Groups:
    """All groups of a picture; the last one is for files that are in no other group."""

    def __init__(self, kinds: list[Kind], rest: Kind) -> None:
        self.groups = [themed(kind) for kind in (*kinds, rest)]
        self.places = {kind.name: i for i, kind in enumerate(self.groups)}

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, i: int) -> Kind:
        return self.groups[i]

    def of_files(self, table: Table) -> np.ndarray:
        """The group of each file of a table."""
        return np.array([self.places.get(kind.name, len(self) - 1) for kind in table.kinds], np.int64)[table.file_kind]


def blocks_by_kind(table: Table) -> dict[Kind, int]:
    """The number of blocks of each kind, in the order of the kinds."""
    blocks = np.bincount(table.file_kind[table.file], table.blocks, len(table.kinds))
    return dict(zip(table.kinds, blocks.astype(np.int64).tolist()))


def most_blocks(all_blocks: Iterable[dict[Kind, int]]) -> dict[Kind, int]:
    """The maximum number of blocks of each kind."""
    result: dict[Kind, int] = {}
    for blocks in all_blocks:
        for kind, count in blocks.items():
            result[kind] = max(result.get(kind, 0), count)
    return result


def groups_for(blocks: dict[Kind, int], top: int, by_rules: bool) -> Groups:
    """The groups of kinds by their blocks: those of rules, or the extensions with the most blocks, except those whose colours
    another one has."""
    rest = next(kind for kind in blocks if kind.name == OTHER)
    kinds = [kind for kind in blocks if kind.name != OTHER]
    if by_rules:
        return Groups(kinds, rest)
    of_tones: dict[tuple[int, ...], Kind] = {}
    for kind in sorted(kinds, key=lambda kind: (-blocks[kind], kind.name)):
        of_tones.setdefault(kind.tones, kind)
    return Groups(list(of_tones.values())[:top], rest)
