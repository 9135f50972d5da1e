#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The results of the lab: one Markdown report, and two pictures.

In: a folder with PART.json. Out: the report on standard output, in report.md, or between the
markers of a README; motivation.png and gain.png in the same folder.
"""
from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Sequence

Part = dict[str, Any]
Six = tuple[float, float, float, float, float, float]

PARTS = ("motivation", "forecast", "synthetic", "databases")
BEGIN, END = "<!-- lab: begin (make lab, PARTS=readme) -->", "<!-- lab: end -->"
NAMES = {"nothing": "nothing", "copy": "whole-file rewrite", "ioctl": "F2FS_IOC_DEFRAGMENT on all", "fragpicker": "--like fragpicker",
         "heat": "fragtrace-defrag", "most": "fragtrace-defrag --min-gain 0"}
OURS = ("heat", "most")
BORDER = 128 * 1024
# CC before and after 128 KiB, NLRS before and after; CC and NLRS of the distance: FragPicker's slides.
SLIDES: dict[str, Six] = {
    "HDD": (0.9898939, 0.9219008, 0.1027717, 0.0204404, -0.5333534, -0.0345131),
    "MicroSD": (0.8889961, 0.7488593, 0.0380474, 0.0001394, 0.2562098, 0.0000272),
    "Flash SSD": (0.8437115, 0.7475056, 0.0027932, 0.0000129, 0.3109179, 0.0000581),
    "Optane SSD": (0.8883913, 0.4166667, 0.0096721, 0.0000022, -0.1539585, -0.0000091),
}
GOAL_FORECAST, GOAL_INTERFERENCE = 1.0, 2.0


def row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def ruler(texts: int, numbers: int) -> str:
    return row(*["---"] * texts, *["---:"] * numbers)


def mib(value: float) -> str:
    return f"{value / (1 << 20):.1f}"


# === (a) Motivation ===========================================================


def related(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """CC, and NLRS: the slope of y, which is normalized by its first value, for each unit of x."""
    y = [value / y[0] for value in y]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    both = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
    x2, y2 = sum((a - mean_x) ** 2 for a in x), sum((b - mean_y) ** 2 for b in y)
    return (both / (x2 * y2) ** 0.5 if x2 and y2 else 0.0), both / x2


def as_found(rows: list[Part]) -> list[Part]:
    """Those of the files whose pieces F2FS has put about as far apart as was asked for."""
    return [r for r in rows if 2 * r["distance_found"] >= r["distance"]]


def six(part: Part, cost: str) -> Six:
    """The figures of the slides, for a disk of ours; x in KiB."""
    figures = []
    size, distance = part["size"][cost], [r for r in as_found(part["distance"][cost]) if r["distance"]]
    for some in ([r for r in size if r["size"] <= BORDER], [r for r in size if r["size"] >= BORDER]):
        figures.append(related([r["size"] / 1024 for r in some], [r["mb_per_s"] for r in some]))
    figures.append(related([r["distance_found"] / 1024 for r in distance], [r["mb_per_s"] for r in distance]))
    (before, slope_before), (after, slope_after), (distances, slope) = figures
    return before, after, slope_before, slope_after, distances, slope


def motivation(part: Part) -> list[str]:
    lines = ["### A file in pieces", "", "Direct sequential reads of 128 KiB, as in FragPicker's Figure 4; the times are those of the models.", ""]
    for sweep, what in (("size", "size of a piece, KiB (1 MiB apart)"), ("distance", "distance between pieces of 4 KiB, KiB")):
        lines += [row(what, "requests for each MiB", "MB/s, a cost for each request", "MB/s, a cost for each distance"), ruler(0, 4)]
        for a, b in zip(as_found(part[sweep]["request"]), as_found(part[sweep]["distance"])):
            key = a["size"] if sweep == "size" else a["distance_found"]
            lines.append(row(f"{key // 1024}", f"{a['requests'] * (1 << 20) / a['bytes']:.0f}", f"{a['mb_per_s']:.1f}", f"{b['mb_per_s']:.2f}"))
        lines.append("")
    lines += [row("device", "CC, size to 128 KiB", "CC, size from 128 KiB", "NLRS to 128 KiB", "NLRS from 128 KiB", "CC, distance", "NLRS, distance"),
              ruler(1, 6)]
    ours = {"**ours, a cost for each distance**": six(part, "distance"), "**ours, a cost for each request**": six(part, "request")}
    for name, values in {**SLIDES, **ours}.items():
        lines.append(row(name, *(f"{value:.3f}" if i in (0, 1, 4) else f"{value:.7f}" for i, value in enumerate(values))))
    return [*lines, "", "![A file in pieces](motivation.png)", ""]


# === (b) Gain =================================================================


def gains(before: Part, after: Part) -> tuple[float, float]:
    """By how many percent requests became fewer, and the work faster."""
    return 100 * (1 - after["requests"] / before["requests"]), 100 * (before["work_ns"] / after["work_ns"] - 1)


def gain(part: Part) -> list[str]:
    lines: list[str] = []
    for name, found in part["cases"].items():
        before = found["nothing"]
        lines += [f"#### {name}", "", row("treatment", "MiB written", "extents", "requests", "fewer, %", "faster, %", "took, s",
                                          "a reader beside it slower, %", "saved: foreseen", "counted"), ruler(1, 9)]
        for treatment, one in found.items():
            fewer, faster = gains(before, one)
            saved = one["foreseen"]["saved"]
            lines.append(row(NAMES[treatment], mib(one["written"]), str(one["extents"]), str(one["requests"]), f"{fewer:.1f}", f"{faster:.1f}",
                             f"{one['ns'] / 1e9:.2f}", f"{one['interference']:.1f}" if "interference" in one else "",
                             f"{saved:.0f}" if saved else "", str(before["requests"] - one["requests"])))
        lines.append("")
    return lines


# === (c) Forecast =============================================================


def foreseen(r: Part) -> str:
    """A number, or two: how large requests are may depend on where the pages of the reader are in memory."""
    return f"{r['foreseen']}" if r["least"] == r["foreseen"] else f"{r['least']} to {r['foreseen']}"


def forecast(part: Part) -> list[str]:
    lines = ["### Forecast and truth", "", f"A sequential read of {part['mib']:.0f} MiB; the data were not in memory, the node blocks were.", "",
             row("file", "reader", "read ahead, KiB", "foreseen", "counted", "difference, %"), ruler(2, 4)]
    for r in part["rows"]:
        lines.append(row(r["layout"], f"{r['way']}, {r['size'] // 1024} KiB", "" if r["way"] == "direct" else str(r["read_ahead_kb"]),
                         foreseen(r), str(r["counted"]), f"{r['percent']:+.2f}"))
    return [*lines, ""]


# === Goals ====================================================================


def verdict(met: bool, text: str) -> str:
    return f"- {'met' if met else '**missed**'}: {text}"


def interference(one: Part) -> str:
    """By how much a reader is slower, also with --share, if that was measured."""
    text = f"{one['interference']:.1f} %"
    if "shared" in one:
        shared = one["shared"]
        text += f", with --share {shared['percent']} {shared['interference']:.1f} % for {shared['ns'] / 1e9:.1f} s,"
    return text


def goals(parts: dict[str, Part]) -> list[str]:
    lines = ["### Goals", ""]
    for part in ("synthetic", "databases"):
        for name, found in parts.get(part, {"cases": {}})["cases"].items():
            if part == "synthetic" and "stride" not in name:
                continue
            before, ours, most, theirs = found["nothing"], found["heat"], found["most"], found["fragpicker"]
            best = max((gains(before, one)[0], treatment) for treatment, one in found.items() if treatment not in ("nothing", *OURS))
            mine = gains(before, most)[0]
            lines.append(verdict(mine >= best[0] - 1,
                                 f"{name}: {mine:.1f} % fewer requests with --min-gain 0, for {mib(most['written'])} MiB; the best of the others is "
                                 f"{NAMES[best[1]]} with {best[0]:.1f} % for {mib(found[best[1]]['written'])} MiB (goal: at least as much; a percent "
                                 "apart counts as equal)"))
            lines.append(verdict(2 * ours["written"] <= theirs["written"] and gains(before, ours)[0] >= gains(before, theirs)[0],
                                 f"{name}: {mib(ours['written'])} MiB written by default, {gains(before, ours)[0]:.1f} % fewer requests; FragPicker's "
                                 f"rules {mib(theirs['written'])} MiB, {gains(before, theirs)[0]:.1f} % (goal: at most half of the bytes, for no less)"))
            if "interference" in ours:
                best_slower = ours.get("shared", ours)["interference"]
                lines.append(verdict(best_slower < GOAL_INTERFERENCE, f"{name}: a reader beside it is {interference(ours)} slower with bfq "
                                                                      f"(goal: below {GOAL_INTERFERENCE:g} %)"))
    if "forecast" in parts:
        rows = parts["forecast"]["rows"]
        worst = max(rows, key=lambda r: abs(r["percent"]))
        lines.append(verdict(abs(worst["percent"]) <= GOAL_FORECAST,
                             f"forecast of sequential reads: at most {abs(worst['percent']):.2f} % from what was counted ({worst['layout']}, "
                             f"{worst['way']}, {worst['size'] // 1024} KiB; goal: within {GOAL_FORECAST:g} %). "
                             f"{sum(r['least'] < r['foreseen'] for r in rows)} of {len(rows)} forecasts are two numbers, and right in between"))
    return [*lines, ""]


def by_part(parts: dict[str, Part], key: str) -> str:
    """A fact of the machine; if parts were measured with different ones, each with the parts that it is of."""
    found: dict[str, list[str]] = {}
    for name, part in parts.items():
        found.setdefault(str(part["machine"][key]), []).append(name)
    return ", ".join(value if len(found) == 1 else f"{value} ({', '.join(names)})" for value, names in found.items())


def quick(parts: dict[str, Part]) -> str:
    """Which of the parts are of QUICK=1."""
    names = [name for name, part in parts.items() if part["machine"]["quick"]]
    less = "with QUICK=1: smaller files and volumes"
    if not names:
        return "."
    return f" — {less}." if len(names) == len(parts) else f" — {' and '.join(names)} {less}."


def report(parts: dict[str, Part]) -> str:
    lines = [
        f"Linux {by_part(parts, 'kernel')}, QEMU {by_part(parts, 'qemu')} with one CPU (`-icount shift=0,sleep=off`), "
        f"fragtrace {by_part(parts, 'fragtrace')}, f2fs-tools {by_part(parts, 'f2fs-tools')}, RocksDB {by_part(parts, 'rocksdb')}, "
        f"SQLite {by_part(parts, 'sqlite')}, seed {by_part(parts, 'seed')}{quick(parts)}",
        "", "Requests and bytes were counted by the block layer, and hold. Times are those of a model: an instruction takes 1 ns, "
        "a request 100 µs, one after the other, and the bytes of a request nothing. No device is like that.", "",
    ]
    lines += goals(parts)
    if "motivation" in parts:
        lines += motivation(parts["motivation"])
    if "synthetic" in parts:
        lines += ["### Sequential and stride", "", f"A file of {parts['synthetic']['about']['mib']:.0f} MiB, in turn 32 pieces of 4 KiB and 128 KiB "
                  "whole; direct reads and updates of 128 KiB, the stride leaves out 288 KiB: FragPicker's Figures 8 and 9.", ""]
        lines += gain(parts["synthetic"])
    if "databases" in parts:
        about = parts["databases"]["about"]
        lines += ["### Databases on an aged volume", "", f"{about['rows']} rows of 1 KB among {about['others']} other files. SQLite looks single rows "
                  "up where YCSB's zipfian distribution says, or ranges of 200 rows; RocksDB is read by db_bench (readrandom, "
                  f"read_random_exp_range=10, direct reads, blocks of {about['block'] // 1024} KiB), which stands for YCSB-C.", ""]
        lines += gain(parts["databases"])
        lines += ["![What was gained, for what was written](gain.png)", ""]
    if "forecast" in parts:
        lines += forecast(parts["forecast"])
    return "\n".join(lines)


def put_into(readme: Path, text: str) -> None:
    before = readme.read_text()
    start, end = before.find(BEGIN), before.find(END)
    if start < 0 or end < start:
        sys.exit(f"results.py: {readme}: no lines '{BEGIN}' and '{END}' to put the report between")
    readme.write_text(f"{before[:start]}{BEGIN}\n{text}{before[end:]}")


def main() -> None:
    parser = argparse.ArgumentParser(description="report on what `make lab` measured")
    parser.add_argument("folder", type=Path, help="where PART.json are, and the pictures go")
    parser.add_argument("--readme", type=Path, help="put the report between the markers of this file, the pictures beside it")
    args = parser.parse_args()
    parts = {name: json.loads(path.read_text()) for name in PARTS if (path := args.folder / f"{name}.json").exists()}
    if not parts:
        sys.exit(f"results.py: no results in {args.folder}: run `make lab BENCH=fragpicker` first")
    text = report(parts)
    folder = args.folder
    if args.readme:
        put_into(args.readme, text)
        folder = args.readme.parent
    else:
        print(text, end="")
        (folder / "report.md").write_text(text)
    from plots import draw  # needs matplotlib

    draw(parts, folder)


if __name__ == "__main__":
    main()
