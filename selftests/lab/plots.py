# SPDX-License-Identifier: GPL-2.0-only
"""The pictures of the lab."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

from results import NAMES, SLIDES, as_found, gains, six  # noqa: E402

# Okabe and Ito's colours, which are distinguishable with colour blindness.
COLORS = {"request": "#0072B2", "distance": "#D55E00"}
TREATED = {"nothing": "#999999", "copy": "#E69F00", "ioctl": "#CC79A7", "fragpicker": "#56B4E9", "heat": "#009E73", "most": "#0072B2"}
MARKS = {"nothing": "x", "copy": "s", "ioctl": "D", "fragpicker": "^", "heat": "o", "most": "v"}


def kib(value: float) -> str:
    for unit, size in (("G", 1 << 20), ("M", 1 << 10)):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}K"


def speed(ax: Axes, rows: dict[str, list[dict[str, Any]]], key: str) -> None:
    """How fast a disk reads, as a part of its fastest."""
    for cost, all_of_cost in rows.items():
        some = as_found(all_of_cost)
        best = max(r["mb_per_s"] for r in some)
        ax.plot(range(len(some)), [r["mb_per_s"] / best for r in some], marker="o", color=COLORS[cost], label=f"a cost for each {cost}")
    ax.set_xticks(range(len(some)))
    ax.set_xticklabels([kib(r[key] // 1024) if r[key] else "0" for r in some], rotation=45)
    ax.set_ylim(0, 1.05)
    ax.set_ylabel("speed, fastest = 1")
    ax.grid(axis="y", alpha=0.3)


def correlation(ax: Axes, part: dict[str, Any]) -> None:
    """CC of our two disks beside those of the slides."""
    names = [*SLIDES, "ours: distance", "ours: request"]
    values = [*SLIDES.values(), six(part, "distance"), six(part, "request")]
    for i, (index, label, color) in enumerate(((0, "size, to 128 KiB", "#0072B2"), (1, "size, from 128 KiB", "#56B4E9"), (4, "distance", "#E69F00"))):
        ax.bar([x + 0.27 * (i - 1) for x in range(len(names))], [v[index] for v in values], 0.26, label=label, color=color)
    ax.set_xticks(range(len(names)))
    ax.set_xticklabels(names, rotation=30, ha="right")
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set_ylim(-1, 1.55)
    ax.legend(ncol=3, loc="upper center", fontsize=8)
    ax.set_title("Correlation with speed: slides, and ours")


def draw_motivation(part: dict[str, Any], path: Path) -> None:
    figure, axes = pyplot.subplots(1, 3, figsize=(15, 4.6))
    speed(axes[0], part["size"], "size")
    axes[0].axvline(5, color="black", linestyle="--", linewidth=1)
    axes[0].text(4.9, 0.35, "a read of 128 KiB", rotation=90, ha="right", fontsize=8)
    axes[0].set_xlabel("size of a piece; 1 MiB between pieces")
    axes[0].set_title("Smaller pieces")
    speed(axes[1], part["distance"], "distance")
    axes[1].set_xlabel("distance between pieces of 4 KiB")
    axes[1].set_title("Pieces farther apart")
    axes[1].legend(fontsize=8)
    correlation(axes[2], part)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def draw_gain(parts: dict[str, Any], path: Path) -> None:
    """For each workload: what was written, and by how much requests became fewer."""
    cases = [(name, found) for part in ("synthetic", "databases") for name, found in parts.get(part, {"cases": {}})["cases"].items()]
    columns = 4
    lines = -(-len(cases) // columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(15, 3.9 * lines), squeeze=False)
    for ax in axes.flat[len(cases):]:
        ax.axis("off")
    for ax, (name, found) in zip(axes.flat, cases):
        for treatment, one in found.items():
            fewer, _ = gains(found["nothing"], one)
            ax.plot(one["written"] / (1 << 20), fewer, MARKS[treatment], color=TREATED[treatment], markersize=10, alpha=0.85, label=NAMES[treatment])
        ax.set_title(name)
        ax.set_xlabel("MiB written by the treatment")
        ax.set_ylabel("requests fewer, %")
        ax.grid(alpha=0.3)
        ax.margins(0.12)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower right", fontsize=11, bbox_to_anchor=(0.97, 0.12))
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def draw(parts: dict[str, Any], folder: Path) -> None:
    if "motivation" in parts:
        draw_motivation(parts["motivation"], folder / "motivation.png")
    if "synthetic" in parts or "databases" in parts:
        draw_gain(parts, folder / "gain.png")
