# SPDX-License-Identifier: GPL-2.0-only
"""The picture `space`: F2FS's free space at one moment, or over time. All numbers are those of fragtrace table --json."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from fragsnap import BLOCK_BYTES, PROGRAM, SnapError, ask, bytes_text, read_moments

from . import style
from .moments import clock, span

# A colour has one meaning in a figure.
FREE, FREE_LINE = "#e9e9e9", "#7d7d7d"
# The kinds of blocks: their names, and colours that can be told apart without colour vision, from dark to light.
USES = (("watched files", "#1b5e9c"), ("other data", "#c9a227"), ("nodes", "#8a7a6a"), ("free", FREE))
# The same of segments. Segments of logs have free room, but for one log each.
SEGMENTS = (("full", "full_segments", "#4b2a7a"), ("dirty", "dirty_segments", "#b07cc6"),
            ("written by a log", "log_segments", "#7fc4ad"), ("no valid blocks", "empty_segments", FREE))
# Blocks that are valid, whatever has them.
VALID = "#3f4a4f"
# What has to be known of F2FS.
NEEDED = ["watched_blocks", "longest_free_run", *(key for _, key, _ in SEGMENTS)]


@dataclass(frozen=True)
class State:
    """What F2FS knows of one volume: a member of "space" in the JSON of fragtrace, and when."""

    source: str
    time: float
    path: str
    blocks_of_segment: int
    block_bytes: int
    space: dict[str, Any]

    def uses(self) -> list[int]:
        """Blocks by kind, in the order of USES."""
        space = self.space
        others = space["data_blocks"] - space["watched_blocks"]
        return [space["watched_blocks"], others, space["node_blocks"], space["free_blocks"]]


# === Reading ===


def json_of(path: str, state: Optional[str]) -> bytes:
    """The JSON of fragtrace for a table and a folder with the state of F2FS."""
    return ask("table", "--json", "-t", path, *(("--f2fs-state", state) if state else ()))


def is_json(path: str) -> bool:
    """Whether a file is JSON, and no table."""
    try:
        with open(path, "rb") as stream:
            return stream.read(1) == b"{"
    except OSError as error:
        raise SnapError(f"{path}: {error.strerror}") from error


def read_json(path: str) -> bytes:
    """JSON from a file or from standard input."""
    if path == "-":
        return sys.stdin.buffer.read()
    with open(path, "rb") as stream:
        return stream.read()


def states_in(source: str, text: bytes) -> list[State]:
    """The state of each volume in the JSON of fragtrace."""
    try:
        document = json.loads(text)
        volumes = {volume["dev"]: volume for volume in document["volumes"]}
        return [State(source, document["time"], volumes[space["dev"]]["path"], volumes[space["dev"]]["segment_blocks"],
                      volumes[space["dev"]].get("block_bytes", BLOCK_BYTES), space) for space in document.get("space", [])]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SnapError(f"{source}: is not JSON of {PROGRAM} table --json") from error


def read_states(paths: list[str], state: Optional[str], volume: Optional[str]) -> list[State]:
    """The states of one volume, by time."""
    found: list[State] = []
    if len(paths) == 1 and os.path.isdir(paths[0]):
        paths = [one.snapshot for one in read_moments(paths[0])]
    for path in paths:
        plain = path == "-" or is_json(path)
        states = states_in(path, read_json(path) if plain else json_of(path, state))
        if not states:
            raise SnapError(f"{path}: has no state of F2FS; give --f2fs-state DIR, a folder with copies of F2FS's files, or JSON of "
                            f"{PROGRAM} table --json that was run with that, or on the machine itself")
        for one in states:
            if any(one.space[key] is None for key in NEEDED):
                raise SnapError(f"{path}: not enough is known of F2FS: {'; '.join(one.space['notes'])}")
        found += states
    names = sorted({state.path for state in found})
    if volume is not None:
        found = [state for state in found if volume in (state.path, state.space["dev"])]
    if not found or (volume is None and len(names) > 1):
        raise SnapError(f"the volumes are {', '.join(names)}: expected --volume with one of them")
    return sorted(found, key=lambda state: state.time)


# === Drawing ===


def number_bars(axes: Axes, values: list[int]) -> None:
    """Write numbers above bars at 0, 1, 2, ..."""
    room = axes.get_window_extent().width / axes.figure.dpi * 72 / max(len(values), 1) / 4.9
    for i, value in enumerate(values):
        if value:
            axes.text(i, value, style.count_text(value, room), ha="center", va="bottom", color=style.FAINT,
                      fontsize=min(7.5, 1.5 * room))
    axes.set_ylim(0, max(values, default=0) * 1.14 or 1)
    style.count_axis(axes.yaxis, 5)
    axes.grid(False, axis="x")


def draw_free_runs(axes: Axes, state: State) -> None:
    """The number of free runs, and the share of the free blocks in them, by powers of two."""
    runs = {entry["from"]: entry for entry in state.space["free_runs"]}
    bins = max(runs, default=1).bit_length()
    blocks = [runs.get(1 << i, {"blocks": 0})["blocks"] for i in range(bins)]
    number = [runs.get(1 << i, {"runs": 0})["runs"] for i in range(bins)]
    axes.bar(range(bins), number, 0.92, color=style.themed_text(FREE_LINE))
    number_bars(axes, number)
    axes.set_title("Free runs")
    axes.set_ylabel("runs")
    every = (bins + 6) // 7
    axes.set_xticks(range(0, bins, every), [bytes_text((1 << i) * state.block_bytes) for i in range(0, bins, every)])
    axes.set_xlabel("size of the run, from one power of two up to the next")
    share = axes.twinx()
    share.grid(False)
    share.plot(range(bins), np.cumsum(blocks) / max(sum(blocks), 1), color=style.REQUEST, marker="o", markersize=3,
               linewidth=1.3)
    share.set_ylim(0, 1.14)
    share.yaxis.set_major_formatter(PercentFormatter(1))
    share.set_ylabel("free blocks in runs up to this size", color=style.REQUEST)
    share.spines["right"].set_visible(True)


def draw_fill(axes: Axes, state: State) -> None:
    """Dirty segments by the number of valid blocks in them."""
    fill = state.space["dirty_fill"]
    number = [entry["segments"] for entry in fill]
    axes.bar(range(len(fill)), number, 0.92, color=style.themed_text(SEGMENTS[1][2]))
    number_bars(axes, number)
    axes.set_xticks(range(len(fill)), [f"{entry['from']}-{entry['to']}" for entry in fill], fontsize=8)
    axes.set_title("Dirty segments")
    axes.set_ylabel("segments")
    axes.set_xlabel(f"valid blocks, of {state.blocks_of_segment}")
    if not any(number):
        axes.text(0.5, 0.5, "no segment is dirty", transform=axes.transAxes, ha="center", color=style.FAINT)


def draw_shares(axes: Axes, state: State) -> None:
    """What blocks and segments are used for."""
    rows = [[(name, count, style.themed_text(rgb)) for (name, rgb), count in zip(USES, state.uses())],
            [(name, state.space[key], style.themed_text(rgb)) for name, key, rgb in SEGMENTS]]
    for row, parts in enumerate(rows):
        whole = sum(count for _, count, _ in parts)
        left = 0.0
        for i, (name, count, rgb) in enumerate(parts):
            axes.barh(-row, count / max(whole, 1), 0.3, left, color=rgb, edgecolor=style.FAINT, linewidth=0.5)
            left += count / max(whole, 1)
            axes.text(i / 4, -row - 0.30, f"{count:,}", fontsize=8, color=style.INK)
            axes.text(i / 4, -row - 0.42, f"■ {name}", fontsize=8, color=style.FAINT)
            axes.text(i / 4, -row - 0.42, "■", fontsize=8, color=rgb)
    axes.set_yticks([0, -1], ["blocks", "segments"])
    axes.set_ylim(-1.55, 0.3)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.set_title("Use")
    axes.grid(False, axis="y")


def draw_types(axes: Axes, state: State) -> None:
    """Segments by their type, and what SSR can fill there."""
    types = state.space["types"]
    y = -np.arange(len(types))
    valid = np.array([kind["valid_blocks"] for kind in types])
    room = np.array([kind["ssr_blocks"] for kind in types])
    axes.barh(y, valid, 0.7, color=style.themed_text(VALID), label="valid")
    axes.barh(y, room, 0.7, valid, color=style.themed_text(FREE), edgecolor=style.FAINT, linewidth=0.5, label="free, room for SSR")
    axes.set_yticks(y, [kind["type"].replace("_", " ") for kind in types])
    style.count_axis(axes.xaxis, 5)
    axes.set_xlabel("blocks")
    axes.set_title("Types of segments")
    axes.legend(loc="lower right", fontsize=8)
    axes.grid(False, axis="y")


def draw_uses_over_time(axes: Axes, states: list[State], time: np.ndarray) -> None:
    """The use of blocks from moment to moment."""
    parts = np.array([state.uses() for state in states]).T
    whole = np.maximum(parts.sum(axis=0), 1)
    axes.stackplot(time, parts / whole, colors=[style.themed_text(rgb) for _, rgb in USES], labels=[name for name, _ in USES],
                   edgecolor=style.FAINT, linewidth=0.3)
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_title("Use of blocks")
    axes.legend(loc="lower left", ncol=4, fontsize=8, frameon=True, handlelength=1, columnspacing=1)
    style.time_axis(axes, float(time[-1]))


def draw_segments_over_time(axes: Axes, states: list[State], time: np.ndarray) -> None:
    """Free and dirty segments, and the longest free run in segments."""
    space = [state.space for state in states]
    axes.plot(time, [one["empty_segments"] for one in space], color=style.themed_text(FREE_LINE), label="segments without valid blocks")
    axes.plot(time, [one["dirty_segments"] for one in space], color=style.themed_text(SEGMENTS[1][2]), linestyle=(0, (6, 2)),
              label="dirty segments")
    axes.plot(time, [state.space["longest_free_run"] / state.blocks_of_segment for state in states], color=style.INK,
              linestyle=(0, (1, 1.2)), label="longest free run")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("segments")
    axes.set_title("Segments")
    axes.legend(fontsize=8)
    style.time_axis(axes, float(time[-1]))


def make(states: list[State], title: Optional[str]) -> Figure:
    """The figure: the last moment above; below it the same moment by use and type, or the time up to it."""
    last, space = states[-1], states[-1].space
    figure = Figure(figsize=(12, 7.6))
    panels = figure.subplots(2, 2)
    figure.subplots_adjust(left=0.075, right=0.945, top=0.85, bottom=0.075, wspace=0.27, hspace=0.36)
    draw_free_runs(panels[0][0], last)
    draw_fill(panels[0][1], last)
    if len(states) > 1:
        time = np.array([state.time - states[0].time for state in states])
        draw_uses_over_time(panels[1][0], states, time)
        draw_segments_over_time(panels[1][1], states, time)
    else:
        draw_shares(panels[1][0], last)
        draw_types(panels[1][1], last)
    runs = sum(entry["runs"] for entry in space["free_runs"])
    length = space["longest_free_run"]
    over = f", the last of {len(states)} moments in {span(last.time - states[0].time)}" if len(states) > 1 else ""
    style.heading(figure, title or f"Free space of {style.short(last.path, 60)}", clock(last.time) + over +
                  f": {space['free_blocks']:,} blocks not valid ({bytes_text(space['free_blocks'] * last.block_bytes)}) in "
                  f"{style.plural(runs, 'run')}, the longest has {style.plural(length, 'block')} "
                  f"({bytes_text(length * last.block_bytes)})",
                  f"{style.plural(space['segments'], 'segment')}: {space['full_segments']:,} full, "
                  f"{space['dirty_segments']:,} dirty, {space['log_segments']:,} written by a log, "
                  f"{space['empty_segments']:,} without valid blocks"
                  + "".join(f"; {note}" for note in space["notes"][:1]))
    return figure
