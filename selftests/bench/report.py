#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The results of the benchmark: one Markdown report, and one picture.

In: a folder with PART.txt, each with lines `result PART CASE MODE RUN MEASURE VALUE` and lines about the
machine. Out: the report on standard output, or between the markers of a README, beside which all that was measured is kept in
one file; bench.png in the same folder.
"""
from __future__ import annotations

import argparse
import json
import lzma
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from report_names import (
    APP_NAMES, BESIDE, CASE_NAMES, GOAL_APPEND, GOAL_BYTES, GOAL_CAUSES, GOAL_FILE, GOAL_FILEFRAG, GOAL_IDLE, GOAL_OVERWRITE,
    GOAL_RATE, GOAL_READ, GOAL_TRACING, GOAL_WAIT, MODE_NAMES, PROBE_MODES, RATE_NAMES,
)

PARTS = ("micro", "map", "apps", "snapshot", "rate", "scaling")
BEGIN = "<!-- bench: begin (make bench-readme) -->"
END = "<!-- bench: end -->"
# What a README was made of, beside it.
KEPT = "results.json.xz"

@dataclass
class Range:
    """Repeats of one figure."""

    values: list[float]

    @property
    def mid(self) -> float:
        return median(self.values)

    @property
    def low(self) -> float:
        return min(self.values)

    @property
    def high(self) -> float:
        return max(self.values)


@dataclass
class Results:
    """All figures, by part, case, mode and measure; and by run."""

    values: dict[tuple[str, str, str, str], dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    machine: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, int] = field(default_factory=dict)

    def note(self, name: str, value: str) -> None:
        """A property of the machine; differences between the parts are reported."""
        known = self.machine.get(name)
        if known and value not in known.split(" and "):
            value = f"{known} and {value}"
        self.machine[name] = value if not known or " and " in value else known

    def cases(self, part: str) -> list[str]:
        return list(dict.fromkeys(key[1] for key in self.values if key[0] == part))

    def measured(self, part: str, case: str, mode: str) -> bool:
        return any(key[:3] == (part, case, mode) for key in self.values)

    def get(self, part: str, case: str, mode: str, measure: str) -> Range | None:
        """The repeats without the first, on cold caches."""
        runs = self.values.get((part, case, mode, measure), {})
        warm = [value for run, value in sorted(runs.items()) if run > 0]
        return Range(warm) if warm else None

    def paired(self, part: str, case: str, mode: str, measure: str, base: str = "off") -> list[tuple[float, float]]:
        """The figure in two modes, from consecutive runs."""
        runs = self.values.get((part, case, mode, measure), {})
        other = self.values.get((part, case, base, measure), {})
        return [(runs[run], other[run]) for run in sorted(runs) if run > 0 and run in other]

    def added(self, part: str, case: str, mode: str, measure: str) -> Range | None:
        pairs = self.paired(part, case, mode, measure)
        return Range([value - base for value, base in pairs]) if pairs else None

    def percent(self, part: str, case: str, mode: str, measure: str) -> Range | None:
        pairs = self.paired(part, case, mode, measure)
        return Range([100 * (value / base - 1) for value, base in pairs]) if pairs else None

    def probes(self, case: str, traced: str = "tracing") -> Range | None:
        """Instructions in our probes for each block written; the cost of measuring is subtracted."""
        if not self.measured("micro", case, f"probes_{traced}"):
            return None
        sums: dict[int, float] = defaultdict(float)
        for (part, name, mode, measure), runs in self.values.items():
            if part == "micro" and name == case and measure.endswith(":instructions_per_block"):
                for run, value in runs.items():
                    sums[run] += {f"probes_{traced}": value, "probes_off": -value}.get(mode, 0)
        return Range(list(sums.values())) if sums else None


def texts(folder: Path) -> dict[str, str]:
    """What was measured, by part."""
    return {part: path.read_text() for part in PARTS if (path := folder / f"{part}.txt").exists()}


def load(measured: dict[str, str], where: Path) -> Results:
    results = Results()
    for part, text in measured.items():
        for number, line in enumerate(text.splitlines(), 1):
            word = line.split()
            try:
                if word[0] == "result":
                    _, name, case, mode, run, measure, value = word
                    results.values[name, case, mode, measure][int(run)] = float(value)
                elif word[0] == "seconds":
                    results.seconds[part] = results.seconds.get(part, 0) + int(word[1])
                else:
                    results.note(word[0], line.split(" ", 1)[1])
            except (IndexError, ValueError):
                sys.exit(f"report.py: {where}/{part}.txt:{number}: expected `result PART CASE MODE RUN MEASURE VALUE`, got '{line}'")
    if not results.values:
        sys.exit(f"report.py: no results in {where}: run `make bench` first")
    return results


# === Text =====================================================================


def number(value: float) -> str:
    """About three digits, with separators of thousands."""
    if abs(value) >= 100:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}"


def of_extents(case: str) -> str:
    return number(int(case.rsplit("_", 1)[1]))


def row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def judged(value: float, goal: str) -> str:
    """The goal, `≤ 150`, `≥ 50` or `0`, and whether the figure misses it."""
    if not goal:
        return ""
    limit = float(goal.lstrip("≤≥ ").replace(" ", ""))
    missed = value < limit if goal.startswith("≥") else value > limit
    return f"{goal}, missed" if missed else goal


def figure(what: str, unit: str, found: Range | None, goal: str) -> str:
    if not found:
        return row(what, "not measured", "", "", unit, goal)
    goal = judged(found.mid, goal)
    return row(what, number(found.mid), number(found.low), number(found.high), unit, goal)


def block_rows(results: Results) -> list[str]:
    rows = []
    for case in results.cases("micro"):
        if case.startswith("overwrite_"):
            what, goals = f"random overwrite, {of_extents(case)} extents", {}
            if case == "overwrite_1000000":
                goals = {"tracing": f"≤ {number(GOAL_OVERWRITE)}"}
        elif case in CASE_NAMES:
            what = CASE_NAMES[case]
            goals = {"no_causes": f"≤ {GOAL_APPEND}", "tracing": f"≤ {GOAL_APPEND + GOAL_CAUSES}"}
        else:
            continue
        for mode in PROBE_MODES:
            rows.append(figure(f"{what}: in the probes, {MODE_NAMES[mode]}", "instructions", results.probes(case, mode),
                               goals.get(mode, "")))
        for mode in (*PROBE_MODES, "idle"):
            rows.append(figure(f"— whole guest, {MODE_NAMES[mode]}", "instructions more",
                               results.added("micro", case, mode, "instructions_per_block"), ""))
    return rows


def map_rows(results: Results) -> list[str]:
    rows = []
    for case in results.cases("map"):
        if not case.endswith(("_10000", "_1000000", "_10000000")):
            continue
        name = case.rsplit("_", 1)[0].replace("_", " ")
        goal = f"≤ {GOAL_BYTES}" if case.endswith("_1000000") else ""
        rows.append(figure(f"memory of an extent, {of_extents(case)} {name}", "bytes",
                           results.get("map", case, "tracing", "bytes_per_extent"), goal))
    return rows


def snapshot_rows(results: Results) -> list[str]:
    rows = []
    measure = "million_instructions"
    for case in results.cases("snapshot"):
        count, things = case.split("_")
        what = f"{number(int(count))} {things}"
        for mode in ("table", "files", "snapshot"):
            found = results.get("snapshot", case, mode, measure)
            if not found:
                continue
            rows.append(figure(f"read `{mode}`, {what}", "million instructions", found, f"≤ {number(GOAL_READ)}"))
            pairs = results.paired("snapshot", case, "filefrag", measure, base=mode)
            if pairs:
                rows.append(figure("— filefrag -v over the same files", "times that", Range([a / b for a, b in pairs]),
                                   f"≥ {GOAL_FILEFRAG}" if mode == "table" else ""))
        memory = results.get("snapshot", case, "memory", "bytes_per_file")
        if memory:
            rows.append(figure(f"memory of a file, its name included, of {what}", "bytes", memory, f"≤ {GOAL_FILE}"))
        learning = results.get("snapshot", case, "learning", measure)
        if learning:
            rows.append(figure(f"learn {what} when loaded", "million instructions", learning, ""))
    return rows


def rate_rows(results: Results) -> list[str]:
    rows = []
    for case in results.cases("rate"):
        seconds = results.get("rate", case, "tracing", "seconds")
        rows.append(figure(f"events, {RATE_NAMES.get(case, case)}, for {number(seconds.mid) if seconds else '?'} s of 10⁹ instructions",
                           "each second", results.get("rate", case, "tracing", "events_per_second"),
                           f"≥ {number(GOAL_RATE)}" if case == "pinned" else ""))
        rows.append(figure("— lost", "events", results.get("rate", case, "tracing", "lost"), "0"))
    return rows


def scaling_rows(results: Results) -> list[str]:
    rows = []
    for case in results.cases("scaling"):
        what = case.replace("_", " ")
        if case.startswith("churn"):
            found = results.get("scaling", case, "locks_waited_for", "in_fragtrace")
            rows.append(figure(f"64 processes create, rename, unlink {what.removeprefix('churn ')}: locks waited for in fragtrace", "times", found, ""))
            rows.append(figure("— in all", "times", results.get("scaling", case, "locks_waited_for", "in_all"), ""))
        elif case.endswith("CPUs"):
            rows.append(figure(f"{what}, time (not instructions)", "times that without",
                               results.get("scaling", case, "time_with_and_without", "ratio"), ""))
            rows.append(figure("— locks waited for in fragtrace", "times", results.get("scaling", case, "locks_waited_for", "in_fragtrace"), "0"))
    guest, host = (results.get("scaling", "emulation", where, "ns_per_loop") for where in ("guest", "host"))
    slower = guest.mid / host.mid if guest and host else 1
    for mode, beside in BESIDE.items():
        for measure, unit in (("median_us", "µs, median"), ("p999_us", "µs, 99.9 %"), ("longest_us", "µs, longest")):
            found = results.get("scaling", "write_event", mode, measure)
            if found:
                goal = f"≤ {number(GOAL_WAIT * slower)}" if mode == "read_on" and measure == "longest_us" else ""
                rows.append(figure(f"a write event on 2 CPUs, {beside}", unit, found, goal))
    if guest and host:
        rows.append(figure("— emulation: the guest needs", "times as long as this machine", Range([slower]), ""))
    return rows


def app_rows(results: Results) -> list[str]:
    cases = [case for case in results.cases("apps") if case in APP_NAMES]
    if not cases:
        return []
    modes = [mode for mode in MODE_NAMES if any(results.percent("apps", c, mode, "instructions") for c in cases)]
    rows = ["", row("application, instructions more in %", *(MODE_NAMES[mode] for mode in modes),
                    *(f"in the probes, {MODE_NAMES[mode]}" for mode in PROBE_MODES)),
            row("---", *("---:" for _ in (*modes, *PROBE_MODES)))]
    for case in cases:
        cells = []
        for mode in modes:
            found = results.percent("apps", case, mode, "instructions")
            spread = "" if not found else f" ({found.low:+.2f} … {found.high:+.2f})" if len(found.values) > 1 else " (one pair)"
            cells.append(f"{found.mid:+.2f}{spread}" if found else "")
        cells += [app_probes(results, case, mode) for mode in PROBE_MODES]
        rows.append(row(APP_NAMES[case], *cells))
    goals = {"idle": f"*≤ {GOAL_IDLE}*", **dict.fromkeys(("no_causes", "tracing", "reader"), f"*< {GOAL_TRACING:g}*")}
    rows.append(row("*goal*", *(goals.get(mode, "") for mode in modes), *("" for _ in PROBE_MODES)))
    return rows


def app_probes(results: Results, case: str, mode: str) -> str:
    """The cost inside the probes, as a share of all instructions without fragtrace."""
    off = results.get("apps", case, "off", "instructions")
    with_us = results.get("apps", case, f"probes_{mode}", "probe_instructions")
    without = results.get("apps", case, "probes_off", "probe_instructions")
    hits = results.get("apps", case, f"probes_{mode}", "hits")
    hits_off = results.get("apps", case, "probes_off", "hits")
    # work that writes no block has no hits
    if not (off and with_us and without and hits and hits_off and hits_off.mid):
        return ""
    # the cost of measuring, for this number of events
    ours = with_us.mid - without.mid * hits.mid / hits_off.mid
    return f"{100 * ours / off.mid:+.2f}"


def report(results: Results) -> str:
    machine = results.machine
    lines = [
        f"Measured by `make bench` on {machine.get('cpu', '?')}, no KVM: QEMU {machine.get('qemu', '?')} emulating one CPU,"
        f" Linux {machine.get('kernel', '?')}, fragtrace {machine.get('fragtrace', '?')}, {machine.get('date', '?')}"
        + (" — quick, not for comparison." if "quick" in machine else "."),
        "Instructions are those of the whole guest, counted by QEMU (`-icount`); they say nothing of caches or of devices."
        " Modes took turns, the first turn was dropped; a difference is one of neighbouring runs.",
    ]
    figures = [line for rows in (block_rows, map_rows, snapshot_rows, rate_rows, scaling_rows) for line in rows(results)]
    if figures:
        lines += ["", row("what", "median", "min", "max", "unit", "goal"), row("---", "---:", "---:", "---:", "---", "---:"), *figures]
    lines += app_rows(results)
    if results.seconds:
        total = sum(results.seconds.values())
        lines += ["", f"These parts took {total // 60} min {total % 60} s."]
    return "\n".join(lines) + "\n"


def with_report(readme: Path, text: str) -> str:
    """The README with this report."""
    before = readme.read_text()
    try:
        start = before.index(BEGIN) + len(BEGIN)
        end = before.index(END, start)
    except ValueError:
        sys.exit(f"report.py: {readme}: no lines '{BEGIN}' and '{END}' to put the table between")
    picture = "![What fragtrace costs](bench.png)"
    return f"{before[:start]}\n{picture}\n\n{text}{before[end:]}"


def main() -> None:
    parser = argparse.ArgumentParser(description="report on what `make bench` measured")
    parser.add_argument("folder", type=Path, help="where PART.txt are, and bench.png goes")
    parser.add_argument("--readme", type=Path, help="put the report between the markers of this file")
    parser.add_argument("--check", action="store_true", help="with --readme: only say whether it has the report of what is kept beside it")
    parser.add_argument("--no-picture", action="store_true", help="do not draw bench.png")
    args = parser.parse_args()
    if args.check:
        kept = args.readme.parent / KEPT
        if args.readme.read_text() != with_report(args.readme, report(load(json.loads(lzma.decompress(kept.read_bytes())), kept))):
            sys.exit(f"report.py: {args.readme} differs from {kept}: run `make bench-readme`, and edit nothing between the markers")
        return
    measured = texts(args.folder)
    results = load(measured, args.folder)
    text = report(results)
    if args.readme:
        if "quick" in results.machine:
            sys.exit("report.py: these are figures of QUICK=1, not for a README: run `make bench` first")
        args.readme.write_text(with_report(args.readme, text))
        (args.readme.parent / KEPT).write_bytes(lzma.compress(json.dumps(measured, indent=1).encode(), preset=9 | lzma.PRESET_EXTREME))
    else:
        print(text, end="")
    if not args.no_picture:
        from picture import draw  # needs matplotlib

        draw(results, args.folder / "bench.png")


if __name__ == "__main__":
    main()
