# SPDX-License-Identifier: GPL-2.0-only
"""The picture of an experiment: a column for each device, all over the guest's time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..model import Data
from .figures import PHASES, Span, spans

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which are distinguishable with colour blindness.
COLOURS = {"ext4": "#0072B2", "bare": "#D55E00", "f2fs": "#E69F00"}
LABELS = {"ext4": "ext4", "bare": "F2FS", "f2fs": "F2FS with fragtrace"}
OF_PHASES = {"data": "#56B4E9", "node": "#E69F00", "checkpoint": "#CC79A7", "flush": "#009E73", "other": "#999999"}


def middles(found: list[Span]) -> list[float]:
    """The middle of each span, in seconds since the begin."""
    at, places = 0.0, []
    for span in found:
        places.append(at + span.seconds / 2)
        at += span.seconds
    return places


def from_zero(ax: Axes) -> None:
    """Let the axis begin at zero, and leave room above the highest value."""
    ax.set_ylim(0, 1.1 * ax.dataLim.ymax or 1)


def rates(ax: Axes, of_system: dict[str, list[Span]]) -> None:
    """Operations a second of each file system."""
    for system, found in of_system.items():
        ax.plot(middles(found), [span.rate for span in found], color=COLOURS[system], label=LABELS[system])
    ax.set_ylabel("operations a second")
    from_zero(ax)
    ax.legend(loc="lower left", fontsize=8)


def latencies(ax: Axes, of_system: dict[str, list[Span]]) -> None:
    """The mean time of an fsync, as the program sees it."""
    for system, found in of_system.items():
        ax.plot(middles(found), [span.fsync_us for span in found], color=COLOURS[system])
    ax.set_ylabel("µs of an fsync")
    from_zero(ax)


def phases(ax: Axes, found: list[Span]) -> None:
    """Where the time of fsyncs goes; the searches, which are within the phases, as a line."""
    ax.stackplot(
        middles(found),
        [[100 * span.phase(name) for span in found] for name in PHASES],
        labels=PHASES,
        colors=[OF_PHASES[name] for name in PHASES],
    )
    ax.plot(middles(found), [100 * span.phase("search") for span in found], color="black", label="searches")
    ax.set_ylabel("% of the time of fsyncs")
    ax.set_ylim(0, 100)
    ax.legend(loc="upper left", ncols=3, fontsize=8)


def node_ids(ax: Axes, found: list[Span]) -> None:
    """What the allocation of node IDs adds to a round; and how many have been taken so far."""
    ax.plot(middles(found), [span.per_round_us("alloc_nid") for span in found], color="#D55E00", label="allocations")
    ax.plot(middles(found), [span.per_round_us("all_searches") for span in found], color="black", label="searches")
    ax.set_ylabel("µs of each round for node IDs")
    from_zero(ax)
    ax.legend(loc="upper left", fontsize=8)
    taken, sums = 0, []
    for span in found:
        taken += span.counts["alloc_nid"]
        sums.append(taken)
    other = ax.twinx()
    other.plot(middles(found), sums, color="#999999", linestyle="--")
    other.set_ylabel("node IDs taken so far (dashed)", color="#666666")
    from_zero(other)


def draw(cases: Data, kernel: str, path: Path) -> None:
    """Draw all cases of an experiment, on this kernel, into a file."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    devices = list(dict.fromkeys(name.partition("-")[2] for name in cases))
    figure, axes = pyplot.subplots(4, len(devices), figsize=(6.4 * len(devices), 13), squeeze=False, sharex="col")
    for column, device in enumerate(devices):
        of_system = {
            system: spans(cases[f"{system}-{device}"]) for system in COLOURS if f"{system}-{device}" in cases
        }
        axes[0][column].set_title(f"a device with {device} flushes")
        rates(axes[0][column], of_system)
        latencies(axes[1][column], of_system)
        phases(axes[2][column], of_system["f2fs"])
        node_ids(axes[3][column], of_system["f2fs"])
        axes[3][column].set_xlabel("seconds of the guest's time")
    figure.suptitle(f"varmail with 16 threads on Linux {kernel}")
    figure.tight_layout()
    figure.savefig(path, dpi=90)
    pyplot.close(figure)
