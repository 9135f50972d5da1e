#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""uncovered.py - print what was never run, of counts by gcov, or by coverage.py

usage: uncovered.py gcov PART <LIST         where LIST names files *.gcda; of sources with PART in their path
       uncovered.py python FOLDER <JSON     FOLDER: what paths are printed from
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Counts:
    """What is known of a file: by line, by function (name, first and last line), by branch."""

    lines: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    functions: dict[tuple[str, int, int], int] = field(default_factory=lambda: defaultdict(int))
    branches: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))


def ranges(lines: list[int], known: set[int]) -> str:
    """Lines as ranges: those in between that have no code do not end one."""
    out: list[list[int]] = []
    for line in sorted(lines):
        if out and not any(between in known for between in range(out[-1][1] + 1, line)):
            out[-1][1] = line
        else:
            out.append([line, line])
    return " ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in out)


def report(files: dict[str, Counts]) -> None:
    """Print the table and both lists."""
    print(f"{'':44} {'lines':>6} {'run':>7} {'branches':>9} {'taken':>7} {'functions':>10} {'entered':>8}")
    total = [0] * 6
    for path, counts in [*sorted(files.items()), ("all", None)]:
        if counts:
            row = [n for of in (counts.lines, counts.branches, counts.functions) for n in (len(of), sum(1 for c in of.values() if c))]
            total = [a + b for a, b in zip(total, row)]
        else:
            row = total
        shares = [f"{100 * row[i + 1] / row[i]:.1f}%" if row[i] else "-" for i in (0, 2, 4)]
        print(f"{path:44} {row[0]:6} {shares[0]:>7} {row[2]:9} {shares[1]:>7} {row[4]:10} {shares[2]:>8}")
    print("\n# functions that no test enters")
    for path, counts in sorted(files.items()):
        for (name, first, _), count in sorted(counts.functions.items(), key=lambda one: one[0][1]):
            if not count:
                print(f"{path}:{first} {name}")
    print("\n# lines that no test runs, of functions that one enters")
    for path, counts in sorted(files.items()):
        dead = {line for (_, first, last), count in counts.functions.items() if not count for line in range(first, last + 1)}
        never = [line for line, count in counts.lines.items() if not count and line not in dead]
        if never:
            print(f"{path}: {ranges(never, set(counts.lines))}")


def by_gcov(part: str) -> dict[str, Counts]:
    """Ask gcov about each file of counts that the input names."""
    files: dict[str, Counts] = defaultdict(Counts)
    for name in sys.stdin.read().split():
        done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", name], capture_output=True, text=True, check=True)
        for text in done.stdout.splitlines():
            said: dict[str, Any] = json.loads(text)
            for file in said["files"]:
                path = file["file"]
                if part not in path or path.startswith("/usr") or not path.endswith(".c"):
                    continue
                match = re.search(r"/(viewer|defrag)/", str(Path(name).resolve()))
                path = f"{match[1]}/{path}" if match else re.sub(r"^(\.\./)*", "", path)
                for function in file["functions"]:
                    files[path].functions[function["name"], function["start_line"], function["end_line"]] += function["execution_count"]
                for line in file["lines"]:
                    files[path].lines[line["line_number"]] += line["count"]
                    for i, branch in enumerate(line["branches"]):
                        files[path].branches[line["line_number"], i] += branch["count"]
    return files


def by_python(top: str) -> dict[str, Counts]:
    """What coverage.py has written."""
    files: dict[str, Counts] = {}
    for path, said in json.load(sys.stdin)["files"].items():
        counts = files[path.removeprefix(top)] = Counts()
        for line in said["missing_lines"]:
            counts.lines[line] = 0
        for line in said["executed_lines"]:
            counts.lines[line] = 1
        for which, count in (said["missing_branches"], 0), (said["executed_branches"], 1):
            for first, last in which:
                counts.branches[first, last] = count
        for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                inside = [count for line, count in counts.lines.items() if node.body[0].lineno <= line <= (node.end_lineno or 0)]
                counts.functions[node.name, node.lineno, node.end_lineno or 0] = sum(inside)
    return files


if __name__ == "__main__":
    report(by_gcov(sys.argv[2]) if sys.argv[1] == "gcov" else by_python(sys.argv[2]))
